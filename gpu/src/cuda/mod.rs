//! What the library shows of the device: devices, streams, events, the memory pool, the kernel cache.

mod archive;
mod device;
mod pool;
mod stream;

pub use crate::driver::DeviceInfo;
pub use archive::{build_kernels, load_kernels, load_kernels_from, ptx};
pub(crate) use device::{Access, Buffer, Queue, Source};
pub use device::{CacheStats, Device};
pub use pool::{MemoryPool, PoolStats};
pub use stream::{Event, Stream};
