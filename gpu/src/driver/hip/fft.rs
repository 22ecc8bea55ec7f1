//! Discrete Fourier transforms on HIP devices by hipFFT. Compiled, never run.
//!
//! Plans have 32-bit sizes and strides: the function with 64-bit ones is new. Users' callbacks are kernels of the engine's,
//! and factors a pass after the transform.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::api::Pointer;
use super::{lacking, rocm};
use crate::driver::StreamHandle;
use crate::driver::symbols::symbols;
use crate::driver::transform::{BatchLayout, Hook, LibraryPlan, Transform, TransformKind, Transforming};
use crate::error::{Error, ErrorKind, Result};

symbols! {
    /// The functions of hipFFT.
    Api, error
    fn create(plan: *mut Pointer) = "hipfftCreate";
    fn destroy(plan: Pointer) = "hipfftDestroy";
    fn set_auto_allocation(plan: Pointer, automatic: c_int) = "hipfftSetAutoAllocation";
    fn make(
        plan: Pointer,
        rank: c_int,
        n: *mut c_int,
        inembed: *mut c_int,
        istride: c_int,
        idist: c_int,
        onembed: *mut c_int,
        ostride: c_int,
        odist: c_int,
        kind: c_int,
        batch: c_int,
        work: *mut usize,
    ) = "hipfftMakePlanMany";
    fn set_stream(plan: Pointer, stream: Pointer) = "hipfftSetStream";
    fn set_work_area(plan: Pointer, work: Pointer) = "hipfftSetWorkArea";
    fn c2c(plan: Pointer, input: Pointer, output: Pointer, direction: c_int) = "hipfftExecC2C";
    fn z2z(plan: Pointer, input: Pointer, output: Pointer, direction: c_int) = "hipfftExecZ2Z";
    fn r2c(plan: Pointer, input: Pointer, output: Pointer) = "hipfftExecR2C";
    fn d2z(plan: Pointer, input: Pointer, output: Pointer) = "hipfftExecD2Z";
    fn c2r(plan: Pointer, input: Pointer, output: Pointer) = "hipfftExecC2R";
    fn z2d(plan: Pointer, input: Pointer, output: Pointer) = "hipfftExecZ2D";
}

impl Api {
    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "invalid plan",
            2 => "allocation failed",
            4 => "invalid value",
            5 => "internal error",
            6 => "execution failed",
            7 => "setup failed",
            8 => "invalid size",
            13 => "no workspace",
            14 => "not implemented",
            16 => "not supported",
            _ => "unknown",
        };
        let kind = if code == 2 { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}"))
    }
}

/// hipFFT of a device. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Hipfft {
    /// The library, loaded at the first plan.
    pub(super) api: OnceLock<Api>,
}

/// Converts a size or a stride that the library takes in 32 bits.
fn int(n: i64) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| {
        let what = format!("a length, stride or distance of {n} is more than the {} that hipFFT takes", c_int::MAX);
        Error::new(ErrorKind::Value, what)
    })
}

/// Returns `hipfftType` of a transform.
fn kind(of: &Transform) -> c_int {
    let kind = match of.turning {
        TransformKind::Complex => 0x29,
        TransformKind::Forward => 0x2a,
        TransformKind::Backward => 0x2c,
    };
    if of.wide { kind | 0x40 } else { kind }
}

impl Hipfft {
    fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = rocm::HIPFFT.functions(|library, absent| Api::resolve(library, absent))?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// Creates a plan. The device must be current.
    pub(super) fn plan(&self, of: &Transform) -> Result<LibraryPlan> {
        let api = self.api()?;
        let mut plan = ptr::null_mut();
        // SAFETY: `plan` is a live variable.
        unsafe { api.create(&mut plan) }?;
        match Self::make(api, plan, of) {
            Ok(work) => Ok(LibraryPlan { handle: plan as usize, work }),
            Err(e) => {
                // The first failure is the one that is reported.
                // SAFETY: the plan was created above, and has not been executed.
                let _ = unsafe { api.destroy(plan) };
                Err(e)
            }
        }
    }

    fn make(api: &Api, plan: Pointer, of: &Transform) -> Result<usize> {
        let ints = |all: [i64; 3]| -> Result<[c_int; 3]> { Ok([int(all[0])?, int(all[1])?, int(all[2])?]) };
        let layout = |of: &BatchLayout| -> Result<_> { Ok((ints(of.embed)?, int(of.stride)?, int(of.dist)?)) };
        let (mut n, mut work) = (ints(of.n)?, 0);
        let ((mut inembed, istride, idist), (mut onembed, ostride, odist)) = (layout(&of.input)?, layout(&of.output)?);
        if matches!(of.store, Some(Hook::Factor { .. })) {
            return Err(lacking("transforms that apply a factor (CUPRUM_FFT_CALLBACKS)"));
        }
        // SAFETY: the plan is live, and the tables have an entry for each of the maximum number of axes.
        unsafe {
            api.set_auto_allocation(plan, 0)?;
            api.make(
                plan,
                of.rank as c_int,
                n.as_mut_ptr(),
                inembed.as_mut_ptr(),
                istride,
                idist,
                onembed.as_mut_ptr(),
                ostride,
                odist,
                kind(of),
                int(of.batch)?,
                &mut work,
            )?;
        }
        Ok(work)
    }

    /// Destroys a plan.
    ///
    /// # Safety
    ///
    /// The plan is live and not used again, and the device is current.
    pub(super) unsafe fn forget(&self, plan: LibraryPlan) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.api()?.destroy(plan.handle as Pointer) }
    }

    /// Queues a transform.
    ///
    /// # Safety
    ///
    /// The device is current, the stream is live, no other thread uses the plan, and the addresses are those of live
    /// device memory of the transform's sizes until the stream has completed it.
    pub(super) unsafe fn run(&self, call: &Transforming, stream: StreamHandle) -> Result<()> {
        let (api, plan, of) = (self.api()?, call.plan.handle as Pointer, &call.transform);
        let (input, output) = (call.input as *mut c_void, call.output as *mut c_void);
        let direction = if call.inverse { 1 } else { -1 };
        // SAFETY: guaranteed by the caller; the work area has the plan's size.
        unsafe {
            api.set_stream(plan, stream as Pointer)?;
            api.set_work_area(plan, call.work as Pointer)?;
            match (of.turning, of.wide) {
                (TransformKind::Complex, false) => api.c2c(plan, input, output, direction),
                (TransformKind::Complex, true) => api.z2z(plan, input, output, direction),
                (TransformKind::Forward, false) => api.r2c(plan, input, output),
                (TransformKind::Forward, true) => api.d2z(plan, input, output),
                (TransformKind::Backward, false) => api.c2r(plan, input, output),
                (TransformKind::Backward, true) => api.z2d(plan, input, output),
            }
        }
    }
}
