"""Tests every partner library in both directions on a machine with a GPU, and prints a table.

    PYTHONPATH=gpu/python/python CUPRUM_DEVICE=cuda:0 python gpu/python/tests/h200_interop.py

Packages that are not installed are reported as absent. The exit status is the number of rows that failed.
"""

import ctypes
import gc
import importlib
import os
import sys
import traceback
import warnings

os.environ.setdefault("CUPRUM_DEVICE", "cuda:0")

import numpy as np  # noqa: E402

import cuprum as cp  # noqa: E402

warnings.filterwarnings("ignore", "ExternalStream is deprecated", DeprecationWarning)

ROWS, CHECKS = [], []
N = 1 << 22


def check(partner, what):
    def add(function):
        CHECKS.append((partner, what, function))
        return function

    return add


def same(a, b):
    np.testing.assert_array_equal(a, b)


def settle():
    """Releases unused memory: an owner may be the owner of another one."""
    for _ in range(5):
        gc.collect()
        cp.cuda.Device().synchronize()
        cp.zeros(1)


def shares(ours, pointer):
    assert ours.data.ptr == pointer, f"{ours.data.ptr:#x} is not {pointer:#x}: the array was copied"


@check("numpy", "from_dlpack to the CPU and back")
def _(np_):
    a = cp.arange(10, dtype=np.float32)[::2]
    same(np.from_dlpack(a, device="cpu"), np.arange(10, dtype=np.float32)[::2])
    same(cp.from_dlpack(np.arange(6).reshape(2, 3).T).get(), np.arange(6).reshape(2, 3).T)


@check("numpy", "np.sum, np.concatenate, np.add of our arrays")
def _(np_):
    a = cp.arange(6.0)
    assert isinstance(np.sum(a), cp.ndarray) and float(np.sum(a)) == 15
    same(np.concatenate([a, a]).get(), np.concatenate([np.arange(6.0)] * 2))
    same(np.add(a, 1).get(), np.arange(6.0) + 1)


@check("torch", "torch.from_dlpack shares memory")
def _(torch):
    a = cp.arange(12, dtype=np.float32).reshape(3, 4)
    t = torch.from_dlpack(a)
    shares(a, t.data_ptr())
    t.add_(1)
    torch.cuda.synchronize()
    same(a.get(), np.arange(12, dtype=np.float32).reshape(3, 4) + 1)


@check("torch", "cp.from_dlpack shares memory, all dtypes and strides")
def _(torch):
    for dtype in (
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
    ):
        t = torch.arange(24, device="cuda").reshape(2, 3, 4).to(dtype)
        for view in (t, t.permute(2, 0, 1), t[:, 1:, ::2]):
            a = cp.from_dlpack(view)
            shares(a, view.data_ptr())
            same(a.get(), view.cpu().numpy())
    half = torch.arange(4, device="cuda", dtype=torch.bfloat16)
    same(cp.from_dlpack(half).astype(np.float32).get(), half.float().cpu().numpy())


@check("torch", "torch.as_tensor and cp.asarray by the CUDA Array Interface")
def _(torch):
    a = cp.arange(10, dtype=np.int32)
    t = torch.as_tensor(a, device="cuda")
    shares(a, t.data_ptr())
    b = cp.asarray(t[::2])
    same(b.get(), np.arange(10, dtype=np.int32)[::2])
    shares(b, t.data_ptr())


@check("torch", "our stream waits for torch's")
def _(torch):
    for _ in range(20):
        theirs, ours = torch.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
        with torch.cuda.stream(theirs):
            t = torch.zeros(N, device="cuda")
            for _ in range(50):
                t += 1
            with ours:
                a = cp.from_dlpack(t)
                total = (a * 2).sum()
        assert float(total) == 100.0 * N, float(total)


@check("torch", "torch's stream waits for ours")
def _(torch):
    for _ in range(20):
        theirs, ours = torch.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
        with ours:
            a = cp.zeros(N, dtype=np.float32)
            for _ in range(50):
                a += 1
        with torch.cuda.stream(theirs):
            t = torch.from_dlpack(a)
            total = float((t * 2).sum())
        assert total == 100.0 * N, total


@check("torch", "our work on torch's stream (ExternalStream)")
def _(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), cp.cuda.ExternalStream(stream.cuda_stream):
        t = torch.ones(N, device="cuda")
        a = cp.asarray(t) * 3
        assert float(torch.as_tensor(a, device="cuda").sum()) == 3.0 * N


@check("torch", "memory is let go when the work is done")
def _(torch):
    # The memory of earlier checks, too, is released only by a later call of the library.
    settle()
    before = torch.cuda.memory_allocated()
    t = torch.ones(N, device="cuda")
    a = cp.from_dlpack(t)
    b = a + 1
    del t, a
    settle()
    kept = torch.cuda.memory_allocated() - before
    assert kept == 0, f"torch has {kept} bytes more than before"
    assert float(b[0]) == 2
    pool = cp.get_default_memory_pool()
    settle()
    used = pool.used_bytes()
    t = torch.from_dlpack(cp.zeros(N))
    assert pool.used_bytes() > used
    del t
    settle()
    kept = pool.used_bytes() - used
    assert kept == 0, f"our pool has {kept} bytes more in use than before"


@check("torch", "torch's allocator gives our memory (set_allocator)")
def _(torch):
    class Given:
        def __init__(self, ptr):
            self.ptr = ptr

        def __del__(self):
            torch.cuda.caching_allocator_delete(self.ptr)

    def allocator(size):
        ptr = torch.cuda.caching_allocator_alloc(size)
        return cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(ptr, size, Given(ptr)), 0)

    settle()
    before = torch.cuda.memory_allocated()
    with cp.cuda.using_allocator(allocator):
        a = cp.arange(N)
        b = a + 1
    assert torch.cuda.memory_allocated() - before >= a.nbytes + b.nbytes
    assert int(b[-1]) == N
    del a, b
    settle()
    assert torch.cuda.memory_allocated() == before


@check("torch", "requires_grad is rejected by torch")
def _(torch):
    t = torch.ones(3, device="cuda", requires_grad=True)
    try:
        cp.from_dlpack(t)
    except (BufferError, RuntimeError, TypeError):
        return
    raise AssertionError("it was taken")


@check("cupy", "both ways by DLPack")
def _(cupy):
    theirs = cupy.arange(24).reshape(4, 6)[::2, 1::2]
    a = cp.from_dlpack(theirs)
    shares(a, theirs.data.ptr)
    same(a.get(), theirs.get())
    back = cupy.from_dlpack(a)
    back += 1
    cupy.cuda.Device().synchronize()
    same(a.get(), theirs.get())


@check("cupy", "both ways by the CUDA Array Interface")
def _(cupy):
    theirs = cupy.arange(10, dtype=np.float64)
    a = cp.asarray(theirs)
    shares(a, theirs.data.ptr)
    same(cupy.asarray(a).get(), np.arange(10.0))


@check("cupy", "streams of each wait for the other's")
def _(cupy):
    for _ in range(20):
        with cupy.cuda.Stream(non_blocking=True):
            theirs = cupy.zeros(N, dtype=np.float32)
            for _ in range(50):
                theirs += 1
            with cp.cuda.Stream(non_blocking=True):
                a = cp.asarray(theirs) * 2
                b = cp.from_dlpack(theirs) * 3
        with cupy.cuda.Stream(non_blocking=True):
            total = cupy.asarray(a).sum() + cupy.from_dlpack(b).sum()
            assert float(total) == 250.0 * N, float(total)


@check("cupy", "UnownedMemory over its memory")
def _(cupy):
    theirs = cupy.arange(100, dtype=np.int64)
    memory = cp.cuda.UnownedMemory(theirs.data.ptr, theirs.nbytes, theirs)
    a = cp.ndarray(50, np.int64, cp.cuda.MemoryPointer(memory, 400))
    assert int(a.sum()) == sum(range(50, 100))


@check("numba", "a kernel of Numba's on our arrays")
def _(numba):
    from numba import cuda

    @cuda.jit
    def add_one(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    a = cp.arange(1000, dtype=np.float32)
    add_one[4, 256](a)
    cuda.synchronize()
    same(a.get(), np.arange(1000, dtype=np.float32) + 1)
    there = cuda.as_cuda_array(a[::2])
    same(there.copy_to_host(), a.get()[::2])


@check("numba", "arrays of Numba's become ours")
def _(numba):
    from numba import cuda

    there = cuda.to_device(np.arange(12.0).reshape(3, 4))
    a = cp.asarray(there)
    shares(a, there.device_ctypes_pointer.value)
    same(a.get(), np.arange(12.0).reshape(3, 4))


@check("jax", "both ways by DLPack")
def _(jax):
    there = jax.numpy.arange(12, dtype=jax.numpy.float32).reshape(3, 4)
    a = cp.from_dlpack(there)
    same(a.get(), np.asarray(there))
    back = jax.dlpack.from_dlpack(cp.arange(6, dtype=np.float32) * 2)
    same(np.asarray(back), np.arange(6, dtype=np.float32) * 2)


@check("jax", "what jit gives, and streams")
def _(jax):
    f = jax.jit(lambda x: (x * 2).sum(axis=0))
    for _ in range(10):
        with cp.cuda.Stream(non_blocking=True):
            a = cp.ones((1 << 11, 1 << 11), dtype=np.float32)
            for _ in range(20):
                a += 1
            b = cp.from_dlpack(f(jax.dlpack.from_dlpack(a))) + 1
            assert float(b[5]) == 42 * (1 << 11) + 1


@check("mpi4py", "messages of our arrays between one process and itself")
def _(mpi4py):
    from mpi4py import MPI

    world = MPI.COMM_SELF
    a, b = cp.arange(1000, dtype=np.float64), cp.zeros(1000)
    cp.cuda.get_current_stream().synchronize()
    # An MPI without CUDA treats GPU memory as host memory: its support is checked first.
    aware = None
    try:
        library = ctypes.CDLL("libmpi.so")
        aware = bool(library.MPIX_Query_cuda_support())
    except (OSError, AttributeError):
        pass
    if not aware:
        world.Sendrecv(a.get(), 0, recvbuf=(host := np.zeros(1000)), source=0)
        same(host, a.get())
        return f"by the host: {MPI.Get_library_version().split(',')[0]} is not CUDA-aware"
    world.Sendrecv(a, 0, recvbuf=b, source=0)
    same(b.get(), a.get())


@check("pandas", "round trip")
def _(pandas):
    series = pandas.Series([1.5, 2.5, np.nan])
    pandas.testing.assert_series_equal(pandas.Series(cp.asnumpy(cp.asarray(series))), series)


@check("xarray", "our arrays inside")
def _(xarray):
    inside = xarray.DataArray(cp.arange(6.0).reshape(2, 3), dims=("x", "y"))
    total = inside.sum("x").data
    assert isinstance(total, cp.ndarray)
    same(total.get(), np.arange(6.0).reshape(2, 3).sum(axis=0))


@check("sklearn", "a scaler by the array API")
def _(sklearn):
    os.environ["SCIPY_ARRAY_API"] = "1"
    from sklearn.preprocessing import MinMaxScaler

    with sklearn.config_context(array_api_dispatch=True):
        scaled = MinMaxScaler().fit_transform(cp.asarray([[1.0, 2.0], [3.0, 6.0]]))
    assert isinstance(scaled, cp.ndarray)
    same(scaled.get(), [[0.0, 0.0], [1.0, 1.0]])


@check("dask", "map_blocks and a reduction over our arrays")
def _(dask):
    import dask.array as da

    lazy = da.from_array(cp.arange(100.0), chunks=25, asarray=False)
    total = lazy.map_blocks(lambda x: x * 2).sum().compute()
    assert isinstance(total, cp.ndarray) and float(total) == 9900


def version_of(module):
    return getattr(module, "__version__", "?")


def main():
    wanted = sys.argv[1:]
    failed = 0
    for partner, what, function in CHECKS:
        if wanted and partner not in wanted:
            continue
        try:
            module = importlib.import_module(partner)
        except ImportError:
            ROWS.append((partner, "absent", what, "not run"))
            continue
        try:
            ROWS.append((partner, version_of(module), what, function(module) or "ok"))
        except Exception as error:
            failed += 1
            traceback.print_exc()
            ROWS.append((partner, version_of(module), what, f"FAILED: {type(error).__name__}: {error}".splitlines()[0][:90]))
    print(f"cuprum on {cp.cuda.runtime.getDeviceProperties(0)['name'].decode()}\n")
    widths = [max(len(row[k]) for row in [("partner", "version", "what", "result"), *ROWS]) for k in range(3)]
    for row in [("partner", "version", "what", "result"), *ROWS]:
        print(" | ".join([*(text.ljust(width) for text, width in zip(row, widths)), row[3]]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
