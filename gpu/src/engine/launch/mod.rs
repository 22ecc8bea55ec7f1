//! The one place where arrays become addresses: launches of kernels, and transfers and products of the driver.
//!
//! A kernel is told a struct that is declared once, beside its text; a [`Launcher`] writes its bytes. For each array it sees
//! to it that it is of the device of the work and that its buffer knows the stream, and it knows how far a launch reaches.

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

/// A function must be allowed more shared memory than 48 KB, of which no kernel that is launched with some declares more than 16 itself.
const USUAL_SHARED: usize = 32 << 10;

pub use arguments::Argument;
pub(crate) use booleans::{canonical, normalize};
pub(crate) use dense::{Sides, dense};
pub(crate) use transfer::{
    Matrix, Reading, Stack, copy_between, copy_by_themselves, copy_bytes, download, download_elements, download_to,
    gemm, upload, upload_from,
};
pub(crate) use transform::transform;

/// A place in the memory of a buffer, which lives while the place does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    buffer: &'a Buffer,
    addr: u64,
    /// The array, where its elements are booleans that may have other bytes than 0 and 1.
    booleans: Option<&'a Array>,
}

impl<'a> Place<'a> {
    /// Returns the first element of an array.
    #[inline]
    pub(crate) fn of(a: &'a Array) -> Place<'a> {
        Place { buffer: a.buffer(), addr: a.addr(), booleans: a.may_have_any_bytes().then_some(a) }
    }

    /// Returns the beginning of a buffer.
    pub(crate) fn start(buffer: &'a Buffer) -> Place<'a> {
        Place { buffer, addr: buffer.addr(), booleans: None }
    }

    /// So many bytes further on, or before.
    #[inline]
    pub(crate) fn moved(self, bytes: i64) -> Place<'a> {
        Place { addr: self.addr.wrapping_add_signed(bytes), ..self }
    }

    /// Returns the address.
    pub(crate) fn addr(self) -> u64 {
        self.addr
    }

    /// Returns true if the address is a multiple of so many bytes.
    #[inline]
    pub(crate) fn is_aligned(self, bytes: u64) -> bool {
        self.addr.is_multiple_of(bytes)
    }
}

/// Returns an array that a kernel reads.
pub(crate) fn read(a: &Array) -> Read<Place<'_>> {
    Read(Some(Place::of(a)))
}

/// Returns an array that a kernel writes, or reads and writes.
pub(crate) fn written(a: &Array) -> Written<Place<'_>> {
    Written(Some(Place::of(a)))
}

/// Returns the addresses of arrays that a kernel finds in a table and reads: they are of its device, and their buffers
/// know the stream.
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

/// The blocks of a launch, and what they are to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    x: usize,
    y: usize,
    work: usize,
    what: &'static str,
}

impl Blocks {
    /// So many blocks for this much work: 70,000 elements, for example.
    pub(crate) fn of(x: usize, work: usize, what: &'static str) -> Blocks {
        Blocks { x, y: 1, work, what }
    }

    /// Returns the same number once for each of so many rows of blocks.
    pub(crate) fn by(self, y: usize) -> Blocks {
        Blocks { y, ..self }
    }

    /// Returns the numbers of blocks of the grid, which a device limits.
    fn grid(self) -> Result<[u32; 3]> {
        let Blocks { x, y, work, what } = self;
        if x > i32::MAX as usize || y > 65535 {
            return Err(Error::new(ErrorKind::Value, format!("{work} {what} are more than one launch can reach")));
        }
        Ok([x as u32, y as u32, 1])
    }
}

/// Launches kernels on a thread's stream of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launcher {
    queue: Queue,
}

impl Launcher {
    /// For the current stream.
    #[inline]
    pub(crate) fn on(device: Device) -> Launcher {
        Launcher { queue: device.queue() }
    }

    /// Queues one launch of a kernel in blocks of so many threads.
    ///
    /// # Safety
    ///
    /// The kernel's text declares the struct that it is told, and of the memory of the places it reaches what these
    /// numbers say and no more.
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
        parameters: &impl Parameters<Place<'a>>,
    ) -> Result<()> {
        // SAFETY: the caller answers for it.
        unsafe { self.launch_sharing(function, blocks, threads, 0, parameters) }
    }

    /// Returns the same with so many bytes of shared memory for each block, beside what the kernel declares: at most
    /// those of [`DeviceInfo::shared_bytes`](crate::cuda::DeviceInfo).
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
        parameters: &impl Parameters<Place<'a>>,
    ) -> Result<()> {
        let grid = blocks.grid()?;
        if shared > USUAL_SHARED {
            self.allow_shared(function)?;
        }
        let mut params = ParamBuffer::on(&self.queue);
        parameters.visit(&mut params);
        // SAFETY: the bytes are those of the kernel's struct; for what it reaches the caller answers. Arrays are kept alive
        // by the caller until the launch is queued, and from then on by what their buffers know.
        unsafe { self.queue.launch(function, grid, [threads as u32, 1, 1], shared as u32, params.whole()?) }?;
        #[cfg(test)]
        changing::after_launch();
        Ok(())
    }

    /// Allows a function all that a block can have: no launch takes it from another thread's, which needs more.
    #[cold]
    fn allow_shared(&self, function: Function) -> Result<()> {
        let (driver, most) = (self.queue.device().driver()?, self.queue.device().info().shared_bytes as i32);
        let own = driver.function_attribute(function, FunctionAttribute::SharedSizeBytes)?;
        driver.set_function_attribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, most - own)
    }

    /// Queues one launch of a kernel that takes arguments one by one; `layout` is where its parameters lie.
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
        arguments::tell(arguments, layout, &mut params);
        // SAFETY: the arguments lie as C lays them; for the rest the caller answers.
        unsafe { self.queue.launch(function, grid, block, shared, params.bytes()?) }
    }
}

/// A launch of blocks that all run at the same time.
impl Launcher {
    /// As [`Self::launch_with`]; `offsets` is where the kernel's parameters lie.
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
        arguments::tell(arguments, Some(offsets), &mut params);
        let (driver, stream) = (self.queue.device().driver()?, self.queue.handle());
        // SAFETY: the arguments lie as C lays them; for the rest the caller answers.
        unsafe { driver.launch_together(function, size, shared, stream, params.bytes()?, offsets) }
    }
}

/// Returns the device of arrays that are worked on together.
///
/// # Errors
///
/// [`ErrorKind::Value`] where one of them is of another device.
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
            "an array of the device {other:?} is among arrays of the device {device:?}: move it there first (by way of the \
             host: `to_vec`, then `from_slice` within `Device::with`)"
        ),
    )
}

#[cfg(test)]
mod changing;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod products;
#[cfg(test)]
mod texts;
