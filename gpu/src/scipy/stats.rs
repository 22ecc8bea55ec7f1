//! Statistical functions of `scipy.stats`.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine};

use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axis;
use crate::reduction::Reduce;
use crate::routines::logic::{self, any};
use crate::routines::searching::where_;
use crate::routines::{manipulation, math, sorting, statistics};
use crate::scan::part;
use crate::ufunc::apply;

/// Options of [`entropy`].
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct EntropyOptions<'a> {
    /// The distribution to which the entropy is relative.
    #[from]
    pub qk: Option<&'a Array>,
    /// The base of the logarithm; by default e.
    pub base: Option<f64>,
    /// The axis along which the probabilities of a distribution are stored; by default 0.
    pub axis: isize,
}

/// Shannon entropy of distributions or, with `qk`, the relative entropy; SciPy's `scipy.stats.entropy`. Distributions
/// are normalised to a sum of 1 first. The result is floating and has all axes but `axis`.
///
/// ```
/// use cuprum::{array, scipy::stats::{EntropyOptions, entropy}};
/// let coin = entropy(array([0.5, 0.5])?, EntropyOptions::new().base(2.0))?;
/// assert_eq!(coin.item::<f64>()?, 1.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a base that is not positive and for shapes that do not broadcast, [`ErrorKind::Axis`],
/// [`ErrorKind::Type`] for complex operands.
#[routine(namespace = "scipy.stats")]
pub fn entropy(pk: &Array, options: EntropyOptions<'_>) -> Result<Array> {
    if let Some(base) = options.base.filter(|base| *base <= 0.0) {
        return Err(Error::new(ErrorKind::Value, format!("the base {base} is no base of a logarithm: it is above 0")));
    }
    let float = |d: DType| if matches!(d.kind(), Kind::Float | Kind::Complex) { d } else { DType::F64 };
    let (pk, qk, dtype) = match options.qk {
        None => (pk.clone(), None, float(pk.dtype())),
        Some(qk) => {
            let both = manipulation::broadcast_arrays([pk, qk])?;
            let dtype = promote_types(float(pk.dtype()), float(qk.dtype()));
            (both[0].clone(), Some(both[1].clone()), dtype)
        }
    };
    normalize_axis(options.axis, pk.ndim())?;
    let shares = |a: &Array| -> Result<Array> {
        let a = if a.dtype() == dtype { a.clone() } else { a.astype(dtype)? };
        math::true_divide(&a, &math::sum(&a, Reduce::axis(options.axis).keepdims(true))?)
    };
    let pk = shares(&pk)?;
    let each = match qk {
        None => apply("entr", [(&pk).into()]),
        Some(qk) => apply("rel_entr", [(&pk).into(), (&shares(&qk)?).into()]),
    }?;
    let sum = math::sum(&each, options.axis)?;
    match options.base {
        None => Ok(sum),
        Some(base) => math::true_divide(&sum, base.ln()),
    }
}

/// Options of [`trim_mean`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct TrimMeanOptions {
    /// The axis, by default 0; `None` for the mean of all elements.
    #[from]
    pub axis: Option<isize>,
}

impl Default for TrimMeanOptions {
    fn default() -> Self {
        TrimMeanOptions { axis: Some(0) }
    }
}

/// Mean of an array without a fraction of the smallest and of the largest elements; SciPy's `scipy.stats.trim_mean`.
/// The result is NaN if there are no elements.
///
/// ```
/// use cuprum::{array, scipy::stats::trim_mean};
/// assert_eq!(trim_mean(array([9.0, 1.0, 2.0, 3.0, 100.0])?, 0.2, ())?.item::<f64>()?, (2.0 + 3.0 + 9.0) / 3.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a fraction greater than one half, [`ErrorKind::Axis`].
#[routine(namespace = "scipy.stats")]
pub fn trim_mean(a: &Array, proportiontocut: f64, options: TrimMeanOptions) -> Result<Array> {
    let (a, axis) = match options.axis {
        None => (a.in_one_axis()?, 0),
        Some(axis) => (a.clone(), normalize_axis(axis, a.ndim())?),
    };
    let n = a.shape()[axis];
    let cut = (proportiontocut * n as f64) as i64;
    if cut < 0 || cut > n as i64 - cut {
        let message = format!("a share of {proportiontocut} at both ends leaves nothing of {n} elements");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let sorted = sorting::sort(&a, axis as isize)?;
    statistics::mean(&part(&sorted, axis, cut..n as i64 - cut)?, axis as isize)
}

/// Treatment of NaN in the elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum NanPolicy {
    /// The results of a slice with a NaN are NaN.
    #[default]
    Propagate,
    /// NaNs have no part in means and deviations.
    Omit,
    /// NaNs are an error.
    Raise,
}

/// Options of [`zscore`] and [`zmap`].
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct ZscoreOptions {
    /// The axis of means and deviations, by default 0; `None` for those of all elements.
    #[from]
    pub axis: Option<isize>,
    /// The number that is subtracted from the number of elements in a deviation's divisor. By default 0.
    pub ddof: f64,
    /// The treatment of NaN. By default [`NanPolicy::Propagate`].
    pub nan_policy: NanPolicy,
}

impl Default for ZscoreOptions {
    fn default() -> Self {
        ZscoreOptions { axis: Some(0), ddof: 0.0, nan_policy: NanPolicy::Propagate }
    }
}

/// Distances of `scores` from the mean of `compare` in its standard deviations, both computed in the dtype of the result.
/// With `same`, both are one array, whose slices of equal elements have NaN.
fn scores(scores: &Array, compare: &Array, options: ZscoreOptions, same: bool) -> Result<Array> {
    let dtype = match promote_types(scores.dtype(), compare.dtype()) {
        kept if matches!(kept.kind(), Kind::Float | Kind::Complex) => kept,
        _ => DType::F64,
    };
    let (scores, compare) = (scores.astype(dtype)?, compare.astype(dtype)?);
    let observations = match options.axis {
        Some(axis) => compare.shape()[normalize_axis(axis, compare.ndim())?],
        None => compare.size(),
    };
    if compare.size() == 0 {
        return make::full(scores.device(), scores.shape(), f64::NAN, dtype);
    }
    if options.nan_policy == NanPolicy::Raise && any(logic::isnan(&compare)?, ())?.item::<bool>()? {
        return Err(Error::new(ErrorKind::Value, "the input contains nan values, which nan_policy='raise' rejects"));
    }
    let along = || match options.axis {
        Some(axis) => Reduce::axis(axis).keepdims(true),
        None => Reduce::default().keepdims(true),
    };
    let omit = options.nan_policy == NanPolicy::Omit;
    let (mean, mut deviation) = if omit {
        (statistics::nanmean(&compare, along())?, statistics::nanstd(&compare, along().ddof(options.ddof))?)
    } else {
        (statistics::mean(&compare, along())?, statistics::std(&compare, along().ddof(options.ddof))?)
    };
    if same {
        // Rounding errors of equal elements would be scaled to numbers of any size.
        let tolerance = match dtype.real() {
            DType::F16 => 9.765625e-4,
            DType::BF16 => 7.8125e-3,
            DType::F32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        let smallest = math::multiply(math::absolute(&mean)?, 10.0 * tolerance)?;
        deviation = where_(logic::less_equal(&deviation, &smallest)?, f64::NAN, &deviation)?;
    }
    if options.ddof >= observations as f64 {
        // The variance is a quotient whose divisor is not positive: std has infinity there, which SciPy's scores reject.
        deviation = math::multiply(&deviation, f64::NAN)?;
    }
    math::true_divide(math::subtract(&scores, &mean)?, &deviation)
}

/// Distances of elements from their mean in standard deviations; SciPy's `scipy.stats.zscore`.
///
/// The result has the shape of `a` and its dtype, float64 for integers and booleans. Slices of equal
/// elements, and of `ddof` elements or fewer, have NaN.
///
/// ```
/// use cuprum::{array, scipy::stats::zscore};
/// assert_eq!(zscore(array([1.0, 3.0])?, ())?.to_vec::<f64>()?, [-1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for NaN if `nan_policy` is [`NanPolicy::Raise`].
///
/// # Synchronization
///
/// [`NanPolicy::Raise`] synchronises.
#[routine(
    namespace = "scipy.stats",
    no_cases = "compared with SciPy's in `gpu/python/tests/test_stats.py`",
    no_programs = "the oracle has none"
)]
pub fn zscore(a: &Array, options: ZscoreOptions) -> Result<Array> {
    scores(a, a, options, true)
}

/// Distances of `values` from the mean of `compare`, in its standard deviations; SciPy's `scipy.stats.zmap`.
///
/// Both are broadcast; the dtype is that of both, float64 for integers and booleans. The scores by a slice of equal elements
/// are infinite, or NaN for that element; where `values` and `compare` are the same array they are NaN, as in [`zscore`].
///
/// ```
/// use cuprum::{array, scipy::stats::zmap};
/// assert_eq!(zmap(array([2.0, 5.0])?, array([1.0, 3.0])?, ())?.to_vec::<f64>()?, [0.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for shapes that do not broadcast, and for NaN in `compare` if `nan_policy` is
/// [`NanPolicy::Raise`].
///
/// # Synchronization
///
/// [`NanPolicy::Raise`] synchronises.
#[routine(
    namespace = "scipy.stats",
    names = "scores compare",
    no_cases = "compared with SciPy's in `gpu/python/tests/test_stats.py`",
    no_programs = "the oracle has none"
)]
pub fn zmap(values: &Array, compare: &Array, options: ZscoreOptions) -> Result<Array> {
    scores(values, compare, options, std::ptr::eq(values, compare))
}

/// Logarithm of the likelihood of the exponent of a Box-Cox transform, given positive data; SciPy's `scipy.stats.boxcox_llf`.
///
/// The result has the axes of `data` but the first, which has the observations, and its dtype, float64 for integers and booleans. It is NaN without
/// observations. The variance is that of the logarithms of the transformed data, so that no power overflows.
///
/// ```
/// use cuprum::{array, scipy::stats::boxcox_llf};
/// let llf = boxcox_llf(1.0, array([1.0, 3.0])?)?.item::<f64>()?;
/// assert!(llf.abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex data, [`ErrorKind::Axis`] for data without axes.
#[routine(
    namespace = "scipy.stats",
    no_cases = "compared with SciPy's in `gpu/python/tests/test_stats.py`",
    no_programs = "the oracle has none"
)]
pub fn boxcox_llf(lmb: f64, data: &Array) -> Result<Array> {
    if data.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "the data is complex: its logarithms must be real"));
    }
    let data = if data.dtype().kind() == Kind::Float { data.clone() } else { data.astype(DType::F64)? };
    normalize_axis(0, data.ndim())?;
    let n = data.shape()[0] as f64;
    if n == 0.0 {
        return make::full(data.device(), &data.shape()[1..], f64::NAN, data.dtype());
    }
    let logs = math::log(&data)?;
    let variance = if lmb == 0.0 {
        math::log(statistics::var(&logs, 0)?)?
    } else {
        // log(var((x^l - 1) / l)) = log(var(exp(l log x - m))) + 2 m - 2 log |l|, with m the largest l log x.
        let powers = math::multiply(&logs, lmb)?;
        let most = statistics::max(&powers, Reduce::axis(0).keepdims(true))?;
        let spread = math::log(statistics::var(math::exp(math::subtract(&powers, &most)?)?, 0)?)?;
        let shift = math::multiply(most.squeeze(0)?, 2.0)?;
        math::subtract(math::add(&spread, &shift)?, 2.0 * lmb.abs().ln())?
    };
    let first = math::multiply(math::sum(&logs, 0)?, lmb - 1.0)?;
    math::subtract(&first, math::multiply(&variance, n / 2.0)?)
}
