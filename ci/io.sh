#!/usr/bin/env bash
# Files and texts between the library and real NumPy: the golden files are made anew and compared, and NumPy reads what the
# library writes. NumPy comes from PyPI into a throw-away environment.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. ci/python.sh

numpy_environment 2.4.6 "$work/numpy"
python="$work/numpy/bin/python"
for golden in ci/golden_io.py:gpu/tests/io.json ci/golden_format.py:gpu/tests/data/format.json; do
  "$python" "${golden%%:*}" "$work/golden.json"
  cmp "$work/golden.json" "${golden#*:}" || { echo "io.sh: ${golden#*:} is out of date: run ${golden%%:*}" >&2; exit 1; }
done
mkdir "$work/files"
CUPRUM_IO_FILES="$work/files" cargo test --quiet -p cuprum --test functions io::files_for_numpy
"$python" ci/io_numpy.py "$work/files"
