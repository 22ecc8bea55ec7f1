//! Entries of the disk cache, with a checksum that is correct and one that is not.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cuprum::fuzzing::cache_entry(bytes));
