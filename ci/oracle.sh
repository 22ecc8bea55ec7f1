#!/usr/bin/env bash
# Holds the oracle against real NumPy: every case of the default run, and of the samples with the seeds after it.
#
#   ci/oracle.sh CONFORMANCE [ARGUMENT...]     the program `conformance`, and what its `oracle` command takes besides
#
# NumPy comes from PyPI into throw-away environments: the one of CUPRUM_NUMPY, or each that ci/python.sh knows. One for which
# there is no interpreter is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
conformance=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. ci/python.sh

versions=$(numpys)
arguments=()
for version in $versions; do
  # The special functions are SciPy's, which goes with the newer NumPy.
  scipy=()
  if [ "$version" = 2.4.6 ]; then scipy=(scipy==1.17.1); fi
  numpy_environment "$version" "$work/numpy-$version" "${scipy[@]}"
  arguments+=(--python "$work/numpy-$version/bin/python")
done
# Products of complex numbers are fused where the processor can, which the cut of polydiv shows: only the instructions that every x86-64
# has. A NumPy that does not know one of them says so and goes on.
features="X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
NPY_DISABLE_CPU_FEATURES=$features PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1 "$conformance" oracle --samples 3 "${arguments[@]}" "$@"
