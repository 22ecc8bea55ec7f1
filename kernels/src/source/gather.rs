//! Source of the indexing kernels: elements read from indices (take), flat positions of indices, elements written to
//! indices (put).

use std::fmt::Write;

use super::compaction::item;
use super::{INDEX, TYPES, Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Value, Written, parameters};

/// Maximum number of index arrays of one launch: as in the type of `steps` in `include/gather.cuh`.
pub const GATHER_INDICES: usize = 4;
/// Results of a thread.
pub const GATHER_ITEMS: usize = 4;

parameters! {
    /// Parameters of the kernel `gather`.
    GatherParams<'a, P> {
        /// Number of elements that are read, positions that are computed, or elements that are written.
        results: usize,
        /// The elements that are read or stored.
        input: Read<P>,
        /// The contiguous results, the claimed positions, or the elements that are written to.
        out: Written<P>,
        /// The arrays of indices.
        indices: [Read<P>; GATHER_INDICES],
        /// Sizes of the axes that the arrays index; 0 if the indices are known to be in bounds.
        bounds: [i64; GATHER_INDICES],
        /// Distance in the array from one index value to the next: in bytes, or in elements.
        steps: [i64; GATHER_INDICES],
        /// Axis that each array indexes, for error messages.
        along: [u32; GATHER_INDICES],
        /// Number of the function, for error messages.
        function: u32,
        /// Number of axes.
        axes: u32,
        /// The error record.
        record: Read<P>,
        /// Number of the call, for error messages.
        call: usize,
        /// A word that is not 0 once an index is rejected.
        rejected: Option<Written<P>>,
        /// For every flat position, the number of the last index that names it, counted from 1.
        table: Option<Read<P>>,
        /// For every index, true if it is the last that names its position.
        last: Option<Read<P>>,
        /// Distance in elements from one index value to the next.
        cell_steps: Option<[i64; GATHER_INDICES]>,
        /// The scalar that is stored to all indices.
        value: Option<Value>,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Rows of strides: one for each index array, then for the array, the index number, the stored elements, and
        /// the flat position.
        strides: &'a [Strides<'a>],
        /// Number of axes that the single index array indexes together.
        split_axes: Option<u32>,
        /// Sizes of these axes.
        split_sizes: Option<Sizes<'a>>,
        /// Strides of these axes.
        split_strides: Option<Strides<'a>>,
    }
}

parameters! {
    /// Parameters of the kernel `last`.
    LastParams<P> {
        /// Number of positions.
        positions: usize,
        /// int64: the sorted flat positions.
        keys: Read<P>,
        /// The index number of each.
        order: Read<P>,
        /// For every index, true if it is the last that names its position.
        last: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernel `settle`.
    SettleParams<P> {
        /// Number of indices.
        indices: usize,
        /// The sorted flat positions.
        keys: Read<P> as "const u32 *",
        /// The stored elements in the same order.
        values: Read<P>,
        /// The first element of the array.
        out: Written<P>,
        /// A word that is not 0 once an index is rejected.
        rejected: Read<P>,
    }
}

/// Operation at the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatherMethod {
    /// Reads elements.
    Elements,
    /// Writes the flat positions as int64, or only checks the indices.
    Cells,
    /// Writes the flat positions as uint32.
    Keys,
    /// Records for each position the last index that names it.
    Claim,
    /// Writes elements.
    Store(Stored),
}

/// Elements that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// Elements without a cast.
    Same,
    /// Elements of the first dtype, cast to the second.
    Cast(DType, DType),
    /// One scalar.
    Value,
}

/// Treatment of an index out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBounds {
    /// The index is rejected; negative indices count from the end.
    Rejected,
    /// The index wraps around.
    Wrapped,
    /// The index is clipped to the nearest valid index.
    Clipped,
    /// The index is rejected, and so is a negative index.
    Uncounted,
}

/// Key of the kernel `gather`, with the parameters [`GatherParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// The operation.
    pub method: GatherMethod,
    /// Bytes of an element.
    pub item: u8,
    /// The dtypes of the indices.
    pub indices: [Option<DType>; GATHER_INDICES],
    /// Treatment of an index out of bounds.
    pub out_of_bounds: OutOfBounds,
    /// True if a single index array indexes several axes together.
    pub split: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl<'a, P: Copy> GatherParams<'a, P> {
    /// Drops the fields that the kernel of this key does not have.
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
    /// Returns the number of index arrays.
    pub fn count(&self) -> usize {
        self.indices.iter().flatten().count()
    }

    /// Returns the number of rows of the table of strides.
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
            "DEVICE i64 index_at(const params &p, int k, i64 at) {\n  const char *address = (const char *)p.indices[k] + at;\n",
        );
        for (k, dtype) in self.indices.iter().flatten().enumerate() {
            let read = match dtype {
                // Any byte but 0 is a true boolean, since users can write such bytes.
                DType::Bool => "*(const u8 *)address != 0".into(),
                other => format!("*(const {} *)address", other.device_name()),
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

/// Returns the source of the kernel `settle`, with the parameters [`SettleParams`], for elements of `size` bytes.
pub fn settle_source(size: u8) -> String {
    Unit::new(TYPES.into(), "settled")
        .typed("item", item(size))
        .params(&SettleParams::<()>::default())
        .with(body!("settle"))
        .finish()
}
