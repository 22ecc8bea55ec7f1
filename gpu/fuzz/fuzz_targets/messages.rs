//! Messages between the ranks of a group.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cuprum::fuzzing::messages(bytes));
