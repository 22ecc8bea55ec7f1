//! Matrix products with dense and with sparse operands.

use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::entries::{Entries, keys_of};
use super::{CastTo, Compressed, EntryOrder, Format, Select, Sparse, Storage, index_dtype, result_index};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::compressed::{SegmentReduction, expand_pointers, gather_or_zero, row_entries};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::indexing::take;
use crate::routines::manipulation::concatenate;
use crate::ufunc::apply;

/// The dtype in which products are computed: 16-bit floats are rounded once.
fn computed(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// Products of entries that are computed at once, unless a single row has more.
const MOST_PRODUCTS: usize = 1 << 24;

impl Sparse {
    fn compressed_rows(&self) -> Result<Sparse> {
        if self.ndim() == 1 {
            self.reshape(&[1, self.shape[0]], Order::C)?.to_format(Format::Csr)
        } else {
            self.to_format(Format::Csr)
        }
    }

    fn unfit(&self, other: &[usize]) -> Error {
        let (a, b) = (shape_text(&self.shape), shape_text(other));
        Error::new(ErrorKind::Value, format!("the shapes {a} and {b} do not fit a matrix product"))
    }

    /// The matrix product with a dense vector or matrix: `self @ b`, dense.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])?, Format::Csr)?;
    /// assert_eq!(a.matmul_dense(&array([1.0, 10.0, 100.0])?)?.to_vec::<f64>()?, [201.0, 30.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that do not fit.
    pub fn matmul_dense(&self, b: &Array) -> Result<Array> {
        let go = || {
            let a = self.compressed_rows()?;
            let [m, n] = a.matrix_shape();
            if self.ndim() > 2 || !matches!(b.ndim(), 1 | 2) || b.shape()[0] != n {
                return Err(self.unfit(b.shape()));
            }
            engine::one_device(a.values(), [b])?;
            let result = promote_types(a.dtype(), b.dtype());
            let dtype = computed(result);
            let Storage::Compressed(c) = &a.storage else { return Err(self.unfit(b.shape())) };
            let (input, other) =
                (c.data.to_dtype(dtype)?, if b.dtype() == dtype { b.clone() } else { b.astype(dtype)? });
            let shape: Vec<usize> = [m].into_iter().chain(b.shape().get(1).copied()).collect();
            let out = make::empty(b.device(), &shape, dtype)?;
            let product = Some(("multiply", &c.indices, &other));
            let empty = 0.into();
            if n == 0 {
                return make::zeros(b.device(), &shape, result);
            }
            let ends = &c.indptr;
            SegmentReduction { op: "add", ends, input: &input, product, in_order: false, empty, full: 0, out: &out }
                .run()?;
            let out = if result == dtype { out } else { out.to_dtype(result)? };
            // A product of a row with a vector is a number.
            if self.ndim() == 1 { out.reshape(&shape[1..]) } else { Ok(out) }
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    /// The matrix product of a dense vector or matrix with this array: `a @ self`, dense.
    ///
    /// # Errors
    ///
    /// As [`Sparse::matmul_dense`].
    pub fn rmatmul_dense(&self, a: &Array) -> Result<Array> {
        let go = || {
            if !matches!(a.ndim(), 1 | 2) || self.ndim() > 2 || a.shape()[a.ndim() - 1] != self.shape[0] {
                let (a, b) = (shape_text(a.shape()), shape_text(&self.shape));
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("the shapes {a} and {b} do not fit a matrix product"),
                ));
            }
            if self.ndim() == 1 {
                return self.matmul_dense(&if a.ndim() == 2 { a.t() } else { a.clone() });
            }
            let transposed = self.transpose(None)?.matmul_dense(&if a.ndim() == 2 { a.t() } else { a.clone() })?;
            Ok(if a.ndim() == 2 { transposed.t() } else { transposed })
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    /// The matrix product of two sparse matrices, compressed by rows, or by columns where both are. Entries are sorted and distinct;
    /// sums that are zero are dropped, as in SciPy.
    ///
    /// All products of an entry of this matrix with an entry of the other are computed, sorted and added in a fixed order (expansion,
    /// sorting, compression; N. Bell, S. Dalton, L. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", 2012),
    /// which uses memory of 20 to 40 bytes for each. Beyond 2^24 of them, rows are multiplied in parts.
    ///
    /// # Errors
    ///
    /// As [`Sparse::matmul_dense`].
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the numbers of products and of entries.
    pub fn matmul(&self, b: &Sparse) -> Result<Sparse> {
        let go = || {
            if self.ndim() != 2 || b.ndim() != 2 || self.shape[1] != b.shape[0] {
                return Err(self.unfit(&b.shape));
            }
            if self.format() == Format::Csc && b.format() == Format::Csc {
                return b.transpose(None)?.matmul(&self.transpose(None)?)?.transpose(None);
            }
            let (a, b) = (self.to_format(Format::Csr)?, b.to_format(Format::Csr)?);
            engine::one_device(a.values(), [b.values()])?;
            let result = promote_types(a.dtype(), b.dtype());
            let dtype = computed(result);
            let mut parts = vec![];
            a.multiplied(&b, MOST_PRODUCTS, dtype, &mut parts)?;
            joined_rows(&parts)?.astype(result)
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    /// Appends the product of compressed rows with compressed rows. Rows whose products are more than `most` together are
    /// multiplied in parts, which bounds the memory.
    fn multiplied(&self, b: &Sparse, most: usize, dtype: DType, parts: &mut Vec<Sparse>) -> Result<()> {
        let (Storage::Compressed(left), Storage::Compressed(right)) = (&self.storage, &b.storage) else {
            return Err(self.unfit(&b.shape));
        };
        let rows = b.shape[0] as i64;
        let pointers = |from: i64, to: i64| right.indptr.index(s![from..to])?.to_dtype(DType::I64);
        let column = left.indices.to_dtype(DType::I64)?;
        let start = gather_or_zero(&[(&column, &pointers(0, rows)?)])?;
        let stop = gather_or_zero(&[(&column, &pointers(1, rows + 1)?)])?;
        let (ends, total) = super::select::ends_of(&apply("subtract", [(&stop).into(), (&start).into()])?)?;
        if total > most && self.shape[0] > 1 {
            // The row before which half of the products are.
            let before = take(&ends, &left.indptr, 0)?;
            let half = make::of(ends.device(), &[total as i64 / 2], &[1])?;
            let middle = make::empty(ends.device(), &[1], DType::I64)?;
            engine::search_rising(&before, &half, DType::I64, false, &middle)?;
            let middle = (super::number(&middle.reshape(&[] as &[usize])?)? as usize).clamp(1, self.shape[0] - 1);
            for (start, end) in [(0, middle), (middle, self.shape[0])] {
                let rows = Select::Range { start, step: 1, len: end - start };
                self.select(&rows, &Select::All)?.multiplied(b, most, dtype, parts)?;
            }
            return Ok(());
        }
        let (position, entry) = row_entries(&start, &ends, total)?;
        let row = gather_or_zero(&[(&entry, &expand_pointers(&left.indptr, left.data.size())?)])?;
        let shape = [self.shape[0], b.shape[1]];
        let index = index_dtype(shape.into_iter().chain([total]));
        let column = gather_or_zero(&[(&position, &right.indices)])?;
        let keys = keys_of(&row.to_dtype(index)?, &column.to_dtype(index)?, shape)?;
        let x = gather_or_zero(&[(&entry, &left.data)])?.to_dtype(dtype)?;
        let y = gather_or_zero(&[(&position, &right.data)])?.to_dtype(dtype)?;
        let products = apply("multiply", [(&x).into(), (&y).into()])?;
        let operands = result_index([self.index_dtype(), b.index_dtype()], []);
        let entries = Entries::of_keys(shape, &keys, &products, operands)?.without_zeros()?;
        parts.push(entries.into_compressed(0)?);
        Ok(())
    }
}

/// Joins matrices of compressed rows, which have the same columns and sorted entries, below each other.
fn joined_rows(parts: &[Sparse]) -> Result<Sparse> {
    if let [one] = parts {
        return Ok(one.clone());
    }
    let (rows, entries) = parts.iter().try_fold((0, 0), |(m, n), p| Ok::<_, Error>((m + p.shape[0], n + p.nnz()?)))?;
    let columns = parts.first().map_or(0, |p| p.shape[1]);
    let index = result_index(parts.iter().map(Sparse::index_dtype), [rows, columns, entries]);
    let (mut pointers, mut indices, mut data) = (vec![], vec![], vec![]);
    let mut before = 0;
    for (k, part) in parts.iter().enumerate() {
        let own = part.indptr()?.to_dtype(index)?.index(s![i64::from(k > 0)..])?;
        pointers.push(apply("add", [(&own).into(), (before as i64).into()])?);
        indices.push(part.indices()?.to_dtype(index)?);
        data.push(part.data());
        before += part.nnz()?;
    }
    let join = |arrays: &[Array]| concatenate(arrays.iter().collect::<Vec<_>>(), ());
    let (indptr, indices, data) = (join(&pointers)?, join(&indices)?, join(&data)?);
    let order = OnceLock::from(EntryOrder::Canonical);
    Ok(Sparse::of_compressed([rows, columns], Compressed { major: 0, indptr, indices, data, order }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products in parts of a few rows are those of all rows at once, whatever the parts.
    #[test]
    fn products_in_parts_are_the_same() -> Result<()> {
        let values: Vec<i64> = (0..35).map(|k| if k % 3 == 0 { k % 7 - 3 } else { 0 }).collect();
        let a = Sparse::from_dense(&Array::from_slice(&values, [7, 5])?, Format::Csr)?;
        let b = Sparse::from_dense(&Array::from_slice(&values, [5, 7])?, Format::Csr)?;
        let whole = a.matmul(&b)?;
        for most in [0, 1, 5, 1000] {
            let mut parts = vec![];
            a.multiplied(&b, most, DType::I64, &mut parts)?;
            assert_eq!(parts.len() == 1, most == 1000, "{most}");
            let joined = joined_rows(&parts)?;
            for (one, other) in [(joined.indptr()?, whole.indptr()?), (joined.indices()?, whole.indices()?)] {
                assert_eq!(one.to_vec::<i32>()?, other.to_vec::<i32>()?);
            }
            assert_eq!(joined.data().to_vec::<i64>()?, whole.data().to_vec::<i64>()?);
        }
        Ok(())
    }
}
