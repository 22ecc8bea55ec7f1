//! The source text of scans: every result on the way along lines of elements, of functions whose operands may be grouped in
//! any way.

use std::fmt::Write;

use super::horner::function;
use super::{Reading, ReadingParams, Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::params::{Fields, Parameters, Read, Sizes, Strides, Written, parameters};
use crate::registry::{Loop, UfuncId};
use crate::{DType, Kind};

/// Threads of a block: `THREADS` of `include/scan.cuh`.
pub const SCAN_THREADS: usize = 256;

/// Neighbouring lines that a thread has where it reads vectors across them.
pub const SCAN_COLUMNS: usize = 2;

/// The most levels of totals that a kernel keeps: `MOST_LEVELS` of `include/scan.cuh`.
pub const SCAN_LEVELS: usize = 16;

/// Bytes that a thread reads at once where elements lie side by side, and the most that it writes behind it, in words of as many.
const VECTOR_BYTES: usize = 16;
const WRITTEN_BYTES: usize = 2 * VECTOR_BYTES;

/// How the elements are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// Lanes of a warp have a short line.
    Teams,
    /// A block has a tile of a line, or goes along a line.
    Rows,
    /// A block has neighbouring lines, and goes along all of them.
    Columns,
}

parameters! {
    /// Parameters of the kernel `scan`.
    ScanParams<'a, P> {
        /// Lines of elements.
        lines: usize,
        /// Elements of a line.
        length: usize,
        /// Tiles of a line, or strips of a panel.
        tiles: usize,
        /// Lines, or panels of them.
        groups: usize,
        /// The results.
        out: Written<P>,
        /// The elements.
        input: Read<P>,
        /// The number of tiles that are taken, and totals: zeros at first.
        scratch: Written<P>,
        /// Bytes from an element of a line to the next.
        step_in: i64,
        /// Bytes from a result of a line to the next.
        step_out: i64,
        /// Of the lines.
        line_axes: u32,
        /// Lanes of a line, or columns of a panel, as a power of two.
        width_log2: u32,
        /// Levels of totals.
        levels: u32,
        /// Of jumps: the period, and the least and the most that a distance is brought to, each an element of the results in the
        /// first bytes of a word, and the least distance that is a jump.
        numbers: [u64; 4],
        /// Of the lines.
        line: Sizes<'a>,
        /// Of the elements, from line to line.
        line_in: Strides<'a>,
        /// Of the results.
        line_out: Strides<'a>,
    }
}

/// Scans of what takes the jumps between neighbours away, which is added to the elements themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jumps {
    /// True if half of the period is a number of the dtype, which distances of the other sign become, too.
    pub halved: bool,
    /// Which distances are jumps.
    pub from: JumpFrom,
}

/// Which distances of neighbours are jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpFrom {
    /// Those from a float64 on.
    Float,
    /// Those of integers, from a 64-bit integer of their own sign on.
    Whole,
    /// None.
    Nowhere,
}

/// All that decides the text of a scan: the key of the kernel `scan`, with the parameters [`ScanParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The operation, of two operands, which may be grouped in any way.
    pub op: UfuncId,
    /// The index of its loop, whose operands and result are of one dtype.
    pub signature: u8,
    /// The dtype of the elements in memory.
    pub element: DType,
    /// The dtype of the results in memory.
    pub stored: DType,
    /// True if a NaN counts as the identity.
    pub skip_nan: bool,
    /// How the elements are shared out.
    pub method: ScanMethod,
    /// True if a line is shared by several blocks.
    pub tree: bool,
    /// True if elements and results lie side by side, aligned: those of a line, or those of [`SCAN_COLUMNS`] lines.
    pub vector: bool,
    /// Vectors (or elements of a column) that a thread takes at once.
    pub rounds: u8,
    /// Tiles of a group, and groups of the group above, as a power of two: at most 32.
    pub radix_log2: u8,
    /// Whether it is the jumps between elements that are summed, `op` being the sum and `stored` the dtype of its loop, and
    /// elements being read one by one.
    pub jumps: Option<Jumps>,
    /// Of indices of lines, and of their axes.
    pub width: Width,
}

/// A scan of what is computed as it is read: the key of the kernel `scan` that is told [`ReadScanParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadScan {
    /// The kernel that would scan the array; of no jumps.
    pub of_array: Scan,
    /// What is read.
    pub reading: Reading,
}

impl ReadScan {
    /// Returns the kernel's name in messages: `add.scan/multiply/float32,float32`.
    pub fn name(&self) -> String {
        format!("{}.scan/{}", self.of_array.op.record().name, self.reading.name())
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        self.of_array.text(Some(&self.reading))
    }
}

/// What the kernel of a [`ReadScan`] is told.
#[derive(Clone, Copy, Debug)]
pub struct ReadScanParams<'a, P> {
    /// As of an array, which is none.
    pub scan: ScanParams<'a, P>,
    /// What is read.
    pub reading: ReadingParams<'a, P>,
}

impl<P: Copy> Parameters<P> for ReadScanParams<'_, P> {
    fn visit(&self, to: &mut impl Fields<P>) {
        self.scan.visit(to);
        self.reading.visit(to);
    }
}

impl Scan {
    fn signature(&self) -> &'static Loop {
        &self.op.loops()[self.signature as usize]
    }

    /// Returns the dtype of the results before they are stored.
    pub fn out(&self) -> DType {
        self.signature().out()
    }

    /// Elements of a vector of a line.
    pub fn vector_elements(element: DType, stored: DType) -> usize {
        (VECTOR_BYTES / element.size()).min(WRITTEN_BYTES / stored.size())
    }

    /// Bytes at which vectors of elements and of results must begin.
    pub fn vector_bytes(element: DType, stored: DType) -> [usize; 2] {
        let n = Scan::vector_elements(element, stored);
        [n * element.size(), n * stored.size()].map(|bytes| bytes.min(VECTOR_BYTES))
    }

    /// Elements that a thread reads at once: of a line, or neighbours of as many lines.
    fn neighbours(&self) -> usize {
        match self.method {
            _ if !self.vector => 1,
            ScanMethod::Columns => SCAN_COLUMNS,
            _ => Scan::vector_elements(self.element, self.stored),
        }
    }

    /// Elements that a thread takes at once.
    pub fn items(&self) -> usize {
        self.rounds as usize * self.neighbours()
    }

    /// Blocks that are to share a multiprocessor: while tiles of a line wait for each other, others read, and a panel of columns
    /// for each of many blocks is on its way at once. That leaves a thread 40 registers of six blocks, 64 of four; what computes
    /// its elements needs more, and values of 16 bytes would not fit into that.
    fn residents(&self, computes: bool) -> usize {
        let pairs = self.vector && self.method == ScanMethod::Columns;
        match (self.out().size(), self.method) {
            (16, _) => 1,
            (_, ScanMethod::Columns) if pairs => 3,
            (8, _) | (_, ScanMethod::Columns) => 4,
            _ if computes => 4,
            _ => 6,
        }
    }

    /// 64-bit words of a total: each holds 32 bits of it, and a mark.
    pub fn words(&self) -> usize {
        let bytes = if matches!(self.out(), DType::F16 | DType::BF16) { 4 } else { self.out().size() };
        bytes.div_ceil(4)
    }

    /// Returns the kernel's name in messages: `add.scan/float32`.
    pub fn name(&self) -> String {
        let of = if self.jumps.is_some() { "jumps" } else { self.op.record().name };
        format!("{of}.scan/{}", self.element)
    }

    /// Returns the source of the kernel `scan`.
    pub fn source(&self) -> String {
        self.text(None)
    }

    /// Returns the same, of elements that lie in memory or are computed as they are read.
    fn text(&self, through: Option<&Reading>) -> String {
        let Loop { outs: [out, _], expr, .. } = *self.signature();
        let (wide, reduction) = (self.op.record().wide, self.op.record().folds.reduction);
        // All NaNs become one, as in reductions.
        let expr = match (reduction, out) {
            (Some("max"), DType::F32) => "one_nan_maximum(a, b)",
            (Some("min"), DType::F32) => "one_nan_minimum(a, b)",
            _ => expr,
        };
        let dtypes = [self.element, self.stored, out];
        let mut text = through.map_or_else(|| headers(dtypes, wide), |reading| reading.headers(dtypes));
        text.push_str(self.op.record().text);
        let (method, threads) = match self.method {
            ScanMethod::Teams => ("teams", self.rounds),
            ScanMethod::Rows => ("rows", self.rounds),
            ScanMethod::Columns => ("columns", 1),
        };
        let depth = if self.method == ScanMethod::Columns { self.rounds } else { 1 };
        let value = compute_type(out, wide);
        let unit = Unit::new(text, "scan")
            .typed("given", self.element.device_name())
            .typed("stored", self.stored.device_name())
            .typed("value", value)
            .indexed(self.width)
            .number("V", self.neighbours())
            .number("ROUNDS", threads.into())
            .number("DEPTH", depth.into())
            .number("RADIX_LOG2", self.radix_log2.into())
            .choice("VECTOR", self.vector)
            .choice("TREE", self.tree)
            .choice("WALKS", self.method == ScanMethod::Rows && !self.tree)
            .choice("METHOD", method)
            .number("RESIDENT", self.residents(through.is_some() || self.jumps.is_some()));
        let params = ScanParams::<()> { width: self.width, ..Default::default() };
        let unit = match through {
            None => unit.params(&params).with(body!("scan_reads")),
            Some(reading) => {
                let unit = unit.with("using namespace reading;\n");
                let params =
                    |reading: &ReadingParams<'_, ()>| unit.params(&ReadScanParams { scan: params, reading: *reading });
                reading.with_params(params).with(&reading.text()).with(body!("scan_computes"))
            }
        };
        let mut text = String::new();
        let _ = writeln!(
            text,
            "DEVICE value combine(value a, value b) {{ return (value)({expr}); }}\n\
             DEVICE stored to_stored(value x) {{\n  const {} y = {};\n  return {};\n}}",
            out.device_name(),
            narrow(out, wide, "x"),
            cast(out, self.stored, "y"),
        );
        match self.jumps {
            Some(jumps) => self.of_jumps(jumps, &mut text),
            None => self.of_elements(through.is_none(), &mut text),
        }
        unit.with(&text).with(body!("scan")).finish()
    }

    /// How elements are read and stored that are scanned as they are.
    fn of_elements(&self, in_memory: bool, text: &mut String) {
        let Loop { ins: [first, ..], outs: [out, _], .. } = *self.signature();
        let wide = self.op.record().wide;
        // A NaN is known in the dtype in memory: a cast to integers would hide it.
        let skipped = match self.op.record().identity {
            Some(identity) if self.skip_nan && (self.element.is_float() || self.element.is_complex()) => format!(
                "  const f32 neutral = {identity};\n  if (is_nan({})) {{ const {} y = {}; return {}; }}\n",
                widen(self.element, false, "e"),
                out.device_name(),
                cast(DType::F32, out, "neutral"),
                widen(out, wide, "y"),
            ),
            _ => String::new(),
        };
        text.push_str("typedef given element;\n");
        if in_memory {
            text.push_str(
                "DEVICE element element_at(const params &p, const char *line, u64 i) {\n  \
                 return *(const element *)(line + (i64)i * p.step_in);\n}\n",
            );
        }
        let _ = writeln!(
            text,
            "DEVICE value of_element(const params &, element e) {{\n{skipped}  const {} y = {};\n  return {};\n}}\n\
             DEVICE stored stored_at(const params &, const origin &, u64, value x) {{ return to_stored(x); }}",
            first.device_name(),
            cast(self.element, first, "e"),
            widen(first, wide, "y"),
        );
    }

    /// How elements are read and stored whose jumps are scanned. What is computed with them is the functions of elements: each
    /// step is rounded to the dtype.
    fn of_jumps(&self, jumps: Jumps, text: &mut String) {
        let (dtype, given) = (self.stored, self.element);
        function(text, "plus", "add", dtype);
        function(text, "minus", "subtract", dtype);
        function(text, "modulo", "remainder", dtype);
        let distance = if given == DType::Bool { "a != b" } else { "minus(a, b)" };
        if given != dtype && given != DType::Bool {
            function(text, "minus", "subtract", given);
        }
        let distance_wide = widen(given, false, "distance");
        let magnitude = match given {
            d if d.is_float() => format!("fabs({distance_wide})"),
            d if d.kind() == Kind::Signed => "integer_absolute(distance)".into(),
            _ => "distance".into(),
        };
        let whole = if given.kind() == Kind::Unsigned { "u64" } else { "i64" };
        let small = match jumps.from {
            JumpFrom::Float => format!("(f64)({magnitude}) < number_of(p.numbers[3])"),
            JumpFrom::Whole => format!("({whole})({magnitude}) < ({whole})p.numbers[3]"),
            JumpFrom::Nowhere => "true".into(),
        };
        let own = cast(given, dtype, "own");
        let _ = writeln!(
            text,
            "DEVICE f64 number_of(u64 bits) {{ return __longlong_as_double((i64)bits); }}\n\
             DEVICE given distance_of(given a, given b) {{ return {distance}; }}\n\
             constexpr bool HALVED = {};\n\
             DEVICE bool is_small(const params &p, given distance) {{ return {small}; }}\n\
             DEVICE bool rises(given distance) {{ return {distance_wide} > 0; }}\n\
             DEVICE stored as_stored(given own) {{ return {own}; }}\n\
             DEVICE value as_value(stored y) {{ return {}; }}",
            jumps.halved,
            widen(dtype, false, "y"),
        );
        text.push_str(body!("jumps"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, element: DType, out: DType, stored: DType) -> Scan {
        let op = UfuncId::named(name).unwrap();
        let signature = op.loops().iter().position(|l| l.out() == out).unwrap() as u8;
        let method = ScanMethod::Rows;
        let (skip_nan, tree, vector, width) = (false, true, true, Width::default());
        let (rounds, radix_log2, jumps) = (4, 5, None);
        Scan { op, signature, element, stored, skip_nan, method, tree, vector, rounds, radix_log2, jumps, width }
    }

    #[test]
    fn halves_are_gathered_in_float32_and_rounded_once() {
        let text = key("add", DType::F16, DType::F16, DType::F16).source();
        assert!(text.contains("typedef f32 value;") && text.contains("const f16 y = f16_from(x);"), "{text}");
    }

    #[test]
    fn a_vector_is_a_word_that_is_read_and_two_at_most_that_are_written() {
        assert_eq!(key("add", DType::I8, DType::I64, DType::I64).items(), 16);
        assert_eq!(Scan::vector_bytes(DType::I8, DType::I64), [4, 16]);
        assert_eq!(Scan::vector_bytes(DType::I32, DType::I64), [16, 16]);
        assert_eq!(Scan::vector_bytes(DType::F64, DType::F32), [16, 8]);
        assert_eq!(key("add", DType::F32, DType::F32, DType::F32).items(), 16);
        assert_eq!(key("add", DType::C128, DType::C128, DType::C128).words(), 4);
    }

    #[test]
    fn a_nan_is_skipped_before_it_is_cast() {
        let skipping = Scan { skip_nan: true, ..key("multiply", DType::F32, DType::I64, DType::I64) };
        let text = skipping.source();
        assert!(text.contains("neutral = 1;") && text.contains("if (is_nan(e))"), "{text}");
    }
}
