"""Rows of the benchmark for PyTorch."""

from peers_libraries import fourier, linear
from peers_timing import BYTES, CUBE, ELEMENTS, SHORT, SHORT_ROWS, SIDES, SORTED, SQUARE, Library, count


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
        names = {
            "f16": torch.float16,
            "bf16": torch.bfloat16,
            "i8": torch.int8,
            "u8": torch.uint8,
            "i16": torch.int16,
            "i32": torch.int32,
            "i64": torch.int64,
            "f64": torch.float64,
            "c64": torch.complex64,
            "c128": torch.complex128,
            "bool": torch.bool,
        }
        for short, dtype in names.items():
            yield "add " + short, two(torch.add, dtype)
        yield "astype f32 to f16", one(lambda a: a.to(torch.float16))
        yield "astype f32 to f64", one(lambda a: a.to(torch.float64))
        yield "astype i32 to f32", one(lambda a: a.to(torch.float32), torch.int32)
        yield "fill f32", lambda: lambda: torch.full((count(4),), 3.0, device="cuda")
        yield "sqrt f32", one(torch.sqrt)
        yield "exp f32", one(torch.exp)
        yield "sin f32", one(torch.sin)
        yield "power f64", two(torch.pow, torch.float64)
        yield "hypot f64", two(torch.hypot, torch.float64)
        yield "log2 f64", one(torch.log2, torch.float64)
        yield "exp2 f64", one(torch.exp2, torch.float64)
        yield "absolute c128", one(torch.abs, torch.complex128)
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

        def of(f, **options):
            return lambda a, axis: f(a, **options) if axis is None else f(a, dim=axis, **options)

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
        yield "cumprod f32, all", one(lambda a: torch.cumprod(a, 0))
        yield "maximum.accumulate f32", one(lambda a: torch.cummax(a, 0))
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

        def masked_half():
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

        # Chains, compiled by `torch.compile`.
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
        yield "nonzero of bool", made(masked_half, lambda a, m: torch.nonzero(m, as_tuple=True))
        yield "nonzero of f32", made(lambda: (lambda a, m: a * m)(*masked_half()), lambda a: torch.nonzero(a, as_tuple=True))
        yield "a[mask] f32", made(masked_half, lambda a, m: a[m])
        yield "histogram f32, 256 bins", made(masked_half, lambda a, m: torch.histc(a, 256))
        yield "bincount i32, 1024 bins", made(bins, torch.bincount)
        drawn_bins = lambda n: torch.randint(0, n, (quarter,), dtype=torch.int32, device="cuda")
        yield "bincount i32, 16 bins", made(lambda: drawn_bins(16), torch.bincount)
        yield "bincount i32, 10^6 bins", made(lambda: drawn_bins(10**6), torch.bincount)
        yield "bincount i32, weights f32", made(lambda: (bins(), self.random(quarter)), torch.bincount)
        sums = lambda: (torch.zeros(1024, device="cuda"), bins(), self.random(quarter))
        yield "add.at f32, 1024 targets", made(sums, lambda out, x, w: out.index_add_(0, x, w))
        spread = lambda n, order=lambda x: x: lambda: (torch.zeros(n, device="cuda"), order(drawn_bins(n)), self.random(quarter))
        summed = lambda out, x, w: out.index_add_(0, x, w)
        yield "add.at f32, 10^6 targets", made(spread(10**6), summed)
        yield "add.at f32, 10^6 targets, sorted", made(spread(10**6, lambda x: torch.sort(x)[0]), summed)
        yield "add.at f32, 10^8 targets", made(spread(10**8), summed)
        among = torch.arange(10_000, dtype=torch.int32, device="cuda") * 100
        yield "isin i32, 2^26 in 10^4", made(lambda: drawn_bins(10**6), lambda x: torch.isin(x, among))
        values = torch.linspace(0, 9, quarter // 64, device="cuda")
        yield "searchsorted f32, sorted", made(lambda: torch.sort(self.random(quarter))[0], lambda x: torch.searchsorted(values, x))
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
        converted = lambda dtype: made(lambda: self.random(SORTED, dtype), lambda a: torch.sort(a)[0])
        yield "sort f16, 2^26", converted(torch.float16)
        yield "sort f64, 2^26", converted(torch.float64)
        yield "sort f32, 10^6 rows of 64", shaped(lambda a: torch.sort(a, 1)[0], (10**6, 64))
        yield "sort f32, 10^4 rows of 10^4", shaped(lambda a: torch.sort(a, 1)[0], (10**4, 10**4))
        yield "argsort f32, 2^26", shaped(torch.argsort, SORTED)
        yield "sort f32 square, rows", shaped(lambda a: torch.sort(a, 1)[0], SIDES)
        yield "sort f32 square, columns", shaped(lambda a: torch.sort(a, 0)[0], SIDES)
        yield "median f32 square, rows", shaped(lambda a: torch.median(a, 1)[0], SIDES)
        yield "median f32 square, columns", shaped(lambda a: torch.median(a, 0)[0], SIDES)
        yield "unique i64, 2^26 of 10^6", integers(torch.unique, 1000000)
        yield "unique i64, 2^26 distinct", integers(torch.unique, 0)
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

        yield "call memory allocated and freed", lambda: lambda: allocator.caching_allocator_delete(allocator.caching_allocator_alloc(40))
        yield "call stream switched twice", lambda: switch
        yield "call event recorded", lambda: event.record
        yield "call event asked", lambda: event.query
        yield "call graph of 20 nodes", lambda: chain().replay
        yield "call sum", lambda: lambda: a.sum()
        indices, mask = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], device="cuda"), a > 4.5
        yield "call a[i]", lambda: lambda: a[indices]
        yield "call a[mask] = 0", lambda: lambda: a.masked_fill_(mask, 0)
