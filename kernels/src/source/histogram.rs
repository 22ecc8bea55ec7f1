//! Source of the histogram kernels: counts of the elements in each bin, or sums of their weights.

use std::fmt::Write;

use super::search::{ORDER, keys};
use super::{TYPES, Unit, Width, body, compute_type, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernels `count` and `weigh`.
    HistogramParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// Number of bins.
        bins: usize,
        /// The elements.
        input: Read<P>,
        /// The edges of the bins, one more than there are bins.
        edges: Read<P>,
        /// int64: the counts, zeros before the launch, or the sums of each chunk.
        out: Written<P>,
        /// int64: for direct bins, output of the smallest and the largest element.
        ends: Written<P>,
        /// Output of each block's counters, if they have 16 bits.
        parts: Written<P>,
        /// float64: the numbers from `first` to `sure`, where the device has computed them.
        uniform: Read<P>,
        /// The first edge.
        first: f64,
        /// The last edge.
        last: f64,
        /// The last edge minus the first.
        range: f64,
        /// The number of bins, in the dtype in which the bin index is computed.
        number: f64,
        /// Number of bins divided by the range, for the quick test that decides the bins of most elements.
        scale: f64,
        /// Largest distance from the middle of a bin at which the quick test is certain.
        sure: f64,
        /// The first edge as an integer.
        origin: u64,
        /// The weights.
        weights: Read<P>,
        /// The sum of no weights: 0 or -0.
        nothing: f64,
        /// Elements of a chunk.
        chunk: usize,
        /// Bins of a window.
        window: usize,
        /// Number of axes of the elements.
        axes: u32,
        /// Number of axes of the weights.
        weight_axes: u32,
        /// Sizes of the elements' axes.
        sizes: Sizes<'a>,
        /// Sizes of the weights' axes.
        weight_sizes: Sizes<'a>,
        /// Strides of the elements.
        strides: Strides<'a>,
        /// Strides of the weights.
        weight_strides: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `ends`.
    EndsParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The elements.
        input: Read<P>,
        /// u64: the smallest element and the largest mapped to ordered integers, of which the first is inverted; zeros
        /// before the launch.
        out: Written<P>,
        /// Number of axes of the elements.
        axes: u32,
        /// Sizes of the elements' axes.
        sizes: Sizes<'a>,
        /// Strides of the elements.
        strides: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `parts`.
    PartsParams<P> {
        /// Number of counters of a block.
        counters: usize,
        /// The 16-bit counters of each block.
        input: Read<P>,
        /// int64: the counts.
        out: Written<P>,
        /// Number of blocks that have counted.
        blocks: u32,
        /// Number of adjacent counters of each bin.
        copies: u32,
    }
}

parameters! {
    /// Parameters of the kernel `edges`.
    EdgesParams<P> {
        /// Number of bins.
        bins: usize,
        /// The first edge.
        first: f64,
        /// The last edge.
        last: f64,
        /// The output of the kernel `ends`, if it has the first and the last edge.
        ends: Read<P>,
        /// float64: output of the numbers of [`HistogramParams`] that depend on the ends.
        uniform: Written<P>,
        /// The edges, one more than there are bins.
        out: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernel `total`.
    TotalParams<P> {
        /// Number of bins.
        bins: usize,
        /// Number of chunks.
        chunks: usize,
        /// The sums of each chunk.
        input: Read<P>,
        /// The sums over all chunks.
        out: Written<P>,
        /// The sum of no weights: 0 or -0.
        nothing: f64,
        /// Base-2 logarithm of the number of bins of a block.
        side_log2: u32,
    }
}

/// Counters of a block: `SLOTS` of `include/histogram.cuh`.
pub const HISTOGRAM_SLOTS: usize = 8192;
/// Shared memory in bytes for the sums of a block and a word for each: `WEIGH_BYTES` of `include/histogram_weighted.cuh`.
pub const HISTOGRAM_WEIGHTED_BYTES: usize = 36 << 10;

/// Arithmetic of the bin index among uniform bins, before it is corrected by comparison with the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinArithmetic {
    /// For integers: an exact difference from the first edge, divided in float64.
    Exact,
    /// Every step is rounded to the dtype of the edges.
    Own,
    /// The difference is rounded to the dtype of the edges, the quotient is computed in float64.
    Wide,
}

/// Assignment of elements to bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bins {
    /// A bin's elements are equal to its index (bincount).
    Direct,
    /// A bin's elements are between two edges of this dtype, to which elements are cast.
    Edges(DType),
    /// The same with equally spaced edges.
    Uniform(DType, BinArithmetic),
}

/// Location of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counters {
    /// 32-bit counters in shared memory, for at most [`HISTOGRAM_SLOTS`] bins.
    Words,
    /// 16-bit counters in all shared memory that a block can have.
    Bits16,
    /// The counts in device memory.
    Memory,
}

/// Key of the kernels `count`, or `weigh` and `total`, with the parameters [`HistogramParams`] and [`TotalParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Histogram {
    /// The dtype of the elements, which are not complex.
    pub element: DType,
    /// Assignment of elements to bins.
    pub bins: Bins,
    /// The dtype of the weights, if there are any.
    pub weight: Option<DType>,
    /// True if one product determines the bins of most elements, for uniform bins.
    pub clear: bool,
    /// Location of the counters.
    pub counters: Counters,
    /// True if the device has computed the ends of uniform bins.
    pub found: bool,
    /// True if elements are contiguous and 16-byte aligned; with weights, if either operand has a single axis.
    pub flat: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Returns the source of the kernel `ends` of a float dtype, with the parameters [`EndsParams`].
pub fn ends_source(dtype: DType, flat: bool, width: Width) -> String {
    let value = if compute_type(dtype, false) == dtype.device_name() { "e" } else { "widen(e)" };
    Unit::new(headers([dtype], false), "histogram_ends")
        .typed("element", dtype.device_name())
        .typed("number", compute_type(dtype, false))
        .typed("word", if dtype == DType::F64 { "u64" } else { "u32" })
        .indexed(width)
        .switch("FLAT", flat)
        .params(&EndsParams::<()> { width, ..Default::default() })
        .with(&format!("DEVICE number value_of(element e) {{ return {value}; }}\n"))
        .with(body!("block_ends"))
        .with(body!("histogram_ends"))
        .finish()
}

/// Returns the source of the kernel `parts`, with the parameters [`PartsParams`].
pub fn parts_source() -> String {
    Unit::new(TYPES.into(), "histogram_parts")
        .params(&PartsParams::<()>::default())
        .with(body!("histogram_parts"))
        .finish()
}

/// Returns the source of the kernel `edges`, with the parameters [`EdgesParams`], for edges of a float dtype that are
/// computed in `own`: float64 or the dtype itself. If `found`, the kernel `ends` has found the first and the last.
pub fn edges_source(own: DType, dtype: DType, found: bool) -> String {
    let to = |dtype: DType| match dtype {
        DType::F16 => "f16_from(x)",
        DType::F32 => "(f32)x",
        _ => "x",
    };
    let rounded = if own == DType::F16 { "(f64)widen(f16_from(x))" } else { to(own) };
    let unit = match dtype {
        DType::F16 => 11,
        DType::F32 => 24,
        _ => 53,
    };
    Unit::new(headers([dtype], false), "histogram_edges")
        .typed("edge", dtype.device_name())
        .typed("compared", compute_type(dtype, false))
        .switch("FOUND", found)
        .choice("UNIT_LOG2", unit)
        .params(&EdgesParams::<()>::default())
        .with(&format!("DEVICE edge edge_of(f64 x) {{ return {}; }}\n", to(dtype)))
        .with(&format!("DEVICE f64 rounded(f64 x) {{ return {rounded}; }}\n"))
        .with(body!("histogram_edges"))
        .finish()
}

impl Histogram {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        match self.weight {
            None => format!("count/{}", self.element),
            Some(weight) => format!("weigh/{} by {weight}", self.element),
        }
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let common = match self.bins {
            Bins::Direct => DType::I64,
            Bins::Edges(dtype) | Bins::Uniform(dtype, _) => dtype,
        };
        let mut text = headers([self.element, common].into_iter().chain(self.weight), false);
        text.push_str(ORDER);
        let arithmetic = match self.bins {
            Bins::Uniform(_, arithmetic) => Some(arithmetic),
            _ => None,
        };
        let params = HistogramParams::<()> { width: self.width, ..Default::default() };
        let unit = Unit::new(text, "histogram")
            .typed("element", self.element.device_name())
            .typed("edge", common.device_name())
            .typed("key", compute_type(common, false))
            .indexed(self.width)
            .switch("FLAT", self.flat)
            .switch("DIRECT", self.bins == Bins::Direct)
            .switch("CLEAR", self.clear)
            .switch("FOUND", self.found)
            .switch("UNIFORM", arithmetic.is_some())
            .params(&params);
        let mut text = String::new();
        if self.bins != Bins::Direct {
            keys(&mut text, [self.element, common], common);
        }
        if let Some(arithmetic) = arithmetic {
            self.bin_function(&mut text, arithmetic, common);
        }
        let unit = unit.with(body!("histogram_bounds")).with(&text).with(body!("histogram"));
        let Some(weight) = self.weight else {
            let [words, bits16] = [Counters::Words, Counters::Bits16].map(|c| c == self.counters);
            let unit = unit.switch("IN_WORDS", words).switch("IN_16_BITS", bits16).with(body!("block_ends"));
            return match self.counters {
                Counters::Bits16 => unit
                    .with(body!("histogram_counters16"))
                    .with(body!("histogram_counting"))
                    .with(body!("histogram_packed")),
                _ => unit.with(body!("histogram_counting")).with(body!("histogram_count")),
            }
            .finish();
        };
        let value = match weight {
            DType::F16 | DType::BF16 => "(f64)widen(w)",
            DType::C64 | DType::C128 => "(c128{(f64)w.re, (f64)w.im})",
            _ => "(f64)w",
        };
        let nothing = if weight.is_complex() { "(c128{w, w})" } else { "w" };
        unit.typed("sum", if weight.is_complex() { "c128" } else { "f64" })
            .typed("weight", weight.device_name())
            .params_as("total_params", &TotalParams::<()>::default())
            .with(&format!("DEVICE sum sum_of(weight w) {{ return {value}; }}\n"))
            .with(&format!("DEVICE sum sum_of_nothing(f64 w) {{ return {nothing}; }}\n"))
            .with(body!("lanes_alike"))
            .with(body!("histogram_weighted"))
            .finish()
    }

    /// Appends the functions `within` and `uniform_bin`, with NumPy's arithmetic.
    fn bin_function(&self, text: &mut String, arithmetic: BinArithmetic, common: DType) {
        let rounded = |x: &str| if common == DType::F16 { format!("widen(f16_from({x}))") } else { x.to_string() };
        let difference = rounded("x - (key)p.first");
        let (within, bin) = match arithmetic {
            // The first and the last edge are the minimum and the maximum of the elements.
            BinArithmetic::Exact => ("true", "(f64)((u64)(i64)e - p.origin) / p.range * p.number".to_string()),
            BinArithmetic::Own => {
                let quotient = rounded(&format!("({difference}) / (key)p.range"));
                ("x >= (key)p.first && x <= (key)p.last", rounded(&format!("({quotient}) * (key)p.number")))
            }
            BinArithmetic::Wide => {
                ("x >= (key)p.first && x <= (key)p.last", format!("(f64)({difference}) / p.range * p.number"))
            }
        };
        let _ = writeln!(
            text,
            "DEVICE bool within(const bounds &p, key x) {{ return {within}; }}\n\
             DEVICE i64 uniform_bin(const bounds &p, element e, key x) {{ return (i64)({bin}); }}"
        );
    }
}
