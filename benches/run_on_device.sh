#!/usr/bin/env bash
# Runs the side-by-side benchmark where there is a GPU, also where there is no Rust: the program is given.
#
#   benches/run_on_device.sh PROGRAM [FOLDER]
#
# PROGRAM is the built `side_by_side`. The rows and the tables go to FOLDER (report unless given); the table is printed last.
set -euo pipefail
program=$(realpath "$1")
folder=${2:-report}
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "$folder"

"$program" >"$folder/bench-cuprum.jsonl"
if ! python3 "$here/peers.py" >"$folder/bench-peers.jsonl" 2>"$folder/bench-peers.log"; then
    echo "the peers did not finish; the end of $folder/bench-peers.log:" >&2
    tail -n 5 "$folder/bench-peers.log" >&2
fi
python3 "$here/table.py" "$folder/bench-cuprum.jsonl" "$folder/bench-peers.jsonl" --markdown >"$folder/bench.md"
python3 "$here/table.py" "$folder/bench-cuprum.jsonl" "$folder/bench-peers.jsonl"
