//! Scans: cumulative results along an axis. The plan of a call, and its launch.
//!
//! The lower bound of a scan is memory traffic: each element is read once and each result written once, in one pass,
//! and the blocks exchange a 64-bit word for some thousand elements.
//!
//! - Short slices: as many lanes of a warp as a slice needs, no shared memory.
//! - Many long slices: a block walks along a slice and carries its total; the next tile is read while one is scanned.
//! - Few long slices: a block for each tile. The prefix of a tile is combined from a tree of totals of fixed shape, 128
//!   tiles to a group, 128 groups to the group above and so on, with the tiles numbered in the order in which blocks
//!   start. A total is published as soon as those of its own group are there: the longest chain of dependencies is as
//!   long as the tree is deep, not as the number of tiles.
//! - Slices along a slow axis: the same two methods for panels of up to 32 adjacent slices, so that adjacent threads
//!   read adjacent elements.
//!
//! The plan depends on shapes and strides alone, and the order in which elements are combined on the plan: the same
//! bits every time.

use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Width, Written};
use cuprum_kernels::registry::{Associative, Folds, UfuncId};
use cuprum_kernels::source::{Jumps, SCAN_COLUMNS, SCAN_THREADS, Scan, ScanMethod, ScanParams};
use cuprum_kernels::{DType, Kind};

use super::fusion::through;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::Result;
use crate::layout::{Axes, Dims, Order, Strides, size_of};

/// Number of vectors that a thread takes at once if a block has one tile, and if it prefetches the next one. A tile is
/// kept in shared memory: 32 KB for most dtypes, of which a multiprocessor has six blocks; 44 KB if the accumulator has
/// 8 bytes, for which four blocks have registers. Not every device allows a block more than 48 KB.
const ROUNDS: [usize; 2] = [8, 11];
const ROUNDS_AHEAD: usize = 4;
/// Bytes of a column that a thread takes at once.
const COLUMN_BYTES: usize = 64;
/// Number of slices, or of panels of adjacent slices, from which a block for each keeps the device busy. A constant, so
/// that results do not depend on the device.
const MANY_LINES: usize = 1024;
const MANY_PANELS: usize = 256;
/// Base-2 logarithm of the number of tiles of a group of the tree, and of groups of the group above: for slices, so
/// that most running tiles are in one group, whose total is published once; for panels, as many as the threads of a
/// column combine.
const RADIX_LOG2: u32 = 7;
const COLUMN_RADIX_LOG2: u32 = 5;
/// Maximum number of elements of a column that a thread takes at once.
const MOST_ROWS: usize = 16;
/// Number of adjacent slices of a panel.
const PANEL: usize = 32;
/// Threads of a warp.
const WARP: usize = 32;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Scan> = Kernels::default();
}

/// Returns true if a function is associative for a dtype: exactly for integers, booleans and extremes, within the same
/// error bound for floats.
pub(crate) fn is_associative(folds: Folds, dtype: DType) -> bool {
    match folds.associative {
        Associative::Always => true,
        Associative::Integers => dtype.is_integer() || dtype.kind() == Kind::Bool,
        Associative::No => false,
    }
}

/// Scan of an array along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Scanning<'a> {
    /// The function, associative, and the index of its loop, whose operands and result have one dtype.
    pub(crate) op: UfuncId,
    /// See `op`.
    pub(crate) signature: usize,
    /// True if a NaN is replaced by the identity.
    pub(crate) skip_nan: bool,
    /// The operand, in any layout.
    pub(crate) a: &'a Array,
    /// The scanned axis.
    pub(crate) axis: usize,
    /// The results: of the shape of `a`, of any dtype and layout. They may share memory with `a`.
    pub(crate) out: &'a Array,
    /// Phase unwrapping, and its numeric parameters.
    pub(crate) jumps: Option<(Jumps, [u64; 4])>,
}

/// The slices that a plan is made for.
#[derive(Clone, Copy, Debug)]
struct LineShape {
    /// Number of slices.
    lines: usize,
    /// Elements of a slice.
    length: usize,
    /// True if elements are contiguous and aligned in vectors, and the number of elements of a vector (1 if they are
    /// not).
    aligned: bool,
    /// See `aligned`.
    vector: usize,
    /// Bytes of the widest of element, result and accumulator.
    widest: usize,
    /// True if adjacent slices are closer in memory than adjacent elements of a slice.
    side_by_side: bool,
    /// True if the elements of [`SCAN_COLUMNS`] adjacent slices are an aligned vector everywhere.
    across: bool,
}

/// The numbers that decide a plan. Tests use smaller ones, which make deep trees of small arrays.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    /// Vectors of a thread in a tile of a tree: for accumulators of up to 4 bytes, and of 8.
    rounds: [usize; 2],
    /// Vectors of a thread in a tile of a block that walks along its slice.
    rounds_ahead: usize,
    /// Bytes of a column that a thread of a panel holds.
    column_bytes: usize,
    /// Base-2 logarithm of the tiles of a group in a tree of slices.
    radix_log2: u32,
    /// The same in a tree of panels.
    column_radix_log2: u32,
    /// Slices that occupy a device without a tree.
    many_lines: usize,
    /// Panels that occupy a device without a tree.
    many_panels: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            rounds: ROUNDS,
            rounds_ahead: ROUNDS_AHEAD,
            column_bytes: COLUMN_BYTES,
            radix_log2: RADIX_LOG2,
            column_radix_log2: COLUMN_RADIX_LOG2,
            many_lines: MANY_LINES,
            many_panels: MANY_PANELS,
        }
    }
}

/// Distribution of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// The class of kernel: lanes of a warp, tiles of a slice, or panels of columns.
    method: ScanMethod,
    /// True if blocks exchange totals by a tree.
    tree: bool,
    /// True if elements are loaded as aligned vectors.
    vector: bool,
    /// Vectors, or rows of a panel, that a thread takes in a tile.
    rounds: usize,
    /// Base-2 logarithm of the lanes of a slice, or of the columns of a panel.
    width_log2: u32,
    /// Tiles of a slice, or strips of a panel.
    tiles: usize,
    /// Number of slices, or of panels.
    groups: usize,
    /// Blocks of the launch.
    blocks: usize,
    /// Number of levels of totals, total number of totals for each column of a panel, and base-2 logarithm of the size
    /// of a group.
    levels: usize,
    /// See `levels`.
    totals: usize,
    /// See `levels`.
    radix_log2: u32,
}

impl Plan {
    fn new(of: LineShape, tuning: Tuning) -> Plan {
        let LineShape { lines, length, aligned, vector, widest, side_by_side, across } = of;
        let log2_up = |n: usize| n.next_power_of_two().ilog2();
        if side_by_side {
            let width_log2 = log2_up(lines.min(PANEL));
            // Panels are twice as wide if there are enough of them: memory is read in runs of 256 bytes.
            let panels = |columns: usize| lines.div_ceil(columns << width_log2);
            let wide = across && widest <= 4 && panels(SCAN_COLUMNS) >= tuning.many_panels;
            let columns = if wide { SCAN_COLUMNS } else { 1 };
            let groups = panels(columns);
            let rounds = (tuning.column_bytes / widest / columns).clamp(1, MOST_ROWS);
            let tiles = length.div_ceil((SCAN_THREADS * rounds) >> width_log2);
            let tree = tiles > 1 && groups < tuning.many_panels;
            let plan = Plan::of(ScanMethod::Columns, tree, tiles, groups, tuning.column_radix_log2);
            return plan.taking(wide, rounds, width_log2);
        }
        let rounds = tuning.rounds[usize::from(widest == 8)];
        if length <= WARP * vector * rounds && lines > 1 {
            let width_log2 = log2_up(length.div_ceil(vector).min(WARP));
            let plan = Plan::of(ScanMethod::Teams, false, 1, lines, 0).taking(aligned, rounds, width_log2);
            return Plan { blocks: lines.div_ceil(SCAN_THREADS >> width_log2), ..plan };
        }
        let tile = |rounds: usize| SCAN_THREADS * vector * rounds;
        let tree = length > tile(rounds) && lines < tuning.many_lines;
        let rounds = if tree { rounds } else { tuning.rounds_ahead };
        let tiles = length.div_ceil(tile(rounds));
        Plan::of(ScanMethod::Rows, tree, tiles, lines, tuning.radix_log2).taking(aligned, rounds, 0)
    }

    fn of(method: ScanMethod, tree: bool, tiles: usize, groups: usize, radix_log2: u32) -> Plan {
        let (mut levels, mut totals, mut count) = (0, 0, if tree { tiles } else { 1 });
        while count > 1 {
            (levels, totals) = (levels + 1, totals + count * groups);
            count = count.div_ceil(1 << radix_log2);
        }
        let blocks = if tree { tiles * groups } else { groups };
        Plan {
            method,
            tree,
            vector: false,
            rounds: 1,
            width_log2: 0,
            tiles,
            groups,
            blocks,
            levels,
            totals,
            radix_log2,
        }
    }

    /// Returns the blocks of the launch.
    fn grid(&self) -> Blocks {
        Blocks::of(self.blocks, self.blocks, "tiles")
    }

    fn taking(self, vector: bool, rounds: usize, width_log2: u32) -> Plan {
        Plan { vector, rounds, width_log2, ..self }
    }
}

/// Returns the number of elements of a slice that a block takes at once.
pub(super) fn tile(dtype: DType) -> usize {
    let vector = Scan::vector_elements(dtype, dtype);
    let line = LineShape {
        lines: 1,
        length: usize::MAX >> 8,
        aligned: true,
        vector,
        widest: dtype.size(),
        side_by_side: false,
        across: false,
    };
    SCAN_THREADS * vector * Plan::new(line, Tuning::default()).rounds
}

impl Scanning<'_> {
    /// Runs the scan.
    pub(crate) fn run(&self) -> Result<()> {
        self.run_tuned(Tuning::default())
    }

    fn run_tuned(&self, tuning: Tuning) -> Result<()> {
        if self.out.size() == 0 {
            return Ok(());
        }
        let device = one_device(self.a, [self.out])?;
        let waits = self.jumps.is_none();
        if waits && through(self.a, None, |of| self.run_through(of, device, tuning))?.is_some() {
            return Ok(());
        }
        // Each element is read before its own result is written, but not before the results of others are.
        let in_place = self.out.addr() == self.a.addr()
            && self.out.strides() == self.a.strides()
            && self.out.itemsize() == self.a.itemsize();
        if !in_place && self.a.may_share_memory(self.out) {
            let a = &self.a.copy(Order::K)?;
            return Scanning { a, ..*self }.run_tuned(tuning);
        }
        let (line, plan) = self.lines(self.a.addr(), tuning);
        let width = Width::of(line.sizes.len(), size_of(&line.sizes));
        let key = self.key(&plan, width);
        let [function] = kernels(&KERNELS, device, key, ["scan"], || (key.name(), key.source()))?;
        let scratch = scratch(device, &plan, &key)?;
        let params = ScanParams {
            width,
            input: read(self.a),
            line_axes: line.sizes.len() as u32,
            line: Sizes(&line.sizes),
            line_in: Steps(&line.strides[0]),
            line_out: Steps(&line.strides[1]),
            ..self.params(&plan, size_of(&line.sizes), scratch.as_ref())
        };
        // SAFETY: the sizes and strides reach elements of the arrays only, and the scratch memory has the totals of the
        // plan.
        unsafe { Launcher::on(device).launch(function, plan.grid(), SCAN_THREADS, &params) }
    }

    /// Returns the axes that are not scanned.
    fn other_axes(&self) -> Dims {
        (0..self.a.ndim()).filter(|&x| x != self.axis).collect()
    }

    /// Returns the slices of an operand that begins at an address, and their distribution.
    fn lines(&self, addr: u64, tuning: Tuning) -> (Axes<2>, Plan) {
        let Scanning { a, out, axis, .. } = *self;
        let kept = self.other_axes();
        let pick = |strides: &[i64]| -> Strides { kept.iter().map(|&x| strides[x]).collect() };
        let shape: Dims = kept.iter().map(|&x| a.shape()[x]).collect();
        let line = Axes::collapse(&shape, [&pick(a.strides()), &pick(out.strides())], false);
        let (lines, length) = (size_of(&shape), a.shape()[axis]);
        let (step_in, step_out) = (a.strides()[axis], out.strides()[axis]);

        let value = self.op.loops()[self.signature].out();
        let (element, stored) = (a.dtype(), out.dtype());
        let sides = [(a, step_in, addr), (out, step_out, out.addr())];
        let aligned = sides.iter().enumerate().all(|(side, &(x, step, addr))| {
            let bytes = Scan::vector_bytes(element, stored)[side] as u64;
            let starts = line.strides[side].iter().all(|s| s.unsigned_abs().is_multiple_of(bytes));
            step == x.itemsize() as i64 && addr.is_multiple_of(bytes) && starts
        });
        // A slice of one element has no direction of its own.
        let closest = line.strides[1].last().copied().filter(|&s| s != 0).or(line.strides[0].last().copied());
        let side_by_side = lines > 1 && closest.is_some_and(|s| s.unsigned_abs() < step_out.unsigned_abs());
        let across = sides.iter().enumerate().all(|(side, &(x, step, addr))| {
            let (item, vector) = (x.itemsize() as i64, (SCAN_COLUMNS * x.itemsize()) as u64);
            let [outer @ .., inner] = line.strides[side].as_slice() else { return false };
            let mut whole = outer.iter().chain([&step]);
            *inner == item && addr.is_multiple_of(vector) && whole.all(|s| s.unsigned_abs().is_multiple_of(vector))
        }) && line.sizes.last().is_some_and(|n| n.is_multiple_of(SCAN_COLUMNS));
        // Elements that are read with their predecessors are read one by one, and take twice the registers.
        let [aligned, across] = [aligned, across].map(|vectors| vectors && self.jumps.is_none());
        let shape = LineShape {
            lines,
            length,
            aligned,
            vector: if aligned { Scan::vector_elements(element, stored) } else { 1 },
            widest: element.size().max(stored.size()).max(if value.size() < 4 { 4 } else { value.size() }),
            side_by_side,
            across,
        };
        (line, Plan::new(shape, tuning))
    }

    fn key(&self, plan: &Plan, width: Width) -> Scan {
        Scan {
            op: self.op,
            signature: self.signature as u8,
            element: self.a.dtype(),
            stored: self.out.dtype(),
            skip_nan: self.skip_nan,
            method: plan.method,
            tree: plan.tree,
            vector: plan.vector,
            rounds: plan.rounds as u8,
            radix_log2: plan.radix_log2 as u8,
            jumps: self.jumps.map(|(jumps, _)| jumps),
            width,
        }
    }

    /// Returns the parameters of a kernel without the operand and the axes.
    fn params<'a>(&'a self, plan: &Plan, lines: usize, scratch: Option<&'a Array>) -> ScanParams<'a, DevicePtr<'a>> {
        ScanParams {
            width: Width::default(),
            lines,
            length: self.a.shape()[self.axis],
            tiles: plan.tiles,
            groups: plan.groups,
            out: written(self.out),
            input: Read(None),
            scratch: Written(scratch.map(DevicePtr::of)),
            step_in: self.a.strides()[self.axis],
            step_out: self.out.strides()[self.axis],
            line_axes: 0,
            width_log2: plan.width_log2,
            levels: plan.levels as u32,
            numbers: self.jumps.map_or([0; 4], |(_, numbers)| numbers),
            line: Sizes::default(),
            line_in: Steps::default(),
            line_out: Steps::default(),
        }
    }
}

/// Returns scratch memory for the tile counter and for the totals, which are cleared.
fn scratch(device: Device, plan: &Plan, key: &Scan) -> Result<Option<Array>> {
    let words = 1 + (plan.totals << plan.width_log2) * key.words();
    if plan.tree { make::zeros(device, &[words], DType::U64).map(Some) } else { Ok(None) }
}

mod prologue;

#[cfg(test)]
mod tests;
mod unwrap;

pub(crate) use unwrap::Unwrapping;
