"""Functions of polynomials with the coefficient of the highest power first, whose arguments may be `poly1d` objects."""

import functools

import numpy as np

import cuprum
from cuprum._cuprum import routines as _routines
from cuprum._decorators import set_module

__all__ = ['poly', 'polyadd', 'polyder', 'polydiv', 'polyint', 'polymul', 'polysub', 'polyval', 'roots']


def _coefficients(p):
    return cuprum.asarray(p.coeffs) if isinstance(p, (cuprum.poly1d, np.poly1d)) else p


def _of_polynomials(own, operands):
    """Wraps a function of coefficients so that it accepts polynomial objects: if an operand is one, the results are
    objects."""

    @functools.wraps(own)
    def function(*args, **kwargs):
        given = [*args[:operands], *kwargs.values()]
        if not any(isinstance(p, (cuprum.poly1d, np.poly1d)) for p in given):
            return own(*args, **kwargs)
        result = own(*map(_coefficients, args), **{name: _coefficients(p) for name, p in kwargs.items()})
        return tuple(map(cuprum.poly1d, result)) if isinstance(result, tuple) else cuprum.poly1d(result)

    return function


polyadd = _of_polynomials(_routines.polyadd, 2)
polysub = _of_polynomials(_routines.polysub, 2)
polymul = _of_polynomials(_routines.polymul, 2)
polydiv = _of_polynomials(_routines.polydiv, 2)
polyder = _of_polynomials(_routines.polyder, 1)
polyint = _of_polynomials(_routines.polyint, 1)


def _composed(p, x):
    """Composes two polynomials: substitutes a polynomial for the variable."""
    x, made = cuprum.poly1d(x), None
    for coefficient in cuprum.atleast_1d(cuprum.asarray(p)):
        term = cuprum.poly1d(coefficient)
        made = term if made is None else made * x + term
    return cuprum.poly1d([0]) if made is None else made


@set_module('cuprum')
def polyval(p, x):
    """Evaluates a polynomial at points, or composes it with another polynomial."""
    p = _coefficients(p)
    return _composed(p, x) if isinstance(x, (cuprum.poly1d, np.poly1d)) else _routines.polyval(p, x)


@set_module('cuprum')
def poly(seq_of_zeros):
    """Returns the coefficients of the polynomial with these roots, or the characteristic polynomial of a square
    matrix."""
    zeros = cuprum.asarray(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = cuprum.linalg.eigvals(zeros)
    return _routines.poly(zeros)


@set_module('cuprum')
def roots(p):
    """Returns the roots of a polynomial."""
    p = _coefficients(p)
    if np.ndim(p) == 0:
        raise TypeError('roots: p has no axis: it must have one, of coefficients')
    return _routines.roots(p)
