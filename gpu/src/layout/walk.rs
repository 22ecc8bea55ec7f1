//! Iteration over the elements of a layout on the host.

use super::Layout;

impl Layout {
    /// Calls `f` with the byte offset of every element from the start of the buffer, in C order.
    pub(crate) fn for_each_offset(&self, mut f: impl FnMut(usize)) {
        if self.shape.contains(&0) {
            return;
        }
        let Some((&n, outer)) = self.shape.split_last() else {
            return f(self.offset);
        };
        let step = self.strides[outer.len()];
        let mut at = vec![0; outer.len()];
        let mut row = self.offset as i64;
        loop {
            for i in 0..n as i64 {
                f((row + i * step) as usize);
            }
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                row += self.strides[axis];
                if at[axis] < outer[axis] {
                    break;
                }
                row -= outer[axis] as i64 * self.strides[axis];
                at[axis] = 0;
            }
        }
    }

    /// Gathers the elements in C order from the bytes of the layout's [`extent`](Layout::extent).
    pub(crate) fn gather(&self, extent: &[u8], itemsize: usize, out: &mut [u8]) {
        let start = self.extent(itemsize).0 as usize;
        let mut to = out.chunks_exact_mut(itemsize);
        self.for_each_offset(|at| {
            if let Some(to) = to.next() {
                to.copy_from_slice(&extent[at - start..][..itemsize]);
            }
        });
    }

    /// Returns the layout without its first axes, which have length 1.
    pub(crate) fn without_front(&self, axes: usize) -> Layout {
        Layout { shape: self.shape[axes..].into(), strides: self.strides[axes..].into(), offset: self.offset }
    }
}
