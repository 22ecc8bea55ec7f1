"""Rows of the benchmark for CuPy."""

from peers_libraries import fourier, linear
from peers_timing import BYTES, CUBE, ELEMENTS, SEQUENCE, SHORT, SHORT_ROWS, SIDES, SORTED, SQUARE, Library, count


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
        names = {
            "f16": "float16",
            "i8": "int8",
            "u8": "uint8",
            "i16": "int16",
            "i32": "int32",
            "i64": "int64",
            "f64": "float64",
            "c64": "complex64",
            "c128": "complex128",
            "bool": "bool",
        }
        for short, dtype in names.items():
            yield "add " + short, two(cp.add, dtype)
        yield "astype f32 to f16", one(lambda a: a.astype("float16"))
        yield "astype f32 to f64", one(lambda a: a.astype("float64"))
        yield "astype i32 to f32", one(lambda a: a.astype("float32"), "int32")
        yield "fill f32", lambda: lambda: cp.full(count(4), 3.0, "float32")
        yield "sqrt f32", one(cp.sqrt)
        yield "exp f32", one(cp.exp)
        yield "sin f32", one(cp.sin)
        yield "power f64", two(cp.power, "float64")
        yield "hypot f64", two(cp.hypot, "float64")
        yield "log2 f64", one(cp.log2, "float64")
        yield "exp2 f64", one(cp.exp2, "float64")
        yield "absolute c128", one(cp.absolute, "complex128")
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
            return lambda: cp.where(mask, a, 0).sum()  # CuPy's sum has no `where`

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

        def correlated(n, taps, dtype):
            def prepare():
                a, v = self.random(n, dtype), self.random(taps, dtype)
                return lambda: cp.correlate(a, v, "same")

            return prepare

        yield "correlate f32, 1000", correlated(SEQUENCE, 1000, "float32")
        yield "correlate f64, 1000", correlated(SEQUENCE, 1000, "float64")
        yield "correlate c64, 1000", correlated(SEQUENCE, 1000, "complex64")
        yield "correlate f32, 2^24 with 31", correlated(1 << 24, 31, "float32")
        yield "matmul f32 4096", shaped(cp.matmul, (4096, 4096), (4096, 4096))
        yield "cumsum f32, all", shaped(cp.cumsum, SQUARE)
        yield "cumsum f32, axis 0", shaped(lambda a: cp.cumsum(a, axis=0), SQUARE)
        yield "cumsum f32, axis 1", shaped(lambda a: cp.cumsum(a, axis=1), SQUARE)
        yield "cumsum i32, all", one(cp.cumsum, "int32")
        yield "cumsum f16, all", one(cp.cumsum, "float16")
        yield "cumprod f32, all", one(cp.cumprod)
        yield "maximum.accumulate f32", one(cp.maximum.accumulate)
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

        def masked_half():
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

        # Chains in one scope; with `cupy.fuse` where it supports their functions.
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
        yield "fused a + uniform f32", made(parts("float32", 1, 1), lambda x: x + cp.random.random(x.shape, dtype=cp.float32) * 0.2 - 0.1)
        yield "fused a*b + a, b transposed f32", made(squares, lambda a, b: a * b.T + a)
        yield "nonzero of bool", made(masked_half, lambda a, m: cp.nonzero(m))
        yield "nonzero of f32", made(lambda: (lambda a, m: a * m)(*masked_half()), cp.nonzero)
        yield "a[mask] f32", made(masked_half, lambda a, m: a[m])
        yield "histogram f32, 256 bins", made(masked_half, lambda a, m: cp.histogram(a, 256))
        yield "histogram f32, 256 bins of a range", made(masked_half, lambda a, m: cp.histogram(a, 256, range=(0, 9)))
        yield "histogram f32, 10^5 bins", made(masked_half, lambda a, m: cp.histogram(a, 100000))
        yield "bincount i32, 1024 bins", made(bins, cp.bincount)
        drawn_bins = lambda n, dtype="int32": cp.random.randint(0, n, quarter).astype(dtype)
        yield "bincount i32, 16 bins", made(lambda: drawn_bins(16), cp.bincount)
        yield "bincount i32, 10^6 bins", made(lambda: drawn_bins(10**6), cp.bincount)
        yield (
            "histogram2d f32, 256 x 256 bins of a range",
            made(lambda: (self.random(quarter), self.random(quarter)), lambda x, y: cp.histogram2d(x, y, 256, range=[[0, 9], [0, 9]])),
        )
        yield "bincount i32, weights f32", made(lambda: (bins(), self.random(quarter)), cp.bincount)
        weighed = lambda: (bins(), self.random(quarter).astype("float64"))
        yield "bincount i32, weights f64", made(weighed, cp.bincount)
        steps = lambda dtype, n: lambda: (cp.zeros(n, dtype), bins() % n, self.random(quarter).astype(dtype))
        yield "add.at f32, 1024 targets", made(steps("float32", 1024), cp.add.at)
        yield "add.at f32, 16 targets", made(steps("float32", 16), cp.add.at)
        yield "add.at i32, 1024 targets", made(steps("int32", 1024), cp.add.at)
        yield "add.at i32, 16 targets", made(steps("int32", 16), cp.add.at)
        yield "maximum.at i32, 1024 targets", made(steps("int32", 1024), cp.maximum.at)
        yield "maximum.at f32, 1024 targets", made(steps("float32", 1024), cp.maximum.at)
        spread = lambda n, order=lambda x: x: lambda: (cp.zeros(n, "float32"), order(drawn_bins(n)), self.random(quarter))
        yield "add.at f32, 10^6 targets", made(spread(10**6), cp.add.at)
        yield "add.at f32, 10^6 targets, sorted", made(spread(10**6, cp.sort), cp.add.at)
        yield "add.at f32, 10^8 targets", made(spread(10**8), cp.add.at)
        among = cp.arange(10_000, dtype="int32") * 100
        yield "isin i32, 2^26 in 10^4", made(lambda: drawn_bins(10**6), lambda x: cp.isin(x, among))
        values = cp.linspace(0, 9, quarter // 64).astype("float32")
        yield "searchsorted f32, sorted", made(lambda: cp.sort(self.random(quarter)), lambda x: cp.searchsorted(values, x))
        yield "searchsorted f32", made(sorted_values, lambda v, s: cp.searchsorted(s, v))
        edges = cp.arange(100, dtype="float32") / cp.float32(11)
        yield "digitize f32, 100 edges", made(masked_half, lambda a, m: cp.digitize(a, edges))
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
        converted = lambda dtype: made(lambda: self.random(SORTED, dtype), cp.sort)
        yield "sort f16, 2^26", converted("float16")
        yield "sort f64, 2^26", converted("float64")
        yield "sort c64, 2^26", converted("complex64")
        yield "sort f32, 10^6 rows of 64", shaped(lambda a: cp.sort(a, 1), (10**6, 64))
        yield "sort f32, 10^4 rows of 10^4", shaped(lambda a: cp.sort(a, 1), (10**4, 10**4))
        yield "argsort f32, 2^26", shaped(cp.argsort, SORTED)
        yield "sort f32 square, rows", shaped(lambda a: cp.sort(a, 1), SIDES)
        yield "sort f32 square, columns", shaped(lambda a: cp.sort(a, 0), SIDES)
        yield "median f32 square, rows", shaped(lambda a: cp.median(a, 1), SIDES)
        yield "median f32 square, columns", shaped(lambda a: cp.median(a, 0), SIDES)
        yield "unique i64, 2^26 of 10^6", integers(cp.unique, 1000000)
        yield "unique i64, 2^26 distinct", integers(cp.unique, 0)
        yield "percentile f32, 2^28", shaped(lambda a: cp.percentile(a, 37.0), ELEMENTS)
        yield "median f32, 2^26", shaped(cp.median, SORTED)
        yield "partition f32, 2^26", shaped(lambda a: cp.partition(a, SORTED // 3), SORTED)
        yield "argpartition f32, 2^26", shaped(lambda a: cp.argpartition(a, SORTED // 3), SORTED)
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
        rates = lambda n: lambda x=cp.linspace(0.5, 40.0, n): rng.poisson(x)
        yield "poisson of an array", lambda: rates(ELEMENTS // 8)
        shapes = lambda n: lambda a=cp.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]): cp.random.dirichlet(a, n)
        yield "dirichlet of 8", lambda: shapes(ELEMENTS // 64)
        vectors = lambda n: lambda m=cp.zeros(8), c=cp.eye(8) + 0.5: cp.random.multivariate_normal(m, c, n, method="cholesky")
        yield "multivariate normal of 8", lambda: vectors(ELEMENTS // 64)
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

        yield "call memory allocated and freed", lambda: lambda: cp.cuda.alloc(40)
        yield "call stream switched twice", lambda: switch
        yield "call event recorded", lambda: lambda: event.record()
        yield "call event asked", lambda: lambda: event.done
        yield "call graph of 20 nodes", lambda: chain().launch
        yield "call concatenate of 2", prepared(lambda a, b, o: lambda: cp.concatenate((a, b)))
        yield "call sum", prepared(lambda a, b, o: lambda: a.sum())
        indices = cp.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
        yield "call a[i]", prepared(lambda a, b, o: lambda: a[indices])
        yield "call a[mask] = 0", prepared(lambda a, b, o: lambda m=a > 4.5: o.__setitem__(m, 0))
        yield "call uniform", lambda: lambda rng=cp.random.default_rng(1): rng.uniform(-1.0, 1.0, 10)
        yield "call normal", lambda: lambda rng=cp.random.default_rng(1): rng.standard_normal(10, dtype="float32")
        yield "call integers", lambda: lambda rng=cp.random.default_rng(1): rng.integers(0, 10, 10)
        yield "call default_rng", lambda: lambda: cp.random.default_rng(1)
        yield "call default_rng, its first number", lambda: lambda: cp.random.default_rng(1).random(10, dtype="float32")
