//! Calls on memory that is given by addresses, and the elements in which NCCL passes those of an array.

use cuprum_kernels::DType;

use super::{Call, CallKind, Communicator, ReduceOp};
use crate::error::{Error, ErrorKind, Result};

impl Communicator {
    /// Queues a call on memory given by its addresses, as [`Communicator`]'s functions on arrays do; the functions of
    /// CuPy's `NcclCommunicator`. `count` and `dtype` are NCCL's.
    ///
    /// # Errors
    ///
    /// As the functions on arrays.
    ///
    /// # Safety
    ///
    /// The addresses are those of live memory of the device with the elements of the call until the stream has
    /// completed it, and the stream is one of the device.
    pub unsafe fn call_raw(&self, call: &Call, stream: usize) -> Result<()> {
        let go = || {
            self.check_ranks(call.kind)?;
            // SAFETY: the caller guarantees the memory and the stream.
            unsafe { self.member()?.of.call(self.device().driver()?, call, stream) }
        };
        go().map_err(|e: Error| e.with_op("Communicator::call_raw"))
    }
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
