//! Type promotion and casting rules.

use cuprum_kernels::{DType, Kind};

use crate::core::array::Operand;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;
use crate::core::value_promotion;
use crate::core::version::{self, Change};

/// Casting rules: NumPy's `casting`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Casting {
    /// Only the same dtype.
    No,
    /// The same dtype in another byte order: here the same as `No`.
    Equiv,
    /// Only casts that preserve every value (int64 to float64 counts as such).
    Safe,
    /// Safe casts, and those within a kind: the default of elementwise functions.
    #[default]
    SameKind,
    /// Every cast.
    Unsafe,
}

/// Returns true if `from` can be cast to `to` safely.
fn is_safe(from: DType, to: DType) -> bool {
    use DType::*;
    if from == to {
        return true;
    }
    match (from.kind(), to.kind()) {
        (Kind::Bool, _) => true,
        (_, Kind::Bool) => false,
        (Kind::Unsigned, Kind::Unsigned) | (Kind::Signed, Kind::Signed) => from.size() < to.size(),
        (Kind::Unsigned, Kind::Signed) => from.size() < to.size(),
        (Kind::Signed, Kind::Unsigned) => false,
        // A float must be wider than the integer, up to float64, which takes all; bfloat16 takes 8 bits.
        (Kind::Unsigned | Kind::Signed, Kind::Float | Kind::Complex) => match to.real() {
            F16 | BF16 => from.size() == 1,
            F32 => from.size() <= 2,
            _ => true,
        },
        (Kind::Float, Kind::Float) | (Kind::Float, Kind::Complex) => {
            from.size() < to.real().size() || from == to.real()
        }
        (Kind::Complex, Kind::Complex) => from.size() < to.size(),
        (Kind::Float | Kind::Complex, _) => false,
    }
}

/// Returns the rank of a kind for same-kind casts: a cast may go up, and stay within.
fn rung(dtype: DType) -> u8 {
    match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned => 1,
        Kind::Signed => 2,
        Kind::Float => 3,
        Kind::Complex => 4,
    }
}

/// Returns true if `casting` allows a cast.
pub fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    match casting {
        Casting::No | Casting::Equiv => from == to,
        Casting::Safe => is_safe(from, to),
        Casting::SameKind => is_safe(from, to) || rung(from) <= rung(to),
        Casting::Unsafe => true,
    }
}

/// Returns the smallest dtype to which both can be cast safely, as NumPy's `promote_types`.
pub fn promote_types(a: DType, b: DType) -> DType {
    use DType::*;
    // In increasing order, so that the first that takes both is the result. `BF16` comes after `F16`: a pair that both
    // take (bool and 8-bit integers with a 16-bit float) contains one of the two, which decides.
    const CLIMB: [DType; 15] = [Bool, U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64, C64, C128];
    CLIMB.into_iter().find(|d| is_safe(a, *d) && is_safe(b, *d)).unwrap_or(C128)
}

/// Returns the kind of a weak scalar.
fn weak_kind(v: &Value) -> u8 {
    match v {
        Value::Bool(_) => 0,
        Value::Int(_) => 1,
        Value::Float(_) => 2,
        Value::Complex(_) => 3,
    }
}

/// Returns the default dtype of a weak scalar of this kind.
fn weak_default(kind: u8) -> DType {
    [DType::Bool, DType::I64, DType::F64, DType::C128][kind as usize]
}

/// Promotes a strong dtype with weak scalars of a kind: only the kind may rise.
fn with_weak(strong: DType, kind: u8) -> DType {
    let own = category(strong);
    match (own, kind) {
        _ if kind <= own => strong,
        (2, _) if strong == DType::F64 => DType::C128,
        (2, _) => DType::C64,
        _ => weak_default(kind),
    }
}

/// Returns the dtype of a weak scalar where `dtype` is requested: that one, unless the scalar's kind is higher.
pub(crate) fn weak_as(v: &Value, dtype: DType) -> DType {
    with_weak(dtype, weak_kind(v))
}

/// Promotes the dtypes of several arrays. NumPy promotes those of the highest kind first, and every other one with the
/// result: `int8` and `uint16` are promoted to `int32`, but with a `float32` the result is `float32`.
fn together(mut dtypes: Vec<DType>) -> Option<DType> {
    dtypes.sort_by_key(|d| std::cmp::Reverse(category(*d)));
    let first = *dtypes.first()?;
    let same = dtypes.iter().take_while(|d| category(**d) == category(first));
    let main = same.fold(first, |a, b| promote_types(a, *b));
    Some(dtypes.iter().fold(main, |all, d| promote_types(all, promote_types(main, *d))))
}

/// Returns the category of a dtype: bool, integer, float, complex.
fn category(dtype: DType) -> u8 {
    match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    }
}

/// Returns the promoted dtype of arrays and weak scalars, as NumPy 2's `result_type`.
///
/// # Errors
///
/// `ValueError` for no operands.
pub fn result_type(operands: &[Operand<'_>]) -> Result<DType> {
    if !version::has(Change::Promotion) {
        return value_promotion::result_type(operands);
    }
    let (mut arrays, mut weak) = (vec![], None);
    for operand in operands {
        match operand {
            Operand::Array(a) => arrays.push(a.dtype()),
            Operand::Scalar(v) => weak = weak.max(Some(weak_kind(v))),
        }
    }
    let strong = together(arrays);
    match (strong, weak) {
        (Some(d), None) => Ok(d),
        (Some(d), Some(k)) => Ok(with_weak(d, k)),
        (None, Some(k)) => Ok(weak_default(k)),
        (None, None) => fail(ErrorKind::Value, "at least one array or dtype is required"),
    }
}
