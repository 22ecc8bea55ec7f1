//! Derivatives and antiderivatives of series.
//!
//! They are recurrences over the coefficients, computed on the host except in the power basis.

use super::basis::Basis;
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::routines::math;
use crate::scan::{cumsum, part};

/// Returns numbers in the dtype of the coefficients, along the first axis.
fn numbers(c: &Array, numbers: impl Iterator<Item = f64>) -> Result<Array> {
    let all: Vec<f64> = numbers.collect();
    let shape: Vec<i64> = std::iter::once(all.len() as i64).chain(c.shape()[1..].iter().map(|_| 1)).collect();
    make::of(c.device(), &all, &[all.len()])?.astype(c.dtype())?.reshape(shape)
}

/// Returns, for each index of the first axis, the sum of the coefficients from it on, in steps of `step`.
fn suffix_sums(c: &Array, step: usize) -> Result<Array> {
    let (n, rows) = (c.shape()[0], c.shape()[0].div_ceil(step));
    let shape: Vec<usize> = [rows * step].into_iter().chain(c.shape()[1..].iter().copied()).collect();
    let padded = make::zeros(c.device(), &shape, c.dtype())?;
    part(&padded, 0, ..n as i64)?.assign(c)?;
    let split: Vec<i64> = [rows, step].into_iter().chain(c.shape()[1..].iter().copied()).map(|n| n as i64).collect();
    let sums = cumsum(padded.reshape(split)?.index(s![..;-1])?, 0)?.index(s![..;-1])?;
    part(&sums.reshape(shape.iter().map(|n| *n as i64).collect::<Vec<_>>())?, 0, ..n as i64)
}

/// Returns the derivative of coefficients along the first axis, of which there are at least two.
pub(in crate::polynomial) fn derived(basis: Basis, c: &Array) -> Result<Array> {
    let n = c.shape()[0];
    let tail = part(c, 0, 1..)?;
    let degrees = numbers(&tail, (1..n).map(|k| k as f64))?;
    match basis {
        Basis::Power | Basis::HermiteE => math::multiply(&tail, &degrees),
        Basis::Hermite => math::multiply(&tail, &math::multiply(&degrees, 2)?),
        Basis::Chebyshev => {
            let sums = suffix_sums(&math::multiply(&tail, &degrees)?, 2)?;
            math::multiply(&sums, &numbers(&tail, (1..n).map(|k| if k == 1 { 1.0 } else { 2.0 }))?)
        }
        Basis::Legendre => {
            math::multiply(&suffix_sums(&tail, 2)?, &numbers(&tail, (1..n).map(|k| (2 * k - 1) as f64))?)
        }
        Basis::Laguerre => math::negative(&suffix_sums(&tail, 1)?),
    }
}

/// Writes the antiderivative of coefficients along the first axis, except for its constant, to `out`, which has one
/// more.
pub(in crate::polynomial) fn integrated(basis: Basis, c: &Array, out: &Array) -> Result<()> {
    let n = c.shape()[0];
    let divisors = numbers(
        c,
        (0..n).map(|k| match basis {
            Basis::Power | Basis::HermiteE => (k + 1) as f64,
            Basis::Hermite => (2 * (k + 1)) as f64,
            Basis::Chebyshev if k == 0 => 1.0,
            Basis::Chebyshev => (2 * (k + 1)) as f64,
            Basis::Legendre => (2 * k + 1) as f64,
            Basis::Laguerre => -1.0,
        }),
    )?;
    let up = math::true_divide(c, &divisors)?;
    part(out, 0, ..1)?.assign(&math::multiply(&part(c, 0, ..1)?, 0)?)?;
    part(out, 0, 1..)?.assign(&up)?;
    match basis {
        Basis::Laguerre => {
            let at = part(out, 0, ..n as i64)?;
            at.assign(&math::add(&at, c)?)
        }
        Basis::Chebyshev | Basis::Legendre if n > 2 => {
            let down = match basis {
                Basis::Chebyshev => {
                    math::true_divide(&part(c, 0, 2..)?, &numbers(c, (2..n).map(|k| (2 * (k - 1)) as f64))?)?
                }
                _ => part(&up, 0, 2..)?,
            };
            let lower = part(out, 0, 1..n as i64 - 1)?;
            lower.assign(&math::subtract(&lower, &down)?)
        }
        _ => Ok(()),
    }
}
