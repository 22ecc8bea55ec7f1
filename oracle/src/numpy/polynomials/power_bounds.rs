//! Error bounds of iterated complex powers: each is `exp(b log a)`, whose rounding error, in angle and modulus, is
//! proportional to the exponent, and which propagates the error of its base.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::Result;
use crate::core::value::{Flag, Value, cast, ulp};
use crate::ufunc::methods::{Lines, find, form, step};

/// Units of the result, and of the exponent's size.
const STEPS: (f64, f64) = (8.0, 8.0);
/// The magnitude from which a float64 exponent leaves the angle undetermined.
const LOST: f64 = (1u64 << 52) as f64;

/// Bounds the error of `w`, the power of a base that is off by `before`.
fn carried(w: Complex64, base: Complex64, exponent: Complex64, before: f64, dtype: DType) -> f64 {
    // The modulus of finite parts may overflow.
    let size = w.norm().min(f64::MAX);
    // A result of 0 or infinity is not rounded, and every power of 0 is exact.
    if before == 0.0 && (size == 0.0 || base.norm() == 0.0) || !w.is_finite() {
        return 0.0;
    }
    // The logarithm is discontinuous at the negative real axis: a base that may be on either side has two powers,
    // except for integer exponents.
    let whole = exponent.im == 0.0 && exponent.re.fract() == 0.0;
    if before > 0.0 && base.re < 0.0 && base.im.abs() <= before && !whole {
        return f64::INFINITY;
    }
    let argument_size = (exponent * ((base * 0.5).ln() + std::f64::consts::LN_2)).norm();
    if argument_size.is_nan() || argument_size >= LOST {
        return f64::INFINITY;
    }
    let grown = if before == 0.0 { 0.0 } else { size * exponent.norm() * (before / base.norm()) };
    // Beyond its own size the error is no longer proportional.
    let grown = if grown < size { grown } else { f64::INFINITY };
    // For a subnormal result the product with epsilon would underflow.
    STEPS.0 * ulp(size, dtype) + size * (STEPS.1 * f64::EPSILON * (1.0 + argument_size)) + grown
}

/// Bounds the error of `w`, the power of an exact base.
pub(crate) fn power_bound(w: Complex64, base: Complex64, exponent: Complex64, dtype: DType) -> f64 {
    carried(w, base, exponent, 0.0, dtype)
}

/// Bounds the error of `accumulate`, or with `starts` of `reduceat`, of complex powers along an axis.
pub(crate) fn power_bounds(
    name: &str,
    a: &NdArray,
    axis: isize,
    starts: Option<&[isize]>,
    (out, dtype): (Option<DType>, Option<DType>),
) -> Result<Vec<f64>> {
    let spec = find(name)?;
    let form = form(spec, a.dtype(), out, dtype, true)?;
    let stored = out.unwrap_or(form.output());
    let lines = Lines::of(name, a, axis)?;
    let bounds = |elements: &[Value]| -> Result<Vec<f64>> {
        let mut all = vec![];
        let mut so_far: Option<((Value, Flag), f64)> = None;
        for value in elements {
            let element = cast(*value, form.inputs[1]);
            let next = match so_far {
                None => (element, 0.0),
                Some((base, error)) => {
                    let w = step(spec, &form, base, element)?;
                    let (base, exponent) = (base.0.complex(), element.0.complex());
                    (w, carried(w.0.complex(), base, exponent, error, stored))
                }
            };
            all.push(next.1);
            so_far = Some(next);
        }
        Ok(all)
    };
    let count = starts.map_or(lines.length, <[isize]>::len);
    lines.results(count, 0.0, |line| {
        let Some(starts) = starts else { return bounds(line) };
        let segment = |(k, start): (usize, &isize)| {
            let start = *start as usize;
            let end = starts.get(k + 1).map_or(line.len(), |next| (*next as usize).max(start + 1));
            Ok(bounds(&line[start..end])?.pop().unwrap_or(0.0))
        };
        starts.iter().enumerate().map(segment).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_a_power_carries_the_error_of_its_base() {
        let values = [Complex64::new(7.0, 5.0), Complex64::new(6.0, 8.0), Complex64::new(2.0, 0.0)];
        let a = NdArray::from_values(DType::C128, &[3], values.map(Value::Complex)).unwrap();
        let bounds = power_bounds("power", &a, 0, None, (None, None)).unwrap();
        // The exponent of the first power is some 22, the modulus 2,836: some ten thousand roundings of 2e-16 in all.
        assert!(bounds[0] == 0.0 && bounds[1] > 1e-11 && bounds[1] < 1e-9, "{bounds:?}");
        // The relative error of a square is twice that of its base.
        let (base, square) = (2836.2, 2836.2f64.powi(2));
        let grown = bounds[2] / square / (bounds[1] / base);
        assert!(grown > 2.0 && grown < 4.0, "{grown}");
        let last = power_bounds("power", &a, 0, Some(&[0, 2]), (None, None)).unwrap();
        assert_eq!(last, [bounds[1], 0.0]);
    }

    #[test]
    fn a_power_whose_modulus_overflows_has_an_error() {
        let base = Complex64::new(-f64::MAX, -f64::MAX);
        let bound = power_bound(base, base, Complex64::new(1.0, 0.0), DType::C128);
        // The logarithm is some 710: as many roundings, and a few.
        assert!(bound > 500.0 * ulp(f64::MAX, DType::C128) && bound < 1e-11 * f64::MAX, "{bound:e}");
    }

    #[test]
    fn a_base_on_either_side_of_the_negative_numbers_has_two_powers() {
        let bounds = |last: Complex64| {
            let values = [Complex64::new(-1.0, 0.0), Complex64::new(-3.0, 1.0), last];
            let a = NdArray::from_values(DType::C128, &[3], values.map(Value::Complex)).unwrap();
            power_bounds("power", &a, 0, None, (None, None)).unwrap()
        };
        // The second is close to -exp(-pi).
        let (broken, whole) = (bounds(Complex64::new(-3.5, 3.5)), bounds(Complex64::new(2.0, 0.0)));
        assert!(broken[1] < 1e-14 && broken[2].is_infinite() && whole[2] < 1e-14, "{broken:?} {whole:?}");
    }
}
