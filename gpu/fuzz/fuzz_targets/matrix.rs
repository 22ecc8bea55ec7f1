//! The declaration of what is tested, in YAML.
#![no_main]

use cuprum_conformance::matrix::{Matrix, Source};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = Matrix::parse(&Source::from(text));
});
