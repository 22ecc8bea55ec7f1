//! NVRTC: discovery of the library, and compilation.
//!
//! The library is found by [`search_paths`](super::search_paths). Kernels are compiled without contraction of
//! multiplications and additions, so that results are those of NumPy.

pub(crate) mod lines;
mod target;

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::search_paths;
use crate::error::{Error, ErrorKind, Result};
pub(crate) use target::target;

type Program = *mut c_void;

/// Function table of NVRTC. Codes are plain integers: a newer library may return new ones.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    /// Version of the library.
    version: Version,
    /// Architectures that it generates code for, in ascending order.
    archs: Vec<u32>,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log_size: Size,
    log: Text,
    ptx_size: Size,
    ptx: Text,
    cubin_size: Size,
    cubin: Text,
    /// Functions of CUDA 12 and later.
    lto: Option<(Size, Text)>,
    add_name: unsafe extern "C" fn(Program, *const c_char) -> c_int,
    lowered_name: unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> c_int,
}

type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// Result of a compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// PTX or CUBIN, depending on the target, or code for the linker.
    pub(crate) code: Vec<u8>,
    /// The lowered names of the name expressions.
    pub(crate) names: Vec<String>,
    /// The compiler's log: warnings and remarks. Empty for code from a cache.
    pub(crate) log: String,
}

/// Compile option that produces LTO-IR for the linker of device code, which optimises it once more.
pub(crate) const FOR_LINKER: &str = "-dlto";

/// Returns a compile error with the user's source, in place of the expanded source that was compiled.
pub(crate) fn with_lines(e: Error, text: &str) -> Error {
    match e.message().split_once("\nThe source:\n") {
        Some((log, _)) if e.kind() == ErrorKind::Compile => {
            let lines: String = text.lines().enumerate().map(|(i, l)| format!("{:5} | {l}\n", i + 1)).collect();
            Error::new(ErrorKind::Compile, format!("{log}\nThe source:\n{lines}"))
        }
        _ => e,
    }
}

/// Parts of a compile that may be omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Haste {
    /// The source uses nothing of CUDA's runtime: textures, device-side launches and allocations. The code is the same.
    pub(crate) plain: bool,
    /// The code runs too rarely for all optimisations to be worthwhile. Its results are the same: none of them affects
    /// arithmetic.
    pub(crate) quick: bool,
}

/// A version of CUDA: major and minor.
pub(crate) type Version = (i32, i32);

/// Returns NVRTC, which is found and opened once; and once more for a driver that needs another one.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc> {
    static NVRTC: [OnceLock<Result<Nvrtc>>; 2] = [OnceLock::new(), OnceLock::new()];
    let driver = search_paths::driver();
    let chosen = search_paths::nvrtc(driver)?;
    NVRTC[usize::from(driver.is_some())].get_or_init(|| find(&chosen.file, driver)).as_ref().map_err(Clone::clone)
}

/// Returns the identity of the NVRTC that [`nvrtc`] opens for cache keys, without opening it. Empty if there is none.
pub(crate) fn identity() -> &'static str {
    search_paths::nvrtc(search_paths::driver()).map_or("", |chosen| &chosen.identity)
}

/// Returns the file of the NVRTC that [`nvrtc`] opens.
pub(crate) fn file() -> Result<&'static PathBuf> {
    search_paths::nvrtc(search_paths::driver()).map(|chosen| &chosen.file)
}

/// Opens an NVRTC, to find out if it loads.
pub(super) fn loads(file: &Path) -> Result<()> {
    find(file, None).map(drop)
}

/// Opens an NVRTC, for a driver if there is one.
fn find(file: &Path, driver: Option<Version>) -> Result<Nvrtc> {
    if let Some(folder) = file.parent() {
        preload_builtins(folder);
    }
    let nvrtc = Nvrtc::load(open(file)?)?;
    // The file's name need not contain the version.
    match driver {
        Some(driver) if nvrtc.version.0 > driver.0 => {
            Err(search_paths::too_new(&search_paths::NVRTC, file, &nvrtc.version(), driver))
        }
        _ => Ok(nvrtc),
    }
}

fn open(path: &Path) -> Result<Library> {
    #[cfg(unix)]
    let opened = {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: loading NVRTC runs its initialisers, which have no preconditions.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }
    };
    #[cfg(windows)]
    let opened = {
        use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
        // SAFETY: as above.
        unsafe { Library::load_with_flags(path, LOAD_WITH_ALTERED_SEARCH_PATH) }
    };
    opened
        .map(Library::from)
        .map_err(|e| Error::new(ErrorKind::Library, format!("NVRTC at {} does not load: {e}", path.display())))
}

/// Loads NVRTC's second library, which PyPI's NVRTC does not find by itself: it uses one that is loaded already.
fn preload_builtins(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("libnvrtc-builtins.so") || name.starts_with("nvrtc-builtins64_") {
            // If it does not load, the first compile reports the error.
            if let Ok(library) = open(&entry.path()) {
                std::mem::forget(library);
            }
        }
    }
}

impl Nvrtc {
    fn load(library: Library) -> Result<Nvrtc> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the function has this signature in every NVRTC since CUDA 11.2.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|e| Error::new(ErrorKind::Library, format!("NVRTC is too old: {e}")))?
            };
        }
        // SAFETY: the functions have these signatures in every NVRTC that has them.
        let (lto_size, lto) =
            unsafe { (library.get::<Size>(b"nvrtcGetLTOIRSize\0").ok(), library.get::<Text>(b"nvrtcGetLTOIR\0").ok()) };
        let lto = lto_size.zip(lto).map(|(size, text)| (*size, *text));
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = function!("nvrtcVersion");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are live variables.
        unsafe { version(&mut major, &mut minor) };
        let count: unsafe extern "C" fn(*mut c_int) -> c_int = function!("nvrtcGetNumSupportedArchs");
        let list: unsafe extern "C" fn(*mut c_int) -> c_int = function!("nvrtcGetSupportedArchs");
        let mut known = 0;
        // SAFETY: it is a live variable.
        unsafe { count(&mut known) };
        let mut archs = vec![0; known.max(0) as usize];
        // SAFETY: the buffer has room for the number of architectures that NVRTC has returned.
        unsafe { list(archs.as_mut_ptr()) };
        let nvrtc = Nvrtc {
            version: (major, minor),
            archs: archs.into_iter().map(|a| a as u32).collect(),
            create: function!("nvrtcCreateProgram"),
            destroy: function!("nvrtcDestroyProgram"),
            compile: function!("nvrtcCompileProgram"),
            log_size: function!("nvrtcGetProgramLogSize"),
            log: function!("nvrtcGetProgramLog"),
            ptx_size: function!("nvrtcGetPTXSize"),
            ptx: function!("nvrtcGetPTX"),
            cubin_size: function!("nvrtcGetCUBINSize"),
            cubin: function!("nvrtcGetCUBIN"),
            lto,
            add_name: function!("nvrtcAddNameExpression"),
            lowered_name: function!("nvrtcGetLoweredName"),
        };
        // The functions stay in use until the process ends.
        std::mem::forget(library);
        Ok(nvrtc)
    }

    /// Returns the version: `13.0`.
    pub(crate) fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// Returns the architectures that it compiles for: 75, 80, ...
    fn archs(&self) -> &[u32] {
        &self.archs
    }

    /// Rejects a target of an architecture that NVRTC does not know.
    fn check(&self, name: &str, target: &str) -> Result<()> {
        let digits =
            target.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(|c: char| !c.is_ascii_digit());
        if digits.parse().is_ok_and(|arch| self.archs.contains(&arch)) {
            return Ok(());
        }
        let known: Vec<String> = self.archs.iter().map(u32::to_string).collect();
        Err(Error::new(
            ErrorKind::Compile,
            format!(
                "kernel {name} does not compile for {target}: NVRTC {} knows the architectures {}",
                self.version(),
                known.join(", ")
            ),
        ))
    }

    /// Compiles a source for a target: `sm_90` to CUBIN, `compute_80` to PTX.
    pub(crate) fn compile(
        &self,
        source: &str,
        name: &str,
        target: &str,
        options: &[String],
        expressions: &[String],
    ) -> Result<Image> {
        self.compile_in_haste(source, name, target, options, expressions, Haste::default())
    }

    /// Returns the options that shorten a compile, as far as this NVRTC has them. `min` is the weakest level of
    /// `--Ofast-compile`: the others stay in force in NVRTC 13.0's assembler for later compiles of the process, and
    /// make some kernels fail to compile. The PTX of `mid` has fewer instructions and is compiled in less time, but is
    /// wrong for some kernels: that of two-dimensional histograms reads local memory that was never written.
    fn fast_options(&self, haste: Haste) -> impl Iterator<Item = String> {
        let plain = haste.plain && self.version >= (12, 4);
        let quick = haste.quick && self.version >= (13, 0);
        [(plain, "--minimal"), (quick, "--Ofast-compile=min")].into_iter().filter(|(on, _)| *on).map(|(_, o)| o.into())
    }

    /// Compiles as [`Nvrtc::compile`] does, faster. `--Ofast-compile` rejects some code that NVRTC compiles without it
    /// (`__dp4a` and `__dp2a` since 13.4, as an unsupported operation), so a source that fails is compiled again
    /// without it; the error is that of the second compile.
    pub(crate) fn compile_in_haste(
        &self,
        source: &str,
        name: &str,
        target: &str,
        options: &[String],
        expressions: &[String],
        haste: Haste,
    ) -> Result<Image> {
        let compiled = self.compile_once(source, name, target, options, expressions, haste);
        match compiled {
            Err(_) if haste.quick && self.version >= (13, 0) => {
                self.compile_once(source, name, target, options, expressions, Haste { quick: false, ..haste })
            }
            done => done,
        }
    }

    fn compile_once(
        &self,
        source: &str,
        name: &str,
        target: &str,
        options: &[String],
        expressions: &[String],
        haste: Haste,
    ) -> Result<Image> {
        self.check(name, target)?;
        let c_string = |s: &str| {
            CString::new(s).map_err(|_| Error::new(ErrorKind::Compile, format!("kernel {name}: the text holds a NUL")))
        };
        let (text, file) = (c_string(source)?, c_string(&format!("{name}.cu"))?);
        let arch = [format!("--gpu-architecture={target}")];
        let fast: Vec<String> = self.fast_options(haste).collect();
        let options: Vec<CString> =
            arch.iter().chain(options).chain(&fast).map(|o| c_string(o)).collect::<Result<_>>()?;
        let expressions: Vec<CString> = expressions.iter().map(|e| c_string(e)).collect::<Result<_>>()?;
        let check = |call: &str, code: c_int| match code {
            0 => Ok(()),
            code => Err(Error::new(ErrorKind::Compile, format!("kernel {name}: {call} failed with code {code}"))),
        };
        let mut program = Owned { program: ptr::null_mut(), nvrtc: self };
        // SAFETY: the strings end with NUL and outlive the call; there are no headers.
        check("nvrtcCreateProgram", unsafe {
            (self.create)(&mut program.program, text.as_ptr(), file.as_ptr(), 0, ptr::null(), ptr::null())
        })?;
        let program = &program;
        for e in &expressions {
            // SAFETY: the program is live and the string ends with NUL.
            check("nvrtcAddNameExpression", unsafe { (self.add_name)(program.program, e.as_ptr()) })?;
        }
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the program is live; the number of options is passed.
        let code = unsafe { (self.compile)(program.program, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.text(self.log_size, self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string();
        if code != 0 {
            let numbered: String = source.lines().enumerate().map(|(i, l)| format!("{:5} | {l}\n", i + 1)).collect();
            return Err(Error::new(
                ErrorKind::Compile,
                format!(
                    "kernel {name} does not compile for {target} (NVRTC {}, code {code}):\n{log}\nThe source:\n{numbered}",
                    self.version()
                ),
            ));
        }
        let binary = target.starts_with("sm_");
        let (size, get) = match self.lto {
            _ if !options.iter().any(|o| o.as_bytes() == FOR_LINKER.as_bytes()) => {
                if binary {
                    (self.cubin_size, self.cubin)
                } else {
                    (self.ptx_size, self.ptx)
                }
            }
            Some(lto) => lto,
            None => {
                let message =
                    format!("NVRTC {} gives no code for the linker: CUDA 12.0 or later is needed", self.version());
                return Err(Error::new(ErrorKind::Library, message));
            }
        };
        let code = program.text(size, get).ok_or_else(|| {
            Error::new(ErrorKind::Compile, format!("kernel {name}: NVRTC gives no code for {target}"))
        })?;
        let mut names = Vec::new();
        for e in &expressions {
            let mut lowered = ptr::null();
            // SAFETY: the expression was added above; the program is compiled.
            check("nvrtcGetLoweredName", unsafe { (self.lowered_name)(program.program, e.as_ptr(), &mut lowered) })?;
            // SAFETY: NVRTC's string ends with NUL and lives as long as the program.
            names.push(unsafe { std::ffi::CStr::from_ptr(lowered) }.to_string_lossy().into_owned());
        }
        Ok(Image { code, names, log })
    }
}

/// A program that is destroyed at the end of its scope.
struct Owned<'a> {
    /// The program.
    program: Program,
    /// Functions of the library.
    nvrtc: &'a Nvrtc,
}

impl Owned<'_> {
    fn text(&self, size: Size, get: Text) -> Option<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: the program is live and `bytes` a live variable.
        if unsafe { size(self.program, &mut bytes) } != 0 {
            return None;
        }
        let mut buffer = vec![0u8; bytes];
        // SAFETY: the buffer has the size that NVRTC requires.
        let code = unsafe { get(self.program, buffer.as_mut_ptr().cast()) };
        (code == 0).then_some(buffer)
    }
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        if !self.program.is_null() {
            // SAFETY: the program is live and not used again.
            unsafe { (self.nvrtc.destroy)(&mut self.program) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_kernel_gives_the_log_and_the_numbered_source() {
        let source = "extern \"C\" __global__ void f() {\n  undeclared = 1;\n}\n";
        let e = nvrtc().unwrap().compile(source, "broken", "compute_80", &[], &[]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Compile);
        assert!(e.message().contains("undeclared") && e.message().contains("    2 |   undeclared = 1;"), "{e}");
    }

    #[test]
    fn library_code_is_the_same_in_haste() {
        let source = "extern \"C\" __global__ void f(float *p) { for (int i = 0; i < 9; ++i) p[i] *= 2; }";
        for target in ["compute_80", "sm_90"] {
            let haste = Haste { plain: true, quick: false };
            let hasty = nvrtc().unwrap().compile_in_haste(source, "f", target, &[], &[], haste).unwrap();
            assert_eq!(hasty, nvrtc().unwrap().compile(source, "f", target, &[], &[]).unwrap(), "{target}");
        }
    }

    #[test]
    fn code_that_a_fast_compile_rejects_is_compiled_without_it() {
        let source =
            "extern \"C\" __global__ void f(int *p) { p[0] = __dp4a(p[1], p[2], p[3]) + __dp2a_lo(p[1], p[2], p[3]); }";
        let haste = Haste { plain: true, quick: true };
        let image = nvrtc().unwrap().compile_in_haste(source, "f", "compute_80", &[], &[], haste).unwrap();
        assert!(String::from_utf8_lossy(&image.code).contains("dp4a"));
        let e = nvrtc().unwrap().compile_in_haste("wrong", "f", "compute_80", &[], &[], haste).unwrap_err();
        assert!(e.message().contains("wrong"), "{e}");
    }

    #[test]
    fn the_log_of_a_compile_has_its_warnings() {
        let source = "extern \"C\" __global__ void f(int *p) { int unused; p[0] = 1; }";
        let image = nvrtc().unwrap().compile(source, "f", "compute_80", &[], &[]).unwrap();
        assert!(image.log.contains("unused"), "{}", image.log);
    }

    #[test]
    fn name_expressions_give_lowered_names() {
        let source = "template <class T> __global__ void f(T *p) { *p = 1; }";
        let names = ["f<float>".to_string()];
        let image = nvrtc().unwrap().compile(source, "template", "compute_80", &[], &names).unwrap();
        assert!(String::from_utf8_lossy(&image.code).contains(&image.names[0]));
        let binary = nvrtc().unwrap().compile(source, "template", "sm_90", &[], &names).unwrap();
        assert_eq!(&binary.code[1..4], b"ELF");
    }

    #[test]
    fn code_for_the_linker_is_neither_ptx_nor_an_object() {
        let options = [FOR_LINKER, "-rdc=true"].map(String::from);
        let image = nvrtc().unwrap().compile("__device__ int f() { return 1; }", "f", "compute_80", &options, &[]);
        let code = image.unwrap().code;
        assert!(code.len() > 64 && !code.starts_with(b"\x7fELF") && !code.windows(8).any(|w| w == b".version"));
    }

    #[test]
    fn an_architecture_that_nvrtc_does_not_know_is_named_with_those_it_does() {
        let e = nvrtc().unwrap().compile("", "none", "sm_999", &[], &[]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Compile);
        assert!(e.message().contains("sm_999") && e.message().contains("knows the architectures 75"), "{e}");
    }
}
