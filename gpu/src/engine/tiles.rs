//! Tile size of each engine: the number of elements that one block processes, from the engine's own plan.
//!
//! Tests choose sizes next to the tiles, where an engine changes its method.

use std::fmt;
use std::str::FromStr;

use cuprum_kernels::DType;

use super::index::{at, choose, compaction, gather};
use super::matrix::matmul;
use super::signal::correlate;
use super::{
    bits, compressed, concatenate, elementwise, fold, generate, histogram, horner, interp, reduction, remap, scan,
    search, sort,
};

/// Pattern of computation. Beyond one tile each of them changes its method: blocks share the work, and in some engines
/// they exchange partial results.
///
/// ```
/// use cuprum::{DType, Engine};
///
/// assert!(Engine::Sort.tile(DType::C128) < Engine::Sort.tile(DType::I8));
/// assert_eq!("scan".parse(), Ok(Engine::Scan));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Elementwise functions, with broadcasting.
    Elementwise,
    /// Reductions over axes, in any order.
    Reduction,
    /// Cumulative functions along an axis.
    Scan,
    /// Sequential reductions over axes, one thread for each slice.
    Fold,
    /// Selection among several arrays, element by element (`choose`).
    Choose,
    /// Arrays computed from their indices.
    Generate,
    /// Sorting, and functions of sorted rows.
    Sort,
    /// Stream compaction by a mask.
    Compaction,
    /// Binary search in sorted values.
    Search,
    /// Histograms: counts and sums by bins.
    Histogram,
    /// Elements at indices (`take`).
    Take,
    /// In-place updates at indices (the ufunc method `at`).
    At,
    /// Concatenation.
    Concatenate,
    /// Elements at computed coordinates (`roll`, `tile`, `pad`).
    Remap,
    /// Correlation of two sequences.
    Correlate,
    /// Matrix products of dtypes without a library function.
    Matmul,
    /// Piecewise linear interpolation.
    Interp,
    /// Packing of bits into bytes, and unpacking.
    Bits,
    /// Polynomial evaluation.
    Horner,
    /// Index arrays of sparse arrays: compressed pointers and sorted keys.
    Compressed,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 20] = [
        Engine::Elementwise,
        Engine::Reduction,
        Engine::Scan,
        Engine::Fold,
        Engine::Choose,
        Engine::Generate,
        Engine::Sort,
        Engine::Compaction,
        Engine::Search,
        Engine::Histogram,
        Engine::Take,
        Engine::At,
        Engine::Concatenate,
        Engine::Remap,
        Engine::Correlate,
        Engine::Matmul,
        Engine::Interp,
        Engine::Bits,
        Engine::Horner,
        Engine::Compressed,
    ];

    /// Returns the maximum number of elements of a dtype that one block processes before there is another: of operands,
    /// if blocks share these, otherwise of results.
    ///
    /// Tests choose sizes next to it, where an engine changes its method.
    pub fn tile(self, dtype: DType) -> usize {
        match self {
            Engine::Elementwise => elementwise::tile(dtype),
            Engine::Reduction => reduction::TILE,
            Engine::Scan => scan::tile(dtype),
            Engine::Fold => fold::MOST_THREADS,
            Engine::Choose => choose::TILE,
            Engine::Generate => generate::TILE,
            Engine::Sort => sort::tile(dtype),
            Engine::Compaction => compaction::TILE,
            Engine::Search => search::THREADS,
            Engine::Histogram => histogram::TILE,
            Engine::Take => gather::TILE,
            Engine::At => at::THREADS,
            Engine::Concatenate => concatenate::tile(dtype),
            Engine::Remap => remap::tile(dtype),
            Engine::Correlate => correlate::TILE,
            Engine::Matmul => matmul::TILE,
            Engine::Interp => interp::THREADS,
            Engine::Bits => bits::THREADS,
            Engine::Horner => horner::TILE,
            Engine::Compressed => compressed::ENTRY_TILE,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_lowercase())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(s: &str) -> Result<Engine, String> {
        let found = Engine::ALL.into_iter().find(|engine| engine.to_string() == s);
        found.ok_or_else(|| format!("no engine is called `{s}`"))
    }
}
