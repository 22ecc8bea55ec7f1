"""Rows of linear algebra and of Fourier transforms, whose functions CuPy and PyTorch call alike."""


def linear(self, lib, contract):
    """Returns the rows of linear algebra; `contract` is the library's einsum with an optimised order of contraction."""

    def kind(name):
        # A dtype that a library lacks leaves a gap in the table.
        return getattr(lib, name)

    def product(n, name, transposed=False):
        def prepare():
            a, b = self.random((n, n), kind(name)), self.random((n, n), kind(name))
            a, b = (a.T, b.T) if transposed else (a, b)
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
    yield "matmul i32 4096, both transposed", product(4096, "int32", True)
    yield "matmul i64 4096", product(4096, "int64")
    yield "matmul bool 4096", product(4096, "bool_" if hasattr(lib, "bool_") else "bool")
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
    """Returns rows of Fourier transforms; `along` is the keyword for an axis, `dct` the cosine transform, if any."""

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
