//! What comes of a call by name.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// One result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Output {
    /// An array.
    Array(Array),
    /// Several arrays that are one result: NumPy's tuple or list.
    List(Vec<Array>),
    /// A boolean.
    Bool(bool),
    /// A whole number, that is no element of an array.
    Integer(i64),
    /// A number, that is no element of an array.
    Float(f64),
    /// A dtype.
    DType(DType),
    /// A text.
    Text(String),
    /// Several texts that are one result.
    Texts(Vec<String>),
}

impl Output {
    /// The array.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for what is none.
    pub fn array(&self) -> Result<&Array> {
        match self {
            Output::Array(a) => Ok(a),
            other => Err(Error::new(ErrorKind::Type, format!("the result is no array, but {other:?}"))),
        }
    }
}

/// A type that a function can return.
pub(crate) trait Returned {
    /// The results; none of a function that changes what it is given.
    fn outputs(self) -> Result<Vec<Output>>;
}

impl<T: Returned> Returned for Result<T> {
    fn outputs(self) -> Result<Vec<Output>> {
        self.and_then(T::outputs)
    }
}

impl Returned for () {
    fn outputs(self) -> Result<Vec<Output>> {
        Ok(vec![])
    }
}

/// Types that are one result, and what that is.
macro_rules! one {
    ($($of:ty = $output:ident),+) => {$(
        impl Returned for $of {
            fn outputs(self) -> Result<Vec<Output>> {
                Ok(vec![Output::$output(self)])
            }
        }
    )+};
}
one!(Array = Array, Vec<Array> = List, bool = Bool, f64 = Float, DType = DType, String = Text, Vec<String> = Texts);

impl Returned for isize {
    fn outputs(self) -> Result<Vec<Output>> {
        Ok(vec![Output::Integer(self as i64)])
    }
}

impl<A: Returned, B: Returned> Returned for (A, B) {
    fn outputs(self) -> Result<Vec<Output>> {
        Ok([self.0.outputs()?, self.1.outputs()?].concat())
    }
}

impl<A: Returned, B: Returned, C: Returned> Returned for (A, B, C) {
    fn outputs(self) -> Result<Vec<Output>> {
        Ok([self.0.outputs()?, self.1.outputs()?, self.2.outputs()?].concat())
    }
}

impl<A: Returned, B: Returned, C: Returned, D: Returned> Returned for (A, B, C, D) {
    fn outputs(self) -> Result<Vec<Output>> {
        Ok([self.0.outputs()?, self.1.outputs()?, self.2.outputs()?, self.3.outputs()?].concat())
    }
}

impl<T: Returned> Returned for Option<T> {
    fn outputs(self) -> Result<Vec<Output>> {
        self.map_or(Ok(vec![]), T::outputs)
    }
}
