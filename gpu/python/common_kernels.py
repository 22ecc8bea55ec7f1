#!/usr/bin/env python3
"""Lists the kernels of common calls, so that wheels have them compiled and a first call compiles nothing.

    CUPRUM_DEVICE=sim CUPRUM_KERNEL_LIST=LIST python3 gpu/python/common_kernels.py
    cuprum kernels LIST gpu/python/python/cuprum/kernels/sm_90.bin sm_90

Each call runs once for the dtypes and layouts that programs use most. The functions are those that most CuPy programs call; a kernel
that is not listed is compiled when it is first called, as in a build from source."""

import sys

import cuprum as cp
from cuprum.cupyx.scipy import ndimage, signal, sparse
from cuprum.cupyx.scipy.sparse import linalg as solvers

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


def images(dtype):
    image = (cp.arange(96 * 100) % 11).reshape(96, 100).astype(dtype)
    volume = image[:40, :96].reshape(10, 16, 24)
    for x in (image, image[:20, :20], volume):
        sizes = (3, 5, 21) if x.ndim == 2 else (3,)
        for name in ("gaussian_filter", "gaussian_laplace", "gaussian_gradient_magnitude"):
            yield lambda x=x, name=name: getattr(ndimage, name)(x, 2)
        for name in ("uniform_filter", "maximum_filter", "minimum_filter", "median_filter", "percentile_filter", "grey_erosion", "grey_dilation"):
            arguments = (30,) if name == "percentile_filter" else ()
            for size in sizes:
                yield lambda x=x, name=name, size=size, arguments=arguments: getattr(ndimage, name)(x, *arguments, size=size)
        for name in ("sobel", "prewitt", "laplace"):
            yield lambda x=x, name=name: getattr(ndimage, name)(x)
        for size in sizes[:2]:
            yield lambda x=x, size=size: ndimage.convolve(x, cp.ones((size,) * x.ndim))
        for order in (0, 1, 3):
            yield lambda x=x, order=order: ndimage.zoom(x, 1.5, order=order)
            yield lambda x=x, order=order: ndimage.shift(x, 0.5, order=order)
        yield lambda x=x: ndimage.grey_opening(x, 3)
        yield lambda x=x: ndimage.binary_erosion(x > 3)
        yield lambda x=x: ndimage.binary_dilation(x > 3, iterations=2)
        yield lambda x=x: ndimage.binary_opening(x > 3)
        yield lambda x=x: ndimage.binary_fill_holes(x > 3)
        yield lambda x=x: ndimage.label(x > 3)
        yield lambda x=x: ndimage.distance_transform_edt(x > 3)
    labels, _ = ndimage.label(image > 3)
    index = cp.arange(1, 8)
    for name in ("sum_labels", "mean", "variance", "minimum", "maximum", "center_of_mass", "median"):
        yield lambda name=name: getattr(ndimage, name)(image, labels, index)
    for order in (1, 3):
        yield lambda order=order: ndimage.rotate(image, 30, order=order)
        yield lambda order=order: ndimage.affine_transform(image, cp.eye(2), order=order)
        yield lambda order=order: ndimage.map_coordinates(image, cp.ones((2, 50)), order=order)


def signals(dtype):
    x = cp.sin(cp.arange(10_000, dtype="float64") / 7).astype(dtype)
    b, a = signal.butter(3, 0.2)
    sections = signal.butter(6, 0.2, output="sos")
    yield lambda: signal.lfilter(b, a, x)
    yield lambda: signal.filtfilt(b, a, x)
    yield lambda: signal.sosfilt(sections, x)
    yield lambda: signal.sosfiltfilt(sections, x)
    yield lambda: signal.savgol_filter(x, 11, 3)
    yield lambda: signal.resample_poly(x, 3, 2)
    yield lambda: signal.decimate(x, 4)
    yield lambda: signal.resample(x, 4_000)
    yield lambda: signal.hilbert(x)
    yield lambda: signal.detrend(x)
    yield lambda: signal.find_peaks(x)
    yield lambda: signal.medfilt(x, 5)
    yield lambda: signal.fftconvolve(x, x[:100])
    yield lambda: signal.oaconvolve(x, x[:100])
    yield lambda: signal.convolve2d(x.reshape(100, 100), x[:9].reshape(3, 3))
    for name in ("spectrogram", "welch", "periodogram", "stft"):
        yield lambda name=name: getattr(signal, name)(x)
    yield lambda: signal.istft(signal.stft(x)[2])


def sparse_arrays(dtype):
    n = 500
    diagonals = [cp.full(n, value, dtype) for value in (-1, -1, 4, -1, -1)]
    a = sparse.diags(diagonals, [-20, -1, 0, 1, 20], shape=(n, n), format="csr", dtype=dtype)
    v, wide = cp.ones(n, dtype), cp.ones((n, 16), dtype)
    for target in ("csr", "csc", "coo", "dia"):
        for source in ("csr", "csc", "coo"):
            yield lambda target=target, source=source: a.asformat(source).asformat(target)
    for x in (a, a.tocsc()):
        for operand in (v, wide, x):
            yield lambda x=x, operand=operand: x @ operand
        for axis in (None, 0, 1):
            yield lambda x=x, axis=axis: x.sum(axis)
            yield lambda x=x, axis=axis: x.max(axis)
        yield lambda x=x: x + x
        yield lambda x=x: x.multiply(x)
        yield lambda x=x: x * 2
        yield lambda x=x: x[10:300]
        yield lambda x=x: x[:, 10:300]
        yield lambda x=x: x[cp.arange(0, 300, 3)]
        yield lambda x=x: x[:, cp.arange(0, 300, 3)]
        yield lambda x=x: x.toarray()
        yield lambda x=x: x.diagonal()
        yield lambda x=x: abs(x)
        yield lambda x=x: solvers.norm(x)
    yield lambda: sparse.csr_matrix(wide)
    yield lambda: sparse.coo_matrix((v, (cp.arange(n) % 50, cp.arange(n) % 70))).tocsr()
    yield lambda: sparse.vstack([a, a])
    yield lambda: sparse.hstack([a, a])
    for name in ("cg", "gmres", "bicgstab", "minres"):
        yield lambda name=name: getattr(solvers, name)(a, v)
    yield lambda: solvers.eigsh(a, 4, tol=1e-3)
    yield lambda: solvers.spsolve(a, v)


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
    (images, ("uint8",) + FLOATS),
    (signals, FLOATS),
    (sparse_arrays, FLOATS),
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
