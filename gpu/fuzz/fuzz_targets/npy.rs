//! npy files, as a stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = cuprum::load_from(bytes, ());
});
