//! Collective operations of several devices: sums over all of them, broadcasts, exchanges; NCCL's functions, and CuPy's
//! `cupyx.distributed`.
//!
//! A group has ranks, one device each. A rank is a thread of this process or of another one: it joins with a
//! [`GroupId`] that one of them creates and all receive by any means. Operations are queued on the current stream of
//! the rank's device. On GPUs they are NCCL's (`libnccl.so.2`, loaded at the first use); simulated devices exchange
//! their elements over a loopback connection, combine them in the order of the ranks, and wait for each other in the
//! call.
//!
//! | CuPy, NCCL | here |
//! |---|---|
//! | `cupyx.distributed.init_process_group` | [`Communicator::join`] with a [`GroupId`] |
//! | `all_reduce`, `reduce`, `broadcast` | [`Communicator::all_reduce`], [`Communicator::reduce`], [`Communicator::broadcast`] |
//! | `all_gather`, `reduce_scatter` | [`Communicator::all_gather`], [`Communicator::reduce_scatter`] |
//! | `send`, `recv`, `all_to_all`, `scatter`, `gather` | the methods of these names |
//! | `groupStart`, `groupEnd` | [`group_calls`] |
//!
//! ```
//! use cuprum::cuda::Device;
//! use cuprum::distributed::{Communicator, GroupId, ReduceOp};
//! let id = GroupId::new(Device::open("sim")?)?;
//! let ranks: Vec<_> = (0..2)
//!     .map(|rank| {
//!         std::thread::spawn(move || -> cuprum::Result<Vec<f64>> {
//!             let device = Device::open(&format!("sim:{rank}"))?;
//!             device.with(|| {
//!                 let group = Communicator::join(device, &id, 2, rank)?;
//!                 let own = cuprum::array([rank as f64, 1.0])?;
//!                 let sum = cuprum::empty(2, cuprum::DType::F64)?;
//!                 group.all_reduce(&own, &sum, ReduceOp::Sum)?;
//!                 sum.to_vec()
//!             })
//!         })
//!     })
//!     .collect();
//! for rank in ranks {
//!     assert_eq!(rank.join().unwrap()?, [1.0, 2.0]);
//! }
//! # Ok::<(), cuprum::Error>(())
//! ```

mod arrays;
mod communicator;
mod groups;
mod raw;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};

use cuprum_macros::unrecorded;

use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};

pub use crate::driver::{Call, CallKind, ReduceOp};
pub use arrays::{
    AlignedChunk, Chunk, ChunkMode, DistributedArray, Halo, HaloChunk, HaloMode, Region, grid_2d, matmul, split_evenly,
};
pub use communicator::Communicator;
pub use groups::{group_calls, group_end, group_start};

/// Identity of a group of ranks that is being formed; NCCL's `ncclUniqueId`. It is passed to all ranks as its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GroupId([u8; 128]);

impl GroupId {
    /// Creates the id of a group of devices of the same kind as this one; CuPy's `nccl.get_unique_id`. The process that
    /// creates it must live as long as the group.
    ///
    /// See [`distributed`](self) for an example.
    ///
    /// # Errors
    ///
    /// [`Library`](crate::ErrorKind::Library) if NCCL is missing, [`Driver`](crate::ErrorKind::Driver) if it fails.
    pub fn new(device: Device) -> Result<GroupId> {
        device.driver().and_then(|driver| driver.group_id(None)).map(GroupId).map_err(|e| e.with_op("GroupId::new"))
    }

    /// Creates the id of a group as [`GroupId::new`] does, whose ranks all reach this process at `host`, the name or the
    /// address of this machine.
    ///
    /// The ranks wait for each other there before they form the group, so that a rank that does not come is named
    /// within `CUPRUM_COLLECTIVES_TIMEOUT` seconds. On the simulator it is as [`GroupId::new`].
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{Communicator, GroupId}};
    /// let device = Device::open("sim")?;
    /// let id = GroupId::at_host(device, "127.0.0.1")?;
    /// assert_eq!(Communicator::join(device, &id, 1, 0)?.size(), 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`GroupId::new`]; [`Value`](crate::ErrorKind::Value) for a host without an IPv4 address,
    /// [`Driver`](crate::ErrorKind::Driver) if the process cannot listen at it.
    pub fn at_host(device: Device, host: &str) -> Result<GroupId> {
        let go = || {
            let found = (host, 0).to_socket_addrs().ok();
            let ip = found
                .and_then(|mut found| found.find_map(|at| if let IpAddr::V4(ip) = at.ip() { Some(ip) } else { None }));
            let Some(ip) = ip else {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!(
                        "host is {host:?}, which has no IPv4 address: give the name or the address of this machine"
                    ),
                ));
            };
            device.driver()?.group_id(Some(ip)).map(GroupId)
        };
        go().map_err(|e| e.with_op("GroupId::at_host"))
    }

    /// Returns the id of these bytes.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::GroupId};
    /// let id = GroupId::new(Device::open("sim")?)?;
    /// assert_eq!(GroupId::from_bytes(*id.as_bytes()), id);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn from_bytes(bytes: [u8; 128]) -> GroupId {
        GroupId(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; 128] {
        &self.0
    }
}

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupId")
    }
}

/// Returns the version of NCCL as its number (22304 for 2.23.4); CuPy's `nccl.get_version`. On the simulator it is that
/// of the functions that are there.
///
/// ```
/// use cuprum::{cuda::Device, distributed::nccl_version};
/// assert!(nccl_version(Device::open("sim")?)? >= 20000);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Library`](crate::ErrorKind::Library) if NCCL is missing.
#[unrecorded("takes no array: tested in `gpu/src/distributed/tests.rs`")]
pub fn nccl_version(device: Device) -> Result<i32> {
    device.driver().and_then(|driver| driver.collectives_version()).map_err(|e| e.with_op("distributed::nccl_version"))
}
