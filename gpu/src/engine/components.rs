//! Connected components of images with any number of axes.
//!
//! Lower bound: the image read and the labels written. Between them the words of the chunks, one bit for each element,
//! and the parents of runs, of which each kernel reads those of its elements once: about 20 bytes for an element with
//! 4-byte labels. Unions within a tile are in shared memory; those across tiles, one for each pair of runs that touch
//! at a border, are atomic operations in the L2 cache.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width, Written};
use cuprum_kernels::source::{COMPONENT_TILE_LOG2, ComponentParams, components_source};

use super::compressed::binary_loop;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::{Scanning, make};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Strides};

/// Threads of a block: as in `include/components.cuh`.
const THREADS: usize = 256;

const KERNELS: [&str; 5] =
    ["component_tiles", "component_borders", "component_roots", "component_seeds", "component_write"];

thread_local! {
    /// The kernels that this thread has launched, by device and width.
    static COMPONENT_KERNELS: Kernels<Width, 5> = Kernels::default();
}

/// Division of an image into chunks and tiles, and the neighbours of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    /// Number of elements along each axis.
    lengths: Strides,
    /// Base-2 logarithm of the number of elements of a chunk, at most 5: a chunk is one 32-bit word.
    bits_log2: u32,
    /// Chunks of a line along the last axis.
    line_chunks: usize,
    /// Chunks of the image.
    chunks: usize,
    /// Distance of neighbours along each axis, in chunks.
    chunk_steps: Strides,
    /// Base-2 logarithms of the size of a tile: chunks along the last axis, and lines along the two axes before
    /// it.
    tile_log2: [u32; 3],
    /// Number of tiles along each axis.
    tiles: Strides,
    /// Rows of the table `neighbours` of the parameters.
    neighbours: Vec<i64>,
    /// Number of rows of the table: the lines of the structure before the middle one, since it is symmetric.
    neighbour_count: usize,
    /// True if elements next to each other along the last axis are connected.
    horizontal: bool,
    /// Axes along which the structure leaves the image at its borders.
    reaching: u64,
}

impl Plan {
    /// Creates the plan of a shape without empty axes and of a symmetric structure of size 3 along each of its axes.
    fn new(shape: &[usize], structure: &[bool]) -> Result<Plan> {
        let axes = shape.len();
        let n = shape[axes - 1];
        let bits_log2 = n.next_power_of_two().ilog2().min(5);
        let line_chunks = n.div_ceil(1 << bits_log2);
        let mut grid: Dims = shape.into();
        grid[axes - 1] = line_chunks;
        let too_large = || Error::new(ErrorKind::Value, "the image has more elements than positions");
        let chunks = grid.iter().try_fold(1usize, |all, n| all.checked_mul(*n)).ok_or_else(too_large)?;
        let mut chunk_steps: Strides = grid.iter().map(|_| 1).collect();
        for d in (0..axes - 1).rev() {
            chunk_steps[d] = chunk_steps[d + 1] * grid[d + 1] as i64;
        }
        let tile_log2 = tile(&grid, bits_log2);
        let tiles = (0..axes)
            .map(|d| grid[d].div_ceil(1 << tile_log2.get(axes - 1 - d).copied().unwrap_or(0)) as i64)
            .collect();
        let (mut neighbours, mut neighbour_count, mut reaching) = (Vec::new(), 0, 0);
        let lines = structure.len() / 3;
        for (line, some) in structure.chunks(3).enumerate() {
            let pattern: i64 = (0..3).filter(|&k| some[k]).map(|k| 1 << k).sum();
            let mut rest = line;
            let mut deltas = vec![0; axes - 1];
            for delta in deltas.iter_mut().rev() {
                *delta = (rest % 3) as i64 - 1;
                rest /= 3;
            }
            if pattern != 0 {
                let along = deltas.iter().enumerate().filter(|(_, delta)| **delta != 0).map(|(d, _)| d);
                reaching |= along.map(|d| 1u64 << d).sum::<u64>() | u64::from(pattern & 5 != 0) << (axes - 1);
            }
            // Of each pair of lines one is the earlier, and the one in the middle is the element's own.
            if line < lines / 2 && pattern != 0 {
                let far = deltas.iter().rev().skip(2).any(|delta| *delta != 0);
                let step: i64 = deltas.iter().zip(&chunk_steps).map(|(delta, step)| delta * step).sum();
                neighbours.extend([step, far.into(), pattern]);
                neighbours.extend(deltas);
                neighbour_count += 1;
            }
        }
        Ok(Plan {
            lengths: shape.iter().map(|n| *n as i64).collect(),
            bits_log2,
            line_chunks,
            chunks,
            chunk_steps,
            tile_log2,
            tiles,
            neighbours,
            neighbour_count,
            horizontal: structure[structure.len() / 2 - 1],
            reaching,
        })
    }

    fn positions(&self) -> usize {
        self.chunks << self.bits_log2
    }

    fn grid(&self) -> Dims {
        let mut grid: Dims = self.lengths.iter().map(|n| *n as usize).collect();
        if let Some(last) = grid.last_mut() {
            *last = self.line_chunks;
        }
        grid
    }
}

/// Returns the base-2 logarithms of the size of a tile along the last axis, in chunks, and along the two before: the
/// smallest doubles until the tile is full. Chunks count for a quarter of their elements, as few runs cross their ends.
fn tile(grid: &[usize], bits_log2: u32) -> [u32; 3] {
    let [elements, chunks] = COMPONENT_TILE_LOG2;
    let room = (elements - bits_log2).min(chunks);
    let mut log2 = [0; 3];
    for _ in 0..room {
        let extent = |back: usize, log2: u32| log2 + if back == 0 { bits_log2.saturating_sub(2) } else { 0 };
        let grows = |back: &usize| *back < grid.len() && 1 << log2[*back] < grid[grid.len() - 1 - back];
        match (0..3).filter(grows).min_by_key(|&back| extent(back, log2[back])) {
            Some(back) => log2[back] += 1,
            None => break,
        }
    }
    log2
}

/// Returns the bits that make an element of a dtype true: all but the signs of zeros. The two numbers of a complex128
/// have the same.
pub(super) fn truth_mask(dtype: DType) -> u64 {
    let all = u64::MAX >> (64 - 8 * dtype.size().min(8));
    match dtype {
        DType::C64 => 0x7fff_ffff_7fff_ffff,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 | DType::C128 => all >> 1,
        _ => all,
    }
}

/// Memory and parameters of a call.
struct Call<'a> {
    device: Device,
    plan: Plan,
    /// The kernels of a call, in the order of their launches.
    functions: [Function; 5],
    /// Widths of indices: 32 or 64 bits.
    width: Width,
    /// The image in which components are connected; without one all elements are.
    image: Option<&'a Array>,
    /// Elements whose components are kept, for a propagation.
    seeds: Option<&'a Array>,
    /// The image as bits: a word for each chunk.
    words: Array,
    /// Union-find forest: the parent of the run that begins at a position, itself for a root.
    parents: Array,
    /// A word for each chunk, whose bits are set at the roots of the components of its tile.
    tops: Array,
    /// A word for each chunk, whose bits are set at the roots of components.
    roots: Array,
    /// The table of neighbours on the device.
    neighbours: Array,
}

impl<'a> Call<'a> {
    /// Prepares a call for an image or seeds that are not empty, of one shape with at least one axis.
    fn new(device: Device, image: Option<&'a Array>, seeds: Option<&'a Array>, structure: &[bool]) -> Result<Call<'a>> {
        let shape = image.or(seeds).map_or(&[][..], |a| a.shape());
        let plan = Plan::new(shape, structure)?;
        let width = Width::of(shape.len(), plan.positions());
        let source = || ("connected components of an image".into(), components_source(width));
        let functions = kernels(&COMPONENT_KERNELS, device, width, KERNELS, source)?;
        let position = if width.wide { DType::U64 } else { DType::U32 };
        let table = if plan.neighbours.is_empty() { &[0][..] } else { &plan.neighbours };
        Ok(Call {
            device,
            functions,
            width,
            image,
            seeds,
            words: make::empty(device, &[plan.chunks], DType::U32)?,
            parents: make::empty(device, &[plan.positions()], position)?,
            tops: make::empty(device, &[plan.chunks], DType::U32)?,
            roots: make::zeros(device, &[plan.chunks], DType::U32)?,
            neighbours: make::of(device, table, &[table.len()])?,
            plan,
        })
    }

    /// Calls a computation with the parameters.
    fn with<T>(
        &self,
        counts: Option<&Array>,
        out: Option<&Array>,
        invert: bool,
        touching: u64,
        run: impl FnOnce(&ComponentParams<'_, DevicePtr<'_>>) -> Result<T>,
    ) -> Result<T> {
        let plan = &self.plan;
        let none = vec![0; plan.lengths.len()];
        let steps = |a: Option<&'a Array>| a.map_or(&none[..], |a| a.strides());
        let bytes = |a: Option<&Array>| a.map_or(1, |a| a.itemsize() as u32);
        let grid = plan.grid();
        let packed = self.image.is_some_and(|image| {
            let (last, others) = image.strides().split_last().unwrap_or((&0, &[]));
            image.itemsize() == 1 && *last == 1 && others.iter().all(|step| step % 4 == 0)
        }) && self.seeds.is_none()
            && plan.bits_log2 == 5;
        run(&ComponentParams {
            width: self.width,
            chunks: plan.chunks,
            image: self.image.map_or(Read(None), read),
            image_mask: self.image.map_or(0, |a| truth_mask(a.dtype())),
            seeds: self.seeds.map_or(Read(None), read),
            seed_mask: self.seeds.map_or(0, |a| truth_mask(a.dtype())),
            words: written(&self.words),
            parents: written(&self.parents),
            tops: written(&self.tops),
            roots: written(&self.roots),
            counts: counts.map_or(Written(None), written),
            out: out.map_or(Written(None), written),
            neighbours: read(&self.neighbours),
            neighbour_count: plan.neighbour_count,
            line_chunks: plan.line_chunks as i64,
            touching,
            lengths: Numbers(&plan.lengths),
            chunk_steps: Numbers(&plan.chunk_steps),
            tiles: Numbers(&plan.tiles),
            image_steps: Numbers(steps(self.image)),
            seed_steps: Numbers(steps(self.seeds)),
            grid: Sizes(&grid),
            tile_log2: plan.tile_log2,
            axes: plan.lengths.len() as u32,
            bits_log2: plan.bits_log2,
            horizontal: plan.horizontal,
            image_bytes: bytes(self.image),
            seed_bytes: bytes(self.seeds),
            out_bytes: bytes(out),
            invert,
            packed,
        })
    }

    /// Joins the runs.
    fn join(&self, params: &ComponentParams<'_, DevicePtr<'_>>) -> Result<()> {
        let launcher = Launcher::on(self.device);
        let tiles: usize = self.plan.tiles.iter().map(|n| *n as usize).product();
        let chunks = self.plan.chunks;
        let borders = Blocks::of(chunks.div_ceil(THREADS), chunks, "chunks");
        // SAFETY: elements of the image and of the seeds are read within their shape; words, parents and roots have one element for each
        // chunk or position, and a parent is a position.
        unsafe {
            launcher.launch(self.functions[0], Blocks::of(tiles, tiles, "tiles"), THREADS, params)?;
            if tiles > 1 {
                launcher.launch(self.functions[1], borders, THREADS, params)?;
            }
        }
        Ok(())
    }

    /// Counts the roots of each chunk.
    fn count_roots(&self, params: &ComponentParams<'_, DevicePtr<'_>>) -> Result<()> {
        // A chunk has four threads, if it has as many elements.
        let threads = self.plan.chunks * if self.plan.bits_log2 < 2 { 1 } else { 4 };
        let blocks = Blocks::of(threads.div_ceil(THREADS), self.plan.chunks, "chunks");
        // SAFETY: as for `join`.
        unsafe { Launcher::on(self.device).launch(self.functions[2], blocks, THREADS, params) }
    }

    /// Writes the results.
    fn write(&self, params: &ComponentParams<'_, DevicePtr<'_>>) -> Result<()> {
        // A thread has four positions of a chunk that has as many.
        self.positions(4, if self.plan.bits_log2 < 2 { 1 } else { 4 }, params)
    }

    /// Launches a kernel with a thread for each `span` positions.
    fn positions(&self, kernel: usize, span: usize, params: &ComponentParams<'_, DevicePtr<'_>>) -> Result<()> {
        let positions = self.plan.positions() / span;
        let blocks = Blocks::of(positions.div_ceil(THREADS), positions, "positions");
        // SAFETY: as for `join`; results are written within the shape of the image, in C order.
        unsafe { Launcher::on(self.device).launch(self.functions[kernel], blocks, THREADS, params) }
    }
}

/// Writes the number of the component of each true element to `labels`, of int32 or int64 and in C order, and 0 for the
/// others. Components are numbered from 1 in the order of their first elements. Returns their number, of one element.
/// The image is not empty, and has axes.
pub(crate) fn label(image: &Array, structure: &[bool], labels: &Array) -> Result<Array> {
    let device = one_device(image, [labels])?;
    debug_assert!(labels.is_c_contiguous() && matches!(labels.dtype(), DType::I32 | DType::I64));
    let call = Call::new(device, Some(image), None, structure)?;
    let counts = make::empty(device, &[call.plan.chunks], call.parents.dtype())?;
    call.with(Some(&counts), Some(labels), false, 0, |params| {
        call.join(params)?;
        call.count_roots(params)?;
        let (op, signature) = binary_loop("add", counts.dtype())?;
        let signature = signature.into();
        Scanning { op, signature, skip_nan: false, a: &counts, axis: 0, out: &counts, jumps: None }.run()?;
        call.write(params)
    })?;
    counts.index(crate::index::s![-1])
}

/// Seeds of components, and the image in which they spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    /// The elements that a component is made of, besides the seeds; all if there is none.
    pub(crate) mask: Option<&'a Array>,
    /// The elements that are not 0 are seeds.
    pub(crate) seeds: &'a Array,
    /// Use the complement of the seeds, and write that of the results.
    pub(crate) invert: bool,
    /// Elements that touch the border are seeds.
    pub(crate) border: bool,
}

impl Reach<'_> {
    /// Writes whether the component of each element has a seed to `out`, which is boolean and in C order.
    pub(crate) fn run(&self, structure: &[bool], out: &Array) -> Result<()> {
        let device = one_device(self.seeds, self.mask.into_iter().chain([out]))?;
        debug_assert!(out.is_c_contiguous() && out.dtype() == DType::Bool);
        let mut call = Call::new(device, Some(self.seeds), Some(self.seeds), structure)?;
        call.image = self.mask;
        let touching = if self.border { call.plan.reaching } else { 0 };
        call.with(None, Some(out), self.invert, touching, |params| {
            call.join(params)?;
            call.positions(3, 1, params)?;
            call.write(params)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of each component by a flood fill.
    fn flood(shape: &[usize], image: &[bool], structure: &[bool]) -> Vec<i32> {
        let axes = shape.len();
        let coordinates = |mut i: usize, n: &dyn Fn(usize) -> usize| {
            let mut at = vec![0i64; axes];
            for d in (0..axes).rev() {
                at[d] = (i % n(d)) as i64;
                i /= n(d);
            }
            at
        };
        let mut labels = vec![0; image.len()];
        let mut count = 0;
        for first in 0..image.len() {
            if !image[first] || labels[first] != 0 {
                continue;
            }
            count += 1;
            labels[first] = count;
            let mut queue = vec![first];
            while let Some(i) = queue.pop() {
                let at = coordinates(i, &|d| shape[d]);
                for (k, _) in structure.iter().enumerate().filter(|(_, some)| **some) {
                    let step = coordinates(k, &|_| 3);
                    let to: Vec<i64> = at.iter().zip(step).map(|(a, s)| a + s - 1).collect();
                    if to.iter().zip(shape).all(|(a, n)| *a >= 0 && *a < *n as i64) {
                        let j = to.iter().zip(shape).fold(0, |j, (a, n)| j * n + *a as usize);
                        if image[j] && labels[j] == 0 {
                            labels[j] = count;
                            queue.push(j);
                        }
                    }
                }
            }
        }
        labels
    }

    #[test]
    fn tiles_cover_square_parts_of_an_image() {
        assert_eq!(tile(&[8192, 256], 5), [2, 5, 0]);
        assert_eq!(tile(&[400, 400, 13], 5), [1, 3, 3]);
        assert_eq!(tile(&[1 << 20], 5), [7, 0, 0]);
        assert_eq!(tile(&[1 << 20, 1], 0), [0, 9, 0]);
        assert_eq!(tile(&[3, 1], 2), [0, 2, 0]);
    }

    #[test]
    fn components_are_those_of_a_flood_fill() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32
        };
        for shape in [&[300usize][..], &[3, 200], &[70, 9], &[130, 1], &[5, 70, 140], &[40, 6, 5], &[3, 4, 9, 33]] {
            let size: usize = shape.iter().product();
            let full = 3usize.pow(shape.len() as u32);
            for density in [30, 50, 70] {
                let image: Vec<bool> = (0..size).map(|_| next() % 100 < density).collect();
                // A random symmetric structure.
                let half: Vec<bool> = (0..full / 2).map(|_| next() % 3 == 0).collect();
                let structure: Vec<bool> =
                    half.iter().copied().chain([true]).chain(half.iter().rev().copied()).collect();
                let device = Device::current().unwrap();
                let a = Array::from_slice(&image, shape).unwrap();
                let labels = make::empty(device, shape, DType::I32).unwrap();
                let count = label(&a, &structure, &labels).unwrap();
                let want = flood(shape, &image, &structure);
                assert_eq!(labels.to_vec::<i32>().unwrap(), want, "{shape:?} {density} {structure:?}");
                assert_eq!(count.item::<u32>().unwrap(), want.iter().copied().max().unwrap() as u32);
            }
        }
    }
}
