//! Products of a sparse matrix with a dense vector or matrix over a semiring.
//!
//! If rows have about equal numbers of entries, a thread has a row of few entries; of more, a block multiplies the
//! entries of some rows in the order of memory, and some lanes add those of a row. Otherwise the path that merges the
//! ends of the rows with the entries is cut into parts of equal length, one for each block, so that rows of any lengths
//! take the same time. Which of both it is, and the rows at which the parts begin, depend on the pattern alone and are
//! computed once for it ([`balance`]). Lower bound of the traffic of a product, with n entries of m rows: n (value +
//! index) + m (pointer + k results) + the dense operand, once if it stays in the cache.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Value, Width, Written};
use cuprum_kernels::source::{
    SPARSE_PATH, SPARSE_ROWS_CAPACITY, SPARSE_ROWS_SHORT, SPARSE_ROWS_THREADS, SPARSE_THREADS, SparseProductParams,
    SparseProductSource, SparseRowsParams, SparseRowsSource, SparseTilesParams,
};

use super::compressed::binary_loop;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::driver::Function;
use crate::error::Result;
use crate::index::s;
use crate::scalar::Scalar;

/// Blocks along the second axis of a grid.
const MOST_BLOCKS: usize = 65535;

thread_local! {
    static KERNELS: Kernels<SparseProductSource, 3> = Kernels::default();
    static ROWS: Kernels<SparseRowsSource, 3> = Kernels::default();
}

/// Rows of at most this number of entries may be even ones.
const MOST_EVEN: usize = 256;

/// Steps of the path below which rows are not compared.
const FEW_STEPS: usize = 1 << 13;

/// Distribution of rows among blocks.
#[derive(Clone, Debug)]
pub(crate) enum Balance {
    /// A block has rows, none of which has more entries than this.
    Even(usize),
    /// A block has a part of the path; the rows at which the parts begin.
    Path(Array),
}

/// A semiring: the operation that combines products, the operation of two elements, and the identity of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Semiring {
    /// Ufunc that combines products, such as `add` or `minimum`.
    pub(crate) sum: &'static str,
    /// Ufunc of an entry and an element, such as `multiply` or `add`.
    pub(crate) product: &'static str,
    /// Result of a row without entries.
    pub(crate) identity: Scalar,
}

impl Semiring {
    /// Sums of products; of booleans, whether any product is true.
    pub(crate) fn plus_times() -> Semiring {
        Semiring { sum: "add", product: "multiply", identity: 0.into() }
    }

    fn source(self, dtype: DType, wide: bool, [group, each]: [u8; 2]) -> Result<SparseProductSource> {
        let (sum, product) = (binary_loop(self.sum, dtype)?, binary_loop(self.product, dtype)?);
        Ok(SparseProductSource { sum, product, dtype, wide, group, each })
    }
}

/// Compressed rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// Position at which each row begins, and the end of the last.
    pub(crate) indptr: &'a Array,
    /// Column of each entry.
    pub(crate) columns: &'a Array,
    /// The values of the entries.
    pub(crate) values: &'a Array,
    /// The position of the value of each entry, if they are not in the order of the entries.
    pub(crate) order: Option<&'a Array>,
    /// The distribution of the rows among blocks: [`balance`].
    pub(crate) balance: &'a Balance,
}

fn functions(source: SparseProductSource, a: &Array) -> Result<[Function; 3]> {
    let names = ["sparse_tiles", "sparse_product", "sparse_carries"];
    kernels(&KERNELS, a.device(), source, names, || (source.name(), source.source()))
}

fn tiles(rows: usize, entries: usize) -> usize {
    (rows + entries).div_ceil(SPARSE_PATH)
}

/// Returns how the rows of a pattern are shared among blocks, for products of this dtype or another. `longest_row` is
/// called if there are many rows, unless the stream is captured: then no lengths are compared.
pub(crate) fn balance(
    indptr: &Array,
    entries: usize,
    semiring: Semiring,
    dtype: DType,
    longest_row: impl FnOnce() -> Result<i64>,
) -> Result<Balance> {
    let rows = indptr.size() - 1;
    if rows + entries >= FEW_STEPS && !indptr.device().queue().is_captured() {
        // Unchecked pointers may fall, or reach beyond the entries.
        let longest = usize::try_from(longest_row()?).unwrap_or(usize::MAX);
        if longest <= MOST_EVEN && longest * rows <= 4 * entries {
            return Ok(Balance::Even(longest));
        }
    }
    path(indptr, entries, semiring, dtype).map(Balance::Path)
}

/// Returns the rows at which the parts of the path of a pattern begin.
fn path(indptr: &Array, entries: usize, semiring: Semiring, dtype: DType) -> Result<Array> {
    let rows = indptr.size() - 1;
    let tiles = tiles(rows, entries);
    let starts = make::empty(indptr.device(), &[tiles + 1], indptr.dtype())?;
    let params = SparseTilesParams {
        width: Width::default(),
        rows,
        entries,
        tiles,
        ends: read(indptr),
        starts: written(&starts),
    };
    let [function, ..] = functions(semiring.source(dtype, indptr.dtype() == DType::I64, [1, 1])?, indptr)?;
    let grid = Blocks::of((tiles + 1).div_ceil(SPARSE_THREADS), tiles + 1, "parts");
    // SAFETY: a search reads pointers of existing rows, and each start has its thread.
    unsafe { Launcher::on(indptr.device()).launch(function, grid, SPARSE_THREADS, &params) }?;
    Ok(starts)
}

/// Returns the strides of a vector or matrix, in elements.
fn steps(a: &Array) -> [i64; 2] {
    std::array::from_fn(|k| a.strides().get(k).map_or(0, |s| s / a.itemsize() as i64))
}

/// Writes the product of compressed rows with `x`, of one or two axes, to `out`, which overlaps no operand. All have
/// one dtype.
pub(crate) fn product(rows: Rows<'_>, x: &Array, semiring: Semiring, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let Rows { indptr, columns, values, order, balance } = rows;
    let starts = match balance {
        Balance::Even(longest) => return even_product(rows, *longest, x, semiring, out),
        Balance::Path(starts) => starts,
    };
    let device = one_device(indptr, [columns, values, starts, x, out].into_iter().chain(order))?;
    let (m, entries) = (indptr.size() - 1, columns.size());
    let (across, tiles) = (x.shape().get(1).copied().unwrap_or(1), tiles(m, entries));
    // Lanes read the columns of a row that is contiguous; columns far apart are multiplied one by one.
    let by_rows = across > 1 && (steps(x)[1].abs() <= steps(x)[0].abs() || steps(x)[1] == 1);
    let group = if by_rows { across.next_power_of_two().min(32) } else { 1 };
    let each = if by_rows { across.div_ceil(group).min(4) } else { 1 };
    let source = semiring.source(out.dtype(), indptr.dtype() == DType::I64, [group as u8, each as u8])?;
    let [_, multiply, add_carries] = functions(source, indptr)?;
    let carries = if tiles > 1 { Some(make::empty(device, &[tiles, across], out.dtype())?) } else { None };
    let params = SparseProductParams {
        width: Width::default(),
        rows: m,
        entries,
        tiles,
        ends: read(indptr),
        columns: read(columns),
        order: Read(order.map(DevicePtr::of)),
        starts: read(starts),
        values: read(values),
        x: read(x),
        x_rows: x.shape()[0] as u64,
        columns_of_x: across as u64,
        x_steps: steps(x),
        out: written(out),
        out_steps: steps(out),
        carries: Written(carries.as_ref().map(DevicePtr::of)),
        empty: Value(semiring.identity.encode(out.dtype())),
    };
    let wide = across.div_ceil(group * each);
    if wide > MOST_BLOCKS {
        let part =
            |a: &Array, from: usize| a.index(s![.., from as i64..across.min(from + MOST_BLOCKS * group * each) as i64]);
        return (0..across)
            .step_by(MOST_BLOCKS * group * each)
            .try_for_each(|from| product(rows, &part(x, from)?, semiring, &part(out, from)?));
    }
    let grid = Blocks::of(tiles, m + entries, "entries").by(wide);
    // SAFETY: the kernel bounds pointers, columns and the order by the arrays, and a row is written by the block in which it ends.
    unsafe { Launcher::on(device).launch(multiply, grid, SPARSE_THREADS, &params) }?;
    if tiles > 1 {
        let grid = Blocks::of((tiles * across).div_ceil(SPARSE_THREADS), tiles * across, "parts");
        // SAFETY: a thread has a column of the row that a block ended, which no other block ended.
        unsafe { Launcher::on(device).launch(add_carries, grid, SPARSE_THREADS, &params) }?;
    }
    Ok(())
}

/// Returns the number of adjacent columns that a lane loads at once: those of 16 bytes if rows of both matrices are
/// contiguous and aligned.
fn adjacent(x: &Array, out: &Array, across: usize) -> usize {
    let most = (16 / out.itemsize()).max(1);
    let aligned = |a: &Array, each: usize| {
        steps(a)[1] == 1
            && steps(a)[0] % (each as i64) == 0
            && DevicePtr::of(a).is_aligned((each * a.itemsize()) as u64)
    };
    (0..=most.ilog2())
        .rev()
        .map(|k| 1 << k)
        .find(|&e| across.is_multiple_of(e) && aligned(x, e) && aligned(out, e))
        .unwrap_or(1)
}

/// The product of rows of at most `longest` entries.
fn even_product(rows: Rows<'_>, longest: usize, x: &Array, semiring: Semiring, out: &Array) -> Result<()> {
    let Rows { indptr, columns, values, order, .. } = rows;
    let device = one_device(indptr, [columns, values, x, out].into_iter().chain(order))?;
    let (m, across) = (indptr.size() - 1, x.shape().get(1).copied().unwrap_or(1));
    let each = if across > 1 { adjacent(x, out, across) } else { 1 };
    let wide = indptr.dtype() == DType::I64;
    let (sum, multiplied) = (binary_loop(semiring.sum, out.dtype())?, binary_loop(semiring.product, out.dtype())?);
    let source = SparseRowsSource { sum, product: multiplied, dtype: out.dtype(), wide, each: each as u8 };
    let names = ["sparse_rows_short", "sparse_rows", "sparse_rows_dense"];
    let [of_short, of_vector, of_matrix] = kernels(&ROWS, device, source, names, || (source.name(), source.source()))?;
    let lanes = if across > 1 {
        across.div_ceil(each).next_power_of_two().min(32)
    } else if longest <= SPARSE_ROWS_SHORT {
        1
    } else {
        // A block has the threads for as many rows as its shared memory has products.
        let together = (SPARSE_ROWS_CAPACITY / longest.max(1)).clamp(1, SPARSE_ROWS_THREADS).ilog2();
        SPARSE_ROWS_THREADS >> together
    };
    let params = SparseRowsParams {
        width: Width::default(),
        rows: m,
        entries: columns.size(),
        ends: read(indptr),
        columns: read(columns),
        order: Read(order.map(DevicePtr::of)),
        values: read(values),
        x: read(x),
        x_rows: x.shape()[0] as u64,
        columns_of_x: across as u64,
        x_steps: steps(x),
        out: written(out),
        out_steps: steps(out),
        empty: Value(semiring.identity.encode(out.dtype())),
        lanes_log2: lanes.ilog2(),
    };
    let grid = Blocks::of(m.div_ceil(SPARSE_ROWS_THREADS / lanes), m, "rows");
    if across == 1 {
        let function = if longest <= SPARSE_ROWS_SHORT { of_short } else { of_vector };
        // SAFETY: the kernel bounds pointers, columns and the order by the arrays, and a row is written by its first lane.
        return unsafe { Launcher::on(device).launch(function, grid, SPARSE_ROWS_THREADS, &params) };
    }
    let parts = across.div_ceil(each * lanes);
    if parts > MOST_BLOCKS {
        let wide = MOST_BLOCKS * each * lanes;
        let part = |a: &Array, from: usize| a.index(s![.., from as i64..across.min(from + wide) as i64]);
        return (0..across)
            .step_by(wide)
            .try_for_each(|from| product(rows, &part(x, from)?, semiring, &part(out, from)?));
    }
    // SAFETY: as above, and a lane has its columns of a row.
    unsafe { Launcher::on(device).launch(of_matrix, grid.by(parts), SPARSE_ROWS_THREADS, &params) }
}
