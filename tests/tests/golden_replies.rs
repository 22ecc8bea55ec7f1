//! Tests of the oracle against NumPy's replies to the harness's own cases. Unless `CUPRUM_SAMPLE=full`, those to cases
//! of the gate are left to the conformance suite, which compares the oracle's results with them in passing; those to
//! cases that the gate leaves out, and of results with millions of elements, are omitted; and of NumPy 1.22 only those
//! that differ from NumPy 2.4's are compared.

use cuprum_conformance::numpy::replies::{NUMPY_1_22, NUMPY_2_4, Replies, SCIPY_1_17};
use cuprum_conformance::run::quiet_panics;
use cuprum_conformance::{Case, Matrix, sample};

/// The largest result that is compared unless all are: the oracle takes minutes for the products of larger ones.
const LARGEST: usize = 1 << 20;

fn read(file: &[u8]) -> Replies {
    Replies::read(file).expect("the file of this checkout")
}

/// Compares the oracle with replies, which must be more than `least`. The oracle follows the version that replied
/// `as_usual`, or it must be asked to.
fn held(mut replies: Replies, as_usual: bool, least: usize) {
    let matrix = Matrix::built_in().expect("the matrix of this checkout");
    quiet_panics();
    if !sample::is_full() {
        replies = replies.without(&sample::nightly(&matrix)).without_larger(LARGEST);
        if as_usual {
            let gate = sample::gate(&matrix).iter().map(Case::id).collect();
            replies = replies.without_seeded(&gate, matrix.seed);
        }
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
    held(read(NUMPY_2_4), true, 12_000);
}

#[test]
fn the_oracle_gives_what_numpy_1_22_replied() {
    let replies = read(NUMPY_1_22);
    let (replies, least) =
        if sample::is_full() { (replies, 10_000) } else { (replies.different_from(&read(NUMPY_2_4)), 500) };
    held(replies, false, least);
}

#[test]
fn the_oracle_gives_what_scipy_1_17_replied_of_sparse_arrays_and_images() {
    let least = if sample::is_full() { 800 } else { 0 };
    held(read(SCIPY_1_17), true, least);
}
