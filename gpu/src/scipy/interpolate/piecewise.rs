//! Piecewise polynomials in one variable: in powers, in Bernstein polynomials and in B-splines.

use cuprum_kernels::DType;
use cuprum_kernels::source::SPLINE_DEGREES;

use super::{numbers, parts, reals, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::engine::piecewise::{Piecewise, Polynomials};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::routines::math::negative;

/// Value outside of the knots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extrapolate {
    /// NaN.
    No = 0,
    /// The polynomial of the nearest interval.
    #[default]
    Yes = 1,
    /// The value at the point modulo the distance of the first knot and the last.
    Periodic = 2,
}

/// Polynomials with knots and coefficients.
#[derive(Clone, Debug)]
struct Polynomial {
    kind: Polynomials,
    degree: usize,
    knots: Array,
    /// Positions of the first knot and the last of the domain.
    ends: [usize; 2],
    coefficients: Array,
    trailing: Vec<usize>,
    extrapolate: Extrapolate,
    descending: bool,
}

impl Polynomial {
    /// A piecewise polynomial whose coefficients have the axes: order, interval, others.
    fn of_intervals(function: &str, kind: Polynomials, c: &Array, x: &Array) -> Result<Polynomial> {
        let knots = reals(function, "x", x)?;
        if knots.ndim() != 1 || knots.size() < 2 {
            return wrong(format!(
                "{function}: `x` of shape {} is not a list of two knots or more",
                shape_text(x.shape())
            ));
        }
        if c.ndim() < 2 || c.shape()[0] == 0 || c.shape()[1] != knots.size() - 1 {
            return wrong(format!(
                "{function}: `c` of shape {} does not have an axis of orders and one of the {} intervals",
                shape_text(c.shape()),
                knots.size() - 1
            ));
        }
        Ok(Polynomial {
            kind,
            degree: c.shape()[0] - 1,
            ends: [0, knots.size() - 1],
            knots,
            coefficients: numbers(c)?,
            trailing: c.shape()[2..].into(),
            extrapolate: Extrapolate::Yes,
            descending: false,
        })
    }

    fn evaluate(&self, function: &str, x: &Array, nu: usize) -> Result<Array> {
        let points = reals(function, "x", x)?;
        let shape: Vec<usize> = x.shape().iter().chain(&self.trailing).copied().collect();
        let out = make::empty(x.device(), &shape, self.coefficients.dtype())?;
        let trailing = self.trailing.iter().product::<usize>() * parts(&out);
        let out_parts = if parts(&out) == 2 { out.reshape([out.size()])?.view(DType::F64)? } else { out.clone() };
        let knots = if self.descending { negative(&self.knots)? } else { self.knots.clone() };
        let engine = Piecewise {
            kind: self.kind,
            degree: self.degree,
            knots: &knots,
            ends: self.ends,
            extrapolate: self.extrapolate as u32,
            descending: self.descending,
        };
        engine.evaluate(&self.coefficients, trailing, &points, nu, &out_parts)?;
        Ok(out)
    }
}

macro_rules! of_intervals {
    ($(#[$meta:meta])* $name:ident, $kind:ident, $new:literal, $evaluate:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name(Polynomial);

        impl $name {
            /// Creates a piecewise polynomial of coefficients `c` and knots `x`, which do not decrease.
            ///
            /// The axes of the coefficients are the orders, the intervals, and any others. They are float64 or complex128 afterwards.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Value`] for shapes that do not fit; [`ErrorKind::Type`] for complex knots.
            pub fn new(c: &Array, x: &Array) -> Result<$name> {
                Polynomial::of_intervals($new, Polynomials::$kind, c, x).map($name)
            }

            /// Sets the value outside of the knots; by default the polynomial of the nearest interval.
            ///
            /// SciPy's parameter `extrapolate`.
            pub fn extrapolate(mut self, extrapolate: Extrapolate) -> $name {
                self.0.extrapolate = extrapolate;
                self
            }

            /// Declares that the knots do not increase.
            ///
            /// Knots are not read on the host: the caller knows their order.
            pub fn descending(mut self, descending: bool) -> $name {
                self.0.descending = descending;
                self
            }

            /// Coefficients, whose axes are the orders, the intervals, and any others.
            ///
            /// The highest power is first, or the Bernstein polynomial of the left end.
            pub fn coefficients(&self) -> &Array {
                &self.0.coefficients
            }

            /// Knots.
            ///
            /// They are one more than there are intervals.
            pub fn knots(&self) -> &Array {
                &self.0.knots
            }

            /// Derivative of order `nu` at the points `x`; 0 for values.
            ///
            /// The result has the axes of `x`, then those of the coefficients after the intervals, and the dtype of the coefficients.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Type`] for complex points; [`ErrorKind::Value`] for those of another device.
            pub fn evaluate(&self, x: &Array, nu: usize) -> Result<Array> {
                self.0.evaluate($evaluate, x, nu)
            }
        }
    };
}

of_intervals! {
    /// Piecewise polynomial in powers of the distance from the left knot of an interval, highest power first; SciPy's `PPoly`.
    ///
    /// ```
    /// use cuprum::scipy::interpolate::{Extrapolate, PPoly};
    /// let line = PPoly::new(&cuprum::array([[2.0], [1.0]])?, &cuprum::array([0.0, 1.0])?)?;
    /// let x = cuprum::array([0.5, 3.0])?;
    /// assert_eq!(line.evaluate(&x, 0)?.to_vec::<f64>()?, [2.0, 7.0]);
    /// assert!(line.extrapolate(Extrapolate::No).evaluate(&x, 0)?.to_vec::<f64>()?[1].is_nan());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    PPoly, Powers, "PPoly", "PPoly::evaluate"
}

of_intervals! {
    /// Piecewise polynomial in the Bernstein basis of each interval; SciPy's `BPoly`.
    ///
    /// ```
    /// use cuprum::scipy::interpolate::BPoly;
    /// // The parabola with the control values 0, 1, 0.
    /// let p = BPoly::new(&cuprum::array([[0.0], [1.0], [0.0]])?, &cuprum::array([0.0, 2.0])?)?;
    /// assert_eq!(p.evaluate(&cuprum::array([1.0])?, 0)?.to_vec::<f64>()?, [0.5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    BPoly, Bernstein, "BPoly", "BPoly::evaluate"
}

/// Sum of B-splines of one degree; SciPy's `BSpline`.
///
/// ```
/// use cuprum::scipy::interpolate::BSpline;
/// // A polygon through (0, 1), (1, 3) and (2, 2).
/// let (t, c) = (cuprum::array([0.0, 0.0, 1.0, 2.0, 2.0])?, cuprum::array([1.0, 3.0, 2.0])?);
/// let spline = BSpline::new(&t, &c, 1)?;
/// assert_eq!(spline.evaluate(&cuprum::array([0.5, 1.5])?, 0)?.to_vec::<f64>()?, [2.0, 2.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BSpline(Polynomial);

/// Checks a degree.
pub(super) fn check_degree(function: &str, k: usize) -> Result<()> {
    if k <= SPLINE_DEGREES {
        return Ok(());
    }
    let message = format!("{function}: degree k = {k} is above {SPLINE_DEGREES}, the highest of B-splines here");
    Err(Error::new(ErrorKind::NotImplemented, message))
}

impl BSpline {
    /// Creates a spline of degree `k` with the knots `t`, which do not decrease, and coefficients `c` along the first axis.
    ///
    /// The domain is that of the knots from number k to number n, of n coefficients.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for fewer than n + k + 1 knots or k + 1 coefficients; [`ErrorKind::NotImplemented`] for a degree above 31.
    pub fn new(t: &Array, c: &Array, k: usize) -> Result<BSpline> {
        check_degree("BSpline", k)?;
        let knots = reals("BSpline", "t", t)?;
        let n = knots.size().saturating_sub(k + 1);
        if knots.ndim() != 1 || n < k + 1 {
            return wrong(format!(
                "BSpline: {} knots are too few for degree {k}: pass {} at least",
                t.size(),
                2 * k + 2
            ));
        }
        if c.ndim() == 0 || c.shape()[0] < n {
            return wrong(format!("BSpline: `c` of shape {} has fewer than {n} coefficients", shape_text(c.shape())));
        }
        Ok(BSpline(Polynomial {
            kind: Polynomials::Spline,
            degree: k,
            knots,
            ends: [k, n],
            coefficients: numbers(c)?,
            trailing: c.shape()[1..].into(),
            extrapolate: Extrapolate::Yes,
            descending: false,
        }))
    }

    /// Sets the value outside of the domain; by default the polynomial of the nearest interval.
    ///
    /// SciPy's parameter `extrapolate`.
    pub fn extrapolate(mut self, extrapolate: Extrapolate) -> BSpline {
        self.0.extrapolate = extrapolate;
        self
    }

    /// Derivative of order `nu` at the points `x`; 0 for values.
    ///
    /// The result has the axes of `x`, then those of the coefficients after the first, and the dtype of the coefficients.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for complex points; [`ErrorKind::Value`] for those of another device.
    pub fn evaluate(&self, x: &Array, nu: usize) -> Result<Array> {
        self.0.evaluate("BSpline::evaluate", x, nu)
    }
}
