//! Tables of numbers; the first byte chooses the options.
#![no_main]

use cuprum::{DType, LoadtxtOptions, loadtxt_from};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((selector, text)) = bytes.split_first() else { return };
    let mut options = LoadtxtOptions::new().dtype(DType::ALL[usize::from(selector % 15)]);
    if selector & 16 != 0 {
        options = options.delimiter(',');
    }
    if selector & 32 != 0 {
        options = options.quotechar('"');
    }
    let _ = loadtxt_from(text, options);
});
