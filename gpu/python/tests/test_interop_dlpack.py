"""Tests of DLPack and the CUDA Array Interface, with partner libraries that need no GPU."""

import gc
import weakref

import numpy as np
import pytest

import cuprum as cp

SIMULATED = not cp.cuda.is_available()
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_both_ways(dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (host, host.T, host[:, ::-1, 1::2], host[1, 2, 3:], host[..., :0], host[0, 0, :1].reshape(())):
        ours = cp.from_dlpack(view)
        assert ours.dtype == view.dtype and ours.shape == view.shape
        np.testing.assert_array_equal(cp.asnumpy(ours), view)
        back = np.from_dlpack(ours)
        assert back.dtype == view.dtype
        np.testing.assert_array_equal(back, view)
    ours = cp.asarray(host)
    np.testing.assert_array_equal(np.from_dlpack(ours.T[::2]), host.T[::2])


def test_what_the_host_has_becomes_a_copy():
    host = np.arange(4)
    ours = cp.from_dlpack(host)
    host[0] = 9
    assert ours[0] == 0
    with pytest.raises(BufferError, match="only a copy"):
        cp.from_dlpack(host, copy=False)
    np.testing.assert_array_equal(cp.asnumpy(cp.from_dlpack(host, copy=True)), host)


def test_what_is_read_only_comes_in():
    host = np.arange(4)
    host.flags.writeable = False
    ours = cp.from_dlpack(host)
    ours[0] = 7
    assert host[0] == 0 and ours[0] == 7


def test_our_own_arrays_share_memory():
    a = cp.arange(6)
    b = cp.from_dlpack(a)
    b[0] = 5
    assert a[0] == 5 and cp.shares_memory(a, b)
    assert not cp.shares_memory(a, cp.from_dlpack(a, copy=True))


def test_devices_versions_and_copies():
    a = cp.arange(3)
    kind, number = a.__dlpack_device__()
    assert (kind, number) == ((1, 0) if SIMULATED else (2, a.device.id))
    host = np.from_dlpack(a, device="cpu")
    np.testing.assert_array_equal(host, [0, 1, 2])
    assert "dltensor_versioned" in repr(a.__dlpack__(max_version=(1, 1), dl_device=(1, 0)))
    assert '"dltensor"' in repr(a.__dlpack__())
    with pytest.raises(BufferError, match="only a copy"):
        a.__dlpack__(max_version=(1, 1), dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"not to \(10, 0\)"):
        a.__dlpack__(dl_device=(10, 0))
    with pytest.warns(UserWarning, match="ambiguous"):
        a.__dlpack__(stream=0)


@pytest.mark.parametrize("copy", [None, True])
@pytest.mark.parametrize("versioned", [True, False])
def test_a_copy_on_the_host(copy, versioned):
    class Given:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack__(self, **_):
            return self.capsule

        def __dlpack_device__(self):
            return (1, 0)

    for a in (cp.arange(12).reshape(3, 4).T[::2], cp.array(5.0), cp.zeros((0, 3), "F")):
        version = {"max_version": (1, 0)} if versioned else {}
        host = np.from_dlpack(Given(a.__dlpack__(dl_device=(1, 0), copy=copy, **version)))
        assert host.dtype == a.dtype and host.shape == a.shape
        np.testing.assert_array_equal(host, a.get())
        if a.size:
            before = a.get()
            a += 1
            np.testing.assert_array_equal(host, before)


@pytest.mark.skipif(SIMULATED, reason="the host does not reach memory of the simulator")
def test_managed_memory_is_memory_of_the_host():
    pool = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.arange(6)
    for copy in (None, False):
        host = np.from_dlpack(a, device="cpu", copy=copy)
        a += 1
        cp.cuda.Device().synchronize()
        np.testing.assert_array_equal(host, a.get())
    host = np.from_dlpack(a, device="cpu", copy=True)
    a += 1
    np.testing.assert_array_equal(host + 1, a.get())


def test_a_capsule_is_taken_once():
    a = cp.arange(5, dtype=np.float32)[::2]
    capsule = a.toDlpack()
    np.testing.assert_array_equal(cp.asnumpy(cp.fromDlpack(capsule)), [0, 2, 4])
    with pytest.raises(ValueError, match="taken already"):
        cp.fromDlpack(capsule)
    with pytest.raises(TypeError, match="capsule"):
        cp.fromDlpack(a)
    with pytest.raises(TypeError, match="__dlpack__"):
        cp.from_dlpack([1, 2])


def test_owners_are_released():
    class Host(np.ndarray):
        pass

    for keep in (False, True):
        host = np.arange(1000).view(Host)
        alive = weakref.ref(host)
        ours = cp.from_dlpack(host)
        del host
        gc.collect()
        assert alive() is None, "what was copied is kept"
        assert int(ours.sum()) == 499500
        capsule = ours.__dlpack__(max_version=(1, 1))
        if keep:
            cp.fromDlpack(capsule)
        del capsule
    # An unused export releases its memory.
    before = cp.get_default_memory_pool().used_bytes()
    for _ in range(100):
        cp.zeros(10_000).__dlpack__(max_version=(1, 0))
    gc.collect()
    assert cp.get_default_memory_pool().used_bytes() == before


def test_bfloat16_goes_over():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = cp.arange(4).astype(ml_dtypes.bfloat16)
    b = cp.fromDlpack(a.toDlpack())
    assert b.dtype == a.dtype and cp.asnumpy(b).astype(float).tolist() == [0, 1, 2, 3]


def test_jax_both_ways():
    jax = pytest.importorskip("jax")
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(cp.asnumpy(cp.from_dlpack(jax.numpy.asarray(host))), host)
    there = jax.dlpack.from_dlpack(cp.asarray(host))
    np.testing.assert_array_equal(np.asarray(there), host)
    np.testing.assert_array_equal(np.asarray(there * 2 + 1), host * 2 + 1)
    half = jax.numpy.asarray(host, dtype=jax.numpy.bfloat16)
    np.testing.assert_array_equal(cp.asnumpy(cp.from_dlpack(half)).astype(np.float32), host)


def test_torch_both_ways():
    torch = pytest.importorskip("torch")
    host = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    np.testing.assert_array_equal(cp.asnumpy(cp.from_dlpack(host.T)), host.T.numpy())
    np.testing.assert_array_equal(torch.from_dlpack(cp.asarray(host.numpy())).cpu().numpy(), host.numpy())


def test_array_api_strict_both_ways():
    strict = pytest.importorskip("array_api_strict")
    host = strict.reshape(strict.arange(6, dtype=strict.float64), (2, 3))
    np.testing.assert_array_equal(cp.asnumpy(cp.from_dlpack(host)), np.from_dlpack(host))
    there = strict.from_dlpack(cp.arange(3))
    assert bool(strict.all(there == strict.arange(3)))


@pytest.mark.skipif(not SIMULATED, reason="a GPU has one")
def test_the_simulator_has_no_cuda_array_interface():
    a = cp.arange(3)
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="simulator"):
        a.__cuda_array_interface__


def test_a_cuda_array_interface_that_is_none_is_rejected():
    class Given:
        def __init__(self, **more):
            self.__cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3, **more}

    with pytest.raises(ValueError, match="mask"):
        cp.asarray(Given(mask=Given()))
    if SIMULATED:
        # A pointer to GPU memory is invalid here.
        with pytest.raises((ImportError, RuntimeError)):
            cp.asarray(Given())
    with pytest.raises(ValueError, match="shape"):
        given = Given()
        del given.__cuda_array_interface__["shape"]
        cp.asarray(given)
