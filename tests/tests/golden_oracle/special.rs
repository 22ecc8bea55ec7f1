//! How far SciPy's special functions may lie from the oracle.

use cuprum_oracle::{NdArray, Value, complex_special_scale, special_scale, ulp};
use cuprum_tests::golden::{Case, Operand};

/// The operands of each element of the result.
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

/// Units in the last place by which SciPy's algorithms err, in the test points or as the authors of Cephes state, and
/// infinity where a formula of SciPy's leaves the range on its way to a result that has one.
fn ulps(name: &str, x: &[f64]) -> f64 {
    match (name, x) {
        // The phase is rounded, and Cephes states an absolute error of 4e-16 besides.
        // SciPy's order is an int, which has no infinity.
        ("yn", &[n, _]) if n.is_infinite() => f64::INFINITY,
        ("yn", &[n, x]) => 8.0 + 4.0 * x.abs() + n.abs(),
        ("j0" | "j1" | "y0" | "y1", &[x]) => 8.0 + 4.0 * x.abs(),
        // Of no shape, and beyond 1, SciPy's inverse is a number for some operands and NaN for others.
        ("gammaincinv" | "gammainccinv", &[a, y]) if a == 0.0 || y > 1.0 => f64::INFINITY,
        // Beside an infinity, and where a + m is rounded to another number, a formula of SciPy's gives NaN for what has a limit.
        ("poch", &[a, m]) if a.is_infinite() || m.abs() > 1e6 || a + m - a != m => f64::INFINITY,
        ("zeta", &[x, q]) if x.is_infinite() || x > 1e6 || q < 0.0 => f64::INFINITY,
        ("poch", &[a, m]) => {
            // The difference of two logarithms of gamma functions, which are large near their poles too.
            let size = 2.0 + a.abs() + m.abs();
            16.0 + 4.0 * size * size.ln() + 2.0 * (a.abs().ln().abs() + (a + m).abs().ln().abs())
        }
        // Beyond its domain it has the polynomials of the order 0, and of a NaN the first of them; its degree is an int.
        ("lpmv", &[_, v, x]) if !v.is_finite() || x.is_nan() || x.abs() > 1.0 => f64::INFINITY,
        // Down to -0.35 it sums a series about 1 whose terms cancel, the more the larger the order is.
        ("lpmv", &[m, _, _]) => {
            if m.abs() > 3.0 {
                1e4
            } else {
                200.0
            }
        }
        // The cosine is rounded, which next to the axis counts as the slope of the polynomial there.
        ("sph_legendre_p", &[n, _, _]) => 8.0 + n * (n + 1.0) / 4.0,
        ("gammainc" | "gammaincc" | "gammaincinv" | "gammainccinv", _) => 100.0,
        ("gammaln" | "psi", _) => 16.0,
        ("erfcx", _) => 8.0,
        // The square of the operand is rounded before its exponential is taken.
        ("ndtr", &[x]) => 4.0 + x * x,
        // The angle is taken from 90 or 180 degrees, and keeps the error of that near its own zero or pole.
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

/// What SciPy's error is relative to near a zero where ours is smaller.
fn floor(name: &str) -> f64 {
    if matches!(name, "gammaln" | "j0" | "j1" | "y0" | "y1" | "yn") { 1.0 } else { 0.0 }
}

/// As [`ulps`], of complex numbers, in units of the modulus.
fn complex_ulps(name: &str) -> f64 {
    match name {
        // SciPy takes the exponential of a logarithm, which below 7 is one of several series.
        "gamma" => 32.0,
        "psi" => 16.0,
        _ => 4.0,
    }
}

/// The bound of each element.
pub(crate) fn bounds(name: &str, case: &Case, got: &NdArray) -> Result<Vec<f64>, String> {
    let rows = rows(case, got.shape())?;
    let of_complex = |(y, x): (Value, &Vec<Value>)| {
        let (modulus, x) = (y.complex().norm(), x.iter().map(|v| v.complex()).collect::<Vec<_>>());
        let scale = complex_special_scale(name, &x, modulus).max(modulus);
        match name {
            _ if modulus.is_finite() => complex_ulps(name) * ulp(scale, got.dtype()),
            // Beside an infinity the order of the operations decides the parts of a product.
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
