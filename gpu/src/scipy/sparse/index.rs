//! Indexing by rows and columns, and arrays from triplets.
//!
//! Slices and integers become [`Select::Range`], arrays [`Select::Indices`]; masks are converted to
//! indices, which reads their number.

use super::{Select, Sparse};
use crate::array::{Array, AsIndex, Index};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Order, shape_text};

/// One axis of an index: the selected part, and true if the axis is removed.
type Part = (Select, bool);

impl Sparse {
    /// The elements of rows and columns by an index, as NumPy's brackets: an integer selects a row or column and
    /// removes the axis, a slice, a list or an array of integers or booleans keeps it. Arrays of both axes select every
    /// pair of a row and a column, as NumPy's `ix_`; [`Sparse::points`] reads single positions. A matrix keeps its
    /// format; an array of one axis has coordinates.
    ///
    /// ```
    /// use cuprum::{array, s, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, 2], [0, 3, 0], [4, 0, 0]])?, Format::Csr)?;
    /// assert_eq!(a.index(s![1.., ..2])?.to_dense(())?.to_vec::<i32>()?, [0, 3, 4, 0]);
    /// assert_eq!(a.index(s![[2, 0], ..])?.to_dense(())?.to_vec::<i32>()?, [4, 0, 0, 1, 0, 2]);
    /// let row = a.index(s![-1])?;
    /// assert_eq!((row.shape(), row.to_dense(())?.to_vec::<i32>()?), (&[3][..], vec![4, 0, 0]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for more parts than axes, an integer that is out of bounds, integers for all axes and a
    /// mask of another length; [`ErrorKind::Type`] for new axes and arrays that are neither integers nor booleans;
    /// [`ErrorKind::Value`] for an array of more than two axes. An index in an array that is out of bounds is returned
    /// by the next call that synchronises.
    ///
    /// # Synchronization
    ///
    /// As [`Sparse::select`].
    pub fn index(&self, index: impl AsIndex) -> Result<Sparse> {
        let go = |index: &[Index]| {
            let &[m, n] = self.shape() else {
                let &[n] = self.shape() else { return Err(super::two_axes(self.format(), self.shape())) };
                let row = self.reshape(&[1, n], Order::C)?;
                let parts: Vec<Index> = [Index::Slice(Slice::default())].iter().chain(index).cloned().collect();
                let found = row.to_format(super::Format::Csr)?.index(parts)?;
                return found.reshape(&found.shape()[1..], Order::C);
            };
            let parts = by_axis(index)?;
            let [(rows, one_row), (columns, one_column)] = [part(&parts[0], 0, m)?, part(&parts[1], 1, n)?];
            let found = self.select(&rows, &columns)?;
            match (one_row, one_column) {
                (false, false) => Ok(found),
                (true, true) => {
                    let message = "integers for all axes select one element, which is not an array: use `points`";
                    Err(Error::new(ErrorKind::Index, message))
                }
                (true, false) => found.reshape(&[found.shape()[1]], Order::C),
                (false, true) => found.reshape(&[found.shape()[0]], Order::C),
            }
        };
        go(index.as_ref()).map_err(|e: Error| e.with_op("sparse.index"))
    }

    /// An array of coordinates from triplets on the host: the row, the column and the value of each entry; of one
    /// position the values are added.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_triplets([2, 3], &[0, 1, 1], &[2, 0, 0], &[1.0, 2.0, 3.0])?.to_format(Format::Csr)?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 5.0, 0.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Sparse::coo`].
    pub fn from_triplets<T: Element>(
        shape: [usize; 2],
        rows: &[usize],
        columns: &[usize],
        values: &[T],
    ) -> Result<Sparse> {
        let coordinates = |list: &[usize]| {
            let list: Vec<i64> = list.iter().map(|&i| i as i64).collect();
            Array::from_slice(&list, [list.len()])?.astype(super::index_dtype(shape))
        };
        for (axis, (list, n)) in [rows, columns].into_iter().zip(shape).enumerate() {
            if list.len() != values.len() {
                let message = format!("{} coordinates along axis {axis} for {} values", list.len(), values.len());
                return Err(Error::new(ErrorKind::Value, message).with_op("sparse.from_triplets"));
            }
            if let Some((k, i)) = list.iter().enumerate().find(|(_, i)| **i >= n) {
                let message = format!("coordinate {i} of entry {k} is out of bounds for axis {axis} with size {n}");
                return Err(Error::new(ErrorKind::Value, message).with_op("sparse.from_triplets"));
            }
        }
        let values = Array::from_slice(values, [values.len()])?;
        Ok(Sparse::of_coords(&shape, vec![coordinates(rows)?, coordinates(columns)?], values, false))
    }
}

/// Triplets: the shape, and the row, column and value of each entry.
impl<T: Element> TryFrom<([usize; 2], &[usize], &[usize], &[T])> for Sparse {
    type Error = Error;

    fn try_from((shape, rows, columns, values): ([usize; 2], &[usize], &[usize], &[T])) -> Result<Sparse> {
        Sparse::from_triplets(shape, rows, columns, values)
    }
}

/// Returns the parts of an index of two axes.
fn by_axis(index: &[Index]) -> Result<[Index; 2]> {
    let all = || Index::Slice(Slice::default());
    let named: Vec<&Index> = index.iter().filter(|part| !matches!(part, Index::Ellipsis)).collect();
    let ellipsis = index.iter().position(|part| matches!(part, Index::Ellipsis)).unwrap_or(index.len());
    if index.len() > named.len() + 1 {
        return Err(Error::new(ErrorKind::Index, "an index can have only one ellipsis"));
    }
    match named.as_slice() {
        [] => Ok([all(), all()]),
        [one] if ellipsis == 0 => Ok([all(), (*one).clone()]),
        [one] => Ok([(*one).clone(), all()]),
        [rows, columns] => Ok([(*rows).clone(), (*columns).clone()]),
        more => Err(Error::new(ErrorKind::Index, format!("{} indices for an array of two axes", more.len()))),
    }
}

/// Returns what an index selects of an axis of `n` elements.
fn part(index: &Index, axis: usize, n: usize) -> Result<Part> {
    match index {
        Index::At(i) => {
            let at = if *i < 0 { i + n as i64 } else { *i };
            if at < 0 || at >= n as i64 {
                let message = format!("index {i} is out of bounds for axis {axis} with size {n}");
                return Err(Error::new(ErrorKind::Index, message));
            }
            Ok((Select::Range { start: at as usize, step: 1, len: 1 }, true))
        }
        Index::Slice(slice) => {
            let (start, len, step) = slice.resolve(n)?;
            let whole = (start, len, step) == (0, n, 1);
            let step = isize::try_from(step).unwrap_or(isize::MAX);
            Ok((if whole { Select::All } else { Select::Range { start: start.max(0) as usize, step, len } }, false))
        }
        Index::List(list) => Ok((Select::Indices(Array::from_slice(list, [list.len()])?), false)),
        Index::Array(a) if a.dtype() == cuprum_kernels::DType::Bool => {
            if a.shape() != [n] {
                let message = format!("a mask of shape {} for axis {axis} with size {n}", shape_text(a.shape()));
                return Err(Error::new(ErrorKind::Index, message));
            }
            Ok((Select::Indices(crate::engine::mark(a)?.positions()?), false))
        }
        Index::Array(a) if a.ndim() == 1 => Ok((Select::Indices(a.clone()), false)),
        Index::Array(a) => {
            let message = format!("an array of indices of shape {}: it has one axis", shape_text(a.shape()));
            Err(Error::new(ErrorKind::Index, message))
        }
        Index::NewAxis | Index::Truth(_) => {
            Err(Error::new(ErrorKind::Type, "a sparse array is indexed by integers, slices, lists and arrays"))
        }
        // Removed by `by_axis`.
        Index::Ellipsis => Ok((Select::All, false)),
    }
}
