//! Rows and columns of a matrix.
//!
//! Chosen rows of compressed rows are copied after a scan of their lengths; chosen columns are found by a
//! table of all columns, so that the cost does not depend on the order in which they are passed.

use cuprum_kernels::DType;

use super::entries::{counted, keys_of, progression, sorted};
use super::{CastTo, Compressed, Format, Sparse, Storage, result_index, two_axes};
use crate::array::Array;
use crate::engine::compressed::{
    Bound, check, compress_pointers, expand_pointers, gather_or_zero, row_entries, scatter, unpack,
};
use crate::engine::{make, mark, search_rising};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::routines::indexing::take;
use crate::routines::manipulation::concatenate;
use crate::routines::searching::where_;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// Entries are few if those of a matrix are more than this number of times as many.
const FEW_OF: usize = 16;

/// Rows or columns that are chosen.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Select, Sparse};
/// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4], [5, 6]])?, Format::Csr)?;
/// let every_second = Select::Range { start: 0, step: 2, len: 2 };
/// assert_eq!(a.select(&every_second, &Select::All)?.to_dense(())?.to_vec::<i32>()?, [1, 2, 5, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Select {
    /// All of them.
    All,
    /// A slice: the first, the step and the number. All are in bounds.
    Range {
        /// The first one.
        start: usize,
        /// From one to the next.
        step: isize,
        /// Number of rows or columns.
        len: usize,
    },
    /// An array of one axis of integers; negative ones count from the end. An index may come several times.
    Indices(Array),
}

/// Indices counted from the start, of int64: negative ones have the size added. They are checked on the device.
pub(super) fn from_start(indices: &Array, axis: usize, size: usize) -> Result<Array> {
    if !indices.dtype().is_integer() {
        let message = format!("indices are integers, not of {}", indices.dtype());
        return Err(Error::new(ErrorKind::Index, message));
    }
    if size == 0 && indices.size() > 0 {
        return Err(Error::new(ErrorKind::Index, format!("no index is in bounds of axis {axis} with size 0")));
    }
    let indices = indices.to_dtype(DType::I64)?;
    check("sparse.index", &indices, Bound::Indices(axis, size))?;
    let negative = apply("less", [(&indices).into(), 0.into()])?;
    let shifted = apply("add", [(&indices).into(), (size as i64).into()])?;
    where_(&negative, &shifted, &indices)
}

/// Returns the first and the last of some pointers. It synchronises. Few are copied to the host together, without a
/// launch.
fn borders(pointers: &Array) -> Result<(i64, i64)> {
    let last = pointers.size() - 1;
    let read = if last > 1024 { pointers.index(s![..;last as isize])? } else { pointers.clone() };
    let list: Vec<i64> = match read.dtype() {
        DType::I32 => read.to_vec::<i32>()?.into_iter().map(i64::from).collect(),
        _ => read.to_vec::<i64>()?,
    };
    Ok((list[0], list[list.len() - 1]))
}

/// Running sums of counts, of int64 from 0 on, and their total, which is read: the host synchronises.
pub(super) fn ends_of(counts: &Array) -> Result<(Array, usize)> {
    let n = counts.size();
    let ends = make::zeros(counts.device(), &[n + 1], DType::I64)?;
    if n == 0 {
        return Ok((ends, 0));
    }
    let sums = ends.index(s![1..])?;
    ufunc("add")?.accumulate(counts, 0, AccumulateOptions::new().dtype(DType::I64).out(&sums))?;
    let total = ends.index(s![n as i64])?.item::<i64>()? as usize;
    Ok((ends, total))
}

impl Sparse {
    /// The elements of chosen rows and columns of a matrix, in the given order; an index may come several times. The
    /// result has the format of this array; of diagonals it is compressed by rows.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Select, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, 2], [0, 3, 0], [4, 0, 0]])?, Format::Csr)?;
    /// let b = a.select(&Select::Indices(array([2, 0])?), &Select::Range { start: 0, step: 2, len: 2 })?;
    /// assert_eq!(b.to_dense(())?.to_vec::<i32>()?, [4, 0, 1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array that has not two axes; [`ErrorKind::Index`] for indices that are not integers.
    /// An index that is out of bounds is returned as [`ErrorKind::Index`] by the next call that synchronises.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries, unless all rows and columns are chosen.
    pub fn select(&self, rows: &Select, columns: &Select) -> Result<Sparse> {
        let go = || {
            if self.ndim() != 2 {
                return Err(two_axes(Format::Csr, &self.shape));
            }
            match self.format() {
                Format::Csr | Format::Csc => {
                    let selects = if self.format() == Format::Csr { [rows, columns] } else { [columns, rows] };
                    self.select_rows(selects[0])?.select_minor(selects[1])
                }
                Format::Coo => self.to_format(Format::Csr)?.select(rows, columns)?.to_format(Format::Coo),
                Format::Dia => self.to_format(Format::Csr)?.select(rows, columns),
            }
        };
        go().map_err(|e: Error| e.with_op("sparse.select"))
    }

    /// Chosen rows of compressed rows, or columns of compressed columns.
    fn select_rows(&self, rows: &Select) -> Result<Sparse> {
        let Storage::Compressed(c) = &self.storage else { return Ok(self.clone()) };
        let size = self.shape[c.major];
        let pointers = |from: i64, to: i64| c.indptr.index(s![from..to]);
        let (starts, stops) = match rows {
            Select::All => return Ok(self.clone()),
            Select::Range { start, step: 1, len } => {
                let (first, end) = (*start as i64, (*start + *len) as i64);
                let own = pointers(first, end + 1)?;
                let (before, after) = borders(&own)?;
                let entries = c.data.size() as i64;
                let (from, to) = (before.clamp(0, entries), after.clamp(0, entries));
                let indptr = apply("subtract", [(&own).into(), before.into()])?.to_dtype(own.dtype())?;
                let part = |a: &Array| a.index(s![from..to.max(from)])?.copy(Order::C);
                return Ok(self.rows_replaced(c, *len, indptr, part(&c.indices)?, part(&c.data)?));
            }
            Select::Range { start, step, len } => {
                let index = progression(&c.indptr, *start as i64, *step as i64, *len, DType::I64)?;
                (take(&c.indptr, &index, 0)?, take(&pointers(1, size as i64 + 1)?, &index, 0)?)
            }
            Select::Indices(indices) => {
                let index = from_start(indices, c.major, size)?;
                (take(&pointers(0, size as i64)?, &index, 0)?, take(&pointers(1, size as i64 + 1)?, &index, 0)?)
            }
        };
        let count = starts.size();
        let lengths = apply("subtract", [(&stops).into(), (&starts).into()])?;
        let (ends, total) = ends_of(&lengths)?;
        let index = result_index([c.indptr.dtype()], [total]);
        let ends = ends.to_dtype(index)?;
        let (positions, _) = row_entries(&starts.to_dtype(index)?, &ends, total)?;
        let indices = gather_or_zero(&[(&positions, &c.indices)])?.to_dtype(index)?;
        let data = gather_or_zero(&[(&positions, &c.data)])?;
        Ok(self.rows_replaced(c, count, ends, indices, data))
    }

    fn rows_replaced(&self, c: &Compressed, count: usize, indptr: Array, indices: Array, data: Array) -> Sparse {
        let mut shape = self.matrix_shape();
        shape[c.major] = count;
        // Fewer rows may be sorted where all were not.
        Sparse::of_compressed(shape, Compressed::new(c.major, indptr, indices, data, c.canonical_order()))
    }

    /// Chosen columns of compressed rows, or rows of compressed columns.
    fn select_minor(&self, columns: &Select) -> Result<Sparse> {
        let Storage::Compressed(c) = &self.storage else { return Ok(self.clone()) };
        let size = self.shape[1 - c.major];
        let mut shape = self.matrix_shape();
        match columns {
            Select::All => Ok(self.clone()),
            Select::Range { start, step, len } if *step > 0 => {
                // The new column of an entry; those that are none are dropped.
                let from = apply("subtract", [(&c.indices).into(), (*start as i64).into()])?;
                let step = make::full(c.data.device(), &[], *step as i64, DType::I64)?;
                let column = apply("floor_divide", [(&from).into(), (&step).into()])?;
                let exact =
                    apply("equal", [(&apply("remainder", [(&from).into(), (&step).into()])?).into(), 0.into()])?;
                let not_before = apply("greater_equal", [(&from).into(), 0.into()])?;
                let not_after = apply("less", [(&column).into(), (*len as i64).into()])?;
                let inside = apply("logical_and", [(&not_before).into(), (&not_after).into()])?;
                let kept = self.filtered(&apply("logical_and", [(&exact).into(), (&inside).into()])?)?;
                let Storage::Compressed(new) = kept.storage else { return Ok(kept) };
                let from = apply("subtract", [(&new.indices).into(), (*start as i64).into()])?;
                let indices = apply("floor_divide", [(&from).into(), (&step).into()])?.to_dtype(new.indptr.dtype())?;
                shape[1 - c.major] = *len;
                // What is remembered of a pattern is not that of its new columns.
                Ok(Sparse::of_compressed(shape, Compressed::new(new.major, new.indptr, indices, new.data, new.order)))
            }
            Select::Range { start, step, len } => {
                self.chosen_columns(c, &progression(&c.indptr, *start as i64, *step as i64, *len, DType::I64)?)
            }
            Select::Indices(indices) => {
                let index = from_start(indices, 1 - c.major, size)?;
                self.chosen_columns(c, &index)
            }
        }
    }

    /// Each entry comes as often as its column is among the chosen ones, which are sorted and searched. Entries of
    /// other columns are dropped first, by a table of all columns.
    fn chosen_columns(&self, c: &Compressed, chosen: &Array) -> Result<Sparse> {
        let (rows, count, device) = (self.shape[c.major], chosen.size(), c.data.device());
        let table = make::zeros(device, &[self.shape[1 - c.major]], DType::Bool)?;
        scatter(&make::full(device, &[count], true, DType::Bool)?, [chosen, chosen], [1, 0], &table)?;
        let kept = mark(&gather_or_zero(&[(&c.indices, &table)])?)?.positions()?;
        let own = take(&c.indices, &kept, 0)?.to_dtype(DType::I64)?;
        let (columns, order) = crate::engine::sort::sort_pairs(chosen, &counted(chosen, count, DType::I64)?)?;
        let bound = |right: bool| -> Result<Array> {
            let out = make::zeros(device, &[own.size()], DType::I64)?;
            if count > 0 && own.size() > 0 {
                search_rising(&columns, &own, DType::I64, right, &out)?;
            }
            Ok(out)
        };
        let (left, right) = (bound(false)?, bound(true)?);
        let lengths = apply("subtract", [(&right).into(), (&left).into()])?;
        let (ends, total) = ends_of(&lengths)?;
        let (positions, number) = row_entries(&left, &ends, total)?;
        let entry = gather_or_zero(&[(&number, &kept)])?;
        let column = gather_or_zero(&[(&positions, &order)])?;
        // The rows of few entries are searched in the pointers; those of many are the rows of all.
        let row = if FEW_OF * total < c.data.size() {
            let after = make::zeros(device, &[total], DType::I64)?;
            if total > 0 {
                let dtype = c.indptr.dtype();
                search_rising(&c.indptr, &entry.to_dtype(dtype)?, dtype, true, &after)?;
            }
            apply("subtract", [(&after).into(), 1.into()])?
        } else {
            gather_or_zero(&[(&entry, &expand_pointers(&c.indptr, c.data.size())?)])?
        };
        let data = gather_or_zero(&[(&entry, &c.data)])?;
        let index = result_index([c.indptr.dtype()], [rows, count, total]);
        let keys = keys_of(&row.to_dtype(index)?, &column.to_dtype(index)?, [rows, count])?;
        let (keys, data) = sorted(&keys, &data)?;
        let [row, indices] = unpack(&keys, [rows, count], index)?;
        let indptr = compress_pointers(&row, rows)?;
        let mut shape = self.matrix_shape();
        shape[1 - c.major] = count;
        Ok(Sparse::of_compressed(shape, Compressed::new(c.major, indptr, indices, data, c.canonical_order())))
    }

    /// Arrays joined along an axis, of one dtype and of shapes that fit.
    pub(super) fn stacked(parts: &[&Sparse], axis: usize, format: Format) -> Result<Sparse> {
        let shape = parts[0].shape.clone();
        let total: usize = parts.iter().map(|p| p.shape[axis]).sum();
        let mut whole = shape;
        whole[axis] = total;
        let entries = parts.iter().try_fold(0, |all, p| p.nnz().map(|n| all + n))?;
        let index = result_index(parts.iter().map(|p| p.operand_index()), whole.iter().copied().chain([entries]));
        let mut coords: Vec<Vec<Array>> = vec![Vec::new(); whole.len()];
        let mut data = Vec::new();
        let mut before = 0;
        for part in parts {
            let part = part.to_format(Format::Coo)?;
            for (k, c) in part.coords()?.iter().enumerate() {
                let moved = if k == axis && before > 0 {
                    apply("add", [(&c.to_dtype(index)?).into(), (before as i64).into()])?
                } else {
                    c.to_dtype(index)?
                };
                coords[k].push(moved);
            }
            data.push(part.data());
            before += part.shape[axis];
        }
        let join = |arrays: &[Array]| concatenate(arrays.iter().collect::<Vec<_>>(), ());
        let coords = coords.iter().map(|c| join(c)).collect::<Result<Vec<_>>>()?;
        Sparse::of_coords(&whole, coords, join(&data)?, false).to_format(format)
    }
}
