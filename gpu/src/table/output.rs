//! Results of calls by name.
//!
//! A result is one array, several, a list, a dtype or a host value.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// A result of a call by name.
///
/// Which of them a function returns is part of its record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Output {
    /// An array.
    Array(Array),
    /// Several arrays as one result: NumPy's tuple or list.
    List(Vec<Array>),
    /// A boolean.
    Bool(bool),
    /// An integer that is not an array.
    Integer(i64),
    /// A real number that is not an array.
    Float(f64),
    /// A dtype.
    DType(DType),
    /// A string.
    Text(String),
    /// Several strings as one result.
    Texts(Vec<String>),
}

impl Output {
    /// Returns the array.
    ///
    /// ```
    /// use cuprum::table::{Arguments, find};
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let results = find("numpy.flip")?.call(&Arguments::new([(&a).into()]))?;
    /// assert_eq!(results[0].array()?.to_vec::<i32>()?, [4, 3, 2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for another kind of result.
    pub fn array(&self) -> Result<&Array> {
        match self {
            Output::Array(a) => Ok(a),
            other => Err(Error::new(ErrorKind::Type, format!("the result is no array, but {other:?}"))),
        }
    }
}

/// A type that a function can return.
pub(crate) trait Returned {
    /// Converts to results; none for a function that works in place.
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

/// Implements the trait for types with one result.
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
