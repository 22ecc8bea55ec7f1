//! Serialisation of arrays with serde: dtype, shape, and elements in C order.
//!
//! Human-readable formats (JSON) contain the elements as numbers, complex ones as pairs, and NaN and infinities as
//! strings; other formats contain their bytes, as stored on the device.

use std::fmt;

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;
use serde::de::{SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::array::Array;
use crate::scalar::Scalar;

/// Serialises as `{"dtype": "float64", "shape": [2], "data": [1.5, "nan"]}`, or with the bytes of the elements in
/// formats that are not human-readable.
///
/// # Synchronization
///
/// Synchronises with the current stream.
impl Serialize for Array {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes = self.to_bytes().map_err(S::Error::custom)?;
        let readable = to.is_human_readable();
        let mut parts = to.serialize_struct("Array", 3)?;
        parts.serialize_field("dtype", self.dtype().name())?;
        parts.serialize_field("shape", self.shape())?;
        match readable {
            true => parts.serialize_field("data", &Numbers(&bytes, self.dtype()))?,
            false => parts.serialize_field("data", &Bytes(bytes))?,
        }
        parts.end()
    }
}

/// Elements serialised as numbers.
struct Numbers<'a>(&'a [u8], DType);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let elements = self.0.chunks_exact(self.1.size());
        let mut list = to.serialize_seq(Some(elements.len()))?;
        for element in elements {
            match Scalar::decode(element, self.1) {
                Scalar::Bool(b) => list.serialize_element(&b)?,
                Scalar::Int(n) => match u64::try_from(n) {
                    Ok(n) => list.serialize_element(&n)?,
                    Err(_) => list.serialize_element(&(n as i64))?,
                },
                Scalar::Float(x) => list.serialize_element(&Real(x))?,
                Scalar::Complex(z) => list.serialize_element(&[Real(z.re), Real(z.im)])?,
            }
        }
        list.end()
    }
}

/// A real number, which may be NaN or infinite.
struct Real(f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_nan() => to.serialize_str("nan"),
            f64::INFINITY => to.serialize_str("inf"),
            f64::NEG_INFINITY => to.serialize_str("-inf"),
            x => to.serialize_f64(x),
        }
    }
}

struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of elements")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        from.deserialize_byte_buf(Read)
    }
}

/// An element of a human-readable format.
#[derive(Deserialize)]
#[serde(untagged)]
enum Element {
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Real(Part),
    Complex([Part; 2]),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Number(f64),
    Name(String),
}

impl Part {
    fn read(self) -> Result<f64, String> {
        match self {
            Part::Number(x) => Ok(x),
            Part::Name(name) => match name.as_str() {
                "nan" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(format!("{name:?} is no number")),
            },
        }
    }
}

impl Element {
    /// Converts to a scalar of the dtype's kind.
    fn read(self, dtype: DType) -> Result<Scalar, String> {
        let scalar = match self {
            Element::Bool(b) => Scalar::Bool(b),
            Element::Unsigned(n) => Scalar::Int(n.into()),
            Element::Signed(n) => Scalar::Int(n.into()),
            Element::Real(part) => Scalar::Float(part.read()?),
            Element::Complex([re, im]) => Scalar::Complex(Complex64::new(re.read()?, im.read()?)),
        };
        let fits = match (&scalar, dtype.kind()) {
            (Scalar::Bool(_), kind) => kind == Kind::Bool,
            (Scalar::Int(_), kind) => kind != Kind::Bool,
            (Scalar::Float(_), kind) => kind == Kind::Float,
            (Scalar::Complex(_), kind) => kind == Kind::Complex,
        };
        if !fits {
            return Err(format!("{scalar} is no element of {dtype}"));
        }
        scalar.check_fits(dtype).map_err(|e| e.to_string())?;
        Ok(scalar)
    }
}

#[derive(Deserialize)]
struct Parts<T> {
    dtype: String,
    shape: Vec<usize>,
    data: T,
}

impl<T> Parts<T> {
    fn build<E: serde::de::Error>(self, bytes: impl FnOnce(T, DType) -> Result<Vec<u8>, String>) -> Result<Array, E> {
        let dtype: DType = self.dtype.parse().map_err(E::custom)?;
        let bytes = bytes(self.data, dtype).map_err(E::custom)?;
        Array::from_bytes(&bytes, self.shape, dtype).map_err(E::custom)
    }
}

/// Deserialises to an array on the current device.
impl<'de> Deserialize<'de> for Array {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Array, D::Error> {
        if !from.is_human_readable() {
            return Parts::<Bytes>::deserialize(from)?.build(|bytes, _| Ok(bytes.0));
        }
        Parts::<Vec<Element>>::deserialize(from)?.build(|elements, dtype| {
            let mut bytes = Vec::with_capacity(elements.len() * dtype.size());
            for element in elements {
                bytes.extend_from_slice(&element.read(dtype)?.encode(dtype)[..dtype.size()]);
            }
            Ok(bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType, array, s};
    use num_complex::Complex32;

    #[track_caller]
    fn through(a: &Array) -> Array {
        serde_json::from_str(&serde_json::to_string(a).unwrap()).unwrap()
    }

    #[test]
    fn every_dtype_comes_back() {
        for dtype in DType::ALL {
            let a =
                crate::arange(0, 6, 1).unwrap().remainder(2).unwrap().reshape([2, 3]).unwrap().astype(dtype).unwrap();
            let back = through(&a.part(s![.., ..;-1]));
            assert_eq!((back.dtype(), back.shape()), (dtype, &[2, 3][..]));
            assert!(crate::array_equal(&back, a.part(s![.., ..;-1]), ()).unwrap(), "{dtype}");
        }
    }

    #[test]
    fn what_is_no_number_has_a_name() {
        let a = array([1.5f32, f32::NAN, f32::NEG_INFINITY]).unwrap();
        let text = serde_json::to_string(&a).unwrap();
        assert_eq!(text, r#"{"dtype":"float32","shape":[3],"data":[1.5,"nan","-inf"]}"#);
        let back = through(&a).to_vec::<f32>().unwrap();
        assert!(back[0] == 1.5 && back[1].is_nan() && back[2] == f32::NEG_INFINITY);
        let z = array([Complex32::new(1.0, -2.0)]).unwrap();
        assert_eq!(serde_json::to_string(&z).unwrap(), r#"{"dtype":"complex64","shape":[1],"data":[[1.0,-2.0]]}"#);
        assert_eq!(through(&z).item::<Complex32>().unwrap(), Complex32::new(1.0, -2.0));
        let wide = array([u64::MAX, 1 << 53]).unwrap();
        assert_eq!(through(&wide).to_vec::<u64>().unwrap(), [u64::MAX, 1 << 53]);
    }

    #[test]
    fn what_does_not_fit_is_rejected() {
        for text in [
            r#"{"dtype":"float33","shape":[1],"data":[1.0]}"#,
            r#"{"dtype":"uint8","shape":[1],"data":[300]}"#,
            r#"{"dtype":"int8","shape":[1],"data":[0.5]}"#,
            r#"{"dtype":"float64","shape":[2],"data":[0.5]}"#,
            r#"{"dtype":"float64","shape":[1],"data":["one"]}"#,
        ] {
            assert!(serde_json::from_str::<Array>(text).is_err(), "{text}");
        }
    }
}
