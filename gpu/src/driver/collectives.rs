//! Collective operations of several devices, one of each rank of a group: the interface that NCCL and the simulator
//! implement.
//!
//! A rank is a device of a process or a thread; a group has a number of them, and every rank makes the same calls in
//! the same order.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cuprum_kernels::DType;

use super::{Driver, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// Identity of a group that is being formed, as many bytes as NCCL's; all ranks pass the same one.
pub(crate) type GroupId = [u8; 128];

/// Operation that combines the elements of all ranks.
///
/// Names and meanings are NCCL's (`ncclRedOp_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// The sum; of booleans, whether any is true.
    Sum,
    /// The product; of booleans, whether all are true.
    Prod,
    /// The maximum.
    Max,
    /// The minimum.
    Min,
    /// The sum divided by the number of ranks, rounded towards zero for integers.
    Avg,
}

impl ReduceOp {
    /// Returns the operation with one of the names `sum`, `prod`, `max`, `min` and `avg`.
    pub fn from_name(name: &str) -> Option<ReduceOp> {
        Some(match name {
            "sum" => ReduceOp::Sum,
            "prod" => ReduceOp::Prod,
            "max" => ReduceOp::Max,
            "min" => ReduceOp::Min,
            "avg" => ReduceOp::Avg,
            _ => return None,
        })
    }
}

/// Kind of a collective operation or of a transfer between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// The combination for all ranks.
    AllReduce(ReduceOp),
    /// The combination for one rank, the root.
    Reduce(ReduceOp, usize),
    /// The elements of the root for all ranks.
    Broadcast(usize),
    /// The elements of all ranks, in the order of the ranks. The count is that of one rank.
    AllGather,
    /// The part of a combination that has the number of the rank. The count is that of one part.
    ReduceScatter(ReduceOp),
    /// Elements for a rank.
    Send(usize),
    /// Elements of a rank.
    Recv(usize),
}

/// Call of one rank on memory given by its addresses.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The operation.
    pub kind: CallKind,
    /// The address of the elements that are sent.
    pub send: u64,
    /// The address of the elements that are received.
    pub recv: u64,
    /// The number of elements, as NCCL counts them for the operation.
    pub count: usize,
    /// Their dtype, one that NCCL has: an integer of 8, 32 or 64 bits or a real number.
    pub dtype: DType,
}

impl Call {
    /// Returns the numbers of elements that a rank of a group of `size` sends and receives.
    pub(crate) fn elements(&self, rank: usize, size: usize) -> [usize; 2] {
        let n = self.count;
        match self.kind {
            CallKind::AllReduce(_) => [n, n],
            CallKind::Reduce(_, root) => [n, if rank == root { n } else { 0 }],
            CallKind::Broadcast(root) => [if rank == root { n } else { 0 }, n],
            CallKind::AllGather => [n, n * size],
            CallKind::ReduceScatter(_) => [n * size, n],
            CallKind::Send(_) => [n, 0],
            CallKind::Recv(_) => [0, n],
        }
    }
}

/// The membership of a device in a group.
pub(crate) trait Collectives: Send + Sync + fmt::Debug {
    /// Queues a call after the work of a stream of the rank's device. Between [`Driver::begin_group`] and
    /// [`Driver::end_group`] it is queued when the group ends.
    ///
    /// # Safety
    ///
    /// The addresses are those of live memory of the device with the elements of the call until the stream has
    /// completed it.
    unsafe fn call(&self, driver: &'static dyn Driver, call: &Call, stream: StreamHandle) -> Result<()>;

    /// Divides the group: ranks of the same colour form a group in the order of their keys; without a colour the rank
    /// is in none. All ranks must call it.
    fn split(&self, driver: &'static dyn Driver, color: Option<u32>, key: i32) -> Result<Option<Membership>>;

    /// Returns the error of a call that has failed since it was queued.
    fn check(&self) -> Result<()>;

    /// Ends the membership without waiting: pending calls of this rank, and then those of others, fail.
    fn abort(&self) -> Result<()>;

    /// Ends the membership after all calls of this rank have completed.
    fn leave(&self) -> Result<()>;
}

/// Membership of a rank, and the rank and the size of the group.
#[derive(Clone, Debug)]
pub(crate) struct Membership {
    /// The group, by NCCL or by the simulator.
    pub(crate) of: Arc<dyn Collectives>,
    /// Number of this rank.
    pub(crate) rank: usize,
    /// Number of ranks.
    pub(crate) size: usize,
}

/// Returns the error of a membership that has ended.
pub(crate) fn has_ended() -> Error {
    Error::new(ErrorKind::Driver, "the communicator was destroyed or aborted: create one with a new id")
}

/// Returns how long ranks wait for each other: `CUPRUM_COLLECTIVES_TIMEOUT`, in seconds.
pub(super) fn patience() -> Result<Duration> {
    let Ok(text) = std::env::var("CUPRUM_COLLECTIVES_TIMEOUT") else { return Ok(Duration::from_secs(300)) };
    let seconds = text.parse().ok().filter(|&s: &f64| s > 0.0);
    seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).ok_or_else(|| {
        Error::new(
            ErrorKind::Value,
            format!("CUPRUM_COLLECTIVES_TIMEOUT must be a positive number of seconds, not {text:?}"),
        )
    })
}

/// Describes a call for a message.
pub(super) fn call_text(kind: CallKind, count: usize, dtype: DType) -> String {
    let op = |op: ReduceOp| format!("{op:?}").to_lowercase();
    let call = match kind {
        CallKind::AllReduce(of) => format!("all_reduce ({})", op(of)),
        CallKind::Reduce(of, root) => format!("reduce ({}, root {root})", op(of)),
        CallKind::Broadcast(root) => format!("broadcast (root {root})"),
        CallKind::AllGather => "all_gather".into(),
        CallKind::ReduceScatter(of) => format!("reduce_scatter ({})", op(of)),
        CallKind::Send(peer) => format!("send to rank {peer}"),
        CallKind::Recv(peer) => format!("recv from rank {peer}"),
    };
    format!("{call} of {count} elements of {dtype}")
}

/// Lists ranks: `rank 2`, `ranks 0 and 2`.
pub(super) fn ranks(which: &[usize]) -> String {
    match which {
        [] => "no rank".into(),
        [one] => format!("rank {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}
