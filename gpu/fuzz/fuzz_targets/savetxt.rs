//! Formats of numbers, as C's `printf` has them; the first byte chooses the dtype.
#![no_main]

use cuprum::{Array, DType, SavetxtOptions, savetxt_to};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((selector, format)) = bytes.split_first() else { return };
    let Ok(format) = std::str::from_utf8(format) else { return };
    let array = Array::from_slice(&[-1.5f64, 0.0, 1e300, f64::NAN], [2, 2]);
    let cast = array.and_then(|a| a.astype(DType::ALL[usize::from(selector % 15)]));
    if let Ok(array) = cast {
        let mut text = Vec::new();
        let _ = savetxt_to(&mut text, &array, SavetxtOptions::new().fmt(format));
        // A format bounds the width of a number.
        assert!(text.len() <= 64 * (format.len() + 1) * 10_100, "{} bytes of text", text.len());
    }
});
