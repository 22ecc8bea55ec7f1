//! Sparse arrays; SciPy's `scipy.sparse`.
//!
//! A [`Sparse`] array stores some elements, its *entries*; all others are zero. Its [`Format`] is a property at run
//! time, as the dtype is: coordinates ([`Format::Coo`], any number of axes), compressed rows or columns
//! ([`Format::Csr`], [`Format::Csc`]) and diagonals ([`Format::Dia`]). A `Sparse` is immutable and shares its arrays
//! with its copies; every operation returns a new one. Values have any dtype. Indices are int32, and int64 where the
//! shape or the number of entries needs it or an operand has it.
//!
//! | SciPy | here |
//! |---|---|
//! | `coo_array((v, (i, j)))`, `csr_array((v, j, p))` | [`Sparse::coo`], [`Sparse::csr`], [`Sparse::csc`], [`Sparse::dia`] |
//! | `diags_array`, `kron`, `vstack`, `block_array` | [`Sparse::diagonals`], [`Sparse::kron`], [`Sparse::stack`], [`Sparse::blocks`] |
//! | `a.tocsr()`, `a.toarray()` | [`Sparse::to_format`], [`Sparse::to_dense`] |
//! | `a @ b` | [`Sparse::matmul`], [`Sparse::matmul_dense`] |
//! | `a + b`, `a.multiply(b)` | [`Sparse::binary`] |
//! | `a.sum(axis)`, `a.max(axis)` | [`Sparse::reduce`], [`Sparse::reduce_sparse`] |
//! | `a.T`, `a.diagonal()`, `a.nonzero()` | [`Sparse::transpose`], [`Sparse::diagonal`], [`Sparse::nonzero`] |
//! | `scipy.sparse.linalg`, `csgraph` | [`linalg`], [`csgraph`] |
//!
//! ```
//! use cuprum::array;
//! use cuprum::scipy::sparse::{Format, Sparse};
//!
//! // The Laplacian of a path of three vertices, from its edges.
//! let (row, column) = (array([0, 1, 1, 2])?, array([1, 0, 2, 1])?);
//! let adjacency = Sparse::coo(&array([1.0, 1.0, 1.0, 1.0])?, &[&row, &column], &[3, 3])?.to_format(Format::Csr)?;
//! let degrees = adjacency.reduce("sum", Some(1), None)?;
//! let laplacian = Sparse::diagonals(&[(&degrees, 0)], [3, 3])?.binary("subtract", &adjacency)?;
//! assert_eq!(laplacian.to_dense(())?.to_vec::<f64>()?, [1.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 1.0]);
//! assert_eq!(laplacian.nnz()?, 7);
//! # Ok::<(), cuprum::Error>(())
//! ```
//!
//! Duplicate entries are allowed where SciPy allows them and count as their sum. Operations that need distinct, sorted
//! entries sort and add them first, in the order in which they are stored, so that results repeat to the bit.

mod construct;
mod convert;
pub mod csgraph;
mod elementwise;
mod entries;
mod index;
pub mod linalg;
mod operators;
mod product;
mod reduce;
mod select;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use cuprum_kernels::DType;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::compressed::{Bound, check};
use crate::engine::sparse_product::Balance;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};

pub use select::Select;

/// Storage format of a sparse array.
///
/// SciPy's names are the variants' in lower case. Products are fastest by compressed rows; building entry by entry
/// suits coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A coordinate along each axis for each entry, in any order.
    Coo,
    /// Compressed sparse rows: the column of each entry, and where each row begins.
    Csr,
    /// Compressed sparse columns: the row of each entry, and where each column begins.
    Csc,
    /// Diagonals, each with its offset from the main one.
    Dia,
}

impl Format {
    /// Returns SciPy's name of the format: `coo`, `csr`, `csc` or `dia`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::Format;
    /// assert_eq!(Format::named("csr")?.name(), "csr");
    /// assert!(Format::named("xyz").is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Format::Coo => "coo",
            Format::Csr => "csr",
            Format::Csc => "csc",
            Format::Dia => "dia",
        }
    }

    /// Returns the format of a name; the inverse of [`Format::name`].
    ///
    /// ```
    /// use cuprum::scipy::sparse::Format;
    /// assert_eq!(Format::named("dia")?, Format::Dia);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a name that is none of `coo`, `csr`, `csc` and `dia`.
    pub fn named(name: &str) -> Result<Format> {
        [Format::Coo, Format::Csr, Format::Csc, Format::Dia]
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| Error::new(ErrorKind::Value, format!("{name:?} is no sparse format: coo, csr, csc or dia")))
    }

    /// The axis that is compressed, of compressed formats.
    fn major(self) -> Option<usize> {
        match self {
            Format::Csr => Some(0),
            Format::Csc => Some(1),
            _ => None,
        }
    }
}

/// Sparse array: a handle to the arrays of its entries, a shape and a [`Format`].
///
/// Cloning it copies the handle. See [`sparse`](self) for an example.
#[derive(Clone, Debug)]
pub struct Sparse {
    shape: Vec<usize>,
    storage: Storage,
}

#[derive(Clone, Debug)]
enum Storage {
    /// Coordinates along each axis.
    Coo {
        coords: Vec<Array>,
        data: Array,
        canonical: bool,
    },
    Compressed(Compressed),
    /// `data[k, column]` is the element of the diagonal of `offsets[k]` in a column.
    Dia {
        offsets: Array,
        data: Array,
    },
}

/// Entries by their coordinate along the major axis.
#[derive(Clone, Debug)]
struct Compressed {
    /// The axis that `indptr` compresses.
    major: usize,
    indptr: Array,
    indices: Array,
    data: Array,
    /// The order of the entries, where it is known: shared by all arrays that have the pattern.
    order: Arc<OnceLock<EntryOrder>>,
    memo: Memo,
}

impl Compressed {
    fn new(
        major: usize,
        indptr: Array,
        indices: Array,
        data: Array,
        order: impl Into<Arc<OnceLock<EntryOrder>>>,
    ) -> Compressed {
        Compressed { major, indptr, indices, data, order: order.into(), memo: Memo::default() }
    }

    /// The order of other entries that are sorted and distinct if these are: it is unknown if these are not, or not
    /// known to be.
    fn canonical_order(&self) -> Arc<OnceLock<EntryOrder>> {
        if self.order.get() == Some(&EntryOrder::Canonical) { self.order.clone() } else { Arc::default() }
    }
}

/// Tables of a pattern that products compute once: they are stored next to its arrays, and shared by all
/// arrays that have the pattern.
#[derive(Clone, Debug, Default)]
struct Memo(Arc<Pattern>);

#[derive(Debug, Default)]
struct Pattern {
    /// Distribution of the rows among the blocks of a product: [`crate::engine::sparse_product::balance`].
    balance: OnceLock<Balance>,
    /// The largest number of entries of a row.
    longest: OnceLock<i64>,
    /// The pattern compressed along the other axis.
    crossed: OnceLock<Crossed>,
    /// True after a reduction along the axis that is compressed: the second one computes `crossed`.
    is_reduced: AtomicBool,
}

/// A pattern compressed along the other axis: pointers, indices, and the position of each value among those of the
/// pattern.
#[derive(Clone, Debug)]
struct Crossed {
    indptr: Array,
    indices: Array,
    positions: Array,
    balance: Balance,
}

/// The order of the entries within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EntryOrder {
    Unsorted,
    /// By coordinate, with duplicates.
    Sorted,
    /// By coordinate, without duplicates.
    Canonical,
}

/// The dtype of indices below these sizes.
pub(crate) fn index_dtype(sizes: impl IntoIterator<Item = usize>) -> DType {
    if sizes.into_iter().all(|n| i32::try_from(n).is_ok()) { DType::I32 } else { DType::I64 }
}

/// The dtype of the indices of a result: int64 where those of an operand are, or where these sizes need it.
fn result_index(operands: impl IntoIterator<Item = DType>, sizes: impl IntoIterator<Item = usize>) -> DType {
    if operands.into_iter().any(|dtype| dtype == DType::I64) { DType::I64 } else { index_dtype(sizes) }
}

/// An index array in C order: of int32 or int64, other integers cast to what the sizes need.
fn as_indices(a: &Array, what: &str, sizes: &[usize]) -> Result<Array> {
    if !a.dtype().is_integer() && a.size() > 0 {
        return Err(Error::new(ErrorKind::Type, format!("{what} are integers, not of {}", a.dtype())));
    }
    let dtype = match a.dtype() {
        DType::I32 | DType::I64 => a.dtype(),
        _ => index_dtype(sizes.iter().copied()),
    };
    one_axis(a, what)?.to_dtype(dtype)
}

fn one_axis(a: &Array, what: &str) -> Result<Array> {
    if a.ndim() != 1 {
        let message = format!("{what} are an array of one axis, not of shape {}", shape_text(a.shape()));
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(a.clone())
}

/// Conversion without a copy where there is nothing to convert.
trait CastTo {
    /// The elements in C order and of a dtype: shared with the array where they are so already.
    fn to_dtype(&self, dtype: DType) -> Result<Array>;
}

impl CastTo for Array {
    fn to_dtype(&self, dtype: DType) -> Result<Array> {
        if self.dtype() == dtype { contiguous(self) } else { self.cast(dtype, Order::C) }
    }
}

fn contiguous(a: &Array) -> Result<Array> {
    if a.is_c_contiguous() { Ok(a.clone()) } else { a.copy(Order::C) }
}

/// The number in an array of one index, of int32 or int64. Synchronises.
fn number(a: &Array) -> Result<i64> {
    a.to_dtype(DType::I64)?.item::<i64>()
}

/// Casts index arrays to one dtype: int64 where one of them is.
fn of_one_dtype<const N: usize>(arrays: [Array; N]) -> Result<[Array; N]> {
    let wide = arrays.iter().any(|a| a.dtype() == DType::I64);
    let dtype = if wide { DType::I64 } else { DType::I32 };
    let mut cast = arrays;
    for a in &mut cast {
        if a.dtype() != dtype {
            *a = a.to_dtype(dtype)?;
        }
    }
    Ok(cast)
}

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
    /// As [`Sparse::csr`].
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
    /// It has the shape, the dtype and the format that are passed; SciPy's `csr_array(shape)` and the like.
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
        Ok(Sparse::of_compressed([rows, columns], Compressed::new(major, indptr, none()?, data, order)))
    }

    fn of_coords(shape: &[usize], coords: Vec<Array>, data: Array, canonical: bool) -> Sparse {
        Sparse { shape: shape.to_vec(), storage: Storage::Coo { coords, data, canonical } }
    }

    fn of_compressed(shape: [usize; 2], compressed: Compressed) -> Sparse {
        Sparse { shape: shape.to_vec(), storage: Storage::Compressed(compressed) }
    }

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

    fn values(&self) -> &Array {
        match &self.storage {
            Storage::Coo { data, .. } | Storage::Dia { data, .. } => data,
            Storage::Compressed(c) => &c.data,
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
            Storage::Compressed(c) => c.indptr.dtype(),
            Storage::Dia { offsets, .. } => offsets.dtype(),
        }
    }

    /// The dtype of the indices, for those of a result: that of the offsets of diagonals does not count.
    fn operand_index(&self) -> DType {
        if let Storage::Dia { .. } = self.storage { DType::I32 } else { self.index_dtype() }
    }

    /// The same array with indices of a dtype.
    fn with_index(self, dtype: DType) -> Result<Sparse> {
        if self.index_dtype() == dtype {
            return Ok(self);
        }
        let mut new = self;
        let indices = match &mut new.storage {
            Storage::Coo { coords, .. } => coords.iter_mut().collect(),
            Storage::Compressed(c) => {
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

    /// Returns the number of stored entries, duplicates and explicit zeros included; of diagonals, the elements inside
    /// of the matrix.
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
            Storage::Compressed(c) => Ok(c.data.size()),
            Storage::Dia { offsets, data } => self.count_diagonals(offsets, data.shape()[1]),
        }
    }

    /// Returns the values of the entries, in the order of the indices; of diagonals, a row for each.
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
    /// It is a handle of the array itself: columns of [`Format::Csr`], rows of [`Format::Csc`].
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
        self.as_compressed("indices").map(|c| c.indices.clone())
    }

    /// Returns the positions at which the entries of each row, or of each column, begin, and their number; SciPy's
    /// `indptr`.
    ///
    /// It has one element more than there are rows (or columns).
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
        self.as_compressed("indptr").map(|c| c.indptr.clone())
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

    fn as_compressed(&self, name: &str) -> Result<&Compressed> {
        match &self.storage {
            Storage::Compressed(c) => Ok(c),
            _ => Err(self.no_attribute(name)),
        }
    }

    fn no_attribute(&self, name: &str) -> Error {
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
        let c = self.as_compressed("has_sorted_indices")?;
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
    /// As [`Sparse::has_sorted_indices`].
    pub fn has_canonical_format(&self) -> Result<bool> {
        if let Storage::Coo { canonical, .. } = &self.storage {
            return Ok(*canonical);
        }
        let c = self.as_compressed("has_canonical_format")?;
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
            Storage::Compressed(c) => c.data = data,
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
            Storage::Compressed(c) => {
                c.memo = Memo::default();
                [&mut c.indptr, &mut c.indices, &mut c.data].into_iter().try_for_each(copied)?;
            }
            Storage::Dia { offsets, data } => [offsets, data].into_iter().try_for_each(copied)?,
        }
        Ok(new)
    }
}

/// The error of a shape that is not one of a matrix.
fn two_axes(format: Format, shape: &[usize]) -> Error {
    let (name, shape) = (format.name(), shape_text(shape));
    Error::new(ErrorKind::Value, format!("the format {name} has two axes, not the shape {shape}"))
}
