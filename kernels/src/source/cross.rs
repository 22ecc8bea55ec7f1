//! Source of the kernel of vector cross products.

use std::fmt::Write;

use super::horner::function;
use super::{Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};
use crate::registry::UfuncId;

parameters! {
    /// Parameters of the kernel `cross_product`.
    CrossProductParams<'a, P> {
        /// Number of products.
        vectors: usize,
        /// The first vectors.
        a: Read<P>,
        /// The second vectors.
        b: Read<P>,
        /// The products.
        out: Written<P>,
        /// Bytes between components of a vector, for each of the three arrays.
        parts: [i64; 3],
        /// Number of axes of the vectors.
        axes: u32,
        /// Sizes of their axes.
        sizes: Sizes<'a>,
        /// Strides of the first vectors.
        a_strides: Strides<'a>,
        /// Strides of the second vectors.
        b_strides: Strides<'a>,
        /// Strides of the products.
        out_strides: Strides<'a>,
    }
}

/// Key of the kernel `cross_product`, with the parameters [`CrossProductParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CrossProduct {
    /// The dtypes of the vectors.
    pub given: [DType; 2],
    /// The dtype of the products, to which the components are cast.
    pub element: DType,
    /// Number of components of the vectors: two or three.
    pub parts: [u8; 2],
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl CrossProduct {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("cross/{} of {} and {}", self.element, self.given[0], self.given[1])
    }

    /// Returns the source of the kernel `cross_product`.
    pub fn source(&self) -> String {
        let [a, b] = self.given;
        let dtype = self.element;
        let mut shared = headers([a, b, dtype], true);
        let [times, minus, negated] = ["multiply", "subtract", "negative"].map(|name| {
            let op = UfuncId::named(name).expect("it is in the registry");
            shared.push_str(op.record().text);
            if dtype.is_complex() {
                shared.push_str(op.record().complex_text);
            }
            op
        });
        let unit = Unit::new(shared, "cross")
            .typed("given_a", a.device_name())
            .typed("given_b", b.device_name())
            .typed("element", dtype.device_name())
            .indexed(self.width)
            .number("PARTS_A", self.parts[0].into())
            .number("PARTS_B", self.parts[1].into())
            .params(&CrossProductParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        function(&mut text, "times", times.record().name, dtype);
        function(&mut text, "minus", minus.record().name, dtype);
        let found = negated.loops().iter().find(|l| l.ins[0] == dtype && l.out() == dtype);
        let (wide, expr) = (negated.record().wide, found.expect("numbers have a negative of their dtype").expr);
        let _ = writeln!(
            text,
            "DEVICE element negated(element x) {{\n  const {} a = {};\n  return {};\n}}\n\
             DEVICE element as_element_a(given_a e) {{ return {}; }}\n\
             DEVICE element as_element_b(given_b e) {{ return {}; }}",
            compute_type(dtype, wide),
            widen(dtype, wide, "x"),
            narrow(dtype, wide, expr),
            cast(a, dtype, "e"),
            cast(b, dtype, "e"),
        );
        unit.with(&text).with(body!("cross")).finish()
    }
}
