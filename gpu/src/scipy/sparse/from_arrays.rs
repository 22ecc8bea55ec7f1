//! Sparse arrays of arrays of entries.

use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::indices::{as_indices, contiguous, index_dtype, of_one_dtype, one_axis};
use super::{CastTo, Compressed, EntryOrder, Format, Sparse, Storage};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::compressed::{Bound, check};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;

impl Sparse {
    /// An array of entries at coordinates, one array of coordinates for each axis; SciPy's `coo_array`. Entries may be
    /// in any order, and several at one position count as their sum. The arrays are shared where they are in C order
    /// and of int32 or int64.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::coo(&array([1, 2, 3])?, &[&array([0, 1, 1])?, &array([2, 0, 0])?], &[2, 3])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<i32>()?, [0, 0, 1, 5, 0, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for arrays of unequal lengths or of other than one axis and for a number of coordinates
    /// that is not the number of axes, [`ErrorKind::Type`] for coordinates that are not integers. Coordinates are
    /// checked on the device: the next call that synchronises returns [`ErrorKind::Value`] for one that is negative or
    /// not below the size of its axis.
    pub fn coo(data: &Array, coords: &[&Array], shape: &[usize]) -> Result<Sparse> {
        let go = || {
            if coords.is_empty() || coords.len() != shape.len() {
                let (given, axes) = (coords.len(), shape_text(shape));
                let message = format!(
                    "{given} arrays of coordinates do not fit the shape {axes}: one for each axis, at least one"
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            let data = contiguous(&one_axis(data, "data")?)?;
            engine::one_device(&data, coords.iter().copied())?;
            let mut held = Vec::with_capacity(coords.len());
            for (axis, given) in coords.iter().enumerate() {
                let given = as_indices(given, "coordinates", shape)?;
                if given.size() != data.size() {
                    let message = format!("{} coordinates along axis {axis} for {} values", given.size(), data.size());
                    return Err(Error::new(ErrorKind::Value, message));
                }
                held.push(given);
            }
            let wide = held.iter().any(|c| c.dtype() == DType::I64);
            let dtype = if wide { DType::I64 } else { DType::I32 };
            for (axis, c) in held.iter_mut().enumerate() {
                if c.dtype() != dtype {
                    *c = c.to_dtype(dtype)?;
                }
                check("sparse.coo", c, Bound::Coordinates(axis, shape[axis]))?;
            }
            Ok(Sparse::of_coords(shape, held, data, false))
        };
        go().map_err(|e: Error| e.with_op("sparse.coo"))
    }

    /// A matrix of compressed rows: row i has the entries from `indptr[i]` up to `indptr[i + 1]`, of the columns
    /// `indices`; SciPy's `csr_array`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csr(&array([1.0, 2.0])?, &array([1, 0])?, &array([0, 1, 2])?, [2, 2])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as for [`Sparse::coo`]; [`ErrorKind::Value`] for an `indptr` that has not one element more than there are rows. That
    /// pointers begin at 0 and never fall is checked on the device, as the columns are.
    pub fn csr(data: &Array, indices: &Array, indptr: &Array, shape: [usize; 2]) -> Result<Sparse> {
        Sparse::compressed(Format::Csr, [data, indices, indptr], shape).map_err(|e| e.with_op("sparse.csr"))
    }

    /// A matrix of compressed columns: column j has the entries from `indptr[j]` up to `indptr[j + 1]`, of the rows
    /// `indices`; SciPy's `csc_array`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::csc(&array([1.0, 2.0])?, &array([1, 1])?, &array([0, 1, 2])?, [2, 2])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Sparse::csr`].
    pub fn csc(data: &Array, indices: &Array, indptr: &Array, shape: [usize; 2]) -> Result<Sparse> {
        Sparse::compressed(Format::Csc, [data, indices, indptr], shape).map_err(|e| e.with_op("sparse.csc"))
    }

    fn compressed(format: Format, [data, indices, indptr]: [&Array; 3], shape: [usize; 2]) -> Result<Sparse> {
        let major = usize::from(format == Format::Csc);
        let function = if major == 0 { "sparse.csr" } else { "sparse.csc" };
        engine::one_device(data, [indices, indptr])?;
        let data = contiguous(&one_axis(data, "data")?)?;
        let sizes = [shape[0], shape[1], data.size()];
        let (indices, indptr) = (as_indices(indices, "indices", &sizes)?, as_indices(indptr, "pointers", &sizes)?);
        if indices.size() != data.size() {
            let message = format!("{} indices for {} values", indices.size(), data.size());
            return Err(Error::new(ErrorKind::Value, message));
        }
        if indptr.size() != shape[major] + 1 {
            let (given, rows, what) = (indptr.size(), shape[major], ["rows", "columns"][major]);
            let message =
                format!("indptr of {given} elements for {rows} {what}: it has one more than there are {what}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let [indices, indptr] = of_one_dtype([indices, indptr])?;
        check(function, &indices, Bound::Coordinates(1 - major, shape[1 - major]))?;
        check(function, &indptr, Bound::Pointers(data.size()))?;
        Ok(Sparse::of_compressed(shape, Compressed::new(major, indptr, indices, data, OnceLock::new())))
    }

    /// A matrix of diagonals: `data[k, j]` is the element in column j of the diagonal `offsets[k]`, which is above the
    /// main one where the offset is positive; SciPy's `dia_array`.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::dia(&array([[1.0, 2.0]])?, &array([0])?, [2, 2])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for `data` without a row for each offset, [`ErrorKind::Type`] for offsets that are not
    /// integers.
    pub fn dia(data: &Array, offsets: &Array, shape: [usize; 2]) -> Result<Sparse> {
        let go = || {
            engine::one_device(data, [offsets])?;
            let data = if data.ndim() == 1 { data.reshape([1, data.size()])? } else { data.clone() };
            let offsets = as_indices(&offsets.ravel()?, "offsets", &shape)?;
            if data.ndim() != 2 || data.shape()[0] != offsets.size() {
                let (given, rows) = (shape_text(data.shape()), offsets.size());
                let message = format!("data of shape {given} for {rows} offsets: it has a row for each of them");
                return Err(Error::new(ErrorKind::Value, message));
            }
            Ok(Sparse { shape: shape.to_vec(), storage: Storage::Dia { offsets, data: contiguous(&data)? } })
        };
        go().map_err(|e: Error| e.with_op("sparse.dia"))
    }

    /// Creates an array without entries.
    ///
    /// It has the shape, the dtype and the format that are passed, and blocks of one element; SciPy's `csr_array(shape)` and the like.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let device = cuprum::cuda::Device::current()?;
    /// let a = Sparse::zeros(&[2, 3], DType::F32, Format::Csr, device)?;
    /// assert_eq!((a.shape(), a.nnz()?), (&[2, 3][..], 0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a format that has two axes and a shape that has not.
    pub fn zeros(shape: &[usize], dtype: DType, format: Format, device: Device) -> Result<Sparse> {
        let index = index_dtype(shape.iter().copied());
        let none = || make::empty(device, &[0], index);
        let data = make::empty(device, &[0], dtype)?;
        if format == Format::Coo {
            let coords = shape.iter().map(|_| none()).collect::<Result<_>>()?;
            return Ok(Sparse::of_coords(shape, coords, data, true));
        }
        let &[rows, columns] = shape else { return Err(two_axes(format, shape)) };
        if format == Format::Dia {
            let data = make::empty(device, &[0, 0], dtype)?;
            return Ok(Sparse { shape: shape.to_vec(), storage: Storage::Dia { offsets: none()?, data } });
        }
        let major = format.major().unwrap_or(0);
        let indptr = make::zeros(device, &[[rows, columns][major] + 1], index)?;
        let order = OnceLock::from(EntryOrder::Canonical);
        if format == Format::Bsr {
            let blocks = Compressed::new(major, indptr, none()?, data.reshape([0, 1, 1])?, order);
            return Ok(Sparse { shape: shape.to_vec(), storage: Storage::Blocks(blocks) });
        }
        Ok(Sparse::of_compressed([rows, columns], Compressed::new(major, indptr, none()?, data, order)))
    }

    pub(super) fn of_coords(shape: &[usize], coords: Vec<Array>, data: Array, canonical: bool) -> Sparse {
        Sparse { shape: shape.to_vec(), storage: Storage::Coo { coords, data, canonical } }
    }

    pub(super) fn of_compressed(shape: [usize; 2], compressed: Compressed) -> Sparse {
        Sparse { shape: shape.to_vec(), storage: Storage::Compressed(compressed) }
    }
}

/// The error of a shape that is not one of a matrix.
pub(super) fn two_axes(format: Format, shape: &[usize]) -> Error {
    let (name, shape) = (format.name(), shape_text(shape));
    Error::new(ErrorKind::Value, format!("the format {name} has two axes, not the shape {shape}"))
}
