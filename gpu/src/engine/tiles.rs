//! How many elements one block of an engine works on, as its own plan says.

use std::fmt;
use std::str::FromStr;

use cuprum_kernels::DType;

use super::{
    at, bits, choose, compaction, correlate, elementwise, fold, gather, generate, horner, interp, join, matmul,
    reduction, remap, scan, search, sort, tally,
};

/// A shape of computation. From one tile to the next each of them changes what it does: blocks share the work, and some
/// of them tell each other what came of theirs.
///
/// ```
/// use cuprum::{DType, Engine};
///
/// assert!(Engine::Sort.tile(DType::C128) < Engine::Sort.tile(DType::I8));
/// assert_eq!("scan".parse(), Ok(Engine::Scan));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Element by element, with broadcasting.
    Elementwise,
    /// Over axes, in any order.
    Reduction,
    /// Every result on the way along an axis.
    Scan,
    /// Over axes in their order, a thread to a line.
    Fold,
    /// One of several arrays, element by element.
    Choose,
    /// From where the elements stand.
    Generate,
    /// In order, and what is made of rows in order.
    Sort,
    /// What a mask picks.
    Compaction,
    /// Places in sorted values.
    Search,
    /// Counts and sums by bins.
    Tally,
    /// Elements at indices.
    Take,
    /// Elements changed in place at indices.
    At,
    /// Arrays one behind the other.
    Join,
    /// Elements that formulas of the coordinates find.
    Remap,
    /// Sliding products of two sequences.
    Correlate,
    /// The matrix product where no library has it.
    Matmul,
    /// Lines between knots.
    Interp,
    /// Bits packed into bytes, and taken out of them.
    Bits,
    /// Polynomials at places.
    Horner,
}

impl Engine {
    /// Every one.
    pub const ALL: [Engine; 19] = [
        Engine::Elementwise,
        Engine::Reduction,
        Engine::Scan,
        Engine::Fold,
        Engine::Choose,
        Engine::Generate,
        Engine::Sort,
        Engine::Compaction,
        Engine::Search,
        Engine::Tally,
        Engine::Take,
        Engine::At,
        Engine::Join,
        Engine::Remap,
        Engine::Correlate,
        Engine::Matmul,
        Engine::Interp,
        Engine::Bits,
        Engine::Horner,
    ];

    /// Returns the most elements of a dtype that one block takes before there is another: of operands, where blocks
    /// share these, otherwise of results.
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
            Engine::Tally => tally::TILE,
            Engine::Take => gather::TILE,
            Engine::At => at::THREADS,
            Engine::Join => join::tile(dtype),
            Engine::Remap => remap::tile(dtype),
            Engine::Correlate => correlate::TILE,
            Engine::Matmul => matmul::TILE,
            Engine::Interp => interp::THREADS,
            Engine::Bits => bits::THREADS,
            Engine::Horner => horner::TILE,
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
