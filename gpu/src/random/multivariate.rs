//! Multivariate distributions, sampled from univariate ones.
//!
//! A multinomial number is a chain of binomial ones, and a Dirichlet vector is a vector of gamma numbers divided by its
//! sum.

use cuprum_kernels::DType;

use super::generator::Generator;
use super::legacy::shared;
use super::options::RandomOptions;
use crate::array::{Array, AsArray, AsOperand, IntoArgument, Operand, checked_shape};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Ellipsis, s};
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::routines::math;

/// Returns the shape of the results: the requested one or that of the parameter, followed by the last axis.
fn shape(options: &RandomOptions<'_>, usual: &[usize], last: usize) -> Result<Vec<usize>> {
    let requested = options.size.as_ref().map(|size| checked_shape(size)).transpose()?;
    Ok([&requested.unwrap_or_else(|| usual.to_vec())[..], &[last]].concat())
}

fn one_axis(name: &str, a: &Array) -> Result<Vec<f64>> {
    if a.ndim() != 1 || a.is_empty() {
        let message = format!("`{name}` has {} axes and {} elements: it has one axis, and some", a.ndim(), a.size());
        return Err(Error::new(ErrorKind::Value, message));
    }
    a.cast(DType::F64, Order::K)?.to_vec::<f64>()
}

/// Broadcasts an `alpha` without axes along the last axis of the size, which is removed from the size.
fn one_for_all(alpha: &Array, options: &mut RandomOptions<'_>) -> Result<Array> {
    match options.size.as_mut().and_then(Vec::pop).map(|n| checked_shape(&[n])).transpose()? {
        Some(last) => alpha.broadcast_to_shape(&last),
        None => {
            let message = "`alpha` has no axes, and there is no size whose last axis could be that of the shares: give an alpha of \
                           one axis, or a size";
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

impl Generator {
    /// Multinomial distribution: the number of occurrences of each outcome in `n` trials; NumPy's `multinomial`. The
    /// last axis has an outcome for each of `pvals`, of which the last receives the remaining probability. The result
    /// is int64.
    ///
    /// The result has the shape of the options, or that of `n`, with the axis of the outcomes after it.
    ///
    /// The result is int64, with the axis of the outcomes last.
    ///
    /// ```
    /// let mut rng = cuprum::random::default_rng(1)?;
    /// let counts = rng.multinomial(20, cuprum::array([0.5, 0.25, 0.25])?, 10)?;
    /// assert_eq!(cuprum::sum(&counts, 1)?.to_vec::<i64>()?, [20; 10]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for probabilities outside `[0, 1]` or with a sum above 1, and for negative numbers of
    /// trials.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the probabilities.
    pub fn multinomial<'a>(
        &mut self,
        n: impl AsOperand,
        pvals: impl AsArray,
        options: impl IntoArgument<RandomOptions<'a>>,
    ) -> Result<Array> {
        let (n, pvals, options) = (n.as_operand(), pvals.as_array(), options.into());
        let mut go = || {
            let chances = one_axis("pvals", pvals)?;
            if let Some(k) = chances.iter().position(|p| !(0.0..=1.0).contains(p)) {
                let message = format!("`pvals` is {} at position {k}: it must be from 0 to 1", chances[k]);
                return Err(Error::new(ErrorKind::Value, message));
            }
            let total: f64 = chances[..chances.len() - 1].iter().sum();
            if total > 1.0 + 1e-12 {
                let message = format!("`pvals` is together {total} before its last element: it must be at most 1");
                return Err(Error::new(ErrorKind::Value, message));
            }
            let usual = match n {
                Operand::Array(a) => a.shape(),
                Operand::Scalar(_) => &[],
            };
            let out = make::empty(pvals.device(), &shape(&options, usual, chances.len())?, DType::I64)?;
            let mut left = make::empty(pvals.device(), &out.shape()[..out.ndim() - 1], DType::F64)?;
            match n {
                Operand::Array(a) => engine::copy(a, &left)?,
                Operand::Scalar(s) => engine::fill(&left, s)?,
            }
            let mut rest = 1.0;
            for (k, p) in chances.iter().enumerate() {
                let column = out.index(s![Ellipsis, k as i64])?;
                let share = if k + 1 == chances.len() { 1.0 } else { (p / rest).clamp(0.0, 1.0) };
                self.draw("binomial", &[(&left).into(), share.into()], RandomOptions::new().out(&column))?;
                left = math::subtract(&left, &column)?;
                rest -= p;
            }
            Ok(out)
        };
        go().map_err(|e: Error| e.with_op("multinomial"))
    }

    /// Multivariate hypergeometric distribution: the number of each colour in a sample without replacement; NumPy's
    /// `multivariate_hypergeometric`. The result is int64.
    ///
    /// The result has the shape of the options with the axis of the colours after it.
    ///
    /// ```
    /// let mut rng = cuprum::random::default_rng(42)?;
    /// let sample = rng.multivariate_hypergeometric(cuprum::array([3, 4])?, 5, ())?;
    /// assert_eq!(sample.to_vec::<i64>()?.iter().sum::<i64>(), 5);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for negative numbers or a sum beyond a billion, and for a sample larger than the
    /// population.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the numbers of the colours.
    pub fn multivariate_hypergeometric<'a>(
        &mut self,
        colors: impl AsArray,
        nsample: u64,
        options: impl IntoArgument<RandomOptions<'a>>,
    ) -> Result<Array> {
        let (colors, options) = (colors.as_array(), options.into());
        let mut go = || {
            let counts = one_axis("colors", colors)?;
            let mut others: f64 = counts.iter().sum();
            if let Some(k) = counts.iter().position(|n| !(0.0..=1e9).contains(n)) {
                let message = format!("`colors` is {} at position {k}: it must be from 0 to 1e9", counts[k]);
                return Err(Error::new(ErrorKind::Value, message));
            }
            if others > 1e9 || nsample as f64 > others {
                let message = format!("{nsample} are drawn of {others}: there must be as many, and at most 1e9");
                return Err(Error::new(ErrorKind::Value, message));
            }
            let out = make::empty(colors.device(), &shape(&options, &[], counts.len())?, DType::I64)?;
            let mut left = make::full(colors.device(), &out.shape()[..out.ndim() - 1], nsample as f64, DType::F64)?;
            for (k, &good) in counts.iter().enumerate() {
                others -= good;
                let column = out.index(s![Ellipsis, k as i64])?;
                let parameters: [Operand<'_>; 3] = [good.into(), others.into(), (&left).into()];
                self.draw("hypergeometric", &parameters, RandomOptions::new().out(&column))?;
                left = math::subtract(&left, &column)?;
            }
            Ok(out)
        };
        go().map_err(|e: Error| e.with_op("multivariate_hypergeometric"))
    }

    /// Dirichlet distribution: gamma numbers of the shapes `alpha`, divided by their sum; NumPy's `dirichlet`. If all
    /// of `alpha` are below 0.1, where gamma numbers underflow, each share is instead a beta number of the remainder.
    /// An `alpha` without axes applies to every position of the last axis of the size, as in CuPy.
    ///
    /// The result has the axis of the parameters last, and sums to 1 along it.
    ///
    /// ```
    /// let mut rng = cuprum::random::default_rng(1)?;
    /// let shares = rng.dirichlet(cuprum::array([1.0, 2.0, 3.0])?, 4)?;
    /// assert_eq!(shares.shape(), [4, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an element that is not positive, and for an `alpha` without axes where there is no
    /// size.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read `alpha`.
    pub fn dirichlet<'a>(
        &mut self,
        alpha: impl AsArray,
        options: impl IntoArgument<RandomOptions<'a>>,
    ) -> Result<Array> {
        let (alpha, mut options) = (alpha.as_array(), options.into());
        let mut go = || {
            let spread;
            let alpha = if alpha.ndim() == 0 {
                spread = one_for_all(alpha, &mut options)?;
                &spread
            } else {
                alpha
            };
            // Integer shares are truncated, as in CuPy.
            if let Some(exact) = options.dtype.take_if(|d| d.is_integer() || *d == DType::Bool) {
                return self.dirichlet(alpha, options.clone())?.cast(exact, Order::K);
            }
            let shapes = one_axis("alpha", alpha)?;
            if let Some(k) = shapes.iter().position(|a| a.is_nan() || *a <= 0.0) {
                let message = format!("`alpha` is {} at position {k}: it must be more than 0", shapes[k]);
                return Err(Error::new(ErrorKind::Value, message));
            }
            let dtype = options.dtype.unwrap_or(DType::F64);
            let whole = shape(&options, &[], shapes.len())?;
            if shapes.iter().any(|a| *a >= 0.1) {
                let options =
                    RandomOptions { size: Some(whole.iter().map(|n| *n as i64).collect()), ..RandomOptions::new() };
                let parts = self.draw("standard_gamma", &[alpha.into()], options.dtype(dtype))?;
                let total = math::sum(&parts, Reduce::axis(-1).keepdims(true))?;
                return math::divide(&parts, &total);
            }
            let out = make::empty(alpha.device(), &whole, dtype)?;
            let mut left = make::full(alpha.device(), &whole[..whole.len() - 1], 1.0, dtype)?;
            let mut others: f64 = shapes.iter().sum();
            for (k, &own) in shapes.iter().enumerate() {
                let column = out.index(s![Ellipsis, k as i64])?;
                others -= own;
                if k + 1 == shapes.len() {
                    engine::copy(&left, &column)?;
                } else {
                    let others = shapes[k + 1..].iter().sum::<f64>().max(others);
                    let options = RandomOptions::new().dtype(dtype).size(&whole[..whole.len() - 1]);
                    let share = self.draw("beta", &[own.into(), others.into()], options)?;
                    engine::copy(&math::multiply(&left, &share)?, &column)?;
                    left = math::multiply(&left, &math::subtract(1, &share)?)?;
                }
            }
            Ok(out)
        };
        go().map_err(|e: Error| e.with_op("dirichlet"))
    }
}

/// Samples from the multinomial distribution with the global generator; see [`Generator::multinomial`].
///
/// The result has the shape of the options and a last axis with the categories, and dtype int64.
///
/// ```
/// let throws = cuprum::random::multinomial(10, cuprum::array([0.5, 0.5])?, ())?;
/// assert_eq!(throws.sum(())?.item::<i64>()?, 10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as the method.
pub fn multinomial<'a>(
    n: impl AsOperand,
    pvals: impl AsArray,
    options: impl IntoArgument<RandomOptions<'a>>,
) -> Result<Array> {
    shared()?.multinomial(n, pvals, options)
}

/// Samples from the Dirichlet distribution with the global generator; see [`Generator::dirichlet`].
///
/// The result has the shape of the options and a last axis as long as `alpha`, and dtype float64.
///
/// ```
/// let shares = cuprum::random::dirichlet(cuprum::array([1.0, 2.0, 3.0])?, ())?;
/// assert!((shares.sum(())?.item::<f64>()? - 1.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as the method.
pub fn dirichlet<'a>(alpha: impl AsArray, options: impl IntoArgument<RandomOptions<'a>>) -> Result<Array> {
    shared()?.dirichlet(alpha, options)
}
