//! User-defined kernels: their handles and arguments.

use std::path::PathBuf;

use cuprum::{
    Argument, Array, CompileBackend, DType, ElementwiseKernel, ElementwiseKernelOptions, FunctionAttribute,
    KernelArgument, RawCode, RawKernel, RawModule, RawModuleOptions, ReductionKernel, ReductionKernelOptions, Scalar,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyTuple};

use crate::array::NdArray;
use crate::convert::{PassedOperand, array_of, given, integers, is_numpy_scalar, unsupported, wrap};
use crate::cuda::{device_of, id_of};
use crate::errors::{OrRaise, type_error, value_error};
use crate::memory::MemoryPointer;
use crate::texture::{SurfaceHandle, TextureHandle};
use crate::transfer::on_stream;

/// A compiled module, held by `cuprum.RawModule`.
#[pyclass(name = "ModuleHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct ModuleHandle(RawModule);

/// An unlinked object, held by `cuprum.RawCode`.
#[pyclass(name = "CodeHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct CodeHandle(RawCode);

#[pymethods]
impl CodeHandle {
    #[new]
    fn new(py: Python<'_>, code: &str, options: Vec<String>, expressions: Vec<String>) -> PyResult<CodeHandle> {
        let options = RawModuleOptions { options, expressions, ..RawModuleOptions::default() };
        Ok(CodeHandle(py.detach(|| RawCode::compile(code, &options)).or_raise()?))
    }

    /// Loads compiled code.
    #[staticmethod]
    fn load(code: &[u8]) -> PyResult<CodeHandle> {
        Ok(CodeHandle(RawCode::load(code).or_raise()?))
    }

    #[getter]
    fn kind(&self) -> String {
        self.0.kind().to_string()
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.bytes())
    }
}

/// A compiled kernel, held by `cuprum.RawKernel`.
#[pyclass(name = "KernelHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct KernelHandle(RawKernel);

/// Options of the compilation of a module: the compiler's options, the names of the templates to instantiate, headers by
/// their names, and true if nvcc is the compiler. A tuple of these in Python.
#[derive(Default, FromPyObject)]
struct ModuleOptions(Vec<String>, Vec<String>, Vec<(String, String)>, bool);

impl From<ModuleOptions> for RawModuleOptions {
    fn from(ModuleOptions(options, expressions, headers, nvcc): ModuleOptions) -> RawModuleOptions {
        let backend = if nvcc { CompileBackend::Nvcc } else { CompileBackend::Nvrtc };
        RawModuleOptions { options, expressions, headers, backend }
    }
}

#[pymethods]
impl ModuleHandle {
    #[new]
    #[pyo3(signature = (code, options=ModuleOptions::default()))]
    fn new(py: Python<'_>, code: &str, options: ModuleOptions) -> PyResult<ModuleHandle> {
        Ok(ModuleHandle(py.detach(|| RawModule::compile_with(code, &options.into())).or_raise()?))
    }

    /// Loads the code of a file: CUDA C++, PTX or CUBIN.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, options: ModuleOptions) -> PyResult<ModuleHandle> {
        Ok(ModuleHandle(py.detach(|| RawModule::open(path, &options.into())).or_raise()?))
    }

    /// Returns the compiler's log of a source.
    #[staticmethod]
    fn log(py: Python<'_>, code: &str, options: ModuleOptions) -> PyResult<String> {
        py.detach(|| RawModule::compile_log(code, &options.into())).or_raise()
    }

    /// The header that replaces `cuComplex.h` where its numbers are to be `complex<T>`.
    #[classattr]
    fn cucomplex_header() -> &'static str {
        RawModule::CUCOMPLEX_TEMPLATES
    }

    /// Links objects to a module.
    #[staticmethod]
    fn link(py: Python<'_>, pieces: Vec<PyRef<'_, CodeHandle>>, options: Vec<String>) -> PyResult<ModuleHandle> {
        let pieces: Vec<RawCode> = pieces.iter().map(|piece| piece.0.clone()).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        Ok(ModuleHandle(py.detach(|| RawModule::link(&pieces, &options)).or_raise()?))
    }

    /// Returns the kernel of a name, or the instance of a template expression.
    fn kernel(&self, name: &str) -> PyResult<KernelHandle> {
        Ok(KernelHandle(self.0.kernel(name).or_raise()?))
    }

    /// Returns the memory of a global variable of the module.
    fn variable(&self, py: Python<'_>, name: &str) -> PyResult<MemoryPointer> {
        MemoryPointer::of(py, &self.0.global(name).or_raise()?)
    }
}

/// An argument of a raw kernel.
enum Raw {
    Array(Array),
    View(Array),
    Bytes(Vec<u8>, usize),
}

impl Raw {
    fn argument(&self) -> Argument<'_> {
        match self {
            Raw::Array(a) => Argument::Array(a),
            Raw::View(a) => Argument::View(a),
            Raw::Bytes(bytes, align) => Argument::Bytes { bytes, align: *align },
        }
    }

    /// Converts an argument for a parameter of a given size: an array by value where the parameter is one, and a Python
    /// number, which has no size of its own, in that of the parameter.
    fn fitting(object: &Bound<'_, PyAny>, wanted: Option<usize>) -> PyResult<Raw> {
        let bytes = |all: &[u8]| Ok(Raw::Bytes(all.to_vec(), all.len()));
        if object.is_none() {
            return Ok(Raw::Bytes(vec![0; 8], 8));
        }
        if object.is_exact_instance_of::<PyFloat>() && wanted == Some(4) {
            return bytes(&(object.extract::<f64>()? as f32).to_le_bytes());
        }
        if object.is_exact_instance_of::<PyComplex>() && wanted == Some(8) {
            let part =
                |name| -> PyResult<[u8; 4]> { Ok((object.getattr(name)?.extract::<f64>()? as f32).to_le_bytes()) };
            return bytes(&[part("real")?, part("imag")?].concat());
        }
        let whole = object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyBool>();
        if let (true, Some(size @ (1 | 2 | 4))) = (whole, wanted) {
            let value: i64 = object.extract()?;
            let bits = 8 * size as u32;
            if value < -(1 << (bits - 1)) || value >= 1 << bits {
                return Err(PyOverflowError::new_err(format!("{value} does not fit a parameter of {size} bytes")));
            }
            return bytes(&value.to_le_bytes()[..size]);
        }
        Ok(match raw_argument(object)? {
            Raw::Array(a) if wanted.is_some_and(|n| n == 16 + 16 * a.ndim().max(1)) => Raw::View(a),
            other => other,
        })
    }
}

impl KernelHandle {
    /// Converts arguments for the kernel's parameters.
    fn fitting(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<Raw>> {
        let sizes = self.0.parameter_bytes();
        let wanted = |k: usize| sizes.as_ref().and_then(|all| all.get(k).copied());
        args.iter().enumerate().map(|(k, a)| Raw::fitting(&a, wanted(k))).collect()
    }
}

/// Converts a Python object to the bytes of its C representation: numbers by their default size, NumPy scalars and
/// structs by theirs.
fn raw_argument(object: &Bound<'_, PyAny>) -> PyResult<Raw> {
    let py = object.py();
    if let Some(a) = crate::nonnumeric::memory_of(object) {
        return Ok(Raw::Array(a.clone()));
    }
    if let Ok(pointer) = object.cast::<MemoryPointer>() {
        return Ok(Raw::Bytes(pointer.get().ptr().to_le_bytes().to_vec(), 8));
    }
    if let Some(handle) = image_handle(object) {
        return Ok(Raw::Bytes(handle.to_le_bytes().to_vec(), 8));
    }
    if object.is_exact_instance_of::<PyBool>() {
        return Ok(Raw::Bytes(vec![u8::from(object.is_truthy()?)], 1));
    }
    if object.is_exact_instance_of::<PyInt>() {
        let bytes = match object.extract::<i64>() {
            Ok(n) => n.to_le_bytes(),
            Err(_) => object.extract::<u64>()?.to_le_bytes(),
        };
        return Ok(Raw::Bytes(bytes.to_vec(), 8));
    }
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Raw::Bytes(object.extract::<f64>()?.to_le_bytes().to_vec(), 8));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        let (re, im): (f64, f64) =
            (object.getattr(intern!(py, "real"))?.extract()?, object.getattr(intern!(py, "imag"))?.extract()?);
        return Ok(Raw::Bytes([re.to_le_bytes(), im.to_le_bytes()].concat(), 16));
    }
    let numpy_array = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "ndarray"))?;
    // Its elements, in C order: a struct, or an array in one.
    let by_value = object.is_instance(&numpy_array)?;
    if by_value || is_numpy_scalar(object)? {
        let descr = object.getattr(intern!(py, "dtype"))?;
        let bytes = object.call_method0(intern!(py, "tobytes"))?.cast_into::<PyBytes>()?.as_bytes().to_vec();
        let kind: String = descr.getattr(intern!(py, "kind"))?.extract()?;
        // NumPy aligns a complex number like its parts; CUDA and thrust align it to its size.
        let size = if kind == "c" { intern!(py, "itemsize") } else { intern!(py, "alignment") };
        let align = descr.getattr(size)?.extract()?;
        return Ok(Raw::Bytes(bytes, align));
    }
    let ctypes = py.import(intern!(py, "ctypes"))?;
    // All ctypes types have the same base class.
    let base = ctypes.getattr(intern!(py, "Structure"))?.getattr(intern!(py, "__base__"))?;
    if object.is_instance(&base)? {
        let bytes = py.get_type::<PyBytes>().call1((object,))?.cast_into::<PyBytes>()?.as_bytes().to_vec();
        let align = ctypes.call_method1(intern!(py, "alignment"), (object,))?.extract()?;
        return Ok(Raw::Bytes(bytes, align));
    }
    if let Some(a) = crate::interop::imported(object)? {
        return Ok(Raw::Array(a));
    }
    Err(PyTypeError::new_err(format!(
        "a kernel takes arrays, numbers, NumPy arrays and ctypes structs by value, and None as a null pointer, not {}",
        object.get_type()
    )))
}

/// Reads up to three sizes.
fn sizes(object: &Bound<'_, PyAny>, what: &str) -> PyResult<[u32; 3]> {
    let given = integers(object)?;
    if given.is_empty() || given.len() > 3 {
        return value_error(format!("{what} has {} sizes: it has one to three", given.len()));
    }
    let mut all = [1; 3];
    for (to, &n) in all.iter_mut().zip(&given) {
        let fits = u32::try_from(n).ok();
        *to = fits.ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("{what} has the size {n}")))?;
    }
    Ok(all)
}

#[pymethods]
impl KernelHandle {
    /// Launches the kernel on a stream, by default the current one, with blocks along x, y and z and threads of a block.
    #[pyo3(signature = (grid, block, args, shared_mem=0, stream=None, cooperative=false))]
    #[allow(clippy::too_many_arguments, reason = "they are what CuPy's call has")]
    fn launch<'py>(
        &self,
        py: Python<'py>,
        grid: &Bound<'py, PyAny>,
        block: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        shared_mem: u32,
        stream: Option<&Bound<'py, PyAny>>,
        cooperative: bool,
    ) -> PyResult<()> {
        let (grid, block) = (sizes(grid, "the grid")?, sizes(block, "the block")?);
        let all = self.fitting(args)?;
        let arguments: Vec<Argument<'_>> = all.iter().map(Raw::argument).collect();
        on_stream(stream, || {
            let launch = || match cooperative {
                // SAFETY: the caller guarantees that the arguments match the kernel, as in CuPy.
                true => unsafe { self.0.launch_cooperative(grid, block, shared_mem, &arguments) },
                // SAFETY: as above.
                false => unsafe { self.0.launch_shared(grid, block, shared_mem, &arguments) },
            };
            py.detach(launch).or_raise()
        })
    }

    /// Returns the fastest block size among those of `launches`, each with its grid and its shared memory.
    fn tune<'py>(
        &self,
        py: Python<'py>,
        launches: Vec<(u32, Bound<'py, PyAny>, u32)>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<u32> {
        let grids: Vec<(u32, [u32; 3], u32)> = launches
            .into_iter()
            .map(|(threads, grid, shared)| Ok((threads, sizes(&grid, "the grid")?, shared)))
            .collect::<PyResult<_>>()?;
        let all = self.fitting(args)?;
        let arguments: Vec<Argument<'_>> = all.iter().map(Raw::argument).collect();
        let threads: Vec<u32> = grids.iter().map(|(threads, ..)| *threads).collect();
        let launch = |block: u32, arguments: &[Argument<'_>]| {
            let of = grids.iter().find(|(threads, ..)| *threads == block);
            let &(_, grid, shared) = of.expect("it is one of those that are given");
            // SAFETY: the caller guarantees that the arguments match the kernel, as in CuPy.
            unsafe { self.0.launch_shared(grid, [block, 1, 1], shared, arguments) }
        };
        py.detach(|| self.0.tune(&threads, &arguments, launch)).or_raise()
    }

    /// Returns an attribute of the compiled kernel, by CUDA's number (`CU_FUNC_ATTRIBUTE_*`).
    fn attribute(&self, number: i32) -> PyResult<i32> {
        use FunctionAttribute::*;
        let known = [
            MaxThreadsPerBlock,
            SharedSizeBytes,
            ConstSizeBytes,
            LocalSizeBytes,
            NumRegs,
            PtxVersion,
            BinaryVersion,
            CacheModeCa,
            MaxDynamicSharedSizeBytes,
            PreferredSharedMemoryCarveout,
        ];
        match known.into_iter().find(|&k| k as i32 == number) {
            Some(attribute) => self.0.attribute(attribute).or_raise(),
            None => value_error(format!("kernels have no attribute {number}")),
        }
    }

    /// Allows this many bytes of dynamic shared memory for each block, beyond the 48 KiB of every kernel.
    fn set_max_dynamic_shared_size_bytes(&self, bytes: i32) -> PyResult<()> {
        self.0.set_max_dynamic_shared_bytes(bytes).or_raise()
    }

    /// Sets the share of the L1 cache that is preferably shared memory, in percent; -1 for the driver's choice.
    fn set_preferred_shared_memory_carveout(&self, percent: i32) -> PyResult<()> {
        self.0.set_attribute(FunctionAttribute::PreferredSharedMemoryCarveout, percent).or_raise()
    }

    /// Returns the number of blocks of this size that a multiprocessor runs at a time.
    #[pyo3(signature = (block_size, shared_mem=0))]
    fn max_active_blocks(&self, block_size: u32, shared_mem: u32) -> PyResult<u32> {
        self.0.max_active_blocks(block_size, shared_mem).or_raise()
    }

    /// Returns the number of threads of a block with which a multiprocessor has the most threads.
    #[pyo3(signature = (shared_mem=0))]
    fn suggested_block(&self, shared_mem: u32) -> PyResult<u32> {
        self.0.suggested_block(shared_mem).or_raise()
    }

    #[getter]
    fn device_id(&self) -> usize {
        id_of(self.0.device())
    }
}

/// Returns the handle of a texture or a surface for kernels.
fn image_handle(object: &Bound<'_, PyAny>) -> Option<u64> {
    let surface = || object.cast::<SurfaceHandle>().ok().map(|surface| surface.get().ptr());
    object.cast::<TextureHandle>().ok().map(|texture| texture.get().ptr()).or_else(surface)
}

/// Reads the operands of an elementwise or a reduction kernel.
fn operands<'py>(args: &[Bound<'py, PyAny>]) -> PyResult<Vec<PassedOperand<'py>>> {
    let one = |a: &Bound<'py, PyAny>| match image_handle(a) {
        Some(handle) => Ok(PassedOperand::Strong(DType::U64, Scalar::Int(handle.into()))),
        None => given(a)?.ok_or_else(|| unsupported(a)),
    };
    args.iter().map(one).collect()
}

fn kernel_arguments<'a>(given: &'a [PassedOperand<'_>]) -> Vec<KernelArgument<'a>> {
    let one = |g: &'a PassedOperand<'_>| match g {
        PassedOperand::Array(a) => KernelArgument::Array(a.get().array()),
        PassedOperand::Made(a) => KernelArgument::Array(a),
        PassedOperand::Weak(s) => KernelArgument::Weak(*s),
        PassedOperand::Strong(dtype, s) => KernelArgument::Strong(*dtype, *s),
        PassedOperand::Huge(_) => KernelArgument::Weak(Scalar::Int(i128::MAX)),
    };
    given.iter().map(one).collect()
}

/// An elementwise kernel, held by `cuprum.ElementwiseKernel`.
#[pyclass(name = "ElementwiseHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct ElementwiseHandle(ElementwiseKernel);

#[pymethods]
impl ElementwiseHandle {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are the parts of the text")]
    fn new(
        in_params: &str,
        out_params: &str,
        operation: &str,
        name: String,
        reduce_dims: bool,
        preamble: String,
        loop_prep: String,
        after_loop: String,
        options: Vec<String>,
    ) -> PyResult<ElementwiseHandle> {
        let made = ElementwiseKernelOptions { name, preamble, loop_prep, after_loop, options, reduce_dims };
        Ok(ElementwiseHandle(ElementwiseKernel::new(in_params, out_params, operation, made).or_raise()?))
    }

    #[getter]
    fn arity(&self) -> (usize, usize) {
        let [nin, nout] = self.0.arity();
        (nin, nout)
    }

    #[pyo3(signature = (args, size=None, stream=None, block_size=None))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        args: Vec<Bound<'py, PyAny>>,
        size: Option<usize>,
        stream: Option<&Bound<'py, PyAny>>,
        block_size: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, NdArray>>> {
        let [nin, nout] = self.0.arity();
        if args.len() != nin && args.len() != nin + nout {
            return type_error(format!(
                "Wrong number of arguments: {nin} or {} are taken, {} are given",
                nin + nout,
                args.len()
            ));
        }
        let outs = args[nin..].iter().map(|a| match array_of(a) {
            Some(a) => Ok(a),
            None => type_error(format!("Output arguments must be cuprum.ndarray, not {}", a.get_type())),
        });
        let outs = outs.collect::<PyResult<Vec<&Array>>>()?;
        let all = operands(&args[..nin])?;
        let inputs = kernel_arguments(&all);
        let made = on_stream(stream, || {
            // SAFETY: the author of the kernel guarantees that it stays in its arrays, as in CuPy.
            py.detach(|| unsafe { self.0.call(&inputs, &outs, size, block_size) }).or_raise()
        })?;
        if !outs.is_empty() {
            return args[nin..].iter().map(|a| Ok(a.cast::<NdArray>()?.clone())).collect();
        }
        made.into_iter().map(|a| wrap(py, a)).collect()
    }
}

/// A reduction kernel, held by `cuprum.ReductionKernel`.
#[pyclass(name = "ReductionHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct ReductionHandle(ReductionKernel);

#[pymethods]
impl ReductionHandle {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are the parts of the text")]
    fn new(
        in_params: &str,
        out_params: &str,
        map_expr: &str,
        reduce_expr: &str,
        post_map_expr: &str,
        identity: &str,
        name: String,
        reduce_type: Option<String>,
        preamble: String,
        options: Vec<String>,
    ) -> PyResult<ReductionHandle> {
        let made = ReductionKernelOptions { name, preamble, reduce_type, options };
        let kernel = ReductionKernel::new(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, made)
            .or_raise()?;
        Ok(ReductionHandle(kernel))
    }

    #[getter]
    fn arity(&self) -> usize {
        self.0.arity()
    }

    #[pyo3(signature = (args, out=None, axis=None, keepdims=false, stream=None))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        args: Vec<Bound<'py, PyAny>>,
        out: Option<Bound<'py, NdArray>>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let all = operands(&args)?;
        let inputs = kernel_arguments(&all);
        let axes = match axis.filter(|a| !a.is_none()) {
            Some(axis) => Some(integers(axis)?.to_vec()),
            None => None,
        };
        let target = out.as_ref().map(|a| a.get().array());
        let made = on_stream(stream, || {
            let call = || match &axes {
                // SAFETY: the author of the kernel guarantees that it stays in its arrays, as in CuPy.
                Some(axes) => unsafe { self.0.call(&inputs, target, axes.as_slice(), keepdims) },
                // SAFETY: as above.
                None => unsafe { self.0.call(&inputs, target, (), keepdims) },
            };
            py.detach(call).or_raise()
        })?;
        match out {
            Some(out) => Ok(out),
            None => wrap(py, made),
        }
    }
}

/// Returns the number of the device of an object.
#[pyfunction]
fn device_id_of(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(id_of(device_of(object)?))
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CodeHandle>()?;
    module.add_class::<ModuleHandle>()?;
    module.add_class::<KernelHandle>()?;
    module.add_class::<ElementwiseHandle>()?;
    module.add_class::<ReductionHandle>()?;
    module.add_function(wrap_pyfunction!(add_kernel_folder, module)?)?;
    module.add_function(wrap_pyfunction!(device_id_of, module)?)
}

/// Adds a folder of archives of compiled kernels, one for each architecture.
#[pyfunction]
fn add_kernel_folder(path: PathBuf) {
    cuprum::cuda::add_kernel_folder(path);
}
