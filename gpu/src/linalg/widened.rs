//! Singular vectors of larger matrices of float32 and complex64 by float64, where a GPU is fast at it: eigenvectors of `X^H X`, then the
//! triangle of their images. A singular value is lost in the square below 1e-8 of the largest one, which is a digit of
//! float32; the left vectors are those of reflectors, orthogonal to the last digit of float64.
//!
//! Floor: two products and the eigenvectors; on an H200 a third of the time of the bidiagonal form in float32.

use cuprum_kernels::DType;

use super::matrices::{Matrices, conjugated, in_c_order, map, pair};
use super::orthogonal::{leading, orthonormal, reflect};
use super::singular::Singular;
use crate::array::{Array, DiagonalOptions};
use crate::cuda::Device;
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::engine::{copy, make, verdict};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::manipulation::flip;
use crate::routines::matrices::matmul;
use crate::scalar::Scalar;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// The capabilities whose float64 has half the rate of float32.
const FAST: [&str; 5] = ["60", "70", "80", "90", "100"];

/// Whether matrices of this dtype go this way. In a capture the library has no eigenvectors.
pub(super) fn pays(device: Device, dtype: DType) -> bool {
    let capability = device.info().target.trim_start_matches(|c: char| !c.is_ascii_digit());
    matches!(dtype, DType::F32 | DType::C64) && FAST.contains(&capability) && !device.queue().is_captured()
}

/// The decomposition of finite matrices that are not wider than high, in the name of a function: `x` has their columns in rows, and `left` is
/// how many left vectors are wanted. The left vectors are in rows, as the right ones.
pub(super) fn widened(function: &'static str, x: &Array, of: &Matrices, left: usize) -> Result<Singular> {
    let (dtype, wide) = (of.dtype, if of.dtype.is_complex() { DType::C128 } else { DType::F64 });
    let of = Matrices { dtype: wide, ..of.clone() };
    let x = x.cast(wide, Order::C)?;
    // The library has the eigenvectors in the place of the matrix, those of rising values one after the other.
    let square = in_c_order(matmul(&x, conjugated(x.clone())?.swapaxes(-1, -2)?)?)?;
    let w = of.empty(&x, &[of.n], DType::F64)?;
    let task = Task::Syevd { upper: false, vectors: true };
    let sides = crate::engine::launch::Sides { m: of.n, ..of.sides() };
    // SAFETY: the matrices are squares of this side, with as many values.
    let info = unsafe { Matrices::run(task, sides, &[Some(&square), Some(&w)]) }?;
    verdict(function, Rejection::NotConverged, &info)?;
    let right = flip(&square, -2)?;
    let images = in_c_order(matmul(&right, &x)?)?;
    let scales = reflect(&images, &of)?;
    let ends = images.diagonal(DiagonalOptions::new().axis1(-2).axis2(-1))?.copy(Order::C)?;
    // They fall but for what rounding left: a value is not larger than the one before it.
    let sizes = map("absolute", &ends)?;
    let s = ufunc("minimum")?.accumulate(&sizes, -1, AccumulateOptions::new())?.cast(dtype.real(), Order::C)?;
    let u = orthonormal(images, &scales, &of, left)?;
    // The triangle is the diagonal: each left vector has the phase of its end.
    let phase = pair("divide", &ends, &apply("where", [(&sizes).into(), (&sizes).into(), Scalar::from(1).into()])?)?;
    let phase = apply("where", [(&sizes).into(), (&phase).into(), Scalar::from(1).into()])?;
    let first = leading(&u, -2, of.n)?;
    copy(&pair("multiply", &first, &phase.expand_dims(-1)?)?, &first)?;
    let vectors = make::empty(u.device(), u.shape(), dtype)?;
    copy(&u, &vectors)?;
    Ok(Singular { u: vectors, s, vh: conjugated(right)?.cast(dtype, Order::C)? })
}
