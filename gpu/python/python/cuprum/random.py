"""Random number generation: NumPy's `Generator` and CuPy's `RandomState` over three bit generators. Results for a
seed are the same on every device, and the same in Rust."""

import os
import threading
import types
import warnings

import numpy as _np
from numpy.random import SeedSequence

import cuprum as _cuprum
from cuprum._cuprum import Distributions as _Base
from cuprum._cuprum import RandomBits as _Bits
from cuprum._decorators import renamed as _renamed

__all__ = [
    'BitGenerator',
    'Generator',
    'MRG32k3a',
    'Philox4x3210',
    'RandomState',
    'SeedSequence',
    'XORWOW',
    'default_rng',
    'get_random_state',
    'reset_states',
    'set_random_state',
]


def _sequence(seed):
    """Returns the seed sequence of a seed, which NumPy's class validates."""
    if isinstance(seed, SeedSequence):
        if seed.pool_size != 4:
            raise NotImplementedError(f'a SeedSequence has a pool of {seed.pool_size} words: only 4, the usual, are there')
        return seed
    return SeedSequence(seed.get() if isinstance(seed, _cuprum.ndarray) else seed)


class BitGenerator:
    """Base class of bit generators: a sequence of 32-bit words with a current position."""

    def __init__(self, seed=None):
        if type(self) is BitGenerator:
            raise NotImplementedError('BitGenerator is a base class: make a Philox4x3210, an MRG32k3a or an XORWOW')
        self._seed_seq = _sequence(seed)
        self._bits = _Bits(self._kind, self._seed_seq)

    @property
    def seed_seq(self):
        """The seed sequence."""
        return self._seed_seq

    @property
    def state(self):
        """The state, by value: assigning it continues the sequence from that position."""
        kind, state, block, lane = self._bits.state()
        return {'bit_generator': kind, 'state': tuple(state), 'block': block, 'lane': lane}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError('state must be a dict')
        if value.get('bit_generator') != self._kind:
            raise ValueError(f'state must be for a {self._kind} bit generator')
        self._bits.set_state(self._kind, value['state'], value['block'], value['lane'])

    def random_raw(self, size=None, output=True):
        """Returns the next 32-bit words."""
        words = self._bits.random_raw(size)
        return words if output else None

    def advance(self, delta):
        """Advances the position by `delta` words, and returns the generator itself."""
        self._bits.advance(delta)
        return self

    def jumped(self, jumps=1):
        """Returns a generator advanced by `jumps` streams, which do not overlap."""
        return _restored(type(self), self._seed_seq, self._bits.jumped(jumps))

    def spawn(self, n_children):
        """Returns `n_children` independent generators of the same kind."""
        return [type(self)(child) for child in self._seed_seq.spawn(n_children)]

    def __reduce__(self):
        return _of_state, (type(self), self._seed_seq, self.state)


def _bound(bound):
    """Converts a bound of integers: 0-d NumPy arrays become numbers, lists become NumPy arrays."""
    if isinstance(bound, (list, tuple)) or isinstance(bound, _np.ndarray):
        bound = _np.asarray(bound)
        return bound.item() if bound.ndim == 0 else bound
    return bound


def _has_no_axes(x):
    return isinstance(x, (_cuprum.ndarray, _np.ndarray)) and x.ndim == 0


def _restored(cls, seed_seq, bits):
    made = cls.__new__(cls)
    made._seed_seq, made._bits = seed_seq, bits
    return made


def _of_state(cls, seed_seq, state):
    made = _restored(cls, seed_seq, _Bits(cls._kind, SeedSequence(0)))
    made.state = state
    return made


class Philox4x3210(BitGenerator):
    """Philox4x32-10, the default: each block of four words is a bijection of its counter."""

    _kind = 'Philox4x3210'


class MRG32k3a(BitGenerator):
    """MRG32k3a: two linear recurrences of order 3."""

    _kind = 'MRG32k3a'


class XORWOW(BitGenerator):
    """XORWOW: a 160-bit shift register and a counter."""

    _kind = 'XORWOW'


class _Distributions(_Base):
    """The distributions over the bit generator `_bits`. Parameters are scalars or arrays, which are broadcast;
    without `size` the result has their shape. Those with scalars for results are methods of the base class."""

    def bytes(self, length):
        """Returns random bytes as a Python object."""
        return self._bits.bytes(length)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Returns samples of the Dirichlet distribution."""
        return self._bits.dirichlet(alpha, size, dtype)

    def multinomial(self, n, pvals, size=None):
        """Returns samples of the multinomial distribution: the counts of each outcome among `n` trials."""
        return self._bits.multinomial(n, pvals, size)

    def _integers(self, low, high, size, dtype, endpoint):
        low, high = (0, _bound(low)) if high is None else (_bound(low), _bound(high))
        if isinstance(high, _np.ndarray) and high.dtype == object:
            # An upper bound of 2**64 is not representable as uint64, but the last integer below it is.
            last, endpoint = high if endpoint else high - 1, True
            try:
                high = last.astype(_np.int64 if dtype is None else dtype)
            except OverflowError as error:
                raise ValueError(f'integers: `high` is out of bounds for {_np.dtype(dtype)}') from error
        return self._bits.draw('integers', (low, high), size, dtype, None, endpoint)


class Generator(_Distributions):
    """Random samples of every distribution from a bit generator, which may be shared."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    @property
    def bit_generator(self):
        """The bit generator, with its state. If another one is assigned, later samples use its bits."""
        return self._bit_generator

    @bit_generator.setter
    def bit_generator(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f'a bit generator is expected, not {type(bit_generator).__name__}: default_rng takes a seed')
        self._bit_generator, self._bits = bit_generator, bit_generator._bits

    def spawn(self, n_children):
        """Returns `n_children` independent generators."""
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    def random(self, size=None, dtype=_np.float64, out=None):
        """Returns samples of the uniform distribution on [0, 1)."""
        return self._bits.draw('random', (), size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=_np.int64, endpoint=False):
        """Returns integers from `low` to below `high`, or from 0 to below `low`; with `endpoint` the upper bound is
        included."""
        return self._integers(low, high, size, dtype, endpoint)

    def standard_normal(self, size=None, dtype=_np.float64, out=None):
        """Returns samples of the standard normal distribution."""
        return self._bits.draw('standard_normal', (), size, dtype, out)

    def standard_exponential(self, size=None, dtype=_np.float64, method='zig', out=None):
        """Returns samples of the exponential distribution of mean 1, computed by the logarithm with either method."""
        if method not in ('zig', 'inv'):
            raise ValueError(f"method is {method!r}: it must be 'zig' or 'inv'")
        return self._bits.draw('standard_exponential', (), size, dtype, out)

    def standard_gamma(self, shape, size=None, dtype=_np.float64, out=None):
        """Returns samples of the gamma distribution of a shape, with scale 1."""
        return self._bits.draw('standard_gamma', (shape,), size, dtype, out)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Returns random elements of an array along an axis, or of the numbers below `a`; their order is random for
        either value of `shuffle`."""
        return self._bits.choice(a, size, replace, p, axis)

    def permutation(self, x, axis=0):
        """Returns the numbers below `x`, or the subarrays of an array along an axis, in random order."""
        if _has_no_axes(x):
            raise _np.exceptions.AxisError(axis, 0)
        if axis == 0 or not getattr(x, 'ndim', 0):
            return self._bits.permutation(x)
        return _cuprum.moveaxis(self._bits.permutation(_cuprum.moveaxis(x, axis, 0)), 0, axis)

    def permuted(self, x, *, axis=None, out=None):
        """Returns a copy with each 1-D slice along an axis permuted independently, or with all elements permuted."""
        if _has_no_axes(x):
            raise TypeError('permuted: `x` has no axes: its parts along an axis are put in another order')
        made = self._bits.permuted(x, axis)
        if out is None:
            return made
        if out.shape != made.shape:
            raise ValueError('out must have the same shape as x')
        out[...] = made
        return out

    def shuffle(self, x, axis=0):
        """Shuffles the subarrays of an array along an axis, in place."""
        self._bits.shuffle(x, axis)

    def multivariate_normal(self, mean, cov, size=None, check_valid='warn', tol=1e-8, *, method='svd', dtype=float):
        """Returns samples of the multivariate normal distribution of a mean and a covariance."""
        return self._bits.multivariate_normal(mean, cov, size, check_valid, tol, method, dtype)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method='marginals'):
        """Returns samples of the multivariate hypergeometric distribution: counts of each colour in a sample
        without replacement."""
        if method not in ('marginals', 'count'):
            raise ValueError('method must be "count" or "marginals".')
        return self._bits.multivariate_hypergeometric(colors, nsample, size)

    def __reduce__(self):
        return type(self), (self._bit_generator,)

    def __str__(self):
        return f'{type(self).__name__}({type(self._bit_generator).__name__})'

    def __repr__(self):
        return f'{self} at {id(self):#X}'


def default_rng(seed=None):
    """Returns a generator over Philox4x32-10 with a seed; an existing generator is returned unchanged."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, RandomState):
        return Generator(seed._bit_generator)
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))


class _Older(_Distributions):
    """The legacy functions: other names, and no `out`."""

    random_sample = ranf = sample = _Base.random

    def rand(self, *size, dtype=float):
        """Returns samples of the uniform distribution on [0, 1), with the shape as arguments."""
        return self._bits.draw('random', (), size or None, dtype)

    def randn(self, *size, dtype=float):
        """Returns samples of the standard normal distribution, with the shape as arguments."""
        return self._bits.draw('standard_normal', (), size or None, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        """Returns integers from `low` to below `high`, or from 0 to below `low`."""
        return self._integers(low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Returns integers from `low` to `high`, or from 1 to `low`, inclusive. Deprecated: `randint` takes the end
        plus one."""
        warnings.warn("random_integers is deprecated: use randint(low, high + 1)", DeprecationWarning, stacklevel=2)
        return self._integers(*((1, low) if high is None else (low, high)), size, int, True)

    def tomaxint(self, size=None):
        """Returns integers from 0 to the largest of int64."""
        return self._integers(0, _np.iinfo(_np.int64).max, size, int, True)

    def choice(self, a, size=None, replace=True, p=None):
        """Returns random elements of a 1-D array, or of the numbers below `a`."""
        if not _np.isscalar(a):
            a = _cuprum.asarray(a)
            if a.ndim > 1:
                raise ValueError(f'choice: `a` has {a.ndim} axes: it must have one, or be an integer; a Generator takes more axes')
        return self._bits.choice(a, size, replace, p, 0)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Returns samples of the hypergeometric distribution, for samples of `nsample`, 1 or more, without
        replacement."""
        if not isinstance(nsample, _cuprum.ndarray) and _np.any(_np.less(nsample, 1)):
            raise ValueError(f'hypergeometric: `nsample` is {nsample}: it must be 1 or more; a Generator takes 0')
        return super().hypergeometric(ngood, nbad, nsample, size, dtype)

    @_renamed(a='x')
    def permutation(self, x):
        """Returns the numbers below `x`, or the subarrays of an array along its first axis, in random order."""
        if _has_no_axes(x):
            raise IndexError('permutation: `x` has no axes: it must be an integer, or an array with an axis')
        return self._bits.permutation(x)

    @_renamed(a='x')
    def shuffle(self, x):
        """Shuffles the subarrays of an array along its first axis, in place."""
        self._bits.shuffle(x, 0)

    def multivariate_normal(self, mean, cov, size=None, check_valid='ignore', tol=1e-8, method='cholesky', dtype=float):
        """Returns samples of the multivariate normal distribution of a mean and a covariance."""
        return self._bits.multivariate_normal(mean, cov, size, check_valid, tol, method, dtype)


# CuPy identifies bit generators by cuRAND's numbers.
_METHODS = {None: Philox4x3210, 100: Philox4x3210, 101: XORWOW, 121: MRG32k3a, 161: Philox4x3210}


class RandomState(_Older):
    """The legacy generator: a `Generator` with more names, which `seed` reseeds."""

    def __init__(self, seed=None, method=None):
        if method not in _METHODS:
            raise ValueError(f'there is no bit generator of the number {method}: they are {sorted(filter(None, _METHODS))}')
        self._take(seed if isinstance(seed, BitGenerator) else _METHODS[method](seed))

    def _take(self, bit_generator):
        self._bit_generator, self._bits = bit_generator, bit_generator._bits

    def seed(self, seed=None):
        """Reseeds the generator."""
        self._take(type(self._bit_generator)(seed))

    def get_state(self):
        """Returns the state, by value."""
        return self._bit_generator.state

    def set_state(self, state):
        """Sets the state."""
        self._bit_generator.state = state

    def __reduce__(self):
        return type(self), (self._bit_generator,)

    def __str__(self):
        return f'{type(self).__name__}({type(self._bit_generator).__name__})'

    def __repr__(self):
        return f'{self} at {id(self):#X}'


class _Shared(_Older):
    """The functions of the module: those of the generator that all threads share."""

    _lock, _state = threading.Lock(), None

    @property
    def _bits(self):
        return get_random_state()._bits

    def seed(self, seed=None):
        """Seeds the generator that all threads share."""
        get_random_state().seed(seed)

    def __reduce__(self):
        return '_shared'


_shared = _Shared()


def _environment_seed():
    """Returns the seed of the environment, `None` if it has none."""
    name = next((name for name in ('CUPRUM_SEED', 'CUPY_SEED') if os.environ.get(name)), None)
    try:
        return None if name is None else int(os.environ[name])
    except ValueError:
        raise ValueError(f'{name} is {os.environ[name]!r}: it must be an integer') from None


def get_random_state():
    """Returns the generator that all threads share. Unless it has been seeded, its seed is the environment variable
    `CUPRUM_SEED`, that of CuPy's `CUPY_SEED`, or from the operating system."""
    state = _Shared._state
    if state is None:
        with _Shared._lock:
            state = _Shared._state
            if state is None:
                state = _Shared._state = RandomState(_environment_seed())
    return state


def reset_states():
    """Discards the generator that all threads share: the next call creates and seeds another one."""
    _Shared._state = None


def set_random_state(rs):
    """Sets the generator that all threads share."""
    if not isinstance(rs, RandomState):
        raise TypeError(f'Random state must be an instance of RandomState. Actual: {type(rs)}')
    _Shared._state = rs


# Each is the method of `_shared`, with its signature and docstring, and is pickled by its name.
for _name in dir(_Shared):
    if not _name.startswith('_') and _name != 'tomaxint':
        globals()[_name] = _function = getattr(_shared, _name)
        if isinstance(_function, types.BuiltinMethodType):
            _function.__module__ = __name__
        __all__.append(_name)
