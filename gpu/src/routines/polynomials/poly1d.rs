//! One-dimensional polynomial class; NumPy's `poly1d`.
//!
//! A value of [`Poly1d`] holds its coefficients on the device. Constructing one trims leading zeros, for which the host
//! must read how many there are: every arithmetic operation synchronises once.

use std::fmt::{self, Write};
use std::ops::{Add, Div, Mul, Neg, Sub};

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::{PolyIntOptions, front_trimmed, poly, polyadd, polyder, polydiv, polyint, polymul, polysub, polyval};
use crate::array::{Array, AsArray, AsOperand, IntoArgument, IntoOptional, Operand};
use crate::engine::make;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::routines::{logic, math};
use crate::scalar::Scalar;

/// A polynomial in one variable; NumPy's `poly1d`. Its coefficients are ordered from the highest power, without leading
/// zeros.
///
/// # Arithmetic
///
/// `+`, `-`, `*` and `/` take another polynomial or a scalar, and panic where the functions would return an error;
/// [`Poly1d::new`] converts an array of coefficients. Division by a polynomial results in quotient and remainder.
/// [`Poly1d::pow`] is NumPy's `**`.
///
/// # Text
///
/// [`Display`](fmt::Display) is NumPy's `str`, with the powers on a line above; [`Debug`](fmt::Debug) is its `repr`.
/// Both synchronise to read the coefficients.
///
/// ```
/// use cuprum::{Poly1d, array};
/// let p = Poly1d::new(array([1i64, 2, 3])?)?;
/// assert_eq!(p.to_string(), "   2\n1 x + 2 x + 3");
/// assert_eq!(format!("{p:?}"), "poly1d([1, 2, 3])");
/// assert_eq!(p.call(0.5)?.item::<f64>()?, 4.25);
/// assert_eq!((&p * &p).c().to_vec::<i64>()?, [1, 4, 10, 12, 9]);
/// assert_eq!(p.deriv(1)?.c().to_vec::<i64>()?, [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone)]
pub struct Poly1d {
    /// Coefficients, the highest power first.
    coefficients: Array,
    /// Name of the variable in its text form.
    variable: String,
}

impl Poly1d {
    /// Creates a polynomial in `x` from its coefficients, the highest power first.
    ///
    /// The coefficients keep their dtype; leading zeros are dropped, and of zeros alone one is left.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([0, 2, 3])?)?;
    /// assert_eq!((p.order(), p.c().to_vec::<i32>()?), (1, vec![2, 3]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for coefficients of several axes.
    ///
    /// # Synchronization
    ///
    /// Synchronises to find the first nonzero coefficient.
    pub fn new(c: impl AsArray) -> Result<Poly1d> {
        let coefficients = front_trimmed(c.as_array()).map_err(|e| e.with_op("poly1d"))?;
        Ok(Poly1d { coefficients, variable: "x".into() })
    }

    /// Renames the variable, which only affects the text.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// assert_eq!(Poly1d::new(array([2, 3])?)?.with_variable("t").variable(), "t");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[must_use]
    pub fn with_variable(self, variable: impl Into<String>) -> Poly1d {
        Poly1d { variable: variable.into(), ..self }
    }

    /// Returns the name of the variable.
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// Creates the monic polynomial with given roots; NumPy's `poly1d(r, True)`.
    ///
    /// ```
    /// let p = cuprum::Poly1d::from_roots(cuprum::array([1.0, 2.0])?)?;
    /// assert_eq!(p.c().to_vec::<f64>()?, [1.0, -3.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`poly`].
    ///
    /// # Synchronization
    ///
    /// Synchronises to find the first nonzero coefficient.
    pub fn from_roots(roots: impl AsArray) -> Result<Poly1d> {
        Poly1d::new(&poly(roots)?)
    }

    /// Returns the coefficients; NumPy's `c`, `coef`, `coeffs` and `coefficients`.
    ///
    /// The highest power is first; the array has one axis.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([0, 2, 3])?)?;
    /// assert_eq!((p.c().to_vec::<i32>()?, p.order(), p.variable()), (vec![2, 3], 1, "x"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[doc(alias = "coef")]
    #[doc(alias = "coeffs")]
    pub fn c(&self) -> &Array {
        &self.coefficients
    }

    /// Returns the coefficients, by their long name.
    pub fn coefficients(&self) -> &Array {
        &self.coefficients
    }

    /// Returns the degree; NumPy's `o` and `order`.
    ///
    /// It is 0 for the zero polynomial.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// assert_eq!(Poly1d::new(array([3, 0, 1])?)?.order(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[doc(alias = "o")]
    pub fn order(&self) -> usize {
        self.coefficients.size() - 1
    }

    /// Returns the coefficient of a power as a 0-d array; 0 beyond the degree. NumPy's `p[power]`.
    ///
    /// The dtype is that of the coefficients.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([2, 3])?)?;
    /// assert_eq!((p.get(1)?.item::<i32>()?, p.get(5)?.item::<i32>()?), (2, 0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn get(&self, power: i64) -> Result<Array> {
        let order = self.order() as i64;
        if power < 0 || power > order {
            return make::zeros(self.coefficients.device(), &[], self.coefficients.dtype());
        }
        self.coefficients.index([Index::At(order - power)])
    }

    /// Sets the coefficient of a power, raising the degree if needed; NumPy's `p[power] = value`. The others are
    /// copied.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let mut p = Poly1d::new(array([2, 3])?)?;
    /// p.set(2, 7)?;
    /// assert_eq!(p.c().to_vec::<i32>()?, [7, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Array::assign`].
    pub fn set(&mut self, power: usize, value: impl AsOperand) -> Result<()> {
        let (old, order) = (&self.coefficients, self.order().max(power));
        let all = make::zeros(old.device(), &[order + 1], old.dtype())?;
        crate::scan::part(&all, 0, (order + 1 - old.size()) as i64..)?.assign(old)?;
        all.index([Index::At((order - power) as i64)])?.assign(value)?;
        self.coefficients = all;
        Ok(())
    }

    /// Evaluates the polynomial; NumPy's `p(x)`.
    ///
    /// The result has the shape of `x` and the dtype to which both are promoted.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([1, 0, 2])?)?;
    /// assert_eq!(p.call(array([0, 3])?)?.to_vec::<i32>()?, [2, 11]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polyval`].
    pub fn call(&self, x: impl AsOperand) -> Result<Array> {
        polyval(&self.coefficients, x)
    }

    /// Returns the composition with another polynomial, `p(q(x))`.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let square = Poly1d::new(array([1, 0, 0])?)?;
    /// let shifted = square.compose(&Poly1d::new(array([1, 1])?)?)?;
    /// assert_eq!(shifted.c().to_vec::<i32>()?, [1, 2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn compose(&self, inner: &Poly1d) -> Result<Poly1d> {
        let at = |k: usize| crate::scan::part(&self.coefficients, 0, k as i64..k as i64 + 1);
        let mut y = Poly1d::new(&at(0)?)?;
        for k in 1..=self.order() {
            y = y.times(inner)?.plus(&Poly1d::new(&at(k)?)?)?;
        }
        Ok(y)
    }

    /// Returns the derivative of order `m`, by default the first.
    ///
    /// See [`polyder`] for the dtype.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([1.0, 0.0, 5.0])?)?;
    /// assert_eq!(p.deriv(())?.c().to_vec::<f64>()?, [2.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polyder`].
    pub fn deriv(&self, m: impl IntoOptional<isize>) -> Result<Poly1d> {
        Poly1d::new(&polyder(&self.coefficients, m)?)
    }

    /// Returns the antiderivative.
    ///
    /// See [`polyint`] for the dtype and the integration constants.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([2.0, 3.0])?)?;
    /// assert_eq!(p.integ(())?.c().to_vec::<f64>()?, [1.0, 3.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polyint`].
    pub fn integ<'a>(&self, options: impl IntoArgument<PolyIntOptions<'a>>) -> Result<Poly1d> {
        Poly1d::new(&polyint(&self.coefficients, options)?)
    }

    /// Returns the sum.
    ///
    /// The coefficients have the promoted dtype. The operators `+`, `-` and `*` do the same and panic where these
    /// methods return an error.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let (p, q) = (Poly1d::new(array([1, 2])?)?, Poly1d::new(array([3])?)?);
    /// assert_eq!(p.plus(&q)?.c().to_vec::<i32>()?, [1, 5]);
    /// assert_eq!(p.minus(&q)?.c().to_vec::<i32>()?, [1, -1]);
    /// assert_eq!(p.times(&p)?.c().to_vec::<i32>()?, [1, 4, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polyadd`].
    pub fn plus(&self, other: &Poly1d) -> Result<Poly1d> {
        Poly1d::new(&polyadd(&self.coefficients, &other.coefficients)?)
    }

    /// Returns the difference.
    ///
    /// The coefficients have the promoted dtype. See [`Poly1d::plus`] for an example.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let (p, q) = (Poly1d::new(array([2, 3])?)?, Poly1d::new(array([1, 1])?)?);
    /// assert_eq!(p.minus(&q)?.c().to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polysub`].
    pub fn minus(&self, other: &Poly1d) -> Result<Poly1d> {
        Poly1d::new(&polysub(&self.coefficients, &other.coefficients)?)
    }

    /// Returns the product with another polynomial.
    ///
    /// The coefficients have the promoted dtype. See [`Poly1d::plus`] for an example.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([1, 1])?)?;
    /// assert_eq!(p.times(&p)?.c().to_vec::<i32>()?, [1, 2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polymul`].
    pub fn times(&self, other: &Poly1d) -> Result<Poly1d> {
        Poly1d::new(&polymul(&self.coefficients, &other.coefficients)?)
    }

    /// Multiplies every coefficient by a scalar.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let p = Poly1d::new(array([1.0, 2.0])?)?;
    /// assert_eq!(p.scaled(3)?.c().to_vec::<f64>()?, [3.0, 6.0]);
    /// assert_eq!(p.divided(2)?.c().to_vec::<f64>()?, [0.5, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`multiply`](crate::multiply).
    pub fn scaled(&self, by: impl IntoArgument<Scalar>) -> Result<Poly1d> {
        Poly1d::new(&math::multiply(&self.coefficients, Operand::Scalar(by.into()))?)
    }

    /// Divides every coefficient by a scalar.
    ///
    /// Integers become floats. See [`Poly1d::scaled`] for an example.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// assert_eq!(Poly1d::new(array([2, 4])?)?.divided(2)?.c().to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`true_divide`](crate::true_divide).
    pub fn divided(&self, by: impl IntoArgument<Scalar>) -> Result<Poly1d> {
        Poly1d::new(&math::true_divide(&self.coefficients, Operand::Scalar(by.into()))?)
    }

    /// Returns the quotient and the remainder; NumPy's `p / q`.
    ///
    /// See [`polydiv`] for the dtype.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// let (p, q) = (Poly1d::new(array([1.0, 3.0, 3.0])?)?, Poly1d::new(array([1.0, 1.0])?)?);
    /// let (quotient, rest) = p.divmod(&q)?;
    /// assert_eq!(quotient.c().to_vec::<f64>()?, [1.0, 2.0]);
    /// assert_eq!(rest.c().to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polydiv`].
    pub fn divmod(&self, by: &Poly1d) -> Result<(Poly1d, Poly1d)> {
        let (quotient, rest) = polydiv(&self.coefficients, &by.coefficients)?;
        Ok((Poly1d::new(&quotient)?, Poly1d::new(&rest)?))
    }

    /// Raises the polynomial to a power; NumPy's `p ** power`.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// assert_eq!(Poly1d::new(array([1, 1])?)?.pow(2)?.c().to_vec::<i64>()?, [1, 2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`polymul`].
    pub fn pow(&self, power: usize) -> Result<Poly1d> {
        let one = make::full(self.coefficients.device(), &[1], 1, DType::I64)?;
        (0..power).try_fold(Poly1d::new(&one)?, |y, _| self.times(&y))
    }

    /// Returns whether both have the same coefficients; NumPy's `==`.
    ///
    /// ```
    /// use cuprum::{Poly1d, array};
    /// assert!(Poly1d::new(array([0, 1])?)?.equals(&Poly1d::new(array([1])?)?)?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for polynomials on two devices.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the result.
    pub fn equals(&self, other: &Poly1d) -> Result<bool> {
        logic::array_equal(&self.coefficients, &other.coefficients, ())
    }

    /// Returns a scalar as a polynomial on the same device.
    fn constant(&self, number: impl IntoArgument<Scalar>) -> Result<Poly1d> {
        Poly1d::new(&Operand::Scalar(number.into()).strong(Some(self.coefficients.device()))?)
    }

    /// Formats the polynomial.
    fn text(&self) -> Result<String> {
        let mut terms = String::new();
        for (k, c) in self.coefficients.astype(DType::C128)?.to_vec::<Complex64>()?.iter().enumerate() {
            let power = self.order() - k;
            let number = match (c.re, c.im) {
                (re, 0.0) => general(re),
                (0.0, im) => format!("{}j", general(im)),
                (re, im) => format!("({} + {}j)", general(re), general(im)),
            };
            let term = match (power, number.as_str()) {
                (0, "0") if k == 0 => "0".into(),
                (_, "0") => continue,
                (0, _) => number,
                (1, _) => format!("{number} {}", self.variable),
                _ => format!("{number} {}**{power}", self.variable),
            };
            match term.strip_prefix('-') {
                _ if k == 0 => terms = term,
                Some(rest) => _ = write!(terms, " - {rest}"),
                None => _ = write!(terms, " + {term}"),
            }
        }
        Ok(raised(&terms))
    }
}

/// Formats a number with four significant digits, as C's `%.4g`.
fn general(x: f64) -> String {
    if !x.is_finite() {
        return if x.is_nan() {
            "nan".into()
        } else if x > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let scientific = format!("{x:.3e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let bare = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text.to_string() }
    };
    if (-4..4).contains(&exponent) {
        return bare(&format!("{x:.*}", (3 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", bare(digits), exponent.abs())
}

/// Moves exponents to a line above: each `**12` is removed from the line, and long lines are broken.
fn raised(terms: &str) -> String {
    const WIDTH: usize = 70;
    let (mut above, mut below, mut out, mut rest) = (String::new(), String::new(), String::from(" "), terms);
    while let Some((before, behind)) = rest.split_once("**") {
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (power, behind) = behind.split_at(digits);
        let low = format!("{before}{}", " ".repeat(power.len().saturating_sub(1)));
        let high = format!("{}{power}", " ".repeat(before.chars().count().saturating_sub(1)));
        if below.chars().count() + low.chars().count() > WIDTH || above.chars().count() + high.chars().count() > WIDTH {
            out += &format!("{above}\n{below}\n ");
            (above, below) = (high, low);
        } else {
            above += &high;
            below += &low;
        }
        rest = behind;
    }
    out + &above + "\n" + &below + rest
}

impl fmt::Display for Poly1d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => f.write_str(&text),
            Err(e) => write!(f, "<{e}>"),
        }
    }
}

impl fmt::Debug for Poly1d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let array = format!("{:?}", self.coefficients);
        let inner = array.strip_prefix("array(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(&array);
        write!(f, "poly1d({inner})")
    }
}

impl PartialEq for Poly1d {
    /// Compares as [`Poly1d::equals`].
    ///
    /// # Panics
    ///
    /// If that returns an error.
    fn eq(&self, other: &Poly1d) -> bool {
        or_panic(self.equals(other))
    }
}

#[track_caller]
fn or_panic<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|e: Error| panic!("{e}"))
}

macro_rules! operators {
    ($($of:ident :: $method:ident = $name:ident),+) => {$(
        impl $of<&Poly1d> for &Poly1d {
            type Output = Poly1d;

            /// # Panics
            ///
            /// If the function returns an error.
            #[track_caller]
            fn $method(self, other: &Poly1d) -> Poly1d {
                or_panic(self.$name(other))
            }
        }

        impl $of for Poly1d {
            type Output = Poly1d;

            /// # Panics
            ///
            /// If the function returns an error.
            #[track_caller]
            fn $method(self, other: Poly1d) -> Poly1d {
                or_panic(self.$name(&other))
            }
        }
    )+};
}
operators!(Add::add = plus, Sub::sub = minus, Mul::mul = times);

/// Implements an operator of a polynomial, by value and by reference, with a scalar, which is a polynomial of degree 0.
macro_rules! with_number {
    ($left:ty, $right:ty, $of:ident :: $method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $of<$right> for $left {
            type Output = Poly1d;

            /// # Panics
            ///
            /// If the function returns an error.
            #[track_caller]
            fn $method(self, other: $right) -> Poly1d {
                let run = |$a: &$left, $b: &$right| -> Result<Poly1d> { $result };
                or_panic(run(&self, &other))
            }
        }
    };
}

macro_rules! with_numbers {
    ($($number:ty),+) => {$(
        with_numbers! { $number: Poly1d, &Poly1d }
    )+};
    ($number:ty: $($polynomial:ty),+) => {$(
        with_number! { $polynomial, $number, Add::add, |p, n| p.plus(&p.constant(*n)?) }
        with_number! { $number, $polynomial, Add::add, |n, p| p.constant(*n)?.plus(p) }
        with_number! { $polynomial, $number, Sub::sub, |p, n| p.minus(&p.constant(*n)?) }
        with_number! { $number, $polynomial, Sub::sub, |n, p| p.constant(*n)?.minus(p) }
        with_number! { $polynomial, $number, Mul::mul, |p, n| p.scaled(*n) }
        with_number! { $number, $polynomial, Mul::mul, |n, p| p.scaled(*n) }
        with_number! { $polynomial, $number, Div::div, |p, n| p.divided(*n) }
    )+};
}
with_numbers!(i64, f64, Complex64);

impl Div<&Poly1d> for &Poly1d {
    type Output = (Poly1d, Poly1d);

    /// Returns the quotient and the remainder.
    ///
    /// # Panics
    ///
    /// If [`Poly1d::divmod`] returns an error.
    #[track_caller]
    fn div(self, by: &Poly1d) -> (Poly1d, Poly1d) {
        or_panic(self.divmod(by))
    }
}

impl Neg for &Poly1d {
    type Output = Poly1d;

    /// # Panics
    ///
    /// If [`negative`](crate::negative) returns an error.
    #[track_caller]
    fn neg(self) -> Poly1d {
        or_panic(math::negative(&self.coefficients).and_then(|c| Poly1d::new(&c)))
    }
}

impl From<&Poly1d> for Array {
    fn from(p: &Poly1d) -> Array {
        p.coefficients.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array;

    /// Output of NumPy 2.4.6.
    #[test]
    fn texts_are_numpys() {
        let text = |c: &[f64]| Poly1d::new(Array::from_slice(c, c.len()).unwrap()).unwrap().to_string();
        assert_eq!(text(&[1.5, 0.0, -2.25]), "     2\n1.5 x - 2.25");
        assert_eq!(text(&[0.0]), " \n0");
        assert_eq!(text(&[1.0, 0.0]), " \n1 x");
        assert_eq!(text(&[-1.0, 0.0, 0.0]), "    2\n-1 x");
        assert_eq!(text(&[1e10, 1e-5, 123_456.0]), "       2\n1e+10 x + 1e-05 x + 1.235e+05");
        let complex = |c: &[Complex64]| Poly1d::new(Array::from_slice(c, c.len()).unwrap()).unwrap().to_string();
        assert_eq!(complex(&[Complex64::new(0.0, 1.0), Complex64::new(2.0, 0.0)]), " \n1j x + 2");
        assert_eq!(complex(&[Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.0)]), " \n(1 + 2j) x - 3");
        let many: Vec<f64> = (1..15).map(f64::from).collect();
        let p = Poly1d::new(Array::from_vec(many).unwrap()).unwrap().with_variable("lam");
        assert_eq!(
            p.to_string(),
            "     13       12       11       10       9       8       7       6\n1 lam  + 2 lam  + 3 lam  + 4 lam  + \
             5 lam + 6 lam + 7 lam + 8 lam\n        5        4        3        2\n + 9 lam + 10 lam + 11 lam + 12 lam + \
             13 lam + 14"
        );
    }

    #[test]
    fn polynomials_compute() -> Result<()> {
        let (p, q) = (Poly1d::new(array([0, 1, 2, 3])?)?, Poly1d::new(array([1, -1])?)?);
        assert_eq!((p.order(), p.get(2)?.item::<i32>()?, p.get(9)?.item::<i32>()?), (2, 1, 0));
        assert_eq!((&p + &q).c().to_vec::<i32>()?, [1, 3, 2]);
        assert_eq!((&p - &p).c().to_vec::<i32>()?, [0]);
        assert_eq!((&p * &q).c().to_vec::<i32>()?, [1, 1, 1, -3]);
        assert_eq!(p.pow(0)?.c().to_vec::<i64>()?, [1]);
        assert_eq!(q.pow(3)?.c().to_vec::<i64>()?, [1, -3, 3, -1]);
        assert_eq!(p.compose(&q)?.c().to_vec::<i32>()?, [1, 0, 2]);
        let (quotient, rest) = p.divmod(&q)?;
        assert_eq!((quotient.c().to_vec::<f64>()?, rest.c().to_vec::<f64>()?), (vec![1.0, 3.0], vec![6.0]));
        let mut r = q.clone();
        r.set(3, 5)?;
        assert_eq!(r.c().to_vec::<i32>()?, [5, 0, 1, -1]);
        assert_eq!((&p + 1).c().to_vec::<i64>()?, [1, 2, 4]);
        assert_eq!((&p - 0.5).c().to_vec::<f64>()?, [1.0, 2.0, 2.5]);
        assert_eq!(
            ((&p * 2).c().to_vec::<i32>()?, (&p / 2.0).c().to_vec::<f64>()?),
            (vec![2, 4, 6], vec![0.5, 1.0, 1.5])
        );
        assert_eq!((&p / &q).1.c().to_vec::<f64>()?, [6.0]);
        assert!(p == p.clone() && p != q && -&q == Poly1d::new(array([-1, 1])?)?);
        Ok(())
    }
}
