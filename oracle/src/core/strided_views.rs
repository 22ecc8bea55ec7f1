//! Strided views, views with another dtype, and memory overlap.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index, broadcast_shapes, offsets};
use crate::numpy::creation::basic::zeros;
use crate::table::counterparts;

impl NdArray {
    /// Returns a view with any dtype, shape, byte strides and byte offset within the bytes of this array.
    ///
    /// # Errors
    ///
    /// `ValueError` if the strides do not fit the shape or reach outside of the bytes.
    pub fn seen_as(&self, dtype: DType, shape: &[usize], strides: &[isize], offset: usize) -> Result<NdArray> {
        if shape.len() != strides.len() {
            return fail(ErrorKind::Value, "as many strides as axes are needed");
        }
        let seen = self.retyped(dtype, shape.to_vec(), strides.to_vec(), offset);
        match seen.extent() {
            Some((low, high)) if low < 0 || high > self.buffer().len() as isize => {
                fail(ErrorKind::Value, "the strides reach outside of the memory")
            }
            _ => Ok(seen),
        }
    }

    /// Rejects an array whose elements share memory: it cannot be written to. NumPy does so for a broadcast axis; for
    /// other overlaps this is documented as a difference.
    pub(crate) fn check_writable(&self) -> Result<()> {
        let mut sorted = offsets(self.shape(), self.strides(), self.offset());
        // A broadcast axis is detected without a comparison of all offsets.
        let repeats = self.shape().iter().zip(self.strides()).any(|(n, s)| *n > 1 && *s == 0);
        sorted.sort_unstable();
        let size = self.dtype().size();
        if self.size() > 0 && (repeats || sorted.windows(2).any(|pair| pair[1] - pair[0] < size)) {
            return fail(ErrorKind::Value, "several elements share memory: the array is read-only");
        }
        Ok(())
    }

    fn retyped(&self, dtype: DType, shape: Vec<usize>, strides: Vec<isize>, offset: usize) -> NdArray {
        let mut seen = self.view(shape, strides, offset);
        seen.dtype = dtype;
        seen
    }

    /// Returns the first byte and the end of the bytes; `None` for no elements.
    fn extent(&self) -> Option<(isize, isize)> {
        if self.size() == 0 {
            return None;
        }
        let reach = |sign: isize| {
            let far = self.shape().iter().zip(self.strides()).map(|(n, s)| (*n as isize - 1) * s);
            self.offset() as isize + far.filter(|d| d.signum() == sign).sum::<isize>()
        };
        Some((reach(-1), reach(1) + self.dtype().size() as isize))
    }

    /// Returns a view of the same bytes with another dtype, NumPy's `view`. Where the size differs, the last axis must
    /// be contiguous.
    ///
    /// # Errors
    ///
    /// `ValueError` if it is not, if there is no axis, or if its bytes are no whole number of elements.
    pub fn view_dtype(&self, dtype: DType) -> Result<NdArray> {
        let (old, new) = (self.dtype().size(), dtype.size());
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        if old != new {
            let (Some(length), Some(stride)) = (shape.last_mut(), strides.last_mut()) else {
                return fail(ErrorKind::Value, "without axes the size of the elements must stay");
            };
            if *length != 1 && self.size() != 0 && *stride != old as isize {
                return fail(ErrorKind::Value, "the last axis must be contiguous");
            }
            let bytes = *length * old;
            if !bytes.is_multiple_of(new) {
                return fail(ErrorKind::Value, "the bytes of the last axis are no whole number of elements");
            }
            (*length, *stride) = (bytes / new, new as isize);
        }
        Ok(self.retyped(dtype, shape, strides, self.offset()))
    }

    /// Returns the real or imaginary parts: views of a complex array. A real array is its own real part; its imaginary
    /// part is a broadcast zero that cannot be written to, a documented difference: NumPy fills an array.
    pub(crate) fn part(&self, imaginary: bool) -> Result<NdArray> {
        let real = self.dtype().real();
        match (self.dtype().is_complex(), imaginary) {
            (false, false) => Ok(self.clone()),
            (false, true) => zeros(&[], real, Order::C)?.broadcast_to(self.shape()),
            (true, _) => {
                let offset = self.offset() + if imaginary { real.size() } else { 0 };
                Ok(self.retyped(real, self.shape().to_vec(), self.strides().to_vec(), offset))
            }
        }
    }
}

/// Returns true if the extents of two arrays in the same bytes overlap.
fn may_share_memory(a: &NdArray, b: &NdArray) -> bool {
    let same = std::ptr::eq(a.buffer(), b.buffer());
    same && matches!((a.extent(), b.extent()), (Some(a), Some(b)) if a.0 < b.1 && b.0 < a.1)
}

fn broadcast_arrays(arrays: &[&NdArray]) -> Result<Vec<NdArray>> {
    let shape = broadcast_shapes(&arrays.iter().map(|a| a.shape()).collect::<Vec<_>>())?;
    arrays.iter().map(|a| a.broadcast_to(&shape)).collect()
}

/// Computes `lib.stride_tricks.sliding_window_view`.
fn sliding_window_view(x: &NdArray, window: &[isize], axis: Option<&[isize]>) -> Result<NdArray> {
    if window.iter().any(|n| *n < 0) {
        return fail(ErrorKind::Value, "a window of negative size");
    }
    let axes: Vec<usize> = match axis {
        None => (0..x.ndim()).collect(),
        Some(axes) => axes.iter().map(|axis| axis_index(*axis, x.ndim())).collect::<Result<_>>()?,
    };
    if window.len() != axes.len() {
        return fail(ErrorKind::Value, "a window has a size for each axis");
    }
    let (mut shape, mut strides) = (x.shape().to_vec(), x.strides().to_vec());
    for (axis, n) in axes.iter().zip(window) {
        let Some(windows) = (shape[*axis] + 1).checked_sub(*n as usize).filter(|windows| *windows > 0) else {
            return fail(ErrorKind::Value, "a window larger than the array");
        };
        shape[*axis] = windows;
        strides.push(x.strides()[*axis]);
    }
    shape.extend(window.iter().map(|n| *n as usize));
    x.seen_as(x.dtype(), &shape, &strides, x.offset())
}

counterparts! {
    "numpy.real" = |t| t.get::<&NdArray>("val")?.part(false);
    "numpy.imag" = |t| t.get::<&NdArray>("val")?.part(true);
    "numpy.broadcast_arrays" = |t| broadcast_arrays(&t.get::<Vec<&NdArray>>("args")?);
    "numpy.may_share_memory" = |t| may_share_memory(t.get("a")?, t.get("b")?);
    "numpy.iscomplexobj" = |t| t.get::<&NdArray>("x")?.dtype().is_complex();
    "numpy.isrealobj" = |t| !t.get::<&NdArray>("x")?.dtype().is_complex();
    "numpy.isfortran" = |t| {
        let a: &NdArray = t.get("a")?;
        a.is_f_contiguous() && !a.is_c_contiguous()
    };
    "numpy.lib.stride_tricks.sliding_window_view" = |t| {
        let axis: Option<Vec<isize>> = t.get("axis")?;
        sliding_window_view(t.get("x")?, &t.get::<Vec<isize>>("window_shape")?, axis.as_deref())
    };
    "numpy.lib.stride_tricks.as_strided" = |t| {
        let a: &NdArray = t.get("x")?;
        a.seen_as(a.dtype(), &t.get::<Vec<usize>>("shape")?, &t.get::<Vec<isize>>("strides")?, a.offset())
    };
}
