//! Where the elements lie, for those who hand arrays to other libraries.

use std::sync::Arc;

use super::Array;

impl Array {
    /// The address of the first element in the memory of the device; 0 where there are no elements. CuPy's `data.ptr`.
    ///
    /// What another library queues there must follow the work of this one: [`Array::ready_for`]. On the simulator it is an
    /// address of the simulated memory, which means nothing to the host.
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

    /// The address and the bytes of the allocation that the elements lie in.
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

    /// Whether the elements lie in the same allocation as another array's, as those of a view do. No address is told, and
    /// nothing that waits is computed.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert!(a.index(cuprum::s![2..])?.shares_allocation(&a) && !(&a + 1).shares_allocation(&a));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shares_allocation(&self, other: &Array) -> bool {
        Arc::ptr_eq(self.shared_buffer(), other.shared_buffer())
    }

    /// Whether it shows the very elements that another array shows, with the same shape, strides and dtype.
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
