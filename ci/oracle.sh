#!/usr/bin/env bash
# Holds the oracle against real NumPy: every case of the default run, and of the samples with the seeds after it.
#
#   ci/oracle.sh CONFORMANCE [ARGUMENT...]     the program `conformance`, and what its `oracle` command takes besides
#
# NumPy comes from PyPI into throw-away environments. Interpreters: $GOLDEN_PYTHON_NEW (3.11 to 3.13) for the current one
# and $GOLDEN_PYTHON_OLD (3.8 to 3.10) for the one before the new promotion rules, or those that pyenv has. A NumPy without
# an interpreter is left out, which is said.
set -euo pipefail
cd "$(dirname "$0")/.."
conformance=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. ci/python.sh

# with_numpy PYTHON VERSION [PACKAGE]: the interpreter of a new environment with this NumPy.
with_numpy() {
  "$1" -m venv "$work/numpy-$2"
  "$work/numpy-$2/bin/pip" --quiet --disable-pip-version-check install "numpy==$2" ${3:+"$3"}
  echo "$work/numpy-$2/bin/python"
}

new=${GOLDEN_PYTHON_NEW:-$(find_python 3.12 3.11 3.13)}
old=${GOLDEN_PYTHON_OLD:-$(find_python 3.10 3.9 3.8)}
arguments=()
if [ -n "$new" ]; then
  arguments+=(--python "$(with_numpy "$new" 2.4.6 scipy==1.17.1)")
else
  echo "oracle.sh: no Python of version 3.11 to 3.13 found: NumPy 2.4 is left out" >&2
fi
if [ -n "$old" ]; then
  arguments+=(--python "$(with_numpy "$old" 1.22.4)")
else
  echo "oracle.sh: no Python of version 3.8 to 3.10 found: NumPy 1.22 is left out" >&2
fi
if [ ${#arguments[@]} = 0 ]; then exit 1; fi
PYTHONDONTWRITEBYTECODE=1 "$conformance" oracle --samples 3 "${arguments[@]}" "$@"
