//! Some elements of a sorted row: what sets are made of.
//!
//! Every element is read once, with its neighbour from the cache, and what is kept is written once: n s / B and
//! what comes out. The number of them comes back to the host, which waits for it.

use cuprum_kernels::DType;
use cuprum_kernels::source::{Kept, RUNS_TILE, SortRuns, member_source};

use super::grid;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::params::Params;
use crate::engine::zeros;
use crate::error::Result;
use crate::index::{Index, s};
use crate::layout::Order;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortRuns> = Kernels::default();
    static MEMBERS: Kernels<DType> = Kernels::default();
}

/// A row of which some elements are kept. It is flat and in C order, as are the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    pub(crate) row: &'a Array,
    /// Where its elements come from, int64; without it, they are where they come from.
    pub(crate) positions: Option<&'a Array>,
    /// Of [`Kept::Given`]: booleans.
    pub(crate) mask: Option<&'a Array>,
    pub(crate) kept: Kept,
    /// Whether a NaN is equal to any other.
    pub(crate) nan_equal: bool,
}

/// What to make of what is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) values: bool,
    /// Where what is kept comes from, and where the element after it does.
    pub(crate) firsts: bool,
    pub(crate) seconds: bool,
    /// Where in the row it stands, and behind the last the length of the row.
    pub(crate) starts: bool,
    /// For every element the number of what is kept up to it, less one, at the position it comes from.
    pub(crate) inverse: bool,
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) values: Option<Array>,
    pub(crate) firsts: Option<Array>,
    pub(crate) seconds: Option<Array>,
    pub(crate) starts: Option<Array>,
    pub(crate) inverse: Option<Array>,
}

impl Runs<'_> {
    /// Finds what is kept. The host waits for its number.
    pub(crate) fn find(&self, wanted: Wanted) -> Result<Found> {
        let (device, n, dtype) = (self.row.device(), self.row.size(), self.row.dtype());
        let made = |on: bool, size: usize, dtype| on.then(|| Array::unwritten(device, &[size], dtype)).transpose();
        let values = made(wanted.values, n, dtype)?;
        let firsts = made(wanted.firsts, n, DType::I64)?;
        let seconds = made(wanted.seconds, n, DType::I64)?;
        let starts = made(wanted.starts, n + 1, DType::I64)?;
        let inverse = made(wanted.inverse, n, DType::I64)?;
        let mut total = 0;
        if n > 0 {
            // The total, the tickets, and a state of each tile.
            let tiles = n.div_ceil(RUNS_TILE);
            let state = zeros(device, &[2 + tiles], DType::U64)?;
            let of = |a: Option<&Array>| a.map_or(0, Array::addr);
            let mut p = Params::default();
            for word in [n as u64, self.row.addr(), of(self.positions), of(self.mask)] {
                p.u64(word);
            }
            for out in [&values, &firsts, &seconds, &starts, &inverse] {
                p.u64(of(out.as_ref()));
            }
            for word in [state.addr(), state.addr() + 8, state.addr() + 16] {
                p.u64(word);
            }
            p.u32(self.nan_equal.into());
            p.u32(0);
            let key = SortRuns { dtype, kept: self.kept };
            let [function] = kernels(&KERNELS, device, key, ["sort_runs"], || (key.name(), key.source()))?;
            // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays of n elements, of
            // which no more than n are kept.
            unsafe { device.queue().launch(function, grid(tiles)?, [256, 1, 1], p.as_bytes()) }?;
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
        Ok(Found {
            values: cut(values, total)?,
            firsts: cut(firsts, total)?,
            seconds: cut(seconds, total)?,
            starts: cut(starts, total + 1)?,
            inverse,
        })
    }
}

/// Whether each element of `a` stands in `row`, which is sorted, or does not, with `invert`. Both are of one dtype and in
/// C order; the result has the shape of `a`.
pub(crate) fn members(a: &Array, row: &Array, invert: bool) -> Result<Array> {
    let (device, dtype) = (a.device(), a.dtype());
    let out = Array::unwritten(device, a.shape(), DType::Bool)?;
    if a.size() == 0 {
        return Ok(out);
    }
    let source = || (format!("sort_member/{dtype}"), member_source(dtype));
    let [function] = kernels(&MEMBERS, device, dtype, ["sort_member"], source)?;
    let mut p = Params::default();
    for word in [a.size() as u64, row.size() as u64, a.addr(), row.addr(), out.addr()] {
        p.u64(word);
    }
    p.u32(invert.into());
    p.u32(0);
    let grid = [a.size().div_ceil(256).min(1 << 16) as u32, 1, 1];
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays of these sizes.
    unsafe { device.queue().launch(function, grid, [256, 1, 1], p.as_bytes()) }?;
    Ok(out)
}
