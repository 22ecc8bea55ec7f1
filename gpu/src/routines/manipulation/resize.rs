//! Resizing of an array in place; NumPy's `ndarray.resize`.
//!
//! The array gets new memory of the pool with as many of its elements as fit, in C order, and zeros after them. Other
//! arrays that shared the old memory keep it: unlike NumPy's, they never see freed memory.

use cuprum_macros::Options;

use crate::array::{Array, IntoArgument, IntoShape, checked_shape};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, checked_bytes, size_of};

/// Options of [`Array::resize`](crate::Array::resize).
///
/// A boolean converts to options that set `refcheck`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct ResizeOptions {
    /// If true, rejects an array whose memory others share; otherwise these keep the old memory. By default `true`.
    #[from]
    pub refcheck: bool,
}

impl Default for ResizeOptions {
    fn default() -> Self {
        ResizeOptions { refcheck: true }
    }
}

impl Array {
    /// Changes the array's shape and number of elements, in memory order; NumPy's method `resize`. Additional elements
    /// are 0, surplus ones are dropped. (The function of that name creates a new array that repeats the elements.) An
    /// array in Fortran order keeps it.
    ///
    /// ```
    /// let mut a = cuprum::array([[1, 2], [3, 4]])?;
    /// a.resize([3, 2], ())?;
    /// assert_eq!(a.to_vec::<i32>()?, [1, 2, 3, 4, 0, 0]);
    /// let part = a.part(cuprum::s![0]);
    /// assert!(a.resize(2, ()).is_err() && a.resize([2, 3], ()).is_ok());
    /// # drop(part);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a negative size and for an array that is not contiguous; where the number of elements
    /// changes, also for a view of another array and, with `refcheck`, for an array that has views or clones.
    pub fn resize(&mut self, new_shape: impl IntoShape, options: impl IntoArgument<ResizeOptions>) -> Result<()> {
        let (shape, options) = (new_shape.into_shape(), options.into());
        let made = self.resized(&shape, options).map_err(|e: Error| e.with_op("resize"))?;
        *self = made;
        Ok(())
    }

    fn resized(&self, shape: &[i64], options: ResizeOptions) -> Result<Array> {
        let fail = |message: &str| Err(Error::new(ErrorKind::Value, message));
        let shape = checked_shape(shape)?;
        checked_bytes(&shape, self.itemsize())?;
        let fortran = !self.is_c_contiguous();
        if fortran && !self.is_f_contiguous() {
            return fail("the elements are not contiguous: resize a copy");
        }
        self.check_writable()?;
        let order = if fortran && shape.len() > 1 { Order::F } else { Order::C };
        let item = self.itemsize();
        let laid = Layout::c_order(&shape, item).in_order(item, order);
        let (old, new) = (self.size(), size_of(&shape));
        if old == new {
            return Ok(self.with_layout(Layout { offset: self.layout().offset, ..laid }));
        }
        if self.layout().offset != 0 || self.nbytes() != self.buffer().bytes() {
            return fail(
                "the array is a part of the memory of another: resize a copy, or use the function of this name",
            );
        }
        if options.refcheck && self.shares_buffer() {
            return fail(
                "there are other arrays of this memory: drop them, or say `refcheck` is false and they keep it",
            );
        }
        let out = make::zeros(self.device(), &[new], self.dtype())?;
        let n = old.min(new);
        let line = |a: &Array| a.with_layout(Layout { offset: a.layout().offset, ..Layout::c_order(&[n], item) });
        engine::copy(&line(self), &line(&out))?;
        Ok(out.with_layout(laid))
    }
}
