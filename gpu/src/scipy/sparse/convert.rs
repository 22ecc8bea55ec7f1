//! Conversions: between formats, from and to dense arrays, and the operations that sort or drop entries.
//!
//! Compressed rows and columns are converted into each other by a stable sort of the entries; duplicates are added in
//! their stored order, so that results repeat to the bit.

use std::sync::{Arc, OnceLock};

use cuprum_kernels::DType;

use super::entries::{Entries, counted, flat, progression, sorted, unflat};
use super::indices::contiguous;
use super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage, index_dtype, result_index, two_axes};
use crate::array::{Array, IntoArgument};
use crate::engine::compressed::{compress_pointers, expand_pointers, gather_or_zero, scatter, unpack, unpack_minor};
use crate::engine::entry_groups::{Grouped, group_coordinates, groups_coordinates, sort_within_rows};
use crate::engine::sort::sort_pairs;
use crate::engine::{make, mark};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, size_of};
use crate::reduction::{Reduce, reduced};
use crate::routines::searching::where_;
use crate::routines::sets::{UniqueOptions, unique};
use crate::ufunc::apply;

impl Sparse {
    /// The entries of a dense array that are not zero.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[0, 2], [3, 0]])?, Format::Csr)?;
    /// assert_eq!(a.indices()?.to_vec::<i32>()?, [1, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array without axes, and for one that has not two axes in a format other than
    /// [`Format::Coo`].
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries.
    pub fn from_dense(a: &Array, format: Format) -> Result<Sparse> {
        let go = || {
            if a.ndim() == 0 || (a.ndim() != 2 && format != Format::Coo) {
                return Err(two_axes(format, a.shape()));
            }
            // Columns are found in the order of the transposed matrix.
            let of = if format == Format::Csc { a.t() } else { a.clone() };
            let marked = mark(&of)?;
            let index = index_dtype(a.shape().iter().copied().chain([marked.count()?]));
            let found = marked.coordinates_of(of.shape(), 0, index)?;
            let coords = (0..of.ndim()).map(|k| found.index(s![.., k as i64])).collect::<Result<Vec<_>>>()?;
            let data = marked.elements_of(&of)?;
            match format.major() {
                None => {
                    let coo = Sparse::of_coords(a.shape(), coords, data, true);
                    coo.to_format(format)
                }
                Some(major) => {
                    let indptr = compress_pointers(&coords[0], of.shape()[0])?;
                    let order = OnceLock::from(EntryOrder::Canonical);
                    // A copy, as the coordinates along both axes are in one allocation.
                    let indices = coords[1].copy(Order::C)?;
                    let shape = [a.shape()[0], a.shape()[1]];
                    Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, order)))
                }
            }
        };
        go().map_err(|e: Error| e.with_op("sparse.from_dense"))
    }

    /// The elements of a dense vector that are not zero, as an array of coordinates; with another axis of length 1 where
    /// `axis` inserts one. The vector itself is the data where no element is zero. Synchronises to read the number.
    pub(super) fn of_vector(dense: Array, axis: Option<usize>) -> Result<Sparse> {
        let (marked, rows) = (mark(&dense)?, dense.size());
        let index = index_dtype([rows]);
        let (position, data) = if marked.count()? == rows {
            (counted(&dense, rows, index)?, contiguous(&dense)?)
        } else {
            (marked.coordinates_of(&[rows], 0, index)?.reshape([marked.count()?])?, marked.elements_of(&dense)?)
        };
        let (mut coords, mut shape) = (vec![position], vec![rows]);
        if let Some(axis) = axis {
            coords.insert(axis, make::zeros(dense.device(), &[marked.count()?], index)?);
            shape.insert(axis, 1);
        }
        Ok(Sparse::of_coords(&shape, coords, data, true))
    }

    /// Converts the array to another format; SciPy's `asformat`.
    ///
    /// The arrays are shared where the format is the same. Duplicates are added on the way from coordinates and
    /// to diagonals, as in SciPy; rows that come from columns, and columns from rows, are sorted. The size of
    /// blocks is estimated, as in SciPy: [`Sparse::to_blocks`] is passed one. The dtype and the shape stay.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 5], [6, 7]])?, Format::Csr)?;
    /// assert_eq!(a.to_format(Format::Csc)?.data().to_vec::<i32>()?, [6, 5, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a format of two axes and an array that has not two.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries of a conversion that adds duplicates or drops zeros of
    /// diagonals, and between compressed formats, unless the stream is captured, to read whether a row is too
    /// long to be sorted at once.
    pub fn to_format(&self, format: Format) -> Result<Sparse> {
        if self.format() == format {
            return Ok(self.clone());
        }
        let go = || {
            if self.ndim() != 2 && format != Format::Coo {
                return Err(two_axes(format, &self.shape));
            }
            if format == Format::Bsr {
                return self.to_estimated_blocks();
            }
            match (&self.storage, format.major()) {
                (Storage::Blocks(c), None) if format == Format::Coo => {
                    let coords = self.block_coordinates(c)?.to_vec();
                    Ok(Sparse::of_coords(&self.shape, coords, c.data.ravel()?, false))
                }
                (Storage::Blocks(c), _) => self.blocks_by_rows(c)?.to_format(format),
                (Storage::Dia { .. }, None) => self.dia_to_coo(),
                (Storage::Dia { .. }, Some(_)) => self.dia_to_coo()?.to_format(format),
                (Storage::Coo { .. }, Some(major)) => match self.grouped_coordinates(major)? {
                    Some(grouped) => Ok(grouped),
                    None => self.entries(major)?.into_compressed(major),
                },
                (Storage::Compressed(_), Some(major)) => self.recompressed(major),
                (Storage::Compressed(c), None) if format == Format::Coo => {
                    let canonical = c.major == 0 && c.order.get() == Some(&EntryOrder::Canonical);
                    Ok(Sparse::of_coords(&self.shape, self.stored_coordinates()?.to_vec(), self.data(), canonical))
                }
                _ => self.to_dia(),
            }
        };
        go().map_err(|e: Error| e.with_op("sparse.to_format"))
    }

    /// The compressed matrix of coordinates that are not known to be sorted, where rows are grouped before they are
    /// sorted.
    fn grouped_coordinates(&self, major: usize) -> Result<Option<Sparse>> {
        let shape = self.matrix_shape();
        let Storage::Coo { coords, data, canonical } = &self.storage else { return Ok(None) };
        let is_wide = index_dtype(shape.into_iter().chain([data.size()])) == DType::I64;
        let is_sorted = *canonical && major == 0;
        if is_wide || is_sorted || !groups_coordinates(data.device(), data.size(), shape[major]) {
            return Ok(None);
        }
        let [own, other] = [major, 1 - major].map(|axis| coords[axis].to_dtype(DType::I32));
        let Some(found) = group_coordinates(&own?, &other?, data, shape[major])? else { return Ok(None) };
        let Grouped { ends: indptr, columns: Some(indices), data, has_duplicates } = found else { return Ok(None) };
        let order = OnceLock::from(if has_duplicates { EntryOrder::Sorted } else { EntryOrder::Canonical });
        let grouped = Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, order));
        grouped.with_index(self.index_dtype())?.sum_duplicates().map(Some)
    }

    /// Sorts the entries of a compressed matrix by the other axis, or by its own; duplicates stay, in their order.
    pub(super) fn recompressed(&self, major: usize) -> Result<Sparse> {
        let shape = self.matrix_shape();
        let sides = if major == 0 { shape } else { [shape[1], shape[0]] };
        if let Storage::Compressed(c) = &self.storage
            && c.major != major
        {
            if let Some(Grouped { ends: indptr, columns: Some(indices), data, has_duplicates }) = self.grouped(true)? {
                let order = if has_duplicates { EntryOrder::Sorted } else { EntryOrder::Canonical };
                let order = OnceLock::from(order);
                return Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, order)));
            }
            // A stable sort by the other axis keeps the order along this one.
            let positions = counted(&c.indices, c.indices.size(), index_dtype([c.indices.size()]))?;
            let (rows, positions) = sort_pairs(&c.indices, &positions)?;
            let indices = gather_or_zero(&[(&positions, &expand_pointers(&c.indptr, c.data.size())?)])?;
            let data = gather_or_zero(&[(&positions, &c.data)])?;
            let indptr = compress_pointers(&rows, sides[0])?;
            let found = Compressed::new(major, indptr, indices, data, c.canonical_order());
            return Ok(Sparse::of_compressed(shape, found));
        }
        if let Storage::Compressed(c) = &self.storage
            && let Some((indices, data, has_duplicates)) = sort_within_rows(&c.indptr, &c.indices, &c.data)?
        {
            let order = OnceLock::from(if has_duplicates { EntryOrder::Sorted } else { EntryOrder::Canonical });
            return Ok(Sparse::of_compressed(shape, Compressed::new(major, c.indptr.clone(), indices, data, order)));
        }
        let (keys, data) = sorted(&self.stored_keys(major)?, &self.data())?;
        let index = self.index_dtype();
        let (indptr, indices, order) = match &self.storage {
            // The rows are those of before.
            Storage::Compressed(c) => (c.indptr.clone(), unpack_minor(&keys, sides, index)?, c.canonical_order()),
            _ => {
                let [rows, indices] = unpack(&keys, sides, index)?;
                (compress_pointers(&rows, sides[0])?, indices, Arc::default())
            }
        };
        Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, order)))
    }

    /// Coordinates of the elements of diagonals that are inside of the matrix and not zero, by rows. A row has an
    /// element of each diagonal, in the order of the offsets; where there are many more rows than columns, columns are
    /// read and sorted.
    fn dia_to_coo(&self) -> Result<Sparse> {
        let Storage::Dia { offsets, data } = &self.storage else { return Ok(self.clone()) };
        let ([m, n], length) = (self.matrix_shape(), data.shape()[1]);
        if m / 2 > length {
            return self.tall_dia_to_coo(offsets, data)?.sum_duplicates();
        }
        let each = offsets.to_dtype(DType::I64)?.to_vec::<i64>()?;
        let mut order: Vec<usize> = (0..each.len()).collect();
        order.sort_by_key(|&k| each[k]);
        let sorted: Vec<i64> = order.iter().map(|&k| each[k]).collect();
        let starts: Vec<i64> = order.iter().map(|&k| (k * length) as i64).collect();
        let of = |list: &[i64]| make::of(data.device(), list, &[list.len()]);
        let row = counted(data, m, DType::I64)?.expand_dims(1)?;
        let column = apply("add", [(&row).into(), (&of(&sorted)?).into()])?;
        let not_before = apply("greater_equal", [(&column).into(), 0.into()])?;
        let not_after = apply("less", [(&column).into(), (n.min(length) as i64).into()])?;
        let inside = apply("logical_and", [(&not_before).into(), (&not_after).into()])?;
        let position = where_(&inside, &apply("add", [(&column).into(), (&of(&starts)?).into()])?, -1)?;
        let elements = gather_or_zero(&[(&position.ravel()?, &data.ravel()?)])?.reshape(column.shape())?;
        let marked = mark(&elements)?;
        let index = index_dtype(self.shape.iter().copied().chain([marked.count()?]));
        let row = row.broadcast_to_shape(column.shape())?;
        let coords =
            [&row, &column].into_iter().map(|c| marked.elements_of(c)?.to_dtype(index)).collect::<Result<Vec<_>>>()?;
        let distinct = sorted.windows(2).all(|pair| pair[0] < pair[1]);
        Ok(Sparse::of_coords(&self.shape, coords, marked.elements_of(&elements)?, distinct))
    }

    /// The same in the order of the diagonals, each from its first column on.
    fn tall_dia_to_coo(&self, offsets: &Array, data: &Array) -> Result<Sparse> {
        let [m, n] = self.matrix_shape();
        let column = counted(data, data.shape()[1], DType::I64)?;
        let row = apply("subtract", [(&column).into(), (&offsets.to_dtype(DType::I64)?.expand_dims(1)?).into()])?;
        let not_above = apply("greater_equal", [(&row).into(), 0.into()])?;
        let not_below = apply("less", [(&row).into(), (m as i64).into()])?;
        let in_rows = apply("logical_and", [(&not_above).into(), (&not_below).into()])?;
        let in_columns = apply("less", [(&column).into(), (n as i64).into()])?;
        let inside = apply("logical_and", [(&in_rows).into(), (&in_columns).into()])?;
        let marked = mark(&apply("logical_and", [(&inside).into(), data.into()])?)?;
        let index = index_dtype(self.shape.iter().copied().chain([marked.count()?]));
        let column = column.broadcast_to_shape(row.shape())?;
        let coords =
            [&row, &column].into_iter().map(|c| marked.elements_of(c)?.to_dtype(index)).collect::<Result<Vec<_>>>()?;
        Ok(Sparse::of_coords(&self.shape, coords, marked.elements_of(data)?, false))
    }

    pub(super) fn count_diagonals(&self, offsets: &Array, length: usize) -> Result<usize> {
        let [m, n] = self.matrix_shape().map(|n| n as i64);
        let each = offsets.to_dtype(DType::I64)?.to_vec::<i64>()?;
        let end = |k: i64| (m + k).min(n).min(length as i64);
        Ok(each.iter().map(|&k| (end(k) - k.max(0)).max(0) as usize).sum())
    }

    fn to_dia(&self) -> Result<Sparse> {
        let entries = self.entries(0)?;
        let [row, column] = entries.coordinates()?;
        let offset = apply("subtract", [(&column).into(), (&row).into()])?;
        let found = unique(&offset, UniqueOptions { inverse: true, ..UniqueOptions::default() })?;
        let offsets = found.values.to_dtype(index_dtype(self.shape.iter().copied()))?;
        let length = if entries.keys.size() == 0 {
            0
        } else {
            super::number(&reduced("max", &column, &Reduce::all())?)? as usize + 1
        };
        let data = make::zeros(entries.data.device(), &[offsets.size(), length], entries.data.dtype())?;
        if let Some(inverse) = &found.inverse {
            let diagonal = inverse.to_dtype(column.dtype())?;
            scatter(&entries.data, [&diagonal, &column], [length as i64, 1], &data)?;
        }
        Ok(Sparse { shape: self.shape.clone(), storage: Storage::Dia { offsets, data } })
    }

    /// Returns the dense array of the same shape and dtype; duplicates are added. SciPy's `toarray`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::coo(&array([3.0, 4.0])?, &[&array([0, 0])?, &array([1, 1])?], &[1, 2])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [0.0, 7.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`].
    pub fn to_dense(&self, order: impl IntoArgument<Order>) -> Result<Array> {
        let go = |order: Order| {
            let order = if order == Order::F { Order::F } else { Order::C };
            crate::layout::checked_bytes(&self.shape, self.dtype().size())?;
            let entries = self.entries(0)?;
            let out = make::zeros(self.device(), &[size_of(&self.shape)], self.dtype())?;
            let [row, column] = entries.coordinates()?;
            let [m, n] = self.matrix_shape();
            // More than two axes in F order are copied once more.
            let by_columns = order == Order::F && self.ndim() == 2;
            let steps = if by_columns { [1, m as i64] } else { [n as i64, 1] };
            scatter(&entries.data, [&row, &column], steps, &out)?;
            if by_columns {
                return out.reshape([n, m]).map(|a| a.t());
            }
            let dense = out.reshape(&self.shape[..])?;
            if order == Order::F { dense.copy(Order::F) } else { Ok(dense) }
        };
        go(order.into()).map_err(|e: Error| e.with_op("sparse.to_dense"))
    }

    /// Adds entries of the same position, and sorts them; SciPy's `sum_duplicates`. Diagonals have none.
    ///
    /// The result is a new array, where SciPy's method changes its own. Sums are computed in the order in which
    /// the entries are stored.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([1, 2, 4])?, &array([1, 0, 1])?, &array([0, 3])?, [1, 2])?;
    /// assert_eq!(a.sum_duplicates()?.data().to_vec::<i32>()?, [2, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises unless the entries are known to be sorted and distinct.
    pub fn sum_duplicates(&self) -> Result<Sparse> {
        let go = || match &self.storage {
            Storage::Dia { .. } => Ok(self.clone()),
            Storage::Coo { canonical, .. } if *canonical => Ok(self.clone()),
            Storage::Coo { .. } => self.of_entries(self.entries(0)?),
            Storage::Compressed(c) if self.order_of(c)? == EntryOrder::Canonical => Ok(self.clone()),
            Storage::Compressed(c) => self.entries(c.major)?.into_compressed(c.major),
            Storage::Blocks(c) if self.order_of(c)? == EntryOrder::Canonical => Ok(self.clone()),
            Storage::Blocks(c) => self.blocks_by_rows(c)?.sum_duplicates()?.to_blocks(self.block_size()?),
        };
        go().map_err(|e: Error| e.with_op("sparse.sum_duplicates"))
    }

    /// An array of coordinates of this shape from entries by rows.
    pub(super) fn of_entries(&self, entries: Entries) -> Result<Sparse> {
        let (data, dtype) = (entries.data.clone(), result_index([entries.index], self.shape.iter().copied()));
        let [rows, last] = entries.coordinates()?;
        let coords = match self.ndim() {
            1 => vec![last.to_dtype(dtype)?],
            2 => vec![rows.to_dtype(dtype)?, last.to_dtype(dtype)?],
            n => {
                let mut coords = unflat(&rows.to_dtype(DType::I64)?, &self.shape[..n - 1], dtype)?;
                coords.push(last.to_dtype(dtype)?);
                coords
            }
        };
        Ok(Sparse::of_coords(&self.shape, coords, data, true))
    }

    /// Sorts the entries of each row, or of each column; duplicates stay. Coordinates and diagonals stay as they are.
    /// SciPy's `sorted_indices`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([1, 2])?, &array([1, 0])?, &array([0, 2])?, [1, 2])?;
    /// assert_eq!(a.sort_indices()?.indices()?.to_vec::<i32>()?, [0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// That of [`Sparse::has_sorted_indices`].
    pub fn sort_indices(&self) -> Result<Sparse> {
        match &self.storage {
            Storage::Compressed(c) if self.order_of(c)? == EntryOrder::Unsorted => self.recompressed(c.major),
            Storage::Blocks(c) if self.order_of(c)? == EntryOrder::Unsorted => self.blocks_sorted(c),
            _ => Ok(self.clone()),
        }
    }

    /// Drops entries whose value is zero; SciPy's `eliminate_zeros`. Blocks are dropped whole, and
    /// diagonals stay as they are.
    ///
    /// The result is a new array, where SciPy's method changes its own. Duplicates stay, also where their sum
    /// is zero.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([0, 2])?, &array([0, 1])?, &array([0, 2])?, [1, 2])?;
    /// assert_eq!((a.nnz()?, a.eliminate_zeros()?.nnz()?), (2, 1));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read their number.
    pub fn eliminate_zeros(&self) -> Result<Sparse> {
        let go = || {
            if let Storage::Dia { .. } = self.storage {
                return Ok(self.clone());
            }
            if let Storage::Blocks(c) = &self.storage {
                return self.blocks_filtered(c, &c.data);
            }
            self.filtered(self.values())
        };
        go().map_err(|e: Error| e.with_op("sparse.eliminate_zeros"))
    }

    /// The entries where a mask, an element for each, is true, or not zero.
    pub(super) fn filtered(&self, mask: &Array) -> Result<Sparse> {
        let marked = mark(mask)?;
        if marked.count()? == mask.size() {
            return Ok(self.clone());
        }
        match &self.storage {
            Storage::Coo { coords, data, canonical } => {
                let coords = coords.iter().map(|c| marked.elements_of(c)).collect::<Result<_>>()?;
                Ok(Sparse::of_coords(&self.shape, coords, marked.elements_of(data)?, *canonical))
            }
            Storage::Compressed(c) => {
                let rows = expand_pointers(&c.indptr, c.data.size())?;
                let indptr = compress_pointers(&marked.elements_of(&rows)?, c.indptr.size() - 1)?;
                let (indices, data) = (marked.elements_of(&c.indices)?, marked.elements_of(&c.data)?);
                let order = c.order.get().map_or_else(OnceLock::new, |&order| OnceLock::from(order));
                let new = Compressed::new(c.major, indptr, indices, data, order);
                Ok(Sparse { shape: self.shape.clone(), storage: Storage::Compressed(new) })
            }
            Storage::Blocks(c) => self.blocks_filtered(c, mask),
            Storage::Dia { .. } => self.to_format(Format::Coo)?.filtered(mask),
        }
    }

    /// Casts the values to another dtype; the indices are shared.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0.0, 2.5]])?, Format::Csr)?;
    /// assert_eq!(a.astype(DType::I32)?.data().to_vec::<i32>()?, [2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn astype(&self, dtype: DType) -> Result<Sparse> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        self.with_data(&self.values().to_dtype(dtype)?).map_err(|e| e.with_op("sparse.astype"))
    }

    /// Permutes the axes, by default reversing them. Compressed rows become compressed columns and the reverse: no
    /// entry moves.
    ///
    /// SciPy's `transpose` and `T`. The arrays of the entries are shared, except those of diagonals.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Csr)?;
    /// assert_eq!(a.transpose(None)?.to_dense(())?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for axes that are not each axis once.
    pub fn transpose(&self, axes: Option<&[usize]>) -> Result<Sparse> {
        let go = || {
            let order: Vec<usize> = axes.map_or_else(|| (0..self.ndim()).rev().collect(), <[usize]>::to_vec);
            let mut seen = order.clone();
            seen.sort_unstable();
            if !seen.iter().copied().eq(0..self.ndim()) {
                let message = format!("axes {order:?} are not each of the {} axes once", self.ndim());
                return Err(Error::new(ErrorKind::Value, message));
            }
            if order.is_sorted() {
                return Ok(self.clone());
            }
            let shape: Vec<usize> = order.iter().map(|&k| self.shape[k]).collect();
            let storage = match &self.storage {
                Storage::Coo { coords, data, .. } => Storage::Coo {
                    coords: order.iter().map(|&k| coords[k].clone()).collect(),
                    data: data.clone(),
                    canonical: false,
                },
                Storage::Compressed(c) => Storage::Compressed(Compressed { major: 1 - c.major, ..c.clone() }),
                Storage::Blocks(c) => return self.blocks_transposed(c),
                Storage::Dia { offsets, data } => return self.dia_transposed(offsets, data),
            };
            Ok(Sparse { shape, storage })
        };
        go().map_err(|e: Error| e.with_op("sparse.transpose"))
    }

    /// The elements of a transposed diagonal are counted by their old row.
    fn dia_transposed(&self, offsets: &Array, data: &Array) -> Result<Sparse> {
        let [m, n] = self.matrix_shape();
        let new = apply("negative", [offsets.into()])?;
        let column = apply("add", [(&counted(data, m, DType::I64)?).into(), (&offsets.expand_dims(1)?).into()])?;
        let line = apply(
            "multiply",
            [(&counted(data, offsets.size(), DType::I64)?.expand_dims(1)?).into(), (data.shape()[1] as i64).into()],
        )?;
        let length = (data.shape()[1].min(n)) as i64;
        let not_before = apply("greater_equal", [(&column).into(), 0.into()])?;
        let inside =
            apply("logical_and", [(&not_before).into(), (&apply("less", [(&column).into(), length.into()])?).into()])?;
        let position = apply("add", [(&line).into(), (&column).into()])?;
        let position = where_(&inside, &position, -1)?;
        let values = gather_or_zero(&[(&position.ravel()?, &data.ravel()?)])?;
        let data = values.reshape([offsets.size(), m])?;
        Ok(Sparse { shape: vec![n, m], storage: Storage::Dia { offsets: new, data } })
    }

    /// Returns the entries in another shape of as many elements, in C or in F order; the result is an array of
    /// coordinates.
    ///
    /// SciPy's `reshape`, without lengths of -1.
    ///
    /// ```
    /// use cuprum::{Order, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Csr)?;
    /// assert_eq!(a.reshape(&[1, 4], Order::C)?.to_dense(())?.to_vec::<i32>()?, [1, 2, 3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a shape of another number of elements.
    pub fn reshape(&self, shape: &[usize], order: Order) -> Result<Sparse> {
        let go = || {
            let total = |shape: &[usize]| shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
            if shape.is_empty() || total(shape) != total(&self.shape) {
                let (own, new) = (crate::layout::shape_text(&self.shape), crate::layout::shape_text(shape));
                let message = format!("cannot reshape a sparse array of shape {own} into shape {new}");
                return Err(Error::new(ErrorKind::Value, message));
            }
            if shape == self.shape {
                return Ok(self.clone());
            }
            let coo = self.to_format(Format::Coo)?;
            let Storage::Coo { coords, data, canonical } = &coo.storage else { return Ok(coo) };
            let dtype = result_index([self.operand_index()], shape.iter().copied().chain([data.size()]));
            let coords = if order == Order::F {
                let reversed = |of: &[usize]| of.iter().rev().copied().collect::<Vec<_>>();
                let backwards: Vec<Array> = coords.iter().rev().cloned().collect();
                let mut new = unflat(&flat(&backwards, &reversed(&self.shape))?, &reversed(shape), dtype)?;
                new.reverse();
                new
            } else {
                unflat(&flat(coords, &self.shape)?, shape, dtype)?
            };
            Ok(Sparse::of_coords(shape, coords, data.clone(), *canonical && order != Order::F))
        };
        go().map_err(|e: Error| e.with_op("sparse.reshape"))
    }

    /// Returns the elements of a diagonal as a dense vector, `k` above the main one; SciPy's `diagonal`.
    ///
    /// The result has the dtype of the array, and as many elements as the diagonal; elements that are not
    /// stored are zero.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Csr)?;
    /// assert_eq!(a.diagonal(0)?.to_vec::<i32>()?, [1, 4]);
    /// assert_eq!(a.diagonal(1)?.to_vec::<i32>()?, [2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array that has not two axes.
    pub fn diagonal(&self, k: isize) -> Result<Array> {
        let go = || {
            let [row, column] = self.diagonal_positions(k)?;
            self.values_at(&row, &column)
        };
        go().map_err(|e: Error| e.with_op("sparse.diagonal"))
    }

    fn diagonal_positions(&self, k: isize) -> Result<[Array; 2]> {
        let &[m, n] = self.shape() else { return Err(two_axes(self.format(), &self.shape)) };
        let (first_row, first_column) = ((-k).max(0) as usize, k.max(0) as usize);
        let length = m.saturating_sub(first_row).min(n.saturating_sub(first_column));
        let from = |first: usize| progression(self.values(), first as i64, 1, length, self.index_dtype());
        Ok([from(first_row)?, from(first_column)?])
    }

    /// Replaces the elements on a diagonal: one value for all of them, or a value for each up to the shorter length.
    /// The result is a new array; SciPy's `setdiag` changes its own.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Csr)?;
    /// assert_eq!(a.setdiag(&cuprum::array([9, 9])?, 0)?.to_dense(())?.to_vec::<i32>()?, [9, 2, 3, 9]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array that has not two axes, a diagonal outside of it, or values of more than one
    /// axis.
    pub fn setdiag(&self, values: &Array, k: isize) -> Result<Sparse> {
        let go = || {
            let [row, column] = self.diagonal_positions(k)?;
            if row.size() == 0 {
                let shape = crate::layout::shape_text(&self.shape);
                return Err(Error::new(ErrorKind::Value, format!("the diagonal {k} is outside of the shape {shape}")));
            }
            if values.ndim() > 1 {
                let shape = crate::layout::shape_text(values.shape());
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("values of shape {shape} for a diagonal: one axis at most"),
                ));
            }
            let values = values.to_dtype(self.dtype())?;
            let count = if values.ndim() == 0 { row.size() } else { values.size().min(row.size()) };
            let values = if values.ndim() == 0 {
                values.broadcast_to_shape(&[count])?
            } else {
                values.index(s![..count as i64])?
            };
            let (row, column) = (row.index(s![..count as i64])?, column.index(s![..count as i64])?);
            let new = self.set_points(&[&row, &column], &values)?;
            if self.format() == Format::Dia { new.to_format(Format::Dia) } else { Ok(new) }
        };
        go().map_err(|e: Error| e.with_op("sparse.setdiag"))
    }
}
