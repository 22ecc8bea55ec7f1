#!/usr/bin/env bash
# Prints the public names that were removed or changed since a release, in Rust and in Python, and fails if there are any:
#
#     ci/api_diff.sh v0.1.0
#
# A changed signature is a line that was removed and one that was added.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# != 1 ]; then
    echo "usage: ci/api_diff.sh TAG" >&2
    exit 2
fi
git rev-parse --quiet --verify "$1^{commit}" >/dev/null || { echo "ci/api_diff.sh: there is no commit $1" >&2 && exit 2; }
removed=$(git diff --unified=0 --no-color "$1" -- docs/api.txt '*.pyi' | grep -E '^(---|-)' | grep -vE '^--- /dev/null|^- *(#.*)?$' || true)
# The names of files remain where a line of the file was removed.
removed=$(awk '/^--- / { file = $0; next } { if (file != "") print file; file = ""; print }' <<<"$removed")
if [ -n "$removed" ]; then
    echo "$removed"
    exit 1
fi
