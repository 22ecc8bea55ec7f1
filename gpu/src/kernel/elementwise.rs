//! User-defined elementwise kernels.
//!
//! A call reads its inputs and writes its outputs once, which is the lower bound of its memory traffic. Axes that all
//! arrays walk as one are merged, and if the source does not use the element's index they are walked in the memory
//! order of the output, so that arrays of the same layout, whichever it is, are one run of elements.

use std::fmt::Write as _;

use super::looped::{
    Compiled, Key, MOST_BLOCKS, Walk, append_arguments, declared, device_of, header, indexer, names, note, wrong_shape,
};
use super::parameters::{KernelArgument, Letters, Parameter, Value, check_count, check_name, number, parse};
use super::tuning::measure::Call;
use super::{FunctionAttribute, RawKernel, Tuning};
use crate::array::{Array, IntoArgument};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::Argument;
use crate::layout::{Layout, broadcast_shapes, size_of};

/// Default number of threads of a block.
const THREADS: usize = 256;

/// Options of an [`ElementwiseKernel`].
///
/// By default the kernel has a generic name, and no code before or after its loop.
#[derive(Clone, Debug)]
pub struct ElementwiseKernelOptions {
    /// The kernel's name, for messages and tools.
    pub name: String,
    /// Code before the kernel: functions that it calls.
    pub preamble: String,
    /// Code that each thread runs before its elements.
    pub loop_prep: String,
    /// Code that each thread runs after its elements.
    pub after_loop: String,
    /// NVRTC options.
    pub options: Vec<String>,
    /// True to merge axes that all arrays walk as one: `_ind` then has fewer indices than the arrays have axes.
    pub reduce_dims: bool,
}

crate::array::default_options!(ElementwiseKernelOptions);

/// Sets `name`, and leaves the other options at their defaults.
impl From<&str> for ElementwiseKernelOptions {
    fn from(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl Default for ElementwiseKernelOptions {
    fn default() -> Self {
        let none = String::new;
        ElementwiseKernelOptions {
            name: "kernel".into(),
            preamble: none(),
            loop_prep: none(),
            after_loop: none(),
            options: Vec::new(),
            reduce_dims: true,
        }
    }
}

/// User-defined kernel that applies an operation to each element of its arguments, which are broadcast; CuPy's
/// `ElementwiseKernel`.
///
/// A parameter is a type and a name. The type is a dtype's name, or a single letter as a placeholder for the dtype of
/// the argument. `raw` passes the whole array, to be indexed; if all arrays are raw a call passes the number of
/// elements. In the operation `i` is the index of the element in C order, `n` the number of elements,
/// `_ind.get()[axis]` the index along an axis.
///
/// ```
/// use cuprum::{ElementwiseKernel, array};
/// let kernel = ElementwiseKernel::new("T x, T y", "T z", "z = (x - y) * (x - y)", ())?;
/// let (x, y) = (array([[1.0], [2.0]])?, array([0.5, 1.0, 3.0])?);
/// // SAFETY: the operation reaches its elements and nothing else.
/// let z = unsafe { kernel.call(&[(&x).into(), (&y).into()], &[], None, None) }?.remove(0);
/// assert_eq!(z.to_vec::<f64>()?, [0.25, 0.0, 4.0, 2.25, 1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ElementwiseKernel {
    /// The input parameters.
    inputs: Vec<Parameter>,
    /// The output parameters.
    outputs: Vec<Parameter>,
    /// The operation, in CUDA C++.
    operation: String,
    /// The options.
    made: ElementwiseKernelOptions,
    /// True if the source uses the element's index, which is counted in C order.
    placed: bool,
    /// Compiled kernels, by dtypes and layouts.
    compiled: Compiled,
}

impl ElementwiseKernel {
    /// Creates a kernel, which is compiled at its first call for each combination of dtypes and layouts.
    ///
    /// Parameters are written as in CuPy: `"T x, raw T y"`; the operation is C++ with the names of the parameters and
    /// the index `i`.
    ///
    /// CuPy's `ElementwiseKernel(in_params, out_params, operation)`; see [`ElementwiseKernel`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for parameters that are not a type and a name, and for a kernel's name that is not an
    /// identifier.
    pub fn new(
        inputs: &str,
        outputs: &str,
        operation: &str,
        options: impl IntoArgument<ElementwiseKernelOptions>,
    ) -> Result<ElementwiseKernel> {
        let options = options.into();
        let go = || {
            check_name(&options.name)?;
            let (inputs, outputs) = (parse(inputs)?, parse(outputs)?);
            let texts = [operation, options.preamble.as_str(), &options.loop_prep, &options.after_loop];
            let placed = texts.iter().any(|text| names(text, &["i", "_ind"]));
            let (operation, made, compiled) = (operation.into(), options, Compiled::default());
            Ok(ElementwiseKernel { inputs, outputs, operation, made, placed, compiled })
        };
        go().map_err(|e: Error| e.with_op("ElementwiseKernel"))
    }

    /// Returns the numbers of inputs and outputs.
    ///
    /// ```
    /// use cuprum::ElementwiseKernel;
    /// let square = ElementwiseKernel::new("T x", "T y", "y = x * x", ())?;
    /// assert_eq!((square.arity(), square.parameter(0)), ([1, 1], Some(("x", false))));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn arity(&self) -> [usize; 2] {
        [self.inputs.len(), self.outputs.len()]
    }

    /// Returns the name of an input or output, and true if it is raw.
    ///
    /// Inputs are counted first. See [`ElementwiseKernel::arity`] for an example.
    pub fn parameter(&self, at: usize) -> Option<(&str, bool)> {
        self.inputs.iter().chain(&self.outputs).nth(at).map(|p| (p.name.as_str(), p.raw))
    }

    /// Calls the kernel with its inputs and returns the outputs. Outputs are either all passed or all created; those
    /// that are passed take part in broadcasting, and must have the whole shape. `size` is the number of elements if
    /// all arrays are raw. `block` is the number of threads of a block: by default 256, or the one that a
    /// [`Tuning`](crate::Tuning) finds.
    ///
    /// # Safety
    ///
    /// The operation accesses only its elements and those of its raw arrays; it does not write to read-only ones.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for arguments of other dtypes than the parameters', or a wrong number of them;
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast; [`ErrorKind::Compile`] with the compiler's log.
    pub unsafe fn call(
        &self,
        inputs: &[KernelArgument<'_>],
        outputs: &[&Array],
        size: Option<usize>,
        block: Option<usize>,
    ) -> Result<Vec<Array>> {
        // SAFETY: the caller guarantees the operation.
        unsafe { self.run(inputs, outputs, size, block) }.map_err(|e| e.with_op(&self.made.name))
    }

    unsafe fn run(
        &self,
        inputs: &[KernelArgument<'_>],
        outputs: &[&Array],
        size: Option<usize>,
        block: Option<usize>,
    ) -> Result<Vec<Array>> {
        check_count(&self.made.name, inputs.len(), self.inputs.len())?;
        if !outputs.is_empty() {
            check_count(&self.made.name, inputs.len() + outputs.len(), self.inputs.len() + self.outputs.len())?;
        }
        let letters = Letters::of(&self.inputs, inputs, &self.outputs, outputs)?;
        let shape = self.shape(inputs, outputs, size)?;
        let arrays = || inputs.iter().filter_map(KernelArgument::array).chain(outputs.iter().copied());
        let device = device_of(arrays())?;
        let mut results = Vec::new();
        for (k, parameter) in self.outputs.iter().enumerate() {
            match outputs.get(k) {
                Some(&out) => {
                    out.check_writable()?;
                    results.push(out.clone());
                }
                None if parameter.raw && size.is_none() => {
                    let message = format!(
                        "the size of the raw output {} is not known: pass its array, or a size",
                        parameter.name
                    );
                    return Err(Error::new(ErrorKind::Value, message));
                }
                None => results.push(self.output_array(device, inputs, &shape, letters.dtype(parameter)?)?),
            }
        }
        if size_of(&shape) == 0 {
            return Ok(results);
        }
        let (mut values, mut dtypes) = (Vec::new(), Vec::new());
        let outs: Vec<KernelArgument<'_>> = results.iter().map(KernelArgument::Array).collect();
        let parameters = || self.inputs.iter().chain(&self.outputs);
        for (parameter, argument) in parameters().zip(inputs.iter().chain(&outs)) {
            let dtype = letters.dtype(parameter)?;
            values.push(match *argument {
                KernelArgument::Array(a) if parameter.raw => Value::Array(a.clone()),
                KernelArgument::Array(a) => Value::Array(a.broadcast_to_shape(&shape)?),
                KernelArgument::Weak(s) | KernelArgument::Strong(_, s) => number(s, dtype)?,
            });
            dtypes.push(dtype);
        }
        let walk = self.walk(&shape, &mut values);
        let narrow = walk.is_narrow();
        let mut key = Key::new();
        values.iter().zip(&dtypes).for_each(|(value, &dtype)| note(value, dtype, &mut key));
        key.extend([walk.sizes.len() as u8, u8::from(narrow)]);
        let named = (self.made.name.as_str(), self.made.options.as_slice());
        let (kernel, _) = self.compiled.get(device, &key, named, None, || {
            let raw = parameters().map(|p| p.raw);
            let all = values.iter().zip(&dtypes).zip(raw);
            // A raw array may be larger than the loop.
            let types: Vec<String> = all.map(|((v, &d), raw)| declared(v, d, narrow && !raw)).collect();
            self.text(&letters, &types, walk.sizes.len(), narrow)
        })?;
        let index = indexer(&walk.sizes);
        let launch = |values: &[Value], block: usize| {
            let mut arguments = Vec::with_capacity(values.len() + 1);
            append_arguments(values, &mut arguments);
            arguments.push(Argument::Bytes { bytes: &index, align: 8 });
            let blocks = size_of(&walk.sizes).div_ceil(block.max(1)).min(MOST_BLOCKS) as u32;
            launched(&kernel, blocks, block, &arguments)
        };
        let block = match block {
            Some(block) => block,
            None => self.found_block(device, &key, &walk.sizes, &values, &kernel, launch)?,
        };
        launch(&values, block)?;
        Ok(results)
    }

    /// Returns the number of threads of a block, if the caller does not pass it.
    fn found_block(
        &self,
        device: Device,
        types: &Key,
        looped: &[usize],
        values: &[Value],
        kernel: &RawKernel,
        launch: impl FnMut(&[Value], usize) -> Result<()>,
    ) -> Result<usize> {
        let Some(tuning) = Tuning::current() else { return Ok(THREADS) };
        let ElementwiseKernelOptions { preamble, loop_prep, after_loop, options, .. } = &self.made;
        if !loop_prep.is_empty() || !after_loop.is_empty() {
            return Ok(THREADS);
        }
        let (declared, options) = (format!("{:?} {:?}", self.inputs, self.outputs), options.join(" "));
        let texts = [self.operation.as_str(), preamble, &declared, &options];
        let call = Call { device, texts: &texts, types, looped, usual: THREADS };
        let sizes = || {
            let most = kernel.attribute(FunctionAttribute::MaxThreadsPerBlock)? as usize;
            Ok([128, 512, 64, 1024, 32, 192, 384, 768].into_iter().filter(|&size| size <= most).collect())
        };
        let parameters = || self.inputs.iter().chain(&self.outputs);
        let writes = |k: usize| k >= self.inputs.len() || parameters().nth(k).is_some_and(|p| p.raw);
        call.block(&tuning, sizes, values, writes, launch)
    }

    /// Creates an output, in the memory order of the inputs if the source does not use indices.
    fn output_array(
        &self,
        device: Device,
        inputs: &[KernelArgument<'_>],
        shape: &[usize],
        dtype: cuprum_kernels::DType,
    ) -> Result<Array> {
        if self.placed {
            return make::empty(device, shape, dtype);
        }
        let elements = self.inputs.iter().zip(inputs).filter(|(p, _)| !p.raw).filter_map(|(_, a)| a.array());
        let broadcast = elements.map(|a| a.broadcast_to_shape(shape)).collect::<Result<Vec<Array>>>()?;
        let strides: Vec<&[i64]> = broadcast.iter().map(Array::strides).collect();
        Array::of_layout(device, Layout::like(shape, dtype.size(), &strides), dtype)
    }

    /// Returns the axes of the loop, and replaces the arrays that are not raw by their views along these.
    fn walk(&self, shape: &[usize], values: &mut [Value]) -> Walk {
        let raw = |k: usize| self.inputs.iter().chain(&self.outputs).nth(k).is_none_or(|p| p.raw);
        let seen = |(k, value): (usize, &Value)| match value {
            Value::Array(a) if !raw(k) => Some((k, a.clone())),
            _ => None,
        };
        let arrays: Vec<(usize, Array)> = values.iter().enumerate().filter_map(seen).collect();
        let mut walk = Walk::new(shape, &arrays.iter().map(|(_, a)| a).collect::<Vec<_>>());
        if self.made.reduce_dims {
            if !self.placed {
                walk.sort(0);
            }
            walk.merge(usize::MAX);
            walk.at_least(1);
        }
        for (at, (k, a)) in arrays.iter().enumerate() {
            values[*k] = Value::Array(walk.view(at, a));
        }
        walk
    }

    /// Returns the shape of the loop: the broadcast shape of the arrays that are not raw, outputs included, or the
    /// size.
    fn shape(&self, inputs: &[KernelArgument<'_>], outputs: &[&Array], size: Option<usize>) -> Result<Vec<usize>> {
        let of_inputs = self.inputs.iter().zip(inputs).filter_map(|(p, a)| a.array().filter(|_| !p.raw));
        let of_outputs = self.outputs.iter().zip(outputs).filter(|(p, _)| !p.raw).map(|(_, a)| *a);
        let shapes: Vec<&[usize]> = of_inputs.chain(of_outputs.clone()).map(Array::shape).collect();
        match size {
            Some(size) if shapes.is_empty() => return Ok(vec![size]),
            Some(_) => {
                let message =
                    "a size is passed with arrays that are not raw, which have it: leave it out, or make them raw";
                return Err(Error::new(ErrorKind::Value, message));
            }
            None if shapes.is_empty() => {
                let message = "the number of elements is not known, since no array is passed that is not raw: pass a size, or \
                               an output";
                return Err(Error::new(ErrorKind::Value, message));
            }
            None => {}
        }
        let shape = broadcast_shapes(&shapes)?.to_vec();
        match of_outputs.map(Array::shape).find(|out| **out != shape[..]) {
            None => Ok(shape),
            Some(out) => Err(wrong_shape(out, &shape)),
        }
    }

    /// Returns the source of the kernel for arguments of these types.
    fn text(&self, letters: &Letters, types: &[String], ndim: usize, narrow: bool) -> String {
        let ElementwiseKernelOptions { name, preamble, loop_prep, after_loop, .. } = &self.made;
        let mut sources = vec![preamble.as_str(), loop_prep, after_loop, &self.operation];
        sources.extend(types.iter().map(String::as_str));
        let mut text = header(&sources);
        letters.declare(&mut text);
        let _ = write!(text, "{preamble}\nextern \"C\" __global__ void {name}(");
        let (mut heads, mut bound) = (String::new(), String::new());
        for (k, (parameter, of)) in self.inputs.iter().chain(&self.outputs).zip(types).enumerate() {
            let of_array = of.starts_with("CArray<");
            let (own, output) = (&parameter.name, k >= self.inputs.len());
            if parameter.raw || !of_array {
                let _ = write!(heads, "{of} {own}, ");
                continue;
            }
            let _ = write!(heads, "{of} _raw_{own}, ");
            let constant = if output { "" } else { "const " };
            let element = if of.contains(", true, ") { "i" } else { "_ind.get()" };
            let _ = writeln!(bound, "    {constant}typename {of}::value_type &{own} = _raw_{own}[{element}];");
        }
        // A parameter of this name is the user's own.
        let own = self.inputs.iter().chain(&self.outputs).any(|parameter| parameter.name == "n");
        let size = if own { "" } else { "  const ptrdiff_t n = _ind.size();\n" };
        let _ = write!(
            text,
            "{heads}Indexer<{ndim}, {narrow}> _ind) {{\n{size}  {loop_prep};\n  \
             for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size(); i += (ptrdiff_t)blockDim.x * gridDim.x) {{\n    \
             _ind.set(i);\n{bound}    {};\n  }}\n  {after_loop};\n}}\n",
            self.operation
        );
        text
    }
}

/// Launches a one-dimensional grid of blocks.
fn launched(kernel: &RawKernel, blocks: u32, threads: usize, arguments: &[Argument<'_>]) -> Result<()> {
    // SAFETY: the arguments are those that the source declares; the caller of the kernel guarantees the operation.
    unsafe { kernel.launch([blocks, 1, 1], [threads as u32, 1, 1], arguments) }
}
