"""Devices, streams, events, memory and the runtime under CuPy's names."""

import ctypes
import threading

import numpy as np
import pytest

import cuprum as cp
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


def test_streams_of_others():
    stream = cp.cuda.Stream()
    other = cp.cuda.ExternalStream(stream.ptr)
    assert other == stream and cp.cuda.Stream.from_external(stream) == stream
    with other:
        assert int(cp.arange(10).sum()) == 45
    with pytest.raises(NotImplementedError, match="each thread"):
        cp.cuda.ExternalStream(2)


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
    for wrong in (lambda: memory.memset(0, 65), lambda: cp.ndarray(9, np.int64, memory),
                  lambda: cp.ndarray(1, np.int64, memory - 8), lambda: cp.ndarray(1, np.int64, memory + 4)):
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
    python = cp.cuda.PythonFunctionAllocator(lambda size, device: runtime.malloc(size),
                                             lambda ptr, device: (freed.append(ptr), runtime.free(ptr)))
    with cp.cuda.using_allocator(python.malloc):
        c = cp.arange(10)
    assert int(c.sum()) == 45
    del c
    cp.cuda.Device().synchronize()
    cp.zeros(1)
    assert len(freed) >= 1
    with pytest.raises(NotImplementedError):
        cp.cuda.set_allocator(cp.cuda.malloc_managed)


def test_pinned_memory():
    memory = cp.cuda.alloc_pinned_memory(80)
    host = np.frombuffer(memory, np.float64, 10)
    host[:] = np.arange(10)
    assert memory.size() == 80 and memory.ptr == host.ctypes.data
    np.testing.assert_array_equal(cp.asarray(host).get(), np.arange(10))
    assert (memory + 8).ptr == memory.ptr + 8 and (memory + 8).size() == 72


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


def test_what_is_not_there_yet_says_so():
    for call in (lambda: runtime.mallocManaged(8), cp.cuda.Graph, cp.cuda.MemoryAsyncPool,
                 cp.cuda.Stream().begin_capture, cp.cuda.texture.TextureObject, cp.cuda.memory_hook.MemoryHook().__enter__,
                 lambda: cp.cuda.Stream(ptds=True)):
        with pytest.raises(NotImplementedError, match="not there yet|no hook"):
            call()


def test_profiler_and_ranges_need_no_profiler():
    with cp.cuda.profile():
        cp.cuda.nvtx.RangePush("work")
        cp.cuda.nvtx.Mark("here")
        cp.cuda.nvtx.RangePop()
