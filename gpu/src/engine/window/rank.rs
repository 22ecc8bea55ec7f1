//! Elements of a rank in windows over several axes.
//!
//! Medians of small boxes are computed in registers, those of larger squares of 32-bit keys from sorted columns. Other windows of up to some thousands of elements are selected from
//! the sorted elements of a block, with the size, the footprint and the rank as data. Larger ones are searched by
//! bisection, which reads the window in each round.

use cuprum_kernels::params::{Read, Size, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{
    WINDOW_RUNS, WINDOW_WALKERS, WindowColumns, WindowMedian, WindowMedianParams, WindowRank, WindowSelect,
    WindowSelectParams,
};

use super::area::{Area, Binary, THREADS};
use super::tables::{Tables, Windows};
use super::{apart, few_or_list, wrapped};
use crate::array::Array;
use crate::driver::Function;
use crate::engine::fusion::ready;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::engine::make;
use crate::error::Result;
use crate::layout::{Dims, Strides, order_like};

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static RANK_KERNELS: Kernels<WindowRank> = Kernels::default();
    static MEDIAN_KERNELS: Kernels<WindowMedian> = Kernels::default();
    static COLUMNS_KERNELS: Kernels<WindowColumns> = Kernels::default();
    static SELECT_KERNELS: Kernels<WindowSelect> = Kernels::default();
}

/// Boxes of the kernel `window_select`: what the windows of a block cover, and its results.
#[derive(Debug)]
struct Boxes {
    /// The kernel.
    key: WindowSelect,
    /// Results of a block along each axis.
    tile: Dims,
    /// Elements that their windows cover along each axis.
    sizes: Dims,
}

impl Boxes {
    /// Returns the boxes of blocks whose windows have extents along the axes of results, or `None` if no window fits.
    fn of(key: WindowSelect, extents: &[usize], results: &[usize], most_shared: usize) -> Option<Boxes> {
        let mut chosen = None;
        for threads in WindowSelect::THREADS {
            let key = WindowSelect { threads, ..key };
            if key.shared(key.room()) > most_shared || volume(extents)? > key.room() {
                continue;
            }
            let tile = largest(extents, results, key.room());
            let sizes: Dims = tile.iter().zip(extents).map(|(t, e)| t + e - 1).collect();
            // A third of the elements are results, or all results fit.
            let enough = 3 * tile.iter().product::<usize>() >= volume(&sizes)? || tile[..] == *results;
            chosen = Some(Boxes { key, tile, sizes });
            if enough {
                break;
            }
        }
        chosen
    }
}

fn volume(sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(1_usize, |product, n| product.checked_mul(*n))
}

/// Returns the results of a block along each axis, as many as their windows in a room allow: the axis grows whose growth
/// adds most results for the elements that it adds.
pub(super) fn largest(extents: &[usize], results: &[usize], room: usize) -> Dims {
    let mut tile: Dims = extents.iter().map(|_| 1).collect();
    let mut count: usize = extents.iter().product();
    loop {
        let mut best: Option<(f64, usize, usize, usize)> = None;
        for d in (0..tile.len()).rev() {
            let grown = (tile[d] + (tile[d] / 8).max(1)).min(results[d]);
            let larger = count / (tile[d] + extents[d] - 1) * (grown + extents[d] - 1);
            if grown == tile[d] || larger > room {
                continue;
            }
            let gain = grown as f64 / tile[d] as f64 * count as f64 / larger as f64;
            if best.is_none_or(|(most, ..)| gain > most) {
                best = Some((gain, d, grown, larger));
            }
        }
        let Some((_, d, grown, larger)) = best else { return tile };
        (tile[d], count) = (grown, larger);
    }
}

impl Area<'_> {
    /// Computes the element of a rank, counted from 0, among those of the footprint, of which there is at least one
    /// more.
    pub(crate) fn rank(&self, rank: usize, src: &Array, out: &Array) -> Result<()> {
        one_device(src, [out])?;
        apart(src, out, |out| self.launch_rank(rank, src, out))
    }

    fn launch_rank(&self, rank: usize, src: &Array, out: &Array) -> Result<()> {
        if out.size() == 0 {
            return Ok(());
        }
        // There are two axes at least.
        if src.ndim() < 2 {
            let missing = 2 - src.ndim();
            let wide = |a: &Array| a.expand_dims((0..missing as isize).collect::<Vec<_>>());
            let shape: Dims = [1, 1].into_iter().take(missing).chain(self.shape.iter().copied()).collect();
            let leads: Strides = [0, 0].into_iter().take(missing).chain(self.leads.iter().copied()).collect();
            let rules = [self.rules.first().copied().unwrap_or_default(); 2];
            let area = Area { shape: &shape, leads: &leads, rules: &rules, ..self.clone() };
            return area.launch_rank(rank, &wide(src)?, &wide(out)?);
        }
        let order = order_like(src.shape(), &[src.strides()]);
        let (src, out) = (&src.permuted(&order), &out.permuted(&order));
        if rank == self.footprint.len() / 2 && self.footprint.iter().all(|inside| *inside) {
            let axes = order.len();
            let shape = std::array::from_fn(|k| if axes + k >= 3 { self.shape[order[axes + k - 3]] } else { 1 });
            let others_are_one = order[..axes.saturating_sub(3)].iter().all(|d| self.shape[*d] == 1);
            if others_are_one && WindowMedian::SHAPES.contains(&shape) {
                return self.median(shape, src, out, &order);
            }
            let key =
                WindowColumns { from: src.dtype(), to: out.dtype(), size: shape[2], deep: Width::of(axes, 0).deep };
            if others_are_one
                && shape[..2] == [1, key.size]
                && WindowColumns::SIZES.contains(&key.size)
                && WindowColumns::has_keys(src.dtype())
                && key.shared() <= out.device().info().shared_bytes as usize
            {
                // A kernel of unrolled networks takes seconds to compile. Until it is there, the same elements are selected below.
                if let Some([function]) = ready(&COLUMNS_KERNELS, out.device(), key, ["window_columns"])? {
                    return self.median_of_columns(function, key, src, out, &order);
                }
            }
        }
        let elements = self.elements(&order);
        let t = self.tables(src, out, &elements, &order);
        let extents: Dims = t.first.iter().zip(&t.last).map(|(first, last)| (last - first + 1) as usize).collect();
        let key = WindowSelect { from: src.dtype(), to: out.dtype(), threads: 0, deep: Width::of(t.axes, 0).deep };
        match Boxes::of(key, &extents, out.shape(), out.device().info().shared_bytes as usize) {
            Some(boxes) => self.select(rank, src, out, &elements, &t, &boxes),
            None => self.bisect(rank, src, out, &elements, &t),
        }
    }

    /// Computes the medians of a small box.
    fn median(&self, shape: [usize; 3], src: &Array, out: &Array, order: &[usize]) -> Result<()> {
        let device = out.device();
        let key = WindowMedian { from: src.dtype(), to: out.dtype(), shape, deep: Width::of(src.ndim(), 0).deep };
        let [function] = kernels(&MEDIAN_KERNELS, device, key, ["window_median"], || (key.name(), key.source()))?;
        let (params, blocks) = self.median_params(key.tile(), src, out, order);
        // SAFETY: elements are read within the input, by the rules of the border, and each result is written by one thread.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }

    /// Computes the medians of a larger square.
    fn median_of_columns(
        &self,
        function: Function,
        key: WindowColumns,
        src: &Array,
        out: &Array,
        order: &[usize],
    ) -> Result<()> {
        let device = out.device();
        let (params, blocks) = self.median_params(WindowColumns::TILE, src, out, order);
        // SAFETY: elements are read within the input, by the rules of the border; `include/window_columns.cuh` stays within the shared memory
        // of the key; each result is written by one thread.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, key.threads(), key.shared(), &params) }
    }

    /// Returns the parameters and the blocks of a launch with a number of results of a block along the last axis and the one before.
    fn median_params<'a>(
        &self,
        (across, down): (usize, usize),
        src: &'a Array,
        out: &'a Array,
        order: &[usize],
    ) -> (WindowMedianParams<'a, DevicePtr<'a>>, Blocks) {
        let axes = src.ndim();
        let last = |k: usize| (axes + k).checked_sub(3);
        let (tiles_x, tiles_y) = (out.shape()[axes - 1].div_ceil(across), out.shape()[axes - 2].div_ceil(down));
        let others: usize = out.shape()[..axes - 2].iter().product();
        let params = WindowMedianParams {
            width: Width { wide: false, deep: Width::of(axes, 0).deep },
            src: read(src),
            dst: written(out),
            cval: wrapped(src.dtype(), self.cval),
            tiles_x: tiles_x as u32,
            tiles_y: tiles_y as u32,
            n: std::array::from_fn(|k| last(k).map_or(1, |d| src.shape()[d] as i64)),
            leads: std::array::from_fn(|k| last(k).map_or(0, |d| self.leads[order[d]])),
            rules: std::array::from_fn(|k| last(k).map_or(0, |d| self.rules[order[d]] as u32)),
            axes: axes as u32,
            sizes: Sizes(out.shape()),
            src_steps: Numbers(src.strides()),
            dst_steps: Numbers(out.strides()),
        };
        let blocks = Blocks::of(tiles_x.saturating_mul(tiles_y).saturating_mul(others), out.size(), "results");
        (params, blocks)
    }

    /// Selects from the sorted elements of blocks.
    fn select(
        &self,
        rank: usize,
        src: &Array,
        out: &Array,
        elements: &[(Strides, usize)],
        t: &Tables,
        boxes: &Boxes,
    ) -> Result<()> {
        let Boxes { key, tile, sizes } = boxes;
        let device = out.device();
        let [function] = kernels(&SELECT_KERNELS, device, *key, ["window_select"], || (key.name(), key.source()))?;
        let mut positions: Vec<usize> = elements
            .iter()
            .map(|(at, _)| (0..t.axes).fold(0, |sum, d| sum * sizes[d] + (at[d] - t.first[d]) as usize))
            .collect();
        positions.sort_unstable();
        // The box of a window is not wider than that of a block, whose rows are longer than its runs by the results of a row less one:
        // positions that follow each other are in one row.
        let mut runs: Vec<u32> = Vec::new();
        let mut end = usize::MAX;
        for at in positions {
            match runs.last_mut() {
                Some(run) if at == end && at % sizes[t.axes - 1] != 0 => *run += 1 << 16,
                _ => runs.push(at as u32 | 1 << 16),
            }
            end = at + 1;
        }
        let (few, list) = few_or_list::<_, { WINDOW_RUNS / 32 }>(device, &runs)?;
        let box_count: usize = sizes.iter().product();
        let (width, rows) = (tile[t.axes - 1], tile[..t.axes - 1].iter().product::<usize>());
        let strip = width.div_ceil((WINDOW_WALKERS / rows).clamp(1, width));
        let parts = width.div_ceil(strip);
        let tiles: Strides = out.shape().iter().zip(tile).map(|(n, t)| n.div_ceil(*t) as i64).collect();
        let results: Strides = out.shape().iter().map(|n| *n as i64).collect();
        let params = WindowSelectParams {
            width: Width { wide: false, deep: key.deep },
            src: read(src),
            dst: written(out),
            runs: list.as_ref().map_or(Read(None), read),
            cval: wrapped(src.dtype(), self.cval),
            axes: t.axes as u32,
            run_count: runs.len() as u32,
            rank: rank as u32,
            box_count: box_count as u32,
            words: key.words() as u32,
            strip: strip as u32,
            strips: (rows * parts) as u32,
            parts: Size(parts),
            tile: Sizes(tile),
            box_sizes: Sizes(sizes),
            tiles: Numbers(&tiles),
            results: Numbers(&results),
            lengths: Numbers(&t.lengths),
            first: Numbers(&t.first),
            rules: Numbers(&t.rules),
            src_steps: Numbers(&t.src_steps),
            dst_steps: Numbers(&t.dst_steps),
            few,
        };
        let count = tiles.iter().fold(1_usize, |product, n| product.saturating_mul(*n as usize));
        let blocks = Blocks::of(count, out.size(), "results");
        // SAFETY: elements are read within the input, by the rules of the border; the box, the sets of ranks and the ranks of elements are
        // within the shared memory; each result is written by one thread.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, key.threads, key.shared(box_count), &params) }
    }

    /// Searches by bisection.
    fn bisect(&self, rank: usize, src: &Array, out: &Array, elements: &[(Strides, usize)], t: &Tables) -> Result<()> {
        let mut table = Vec::with_capacity(elements.len() * (1 + t.axes));
        for (at, _) in elements {
            table.push(at.iter().zip(&t.src_steps).map(|(at, step)| at * step).sum::<i64>());
            table.extend_from_slice(at);
        }
        let device = out.device();
        let table = make::of(device, &table, &[table.len()])?;
        let windows = Windows {
            src,
            out,
            runs: &table,
            run_count: elements.len(),
            weights: None,
            rank,
            cval: wrapped(src.dtype(), self.cval),
            reach: 1,
            binary: Binary::default(),
        };
        t.launch(&windows, |width| {
            let key = WindowRank { from: src.dtype(), to: out.dtype(), width };
            let [function] = kernels(&RANK_KERNELS, device, key, ["window_rank"], || (key.name(), key.source()))?;
            Ok(function)
        })
    }
}
