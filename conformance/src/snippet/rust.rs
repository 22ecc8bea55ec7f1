//! The Rust test.

use std::fmt::Write;

use cuprum_kernels::DType;

use super::{Subject, call};
use crate::case::Scalar;
use crate::operand::{Input, Placed, Step};
use crate::outcome::{Kind, Number, Outcome, Tensor};

/// Formats the test of a case: by the call itself, or otherwise by the harness.
pub(super) fn test(subject: &Subject<'_>) -> String {
    let body = call::call(subject).and_then(|(before, call)| Some((before, called(subject, &call)?)));
    let id = subject.case.id();
    match body {
        Some((before, after)) => {
            format!("#[test]\nfn reproduces() -> cuprum::Result<()> {{\n    // {id}\n{before}{after}    Ok(())\n}}")
        }
        None => format!(
            "#[test]\nfn reproduces() {{\n    let result = cuprum_conformance::run::again({id:?}, {});\n    \
             assert_eq!(result.failure, None);\n}}",
            subject.seed
        ),
    }
}

/// Formats the call, and the assertions of its result.
fn called(subject: &Subject<'_>, call: &str) -> Option<String> {
    let mut out = String::new();
    match subject.want {
        Outcome::Rejected(Kind::Broken, _) => return None,
        Outcome::Rejected(kind, message) if call.contains('?') => {
            let _ = writeln!(out, "    let result = (|| -> cuprum::Result<_> {{ Ok({call}) }})();");
            let _ = writeln!(out, "    // The oracle: {}", message.replace('\n', " "));
            let _ = writeln!(out, "    assert_eq!(result.unwrap_err().kind(), cuprum::ErrorKind::{kind:?});");
        }
        Outcome::Rejected(kind, message) => {
            let _ = writeln!(out, "    // The oracle rejects this with {kind}: {}", message.replace('\n', " "));
            let _ = writeln!(
                out,
                "    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {call})).is_err());"
            );
        }
        Outcome::Text(text) => {
            let _ = writeln!(out, "    let got = {call};\n    assert_eq!(got, {text:?});");
        }
        Outcome::Array(tensor) => {
            let _ = writeln!(out, "    let got = {call};");
            out.push_str(&assertions("got", tensor, &subject.errors(tensor, 0)));
        }
        Outcome::Several(tensors) => {
            let names: Vec<String> = (0..tensors.len()).map(|i| format!("result_{i}")).collect();
            let _ = writeln!(out, "    let ({}) = {call};", names.join(", "));
            let mut first = 0;
            for (name, tensor) in names.iter().zip(tensors) {
                out.push_str(&assertions(name, tensor, &subject.errors(tensor, first)));
                first += tensor.size();
            }
        }
    }
    Some(out)
}

/// Formats the assertions for the array `name`.
fn assertions(name: &str, tensor: &Tensor, errors: &[f64]) -> String {
    let mut out = String::new();
    let (dtype, of) = (tensor.dtype, rust_type(tensor.dtype));
    let _ = writeln!(out, "    assert_eq!({name}.dtype(), cuprum::DType::{dtype:?});");
    let shape = if tensor.shape.is_empty() { "[0usize; 0]".into() } else { format!("{:?}", tensor.shape) };
    let _ = writeln!(out, "    assert_eq!({name}.shape(), {shape});");
    // The stride of an axis of length 1 addresses nothing, and in an empty array none does.
    if !tensor.shape.is_empty() && tensor.shape.iter().all(|n| *n > 1) {
        let _ = writeln!(out, "    assert_eq!({name}.strides(), {:?});", tensor.strides);
    }
    if tensor.size() == 0 {
        return out;
    }
    if !(dtype.is_float() || dtype.is_complex()) {
        let _ = writeln!(out, "    assert_eq!({name}.to_vec::<{of}>()?, {});", elements(tensor));
        return out;
    }
    let parts = |x: Number| match x {
        Number::Complex(re, im) => vec![float(re, "f64"), float(im, "f64")],
        x => vec![float(x.parts().0, "f64")],
    };
    let want: Vec<String> = (0..tensor.size()).flat_map(|i| parts(tensor.get(i))).collect();
    let allowed: Vec<String> = errors.iter().map(|e| float(*e, "f64")).collect();
    let flat = match dtype {
        DType::F64 => "",
        DType::C128 => ".flat_map(|z| [z.re, z.im])",
        DType::C64 => ".flat_map(|z| [f64::from(z.re), f64::from(z.im)])",
        _ => ".map(f64::from)",
    };
    let _ = writeln!(out, "    let want = [{}];", want.join(", "));
    let _ = writeln!(out, "    let allowed = [{}];", allowed.join(", "));
    let _ = writeln!(out, "    for (i, x) in {name}.to_vec::<{of}>()?.into_iter(){flat}.enumerate() {{");
    let _ = writeln!(out, "        let (y, e): (f64, f64) = (want[i], allowed[i]);");
    let _ = writeln!(out, "        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());");
    let _ = writeln!(
        out,
        "        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), \"part {{i}} is {{x:?}}, not {{y:?}}\");"
    );
    let _ = writeln!(out, "    }}");
    out
}

fn rust_type(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "half::f16",
        DType::BF16 => "half::bf16",
        DType::C64 => "num_complex::Complex<f32>",
        DType::C128 => "num_complex::Complex<f64>",
        other => other.device_name(),
    }
}

fn float(x: f64, of: &str) -> String {
    match x {
        x if x.is_nan() && x.is_sign_negative() => format!("-{of}::NAN"),
        x if x.is_nan() => format!("{of}::NAN"),
        x if x.is_infinite() && x > 0.0 => format!("{of}::INFINITY"),
        x if x.is_infinite() => format!("{of}::NEG_INFINITY"),
        x => format!("{x:?}"),
    }
}

fn literal(dtype: DType, x: Number) -> String {
    match x {
        Number::Int(i) if dtype == DType::Bool => (i != 0).to_string(),
        Number::Int(i) => i.to_string(),
        Number::Float(x) if matches!(dtype, DType::F16 | DType::BF16) => {
            format!("{}::from_f64({})", rust_type(dtype), float(x, "f64"))
        }
        Number::Float(x) => float(x, dtype.device_name()),
        Number::Complex(re, im) => {
            let of = dtype.real().device_name();
            format!("num_complex::Complex::new({}, {})", float(re, of), float(im, of))
        }
    }
}

fn elements(tensor: &Tensor) -> String {
    let all: Vec<String> = (0..tensor.size()).map(|i| literal(tensor.dtype, tensor.get(i))).collect();
    format!("[{}]", all.join(", "))
}

/// Formats a weak scalar.
pub(super) fn scalar(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(i) => format!("{i}i64"),
        Scalar::Float(x) => float(x, "f64"),
        Scalar::Imaginary(y) => format!("num_complex::Complex::new(0.0, {y:?})"),
    }
}

/// Formats a slice of an index expression.
pub(super) fn slice(start: Option<i64>, stop: Option<i64>, step: i64) -> String {
    format!("cuprum::Index::Slice(cuprum::Slice {{ start: {start:?}, stop: {stop:?}, step: Some({step}) }})")
}

/// Formats the shape of a new array.
pub(super) fn shape(shape: &[usize]) -> String {
    if shape.is_empty() { "()".into() } else { format!("{shape:?}") }
}

/// Formats the buffer of an operand.
pub(super) fn buffer(placed: &Placed) -> String {
    array(&placed.base)
}

/// Formats an array in C order.
pub(super) fn array(base: &Tensor) -> String {
    let (of, elements) = (rust_type(base.dtype), elements(base));
    format!("cuprum::Array::from_slice::<{of}>(&{elements}, {})?", shape(&base.shape))
}

/// Formats the views from a buffer to its operand, to be appended to the buffer's name.
pub(super) fn views(placed: &Placed) -> String {
    let mut text = String::new();
    for step in &placed.steps {
        let _ = match step {
            Step::Transpose(axes) => write!(text, ".transpose(&{axes:?})?"),
            Step::Slice(slices) => {
                let parts: Vec<String> = slices.iter().map(|(a, b, c)| slice(*a, *b, *c)).collect();
                write!(text, ".index(&[{}])?", parts.join(", "))
            }
            Step::Broadcast(to) => write!(text, ".broadcast_to({})?", shape(to)),
            Step::Reshape(to) => write!(text, ".reshape({})?", shape(to)),
        };
    }
    text
}

/// Formats the line that creates an operand.
pub(super) fn operand(name: &str, input: &Input) -> String {
    match input {
        Input::Array(placed) => format!("    let {name} = {}{};\n", buffer(placed), views(placed)),
        Input::Scalar(_) => String::new(),
    }
}
