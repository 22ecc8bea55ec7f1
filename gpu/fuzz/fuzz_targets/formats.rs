//! Names of dtypes, and subscripts of `einsum`; the first byte chooses which.
#![no_main]

use cuprum::{Array, DType};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((selector, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    if selector & 1 == 0 {
        if let Ok(dtype) = text.parse::<DType>() {
            assert!(DType::ALL.contains(&dtype));
        }
    } else if let Ok(a) = Array::from_slice(&[1i32, 2, 3, 4], [2, 2]) {
        let _ = cuprum::einsum(text, [&a, &a], ());
    }
});
