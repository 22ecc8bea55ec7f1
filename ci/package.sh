#!/usr/bin/env bash
# Packages the crates as they would be published, and builds and runs a program of somebody else's against the packages
# alone: the one of the README, from a folder that is not near the checkout.
#
#     ci/package.sh [--release]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

crates=(cuprum-kernels cuprum-macros cuprum-sim cuprum-dense cuprum-direct cuprum-fourier cuprum-geometry cuprum cuprum-oracle)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
cargo package --quiet --no-verify --allow-dirty "${crates[@]/#/--package=}" 2>&1 | { grep '^error' || true; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/program/src"
{
    printf '[package]\nname = "program"\nedition = "2024"\n\n[dependencies]\ncuprum = "%s"\n\n[profile.dev]\ndebug = false\n\n' "$version"
    printf '[patch.crates-io]\n'
    for crate in "${crates[@]}"; do
        tar -xzf "target/package/$crate-$version.crate" -C "$scratch"
        # The oracle is no part of what a program needs; it has to build, too.
        if [ "$crate" != cuprum-oracle ]; then printf '%s = { path = "../%s-%s" }\n' "$crate" "$crate" "$version"; fi
    done
} >"$scratch/program/Cargo.toml"
cp Cargo.lock "$scratch/program/"
# The first program of the README.
# shellcheck disable=SC2016 # the ticks are Markdown's
sed -n '/^```rust/,/^```/p' README.md | sed '1d;/^```/,$d' >"$scratch/program/src/main.rs"
started=$SECONDS
export CARGO_TARGET_DIR="$PWD/target/package/build"
(cd "$scratch/program" && cargo build --quiet "$@")
echo "built in $((SECONDS - started)) s"
(cd "$scratch/program" && "$CARGO_TARGET_DIR/$([ "${1:-}" = --release ] && echo release || echo debug)/program")
