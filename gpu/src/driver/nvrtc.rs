//! NVRTC: where it is, and what it compiles.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::error::{Error, ErrorKind, Result};

type Program = *mut c_void;

/// The functions of NVRTC that are used. Codes are plain integers: a newer library may return new ones.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    version: (i32, i32),
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
    add_name: unsafe extern "C" fn(Program, *const c_char) -> c_int,
    lowered_name: unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> c_int,
}

type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// What a compile gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// PTX or CUBIN, by the target.
    pub(crate) code: Vec<u8>,
    /// The names that the name expressions have in the code.
    pub(crate) names: Vec<String>,
}

/// NVRTC, found and opened once.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc> {
    static NVRTC: OnceLock<Result<Nvrtc>> = OnceLock::new();
    NVRTC.get_or_init(|| find(&candidates())).as_ref().map_err(Clone::clone)
}

/// What tells one NVRTC from another without opening it: its file, how large it is and when it was made. Empty where
/// only the loader knows the file.
pub(crate) fn identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let file = |place: &PathBuf| {
            if place.is_file() {
                Some(place.clone())
            } else {
                NAMES.iter().map(|n| place.join(n)).find(|f| f.is_file())
            }
        };
        let found = candidates().iter().flatten().find_map(file);
        let meta = found.as_ref().and_then(|f| f.metadata().ok());
        let made = meta.as_ref().and_then(|m| m.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok());
        match (found, meta, made) {
            (Some(file), Some(meta), Some(made)) => format!("{} {} {}", file.display(), meta.len(), made.as_nanos()),
            _ => String::new(),
        }
    })
}

const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// Where NVRTC may be, best first: a folder, or nothing for the loader's own path.
fn candidates() -> Vec<Option<PathBuf>> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| !p.as_os_str().is_empty());
    if let Some(path) = variable("CUPRUM_NVRTC") {
        return vec![Some(path)];
    }
    let mut places = vec![None];
    for root in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(variable) {
        places.extend([root.join("lib64"), root.join("lib")].map(Some));
    }
    for root in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable) {
        for python in std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten() {
            places.extend(wheel_layouts(&python.path().join("site-packages")));
        }
    }
    for root in variable("PYTHONPATH").iter().flat_map(std::env::split_paths) {
        places.extend(wheel_layouts(&root));
    }
    let here = std::env::current_dir().unwrap_or_default();
    for folder in here.ancestors() {
        places.extend(wheel_layouts(&folder.join(".cuda")));
    }
    places
}

/// Where PyPI's packages have NVRTC, of CUDA 13 and of CUDA 12.
fn wheel_layouts(root: &Path) -> [Option<PathBuf>; 2] {
    [Some(root.join("nvidia/cu13/lib")), Some(root.join("nvidia/cuda_nvrtc/lib"))]
}

/// Opens the first NVRTC of the places.
pub(crate) fn find(places: &[Option<PathBuf>]) -> Result<Nvrtc> {
    for place in places {
        match place {
            None => {
                for name in NAMES {
                    if let Ok(library) = open(Path::new(name)) {
                        return Nvrtc::load(library);
                    }
                }
            }
            Some(path) if path.is_file() => return open(path).and_then(Nvrtc::load),
            Some(folder) => {
                let Some(file) = NAMES.iter().map(|n| folder.join(n)).find(|f| f.is_file()) else { continue };
                preload_builtins(folder);
                return open(&file).and_then(Nvrtc::load);
            }
        }
    }
    let tried: Vec<_> =
        places.iter().map(|p| p.as_ref().map_or("the loader's path".into(), |p| p.display().to_string())).collect();
    Err(Error::new(
        ErrorKind::Library,
        format!(
            "NVRTC, which compiles kernels, is missing: looked for {} in {}. `./ci/run.sh sim build` fetches it into \
             .cuda; `pip install nvidia-cuda-nvrtc` into the active environment serves as well",
            NAMES.join(", "),
            tried.join(", ")
        ),
    ))
}

fn open(path: &Path) -> Result<Library> {
    // SAFETY: loading NVRTC runs its initialisers, which have no preconditions.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }
        .map_err(|e| Error::new(ErrorKind::Library, format!("NVRTC at {} does not load: {e}", path.display())))
}

/// PyPI's NVRTC does not find its own second library; one that is loaded already serves it.
fn preload_builtins(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("libnvrtc-builtins.so") {
            // Where it does not load, the first compile says so.
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
                // SAFETY: the function has this signature in every NVRTC since CUDA 11.1.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|e| Error::new(ErrorKind::Library, format!("NVRTC is too old: {e}")))?
            };
        }
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = function!("nvrtcVersion");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are live variables.
        unsafe { version(&mut major, &mut minor) };
        let nvrtc = Nvrtc {
            version: (major, minor),
            create: function!("nvrtcCreateProgram"),
            destroy: function!("nvrtcDestroyProgram"),
            compile: function!("nvrtcCompileProgram"),
            log_size: function!("nvrtcGetProgramLogSize"),
            log: function!("nvrtcGetProgramLog"),
            ptx_size: function!("nvrtcGetPTXSize"),
            ptx: function!("nvrtcGetPTX"),
            cubin_size: function!("nvrtcGetCUBINSize"),
            cubin: function!("nvrtcGetCUBIN"),
            add_name: function!("nvrtcAddNameExpression"),
            lowered_name: function!("nvrtcGetLoweredName"),
        };
        // The functions stay in use until the process ends.
        std::mem::forget(library);
        Ok(nvrtc)
    }

    /// `13.0`.
    pub(crate) fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// Compiles a text for a target: `sm_90` to CUBIN, `compute_80` to PTX.
    pub(crate) fn compile(
        &self,
        source: &str,
        name: &str,
        target: &str,
        options: &[String],
        expressions: &[String],
    ) -> Result<Image> {
        let c_string = |s: &str| {
            CString::new(s).map_err(|_| Error::new(ErrorKind::Compile, format!("kernel {name}: the text holds a NUL")))
        };
        let (text, file) = (c_string(source)?, c_string(&format!("{name}.cu"))?);
        let arch = [format!("--gpu-architecture={target}")];
        let options: Vec<CString> = arch.iter().chain(options).map(|o| c_string(o)).collect::<Result<_>>()?;
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
        // SAFETY: the program is live; the options are as many strings as the count says.
        let code = unsafe { (self.compile)(program.program, pointers.len() as c_int, pointers.as_ptr()) };
        if code != 0 {
            let log = program.text(self.log_size, self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            let log = log.trim_end_matches(['\0', '\n']);
            let numbered: String = source.lines().enumerate().map(|(i, l)| format!("{:5} | {l}\n", i + 1)).collect();
            return Err(Error::new(
                ErrorKind::Compile,
                format!("kernel {name} does not compile (NVRTC code {code}):\n{log}\nThe source:\n{numbered}"),
            ));
        }
        let binary = target.starts_with("sm_");
        let (size, get) = if binary { (self.cubin_size, self.cubin) } else { (self.ptx_size, self.ptx) };
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
        Ok(Image { code, names })
    }
}

/// A program that is destroyed at the end of its scope.
struct Owned<'a> {
    program: Program,
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
        // SAFETY: the buffer is as large as NVRTC asked for.
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
    fn a_missing_nvrtc_is_an_error_that_says_where_it_was_looked_for_and_how_to_get_it() {
        let e = find(&[Some("/nonexistent/here".into())]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Library);
        for part in ["libnvrtc.so.13", "/nonexistent/here", "./ci/run.sh sim build"] {
            assert!(e.message().contains(part), "{e}");
        }
    }

    #[test]
    fn a_broken_kernel_gives_the_log_and_the_numbered_source() {
        let source = "extern \"C\" __global__ void f() {\n  undeclared = 1;\n}\n";
        let e = nvrtc().unwrap().compile(source, "broken", "compute_80", &[], &[]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Compile);
        assert!(e.message().contains("undeclared") && e.message().contains("    2 |   undeclared = 1;"), "{e}");
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
}
