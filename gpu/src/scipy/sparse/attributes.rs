//! Attributes of sparse arrays: the arrays of their entries, their dtypes, order and number.

use cuprum_kernels::DType;

use super::indices::{CastTo, contiguous, index_dtype};
use super::{Compressed, EntryOrder, Format, Memo, Sparse, Storage};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};

impl Sparse {
    /// Returns the format.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 0], [0, 2]])?, Format::Csc)?;
    /// assert_eq!(a.format(), Format::Csc);
    /// assert_eq!(a.transpose(None)?.format(), Format::Csr);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn format(&self) -> Format {
        match &self.storage {
            Storage::Coo { .. } => Format::Coo,
            Storage::Compressed(c) if c.major == 0 => Format::Csr,
            Storage::Compressed(_) => Format::Csc,
            Storage::Blocks(_) => Format::Bsr,
            Storage::Dia { .. } => Format::Dia,
        }
    }

    /// Returns the shape.
    ///
    /// There is a length for each axis; entries that are not stored count.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 0, 0], [0, 2, 0]])?, Format::Csr)?;
    /// assert_eq!((a.shape(), a.ndim()), (&[2, 3][..], 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of axes: 2 except for coordinates, which may have any number.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    pub(super) fn values(&self) -> &Array {
        match &self.storage {
            Storage::Coo { data, .. } | Storage::Dia { data, .. } => data,
            Storage::Compressed(c) | Storage::Blocks(c) => &c.data,
        }
    }

    /// Returns the dtype of the values.
    ///
    /// It is a property of the values alone; [`Sparse::index_dtype`] is that of the indices.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1.5_f32, 0.0]])?, Format::Csr)?;
    /// assert_eq!((a.dtype(), a.index_dtype()), (DType::F32, DType::I32));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.values().dtype()
    }

    /// Returns the device that holds the arrays.
    pub fn device(&self) -> Device {
        self.values().device()
    }

    /// Returns the dtype of the indices: int32 or int64.
    pub fn index_dtype(&self) -> DType {
        match &self.storage {
            Storage::Coo { coords, .. } => coords[0].dtype(),
            Storage::Compressed(c) | Storage::Blocks(c) => c.indptr.dtype(),
            Storage::Dia { offsets, .. } => offsets.dtype(),
        }
    }

    /// The dtype of the indices, for those of a result: that of the offsets of diagonals does not count.
    pub(super) fn operand_index(&self) -> DType {
        if let Storage::Dia { .. } = self.storage { DType::I32 } else { self.index_dtype() }
    }

    /// The same array with indices of a dtype.
    pub(super) fn with_index(self, dtype: DType) -> Result<Sparse> {
        if self.index_dtype() == dtype {
            return Ok(self);
        }
        let mut new = self;
        let indices = match &mut new.storage {
            Storage::Coo { coords, .. } => coords.iter_mut().collect(),
            Storage::Compressed(c) | Storage::Blocks(c) => {
                c.memo = Memo::default();
                vec![&mut c.indptr, &mut c.indices]
            }
            Storage::Dia { offsets, .. } => vec![offsets],
        };
        for index in indices {
            *index = index.to_dtype(dtype)?;
        }
        Ok(new)
    }

    /// Converts the indices to int32 or int64; the values are shared.
    ///
    /// An array is returned as it is where the dtype is the same. Products of an array with int64 indices and
    /// one with int32 indices have int64 indices.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 3]])?, Format::Csr)?.with_index_dtype(DType::I64)?;
    /// assert_eq!(a.indices()?.to_vec::<i64>()?, [1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for another dtype, [`ErrorKind::Value`] for int32 and a shape that is too large for it.
    pub fn with_index_dtype(&self, dtype: DType) -> Result<Sparse> {
        let needed = index_dtype(self.shape.iter().copied().chain([self.values().size()]));
        let kind = match dtype {
            DType::I64 => return self.clone().with_index(dtype),
            DType::I32 if needed == DType::I32 => return self.clone().with_index(dtype),
            DType::I32 => ErrorKind::Value,
            _ => ErrorKind::Type,
        };
        let message = format!("indices of shape {} are of {needed}, not of {dtype}", shape_text(&self.shape));
        Err(Error::new(kind, message).with_op("sparse.with_index_dtype"))
    }

    /// Returns the number of stored entries, duplicates and explicit zeros included; of blocks, all of their elements;
    /// of diagonals, the elements inside of the matrix.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::coo(&array([1, 2, 0])?, &[&array([0, 0, 1])?, &array([0, 0, 1])?], &[2, 2])?;
    /// assert_eq!(a.nnz()?, 3);
    /// assert_eq!(a.sum_duplicates()?.eliminate_zeros()?.nnz()?, 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises for diagonals.
    pub fn nnz(&self) -> Result<usize> {
        match &self.storage {
            Storage::Coo { data, .. } => Ok(data.size()),
            Storage::Compressed(c) | Storage::Blocks(c) => Ok(c.data.size()),
            Storage::Dia { offsets, data } => self.count_diagonals(offsets, data.shape()[1]),
        }
    }

    /// Returns the values of the entries, in the order of the indices; of blocks, an array of three axes, and of
    /// diagonals, a row for each.
    ///
    /// It is a handle of the array itself: writing to it changes the values of this sparse array.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[5, 0], [6, 7]])?, Format::Csc)?;
    /// assert_eq!(a.data().to_vec::<i32>()?, [5, 6, 7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn data(&self) -> Array {
        self.values().clone()
    }

    /// Returns the coordinates along each axis, one array an axis with as many elements as there are entries.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 5], [6, 0]])?, Format::Coo)?;
    /// let coords = a.coords()?;
    /// assert_eq!(coords[0].astype(cuprum::DType::I64)?.to_vec::<i64>()?, [0, 1]);
    /// assert_eq!(coords[1].astype(cuprum::DType::I64)?.to_vec::<i64>()?, [1, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format other than [`Format::Coo`].
    pub fn coords(&self) -> Result<Vec<Array>> {
        match &self.storage {
            Storage::Coo { coords, .. } => Ok(coords.clone()),
            _ => Err(self.no_attribute("coords")),
        }
    }

    /// Returns the coordinates of the entries along the axis that is not compressed; SciPy's `indices`.
    ///
    /// It is a handle of the array itself: columns of [`Format::Csr`], rows of [`Format::Csc`], block columns of
    /// [`Format::Bsr`].
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 5], [6, 7]])?, Format::Csr)?;
    /// assert_eq!(a.indices()?.to_vec::<i32>()?, [1, 0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format that is not compressed.
    pub fn indices(&self) -> Result<Array> {
        self.as_pattern("indices").map(|c| c.indices.clone())
    }

    /// Returns the positions at which the entries of each row, or of each column, begin, and their number; SciPy's
    /// `indptr`.
    ///
    /// It has one element more than there are rows (or columns, or block rows).
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 5], [6, 7]])?, Format::Csr)?;
    /// assert_eq!(a.indptr()?.to_vec::<i32>()?, [0, 1, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format that is not compressed.
    pub fn indptr(&self) -> Result<Array> {
        self.as_pattern("indptr").map(|c| c.indptr.clone())
    }

    /// Returns the offsets of the diagonals; SciPy's `offsets`.
    ///
    /// Positive offsets are above the main diagonal; row k of [`Sparse::data`] belongs to offset k.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::dia(&array([[1.0, 2.0], [3.0, 4.0]])?, &array([0, 1])?, [2, 2])?;
    /// assert_eq!(a.offsets()?.astype(cuprum::DType::I64)?.to_vec::<i64>()?, [0, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format other than [`Format::Dia`].
    pub fn offsets(&self) -> Result<Array> {
        match &self.storage {
            Storage::Dia { offsets, .. } => Ok(offsets.clone()),
            _ => Err(self.no_attribute("offsets")),
        }
    }

    pub(super) fn as_compressed(&self, name: &str) -> Result<&Compressed> {
        match &self.storage {
            Storage::Compressed(c) => Ok(c),
            _ => Err(self.no_attribute(name)),
        }
    }

    /// Compressed entries or blocks.
    fn as_pattern(&self, name: &str) -> Result<&Compressed> {
        match &self.storage {
            Storage::Compressed(c) | Storage::Blocks(c) => Ok(c),
            _ => Err(self.no_attribute(name)),
        }
    }

    pub(super) fn no_attribute(&self, name: &str) -> Error {
        let format = self.format().name();
        Error::new(ErrorKind::Type, format!("a sparse array of format {format} has no {name}; convert it by to_format"))
    }

    /// Tests for entries that are sorted by column within each row, or by row within each column.
    ///
    /// SciPy's property of the same name. The answer is remembered and shared with all arrays of the pattern.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([1, 2])?, &array([1, 0])?, &array([0, 2])?, [1, 2])?;
    /// assert!(!a.has_sorted_indices()? && a.sort_indices()?.has_sorted_indices()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format that is not compressed.
    ///
    /// # Synchronization
    ///
    /// Synchronises at the first call for an array.
    pub fn has_sorted_indices(&self) -> Result<bool> {
        let c = self.as_pattern("has_sorted_indices")?;
        Ok(self.order_of(c)? >= EntryOrder::Sorted)
    }

    /// Tests for entries that are sorted, none of which share a position; SciPy's property of the same name.
    ///
    /// For [`Format::Coo`] it is true only if that is known without reading the coordinates, as it is after
    /// [`Sparse::sum_duplicates`].
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([1, 2])?, &array([0, 0])?, &array([0, 2])?, [1, 2])?;
    /// assert!(!a.has_canonical_format()? && a.sum_duplicates()?.has_canonical_format()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for diagonals.
    ///
    /// # Synchronization
    ///
    /// That of [`Sparse::has_sorted_indices`].
    pub fn has_canonical_format(&self) -> Result<bool> {
        if let Storage::Coo { canonical, .. } = &self.storage {
            return Ok(*canonical);
        }
        let c = self.as_pattern("has_canonical_format")?;
        Ok(self.order_of(c)? == EntryOrder::Canonical)
    }

    /// Returns an array of the same pattern with other values: as many as there are entries, or for diagonals of their
    /// shape.
    ///
    /// The indices are shared, and so is all that is known of the pattern: its order, and the tables of
    /// products.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1.0, 0.0], [0.0, 2.0]])?, Format::Csr)?;
    /// let b = a.with_data(&array([10.0, 20.0])?)?;
    /// assert_eq!(b.to_dense(())?.to_vec::<f64>()?, [10.0, 0.0, 0.0, 20.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of values.
    pub fn with_data(&self, data: &Array) -> Result<Sparse> {
        engine::one_device(self.values(), [data])?;
        if data.shape() != self.values().shape() {
            let (given, own) = (shape_text(data.shape()), shape_text(self.values().shape()));
            let message = format!("values of shape {given} for a pattern whose values have shape {own}");
            return Err(Error::new(ErrorKind::Value, message).with_op("sparse.with_data"));
        }
        let mut new = self.clone();
        let data = contiguous(data)?;
        match &mut new.storage {
            Storage::Coo { data: own, .. } | Storage::Dia { data: own, .. } => *own = data,
            Storage::Compressed(c) | Storage::Blocks(c) => c.data = data,
        }
        Ok(new)
    }

    /// Copies the array; the copy shares no memory with this one.
    ///
    /// `clone` shares the arrays instead, and copies a handle.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 5]])?, Format::Csr)?;
    /// assert!(!a.copy()?.data().may_share_memory(&a.data()));
    /// assert!(a.clone().data().may_share_memory(&a.data()));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    pub fn copy(&self) -> Result<Sparse> {
        let mut new = self.clone();
        let copied = |a: &mut Array| -> Result<()> {
            *a = a.copy(Order::C)?;
            Ok(())
        };
        match &mut new.storage {
            Storage::Coo { coords, data, .. } => coords.iter_mut().chain([data]).try_for_each(copied)?,
            Storage::Compressed(c) | Storage::Blocks(c) => {
                c.memo = Memo::default();
                [&mut c.indptr, &mut c.indices, &mut c.data].into_iter().try_for_each(copied)?;
            }
            Storage::Dia { offsets, data } => [offsets, data].into_iter().try_for_each(copied)?,
        }
        Ok(new)
    }
}
