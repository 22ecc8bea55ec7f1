//! The source texts of indexing: elements read from indices, cells that indices name, elements written to indices.

use std::fmt::Write;

use super::compaction::item;
use super::{INDEX, TYPES, Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Value, Written, parameters};

/// The most arrays of indices that one launch reads: as in the type of `steps` in `include/gather.cuh`.
pub const GATHER_INDICES: usize = 4;
/// Results of a thread.
pub const GATHER_ITEMS: usize = 4;

parameters! {
    /// Parameters of the kernel `gather`.
    GatherParams<'a, P> {
        /// How many elements are read, cells named, elements written.
        results: usize,
        /// The elements that are read, or those that are stored.
        input: Read<P>,
        /// The results one after the other; the cells that are claimed; the elements that are written to.
        out: Written<P>,
        /// The arrays of indices.
        indices: [Read<P>; GATHER_INDICES],
        /// The sizes of the axes that they pick from; 0 where the indices are known to be right.
        bounds: [i64; GATHER_INDICES],
        /// From an index to the next: bytes, or cells.
        steps: [i64; GATHER_INDICES],
        /// Which axes those are, to be told.
        along: [u32; GATHER_INDICES],
        /// Which function, to be told.
        function: u32,
        /// Of the axes.
        axes: u32,
        /// The error record.
        record: Read<P>,
        /// The number of the call, to be told.
        call: usize,
        /// A word that is not 0 once an index is rejected.
        rejected: Option<Written<P>>,
        /// For every cell the number of the last index that names it, from 1 on.
        table: Option<Read<P>>,
        /// For every index whether it is the last that names its cell.
        last: Option<Read<P>>,
        /// Cells from an index to the next.
        cell_steps: Option<[i64; GATHER_INDICES]>,
        /// The value that is stored everywhere.
        value: Option<Value>,
        /// Of the axes.
        sizes: Sizes<'a>,
        /// A row for each array of indices, for the array, for the number of the index, for what is stored, for the cell.
        strides: &'a [Strides<'a>],
        /// How many axes the one index counts.
        split_axes: Option<u32>,
        /// Of these axes.
        split_sizes: Option<Sizes<'a>>,
        /// Of these axes.
        split_strides: Option<Strides<'a>>,
    }
}

parameters! {
    /// Parameters of the kernel `last`.
    LastParams<P> {
        /// Number of positions.
        positions: usize,
        /// The cells, sorted: int64.
        keys: Read<P>,
        /// The position of each.
        order: Read<P>,
        /// For every position whether it is the last of its cell.
        last: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernel `settle`.
    SettleParams<P> {
        /// Number of indices.
        indices: usize,
        /// The cells that they name, sorted.
        keys: Read<P> as "const u32 *",
        /// What is stored, in the same order.
        values: Read<P>,
        /// The first cell.
        out: Written<P>,
        /// A word that is not 0 once an index is rejected.
        rejected: Read<P>,
    }
}

/// What is done at the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatherMethod {
    /// Elements are read.
    Elements,
    /// The cells are written down, as int64, or only looked at.
    Cells,
    /// The same as uint32.
    Keys,
    /// Each cell learns of the last index that names it.
    Claim,
    /// Elements are written.
    Store(Stored),
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// Elements as they are.
    Same,
    /// Elements of the first dtype, cast to the second.
    Cast(DType, DType),
    /// One value.
    Value,
}

/// What becomes of an index out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBounds {
    /// It is rejected.
    Rejected,
    /// It is counted round.
    Wrapped,
    /// It becomes the nearest one.
    Clipped,
    /// It is rejected, and so is one below 0.
    Uncounted,
}

/// The key of the kernel `gather`, with the parameters [`GatherParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// What is done.
    pub method: GatherMethod,
    /// Bytes of an element.
    pub item: u8,
    /// The dtypes of the indices.
    pub indices: [Option<DType>; GATHER_INDICES],
    /// What becomes of an index out of bounds.
    pub out_of_bounds: OutOfBounds,
    /// True if the one index counts the elements of several axes.
    pub split: bool,
    /// Of indices and axes.
    pub width: Width,
}

impl<'a, P: Copy> GatherParams<'a, P> {
    /// Returns the fields that a key has, those that it has not being left out.
    #[must_use]
    pub fn of(self, key: &Gather) -> GatherParams<'a, P> {
        let store = matches!(key.method, GatherMethod::Store(_));
        let one = key.method == GatherMethod::Store(Stored::Value);
        GatherParams {
            width: key.width,
            rejected: (key.method != GatherMethod::Elements).then(|| self.rejected.unwrap_or(Written(None))),
            table: store.then(|| self.table.unwrap_or(Read(None))),
            last: store.then(|| self.last.unwrap_or(Read(None))),
            cell_steps: store.then(|| self.cell_steps.unwrap_or_default()),
            value: one.then(|| self.value.unwrap_or_default()),
            split_axes: key.split.then(|| self.split_axes.unwrap_or_default()),
            split_sizes: key.split.then(|| self.split_sizes.unwrap_or_default()),
            split_strides: key.split.then(|| self.split_strides.unwrap_or_default()),
            ..self
        }
    }
}

impl Gather {
    /// Returns the number of arrays of indices.
    pub fn count(&self) -> usize {
        self.indices.iter().flatten().count()
    }

    /// Returns the rows of the table of strides.
    pub fn rows(&self) -> usize {
        self.count() + if matches!(self.method, GatherMethod::Store(_)) { 4 } else { 2 }
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let what = match self.method {
            GatherMethod::Elements => "gather",
            GatherMethod::Cells => "cells",
            GatherMethod::Keys => "keys",
            GatherMethod::Claim => "claim",
            GatherMethod::Store(_) => "scatter",
        };
        format!("{what}/{}-byte elements, {} indices", self.item, self.count())
    }

    /// Returns the source of the kernel `gather`.
    pub fn source(&self) -> String {
        let mut functions = String::from(
            "DEVICE i64 index_at(const params &p, int k, i64 at) {\n  const char *place = (const char *)p.indices[k] + at;\n",
        );
        for (k, dtype) in self.indices.iter().flatten().enumerate() {
            let read = match dtype {
                // Of a boolean any byte but 0 is true, whoever wrote it.
                DType::Bool => "*(const u8 *)place != 0".into(),
                other => format!("*(const {} *)place", other.device_name()),
            };
            let _ = writeln!(functions, "  if (k == {k}) return (i64)({read});");
        }
        functions.push_str("  return 0;\n}\n");
        let (method, dtypes) = match self.method {
            GatherMethod::Elements => (0, vec![]),
            GatherMethod::Cells => (1, vec![]),
            GatherMethod::Keys => (4, vec![]),
            GatherMethod::Claim => (2, vec![]),
            GatherMethod::Store(Stored::Cast(from, to)) => (3, vec![from, to]),
            GatherMethod::Store(_) => (3, vec![]),
        };
        let (mut element, mut from) = (item(self.item), item(self.item));
        if let GatherMethod::Store(stored) = self.method {
            let body = match stored {
                Stored::Same => "return *(const item *)((const char *)p.input + at);".into(),
                Stored::Value => "item e; memcpy(&e, &p.value, sizeof(e)); return e;".into(),
                Stored::Cast(f, t) => {
                    (element, from) = (t.device_name(), f.device_name());
                    format!("const given x = *(const given *)((const char *)p.input + at); return {};", cast(f, t, "x"))
                }
            };
            let _ = writeln!(functions, "DEVICE item stored(const params &p, i64 at) {{ {body} }}");
        }
        let head = if dtypes.is_empty() { format!("{TYPES}{INDEX}") } else { headers(dtypes, false) };
        let rows = vec![Strides::default(); self.rows()];
        let params = GatherParams::<()> { strides: &rows, ..Default::default() }.of(self);
        Unit::new(head, "gather_at")
            .typed("item", element)
            .typed("given", from)
            .indexed(self.width)
            .number("INDICES", self.count())
            .choice(
                "MODE",
                match self.out_of_bounds {
                    OutOfBounds::Rejected => 0,
                    OutOfBounds::Wrapped => 1,
                    OutOfBounds::Clipped => 2,
                    OutOfBounds::Uncounted => 3,
                },
            )
            .choice("METHOD", method)
            .switch("SPLIT", self.split)
            .params(&params)
            .with(&functions)
            .with(body!("device_errors"))
            .with(body!("gather"))
            .finish()
    }
}

/// Returns the source of the kernel `last`, with the parameters [`LastParams`].
pub fn last_source() -> String {
    Unit::new(TYPES.into(), "last_of").params(&LastParams::<()>::default()).with(body!("last")).finish()
}

/// Returns the source of the kernel `settle`, with the parameters [`SettleParams`], for elements of so many bytes.
pub fn settle_source(size: u8) -> String {
    Unit::new(TYPES.into(), "settled")
        .typed("item", item(size))
        .params(&SettleParams::<()>::default())
        .with(body!("settle"))
        .finish()
}
