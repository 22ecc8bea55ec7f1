//! Value-based promotion of NumPy 1: the value of a scalar, or of an array without axes, decides which dtypes hold it.

use cuprum_kernels::{DType, Kind};

use crate::core::array::Operand;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::{Casting, can_cast, promote_types};
use crate::core::value::{Value, int_range};
use crate::numpy::dtypes::limits::min_scalar_type;

/// Returns the dtype that an operand has before its value is checked.
pub(crate) fn own_type(operand: &Operand<'_>) -> Result<DType> {
    Ok(match operand {
        Operand::Array(a) => a.dtype(),
        Operand::Scalar(Value::Bool(_)) => DType::Bool,
        Operand::Scalar(Value::Float(_)) => DType::F64,
        Operand::Scalar(Value::Complex(_)) => DType::C128,
        Operand::Scalar(Value::Int(i)) => {
            let holds = |d: &DType| int_range(*d).0 <= *i && *i <= int_range(*d).1;
            match [DType::I64, DType::U64].into_iter().find(holds) {
                Some(dtype) => dtype,
                None => return fail(ErrorKind::Type, format!("no dtype of numbers holds {i}")),
            }
        }
    })
}

fn has_value(operand: &Operand<'_>) -> bool {
    match operand {
        Operand::Array(a) => a.ndim() == 0,
        Operand::Scalar(_) => true,
    }
}

/// Returns true if values count: next to an array whose kind is not below that of any scalar.
pub(crate) fn applies(operands: &[Operand<'_>]) -> Result<bool> {
    let rung = |dtype: DType| match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float | Kind::Complex => 2,
    };
    let (mut scalars, mut arrays) = (None, None);
    for operand in operands {
        let highest = if has_value(operand) { &mut scalars } else { &mut arrays };
        *highest = (*highest).max(Some(rung(own_type(operand)?)));
    }
    Ok(scalars.is_some() && arrays >= scalars)
}

/// Returns the smallest dtype that holds the value, and whether the signed dtype of its size holds it as well.
fn smallest(operand: &Operand<'_>) -> Result<(DType, bool)> {
    let dtype = min_scalar_type(operand)?;
    let value = match operand {
        Operand::Array(a) if dtype.kind() == Kind::Unsigned && a.ndim() == 0 => a.get(&[]).int(),
        Operand::Scalar(Value::Int(i)) => *i,
        _ => return Ok((dtype, false)),
    };
    Ok((dtype, dtype.kind() == Kind::Unsigned && value <= int_range(signed(dtype)).1))
}

fn signed(dtype: DType) -> DType {
    match dtype {
        DType::U8 => DType::I8,
        DType::U16 => DType::I16,
        DType::U32 => DType::I32,
        DType::U64 => DType::I64,
        other => other,
    }
}

/// Returns true if a cast of an operand is allowed, by its value where it is a scalar.
pub(crate) fn can_cast_operand(operand: &Operand<'_>, to: DType, casting: Casting) -> Result<bool> {
    let own = can_cast(own_type(operand)?, to, casting);
    if own || !has_value(operand) {
        return Ok(own);
    }
    let (dtype, is_small) = smallest(operand)?;
    let dtype = if is_small && to.kind() != Kind::Unsigned { signed(dtype) } else { dtype };
    Ok(can_cast(dtype, to, casting))
}

/// Returns the promoted dtype of operands.
pub(crate) fn result_type(operands: &[Operand<'_>]) -> Result<DType> {
    let by_value = applies(operands)?;
    let mut common: Option<(DType, bool)> = None;
    for operand in operands {
        let next = if by_value && has_value(operand) { smallest(operand)? } else { (own_type(operand)?, false) };
        common = Some(common.map_or(next, |found| meet(found, next)));
    }
    match common {
        Some((dtype, _)) => Ok(dtype),
        None => fail(ErrorKind::Value, "at least one array or dtype is required"),
    }
}

/// Promotes two dtypes; a small unsigned value counts as signed next to a signed dtype.
fn meet(a: (DType, bool), b: (DType, bool)) -> (DType, bool) {
    let beside = |(dtype, is_small): (DType, bool), other: DType| {
        let is_signed = !matches!(other.kind(), Kind::Bool | Kind::Unsigned);
        if is_small && is_signed { signed(dtype) } else { dtype }
    };
    (promote_types(beside(a, b.0), beside(b, a.0)), a.1 && b.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::array::NdArray;

    /// The table of NEP 50, in its old column, and values next to limits.
    #[test]
    fn values_decide_beside_arrays_of_their_kind() {
        let array = |dtype, shape: &[usize]| {
            NdArray::from_values(dtype, shape, vec![Value::Int(1); shape.iter().product()]).expect("the shape fits")
        };
        let row = |dtype| array(dtype, &[1]);
        let with = |a: &NdArray, v| result_type(&[Operand::Array(a), Operand::Scalar(v)]).expect("they meet");
        assert_eq!(with(&row(DType::U8), Value::Int(300)), DType::U16);
        assert_eq!(with(&row(DType::U8), Value::Int(-1)), DType::I16);
        assert_eq!(with(&row(DType::I8), Value::Int(127)), DType::I8);
        assert_eq!(with(&row(DType::I8), Value::Int(128)), DType::I16);
        assert_eq!(with(&row(DType::F16), Value::Float(70000.0)), DType::F32);
        assert_eq!(with(&row(DType::F32), Value::Float(1e300)), DType::F64);
        assert_eq!(with(&row(DType::F32), Value::Complex(num_complex::Complex64::i())), DType::C64);
        assert_eq!(with(&row(DType::I8), Value::Float(1.0)), DType::F64);
        // An array without axes is a value too: next to another such array it counts by its dtype.
        assert_eq!(with(&array(DType::U8, &[]), Value::Int(1)), DType::I64);
        let (wide, narrow) = (array(DType::F64, &[]), row(DType::F32));
        assert_eq!(result_type(&[Operand::Array(&narrow), Operand::Array(&wide)]).expect("they meet"), DType::F32);
    }

    #[test]
    fn a_value_casts_where_it_fits() {
        let scalar = |v, to, casting| can_cast_operand(&Operand::Scalar(v), to, casting).expect("a number");
        assert!(scalar(Value::Int(127), DType::I8, Casting::Safe));
        assert!(scalar(Value::Int(255), DType::U8, Casting::Safe));
        assert!(!scalar(Value::Int(128), DType::I8, Casting::Safe));
        assert!(!scalar(Value::Int(300), DType::F32, Casting::No));
        assert!(scalar(Value::Int(300), DType::I8, Casting::Unsafe));
        assert!(own_type(&Operand::Scalar(Value::Int(1 << 64))).is_err());
    }
}
