//! Promotion and casting rules of NumPy 2 (NEP 50), extended by bfloat16.
//!
//! Promotion takes the smallest dtype to which both can be cast safely; the rules of casts are those of
//! [`DType::casts_safely`](cuprum_kernels::DType::casts_safely).

#[cfg(test)]
mod promotion_tests;

use cuprum_kernels::{DType, Kind};

use crate::error::{Error, ErrorKind, Result};
use crate::scalar::{OperandType, Scalar};

/// Casting rule, from the strictest to the loosest; NumPy's `casting`.
///
/// | cast | `Safe` | `SameKind` | `Unsafe` |
/// |---|---|---|---|
/// | int8 to int32, int64 to float64 | yes | yes | yes |
/// | float64 to float32, int64 to int8, uint8 to int8 | no | yes | yes |
/// | int8 to uint8, float64 to int64, complex128 to float64 | no | no | yes |
///
/// Names in lower case with underscores (`same_kind`) are NumPy's strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Casting {
    /// No casts.
    No,
    /// No casts either: every dtype here has the machine's byte order.
    Equiv,
    /// Casts that preserve every value.
    Safe,
    /// Safe casts and casts within a kind, such as float64 to float32.
    #[default]
    SameKind,
    /// All casts.
    Unsafe,
}

/// Returns the smallest dtype to which both can be cast safely; NumPy's `promote_types`.
///
/// bfloat16 has the rank of float16: with integers of up to 8 bits the result is bfloat16, with float16 and 16-bit
/// integers float32, with larger integers float64.
///
/// ```
/// use cuprum::{DType, promote_types};
/// assert_eq!(promote_types(DType::I8, DType::U8), DType::I16);
/// assert_eq!(promote_types(DType::I64, DType::U64), DType::F64);
/// assert_eq!(promote_types(DType::F16, DType::I16), DType::F32);
/// ```
pub fn promote_types(a: DType, b: DType) -> DType {
    use DType::*;
    const CLIMB: [DType; 15] = [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, C64, C128];
    if a == b {
        return a;
    }
    CLIMB.into_iter().find(|&d| can_cast(a, d, Casting::Safe) && can_cast(b, d, Casting::Safe)).unwrap_or(C128)
}

/// Returns whether a cast is allowed by a rule.
pub(crate) fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    match casting {
        Casting::No | Casting::Equiv => from == to,
        Casting::Safe => from.casts_safely(to),
        Casting::SameKind => from.casts_safely(to) || rank(from.kind()) <= rank(to.kind()),
        Casting::Unsafe => true,
    }
}

/// Returns the rank of a kind for `same_kind`; unsigned may become signed, not vice versa.
fn rank(kind: Kind) -> u32 {
    match kind {
        Kind::Bool => 0,
        Kind::Unsigned => 1,
        Kind::Signed => 2,
        Kind::Float => 3,
        Kind::Complex => 4,
    }
}

/// Returns the dtype of a weak scalar combined with arrays of dtype `arrays`, or alone.
pub(crate) fn weak_dtype(scalar: &Scalar, arrays: Option<DType>) -> DType {
    let kind = arrays.map(DType::kind);
    match (scalar, kind) {
        (Scalar::Bool(_), None) => DType::Bool,
        (Scalar::Bool(_), Some(_)) => arrays.unwrap_or(DType::Bool),
        (Scalar::Int(_), None | Some(Kind::Bool)) => DType::I64,
        (Scalar::Int(_), Some(_)) => arrays.unwrap_or(DType::I64),
        (Scalar::Float(_), Some(Kind::Float | Kind::Complex)) => arrays.unwrap_or(DType::F64),
        (Scalar::Float(_), _) => DType::F64,
        (Scalar::Complex(_), Some(Kind::Complex)) => arrays.unwrap_or(DType::C128),
        (Scalar::Complex(_), Some(Kind::Float)) => match arrays {
            Some(DType::F64) => DType::C128,
            _ => DType::C64,
        },
        (Scalar::Complex(_), _) => DType::C128,
    }
}

/// Returns the dtype of an array created from a scalar alone.
pub(crate) fn made_dtype(scalar: &Scalar) -> DType {
    match scalar {
        Scalar::Int(n) if *n > i64::MAX.into() => DType::U64,
        other => weak_dtype(other, None),
    }
}

/// Returns the promoted dtype of operands, dtypes and scalars; NumPy's `result_type`.
///
/// ```
/// use cuprum::{DType, result_type};
/// assert_eq!(result_type(&[DType::F32.into(), 2.5.into()])?, DType::F32);
/// assert_eq!(result_type(&[DType::I8.into(), DType::U8.into(), 1.into()])?, DType::I16);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without operands.
pub fn result_type(operands: &[OperandType]) -> Result<DType> {
    let arrays = highest(operands).map(|high| {
        // Signed and unsigned integers need no common integer dtype if a float takes each of them: the order of the
        // operands does not matter.
        let each = operands.iter().filter_map(OperandType::array).map(|d| promote_types(high, d));
        each.fold(high, promote_types)
    });
    let scalars = operands.iter().filter_map(|o| match o {
        OperandType::Array(_) => None,
        OperandType::Scalar(s) => Some(weak_dtype(s, arrays)),
    });
    arrays
        .into_iter()
        .chain(scalars)
        .reduce(promote_types)
        .ok_or_else(|| Error::new(ErrorKind::Value, "at least one operand is needed").with_op("result_type"))
}

/// Returns the promoted dtype of the arrays of the highest kind.
fn highest(operands: &[OperandType]) -> Option<DType> {
    let rung = |d: &DType| match d.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    };
    let arrays = || operands.iter().filter_map(OperandType::array);
    let top = arrays().map(|d| rung(&d)).max()?;
    arrays().filter(|d| rung(d) == top).reduce(promote_types)
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    #[test]
    fn promotion_follows_numpy_s_table() {
        for (a, b, c) in [
            (I8, U8, I16),
            (I32, U32, I64),
            (I64, U64, F64),
            (I16, F16, F32),
            (I32, F32, F64),
            (I64, F32, F64),
            (U8, F16, F16),
            (U16, F16, F32),
            (C64, F64, C128),
            (C64, I32, C128),
            (C64, I16, C64),
            (Bool, U8, U8),
            (U64, F16, F64),
            (BF16, U8, BF16),
            (BF16, I16, F32),
            (BF16, F16, F32),
            (BF16, I32, F64),
            (BF16, C64, C64),
        ] {
            assert_eq!((promote_types(a, b), promote_types(b, a)), (c, c), "{a} and {b}");
        }
    }

    #[test]
    fn promotion_is_a_least_upper_bound() {
        for a in DType::ALL {
            for b in DType::ALL {
                let c = promote_types(a, b);
                assert!(can_cast(a, c, Casting::Safe) && can_cast(b, c, Casting::Safe), "{a} and {b} give {c}");
                assert_eq!(c, promote_types(b, a));
                assert_eq!(promote_types(c, a), c);
            }
        }
    }

    #[test]
    fn same_kind_casts_go_up_the_kinds() {
        assert!(can_cast(F64, F16, Casting::SameKind));
        assert!(can_cast(U64, I8, Casting::SameKind));
        assert!(!can_cast(I8, U64, Casting::SameKind));
        assert!(!can_cast(F32, I64, Casting::SameKind));
        assert!(!can_cast(I8, Bool, Casting::SameKind));
        assert!(!can_cast(C64, F64, Casting::SameKind));
    }
}
