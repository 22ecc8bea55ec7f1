"""Random numbers: NumPy's `Generator` and CuPy's `RandomState` over three bit generators. What a seed draws is the same on every
device, and the same in Rust."""

import functools
import operator
import os
import threading
import warnings

import numpy as _np
from numpy.random import SeedSequence

import cuprum as _cuprum
from cuprum._cuprum import RandomBits as _Bits
from cuprum._forms import renamed

__all__ = [
    'BitGenerator', 'Generator', 'MRG32k3a', 'Philox4x3210', 'RandomState', 'SeedSequence', 'XORWOW', 'default_rng',
    'get_random_state', 'reset_states', 'set_random_state',
]


def _sequence(seed):
    """The sequence of a seed. NumPy's own class says what a seed is."""
    if isinstance(seed, SeedSequence):
        if seed.pool_size != 4:
            raise NotImplementedError(f'a SeedSequence has a pool of {seed.pool_size} words: only 4, the usual, are there')
        return seed
    return SeedSequence(seed.get() if isinstance(seed, _cuprum.ndarray) else seed)


def _words(entropy):
    """Integers as words of 32 bits, the lowest first."""
    if isinstance(entropy, str):
        entropy = int(entropy, 0)
    if isinstance(entropy, (int, _np.integer)):
        number = operator.index(entropy)
        return [number >> at & 0xffffffff for at in range(0, max(number.bit_length(), 1), 32)]
    return [word for part in entropy for word in _words(part)]


class BitGenerator:
    """A sequence of words of 32 bits, and a place in it: what all bit generators have in common."""

    def __init__(self, seed=None):
        if type(self) is BitGenerator:
            raise NotImplementedError('BitGenerator is a base class: make a Philox4x3210, an MRG32k3a or an XORWOW')
        self._seed_seq = _sequence(seed)
        self._bits = _Bits(self._kind, _words(self._seed_seq.entropy), list(self._seed_seq.spawn_key))

    @property
    def seed_seq(self):
        """The sequence of the seed."""
        return self._seed_seq

    @property
    def state(self):
        """The state, by value: stored and set again it goes on where it stood."""
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
        """Words of 32 bits as they come."""
        words = self._bits.random_raw(size)
        return words if output else None

    def advance(self, delta):
        """Goes on as if `delta` words had been drawn, and gives the generator itself."""
        self._bits.advance(delta)
        return self

    def jumped(self, jumps=1):
        """The generator so many streams further on, none of whose words this one has."""
        return _restored(type(self), self._seed_seq, self._bits.jumped(jumps))

    def spawn(self, n_children):
        """So many generators of the same kind, independent of this one and of each other."""
        return [type(self)(child) for child in self._seed_seq.spawn(n_children)]

    def __reduce__(self):
        return _of_state, (type(self), self._seed_seq, self.state)


def _bound(bound):
    """A bound of integers: NumPy's arrays without axes are numbers, lists are arrays of the host."""
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
    made = _restored(cls, seed_seq, _Bits(cls._kind, [], []))
    made.state = state
    return made


class Philox4x3210(BitGenerator):
    """Philox4x32-10, the usual one: each block of four words is a bijection of its number."""

    _kind = 'Philox4x3210'


class MRG32k3a(BitGenerator):
    """MRG32k3a: two recurrences of order 3."""

    _kind = 'MRG32k3a'


class XORWOW(BitGenerator):
    """XORWOW: a shift register of 160 bits and a counter."""

    _kind = 'XORWOW'


class _Distributions:
    """What is drawn from the bits in `_bits`. Parameters are numbers or arrays, which are broadcast; without `size` as many
    are drawn as these have elements."""

    def beta(self, a, b, size=None, dtype=float):
        """Beta numbers."""
        return self._bits.draw('beta', (a, b), size, dtype)

    def binomial(self, n, p, size=None, dtype=int):
        """Successes among `n` trials of probability `p`."""
        return self._bits.draw('binomial', (n, p), size, dtype)

    def bytes(self, length):
        """Bytes of the host."""
        return self._bits.bytes(length)

    def chisquare(self, df, size=None, dtype=float):
        """Sums of `df` squares of normal numbers."""
        return self._bits.draw('chisquare', (df,), size, dtype)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Shares that are together 1."""
        return self._bits.dirichlet(alpha, size, dtype)

    def exponential(self, scale=1.0, size=None, dtype=float):
        """Exponential numbers of the mean `scale`."""
        return self._bits.draw('exponential', (scale,), size, dtype)

    def f(self, dfnum, dfden, size=None, dtype=float):
        """Ratios of two mean squares."""
        return self._bits.draw('f', (dfnum, dfden), size, dtype)

    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        """Gamma numbers of a shape, times `scale`."""
        return self._bits.draw('gamma', (shape, scale), size, dtype)

    def geometric(self, p, size=None, dtype=int):
        """Trials up to the first success of probability `p`."""
        return self._bits.draw('geometric', (p,), size, dtype)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Extreme values of Gumbel's type."""
        return self._bits.draw('gumbel', (loc, scale), size, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Good ones in a sample of `nsample` without replacement."""
        return self._bits.draw('hypergeometric', (ngood, nbad, nsample), size, dtype)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Double exponential numbers around `loc`."""
        return self._bits.draw('laplace', (loc, scale), size, dtype)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Logistic numbers around `loc`."""
        return self._bits.draw('logistic', (loc, scale), size, dtype)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        """Powers of e of normal numbers of `mean` and `sigma`."""
        return self._bits.draw('lognormal', (mean, sigma), size, dtype)

    def logseries(self, p, size=None, dtype=int):
        """Numbers of the logarithmic distribution."""
        return self._bits.draw('logseries', (p,), size, dtype)

    def multinomial(self, n, pvals, size=None):
        """How often each of several outcomes happens among `n` trials."""
        return self._bits.multinomial(n, pvals, size)

    def negative_binomial(self, n, p, size=None, dtype=int):
        """Failures before `n` successes of probability `p`."""
        return self._bits.draw('negative_binomial', (n, p), size, dtype)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=float):
        """Sums of `df` squares of normal numbers whose means are not 0."""
        return self._bits.draw('noncentral_chisquare', (df, nonc), size, dtype)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float):
        """Ratios of two mean squares, the upper one not central."""
        return self._bits.draw('noncentral_f', (dfnum, dfden, nonc), size, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Normal numbers of the mean `loc` and the deviation `scale`."""
        return self._bits.draw('normal', (loc, scale), size, dtype)

    def pareto(self, a, size=None, dtype=float):
        """Numbers of Pareto's distribution of the second kind, which begin at 0."""
        return self._bits.draw('pareto', (a,), size, dtype)

    def poisson(self, lam=1.0, size=None, dtype=int):
        """Counts of events of which `lam` are expected."""
        return self._bits.draw('poisson', (lam,), size, dtype)

    def power(self, a, size=None, dtype=float):
        """Numbers from 0 to 1 whose density grows as the power `a - 1`."""
        return self._bits.draw('power', (a,), size, dtype)

    def rayleigh(self, scale=1.0, size=None, dtype=float):
        """Lengths of vectors of two normal numbers of deviation `scale`."""
        return self._bits.draw('rayleigh', (scale,), size, dtype)

    def standard_cauchy(self, size=None, dtype=float):
        """Numbers of Cauchy's distribution."""
        return self._bits.draw('standard_cauchy', (), size, dtype)

    def standard_t(self, df, size=None, dtype=float):
        """Numbers of Student's distribution."""
        return self._bits.draw('standard_t', (df,), size, dtype)

    def triangular(self, left, mode, right, size=None, dtype=float):
        """Numbers whose density is a triangle."""
        return self._bits.draw('triangular', (left, mode, right), size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """Numbers from `low` to `high`."""
        return self._bits.draw('uniform', (low, high), size, dtype)

    def vonmises(self, mu, kappa, size=None, dtype=float):
        """Angles around `mu`, from -pi to pi."""
        return self._bits.draw('vonmises', (mu, kappa), size, dtype)

    def wald(self, mean, scale, size=None, dtype=float):
        """Times in which a drifting walk arrives: the inverse normal distribution."""
        return self._bits.draw('wald', (mean, scale), size, dtype)

    def weibull(self, a, size=None, dtype=float):
        """Numbers of Weibull's distribution of the shape `a`."""
        return self._bits.draw('weibull', (a,), size, dtype)

    def zipf(self, a, size=None, dtype=int):
        """Numbers of Zipf's distribution."""
        return self._bits.draw('zipf', (a,), size, dtype)

    def _integers(self, low, high, size, dtype, endpoint):
        low, high = (0, _bound(low)) if high is None else (_bound(low), _bound(high))
        if isinstance(high, _np.ndarray) and high.dtype == object:
            # An upper bound of 2**64 is no uint64, but the last integer below it is.
            last, endpoint = high if endpoint else high - 1, True
            try:
                high = last.astype(_np.int64 if dtype is None else dtype)
            except OverflowError as error:
                raise ValueError(f'integers: `high` is out of bounds for {_np.dtype(dtype)}') from error
        return self._bits.draw('integers', (low, high), size, dtype, None, endpoint)

    def _shuffle(self, x, axis):
        if not isinstance(x, _cuprum.ndarray):
            raise TypeError(f'an array of cuprum is expected, not {type(x).__name__}')
        if x.ndim == 0:
            raise TypeError('shuffle: `x` has no axes: its parts along an axis are put in another order')
        self._bits.shuffle(x, axis)

    def _vectors(self, mean, cov, size, check_valid, tol, method, dtype):
        if check_valid not in ('warn', 'raise', 'ignore'):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        try:
            return self._bits.multivariate_normal(mean, cov, size, check_valid != 'ignore', tol, method, dtype)
        except ValueError:
            if check_valid != 'warn':
                raise
            # What is wrong with the shapes is wrong again.
            drawn = self._bits.multivariate_normal(mean, cov, size, False, tol, method, dtype)
        warnings.warn('covariance is not symmetric positive-semidefinite.', RuntimeWarning, stacklevel=3)
        return drawn


class Generator(_Distributions):
    """Random numbers of every distribution from a bit generator, which it shares with all that have it."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    @property
    def bit_generator(self):
        """The bits, with their state. Another bit generator can be set: numbers are drawn from its bits from then on."""
        return self._bit_generator

    @bit_generator.setter
    def bit_generator(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f'a bit generator is expected, not {type(bit_generator).__name__}: default_rng takes a seed')
        self._bit_generator, self._bits = bit_generator, bit_generator._bits

    def spawn(self, n_children):
        """So many generators that are independent of this one and of each other."""
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    def random(self, size=None, dtype=_np.float64, out=None):
        """Numbers from 0 to below 1."""
        return self._bits.draw('random', (), size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=_np.int64, endpoint=False):
        """Integers from `low` to below `high`, or from 0 to below `low`; with `endpoint` the upper bound among them."""
        return self._integers(low, high, size, dtype, endpoint)

    def standard_normal(self, size=None, dtype=_np.float64, out=None):
        """Normal numbers of mean 0 and deviation 1."""
        return self._bits.draw('standard_normal', (), size, dtype, out)

    def standard_exponential(self, size=None, dtype=_np.float64, method='zig', out=None):
        """Exponential numbers of mean 1: by the logarithm, whatever the method."""
        if method not in ('zig', 'inv'):
            raise ValueError(f"method is {method!r}: it must be 'zig' or 'inv'")
        return self._bits.draw('standard_exponential', (), size, dtype, out)

    def standard_gamma(self, shape, size=None, dtype=_np.float64, out=None):
        """Gamma numbers of a shape."""
        return self._bits.draw('standard_gamma', (shape,), size, dtype, out)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of an array along an axis, or of the numbers below `a`, at random; their order is random whether `shuffle`
        asks for it or not."""
        return self._bits.choice(a, size, replace, p, axis)

    def permutation(self, x, axis=0):
        """The numbers below `x`, or the parts of an array along an axis, in any order."""
        if _has_no_axes(x):
            raise _np.exceptions.AxisError(axis, 0)
        if axis == 0 or not getattr(x, 'ndim', 0):
            return self._bits.permutation(x)
        return _cuprum.moveaxis(self._bits.permutation(_cuprum.moveaxis(x, axis, 0)), 0, axis)

    def permuted(self, x, *, axis=None, out=None):
        """A copy whose rows along an axis are each in an order of their own, or all elements in one."""
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
        """Puts the parts of an array along an axis in any order, in place."""
        self._shuffle(x, axis)

    def multivariate_normal(self, mean, cov, size=None, check_valid='warn', tol=1e-8, *, method='svd', dtype=float):
        """Normal vectors of a mean and a covariance."""
        return self._vectors(mean, cov, size, check_valid, tol, method, dtype)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method='marginals'):
        """How many of each colour are in a sample without replacement."""
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
    """A generator over Philox4x32-10 of a seed; one that is a generator already is returned."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, RandomState):
        return Generator(seed._bit_generator)
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))


class _Older(_Distributions):
    """The older functions: other names, and no `out`."""

    def random(self, size=None, dtype=float):
        """Numbers from 0 to below 1."""
        return self._bits.draw('random', (), size, dtype)

    def random_sample(self, size=None, dtype=float):
        """Numbers from 0 to below 1."""
        return self._bits.draw('random', (), size, dtype)

    def ranf(self, size=None, dtype=float):
        """Numbers from 0 to below 1."""
        return self._bits.draw('random', (), size, dtype)

    def sample(self, size=None, dtype=float):
        """Numbers from 0 to below 1."""
        return self._bits.draw('random', (), size, dtype)

    def rand(self, *size, dtype=float):
        """Numbers from 0 to below 1, of so many along each axis."""
        return self._bits.draw('random', (), size or None, dtype)

    def randn(self, *size, dtype=float):
        """Normal numbers, of so many along each axis."""
        return self._bits.draw('standard_normal', (), size or None, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` to below `high`, or from 0 to below `low`."""
        return self._integers(low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Integers from `low` to `high`, or from 1 to `low`, all among them. Deprecated: `randint` takes the end plus one."""
        warnings.warn("random_integers is deprecated: use randint(low, high + 1)", DeprecationWarning, stacklevel=2)
        return self._integers(*((1, low) if high is None else (low, high)), size, int, True)

    def tomaxint(self, size=None):
        """Integers from 0 to the largest of int64."""
        return self._integers(0, _np.iinfo(_np.int64).max, size, int, True)

    def standard_normal(self, size=None, dtype=float):
        """Normal numbers of mean 0 and deviation 1."""
        return self._bits.draw('standard_normal', (), size, dtype)

    def standard_exponential(self, size=None, dtype=float):
        """Exponential numbers of mean 1."""
        return self._bits.draw('standard_exponential', (), size, dtype)

    def standard_gamma(self, shape, size=None, dtype=float):
        """Gamma numbers of a shape."""
        return self._bits.draw('standard_gamma', (shape,), size, dtype)

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of an array of one axis, or of the numbers below `a`, at random."""
        if not _np.isscalar(a):
            a = _cuprum.asarray(a)
            if a.ndim > 1:
                raise ValueError(f'choice: `a` has {a.ndim} axes: it must have one, or be an integer; a Generator takes more axes')
        return self._bits.choice(a, size, replace, p, 0)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Good ones in a sample of `nsample`, 1 or more, without replacement."""
        if not isinstance(nsample, _cuprum.ndarray) and _np.any(_np.less(nsample, 1)):
            raise ValueError(f'hypergeometric: `nsample` is {nsample}: it must be 1 or more; a Generator takes 0')
        return super().hypergeometric(ngood, nbad, nsample, size, dtype)

    @functools.partial(renamed, a='x')
    def permutation(self, x):
        """The numbers below `x`, or the parts of an array along its first axis, in any order."""
        if _has_no_axes(x):
            raise IndexError('permutation: `x` has no axes: it must be an integer, or an array with an axis')
        return self._bits.permutation(x)

    @functools.partial(renamed, a='x')
    def shuffle(self, x):
        """Puts the parts of an array along its first axis in any order, in place."""
        self._shuffle(x, 0)

    def multivariate_normal(
            self, mean, cov, size=None, check_valid='ignore', tol=1e-8, method='cholesky', dtype=float):
        """Normal vectors of a mean and a covariance."""
        return self._vectors(mean, cov, size, check_valid, tol, method, dtype)


# CuPy names bit generators by the numbers of cuRAND.
_METHODS = {None: Philox4x3210, 100: Philox4x3210, 101: XORWOW, 121: MRG32k3a, 161: Philox4x3210}


class RandomState(_Older):
    """The older generator: a `Generator` with more names, which is seeded anew by `seed`."""

    def __init__(self, seed=None, method=None):
        if method not in _METHODS:
            raise ValueError(f'there is no bit generator of the number {method}: they are {sorted(filter(None, _METHODS))}')
        self._take(seed if isinstance(seed, BitGenerator) else _METHODS[method](seed))

    def _take(self, bit_generator):
        self._bit_generator, self._bits = bit_generator, bit_generator._bits

    def seed(self, seed=None):
        """Seeds it anew."""
        self._take(type(self._bit_generator)(seed))

    def get_state(self):
        """The state, by value."""
        return self._bit_generator.state

    def set_state(self, state):
        """Goes on from a state."""
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


def get_random_state():
    """The generator that all threads share. Where nobody has seeded it, the environment variable `CUPY_SEED` does, and without it
    the operating system."""
    state = _Shared._state
    if state is None:
        with _Shared._lock:
            state = _Shared._state
            if state is None:
                seed = os.environ.get('CUPY_SEED')
                state = _Shared._state = RandomState(None if seed is None else int(seed))
    return state


def reset_states():
    """Drops the generator that all threads share: the next call makes and seeds another one."""
    _Shared._state = None


def set_random_state(rs):
    """Gives all threads this generator."""
    if not isinstance(rs, RandomState):
        raise TypeError(f'Random state must be an instance of RandomState. Actual: {type(rs)}')
    _Shared._state = rs


# Each is the method of `_shared`: with its signature and its sentence, and pickled by its name.
for _name in dir(_Shared):
    if not _name.startswith('_') and _name != 'tomaxint':
        globals()[_name] = getattr(_shared, _name)
        __all__.append(_name)
