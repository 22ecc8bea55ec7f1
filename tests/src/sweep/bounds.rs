//! How far instructions may be from the true value: NVIDIA's own promises.
//!
//! The source is "Parallel Thread Execution ISA", the section of each instruction. The simulator gives the true value
//! rounded to the type, so that half a unit in the last place comes on top.

/// A bound of the error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place.
    Ulp(f64),
    /// Relative to the true value.
    Relative(f64),
    /// As it is.
    Absolute(f64),
    /// Nothing is promised.
    Open,
}

/// The bound of an opcode for these operands, as values.
pub fn bound(opcode: &str, operands: &[f64]) -> Bound {
    let ty = opcode.rsplit('.').next().unwrap_or_default();
    let base = opcode.split('.').next().unwrap_or_default();
    let x = operands.first().map_or(0.0, |x| x.abs());
    match (base, ty) {
        // "max ulp error of 2" for a divisor in [2^-126, 2^126]; above, zero or NaN by definition.
        ("div", _) => Bound::Ulp(2.0),
        // "maximum ulp error of 1".
        ("rcp", "f32") => Bound::Ulp(1.0),
        // "maximum relative error of 2^-23".
        ("sqrt", "f32") => Bound::Relative((-23f64).exp2()),
        // "maximum relative error of 2^-22.9".
        ("rsqrt", "f32") => Bound::Relative((-22.9f64).exp2()),
        // "a maximum relative error of 2^-22".
        ("ex2", "f32") => Bound::Relative((-22f64).exp2()),
        // "absolute error 2^-22 for an operand in (0.5, 2), else relative error 2^-22".
        ("lg2", "f32") if (0.5..=2.0).contains(&x) => Bound::Absolute((-22f64).exp2()),
        ("lg2", "f32") => Bound::Relative((-22f64).exp2()),
        // "maximum absolute error 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]"; beyond, nothing is said.
        ("sin" | "cos", "f32") if x <= std::f64::consts::TAU => Bound::Absolute((-20.5f64).exp2()),
        ("sin" | "cos", "f32") if x <= 100.0 * std::f64::consts::PI => Bound::Absolute((-14.7f64).exp2()),
        ("sin" | "cos", "f32") => Bound::Open,
        // "maximum relative error of 2^-11".
        ("tanh", "f32") => Bound::Relative((-11f64).exp2()),
        // "max relative error 2^-9.9" for float16, 2^-7 for bfloat16.
        ("ex2", "f16" | "f16x2") => Bound::Relative((-9.9f64).exp2()),
        ("ex2", "bf16" | "bf16x2") => Bound::Relative((-7f64).exp2()),
        // "max absolute error 2^-10.987" for float16, 2^-8 for bfloat16.
        ("tanh", "f16" | "f16x2") => Bound::Absolute((-10.987f64).exp2()),
        ("tanh", "bf16" | "bf16x2") => Bound::Absolute((-8f64).exp2()),
        // Of 20 bits of the fraction.
        ("rcp" | "rsqrt", "f64") if opcode.contains(".ftz") => Bound::Relative((-19f64).exp2()),
        _ => Bound::Ulp(2.0),
    }
}
