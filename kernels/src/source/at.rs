//! The source text of the method `at`.

use std::fmt::Write;

use super::{Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};
use crate::registry::{Loop, UfuncId};

parameters! {
    /// Parameters of the kernel `at`.
    AtParams<'a, P> {
        /// Number of positions.
        positions: usize,
        /// Elements behind each position.
        inner: usize,
        /// Elements of the array.
        places: usize,
        /// The positions, sorted; where no order can be told from another, as they came.
        keys: Read<P>,
        /// int64: where each of the sorted positions comes from.
        order: Read<P>,
        /// A word that is not 0 where nothing is to be changed.
        rejected: Read<P>,
        /// What is changed.
        array: Written<P>,
        /// int64: of exact sums, the limbs of all places, then the next ones of all.
        limbs: Written<P>,
        /// uint32: of exact sums, a word, then four bits for each place.
        marks: Written<P>,
        /// A part for each position.
        operand: Read<P>,
        /// Of the array: those that the positions count, then those behind.
        array_axes: u32,
        /// Of the operand.
        operand_axes: u32,
        /// Of the array's axes.
        array_sizes: Sizes<'a>,
        /// Of the operand's axes.
        operand_sizes: Sizes<'a>,
        /// Of the array.
        array_strides: Strides<'a>,
        /// Of the operand.
        operand_strides: Strides<'a>,
    }
}

/// Bytes of the elements that a block changes in shared memory.
const STAGED_BYTES: usize = 32 << 10;

/// What blocks have of the steps of `at`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Neighbours among the positions, which are sorted where steps need an order.
    #[default]
    Steps,
    /// Neighbours, which are done in shared memory first: few elements, whose steps need no order.
    Copies,
    /// Elements, whose steps a block looks for among all, which are few and need an order.
    Elements,
}

/// All that decides the text of the kernel `at`, with the parameters [`AtParams`].
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
    /// True if positions are int64, and not uint32.
    pub far: bool,
    /// The array and the operand walk one axis each.
    pub flat: bool,
    /// What blocks have of the steps.
    pub sharing: Sharing,
    /// Of indices and axes.
    pub width: Width,
}

impl At {
    /// Returns the kernel's name in messages: `add.at/float32`.
    pub fn name(&self) -> String {
        format!("{}.at/{}", self.op.record().name, self.array)
    }

    /// Returns the type of a position.
    pub(super) fn cell(&self) -> &'static str {
        if self.far { "i64" } else { "u32" }
    }

    /// Returns the function of the device that does a step as one, in any order with the same result: where there is
    /// one, the positions need not be sorted.
    pub fn atomic(&self) -> Option<&'static str> {
        use DType::*;
        let Loop { ins, outs, .. } = self.op.loops()[self.signature as usize];
        let alike = self.operand == Some(self.array) && ins[..2] == [self.array; 2] && outs[0] == self.array;
        let function = self.op.record().folds.atomic;
        let takes = match self.array {
            I32 | U32 | I64 | U64 => true,
            F16 | BF16 | F32 | F64 => matches!(function, Some("atomicMax" | "atomicMin")),
            _ => false,
        };
        function.filter(|_| alike && takes)
    }

    /// Returns the most elements of an array that is changed in shared memory first, where that may be: 32 KB of them.
    pub fn most_staged(&self) -> usize {
        if self.atomic().is_some() { STAGED_BYTES / self.array.size().max(4) } else { 0 }
    }

    /// Returns the source of the kernel `at`.
    pub fn source(&self) -> String {
        let Loop { ins: [first, second, _], outs: [out, _], expr } = self.op.loops()[self.signature as usize];
        let record = self.op.record();
        let (wide, operand) = (record.wide, self.operand.unwrap_or(DType::U8));
        let mut text = headers([self.array, operand, first, second, out], wide);
        text.push_str(record.text);
        if first.is_complex() {
            text.push_str(record.complex_text);
        }
        let atomic = self.atomic();
        let unit = Unit::new(text, "at")
            .typed("element", self.array.device_name())
            .typed("item", operand.device_name())
            .typed("cell", self.cell())
            .indexed(self.width)
            .switch("SORTED", atomic.is_none())
            .switch("FLAT", self.flat)
            // Long functions stand in the text once.
            .number("AT_ONCE", if record.heavy { 1 } else { 8 })
            .switch("TOGETHER", atomic.is_none() && self.flat && !record.heavy)
            .params(&AtParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        if let Some(function) = atomic {
            // Floats are changed as the integers of their order.
            let slot = match self.array {
                DType::F16 | DType::BF16 | DType::F32 => DType::I32,
                DType::F64 => DType::I64,
                own => own,
            };
            // Of 64 bits the atomic functions take unsigned words; a sum has the same bits.
            let word = match (slot, function) {
                (DType::I64, "atomicMax" | "atomicMin") => "long long",
                (DType::I64 | DType::U64, _) => "unsigned long long",
                (DType::I32, _) => "int",
                _ => "unsigned",
            };
            let _ =
                writeln!(text, "typedef {} slot;\nconstexpr int SLOTS = {};", slot.device_name(), self.most_staged());
            let _ =
                writeln!(text, "DEVICE void change(slot *place, slot e) {{ {function}(({word} *)place, ({word})e); }}");
            if slot == self.array {
                // What a step with which changes nothing.
                let bits = 8 * slot.size() - 1;
                let signed = matches!(slot, DType::I32 | DType::I64);
                let neutral = match (function, signed) {
                    ("atomicMax", true) => format!("(slot)(1ull << {bits})"),
                    ("atomicMin", true) => format!("(slot)~(1ull << {bits})"),
                    ("atomicMin" | "atomicAnd", _) => "(slot)~0ull".into(),
                    _ => "(slot)0".into(),
                };
                let _ =
                    writeln!(text, "constexpr slot NEUTRAL = {neutral};\nDEVICE slot slot_of(item e) {{ return e; }}");
            } else {
                let (word, infinite) = match self.array {
                    DType::F16 => ("u16", "0x7c00"),
                    DType::BF16 => ("u16", "0x7f80"),
                    DType::F32 => ("u32", "0x7f800000u"),
                    _ => ("u64", "0x7ff0000000000000ull"),
                };
                let _ = writeln!(text, "typedef {word} word;\nconstexpr word INFINITE = {infinite};");
                let _ = writeln!(text, "constexpr bool GREATEST = {};", function == "atomicMax");
                let _ = writeln!(text, "constexpr bool NAN_WINS = {};", !record.folds.skips_nan);
                text.push_str(body!("at_extremes"));
            }
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
        let body = match self.sharing {
            Sharing::Steps => body!("at"),
            Sharing::Copies => body!("at_shared"),
            Sharing::Elements => body!("at_few"),
        };
        unit.with(&text).with(body!("at_places")).with(body).finish()
    }
}
