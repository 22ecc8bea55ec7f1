//! Small dense problems of eigenvalue iterations: they are solved on the device in double precision, and their
//! eigenvalues are read by the host.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::super::super::CastTo;
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::Result;
use crate::layout::Order;
use crate::linalg::{EighOptions, eigh};
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::{TakeOptions, take};
use crate::routines::linalg::matmul;
use crate::ufunc::apply;

/// The dtype of small problems of vectors of a dtype.
pub(super) fn wide(dtype: DType) -> DType {
    if dtype.is_complex() { DType::C128 } else { DType::F64 }
}

/// The dtype of the magnitudes of a dtype.
pub(super) fn real(dtype: DType) -> DType {
    match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    }
}

/// The unit of rounding of a dtype.
pub(super) fn rounding(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// The conjugate transpose of a matrix.
pub(super) fn adjoint(a: &Array) -> Result<Array> {
    if a.dtype().is_complex() { apply("conjugate", [(&a.t()).into()]) } else { Ok(a.t()) }
}

/// The product of the conjugate transpose of a matrix with another one, in double precision.
pub(super) fn gram(x: &Array, y: &Array) -> Result<Array> {
    matmul(adjoint(x)?, y)?.to_dtype(wide(x.dtype()))
}

/// Half the sum of a matrix and its conjugate transpose.
pub(super) fn hermitian_part(a: &Array) -> Result<Array> {
    let sum = apply("add", [a.into(), (&adjoint(a)?).into()])?;
    apply("multiply", [(&sum).into(), 0.5.into()])
}

/// The eigenvalues of a Hermitian matrix in ascending order, on the host, and its eigenvectors as columns.
pub(super) fn eigenpairs(a: &Array) -> Result<(Vec<f64>, Array)> {
    let (values, vectors) = eigh(a, EighOptions::default())?;
    Ok((values.to_vec::<f64>()?, vectors))
}

/// Euclidean norms of the columns of a matrix, on the host.
pub(super) fn column_norms(a: &Array) -> Result<Vec<f64>> {
    let sizes = apply("absolute", [a.into()])?.cast(DType::F64, Order::C)?;
    let squares = reduced("sum", &apply("square", [(&sizes).into()])?, &Reduce::axis(0))?;
    apply("sqrt", [(&squares).into()])?.to_vec::<f64>()
}

/// The columns of a matrix at positions, in C order.
pub(super) fn columns(a: &Array, positions: &[usize]) -> Result<Array> {
    let at: Vec<i64> = positions.iter().map(|&p| p as i64).collect();
    take(a, &make::of(a.device(), &at, &[at.len()])?, TakeOptions::new().axis(1))
}

/// The rows of a matrix at positions, in C order.
pub(super) fn rows(a: &Array, positions: &[usize]) -> Result<Array> {
    let at: Vec<i64> = positions.iter().map(|&p| p as i64).collect();
    take(a, &make::of(a.device(), &at, &[at.len()])?, TakeOptions::new().axis(0))
}

/// Copies a matrix or a vector of double precision to the host, in C order.
pub(super) fn host(a: &Array) -> Result<Vec<Complex64>> {
    if a.dtype() == DType::C128 {
        return a.to_vec();
    }
    Ok(a.to_vec::<f64>()?.into_iter().map(Complex64::from).collect())
}

/// Copies numbers to the device, as a dtype of double precision.
pub(super) fn device_array(device: Device, elements: &[Complex64], shape: &[usize], dtype: DType) -> Result<Array> {
    if dtype == DType::C128 {
        return make::of(device, elements, shape);
    }
    make::of(device, &elements.iter().map(|z| z.re).collect::<Vec<_>>(), shape)
}

/// The matrix whose product with the columns of `s` on the right is orthonormal with regard to a metric, in double
/// precision; `bs` is the product of the metric and `s`. Columns that depend on others are left out.
pub(super) fn orthonormalizer(s: &Array, bs: &Array) -> Result<Array> {
    let products = hermitian_part(&gram(s, bs)?)?;
    let diagonal = products.diagonal(())?.real().copy(Order::C)?;
    let least = apply("maximum", [(&diagonal).into(), f64::MIN_POSITIVE.into()])?;
    let scale = apply("reciprocal", [(&apply("sqrt", [(&least).into()])?).into()])?;
    let column = scale.expand_dims(1)?;
    let scaled = apply("multiply", [(&products).into(), (&column).into()])?;
    let scaled = apply("multiply", [(&scaled).into(), (&scale).into()])?;
    let (values, vectors) = eigenpairs(&scaled)?;
    let bound = rounding(s.dtype()) * values.len() as f64 * values.last().copied().unwrap_or(0.0);
    let good: Vec<usize> = (0..values.len()).filter(|&k| values[k] > bound).collect();
    let roots: Vec<f64> = good.iter().map(|&k| 1.0 / values[k].sqrt()).collect();
    let roots = make::of(s.device(), &roots, &[roots.len()])?;
    let vectors = apply("multiply", [(&columns(&vectors, &good)?).into(), (&roots).into()])?;
    apply("multiply", [(&vectors).into(), (&column).into()])
}
