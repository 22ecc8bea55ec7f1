//! Products of two sparse matrices whose rows are multiplied in shared memory.
//!
//! A row of few products is multiplied by a thread, another one by a warp or a block; rows of more products than the
//! largest capacity are left to the caller. Rows are multiplied twice, to count their entries and to write them, so that
//! no memory besides the result is needed; where no row exceeds a small capacity they are multiplied once, with memory
//! for a number of entries that a sample of rows estimates. Lower bound of the traffic: the rows of the second matrix
//! once for each entry of the first, mostly from the cache, and the result.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Value, Width, Written};
use cuprum_kernels::source::{SparseSparseParams, SparseSparseSource};

use super::compressed::binary_loop;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, download, one_device, read, written};
use super::make;
use super::sparse_product::Semiring;
use crate::array::Array;
use crate::driver::Function;
use crate::error::Result;
use crate::scalar::Scalar;

/// Rows of a sample.
const SAMPLED_ROWS: usize = 4096;

thread_local! {
    static KERNELS: Kernels<SparseSparseSource, 4> = Kernels::default();
}

/// Compressed rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    /// Position at which each row begins, and the end of the last.
    pub(crate) indptr: &'a Array,
    /// Column of each entry.
    pub(crate) columns: &'a Array,
    /// Value of each entry.
    pub(crate) values: &'a Array,
}

/// Two sparse matrices, of one dtype and one dtype of indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors<'a> {
    /// The first matrix, whose rows are those of the result.
    pub(crate) a: Matrix<'a>,
    /// The second matrix, whose rows the entries of the first select.
    pub(crate) b: Matrix<'a>,
    /// Number of columns of the second matrix.
    pub(crate) columns: usize,
    /// The operations.
    pub(crate) semiring: Semiring,
}

/// The rows that a launch multiplies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen<'a> {
    /// The index of their capacity among `SPARSE_CAPACITIES`.
    pub(crate) capacity: u8,
    /// The number of products of each row.
    pub(crate) products: &'a Array,
    /// Their numbers, of int64; all rows whose products fit the capacity and no smaller one if there are none.
    pub(crate) list: Option<&'a Array>,
}

/// Result arrays: where each row begins, and the columns and values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<'a> {
    /// Position at which each row begins, and the end of the last.
    pub(crate) ends: &'a Array,
    /// Column of each entry.
    pub(crate) columns: &'a Array,
    /// Value of each entry.
    pub(crate) values: &'a Array,
}

impl Factors<'_> {
    fn functions(&self, capacity: u8) -> Result<([Function; 4], SparseSparseSource)> {
        let dtype = self.a.values.dtype();
        let (sum, product) = (binary_loop(self.semiring.sum, dtype)?, binary_loop(self.semiring.product, dtype)?);
        let wide = self.a.indptr.dtype() == DType::I64;
        let wide_key = SparseSparseSource::needs_wide_key(capacity, self.columns);
        let source = SparseSparseSource { sum, product, dtype, wide, capacity, wide_key };
        let functions = kernels(&KERNELS, self.a.indptr.device(), source, SparseSparseSource::KERNELS, || {
            (source.name(), source.source())
        })?;
        Ok((functions, source))
    }

    fn params(&self) -> SparseSparseParams<DevicePtr<'_>> {
        let Factors { a, b, .. } = self;
        SparseSparseParams {
            width: Width::default(),
            rows: a.indptr.size() - 1,
            a_entries: a.columns.size() as i64,
            a_ends: read(a.indptr),
            a_columns: read(a.columns),
            a_values: read(a.values),
            b_rows: b.indptr.size() as i64 - 1,
            b_entries: b.columns.size() as i64,
            b_ends: read(b.indptr),
            b_columns: read(b.columns),
            b_values: read(b.values),
            products: Written(None),
            heavy: Written(None),
            chosen: Read(None),
            chosen_rows: 0,
            step: 1,
            sample: Written(None),
            least: -1,
            counts: Written(None),
            ends: Read(None),
            room: 0,
            columns: Written(None),
            values: Written(None),
            out_ends: Written(None),
            state: Written(None),
            zero: Value(Scalar::from(0).encode(a.values.dtype())),
        }
    }

    /// Returns the number of products of each row, of int64, and on the device how many rows exceed each capacity but
    /// not the next.
    pub(crate) fn products(&self) -> Result<[Array; 2]> {
        let (a, b) = (self.a, self.b);
        let device = one_device(a.indptr, [a.columns, a.values, b.indptr, b.columns, b.values])?;
        let rows = a.indptr.size() - 1;
        let (products, heavy) = (make::empty(device, &[rows], DType::I64)?, make::zeros(device, &[3], DType::U64)?);
        if rows > 0 {
            let ([function, ..], _) = self.functions(0)?;
            let params = SparseSparseParams {
                products: Written(Some(DevicePtr::of(&products))),
                heavy: Written(Some(DevicePtr::of(&heavy))),
                ..self.params()
            };
            let grid = Blocks::of((rows * 8).div_ceil(128), rows, "rows");
            // SAFETY: spans of entries are bounded by the arrays, and each row has its lanes.
            unsafe { Launcher::on(device).launch(function, grid, 128, &params) }?;
        }
        Ok([products, heavy])
    }

    fn launch(&self, kernel: usize, chosen: Chosen<'_>, params: SparseSparseParams<DevicePtr<'_>>) -> Result<()> {
        let rows = chosen.list.map_or(params.rows, Array::size);
        if rows == 0 {
            return Ok(());
        }
        let (functions, source) = self.functions(chosen.capacity)?;
        let params = SparseSparseParams {
            products: Written(Some(DevicePtr::of(chosen.products))),
            chosen: Read(chosen.list.map(DevicePtr::of)),
            chosen_rows: rows,
            least: if chosen.capacity == 0 {
                -1
            } else {
                cuprum_kernels::source::SPARSE_CAPACITIES[chosen.capacity as usize - 1] as i64
            },
            ..params
        };
        let grid = Blocks::of(rows.div_ceil(source.rows()), rows, "rows");
        // SAFETY: spans of entries are bounded by the arrays, products by the capacity, and entries by the end of their row.
        unsafe { Launcher::on(self.a.indptr.device()).launch(functions[kernel], grid, source.threads(), &params) }
    }

    /// Writes the numbers of entries of the chosen rows to `counts`.
    pub(crate) fn count(&self, chosen: Chosen<'_>, counts: &Array) -> Result<()> {
        self.launch(1, chosen, SparseSparseParams { counts: Written(Some(DevicePtr::of(counts))), ..self.params() })
    }

    /// Writes the entries of the chosen rows.
    pub(crate) fn write(&self, chosen: Chosen<'_>, out: Entries<'_>) -> Result<()> {
        let params = SparseSparseParams {
            ends: read(out.ends),
            columns: Written(Some(DevicePtr::of(out.columns))),
            values: Written(Some(DevicePtr::of(out.values))),
            room: out.columns.size(),
            ..self.params()
        };
        self.launch(2, chosen, params)
    }

    /// Estimates the number of entries of the product from a sample of rows, none of which exceeds a capacity.
    /// Synchronises.
    pub(crate) fn estimate(&self, capacity: u8) -> Result<usize> {
        let (device, rows) = (self.a.indptr.device(), self.a.indptr.size() - 1);
        let step = rows.div_ceil(SAMPLED_ROWS).max(1);
        let sampled = rows.div_ceil(step);
        let (functions, source) = self.functions(capacity)?;
        let sample = make::zeros(device, &[1], DType::U64)?;
        let params = SparseSparseParams { chosen_rows: sampled, step, sample: written(&sample), ..self.params() };
        let grid = Blocks::of(sampled.div_ceil(source.rows()), sampled, "rows");
        // SAFETY: spans of entries are bounded by the arrays, and products by the capacity.
        unsafe { Launcher::on(device).launch(functions[1], grid, source.threads(), &params) }?;
        let mut sum = [0; 8];
        download(&mut sum, &sample, 0)?;
        Ok((u64::from_le_bytes(sum) as f64 * rows as f64 / sampled as f64) as usize)
    }

    /// Multiplies all rows in one pass, none of which exceeds a capacity. The entries are written to the beginning of
    /// `columns` and `values`, those that exceed them are not; returns the ends of all, of int64.
    pub(crate) fn multiply(&self, capacity: u8, columns: &Array, values: &Array) -> Result<Array> {
        let device = one_device(self.a.indptr, [columns, values])?;
        let rows = self.a.indptr.size() - 1;
        let ends = make::zeros(device, &[rows + 1], DType::I64)?;
        if rows > 0 {
            let ([.., function], source) = self.functions(capacity)?;
            let blocks = rows.div_ceil(source.rows());
            let state = make::zeros(device, &[blocks + 1], DType::U64)?;
            let params = SparseSparseParams {
                room: columns.size(),
                columns: written(columns),
                values: written(values),
                out_ends: written(&ends),
                state: written(&state),
                ..self.params()
            };
            let grid = Blocks::of(blocks, rows, "rows");
            // SAFETY: spans of entries are bounded by the arrays, products by the capacity, and entries by the room for them.
            unsafe { Launcher::on(device).launch(function, grid, source.threads(), &params) }?;
        }
        Ok(ends)
    }
}
