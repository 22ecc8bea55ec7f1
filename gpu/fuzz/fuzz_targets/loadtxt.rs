//! Tables of numbers; the first byte chooses the options.
#![no_main]

use cuprum::{DType, LoadtxtOptions, loadtxt_from};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((how, text)) = bytes.split_first() else { return };
    let mut options = LoadtxtOptions::new().dtype(DType::ALL[usize::from(how % 15)]);
    if how & 16 != 0 {
        options = options.delimiter(',');
    }
    if how & 32 != 0 {
        options = options.quotechar('"');
    }
    let _ = loadtxt_from(text, options);
});
