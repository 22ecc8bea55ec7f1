//! Kernels that map elements and put the results together, along axes.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::elementwise::{HEADER, named_type};
use super::parameters::{
    KernelArgument, Letters, Parameter, Value, check_count, declared, flat, number, parse, tell, tell_indexer,
};
use super::{RawKernel, RawModule};
use crate::array::{Array, Axes};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{broadcast_shapes, normalize_axes, shape_text, size_of};

const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 16;

/// How a [`ReductionKernel`] is made.
#[derive(Clone, Debug)]
pub struct ReductionKernelOptions {
    /// The kernel's name, for messages and tools.
    pub name: String,
    /// What stands before the kernel: functions that it calls.
    pub preamble: String,
    /// The type that is put together: a dtype's name or a letter; that of the first output where there is none.
    pub reduce_type: Option<String>,
    /// Options of NVRTC.
    pub options: Vec<String>,
}

impl Default for ReductionKernelOptions {
    fn default() -> Self {
        ReductionKernelOptions {
            name: "reduce_kernel".into(),
            preamble: String::new(),
            reduce_type: None,
            options: Vec::new(),
        }
    }
}

/// A kernel of the user's that maps elements and puts the results together along axes; CuPy's `ReductionKernel`.
///
/// `map` is an expression of the inputs; `reduce` one of `a` and `b`, two results that become one; `post_map` a statement
/// that makes the outputs of `a`; `identity` what changes nothing. The order in which elements are put together is the same
/// in every call.
///
/// One block of threads has one result: a few results of many elements each leave most of a GPU idle.
///
/// ```
/// use cuprum::{ReductionKernel, array};
/// let norm = ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", Default::default())?;
/// let x = array([[3.0, 4.0], [6.0, 8.0]])?;
/// // SAFETY: the expressions reach their elements and nothing else.
/// let y = unsafe { norm.call(&[(&x).into()], None, 1, false) }?;
/// assert_eq!(y.to_vec::<f64>()?, [5.0, 10.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ReductionKernel {
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    map: String,
    reduce: String,
    post_map: String,
    identity: String,
    made: ReductionKernelOptions,
    compiled: Mutex<FxHashMap<(usize, String), RawKernel>>,
}

impl ReductionKernel {
    /// A kernel, which is compiled at its first call with arguments of some dtypes and layouts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for parameters that are not a type and a name, and for other than one output, which is not raw.
    pub fn new(
        inputs: &str,
        outputs: &str,
        map: &str,
        reduce: &str,
        post_map: &str,
        identity: &str,
        options: ReductionKernelOptions,
    ) -> Result<ReductionKernel> {
        let go = || {
            let (inputs, outputs) = (parse(inputs)?, parse(outputs)?);
            if outputs.len() != 1 || outputs[0].raw {
                let message = format!("{} outputs are declared: a reduction has one, which is not raw", outputs.len());
                return Err(Error::new(ErrorKind::Value, message));
            }
            let [map, reduce, post_map, identity] = [map, reduce, post_map, identity].map(String::from);
            let compiled = Mutex::default();
            Ok(ReductionKernel { inputs, outputs, map, reduce, post_map, identity, made: options, compiled })
        };
        go().map_err(|e: Error| e.with_op("ReductionKernel"))
    }

    /// How many inputs there are.
    pub fn arity(&self) -> usize {
        self.inputs.len()
    }

    /// Calls the kernel: the inputs are broadcast, and reduced along the axes; along all where none are named.
    ///
    /// # Safety
    ///
    /// The expressions reach nothing but their elements and those of raw arrays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for arguments of other dtypes than the parameters say, or of another number;
    /// [`ErrorKind::Value`] for shapes that do not go together, and for no elements where there is no identity;
    /// [`ErrorKind::Compile`] with the compiler's log.
    pub unsafe fn call(
        &self,
        inputs: &[KernelArgument<'_>],
        out: Option<&Array>,
        axis: impl Into<Axes>,
        keepdims: bool,
    ) -> Result<Array> {
        // SAFETY: the caller answers for the expressions.
        unsafe { self.run(inputs, out, axis.into(), keepdims) }.map_err(|e| e.with_op(&self.made.name))
    }

    unsafe fn run(
        &self,
        inputs: &[KernelArgument<'_>],
        out: Option<&Array>,
        axis: Axes,
        keepdims: bool,
    ) -> Result<Array> {
        check_count(&self.made.name, inputs.len(), self.inputs.len())?;
        let outs: Vec<&Array> = out.into_iter().collect();
        let letters = Letters::of(&self.inputs, inputs, &self.outputs, &outs)?;
        let elements = self.inputs.iter().zip(inputs).filter(|(p, _)| !p.raw);
        let shapes: Vec<&[usize]> = elements
            .filter_map(|(_, a)| if let KernelArgument::Array(a) = a { Some(a.shape()) } else { None })
            .collect();
        let first = inputs.iter().find_map(|a| if let KernelArgument::Array(a) = a { Some(*a) } else { None });
        let Some(first) = first.filter(|_| !shapes.is_empty()) else {
            return Err(Error::new(ErrorKind::Type, "a reduction needs an array that is not raw"));
        };
        let device = first.device();
        let shape = broadcast_shapes(&shapes)?;
        let gone = match axis.as_slice() {
            Some(axes) => normalize_axes(axes, shape.len())?.to_vec(),
            None => (0..shape.len()).collect(),
        };
        let kept: Vec<usize> = (0..shape.len()).filter(|axis| !gone.contains(axis)).collect();
        let kept_shape: Vec<usize> = kept.iter().map(|&axis| shape[axis]).collect();
        let whole: Vec<usize> =
            (0..shape.len()).map(|axis| if gone.contains(&axis) { 1 } else { shape[axis] }).collect();
        let shown = if keepdims { &whole } else { &kept_shape };
        let dtype = letters.dtype(&self.outputs[0])?;
        let result = match out {
            Some(out) if out.shape() != &shown[..] => {
                let (given, wanted) = (shape_text(out.shape()), shape_text(shown));
                let message = format!("an output of shape {given} is given where the result has shape {wanted}");
                return Err(Error::new(ErrorKind::Value, message));
            }
            Some(out) => {
                out.check_writable()?;
                out.clone()
            }
            None => make::empty(device, shown, dtype)?,
        };
        if result.size() == 0 {
            return Ok(result);
        }
        // What the kernel writes: one result behind the other.
        let target = if result.is_c_contiguous() { result.clone() } else { make::empty(device, shown, dtype)? };
        let order: Vec<isize> = kept.iter().chain(&gone).map(|&axis| axis as isize).collect();
        let (mut values, mut dtypes) = (Vec::new(), Vec::new());
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            let dtype = letters.dtype(parameter)?;
            values.push(match *argument {
                KernelArgument::Array(a) if parameter.raw => Value::Array(a.clone()),
                KernelArgument::Array(a) => Value::Array(a.stretched_to(&shape)?.transpose(order.as_slice())?),
                KernelArgument::Weak(s) | KernelArgument::Strong(_, s) => number(s, dtype)?,
            });
            dtypes.push(dtype);
        }
        values.push(Value::Array(flat(&target)));
        dtypes.push(dtype);
        let looped: Vec<usize> = kept.iter().chain(&gone).map(|&axis| shape[axis]).collect();
        let each = gone.iter().map(|&axis| shape[axis]).product::<usize>();
        if each == 0 && self.identity.is_empty() {
            let message = "no elements are put together, and there is no identity to be their result";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let types: Vec<String> = values.iter().zip(&dtypes).map(|(v, &d)| declared(v, d)).collect();
        let kernel = self.compiled(device, &letters, &types, looped.len())?;
        let mut arguments = Vec::new();
        tell(&values, &mut arguments);
        tell_indexer(&looped, &mut arguments);
        arguments.push(crate::Argument::I64(size_of(&kept_shape) as i64));
        arguments.push(crate::Argument::I64(each as i64));
        let blocks = size_of(&kept_shape).min(MOST_BLOCKS) as u32;
        // SAFETY: the arguments are told as the text declares them; for the expressions the caller answers.
        unsafe { kernel.launch([blocks, 1, 1], [THREADS as u32, 1, 1], &arguments) }?;
        if !result.is_c_contiguous() {
            result.assign(&target)?;
        }
        Ok(result)
    }

    fn compiled(&self, device: Device, letters: &Letters, types: &[String], ndim: usize) -> Result<RawKernel> {
        let text = self.text(letters, types, ndim);
        let key = (device.address(), text);
        let found = |key: &_| self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(kernel) = found(&key) {
            return Ok(kernel);
        }
        let options: Vec<&str> = self.made.options.iter().map(String::as_str).collect();
        let kernel = device.with(|| RawModule::compile(&key.1, &options))?.kernel(&self.made.name)?;
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).insert(key, kernel.clone());
        Ok(kernel)
    }

    fn text(&self, letters: &Letters, types: &[String], ndim: usize) -> String {
        let ReductionKernelOptions { name, preamble, reduce_type, .. } = &self.made;
        let mut text = String::from(HEADER);
        letters.declare(&mut text);
        let out = &self.outputs[0].name;
        let reduced = match reduce_type {
            Some(named) => named_type(letters, named),
            None => letters.dtype(&self.outputs[0]).map_or("float", super::parameters::c_type).into(),
        };
        let _ = write!(text, "typedef {reduced} type_reduce;\n{preamble}\n#define REDUCE(a, b) ({})\n", self.reduce);
        let _ = write!(text, "extern \"C\" __global__ void {name}(");
        let mut bound = String::new();
        for (parameter, of) in self.inputs.iter().zip(types) {
            let own = &parameter.name;
            if parameter.raw || !of.starts_with("CArray<") {
                let _ = write!(text, "{of} {own}, ");
            } else {
                let _ = write!(text, "{of} _raw_{own}, ");
                let _ = writeln!(bound, "      const typename {of}::value_type &{own} = _raw_{own}[_ind.get()];");
            }
        }
        let to = &types[types.len() - 1];
        let ReductionKernel { map, post_map, identity, .. } = self;
        // Without an identity a thread begins with its first element, and who has none keeps out.
        let (begin, has, other) = match identity.is_empty() {
            true => ("type_reduce _s;".into(), "false", "_t + _step < _each"),
            false => (format!("type_reduce _s = type_reduce({identity});"), "true", "true"),
        };
        let _ = write!(
            text,
            "{to} _out, Indexer<{ndim}> _ind, ptrdiff_t _count, ptrdiff_t _each) {{
  __shared__ __align__(16) char _room[sizeof(type_reduce) * {THREADS}];
  type_reduce *_all = (type_reduce *)_room;
  const ptrdiff_t _t = threadIdx.x;
  for (ptrdiff_t _o = blockIdx.x; _o < _count; _o += gridDim.x) {{
    {begin}
    bool _has = {has};
    for (ptrdiff_t _j = _t; _j < _each; _j += {THREADS}) {{
      const ptrdiff_t i = _o * _each + _j;
      _ind.set(i);
{bound}      const type_reduce _x = static_cast<type_reduce>({map});
      if (_has) {{ const type_reduce a = _s, b = _x; _s = REDUCE(a, b); }} else {{ _s = _x; _has = true; }}
    }}
    if (_has) _all[_t] = _s;
    __syncthreads();
    for (int _step = {half}; _step > 0; _step /= 2) {{
      if (_t < _step && ({other})) {{ const type_reduce a = _all[_t], b = _all[_t + _step]; _all[_t] = REDUCE(a, b); }}
      __syncthreads();
    }}
    if (_t == 0) {{
      const type_reduce a = _all[0];
      typename {to}::value_type &{out} = _out[_o];
      {post_map};
    }}
    __syncthreads();
  }}
}}
",
            half = THREADS / 2,
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Scalar, array};

    fn kernel(parts: [&str; 6]) -> ReductionKernel {
        let [inputs, outputs, map, reduce, post_map, identity] = parts;
        ReductionKernel::new(inputs, outputs, map, reduce, post_map, identity, Default::default()).unwrap()
    }

    #[test]
    fn every_axis_and_layout_is_reduced() -> Result<()> {
        let dot = kernel(["T x, T y", "T z", "x * y", "a + b", "z = a", "0"]);
        let x = crate::arange(0, 3 * 700 * 2, 1)?.reshape([3, 700, 2])?;
        let y = array([1i64, 2])?;
        let product = &x * &y;
        for (axis, keepdims) in [(None, false), (Some(0isize), false), (Some(1), true), (Some(-1), false)] {
            let reduce = axis.map_or(crate::Reduce::all(), crate::Reduce::axis);
            let want = crate::sum(&product, reduce.keepdims(keepdims))?;
            let axes = axis.map_or(Axes::from(()), Axes::from);
            // SAFETY: the expressions reach their elements alone.
            let got = unsafe { dot.call(&[(&x).into(), (&y).into()], None, axes, keepdims) }?;
            assert_eq!((got.shape(), got.to_vec::<i64>()?), (want.shape(), want.to_vec::<i64>()?));
        }
        let out = crate::zeros([2, 3], DType::I64)?.t();
        // SAFETY: as above.
        unsafe { dot.call(&[(&x).into(), KernelArgument::Weak(Scalar::Int(2))], Some(&out), 1, false) }?;
        assert_eq!(out.to_vec::<i64>()?, (crate::sum(&x, 1)? * 2).to_vec::<i64>()?);
        Ok(())
    }

    #[test]
    fn without_an_identity_the_elements_alone_count() -> Result<()> {
        let largest = kernel(["T x", "T y", "x", "a < b ? b : a", "y = a", ""]);
        for n in [1usize, 2, 255, 256, 257, 1000] {
            let x = crate::arange(0, n as i64, 1)? - n as i64;
            // SAFETY: the expressions reach their elements alone.
            assert_eq!(unsafe { largest.call(&[(&x).into()], None, (), false) }?.item::<i64>()?, -1);
        }
        let none = crate::zeros(0, DType::F32)?;
        // SAFETY: as above.
        let e = unsafe { largest.call(&[(&none).into()], None, (), false) }.unwrap_err();
        assert!(e.kind() == ErrorKind::Value && e.message().contains("no identity"), "{e}");
        Ok(())
    }
}
