"""User-defined kernels: elementwise, a reduction, and plain CUDA."""

import cupy as cp
import numpy as np

squared_diff = cp.ElementwiseKernel('T x, T y', 'T z', 'z = (x - y) * (x - y)', 'squared_diff')

# The neighbours of an element are accessed by index.
smooth = cp.ElementwiseKernel(
    'raw T x, int64 n',
    'T y',
    '''
    T left = x[i == 0 ? 0 : i - 1], right = x[i == n - 1 ? n - 1 : i + 1];
    y = (left + x[i] + right) / 3;
    ''',
    'smooth',
)

l2norm = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm')

axpy = cp.RawKernel(
    r'''
extern "C" __global__
void axpy(float a, const float* x, float* y, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
''',
    'axpy',
)


def main(n=1000):
    rng = np.random.RandomState(3)
    x, y = (rng.rand(n).astype(np.float32) for _ in range(2))
    dx, dy = cp.asarray(x), cp.asarray(y)

    diff = squared_diff(dx, dy)
    cp.testing.assert_allclose(diff, (x - y) ** 2, rtol=1e-6)
    cp.testing.assert_allclose(squared_diff(dx.reshape(10, 100), 0.5), (x.reshape(10, 100) - np.float32(0.5)) ** 2, rtol=1e-6)

    smoothed = smooth(dx, n, cp.empty_like(dx))
    padded = np.pad(x, 1, mode='edge')
    cp.testing.assert_allclose(smoothed, (padded[:-2] + padded[1:-1] + padded[2:]) / 3, rtol=1e-5)

    cp.testing.assert_allclose(l2norm(dx.reshape(10, 100), axis=1), np.sqrt((x.reshape(10, 100) ** 2).sum(axis=1)), rtol=1e-5)

    threads = 128
    axpy(((n + threads - 1) // threads,), (threads,), (np.float32(2), dx, dy, np.int32(n)))
    cp.testing.assert_allclose(dy, y + 2 * x, rtol=1e-6)
    return {'norm': l2norm(dx)}


if __name__ == '__main__':
    print('norm:', main()['norm'])
