"""Finite groups of rotations as quaternions, on the host."""

import functools
import math

import numpy

__all__ = ['elements']


def _product(p, q):
    u, v = p[..., :3], q[..., :3]
    vector = p[..., 3:] * v + q[..., 3:] * u + numpy.cross(u, v)
    return numpy.concatenate([vector, p[..., 3:] * q[..., 3:] - (u * v).sum(-1, keepdims=True)], -1)


def _half(q):
    """Returns those of the two quaternions of rotations whose first part other than 0, from w on, is above 0."""
    order = numpy.round(q[:, [3, 0, 1, 2]], 9)
    first = order[numpy.arange(len(q)), (order != 0).argmax(1)]
    return q * numpy.sign(first)[:, None]


def _generated(*generators):
    """Returns all products of generators, in ascending order of the angle and then of the parts."""
    found = numpy.array([[0.0, 0.0, 0.0, 1.0]])
    generators = numpy.array(generators, float)
    while True:
        every = _half(numpy.concatenate([found, _product(found[:, None], generators[None]).reshape(-1, 4)]))
        _, first = numpy.unique(numpy.round(every, 6) + 0.0, axis=0, return_index=True)
        every = every[numpy.sort(first)]
        if len(every) == len(found):
            keys = numpy.round(every, 6)
            return every[numpy.lexsort((keys[:, 2], keys[:, 1], keys[:, 0], -keys[:, 3]))]
        found = every


def _about(axis, angle):
    axis = numpy.asarray(axis, float)
    return [*(axis / numpy.linalg.norm(axis) * math.sin(angle / 2)), math.cos(angle / 2)]


@functools.lru_cache(maxsize=64)
def elements(group, axis):
    """Returns the quaternions of a group, each rotation once."""
    if not isinstance(group, str):
        raise ValueError('`group` argument must be a string')
    axes = {'x': 0, 'y': 1, 'z': 2}
    if axis.lower() not in axes:
        raise ValueError("`axis` must be one of x, X, y, Y, z, Z, got '%s'" % axis)
    if group == 'T':
        return _generated(_about([1, 1, 1], 2 * math.pi / 3), _about([0, 0, 1], math.pi))
    if group == 'O':
        return _generated(_about([1, 1, 1], 2 * math.pi / 3), _about([0, 0, 1], math.pi / 2))
    if group == 'I':
        golden = (1 + math.sqrt(5)) / 2
        return _generated(_about([1, 1, 1], 2 * math.pi / 3), _about([0, 0, 1], math.pi), _about([0, 1, golden], 2 * math.pi / 5))
    if group[:1] in ('C', 'D') and group[1:].isdigit() and int(group[1:]) > 0:
        count, at = int(group[1:]), axes[axis.lower()]
        angles = numpy.pi * numpy.arange(count) / count
        turns = numpy.zeros((count, 4))
        turns[:, at], turns[:, 3] = numpy.sin(angles), numpy.cos(angles)
        if group[0] == 'C':
            return turns
        flips = numpy.zeros((count, 4))
        flips[:, (at + 1) % 3], flips[:, (at + 2) % 3] = numpy.cos(angles), numpy.sin(angles)
        return numpy.concatenate([turns, flips])
    raise ValueError("`group` must be one of 'I', 'O', 'T', 'Dn', 'Cn', where n is a positive integer, not %r" % group)
