//! The source texts of tallies: how many elements fall into each bin, or the sums of their weights.

use std::fmt::Write;

use super::search::{ORDER, keys};
use super::{TYPES, Unit, Width, body, compute_type, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernels `count` and `weigh`.
    TallyParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// Number of bins.
        bins: usize,
        /// The elements.
        input: Read<P>,
        /// The edges of the bins, one more than those.
        edges: Read<P>,
        /// int64: the counts, which begin at 0, or the sums of each chunk.
        out: Written<P>,
        /// int64: of bins themselves, where the smallest and the largest go.
        ends: Written<P>,
        /// Where each block leaves its counters, if they are halves of words.
        parts: Written<P>,
        /// The first edge.
        first: f64,
        /// The last edge.
        last: f64,
        /// From the first edge to the last.
        range: f64,
        /// The number of bins, in the dtype of the place.
        number: f64,
        /// Where the bins of most elements are clear: bins by the distance between the first edge and the last.
        scale: f64,
        /// How far from the middle of a bin a place may be that is clear.
        sure: f64,
        /// The first edge as an integer.
        origin: u64,
        /// The weights.
        weights: Read<P>,
        /// What a sum of nothing is: 0 or -0.
        nothing: f64,
        /// Elements of a chunk.
        chunk: usize,
        /// Bins of a window.
        window: usize,
        /// Of the elements.
        axes: u32,
        /// Of the weights.
        weight_axes: u32,
        /// Of the elements' axes.
        sizes: Sizes<'a>,
        /// Of the weights' axes.
        weight_sizes: Sizes<'a>,
        /// Of the elements.
        strides: Strides<'a>,
        /// Of the weights.
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
        /// u64: what the least and the greatest are as integers; the greatest integer and 0 at first.
        out: Written<P>,
        /// Of the elements.
        axes: u32,
        /// Of the elements' axes.
        sizes: Sizes<'a>,
        /// Of the elements.
        strides: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `parts`.
    PartsParams<P> {
        /// Counters of a block.
        counters: usize,
        /// The counters of each block, halves of words.
        input: Read<P>,
        /// int64: the counts.
        out: Written<P>,
        /// How many blocks have counted.
        blocks: u32,
        /// Counters of each bin, side by side.
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
        /// The edges, one more than bins.
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
        /// The sums of all.
        out: Written<P>,
        /// What a sum of nothing is: 0 or -0.
        nothing: f64,
        /// Bins of a block, as a power of two.
        side_log2: u32,
    }
}

/// Counters of a block: `SLOTS` of `include/tally.cuh`.
pub const TALLY_SLOTS: usize = 8192;
/// Bytes of a block's sums, and of a word for each: `WEIGH_BYTES` of `include/tally_weigh.cuh`.
pub const TALLY_WEIGH_BYTES: usize = 36 << 10;

/// How the place of an element among uniform bins is computed, before the edges fix it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Of integers: an exact difference to the first, the quotient in float64.
    Exact,
    /// All steps are rounded to the dtype of the edges.
    Own,
    /// The difference is rounded to the dtype of the edges, the quotient is in float64.
    Wide,
}

/// Which elements a bin has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bins {
    /// Those equal to its number.
    Direct,
    /// Those between two edges, which are of this dtype, to which elements are cast.
    Edges(DType),
    /// The same, where the edges are equally far from each other.
    Uniform(DType, Place),
}

/// Where counts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counters {
    /// In words of shared memory, of at most [`TALLY_SLOTS`] bins.
    Words,
    /// In halves of words of all shared memory that a block can have.
    Halves,
    /// Where they are wanted.
    Memory,
}

/// The key of the kernels `count`, or `weigh` and `total`, with the parameters [`TallyParams`] and [`TotalParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tally {
    /// The dtype of the elements, which are not complex.
    pub element: DType,
    /// Which elements a bin has.
    pub bins: Bins,
    /// The dtype of the weights, where there are any.
    pub weight: Option<DType>,
    /// True if a product tells the bins of most elements, which are uniform.
    pub clear: bool,
    /// Where counts are made.
    pub counters: Counters,
    /// True if elements lie side by side from a multiple of 16 bytes on; with weights, whether either walks one axis.
    pub flat: bool,
    /// Of indices and axes.
    pub width: Width,
}

/// Returns the source of the kernel `ends` of a float dtype, with the parameters [`EndsParams`].
pub fn ends_source(dtype: DType, flat: bool, width: Width) -> String {
    let value = if compute_type(dtype, false) == dtype.device_name() { "e" } else { "widen(e)" };
    Unit::new(headers([dtype], false), "tally_ends")
        .typed("element", dtype.device_name())
        .typed("number", compute_type(dtype, false))
        .typed("word", if dtype == DType::F64 { "u64" } else { "u32" })
        .indexed(width)
        .switch("FLAT", flat)
        .params(&EndsParams::<()> { width, ..Default::default() })
        .with(&format!("DEVICE number value_of(element e) {{ return {value}; }}\n"))
        .with(body!("block_ends"))
        .with(body!("tally_ends"))
        .finish()
}

/// Returns the source of the kernel `parts`, with the parameters [`PartsParams`].
pub fn parts_source() -> String {
    Unit::new(TYPES.into(), "tally_parts").params(&PartsParams::<()>::default()).with(body!("tally_parts")).finish()
}

/// Returns the source of the kernel `edges`, with the parameters [`EdgesParams`]: of edges of a float dtype that are
/// computed in `own`, float64 or their own.
pub fn edges_source(own: DType, dtype: DType) -> String {
    let to = |dtype: DType| match dtype {
        DType::F16 => "f16_from(x)",
        DType::F32 => "(f32)x",
        _ => "x",
    };
    let rounded = if own == DType::F16 { "(f64)widen(f16_from(x))" } else { to(own) };
    Unit::new(headers([dtype], false), "tally_edges")
        .typed("edge", dtype.device_name())
        .params(&EdgesParams::<()>::default())
        .with(&format!("DEVICE edge edge_of(f64 x) {{ return {}; }}\n", to(dtype)))
        .with(&format!("DEVICE f64 rounded(f64 x) {{ return {rounded}; }}\n"))
        .with(body!("tally_edges"))
        .finish()
}

impl Tally {
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
        let place = match self.bins {
            Bins::Uniform(_, place) => Some(place),
            _ => None,
        };
        let params = TallyParams::<()> { width: self.width, ..Default::default() };
        let unit = Unit::new(text, "tally")
            .typed("element", self.element.device_name())
            .typed("edge", common.device_name())
            .typed("key", compute_type(common, false))
            .indexed(self.width)
            .switch("FLAT", self.flat)
            .switch("DIRECT", self.bins == Bins::Direct)
            .switch("CLEAR", self.clear)
            .switch("UNIFORM", place.is_some())
            .params(&params);
        let mut text = String::new();
        if self.bins != Bins::Direct {
            keys(&mut text, [self.element, common], common);
        }
        if let Some(place) = place {
            self.place(&mut text, place, common);
        }
        let unit = unit.with(&text).with(body!("tally"));
        let Some(weight) = self.weight else {
            let [words, halves] = [Counters::Words, Counters::Halves].map(|c| c == self.counters);
            let unit = unit.switch("IN_WORDS", words).switch("IN_HALVES", halves).with(body!("block_ends"));
            return match self.counters {
                Counters::Halves => {
                    unit.with(body!("tally_halves")).with(body!("tally_counting")).with(body!("tally_packed"))
                }
                _ => unit.with(body!("tally_counting")).with(body!("tally_count")),
            }
            .finish();
        };
        let value = match weight {
            DType::F16 | DType::BF16 => "(f64)widen(w)",
            DType::C64 | DType::C128 => "(c128{(f64)w.re, (f64)w.im})",
            _ => "(f64)w",
        };
        let nothing = if weight.is_complex() { "(c128{w, w})" } else { "w" };
        // Sums are complex or real.
        unit.typed("sum", if weight.is_complex() { "c128" } else { "f64" })
            .typed("weight", weight.device_name())
            .params_as("total_params", &TotalParams::<()>::default())
            .with(&format!("DEVICE sum sum_of(weight w) {{ return {value}; }}\n"))
            .with(&format!("DEVICE sum sum_of_nothing(f64 w) {{ return {nothing}; }}\n"))
            .with(body!("tally_weigh"))
            .finish()
    }

    /// The functions `within` and `place_of`, in NumPy's steps.
    fn place(&self, text: &mut String, place: Place, common: DType) {
        let rounded = |x: &str| if common == DType::F16 { format!("widen(f16_from({x}))") } else { x.to_string() };
        let difference = rounded("x - (key)p.first");
        let (within, place) = match place {
            // The first and the last are the least and the greatest of them all.
            Place::Exact => ("true", "(f64)((u64)(i64)e - p.origin) / p.range * p.number".to_string()),
            Place::Own => {
                let quotient = rounded(&format!("({difference}) / (key)p.range"));
                ("x >= (key)p.first && x <= (key)p.last", rounded(&format!("({quotient}) * (key)p.number")))
            }
            Place::Wide => {
                ("x >= (key)p.first && x <= (key)p.last", format!("(f64)({difference}) / p.range * p.number"))
            }
        };
        let _ = writeln!(
            text,
            "DEVICE bool within(const params &p, key x) {{ return {within}; }}\n\
             DEVICE i64 place_of(const params &p, element e, key x) {{ return (i64)({place}); }}"
        );
    }
}
