"""Series as objects, whose coefficients are device arrays: the base of the six classes of `numpy.polynomial`."""

import importlib
import numbers

import numpy as np

import cuprum
from cuprum import _cuprum
from cuprum.polynomial import polyutils

__all__ = ['Series', 'parameters']


def _coefficients(c):
    """Converts coefficients to a 1-D array of a floating-point dtype."""
    return polyutils.as_series([cuprum.asarray(c)], False)[0]


def parameters(old, new):
    """Returns the parameters of the map from one interval to another: offset and scale."""
    old, new = np.asarray(old), np.asarray(new)
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def _interval(given, usual, name):
    if given is None:
        return np.array(usual, dtype=float)
    made = np.atleast_1d(given.get() if isinstance(given, cuprum.ndarray) else np.asarray(given))
    if made.ndim != 1 or made.dtype.kind not in 'biufc':
        raise ValueError(f'{name} is no pair of numbers: {given!r}')
    if len(made) != 2:
        raise ValueError(f'{name} has wrong number of elements.')
    return made.astype(np.result_type(made.dtype, float))


def _range(x):
    """Returns the interval of values on the host; a complex one if they are complex."""
    return polyutils.getdomain(cuprum.asarray(x) + 0.0).get()


class Series:
    """A series in a basis of polynomials, with the coefficient of the lowest degree first.

    `coef` is a device array. `domain`, which is mapped to `window`, are pairs of host scalars. `get` returns
    NumPy's object, which provides the text.
    """

    __hash__ = None
    __array_ufunc__ = None
    maxpower = 100
    basis_name = None
    # The prefix of the functions of the basis, which are in the module of the class.
    _prefix = None

    def __init_subclass__(cls):
        # The public module of a class is the package; that of its functions is its own.
        cls._module, cls.__module__ = cls.__module__, 'cuprum.polynomial'
        cls.__doc__ = f"A series of NumPy's class `{cls.__name__}`.\n\n" + Series.__doc__.partition('\n\n')[2]

    def __init__(self, coef, domain=None, window=None, symbol='x'):
        self.coef = _coefficients(coef)
        self.domain = _interval(domain, type(self).domain, 'Domain')
        self.window = _interval(window, type(self).window, 'Window')
        if not isinstance(symbol, str):
            raise TypeError('Symbol must be a string')
        if not symbol.isidentifier():
            raise ValueError('Symbol string must be a valid Python identifier')
        self._symbol = symbol

    @property
    def symbol(self):
        """The name of the variable."""
        return self._symbol

    def get(self, stream=None):
        """Returns the series on the host, a NumPy object."""
        made = getattr(np.polynomial, type(self).__name__)
        return made(self.coef.get(stream=stream), self.domain, self.window, self._symbol)

    def _like(self, coef):
        return type(self)(coef, self.domain, self.window, self._symbol)

    def has_samecoef(self, other):
        """Returns whether another series has the same coefficients."""
        return len(self.coef) == len(other.coef) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other):
        """Returns whether another series has the same domain."""
        return bool(np.all(self.domain == other.domain))

    def has_samewindow(self, other):
        """Returns whether another series has the same window."""
        return bool(np.all(self.window == other.window))

    def has_sametype(self, other):
        """Returns whether another series is of the same class."""
        return isinstance(other, type(self))

    def _coefficients(self, other):
        if not isinstance(other, Series):
            if isinstance(other, np.polynomial._polybase.ABCPolyBase):
                raise TypeError('a series of NumPy and one of a device: make one of the other')
            return other
        if not self.has_sametype(other):
            raise TypeError('Polynomial types differ')
        if not self.has_samedomain(other):
            raise TypeError('Domains differ')
        if not self.has_samewindow(other):
            raise TypeError('Windows differ')
        if self.symbol != other.symbol:
            raise ValueError('Polynomial symbols differ')
        return other.coef

    def __eq__(self, other):
        return (
            isinstance(other, type(self))
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self.symbol == other.symbol
        )

    def __neg__(self):
        return self._like(-self.coef)

    def __pos__(self):
        return self

    def __len__(self):
        return len(self.coef)

    def __iter__(self):
        return iter(self.coef)

    def _combined(self, function, other, reflected=False):
        try:
            other = self._coefficients(other)
            made = function(other, self.coef) if reflected else function(self.coef, other)
        except (TypeError, ValueError) as error:
            if isinstance(other, (Series, np.ndarray, cuprum.ndarray, numbers.Number, list, tuple)):
                raise
            raise TypeError(f'no series and no numbers: {type(other).__name__}') from error
        return tuple(self._like(c) for c in made) if isinstance(made, tuple) else self._like(made)

    def __add__(self, other):
        return self._combined(self._function('add'), other)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combined(self._function('sub'), other)

    def __rsub__(self, other):
        return self._combined(self._function('sub'), other, True)

    def __mul__(self, other):
        return self._combined(self._function('mul'), other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self._like(self.coef / other)

    def __floordiv__(self, other):
        return divmod(self, other)[0]

    def __mod__(self, other):
        return divmod(self, other)[1]

    def __divmod__(self, other):
        return self._combined(self._function('div'), other)

    def __rtruediv__(self, other):
        return NotImplemented

    def __rfloordiv__(self, other):
        return self.__rdivmod__(other)[0]

    def __rmod__(self, other):
        return self.__rdivmod__(other)[1]

    def __rdivmod__(self, other):
        return self._combined(self._function('div'), other, True)

    def __pow__(self, power):
        count = int(power)
        if count != power or count < 0:
            raise ValueError(f'a power of a series is an integer of 0 or more, not {power}')
        return self._like(self._function('pow')(self.coef, count, maxpower=self.maxpower))

    @classmethod
    def _function(cls, name):
        return getattr(importlib.import_module(cls._module), cls._prefix + name)

    @classmethod
    def _name(cls):
        return cls._module.rpartition('.')[2]

    def __call__(self, arg):
        off, scl = self.mapparms()
        if isinstance(arg, Series):
            inner = off + scl * arg
            return inner._like(_cuprum.compose_series(self._name(), self.coef, inner._name(), inner.coef))
        arg = arg if isinstance(arg, numbers.Number) else cuprum.asarray(arg)
        return self._function('val')(off + scl * arg, self.coef)

    def degree(self):
        """Returns the degree: one less than the number of coefficients, which may be 0."""
        return len(self) - 1

    def copy(self):
        """Returns a copy with coefficients of its own."""
        return self._like(self.coef.copy())

    def cutdeg(self, deg):
        """Returns the series without the degrees above `deg`."""
        return self.truncate(deg + 1)

    def trim(self, tol=0):
        """Returns the series without small trailing coefficients."""
        return self._like(polyutils.trimcoef(self.coef, tol))

    def truncate(self, size):
        """Returns the series with at most `size` coefficients."""
        count = int(size)
        if count != size or count < 1:
            raise ValueError('size must be a positive integer')
        return self._like(self.coef[:count])

    def convert(self, domain=None, kind=None, window=None):
        """Converts to the same polynomial in another basis, domain or window."""
        kind = type(self) if kind is None else kind
        return self(kind.identity(domain, window=window, symbol=self.symbol))

    def mapparms(self):
        """Returns the parameters of the map from the domain to the window: offset and scale."""
        return parameters(self.domain, self.window)

    def integ(self, m=1, k=(), lbnd=None):
        """Returns the integral, with a given value at `lbnd`."""
        off, scl = self.mapparms()
        lbnd = 0 if lbnd is None else off + scl * lbnd
        return self._like(self._function('int')(self.coef, m, k, lbnd, 1.0 / scl))

    def deriv(self, m=1):
        """Returns the derivative."""
        return self._like(self._function('der')(self.coef, m, self.mapparms()[1]))

    def roots(self):
        """Returns the roots, in the domain's coordinates."""
        off, scl = parameters(self.window, self.domain)
        return off + scl * self._function('roots')(self.coef)

    def linspace(self, n=100, domain=None):
        """Returns points over the domain, and the values there."""
        first, last = self.domain if domain is None else domain
        x = cuprum.linspace(first, last, n)
        return x, self(x)

    @classmethod
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol='x'):
        """Returns the least-squares fit of a series to values at points."""
        if domain is None:
            domain = _range(x)
            if domain[0] == domain[1]:
                domain = domain + [-1, 1]
        elif isinstance(domain, list) and len(domain) == 0:
            domain = cls.domain
        window = cls.window if window is None else window
        off, scl = parameters(domain, window)
        found = cls._function('fit')(off + scl * cuprum.asarray(x), y, deg, w=w, rcond=rcond, full=full)
        if full:
            return cls(found[0], domain, window, symbol), found[1]
        return cls(found, domain, window, symbol)

    @classmethod
    def fromroots(cls, roots, domain=(), window=None, symbol='x'):
        """Returns the series with these roots, and with the leading coefficient 1."""
        roots = _coefficients(roots)
        if domain is None:
            domain = _range(roots)
        elif np.ndim(domain) == 1 and len(domain) == 0:
            domain = cls.domain
        window = cls.window if window is None else window
        off, scl = parameters(domain, window)
        return cls(cls._function('fromroots')(off + scl * roots) / scl ** len(roots), domain, window, symbol)

    @classmethod
    def identity(cls, domain=None, window=None, symbol='x'):
        """Returns the identity function as a series."""
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        off, scl = parameters(_interval(window, None, 'Window'), _interval(domain, None, 'Domain'))
        return cls(cls._function('line')(off, scl), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol='x'):
        """Returns the basis polynomial of a degree."""
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError('deg must be non-negative integer')
        return cls([0] * degree + [1], domain, window, symbol)

    @classmethod
    def cast(cls, series, domain=None, window=None):
        """Converts another series to this basis."""
        return series.convert(domain, cls, window)

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __format__(self, style):
        return format(self.get(), style)

    def _repr_latex_(self):
        return self.get()._repr_latex_()
