//! Simplification of parameters and scalars.

use cuprum_kernels::DType;

use super::State;
use super::values::rank;
use crate::case::{Case, Operand, Scalar};
use crate::text::split_outside;

/// Returns cases without a parameter, or with a simpler one.
pub(super) fn simpler(state: &State) -> Vec<State> {
    let params = &state.case.params;
    let with = |at: usize, text: Option<String>| State {
        case: Case { params: params.with(at, text), ..state.case.clone() },
        rows: state.rows.clone(),
    };
    let mut out: Vec<State> = (0..params.pairs().len()).map(|at| with(at, None)).collect();
    for (at, (_, text)) in params.pairs().iter().enumerate() {
        out.extend(texts(text).into_iter().map(|text| with(at, Some(text))));
    }
    for (i, operand) in state.case.operands.iter().enumerate() {
        let Operand::Scalar(text) = operand else { continue };
        for simpler in scalars(text) {
            let mut state = state.clone();
            state.case.operands[i] = Operand::Scalar(simpler);
            out.push(state);
        }
    }
    out
}

/// Returns simpler texts of a parameter: a list with one part less, a simpler dtype, an integer nearer to 0.
fn texts(text: &str) -> Vec<String> {
    for (open, close) in [('(', ')'), ('[', ']')] {
        let Some(inner) = text.strip_prefix(open).and_then(|t| t.strip_suffix(close)) else { continue };
        let parts: Vec<&str> = split_outside(inner, ',').into_iter().filter(|p| !p.is_empty()).collect();
        let join = |parts: Vec<&str>| match (open, &parts[..]) {
            ('(', [one]) => format!("({one},)"),
            _ => format!("{open}{}{close}", parts.join(",")),
        };
        let less = |i: usize| {
            let mut parts = parts.clone();
            parts.remove(i);
            join(parts)
        };
        let mut out: Vec<String> = (0..parts.len()).map(less).collect();
        for (i, part) in parts.iter().enumerate() {
            for simpler in texts(part) {
                let mut parts = parts.clone();
                parts[i] = &simpler;
                out.push(join(parts));
            }
        }
        return out;
    }
    if let Ok(dtype) = text.parse::<DType>() {
        let simple = [DType::I32, DType::F32, DType::F64];
        return simple.iter().filter(|d| rank(**d) < rank(dtype)).map(|d| d.device_name().into()).collect();
    }
    let Ok(n) = text.parse::<i64>() else { return vec![] };
    let nearer = [0, 1, n / 2, n - n.signum()];
    nearer.iter().filter(|m| m.unsigned_abs() < n.unsigned_abs()).map(i64::to_string).collect()
}

/// Returns simpler scalars of the same kind.
fn scalars(text: &str) -> Vec<String> {
    let simple: &[&str] = match text.parse() {
        Ok(Scalar::Int(_)) => &["0", "1"],
        Ok(Scalar::Float(_)) => &["1.0", "0.5"],
        Ok(Scalar::Imaginary(_)) => &["1j"],
        _ => &[],
    };
    let end = simple.iter().position(|s| *s == text).unwrap_or(simple.len());
    simple[..end].iter().map(|s| s.to_string()).collect()
}
