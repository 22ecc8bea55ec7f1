//! Elementwise operations on two sparse arrays, and on one and a dense one at the stored positions.
//!
//! Two patterns are merged on the device in the order of their keys. The result stores the union of the patterns, or
//! their intersection where the operation is zero for a missing operand, as in a product.
//!
//! Rows of few entries are merged by a thread each, in one pass over both matrices. Others are merged by
//! search, in two passes: one finds the position of each entry in the result, and one writes.
//!
//! Lower bound: the entries of both operands are read once and those of the result are written once.

use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::entries::{Entries, checked_size, counted, keys_of, progression};
use super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage, index_dtype, result_index};
use crate::array::{Array, Index};
use crate::dtype::promote_types;
use crate::engine;
use crate::engine::compressed::{find_entries, gather_or_zero, longest_row, merge};
use crate::engine::patterns::{Pattern, merge_patterns};
use crate::engine::sparse_merge::{ANY_ROWS, FEW_ENTRIES, MANY_ENTRIES, merge_rows};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::indexing::take;
use crate::routines::logic;
use crate::routines::manipulation::{repeat, tile};
use crate::routines::searching::where_;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Operations that are zero wherever one operand is: of these the patterns are intersected.
const INTERSECTIONS: [&str; 3] = ["multiply", "logical_and", "bitwise_and"];

/// Operations and dtypes of which few entries, too, are merged, combined and rid of zeros in one launch: as each has a
/// kernel of its own, those of numerical work.
const FUSED: [&str; 3] = ["add", "subtract", "multiply"];
const FUSED_DTYPES: [DType; 5] = [DType::I64, DType::F32, DType::F64, DType::C64, DType::C128];

/// Operations that are true where both operands are zero, and those that are true elsewhere.
const COMPLEMENTS: [(&str, &str); 3] = [("equal", "not_equal"), ("less_equal", "greater"), ("greater_equal", "less")];

impl Compressed {
    /// Returns the number of entries of the longest row, if a thread merges as many. It synchronises, unless it is
    /// remembered.
    fn few_in_rows(&self) -> Result<Option<usize>> {
        let device = self.indptr.device();
        let longest = self.memo.remembered(device, |pattern| &pattern.longest, || longest_row(&self.indptr))?;
        Ok(usize::try_from(longest).ok().filter(|&longest| longest <= FEW_ENTRIES))
    }

    /// Returns the numbers of entries of the longest rows of two matrices whose rows a thread each merges.
    fn lengths_with(&self, other: &Compressed, ufunc: &str) -> Result<Option<[usize; 2]>> {
        let sizes = [self.data.size(), other.data.size()];
        let all = sizes[0] + sizes[1];
        if all < MANY_ENTRIES && !(FUSED.contains(&ufunc) && FUSED_DTYPES.contains(&self.data.dtype())) {
            return Ok(None);
        }
        if all <= ANY_ROWS {
            return Ok(Some(sizes));
        }
        let (Some(own), Some(its)) = (self.few_in_rows()?, other.few_in_rows()?) else { return Ok(None) };
        Ok(Some([own, its]))
    }

    pub(super) fn pattern(&self) -> Pattern<'_> {
        Pattern { ends: &self.indptr, indices: &self.indices, values: &self.data }
    }
}

impl Sparse {
    /// The ufunc of two operands at every position of two arrays of one shape. The patterns are united, or for
    /// `multiply` intersected; results that are zero are dropped, as in SciPy. A product of zero with an infinite or
    /// NaN element is NaN, and stored. The result is compressed by columns where both operands are, an array of
    /// coordinates where they have other than two axes, and else compressed by rows.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0], [0, 2]])?, Format::Csr)?;
    /// let b = Sparse::from_dense(&array([[0, 5], [0, -2]])?, Format::Csr)?;
    /// let sum = a.binary("add", &b)?;
    /// assert_eq!((sum.nnz()?, sum.to_dense(())?.to_vec::<i32>()?), (2, vec![1, 5, 0, 0]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for unequal shapes and for an operation of two zeros that is neither zero nor a comparison,
    /// such as `divide`; [`ErrorKind::Type`] where the ufunc has no loop for the dtypes.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries.
    pub fn binary(&self, ufunc: &str, other: &Sparse) -> Result<Sparse> {
        self.merged(ufunc, other).map_err(|e| e.with_op(&format!("sparse.{ufunc}")))
    }

    fn merged(&self, ufunc: &str, other: &Sparse) -> Result<Sparse> {
        if self.shape != other.shape {
            let (a, b) = (shape_text(&self.shape), shape_text(&other.shape));
            return Err(Error::new(ErrorKind::Value, format!("inconsistent shapes {a} and {b}")));
        }
        let device = engine::one_device(self.values(), [other.values()])?;
        if let Some((_, elsewhere)) = COMPLEMENTS.iter().find(|(name, _)| *name == ufunc) {
            let unlike = self.merged(elsewhere, other)?;
            // A complement of few entries has nearly all elements; NaN is unequal to everything, and in no relation.
            let all = apply("logical_not", [(&unlike.to_dense(())?).into()])?;
            let all = if *elsewhere == "not_equal" { all } else { self.without_nan(other, all)? };
            let index = unlike.index_dtype();
            return Sparse::from_dense(&all, unlike.format())?.with_index(index);
        }
        let sparse = match ufunc {
            "add" | "subtract" | "multiply" | "maximum" | "minimum" | "fmax" | "fmin" | "not_equal" | "less"
            | "greater" | "logical_or" | "logical_xor" | "logical_and" | "bitwise_or" | "bitwise_xor"
            | "bitwise_and" | "arctan2" => true,
            _ => {
                let zero = |dtype: DType| engine::make::zeros(device, &[1], dtype);
                let of_zeros = apply(ufunc, [(&zero(self.dtype())?).into(), (&zero(other.dtype())?).into()])?;
                !of_zeros.astype(DType::Bool)?.item::<bool>()?
            }
        };
        if !sparse {
            let message = "the result at positions where both operands are zero is not zero: it is a dense array; convert \
                           the operands by to_dense";
            return Err(Error::new(ErrorKind::Value, message));
        }
        if let Some(same) = self.of_same_pattern(ufunc, other)? {
            return Ok(same);
        }
        // Duplicates are added in the dtype of the result, as in SciPy.
        if self.dtype() != other.dtype() && !(self.is_distinct() && other.is_distinct()) {
            let dtype = promote_types(self.dtype(), other.dtype());
            let both = (self.astype(dtype)?.sum_duplicates()?, other.astype(dtype)?.sum_duplicates()?);
            return both.0.merged(ufunc, &both.1);
        }
        if self.ndim() == 2 {
            return self.merged_rows(ufunc, other);
        }
        let size = checked_size(&self.shape)?;
        let row = |a: &Sparse| a.reshape(&[1, size], Order::C);
        row(self)?.merged_rows(ufunc, &row(other)?)?.reshape(&self.shape, Order::C)
    }

    /// The result for two matrices: compressed by columns where both are, and else by rows.
    fn merged_rows(&self, ufunc: &str, other: &Sparse) -> Result<Sparse> {
        let by_columns = self.format() == Format::Csc && other.format() == Format::Csc;
        let format = if by_columns { Format::Csc } else { Format::Csr };
        let rows = |a: &Sparse| a.to_format(format)?.sum_duplicates();
        let (a, b) = (rows(self)?, rows(other)?);
        let sizes = self.shape.iter().copied().chain([a.nnz()? + b.nnz()?]);
        let index = result_index([self.operand_index(), other.operand_index()], sizes);
        let (mut a, mut b) = (a.with_index(index)?, b.with_index(index)?);
        if a.values().itemsize() != b.values().itemsize() {
            let dtype = promote_types(a.dtype(), b.dtype());
            (a, b) = (a.astype(dtype)?, b.astype(dtype)?);
        }
        let (x, y) = (a.as_compressed("indptr")?, b.as_compressed("indptr")?);
        let order = OnceLock::from(EntryOrder::Canonical);
        let shape = [self.shape[0], self.shape[1]];
        if a.dtype() == b.dtype()
            && let Some(longest) = x.lengths_with(y, ufunc)?
            && let Some(merged) = merge_rows(ufunc, x.pattern(), y.pattern(), longest)?
        {
            let compressed = Compressed::new(x.major, merged.ends, merged.indices, merged.values, order);
            return Ok(Sparse::of_compressed(shape, compressed));
        }
        let merge_as = |intersection| merge_patterns(x.pattern(), y.pattern(), intersection);
        let mut merged = merge_as(INTERSECTIONS.contains(&ufunc))?;
        if ufunc == "multiply" {
            // Zero times an infinite or NaN element that the other matrix does not store is NaN.
            for c in [x, y].into_iter().filter(|c| merged.indices.size() < c.data.size()) {
                let inexact = c.data.dtype().is_float() || c.data.dtype().is_complex();
                if inexact && !logic::all(&apply("isfinite", [(&c.data).into()])?, ())?.item::<bool>()? {
                    merged = merge_as(false)?;
                    break;
                }
            }
        }
        let data = apply(ufunc, merged.values.each_ref().map(|values| values.into()))?;
        let compressed = Compressed::new(x.major, merged.ends, merged.indices, data, order);
        Sparse::of_compressed(shape, compressed).eliminate_zeros()
    }

    /// Tests for entries that are known to be at distinct positions.
    fn is_distinct(&self) -> bool {
        match &self.storage {
            Storage::Coo { canonical, .. } => *canonical,
            Storage::Compressed(c) | Storage::Blocks(c) => c.order.get() == Some(&EntryOrder::Canonical),
            Storage::Dia { .. } => true,
        }
    }

    /// The result for two compressed matrices that share their index arrays, as a matrix and its image under a ufunc
    /// do.
    fn of_same_pattern(&self, ufunc: &str, other: &Sparse) -> Result<Option<Sparse>> {
        let (Storage::Compressed(a), Storage::Compressed(b)) = (&self.storage, &other.storage) else { return Ok(None) };
        let shared = a.major == b.major && a.indptr.is_same_view(&b.indptr) && a.indices.is_same_view(&b.indices);
        if !shared || self.order_of(a)? != EntryOrder::Canonical {
            return Ok(None);
        }
        self.with_data(&apply(ufunc, [(&a.data).into(), (&b.data).into()])?)?.eliminate_zeros().map(Some)
    }

    /// A mask without the positions where an operand is NaN.
    fn without_nan(&self, other: &Sparse, mask: Array) -> Result<Array> {
        let mut mask = mask;
        for a in [self, other] {
            if a.dtype().is_float() || a.dtype().is_complex() {
                let number = apply("logical_not", [(&apply("isnan", [(&a.to_dense(())?).into()])?).into()])?;
                mask = apply("logical_and", [(&mask).into(), (&number).into()])?;
            }
        }
        Ok(mask)
    }

    /// The elements raised to a power that is not zero; SciPy's `power`. Duplicates are added first, in the dtype of
    /// the array; the pattern stays, also where a power is zero. The dtype is that of NumPy's `power` of the array and
    /// a Python scalar.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[2.0, 0.0], [0.0, -3.0]])?, Format::Csr)?;
    /// assert_eq!(a.power(2)?.to_dense(())?.to_vec::<f64>()?, [4.0, 0.0, 0.0, 9.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] for the exponent zero, of which every element is 1; [`ErrorKind::Value`] for
    /// integers to a negative integer power.
    ///
    /// # Synchronization
    ///
    /// Synchronises unless the entries are known to be distinct.
    pub fn power(&self, n: impl Into<Scalar>) -> Result<Sparse> {
        let go = |n: Scalar| {
            if [Scalar::from(0), Scalar::from(0.0)].contains(&n) {
                let message = "every element to the power of zero is 1: use a dense array of ones";
                return Err(Error::new(ErrorKind::NotImplemented, message));
            }
            let distinct = if self.format() == Format::Dia { self.clone() } else { self.sum_duplicates()? };
            distinct.with_data(&apply("power", [(&distinct.data()).into(), n.into()])?)
        };
        go(n.into()).map_err(|e: Error| e.with_op("sparse.power"))
    }

    /// Gathers the elements of a dense array, broadcast to this one's shape, at the positions of the entries, in their
    /// order.
    ///
    /// The result has one axis with an element for each entry, and the dtype of the dense array.
    /// `a.multiply(dense)` of SciPy is this times the values, in the same pattern.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[0, 5], [6, 0]])?, Format::Csr)?;
    /// assert_eq!(a.gather_dense(&array([[1, 2], [3, 4]])?)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a shape that does not broadcast.
    pub fn gather_dense(&self, dense: &Array) -> Result<Array> {
        let go = || {
            let dense = dense.broadcast_to_shape(&self.shape)?;
            let index: Vec<Index> = self.coordinates()?.iter().map(Index::from).collect();
            dense.index(&index[..])
        };
        go().map_err(|e: Error| e.with_op("sparse.gather_dense"))
    }

    /// The coordinates of the stored entries along each axis, in their order.
    fn coordinates(&self) -> Result<Vec<Array>> {
        match &self.storage {
            Storage::Coo { coords, .. } => Ok(coords.clone()),
            _ => Ok(self.stored_coordinates()?.to_vec()),
        }
    }

    /// Broadcasts the array to a shape: axes of one element are repeated, and axes in front are added to arrays of
    /// coordinates.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let row = Sparse::from_dense(&cuprum::array([[0, 5]])?, Format::Csr)?;
    /// assert_eq!(row.broadcast_to(&[2, 2])?.to_dense(())?.to_vec::<i32>()?, [0, 5, 0, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a shape that it does not broadcast to.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Sparse> {
        if shape == self.shape {
            return Ok(self.clone());
        }
        let go = || {
            let (own, new) = (shape_text(&self.shape), shape_text(shape));
            let front = shape.len().checked_sub(self.ndim());
            let fits = front.is_some_and(|f| self.shape.iter().zip(&shape[f..]).all(|(&a, &b)| a == b || a == 1));
            let Some(front) = front.filter(|_| fits) else {
                return Err(Error::new(ErrorKind::Value, format!("shape {own} does not broadcast to {new}")));
            };
            match self.format() {
                Format::Dia => return self.to_format(Format::Coo)?.broadcast_to(shape),
                Format::Bsr => return self.to_format(Format::Csr)?.broadcast_to(shape),
                _ => {}
            }
            let (mut coords, mut data) = (self.coordinates()?, self.data());
            let index = result_index([self.operand_index()], shape.iter().copied());
            for _ in 0..front {
                coords.insert(0, engine::make::zeros(data.device(), &[data.size()], index)?);
            }
            let full: Vec<usize> = std::iter::repeat_n(1, front).chain(self.shape.iter().copied()).collect();
            for axis in (0..shape.len()).filter(|&axis| full[axis] != shape[axis]) {
                // Entry by entry all copies along the axis.
                let (n, many) = (data.size(), shape[axis]);
                for (k, c) in coords.iter_mut().enumerate() {
                    *c = if k == axis { tile(counted(&data, many, index)?, n)? } else { repeat(&*c, many as i64, ())? };
                }
                data = repeat(&data, many as i64, ())?;
            }
            let coo = Sparse::of_coords(shape, coords, data, false);
            if self.format() == Format::Coo { Ok(coo) } else { coo.to_format(self.format()) }
        };
        go().map_err(|e: Error| e.with_op("sparse.broadcast_to"))
    }

    /// Returns the values at positions, given by an array of indices for each axis, of one shape; zero where there is
    /// no entry.
    ///
    /// The result has the shape of the arrays of indices and the dtype of the values; SciPy's `a[i, j]` with
    /// arrays. A position is found by a binary search of its row.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[0, 5], [6, 0]])?, Format::Csr)?;
    /// let values = a.points(&[&array([0, 1, -1])?, &array([1, 1, 0])?])?;
    /// assert_eq!(values.to_vec::<i32>()?, [5, 0, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a number of arrays that is not the number of axes. Indices are negative or not below
    /// the size of their axis: the next call that synchronises returns [`ErrorKind::Index`]; negative ones count from
    /// the end.
    ///
    /// # Synchronization
    ///
    /// Synchronises unless the entries are known to be sorted and distinct.
    pub fn points(&self, coords: &[&Array]) -> Result<Array> {
        let go = || {
            let (rows, last, shape) = self.positions_at(coords)?;
            self.values_at(&rows, &last)?.reshape(&shape[..])
        };
        go().map_err(|e: Error| e.with_op("sparse.points"))
    }

    /// The values at rows and columns of the matrix, which are in bounds.
    pub(super) fn values_at(&self, rows: &Array, last: &Array) -> Result<Array> {
        if let Storage::Compressed(c) = &self.storage
            && self.order_of(c)? == EntryOrder::Canonical
        {
            let (major, minor) = if c.major == 0 { (rows, last) } else { (last, rows) };
            let index = c.indptr.dtype();
            let found = find_entries(&c.indptr, &c.indices, &major.to_dtype(index)?, &minor.to_dtype(index)?)?;
            return gather_or_zero(&[(&found, &c.data)]);
        }
        let (keys, entries) = (keys_of(rows, last, self.matrix_shape())?, self.entries(0)?);
        if entries.keys.size() == 0 {
            return engine::make::zeros(self.device(), &[keys.size()], self.dtype());
        }
        let found = engine::make::empty(self.device(), &[keys.size()], DType::I64)?;
        engine::search_rising(&entries.keys, &keys, keys.dtype(), false, &found)?;
        let last = apply("minimum", [(&found).into(), (entries.keys.size() as i64 - 1).into()])?;
        let hit = apply("equal", [(&take(&entries.keys, &last, 0)?).into(), (&keys).into()])?;
        gather_or_zero(&[(&where_(&hit, &last, -1)?, &entries.data)])
    }

    /// Rows and columns of positions in the matrix, checked and counted from the start, and the shape of their arrays.
    fn positions_at(&self, coords: &[&Array]) -> Result<(Array, Array, Vec<usize>)> {
        if coords.len() != self.ndim() {
            let (given, axes) = (coords.len(), self.ndim());
            return Err(Error::new(ErrorKind::Index, format!("{given} arrays of indices for {axes} axes")));
        }
        let shape = coords[0].shape().to_vec();
        let mut from_start = Vec::with_capacity(coords.len());
        for (axis, c) in coords.iter().enumerate() {
            if c.shape() != shape {
                let (first, this) = (shape_text(&shape), shape_text(c.shape()));
                return Err(Error::new(ErrorKind::Index, format!("arrays of indices of shapes {first} and {this}")));
            }
            from_start.push(super::select::from_start(&c.ravel()?, axis, self.shape[axis])?);
        }
        let [rows, last] = match from_start.as_slice() {
            [column] => [engine::make::zeros(column.device(), &[column.size()], column.dtype())?, column.clone()],
            [row, column] => [row.clone(), column.clone()],
            [rows @ .., last] => [super::entries::flat(rows, &self.shape[..rows.len()])?, last.clone()],
            [] => return Err(Error::new(ErrorKind::Index, "no indices")),
        };
        Ok((rows, last, shape))
    }

    /// Returns the array with other values at positions, given as for [`Sparse::points`]: a value for each. The last
    /// of equal positions counts. The format stays; of blocks and diagonals it becomes compressed
    /// rows.
    ///
    /// SciPy's `a[i, j] = values`, which changes the array; here the result is a new one.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[0, 5], [6, 0]])?, Format::Csr)?;
    /// let b = a.set_points(&[&array([0, 1])?, &array([0, 0])?], &array([8, 9])?)?;
    /// assert_eq!(b.to_dense(())?.to_vec::<i32>()?, [8, 5, 9, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Sparse::points`]; [`ErrorKind::Value`] for another number of values.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries.
    pub fn set_points(&self, coords: &[&Array], values: &Array) -> Result<Sparse> {
        let go = || {
            let (rows, last, shape) = self.positions_at(coords)?;
            let keys = keys_of(&rows, &last, self.matrix_shape())?;
            if values.size() != keys.size() {
                let (given, wanted) = (shape_text(values.shape()), shape_text(&shape));
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("values of shape {given} for indices of shape {wanted}"),
                ));
            }
            let values = values.ravel()?.to_dtype(self.dtype())?;
            let entries = self.entries(0)?;
            let index = index_dtype([keys.size() + entries.keys.size()]);
            // Sorted backwards, the last of equal positions is the first of its run.
            let order = progression(&keys, keys.size() as i64 - 1, -1, keys.size(), index)?;
            let (keys, order) = engine::sort::sort_pairs(&take(&keys, &order, 0)?, &order)?;
            let firsts = engine::mark(&engine::compressed::first_keys(&keys)?)?;
            let (keys, order) = (firsts.elements_of(&keys)?, firsts.elements_of(&order)?);
            let values = gather_or_zero(&[(&order, &values)])?;
            let merged = merge(&keys, &entries.keys, index)?;
            let [new, old] = &merged.positions;
            let data = gather_or_zero(&[(new, &values), (old, &entries.data)])?;
            let entries = Entries { keys: merged.keys, data, ..entries };
            match self.format() {
                Format::Coo => self.of_entries(entries),
                Format::Csc => entries.into_compressed(0)?.to_format(Format::Csc),
                _ => entries.into_compressed(0),
            }
        };
        go().map_err(|e: Error| e.with_op("sparse.set_points"))
    }
}
