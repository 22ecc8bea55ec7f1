//! `repeat` with an array of counts: each element repeated as often as its count.
//!
//! The host must know the number of results, so that the counts are read twice: once for the sums of tiles of 2048, and
//! once by the blocks that write. A tile has a block for each 8192 results and one more. The block finds its tile in
//! the running sums of the tiles (three steps of a warp among 32,768 of them), adds up the tile's counts in shared
//! memory, and searches there for the source of each chunk of 16 bytes of results, once. However uneven the counts are,
//! no block has more than 2048 counts and 8192 results.
//!
//! Memory traffic: the counts twice, the source elements once, the results once; and a read-back of the sum.

use cuprum_kernels::DType;
use cuprum_kernels::source::{EXPAND_MOST, EXPAND_TILE, ExpandParams, ExpandTilesParams, expand_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;

/// Threads of a block: as in `include/expand.cuh`.
const THREADS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and the size of an element.
    static KERNELS: Kernels<u8, 2> = Kernels::default();
}

fn functions(a: &Array) -> Result<[crate::driver::Function; 2]> {
    let size = a.itemsize() as u8;
    let source = || (format!("expand/{size}-byte elements"), expand_source(size));
    kernels(&KERNELS, a.device(), size, ["expand_tiles", "expand"], source)
}

/// Returns the sum and the smallest of the counts of each tile; the counts are int64 and contiguous, at least one.
pub(crate) fn tiles_of_counts(a: &Array, counts: &Array) -> Result<[Array; 2]> {
    let device = one_device(a, [counts])?;
    let (n, tiles) = (counts.size(), counts.size().div_ceil(EXPAND_TILE));
    let [sums, least] = [make::empty(device, &[tiles], DType::I64)?, make::empty(device, &[tiles], DType::I64)?];
    let params = ExpandTilesParams {
        width: Default::default(),
        sources: n,
        counts: read(counts),
        sums: written(&sums),
        least: written(&least),
    };
    let blocks = Blocks::of(tiles, n, "counts");
    // SAFETY: the counts are contiguous, and each tile has a sum and a minimum.
    unsafe { Launcher::on(device).launch(functions(a)?[0], blocks, THREADS, &params) }?;
    Ok([sums, least])
}

/// Writes each element of `a`, which has one axis, to `out` as often as its count, contiguously. `ends` are the running
/// sums over the tiles; the last of them is the size of `out`.
pub(crate) fn expand(a: &Array, counts: &Array, ends: &Array, out: &Array) -> Result<()> {
    let device = one_device(a, [counts, ends, out])?;
    if out.size() == 0 {
        return Ok(());
    }
    let tiles = ends.size();
    let params = ExpandParams {
        width: Default::default(),
        sources: a.size(),
        counts: read(counts),
        ends: read(ends),
        input: read(a),
        step: a.strides()[0],
        out: written(out),
        tiles: tiles as u32,
    };
    let blocks = Blocks::of(tiles + out.size() / EXPAND_MOST, out.size(), "results");
    // SAFETY: there is a count for each element; the ends increase to the number of results, so that each block has its
    // own; and even if the counts have changed since, a block finds source elements of its tile.
    unsafe { Launcher::on(device).launch(functions(a)?[1], blocks, THREADS, &params) }
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType, repeat};

    /// Tiles without results, tiles whose results fill several blocks, results that end within a chunk.
    #[test]
    fn uneven_counts_are_shared_among_blocks() {
        let n = 5 * 2048 + 77;
        let count = |i: usize| match i / 2048 {
            0 => usize::from(i == 2047) * 20_011,
            1 | 3 => 0,
            2 => i % 5,
            _ => usize::from(i % 911 == 3) * 9001,
        };
        let counts: Vec<i64> = (0..n).map(|i| count(i) as i64).collect();
        let counts = Array::from_slice(&counts, [n]).unwrap();
        let want: Vec<u32> = (0..n).flat_map(|i| std::iter::repeat_n(i as u32 % 127, count(i))).collect();
        for dtype in [DType::U8, DType::I16, DType::F32, DType::F64, DType::C128] {
            let numbers: Vec<u32> = (0..n).map(|i| i as u32 % 127).collect();
            let a = Array::from_slice(&numbers, [n]).unwrap().astype(dtype).unwrap();
            let found = repeat(&a, &counts, ()).unwrap();
            assert_eq!(found.size(), want.len(), "{dtype}");
            assert!(found.astype(DType::U32).unwrap().to_vec::<u32>().unwrap() == want, "{dtype}");
        }
    }
}
