"""Textures and surfaces under CuPy's names, and what processes share, against NumPy."""

import cuprum as cp
import numpy as np
import pytest
from cuprum.cuda import runtime, texture

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
    # Weights have 8 bits of a fraction: quarters are exact.
    x = cp.arange(-2, 10, 0.25, dtype=np.float32)
    out = cp.zeros_like(x)
    kernel('one')((1,), (64,), (made, x, out, x.size))
    np.testing.assert_array_equal(out.get(), np.interp(x.get() - 0.5, np.arange(8), values).astype(np.float32))
    assert made.ResDesc.cuArr is array and made.TexDesc is how and isinstance(made.ptr, int)


def test_channels_and_rows_of_memory():
    a = cp.arange(3 * 32, dtype=np.float32).reshape(3, 32)
    rows = texture.ResourceDescriptor(runtime.cudaResourceTypePitch2D, arr=a, chDesc=of_floats(4), width=8, height=3,
                                      pitchInBytes=a.strides[0])
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
    told = texture.TextureDescriptor([1, 2], 1, 1, True, (0.5,), True, 4).get_texture_desc()
    assert told == {'addressMode': (1, 2, 0), 'filterMode': 1, 'readMode': 1, 'sRGB': 1,
                    'borderColor': (0.5, 0.0, 0.0, 0.0), 'normalizedCoords': 1, 'maxAnisotropy': 4}


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
    for call in (lambda: runtime.ipcGetMemHandle(a.data.ptr), lambda: cp.cuda.Event(interprocess=True),
                 lambda: runtime.ipcOpenMemHandle(bytes(64)), lambda: runtime.ipcOpenEventHandle(bytes(64))):
        with pytest.raises(NotImplementedError, match='the simulator has no such thing'):
            call()
    with pytest.raises(ValueError, match='64 bytes, not 3'):
        runtime.ipcOpenMemHandle(b'abc')
