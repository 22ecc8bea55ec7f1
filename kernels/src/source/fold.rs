//! Source of the kernel of folds: the methods `reduce`, `accumulate` and `reduceat` of functions of two operands.

use std::fmt::Write;

use super::{Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Value, Written, parameters};
use crate::registry::{Loop, UfuncId};

/// Start value of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldStart {
    /// None: the fold begins with its first element.
    Nothing,
    /// The identity of the operation.
    Identity,
    /// A value in the parameters, of the loop's result dtype.
    Value,
}

/// Method of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldMethod {
    /// One result for each slice of elements.
    Reduce {
        /// True if a mask says which elements take part.
        masked: bool,
        /// The start value.
        start: FoldStart,
    },
    /// One result for each element.
    Accumulate,
    /// One result for each segment of a slice.
    Reduceat,
}

parameters! {
    /// Parameters of the kernel `fold`.
    FoldParams<'a, P> {
        /// Number of 1-D slices.
        lines: usize,
        /// Length of a slice.
        length: usize,
        /// The results.
        out: Written<P>,
        /// The elements.
        input: Read<P>,
        /// The mask of the elements that take part.
        mask: Read<P>,
        /// int64: the beginnings of the segments of a slice.
        starts: Read<P>,
        /// Number of segments.
        segments: usize,
        /// Bytes between the results of a slice.
        out_step: i64,
        /// The start value.
        initial: Value as "parameter<result>",
        /// Number of axes across the slices.
        line_axes: u32,
        /// Number of axes along a slice.
        folded_axes: u32,
        /// True if the fold has a start value.
        from_start: bool,
        /// Sizes of the axes across the slices.
        line: Sizes<'a>,
        /// Sizes of the axes along a slice.
        folded: Sizes<'a>,
        /// Strides of the elements across the slices.
        line_in: Strides<'a>,
        /// Strides of the mask across the slices.
        line_mask: Strides<'a>,
        /// Strides of the results across the slices.
        line_out: Strides<'a>,
        /// Strides of the elements along a slice.
        folded_in: Strides<'a>,
        /// Strides of the mask along a slice.
        folded_mask: Strides<'a>,
    }
}

/// Key of the kernel `fold`, with the parameters [`FoldParams`]: everything that its source depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The operation, of two operands.
    pub op: UfuncId,
    /// The index of its loop, whose result is of the dtype of its first operand.
    pub signature: u8,
    /// The dtype of the elements in memory.
    pub element: DType,
    /// The method.
    pub method: FoldMethod,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Fold {
    fn signature(&self) -> &'static Loop {
        &self.op.loops()[self.signature as usize]
    }

    /// Returns the kernel's name in messages: `subtract.reduce/float32`.
    pub fn name(&self) -> String {
        let method = match self.method {
            FoldMethod::Reduce { .. } => "reduce",
            FoldMethod::Accumulate => "accumulate",
            FoldMethod::Reduceat => "reduceat",
        };
        format!("{}.{method}/{}", self.op.record().name, self.element)
    }

    /// Returns the source of the kernel `fold`.
    pub fn source(&self) -> String {
        let Loop { ins: [first, second, _], outs: [out, _], expr } = *self.signature();
        let wide = self.op.record().wide;
        let mut text = headers([self.element, first, second, out], wide);
        text.push_str(self.op.record().text);
        if first.is_complex() {
            text.push_str(self.op.record().complex_text);
        }
        let method = match self.method {
            FoldMethod::Reduce { masked, .. } => format!("reduce<{masked}>"),
            FoldMethod::Accumulate => "accumulate".into(),
            FoldMethod::Reduceat => "reduceat".into(),
        };
        let unit = Unit::new(text, "fold")
            .typed("element", self.element.device_name())
            .typed("item", second.device_name())
            .typed("result", out.device_name())
            .indexed(self.width)
            .choice("METHOD", method)
            .params(&FoldParams::<()> { width: self.width, ..Default::default() });
        let start = match (self.method, self.op.record().identity) {
            (FoldMethod::Reduce { start: FoldStart::Identity, .. }, Some(identity)) => of_literal(out, identity),
            _ => "p.initial.value".into(),
        };
        let mut text = format!("DEVICE result start(const params &p) {{ return {start}; }}\n");
        // The first element is in the dtype of the result, the following ones are in that of the loop's operand.
        let _ = writeln!(
            text,
            "DEVICE result begin(element e) {{ return {}; }}\n\
             DEVICE result combine(result loop0, element e) {{\n  const item loop1 = {};\n  const {} a = {};\n  \
             const {} b = {};\n  return {};\n}}",
            cast(self.element, out, "e"),
            cast(self.element, second, "e"),
            compute_type(first, wide),
            widen(first, wide, "loop0"),
            compute_type(second, wide),
            widen(second, wide, "loop1"),
            narrow(out, wide, expr),
        );
        unit.with(&text).with(body!("fold")).finish()
    }
}

/// Returns a device literal as a value of a dtype.
fn of_literal(dtype: DType, literal: &str) -> String {
    match dtype {
        DType::F16 => format!("f16_from((f32)({literal}))"),
        DType::BF16 => format!("bf16_from((f32)({literal}))"),
        DType::C64 | DType::C128 => {
            format!("({}{{({})({literal}), 0}})", dtype.device_name(), dtype.real().device_name())
        }
        _ => format!("({})({literal})", dtype.device_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, method: FoldMethod) -> Fold {
        let op = UfuncId::named(name).unwrap();
        let signature = op.loops().iter().position(|l| l.ins[..2] == [DType::F16; 2]).unwrap() as u8;
        Fold { op, signature, element: DType::I8, method, width: Width::default() }
    }

    #[test]
    fn a_fold_begins_with_the_initial_value() {
        let of = |start| key("add", FoldMethod::Reduce { masked: false, start }).source();
        assert!(of(FoldStart::Identity).contains("return f16_from((f32)(0));"));
        assert!(of(FoldStart::Value).contains("return p.initial.value;"));
        assert_eq!(key("add", FoldMethod::Accumulate).name(), "add.accumulate/int8");
    }

    #[test]
    fn elements_are_cast_as_they_are_loaded() {
        let text = key("subtract", FoldMethod::Accumulate).source();
        assert!(text.contains("const item loop1 = f16_from((f32)e);"), "{text}");
        assert!(text.contains("#define METHOD accumulate"));
    }
}
