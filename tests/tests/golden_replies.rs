//! Tests of the oracle against NumPy's replies to the harness's own cases: without those that the gate leaves
//! out, and of NumPy 1.22 only those that differ from NumPy 2.4's, unless `CUPRUM_SAMPLE=full`.

use cuprum_conformance::numpy::replies::Replies;
use cuprum_conformance::run::quiet_panics;
use cuprum_conformance::{Matrix, sample};

const NUMPY_2_4: &[u8] = include_bytes!("../golden/replies/numpy-2.4.gz");

fn read(file: &[u8]) -> Replies {
    Replies::read(file).expect("the file of this checkout")
}

/// Compares the oracle with replies, which must be more than `least`.
fn held(mut replies: Replies, least: usize) {
    let matrix = Matrix::built_in().expect("the matrix of this checkout");
    quiet_panics();
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
    held(read(NUMPY_2_4), 20_000);
}

#[test]
fn the_oracle_gives_what_numpy_1_22_replied() {
    let replies = read(include_bytes!("../golden/replies/numpy-1.22.gz"));
    let (replies, least) =
        if sample::is_full() { (replies, 10_000) } else { (replies.different_from(&read(NUMPY_2_4)), 500) };
    held(replies, least);
}

#[test]
fn the_oracle_gives_what_scipy_1_17_replied_of_sparse_arrays_and_images() {
    held(read(include_bytes!("../golden/replies/scipy-1.17.gz")), 800);
}
