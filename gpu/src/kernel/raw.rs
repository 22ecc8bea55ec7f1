//! Kernels given as CUDA C++, as PTX or as CUBIN.

mod code;
mod tune;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuprum_kernels::DType;

use self::code::asks_for_lto;
use super::headers::{whole, with_header_advice};
use crate::array::{Array, RawParts};
use crate::cuda::{Device, Source, trace};
use crate::driver::Function;
use crate::driver::cache::{Key, key};
use crate::driver::nvrtc::with_lines;
use crate::engine::launch::{Argument, Launcher};
use crate::error::{Error, ErrorKind, Result};

pub use self::code::RawCode;
pub use crate::driver::{CodeKind, FunctionAttribute};

/// How a text is compiled.
#[derive(Clone, Debug, Default)]
pub struct RawModuleOptions {
    /// Options of NVRTC: `-DN=4`, `-Ifolder`, `--use_fast_math`. With `-dlto` a GPU's code goes by the linker, which optimises
    /// it once more.
    pub options: Vec<String>,
    /// The templates that are wanted, as they are to be made: `scale<float>`. CuPy's `name_expressions`.
    pub expressions: Vec<String>,
    /// Headers by the names that the text includes them by, before all that are files.
    pub headers: Vec<(String, String)>,
}

/// CUDA C++ compiled for a device, or code that is compiled already; CuPy's `RawModule`.
///
/// Its kernels are `extern "C"`, so that they have the names that the text gives them, or templates that are named as they
/// are to be made. A text may include `cuprum/complex.cuh` (`complex<float>`), `cuprum/half.cuh` (`float16`, `bfloat16`),
/// `cuprum/array.cuh` (`CArray<T, N>`, an array by value with its strides: [`Argument::View`]), `cuprum/types.cuh`
/// (`int32_t`), and under their usual names `stdint.h`, `cuComplex.h`, `cupy/complex.cuh` and `cupy/carray.cuh`.
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
    /// The expressions, and the names that the code has for them.
    names: Arc<[(String, String)]>,
    /// What tells its code from others.
    identity: Key,
}

/// Returns a text, its headers in their places, as the device compiles it. `beside` is the folder of the text, where it
/// is a file.
fn source_of(text: &str, module_options: &RawModuleOptions, beside: Option<&Path>) -> Source<'static> {
    let (whole, options) =
        whole("raw", text, &module_options.headers, &module_options.options, beside.map(Path::to_path_buf));
    let expressions = module_options.expressions.clone();
    Source { name: "raw".into(), text: whole.into(), options, expressions, own: false }
}

/// A kernel of a [`RawModule`].
#[derive(Clone, Debug)]
pub struct RawKernel {
    device: Device,
    function: Function,
    name: Arc<str>,
    /// That of its module.
    identity: Key,
    /// Where each parameter lies and how many bytes it has, where the driver tells.
    layout: Option<Arc<[(usize, usize)]>>,
}

impl RawModule {
    /// A header that [`RawModuleOptions::headers`] may have as `cuComplex.h`: with its names for `complex<float>` and
    /// `complex<double>`, which have operators; CuPy's `translate_cucomplex`.
    pub const CUCOMPLEX_TEMPLATES: &str = cuprum_kernels::source::USER_CUCOMPLEX;

    /// Compiles a text for the current device. `options` are those of NVRTC.
    ///
    /// # Errors
    ///
    /// [`Compile`](ErrorKind::Compile) with the compiler's log and the text with its lines numbered;
    /// [`Library`](ErrorKind::Library) where NVRTC is missing.
    pub fn compile(text: &str, options: &[&str]) -> Result<RawModule> {
        RawModule::instantiate(text, options, &[])
    }

    /// As [`RawModule::compile`], of a text with templates: `expressions` name those that are wanted, as
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
            RawModuleOptions { options: owned(options), expressions: owned(expressions), headers: vec![] };
        RawModule::compile_with(text, &module_options)
    }

    /// As [`RawModule::compile`], with headers of the user's and all else that a compile can be told.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, RawModuleOptions, array};
    /// let how = RawModuleOptions {
    ///     headers: vec![("by.h".into(), "#define BY 3.0".into())],
    ///     ..Default::default()
    /// };
    /// let text = "#include \"by.h\"\n#include <cuprum/array.cuh>
    ///     extern \"C\" __global__ void scale(CArray<double, 2> x) { x[threadIdx.x] *= BY; }";
    /// let scale = RawModule::compile_with(text, &how)?.kernel("scale")?;
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

    /// Compiles a source as [`RawModule::compile_with`] does, whether a cache has it or not, and returns the compiler's log: its
    /// warnings and remarks.
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
            let source = source_of(text, options, None);
            Device::current()?.compile_log(&source).map_err(|e| with_header_advice(with_lines(e, text)))
        };
        go().map_err(|e: Error| e.with_op("RawModule"))
    }

    /// Code that is compiled already: PTX, a CUBIN for the device's architecture, or code for the linker, which needs no other
    /// piece ([`RawModule::link`]).
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
    /// [`Driver`](ErrorKind::Driver) for code of another architecture, or that is none; [`Compile`](ErrorKind::Compile) of the
    /// simulator, which runs PTX alone.
    pub fn load(code: &[u8]) -> Result<RawModule> {
        let go = || {
            if CodeKind::of(code).is_some_and(|kind| kind.needs_linker(code)) {
                return RawModule::of_pieces(&[RawCode::load(code)?], &[]);
            }
            let device = Device::current()?;
            // PTX is text that ends with NUL.
            let ended = [code, &[0]].concat();
            let module = device.driver()?.load(&ended)?;
            Ok(RawModule { device, module, names: [].into(), identity: key(&[code]) })
        };
        go().map_err(|e: Error| e.with_op("RawModule"))
    }

    /// Returns the code of a file: CUDA C++ (`.cu`, `.cuh`, `.cpp`), which may include what lies beside it; else as
    /// [`RawModule::load`]. CuPy's `path`.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) where the file cannot be read; then as [`RawModule::compile`] and [`RawModule::load`].
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

    /// Returns the kernel of this name, or of this expression.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) where the module has none.
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

    /// Returns a variable of the module, `__device__` or `__constant__`, as its bytes; CuPy's `get_global`. `view`
    /// gives it a dtype.
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
    /// [`Driver`](ErrorKind::Driver) where the module has none.
    pub fn global(&self, name: &str) -> Result<Array> {
        let go = || {
            let of_expression = self.names.iter().find(|(e, _)| e == name);
            let found = self.device.driver()?.global(self.module, of_expression.map_or(name, |(_, n)| n));
            let (pointer, bytes) = found?;
            let parts = RawParts::new(self.device, pointer, DType::U8, [bytes]);
            // SAFETY: the variable is of so many bytes, and lives until its module is unloaded.
            unsafe { Array::from_raw_parts(parts, ()) }
        };
        go().map_err(|e| e.with_op("RawModule"))
    }

    /// Takes the module off the device. One that is not unloaded stays for as long as the process lives.
    ///
    /// # Safety
    ///
    /// Nobody uses a kernel or a variable of the module any more, nor those of a module that was compiled of the same text.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) of what was queued before.
    ///
    /// # Synchronization
    ///
    /// The host waits for the device: its kernels may still run.
    pub unsafe fn unload(self) -> Result<()> {
        // SAFETY: the caller guarantees those who have the module.
        unsafe { self.device.unload(self.module) }.map_err(|e| e.with_op("RawModule"))
    }
}

impl RawKernel {
    /// Launches the kernel on the current stream.
    ///
    /// # Safety
    ///
    /// The arguments are of the types that the kernel declares, and the kernel reaches nothing but the elements of its
    /// arrays; of one that is read-only it writes none.
    ///
    /// # Errors
    ///
    /// [`Type`](ErrorKind::Type) for another number of arguments than the kernel declares, and for one of another size (where
    /// the driver is of CUDA 12.4 or newer, which tells); [`Value`](ErrorKind::Value) for an array of another device;
    /// [`Driver`](ErrorKind::Driver) and [`Fault`](ErrorKind::Fault) as the device gives them.
    pub unsafe fn launch(&self, grid: [u32; 3], block: [u32; 3], arguments: &[Argument<'_>]) -> Result<()> {
        // SAFETY: the caller guarantees the arguments.
        unsafe { self.launch_shared(grid, block, 0, arguments) }
    }

    /// As [`RawKernel::launch`], with so many bytes of dynamic shared memory for each block.
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
            // SAFETY: the arguments lie as C lays them; the rest is guaranteed by the caller.
            unsafe { launcher.launch_with(self.function, grid, block, shared, arguments, self.layout.as_deref()) }
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// As [`RawKernel::launch_shared`], of blocks that all run at the same time, so that they can wait for one another.
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
                let message =
                    "a cooperative launch needs a driver of CUDA 12.4 or newer, which tells where parameters lie";
                return Err(Error::new(ErrorKind::NotImplemented, message));
            };
            let launcher = Launcher::on(self.device);
            // SAFETY: the arguments lie as C lays them; the rest is guaranteed by the caller.
            unsafe { launcher.launch_together(self.function, [grid, block], shared, arguments, layout) }
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Rejects arguments that are not as many, or not as large, as the kernel declares.
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

    /// Returns the kernel's name, or the expression that it is made of.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of each parameter, where the driver tells (CUDA 12.4 or newer).
    pub fn parameter_bytes(&self) -> Option<Vec<usize>> {
        self.layout.as_ref().map(|all| all.iter().map(|(_, bytes)| *bytes).collect())
    }

    /// Returns the device that the kernel is compiled for.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns a fact of the compiled kernel; CuPy's `RawKernel.attributes`.
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
    /// [`NotImplemented`](ErrorKind::NotImplemented) for what the simulator does not have, as registers.
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        self.device.driver()?.function_attribute(self.function, attribute).map_err(|e| e.with_op("RawKernel"))
    }

    /// Sets a fact of the kernel that can be set: `MaxDynamicSharedSizeBytes` and `PreferredSharedMemoryCarveout` (a
    /// percentage, or -1).
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for another one; [`Driver`](ErrorKind::Driver) for what the device rejects.
    pub fn set_attribute(&self, attribute: FunctionAttribute, value: i32) -> Result<()> {
        use FunctionAttribute::{MaxDynamicSharedSizeBytes, PreferredSharedMemoryCarveout};
        let go = || match attribute {
            MaxDynamicSharedSizeBytes if value < 0 => {
                Err(Error::new(ErrorKind::Value, format!("{value} bytes of shared memory are asked for")))
            }
            MaxDynamicSharedSizeBytes | PreferredSharedMemoryCarveout => {
                self.device.driver()?.set_function_attribute(self.function, attribute, value)
            }
            other => Err(Error::new(ErrorKind::Value, format!("{other:?} of a kernel can be read and not set"))),
        };
        go().map_err(|e: Error| e.with_op("RawKernel"))
    }

    /// Allows so many bytes of dynamic shared memory, beyond the 48 KiB that every kernel may have.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) where the device has not so much.
    pub fn set_max_dynamic_shared_bytes(&self, bytes: i32) -> Result<()> {
        self.set_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes, bytes)
    }

    /// How many blocks of so many threads, and so many bytes of dynamic shared memory each, a multiprocessor runs at a time.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for threads that no block can have.
    pub fn max_active_blocks(&self, threads: u32, shared: u32) -> Result<u32> {
        let driver = self.device.driver()?;
        driver.max_active_blocks(self.function, threads, shared).map_err(|e| e.with_op("RawKernel"))
    }

    /// Returns the number of threads for a block with which a multiprocessor has the most threads at work; of several
    /// the largest. `shared` is the dynamic shared memory of a block.
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
    /// [`Driver`](ErrorKind::Driver) where no block runs with so much shared memory.
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
