//! Tolerances of SciPy's special functions against the oracle.

use cuprum_oracle::{NdArray, Value, complex_special_scale, special_scale, ulp};
use cuprum_tests::golden::{Case, Operand};

/// Returns the operands of each element of the result.
fn rows(case: &Case, shape: &[usize]) -> Result<Vec<Vec<Value>>, String> {
    let mut rows = vec![vec![]; shape.iter().product()];
    for operand in &case.operands {
        let values = match operand {
            Operand::Scalar(v) => vec![*v; rows.len()],
            Operand::Array(a) => NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone())
                .and_then(|a| a.broadcast_to(shape))
                .map_err(|e| e.to_string())?
                .values(),
        };
        for (row, v) in rows.iter_mut().zip(values) {
            row.push(v);
        }
    }
    Ok(rows)
}

/// Returns the error of SciPy's algorithms in units in the last place, from the test points or as stated by the authors
/// of Cephes; infinite if an intermediate result of SciPy's formula overflows.
fn ulps(name: &str, x: &[f64]) -> f64 {
    match (name, x) {
        // The phase is rounded, and Cephes states an additional absolute error of 4e-16. SciPy's order is an int, which
        // has no infinity.
        ("yn", &[n, _]) if n.is_infinite() => f64::INFINITY,
        ("yn", &[n, x]) => 8.0 + 4.0 * x.abs() + n.abs(),
        ("j0" | "j1" | "y0" | "y1", &[x]) => 8.0 + 4.0 * x.abs(),
        // For shape 0, and beyond 1, SciPy's inverse is a number for some operands and NaN for others.
        ("gammaincinv" | "gammainccinv", &[a, y]) if a == 0.0 || y > 1.0 => f64::INFINITY,
        // For an infinity, and if a + m is rounded, SciPy's formula gives NaN where a limit exists.
        ("poch", &[a, m]) if a.is_infinite() || m.abs() > 1e6 || a + m - a != m => f64::INFINITY,
        ("zeta", &[x, q]) if x.is_infinite() || x > 1e6 || q < 0.0 => f64::INFINITY,
        ("poch", &[a, m]) => {
            // The difference of two logarithms of gamma functions, which are also large near their poles.
            let size = 2.0 + a.abs() + m.abs();
            16.0 + 4.0 * size * size.ln() + 2.0 * (a.abs().ln().abs() + (a + m).abs().ln().abs())
        }
        // Outside its domain SciPy returns the polynomials of order 0, and the first of them for NaN; its degree is an
        // int.
        ("lpmv", &[_, v, x]) if !v.is_finite() || x.is_nan() || x.abs() > 1.0 => f64::INFINITY,
        // Down to -0.35 SciPy sums a series about 1, with more cancellation for larger orders.
        ("lpmv", &[m, _, _]) => {
            if m.abs() > 3.0 {
                1e4
            } else {
                200.0
            }
        }
        // The cosine is rounded; near the axis, the error is multiplied by the slope of the polynomial.
        ("sph_legendre_p", &[n, _, _]) => 8.0 + n * (n + 1.0) / 4.0,
        ("gammainc" | "gammaincc" | "gammaincinv" | "gammainccinv", _) => 100.0,
        ("gammaln" | "psi", _) => 16.0,
        ("erfcx", _) => 8.0,
        // The square of the operand is rounded before its exponential is computed.
        ("ndtr", &[x]) => 4.0 + x * x,
        // The angle is subtracted from 90 or 180 degrees, and its error remains near the function's own zero or pole.
        ("tandg" | "cotdg", &[x]) => {
            let distance = (x - (x / 90.0).round() * 90.0).abs();
            match distance {
                0.0 => 0.0,
                0.0..1e-12 => f64::INFINITY,
                _ => 4.0 + 360.0 / distance,
            }
        }
        // It grows with the logarithm of the ratio.
        ("pseudo_huber", _) => 64.0,
        _ => 4.0,
    }
}

/// Returns the minimum magnitude to which SciPy's error is relative near a zero.
fn floor(name: &str) -> f64 {
    if matches!(name, "gammaln" | "j0" | "j1" | "y0" | "y1" | "yn") { 1.0 } else { 0.0 }
}

/// Returns the error as [`ulps`] does, for complex numbers, in units of the modulus.
fn complex_ulps(name: &str) -> f64 {
    match name {
        // SciPy computes the exponential of a logarithm, which below 7 uses one of several series.
        "gamma" => 32.0,
        "psi" => 16.0,
        _ => 4.0,
    }
}

/// Returns the tolerance of each element.
pub(crate) fn bounds(name: &str, case: &Case, got: &NdArray) -> Result<Vec<f64>, String> {
    let rows = rows(case, got.shape())?;
    let of_complex = |(y, x): (Value, &Vec<Value>)| {
        let (modulus, x) = (y.complex().norm(), x.iter().map(|v| v.complex()).collect::<Vec<_>>());
        let scale = complex_special_scale(name, &x, modulus).max(modulus);
        match name {
            _ if modulus.is_finite() => complex_ulps(name) * ulp(scale, got.dtype()),
            // With an infinity, the parts of a product depend on the order of operations.
            "xlogy" | "xlog1py" => f64::INFINITY,
            _ => 0.0,
        }
    };
    let of_real = |(y, x): (Value, &Vec<Value>)| {
        let (y, x) = (y.float(), x.iter().map(|v| v.float()).collect::<Vec<_>>());
        let scale = special_scale(name, &x, y).max(y.abs()).max(floor(name));
        let ulps = ulps(name, &x);
        if ulps.is_infinite() {
            f64::INFINITY
        } else if scale.is_finite() {
            ulps * ulp(scale, got.dtype())
        } else {
            0.0
        }
    };
    let pairs = got.values().into_iter().zip(&rows);
    Ok(if got.dtype().is_complex() { pairs.map(of_complex).collect() } else { pairs.map(of_real).collect() })
}
