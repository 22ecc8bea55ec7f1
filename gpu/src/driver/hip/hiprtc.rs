//! hipRTC: compilation of translated kernels on the machine of an AMD GPU. Code of AMD GPUs, compiled, never run.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use cuprum_kernels::hip::{qualify, translate};

use super::api::{Pointer, runtime};
use super::rocm;
use crate::driver::nvrtc::{FOR_LINKER, Image};
use crate::driver::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

symbols! {
    /// The functions of hipRTC.
    Api, error
    fn version(major: *mut c_int, minor: *mut c_int) = "hiprtcVersion";
    fn create(
        program: *mut Pointer,
        source: *const c_char,
        name: *const c_char,
        headers: c_int,
        texts: *const *const c_char,
        names: *const *const c_char,
    ) = "hiprtcCreateProgram";
    fn destroy(program: *mut Pointer) = "hiprtcDestroyProgram";
    fn compile(program: Pointer, count: c_int, options: *const *const c_char) = "hiprtcCompileProgram";
    fn log_size(program: Pointer, bytes: *mut usize) = "hiprtcGetProgramLogSize";
    fn log(program: Pointer, text: *mut c_char) = "hiprtcGetProgramLog";
    fn code_size(program: Pointer, bytes: *mut usize) = "hiprtcGetCodeSize";
    fn code(program: Pointer, code: *mut c_char) = "hiprtcGetCode";
    fn add_name(program: Pointer, expression: *const c_char) = "hiprtcAddNameExpression";
    fn lowered_name(program: Pointer, expression: *const c_char, name: *mut *const c_char) = "hiprtcGetLoweredName";
}

/// The namespace of every source: its names hide those of HIP's own headers, which precede it.
const NAMESPACE: &str = "cuprum";

/// Options of every compile. Contraction would round differently from device to device.
const OPTIONS: [&str; 2] = ["-std=c++17", "-ffp-contract=off"];

impl Api {
    fn error(&self, call: &str, code: c_int) -> Error {
        Error::new(ErrorKind::Compile, format!("{call} failed: code {code}"))
    }
}

/// Returns hipRTC, which is loaded once.
pub(super) fn hiprtc() -> Result<&'static Api> {
    static HIPRTC: OnceLock<Result<Api>> = OnceLock::new();
    HIPRTC
        .get_or_init(|| rocm::HIPRTC.functions(|library, absent| Api::resolve(library, absent)))
        .as_ref()
        .map_err(Clone::clone)
}

/// Returns the identity of hipRTC for cache keys: its version, and that of the runtime that it belongs to.
pub(in crate::driver) fn identity() -> Result<&'static str> {
    static IDENTITY: OnceLock<Result<String>> = OnceLock::new();
    let identity = IDENTITY.get_or_init(|| {
        let (api, (mut major, mut minor)) = (hiprtc()?, (0, 0));
        // SAFETY: both are live variables.
        unsafe { api.version(&mut major, &mut minor) }?;
        Ok(format!("hipRTC {major}.{minor} of HIP {}", runtime()?.0.version()?))
    });
    identity.as_deref().map_err(Clone::clone)
}

/// A program that is destroyed at the end of its scope.
struct Program<'a> {
    api: &'a Api,
    program: Pointer,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // A failure leaves memory behind, and cannot be reported.
        // SAFETY: the program is live and not used again.
        let _ = unsafe { self.api.destroy(&mut self.program) };
    }
}

impl Api {
    /// Compiles a source for an architecture. Options of NVRTC's that are the library's own are replaced by those of clang
    /// with the same meaning.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Compile`], with hipRTC's log and the numbered source, or with inline PTX that has no counterpart;
    /// [`ErrorKind::NotImplemented`] for code that is to be linked.
    pub(super) fn compiled(
        &self,
        text: &str,
        name: &str,
        target: &str,
        options: &[String],
        expressions: &[String],
    ) -> Result<Image> {
        if options.iter().any(|o| o == FOR_LINKER) {
            let what = format!("kernel {name}: HIP devices do not link device code: compile it as one source");
            return Err(Error::new(ErrorKind::NotImplemented, what));
        }
        let wrong = |e: String| Error::new(ErrorKind::Compile, format!("kernel {name}, for {target}: {e}"));
        let source = translate(text).map_err(wrong)?;
        let source = format!("namespace {NAMESPACE} {{\n{}\n}}\n", qualify(&source, NAMESPACE));
        let c_string = |s: &str| CString::new(s).map_err(|_| wrong("the text holds a NUL".into()));
        let (c_source, file) = (c_string(&source)?, c_string(&format!("{name}.hip"))?);
        let own = ["--std=c++17", "-default-device", "--fmad=false"];
        let users = options.iter().map(String::as_str).filter(|o| !own.contains(o));
        let arch = format!("--offload-arch={target}");
        let options: Vec<CString> =
            [arch.as_str()].into_iter().chain(OPTIONS).chain(users).map(c_string).collect::<Result<_>>()?;
        let expressions: Vec<CString> =
            expressions.iter().map(|e| c_string(&format!("{NAMESPACE}::{e}"))).collect::<Result<_>>()?;
        let mut program = ptr::null_mut();
        // SAFETY: the strings end with NUL and outlive the call; there are no headers.
        unsafe { self.create(&mut program, c_source.as_ptr(), file.as_ptr(), 0, ptr::null(), ptr::null()) }?;
        let program = Program { api: self, program };
        for e in &expressions {
            // SAFETY: the program is live and the string ends with NUL.
            unsafe { self.add_name(program.program, e.as_ptr()) }?;
        }
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the program is live; the number of options is passed.
        let compiled = unsafe { self.compile(program.program, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.read(Api::log_size, Api::log)?;
        let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string();
        if let Err(e) = compiled {
            let numbered: String = source.lines().enumerate().map(|(i, l)| format!("{:5} | {l}\n", i + 1)).collect();
            let what = format!(
                "kernel {name} does not compile for {target} ({}):\n{log}\nThe source:\n{numbered}",
                e.message()
            );
            return Err(Error::new(ErrorKind::Compile, what));
        }
        let code = program.read(Api::code_size, Api::code)?;
        let names = expressions.iter().map(|e| program.lowered(e)).collect::<Result<_>>()?;
        Ok(Image { code, names, log })
    }
}

type Size = unsafe fn(&Api, Pointer, *mut usize) -> Result<()>;
type Text = unsafe fn(&Api, Pointer, *mut c_char) -> Result<()>;

impl Program<'_> {
    /// Returns bytes of the compiled program.
    fn read(&self, size: Size, get: Text) -> Result<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: the program is live and `bytes` a live variable.
        unsafe { size(self.api, self.program, &mut bytes) }?;
        let mut buffer = vec![0_u8; bytes];
        if bytes > 0 {
            // SAFETY: the buffer has the size that hipRTC requires.
            unsafe { get(self.api, self.program, buffer.as_mut_ptr().cast()) }?;
        }
        Ok(buffer)
    }

    /// Returns the lowered name of an expression that was added before the compile.
    fn lowered(&self, expression: &CStr) -> Result<String> {
        let mut name = ptr::null();
        // SAFETY: the program is compiled, and the expression was added.
        unsafe { self.api.lowered_name(self.program, expression.as_ptr(), &mut name) }?;
        // SAFETY: hipRTC's string ends with NUL and lives as long as the program.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}
