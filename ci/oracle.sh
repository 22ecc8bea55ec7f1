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
  # shellcheck disable=SC2046 # several requirements
  numpy_environment "$version" "$work/numpy-$version" $(beside "$version")
  arguments+=(--python "$work/numpy-$version/bin/python")
done
NPY_DISABLE_CPU_FEATURES=$PLAIN_FEATURES PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1 "$conformance" oracle --samples 3 "${arguments[@]}" "$@"
