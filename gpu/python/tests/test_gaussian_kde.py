"""`gaussian_kde` against SciPy's."""

import numpy as np
import pytest
import scipy.stats

import cuprum as cp
from cuprum.cupyx.scipy import stats

RNG = np.random.default_rng(17)


def both(dataset, *options):
    moved = [cp.asarray(o) if isinstance(o, np.ndarray) else o for o in options]
    return stats.gaussian_kde(cp.asarray(dataset), *moved), scipy.stats.gaussian_kde(dataset, *options)


def close(found, wanted, tolerance=1e-11):
    found = cp.asnumpy(found)
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=1e-300)


@pytest.mark.parametrize('d', [1, 2, 5])
def test_densities(d):
    dataset = RNG.standard_normal((d, 90)) * np.arange(1, d + 1)[:, None]
    weights = RNG.random(90)
    points = RNG.standard_normal((d, 40)) * 2
    for options in ((), ('silverman',), (0.3,), (lambda kde: 0.5 * kde.scotts_factor(),), (None, weights), (0.4, weights)):
        found, wanted = both(dataset, *options)
        assert np.isclose(found.factor, wanted.factor, rtol=1e-13) and np.isclose(found.neff, wanted.neff, rtol=1e-13)
        close(found.covariance, wanted.covariance)
        close(found.inv_cov, wanted.inv_cov, 1e-9)
        close(found(cp.asarray(points)), wanted(points))
        close(found.pdf(cp.asarray(points)), wanted.pdf(points))
        close(found.logpdf(cp.asarray(points * 50)), wanted.logpdf(points * 50))
        close(found.integrate_kde(found), wanted.integrate_kde(wanted))
        close(found.integrate_gaussian(cp.zeros(d), cp.eye(d)), wanted.integrate_gaussian(np.zeros(d), np.eye(d)))
        if d == 1:
            close(found.integrate_box_1d(-1, np.inf), wanted.integrate_box_1d(-1, np.inf))
        else:
            close(found.marginal([1, 0])(cp.asarray(points[:2])), wanted.marginal([1, 0])(points[:2]))
    if d > 1:
        close(found(cp.asarray(points[:, 0])), wanted(points[:, 0]))


def test_samples_have_the_moments_of_the_density():
    dataset = RNG.standard_normal((2, 50)) * [[1], [3]]
    weights = RNG.random(50)
    found, wanted = both(dataset, None, weights)
    samples = found.resample(20000, seed=3).get()
    assert samples.shape == (2, 20000) and found.resample().shape == (2, int(wanted.neff))
    mean = dataset @ wanted.weights
    deviations = dataset - mean[:, None]
    covariance = (deviations * wanted.weights) @ deviations.T + wanted.covariance
    assert np.allclose(samples.mean(1), mean, atol=5 * np.sqrt(np.diag(covariance) / 20000))
    assert np.allclose(np.cov(samples), covariance, rtol=0.05, atol=0.1)
    assert (found.resample(5, seed=cp.random.default_rng(3)).get() == found.resample(5, seed=3).get()).all()


def test_rejected_arguments():
    data = RNG.standard_normal((2, 10))
    for call in (
        lambda m, a: m.gaussian_kde(a(data[0, :1])),
        lambda m, a: m.gaussian_kde(a(data.T)),
        lambda m, a: m.gaussian_kde(a(data), 'other'),
        lambda m, a: m.gaussian_kde(a(data), None, a(np.ones(3))),
        lambda m, a: m.gaussian_kde(a(data), None, a(np.ones((2, 10)))),
        lambda m, a: m.gaussian_kde(a(np.stack([data[0], data[0]]))),
        lambda m, a: m.gaussian_kde(a(data))(a(np.ones((3, 4)))),
        lambda m, a: m.gaussian_kde(a(data)).integrate_box_1d(0, 1),
        lambda m, a: m.gaussian_kde(a(data)).integrate_gaussian(a(np.zeros(3)), a(np.eye(3))),
        lambda m, a: m.gaussian_kde(a(data)).marginal([0, 0]),
        lambda m, a: m.gaussian_kde(a(data)).marginal([2]),
        lambda m, a: m.gaussian_kde(a(data)).marginal([0.5]),
    ):
        with pytest.raises((ValueError, np.linalg.LinAlgError)) as wanted:
            call(scipy.stats, np.asarray)
        with pytest.raises(wanted.type):
            call(stats, cp.asarray)
