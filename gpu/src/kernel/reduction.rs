//! User-defined reduction kernels, which map elements and combine the results along axes.
//!
//! A call reads its inputs once, which is the lower bound of its memory traffic. A block's threads are distributed over
//! results and over the elements of one, depending on the number of each and on which of the two is contiguous in
//! memory. A few results of many elements are combined in parts by many blocks, and the parts by a second launch,
//! always in the same order.

use std::fmt::Write as _;

use super::looped::{
    Compiled, Key, MOST_BLOCKS, Walk, append_arguments, declared, header, indexer, names, note, wrong_shape,
};
use super::parameters::{KernelArgument, Letters, Parameter, Value, c_type, check_count, check_name, number, parse};
use super::tuning::measure::Call;
use super::{Argument, RawKernel, Tuning};
use crate::array::{Array, Axes, IntoArgument};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, broadcast_shapes, normalize_axes};

/// Threads of a block: the number of results times the number of threads for each.
const THREADS: usize = 256;
/// The names of indices that an expression may use.
const INDICES: [&str; 5] = ["i", "_ind", "_in_ind", "_out_ind", "_J"];
/// Minimum number of elements of a thread of a part.
const LEAST: usize = 16;

/// Options of a [`ReductionKernel`].
///
/// By default the kernel has a generic name, and partial results the dtype of the output.
#[derive(Clone, Debug)]
pub struct ReductionKernelOptions {
    /// The kernel's name, for messages and tools. By default `reduce_kernel`.
    pub name: String,
    /// Code before the kernel: functions that it calls.
    pub preamble: String,
    /// The type of the accumulator: a dtype's name or a letter; by default that of the first output.
    pub reduce_type: Option<String>,
    /// NVRTC options.
    pub options: Vec<String>,
}

crate::array::default_options!(ReductionKernelOptions);

/// Sets `name`, and leaves the other options at their defaults.
impl From<&str> for ReductionKernelOptions {
    fn from(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
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

/// User-defined kernel that maps elements and combines the results along axes; CuPy's `ReductionKernel`.
///
/// `map` is an expression of the inputs; `reduce` an expression of `a` and `b` that combines two results; `post_map` a
/// statement that computes the outputs from `a`; `identity` the neutral element. The order in which elements are
/// combined is the same in every call.
///
/// In `map` `_in_ind.get()` is the index of the element: first along the reduced axes, then along the kept ones; `_J`
/// is its position among the elements of one result. In `map` and `post_map` `_out_ind.get()` is the index of the
/// result.
///
/// ```
/// use cuprum::{ReductionKernel, array};
/// let norm = ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", ())?;
/// let x = array([[3.0, 4.0], [6.0, 8.0]])?;
/// // SAFETY: the expressions reach their elements and nothing else.
/// let y = unsafe { norm.call(&[(&x).into()], None, 1, false) }?;
/// assert_eq!(y.to_vec::<f64>()?, [5.0, 10.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ReductionKernel {
    /// The input parameters.
    inputs: Vec<Parameter>,
    /// The output parameter.
    outputs: Vec<Parameter>,
    /// Expression of an element.
    map: String,
    /// Expression that combines two partial results.
    reduce: String,
    /// Expression of the output.
    post_map: String,
    /// Neutral element, or empty.
    identity: String,
    /// The options.
    made: ReductionKernelOptions,
    /// True if the source uses the element's index, which is counted in C order.
    placed: bool,
    /// Compiled kernels, by dtypes and layouts.
    compiled: Compiled,
}

impl ReductionKernel {
    /// Creates a kernel, which is compiled at its first call for each combination of dtypes and layouts.
    ///
    /// `map` is applied to each element, `reduce` combines two partial results `a` and `b`, and `post_map` converts the
    /// last one, `a`, to the output. The order in which elements are combined depends on shapes and strides alone.
    ///
    /// CuPy's `ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity)`; see
    /// [`ReductionKernel`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for parameters that are not a type and a name, for anything but one output that is not raw,
    /// and for a kernel's name that is not an identifier.
    pub fn new(
        inputs: &str,
        outputs: &str,
        map: &str,
        reduce: &str,
        post_map: &str,
        identity: &str,
        options: impl IntoArgument<ReductionKernelOptions>,
    ) -> Result<ReductionKernel> {
        let options = options.into();
        let go = || {
            check_name(&options.name)?;
            let (inputs, outputs) = (parse(inputs)?, parse(outputs)?);
            if outputs.len() != 1 || outputs[0].raw {
                let message = format!("{} outputs are declared: a reduction has one, which is not raw", outputs.len());
                return Err(Error::new(ErrorKind::Value, message));
            }
            let [map, reduce, post_map, identity] = [map, reduce, post_map, identity].map(String::from);
            let placed = [&map, &post_map, &options.preamble].iter().any(|text| names(text, &INDICES));
            let (made, compiled) = (options, Compiled::default());
            Ok(ReductionKernel { inputs, outputs, map, reduce, post_map, identity, made, placed, compiled })
        };
        go().map_err(|e: Error| e.with_op("ReductionKernel"))
    }

    /// Returns the number of inputs.
    ///
    /// ```
    /// use cuprum::ReductionKernel;
    /// let dot = ReductionKernel::new("T x, T y", "T z", "x * y", "a + b", "z = a", "0", ())?;
    /// assert_eq!(dot.arity(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn arity(&self) -> usize {
        self.inputs.len()
    }

    /// Calls the kernel: the inputs are broadcast, and reduced along the axes, or along all if none are passed.
    ///
    /// # Safety
    ///
    /// The expressions access only their elements and those of raw arrays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for arguments of other dtypes than the parameters', or a wrong number of them;
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast, and for no elements without an identity;
    /// [`ErrorKind::Compile`] with the compiler's log.
    pub unsafe fn call(
        &self,
        inputs: &[KernelArgument<'_>],
        out: Option<&Array>,
        axis: impl IntoArgument<Axes>,
        keepdims: bool,
    ) -> Result<Array> {
        // SAFETY: the caller guarantees the expressions.
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
        let first = inputs.iter().find_map(KernelArgument::array);
        let Some(first) = first.filter(|_| !shapes.is_empty()) else {
            let message = "the number of elements is not known, since no array is passed that is not raw";
            return Err(Error::new(ErrorKind::Value, message));
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
            Some(out) if out.shape() != &shown[..] => return Err(wrong_shape(out.shape(), shown)),
            Some(out) => {
                out.check_writable()?;
                out.clone()
            }
            None => make::empty(device, shown, dtype)?,
        };
        if result.size() == 0 {
            return Ok(result);
        }
        let each = gone.iter().map(|&axis| shape[axis]).product::<usize>();
        if each == 0 && self.identity.is_empty() {
            let message = "no elements are put together, and there is no identity to be their result";
            return Err(Error::new(ErrorKind::Value, message));
        }
        // The kernel writes the results contiguously.
        let target = if result.is_c_contiguous() { result.clone() } else { make::empty(device, shown, dtype)? };
        let order: Vec<isize> = kept.iter().chain(&gone).map(|&axis| axis as isize).collect();
        let (mut values, mut dtypes) = (Vec::new(), Vec::new());
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            let dtype = letters.dtype(parameter)?;
            values.push(match *argument {
                KernelArgument::Array(a) if parameter.raw => Value::Array(a.clone()),
                KernelArgument::Array(a) => Value::Array(a.broadcast_to_shape(&shape)?.transpose(order.as_slice())?),
                KernelArgument::Weak(s) | KernelArgument::Strong(_, s) => number(s, dtype)?,
            });
            dtypes.push(dtype);
        }
        let looped: Vec<usize> = kept.iter().chain(&gone).map(|&axis| shape[axis]).collect();
        let plan = self.plan(device, &looped, kept.len(), &mut values);
        let flat = Layout { offset: target.layout().offset, ..Layout::c_order(&[target.size()], target.itemsize()) };
        let target_value = [Value::Array(target.with_layout(flat))];
        let mut types = Key::new();
        values.iter().zip(&dtypes).for_each(|(value, &dtype)| note(value, dtype, &mut types));
        types.push(dtype as u8);
        let declared_as = || -> Vec<String> {
            let all = values.iter().zip(&dtypes).zip(&self.inputs);
            // A raw array may be larger than the loop.
            all.map(|((v, &d), p)| declared(v, d, plan.narrow && !p.raw)).collect()
        };
        let named = (self.made.name.as_str(), self.made.options.as_slice());
        let bytes = format!("{}_bytes", self.made.name);
        // The kernel for blocks of this number of threads, and the size of the accumulator type.
        let kernel = |threads: usize| {
            let mut key = types.clone();
            plan.note(threads, &mut key);
            let text = || self.text(&letters, &declared_as(), &plan, threads);
            self.compiled.get(device, &key, named, Some(&bytes), text)
        };
        let (_, size) = kernel(THREADS)?;
        // The parts are an array of values of the accumulator type.
        let parts = match plan.parts {
            1 => None,
            n => Some(make::empty(device, &[n * plan.count * size], cuprum_kernels::DType::U8)?),
        };
        let index = indexer(&plan.walk.sizes);
        let sizes = [plan.count, each, plan.parts, plan.chunk()].map(|n| Argument::I64(n as i64));
        let mut all = values.clone();
        all.extend_from_slice(&target_value);
        let launch = |values: &[Value], threads: usize| {
            let mut arguments = Vec::new();
            append_arguments(values, &mut arguments);
            arguments.push(Argument::Bytes { bytes: &index, align: 8 });
            arguments.extend(sizes);
            arguments.push(parts.as_ref().map_or(Argument::I64(0), Argument::Array));
            let rows = plan.count.div_ceil(plan.results(threads)).min(MOST_BLOCKS) as u32;
            launched(&kernel(threads)?.0, [rows, plan.parts as u32], threads, &arguments)
        };
        let threads = self.found_block(device, &types, &plan, size, &all, launch)?;
        launch(&all, threads)?;
        if let Some(parts) = &parts {
            let named = (&*format!("{}_finish", self.made.name), self.made.options.as_slice());
            let mut key = types.clone();
            plan.note(THREADS, &mut key);
            key.push(1);
            let text = || self.text(&letters, &declared_as(), &plan, THREADS);
            let (second, _) = self.compiled.get(device, &key, named, None, text)?;
            let mut arguments = vec![Argument::Array(parts)];
            append_arguments(&target_value, &mut arguments);
            arguments.push(Argument::Bytes { bytes: &index, align: 8 });
            arguments.extend([sizes[0], sizes[2]]);
            launched(&second, [plan.count.min(MOST_BLOCKS) as u32, 1], THREADS, &arguments)?;
        }
        if !result.is_c_contiguous() {
            result.assign(&target)?;
        }
        Ok(result)
    }

    /// Returns the number of threads of a block. The number of threads of one result is the plan's, so that its
    /// elements are combined in the same order whatever the size is; a block has more results, or fewer.
    fn found_block(
        &self,
        device: Device,
        types: &Key,
        plan: &Plan,
        size: usize,
        values: &[Value],
        launch: impl FnMut(&[Value], usize) -> Result<()>,
    ) -> Result<usize> {
        let Some(tuning) = Tuning::current() else { return Ok(THREADS) };
        let ReductionKernelOptions { preamble, reduce_type, options, .. } = &self.made;
        let declared = format!("{:?} {:?} {reduce_type:?}", self.inputs, self.outputs);
        let options = options.join(" ");
        let texts = [&*self.map, &self.reduce, &self.post_map, &self.identity, preamble.as_str(), &declared, &options];
        let mut types = types.clone();
        plan.note(THREADS, &mut types);
        let call = Call { device, texts: &texts, types: &types, looped: &plan.walk.sizes, usual: THREADS };
        let sizes = || {
            let fits = |&threads: &usize| {
                threads >= plan.lanes && plan.results(threads) < 2 * plan.count && size * threads <= 48 << 10
            };
            Ok([128, 512, 64, 1024, 32].into_iter().filter(fits).collect())
        };
        let writes = |k: usize| self.inputs.get(k).is_none_or(|p| p.raw);
        call.block(&tuning, sizes, values, writes, launch)
    }

    /// Returns the distribution of the work, and replaces the arrays that are not raw by their views along the plan's
    /// axes.
    fn plan(&self, device: Device, looped: &[usize], kept: usize, values: &mut [Value]) -> Plan {
        let seen = |(k, value): (usize, &Value)| match value {
            Value::Array(a) if !self.inputs[k].raw => Some((k, a.clone())),
            _ => None,
        };
        let arrays: Vec<(usize, Array)> = values.iter().enumerate().filter_map(seen).collect();
        let mut walk = Walk::new(looped, &arrays.iter().map(|(_, a)| a).collect::<Vec<_>>());
        let mut front = kept;
        if !self.placed {
            walk.sort(kept);
        }
        let asks = [&self.map, &self.post_map].iter().any(|text| names(text, &INDICES[1..4]));
        if !asks {
            front = walk.merge(kept);
            walk.at_least(front + 1);
        }
        for (at, (k, a)) in arrays.iter().enumerate() {
            values[*k] = Value::Array(walk.view(at, a));
        }
        let count: usize = walk.sizes[..front].iter().product();
        let each: usize = walk.sizes[front..].iter().product();
        // Selects which of the two is contiguous, in the array that is read most.
        let step = |axis: Option<usize>| {
            axis.map_or(u64::MAX, |a| walk.strides.iter().map(|s| s[a].unsigned_abs()).max().unwrap_or(u64::MAX))
        };
        let (of_kept, of_gone) = (step(front.checked_sub(1)), step(walk.sizes.len().checked_sub(1)));
        let columns = front > 0 && of_kept < of_gone && walk.sizes[front - 1] >= 8;
        let most = if columns { 8 } else { THREADS };
        let lanes = each.next_power_of_two().clamp(1, most);
        let rows = count.div_ceil(THREADS / lanes).max(1);
        let wanted = (4 * device.info().multiprocessors as usize).div_ceil(rows);
        let parts = wanted.min(each / (lanes * LEAST)).clamp(1, 1 << 15);
        // Parts of the same size, of which none is empty.
        let chunk = each.div_ceil(parts).max(1);
        let narrow = walk.is_narrow();
        Plan { walk, front, columns, lanes, parts: each.div_ceil(chunk).max(1), count, each, narrow }
    }

    /// Returns the source for blocks of this number of threads; the second kernel always has [`THREADS`].
    fn text(&self, letters: &Letters, types: &[String], plan: &Plan, threads: usize) -> String {
        let ReductionKernelOptions { name, preamble, reduce_type, .. } = &self.made;
        let ReductionKernel { map, post_map, identity, .. } = self;
        let mut sources = vec![preamble.as_str(), map, &self.reduce, post_map, identity];
        sources.extend(types.iter().map(String::as_str));
        sources.extend(letters.dtype(&self.outputs[0]).map(c_type).ok());
        let mut text = header(&sources);
        letters.declare(&mut text);
        let (out, dtype) = (&self.outputs[0].name, letters.dtype(&self.outputs[0]).map_or("float", c_type));
        let reduced = match reduce_type {
            Some(named) => letters.resolve(named).map_or_else(|| named.clone(), |d| c_type(d).into()),
            None => dtype.to_string(),
        };
        let _ = write!(text, "{preamble}\ntypedef {reduced} type_reduce;\n#define REDUCE(a, b) ({})\n", self.reduce);
        let _ = writeln!(text, "extern \"C\" __device__ int {name}_bytes = sizeof(type_reduce);");
        let (mut heads, mut bound) = (String::new(), String::new());
        for (parameter, of) in self.inputs.iter().zip(types) {
            let own = &parameter.name;
            if parameter.raw || !of.starts_with("CArray<") {
                let _ = write!(heads, "{of} {own}, ");
            } else {
                let _ = write!(heads, "{of} _raw_{own}, ");
                let _ = writeln!(bound, "        const typename {of}::value_type &{own} = _raw_{own}[_ind.get()];");
            }
        }
        let (axes, front, narrow) = (plan.walk.sizes.len(), plan.front, plan.narrow);
        let lanes = plan.lanes;
        // Indices are copied if an expression uses them: first along the reduced axes, then along the kept ones.
        let uses = |text: &String, name: &str| names(text, &[name]);
        if uses(map, "_in_ind") {
            let _ = writeln!(bound, "        Indexer<{axes}, {narrow}> _in_ind = _ind; _in_ind.rotate({front}, _ind);");
        }
        if uses(map, "_out_ind") {
            let _ = writeln!(bound, "        Indexer<{front}, {narrow}> _out_ind; _out_ind.take(_ind, _count, _o);");
        }
        if uses(map, "_J") {
            bound.push_str("        const ptrdiff_t _J = _j;\n");
        }
        // Without an identity a thread begins with its first element, and threads without elements take no part.
        let (begin, has) = match identity.is_empty() {
            true => ("type_reduce _s;".into(), "false"),
            false => (format!("type_reduce _s = type_reduce({identity});"), "true"),
        };
        // Adjacent threads have adjacent results, or adjacent elements of one.
        let of_thread = |lanes: usize, columns: bool| match columns {
            true => format!("_t / {r}, _r = _t % {r}", r = threads / lanes),
            false => format!("_t % {lanes}, _r = _t / {lanes}"),
        };
        let meet = |lanes: usize, columns: bool, length: &str| {
            let (stride, other) = match (columns, identity.is_empty()) {
                (true, of) => (threads / lanes, of),
                (false, of) => (1, of),
            };
            let other = if other { format!("_l + _step < {length}") } else { "true".into() };
            format!(
                "    if (_has) _all[_t] = _s;
    __syncthreads();
#pragma unroll
    for (int _step = {half}; _step > 0; _step /= 2) {{
      if (_l < _step && _o < _count && ({other})) {{
        const type_reduce a = _all[_t], b = _all[_t + _step * {stride}];
        _all[_t] = REDUCE(a, b);
      }}
      __syncthreads();
    }}
",
                half = lanes / 2
            )
        };
        let out_index = match uses(post_map, "_out_ind") {
            true => format!("Indexer<{front}, {narrow}> _out_ind; _out_ind.take(_ind, _count, _o);\n        "),
            false => String::new(),
        };
        let written = format!(
            "const type_reduce a = _all[_t];
        {out_index}{dtype} &{out} = _out[_o];
        {post_map};"
        );
        let _ = write!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({threads}) {name}({heads}CArray<{dtype}, 1, true> _out, \
             Indexer<{axes}, {narrow}> _ind, ptrdiff_t _count, ptrdiff_t _each, ptrdiff_t _parts, ptrdiff_t _chunk, \
             type_reduce *_partial) {{
  __shared__ __align__(16) char _room[sizeof(type_reduce) * {threads}];
  type_reduce *_all = (type_reduce *)_room;
  const int _t = threadIdx.x, _l = {of_thread};
  const ptrdiff_t _from = blockIdx.y * _chunk, _to = _from + _chunk < _each ? _from + _chunk : _each;
  for (ptrdiff_t _first = (ptrdiff_t)blockIdx.x * {results}; _first < _count; _first += (ptrdiff_t)gridDim.x * {results}) {{
    const ptrdiff_t _o = _first + _r;
    {begin}
    bool _has = {has};
    if (_o < _count) {{
      _ind.template set_part<0, {front}>(_o);
#pragma unroll 4
      for (ptrdiff_t _j = _from + _l; _j < _to; _j += {lanes}) {{
        const ptrdiff_t i = _o * _each + _j;
        _ind.template set_part<{front}, {axes}>(_j);
{bound}        const type_reduce _x = static_cast<type_reduce>({map});
        if (_has) {{ const type_reduce a = _s, b = _x; _s = REDUCE(a, b); }} else {{ _s = _x; _has = true; }}
      }}
    }}
{meet}    if (_l == 0 && _o < _count) {{
      if (_parts > 1) {{
        _partial[blockIdx.y * _count + _o] = _all[_t];
      }} else {{
        {written}
      }}
    }}
    __syncthreads();
  }}
}}
",
            of_thread = of_thread(lanes, plan.columns),
            results = plan.results(threads),
            meet = meet(lanes, plan.columns, "_to - _from"),
        );
        let _ = write!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({THREADS}) {name}_finish(const type_reduce *_partial, \
             CArray<{dtype}, 1, true> _out, Indexer<{axes}, {narrow}> _ind, ptrdiff_t _count, ptrdiff_t _parts) {{
  __shared__ __align__(16) char _room[sizeof(type_reduce) * {THREADS}];
  type_reduce *_all = (type_reduce *)_room;
  const int _t = threadIdx.x, _l = _t;
  for (ptrdiff_t _o = blockIdx.x; _o < _count; _o += gridDim.x) {{
    {begin}
    bool _has = {has};
    for (ptrdiff_t _j = _l; _j < _parts; _j += {THREADS}) {{
      const type_reduce _x = _partial[_j * _count + _o];
      if (_has) {{ const type_reduce a = _s, b = _x; _s = REDUCE(a, b); }} else {{ _s = _x; _has = true; }}
    }}
{meet}    if (_l == 0) {{
        {written}
    }}
    __syncthreads();
  }}
}}
",
            meet = meet(THREADS, false, "_parts"),
        );
        text
    }
}

/// Distribution of the elements over threads.
#[derive(Debug)]
struct Plan {
    /// The axes of the results, then the reduced ones.
    walk: Walk,
    /// The number of axes of the results.
    front: usize,
    /// True if adjacent threads have adjacent results.
    columns: bool,
    /// Number of threads of one result: a power of two.
    lanes: usize,
    /// Number of blocks of one result.
    parts: usize,
    count: usize,
    each: usize,
    narrow: bool,
}

impl Plan {
    /// Returns the number of results of a block of this number of threads.
    fn results(&self, threads: usize) -> usize {
        threads / self.lanes
    }

    /// Returns the number of elements of a part.
    fn chunk(&self) -> usize {
        self.each.div_ceil(self.parts).max(1)
    }

    /// Adds to the key what the source depends on.
    fn note(&self, threads: usize, key: &mut Key) {
        let flags = u8::from(self.columns) + 2 * u8::from(self.narrow);
        key.extend([
            self.walk.sizes.len() as u8,
            self.front as u8,
            self.lanes.ilog2() as u8,
            flags,
            threads.ilog2() as u8,
        ]);
    }
}

/// Launches a grid of rows and parts.
fn launched(kernel: &RawKernel, [rows, parts]: [u32; 2], threads: usize, arguments: &[Argument<'_>]) -> Result<()> {
    // SAFETY: the arguments are those that the source declares; the caller of the kernel guarantees the expressions.
    unsafe { kernel.launch([rows, parts, 1], [threads as u32, 1, 1], arguments) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Scalar, array};

    fn kernel(parts: [&str; 6]) -> ReductionKernel {
        let [inputs, outputs, map, reduce, post_map, identity] = parts;
        ReductionKernel::new(inputs, outputs, map, reduce, post_map, identity, ()).unwrap()
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
            // SAFETY: the expressions access only their elements.
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
            // SAFETY: the expressions access only their elements.
            assert_eq!(unsafe { largest.call(&[(&x).into()], None, (), false) }?.item::<i64>()?, -1);
        }
        let none = crate::zeros(0, DType::F32)?;
        // SAFETY: as above.
        let e = unsafe { largest.call(&[(&none).into()], None, (), false) }.unwrap_err();
        assert!(e.kind() == ErrorKind::Value && e.message().contains("no identity"), "{e}");
        Ok(())
    }

    #[test]
    fn many_blocks_of_one_result_and_columns_are_put_together_in_parts() -> Result<()> {
        let total = kernel(["T x", "int64 y", "x", "a + b", "y = a", "0"]);
        let last = kernel(["T x", "int64 y", "x", "b", "y = a", ""]);
        for (shape, axis) in [(vec![70_001], 0), (vec![20_000, 9], 0), (vec![3, 30_011], 1), (vec![5_000, 3], 1)] {
            let size: usize = shape.iter().product();
            let x = crate::arange(0, size as i64, 1)?.reshape(shape.clone())?;
            for x in [x.clone(), x.t().copy(crate::Order::C)?.t(), crate::flip(&x, ())?] {
                // SAFETY: the expressions access only their elements.
                let got = unsafe { total.call(&[(&x).into()], None, axis, false) }?;
                assert_eq!(got.to_vec::<i64>()?, crate::sum(&x, axis)?.to_vec::<i64>()?, "{shape:?}");
                // The expression keeps its second operand: the result is some element, since each thread combines in
                // order.
                // SAFETY: as above.
                unsafe { last.call(&[(&x).into()], None, axis, false) }?.to_vec::<i64>()?;
            }
        }
        // An accumulator type that only the source declares.
        let made = ReductionKernelOptions {
            preamble: "struct Both { long long low, high; __device__ Both() {} __device__ Both(long long x) : low(x), high(x) {} };"
                .into(),
            reduce_type: Some("Both".into()),
            ..Default::default()
        };
        let reduce = "both(a, b)";
        let made = ReductionKernelOptions {
            preamble: format!(
                "{}\n__device__ Both both(Both a, Both b) {{ a.low = min(a.low, b.low); a.high = max(a.high, b.high); return a; }}",
                made.preamble
            ),
            ..made
        };
        let range = ReductionKernel::new("T x", "int64 y", "Both(x)", reduce, "y = a.high - a.low", "", made)?;
        let x = crate::arange(-5, 80_000, 1)?;
        // SAFETY: the expressions access only their elements.
        assert_eq!(unsafe { range.call(&[(&x).into()], None, (), false) }?.item::<i64>()?, 80_004);
        Ok(())
    }
}
