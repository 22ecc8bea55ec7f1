//! Scans, differences, slopes and areas.

use cuprum_oracle::{
    DiffOptions, Gathering, GradientOptions, NdArray, Operand, OracleError, ScanOptions, TrapezoidOptions, Value,
    accumulate_bounds, diff, ediff1d, gradient, scan, scan_bound, trapezoid, trapezoid_bound,
};
use cuprum_tests::golden::{dtype, integers};
use serde_json::Value as Json;

use super::{number, optional};

type Called = Result<Result<Vec<NdArray>, OracleError>, String>;

/// The operand whose number a parameter is.
fn given<'a>(operands: &[Operand<'a>], p: &Json, key: &str) -> Option<Operand<'a>> {
    p[key].as_u64().map(|k| operands[k as usize].clone())
}

fn array<'a>(operand: Option<Operand<'a>>) -> Result<Option<&'a NdArray>, String> {
    match operand {
        Some(Operand::Array(a)) => Ok(Some(a)),
        Some(Operand::Scalar(_)) => Err("an array was expected".into()),
        None => Ok(None),
    }
}

fn scan_options(operands: &[Operand<'_>], p: &Json) -> Result<ScanOptions, String> {
    Ok(ScanOptions {
        axis: optional(&p["axis"], number)?,
        dtype: optional(&p["dtype"], dtype)?,
        out: array(given(operands, p, "out"))?.cloned(),
        include_initial: p["include_initial"] == true,
    })
}

fn trapezoid_options<'a>(operands: &[Operand<'a>], p: &Json) -> Result<TrapezoidOptions<'a>, String> {
    let dx = match given(operands, p, "dx") {
        Some(Operand::Scalar(v)) => v,
        _ => Value::Float(1.0),
    };
    let axis = optional(&p["axis"], number)?.unwrap_or(-1);
    Ok(TrapezoidOptions { x: array(given(operands, p, "x"))?, dx, axis })
}

/// Calls the oracle; `None` for a function of others.
pub(crate) fn call(kind: &str, name: &str, operands: &[Operand<'_>], p: &Json) -> Option<Called> {
    let go = || -> Called {
        let a = array(operands.first().cloned())?.ok_or("the first operand is no array")?;
        let axis = || optional(&p["axis"], number).map(|axis| axis.unwrap_or(-1));
        Ok(match kind {
            "scan" => scan(name, a, &scan_options(operands, p)?).map(|one| vec![one]),
            "diff" => {
                let n = match optional(&p["n"], number)?.unwrap_or(1) {
                    // An order below 0 cannot be said in Rust.
                    n if n < 0 => return Ok(Err(negative_order())),
                    n => n as usize,
                };
                let (prepend, append) = (given(operands, p, "prepend"), given(operands, p, "append"));
                diff(a, &DiffOptions { n, axis: axis()?, prepend, append }).map(|one| vec![one])
            }
            "ediff1d" => {
                let (before, after) = (given(operands, p, "to_begin"), given(operands, p, "to_end"));
                ediff1d(a, before.as_ref(), after.as_ref()).map(|one| vec![one])
            }
            "trapezoid" => trapezoid(a, &trapezoid_options(operands, p)?).map(|one| vec![one]),
            _ => gradient(a, &gradient_options(operands, p)?),
        })
    };
    matches!(kind, "scan" | "diff" | "ediff1d" | "trapezoid" | "gradient").then(go)
}

fn negative_order() -> OracleError {
    OracleError { kind: cuprum_oracle::ErrorKind::Value, message: "an order below 0".into() }
}

fn gradient_options<'a>(operands: &[Operand<'a>], p: &Json) -> Result<GradientOptions<'a>, String> {
    let spacing = optional(&p["spacing"], integers)?.unwrap_or_default();
    Ok(GradientOptions {
        spacing: spacing.iter().map(|k| operands[*k as usize].clone()).collect(),
        axes: optional(&p["axis"], integers)?,
        edge_order: optional(&p["edge_order"], number)?.unwrap_or(1) as usize,
    })
}

/// How far NumPy (or else the device) may lie from the oracle, in each element of a result.
pub(crate) fn tolerances(
    kind: &str,
    name: &str,
    operands: &[Operand<'_>],
    p: &Json,
    got: &NdArray,
    by: Gathering,
) -> Result<Option<Vec<f64>>, String> {
    let a = array(operands.first().cloned())?.ok_or("the first operand is no array")?;
    let found = match (kind, name) {
        ("scan", _) => {
            let options = scan_options(operands, p)?;
            scan_bound(name, a, &options, by)
        }
        ("accumulate", "add" | "multiply") => {
            let out = array(given(operands, p, "out"))?.map(NdArray::dtype);
            let axis = optional(&p["axis"], number)?.unwrap_or(0);
            accumulate_bounds(name, a, axis, (out, optional(&p["dtype"], dtype)?), by)
        }
        ("trapezoid", _) => trapezoid_bound(a, &trapezoid_options(operands, p)?, by),
        // Real steps are rounded one by one; a complex product or quotient errs by a few units of the modulus of the
        // terms, which are no larger than the largest element over the smallest distance, 1/2.
        ("gradient", _) if got.dtype().is_complex() => {
            let size = |v: &Value| v.complex().norm();
            let largest = a.values().iter().map(size).filter(|x| x.is_finite()).fold(0.0, f64::max);
            return Ok(Some(vec![16.0 * cuprum_oracle::ulp(4.0 * largest, got.dtype()); got.size()]));
        }
        _ => return Ok(None),
    };
    found.map(Some).map_err(|e| e.to_string())
}
