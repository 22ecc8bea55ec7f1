//! The source text of reduction kernels.

use std::fmt::Write;

use super::{DEEP_AXES, EXTREMES, REDUCE, SHALLOW_AXES, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::registry::{Accumulator, ReductionId, ReductionLoop};

/// Bytes that a thread reads at once where elements lie side by side.
pub const REDUCTION_VECTOR: usize = 16;

/// All that decides a reduction kernel's text: the key of the kernel `reduce`.
///
/// Their parameters are the struct `params` of `include/reduce.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReductionSource {
    /// The reduction.
    pub op: ReductionId,
    /// The dtype of the operand in memory.
    pub operand: DType,
    /// The dtype of the result that was asked for, where one was.
    pub asked: Option<DType>,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

impl ReductionSource {
    /// The loop that the kernel runs; `None` where the reduction has none for the dtype.
    pub fn resolve(&self) -> Option<ReductionLoop> {
        self.op.resolve(self.operand, self.asked)
    }

    /// The kernel's name in messages: `sum/float32`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.op.record().name, self.operand)
    }

    /// Bytes of one partial result.
    pub fn accumulator_bytes(accumulator: Accumulator) -> usize {
        match accumulator {
            Accumulator::Value(d) => d.size(),
            // The index is eight bytes at a multiple of eight; the whole is as aligned.
            Accumulator::Indexed(d) => d.size().next_multiple_of(8) + 8,
        }
    }

    /// The text of the kernel of `l`, this key's loop.
    pub fn source(&self, l: &ReductionLoop) -> String {
        let mut text = headers([self.operand, l.element, l.out], false);
        text.push_str(EXTREMES);
        let value = match l.accumulator {
            Accumulator::Value(d) | Accumulator::Indexed(d) => d,
        };
        let held = value.device_name();
        let accumulator = match l.accumulator {
            Accumulator::Value(_) => held.to_string(),
            Accumulator::Indexed(_) => format!("indexed<{held}>"),
        };
        let neutral = neutral(self.op.record().name, value);
        let (neutral, start) = match l.accumulator {
            Accumulator::Value(_) => (neutral, "x".to_string()),
            Accumulator::Indexed(_) => {
                (format!("{accumulator}{{{neutral}, 0x7fffffffffffffffll}}"), format!("{accumulator}{{x, i}}"))
            }
        };
        let finished = narrow(l.out, false, l.finish);
        // Of the elements of a thread the later ones come with larger indices.
        let accumulate = match l.accumulator {
            Accumulator::Indexed(d) if !d.is_complex() => {
                let later = if self.op.record().name.ends_with("max") { "larger_later" } else { "smaller_later" };
                format!("const accumulator b = start(e, i); return {later}(a, b.value, b.index);")
            }
            _ => "return combine(a, start(e, i));".into(),
        };
        // A sum starts from -0, which changes no element; the sum of nothing is +0.
        let finished = match self.op.record().name {
            "sum" if l.element.is_float() || l.element.is_complex() => {
                format!("n == 0 ? {} : {finished}", cast(DType::I32, l.out, "none"))
            }
            _ => finished,
        };
        let _ = write!(
            text,
            "typedef {} element;\ntypedef {accumulator} accumulator;\ntypedef {} result;\ntypedef {} uindex;\n\
             typedef {} divider;\n#define AXES {}\n\
             DEVICE accumulator identity() {{ return {neutral}; }}\n\
             DEVICE accumulator start(element e, i64 i) {{\n  {} y = {};\n  {} x = {};\n  return {start};\n}}\n\
             DEVICE accumulator combine(accumulator a, accumulator b) {{ return {}; }}\n\
             DEVICE accumulator accumulate(accumulator a, element e, i64 i) {{ {accumulate} }}\n\
             DEVICE result finish(accumulator a, u64 n) {{\n  const i32 none = 0;\n  return {finished};\n}}\n",
            self.operand.device_name(),
            l.out.device_name(),
            if self.wide { "u64" } else { "u32" },
            if self.wide { "divider64" } else { "divider32" },
            if self.deep { DEEP_AXES } else { SHALLOW_AXES },
            l.element.device_name(),
            cast(self.operand, l.element, "e"),
            compute_type(l.element, false),
            widen(l.element, false, "y"),
            l.combine,
        );
        text.push_str(REDUCE);
        text
    }
}

/// A device literal that changes nothing when it is combined with an element.
fn neutral(name: &str, dtype: DType) -> String {
    use DType::*;
    let of = |real: &str| match dtype {
        C64 | C128 => format!("{}{{{real}, {real}}}", dtype.device_name()),
        _ => format!("({}){real}", dtype.device_name()),
    };
    match name {
        "sum" | "mean" if dtype.is_float() || dtype.is_complex() => of("-0.0f"),
        "prod" if dtype.is_complex() => format!("{}{{1, 0}}", dtype.device_name()),
        "prod" => of("1"),
        "all" => "true".into(),
        "max" | "argmax" => match dtype {
            Bool | U8 | U16 | U32 | U64 => of("0"),
            I8 | I16 | I32 | I64 => of(&format!("(1ull << {})", dtype.size() * 8 - 1)),
            _ => of("bits_to_f32(0xff800000u)"),
        },
        "min" | "argmin" => match dtype {
            Bool => "true".into(),
            U8 | U16 | U32 | U64 => of("~0ull"),
            I8 | I16 | I32 | I64 => of(&format!("((1ull << {}) - 1)", dtype.size() * 8 - 1)),
            _ => of("bits_to_f32(0x7f800000u)"),
        },
        _ => of("0"),
    }
}
