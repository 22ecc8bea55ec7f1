//! Source of the kernel whose results are read from computed coordinates (`roll`, `tile`, `pad`, `repeat`).

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
        /// The results, contiguous in memory order.
        out: Written<P>,
        /// int64: the end of the repetitions of each source element of the axis with counts.
        ends: Read<P>,
        /// Number of counts.
        counts: i64,
        /// The value where there is no source element.
        fill: [u64; 2],
        /// Number of repetitions of the slowest axis.
        turns: u32,
        /// Number of results of one repetition.
        turn_results: usize,
        /// Number of axes of the results.
        axes: u32,
        /// True if elements that are adjacent along the last axis are adjacent in the operand.
        runs: bool,
        /// Sizes of the results' axes.
        sizes: Sizes<'a>,
        /// The period of the coordinates of an axis, or the number of repetitions of each element.
        period: Sizes<'a>,
        /// The formula by which the source coordinates of an axis are computed.
        formula: Strides<'a>,
        /// Offset that is added to a coordinate.
        first: Strides<'a>,
        /// Size of the operand along an axis.
        length: Strides<'a>,
        /// For a mirrored axis: the source of a coordinate beyond the last one is this number minus the coordinate.
        turn: Strides<'a>,
        /// Strides of the operand.
        strides: Strides<'a>,
    }
}

/// Key of the kernel `remap`, with the parameters [`RemapParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Remap {
    /// Bytes of an element.
    pub item: u8,
    /// True if the sources of an axis are found by a binary search among counts.
    pub searched: bool,
    /// True if the elements of the last axis are repeated.
    pub repeats: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Remap {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("remap/{}-byte elements", self.item)
    }

    /// Returns the number of results that one block writes.
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
