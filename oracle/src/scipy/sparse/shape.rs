//! Axes and shapes, diagonals and triangles.

use super::{Diagonal, Entry, Format, Sparse, Stored, index_dtype, listed, ravel, unravel};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::value::{Value, cast};

impl Sparse {
    /// Permutes the axes, by default to the reverse order. Compressed rows become compressed columns: no entry moves.
    ///
    /// # Errors
    ///
    /// `ValueError` for axes that are not each axis once.
    pub fn transpose(&self, axes: Option<&[usize]>) -> Result<Sparse> {
        let axes: Vec<usize> = axes.map_or_else(|| (0..self.shape.len()).rev().collect(), <[usize]>::to_vec);
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        if sorted != (0..self.shape.len()).collect::<Vec<_>>() {
            return fail(ErrorKind::Value, format!("axes {axes:?} are not each axis once"));
        }
        if axes.is_sorted() {
            return Ok(self.clone());
        }
        let shape: Vec<usize> = axes.iter().map(|k| self.shape[*k]).collect();
        if let Stored::Diagonals(diagonals, _) = &self.stored {
            let transposed = |d: &Diagonal| {
                // An element of column j was in row j - offset: its new column.
                let of = |column: usize| {
                    let old = column as i64 + d.offset;
                    let inside = old >= 0 && (old as usize) < d.elements.len().min(self.shape[1]);
                    if inside { d.elements[old as usize] } else { Value::zero(self.dtype) }
                };
                Diagonal { offset: -d.offset, elements: (0..self.shape[0]).map(of).collect() }
            };
            let diagonals = diagonals.iter().map(transposed).collect();
            return Ok(Sparse::of_diagonals(&shape, self.dtype, self.index, self.shape[0], diagonals));
        }
        if let Format::Bsr([height, width]) = self.format {
            // Blocks keep their order within the rows that were columns.
            let entries = self.entries();
            let transposed = |block: &[Entry]| {
                let of = |k: usize| block[k % height * width + k / height].clone();
                let entry = |e: Entry| Entry { at: vec![e.at[1], e.at[0]], value: e.value };
                (0..height * width).map(of).map(entry).collect::<Vec<_>>()
            };
            let entries = entries.chunks(height * width).flat_map(transposed).collect();
            return Ok(Sparse::new(Format::Bsr([width, height]), &shape, self.dtype, self.index, entries));
        }
        let format = match self.format {
            Format::Csr => Format::Csc,
            Format::Csc => Format::Csr,
            other => other,
        };
        let entry = |e: Entry| Entry { at: axes.iter().map(|k| e.at[*k]).collect(), value: e.value };
        let entries = self.entries().into_iter().map(entry).collect();
        Ok(Sparse::new(format, &shape, self.dtype, self.index, entries))
    }

    /// Gives the elements another shape, in C or in F order; the result has coordinates in the order of the entries.
    ///
    /// # Errors
    ///
    /// `ValueError` for a shape of another number of elements.
    pub fn reshape(&self, shape: &[usize], order: Order) -> Result<Sparse> {
        if shape.iter().product::<usize>() != self.shape.iter().product() {
            return fail(ErrorKind::Value, format!("cannot reshape {:?} to {shape:?}", self.shape));
        }
        if shape == self.shape {
            return Ok(self.clone());
        }
        let reversed = |of: &[usize]| of.iter().rev().copied().collect::<Vec<_>>();
        let moved = |at: &[usize]| match order {
            Order::F => reversed(&unravel(ravel(&reversed(at), &reversed(&self.shape)), &reversed(shape))),
            _ => unravel(ravel(at, &self.shape), shape),
        };
        let entries: Vec<Entry> =
            self.entries().into_iter().map(|e| Entry { at: moved(&e.at), value: e.value }).collect();
        let index = index_dtype(self.given_index(), shape.iter().copied().chain([entries.len()]));
        Ok(Sparse::new(Format::Coo, shape, self.dtype, index, entries))
    }

    /// Broadcasts to a shape. Each entry is followed by its copies; compressed formats are compressed again.
    ///
    /// # Errors
    ///
    /// `ValueError` for a shape to which it does not broadcast.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Sparse> {
        if broadcast_shapes(&[&self.shape, shape])? != shape {
            return fail(ErrorKind::Value, format!("{:?} does not broadcast to {shape:?}", self.shape));
        }
        if shape == self.shape {
            return Ok(self.clone());
        }
        let front = shape.len() - self.shape.len();
        let mut entries: Vec<Entry> = self.entries();
        for e in &mut entries {
            e.at.splice(0..0, vec![0; front]);
        }
        for axis in 0..shape.len() {
            if axis < front || self.shape[axis - front] != shape[axis] {
                let copies = |e: &Entry| -> Vec<Entry> {
                    let copy = |i: usize| {
                        let mut copy = e.clone();
                        copy.at[axis] = i;
                        copy
                    };
                    (0..shape[axis]).map(copy).collect()
                };
                entries = entries.iter().flat_map(copies).collect();
            }
        }
        let format = if self.format == Format::Dia { Format::Coo } else { self.format };
        let index = index_dtype(self.given_index(), shape.iter().copied().chain([entries.len()]));
        let coo = Sparse::new(Format::Coo, shape, self.dtype, index, entries);
        if format == Format::Coo { Ok(coo) } else { coo.to_format(format) }
    }

    /// The positions of a diagonal.
    fn diagonal_positions(&self, k: i64) -> Result<Vec<Vec<usize>>> {
        let [m, n] = self.two_axes()?;
        let columns = (0..m).map(|row| (row, row as i64 + k));
        Ok(columns.filter(|(_, c)| *c >= 0 && (*c as usize) < n).map(|(row, c)| vec![row, c as usize]).collect())
    }

    /// Returns the elements of a diagonal.
    ///
    /// # Errors
    ///
    /// `ValueError` for an array that has not two axes.
    pub fn diagonal(&self, k: i64) -> Result<NdArray> {
        let (at, elements) = (self.diagonal_positions(k)?, self.elements()?);
        let values: Vec<Value> = at.iter().map(|at| Sparse::get(&elements, at, self.dtype)).collect();
        NdArray::from_values(self.dtype, &[values.len()], values)
    }

    /// Stores values on a diagonal: one for all of its elements, or one for each up to the shorter length. The result is sorted and
    /// distinct.
    ///
    /// # Errors
    ///
    /// `ValueError` for a diagonal outside of the matrix, and values of more than one axis.
    pub fn setdiag(&self, values: &NdArray, k: i64) -> Result<Sparse> {
        let at = self.diagonal_positions(k)?;
        if at.is_empty() {
            return fail(ErrorKind::Value, format!("the diagonal {k} is outside of {:?}", self.shape));
        }
        if values.ndim() > 1 {
            return fail(ErrorKind::Value, "values have one axis at most");
        }
        let mut elements = self.elements()?;
        let (all, values) = (values.ndim() == 0, values.values());
        for (rank, at) in at.into_iter().enumerate() {
            let value = if all { values.first() } else { values.get(rank) };
            if let Some(value) = value {
                elements.insert(at, cast(*value, self.dtype).0);
            }
        }
        let index = index_dtype(self.given_index(), self.shape.iter().copied().chain([elements.len()]));
        if self.format == Format::Dia {
            return Sparse::new(Format::Csr, &self.shape, self.dtype, index, listed(elements)).to_format(Format::Dia);
        }
        Ok(Sparse::new(self.format, &self.shape, self.dtype, index, listed(elements)))
    }

    /// Keeps the entries on a diagonal and above it, or below it; the result has coordinates.
    ///
    /// # Errors
    ///
    /// `ValueError` for an array that has not two axes.
    pub fn triangle(&self, k: i64, upper: bool) -> Result<Sparse> {
        self.two_axes()?;
        let coo = self.to_format(Format::Coo)?;
        let offset = |e: &Entry| e.at[1] as i64 - e.at[0] as i64;
        let kept = |e: &Entry| if upper { offset(e) >= k } else { offset(e) <= k };
        Ok(coo.with_entries(coo.entries().into_iter().filter(kept).collect()))
    }

    /// Returns the positions of the elements that are not zero, by rows: indices for each axis.
    ///
    /// # Errors
    ///
    /// None that a valid array has.
    pub fn nonzero(&self) -> Result<Vec<Vec<usize>>> {
        let elements = self.elements()?;
        let at: Vec<&Vec<usize>> = elements.iter().filter(|(_, v)| v.truth()).map(|(at, _)| at).collect();
        Ok((0..self.shape.len()).map(|axis| at.iter().map(|at| at[axis]).collect()).collect())
    }
}
