"""`cupyx.scipy.spatial.transform` against SciPy's."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Expected
from scipy.spatial.transform import RotationSpline as ExpectedSpline
from scipy.spatial.transform import Slerp as ExpectedSlerp

import cuprum as cp
from cuprum.cupyx.scipy.spatial.transform import Rotation, RotationSpline, Slerp

RNG = np.random.default_rng(21)
QUATERNIONS = RNG.standard_normal((20, 4))


def same(found, wanted, tolerance=1e-12):
    found = cp.asnumpy(found)
    assert found.shape == np.shape(wanted), (found.shape, np.shape(wanted))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def same_rotations(found, wanted, tolerance=1e-12):
    a, b = cp.asnumpy(found.as_quat()), wanted.as_quat()
    assert a.shape == b.shape
    assert np.minimum(abs(a - b).max(-1), abs(a + b).max(-1)).max() < tolerance


def both(quat=QUATERNIONS):
    return Rotation.from_quat(cp.asarray(quat)), Expected.from_quat(quat)


def test_representations():
    for quat in (QUATERNIONS, QUATERNIONS[3], RNG.standard_normal((2, 3, 4)), np.array([0.0, 0, 0, -2]), QUATERNIONS * 1e-100):
        found, wanted = both(quat)
        assert found.shape == wanted.shape and found.single == (quat.ndim == 1)
        same(found.as_quat(), wanted.as_quat())
        same(found.as_quat(True, scalar_first=True), wanted.as_quat(True, scalar_first=True))
        same(found.as_matrix(), wanted.as_matrix())
        same(found.as_rotvec(), wanted.as_rotvec())
        same(found.as_rotvec(degrees=True), wanted.as_rotvec(degrees=True), 1e-10)
        same(found.as_mrp(), wanted.as_mrp())
        same(found.magnitude(), wanted.magnitude())
        same_rotations(Rotation.from_matrix(found.as_matrix()), wanted)
        same_rotations(Rotation.from_quat(cp.asarray(quat), scalar_first=True), Expected.from_quat(quat, scalar_first=True))
    vectors = RNG.standard_normal((20, 3)) * np.logspace(-12, 1, 20)[:, None]
    vectors[0] = 0
    for degrees in (False, True):
        same_rotations(Rotation.from_rotvec(cp.asarray(vectors), degrees), Expected.from_rotvec(vectors, degrees))
    same(Rotation.from_rotvec(cp.asarray(vectors)).as_rotvec(), Expected.from_rotvec(vectors).as_rotvec())
    same_rotations(Rotation.from_mrp(cp.asarray(vectors)), Expected.from_mrp(vectors))
    assert Rotation.from_quat(cp.asarray(QUATERNIONS, 'f')).as_matrix().dtype == 'f'


def test_matrices_that_are_not_orthogonal():
    matrix = both()[1].as_matrix()
    other = matrix + 0.1 * RNG.standard_normal(matrix.shape)
    for m in (matrix, 1.3 * matrix, other[np.linalg.det(other) > 0]):
        same_rotations(Rotation.from_matrix(cp.asarray(m)), Expected.from_matrix(m))


@pytest.mark.parametrize('length', [1, 2, 3])
def test_euler_angles(length):
    for axes in itertools.product('xyz', repeat=length):
        if any(a == b for a, b in zip(axes, axes[1:])):
            continue
        for seq in (''.join(axes), ''.join(axes).upper()):
            angles = RNG.uniform(-3, 3, (9, length))
            found = Rotation.from_euler(seq, cp.asarray(angles))
            same_rotations(found, Expected.from_euler(seq, angles))
            same_rotations(Rotation.from_euler(seq, cp.asarray(angles * 50), degrees=True), Expected.from_euler(seq, angles * 50, degrees=True))
            if length == 3:
                same(found.as_euler(seq), Expected.from_euler(seq, angles).as_euler(seq), 1e-9)
                locked = angles.copy()
                locked[:, 1] = np.resize([0, np.pi] if seq[0] == seq[2] else [np.pi / 2, -np.pi / 2], 9)
                wanted = Expected.from_euler(seq, locked)
                with pytest.warns(UserWarning, match='Gimbal lock'):
                    found = Rotation.from_euler(seq, cp.asarray(locked)).as_euler(seq)
                assert (found[:, 2] == 0).all()
                same_rotations(Rotation.from_euler(seq, found), wanted, 1e-6)
                with warnings.catch_warnings():
                    warnings.simplefilter('error')
                    Rotation.from_euler(seq, cp.asarray(locked)).as_euler(seq, suppress_warnings=True)
    axes, angles = np.eye(3), RNG.uniform(-1, 1, (7, 3))
    for order in ('extrinsic', 'i'):
        same_rotations(Rotation.from_davenport(cp.asarray(axes), order, cp.asarray(angles)), Expected.from_davenport(axes, order, angles))


def test_operations():
    found, wanted = both()
    vectors = RNG.standard_normal((20, 3))
    same(found.apply(cp.asarray(vectors)), wanted.apply(vectors))
    same(found.apply(cp.asarray(vectors[0]), inverse=True), wanted.apply(vectors[0], inverse=True))
    same(found[3].apply(cp.asarray(vectors)), wanted[3].apply(vectors))
    same_rotations(found * found[::-1], wanted * wanted[::-1])
    same_rotations(found * found[2], wanted * wanted[2])
    same_rotations(found.inv(), wanted.inv())
    for n in (0, 1, -1, 2, -2.5, 0.3):
        same_rotations(found**n, wanted**n)
    same(found.approx_equal(found[::-1], atol=1.5), wanted.approx_equal(wanted[::-1], atol=1.5))
    weights = RNG.random(20)
    same_rotations(found.mean(), wanted.mean())
    same_rotations(found.mean(cp.asarray(weights)), wanted.mean(weights))
    same_rotations(Rotation.concatenate([found, found[0]]), Expected.concatenate([wanted, wanted[0]]))
    same_rotations(Rotation.identity(3), Expected.identity(3))
    assert len(found) == len(list(found)) == 20
    found[1] = found[0]
    same_rotations(found[1], wanted[0])


def test_random_rotations_are_uniform():
    matrices = Rotation.random(4000, 5).as_matrix().get()
    assert np.allclose(np.linalg.det(matrices), 1)
    # Each element has the variance 1/3.
    assert abs(matrices.mean(0)).max() < 4 / np.sqrt(3 * 4000) and abs((matrices**2).mean(0) - 1 / 3).max() < 0.03
    assert Rotation.random().single and Rotation.random(shape=(2, 3)).shape == (2, 3)


def test_groups():
    for group, axis in itertools.product(('I', 'O', 'T', 'C5', 'D3', 'D4', 'C1'), 'XYZ'):
        found, wanted = Rotation.create_group(group, axis), Expected.create_group(group, axis)
        assert len(found) == len(wanted)
        cosines = abs(found.as_quat().get() @ wanted.as_quat().T)
        assert np.allclose(cosines.max(0), 1) and np.allclose(cosines.max(1), 1)
    found, wanted = both()
    left, right = Rotation.create_group('O'), Rotation.create_group('D3')
    same(found.reduce(left).magnitude(), wanted.reduce(Expected.create_group('O')).magnitude(), 1e-9)
    reduced, i, j = found.reduce(left, right, return_indices=True)
    same(reduced.magnitude(), wanted.reduce(Expected.create_group('O'), Expected.create_group('D3')).magnitude(), 1e-9)
    assert left[i].__mul__(found).__mul__(right[j]).approx_equal(reduced, atol=1e-6).all()


def test_aligned_vectors():
    b = RNG.standard_normal((9, 3))
    a = Expected.from_quat(QUATERNIONS[0]).apply(b) + 0.01 * RNG.standard_normal((9, 3))
    weights = RNG.random(9)
    found, wanted = Rotation.align_vectors(cp.asarray(a), cp.asarray(b), cp.asarray(weights), True), Expected.align_vectors(a, b, weights, True)
    same_rotations(found[0], wanted[0], 1e-9)
    assert np.isclose(found[1], wanted[1])
    same(found[2], wanted[2], 1e-8)
    weights[2] = np.inf
    for arguments in ((a, b, weights), (a[0], b[0]), (-b[0], b[0])):
        found, wanted = Rotation.align_vectors(*map(cp.asarray, arguments)), Expected.align_vectors(*arguments)
        if arguments[0] is not a and (arguments[0] == -b[0]).all():
            same(found[0].apply(cp.asarray(b[0])), -b[0])
        else:
            same_rotations(found[0], wanted[0], 1e-8)
        assert np.isclose(found[1], wanted[1], atol=1e-12)
    # A mirror image is not reached by a rotation.
    mirrored = Rotation.align_vectors(cp.asarray(b * [1, 1, -1]), cp.asarray(b))[0].as_matrix()
    assert np.isclose(np.linalg.det(mirrored.get()), 1)


def test_slerp():
    times = np.sort(RNG.random(20))
    found, wanted = Slerp(cp.asarray(times), both()[0]), ExpectedSlerp(times, both()[1])
    at = np.concatenate((RNG.uniform(times[0], times[-1], 30), times[[0, 4, -1]]))
    same_rotations(found(cp.asarray(at)), wanted(at), 1e-10)
    same_rotations(found(float(at[0])), wanted(at[0]), 1e-10)
    for call in (
        lambda: found(times[0] - 1),
        lambda: Slerp(times[::-1], both()[0]),
        lambda: Slerp(times[:3], both()[0]),
        lambda: Slerp(times[:1], both()[0][:1]),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize('count', [2, 3, 4, 20])
@pytest.mark.parametrize('size', [1.0, 1e-3])
def test_splines(count, size):
    # Small angles have power series.
    vectors = np.cumsum(RNG.standard_normal((count, 3)) * size, axis=0)
    times = np.cumsum(RNG.random(count) + 0.2) - 1
    found = RotationSpline(cp.asarray(times), Rotation.from_rotvec(cp.asarray(vectors)))
    wanted = ExpectedSpline(times, Expected.from_rotvec(vectors))
    for at in (np.linspace(times[0] - 0.5, times[-1] + 0.5, 50), times, times[1], np.array(times[0] + 0.1)):
        same_rotations(found(cp.asarray(at)), wanted(at), 1e-8)
        for order in (1, 2):
            same(found(cp.asarray(at), order), wanted(at, order), 1e-7)
    # Rates and accelerations are continuous at the times of the rotations.
    for order in (0, 1, 2)[: 3 if count > 2 else 1]:
        for time in times[1:-1]:
            before, after = (found(time + step, order) for step in (-1e-9, 1e-9))
            before, after = (v.as_matrix() if order == 0 else v for v in (before, after))
            assert abs(before - after).max() < 1e-5 * size


def test_rejected_splines():
    five = QUATERNIONS[:5]
    for call in (
        lambda s, r, a: s(a([1.0]), r.from_quat(a(five[:1]))),
        lambda s, r, a: s(a([1.0]), r.from_quat(a(five[0]))),
        lambda s, r, a: s(a([[1.0, 2]]), r.from_quat(a(five[:2]))),
        lambda s, r, a: s(a([1.0, 2, 3]), r.from_quat(a(five))),
        lambda s, r, a: s(a([1.0, 2, 2, 3, 4]), r.from_quat(a(five))),
        lambda s, r, a: s(a([1.0, 2, 3, 4, 5]), r.from_quat(a(five)))(a([2.0]), 3),
        lambda s, r, a: s(a([1.0, 2, 3, 4, 5]), r.from_quat(a(five)))(a([[2.0]])),
    ):
        with pytest.raises((TypeError, ValueError)) as wanted:
            call(ExpectedSpline, Expected, np.asarray)
        with pytest.raises(wanted.type):
            call(RotationSpline, Rotation, cp.asarray)
    with pytest.raises(TypeError):
        RotationSpline([1.0, 2], 5)


def test_rejected_arguments():
    for call in (
        lambda r, a: r.from_quat(a([0, 0, 0, 0.0])),
        lambda r, a: r.from_quat(a([1.0, 2])),
        lambda r, a: r.from_matrix(a(-np.eye(3))),
        lambda r, a: r.from_euler('xX', a([1.0, 2])),
        lambda r, a: r.from_euler('xx', a([1.0, 2])),
        lambda r, a: r.from_euler('abc', a([1.0, 2, 3])),
        lambda r, a: r.from_euler('xyz', a([1.0, 2])),
        lambda r, a: r.from_quat(a([1.0, 0, 0, 0])).as_euler('xy'),
        lambda r, a: r.from_quat(a([1.0, 0, 0, 0]))[0],
        lambda r, a: len(r.from_quat(a([1.0, 0, 0, 0]))),
        lambda r, a: r.create_group('Q'),
        lambda r, a: r.create_group('C0'),
        lambda r, a: r.from_rotvec(a([1.0, 2])),
        lambda r, a: r.align_vectors(a([[1.0, 2, 3]]), a([[1.0, 2, 3], [1, 2, 3]])),
        lambda r, a: r.identity(3).mean(a([-1.0, 1, 1])),
    ):
        with pytest.raises((TypeError, ValueError)) as wanted:
            call(Expected, np.asarray)
        with pytest.raises(wanted.type):
            call(Rotation, cp.asarray)


def test_davenport_angles():
    for angle in (-2.0, -np.pi / 2, -0.3, 0.0, 0.7, np.pi / 2, 2.5):
        axes = np.array([[1.0, 0, 0], [0, 1, 0], [np.cos(angle), 0, -np.sin(angle)]])
        for order in ('extrinsic', 'intrinsic'):
            found, wanted = both()
            # SciPy has the same ranges of the middle angle.
            angles = found.as_davenport(cp.asarray(axes), order)
            same(angles, wanted.as_davenport(axes, order), 1e-9)
            same_rotations(Rotation.from_davenport(cp.asarray(axes), order, angles), wanted, 1e-9)
    with pytest.raises(ValueError, match='orthogonal'):
        found.as_davenport(cp.asarray([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]), 'e')


def test_powers_of_arrays_and_random_generators_of_numpy():
    found, wanted = both()
    exponents = RNG.choice([-2.0, -1, 0, 0.5, 1, 3], 20)
    # SciPy takes one exponent.
    same((found ** cp.asarray(exponents)).as_quat(), np.stack([(r**n).as_quat() for r, n in zip(wanted, exponents)]), 1e-10)
    for generator in (np.random.default_rng, np.random.RandomState):
        same_rotations(Rotation.random(4, generator(3)), Expected.random(4, generator(3)))
        same_rotations(Rotation.random(random_state=generator(3)), Expected.random(random_state=generator(3)))
    with pytest.raises(ValueError, match='out of bounds'):
        found.mean(axis=3)
    with pytest.raises(ValueError, match='Cannot broadcast'):
        found * found[:3]
