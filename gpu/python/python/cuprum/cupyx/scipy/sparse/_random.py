"""Random sparse arrays."""

import math

import numpy

import cuprum

from ._base import CLASSES


def random_array(shape, *, density=0.01, format='coo', dtype=None, rng=None, data_sampler=None, random_state=None):
    """Returns an array whose stored elements have random indices, each set of indices being equally likely, and random values.

    `density` is the share of elements that are stored. Values are uniform in [0, 1), those of integers uniform in the range of `dtype`,
    or what `data_sampler(size=n)` returns. `rng` (or `random_state`) is a seed, a `cuprum.random.Generator` or a `RandomState`. Raises
    ValueError for a density outside of [0, 1].
    """
    shape = tuple(int(n) for n in shape)
    data, coords = _sample(shape, density, dtype, rng if rng is not None else random_state, data_sampler)
    return CLASSES['coo', True]((data, coords), shape=shape).asformat(format)


def random(m, n, density=0.01, format='coo', dtype=None, random_state=None, data_rvs=None, *, rng=None):
    """Returns a random matrix of shape (m, n); `random_array` describes it. `data_rvs(n)` returns the values where it is given."""
    m, n = int(m), int(m if n is None else n)
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    data, coords = _sample((m, n), density, dtype, random_state if rng is None else rng, sampler)
    return CLASSES['coo', False]((data, coords), shape=(m, n)).asformat(format)


def rand(m, n, density=0.01, format='coo', dtype=None, random_state=None, *, rng=None):
    """Returns a random matrix of shape (m, n) with values that are uniform in [0, 1): `random`."""
    return random(m, n, density, format, dtype, random_state, rng=rng)


def _generator(rng):
    if rng is None or rng is cuprum.random:
        return cuprum.random
    if isinstance(rng, (cuprum.random.Generator, cuprum.random.RandomState)):
        return rng
    if isinstance(rng, (int, numpy.integer)):
        return cuprum.random.RandomState(rng)
    raise ValueError(f'{rng!r} is no source of random numbers: give a seed, a cuprum.random.Generator or a RandomState')


def _integers(rng, low, high, size, dtype=numpy.int64):
    draw = getattr(rng, 'integers', None) or rng.randint
    return draw(low, high, size=size, dtype=dtype)


def _sample(shape, density, dtype, rng, sampler):
    if not 0 <= density <= 1:
        raise ValueError(f'random: density is {density}: it must be from 0 to 1')
    total, dtype = math.prod(shape), numpy.dtype(dtype or float)
    if total >= 2**63:
        raise ValueError(f'random: an array of shape {shape} has more elements than 64-bit integers count')
    rng, size = _generator(rng), int(round(density * total))
    flat = _distinct(rng, total, size)
    coords = cuprum.unravel_index(flat, shape) if total else tuple(cuprum.zeros(0, numpy.int64) for _ in shape)
    if sampler is not None:
        data = cuprum.asarray(sampler(size=size))
    elif dtype.kind in 'iu':
        limits = numpy.iinfo(dtype)
        data = _integers(rng, limits.min, limits.max, size, dtype)
    elif dtype.kind == 'c':
        data = rng.uniform(size=size) + rng.uniform(size=size) * 1j
    else:
        data = rng.uniform(size=size)
    return data.astype(dtype, copy=False), coords


def _distinct(rng, total, size):
    """Returns different integers below `total` in random order.

    Of few among many, integers are drawn until enough of them differ; else the first ones of a permutation are taken.
    """
    if 3 * size >= total:
        return rng.permutation(total)[:size].astype(numpy.int64)
    found = cuprum.empty(0, dtype=numpy.int64)
    while found.size < size:
        more = _integers(rng, 0, total, 2 * (size - found.size) + 16)
        found = cuprum.unique(cuprum.concatenate([found, more]))
    return found[rng.permutation(found.size)[:size]]
