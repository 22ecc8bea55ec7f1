//! Source of the scan kernels (prefix sums and the like): inclusive scans along 1-D slices with an associative
//! operation.

use std::fmt::Write;

use super::horner::function;
use super::{Reading, ReadingParams, Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::params::{Fields, Parameters, Read, Sizes, Strides, Written, parameters};
use crate::registry::{Loop, UfuncId};
use crate::{DType, Kind};

/// Threads of a block: `THREADS` of `include/scan.cuh`.
pub const SCAN_THREADS: usize = 256;

/// Number of adjacent slices that a thread has if it reads vectors across them.
pub const SCAN_COLUMNS: usize = 2;

/// Maximum number of levels of totals that a kernel keeps: `MOST_LEVELS` of `include/scan.cuh`.
pub const SCAN_LEVELS: usize = 16;

/// Bytes that a thread reads at once if elements are contiguous, and the most that it writes for them, in words of that
/// size.
const VECTOR_BYTES: usize = 16;
const WRITTEN_BYTES: usize = 2 * VECTOR_BYTES;

/// Distribution of the elements over threads and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// The lanes of a warp share short slices.
    Teams,
    /// A block scans a tile of a slice, or a whole slice.
    Rows,
    /// A block scans all of several adjacent slices.
    Columns,
}

parameters! {
    /// Parameters of the kernel `scan`.
    ScanParams<'a, P> {
        /// Number of 1-D slices.
        lines: usize,
        /// Length of a slice.
        length: usize,
        /// Tiles of a slice, or strips of a panel.
        tiles: usize,
        /// Number of slices, or of panels of slices.
        groups: usize,
        /// The results.
        out: Written<P>,
        /// The elements.
        input: Read<P>,
        /// The number of tiles that blocks have taken, and totals; zeros before the launch.
        scratch: Written<P>,
        /// Stride of the elements along a slice, in bytes.
        step_in: i64,
        /// Stride of the results along a slice, in bytes.
        step_out: i64,
        /// Number of axes across the slices.
        line_axes: u32,
        /// Base-2 logarithm of the lanes of a slice, or of the columns of a panel.
        width_log2: u32,
        /// Number of levels of totals.
        levels: u32,
        /// For `unwrap`: the period, the lower and the upper bound of a corrected difference, each an element of the
        /// results in the first bytes of a word, and the discontinuity threshold.
        numbers: [u64; 4],
        /// Sizes of the axes across the slices.
        line: Sizes<'a>,
        /// Strides of the elements across the slices.
        line_in: Strides<'a>,
        /// Strides of the results across the slices.
        line_out: Strides<'a>,
    }
}

/// Phase unwrapping (`unwrap`): a scan of the corrections of the differences between adjacent elements, which are added
/// to the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jumps {
    /// True if half of the period is a number of the dtype: a corrected difference of minus that half then takes the
    /// sign of the original one.
    pub halved: bool,
    /// Threshold that makes a difference a discontinuity.
    pub from: JumpFrom,
}

/// Type of the discontinuity threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpFrom {
    /// A float64.
    Float,
    /// A 64-bit integer of the differences' signedness.
    Whole,
    /// There is none: no difference is a discontinuity.
    Nowhere,
}

/// Key of the kernel `scan`, with the parameters [`ScanParams`]: everything that its source depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The operation, associative and of two operands.
    pub op: UfuncId,
    /// The index of its loop, whose operands and result are of one dtype.
    pub signature: u8,
    /// The dtype of the elements in memory.
    pub element: DType,
    /// The dtype of the results in memory.
    pub stored: DType,
    /// True if a NaN is replaced by the identity.
    pub skip_nan: bool,
    /// Distribution of the elements.
    pub method: ScanMethod,
    /// True if several blocks share a slice.
    pub tree: bool,
    /// True if elements and results are contiguous and aligned: those of a slice, or those of [`SCAN_COLUMNS`] slices.
    pub vector: bool,
    /// Number of vectors (or elements of a column) that a thread takes at once.
    pub rounds: u8,
    /// Base-2 logarithm of the number of tiles of a group, and of groups of a group of the next level: at most 32.
    pub radix_log2: u8,
    /// Phase unwrapping, for which `op` is the sum, `stored` is the dtype of its loop, and elements are read one by
    /// one.
    pub jumps: Option<Jumps>,
    /// Width of slice indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Key of the kernel `scan` over an expression that is computed as it is read, with the parameters [`ReadScanParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadScan {
    /// The kernel that would scan the array, without phase unwrapping.
    pub of_array: Scan,
    /// The expression.
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

/// Parameters of the kernel of a [`ReadScan`].
#[derive(Clone, Copy, Debug)]
pub struct ReadScanParams<'a, P> {
    /// The parameters of the array kernel, whose input is unused.
    pub scan: ScanParams<'a, P>,
    /// The operands of the expression.
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

    /// Returns the number of elements of a vector along a slice.
    pub fn vector_elements(element: DType, stored: DType) -> usize {
        (VECTOR_BYTES / element.size()).min(WRITTEN_BYTES / stored.size())
    }

    /// Returns the alignment in bytes of vectors of elements and of results.
    pub fn vector_bytes(element: DType, stored: DType) -> [usize; 2] {
        let n = Scan::vector_elements(element, stored);
        [n * element.size(), n * stored.size()].map(|bytes| bytes.min(VECTOR_BYTES))
    }

    /// Returns the number of elements that a thread reads at once: of a slice, or one of each of as many slices.
    fn neighbours(&self) -> usize {
        match self.method {
            _ if !self.vector => 1,
            ScanMethod::Columns => SCAN_COLUMNS,
            _ => Scan::vector_elements(self.element, self.stored),
        }
    }

    /// Returns the number of elements that a thread takes at once.
    pub fn items(&self) -> usize {
        self.rounds as usize * self.neighbours()
    }

    /// Returns the minimum number of resident blocks per multiprocessor: while the tiles of a slice wait for each
    /// other, other blocks read, and panels of columns of many blocks are loaded at once. That leaves a thread 40
    /// registers with six blocks, 64 with four; a fused expression needs more registers, and values of 16 bytes would
    /// not fit.
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

    /// Returns the number of 64-bit words of a total: each holds 32 bits of it, and a flag.
    pub fn words(&self) -> usize {
        let bytes = if matches!(self.out(), DType::F16 | DType::BF16) { 4 } else { self.out().size() };
        bytes.div_ceil(4)
    }

    /// Returns the kernel's name in messages: `add.scan/float32`.
    pub fn name(&self) -> String {
        let of = if self.jumps.is_some() { "unwrap" } else { self.op.record().name };
        format!("{of}.scan/{}", self.element)
    }

    /// Returns the source of the kernel `scan`.
    pub fn source(&self) -> String {
        self.text(None)
    }

    /// Returns the source for elements that are read from memory, or from an expression that is computed as it is read.
    fn text(&self, through: Option<&Reading>) -> String {
        let Loop { outs: [out, _], expr, .. } = *self.signature();
        let (wide, reduction) = (self.op.record().wide, self.op.record().folds.reduction);
        // All NaNs become one bit pattern, as in reductions.
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

    /// Appends the functions that read and store elements of an ordinary scan.
    fn of_elements(&self, in_memory: bool, text: &mut String) {
        let Loop { ins: [first, ..], outs: [out, _], .. } = *self.signature();
        let wide = self.op.record().wide;
        // NaNs are detected in the dtype in memory: a cast to integers would hide them.
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

    /// Appends the functions that read and store elements for phase unwrapping. The arithmetic is that of the ufuncs:
    /// each step is rounded to the dtype.
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
        text.push_str(body!("unwrap"));
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
