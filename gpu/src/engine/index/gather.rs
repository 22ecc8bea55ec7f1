//! Indexing with index arrays: reads elements at indices, or writes elements there.
//!
//! One launch reads the indices as they are, of any integer dtype and layout, checks them, and reads the elements: no
//! array of normalised indices is created, and the host does not wait to know if they are valid (see
//! `cuda/device_errors.rs`).
//!
//! Memory traffic: the indices once, the results once, and the elements that are read: for single elements at random a
//! sector of 32 bytes each, for rows their own bytes. Rows are read in words of up to 16 bytes.
//!
//! Writes read the indices twice, since a call with an invalid index changes nothing: a first launch checks all of
//! them. If an element may be named twice, that launch finds the last index of each: in a table with a word for each
//! element that can be named (zeros, then 64 bytes for each index and 32 more for a look-up), or by sorting the indices
//! if the table would cost more than that. If the indices are unique, or the same value is written to all of them,
//! neither is needed.
//!
//! Random writes beyond the L2 cache, and claims in the table, cost about twice as much as a sort of a position and its
//! value: many single elements of a large array are sorted by their flat positions, and written in that order
//! (`settle`).

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Value, Width, Written};
use cuprum_kernels::source::{
    GATHER_INDICES, GATHER_ITEMS, Gather, GatherMethod, GatherParams, LastParams, OutOfBounds, SettleParams, Stored,
    last_source, settle_source,
};
use smallvec::SmallVec;

use crate::array::Array;
use crate::cuda::{Checked, Device, Function as Caller};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use crate::engine::make;
use crate::engine::sort::{sort_pairs, sort_rows};
use crate::error::Result;
use crate::layout::{Axes, Dims, Layout, Order, Strides, size_of};

/// Threads of a block: as in `include/gather.cuh`.
const THREADS: usize = 256;
/// Results of a block.
pub(in crate::engine) const TILE: usize = THREADS * GATHER_ITEMS;
/// Number of table entries that cost almost nothing, and number for each index that costs less than a sort.
const SMALL_TABLE: usize = 1 << 14;
const CELLS_OF_AN_INDEX: usize = 32;
/// Number of bytes that no L2 cache holds, and number of indices that are worth a sort.
const BEYOND_CACHE: usize = 64 << 20;
const MANY: usize = 1 << 20;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Gather> = Kernels::default();
    static LASTS: Kernels<()> = Kernels::default();
    static SETTLES: Kernels<u8> = Kernels::default();
}

/// Index array, and the axis that it indexes.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    /// The indices, of int32 or int64.
    pub(crate) indices: Array,
    /// The size of the axis; 0 if the indices are known to be in bounds.
    pub(crate) bound: usize,
    /// The number of the axis, for error messages.
    pub(crate) axis: usize,
    /// Bytes from one element along the axis to the next.
    pub(crate) step: i64,
    /// The same distance in flat positions, which count the elements that can be named in C order.
    pub(crate) cell_step: i64,
}

/// Rows of the table of strides: the index arrays, then these.
const OFFSET: usize = GATHER_INDICES;
const POSITION: usize = GATHER_INDICES + 1;
const VALUE: usize = GATHER_INDICES + 2;
const CELL: usize = GATHER_INDICES + 3;
const ROWS: usize = GATHER_INDICES + 4;

/// Axis of a walk: its size and the strides of each operand along it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Along {
    /// Length of the axis, against which indices are checked.
    pub(crate) size: usize,
    /// Strides of each index array, in bytes.
    pub(crate) indices: [i64; GATHER_INDICES],
    /// Stride of the indexed array, in bytes.
    pub(crate) offset: i64,
    /// Stride of the index number in C order.
    pub(crate) position: i64,
    /// Stride of the stored elements, in bytes.
    pub(crate) value: i64,
    /// Stride of the flat position.
    pub(crate) cell: i64,
}

/// Axes and index arrays of an indexing operation.
#[derive(Debug)]
pub(crate) struct Gathering {
    /// The calling function, for error messages.
    pub(crate) caller: Caller,
    /// The index arrays: at least one, at most [`GATHER_INDICES`].
    pub(crate) picks: SmallVec<[Pick; 2]>,
    /// The axes, slowest first: for results, in their memory order.
    pub(crate) axes: SmallVec<[Along; 6]>,
    /// Treatment of indices that are out of bounds.
    pub(crate) out_of_bounds: OutOfBounds,
    /// The axes that a single index array indexes together in C order, if it does not index one axis.
    pub(crate) split: Option<(Dims, Strides)>,
    /// A word that is not 0 if an index was rejected before.
    pub(crate) rejected: Option<Array>,
    /// Bound of further numbers that must fit in the index width, besides the number of results.
    pub(crate) most: usize,
}

/// Elements that are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// Elements of an array, walked by [`Along::value`] from its first one on.
    Elements(&'a Array),
    /// One scalar, encoded as an element.
    Value([u8; 16]),
}

/// Parameters of a launch that only some methods have.
#[derive(Clone, Copy, Default)]
struct OptionalParams<'a> {
    /// The call whose error record gets an index out of bounds.
    checked: Option<&'a Checked>,
    /// Elements to be gathered from, or values to be scattered.
    input: Option<DevicePtr<'a>>,
    /// Elements that are written.
    out: Option<DevicePtr<'a>>,
    /// Word that becomes nonzero if an index is out of bounds.
    rejected: Option<DevicePtr<'a>>,
    /// Number of the last index that stores to each element.
    table: Option<DevicePtr<'a>>,
    /// Flag of each index: true if no later one stores to the same element.
    last: Option<DevicePtr<'a>>,
    /// Bytes of the scalar that is stored if there is no input array.
    value: [u8; 16],
}

impl Gathering {
    /// Creates the operation for index arrays that index one axis each, with checks.
    pub(crate) fn new(caller: Caller, picks: SmallVec<[Pick; 2]>, axes: SmallVec<[Along; 6]>) -> Gathering {
        Gathering { caller, picks, axes, out_of_bounds: OutOfBounds::Rejected, split: None, rejected: None, most: 0 }
    }

    /// Returns the number of results.
    fn results(&self) -> usize {
        let sizes: Dims = self.axes.iter().map(|a| a.size).collect();
        size_of(&sizes)
    }

    /// Returns an upper bound of all index arithmetic, which decides the index width.
    fn most(&self) -> usize {
        self.most.max(self.results()).max(self.split.as_ref().map_or(0, |(sizes, _)| size_of(sizes)))
    }

    fn is_checked(&self) -> bool {
        matches!(self.out_of_bounds, OutOfBounds::Rejected | OutOfBounds::Uncounted)
            && self.picks.iter().any(|p| p.bound > 0)
    }

    /// Returns the operation that computes the flat positions of the indices.
    fn cells(&self) -> Gathering {
        let axes = self.axes.iter().filter(|a| a.position != 0).map(|a| Along { offset: a.cell, ..*a }).collect();
        let picks = self.picks.iter().map(|p| Pick { step: p.cell_step, ..p.clone() }).collect();
        Gathering {
            axes,
            picks,
            split: None,
            rejected: None,
            most: self.most(),
            caller: self.caller,
            out_of_bounds: self.out_of_bounds,
        }
    }

    /// Reads the elements of `input`, from its first on, into `out`, which is contiguous in memory order.
    pub(crate) fn read(&self, input: &Array, out: &Array) -> Result<()> {
        if out.size() == 0 {
            return if self.is_checked() { self.check(input.device()) } else { Ok(()) };
        }
        let device = one_device(input, [out])?;
        let checked = self.checked(device)?;
        let (itemsize, input, out) = (out.itemsize(), Some(DevicePtr::of(input)), Some(DevicePtr::of(out)));
        let beside = OptionalParams { checked: checked.as_ref(), input, out, ..OptionalParams::default() };
        self.launch(device, GatherMethod::Elements, itemsize, true, beside)?;
        params(device, &checked)
    }

    /// Writes the flat positions of the indices, in C order of the indices, to `out`: int64, or uint32 if that holds
    /// them. `rejected` becomes nonzero if one of them is out of bounds; its position is then arbitrary.
    pub(crate) fn write_cells(&self, out: &Array, rejected: Option<&Array>) -> Result<()> {
        let device = out.device();
        let checked = self.checked(device)?;
        let rejected = rejected.map(DevicePtr::of);
        let beside = OptionalParams {
            checked: checked.as_ref(),
            out: Some(DevicePtr::of(out)),
            rejected,
            ..OptionalParams::default()
        };
        let method = if out.dtype() == DType::U32 { GatherMethod::Keys } else { GatherMethod::Cells };
        self.cells().launch(device, method, 8, false, beside)
    }

    /// Checks the indices without reading or writing elements.
    pub(crate) fn check(&self, device: Device) -> Result<()> {
        let checked = self.checked(device)?;
        let beside = OptionalParams { checked: checked.as_ref(), ..OptionalParams::default() };
        self.cells().launch(device, GatherMethod::Cells, 8, false, beside)?;
        params(device, &checked)
    }

    /// Stores elements in `target`, from its first on, which has this number of `cells`. The last of several indices
    /// with the same position wins; if they are `unique`, no duplicates are searched. If an index is out of bounds
    /// nothing is changed.
    pub(crate) fn store(&self, target: &Array, cells: usize, source: Source<'_>, unique: bool) -> Result<()> {
        let device = target.device();
        let indices: usize = self.axes.iter().filter(|a| a.position != 0).map(|a| a.size).product();
        if indices == 0 || self.axes.iter().any(|a| a.size == 0) {
            return if indices > 0 && self.is_checked() { self.check(device) } else { Ok(()) };
        }
        // A value common to all indices may be written in any order.
        let alike = match source {
            Source::Value(_) => true,
            Source::Elements(_) => self.axes.iter().all(|a| a.position == 0 || a.size == 1 || a.value == 0),
        };
        let many = indices >= MANY && cells * target.itemsize() >= BEYOND_CACHE;
        if let Source::Elements(values) = source
            && many
            && !alike
            && self.is_sortable(target, cells)
        {
            return self.store_sorted(target, values, indices);
        }
        let checked = self.checked(device)?;
        let given = || self.rejected.clone();
        let one_flag = || given().map_or_else(|| make::zeros(device, &[1], DType::U32), Ok);
        let (mut table, mut last, mut rejected) = (None, None, given());
        if unique || alike || indices == 1 {
            if let Some(checked) = &checked {
                let flag = rejected.insert(one_flag()?);
                let beside = OptionalParams {
                    checked: Some(checked),
                    rejected: Some(DevicePtr::of(flag)),
                    ..OptionalParams::default()
                };
                self.cells().launch(device, GatherMethod::Cells, 8, false, beside)?;
            }
        } else if cells <= SMALL_TABLE || cells / CELLS_OF_AN_INDEX <= indices {
            let word = if Width::of(0, self.most()).wide { DType::U64 } else { DType::U32 };
            // The word after the table is the flag of a rejected index.
            let claims = table.insert(make::zeros(device, &[cells + 1], word)?);
            let flag = claims.with_layout(Layout { offset: cells * word.size(), ..Layout::c_order(&[1], word.size()) });
            let rejected = Some(DevicePtr::of(rejected.insert(given().unwrap_or(flag))));
            let beside = OptionalParams {
                checked: checked.as_ref(),
                out: Some(DevicePtr::of(claims)),
                rejected,
                ..OptionalParams::default()
            };
            self.cells().launch(device, GatherMethod::Claim, 8, false, beside)?;
        } else {
            let made = |dtype| make::empty(device, &[indices], dtype);
            let (keys, order, cells) = (made(DType::I64)?, made(DType::I64)?, made(DType::I64)?);
            let flag = rejected.insert(one_flag()?);
            let beside = OptionalParams {
                checked: checked.as_ref(),
                out: Some(DevicePtr::of(&cells)),
                rejected: Some(DevicePtr::of(flag)),
                ..OptionalParams::default()
            };
            self.cells().launch(device, GatherMethod::Cells, 8, false, beside)?;
            sort_rows(&cells, indices, Some(&keys), Some(&order))?;
            launch_last(&keys, &order, last.insert(made(DType::Bool)?))?;
        }
        let stored = match source {
            Source::Value(_) => Stored::Value,
            Source::Elements(a) if a.dtype() == target.dtype() => Stored::Same,
            Source::Elements(a) => Stored::Cast(a.dtype(), target.dtype()),
        };
        let (input, value) = match source {
            Source::Elements(a) => (Some(DevicePtr::of(a)), [0; 16]),
            Source::Value(bytes) => (None, bytes),
        };
        let beside = OptionalParams {
            checked: None,
            input,
            out: Some(DevicePtr::of(target)),
            rejected: rejected.as_ref().map(DevicePtr::of),
            table: table.as_ref().map(DevicePtr::of),
            last: last.as_ref().map(DevicePtr::of),
            value,
        };
        self.launch(device, GatherMethod::Store(stored), target.itemsize(), stored == Stored::Same, beside)?;
        params(device, &checked)
    }

    /// Returns true if single elements are stored, and the flat positions are those of the memory of `target`.
    fn is_sortable(&self, target: &Array, cells: usize) -> bool {
        let item = target.itemsize() as i64;
        let in_cells = self.axes.iter().all(|a| a.position != 0 && a.offset == a.cell * item)
            && self.picks.iter().all(|p| p.step == p.cell_step * item);
        in_cells && self.split.is_none() && matches!(item, 4 | 8) && u32::try_from(cells).is_ok()
    }

    /// Stores in the order of the flat positions; of equal ones the last one wins.
    fn store_sorted(&self, target: &Array, values: &Array, indices: usize) -> Result<()> {
        let device = target.device();
        let checked = self.checked(device)?;
        let layout = Layout {
            shape: self.axes.iter().map(|a| a.size).collect(),
            strides: self.axes.iter().map(|a| a.value).collect(),
            offset: values.layout().offset,
        };
        let values = values.with_layout(layout);
        let as_stored = values.dtype() == target.dtype() && values.is_c_contiguous();
        let values = if as_stored { values } else { values.cast(target.dtype(), Order::C)? };
        let keys = make::empty(device, &[indices], DType::U32)?;
        let rejected = self.rejected.clone().map_or_else(|| make::zeros(device, &[1], DType::U32), Ok)?;
        let beside = OptionalParams {
            checked: checked.as_ref(),
            out: Some(DevicePtr::of(&keys)),
            rejected: Some(DevicePtr::of(&rejected)),
            ..OptionalParams::default()
        };
        self.cells().launch(device, GatherMethod::Keys, 8, false, beside)?;
        let line = Layout { offset: values.layout().offset, ..Layout::c_order(&[indices], values.itemsize()) };
        let line = values.with_layout(line);
        let (keys, values) = sort_pairs(&keys, &line)?;
        let size = target.itemsize() as u8;
        let source = || (format!("settle/{size}-byte elements"), settle_source(size));
        let [function] = kernels(&SETTLES, device, size, ["settle"], source)?;
        let settling = SettleParams {
            width: Width::default(),
            indices,
            keys: read(&keys),
            values: read(&values),
            out: written(target),
            rejected: read(&rejected),
        };
        let blocks = Blocks::of(indices.div_ceil(TILE), indices, "indices");
        // SAFETY: each key is the flat position of an element of the target, whose elements are contiguous from its
        // first on, and there is a value for each.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &settling) }?;
        params(device, &checked)
    }

    /// Registers the call for error reports, if its indices are checked.
    fn checked(&self, device: Device) -> Result<Option<Checked>> {
        self.is_checked().then(|| device.checked_call(self.caller)).transpose()
    }

    /// Returns the axes collapsed to as few as possible, and the number of bytes that are moved at once.
    fn plan(&self, item: usize, widened: bool, stores: bool, addrs: [u64; 2]) -> (Axes<ROWS>, usize) {
        let sizes: Dims = self.axes.iter().map(|a| a.size).collect();
        let row = |of: &dyn Fn(&Along) -> i64| -> Strides { self.axes.iter().map(of).collect() };
        let rows: [Strides; ROWS] = std::array::from_fn(|r| match r {
            OFFSET => row(&|a| a.offset),
            POSITION => row(&|a| a.position),
            VALUE => row(&|a| a.value),
            CELL => row(&|a| a.cell),
            k if k < self.picks.len() => row(&|a| a.indices[k]),
            _ => smallvec::smallvec![0; sizes.len()],
        });
        let mut axes = Axes::collapse(&sizes, std::array::from_fn(|r| &rows[r][..]), true);
        if !widened {
            return (axes, item);
        }
        // Elements that are contiguous for every index are moved in words.
        let Some(last) = axes.sizes.len().checked_sub(1) else { return (axes, item) };
        let moves = |r: usize| r == OFFSET || r == VALUE;
        let still = (0..ROWS).all(|r| moves(r) || axes.strides[r][last] == 0);
        // A scalar that is stored everywhere is not contiguous.
        let beside = axes.strides[OFFSET][last] == item as i64 && (!stores || axes.strides[VALUE][last] == item as i64);
        if !still || !beside {
            return (axes, item);
        }
        let outer = (0..last).flat_map(|a| [axes.strides[OFFSET][a], axes.strides[VALUE][a]]);
        let split = self.split.iter().flat_map(|(_, strides)| strides.iter().copied());
        let steps = outer.chain(self.picks.iter().map(|p| p.step)).chain(split).map(i64::unsigned_abs);
        let bytes = (axes.sizes[last] * item) as u64;
        let all = steps.chain(addrs).fold(bytes, |all, step| all | step);
        let word = 1 << all.trailing_zeros().min(4);
        if word > item {
            axes.sizes[last] /= word / item;
            for r in [OFFSET, VALUE] {
                axes.strides[r][last] *= (word / item) as i64;
            }
            if axes.sizes[last] == 1 {
                axes.sizes.pop();
                axes.strides.iter_mut().for_each(|s| s.truncate(last));
            }
        }
        (axes, word.max(item))
    }

    fn launch(
        &self,
        device: Device,
        method: GatherMethod,
        item: usize,
        widened: bool,
        beside: OptionalParams<'_>,
    ) -> Result<()> {
        let addr = |p: Option<DevicePtr<'_>>| p.map_or(0, DevicePtr::addr);
        // Results are contiguous, so that they can be written in words if the elements are read in words.
        let stores = matches!(method, GatherMethod::Store(_));
        let (axes, item) = self.plan(item, widened, stores, [addr(beside.input), addr(beside.out)]);
        let results = size_of(&axes.sizes);
        if results == 0 {
            return Ok(());
        }
        let (split_sizes, split_strides) = match &self.split {
            Some((sizes, strides)) => {
                let split = Axes::collapse(sizes, [strides], true);
                (split.sizes, split.strides[0].clone())
            }
            None => Default::default(),
        };
        let width = Width {
            deep: Width::of(axes.sizes.len().max(split_sizes.len()), 0).deep,
            wide: Width::of(0, self.most()).wide,
        };
        let key = Gather {
            method,
            item: item as u8,
            indices: std::array::from_fn(|k| self.picks.get(k).map(|p| p.indices.dtype())),
            out_of_bounds: self.out_of_bounds,
            split: self.split.is_some() && matches!(method, GatherMethod::Elements | GatherMethod::Store(_)),
            width,
        };
        let [function] = kernels(&KERNELS, device, key, ["gather"], || (key.name(), key.source()))?;
        let of_picks = |of: &dyn Fn(&Pick) -> i64| std::array::from_fn(|k| self.picks.get(k).map_or(0, of));
        let rows: SmallVec<[Steps<'_>; ROWS]> = (0..ROWS)
            .filter(|&r| if r < GATHER_INDICES { r < self.picks.len() } else { true })
            .take(key.rows())
            .map(|r| Steps(&axes.strides[r]))
            .collect();
        let params = GatherParams {
            width,
            results,
            input: Read(beside.input),
            out: Written(beside.out),
            indices: std::array::from_fn(|k| Read(self.picks.get(k).map(|p| DevicePtr::of(&p.indices)))),
            bounds: of_picks(&|p| p.bound as i64),
            steps: of_picks(&|p| p.step),
            along: std::array::from_fn(|k| self.picks.get(k).map_or(0, |p| p.axis as u32)),
            function: beside.checked.map_or(0, |c| c.function),
            axes: axes.sizes.len() as u32,
            record: Read(beside.checked.map(|c| DevicePtr::start(&c.memory))),
            call: beside.checked.map_or(0, |c| c.call as usize),
            rejected: Some(Written(beside.rejected)),
            table: Some(Read(beside.table)),
            last: Some(Read(beside.last)),
            cell_steps: Some(of_picks(&|p| p.cell_step)),
            value: Some(Value(beside.value)),
            sizes: Sizes(&axes.sizes),
            strides: &rows,
            split_axes: Some(split_sizes.len() as u32),
            split_sizes: Some(Sizes(&split_sizes)),
            split_strides: Some(Steps(&split_strides)),
        }
        .of(&key);
        let blocks = Blocks::of(results.div_ceil(TILE), results, "results");
        // SAFETY: the strides of the walk and of the indices, each of which is in bounds or is made so, reach elements
        // of the arrays only, and entries of the table.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }
}

/// Reports errors of a call immediately if the user requests that.
fn params(device: Device, checked: &Option<Checked>) -> Result<()> {
    if checked.is_some() { device.check_errors_now() } else { Ok(()) }
}

/// Flags the last index of each position, for stably sorted positions.
fn launch_last(keys: &Array, order: &Array, last: &Array) -> Result<()> {
    let (device, n) = (keys.device(), keys.size());
    let [function] = kernels(&LASTS, device, (), ["last"], || ("last".into(), last_source()))?;
    let params =
        LastParams { width: Width::default(), positions: n, keys: read(keys), order: read(order), last: written(last) };
    // SAFETY: there is a flag for each position, and the order is a permutation of the positions.
    unsafe { Launcher::on(device).launch(function, Blocks::of(n.div_ceil(THREADS), n, "positions"), THREADS, &params) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s;

    /// Positions that occur twice, counted from the end, and one out of bounds: stored sorted with the same result as
    /// one by one.
    #[test]
    fn the_last_of_sorted_cells_counts() -> Result<()> {
        let (n, cells) = (30_011, 7919);
        let positions: Vec<i64> = (0..n as i64).map(|i| i * i % cells as i64 - i % 2 * cells as i64).collect();
        let mut want = vec![-1.0; cells];
        positions.iter().enumerate().for_each(|(k, &i)| want[i.rem_euclid(cells as i64) as usize] = k as f64);
        let indices = Array::from_slice(&positions, [n])?;
        let values = crate::arange(0, 2 * n as i64, 1)?.index(s![..;2])?;
        for (dtype, wrong) in [(DType::F32, false), (DType::F64, false), (DType::I64, true)] {
            if wrong {
                indices.set(s![77], cells as i64)?;
            }
            let target = crate::full([cells], -1, dtype)?;
            let size = n;
            let axis = Along { size, indices: [8, 0, 0, 0], position: 1, value: 16, ..Along::default() };
            let item = dtype.size() as i64;
            let pick = Pick { indices: indices.clone(), bound: cells, axis: 0, step: item, cell_step: 1 };
            let gathering = Gathering::new(("put", ""), smallvec::smallvec![pick], smallvec::smallvec![axis]);
            assert!(gathering.is_sortable(&target, cells));
            gathering.store_sorted(&target, &values, n)?;
            if wrong {
                assert!(device_error(&target).is_some_and(|e| e.contains("7919")));
                assert_eq!(target.to_vec::<i64>()?, vec![-1; cells]);
            } else {
                let twice = |x: &f64| if *x < 0.0 { -1.0 } else { 2.0 * x };
                assert_eq!(target.astype(DType::F64)?.to_vec::<f64>()?, want.iter().map(twice).collect::<Vec<_>>());
            }
        }
        Ok(())
    }

    /// Returns the error that the next synchronising call reports.
    fn device_error(a: &Array) -> Option<String> {
        a.device().synchronize().err().map(|e| e.to_string())
    }
}
