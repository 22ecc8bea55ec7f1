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
PYTHONDONTWRITEBYTECODE=1 "$conformance" oracle --samples 3 "${arguments[@]}" "$@"
