//! What the library shows of the device: devices, streams, events, the memory pool, the kernel cache.

mod archive;
mod arena;
mod benchmark;
mod buffer;
mod compiler;
mod config;
mod device;
mod event;
mod foreign;
#[cfg(test)]
mod mock;
mod order;
mod pinned;
mod pool;
mod queue;
mod record;
mod stream;
pub(crate) mod trace;

pub use crate::driver::DeviceInfo;
pub use archive::{build_kernels, load_kernels, load_kernels_from, ptx};
pub use benchmark::{Benchmark, BenchmarkOptions, benchmark};
pub(crate) use buffer::{Access, Buffer, Work, alone, deferred_stats, read_only_error};
pub use config::{ENVIRONMENT, show_config};
pub(crate) use device::Source;
pub use device::{CacheStats, Device};
pub use event::Event;
pub(crate) use foreign::Owner;
pub use foreign::{Allocator, from_pool, set_allocator};
pub use pinned::PinnedMemory;
pub use pool::{MemoryPool, PoolStats};
pub(crate) use queue::Queue;
pub(crate) use record::{Checked, Function, Refusal};
pub use stream::Stream;
pub use trace::{TimeRange, Trace, TraceEvent, TraceKind, record, time_range};
