//! Values of series, and Vandermonde matrices.

use cuprum_kernels::DType;

use super::basis::Basis;
use crate::array::{Array, Operand};
use crate::dtype::{promote_types, result_type};
use crate::engine::{make, one_device, series_values, series_vandermonde};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, broadcast_shapes};
use crate::polynomial::polyutils::floated;

/// Returns the elements in C order, in a dtype.
fn dense(a: &Array, dtype: DType) -> Result<Array> {
    if a.dtype() == dtype && a.is_c_contiguous() { Ok(a.clone()) } else { a.cast(dtype, Order::C) }
}

/// Evaluates series, whose coefficients are along the first axis of `c`, at points by Clenshaw's recurrence, in one
/// launch.
pub(in crate::polynomial) fn value(basis: Basis, x: Operand<'_>, c: &Array, tensor: bool) -> Result<Array> {
    let c = floated(&if c.ndim() == 0 { c.reshape([1])? } else { c.clone() })?;
    if c.shape()[0] == 0 {
        return Err(Error::new(ErrorKind::Index, "there are no coefficients"));
    }
    let (x, dtype) = match x {
        Operand::Array(x) => {
            one_device(&c, [x])?;
            // NumPy starts with the points times 0, and booleans times 0 are int64.
            let own = if x.dtype() == DType::Bool { DType::I64 } else { x.dtype() };
            (x.clone(), promote_types(c.dtype(), own))
        }
        Operand::Scalar(x) => {
            let dtype = result_type(&[c.dtype().into(), x.into()])?;
            (make::full(c.device(), &[], x, dtype)?, dtype)
        }
    };
    let (count, series) = (c.shape()[0], &c.shape()[1..]);
    let paired = !tensor && !series.is_empty() && x.ndim() > 0;
    let (c, x, shape) = if paired {
        let shape = broadcast_shapes(&[series, x.shape()])?.to_vec();
        // New axes are between the degrees and the axes of the series.
        let lacking = std::iter::repeat_n(1, shape.len() - series.len());
        let aligned = std::iter::once(count).chain(lacking).chain(series.iter().copied()).map(|n| n as i64);
        let aligned = c.reshape(aligned.collect::<Vec<_>>())?;
        let full: Vec<usize> = std::iter::once(count).chain(shape.iter().copied()).collect();
        (aligned.broadcast_to_shape(&full)?, x.broadcast_to_shape(&shape)?, shape)
    } else {
        let shape = series.iter().chain(x.shape()).copied().collect();
        (c.clone(), x, shape)
    };
    let out = make::empty(c.device(), &shape, dtype)?;
    let columns = c.shape()[1..].iter().product::<usize>();
    let c = dense(&c, dtype)?.reshape([count as i64, columns as i64])?;
    series_values(basis.number(), &c, &dense(&x, dtype)?, &out, paired)?;
    Ok(out)
}

/// Returns the values of the basis polynomials up to a degree at points, along a new last axis, in one launch.
pub(in crate::polynomial) fn vandermonde(basis: Basis, x: &Array, deg: isize) -> Result<Array> {
    let Ok(deg) = usize::try_from(deg) else {
        return Err(Error::new(ErrorKind::Value, format!("deg is {deg}: the highest power is 0 or more")));
    };
    let x = floated(&if x.ndim() == 0 { x.reshape([1])? } else { x.clone() })?;
    let shape: Vec<usize> = std::iter::once(deg + 1).chain(x.shape().iter().copied()).collect();
    let out = make::empty(x.device(), &shape, x.dtype())?;
    series_vandermonde(basis.number(), &dense(&x, x.dtype())?, deg, &out)?;
    out.moveaxis(0, -1)
}
