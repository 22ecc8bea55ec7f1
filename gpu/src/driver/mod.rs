//! The seam: the driver interface that the library needs of a device, and its implementations.
//!
//! All code above is written once, in terms of [`Driver`].
//!
//! [`Driver`] is an object-safe trait: memory, streams, events, modules, launches, copies, transforms, dense linear
//! algebra, and, with defaults that return an error, the runtime features of [`runtime_api`]. The CUDA device forwards
//! to the driver; the simulated device runs PTX on the CPU and checks what a GPU would leave undefined: reads of
//! uninitialised memory, accesses out of bounds, and missing synchronisation between streams. The HIP device forwards to
//! AMD's runtime; it is compiled and tested with a stub, and was never run.

#[cfg(feature = "cuda")]
mod api;
pub(crate) mod archive;
pub(crate) mod batch;
pub(crate) mod cache;
mod clang;
pub(crate) mod collectives;
#[cfg(feature = "cuda")]
mod cublas;
#[cfg(feature = "cuda")]
mod cublas_api;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod cudss;
#[cfg(feature = "cuda")]
mod cudss_api;
#[cfg(feature = "cuda")]
mod cufft;
#[cfg(feature = "cuda")]
mod cusolver;
#[cfg(feature = "cuda")]
mod cusolver_api;
#[cfg(feature = "cuda")]
mod cusolver_calls;
pub(crate) mod dense;
pub(crate) mod fft_callbacks;
pub(crate) mod folders;
pub(crate) mod fork;
#[cfg(all(fuzzing, feature = "sim"))]
pub mod fuzzing;
mod hip;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA devices alone have some faults"))]
pub(crate) mod host;
pub(crate) mod interrupt;
#[cfg(feature = "cuda")]
mod library;
pub(crate) mod linkable;
pub(crate) mod mapped;
#[cfg(feature = "cuda")]
mod nccl;
pub(crate) mod nvcc;
#[cfg(feature = "cuda")]
mod nvjitlink;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, unused_imports, reason = "CUDA devices alone use some of it"))]
pub(crate) mod nvrtc;
mod ownership;
pub(crate) mod positioned;
mod program;
pub(crate) mod progress;
#[cfg(feature = "cuda")]
mod read_ahead;
pub(crate) mod runtime_api;
#[cfg(feature = "cuda")]
mod runtime_table;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA devices alone use some of it"))]
pub(crate) mod search_paths;
#[cfg(feature = "sim")]
pub(crate) mod sim;
pub(crate) mod sparse_batch;
pub(crate) mod sparse_direct;
pub(crate) mod sparse_library;
#[cfg(feature = "cuda")]
mod staging;
pub(crate) mod switches;
mod symbols;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA devices alone use some of it"))]
pub(crate) mod texture;
#[cfg(feature = "cuda")]
mod texture_api;
pub(crate) mod transform;

use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use cuprum_kernels::DType;

use archive::Request;
pub use collectives::{Call, CallKind, ReduceOp};
use collectives::{GroupId, Membership};
pub(crate) use dense::{Dense, Task};
#[cfg(any(feature = "cuda", feature = "sim"))]
pub(crate) use interrupt::is_interrupted;
pub use interrupt::set_interrupt_check;
pub use linkable::CodeKind;
pub(crate) use linkable::Piece;
use nvrtc::{Haste, Image};
use sparse_library::{LibraryFactors, SparseSystem};
pub(crate) use transform::{BatchLayout, Hook, LibraryPlan, Transform, TransformKind, Transforming};

use crate::error::{Error, ErrorKind, Result};

/// Returns the number of CUDA devices.
///
/// # Errors
///
/// `ErrorKind::Library` if there is no driver, or if the library was built without CUDA.
pub(crate) fn device_count() -> Result<usize> {
    #[cfg(feature = "cuda")]
    return api::device_count();
    #[cfg(not(feature = "cuda"))]
    Err(left_out("CUDA devices", "cuda"))
}

/// Returns the CUDA version of the driver: `13.0`.
pub(crate) fn driver_version() -> Result<String> {
    #[cfg(feature = "cuda")]
    return api::driver()?.api.version();
    #[cfg(not(feature = "cuda"))]
    Err(left_out("the CUDA driver", "cuda"))
}

/// Starts the CUDA driver, and returns its version and its devices.
fn driver_facts() -> std::result::Result<host::DriverFacts, host::DriverFault> {
    #[cfg(feature = "cuda")]
    return api::facts();
    #[cfg(not(feature = "cuda"))]
    Err(host::DriverFault::Absent)
}

/// Returns the loader's message if a library of CUDA's does not load.
fn loads(library: &host::Library<'_>) -> std::result::Result<(), String> {
    let done = match library.name {
        "NVRTC" => nvrtc::loads(library.file),
        #[cfg(feature = "cuda")]
        name => library::loads(name, library.file),
        #[cfg(not(feature = "cuda"))]
        _ => Ok(()),
    };
    done.map_err(|e| e.message().to_owned())
}

/// Returns the CUDA device with this number.
pub(crate) fn open_cuda(ordinal: usize) -> Result<Box<dyn Driver>> {
    #[cfg(feature = "cuda")]
    return Ok(Box::new(cuda::Cuda::open(ordinal)?));
    #[cfg(not(feature = "cuda"))]
    Err(left_out(&format!("cuda:{ordinal}"), "cuda"))
}

/// Returns the number of HIP devices.
pub(crate) fn hip_device_count() -> Result<usize> {
    hip::device_count()
}

/// Returns the version of the HIP runtime.
pub(crate) fn hip_version() -> Result<String> {
    hip::version()
}

/// Returns the HIP device with this number.
pub(crate) fn open_hip(ordinal: usize) -> Result<Box<dyn Driver>> {
    Ok(Box::new(hip::Hip::open(ordinal)?))
}

/// Compiles a source for a device: by hipRTC for AMD GPUs, otherwise by NVRTC.
pub(crate) fn compile(request: &Request, target: &str, haste: Haste) -> Result<Image> {
    if clang::is_target(target) {
        return hip::compile(request, target);
    }
    let Request { name, text, options, expressions } = request;
    nvrtc::nvrtc()?.compile_in_haste(text, name, target, options, expressions, haste)
}

/// Returns the identity of the compiler of [`compile`] for cache keys.
pub(crate) fn compiler_identity(target: &str) -> Result<&'static str> {
    if clang::is_target(target) { hip::identity() } else { Ok(nvrtc::identity()) }
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

/// Returns the libraries of CUDA devices, with the files that would be loaded.
pub(crate) fn library_files() -> Vec<(&'static str, Option<PathBuf>)> {
    #[cfg(feature = "cuda")]
    return search_paths::LIBRARIES
        .iter()
        .map(|spec| (spec.name, search_paths::find(spec, search_paths::driver()).ok()))
        .collect();
    #[cfg(not(feature = "cuda"))]
    vec![]
}

#[cfg(not(all(feature = "cuda", feature = "sim")))]
fn left_out(what: &str, feature: &str) -> Error {
    let message =
        format!("{what}: this program was built without it; turn the feature `{feature}` of the crate cuprum on");
    Error::new(ErrorKind::Library, message)
}

/// Properties of a device.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The driver's name of the device: `NVIDIA H200`.
    pub name: String,
    /// The id by which it is selected: `cuda:0`, `sim`.
    pub id: String,
    /// The architecture that kernels are compiled for: `sm_90`, `compute_80`.
    pub target: String,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Maximum bytes of shared memory of a block.
    pub shared_bytes: u64,
    /// The driver's version: `13.0`; for the simulator its own.
    pub driver: String,
}

/// A stream of the driver; 0 is the default stream.
pub(crate) type StreamHandle = usize;

/// Writes a part of the bytes of a copy, given its offset; several threads may call it concurrently.
pub(crate) type Fill<'a> = dyn Fn(usize, &mut [u8]) -> Result<()> + Sync + 'a;

/// Takes a part of the bytes of a copy, given its offset; several threads may call it concurrently.
pub(crate) type Take<'a> = dyn Fn(usize, &[u8]) -> Result<()> + Sync + 'a;

/// Bytes of the parts in which a device without pinned memory copies generated bytes: a multiple of every element size.
const PART: usize = 2 << 20;

/// A function of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function(pub(crate) usize);

/// Attributes of a compiled kernel, with CUDA's numbers (`CU_FUNC_ATTRIBUTE_*`).
///
/// [`RawKernel::attribute`](crate::RawKernel::attribute) reads one.
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

/// Returns the error for a feature that a device lacks.
fn unknown(what: &str) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("this device does not have {what}: CUDA devices alone do"))
}

/// State of a part of an allocation, which only the simulator tracks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    Fresh,
    Freed,
}

/// Matrix product `C = A B` of column-major matrices: A is m × k, B is k × n, each may be stored transposed. For a
/// batch, consecutive matrices of each are a fixed number of elements apart; an operand that is the same for all of
/// them has distance 0. The product of int8 matrices is int32, and exact if its elements fit. A product may be added to C.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(any(feature = "cuda", feature = "sim")), allow(dead_code, reason = "no device reads it"))]
pub(crate) struct Gemm {
    /// The dtype of A and B.
    pub(crate) dtype: DType,
    /// True for an operand that is stored transposed.
    pub(crate) transpose: [bool; 2],
    /// Rows of A and C.
    pub(crate) m: usize,
    /// Columns of B and C.
    pub(crate) n: usize,
    /// Columns of A, rows of B.
    pub(crate) k: usize,
    /// Address and leading dimension of A.
    pub(crate) a: (u64, usize),
    /// Address and leading dimension of B.
    pub(crate) b: (u64, usize),
    /// Address and leading dimension of C.
    pub(crate) c: (u64, usize),
    /// Number of products.
    pub(crate) batch: usize,
    /// Distances in elements between matrices of A, of B and of C.
    pub(crate) strides: [i64; 3],
    /// True if the products are added to C.
    pub(crate) adds: bool,
}

/// Device interface. Calls that take a stream are queued there; the others have completed when they return.
pub(crate) trait Driver: runtime_api::RuntimeApi + texture::Textures + Send + Sync + fmt::Debug {
    fn info(&self) -> &DeviceInfo;

    fn alloc(&self, bytes: usize) -> Result<u64>;
    /// Returns the bytes of device memory that are not allocated by this or any other process.
    fn free_bytes(&self) -> Result<u64>;
    /// Frees device memory.
    ///
    /// # Safety
    ///
    /// The address came from [`Driver::alloc`], has not been freed, and no queued work uses the memory.
    unsafe fn free(&self, addr: u64) -> Result<()>;
    /// Sets the state of a part of an allocation, in stream order. It reports no earlier failure. A stream that was
    /// destroyed counts as completed.
    fn mark(&self, addr: u64, bytes: usize, mark: Mark, stream: StreamHandle) -> Result<()>;

    /// Copies to the device; `src` may be reused on return.
    ///
    /// # Safety
    ///
    /// `dst` points to `src.len()` bytes of live device memory, until the stream has completed the copy.
    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()>;
    /// Copies bytes to the device that `fill` writes, part by part and from several threads: it is passed the offset of
    /// each part.
    ///
    /// # Safety
    ///
    /// `dst` points to `bytes` bytes of live device memory, until the stream has completed the copy.
    unsafe fn upload_from(&self, dst: u64, bytes: usize, fill: &Fill<'_>, stream: StreamHandle) -> Result<()> {
        let mut part = vec![0; bytes.min(PART)];
        for at in (0..bytes).step_by(PART) {
            let part = &mut part[..PART.min(bytes - at)];
            fill(at, part)?;
            // SAFETY: the part is within the caller's memory.
            unsafe { self.upload(dst + at as u64, part, stream) }?;
        }
        Ok(())
    }
    /// Rejects memory that is not completely initialised, after all work queued on it has completed: memory that the
    /// host is to read. Only the simulator can detect it.
    fn check_defined(&self, addr: u64, bytes: usize) -> Result<()> {
        let _ = (addr, bytes);
        Ok(())
    }

    /// Copies to the host, after all that is queued on the stream.
    ///
    /// # Safety
    ///
    /// `src` points to `dst.len()` bytes of live device memory.
    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()>;
    /// Copies to the host as [`Driver::download`] does, with the bytes passed to `take`, part by part as to `fill` of
    /// [`Driver::upload_from`].
    ///
    /// # Safety
    ///
    /// `src` points to `bytes` bytes of live device memory.
    unsafe fn download_to(&self, src: u64, bytes: usize, take: &Take<'_>, stream: StreamHandle) -> Result<()> {
        let mut part = vec![0; bytes.min(PART)];
        for at in (0..bytes).step_by(PART) {
            let part = &mut part[..PART.min(bytes - at)];
            // SAFETY: the part is within the caller's memory.
            unsafe { self.download(part, src + at as u64, stream) }?;
            take(at, part)?;
        }
        Ok(())
    }
    /// Copies on the device; the ranges do not overlap.
    ///
    /// # Safety
    ///
    /// Both ranges are live device memory until the stream has completed the copy.
    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()>;

    /// Returns true if code runs so rarely, and is compiled so often, that the compiler's last optimisations are not
    /// worthwhile.
    fn runs_rarely(&self) -> bool {
        false
    }
    fn load(&self, image: &[u8]) -> Result<usize>;
    /// Links pieces of code with options of the linker, and returns the image.
    fn link(&self, pieces: &[Piece<'_>], target: &str, options: &[String]) -> Result<Vec<u8>>;
    /// Returns the identity of its linker for cache keys; `None` if linked images need not be cached.
    fn linker(&self) -> Result<Option<String>>;
    fn function(&self, module: usize, name: &str) -> Result<Function>;
    /// Returns the address and the size of a variable of a module.
    fn global(&self, module: usize, name: &str) -> Result<(u64, usize)> {
        let _ = module;
        Err(Error::new(ErrorKind::Driver, format!("the module has no variable called {name}")))
    }
    /// Allocates pinned host memory, which the device copies from and to directly, with CUDA's flags
    /// (`CU_MEMHOSTALLOC_*`). Returns its address on the host, to which there is no other pointer.
    fn host_alloc(&self, bytes: usize, _flags: u32) -> Result<usize> {
        let memory: Box<[u64]> = vec![0; bytes.div_ceil(8).max(1)].into_boxed_slice();
        Ok(Box::into_raw(memory).cast::<u64>().expose_provenance())
    }
    /// Frees pinned host memory.
    ///
    /// # Safety
    ///
    /// The memory was allocated by [`Driver::host_alloc`] with this size, and is not used again.
    unsafe fn host_free(&self, memory: usize, bytes: usize) -> Result<()> {
        let memory = std::ptr::with_exposed_provenance_mut::<u64>(memory);
        let words = std::ptr::slice_from_raw_parts_mut(memory, bytes.div_ceil(8).max(1));
        // SAFETY: the caller guarantees the memory, which is a box of `words` words.
        drop(unsafe { Box::from_raw(words) });
        Ok(())
    }
    /// Returns an attribute of a kernel.
    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32> {
        let _ = function;
        Err(unknown(&format!("{attribute:?} of a kernel")))
    }
    /// Sets an attribute of a kernel.
    fn set_function_attribute(&self, function: Function, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let _ = (function, value);
        Err(unknown(&format!("{attribute:?} of a kernel")))
    }
    /// Returns the offset and the size of each parameter of a kernel, if the driver knows them.
    fn parameters(&self, function: Function) -> Result<Option<Vec<(usize, usize)>>> {
        let _ = function;
        Ok(None)
    }
    /// Returns the number of blocks of `threads` threads, with `shared` bytes of dynamic shared memory, that a
    /// multiprocessor runs at a time.
    fn max_active_blocks(&self, function: Function, threads: u32, shared: u32) -> Result<u32> {
        let _ = (function, threads, shared);
        Err(unknown("blocks that run at a time"))
    }
    /// Launches a kernel as [`Driver::launch`] does, with blocks that all run at the same time (cooperative launch).
    /// `offsets` is the result of [`Driver::parameters`].
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
    /// Unloads a module, after all queued work has completed.
    ///
    /// # Safety
    ///
    /// The module is loaded, and neither it nor its functions and variables are used again.
    unsafe fn unload(&self, module: usize) -> Result<()> {
        let _ = module;
        Err(unknown("modules that are unloaded"))
    }
    /// Returns an attribute of the device, by CUDA's number of it.
    fn attribute(&self, number: i32) -> Result<i32> {
        Err(unknown(&format!("the attribute {number}")))
    }
    /// Returns the PCI bus id of the device.
    fn pci_bus_id(&self) -> Result<String> {
        Err(unknown("a PCI bus id"))
    }
    /// Launches a kernel with its parameters in one buffer.
    ///
    /// # Safety
    ///
    /// The parameters are those of the kernel, and every address in them is that of live device memory large enough for
    /// the kernel's accesses.
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
    /// Creates a stream that does not synchronise with the default one, or that has a priority.
    fn stream_create_with(&self, _non_blocking: bool, _priority: i32) -> Result<StreamHandle> {
        self.stream_create()
    }
    /// Destroys a stream; its queued work still completes.
    ///
    /// # Safety
    ///
    /// The stream is live, and not used again. All streams and events that are passed to the functions below must be
    /// live: created by this device, and not destroyed.
    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()>;
    /// Waits until the stream's queued work has completed.
    ///
    /// # Safety
    ///
    /// The stream is live.
    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()>;
    /// Makes later work of the stream wait for the current record of the event: recording it again has no effect on the
    /// wait.
    ///
    /// # Safety
    ///
    /// Stream and event are live; the event may be one of a device whose events this one accepts.
    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()>;
    /// Returns true if a stream of this device can wait for the events of another one.
    fn takes_events_of(&self, _other: &dyn Driver) -> bool {
        false
    }
    fn event_create(&self) -> Result<usize>;
    /// Returns an event that orders work and records no time, which costs the device less.
    fn event_create_untimed(&self) -> Result<usize> {
        self.event_create()
    }
    /// Destroys an event.
    ///
    /// # Safety
    ///
    /// The event is live, and not used again.
    unsafe fn event_destroy(&self, event: usize) -> Result<()>;
    /// Records an event after the stream's queued work.
    ///
    /// # Safety
    ///
    /// Stream and event are live.
    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()>;
    /// Returns true if the work before the event has completed; also if the event was never recorded.
    ///
    /// # Safety
    ///
    /// The event is live.
    unsafe fn event_query(&self, event: usize) -> Result<bool>;
    /// Waits until the work before the event has completed.
    ///
    /// # Safety
    ///
    /// The event is live.
    unsafe fn event_synchronize(&self, event: usize) -> Result<()>;
    /// Returns the milliseconds between two events.
    ///
    /// # Safety
    ///
    /// Both events are live.
    unsafe fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32>;

    /// Queues a matrix product.
    ///
    /// # Safety
    ///
    /// The matrices are live device memory of these sizes until the stream has completed the product.
    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()>;
    /// Returns the number of integer products from which products of their bytes, as int8, are profitable, of which
    /// each matrix of a batch must have a quarter; `None` if they never are.
    fn byte_products(&self) -> Option<usize> {
        None
    }

    /// Returns the dtype of the pivots of a batch of `m` by `n` matrices.
    fn pivot_dtype(&self, batch: usize, m: usize, n: usize) -> DType {
        dense::pivot_dtype(batch, m, n)
    }
    /// Returns the bytes of device memory that a task of dense linear algebra needs besides its arrays.
    fn dense_workspace(&self, dense: &Dense, stream: StreamHandle) -> Result<usize>;
    /// Queues a task of dense linear algebra with a workspace (address and size).
    ///
    /// # Safety
    ///
    /// The arrays of the task and the workspace are live device memory of their sizes until the stream has completed
    /// it.
    unsafe fn dense(&self, dense: &Dense, workspace: (u64, usize), stream: StreamHandle) -> Result<()>;

    /// Creates the factorisation of a sparse matrix by a library of the device; `None` if none is installed.
    fn sparse_library(&self, system: &SparseSystem) -> Result<Option<Box<dyn LibraryFactors>>> {
        let _ = system;
        Ok(None)
    }
    /// Makes a call while the device's context is current.
    fn in_context(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        call()
    }

    /// Returns the identity of a new group of ranks. If all of them reach an address of this machine, they wait for
    /// each other there.
    fn group_id(&self, host: Option<Ipv4Addr>) -> Result<GroupId> {
        let _ = host;
        Err(unknown("collective operations"))
    }
    /// Joins a group of `size` ranks with this device. It returns when all ranks have joined; between
    /// [`Driver::begin_group`] and [`Driver::end_group`] at once.
    fn join(&self, id: &GroupId, size: usize, rank: usize) -> Result<Membership> {
        let _ = (id, size, rank);
        Err(unknown("collective operations"))
    }
    /// Begins a group of calls of this thread, which are queued together when it ends. Groups nest.
    fn begin_group(&self) -> Result<()> {
        Err(unknown("collective operations"))
    }
    /// Ends a group of calls of this thread.
    fn end_group(&self) -> Result<()> {
        Err(unknown("collective operations"))
    }
    /// Returns the version of the library of collective operations, as NCCL's number of it.
    fn collectives_version(&self) -> Result<i32> {
        Err(unknown("collective operations"))
    }

    /// Returns true if transforms call users' callback sources themselves; otherwise none are passed to them.
    fn transforms_call_texts(&self) -> bool;
    /// Creates a plan of a Fourier transform, which one thread at a time may use.
    fn transform_plan(&self, transform: &Transform) -> Result<LibraryPlan>;
    /// Destroys a plan.
    ///
    /// # Safety
    ///
    /// The plan is one of this device's, and not used again.
    unsafe fn transform_forget(&self, plan: LibraryPlan) -> Result<()>;
    /// Queues a Fourier transform.
    ///
    /// # Safety
    ///
    /// The plan is one of this device's for the transform, and no other thread uses it. Input, output and work area are
    /// live device memory of the sizes of transform and plan until the stream has completed it.
    unsafe fn transform(&self, call: &Transforming, stream: StreamHandle) -> Result<()>;
}
