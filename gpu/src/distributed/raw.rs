//! Calls on memory that is given by addresses, and the elements in which NCCL passes those of an array.

use cuprum_kernels::DType;

use super::{Communicator, ReduceOp};
use crate::driver::collectives::{Call, CallKind};
use crate::error::{Error, ErrorKind, Result};

impl Communicator {
    /// Queues a call on memory given by its addresses, as [`Communicator`]'s functions on arrays do; the functions of CuPy's
    /// `NcclCommunicator`. `count` and `dtype` are NCCL's.
    ///
    /// # Errors
    ///
    /// As the functions on arrays.
    ///
    /// # Safety
    ///
    /// The addresses are those of live memory of the device with the elements of the call until the stream has completed it, and the stream
    /// is one of the device.
    pub unsafe fn call_raw(&self, call: RawCall, stream: usize) -> Result<()> {
        let go = || {
            let RawCall { op, send, recv, count, dtype } = call;
            let kind = match op {
                RawOp::AllReduce(op) => CallKind::AllReduce(op),
                RawOp::Reduce(op, root) => CallKind::Reduce(op, root),
                RawOp::Broadcast(root) => CallKind::Broadcast(root),
                RawOp::AllGather => CallKind::AllGather,
                RawOp::ReduceScatter(op) => CallKind::ReduceScatter(op),
                RawOp::Send(peer) => CallKind::Send(peer),
                RawOp::Recv(peer) => CallKind::Recv(peer),
            };
            match kind {
                CallKind::Reduce(_, rank) | CallKind::Broadcast(rank) => self.check_rank(rank, "root")?,
                CallKind::Send(rank) | CallKind::Recv(rank) => self.check_rank(rank, "peer")?,
                _ => {}
            }
            let call = Call { kind, send, recv, count, dtype };
            // SAFETY: the caller guarantees the memory and the stream.
            unsafe { self.member()?.of.call(self.device().driver()?, &call, stream) }
        };
        go().map_err(|e: Error| e.with_op("Communicator::call_raw"))
    }
}

/// Call on memory given by its addresses.
#[derive(Clone, Copy, Debug)]
pub struct RawCall {
    /// The operation.
    pub op: RawOp,
    /// The address of the elements that are sent.
    pub send: u64,
    /// The address of the elements that are received.
    pub recv: u64,
    /// The number of elements, as NCCL counts them for the operation.
    pub count: usize,
    /// Their dtype: an integer of 8, 32 or 64 bits or a real number.
    pub dtype: DType,
}

/// Operation of a [`RawCall`].
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum RawOp {
    AllReduce(ReduceOp),
    Reduce(ReduceOp, usize),
    Broadcast(usize),
    AllGather,
    ReduceScatter(ReduceOp),
    Send(usize),
    Recv(usize),
}

/// Returns the dtype of NCCL in which elements are passed, how many of it an element has, and the call on them.
pub(super) fn units(dtype: DType, kind: CallKind) -> Result<(DType, usize, CallKind)> {
    let op = match kind {
        CallKind::AllReduce(op) | CallKind::Reduce(op, _) | CallKind::ReduceScatter(op) => Some(op),
        _ => None,
    };
    let rejected = |what: &str| {
        let op = op.map(|op| format!("{op:?}").to_lowercase()).unwrap_or_default();
        Err(Error::new(ErrorKind::Type, format!("elements of {dtype} cannot be combined by {op}: {what}")))
    };
    match (dtype, op) {
        (DType::Bool, None) => Ok((DType::U8, 1, kind)),
        (DType::Bool, Some(op)) => {
            let truth = match op {
                ReduceOp::Sum | ReduceOp::Max => ReduceOp::Max,
                ReduceOp::Prod | ReduceOp::Min => ReduceOp::Min,
                ReduceOp::Avg => return rejected("convert them to a number"),
            };
            let kind = match kind {
                CallKind::AllReduce(_) => CallKind::AllReduce(truth),
                CallKind::Reduce(_, root) => CallKind::Reduce(truth, root),
                _ => CallKind::ReduceScatter(truth),
            };
            Ok((DType::U8, 1, kind))
        }
        (DType::I16 | DType::U16, None) => Ok((DType::U8, 2, kind)),
        (DType::I16 | DType::U16, Some(_)) => rejected("NCCL has no 16-bit integers; convert them to int32"),
        (DType::C64 | DType::C128, Some(ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min)) => {
            rejected("NCCL adds the parts of complex numbers only")
        }
        (DType::C64, _) => Ok((DType::F32, 2, kind)),
        (DType::C128, _) => Ok((DType::F64, 2, kind)),
        _ => Ok((dtype, 1, kind)),
    }
}
