//! The functions of instructions: pure functions of bits, applied to the lanes of a warp.
//!
//! A register is a `u64` for each lane. Its contents are zero-extended: 16-bit types use the low 16 bits, predicates
//! are 0 or 1.

pub(crate) mod carry;
pub(crate) mod cvt;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod int;
pub(crate) mod nan;
pub(crate) mod round;
pub(crate) mod tensor;
pub(crate) mod undefined;
pub(crate) mod video;

pub(crate) use nan::{of_f32, of_f64};

/// One register of a warp: a value for each lane.
pub(crate) type Lanes = [u64; 32];

/// An instruction of one, two or three operands, over the lanes of a mask.
pub(crate) type Map1 = fn(&mut Lanes, &Lanes, u32);
pub(crate) type Map2 = fn(&mut Lanes, &Lanes, &Lanes, u32);
pub(crate) type Map3 = fn(&mut Lanes, &Lanes, &Lanes, &Lanes, u32);

/// Applies a function of bits to lanes. For a full warp it is a plain loop that the compiler can vectorise.
macro_rules! lanes {
    (@run $mask:ident, $l:ident, $body:expr) => {
        if $mask == u32::MAX {
            for $l in 0..32 {
                $body;
            }
        } else {
            let mut rest = $mask;
            while rest != 0 {
                let $l = rest.trailing_zeros() as usize;
                $body;
                rest &= rest - 1;
            }
        }
    };
    (|$a:ident| $e:expr) => {{
        fn run(d: &mut $crate::ops::Lanes, a: &$crate::ops::Lanes, mask: u32) {
            $crate::ops::lanes!(@run mask, l, { let $a: u64 = a[l]; d[l] = $e });
        }
        run as $crate::ops::Map1
    }};
    (|$a:ident, $b:ident| $e:expr) => {{
        fn run(d: &mut $crate::ops::Lanes, a: &$crate::ops::Lanes, b: &$crate::ops::Lanes, mask: u32) {
            $crate::ops::lanes!(@run mask, l, { let ($a, $b): (u64, u64) = (a[l], b[l]); d[l] = $e });
        }
        run as $crate::ops::Map2
    }};
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {{
        fn run(
            d: &mut $crate::ops::Lanes,
            a: &$crate::ops::Lanes,
            b: &$crate::ops::Lanes,
            c: &$crate::ops::Lanes,
            mask: u32,
        ) {
            $crate::ops::lanes!(@run mask, l, {
                let ($a, $b, $c): (u64, u64, u64) = (a[l], b[l], c[l]);
                d[l] = $e
            });
        }
        run as $crate::ops::Map3
    }};
}
pub(crate) use lanes;

/// The type in an opcode's suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

impl Type {
    pub(crate) fn parse(word: &str) -> Option<Type> {
        use Type::*;
        Some(match word {
            "pred" => Pred,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "f16" => F16,
            "f16x2" => F16x2,
            "bf16" => Bf16,
            "bf16x2" => Bf16x2,
            "f32" => F32,
            "f64" => F64,
            _ => return None,
        })
    }

    pub(crate) fn bytes(self) -> usize {
        use Type::*;
        match self {
            Pred | B8 | U8 | S8 => 1,
            B16 | U16 | S16 | F16 | Bf16 => 2,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 => 4,
            B64 | U64 | S64 | F64 => 8,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Returns the mask of the bits that a value of the type uses.
    pub(crate) fn mask(self) -> u64 {
        if self == Type::Pred { 1 } else { u64::MAX >> (64 - 8 * self.bytes()) }
    }
}

/// The rounding of a float instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

pub(crate) fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(crate) fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}
