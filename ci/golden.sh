#!/usr/bin/env bash
# Writes tests/golden/ but for the replies, which ci/replies.sh records: operands and results from real NumPy, of what no case of the harness is.
#
#   ci/golden.sh           writes the files
#   ci/golden.sh --check   makes them afresh and compares them byte for byte with the committed ones
#
# scipy-1.17 is the special functions, from SciPy and, correctly rounded, from mpmath; mpmath-1.3 are some of them with their
# condition; fourier is transforms: of 40 digits, and of NumPy and SciPy. NumPy and SciPy come from PyPI into throw-away
# environments: the NumPy of CUPRUM_NUMPY, or each that ci/python.sh knows.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. "$root/ci/python.sh"

# make_golden NUMPY REQUIREMENTS FOLDER FEATURES_TO_DISABLE [SCRIPT]
make_golden() {
  # shellcheck disable=SC2086 # several requirements
  numpy_environment "$1" "$work/env-$3" $2
  # Vectorised code paths differ from processor to processor in the last bit: only those that every x86-64 has run.
  NPY_DISABLE_CPU_FEATURES=$4 PYTHONWARNINGS=ignore PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 "$work/env-$3/bin/python" "$root/ci/${5:-golden.py}" "$work/$3"
}

# The data that each NumPy makes; SciPy's and mpmath's is generated with that of the NumPy they run on.
folders=()
versions=$(numpys)
for version in $versions; do
  case $version in
  2.4.6) folders+=(numpy-2.4 scipy-1.17 mpmath-1.3 fourier) ;;
  1.22.4) folders+=(numpy-1.22) ;;
  2.5.5) ;; # The oracle is held against it, case by case.
  *) echo "golden.sh: NumPy $version makes no golden data" >&2 && exit 2 ;;
  esac
done
for folder in "${folders[@]}"; do
  case $folder in
  numpy-2.4)
    make_golden 2.4.6 'mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    ;;
  numpy-1.22)
    make_golden 1.22.4 '' "$folder" "AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
    ;;
  scipy-1.17)
    make_golden 2.4.6 'scipy==1.17.1 mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR" golden_special.py
    ;;
  fourier)
    make_golden 2.4.6 'scipy==1.17.1 mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR" golden_fourier.py
    ;;
  mpmath-1.3)
    make_golden 2.4.6 'mpmath==1.3.0' "$folder" "X86_V3 X86_V4 AVX512_ICL AVX512_SPR" golden_conditions.py
    ;;
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
