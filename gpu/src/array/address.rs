//! Device addresses of arrays, for exchange with other libraries.
//!
//! An address is valid as long as a handle of the array exists; work on it that the library does not know of must be
//! ordered by the user.

use std::sync::Arc;

use super::Array;

impl Array {
    /// Returns the device address of the first element, or 0 if there are no elements; CuPy's `data.ptr`.
    ///
    /// Work that another library enqueues must be ordered after the work of this one: see [`Array::ready_for`]. On the
    /// simulator it is an address of the simulated memory, which is meaningless to the host.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert_eq!(a.index(cuprum::s![2..])?.pointer(), a.pointer() + 16);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn pointer(&self) -> u64 {
        self.buffer().expose();
        if self.is_empty() { 0 } else { self.addr() }
    }

    /// Returns the address and the size in bytes of the array's allocation.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert_eq!(a.index(cuprum::s![2..])?.allocation().0, a.pointer());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn allocation(&self) -> (u64, usize) {
        self.buffer().expose();
        (self.buffer().addr(), self.buffer().bytes())
    }

    /// Returns whether the array is in the same allocation as another, such as a view. This exposes no address, and
    /// computes no pending value.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert!(a.index(cuprum::s![2..])?.shares_allocation(&a) && !(&a + 1).shares_allocation(&a));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shares_allocation(&self, other: &Array) -> bool {
        Arc::ptr_eq(self.shared_buffer(), other.shared_buffer())
    }

    /// Returns whether two arrays are the same view: same allocation, shape, strides and dtype.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert!(a.clone().is_same_view(&a) && !a.index(cuprum::s![2..])?.is_same_view(&a));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_same_view(&self, other: &Array) -> bool {
        self.shares_allocation(other) && self.layout() == other.layout() && self.dtype() == other.dtype()
    }
}
