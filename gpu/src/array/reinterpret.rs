//! Reinterpretation of an array's bytes as another dtype.
//!
//! It is a view: no byte changes. The last axis grows or shrinks by the ratio of the sizes, and must be contiguous
//! then.

use cuprum_kernels::DType;

use super::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, shape_text};

impl Array {
    /// Returns a view of the same bytes as another dtype; NumPy's `view`. If the item size differs, the last axis must
    /// be contiguous (view a copy otherwise), and its length changes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the last axis does not allow it, and, unlike in NumPy, where the memory is not
    /// aligned for the dtype.
    ///
    /// ```
    /// use cuprum::{DType, array};
    /// let a = array([1f32, -2.0])?;
    /// assert_eq!(a.view(DType::U32)?.to_vec::<u32>()?, [0x3f80_0000, 0xc000_0000]);
    /// assert_eq!(a.view(DType::U8)?.shape(), [8]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn view(&self, dtype: DType) -> Result<Array> {
        let layout = self.layout.view(self.itemsize(), dtype.size());
        let aligned = |layout: Layout| {
            // A device loads a number at a multiple of its size, and complex numbers by component.
            let unit = dtype.real().size() as i64;
            let fits = |(n, stride): (&usize, &i64)| *n <= 1 || stride % unit == 0;
            let start = (self.buffer.addr() as i64 + layout.offset as i64) % unit == 0;
            // An empty array has no loads.
            (layout.size() == 0 || start && layout.shape.iter().zip(&layout.strides).all(fits)).then_some(layout)
        };
        let layout = layout.and_then(|l| aligned(l).ok_or("its memory is not aligned for it: view a copy"));
        let layout = layout.map_err(|why| {
            let (own, shape) = (self.dtype, shape_text(self.shape()));
            Error::new(ErrorKind::Value, format!("{own} elements of shape {shape} cannot be viewed as {dtype}: {why}"))
                .with_op("view")
        })?;
        if (self.dtype == DType::Bool) != (dtype == DType::Bool) {
            self.buffer.allow_any_bytes();
        }
        Ok(Array { layout, dtype, ..self.clone() })
    }

    /// Returns whether the array is boolean and may contain bytes other than 0 and 1.
    #[inline]
    pub(crate) fn may_have_any_bytes(&self) -> bool {
        self.dtype == DType::Bool && self.buffer.allows_any_bytes()
    }

    /// Returns a view of the bytes of a boolean array.
    pub(crate) fn boolean_bytes(&self) -> Array {
        debug_assert!(self.dtype == DType::Bool);
        Array { dtype: DType::U8, ..self.clone() }
    }
}

impl Layout {
    /// Returns the layout of the same bytes in elements of another size, or the reason why there is none.
    fn view(&self, old: usize, new: usize) -> std::result::Result<Layout, &'static str> {
        let mut layout = self.clone();
        if old == new {
            return Ok(layout);
        }
        let Some(last) = layout.shape.len().checked_sub(1) else {
            return Err("without axes the size of an element must stay: reshape to one axis first");
        };
        if self.shape[last] != 1 && self.size() != 0 && self.strides[last] != old as i64 {
            return Err("the last axis must be dense: view a copy");
        }
        let bytes = self.shape[last] * old;
        if !bytes.is_multiple_of(new) {
            return Err("the bytes of the last axis are no multiple of the element's");
        }
        layout.shape[last] = bytes / new;
        layout.strides[last] = new as i64;
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, s};

    #[test]
    fn the_last_axis_grows_and_shrinks() {
        let a = array([[1u32, 2, 3, 4], [5, 6, 7, 8]]).unwrap();
        let wide = a.view(DType::U64).unwrap();
        assert_eq!((wide.shape(), wide.strides()), (&[2, 2][..], &[16, 8][..]));
        assert_eq!(wide.to_vec::<u64>().unwrap()[1], 3 + (4 << 32));
        // Every second row, and a column whose own stride is irrelevant.
        assert_eq!(a.index(s![..;2, ..]).unwrap().view(DType::U16).unwrap().shape(), [1, 8]);
        assert_eq!(a.index(s![.., 1..2]).unwrap().view(DType::U8).unwrap().shape(), [2, 4]);
        assert_eq!(a.t().view(DType::I32).unwrap().strides(), [4, 16]);
    }

    #[test]
    fn what_cannot_be_seen_so_is_rejected() {
        let a = array([[1u32, 2, 3], [4, 5, 6]]).unwrap();
        let message = |a: &Array, dtype| {
            let e = a.view(dtype).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Value);
            e.message().to_string()
        };
        assert!(message(&a, DType::U64).contains("no multiple"));
        assert!(message(&a.t(), DType::U16).contains("must be dense"));
        assert!(message(&array(1u32).unwrap(), DType::U16).contains("must stay"));
        assert!(message(&a.index(s![.., 1..]).unwrap(), DType::U64).contains("not aligned"));
    }
}
