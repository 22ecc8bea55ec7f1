"""Tests of textures, surfaces and the runtime's functions for them under CuPy's names, and of sharing between
processes, against NumPy."""

import ctypes

import cuprum as cp
import numpy as np
import pytest
from cuprum.cuda import _arrays, runtime, texture

KERNELS = r"""
extern "C" __global__ void one(cudaTextureObject_t t, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, x[i]);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(t, i);
}
extern "C" __global__ void two(cudaTextureObject_t t, float *out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) {
        float4 c = tex2D<float4>(t, x + 0.5f, y + 0.5f);
        out[y * width + x] = c.x + 10.0f * c.y + 100.0f * c.z + 1000.0f * c.w;
    }
}
extern "C" __global__ void twice(cudaSurfaceObject_t s, int width, int height, int depth) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (x < width && y < height && z < depth) {
        surf3Dwrite<float>(2.0f * surf3Dread<float>(s, x * 4, y, z), s, x * 4, y, z);
    }
}
"""


def kernel(name):
    return cp.RawKernel(KERNELS, name)


def of_floats(channels=1):
    return texture.ChannelFormatDescriptor(*[32] * channels, *[0] * (4 - channels), runtime.cudaChannelFormatKindFloat)


def of_array(array):
    return texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)


@pytest.mark.parametrize('shape', [(8,), (5, 8), (3, 5, 8)])
@pytest.mark.parametrize('on_host', [False, True])
def test_arrays_come_back_as_they_went(shape, on_host):
    a = np.random.default_rng(0).random(shape[:-1] + (shape[-1] * 2,), dtype=np.float32)
    array = texture.CUDAarray(of_floats(2), *shape[::-1])
    assert array.ndim == len(shape) and array.ptr
    array.copy_from(a if on_host else cp.asarray(a), cp.cuda.Stream(non_blocking=True) if on_host else None)
    cp.cuda.runtime.deviceSynchronize()
    if on_host:
        back = np.empty_like(a)
        array.copy_to(back)
    else:
        back = cp.empty_like(cp.asarray(a))
        array.copy_to(back)
        back = back.get()
    np.testing.assert_array_equal(back, a)


def test_linear_filtering_is_interpolation():
    values = np.arange(8, dtype=np.float32) ** 2
    array = texture.CUDAarray(of_floats(), 8)
    array.copy_from(values)
    how = texture.TextureDescriptor([runtime.cudaAddressModeClamp], runtime.cudaFilterModeLinear)
    made = texture.TextureObject(of_array(array), how)
    # Weights have 8 fraction bits: quarters are exact.
    x = cp.arange(-2, 10, 0.25, dtype=np.float32)
    out = cp.zeros_like(x)
    kernel('one')((1,), (64,), (made, x, out, x.size))
    np.testing.assert_array_equal(out.get(), np.interp(x.get() - 0.5, np.arange(8), values).astype(np.float32))
    assert made.ResDesc.cuArr is array and made.TexDesc is how and isinstance(made.ptr, int)


def test_channels_and_rows_of_memory():
    a = cp.arange(3 * 32, dtype=np.float32).reshape(3, 32)
    rows = texture.ResourceDescriptor(runtime.cudaResourceTypePitch2D, arr=a, chDesc=of_floats(4), width=8, height=3, pitchInBytes=a.strides[0])
    assert rows.get_resource_desc()['pitch2D']['devPtr'] == a.data.ptr
    made = texture.TextureObject(rows, texture.TextureDescriptor([runtime.cudaAddressModeClamp] * 2))
    del rows
    out = cp.zeros((3, 8), dtype=np.float32)
    kernel('two')((1,), (8, 4), (made, out, 8, 3))
    np.testing.assert_array_equal(out.get(), a.get().reshape(3, 8, 4) @ [1, 10, 100, 1000])


def test_linear_memory_is_read_by_number():
    a = cp.arange(16, dtype=np.float32)
    linear = texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=a, chDesc=of_floats(), sizeInBytes=40)
    made = texture.TextureObject(linear, texture.TextureDescriptor())
    out = cp.full(16, -1, dtype=np.float32)
    kernel('fetch')((1,), (16,), (made, out, 16))
    np.testing.assert_array_equal(out.get(), [*range(10), *[0] * 6])


def test_elementwise_kernels_take_textures():
    array = texture.CUDAarray(of_floats(), 4, 3)
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    array.copy_from(values)
    how = texture.TextureDescriptor([runtime.cudaAddressModeClamp] * 2)
    made = texture.TextureObject(of_array(array), how)
    look = cp.ElementwiseKernel('U t, int32 width', 'T out', 'out = tex2D<T>(t, i % width, i / width)', 'look')
    out = cp.zeros((3, 4), dtype=np.float32)
    look(made, 4, out)
    np.testing.assert_array_equal(out.get(), values)


def test_surfaces_are_written():
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    array = texture.CUDAarray(of_floats(), 4, 3, 2, runtime.cudaArraySurfaceLoadStore)
    array.copy_from(a)
    surface = texture.SurfaceObject(of_array(array))
    kernel('twice')((1,), (4, 3, 2), (surface, 4, 3, 2))
    out = cp.empty_like(cp.asarray(a))
    array.copy_to(out)
    np.testing.assert_array_equal(out.get(), 2 * a)


def test_descriptors_tell_what_they_were_given():
    assert of_floats(2).get_channel_format() == {'x': 32, 'y': 32, 'z': 0, 'w': 0, 'f': 2}
    described = texture.TextureDescriptor([1, 2], 1, 1, True, (0.5,), True, 4).get_texture_desc()
    assert described == {
        'addressMode': (1, 2, 0),
        'filterMode': 1,
        'readMode': 1,
        'sRGB': 1,
        'borderColor': (0.5, 0.0, 0.0, 0.0),
        'normalizedCoords': 1,
        'maxAnisotropy': 4,
    }


def test_what_cannot_be_says_so():
    array = texture.CUDAarray(of_floats(), 8, 2)
    with pytest.raises(ValueError, match=r'takes \(2, 8\)'):
        array.copy_from(np.zeros((8, 2), dtype=np.float32))
    with pytest.raises(TypeError, match='float64'):
        array.copy_from(np.zeros((2, 8)))
    with pytest.raises(ValueError, match='not for surfaces'):
        texture.SurfaceObject(of_array(array))
    with pytest.raises(ValueError, match='give cuArr'):
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray)
    with pytest.raises(ValueError, match='no mode of addresses'):
        texture.TextureObject(of_array(array), texture.TextureDescriptor([7]))
    with pytest.raises(ValueError, match='1, 2 or 4 channels'):
        texture.CUDAarray(of_floats(3), 8)


def test_processes_share_memory_on_gpus_and_not_on_the_simulator():
    a = cp.arange(4)
    if runtime.driverGetVersion():
        assert len(runtime.ipcGetMemHandle(a.data.ptr)) == 64
        event = cp.cuda.Event(interprocess=True)
        assert event.done
        return
    for call in (
        lambda: runtime.ipcGetMemHandle(a.data.ptr),
        lambda: cp.cuda.Event(interprocess=True),
        lambda: runtime.ipcOpenMemHandle(bytes(64)),
        lambda: runtime.ipcOpenEventHandle(bytes(64)),
    ):
        with pytest.raises(NotImplementedError, match='CUDA devices alone do'):
            call()
    with pytest.raises(ValueError, match='64 bytes, not 3'):
        runtime.ipcOpenMemHandle(b'abc')


def failing(status, call, *args):
    with pytest.raises(runtime.CUDARuntimeError) as caught:
        call(*args)
    assert caught.value.status == status


def test_levels_are_requested():
    pixels = texture.MipmappedArray(of_floats(), 8, 4, levels=3)
    for k in range(3):
        level = pixels.level(k)
        assert (level.width, level.height, level.ndim) == (8 >> k, 4 >> k, 2)
        level.copy_from(np.full((4 >> k, 8 >> k), 10.0 * k, dtype=np.float32))
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray, cuArr=pixels)
    how = dict(addressModes=[runtime.cudaAddressModeClamp] * 2, normalizedCoords=True)
    look = cp.RawKernel(
        'extern "C" __global__ void look(cudaTextureObject_t t, const float *level, float *out) {'
        '  out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, level[threadIdx.x]); }',
        'look',
    )
    level = cp.array([0, 0.25, 1, 1.75, 2, 9], dtype=np.float32)
    for more, wanted in [
        ({}, [0, 0, 10, 20, 20, 20]),
        ({'mipmapFilterMode': runtime.cudaFilterModeLinear}, [0, 2.5, 10, 17.5, 20, 20]),
        ({'mipmapLevelBias': 1.0}, [10, 10, 20, 20, 20, 20]),
        ({'minMipmapLevelClamp': 1, 'maxMipmapLevelClamp': 1}, [10] * 6),
    ]:
        made = texture.TextureObject(resource, texture.TextureDescriptor(**how, **more))
        out = cp.zeros(6, dtype=np.float32)
        look((1,), (6,), (made, level, out))
        assert out.tolist() == wanted, more
    with pytest.raises(ValueError, match='a SurfaceObject|CUDAarray is needed'):
        texture.SurfaceObject(resource)
    with pytest.raises(ValueError, match='normalised'):
        texture.TextureObject(resource, texture.TextureDescriptor())


def test_a_cube_is_sampled_along_a_direction():
    flags = runtime.cudaArrayCubemap
    faces = texture.CUDAarray(of_floats(), 2, 2, 6, flags)
    faces.copy_from(np.repeat(np.arange(6, dtype=np.float32), 4).reshape(6, 2, 2))
    made = texture.TextureObject(of_array(faces), texture.TextureDescriptor(normalizedCoords=True))
    look = cp.RawKernel(
        'extern "C" __global__ void look(cudaTextureObject_t t, const float3 *d, float *out) {'
        '  float3 v = d[threadIdx.x]; out[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z); }',
        'look',
    )
    along = cp.concatenate([cp.eye(3), -cp.eye(3)]).astype(np.float32) + np.float32(0.25)
    out = cp.zeros(6, dtype=np.float32)
    look((1,), (6,), (made, along, out))
    assert out.tolist() == [0, 2, 4, 1, 3, 5]


@pytest.mark.parametrize('on_host', [False, True])
def test_the_runtime_copies_boxes_of_arrays(on_host):
    to, back = (runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost) if on_host else (runtime.memcpyDeviceToDevice, runtime.memcpyDeviceToDevice)
    of = of_floats()
    array = runtime.mallocArray(of.ptr, 6, 4)
    values = np.arange(4 * 8, dtype=np.float32).reshape(4, 8)
    source = values if on_host else cp.asarray(values)
    address = (lambda a: a.ctypes.data) if on_host else (lambda a: a.data.ptr)
    runtime.memcpy2DToArray(array, 0, 0, address(source), 32, 24, 4, to)
    part = np.full((2, 8), -1, dtype=np.float32)
    target = part if on_host else cp.asarray(part)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.runtime.deviceSynchronize()
    runtime.memcpy2DFromArrayAsync(address(target), 32, array, 8, 1, 12, 2, back, stream.ptr)
    stream.synchronize()
    part[:, :3] = values[1:3, 2:5]
    np.testing.assert_array_equal(target if on_host else target.get(), part)
    failing(runtime.cudaErrorInvalidValue, runtime.memcpy2DToArray, array, 16, 0, address(source), 32, 24, 4, to)
    failing(runtime.cudaErrorInvalidMemcpyDirection, runtime.memcpy2DToArray, array, 0, 0, address(source), 32, 24, 4, 0)
    runtime.freeArray(array)
    failing(runtime.cudaErrorInvalidValue, runtime.freeArray, array)
    failing(runtime.cudaErrorInvalidResourceHandle, runtime.memcpy2DToArray, array, 0, 0, address(source), 32, 24, 4, to)


def test_the_runtime_copies_as_a_struct_says():
    of = of_floats()
    first, second = (runtime.malloc3DArray(of.ptr, 4, 3, 2) for _ in range(2))
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    parms = _arrays.Memcpy3DParms(dstArray=first, kind=runtime.memcpyHostToDevice)
    parms.srcPtr = type(parms.srcPtr)(values.ctypes.data, 16, 4, 3)
    parms.extent = type(parms.extent)(4, 3, 2)
    runtime.memcpy3D(ctypes.addressof(parms))
    # A part, copied from array to array, with positions in elements.
    whole = _arrays.Memcpy3DParms(srcArray=first, dstArray=second, extent=parms.extent, kind=runtime.memcpyDeviceToDevice)
    runtime.memcpy3D(ctypes.addressof(whole))
    part = _arrays.Memcpy3DParms(srcArray=first, dstArray=second, kind=runtime.memcpyDeviceToDevice)
    part.srcPos.x, part.srcPos.y, part.dstPos.z = 1, 1, 1
    part.extent = type(parms.extent)(2, 2, 1)
    runtime.memcpy3DAsync(ctypes.addressof(part), 0)
    out = cp.zeros((2, 3, 4), dtype=np.float32)
    back = _arrays.Memcpy3DParms(srcArray=second, extent=parms.extent, kind=runtime.memcpyDeviceToDevice)
    back.dstPtr = type(parms.srcPtr)(out.data.ptr, 16, 4, 3)
    runtime.memcpy3D(ctypes.addressof(back))
    wanted = values.copy()
    wanted[1, :2, :2] = values[0, 1:3, 1:3]
    np.testing.assert_array_equal(out.get(), wanted)
    # From memory to memory the width is in bytes.
    again = np.zeros_like(values)
    plain = _arrays.Memcpy3DParms(kind=runtime.memcpyDeviceToHost, extent=type(parms.extent)(16, 3, 2))
    plain.srcPtr, plain.dstPtr = back.dstPtr, type(parms.srcPtr)(again.ctypes.data, 16, 4, 3)
    runtime.memcpy3D(ctypes.addressof(plain))
    np.testing.assert_array_equal(again, wanted)
    failing(runtime.cudaErrorInvalidValue, runtime.memcpy3D, 0)
    for array in (first, second):
        runtime.freeArray(array)


def test_the_runtime_makes_textures_and_surfaces_of_structs():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = texture.CUDAarray(of_floats(), 4, 3, 0, runtime.cudaArraySurfaceLoadStore)
    array.copy_from(values)
    of, how = of_array(array), texture.TextureDescriptor([runtime.cudaAddressModeClamp] * 2)
    made = runtime.createTextureObject(of.ptr, how.ptr)
    look = cp.RawKernel(
        'extern "C" __global__ void look(cudaTextureObject_t t, float *out) {'
        '  out[threadIdx.y * 4 + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y); }',
        'look',
    )
    out = cp.zeros((3, 4), dtype=np.float32)
    look((1,), (4, 3), (np.uint64(made), out))
    np.testing.assert_array_equal(out.get(), values)
    line = cp.arange(16, dtype=np.float32)
    of_line = texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=line, chDesc=of_floats(), sizeInBytes=64)
    by_number = runtime.createTextureObject(of_line.ptr, how.ptr)
    out = cp.zeros(16, dtype=np.float32)
    kernel('fetch')((1,), (16,), (np.uint64(by_number), out, 16))
    np.testing.assert_array_equal(out.get(), line.get())
    surface = runtime.createSurfaceObject(of.ptr)
    put = cp.RawKernel('extern "C" __global__ void put(cudaSurfaceObject_t s) {  surf2Dwrite<float>(7.0f, s, threadIdx.x * 4, 1); }', 'put')
    put((1,), (4,), (np.uint64(surface),))
    back = np.empty((3, 4), dtype=np.float32)
    array.copy_to(back)
    values[1] = 7
    np.testing.assert_array_equal(back, values)
    for handle in (made, by_number):
        runtime.destroyTextureObject(handle)
    failing(runtime.cudaErrorInvalidValue, runtime.destroyTextureObject, made)
    runtime.destroySurfaceObject(surface)
    failing(runtime.cudaErrorInvalidValue, runtime.createSurfaceObject, of_line.ptr)


def test_memory_of_the_host_is_registered_once():
    values = np.arange(1024, dtype=np.float32)
    runtime.hostRegister(values.ctypes.data, values.nbytes, runtime.hostRegisterPortable)
    failing(runtime.cudaErrorHostMemoryAlreadyRegistered, runtime.hostRegister, values.ctypes.data, values.nbytes, 0)
    np.testing.assert_array_equal(cp.asarray(values).get(), values)
    runtime.hostUnregister(values.ctypes.data)
    failing(runtime.cudaErrorHostMemoryNotRegistered, runtime.hostUnregister, values.ctypes.data)
    failing(runtime.cudaErrorInvalidValue, runtime.hostRegister, values.ctypes.data, 4, 1 << 20)
    block = runtime.hostAlloc(4096, runtime.hostAllocPortable)
    runtime.memcpy(block, values.ctypes.data, 4096, runtime.memcpyHostToHost)
    runtime.freeHost(block)
    failing(runtime.cudaErrorPeerAccessNotEnabled, runtime.deviceDisablePeerAccess, 0)
