//! The source text of the method `at`.

use std::fmt::Write;

use super::{AT, DEEP_AXES, OFFSET, SHALLOW_AXES, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::registry::{Loop, UfuncId};

/// All that decides the text of the kernel `at`; its parameters are the struct `params` of `include/at.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The operation, of one operand or two and with one result.
    pub op: UfuncId,
    /// The index of its loop.
    pub signature: u8,
    /// The dtype of the array, to which every result is cast.
    pub array: DType,
    /// The dtype of the second operand in memory.
    pub operand: Option<DType>,
    /// The array and the operand walk one axis each.
    pub flat: bool,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`] axes.
    pub deep: bool,
}

impl At {
    /// The kernel's name in messages: `add.at/float32`.
    pub fn name(&self) -> String {
        format!("{}.at/{}", self.op.record().name, self.array)
    }

    /// The function of the device that does a step as one, in any order with the same result: where there is one, the
    /// positions need not be sorted.
    pub fn atomic(&self) -> Option<&'static str> {
        use DType::*;
        let Loop { ins, outs, .. } = self.op.loops()[self.signature as usize];
        let alike = self.operand == Some(self.array) && ins[..2] == [self.array; 2] && outs[0] == self.array;
        let function = self.op.record().folds.atomic;
        function.filter(|_| alike && matches!(self.array, I32 | U32 | I64 | U64))
    }

    /// The text of the kernel `at`.
    pub fn source(&self) -> String {
        let Loop { ins: [first, second, _], outs: [out, _], expr } = self.op.loops()[self.signature as usize];
        let record = self.op.record();
        let (wide, operand) = (record.wide, self.operand.unwrap_or(DType::U8));
        let mut text = headers([self.array, operand, first, second, out], wide);
        text.push_str(record.text);
        if first.is_complex() {
            text.push_str(record.complex_text);
        }
        let _ = writeln!(
            text,
            "typedef {} element;\ntypedef {} item;\ntypedef {} uindex;\ntypedef {} divider;\n#define AXES {}\n\
             #define SORTED {}\n#define FLAT {}\n#define TOGETHER {}",
            self.array.device_name(),
            operand.device_name(),
            if self.wide { "u64" } else { "u32" },
            if self.wide { "divider64" } else { "divider32" },
            if self.deep { DEEP_AXES } else { SHALLOW_AXES },
            u8::from(self.atomic().is_none()),
            u8::from(self.flat),
            // Long functions stand in the text once.
            u8::from(self.atomic().is_none() && self.flat && !record.heavy),
        );
        if let Some(function) = self.atomic() {
            // Of 64 bits the atomic functions take unsigned words; a sum has the same bits.
            let word = match (self.array, function) {
                (DType::I64, "atomicMax" | "atomicMin") => "long long",
                (DType::I64 | DType::U64, _) => "unsigned long long",
                (DType::I32, _) => "int",
                _ => "unsigned",
            };
            let _ = writeln!(
                text,
                "DEVICE void change(element *place, item e) {{ {function}(({word} *)place, ({word})e); }}"
            );
        } else {
            let _ = writeln!(text, "DEVICE element step(element x, item e) {{");
            let _ = writeln!(text, "  const {} loop0 = {};", first.device_name(), cast(self.array, first, "x"));
            let _ = writeln!(text, "  const {} a = {};", compute_type(first, wide), widen(first, wide, "loop0"));
            if self.operand.is_some() {
                let _ = writeln!(text, "  const {} loop1 = {};", second.device_name(), cast(operand, second, "e"));
                let _ = writeln!(text, "  const {} b = {};", compute_type(second, wide), widen(second, wide, "loop1"));
            }
            let _ = writeln!(text, "  const {} y = {};", out.device_name(), narrow(out, wide, expr));
            let _ = writeln!(text, "  return {};\n}}", cast(out, self.array, "y"));
        }
        text.push_str(OFFSET);
        text.push_str(AT);
        text
    }
}
