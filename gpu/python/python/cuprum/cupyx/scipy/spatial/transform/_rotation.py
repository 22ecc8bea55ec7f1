"""Rotations of space as unit quaternions on the device."""

import math
import warnings

import numpy

import cuprum
from cuprum._decorators import set_module

from ..._axes import normalize_axis
from . import _groups, _kernels
from ._kernels import parts, run

_AXES = {'x': 0, 'y': 1, 'z': 2}


def _floating(a, name, *last):
    """Returns an array of float32 or float64 whose last axes have these lengths."""
    a = cuprum.asarray(a)
    if a.dtype.kind == 'c':
        raise TypeError(f'{name} is complex: rotations are real')
    if a.dtype not in (numpy.float32, numpy.float64):
        a = a.astype(numpy.float64)
    if a.ndim < len(last) or a.shape[a.ndim - len(last) :] != last:
        expected = ', '.join(('...', *map(str, last)))
        raise ValueError(f'Expected `{name}` to have shape ({expected}), got {a.shape}.')
    return a


def _sequence(seq):
    """Returns the axes of a sequence of Euler angles, and whether it is intrinsic."""
    if not 1 <= len(seq) <= 3:
        raise ValueError(f'Expected axis specification to be a non-empty string of upto 3 characters, got {seq}')
    intrinsic = all(c in 'XYZ' for c in seq)
    if not (intrinsic or all(c in 'xyz' for c in seq)):
        raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    if any(a == b for a, b in zip(seq, seq[1:])):
        raise ValueError(f'Expected consecutive axes to be different, got {seq}')
    return [_AXES[c] for c in seq.lower()], intrinsic


def _product(p, q):
    return run(_kernels.compose, 4, *parts(p), *parts(q))


@set_module('cuprum.cupyx.scipy.spatial.transform')
class Rotation:
    """Rotations of space, of any shape.

    They are unit quaternions x, y, z, w of float64, or of float32 if they are created from arrays of float32. Constructors that reject values, of quaternions of norm 0 and of matrices whose
    determinant is not positive, synchronise.
    """

    def __init__(self, quat, normalize=True, copy=True, scalar_first=False):
        quat = _floating(quat, 'quat', 4)
        if scalar_first:
            quat = cuprum.roll(quat, -1, axis=-1)
        if normalize:
            if not quat.any(axis=-1).all():
                raise ValueError('Found zero norm quaternions in `quat`.')
            quat = run(_kernels.normalize, 4, *parts(quat))
        elif copy:
            quat = quat.copy()
        self._quat = quat

    @classmethod
    def _of(cls, quat):
        """Returns rotations of unit quaternions."""
        found = cls.__new__(cls)
        found._quat = quat
        return found

    @classmethod
    def from_quat(cls, quat, *, scalar_first=False):
        """Returns rotations of quaternions of any norm but 0, in the order x, y, z, w, or w, x, y, z with `scalar_first`."""
        return cls(quat, normalize=True, scalar_first=scalar_first)

    @classmethod
    def from_matrix(cls, matrix, *, assume_valid=False):
        """Returns rotations of matrices; those that are not orthogonal are replaced by the nearest orthogonal ones."""
        matrix = _floating(matrix, 'matrix', 3, 3)
        if not assume_valid:
            gram = matrix @ cuprum.swapaxes(matrix, -1, -2)
            far = (
                abs(gram - cuprum.eye(3, dtype=matrix.dtype)).max(axis=(-2, -1)) > 1e-12
                if matrix.dtype == numpy.float64
                else cuprum.ones(matrix.shape[:-2], bool)
            )
            state = cuprum.stack([(cuprum.linalg.det(matrix) <= 0).any(), far.any()]).get()
            if state[0]:
                raise ValueError(
                    'Non-positive determinant (left-handed or null coordinate frame) in rotation matrix: the determinants of `matrix` must be above 0.'
                )
            if state[1]:
                u, _, vh = cuprum.linalg.svd(matrix)
                matrix = cuprum.where(far[..., None, None], u @ vh, matrix)
        return cls._of(run(_kernels.from_matrix, 4, *(matrix[..., i, j] for i in range(3) for j in range(3))))

    @classmethod
    def from_rotvec(cls, rotvec, degrees=False):
        """Returns rotations about the vectors by their lengths as angles."""
        rotvec = _floating(rotvec, 'rot_vec', 3)
        return cls._of(run(_kernels.from_rotvec, 4, *parts(cuprum.radians(rotvec) if degrees else rotvec)))

    @classmethod
    def from_mrp(cls, mrp):
        """Returns rotations of modified Rodrigues parameters: the axis times the tangent of a quarter of the angle."""
        return cls._of(run(_kernels.from_mrp, 4, *parts(_floating(mrp, 'mrp', 3))))

    @classmethod
    def from_euler(cls, seq, angles, degrees=False):
        """Returns rotations of angles about one to three axes, which `seq` names in capitals if they rotate, too."""
        axes, intrinsic = _sequence(seq)
        angles = _angles(angles, len(axes), degrees, 'last dimension of `angles`')
        missing = 3 - len(axes)
        return cls._of(run(_kernels.from_euler, 4, *parts(angles), *[angles.dtype.type(0)] * missing, *axes, *[0] * missing, intrinsic))

    @classmethod
    def from_davenport(cls, axes, order, angles, degrees=False):
        """Returns rotations of angles about one to three axes, of which consecutive ones are orthogonal."""
        axes, intrinsic = _davenport(axes), _order(order)
        count = axes.shape[-2]
        angles = _angles(angles, count, degrees, '`angles`')
        found = None
        for k in range(count):
            one = run(_kernels.from_rotvec, 4, *parts(axes[..., k, :] * angles[..., k, None]))
            found = one if found is None else _product(found, one) if intrinsic else _product(one, found)
        return cls._of(found)

    @classmethod
    def identity(cls, num=None, *, shape=None):
        """Returns rotations by nothing."""
        shape = _shape(num, shape)
        quat = cuprum.zeros((*shape, 4))
        quat[..., 3] = 1
        return cls._of(quat)

    @classmethod
    def random(cls, num=None, rng=None, *, shape=None, random_state=None):
        """Returns uniformly distributed rotations. `rng` is a generator of the device or of NumPy, or a seed; `random_state` is its old name."""
        shape = _shape(num, shape)
        rng = random_state if rng is None else rng
        if isinstance(rng, (numpy.random.Generator, numpy.random.RandomState)):
            return cls._of(run(_kernels.normalize, 4, *parts(cuprum.asarray(rng.standard_normal((*shape, 4))))))
        if not isinstance(rng, cuprum.random.Generator):
            rng = cuprum.random.default_rng(rng)
        return cls._of(run(_kernels.normalize, 4, *parts(rng.standard_normal((*shape, 4)))))

    @classmethod
    def create_group(cls, group, axis='Z'):
        """Returns the rotations of a group: `I`, `O`, `T`, `Dn` or `Cn`, the last two about an axis."""
        return cls._of(cuprum.asarray(_groups.elements(group, axis)))

    @classmethod
    def concatenate(cls, rotations):
        """Returns rotations after each other along the first axis."""
        if isinstance(rotations, Rotation):
            return cls._of(rotations._quat.copy())
        rotations = list(rotations)
        if not all(isinstance(r, Rotation) for r in rotations):
            raise TypeError('input must contain Rotation objects only')
        return cls._of(cuprum.concatenate([r._quat.reshape(-1, 4) if r.single else r._quat for r in rotations]))

    def as_quat(self, canonical=False, *, scalar_first=False):
        """Returns the quaternions; with `canonical` those of the two that have w above 0."""
        quat = run(_kernels.canonical, 4, *parts(self._quat)) if canonical else self._quat.copy()
        return cuprum.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_matrix(self):
        """Returns the matrices."""
        out = cuprum.empty((*self.shape, 3, 3), self._quat.dtype)
        return _kernels.to_matrix(cuprum.ascontiguousarray(self._quat), out)

    def as_rotvec(self, degrees=False):
        """Returns the axes times the angles."""
        found = run(_kernels.to_rotvec, 3, *parts(self._quat))
        return cuprum.degrees(found) if degrees else found

    def as_mrp(self):
        """Returns the modified Rodrigues parameters."""
        return run(_kernels.to_mrp, 3, *parts(self._quat))

    def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
        """Returns angles about three axes. Where only a sum of the first and the third one is determined the third one is 0, with a warning unless `suppress_warnings`, which synchronises."""
        if len(seq) != 3:
            raise ValueError(f'Expected 3 axes, got {seq}.')
        axes, intrinsic = _sequence(seq)
        if intrinsic:
            axes = axes[::-1]
        i, j, k = axes
        symmetric = i == k
        if symmetric:
            k = 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        quat = parts(self._quat)
        out, locked = cuprum.empty((*self.shape, 3), self._quat.dtype), cuprum.empty(self.shape, bool)

        _kernels.to_euler(quat[i], quat[j], quat[k], quat[3], symmetric, not intrinsic, sign, *parts(out), locked)
        _warn_of_lock(locked, suppress_warnings)
        return cuprum.degrees(out) if degrees else out

    def as_davenport(self, axes, order, degrees=False, *, suppress_warnings=False):
        """Returns angles about three axes, of which the second one is orthogonal to the others; where only a sum of the first and the third one is determined the third one is 0, as in `as_euler`."""
        axes, intrinsic = _davenport(axes), _order(order)
        if axes.shape[-2] != 3:
            raise ValueError(f'Expected 3 axes, got shape {axes.shape}.')
        first, second, third = (axes[..., k, :] for k in ((0, 1, 2) if intrinsic else (2, 1, 0)))
        # The third axis is the first one rotated about the second: with the rotation by that angle at the end, the angles are those of two axes.
        between = cuprum.arctan2((third * cuprum.cross(second, first)).sum(-1), (third * first).sum(-1))
        # An angle below 0 is one above 0 about the opposite axis: the middle angle has the range of `as_euler`.
        sign = cuprum.where(between < 0, -1.0, 1.0).astype(between.dtype)
        second, between = second * sign[..., None], abs(between)
        quat = _product(self._quat, run(_kernels.from_rotvec, 4, *parts(second * between[..., None])))
        along = [(quat[..., :3] * axis).sum(-1) for axis in (first, second, cuprum.cross(first, second))]
        out, locked = cuprum.empty((*quat.shape[:-1], 3), quat.dtype), cuprum.empty(quat.shape[:-1], bool)
        _kernels.to_euler(*along, quat[..., 3], True, not intrinsic, 1, *parts(out), locked)
        middle = sign * (out[..., 1] - between)
        out[..., 1] = cuprum.where(middle < -math.pi, middle + 2 * math.pi, cuprum.where(middle > math.pi, middle - 2 * math.pi, middle))
        _warn_of_lock(locked, suppress_warnings)
        return cuprum.degrees(out) if degrees else out

    def apply(self, vectors, inverse=False):
        """Returns rotated vectors; vectors and rotations are broadcast."""
        vectors = cuprum.asarray(vectors)
        if vectors.shape[-1:] != (3,):
            raise ValueError(f'Expected input of shape (..., 3), got {vectors.shape}.')
        vectors = _floating(vectors, 'vectors', 3)
        dtype = numpy.result_type(vectors, self._quat)
        a, b, c, d = parts(self._quat.astype(dtype, copy=False))
        return run(_kernels.apply, 3, *((-a, -b, -c) if inverse else (a, b, c)), d, *parts(vectors.astype(dtype, copy=False)))

    def inv(self):
        """Returns the inverse rotations."""
        return self._of(self._quat * cuprum.asarray([-1, -1, -1, 1], self._quat.dtype))

    def magnitude(self):
        """Returns the angles, from 0 to pi."""
        out = cuprum.empty(self.shape, self._quat.dtype)
        _kernels.magnitude(*parts(self._quat), out)
        return out

    def approx_equal(self, other, atol=None, degrees=False):
        """Returns whether the angle between rotations is below `atol`, by default 1e-8."""
        if atol is None:
            if degrees:
                warnings.warn('atol must be set to use the degrees flag, defaulting to 1e-8 radians.', stacklevel=2)
            atol = 1e-8
        elif degrees:
            atol = math.radians(atol)
        try:
            numpy.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(f'Expected broadcastable shapes in both rotations, got {self.shape} and {other.shape}.') from None
        return (other * self.inv()).magnitude() < atol

    def mean(self, weights=None, axis=None):
        """Returns the mean rotation: that of the least sum of squared distances of matrices (F. L. Markley et al., "Averaging Quaternions", 2007)."""
        axes = tuple(range(len(self.shape))) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        axes = tuple({normalize_axis(a, len(self.shape)) for a in axes})
        quat = self._quat
        weights = cuprum.ones(self.shape, quat.dtype) if weights is None else _floating(weights, 'weights')
        if weights.shape != self.shape:
            raise ValueError(f'Expected `weights` to have the shape {self.shape} of the rotations, got {weights.shape}.')
        if (weights < 0).any():
            raise ValueError('`weights` must be non-negative.')
        products = (quat[..., :, None] * quat[..., None, :] * weights[..., None, None]).sum(axis=axes)
        return self._of(cuprum.ascontiguousarray(cuprum.linalg.eigh(products)[1][..., -1]))

    def reduce(self, left=None, right=None, return_indices=False):
        """Returns the products `left * self * right` of the least angle, and with `return_indices` the numbers of the elements of both groups."""
        groups = []
        for group, name in ((left, 'left'), (right, 'right')):
            if group is not None and not isinstance(group, Rotation):
                raise ValueError(f'`{name}` must be a Rotation or None.')
            groups.append(self.identity(1)._quat if group is None else group._quat.reshape(-1, 4))
        own = self._quat.reshape(-1, 4)
        lefts, rights = groups
        found = _product(_product(lefts[None, :, None], own[:, None, None]), rights[None, None])
        best = abs(found[..., 3]).reshape(own.shape[0], -1).argmax(axis=1)
        at = best // rights.shape[0], best % rights.shape[0]
        reduced = found[cuprum.arange(own.shape[0]), at[0], at[1]].reshape(self._quat.shape)
        reduced = self._of(run(_kernels.canonical, 4, *parts(reduced)))
        if not return_indices:
            return reduced
        at = [None if group is None else i.reshape(self.shape) for group, i in zip((left, right), at)]
        return reduced, *at

    @classmethod
    def align_vectors(cls, a, b, weights=None, return_sensitivity=False):
        """Returns the rotation that brings the vectors `b` nearest to `a` in the sense of weighted least squares, and the root of the sum of squares (W. Kabsch, "A solution for the best rotation to
        relate two sets of vectors", 1976). The sensitivity is the third result. It synchronises."""
        a, b = cuprum.asarray(a), cuprum.asarray(b)
        for vectors, name in ((a, 'a'), (b, 'b')):
            if vectors.ndim > 2:
                raise ValueError(f'Expected inputs `a` and `b` to have shape (3,) or (N, 3), got {a.shape} and {b.shape}.')
            if vectors.ndim == 0 or vectors.shape[-1] != 3:
                raise ValueError(f'Expected input `{name}` to have shape (3,) or (N, 3), got {vectors.shape}.')
        a, b = cuprum.atleast_2d(_floating(a, 'a')), cuprum.atleast_2d(_floating(b, 'b'))
        if a.shape != b.shape:
            raise ValueError(f'Expected inputs `a` and `b` to have same shapes (N, 3), got {a.shape} and {b.shape} respectively.')
        weights = cuprum.ones(a.shape[0]) if weights is None else _floating(weights, 'weights')
        if weights.ndim != 1:
            raise ValueError(f'Expected `weights` to be 1 dimensional, got shape {weights.shape}.')
        if weights.size != a.shape[0]:
            raise ValueError(
                f'Expected `weights` to have number of values equal to number of input vectors, got {weights.size} values and {a.shape[0]} vectors.'
            )
        host = weights.get()
        if (host < 0).any():
            raise ValueError('`weights` may not contain negative values')
        infinite = numpy.isinf(host)
        if infinite.any() and infinite.sum() > 1:
            raise ValueError('Only one infinite weight is allowed.')
        norms = cuprum.sqrt((a * a).sum(-1)).get(), cuprum.sqrt((b * b).sum(-1)).get()
        if a.shape[0] == 1 or infinite.any():
            if return_sensitivity:
                raise ValueError('Cannot return sensitivity matrix with an infinite weight or one vector pair.')
            if (norms[0] == 0).any() or (norms[1] == 0).any():
                raise ValueError('Cannot align zero length primary vectors.')
            return cls._align_primary(a, b, weights, int(numpy.flatnonzero(infinite)[0]) if infinite.any() else 0)
        product = (a * weights[:, None]).T @ b
        u, s, vh = cuprum.linalg.svd(product)
        s = s.get()
        if float(cuprum.linalg.det(u) * cuprum.linalg.det(vh)) < 0:
            s[-1] = -s[-1]
            u = u * cuprum.asarray([1.0, 1.0, -1.0], u.dtype)
        if s[1] + s[2] < 1e-16 * s[0]:
            warnings.warn('Optimal rotation is not uniquely or poorly defined for the given sets of vectors.', stacklevel=2)
        sum_squares = float((host * (norms[0] ** 2 + norms[1] ** 2)).sum())
        found = cls.from_matrix(u @ vh, assume_valid=True), math.sqrt(max(sum_squares - 2 * s.sum(), 0))
        if not return_sensitivity:
            return found
        zeta = (s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0])
        kappa = s[0] * s[1] + s[1] * s[2] + s[2] * s[0]
        with numpy.errstate(divide='ignore', invalid='ignore'):
            scale = numpy.float64(host.mean()) / zeta
        return *found, scale * (kappa * cuprum.eye(3) + product @ product.T)

    @classmethod
    def _align_primary(cls, a, b, weights, at):
        """Aligns one pair of vectors exactly, and the others by a rotation about it."""
        one, other = a[at].get(), b[at].get()
        one, other = one / numpy.linalg.norm(one), other / numpy.linalg.norm(other)
        cross, cosine = numpy.cross(other, one), float(other @ one)
        sine = float(numpy.linalg.norm(cross))
        angle = math.atan2(sine, cosine)
        if sine < 1e-14:
            # Parallel vectors have any axis that is orthogonal to them.
            cross = numpy.cross(other, numpy.eye(3)[abs(other).argmin()])
            cross = cross / numpy.linalg.norm(cross)
        else:
            cross = cross / sine
        found = cls.from_rotvec(cuprum.asarray(cross * angle))
        if a.shape[0] > 1:
            rest = [k for k in range(a.shape[0]) if k != at]
            rotated, wanted, w = found.apply(b[rest]).get(), a[rest].get(), weights[rest].get()
            sines = (w * (numpy.cross(rotated, wanted) @ one)).sum()
            cosines = (w * ((rotated * wanted).sum(1) - (rotated @ one) * (wanted @ one))).sum()
            found = cls.from_rotvec(cuprum.asarray(one * math.atan2(sines, cosines))) * found
        w = cuprum.where(cuprum.isinf(weights), 0.0, weights)
        difference = a - found.apply(b)
        if a.shape[0] == 1:
            difference, w = a / cuprum.linalg.norm(a) * cuprum.linalg.norm(a) - found.apply(b), weights
        return found, float(cuprum.sqrt((w * (difference * difference).sum(-1)).sum()))

    @property
    def single(self):
        """Whether this is one rotation."""
        return self._quat.ndim == 1

    @property
    def shape(self):
        """The shape of the rotations."""
        return self._quat.shape[:-1]

    def __len__(self):
        if self.single:
            raise TypeError('Single rotation has no len().')
        return self.shape[0]

    def __bool__(self):
        return True

    def __getitem__(self, indexer):
        if self.single:
            raise TypeError('Single rotation is not subscriptable.')
        if isinstance(indexer, tuple) and any(i is Ellipsis for i in indexer) or indexer is Ellipsis:
            indexer = (*(indexer if isinstance(indexer, tuple) else (indexer,)), slice(None))
        return self._of(self._quat[indexer].copy())

    def __setitem__(self, indexer, value):
        if self.single:
            raise TypeError('Single rotation is not subscriptable.')
        if not isinstance(value, Rotation):
            raise TypeError('value must be a Rotation object')
        self._quat[indexer] = value._quat

    def __iter__(self):
        if self.single:
            raise TypeError('Single rotation is not iterable.')
        return (self[k] for k in range(len(self)))

    def __mul__(self, other):
        if not isinstance(other, Rotation):
            return NotImplemented
        dtype = numpy.result_type(self._quat, other._quat)
        return self._of(_product(self._quat.astype(dtype, copy=False), other._quat.astype(dtype, copy=False)))

    def __pow__(self, n, modulus=None):
        if modulus is not None:
            raise NotImplementedError('modulus not supported')
        if isinstance(n, (int, float)) and n in (0, 1, -1):
            return self._of(self._quat.copy()) if n == 1 else self.inv() if n == -1 else self.identity(shape=self.shape)
        n = cuprum.asarray(n)
        n = n.reshape(()) if n.size == 1 else n[..., None]
        found = self.from_rotvec(self.as_rotvec() * n)._quat
        # The sign of a quaternion is that of the same power of a number.
        for exponent in (-1, 0, 1):
            found = cuprum.where(n == exponent, (self**exponent)._quat, found)
        return self._of(found)

    def __repr__(self):
        matrix = repr(self.as_matrix()).splitlines()
        return 'Rotation.from_matrix(' + '\n                     '.join(matrix) + ')'

    __str__ = __repr__


def _angles(angles, count, degrees, what):
    """Returns angles of `count` axes in radians."""
    angles = cuprum.asarray(angles)
    if count == 1 and angles.ndim == 0:
        found = _floating(angles[None], 'angles')
    elif angles.ndim == 0 or angles.shape[-1] != count:
        raise ValueError(f'Expected {what} to match number of axes, {count}, got shape {angles.shape}.')
    else:
        found = _floating(angles, 'angles')
    return cuprum.radians(found) if degrees else found


def _davenport(axes):
    """Returns one to three unit vectors, of which consecutive ones are orthogonal. It synchronises."""
    axes = _floating(axes, 'axes', 3)
    axes = axes[None] if axes.ndim == 1 else axes
    if not 1 <= axes.shape[-2] <= 3:
        raise ValueError(f'Expected up to 3 axes, got {axes.shape[-2]}')
    axes = axes / cuprum.linalg.norm(axes, axis=-1, keepdims=True)
    if axes.shape[-2] > 1 and (abs((axes[..., :-1, :] * axes[..., 1:, :]).sum(-1)) > 1e-7).any():
        raise ValueError('Consecutive axes must be orthogonal.')
    return axes


def _shape(num, shape):
    """Returns the shape of new rotations."""
    if num is not None and shape is not None:
        raise ValueError('Only one of `num` or `shape` can be specified.')
    shape = () if num is None and shape is None else num if shape is None else shape
    if isinstance(shape, (int, numpy.integer)):
        return (int(shape),)
    if not isinstance(shape, tuple):
        raise ValueError(f'`shape` must be an int or a tuple of ints, not {shape!r}')
    return shape


def _warn_of_lock(locked, suppress_warnings):
    if not suppress_warnings and locked.any():
        warnings.warn('Gimbal lock detected. Setting third angle to zero since it is not possible to uniquely determine all angles.', stacklevel=3)


def _order(order):
    """Returns whether an order of rotations is intrinsic."""
    if order not in ('e', 'extrinsic', 'i', 'intrinsic'):
        raise ValueError("order should be 'e'/'extrinsic' for extrinsic sequences or 'i'/'intrinsic' for intrinsic sequences, got {!r}".format(order))
    return order in ('i', 'intrinsic')
