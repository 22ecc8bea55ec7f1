//! Source of the kernel of `choose`: selection among arrays by index.

use super::{INDEX, TYPES, Unit, body};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};
use crate::source::compaction::item;

/// Maximum number of arrays of a launch.
pub const CHOICES: usize = 16;

parameters! {
    /// Parameters of the kernel `choose`.
    ChooseParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The results.
        out: Written<P>,
        /// The index of the array that each element is taken from.
        index: Read<P>,
        /// The arrays of this launch.
        choices: [Read<P>; CHOICES],
        /// Index among all arrays of the first array of this launch.
        begin: i64,
        /// Number of arrays of this launch.
        count: i64,
        /// Number of all arrays.
        total: i64,
        /// Number of axes.
        axes: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the results.
        out_steps: Strides<'a>,
        /// Strides of the index array.
        index_steps: Strides<'a>,
        /// Strides of each array.
        steps: &'a [Strides<'a>],
    }
}

/// Treatment of an index out of bounds in the kernel `choose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChooseMode {
    /// The index wraps around.
    Wrap,
    /// The index is clipped to the nearest valid one.
    Clip,
}

/// Key of the kernel `choose`, with the parameters [`ChooseParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choose {
    /// Bytes of an element.
    pub item: u8,
    /// The dtype of the index.
    pub index: DType,
    /// Treatment of an index out of bounds.
    pub mode: ChooseMode,
    /// Number of arrays that the tables of strides have room for.
    pub room: u8,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Choose {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("choose/{}-byte elements by {}", self.item, self.index)
    }

    /// Returns the source of the kernel `choose`.
    pub fn source(&self) -> String {
        let steps = &[Strides::default(); CHOICES][..self.room.into()];
        Unit::new(format!("{TYPES}{INDEX}"), "choose")
            .typed("element", item(self.item))
            .typed("index_type", self.index.device_name())
            .indexed(self.width)
            .choice("MODE", self.mode as u8)
            .params(&ChooseParams::<()> { width: self.width, steps, ..Default::default() })
            .with(body!("choose"))
            .finish()
    }
}
