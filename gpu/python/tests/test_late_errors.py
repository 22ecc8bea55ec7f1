"""Tests of errors found by kernels, of the end of the interpreter, and of kernels that do not end."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import cuprum as cp


def run(source, **variables):
    """Runs a program in a separate interpreter."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=300, env={**os.environ, "CUPRUM_DEVICE": "sim", **variables}
    )


def test_the_end_of_the_interpreter_reports_what_no_call_has_raised():
    ended = run("""
        import cuprum as cp
        a = cp.arange(3)
        a[cp.array([9])] = 1
    """)
    assert ended.returncode == 0
    assert "IndexError: set: index 9 at position 0 is out of bounds for axis 0 with size 3" in ended.stderr
    assert ended.stderr.count("IndexError") == 1
    # An error that has been raised is not reported again.
    assert (
        "index 9"
        not in run("""
        import cuprum as cp
        a = cp.arange(3)
        a[cp.array([9])] = 1
        try:
            a.get()
        except IndexError:
            pass
    """).stderr
    )


def test_the_end_with_a_stream_in_use():
    """Tests that arrays of another stream may be the last to be released."""
    ended = run("""
        import cuprum as cp
        import threading
        x = cp.ones(3)
        cp.cuda.Stream().use()
        x = cp.ones(3)

        def work():
            y = x + 1
            cp.cuda.Stream(non_blocking=True).use()
            global kept
            kept = x * y

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


# Each key has an index out of bounds and a valid one.
KEYS = {
    "arrays": lambda xp: (xp.array([0, 7]),),
    "with a slice": lambda xp: (xp.array([0, 7]), slice(None)),
    "after a slice": lambda xp: (slice(None), xp.array([0, 7])),
    "with a new axis": lambda xp: (None, xp.array([0, 7])),
    "with an ellipsis": lambda xp: (..., xp.array([0, 7])),
    "with a mask": lambda xp: (xp.array([1, -9, 0]), xp.array([True, True, True])),
    "a row of a slice": lambda xp: (xp.array([[7, 0]]), slice(None, None, -1)),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("name", ["add", "negative"])
def test_nothing_is_written_where_an_index_is_out_of_bounds(name, key):
    a = cp.arange(9).reshape(3, 3)
    operands = (1,) if name == "add" else ()
    with pytest.raises(IndexError):
        getattr(np, name).at(np.arange(9).reshape(3, 3), key(np), *operands)
    with pytest.raises(IndexError, match="out of bounds|does not fit"):
        getattr(cp, name).at(a, key(cp), *operands)
        a.get()
    np.testing.assert_array_equal(a.get(), np.arange(9).reshape(3, 3))


GOOD = {
    "arrays": lambda xp: xp.array([0, 2, 0]),
    "a slice": lambda xp: slice(None, None, 2),
    "a number": lambda xp: 1,
    "everything": lambda xp: ...,
    "two arrays": lambda xp: (xp.array([0, 2, 0]), xp.array([[1], [2]])),
    "with a slice": lambda xp: (xp.array([0, 2, 0]), slice(1, None)),
    "after a slice": lambda xp: (slice(None, None, -1), xp.array([2, 0, 2])),
    "apart": lambda xp: (xp.array([0, 2, 0])[:, None], slice(None, 1), None),
    "a mask": lambda xp: xp.arange(9).reshape(3, 3) % 2 == 0,
    "a mask of rows": lambda xp: xp.array([True, False, True]),
    "a mask and an array": lambda xp: (xp.array([True, False, True]), xp.array([1, 1])),
}


@pytest.mark.parametrize("key", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("order", ["C", "F"])
def test_at_with_indices_of_any_kind(key, order):
    host = np.arange(9.0).reshape(3, 3).copy(order)
    a = cp.array(host, order=order)
    values = np.arange(1, host[key(np)].size + 1).reshape(np.shape(host[key(np)]))
    np.add.at(host, key(np), values)
    cp.add.at(a, key(cp), cp.array(values))
    np.testing.assert_array_equal(a.get(), host)
    np.negative.at(host, key(np))
    cp.negative.at(a, key(cp))
    np.testing.assert_array_equal(a.get(), host)


def test_many_rejected_indices_take_no_longer_than_good_ones():
    a, n = cp.zeros(100_000), 100_000
    good, bad = cp.full(n, 50), cp.arange(n) + 200_000

    def seconds(at):
        started = time.perf_counter()
        b = a[at]
        try:
            b.get()
        except IndexError as e:
            assert "index 200000 at position 0 " in str(e)
        return time.perf_counter() - started

    seconds(good), seconds(bad)
    assert seconds(bad) < 20 * seconds(good) + 0.5


ENDLESS = """
    import cuprum as cp
    kernel = cp.RawKernel('extern "C" __global__ void endless(volatile int *x) {\\n  while (x[0] == 0) x[1] += 1;\\n}', "endless")
    x = cp.zeros(2, "i")
    print("begins", flush=True)
    {launch}
    x.get()
"""


@pytest.mark.parametrize(
    "launch",
    [
        "kernel((1,), (1,), (x,))",
        "kernel((5,), (64,), (x,))",
        """
    with cp.cuda.Stream(non_blocking=True):
        kernel((1,), (1,), (x,))""",
    ],
    ids=["a thread", "blocks", "a stream"],
)
def test_a_kernel_without_end_is_interrupted(launch):
    source = textwrap.dedent(ENDLESS).replace("{launch}", textwrap.dedent(launch).strip("\n"))
    program = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CUPRUM_DEVICE": "sim"},
        # A shell starts background jobs with interrupts ignored, which Python would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert program.stdout.readline() == "begins\n"
    time.sleep(1)
    started = time.monotonic()
    program.send_signal(signal.SIGINT)
    said = program.communicate(timeout=60)[1]
    assert time.monotonic() - started < 30 and "KeyboardInterrupt" in said, said


def test_a_kernel_without_end_is_stopped_and_named():
    ended = run(textwrap.dedent(ENDLESS).replace("{launch}", "kernel((1,), (1,), (x,))"), CUPRUM_SIM_INSTRUCTIONS="20000")
    assert "the block ran more than 20000 instructions (kernel endless, " in ended.stderr
    assert "CUPRUM_SIM_INSTRUCTIONS" in ended.stderr
    assert "positive integer" in run("import cuprum as cp; cp.ones(3)", CUPRUM_SIM_INSTRUCTIONS="few").stderr


def test_a_write_to_constant_memory_is_named():
    kernel = cp.RawKernel("__constant__ int table[4];\nextern \"C\" __global__ void writes(int *x) { ((int *)table)[threadIdx.x] = x[0]; }", "writes")
    if cp.cuda.is_available():
        pytest.skip("a GPU says no more than that an instruction is illegal")
    with pytest.raises(RuntimeError, match=r"a write to __constant__ memory \(table\).*kernel writes"):
        kernel((1,), (1,), (cp.zeros(1, "i"),))
        cp.cuda.Device().synchronize()
