"""Mean, deviation and extremes of a moving window over a series."""

import cupy as cp
import numpy as np
from cupy.lib.stride_tricks import sliding_window_view


def main(n=300, window=12):
    series = cp.asarray(np.random.default_rng(31).normal(size=n).cumsum())
    windows = sliding_window_view(series, window)
    mean, deviation = windows.mean(axis=1), windows.std(axis=1)
    # The same by a cumulative sum.
    total = cp.concatenate([cp.zeros(1), cp.cumsum(series)])
    cp.testing.assert_allclose(mean, (total[window:] - total[:-window]) / window, atol=1e-9)
    smooth = cp.convolve(series, cp.ones(window) / window, mode='valid')
    cp.testing.assert_allclose(mean, smooth, atol=1e-9)
    score = (series[window - 1 :] - mean) / deviation
    return {'mean': mean, 'deviation': deviation, 'high': windows.max(axis=1), 'low': windows.min(axis=1), 'odd': cp.flatnonzero(cp.abs(score) > 2)}


if __name__ == '__main__':
    print('odd values after', main()['odd'].tolist())
