//! The source text of products of vectors.

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
        /// The second ones.
        b: Read<P>,
        /// The products.
        out: Written<P>,
        /// Bytes from a part of a vector to the next, of all three.
        parts: [i64; 3],
        /// Of the vectors.
        axes: u32,
        /// Of their axes.
        sizes: Sizes<'a>,
        /// From vector to vector.
        a_strides: Strides<'a>,
        /// The same of the second ones.
        b_strides: Strides<'a>,
        /// The same of the products.
        out_strides: Strides<'a>,
    }
}

/// The key of the kernel `cross_product`, with the parameters [`CrossProductParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CrossProduct {
    /// The dtypes of the vectors.
    pub given: [DType; 2],
    /// The dtype of the products, to which the parts are cast.
    pub element: DType,
    /// How many parts vectors have: two or three.
    pub parts: [u8; 2],
    /// Of indices and axes.
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
        let [times, minus, turned] = ["multiply", "subtract", "negative"].map(|name| {
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
        let found = turned.loops().iter().find(|l| l.ins[0] == dtype && l.out() == dtype);
        let (wide, expr) = (turned.record().wide, found.expect("numbers have a negative of their dtype").expr);
        let _ = writeln!(
            text,
            "DEVICE element turned(element x) {{\n  const {} a = {};\n  return {};\n}}\n\
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
