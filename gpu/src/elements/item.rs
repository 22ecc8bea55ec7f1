//! Host types as which elements are read.
//!
//! An element is read as its dtype's own Rust type, without a cast; integers are read as `usize` and `isize`, too.

use cuprum_kernels::DType;

use crate::array::{Array, Indices};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

/// A Rust type as which elements can be read: each element type, and `usize` and `isize`, to which integers of any
/// dtype are converted if they are in range.
///
/// ```
/// let a = cuprum::array([3.0, 9.0, 4.0])?;
/// let at: usize = a.argmax(())?.item()?;
/// assert_eq!(at, 1);
/// assert_eq!(a.argsort(())?.to_vec::<usize>()?, [0, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "elements are not read as `{Self}`",
    note = "elements are `bool`, `i8` to `i64`, `u8` to `u64`, `half::f16`, `half::bf16`, `f32`, `f64`, `Complex<f32>` and `Complex<f64>`; integers are read as `usize` and `isize`, too"
)]
pub trait Item: Sized + private::Sealed {
    /// Reads all elements of an array in C order.
    #[doc(hidden)]
    fn all(a: &Array) -> Result<Vec<Self>>;
}

mod private {
    /// Restricts the implementations to this crate.
    pub trait Sealed {}
}

impl<T: Element> private::Sealed for T {}
impl<T: Element> Item for T {
    fn all(a: &Array) -> Result<Vec<T>> {
        a.elements()
    }
}

macro_rules! sizes {
    ($($size:ident),+) => {$(
        impl private::Sealed for $size {}
        impl Item for $size {
            fn all(a: &Array) -> Result<Vec<$size>> {
                let wide: Vec<i128> = integers(a, stringify!($size))?;
                let fitting = |i: i128| {
                    $size::try_from(i).map_err(|_| {
                        let message = format!("the element {i} is out of the range of {}", stringify!($size));
                        Error::new(ErrorKind::Overflow, message)
                    })
                };
                wide.into_iter().map(fitting).collect()
            }
        }
    )+};
}
sizes!(usize, isize);

impl Indices {
    /// Returns the integers on the host.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array of more than one axis, [`ErrorKind::Type`] for an array of another dtype than
    /// integers.
    pub(crate) fn to_host(&self) -> Result<Vec<isize>> {
        match self {
            Indices::Host(all) => Ok(all.clone()),
            Indices::Device(a) if a.ndim() > 1 => {
                let shape = shape_text(a.shape());
                Err(Error::new(ErrorKind::Value, format!("indices of shape {shape} have several axes: pass one axis")))
            }
            Indices::Device(a) => isize::all(a),
        }
    }
}

/// Reads integers of any dtype.
fn integers(a: &Array, wanted: &str) -> Result<Vec<i128>> {
    fn wide<T: Element + Into<i128>>(a: &Array) -> Result<Vec<i128>> {
        Ok(a.elements::<T>()?.into_iter().map(Into::into).collect())
    }
    match a.dtype() {
        DType::I64 => wide::<i64>(a),
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => {
            wide::<i64>(&a.astype(DType::I64)?)
        }
        DType::U64 => wide::<u64>(a),
        other => Err(Error::new(
            ErrorKind::Type,
            format!(
                "the elements are {other}, which are not read as {wanted}: cast them to integers with astype first"
            ),
        )),
    }
}
