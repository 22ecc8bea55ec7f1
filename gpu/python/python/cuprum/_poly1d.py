"""Polynomials in one variable."""

import numpy as _np

import cuprum as _cp
from cuprum._decorators import set_module as _set_module


def _on_host(coefficients):
    """Returns coefficients that are not on a device as a NumPy array without leading zeros; None for others."""
    if isinstance(coefficients, _cp.ndarray):
        return None
    try:
        host = _np.atleast_1d(_np.asarray(coefficients))
    except TypeError:
        # NumPy rejects device arrays in a list.
        return None
    if host.ndim > 1 or host.dtype == object:
        return None
    trimmed = _np.trim_zeros(host, 'f')
    return trimmed if trimmed.size else _np.zeros(1, dtype=host.dtype)


@_set_module("cuprum")
class poly1d:
    """A polynomial with the coefficient of the highest power first.

    Leading zeros of coefficients on a device are trimmed when `coeffs`, or a property that depends on their number,
    is read: that synchronises.
    """

    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, (poly1d, _np.poly1d)):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r._raw if isinstance(c_or_r, poly1d) else c_or_r.coeffs
        host = None if r else _on_host(c_or_r)
        if r:
            self._raw = _cp.atleast_1d(_cp.poly(c_or_r))
        else:
            self._raw = _cp.atleast_1d(_cp.asarray(c_or_r if host is None else host))
        if self._raw.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        # The polynomial of roots has the leading coefficient 1.
        self._trimmed = r or host is not None
        self._variable = variable or "x"

    @property
    def coeffs(self):
        """The coefficients, with the highest power first."""
        if not self._trimmed:
            found = _cp.trim_zeros(self._raw, "f")
            self._raw = found if found.size else _cp.zeros(1, dtype=found.dtype)
            self._trimmed = True
        return self._raw

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._raw:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    def __cupy_get_ndarray__(self):
        """Returns the coefficients, as which functions of arrays accept a polynomial."""
        return self.coeffs

    @property
    def order(self):
        """The degree."""
        return self.coeffs.size - 1

    o = order

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    @property
    def roots(self):
        """The roots."""
        return _cp.roots(self._raw)

    r = roots

    def get(self, stream=None, out=None):
        """Returns the polynomial on the host, a NumPy object."""
        host = _np.poly1d(self._raw.get(stream=stream), variable=self._variable)
        if out is None:
            return host
        out.__dict__.update(host.__dict__)
        return out

    def set(self, polyin, stream=None):
        """Copies the coefficients of a NumPy polynomial."""
        if not isinstance(polyin, _np.poly1d):
            raise TypeError("Only numpy.poly1d can be set to cuprum.poly1d")
        self._variable = polyin.variable
        self._raw, self._trimmed = _cp.asarray(polyin.coeffs), True

    def deriv(self, m=1):
        """Returns the derivative."""
        return poly1d(_cp.polyder(self._raw, m))

    def integ(self, m=1, k=0):
        """Returns the integral."""
        return poly1d(_cp.polyint(self._raw, m, [k] * int(m) if _np.isscalar(k) else k))

    def __call__(self, val):
        return _cp.polyval(self._raw, val)

    def __len__(self):
        return self.order

    def __getitem__(self, power):
        # Beyond the highest power are the leading zeros, trimmed or not.
        if not 0 <= power < self._raw.size:
            return self._raw.dtype.type(0)
        return self._raw[self._raw.size - 1 - power]

    def __setitem__(self, power, value):
        if power < 0:
            raise ValueError("Negative powers are not supported.")
        coeffs = self.coeffs
        if power > self.order:
            coeffs = _cp.concatenate([_cp.zeros(power - self.order, dtype=coeffs.dtype), coeffs])
        coeffs[coeffs.size - 1 - power] = value
        self._raw = coeffs

    def __iter__(self):
        return iter(self.coeffs)

    def __neg__(self):
        return poly1d(-self._raw)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(_cp.polyadd(self._raw, _coefficients(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(_cp.polysub(self._raw, _coefficients(other)))

    def __rsub__(self, other):
        return poly1d(_cp.polysub(_coefficients(other), self._raw))

    def __mul__(self, other):
        if _np.isscalar(other):
            return poly1d(self._raw * other)
        return poly1d(_cp.polymul(self._raw, _coefficients(other)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if _np.isscalar(other):
            return poly1d(self._raw / other)
        quotient, remainder = _cp.polydiv(self.coeffs, poly1d(other).coeffs)
        return poly1d(quotient), poly1d(remainder)

    def __rtruediv__(self, other):
        if _np.isscalar(other):
            return poly1d(other / self.coeffs)
        return poly1d(other) / self

    def __pow__(self, power):
        if not _np.isscalar(power) or int(power) != power or power < 0:
            raise ValueError("Power to non-negative integers only.")
        made = poly1d([1])
        for _ in range(int(power)):
            made = made * self
        return made

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.coeffs.shape == other.coeffs.shape and bool((self.coeffs == other.coeffs).all())

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())


def _coefficients(other):
    if isinstance(other, poly1d):
        return other._raw
    return _cp.atleast_1d(_cp.asarray(other.coeffs if isinstance(other, _np.poly1d) else other))
