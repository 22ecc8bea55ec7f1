//! Arithmetic of series on the host.
//!
//! A product, a quotient or a change of the basis is a recurrence over few coefficients, in which each step needs the
//! one before. As in NumPy, the host computes it: coefficients are read once, and the result is uploaded. Real ones are
//! computed in float64, complex ones in complex128, and the result is rounded to their dtype.

use std::ops::{Add, Div, Mul, Sub};

use num_complex::Complex64;

use super::basis::Basis;
use crate::array::Array;
use crate::dtype::promote_types;
use crate::element::Element;
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::polynomial::polyutils::series;
use cuprum_kernels::DType;

/// A coefficient on the host: float64 or complex128.
pub(in crate::polynomial) trait Number:
    Element
    + PartialEq
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
}

impl Number for f64 {}
impl Number for Complex64 {}

/// Calls a function that is generic over [`Number`] with the type of host coefficients of a dtype.
macro_rules! by_kind {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        if $dtype.is_complex() {
            $function::<num_complex::Complex64>($($argument),*)
        } else {
            $function::<f64>($($argument),*)
        }
    };
}
pub(super) use by_kind;

/// Reads coefficients, without trailing zeros.
pub(in crate::polynomial) fn read<T: Number>(c: &Array) -> Result<Vec<T>> {
    let mut found = c.cast(T::DTYPE, Order::C)?.to_vec::<T>()?;
    trim(&mut found);
    Ok(found)
}

/// Uploads coefficients in the dtype of others.
pub(in crate::polynomial) fn upload<T: Number>(c: &[T], like: &Array) -> Result<Array> {
    make::of(like.device(), c, &[c.len()])?.astype(like.dtype())
}

/// Removes trailing zeros, leaving at least one coefficient.
fn trim<T: Number>(c: &mut Vec<T>) {
    while c.len() > 1 && c.last().is_some_and(|last| *last == T::from(0.0)) {
        c.pop();
    }
}

/// Returns the coefficients of `B(k + 1)` times a series from those of `B(k)` and `B(k - 1)` times it, and of `x B(k)`
/// times it.
fn stepped<T: Number>(basis: Basis, k: usize, by_x: Vec<T>, last: &[T], before: &[T]) -> Vec<T> {
    let step = basis.recurrence(k);
    let mut next = added(by_x, last, -step.at);
    if k > 0 {
        next = added(next, before, -step.down);
    }
    next.iter_mut().for_each(|c| *c = *c / step.up);
    next
}

/// Adds `factor` times the coefficients `b`.
fn added<T: Number>(mut a: Vec<T>, b: &[T], factor: f64) -> Vec<T> {
    if factor == 0.0 {
        return a;
    }
    if a.len() < b.len() {
        a.resize(b.len(), T::from(0.0));
    }
    for (a, b) in a.iter_mut().zip(b) {
        *a = *a + *b * factor;
    }
    a
}

/// Multiplies a series by the variable.
pub(in crate::polynomial) fn times_x<T: Number>(basis: Basis, c: &[T]) -> Vec<T> {
    let mut out = vec![T::from(0.0); c.len() + 1];
    for (k, c) in c.iter().enumerate() {
        let step = basis.recurrence(k);
        out[k + 1] = out[k + 1] + *c * step.up;
        if step.at != 0.0 {
            out[k] = out[k] + *c * step.at;
        }
        if k > 0 && step.down != 0.0 {
            out[k - 1] = out[k - 1] + *c * step.down;
        }
    }
    out
}

/// Computes the sum of `c[k] B(k)` times `one` by Clenshaw's recurrence, where `by_x` multiplies a series by the
/// argument (C. W. Clenshaw, "A note on the summation of Chebyshev series", 1955).
fn clenshaw<T: Number>(basis: Basis, c: &[T], one: &[T], by_x: impl Fn(&[T]) -> Vec<T>) -> Vec<T> {
    let scaled = |c: T| one.iter().map(|o| *o * c).collect::<Vec<T>>();
    let (mut last, mut before): (Vec<T>, Vec<T>) = (vec![], vec![]);
    for k in (0..c.len()).rev() {
        let mut y = scaled(c[k]);
        if !last.is_empty() {
            let step = basis.recurrence(k);
            y = added(y, &added(by_x(&last), &last, -step.at), 1.0 / step.up);
        }
        if !before.is_empty() {
            let step = basis.recurrence(k + 1);
            y = added(y, &before, -step.down / step.up);
        }
        before = std::mem::replace(&mut last, y);
    }
    last
}

fn product_of<T: Number>(basis: Basis, a: &[T], b: &[T]) -> Vec<T> {
    let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
    let mut out = clenshaw(basis, short, long, |c| times_x(basis, c));
    trim(&mut out);
    out
}

fn multiplied<T: Number>(basis: Basis, a: &Array, b: &Array) -> Result<Array> {
    upload(&product_of(basis, &read::<T>(a)?, &read::<T>(b)?), a)
}

/// Product of two series.
pub(in crate::polynomial) fn product(basis: Basis, c1: &Array, c2: &Array) -> Result<Array> {
    one_device(c1, [c2])?;
    let both = series(&[c1, c2], false)?;
    by_kind!(both[0].dtype(), multiplied(basis, &both[0], &both[1]))
}

fn multiplied_by_x<T: Number>(basis: Basis, c: &Array) -> Result<Array> {
    let found = read::<T>(c)?;
    // The product of 0 is not longer than it is.
    if found == [T::from(0.0)] { upload(&found, c) } else { upload(&times_x(basis, &found), c) }
}

/// Product of a series and the variable.
pub(in crate::polynomial) fn product_with_x(basis: Basis, c: &Array) -> Result<Array> {
    let c = series(&[c], false)?.remove(0);
    by_kind!(c.dtype(), multiplied_by_x(basis, &c))
}

fn divided<T: Number>(basis: Basis, a: &Array, b: &Array) -> Result<(Array, Array)> {
    let (mut rest, divisor) = (read::<T>(a)?, read::<T>(b)?);
    let (m, n) = (rest.len(), divisor.len());
    if divisor[n - 1] == T::from(0.0) {
        return Err(Error::new(ErrorKind::ZeroDivision, "the divisor is zero"));
    }
    let zero = [rest[0] * 0.0];
    if m < n {
        return Ok((upload(&zero, a)?, upload(&rest, a)?));
    }
    if n == 1 {
        rest.iter_mut().for_each(|c| *c = *c / divisor[0]);
        return Ok((upload(&rest, a)?, upload(&zero, a)?));
    }
    // The divisor times each polynomial of the basis.
    let mut factors = vec![divisor];
    for k in 0..m - n {
        let last = &factors[k];
        let before: &[T] = if k > 0 { &factors[k - 1] } else { &[] };
        factors.push(stepped(basis, k, times_x(basis, last), last, before));
    }
    let mut quotient = vec![T::from(0.0); factors.len()];
    for (k, factor) in factors.iter().enumerate().rev() {
        let top = rest.len() - 1;
        quotient[k] = rest[top] / factor[top];
        rest.pop();
        for (r, f) in rest.iter_mut().zip(factor) {
            *r = *r - quotient[k] * *f;
        }
    }
    trim(&mut rest);
    Ok((upload(&quotient, a)?, upload(&rest, a)?))
}

/// Quotient and remainder of two series.
pub(in crate::polynomial) fn quotient(basis: Basis, c1: &Array, c2: &Array) -> Result<(Array, Array)> {
    one_device(c1, [c2])?;
    let both = series(&[c1, c2], false)?;
    by_kind!(both[0].dtype(), divided(basis, &both[0], &both[1]))
}

fn raised<T: Number>(basis: Basis, c: &Array, pow: usize) -> Result<Array> {
    let factor = read::<T>(c)?;
    upload(&(0..pow).fold(vec![T::from(1.0)], |power, _| product_of(basis, &power, &factor)), c)
}

/// Checks an exponent: 0 or more, and at most `maxpower`.
pub(in crate::polynomial) fn exponent(pow: isize, maxpower: Option<isize>) -> Result<usize> {
    let Ok(count) = usize::try_from(pow) else {
        return Err(Error::new(ErrorKind::Value, format!("pow is {pow}: a polynomial has powers of 0 and more")));
    };
    if let Some(highest) = maxpower.filter(|highest| pow > *highest) {
        let message = format!("pow is {pow}, which is above maxpower, {highest}: it is too large");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(count)
}

/// Power of a series.
pub(in crate::polynomial) fn power(basis: Basis, c: &Array, pow: isize, maxpower: Option<isize>) -> Result<Array> {
    let c = series(&[c], false)?.remove(0);
    let count = exponent(pow, maxpower)?;
    by_kind!(c.dtype(), raised(basis, &c, count))
}

fn with_roots<T: Number>(basis: Basis, roots: &Array) -> Result<Array> {
    let step = basis.recurrence(0);
    let all = roots.cast(T::DTYPE, Order::C)?.to_vec::<T>()?;
    let mut factors: Vec<Vec<T>> = all.iter().map(|r| vec![T::from(step.at) - *r, T::from(step.up)]).collect();
    while factors.len() > 1 {
        let half = factors.len() / 2;
        let mut products: Vec<_> = (0..half).map(|i| product_of(basis, &factors[i], &factors[i + half])).collect();
        if factors.len() % 2 == 1 {
            products[0] = product_of(basis, &products[0], &factors[2 * half]);
        }
        factors = products;
    }
    upload(&factors.remove(0), roots)
}

/// Series of the monic polynomial with these roots.
pub(in crate::polynomial) fn from_roots(basis: Basis, roots: &Array) -> Result<Array> {
    if roots.is_empty() {
        return make::full(roots.device(), &[1], 1, DType::F64);
    }
    let roots = series(&[roots], false)?.remove(0);
    let roots = crate::routines::sorting::sort(&roots, ())?;
    // NumPy's factors, of a root and a Python scalar, are float64 or wider.
    let roots = roots.astype(promote_types(roots.dtype(), DType::F64))?;
    by_kind!(roots.dtype(), with_roots(basis, &roots))
}

fn rewritten<T: Number>(basis: Basis, c: &Array, to: Basis) -> Result<Array> {
    upload(&clenshaw(basis, &read::<T>(c)?, &[T::from(1.0)], |c| times_x(to, c)), c)
}

/// The same polynomial in another basis.
pub(in crate::polynomial) fn converted(basis: Basis, c: &Array, to: Basis) -> Result<Array> {
    let c = series(&[c], false)?.remove(0);
    by_kind!(c.dtype(), rewritten(basis, &c, to))
}

fn substituted<T: Number>(basis: Basis, c: &Array, of: Basis, inner: &Array) -> Result<Array> {
    let (c_read, inner_read) = (read::<T>(c)?, read::<T>(inner)?);
    let mut out = clenshaw(basis, &c_read, &[T::from(1.0)], |y| product_of(of, y, &inner_read));
    trim(&mut out);
    upload(&out, c)
}

/// A series of a series.
pub(in crate::polynomial) fn composed(basis: Basis, c: &Array, of: Basis, inner: &Array) -> Result<Array> {
    one_device(c, [inner])?;
    let both = series(&[c, inner], false)?;
    by_kind!(both[0].dtype(), substituted(basis, &both[0], of, &both[1]))
}
