//! The oracle as a side of a run: calls it by the names of `matrix.yaml`.

use cuprum_kernels::DType;
use cuprum_oracle::table::{self, Arguments, Fault, Function};
use cuprum_oracle::{
    self as oracle, ErrorKind, Flag, Gathering, Index, NdArray, Operand, OracleError, Order, Part, UfuncOptions, Value,
};
use num_complex::Complex64;

use crate::call::{Argument, Call, logical};
use crate::case::{Case, Scalar};
use crate::extra::{Target, parts};
use crate::matrix::{Op, OpKind};
use crate::operand::{Input, Placed};
use crate::outcome::{Freedom, Kind, Outcome, Tensor};
use crate::side::Side;
use crate::sparse;
use crate::spatial;
use crate::text::{Key, keys, made_for};
use crate::ulp;

/// The oracle.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

impl Rejection {
    /// Returns the error as an outcome.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::Rejected(self.0, self.1.clone())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Rejection>;

/// An error: of the oracle, or of parameters that do not parse.
pub(crate) struct Rejection(Kind, String);

impl From<OracleError> for Rejection {
    fn from(error: OracleError) -> Rejection {
        Rejection(kind(&error), error.message)
    }
}

/// Returns the kind of an error.
pub(crate) fn kind(error: &OracleError) -> Kind {
    match error.kind {
        ErrorKind::Value => Kind::Value,
        ErrorKind::Type => Kind::Type,
        ErrorKind::Index => Kind::Index,
        ErrorKind::Axis => Kind::Axis,
        ErrorKind::Overflow => Kind::Overflow,
        ErrorKind::ZeroDivision => Kind::ZeroDivision,
        ErrorKind::LinAlg => Kind::LinAlg,
    }
}

impl From<String> for Rejection {
    fn from(message: String) -> Rejection {
        Rejection(Kind::Broken, message)
    }
}

impl From<Fault> for Rejection {
    fn from(fault: Fault) -> Rejection {
        match fault {
            Fault::Rejection(error) => error.into(),
            Fault::Misuse(message) => message.into(),
        }
    }
}

impl Side for Reference {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        call(op, case, inputs).unwrap_or_else(|Rejection(kind, message)| Outcome::Rejected(kind, message))
    }

    fn bounds(&self, op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
        match op.kind {
            OpKind::Reduction | OpKind::Method | OpKind::Routine | OpKind::Matmul => {
                bounds(op, case, inputs, Gathering::DEVICE)
            }
            OpKind::Sparse => sparse::reference::bounds(op, case, inputs),
            OpKind::Creation => invoked_bounds(&Call::creation(op, case).ok()?, &[], Gathering::DEVICE).ok()?,
            _ => elementwise_bounds(&op.name, inputs),
        }
    }

    fn remainders(
        &self,
        op: &Op,
        case: &Case,
        inputs: &[Input],
        got: &Outcome,
    ) -> Option<std::result::Result<Vec<(String, f64)>, String>> {
        if op.kind != OpKind::Routine {
            return None;
        }
        let arrays = arrays(inputs);
        let operands: Vec<_> = (0..inputs.len()).map(|k| operand(&arrays, inputs, k)).collect::<Option<_>>()?;
        let call = Call::of(op, case, &logical(inputs)).ok()?;
        judged_remainders(&call, &operands, got)
    }

    fn gives_scalar(&self, op: &Op, case: &Case, outcome: &Outcome) -> bool {
        let without_axes = outcome.first().is_some_and(|t| t.shape.is_empty());
        without_axes
            && match op.kind {
                // Functions of NumPy that are no ufuncs return arrays.
                OpKind::Ufunc => !matches!(op.name.as_str(), "where" | "i0"),
                OpKind::Operator | OpKind::Matmul => true,
                OpKind::Method | OpKind::Reduction => case.params.get("out").is_none(),
                // The result is the operand itself, indexed by nothing.
                OpKind::Manipulation => {
                    matches!(op.name.as_str(), "flip" | "iscomplexobj" | "isfortran" | "isrealobj" | "unstack")
                }
                OpKind::Getitem => !case.params.get("key").is_some_and(|key| key.contains("...")),
                _ => false,
            }
    }

    fn scales(
        &self,
        op: &Op,
        inputs: &[Input],
        want: &Tensor,
        is_compared: &dyn Fn(usize) -> bool,
    ) -> Option<Vec<(f64, Option<f64>)>> {
        let columns = Self::operand_values(inputs, want)?;
        let limit = ulp::max(want.dtype);
        let scale = |i: usize| {
            let (re, im) = want.get(i).parts();
            let size = re.hypot(im).min(limit);
            if !is_compared(i) {
                return (size, None);
            }
            let row = columns.iter().map(|column| column[i]);
            let (terms, value) = if want.dtype.is_complex() {
                let row: Vec<Complex64> = row.map(|(re, im)| Complex64::new(re, im)).collect();
                (oracle::complex_special_condition(&op.name, &row), None)
            } else {
                let row: Vec<f64> = row.map(|(re, _)| re).collect();
                (oracle::special_condition(&op.name, &row), oracle::special_value(&op.name, &row))
            };
            (terms.max(size).min(limit), value)
        };
        Some((0..want.size()).map(scale).collect())
    }
}

/// Converts an argument to the oracle's type.
fn argument(of: &Argument, operands: &[Operand<'_>]) -> Result<table::Argument> {
    Ok(match of {
        Argument::None => table::Argument::None,
        Argument::Scalar(s) => table::Argument::Scalar(value(*s)),
        Argument::DType(dtype) => table::Argument::DType(*dtype),
        Argument::Text(text) => table::Argument::Text(text.clone()),
        Argument::Integers(all) => table::Argument::Integers(all.iter().map(|i| *i as isize).collect()),
        Argument::Operand(index) => match &operands[*index] {
            Operand::Array(a) => table::Argument::Array((*a).clone()),
            Operand::Scalar(v) => table::Argument::Scalar(*v),
        },
        // The memory layout does not matter here.
        Argument::Made(tensor) | Argument::Backwards(tensor) => {
            table::Argument::Array(NdArray::from_packed(tensor.dtype, &tensor.shape, tensor.bytes.clone())?)
        }
        Argument::Full(number, dtype) => table::Argument::Array(NdArray::from_values(*dtype, &[], [value(*number)])?),
        Argument::List(all) => table::Argument::List(all.iter().map(|a| argument(a, operands)).collect::<Result<_>>()?),
    })
}

/// Returns the function of a call, and its arguments.
fn bound_call(call: &Call, operands: &[Operand<'_>], by: Gathering) -> Result<(Function, Arguments)> {
    let found = table::find(&call.path).ok_or_else(|| format!("the oracle has no {}", call.path))?;
    let one = |(name, of): &(String, Argument)| Ok((name.clone(), argument(of, operands)?));
    Ok((found, Arguments::new(call.arguments.iter().map(one).collect::<Result<_>>()?, by)))
}

fn invoked(call: &Call, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let (function, arguments) = bound_call(call, operands, Gathering::DEVICE)?;
    let mut results = function.call(&arguments)?;
    if let Some(dtype) = call.into {
        let out = oracle::zeros(results[0].shape(), dtype, Order::C)?;
        let more = [operands, &[Operand::Array(&out)]].concat();
        let again = Call { into: None, ..call.clone() }.with("out", Argument::Operand(operands.len()));
        results = invoked(&again, &more)?;
    }
    Ok(results)
}

/// Calls a function by name. A function that changes its first operand returns it.
///
/// # Errors
/// The oracle's error, or what is invalid in the call.
pub fn invoke(call: &Call, operands: &[Operand<'_>]) -> std::result::Result<Vec<NdArray>, (Kind, String)> {
    invoked(call, operands).map_err(|Rejection(kind, message)| (kind, message))
}

/// Bounds the error of each element of all results in sequence, where the operands determine it.
///
/// # Errors
/// As [`invoke`].
pub fn invoked_bounds(
    call: &Call,
    operands: &[Operand<'_>],
    by: Gathering,
) -> std::result::Result<Option<Vec<f64>>, (Kind, String)> {
    let bounds = || -> Result<_> {
        let (function, arguments) = bound_call(call, operands, by)?;
        Ok(function.bounds(&arguments)?)
    };
    bounds().map_err(|Rejection(kind, message)| (kind, message))
}

/// Computes the residuals of the results of a call: see [`Side::remainders`].
pub(crate) fn judged_remainders(
    call: &Call,
    operands: &[Operand<'_>],
    got: &Outcome,
) -> Option<std::result::Result<Vec<(String, f64)>, String>> {
    let (function, arguments) = bound_call(call, operands, Gathering::DEVICE).ok()?;
    if !function.is_judged() {
        return None;
    }
    let results: Vec<&Tensor> = match got {
        Outcome::Array(one) => vec![one],
        Outcome::Several(all) => all.iter().collect(),
        _ => return Some(Ok(vec![])),
    };
    let host = |t: &&Tensor| NdArray::from_packed(t.dtype, &t.shape, t.bytes.clone());
    let all = match results.iter().map(host).collect::<std::result::Result<Vec<_>, _>>() {
        Ok(results) => function.residuals(&arguments, &results),
        Err(e) => return Some(Err(e.to_string())),
    };
    Some(match all {
        Ok(all) => Ok(all.unwrap_or_default().iter().map(|r| (r.what.into(), r.size / oracle::LIMIT)).collect()),
        // Both sides raise, or the difference is reported elsewhere.
        Err(Fault::Rejection(_)) => Ok(vec![]),
        Err(Fault::Misuse(message)) => Err(message),
    })
}

/// Returns the operand to which a result is written, whose whole buffer is compared.
fn seen_whole<'a>(op: &Op, case: &Case, inputs: &'a [Input]) -> Option<&'a Placed> {
    let parts = parts(op, case, inputs);
    match parts.out {
        _ if !matches!(op.kind, OpKind::Method | OpKind::Reduction) => None,
        Target::Shifted(placed) | Target::Given(placed) => Some(placed),
        Target::Own(index) => match inputs.get(index) {
            Some(Input::Array(placed)) => Some(placed),
            _ => None,
        },
        Target::New => None,
    }
}

fn bounds(op: &Op, case: &Case, inputs: &[Input], by: Gathering) -> Option<Vec<f64>> {
    let arrays = arrays(inputs);
    let operands: Vec<_> = (0..inputs.len()).map(|k| operand(&arrays, inputs, k)).collect::<Option<_>>()?;
    let call = Call::of(op, case, &logical(inputs)).ok()?;
    let bounds = invoked_bounds(&call, &operands, by).ok()??;
    let Some(placed) = seen_whole(op, case, inputs) else { return Some(bounds) };
    let result = invoked(&call, &operands).ok()?.remove(0);
    let mut whole = vec![0.0; placed.base.size()];
    for (offset, bound) in byte_offsets(&result).zip(bounds) {
        whole[offset / placed.base.dtype.size()] = bound;
    }
    Some(whole)
}

/// Bounds the error of the results of an elementwise function, where the operands determine it.
pub(crate) fn elementwise_bounds(name: &str, inputs: &[Input]) -> Option<Vec<f64>> {
    match name {
        "power" | "float_power" => complex_power(name, inputs),
        _ if name.starts_with("logaddexp") => log_add(name, inputs),
        _ => None,
    }
}

/// Returns the byte offset in the buffer of each element, in C order.
pub(crate) fn byte_offsets(a: &NdArray) -> impl Iterator<Item = usize> + use<> {
    let (shape, strides) = (a.shape().to_vec(), a.strides().to_vec());
    let (mut index, mut next) = (vec![0; shape.len()], a.offset() as isize);
    (0..a.size()).map(move |_| {
        let offset = next as usize;
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            next += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            next -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
        }
        offset
    })
}

fn freedom(flag: &Flag) -> Freedom {
    match flag {
        Flag::Exact => Freedom::Exact,
        Flag::OurSign => Freedom::OurZero,
        Flag::AnySign => Freedom::AnyZero,
        Flag::Ours => Freedom::Ours,
        Flag::Any => Freedom::Any,
    }
}

/// Returns the whole buffer of `out`, so that writes outside of it are detected.
fn buffer(result: &NdArray, placed: &Placed) -> Tensor {
    let (dtype, shape) = (placed.base.dtype, &placed.base.shape);
    let mut whole = Tensor::packed(dtype, shape, result.buffer().to_vec());
    if !result.is_exact() {
        whole.freedom = vec![Freedom::Exact; whole.size()];
        for (offset, flag) in byte_offsets(result).zip(result.flags()) {
            whole.freedom[offset / dtype.size()] = freedom(&flag);
        }
    }
    whole
}

impl Reference {
    /// Computes [`Side::bounds`] for NumPy's own summation: in float16 step by step.
    pub(crate) fn numpy_bounds(op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
        match op.kind {
            OpKind::Reduction | OpKind::Method | OpKind::Routine => bounds(op, case, inputs, Gathering::NUMPY),
            _ => Reference.bounds(op, case, inputs),
        }
    }

    /// Returns both parts of the elements of every input, each broadcast to the shape of a result.
    pub(crate) fn operand_values(inputs: &[Input], want: &Tensor) -> Option<Vec<Vec<(f64, f64)>>> {
        let column = |input: &Input| {
            let values = match input {
                Input::Scalar(scalar) => vec![value(*scalar); want.size()],
                Input::Array(_) => array(input).ok()?.broadcast_to(&want.shape).ok()?.values(),
            };
            Some(values.into_iter().map(|v| (v.complex().re, v.complex().im)).collect())
        };
        inputs.iter().map(column).collect()
    }
}

/// Returns the arrays among the inputs.
fn arrays(inputs: &[Input]) -> Vec<Option<NdArray>> {
    inputs.iter().map(|input| array(input).ok()).collect()
}

fn operand<'a>(arrays: &'a [Option<NdArray>], inputs: &[Input], k: usize) -> Option<Operand<'a>> {
    match (arrays.get(k)?, inputs.get(k)?) {
        (Some(array), _) => Some(Operand::Array(array)),
        (_, Input::Scalar(scalar)) => Some(Operand::Scalar(value(*scalar))),
        _ => None,
    }
}

fn ufunc(name: &str, operands: &[Operand<'_>]) -> Option<NdArray> {
    oracle::ufunc(name, operands, &UfuncOptions::default()).ok()
}

/// Bounds log(e^a + e^b), which is the larger operand plus a correction: the sum is rounded once, and the correction,
/// an exponential of the operands' distance and a logarithm, a few times. Where they cancel, the result may have no
/// accurate digit.
fn log_add(name: &str, inputs: &[Input]) -> Option<Vec<f64>> {
    /// Roundings of the correction: at most 2 of the exponential, 1 of the logarithm, 1 of the product that changes its
    /// base.
    const STEPS: f64 = 4.0;
    let arrays = arrays(inputs);
    let (a, b) = (operand(&arrays, inputs, 0)?, operand(&arrays, inputs, 1)?);
    let sum = ufunc(name, &[a.clone(), b.clone()])?;
    let (large, small) = (ufunc("maximum", &[a.clone(), b.clone()])?, ufunc("minimum", &[a, b])?);
    let step = if sum.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let bound = |((r, large), small): ((&Value, &Value), &Value)| {
        let distance = large.float() - small.float();
        let addend = if distance.is_finite() { (-distance).exp2() } else { 0.0 };
        // The rounding of the distance counts in proportion to the distance.
        ulp::unit(sum.dtype(), r.float().clamp(-ulp::max(sum.dtype()), ulp::max(sum.dtype())))
            + addend * step * (STEPS + distance.min(2000.0))
    };
    let rows = sum.values().into_iter().zip(large.values()).zip(small.values());
    Some(rows.map(|((r, l), s)| bound(((&r, &l), &s))).collect())
}

/// Bounds a complex power w = exp(b log a), computed in complex128: the rounding of the exponent b log a changes angle
/// and modulus of w in proportion to the exponent. Other powers have units in the last place.
fn complex_power(name: &str, inputs: &[Input]) -> Option<Vec<f64>> {
    /// Roundings of the result, and of the exponent per unit of its size.
    const STEPS: (f64, f64) = (4.0, 8.0);
    /// The magnitude from which a float64 exponent leaves the angle undetermined.
    const LOST: f64 = (1u64 << 52) as f64;
    let arrays = arrays(inputs);
    let (a, b) = (operand(&arrays, inputs, 0)?, operand(&arrays, inputs, 1)?);
    let power = ufunc(name, &[a.clone(), b.clone()]).filter(|w| w.dtype().is_complex())?;
    let one = NdArray::from_values(DType::C128, &[], [Value::Int(1)]).ok()?;
    let wide = ufunc("multiply", &[a, Operand::Array(&one)])?;
    let log = ufunc("log", &[Operand::Array(&wide)])?;
    let exponent = ufunc("multiply", &[Operand::Array(&log), b])?;
    let modulus = |z: &Value| z.complex().norm();
    let bound = |(w, e): (&Value, &Value)| {
        let (w, e) = (modulus(w).min(ulp::max(power.dtype())), modulus(e));
        // The logarithm of 0 is infinite, but its power is exact.
        let rotated = if w == 0.0 { 0.0 } else { w * (STEPS.1 * f64::EPSILON * (1.0 + e)) };
        if w > 0.0 && e > LOST { f64::INFINITY } else { STEPS.0 * ulp::unit(power.dtype(), w) + rotated }
    };
    Some(power.values().iter().zip(&exponent.values()).map(bound).collect())
}

/// Returns the array of an input, in the same memory layout.
pub(crate) fn array(input: &Input) -> Result<NdArray> {
    let Input::Array(placed) = input else { return Err(Rejection(Kind::Broken, "an array was expected".into())) };
    let strides: Vec<isize> = placed.logical.strides.iter().map(|s| *s as isize).collect();
    let bytes = placed.base.bytes.clone();
    Ok(NdArray::from_bytes(placed.base.dtype, &placed.logical.shape, &strides, placed.offset, bytes)?)
}

pub(crate) fn value(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Float(x) => Value::Float(x),
        Scalar::Imaginary(y) => Value::Complex(Complex64::new(0.0, y)),
    }
}

pub(crate) fn tensor(array: &NdArray) -> Tensor {
    Tensor {
        dtype: array.dtype(),
        shape: array.shape().to_vec(),
        strides: array.strides().iter().map(|s| *s as i64).collect(),
        bytes: array.to_c_bytes(),
        freedom: if array.is_exact() { vec![] } else { array.flags().iter().map(freedom).collect() },
    }
}

/// Returns a required parameter.
fn needed<T>(parameter: Option<T>, name: &str) -> Result<T> {
    parameter.ok_or_else(|| Rejection(Kind::Broken, format!("the parameter {name} is missing")))
}

/// Parses the parts of an index expression.
fn key(case: &Case, name: &str, a: &NdArray) -> Result<Vec<Key>> {
    Ok(made_for(keys(needed(case.params.get(name), name)?)?, a.shape()))
}

/// Applies an index expression.
fn picked(a: &NdArray, keys: &[Key]) -> Result<NdArray> {
    match parts_of(keys)? {
        Some(parts) => Ok(oracle::pick(a, &parts)?),
        None => Ok(a.index(&index_of(keys))?),
    }
}

/// Converts an index expression with arrays to the oracle's type; `None` if it has none.
fn parts_of(keys: &[Key]) -> Result<Option<Vec<Part>>> {
    if !keys.iter().any(|key| matches!(key, Key::Truth(_) | Key::List(_) | Key::Array(_))) {
        return Ok(None);
    }
    let part = |key: &Key| {
        Ok(match key {
            Key::Truth(truth) => Part::Truth(*truth),
            Key::List(list) => {
                let values = list.iter().map(|i| Value::Int((*i).into()));
                Part::Array(NdArray::from_values(DType::I64, &[list.len()], values)?)
            }
            Key::Array(made) => Part::Array(NdArray::from_packed(made.dtype, &made.shape, made.bytes.clone())?),
            basic => Part::Basic(index_of(std::slice::from_ref(basic))[0]),
        })
    };
    keys.iter().map(part).collect::<Result<_>>().map(Some)
}

/// Converts an index expression without arrays to the oracle's type.
pub(crate) fn index_of(keys: &[Key]) -> Vec<Index> {
    let part = |key: &Key| match *key {
        Key::At(i) => Index::At(i as isize),
        Key::Slice(a, b, c) => Index::Slice(a.map(|i| i as isize), b.map(|i| i as isize), Some(c as isize)),
        Key::NewAxis => Index::NewAxis,
        Key::Ellipsis => Index::Ellipsis,
        Key::Truth(_) | Key::List(_) | Key::Made(_) | Key::Array(_) => unreachable!("the index has no arrays"),
    };
    keys.iter().map(part).collect()
}

fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    if op.kind == OpKind::Creation {
        return Ok(outcome(&invoked(&Call::creation(op, case)?, &[])?));
    }
    if op.kind == OpKind::Sparse {
        return sparse::reference::call(op, case, inputs);
    }
    if op.kind == OpKind::Spatial {
        return Ok(spatial::expected());
    }
    let mut arrays = vec![];
    for input in inputs {
        arrays.push(match input {
            Input::Array(_) => Ok(array(input)?),
            Input::Scalar(scalar) => Err(value(*scalar)),
        });
    }
    let operands: Vec<Operand<'_>> =
        arrays.iter().map(|a| a.as_ref().map_or_else(|v| Operand::Scalar(*v), Operand::Array)).collect();
    let Some(Ok(a)) = arrays.first() else { return Err(Rejection(Kind::Broken, "an array was expected".into())) };
    let results = match op.kind {
        OpKind::Operator => {
            let name = op.name.strip_prefix("operator_").unwrap_or(&op.name);
            oracle::ufunc_all(name, &operands, &UfuncOptions::default())?
        }
        OpKind::Getitem => vec![picked(a, &key(case, "key", a)?)?],
        OpKind::Setitem => {
            let (mut target, keys) = (a.clone(), key(case, "key", a)?);
            let own = match case.params.get("from") {
                Some(_) => Some(picked(a, &key(case, "from", a)?)?),
                None => None,
            };
            let own = own.as_ref().map(Operand::Array);
            let value = own.as_ref().unwrap_or(&operands[1]);
            match parts_of(&keys)? {
                Some(parts) => target = oracle::put_at(a, &parts, value)?,
                None => target.assign(&index_of(&keys), value)?,
            }
            vec![target]
        }
        OpKind::Text => return text(op, case, a),
        _ => invoked(&Call::of(op, case, &logical(inputs))?, &operands)?,
    };
    if let Some(placed) = seen_whole(op, case, inputs) {
        return Ok(Outcome::Array(buffer(&results[0], placed)));
    }
    Ok(outcome(&results))
}

fn outcome(results: &[NdArray]) -> Outcome {
    match results {
        [one] => Outcome::Array(tensor(one)),
        several => Outcome::Several(several.iter().map(tensor).collect()),
    }
}

/// Reads a print option, if the case has it.
fn option<T: std::str::FromStr>(case: &Case, name: &str, option: &mut T) -> Result<()> {
    if let Some(value) = case.params.parsed(name).map_err(|e| Rejection(Kind::Broken, e))? {
        *option = value;
    }
    Ok(())
}

fn text(op: &Op, case: &Case, a: &NdArray) -> Result<Outcome> {
    match op.name.as_str() {
        "str" => Ok(Outcome::Text(oracle::array_str(a))),
        "repr" => Ok(Outcome::Text(oracle::array_repr(a))),
        "array2string" => {
            let mut options = oracle::TextOptions::default();
            option(case, "precision", &mut options.precision)?;
            option(case, "threshold", &mut options.threshold)?;
            option(case, "edgeitems", &mut options.edgeitems)?;
            option(case, "max_line_width", &mut options.max_line_width)?;
            option(case, "sign", &mut options.sign)?;
            option(case, "floatmode", &mut options.floatmode)?;
            options.suppress_small = case.params.get("suppress_small") == Some("True");
            Ok(Outcome::Text(oracle::array2string(a, &options)))
        }
        other => Err(Rejection(Kind::Broken, format!("the oracle has no {other}"))),
    }
}
