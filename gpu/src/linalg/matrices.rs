//! Batches of matrices as arguments of the device's linear algebra library, and its status codes.
//!
//! A batch is one array in column-major order, which the library's routines take by the first pointer and a stride.
//! Operands in C order are passed as their transposes, which saves a copy where the routine can compute with those.
//! Status codes stay on the device: a small kernel stores the first one that is not 0 in the error record.

use cuprum_kernels::DType;

use crate::array::{Array, Operand};
use crate::driver::Task;
use crate::engine::launch::{Sides, dense};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, shape_text, size_of};
use crate::routines::linalg::work_dtype;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Sizes of a batch of matrices, and the dtype in which their linear algebra is computed.
#[derive(Clone, Debug)]
pub(super) struct Matrices {
    /// The batch axes, before those of the matrices.
    pub(super) stack: Dims,
    /// Rows of a matrix.
    pub(super) m: usize,
    /// Columns of a matrix.
    pub(super) n: usize,
    /// Dtype in which the library computes.
    pub(super) dtype: DType,
}

impl Matrices {
    /// Returns the batch in the last two axes of an array; an error for fewer than two axes and for 16-bit
    /// floats.
    pub(super) fn of(a: &Array) -> Result<Matrices> {
        let &[ref stack @ .., m, n] = a.shape() else {
            let message = format!("an array of shape {} is no matrix: it needs two axes", shape_text(a.shape()));
            return Err(Error::new(ErrorKind::LinAlg, message));
        };
        Ok(Matrices { stack: stack.into(), m, n, dtype: work_dtype(a.dtype())? })
    }

    /// Returns a batch as [`Matrices::of`], and an error for matrices that are not square.
    pub(super) fn square(a: &Array) -> Result<Matrices> {
        let of = Matrices::of(a)?;
        if of.m == of.n {
            return Ok(of);
        }
        let message = format!("matrices of {} rows and {} columns are not square", of.m, of.n);
        Err(Error::new(ErrorKind::LinAlg, message))
    }

    /// Returns the number of matrices.
    pub(super) fn batch(&self) -> usize {
        size_of(&self.stack)
    }

    /// Returns the shorter side.
    pub(super) fn short(&self) -> usize {
        self.m.min(self.n)
    }

    /// Returns the dtype of singular values, and of eigenvalues of Hermitian matrices.
    pub(super) fn real(&self) -> DType {
        self.dtype.real()
    }

    /// Returns whether there is nothing to compute.
    pub(super) fn is_empty(&self) -> bool {
        self.m == 0 || self.n == 0 || self.batch() == 0
    }

    pub(super) fn sides(&self) -> Sides {
        Sides { m: self.m, n: self.n, k: 0, batch: self.batch() }
    }

    /// Returns the shape of the batch followed by other axes.
    pub(super) fn with(&self, axes: &[usize]) -> Dims {
        self.stack.iter().chain(axes).copied().collect()
    }

    /// Creates an uninitialised array for the batch.
    pub(super) fn empty(&self, a: &Array, axes: &[usize], dtype: DType) -> Result<Array> {
        make::empty(a.device(), &self.with(axes), dtype)
    }

    /// Returns a column-major copy: its axes are those of the transposed matrices.
    pub(super) fn columns(&self, a: &Array) -> Result<Array> {
        a.swapaxes(-1, -2)?.cast(self.dtype, Order::C)
    }

    /// Returns a row-major copy.
    pub(super) fn rows(&self, a: &Array) -> Result<Array> {
        a.cast(self.dtype, Order::C)
    }

    /// Returns identity matrices of a size.
    pub(super) fn identity(&self, a: &Array, n: usize) -> Result<Array> {
        let out = make::zeros(a.device(), &self.with(&[n, n]), self.dtype)?;
        if out.size() > 0 {
            let (mut shape, mut strides) = (self.with(&[n]), crate::layout::Strides::from_slice(out.strides()));
            strides.truncate(shape.len());
            let last = shape.len() - 1;
            strides[last] = out.strides()[last] + out.strides()[last + 1];
            shape[last] = n;
            let diagonal = out.with_layout(Layout { shape, strides, offset: out.layout().offset });
            engine::fill(&diagonal, 1.into())?;
        }
        Ok(out)
    }

    /// Runs a task with the arrays of the batch, all in C order: small matrices and batches of those of some
    /// hundred columns with this crate's kernels, others with the device's library. Returns the info codes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for arrays that are not those of the task, with the sizes in `sides`.
    pub(super) fn run(task: Task, sides: Sides, arrays: &[Option<&Array>]) -> Result<Array> {
        if let Some(info) = engine::decompose_small(task, sides, arrays)? {
            return Ok(info);
        }
        if let Some(info) = engine::decompose_panels(task, sides, arrays)? {
            return Ok(info);
        }
        dense(task, sides, arrays)
    }
}

/// Returns the transposed matrices in C order.
pub(super) fn transposed(a: &Array) -> Result<Array> {
    in_c_order(a.swapaxes(-1, -2)?)
}

/// Returns the array itself if it is in C order, otherwise a copy in C order.
pub(super) fn in_c_order(a: Array) -> Result<Array> {
    if a.is_c_contiguous() { Ok(a) } else { a.copy(Order::C) }
}

/// Applies a unary ufunc.
pub(super) fn map(name: &str, a: &Array) -> Result<Array> {
    apply(name, [a.into()])
}

/// Applies a binary ufunc.
pub(super) fn pair<'a>(name: &str, a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Array> {
    apply(name, [a.into(), b.into()])
}

pub(super) fn conjugated(a: Array) -> Result<Array> {
    if a.dtype().is_complex() { map("conjugate", &a) } else { Ok(a) }
}

/// Returns the info codes of a task, with 0 for the matrices of a mask.
pub(super) fn unless(info: &Array, mask: &Array) -> Result<Array> {
    apply("where", [(&mask.reshape(info.shape())?).into(), Scalar::from(0).into(), info.into()])?
        .cast(DType::I32, Order::C)
}

/// Sets the factors of the matrices of a mask to NaN, and clears their info codes.
pub(super) fn nan_factors(factors: &Array, info: &Array, mask: &Array) -> Result<Array> {
    set_nan(factors, &mask.expand_dims([-2, -1])?)?;
    unless(info, mask)
}

/// Writes NaN where a mask, which is broadcast, is true.
pub(super) fn set_nan(a: &Array, mask: &Array) -> Result<()> {
    engine::copy_where(Operand::Scalar(Scalar::from(f64::NAN)), &mask.broadcast_to_shape(a.shape())?, a)
}
