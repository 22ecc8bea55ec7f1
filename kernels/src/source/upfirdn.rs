//! Source of the kernel that filters and changes the sampling rate.

use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Width, Written, parameters};

/// Results of a thread of long lines: `REACH` of `include/upfirdn.cuh`.
pub const UPFIRDN_REACH: usize = 4;

parameters! {
    /// Parameters of the kernel `upfirdn`: sizes in elements, strides in bytes.
    UpfirdnParams<'a, P> {
        /// Number of threads with results.
        count: usize,
        /// Number of results of a line.
        results: usize,
        /// Number of results from one of a thread to its next: a multiple of `up`.
        pitch: usize,
        /// Number of results of a thread: [`UPFIRDN_REACH`] or 1.
        reach: usize,
        /// Number of elements from the last one of a result of a thread to that of its next.
        advance: i64,
        /// Length of a line of the input.
        n: i64,
        /// Number of weights of a phase.
        taps: i64,
        /// Results are at every `down`th position.
        down: usize,
        /// Position of the first result.
        shift: usize,
        /// Element beyond a constant border.
        cval: f64,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The weights by phases.
        weights: Read<P> as "const f64 *",
        /// Stride of the input along the line.
        src_step: i64,
        /// Stride of the results along the line.
        dst_step: i64,
        /// Number of positions from one element of the input to the next.
        up: Size,
        /// Pitch of the results, or number of lines.
        inner: Size,
        /// Number of segments of a line if adjacent threads have adjacent results, otherwise the pitch.
        segments: Size,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// Number of the other axes.
        axes: u32,
        /// Rule of the border.
        rule: u32,
        /// True if adjacent threads have adjacent results of a line.
        along: bool,
        /// True if elements beyond the borders are 0.
        zero: bool,
    }
}

/// Weights that the parameters of the kernel `upfirdn_tile` have room for.
pub const UPFIRDN_WEIGHTS: usize = 128;

/// Results of a thread of the kernel `upfirdn_tile`, and its blocks that run on a multiprocessor: many results, and few.
pub const UPFIRDN_TILE_REACH: [[usize; 2]; 2] = [[13, 3], [8, 4]];

parameters! {
    /// Parameters of the kernel `upfirdn_tile`: sizes in elements, strides in bytes.
    UpfirdnTileParams<'a, P> {
        /// Number of tiles of all lines.
        count: usize,
        /// Number of results of a tile.
        tile_results: usize,
        /// Number of results of a line.
        results: usize,
        /// Length of a line of the input.
        n: i64,
        /// Number of weights of a phase.
        taps: i64,
        /// Position of the first result.
        shift: usize,
        /// Element beyond a constant border.
        cval: f64,
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The weights by phases if the parameters have no room for them.
        weights: Read<P> as "const f64 *",
        /// Stride of the input along the line.
        src_step: i64,
        /// Stride of the results along the line.
        dst_step: i64,
        /// Number of tiles of a line.
        tiles: Size,
        /// Number of positions from one element of the input to the next.
        up: Size,
        /// Results are at every `down`th position.
        down: Size,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// Number of the other axes.
        axes: u32,
        /// Rule of the border.
        rule: u32,
        /// Number of elements of the input of a tile.
        elements: u32,
        /// Numbers in shared memory for the elements of a tile.
        tile_numbers: u32,
        /// Numbers in shared memory for the elements of one remainder.
        plane: u32,
        /// Groups of `up` threads with results.
        groups: u32,
        /// The weights by phases, if there are few.
        few: [[f64; 32]; UPFIRDN_WEIGHTS / 32],
    }
}

/// Key of the kernel `upfirdn`, with the parameters [`UpfirdnParams`], or `upfirdn_tile`, with [`UpfirdnTileParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Upfirdn {
    /// The dtype of the input, which is not complex.
    pub from: DType,
    /// The dtype of the results, which is not complex.
    pub to: DType,
    /// An entry of [`UPFIRDN_TILE_REACH`] for the kernel of tiles.
    pub tile: Option<[usize; 2]>,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl Upfirdn {
    /// Returns the dtype of elements in shared memory.
    pub fn number(&self) -> DType {
        if self.from == DType::F32 { DType::F32 } else { DType::F64 }
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("upfirdn/{}/{}", self.from, self.to)
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        let unit = Unit::new(headers([self.from, self.to], false), "upfirdn")
            .typed("element", self.from.device_name())
            .typed("result", self.to.device_name())
            .indexed(self.width);
        let unit = if let Some([reach, blocks]) = self.tile {
            let number = self.number();
            unit.typed("number", number.device_name())
                .switch("STORED", number == self.from)
                .number("REACH", reach)
                .number("BLOCKS", blocks)
                .params(&UpfirdnTileParams::<()> { width: self.width, ..Default::default() })
                .with(&format!("DEVICE f64 widened(number v) {{ return {}; }}\n", cast(number, DType::F64, "v")))
        } else {
            unit.params(&UpfirdnParams::<()> { width: self.width, ..Default::default() })
        };
        unit.with(body!("window_border"))
            .with(&format!(
                "DEVICE f64 value_of(element e) {{ return {}; }}\nDEVICE result result_of(f64 v) {{ return {}; }}\n",
                cast(self.from, DType::F64, "e"),
                cast(DType::F64, self.to, "v")
            ))
            .with(if self.tile.is_some() { body!("upfirdn_tile") } else { body!("upfirdn") })
            .finish()
    }
}
