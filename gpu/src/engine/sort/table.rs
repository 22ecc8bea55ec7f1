//! Lexicographic sort of the rows of a table.
//!
//! A comparison sort, as most rows differ in their first elements: the elements after these are never read. For n rows
//! of m elements of s bytes it reads the first element of two rows for each of n log2(n) comparisons, neighbours first,
//! and reads and writes the number of each row in each of log2(n / 1024) passes: some 50 bytes per row and pass. Rows
//! with long common prefixes cost their whole length in each comparison, n m log2(n) s: at most `PART` elements of it
//! in one thread, and m / `PART` comparisons in parallel. The scratch memory is 24 n m / `PART` bytes.
//!
//! Many rows of few bytes take fewer passes by these bytes: a radix sort of each column, the last one first, reads and
//! writes 2 s + 8 bytes per row for each of m s passes.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Written};
use cuprum_kernels::source::{SortTableParams, TABLE_TILE, table_source};

use super::{sort_pairs, sort_rows, take_along};
use crate::array::Array;
use crate::driver::Function;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;

/// Number of elements that are compared at once: large enough that most tables have one part, small enough for one
/// thread.
const PART: usize = 64;
/// Bytes of a row up to which columns are sorted one after the other: as many passes as bytes.
const FEW_BYTES: usize = 16;
/// Threads of a block, and maximum number of blocks that rank.
const THREADS: usize = 256;
const BLOCKS: usize = 1 << 16;

/// The kernels of a source.
const NAMES: [&str; 3] = ["sort_table_tiles", "sort_table_merge", "sort_table_ranks"];

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType, 3> = Kernels::default();
}

/// The sorted rows of a table, in lexicographic order; equal rows keep their order.
#[derive(Debug)]
pub(crate) struct SortedTable {
    /// int64: the positions of the rows.
    pub(crate) order: Array,
    /// A table with one part whose rows have the same order.
    table: Array,
}

impl SortedTable {
    /// Sorts the rows of a two-dimensional table in C order, which is not empty. Does not synchronise.
    pub(crate) fn of(table: &Array) -> Result<SortedTable> {
        let (rows, length) = (table.shape()[0], table.shape()[1]);
        let mut table = table.clone();
        if rows > TABLE_TILE && length * table.itemsize() <= FEW_BYTES {
            return Ok(SortedTable { order: by_columns(&table)?, table });
        }
        while table.shape()[1] > PART {
            let level = Level::of(&table)?;
            let ranks = make::empty(table.device(), &[rows, level.parts], DType::I64)?;
            level.rank(&level.order()?, Some(&ranks), None)?;
            table = ranks;
        }
        Ok(SortedTable { order: Level::of(&table)?.order()?, table })
    }

    /// Returns booleans that are true for each sorted row that differs from the one before it. All NaNs are equal.
    pub(crate) fn differs(&self) -> Result<Array> {
        let differs = make::empty(self.order.device(), self.order.shape(), DType::Bool)?;
        Level::of(&self.table)?.rank(&self.order, None, Some(&differs))?;
        Ok(differs)
    }
}

/// Sorts by one column after the other.
fn by_columns(table: &Array) -> Result<Array> {
    let (rows, length) = (table.shape()[0], table.shape()[1] as i64);
    let column = |j: i64| table.index(s![.., j])?.copy(Order::C);
    let mut order = make::empty(table.device(), &[rows], DType::I64)?;
    sort_rows(&column(length - 1)?, rows, None, Some(&order))?;
    for j in (0..length - 1).rev() {
        // Each sort is stable, so that earlier ones decide among equal elements.
        order = sort_pairs(&take_along(&column(j)?, &order)?, &order)?.1;
    }
    Ok(order)
}

/// A table, and the sorts of its parts.
struct Level<'a> {
    /// The table, whose rows are sorted as wholes.
    table: &'a Array,
    /// Number of rows.
    rows: usize,
    /// Parts of at most [`PART`] elements of each row, which are sorted independently.
    parts: usize,
    /// Parameters of the launches.
    params: SortTableParams<DevicePtr<'a>>,
    /// The kernels of [`NAMES`].
    functions: [Function; 3],
}

impl<'a> Level<'a> {
    fn of(table: &'a Array) -> Result<Level<'a>> {
        let (rows, length, dtype) = (table.shape()[0], table.shape()[1], table.dtype());
        let parts = length.div_ceil(PART);
        let source = || (format!("sort_table/{dtype}"), table_source(dtype));
        let functions = kernels(&KERNELS, table.device(), dtype, NAMES, source)?;
        let params = SortTableParams {
            width: Default::default(),
            rows,
            length,
            parts,
            run: 0,
            input: read(table),
            order: Read(None),
            out: Written(None),
            differs: Written(None),
            part_length: PART as u32,
            tiles: rows.div_ceil(TABLE_TILE) as u32,
            per_block: (TABLE_TILE / rows).max(1) as u32,
        };
        Ok(Level { table, rows, parts, params, functions })
    }

    /// Returns the sorted row numbers of each part.
    fn order(&self) -> Result<Array> {
        let (device, params) = (self.table.device(), self.params);
        let [tiles, merge, _] = self.functions;
        let made = || make::empty(device, &[self.parts * self.rows], DType::I64);
        let (mut order, launcher) = (made()?, Launcher::on(device));
        let (per_part, work) = (params.tiles as usize, self.parts * self.rows);
        let blocks = Blocks::of(self.parts.div_ceil(params.per_block as usize) * per_part, work, "rows");
        let first = SortTableParams { out: written(&order), ..params };
        // SAFETY: the table has `rows` rows of `length` elements, and the order has a number for each row and part.
        unsafe { launcher.launch(tiles, blocks, THREADS, &first) }?;
        if per_part == 1 {
            return Ok(order);
        }
        let mut other = made()?;
        let mut run = TABLE_TILE;
        while run < self.rows {
            let params = SortTableParams { run, order: read(&order), out: written(&other), ..params };
            // SAFETY: as above; the row numbers are those that the preceding launch has written, and no one else can
            // write them.
            unsafe { launcher.launch(merge, blocks, THREADS, &params) }?;
            std::mem::swap(&mut order, &mut other);
            run *= 2;
        }
        Ok(order)
    }

    /// Writes the ranks of rows in their parts; or, for a single part, flags of the rows that differ from the one
    /// before.
    fn rank(&self, order: &Array, ranks: Option<&Array>, differs: Option<&Array>) -> Result<()> {
        let (out, differs) = (Written(ranks.map(DevicePtr::of)), Written(differs.map(DevicePtr::of)));
        let params = SortTableParams { order: read(order), out, differs, ..self.params };
        let work = self.parts * self.rows;
        let blocks = Blocks::of(work.div_ceil(THREADS).min(BLOCKS), work, "rows");
        // SAFETY: the ranks have a number for each row and part, `differs` one for each row of the only part.
        unsafe { Launcher::on(self.table.device()).launch(self.functions[2], blocks, THREADS, &params) }
    }
}
