//! Matrix products with dense and with sparse operands.
//!
//! Lower bound of a product with a dense vector: values and indices are read once, the vector from the
//! cache, and the result is written once. The lengths of the rows decide at the first product how rows are
//! shared among threads, and the choice is remembered with the pattern.
//!
//! A product of two sparse matrices counts the products of each row, then the distinct entries, then writes
//! them; the allocation between the last two is the reason for the synchronisation.

use std::sync::OnceLock;

use cuprum_kernels::DType;
use cuprum_kernels::source::SPARSE_CAPACITIES;

use super::entries::{Entries, counted, keys_of};
use super::{
    CastTo, Compressed, Crossed, EntryOrder, Format, Memo, Pattern, Select, Sparse, Storage, index_dtype, result_index,
};
use crate::array::Array;
use crate::cuda::Device;
use crate::dtype::promote_types;
use crate::engine::compressed::{expand_pointers, gather_or_zero, longest_row, row_entries, scatter};
use crate::engine::sparse_product::{Rows, Semiring, balance, product};
use crate::engine::sparse_sparse::{self, Chosen, Factors, Matrix};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::indexing::take;
use crate::routines::searching::flatnonzero;
use crate::ufunc::apply;

/// The dtype in which products are computed: 16-bit floats are rounded once.
fn computed(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

impl Memo {
    /// Returns what is remembered of the pattern, or computes it. In a capture, whose arrays have no elements yet,
    /// nothing is remembered.
    pub(super) fn remembered<T: Clone>(
        &self,
        device: Device,
        slot: impl Fn(&Pattern) -> &OnceLock<T>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let slot = slot(&self.0);
        if let Some(known) = slot.get() {
            return Ok(known.clone());
        }
        let new = compute()?;
        if device.queue().is_captured() { Ok(new) } else { Ok(slot.get_or_init(|| new).clone()) }
    }
}

/// Products of entries that are computed at once, unless a single row has more.
const MOST_PRODUCTS: usize = 1 << 24;

/// Bytes of entries for which memory is allocated whether they are used or not.
const FEW_BYTES: usize = 1 << 20;

/// Returns the index of the capacity of rows that are multiplied in one pass, of at most `longest` products and `bound`
/// in all; `None` if rows have more products, or a few of them many more than the others.
fn one_pass(longest: usize, bound: usize, rows: usize) -> Option<u8> {
    let [few, some, _] = SPARSE_CAPACITIES;
    match longest {
        _ if rows == 0 => None,
        _ if longest <= few => Some(0),
        _ if longest <= some && bound / rows > few => Some(1),
        _ => None,
    }
}

impl Sparse {
    /// The number of entries of the longest row of compressed rows; it is remembered. Synchronises to read it.
    pub(super) fn longest(&self) -> Result<usize> {
        let Storage::Compressed(c) = &self.storage else { return Ok(usize::MAX) };
        let longest = c.memo.remembered(c.data.device(), |pattern| &pattern.longest, || longest_row(&c.indptr))?;
        // Unchecked pointers may fall.
        Ok(usize::try_from(longest).unwrap_or(usize::MAX))
    }

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
    /// The result has the rows of the matrix and the columns of `b`, or one axis for a vector, and the promoted
    /// dtype.
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
    ///
    /// # Synchronization
    ///
    /// Synchronises at the first product with a large matrix, to compare the lengths of its rows.
    pub fn matmul_dense(&self, b: &Array) -> Result<Array> {
        self.multiplied_dense(b).map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    fn multiplied_dense(&self, b: &Array) -> Result<Array> {
        let a = if self.ndim() == 2 { self.clone() } else { self.compressed_rows()? };
        let [m, n] = a.matrix_shape();
        if self.ndim() > 2 || !matches!(b.ndim(), 1 | 2) || b.shape()[0] != n {
            return Err(self.unfit(b.shape()));
        }
        engine::one_device(a.values(), [b])?;
        let result = promote_types(a.dtype(), b.dtype());
        let dtype = computed(result);
        let shape: Vec<usize> = [m].into_iter().chain(b.shape().get(1).copied()).collect();
        if n == 0 {
            return make::zeros(b.device(), &shape, result);
        }
        let mut x = if b.dtype() == dtype { b.clone() } else { b.astype(dtype)? };
        if let (&[_, across], &[down, along]) = (x.shape(), x.strides()) {
            // The elements that a row is multiplied by are read together.
            if across > 1 && along.abs() > down.abs() {
                x = x.copy(Order::C)?;
            }
        }
        let out = make::empty(b.device(), &shape, dtype)?;
        a.product_over(&x, Semiring::plus_times(), &out)?;
        let out = if result == dtype { out } else { out.to_dtype(result)? };
        // A product of a row with a vector is a number.
        if self.ndim() == 1 { out.reshape(&shape[1..]) } else { Ok(out) }
    }

    /// Writes the product with a dense operand over a semiring, in whose dtype values are computed, to `out`.
    pub(super) fn product_over(&self, x: &Array, semiring: Semiring, out: &Array) -> Result<()> {
        if let Storage::Blocks(c) = &self.storage {
            let values = &c.data.ravel()?.to_dtype(out.dtype())?;
            let elements = self.expanded_blocks(c, semiring, out.dtype())?;
            let Crossed { indptr, indices, positions, balance } = &elements;
            return product(
                Rows { indptr, columns: indices, values, order: Some(positions), balance },
                x,
                semiring,
                out,
            );
        }
        let converted;
        let Storage::Compressed(c) = (match &self.storage {
            Storage::Compressed(_) => &self.storage,
            _ => {
                // Entries of one position are added in the dtype of the product, as in SciPy.
                converted = self.astype(out.dtype())?.to_format(Format::Csr)?;
                &converted.storage
            }
        }) else {
            return Err(self.unfit(x.shape()));
        };
        let values = &c.data.to_dtype(out.dtype())?;
        if c.major == 0 {
            let balance = c.memo.remembered(
                c.indptr.device(),
                |p| &p.balance,
                || balance(&c.indptr, c.data.size(), semiring, out.dtype(), || longest_row(&c.indptr)),
            )?;
            let rows = Rows { indptr: &c.indptr, columns: &c.indices, values, order: None, balance: &balance };
            return product(rows, x, semiring, out);
        }
        let crossed = self.crossed(c, semiring, out.dtype())?;
        let Crossed { indptr, indices, positions, balance } = &crossed;
        product(Rows { indptr, columns: indices, values, order: Some(positions), balance }, x, semiring, out)
    }

    /// The pattern of compressed columns, compressed along the rows, for products of a dtype or another; it is
    /// remembered.
    pub(super) fn crossed(&self, c: &Compressed, semiring: Semiring, dtype: DType) -> Result<Crossed> {
        debug_assert_eq!(c.major, 1);
        c.memo.remembered(
            c.indptr.device(),
            |p| &p.crossed,
            || {
                let positions = counted(&c.indices, c.data.size(), c.indptr.dtype())?;
                let by_rows = self.with_data(&positions)?.to_format(Format::Csr)?;
                let (indptr, indices, positions) = (by_rows.indptr()?, by_rows.indices()?, by_rows.data());
                let balance = balance(&indptr, positions.size(), semiring, dtype, || longest_row(&indptr))?;
                Ok(Crossed { indptr, indices, positions, balance })
            },
        )
    }

    /// Multiplies a dense vector or matrix by this array: `a @ self`, dense.
    ///
    /// The result has the promoted dtype; it is computed as the product of the transposes.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0], [2, 3]])?, Format::Csr)?;
    /// assert_eq!(a.rmatmul_dense(&array([1, 10])?)?.to_vec::<i32>()?, [21, 30]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
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
            if self.format() == Format::Bsr {
                return self.to_format(Format::Csr)?.rmatmul_dense(a);
            }
            if self.ndim() == 1 {
                return self.matmul_dense(&if a.ndim() == 2 { a.t() } else { a.clone() });
            }
            let transposed = self.transpose(None)?.matmul_dense(&if a.ndim() == 2 { a.t() } else { a.clone() })?;
            Ok(if a.ndim() == 2 { transposed.t() } else { transposed })
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    /// The matrix product of two sparse matrices, compressed by rows, or by columns where both are; SciPy's `a
    /// @ b`.
    ///
    /// Entries are sorted and distinct; sums that are zero are dropped, as in SciPy. The result has the
    /// promoted dtype; 16-bit floats are computed in float32 and rounded once.
    ///
    /// The products of a row are sorted and added in shared memory, in the order of the entries: by a thread
    /// for up to 32 products, by a block for more. Where no row has more than 32, and all together at most four for each
    /// entry of both matrices, memory for all products is allocated and rows are multiplied once. Rows with more than 1,024 products are expanded, sorted and
    /// added in global memory (N. Bell, S. Dalton, L. Olson, "Exposing Fine-Grained Parallelism in Algebraic
    /// Multigrid Methods", 2012), at most 2^24 products at once.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 0], [2, 3]])?, Format::Csr)?;
    /// assert_eq!(a.matmul(&a)?.to_dense(())?.to_vec::<i32>()?, [1, 0, 8, 9]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
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
            a.rows_multiplied(&b, dtype)?.astype(result)
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }

    /// The product of compressed rows with compressed rows, in a dtype.
    fn rows_multiplied(&self, b: &Sparse, dtype: DType) -> Result<Sparse> {
        let (Storage::Compressed(left), Storage::Compressed(right)) = (&self.storage, &b.storage) else {
            return Err(self.unfit(&b.shape));
        };
        let device = left.data.device();
        let shape = [self.shape[0], b.shape[1]];
        let operands = result_index([self.index_dtype(), b.index_dtype()], []);
        let cast = |c: &Compressed| -> Result<[Array; 3]> {
            Ok([c.indptr.to_dtype(operands)?, c.indices.to_dtype(operands)?, c.data.to_dtype(dtype)?])
        };
        let (left, right) = (cast(left)?, cast(right)?);
        fn matrix([indptr, columns, values]: &[Array; 3]) -> Matrix<'_> {
            Matrix { indptr, columns, values }
        }
        let factors =
            Factors { a: matrix(&left), b: matrix(&right), columns: shape[1], semiring: Semiring::plus_times() };
        let result = |ends: &Array, columns: &Array, values: Array| -> Result<Sparse> {
            let index = result_index([operands], [shape[0], shape[1], values.size()]);
            let (indptr, indices) = (ends.to_dtype(index)?, columns.to_dtype(index)?);
            let order = OnceLock::from(EntryOrder::Canonical);
            Ok(Sparse::of_compressed(
                shape,
                Compressed { major: 0, indptr, indices, data: values, order: order.into(), memo: Memo::default() },
            ))
        };
        let [of_a, of_b] = [self, b].map(Sparse::longest);
        let (of_a, of_b) = (of_a?, of_b?);
        let bound = left[1].size().saturating_mul(of_b);
        if let Some(capacity) = one_pass(of_a.saturating_mul(of_b), bound, shape[0]) {
            let entry = operands.size() + dtype.size();
            let mut room = bound;
            if bound.saturating_mul(entry) > FEW_BYTES {
                let estimate = factors.estimate(capacity)?;
                room = bound.min(estimate + estimate / 16 + FEW_BYTES / entry);
            }
            loop {
                let (columns, values) = (make::empty(device, &[room], operands)?, make::empty(device, &[room], dtype)?);
                let ends = factors.multiply(capacity, &columns, &values)?;
                let entries = ends.index(s![-1])?.item::<i64>()? as usize;
                if entries <= room {
                    let is_full = entries >= room / 4 * 3;
                    let first = |a: &Array| {
                        let part = a.index(s![..entries as i64])?;
                        if is_full { Ok(part) } else { part.copy(Order::C) }
                    };
                    return result(&ends, &first(&columns)?, first(&values)?);
                }
                // Rows that are not in the sample have more entries.
                room = entries;
            }
        }
        let [products, heavy] = factors.products()?;
        let heavy = heavy.to_vec::<u64>()?;
        let counts = make::empty(device, &[shape[0]], DType::I64)?;
        // The rows of each capacity: all rows where none has another one, and no rows for a capacity that none has.
        let listed = |least: usize, most: usize| -> Result<Array> {
            let above = apply("greater", [(&products).into(), (least as i64).into()])?;
            let below = apply("less_equal", [(&products).into(), (most as i64).into()])?;
            flatnonzero(&apply("logical_and", [(&above).into(), (&below).into()])?)
        };
        let [small, medium, large] = SPARSE_CAPACITIES;
        let lists = [
            (0, None),
            (1, if heavy[0] > 0 { Some(listed(small, medium)?) } else { None }),
            (2, if heavy[1] > 0 { Some(listed(medium, large)?) } else { None }),
        ];
        let all_heavy = heavy.iter().sum::<u64>() == shape[0] as u64;
        let launched = || lists.iter().filter(|(k, list)| if *k == 0 { !all_heavy } else { list.is_some() });
        for (capacity, list) in launched() {
            factors.count(Chosen { capacity: *capacity, products: &products, list: list.as_ref() }, &counts)?;
        }
        // Rows that no capacity holds.
        let rest =
            if heavy[2] > 0 { Some(self.multiplied_rest(b, &listed(large, i64::MAX as usize)?, dtype)?) } else { None };
        if let Some((rows, part)) = &rest {
            let pointers = part.indptr()?.to_dtype(DType::I64)?;
            let each = apply("subtract", [(&pointers.index(s![1..])?).into(), (&pointers.index(s![..-1])?).into()])?;
            scatter(&each, [rows, rows], [1, 0], &counts)?;
        }
        let (ends, total) = super::select::ends_of(&counts)?;
        let (columns, values) = (make::empty(device, &[total], operands)?, make::empty(device, &[total], dtype)?);
        let out = sparse_sparse::Entries { ends: &ends, columns: &columns, values: &values };
        for (capacity, list) in launched() {
            factors.write(Chosen { capacity: *capacity, products: &products, list: list.as_ref() }, out)?;
        }
        if let Some((rows, part)) = &rest {
            let pointers = part.indptr()?.to_dtype(DType::I64)?;
            let shift = apply("subtract", [(&take(&ends, rows, 0)?).into(), (&pointers.index(s![..-1])?).into()])?;
            let n = part.nnz()?;
            let own = gather_or_zero(&[(&expand_pointers(&pointers, n)?, &shift)])?;
            let to = apply("add", [(&own).into(), (&counted(&own, n, DType::I64)?).into()])?;
            scatter(&part.indices()?.to_dtype(operands)?, [&to, &to], [1, 0], &columns)?;
            scatter(&part.data(), [&to, &to], [1, 0], &values)?;
        }
        result(&ends, &columns, values)
    }

    /// The product of chosen rows, and their numbers.
    fn multiplied_rest(&self, b: &Sparse, rows: &Array, dtype: DType) -> Result<(Array, Sparse)> {
        let chosen = self.select(&Select::Indices(rows.clone()), &Select::All)?;
        let mut parts = vec![];
        chosen.multiplied(b, MOST_PRODUCTS, dtype, &mut parts)?;
        Ok((rows.clone(), Sparse::joined(&parts)?))
    }

    /// Appends the product of compressed rows with compressed rows. Rows whose products are more than `most` together
    /// are multiplied in parts, which bounds the memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that reach over many parts of the path, empty rows, and columns of dense operands in either order.
    #[test]
    fn products_with_dense_operands_are_those_of_dense_matrices() -> Result<()> {
        let lengths = [0, 3, 5000, 0, 0, 1, 40, 2500, 7, 0];
        let ends: Vec<i64> = std::iter::once(0)
            .chain(lengths.iter().scan(0, |sum, n| {
                *sum += n;
                Some(*sum)
            }))
            .collect();
        let n = ends[lengths.len()];
        let columns: Vec<i32> = (0..n as i32).map(|k| k * 37 % 90).collect();
        let values: Vec<i64> = (0..n).map(|k| k % 11 - 5).collect();
        let array = |v: &[i64]| Array::from_slice(v, [v.len()]);
        let columns = Array::from_slice(&columns, [columns.len()])?;
        let a = Sparse::csr(&array(&values)?, &columns, &array(&ends)?, [lengths.len(), 90])?;
        let dense = a.to_dense(())?;
        for k in [1, 3, 16, 70, 200] {
            let x: Vec<i64> = (0..90 * k).map(|i| i * 7 % 13 - 6).collect();
            let x = array(&x)?.reshape([90, k as usize])?;
            let want = dense.matmul(&x)?.to_vec::<i64>()?;
            assert_eq!(a.matmul_dense(&x)?.to_vec::<i64>()?, want, "{k}");
            assert_eq!(a.to_format(Format::Csc)?.matmul_dense(&x.copy(Order::F)?)?.to_vec::<i64>()?, want, "{k}");
            assert_eq!(a.transpose(None)?.rmatmul_dense(&x.t())?.t().to_vec::<i64>()?, want, "{k}");
        }
        let v = dense.index(s![..3, ..])?.index(s![1])?;
        assert_eq!(a.matmul_dense(&v)?.to_vec::<i64>()?, dense.matmul(&v)?.to_vec::<i64>()?);
        Ok(())
    }

    /// Rows of every capacity, and beyond: none, one, some, hundreds and thousands of products.
    #[test]
    fn rows_of_all_capacities_are_multiplied() -> Result<()> {
        let (rows, columns) = (40, 70);
        let a: Vec<i64> = (0..rows * columns)
            .map(|i| {
                let (row, column) = (i / columns, i % columns);
                let stored = [0, 1, 5, 20, 70][row % 5] > column * 3 % 70;
                if stored { (i * 7 % 11) as i64 - 5 } else { 0 }
            })
            .collect();
        let a = Sparse::from_dense(&Array::from_slice(&a, [rows, columns])?, Format::Csr)?;
        for b_columns in [3, 90] {
            let b: Vec<i64> =
                (0..columns * b_columns).map(|i| if i % 3 < 2 { (i * 5 % 13) as i64 - 6 } else { 0 }).collect();
            let b = Sparse::from_dense(&Array::from_slice(&b, [columns, b_columns])?, Format::Csr)?;
            let (got, want) = (a.matmul(&b)?, a.to_dense(())?.matmul(b.to_dense(())?)?);
            assert_eq!(got.to_dense(())?.to_vec::<i64>()?, want.to_vec::<i64>()?);
            let structure = Sparse::from_dense(&want, Format::Csr)?;
            assert_eq!(got.indices()?.to_vec::<i32>()?, structure.indices()?.to_vec::<i32>()?);
            assert_eq!(got.indptr()?.to_vec::<i32>()?, structure.indptr()?.to_vec::<i32>()?);
        }
        Ok(())
    }

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
            let joined = Sparse::joined(&parts)?;
            for (one, other) in [(joined.indptr()?, whole.indptr()?), (joined.indices()?, whole.indices()?)] {
                assert_eq!(one.to_vec::<i32>()?, other.to_vec::<i32>()?);
            }
            assert_eq!(joined.data().to_vec::<i64>()?, whole.data().to_vec::<i64>()?);
        }
        Ok(())
    }
}
