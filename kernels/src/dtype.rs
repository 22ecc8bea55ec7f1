//! The element types of arrays.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// Kind of a [`DType`], in the order of promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Booleans.
    Bool,
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
    /// Binary floating point, bfloat16 included.
    Float,
    /// Pairs of floats.
    Complex,
}

/// The type of an array's elements.
///
/// The names and the type characters are NumPy's; `bfloat16` has the character `E`.
///
/// ```
/// use cuprum_kernels::DType;
/// assert_eq!(DType::F32.name(), "float32");
/// assert_eq!(DType::F32.size(), 4);
/// assert_eq!("complex64".parse(), Ok(DType::C64));
/// assert_eq!("f4".parse(), Ok(DType::F32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DType {
    /// `bool`, one byte, 0 or 1.
    Bool,
    /// `int8`.
    I8,
    /// `uint8`.
    U8,
    /// `int16`.
    I16,
    /// `uint16`.
    U16,
    /// `int32`.
    I32,
    /// `uint32`.
    U32,
    /// `int64`.
    I64,
    /// `uint64`.
    U64,
    /// `float16`, IEEE 754 binary16.
    F16,
    /// `bfloat16`: the upper half of a binary32.
    BF16,
    /// `float32`.
    F32,
    /// `float64`.
    F64,
    /// `complex64`: two `float32`, real part first.
    C64,
    /// `complex128`: two `float64`, real part first.
    C128,
}

struct Properties {
    name: &'static str,
    char: char,
    size: u8,
    kind: Kind,
    device: &'static str,
}

const fn row(name: &'static str, char: char, size: u8, kind: Kind, device: &'static str) -> Properties {
    Properties { name, char, size, kind, device }
}

/// One row a dtype, in the order of the enum.
const TABLE: [Properties; 15] = [
    row("bool", '?', 1, Kind::Bool, "bool"),
    row("int8", 'b', 1, Kind::Signed, "i8"),
    row("uint8", 'B', 1, Kind::Unsigned, "u8"),
    row("int16", 'h', 2, Kind::Signed, "i16"),
    row("uint16", 'H', 2, Kind::Unsigned, "u16"),
    row("int32", 'i', 4, Kind::Signed, "i32"),
    row("uint32", 'I', 4, Kind::Unsigned, "u32"),
    row("int64", 'l', 8, Kind::Signed, "i64"),
    row("uint64", 'L', 8, Kind::Unsigned, "u64"),
    row("float16", 'e', 2, Kind::Float, "f16"),
    row("bfloat16", 'E', 2, Kind::Float, "bf16"),
    row("float32", 'f', 4, Kind::Float, "f32"),
    row("float64", 'd', 8, Kind::Float, "f64"),
    row("complex64", 'F', 8, Kind::Complex, "c64"),
    row("complex128", 'D', 16, Kind::Complex, "c128"),
];

impl DType {
    /// Every dtype, in the order of the enum.
    pub const ALL: [DType; 15] = {
        use DType::*;
        [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, C64, C128]
    };

    /// Returns NumPy's name: `float32`.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].name
    }

    /// Returns NumPy's type character: `f`; `E` for bfloat16.
    pub const fn char(self) -> char {
        TABLE[self as usize].char
    }

    /// Returns the size of an element in bytes.
    pub const fn size(self) -> usize {
        TABLE[self as usize].size as usize
    }

    /// Returns the kind of number.
    pub const fn kind(self) -> Kind {
        TABLE[self as usize].kind
    }

    /// Returns the type's name in device code: `f32`, `c128`.
    pub const fn device_name(self) -> &'static str {
        TABLE[self as usize].device
    }

    /// Returns true if this is one of the eight integer types (bool is none).
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Returns true if this is a floating-point type, bfloat16 included.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Returns true if this is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// Returns the number of bits for exact integers: for an integer dtype its width (without the sign bit), for a float
    /// its significand.
    const fn exact_bits(self) -> u32 {
        match self {
            DType::Bool => 1,
            DType::I8 => 7,
            DType::U8 | DType::BF16 => 8,
            DType::F16 => 11,
            DType::I16 => 15,
            DType::U16 => 16,
            DType::F32 | DType::C64 => 24,
            DType::I32 => 31,
            DType::U32 => 32,
            DType::F64 | DType::C128 => 53,
            DType::I64 => 63,
            DType::U64 => 64,
        }
    }

    /// Returns true if a cast preserves every value by NumPy's `safe` rule, extended by bfloat16.
    ///
    /// NumPy considers the cast of 64-bit integers to float64 safe, and of 32-bit ones to float32 not.
    ///
    /// ```
    /// use cuprum_kernels::DType;
    /// assert!(DType::I16.casts_safely(DType::F32) && DType::I64.casts_safely(DType::F64));
    /// assert!(!DType::I32.casts_safely(DType::F32) && !DType::F16.casts_safely(DType::BF16));
    /// ```
    pub fn casts_safely(self, to: DType) -> bool {
        use Kind::{Bool, Complex, Float, Signed, Unsigned};
        let (have, need) = (to.exact_bits(), self.exact_bits());
        match (self.kind(), to.kind()) {
            _ if self == to => true,
            (Bool, _) => true,
            (_, Bool) => false,
            (Unsigned, Unsigned | Signed) | (Signed, Signed) => need <= have,
            (Signed, Unsigned) => false,
            (Unsigned | Signed, Float | Complex) => need <= have || matches!(to, DType::F64 | DType::C128),
            (Float, Float | Complex) => match (self, to) {
                (DType::BF16, DType::F16) | (DType::F16, DType::BF16) => false,
                _ => need <= have,
            },
            (Complex, Complex) => need <= have,
            (Float, Unsigned | Signed) | (Complex, _) => false,
        }
    }

    /// Returns the dtype with this type character; `q` and `Q` are `int64` and `uint64` too.
    pub fn from_char(char: char) -> Option<DType> {
        match char {
            'q' => Some(DType::I64),
            'Q' => Some(DType::U64),
            _ => DType::ALL.into_iter().find(|d| d.char() == char),
        }
    }

    /// Returns the dtype of the real and the imaginary part: `float32` for `complex64`, itself for any other.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn unknown(name: &str) -> Error {
    let message = format!(
        "no dtype is called {name:?}: they are float32 or f4, int64 or i8, bool, complex64 or c8, and their like"
    );
    Error::new(ErrorKind::Type, message)
}

impl FromStr for DType {
    type Err = Error;

    /// Parses NumPy's name (`float32`), its character (`f`), its kind and size (`f4`), Python's name of the type
    /// (`float`), and Rust's (`f32`). `i8` and `u8` are Rust's, of one byte; prefixed with the byte order, `<i8` and
    /// `|u8`, they are NumPy's, of eight. The byte order `>`, which is not the device's, is an error.
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let unknown = || unknown(s);
        let ordered = s.strip_prefix(['<', '=', '|']);
        let text = ordered.unwrap_or(s);
        let named = |d: &DType| d.name() == text || ordered.is_none() && d.device_name() == text;
        if let Some(named) = DType::ALL.into_iter().find(named) {
            return Ok(named);
        }
        match text {
            "int" => return Ok(DType::I64),
            "uint" => return Ok(DType::U64),
            "float" | "double" => return Ok(DType::F64),
            "complex" => return Ok(DType::C128),
            _ => {}
        }
        let mut chars = text.chars();
        let first = chars.next().ok_or_else(unknown)?;
        if chars.as_str().is_empty() {
            return DType::from_char(first).ok_or_else(unknown);
        }
        let kind = match first {
            'b' => Kind::Bool,
            'u' => Kind::Unsigned,
            'i' => Kind::Signed,
            'f' => Kind::Float,
            'c' => Kind::Complex,
            _ => return Err(unknown()),
        };
        let bytes: usize = chars.as_str().parse().map_err(|_| unknown())?;
        let fits = |d: &DType| d.kind() == kind && d.size() == bytes && *d != DType::BF16;
        DType::ALL.into_iter().find(fits).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_the_order_of_the_enum() {
        for (i, d) in DType::ALL.into_iter().enumerate() {
            assert_eq!(d as usize, i);
            assert_eq!(d.name().parse(), Ok(d));
            assert_eq!(DType::from_char(d.char()), Some(d));
        }
        assert_eq!(DType::C64.real(), DType::F32);
    }

    #[test]
    fn every_name_of_numpy_is_read() {
        let known =
            [("f4", DType::F32), ("<f8", DType::F64), ("|u1", DType::U8), ("=i2", DType::I16), ("b1", DType::Bool)];
        let more = [
            ("i8", DType::I8),
            ("<i8", DType::I64),
            ("double", DType::F64),
            ("c8", DType::C64),
            ("d", DType::F64),
            ("?", DType::Bool),
            ("float", DType::F64),
            ("f16", DType::F16),
        ];
        for (name, dtype) in known.into_iter().chain(more) {
            assert_eq!(name.parse(), Ok(dtype), "{name}");
        }
        for name in ["", ">f4", "f5", "float8", "x", "i", "c32"] {
            let read = name.parse::<DType>();
            assert_eq!(read.is_ok(), name == "i", "{name}: {read:?}");
        }
    }
}
