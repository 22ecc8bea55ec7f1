//! Elements without a header, as bytes and as text; the first byte chooses which.
#![no_main]

use cuprum::{DType, FromfileOptions, fromfile};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((selector, file)) = bytes.split_first() else { return };
    let path = std::env::temp_dir().join(format!("cuprum-fuzz-{}.bin", std::process::id()));
    let sep = if selector & 16 != 0 { " , " } else { "" };
    let options = FromfileOptions::new().dtype(DType::ALL[usize::from(selector % 15)]).sep(sep);
    if std::fs::write(&path, file).is_ok() {
        let _ = fromfile(&path, options);
    }
});
