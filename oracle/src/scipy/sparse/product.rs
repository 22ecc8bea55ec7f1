//! Matrix products.

use std::collections::BTreeMap;

use super::{Entry, Format, Sparse, index_dtype};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::numpy::linalg::matmul::{matmul, matmul_bound};

/// A product and the bound of the error of each of its elements.
#[derive(Clone, Debug)]
pub struct Product<T> {
    /// The product.
    pub result: T,
    /// An absolute error for each element of a dense result, or for each entry of a sparse one.
    pub bounds: Vec<f64>,
}

/// Returns a dot product, exact and rounded once, with its bound.
fn dot(terms: &[(Value, Value)], a: &Sparse, b: cuprum_kernels::DType) -> Result<(Value, f64)> {
    let row = NdArray::from_values(a.dtype, &[1, terms.len()], terms.iter().map(|t| t.0))?;
    let column = NdArray::from_values(b, &[terms.len(), 1], terms.iter().map(|t| t.1))?;
    Ok((matmul(&row, &column)?.values()[0], matmul_bound(&row, &column)?[0]))
}

fn unfit<T>(a: &[usize], b: &[usize]) -> Result<T> {
    fail(ErrorKind::Value, format!("the shapes {a:?} and {b:?} do not fit a matrix product"))
}

impl Sparse {
    /// Returns the entries of each row of the matrix; one axis is a row.
    fn rows(&self) -> Vec<Vec<(usize, Value)>> {
        let m = if self.shape.len() == 1 { 1 } else { self.shape[0] };
        let mut rows = vec![vec![]; m];
        for Entry { at, value } in self.entries() {
            let row = if at.len() == 1 { 0 } else { at[0] };
            rows[row].push((at[at.len() - 1], value));
        }
        rows
    }

    /// Multiplies by a dense vector or matrix.
    ///
    /// # Errors
    ///
    /// `ValueError` for shapes that do not fit.
    pub fn matmul_dense(&self, b: &NdArray) -> Result<Product<NdArray>> {
        let inner = self.shape[self.shape.len() - 1];
        if self.shape.len() > 2 || !matches!(b.ndim(), 1 | 2) || b.shape()[0] != inner {
            return unfit(&self.shape, b.shape());
        }
        let columns = b.shape().get(1).copied().unwrap_or(1);
        let (mut values, mut bounds) = (vec![], vec![]);
        for row in self.rows() {
            for j in 0..columns {
                let of = |k: usize| if b.ndim() == 1 { b.get(&[k]) } else { b.get(&[k, j]) };
                let terms: Vec<(Value, Value)> = row.iter().map(|(k, value)| (*value, of(*k))).collect();
                let (value, bound) = dot(&terms, self, b.dtype())?;
                values.push(value);
                bounds.push(bound);
            }
        }
        let rows = (self.shape.len() == 2).then_some(self.shape[0]);
        let shape: Vec<usize> = rows.into_iter().chain(b.shape().get(1).copied()).collect();
        let result = NdArray::from_values(promote_types(self.dtype, b.dtype()), &shape, values)?;
        Ok(Product { result, bounds })
    }

    /// Multiplies a dense vector or matrix by this array.
    ///
    /// # Errors
    ///
    /// As [`Sparse::matmul_dense`].
    pub fn rmatmul_dense(&self, a: &NdArray) -> Result<Product<NdArray>> {
        if !matches!(a.ndim(), 1 | 2) || self.shape.len() > 2 || a.shape()[a.ndim() - 1] != self.shape[0] {
            return unfit(a.shape(), &self.shape);
        }
        let reversed = |a: &NdArray| {
            let axes: Vec<isize> = (0..a.ndim() as isize).rev().collect();
            a.transpose(Some(&axes))
        };
        if self.shape.len() == 1 {
            return self.matmul_dense(&reversed(a)?);
        }
        // The rows of the transposed product are the columns of the product.
        let Product { result, bounds } = self.transpose(None)?.matmul_dense(&reversed(a)?)?;
        let bounds = if result.ndim() == 2 {
            let (n, m) = (result.shape()[0], result.shape()[1]);
            (0..m * n).map(|k| bounds[k % n * m + k / n]).collect()
        } else {
            bounds
        };
        Ok(Product { result: reversed(&result)?, bounds })
    }

    /// Multiplies two sparse matrices. Sums that are zero are dropped, and the entries are sorted. It is compressed by columns if both operands are, otherwise by rows.
    ///
    /// # Errors
    ///
    /// As [`Sparse::matmul_dense`].
    pub fn matmul(&self, b: &Sparse) -> Result<Product<Sparse>> {
        if self.shape.len() != 2 || b.shape.len() != 2 || self.shape[1] != b.shape[0] {
            return unfit(&self.shape, &b.shape);
        }
        // Coordinates become compressed rows: their duplicates are added first.
        let added = |a: &Sparse| if a.format == Format::Coo { a.to_format(Format::Csr) } else { Ok(a.clone()) };
        let (left, right) = (added(self)?, added(b)?);
        let rows = right.rows();
        let mut terms: BTreeMap<Vec<usize>, Vec<(Value, Value)>> = BTreeMap::new();
        for (i, row) in left.rows().into_iter().enumerate() {
            for (k, x) in row {
                for (j, y) in &rows[k] {
                    terms.entry(vec![i, *j]).or_default().push((x, *y));
                }
            }
        }
        let (mut entries, mut bounds) = (vec![], vec![]);
        let format = if self.format == Format::Csc && b.format == Format::Csc { Format::Csc } else { Format::Csr };
        let mut all: Vec<_> = terms.into_iter().collect();
        if format == Format::Csc {
            all.sort_by_key(|(at, _)| (at[1], at[0]));
        }
        for (at, terms) in all {
            let (value, bound) = dot(&terms, self, b.dtype)?;
            if !value.truth() {
                continue;
            }
            entries.push(Entry { at, value });
            bounds.push(bound);
        }
        let shape = [self.shape[0], b.shape[1]];
        let given = self.given_index().into_iter().chain(b.given_index());
        let index = index_dtype(given, shape.into_iter().chain([entries.len()]));
        let result = Sparse::new(format, &shape, promote_types(self.dtype, b.dtype), index, entries);
        Ok(Product { result, bounds })
    }
}
