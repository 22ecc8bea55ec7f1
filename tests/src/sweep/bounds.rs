//! Error bounds of instructions, as specified by NVIDIA.
//!
//! The source is "Parallel Thread Execution ISA", the section of each instruction. The simulator returns the true value
//! rounded to the type, which adds half a unit in the last place.

/// An error bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place.
    Ulp(f64),
    /// Relative to the true value.
    Relative(f64),
    /// Absolute.
    Absolute(f64),
    /// Unspecified.
    Open,
}

/// Returns the error bound of an opcode for these operands, given as values.
pub fn bound(opcode: &str, operands: &[f64]) -> Bound {
    let ty = opcode.rsplit('.').next().unwrap_or_default();
    let base = opcode.split('.').next().unwrap_or_default();
    let operand = |i: usize| operands.get(i).map_or(0.0, |x| x.abs());
    let x = operand(0);
    let power = |e: f64| e.exp2();
    match (base, ty) {
        // Full: 2 ulp everywhere. Approximate: 2 ulp for a divisor in [2^-126, 2^126], above which the result is
        // specified as zero or NaN; below, it is unspecified.
        ("div", _) if opcode.contains(".approx") && operand(1) < power(-126.0) => Bound::Open,
        ("div", _) => Bound::Ulp(2.0),
        // 1 ulp.
        ("rcp", "f32") => Bound::Ulp(1.0),
        // 2^-23 relative, over the positive finite numbers.
        ("sqrt", "f32") => Bound::Relative(power(-23.0)),
        // 2^-22.9 relative, over the positive finite numbers.
        ("rsqrt", "f32") => Bound::Relative(power(-22.9)),
        // 2 ulp.
        ("ex2", "f32") => Bound::Ulp(2.0),
        // 2^-22 absolute for operands in (0.5, 2), else 2^-22 relative.
        ("lg2", "f32") if x > 0.5 && x < 2.0 => Bound::Absolute(power(-22.0)),
        ("lg2", "f32") => Bound::Relative(power(-22.0)),
        // 2^-20.5 absolute in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi], beyond "best effort".
        ("sin" | "cos", "f32") if x <= std::f64::consts::TAU => Bound::Absolute(power(-20.5)),
        ("sin" | "cos", "f32") if x <= 50.0 * std::f64::consts::TAU => Bound::Absolute(power(-14.7)),
        ("sin" | "cos", "f32") => Bound::Open,
        // 2^-11 relative.
        ("tanh", "f32") => Bound::Relative(power(-11.0)),
        // 2^-9.9 relative for float16, 2^-7 for bfloat16.
        ("ex2", "f16" | "f16x2") => Bound::Relative(power(-9.9)),
        ("ex2", _) => Bound::Relative(power(-7.0)),
        // 2^-10.987 absolute for float16, 2^-8 for bfloat16.
        ("tanh", "f16" | "f16x2") => Bound::Absolute(power(-10.987)),
        ("tanh", _) => Bound::Absolute(power(-8.0)),
        // No error bound is specified; the result has 20 bits of fraction, of which the last may differ.
        ("rcp" | "rsqrt", _) if opcode.contains(".ftz") => Bound::Relative(power(-20.0)),
        // rsqrt.approx.f64: no error bound is specified; the CUDA C++ Programming Guide gives 1 ulp for rsqrt, which is
        // based on it.
        _ => Bound::Ulp(1.0),
    }
}
