#!/usr/bin/env bash
# Builds the package in place, for work on it:
#
#     gpu/python/build.sh [--release]
#     PYTHONPATH=gpu/python/python python3 -c 'import cuprum'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cargo build --quiet -p cuprum-python "$@"
profile=$([ "${1:-}" = --release ] && echo release || echo debug)
ln -sf "$PWD/target/$profile/lib_cuprum.so" gpu/python/python/cuprum/_cuprum.abi3.so
