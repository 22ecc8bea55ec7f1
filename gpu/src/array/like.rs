//! Array creation from nested arrays, slices and vectors.
//!
//! Nested arrays of Rust have their dtype and shape from their type, so that ragged lists do not compile.

use cuprum_macros::unrecorded;

use super::Array;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// Argument of [`array()`]: an element, or arrays, slices and vectors of elements, nested to any depth.
///
/// Nested Rust arrays, slices and vectors of elements implement it, to any depth.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no elements of an array",
    label = "neither a number nor a list of numbers",
    note = "it takes numbers, booleans, and arrays, slices and vectors of them, nested to any depth"
)]
pub trait ArrayLike {
    /// The type of the elements.
    type Element: Element;

    /// Appends the lengths of the axes, along the first items.
    #[doc(hidden)]
    fn lengths(&self, lengths: &mut Vec<usize>);

    /// Appends the elements; returns false where the lengths differ from these.
    #[doc(hidden)]
    fn append(&self, lengths: &[usize], elements: &mut Vec<Self::Element>) -> bool;
}

impl<T: Element> ArrayLike for T {
    type Element = T;

    fn lengths(&self, _: &mut Vec<usize>) {}

    fn append(&self, lengths: &[usize], elements: &mut Vec<T>) -> bool {
        elements.push(*self);
        lengths.is_empty()
    }
}

impl<A: ArrayLike> ArrayLike for [A] {
    type Element = A::Element;

    fn lengths(&self, lengths: &mut Vec<usize>) {
        lengths.push(self.len());
        if let Some(first) = self.first() {
            first.lengths(lengths);
        }
    }

    fn append(&self, lengths: &[usize], elements: &mut Vec<A::Element>) -> bool {
        lengths.split_first().is_some_and(|(&n, rest)| n == self.len() && self.iter().all(|a| a.append(rest, elements)))
    }
}

macro_rules! like_slice {
    ($([$($generics:tt)*] $t:ty)*) => {$(
        impl<A: ArrayLike, $($generics)*> ArrayLike for $t {
            type Element = A::Element;

            fn lengths(&self, lengths: &mut Vec<usize>) {
                <[A]>::lengths(&self[..], lengths);
            }

            fn append(&self, lengths: &[usize], elements: &mut Vec<A::Element>) -> bool {
                <[A]>::append(&self[..], lengths, elements)
            }
        }
    )*};
}
like_slice!([const N: usize] [A; N] [] Vec<A> [] &[A] [const N: usize] &[A; N] [] &Vec<A>);

/// Creates an array from nested elements; NumPy's `np.array`. The dtype is that of the Rust type: `array([1, 2])` is
/// int32, the type that Rust infers for such integers, `array([1.0])` is float64.
///
/// # Errors
///
/// [`ErrorKind::Value`] where rows differ in length; errors of the device.
///
/// ```
/// use cuprum::{DType, array};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!((a.dtype(), a.shape()), (DType::I32, &[2, 3][..]));
/// let b = array(vec![vec![1.5, 2.5], vec![3.5]]);
/// assert!(b.unwrap_err().message().contains("same shape"));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("takes nested host lists of Rust types")]
pub fn array<A: ArrayLike>(nested: A) -> Result<Array> {
    let (mut lengths, mut elements) = (Vec::new(), Vec::new());
    nested.lengths(&mut lengths);
    if !nested.append(&lengths, &mut elements) {
        return Err(Error::new(
            ErrorKind::Value,
            format!(
                "nested rows must have the same shape: the first ones give {}, others differ",
                shape_text(&lengths)
            ),
        )
        .with_op("array"));
    }
    Array::from_slice(&elements, lengths).map_err(|e| e.with_op("array"))
}
