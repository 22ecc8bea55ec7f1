"""Linear time-invariant systems of `scipy.signal`. Their matrices are small: they are arrays of the host, in float64, as the results of simulations are
before they are copied to the device."""

import math
import operator
import warnings

import numpy

from ._representations import coefficients_of, device, host, normalized, vector, zeros_poles
from ._responses import _found_frequencies, quotient, quotient_of_roots
from ._state_spaces import _abcd, _discrete, _matrix, _ss2tf, _ss2zpk, _tf2ss

__all__ = ['StateSpace', 'TransferFunction', 'ZerosPolesGain', 'cont2discrete', 'dlti', 'lti']


def cont2discrete(system, dt, method='zoh', alpha=None):
    """Discrete system of a continuous one: in the form of the system, with the time step."""
    if hasattr(system, 'to_discrete') and isinstance(system, lti):
        return system.to_discrete(dt=dt, method=method, alpha=alpha)
    system, dt = tuple(system), host(dt).item()
    if len(system) == 2:
        num, den = _ss2tf(*_discrete(_tf2ss(*system), dt, method, alpha))
        return (*device(num, den), dt)
    if len(system) == 3:
        matrices = _discrete(_tf2ss(*coefficients_of(*system)), dt, method, alpha)
        return (*device(*_ss2zpk(*matrices)), dt)
    if len(system) == 4:
        return (*device(*_discrete([_matrix(m) for m in system], dt, method, alpha)), dt)
    raise ValueError(f'system has {len(system)} parts: it must have 2 (coefficients), 3 (zeros, poles, gain) or 4 (matrices).')


def _simulation(name):
    """Returns a function of the module of simulations, which imports this one."""
    from . import _simulation as module

    return getattr(module, name)


class LinearTimeInvariant:
    """A system in one of its forms: a state space, a transfer function, or zeros, poles and a gain."""

    def __new__(cls, *system, **kwargs):
        if cls is LinearTimeInvariant:
            raise NotImplementedError('LinearTimeInvariant is a base class: create an `lti` or a `dlti`.')
        return super().__new__(cls)

    _dt = None
    _form = 'ss'

    @property
    def dt(self):
        """Time step of a discrete system, None of a continuous one."""
        return self._dt

    def _dt_dict(self):
        return {} if self._dt is None else {'dt': self._dt}

    @property
    def poles(self):
        """Poles."""
        return device(self._zpk()[1])

    @property
    def zeros(self):
        """Zeros."""
        return device(self._zpk()[0])

    def to_ss(self):
        """The system as a state space."""
        return StateSpace(*self._ss(), **self._dt_dict())

    def to_tf(self):
        """The system as a transfer function."""
        return TransferFunction(*self._tf(), **self._dt_dict())

    def to_zpk(self):
        """The system as zeros, poles and a gain."""
        return ZerosPolesGain(*self._zpk(), **self._dt_dict())

    def __repr__(self):
        parts = ',\n'.join(repr(m) for m in self._own())
        return f'{type(self).__name__}(\n{parts},\ndt: {self._dt!r}\n)'

    def _as_form(self, cls):
        return {StateSpace: self.to_ss, TransferFunction: self.to_tf, ZerosPolesGain: self.to_zpk}[cls]()


class lti(LinearTimeInvariant):
    """Continuous-time linear system, of a transfer function, of zeros, poles and a gain, or of a state space."""

    def __new__(cls, *system):
        if cls is lti:
            return _of_count(system, {})
        return super().__new__(cls)

    def impulse(self, X0=None, T=None, N=None):
        """Response to an impulse."""
        return _simulation('impulse')(self, X0=X0, T=T, N=N)

    def step(self, X0=None, T=None, N=None):
        """Response to a step."""
        return _simulation('step')(self, X0=X0, T=T, N=N)

    def output(self, U, T, X0=None):
        """Response to an input."""
        return _simulation('lsim')(self, U, T, X0=X0)

    def bode(self, w=None, n=100):
        """Magnitude in decibels and phase in degrees."""
        return _simulation('bode')(self, w=w, n=n)

    def freqresp(self, w=None, n=10000):
        """Response to frequencies."""
        return _simulation('freqresp')(self, w=w, n=n)

    def to_discrete(self, dt, method='zoh', alpha=None):
        """Discrete system of this one."""
        found = StateSpace(*_discrete(self._ss(), dt, method, alpha), dt=dt)
        return found._as_form(_base(self))


class dlti(LinearTimeInvariant):
    """Discrete-time linear system, of a transfer function, of zeros, poles and a gain, or of a state space."""

    def __new__(cls, *system, **kwargs):
        if cls is dlti:
            return _of_count(system, {'dt': kwargs.get('dt', True)})
        return super().__new__(cls)

    def impulse(self, x0=None, t=None, n=None):
        """Response to an impulse."""
        return _simulation('dimpulse')(self, x0=x0, t=t, n=n)

    def step(self, x0=None, t=None, n=None):
        """Response to a step."""
        return _simulation('dstep')(self, x0=x0, t=t, n=n)

    def output(self, u, t, x0=None):
        """Response to an input."""
        return _simulation('dlsim')(self, u, t, x0=x0)

    def bode(self, w=None, n=100):
        """Magnitude in decibels and phase in degrees."""
        return _simulation('dbode')(self, w=w, n=n)

    def freqresp(self, w=None, n=10000, whole=False):
        """Response to frequencies."""
        return _simulation('dfreqresp')(self, w=w, n=n, whole=whole)


def _of_count(system, options):
    forms = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}
    if len(system) not in forms:
        raise ValueError(f'a system has 2 (coefficients), 3 (zeros, poles, gain) or 4 (matrices) parts, not {len(system)}.')
    return forms[len(system)](*system, **options)


def _base(system):
    return next(c for c in (StateSpace, TransferFunction, ZerosPolesGain) if isinstance(system, c))


class _Form(LinearTimeInvariant):
    """What the forms share: a form of a continuous system is an `lti`, that of a discrete one a `dlti`."""

    def __new__(cls, *system, **kwargs):
        if len(system) == 1 and isinstance(system[0], LinearTimeInvariant):
            return system[0]._as_form(_base_of(cls))
        if cls in (StateSpace, TransferFunction, ZerosPolesGain):
            cls = _CLASSES[cls, kwargs.get('dt') is not None]
        return object.__new__(cls)

    def __init__(self, *system, **kwargs):
        if len(system) == 1 and isinstance(system[0], LinearTimeInvariant):
            return
        kwargs = dict(kwargs)
        dt = kwargs.pop('dt', None)
        if kwargs:
            raise TypeError(f'unexpected keyword arguments: {sorted(kwargs)}')
        self._dt = dt if dt is None or isinstance(dt, bool) else float(dt)
        self._set(*system)


def _base_of(cls):
    return next(c for c in (StateSpace, TransferFunction, ZerosPolesGain) if issubclass(cls, c))


def _part(name, doc):
    def read(self):
        value = getattr(self, '_' + name)
        return device(value) if isinstance(value, numpy.ndarray) else value

    def write(self, value):
        setattr(self, '_' + name, _matrix(value) if name in 'ABCD' else value if name == 'gain' else vector(value))

    return property(read, write, doc=doc)


class StateSpace(_Form):
    """System of the matrices of a state space: `x' = A x + B u`, `y = C x + D u`."""

    __array_priority__ = 100.0
    __array_ufunc__ = None
    A, B, C, D = _part('A', 'Matrix of states.'), _part('B', 'Matrix of inputs.'), _part('C', 'Matrix of outputs.'), _part('D', 'Matrix of inputs to outputs.')

    def _set(self, A, B, C, D):
        self._A, self._B, self._C, self._D = _abcd(A, B, C, D)

    def _ss(self):
        return self._A, self._B, self._C, self._D

    _own = _ss

    def _tf(self):
        num, den = _ss2tf(*self._ss())
        return (num[0] if len(num) == 1 else num), den

    def _zpk(self):
        return _ss2zpk(*self._ss())

    def _other(self, other):
        """Returns the matrices of another operand, or None if it has another type."""
        if isinstance(other, StateSpace):
            if type(other) is not type(self):
                raise TypeError(f'Cannot add or multiply {type(self)} and {type(other)}')
            if self._dt != other._dt:
                raise TypeError(f'systems of different time steps are not added or multiplied: {self._dt} and {other._dt}')
            return other._ss()
        if numpy.isscalar(other) or hasattr(other, 'shape'):
            return host(other)
        return None

    def __mul__(self, other):
        a, b, c, d = self._ss()
        v = self._other(other)
        if v is None:
            return NotImplemented
        if not isinstance(v, tuple):
            return StateSpace(a, b @ v if v.ndim else b * v, c, d @ v if v.ndim else d * v, **self._dt_dict())
        a2, b2, c2, d2 = v
        whole = numpy.vstack((numpy.hstack((a, b @ c2)), numpy.hstack((numpy.zeros((len(a2), len(a))), a2))))
        return StateSpace(whole, numpy.vstack((b @ d2, b2)), numpy.hstack((c, d @ c2)), d @ d2, **self._dt_dict())

    def __rmul__(self, other):
        a, b, c, d = self._ss()
        v = self._other(other)
        if v is None or isinstance(v, tuple):
            return NotImplemented
        return StateSpace(a, b, v @ c if v.ndim else c * v, v @ d if v.ndim else d * v, **self._dt_dict())

    def __neg__(self):
        return StateSpace(self._A, self._B, -self._C, -self._D, **self._dt_dict())

    def __add__(self, other):
        a, b, c, d = self._ss()
        v = self._other(other)
        if v is None:
            return NotImplemented
        if not isinstance(v, tuple):
            return StateSpace(a, b, c, d + v, **self._dt_dict())
        a2, b2, c2, d2 = v
        whole = numpy.zeros((len(a) + len(a2),) * 2)
        whole[: len(a), : len(a)], whole[len(a) :, len(a) :] = a, a2
        return StateSpace(whole, numpy.vstack((b, b2)), numpy.hstack((c, c2)), d + d2, **self._dt_dict())

    __radd__ = __add__

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        if not numpy.isscalar(other):
            return NotImplemented
        return self * (1 / other)


class TransferFunction(_Form):
    """System of the coefficients of a quotient of polynomials, the highest power first."""

    num, den = _part('num', 'Numerator.'), _part('den', 'Denominator.')

    def _set(self, num, den):
        self._num, self._den = normalized(num, den)

    def _tf(self):
        return self._num, self._den

    _own = _tf

    def _ss(self):
        return _tf2ss(*self._tf())

    def _zpk(self):
        return zeros_poles(*self._tf())


class ZerosPolesGain(_Form):
    """System of zeros, poles and a gain."""

    zeros, poles, gain = _part('z', 'Zeros.'), _part('p', 'Poles.'), _part('gain', 'Gain.')

    def _set(self, zeros, poles, gain):
        self._z, self._p, self._gain = vector(zeros), vector(poles), host(gain)[()]

    def _zpk(self):
        return self._z, self._p, self._gain

    _own = _zpk

    def _tf(self):
        return coefficients_of(*self._zpk())

    def _ss(self):
        return _tf2ss(*self._tf())


_CLASSES = {}


for _form in (StateSpace, TransferFunction, ZerosPolesGain):
    for _discrete_time, _kind in ((False, lti), (True, dlti)):
        _name = f'{_form.__name__}{"Discrete" if _discrete_time else "Continuous"}'
        _CLASSES[_form, _discrete_time] = type(_name, (_form, _kind), {'__module__': __name__, '__doc__': _form.__doc__})
