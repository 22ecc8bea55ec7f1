//! Memory that belongs to somebody else, as an array, and arrays as memory for somebody else.

use std::sync::Arc;

use cuprum_kernels::DType;

use super::Array;
use crate::cuda::{Buffer, Device, Owner};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, checked_bytes, shape_text};

/// Where the elements of an array lie that another library has made.
#[derive(Clone, Debug)]
pub struct RawParts {
    /// The device whose memory it is.
    pub device: Device,
    /// The address of the first element, whose indices are all 0.
    pub pointer: u64,
    /// The type of the elements.
    pub dtype: DType,
    /// Sizes of the axes.
    pub shape: Vec<usize>,
    /// Bytes from an element to the next along each axis; C order where there are none.
    pub strides: Option<Vec<i64>>,
    /// Whether the memory may only be read: every function that would write to the array rejects.
    pub read_only: bool,
}

impl RawParts {
    /// Parts in C order that can be written to.
    pub fn new(device: Device, pointer: u64, dtype: DType, shape: impl Into<Vec<usize>>) -> RawParts {
        RawParts { device, pointer, dtype, shape: shape.into(), strides: None, read_only: false }
    }

    /// The same of memory of the host, which has no rule of where a number stands.
    pub(super) fn host_layout(&self) -> Result<(Layout, u64, usize)> {
        self.layout_of(1)
    }

    fn layout(&self) -> Result<(Layout, u64, usize)> {
        // A device loads a number at a multiple of its size; a complex one part by part.
        self.layout_of(self.dtype.real().size())
    }

    /// The layout, relative to the lowest address of an element, that address, and the bytes from there on.
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
                "elements of {dtype} at {pointer:#x} with strides {:?} are not aligned: they must lie at multiples of {unit} bytes",
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
    /// Memory of somebody else as an array, without a copy; what CuPy's `UnownedMemory` is for.
    ///
    /// `owner` keeps the memory alive: it is dropped when no array uses it any more and all work that uses it is done.
    ///
    /// Work of this library on the memory follows what is queued on the current stream. Another library's work on another
    /// stream must be made to come first ([`Stream::wait_event`](crate::cuda::Stream::wait_event)), or waited for.
    ///
    /// # Safety
    ///
    /// All elements lie in live memory of the device, which stays until `owner` is dropped; they are written unless the
    /// array is only written to, and nobody else writes to them while work of this library reads or writes them, nor reads
    /// them while it writes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for strides that do not fit the shape, elements that are not aligned, and addresses beyond what
    /// there is.
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
        // SAFETY: the caller answers for the memory.
        unsafe { Array::of_other(parts, Box::new(owner)) }.map_err(|e| e.with_op("Array::from_raw_parts"))
    }

    /// # Safety
    ///
    /// As [`Array::from_raw_parts`].
    pub(super) unsafe fn of_other(parts: RawParts, owner: Owner) -> Result<Array> {
        let (layout, addr, bytes) = parts.layout()?;
        let home = parts.device.queue();
        let buffer = Buffer::of_other(addr, bytes, home, parts.read_only, owner);
        buffer.allow_any_bytes();
        Ok(Array { buffer: Arc::new(buffer), layout, dtype: parts.dtype, read_only: false })
    }

    /// All bytes of the allocation that the elements lie in, in one axis: the same memory.
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

    /// Elements of the memory that this array lies in, from so many bytes behind its beginning on; the strides are those of
    /// C order where none are given. What CuPy's `ndarray` makes of a `memptr`.
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
    /// [`ErrorKind::Value`] for elements that are not aligned, or leave the memory.
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

    /// Whether the elements may only be read: another library gave their memory so, or this is a view of
    /// [`Array::read_only`]. CuPy's arrays know no such thing.
    pub fn is_read_only(&self) -> bool {
        self.read_only || self.buffer.is_read_only()
    }

    /// Whether the memory belongs to another library.
    pub fn is_foreign(&self) -> bool {
        self.buffer.is_foreign()
    }

    /// Makes later work on a stream, given by the driver's handle, wait for all work of this library on the array.
    ///
    /// # Safety
    ///
    /// The stream is a live one of the array's device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub unsafe fn ready_for(&self, stream: usize) -> Result<()> {
        // SAFETY: the caller answers for the stream.
        unsafe { self.buffer.ready_for(stream) }.map_err(|e| e.with_op("Array::ready_for"))
    }
}

impl Device {
    /// Makes later work on the current stream wait for what is queued on another library's stream, given by the driver's
    /// handle.
    ///
    /// # Safety
    ///
    /// The stream is a live one of this device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub unsafe fn wait_for_stream(&self, stream: usize) -> Result<()> {
        // SAFETY: the caller answers for the stream.
        unsafe { self.wait_for_handle(stream) }.map_err(|e| e.with_op("Device::wait_for_stream"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use super::*;
    use crate::cuda::Stream;
    use crate::{s, shares_memory};

    /// Says when it is gone.
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
        // SAFETY: the memory is that of `a`, which the owner keeps.
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
            // SAFETY: nothing is made of the address.
            let e = unsafe { Array::from_raw_parts(parts(pointer, strides), ()) }.map(drop).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Value, "{e}");
        }
    }
}
