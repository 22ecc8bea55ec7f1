"""Rotation of an image: a texture is interpolated between its texels, and black outside."""

import cupy as cp
from cupy.cuda import runtime, texture

TURN = cp.RawKernel(
    r'''
extern "C" __global__ void turn(cudaTextureObject_t picture, float *out, int width, int height, float cosine, float sine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float dx = x + 0.5f - 0.5f * width, dy = y + 0.5f - 0.5f * height;
    float u = cosine * dx - sine * dy + 0.5f * width, v = sine * dx + cosine * dy + 0.5f * height;
    out[y * width + x] = tex2D<float>(picture, u, v);
}
''',
    'turn',
)


def rotated(picture, angle):
    """Returns the image rotated about its centre."""
    height, width = picture.shape
    pixels = texture.CUDAarray(texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat), width, height)
    pixels.copy_from(picture)
    how = texture.TextureDescriptor([runtime.cudaAddressModeBorder] * 2, runtime.cudaFilterModeLinear)
    of_pixels = texture.TextureObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=pixels), how)
    out = cp.empty_like(picture)
    grid = ((width + 15) // 16, (height + 15) // 16)
    TURN(grid, (16, 16), (of_pixels, out, width, height, float(cp.cos(angle)), float(cp.sin(angle))))
    return out


def main():
    """Rotates a bar by a right angle, and a disc by an arbitrary one."""
    y, x = cp.mgrid[-31.5:32, -31.5:32].astype(cp.float32)
    bar = (abs(y) < 4).astype(cp.float32)
    off = float(abs(rotated(bar, cp.pi / 2) - bar.T).max())
    disc = cp.exp(-(x * x + y * y) / 200)
    moved = float(abs(rotated(disc, 0.7) - disc)[8:-8, 8:-8].max())
    print(f'a bar is off by {off:.1e}, a disc by {moved:.1e}')
    # Interpolation weights have 8 bits: an edge differs by at most one step of them, and a disc by its curvature.
    assert off <= 1 / 128 and moved < 0.01


if __name__ == '__main__':
    main()
