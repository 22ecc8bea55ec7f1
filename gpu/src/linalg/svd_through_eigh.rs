//! Singular value decomposition of float32 and complex64 matrices through float64, on GPUs with fast float64:
//! eigenvectors of `X^H X`, then the triangular factor of their images. Singular values below 1e-8 of the largest one,
//! below the precision of float32, are lost in the square; the left vectors come from Householder reflectors and are
//! orthogonal to the precision of float64.
//!
//! Lower bound: two products and the eigenvectors.

use cuprum_kernels::DType;

use super::eigen::{Triangle, hermitian, small};
use super::matrices::{Matrices, conjugated, in_c_order, map, pair};
use super::orthogonal::{leading, orthonormal, reflect};
use super::singular::Singular;
use crate::array::{Array, DiagonalOptions};
use crate::cuda::Device;
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::engine::{check_lapack_info, copy, make};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::linalg::matmul;
use crate::routines::manipulation::flip;
use crate::scalar::Scalar;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// Compute capabilities whose float64 rate is half that of float32.
const FAST: [&str; 5] = ["60", "70", "80", "90", "100"];

/// Returns whether matrices of this dtype are decomposed in this way. During a stream capture the library has no
/// eigenvectors.
pub(super) fn is_profitable(device: Device, dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::C64) && has_fast_float64(device) && !device.queue().is_captured()
}

/// Returns whether the float64 rate of a device is half that of float32.
pub(super) fn has_fast_float64(device: Device) -> bool {
    let capability = device.info().target.trim_start_matches(|c: char| !c.is_ascii_digit());
    FAST.contains(&capability)
}

/// Computes the eigenvectors of Hermitian matrices, in rows and in ascending order of the eigenvalues.
fn eigenvectors_in_rows(function: &'static str, square: Array, of: &Matrices) -> Result<Array> {
    // In column-major order, as the library reads it, the matrix is its transpose.
    if let Some((_, Some(v))) = small(function, &square.swapaxes(-1, -2)?, of, Triangle::L, true)? {
        return v.swapaxes(-1, -2);
    }
    // The library overwrites the matrix.
    let w = of.empty(&square, &[of.n], DType::F64)?;
    let task = Task::Syevd { upper: false, vectors: true };
    let sides = crate::engine::launch::Sides { m: of.n, ..of.sides() };
    let info = Matrices::run(task, sides, &[Some(&square), Some(&w)])?;
    check_lapack_info(function, Rejection::NotConverged, &info)?;
    Ok(square)
}

/// Computes the singular values of finite matrices with at least as many rows as columns, of which `x` has the columns in
/// rows: the square roots of the eigenvalues of `X^H X` in float64, with errors of some 1e-8 of the largest one.
/// `function` is named in errors.
pub(super) fn singular_values_through_eigh(function: &'static str, x: &Array, of: &Matrices) -> Result<Array> {
    let wide = if of.dtype.is_complex() { DType::C128 } else { DType::F64 };
    let x = x.cast(wide, Order::C)?;
    let square = in_c_order(matmul(&x, conjugated(x.clone())?.swapaxes(-1, -2)?)?)?;
    let (w, _) = hermitian(function, &square, Triangle::L, false)?;
    // Rounding errors make eigenvalues next to zero negative.
    let w = pair("maximum", &flip(w, -1)?, Scalar::from(0.0))?;
    map("sqrt", &w)?.cast(of.real(), Order::C)
}

/// Decomposes finite matrices with at least as many rows as columns: `x` has their columns in rows, and `left` is the
/// number of left vectors requested. Left and right vectors are in rows. `function` is named in errors.
pub(super) fn svd_through_eigh(function: &'static str, x: &Array, of: &Matrices, left: usize) -> Result<Singular> {
    let (dtype, wide) = (of.dtype, if of.dtype.is_complex() { DType::C128 } else { DType::F64 });
    let of = Matrices { dtype: wide, ..of.clone() };
    let x = x.cast(wide, Order::C)?;
    let square = in_c_order(matmul(&x, conjugated(x.clone())?.swapaxes(-1, -2)?)?)?;
    let right = flip(eigenvectors_in_rows(function, square, &of)?, -2)?;
    let images = in_c_order(matmul(&right, &x)?)?;
    let scales = reflect(&images, &of)?;
    let ends = images.diagonal(DiagonalOptions::new().axis1(-2).axis2(-1))?.copy(Order::C)?;
    // They are descending but for rounding: a running minimum makes each value at most the one before it.
    let sizes = map("absolute", &ends)?;
    let s = ufunc("minimum")?.accumulate(&sizes, -1, AccumulateOptions::new())?.cast(dtype.real(), Order::C)?;
    let u = orthonormal(images, &scales, &of, left)?;
    // The triangular factor is diagonal: each left vector gets the phase of its diagonal element.
    let phase = pair("divide", &ends, &apply("where", [(&sizes).into(), (&sizes).into(), Scalar::from(1).into()])?)?;
    let phase = apply("where", [(&sizes).into(), (&phase).into(), Scalar::from(1).into()])?;
    let first = leading(&u, -2, of.n)?;
    copy(&pair("multiply", &first, &phase.expand_dims(-1)?)?, &first)?;
    let vectors = make::empty(u.device(), u.shape(), dtype)?;
    copy(&u, &vectors)?;
    Ok(Singular { u: vectors, s, vh: conjugated(right)?.cast(dtype, Order::C)? })
}
