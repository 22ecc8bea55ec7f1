//! Some elements of a sorted row: what sets are made of.
//!
//! Every element is read once, with its neighbour from the cache, and what is kept is written once: n s / B and
//! what comes out. The number of them comes back to the host, which waits for it.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{RUNS_TILE, RunPick, SortRuns, SortRunsParams};

use crate::array::Array;
use crate::array::Index;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, Place, one_device, read};
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortRuns> = Kernels::default();
}

/// A row of which some elements are kept. It is flat and in C order, as are the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    pub(crate) row: &'a Array,
    /// Where its elements come from, int64; without it, they are where they come from.
    pub(crate) positions: Option<&'a Array>,
    /// Of [`RunPick::Masked`]: booleans.
    pub(crate) mask: Option<&'a Array>,
    pub(crate) pick: RunPick,
    /// True if a NaN is equal to any other.
    pub(crate) nan_equal: bool,
}

/// What to make of what is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunRequest {
    pub(crate) values: bool,
    /// Where what is kept comes from, and where the element after it does.
    pub(crate) firsts: bool,
    pub(crate) seconds: bool,
    /// Where in the row it stands, and behind the last the length of the row.
    pub(crate) starts: bool,
    /// For every element the number of what is kept up to it, less one, at the position it comes from.
    pub(crate) inverse: bool,
}

/// What was requested.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunParts {
    pub(crate) values: Option<Array>,
    pub(crate) firsts: Option<Array>,
    pub(crate) seconds: Option<Array>,
    pub(crate) starts: Option<Array>,
    pub(crate) inverse: Option<Array>,
}

impl Runs<'_> {
    /// Finds what is kept. The host waits for its number.
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
            let word = |k: i64| Written(Some(Place::of(&state).moved(8 * k)));
            let params = SortRunsParams {
                width: Default::default(),
                n,
                input: read(self.row),
                positions: Read(self.positions.map(Place::of)),
                mask: Read(self.mask.map(Place::of)),
                out: Written(values.as_ref().map(Place::of)),
                firsts: Written(firsts.as_ref().map(Place::of)),
                seconds: Written(seconds.as_ref().map(Place::of)),
                starts: Written(starts.as_ref().map(Place::of)),
                inverse: Written(inverse.as_ref().map(Place::of)),
                total: word(0),
                ticket: word(1),
                states: word(2),
                nan_equal: self.nan_equal,
            };
            let key = SortRuns { dtype, pick: self.pick };
            let [function] = kernels(&KERNELS, device, key, ["sort_runs"], || (key.name(), key.source()))?;
            // SAFETY: all arrays have n elements, of which no more than n are kept; where an element comes from is taken
            // for a place only if it is one.
            unsafe { Launcher::on(device).launch(function, Blocks::of(tiles, n, "elements"), 256, &params) }?;
            total = state.index(s![0])?.item::<u64>()? as usize;
        } else if let Some(starts) = &starts {
            starts.fill(0)?;
        }
        // What is kept may be little: a copy lets the rest of the memory go.
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
