//! Statistical functions of `scipy.stats`.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::dtype::promote_types;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axis;
use crate::reduction::Reduce;
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
