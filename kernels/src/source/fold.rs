//! The source text of folds: the methods `reduce`, `accumulate` and `reduceat` of functions of two operands.

use std::fmt::Write;

use super::{DEEP_AXES, FOLD, OFFSET, SHALLOW_AXES, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::registry::{Loop, UfuncId};

/// What the first element of a fold is combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldStart {
    /// Nothing: it is where the fold begins.
    Nothing,
    /// The identity of the operation.
    Identity,
    /// A value in the parameters, of the loop's result dtype.
    Value,
}

/// The results of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldMethod {
    /// One for each line of elements.
    Reduce {
        /// Whether a mask says which elements take part.
        masked: bool,
        /// What it begins with.
        start: FoldStart,
    },
    /// One for each element.
    Accumulate,
    /// One for each segment of a line.
    Reduceat,
}

/// All that decides the text of a fold: the key of the kernel `fold`.
///
/// Its parameters are the struct `params` of `include/fold.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The operation, of two operands.
    pub op: UfuncId,
    /// The index of its loop, whose result is of the dtype of its first operand.
    pub signature: u8,
    /// The dtype of the elements in memory.
    pub element: DType,
    /// What is made of them.
    pub method: FoldMethod,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

impl Fold {
    fn signature(&self) -> &'static Loop {
        &self.op.loops()[self.signature as usize]
    }

    /// The kernel's name in messages: `subtract.reduce/float32`.
    pub fn name(&self) -> String {
        let method = match self.method {
            FoldMethod::Reduce { .. } => "reduce",
            FoldMethod::Accumulate => "accumulate",
            FoldMethod::Reduceat => "reduceat",
        };
        format!("{}.{method}/{}", self.op.record().name, self.element)
    }

    /// The text of the kernel `fold`.
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
        let _ = writeln!(
            text,
            "typedef {} element;\ntypedef {} item;\ntypedef {} result;\ntypedef {} uindex;\ntypedef {} divider;\n\
             #define AXES {}\n#define METHOD {method}\nstruct params;\nDEVICE result start(const params &p);",
            self.element.device_name(),
            second.device_name(),
            out.device_name(),
            if self.wide { "u64" } else { "u32" },
            if self.wide { "divider64" } else { "divider32" },
            if self.deep { DEEP_AXES } else { SHALLOW_AXES },
        );
        // What a fold begins with is an element in the dtype of the result; what goes on with it, in the loop's.
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
        text.push_str(OFFSET);
        text.push_str(FOLD);
        let start = match (self.method, self.op.record().identity) {
            (FoldMethod::Reduce { start: FoldStart::Identity, .. }, Some(identity)) => of_literal(out, identity),
            _ => "p.initial".into(),
        };
        let _ = writeln!(text, "DEVICE result start(const params &p) {{ return {start}; }}");
        text
    }
}

/// A device literal as a value of a dtype.
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
        Fold { op, signature, element: DType::I8, method, wide: false, deep: false }
    }

    #[test]
    fn a_fold_begins_with_what_it_is_told() {
        let of = |start| key("add", FoldMethod::Reduce { masked: false, start }).source();
        assert!(of(FoldStart::Identity).contains("return f16_from((f32)(0));"));
        assert!(of(FoldStart::Value).contains("return p.initial;"));
        assert_eq!(key("add", FoldMethod::Accumulate).name(), "add.accumulate/int8");
    }

    #[test]
    fn elements_are_cast_as_they_are_loaded() {
        let text = key("subtract", FoldMethod::Accumulate).source();
        assert!(text.contains("const item loop1 = f16_from((f32)e);"), "{text}");
        assert!(text.contains("#define METHOD accumulate"));
    }
}
