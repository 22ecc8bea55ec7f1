//! Results of an operation: an array, a text or an error, in a common form in which both sides are compared.

use std::fmt;

use cuprum_kernels::DType;
use half::{bf16, f16};
use serde::{Deserialize, Serialize};

/// The kind of an error, named after NumPy's exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `ValueError`: shapes that do not match, values that are not allowed.
    Value,
    /// `TypeError`: a dtype that the operation does not take.
    Type,
    /// `IndexError`.
    Index,
    /// `AxisError`.
    Axis,
    /// `OverflowError`: a scalar that the dtype cannot hold.
    Overflow,
    /// `ZeroDivisionError`.
    ZeroDivision,
    /// `LinAlgError`.
    LinAlg,
    /// Errors without a corresponding NumPy exception: a device fault, a compile error, a panic.
    Broken,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Value => "ValueError",
            Kind::Type => "TypeError",
            Kind::Index => "IndexError",
            Kind::Axis => "AxisError",
            Kind::Overflow => "OverflowError",
            Kind::ZeroDivision => "ZeroDivisionError",
            Kind::LinAlg => "LinAlgError",
            Kind::Broken => "broken",
        })
    }
}

/// The extent to which NumPy's documentation determines an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freedom {
    /// Entirely.
    #[default]
    Exact,
    /// Entirely here; in NumPy except for the sign of a zero.
    OurZero,
    /// Except for the sign of a zero.
    AnyZero,
    /// Entirely here; in NumPy not at all, since it differs from machine to machine.
    Ours,
    /// Not at all: NumPy itself differs from machine to machine.
    Any,
}

/// An array on the host: its elements packed in C order, and the memory layout of the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The element type.
    pub dtype: DType,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// Distances in bytes between consecutive elements along each axis, of the original array.
    pub strides: Vec<i64>,
    /// The elements, little-endian, in C order.
    pub bytes: Vec<u8>,
    /// The extent to which each element is determined; empty if all are entirely.
    pub freedom: Vec<Freedom>,
}

impl Tensor {
    /// Creates a C-contiguous array.
    pub fn packed(dtype: DType, shape: &[usize], bytes: Vec<u8>) -> Tensor {
        let mut strides = vec![0; shape.len()];
        let mut step = dtype.size() as i64;
        for (stride, n) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            // An axis of length 0 counts as 1 in the strides of those before it, as in NumPy.
            step *= (*n).max(1) as i64;
        }
        Tensor { dtype, shape: shape.to_vec(), strides, bytes, freedom: vec![] }
    }

    /// Returns the same array as NumPy determines it: elements that depend on the processor are free.
    pub fn as_numpy(&self) -> Tensor {
        let freedom = |of: &Freedom| match of {
            Freedom::Ours => Freedom::Any,
            Freedom::OurZero => Freedom::AnyZero,
            other => *other,
        };
        Tensor { freedom: self.freedom.iter().map(freedom).collect(), ..self.clone() }
    }

    /// Returns a vector padded with zeros to a length.
    pub fn padded(&self, length: usize) -> Tensor {
        let mut bytes = self.bytes.clone();
        bytes.resize(length * self.dtype.size(), 0);
        Tensor { freedom: self.freedom.clone(), ..Tensor::packed(self.dtype, &[length], bytes) }
    }

    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns element `i` in C order.
    pub fn get(&self, i: usize) -> Number {
        let size = self.dtype.size();
        Number::decode(self.dtype, &self.bytes[i * size..(i + 1) * size])
    }

    /// Formats element `i` in C order, with the digits of its dtype.
    pub fn shown(&self, i: usize) -> String {
        // A narrow float has fewer digits than the float64 that holds it.
        let narrow = !matches!(self.dtype, DType::F64 | DType::C128);
        match self.get(i) {
            Number::Float(x) if narrow => format!("{:?}", x as f32),
            Number::Complex(re, im) if narrow => format!("({:?}, {:?})", re as f32, im as f32),
            number => number.to_string(),
        }
    }

    /// Returns the multi-index of element `i` in C order.
    pub fn index_of(&self, mut i: usize) -> Vec<usize> {
        let mut index = vec![0; self.shape.len()];
        for (at, n) in index.iter_mut().zip(&self.shape).rev() {
            *at = i % n;
            i /= n;
        }
        index
    }
}

/// One element. Every float and complex dtype is represented without rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Booleans and integers.
    Int(i128),
    /// Floats.
    Float(f64),
    /// Complex numbers: real and imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// Decodes an element; `bytes` has the dtype's size.
    pub fn decode(dtype: DType, bytes: &[u8]) -> Number {
        let mut raw = [0u8; 16];
        raw[..bytes.len()].copy_from_slice(bytes);
        let low = u64::from_le_bytes(raw[..8].try_into().expect("eight bytes"));
        let high = u64::from_le_bytes(raw[8..].try_into().expect("eight bytes"));
        match dtype {
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => Number::Int(i128::from(low)),
            DType::I8 => Number::Int(i128::from(low as i8)),
            DType::I16 => Number::Int(i128::from(low as i16)),
            DType::I32 => Number::Int(i128::from(low as i32)),
            DType::I64 => Number::Int(i128::from(low as i64)),
            DType::F16 => Number::Float(f16::from_bits(low as u16).to_f64()),
            DType::BF16 => Number::Float(bf16::from_bits(low as u16).to_f64()),
            DType::F32 => Number::Float(f64::from(f32::from_bits(low as u32))),
            DType::F64 => Number::Float(f64::from_bits(low)),
            DType::C64 => {
                let part = |bits: u64| f64::from(f32::from_bits(bits as u32));
                Number::Complex(part(low), part(low >> 32))
            }
            DType::C128 => Number::Complex(f64::from_bits(low), f64::from_bits(high)),
        }
    }

    /// Encodes an element, rounding to the dtype.
    pub fn encode(self, dtype: DType) -> Vec<u8> {
        let (re, im) = self.parts();
        let int = match self {
            Number::Int(i) => i,
            _ => re as i128,
        };
        match dtype {
            DType::Bool => vec![u8::from(int != 0)],
            d if d.is_integer() => int.to_le_bytes()[..d.size()].to_vec(),
            DType::F16 => f16::from_f64(re).to_le_bytes().to_vec(),
            DType::BF16 => bf16::from_f64(re).to_le_bytes().to_vec(),
            DType::F32 => (re as f32).to_le_bytes().to_vec(),
            DType::C64 => [(re as f32).to_le_bytes(), (im as f32).to_le_bytes()].concat(),
            DType::C128 => [re.to_le_bytes(), im.to_le_bytes()].concat(),
            _ => re.to_le_bytes().to_vec(),
        }
    }

    /// Returns the real and the imaginary part; the latter is 0 except for complex numbers.
    pub fn parts(self) -> (f64, f64) {
        match self {
            Number::Int(i) => (i as f64, 0.0),
            Number::Float(x) => (x, 0.0),
            Number::Complex(re, im) => (re, im),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(i) => write!(f, "{i}"),
            Number::Float(x) => write!(f, "{x:?}"),
            Number::Complex(re, im) => write!(f, "({re:?}, {im:?})"),
        }
    }
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An array.
    Array(Tensor),
    /// Several arrays: the results of a function that has more than one.
    Several(Vec<Tensor>),
    /// A string.
    Text(String),
    /// An error: its kind and its message.
    Rejected(Kind, String),
}

impl Outcome {
    /// Returns the array, or the first of several.
    pub fn first(&self) -> Option<&Tensor> {
        match self {
            Outcome::Array(t) => Some(t),
            Outcome::Several(results) => results.first(),
            _ => None,
        }
    }

    /// Returns a digest of 64 bits: of dtype, shape and bytes, or of the error's kind. Layout and messages do not
    /// count.
    pub fn digest(&self) -> u64 {
        let bytes = |t: &Tensor| [format!("{}{:?}", t.dtype, t.shape).as_bytes(), &t.bytes].concat();
        crate::random::hash(match self {
            Outcome::Array(t) => bytes(t),
            Outcome::Several(results) => results.iter().flat_map(bytes).collect(),
            Outcome::Text(text) => text.as_bytes().to_vec(),
            Outcome::Rejected(kind, _) => format!("rejected: {kind}").into_bytes(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_decode_to_what_was_encoded() {
        for dtype in DType::ALL {
            let value = match dtype {
                d if d.is_complex() => Number::Complex(1.5, -2.0),
                d if d.is_float() => Number::Float(-0.25),
                DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => Number::Int(1),
                _ => Number::Int(-7),
            };
            assert_eq!(Number::decode(dtype, &value.encode(dtype)), value, "{dtype}");
        }
    }

    #[test]
    fn indices_are_of_the_c_order() {
        let tensor = Tensor::packed(DType::U8, &[2, 3], vec![0; 6]);
        assert_eq!((tensor.strides.clone(), tensor.index_of(5)), (vec![3, 1], vec![1, 2]));
    }

    #[test]
    fn digests_see_dtype_shape_and_bytes() {
        let digest = |d, shape: &[usize], b: u8| Outcome::Array(Tensor::packed(d, shape, vec![b; 4])).digest();
        let one = digest(DType::U8, &[4], 1);
        assert_eq!(one, digest(DType::U8, &[4], 1));
        for other in [digest(DType::I8, &[4], 1), digest(DType::U8, &[2, 2], 1), digest(DType::U8, &[4], 2)] {
            assert_ne!(one, other);
        }
    }
}
