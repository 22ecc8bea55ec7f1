//! Tests of the oracle against NumPy's replies to the harness's own cases: without those that the gate leaves
//! out, unless `CUPRUM_SAMPLE=full`.

use cuprum_conformance::numpy::replies::Replies;
use cuprum_conformance::run::quiet_panics;
use cuprum_conformance::{Matrix, sample};

/// Compares the oracle with a file of replies, which must contain more than `least` cases.
fn held(file: &[u8], least: usize) {
    let matrix = Matrix::built_in().expect("the matrix of this checkout");
    quiet_panics();
    let mut replies = Replies::read(file).expect("the file of this checkout");
    if !sample::is_full() {
        replies = replies.without(&sample::nightly(&matrix));
    }
    let proof = replies.prove(&matrix).expect("cases of this matrix");
    // Panic messages are suppressed, so the summary is printed.
    println!("{}", proof.summary());
    assert!(proof.differences.is_empty());
    // The numbers of cases must not shrink.
    assert_eq!(proof.cases, replies.len());
    assert!(proof.cases > least, "{} cases", proof.cases);
}

#[test]
fn the_oracle_gives_what_numpy_2_4_replied() {
    held(include_bytes!("../golden/replies/numpy-2.4.gz"), 20_000);
}

#[test]
fn the_oracle_gives_what_numpy_1_22_replied() {
    held(include_bytes!("../golden/replies/numpy-1.22.gz"), 10_000);
}

#[test]
fn the_oracle_gives_what_scipy_1_17_replied_of_sparse_arrays_and_images() {
    held(include_bytes!("../golden/replies/scipy-1.17.gz"), 800);
}
