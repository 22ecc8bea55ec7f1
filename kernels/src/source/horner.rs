//! Source of the kernel that evaluates polynomials by Horner's method.

use std::fmt::Write;

use super::{Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};
use crate::registry::UfuncId;

parameters! {
    /// Parameters of the kernel `horner`.
    HornerParams<'a, P> {
        /// Number of points.
        results: usize,
        /// Number of coefficients, at least one.
        count: usize,
        /// The points.
        input: Read<P>,
        /// The contiguous coefficients, the highest first.
        coefficients: Read<P>,
        /// The results.
        out: Written<P>,
        /// Number of axes of the points.
        axes: u32,
        /// Sizes of their axes.
        sizes: Sizes<'a>,
        /// Strides of the points.
        in_strides: Strides<'a>,
        /// Strides of the results.
        out_strides: Strides<'a>,
    }
}

/// Key of the kernel `horner`, with the parameters [`HornerParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Horner {
    /// The dtype of the points.
    pub given: DType,
    /// The dtype of the coefficients and of the results, to which the points are cast.
    pub element: DType,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Appends a device function `name` of two values of a dtype: the ufunc `of`, rounded to the dtype.
pub(super) fn function(text: &mut String, name: &str, of: &str, dtype: DType) {
    let op = UfuncId::named(of).expect("sums and products are in the registry");
    let found = op.loops().iter().find(|l| l.ins[..2] == [dtype; 2] && l.out() == dtype);
    let expr = found.expect("numbers of one dtype have a sum and a product of it").expr;
    let (wide, d) = (op.record().wide, dtype.device_name());
    let _ = writeln!(text, "DEVICE {d} {name}({d} loop0, {d} loop1) {{");
    for (letter, held) in [("a", "loop0"), ("b", "loop1")] {
        let _ = writeln!(text, "  const {} {letter} = {};", compute_type(dtype, wide), widen(dtype, wide, held));
    }
    let _ = writeln!(text, "  return {};\n}}", narrow(dtype, wide, expr));
}

impl Horner {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("horner/{} at {}", self.element, self.given)
    }

    /// Returns the source of the kernel `horner`.
    pub fn source(&self) -> String {
        let (given, element) = (self.given.device_name(), self.element.device_name());
        let mut shared = headers([self.given, self.element], true);
        for op in ["multiply", "add"].map(|name| UfuncId::named(name).expect("it is in the registry").record()) {
            shared.push_str(op.text);
            if self.element.is_complex() {
                shared.push_str(op.complex_text);
            }
        }
        let unit = Unit::new(shared, "horner")
            .typed("given", given)
            .typed("element", element)
            .indexed(self.width)
            .params(&HornerParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        function(&mut text, "times", "multiply", self.element);
        if self.given != self.element {
            function(&mut text, "times", "multiply", self.given);
        }
        function(&mut text, "plus", "add", self.element);
        let _ =
            writeln!(text, "DEVICE element as_element(given e) {{ return {}; }}", cast(self.given, self.element, "e"));
        let zero = cast(DType::I32, self.given, "zero");
        let _ = writeln!(
            text,
            "DEVICE element begin(given e) {{\n  const i32 zero = 0;\n  const given y = times({zero}, e);\n  return {};\n}}",
            cast(self.given, self.element, "y")
        );
        unit.with(&text).with(body!("horner")).finish()
    }
}
