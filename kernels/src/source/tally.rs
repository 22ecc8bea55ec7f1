//! The source texts of tallies: how many elements fall into each bin, or the sums of their weights.

use std::fmt::Write;

use super::compaction::indices;
use super::search::{ORDER, keys};
use super::{OFFSET, compute_type, headers};
use crate::DType;

const TALLY: &str = include_str!("../../include/tally.cuh");
const TALLY_COUNT: &str = include_str!("../../include/tally_count.cuh");
const TALLY_WEIGH: &str = include_str!("../../include/tally_weigh.cuh");

/// Counters of a block: `SLOTS` of `include/tally.cuh`.
pub const TALLY_SLOTS: usize = 8192;
/// Bytes of a block's sums: `WEIGH_BYTES` of `include/tally_weigh.cuh`.
pub const TALLY_WEIGH_BYTES: usize = 32 << 10;

/// How the place of an element among uniform bins is computed, before the edges mend it.
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

/// The key of the kernels `count`, or `weigh` and `total`: their parameters are the structs of `include/tally.cuh` and
/// `include/tally_weigh.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tally {
    /// The dtype of the elements, which are not complex.
    pub element: DType,
    /// Which elements a bin has.
    pub bins: Bins,
    /// The dtype of the weights, where there are any.
    pub weight: Option<DType>,
    /// Whether elements lie side by side from a multiple of 16 bytes on; with weights, whether either walks one axis.
    pub flat: bool,
    /// 64-bit indices.
    pub wide: bool,
    /// Room for [`DEEP_AXES`](super::DEEP_AXES) axes.
    pub deep: bool,
}

impl Tally {
    /// The kernels' name in messages.
    pub fn name(&self) -> String {
        match self.weight {
            None => format!("count/{}", self.element),
            Some(weight) => format!("weigh/{} by {weight}", self.element),
        }
    }

    /// The text of the kernels.
    pub fn source(&self) -> String {
        let common = match self.bins {
            Bins::Direct => DType::I64,
            Bins::Edges(dtype) | Bins::Uniform(dtype, _) => dtype,
        };
        let mut text = headers([self.element, common].into_iter().chain(self.weight), false);
        if self.weight.is_some_and(|w| !w.is_complex()) {
            // Sums are complex or real; these are real.
            text.push_str("typedef f64 sum;\n");
        } else if self.weight.is_some() {
            text.push_str("typedef c128 sum;\n");
        }
        text.push_str(ORDER);
        indices(&mut text, self.wide, self.deep);
        let place = match self.bins {
            Bins::Uniform(_, place) => Some(place),
            _ => None,
        };
        let _ = writeln!(
            text,
            "typedef {} element;\ntypedef {} edge;\ntypedef {} key;\n#define FLAT {}\n#define DIRECT {}\n\
             #define UNIFORM {}\n\
             struct place_params {{ f64 first, last, length, number; u64 origin; }};",
            self.element.device_name(),
            common.device_name(),
            compute_type(common, false),
            u8::from(self.flat),
            u8::from(self.bins == Bins::Direct),
            u8::from(place.is_some()),
        );
        if self.bins != Bins::Direct {
            keys(&mut text, [self.element, common], common);
        }
        if let Some(place) = place {
            self.place(&mut text, place, common);
        }
        text.push_str(OFFSET);
        text.push_str(TALLY);
        match self.weight {
            None => text.push_str(TALLY_COUNT),
            Some(weight) => {
                let value = match weight {
                    DType::F16 | DType::BF16 => "(f64)widen(w)",
                    DType::C64 | DType::C128 => "(c128{(f64)w.re, (f64)w.im})",
                    _ => "(f64)w",
                };
                let _ = writeln!(
                    text,
                    "typedef {} weight;\nDEVICE sum sum_of(weight w) {{ return {value}; }}",
                    weight.device_name()
                );
                text.push_str(TALLY_WEIGH);
            }
        }
        text
    }

    /// The functions `within` and `place_of`, in NumPy's steps.
    fn place(&self, text: &mut String, place: Place, common: DType) {
        let rounded = |x: &str| if common == DType::F16 { format!("widen(f16_from({x}))") } else { x.to_string() };
        let difference = rounded("x - (key)p.first");
        let (within, place) = match place {
            // The first and the last are the least and the greatest of them all.
            Place::Exact => ("true", "(f64)((u64)(i64)e - p.origin) / p.length * p.number".to_string()),
            Place::Own => {
                let quotient = rounded(&format!("({difference}) / (key)p.length"));
                ("x >= (key)p.first && x <= (key)p.last", rounded(&format!("({quotient}) * (key)p.number")))
            }
            Place::Wide => {
                ("x >= (key)p.first && x <= (key)p.last", format!("(f64)({difference}) / p.length * p.number"))
            }
        };
        let _ = writeln!(
            text,
            "DEVICE bool within(const place_params &p, key x) {{ return {within}; }}\n\
             DEVICE i64 place_of(const place_params &p, element e, key x) {{ return (i64)({place}); }}"
        );
    }
}
