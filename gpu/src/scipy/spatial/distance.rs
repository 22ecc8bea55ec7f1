//! Distances of points: `scipy.spatial.distance`.

use cuprum_kernels::source::PairFamily;
use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine, signature, unrecorded};

pub use super::squareform::{SquareformForce, SquareformOptions, squareform};
use super::{all_true, of_dtype, wrong};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::pairwise::PairDistance;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::linalg;
use crate::reduction::Reduce;
use crate::routines::creation::ascontiguousarray;
use crate::routines::searching::where_;
use crate::routines::{logic, manipulation, math, statistics};

/// Metric of a space of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum Metric {
    /// Sum of |a - b|, divided by the sum of |a + b|.
    Braycurtis,
    /// Sum of |a - b| / (|a| + |b|), where 0/0 is 0.
    Canberra,
    /// The largest |a - b|.
    Chebyshev,
    /// Sum of |a - b|.
    Cityblock,
    /// One minus the correlation coefficient.
    Correlation,
    /// One minus the cosine of the angle.
    Cosine,
    /// Dice's dissimilarity.
    Dice,
    /// Square root of the sum of squares of a - b.
    #[default]
    Euclidean,
    /// Fraction of columns that differ.
    Hamming,
    /// Hellinger's distance of distributions: the square root of 1 minus the sum of sqrt(a b).
    Hellinger,
    /// Jaccard's dissimilarity of booleans: the fraction of the columns with a true element in which one is false.
    Jaccard,
    /// Square root of the Jensen-Shannon divergence of rows, which are normalised to a sum of 1.
    Jensenshannon,
    /// Sum of a log(a / b): the Kullback-Leibler divergence.
    KlDivergence,
    /// Square root of (a - b)ᵀ VI (a - b).
    Mahalanobis,
    /// The p-th root of the sum of |a - b|^p.
    Minkowski,
    /// Rogers' and Tanimoto's dissimilarity of booleans.
    Rogerstanimoto,
    /// Russell's and Rao's dissimilarity of booleans.
    Russellrao,
    /// Square root of the sum of squares of a - b, each divided by a variance.
    Seuclidean,
    /// Sokal's and Sneath's dissimilarity of booleans.
    Sokalsneath,
    /// Sum of squares of a - b.
    Sqeuclidean,
    /// Yule's dissimilarity of booleans.
    Yule,
}

/// Options of [`cdist`] and [`pdist`].
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct DistanceOptions<'a> {
    /// The metric. By default [`Metric::Euclidean`].
    #[from]
    pub metric: Metric,
    /// The exponent of [`Metric::Minkowski`]. By default 2.
    pub p: Option<f64>,
    /// Weights of the columns. By default 1.
    pub w: Option<&'a Array>,
    /// The variances of [`Metric::Seuclidean`]. By default those of all points.
    #[keyword(V)]
    pub v: Option<&'a Array>,
    /// The inverse covariances of [`Metric::Mahalanobis`]. By default those of all points.
    #[keyword(VI)]
    pub vi: Option<&'a Array>,
    /// The array of the result, which has its dtype.
    pub out: Option<&'a Array>,
}

/// Checks a matrix of points.
fn check_points(x: &Array, name: &str) -> Result<()> {
    if x.ndim() != 2 {
        return wrong(format!("{name} must be a 2-dimensional array, not one of shape {:?}", x.shape()));
    }
    if x.dtype().is_complex() {
        let message = format!("{name} has the dtype {}: distances are those of real numbers", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

/// Returns the dtype of distances of points of two dtypes.
pub(super) fn distance_dtype(a: DType, b: DType) -> DType {
    match promote_types(a, b) {
        d @ (DType::F16 | DType::BF16 | DType::F32) if d.kind() == Kind::Float => DType::F32,
        _ => DType::F64,
    }
}

/// Points of both operands, and the sums of their distances.
struct Prepared {
    a: Array,
    b: Array,
    weights: Option<Array>,
    family: PairFamily,
    metric: u32,
    root: bool,
    exponent: f64,
}

impl Prepared {
    fn run(&self, out: &Array) -> Result<()> {
        let weights = self.weights.as_ref();
        let Prepared { family, metric, root, exponent, .. } = *self;
        PairDistance { family, metric, root, exponent, weights }.run(&self.a, &self.b, out)
    }
}

/// Returns the weights of columns in a dtype.
fn weights_of(w: &Array, columns: usize, dtype: DType) -> Result<Array> {
    if w.shape() != [columns] {
        return wrong(format!("w has the shape {:?}: there is one weight for each of {columns} columns", w.shape()));
    }
    if !all_true(&logic::greater_equal(w, 0)?)? {
        return wrong("w has elements below 0 or NaN: weights are at least 0");
    }
    ascontiguousarray(&of_dtype(w, dtype)?)
}

/// Returns rows about their means.
fn centred(a: &Array, weights: Option<&Array>) -> Result<Array> {
    let rows = || Reduce::axis(1).keepdims(true);
    let mean = match weights {
        None => statistics::mean(a, rows())?,
        Some(w) => math::true_divide(&math::sum(&math::multiply(a, w)?, rows())?, &math::sum(w, ())?)?,
    };
    math::subtract(a, &mean)
}

/// Returns all points of both operands.
fn all_points(a: &Array, b: &Array, same: bool) -> Result<Array> {
    if same { Ok(a.clone()) } else { manipulation::concatenate([a, b], 0) }
}

fn prepare(a: &Array, b: &Array, same: bool, options: &DistanceOptions<'_>) -> Result<Prepared> {
    use Metric::*;
    engine::one_device(a, [b].into_iter().chain(options.w).chain(options.v).chain(options.vi))?;
    let (metric, columns) = (options.metric, a.shape()[1]);
    let dtype = distance_dtype(a.dtype(), b.dtype());
    let unused = |name: &str| {
        Err(Error::new(ErrorKind::Type, format!("the metric {metric:?} has no parameter {name}: leave it out")))
    };
    if options.p.is_some() && metric != Minkowski {
        return unused("p");
    }
    if options.v.is_some() && metric != Seuclidean {
        return unused("V");
    }
    if options.vi.is_some() && metric != Mahalanobis {
        return unused("VI");
    }
    if options.w.is_some() && matches!(metric, Jensenshannon | Hellinger | KlDivergence | Seuclidean | Mahalanobis) {
        return unused("w");
    }
    let p = options.p.unwrap_or(2.0);
    if p.is_nan() || p <= 0.0 {
        return wrong(format!("p = {p}: the exponent must be greater than 0"));
    }
    let (family, number, root) = match metric {
        Euclidean | Seuclidean | Mahalanobis => (PairFamily::Squares, 0, true),
        Sqeuclidean => (PairFamily::Squares, 0, false),
        Cityblock => (PairFamily::Absolute, 0, false),
        Chebyshev => (PairFamily::Largest, 0, false),
        Cosine | Correlation => (PairFamily::Products, 0, false),
        Minkowski if p == 1.0 => (PairFamily::Absolute, 0, false),
        Minkowski if p == 2.0 => (PairFamily::Squares, 0, true),
        Minkowski if p == f64::INFINITY => (PairFamily::Largest, 0, false),
        Minkowski => (PairFamily::General, 0, false),
        Canberra => (PairFamily::General, 1, false),
        Braycurtis => (PairFamily::General, 2, false),
        Hamming => (PairFamily::General, 3, false),
        Jensenshannon => (PairFamily::General, 4, false),
        Hellinger => (PairFamily::General, 5, false),
        KlDivergence => (PairFamily::General, 6, false),
        Russellrao => (PairFamily::General, 7, false),
        Dice => (PairFamily::General, 8, false),
        Jaccard => (PairFamily::General, 9, false),
        Rogerstanimoto => (PairFamily::General, 10, false),
        Sokalsneath => (PairFamily::General, 11, false),
        Yule => (PairFamily::General, 12, false),
    };
    let mut weights = options.w.map(|w| weights_of(w, columns, dtype)).transpose()?;
    let (mut a, mut b) = (of_dtype(a, dtype)?, of_dtype(b, dtype)?);
    match metric {
        Correlation => {
            (a, b) = (centred(&a, weights.as_ref())?, if same { b } else { centred(&b, weights.as_ref())? });
        }
        Jensenshannon => {
            // The kernel takes negative shares for those of no distribution.
            let shares = |x: &Array| -> Result<Array> {
                let sum = math::sum(x, Reduce::axis(1).keepdims(true))?;
                let invalid = logic::logical_or(logic::less(x, 0)?, logic::equal(&sum, 0)?)?;
                where_(&invalid, -1.0, math::true_divide(x, &sum)?)
            };
            (a, b) = (shares(&a)?, if same { b } else { shares(&b)? });
        }
        Seuclidean => {
            let v = match options.v {
                Some(v) if v.shape() != [columns] => {
                    return wrong(format!("V has the shape {:?}: there are {columns} columns", v.shape()));
                }
                Some(v) => of_dtype(v, dtype)?,
                None => statistics::var(&all_points(&a, &b, same)?, Reduce::axis(0).ddof(1.0))?,
            };
            weights = Some(ascontiguousarray(&math::reciprocal(&v)?)?);
        }
        Mahalanobis => {
            let vi = match options.vi {
                Some(vi) if vi.shape() != [columns, columns] => {
                    return wrong(format!("VI has the shape {:?}: there are {columns} columns", vi.shape()));
                }
                Some(vi) => of_dtype(vi, dtype)?,
                None => {
                    let all = all_points(&a, &b, same)?;
                    if all.shape()[0] <= columns {
                        let n = all.shape()[0];
                        return wrong(format!(
                            "the covariance matrix of {n} observations of {columns} columns is singular: pass VI, or {} observations at \
                             least",
                            columns + 1
                        ));
                    }
                    linalg::inv(statistics::cov(all.t(), ())?.reshape([columns, columns])?)?
                }
            };
            // The quadratic form is a sum of squares along the eigenvectors of its symmetric part.
            let symmetric = math::multiply(math::add(&vi, vi.t())?, 0.5)?;
            let (values, vectors) = linalg::eigh(&symmetric, ())?;
            // Covariances of float32 are float64, and so are their eigenvectors.
            let rotated = |x: &Array| of_dtype(&x.matmul(&vectors)?, dtype);
            (a, b) = (rotated(&a)?, if same { b } else { rotated(&b)? });
            weights = Some(ascontiguousarray(&of_dtype(&values, dtype)?)?);
        }
        _ => {}
    }
    if same {
        b = a.clone();
    }
    Ok(Prepared { a, b, weights, family, metric: number, root, exponent: p })
}

/// Writes distances to `out` or to a new array.
fn write_distances(prepared: &Prepared, shape: &[usize], out: Option<&Array>) -> Result<Array> {
    let dtype = prepared.a.dtype();
    let Some(out) = out else {
        let out = make::empty(prepared.a.device(), shape, dtype)?;
        prepared.run(&out)?;
        return Ok(out);
    };
    out.check_writable()?;
    if out.shape() != shape || out.dtype() != dtype {
        let (own, of) = (out.shape(), out.dtype());
        return wrong(format!("out has the shape {own:?} and the dtype {of}: the result has {shape:?} and {dtype}"));
    }
    let shared = [&prepared.a, &prepared.b].into_iter().chain(&prepared.weights).any(|x| x.may_share_memory(out));
    if shared {
        let result = make::empty(out.device(), shape, dtype)?;
        prepared.run(&result)?;
        engine::copy(&result, out)?;
    } else {
        prepared.run(out)?;
    }
    Ok(out.clone())
}

/// Distances of each row of one matrix from each row of another; SciPy's `scipy.spatial.distance.cdist`.
///
/// The result has the shape (rows of `xa`, rows of `xb`). Points of float16, bfloat16 and float32 have distances of float32, those of other
/// dtypes float64; SciPy's are float64 always. Differences are taken before they are squared, and each distance is summed in
/// the order of the columns: results are the same in each call.
///
/// ```
/// use cuprum::{array, scipy::spatial::distance::{Metric, cdist}};
/// let (a, b) = (array([[0.0, 0.0], [3.0, 4.0]])?, array([[0.0, 0.0]])?);
/// assert_eq!(cdist(&a, &b, ())?.to_vec::<f64>()?, [0.0, 5.0]);
/// assert_eq!(cdist(&a, &b, Metric::Cityblock)?.to_vec::<f64>()?, [0.0, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for operands that are not matrices of the same number of columns, for weights, variances and an `out` of another shape, for an
/// exponent of 0 or less, and for fewer observations than a covariance matrix needs; [`ErrorKind::Type`] for complex
/// operands, and for a parameter that the metric does not have.
///
/// # Synchronization
///
/// With weights, synchronises to check them.
#[routine(
    namespace = "scipy.spatial.distance",
    names = "XA XB",
    no_programs = "takes matrices of points, which its conformance cases pass"
)]
pub fn cdist(xa: &Array, xb: &Array, options: DistanceOptions<'_>) -> Result<Array> {
    check_points(xa, "XA")?;
    check_points(xb, "XB")?;
    if xa.shape()[1] != xb.shape()[1] {
        let (a, b) = (xa.shape()[1], xb.shape()[1]);
        return wrong(format!("XA has {a} columns and XB {b}: they must have the same number of columns"));
    }
    let prepared = prepare(xa, xb, false, &options)?;
    write_distances(&prepared, &[xa.shape()[0], xb.shape()[0]], options.out)
}

/// Distances of each pair of rows of a matrix; SciPy's `scipy.spatial.distance.pdist`.
///
/// The result has one axis: the pairs (0, 1), (0, 2), …, (1, 2), …, of which [`squareform`] makes a matrix. Its dtype is that of
/// [`cdist`]. Distances above the diagonal alone are computed.
///
/// ```
/// use cuprum::{array, scipy::spatial::distance::pdist};
/// let x = array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])?;
/// assert_eq!(pdist(&x, ())?.to_vec::<f64>()?, [5.0, 1.0, 18.0f64.sqrt()]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`cdist`].
///
/// # Synchronization
///
/// With weights, synchronises to check them.
#[routine(
    namespace = "scipy.spatial.distance",
    names = "X",
    no_programs = "takes matrices of points, which its conformance cases pass"
)]
pub fn pdist(x: &Array, options: DistanceOptions<'_>) -> Result<Array> {
    check_points(x, "X")?;
    let n = x.shape()[0];
    let prepared = prepare(x, x, true, &options)?;
    write_distances(&prepared, &[n * n.saturating_sub(1) / 2], options.out)
}

/// Distance of two vectors, an array without axes.
///
/// The dtype and the options are those of [`cdist`].
///
/// ```
/// use cuprum::{array, scipy::spatial::distance::{Metric, distance}};
/// let d = distance(&array([1.0, 0.0])?, &array([0.0, 1.0])?, &Metric::Euclidean.into())?;
/// assert_eq!(d.item::<f64>()?, 2.0f64.sqrt());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for operands that are not vectors of one length; otherwise as [`cdist`].
///
/// # Synchronization
///
/// With weights, synchronises to check them.
#[unrecorded("one element of `cdist`: compared with SciPy's functions in `gpu/python/tests/test_spatial.py`")]
#[signature]
pub fn distance(u: &Array, v: &Array, options: &DistanceOptions<'_>) -> Result<Array> {
    if u.ndim() != 1 || v.ndim() != 1 || u.size() != v.size() {
        let (a, b) = (u.shape(), v.shape());
        return wrong(format!("vectors of the shapes {a:?} and {b:?}: they must have one axis and the same length"));
    }
    let row = |x: &Array| x.reshape([1, x.size()]);
    cdist(row(u)?, row(v)?, *options)?.reshape([0usize; 0])
}

/// Options of [`distance_matrix`].
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct DistanceMatrixOptions {
    /// The exponent. By default 2.
    #[from]
    pub p: f64,
}

impl Default for DistanceMatrixOptions {
    fn default() -> Self {
        DistanceMatrixOptions { p: 2.0 }
    }
}

/// Matrix of Minkowski's distances of two sets of points; SciPy's `scipy.spatial.distance_matrix`.
///
/// The result has the shape (rows of `x`, rows of `y`), and the dtype of [`cdist`].
///
/// ```
/// use cuprum::{array, scipy::spatial::distance_matrix};
/// let d = distance_matrix(array([[0.0, 0.0], [0.0, 1.0]])?, array([[1.0, 0.0], [1.0, 1.0]])?, 1.0)?;
/// assert_eq!(d.to_vec::<f64>()?, [1.0, 2.0, 2.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for operands that are not matrices of the same number of columns and for an exponent of 0 or less,
/// [`ErrorKind::Type`] for complex operands.
#[routine(
    namespace = "scipy.spatial",
    python(extras = [("threshold", Extra::Granted)]),
    no_cases = "calls `cdist`, which has cases",
    no_programs = "takes matrices of points"
)]
pub fn distance_matrix(x: &Array, y: &Array, options: DistanceMatrixOptions) -> Result<Array> {
    check_points(x, "x")?;
    check_points(y, "y")?;
    if x.shape()[1] != y.shape()[1] {
        let (a, b) = (x.shape()[1], y.shape()[1]);
        return wrong(format!("x contains {a}-dimensional vectors but y contains {b}-dimensional vectors"));
    }
    cdist(x, y, DistanceOptions { metric: Metric::Minkowski, p: Some(options.p), ..Default::default() })
}
