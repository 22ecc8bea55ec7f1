//! Kernels of one expression for each element.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::parameters::{
    KernelArgument, Letters, Parameter, Value, c_type, check_count, declared, flat, number, parse, tell, tell_indexer,
};
use super::{RawKernel, RawModule};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{broadcast_shapes, shape_text, size_of};

/// What stands before every text.
pub(super) const HEADER: &str = cuprum_kernels::source::USER;
const THREADS: usize = 128;
/// Blocks beyond which each thread does several elements.
const MOST_BLOCKS: usize = 1 << 16;

/// How an [`ElementwiseKernel`] is made.
#[derive(Clone, Debug)]
pub struct ElementwiseKernelOptions {
    /// The kernel's name, for messages and tools.
    pub name: String,
    /// What stands before the kernel: functions that it calls.
    pub preamble: String,
    /// What each thread does before its elements, and after them.
    pub loop_prep: String,
    /// See `loop_prep`.
    pub after_loop: String,
    /// Options of NVRTC.
    pub options: Vec<String>,
    /// Whether arrays that lie densely may be seen as having one axis: `_ind` then has one index.
    pub reduce_dims: bool,
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

/// A kernel of the user's that does the same for each element of its arguments, which are broadcast; CuPy's
/// `ElementwiseKernel`.
///
/// A parameter is a type and a name. The type is a dtype's name, or one letter that stands for what is given. `raw` gives the
/// whole array, to be indexed; then a call says how many elements there are. In the operation `i` is the place of the
/// element in C order, `n` the number of elements, `_ind.get()[axis]` the index of an axis.
///
/// ```
/// use cuprum::{ElementwiseKernel, array};
/// let kernel = ElementwiseKernel::new("T x, T y", "T z", "z = (x - y) * (x - y)", Default::default())?;
/// let (x, y) = (array([[1.0], [2.0]])?, array([0.5, 1.0, 3.0])?);
/// // SAFETY: the operation reaches its elements and nothing else.
/// let z = unsafe { kernel.call(&[(&x).into(), (&y).into()], &[], None, None) }?.remove(0);
/// assert_eq!(z.to_vec::<f64>()?, [0.25, 0.0, 4.0, 2.25, 1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ElementwiseKernel {
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    operation: String,
    made: ElementwiseKernelOptions,
    compiled: Mutex<FxHashMap<(usize, String), RawKernel>>,
}

impl ElementwiseKernel {
    /// A kernel, which is compiled at its first call with arguments of some dtypes and layouts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for parameters that are not a type and a name.
    pub fn new(
        inputs: &str,
        outputs: &str,
        operation: &str,
        options: ElementwiseKernelOptions,
    ) -> Result<ElementwiseKernel> {
        let go = || {
            let (inputs, outputs) = (parse(inputs)?, parse(outputs)?);
            let operation = operation.into();
            Ok(ElementwiseKernel { inputs, outputs, operation, made: options, compiled: Mutex::default() })
        };
        go().map_err(|e: Error| e.with_op("ElementwiseKernel"))
    }

    /// How many inputs and outputs there are.
    pub fn arity(&self) -> [usize; 2] {
        [self.inputs.len(), self.outputs.len()]
    }

    /// Whether input or output is raw, and what it is called.
    pub fn parameter(&self, at: usize) -> Option<(&str, bool)> {
        self.inputs.iter().chain(&self.outputs).nth(at).map(|p| (p.name.as_str(), p.raw))
    }

    /// Calls the kernel with its inputs; outputs are given, all of them, or made. `size` says how many elements there are
    /// where all arrays are raw. The results are the outputs.
    ///
    /// # Safety
    ///
    /// The operation reaches nothing but its elements and those of its raw arrays; of one that is read-only it writes none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for arguments of other dtypes than the parameters say, or of another number;
    /// [`ErrorKind::Value`] for shapes that do not go together; [`ErrorKind::Compile`] with the compiler's log.
    pub unsafe fn call(
        &self,
        inputs: &[KernelArgument<'_>],
        outputs: &[&Array],
        size: Option<usize>,
        block: Option<usize>,
    ) -> Result<Vec<Array>> {
        // SAFETY: the caller answers for the operation.
        unsafe { self.run(inputs, outputs, size, block.unwrap_or(THREADS)) }.map_err(|e| e.with_op(&self.made.name))
    }

    unsafe fn run(
        &self,
        inputs: &[KernelArgument<'_>],
        outputs: &[&Array],
        size: Option<usize>,
        block: usize,
    ) -> Result<Vec<Array>> {
        check_count(&self.made.name, inputs.len(), self.inputs.len())?;
        if !outputs.is_empty() {
            check_count(&self.made.name, inputs.len() + outputs.len(), self.inputs.len() + self.outputs.len())?;
        }
        let letters = Letters::of(&self.inputs, inputs, &self.outputs, outputs)?;
        let shape = self.shape(inputs, outputs, size)?;
        let first = inputs.iter().find_map(|a| if let KernelArgument::Array(a) = a { Some(a.device()) } else { None });
        let device = match first.or_else(|| outputs.first().map(|a| a.device())) {
            Some(device) => device,
            None => Device::current()?,
        };
        let mut results = Vec::new();
        for (k, parameter) in self.outputs.iter().enumerate() {
            match outputs.get(k) {
                Some(&out) => {
                    out.check_writable()?;
                    results.push(out.clone());
                }
                None if parameter.raw => {
                    let message = format!("the output {} is raw: its array must be given", parameter.name);
                    return Err(Error::new(ErrorKind::Value, message));
                }
                None => results.push(make::empty(device, &shape, letters.dtype(parameter)?)?),
            }
        }
        if size_of(&shape) == 0 {
            return Ok(results);
        }
        let parameters = || self.inputs.iter().chain(&self.outputs);
        let outs: Vec<KernelArgument<'_>> = results.iter().map(KernelArgument::Array).collect();
        let dense = |a: &Array| a.shape() == &shape[..] && a.is_c_contiguous();
        let given = || parameters().zip(inputs.iter().chain(&outs));
        let one_axis = self.made.reduce_dims
            && given().all(|(p, a)| if let KernelArgument::Array(a) = a { p.raw || dense(a) } else { true });
        let (mut values, mut dtypes) = (Vec::new(), Vec::new());
        for (parameter, argument) in given() {
            let dtype = letters.dtype(parameter)?;
            values.push(match *argument {
                KernelArgument::Array(a) if parameter.raw => Value::Array(a.clone()),
                KernelArgument::Array(a) if one_axis => Value::Array(flat(a)),
                KernelArgument::Array(a) => Value::Array(a.stretched_to(&shape)?),
                KernelArgument::Weak(s) | KernelArgument::Strong(_, s) => number(s, dtype)?,
            });
            dtypes.push(dtype);
        }
        let looped = if one_axis { vec![size_of(&shape)] } else { shape };
        let types: Vec<String> = values.iter().zip(&dtypes).map(|(v, &d)| declared(v, d)).collect();
        let kernel = self.compiled(device, &letters, &types, looped.len())?;
        let mut arguments = Vec::new();
        tell(&values, &mut arguments);
        tell_indexer(&looped, &mut arguments);
        let blocks = size_of(&looped).div_ceil(block.max(1)).min(MOST_BLOCKS) as u32;
        // SAFETY: the arguments are told as the text declares them; for the operation the caller answers.
        unsafe { kernel.launch([blocks, 1, 1], [block as u32, 1, 1], &arguments) }?;
        Ok(results)
    }

    /// The shape of the loop.
    fn shape(&self, inputs: &[KernelArgument<'_>], outputs: &[&Array], size: Option<usize>) -> Result<Vec<usize>> {
        let of_inputs = self.inputs.iter().zip(inputs).filter(|(p, _)| !p.raw);
        let of_inputs =
            of_inputs.filter_map(|(_, a)| if let KernelArgument::Array(a) = a { Some(a.shape()) } else { None });
        let shapes: Vec<&[usize]> = of_inputs.collect();
        let wanted: Vec<&[usize]> =
            self.outputs.iter().zip(outputs).filter(|(p, _)| !p.raw).map(|(_, a)| a.shape()).collect();
        if let Some(size) = size {
            if shapes.is_empty() && wanted.iter().all(|s| size_of(s) == size) {
                return Ok(vec![size]);
            }
            let message = "a size is given, but arrays that are not raw say it already: leave it out, or make them raw";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let whole = self.inputs.iter().chain(&self.outputs).all(|p| p.raw);
        if whole {
            let message = "all arrays are raw, so that nothing says how many elements there are: give a size";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let shape = match (shapes.is_empty(), wanted.first()) {
            (true, Some(out)) => out.to_vec(),
            _ => broadcast_shapes(&shapes)?.to_vec(),
        };
        match wanted.iter().find(|out| **out != &shape[..]) {
            None => Ok(shape),
            Some(out) => {
                let (out, shape) = (shape_text(out), shape_text(&shape));
                let message = format!("an output of shape {out} is given where the results have shape {shape}");
                Err(Error::new(ErrorKind::Value, message))
            }
        }
    }

    fn compiled(&self, device: Device, letters: &Letters, types: &[String], ndim: usize) -> Result<RawKernel> {
        let text = self.text(letters, types, ndim);
        let key = (device.address(), text);
        let found = |key: &_| self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(kernel) = found(&key) {
            return Ok(kernel);
        }
        let options: Vec<&str> = self.made.options.iter().map(String::as_str).collect();
        let module = device.with(|| RawModule::compile(&key.1, &options))?;
        let kernel = module.kernel(&self.made.name)?;
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).insert(key, kernel.clone());
        Ok(kernel)
    }

    /// The text of the kernel for arguments of these types.
    fn text(&self, letters: &Letters, types: &[String], ndim: usize) -> String {
        let ElementwiseKernelOptions { name, preamble, loop_prep, after_loop, .. } = &self.made;
        let mut text = String::from(HEADER);
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
            let element = if ndim == 1 { "i" } else { "_ind.get()" };
            let _ = writeln!(bound, "    {constant}typename {of}::value_type &{own} = _raw_{own}[{element}];");
        }
        // A parameter that is called so is the user's own.
        let own = self.inputs.iter().chain(&self.outputs).any(|parameter| parameter.name == "n");
        let size = if own { "" } else { "  const ptrdiff_t n = _ind.size();\n" };
        let _ = write!(
            text,
            "{heads}Indexer<{ndim}> _ind) {{\n{size}  {loop_prep};\n  \
             for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size(); i += (ptrdiff_t)blockDim.x * gridDim.x) {{\n    \
             _ind.set(i);\n{bound}    {};\n  }}\n  {after_loop};\n}}\n",
            self.operation
        );
        text
    }
}

/// The type of what a reduction adds up, by its name or its letter.
pub(super) fn named_type(letters: &Letters, name: &str) -> String {
    letters.resolve(name).map_or_else(|| name.to_string(), |dtype| c_type(dtype).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Scalar, array, s};

    fn kernel(inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
        ElementwiseKernel::new(inputs, outputs, operation, ElementwiseKernelOptions::default()).unwrap()
    }

    fn call(k: &ElementwiseKernel, inputs: &[KernelArgument<'_>], outputs: &[&Array]) -> Result<Vec<Array>> {
        // SAFETY: the operations of these tests reach their elements alone.
        unsafe { k.call(inputs, outputs, None, None) }
    }

    #[test]
    fn letters_numbers_layouts_and_several_outputs() -> Result<()> {
        let k = kernel("T x, T y", "T sum, S twice", "sum = x + y; twice = 2 * x");
        let x = array([[1f32, 2.0], [3.0, 4.0]])?;
        let out = [array([0f32; 4])?.reshape([2, 2])?, array([0i32; 4])?.reshape([2, 2])?.t()];
        let y = KernelArgument::Weak(Scalar::Float(0.5));
        call(&k, &[(&x.t()).into(), y], &[&out[0], &out[1]])?;
        assert_eq!(out[0].to_vec::<f32>()?, [1.5, 3.5, 2.5, 4.5]);
        assert_eq!(out[1].to_vec::<i32>()?, [2, 6, 4, 8]);
        let e = call(&k, &[(&x).into(), (&x.astype(DType::F64)?).into()], &[]).unwrap_err();
        assert!(e.kind() == ErrorKind::Type && e.message().contains("type is mismatched: y is float64"), "{e}");
        let e = call(&k, &[(&x).into(), y], &[]).unwrap_err();
        assert!(e.kind() == ErrorKind::Type && e.message().contains("what S of twice is"), "{e}");
        Ok(())
    }

    #[test]
    fn every_dtype_is_copied() -> Result<()> {
        let k = kernel("T x", "T y", "y = x");
        for dtype in DType::ALL {
            let x = crate::arange(0, 6, 1)?.astype(dtype)?.reshape([2, 3])?.t();
            let y = call(&k, &[(&x).into()], &[])?.remove(0);
            assert_eq!((y.dtype(), y.to_bytes()?), (dtype, x.to_bytes()?));
        }
        let z = kernel("complex64 z", "float32 r", "r = abs(z * conj(z))");
        let x = array([3f32, 4.0])?.astype(DType::C64)?;
        assert_eq!(call(&z, &[(&x).into()], &[])?[0].to_vec::<f32>()?, [9.0, 16.0]);
        Ok(())
    }

    #[test]
    fn raw_arrays_sizes_and_indices() -> Result<()> {
        let k = kernel("raw T x", "raw T y", "y[n - 1 - i] = x[i]");
        let x = crate::arange(0, 12, 1)?.reshape([3, 4])?.index(s![.., ..;2])?;
        let y = crate::zeros(6, DType::I64)?;
        // SAFETY: six elements are read and written.
        unsafe { k.call(&[(&x).into()], &[&y], Some(6), None) }?;
        assert_eq!(y.to_vec::<i64>()?, [10, 8, 6, 4, 2, 0]);
        let e = call(&k, &[(&x).into()], &[&y]).unwrap_err();
        assert!(e.message().contains("give a size"), "{e}");
        let options = ElementwiseKernelOptions { reduce_dims: false, ..Default::default() };
        let of_axes = ElementwiseKernel::new("int32 k", "int64 y", "y = k * _ind.get()[0] + _ind.get()[1]", options)?;
        let out = crate::zeros([2, 3], DType::I64)?;
        call(&of_axes, &[KernelArgument::Weak(Scalar::Int(10))], &[&out])?;
        assert_eq!(out.to_vec::<i64>()?, [0, 1, 2, 10, 11, 12]);
        Ok(())
    }

    #[test]
    fn declarations_that_are_none_are_refused() {
        for text in ["x", "T", "T i", "T _x", "Tx y", "T x,,T y", "T x y", "T 1x"] {
            let e = ElementwiseKernel::new(text, "T z", "", Default::default()).unwrap_err();
            assert!(e.kind() == ErrorKind::Value && e.message().starts_with("ElementwiseKernel: the parameter"), "{e}");
        }
    }
}
