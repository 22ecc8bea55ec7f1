//! The source text of results that are found by formulas of their coordinates.

use super::compaction::item;
use super::{INDEX, TYPES, Unit, Width, body};
use crate::params::{Read, Sizes, Strides, Written, parameters};

parameters! {
    /// Parameters of the kernel `remap`.
    RemapParams<'a, P> {
        /// Number of results.
        results: usize,
        /// The operand's first element.
        input: Read<P>,
        /// The results, one after the other in the order of memory.
        out: Written<P>,
        /// int64: where the repetitions of each source of the counted axis end.
        ends: Read<P>,
        /// How many these are.
        counts: i64,
        /// What stands where there is no source.
        fill: [u64; 2],
        /// How often the sources of a turn of the slowest axis come again.
        turns: u32,
        /// How many results a turn has.
        turn_results: usize,
        /// Of the results.
        axes: u32,
        /// True if neighbours along the last axis lie side by side in the operand.
        runs: bool,
        /// Of the results' axes.
        sizes: Sizes<'a>,
        /// After how many coordinates an axis' sources come again, or how often each comes.
        period: Sizes<'a>,
        /// By which formula the sources of an axis are found.
        formula: Strides<'a>,
        /// What is added to a coordinate.
        first: Strides<'a>,
        /// How many sources an axis has.
        length: Strides<'a>,
        /// Of a mirrored axis: the source of a coordinate behind the last one is this less the coordinate.
        turn: Strides<'a>,
        /// From a source to the next along each axis.
        strides: Strides<'a>,
    }
}

/// The key of the kernel `remap`, with the parameters [`RemapParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Remap {
    /// Bytes of an element.
    pub item: u8,
    /// True if the sources of an axis are looked for among counts.
    pub searched: bool,
    /// True if the elements of the last axis come several times each.
    pub repeats: bool,
    /// Of indices and axes.
    pub width: Width,
}

impl Remap {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("remap/{}-byte elements", self.item)
    }

    /// Results that one block writes.
    pub fn tile(&self) -> usize {
        2 * 256 * 16 / self.item as usize
    }

    /// Returns the source of the kernel `remap`.
    pub fn source(&self) -> String {
        Unit::new(format!("{TYPES}{INDEX}"), "remap")
            .typed("item", item(self.item))
            .indexed(self.width)
            .choice("ITEM", self.item)
            .switch("SEARCHED", self.searched)
            .switch("REPEATS", self.repeats)
            .params(&RemapParams::<()> { width: self.width, ..Default::default() })
            .with(body!("chunk"))
            .with(body!("remap"))
            .finish()
    }
}
