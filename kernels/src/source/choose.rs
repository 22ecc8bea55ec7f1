//! The source text of choices among arrays.

use super::{INDEX, TYPES, Unit, body};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};
use crate::source::compaction::item;

/// The most arrays of a launch.
pub const CHOICES: usize = 16;

parameters! {
    /// Parameters of the kernel `choose`.
    ChooseParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// The results.
        out: Written<P>,
        /// Which array each element is of.
        index: Read<P>,
        /// The arrays of this launch.
        choices: [Read<P>; CHOICES],
        /// The number of the first of them among all.
        begin: i64,
        /// How many there are of them.
        count: i64,
        /// How many there are in all.
        total: i64,
        /// Of all arrays.
        axes: u32,
        /// Of the axes.
        sizes: Sizes<'a>,
        /// Of the results.
        out_steps: Strides<'a>,
        /// Of the index.
        index_steps: Strides<'a>,
        /// Of each array.
        steps: &'a [Strides<'a>],
    }
}

/// What an index out of bounds means to the kernel `choose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChooseMode {
    /// One that many arrays further on, or back.
    Wrap,
    /// The nearest in bounds.
    Clip,
}

/// The key of the kernel `choose`, with the parameters [`ChooseParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choose {
    /// Bytes of an element.
    pub item: u8,
    /// The dtype of the index.
    pub index: DType,
    /// What an index out of bounds means.
    pub mode: ChooseMode,
    /// How many arrays the tables of strides have room for.
    pub room: u8,
    /// Of indices and axes.
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
