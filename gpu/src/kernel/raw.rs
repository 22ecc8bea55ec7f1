//! Raw kernels: CUDA C++, PTX or CUBIN.
//!
//! The code is the user's: the library checks neither bounds nor types.

mod code;
mod tune;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuprum_kernels::DType;

use self::code::asks_for_lto;
use super::headers::{whole, whole_for_nvcc, with_header_advice};
use crate::array::{Array, RawParts};
use crate::cuda::{Device, Source, trace};
use crate::driver::Function;
use crate::driver::cache::{Key, key};
use crate::driver::nvrtc::with_lines;
use crate::engine::launch::{Argument, Launcher};
use crate::error::{Error, ErrorKind, Result};

pub use self::code::RawCode;
pub use crate::driver::{CodeKind, FunctionAttribute};

/// Compiler of a module.
///
/// CuPy's `backend`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompileBackend {
    /// The run-time compiler, which the library's kernels are compiled by.
    #[default]
    Nvrtc,
    /// The program of a CUDA toolkit, which also compiles sources that include the toolkit's C++ headers. It is the
    /// command in the variable `NVCC`, or is looked for in `CUDA_PATH`, `CUDA_HOME`, `PATH` and Python packages. Sources
    /// have neither the library's headers nor name expressions.
    Nvcc,
}

/// Compile options of a module.
///
/// The names are CuPy's.
#[derive(Clone, Debug, Default)]
pub struct RawModuleOptions {
    /// NVRTC options: `-DN=4`, `-Ifolder`, `--use_fast_math`. With `-dlto` the code for a GPU passes through the
    /// linker, which optimises it once more.
    pub options: Vec<String>,
    /// The template instances to compile: `scale<float>`. CuPy's `name_expressions`.
    pub expressions: Vec<String>,
    /// Headers by the names with which the source includes them, which precede all header files.
    pub headers: Vec<(String, String)>,
    /// The compiler.
    pub backend: CompileBackend,
}

/// Module of CUDA C++ that is compiled for a device, or of code that is compiled already; CuPy's `RawModule`.
///
/// Its kernels are `extern "C"`, so that they have their names in the source, or templates that are named by their
/// instances. A source may include `cuprum/complex.cuh` (`complex<float>`), `cuprum/half.cuh` (`float16`, `bfloat16`),
/// `cuprum/array.cuh` (`CArray<T, N>`, an array passed by value with its strides: [`Argument::View`]),
/// `cuprum/types.cuh` (`int32_t`), and under their usual names `stdint.h`, `cuComplex.h`, `cupy/complex.cuh` and
/// `cupy/carray.cuh`.
///
/// ```
/// use cuprum::{Argument, Array, RawModule};
///
/// let text = r#"extern "C" __global__ void twice(float *x, int n) {
///     int i = blockIdx.x * blockDim.x + threadIdx.x;
///     if (i < n) x[i] *= 2.0f;
/// }"#;
/// let twice = RawModule::compile(text, &[])?.kernel("twice")?;
/// let x = Array::from_slice(&[1f32, 2.0, 3.0], [3])?;
/// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
/// unsafe { twice.launch([1, 1, 1], [32, 1, 1], &[Argument::Array(&x), Argument::I32(3)])? };
/// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawModule {
    device: Device,
    module: usize,
    /// The expressions, and their lowered names in the code.
    names: Arc<[(String, String)]>,
    /// Key that identifies its code.
    identity: Key,
}

/// Returns a source with its headers expanded, as the device compiles it. `beside` is the folder of the source, if it
/// is a file.
fn source_of(text: &str, module_options: &RawModuleOptions, beside: Option<&Path>) -> Source<'static> {
    let RawModuleOptions { options, expressions, headers, backend } = module_options;
    let (nvcc, beside) = (*backend == CompileBackend::Nvcc, beside.map(Path::to_path_buf));
    let (whole, options) = match nvcc {
        true => (whole_for_nvcc(text, headers, options, beside), options.clone()),
        false => whole("raw", text, headers, options, beside),
    };
    Source { name: "raw".into(), text: whole.into(), options, expressions: expressions.clone(), own: false, nvcc }
}

/// Rejects options that nvcc has no counterpart of.
fn check_backend(module_options: &RawModuleOptions) -> Result<()> {
    let RawModuleOptions { expressions, options, backend, .. } = module_options;
    let for_linker = options.iter().any(|o| asks_for_lto(o));
    match (backend, expressions.first()) {
        (CompileBackend::Nvrtc, _) => Ok(()),
        (CompileBackend::Nvcc, Some(expression)) => Err(Error::new(
            ErrorKind::Value,
            format!(
                "the name expression {expression:?} needs the backend nvrtc: nvcc does not report the names of template \
                 instances. Declare the kernel extern \"C\", or use its mangled name"
            ),
        )),
        (CompileBackend::Nvcc, None) if for_linker => {
            Err(Error::new(ErrorKind::Value, "the option -dlto needs the backend nvrtc, whose code the linker takes"))
        }
        (CompileBackend::Nvcc, None) => Ok(()),
    }
}

/// Kernel of a [`RawModule`].
///
/// A handle: it is cheap to clone, and keeps the module.
#[derive(Clone, Debug)]
pub struct RawKernel {
    device: Device,
    function: Function,
    name: Arc<str>,
    /// The key of its module.
    identity: Key,
    /// The offset and the size of each parameter, if the driver knows them.
    layout: Option<Arc<[(usize, usize)]>>,
}

impl RawModule {
    /// A header that [`RawModuleOptions::headers`] may contain as `cuComplex.h`: with its names for `complex<float>`
    /// and `complex<double>`, which have operators; CuPy's `translate_cucomplex`.
    pub const CUCOMPLEX_TEMPLATES: &str = cuprum_kernels::source::USER_CUCOMPLEX;

    /// Compiles a source for the current device. `options` are those of NVRTC.
    ///
    /// The same source and options are compiled once in a process, and cached on disk.
    ///
    /// CuPy's `RawModule(code=…)`. See [`RawModule`] for an example.
    ///
    /// # Errors
    ///
    /// [`Compile`](ErrorKind::Compile) with the compiler's log and the numbered lines of the source;
    /// [`Library`](ErrorKind::Library) if NVRTC is missing.
    pub fn compile(text: &str, options: &[&str]) -> Result<RawModule> {
        RawModule::instantiate(text, options, &[])
    }

    /// Compiles a source with templates for the current device: `expressions` name the instances to compile, such as
    /// `scale<float>`. CuPy's `name_expressions`.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, array};
    /// let text = "template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }";
    /// let module = RawModule::instantiate(text, &[], &["scale<double>"])?;
    /// let x = array([1.0, 2.0])?;
    /// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
    /// unsafe { module.kernel("scale<double>")?.launch([1; 3], [2, 1, 1], &[Argument::Array(&x), Argument::F64(3.0)])? };
    /// assert_eq!(x.to_vec::<f64>()?, [3.0, 6.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RawModule::compile`].
    pub fn instantiate(text: &str, options: &[&str], expressions: &[&str]) -> Result<RawModule> {
        let owned = |all: &[&str]| all.iter().map(|o| o.to_string()).collect();
        let module_options =
            RawModuleOptions { options: owned(options), expressions: owned(expressions), ..Default::default() };
        RawModule::compile_with(text, &module_options)
    }

    /// Compiles a source for the current device with all compile options, such as headers of the user's.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, RawModuleOptions, array};
    /// let options = RawModuleOptions {
    ///     headers: vec![("by.h".into(), "#define BY 3.0".into())],
    ///     ..Default::default()
    /// };
    /// let text = "#include \"by.h\"\n#include <cuprum/array.cuh>
    ///     extern \"C\" __global__ void scale(CArray<double, 2> x) { x[threadIdx.x] *= BY; }";
    /// let scale = RawModule::compile_with(text, &options)?.kernel("scale")?;
    /// let x = array([[1.0, 2.0], [3.0, 4.0]])?;
    /// // SAFETY: the argument is that of the kernel, and it stays inside the array.
    /// unsafe { scale.launch([1; 3], [3, 1, 1], &[Argument::View(&x.t())])? };
    /// assert_eq!(x.to_vec::<f64>()?, [3.0, 6.0, 9.0, 4.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RawModule::compile`].
    pub fn compile_with(text: &str, module_options: &RawModuleOptions) -> Result<RawModule> {
        RawModule::made(text, module_options, None).map_err(|e| e.with_op("RawModule"))
    }

    fn made(text: &str, module_options: &RawModuleOptions, beside: Option<PathBuf>) -> Result<RawModule> {
        check_backend(module_options)?;
        if module_options.options.iter().any(|o| asks_for_lto(o)) {
            return RawModule::of_pieces(&[RawCode::made(text, module_options, beside.as_deref())?], &[]);
        }
        let device = Device::current()?;
        let source = source_of(text, module_options, beside.as_deref());
        let (module, names) = device.module(&source).map_err(|e| with_header_advice(with_lines(e, text)))?;
        let names = module_options.expressions.iter().cloned().zip(names).collect();
        let params = source.options.iter().chain(&source.expressions).map(String::as_str);
        let identity = key(&[&source.text].into_iter().map(AsRef::as_ref).chain(params).collect::<Vec<&str>>());
        Ok(RawModule { device, module, names, identity })
    }

    /// Compiles a source as [`RawModule::compile_with`] does, even if a cache has it, and returns the compiler's log:
    /// its warnings and remarks.
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let log = RawModule::compile_log("extern \"C\" __global__ void f() { int unused; }", &Default::default())?;
    /// assert!(log.contains("unused"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RawModule::compile`].
    pub fn compile_log(text: &str, options: &RawModuleOptions) -> Result<String> {
        let go = || {
            check_backend(options)?;
            let source = source_of(text, options, None);
            Device::current()?.compile_log(&source).map_err(|e| with_header_advice(with_lines(e, text)))
        };
        go().map_err(|e: Error| e.with_op("RawModule"))
    }

    /// Loads code that is compiled already: PTX, a CUBIN for the device's architecture, or code for the linker that
    /// needs no other piece ([`RawModule::link`]).
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let code = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }";
    /// let kernel = RawModule::load(code.as_bytes())?.kernel("f")?;
    /// // SAFETY: the kernel has no parameters and reaches nothing.
    /// unsafe { kernel.launch([1; 3], [1; 3], &[])? };
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for code of another architecture, or invalid code; [`Compile`](ErrorKind::Compile)
    /// on the simulator, which runs only PTX.
    pub fn load(code: &[u8]) -> Result<RawModule> {
        let go = || {
            if CodeKind::of(code).is_some_and(|kind| kind.needs_linker(code)) {
                return RawModule::of_pieces(&[RawCode::load(code)?], &[]);
            }
            let device = Device::current()?;
            // PTX is passed as text that ends with NUL.
            let ended = [code, &[0]].concat();
            let module = device.driver()?.load(&ended)?;
            Ok(RawModule { device, module, names: [].into(), identity: key(&[code]) })
        };
        go().map_err(|e: Error| e.with_op("RawModule"))
    }

    /// Loads the code in a file: CUDA C++ (`.cu`, `.cuh`, `.cpp`), which may include files in the same folder; other
    /// files as by [`RawModule::load`]. CuPy's `path`.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("cuprum-doc-open.cu");
    /// std::fs::write(&path, r#"extern "C" __global__ void f(int *p) { *p = 1; }"#).unwrap();
    /// let module = cuprum::RawModule::open(&path, &Default::default())?;
    /// assert_eq!(module.kernel("f")?.name(), "f");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) if the file cannot be read; then as [`RawModule::compile`] and [`RawModule::load`].
    pub fn open(path: impl AsRef<Path>, module_options: &RawModuleOptions) -> Result<RawModule> {
        fn imp(path: &Path, module_options: &RawModuleOptions) -> Result<RawModule> {
            let bytes = std::fs::read(path).map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())));
            let bytes = bytes.map_err(|e| e.with_op("RawModule"))?;
            let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if !["cu", "cuh", "cpp"].contains(&kind) {
                return RawModule::load(&bytes);
            }
            let text = String::from_utf8_lossy(&bytes);
            RawModule::made(&text, module_options, path.parent().map(Path::to_path_buf))
                .map_err(|e| e.with_op("RawModule"))
        }
        imp(path.as_ref(), module_options)
    }

    /// Returns the kernel with this name, or the instance of this expression.
    ///
    /// CuPy's `RawModule.get_function`.
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let module = RawModule::compile("extern \"C\" __global__ void f(int *p) { *p = 1; }", &[])?;
    /// assert_eq!(module.kernel("f")?.name(), "f");
    /// assert!(module.kernel("g").is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the module has none.
    pub fn kernel(&self, name: &str) -> Result<RawKernel> {
        let go = || {
            let driver = self.device.driver()?;
            let of_expression = self.names.iter().find(|(e, _)| e == name);
            let function = driver.function(self.module, of_expression.map_or(name, |(_, n)| n))?;
            let layout = driver.parameters(function)?.map(Arc::from);
            trace::named(self.device, function, name);
            Ok(RawKernel { device: self.device, function, name: name.into(), identity: self.identity, layout })
        };
        go().map_err(|e: Error| e.with_op("RawModule"))
    }

    /// Returns a variable of the module, `__device__` or `__constant__`, as an array of its bytes; CuPy's `get_global`.
    /// `view` changes the dtype.
    ///
    /// ```
    /// use cuprum::{DType, RawModule};
    /// let module = RawModule::compile("extern \"C\" __device__ int table[3] = {1, 2, 3};", &[])?;
    /// assert_eq!(module.global("table")?.view(DType::I32)?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the module has none.
    pub fn global(&self, name: &str) -> Result<Array> {
        let go = || {
            let of_expression = self.names.iter().find(|(e, _)| e == name);
            let found = self.device.driver()?.global(self.module, of_expression.map_or(name, |(_, n)| n));
            let (pointer, bytes) = found?;
            let parts = RawParts::new(self.device, pointer, DType::U8, [bytes]);
            // SAFETY: the variable has this size, and lives until its module is unloaded.
            unsafe { Array::from_raw_parts(parts, ()) }
        };
        go().map_err(|e| e.with_op("RawModule"))
    }

    /// Unloads the module from the device. A module that is not unloaded stays until the process ends.
    ///
    /// CUDA's `cuModuleUnload`.
    ///
    /// # Safety
    ///
    /// No kernel or variable of the module is used any more, nor those of a module that was compiled from the same
    /// source.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for earlier queued work.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device: its kernels may still be running.
    pub unsafe fn unload(self) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.device.unload(self.module) }.map_err(|e| e.with_op("RawModule"))
    }
}

impl RawKernel {
    /// Compiles a source for the current device, and returns its kernel of this name.
    ///
    /// CuPy's `RawKernel(code, name, options)`. For several kernels of one source see [`RawModule`].
    ///
    /// ```
    /// use cuprum::{RawKernel, array};
    /// let fill = RawKernel::new("extern \"C\" __global__ void fill(int *x, int by) { x[threadIdx.x] = by; }", "fill", &[])?;
    /// let x = array([1, 2])?;
    /// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
    /// unsafe { fill.launch([1; 3], [2, 1, 1], &[(&x).into(), 7i32.into()])? };
    /// assert_eq!(x.to_vec::<i32>()?, [7, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`RawModule::compile`]; [`Driver`](ErrorKind::Driver) if the source has no such kernel.
    pub fn new(text: &str, name: &str, options: &[&str]) -> Result<RawKernel> {
        let go = || RawModule::compile(text, options)?.kernel(name);
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Launches the kernel on the current stream.
    ///
    /// `grid` is the number of blocks and `block` the number of threads of a block along x, y and z; CuPy's
    /// `kernel(grid, block, args)`. Nothing is checked on the device: an access out of bounds is undefined. See
    /// [`RawModule`] for an example.
    ///
    /// # Safety
    ///
    /// The arguments have the types that the kernel declares, and the kernel accesses only the elements of its arrays;
    /// it does not write to read-only ones.
    ///
    /// # Errors
    ///
    /// [`Type`](ErrorKind::Type) for a wrong number of arguments, and for one of a wrong size (if the driver is of CUDA
    /// 12.4 or newer, which provides the sizes); [`Value`](ErrorKind::Value) for an array of another device;
    /// [`Driver`](ErrorKind::Driver) and [`Fault`](ErrorKind::Fault) as reported by the device.
    pub unsafe fn launch(&self, grid: [u32; 3], block: [u32; 3], arguments: &[Argument<'_>]) -> Result<()> {
        // SAFETY: the caller guarantees the arguments.
        unsafe { self.launch_shared(grid, block, 0, arguments) }
    }

    /// Launches the kernel as [`RawKernel::launch`], with `shared` bytes of dynamic shared memory for each block.
    ///
    /// CuPy's `shared_mem`. More than 48 KiB must be allowed by [`RawKernel::set_max_dynamic_shared_bytes`]
    /// first.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, array};
    /// let text = r#"extern "C" __global__ void reverse(int *x) {
    ///     extern __shared__ int copy[];
    ///     copy[threadIdx.x] = x[threadIdx.x];
    ///     __syncthreads();
    ///     x[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
    /// }"#;
    /// let reverse = RawModule::compile(text, &[])?.kernel("reverse")?;
    /// let x = array([1, 2, 3])?;
    /// // SAFETY: the argument is that of the kernel, and each block has an integer of shared memory for each thread.
    /// unsafe { reverse.launch_shared([1; 3], [3, 1, 1], 12, &[Argument::Array(&x)])? };
    /// assert_eq!(x.to_vec::<i32>()?, [3, 2, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// As [`RawKernel::launch`].
    pub unsafe fn launch_shared(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        let go = || {
            self.check(arguments)?;
            let launcher = Launcher::on(self.device);
            // SAFETY: the arguments are in C layout; the rest is guaranteed by the caller.
            unsafe { launcher.launch_with(self.function, grid, block, shared, arguments, self.layout.as_deref()) }
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Launches the kernel as [`RawKernel::launch_shared`], with blocks that all run at the same time, so that they can
    /// synchronise (cooperative launch).
    ///
    /// ```
    /// use cuprum::{Argument, DType, RawModule, zeros};
    /// let text = r#"extern "C" __global__ void meet(unsigned *here, unsigned *seen) {
    ///     atomicAdd(here, 1u);
    ///     while (atomicAdd(here, 0u) < gridDim.x) {}
    ///     seen[blockIdx.x] = atomicAdd(here, 0u);
    /// }"#;
    /// let meet = RawModule::compile(text, &[])?.kernel("meet")?;
    /// let (here, seen) = (zeros(1, DType::U32)?, zeros(2, DType::U32)?);
    /// // SAFETY: the arguments are those of the kernel, and it stays inside the arrays.
    /// unsafe { meet.launch_cooperative([2, 1, 1], [1; 3], 0, &[Argument::Array(&here), Argument::Array(&seen)])? };
    /// assert_eq!(seen.to_vec::<u32>()?, [2, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// As [`RawKernel::launch`]; [`Driver`](ErrorKind::Driver) for more blocks than the device runs at a time:
    /// [`RawKernel::max_active_blocks`] on each of its multiprocessors.
    pub unsafe fn launch_cooperative(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        let go = || {
            self.check(arguments)?;
            let Some(layout) = &self.layout else {
                let message = "a cooperative launch needs a driver of CUDA 12.4 or newer, which reports the offsets of parameters";
                return Err(Error::new(ErrorKind::NotImplemented, message));
            };
            let launcher = Launcher::on(self.device);
            // SAFETY: the arguments are in C layout; the rest is guaranteed by the caller.
            unsafe { launcher.launch_together(self.function, [grid, block], shared, arguments, layout) }
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Rejects arguments whose number or sizes differ from those that the kernel declares.
    #[inline]
    fn check(&self, arguments: &[Argument<'_>]) -> Result<()> {
        let Some(layout) = &self.layout else { return Ok(()) };
        let fits = layout.len() == arguments.len()
            && layout.iter().zip(arguments).all(|(&(_, bytes), argument)| argument.bytes() == bytes);
        if fits { Ok(()) } else { Err(self.rejected(layout, arguments)) }
    }

    #[cold]
    fn rejected(&self, layout: &[(usize, usize)], arguments: &[Argument<'_>]) -> Error {
        let name = &self.name;
        let message = if layout.len() == arguments.len() {
            let wrong = layout.iter().zip(arguments).position(|(&(_, n), a)| a.bytes() != n).unwrap_or_default();
            let (wanted, given) = (layout[wrong].1, arguments[wrong].bytes());
            format!(
                "argument {wrong} of the kernel {name} has {given} bytes, and its parameter has {wanted}: give the type that \
                 the kernel declares"
            )
        } else {
            format!("the kernel {name} takes {} arguments, and {} are given", layout.len(), arguments.len())
        };
        Error::new(ErrorKind::Type, message)
    }

    /// Returns the kernel's name, or the expression that it is an instance of.
    ///
    /// For an instance of a template it is the expression that was passed to [`RawModule::kernel`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the size of each parameter, if the driver provides it (CUDA 12.4 or newer).
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let kernel = RawModule::compile("extern \"C\" __global__ void f(int *p) { *p = 1; }", &[])?.kernel("f")?;
    /// assert!(kernel.parameter_bytes().is_none_or(|sizes| sizes == [8]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn parameter_bytes(&self) -> Option<Vec<usize>> {
        self.layout.as_ref().map(|all| all.iter().map(|(_, bytes)| *bytes).collect())
    }

    /// Returns the device that the kernel is compiled for.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns an attribute of the compiled kernel; CuPy's `RawKernel.attributes`.
    ///
    /// ```
    /// use cuprum::{FunctionAttribute, RawModule};
    /// let text = r#"extern "C" __global__ void f() { __shared__ int x[8]; x[threadIdx.x] = 1; }"#;
    /// let kernel = RawModule::compile(text, &[])?.kernel("f")?;
    /// assert_eq!(kernel.attribute(FunctionAttribute::MaxThreadsPerBlock)?, 1024);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotImplemented`](ErrorKind::NotImplemented) for attributes that the simulator lacks, such as registers.
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        self.device.driver()?.function_attribute(self.function, attribute).map_err(|e| e.with_op("RawKernel"))
    }

    /// Sets an attribute of the kernel: `MaxDynamicSharedSizeBytes` or `PreferredSharedMemoryCarveout` (a percentage,
    /// or -1).
    ///
    /// CuPy's `RawKernel.preferred_shared_memory_carveout` and `max_dynamic_shared_size_bytes`.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for any other attribute; [`Driver`](ErrorKind::Driver) for a value that the device
    /// rejects.
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result<()> {
        use FunctionAttribute::{MaxDynamicSharedSizeBytes, PreferredSharedMemoryCarveout};
        let go = || match attribute {
            MaxDynamicSharedSizeBytes if value < 0 => {
                Err(Error::new(ErrorKind::Value, format!("{value} bytes of shared memory are requested")))
            }
            MaxDynamicSharedSizeBytes | PreferredSharedMemoryCarveout => {
                self.device.driver()?.set_function_attribute(self.function, attribute, value)
            }
            other => Err(Error::new(ErrorKind::Value, format!("{other:?} of a kernel can be read and not set"))),
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Allows this many bytes of dynamic shared memory, beyond the 48 KiB that every kernel may have.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the device has less.
    pub fn set_max_dynamic_shared_bytes(&self, bytes: i32) -> Result<()> {
        self.set_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes, bytes)
    }

    /// Returns the number of blocks of `threads` threads, with `shared` bytes of dynamic shared memory each, that a
    /// multiprocessor runs at a time.
    ///
    /// It is `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let kernel = RawModule::compile("extern \"C\" __global__ void f(int *p) { *p = 1; }", &[])?.kernel("f")?;
    /// assert!(kernel.max_active_blocks(1024, 0)? >= 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for a number of threads that no block can have.
    pub fn max_active_blocks(&self, threads: u32, shared: u32) -> Result<u32> {
        let driver = self.device.driver()?;
        driver.max_active_blocks(self.function, threads, shared).map_err(|e| e.with_op("RawKernel"))
    }

    /// Returns the number of threads of a block with the highest occupancy; the largest of several. `shared` is the
    /// dynamic shared memory of a block.
    ///
    /// ```
    /// use cuprum::RawModule;
    /// let kernel = RawModule::compile("extern \"C\" __global__ void f(int *p) { *p = 1; }", &[])?.kernel("f")?;
    /// let threads = kernel.suggested_block(0)?;
    /// assert!(threads % 32 == 0 && kernel.max_active_blocks(threads, 0)? >= 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if no block runs with this much shared memory.
    pub fn suggested_block(&self, shared: u32) -> Result<u32> {
        let most = self.attribute(FunctionAttribute::MaxThreadsPerBlock)? as u32;
        let mut best = (0, 32);
        for threads in (32..=most).step_by(32) {
            let at_work = self.max_active_blocks(threads, shared)? * threads;
            best = best.max((at_work, threads));
        }
        match best {
            (0, _) => {
                let message = format!("no block of the kernel {} runs with {shared} bytes of shared memory", self.name);
                Err(Error::new(ErrorKind::Driver, message).with_op("RawKernel"))
            }
            (_, threads) => Ok(threads),
        }
    }
}

#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod tests;
