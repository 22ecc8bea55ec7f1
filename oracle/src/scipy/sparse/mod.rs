//! Sparse arrays as SciPy's `scipy.sparse` has them: the stored entries in their order, so that structure can be compared as well
//! as values.
//!
//! An entry is a position and a value. A format fixes the order of the entries and which of them may share a position; the
//! elements of the dense array are the sums of the entries at each position. Every operation is written on these two views: a
//! list of entries, and a map from positions to elements.

mod construct;
mod convert;
mod csgraph;
mod elementwise;
mod product;
mod reduce;
mod select;
mod shape;

use std::collections::BTreeMap;

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

pub use construct::{blocks, diagonals, eye, stack};
pub use product::Product;
pub use reduce::Reduced;

/// The format of a sparse array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Coordinates, in any order.
    Coo,
    /// Compressed rows: entries are grouped by row.
    Csr,
    /// Compressed columns: entries are grouped by column.
    Csc,
    /// Diagonals, each of which stores all of its elements.
    Dia,
    /// Compressed rows of blocks with this number of rows and of columns, which store all of their elements: the entries
    /// of a block follow each other, in C order.
    Bsr([usize; 2]),
}

/// A stored element.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The index along each axis.
    pub at: Vec<usize>,
    /// The value.
    pub value: Value,
}

/// A diagonal: its offset from the main one, and its elements by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagonal {
    /// The column of an element minus its row.
    pub offset: i64,
    /// The elements, of which those outside of the matrix have no meaning.
    pub elements: Vec<Value>,
}

/// The stored elements of a sparse array.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// Entries in their order.
    Entries(Vec<Entry>),
    /// Diagonals in their order, each with this number of elements.
    Diagonals(Vec<Diagonal>, usize),
}

/// A sparse array.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// The format.
    pub format: Format,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The dtype of the values.
    pub dtype: DType,
    /// The dtype of the index arrays: int32 or int64.
    pub index: DType,
    /// The stored elements.
    pub stored: Stored,
}

/// Returns the dtype of index arrays: int64 where an operand has it, or where a size needs it.
pub(crate) fn index_dtype(given: impl IntoIterator<Item = DType>, sizes: impl IntoIterator<Item = usize>) -> DType {
    let wide = given.into_iter().any(|dtype| dtype == DType::I64);
    let large = sizes.into_iter().any(|n| i32::try_from(n).is_err());
    if wide || large { DType::I64 } else { DType::I32 }
}

/// Applies an elementwise function to columns of values, each with its dtype.
pub(crate) fn map(name: &str, columns: &[(&[Value], DType)]) -> Result<(Vec<Value>, DType)> {
    let arrays = columns
        .iter()
        .map(|(values, dtype)| NdArray::from_values(*dtype, &[values.len()], values.iter().copied()))
        .collect::<Result<Vec<_>>>()?;
    let operands: Vec<Operand<'_>> = arrays.iter().map(Operand::Array).collect();
    let result = ufunc(name, &operands, &UfuncOptions::default())?;
    Ok((result.values(), result.dtype()))
}

/// Adds two values in a dtype.
pub(crate) fn sum_of(a: Value, b: Value, dtype: DType) -> Result<Value> {
    Ok(map("add", &[(&[a], dtype), (&[b], dtype)])?.0[0])
}

impl Sparse {
    /// Creates an array of entries. Those of compressed formats are grouped: entries of a row, or of a column, keep their order.
    pub fn new(format: Format, shape: &[usize], dtype: DType, index: DType, entries: Vec<Entry>) -> Sparse {
        let mut entries = entries;
        match format {
            Format::Csr => entries.sort_by_key(|e| e.at[0]),
            Format::Csc => entries.sort_by_key(|e| e.at[1]),
            Format::Bsr([height, _]) => entries.sort_by_key(|e| e.at[0] / height),
            Format::Coo | Format::Dia => {}
        }
        Sparse { format, shape: shape.to_vec(), dtype, index, stored: Stored::Entries(entries) }
    }

    /// Creates an array of coordinates, one list of indices for each axis.
    ///
    /// # Errors
    ///
    /// `ValueError` for an index that is negative or not below the length of its axis.
    pub fn of_coordinates(
        shape: &[usize],
        dtype: DType,
        index: DType,
        values: &[Value],
        coordinates: &[Vec<i64>],
    ) -> Result<Sparse> {
        let entry = |(i, value): (usize, &Value)| {
            let checked = |(indices, n): (&Vec<i64>, &usize)| match usize::try_from(indices[i]) {
                Ok(index) if index < *n => Ok(index),
                _ => fail(ErrorKind::Value, format!("index {} is out of bounds for length {n}", indices[i])),
            };
            let at = coordinates.iter().zip(shape).map(checked).collect::<Result<_>>()?;
            Ok(Entry { at, value: *value })
        };
        let entries = values.iter().enumerate().map(entry).collect::<Result<_>>()?;
        Ok(Sparse::new(Format::Coo, shape, dtype, index, entries))
    }

    /// Creates a matrix of compressed rows, or columns: the entries of each begin at its pointer.
    ///
    /// # Errors
    ///
    /// `ValueError` for pointers that do not rise from 0 to the number of entries, and as [`Sparse::of_coordinates`].
    pub fn of_pointers(
        format: Format,
        shape: &[usize],
        index: DType,
        (values, dtype): (&[Value], DType),
        indices: &[i64],
        pointers: &[i64],
    ) -> Result<Sparse> {
        let ends = [pointers.first().copied(), pointers.last().copied()];
        if ends != [Some(0), Some(values.len() as i64)] || !pointers.is_sorted() {
            return fail(ErrorKind::Value, "pointers rise from 0 to the number of entries");
        }
        let lines = pointers.windows(2).enumerate();
        let major: Vec<i64> = lines.flat_map(|(line, p)| (p[0]..p[1]).map(move |_| line as i64)).collect();
        let coordinates = match format {
            Format::Csc => [indices.to_vec(), major],
            _ => [major, indices.to_vec()],
        };
        let coo = Sparse::of_coordinates(shape, dtype, index, values, &coordinates)?;
        Ok(Sparse::new(format, shape, dtype, index, coo.entries()))
    }

    /// Creates a matrix of diagonals with `length` elements each.
    pub fn of_diagonals(
        shape: &[usize],
        dtype: DType,
        index: DType,
        length: usize,
        diagonals: Vec<Diagonal>,
    ) -> Sparse {
        Sparse {
            format: Format::Dia,
            shape: shape.to_vec(),
            dtype,
            index,
            stored: Stored::Diagonals(diagonals, length),
        }
    }

    /// Returns the entries in their order; of diagonals, the elements inside of the matrix that are not zero, by rows.
    pub fn entries(&self) -> Vec<Entry> {
        match &self.stored {
            Stored::Entries(entries) => entries.clone(),
            Stored::Diagonals(diagonals, _) => {
                let mut out = vec![];
                for Diagonal { offset, elements } in diagonals {
                    for (column, value) in elements.iter().enumerate() {
                        let row = column as i64 - offset;
                        let inside = row >= 0 && (row as usize) < self.shape[0] && column < self.shape[1];
                        if inside && value.truth() {
                            out.push(Entry { at: vec![row as usize, column], value: *value });
                        }
                    }
                }
                out.sort_by(|a: &Entry, b| a.at.cmp(&b.at));
                out
            }
        }
    }

    /// Returns the number of stored elements; of diagonals, of all positions inside of the matrix.
    pub fn nnz(&self) -> usize {
        match &self.stored {
            Stored::Entries(entries) => entries.len(),
            Stored::Diagonals(diagonals, _) => {
                let inside = |d: &Diagonal| {
                    let rows = (0..d.elements.len().min(self.shape[1])).map(|column| column as i64 - d.offset);
                    rows.filter(|row| (0..self.shape[0] as i64).contains(row)).count()
                };
                diagonals.iter().map(inside).sum()
            }
        }
    }

    /// Returns the element of each position that has an entry, in C order; entries of a position are added one by one.
    pub(crate) fn elements(&self) -> Result<BTreeMap<Vec<usize>, Value>> {
        let mut out = BTreeMap::new();
        for Entry { at, value } in self.entries() {
            let sum = match out.get(&at) {
                Some(before) => sum_of(*before, value, self.dtype)?,
                None => value,
            };
            out.insert(at, sum);
        }
        Ok(out)
    }

    /// Returns the element at a position.
    pub(crate) fn get(elements: &BTreeMap<Vec<usize>, Value>, at: &[usize], dtype: DType) -> Value {
        elements.get(at).copied().unwrap_or_else(|| Value::zero(dtype))
    }

    /// Returns true if the entries are sorted, by row and column or of compressed columns by column and row, and distinct.
    pub fn is_canonical(&self) -> bool {
        let keys = self.keys();
        keys.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Returns true if the entries of each row, or of each column, are sorted.
    pub fn is_sorted(&self) -> bool {
        self.keys().is_sorted()
    }

    fn keys(&self) -> Vec<Vec<usize>> {
        let key = |e: &Entry| match self.format {
            Format::Csc => vec![e.at[1], e.at[0]],
            Format::Bsr([height, width]) => vec![e.at[0] / height, e.at[1] / width],
            _ => e.at.clone(),
        };
        let each = if let Format::Bsr([height, width]) = self.format { height * width } else { 1 };
        self.entries().iter().step_by(each).map(key).collect()
    }

    /// Returns an array of this format, shape and index dtype with other entries.
    pub(crate) fn with_entries(&self, entries: Vec<Entry>) -> Sparse {
        Sparse::new(self.format, &self.shape, self.dtype, self.index, entries)
    }

    /// Rejects an array that has not two axes.
    pub(crate) fn two_axes(&self) -> Result<[usize; 2]> {
        match self.shape[..] {
            [m, n] => Ok([m, n]),
            _ => fail(ErrorKind::Value, format!("an array of {} axes is no matrix", self.shape.len())),
        }
    }
}

/// Returns the entries of a map.
pub(crate) fn listed(elements: BTreeMap<Vec<usize>, Value>) -> Vec<Entry> {
    elements.into_iter().map(|(at, value)| Entry { at, value }).collect()
}

/// Returns every position of a shape, in C order.
pub(crate) fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let total = shape.iter().product();
    (0..total).map(|i| unravel(i, shape)).collect()
}

/// Returns the index along each axis of a position in C order.
pub(crate) fn unravel(position: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = position;
    let mut at = vec![0; shape.len()];
    for (k, n) in shape.iter().enumerate().rev() {
        at[k] = rest % n;
        rest /= n;
    }
    at
}

/// Returns the position in C order of an index along each axis.
pub(crate) fn ravel(at: &[usize], shape: &[usize]) -> usize {
    at.iter().zip(shape).fold(0, |position, (i, n)| position * n + i)
}
