"""A struct as a kernel argument: falling particles, with records packed on the host by a NumPy dtype."""

import cupy as cp
import numpy as np

source = r'''
struct World {
    float gravity;
    float step;
    int steps;
};

template <typename T>
__device__ T bounce(T height, T* speed) {
    if (height >= 0) return height;
    *speed = -*speed;
    return -height;
}

extern "C" __global__
void fall(const World world, float* height, float* speed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float h = height[i], v = speed[i];
    for (int s = 0; s < world.steps; ++s) {
        v -= world.gravity * world.step;
        h = bounce(h + v * world.step, &v);
    }
    height[i] = h;
    speed[i] = v;
}
'''

World = np.dtype([('gravity', np.float32), ('step', np.float32), ('steps', np.int32)], align=True)


def on_host(world, height, speed):
    """Computes the same with NumPy."""
    height, speed = height.copy(), speed.copy()
    for _ in range(int(world['steps'])):
        speed -= world['gravity'] * world['step']
        height += speed * world['step']
        below = height < 0
        speed[below] *= -1
        height[below] *= -1
    return height, speed


def main(n=200):
    world = np.zeros((), dtype=World)
    world['gravity'], world['step'], world['steps'] = 9.81, 0.01, 50
    rng = np.random.default_rng(5)
    start, speed = rng.uniform(0.5, 2, n).astype(np.float32), rng.normal(size=n).astype(np.float32)

    module = cp.RawModule(code=source, options=('--std=c++14',))
    kernel = module.get_function('fall')
    height_gpu, speed_gpu = cp.asarray(start), cp.asarray(speed)
    kernel(((n + 63) // 64,), (64,), (world, height_gpu, speed_gpu, np.int32(n)))

    height_cpu, speed_cpu = on_host(world, start, speed)
    cp.testing.assert_allclose(height_gpu, height_cpu, rtol=1e-3, atol=1e-3)
    return {'height': height_gpu, 'speed': speed_gpu}


if __name__ == '__main__':
    print('mean height:', main()['height'].mean())
