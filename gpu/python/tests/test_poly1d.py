"""Tests of polynomial objects and of functions of coefficients against NumPy's."""

import warnings

import numpy as np
import pytest

import cuprum as cp
from cuprum import cupyx
from same import equal, same


def shown(found):
    """Returns the class and the coefficients, or the elements."""
    if isinstance(found, tuple):
        return tuple(map(shown, found))
    if isinstance(found, (np.poly1d, cp.poly1d)):
        return ('poly1d', found.coeffs)
    return ('array', found)


def p_of(xp):
    return xp.poly1d(xp.array([1, 2, 3], 'f4'))


CALLS = {
    'times a number': lambda xp: p_of(xp) * 2,
    'a number times': lambda xp: 2.5 * p_of(xp),
    'times a number of NumPy': lambda xp: p_of(xp) * np.float64(2),
    'by a number': lambda xp: p_of(xp) / 2,
    'plus a number': lambda xp: p_of(xp) + 1,
    'a number minus': lambda xp: 2 - p_of(xp),
    'power': lambda xp: p_of(xp) ** 2,
    'plus itself': lambda xp: p_of(xp) + p_of(xp),
    'times itself': lambda xp: p_of(xp) * p_of(xp),
    'by itself': lambda xp: p_of(xp) / p_of(xp),
    'minus itself': lambda xp: p_of(xp) - p_of(xp),
    'of itself': lambda xp: p_of(xp)(p_of(xp)),
    'value of itself': lambda xp: xp.polyval(p_of(xp), p_of(xp)),
    'value of coefficients': lambda xp: xp.polyval(xp.array([1, 2], 'f4'), p_of(xp)),
    'array plus': lambda xp: xp.ones(3) + p_of(xp),
    'array minus': lambda xp: xp.ones(3) - p_of(xp),
    'array times': lambda xp: xp.ones(3) * p_of(xp),
    'array without axes plus': lambda xp: xp.array(2.0) + p_of(xp),
    'plus an array': lambda xp: p_of(xp) + xp.ones(3),
    'minus an array': lambda xp: p_of(xp) - xp.ones(3),
    'list plus': lambda xp: [1, 2, 3] + p_of(xp),
    'add': lambda xp: xp.add(p_of(xp), p_of(xp)),
    'multiply by a number': lambda xp: xp.multiply(p_of(xp), 2),
    'negative': lambda xp: -p_of(xp),
    'as an array': lambda xp: xp.asarray(p_of(xp)),
    'slope': lambda xp: p_of(xp).deriv(),
    'integral': lambda xp: p_of(xp).integ(2.0, [1, 2]),
    'trimmed list': lambda xp: xp.poly1d([0, 0, 1, 0]),
    'trimmed array': lambda xp: xp.poly1d(xp.array([0, 0, 1, 0], 'f4')),
    'zeros': lambda xp: xp.poly1d(xp.array([0, 0], 'f4')),
    'zeros in a list': lambda xp: xp.poly1d([0, 0]),
    'a number': lambda xp: xp.poly1d(3),
    **{f'of roots of {d}': lambda xp, d=d: xp.poly1d(xp.array([1, 2, 3], d), True) for d in '?bBhHILQfdF'},
    'of roots in a list': lambda xp: xp.poly1d([1, 2, 3], r=True),
}


@pytest.mark.parametrize('name', CALLS)
def test_as_in_numpy(name):
    equal(shown(CALLS[name](cp)), shown(CALLS[name](np)), 1e-6)


FLOATS = {
    'polyfit': lambda xp: xp.polyfit(xp.array([0.0, 1, 2, 3]), xp.array([0.0, 1, 4, 9]), 2.7).round(8) + 0,
    'polyder': lambda xp: xp.polyder(xp.array([1, 2, 3]), 1.0),
    'polyint': lambda xp: xp.polyint(xp.array([1, 2, 3]), 1.7),
    'rot90': lambda xp: xp.rot90(xp.ones((2, 3)), 1.0),
    'tri': lambda xp: xp.tri(2.5, 3.0, 1.0),
    'tril': lambda xp: xp.tril(xp.ones((3, 3)), -0.5),
    'triu': lambda xp: xp.triu(xp.ones((3, 3)), 0.5),
    'tril_indices': lambda xp: xp.tril_indices(2.0, 0.0),
    'triu_indices': lambda xp: xp.triu_indices(3.0, 1.0),
    'array_split': lambda xp: xp.array_split(xp.arange(6), 2.7),
    'split': lambda xp: xp.split(xp.arange(6), 2.0),
    'hsplit': lambda xp: xp.hsplit(xp.arange(6), 3.0),
    'vsplit': lambda xp: xp.vsplit(xp.ones((4, 2)), 2.0),
    'gradient': lambda xp: xp.gradient(xp.arange(6.0) ** 2, edge_order=2.0),
    'no number': lambda xp: xp.tri(float('nan')),
    'eye': lambda xp: xp.eye(2.0),
    'tile': lambda xp: xp.tile(xp.arange(2), 2.0),
    'roots of nothing': lambda xp: xp.tril_indices_from(4),
    'indices of a list': lambda xp: xp.triu_indices_from([[1, 2], [3, 4]]),
    'trimseq': lambda xp: xp.polynomial.polyutils.trimseq(xp.array(1.0)),
    'complex tolerance': lambda xp: xp.polynomial.polyutils.trimcoef(xp.array([1, 2, 1e-4]), np.complex64(1e-3)),
    'tolerance of Python': lambda xp: xp.polynomial.polyutils.trimcoef(xp.array([1, 2, 1e-4]), 1e-3 + 0j),
}


@pytest.mark.parametrize('name', FLOATS)
def test_numbers_as_in_numpy(name):
    same(FLOATS[name])


def test_roots_need_an_axis():
    with pytest.raises(TypeError):
        cp.roots(cp.array(3.0))


def test_a_polynomial_is_made_without_waiting():
    given = [cp.arange(5.0), [0, 1, 2], np.arange(3.0), cp.poly1d(cp.arange(3)), 4]
    with cupyx.allow_synchronize(False):
        found = [cp.poly1d(c)[1] for c in given]
    assert [float(x) for x in found] == [3, 1, 1, 1, 0]


def test_a_fit_of_too_few_points_warns():
    x = cp.arange(4.0)
    with pytest.warns(np.exceptions.RankWarning):
        cp.polyfit(x, x, 5)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        cp.polyfit(x, x, 1)
        cp.polyfit(x, x, 5, full=True)
