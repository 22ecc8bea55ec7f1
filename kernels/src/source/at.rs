//! Source of the kernel of the ufunc method `at`.

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
        /// Elements of the array at each position.
        inner: usize,
        /// Number of elements of the array.
        targets: usize,
        /// The positions: sorted, or in the order given if the result does not depend on the order.
        keys: Read<P>,
        /// int64: the index that each of the sorted positions had before sorting, if the operand is not sorted too.
        order: Read<P>,
        /// A word that is not 0 if an index was rejected and nothing must be changed.
        rejected: Read<P>,
        /// The array that is changed.
        array: Written<P>,
        /// int64: for exact sums, the first limb of every element, then the second of every element, and so on.
        limbs: Written<P>,
        /// uint32: for exact sums, a word of flags, one with a bit for each limb that is used, then four flag bits for
        /// each element.
        marks: Written<P>,
        /// uint32: for linked updates, the number of elements with many updates, the number of blocks that are done,
        /// then for each element the number of the last linked update, counted from 1.
        heads: Option<Written<P>>,
        /// uint32: for linked updates, the number of the update linked before each, counted from 1, or 0.
        links: Option<Written<P>>,
        /// For linked updates, the number of elements that have limbs.
        room: Option<usize>,
        /// The length of the indexed axis, if `keys` are indices that the kernel checks.
        bound: Option<usize>,
        /// The error record.
        record: Option<Written<P>>,
        /// Number of the call in the error record.
        call: Option<u64>,
        /// Number of the function in the error record.
        function: Option<u32>,
        /// The number of the indexed axis.
        axis: Option<u32>,
        /// The second operand: `inner` elements for each position.
        operand: Read<P>,
        /// Number of axes of the array: those that the positions index, then the inner ones.
        array_axes: u32,
        /// Number of axes of the operand.
        operand_axes: u32,
        /// Sizes of the array's axes.
        array_sizes: Sizes<'a>,
        /// Sizes of the operand's axes.
        operand_sizes: Sizes<'a>,
        /// Strides of the array.
        array_strides: Strides<'a>,
        /// Strides of the operand.
        operand_strides: Strides<'a>,
    }
}

/// Bytes of the elements that a block updates in shared memory.
const STAGED_BYTES: usize = 32 << 10;

/// Distribution of the updates of `at` over the blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Adjacent positions, which are sorted if the updates need an order.
    #[default]
    Steps,
    /// Adjacent positions, applied in shared memory first: for few elements whose updates need no order.
    Copies,
    /// Elements: each block searches all positions for updates of its own elements, for few positions whose updates
    /// need an order.
    Elements,
}

/// Key of the kernel `at`, with the parameters [`AtParams`]: everything that its source depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The operation, with one operand or two and with one result.
    pub op: UfuncId,
    /// The index of its loop.
    pub signature: u8,
    /// The dtype of the array, to which every result is cast.
    pub array: DType,
    /// The dtype of the second operand in memory.
    pub operand: Option<DType>,
    /// True if positions are int64, false if they are uint32.
    pub far: bool,
    /// True if the array and the operand have one axis each.
    pub flat: bool,
    /// Distribution of the updates over the blocks.
    pub sharing: Sharing,
    /// True if floats may be added in any order.
    pub any_order: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl At {
    /// Returns the kernel's name in messages: `add.at/float32`.
    pub fn name(&self) -> String {
        format!("{}.at/{}", self.op.record().name, self.array)
    }

    /// Returns the C type of a position.
    pub(super) fn cell(&self) -> &'static str {
        if self.far { "i64" } else { "u32" }
    }

    /// Returns the device's atomic function for an update, which has the same result in any order, or whose order is not
    /// specified. If there is one, the positions need not be sorted.
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
        function.filter(|_| alike && takes || self.adds_floats())
    }

    /// Returns true if floats, or the parts of complex numbers, are added in any order.
    pub fn adds_floats(&self) -> bool {
        use DType::*;
        let found = self.op.loops()[self.signature as usize];
        let own = found.ins[..2] == [self.array; 2] && found.out() == self.array && self.operand == Some(self.array);
        self.any_order && own && self.op.record().name == "add" && matches!(self.array, F32 | F64 | C64 | C128)
    }

    /// Returns the largest number of elements of an array that is updated in shared memory first: 32 KB; 0 if it may
    /// not be. Additions of floats in shared memory would be loops of a comparison and an exchange.
    pub fn most_staged(&self) -> usize {
        if self.atomic().is_some() && !self.adds_floats() { STAGED_BYTES / self.array.size().max(4) } else { 0 }
    }

    /// Returns the headers that the function needs.
    pub(super) fn headers(&self) -> String {
        let Loop { ins: [first, second, _], outs: [out, _], .. } = self.op.loops()[self.signature as usize];
        let record = self.op.record();
        let mut text = headers([self.array, self.operand.unwrap_or(DType::U8), first, second, out], record.wide);
        text.push_str(record.text);
        if first.is_complex() {
            text.push_str(record.complex_text);
        }
        text
    }

    /// Returns the device function `step`: one update of an element.
    pub(super) fn step(&self) -> String {
        let Loop { ins: [first, second, _], outs: [out, _], expr } = self.op.loops()[self.signature as usize];
        let (wide, mut text) = (self.op.record().wide, String::new());
        let _ = writeln!(text, "DEVICE element step(element x, item e) {{");
        let _ = writeln!(text, "  const {} loop0 = {};", first.device_name(), cast(self.array, first, "x"));
        let _ = writeln!(text, "  const {} a = {};", compute_type(first, wide), widen(first, wide, "loop0"));
        if let Some(operand) = self.operand {
            let _ = writeln!(text, "  const {} loop1 = {};", second.device_name(), cast(operand, second, "e"));
            let _ = writeln!(text, "  const {} b = {};", compute_type(second, wide), widen(second, wide, "loop1"));
        }
        let _ = writeln!(text, "  const {} y = {};", out.device_name(), narrow(out, wide, expr));
        let _ = writeln!(text, "  return {};\n}}", cast(out, self.array, "y"));
        text
    }

    /// Returns the source of the kernel `at`.
    pub fn source(&self) -> String {
        let (record, text) = (self.op.record(), self.headers());
        let atomic = self.atomic();
        let unit = Unit::new(text, "at")
            .typed("element", self.array.device_name())
            .typed("item", self.operand.unwrap_or(DType::U8).device_name())
            .typed("cell", self.cell())
            .indexed(self.width)
            .switch("SORTED", atomic.is_none())
            .switch("FLAT", self.flat)
            // Long functions are emitted in the source once.
            .number("AT_ONCE", if record.heavy { 1 } else { 8 })
            .switch("TOGETHER", atomic.is_none() && self.flat && !record.heavy)
            .params(&AtParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        if self.adds_floats() {
            text.push_str("typedef element slot;\nDEVICE slot slot_of(item e) { return e; }\n");
            text.push_str(match self.array.is_complex() {
                true => {
                    "DEVICE void change(element *to, slot e) { atomicAdd(&to->re, e.re); atomicAdd(&to->im, e.im); }\n"
                }
                false => "DEVICE void change(element *to, slot e) { atomicAdd(to, e); }\n",
            });
        } else if let Some(function) = atomic {
            // Floats are updated as integers of the same order.
            let slot = match self.array {
                DType::F16 | DType::BF16 | DType::F32 => DType::I32,
                DType::F64 => DType::I64,
                own => own,
            };
            // The atomic functions of 64 bits take unsigned words; a sum has the same bits.
            let word = match (slot, function) {
                (DType::I64, "atomicMax" | "atomicMin") => "long long",
                (DType::I64 | DType::U64, _) => "unsigned long long",
                (DType::I32, _) => "int",
                _ => "unsigned",
            };
            let _ =
                writeln!(text, "typedef {} slot;\nconstexpr int SLOTS = {};", slot.device_name(), self.most_staged());
            let _ = writeln!(
                text,
                "DEVICE void change(slot *target, slot e) {{ {function}(({word} *)target, ({word})e); }}"
            );
            if slot == self.array {
                // The operand with which an update changes nothing.
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
            text.push_str(&self.step());
        }
        let body = match self.sharing {
            Sharing::Steps => body!("at"),
            Sharing::Copies => body!("at_shared"),
            Sharing::Elements => body!("at_few"),
        };
        unit.with(&text).with(body!("at_targets")).with(body).finish()
    }
}
