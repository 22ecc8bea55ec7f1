#!/usr/bin/env bash
# Measures the seconds from an edit to the results of one family of cases: a statement is added to the first function of a
# file that declares a variable, the program of the conformance suite is built, and the cases of the family are run on the
# simulator. Prints the table of CONTRIBUTING.md.
#
#     ci/loop.sh            all edits of the list below
#     ci/loop.sh engine     those with this in their names
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

edits=(
    "an engine|gpu/src/engine/scan.rs|scans/cumsum/f32"
    "a routine|gpu/src/routines/manipulation/rearrange.rs|manipulation/roll/"
    "a kernel header|kernels/include/scan.cuh|scans/cumsum/f32"
    "the oracle|oracle/src/numpy/manipulation/join.rs|manipulation/roll/"
    "the harness|conformance/src/judge.rs|manipulation/roll/"
    "the Python package|gpu/python/src/random.rs|"
)

if [ -z "${CUPRUM_NVRTC:-}" ]; then
    CUPRUM_NVRTC="$(python3 gpu/src/bin/cuprum/setup.py)"
    export CUPRUM_NVRTC
fi
build() { cargo build --quiet --workspace --lib --bins; }

build
echo "| edit | build, s | cases, s |"
echo "|---|--:|--:|"
for edit in "${edits[@]}"; do
    IFS='|' read -r name file family <<<"$edit"
    [[ "$name" == *"${1:-}"* ]] || continue
    kept=$(mktemp)
    cp -p "$file" "$kept"
    trap 'cp -p "$kept" "$file"' EXIT
    case $file in
    *.rs) sed -i '0,/^    let /s//    std::hint::black_box(1);\n    let /' "$file" ;;
    *) echo "// An edit." >>"$file" ;;
    esac
    if cmp -s "$file" "$kept"; then echo "$file: no statement to edit" >&2 && exit 1; fi
    started=$(date +%s.%N)
    build
    built=$(date +%s.%N)
    if [ -n "$family" ]; then
        target/debug/conformance run --device sim --filter "$family" >/dev/null 2>&1
    else
        ln -sf "$PWD/target/debug/lib_cuprum.so" gpu/python/python/cuprum/_cuprum.abi3.so
        CUPRUM_DEVICE=sim PYTHONPATH=gpu/python/python python3 -c 'import cuprum' 2>/dev/null || true
    fi
    done=$(date +%s.%N)
    cp -p "$kept" "$file"
    rm "$kept"
    trap - EXIT
    awk -v name="$name" -v a="$started" -v b="$built" -v c="$done" 'BEGIN { printf "| %s | %.0f | %.0f |\n", name, b - a, c - b }'
done
