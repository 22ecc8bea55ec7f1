//! Type tests and classes of dtypes.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::unrecorded;

use crate::array::{IntoArgument, IntoOptional};
use crate::dtype::{self, Casting};
use crate::error::{Error, ErrorKind, Result};

/// Returns whether a cast is allowed; NumPy's `can_cast` of dtypes. The rule is [`Casting::Safe`] by default.
///
/// ```
/// use cuprum::{Casting, DType, can_cast};
/// assert!(can_cast(DType::I32, DType::F64, Casting::Safe));
/// assert!(!can_cast(DType::I64, DType::I32, ()));
/// assert!(can_cast(DType::I64, DType::I32, Casting::SameKind));
/// ```
pub fn can_cast(from: DType, to: DType, casting: impl IntoOptional<Casting>) -> bool {
    dtype::can_cast(from, to, casting.into_optional().unwrap_or(Casting::Safe))
}

/// Class of dtypes in NumPy's hierarchy, or a single dtype.
///
/// A [`DType`] converts to [`DTypeClass::Exactly`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DTypeClass {
    /// All dtypes; NumPy's `generic`.
    Generic,
    /// Booleans.
    Bool,
    /// All dtypes but booleans; NumPy's `number`, and `numeric` of `isdtype`.
    Number,
    /// Integers; `integral` of `isdtype`.
    Integer,
    /// Signed integers.
    SignedInteger,
    /// Unsigned integers.
    UnsignedInteger,
    /// Floats and complex numbers.
    Inexact,
    /// Floats; `real floating` of `isdtype`.
    Floating,
    /// Complex numbers.
    ComplexFloating,
    /// This dtype alone.
    Exactly(DType),
}

impl From<DType> for DTypeClass {
    fn from(dtype: DType) -> DTypeClass {
        DTypeClass::Exactly(dtype)
    }
}

/// Returns whether a dtype belongs to a class; NumPy's `issubdtype`.
///
/// ```
/// use cuprum::{DType, DTypeClass, issubdtype};
/// assert!(issubdtype(DType::F32, DTypeClass::Floating));
/// assert!(!issubdtype(DType::Bool, DTypeClass::Number));
/// assert!(!issubdtype(DType::F32, DType::F64));
/// ```
#[unrecorded("takes Rust dtypes")]
pub fn issubdtype(dtype: DType, class: impl IntoArgument<DTypeClass>) -> bool {
    let kind = dtype.kind();
    match class.into() {
        DTypeClass::Generic => true,
        DTypeClass::Bool => kind == Kind::Bool,
        DTypeClass::Number => kind != Kind::Bool,
        DTypeClass::Integer => matches!(kind, Kind::Signed | Kind::Unsigned),
        DTypeClass::SignedInteger => kind == Kind::Signed,
        DTypeClass::UnsignedInteger => kind == Kind::Unsigned,
        DTypeClass::Inexact => matches!(kind, Kind::Float | Kind::Complex),
        DTypeClass::Floating => kind == Kind::Float,
        DTypeClass::ComplexFloating => kind == Kind::Complex,
        DTypeClass::Exactly(other) => dtype == other,
    }
}

/// Returns whether a dtype belongs to one of several classes; NumPy's `isdtype`.
///
/// ```
/// use cuprum::{DType, DTypeClass, isdtype};
/// assert!(isdtype(DType::U8, [DTypeClass::Bool, DTypeClass::Integer]));
/// assert!(!isdtype(DType::U8, [DType::I8, DType::F16]));
/// ```
#[unrecorded("takes Rust dtypes")]
pub fn isdtype(dtype: DType, kinds: impl IntoIterator<Item = impl Into<DTypeClass>>) -> bool {
    kinds.into_iter().any(|class| issubdtype(dtype, class))
}

/// Returns the type character of the smallest dtype among those of `typeset` to which all of `typechars` can be cast;
/// NumPy's `mintypecode`. The set is `GDFgdf` by default, and `default`, the result if none of the characters is in the
/// set, is `d`.
///
/// ```
/// assert_eq!(cuprum::mintypecode("fd", (), ()), 'd');
/// assert_eq!(cuprum::mintypecode("dF", "GDFgdf", 'd'), 'D');
/// assert_eq!(cuprum::mintypecode("i", "GDFgdf", 'd'), 'd');
/// ```
pub fn mintypecode<'a>(typechars: &str, typeset: impl IntoOptional<&'a str>, default: impl IntoOptional<char>) -> char {
    let typeset = typeset.into_optional().unwrap_or("GDFgdf");
    // From the widest to the narrowest, in NumPy's order.
    const BY_SIZE: &str = "GDFgdfQqLlIiHhBb?e";
    let both = |c: &char| typechars.contains(*c) && typeset.contains(*c);
    if both(&'F') && both(&'d') {
        return 'D';
    }
    BY_SIZE.chars().find(both).unwrap_or_else(|| default.into_optional().unwrap_or('d'))
}

/// Returns the description of a type character; NumPy's `typename`.
///
/// ```
/// assert_eq!(cuprum::typename('D')?, "complex double precision");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for another character.
pub fn typename(char: char) -> Result<&'static str> {
    Ok(match char {
        '?' => "bool",
        'b' => "signed char",
        'B' => "unsigned char",
        'h' => "short",
        'H' => "unsigned short",
        'i' => "integer",
        'I' => "unsigned integer",
        'l' => "long integer",
        'L' => "unsigned long integer",
        'q' => "long long integer",
        'Q' => "unsigned long long integer",
        'f' => "single precision",
        'd' => "double precision",
        'F' => "complex single precision",
        'D' => "complex double precision",
        _ => {
            let message = format!("no dtype has the type character {char:?}: there are ?bBhHiIlLqQfdFD");
            return Err(Error::new(ErrorKind::Value, message).with_op("typename"));
        }
    })
}
