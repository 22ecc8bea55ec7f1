"""Tests of attributes, methods and operators of arrays against NumPy's."""

import copy
import inspect
import io
import operator
import sys
import weakref

import numpy as np
import pytest

import cuprum as cp
from same import equal, same

H = np.arange(24.0).reshape(2, 3, 4) - 5


REDUCTIONS = ["all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod", "std", "sum", "var"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    same(lambda xp, a: getattr(a, name)(), H, rtol=1e-12)
    same(lambda xp, a: getattr(a, name)(axis=1), H, rtol=1e-12)
    same(lambda xp, a: getattr(a, name)(-1), H, rtol=1e-12)


METHODS = {
    "sum of axes": lambda xp, a: a.sum(axis=(0, 2), keepdims=True),
    "sum dtype": lambda xp, a: a.sum(dtype="f4"),
    "sum initial": lambda xp, a: a.sum(0, initial=3),
    "sum where": lambda xp, a: a.sum(where=a > 3),
    "std ddof": lambda xp, a: a.std(0, ddof=1),
    "choose": lambda xp, a: (a.astype(int) % 2).choose([a, a * 2]),
    "diagonal": lambda xp, a: a.diagonal(),
    "diagonal offset": lambda xp, a: a.diagonal(1, 1, 2),
    "dot": lambda xp, a: a.dot(a[0].T),
    "repeat": lambda xp, a: a.repeat(2, axis=1),
    "repeat each": lambda xp, a: a.repeat([1, 2, 3], axis=1),
    "round": lambda xp, a: (a / 3).round(2),
    "searchsorted": lambda xp, a: a.ravel().searchsorted(a[0, 0]),
    "squeeze": lambda xp, a: a[:1].squeeze(0),
    "swapaxes": lambda xp, a: a.swapaxes(0, 2),
    "take": lambda xp, a: a.take([0, 3, 5]),
    "take axis": lambda xp, a: a.take(xp.array([0, 1]), axis=2),
    "trace": lambda xp, a: a.trace(),
    "clip": lambda xp, a: a.clip(0, 3),
    "clip min": lambda xp, a: a.clip(min=0),
    "clip by nothing": lambda xp, a: a.clip(),
    "clip max": lambda xp, a: a.clip(None, 3),
    "compress": lambda xp, a: a.compress([True, False], axis=0),
    "nonzero": lambda xp, a: a.nonzero(),
    "argsort": lambda xp, a: (-a).argsort(axis=1),
    "conj": lambda xp, a: (a * 1j).conj(),
    "reshape": lambda xp, a: a.reshape(4, -1),
    "reshape tuple": lambda xp, a: a.reshape((4, 6), order="F"),
    "reshape bad": lambda xp, a: a.reshape(5, 5),
    "T": lambda xp, a: a.T,
    "mT": lambda xp, a: a.mT,
    "transpose": lambda xp, a: a.transpose(1, 0, 2),
    "transpose tuple": lambda xp, a: a.transpose((1, 0, 2)),
    "transpose None": lambda xp, a: a.transpose(None),
    "ravel K": lambda xp, a: a.T.ravel("K"),
    "ravel F": lambda xp, a: a.ravel("F"),
    "flatten A": lambda xp, a: a.T.flatten("A"),
    "astype": lambda xp, a: a.astype(np.int8),
    "astype rejected": lambda xp, a: a.astype("i4", casting="safe"),
    "view": lambda xp, a: a.view("i4"),
    "byteswap": lambda xp, a: a.astype("i4").byteswap(),
    "item": lambda xp, a: a.item(5),
    "item indices": lambda xp, a: a.item(1, 2, -1),
    "item of many": lambda xp, a: a.item(),
    "tolist": lambda xp, a: a.tolist(),
    "tobytes": lambda xp, a: a.T.tobytes(),
    "tobytes F": lambda xp, a: a.tobytes("F"),
    "str": lambda xp, a: str(a),
    "repr": lambda xp, a: repr(a),
    "format": lambda xp, a: format(a[0, 0, 0], ".2f"),
    "len": lambda xp, a: len(a),
    "len of none": lambda xp, a: len(a[0, 0, 0]),
    "iterate": lambda xp, a: [part.sum() for part in a],
    "iterate none": lambda xp, a: list(a.sum()) if xp is cp else list(np.array(1.0)),
    "contains": lambda xp, a: (3.0 in a, 99 in a),
    "flat": lambda xp, a: [float(x) for x in a.flat],
    "flat slice": lambda xp, a: a.flat[3:9:2],
    "real": lambda xp, a: (a * 1j).imag,
    "imag": lambda xp, a: a.imag,
    "max by keyword": lambda xp, a: xp.max(a=a, axis=0),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    same(METHODS[name], H, rtol=1e-12)


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    divmod,
]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("f", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8"])
def test_operators(f, dtype):
    a, b = np.array([[1, 2, 3], [4, 5, 6]], dtype), np.array([3, 1, 2], dtype)
    same(lambda xp, a, b: f(a, b), a, b, rtol=1e-6)
    same(lambda xp, a: f(a, 2), a, rtol=1e-6)
    same(lambda xp, a: f(2, a), a, rtol=1e-6)
    same(lambda xp, a: f(a, 2.5), a, rtol=1e-6)
    same(lambda xp, a: f(a, np.float32(2)), a, rtol=1e-6)
    same(lambda xp, a: f(a, np.int64(2)), a, rtol=1e-6)


@pytest.mark.parametrize("f", BITS, ids=lambda f: f.__name__)
def test_operators_of_bits(f):
    a, b = np.array([6, 5, 3]), np.array([1, 2, 0])
    same(lambda xp, a, b: f(a, b), a, b)
    same(lambda xp, a: f(a, 1), a)
    same(lambda xp, a: f(6, a), b)
    same(lambda xp, a: ~a, a)


def test_operators_in_place():
    def steps(xp, a):
        a = a.copy()
        before = a
        a += 1
        a *= 2
        a /= 3
        a -= 1
        a **= 2
        a //= 2
        a %= 7
        assert a is before
        return a

    same(steps, H, rtol=1e-12)
    same(lambda xp, a: operator.iadd(a.copy(), 1.5), np.arange(3))
    same(lambda xp, a: operator.iand(a.copy(), 6), np.arange(9))


def test_products():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    same(lambda xp, a, b: a @ b, a, b)
    same(lambda xp, a, b: xp.matmul(a, b), a, b)
    same(lambda xp, a, b: a @ 2, a, b)


def test_what_is_set():
    def steps(xp, a):
        a = a.copy()
        a.fill(3)
        a.flat = [1, 2, 3]
        a.flat[2:5] = 9
        a.put([0, 2], [9, 8])
        a.shape = (4, 6)
        a[1:].sort(axis=1)
        a[::-1].partition(1)
        a.sort(axis=0)
        return a

    same(steps, H)

    def parts(xp, a):
        z = a + 0j
        z.real = 2
        z.imag = a
        return z

    same(parts, H)


def test_flags_and_bases():
    a = cp.asarray(H)
    assert a.flags.c_contiguous and a.flags["C_CONTIGUOUS"] and not a.flags.f_contiguous and a.flags.owndata
    part = a[:, 1:]
    assert part.base is a and not part.flags.owndata and not part.flags.c_contiguous
    assert a.base is None and part[0].base is a and a.T.base is a and a.T.flags.f_contiguous
    assert (a.dtype, a.shape, a.strides, a.ndim, a.size, a.itemsize, a.nbytes) == (H.dtype, H.shape, H.strides, 3, 24, 8, 192)
    assert a[1].data.ptr == a.data.ptr + 96 and a[1].data.mem.ptr == a.data.ptr
    assert a.reduced_view().shape == (24,) and a[:, :2].reduced_view().shape == (2, 8)
    assert int.from_bytes(a.cstruct[:8], "little") == a.data.ptr
    with pytest.raises(KeyError):
        a.flags["NO_SUCH"]


def test_get_and_set():
    a = cp.asarray(H)
    out = np.empty_like(H)
    assert a.get(out=out) is out
    equal(out, H)
    assert a.get(order="F").flags.f_contiguous and a.T.get(order="A").flags.f_contiguous
    with pytest.raises(ValueError):
        a.get(out=np.empty(3))
    with pytest.raises(TypeError):
        a.get(out=np.empty((2, 3, 4), "f4"))
    a.set(H * 2)
    equal(a, H * 2)
    with pytest.raises(TypeError):
        a.set([1, 2])
    file = io.BytesIO()
    a.dump(file)
    assert file.getvalue()[:1] == b"\x80" and a.dumps()[:1] == b"\x80"


def test_files(tmp_path):
    a = cp.asarray(H)
    a.tofile(tmp_path / "raw")
    equal(cp.fromfile(tmp_path / "raw"), H.ravel())
    cp.save(tmp_path / "a.npy", a)
    equal(cp.load(tmp_path / "a.npy"), H)
    cp.savez(tmp_path / "a.npz", a, b=a[0])
    with cp.load(tmp_path / "a.npz") as archive:
        assert isinstance(archive["b"], cp.ndarray)
        equal(archive["arr_0"], H)
    cp.savetxt(tmp_path / "a.txt", a[0])
    equal(cp.loadtxt(tmp_path / "a.txt"), H[0])


def test_copies_and_references():
    a = cp.asarray(H)
    for b in (copy.copy(a), copy.deepcopy(a), a.copy()):
        b.fill(0)
    equal(a, H)
    assert weakref.ref(a)() is a and sys.getsizeof(a) > 0
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(a)
    with pytest.raises(ValueError):
        del a[0]
    assert cp.ndarray[int, float].__origin__ is cp.ndarray


def test_subclasses():
    class Sub(cp.ndarray):
        def __array_finalize__(self, of):
            self.note = getattr(of, "note", "new")

    a = cp.asarray(H)
    s = a.view(Sub)
    assert isinstance(s, Sub) and s.note == "new" and s.base is a
    s.note = "kept"
    assert isinstance(s[0], Sub) and s[0].note == "kept" and isinstance(s.T, Sub)
    made = Sub((2,), dtype="i4")
    assert made.shape == (2,) and made.dtype == "i4" and made.note == "new"


def test_signatures():
    assert list(inspect.signature(cp.sum).parameters) == list(inspect.signature(np.sum).parameters)
    assert str(inspect.signature(cp.ndarray.sum)).startswith("(self")
    assert list(inspect.signature(cp.add).parameters)[:3] == ["x1", "x2", "out"]
    assert cp.sum.__name__ == "sum" and cp.sum.__module__ == "cuprum" and "sum" in cp.sum.__doc__


def test_numpy_s_print_options():
    with np.printoptions(precision=2):
        assert repr(cp.asarray([1 / 3])) == "array([0.33])"


def test_constructor():
    assert cp.ndarray((2, 3)).dtype == np.float64 and cp.ndarray(3, "i2", order="F").shape == (3,)
    a = cp.arange(4, dtype="i4")
    assert cp.ndarray((2, 2), "i4", memptr=a.data).data.ptr == a.data.ptr
