//! Where the elements lie, for those who hand arrays to other libraries.

use super::Array;

impl Array {
    /// The address on the device of the first element; CuPy's `data.ptr`. It says nothing of when the elements are written:
    /// order the work that uses it behind the current stream.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert_eq!(a.index(cuprum::s![2..])?.data_ptr(), a.data_ptr() + 16);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn data_ptr(&self) -> u64 {
        self.buffer().expose();
        self.addr()
    }

    /// The address and the bytes of the allocation that the elements lie in.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert_eq!(a.index(cuprum::s![2..])?.allocation().0, a.data_ptr());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn allocation(&self) -> (u64, usize) {
        self.buffer().expose();
        (self.buffer().addr(), self.buffer().bytes())
    }
}
