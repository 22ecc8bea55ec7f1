#!/usr/bin/env bash
# The unit tests of the plain Rust modules against faults that cargo-mutants makes: a sample, the same for the same shard,
# for as long as the time allows. Fails where fewer than CUPRUM_MUTANTS_RATE of a hundred are found.
#
# cargo-mutants comes from crates.io: it is installed into target/tools once, unless it is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=27.1.0
shard="${CUPRUM_MUTANTS_SHARD:-7/120}"
seconds="${CUPRUM_MUTANTS_SECONDS:-1800}"
rate="${CUPRUM_MUTANTS_RATE:-95}"

if ! command -v cargo-mutants >/dev/null; then
    cargo install --quiet --locked --root target/tools --version "$version" cargo-mutants
    export PATH="$PWD/target/tools/bin:$PATH"
fi

# Tables of numbers and what only prints for a person are left out: a changed digit there is no fault of reasoning.
files=(gpu/src/layout.rs gpu/src/layout/walk.rs gpu/src/index.rs gpu/src/index/ranges.rs gpu/src/dtype.rs gpu/src/scalar.rs
    'gpu/src/array/format/*.rs' gpu/src/routines/dtypes/limits.rs 'gpu/src/engine/**/*.rs' 'oracle/src/**/*.rs')
arguments=()
for file in "${files[@]}"; do arguments+=(--file "$file"); done

# The library is tested by its own unit tests and by those of the workspace that hold it against NumPy's answers.
rm -rf report/mutants.out
status=0
timeout --signal INT "$seconds" cargo mutants "${arguments[@]}" \
    --shard "$shard" --sharding round-robin --no-shuffle --output report --baseline skip --timeout 300 --colors never \
    --test-package cuprum --test-package cuprum-oracle --test-package cuprum-tests \
    -- --lib --test golden --test dtypes --test properties --test methods || status=$?

# 2: some were missed; 3: some ran on, which finds them; 124: the time is over.
case $status in 0 | 2 | 3 | 124) ;; *) exit "$status" ;; esac
python3 - "$rate" <<'END'
import pathlib, sys
folder = pathlib.Path("report/mutants.out")
lines = lambda name: [l for l in (folder / f"{name}.txt").read_text().splitlines() if l] if (folder / f"{name}.txt").exists() else []
caught, missed, ran_on = len(lines("caught")) , lines("missed"), len(lines("timeout"))
found, all_ = caught + ran_on, caught + ran_on + len(missed)
for line in missed:
    print("missed", line)
print(f"{all_} faults, {found} found ({100 * found / max(all_, 1):.1f} %), {len(lines('unviable'))} do not compile")
sys.exit(not all_ or 100 * found < float(sys.argv[1]) * all_)
END
