//! Sparse arrays from diagonals, blocks and products of others.
//!
//! Entries are built as arrays of coordinates on the device and converted to the requested format by one sort.
//!
//! Bound: the entries are written once, and sorted once where the format needs an order; nothing of the
//! size of the dense matrix is allocated.

use cuprum_kernels::DType;

use super::{CastTo, Format, Sparse, index_dtype, result_index};
use crate::array::Array;
use crate::cuda::Device;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::shape_text;
use crate::ufunc::apply;

impl Sparse {
    /// A matrix with ones on a diagonal, `k` above the main one; SciPy's `eye_array`.
    ///
    /// ```
    /// use cuprum::{DType, cuda::Device, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::eye([2, 3], 1, DType::F32, Format::Csr, Device::current()?)?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f32>()?, [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn eye(shape: [usize; 2], k: isize, dtype: DType, format: Format, device: Device) -> Result<Sparse> {
        let ones = make::full(device, &[1], 1, dtype)?;
        Sparse::diagonals(&[(&ones, k)], shape)?.to_format(format)
    }

    /// Creates a matrix of diagonals, each an array of its elements from the top and its offset; SciPy's `diags_array`.
    /// An array of one element is repeated.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::Sparse};
    /// let a = Sparse::diagonals(&[(&array([1.0, 2.0])?, 0), (&array([5.0])?, 1)], [2, 2])?;
    /// assert_eq!(a.to_dense(())?.to_vec::<f64>()?, [1.0, 5.0, 0.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array whose length is neither that of its diagonal nor 1, for a diagonal outside of
    /// the matrix, and for an offset that comes twice.
    pub fn diagonals(diagonals: &[(&Array, isize)], [m, n]: [usize; 2]) -> Result<Sparse> {
        let go = || {
            let Some((first, _)) = diagonals.first() else {
                return Err(Error::new(ErrorKind::Value, "no diagonals"));
            };
            let device = crate::engine::one_device(first, diagonals.iter().map(|(a, _)| *a))?;
            let dtype = diagonals.iter().map(|(a, _)| a.dtype()).reduce(promote_types).unwrap_or(DType::F64);
            let first_of = |k: isize| ((-k).max(0) as usize, k.max(0) as usize);
            let length_of = |k: isize| m.saturating_sub(first_of(k).0).min(n.saturating_sub(first_of(k).1));
            // The columns up to the last one that a diagonal has.
            let last = |k: isize| if length_of(k) == 0 { 0 } else { first_of(k).1 + length_of(k) };
            let columns = diagonals.iter().map(|&(_, k)| last(k)).max().unwrap_or(0);
            let data = make::zeros(device, &[diagonals.len(), columns], dtype)?;
            let mut offsets = Vec::with_capacity(diagonals.len());
            for (row, &(a, k)) in diagonals.iter().enumerate() {
                let (first_column, length) = (first_of(k).1, length_of(k));
                if first_of(k).0 > m || first_column > n {
                    let message = format!("the diagonal {k} is outside of a matrix of shape ({m}, {n})");
                    return Err(Error::new(ErrorKind::Value, message));
                }
                if a.ndim() > 1 || (a.size() != length && a.size() != 1) {
                    let given = shape_text(a.shape());
                    let message =
                        format!("the diagonal {k} of a matrix of shape ({m}, {n}) has {length} elements, not {given}");
                    return Err(Error::new(ErrorKind::Value, message));
                }
                if offsets.contains(&(k as i64)) {
                    return Err(Error::new(ErrorKind::Value, format!("the offset {k} comes twice")));
                }
                offsets.push(k as i64);
                if length > 0 {
                    let (from, to) = (first_column as i64, (first_column + length) as i64);
                    let target = data.index(s![row as i64, from..to])?;
                    crate::engine::copy(&a.reshape([a.size()])?, &target)?;
                }
            }
            let offsets = make::of(device, &offsets, &[offsets.len()])?;
            Sparse::dia(&data, &offsets.to_dtype(index_dtype([m, n]))?, [m, n])
        };
        go().map_err(|e: Error| e.with_op("sparse.diagonals"))
    }

    /// Kronecker product of two matrices; SciPy's `kron`. The result is an array of coordinates.
    ///
    /// Operands of shapes `[m, n]` and `[p, q]` have a product of shape `[m p, n q]` and of the promoted dtype.
    /// It has an entry for each pair of entries, which one kernel computes; the number is known on the host.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2]])?, Format::Csr)?;
    /// let b = Sparse::from_dense(&cuprum::array([[1], [3]])?, Format::Csr)?;
    /// let product = a.kron(&b)?;
    /// assert_eq!(product.to_dense(())?.to_vec::<i32>()?, [1, 2, 3, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for arrays that have not two axes.
    pub fn kron(&self, second: &Sparse) -> Result<Sparse> {
        let go = || {
            let (a, b) = (self.to_format(Format::Coo)?, second.to_format(Format::Coo)?);
            if a.ndim() != 2 || b.ndim() != 2 {
                let (a, b) = (shape_text(&a.shape), shape_text(&b.shape));
                return Err(Error::new(ErrorKind::Value, format!("the shapes {a} and {b} are not both of matrices")));
            }
            let shape = [a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]];
            let count = a.values().size() * b.values().size();
            let index = result_index([self.operand_index(), second.operand_index()], shape.into_iter().chain([count]));
            let mut coords = Vec::with_capacity(2);
            for axis in 0..2 {
                let (outer, inner) = (a.coords()?[axis].to_dtype(index)?, b.coords()?[axis].to_dtype(index)?);
                let scaled = apply("multiply", [(&outer).into(), (b.shape[axis] as i64).into()])?;
                let sum = apply("add", [(&scaled.expand_dims(1)?).into(), (&inner).into()])?;
                coords.push(sum.reshape([count])?);
            }
            let data = apply("multiply", [(&a.data().expand_dims(1)?).into(), (&b.data()).into()])?.reshape([count])?;
            Ok(Sparse::of_coords(&shape, coords, data, false))
        };
        go().map_err(|e: Error| e.with_op("sparse.kron"))
    }

    /// The Kronecker sum of two square matrices, `kron(I, self) + kron(second, I)`; SciPy's `kronsum`. The result is
    /// compressed by rows.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let second = Sparse::from_dense(&array([[2.0, -1.0], [-1.0, 2.0]])?, Format::Csr)?;
    /// // The five-point Laplacian of a square of four points.
    /// assert_eq!(second.kronsum(&second)?.to_dense(())?.to_vec::<f64>()?[..4], [4.0, -1.0, -1.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for arrays that are not square matrices.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries.
    pub fn kronsum(&self, second: &Sparse) -> Result<Sparse> {
        let go = || {
            if let Some(one) = [self, second].into_iter().find(|a| a.ndim() != 2 || a.shape[0] != a.shape[1]) {
                let message = format!("an operand has shape {}: both are square matrices", shape_text(&one.shape));
                return Err(Error::new(ErrorKind::Value, message));
            }
            let dtype = promote_types(self.dtype(), second.dtype());
            let identity = |of: &Sparse| Sparse::eye([of.shape[0]; 2], 0, dtype, Format::Coo, of.device());
            identity(second)?.kron(self)?.binary("add", &second.kron(&identity(self)?)?)
        };
        go().map_err(|e: Error| e.with_op("sparse.kronsum"))
    }

    /// Joins arrays along an axis; SciPy's `vstack` (axis 0) and `hstack` (axis 1). Dtypes are promoted.
    ///
    /// The result is in the format that is passed; its length along `axis` is the sum of those of the parts.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 0]])?, Format::Csr)?;
    /// let below = Sparse::stack(&[&a, &a], 0, Format::Csr)?;
    /// assert_eq!(below.to_dense(())?.to_vec::<i32>()?, [1, 0, 1, 0]);
    /// assert_eq!(Sparse::stack(&[&a, &a], 1, Format::Coo)?.shape(), [1, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for no arrays and for shapes that differ elsewhere.
    pub fn stack(parts: &[&Sparse], axis: usize, format: Format) -> Result<Sparse> {
        let go = || {
            let Some(first) = parts.first() else { return Err(Error::new(ErrorKind::Value, "no arrays to join")) };
            let fits = |p: &&Sparse| {
                p.ndim() == first.ndim() && (0..p.ndim()).all(|k| k == axis || p.shape[k] == first.shape[k])
            };
            if axis >= first.ndim() || !parts.iter().all(fits) {
                let shapes = parts.iter().map(|p| shape_text(&p.shape)).collect::<Vec<_>>().join(", ");
                return Err(Error::new(ErrorKind::Value, format!("the shapes {shapes} do not fit along axis {axis}")));
            }
            let dtype = parts.iter().map(|p| p.dtype()).reduce(promote_types).unwrap_or(first.dtype());
            let cast = parts.iter().map(|p| p.astype(dtype)).collect::<Result<Vec<_>>>()?;
            Sparse::stacked(&cast.iter().collect::<Vec<_>>(), axis, format)
        };
        go().map_err(|e: Error| e.with_op("sparse.stack"))
    }

    /// Assembles a matrix of blocks, `None` for one of zeros; SciPy's `block_array`. The result is an array of
    /// coordinates.
    ///
    /// Blocks of a row have equal heights, and those of a column equal widths; each row and column has a block.
    ///
    /// The dtypes are promoted.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[5]])?, Format::Csr)?;
    /// let block = Sparse::blocks(&[vec![Some(&a), None], vec![None, Some(&a)]])?;
    /// assert_eq!(block.to_dense(())?.to_vec::<i32>()?, [5, 0, 0, 5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for rows of blocks of unequal lengths, a row or column of blocks without any, and blocks
    /// that do not fit.
    pub fn blocks(blocks: &[Vec<Option<&Sparse>>]) -> Result<Sparse> {
        let go = || {
            let columns = blocks.first().map_or(0, Vec::len);
            if columns == 0 || blocks.iter().any(|row| row.len() != columns) {
                return Err(Error::new(ErrorKind::Value, "blocks are a table: rows of one length, at least one"));
            }
            let size = |axis: usize, of: &mut dyn Iterator<Item = Option<&Sparse>>, what: &str| -> Result<usize> {
                let mut found = None;
                for block in of.flatten() {
                    let n = block.shape[axis];
                    if *found.get_or_insert(n) != n {
                        let message =
                            format!("blocks of {what} have {} and {n} elements along axis {axis}", found.unwrap_or(0));
                        return Err(Error::new(ErrorKind::Value, message));
                    }
                }
                found.ok_or_else(|| Error::new(ErrorKind::Value, format!("{what} has no block that gives its size")))
            };
            let heights = blocks
                .iter()
                .enumerate()
                .map(|(i, row)| size(0, &mut row.iter().copied(), &format!("row {i}")))
                .collect::<Result<Vec<_>>>()?;
            let widths = (0..columns)
                .map(|j| size(1, &mut blocks.iter().map(|row| row[j]), &format!("column {j}")))
                .collect::<Result<Vec<_>>>()?;
            let some: Vec<&Sparse> = blocks.iter().flatten().flatten().copied().collect();
            let dtype = some.iter().map(|b| b.dtype()).reduce(promote_types).unwrap_or(DType::F64);
            let device = some[0].device();
            let mut rows = Vec::with_capacity(blocks.len());
            for (row, &height) in blocks.iter().zip(&heights) {
                let parts = row
                    .iter()
                    .zip(&widths)
                    .map(|(block, &width)| match block {
                        Some(block) => block.astype(dtype),
                        None => Sparse::zeros(&[height, width], dtype, Format::Coo, device),
                    })
                    .collect::<Result<Vec<_>>>()?;
                rows.push(Sparse::stack(&parts.iter().collect::<Vec<_>>(), 1, Format::Coo)?);
            }
            Sparse::stack(&rows.iter().collect::<Vec<_>>(), 0, Format::Coo)
        };
        go().map_err(|e: Error| e.with_op("sparse.blocks"))
    }

    /// Keeps the entries on the diagonal `k` and above it (`upper`) or below it; SciPy's `triu` and `tril`. The result
    /// is an array of coordinates.
    ///
    /// The result has the shape and the dtype of the array.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Csr)?;
    /// assert_eq!(a.triangle(0, true)?.to_dense(())?.to_vec::<i32>()?, [1, 2, 0, 4]);
    /// assert_eq!(a.triangle(-1, false)?.to_dense(())?.to_vec::<i32>()?, [0, 0, 3, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array that has not two axes.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of entries.
    pub fn triangle(&self, k: isize, upper: bool) -> Result<Sparse> {
        let go = || {
            if self.ndim() != 2 {
                return Err(super::two_axes(Format::Coo, &self.shape));
            }
            let coo = self.to_format(Format::Coo)?;
            let [row, column] = coo.stored_coordinates()?;
            let offset = apply("subtract", [(&column.to_dtype(DType::I64)?).into(), (&row).into()])?;
            let name = if upper { "greater_equal" } else { "less_equal" };
            coo.filtered(&apply(name, [(&offset).into(), (k as i64).into()])?)
        };
        go().map_err(|e: Error| e.with_op("sparse.triangle"))
    }

    /// Returns the positions of the entries that are not zero, an array for each axis, by rows; SciPy's `nonzero`.
    ///
    /// Entries of one position are added first, and those whose value is zero are left out.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[0, 2], [3, 0]])?, Format::Csr)?;
    /// let [rows, columns] = &a.nonzero()?[..] else { unreachable!() };
    /// assert_eq!(rows.astype(cuprum::DType::I64)?.to_vec::<i64>()?, [0, 1]);
    /// assert_eq!(columns.astype(cuprum::DType::I64)?.to_vec::<i64>()?, [1, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read their number.
    pub fn nonzero(&self) -> Result<Vec<Array>> {
        let entries = self.entries(0)?.without_zeros()?;
        self.of_entries(entries)?.coords()
    }
}
