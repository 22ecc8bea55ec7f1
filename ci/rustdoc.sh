#!/usr/bin/env bash
# rustdoc for `cargo test --doc`: documents the crate in place of its tests. `cargo doc` would check every crate and dependency once
# more for their metadata; a test of documentation takes what is built already.
set -euo pipefail
rustdoc=(rustdoc)
for argument in "$@"; do
    if [ "$argument" = --test ]; then rustdoc+=(-D warnings --out-dir "${CUPRUM_DOC_DIR:?the folder of the pages}"); fi
done
while [ $# -gt 0 ]; do
    case $1 in
    --test) ;;
    --test-run-directory | --test-args) shift ;;
    --test-run-directory=* | --test-args=* | --no-capture | --nocapture) ;;
    *) rustdoc+=("$1") ;;
    esac
    shift
done
exec "${rustdoc[@]}"
