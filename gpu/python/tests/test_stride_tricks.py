"""Tests of windows against NumPy."""

import numpy as np
import pytest

import cuprum as cp

CASES = [((6,), 3, None), ((4, 5), (2, 3), None), ((4, 5), 2, 1), ((4, 5), (2, 2), (1, 1)), ((4, 5), (), ()), ((3,), 1, -1)]
REJECTED = [((6,), 7, None), ((4, 5), 2, None), ((4, 5), (2, 2), 0), ((4,), -1, None), ((4,), 2, 1)]


@pytest.mark.parametrize('shape, window, axis', CASES)
def test_windows(shape, window, axis):
    a = np.arange(np.prod(shape)).reshape(shape)
    expected = np.lib.stride_tricks.sliding_window_view(a, window, axis)
    ours = cp.lib.stride_tricks.sliding_window_view(cp.asarray(a), window, axis)
    assert ours.strides == expected.strides
    np.testing.assert_array_equal(ours.get(), expected)


@pytest.mark.parametrize('shape, window, axis', REJECTED)
def test_rejected(shape, window, axis):
    with pytest.raises(ValueError) as theirs:
        np.lib.stride_tricks.sliding_window_view(np.zeros(shape), window, axis)
    with pytest.raises(type(theirs.value)):
        cp.lib.stride_tricks.sliding_window_view(cp.zeros(shape), window, axis)
