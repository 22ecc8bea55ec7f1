//! Lists of kernels that are to be compiled ahead of time.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cuprum::fuzzing::kernel_list(bytes));
