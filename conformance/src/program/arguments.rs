//! Generates the arguments of a call from the kinds of the parameters in its record.
//!
//! A new function is called without further work. Constraints that kinds do not express (indices within an array,
//! increasing edges) are entries in `Generator::special`, by the names of function and parameter.

use cuprum::table::{Parameter, ParameterKind};
use cuprum_kernels::DType;
use cuprum_oracle::NdArray;

use super::catalog::Entry;
use super::generate::Generator;
use super::state::Variable;
use super::{Action, Fault, Ref, shapes};
use crate::call::{Argument, Call};
use crate::case::{Scalar, ValueSet};
use crate::outcome::{Number, Tensor};
use crate::text::Key;

/// A call that is being generated.
struct CallContext<'a> {
    entry: &'a Entry<'a>,
    /// The index among the few tuples of dtypes.
    variant: usize,
    operands: Vec<Ref>,
    call: Call,
}

impl CallContext<'_> {
    fn operand(&mut self, r: Ref) -> Argument {
        let index = self.operands.iter().position(|o| *o == r).unwrap_or_else(|| {
            self.operands.push(r);
            self.operands.len() - 1
        });
        Argument::Operand(index)
    }

    fn has(&self, name: &str) -> bool {
        self.call.arguments.iter().any(|(n, _)| n == name)
    }
}

/// Creates an array of integers.
fn integers(dtype: DType, shape: &[usize], values: &[i64]) -> Argument {
    let bytes = values.iter().flat_map(|v| Number::Int(i128::from(*v)).encode(dtype)).collect();
    Argument::Made(Tensor::packed(dtype, shape, bytes))
}

/// Creates a 1-D array of floats.
fn floats(dtype: DType, values: &[f64]) -> Argument {
    let number = |x: &f64| if dtype.is_float() { Number::Float(*x) } else { Number::Int(*x as i128) };
    let bytes = values.iter().flat_map(|x| number(x).encode(dtype)).collect();
    Argument::Made(Tensor::packed(dtype, &[values.len()], bytes))
}

fn scalar(i: i64) -> Argument {
    Argument::Scalar(Scalar::Int(i.into()))
}

impl<'a> Generator<'a> {
    /// Generates a call of a function with arguments for all required and some optional parameters; `None` if that is
    /// not possible.
    pub(super) fn arguments(
        &mut self,
        entry: &'a Entry<'a>,
        on: Option<Ref>,
    ) -> Result<Option<(Call, Vec<Ref>)>, Fault> {
        let mut context = CallContext {
            entry,
            variant: self.rng.below(entry.variants()),
            operands: vec![],
            call: Call::new(entry.path.clone()),
        };
        // Half of the calls pass only required arguments.
        let bare = self.rng.below(2) == 0;
        for parameter in entry.record.parameters() {
            // `out` and `where` are generated when the results are known.
            if ["out", "where"].contains(&parameter.name) {
                continue;
            }
            // The kinds are those of sorts; NumPy's partitions have one of their own.
            if parameter.name == "kind" && entry.name.contains("partition") {
                continue;
            }
            let needed = parameter.default.is_none() || self.is_needed(&context, parameter);
            if !needed && (bare || self.rng.below(3) > 0) {
                continue;
            }
            if let Some(argument) = self.argument(&mut context, parameter, on)? {
                context.call = context.call.with(parameter.name, argument);
            } else if needed {
                return Ok(None);
            }
        }
        Ok(Some((context.call, context.operands)))
    }

    /// Tests whether an optional argument is passed, as calls without it rarely make sense.
    fn is_needed(&mut self, context: &CallContext<'_>, parameter: &Parameter) -> bool {
        match (context.entry.method, parameter.name) {
            (Some("at"), "b") => context.entry.op.is_none_or(|op| op.operands == 2),
            (_, "axis") => self.rng.below(2) == 0,
            (_, "bins" | "range" | "spacing") => self.rng.below(2) == 0,
            _ => false,
        }
    }

    fn first<'t>(&'t self, context: &CallContext<'_>) -> Option<&'t Variable> {
        context.operands.first().and_then(|r| self.state.variable(*r))
    }

    fn shape(&self, context: &CallContext<'_>) -> Vec<usize> {
        self.first(context).map_or(vec![], |v| v.shape().to_vec())
    }

    fn argument(
        &mut self,
        context: &mut CallContext<'a>,
        parameter: &Parameter,
        on: Option<Ref>,
    ) -> Result<Option<Argument>, Fault> {
        if let Some(special) = self.special(context, parameter)? {
            return Ok(Some(special));
        }
        let shape = self.shape(context);
        let ndim = shape.len();
        let truth = |b: bool| Argument::Scalar(Scalar::Bool(b));
        Ok(Some(match parameter.kind {
            ParameterKind::Array | ParameterKind::Operand => {
                let number = parameter.kind == ParameterKind::Operand && !context.operands.is_empty();
                if number && self.rng.below(5) == 0 {
                    return Ok(Some(Argument::Scalar(shapes::scalar(&mut self.rng))));
                }
                let r = match (on, context.operands.is_empty()) {
                    (Some(on), true) => on,
                    (_, true) => self.first_operand(context)?,
                    _ => self.beside(context, &shape)?,
                };
                context.operand(r)
            }
            ParameterKind::Arrays | ParameterKind::Operands => {
                let mut all = vec![];
                for k in 0..1 + self.rng.below(3) {
                    let r =
                        if k == 0 { self.first_operand(context)? } else { self.beside(context, &self.shape(context))? };
                    all.push(context.operand(r));
                }
                Argument::List(all)
            }
            ParameterKind::Scalar => Argument::Scalar(shapes::scalar(&mut self.rng)),
            ParameterKind::Int => scalar(self.rng.below(5) as i64 - 1),
            ParameterKind::Integers => {
                let all = (0..1 + self.rng.below(3)).map(|_| self.rng.below(4) as i64).collect();
                Argument::Integers(all)
            }
            ParameterKind::Float => Argument::Scalar(Scalar::Float(self.rng.pick(&[0.0, 1.0, 0.5, 2.0, 1e-3]))),
            ParameterKind::Bool => truth(self.rng.below(2) == 0),
            ParameterKind::DType => Argument::DType(self.option_dtype(context)),
            ParameterKind::Axis => match self.rng.below(6) {
                0 if parameter.optional => Argument::None,
                _ => scalar(shapes::axis(&mut self.rng, ndim)),
            },
            ParameterKind::Axes => match self.rng.below(6) {
                0 if parameter.optional => Argument::None,
                0..3 => {
                    let count = self.rng.below(ndim + 1);
                    Argument::Integers(shapes::axes(&mut self.rng, ndim, count))
                }
                _ => Argument::Integers(vec![shapes::axis(&mut self.rng, ndim)]),
            },
            ParameterKind::Shape => {
                let shape = shapes::shape(&mut self.rng, context.entry.limit);
                Argument::Integers(shape.into_iter().map(|n| n as i64).collect())
            }
            ParameterKind::Choice(names) => Argument::Text(self.rng.pick(names).into()),
            ParameterKind::Sections => match self.rng.below(2) {
                0 => scalar(1 + self.rng.below(4) as i64),
                _ => {
                    let count = self.rng.below(4);
                    Argument::Integers(self.within(shape.last().copied().unwrap_or(1), count))
                }
            },
            ParameterKind::Sides => {
                let (widths, more) = match self.rng.below(3) {
                    0 => {
                        let both = self.rng.below(4);
                        (scalar(both as i64), 2 * both)
                    }
                    _ => {
                        let (before, after) = (self.rng.below(4), self.rng.below(6));
                        (Argument::List(vec![scalar(before as i64), scalar(after as i64)]), before + after)
                    }
                };
                // Each of many axes grows: the size of the result is limited.
                let grown = shape.iter().try_fold(1usize, |size, n| size.checked_mul(n + more));
                if grown.is_some_and(|size| size <= 1 << 20) { widths } else { scalar(0) }
            }
            ParameterKind::Quantiles => self.quantiles(context),
            ParameterKind::Bins => self.bins(),
            ParameterKind::BinsOfAxes => Argument::List(vec![scalar(1 + self.rng.below(6) as i64)]),
            ParameterKind::Range => self.range(),
            ParameterKind::Ranges => {
                let axes = if context.entry.name == "histogram2d" { 2 } else { shape.get(1).copied().unwrap_or(1) };
                Argument::List((0..axes).map(|_| self.range()).collect())
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the dtype for the `dtype` argument of a function, one of a few, so that programs share kernels.
    fn option_dtype(&mut self, context: &CallContext<'_>) -> DType {
        context.entry.dtype(self.rng.below(context.entry.variants()), 7, self.salt)
    }

    /// Generates the first operand of a function: an existing array, or a new one.
    fn first_operand(&mut self, context: &CallContext<'_>) -> Result<Ref, Fault> {
        let entry = context.entry;
        let (dtype, limit) = (entry.dtype(context.variant, 0, self.salt), entry.limit);
        let rank = |n: usize| match (entry.name.as_str(), entry.method) {
            ("correlate" | "convolve" | "bincount" | "histogram2d" | "searchsorted", _) => n == 1,
            ("trace", _) => n >= 2,
            ("histogramdd" | "matmul", _) => n == 2,
            ("cov" | "corrcoef", _) => n <= 2,
            (_, Some("reduce" | "accumulate" | "reduceat" | "at")) => n >= 1,
            _ => true,
        };
        let writes = entry.method == Some("at")
            || entry.path.starts_with("numpy.ndarray.")
            || ["copyto", "put", "putmask", "put_along_axis", "scatter_add", "scatter_max", "scatter_min"]
                .contains(&entry.name.as_str());
        // Each column is an axis of bins: those of many columns exceed memory.
        let columns = |v: &Variable| entry.name != "histogramdd" || v.shape()[1] <= 3;
        let fits = |v: &Variable| {
            let takes = v.dtype() == dtype && v.size() <= limit && rank(v.shape().len()) && columns(v);
            takes && !(writes && v.is_broadcast())
        };
        if self.rng.below(3) > 0
            && let Some(r) = self.some(fits)
        {
            return Ok(r);
        }
        let limit = self.limit(limit.max(1));
        let mut shape = shapes::shape(&mut self.rng, limit);
        match entry.name.as_str() {
            "histogramdd" => shape = vec![self.rng.below(60), 1 + self.rng.below(3)],
            _ if rank(shape.len()) => {}
            "correlate" | "convolve" => shape = vec![1 + self.rng.below(90)],
            "trace" | "matmul" => shape = vec![1 + self.rng.below(40), 1 + self.rng.below(40)],
            _ => shape = vec![1 + self.rng.below(limit.min(70))],
        }
        let values = shapes::values(&mut self.rng, dtype, &entry.values);
        self.fresh(dtype, &shape, values)
    }

    /// Generates another operand, which mostly broadcasts with the first: an existing array, the first again, or a new
    /// one.
    fn beside(&mut self, context: &CallContext<'_>, shape: &[usize]) -> Result<Ref, Fault> {
        let entry = context.entry;
        let (dtype, limit) = (entry.dtype(context.variant, context.operands.len(), self.salt), entry.limit);
        let fits = |v: &Variable| {
            let together = v.shape().iter().rev().zip(shape.iter().rev()).all(|(a, b)| a == b || *a == 1 || *b == 1);
            v.dtype() == dtype && v.size() <= limit && together
        };
        if self.rng.below(2) == 0
            && let Some(r) = self.some(fits)
        {
            return Ok(r);
        }
        let first = context.operands[0];
        if self.rng.below(8) == 0 {
            return Ok(first);
        }
        // Another view of the first operand's memory.
        if self.rng.below(8) == 0 && shape.first().is_some_and(|n| *n > 1) {
            let view = self.push(vec![first], Action::Index(vec![Key::Slice(None, None, -1)]))?;
            return Ok(view[0]);
        }
        let shape = match entry.method {
            Some("outer") => shapes::shape(&mut self.rng, 40),
            _ => shapes::partner(&mut self.rng, shape),
        };
        let values = shapes::values(&mut self.rng, dtype, &entry.values);
        self.fresh(dtype, &shape, values)
    }

    fn quantiles(&mut self, context: &CallContext<'_>) -> Argument {
        let whole = if context.entry.name.contains("percentile") { 100.0 } else { 1.0 };
        let mut q = || Scalar::Float(whole * self.rng.pick(&[0.0, 0.25, 0.5, 0.75, 1.0, 0.1, 0.9, 0.333]));
        let (a, b) = (q(), q());
        match self.rng.below(3) {
            0 => Argument::List(vec![Argument::Scalar(a), Argument::Scalar(b)]),
            _ => Argument::Scalar(a),
        }
    }

    fn bins(&mut self) -> Argument {
        match self.rng.below(4) {
            0 => {
                let dtype = self.rng.pick(&[DType::I64, DType::F64, DType::F32]);
                floats(dtype, &[-3.0, 0.0, 1.0, 4.0][..2 + self.rng.below(3)])
            }
            // The other rules depend on the elements, some of which would require more bins than memory holds.
            1 => Argument::Text(self.rng.pick(&["rice", "sturges", "sqrt"]).into()),
            _ => scalar(1 + self.rng.below(40) as i64),
        }
    }

    fn range(&mut self) -> Argument {
        let low = self.rng.below(4) as f64 - 2.0;
        let high = low + self.rng.below(5) as f64;
        Argument::List([low, high].map(|end| Argument::Scalar(Scalar::Float(end))).to_vec())
    }

    /// Generates integers within an axis; occasionally one out of bounds.
    fn within(&mut self, n: usize, count: usize) -> Vec<i64> {
        let one = |rng: &mut crate::random::Rng| match n {
            0 => 0,
            _ if rng.below(200) == 0 => n as i64,
            _ => rng.below(2 * n) as i64 - n as i64,
        };
        (0..count).map(|_| one(&mut self.rng)).collect()
    }

    /// Creates a new variable of this dtype and shape.
    fn made(
        &mut self,
        context: &mut CallContext<'_>,
        dtype: DType,
        shape: &[usize],
        set: ValueSet,
    ) -> Result<Argument, Fault> {
        let r = self.fresh(dtype, shape, set)?;
        Ok(context.operand(r))
    }

    /// Generates arguments with constraints that the kind of a parameter does not express.
    fn special(&mut self, context: &mut CallContext<'a>, parameter: &Parameter) -> Result<Option<Argument>, Fault> {
        let shape = self.shape(context);
        let (ndim, size) = (shape.len(), shape.iter().product::<usize>());
        let last = shape.last().copied().unwrap_or(1);
        let name = context.entry.name.as_str();
        if context.entry.method.is_some() {
            return self.of_method(context, parameter, &shape);
        }
        Ok(Some(match (name, parameter.name) {
            (_, "kind") if self.rng.below(2) == 0 => Argument::Text("stable".into()),
            ("reshape", "shape") => Argument::Integers(shapes::reshaped(&mut self.rng, size)),
            ("broadcast_to", "shape") => {
                let mut to: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
                for n in to.iter_mut().filter(|n| **n == 1) {
                    *n = self.rng.pick(&[1, 2, 3, 5]);
                }
                for _ in 0..self.rng.below(3) {
                    to.insert(0, self.rng.pick(&[1, 2, 3]));
                }
                Argument::Integers(to)
            }
            ("transpose", "axes") => Argument::Integers(shapes::axes(&mut self.rng, ndim, ndim)),
            ("moveaxis", "source" | "destination") => {
                let count = match context.call.arguments.iter().find(|(n, _)| n == "source") {
                    Some((_, Argument::Integers(all))) => all.len(),
                    _ => 1 + self.rng.below(ndim.max(1)),
                };
                Argument::Integers(shapes::axes(&mut self.rng, ndim, count))
            }
            ("expand_dims", "axis") => {
                let count = 1 + self.rng.below(2);
                Argument::Integers(shapes::axes(&mut self.rng, ndim + count, count))
            }
            ("squeeze", "axis") => {
                let ones: Vec<i64> = (0..ndim as i64).filter(|k| shape[*k as usize] == 1).collect();
                Argument::Integers(ones.into_iter().filter(|_| self.rng.below(2) == 0).collect())
            }
            ("as_strided", "shape") => {
                // Windows of the last axis of a contiguous array.
                let window = 1 + self.rng.below(last.max(1));
                let mut to: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
                if let Some(n) = to.last_mut() {
                    *n = (last + 1).saturating_sub(window) as i64;
                }
                to.push(if last == 0 { 0 } else { window as i64 });
                Argument::Integers(to)
            }
            ("as_strided", "strides") => {
                let host = context.operands.first().and_then(|r| self.state.host(*r));
                let mut strides: Vec<i64> =
                    host.as_ref().map_or(vec![], |a| a.strides().iter().map(|s| *s as i64).collect());
                strides.push(strides.last().copied().unwrap_or(8));
                Argument::Integers(strides)
            }
            ("put", "ind") => {
                let count = self.rng.below(12);
                let all = self.within(size, count);
                integers(self.rng.pick(&[DType::I64, DType::I32, DType::U8]), &[count], &all)
            }
            ("take_along_axis" | "put_along_axis", "indices") => {
                // Along the last axis, unless another one is generated after them.
                let (count, mut of) = (self.rng.below(6), shape.clone());
                if let Some(n) = of.last_mut() {
                    *n = count;
                }
                let all = self.within(last, of.iter().product());
                integers(self.rng.pick(&[DType::I64, DType::I32]), &of, &all)
            }
            ("scatter_add" | "scatter_max" | "scatter_min", "slices") => {
                let count = self.rng.below(6);
                let all = self.within(shape.first().copied().unwrap_or(1), count);
                Argument::List(vec![integers(DType::I64, &[count], &all)])
            }
            ("sliding_window_view", "window_shape") => {
                let along = self.rng.below(4) == 0;
                Argument::Integers(
                    shape.iter().map(|n| 1 + self.rng.below((*n).clamp(1, 3) + usize::from(along)) as i64).collect(),
                )
            }
            ("sliding_window_view", "axis") => Argument::None,
            ("polyvander2d" | "polyvander3d", "deg") => {
                let variables = if name == "polyvander2d" { 2 } else { 3 };
                Argument::Integers((0..variables).map(|_| self.rng.below(4) as i64).collect())
            }
            ("polypow", "pow") => scalar(self.rng.below(3) as i64),
            ("putmask", "mask") => {
                let mask = self.fresh(DType::Bool, &shape, ValueSet::Small)?;
                context.operand(mask)
            }
            ("take", "indices") => {
                let count = self.rng.below(12);
                let all = self.within(size, count);
                integers(self.rng.pick(&[DType::I64, DType::I32, DType::I8]), &[count], &all)
            }
            ("partition" | "argpartition", "kth") => {
                let count = 1 + self.rng.below(2);
                Argument::Integers(self.within(last, count))
            }
            // The number of bins would be that of the largest integer.
            ("bincount", "x") => {
                let dtype = context.entry.dtype(context.variant, 0, self.salt);
                let n = shapes::shape(&mut self.rng, 500).iter().product();
                return self.made(context, dtype, &[n], ValueSet::Natural).map(Some);
            }
            (
                "bincount" | "histogram" | "histogram2d" | "quantile" | "percentile" | "nanquantile" | "nanpercentile"
                | "average",
                "weights",
            ) => {
                let dtype = self.rng.pick(&[DType::F64, DType::F32]);
                return self.made(context, dtype, &shape, ValueSet::Natural).map(Some);
            }
            ("histogramdd", "weights") => {
                return self.made(context, DType::F64, &shape[..1.min(ndim)], ValueSet::Natural).map(Some);
            }
            ("nanquantile" | "nanpercentile" | "quantile" | "percentile", "method") if context.has("weights") => {
                Argument::Text("inverted_cdf".into())
            }
            ("compress", "condition") => {
                let n = self.rng.below(12);
                return self.made(context, DType::Bool, &[n], ValueSet::Small).map(Some);
            }
            ("mask", "mask") => {
                let cut = self.rng.below(ndim + 1);
                return self.made(context, DType::Bool, &shape[..cut], ValueSet::Small).map(Some);
            }
            ("searchsorted", "a") | ("digitize", "bins") => {
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                let dtype = if dtype.is_complex() { dtype.real() } else { dtype };
                let mut edges: Vec<f64> = (0..self.rng.below(40)).map(|_| self.rng.below(12) as f64).collect();
                edges.sort_by(f64::total_cmp);
                if dtype == DType::Bool {
                    edges.iter_mut().for_each(|x| *x = f64::from(*x > 5.0));
                }
                floats(dtype, &edges)
            }
            ("searchsorted", "sorter") => Argument::None,
            ("cov", "fweights" | "aweights") => {
                let n = if ndim == 2 { shape[1] } else { size };
                let dtype = if parameter.name == "fweights" { DType::I64 } else { DType::F64 };
                return self.made(context, dtype, &[n], ValueSet::Natural).map(Some);
            }
            ("correlate" | "convolve", "v") => {
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                let n = 1 + self.rng.below(20);
                return self.made(context, dtype, &[n], ValueSet::Small).map(Some);
            }
            ("matmul", "x2") => {
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                let columns = 1 + self.rng.below(30);
                let to: Vec<usize> = match (ndim, self.rng.below(4)) {
                    (0, _) => vec![],
                    (_, 0) => vec![last],
                    (3.., 1) => [&shape[..ndim - 2], &[last, columns]].concat(),
                    _ => vec![last, columns],
                };
                return self.made(context, dtype, &to, ValueSet::Small).map(Some);
            }
            ("trapezoid" | "trapz", "x") => {
                return self.made(context, DType::F64, &[last], ValueSet::Small).map(Some);
            }
            ("gradient", "spacing") => {
                let mut distance = || Argument::Scalar(Scalar::Float(self.rng.pick(&[1.0, 0.5, 2.0])));
                Argument::List(vec![distance()])
            }
            ("gradient", "edge_order") => scalar(1 + self.rng.below(2) as i64),
            ("diff", "n") => scalar(self.rng.below(4) as i64),
            ("extract", "arr") | ("histogram2d" | "array_equal" | "corrcoef" | "cov", _)
                if parameter.kind == ParameterKind::Array && !context.operands.is_empty() =>
            {
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                let set = shapes::values(&mut self.rng, dtype, &context.entry.values);
                return self.made(context, dtype, &shape, set).map(Some);
            }
            (
                "concatenate" | "concat" | "stack" | "vstack" | "row_stack" | "hstack" | "dstack" | "column_stack"
                | "block",
                "arrays" | "tup",
            ) => {
                // Shapes that differ along one axis at most, and occasionally otherwise.
                let first = self.first_operand(context)?;
                let mut all = vec![context.operand(first)];
                let shape = self.shape(context);
                let varies = self.rng.below(shape.len().max(1));
                let stacked = context.entry.name == "stack" || self.rng.below(3) == 0;
                for k in 0..self.rng.below(7) {
                    let dtype = context.entry.dtype(context.variant, k + 1, self.salt);
                    let mut to = shape.clone();
                    if !stacked && !to.is_empty() {
                        to[varies] = self.rng.below(6);
                    }
                    let set = shapes::values(&mut self.rng, dtype, &context.entry.values);
                    all.push(self.made(context, dtype, &to, set)?);
                }
                Argument::List(all)
            }
            ("append", "values") if self.rng.below(4) > 0 => {
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                return self.made(context, dtype, &shape, ValueSet::Small).map(Some);
            }
            ("insert", "values") => match self.rng.below(2) {
                0 => Argument::Scalar(shapes::scalar(&mut self.rng)),
                _ => {
                    let dtype = context.entry.dtype(context.variant, 1, self.salt);
                    return self.made(context, dtype, &[1], ValueSet::Small).map(Some);
                }
            },
            ("insert" | "delete", "obj") => match self.rng.below(2) {
                0 => scalar(self.within(last.max(1), 1)[0]),
                _ => {
                    let count = self.rng.below(4);
                    Argument::Integers(self.within(last, count))
                }
            },
            ("repeat", "repeats") => match self.rng.below(3) {
                0 => {
                    let all: Vec<i64> = (0..last).map(|_| self.rng.below(4) as i64).collect();
                    integers(self.rng.pick(&[DType::I64, DType::I32, DType::U8]), &[last], &all)
                }
                _ => scalar(self.rng.below(4) as i64),
            },
            ("tile", "reps") => {
                let all = (0..1 + self.rng.below(3)).map(|_| self.rng.below(3) as i64).collect();
                Argument::Integers(all)
            }
            ("roll", "shift") => {
                let all = (0..1 + self.rng.below(2)).map(|_| self.rng.below(9) as i64 - 4).collect();
                Argument::Integers(all)
            }
            ("resize", "new_shape") => {
                let to = shapes::shape(&mut self.rng, context.entry.limit);
                Argument::Integers(to.into_iter().map(|n| n as i64).collect())
            }
            // Padding of an empty array is undefined; means and ramps are rounded in their own ways.
            ("pad", "mode") => Argument::Text(
                self.rng.pick(&["constant", "edge", "wrap", "reflect", "symmetric", "maximum", "minimum"]).into(),
            ),
            ("pad", "reflect_type") => Argument::Text("even".into()),
            ("rot90", "axes") => Argument::Integers(shapes::axes(&mut self.rng, ndim, 2.min(ndim))),
            ("lexsort", "keys") => {
                let first = self.first_operand(context)?;
                let mut all = vec![context.operand(first)];
                let shape = self.shape(context);
                for k in 0..self.rng.below(3) {
                    let dtype = context.entry.dtype(context.variant, k + 1, self.salt);
                    all.push(self.made(context, dtype, &shape, ValueSet::Small)?);
                }
                Argument::List(all)
            }
            ("arange", "start" | "stop") => scalar(self.rng.below(300) as i64 - 20),
            ("arange", "step") => self
                .rng
                .pick(&[1.0, 2.0, 0.5, -1.0, 3.0, 0.25])
                .to_string()
                .parse()
                .map(Argument::Scalar)
                .unwrap_or(scalar(1)),
            // A number is weak, and an array has its own dtype.
            (_, "mean") => match dtype_or_default(self.first(context)) {
                DType::F16 | DType::C64 => Argument::Scalar(Scalar::Float(0.5)),
                dtype => Argument::Full(Scalar::Float(0.5), dtype),
            },
            (_, "ord") => Argument::Scalar(Scalar::Float(self.rng.pick(&[1.0, 2.0, f64::INFINITY]))),
            _ => return Ok(None),
        }))
    }

    /// Generates the arguments of the methods of ufuncs.
    fn of_method(
        &mut self,
        context: &mut CallContext<'a>,
        parameter: &Parameter,
        shape: &[usize],
    ) -> Result<Option<Argument>, Fault> {
        let first = shape.first().copied().unwrap_or(0);
        Ok(Some(match (context.entry.method, parameter.name) {
            (Some("reduceat"), "indices") => {
                let n = if self.rng.below(8) == 0 { shape.last().copied().unwrap_or(0) } else { first };
                let all = (0..1 + self.rng.below(4)).map(|_| self.rng.below(n.max(1)) as i64).collect();
                Argument::Integers(all)
            }
            (Some("reduceat" | "accumulate"), "axis") if self.rng.below(2) == 0 => scalar(0),
            (Some("at"), "indices") => {
                let axes = 1 + self.rng.below(shape.len().min(2));
                let count = self.rng.below(7);
                let dtype = self.rng.pick(&[DType::I64, DType::I64, DType::I32]);
                let all = shape.iter().take(axes).map(|n| integers(dtype, &[count], &self.within(*n, count)));
                Argument::List(all.collect())
            }
            (Some("at"), "b") => {
                let (axes, count) = match context.call.arguments.iter().find(|(n, _)| n == "indices") {
                    Some((_, Argument::List(all))) => {
                        let count = if let Some(Argument::Made(t)) = all.first() { t.size() } else { 1 };
                        (all.len(), count)
                    }
                    _ => (1, 1),
                };
                if self.rng.below(3) == 0 {
                    return Ok(Some(Argument::Scalar(shapes::scalar(&mut self.rng))));
                }
                let behind: Vec<usize> = std::iter::once(count).chain(shape.iter().skip(axes).copied()).collect();
                let to = shapes::partner(&mut self.rng, &behind);
                let dtype = context.entry.dtype(context.variant, 1, self.salt);
                let set = shapes::values(&mut self.rng, dtype, &context.entry.values);
                return self.made(context, dtype, &to, set).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    /// Adds `out` and `where` to the call, where its record has them, now that the results are known.
    pub(super) fn placed(
        &mut self,
        entry: &'a Entry<'a>,
        call: Call,
        operands: Vec<Ref>,
        results: &[NdArray],
    ) -> Result<(Call, Vec<Ref>), Fault> {
        let plain = (call.clone(), operands.clone());
        // NumPy's `count_nonzero` has neither `out` nor `where`, so the oracle does not either.
        if entry.name == "count_nonzero" {
            return Ok(plain);
        }
        let kind = |name: &str| entry.record.parameters().iter().find(|p| p.name == name).map(|p| p.kind);
        let mut context = CallContext { entry, variant: 0, operands, call };
        if kind("where") == Some(ParameterKind::Array) && self.rng.below(6) == 0 {
            // The mask of a reduction broadcasts to the operand, that of an elementwise function to the result.
            let reduces = kind("axis").is_some();
            let shape = if reduces { self.shape(&context) } else { results[0].shape().to_vec() };
            let mask = self.mask(&shape)?;
            let mask = context.operand(mask);
            context.call = context.call.with("where", mask);
        }
        match kind("out") {
            Some(ParameterKind::Array) if results.len() == 1 && self.rng.below(4) == 0 => {
                let out = self.out(&mut context, &results[0])?;
                let out = context.operand(out);
                context.call = context.call.with("out", out);
            }
            Some(ParameterKind::Arrays) if results.len() == 2 && self.rng.below(4) == 0 => {
                let (mut outs, mut memories) = (vec![], vec![]);
                for result in results {
                    let out = self.out(&mut context, result)?;
                    memories.push(self.state.variable(out).map(Variable::memory));
                    outs.push(context.operand(out));
                }
                // The order in which two results are written to one memory is undefined.
                if memories[0] == memories[1] {
                    return Ok(plain);
                }
                context.call = context.call.with("out", Argument::List(outs));
            }
            _ => {}
        }
        if kind("casting").is_some() && context.has("out") && !context.has("casting") && self.rng.below(2) == 0 {
            context.call = context.call.with("casting", Argument::Text("unsafe".into()));
        }
        if context.call.arguments.len() == plain.0.arguments.len() {
            return Ok(plain);
        }
        let rejected = self.state.plan(&context.call, &context.operands).is_err();
        // Most calls that would be rejected with these arguments are made without them.
        Ok(if rejected && self.rng.below(6) > 0 { plain } else { (context.call, context.operands) })
    }

    fn mask(&mut self, shape: &[usize]) -> Result<Ref, Fault> {
        let fits = |v: &Variable| {
            let inner = v.shape().iter().rev().zip(shape.iter().rev()).all(|(a, b)| a == b || *a == 1);
            v.dtype() == DType::Bool && v.shape().len() <= shape.len() && inner
        };
        if self.rng.below(2) == 0
            && let Some(mask) = self.some(fits)
        {
            return Ok(mask);
        }
        let shape = shapes::partner(&mut self.rng, shape);
        self.fresh(DType::Bool, &shape, ValueSet::Small)
    }

    /// Generates an `out`: an operand, another existing array, a view of an operand's memory, a new array.
    fn out(&mut self, context: &mut CallContext<'a>, result: &NdArray) -> Result<Ref, Fault> {
        let shape = result.shape();
        let broadcast = self.rng.below(20) == 0;
        let fits = |v: &Variable| v.shape() == shape && (broadcast || !v.is_broadcast());
        let draw = self.rng.below(10);
        let own: Vec<Ref> =
            context.operands.iter().copied().filter(|r| self.state.variable(*r).is_some_and(fits)).collect();
        if draw < 3 && !own.is_empty() {
            return Ok(self.rng.pick(&own));
        }
        if draw < 5
            && let Some(other) = self.some(fits)
        {
            return Ok(other);
        }
        // The operand's own memory, reversed.
        if draw < 7 && !own.is_empty() && !shape.is_empty() {
            let key = if shape[0] > 0 && self.rng.below(2) == 0 { vec![Key::Slice(None, None, -1)] } else { vec![] };
            let of = self.rng.pick(&own);
            let view = self.push(vec![of], Action::Index(key))?;
            return Ok(view[0]);
        }
        let dtype = match self.rng.below(4) {
            0 => self.option_dtype(context),
            _ => result.dtype(),
        };
        let mut shape = shape.to_vec();
        if self.rng.below(20) == 0 {
            shape.insert(0, 2);
        }
        self.fresh(dtype, &shape, ValueSet::Small)
    }
}

/// Returns the dtype of the mean of an array.
fn dtype_or_default(of: Option<&Variable>) -> DType {
    match of.map(Variable::dtype) {
        Some(dtype) if dtype.is_float() || dtype.is_complex() => dtype,
        _ => DType::F64,
    }
}
