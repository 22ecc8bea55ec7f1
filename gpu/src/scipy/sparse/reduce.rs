//! Reductions of sparse arrays; elements that are not stored count as zeros.
//!
//! A reduction along the compressed axis is a segmented reduction of the values, in a fixed order. One
//! along the other axis groups the entries first; the second such reduction of a pattern remembers the
//! groups.
//!
//! Lower bound: the values and the pointers are read once.

use std::sync::atomic::Ordering::Relaxed;

use cuprum_kernels::DType;

use super::entries::{checked_size, counted, sorted};
use super::{CastTo, Compressed, Crossed, EntryOrder, Format, Sparse, Storage};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::compressed::{SegmentReduction, compress_pointers, expand_pointers, gather_or_zero};
use crate::engine::entry_groups::Grouped;
use crate::engine::make;
use crate::engine::sparse_product::Semiring;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::routines::indexing::take;
use crate::routines::searching::where_;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Names of the reductions, and the ufunc that combines two elements.
const REDUCTIONS: [(&str, &str); 9] = [
    ("sum", "add"),
    ("any", "logical_or"),
    ("count_nonzero", "add"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("nanmax", "fmax"),
    ("nanmin", "fmin"),
    ("argmax", "maximum"),
    ("argmin", "minimum"),
];

/// NumPy's dtype of the sum of elements.
fn sum_dtype(element: DType) -> DType {
    match element {
        DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
        DType::U8 | DType::U16 | DType::U32 => DType::U64,
        other => other,
    }
}

/// Entries by rows, or by columns.
struct Rows {
    /// Sizes of the axis of the rows and of the other one.
    shape: [usize; 2],
    /// Beginning of each row, and the end of the last.
    ends: Array,
    /// The coordinate of each entry along the other axis; sorted and distinct where they are needed so.
    minor: Array,
    /// Value of each entry.
    data: Array,
    /// The position of the value of each entry, if values are not in the order of the entries.
    order: Option<Array>,
}

impl Rows {
    /// Rows of a matrix, or columns where `major` is 1; `distinct` where entries of one position must be one.
    fn of(matrix: &Sparse, major: usize, distinct: bool) -> Result<Rows> {
        let [m, n] = matrix.matrix_shape();
        let shape = if major == 0 { [m, n] } else { [n, m] };
        if let Storage::Compressed(c) = &matrix.storage {
            let (ends, minor, data) = (c.indptr.clone(), c.indices.clone(), c.data.clone());
            if c.major == major && (!distinct || matrix.order_of(c)? == EntryOrder::Canonical) {
                return Ok(Rows { shape, ends, minor, data, order: None });
            }
        }
        if let Storage::Compressed(c) = &matrix.storage
            && c.major != major
            && (!distinct || c.order.get() == Some(&EntryOrder::Canonical))
            && let Some(crossed) = matrix.crossed_again(c)?
        {
            let (ends, minor, data) = (crossed.indptr, crossed.indices, c.data.clone());
            return Ok(Rows { shape, ends, minor, data, order: Some(crossed.positions) });
        }
        if let Storage::Compressed(c) = &matrix.storage
            && c.major != major
            && let Some(Grouped { ends, columns, data, has_duplicates }) = matrix.grouped(distinct)?
            && !(distinct && has_duplicates)
        {
            return Ok(Rows { shape, ends, minor: columns.unwrap_or_else(|| c.indices.clone()), data, order: None });
        }
        let is_sorted = matches!(&matrix.storage, Storage::Coo { canonical: true, .. } if major == 0);
        if !distinct && !is_sorted {
            let own = match &matrix.storage {
                // The other axis: its coordinates are stored.
                Storage::Compressed(c) => c.indices.clone(),
                _ => matrix.stored_coordinates()?[major].clone(),
            };
            let (minor, data) = sorted(&own, &matrix.data())?;
            return Ok(Rows { shape, ends: compress_pointers(&minor, shape[0])?, minor, data, order: None });
        }
        let entries = matrix.entries(major)?;
        let [row, minor] = entries.coordinates()?;
        Ok(Rows { shape, ends: compress_pointers(&row, shape[0])?, minor, data: entries.data, order: None })
    }

    /// The same rows with values in the order of the entries.
    fn in_order(self) -> Result<Rows> {
        let Some(order) = &self.order else { return Ok(self) };
        Ok(Rows { data: gather_or_zero(&[(order, &self.data)])?, order: None, ..self })
    }

    /// Reduces the entries of each row. `input` has a value for each of them, in the order of `data`. A row of fewer
    /// than `full` entries is combined with `empty`, which is a row's without any.
    fn reduced(
        &self,
        op: &'static str,
        input: &Array,
        empty: impl Into<Scalar>,
        full: usize,
        dtype: DType,
    ) -> Result<Array> {
        let out = make::empty(input.device(), &[self.shape[0]], dtype)?;
        let (ends, order, empty) = (&self.ends, self.order.as_ref(), empty.into());
        SegmentReduction { op, ends, input, order, in_order: false, empty, full, out: &out }.run()?;
        Ok(out)
    }

    /// The number of entries of each row, of int64.
    fn counts(&self) -> Result<Array> {
        let ends = self.ends.to_dtype(DType::I64)?;
        apply("subtract", [(&ends.index(s![1..])?).into(), (&ends.index(s![..-1])?).into()])
    }

    /// Booleans: rows with fewer entries than there are columns.
    fn has_gaps(&self) -> Result<Array> {
        apply("less", [(&self.counts()?).into(), (self.shape[1] as i64).into()])
    }
}

impl Sparse {
    /// The pattern compressed along the other axis, if a product or a reduction remembers it, or at the second
    /// reduction of a pattern.
    fn crossed_again(&self, c: &Compressed) -> Result<Option<Crossed>> {
        if let Some(known) = c.memo.0.crossed.get() {
            return Ok(Some(known.clone()));
        }
        if c.data.device().queue().is_captured() || !c.memo.0.is_reduced.swap(true, Relaxed) {
            return Ok(None);
        }
        let by_columns = if c.major == 1 { self.clone() } else { self.transpose(None)? };
        let Storage::Compressed(c) = &by_columns.storage else { return Ok(None) };
        by_columns.crossed(c, Semiring::plus_times(), DType::F32).map(Some)
    }

    /// A reduction along an axis, or of all elements: `sum`, `any`, `count_nonzero`, `max`, `min`, `nanmax`, `nanmin`,
    /// `argmax` or `argmin`. The result is dense and has no longer the axis. `dtype` is that of a sum, by default
    /// NumPy's: int64 or uint64 for booleans and smaller integers, else the array's own. Positions are the first ones,
    /// of int64.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, -2], [0, -3, 0]])?, Format::Csr)?;
    /// assert_eq!(a.reduce("sum", Some(1), None)?.to_vec::<i64>()?, [-1, -3]);
    /// assert_eq!(a.reduce("max", Some(0), None)?.to_vec::<i32>()?, [1, 0, 0]);
    /// assert_eq!(a.reduce("argmin", None, None)?.item::<i64>()?, 4);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another name, for extremes of no elements, and for a shape with more elements than 64-bit
    /// positions can count; [`ErrorKind::Axis`] for an axis that the
    /// array has not; [`ErrorKind::Type`] for complex numbers where NumPy orders none.
    ///
    /// # Synchronization
    ///
    /// Synchronises unless the entries are known to be sorted and distinct along the axis. The second reduction of a
    /// pattern along the axis that is compressed remembers the order of its entries by the other axis, for the next
    /// ones and for products.
    pub fn reduce(&self, name: &str, axis: Option<usize>, dtype: Option<DType>) -> Result<Array> {
        let go = || {
            let Some((name, op)) = REDUCTIONS.iter().find(|(known, _)| *known == name) else {
                return Err(Error::new(ErrorKind::Value, format!("{name:?} is no reduction of sparse arrays")));
            };
            if let Some(axis) = axis.filter(|&axis| axis >= self.ndim()) {
                let message = format!("axis {axis} is out of bounds for a sparse array of dimension {}", self.ndim());
                return Err(Error::new(ErrorKind::Axis, message));
            }
            match axis {
                _ if self.ndim() > 2 => self.reduce_axes(name, axis, dtype),
                None => {
                    // All elements are one row, and so are those of an array of one axis.
                    let total = checked_size(&self.shape)?;
                    let flat = if self.ndim() == 1 { self.clone() } else { self.reshape(&[total], Order::C)? };
                    flat.reduce_rows(name, op, 0, true, dtype)?.reshape(&[] as &[usize])
                }
                Some(axis) if self.ndim() == 1 => {
                    debug_assert_eq!(axis, 0);
                    self.reduce_rows(name, op, 0, true, dtype)?.reshape(&[] as &[usize])
                }
                Some(axis) => self.reduce_rows(name, op, 1 - axis, *name != "sum", dtype),
            }
        };
        go().map_err(|e: Error| e.with_op(&format!("sparse.{name}")))
    }

    /// A reduction along an axis of a matrix as an array of coordinates, of the elements that are not zero: SciPy's `max`,
    /// `min`, `nanmax` and `nanmin` along an axis. The axis has length 1, or is removed without `keepdims`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, -2], [0, -3, 0]])?, Format::Csr)?;
    /// let largest = a.reduce_sparse("max", 1, false)?;
    /// assert_eq!((largest.shape(), largest.nnz()?), (&[2][..], 1));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Sparse::reduce`]; [`ErrorKind::Value`] for an array that has not two axes.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of elements that are not zero.
    pub fn reduce_sparse(&self, name: &str, axis: usize, keepdims: bool) -> Result<Sparse> {
        let go = || {
            if self.ndim() != 2 {
                return Err(super::two_axes(Format::Csr, &self.shape));
            }
            Sparse::of_vector(self.reduce(name, Some(axis), None)?, keepdims.then_some(axis))
        };
        go().map_err(|e: Error| e.with_op(&format!("sparse.{name}")))
    }

    /// The arithmetic mean of the elements along an axis, or of all; SciPy's `mean`. The dtype is float64 for booleans
    /// and integers and otherwise the array's own. Each stored element is multiplied by the reciprocal of the number of
    /// elements before the sum.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, -4], [0, 3, 0]])?, Format::Csr)?;
    /// assert_eq!(a.mean(Some(0))?.to_vec::<f64>()?, [0.5, 1.5, -2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ZeroDivision`] for a mean of no elements; [`ErrorKind::Axis`] for an axis that the array has not.
    ///
    /// # Synchronization
    ///
    /// As [`Sparse::reduce`].
    pub fn mean(&self, axis: Option<usize>) -> Result<Array> {
        let go = || {
            let count = match axis {
                Some(axis) => self.shape.get(axis).copied().unwrap_or(1),
                None => checked_size(&self.shape)?,
            };
            if count == 0 {
                return Err(Error::new(ErrorKind::ZeroDivision, "a mean of no elements: the axis has the length 0"));
            }
            let own = self.dtype();
            let of = if own.is_integer() || own == DType::Bool { self.astype(DType::F64)? } else { self.clone() };
            let scaled = apply("multiply", [(&of.data()).into(), (1.0 / count as f64).into()])?;
            of.with_data(&scaled)?.reduce("sum", axis, None)
        };
        go().map_err(|e: Error| e.with_op("sparse.mean"))
    }

    /// More than two axes: those that stay become the rows of a matrix.
    fn reduce_axes(&self, name: &str, axis: Option<usize>, dtype: Option<DType>) -> Result<Array> {
        let Some(axis) = axis else {
            return self.reshape(&[checked_size(&self.shape)?], Order::C)?.reduce(name, None, dtype);
        };
        let order: Vec<usize> = (0..self.ndim()).filter(|&k| k != axis).chain([axis]).collect();
        let rest: Vec<usize> = order[..order.len() - 1].iter().map(|&k| self.shape[k]).collect();
        let matrix = self.transpose(Some(&order))?.reshape(&[checked_size(&rest)?, self.shape[axis]], Order::C)?;
        matrix.reduce(name, Some(1), dtype)?.reshape(&rest[..])
    }

    /// A reduction of each row of the matrix, or of each column where `major` is 1; `distinct` where entries of one
    /// position are added in their dtype first.
    fn reduce_rows(
        &self,
        name: &str,
        op: &'static str,
        major: usize,
        distinct: bool,
        dtype: Option<DType>,
    ) -> Result<Array> {
        let element = self.dtype();
        if element.is_complex() && name.starts_with("nan") {
            return Err(Error::new(ErrorKind::Type, format!("{name} is not defined for {element}")));
        }
        let matrix = match self.format() {
            Format::Dia => self.to_format(Format::Coo)?,
            Format::Bsr => self.to_format(Format::Csr)?,
            _ => self.clone(),
        };
        let rows = Rows::of(&matrix, major, distinct)?;
        let rows = if name.starts_with("arg") { rows.in_order()? } else { rows };
        let data = rows.data.clone();
        match name {
            "sum" => {
                let own = sum_dtype(element);
                let result = dtype.unwrap_or(own);
                // The total is cast, not each element: floats are added as floats, and 16-bit floats are rounded once.
                let wider = if result.is_integer() { own } else { promote_types(own, result) };
                let computed = if matches!(wider, DType::F16 | DType::BF16) { DType::F32 } else { wider };
                rows.reduced(op, &data, 0, 0, computed)?.to_dtype(result)
            }
            "any" => {
                let stored = apply("not_equal", [(&data).into(), 0.into()])?;
                rows.reduced(op, &stored, false, 0, DType::Bool)
            }
            "count_nonzero" => {
                let stored = apply("not_equal", [(&data).into(), 0.into()])?;
                rows.reduced(op, &stored, 0, 0, DType::I64)
            }
            _ if rows.shape[1] == 0 => Err(Error::new(ErrorKind::Value, "a reduction of no elements has no identity")),
            _ => {
                // An element that is not stored is zero.
                let best = rows.reduced(op, &data, 0, rows.shape[1], element)?;
                if name.starts_with("arg") { rows.first_position(&best, &data) } else { Ok(best) }
            }
        }
    }
}

impl Rows {
    /// The first column of each row whose element is the row's extreme: that of an entry, or the first that has no
    /// entry where the extreme is zero.
    fn first_position(&self, best: &Array, data: &Array) -> Result<Array> {
        let gaps = self.has_gaps()?;
        let columns = self.shape[1] as i64;
        let row = expand_pointers(&self.ends, data.size())?;
        let of_row = take(best, &row, 0)?;
        let mut same = apply("equal", [data.into(), (&of_row).into()])?;
        if data.dtype().is_float() || data.dtype().is_complex() {
            let nan = apply("isnan", [data.into()])?;
            same = apply("logical_or", [(&same).into(), (&nan).into()])?;
        }
        let candidate = where_(&same, &self.minor.to_dtype(DType::I64)?, columns)?;
        let entry = self.reduced("minimum", &candidate, columns, 0, DType::I64)?;
        // In a sorted row the first column without an entry is the first entry whose column is not its number in the row.
        let number = {
            let position = counted(data, data.size(), DType::I64)?;
            let start = take(&self.ends.to_dtype(DType::I64)?, &row, 0)?;
            apply("subtract", [(&position).into(), (&start).into()])?
        };
        let gap = apply("not_equal", [(&self.minor).into(), (&number).into()])?;
        let candidate = where_(&gap, &number, columns)?;
        let first_gap = self.reduced("minimum", &candidate, 0, 0, DType::I64)?;
        let counts = self.counts()?;
        let first_gap = apply("minimum", [(&first_gap).into(), (&counts).into()])?;
        let zero = apply("equal", [best.into(), 0.into()])?;
        let from_gap = apply("logical_and", [(&zero).into(), (&gaps).into()])?;
        let nearer = apply("minimum", [(&entry).into(), (&first_gap).into()])?;
        where_(&from_gap, &nearer, &entry)
    }
}
