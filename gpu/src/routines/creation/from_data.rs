//! Array creation from existing data: bytes, strings, iterators, functions and other arrays.
//!
//! The data of [`frombuffer`], [`fromiter`], [`fromstring`](fn@fromstring) and [`fromfunction`] are the host's; they
//! are copied to the current device once. The functions that take an array return it, or a view of it, where it already
//! meets the requirements, and a copy on its device otherwise.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine, unrecorded};
use num_complex::Complex64;

use super::CreationOptions;
use super::grids::indices;
use crate::array::{Array, AsArray, IntoArgument, IntoOptional, IntoShape};
use crate::cuda::Device;
use crate::element::Element;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::routines::{logic, manipulation};
use crate::scalar::Scalar;

/// Converts an array as [`asarray`](fn@crate::asarray) does, since there are no subclasses; NumPy's `asanyarray`.
///
/// The result has the dtype and the order of the options, and is `a` itself where `a` has both.
///
/// The result has the shape of the array.
///
/// ```
/// use cuprum::{DType, array, asanyarray};
/// let a = array([1, 2])?;
/// assert!(asanyarray(&a, ())?.may_share_memory(&a));
/// assert_eq!(asanyarray(&a, DType::F32)?.to_vec::<f32>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`asarray`](fn@crate::asarray).
#[routine(keywords = "a dtype", python(returns_same), no_cases = "an alias of `asarray`")]
pub fn asanyarray(a: &Array, options: CreationOptions) -> Result<Array> {
    manipulation::asarray(a, options)
}

/// Converts an array to a floating-point or complex dtype, or float64 for any other dtype, without a copy if it has it;
/// CuPy's `asfarray`.
///
/// The result has the shape of the array.
///
/// ```
/// use cuprum::{DType, array, asfarray};
/// assert_eq!(asfarray(array([1, 2])?, DType::I32)?.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`asarray`](fn@crate::asarray).
#[routine(dtype = DType::F64)]
pub fn asfarray(a: &Array, dtype: DType) -> Result<Array> {
    let inexact = dtype.is_float() || dtype.is_complex();
    manipulation::asarray(a, CreationOptions::new().dtype(if inexact { dtype } else { DType::F64 }))
}

/// Converts an array as [`asarray`](fn@crate::asarray) does, and rejects infinity and NaN; NumPy's `asarray_chkfinite`.
///
/// The result has the dtype and the order of the options, and is `a` itself where `a` has both.
///
/// The result has the shape of the array.
///
/// ```
/// use cuprum::{array, asarray_chkfinite};
/// assert_eq!(asarray_chkfinite(array([1.0, 2.0])?, ())?.to_vec::<f64>()?, [1.0, 2.0]);
/// assert!(asarray_chkfinite(array([1.0, f64::NAN])?, ()).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an infinity or a NaN, and those of [`asarray`](fn@crate::asarray).
///
/// # Synchronization
///
/// For floats and complex numbers, synchronises to check that all are finite.
#[routine(keywords = "a dtype", python(returns_same))]
pub fn asarray_chkfinite(a: &Array, options: CreationOptions) -> Result<Array> {
    let a = manipulation::asarray(a, options)?;
    let counts = a.dtype().is_float() || a.dtype().is_complex();
    if counts && !logic::all(&logic::isfinite(&a)?, Reduce::all())?.item::<bool>()? {
        return Err(Error::new(ErrorKind::Value, "an element is infinite or NaN: `nan_to_num` replaces those"));
    }
    Ok(a)
}

/// Requirements of [`require`].
///
/// Each has NumPy's one-letter name, by which the call table and Python pass it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Requirement {
    /// Contiguous in C order.
    #[name("C")]
    C,
    /// Contiguous in Fortran order.
    #[name("F")]
    F,
    /// Aligned to the element size, as every array is.
    #[name("A")]
    Aligned,
    /// Writeable: no element is broadcast, and the memory is not read-only.
    #[name("W")]
    Writeable,
    /// The array owns all of its memory, and is not a view of another.
    #[name("O")]
    Owndata,
    /// An array of this type, as every array is.
    #[name("E")]
    EnsureArray,
}

/// Converts an array to a dtype and to given requirements, without a copy if it meets them; NumPy's `require`.
///
/// `dtype` is the dtype of the result, by default that of `a`. The result is `a` itself where it meets all
/// requirements, and a copy otherwise; only C or Fortran order, write access and ownership of the memory can fail to be
/// met.
///
/// ```
/// use cuprum::{Requirement, array, require};
/// let a = array([[1, 2], [3, 4]])?;
/// assert!(require(&a, None, [Requirement::C])?.may_share_memory(&a));
/// assert!(require(&a, None, [Requirement::F])?.is_f_contiguous());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where both orders are required, and those of [`asarray`](fn@crate::asarray).
#[unrecorded("takes names of memory properties, of which NumPy has others")]
pub fn require(
    a: impl AsArray,
    dtype: impl IntoOptional<DType>,
    requirements: impl IntoIterator<Item = Requirement>,
) -> Result<Array> {
    let required: Vec<Requirement> = requirements.into_iter().collect();
    let go = |a: &Array, dtype: Option<DType>| {
        let wants = |r| required.contains(&r);
        let order = match (wants(Requirement::C), wants(Requirement::F)) {
            (true, true) => {
                return Err(Error::new(ErrorKind::Value, "an array cannot be required in the orders C and F at once"));
            }
            (true, false) => Some(Order::C),
            (false, true) => Some(Order::F),
            (false, false) => None,
        };
        let found = manipulation::asarray(a, CreationOptions { dtype, order })?;
        let whole = found.nbytes() == found.buffer().bytes();
        let lacks =
            wants(Requirement::Writeable) && found.check_writable().is_err() || wants(Requirement::Owndata) && !whole;
        if lacks { found.copy(order.unwrap_or(Order::A)) } else { Ok(found) }
    };
    go(a.as_array(), dtype.into_optional()).map_err(|e| e.with_op("require"))
}

/// Options of [`frombuffer`].
///
/// A [`DType`] converts to options that set it alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct FrombufferOptions {
    /// The dtype; by default float64.
    #[from]
    pub dtype: Option<DType>,
    /// The number of elements; by default all.
    pub count: Option<usize>,
    /// The offset of the first byte. By default 0.
    pub offset: usize,
}

/// Interprets host bytes as little-endian elements, and copies them to the device; NumPy's `frombuffer`.
///
/// The result has one axis, of `count` elements or of all that the bytes hold. Unlike NumPy's, it is not a view of the
/// bytes, and writing to it does not change them.
///
/// ```
/// use cuprum::{DType, FrombufferOptions, frombuffer};
/// assert_eq!(frombuffer([1, 0, 2, 0], DType::I16)?.to_vec::<i16>()?, [1, 2]);
/// let second = FrombufferOptions::new().dtype(DType::U8).offset(1).count(2);
/// assert_eq!(frombuffer([7, 8, 9, 10], second)?.to_vec::<u8>()?, [8, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an offset past the end, for fewer bytes than requested, and for a remainder of bytes.
#[unrecorded("reads host bytes")]
pub fn frombuffer(buffer: impl AsRef<[u8]>, options: impl IntoArgument<FrombufferOptions>) -> Result<Array> {
    read(buffer.as_ref(), options.into()).map_err(|e| e.with_op("frombuffer"))
}

fn read(buffer: &[u8], options: FrombufferOptions) -> Result<Array> {
    let (dtype, n) = (options.dtype.unwrap_or(DType::F64), buffer.len());
    let Some(rest) = buffer.get(options.offset..) else {
        let message = format!("the offset {} is beyond the end of {n} bytes", options.offset);
        return Err(Error::new(ErrorKind::Value, message));
    };
    let bytes = match options.count {
        Some(count) => rest.get(..count.saturating_mul(dtype.size())).ok_or_else(|| {
            let message = format!("{count} elements of {dtype} are more than the {} bytes that are there", rest.len());
            Error::new(ErrorKind::Value, message)
        })?,
        None if !rest.len().is_multiple_of(dtype.size()) => {
            let message =
                format!("{} bytes are no whole number of elements of {dtype}: `count` says how many", rest.len());
            return Err(Error::new(ErrorKind::Value, message));
        }
        None => rest,
    };
    make::of_bytes(Device::current()?, bytes, dtype)
}

/// Creates an array from an iterator, of `count` elements or all; NumPy's `fromiter`. The dtype follows from the item
/// type.
///
/// The result has one axis and the dtype of [`Element`]`::DTYPE` of the items; [`Array::astype`](crate::Array::astype)
/// converts to another, which NumPy's parameter `dtype` requests. The iterator is read to its end, or up to `count`,
/// before the copy to the device.
///
/// ```
/// assert_eq!(cuprum::fromiter((0..5).map(|i| i * i), None)?.to_vec::<i32>()?, [0, 1, 4, 9, 16]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the iterator has fewer than `count` elements.
#[unrecorded("reads a host iterator")]
pub fn fromiter<T: Element>(iter: impl IntoIterator<Item = T>, count: impl IntoOptional<usize>) -> Result<Array> {
    let count = count.into_optional();
    let elements: Vec<T> = iter.into_iter().take(count.unwrap_or(usize::MAX)).collect();
    let go = || {
        if let Some(count) = count.filter(|&n| n > elements.len()) {
            let message = format!("{count} elements are expected, the iterator has {}", elements.len());
            return Err(Error::new(ErrorKind::Value, message));
        }
        make::of(Device::current()?, &elements, &[elements.len()])
    };
    go().map_err(|e: Error| e.with_op("fromiter"))
}

/// Calls a function with the index arrays of a shape; NumPy's `fromfunction`. The function is called once, with one
/// array for each axis, of dtype float64 by default, and its result is returned.
///
/// ```
/// use cuprum::{DType, fromfunction};
/// let sums = fromfunction(|at| &at[0] + &at[1], [2, 3], DType::I64)?;
/// assert_eq!(sums.to_vec::<i64>()?, [0, 1, 2, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`indices`].
#[unrecorded("calls a Rust function")]
pub fn fromfunction<T>(
    function: impl FnOnce(&[Array]) -> T,
    shape: impl IntoShape,
    dtype: impl IntoOptional<DType>,
) -> Result<T> {
    let go = || {
        let all = indices(shape, dtype.into_optional().unwrap_or(DType::F64))?;
        (0..all.len() as i64).map(|axis| all.index(s![axis])).collect::<Result<Vec<_>>>()
    };
    let indices = go().map_err(|e: Error| e.with_op("fromfunction"))?;
    Ok(function(&indices))
}

/// Options of [`fromstring`].
///
/// A [`DType`] converts to options that set it alone. NumPy's parameter `sep` is an argument of the function, since
/// binary strings are read by [`frombuffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct FromstringOptions {
    /// The dtype; by default float64.
    #[from]
    pub dtype: Option<DType>,
    /// The number of elements; by default all.
    pub count: Option<usize>,
}

/// Parses the numbers of a string between separators; NumPy's `fromstring`. Whitespace in the separator matches any
/// amount of whitespace, and so do the positions before and after it.
///
/// The result has one axis and the dtype of the options, by default float64.
///
/// ```
/// use cuprum::{DType, fromstring};
/// assert_eq!(fromstring("1.5 2\n3", " ", ())?.to_vec::<f64>()?, [1.5, 2.0, 3.0]);
/// assert_eq!(fromstring("1, 2, 3", ",", DType::I32)?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an empty separator, for text that is neither a number nor the separator, and for fewer
/// numbers than requested.
pub fn fromstring(text: &str, sep: &str, options: impl IntoArgument<FromstringOptions>) -> Result<Array> {
    parse(text, sep, options.into()).map_err(|e| e.with_op("fromstring"))
}

fn parse(text: &str, sep: &str, options: FromstringOptions) -> Result<Array> {
    if sep.is_empty() {
        return Err(Error::new(ErrorKind::Value, "an empty separator would read bytes: `frombuffer` does"));
    }
    let dtype = options.dtype.unwrap_or(DType::F64);
    let (mut bytes, mut found, mut rest) = (vec![], 0, text);
    while options.count.is_none_or(|count| found < count) && !rest.trim_start().is_empty() {
        let unread = || {
            let at = text.len() - rest.len();
            let message = format!("at byte {at} there is {:?}, which is no number of {dtype}", first_word(rest));
            Error::new(ErrorKind::Value, message)
        };
        let start = rest.trim_start();
        let (number, behind) = number(start, dtype).ok_or_else(unread)?;
        bytes.extend(&number.encode(dtype)[..dtype.size()]);
        found += 1;
        rest = behind;
        if rest.trim_start().is_empty() || options.count == Some(found) {
            break;
        }
        let Some(next) = behind_separator(rest, sep) else {
            let at = text.len() - rest.len();
            let message = format!("at byte {at} there is {:?} and not the separator {sep:?}", first_word(rest));
            return Err(Error::new(ErrorKind::Value, message));
        };
        rest = next;
    }
    if let Some(count) = options.count.filter(|&count| count > found) {
        return Err(Error::new(ErrorKind::Value, format!("{count} numbers are expected, the text has {found}")));
    }
    make::of_bytes(Device::current()?, &bytes, dtype)
}

/// Returns the beginning of the text that could not be parsed.
fn first_word(rest: &str) -> &str {
    let rest = rest.trim_start();
    let end = rest.char_indices().find(|(i, c)| c.is_whitespace() || *i > 20).map_or(rest.len(), |(i, _)| i);
    &rest[..end]
}

/// Returns the text after the separator, of which at least something must match.
fn behind_separator<'a>(text: &'a str, sep: &str) -> Option<&'a str> {
    let mut rest = text.trim_start();
    for part in sep.split_whitespace() {
        rest = rest.trim_start().strip_prefix(part)?;
    }
    rest = rest.trim_start();
    (rest.len() < text.len()).then_some(rest)
}

/// Returns the length in bytes of a leading float: sign, digits, decimal point and exponent, or a name of NaN or
/// infinity.
fn float_length(text: &str) -> Option<usize> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let is_named = |name: &str| unsigned.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
    if let Some(name) = ["infinity", "inf", "nan"].into_iter().find(|name| is_named(name)) {
        return Some(sign + name.len());
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let part = unsigned[whole..].strip_prefix('.').map_or(0, |behind| 1 + digits(behind));
    if whole + part.saturating_sub(1) == 0 {
        return None;
    }
    let mut end = whole + part;
    if let Some(behind) = unsigned[end..].strip_prefix(['e', 'E']) {
        let exponent = behind.strip_prefix(['+', '-']).unwrap_or(behind);
        let count = digits(exponent);
        if count > 0 {
            end += 1 + (behind.len() - exponent.len()) + count;
        }
    }
    Some(sign + end)
}

fn float(text: &str) -> Option<(f64, &str)> {
    let (word, rest) = text.split_at(float_length(text)?);
    Some((word.parse().ok()?, rest))
}

/// Parses a leading number, and returns it with the remaining text. Integers saturate at 64 bits and wrap to narrower
/// dtypes.
fn number(text: &str, dtype: DType) -> Option<(Scalar, &str)> {
    if dtype.is_complex() {
        let (first, rest) = float(text)?;
        if let Some(rest) = rest.strip_prefix('j') {
            return Some((Scalar::Complex(Complex64::new(0.0, first)), rest));
        }
        let imaginary = if rest.starts_with(['+', '-']) { float(rest) } else { None };
        if let Some((second, behind)) = imaginary
            && let Some(behind) = behind.strip_prefix('j')
        {
            return Some((Scalar::Complex(Complex64::new(first, second)), behind));
        }
        return Some((Scalar::Complex(first.into()), rest));
    }
    if dtype.is_integer() {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = text.len() - unsigned.len() + unsigned.bytes().take_while(u8::is_ascii_digit).count();
        let (word, rest) = text.split_at(end);
        let (negative, unsigned_too) = (word.starts_with('-'), dtype.kind() == Kind::Unsigned);
        if unsigned_too && negative || end == text.len() - unsigned.len() {
            return None;
        }
        // Digits alone: a number outside 128 bits exceeds both 64-bit bounds.
        let far = if negative { i128::MIN } else { i128::MAX };
        let (low, high) = if unsigned_too { (0, u64::MAX.into()) } else { (i64::MIN.into(), i64::MAX.into()) };
        return Some((Scalar::Int(word.parse().unwrap_or(far).clamp(low, high)), rest));
    }
    let (x, rest) = float(text)?;
    Some((Scalar::Float(x), rest))
}

/// Returns the array in C order, without a copy if it is already; NumPy's `ascontiguousarray`. 0-d arrays become 1-d.
///
/// The result has the shape and the dtype of `a`, or the shape `[1]` for a 0-d array.
///
/// ```
/// use cuprum::{array, ascontiguousarray};
/// let a = array([[1, 2], [3, 4]])?;
/// assert!(ascontiguousarray(&a)?.may_share_memory(&a));
/// assert!(ascontiguousarray(a.t())?.is_c_contiguous());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device, where a copy is needed.
#[routine(python(returns_same))]
pub fn ascontiguousarray(a: &Array) -> Result<Array> {
    let a = if a.ndim() == 0 { a.reshape([1])? } else { a.clone() };
    if a.is_c_contiguous() { Ok(a) } else { a.copy(Order::C).map_err(|e| e.with_op("ascontiguousarray")) }
}

/// Returns the array in Fortran order, without a copy if it is already; NumPy's `asfortranarray`. 0-d arrays become
/// 1-d.
///
/// The result has the shape and the dtype of `a`, or the shape `[1]` for a 0-d array.
///
/// ```
/// use cuprum::{array, asfortranarray};
/// let a = asfortranarray(array([[1, 2], [3, 4]])?)?;
/// assert_eq!((a.strides(), a.to_vec::<i32>()?), ([4, 8].as_slice(), vec![1, 2, 3, 4]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device, where a copy is needed.
#[routine(python(returns_same))]
pub fn asfortranarray(a: &Array) -> Result<Array> {
    let a = if a.ndim() == 0 { a.reshape([1])? } else { a.clone() };
    if a.is_f_contiguous() { Ok(a) } else { a.copy(Order::F).map_err(|e| e.with_op("asfortranarray")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strings that NumPy parses, and strings that it rejects.
    #[test]
    fn texts_are_read_as_numpy_reads_them() {
        let read = |text, sep| fromstring(text, sep, ()).map(|a| a.to_vec::<f64>().unwrap()).map_err(|e| e.kind());
        let three = Ok(vec![1.0, 2.0, 3.0]);
        for (text, sep) in [
            ("1 2 3", " "),
            ("1,2,3", ","),
            (" 1 , 2,3 ", ","),
            ("1,2,3,", ","),
            ("1;  2;3", ";"),
            ("1\n2\t3", " "),
            ("1 ab 2ab3", "ab"),
            ("1 ; 2;3", "; "),
        ] {
            assert_eq!(read(text, sep), three, "{text:?} {sep:?}");
        }
        for (text, sep) in [("1, 2, x", ","), ("1 2 3", ","), ("1,,2", ","), ("1 2", ""), ("0x10 1", " "), ("1_0", " ")]
        {
            assert_eq!(read(text, sep), Err(ErrorKind::Value), "{text:?} {sep:?}");
        }
        assert_eq!(read("", ","), Ok(vec![]));
        let named = read("+5 .5 5. infinity -inf 1e5", " ").unwrap();
        assert_eq!(named, [5.0, 0.5, 5.0, f64::INFINITY, f64::NEG_INFINITY, 1e5]);
        assert!(read("NaN", " ").unwrap()[0].is_nan());
        let two = FromstringOptions::new().count(2);
        assert_eq!(fromstring("1 2 x", " ", two).unwrap().to_vec::<f64>().unwrap(), [1.0, 2.0]);
        assert_eq!(fromstring("1", " ", two).unwrap_err().kind(), ErrorKind::Value);
    }

    #[test]
    fn numbers_of_a_text_are_of_the_dtype() {
        let small = fromstring("300 -1", " ", DType::I8).unwrap();
        assert_eq!(small.to_vec::<i8>().unwrap(), [44, -1]);
        let far = fromstring("99999999999999999999", " ", DType::I64).unwrap();
        assert_eq!(far.to_vec::<i64>().unwrap(), [i64::MAX]);
        assert_eq!(fromstring("-1", " ", DType::U8).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(fromstring("1.5 2", " ", DType::I64).unwrap_err().kind(), ErrorKind::Value);
        let truths = fromstring("1 0 2", " ", DType::Bool).unwrap();
        assert_eq!(truths.to_vec::<bool>().unwrap(), [true, false, true]);
        let complex = fromstring("1+2j 3j 4", " ", DType::C128).unwrap();
        let want = [(1.0, 2.0), (0.0, 3.0), (4.0, 0.0)].map(|(re, im)| Complex64::new(re, im));
        assert_eq!(complex.to_vec::<Complex64>().unwrap(), want);
    }

    /// NumPy's results for ten bytes.
    #[test]
    fn bytes_are_read_from_an_offset_on() {
        let bytes: Vec<u8> = (0..10).collect();
        let of = |options: FrombufferOptions| frombuffer(&bytes, options).map(|a| a.size()).map_err(|e| e.kind());
        let base = FrombufferOptions::new();
        assert_eq!(frombuffer(&bytes, DType::U16).unwrap().to_vec::<u16>().unwrap(), [256, 770, 1284, 1798, 2312]);
        let odd = frombuffer(&bytes, base.dtype(DType::U16).offset(1).count(2)).unwrap();
        assert_eq!(odd.to_vec::<u16>().unwrap(), [513, 1027]);
        assert_eq!(of(base.dtype(DType::U32)), Err(ErrorKind::Value));
        assert_eq!(of(base.dtype(DType::U16).offset(1)), Err(ErrorKind::Value));
        assert_eq!(of(base.dtype(DType::U16).count(9)), Err(ErrorKind::Value));
        assert_eq!(of(base.dtype(DType::U8).offset(11)), Err(ErrorKind::Value));
        assert_eq!(of(base.dtype(DType::U8).offset(10)), Ok(0));
        assert_eq!(of(base), Err(ErrorKind::Value));
        assert_eq!(fromiter(0..5, 3).unwrap().to_vec::<i32>().unwrap(), [0, 1, 2]);
        assert_eq!(fromiter(0..5, 9).unwrap_err().kind(), ErrorKind::Value);
    }
}
