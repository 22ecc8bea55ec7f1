#!/usr/bin/env bash
# Builds the package in place, for work on it:
#
#     gpu/python/build.sh [--release]
#     PYTHONPATH=gpu/python/python python3 -c 'import cuprum'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# With the features of the workspace and its tests, as all else that is built here: the package alone, and the libraries without a test,
# have others, and most crates would be built twice. A small test will do.
if [ "${1:-}" = --release ]; then
    profile=release
    cargo build --quiet --release --package cuprum-python
else
    profile=debug
    cargo build --quiet --workspace --lib --test bfloat16
fi
ln -sf "$PWD/target/$profile/lib_cuprum.so" gpu/python/python/cuprum/_cuprum.abi3.so
