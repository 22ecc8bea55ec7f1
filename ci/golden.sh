#!/usr/bin/env bash
# Writes tests/golden/: operands and results of every function, from real NumPy.
#
#   ci/golden.sh           writes the files
#   ci/golden.sh --check   makes them afresh and compares them byte for byte with the committed ones
#
# scipy-1.17 is the special functions, from SciPy and, correctly rounded, from mpmath; mpmath-1.3 are some of them with their
# condition. NumPy and SciPy come from PyPI into throw-away environments. Interpreters: $GOLDEN_PYTHON_NEW (3.11 to 3.13) and
# $GOLDEN_PYTHON_OLD (3.8 to 3.10), or those that pyenv has.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. "$root/ci/python.sh"

# need_python VERSION...: as find_python, but that none is an error.
need_python() {
  local found
  found=$(find_python "$@")
  if [ -n "$found" ]; then echo "$found"; return; fi
  echo "golden.sh: no Python of version $* found; install one with: pyenv install $1" >&2
  exit 1
}

# make_golden PYTHON REQUIREMENTS FOLDER FEATURES_TO_DISABLE [SCRIPT]
make_golden() {
  "$1" -m venv "$work/env-$3"
  # shellcheck disable=SC2086 # several requirements
  "$work/env-$3/bin/pip" --quiet --disable-pip-version-check install $2
  # Vectorised code paths differ from processor to processor in the last bit: only those that every x86-64 has run.
  NPY_DISABLE_CPU_FEATURES=$4 PYTHONWARNINGS=ignore PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 "$work/env-$3/bin/python" "$root/ci/${5:-golden.py}" "$work/$3"
}

# CUPRUM_GOLDEN=numpy-2.4 is for a machine that has one of the two Pythons only.
wanted=${CUPRUM_GOLDEN:-numpy-2.4 numpy-1.22}
# SciPy's and mpmath's data is made beside that of the NumPy they run on.
wanted=${wanted/numpy-2.4/numpy-2.4 scipy-1.17 mpmath-1.3}
for folder in $wanted; do
  case $folder in
  numpy-2.4)
    python=${GOLDEN_PYTHON_NEW:-$(need_python 3.12 3.11 3.13)}
    make_golden "$python" 'numpy==2.4.6 mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    ;;
  numpy-1.22)
    python=${GOLDEN_PYTHON_OLD:-$(need_python 3.10 3.9 3.8)}
    make_golden "$python" 'numpy==1.22.4' "$folder" "AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
    ;;
  scipy-1.17)
    python=${GOLDEN_PYTHON_NEW:-$(need_python 3.12 3.11 3.13)}
    make_golden "$python" 'numpy==2.4.6 scipy==1.17.1 mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR" golden_special.py
    ;;
  mpmath-1.3)
    python=${GOLDEN_PYTHON_NEW:-$(need_python 3.12 3.11 3.13)}
    make_golden "$python" 'numpy==2.4.6 mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR" golden_conditions.py
    ;;
  *) echo "golden.sh: unknown golden data: $folder" >&2 && exit 2 ;;
  esac
  if [ "${1:-}" = --check ]; then
    diff -r "$work/$folder" "$root/tests/golden/$folder" || { echo "golden.sh: tests/golden/$folder is out of date: run ci/golden.sh" >&2; exit 1; }
  else
    rm -rf "${root:?}/tests/golden/$folder"
    mkdir -p "$root/tests/golden"
    cp -r "$work/$folder" "$root/tests/golden/$folder"
  fi
done
du -sh "$root/tests/golden"/*
