#!/usr/bin/env bash
# Runs the fuzz targets of gpu/fuzz, which are the readers of what may come from a stranger, on the stable compiler: libFuzzer
# is guided by coverage, for which LLVM's pass needs no nightly Rust.
#
#     ci/fuzz.sh [RUNS [TARGET...]]     RUNS inputs of each target, 1,000,000 unless given
#
# An input that a target fails on is kept under report/fuzz. `target/fuzz/HOST/debug/TARGET FILE` runs it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=${1:-1000000}
targets=("${@:2}")
if [ "${#targets[@]}" = 0 ]; then
    mapfile -t targets < <(sed -n 's/^name = "\(.*\)"/\1/p' gpu/fuzz/Cargo.toml | grep -v '^cuprum-fuzz$')
fi
features=()
if [[ " ${targets[*]} " == *" matrix "* ]]; then features=(--features matrix); fi

# The passes of `cargo fuzz`. With a target's name, so that build scripts and macros are not instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
passes="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
passes+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions"
RUSTFLAGS="$passes" CARGO_PROFILE_DEV_LTO=off cargo build --quiet --manifest-path gpu/fuzz/Cargo.toml --target "$host" \
    --target-dir target/fuzz "${features[@]}" "${targets[@]/#/--bin=}"

export CUPRUM_DEVICE=sim
# Two targets write each input to a file: in memory, a disk would be most of their time.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
inputs=$(mktemp -d)
trap 'rm -rf "$inputs"' EXIT
python3 gpu/fuzz/seeds.py "$inputs"
status=0
for target in "${targets[@]}"; do
    mkdir -p "report/fuzz/$target"
    started=$SECONDS
    # Inputs are short, so that one that takes seconds or gigabytes is a fault.
    if "target/fuzz/$host/debug/$target" -runs="$runs" -max_len=4096 -timeout=10 -rss_limit_mb=4096 -seed=1 -print_final_stats=1 \
        -artifact_prefix="report/fuzz/$target/" "$inputs/$target" >"report/fuzz/$target.log" 2>&1; then
        covered=$(grep -oE 'cov: [0-9]+.*corp: [0-9]+' "report/fuzz/$target.log" | tail -n 1 | sed 's/ ft:.*corp/, corpus/' || true)
        echo "$target: $runs inputs, ${covered:-no coverage}, $((SECONDS - started)) s"
    else
        status=1
        echo "$target FAILED: report/fuzz/$target.log" >&2
        tail -n 20 "report/fuzz/$target.log" >&2
    fi
done
exit "$status"
