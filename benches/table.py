"""Merges the JSON rows of `side_by_side` and of `peers.py` into one table.

    python3 benches/table.py ROWS.jsonl ... [--markdown]

Shares are relative to the bandwidth of a device-to-device copy in the same run, counting bytes read and written; a
ratio is the other library's time divided by Cuprum's, so that Cuprum is faster above 1.
"""

import json
import sys

PEERS = ("cupy", "torch")


def read(paths):
    names, rows, facts = [], {}, []
    for path in paths:
        with open(path) as lines:
            for line in lines:
                if not line.startswith("{"):
                    continue
                row = json.loads(line)
                if "fact" in row:
                    facts.append(row["fact"])
                    continue
                if row["name"] not in names:
                    names.append(row["name"])
                rows[row["library"], row["name"]] = row
    return names, rows, facts


def time_of(row):
    if row is None:
        return None
    return row["host_ns"] * 1e-9 if "host_ns" in row else row.get("seconds")


def shown(seconds):
    if seconds is None:
        return "-"
    if seconds < 1e-4:
        return "%.2f us" % (seconds * 1e6)
    return "%.3f ms" % (seconds * 1e3)


def main():
    markdown = "--markdown" in sys.argv
    names, rows, facts = read([path for path in sys.argv[1:] if not path.startswith("--")])
    copy = [row["bytes"] / row["seconds"] for (_, name), row in rows.items() if name == "copy device to device" and row.get("seconds") and "bytes" in row]
    sizes = [row["bytes"] for row in rows.values() if row["name"] == "copy device to device" and "bytes" in row]
    # The rows of other libraries have no byte counts: they are those of Cuprum's rows.
    copy += [sizes[0] / row["seconds"] for (library, name), row in rows.items() if name == "copy device to device" and library in PEERS and sizes]
    bandwidth = max(copy) if copy else None

    table = [["row", "cuprum", "share", "cupy", "share", "ratio", "torch", "share", "ratio"]]
    for name in names:
        ours = rows.get(("cuprum", name))
        moved = ours.get("bytes") if ours else None

        def share(seconds):
            if not (moved and bandwidth and seconds):
                return ""
            return "%.0f %%" % (100 * moved / seconds / bandwidth)

        mine = time_of(ours)
        line = [name, shown(mine), share(mine)]
        for peer in PEERS:
            theirs = time_of(rows.get((peer, name)))
            line += [shown(theirs), share(theirs), "%.2f" % (theirs / mine) if theirs and mine else ""]
        table.append(line)

    for fact in facts:
        print(fact)
    if bandwidth:
        print("device-to-device copy: %.0f GB/s, bytes read and written" % (bandwidth / 1e9))
    print()
    if markdown:
        for i, line in enumerate(table):
            print("| " + " | ".join(line) + " |")
            if i == 0:
                print("|---|" + "--:|" * (len(line) - 1))
        return
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip())


main()
