//! Binary erosions of images of bytes, several of them in one launch.
//!
//! Lower bound: the bytes of input and output.

use cuprum_kernels::params::{Size, Width};
use cuprum_kernels::source::{
    WINDOW_BIT_ENTRIES, WINDOW_BITS_TILE_THREADS, WindowBitsTileParams, window_bits_tile_source,
};

use super::bits::{Image, steps};
use super::rank::largest;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;
use crate::layout::Strides;

/// Most words of the region of a block, of which shared memory has three copies.
const ROOM: usize = 3400;

/// Most rows of the region of a block, of which shared memory has two offsets each.
const MOST_ROWS: usize = 1024;

/// Most words of a row of results of a block.
const WORDS: usize = 32;

thread_local! {
    /// The kernel, by device.
    static KERNELS: Kernels<()> = Kernels::default();
}

/// Tiles of an image for a number of erosions. Four sizes are those of the axes other than the last one, and of its words.
#[derive(Debug)]
pub(super) struct BitsTile {
    before: [i64; 4],
    tile: [usize; 4],
    region: [usize; 4],
    counts: [usize; 4],
    iterations: usize,
    entries: [[i64; 32]; WINDOW_BIT_ENTRIES / 32],
    entry_count: usize,
}

impl BitsTile {
    /// Returns the tiles if the elements of arrays are bytes in vectors of 16, and a third of the words of a region are results, or `None`. The
    /// structure has `elements` relative to a result.
    pub(super) fn of(
        image: &Image<'_>,
        elements: &[(Strides, usize)],
        iterations: usize,
        src: &Array,
        out: &Array,
    ) -> Option<BitsTile> {
        let few = !elements.is_empty() && elements.len() <= WINDOW_BIT_ENTRIES;
        if iterations == 0 || !few || !image.dense(src) || !image.dense(out) || src.may_share_memory(out) {
            return None;
        }
        let axes = src.ndim();
        // Coordinates along the three other axes and the last one.
        let coordinate = |at: &Strides, k: usize| (axes + k).checked_sub(4).map_or(0, |d| at[d]);
        let times = iterations as i64;
        // Elements before and after a result that all erosions read.
        let reach = |k: usize| {
            let all = || elements.iter().map(|(at, _)| coordinate(at, k));
            let (low, high) = (all().min().unwrap_or(0).min(0), all().max().unwrap_or(0).max(0));
            let unit = if k == 3 { 32 } else { 1 };
            let count = |n: i64| n.checked_mul(times).map(|n| (n as u64).div_ceil(unit));
            (count(-low), count(high))
        };
        let mut before = [0; 4];
        let mut extents = [1; 4];
        for k in 0..4 {
            let (low, high) = reach(k);
            let (low, high) = (low?, high?);
            if low.checked_add(high)? >= ROOM as u64 {
                return None;
            }
            before[k] = low as i64;
            extents[k] = 1 + (low + high) as usize;
        }
        // Rows of a region have as many words as a warp loads together, or as there are.
        let words = image.words.min(WORDS);
        let rows = MOST_ROWS.min(ROOM / (words + extents[3] - 1));
        if extents[..3].iter().product::<usize>() > rows {
            return None;
        }
        let found = largest(&extents[..3], &image.sizes, rows);
        let tile = [found[0], found[1], found[2], words];
        let region: [usize; 4] = std::array::from_fn(|k| tile[k] + extents[k] - 1);
        if 3 * tile.iter().product::<usize>() < region.iter().product::<usize>() {
            return None;
        }
        let mut entries = [[0; 32]; WINDOW_BIT_ENTRIES / 32];
        for (to, (at, _)) in entries.as_flattened_mut().iter_mut().zip(elements) {
            let x = coordinate(at, 3);
            let row = (0..3).fold(0, |sum, k| sum * region[k] as i64 + coordinate(at, k));
            *to = (row * region[3] as i64 + (x >> 5)) << 32 | (x & 31);
        }
        let results = [image.sizes[0], image.sizes[1], image.sizes[2], image.words];
        let counts = std::array::from_fn(|k| results[k].div_ceil(tile[k]));
        Some(BitsTile { before, tile, region, counts, iterations, entries, entry_count: elements.len() })
    }

    /// Runs the erosions of arrays that the tiles were created for.
    pub(super) fn run(&self, image: &Image<'_>, src: &Array, out: &Array) -> Result<()> {
        let device = out.device();
        let source = || ("window_bits_tile".into(), window_bits_tile_source());
        let [function] = kernels(&KERNELS, device, (), ["window_bits_tile"], source)?;
        let rows: usize = self.region[..3].iter().product();
        let region_count = rows * self.region[3];
        let params = WindowBitsTileParams {
            width: Width::default(),
            src: read(src),
            dst: written(out),
            n: image.n as i64,
            cval: image.area.cval,
            lengths: image.sizes.map(|n| n as i64),
            src_steps: steps(src).1,
            dst_steps: steps(out).1,
            before: self.before,
            tile: self.tile.map(|n| n as i64),
            region: std::array::from_fn(|k| Size(self.region[k])),
            vectors: Size(2 * self.region[3]),
            tiles: self.counts.map(|n| n as u32),
            region_rows: rows as u32,
            region_count: region_count as u32,
            iterations: self.iterations as u32,
            entry_count: self.entry_count as u32,
            invert: image.invert,
            few: self.entries,
        };
        let blocks = Blocks::of(self.counts.iter().fold(1, |n, count| n.saturating_mul(*count)), out.size(), "results");
        let shared = 16 * rows + 4 * (3 * region_count + 2);
        // SAFETY: elements are read and written within the sizes of the image, in vectors that its rows consist of; shared memory has the
        // offsets of the rows of the region, three copies of its words and two words more.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, WINDOW_BITS_TILE_THREADS, shared, &params) }
    }
}
