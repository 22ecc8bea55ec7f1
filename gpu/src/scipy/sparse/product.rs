//! Matrix products with dense and with sparse operands.

use cuprum_kernels::DType;

use super::entries::{Entries, keys_of};
use super::{CastTo, Format, Sparse, Storage, index_dtype};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::compressed::{SegmentReduction, expand_pointers, gather_or_zero, row_entries};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::ufunc::apply;

/// The dtype in which products are computed: 16-bit floats are rounded once.
fn computed(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

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
            SegmentReduction { op: "add", ends: &c.indptr, input: &input, product, in_order: false, empty, out: &out }
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
    /// those that cancel stay as explicit zeros, as in SciPy.
    ///
    /// All products of an entry of this matrix with an entry of the other are computed, sorted and added in a fixed order (expansion,
    /// sorting, compression; N. Bell, S. Dalton, L. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", 2012), so
    /// that memory of 20 to 40 bytes is used for each.
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
            let (Storage::Compressed(left), Storage::Compressed(right)) = (&a.storage, &b.storage) else {
                return Err(self.unfit(&b.shape));
            };
            let rows = b.shape[0] as i64;
            let pointers = |from: i64, to: i64| right.indptr.index(s![from..to])?.to_dtype(DType::I64);
            let column = left.indices.to_dtype(DType::I64)?;
            let start = gather_or_zero(&[(&column, &pointers(0, rows)?)])?;
            let stop = gather_or_zero(&[(&column, &pointers(1, rows + 1)?)])?;
            let (ends, total) = super::select::ends_of(&apply("subtract", [(&stop).into(), (&start).into()])?)?;
            let (position, entry) = row_entries(&start, &ends, total)?;
            let row = gather_or_zero(&[(&entry, &expand_pointers(&left.indptr, left.data.size())?)])?;
            let shape = [a.shape[0], b.shape[1]];
            let index = index_dtype(shape.into_iter().chain([total]));
            let column = gather_or_zero(&[(&position, &right.indices)])?;
            let keys = keys_of(&row.to_dtype(index)?, &column.to_dtype(index)?, shape)?;
            let x = gather_or_zero(&[(&entry, &left.data)])?.to_dtype(dtype)?;
            let y = gather_or_zero(&[(&position, &right.data)])?.to_dtype(dtype)?;
            let products = apply("multiply", [(&x).into(), (&y).into()])?;
            Entries::of_keys(shape, &keys, &products)?.into_compressed(0)?.astype(result)
        };
        go().map_err(|e: Error| e.with_op("sparse.matmul"))
    }
}
