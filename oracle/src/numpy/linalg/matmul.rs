//! Matrix multiplication.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::broadcast_shapes;
use crate::core::promote::promote_types;
use crate::core::value::{Value, cast, wrap};
use crate::exact::sum::{exact_sum, product_parts};
use crate::ufunc::reduce::{bound, last_unit};

/// The operands broadcast to a common batch: both with at least two axes, and the shape of the result without the axes
/// that were added to 1-d operands.
struct Plan {
    a: NdArray,
    b: NdArray,
    shape: Vec<usize>,
    dtype: DType,
}

fn plan(a: &NdArray, b: &NdArray) -> Result<Plan> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return fail(ErrorKind::Value, "matmul does not take 0-d operands");
    }
    let wide_a = if a.ndim() == 1 { a.expand_dims(&[0])? } else { a.clone() };
    let wide_b = if b.ndim() == 1 { b.expand_dims(&[1])? } else { b.clone() };
    let (batch_a, core_a) = wide_a.shape().split_at(wide_a.ndim() - 2);
    let (batch_b, core_b) = wide_b.shape().split_at(wide_b.ndim() - 2);
    if core_a[1] != core_b[0] {
        return fail(ErrorKind::Value, format!("matmul: the inner lengths {} and {} differ", core_a[1], core_b[0]));
    }
    let batch = broadcast_shapes(&[batch_a, batch_b])?;
    let full = |core: &[usize]| [&batch[..], core].concat();
    let mut shape = batch.clone();
    shape.extend((a.ndim() > 1).then_some(core_a[0]));
    shape.extend((b.ndim() > 1).then_some(core_b[1]));
    Ok(Plan {
        a: wide_a.broadcast_to(&full(core_a))?,
        b: wide_b.broadcast_to(&full(core_b))?,
        shape,
        dtype: promote_types(a.dtype(), b.dtype()),
    })
}

impl Plan {
    /// Applies `of` to the pairs of elements whose products sum to each result, in C order.
    fn results<R>(&self, of: impl Fn(&[(Value, Value)]) -> R) -> Vec<R> {
        let ndim = self.a.ndim();
        let (m, k, n) = (self.a.shape[ndim - 2], self.a.shape[ndim - 1], self.b.shape[ndim - 1]);
        let batch: usize = self.a.shape[..ndim - 2].iter().product();
        let to = |a: &NdArray| a.values().into_iter().map(|v| cast(v, self.dtype).0).collect::<Vec<_>>();
        let (a, b) = (to(&self.a), to(&self.b));
        let (mut out, mut terms) = (Vec::with_capacity(batch * m * n), Vec::with_capacity(k));
        for at in 0..batch {
            for i in 0..m {
                for j in 0..n {
                    terms.clear();
                    terms.extend((0..k).map(|l| (a[(at * m + i) * k + l], b[(at * k + l) * n + j])));
                    out.push(of(&terms));
                }
            }
        }
        out
    }
}

/// Computes the matrix product, NumPy's `matmul`: 1-d operands are promoted to a row or a column, leading axes
/// broadcast. Each result is the exact sum of exact products, rounded once; integers wrap. The result is C-contiguous.
///
/// # Errors
///
/// `ValueError` for 0-d operands, inner lengths that differ, and batch axes that do not broadcast.
pub fn matmul(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    let plan = plan(a, b)?;
    let dtype = plan.dtype;
    let values = plan.results(|terms| dot(terms, dtype));
    NdArray::from_values(dtype, &plan.shape, values)
}

fn dot(terms: &[(Value, Value)], dtype: DType) -> Value {
    let sum = |parts: &mut dyn Iterator<Item = [f64; 2]>| {
        let parts: Vec<f64> = parts.flatten().collect();
        if parts.is_empty() { 0.0 } else { exact_sum(parts, dtype) }
    };
    match dtype.kind() {
        Kind::Bool => Value::Bool(terms.iter().any(|(a, b)| a.truth() && b.truth())),
        Kind::Signed | Kind::Unsigned => {
            Value::Int(terms.iter().fold(0, |s, (a, b)| wrap(s + wrap(a.int().wrapping_mul(b.int()), dtype), dtype)))
        }
        Kind::Float => Value::Float(sum(&mut terms.iter().map(|(a, b)| product_parts(a.float(), b.float())))),
        Kind::Complex => {
            let z = |v: &Value| v.complex();
            let re = sum(&mut terms
                .iter()
                .flat_map(|(a, b)| [product_parts(z(a).re, z(b).re), product_parts(-z(a).im, z(b).im)]));
            let im = sum(&mut terms
                .iter()
                .flat_map(|(a, b)| [product_parts(z(a).re, z(b).im), product_parts(z(a).im, z(b).re)]));
            Value::Complex(Complex64::new(re, im))
        }
    }
}

/// Bounds the error of plain arithmetic for each result of [`matmul`], in C order; as
/// [`reduction_bound`](crate::reduction_bound).
///
/// # Errors
///
/// As [`matmul`].
pub fn matmul_bound(a: &NdArray, b: &NdArray) -> Result<Vec<f64>> {
    let result = matmul(a, b)?;
    let plan = plan(a, b)?;
    let dtype = plan.dtype;
    if !(dtype.is_float() || dtype.is_complex()) {
        return Ok(vec![0.0; result.size()]);
    }
    let size = |v: &Value| {
        let z = v.complex();
        let sum = z.re.abs() + z.im.abs();
        if sum.is_finite() { sum } else { 0.0 }
    };
    let accumulator = if dtype == DType::F16 { DType::F32 } else { dtype };
    let per_term = if dtype.is_complex() { 4.0 } else { 2.0 };
    let masses = plan.results(|terms| (terms.len(), terms.iter().map(|(a, b)| size(a) * size(b)).sum::<f64>()));
    let bounds = masses.into_iter().zip(result.values()).map(|((count, mass), value)| {
        bound(per_term * count as f64, mass, mass, accumulator, false)
            + last_unit(value, 2.min(count + 1), dtype, false)
    });
    Ok(bounds.collect())
}
