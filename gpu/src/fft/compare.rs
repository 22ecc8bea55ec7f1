//! Comparison of results in tests of transforms.

use crate::DType;
use crate::array::Array;
use crate::error::Result;
use crate::layout::Order;

/// Returns the largest difference of two arrays, relative to the largest magnitude.
pub(super) fn distance(a: &Array, b: &Array) -> Result<f64> {
    let parts = |x: &Array| x.astype(DType::C128)?.copy(Order::C)?.to_bytes();
    let numbers = |bytes: Vec<u8>| bytemuck::pod_collect_to_vec::<u8, f64>(&bytes);
    let (a, b) = (numbers(parts(a)?), numbers(parts(b)?));
    assert_eq!(a.len(), b.len());
    let most = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    Ok(a.iter().zip(&b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / most)
}

/// Asserts that results are bitwise equal on the simulator. CUDA's library may choose other kernels for a plan with
/// callbacks: there the results are close.
#[track_caller]
pub(super) fn assert_same(got: &Array, want: &Array) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()));
    let (off, same) = (distance(got, want), got.to_bytes().and_then(|x| Ok(x == want.to_bytes()?)));
    let (off, same) = (off.expect("they are numbers"), same.expect("they are bytes"));
    if got.device().ordinal().is_none() {
        assert!(same, "{off} apart");
    } else {
        let budget = if matches!(got.dtype(), DType::F64 | DType::C128) { 1e-14 } else { 1e-6 };
        assert!(off <= budget, "{off} apart");
    }
}
