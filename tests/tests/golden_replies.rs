//! The oracle against what NumPy replied to the harness's own cases.

use cuprum_conformance::Matrix;
use cuprum_conformance::numpy::replies::Replies;
use cuprum_conformance::run::quiet_panics;

const REPLIES: &[u8] = include_bytes!("../golden/replies/numpy-2.4.gz");

#[test]
fn the_oracle_gives_what_numpy_replied() {
    let matrix = Matrix::built_in().expect("the matrix of this checkout");
    quiet_panics();
    let replies = Replies::read(REPLIES).expect("the file of this checkout");
    let proof = replies.prove(&matrix).expect("cases of this matrix");
    // Panics are quiet here.
    println!("{}", proof.summary());
    assert!(proof.differences.is_empty());
    // What says little must stay little, and nothing may vanish.
    assert_eq!(proof.cases, replies.len());
    assert!(proof.cases > 3000, "{} cases", proof.cases);
}
