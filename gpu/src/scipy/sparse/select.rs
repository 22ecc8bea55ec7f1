//! Rows and columns of a matrix.
//!
//! Rows of compressed rows are copied segment by segment. Columns are found by a bit for each of them, so that the
//! cost does not depend on the order in which they are passed.

use std::sync::{Arc, OnceLock};

use cuprum_kernels::DType;

use super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage, result_index, two_axes};
use crate::array::Array;
use crate::engine::compressed::{Bound, check};
use crate::engine::compressed_select::{Indices, Selected, select_columns, select_rows, select_slice};
use crate::engine::{arange, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::routines::manipulation::concatenate;
use crate::routines::searching::where_;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// The name of the function in errors of indices.
const FUNCTION: &str = "sparse.index";

/// Rows from which it pays to know the longest one of the operand.
const MANY_ROWS: usize = 1 << 10;

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

/// A list of indices of int64, of an axis that has one if there are any.
fn list_of(indices: &Array, axis: usize, size: usize) -> Result<Array> {
    if !indices.dtype().is_integer() {
        let message = format!("indices are integers, not of {}", indices.dtype());
        return Err(Error::new(ErrorKind::Index, message));
    }
    if size == 0 && indices.size() > 0 {
        return Err(Error::new(ErrorKind::Index, format!("no index is in bounds of axis {axis} with size 0")));
    }
    indices.to_dtype(DType::I64)
}

/// Indices counted from the start, of int64: negative ones have the size added. They are checked on the device.
pub(super) fn from_start(indices: &Array, axis: usize, size: usize) -> Result<Array> {
    let indices = list_of(indices, axis, size)?;
    check(FUNCTION, &indices, Bound::Indices(axis, size))?;
    let negative = apply("less", [(&indices).into(), 0.into()])?;
    let shifted = apply("add", [(&indices).into(), (size as i64).into()])?;
    where_(&negative, &shifted, &indices)
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

impl Compressed {
    /// Compressed entries along the same axis, of an order.
    fn replaced(&self, selected: Selected, order: Arc<OnceLock<EntryOrder>>) -> Compressed {
        Compressed::new(self.major, selected.ends, selected.indices, selected.values, order)
    }
}

impl Sparse {
    /// The elements of chosen rows and columns of a matrix, in the given order; an index may come several times. Entries of
    /// a row, or a column, stay in their order, so that the indices of a list that does not ascend are not sorted. The
    /// result has the format of this array; of blocks and diagonals it is compressed by rows.
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
                Format::Bsr | Format::Dia => self.to_format(Format::Csr)?.select(rows, columns),
            }
        };
        go().map_err(|e: Error| e.with_op("sparse.select"))
    }

    /// Chosen rows of compressed rows, or columns of compressed columns.
    fn select_rows(&self, rows: &Select) -> Result<Sparse> {
        let Storage::Compressed(c) = &self.storage else { return Ok(self.clone()) };
        // Many rows are worth a pass over the pointers, once for a pattern.
        let longest = |chosen: usize| if chosen >= MANY_ROWS { self.longest().map(Some) } else { Ok(None) };
        let selected = match rows {
            Select::All => return Ok(self.clone()),
            Select::Range { start, step: 1, len } => Some(select_slice(c.pattern(), *start, *len)?),
            Select::Range { start, step, len } => {
                let range = Indices::Range(*start as i64, *step as i64, *len);
                select_rows(FUNCTION, c.pattern(), range, longest(*len)?)?
            }
            Select::Indices(indices) => {
                let list = list_of(indices, c.major, self.shape[c.major])?;
                select_rows(FUNCTION, c.pattern(), Indices::List(&list, c.major as u32), longest(list.size())?)?
            }
        };
        let Some(selected) = selected else { return self.clone().with_index(DType::I64)?.select_rows(rows) };
        let mut shape = self.matrix_shape();
        shape[c.major] = selected.ends.size() - 1;
        // Fewer rows may be sorted where all were not.
        let order = c.canonical_order();
        Ok(Sparse::of_compressed(shape, c.replaced(selected, order)))
    }

    /// Chosen columns of compressed rows, or rows of compressed columns, in the order of the entries.
    fn select_minor(&self, columns: &Select) -> Result<Sparse> {
        let Storage::Compressed(c) = &self.storage else { return Ok(self.clone()) };
        let (minor, list) = (1 - c.major, &mut None);
        let indices = match columns {
            Select::All => return Ok(self.clone()),
            Select::Range { start, step, len } => Indices::Range(*start as i64, *step as i64, *len),
            Select::Indices(indices) => {
                Indices::List(list.insert(list_of(indices, minor, self.shape[minor])?), minor as u32)
            }
        };
        let Some(selected) = select_columns(FUNCTION, c.pattern(), self.shape[minor], indices)? else {
            return self.clone().with_index(DType::I64)?.select_minor(columns);
        };
        let mut shape = self.matrix_shape();
        shape[minor] = indices.count();
        let order = if selected.keeps_order { c.canonical_order() } else { Arc::default() };
        Ok(Sparse::of_compressed(shape, c.replaced(selected, order)))
    }

    /// Joins compressed rows below each other, or compressed columns side by side, of one dtype and of shapes that fit.
    pub(super) fn joined(parts: &[Sparse]) -> Result<Sparse> {
        let compressed = |part: &Sparse| match &part.storage {
            Storage::Compressed(c) => Some(c.clone()),
            _ => None,
        };
        let own: Vec<Compressed> = parts.iter().filter_map(compressed).collect();
        let Some(first) = own.first().filter(|_| own.len() == parts.len()) else {
            return Err(Error::new(ErrorKind::Value, "the arrays to join are not compressed alike"));
        };
        if own.len() == 1 {
            return Ok(parts[0].clone());
        }
        let major = first.major;
        let mut shape = parts[0].matrix_shape();
        shape[major] = parts.iter().map(|p| p.matrix_shape()[major]).sum();
        let entries = own.iter().map(|c| c.data.size()).sum();
        let index = result_index(parts.iter().map(Sparse::index_dtype), [shape[0], shape[1], entries]);
        let (mut pointers, mut indices) = (vec![], vec![]);
        let mut before = 0;
        for c in &own {
            let ends = c.indptr.to_dtype(index)?.index(s![i64::from(!pointers.is_empty())..])?;
            pointers.push(apply("add", [(&ends).into(), (before as i64).into()])?);
            indices.push(c.indices.to_dtype(index)?);
            before += c.data.size();
        }
        let join = |arrays: Vec<&Array>| concatenate(arrays, ());
        let (indptr, indices) = (join(pointers.iter().collect())?, join(indices.iter().collect())?);
        let data = join(own.iter().map(|c| &c.data).collect())?;
        let known = |c: &Compressed| matches!(c.order.get(), Some(EntryOrder::Canonical));
        let order = if own.iter().all(known) { OnceLock::from(EntryOrder::Canonical).into() } else { Arc::default() };
        Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, order)))
    }

    /// Joins compressed rows side by side, or compressed columns below each other: the entries of a row are those of the
    /// parts, in their order. The rows of all parts, below each other, are selected in turn.
    fn interleaved(parts: &[&Sparse], major: usize) -> Result<Sparse> {
        let (rows, minor) = (parts[0].matrix_shape()[major], 1 - major);
        let mut shape = parts[0].matrix_shape();
        shape[minor] = parts.iter().map(|p| p.matrix_shape()[minor]).sum();
        let entries = parts.iter().try_fold(0, |all, p| p.nnz().map(|n| all + n))?;
        let many = parts.len();
        let index =
            result_index(parts.iter().map(|p| p.index_dtype()), shape.into_iter().chain([entries, rows * many]));
        let mut before = 0;
        let mut moved = vec![];
        for part in parts {
            let Storage::Compressed(c) = &part.storage else { return Sparse::joined(&[]) };
            let own = c.indices.to_dtype(index)?;
            let indices = if before == 0 { own } else { apply("add", [(&own).into(), (before as i64).into()])? };
            before += part.matrix_shape()[minor];
            let mut wide = part.matrix_shape();
            wide[minor] = shape[minor];
            let c = Compressed::new(major, c.indptr.to_dtype(index)?, indices, c.data.clone(), Arc::clone(&c.order));
            moved.push(Sparse::of_compressed(wide, c));
        }
        let positions = make::empty(parts[0].device(), &[rows * many], DType::I64)?;
        arange(&positions, 0i64.into(), 1i64.into())?;
        let list = positions.reshape([many, rows])?.t().reshape([rows * many])?;
        let tall = Sparse::joined(&moved)?.select_rows(&Select::Indices(list))?;
        let Storage::Compressed(c) = &tall.storage else { return Ok(tall) };
        let indptr = c.indptr.index(s![..;many as i64])?.copy(Order::C)?;
        let order = Arc::clone(&c.order);
        Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, c.indices.clone(), c.data.clone(), order)))
    }

    /// Arrays joined along an axis, of one dtype and of shapes that fit.
    pub(super) fn stacked(parts: &[&Sparse], axis: usize, format: Format) -> Result<Sparse> {
        if matches!(format, Format::Csr | Format::Csc) && parts.iter().all(|p| p.format() == format && p.ndim() == 2) {
            let major = usize::from(format == Format::Csc);
            if parts.len() == 1 {
                return Ok(parts[0].clone());
            }
            return if axis == major {
                Sparse::joined(&parts.iter().map(|&p| p.clone()).collect::<Vec<_>>())
            } else {
                Sparse::interleaved(parts, major)
            };
        }
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
