//! Tests of multivariate normal samples: their distribution, and invalid arguments.

use cuprum::random::{CovarianceFactor, Generator, MultivariateNormalOptions, RandomOptions, default_rng};
use cuprum::{Array, DType, ErrorKind, Result, array};

use super::distributions::{KOLMOGOROV, distance};

const N: usize = 8000;
const MEAN: [f64; 2] = [3.0, -1.0];
const COV: [[f64; 2]; 2] = [[4.0, -1.2], [-1.2, 0.9]];

const WAYS: [CovarianceFactor; 3] = [CovarianceFactor::Svd, CovarianceFactor::Eigh, CovarianceFactor::Cholesky];

fn with_factor(method: CovarianceFactor) -> MultivariateNormalOptions {
    MultivariateNormalOptions::new().size(N).method(method)
}

/// In the plane, the squared Mahalanobis distance from the mean has an exponential distribution of mean 2, and each
/// coordinate of the whitened vector is normal; the products of both coordinates have mean 0.
#[test]
fn vectors_have_their_distribution() -> Result<()> {
    let [[a, b], [_, d]] = COV;
    let det = a * d - b * b;
    for (k, method) in WAYS.into_iter().enumerate() {
        for dtype in [DType::F64, DType::F32] {
            let mut rng = default_rng(40 + k as u64)?;
            let drawn = rng.multivariate_normal(array(MEAN)?, array(COV)?, with_factor(method).dtype(dtype))?;
            assert_eq!((drawn.shape(), drawn.dtype()), (&[N, 2][..], dtype));
            let drawn = drawn.astype(DType::F64)?.to_vec::<f64>()?;
            let squares: Vec<f64> = drawn
                .chunks(2)
                .map(|p| {
                    let (x, y) = (p[0] - MEAN[0], p[1] - MEAN[1]);
                    (d * x * x - 2.0 * b * x * y + a * y * y) / det
                })
                .collect();
            let far = distance(squares, |x| -(-x / 2.0).exp_m1());
            assert!(far < KOLMOGOROV, "{method:?} {dtype}: {far}");
            // Five standard deviations of each estimate.
            let n = N as f64;
            let mean = |f: &dyn Fn(f64, f64) -> f64| drawn.chunks(2).map(|p| f(p[0], p[1])).sum::<f64>() / n;
            let (x, y) = (mean(&|x, _| x) - MEAN[0], mean(&|_, y| y) - MEAN[1]);
            assert!(x.abs() < 5.0 * (a / n).sqrt() && y.abs() < 5.0 * (d / n).sqrt(), "{method:?} {dtype}: {x} {y}");
            let both = mean(&|x, y| (x - MEAN[0]) * (y - MEAN[1])) - b;
            assert!(both.abs() < 5.0 * ((a * d + b * b) / n).sqrt(), "{method:?} {dtype}: {both}");
        }
    }
    Ok(())
}

#[test]
fn a_factor_of_one_is_normal_numbers() -> Result<()> {
    let one = array([[1.0, 0.0], [0.0, 1.0]])?;
    let options = MultivariateNormalOptions::new().size([3]).method(CovarianceFactor::Cholesky);
    let vectors = default_rng(5)?.multivariate_normal(array([0.0, 0.0])?, &one, options)?;
    let numbers = default_rng(5)?.standard_normal(RandomOptions::new().size([3, 2]))?;
    assert_eq!(vectors.to_vec::<f64>()?, numbers.to_vec::<f64>()?);
    Ok(())
}

#[test]
fn shapes_of_vectors() -> Result<()> {
    let mut rng = default_rng(1)?;
    let (mean, cov) = (array(MEAN)?, array(COV)?);
    assert_eq!(rng.multivariate_normal(&mean, &cov, ())?.shape(), [2]);
    assert_eq!(rng.multivariate_normal(&mean, &cov, [2, 3])?.shape(), [2, 3, 2]);
    assert_eq!(rng.multivariate_normal(&mean, &cov, [0])?.shape(), [0, 2]);
    // A singular covariance is valid.
    let line = rng.multivariate_normal(array([0.0, 0.0])?, array([[1.0, 1.0], [1.0, 1.0]])?, 4)?.to_vec::<f64>()?;
    assert!(line.chunks(2).all(|p| (p[0] - p[1]).abs() < 1e-7));
    // Integers are converted to floats.
    let whole = rng.multivariate_normal(array([0, 0])?, array([[1, 0], [0, 1]])?, ())?;
    assert_eq!(whole.dtype(), DType::F64);
    Ok(())
}

#[test]
fn what_is_no_covariance_is_rejected() -> Result<()> {
    let rejected = |mean: &Array, cov: &Array, options: MultivariateNormalOptions| {
        let mut rng: Generator = default_rng(1)?;
        let before = rng.clone();
        let kind = rng.multivariate_normal(mean, cov, options).and_then(|a| a.to_vec::<f64>()).map_err(|e| e.kind());
        Ok::<_, cuprum::Error>((kind.err(), rng == before))
    };
    let (zero, new) = (array([0.0, 0.0])?, MultivariateNormalOptions::new);
    let wrong = array([[1.0, 2.0], [2.0, 1.0]])?;
    assert_eq!(rejected(&wrong, &wrong, new())?, (Some(ErrorKind::Value), true));
    assert_eq!(rejected(&zero, &zero, new())?, (Some(ErrorKind::Value), true));
    for method in [CovarianceFactor::Svd, CovarianceFactor::Eigh] {
        assert_eq!(rejected(&zero, &wrong, new().method(method))?, (Some(ErrorKind::Value), true));
        assert_eq!(rejected(&zero, &wrong, new().method(method).check_valid(false))?.0, None);
        assert_eq!(rejected(&zero, &wrong, new().method(method).tol(10.0))?.0, None);
    }
    assert_eq!(rejected(&zero, &wrong, new().method(CovarianceFactor::Cholesky))?.0, Some(ErrorKind::LinAlg));
    let complex = wrong.astype(DType::C128)?;
    assert_eq!(rejected(&zero, &complex, new())?, (Some(ErrorKind::Type), true));
    Ok(())
}
