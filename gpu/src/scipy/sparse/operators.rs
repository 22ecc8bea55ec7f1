//! Operators: sums and differences of sparse arrays, products with numbers, and the matrix product.
//!
//! Operators panic where the methods return an error, as those of arrays do.
//!
//! ```
//! use cuprum::scipy::sparse::{Format, Sparse};
//! let a = Sparse::from_dense(&cuprum::array([[1, 0], [0, 2]])?, Format::Csr)?;
//! let sum = &(&a * 3) - &a;
//! assert_eq!(sum.to_dense(())?.to_vec::<i32>()?, [2, 0, 0, 4]);
//! # Ok::<(), cuprum::Error>(())
//! ```

use std::ops;

use super::Sparse;
use crate::error::Result;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// The result of an operator, which cannot return an error.
#[track_caller]
fn unwrapped<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

macro_rules! elementwise {
    ($($trait:ident $method:ident $ufunc:literal)+) => {$(
        impl ops::$trait<&Sparse> for &Sparse {
            type Output = Sparse;

            /// # Panics
            ///
            /// Where [`Sparse::binary`] returns an error.
            #[track_caller]
            fn $method(self, other: &Sparse) -> Sparse {
                unwrapped(self.binary($ufunc, other))
            }
        }
    )+};
}

elementwise! {
    Add add "add"
    Sub sub "subtract"
}

macro_rules! scaled {
    ($($trait:ident $method:ident $ufunc:literal)+) => {$(
        impl<S: Into<Scalar>> ops::$trait<S> for &Sparse {
            type Output = Sparse;

            /// # Panics
            ///
            /// Where the ufunc returns an error.
            #[track_caller]
            fn $method(self, factor: S) -> Sparse {
                let data = apply($ufunc, [(&self.data()).into(), factor.into().into()]);
                unwrapped(data.and_then(|data| self.with_data(&data)))
            }
        }
    )+};
}

scaled! {
    Mul mul "multiply"
    Div div "true_divide"
}

impl ops::Neg for &Sparse {
    type Output = Sparse;

    /// # Panics
    ///
    /// Where `negative` returns an error, as of booleans.
    #[track_caller]
    fn neg(self) -> Sparse {
        unwrapped(apply("negative", [(&self.data()).into()]).and_then(|data| self.with_data(&data)))
    }
}
