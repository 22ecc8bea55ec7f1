//! Arrays over memory owned by other libraries, and arrays as memory for other libraries.
//!
//! An array over foreign memory has an owner that is dropped with its last handle; the memory must outlive it.

use std::sync::Arc;

use cuprum_kernels::DType;

use super::Array;
use crate::cuda::{Buffer, Device, Owner};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, checked_bytes, shape_text};

/// Description of the memory of an array that another library owns.
///
/// Addresses and strides are in bytes.
#[derive(Clone, Debug)]
pub struct RawParts {
    /// The device of the memory.
    pub device: Device,
    /// The address of the element whose indices are all 0.
    pub pointer: u64,
    /// The dtype.
    pub dtype: DType,
    /// The shape.
    pub shape: Vec<usize>,
    /// The strides in bytes; `None` for C order.
    pub strides: Option<Vec<i64>>,
    /// If true, the memory is read-only: every function that would write to the array is rejected.
    pub read_only: bool,
}

impl RawParts {
    /// Describes writeable memory in C order.
    ///
    /// Strides and write access are fields that can be changed.
    ///
    /// ```
    /// use cuprum::{Array, DType, RawParts, array};
    /// use std::sync::Arc;
    /// let owner = array([1.0, 2.0, 3.0])?;
    /// let parts = RawParts::new(owner.device(), owner.pointer(), DType::F64, [3]);
    /// // SAFETY: the memory is that of `owner`, which the new array keeps alive.
    /// let same = unsafe { Array::from_raw_parts(parts, Arc::new(owner)) }?;
    /// assert_eq!(same.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new(device: Device, pointer: u64, dtype: DType, shape: impl Into<Vec<usize>>) -> RawParts {
        RawParts { device, pointer, dtype, shape: shape.into(), strides: None, read_only: false }
    }

    /// Returns the layout for host memory, which has no alignment requirement.
    pub(super) fn host_layout(&self) -> Result<(Layout, u64, usize)> {
        self.layout_of(1)
    }

    fn layout(&self) -> Result<(Layout, u64, usize)> {
        // A device loads a number at a multiple of its size, and complex numbers by component.
        self.layout_of(self.dtype.real().size())
    }

    /// Returns the layout relative to the lowest address of an element, that address, and the number of bytes from
    /// there on.
    fn layout_of(&self, unit: usize) -> Result<(Layout, u64, usize)> {
        let RawParts { pointer, dtype, shape, strides, .. } = self;
        let itemsize = dtype.size();
        checked_bytes(shape, itemsize)?;
        let mut layout = Layout::c_order(shape, itemsize);
        if let Some(strides) = strides {
            if strides.len() != shape.len() {
                let (axes, n) = (shape.len(), strides.len());
                let message = format!("{n} strides are given for the {axes} axes of shape {}", shape_text(shape));
                return Err(Error::new(ErrorKind::Value, message));
            }
            layout.strides = strides.as_slice().into();
        }
        if layout.size() == 0 {
            return Ok((layout, 0, 0));
        }
        let unit = unit as i64;
        let aligned = layout.shape.iter().zip(&layout.strides).all(|(&n, s)| n == 1 || s % unit == 0);
        if !pointer.is_multiple_of(unit as u64) || !aligned {
            let message = format!(
                "elements of {dtype} at {pointer:#x} with strides {:?} are not aligned: they must be at multiples of {unit} bytes",
                &layout.strides[..]
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        let reach = |sign: fn(i128) -> bool| -> i128 {
            let steps = layout.shape.iter().zip(&layout.strides).map(|(&n, &s)| (n as i128 - 1) * i128::from(s));
            steps.filter(|&step| sign(step)).sum()
        };
        let (low, high) = (i128::from(*pointer) + reach(|s| s < 0), i128::from(*pointer) + reach(|s| s > 0));
        if low <= 0 || high + itemsize as i128 > i128::from(i64::MAX) {
            let message = format!(
                "an array of shape {} with strides {:?} at {pointer:#x} leaves the addresses that there are",
                shape_text(shape),
                &layout.strides[..]
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        layout.offset = (i128::from(*pointer) - low) as usize;
        Ok((layout, low as u64, (high - low) as usize + itemsize))
    }
}

impl Array {
    /// Wraps memory of another owner as an array, without a copy; the purpose of CuPy's `UnownedMemory`.
    ///
    /// `owner` keeps the memory alive: it is dropped when no array uses it any more and all work on it has completed.
    ///
    /// Work of this library on the memory is ordered after the work enqueued on the current stream. Another library's
    /// work on another stream must be ordered before that ([`Stream::wait_event`](crate::cuda::Stream::wait_event)), or
    /// synchronised with.
    ///
    /// # Safety
    ///
    /// All elements are in live memory of the device, which stays until `owner` is dropped; they are initialised unless
    /// the array is only written to. While work of this library reads or writes them, no one else writes them; while it
    /// writes them, no one else reads them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for strides that do not match the shape, elements that are not aligned, and addresses out
    /// of range.
    ///
    /// ```
    /// use cuprum::{Array, RawParts, array};
    /// let a = array([1.5f32, 2.5, 3.5])?;
    /// let parts = RawParts { strides: Some(vec![8]), ..RawParts::new(a.device(), a.pointer(), a.dtype(), [2]) };
    /// // SAFETY: the two elements are the first and the last one of `a`, which goes along as the owner.
    /// let ends = unsafe { Array::from_raw_parts(parts, a.clone()) }?;
    /// assert_eq!(ends.to_vec::<f32>()?, [1.5, 3.5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub unsafe fn from_raw_parts(parts: RawParts, owner: impl Send + Sync + 'static) -> Result<Array> {
        // SAFETY: the caller guarantees the memory.
        unsafe { Array::of_other(parts, Box::new(owner)) }.map_err(|e| e.with_op("Array::from_raw_parts"))
    }

    /// # Safety
    ///
    /// Same as [`Array::from_raw_parts`].
    pub(super) unsafe fn of_other(parts: RawParts, owner: Owner) -> Result<Array> {
        let (layout, addr, bytes) = parts.layout()?;
        let home = parts.device.queue();
        let buffer = Buffer::of_other(addr, bytes, home, parts.read_only, owner);
        buffer.allow_any_bytes();
        Ok(Array { buffer: Arc::new(buffer), layout, dtype: parts.dtype, read_only: false })
    }

    /// Returns all bytes of the array's allocation as an array of one axis over the same memory.
    ///
    /// The dtype is uint8.
    ///
    /// ```
    /// let a = cuprum::arange(0, 4, 1)?;
    /// assert_eq!(a.index(cuprum::s![2..])?.memory().shape(), [32]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn memory(&self) -> Array {
        self.buffer.allow_any_bytes();
        Array {
            buffer: self.buffer.clone(),
            layout: Layout::c_order(&[self.buffer.bytes()], 1),
            dtype: DType::U8,
            read_only: false,
        }
    }

    /// Returns a view of the array's allocation that begins at a byte offset; the strides are by default those of C
    /// order. Corresponds to CuPy's `ndarray` with a `memptr`.
    ///
    /// The result has the dtype and the shape that are passed; it must be within the allocation.
    ///
    /// ```
    /// use cuprum::DType;
    /// let a = cuprum::arange(0, 6, 1)?;
    /// assert_eq!(a.part_of_memory(40, DType::I64, &[2, 2], Some(&[-16, -8]))?.to_vec::<i64>()?, [5, 4, 3, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for elements that are not aligned, or are outside the memory.
    pub fn part_of_memory(
        &self,
        offset: usize,
        dtype: DType,
        shape: &[usize],
        strides: Option<&[i64]>,
    ) -> Result<Array> {
        let go = || {
            let (start, bytes) = (self.buffer.addr(), self.buffer.bytes() as u64);
            let pointer = start.wrapping_add(offset as u64);
            let strides = strides.map(<[i64]>::to_vec);
            let parts = RawParts { strides, ..RawParts::new(self.device(), pointer, dtype, shape) };
            let (mut layout, low, covered) = parts.layout()?;
            if covered > 0 && (low < start || low - start > bytes || covered as u64 > bytes - (low - start)) {
                let message = format!(
                    "{covered} bytes of {dtype} elements of shape {} from {offset} on leave the {bytes} bytes of the memory",
                    shape_text(shape)
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            layout.offset += if covered == 0 { 0 } else { (low - start) as usize };
            self.buffer.allow_any_bytes();
            Ok(Array { layout, dtype, ..self.clone() })
        };
        go().map_err(|e| e.with_op("part_of_memory"))
    }

    /// Returns whether the elements are read-only: another library exported their memory so, or this is a view of
    /// [`Array::read_only`]. CuPy has no read-only arrays.
    ///
    /// ```
    /// let a = cuprum::array([1, 2])?;
    /// assert!(a.read_only().is_read_only() && !a.is_read_only());
    /// assert!(a.read_only().fill(0).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_read_only(&self) -> bool {
        self.read_only || self.buffer.is_read_only()
    }

    /// Returns whether the memory is owned by another library.
    ///
    /// The memory pool does not count such memory, and dropping the last handle calls its owner.
    ///
    /// ```
    /// assert!(!cuprum::zeros(3, ())?.is_foreign());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_foreign(&self) -> bool {
        self.buffer.is_foreign()
    }

    /// Orders later work on a stream, passed as the driver's handle, after all work of this library on the array.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let (a, stream) = (cuprum::array([1, 2])?, Stream::new(Device::current()?)?);
    /// // SAFETY: the stream is one of the array's device.
    /// unsafe { a.ready_for(stream.handle()) }?;
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The stream is a live stream of the array's device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub unsafe fn ready_for(&self, stream: usize) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.buffer.ready_for(stream) }.map_err(|e| e.with_op("Array::ready_for"))
    }
}

impl Device {
    /// Orders later work on the current stream after the work enqueued on another library's stream, passed as the
    /// driver's handle.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let device = Device::current()?;
    /// let other = Stream::new(device)?;
    /// // SAFETY: the stream is one of this device.
    /// unsafe { device.wait_for_stream(other.handle()) }?;
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The stream is a live stream of this device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub unsafe fn wait_for_stream(&self, stream: usize) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.wait_for_handle(stream) }.map_err(|e| e.with_op("Device::wait_for_stream"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use super::*;
    use crate::cuda::Stream;
    use crate::{s, shares_memory};

    /// Owner that records its drop.
    struct Owner(Arc<AtomicBool>, #[allow(dead_code, reason = "it keeps the memory")] Array);

    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.store(true, SeqCst);
        }
    }

    fn given(a: &Array, read_only: bool) -> (Array, Arc<AtomicBool>) {
        let gone = Arc::new(AtomicBool::new(false));
        let parts = RawParts {
            device: a.device(),
            pointer: a.pointer(),
            dtype: a.dtype(),
            shape: a.shape().to_vec(),
            strides: Some(a.strides().to_vec()),
            read_only,
        };
        // SAFETY: the memory is that of `a`, which the owner keeps alive.
        let array = unsafe { Array::from_raw_parts(parts, Owner(gone.clone(), a.clone())) }.unwrap();
        (array, gone)
    }

    #[test]
    fn an_owner_goes_when_the_last_work_is_done() -> Result<()> {
        let a = crate::arange(0, 1000, 1)?;
        let (b, gone) = given(&a, false);
        let stream = Stream::new(a.device())?;
        let sum = stream.with(|| &b + 1);
        drop(b);
        stream.synchronize()?;
        assert!(gone.load(SeqCst), "the work is done, and the owner is still there");
        assert_eq!(sum.index(s![999])?.item::<i64>()?, 1000);
        let (empty, gone) = given(&crate::zeros([0, 3], DType::F32)?, false);
        assert_eq!(empty.pointer(), 0);
        drop(empty);
        assert!(gone.load(SeqCst));
        Ok(())
    }

    #[test]
    fn views_in_every_direction_are_the_same_elements() -> Result<()> {
        let a = crate::arange(0, 24, 1)?.reshape([2, 3, 4])?;
        for view in [a.index(s![.., ..;-1, 1..;2])?, a.t(), a.index(s![1])?, a.index(s![..0])?] {
            let (b, _) = given(&view, false);
            assert_eq!(b.to_vec::<i64>()?, view.to_vec::<i64>()?);
            assert!(shares_memory(&b, &a) == (view.size() > 0) && b.may_share_memory(&view) == (view.size() > 0));
            b.fill(7)?;
            assert!(view.to_vec::<i64>()?.iter().all(|&x| x == 7));
        }
        let (even, _) = given(&a.ravel()?.index(s![..;2])?, false);
        let (odd, _) = given(&a.ravel()?.index(s![1..;2])?, false);
        assert!(even.may_share_memory(&odd) && !shares_memory(&even, &odd));
        Ok(())
    }

    #[test]
    fn what_is_read_only_is_rejected_where_it_is_written() -> Result<()> {
        let a = crate::arange(0, 8, 1)?;
        let (b, _) = given(&a, true);
        assert!(b.is_read_only() && b.index(s![2..])?.is_read_only() && !b.copy(())?.is_read_only());
        assert_eq!((&b + &b).to_vec::<i64>()?[7], 14);
        let part = b.index(s![1..])?;
        let rejected: [(&str, Result<()>); 4] = [
            ("fill", part.fill(0)),
            ("set", b.set(s![0], 1)),
            ("add", crate::ufunc("add")?.call((&a, 1), crate::UfuncOptions::new().out(&b)).map(drop)),
            ("sort", b.sort(0)),
        ];
        for (name, result) in rejected {
            let e = result.expect_err(name);
            assert_eq!(e.kind(), ErrorKind::Value);
            assert!(e.message().starts_with(name) && e.message().contains("read-only"), "{e}");
        }
        Ok(())
    }

    #[test]
    fn parts_that_cannot_be_are_rejected() {
        let device = Device::open("sim").unwrap();
        let parts = |pointer, strides: &[i64]| RawParts {
            strides: Some(strides.to_vec()),
            ..RawParts::new(device, pointer, DType::F64, [2, 2])
        };
        for (pointer, strides) in
            [(4u64, &[16i64, 8][..]), (8, &[12, 8]), (8, &[8]), (8, &[-16, 8]), (8, &[i64::MAX / 8 * 8, 8])]
        {
            // SAFETY: the address is not used.
            let e = unsafe { Array::from_raw_parts(parts(pointer, strides), ()) }.map(drop).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Value, "{e}");
        }
    }
}
