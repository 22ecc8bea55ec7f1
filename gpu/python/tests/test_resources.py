"""Memory, threads, and the end of the interpreter."""

import os
import subprocess
import sys
import threading

import numpy as np

import cuprum as cp


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_million_arrays_leave_nothing_behind():
    a = cp.arange(10.0)

    def make(count):
        for _ in range(count):
            b = a[1:5]
            b.shape = (2, 2)
            b.T

    make(10_000)
    before = resident()
    make(500_000)
    assert resident() - before < 4 << 20


def test_buffers_go_back():
    host = np.arange(1000.0)
    for _ in range(100):
        cp.asarray(host).get()
    before = resident()
    for _ in range(5000):
        cp.asarray(host).get()
    assert resident() - before < 16 << 20


def test_threads():
    a = cp.arange(1000.0)
    failed = []

    def work():
        try:
            for _ in range(20):
                assert float((a + 1).sum()) == 500500.0
                a[10:20].get()
        except Exception as e:
            failed.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_end_comes_with_work_queued():
    run("import cuprum as cp\na = cp.arange(10000.0)\nfor _ in range(5): a = a * 2 + 1")
    run("import cuprum as cp, atexit\na = cp.arange(10.0)\natexit.register(lambda: print(a + 1))")


def test_an_exception_at_the_end():
    run("import cuprum as cp\na = cp.arange(10)\nb = a[cp.array([50])]")


def test_import_is_quick():
    # Several times what it takes: a machine under load is slow.
    program = "import numpy, time\nt = time.perf_counter()\nimport cuprum\nprint(time.perf_counter() - t)"
    assert min(float(run(program)) for _ in range(3)) < 0.5
