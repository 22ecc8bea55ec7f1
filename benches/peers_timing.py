"""Sizes and timing shared by the rows of CuPy and of PyTorch."""

import json
import statistics
import sys
import time

ELEMENTS = 1 << 28
BYTES = 1 << 30
SQUARE = (1 << 14, 1 << 14)
CUBE = (512, 1024, 512)
SHORT, SHORT_ROWS, SEQUENCE = (3, 17, 100), 1_000_000, 1_000_000
SORTED = 1 << 26
SIDES = (1 << 13, 1 << 13)
WARM_UPS, SAMPLES = 3, 11
CALLS, REPEATS = 200, 25


def emit(library, name, seconds=None, host_ns=None):
    row = {"library": library, "name": name}
    if seconds is not None:
        row["seconds"] = seconds
    if host_ns is not None:
        row["host_ns"] = host_ns
    print(json.dumps(row), flush=True)


def count(itemsize):
    return min(ELEMENTS, BYTES // itemsize)


class Library:
    """Functions that differ between the two libraries. `timer` returns seconds between two events on the device."""

    def device_seconds(self, call):
        for _ in range(WARM_UPS):
            call()
        self.synchronize()
        once = self.timer(call, 1)
        repeats = max(1, min(20, int(2e-3 / max(once, 1e-6)) + 1))
        return statistics.median(self.timer(call, repeats) / repeats for _ in range(SAMPLES))

    def host_ns(self, call):
        for _ in range(CALLS):
            call()
        samples = []
        for _ in range(REPEATS):
            self.synchronize()
            start = time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            samples.append((time.perf_counter_ns() - start) / CALLS)
        self.synchronize()
        return statistics.median(samples)

    def run(self, only):
        for name, prepare in self.device_rows():
            if only and not any(part in name for part in only):
                continue
            self.clear()
            try:
                seconds = self.device_seconds(prepare())
            except Exception as error:  # a row that a library lacks leaves a gap in the table
                print("%s, %s: %s" % (self.name, name, str(error).splitlines()[0][:200]), file=sys.stderr)
                continue
            emit(self.name, name, seconds=seconds)
        self.clear()
        for name, prepare in self.host_rows() if not only or "call" in only else ():
            emit(self.name, name, host_ns=self.host_ns(prepare()))
