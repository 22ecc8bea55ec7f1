"""Linear time-invariant systems of `scipy.signal`. Their matrices are small: they are arrays of the host, in float64, as the results of simulations are
before they are copied to the device."""

import math
import operator
import warnings

import numpy

from ._representations import coefficients_of, device, host, normalized, vector, zeros_poles
from ._responses import _found_frequencies, quotient, quotient_of_roots

__all__ = [
    'StateSpace',
    'TransferFunction',
    'ZerosPolesGain',
    'abcd_normalize',
    'bode',
    'cont2discrete',
    'dbode',
    'dfreqresp',
    'dimpulse',
    'dlsim',
    'dlti',
    'dstep',
    'freqresp',
    'impulse',
    'lsim',
    'lti',
    'place_poles',
    'ss2tf',
    'ss2zpk',
    'step',
    'tf2ss',
    'zpk2ss',
]


def _matrix(m):
    if m is None:
        return None
    m = numpy.atleast_2d(host(m))
    if m.ndim > 2:
        raise ValueError(f'A matrix of a state space has at most 2 axes, not {m.ndim}')
    return m


def _abcd(A=None, B=None, C=None, D=None):
    """Returns the matrices of a state space with the sizes that follow from one another."""
    A, B, C, D = (_matrix(m) for m in (A, B, C, D))

    def first(*sizes):
        return next((n for n in sizes if n), None)

    p = first(*(m.shape[0] for m in (A, B) if m is not None), C.shape[1] if C is not None else None)
    q = first(B.shape[1] if B is not None else None, D.shape[1] if D is not None else None)
    r = first(C.shape[0] if C is not None else None, D.shape[0] if D is not None else None)
    if p is None or q is None or r is None:
        raise ValueError('Not enough information on the system: the numbers of states, inputs and outputs do not follow from the matrices.')
    found = []
    for m, shape, name in ((A, (p, p), 'A'), (B, (p, q), 'B'), (C, (r, p), 'C'), (D, (r, q), 'D')):
        m = numpy.zeros(shape) if m is None or m.size == 0 else m
        if m.shape != shape:
            raise ValueError(f'The input arrays have incompatible shapes: {name} is {m.shape}, not {shape}.')
        found.append(m)
    return tuple(found)


def abcd_normalize(A=None, B=None, C=None, D=None):
    """Matrices of a state space; those that are left out are zeros of the sizes that follow from the others."""
    return device(*_abcd(A, B, C, D))


def _tf2ss(num, den):
    """Returns the matrices in the canonical form of controllers."""
    num, den = normalized(num, den)
    num = numpy.atleast_2d(num)
    m, k = num.shape[1], den.size
    if m > k:
        raise ValueError('Improper transfer function. `num` is longer than `den`.')
    if m == 0 or k == 0:
        return numpy.zeros((0, 0)), numpy.zeros((0, 0)), numpy.zeros((0, 0)), numpy.zeros((0, 0))
    num = numpy.hstack((numpy.zeros((num.shape[0], k - m), num.dtype), num))
    D = num[:, :1].astype(float if num.dtype.kind != 'c' else complex)
    if k == 1:
        return numpy.zeros((1, 1)), numpy.zeros((1, D.shape[1])), numpy.zeros((D.shape[0], 1)), D.reshape(num.shape[0], 1)
    A = numpy.vstack((-den[1:][None], numpy.eye(k - 2, k - 1)))
    return A, numpy.eye(k - 1, 1), num[:, 1:] - num[:, :1] * den[1:], D


def tf2ss(num, den):
    """Matrices of a state space of a transfer function, in the canonical form of controllers."""
    return device(*_tf2ss(num, den))


def _ss2tf(A, B, C, D, input=0):
    A, B, C, D = _abcd(A, B, C, D)
    if input >= B.shape[1]:
        raise ValueError(f'System does not have the input specified: {input} of {B.shape[1]}.')
    B, D = B[:, input : input + 1], D[:, input : input + 1]
    den = numpy.poly(A) if A.size else numpy.ones(1)
    kind = numpy.result_type(A, B, C, D, float)
    num = numpy.empty((C.shape[0], A.shape[0] + 1), kind)
    for row, c, d in zip(num, C, D):
        # The determinant of s - A + B C is that of s - A times 1 + C (s - A)^-1 B.
        row[...] = (numpy.poly(A - B @ c[None]) if A.size else numpy.ones(1)) + (d - 1) * den
    return num, den


def ss2tf(A, B, C, D, input=0):
    """Coefficients of the transfer function of an input of a state space: a row of the numerator for each output."""
    return device(*_ss2tf(A, B, C, D, input))


def zpk2ss(z, p, k):
    """Matrices of a state space of zeros, poles and a gain."""
    return device(*_tf2ss(*coefficients_of(z, p, k)))


def _ss2zpk(A, B, C, D, input=0):
    num, den = _ss2tf(A, B, C, D, input)
    return zeros_poles(num[0] if len(num) == 1 else num, den)


def ss2zpk(A, B, C, D, input=0):
    """Zeros, poles and gain of an input of a state space."""
    return device(*_ss2zpk(A, B, C, D, input))


def _expm(m):
    """Exponential of a matrix by scaling, a Padé approximant of order 13 and squaring (N. J. Higham, "The Scaling and Squaring Method for the Matrix Exponential
    Revisited", SIAM Journal on Matrix Analysis and Applications 26(4), 2005)."""
    norm = numpy.linalg.norm(m, 1) if m.size else 0
    squarings = max(0, math.ceil(math.log2(norm / 4.25))) if norm > 0 else 0
    a = m / 2**squarings
    q = 13
    term, weight = numpy.eye(len(m), dtype=numpy.result_type(m, float)), 1.0
    top, bottom = term.copy(), term.copy()
    for k in range(1, q + 1):
        weight *= (q - k + 1) / (k * (2 * q - k + 1))
        term = term @ a
        top = top + weight * term
        bottom = bottom + (weight if k % 2 == 0 else -weight) * term
    found = numpy.linalg.solve(bottom, top)
    for _ in range(squarings):
        found = found @ found
    return found


def _discrete(system, dt, method='zoh', alpha=None):
    """Returns the matrices of a discrete system of a continuous one."""
    a, b, c, d = (numpy.asarray(m) for m in system)
    eye = numpy.eye(len(a))
    if method == 'gbt':
        if alpha is None:
            raise ValueError('Alpha parameter must be specified for the generalized bilinear transform (gbt) method')
        if alpha < 0 or alpha > 1:
            raise ValueError(f'Alpha parameter must be within the interval [0,1] for the gbt method, not {alpha}')
        implicit = eye - alpha * dt * a
        ad = numpy.linalg.solve(implicit, eye + (1 - alpha) * dt * a)
        bd = numpy.linalg.solve(implicit, dt * b)
        cd = numpy.linalg.solve(implicit.T, c.T).T
        return ad, bd, cd, d + alpha * (c @ bd)
    if method in ('bilinear', 'tustin', 'euler', 'forward_diff', 'backward_diff'):
        alpha = {'bilinear': 0.5, 'tustin': 0.5, 'backward_diff': 1.0}.get(method, 0.0)
        return _discrete(system, dt, 'gbt', alpha)
    n, m = b.shape
    if method == 'zoh':
        whole = _expm(dt * numpy.vstack((numpy.hstack((a, b)), numpy.zeros((m, n + m)))))
        return whole[:n, :n], whole[:n, n:], c, d
    if method == 'foh':
        rows = numpy.zeros((n + 2 * m, n + 2 * m))
        rows[:n, :n], rows[:n, n : n + m] = a * dt, b * dt
        rows[n : n + m, n + m :] = numpy.eye(m)
        whole = _expm(rows)
        ad, first, second = whole[:n, :n], whole[:n, n : n + m], whole[:n, n + m :]
        return ad, first - second + ad @ second, c, d + c @ second
    if method == 'impulse':
        if not numpy.allclose(d, 0):
            raise ValueError('Impulse method is only applicable to strictly proper systems')
        ad = _expm(a * dt)
        return ad, ad @ b * dt, c, c @ b * dt
    raise ValueError(f"Unknown transformation method '{method}'")


def cont2discrete(system, dt, method='zoh', alpha=None):
    """Discrete system of a continuous one: in the form of the system, with the time step."""
    if hasattr(system, 'to_discrete') and isinstance(system, lti):
        return system.to_discrete(dt=dt, method=method, alpha=alpha)
    system = tuple(system)
    if len(system) == 2:
        num, den = _ss2tf(*_discrete(_tf2ss(*system), dt, method, alpha))
        return (*device(num, den), dt)
    if len(system) == 3:
        matrices = _discrete(_tf2ss(*coefficients_of(*system)), dt, method, alpha)
        return (*device(*_ss2zpk(*matrices)), dt)
    if len(system) == 4:
        return (*device(*_discrete([_matrix(m) for m in system], dt, method, alpha)), dt)
    raise ValueError(f'First argument must either be a tuple of 2 (tf), 3 (zpk), or 4 (ss) arrays, not {len(system)}.')


class LinearTimeInvariant:
    """A system in one of its forms: a state space, a transfer function, or zeros, poles and a gain."""

    def __new__(cls, *system, **kwargs):
        if cls is LinearTimeInvariant:
            raise NotImplementedError('The LinearTimeInvariant class is not meant to be used directly, use `lti` or `dlti` instead.')
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
        return impulse(self, X0=X0, T=T, N=N)

    def step(self, X0=None, T=None, N=None):
        """Response to a step."""
        return step(self, X0=X0, T=T, N=N)

    def output(self, U, T, X0=None):
        """Response to an input."""
        return lsim(self, U, T, X0=X0)

    def bode(self, w=None, n=100):
        """Magnitude in decibels and phase in degrees."""
        return bode(self, w=w, n=n)

    def freqresp(self, w=None, n=10000):
        """Response to frequencies."""
        return freqresp(self, w=w, n=n)

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
        return dimpulse(self, x0=x0, t=t, n=n)

    def step(self, x0=None, t=None, n=None):
        """Response to a step."""
        return dstep(self, x0=x0, t=t, n=n)

    def output(self, u, t, x0=None):
        """Response to an input."""
        return dlsim(self, u, t, x0=x0)

    def bode(self, w=None, n=100):
        """Magnitude in decibels and phase in degrees."""
        return dbode(self, w=w, n=n)

    def freqresp(self, w=None, n=10000, whole=False):
        """Response to frequencies."""
        return dfreqresp(self, w=w, n=n, whole=whole)


def _of_count(system, options):
    forms = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}
    if len(system) not in forms:
        raise ValueError(f'`system` needs to be an instance of `lti` or have 2, 3 or 4 arguments, not {len(system)}.')
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
                raise TypeError('Cannot add or multiply systems with different `dt`.')
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


def _system(system, kind):
    """Returns a system of a class, or of its arrays."""
    if isinstance(system, LinearTimeInvariant):
        if not isinstance(system, kind):
            other = 'continuous' if kind is lti else 'discrete'
            raise AttributeError(f'the system must be a {other}-time one, not {type(system).__name__}')
        return system
    system = tuple(system)
    if kind is dlti:
        return dlti(*system[:-1], dt=system[-1])
    return lti(*system)


def lsim(system, U, T, X0=None, interp=True):
    """Response of a continuous-time system to an input at times with a fixed step: times, outputs and states. The input is linear between the times, or constant with
    `interp=False`."""
    A, B, C, D = _system(system, lti)._ss()
    T = host(T)
    if T.ndim != 1:
        raise ValueError(f'T must be a rank-1 array, not of rank {T.ndim}.')
    n, inputs = B.shape
    count = T.size
    if count < 1:
        raise ValueError('T must not be empty')
    X0 = numpy.zeros(n) if X0 is None else host(X0)
    states = numpy.empty((count, n), numpy.result_type(A, B, X0, float))
    if T[0] == 0:
        states[0] = X0
    elif T[0] > 0:
        states[0] = X0 @ _expm(A.T * T[0])
    else:
        raise ValueError('Initial time must be nonnegative')
    no_input = U is None or (isinstance(U, (int, float)) and U == 0) or not host(U).any()
    if count == 1 and no_input:
        return device(T, _squeezed(states @ C.T), _squeezed(states))
    if count > 1:
        dt = T[1] - T[0]
        if dt == 0 or not numpy.allclose(numpy.diff(T), dt):
            raise ValueError('Time steps are not equally spaced.')
    if no_input:
        step = _expm(A.T * dt)
        for k in range(1, count):
            states[k] = states[k - 1] @ step
        return device(T, _squeezed(states @ C.T), _squeezed(states))
    U = numpy.atleast_1d(host(U))
    U = U[:, None] if U.ndim == 1 else U
    if U.shape[0] != count:
        raise ValueError(f'U must have the same number of rows as elements in T: {U.shape[0]} and {count}.')
    if U.shape[1] != inputs:
        raise ValueError(f'System does not define that many inputs: {U.shape[1]} and {inputs}.')
    if count > 1:
        # The state and the input, and for linear ones its slope, after a step.
        order = 2 if interp else 1
        whole = numpy.zeros((n + order * inputs,) * 2)
        whole[:n, :n], whole[:n, n : n + inputs] = A * dt, B * dt
        if interp:
            whole[n : n + inputs, n + inputs :] = numpy.eye(inputs)
        moved = _expm(whole)
        ad, bd = moved[:n, :n], moved[:n, n : n + inputs]
        change = moved[:n, n + inputs :] if interp else None
        forced = U[:-1] @ bd.T
        if interp:
            forced = forced + (U[1:] - U[:-1]) @ change.T
        for k in range(1, count):
            states[k] = ad @ states[k - 1] + forced[k - 1]
    return device(T, _squeezed(states @ C.T + U @ D.T), _squeezed(states))


def _squeezed(m):
    return numpy.squeeze(m)


def _default_times(A, N):
    """Returns times up to seven times the slowest decay."""
    slowest = min(abs(numpy.linalg.eigvals(A).real), default=1.0) if A.size else 1.0
    slowest = 1.0 if slowest == 0 else slowest
    return numpy.linspace(0.0, 7.0 / slowest, N)


def _times(T, N, A):
    N = 100 if N is None else operator.index(N)
    return _default_times(A, N) if T is None else host(T)


def impulse(system, X0=None, T=None, N=None):
    """Response of a continuous-time system to an impulse: times and outputs."""
    space = _system(system, lti).to_ss()
    A, B, C, _ = space._ss()
    T = _times(T, N, A)
    # An impulse changes the state at once.
    start = numpy.squeeze(B) if X0 is None else numpy.squeeze(B + numpy.reshape(host(X0), B.shape))
    return lsim(space, 0.0, T, numpy.atleast_1d(start), interp=False)[:2]


def step(system, X0=None, T=None, N=None):
    """Response of a continuous-time system to a step: times and outputs."""
    space = _system(system, lti).to_ss()
    T = _times(T, N, space._A)
    return lsim(space, numpy.ones(T.shape), T, X0, interp=False)[:2]


def _zpk_frequencies(system, n):
    z, p, _ = system._zpk()
    return _found_frequencies(z, p, n)


def _single(system):
    shape = system._ss()[3].shape if isinstance(system, StateSpace) else numpy.shape(system._tf()[0])
    if isinstance(system, StateSpace) and shape != (1, 1) or not isinstance(system, StateSpace) and len(shape) > 1 and shape[0] > 1:
        raise ValueError('the response to frequencies is that of a system of one input and one output')


def freqresp(system, w=None, n=10000):
    """Angular frequencies and the response of a continuous-time system to them."""
    import cuprum

    system = _system(system, lti)
    _single(system)
    w = cuprum.asarray(_zpk_frequencies(system, n)) if w is None else cuprum.atleast_1d(cuprum.asarray(w))
    return w, _response(system, 1j * w)


def _response(system, points):
    if isinstance(system, ZerosPolesGain):
        return quotient_of_roots(*system._zpk(), points)
    b, a = system._tf()
    return quotient(numpy.ravel(b), a, points)


def _decibels(w, y):
    import cuprum

    return w, 20.0 * cuprum.log10(cuprum.abs(y)), cuprum.unwrap(cuprum.angle(y)) * (180.0 / math.pi)


def bode(system, w=None, n=100):
    """Angular frequencies, and magnitude in decibels and phase in degrees of the response of a continuous-time system."""
    return _decibels(*freqresp(system, w=w, n=n))


def dfreqresp(system, w=None, n=10000, whole=False):
    """Angular frequencies per sample and the response of a discrete-time system to them."""
    import cuprum

    system = _system(system, dlti)
    _single(system)
    if w is None:
        w = cuprum.linspace(0, 2 * math.pi if whole else math.pi, n, endpoint=False)
    else:
        w = cuprum.atleast_1d(cuprum.asarray(w))
    return w, _response(system, cuprum.exp(1j * w))


def dbode(system, w=None, n=100):
    """Angular frequencies, and magnitude in decibels and phase in degrees of the response of a discrete-time system."""
    system = _system(system, dlti)
    w, y = dfreqresp(system, w=w, n=n)
    return _decibels(w / float(system.dt), y)


def dlsim(system, u, t=None, x0=None):
    """Response of a discrete-time system to an input: times, outputs, and for a state space its states."""
    system = _system(system, dlti)
    A, B, C, D = system._ss()
    dt = float(system.dt)
    u = numpy.atleast_1d(host(u))
    u = u[:, None] if u.ndim == 1 else u
    if t is None:
        count, end = len(u), (len(u) - 1) * dt
    else:
        t = host(t)
        end = t[-1]
        count = int(math.floor(end / dt)) + 1
    out = numpy.arange(count) * dt if t is None else numpy.linspace(0.0, end, num=count)
    states = numpy.zeros((count, len(A)))
    states[0] = 0 if x0 is None else host(x0)
    if t is None:
        inputs = u
    else:
        inputs = numpy.stack([numpy.interp(out, t, column) for column in u.T], 1)
    for k in range(count - 1):
        states[k + 1] = A @ states[k] + B @ inputs[k]
    outputs = states @ C.T + inputs[:count] @ D.T
    if isinstance(system, StateSpace):
        return device(out, outputs, states)
    return device(out, outputs)


def _each_input(system, x0, t, n, of):
    system = _system(system, dlti)
    n = 100 if n is None else operator.index(n)
    inputs = system._ss()[1].shape[1]
    t = numpy.linspace(0, n * float(system.dt), n, endpoint=False) if t is None else vector(t)
    found = []
    for k in range(inputs):
        u = numpy.zeros((t.size, inputs))
        u[of, k] = 1.0
        found.append(dlsim(system, u, t=t, x0=x0))
    return found[0][0], tuple(one[1] for one in found)


def dimpulse(system, x0=None, t=None, n=None):
    """Response of a discrete-time system to impulses: times, and outputs for each input."""
    return _each_input(system, x0, t, n, 0)


def dstep(system, x0=None, t=None, n=None):
    """Response of a discrete-time system to steps: times, and outputs for each input."""
    return _each_input(system, x0, t, n, slice(None))


class Bunch(dict):
    """Results by name, as keys and as attributes."""

    __getattr__ = dict.__getitem__


def _checked_poles(A, B, poles, method, rtol, maxiter):
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f'A must be square, not of shape {A.shape}')
    if B.ndim != 2:
        raise ValueError(f'B must be 2 dimensional, not {B.ndim} dimensional')
    if poles.ndim != 1:
        raise ValueError('Poles must be a 1D array like.')
    if len(poles) > A.shape[0]:
        raise ValueError(f'maximum number of poles is {A.shape[0]} but you asked for {len(poles)}')
    if len(poles) < A.shape[0]:
        raise ValueError(f'number of poles is {len(poles)} but you should provide {A.shape[0]}')
    if numpy.linalg.matrix_rank(B) < max((poles == p).sum() for p in poles):
        raise ValueError('at least one of the requested pole is repeated more than rank(B) times')
    if method not in ('KNV0', 'YT'):
        raise ValueError("The method keyword must be one of 'YT' or 'KNV0'")
    if rtol > 1:
        raise ValueError(f'rtol can not be greater than 1, not {rtol}')
    if maxiter < 1:
        raise ValueError(f'maxiter must be at least equal to 1, not {maxiter}')
    real, above = poles[poles.imag == 0], poles[poles.imag > 0]
    if len(real) + 2 * len(above) != len(poles) or not numpy.allclose(numpy.sort(above.conj()), numpy.sort(poles[poles.imag < 0])):
        raise ValueError('Complex poles must come with their conjugates')
    if method == 'KNV0' and len(above):
        raise ValueError('Complex poles are not supported by KNV0')
    return numpy.sort(real.real), above[numpy.argsort(above.real + 0 * above.imag, kind='stable')]


def place_poles(A, B, poles, method='YT', rtol=1e-3, maxiter=30):
    """Gain matrix K for which `A - B K` has these poles, with eigenvectors chosen to be nearly orthogonal: each is in turn replaced by the one of its space that is farthest from the span
    of the others (J. Kautsky, N. K. Nichols and P. Van Dooren, "Robust Pole Assignment in Linear State Feedback", International Journal of Control 41, 1985). Both methods are this
    one: complex poles are taken in pairs. On the host."""
    A, B, poles = host(A).astype(float), host(B).astype(float), numpy.atleast_1d(host(poles))
    real, above = _checked_poles(A, B, poles, method, rtol, maxiter)
    ordered = numpy.concatenate((real.astype(complex), *[[p.conj(), p] for p in above]))
    n, rank = len(A), int(numpy.linalg.matrix_rank(B))
    if rank == n:
        # Any eigenvectors are possible: the unit vectors.
        wanted = numpy.zeros((n, n))
        k = 0
        while k < n:
            p = ordered[k]
            if p.imag == 0:
                wanted[k, k] = p.real
                k += 1
            else:
                wanted[k : k + 2, k : k + 2] = [[p.real, -abs(p.imag)], [abs(p.imag), p.real]]
                k += 2
        gain, rate, count = numpy.linalg.lstsq(B, A - wanted, rcond=None)[0], 0.0, 0
        vectors = numpy.eye(n, dtype=complex)
    else:
        left = numpy.linalg.svd(B)[0][:, rank:]
        spaces, vectors = [], []
        generator = numpy.random.default_rng(0)
        for p in ordered:
            if p.imag > 0:
                spaces.append(spaces[-1].conj())
                vectors.append(vectors[-1].conj())
                continue
            # Eigenvectors of p: those that A - p maps into the range of B.
            rows = left.T @ (A - p * numpy.eye(n))
            null = numpy.linalg.svd(rows)[2].conj().T[:, n - rank :]
            spaces.append(null)
            weights = generator.standard_normal(rank) + (1j * generator.standard_normal(rank) if p.imag else 0)
            v = null @ weights
            vectors.append(v / numpy.linalg.norm(v))
        vectors = numpy.array(vectors).T
        rate, count, before = numpy.inf, 0, 0.0
        while rank > 1 and count < maxiter and rate > rtol:
            for k, p in enumerate(ordered):
                if p.imag > 0:
                    continue
                others = numpy.delete(vectors, k, 1)
                normal = numpy.linalg.svd(others)[0][:, -1]
                v = spaces[k] @ (spaces[k].conj().T @ normal)
                size = numpy.linalg.norm(v)
                if size > 1e-12:
                    vectors[:, k] = v / size
                    if p.imag:
                        vectors[:, k + 1] = vectors[:, k].conj()
            volume = abs(numpy.linalg.det(vectors))
            rate = abs(volume - before) / max(volume, 1e-300)
            before, count = volume, count + 1
        if rank == 1:
            rate, count = 0.0, 0
        elif rate > rtol:
            warnings.warn(f'Convergence was not reached after maxiter iterations: the rate is {rate}, rtol {rtol}.', stacklevel=2)
        closed = (vectors * ordered) @ numpy.linalg.inv(vectors)
        gain = numpy.linalg.lstsq(B, A - closed.real, rcond=None)[0]
    computed = numpy.linalg.eigvals(A - B @ gain)
    names = ('gain_matrix', 'computed_poles', 'requested_poles', 'X')
    found = device(gain, numpy.sort_complex(computed), ordered, vectors)
    return Bunch(zip(names, found), rtol=rate, nb_iter=count)
