//! Printed numbers parse to the same number.

use cuprum::{Array, Element};
use half::{bf16, f16};
use proptest::prelude::*;

use crate::config;

/// Returns the printed form of an array without axes: as many digits as identify the number.
fn printed<T: Element>(x: T) -> f64 {
    let array = Array::from_slice(&[x], ()).unwrap();
    let text = array.to_string();
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn a_double_is_read_back(bits in any::<u64>()) {
        let x = f64::from_bits(bits);
        let y = printed(x);
        prop_assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
    }

    #[test]
    fn a_float_is_read_back(bits in any::<u32>()) {
        let x = f32::from_bits(bits);
        let y = printed(x) as f32;
        prop_assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} {y:e}");
    }

    /// Arrays are printed with eight digits per element, or with all digits, and parse to within half a unit of the
    /// eighth.
    #[test]
    fn the_elements_of_an_array_are_read_back_to_eight_digits(row in proptest::collection::vec(-1e6f64..1e6, 1..9)) {
        let text = Array::from_slice(&row, [row.len()]).unwrap().to_string();
        let read: Vec<f64> = text.trim_matches(['[', ']']).split_whitespace().map(|t| t.parse().unwrap()).collect();
        prop_assert_eq!(read.len(), row.len(), "{}", text);
        let exponential = text.contains('e');
        for (x, y) in row.iter().zip(read) {
            let unit = if exponential { x.abs() * 1e-8 } else { 1e-8 };
            prop_assert!((x - y).abs() <= 0.5 * unit * (1.0 + 1e-6) + x.abs() * f64::EPSILON, "{x} {y} in {text}");
        }
    }
}

/// Every float16 and bfloat16 number.
#[test]
fn every_half_is_read_back() {
    for bits in 0..=u16::MAX {
        let (x, z) = (f16::from_bits(bits), bf16::from_bits(bits));
        // The library, which is slower, prints about one in a hundred; both signs and every exponent are included.
        if bits % 61 == 0 || bits & 0x3ff == 0 {
            let (y, w) = (f16::from_f64(printed(x)), bf16::from_f64(printed(z)));
            assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x}");
            assert!(z.to_bits() == w.to_bits() || z.is_nan() && w.is_nan(), "{z}");
        }
    }
}
