//! Source of the kernels of linear recurrences.

use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Width, Written, parameters};

/// Maximum number of real states of a recurrence; of complex ones there are half as many.
pub const RECURRENCE_STATES: usize = 16;

/// Maximum number of real states of the kernel `recurrence_long`; of complex ones there are half as many.
pub const RECURRENCE_LONG: usize = 2048;

/// Weights of the elements of a chunk for all states, as real numbers: the parameters have room for them.
pub const RECURRENCE_WEIGHTS: usize = 256;

/// Number of warps of a block of the kernels of few states, for real and for complex numbers, which shared memory bounds.
pub const RECURRENCE_WARPS: [usize; 2] = [4, 2];

/// Groups of tiles that are scanned together: `GROUP` of `include/recurrence.cuh`.
pub const RECURRENCE_GROUP: usize = 16;

/// Tiles of a span: `SPAN` of `include/recurrence.cuh`.
pub const RECURRENCE_SPAN: usize = 16;

/// Segments of a tile: `SEGMENTS` of `include/recurrence.cuh`.
pub const RECURRENCE_SEGMENTS: usize = 16;

/// Numbers of the matrices of chunks that the parameters have room for: `FITTING` of `include/recurrence.cuh`.
pub const RECURRENCE_PASSED: usize = 128;

parameters! {
    /// Parameters of the kernels of few states: sizes in elements, strides in bytes. `recurrence_scan` of spans has them as its tiles.
    RecurrenceParams<'a, P> {
        /// Number of lines.
        lines: usize,
        /// Length of a line, with its continuation.
        n: i64,
        /// Number of elements by which the input is continued at both ends.
        pad: i64,
        /// Number of results before the first one that is written.
        skip: i64,
        /// Number of results that are written.
        kept: i64,
        /// Number of segments of a line.
        segments: usize,
        /// Number of tiles of a line.
        tiles: usize,
        /// Number of tiles whose states are scanned in sequence.
        tile_group: usize,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// `matrices` of `include/recurrence.cuh`; `recurrence_scan` reads the last three, and `recurrence_reduce` and `recurrence_spread` that of a
        /// tile.
        powers: Read<P> as "const f64 *",
        /// The state before each line, or 0 for `start`.
        first: Read<P> as "const f64 *",
        /// The state before each tile of each line but the first.
        states: Written<P> as "f64 *",
        /// The state before each segment of each line that the elements of its tile alone lead to.
        segment_states: Written<P> as "f64 *",
        /// The state before each span of each line, or 0.
        spans: Written<P> as "f64 *",
        /// The state after each line, or 0.
        last: Written<P> as "f64 *",
        /// Stride of the input along the line.
        src_step: i64,
        /// Stride of the results along the line.
        dst_step: i64,
        /// Coefficients of the input; three for each section.
        above: [f64; RECURRENCE_STATES / 2 * 3],
        /// Coefficients of the results, from the second on; two for each section.
        below: [f64; RECURRENCE_STATES],
        /// The state before all lines.
        start: [f64; RECURRENCE_STATES],
        /// Weights in the state after them of the elements of a chunk, or of those 32 apart for `recurrence_ends`, by states.
        weights: [[f64; RECURRENCE_STATES]; RECURRENCE_WEIGHTS / RECURRENCE_STATES],
        /// The entries that are used of the matrices of 1, 2, 4, 8 and 16 chunks, of as many matrices as there is room for.
        chunks: [[f64; RECURRENCE_STATES]; RECURRENCE_PASSED / RECURRENCE_STATES],
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// Number of results from one that is written to the next.
        every: Size,
        /// Number of the other axes.
        axes: u32,
        /// Rule of the continuation: odd, even or constant.
        pad_rule: u32,
        /// True if the state before a line is that after a step, which is multiplied by the first element.
        settled: bool,
        /// True if weights of `recurrence_ends` overflow.
        overflows: bool,
    }
}

parameters! {
    /// Parameters of the kernel `recurrence_long`: sizes in elements, strides in bytes.
    RecurrenceLongParams<'a, P> {
        /// Length of a line.
        n: i64,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// Coefficients of the input, one more than there are states.
        above: Read<P> as "const f64 *",
        /// Coefficients of the results, one more than there are states.
        below: Read<P> as "const f64 *",
        /// The state before each line, or 0.
        first: Read<P> as "const f64 *",
        /// The state after each line, or 0.
        last: Written<P> as "f64 *",
        /// Stride of the input along the line.
        src_step: i64,
        /// Stride of the results along the line.
        dst_step: i64,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// Number of the other axes.
        axes: u32,
        /// Number of states.
        order: u32,
    }
}

/// Key of the kernels of recurrences, with the parameters [`RecurrenceParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recurrence {
    /// The dtype of the input, which is not complex unless the states are.
    pub from: DType,
    /// The dtype of the results, which is complex if the states are.
    pub to: DType,
    /// Number of states: at most [`RECURRENCE_STATES`].
    pub order: usize,
    /// True for states and coefficients of complex128, false for those of float64.
    pub complex: bool,
    /// True for sections of order 2, false for one rational filter.
    pub cascade: bool,
    /// True for the kernel `recurrence_long` of up to [`RECURRENCE_LONG`] states, false for those of few states.
    pub long: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Recurrence {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        let number = if self.complex { DType::C128 } else { DType::F64 };
        format!("recurrence/{}/{number}/{}/{}", self.from, self.to, self.order)
    }

    /// Returns the number of states that arrays have room for: 2, 4, 8 or 16.
    pub fn states(&self) -> usize {
        self.order.next_power_of_two().max(2)
    }

    /// Returns the number of elements of a thread, for which there is room for states: `CHUNK` of
    /// `include/recurrence.cuh`.
    pub fn chunk(states: usize, complex: bool) -> usize {
        if states << u32::from(complex) > 8 { 16 } else { 32 }
    }

    /// Returns the number of groups of tiles of a line that are scanned at the same time: `TILE_GROUPS` of
    /// `include/recurrence.cuh`.
    pub fn tile_groups(&self) -> usize {
        (32 * RECURRENCE_WARPS[usize::from(self.complex)]).min(512 / self.states())
    }

    /// Returns the number of spans of a block: `SPANS` of `include/recurrence.cuh`.
    pub fn spans(&self) -> usize {
        64 / self.states()
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let number = if self.complex { DType::C128 } else { DType::F64 };
        let unit = Unit::new(headers([self.from, number, self.to], false), "recurrence")
            .typed("number", number.device_name())
            .switch("COMPLEX", self.complex)
            .typed("element", self.from.device_name())
            .typed("result", self.to.device_name())
            .indexed(self.width);
        let casts = format!(
            "DEVICE number value_of(element e) {{ return {}; }}\nDEVICE result result_of(number v) {{ return {}; }}\n",
            cast(self.from, number, "e"),
            cast(number, self.to, "v")
        );
        if self.long {
            return unit
                .number("MOST", RECURRENCE_LONG >> u32::from(self.complex))
                .params(&RecurrenceLongParams::<()> { width: self.width, ..Default::default() })
                .with(&casts)
                .with(body!("recurrence_numbers"))
                .with(body!("recurrence_long"))
                .finish();
        }
        unit.number("ORDER", self.order)
            .number("STATES", self.states())
            .number("WARPS", RECURRENCE_WARPS[usize::from(self.complex)])
            .switch("CASCADE", self.cascade)
            .params(&RecurrenceParams::<()> { width: self.width, ..Default::default() })
            .with(&casts)
            .with(body!("recurrence_numbers"))
            .with(body!("recurrence"))
            .finish()
    }
}
