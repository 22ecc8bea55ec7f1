//! Polynomial fitting by least squares, and polynomial roots as eigenvalues; NumPy's `polyfit` and `roots`.
//!
//! A fit is a least-squares solution with the scaled Vandermonde matrix; roots are eigenvalues of the companion matrix.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::eigen::eigvals;
use super::least_squares::{Lstsq, LstsqOptions, lstsq};
use super::linear::inv;
use super::matrices::{map, pair};
use super::singular::epsilon;
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, shape_text};
use crate::reduction::{Reduce, reduced};
use crate::routines::creation::{VanderOptions, vander};
use crate::routines::linalg::matmul;
use crate::routines::manipulation::concatenate;
use crate::routines::polynomials::Poly1d;
use crate::scalar::Scalar;
use crate::scan::part;
use crate::table::{Argument, Fit, ParameterKind, Value};

/// Covariance of the coefficients that [`polyfit`] returns.
///
/// NumPy's `cov` is `False`, `True` or `"unscaled"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covariance {
    /// No covariance.
    #[default]
    None,
    /// The covariance scaled by the residual for each degree of freedom.
    Scaled,
    /// The covariance that follows from the weights alone.
    Unscaled,
}

impl Argument<'_> for Covariance {
    const KIND: ParameterKind = ParameterKind::Choice(&["True", "False", "unscaled"]);

    fn read(value: &Value) -> Result<Covariance> {
        match value {
            Value::Text(name) if name == "unscaled" => Ok(Covariance::Unscaled),
            Value::Text(name) if name == "True" => Ok(Covariance::Scaled),
            Value::Text(name) if name == "False" => Ok(Covariance::None),
            other => Ok(if bool::read(other)? { Covariance::Scaled } else { Covariance::None }),
        }
    }

    fn value(&self) -> Value {
        match self {
            Covariance::None => Value::from(false),
            Covariance::Scaled => Value::from(true),
            Covariance::Unscaled => Value::from("unscaled"),
        }
    }
}

/// Options of [`polyfit`].
///
/// By default the coefficients alone are returned.
///
/// ```
/// use cuprum::{PolyfitOptions, array, polyfit};
/// let (x, y, w) = (array([0.0, 1.0, 2.0])?, array([1.0, 3.0, 100.0])?, array([1.0, 1.0, 0.0])?);
/// // The last point has no weight.
/// let (line, _, _) = polyfit(&x, &y, 1, PolyfitOptions { w: Some(&w), ..Default::default() })?;
/// assert!(cuprum::allclose(&line, &array([2.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct PolyfitOptions<'a> {
    /// The share of the largest singular value below which others count as zero; by default the number of points times
    /// the epsilon of the dtype.
    pub rcond: Option<f64>,
    /// If true, the residuals, the rank, the singular values and `rcond` are returned, too. By default `false`.
    pub full: bool,
    /// The weights by which the residuals of the points are multiplied.
    pub w: Option<&'a Array>,
    /// The covariance to return. By default [`Covariance::None`].
    pub cov: Covariance,
}

/// Result of [`polyfit`]: the coefficients; the covariance, or with `full` the sums of squared residuals; with `full`
/// the rank, the singular values and `rcond`.
pub type Polyfit = (Array, Option<Array>, Option<(Array, Array, Array)>);

fn wrong(what: &str, a: &Array) -> Error {
    Error::new(ErrorKind::Type, format!("{what}, not of shape {}", shape_text(a.shape())))
}

/// Least squares polynomial fit, the highest power first; NumPy's `polyfit`. The columns of a `y` of two axes are
/// fitted separately. The columns of powers are scaled to length one before the system is solved.
///
/// ```
/// use cuprum::{allclose, array, polyfit};
/// let (p, ..) = polyfit(array([0.0, 1.0, 2.0])?, array([1.0, 3.0, 5.0])?, 1, ())?;
/// assert!(allclose(&p, array([2.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative degree, and for a covariance of no more points than coefficients;
/// [`ErrorKind::Type`] for points, values or weights of incompatible shapes, and for empty ones; [`ErrorKind::LinAlg`]
/// for NaN, at the next synchronisation.
///
/// # Synchronization
///
/// Same as [`lstsq`].
#[routine(python(fit = Fit::Polynomial, rounded = [("deg", Rounding::Cut)]))]
pub fn polyfit(x: &Array, y: &Array, deg: isize, options: PolyfitOptions<'_>) -> Result<Polyfit> {
    if deg < 0 {
        return Err(Error::new(ErrorKind::Value, format!("the degree {deg} is negative: give at least 0")));
    }
    let count = deg as usize + 1;
    if x.ndim() != 1 || x.size() == 0 {
        return Err(wrong("x is 1-D, of at least one number", x));
    }
    if !(1..=2).contains(&y.ndim()) || y.shape()[0] != x.size() {
        return Err(wrong(&format!("y is 1-D or 2-D, with {} numbers along the first axis", x.size()), y));
    }
    let float = |a: &Array| match a.dtype() {
        d if d.is_float() || d.is_complex() => Ok(a.clone()),
        _ => a.cast(DType::F64, Order::C),
    };
    let (x, y) = (float(x)?, float(y)?);
    let share = options.rcond.unwrap_or_else(|| x.size() as f64 * epsilon(x.dtype()));
    let mut powers = vander(&x, VanderOptions::new().columns(count))?;
    let mut right = y.clone();
    if let Some(w) = options.w {
        if w.ndim() != 1 || w.size() != x.size() {
            return Err(wrong(&format!("w is 1-D, of {} numbers", x.size()), w));
        }
        let w = float(w)?;
        powers = pair("multiply", &powers, &w.expand_dims(1)?)?;
        right = pair("multiply", &right, &if y.ndim() == 2 { w.expand_dims(1)? } else { w })?;
    }
    let squares = reduced("sum", &pair("multiply", &powers, &powers)?, &Reduce::axis(0))?;
    let scale = map("sqrt", &squares)?;
    let powers = pair("divide", &powers, &scale)?;
    let (c, rest, rank, s): Lstsq = lstsq(&powers, &right, LstsqOptions::new().rcond(share))?;
    let of_columns = if y.ndim() == 2 { scale.expand_dims(1)? } else { scale.clone() };
    let c = pair("divide", &c, &of_columns)?;
    if options.full {
        let share = make::full(x.device(), &[], share, DType::F64)?;
        return Ok((c, Some(rest), Some((rank, s, share))));
    }
    if options.cov == Covariance::None {
        return Ok((c, None, None));
    }
    let base = inv(matmul(powers.t(), &powers)?)?;
    let base = pair("divide", &base, &pair("multiply", &scale.expand_dims(1)?, &scale)?)?;
    if options.cov == Covariance::Unscaled {
        let base = if y.ndim() == 2 { base.expand_dims(-1)? } else { base };
        return Ok((c, Some(base), None));
    }
    if x.size() <= count {
        let message = format!(
            "{} points do not determine the covariance of {count} coefficients: pass more, or request it unscaled",
            x.size()
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    let each = pair("divide", &rest, Scalar::Float((x.size() - count) as f64))?;
    let base = if y.ndim() == 2 { base.expand_dims(-1)? } else { base };
    Ok((c, Some(pair("multiply", &base, &each)?), None))
}

/// Roots of a polynomial with the highest power first, in no particular order; NumPy's `roots`: the eigenvalues of its
/// companion matrix.
///
/// The result has one axis, as many roots as the degree, and dtype complex128, or float64 where all roots are real.
/// Leading zeros of `p` are dropped, trailing ones are roots of 0.
///
/// ```
/// use cuprum::{array, roots, sort};
/// let r = roots(array([1.0, -3.0, 2.0, 0.0])?)?;
/// assert!(cuprum::allclose(sort(&r, ())?, array([0.0, 1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients of several axes, [`ErrorKind::LinAlg`] for infinite or NaN coefficients.
///
/// # Synchronization
///
/// Synchronises to find the first and the last nonzero coefficient, and whether all roots are real.
#[routine]
pub fn roots(p: &Array) -> Result<Array> {
    let p = if p.ndim() == 0 { p.reshape([1])? } else { p.clone() };
    if p.ndim() != 1 {
        let shape = shape_text(p.shape());
        return Err(Error::new(ErrorKind::Value, format!("coefficients of shape {shape} have more than one axis")));
    }
    let there = pair("not_equal", &p, Scalar::from(0))?.to_vec::<bool>()?;
    let (Some(first), Some(last)) = (there.iter().position(|x| *x), there.iter().rposition(|x| *x)) else {
        return make::empty(p.device(), &[0], DType::F64);
    };
    let behind = p.size() - last - 1;
    let p = part(&p, 0, first as i64..last as i64 + 1)?;
    let p = if p.dtype().is_float() || p.dtype().is_complex() { p } else { p.cast(DType::F64, Order::C)? };
    let n = p.size() - 1;
    let found = if n == 0 {
        make::empty(p.device(), &[0], DType::F64)?
    } else {
        let companion = make::zeros(p.device(), &[n, n], p.dtype())?;
        let row = pair("divide", &map("negative", &part(&p, 0, 1..)?)?, &part(&p, 0, ..1)?)?;
        part(&companion, 0, ..1)?.assign(row.expand_dims(0)?)?;
        if n > 1 {
            let (item, offset) = (companion.itemsize(), companion.layout().offset);
            let strides = [(item * (n + 1)) as i64];
            let below = Layout {
                shape: [n - 1].as_slice().into(),
                strides: strides.as_slice().into(),
                offset: offset + item * n,
            };
            companion.with_layout(below).fill(1)?;
        }
        eigvals(&companion)?
    };
    if behind == 0 {
        return Ok(found);
    }
    let zeros = make::zeros(p.device(), &[behind], found.dtype())?;
    concatenate([&found, &zeros], 0)
}

impl Poly1d {
    /// Returns the roots of the polynomial, in no particular order; NumPy's `roots` and `r`.
    ///
    /// The result has one axis; see [`roots`] for the dtype.
    ///
    /// ```
    /// let p = cuprum::Poly1d::new(cuprum::array([1.0, -3.0, 0.0])?)?;
    /// assert!(cuprum::allclose(cuprum::sort(&p.roots()?, ())?, cuprum::array([0.0, 3.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`roots`].
    ///
    /// # Synchronization
    ///
    /// Same as [`roots`].
    #[doc(alias = "r")]
    pub fn roots(&self) -> Result<Array> {
        roots(self.c())
    }
}
