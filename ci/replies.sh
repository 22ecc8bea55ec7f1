#!/usr/bin/env bash
# Records NumPy's replies to cases of the harness anew, in tests/golden/replies: the tests hold the oracle against them.
#
#   ci/replies.sh CONFORMANCE     the program `conformance`
#
# NumPy comes from PyPI into throw-away environments: the one of CUPRUM_NUMPY, or each that ci/python.sh knows.
set -euo pipefail
cd "$(dirname "$0")/.."
conformance=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=ci/python.sh
. ci/python.sh

for version in $(numpys); do
  # shellcheck disable=SC2046 # several requirements
  numpy_environment "$version" "$work/numpy-$version" $(beside "$version")
  NPY_DISABLE_CPU_FEATURES=$PLAIN_FEATURES PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1 "$conformance" oracle --samples 3 \
    --python "$work/numpy-$version/bin/python" --record "tests/golden/replies/numpy-${version%.*}.gz"
done
du -sh tests/golden/replies
