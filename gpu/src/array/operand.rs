//! What a function takes: an array, or a scalar of the host.

use super::Array;
use crate::cuda::Device;
use crate::scalar::{OperandType, Scalar};

/// An operand of a function: an array, or a scalar of the host.
///
/// A list or a slice is none, so that nothing is uploaded unseen: make an array of it first.
///
/// ```
/// let a = cuprum::ones([2], cuprum::DType::F32)?;
/// cuprum::add(&a, &cuprum::Array::from_slice(&[1.0_f32, 2.0], [2])?)?;
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// ```compile_fail
/// let a = cuprum::ones([2], cuprum::DType::F32)?;
/// cuprum::add(&a, [1.0_f32, 2.0])?;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// An array.
    Array(&'a Array),
    /// A weak scalar.
    Scalar(Scalar),
}

impl Operand<'_> {
    /// The device of an array.
    pub(crate) fn device(&self) -> Option<Device> {
        match self {
            Operand::Array(a) => Some(a.device()),
            Operand::Scalar(_) => None,
        }
    }
}

impl<'a> From<&'a Array> for Operand<'a> {
    fn from(a: &'a Array) -> Self {
        Operand::Array(a)
    }
}

impl<S: Into<Scalar>> From<S> for Operand<'_> {
    fn from(s: S) -> Self {
        Operand::Scalar(s.into())
    }
}

impl From<&Array> for OperandType {
    fn from(a: &Array) -> Self {
        OperandType::Array(a.dtype())
    }
}

impl From<&Operand<'_>> for OperandType {
    fn from(o: &Operand<'_>) -> Self {
        match o {
            Operand::Array(a) => OperandType::Array(a.dtype()),
            Operand::Scalar(s) => OperandType::Scalar(*s),
        }
    }
}
