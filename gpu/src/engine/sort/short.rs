//! Sorts of short rows, in the registers of a warp.
//!
//! Lower bound: each element read once and written once. A row of 64 elements takes some 80 instructions of a warp.

use cuprum_kernels::source::{Carried, SORT_SHORT, SORT_SHORT_ITEMS, SORT_SHORT_THREADS, SortShort};

use super::Sorting;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher};
use crate::error::Result;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortShort> = Kernels::default();
}

impl Sorting<'_> {
    /// Returns true if the rows are short enough, and their elements have at most 8 bytes.
    pub(super) fn is_short(&self) -> bool {
        self.length <= SORT_SHORT && self.dtype.size() <= 8
    }

    /// Sorts rows for which [`Sorting::is_short`] is true.
    pub(super) fn in_registers(&self) -> Result<()> {
        let key = SortShort { dtype: self.dtype, indexed: self.carried == Carried::Position };
        let [function] = kernels(&KERNELS, self.device, key, ["sort_short"], || (key.name(), key.source()))?;
        let per_warp = 32 / self.length.div_ceil(SORT_SHORT_ITEMS).next_power_of_two();
        let params = self.block_params(per_warp);
        let rows = per_warp * (SORT_SHORT_THREADS / 32);
        let blocks = Blocks::of(self.rows.div_ceil(rows), self.rows, "rows");
        // SAFETY: a warp reads all of its rows before it writes any, and the arrays have as many rows.
        unsafe { Launcher::on(self.device).launch(function, blocks, SORT_SHORT_THREADS, &params) }
    }
}
