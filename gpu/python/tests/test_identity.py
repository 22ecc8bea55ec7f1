"""Tests of the identity of results: a copy, a view and its base, or the operand itself."""

import numpy as np
import pytest

import cuprum as cp

H = np.arange(24.0).reshape(2, 3, 4)


def both(call):
    """Returns the identity of the results of a call for a NumPy array and for a device array."""
    return call(cp, cp.asarray(H)), call(np, H.copy())


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.nan_to_num(a, copy=False) is a,
        lambda xp, a: a.squeeze() is a,
        lambda xp, a: xp.squeeze(a) is a,
        lambda xp, a: xp.broadcast_arrays(a, a)[0] is a,
        lambda xp, a: xp.broadcast_arrays(a, xp.ones(4))[0] is a,
        lambda xp, a: xp.broadcast_arrays(a[0], a)[0].base is a,
        lambda xp, a: xp.broadcast_arrays(a, xp.ones((5, 1, 1, 1)))[0].base is a,
        lambda xp, a: xp.einsum("ijk->kji", a).base is a,
        lambda xp, a: xp.meshgrid(x := xp.ones(3), x, copy=False)[0].base is x,
        lambda xp, a: xp.ix_(x := xp.arange(2))[0].base is x,
        lambda xp, a: xp.real_if_close(a) is a,
        lambda xp, a: xp.asarray(a) is a,
        lambda xp, a: xp.asarray(a[:, ::2], order="A").strides,
        lambda xp, a: xp.require(a[:, ::2]).strides,
        lambda xp, a: xp.ravel(a, "K").base is a,
        lambda xp, a: xp.array(a, copy=None) is a,
        lambda xp, a: xp.array(a, copy=1) is a,
        lambda xp, a: xp.real(a) is a,
        lambda xp, a: xp.broadcast_to(a, a.shape).base is a,
        lambda xp, a: a.reshape(2, 3, 4).base is a,
    ],
)
def test_objects(call):
    found, wanted = both(call)
    assert found == wanted


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.broadcast_to(a, a.shape),
        lambda xp, a: a.diagonal(),
        lambda xp, a: a.diagonal()[:1],
        lambda xp, a: a.imag,
        lambda xp, a: xp.imag(a),
        lambda xp, a: xp.diag(a[0]),
        lambda xp, a: a,
        lambda xp, a: a[::2],
        lambda xp, a: a.diagonal().copy(),
        lambda xp, a: a.astype("F").imag,
    ],
)
def test_what_can_be_written_to(call):
    found, wanted = both(call)
    assert found.flags.writeable == wanted.flags.writeable
    if not wanted.flags.writeable:
        with pytest.raises(ValueError):
            found[...] = 1


@pytest.mark.parametrize("order", "CFAK")
def test_ravel_is_contiguous(order):
    for view in (
        lambda xp, a: a,
        lambda xp, a: a.ravel()[::3],
        lambda xp, a: a.T,
        lambda xp, a: a.transpose(0, 2, 1),
        lambda xp, a: a[:, ::2],
        lambda xp, a: xp.broadcast_to(xp.arange(3).reshape(3, 1), (2, 3, 2)),
        lambda xp, a: a[::-1],
        lambda xp, a: a[:, :, :1],
        lambda xp, a: xp.broadcast_to(a[0], (2, 3, 4)),
        lambda xp, a: a[0, 0, 0],
        lambda xp, a: a[:0],
    ):
        for name in ("ravel", "flatten"):
            found, wanted = both(lambda xp, a: getattr(view(xp, a), name)(order))
            assert found.get().tolist() == wanted.tolist() and found.flags.c_contiguous
            assert (found.base is None) == (wanted.base is None) or name == "ravel" and wanted.size == 0
    a = cp.arange(6)
    b = a[::2].ravel()
    b[:] = 9
    assert a.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_copy_that_is_forbidden():
    a = cp.ones((2, 3))
    for call in (
        lambda: cp.array(a, copy=False, order="F"),
        lambda: cp.array([1, 2], copy=False),
        lambda: cp.array(H, copy=False),
        lambda: cp.asarray(a, "f", copy=False),
        lambda: cp.asarray(a, order="F", copy=False),
        lambda: cp.array(a, "f", copy=False),
        lambda: a.reshape(3, 2, copy="no"),
        lambda: cp.array(a, copy="no"),
        lambda: cp.nan_to_num(a, copy="no"),
        lambda: cp.reshape(a, (3, 2), copy="no"),
        lambda: cp.from_dlpack(a, copy="no"),
    ):
        with pytest.raises(ValueError):
            call()
    assert cp.array(a, copy=False) is a and cp.astype(a, "f", copy=False).dtype == np.float32
    assert cp.array(a, copy=0) is a and cp.array(a, copy=1) is not a


def test_orders():
    for call in (
        lambda xp: xp.array(np.ones((1, 4, 1)), order="F"),
        lambda xp: xp.array(H.transpose(0, 2, 1)),
        lambda xp: xp.array(H.T),
        lambda xp: xp.array(np.broadcast_to(H[0, 0], (3, 4))),
        lambda xp: xp.array(H.transpose(0, 2, 1), "f"),
        lambda xp: xp.ndarray((2, 3), strides=(24, 8)),
        lambda xp: xp.ndarray((2, 3), strides=(8, 16)),
        lambda xp: xp.ndarray((2, 3), strides=(0, 8)),
    ):
        assert call(cp).strides == call(np).strides
    assert cp.ndarray((0, 3), strides=(800, 8)).shape == (0, 3)
    for strides in ((-24, 8), (32, 8), (24,)):
        with pytest.raises(ValueError):
            cp.ndarray((2, 3), strides=strides)
    for order, strides in (("FORTRAN", (8, 16)), ("CONTIGUOUS", (24, 8)), ("", (24, 8))):
        assert cp.ndarray((2, 3), order=order).strides == strides


def test_get_into_a_view():
    out = np.zeros((4, 6))
    a = cp.arange(6.0).reshape(2, 3)
    assert a.get(out=out[::2, ::2]).base is out
    assert out[::2, ::2].tolist() == a.tolist() and out.sum() == 15


def test_a_view_of_another_class():
    for call in (lambda: cp.ones(2).view(type=np.ndarray), lambda: cp.ones(2).view(np.ndarray), lambda: cp.ones(2).view(type=int)):
        with pytest.raises(ValueError):
            call()


def test_reversed():
    assert [x.item() for x in reversed(cp.arange(3))] == [2, 1, 0]
    with pytest.raises(TypeError):
        reversed(cp.array(1))
