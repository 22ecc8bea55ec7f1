//! Launches of kernels, and transfers and library calls of the driver: the only module where arrays become addresses.
//!
//! A kernel's parameters are a struct that is declared once, next to its source; a [`Launcher`] writes its bytes. For
//! each array it checks that it is of the device of the launch and that its buffer records the stream, and it knows the
//! bounds of a launch.

mod arguments;
mod booleans;
mod dense;
mod param_buffer;
mod transfer;
mod transform;

use cuprum_kernels::params::{Parameters, Read, Written};

use crate::array::Array;
use crate::cuda::{Access, Buffer, Device, Queue};
use crate::driver::{Function, FunctionAttribute};
use crate::error::{Error, ErrorKind, Result};
use param_buffer::ParamBuffer;

/// Dynamic shared memory up to which a function needs no attribute: 48 KB in total, of which no kernel with dynamic
/// shared memory declares more than 16 statically.
const USUAL_SHARED: usize = 32 << 10;

pub use arguments::Argument;
pub(crate) use booleans::{canonical, normalize};
pub(crate) use dense::{Sides, check_arrays, dense, pivot_dtype};
pub(crate) use transfer::{
    Matrix, Reading, Stack, arrive, copy_between, copy_by_themselves, copy_bytes, copy_rows_between, download,
    download_elements, download_to, exchange, gemm, upload, upload_from,
};
pub(crate) use transform::transform;

/// Device pointer into the memory of a buffer, which outlives it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DevicePtr<'a> {
    /// The buffer, whose use is recorded at the launch.
    buffer: &'a Buffer,
    /// Address of the first element.
    addr: u64,
    /// The array, if its elements are booleans that may have other bytes than 0 and 1.
    booleans: Option<&'a Array>,
}

impl<'a> DevicePtr<'a> {
    /// Returns the pointer to the first element of an array.
    #[inline]
    pub(crate) fn of(a: &'a Array) -> DevicePtr<'a> {
        DevicePtr { buffer: a.buffer(), addr: a.addr(), booleans: a.may_have_any_bytes().then_some(a) }
    }

    /// Returns the pointer to the beginning of a buffer.
    pub(crate) fn start(buffer: &'a Buffer) -> DevicePtr<'a> {
        DevicePtr { buffer, addr: buffer.addr(), booleans: None }
    }

    /// Returns the pointer moved by this number of bytes.
    #[inline]
    pub(crate) fn moved(self, bytes: i64) -> DevicePtr<'a> {
        DevicePtr { addr: self.addr.wrapping_add_signed(bytes), ..self }
    }

    /// Returns the address.
    pub(crate) fn addr(self) -> u64 {
        self.addr
    }

    /// Returns true if the address is a multiple of `bytes`.
    #[inline]
    pub(crate) fn is_aligned(self, bytes: u64) -> bool {
        self.addr.is_multiple_of(bytes)
    }
}

/// Returns the kernel parameter of an array that is read.
pub(crate) fn read(a: &Array) -> Read<DevicePtr<'_>> {
    Read(Some(DevicePtr::of(a)))
}

/// Returns the kernel parameter of an array that is written, or read and written.
pub(crate) fn written(a: &Array) -> Written<DevicePtr<'_>> {
    Written(Some(DevicePtr::of(a)))
}

/// Returns the addresses of arrays that a kernel reads through a table: they are of its device, and their buffers
/// record the stream.
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of another device.
pub(crate) fn addresses(device: Device, arrays: &[&Array]) -> Result<Vec<u64>> {
    let queue = device.queue();
    let one = |a: &&Array| {
        if a.device() != device {
            return Err(of_another(a.device(), device));
        }
        a.buffer().touch(&queue, Access::Read)?;
        Ok(a.addr())
    };
    arrays.iter().map(one).collect()
}

/// Number of blocks of a launch, and a description of their work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Blocks along x.
    x: usize,
    /// Blocks along y, at most 65,535.
    y: usize,
    /// Units of work that the blocks share, for the error message.
    work: usize,
    /// Name of a unit of work in the error message.
    what: &'static str,
}

impl Blocks {
    /// Creates a launch of this number of blocks for this much work: 70,000 elements, for example.
    pub(crate) fn of(x: usize, work: usize, what: &'static str) -> Blocks {
        Blocks { x, y: 1, work, what }
    }

    /// Repeats the blocks for each of `y` rows of blocks.
    pub(crate) fn by(self, y: usize) -> Blocks {
        Blocks { y, ..self }
    }

    /// Returns the dimensions of the grid, which a device limits.
    fn grid(self) -> Result<[u32; 3]> {
        let Blocks { x, y, work, what } = self;
        if x > i32::MAX as usize || y > 65535 {
            return Err(Error::new(ErrorKind::Value, format!("{work} {what} are more than one launch can reach")));
        }
        Ok([x as u32, y as u32, 1])
    }
}

/// Launcher of kernels on a thread's stream of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launcher {
    /// The stream that the launch is queued on.
    queue: Queue,
}

impl Launcher {
    /// Creates a launcher for the current stream.
    #[inline]
    pub(crate) fn on(device: Device) -> Launcher {
        Launcher { queue: device.queue() }
    }

    /// Queues a launch of a kernel in blocks of `threads` threads.
    ///
    /// # Safety
    ///
    /// The kernel's source declares the parameter struct, and accesses the memory of its pointers only within the
    /// bounds that the numbers in the struct give.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array of another device, and for more blocks than a grid of the device has.
    #[inline]
    pub(crate) unsafe fn launch<'a>(
        &self,
        function: Function,
        blocks: Blocks,
        threads: usize,
        parameters: &impl Parameters<DevicePtr<'a>>,
    ) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.launch_sharing(function, blocks, threads, 0, parameters) }
    }

    /// Queues a launch as [`Self::launch`] does, with `shared` bytes of dynamic shared memory for each block, in
    /// addition to what the kernel declares: at most those of [`DeviceInfo::shared_bytes`](crate::cuda::DeviceInfo).
    ///
    /// # Safety
    ///
    /// As [`Self::launch`].
    #[inline]
    pub(crate) unsafe fn launch_sharing<'a>(
        &self,
        function: Function,
        blocks: Blocks,
        threads: usize,
        shared: usize,
        parameters: &impl Parameters<DevicePtr<'a>>,
    ) -> Result<()> {
        let grid = blocks.grid()?;
        if shared > USUAL_SHARED {
            self.allow_shared(function)?;
        }
        let mut params = ParamBuffer::on(&self.queue);
        parameters.visit(&mut params);
        // SAFETY: the bytes are those of the kernel's struct; the caller guarantees its accesses. Arrays are kept alive
        // by the caller until the launch is queued, and from then on by what their buffers have recorded.
        unsafe { self.queue.launch(function, grid, [threads as u32, 1, 1], shared as u32, params.whole()?) }?;
        #[cfg(test)]
        concurrent_change_tests::after_launch();
        Ok(())
    }

    /// Allows a function the maximum shared memory of a block, so that no launch lowers the limit that another thread's
    /// launch needs.
    #[cold]
    fn allow_shared(&self, function: Function) -> Result<()> {
        let (driver, most) = (self.queue.device().driver()?, self.queue.device().info().shared_bytes as i32);
        let own = driver.function_attribute(function, FunctionAttribute::SharedSizeBytes)?;
        driver.set_function_attribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, most - own)
    }

    /// Queues a launch of a kernel that takes arguments one by one; `layout` has the offsets of its parameters.
    ///
    /// # Safety
    ///
    /// As [`Self::launch`].
    pub(crate) unsafe fn launch_with(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument<'_>],
        layout: Option<&[(usize, usize)]>,
    ) -> Result<()> {
        let mut params = ParamBuffer::on(&self.queue);
        arguments::pack(arguments, layout, &mut params);
        // SAFETY: the arguments are in C layout; the rest is guaranteed by the caller.
        unsafe { self.queue.launch(function, grid, block, shared, params.bytes()?) }
    }
}

/// Cooperative launches, whose blocks all run at the same time.
impl Launcher {
    /// Queues a cooperative launch of a kernel of the library.
    ///
    /// # Safety
    ///
    /// As [`Self::launch`].
    pub(crate) unsafe fn launch_resident<'a>(
        &self,
        function: Function,
        blocks: Blocks,
        threads: usize,
        parameters: &impl Parameters<DevicePtr<'a>>,
    ) -> Result<()> {
        let mut params = ParamBuffer::on(&self.queue);
        parameters.visit(&mut params);
        let (driver, stream) = (self.queue.device().driver()?, self.queue.handle());
        let bytes = params.whole()?;
        let size = [blocks.grid()?, [threads as u32, 1, 1]];
        // SAFETY: the bytes are those of the kernel's struct, its only parameter; the caller guarantees its accesses.
        unsafe { driver.launch_together(function, size, 0, stream, bytes, &[(0, bytes.len())]) }
    }

    /// Queues a cooperative launch of a kernel that takes arguments one by one; `offsets` are the offsets of its
    /// parameters.
    ///
    /// # Safety
    ///
    /// As [`Self::launch`].
    pub(crate) unsafe fn launch_together(
        &self,
        function: Function,
        size: [[u32; 3]; 2],
        shared: u32,
        arguments: &[Argument<'_>],
        offsets: &[(usize, usize)],
    ) -> Result<()> {
        let mut params = ParamBuffer::on(&self.queue);
        arguments::pack(arguments, Some(offsets), &mut params);
        let (driver, stream) = (self.queue.device().driver()?, self.queue.handle());
        // SAFETY: the arguments are in C layout; the rest is guaranteed by the caller.
        unsafe { driver.launch_together(function, size, shared, stream, params.bytes()?, offsets) }
    }
}

/// Returns the device of arrays that are used together.
///
/// # Errors
///
/// [`ErrorKind::Value`] if one of them is of another device.
pub(crate) fn one_device<'a>(first: &Array, others: impl IntoIterator<Item = &'a Array>) -> Result<Device> {
    let device = first.device();
    match others.into_iter().find(|a| a.device() != device) {
        Some(a) => Err(of_another(a.device(), device)),
        None => Ok(device),
    }
}

#[cold]
fn of_another(other: Device, device: Device) -> Error {
    Error::new(
        ErrorKind::Value,
        format!(
            "an array of the device {other:?} is among arrays of the device {device:?}: move it there first (`to_device`; \
             in Python, `asarray` while the device is current)"
        ),
    )
}

#[cfg(test)]
mod compile_tests;
#[cfg(test)]
mod concurrent_change_tests;
#[cfg(test)]
mod device_tests;
#[cfg(test)]
mod source_tests;
