//! Discrete Fourier transforms on CUDA devices by cuFFT.
//!
//! Plans are created by the function with 64-bit sizes and strides, for all dtypes. Their work areas are allocated by
//! the caller.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::sync::OnceLock;

use cudarc::cublas::sys::cudaDataType;

use super::fft_callbacks::{self, Side};
use super::library::{Loaded, Needs, Part, version};
use super::symbols::symbols;
use super::transform::{Hook, LibraryPlan, Transform, TransformKind, Transforming};
use super::{StreamHandle, search_paths};
use crate::error::{Error, ErrorKind, Result};

symbols! {
    /// The functions of cuFFT.
    Api, error
    fn property(which: c_int, value: *mut c_int) = "cufftGetProperty";
    fn create(plan: *mut c_int) = "cufftCreate";
    fn destroy(plan: c_int) = "cufftDestroy";
    fn set_auto_allocation(plan: c_int, automatic: c_int) = "cufftSetAutoAllocation";
    // The second name has fewer parameters in previews of CUDA 12, which lack the first one.
    fn set_callback(
        plan: c_int, symbol: *const c_char, code: *const c_void, bytes: usize, kind: c_int, info: *mut *mut c_void,
    ) = "__cufftXtSetJITCallback_12_7" | "cufftXtSetJITCallback";
    fn make(
        plan: c_int, rank: c_int, n: *mut c_longlong, inembed: *mut c_longlong, istride: c_longlong, idist: c_longlong,
        input: cudaDataType, onembed: *mut c_longlong, ostride: c_longlong, odist: c_longlong, output: cudaDataType,
        batch: c_longlong, work: *mut usize, compute: cudaDataType,
    ) = "cufftXtMakePlanMany";
    fn set_stream(plan: c_int, stream: *mut c_void) = "cufftSetStream";
    fn set_work_area(plan: c_int, work: *mut c_void) = "cufftSetWorkArea";
    fn run(plan: c_int, input: *mut c_void, output: *mut c_void, direction: c_int) = "cufftXtExec";
}

/// Status of a plan for which the linker is missing: `CUFFT_MISSING_DEPENDENCY`.
const MISSING_DEPENDENCY: c_int = 17;

/// The direction of `cufftXtExec`: the sign of the exponent. Real transforms have one direction, whatever is passed.
const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

/// The linker of device code, which newer versions call for plans with callbacks, is in a separate folder. Loading it takes
/// longer than all else that a plan needs, so for other plans it is loaded only if the library reports that it is missing.
pub(super) const CUFFT: Loaded = Loaded {
    name: "cuFFT",
    spec: &search_paths::CUFFT,
    since: "CUDA 12.0",
    parts: &[
        Part { package: Some("nvjitlink"), file: "libnvJitLink.so.13" },
        Part { package: Some("nvjitlink"), file: "libnvJitLink.so.12" },
    ],
    needs: Needs::Later,
};

impl Api {
    fn load() -> Result<Api> {
        CUFFT.functions(|library, absent| Api::resolve(library, absent), Api::version)
    }

    fn version(&self) -> String {
        // SAFETY: the value is a live variable.
        version(|which, value| unsafe { self.property(which, value) })
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "invalid plan",
            2 => "allocation failed",
            3 => "invalid type",
            4 => "invalid value",
            5 => "internal error",
            6 => "execution failed",
            7 => "setup failed",
            8 => "invalid size",
            9 => "unaligned data",
            11 => "invalid device",
            13 => "no workspace",
            14 => "not implemented",
            16 => "not supported",
            MISSING_DEPENDENCY => "a dependency is missing",
            18 => "NVRTC failed",
            19 => "nvJitLink failed",
            _ => "unknown",
        };
        let kind = if code == 2 { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}")).with_status(code)
    }
}

/// cuFFT of a device. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Cufft {
    /// The library, loaded at the first plan.
    api: OnceLock<Api>,
}

impl Cufft {
    fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = Api::load()?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// Creates a plan. The device's context must be current.
    pub(super) fn plan(&self, of: &Transform, target: &str) -> Result<LibraryPlan> {
        let api = self.api()?;
        if of.load.is_some() || of.store.is_some() {
            CUFFT.complete()?;
        }
        match Self::attempt(api, of, target) {
            Err(e) if e.status() == Some(MISSING_DEPENDENCY) => {
                CUFFT.complete()?;
                Self::attempt(api, of, target)
            }
            done => done,
        }
    }

    fn attempt(api: &Api, of: &Transform, target: &str) -> Result<LibraryPlan> {
        let mut plan = 0;
        // SAFETY: `plan` is a live variable.
        unsafe { api.create(&mut plan) }?;
        match Self::make(api, plan, of, target) {
            Ok(work) => Ok(LibraryPlan { handle: plan as usize, work }),
            Err(e) => {
                // The first failure is the one that is reported.
                // SAFETY: the plan was created above, and has not been executed.
                let _ = unsafe { api.destroy(plan) };
                Err(e)
            }
        }
    }

    fn make(api: &Api, plan: c_int, of: &Transform, target: &str) -> Result<usize> {
        // The library reads the callback code when it creates the plan.
        let load = of.load.map(|hook| Self::hook(api, plan, of, hook, Side::Load, target)).transpose()?;
        let store = of.store.map(|hook| Self::hook(api, plan, of, hook, Side::Store, target)).transpose()?;
        let work = Self::create(api, plan, of).map_err(|e| match (&load, &store) {
            (None, None) => e,
            _ => Error::new(e.kind(), format!("{}, of a plan with callbacks: {}", e.message(), fft_callbacks::ADVICE)),
        })?;
        drop((load, store));
        Ok(work)
    }

    /// Sets a callback of a plan that is not created yet, and returns its code.
    fn hook(
        api: &Api,
        plan: c_int,
        of: &Transform,
        hook: Hook,
        side: Side,
        target: &str,
    ) -> Result<std::sync::Arc<[u8]>> {
        if let (Err(_), version) = (&api.set_callback, api.version()) {
            let message = format!(
                "cuFFT {version} has no function cufftXtSetJITCallback for callbacks: that of CUDA 12.6 Update 2 or later is \
                 needed"
            );
            return Err(Error::new(ErrorKind::Library, message));
        }
        let code = fft_callbacks::code(of, hook, side, target)?;
        let mut info = match hook {
            // The address is a number that only the callback reads.
            Hook::Factor { bits, .. } => bits,
            Hook::Text { data, .. } => data,
        } as usize as *mut c_void;
        let symbol: &CStr = side.symbol();
        // SAFETY: the plan is live and not created; symbol and code outlive the creation; there is one device, and one
        // address.
        unsafe {
            api.set_callback(
                plan,
                symbol.as_ptr(),
                code.as_ptr().cast(),
                code.len(),
                side.kind(of) as c_int,
                &mut info,
            )?;
        }
        Ok(code)
    }

    fn create(api: &Api, plan: c_int, of: &Transform) -> Result<usize> {
        use cudaDataType::{CUDA_C_32F, CUDA_C_64F, CUDA_R_32F, CUDA_R_64F};
        let (real, complex) = if of.wide { (CUDA_R_64F, CUDA_C_64F) } else { (CUDA_R_32F, CUDA_C_32F) };
        let (from, to) = match of.turning {
            TransformKind::Complex => (complex, complex),
            TransformKind::Forward => (real, complex),
            TransformKind::Backward => (complex, real),
        };
        let (mut n, mut input, mut output, mut work) = (of.n, of.input.embed, of.output.embed, 0);
        // SAFETY: the plan is live, and the tables have an entry for each of the maximum number of axes.
        unsafe {
            api.set_auto_allocation(plan, 0)?;
            api.make(
                plan,
                of.rank as c_int,
                n.as_mut_ptr(),
                input.as_mut_ptr(),
                of.input.stride,
                of.input.dist,
                from,
                output.as_mut_ptr(),
                of.output.stride,
                of.output.dist,
                to,
                of.batch,
                &mut work,
                complex,
            )?;
        }
        Ok(work)
    }

    /// Destroys a plan.
    ///
    /// # Safety
    ///
    /// The plan is live and not used again, and the device's context is current.
    pub(super) unsafe fn forget(&self, plan: LibraryPlan) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.api()?.destroy(plan.handle as c_int) }
    }

    /// Queues a transform.
    ///
    /// # Safety
    ///
    /// The device's context is current, the stream is live, no other thread uses the plan, and the addresses are those
    /// of live device memory of the transform's sizes until the stream has completed it.
    pub(super) unsafe fn run(&self, call: &Transforming, stream: StreamHandle) -> Result<()> {
        let (api, plan) = (self.api()?, call.plan.handle as c_int);
        // SAFETY: guaranteed by the caller; the work area has the plan's size.
        unsafe {
            api.set_stream(plan, stream as *mut c_void)?;
            api.set_work_area(plan, call.work as *mut c_void)?;
            let inverse = call.inverse || call.transform.turning == TransformKind::Backward;
            let direction = if inverse { INVERSE } else { FORWARD };
            api.run(plan, call.input as *mut c_void, call.output as *mut c_void, direction)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::transform::BatchLayout;
    use super::*;

    #[test]
    fn a_library_without_callbacks_says_which_one_has_them() {
        let (input, output) = (BatchLayout::default(), BatchLayout::default());
        let hook = Hook::Factor { bits: 0.5f64.to_bits(), conjugate: false };
        let (n, turning) = ([8, 1, 1], TransformKind::Complex);
        let of = Transform { turning, wide: false, rank: 1, n, input, output, batch: 1, load: None, store: Some(hook) };
        let e = Cufft::make(&Api::absent(), 0, &of, "sm_90").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        assert!(e.message().contains("CUDA 12.6 Update 2 or later"), "{e}");
    }
}
