"""sigpy on the device: linear operators, transforms, and apps of iterations."""

import cupy as cp
import numpy as np
import sigpy as sp

rng = np.random.default_rng(0)
device = sp.Device(0)
host = rng.normal(size=(8, 6)) + 1j * rng.normal(size=(8, 6))
x = sp.to_device(host, device)
assert isinstance(x, cp.ndarray) and sp.get_array_module(x) is cp


def same(result, expected, rtol=1e-6):
    assert isinstance(result, cp.ndarray), type(result)
    np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=rtol, atol=rtol)


same(sp.fft(x), sp.fft(host))
same(sp.ifft(x, axes=[0]), sp.ifft(host, axes=[0]))
same(sp.resize(x, (10, 4)), sp.resize(host, (10, 4)))
same(sp.circshift(x, (1, 2)), sp.circshift(host, (1, 2)))
same(sp.downsample(x, (2, 1)), sp.downsample(host, (2, 1)))
same(sp.soft_thresh(0.5, x), sp.soft_thresh(0.5, host))
for operator in (
    sp.linop.FFT((8, 6)),
    sp.linop.Resize((4, 4), (8, 6)),
    sp.linop.FiniteDifference((8, 6)),
    sp.linop.Multiply((8, 6), 2.0),
    sp.linop.Sum((8, 6), (0,)),
):
    same(operator(x), operator(host))
    same(operator.H(operator(x)), operator.H(operator(host)))
matrix, right = rng.normal(size=(6, 4)), rng.normal(size=(6, 1))
solution = sp.app.LinearLeastSquares(sp.linop.MatMul((4, 1), sp.to_device(matrix, device)), sp.to_device(right, device), max_iter=100, show_pbar=False).run()
same(solution, np.linalg.lstsq(matrix, right, rcond=None)[0], 1e-4)
coordinates = rng.uniform(-3, 3, size=(20, 2))
same(sp.nufft(x, sp.to_device(coordinates, device)), sp.nufft(host, coordinates), 1e-4)
