//! Rows, columns and elements of a matrix by their indices.

use super::{Entry, Format, Sparse, index_dtype, listed};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::{Value, cast};

/// Counts an index from the start.
pub(crate) fn from_start(index: i64, size: usize) -> Result<usize> {
    let at = if index < 0 { index + size as i64 } else { index };
    if at < 0 || at >= size as i64 {
        return fail(ErrorKind::Index, format!("index {index} is out of bounds for size {size}"));
    }
    Ok(at as usize)
}

impl Sparse {
    /// Selects rows and columns, in the order of the indices, which may repeat; `None` is all of them. Entries of a selected row, or column, of a compressed
    /// format keep their order where the other axis is selected by a slice; by a list they are sorted. Coordinates and diagonals are
    /// compressed by rows first; the result has the operand's format, or compressed rows for diagonals.
    ///
    /// # Errors
    ///
    /// `IndexError` for an index out of bounds; `ValueError` for an array that has not two axes.
    pub fn select(&self, rows: Option<&[i64]>, columns: Option<&[i64]>, sorts: [bool; 2]) -> Result<Sparse> {
        let shape = self.two_axes()?;
        match self.format {
            Format::Coo => return self.to_format(Format::Csr)?.select(rows, columns, sorts)?.to_format(Format::Coo),
            Format::Dia => return self.to_format(Format::Csr)?.select(rows, columns, sorts),
            _ => {}
        }
        let checked = |indices: Option<&[i64]>, size| -> Result<Option<Vec<usize>>> {
            indices.map(|all| all.iter().map(|i| from_start(*i, size)).collect()).transpose()
        };
        let axes = [checked(rows, shape[0])?, checked(columns, shape[1])?];
        // The new indices of an old one along an axis.
        let new_indices = |axis: usize, index: usize| -> Vec<usize> {
            match &axes[axis] {
                None => vec![index],
                Some(chosen) => (0..chosen.len()).filter(|k| chosen[*k] == index).collect(),
            }
        };
        let (major, minor) = if self.format == Format::Csc { (1, 0) } else { (0, 1) };
        let mut entries = vec![];
        for Entry { at, value } in self.entries() {
            for line in new_indices(major, at[major]) {
                for other in new_indices(minor, at[minor]) {
                    let mut at = vec![line; 2];
                    at[minor] = other;
                    entries.push(Entry { at, value });
                }
            }
        }
        if sorts[minor] {
            entries.sort_by_key(|e| e.at[minor]);
        }
        let length = |axis: usize| axes[axis].as_ref().map_or(shape[axis], Vec::len);
        let shape = [length(0), length(1)];
        let index = index_dtype([self.index], shape.into_iter().chain([entries.len()]));
        Ok(Sparse::new(self.format, &shape, self.dtype, index, entries))
    }

    /// Returns the elements at positions: a list of indices for each axis.
    ///
    /// # Errors
    ///
    /// `IndexError` for an index out of bounds, or another number of lists than of axes.
    pub fn points(&self, coordinates: &[Vec<i64>]) -> Result<NdArray> {
        let elements = self.elements()?;
        let at = self.checked(coordinates)?;
        let values: Vec<Value> = at.iter().map(|at| Sparse::get(&elements, at, self.dtype)).collect();
        NdArray::from_values(self.dtype, &[values.len()], values)
    }

    fn checked(&self, coordinates: &[Vec<i64>]) -> Result<Vec<Vec<usize>>> {
        if coordinates.len() != self.shape.len() {
            return fail(ErrorKind::Index, format!("{} lists for {} axes", coordinates.len(), self.shape.len()));
        }
        let at = |k: usize| coordinates.iter().zip(&self.shape).map(|(c, n)| from_start(c[k], *n)).collect();
        (0..coordinates[0].len()).map(at).collect()
    }

    /// Stores values at positions; of equal positions the last one counts. The result is sorted and distinct; of diagonals it is
    /// compressed by rows.
    ///
    /// # Errors
    ///
    /// As [`Sparse::points`].
    pub fn set_points(&self, coordinates: &[Vec<i64>], values: &NdArray) -> Result<Sparse> {
        let at = self.checked(coordinates)?;
        if at.len() != values.size() {
            return fail(ErrorKind::Value, format!("{} values for {} positions", values.size(), at.len()));
        }
        let mut elements = self.elements()?;
        for (at, value) in at.into_iter().zip(values.values()) {
            elements.insert(at, cast(value, self.dtype).0);
        }
        let format = if self.format == Format::Dia { Format::Csr } else { self.format };
        let index = index_dtype(self.given_index(), self.shape.iter().copied().chain([elements.len()]));
        Ok(Sparse::new(format, &self.shape, self.dtype, index, listed(elements)))
    }
}
