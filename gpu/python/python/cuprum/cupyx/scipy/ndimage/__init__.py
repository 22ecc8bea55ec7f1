"""Filters, morphology and interpolation of images with any number of axes: `cupyx.scipy.ndimage`.

The functions have SciPy's signatures, dtypes and exceptions. The size of a window, its weights, its footprint and the border mode are
parameters of the kernels, so that a new size compiles nothing.
"""

from ._filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    generic_gradient_magnitude,
    generic_laplace,
    laplace,
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    percentile_filter,
    prewitt,
    rank_filter,
    sobel,
    uniform_filter,
    uniform_filter1d,
)
from ._fourier import fourier_ellipsoid, fourier_gaussian, fourier_shift, fourier_uniform
from ._generic import generic_filter, generic_filter1d, vectorized_filter
from ._interpolation import affine_transform, geometric_transform, map_coordinates, rotate, shift, spline_filter, spline_filter1d, zoom
from ._morphology import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_fill_holes,
    binary_hit_or_miss,
    binary_opening,
    binary_propagation,
    black_tophat,
    generate_binary_structure,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    iterate_structure,
    morphological_gradient,
    morphological_laplace,
    white_tophat,
)

__all__ = [
    'affine_transform',
    'binary_closing',
    'binary_dilation',
    'binary_erosion',
    'binary_fill_holes',
    'binary_hit_or_miss',
    'binary_opening',
    'binary_propagation',
    'black_tophat',
    'convolve',
    'convolve1d',
    'correlate',
    'correlate1d',
    'fourier_ellipsoid',
    'fourier_gaussian',
    'fourier_shift',
    'fourier_uniform',
    'gaussian_filter',
    'gaussian_filter1d',
    'gaussian_gradient_magnitude',
    'gaussian_laplace',
    'generate_binary_structure',
    'generic_filter',
    'generic_filter1d',
    'generic_gradient_magnitude',
    'generic_laplace',
    'geometric_transform',
    'grey_closing',
    'grey_dilation',
    'grey_erosion',
    'grey_opening',
    'iterate_structure',
    'laplace',
    'map_coordinates',
    'maximum_filter',
    'maximum_filter1d',
    'median_filter',
    'minimum_filter',
    'minimum_filter1d',
    'morphological_gradient',
    'morphological_laplace',
    'percentile_filter',
    'prewitt',
    'rank_filter',
    'rotate',
    'shift',
    'sobel',
    'spline_filter',
    'spline_filter1d',
    'uniform_filter',
    'uniform_filter1d',
    'vectorized_filter',
    'white_tophat',
    'zoom',
]


def __getattr__(name):
    from cuprum import _not_yet

    full = f'cupyx.scipy.ndimage.{name}'
    if name in _not_yet.known_names().get('cupyx.scipy.ndimage', ()):
        raise _not_yet.NotYet(_not_yet.sentence(full))
    raise AttributeError(f"module 'cupyx.scipy.ndimage' has no attribute {name!r}")
