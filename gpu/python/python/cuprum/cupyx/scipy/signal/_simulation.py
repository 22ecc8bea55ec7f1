"""Simulations of linear systems of `scipy.signal` on the host, and their responses to frequencies on the device."""

import math
import operator
import warnings

import numpy

from ._lti import LinearTimeInvariant, StateSpace, ZerosPolesGain, dlti, lti
from ._representations import coefficients_of, device, host, normalized, vector, zeros_poles
from ._responses import _found_frequencies, quotient, quotient_of_roots
from ._state_spaces import _expm

__all__ = ['bode', 'dbode', 'dfreqresp', 'dimpulse', 'dlsim', 'dstep', 'freqresp', 'impulse', 'lsim', 'step']


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
        raise ValueError(f'U has {U.shape[0]} rows for the {count} times of T.')
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
    start = B
    if X0 is not None:
        X0 = host(X0)
        start = B + (X0 if X0.size == 1 else numpy.reshape(X0, B.shape))
    return lsim(space, 0.0, T, numpy.atleast_1d(numpy.squeeze(start)), interp=False)[:2]


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
