"""Polynomials in one variable."""

import numpy as _np

import cuprum as _cp


class poly1d:
    """A polynomial, of the coefficients of the highest power first."""

    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r.coeffs
        elif isinstance(c_or_r, _np.poly1d):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r.coeffs
        if r:
            coefficients = _cp.ones(1, dtype=float)
            for root in _cp.atleast_1d(_cp.asarray(c_or_r)):
                coefficients = _cp.polymul(coefficients, _cp.stack([_cp.ones_like(root), -root]))
        else:
            coefficients = _cp.atleast_1d(_cp.asarray(c_or_r))
        if coefficients.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        coefficients = _cp.trim_zeros(coefficients, "f")
        self._coeffs = coefficients if coefficients.size else _cp.zeros(1, dtype=coefficients.dtype)
        self._variable = variable or "x"

    @property
    def coeffs(self):
        """The coefficients, of the highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def order(self):
        """The highest power."""
        return self._coeffs.size - 1

    o = order

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    @property
    def roots(self):
        """The roots."""
        return _cp.roots(self._coeffs)

    r = roots

    def get(self, stream=None, out=None):
        """The polynomial on the host, one of NumPy's."""
        made = out if out is not None else _np.poly1d(1)
        host = self._coeffs.get(stream=stream)
        return _np.poly1d(host, variable=self._variable) if out is None else _into(made, host, self._variable)

    def set(self, polyin, stream=None):
        """Takes the coefficients of a polynomial of NumPy's."""
        if not isinstance(polyin, _np.poly1d):
            raise TypeError("Only numpy.poly1d can be set to cuprum.poly1d")
        self._variable = polyin.variable
        self._coeffs = _cp.asarray(polyin.coeffs)

    def deriv(self, m=1):
        """The derivative."""
        return poly1d(_cp.polyder(self._coeffs, m))

    def integ(self, m=1, k=0):
        """The integral."""
        return poly1d(_cp.polyint(self._coeffs, m, [k] * m if _np.isscalar(k) else k))

    def __cupy_get_ndarray__(self):
        # An array on the left takes the coefficients: element by element, as NumPy's does.
        return self._coeffs

    def __call__(self, val):
        if isinstance(val, poly1d):
            made = poly1d([0])
            for c in self._coeffs:
                made = made * val + poly1d(c)
            return made
        return _cp.polyval(self._coeffs, val)

    def __len__(self):
        return self.order

    def __getitem__(self, power):
        if not 0 <= power <= self.order:
            return self._coeffs.dtype.type(0)
        return self._coeffs[self.order - power]

    def __setitem__(self, power, value):
        if power < 0:
            raise ValueError("Negative powers are not supported.")
        if power > self.order:
            self._coeffs = _cp.concatenate([_cp.zeros(power - self.order, dtype=self._coeffs.dtype), self._coeffs])
        self._coeffs[self.order - power] = value

    def __iter__(self):
        return iter(self._coeffs)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(_cp.polyadd(self._coeffs, _coefficients(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(_cp.polysub(self._coeffs, _coefficients(other)))

    def __rsub__(self, other):
        return poly1d(_cp.polysub(_coefficients(other), self._coeffs))

    def __mul__(self, other):
        return poly1d(_cp.polymul(self._coeffs, _coefficients(other)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if _np.isscalar(other):
            return poly1d(self._coeffs / other)
        quotient, remainder = _cp.polydiv(self._coeffs, _coefficients(other))
        return poly1d(quotient), poly1d(remainder)

    def __rtruediv__(self, other):
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
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())


def _into(made, host, variable):
    made.__dict__.update(_np.poly1d(host, variable=variable).__dict__)
    return made


def _coefficients(other):
    if isinstance(other, (poly1d, _np.poly1d)):
        return poly1d(other).coeffs
    return _cp.atleast_1d(_cp.asarray(other))
