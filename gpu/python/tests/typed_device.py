"""A typed program over the rest of the package: streams, memory, user-defined kernels, random numbers, transforms,
test utilities."""

from types import ModuleType
from typing import Any

import numpy as np

import cuprum as cp
from cuprum import cuda, cupyx, testing
from cuprum.typing import NDArray

SQUARES = cp.ElementwiseKernel('float32 x, float32 y', 'float32 z', 'z = (x - y) * (x - y)', 'squares')
NORM = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm')
DOUBLE = cp.RawKernel('extern "C" __global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }', 'twice')


@cp.fuse
def smooth(x: cp.ndarray, y: cp.ndarray) -> cp.ndarray:
    return cp.exp(-x * x) + y


@cp.fuse(kernel_name='scaled')
def scaled(x: cp.ndarray, by: float) -> cp.ndarray:
    return x * by


def positive(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return cp.maximum(x, 0)


def on_a_stream() -> float:
    start, end = cuda.Event(), cuda.Event()
    with cuda.Stream(non_blocking=True) as stream:
        start.record()
        total: cp.ndarray = NORM(cp.ones(16, dtype=np.float32))
        end.record(stream)
    stream.synchronize()
    elapsed: float = cuda.get_elapsed_time(start, end)
    assert elapsed >= 0 and stream.done
    return float(total)


def with_memory() -> int:
    pool: cuda.MemoryPool = cp.get_default_memory_pool()
    with cuda.using_allocator(pool.malloc):
        a = cp.empty((2, 3))
    pointer: cuda.MemoryPointer = a.data
    used: int = pool.used_bytes()
    assert pointer.ptr and used >= a.nbytes
    with cuda.Device(0) as device:
        free, total = device.mem_info
    assert free <= total
    return device.id


def drawn(seed: int) -> tuple[cp.ndarray, cp.ndarray]:
    rng: cp.random.Generator = cp.random.default_rng(seed)
    state = cp.random.RandomState(seed)
    return rng.normal(size=(4, 4)), state.uniform(0, 1, size=3)


def decomposed(a: cp.ndarray) -> cp.ndarray:
    u, s, vh = cp.linalg.svd(a, full_matrices=False)
    values: cp.ndarray = cp.linalg.svd(a, compute_uv=False)
    assert cp.allclose(s, values)
    named: cp.ndarray = cp.linalg.eigh(a + a.T).eigenvalues
    assert named.shape == s.shape
    q, r = cp.linalg.qr(a)
    assert bool(cp.allclose(q @ r, a))
    return (u * s) @ vh


def several() -> list[int]:
    rows, columns = cp.where(cp.eye(3) > 0)
    line, step = cp.linspace(0, 1, 5, retstep=True)
    fraction, whole = cp.modf(line * 3)
    counts, edges = cp.histogram(cp.arange(10), bins=5)
    parts: list[cp.ndarray] = cp.split(edges, [2])
    assert float(step) == 0.25 and counts.size + 1 == edges.size and len(parts) == 2
    assert fraction.shape == whole.shape == rows.shape[:0] + (5,)
    return [int(i) for i in columns]


@testing.for_float_dtypes(no_float16=True)
@testing.numpy_cupy_allclose(rtol=1e-5)
def check_mean(xp: ModuleType, dtype: Any) -> Any:
    return testing.shaped_arange((2, 3), xp, dtype).mean(axis=0)


def main() -> None:
    x = cp.linspace(-1, 1, 8, dtype=np.float32)
    assert smooth(x, x).dtype == np.float32 and scaled(x, 2.0).shape == (8,)
    kept: np.ndarray[Any, np.dtype[np.float32]] = positive(x).get()
    assert (kept >= 0).all()
    SQUARES(x, 2 * x)
    DOUBLE((1,), (8,), (x, np.int32(8)))
    assert float(x[7]) == 2 and on_a_stream() == 4 and with_memory() == 0
    a, b = drawn(7)
    assert cp.allclose(decomposed(a), a) and b.ndim == 1
    assert several() == [0, 1, 2]
    spectrum: cp.ndarray = cp.fft.rfft(cp.scipy.special.erf(x))
    assert spectrum.shape == (5,) and cp.iscomplexobj(spectrum)
    check_mean()
    assert cupyx.get_runtime_info() is not None


if __name__ == '__main__':
    main()
