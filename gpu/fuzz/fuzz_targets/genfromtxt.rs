//! Tables with gaps; the first byte chooses the options.
#![no_main]

use cuprum::{Columns, DType, GenfromtxtOptions, genfromtxt_from};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((selector, text)) = bytes.split_first() else { return };
    let dtype = DType::ALL.get(usize::from(selector % 16)).copied();
    let delimiter = match selector >> 4 & 3 {
        0 => Columns::Blanks,
        1 => Columns::from(','),
        2 => Columns::Width(3),
        _ => Columns::Widths(vec![1, 4, 2]),
    };
    let options = GenfromtxtOptions::new().dtype(dtype).delimiter(delimiter).invalid_raise(selector & 64 != 0);
    let _ = genfromtxt_from(text, options.loose(selector & 128 != 0));
});
