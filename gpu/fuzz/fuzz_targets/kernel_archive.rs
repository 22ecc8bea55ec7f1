//! Archives of compiled kernels.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cuprum::fuzzing::kernel_archive(bytes));
