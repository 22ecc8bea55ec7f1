//! The seam: what the library needs of a device, and the two devices that give it.
//!
//! Everything above stands on [`Driver`] and is written once.

#[cfg(feature = "cuda")]
mod api;
pub(crate) mod archive;
pub(crate) mod batch;
pub(crate) mod cache;
#[cfg(feature = "cuda")]
mod cublas;
#[cfg(feature = "cuda")]
mod cublas_api;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod cufft;
#[cfg(feature = "cuda")]
mod cusolver;
#[cfg(feature = "cuda")]
mod cusolver_api;
#[cfg(feature = "cuda")]
mod cusolver_calls;
pub(crate) mod dense;
pub(crate) mod face;
pub(crate) mod folders;
pub(crate) mod fork;
pub(crate) mod hooks;
pub(crate) mod interrupt;
#[cfg(feature = "cuda")]
mod library;
pub(crate) mod mapped;
#[cfg(feature = "cuda")]
mod nvjitlink;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, unused_imports, reason = "CUDA devices alone ask for some of it"))]
pub(crate) mod nvrtc;
pub(crate) mod pieces;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA devices alone ask for some of it"))]
pub(crate) mod places;
#[cfg(feature = "cuda")]
mod shown_api;
#[cfg(feature = "sim")]
pub(crate) mod sim;
#[cfg(feature = "cuda")]
mod staging;
#[cfg(feature = "cuda")]
mod symbols;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA devices alone ask for some of it"))]
pub(crate) mod texture;
#[cfg(feature = "cuda")]
mod texture_api;
pub(crate) mod transform;

use std::fmt;
use std::path::PathBuf;

use cuprum_kernels::DType;

pub(crate) use dense::{Dense, Task};
#[cfg(feature = "sim")]
pub(crate) use interrupt::is_interrupted;
pub use interrupt::set_interrupt_check;
pub use pieces::CodeKind;
pub(crate) use pieces::Piece;
pub(crate) use transform::{Hook, Lie, Planned, Transform, Transforming, Turning};

use crate::error::{Error, ErrorKind, Result};

/// Returns the number of CUDA devices.
///
/// # Errors
///
/// `ErrorKind::Library` where there is no driver, or the library was built without CUDA.
pub(crate) fn device_count() -> Result<usize> {
    #[cfg(feature = "cuda")]
    return api::device_count();
    #[cfg(not(feature = "cuda"))]
    Err(left_out("CUDA devices", "cuda"))
}

/// Returns the CUDA that the driver is of: `13.0`.
pub(crate) fn driver_version() -> Result<String> {
    #[cfg(feature = "cuda")]
    return api::driver()?.api.version();
    #[cfg(not(feature = "cuda"))]
    Err(left_out("the CUDA driver", "cuda"))
}

/// Returns the CUDA device of a number.
pub(crate) fn open_cuda(ordinal: usize) -> Result<Box<dyn Driver>> {
    #[cfg(feature = "cuda")]
    return Ok(Box::new(cuda::Cuda::open(ordinal)?));
    #[cfg(not(feature = "cuda"))]
    Err(left_out(&format!("cuda:{ordinal}"), "cuda"))
}

/// Returns a new simulated device.
pub(crate) fn open_sim(number: usize) -> Result<Box<dyn Driver>> {
    #[cfg(feature = "sim")]
    return Ok(Box::new(sim::Sim::open(number)?));
    #[cfg(not(feature = "sim"))]
    Err(left_out(&format!("the simulator {number}"), "sim"))
}

/// Returns true if the simulator is built with optimisation; unoptimised it is some twenty times slower.
pub(crate) fn sim_is_optimised() -> bool {
    #[cfg(feature = "sim")]
    return cuprum_sim::OPTIMISED;
    #[cfg(not(feature = "sim"))]
    true
}

/// Returns the file and the version of cuBLAS.
pub(crate) fn cublas() -> Result<(PathBuf, String)> {
    #[cfg(feature = "cuda")]
    return Ok((cublas_api::file()?, cublas_api::version()?));
    #[cfg(not(feature = "cuda"))]
    Err(left_out("cuBLAS", "cuda"))
}

#[cfg(not(all(feature = "cuda", feature = "sim")))]
fn left_out(what: &str, feature: &str) -> Error {
    let message =
        format!("{what}: this program was built without it; turn the feature `{feature}` of the crate cuprum on");
    Error::new(ErrorKind::Library, message)
}

/// What a device is.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// As the driver names it: `NVIDIA H200`.
    pub name: String,
    /// As it is chosen: `cuda:0`, `sim`.
    pub id: String,
    /// What kernels are compiled for: `sm_90`, `compute_80`.
    pub target: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the level-2 cache.
    pub l2_bytes: u64,
    /// Bytes of shared memory that a block may ask for.
    pub shared_bytes: u64,
    /// The driver's version: `13.0`; the simulator's own.
    pub driver: String,
}

/// A stream of the driver; 0 is the default stream.
pub(crate) type StreamHandle = usize;

/// Writes the bytes that stand so far behind the first one; several threads may call it at once.
pub(crate) type Fill<'a> = dyn Fn(usize, &mut [u8]) -> Result<()> + Sync + 'a;

/// Takes the bytes that stand so far behind the first one; several threads may call it at once.
pub(crate) type Take<'a> = dyn Fn(usize, &[u8]) -> Result<()> + Sync + 'a;

/// Bytes of the parts in which a device without pinned memory copies what comes from elsewhere: a multiple of every element.
const PART: usize = 2 << 20;

/// A function of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function(pub(crate) usize);

/// Attributes of a compiled kernel, with CUDA's numbers (`CU_FUNC_ATTRIBUTE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FunctionAttribute {
    MaxThreadsPerBlock = 0,
    SharedSizeBytes = 1,
    ConstSizeBytes = 2,
    LocalSizeBytes = 3,
    NumRegs = 4,
    PtxVersion = 5,
    BinaryVersion = 6,
    CacheModeCa = 7,
    MaxDynamicSharedSizeBytes = 8,
    PreferredSharedMemoryCarveout = 9,
}

/// What a device does not have.
fn unknown(what: &str) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("this device does not have {what}: the simulator has no such thing"))
}

/// The state of a part of an allocation; only the simulator keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    Fresh,
    Freed,
}

/// The product `C = A B` of column-major matrices: A is m × k, B is k × n, each may be stored transposed. Of a stack, the
/// next matrix of each lies so many elements on; an operand that is the same in all of them stays where it is. The product of
/// matrices of int8 is of int32, and exact where its elements are.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(any(feature = "cuda", feature = "sim")), allow(dead_code, reason = "no device reads it"))]
pub(crate) struct Gemm {
    /// Of A and B.
    pub(crate) dtype: DType,
    pub(crate) transpose: [bool; 2],
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: (u64, usize),
    pub(crate) b: (u64, usize),
    pub(crate) c: (u64, usize),
    pub(crate) batch: usize,
    pub(crate) strides: [i64; 3],
}

/// A device. Calls that take a stream are queued there; the others have been done when they return.
pub(crate) trait Driver: face::Face + texture::Textures + Send + Sync + fmt::Debug {
    fn info(&self) -> &DeviceInfo;

    fn alloc(&self, bytes: usize) -> Result<u64>;
    /// Bytes of device memory that nobody has taken, of this process or of another.
    fn free_bytes(&self) -> Result<u64>;
    /// Gives memory back to the device.
    ///
    /// # Safety
    ///
    /// The address came from [`Driver::alloc`], has not been returned, and no work that is queued uses the memory.
    unsafe fn free(&self, addr: u64) -> Result<()>;
    /// Says what a part of an allocation is from this place of the stream on. It tells of no earlier failure. A stream
    /// that was destroyed has done its work.
    fn mark(&self, addr: u64, bytes: usize, mark: Mark, stream: StreamHandle) -> Result<()>;

    /// Copies to the device; `src` is free again on return.
    ///
    /// # Safety
    ///
    /// As many bytes as `src` has are live device memory at `dst`, until the stream has come past the copy.
    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()>;
    /// As [`Driver::upload`], of bytes that `fill` writes, part by part and from several threads: it is told where behind
    /// the first byte each part begins.
    ///
    /// # Safety
    ///
    /// So many bytes are live device memory at `dst`, until the stream has come past the copy.
    unsafe fn upload_from(&self, dst: u64, bytes: usize, fill: &Fill<'_>, stream: StreamHandle) -> Result<()> {
        let mut part = vec![0; bytes.min(PART)];
        for at in (0..bytes).step_by(PART) {
            let part = &mut part[..PART.min(bytes - at)];
            fill(at, part)?;
            // SAFETY: the part lies within the caller's memory.
            unsafe { self.upload(dst + at as u64, part, stream) }?;
        }
        Ok(())
    }
    /// Rejects memory whose bits are not all defined, after all that is queued on it is done: what the host is to look
    /// at. Only the simulator knows.
    fn check_defined(&self, addr: u64, bytes: usize) -> Result<()> {
        let _ = (addr, bytes);
        Ok(())
    }

    /// Copies to the host, after all that is queued on the stream.
    ///
    /// # Safety
    ///
    /// As many bytes as `dst` has are live device memory at `src`.
    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()>;
    /// As [`Driver::download`], of bytes that `take` is given as `fill` of [`Driver::upload_from`] gives them.
    ///
    /// # Safety
    ///
    /// So many bytes are live device memory at `src`.
    unsafe fn download_to(&self, src: u64, bytes: usize, take: &Take<'_>, stream: StreamHandle) -> Result<()> {
        let mut part = vec![0; bytes.min(PART)];
        for at in (0..bytes).step_by(PART) {
            let part = &mut part[..PART.min(bytes - at)];
            // SAFETY: the part lies within the caller's memory.
            unsafe { self.download(part, src + at as u64, stream) }?;
            take(at, part)?;
        }
        Ok(())
    }
    /// Copies on the device; the ranges do not overlap.
    ///
    /// # Safety
    ///
    /// Both ranges are live device memory until the stream has come past the copy.
    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()>;

    /// Returns true if code runs so rarely, and is compiled so often, that the compiler's last optimisations do not
    /// pay.
    fn runs_rarely(&self) -> bool {
        false
    }
    fn load(&self, image: &[u8]) -> Result<usize>;
    /// Returns the image of several pieces, with options of the linker's own.
    fn link(&self, pieces: &[Piece<'_>], target: &str, options: &[String]) -> Result<Vec<u8>>;
    /// What tells its linker from another; none where what is linked is not worth keeping.
    fn linker(&self) -> Result<Option<String>>;
    fn function(&self, module: usize, name: &str) -> Result<Function>;
    /// Returns the address and the bytes of a variable of a module.
    fn global(&self, module: usize, name: &str) -> Result<(u64, usize)> {
        let _ = module;
        Err(Error::new(ErrorKind::Driver, format!("the module has no variable called {name}")))
    }
    /// Memory of the host that the device copies from and to by itself, and where it is that nobody has another name for it;
    /// with CUDA's flags (`CU_MEMHOSTALLOC_*`).
    fn host_alloc(&self, bytes: usize, _flags: u32) -> Result<usize> {
        let memory: Box<[u64]> = vec![0; bytes.div_ceil(8).max(1)].into_boxed_slice();
        Ok(Box::into_raw(memory).cast::<u64>().expose_provenance())
    }
    /// # Safety
    ///
    /// The memory is one of [`Driver::host_alloc`] of so many bytes, and not used again.
    unsafe fn host_free(&self, memory: usize, bytes: usize) -> Result<()> {
        let memory = std::ptr::with_exposed_provenance_mut::<u64>(memory);
        let words = std::ptr::slice_from_raw_parts_mut(memory, bytes.div_ceil(8).max(1));
        // SAFETY: the caller answers for the memory, which is a box of so many words.
        drop(unsafe { Box::from_raw(words) });
        Ok(())
    }
    /// Returns a fact of a kernel.
    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32> {
        let _ = function;
        Err(unknown(&format!("{attribute:?} of a kernel")))
    }
    /// Sets one of the facts of a kernel that can be set.
    fn set_function_attribute(&self, function: Function, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let _ = (function, value);
        Err(unknown(&format!("{attribute:?} of a kernel")))
    }
    /// Returns the offset and the bytes of each parameter of a kernel, where the driver knows them.
    fn parameters(&self, function: Function) -> Result<Option<Vec<(usize, usize)>>> {
        let _ = function;
        Ok(None)
    }
    /// Blocks of so many threads, with so many bytes of dynamic shared memory, that a multiprocessor runs at a time.
    fn max_active_blocks(&self, function: Function, threads: u32, shared: u32) -> Result<u32> {
        let _ = (function, threads, shared);
        Err(unknown("blocks that run at a time"))
    }
    /// As [`Driver::launch`], of blocks that all run at the same time. `offsets` is what [`Driver::parameters`] has told.
    ///
    /// # Safety
    ///
    /// As [`Driver::launch`].
    unsafe fn launch_together(
        &self,
        function: Function,
        size: [[u32; 3]; 2],
        shared: u32,
        stream: StreamHandle,
        params: &[u8],
        offsets: &[(usize, usize)],
    ) -> Result<()> {
        let _ = (function, size, shared, stream, params, offsets);
        Err(unknown("cooperative launches"))
    }
    /// Gives a module back, when all that is queued is done.
    ///
    /// # Safety
    ///
    /// The module is loaded, and neither it nor what it holds is used again.
    unsafe fn unload(&self, module: usize) -> Result<()> {
        let _ = module;
        Err(unknown("modules that are unloaded"))
    }
    /// Returns a fact of the device, by CUDA's number of it.
    fn attribute(&self, number: i32) -> Result<i32> {
        Err(unknown(&format!("the attribute {number}")))
    }
    /// Where the device is plugged in.
    fn pci_bus_id(&self) -> Result<String> {
        Err(unknown("a place on the PCI bus"))
    }
    /// Launches a kernel with its parameters in one buffer.
    ///
    /// # Safety
    ///
    /// The parameters are those of the kernel, and every address in them is that of live device memory large enough
    /// for what the kernel does with it.
    unsafe fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        stream: StreamHandle,
        params: &[u8],
    ) -> Result<()>;

    fn synchronize(&self) -> Result<()>;
    fn stream_create(&self) -> Result<StreamHandle>;
    /// Returns a stream that the default one does not wait for, or whose work goes first.
    fn stream_create_with(&self, _non_blocking: bool, _priority: i32) -> Result<StreamHandle> {
        self.stream_create()
    }
    /// Destroys a stream; its work goes on.
    ///
    /// # Safety
    ///
    /// The stream is live, and not used again. So is each stream and each event that a call below is given: made by this
    /// device, and not destroyed.
    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()>;
    /// # Safety
    ///
    /// The stream is live.
    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()>;
    /// Makes later work of the stream wait for what the event stands behind now: recording it again changes nothing.
    ///
    /// # Safety
    ///
    /// Stream and event are live; the event may be one of a device whose events this one takes.
    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()>;
    /// Returns true if a stream of this device can wait for the events of another one.
    fn takes_events_of(&self, _other: &dyn Driver) -> bool {
        false
    }
    fn event_create(&self) -> Result<usize>;
    /// Returns an event that orders work and tells no time, which costs the device less.
    fn event_create_untimed(&self) -> Result<usize> {
        self.event_create()
    }
    /// # Safety
    ///
    /// The event is live, and not used again.
    unsafe fn event_destroy(&self, event: usize) -> Result<()>;
    /// # Safety
    ///
    /// Stream and event are live.
    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()>;
    /// Returns true if the work in front of the event is done; so it is where the event was never recorded.
    ///
    /// # Safety
    ///
    /// The event is live.
    unsafe fn event_query(&self, event: usize) -> Result<bool>;
    /// # Safety
    ///
    /// The event is live.
    unsafe fn event_synchronize(&self, event: usize) -> Result<()>;
    /// # Safety
    ///
    /// Both events are live.
    unsafe fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32>;

    /// Queues a product of matrices.
    ///
    /// # Safety
    ///
    /// The matrices are live device memory of these sizes until the stream has come past the product.
    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()>;
    /// From how many products of integers on those of their bytes, as int8, pay, a quarter of them in each matrix of a stack;
    /// none where they do not.
    fn byte_products(&self) -> Option<usize> {
        None
    }

    /// Bytes of device memory that a task of dense linear algebra needs beside its arrays.
    fn dense_workspace(&self, dense: &Dense, stream: StreamHandle) -> Result<usize>;
    /// Queues a task of dense linear algebra with a workspace of so many bytes.
    ///
    /// # Safety
    ///
    /// The arrays of the task and the workspace are live device memory of the sizes that it says until the stream has come
    /// past it.
    unsafe fn dense(&self, dense: &Dense, workspace: (u64, usize), stream: StreamHandle) -> Result<()>;

    /// Returns true if transforms call texts of users by themselves; else nobody tells them of any.
    fn transforms_call_texts(&self) -> bool;
    /// Makes a plan of a Fourier transform, which one thread at a time may use.
    fn transform_plan(&self, transform: &Transform) -> Result<Planned>;
    /// Gives a plan back.
    ///
    /// # Safety
    ///
    /// The plan is one of this device's, and not used again.
    unsafe fn transform_forget(&self, plan: Planned) -> Result<()>;
    /// Queues a Fourier transform.
    ///
    /// # Safety
    ///
    /// The plan is one of this device's for the transform, and no other thread uses it. Input, output and work area are live
    /// device memory of the sizes that transform and plan say until the stream has come past it.
    unsafe fn transform(&self, call: &Transforming, stream: StreamHandle) -> Result<()>;
}
