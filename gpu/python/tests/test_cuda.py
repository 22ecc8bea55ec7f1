"""Tests of devices, streams, events, memory and the runtime under CuPy's names."""

import ctypes
import io
import json
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import cuprum as cp
from cuprum import cupyx
from cuprum.cuda import runtime


def test_devices():
    device = cp.cuda.Device()
    assert device == cp.cuda.Device(0) and int(device) == 0 and hash(device) == hash(cp.cuda.Device(0))
    assert repr(device) == "<CUDA Device 0>"
    assert device.compute_capability.isdigit()
    free, total = device.mem_info
    assert 0 < free <= total
    assert device.attributes["WarpSize"] == 32
    with cp.cuda.Device(0) as current:
        assert cp.cuda.runtime.getDevice() == current.id
    device.use()
    device.synchronize()
    for use in (cp.cuda.Device(99).use, lambda: runtime.setDevice(99), cp.cuda.Device(99).__enter__):
        with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidDevice") as error:
            use()
        assert error.value.status == runtime.cudaErrorInvalidDevice


def test_streams_are_current_in_their_scopes():
    null = cp.cuda.Stream.null
    assert cp.cuda.get_current_stream() == null and null.ptr == 0
    a = cp.arange(1000)
    with cp.cuda.Stream() as one:
        assert cp.cuda.get_current_stream() == one != null
        b = a * 2
        with cp.cuda.Stream(non_blocking=True) as two:
            assert cp.cuda.get_current_stream() == two and two.is_non_blocking
            c = b + 1
        assert cp.cuda.get_current_stream() == one
    assert cp.cuda.get_current_stream() == null
    np.testing.assert_array_equal(c.get(), np.arange(1000) * 2 + 1)
    one.use()
    try:
        assert cp.cuda.get_current_stream().ptr == one.ptr
        found = []
        thread = threading.Thread(target=lambda: found.append(cp.cuda.get_current_stream()))
        thread.start()
        thread.join()
        assert found == [null]
    finally:
        null.use()
    one.synchronize()
    assert one.done


def test_a_stream_is_left_after_an_exception():
    with pytest.raises(KeyError), cp.cuda.Stream():
        raise KeyError
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_events_and_times():
    start, end = cp.cuda.Event(), cp.cuda.Event()
    stream = cp.cuda.Stream()
    start.record(stream)
    with stream:
        cp.arange(100) * 2
    stream.record(end)
    end.synchronize()
    assert start.done and end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    cp.cuda.Stream.null.wait_event(end)


def test_callbacks_are_called_behind_the_work():
    called = []
    stream = cp.cuda.Stream()
    stream.launch_host_func(called.append, 1)
    stream.add_callback(lambda *given: called.append(given), "x")
    assert called == [1, (stream, 0, "x")]
    with pytest.raises(ZeroDivisionError):
        stream.launch_host_func(lambda x: 1 // x, 0)


class Foreign:
    """A stream of another library, which has CUDA's handle."""

    def __init__(self, ptr):
        self.ptr = ptr


class Protocol:
    def __init__(self, version, ptr):
        self.pair = version, ptr

    def __cuda_stream__(self):
        return self.pair


def test_objects_with_a_handle_are_streams():
    stream = cp.cuda.Stream(non_blocking=True)
    add = cp.RawKernel('extern "C" __global__ void add_one(int *x) { atomicAdd(x, 1); }', "add_one")
    x = cp.zeros(1, np.int32)
    cp.cuda.Device().synchronize()
    for given in (Foreign(stream.ptr), Protocol(0, stream.ptr), Foreign(0), Foreign(2), stream, None):
        add((1,), (1,), (x,), stream=given)
        event = cp.cuda.Event()
        event.record(given)
        assert x.get(stream=given).shape == (1,)
        x.data.copy_from_device_async(x.data, 4, given)
    cp.cuda.Device().synchronize()
    assert x.item() == 6 and cp.cuda.get_current_stream() is cp.cuda.Stream.null
    # The work is on that stream: in a capture it becomes part of the graph.
    with stream:
        stream.begin_capture()
        add((1,), (1,), (x,), stream=Foreign(stream.ptr))
        graph = stream.end_capture()
    assert x.item() == 6
    graph.launch(Foreign(stream.ptr))
    stream.synchronize()
    assert x.item() == 7
    with pytest.raises(TypeError, match="not <class 'int'>"):
        add((1,), (1,), (x,), stream=3)
    with pytest.raises(ValueError, match="version 1"):
        x.get(stream=Protocol(1, stream.ptr))


def test_streams_of_others():
    stream = cp.cuda.Stream()
    with pytest.warns(DeprecationWarning):
        other = cp.cuda.ExternalStream(stream.ptr)
    assert other == stream and cp.cuda.Stream.from_external(stream) == stream
    with other:
        assert int(cp.arange(10).sum()) == 45
    with pytest.raises(NotImplementedError, match="each thread"), pytest.warns(DeprecationWarning):
        cp.cuda.ExternalStream(2)
    assert cp.cuda.Stream.ptds == cp.cuda.Stream(ptds=True)
    with cp.cuda.Stream.ptds:
        assert int(cp.arange(10).sum()) == 45
    found = []
    thread = threading.Thread(target=lambda: found.append(cp.cuda.Stream.ptds.ptr))
    thread.start()
    thread.join()
    assert found != [cp.cuda.Stream.ptds.ptr]


def test_the_pool():
    pool = cp.get_default_memory_pool()
    a = cp.zeros(1 << 20, dtype=np.uint8)
    used = pool.used_bytes()
    assert used >= 1 << 20 and pool.total_bytes() >= used
    del a
    assert pool.used_bytes() <= used - (1 << 20)
    assert pool.n_free_blocks() > 0 and pool.free_bytes() > 0
    pool.free_all_blocks()
    assert pool.get_limit() == 0
    pool.set_limit(size=1 << 30)
    try:
        assert pool.get_limit() == 1 << 30
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="limit"):
            cp.empty(1 << 31, dtype=np.uint8)
    finally:
        pool.set_limit(size=0)
    with pytest.raises(ValueError):
        pool.set_limit()


def test_memory_pointers():
    memory = cp.cuda.alloc(64)
    assert memory.mem.size == 64 and (memory + 8).ptr == memory.ptr + 8 and (memory + 8 - 8).ptr == memory.ptr
    host = np.arange(8, dtype=np.int64)
    memory.copy_from_host(ctypes.c_void_p(host.ctypes.data), 64)
    a = cp.ndarray((2, 2), np.int64, memptr=memory + 16)
    np.testing.assert_array_equal(a.get(), [[2, 3], [4, 5]])
    np.testing.assert_array_equal(cp.ndarray((3,), np.int64, memory + 56, strides=(-16,)).get(), [7, 5, 3])
    np.testing.assert_array_equal(cp.ndarray((2, 2), np.int64, memory, order="F").get(), [[0, 2], [1, 3]])
    a[...] = 9
    back = np.zeros_like(host)
    memory.copy_to_host(back.ctypes.data, 64)
    np.testing.assert_array_equal(back, [0, 1, 9, 9, 9, 9, 6, 7])
    other = cp.cuda.alloc(64)
    other.memset(0, 64)
    other.copy_from(memory + 48, 16)
    np.testing.assert_array_equal(cp.ndarray(8, np.int64, other).get(), [6, 7, 0, 0, 0, 0, 0, 0])
    for wrong in (
        lambda: memory.memset(0, 65),
        lambda: cp.ndarray(9, np.int64, memory),
        lambda: cp.ndarray(1, np.int64, memory - 8),
        lambda: cp.ndarray(1, np.int64, memory + 4),
    ):
        with pytest.raises(ValueError):
            wrong()
    assert a.data.ptr == memory.ptr + 16 and a.data.mem.ptr == memory.ptr


def test_memory_of_others():
    a = cp.arange(6)

    class Owner:
        gone = False

        def __del__(self):
            Owner.gone = True

    memory = cp.cuda.UnownedMemory(a.data.ptr, a.nbytes, Owner())
    b = cp.ndarray(3, a.dtype, cp.cuda.MemoryPointer(memory, 8))
    np.testing.assert_array_equal(b.get(), [1, 2, 3])
    b[:] = 0
    np.testing.assert_array_equal(a.get(), [0, 0, 0, 0, 4, 5])
    assert cp.may_share_memory(a, b)
    del memory
    cp.cuda.Device().synchronize()
    assert not Owner.gone
    del b
    cp.cuda.Device().synchronize()
    cp.zeros(1)
    assert Owner.gone


def test_allocators():
    asked = []

    def allocator(size):
        asked.append(size)
        return cp.get_default_memory_pool().malloc(size)

    with cp.cuda.using_allocator(allocator):
        assert cp.cuda.get_allocator() is allocator
        a = cp.arange(100, dtype=np.int32)
        b = a + 1
    assert asked[:2] == [400, 400] and int(b.sum()) == 5050
    count = len(asked)
    cp.zeros(10)
    assert len(asked) == count

    def broken(size):
        raise KeyError("no memory of mine")

    with cp.cuda.using_allocator(broken), pytest.raises(cp.cuda.memory.OutOfMemoryError, match="no memory of mine"):
        cp.empty(10)
    pool = cp.cuda.MemoryPool()
    cp.cuda.set_allocator(pool.malloc)
    assert int(cp.arange(4).sum()) == 6
    freed = []
    python = cp.cuda.PythonFunctionAllocator(lambda size, device: runtime.malloc(size), lambda ptr, device: (freed.append(ptr), runtime.free(ptr)))
    with cp.cuda.using_allocator(python.malloc):
        c = cp.arange(10)
    assert int(c.sum()) == 45
    del c
    cp.cuda.Device().synchronize()
    cp.zeros(1)
    assert len(freed) >= 1
    with cp.cuda.using_allocator(allocator), pytest.raises(ValueError):
        cp.cuda.set_allocator(allocator)
    with cp.cuda.using_allocator(allocator):
        found = []
        thread = threading.Thread(target=lambda: found.append(cp.cuda.get_allocator() is allocator))
        thread.start()
        thread.join()
        assert found == [False]


def test_managed_memory_and_pools_over_allocators():
    pool = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.arange(1000)
        b = a * 2
        assert pool.used_bytes() == pool.total_bytes() == 2 * 8192
    assert isinstance(b.data.mem, cp.cuda.BaseMemory) and int(b.sum()) == 999000
    del a, b
    cp.cuda.Device().synchronize()
    cp.zeros(1).get()
    cp.cuda.Device().synchronize()
    assert pool.used_bytes() == 0 and pool.n_free_blocks() == 2
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    memory = cp.cuda.ManagedMemory(4096)
    memory.advise(runtime.cudaMemAdviseSetPreferredLocation, cp.cuda.Device(0))
    memory.prefetch(cp.cuda.Stream.null)
    c = cp.ndarray(1024, np.float32, cp.cuda.MemoryPointer(memory, 0))
    c[...] = 3
    assert float(c.sum()) == 3072


def test_the_drivers_pools():
    for pool in (cp.cuda.MemoryAsyncPool(), cp.cuda.MemoryAsyncPool("create")):
        with cp.cuda.using_allocator(pool.malloc):
            a = cp.arange(1000)
        assert pool.used_bytes() >= 8000 and pool.total_bytes() >= pool.used_bytes()
        assert int(a.sum()) == 499500
        pool.set_limit(size=pool.used_bytes() + 100)
        with cp.cuda.using_allocator(pool.malloc), pytest.raises(cp.cuda.memory.OutOfMemoryError, match="limit"):
            cp.zeros(10000)
        pool.set_limit(size=0)
        assert pool.get_limit() == 0
        del a
        pool.free_all_blocks(cp.cuda.Stream.null)
        with pytest.raises(NotImplementedError):
            pool.n_free_blocks()
    with pytest.raises(ValueError):
        cp.cuda.MemoryAsyncPool("another")


def test_memory_hooks_are_called():
    file = io.StringIO()
    with cp.cuda.memory_hooks.DebugPrintHook(file=file):
        a = cp.empty(1000, np.float32)
        address = a.data.ptr
        del a
    records = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [line["hook"] for line in records if line["hook"] != "alloc"] == ["malloc", "free"]
    assert records[-1]["mem_ptr"] == address and records[-1]["mem_size"] == 4096
    hook = cp.cuda.memory_hooks.LineProfileHook()
    with hook:
        _a = cp.empty(1000, np.float32)
        with pytest.raises(KeyError):
            hook.__enter__()
    report = io.StringIO()
    hook.print_report(report)
    assert report.getvalue().startswith("_root (4.00KB") and "test_memory_hooks_are_called" in report.getvalue()

    class Rejecting(cp.cuda.MemoryHook):
        name = "Rejecting"

        def malloc_preprocess(self, **event):
            raise KeyError("not here")

    with Rejecting(), pytest.raises(ValueError, match="malloc_preprocess failed: KeyError: 'not here'"):
        cp.empty(10)
    cp.empty(10)


def test_graphs():
    stream = cp.cuda.Stream(non_blocking=True)
    a = cp.arange(100)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        b = a * 2
        c = b + 1
        with pytest.raises(cp.cuda.driver.CUDADriverError, match="no graph can do"):
            a.get()
        graph = stream.end_capture()
        assert not stream.is_capturing()
        graph.upload(stream)
        graph.launch()
    np.testing.assert_array_equal(c.get(), np.arange(100) * 2 + 1)
    a[...] = 7
    del b
    graph.launch(stream)
    np.testing.assert_array_equal(c.get(), np.full(100, 15))
    assert "digraph" in graph.debug_dot_str()
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorIllegalState.*does not capture"):
        stream.end_capture()
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorStreamCaptureUnsupported.*default stream"):
        cp.cuda.Stream.null.begin_capture()


def test_streams_fork_and_join_in_a_capture():
    first, second = cp.cuda.Stream(), cp.cuda.Stream()
    fork, join = cp.cuda.Event(), cp.cuda.Event()
    a = cp.arange(100.0)
    with first:
        first.begin_capture()
        b = a * 2
        fork.record(first)
        second.wait_event(fork)
        with second:
            c = b + 1
            assert second.is_capturing()
        d = b * 3
        join.record(second)
        first.wait_event(join)
        e = c + d
        graph = first.end_capture()
    for factor in (1, 5):
        a[...] = factor
        graph.launch(first)
        np.testing.assert_array_equal(e.get(), np.full(100, 8.0 * factor + 1))
    assert not first.is_capturing() and not second.is_capturing()
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorCapturedEvent"):
        fork.synchronize()


def fails(name, call):
    with pytest.raises(runtime.CUDARuntimeError, match=name) as error:
        call()
    assert error.value.status == getattr(runtime, name)


def test_errors_of_captures():
    first, second, event = cp.cuda.Stream(), cp.cuda.Stream(), cp.cuda.Event()
    a = cp.arange(3)
    with first:
        for wait in (first.synchronize, cp.cuda.Device().synchronize, lambda: first.launch_host_func(print, 1)):
            first.begin_capture()
            try:
                wait()
            except RuntimeError:
                pass
            else:
                raise AssertionError("a captured stream cannot be waited for")
            fails("cudaErrorStreamCaptureInvalidated", first.is_capturing)
            fails("cudaErrorStreamCaptureInvalidated", first.end_capture)
            assert not first.is_capturing()
        first.synchronize()
        # A synchronisation within a function does not invalidate a capture.
        first.begin_capture()
        with pytest.raises(RuntimeError, match="no graph can do"):
            cp.nonzero(a)
        fails("cudaErrorStreamCaptureImplicit", cp.cuda.Stream.null.is_capturing)
        fails("cudaErrorIllegalState", first.begin_capture)
        fails("cudaErrorIllegalState", second.end_capture)
        first.end_capture()
        first.begin_capture()
        event.record(first)
        second.wait_event(event)
        with second:
            b = a + 1
        fails("cudaErrorStreamCaptureUnjoined", first.end_capture)
        del b
        first.begin_capture()
        event.record(first)
        second.wait_event(event)
        fails("cudaErrorStreamCaptureUnmatched", second.end_capture)
        fails("cudaErrorStreamCaptureInvalidated", first.end_capture)
        event.record(second)
        first.begin_capture()
        fails("cudaErrorStreamCaptureIsolation", lambda: first.wait_event(event))
        fails("cudaErrorStreamCaptureInvalidated", first.end_capture)
    fails("cudaErrorIllegalState", lambda: runtime.streamEndCapture(second.ptr))


def test_the_current_stream_is_the_object_that_was_made_current():
    current = cp.cuda.get_current_stream
    null, first, second, third = cp.cuda.Stream.null, *(cp.cuda.Stream() for _ in range(3))
    assert current() is null
    try:
        for stream in (first, cp.cuda.Stream.ptds, cp.cuda.Stream(null=True), null):
            assert stream.use() is stream and current() is stream and current(0) is stream
        with first as entered:
            assert entered is first and current() is first
            with second:
                assert current() is second
            assert current() is first
            # A stream chosen by `use` is not kept at the end of a scope.
            second.use()
            assert current() is second
            with third:
                assert current() is third
            assert current() is first
            cp.arange(3).get(stream=third)
            runtime.memsetAsync(cp.zeros(3).data.ptr, 0, 8, third.ptr)
            assert current() is first
        assert current() is null
        external = cp.cuda.Stream.from_external(first)
        with external:
            assert current() is external and current() == first
        found = []
        thread = threading.Thread(target=lambda: found.append(current()))
        first.use()
        thread.start()
        thread.join()
        assert found[0] is null
    finally:
        null.use()


def test_what_is_deprecated():
    stream = cp.cuda.Stream()
    with pytest.warns(DeprecationWarning, match="from_external"):
        cp.cuda.ExternalStream(stream.ptr)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cp.cuda.Stream.from_external(stream)
    with pytest.warns(DeprecationWarning, match="randint"):
        cp.random.RandomState(1).random_integers(3, size=2)


def test_bus_ids_of_no_device():
    for bus_id in ("nonsense", "fake:id", "", "0:1:2:3:4", "zz:00.0"):
        fails("cudaErrorInvalidValue", lambda: cp.cuda.Device.from_pci_bus_id(bus_id))
    for bus_id in ("FFFF:FF:FF.F", "ff:1f"):
        fails("cudaErrorInvalidDevice", lambda: cp.cuda.Device.from_pci_bus_id(bus_id))
        fails("cudaErrorInvalidDevice", lambda: runtime.deviceGetByPCIBusId(bus_id))


def test_modules_say_whether_they_are_available():
    cuda = cp.cuda
    for module in (cuda.cub, cuda.nccl, cuda.nvtx, cuda.thrust):
        assert module.available is True
    for module in (cuda.cutensor, cuda.cusparse):
        assert module.available is False
    assert not hasattr(cuda.cub, "anything")


@pytest.mark.parametrize("order", ["C", "F", "K"])
@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0, 2), (4, 1, 2)])
def test_the_base_of_a_pinned_array_is_its_memory(shape, order):
    like = np.zeros((5, 2, 3), order="F").transpose(1, 0, 2)
    made = [cupyx.empty_like_pinned(like, order=order), cupyx.zeros_like_pinned(like, shape=shape, order=order)]
    if order != "K":
        made += [cupyx.empty_pinned(shape, order=order), cupyx.zeros_pinned(shape, "i2", order=order)]
    for a in made:
        assert isinstance(a.base, cp.cuda.PinnedMemoryPointer) and a.base.ptr == a.ctypes.data
        assert a.flags.writeable and a.flags.aligned
    assert made[0].shape == like.shape and not made[1].any()
    assert made[0].strides == np.empty_like(like, order=order).strides
    # Strides of empty arrays differ between NumPy's functions.
    if made[1].size:
        assert made[1].strides == np.zeros_like(like, shape=shape, order=order).strides
    for a in made[2:] if made[1].size else []:
        assert a.strides == np.empty(shape, a.dtype, order).strides


def test_graphs_of_the_runtime(tmp_path):
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    a = cp.zeros(10)
    with pytest.warns(DeprecationWarning):
        external = cp.cuda.ExternalStream(stream)
    with external:
        runtime.streamBeginCapture(stream, runtime.streamCaptureModeRelaxed)
        assert runtime.streamIsCapturing(stream)
        a += 1
        graph = runtime.streamEndCapture(stream)
    launchable = runtime.graphInstantiate(graph)
    runtime.graphDebugDotPrint(graph, str(tmp_path / "graph.dot"), 0)
    runtime.graphDestroy(graph)
    runtime.graphUpload(launchable, stream)
    for _ in range(3):
        runtime.graphLaunch(launchable, stream)
    np.testing.assert_array_equal(a.get(), np.full(10, 3.0))
    runtime.graphExecDestroy(launchable)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidResourceHandle"):
        runtime.graphLaunch(launchable, stream)


def test_waits_can_be_forbidden():
    a = cp.arange(3)
    with cupyx.allow_synchronize(False):
        b = a + 1
        for wait in (b.get, cp.cuda.Device().synchronize, cp.cuda.Stream.null.synchronize, lambda: int(b[0])):
            with pytest.raises(cupyx.DeviceSynchronized):
                wait()
        with cupyx.allow_synchronize(True):
            assert b.tolist() == [1, 2, 3]
    assert b.tolist() == [1, 2, 3]


def test_memory_of_the_runtime():
    pool = runtime.deviceGetMemPool(0)
    assert pool == runtime.deviceGetDefaultMemPool(0)
    made = runtime.memPoolCreate()
    address = runtime.mallocFromPoolAsync(1000, made, 0)
    assert runtime.memPoolGetAttribute(made, runtime.cudaMemPoolAttrUsedMemCurrent) >= 1000
    assert runtime.pointerGetAttributes(address).type == runtime.cudaMemoryTypeDevice
    runtime.memsetAsync(address, 1, 1000, 0)
    runtime.freeAsync(address, 0)
    runtime.deviceSynchronize()
    runtime.memPoolSetAttribute(made, runtime.cudaMemPoolAttrReleaseThreshold, 4096)
    assert runtime.memPoolGetAttribute(made, runtime.cudaMemPoolAttrReleaseThreshold) == 4096
    runtime.memPoolTrimTo(made, 0)
    runtime.memPoolDestroy(made)
    managed = runtime.mallocManaged(4096)
    runtime.memAdvise(managed, 4096, runtime.cudaMemAdviseSetReadMostly, 0)
    runtime.memPrefetchAsync(managed, 4096, 0, 0)
    assert runtime.pointerGetAttributes(managed).type == runtime.cudaMemoryTypeManaged
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.memAdvise(managed, 4096, 99, 0)
    host = np.arange(12, dtype=np.uint8)
    runtime.memcpy2D(managed, 4, host.ctypes.data, 6, 3, 2, runtime.memcpyHostToDevice)
    back = np.zeros(7, np.uint8)
    runtime.memset(managed + 3, 0, 1)
    runtime.memcpy(back.ctypes.data, managed, 7, runtime.memcpyDefault)
    np.testing.assert_array_equal(back, [0, 1, 2, 0, 6, 7, 8])
    runtime.free(managed)
    assert runtime.pointerGetAttributes(managed).type == runtime.cudaMemoryTypeUnregistered


def test_several_simulated_devices():
    if cp.cuda.is_available():
        pytest.skip("there is a GPU")
    program = """
import numpy as np
import cuprum as cp
from cuprum.cuda import runtime
assert runtime.getDeviceCount() == 2
a = cp.arange(4)
with cp.cuda.Device(1):
    b = cp.arange(4) * 2
    assert b.device.id == 1 and runtime.getDevice() == 1
assert runtime.getDevice() == 0 and a.device.id == 0
with cp.cuda.Device(1):
    for move in (cp.array, cp.asarray, cp.asanyarray, lambda a: a.copy(), lambda a: a.copy("F")):
        moved = move(a)
        assert moved.device.id == 1 and moved.tolist() == a.tolist()
    assert cp.asarray(moved) is moved and (a + 1).device.id == 0
try:
    cp.asarray(moved, copy=False)
    raise SystemExit("an array was moved without a copy")
except ValueError:
    pass
assert cp.asarray(a, device=cp.cuda.Device(1)).device.id == 1
try:
    a + b
    raise SystemExit("arrays of two devices were added")
except ValueError:
    pass
runtime.memcpyPeer(a.data.ptr, 0, b.data.ptr, 1, 32)
assert a.tolist() == [0, 2, 4, 6]
# Assignments copy between devices, and values of the host go to the device of the array.
b[:] = a + 1
assert b.tolist() == [1, 3, 5, 7] and b.device.id == 1
b[[0, 1]], b[np.array([False, False, True, False])], b[a[:1] + 3] = [8, 9], 4, np.int64(6)
assert b.tolist() == [8, 9, 4, 6]
b[1:3] = np.array([0, 1])
cp.add.at(b, [0, 0], a[1:3])
assert b.tolist() == [14, 0, 1, 6] and b[[3, 0]].tolist() == [6, 14]
b.set(np.arange(4))
assert b.tolist() == [0, 1, 2, 3]
b.fill(a[0] + 5)
assert b.tolist() == [5] * 4
found = cp.searchsorted(b, [4, 6])
assert found.tolist() == [0, 4] and found.device.id == 1 and runtime.getDevice() == 0
b[:] = a
assert runtime.deviceCanAccessPeer(0, 1) == 0
for allocator in (cp.cuda.malloc_async, cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
    cp.cuda.set_allocator(allocator)
    with cp.cuda.Device(1):
        c = cp.array(a) + b
        assert c.device.id == 1 and c.tolist() == [0, 4, 8, 12]
    assert cp.array(c).tolist() == [0, 4, 8, 12]
"""
    environment = dict(os.environ, CUPRUM_SIM_DEVICES="2", CUPRUM_DEVICE="sim")
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_pinned_memory():
    memory = cp.cuda.alloc_pinned_memory(80)
    host = np.frombuffer(memory, np.float64, 10)
    host[:] = np.arange(10)
    assert memory.size() == 80 and memory.ptr == host.ctypes.data
    np.testing.assert_array_equal(cp.asarray(host).get(), np.arange(10))
    assert (memory + 8).ptr == memory.ptr + 8 and (memory + 8).size() == 72
    pool = cp.cuda.PinnedMemoryPool()
    first = pool.malloc(1000)
    address = first.ptr
    assert pool.n_free_blocks() == 0
    del first
    assert pool.n_free_blocks() == 1 and pool.malloc(700).ptr == address
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


def test_the_runtimes_names():
    assert not runtime.is_hip and runtime.getDeviceCount() >= 1
    assert runtime.runtimeGetVersion() >= 11000 and cp.cuda.driver.get_build_version() >= 11000
    assert runtime.driverGetVersion() >= 0
    assert len(cp.cuda.nvrtc.getVersion()) == 2
    properties = runtime.getDeviceProperties(0)
    assert isinstance(properties["name"], bytes) and properties["warpSize"] == 32
    host = np.arange(4, dtype=np.int32)
    address = runtime.malloc(16)
    runtime.memcpy(address, host.ctypes.data, 16, runtime.memcpyHostToDevice)
    back = np.zeros(4, dtype=np.int32)
    runtime.memcpy(back.ctypes.data, address + 4, 12, runtime.memcpyDeviceToHost)
    np.testing.assert_array_equal(back, [1, 2, 3, 0])
    runtime.memset(address, 0, 8)
    stream = runtime.streamCreate()
    runtime.memcpyAsync(back.ctypes.data, address, 16, runtime.memcpyDeviceToHost, stream)
    np.testing.assert_array_equal(back, [0, 0, 2, 3])
    event = runtime.eventCreate()
    runtime.eventRecord(event, stream)
    runtime.streamSynchronize(stream)
    assert runtime.eventQuery(event) == runtime.streamQuery(stream) == 0
    runtime.eventDestroy(event)
    runtime.streamDestroy(stream)
    runtime.free(address)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidValue"):
        runtime.free(address)
    runtime.deviceSynchronize()
    free, total = runtime.memGetInfo()
    assert 0 < free <= total


def test_constants_of_the_runtime_are_cudas():
    assert (runtime.cudaDevAttrClockRate, runtime.cudaDevAttrMaxTexture2DGatherWidth, runtime.cudaDevAttrCooperativeLaunch) == (13, 45, 95)
    assert (runtime.cudaDevAttrMaxBlocksPerMultiprocessor, runtime.cudaDevAttrMemoryPoolSupportedHandleTypes) == (106, 119)
    assert runtime.deviceAttributeComputeCapabilityMinor == runtime.cudaDevAttrComputeCapabilityMinor == 76
    assert runtime.graphDebugDotFlagsHandles == runtime.cudaGraphDebugDotFlagsHandles == 1024
    assert runtime.memoryTypeManaged == 3 and runtime.cudaMemLocationTypeHostNumaCurrent == 4
    limit = runtime.deviceGetAttribute(runtime.cudaDevAttrMaxThreadsPerBlock, 0)
    assert limit == cp.cuda.Device(0).attributes["MaxThreadsPerBlock"] == runtime.getDeviceProperties(0)["maxThreadsPerBlock"]
    # Every property is read by an attribute that exists, and each attribute of several is a tuple.
    numbers = runtime._DEVICE_ATTRIBUTES
    assert {name for fields in runtime._PROPERTIES.values() for name in fields.split()} <= set(numbers)
    found = runtime.getDeviceProperties(0)
    assert found["maxThreadsDim"][0] == limit and len(found["maxGridSize"]) == 3 and found["major"] * 10 + found["minor"] >= 50
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert runtime.streamGetFlags(stream) == runtime.streamNonBlocking and runtime.streamGetPriority(stream) == 0
    runtime.streamDestroy(stream)
    runtime.check_status(0)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorMemoryAllocation"):
        runtime.check_status(2)


def test_pools_of_the_runtime_have_properties():
    here = runtime.MemPoolProps(runtime.cudaMemAllocationTypePinned, runtime.cudaMemHandleTypeNone, runtime.cudaMemLocationTypeDevice, 0)
    pool = runtime.memPoolCreate(here)
    assert runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrUsedMemCurrent) == 0
    runtime.memPoolDestroy(pool)
    here.handleType = runtime.cudaMemHandleTypePosixFileDescriptor
    with pytest.raises(NotImplementedError, match="handleType=1"):
        runtime.memPoolCreate(here)
    here.handleType, here.devId = runtime.cudaMemHandleTypeNone, 99
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidDevice"):
        runtime.memPoolCreate(here)


def test_what_is_not_there_yet_says_so():
    with pytest.raises(NotImplementedError, match="not there yet"):
        cp.cuda.malloc_system(8)


def test_profiler_and_ranges_need_no_profiler():
    with cp.cuda.profile():
        cp.cuda.nvtx.RangePush("work")
        cp.cuda.nvtx.Mark("here")
        cp.cuda.nvtx.RangePop()


def test_ranges_have_their_old_name(monkeypatch):
    seen = []
    monkeypatch.setattr(cp.cuda.nvtx, "RangePush", lambda message, color: seen.append((message, color)))
    monkeypatch.setattr(cp.cuda.nvtx, "RangePop", lambda: seen.append("end"))
    from cuprum import prof

    @prof.TimeRangeDecorator(color_id=2, sync=True)
    def step(x):
        return x + 1

    assert step(1) == 2 and step(2) == 3
    with prof.time_range("part"):
        pass
    assert seen == [("step", 2), "end", ("step", 2), "end", ("part", -1), "end"]
