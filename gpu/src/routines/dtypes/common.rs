//! Common dtypes of arrays.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::routine;

use crate::array::Array;
use crate::dtype::{Casting, can_cast, promote_types, result_type};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::OperandType;

/// Returns the floating-point dtype to which all arrays are promoted, integers counting as float64; float16 for no
/// arrays. NumPy's `common_type`.
///
/// ```
/// use cuprum::{DType, array, common_type};
/// assert_eq!(common_type(&[&array([1])?, &array([1_f32])?])?, DType::F64);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for an array of booleans.
#[routine(
    python(varargs = "arrays"),
    no_cases = "compared as a whole with NumPy's table",
    no_programs = "compared as a whole with NumPy's table"
)]
pub fn common_type(arrays: &[&Array]) -> Result<DType> {
    let float = |a: &&Array| match a.dtype().kind() {
        Kind::Bool => Err(Error::new(ErrorKind::Type, "bool is no numeric dtype").with_op("common_type")),
        Kind::Unsigned | Kind::Signed => Ok(DType::F64),
        Kind::Float | Kind::Complex => Ok(a.dtype()),
    };
    let floats = arrays.iter().map(float).collect::<Result<Vec<DType>>>()?;
    Ok(floats.into_iter().reduce(promote_types).unwrap_or(DType::F16))
}

/// Returns whether a cast to a dtype is allowed by a rule.
#[routine(
    name = "can_cast", names = "from_ to", casting = Casting::Safe,
    no_cases = "compared as a whole with NumPy's table",
    no_programs = "compared as a whole with NumPy's table"
)]
fn castable(from: OperandType, to: DType, casting: Casting) -> Result<bool> {
    match from {
        OperandType::Array(from) => Ok(can_cast(from, to, casting)),
        OperandType::Scalar(_) => {
            Err(Error::new(ErrorKind::Type, "a number of the host has no dtype that it is cast from")
                .with_op("can_cast"))
        }
    }
}

/// Returns the smallest dtype to which both can be cast safely.
#[routine(
    name = "promote_types",
    names = "type1 type2",
    python(positional_only = 2),
    no_cases = "compared as a whole with NumPy's table",
    no_programs = "compared as a whole with NumPy's table"
)]
fn promoted(a: DType, b: DType) -> DType {
    promote_types(a, b)
}

/// Returns the promoted dtype of the operands.
#[routine(
    name = "result_type",
    names = "arrays_and_dtypes",
    python(varargs = "arrays_and_dtypes"),
    no_cases = "compared as a whole with NumPy's table",
    no_programs = "compared as a whole with NumPy's table"
)]
fn resulting(operands: &[OperandType]) -> Result<DType> {
    result_type(operands)
}
