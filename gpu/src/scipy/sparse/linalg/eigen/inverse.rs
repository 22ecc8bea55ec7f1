//! Operators of shifted inverses, `(A - sigma I)^-1`, by a factorisation.

use cuprum_kernels::DType;

use super::super::super::{Format, Sparse};
use super::super::{FactorOptions, LinearOperator, splu};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::error::Result;
use crate::linalg::{LuSolveOptions, lu_factor, lu_solve};
use crate::routines::creation::eye;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// The dtype of the factors of a matrix with a shift.
fn factor_dtype(dtype: DType, sigma: Scalar) -> DType {
    let dtype = super::working_dtype(dtype);
    if matches!(sigma, Scalar::Complex(_)) { promote_types(dtype, DType::C64) } else { dtype }
}

/// The inverse of a sparse matrix minus a multiple of the identity.
pub(crate) fn sparse_inverse(a: &Sparse, sigma: Scalar) -> Result<Box<dyn LinearOperator>> {
    let (shape, dtype) = (a.matrix_shape(), factor_dtype(a.dtype(), sigma));
    let unit = Sparse::eye(shape, 0, dtype, Format::Csc, a.device())?;
    let shift = unit.with_data(&apply("multiply", [(&unit.data()).into(), sigma.into()])?)?;
    let shifted = a.astype(dtype)?.to_format(Format::Csc)?.binary("subtract", &shift)?;
    Ok(Box::new(splu(&shifted, FactorOptions::default())?))
}

/// The inverse of a dense matrix minus a multiple of the identity.
pub(crate) fn dense_inverse(a: &Array, sigma: Scalar) -> Result<Box<dyn LinearOperator>> {
    let dtype = factor_dtype(a.dtype(), sigma);
    let unit = a.device().with(|| eye(a.shape()[0], ()))?.astype(dtype)?;
    let shift = apply("multiply", [(&unit).into(), sigma.into()])?;
    let shifted = apply("subtract", [(&a.astype(dtype)?).into(), (&shift).into()])?;
    let (lu, piv) = lu_factor(&shifted)?;
    Ok(Box::new(DenseInverse { lu, piv }))
}

#[derive(Debug)]
struct DenseInverse {
    lu: Array,
    piv: Array,
}

impl LinearOperator for DenseInverse {
    fn shape(&self) -> [usize; 2] {
        [self.lu.shape()[0]; 2]
    }

    fn dtype(&self) -> DType {
        self.lu.dtype()
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        lu_solve(&self.lu, &self.piv, v, LuSolveOptions::default())
    }

    fn matmat(&self, x: &Array) -> Result<Array> {
        lu_solve(&self.lu, &self.piv, x, LuSolveOptions::default())
    }
}
