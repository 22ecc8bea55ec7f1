//! Check of LAPACK's `info` for each matrix of a batch on the device, without synchronisation. A matrix whose
//! decomposition failed is written to the error record, and reported by the next synchronising call.
//!
//! Lower bound: the elements of `info` once, in one launch.

use cuprum_kernels::DType;
use cuprum_kernels::params::Written;
use cuprum_kernels::source::{LapackInfoParams, check_lapack_info_source};

use crate::array::Array;
use crate::cuda::Rejection;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read};
use crate::error::Result;

const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType> = Kernels::default();
}

/// Rejects, in the name of a function, each matrix whose element of `info` is not 0.
pub(crate) fn check_lapack_info(function: &'static str, rejection: Rejection, info: &Array) -> Result<()> {
    let (device, dtype, count) = (info.device(), info.dtype(), info.size());
    debug_assert!(info.is_c_contiguous());
    if count == 0 {
        return Ok(());
    }
    let source = || (format!("check_lapack_info/{dtype}"), check_lapack_info_source(dtype));
    let [kernel] = kernels(&KERNELS, device, dtype, ["check_lapack_info"], source)?;
    let checked = device.checked_call((function, ""))?;
    let params = LapackInfoParams {
        width: Default::default(),
        count,
        call: checked.call,
        function: checked.function,
        message: rejection as u32,
        info: read(info),
        record: Written(Some(DevicePtr::start(&checked.memory))),
    };
    let blocks = Blocks::of(count.div_ceil(THREADS), count, "matrices");
    // SAFETY: as many elements are read as there are; the record has the words of `device_errors.cuh`.
    unsafe { Launcher::on(device).launch(kernel, blocks, THREADS, &params) }?;
    device.check_errors_now()
}
