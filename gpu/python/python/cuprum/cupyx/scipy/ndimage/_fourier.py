"""Filters of Fourier transforms."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._arguments import array, sequence

COMPLEX = ('complex64', 'complex128')
REAL = ('float32', 'float64')


def _output(output, input, complex_output):
    if output is None:
        kept = COMPLEX if complex_output else (*COMPLEX, 'float32')
        dtype = input.dtype if input.dtype.name in kept else numpy.dtype(complex if complex_output else float)
    elif isinstance(output, cuprum.ndarray):
        if output.shape != input.shape:
            raise RuntimeError(f'output shape {output.shape} not correct: it is that of the input, {input.shape}')
        dtype = output.dtype
    else:
        dtype = numpy.dtype(output)
        if dtype.name not in (COMPLEX if complex_output else (*COMPLEX, *REAL)):
            raise RuntimeError(f'output type {dtype} not supported')
    if dtype.kind != 'c' and (complex_output or input.dtype.kind == 'c'):
        raise RuntimeError(f'output type {dtype} not supported: the result is complex')
    return output if isinstance(output, cuprum.ndarray) else cuprum.empty(input.shape, dtype)


def _filtered(name, input, values, argument, n, axis, output):
    input = array(input)
    output = _output(output, input, name == 'shift')
    if input.ndim:
        axis = normalize_axis(axis, input.ndim)
    values = [float(value) for value in sequence(values, input.ndim, argument)]
    _cuprum.fourier_filter(name, input, values, (operator.index(n), axis), output)
    return output


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """Multiplies a Fourier transform with that of a Gaussian."""
    return _filtered('gaussian', input, sigma, 'sigma', n, axis, output)


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """Multiplies a Fourier transform with that of a box."""
    return _filtered('uniform', input, size, 'size', n, axis, output)


def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """Multiplies a Fourier transform of up to three axes with that of an ellipsoid."""
    input = array(input)
    if input.ndim > 3:
        raise NotImplementedError(f'Only 1d, 2d and 3d inputs are supported, not {input.ndim} axes')
    return _filtered('ellipsoid', input, size, 'size', n, axis, output)


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """Multiplies a Fourier transform with that of a shift."""
    return _filtered('shift', input, shift, 'shift', n, axis, output)
