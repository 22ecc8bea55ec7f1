//! Shared memory and common shapes of arrays.
//!
//! Everything here is computed on the host from addresses, shapes and strides: no kernel runs and nothing synchronises.

use cuprum_macros::routine;

use crate::array::{Array, IntoArrays, listed, referred};
use crate::error::Result;
use crate::layout::{broadcast_shapes, size_of};

/// Returns whether two arrays have a byte in common; NumPy's `shares_memory`. The answer is exact, except for views of
/// [`Array::as_strided`] with interleaved strides over long axes, for which it may be true although no byte is shared.
/// [`may_share_memory`](super::may_share_memory) compares the memory bounds alone.
///
/// NumPy's `max_work` bounds an exponential search; the answer here takes time that is polynomial in the number of
/// axes.
///
/// ```
/// use cuprum::{arange, may_share_memory, s, shares_memory};
/// let a = arange(0, 6, 1)?;
/// let (even, odd) = (a.index(s![..;2])?, a.index(s![1..;2])?);
/// assert!(may_share_memory(&even, &odd) && !shares_memory(&even, &odd));
/// assert!(shares_memory(&even, &a));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(positional_only = 2, extras = [("max_work", Extra::Granted)]), no_cases = "depends on addresses")]
pub fn shares_memory(a: &Array, b: &Array) -> bool {
    // Two libraries may have exported the same memory: offsets are relative to the lower of the two base addresses.
    let (one, two) = (a.buffer().addr(), b.buffer().addr());
    let from_base = |array: &Array| {
        let mut layout = array.layout().clone();
        layout.offset += (array.buffer().addr() - one.min(two)) as usize;
        layout
    };
    a.may_share_memory(b) && from_base(a).meets(a.itemsize(), &from_base(b), b.itemsize())
}

/// The broadcast shape of arrays, and the arrays broadcast to it; NumPy's `broadcast`.
///
/// ```
/// use cuprum::{Broadcast, array};
/// let all = Broadcast::of([array([[1], [2]])?, array([[3, 4, 5]])?])?;
/// assert_eq!((all.shape(), all.size(), all.ndim()), (&[2, 3][..], 6, 2));
/// assert_eq!(all.values()[0].strides()[1], 0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Broadcast {
    /// The common shape.
    shape: Vec<usize>,
    /// Views with this shape.
    values: Vec<Array>,
}

impl Broadcast {
    /// Broadcasts arrays to their common shape.
    ///
    /// ```
    /// use cuprum::{Broadcast, array};
    /// let all = Broadcast::of([array([1, 2])?, array([[3], [4]])?])?;
    /// assert_eq!((all.shape(), all.count()), (&[2, 2][..], 2));
    /// assert!(Broadcast::of([array([1, 2])?, array([3, 4, 5])?]).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for shapes that cannot be broadcast.
    pub fn of(arrays: impl IntoArrays) -> Result<Broadcast> {
        let arrays = listed(arrays);
        let arrays = referred(&arrays);
        let go = || {
            let shapes: Vec<&[usize]> = arrays.iter().map(|a| a.shape()).collect();
            let shape = broadcast_shapes(&shapes)?.to_vec();
            let values = arrays.iter().map(|a| a.broadcast_to_shape(&shape)).collect::<Result<_>>()?;
            Ok(Broadcast { shape, values })
        };
        go().map_err(|e: crate::error::Error| e.with_op("broadcast"))
    }

    /// Returns the common shape.
    ///
    /// See [`Broadcast`] for an example.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of axes; NumPy's `nd` and `ndim`.
    #[doc(alias = "nd")]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements of the common shape.
    pub fn size(&self) -> usize {
        size_of(&self.shape)
    }

    /// Returns the number of arrays; NumPy's `numiter`.
    #[doc(alias = "numiter")]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the arrays, broadcast to the common shape; CuPy's `values`.
    ///
    /// They are views, as of [`broadcast_to`](crate::broadcast_to).
    ///
    /// ```
    /// use cuprum::{Broadcast, array};
    /// let (a, b) = (array([1, 2])?, array([[10], [20]])?);
    /// let both = Broadcast::of([&a, &b])?;
    /// assert_eq!((both.shape(), both.ndim(), both.size(), both.count()), (&[2, 2][..], 2, 4, 2));
    /// assert_eq!(both.values()[0].to_vec::<i32>()?, [1, 2, 1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn values(&self) -> &[Array] {
        &self.values
    }
}
