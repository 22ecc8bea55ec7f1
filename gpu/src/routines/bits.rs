//! Bitwise operations, packing of bits, and integers as strings.
//!
//! Bitwise functions are ufuncs of integers and booleans. Packing reads eight elements for each byte that it writes, in
//! one pass.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use crate::array::{Array, IntoOptional};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, normalize_axis};
use crate::ufunc::{binary, unary};

binary! {
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    left_shift,
    bitwise_left_shift,
    right_shift,
    bitwise_right_shift,
}

unary! {
    invert,
    bitwise_not,
    bitwise_invert,
    bitwise_count,
}

/// Bit order of packed bytes; NumPy's `bitorder`.
///
/// NumPy spells them `"big"` and `"little"`; `Big` is the default.
///
/// ```
/// use cuprum::{BitOrder, PackBitsOptions, array, packbits};
/// let bits = array([1_u8, 0, 0, 0, 0, 0, 0, 0])?;
/// assert_eq!(packbits(&bits, ())?.to_vec::<u8>()?, [128]);
/// assert_eq!(packbits(&bits, PackBitsOptions::new().bitorder(BitOrder::Little))?.to_vec::<u8>()?, [1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum BitOrder {
    /// The last of eight elements is the lowest bit.
    #[default]
    Big,
    /// The first of eight elements is the lowest bit.
    Little,
}

/// Options of [`packbits`].
///
/// An integer converts to options that set the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct PackBitsOptions {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The bit order. By default [`BitOrder::Big`].
    pub bitorder: BitOrder,
}

/// Packs the elements into bits of bytes, 1 for nonzero elements; NumPy's `packbits`. Bits after the last element
/// are 0. The result is uint8.
///
/// The axis of `n` elements has `ceil(n / 8)` in the result, which has one axis if none is given.
///
/// ```
/// use cuprum::{BitOrder, PackBitsOptions, array, packbits};
/// let a = array([[1, 0, 1], [0, 1, 0]])?;
/// assert_eq!(packbits(&a, -1)?.to_vec::<u8>()?, [0b1010_0000, 0b0100_0000]);
/// let little = PackBitsOptions::new().bitorder(BitOrder::Little);
/// assert_eq!(packbits(&a, little)?.to_vec::<u8>()?, [0b01_0101]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for floats and complex numbers, [`ErrorKind::Axis`].
#[routine(python(positional_only = 1))]
pub fn packbits(a: &Array, options: PackBitsOptions) -> Result<Array> {
    if !a.dtype().is_integer() && a.dtype() != DType::Bool {
        let message = format!("integers and booleans have bits, {} has none: compare first", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let (a, axis) = along(a, options.axis)?;
    let out = result(&a, axis, a.shape()[axis].div_ceil(8))?;
    engine::pack(&a, &out, axis, options.bitorder == BitOrder::Little)?;
    Ok(out)
}

/// Options of [`unpackbits`].
///
/// An integer converts to options that set the axis.
///
/// ```
/// use cuprum::{UnpackBitsOptions, array, unpackbits};
/// let bytes = array([0b1010_0000_u8])?;
/// assert_eq!(unpackbits(&bytes, UnpackBitsOptions::new().count(3))?.to_vec::<u8>()?, [1, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct UnpackBitsOptions {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The number of bits along the axis, padded with zeros; if negative, the number of bits dropped at the end; by
    /// default all bits.
    pub count: Option<i64>,
    /// The bit order. By default [`BitOrder::Big`].
    pub bitorder: BitOrder,
}

/// Unpacks bytes into elements of uint8, 0 or 1; NumPy's `unpackbits`.
///
/// ```
/// use cuprum::{UnpackBitsOptions, array, unpackbits};
/// let a = array([0b1010_0000u8])?;
/// assert_eq!(unpackbits(&a, ())?.to_vec::<u8>()?, [1, 0, 1, 0, 0, 0, 0, 0]);
/// assert_eq!(unpackbits(&a, UnpackBitsOptions::new().count(3))?.to_vec::<u8>()?, [1, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for a dtype other than uint8, [`ErrorKind::Axis`], [`ErrorKind::Value`] for a count that drops
/// more bits than there are.
#[routine(python(positional_only = 1))]
pub fn unpackbits(a: &Array, options: UnpackBitsOptions) -> Result<Array> {
    if a.dtype() != DType::U8 {
        let message = format!("bits are taken out of uint8, not out of {}: use view, or astype", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let (a, axis) = along(a, options.axis)?;
    let bits = 8 * a.shape()[axis] as i64;
    let count = match options.count {
        None => bits,
        Some(count) if count >= 0 => count,
        Some(count) => bits + count,
    };
    if count < 0 {
        let left_out = -options.count.unwrap_or_default();
        return Err(Error::new(ErrorKind::Value, format!("{left_out} of {bits} bits cannot be left out")));
    }
    let out = result(&a, axis, count as usize)?;
    engine::unpack(&a, &out, axis, options.bitorder == BitOrder::Little)?;
    Ok(out)
}

/// Returns the operand and its axis, flattened if there is no axis.
fn along(a: &Array, axis: Option<isize>) -> Result<(Array, usize)> {
    let a = if axis.is_none() || a.ndim() == 0 { a.in_one_axis()? } else { a.clone() };
    let axis = normalize_axis(axis.unwrap_or(0), a.ndim())?;
    Ok((a, axis))
}

/// Allocates a result of `count` bytes along the axis, in the memory order of the operand.
fn result(a: &Array, axis: usize, count: usize) -> Result<Array> {
    let mut shape: Dims = a.shape().into();
    shape[axis] = count;
    let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
    let layout = if fortran { Layout::f_order(&shape, 1) } else { Layout::c_order(&shape, 1) };
    Array::of_layout(a.device(), layout, DType::U8)
}

/// Returns the binary representation of an integer; NumPy's `binary_repr`. A negative one has a minus sign, or with a
/// `width` is the two's complement of that many bits.
///
/// ```
/// assert_eq!(cuprum::binary_repr(3, 4)?, "0011");
/// assert_eq!(cuprum::binary_repr(-3, None)?, "-11");
/// assert_eq!(cuprum::binary_repr(-3, 5)?, "11101");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a width that is too small.
pub fn binary_repr(num: i64, width: impl IntoOptional<usize>) -> Result<String> {
    let width = width.into_optional();
    let text = match (num, width) {
        (0.., _) => format!("{num:b}"),
        (_, None) => format!("-{:b}", num.unsigned_abs()),
        // The fewest bits that represent the number with its sign.
        (_, Some(_)) => format!("{:b}", num)[num.leading_ones() as usize - 1..].to_owned(),
    };
    let width = match width {
        Some(width) if num == 0 => width.max(1),
        Some(width) if width < text.len() => {
            let message = format!("{num} has {} bits, the width is {width}", text.len());
            return Err(Error::new(ErrorKind::Value, message).with_op("binary_repr"));
        }
        width => width.unwrap_or(0),
    };
    let fill = if num < 0 { "1" } else { "0" };
    Ok(fill.repeat(width.saturating_sub(text.len())) + &text)
}

/// Returns the digits of an integer in a base from 2 to 36, with `padding` zeros before them; NumPy's `base_repr`. The
/// base is 2 by default, and there is no padding.
///
/// ```
/// assert_eq!(cuprum::base_repr(255, 16, ())?, "FF");
/// assert_eq!(cuprum::base_repr(-5, 3, 2)?, "-0012");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for another base.
pub fn base_repr(number: i64, base: impl IntoOptional<isize>, padding: impl IntoOptional<isize>) -> Result<String> {
    let (base, padding) = (base.into_optional().unwrap_or(2), padding.into_optional().unwrap_or(0));
    if !(2..=36).contains(&base) {
        let message = format!("there are digits for the bases from 2 to 36, not for {base}");
        return Err(Error::new(ErrorKind::Value, message).with_op("base_repr"));
    }
    let base = base as u32;
    let (mut rest, mut digits) = (number.unsigned_abs(), vec![]);
    while rest > 0 {
        digits.extend(char::from_digit((rest % u64::from(base)) as u32, base).map(|d| d.to_ascii_uppercase()));
        rest /= u64::from(base);
    }
    digits.extend(std::iter::repeat_n('0', padding.max(0) as usize));
    if number < 0 {
        digits.push('-');
    }
    Ok(if digits.is_empty() { "0".into() } else { digits.iter().rev().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of NumPy 2.4.6.
    #[test]
    fn integers_are_written_as_numpy_writes_them() {
        for (num, width, want) in [
            (0, None, "0"),
            (0, Some(0), "0"),
            (0, Some(3), "000"),
            (5, None, "101"),
            (5, Some(3), "101"),
            (5, Some(6), "000101"),
            (-1, None, "-1"),
            (-1, Some(1), "1"),
            (-1, Some(4), "1111"),
            (-2, Some(2), "10"),
            (-3, Some(3), "101"),
            (-3, Some(5), "11101"),
            (-4, Some(3), "100"),
            (-8, Some(8), "11111000"),
            (i64::MIN, None, "-1000000000000000000000000000000000000000000000000000000000000000"),
        ] {
            assert_eq!(binary_repr(num, width).unwrap(), want, "{num} {width:?}");
        }
        for (num, width) in [(5, 2), (-3, 2), (-4, 2), (4, 0), (-1, 0)] {
            assert!(binary_repr(num, width).is_err(), "{num} {width}");
        }
        for (number, base, padding, want) in [
            (0, 2, 0, "0"),
            (0, 2, 3, "000"),
            (5, 2, 0, "101"),
            (6, 5, 3, "00011"),
            (-255, 16, 0, "-FF"),
            (35, 36, 1, "0Z"),
        ] {
            assert_eq!(base_repr(number, base, padding).unwrap(), want, "{number} {base} {padding}");
        }
        assert!(base_repr(1, 37, 0).is_err() && base_repr(1, 1, 0).is_err());
    }
}
