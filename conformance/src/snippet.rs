//! A failing case as a Rust test to paste.

use std::fmt::Write;

use cuprum_kernels::DType;

use crate::case::{Case, Operand, Scalar};
use crate::matrix::{Op, OpKind};
use crate::operand::{Input, Placed, Step};
use crate::outcome::{Number, Outcome, Tensor};
use crate::text::{Key, keys};

/// Operands of more elements than this are not written out: the command of the case makes them.
const WRITTEN: usize = 64;

/// The test, where the operands are small enough to be written out.
pub fn test(op: &Op, case: &Case, inputs: &[Input], want: &Outcome) -> Option<String> {
    let mut out = format!("#[test]\nfn reproduces() -> cuprum::Result<()> {{\n    // {}\n", case.id());
    let mut names = vec![];
    for (input, name) in inputs.iter().zip(["a", "b", "c"]) {
        if let Input::Array(placed) = input {
            if placed.base.size() > WRITTEN {
                return None;
            }
            let _ = writeln!(out, "    let {name} = {};", operand(placed));
        }
        names.push(match input {
            Input::Array(_) => format!("(&{name}).into()"),
            Input::Scalar(s) => format!("{}.into()", scalar(*s)),
        });
    }
    let names_of_results = if has_two_results(op) { "(got, second)" } else { "got" };
    let _ = writeln!(out, "    let {names_of_results} = {};", call(op, case, &names)?);
    match want {
        Outcome::Array(tensor) if tensor.size() <= WRITTEN => out.push_str(&assertions("got", tensor)),
        Outcome::Several(tensors) if tensors.iter().all(|t| t.size() <= WRITTEN) => {
            for (name, tensor) in ["got", "second"].into_iter().zip(tensors) {
                out.push_str(&assertions(name, tensor));
            }
        }
        Outcome::Refused(kind, message) => {
            let _ = writeln!(out, "    // The oracle refuses this with {kind}: {message}");
            let _ = writeln!(out, "    panic!(\"{{:?}} {{:?}}\", got.dtype(), got.shape());");
        }
        _ => {}
    }
    out.push_str("    Ok(())\n}");
    Some(out)
}

fn has_two_results(op: &Op) -> bool {
    op.kind == OpKind::Ufunc && cuprum::ufunc(&op.name).is_ok_and(|u| u.nout() == 2)
}

/// What the oracle says of the array `name`.
fn assertions(name: &str, tensor: &Tensor) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "    assert_eq!({name}.dtype(), cuprum::DType::{:?});", tensor.dtype);
    let _ = writeln!(out, "    assert_eq!({name}.shape(), {:?});", tensor.shape);
    let _ = writeln!(out, "    assert_eq!({name}.strides(), {:?});", tensor.strides);
    let _ = writeln!(out, "    // The oracle, rounded correctly: {}", elements(tensor));
    let _ = writeln!(out, "    println!(\"{{:?}}\", {name}.to_vec::<{}>()?);", rust_type(tensor.dtype));
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

fn scalar(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(i) => format!("{i}i64"),
        Scalar::Float(x) => float(x, "f64"),
        Scalar::Imaginary(y) => format!("num_complex::Complex::new(0.0, {y:?})"),
    }
}

fn slice(start: Option<i64>, stop: Option<i64>, step: i64) -> String {
    format!("cuprum::Index::Slice(cuprum::Slice {{ start: {start:?}, stop: {stop:?}, step: Some({step}) }})")
}

fn operand(placed: &Placed) -> String {
    let (dtype, shape) = (rust_type(placed.base.dtype), &placed.base.shape);
    let shape = if shape.is_empty() { "()".into() } else { format!("{shape:?}") };
    let mut text = format!("cuprum::Array::from_slice::<{dtype}>(&{}, {shape})?", elements(&placed.base));
    for step in &placed.steps {
        let _ = match step {
            Step::Transpose(axes) => write!(text, ".transpose(&{axes:?})?"),
            Step::Slice(slices) => {
                let parts: Vec<String> = slices.iter().map(|(a, b, c)| slice(*a, *b, *c)).collect();
                write!(text, ".index(&[{}])?", parts.join(", "))
            }
            Step::Broadcast(shape) => write!(text, ".broadcast_to(&{shape:?})?"),
            Step::Reshape(shape) if shape.is_empty() => write!(text, ".reshape(())?"),
            Step::Reshape(shape) => write!(text, ".reshape({shape:?})?"),
        };
    }
    text
}

fn index(case: &Case) -> Option<String> {
    let part = |key: &Key| match key {
        Key::At(i) => format!("cuprum::Index::At({i})"),
        Key::Slice(a, b, c) => slice(*a, *b, *c),
        Key::NewAxis => "cuprum::Index::NewAxis".into(),
        Key::Ellipsis => "cuprum::Index::Ellipsis".into(),
    };
    let parts: Vec<String> = keys(case.params.get("key")?).ok()?.iter().map(part).collect();
    Some(format!("&[{}]", parts.join(", ")))
}

fn call(op: &Op, case: &Case, names: &[String]) -> Option<String> {
    let list = |name: &str| case.params.integers(name).ok().flatten();
    Some(match op.kind {
        OpKind::Ufunc => {
            let call = if has_two_results(op) { "call_pair" } else { "call" };
            let operands = names.join(", ");
            format!("cuprum::ufunc({:?})?.{call}(&[{operands}], &cuprum::UfuncOptions::default())?", op.name)
        }
        OpKind::Reduction => {
            let mut how =
                list("axis").map_or("cuprum::Reduce::all()".into(), |a| format!("cuprum::Reduce::axes(&{a:?})"));
            if case.params.get("keepdims") == Some("1") {
                how += ".keepdims(true)";
            }
            if let Some(dtype) = case.params.parsed::<DType>("dtype").ok().flatten() {
                let _ = write!(how, ".dtype(cuprum::DType::{dtype:?})");
            }
            format!("cuprum::reduction({:?})?.call(&a, &{how})?", op.name)
        }
        OpKind::Matmul => "cuprum::matmul(&a, &b)?".into(),
        OpKind::Getitem => format!("a.index({})?", index(case)?),
        OpKind::Setitem => {
            let set = if matches!(case.operands.get(1), Some(Operand::Array { .. })) {
                "assign(&b)".to_string()
            } else {
                format!("fill({})", names.get(1)?.trim_end_matches(".into()"))
            };
            format!("{{\n        a.index({})?.{set}?;\n        a\n    }}", index(case)?)
        }
        OpKind::Cast => format!("a.astype(cuprum::DType::{:?})?", case.params.parsed::<DType>("to").ok()??),
        // The rest is shorter to call by hand than to write down for every form of its parameters.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::operand::inputs;
    use crate::outcome::Kind;

    fn snippet(id: &str) -> Option<String> {
        let matrix = Matrix::built_in().unwrap();
        let case = Case::parse(id, &matrix).unwrap();
        let inputs = inputs(&case, 1).unwrap();
        test(matrix.op(&case.op).unwrap(), &case, &inputs, &Outcome::Refused(Kind::Value, "no".into()))
    }

    #[test]
    fn operands_views_and_the_call_are_written_out() {
        let text = snippet("math/add/f16-py(2.5)/(2,2)/strided/special").unwrap();
        for part in ["from_slice::<half::f16>(&[half::f16::from_f64(", ", [4, 6])?.index(&[", "2.5.into()]", "\"add\""]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let text = snippet("reduction/sum/c64/(2,2)/F/small/axis=-1;keepdims=1").unwrap();
        assert!(text.contains("Reduce::axes(&[-1]).keepdims(true)"), "{text}");
        assert!(text.contains(".transpose(&[1, 0])?"), "{text}");
    }

    #[test]
    fn large_operands_are_left_to_the_command() {
        assert_eq!(snippet("math/negative/f32/(33,65)/C/small"), None);
    }
}
