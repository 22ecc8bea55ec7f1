"""Times the rows of `side_by_side` with CuPy and PyTorch; prints one JSON object a line.

    python3 benches/peers.py [cupy|torch] ... [--only PART ...]

With `--only` the rows whose names have one of the parts are timed, and those of the host with the part `call`.

The names of the rows, the sizes, the values and the way of timing are those of benches/src/bin/side_by_side.rs. A
library that is not installed is skipped with a word on standard error.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
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
    """What the two libraries call differently. `timer` gives seconds between two marks on the device."""

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
            except Exception as error:  # a row that a library lacks is a hole in the table, not the end of it
                print("%s, %s: %s" % (self.name, name, str(error).splitlines()[0][:200]), file=sys.stderr)
                continue
            emit(self.name, name, seconds=seconds)
        self.clear()
        for name, prepare in self.host_rows() if not only or "call" in only else ():
            emit(self.name, name, host_ns=self.host_ns(prepare()))


def linear(self, lib, contract):
    """The rows of linear algebra; `contract` is the library's einsum, which chooses the order itself."""

    def kind(name):
        # A dtype that a library lacks is a hole in the table.
        return getattr(lib, name)

    def product(n, name, turned=False):
        def prepare():
            a, b = self.random((n, n), kind(name)), self.random((n, n), kind(name))
            a, b = (a.T, b.T) if turned else (a, b)
            return lambda: lib.matmul(a, b)

        return prepare

    def stacked():
        a, b = self.random((100_000, 64, 64)), self.random((100_000, 64, 64))
        return lambda: lib.matmul(a, b)

    def contraction(text, lengths):
        def prepare():
            sizes = {one[0]: int(one[1:]) for one in lengths.split()}
            operands = [self.random(tuple(sizes[c] for c in one)) for one in text.split("->")[0].split(",")]
            return lambda: contract(text, *operands)

        return prepare

    def solver(f, n, stack=()):
        def prepare():
            a, b = self.random((*stack, n, n)), self.random((*stack, n, 1))
            a = a + lib.eye(n, dtype=a.dtype, **({} if hasattr(lib, "asnumpy") else {"device": "cuda"})) * (9.0 * n)
            return lambda: f(a, b)

        return prepare

    yield "matmul f32 8192", product(8192, "float32")
    yield "matmul f64 4096", product(4096, "float64")
    yield "matmul f64 8192", product(8192, "float64")
    yield "matmul c64 4096", product(4096, "complex64")
    yield "matmul c64 8192", product(8192, "complex64")
    yield "matmul f16 4096", product(4096, "float16")
    yield "matmul f16 8192", product(8192, "float16")
    yield "matmul bf16 4096", product(4096, "bfloat16")
    yield "matmul bf16 8192", product(8192, "bfloat16")
    yield "matmul i8 4096", product(4096, "int8")
    yield "matmul i8 8192", product(8192, "int8")
    yield "matmul i32 4096", product(4096, "int32")
    yield "matmul i32 8192", product(8192, "int32")
    yield "matmul f32 4096, both transposed", product(4096, "float32", True)
    yield "matmul f32, 10^5 of 64", stacked
    yield "einsum attention scores", contraction("bhqd,bhkd->bhqk", "b8 h16 q1024 k1024 d64")
    yield "einsum attention values", contraction("bhqk,bhkd->bhqd", "b8 h16 q1024 k1024 d64")
    yield "einsum bilinear", contraction("bi,oij,bj->bo", "b1024 i256 j256 o64")
    yield "einsum outer products", contraction("bi,bj->bij", "b1024 i256 j256")
    yield "einsum chain", contraction("ij,jk,kl->il", "i1024 j1024 k1024 l1024")
    yield "einsum matrix product state", contraction("ab,bcd,def,fg->aceg", "a64 b64 c16 d64 e16 f64 g64")
    yield "einsum tensors of four", contraction("abcd,cdef->abef", "a32 b32 c32 d32 e32 f32")
    yield "einsum trace of a product", contraction("ij,ji->", "i4096 j4096")
    yield "einsum matrices by vectors", contraction("bij,bj->bi", "b256 i1024 j1024")
    yield "einsum four indices", contraction("ea,fb,abcd,gc,hd->efgh", "a32 b32 c32 d32 e32 f32 g32 h32")
    f = lambda a, b: lib.linalg.svd(a, full_matrices=False)
    yield "svd f32 256", solver(f, 256)
    yield "svd f32 1024", solver(f, 1024)
    yield "svd f32 4096", solver(f, 4096)
    yield "svd f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "svd f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "svd f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.eigh(a)
    yield "eigh f32 256", solver(f, 256)
    yield "eigh f32 1024", solver(f, 1024)
    yield "eigh f32 4096", solver(f, 4096)
    yield "eigh f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "eigh f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "eigh f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.qr(a)
    yield "qr f32 256", solver(f, 256)
    yield "qr f32 1024", solver(f, 1024)
    yield "qr f32 4096", solver(f, 4096)
    yield "qr f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "qr f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "qr f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.cholesky(a)
    yield "cholesky f32 256", solver(f, 256)
    yield "cholesky f32 1024", solver(f, 1024)
    yield "cholesky f32 4096", solver(f, 4096)
    yield "cholesky f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "cholesky f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "cholesky f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.solve(a, b)
    yield "solve f32 256", solver(f, 256)
    yield "solve f32 1024", solver(f, 1024)
    yield "solve f32 4096", solver(f, 4096)
    yield "solve f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "solve f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "solve f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.inv(a)
    yield "inv f32 256", solver(f, 256)
    yield "inv f32 1024", solver(f, 1024)
    yield "inv f32 4096", solver(f, 4096)
    yield "inv f32, 10^4 of 4", solver(f, 4, (10_000,))
    yield "inv f32, 10^4 of 32", solver(f, 32, (10_000,))
    yield "inv f32, 10^4 of 64", solver(f, 64, (10_000,))
    f = lambda a, b: lib.linalg.lstsq(a, b)
    yield "lstsq f32 256", solver(f, 256)
    yield "lstsq f32 1024", solver(f, 1024)
    yield "lstsq f32 4096", solver(f, 4096)


def fourier(self, lib, along, dct):
    """The rows of Fourier transforms; `along` is the library's keyword for an axis, `dct` its cosine transform, if any."""

    def row(call, shape, kind="complex64"):
        def prepare():
            a = self.random(shape, getattr(lib, kind))
            return lambda: call(a)

        return prepare

    fft = lib.fft
    yield "fft c64 2^26", row(fft.fft, (1 << 26,))
    yield "ifft c64 2^26", row(fft.ifft, (1 << 26,))
    yield "fft c64 2^26, orthogonal", row(lambda a: fft.fft(a, norm="ortho"), (1 << 26,))
    yield "fft2 c64 4096", row(fft.fft2, (4096, 4096))
    yield "fftn c64 512", row(fft.fftn, (512, 512, 512))
    yield "fft c64, 2^16 of 2^10", row(fft.fft, (1 << 16, 1 << 10))
    yield "fft c64 along axis 0", row(lambda a: fft.fft(a, **{along: 0}), (1 << 10, 1 << 16))
    yield "fft c64, 10^3 of 65537", row(fft.fft, (1000, 65537))
    yield "rfft f32 2^27", row(fft.rfft, (1 << 27,), "float32")
    yield "irfft f32 2^27", row(fft.irfft, ((1 << 26) + 1,))
    yield "rfft2 f32 8192", row(fft.rfft2, (8192, 8192), "float32")
    if dct is not None:
        yield "dct f32, 2^16 of 2^10", row(dct(), (1 << 16, 1 << 10), "float32")


class Cupy(Library):
    name = "cupy"

    def __init__(self):
        import cupy

        self.cp = cupy

    def synchronize(self):
        self.cp.cuda.Device().synchronize()

    def clear(self):
        self.cp.get_default_memory_pool().free_all_blocks()

    def timer(self, call, repeats):
        start, end = self.cp.cuda.Event(), self.cp.cuda.Event()
        start.record()
        for _ in range(repeats):
            call()
        end.record()
        end.synchronize()
        return self.cp.cuda.get_elapsed_time(start, end) * 1e-3

    def random(self, shape, dtype="float32"):
        cp = self.cp
        return (cp.random.random(shape, dtype=cp.float32) * cp.float32(8) + cp.float32(0.5)).astype(dtype)

    def device_rows(self):
        cp = self.cp

        def two(f, dtype="float32"):
            def prepare():
                n = count(cp.dtype(dtype).itemsize)
                a, b = self.random(n, dtype), self.random(n, dtype)
                return lambda: f(a, b)

            return prepare

        def one(f, dtype="float32"):
            def prepare():
                a = self.random(count(cp.dtype(dtype).itemsize), dtype)
                return lambda: f(a)

            return prepare

        def shaped(f, *shapes):
            def prepare():
                operands = [self.random(shape) for shape in shapes]
                return lambda: f(*operands)

            return prepare

        def raw_copy():
            a = self.random(BYTES // 4)
            b = cp.empty_like(a)
            device_to_device = cp.cuda.runtime.memcpyDeviceToDevice
            stream = cp.cuda.get_current_stream().ptr
            return lambda: cp.cuda.runtime.memcpyAsync(b.data.ptr, a.data.ptr, BYTES, device_to_device, stream)

        yield "copy device to device", raw_copy

        def pinned(upload):
            def prepare():
                import cupyx

                a, host = self.random(BYTES // 4), cupyx.empty_pinned(BYTES // 4, "float32")
                host[:] = 1
                return (lambda: a.set(host)) if upload else (lambda: a.get(out=host))

            return prepare

        yield "upload", pinned(True)
        yield "download", pinned(False)

        def fresh():
            a = self.random(BYTES // 4)
            return lambda: a.get()

        yield "download into new memory", fresh
        yield "add f32", two(cp.add)
        yield "multiply f32", two(cp.multiply)
        yield "divide f32", two(cp.true_divide)
        yield "less f32", two(cp.less)
        yield "maximum f32", two(cp.maximum)
        names = {"f16": "float16", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64",
                 "f64": "float64", "c64": "complex64", "c128": "complex128", "bool": "bool"}
        for short, dtype in names.items():
            yield "add " + short, two(cp.add, dtype)
        yield "astype f32 to f16", one(lambda a: a.astype("float16"))
        yield "astype f32 to f64", one(lambda a: a.astype("float64"))
        yield "astype i32 to f32", one(lambda a: a.astype("float32"), "int32")
        yield "fill f32", lambda: lambda: cp.full(count(4), 3.0, "float32")
        yield "sqrt f32", one(cp.sqrt)
        yield "exp f32", one(cp.exp)
        yield "sin f32", one(cp.sin)
        yield "add a row", shaped(cp.add, SQUARE, (1, SQUARE[1]))
        yield "add a column", shaped(cp.add, SQUARE, (SQUARE[0], 1))
        yield "add a scalar", one(lambda a: a + 2.5)

        def where():
            a, b = self.random(ELEMENTS), self.random(ELEMENTS)
            mask = a < b
            return lambda: cp.where(mask, a, b)

        yield "where", where
        yield "add a transposed operand", shaped(lambda a, b: a + b.T, SQUARE, SQUARE)
        yield "transposed copy 2-D", shaped(lambda a: cp.ascontiguousarray(a.T), SQUARE)
        yield "transposed copy 3-D (2,0,1)", shaped(lambda a: cp.ascontiguousarray(a.transpose(2, 0, 1)), CUBE)
        yield "add strided ::2", two(lambda a, b: a[::2] + b[::2])
        yield "add reversed ::-1", two(lambda a, b: a[::-1] + b)
        yield "add misaligned 1:", two(lambda a, b: a[1:] + b[1:])
        yield "sum f32, all", shaped(cp.sum, SQUARE)
        yield "sum f32, axis 0", shaped(lambda a: a.sum(axis=0), SQUARE)
        yield "sum f32, axis 1", shaped(lambda a: a.sum(axis=1), SQUARE)
        yield "sum f32, axes (0,2)", shaped(lambda a: a.sum(axis=(0, 2)), CUBE)
        yield "max f32, all", shaped(cp.max, SQUARE)
        yield "mean f16, all", one(cp.mean, "float16")
        yield "sum f32, transposed, all", shaped(lambda a: a.T.sum(), SQUARE)
        for name in "f16 i32 i8 f64".split():
            yield "sum %s, all" % name, one(cp.sum, names[name])

        def masked():
            a, b = self.random(SQUARE), self.random(SQUARE)
            mask = a < b
            return lambda: cp.where(mask, a, 0).sum()  # CuPy's sum takes no mask

        yield "sum f32, where, all", masked

        def along(name, dtype, f):
            def prepare(axis):
                n = count(cp.dtype(dtype).itemsize)
                shape = (n // SQUARE[1], SQUARE[1])
                a = cp.zeros(shape, "bool") if dtype == "bool" else self.random(shape, dtype)
                return lambda: f(a, axis)

            for words, axis in (("all", None), ("axis 0", 0), ("axis 1", 1)):
                yield "%s, %s" % (name, words), lambda axis=axis: prepare(axis)

        for name in "mean var std argmax argmin any all".split():
            yield from along(name + " f32", "float32", lambda a, axis, f=getattr(cp, name): f(a, axis=axis))
        yield from along("norm f32", "float32", lambda a, axis: cp.linalg.norm(a, axis=axis))
        for name in ("any", "all"):
            yield from along(name + " bool", "bool", lambda a, axis, f=getattr(cp, name): f(a, axis=axis))
        yield from list(along("sum f16", "float16", lambda a, axis: a.sum(axis=axis)))[1:]
        yield from list(along("sum i8", "int8", lambda a, axis: a.sum(axis=axis)))[1:]
        yield from along("var f16", "float16", lambda a, axis: a.var(axis=axis))
        yield from along("var f64", "float64", lambda a, axis: a.var(axis=axis))
        yield "nansum f32, all", shaped(cp.nansum, SQUARE)
        yield "nanmean f32, all", shaped(cp.nanmean, SQUARE)
        yield "nanvar f32, all", shaped(cp.nanvar, SQUARE)
        yield "sum f32, few columns", shaped(lambda a: a.sum(axis=0), (ELEMENTS // 8, 8))
        for n in SHORT:
            for name in "sum var argmax".split():
                f = getattr(cp, name)
                yield "%s f32, rows of %d" % (name, n), shaped(lambda a, f=f: f(a, axis=1), (SHORT_ROWS, n))

        def close():
            a = self.random(ELEMENTS)
            b = a.copy()
            return lambda: bool(cp.isclose(a, b).all())

        yield "allclose f32", close
        yield "isclose f32", shaped(cp.isclose, (ELEMENTS,), (ELEMENTS,))
        yield "correlate f32, 1000", lambda: (lambda a, v: lambda: cp.correlate(a, v, "same"))(self.random(SEQUENCE), self.random(1000))
        yield "matmul f32 4096", shaped(cp.matmul, (4096, 4096), (4096, 4096))
        yield "cumsum f32, all", shaped(cp.cumsum, SQUARE)
        yield "cumsum f32, axis 0", shaped(lambda a: cp.cumsum(a, axis=0), SQUARE)
        yield "cumsum f32, axis 1", shaped(lambda a: cp.cumsum(a, axis=1), SQUARE)
        yield "cumsum i32, all", one(cp.cumsum, "int32")
        yield "cumsum f16, all", one(cp.cumsum, "float16")
        yield "diff f32", one(cp.diff)
        yield "concatenate of 2", shaped(lambda a, b: cp.concatenate((a, b)), (ELEMENTS // 2,), (ELEMENTS // 2,))
        half = (SQUARE[0], SQUARE[1] // 2)
        yield "concatenate of 2, columns", shaped(lambda a, b: cp.concatenate((a, b), 1), half, half)

        def thousand():
            parts = cp.split(self.random(ELEMENTS // 1000 * 1000), 1000)
            return lambda: cp.concatenate(parts)

        yield "concatenate of 1000", thousand
        yield "stack of 2, last axis", shaped(lambda a, b: cp.stack((a, b), -1), (ELEMENTS // 2,), (ELEMENTS // 2,))
        yield "tile 2 x 2", shaped(lambda a: cp.tile(a, (2, 2)), SQUARE)
        yield "repeat 3", shaped(lambda a: cp.repeat(a, 3), SQUARE)
        yield "roll, flat", shaped(lambda a: cp.roll(a, 12345), SQUARE)
        yield "roll, both axes", shaped(lambda a: cp.roll(a, (7, 11), (0, 1)), SQUARE)
        yield "flip, copied", shaped(lambda a: cp.flip(a).copy(), SQUARE)
        yield "rot90, copied", shaped(lambda a: cp.rot90(a).copy(), SQUARE)
        yield "pad constant", shaped(lambda a: cp.pad(a, 3), SQUARE)
        yield "pad edge", shaped(lambda a: cp.pad(a, 3, "edge"), SQUARE)
        yield "pad reflect", shaped(lambda a: cp.pad(a, 3, "reflect"), SQUARE)


        quarter = ELEMENTS // 4

        def halves():
            a = self.random(quarter)
            return a, a > 4.5

        def bins():
            return (self.random(quarter) * 128).astype("int32") % 1024

        def small():
            return self.random(SQUARE, "int8") % 3

        def made(make, f):
            def prepare():
                operands = make()
                operands = operands if isinstance(operands, tuple) else (operands,)
                return lambda: f(*operands)

            return prepare

        def sorted_values():
            return self.random(quarter // 4), cp.arange(quarter // 64, dtype="float32") / (quarter // 64 / 9)

        def knots():
            xp = cp.arange(10_000) / 1000
            return self.random(quarter).astype("float64"), xp, cp.sin(xp)

        flat = lambda: self.random(4 * quarter)
        yield "clip f32", made(flat, lambda a: cp.clip(a, 2.0, 7.0))
        yield "round f32, 2 decimals", made(flat, lambda a: cp.round(a, 2))
        yield "nan_to_num f32", made(flat, cp.nan_to_num)
        yield "interp f64, 10^4 knots", made(knots, cp.interp)
        four = lambda: (cp.array([0.5, -1.0, 2.0, 3.0], "float32"), flat())
        yield "polyval f32, 4 coefficients", made(four, cp.polyval)
        yield "packbits bool", made(lambda: flat() > 4.5, cp.packbits)
        yield "unpackbits", made(lambda: cp.packbits(flat() > 4.5), cp.unpackbits)

        # Chains in one scope; `cupy.fuse` where it takes what they do.
        parts = lambda dtype, count, share: lambda: tuple(self.random(4 * quarter // share, dtype) for _ in range(count))
        squares = lambda: (self.random(SQUARE), self.random(SQUARE))
        softplus = cp.fuse(lambda x: cp.log1p(cp.exp(-cp.abs(x))) + cp.maximum(x, 0))
        products = cp.fuse(lambda a, b, c, d: a * b + c * d - a)

        def black_scholes(spot, strike, years):
            erf = __import__("cupyx.scipy.special", fromlist=["erf"]).erf
            strike, years = strike + 1, years + cp.float32(0.1)
            spread = cp.sqrt(years) * cp.float32(0.3)
            d1 = (cp.log((spot + 1) / strike) + years * cp.float32(0.065)) / spread
            normal = lambda d: (erf(d * cp.float32(0.70710677)) + 1) * cp.float32(0.5)
            return spot * normal(d1) - strike * cp.exp(years * cp.float32(-0.02)) * normal(d1 - spread)

        def mandelbrot(z, c):
            w = z * z + c
            return cp.where(cp.abs(w) < 2, w, z)

        def softmax(a):
            e = cp.exp(a - a.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)

        yield "fused softplus f32", made(parts("float32", 1, 1), softplus)
        yield "fused softplus f16", made(parts("float16", 1, 1), softplus)
        yield "fused a*b + c*d - a f32", made(parts("float32", 4, 2), products)
        yield "fused a*b + c*d - a c64", made(parts("complex64", 4, 4), products)
        yield "fused sqrt(x*x + y*y) f32", made(parts("float32", 2, 1), cp.fuse(lambda x, y: cp.sqrt(x * x + y * y)))
        yield "fused Black-Scholes f32", made(parts("float32", 3, 2), black_scholes)
        yield "fused Mandelbrot step c64", made(parts("complex64", 2, 4), mandelbrot)
        quantized = lambda a: cp.clip(cp.rint(a * cp.float32(3)) + 4, -128, 127).astype("int8")
        yield "fused rint(a*s) + z, clipped to i8", made(parts("float32", 1, 1), quantized)
        yield "fused sum((a-b)**2) f32", made(squares, lambda a, b: ((a - b) ** 2).sum())
        yield "fused mean(abs(a-b)) f32 by columns", made(squares, lambda a, b: cp.abs(a - b).mean(axis=0))
        yield "fused softmax of rows f32", made(lambda: self.random(SQUARE), softmax)
        long_rows = lambda length: lambda: self.random(4 * quarter).reshape(-1, length)

        def layer_norm(a):
            return (a - a.mean(axis=1, keepdims=True)) / cp.sqrt(a.var(axis=1, keepdims=True) + cp.float32(1e-5))

        def nearest(x, centres):
            return ((x[:, None] - centres) ** 2).sum(axis=-1).argmin(axis=1)

        def points():
            x = long_rows(16)()
            return x, x[:16].copy()

        yield "fused softmax of rows of 4,096 f32", made(long_rows(4096), softmax)
        yield "fused layer norm of rows of 4,096 f32", made(long_rows(4096), layer_norm)
        yield "fused sum(where(m, a, 0)) by rows f32", made(squares, lambda a, b: cp.where(b > 4.5, a, cp.float32(0)).sum(axis=1))
        yield "fused sum((a-b)**2) f16", made(parts("float16", 2, 1), lambda a, b: ((a - b) ** 2).sum())
        yield "fused argmin of distances f32, 16 centres", made(points, nearest)
        yield "fused a + uniform f32", made(
            parts("float32", 1, 1), lambda x: x + cp.random.random(x.shape, dtype=cp.float32) * 0.2 - 0.1
        )
        yield "fused a*b + a, b transposed f32", made(squares, lambda a, b: a * b.T + a)
        yield "nonzero of bool", made(halves, lambda a, m: cp.nonzero(m))
        yield "nonzero of f32", made(lambda: (lambda a, m: a * m)(*halves()), cp.nonzero)
        yield "a[mask] f32", made(halves, lambda a, m: a[m])
        yield "histogram f32, 256 bins", made(halves, lambda a, m: cp.histogram(a, 256))
        yield "bincount i32, 1024 bins", made(bins, cp.bincount)
        yield "bincount i32, weights f32", made(lambda: (bins(), self.random(quarter)), cp.bincount)
        sums = lambda: (cp.zeros(1024, "float32"), bins(), self.random(quarter))
        yield "add.at f32, 1024 places", made(sums, cp.add.at)
        yield "searchsorted f32", made(sorted_values, lambda v, s: cp.searchsorted(s, v))
        yield "count_nonzero i8, all", made(small, cp.count_nonzero)
        yield "count_nonzero i8, axis 0", made(small, lambda a: cp.count_nonzero(a, axis=0))
        yield "count_nonzero i8, axis 1", made(small, lambda a: cp.count_nonzero(a, axis=1))
        yield "count_nonzero f32, all", shaped(cp.count_nonzero, SQUARE)
        def indices(n=quarter, most=quarter, dtype="int64"):
            return cp.random.randint(0, most, n).astype(dtype)

        def masked():
            a, m = self.random(quarter), self.random(quarter) > 4.5
            return a, m, self.random(int(m.sum()))

        side = (quarter // SQUARE[1], SQUARE[1])
        yield "take f32, random i64", made(lambda: (self.random(quarter), indices()), cp.take)
        yield "take f32, random i32", made(lambda: (self.random(quarter), indices(dtype="int32")), cp.take)
        yield "a[i] f32", made(lambda: (self.random(quarter), indices()), lambda a, i: a[i])
        pair = lambda: (self.random(side), indices(most=side[0]), indices(most=side[1]))
        yield "a[i, j] f32", made(pair, lambda a, i, j: a[i, j])
        rows = lambda: (self.random((quarter // 256, 256)), indices(1 << 16, quarter // 256))
        yield "rows of 1 KiB at i", made(rows, lambda a, i: a[i])
        stored = lambda: (self.random(quarter), indices(), self.random(quarter))
        yield "a[i] = b f32", made(stored, lambda a, i, b: a.__setitem__(i, b))
        yield "a[i] = b f32, unique", made(stored, lambda a, i, b: a.__setitem__(i, b))
        yield "put f32", made(stored, lambda a, i, b: cp.put(a, i, b))
        yield "a[mask] = b f32", made(masked, lambda a, m, b: a.__setitem__(m, b))
        yield "a[mask] = 0 f32", made(masked, lambda a, m, b: a.__setitem__(m, 0))
        yield "putmask f32", made(masked, lambda a, m, b: cp.putmask(a, m, a))
        lines = lambda: (self.random(side), indices(side, side[1]))
        yield "take_along_axis f32", made(lines, lambda a, i: cp.take_along_axis(a, i, 1))

        def integers(f, limit):
            def prepare():
                low, high = (0, limit) if limit else (-(1 << 62), 1 << 62)
                a = cp.random.randint(low, high, SORTED, dtype="int64")
                return lambda: f(a)

            return prepare

        yield "sort f32, 2^26", shaped(cp.sort, SORTED)
        yield "sort i64, 2^26", integers(cp.sort, 0)
        yield "argsort f32, 2^26", shaped(cp.argsort, SORTED)
        yield "sort f32 square, rows", shaped(lambda a: cp.sort(a, 1), SIDES)
        yield "sort f32 square, columns", shaped(lambda a: cp.sort(a, 0), SIDES)
        yield "median f32 square, rows", shaped(lambda a: cp.median(a, 1), SIDES)
        yield "median f32 square, columns", shaped(lambda a: cp.median(a, 0), SIDES)
        yield "unique i64, 2^26 of 10^6", integers(cp.unique, 1000000)
        yield "percentile f32, 2^28", shaped(lambda a: cp.percentile(a, 37.0), ELEMENTS)
        side = min(SQUARE)
        rng = cp.random.default_rng(1)
        drawn = lambda draw, part=1: lambda: lambda: draw(ELEMENTS // part)
        yield "uniform f32", drawn(lambda n: rng.random(n, dtype="float32"))
        yield "uniform f64", drawn(lambda n: rng.random(n))
        yield "normal f32", drawn(lambda n: rng.standard_normal(n, dtype="float32"))
        yield "normal f64", drawn(lambda n: rng.standard_normal(n))
        yield "exponential f32", drawn(lambda n: rng.standard_exponential(n, dtype="float32"))
        yield "integers i32 below 1000", drawn(lambda n: rng.integers(0, 1000, n, dtype="int32"))
        yield "integers i64 below 10^12", drawn(lambda n: cp.random.randint(0, 10**12, n))
        yield "bernoulli", drawn(lambda n: rng.random(n, dtype="float32") < 0.3)
        yield "gamma f64, 2.5", drawn(lambda n: rng.standard_gamma(2.5, n), 8)
        yield "beta f64", drawn(lambda n: rng.beta(2.0, 3.0, n), 8)
        yield "poisson of 5", drawn(lambda n: rng.poisson(5.0, n), 8)
        yield "poisson of 500", drawn(lambda n: rng.poisson(500.0, n), 8)
        yield "binomial of 100", drawn(lambda n: rng.binomial(100, 0.4, n), 8)
        yield "permutation", drawn(cp.random.permutation, 4)
        yield "choice without replacement", drawn(lambda n: cp.random.choice(n, n // 4, replace=False), 4)
        yield "linspace f64", lambda: lambda: cp.linspace(0, 1, ELEMENTS // 2)
        yield "triu f32", shaped(cp.triu, SQUARE)
        yield "diag f32", shaped(cp.diag, (side,))
        yield "eye f32", lambda: lambda: cp.eye(side, dtype="float32")
        yield "meshgrid f32", shaped(lambda x: cp.meshgrid(x, x), (side,))

        def choices():
            n = ELEMENTS // 8
            return self.random(n, "int8") % 4, [self.random(n) for _ in range(4)]

        yield "choose f32, 4 arrays", made(choices, lambda i, all: cp.choose(i, all, mode="wrap"))
        yield from linear(self, cp, lambda text, *operands: cp.einsum(text, *operands, optimize="greedy"))

        def cosines():
            from cupyx.scipy.fft import dct

            return dct

        yield from fourier(self, cp, "axis", cosines)

    def host_rows(self):
        cp = self.cp

        def ten():
            return self.random(10), self.random(10), cp.empty(10, "float32")

        def prepared(make):
            return lambda: make(*ten())

        long = lambda: self.random(20)
        yield "call add", prepared(lambda a, b, o: lambda: cp.add(a, b))
        yield "call add, out", prepared(lambda a, b, o: lambda: cp.add(a, b, o))
        yield "call add a scalar", prepared(lambda a, b, o: lambda: cp.add(a, 2.5))
        square = cp.ones((10, 10), "float32")
        yield "call matmul", lambda: lambda: cp.matmul(square, square)

        def strided():
            a, b = long()[::2], long()[::2]
            return lambda: cp.add(a, b)

        yield "call add, strided pair", strided
        yield "call slice view", prepared(lambda a, b, o: lambda: a[2:7])
        yield "call empty", lambda: lambda: cp.empty(10, "float32")
        stream, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()

        def switch():
            with stream:
                pass

        def chain():
            x = self.random(10)
            with stream:
                stream.begin_capture()
                for _ in range(20):
                    x = x + 1.0
                return stream.end_capture()

        yield "call memory taken and given back", lambda: lambda: cp.cuda.alloc(40)
        yield "call stream switched twice", lambda: switch
        yield "call event recorded", lambda: lambda: event.record()
        yield "call event asked", lambda: lambda: event.done
        yield "call graph of 20 nodes", lambda: chain().launch
        yield "call concatenate of 2", prepared(lambda a, b, o: lambda: cp.concatenate((a, b)))
        yield "call sum", prepared(lambda a, b, o: lambda: a.sum())
        places = cp.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
        yield "call a[i]", prepared(lambda a, b, o: lambda: a[places])
        yield "call a[mask] = 0", prepared(lambda a, b, o: lambda m=a > 4.5: o.__setitem__(m, 0))
        yield "call uniform", lambda: lambda rng=cp.random.default_rng(1): rng.uniform(-1.0, 1.0, 10)
        yield "call normal", lambda: lambda rng=cp.random.default_rng(1): rng.standard_normal(10, dtype="float32")
        yield "call integers", lambda: lambda rng=cp.random.default_rng(1): rng.integers(0, 10, 10)
        yield "call default_rng", lambda: lambda: cp.random.default_rng(1)
        yield "call default_rng, its first number", lambda: lambda: cp.random.default_rng(1).random(10, dtype="float32")


class Torch(Library):
    name = "torch"

    def __init__(self):
        import torch

        self.torch = torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU")

    def synchronize(self):
        self.torch.cuda.synchronize()

    def clear(self):
        self.torch.cuda.empty_cache()

    def timer(self, call, repeats):
        torch = self.torch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(repeats):
            call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3

    def random(self, shape, dtype=None):
        torch = self.torch
        made = torch.rand(shape, device="cuda") * 8 + 0.5
        return made.to(dtype) if dtype else made

    def device_rows(self):
        torch = self.torch

        def two(f, dtype=torch.float32):
            def prepare():
                n = count(torch.empty(0, dtype=dtype).element_size())
                a, b = self.random(n, dtype), self.random(n, dtype)
                return lambda: f(a, b)

            return prepare

        def one(f, dtype=torch.float32):
            def prepare():
                a = self.random(count(torch.empty(0, dtype=dtype).element_size()), dtype)
                return lambda: f(a)

            return prepare

        def shaped(f, *shapes):
            def prepare():
                operands = [self.random(shape) for shape in shapes]
                return lambda: f(*operands)

            return prepare

        def pinned(upload):
            def prepare():
                a, host = self.random(BYTES // 4), torch.ones(BYTES // 4).pin_memory()
                if upload:
                    return lambda: a.copy_(host, non_blocking=True)
                return lambda: host.copy_(a, non_blocking=True)

            return prepare

        yield "upload", pinned(True)
        yield "download", pinned(False)
        yield "add f32", two(torch.add)
        yield "multiply f32", two(torch.mul)
        yield "divide f32", two(torch.div)
        yield "less f32", two(torch.lt)
        yield "maximum f32", two(torch.maximum)
        names = {"f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8, "u8": torch.uint8,
                 "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "f64": torch.float64,
                 "c64": torch.complex64, "c128": torch.complex128, "bool": torch.bool}
        for short, dtype in names.items():
            yield "add " + short, two(torch.add, dtype)
        yield "astype f32 to f16", one(lambda a: a.to(torch.float16))
        yield "astype f32 to f64", one(lambda a: a.to(torch.float64))
        yield "astype i32 to f32", one(lambda a: a.to(torch.float32), torch.int32)
        yield "fill f32", lambda: lambda: torch.full((count(4),), 3.0, device="cuda")
        yield "sqrt f32", one(torch.sqrt)
        yield "exp f32", one(torch.exp)
        yield "sin f32", one(torch.sin)
        yield "add a row", shaped(torch.add, SQUARE, (1, SQUARE[1]))
        yield "add a column", shaped(torch.add, SQUARE, (SQUARE[0], 1))
        yield "add a scalar", one(lambda a: a + 2.5)

        def where():
            a, b = self.random(ELEMENTS), self.random(ELEMENTS)
            mask = a < b
            return lambda: torch.where(mask, a, b)

        yield "where", where
        yield "add a transposed operand", shaped(lambda a, b: a + b.T, SQUARE, SQUARE)
        yield "transposed copy 2-D", shaped(lambda a: a.T.contiguous(), SQUARE)
        yield "transposed copy 3-D (2,0,1)", shaped(lambda a: a.permute(2, 0, 1).contiguous(), CUBE)
        yield "add strided ::2", two(lambda a, b: a[::2] + b[::2])
        yield "add misaligned 1:", two(lambda a, b: a[1:] + b[1:])
        yield "sum f32, all", shaped(torch.sum, SQUARE)
        yield "sum f32, axis 0", shaped(lambda a: a.sum(0), SQUARE)
        yield "sum f32, axis 1", shaped(lambda a: a.sum(1), SQUARE)
        yield "sum f32, axes (0,2)", shaped(lambda a: a.sum((0, 2)), CUBE)
        yield "max f32, all", shaped(torch.max, SQUARE)
        yield "mean f16, all", one(torch.mean, torch.float16)
        yield "sum f32, transposed, all", shaped(lambda a: a.T.sum(), SQUARE)
        for name in "f16 i32 i8 f64".split():
            yield "sum %s, all" % name, one(torch.sum, names[name])

        def masked():
            a, b = self.random(SQUARE), self.random(SQUARE)
            mask = a < b
            return lambda: torch.where(mask, a, 0).sum()

        yield "sum f32, where, all", masked

        def along(name, dtype, f):
            def prepare(axis):
                n = count(torch.empty(0, dtype=dtype).element_size())
                shape = (n // SQUARE[1], SQUARE[1])
                a = torch.zeros(shape, dtype=dtype, device="cuda") if dtype == torch.bool else self.random(shape, dtype)
                return lambda: f(a, axis)

            for words, axis in (("all", None), ("axis 0", 0), ("axis 1", 1)):
                yield "%s, %s" % (name, words), lambda axis=axis: prepare(axis)

        def of(f, **told):
            return lambda a, axis: f(a, **told) if axis is None else f(a, dim=axis, **told)

        single = torch.float32
        yield from along("mean f32", single, of(torch.mean))
        yield from along("var f32", single, of(torch.var, correction=0))
        yield from along("std f32", single, of(torch.std, correction=0))
        yield from along("norm f32", single, of(torch.linalg.vector_norm))
        yield from along("argmax f32", single, of(torch.argmax))
        yield from along("argmin f32", single, of(torch.argmin))
        yield from along("any f32", single, of(torch.any))
        yield from along("all f32", single, of(torch.all))
        yield from along("any bool", torch.bool, of(torch.any))
        yield from along("all bool", torch.bool, of(torch.all))
        yield from list(along("sum f16", torch.float16, of(torch.sum)))[1:]
        yield from list(along("sum i8", torch.int8, of(torch.sum)))[1:]
        yield from along("var f16", torch.float16, of(torch.var, correction=0))
        yield from along("var f64", torch.float64, of(torch.var, correction=0))
        yield "nansum f32, all", shaped(torch.nansum, SQUARE)
        yield "nanmean f32, all", shaped(torch.nanmean, SQUARE)
        yield "sum f32, few columns", shaped(lambda a: a.sum(0), (ELEMENTS // 8, 8))
        for n in SHORT:
            yield "sum f32, rows of %d" % n, shaped(lambda a: a.sum(1), (SHORT_ROWS, n))
            yield "var f32, rows of %d" % n, shaped(lambda a: a.var(1, correction=0), (SHORT_ROWS, n))
            yield "argmax f32, rows of %d" % n, shaped(lambda a: a.argmax(1), (SHORT_ROWS, n))

        def close():
            a = self.random(ELEMENTS)
            b = a.clone()
            return lambda: torch.allclose(a, b)

        yield "allclose f32", close
        yield "isclose f32", shaped(torch.isclose, (ELEMENTS,), (ELEMENTS,))
        yield "matmul f32 4096", shaped(torch.matmul, (4096, 4096), (4096, 4096))
        yield "cumsum f32, all", shaped(lambda a: a.view(-1).cumsum(0), SQUARE)
        yield "cumsum f32, axis 0", shaped(lambda a: a.cumsum(0), SQUARE)
        yield "cumsum f32, axis 1", shaped(lambda a: a.cumsum(1), SQUARE)
        yield "cumsum i32, all", one(lambda a: a.cumsum(0), torch.int32)
        yield "cumsum f16, all", one(lambda a: a.cumsum(0), torch.float16)
        yield "diff f32", one(torch.diff)

        yield "concatenate of 2", shaped(lambda a, b: torch.cat((a, b)), (ELEMENTS // 2,), (ELEMENTS // 2,))
        half = (SQUARE[0], SQUARE[1] // 2)
        yield "concatenate of 2, columns", shaped(lambda a, b: torch.cat((a, b), 1), half, half)

        def thousand():
            parts = torch.split(self.random((ELEMENTS // 1000 * 1000,)), ELEMENTS // 1000)
            return lambda: torch.cat(parts)

        yield "concatenate of 1000", thousand
        yield "stack of 2, last axis", shaped(lambda a, b: torch.stack((a, b), -1), (ELEMENTS // 2,), (ELEMENTS // 2,))
        yield "tile 2 x 2", shaped(lambda a: torch.tile(a, (2, 2)), SQUARE)
        yield "repeat 3", shaped(lambda a: torch.repeat_interleave(a, 3), SQUARE)

        def counted():
            a, counts = self.random((ELEMENTS // 4,)), torch.arange(ELEMENTS // 4, device="cuda") % 4
            return lambda: torch.repeat_interleave(a, counts)

        yield "repeat by an array", counted
        yield "roll, flat", shaped(lambda a: torch.roll(a, 12345), SQUARE)
        yield "roll, both axes", shaped(lambda a: torch.roll(a, (7, 11), (0, 1)), SQUARE)
        yield "flip, copied", shaped(lambda a: torch.flip(a, (0, 1)), SQUARE)
        yield "rot90, copied", shaped(lambda a: torch.rot90(a).contiguous(), SQUARE)
        pad = torch.nn.functional.pad
        yield "pad constant", shaped(lambda a: pad(a, (3, 3, 3, 3)), SQUARE)
        yield "pad edge", shaped(lambda a: pad(a[None], (3, 3, 3, 3), "replicate"), SQUARE)
        yield "pad reflect", shaped(lambda a: pad(a[None], (3, 3, 3, 3), "reflect"), SQUARE)

        quarter = ELEMENTS // 4

        def halves():
            a = self.random(quarter)
            return a, a > 4.5

        def bins():
            return (self.random(quarter) * 128).to(torch.int32) % 1024

        def small():
            return self.random(SQUARE, torch.int8) % 3

        def made(make, f):
            def prepare():
                operands = make()
                operands = operands if isinstance(operands, tuple) else (operands,)
                return lambda: f(*operands)

            return prepare

        def sorted_values():
            return self.random(quarter // 4), torch.arange(quarter // 64, dtype=torch.float32, device="cuda") / (quarter // 64 / 9)

        flat = lambda: self.random(4 * quarter)
        yield "clip f32", made(flat, lambda a: torch.clamp(a, 2.0, 7.0))
        yield "round f32, 2 decimals", made(flat, lambda a: torch.round(a, decimals=2))
        yield "nan_to_num f32", made(flat, torch.nan_to_num)

        # Chains, compiled.
        parts = lambda dtype, count, share: lambda: tuple(self.random(4 * quarter // share, dtype) for _ in range(count))
        squares = lambda: (self.random(SQUARE), self.random(SQUARE))

        def black_scholes(spot, strike, years):
            strike, years = strike + 1, years + 0.1
            spread = torch.sqrt(years) * 0.3
            d1 = (torch.log((spot + 1) / strike) + years * 0.065) / spread
            normal = lambda d: (torch.erf(d * 0.70710677) + 1) * 0.5
            return spot * normal(d1) - strike * torch.exp(years * -0.02) * normal(d1 - spread)

        def mandelbrot(z, c):
            w = z * z + c
            return torch.where(torch.abs(w) < 2, w, z)

        def compiled(make, f):
            return made(make, torch.compile(f, dynamic=False))

        softplus = lambda x: torch.log1p(torch.exp(-torch.abs(x))) + torch.clamp(x, min=0)
        products = lambda a, b, c, d: a * b + c * d - a
        half, wide = torch.float16, torch.complex64
        yield "fused softplus f32", compiled(parts(single, 1, 1), softplus)
        yield "fused softplus f16", compiled(parts(half, 1, 1), softplus)
        yield "fused a*b + c*d - a f32", compiled(parts(single, 4, 2), products)
        yield "fused a*b + c*d - a c64", compiled(parts(wide, 4, 4), products)
        yield "fused sqrt(x*x + y*y) f32", compiled(parts(single, 2, 1), lambda x, y: torch.sqrt(x * x + y * y))
        yield "fused Black-Scholes f32", compiled(parts(single, 3, 2), black_scholes)
        yield "fused Mandelbrot step c64", compiled(parts(wide, 2, 4), mandelbrot)
        quantized = lambda a: torch.clamp(torch.round(a * 3) + 4, -128, 127).to(torch.int8)
        yield "fused rint(a*s) + z, clipped to i8", compiled(parts(single, 1, 1), quantized)
        yield "fused sum((a-b)**2) f32", compiled(squares, lambda a, b: ((a - b) ** 2).sum())
        yield "fused mean(abs(a-b)) f32 by columns", compiled(squares, lambda a, b: torch.abs(a - b).mean(dim=0))
        yield "fused softmax of rows f32", compiled(lambda: self.random(SQUARE), lambda a: torch.softmax(a, 1))
        long_rows = lambda length: lambda: self.random(4 * quarter).reshape(-1, length)

        def layer_norm(a):
            return (a - a.mean(1, keepdim=True)) / torch.sqrt(a.var(1, keepdim=True, correction=0) + 1e-5)

        def nearest(x, centres):
            return ((x[:, None] - centres) ** 2).sum(-1).argmin(1)

        def points():
            x = long_rows(16)()
            return x, x[:16].clone()

        yield "fused softmax of rows of 4,096 f32", compiled(long_rows(4096), lambda a: torch.softmax(a, 1))
        yield "fused layer norm of rows of 4,096 f32", compiled(long_rows(4096), layer_norm)
        yield "fused sum(where(m, a, 0)) by rows f32", compiled(squares, lambda a, b: torch.where(b > 4.5, a, 0).sum(1))
        yield "fused sum((a-b)**2) f16", compiled(parts(half, 2, 1), lambda a, b: ((a - b) ** 2).sum())
        yield "fused argmin of distances f32, 16 centres", compiled(points, nearest)
        yield "fused a*b + a, b transposed f32", compiled(squares, lambda a, b: a * b.T + a)
        yield "nonzero of bool", made(halves, lambda a, m: torch.nonzero(m, as_tuple=True))
        yield "nonzero of f32", made(lambda: (lambda a, m: a * m)(*halves()), lambda a: torch.nonzero(a, as_tuple=True))
        yield "a[mask] f32", made(halves, lambda a, m: a[m])
        yield "histogram f32, 256 bins", made(halves, lambda a, m: torch.histc(a, 256))
        yield "bincount i32, 1024 bins", made(bins, torch.bincount)
        yield "bincount i32, weights f32", made(lambda: (bins(), self.random(quarter)), torch.bincount)
        sums = lambda: (torch.zeros(1024, device="cuda"), bins(), self.random(quarter))
        yield "add.at f32, 1024 places", made(sums, lambda out, x, w: out.index_add_(0, x, w))
        yield "searchsorted f32", made(sorted_values, lambda v, s: torch.searchsorted(s, v))
        yield "count_nonzero i8, all", made(small, torch.count_nonzero)
        yield "count_nonzero i8, axis 0", made(small, lambda a: torch.count_nonzero(a, 0))
        yield "count_nonzero i8, axis 1", made(small, lambda a: torch.count_nonzero(a, 1))
        yield "count_nonzero f32, all", shaped(torch.count_nonzero, SQUARE)
        def indices(n=quarter, most=quarter, dtype=torch.int64):
            return torch.randint(0, most, n if isinstance(n, tuple) else (n,), dtype=dtype, device="cuda")

        def masked():
            a, m = self.random(quarter), self.random(quarter) > 4.5
            return a, m, self.random(int(m.sum()))

        side = (quarter // SQUARE[1], SQUARE[1])
        yield "take f32, random i64", made(lambda: (self.random(quarter), indices()), torch.take)
        yield "take f32, random i32", made(lambda: (self.random(quarter), indices(dtype=torch.int32)), lambda a, i: a[i])
        yield "a[i] f32", made(lambda: (self.random(quarter), indices()), lambda a, i: a[i])
        pair = lambda: (self.random(side), indices(most=side[0]), indices(most=side[1]))
        yield "a[i, j] f32", made(pair, lambda a, i, j: a[i, j])
        rows = lambda: (self.random((quarter // 256, 256)), indices(1 << 16, quarter // 256))
        yield "rows of 1 KiB at i", made(rows, lambda a, i: a[i])
        stored = lambda: (self.random(quarter), indices(), self.random(quarter))
        yield "a[i] = b f32", made(stored, lambda a, i, b: a.__setitem__(i, b))
        yield "a[i] = b f32, unique", made(stored, lambda a, i, b: a.__setitem__(i, b))
        yield "put f32", made(stored, lambda a, i, b: a.put_(i, b))
        yield "a[mask] = b f32", made(masked, lambda a, m, b: a.__setitem__(m, b))
        yield "a[mask] = 0 f32", made(masked, lambda a, m, b: a.masked_fill_(m, 0))
        yield "putmask f32", made(masked, lambda a, m, b: torch.where(m, a, a, out=a))
        lines = lambda: (self.random(side), indices(side, side[1]))
        yield "take_along_axis f32", made(lines, lambda a, i: torch.take_along_dim(a, i, 1))

        def integers(f, limit):
            def prepare():
                low, high = (0, limit) if limit else (-(1 << 62), 1 << 62)
                a = torch.randint(low, high, (SORTED,), device="cuda")
                return lambda: f(a)

            return prepare

        yield "sort f32, 2^26", shaped(lambda a: torch.sort(a)[0], SORTED)
        yield "sort i64, 2^26", integers(lambda a: torch.sort(a)[0], 0)
        yield "argsort f32, 2^26", shaped(torch.argsort, SORTED)
        yield "sort f32 square, rows", shaped(lambda a: torch.sort(a, 1)[0], SIDES)
        yield "sort f32 square, columns", shaped(lambda a: torch.sort(a, 0)[0], SIDES)
        yield "median f32 square, rows", shaped(lambda a: torch.median(a, 1)[0], SIDES)
        yield "median f32 square, columns", shaped(lambda a: torch.median(a, 0)[0], SIDES)
        yield "unique i64, 2^26 of 10^6", integers(torch.unique, 1000000)
        yield "percentile f32, 2^28", shaped(lambda a: torch.kthvalue(a, int(0.37 * (ELEMENTS - 1)) + 1)[0], ELEMENTS)
        device = {"device": "cuda"}
        drawn = lambda draw, part=1: lambda: lambda: draw(ELEMENTS // part)
        filled = lambda n, value: torch.full((n,), value, **device)
        yield "uniform f32", drawn(lambda n: torch.rand(n, **device))
        yield "uniform f64", drawn(lambda n: torch.rand(n, dtype=torch.float64, **device))
        yield "normal f32", drawn(lambda n: torch.randn(n, **device))
        yield "normal f64", drawn(lambda n: torch.randn(n, dtype=torch.float64, **device))
        yield "exponential f32", drawn(lambda n: torch.empty(n, **device).exponential_())
        yield "integers i32 below 1000", drawn(lambda n: torch.randint(0, 1000, (n,), dtype=torch.int32, **device))
        yield "integers i64 below 10^12", drawn(lambda n: torch.randint(0, 10**12, (n,), **device))
        yield "bernoulli", drawn(lambda n: torch.empty(n, dtype=torch.bool, **device).bernoulli_(0.3))
        yield "poisson of 5", drawn(lambda n: torch.poisson(filled(n, 5.0)), 8)
        yield "poisson of 500", drawn(lambda n: torch.poisson(filled(n, 500.0)), 8)
        yield "permutation", drawn(lambda n: torch.randperm(n, **device), 4)
        yield from linear(self, torch, torch.einsum)
        yield from fourier(self, torch, "dim", None)

    def host_rows(self):
        torch = self.torch
        a, b, out = self.random(10), self.random(10), torch.empty(10, device="cuda")
        c, d = self.random(20)[::2], self.random(20)[::2]
        yield "call add", lambda: lambda: torch.add(a, b)
        yield "call add, out", lambda: lambda: torch.add(a, b, out=out)
        yield "call add a scalar", lambda: lambda: torch.add(a, 2.5)
        yield "call add, strided pair", lambda: lambda: torch.add(c, d)
        square = torch.ones((10, 10), device="cuda")
        yield "call matmul", lambda: lambda: torch.matmul(square, square)
        yield "call slice view", lambda: lambda: a[2:7]
        yield "call empty", lambda: lambda: torch.empty(10, device="cuda")
        stream, event, allocator = torch.cuda.Stream(), torch.cuda.Event(), torch.cuda.memory

        def switch():
            with torch.cuda.stream(stream):
                pass

        def chain():
            x, graph = self.random(10), torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(20):
                    x = x + 1.0
            return graph

        yield "call memory taken and given back", lambda: lambda: allocator.caching_allocator_delete(
            allocator.caching_allocator_alloc(40))
        yield "call stream switched twice", lambda: switch
        yield "call event recorded", lambda: event.record
        yield "call event asked", lambda: event.query
        yield "call graph of 20 nodes", lambda: chain().replay
        yield "call sum", lambda: lambda: a.sum()
        places, mask = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], device="cuda"), a > 4.5
        yield "call a[i]", lambda: lambda: a[places]
        yield "call a[mask] = 0", lambda: lambda: a.masked_fill_(mask, 0)


FIRST = """
import sys, time, cupy as cp
a, b = cp.empty(1000, "float32"), cp.empty(1000, "float32")
cp.cuda.Device().synchronize()
start = time.perf_counter()
cp.add(a, b)
cp.cuda.Device().synchronize()
print(time.perf_counter() - start)
"""


def first_calls():
    """The first add of a process, with an empty cache of compiled kernels and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, CUPY_CACHE_DIR=cache)
        for name in ("first add, empty cache", "first add, disk cache"):
            done = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True)
            if done.returncode == 0:
                emit("cupy", name, seconds=float(done.stdout))


def main():
    told, only = sys.argv[1:], []
    if "--only" in told:
        at = told.index("--only")
        told, only = told[:at], told[at + 1:]
    wanted = told or ["cupy", "torch"]
    for name in wanted:
        try:
            library = {"cupy": Cupy, "torch": Torch}[name]()
        except ImportError as error:
            print("%s is left out: %s" % (name, error), file=sys.stderr)
            continue
        library.run(only)
        if name == "cupy" and not only:
            first_calls()


main()
