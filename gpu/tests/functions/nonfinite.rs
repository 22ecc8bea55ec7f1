//! Complex arithmetic with infinite or NaN parts, and with parts of very different magnitudes. Expected values are
//! those of NumPy 2.4.

use cuprum::{Array, DType, Reduce};
use num_complex::Complex64;

type Result = cuprum::Result<()>;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const HUGE: f64 = f64::from_bits(0x7fd << 52);

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn row(values: &[Complex64]) -> Array {
    Array::from_vec(values.to_vec()).unwrap()
}

/// Checks that both parts are equal; NaN equals NaN.
#[track_caller]
fn check(got: &Array, want: &[Complex64]) {
    let bits = |z: &Complex64| [z.re, z.im].map(|x| if x.is_nan() { NAN.to_bits() } else { x.to_bits() });
    let got = got.astype(DType::C128).unwrap().ravel().unwrap().to_vec::<Complex64>().unwrap();
    assert_eq!(got.iter().map(bits).collect::<Vec<_>>(), want.iter().map(bits).collect::<Vec<_>>(), "{got:?}");
}

#[test]
fn division_keeps_the_smaller_part() -> Result {
    let a = row(&[c(1e300, 1e-20), c(1e308, 5e-324), c(1e-320, 1e300), c(-1e-300, 1e10), c(3e-310, 1.0)]);
    check(
        &cuprum::true_divide(&a, 2.0)?,
        &[c(5e299, 5e-21), c(5e307, 0.0), c(5e-321, 5e299), c(-5e-301, 5e9), c(3e-310 / 2.0, 0.5)],
    );
    // Division by an imaginary number swaps the parts.
    let b = cuprum::true_divide(row(&[c(1e300, 1e-20)]), row(&[c(0.0, 2.0)]))?;
    check(&b, &[c(5e-21, -5e299)]);
    // A representable quotient of operands whose squares overflow.
    check(&cuprum::true_divide(row(&[c(HUGE, HUGE)]), row(&[c(HUGE, HUGE)]))?, &[c(1.0, 0.0)]);
    // Smith's algorithm, which NumPy uses, overflows here.
    check(
        &cuprum::true_divide(row(&[c(f64::from_bits(64), 0.0)]), row(&[c(f64::from_bits(32), 0.0)]))?,
        &[c(2.0, 0.0)],
    );
    Ok(())
}

#[test]
fn the_mean_is_divided_by_a_complex_count() -> Result {
    let a = row(&[c(1.0, INF), c(2.0, 0.0)]);
    let mask = Array::from_vec(vec![true, true])?;
    check(&cuprum::mean(&a, ())?, &[c(NAN, INF)]);
    check(&cuprum::mean(&a, Reduce::all().where_(&mask))?, &[c(NAN, INF)]);
    check(&cuprum::nanmean(row(&[c(1.0, INF), c(2.0, 0.0), c(NAN, 0.0)]), ())?, &[c(NAN, INF)]);
    check(&cuprum::mean(row(&[c(-INF, 1.0), c(2.0, 0.0)]), ())?, &[c(-INF, NAN)]);
    check(&cuprum::mean(row(&[c(1.0, 3.0), c(2.0, 0.0)]), ())?, &[c(1.5, 1.5)]);
    Ok(())
}

#[test]
fn a_product_begins_with_one_1() -> Result {
    let a = row(&[c(1.0, INF)]);
    check(&cuprum::prod(&a, ())?, &[c(NAN, INF)]);
    check(&cuprum::prod(&a.reshape([1, 1])?, 0)?, &[c(NAN, INF)]);
    check(&cuprum::prod(row(&[c(2.0, 0.0), c(3.0, -1.0)]), ())?, &[c(6.0, -2.0)]);
    check(&cuprum::prod(row(&[]), ())?, &[c(1.0, 0.0)]);
    // NaN propagates whatever its payload is.
    check(&cuprum::prod(row(&[c(f64::from_bits(0x7ff8_f0f0_f0f0_f0f0), 0.0)]), ())?, &[c(NAN, NAN)]);
    Ok(())
}

#[test]
fn the_extreme_of_nan_alone_is_the_first() -> Result {
    let a = row(&[c(NAN, 1.0), c(2.0, NAN), c(3.0, NAN), c(NAN, 4.0)]);
    check(&cuprum::nanmax(&a, ())?, &[c(NAN, 1.0)]);
    check(&cuprum::nanmin(&a, ())?, &[c(NAN, 1.0)]);
    let square = a.reshape([2, 2])?;
    check(&cuprum::nanmax(&square, 0)?, &[c(NAN, 1.0), c(2.0, NAN)]);
    check(&cuprum::nanmax(&square, 1)?, &[c(NAN, 1.0), c(3.0, NAN)]);
    check(&cuprum::nanmin(&square.transpose([1, 0])?, 0)?, &[c(NAN, 1.0), c(3.0, NAN)]);
    // An initial NaN is ignored as well, unless nothing else is left.
    check(&cuprum::nanmax(row(&[c(NAN, 1.0)]), Reduce::all().initial(c(5.0, NAN)))?, &[c(5.0, NAN)]);
    check(&cuprum::nanmax(row(&[c(NAN, 1.0), c(7.0, 0.0)]), Reduce::all().initial(c(5.0, NAN)))?, &[c(7.0, 0.0)]);
    Ok(())
}
