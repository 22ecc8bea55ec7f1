//! The oracle: calls it by the names that `matrix.yaml` uses.

mod method;
mod reduction;
mod routine;

use cuprum_kernels::DType;
use cuprum_oracle::{
    self as oracle, ErrorKind, Flag, Gathering, Index, NdArray, OracleError, Order, ReduceOptions, UfuncOptions, Value,
};
use num_complex::Complex64;

use crate::case::{Case, Layout, Operand, Scalar};
use crate::matrix::{Op, OpKind};
use crate::operand::Input;
use crate::outcome::{Freedom, Kind, Outcome, Tensor};
use crate::run::Side;
use crate::text::{Key, keys};
use crate::ulp;

/// The oracle.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

type Result<T> = std::result::Result<T, Refusal>;

/// A refusal: by the oracle, or of parameters that do not parse.
struct Refusal(Kind, String);

impl From<OracleError> for Refusal {
    fn from(error: OracleError) -> Refusal {
        let kind = match error.kind {
            ErrorKind::Value => Kind::Value,
            ErrorKind::Type => Kind::Type,
            ErrorKind::Index => Kind::Index,
            ErrorKind::Axis => Kind::Axis,
            ErrorKind::Overflow => Kind::Overflow,
            ErrorKind::ZeroDivision => Kind::ZeroDivision,
            ErrorKind::LinAlg => Kind::LinAlg,
        };
        Refusal(kind, error.message)
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal(Kind::Broken, message)
    }
}

impl Side for Reference {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        call(op, case, inputs).unwrap_or_else(|Refusal(kind, message)| Outcome::Refused(kind, message))
    }

    fn bounds(&self, op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
        let given = |k: usize| array(inputs.get(k)?).ok();
        match op.kind {
            OpKind::Reduction => reduction::bounds(op, case, inputs, Gathering::DEVICE),
            OpKind::Method => method::bounds(op, case, inputs, Gathering::DEVICE),
            OpKind::Routine => routine_bounds(op, case, inputs, Gathering::DEVICE),
            OpKind::Matmul => oracle::matmul_bound(&given(0)?, &given(1)?).ok(),
            _ if op.name == "power" || op.name == "float_power" => complex_power(&op.name, inputs),
            _ if op.name.starts_with("logaddexp") => log_add(&op.name, inputs),
            _ => None,
        }
    }

    fn gives_scalar(&self, op: &Op, case: &Case, outcome: &Outcome) -> bool {
        let without_axes = outcome.first().is_some_and(|t| t.shape.is_empty());
        without_axes
            && match op.kind {
                // Functions of NumPy's that are no universal functions give arrays.
                OpKind::Ufunc => !matches!(op.name.as_str(), "where" | "i0"),
                OpKind::Operator | OpKind::Matmul => true,
                OpKind::Method | OpKind::Reduction => case.params.get("out").is_none(),
                OpKind::Getitem => !case.params.get("key").is_some_and(|key| key.contains("...")),
                _ => false,
            }
    }

    fn scales(&self, op: &Op, inputs: &[Input], want: &Tensor) -> Option<Vec<f64>> {
        let columns = Self::operand_values(inputs, want)?;
        let limit = ulp::max(want.dtype);
        let scale = |i: usize| {
            let (re, im) = want.get(i).parts();
            let size = re.hypot(im);
            let row = columns.iter().map(|column| column[i]);
            let terms = if want.dtype.is_complex() {
                let row: Vec<Complex64> = row.map(|(re, im)| Complex64::new(re, im)).collect();
                oracle::complex_special_scale(&op.name, &row, size)
            } else {
                let row: Vec<f64> = row.map(|(re, _)| re).collect();
                oracle::special_scale(&op.name, &row, size)
            };
            terms.max(size).min(limit)
        };
        Some((0..want.size()).map(scale).collect())
    }
}

/// Calls a function of arrays and parameters, of which the case has the parameters alone.
///
/// # Errors
/// What kind of refusal it is, and its words.
pub fn routine(
    op: &Op,
    case: &Case,
    operands: &[oracle::Operand<'_>],
) -> std::result::Result<Vec<NdArray>, (Kind, String)> {
    routine::call(op, case, operands).map_err(|Refusal(kind, message)| (kind, message))
}

impl Reference {
    /// As [`Side::bounds`], but for the way in which NumPy itself adds up: in float16 step by step.
    pub(crate) fn numpy_bounds(op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
        match op.kind {
            OpKind::Reduction => reduction::bounds(op, case, inputs, Gathering::NUMPY),
            OpKind::Method => method::bounds(op, case, inputs, Gathering::NUMPY),
            OpKind::Routine => routine_bounds(op, case, inputs, Gathering::NUMPY),
            _ => Reference.bounds(op, case, inputs),
        }
    }

    /// Both parts of the elements of every input, each stretched to the shape of a result.
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

fn routine_bounds(op: &Op, case: &Case, inputs: &[Input], by: Gathering) -> Option<Vec<f64>> {
    let arrays = arrays(inputs);
    let operands: Option<Vec<_>> = (0..inputs.len()).map(|k| operand(&arrays, inputs, k)).collect();
    routine::bounds(op, case, &operands?, by)
}

/// The arrays among the inputs.
fn arrays(inputs: &[Input]) -> Vec<Option<NdArray>> {
    inputs.iter().map(|input| array(input).ok()).collect()
}

fn operand<'a>(arrays: &'a [Option<NdArray>], inputs: &[Input], k: usize) -> Option<oracle::Operand<'a>> {
    match (arrays.get(k)?, inputs.get(k)?) {
        (Some(array), _) => Some(oracle::Operand::Array(array)),
        (_, Input::Scalar(scalar)) => Some(oracle::Operand::Scalar(value(*scalar))),
        _ => None,
    }
}

fn ufunc(name: &str, operands: &[oracle::Operand<'_>]) -> Option<NdArray> {
    oracle::ufunc(name, operands, &UfuncOptions::default()).ok()
}

/// The bounds of log(e^a + e^b), which is the larger operand and what the smaller one adds to it: the sum is rounded once,
/// and the addend, an exponential of the operands' distance and a logarithm, a few times. Where they cancel, the result
/// may have no digit of its own.
fn log_add(name: &str, inputs: &[Input]) -> Option<Vec<f64>> {
    /// Roundings of the addend: at most 2 of the exponential, 1 of the logarithm, 1 of the product that changes its base.
    const STEPS: f64 = 4.0;
    let arrays = arrays(inputs);
    let (a, b) = (operand(&arrays, inputs, 0)?, operand(&arrays, inputs, 1)?);
    let sum = ufunc(name, &[a.clone(), b.clone()])?;
    let (large, small) = (ufunc("maximum", &[a.clone(), b.clone()])?, ufunc("minimum", &[a, b])?);
    let step = if sum.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let bound = |((r, large), small): ((&Value, &Value), &Value)| {
        let distance = large.float() - small.float();
        let addend = if distance.is_finite() { (-distance).exp2() } else { 0.0 };
        // The rounding of the distance counts as often as the distance is large.
        ulp::unit(sum.dtype(), r.float().clamp(-ulp::max(sum.dtype()), ulp::max(sum.dtype())))
            + addend * step * (STEPS + distance.min(2000.0))
    };
    let rows = sum.values().into_iter().zip(large.values()).zip(small.values());
    Some(rows.map(|((r, l), s)| bound(((&r, &l), &s))).collect())
}

/// The bounds of a complex power w = exp(b log a), computed in complex128: the rounding of the exponent b log a turns
/// and scales w by as much as the exponent is large. Other powers have units in the last place.
fn complex_power(name: &str, inputs: &[Input]) -> Option<Vec<f64>> {
    /// Roundings of the result, and of the exponent per unit of its size.
    const STEPS: (f64, f64) = (4.0, 8.0);
    /// From here on an exponent in float64 says nothing of the angle.
    const LOST: f64 = (1u64 << 52) as f64;
    let arrays = arrays(inputs);
    let (a, b) = (operand(&arrays, inputs, 0)?, operand(&arrays, inputs, 1)?);
    let power = ufunc(name, &[a.clone(), b.clone()]).filter(|w| w.dtype().is_complex())?;
    let one = NdArray::from_values(DType::C128, &[], [Value::Int(1)]).ok()?;
    let wide = ufunc("multiply", &[a, oracle::Operand::Array(&one)])?;
    let log = ufunc("log", &[oracle::Operand::Array(&wide)])?;
    let exponent = ufunc("multiply", &[oracle::Operand::Array(&log), b])?;
    let modulus = |z: &Value| z.complex().norm();
    let bound = |(w, e): (&Value, &Value)| {
        let (w, e) = (modulus(w).min(ulp::max(power.dtype())), modulus(e));
        // Of 0 the logarithm is infinite, and the power none the less exact.
        let turned = if w == 0.0 { 0.0 } else { w * (STEPS.1 * f64::EPSILON * (1.0 + e)) };
        if w > 0.0 && e > LOST { f64::INFINITY } else { STEPS.0 * ulp::unit(power.dtype(), w) + turned }
    };
    Some(power.values().iter().zip(&exponent.values()).map(bound).collect())
}

/// The array of an input, in the same memory layout.
fn array(input: &Input) -> Result<NdArray> {
    let Input::Array(placed) = input else { return Err(Refusal(Kind::Broken, "an array was expected".into())) };
    let strides: Vec<isize> = placed.logical.strides.iter().map(|s| *s as isize).collect();
    let bytes = placed.base.bytes.clone();
    Ok(NdArray::from_bytes(placed.base.dtype, &placed.logical.shape, &strides, placed.offset, bytes)?)
}

fn value(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Float(x) => Value::Float(x),
        Scalar::Imaginary(y) => Value::Complex(Complex64::new(0.0, y)),
    }
}

fn tensor(array: &NdArray) -> Tensor {
    let freedom = |flag: &Flag| match flag {
        Flag::Exact => Freedom::Exact,
        Flag::AnySign => Freedom::AnyZero,
        Flag::Any => Freedom::Any,
    };
    Tensor {
        dtype: array.dtype(),
        shape: array.shape().to_vec(),
        strides: array.strides().iter().map(|s| *s as i64).collect(),
        bytes: array.to_c_bytes(),
        freedom: if array.is_exact() { vec![] } else { array.flags().iter().map(freedom).collect() },
    }
}

fn order(case: &Case) -> Option<Order> {
    Some(match case.params.get("order")? {
        "C" => Order::C,
        "F" => Order::F,
        "A" => Order::A,
        _ => Order::K,
    })
}

fn isizes(case: &Case, name: &str) -> Result<Option<Vec<isize>>> {
    Ok(case.params.integers(name)?.map(|v| v.into_iter().map(|i| i as isize).collect()))
}

/// A parameter that must be there.
fn needed<T>(parameter: Option<T>, name: &str) -> Result<T> {
    parameter.ok_or_else(|| Refusal(Kind::Broken, format!("the parameter {name} is missing")))
}

fn reduce_options(case: &Case) -> Result<ReduceOptions> {
    let keepdims = case.params.get("keepdims") == Some("1");
    Ok(ReduceOptions { axis: isizes(case, "axis")?, keepdims, dtype: case.params.parsed("dtype")? })
}

fn index(case: &Case) -> Result<Vec<Index>> {
    key(case, "key")
}

/// The parts of an index expression.
fn key(case: &Case, name: &str) -> Result<Vec<Index>> {
    let part = |key: Key| match key {
        Key::At(i) => Index::At(i as isize),
        Key::Slice(a, b, c) => Index::Slice(a.map(|i| i as isize), b.map(|i| i as isize), Some(c as isize)),
        Key::NewAxis => Index::NewAxis,
        Key::Ellipsis => Index::Ellipsis,
    };
    Ok(keys(needed(case.params.get(name), name)?)?.into_iter().map(part).collect())
}

fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    if op.kind == OpKind::Creation {
        let mut tensor = tensor(&created(op, case)?);
        if op.name == "empty" {
            // What lies in new memory is anyone's.
            tensor.freedom = vec![Freedom::Any; tensor.size()];
        }
        return Ok(Outcome::Array(tensor));
    }
    if op.kind == OpKind::Method {
        return method::call(op, case, inputs);
    }
    if op.kind == OpKind::Reduction {
        return reduction::call(op, case, inputs);
    }
    let mut arrays = vec![];
    for input in inputs {
        arrays.push(match input {
            Input::Array(_) => Ok(array(input)?),
            Input::Scalar(scalar) => Err(value(*scalar)),
        });
    }
    let operands: Vec<oracle::Operand<'_>> = arrays
        .iter()
        .map(|a| a.as_ref().map_or_else(|v| oracle::Operand::Scalar(*v), oracle::Operand::Array))
        .collect();
    let Some(Ok(a)) = arrays.first() else { return Err(Refusal(Kind::Broken, "an array was expected".into())) };
    let result = match op.kind {
        OpKind::Ufunc | OpKind::Operator => {
            let name = op.name.strip_prefix("operator_").unwrap_or(&op.name);
            let mut results = oracle::ufunc_all(name, &operands, &UfuncOptions::default())?;
            if results.len() > 1 {
                return Ok(Outcome::Several(results.iter().map(tensor).collect()));
            }
            results.remove(0)
        }
        OpKind::Matmul => match arrays.get(1) {
            Some(Ok(b)) => oracle::matmul(a, b)?,
            _ => return Err(Refusal(Kind::Value, "a scalar has no matrix product".into())),
        },
        OpKind::Getitem => a.index(&index(case)?)?,
        OpKind::Setitem => {
            let mut target = a.clone();
            let own = match case.params.get("from") {
                Some(_) => Some(a.index(&key(case, "from")?)?),
                None => None,
            };
            let own = own.as_ref().map(oracle::Operand::Array);
            target.assign(&index(case)?, own.as_ref().unwrap_or(&operands[1]))?;
            target
        }
        OpKind::Cast => a.astype(needed(case.params.parsed("to")?, "to")?, order(case).unwrap_or(Order::K)),
        OpKind::Manipulation => moved(op, case, a)?,
        OpKind::Text => return text(op, a),
        OpKind::Routine => {
            let results = routine::call(op, case, &operands)?;
            return Ok(match &results[..] {
                [one] => Outcome::Array(tensor(one)),
                several => Outcome::Several(several.iter().map(tensor).collect()),
            });
        }
        OpKind::Creation | OpKind::Method | OpKind::Reduction => unreachable!("they are done above"),
    };
    Ok(Outcome::Array(tensor(&result)))
}

fn created(op: &Op, case: &Case) -> Result<NdArray> {
    let Some(Operand::Array { dtype, shape, layout }) = case.operands.first() else {
        return Err(Refusal(Kind::Broken, "creation takes dtype, shape and order".into()));
    };
    let order = if *layout == Layout::F { Order::F } else { Order::C };
    let scalar = |name: &str| -> Result<Value> { Ok(value(needed(case.params.parsed(name)?, name)?)) };
    Ok(match op.name.as_str() {
        "zeros" => oracle::zeros(&shape.0, *dtype, order)?,
        "ones" => oracle::ones(&shape.0, *dtype, order)?,
        "empty" => oracle::zeros(&shape.0, *dtype, order)?,
        "full" => oracle::full(&shape.0, scalar("value")?, Some(*dtype), order)?,
        "arange" => oracle::arange(scalar("start")?, scalar("stop")?, scalar("step")?, Some(*dtype))?,
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    })
}

fn moved(op: &Op, case: &Case, a: &NdArray) -> Result<NdArray> {
    let list = |name: &str| -> Result<Vec<isize>> { needed(isizes(case, name)?, name) };
    let one = |name: &str| -> Result<isize> { needed(list(name)?.first().copied(), name) };
    Ok(match op.name.as_str() {
        "reshape" => a.reshape(&list("to")?, order(case).unwrap_or(Order::C))?,
        "transpose" => a.transpose(isizes(case, "axes")?.as_deref())?,
        "swapaxes" => a.swapaxes(one("a")?, one("b")?)?,
        "moveaxis" => a.moveaxis(&list("a")?, &list("b")?)?,
        "expand_dims" => a.expand_dims(&list("axis")?)?,
        "squeeze" => a.squeeze(isizes(case, "axis")?.as_deref())?,
        "broadcast_to" => {
            let shape: Vec<usize> = list("to")?.into_iter().map(|n| n as usize).collect();
            a.broadcast_to(&shape)?
        }
        "copy" => a.copy(order(case).unwrap_or(Order::C)),
        "ascontiguousarray" => a.ascontiguousarray(),
        "asfortranarray" => a.asfortranarray(),
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    })
}

fn text(op: &Op, a: &NdArray) -> Result<Outcome> {
    match op.name.as_str() {
        "str" => Ok(Outcome::Text(oracle::array_str(a))),
        "repr" => Ok(Outcome::Text(oracle::array_repr(a))),
        other => Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    }
}
