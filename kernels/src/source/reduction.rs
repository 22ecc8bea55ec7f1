//! Source of the reduction kernels.

use std::fmt::Write;

use super::{Reading, ReadingParams, Unit, Width, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Fields, Parameters, Read, Sizes, Strides, Value, Written, parameters};
use crate::registry::{Accumulator, Combination, ReductionId, ReductionLoop};

const EXTREMES: &str = header!("extremes");
const COMPLEX_EXTREMES: &str = header!("complex_extremes");
const MOMENTS: &str = header!("moments");
const COMPLEX_PRODUCT: &str = header!("complex_product");
const COMPLEX_MOMENTS: &str = header!("complex_moments");
const NORMS: &str = header!("norms");
const COMPLEX_NORMS: &str = header!("complex_norms");
const COUNTED: &str = header!("counted");
const TRUTHS: &str = header!("truths");
const DOT: &str = header!("dot");

/// Bytes that a thread reads at once if elements are contiguous.
pub const REDUCTION_VECTOR: usize = 16;

/// Bytes of shared memory in which short rows are staged.
pub const REDUCTION_STAGED: usize = 16 << 10;

/// Elements of a short row that a thread takes at once.
pub const REDUCTION_BATCH: usize = 8;

/// Number of short rows that a thread processes at once, if they share operands of a fused expression.
pub const REDUCTION_ROWS: usize = 4;

/// Rows of up to this many elements are short.
pub const REDUCTION_SHORT: usize = 32;

/// Arrangement of a block's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReductionClass {
    /// Along the elements of a result.
    Rows,
    /// Along the results.
    Columns,
    /// One thread for each short row, which is staged in shared memory.
    Staged,
}

parameters! {
    /// Parameters of the kernels `reduce` and `reduce_splits`.
    ReduceParams<'a, P> {
        /// Number of results.
        outputs: usize,
        /// Number of elements of each result.
        reduced: usize,
        /// Elements of a split.
        per_split: usize,
        /// The results.
        out: Written<P>,
        /// The elements.
        input: Read<P>,
        /// The mask of the elements that take part.
        mask: Read<P>,
        /// The partial results of each split.
        scratch: Written<P>,
        /// The initial value.
        initial: Value as "parameter<result>",
        /// The ddof: what is subtracted from the number of elements.
        ddof: f64,
        /// Number of splits.
        splits: u32,
        /// Base-2 logarithm of the number of adjacent threads along the results.
        outputs_log2: u32,
        /// Number of axes of the results.
        kept_axes: u32,
        /// Number of axes of a result's elements.
        reduced_axes: u32,
        /// True if there is an initial value.
        has_initial: bool,
        /// Staged rows of a block; for short rows of a fused expression, the number of threads that have rows.
        rows: usize,
        /// Sizes of the results' axes.
        kept: Sizes<'a>,
        /// Sizes of the axes of a result's elements.
        reduced_sizes: Sizes<'a>,
        /// Strides of the elements from result to result.
        kept_in: Strides<'a>,
        /// Strides of the results.
        kept_out: Strides<'a>,
        /// Strides of the elements of a result.
        reduced_in: Strides<'a>,
        /// Strides of the mask from result to result.
        kept_mask: Option<Strides<'a>>,
        /// Strides of the mask along the elements of a result.
        reduced_mask: Option<Strides<'a>>,
    }
}

/// Key of the kernels `reduce` and `reduce_splits`, with the parameters [`ReduceParams`]: everything that their source
/// depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReductionSource {
    /// The reduction.
    pub op: ReductionId,
    /// The dtype of the operand in memory.
    pub operand: DType,
    /// The requested dtype of the result, if any.
    pub result_dtype: Option<DType>,
    /// The arrangement of the threads.
    pub class: ReductionClass,
    /// Number of adjacent elements that a thread reads at once.
    pub per_load: u8,
    /// True if a mask says which elements take part.
    pub masked: bool,
    /// True if one-byte elements are read four at once, as one element: four of a row, or of four adjacent outputs,
    /// whose results are four results of one byte. See [`Self::may_read_words`].
    pub words: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Key of the kernels of a reduction over an expression that is computed as it is read, with the parameters
/// [`ReadReduceParams`]. Its elements are combined in the order of the reduction of an array that holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadReduction {
    /// The kernel that would reduce the array, without words.
    pub of_array: ReductionSource,
    /// The expression.
    pub reading: Reading,
    /// True if the elements of a load are adjacent along one axis of all operands.
    pub whole: bool,
    /// For short rows that each thread reads by itself: a bit mask of the arrays that are the same for all rows of a
    /// thread, which has several rows if there are such arrays. `None` if a block stages its rows in shared memory.
    pub own_rows: Option<u16>,
}

impl ReadReduction {
    /// Returns the number of adjacent elements that a thread reads at once. For rows the number is a part of the order
    /// in which elements are combined; for columns and for short rows it is not.
    pub fn per_load(&self) -> u8 {
        match self.of_array.class {
            ReductionClass::Columns if !self.whole => 1,
            ReductionClass::Staged if self.own_rows.is_none() => 1,
            _ => self.of_array.per_load,
        }
    }

    /// Returns the number of short rows that a thread processes at once.
    pub fn rows(&self) -> usize {
        if self.shared() == 0 { 1 } else { REDUCTION_ROWS }
    }

    fn shared(&self) -> u16 {
        self.own_rows.unwrap_or_default()
    }

    /// Returns the kernel's name in messages: `sum/subtract+square/float32,float32`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.of_array.op.record().name, self.reading.name())
    }

    /// Returns the source of the kernels, or `None` if the reduction has no loop for the dtype.
    pub fn source(&self) -> Option<String> {
        Some(self.of_array.text(&self.of_array.resolve()?, Some(self)))
    }
}

/// Parameters of the kernels of a [`ReadReduction`].
#[derive(Clone, Copy, Debug)]
pub struct ReadReduceParams<'a, P> {
    /// The parameters of the array kernel, whose input is unused.
    pub reduce: ReduceParams<'a, P>,
    /// The operands of the expression.
    pub reading: ReadingParams<'a, P>,
}

impl<P: Copy> Parameters<P> for ReadReduceParams<'_, P> {
    fn visit(&self, to: &mut impl Fields<P>) {
        self.reduce.visit(to);
        self.reading.visit(to);
    }
}

impl ReductionSource {
    /// Returns the loop that the kernel runs, or `None` if the reduction has none for the dtype.
    pub fn resolve(&self) -> Option<ReductionLoop> {
        self.op.resolve(self.operand, self.result_dtype, self.masked)
    }

    /// Returns the kernel's name in messages: `sum/float32`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.op.record().name, self.operand)
    }

    /// Returns the size in bytes of a partial result.
    pub fn accumulator_bytes(&self, accumulator: Accumulator) -> usize {
        match accumulator {
            _ if self.of_words() => 4,
            Accumulator::Value(d) => d.size(),
            // The index and the count are 8-byte aligned words; so is the whole.
            Accumulator::Indexed(d) | Accumulator::Counted(d) => d.size().next_multiple_of(8) + 8,
            Accumulator::Moments(d) => 8 + 2 * d.size(),
        }
    }

    /// Returns true if every partial result consists of four adjacent booleans.
    fn of_words(&self) -> bool {
        self.words && self.class == ReductionClass::Columns
    }

    /// Returns true if four adjacent elements of one byte can be read as one: booleans, and rows of what is counted or
    /// summed in integers.
    pub fn may_read_words(&self, l: &ReductionLoop) -> bool {
        let truth = self.op.is_truth() && self.op.record().map == "x";
        let counted = self.class == ReductionClass::Rows && self.begins_narrow(l);
        self.operand.size() == 1 && !self.masked && (truth || counted)
    }

    /// Returns the number of loads that a thread has in flight.
    pub(super) fn unroll(&self, l: &ReductionLoop) -> usize {
        let v = self.per_load as usize;
        match self.class {
            ReductionClass::Rows => (32 / v).min(4),
            ReductionClass::Columns => {
                let whole = v * self.operand.size() >= REDUCTION_VECTOR;
                if whole && matches!(l.accumulator, Accumulator::Value(_) | Accumulator::Counted(_)) { 4 } else { 8 }
            }
            ReductionClass::Staged => REDUCTION_BATCH,
        }
    }

    /// Returns true if sums of narrow integers begin in 32 bits: a batch of at most 64 cannot overflow them.
    fn begins_narrow(&self, l: &ReductionLoop) -> bool {
        if self.op.is_count() {
            return true;
        }
        let sums = self.op.record().combination == Combination::Sum && self.op.record().map == "x";
        let gathers = matches!(
            l.accumulator,
            Accumulator::Value(DType::I64 | DType::U64 | DType::F64) | Accumulator::Counted(DType::F64)
        );
        let narrow = self.operand == DType::Bool || (self.operand.is_integer() && self.operand.size() <= 2);
        sums && gathers && narrow && [DType::I64, DType::U64, DType::F64].contains(&l.element)
    }

    /// Returns the source of the kernels of `l`, this key's loop.
    pub fn source(&self, l: &ReductionLoop) -> String {
        self.text(l, None)
    }

    /// Returns the source for elements that are read from memory, or from an expression that is computed as it is read.
    fn text(&self, l: &ReductionLoop, through: Option<&ReadReduction>) -> String {
        let dtypes = [self.operand, l.element, l.out];
        let mut text = match through {
            None => headers(dtypes, false),
            Some(through) => through.reading.headers(dtypes),
        };
        let skips = self.op.skips(self.operand);
        let positions = matches!(l.accumulator, Accumulator::Indexed(_));
        for header in self.own_headers(l) {
            text.push_str(header);
        }
        let (v, unroll) = (through.map_or(self.per_load, ReadReduction::per_load) as usize, self.unroll(l));
        let batch = if self.class == ReductionClass::Rows { v * unroll } else { unroll };
        let item = if self.words { 4 } else { self.operand.size() };
        let word = match v * item {
            1 => "u8",
            2 => "u16",
            4 => "u32",
            8 => "uint2",
            _ => "uint4",
        };
        let counted = matches!(l.accumulator, Accumulator::Counted(_));
        if self.words {
            text.push_str(TRUTHS);
            text.push_str(DOT);
        }
        // The mask of an expression is computed with its elements.
        let of_mask = (self.masked && through.is_none()).then(Strides::default);
        let params =
            ReduceParams::<()> { width: self.width, kept_mask: of_mask, reduced_mask: of_mask, ..Default::default() };
        let unit = Unit::new(text, "reduction")
            .number("V", v)
            .number("UNROLL", unroll)
            .number("BATCH", batch)
            .number("STAGED", REDUCTION_STAGED / item)
            .number("SHORT", REDUCTION_SHORT)
            .number("PER_ELEMENT", if self.words { 4 } else { 1 })
            .switch("MASKED", self.masked)
            .switch("SKIP_NAN", skips)
            .switch("COUNTED", counted)
            .switch("POSITIONS", positions)
            .switch("FIRST_OF_NONE", positions && skips && !self.op.is_position())
            .typed("element", if self.words { "u32" } else { self.operand.device_name() })
            .typed("word", word)
            .typed("result", if self.of_words() { "u32" } else { l.out.device_name() })
            .indexed(self.width);
        let unit = match through {
            None => unit.params(&params).with(body!("reduce_reads")),
            Some(through) => {
                let unit = unit.with("using namespace reading;\n");
                let params = |reading: &ReadingParams<'_, ()>| {
                    unit.params(&ReadReduceParams { reduce: params, reading: *reading })
                };
                let unit = through.reading.with_params(params).switch("WHOLE", through.whole);
                let unit = unit.number("ROWS", through.rows()).number("SHARED", through.shared().into());
                unit.with(&through.reading.text()).with(body!("reduce_computes"))
            }
        };
        unit.with(&self.functions(l))
            .with(body!("reduce_tree"))
            .with(body!("reduce"))
            .with(Self::lane(l))
            .with(match self.class {
                ReductionClass::Rows => concat!(body!("reduce_held"), body!("reduce_rows")),
                ReductionClass::Columns => body!("reduce_columns"),
                ReductionClass::Staged if through.is_some_and(|of| of.own_rows.is_some()) => body!("reduce_short"),
                ReductionClass::Staged => body!("reduce_staged"),
            })
            .finish()
    }

    /// Returns the headers that the functions of a loop need, to precede all namespaces.
    pub(super) fn own_headers(&self, l: &ReductionLoop) -> impl Iterator<Item = &'static str> {
        let record = self.op.record();
        let complex = l.element.is_complex();
        let positions = matches!(l.accumulator, Accumulator::Indexed(_));
        let moments = matches!(l.accumulator, Accumulator::Moments(_));
        let norm = self.op.is_norm();
        let needed = [
            (matches!(record.combination, Combination::Larger | Combination::Smaller), EXTREMES),
            (positions && complex, COMPLEX_EXTREMES),
            (moments, MOMENTS),
            (moments && complex, COMPLEX_MOMENTS),
            (matches!(l.accumulator, Accumulator::Counted(_)), COUNTED),
            (norm, NORMS),
            (norm && complex, COMPLEX_NORMS),
            (complex && record.combination == Combination::Product, COMPLEX_PRODUCT),
        ];
        needed.into_iter().filter(|(needed, _)| *needed).map(|(_, header)| header)
    }

    /// Returns the name of the accumulator of a thread.
    pub(super) fn lane(l: &ReductionLoop) -> &'static str {
        match l.accumulator {
            Accumulator::Value(_) | Accumulator::Counted(_) => body!("lane_values"),
            Accumulator::Indexed(_) => body!("lane_positions"),
            Accumulator::Moments(_) => body!("lane_moments"),
        }
    }

    /// Returns the functions that map an element, combine partial results, and compute the result from the last one.
    pub(super) fn functions(&self, l: &ReductionLoop) -> String {
        let record = self.op.record();
        let skips = self.op.skips(self.operand);
        let positions = matches!(l.accumulator, Accumulator::Indexed(_));
        let counted = matches!(l.accumulator, Accumulator::Counted(_));
        let held = match l.accumulator {
            Accumulator::Value(d) | Accumulator::Indexed(d) | Accumulator::Counted(d) | Accumulator::Moments(d) => d,
        };
        let norm = self.op.is_norm();
        let complex_product = l.element.is_complex() && record.combination == Combination::Product;
        let mut text = String::new();
        // The map of an element.
        let small = self.begins_narrow(l);
        let computed = compute_type(l.element, false);
        let value = match () {
            () if self.of_words() => "u32",
            () if small => "i32",
            () if self.op.is_truth() => "bool",
            () if norm => held.device_name(),
            () => computed,
        };
        let value_of = if self.words {
            match record.combination {
                _ if self.of_words() => "return truths(e);".into(),
                _ if self.op.is_count() => "return (i32)dot4(truths(e), 0x01010101u, 0u);".into(),
                _ if small && self.operand == DType::I8 => "return dot4((i32)e, 0x01010101, 0);".into(),
                _ if small => "return (i32)dot4(e, 0x01010101u, 0u);".into(),
                Combination::Or => "return e != 0;".into(),
                // Tests that no byte is zero.
                _ => "return ((e - 0x01010101u) & ~e & 0x80808080u) == 0;".to_string(),
            }
        } else if self.op.is_count() {
            format!("return (i32)({});", cast(self.operand, DType::Bool, "e"))
        } else if small {
            "return (i32)e;".into()
        } else {
            // A cast to real numbers loses a NaN of the imaginary part, a cast to integers loses any.
            let lost = match record.combination {
                _ if !skips || l.element.is_complex() || (l.element.is_float() && !self.operand.is_complex()) => None,
                _ if l.element.is_float() => Some("bits_to_f32(0x7fc00000u)"),
                Combination::Product => Some("1"),
                _ => Some("0"),
            };
            let own = widen(self.operand, false, "e");
            let lost = lost.map_or(String::new(), |x| format!("if (is_nan({own})) return (value){x};\n  "));
            format!(
                "{lost}{} y = {};\n  {computed} x = {};\n  return {};",
                l.element.device_name(),
                cast(self.operand, l.element, "e"),
                widen(l.element, false, "y"),
                if complex_product { "factor_of(x)" } else { record.map }
            )
        };
        let _ = write!(text, "typedef {value} value;\nDEVICE value value_of(element e) {{\n  {value_of}\n}}\n");
        // The combination of values and of partial results.
        let own = if positions && !l.element.is_float() { l.element } else { held };
        let neutral_value = if small { "0".into() } else { self.neutral(own, skips && !positions) };
        let neutral_value = match record.combination {
            Combination::And if self.of_words() => "0x01010101u".into(),
            Combination::Or if self.of_words() => "0u".into(),
            _ => neutral_value,
        };
        let held_name = if self.of_words() { "u32" } else { held.device_name() };
        let op = |d: DType| match record.combination {
            Combination::And if self.of_words() => "a & b",
            Combination::Or if self.of_words() => "a | b",
            _ => self.combine(d, skips),
        };
        let (typedef, identity, combine) = match l.accumulator {
            Accumulator::Value(d) => {
                let identity = if self.of_words() { neutral_value.clone() } else { self.neutral(d, skips) };
                (held_name.to_string(), identity, format!("return {};", op(d)))
            }
            Accumulator::Indexed(_) => {
                let name = if record.combination == Combination::Larger { "larger" } else { "smaller" };
                (
                    format!("indexed<{held_name}>"),
                    format!("accumulator{{{neutral_value}, NOWHERE}}"),
                    format!("return {name}(a, b);"),
                )
            }
            Accumulator::Counted(d) => {
                let _ = writeln!(
                    text,
                    "DEVICE {held_name} combine_sums({held_name} a, {held_name} b) {{ return {}; }}",
                    op(d)
                );
                (
                    format!("counted<{held_name}>"),
                    format!("accumulator{{{}, 0}}", self.neutral(d, false)),
                    "return {combine_sums(a.value, b.value), a.count + b.count};".into(),
                )
            }
            Accumulator::Moments(d) => {
                let real = d.real().device_name();
                let _ = writeln!(text, "typedef {real} real;");
                (format!("moments<{held_name}, {real}>"), "accumulator{}".into(), "return merged(a, b);".into())
            }
        };
        // For argmax and argmin a NaN counts, as in NumPy, as the real number that loses every comparison.
        let skipped = match (l.element, record.combination) {
            (DType::C64 | DType::C128, Combination::Larger | Combination::Smaller)
                if skips && self.op.is_position() =>
            {
                let (name, real) = (l.element.device_name(), l.element.real().device_name());
                let worst = if record.combination == Combination::Larger { "0xff800000u" } else { "0x7f800000u" };
                format!("{name}{{({real})bits_to_f32({worst}), ({real})0}}")
            }
            _ => "neutral()".into(),
        };
        // In a block fewer than 2^32 elements take part, and a position is as wide as any index.
        let (partial, whole) = match l.accumulator {
            Accumulator::Indexed(_) => (
                format!("indexed<{held_name}, uindex>"),
                "return {a.value, a.index == ~(uindex)0 ? NOWHERE : (i64)a.index};",
            ),
            Accumulator::Moments(d) => (
                format!("moments<{held_name}, {}, u32>", d.real().device_name()),
                "return {a.count, a.mean, a.squares};",
            ),
            Accumulator::Value(_) | Accumulator::Counted(_) => (typedef.clone(), "return a;"),
        };
        let _ = write!(
            text,
            "typedef {typedef} accumulator;\ntypedef {partial} partial;\n\
             DEVICE accumulator whole(const partial &a) {{ {whole} }}\n\
             DEVICE value neutral() {{ return {neutral_value}; }}\n\
             DEVICE value skipped() {{ return {skipped}; }}\n\
             DEVICE accumulator identity() {{ return {identity}; }}\n\
             DEVICE accumulator combine(accumulator a, accumulator b) {{ {combine} }}\n"
        );
        if partial != typedef {
            let _ = writeln!(text, "DEVICE partial combine(partial a, partial b) {{ {combine} }}");
        }
        match l.accumulator {
            Accumulator::Value(d) | Accumulator::Counted(d) => {
                let values = if small { "a + b" } else { op(d) };
                let _ = writeln!(text, "DEVICE value combine_values(value a, value b) {{ return {values}; }}");
                let _ = if counted {
                    writeln!(
                        text,
                        "DEVICE accumulator raised(value x, u32 count) {{ return {{({held_name})x, count}}; }}"
                    )
                } else if small {
                    // Otherwise the compiler would widen each element instead, in twice the instructions.
                    writeln!(
                        text,
                        "DEVICE accumulator raised(value x) {{ asm(\"\" : \"+r\"(x)); return (accumulator)x; }}"
                    )
                } else {
                    writeln!(text, "DEVICE accumulator raised(value x) {{ return (accumulator)x; }}")
                };
            }
            Accumulator::Indexed(_) => {
                let name = if record.combination == Combination::Larger { "larger" } else { "smaller" };
                let _ = write!(
                    text,
                    "DEVICE value best_of(value a, value b) {{ return {name}_first(a, b); }}\n\
                     DEVICE bool is_better(value a, value b) {{ return is_{name}(a, b); }}\n"
                );
            }
            Accumulator::Moments(_) => {}
        }
        // The initial value and the final function.
        let initial = match l.accumulator {
            _ if !self.op.takes_initial() => "identity()".into(),
            Accumulator::Indexed(_) => format!("accumulator{{{}, -1}}", widen(l.out, false, "r")),
            _ => widen(l.out, false, "r"),
        };
        let _ = write!(
            text,
            "DEVICE accumulator initial_of(result r) {{ return {initial}; }}\n\
             DEVICE result finish(accumulator s, u64 n, f64 ddof) {{\n  {}\n}}\n",
            self.finish(l, skips)
        );
        text
    }

    /// Returns the statements that compute the result from the last partial result `s`.
    fn finish(&self, l: &ReductionLoop, skips: bool) -> String {
        match l.accumulator {
            _ if self.of_words() => "return s;".into(),
            Accumulator::Counted(_) => {
                format!("const auto a = s.value;\n  n = s.count;\n  return {};", narrow(l.out, false, l.finish))
            }
            Accumulator::Moments(d) => {
                let real = d.real();
                let root_of = if l.out.is_complex() {
                    format!("{}{{({})({}), 0}}", l.out.device_name(), l.out.real().device_name(), l.finish)
                } else {
                    narrow(l.out, false, l.finish)
                };
                // With too few elements the variance is infinite (or NaN for 0 / 0); for the NaN-skipping variance it
                // is NaN.
                let few = if skips { "if (!(degrees > 0)) a.squares = degrees = 0;\n  " } else { "" };
                format!(
                    "accumulator a = s;\n  n = s.count;\n  {} degrees = ({})fmax((f64)n - ddof, 0.0);\n  {few}return {root_of};",
                    real.device_name(),
                    real.device_name()
                )
            }
            _ => {
                let finished = narrow(l.out, false, l.finish);
                format!("const accumulator a = s;\n  return {finished};")
            }
        }
    }

    /// Returns a device expression that combines `a` and `b` of this dtype.
    fn combine(&self, dtype: DType, skips: bool) -> &'static str {
        match self.op.record().combination {
            Combination::Sum if dtype == DType::Bool => "a || b",
            Combination::Sum if dtype.is_integer() => "wrapping_add(a, b)",
            Combination::Sum => "a + b",
            Combination::Product if dtype == DType::Bool => "a && b",
            Combination::Product if dtype.is_complex() => "product_of(a, b)",
            Combination::Product if dtype.is_integer() => "wrapping_mul(a, b)",
            Combination::Product => "a * b",
            Combination::Larger if skips => "larger_number(a, b)",
            Combination::Larger => "larger(a, b)",
            Combination::Smaller if skips => "smaller_number(a, b)",
            Combination::Smaller => "smaller(a, b)",
            Combination::Or => "a || b",
            Combination::And => "a && b",
        }
    }

    /// Returns a device literal that is neutral when it is combined with an element.
    fn neutral(&self, dtype: DType, skips: bool) -> String {
        use DType::*;
        let name = dtype.device_name();
        let of = |real: &str| match dtype {
            C64 | C128 => format!("{name}{{({0}){real}, ({0}){real}}}", dtype.real().device_name()),
            _ => format!("({name}){real}"),
        };
        match self.op.record().combination {
            // Magnitudes are not negative.
            _ if self.op.is_norm() => of("0"),
            Combination::Sum if dtype.is_float() || dtype.is_complex() => of("-0.0f"),
            Combination::Product if dtype.is_complex() => format!("no_factor<{}>()", dtype.real().device_name()),
            Combination::Product => of("1"),
            Combination::And => "true".into(),
            Combination::Larger | Combination::Smaller if skips => of("bits_to_f32(0x7fc00000u)"),
            Combination::Larger => match dtype {
                Bool | U8 | U16 | U32 | U64 => of("0"),
                I8 | I16 | I32 | I64 => of(&format!("(1ull << {})", dtype.size() * 8 - 1)),
                _ => of("bits_to_f32(0xff800000u)"),
            },
            Combination::Smaller => match dtype {
                Bool => "true".into(),
                U8 | U16 | U32 | U64 => of("~0ull"),
                I8 | I16 | I32 | I64 => of(&format!("((1ull << {}) - 1)", dtype.size() * 8 - 1)),
                _ => of("bits_to_f32(0x7f800000u)"),
            },
            Combination::Sum | Combination::Or => of("0"),
        }
    }
}
