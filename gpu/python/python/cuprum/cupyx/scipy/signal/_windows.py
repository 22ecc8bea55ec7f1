"""Window functions of `scipy.signal.windows`, evaluated on the device in float64."""

import math
import numbers
import warnings

import numpy

import cuprum
from cuprum._kernels import ElementwiseKernel

__all__ = [
    'barthann',
    'bartlett',
    'blackman',
    'blackmanharris',
    'bohman',
    'boxcar',
    'chebwin',
    'cosine',
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

# One kernel for all windows: its case, the length and the coefficients are data.
_COSINES, _TRIANGLE, _PARZEN, _BOHMAN, _BARTLETT, _TUKEY, _BARTHANN, _POWER, _GAUSSIAN, _SINE, _EXPONENTIAL, _LANCZOS, _CHEBYSHEV = range(13)
_window = ElementwiseKernel(
    'int32 kind, int64 m, float64 a, float64 b, float64 c, float64 d, float64 e',
    'float64 w',
    '''
    const double pi = 3.141592653589793, last = (double)(m - 1), at = (double)i;
    const double middle = fabs(at - last / 2), edge = (double)min((long long)i, (long long)(m - 1 - i));
    switch (kind) {
      case 0: {
        const double t = pi * (2 * at - last) / last;
        w = a + b * cos(t);
        if (c != 0) w += c * cos(2 * t);
        if (d != 0) w += d * cos(3 * t);
        if (e != 0) w += e * cos(4 * t);
        break;
      }
      case 1: w = m % 2 ? 2 * (edge + 1) / (last + 2) : (2 * edge + 1) / (last + 1); break;
      case 2: {
        const double r = middle / ((last + 1) / 2);
        w = middle <= last / 4 ? 1 - 6 * r * r + 6 * r * r * r : 2 * (1 - r) * (1 - r) * (1 - r);
        break;
      }
      case 3: {
        const double r = 2 * middle / last;
        w = edge == 0 ? 0.0 : (1 - r) * cos(pi * r) + sin(pi * r) / pi;
        break;
      }
      case 4: w = 2 * edge / last; break;
      case 5: w = edge <= floor(a * last / 2) ? 0.5 * (1 + cos(pi * (2 * edge / a / last - 1))) : 1.0; break;
      case 6: {
        const double r = middle / last;
        w = 0.62 - 0.48 * r + 0.38 * cos(2 * pi * r);
        break;
      }
      case 7: w = exp(-0.5 * pow(fabs(middle / b), 2 * a)); break;
      case 8: w = exp(-(middle * middle) / (2 * a * a)); break;
      case 9: w = sin(pi / (last + 1) * (at + 0.5)); break;
      case 10: w = exp(-fabs(at - a) / b); break;
      case 11: {
        const double x = pi * (2 * middle / last);
        w = middle == 0 ? 1.0 : sin(x) / x;
        break;
      }
      default: {
        // Chebyshev's polynomial of order m - 1, at a point that may be outside of [-1, 1].
        const double x = a * cos(pi * at / (last + 1));
        w = fabs(x) <= 1 ? cos(last * acos(x)) : cosh(last * acosh(fabs(x)));
        if (x < -1 && m % 2 == 0) w = -w;
      }
    }
    ''',
    'signal_window',
)
_cosine_sum = ElementwiseKernel(
    'raw float64 coefficients, int64 count, int64 m, int64 period',
    'float64 w',
    '''
    const double t = 3.141592653589793 * (double)(2 * i - (m - 1)) / (double)period;
    w = 0;
    for (long long k = 0; k < count; ++k) w += coefficients[k] * cos((double)k * t);
    ''',
    'signal_cosine_sum',
)


def _length(M):
    """Returns a length as an integer."""
    if int(M) != M or M < 0:
        raise ValueError(f'Window length M must be a non-negative integer, not {M}')
    return int(M)


def _evaluated(kind, M, sym, *parameters):
    """Evaluates a window. A periodic one is a symmetric one of one element more, without the last."""
    M = _length(M)
    if M <= 1:
        return cuprum.ones(M)
    parameters = [float(p) for p in parameters] + [0.0] * (5 - len(parameters))
    return _window(kind, M if sym else M + 1, *parameters, size=M)


def general_cosine(M, a, sym=True):
    """Sum of cosines with weights: `a[0] + a[1] cos(t) + a[2] cos(2 t) + ...` for `t` from -pi to pi."""
    M = _length(M)
    a = cuprum.asarray(a, dtype=float)
    if M <= 1:
        return cuprum.ones(M)
    extended = M if sym else M + 1
    return _cosine_sum(a, a.size, extended, extended - 1, size=M)


def general_hamming(M, alpha, sym=True):
    """Generalized Hamming window: a constant and one cosine of weights `alpha` and `1 - alpha`."""
    return _evaluated(_COSINES, M, sym, alpha, 1.0 - alpha)


def boxcar(M, sym=True):
    """Rectangular window."""
    return cuprum.ones(_length(M))


def triang(M, sym=True):
    """Triangular window whose ends are not 0."""
    return _evaluated(_TRIANGLE, M, sym)


def parzen(M, sym=True):
    """Parzen window: a B-spline of order 3."""
    return _evaluated(_PARZEN, M, sym)


def bohman(M, sym=True):
    """Bohman window: half a period of a cosine convolved with itself."""
    return _evaluated(_BOHMAN, M, sym)


def blackman(M, sym=True):
    """Blackman window: three cosine terms."""
    return _evaluated(_COSINES, M, sym, 0.42, 0.5, 0.08)


def nuttall(M, sym=True):
    """Blackman-Harris window of four terms with the coefficients of Nuttall."""
    return _evaluated(_COSINES, M, sym, 0.3635819, 0.4891775, 0.1365995, 0.0106411)


def blackmanharris(M, sym=True):
    """Blackman-Harris window of four terms with the least side lobes."""
    return _evaluated(_COSINES, M, sym, 0.35875, 0.48829, 0.14128, 0.01168)


def flattop(M, sym=True):
    """Flat top window: five cosine terms."""
    return _evaluated(_COSINES, M, sym, 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)


def bartlett(M, sym=True):
    """Triangular window whose ends are 0."""
    return _evaluated(_BARTLETT, M, sym)


def hann(M, sym=True):
    """Hann window: a raised cosine whose ends are 0."""
    return general_hamming(M, 0.5, sym)


def hamming(M, sym=True):
    """Hamming window: a raised cosine whose ends are not 0."""
    return general_hamming(M, 0.54, sym)


def tukey(M, alpha=0.5, sym=True):
    """Tukey window: 1 in the middle, and cosines in a part `alpha` of the length."""
    if alpha <= 0:
        return boxcar(M)
    return hann(M, sym) if alpha >= 1 else _evaluated(_TUKEY, M, sym, alpha)


def barthann(M, sym=True):
    """Bartlett-Hann window: a triangle and a cosine."""
    return _evaluated(_BARTHANN, M, sym)


def kaiser(M, beta, sym=True):
    """Kaiser window of shape parameter `beta`."""
    M = _length(M)
    return cuprum.ones(M) if M <= 1 else cuprum.kaiser(M if sym else M + 1, float(beta))[:M]


def kaiser_bessel_derived(M, beta, sym=True):
    """Kaiser-Bessel derived window: roots of the cumulative sums of a Kaiser window. It is symmetric, of even length."""
    if not sym:
        raise ValueError('Kaiser-Bessel Derived windows are only defined for symmetric shapes: sym must be True')
    if M < 1:
        return cuprum.zeros(0)
    if M % 2:
        raise ValueError(f'Kaiser-Bessel Derived windows are only defined for even number of points, not {M}')
    sums = cuprum.cumsum(kaiser(M // 2 + 1, beta))
    half = cuprum.sqrt(sums[:-1] / sums[-1])
    return cuprum.concatenate((half, half[::-1]))


def gaussian(M, std, sym=True):
    """Gaussian window of a standard deviation."""
    return _evaluated(_GAUSSIAN, M, sym, std)


def general_gaussian(M, p, sig, sym=True):
    """Generalized Gaussian window: `exp(-|n / sig| ** (2 p) / 2)`."""
    return _evaluated(_POWER, M, sym, p, sig)


def cosine(M, sym=True):
    """Window of half a period of a sine."""
    return _evaluated(_SINE, M, sym)


def exponential(M, center=None, tau=1.0, sym=True):
    """Exponential window: a decay by `tau` to both sides of `center`, the middle by default."""
    if sym and center is not None:
        raise ValueError(f'If sym==True, center must be None, not {center}')
    M = _length(M)
    if center is None:
        center = (M - 1 if sym else M) / 2
    return _evaluated(_EXPONENTIAL, M, sym, center, tau)


def lanczos(M, sym=True):
    """Lanczos window: the main lobe of a sinc."""
    return _evaluated(_LANCZOS, M, sym)


def chebwin(M, at, sym=True):
    """Dolph-Chebyshev window, whose side lobes are all attenuated by `at` decibels. It is the transform of Chebyshev's polynomial."""
    if abs(at) < 45:
        warnings.warn(f'chebwin: with an attenuation of {at} dB, below about 45 dB, the noise bandwidth does not grow with it', stacklevel=2)
    M = _length(M)
    if M <= 1:
        return cuprum.ones(M)
    extended = M if sym else M + 1
    beta = math.cosh(math.acosh(10 ** (abs(at) / 20)) / (extended - 1))
    p = _window(_CHEBYSHEV, extended, beta, 0.0, 0.0, 0.0, 0.0, size=extended)
    if extended % 2:
        half = cuprum.fft.rfft(p).real
        w = cuprum.concatenate((half[:0:-1], half))
    else:
        shifted = p * cuprum.exp(1j * math.pi / extended * cuprum.arange(extended))
        half = cuprum.fft.fft(shifted).real[1 : extended // 2 + 1]
        w = cuprum.concatenate((half[::-1], half))
    return w[:M] / w.max()


def taylor(M, nbar=4, sll=30, norm=True, sym=True):
    """Taylor window: `nbar` side lobes of nearly constant level, `sll` decibels below the main lobe. The coefficients are computed on the host."""
    M = _length(M)
    if M <= 1:
        return cuprum.ones(M)
    extended = M if sym else M + 1
    square = (math.acosh(10 ** (sll / 20)) / math.pi) ** 2
    sigma = nbar**2 / (square + (nbar - 0.5) ** 2)
    m = numpy.arange(1, nbar, dtype=float)
    weights = [1.0]
    for k in m:
        others = m[m != k]
        top = numpy.prod(1 - k * k / sigma / (square + (m - 0.5) ** 2))
        weights.append((-1) ** (k - 1) * top / numpy.prod(1 - k * k / (others * others)))
    if norm:
        weights = numpy.array(weights) / sum(weights)
    return _cosine_sum(cuprum.asarray(weights, dtype=float), len(weights), extended, extended, size=M)


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
    if name == 'dpss':
        raise NotImplementedError(f"window {window!r}: 'dpss' is not supported: pass the elements of the window")
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
