//! Functions that SciPy composes of others: `polygamma`, `sph_harm_y`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::{special_condition, special_scale};
use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::broadcast_shapes;
use crate::core::value::{Flag, Value, ulp};
use crate::numpy::math::difference::{call, float};
use crate::numpy::statistics::Bounded;
use crate::table::counterparts;
use crate::ufunc::methods::strong;

/// Returns the values of operands as floats, broadcast, element by element.
pub(super) fn rows(shape: &[usize], operands: &[&NdArray]) -> Result<Vec<Vec<f64>>> {
    let all: Vec<Vec<Value>> = operands.iter().map(|a| Ok(a.broadcast_to(shape)?.values())).collect::<Result<_>>()?;
    let count = shape.iter().product();
    Ok((0..count).map(|k| all.iter().map(|values| values[k].float()).collect()).collect())
}

/// Returns the error, in units of 1, of a function's own steps and those of its operands.
pub(super) fn terms(name: &str, x: &[f64], y: f64) -> f64 {
    y.abs().max(special_scale(name, x, y)).max(special_condition(name, x))
}

/// Computes `polygamma`, and bounds the error of a product of three numbers.
fn polygamma(by: &Operand<'_>, at: &Operand<'_>) -> Result<Bounded> {
    let (n, x) = (&strong(by)?, &strong(at)?);
    if n.dtype().is_complex() || x.dtype().is_complex() {
        return fail(ErrorKind::Type, "the zeta function is of real numbers");
    }
    let above = call("add", &[by.clone(), Operand::Scalar(Value::Int(1))])?;
    let factorial = call("gamma", &[(&call("add", &[by.clone(), float(1.0)])?).into()])?;
    let sign = call("power", &[float(-1.0), (&above).into()])?;
    let signed = call("multiply", &[(&sign).into(), (&factorial).into()])?;
    let zeta = call("zeta", &[(&above).into(), at.clone()])?;
    let values = call("multiply", &[(&signed).into(), (&zeta).into()])?;
    let at_0 = call("equal", &[by.clone(), Operand::Scalar(Value::Int(0))])?;
    let result = call("where", &[(&at_0).into(), (&call("psi", std::slice::from_ref(at))?).into(), (&values).into()])?;
    let shape = broadcast_shapes(&[n.shape(), x.shape()])?;
    let single = [n.dtype(), x.dtype()].iter().any(|&d| d.is_float() && d != DType::F64);
    let unit = ulp(1.0, if single { DType::F32 } else { DType::F64 });
    let bounds = rows(&shape, &[n, x])?
        .iter()
        .zip(zeta.values())
        .zip(result.values())
        .map(|((row, zeta), y)| {
            let (y, zeta) = (y.float(), zeta.float());
            let off = if row[0] == 0.0 {
                8.0 * terms("psi", &row[1..], y)
            } else {
                // Seven units of gamma, five of zeta and two products, for operands rounded from 16 bits.
                let scale = special_scale("zeta", &[row[0] + 1.0, row[1]], zeta).max(zeta.abs());
                y.abs() * (12.0 + 8.0 * scale / zeta.abs())
            };
            if off.is_nan() { f64::INFINITY } else { off * unit }
        })
        .collect();
    Ok(Bounded { result, bounds })
}

/// Computes `sph_harm_y`, and bounds the error of a rounded angle and a product.
fn harmonic(degree: &Operand<'_>, order: &Operand<'_>, polar: &Operand<'_>, azimuth: &Operand<'_>) -> Result<Bounded> {
    let is_complex = match azimuth {
        Operand::Array(a) => a.dtype().is_complex(),
        Operand::Scalar(v) => matches!(v, Value::Complex(_)),
    };
    if is_complex {
        return fail(ErrorKind::Type, "an azimuth is a real number");
    }
    let size = call("sph_legendre_p", &[degree.clone(), order.clone(), polar.clone()])?;
    // An integer that no dtype holds is a valid angle.
    let number = |o: &Operand<'_>| match o {
        Operand::Scalar(Value::Int(i)) => strong(&float(*i as f64)),
        other => strong(other),
    };
    let (n, m, theta, phi) = (&number(degree)?, &number(order)?, &number(polar)?, &number(azimuth)?);
    let phase = call("multiply", &[azimuth.clone(), Operand::Scalar(Value::Complex(Complex64::I))])?;
    let angle = call("multiply", &[order.clone(), (&phase).into()])?;
    let result = call("multiply", &[(&size).into(), (&call("exp", &[(&angle).into()])?).into()])?;
    let rows = rows(result.shape(), &[n, m, theta, phi])?;
    let mut flags = result.flags();
    let mut bounds = Vec::with_capacity(rows.len());
    for (row, flag) in rows.iter().zip(&mut flags) {
        let (size, known) = super::of_reals("sph_legendre_p", &row[..3]).round(DType::F64);
        let size = size.float();
        // A zero times a phase has either sign.
        *flag = if size == 0.0 { Flag::AnySign } else { known };
        let off = 10.0 * terms("sph_legendre_p", &row[..3], size) + size.abs() * (4.0 + (row[1] * row[3]).abs());
        bounds.push(if off.is_nan() { f64::INFINITY } else { off * f64::EPSILON });
    }
    Ok(Bounded { result: result.with_flags(flags), bounds })
}

counterparts! {
    "scipy.special.polygamma" = |t| polygamma(&t.get("n")?, &t.get("x")?);
    "scipy.special.sph_harm_y" = |t| harmonic(&t.get("n")?, &t.get("m")?, &t.get("theta")?, &t.get("phi")?);
    "scipy.special.sph_harm" = |t| harmonic(&t.get("n")?, &t.get("m")?, &t.get("phi")?, &t.get("theta")?);
}
