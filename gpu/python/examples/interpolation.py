"""Interpolation of an irregularly sampled signal on a regular grid, and its derivative."""

import cupy as cp
import numpy as np


def main(samples=200, points=501):
    times = cp.asarray(np.sort(np.random.default_rng(5).uniform(0, 2 * np.pi, samples)))
    values = cp.sin(times)
    grid = cp.linspace(0, 2 * cp.pi, points)
    even = cp.interp(grid, times, values)
    slope = cp.gradient(even, float(grid[1] - grid[0]))
    worst = cp.abs(even - cp.sin(grid)).max()
    assert float(worst) < 0.05
    return {'even': even, 'slope': slope, 'worst': worst}


if __name__ == '__main__':
    print('largest error of the interpolation:', float(main()['worst']))
