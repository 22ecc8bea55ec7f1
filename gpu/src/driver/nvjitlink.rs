//! Linker of device code, by nvJitLink. It needs no device.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::library::{Loaded, Needs};
use super::linkable::{CodeKind, Piece, repeated};
use super::search_paths;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

type Handle = *mut c_void;

symbols! {
    /// The functions of nvJitLink.
    Api, error
    fn create(handle: *mut Handle, count: c_uint, options: *const *const c_char) = "nvJitLinkCreate";
    fn destroy(handle: *mut Handle) = "nvJitLinkDestroy";
    fn add(handle: Handle, kind: c_int, data: *const c_void, bytes: usize, name: *const c_char) = "nvJitLinkAddData";
    fn complete(handle: Handle) = "nvJitLinkComplete";
    fn log_size(handle: Handle, bytes: *mut usize) = "nvJitLinkGetErrorLogSize";
    fn log(handle: Handle, log: *mut c_char) = "nvJitLinkGetErrorLog";
    fn size(handle: Handle, bytes: *mut usize) = "nvJitLinkGetLinkedCubinSize";
    fn cubin(handle: Handle, cubin: *mut c_void) = "nvJitLinkGetLinkedCubin";
    fn version(major: *mut c_uint, minor: *mut c_uint) = "nvJitLinkVersion";
}

pub(super) const NVJITLINK: Loaded =
    Loaded { name: "nvJitLink", spec: &search_paths::NVJITLINK, since: "CUDA 12.0", parts: &[], needs: Needs::All };

impl Api {
    fn load() -> Result<Api> {
        NVJITLINK.functions(|library, absent| Api::resolve(library, absent), Api::version_text)
    }

    fn version_text(&self) -> String {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are live variables.
        match unsafe { self.version(&mut major, &mut minor) } {
            Ok(()) => format!("{major}.{minor}"),
            Err(_) => "of CUDA 12.2 or before".into(),
        }
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "an option that it does not know",
            3 => "invalid code",
            4 => "PTX does not compile",
            5 => "LTO-IR does not compile",
            6 => "internal error",
            8 => "code of a kind that it does not know",
            9 => "what is linked is not finished",
            11 => "options that do not go together",
            12 => "code of another kind",
            13 => "code of another architecture",
            14 => "the library is older than the code",
            16 | 17 => "an architecture that it does not know",
            _ => "",
        };
        let meaning = if meaning.is_empty() { format!("code {code}") } else { format!("code {code}, {meaning}") };
        Error::new(ErrorKind::Compile, format!("nvJitLink {}: {call}: {meaning}", self.version_text()))
    }
}

fn api() -> Result<&'static Api> {
    static API: OnceLock<Result<Api>> = OnceLock::new();
    API.get_or_init(Api::load).as_ref().map_err(Clone::clone)
}

/// Returns the identity of the linker in use for cache keys, without opening it.
pub(super) fn identity() -> Result<String> {
    Ok(search_paths::identity(&NVJITLINK.file()?))
}

/// Returns the value of `nvJitLinkInputType`.
fn number(kind: CodeKind) -> c_int {
    match kind {
        CodeKind::Cubin => 1,
        CodeKind::Ptx => 2,
        CodeKind::Ltoir => 3,
        CodeKind::Fatbin => 4,
        CodeKind::Object => 5,
        CodeKind::Library => 6,
    }
}

/// Links pieces to a CUBIN for an architecture (`sm_90`). `options` are nvJitLink's, and follow our own:
/// multiplications and additions are not contracted.
pub(super) fn link(pieces: &[Piece<'_>], target: &str, options: &[String]) -> Result<Vec<u8>> {
    // For two definitions in PTX or in CUBINs the linker reports no error that a program could detect, and continues,
    // or crashes.
    let mut defined: HashMap<String, usize> = HashMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        for symbol in piece.defines() {
            if let Some(first) = defined.insert(symbol.clone(), at) {
                return Err(repeated(&symbol, [first, at]));
            }
        }
    }
    let mut all = vec![format!("-arch={target}"), "-fma=0".into()];
    let is_lto = pieces.iter().any(|piece| piece.kind == CodeKind::Ltoir);
    all.extend((is_lto && !options.iter().any(|o| o == "-lto")).then(|| "-lto".into()));
    all.retain(|own| !options.iter().any(|o| o.split('=').next() == own.split('=').next()));
    all.extend(options.iter().cloned());
    let c_string = |text: String| {
        CString::new(text).map_err(|_| Error::new(ErrorKind::Value, "an option of the linker holds a NUL"))
    };
    let option_text = all.join(" ");
    let all: Vec<CString> = all.into_iter().map(c_string).collect::<Result<_>>()?;
    let pointers: Vec<*const c_char> = all.iter().map(|o| o.as_ptr()).collect();
    let api = api()?;
    let mut linking = Linking { api, handle: ptr::null_mut() };
    // SAFETY: the handle is a live variable, and the number of options is passed.
    let created = unsafe { api.create(&mut linking.handle, pointers.len() as c_uint, pointers.as_ptr()) };
    created.map_err(|e| Error::new(e.kind(), format!("{}; the options are {option_text}", e.message())))?;
    for (at, piece) in pieces.iter().enumerate() {
        let name = c_string(format!("piece {at}"))?;
        // PTX is passed as text that ends with NUL.
        let ended;
        let code = match piece.kind {
            CodeKind::Ptx => {
                ended = [piece.code, &[0]].concat();
                &ended
            }
            _ => piece.code,
        };
        // SAFETY: the handle is live; the code has the length that is passed, and the linker copies it.
        let added =
            unsafe { api.add(linking.handle, number(piece.kind), code.as_ptr().cast(), code.len(), name.as_ptr()) };
        added.map_err(|e| linking.with_log(e))?;
    }
    // SAFETY: the handle is live.
    unsafe { api.complete(linking.handle) }.map_err(|e| linking.with_log(e))?;
    let mut bytes = 0;
    // SAFETY: the handle is live and `bytes` a live variable.
    unsafe { api.size(linking.handle, &mut bytes) }?;
    let mut cubin = vec![0u8; bytes];
    // SAFETY: the buffer has the size that the linker requires.
    unsafe { api.cubin(linking.handle, cubin.as_mut_ptr().cast()) }?;
    Ok(cubin)
}

/// A link in progress, which is destroyed with its scope.
struct Linking<'a> {
    /// Functions of the library.
    api: &'a Api,
    /// The link in progress.
    handle: Handle,
}

impl Linking<'_> {
    fn log(&self) -> String {
        let mut bytes = 0;
        // SAFETY: the handle is live and `bytes` a live variable.
        if unsafe { self.api.log_size(self.handle, &mut bytes) }.is_err() || bytes == 0 {
            return String::new();
        }
        let mut log = vec![0u8; bytes + 1];
        // SAFETY: the buffer is larger than the linker requires.
        match unsafe { self.api.log(self.handle, log.as_mut_ptr().cast()) } {
            Ok(()) => String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).into(),
            Err(_) => String::new(),
        }
    }

    /// Returns an error with the linker's log.
    fn with_log(&self, e: Error) -> Error {
        match self.log() {
            log if log.is_empty() => e,
            log => Error::new(e.kind(), format!("{}:\n{}", e.message(), log.replace("@E@", ""))),
        }
    }
}

impl Drop for Linking<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle is live and not used again. Nothing can be done about a failure.
            let _ = unsafe { self.api.destroy(&mut self.handle) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::nvrtc::{FOR_LINKER, nvrtc};

    /// If the library is missing, the error says how to get it.
    #[test]
    fn pieces_of_every_kind_are_linked() {
        let compile = |text: &str, target: &str, options: &[&str]| {
            let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
            let code = nvrtc().unwrap().compile(text, "piece", target, &options, &[]).unwrap().code;
            (CodeKind::of(&code).unwrap(), code)
        };
        let user = "extern \"C\" __device__ float f(float); extern \"C\" __global__ void k(float *x) { *x = f(*x); }";
        let owner = "extern \"C\" __device__ float f(float x) { return 2 * x; }";
        let forms =
            [("sm_90", vec!["-rdc=true", FOR_LINKER]), ("compute_90", vec!["-rdc=true"]), ("sm_90", vec!["-rdc=true"])];
        let linked = |all: &[(CodeKind, Vec<u8>)]| {
            let pieces: Vec<Piece<'_>> = all.iter().map(|(kind, code)| Piece { kind: *kind, code }).collect();
            link(&pieces, "sm_90", &[])
        };
        if let Err(e) = api() {
            assert!(e.message().contains("nvidia-nvjitlink"), "{e}");
            return;
        }
        for (target, options) in &forms {
            for (other, more) in &forms {
                let pieces = [compile(user, target, options), compile(owner, other, more)];
                let cubin = linked(&pieces).unwrap();
                assert_eq!(CodeKind::of(&cubin), Some(CodeKind::Cubin));
                assert!(!CodeKind::Cubin.needs_linker(&cubin));
            }
            let e = linked(&[compile(user, target, options)]).unwrap_err();
            assert!(e.kind() == ErrorKind::Compile && e.message().contains("'f'"), "{e}");
            let twice = [compile(owner, target, options), compile(owner, target, options)];
            let e = linked(&twice).unwrap_err();
            assert!(
                e.kind() == ErrorKind::Compile && e.message().contains("define") && e.message().contains('f'),
                "{e}"
            );
        }
        let pieces = [compile(owner, "sm_90", &forms[0].1)];
        let pieces = [Piece { kind: pieces[0].0, code: &pieces[0].1 }];
        let e = link(&pieces, "sm_90", &["-nothing".into()]).unwrap_err();
        assert!(e.message().contains("option") && e.message().contains("-nothing"), "{e}");
    }
}
