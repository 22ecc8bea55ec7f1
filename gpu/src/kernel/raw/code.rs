//! Separate compilation: pieces of device code that are compiled and linked.
//!
//! Device functions in one source can be called from another, as with `nvcc -rdc=true`.

use std::path::Path;
use std::sync::Arc;

use super::{RawModule, RawModuleOptions, check_backend, source_of};
use crate::cuda::{Device, Source};
use crate::driver::cache::key;
use crate::driver::nvrtc::{FOR_LINKER, with_lines};
use crate::driver::{CodeKind, Piece};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::headers::with_header_advice;

/// Compiled piece of device code that is not linked yet: it may call functions and name variables that others define.
///
/// Symbols that others refer to are `extern "C" __device__`, or `__device__` in C++ under the same declaration. With
/// the option `-dlto` it is LTO-IR, which the linker optimises together with the other pieces, as if all were one
/// source; without, PTX on the simulator and a CUBIN for the device's architecture on a GPU. CUDA's `nvcc -dc` produces
/// such pieces, too.
///
/// ```
/// use cuprum::{Argument, RawCode, RawModule, array};
///
/// let library = RawCode::compile("extern \"C\" __device__ float f(float x) { return x * x; }", &Default::default())?;
/// let user = r#"extern "C" __device__ float f(float);
/// extern "C" __global__ void apply(float *x) { x[threadIdx.x] = f(x[threadIdx.x]); }"#;
/// let module = RawModule::link(&[RawCode::compile(user, &Default::default())?, library], &[])?;
/// let x = array([1f32, 2.0, 3.0])?;
/// // SAFETY: the argument is that of the kernel, and it stays inside the array.
/// unsafe { module.kernel("apply")?.launch([1; 3], [3, 1, 1], &[Argument::Array(&x)])? };
/// assert_eq!(x.to_vec::<f32>()?, [1.0, 4.0, 9.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawCode {
    kind: CodeKind,
    code: Arc<[u8]>,
    /// The expressions, and their lowered names in the code.
    names: Vec<(String, String)>,
}

impl RawCode {
    /// Compiles a source for the current device.
    ///
    /// The result can be stored, and linked with other pieces by [`RawModule::link`].
    ///
    /// # Errors
    ///
    /// As [`RawModule::compile`].
    pub fn compile(text: &str, module_options: &RawModuleOptions) -> Result<RawCode> {
        RawCode::made(text, module_options, None).map_err(|e| e.with_op("RawCode"))
    }

    pub(super) fn made(text: &str, module_options: &RawModuleOptions, beside: Option<&Path>) -> Result<RawCode> {
        check_backend(module_options)?;
        let device = Device::current()?;
        let mut source: Source<'_> = source_of(text, module_options, beside);
        let is = |option: &String, names: [&str; 2]| names.contains(&option.split('=').next().unwrap_or_default());
        source.options.retain(|o| !is(o, ["-rdc", "--relocatable-device-code"]));
        source.options.push("-rdc=true".into());
        let is_lto = source.options.iter().any(|o| asks_for_lto(o));
        source.options.retain(|o| !asks_for_lto(o));
        source.options.extend(is_lto.then(|| FOR_LINKER.into()));
        let image = device.piece(&source).map_err(|e| with_header_advice(with_lines(e, text)))?;
        let names = module_options.expressions.iter().cloned().zip(image.names).collect();
        Ok(RawCode { names, ..RawCode::read(&image.code)? })
    }

    /// Loads existing code: LTO-IR, PTX, a CUBIN, a fatbin, a host object with device code in it, or a library of such
    /// objects.
    ///
    /// ```
    /// use cuprum::RawCode;
    /// let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }";
    /// assert_eq!(RawCode::load(ptx.as_bytes())?.bytes(), ptx.as_bytes());
    /// assert!(RawCode::load(b"no code").is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for code of any other kind.
    pub fn load(code: &[u8]) -> Result<RawCode> {
        RawCode::read(code).map_err(|e| e.with_op("RawCode"))
    }

    fn read(code: &[u8]) -> Result<RawCode> {
        let Some(kind) = CodeKind::of(code) else {
            let message = format!(
                "{} bytes are no device code: give LTO-IR, PTX, a CUBIN, a fatbin, or an object or a library that has some, and \
                 compile CUDA C++ by RawCode::compile",
                code.len()
            );
            return Err(Error::new(ErrorKind::Value, message));
        };
        Ok(RawCode { kind, code: code.into(), names: vec![] })
    }

    /// Returns the kind of code.
    ///
    /// It follows from the first bytes of the code.
    ///
    /// ```
    /// use cuprum::{CodeKind, RawCode};
    /// let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }";
    /// assert_eq!(RawCode::load(ptx.as_bytes())?.kind(), CodeKind::Ptx);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn kind(&self) -> CodeKind {
        self.kind
    }

    /// Returns the code in the form that [`RawCode::load`] takes, to be stored or distributed.
    pub fn bytes(&self) -> &[u8] {
        &self.code
    }
}

/// Returns true if a compiler option requests code that the linker optimises.
pub(super) fn asks_for_lto(option: &str) -> bool {
    matches!(option, FOR_LINKER | "--dlink-time-opt")
}

impl RawModule {
    /// Links pieces of device code for the current device: each function and variable that one of them names must be
    /// defined by one. `options` are the linker's (nvJitLink's: `-O2`, `-maxrregcount=32`, `-lineinfo`); the simulator,
    /// which optimises nothing, ignores them. By default multiplications and additions are not contracted; with
    /// `-fma=1` those in LTO-IR and PTX are.
    ///
    /// A GPU needs nvJitLink (`pip install nvidia-nvjitlink`, or a toolkit of CUDA 12.0 or later). The simulator links
    /// PTX. Linked code is stored in the caches.
    ///
    /// # Errors
    ///
    /// [`Compile`](ErrorKind::Compile) for a symbol that no piece defines, or two, and for code that the linker
    /// rejects; [`NotImplemented`](ErrorKind::NotImplemented) on the simulator for other code than PTX;
    /// [`Library`](ErrorKind::Library) if nvJitLink is missing; [`Value`](ErrorKind::Value) for no pieces.
    pub fn link(pieces: &[RawCode], options: &[&str]) -> Result<RawModule> {
        RawModule::of_pieces(pieces, options).map_err(|e| e.with_op("RawModule"))
    }

    pub(super) fn of_pieces(pieces: &[RawCode], options: &[&str]) -> Result<RawModule> {
        if pieces.is_empty() {
            return Err(Error::new(ErrorKind::Value, "no pieces of code are given: at least one has a kernel"));
        }
        let device = Device::current()?;
        let all: Vec<Piece<'_>> = pieces.iter().map(|p| Piece { kind: p.kind, code: &p.code }).collect();
        let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
        let module = device.linked(&all, &options)?;
        let names = pieces.iter().flat_map(|piece| piece.names.iter().cloned()).collect();
        let identity = key(&pieces.iter().map(|piece| &*piece.code).collect::<Vec<&[u8]>>());
        Ok(RawModule { device, module, names, identity })
    }
}
