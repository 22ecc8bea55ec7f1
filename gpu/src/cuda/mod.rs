//! What the library shows of the device: devices, streams, events, the memory pool, the kernel cache.

mod device;
mod pool;
mod stream;

pub use crate::driver::DeviceInfo;
pub(crate) use device::{Buffer, Source};
pub use device::{CacheStats, Device};
pub use pool::{MemoryPool, PoolStats};
pub use stream::{Event, Stream};
