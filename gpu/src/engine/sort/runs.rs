//! Picks of elements of a sorted row, on which set operations are built.
//!
//! Memory traffic: every element is read once, with its neighbour from the cache, and the picked ones are written once.
//! Their number is read back, which synchronises.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{RUNS_TILE, RunPick, SortRuns, SortRunsParams};

use crate::array::Array;
use crate::array::Index;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, one_device, read};
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortRuns> = Kernels::default();
}

/// Row from which elements are picked. It is one-dimensional and in C order, as are the other arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    /// The sorted elements.
    pub(crate) row: &'a Array,
    /// The original positions of its elements, int64; without it, their positions in the row.
    pub(crate) positions: Option<&'a Array>,
    /// The mask of [`RunPick::Masked`]: booleans.
    pub(crate) mask: Option<&'a Array>,
    /// The elements that are picked, such as the first of each run of equal ones.
    pub(crate) pick: RunPick,
    /// True if all NaNs are equal.
    pub(crate) nan_equal: bool,
}

/// Results that are requested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunRequest {
    /// The picked elements.
    pub(crate) values: bool,
    /// The original positions of the picked elements, and of the elements that follow them.
    pub(crate) firsts: bool,
    /// See `firsts`.
    pub(crate) seconds: bool,
    /// The positions of the picked elements in the row, followed by the length of the row.
    pub(crate) starts: bool,
    /// For every element the index of the last picked element up to it, at its original position.
    pub(crate) inverse: bool,
}

/// The requested results.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunParts {
    /// The picked elements.
    pub(crate) values: Option<Array>,
    /// Original positions of the picked elements.
    pub(crate) firsts: Option<Array>,
    /// Original positions of the elements that follow them.
    pub(crate) seconds: Option<Array>,
    /// Positions of the picked elements in the row, followed by the length of the row.
    pub(crate) starts: Option<Array>,
    /// Index of the last picked element up to each element, at its original position.
    pub(crate) inverse: Option<Array>,
}

impl Runs<'_> {
    /// Picks the elements. Synchronises with the device to read their number.
    pub(crate) fn find(&self, wanted: RunRequest) -> Result<RunParts> {
        let device = one_device(self.row, self.positions.into_iter().chain(self.mask))?;
        let (n, dtype) = (self.row.size(), self.row.dtype());
        let made = |on: bool, size: usize, dtype| on.then(|| make::empty(device, &[size], dtype)).transpose();
        let values = made(wanted.values, n, dtype)?;
        let firsts = made(wanted.firsts, n, DType::I64)?;
        let seconds = made(wanted.seconds, n, DType::I64)?;
        let starts = made(wanted.starts, n + 1, DType::I64)?;
        let inverse = made(wanted.inverse, n, DType::I64)?;
        let mut total = 0;
        if n > 0 {
            // The total, the tickets, and a state of each tile.
            let tiles = n.div_ceil(RUNS_TILE);
            let state = make::zeros(device, &[2 + tiles], DType::U64)?;
            let word = |k: i64| Written(Some(DevicePtr::of(&state).moved(8 * k)));
            let params = SortRunsParams {
                width: Default::default(),
                n,
                input: read(self.row),
                positions: Read(self.positions.map(DevicePtr::of)),
                mask: Read(self.mask.map(DevicePtr::of)),
                out: Written(values.as_ref().map(DevicePtr::of)),
                firsts: Written(firsts.as_ref().map(DevicePtr::of)),
                seconds: Written(seconds.as_ref().map(DevicePtr::of)),
                starts: Written(starts.as_ref().map(DevicePtr::of)),
                inverse: Written(inverse.as_ref().map(DevicePtr::of)),
                total: word(0),
                ticket: word(1),
                states: word(2),
                nan_equal: self.nan_equal,
            };
            let key = SortRuns { dtype, pick: self.pick };
            let [function] = kernels(&KERNELS, device, key, ["sort_runs"], || (key.name(), key.source()))?;
            // SAFETY: all arrays have n elements, of which at most n are picked; an original position is used as an
            // index only if it is in bounds.
            unsafe { Launcher::on(device).launch(function, Blocks::of(tiles, n, "elements"), 256, &params) }?;
            total = state.index(s![0])?.item::<u64>()? as usize;
        } else if let Some(starts) = &starts {
            starts.fill(0)?;
        }
        // The picked elements may be few: a copy frees the rest of the memory.
        let cut = |a: Option<Array>, size: usize| -> Result<Option<Array>> {
            let Some(a) = a else { return Ok(None) };
            if a.size() == size {
                return Ok(Some(a));
            }
            a.index([Index::from(0..size as i64)])?.copy(Order::C).map(Some)
        };
        Ok(RunParts {
            values: cut(values, total)?,
            firsts: cut(firsts, total)?,
            seconds: cut(seconds, total)?,
            starts: cut(starts, total + 1)?,
            inverse,
        })
    }
}
