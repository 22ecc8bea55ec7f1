//! The device under test: calls the library by the names of `matrix.yaml`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use cuprum::cuda::{Device, Stream};
use cuprum::table::{self, Arguments, Output, Value};
use cuprum::{Array, Array2stringOptions, DType, ErrorKind, FuseOptions, Index, Operand, Order, Slice, fuse_with, s};
use half::{bf16, f16};
use num_complex::{Complex, Complex64};

use crate::call::{Argument, Call, logical};
use crate::case::{Case, Scalar, Setting};
use crate::extra::{Target, parts};
use crate::generalised;
use crate::matrix::{Op, OpKind};
use crate::operand::{Input, Placed, Step};
use crate::outcome::{Kind, Outcome, Tensor};
use crate::report::About;
use crate::side::Side;
use crate::sparse;
use crate::spatial;
use crate::text::{Key, keys, made_for};

/// A device, and the library on it.
#[derive(Clone, Debug)]
pub struct Subject {
    device: Device,
    /// True if each case is executed in a fusing scope as well.
    fuses: bool,
}

/// An error: of the library, or of parameters that do not parse.
pub(crate) struct Rejection(Kind, String);

impl Rejection {
    /// Returns the error as an outcome.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::Rejected(self.0, self.1.clone())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Rejection>;

impl From<cuprum::Error> for Rejection {
    fn from(error: cuprum::Error) -> Rejection {
        Rejection(kind(&error), error.to_string())
    }
}

/// Returns the kind of an error.
pub(crate) fn kind(error: &cuprum::Error) -> Kind {
    match error.kind() {
        ErrorKind::Value => Kind::Value,
        ErrorKind::Type => Kind::Type,
        ErrorKind::Index => Kind::Index,
        ErrorKind::Axis => Kind::Axis,
        ErrorKind::Overflow => Kind::Overflow,
        ErrorKind::ZeroDivision => Kind::ZeroDivision,
        ErrorKind::LinAlg => Kind::LinAlg,
        _ => Kind::Broken,
    }
}

impl From<String> for Rejection {
    fn from(message: String) -> Rejection {
        Rejection(Kind::Broken, message)
    }
}

impl Subject {
    /// Opens a device: `cuda:0`, `sim`; without a name, the library's default.
    ///
    /// # Errors
    /// The library's message, if there is no such device, or no compiler for its kernels.
    pub fn open(id: Option<&str>) -> std::result::Result<Subject, String> {
        let device = id.map_or_else(Device::current, Device::open).map_err(|e| e.to_string())?;
        Device::nvrtc_version().map_err(|e| e.to_string())?;
        Ok(Subject { device, fuses: false })
    }

    /// Returns true if tests run only the gate's part: on the simulator, unless the full sample is requested.
    pub fn runs_gate_only(&self) -> bool {
        self.about().device == "sim" && !crate::sample::is_full()
    }

    /// Sets whether each case is executed in a fusing scope as well.
    pub fn fusing(self, fuses: bool) -> Subject {
        Subject { fuses, ..self }
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the description of the device for a report.
    pub fn about(&self) -> About {
        let (info, cache) = (self.device.info(), self.device.cache_stats());
        About {
            device: info.id.clone(),
            name: info.name.clone(),
            driver: info.driver.clone(),
            nvrtc: Device::nvrtc_version().unwrap_or_else(|_| "none".into()),
            compiled: cache.compiles,
            cached: cache.disk_hits,
            compile_seconds: cache.compile_us as f64 / 1e6,
            ..About::default()
        }
    }
}

impl Side for Subject {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        let once = |masks: Masks| {
            let outcome = self.device.with(|| call(op, case, inputs, masks));
            if outcome.is_err() {
                // Errors that kernels raised in addition belong to this case, not to the next.
                while self.device.synchronize().is_err_and(|e| e.kind() == ErrorKind::Index) {}
            }
            outcome.unwrap_or_else(|Rejection(kind, message)| Outcome::Rejected(kind, message))
        };
        let outcome = once(Masks::Given);
        let fused = |masks| fuse_with(FuseOptions { wait: true }, || once(masks));
        let waits = || case.params.get("where").is_none() || once(Masks::Computed) == fused(Masks::Computed);
        if !self.fuses || outcome == fused(Masks::Given) && waits() {
            return outcome;
        }
        Outcome::Rejected(Kind::Broken, "the call gives something else in a fusing scope".into())
    }
}

/// The mask of a call.
#[derive(Clone, Copy, PartialEq)]
enum Masks {
    /// In memory, in the layout of the case.
    Given,
    /// Computed from that, so that it is pending in a fusing scope.
    Computed,
}

/// Uploads elements, packed in C order.
///
/// # Errors
/// The device's error.
pub fn upload(base: &Tensor) -> cuprum::Result<Array> {
    macro_rules! of {
        ($type:ty, $read:expr) => {{
            let elements: Vec<$type> = base.bytes.chunks_exact(base.dtype.size()).map($read).collect();
            Array::from_slice(&elements, base.shape.as_slice())?
        }};
        ($type:ty) => {
            of!($type, |b| <$type>::from_le_bytes(b.try_into().expect("chunks have the size of an element")))
        };
    }
    let (f, d) = (
        |b: &[u8]| f32::from_le_bytes(b.try_into().expect("half of a complex64")),
        |b: &[u8]| f64::from_le_bytes(b.try_into().expect("half of a complex128")),
    );
    Ok(match base.dtype {
        DType::Bool => of!(bool, |b| b[0] != 0),
        DType::I8 => of!(i8),
        DType::U8 => of!(u8),
        DType::I16 => of!(i16),
        DType::U16 => of!(u16),
        DType::I32 => of!(i32),
        DType::U32 => of!(u32),
        DType::I64 => of!(i64),
        DType::U64 => of!(u64),
        DType::F16 => of!(f16),
        DType::BF16 => of!(bf16),
        DType::F32 => of!(f32),
        DType::F64 => of!(f64),
        DType::C64 => of!(Complex<f32>, |b| Complex::new(f(&b[..4]), f(&b[4..]))),
        DType::C128 => of!(Complex<f64>, |b| Complex::new(d(&b[..8]), d(&b[8..]))),
    })
}

/// Converts an argument to the library's type.
pub(crate) fn value(argument: &Argument, operands: &[Operand<'_>]) -> cuprum::Result<Value> {
    Ok(match argument {
        Argument::None => Value::None,
        Argument::Scalar(s) => Value::Scalar(scalar(*s)),
        Argument::DType(dtype) => Value::DType(*dtype),
        Argument::Text(text) => Value::Text(text.clone()),
        Argument::Integers(all) => Value::Integers(all.iter().map(|i| *i as isize).collect()),
        Argument::Operand(index) => match operands[*index] {
            Operand::Array(a) => Value::Array(a.clone()),
            Operand::Scalar(s) => Value::Scalar(s),
        },
        Argument::Made(tensor) => Value::Array(upload(tensor)?),
        Argument::Backwards(tensor) => {
            let bytes = tensor.bytes.chunks_exact(tensor.dtype.size()).rev().flatten().copied().collect();
            let backwards = upload(&Tensor::packed(tensor.dtype, &tensor.shape, bytes))?;
            Value::Array(backwards.index(s![..;-1])?)
        }
        Argument::Full(number, dtype) => Value::Array(cuprum::full((), scalar(*number), *dtype)?),
        Argument::List(all) => Value::List(all.iter().map(|a| value(a, operands)).collect::<cuprum::Result<_>>()?),
    })
}

/// Calls a function by name. A function that changes its first operand returns it.
///
/// # Errors
/// The library's error.
pub fn invoke(call: &Call, operands: &[Operand<'_>]) -> cuprum::Result<Vec<Array>> {
    let record = table::find(&call.path)?;
    let mut arguments = Arguments::default();
    for (name, argument) in &call.arguments {
        arguments = arguments.with(name, value(argument, operands)?);
    }
    let outputs = record.call(&arguments)?;
    // An empty list of arrays is a result.
    let gives_nothing = outputs.is_empty();
    let mut results = arrays(outputs)?;
    if let Some(dtype) = call.into {
        let out = cuprum::empty(results[0].shape(), dtype)?;
        results = arrays(record.call(&arguments.with("out", &out))?)?;
    }
    match (gives_nothing, operands.first()) {
        (true, Some(Operand::Array(changed))) => Ok(vec![changed.copy(Order::K)?]),
        _ => Ok(results),
    }
}

/// Calls a function with the execution setting of a case.
fn within(setting: Setting, op: &Op, call: &Call, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let invoke = || generalised::called(&op.name, call, operands).unwrap_or_else(|| invoke(call, operands));
    match setting {
        Setting::Stream => Ok(Stream::new(Device::current()?)?.with(invoke)?),
        Setting::Threads => {
            let device = Device::current()?;
            let [one, other] = thread::scope(|scope| {
                let both = [(); 2].map(|()| scope.spawn(|| device.with(invoke)));
                both.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            });
            let (one, other) = (one?, other?);
            let bytes = |all: &[Array]| all.iter().map(Array::to_bytes).collect::<cuprum::Result<Vec<_>>>();
            if op.deterministic && bytes(&one)? != bytes(&other)? {
                return Err(Rejection(Kind::Broken, "two threads were given different results".into()));
            }
            Ok(one)
        }
        _ => Ok(invoke()?),
    }
}

/// Returns all results in sequence; a boolean becomes a 0-d array.
pub(crate) fn arrays(outputs: Vec<Output>) -> cuprum::Result<Vec<Array>> {
    let mut all = vec![];
    for output in outputs {
        match output {
            Output::Array(a) => all.push(a),
            Output::List(several) => all.extend(several),
            Output::Bool(truth) => all.push(Array::from_slice(&[truth], ())?),
            Output::Integer(number) => all.push(Array::from_slice(&[number], ())?),
            Output::Float(number) => all.push(Array::from_slice(&[number], ())?),
            other => return Err(cuprum::Error::new(ErrorKind::Type, format!("{other:?} is no array"))),
        }
    }
    Ok(all)
}

fn isizes(axes: &[usize]) -> Vec<isize> {
    axes.iter().map(|a| *a as isize).collect()
}

/// Returns the operand as a view of its buffer.
pub(crate) fn view(base: Array, placed: &Placed) -> Result<Array> {
    let mut array = base;
    for step in &placed.steps {
        array = match step {
            Step::Transpose(axes) => array.transpose(isizes(axes))?,
            Step::Slice(slices) => {
                let part = |(start, stop, step): &(Option<i64>, Option<i64>, i64)| {
                    Index::Slice(Slice { start: *start, stop: *stop, step: Some(*step) })
                };
                array.index(slices.iter().map(part).collect::<Vec<_>>())?
            }
            Step::Broadcast(shape) => array.broadcast_to(shape)?,
            Step::Reshape(shape) => array.reshape(shape.as_slice())?,
        };
    }
    let logical = &placed.logical;
    // The stride of an axis of length 1 addresses nothing, and in an empty array none does.
    let strides_differ = logical.size() > 0
        && array.strides().iter().zip(&logical.strides).zip(&logical.shape).any(|((a, b), n)| *n > 1 && a != b);
    if array.shape() != logical.shape || strides_differ {
        let (shape, strides) = (array.shape(), array.strides());
        return Err(format!("views gave an operand of shape {shape:?} and strides {strides:?}").into());
    }
    Ok(array)
}

pub(crate) fn scalar(scalar: Scalar) -> cuprum::Scalar {
    match scalar {
        Scalar::Bool(b) => b.into(),
        Scalar::Int(i) => cuprum::Scalar::Int(i),
        Scalar::Float(x) => x.into(),
        Scalar::Imaginary(y) => Complex64::new(0.0, y).into(),
    }
}

pub(crate) fn tensor(array: &Array) -> Result<Tensor> {
    let tensor = Tensor::packed(array.dtype(), array.shape(), array.to_bytes()?);
    Ok(Tensor { strides: array.strides().to_vec(), ..tensor })
}

/// Fetches the elements of an array on the device; the error is a message.
pub(crate) fn fetched(array: &Array) -> std::result::Result<Tensor, String> {
    tensor(array).map_err(|Rejection(_, message)| message)
}

/// Fills memory of the size of the result with a pattern and frees it, so that an element that a kernel does not write
/// is detected.
fn poison(bytes: usize) -> Result<()> {
    if bytes > 0 {
        cuprum::full(bytes, 0xA5, DType::U8)?;
    }
    Ok(())
}

/// Returns a required parameter.
fn needed<T>(parameter: Option<T>, name: &str) -> Result<T> {
    parameter.ok_or_else(|| Rejection(Kind::Broken, format!("the parameter {name} is missing")))
}

/// Parses the parts of an index expression.
fn key(case: &Case, name: &str, a: &Array) -> Result<Vec<Index>> {
    Ok(index_of(&made_for(keys(needed(case.params.get(name), name)?)?, a.shape()))?)
}

/// Converts an index expression to the library's type.
///
/// # Errors
/// The device's error, for an array that is uploaded.
pub(crate) fn index_of(keys: &[Key]) -> cuprum::Result<Vec<Index>> {
    let part = |key: &Key| {
        Ok(match key {
            Key::At(i) => Index::At(*i),
            Key::Slice(start, stop, step) => Index::Slice(Slice { start: *start, stop: *stop, step: Some(*step) }),
            Key::NewAxis => Index::NewAxis,
            Key::Ellipsis => Index::Ellipsis,
            Key::Truth(truth) => Index::Truth(*truth),
            Key::List(list) => Index::List(list.clone()),
            // Some have a negative stride.
            Key::Array(made) if made.shape.len() == 1 && made.size() % 2 == 1 => {
                let bytes = made.bytes.chunks_exact(made.dtype.size()).rev().flatten().copied().collect();
                Index::Array(upload(&Tensor::packed(made.dtype, &made.shape, bytes))?.index(s![..;-1])?)
            }
            Key::Array(made) => Index::Array(upload(made)?),
            Key::Made(_) => return Err(cuprum::Error::new(ErrorKind::NotImplemented, "the array is not made yet")),
        })
    };
    keys.iter().map(part).collect()
}

fn call(op: &Op, case: &Case, inputs: &[Input], masks: Masks) -> Result<Outcome> {
    if op.kind == OpKind::Creation {
        return created(op, case);
    }
    if op.kind == OpKind::Sparse {
        return sparse::subject::call(op, case, inputs);
    }
    if op.kind == OpKind::Spatial {
        return spatial::check(op, inputs);
    }
    let Some(Input::Array(first)) = inputs.first() else {
        return Err(Rejection(Kind::Broken, "an array was expected".into()));
    };
    // The destination is in the first operand's buffer, or in one of its own, which is compared as a whole.
    let base = upload(&first.base)?;
    let parts = parts(op, case, inputs);
    let setting = Setting::named(&case.params);
    // The whole buffer of each input.
    let mut buffers = vec![];
    let mut arrays = vec![];
    for (index, input) in inputs.iter().enumerate() {
        let placed = match input {
            Input::Array(placed) => placed,
            Input::Scalar(s) => {
                arrays.push(Err(scalar(*s)));
                buffers.push(None);
                continue;
            }
        };
        let shifted = matches!(parts.out, Target::Shifted(out) if std::ptr::eq(&**placed, out));
        let of_first = index == 0 || shifted || index == 1 && setting.is_one_buffer();
        let own = if of_first { base.clone() } else { upload(&placed.base)? };
        buffers.push(Some(own.clone()));
        let array = view(own, placed)?;
        let computed = masks == Masks::Computed && parts.mask.is_some_and(|mask| std::ptr::eq(&**placed, mask));
        arrays.push(Ok(if computed { array.logical_not()?.logical_not()? } else { array }));
    }
    let operands: Vec<Operand<'_>> =
        arrays.iter().map(|a| a.as_ref().map_or_else(|s| Operand::Scalar(*s), Operand::Array)).collect();
    let Some(Ok(a)) = arrays.first() else { return Err(Rejection(Kind::Broken, "an array was expected".into())) };
    poison(a.nbytes())?;
    let result = match op.kind {
        OpKind::Operator => operator(op, a, &arrays[1])?,
        OpKind::Getitem => a.index(key(case, "key", a)?)?,
        OpKind::Setitem => {
            let index = key(case, "key", a)?;
            match &arrays[1] {
                _ if case.params.get("from").is_some() => a.set(index, &a.index(key(case, "from", a)?)?)?,
                Ok(value) => a.set(index, value)?,
                Err(value) => a.set(index, *value)?,
            }
            a.clone()
        }
        OpKind::Text if op.name == "str" => return Ok(Outcome::Text(a.to_string())),
        OpKind::Text if op.name == "repr" => return Ok(Outcome::Text(format!("{a:?}"))),
        OpKind::Text => return Ok(Outcome::Text(cuprum::array2string(a, printed(case)?)?)),
        _ => {
            let call = Call::of(op, case, &logical(inputs))?;
            let results = within(setting, op, &call, &operands)?;
            if let Some((index, Operand::Array(out))) = call.out().map(|index| (index, operands[index])) {
                let same =
                    |r: &Array| r.shape() == out.shape() && r.strides() == out.strides() && r.dtype() == out.dtype();
                if !results.iter().all(same) {
                    return Err(Rejection(Kind::Broken, "what is returned is not out".into()));
                }
                if matches!(op.kind, OpKind::Method | OpKind::Reduction) {
                    return tensor(buffers[index].as_ref().unwrap_or(&base)).map(Outcome::Array);
                }
            }
            return match &results[..] {
                [one] => tensor(one).map(Outcome::Array),
                several => several.iter().map(tensor).collect::<Result<_>>().map(Outcome::Several),
            };
        }
    };
    tensor(&result).map(Outcome::Array)
}

/// Applies an operator, which panics with the message of the error; the function of the same name returns its kind.
fn operator(op: &Op, a: &Array, b: &std::result::Result<Array, cuprum::Scalar>) -> Result<Array> {
    let name = op.name.trim_start_matches("operator_");
    let second = b.as_ref().map_or_else(|s| cuprum::Operand::Scalar(*s), cuprum::Operand::Array);
    let by_name = cuprum::ufunc(name)?.call((a, second), ());
    let by_operator = catch_unwind(AssertUnwindSafe(|| match (name, b) {
        ("add", Ok(b)) => a + b,
        ("subtract", Ok(b)) => a - b,
        ("multiply", Ok(b)) => a * b,
        ("divide", Ok(b)) => a / b,
        ("left_shift", Ok(b)) => a << b,
        ("right_shift", Ok(b)) => a >> b,
        ("add", Err(cuprum::Scalar::Float(s))) => a + *s,
        ("subtract", Err(cuprum::Scalar::Int(s))) => a - *s as i64,
        ("multiply", Err(cuprum::Scalar::Int(s))) => a * *s as i64,
        ("divide", Err(cuprum::Scalar::Int(s))) => a / *s as i64,
        ("left_shift", Err(cuprum::Scalar::Int(s))) => a << *s as i64,
        ("right_shift", Err(cuprum::Scalar::Int(s))) => a >> *s as i64,
        _ => panic!("{name} is no operator of this scalar"),
    }));
    match (by_operator, by_name) {
        (Ok(array), _) => Ok(array),
        (Err(_), Err(error)) => Err(error.into()),
        (Err(panic), Ok(_)) => resume_unwind(panic),
    }
}

/// Creates a new array with the operand's dtype, shape and order.
fn created(op: &Op, case: &Case) -> Result<Outcome> {
    let call = Call::creation(op, case)?;
    if let Some(crate::case::Operand::Array { dtype, shape, .. }) = case.operands.first() {
        poison(shape.size() * dtype.size())?;
    }
    let new = invoke(&call, &[])?;
    if op.name == "empty" {
        // The simulator rejects reads of uninitialised memory.
        new[0].fill(0)?;
    }
    let mut all = new.iter().map(tensor).collect::<Result<Vec<_>>>()?;
    Ok(if all.len() == 1 { Outcome::Array(all.remove(0)) } else { Outcome::Several(all) })
}

/// Reads the print options of a case.
fn printed(case: &Case) -> Result<Array2stringOptions> {
    let mut options = Array2stringOptions::new();
    for (name, value) in case.params.pairs() {
        let number = || value.parse::<usize>().map_err(|_| Rejection(Kind::Broken, format!("{value} is no number")));
        options = match name.as_str() {
            "precision" => options.precision(number()?),
            "threshold" => options.threshold(number()?),
            "edgeitems" => options.edgeitems(number()?),
            "max_line_width" => options.max_line_width(number()?),
            "suppress_small" => options.suppress_small(value == "True"),
            "sign" => options.sign(value.parse::<cuprum::Sign>()?),
            "floatmode" => options.floatmode(value.parse::<cuprum::FloatMode>()?),
            other => return Err(Rejection(Kind::Broken, format!("array2string has no {other}"))),
        };
    }
    Ok(options)
}
