//! Source of the kernel of distances of all pairs of rows of two matrices.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Threads of a block, and rows and columns of them, as in `include/pairwise.cuh`.
pub const PAIRWISE_SIDE: usize = 16;

parameters! {
    /// Parameters of the kernel `pairwise`: strides in bytes.
    PairwiseParams<P> {
        /// Number of rows of both matrices.
        rows: [usize; 2],
        /// Number of columns.
        columns: usize,
        /// Number of tiles that a row of tiles has.
        tiles_across: usize,
        /// The metric of the family of all others.
        metric: u32,
        /// True for the square root of the sum of squares.
        root: bool,
        /// True if the result has the pairs above the diagonal, in one axis.
        condensed: bool,
        /// True if terms have weights.
        weighted: bool,
        /// The exponent of Minkowski's distance.
        exponent: f64,
        /// The first matrix.
        a: Read<P> as "const char *",
        /// Strides of its rows and columns.
        a_steps: [i64; 2],
        /// The second matrix.
        b: Read<P> as "const char *",
        /// Strides of its rows and columns.
        b_steps: [i64; 2],
        /// The weights of the columns.
        weights: Read<P> as "const real *",
        /// The distances.
        out: Written<P> as "char *",
        /// Strides of its rows and columns.
        out_steps: [i64; 2],
    }
}

/// Sum that a distance is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairFamily {
    /// Squares of differences.
    Squares,
    /// Absolute differences.
    Absolute,
    /// The largest absolute difference.
    Largest,
    /// Products.
    Products,
    /// The sums of all other metrics, which the parameters select.
    General,
}

/// Key of the kernel `pairwise`, with the parameters [`PairwiseParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pairwise {
    /// The dtype of all operands: float32 or float64.
    pub dtype: DType,
    /// The sums.
    pub family: PairFamily,
}

impl Pairwise {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("pairwise/{}/{:?}", self.dtype, self.family)
    }

    /// Returns the number of rows of a thread in each direction: as many as registers hold the sums of.
    pub fn each(&self) -> usize {
        match self.family {
            PairFamily::General => 2,
            _ if self.dtype == DType::F32 => 8,
            _ => 4,
        }
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        Unit::new(headers([self.dtype], false), "pairwise")
            .typed("real", self.dtype.device_name())
            .choice("SQUARES", PairFamily::Squares as u8)
            .choice("ABSOLUTE", PairFamily::Absolute as u8)
            .choice("LARGEST", PairFamily::Largest as u8)
            .choice("PRODUCTS", PairFamily::Products as u8)
            .choice("GENERAL", PairFamily::General as u8)
            .choice("FAMILY", self.family as u8)
            .number("EACH", self.each())
            .params(&PairwiseParams::<()>::default())
            .with(body!("pairwise"))
            .finish()
    }
}
