//! What arrays have in common: a shape, memory.

use cuprum_macros::routine;

use crate::array::{Array, AsArray, listed, referred};
use crate::error::Result;
use crate::layout::{broadcast_shapes, size_of};

/// Whether an element of one array has a byte in common with one of the other; NumPy's `shares_memory`. Exact, but for views of
/// [`Array::as_strided`] whose strides run through each other over long axes: of those it may be true although no byte is
/// shared. [`may_share_memory`](super::may_share_memory) looks at the bounds alone.
///
/// ```
/// use cuprum::{arange, may_share_memory, s, shares_memory};
/// let a = arange(0, 6, 1)?;
/// let (even, odd) = (a.index(s![..;2])?, a.index(s![1..;2])?);
/// assert!(may_share_memory(&even, &odd) && !shares_memory(&even, &odd));
/// assert!(shares_memory(&even, &a));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine]
pub fn shares_memory(a: &Array, b: &Array) -> bool {
    // Two libraries may have given the same memory: the layouts count from the lower of the two beginnings.
    let (one, two) = (a.buffer().addr(), b.buffer().addr());
    let from_base = |array: &Array| {
        let mut layout = array.layout().clone();
        layout.offset += (array.buffer().addr() - one.min(two)) as usize;
        layout
    };
    a.may_share_memory(b) && from_base(a).meets(a.itemsize(), &from_base(b), b.itemsize())
}

/// What the shapes of arrays are broadcast to; NumPy's `broadcast`.
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
    shape: Vec<usize>,
    values: Vec<Array>,
}

impl Broadcast {
    /// The common shape of arrays.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) where the shapes do not go together.
    pub fn of(arrays: impl IntoIterator<Item = impl AsArray>) -> Result<Broadcast> {
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

    /// The common shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of axes; NumPy's `nd` and `ndim`.
    #[doc(alias = "nd")]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements of the common shape.
    pub fn size(&self) -> usize {
        size_of(&self.shape)
    }

    /// The number of arrays; NumPy's `numiter`.
    #[doc(alias = "numiter")]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The arrays, broadcast to the common shape; CuPy's `values`.
    pub fn values(&self) -> &[Array] {
        &self.values
    }
}
