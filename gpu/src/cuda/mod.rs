//! What the library shows of the device: devices, streams, events, the memory pool, the kernel cache.

mod archive;
mod arena;
mod async_pool;
mod buffer;
mod compiler;
mod config;
mod device;
mod event;
mod foreign;
pub mod graph;
mod hook;
mod managed;
mod memory;
#[cfg(test)]
mod mock;
mod order;
mod pinned;
mod pool;
pub mod profiler;
mod queue;
mod record;
mod stream;
mod waiting;

pub use crate::driver::DeviceInfo;
pub use archive::{build_kernels, load_kernels, load_kernels_from, ptx};
pub use async_pool::{AsyncMemory, AsyncPool};
pub(crate) use buffer::{Access, Buffer, read_only_error};
pub use config::{ENVIRONMENT, show_config};
pub(crate) use device::Source;
pub use device::{CacheStats, Device};
pub use event::Event;
pub(crate) use foreign::Owner;
pub use foreign::{Allocator, ThreadAllocator, from_pool, set_allocator, set_thread_allocator, using_allocator};
pub use graph::Graph;
pub(crate) use graph::upload_captured;
pub use hook::{MemoryEvent, MemoryHook, PrintMemory, pop_memory_hook, push_memory_hook, with_memory_hook};
pub use managed::{Advice, ManagedMemory, Place};
pub use memory::Memory;
pub use pinned::{PinnedBlock, PinnedMemory, PinnedPool};
pub use pool::{MemoryPool, PoolStats};
pub(crate) use queue::Queue;
pub(crate) use record::{Checked, Function};
pub use stream::Stream;
pub use waiting::allow_synchronize;
pub(crate) use waiting::announce;
