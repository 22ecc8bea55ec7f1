//! Conversions between formats, from and to dense arrays; sorting, adding and dropping of entries.

use std::collections::BTreeSet;

use cuprum_kernels::DType;

use super::{Diagonal, Entry, Format, Sparse, Stored, index_dtype, listed, positions};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::value::{Value, cast};

impl Sparse {
    /// Stores the elements of a dense array that are not zero.
    ///
    /// # Errors
    ///
    /// `ValueError` for an array that has not two axes in a format other than coordinates, or no axes.
    pub fn from_dense(a: &NdArray, format: Format) -> Result<Sparse> {
        if a.ndim() == 0 || a.ndim() != 2 && format != Format::Coo {
            return fail(ErrorKind::Value, format!("{format:?} has two axes"));
        }
        let entry = |at: Vec<usize>| Entry { value: a.get(&at), at };
        let entries: Vec<Entry> = positions(a.shape()).into_iter().map(entry).filter(|e| e.value.truth()).collect();
        let index = index_dtype([], a.shape().iter().copied().chain([entries.len()]));
        let coo = Sparse::new(Format::Coo, a.shape(), a.dtype(), index, entries);
        coo.to_format(format)
    }

    /// Converts to another format. Entries of one position are added on the way from coordinates, and to diagonals; otherwise they
    /// stay. Zeros of diagonals are dropped.
    ///
    /// # Errors
    ///
    /// `ValueError` for an array that has not two axes and a format that has.
    pub fn to_format(&self, format: Format) -> Result<Sparse> {
        if self.format == format {
            return Ok(self.clone());
        }
        if format == Format::Coo {
            let is_chosen = matches!(self.format, Format::Dia | Format::Bsr(_));
            let index = if is_chosen { index_dtype([], self.shape.clone()) } else { self.index };
            return Ok(Sparse::new(Format::Coo, &self.shape, self.dtype, index, self.entries()));
        }
        let [_, n] = self.two_axes()?;
        match format {
            Format::Dia => return self.to_diagonals(),
            Format::Bsr(size) => return self.to_blocks(size),
            _ => {}
        }
        let entries = match self.format {
            // By columns, then by rows, or the reverse: the order within each is that of the other format.
            Format::Coo | Format::Dia => listed(self.elements()?),
            _ => self.entries(),
        };
        let given = (self.format != Format::Dia).then_some(self.index);
        let index = index_dtype(given, [entries.len(), self.shape[0], n]);
        Ok(Sparse::new(format, &self.shape, self.dtype, index, entries))
    }

    /// The blocks that have an entry, in a block row in the order in which its rows mention them. Entries of one position
    /// are added; blocks of one element are the entries as they are stored.
    fn to_blocks(&self, size: [usize; 2]) -> Result<Sparse> {
        let ([m, n], [height, width]) = (self.two_axes()?, size);
        if size.contains(&0) || !m.is_multiple_of(height) || !n.is_multiple_of(width) {
            return fail(ErrorKind::Value, format!("blocks of {height} x {width} in a matrix of {m} x {n}"));
        }
        let rows = self.to_format(Format::Csr)?;
        let entries = rows.entries();
        if size == [1, 1] {
            return Ok(Sparse::new(Format::Bsr(size), &self.shape, self.dtype, rows.index, entries));
        }
        let block = |at: &[usize]| [at[0] / height, at[1] / width];
        let mut blocks: Vec<[usize; 2]> = vec![];
        entries.iter().map(|e| block(&e.at)).for_each(|b| {
            if !blocks.contains(&b) {
                blocks.push(b);
            }
        });
        let elements = rows.elements()?;
        let of_block = |b: &[usize; 2]| {
            let first = [b[0] * height, b[1] * width];
            let at = move |k: usize| vec![first[0] + k / width, first[1] + k % width];
            (0..height * width).map(at).collect::<Vec<_>>()
        };
        let entry = |at: Vec<usize>| Entry { value: Sparse::get(&elements, &at, self.dtype), at };
        let index = index_dtype([rows.index], [n / width, blocks.len()]);
        let entries = blocks.iter().flat_map(of_block).map(entry).collect();
        Ok(Sparse::new(Format::Bsr(size), &self.shape, self.dtype, index, entries))
    }

    /// The diagonals that have an entry, with columns up to the last one that has one.
    fn to_diagonals(&self) -> Result<Sparse> {
        let elements = self.elements()?;
        let offset = |at: &[usize]| at[1] as i64 - at[0] as i64;
        let offsets: BTreeSet<i64> = elements.keys().map(|at| offset(at)).collect();
        let length = elements.keys().map(|at| at[1] + 1).max().unwrap_or(0);
        let mut diagonals: Vec<Diagonal> =
            offsets.iter().map(|o| Diagonal { offset: *o, elements: vec![Value::zero(self.dtype); length] }).collect();
        for (at, value) in &elements {
            let k = offsets.iter().position(|o| *o == offset(at)).unwrap_or(0);
            diagonals[k].elements[at[1]] = *value;
        }
        Ok(Sparse::of_diagonals(&self.shape, self.dtype, index_dtype([], self.shape.clone()), length, diagonals))
    }

    /// Converts to a dense array.
    ///
    /// # Errors
    ///
    /// None that a valid array has.
    pub fn to_dense(&self, order: Order) -> Result<NdArray> {
        let elements = self.elements()?;
        let values = positions(&self.shape).iter().map(|at| Sparse::get(&elements, at, self.dtype)).collect::<Vec<_>>();
        Ok(NdArray::from_values(self.dtype, &self.shape, values)?.copy(order))
    }

    /// Sorts the entries and adds those of one position. Diagonals have none.
    ///
    /// # Errors
    ///
    /// None that a valid array has.
    pub fn sum_duplicates(&self) -> Result<Sparse> {
        match self.format {
            Format::Dia => Ok(self.clone()),
            Format::Bsr([height, width]) => {
                // Blocks of one position are added whole.
                let mut entries = listed(self.elements()?);
                entries.sort_by_key(|e| [e.at[0] / height, e.at[1] / width]);
                Ok(self.with_entries(entries))
            }
            _ => Ok(self.with_entries(listed(self.elements()?))),
        }
    }

    /// Sorts the entries of each row, or of each column, or the blocks of each block row; coordinates and diagonals stay.
    #[must_use]
    pub fn sort_indices(&self) -> Sparse {
        let mut entries = self.entries();
        match self.format {
            Format::Csr => entries.sort_by_key(|e| e.at[1]),
            Format::Csc => entries.sort_by_key(|e| e.at[0]),
            Format::Bsr([_, width]) => entries.sort_by_key(|e| e.at[1] / width),
            Format::Coo | Format::Dia => return self.clone(),
        }
        self.with_entries(entries)
    }

    /// Drops entries that are zero, and blocks whose elements all are; diagonals stay.
    #[must_use]
    pub fn eliminate_zeros(&self) -> Sparse {
        match self.format {
            Format::Dia => self.clone(),
            Format::Bsr([height, width]) => {
                let entries = self.entries();
                let kept = entries.chunks(height * width).filter(|block| block.iter().any(|e| e.value.truth()));
                self.with_entries(kept.flatten().cloned().collect())
            }
            _ => self.with_entries(self.entries().into_iter().filter(|e| e.value.truth()).collect()),
        }
    }

    /// Casts the values; the structure stays.
    #[must_use]
    pub fn astype(&self, dtype: DType) -> Sparse {
        self.with_values(dtype, |value| cast(value, dtype).0)
    }

    /// Changes every stored value; the structure stays.
    pub(crate) fn with_values(&self, dtype: DType, change: impl Fn(Value) -> Value) -> Sparse {
        let stored = match &self.stored {
            Stored::Entries(entries) => {
                Stored::Entries(entries.iter().map(|e| Entry { at: e.at.clone(), value: change(e.value) }).collect())
            }
            Stored::Diagonals(all, length) => Stored::Diagonals(
                all.iter()
                    .map(|d| Diagonal { offset: d.offset, elements: d.elements.iter().map(|v| change(*v)).collect() })
                    .collect(),
                *length,
            ),
        };
        Sparse { dtype, stored, ..self.clone() }
    }
}
