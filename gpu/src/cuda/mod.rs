//! The device interface of the library: devices, streams, events, the memory pool, the kernel cache.
//!
//! A [`Device`] is a handle that is copied freely; arrays belong to one. Work is queued on the current [`Stream`] of
//! the thread and device and runs in its order; the library adds the dependencies between streams that share memory, so
//! that no program needs an event for its arrays. Memory comes from a pool for each device ([`MemoryPool`]), which
//! reuses freed memory in the order of the stream that used it. Kernels are compiled by NVRTC when they are first
//! needed, and cached in memory and on disk.
//!
//! | CuPy | here |
//! |---|---|
//! | `cupy.cuda.Device(0)`, `with device:` | `Device::open("cuda:0")`, [`Device::with`] |
//! | `cupy.cuda.Stream()`, `with stream:` | [`Stream::new`], [`Stream::with`] |
//! | `cupy.cuda.Event()`, `get_elapsed_time` | [`Event::new`], [`Event::elapsed_ms_since`] |
//! | `cupy.get_default_memory_pool()` | [`Device::memory_pool`] |
//! | `cupy.cuda.Device().synchronize()` | [`Device::synchronize`] |
//! | `stream.begin_capture()` … | [`graph::capture`] |

mod archive;
mod arena;
mod async_pool;
mod async_readback;
mod benchmark;
mod buffer;
mod compiler;
mod config;
mod device;
mod device_errors;
mod doctor;
mod event;
mod foreign;
pub mod graph;
mod hook;
pub mod ipc;
mod managed;
mod memory;
#[cfg(test)]
mod mock;
mod pinned;
mod pool;
pub mod profiler;
mod queue;
mod status;
mod stream;
mod stream_dependencies;
pub mod texture;
pub(crate) mod trace;
mod waiting;

pub use crate::driver::{DeviceInfo, set_interrupt_check};
pub use archive::{add_kernel_folder, build_kernels, load_kernels, load_kernels_from, ptx};
pub use async_pool::{AsyncMemory, AsyncPool};
pub(crate) use async_readback::StreamSignal;
pub use benchmark::{Benchmark, BenchmarkOptions, benchmark};
pub(crate) use buffer::{Access, Buffer, Work, alone, deferred_stats, read_only_error};
pub use config::{ENVIRONMENT, library_files, nvcc_command, show_config};
pub(crate) use device::Source;
pub use device::{CacheStats, Device};
pub use device_errors::take_untaken_errors;
pub(crate) use device_errors::{Checked, Function, Rejection};
pub use doctor::{Diagnosis, Finding, PythonInstallation, Severity, diagnose};
pub use event::Event;
pub(crate) use foreign::Owner;
pub use foreign::{Allocator, ThreadAllocator, from_pool, set_allocator, set_thread_allocator, using_allocator};
pub use graph::Graph;
pub(crate) use graph::{keep_captured, settle_at_end, upload_captured};
pub use hook::{MemoryEvent, MemoryHook, PrintMemory, pop_memory_hook, push_memory_hook, with_memory_hook};
pub(crate) use managed::is_managed;
pub use managed::{Advice, ManagedMemory, MemLocation};
pub use memory::Memory;
pub use pinned::{PinnedBlock, PinnedMemory, PinnedPool, RegisteredMemory};
pub use pool::{MemoryPool, PoolStats};
pub(crate) use queue::Queue;
pub use stream::Stream;
pub use trace::{TimeRange, Trace, TraceEvent, TraceKind, record, time_range};
pub use waiting::allow_synchronize;
pub(crate) use waiting::announce;
