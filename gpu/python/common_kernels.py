#!/usr/bin/env python3
"""Lists the kernels of common calls, so that wheels have them compiled and a first call compiles nothing.

    CUPRUM_DEVICE=sim CUPRUM_KERNEL_LIST=LIST python3 gpu/python/common_kernels.py
    cuprum kernels LIST gpu/python/python/cuprum/kernels/sm_90.bin sm_90

Each call runs once for the dtypes and layouts that programs use most. The functions are those that most CuPy programs call; a kernel
that is not listed is compiled when it is first called, as in a build from source."""

import sys

import cuprum as cp

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int32", "int64")
REALS = FLOATS + INTEGERS
NUMBERS = REALS + COMPLEX

# Functions of one operand by the dtypes that they are listed for.
UNARY = {
    NUMBERS: "negative absolute square sqrt exp log conj real imag angle",
    REALS: "sign sin cos tan arcsin arccos arctan sinh cosh tanh log2 log10 log1p expm1 reciprocal",
    FLOATS: "floor ceil rint trunc isnan isinf isfinite cbrt exp2 deg2rad rad2deg signbit sinc nan_to_num",
    INTEGERS + ("bool",): "invert",
    ("bool",): "logical_not",
}
BINARY = {
    NUMBERS: "add subtract multiply true_divide power equal not_equal",
    REALS: "floor_divide remainder maximum minimum less less_equal greater greater_equal",
    FLOATS: "arctan2 hypot fmod copysign logaddexp fmax fmin isclose",
    INTEGERS: "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
    ("bool",): "logical_and logical_or logical_xor bitwise_and bitwise_or equal not_equal",
}
REDUCTIONS = {
    NUMBERS: "sum prod mean var std",
    REALS: "max min argmax argmin ptp",
    FLOATS: "nansum nanmean nanmax nanmin nanstd",
    ("bool",): "sum mean any all count_nonzero",
}
CASTS = ("bool", "uint8", "float16") + NUMBERS


def operands(dtype):
    """Returns arrays of a dtype: a vector, a matrix of rows that loads of 16 bytes divide, and one of rows that they do not."""
    a = (cp.arange(4096) % 7 + 1).astype(dtype)
    return a, a.reshape(64, 64), a[:4087].reshape(67, 61)


def elementwise(dtype):
    vector, matrix, odd = operands(dtype)
    for dtypes, names in UNARY.items():
        for name in names.split() if dtype in dtypes else ():
            function = getattr(cp, name)
            yield from (lambda x=x, function=function: function(x) for x in (vector, matrix.T, matrix[:, ::2]))
    for dtypes, names in BINARY.items():
        for name in names.split() if dtype in dtypes else ():
            function = getattr(cp, name)
            pairs = [(vector, vector), (vector, 2), (2, vector), (matrix, matrix.T), (matrix, matrix[0]), (matrix, matrix[:, :1])]
            pairs += [(matrix[1:, 1:], matrix[:-1, :-1]), (odd, odd[0])]
            yield from (lambda x=x, y=y, function=function: function(x, y) for x, y in pairs)
    mask = vector != 3
    yield lambda: cp.where(mask, vector, vector)
    yield lambda: cp.where(mask, vector, 0)
    yield lambda: cp.clip(vector, 2, 5)
    if dtype != "bool":
        yield lambda: cp.round(vector, 1)
    for other in CASTS:
        if not (dtype in COMPLEX and other not in COMPLEX):
            yield from (lambda x=x, other=other: x.astype(other) for x in (vector, matrix.T))


def reductions(dtype):
    for dtypes, names in REDUCTIONS.items():
        for name in names.split() if dtype in dtypes else ():
            function = getattr(cp, name)
            large = cp.ones((600, 1024), dtype)
            for x in (*operands(dtype), cp.ones(10, dtype), cp.ones(1000, dtype), large):
                yield from (lambda x=x, axis=axis, function=function: function(x, axis=axis) for axis in (None, 0, -1) if axis is None or x.ndim > 1)
    vector, matrix, _ = operands(dtype)
    if dtype != "bool":
        for x, axis in ((vector, None), (matrix, 0), (matrix, 1)):
            yield lambda x=x, axis=axis: cp.cumsum(x, axis=axis)
            yield lambda x=x, axis=axis: cp.cumprod(x, axis=axis)
        yield lambda: cp.diff(vector)
        yield lambda: cp.trace(matrix)
        yield lambda: cp.average(vector)
        yield lambda: cp.allclose(vector, vector)
    yield lambda: cp.array_equal(vector, vector)


def creation(dtype):
    vector, matrix, _ = operands(dtype)
    yield lambda: cp.zeros(10, dtype)
    yield lambda: cp.ones((3, 4), dtype)
    yield lambda: cp.full(10, 3, dtype)
    yield lambda: cp.arange(10, dtype=dtype) if dtype != "bool" else None
    yield lambda: cp.linspace(0, 1, 10, dtype=dtype)
    yield lambda: cp.eye(5, dtype=dtype)
    yield lambda: cp.identity(5, dtype)
    yield lambda: cp.diag(vector[:5])
    yield lambda: cp.tril(matrix)
    yield lambda: cp.triu(matrix)
    yield lambda: cp.meshgrid(vector[:9], vector[:8])
    yield lambda: cp.asarray([[1, 2], [3, 4]], dtype)


def manipulation(dtype):
    vector, matrix, odd = operands(dtype)
    for name in ("concatenate", "stack", "vstack", "hstack"):
        yield lambda name=name: getattr(cp, name)([matrix, matrix])
    yield lambda: cp.concatenate([matrix, odd[:, :60].T[:, :64]], 0)
    yield lambda: cp.tile(matrix, (2, 2))
    yield lambda: cp.repeat(vector, 2)
    yield lambda: cp.repeat(matrix, 2, 1)
    yield lambda: cp.roll(vector, 3)
    yield lambda: cp.roll(matrix, 1, 0)
    yield lambda: cp.flip(matrix).copy()
    yield lambda: cp.pad(matrix, 1)
    yield lambda: cp.pad(matrix, 2, "edge")
    yield lambda: cp.pad(matrix, 2, "reflect")
    yield lambda: matrix.T.copy()
    yield lambda: odd.T.copy()
    yield lambda: matrix[::2, 1:].copy()
    yield lambda: cp.ascontiguousarray(matrix.T)
    yield lambda: matrix.fill(1)


def indexing(dtype):
    vector, matrix, _ = operands(dtype)
    positions, mask = cp.arange(0, 60, 3), matrix != 3

    def assign(x, key, value):
        x[key] = value

    for key in (positions, mask, (positions, positions), (slice(None), positions), slice(None, None, 2), (slice(None), 3), mask[0]):
        x = vector if isinstance(key, slice) else matrix
        yield lambda x=x, key=key: x[key]
        yield lambda x=x, key=key: assign(x.copy(), key, 1)
        yield lambda x=x, key=key: assign(x.copy(), key, x[key])
    yield lambda: cp.take(matrix, positions, axis=1)
    yield lambda: cp.take_along_axis(matrix, cp.argsort(matrix, 1), 1)
    yield lambda: cp.nonzero(matrix)
    yield lambda: cp.argwhere(matrix)
    yield lambda: cp.add.at(vector, positions, 1)
    if dtype in REALS:
        yield lambda: cp.maximum.at(vector, positions, 1)


def sorting(dtype):
    vector, matrix, _ = operands(dtype)
    large = cp.zeros(40_000, dtype)
    for x in (vector[:10], vector[:100], vector[:300], vector[:1000], vector, matrix, large):
        yield lambda x=x: cp.sort(x)
        yield lambda x=x: cp.argsort(x)
    yield lambda: cp.sort(matrix, 0)
    yield lambda: cp.unique(vector)
    yield lambda: cp.unique(vector, return_inverse=True, return_counts=True)
    yield lambda: cp.searchsorted(cp.sort(vector), vector)
    if dtype in COMPLEX:
        return
    yield lambda: cp.partition(vector, 5)
    for x, axis in ((vector, None), (matrix, 0), (matrix, 1)):
        yield lambda x=x, axis=axis: cp.median(x, axis)
        yield lambda x=x, axis=axis: cp.percentile(x, 30, axis)
    yield lambda: cp.isin(vector, vector[:5])


def counting(dtype):
    vector, _, _ = operands(dtype)
    large = cp.zeros(300_000, dtype)
    for x in (vector, large):
        yield lambda x=x: cp.histogram(x)
        yield lambda x=x: cp.histogram(x, 100, (0, 10))
        yield lambda x=x: cp.histogram(x, cp.linspace(0, 10, 9))
    yield lambda: cp.digitize(vector, cp.linspace(0, 10, 9))
    yield lambda: cp.histogram2d(vector, vector)
    if dtype in INTEGERS:
        yield lambda: cp.bincount(vector)
        yield lambda: cp.bincount(vector, cp.ones(vector.size))
        yield lambda: cp.bincount(large)


def products(dtype):
    vector, matrix, _ = operands(dtype)
    batch = cp.stack([matrix, matrix])
    yield lambda: vector @ vector
    yield lambda: matrix @ matrix
    yield lambda: matrix @ matrix[0]
    yield lambda: matrix.T @ matrix
    yield lambda: batch @ batch
    yield lambda: cp.tensordot(batch, matrix, 1)
    yield lambda: cp.einsum("ij,jk->ik", matrix, matrix)
    yield lambda: cp.einsum("bij,bij->b", batch, batch)
    yield lambda: cp.outer(vector[:9], vector[:9])
    yield lambda: cp.inner(vector, vector)
    yield lambda: cp.vdot(vector, vector)
    yield lambda: cp.kron(matrix[:2, :2], matrix[:2, :2])
    yield lambda: cp.convolve(vector, vector[:9])
    yield lambda: cp.correlate(vector, vector[:9])


def linear_algebra(dtype):
    _, matrix, _ = operands(dtype)
    matrix = matrix[:32, :32] + 40 * cp.eye(32, dtype=dtype)
    matrix = matrix + matrix.T
    linalg = cp.linalg
    for x in (matrix, cp.stack([matrix, matrix])):
        for name in ("inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "svd", "qr", "pinv", "norm"):
            yield lambda x=x, name=name: getattr(linalg, name)(x)
        yield lambda x=x: linalg.solve(x, x)
    yield lambda: linalg.solve(matrix, matrix[0])
    for right in (matrix, matrix[0]):
        yield lambda right=right: linalg.lstsq(matrix, right, rcond=None)
    yield lambda: linalg.matrix_rank(matrix)
    yield lambda: linalg.matrix_power(matrix, 3)
    yield lambda: linalg.eig(matrix)
    yield lambda: linalg.norm(matrix[0])
    yield lambda: linalg.norm(matrix, axis=1)


def transforms(dtype):
    vector, matrix, _ = operands(dtype)
    for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn") + (() if dtype in COMPLEX else ("rfft", "rfft2", "rfftn")):
        for x in (vector, matrix) if name.endswith("fft") else (matrix,):
            yield lambda name=name, x=x: getattr(cp.fft, name)(x)
    for name in ("irfft", "irfft2", "irfftn") if dtype in COMPLEX else ():
        yield lambda name=name: getattr(cp.fft, name)(matrix)
    yield lambda: cp.fft.fft(matrix, axis=0)
    yield lambda: cp.fft.fftshift(matrix)
    yield lambda: cp.fft.ifftshift(vector)
    yield lambda: cp.fft.fftfreq(10)


def random(dtype):
    generator, legacy = cp.random.default_rng(1), cp.random
    shape = (100, 20)
    if dtype in FLOATS:
        for name in ("random", "standard_normal", "standard_exponential"):
            yield lambda name=name: getattr(generator, name)(shape, dtype=dtype)
        for name in ("rand", "randn"):
            yield lambda name=name: getattr(legacy, name)(100, 20, dtype=dtype)
        yield lambda: legacy.normal(0, 1, shape, dtype=dtype)
        yield lambda: legacy.uniform(0, 1, shape, dtype=dtype)
        yield lambda: legacy.random_sample(shape, dtype=dtype)
    if dtype in INTEGERS:
        yield lambda: generator.integers(0, 10, shape, dtype=dtype)
        yield lambda: legacy.randint(0, 10, shape, dtype=dtype)
    if dtype == "float64":
        for name in ("normal", "uniform", "exponential", "poisson", "gamma"):
            yield lambda name=name: getattr(generator, name)(*((2,) if name == "gamma" else ()), size=shape)
        yield lambda: generator.binomial(10, 0.3, shape)
    vector, _, _ = operands(dtype)
    yield lambda: generator.permutation(vector)
    yield lambda: generator.shuffle(vector.copy())
    yield lambda: legacy.permutation(vector)
    yield lambda: legacy.shuffle(vector.copy())
    yield lambda: generator.choice(vector, 10)
    yield lambda: legacy.choice(vector, 10)


FAMILIES = (
    (elementwise, ("bool",) + NUMBERS),
    (reductions, ("bool",) + NUMBERS),
    (creation, ("bool",) + NUMBERS),
    (manipulation, ("bool", "uint8") + NUMBERS),
    (indexing, ("bool",) + NUMBERS),
    (sorting, NUMBERS),
    (counting, REALS),
    (products, NUMBERS),
    (linear_algebra, FLOATS + COMPLEX),
    (transforms, FLOATS + COMPLEX),
    (random, REALS),
)


def main(names):
    failed = 0
    for family, dtypes in FAMILIES:
        for dtype in dtypes if not names or family.__name__ in names else ():
            for call in family(dtype):
                try:
                    call()
                except Exception as e:
                    failed += 1
                    print(f"{family.__name__} {dtype}: {e}", file=sys.stderr)
            cp.cuda.Device().synchronize()
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
