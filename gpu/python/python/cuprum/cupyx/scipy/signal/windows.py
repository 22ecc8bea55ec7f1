"""Window functions of `scipy.signal.windows`, evaluated on the device in float64, and `dpss` on the host."""

import math
import numbers
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

__all__ = [
    'barthann',
    'bartlett',
    'blackman',
    'blackmanharris',
    'bohman',
    'boxcar',
    'chebwin',
    'cosine',
    'dpss',
    'exponential',
    'flattop',
    'gaussian',
    'general_cosine',
    'general_gaussian',
    'general_hamming',
    'get_window',
    'hamming',
    'hann',
    'kaiser',
    'kaiser_bessel_derived',
    'lanczos',
    'nuttall',
    'parzen',
    'taylor',
    'triang',
    'tukey',
]


def _length(M):
    """Returns a length as an integer."""
    if int(M) != M or M < 0:
        raise ValueError(f'Window length M must be a non-negative integer, not {M}')
    return int(M)


def _evaluated(name, M, sym, *parameters):
    """Evaluates a window."""
    return _cuprum.window_function(name, _length(M), [float(p) for p in parameters], bool(sym))


def general_cosine(M, a, sym=True):
    """Sum of cosines with weights: `a[0] + a[1] cos(t) + a[2] cos(2 t) + ...` for `t` from -pi to pi."""
    a = cuprum.asnumpy(a) if isinstance(a, cuprum.ndarray) else numpy.asarray(a, dtype=float)
    return _evaluated('general_cosine', M, sym, *a)


def general_hamming(M, alpha, sym=True):
    """Generalized Hamming window: a constant and one cosine of weights `alpha` and `1 - alpha`."""
    return _evaluated('general_hamming', M, sym, alpha)


def boxcar(M, sym=True):
    """Rectangular window."""
    return _evaluated('boxcar', M, sym)


def triang(M, sym=True):
    """Triangular window whose ends are not 0."""
    return _evaluated('triang', M, sym)


def parzen(M, sym=True):
    """Parzen window: a B-spline of order 3."""
    return _evaluated('parzen', M, sym)


def bohman(M, sym=True):
    """Bohman window: half a period of a cosine convolved with itself."""
    return _evaluated('bohman', M, sym)


def blackman(M, sym=True):
    """Blackman window: three cosine terms."""
    return _evaluated('blackman', M, sym)


def nuttall(M, sym=True):
    """Blackman-Harris window of four terms with the coefficients of Nuttall."""
    return _evaluated('nuttall', M, sym)


def blackmanharris(M, sym=True):
    """Blackman-Harris window of four terms with the least side lobes."""
    return _evaluated('blackmanharris', M, sym)


def flattop(M, sym=True):
    """Flat top window: five cosine terms."""
    return _evaluated('flattop', M, sym)


def bartlett(M, sym=True):
    """Triangular window whose ends are 0."""
    return _evaluated('bartlett', M, sym)


def hann(M, sym=True):
    """Hann window: a raised cosine whose ends are 0."""
    return _evaluated('hann', M, sym)


def hamming(M, sym=True):
    """Hamming window: a raised cosine whose ends are not 0."""
    return _evaluated('hamming', M, sym)


def tukey(M, alpha=0.5, sym=True):
    """Tukey window: 1 in the middle, and cosines in a part `alpha` of the length."""
    if M > 1 and math.isnan(alpha):
        raise ValueError(f'tukey: alpha is {alpha}: it must be a number')
    return _evaluated('tukey', M, sym, alpha)


def barthann(M, sym=True):
    """Bartlett-Hann window: a triangle and a cosine."""
    return _evaluated('barthann', M, sym)


def kaiser(M, beta, sym=True):
    """Kaiser window of shape parameter `beta`."""
    return _evaluated('kaiser', M, sym, beta)


def kaiser_bessel_derived(M, beta, sym=True):
    """Kaiser-Bessel derived window: roots of the cumulative sums of a Kaiser window. It is symmetric, of even length."""
    if not sym:
        raise ValueError('Kaiser-Bessel Derived windows are only defined for symmetric shapes: sym must be True')
    if M < 1:
        return cuprum.zeros(0)
    if M % 2:
        raise ValueError(f'Kaiser-Bessel Derived windows are only defined for even number of points, not {M}')
    return _evaluated('kaiser_bessel_derived', M, sym, beta)


def gaussian(M, std, sym=True):
    """Gaussian window of a standard deviation."""
    return _evaluated('gaussian', M, sym, std)


def general_gaussian(M, p, sig, sym=True):
    """Generalized Gaussian window: `exp(-|n / sig| ** (2 p) / 2)`."""
    return _evaluated('general_gaussian', M, sym, p, sig)


def cosine(M, sym=True):
    """Window of half a period of a sine."""
    return _evaluated('cosine', M, sym)


def exponential(M, center=None, tau=1.0, sym=True):
    """Exponential window: a decay by `tau` to both sides of `center`, the middle by default."""
    if sym and center is not None:
        raise ValueError(f'If sym==True, center must be None, not {center}')
    return _evaluated('exponential', M, sym, tau, *([] if center is None else [center]))


def lanczos(M, sym=True):
    """Lanczos window: the main lobe of a sinc."""
    return _evaluated('lanczos', M, sym)


def chebwin(M, at, sym=True):
    """Dolph-Chebyshev window, whose side lobes are all attenuated by `at` decibels. It is the transform of Chebyshev's polynomial."""
    if abs(at) < 45:
        warnings.warn(f'chebwin: with an attenuation of {at} dB, below about 45 dB, the noise bandwidth does not grow with it', stacklevel=2)
    return _evaluated('chebwin', M, sym, at)


def taylor(M, nbar=4, sll=30, norm=True, sym=True):
    """Taylor window: `nbar` side lobes of nearly constant level, `sll` decibels below the main lobe. The coefficients are computed on the host."""
    if M > 1 and nbar < 1:
        raise ValueError(f'taylor: nbar is {nbar}: there must be at least one side lobe')
    return _evaluated('taylor', M, sym, nbar, sll, bool(norm))


def dpss(M, NW, Kmax=None, sym=True, norm=None, return_ratios=False):
    """Discrete prolate spheroidal sequences, computed on the host: the first one, or the first `Kmax`, and with `return_ratios` the part of the
    energy of each that is within the band. `NW` is the product of the length and half of the bandwidth."""
    norm = norm if norm is not None else 'approximate' if Kmax is None else 2
    if norm not in (2, 'approximate', 'subsample'):
        raise ValueError(f"norm must be one of (2, 'approximate', 'subsample'), got {norm}")
    M = _length(M)
    if M <= 1:
        windows = cuprum.ones(M)
        return (windows, 1.0 if Kmax is None else cuprum.ones(1)) if return_ratios else windows
    count = 1 if Kmax is None else operator.index(Kmax)
    if not 0 < count <= M:
        raise ValueError(f'Kmax must be greater than 0 and less than M, not {Kmax}')
    if NW <= 0:
        raise ValueError(f'NW must be positive, not {NW}')
    if NW >= M / 2:
        raise ValueError(f'NW must be less than M/2, which is {M / 2}, not {NW}')
    windows, ratios = _cuprum.window_dpss(M, float(NW), count, bool(sym), str(norm))
    ratios = cuprum.asarray(ratios)
    if Kmax is None:
        windows, ratios = windows[0], ratios[0]
    return (windows, ratios) if return_ratios else windows


# Each window's names in `get_window`, and the numbers of parameters that it takes there.
_NAMES = {
    barthann: ('barthann brthan bth', 0, 0),
    bartlett: ('bartlett bart brt', 0, 0),
    blackman: ('blackman black blk', 0, 0),
    blackmanharris: ('blackmanharris blackharr bkh', 0, 0),
    bohman: ('bohman bman bmn', 0, 0),
    boxcar: ('boxcar box ones rect rectangular', 0, 0),
    chebwin: ('chebwin cheb', 1, 1),
    cosine: ('cosine halfcosine', 0, 0),
    dpss: ('dpss', 1, 1),
    exponential: ('exponential poisson', 0, 2),
    flattop: ('flattop flat flt', 0, 0),
    gaussian: ('gaussian gauss gss', 1, 1),
    general_cosine: ('general_cosine', 1, 1),
    general_gaussian: ('general_gaussian general_gauss ggs', 2, 2),
    general_hamming: ('general_hamming', 1, 1),
    hamming: ('hamming hamm ham', 0, 0),
    hann: ('hann han', 0, 0),
    kaiser: ('kaiser ksr', 1, 1),
    kaiser_bessel_derived: ('kaiser_bessel_derived kbd', 1, 1),
    lanczos: ('lanczos sinc', 0, 0),
    nuttall: ('nuttall nutl nut', 0, 0),
    parzen: ('parzen parz par', 0, 0),
    taylor: ('taylor taylorwin', 0, 3),
    triang: ('triangle triang tri', 0, 0),
    tukey: ('tukey tuk', 0, 1),
}
_FUNCTIONS = {name: (function, least, most) for function, (names, least, most) in _NAMES.items() for name in names.split()}


def get_window(window, Nx, fftbins=True):
    """Window by its name, by a tuple of the name and its parameters, or a Kaiser window by its `beta`; periodic by default.

    A name may end in `_symmetric` or `_periodic`, which then replaces `fftbins`.
    """
    if Nx is None or isinstance(Nx, str):
        raise TypeError(f'Parameter Nx={Nx!r} is not a positive integer')
    if not isinstance(Nx, numbers.Integral) or Nx <= 0:
        raise ValueError(f'Parameter Nx={Nx!r} is not a positive integer')
    if not isinstance(fftbins, bool):
        raise ValueError(f'Parameter fftbins={fftbins!r} is not of type bool!')
    sym = not fftbins
    if not isinstance(window, (str, tuple)):
        try:
            beta = float(window)
        except Exception as error:
            raise ValueError(f'Parameter window={window!r} must be a tuple, a string or a float!') from error
        return kaiser(Nx, beta, sym)
    name, *parameters = (window,) if isinstance(window, str) else window or (None,)
    if not isinstance(name, str):
        raise ValueError(f'First tuple entry of parameter window={window!r} is not a str!')
    for suffix, symmetric in (('_symmetric', True), ('_periodic', False)):
        if name.endswith(suffix):
            name, sym = name.removesuffix(suffix), symmetric
            break
    # SciPy's names of general windows have a space or an underscore.
    function, least, most = _FUNCTIONS.get(name.replace(' ', '_') if name.startswith(('general ', 'kaiser ')) else name, (None, 0, 0))
    if function is None:
        raise ValueError(f"Invalid window name '{name}' in parameter window={window!r}!")
    if parameters and not most:
        raise ValueError(f"'{name}' does not allow parameters, but window={window!r}!")
    if least and not parameters:
        raise ValueError(f"'{name}' must have parameters, but window={window!r}!")
    if not least <= len(parameters) <= most:
        raise TypeError(f"'{name}' takes {least} to {most} parameters, but window={window!r}")
    return function(Nx, *parameters, sym=sym)
