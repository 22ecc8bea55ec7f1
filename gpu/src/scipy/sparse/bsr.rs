//! Block compressed sparse rows; SciPy's `bsr_array`.
//!
//! All blocks have one size, which divides the shape, and store all of their elements. Products read the values of the
//! blocks through the pattern of their elements by rows, which the first product computes and remembers; other
//! operations convert to compressed rows. Transposing, sorting and dropping blocks moves whole blocks.

use std::sync::{Arc, OnceLock};

use cuprum_kernels::DType;

use super::entries::{counted, keys_of, sorted};
use super::indices::{as_indices, contiguous, one_axis};
use super::{
    CastTo, Compressed, Crossed, EntryOrder, Format, Sparse, Storage, index_dtype, of_one_dtype, result_index,
};
use crate::array::Array;
use crate::engine::compressed::{Bound, check, compress_pointers, longest_row, scatter};
use crate::engine::compressed_blocks::{Expanded, expand_blocks};
use crate::engine::sparse_product::{Semiring, balance};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::take;
use crate::routines::sets::{UniqueOptions, unique};
use crate::ufunc::apply;

/// Shares of stored elements in blocks from which a block size is estimated: the least one, and one at which two sizes
/// are candidates for their least common multiple.
const DENSE: f64 = 0.7;
const VERY_DENSE: f64 = 0.85;

impl Sparse {
    /// A matrix of compressed rows of dense blocks; SciPy's `bsr_array`. Block row i has the blocks `data[k]`, of the
    /// block columns `indices[k]`, for k from `indptr[i]` up to `indptr[i + 1]`.
    ///
    /// ```
    /// use cuprum::{arange, array, scipy::sparse::Sparse};
    /// let blocks = arange(1, 9, 1)?.reshape([2, 2, 2])?;
    /// let a = Sparse::bsr(&blocks, &array([1, 0])?, &array([0, 1, 2])?, [4, 4])?;
    /// let dense = a.to_dense(())?.astype(cuprum::DType::I64)?.to_vec::<i64>()?;
    /// assert_eq!(dense, [0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for data of other than three axes, blocks whose size does not divide the shape, and arrays of
    /// unequal lengths; [`ErrorKind::Type`] for indices that are not integers. Indices and pointers are checked on the
    /// device, as those of [`Sparse::csr`] are.
    pub fn bsr(data: &Array, indices: &Array, indptr: &Array, shape: [usize; 2]) -> Result<Sparse> {
        let go = || {
            engine::one_device(data, [indices, indptr])?;
            let &[count, height, width] = data.shape() else {
                let message = format!("blocks are an array of three axes, not of shape {}", shape_text(data.shape()));
                return Err(Error::new(ErrorKind::Value, message));
            };
            let [rows, columns] = block_counts(shape, [height, width])?;
            let sizes = [shape[0], shape[1], data.size()];
            let (indices, indptr) = (as_indices(indices, "indices", &sizes)?, as_indices(indptr, "pointers", &sizes)?);
            if one_axis(&indices, "indices")?.size() != count || one_axis(&indptr, "pointers")?.size() != rows + 1 {
                let (i, p) = (indices.size(), indptr.size());
                let message = format!("{i} indices and {p} pointers for {count} blocks in {rows} block rows");
                return Err(Error::new(ErrorKind::Value, message));
            }
            let [indices, indptr] = of_one_dtype([indices, indptr])?;
            check("sparse.bsr", &indices, Bound::Coordinates(1, columns))?;
            check("sparse.bsr", &indptr, Bound::Pointers(count))?;
            Ok(Sparse::of_blocks(shape, Compressed::new(0, indptr, indices, contiguous(data)?, OnceLock::new())))
        };
        go().map_err(|e: Error| e.with_op("sparse.bsr"))
    }

    fn of_blocks(shape: [usize; 2], blocks: Compressed) -> Sparse {
        Sparse { shape: shape.to_vec(), storage: Storage::Blocks(blocks) }
    }

    /// Returns the numbers of rows and columns of a block; SciPy's `blocksize`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::{Format, Sparse};
    /// let a = Sparse::from_dense(&cuprum::array([[1, 2], [3, 4]])?, Format::Bsr)?;
    /// assert_eq!(a.block_size()?, [2, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a format other than [`Format::Bsr`].
    pub fn block_size(&self) -> Result<[usize; 2]> {
        match &self.storage {
            Storage::Blocks(c) => Ok(size_of_blocks(c)),
            _ => Err(self.no_attribute("block size")),
        }
    }

    /// Converts the matrix to blocks of a size; SciPy's `tobsr`. The blocks of a block row are in the order in which the
    /// rows mention them, as in SciPy; duplicates are added. Blocks of one element are the entries of compressed rows as
    /// they are stored.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse}};
    /// let a = Sparse::from_dense(&array([[1, 0, 0, 0], [0, 2, 0, 0]])?, Format::Csr)?.to_blocks([2, 2])?;
    /// assert_eq!((a.data().shape(), a.nnz()?), (&[1, 2, 2][..], 4));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array that has not two axes, and for a size that does not divide the shape.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the number of blocks, unless they have one element each.
    pub fn to_blocks(&self, size: [usize; 2]) -> Result<Sparse> {
        let go = || {
            if matches!(&self.storage, Storage::Blocks(c) if size_of_blocks(c) == size) {
                return Ok(self.clone());
            }
            let rows = self.to_format(Format::Csr)?;
            let Storage::Compressed(c) = &rows.storage else { return Err(self.no_attribute("rows")) };
            let counts = block_counts(rows.matrix_shape(), size)?;
            if size == [1, 1] {
                let data = c.data.reshape([c.data.size(), 1, 1])?;
                let order = c.canonical_order();
                let blocks = Compressed::new(0, c.indptr.clone(), c.indices.clone(), data, order);
                return Ok(Sparse::of_blocks(rows.matrix_shape(), blocks));
            }
            rows.grouped_in_blocks(c, counts, size)
        };
        go().map_err(|e: Error| e.with_op("sparse.to_blocks"))
    }

    /// The number of the block of each entry, in C order of the blocks.
    fn block_keys(&self, counts: [usize; 2], size: [usize; 2]) -> Result<Array> {
        let [row, column] = self.stored_coordinates()?;
        let of = |a: &Array, n: usize| apply("floor_divide", [a.into(), (n as i64).into()]);
        keys_of(&of(&row, size[0])?, &of(&column, size[1])?, counts)
    }

    fn grouped_in_blocks(&self, c: &Compressed, counts: [usize; 2], size: [usize; 2]) -> Result<Sparse> {
        let (shape, [height, width]) = (self.matrix_shape(), size);
        let [row, column] = self.stored_coordinates()?;
        let keys = self.block_keys(counts, size)?;
        let options = UniqueOptions { index: true, inverse: true, ..UniqueOptions::default() };
        let found = unique(&keys, options)?;
        let blocks = found.values.size();
        let (Some(first), Some(inverse)) = (&found.index, &found.inverse) else { return Ok(self.clone()) };
        // Blocks in the order of their first entries.
        let order = first.argsort(())?;
        let rank = make::empty(self.device(), &[blocks], DType::I64)?;
        scatter(&counted(&order, blocks, DType::I64)?, [&order, &order], [1, 0], &rank)?;
        let block = take(&rank, inverse, 0)?;
        let index = result_index([c.indptr.dtype()], [counts[1], blocks]);
        let of_first = take(first, &order, 0)?;
        let part = |a: &Array, n: usize| -> Result<Array> {
            apply("floor_divide", [(&take(a, &of_first, 0)?).into(), (n as i64).into()])?.to_dtype(index)
        };
        let indptr = compress_pointers(&part(&row, height)?, counts[0])?;
        let indices = part(&column, width)?;
        // The position of each entry among the elements of the blocks.
        let within = |a: &Array, n: usize| apply("remainder", [(&a.to_dtype(DType::I64)?).into(), (n as i64).into()]);
        let times = |a: &Array, n: usize| apply("multiply", [a.into(), (n as i64).into()]);
        let line = apply("add", [(&times(&block, height)?).into(), (&within(&row, height)?).into()])?;
        let position = apply("add", [(&times(&line, width)?).into(), (&within(&column, width)?).into()])?;
        let (position, values) = if self.order_of(c)? == EntryOrder::Canonical {
            (position, c.data.clone())
        } else {
            let (position, values) = sorted(&position.to_dtype(DType::U64)?, &c.data)?;
            let (position, values) = super::entries::combined(position, values)?;
            (position.to_dtype(DType::I64)?, values)
        };
        let data = make::zeros(self.device(), &[blocks * height * width], c.data.dtype())?;
        scatter(&values, [&position, &position], [1, 0], &data)?;
        let data = data.reshape([blocks, height, width])?;
        Ok(Sparse::of_blocks(shape, Compressed::new(0, indptr, indices, data, OnceLock::new())))
    }

    /// Blocks of a size that is estimated from the share of stored elements in blocks of 2, 3, 4 and 6 rows and columns.
    pub(super) fn to_estimated_blocks(&self) -> Result<Sparse> {
        let rows = self.to_format(Format::Csr)?;
        let (shape, entries) = (rows.matrix_shape(), rows.nnz()?);
        let share = |n: usize| -> Result<f64> {
            if entries == 0 || !shape.iter().all(|side| side.is_multiple_of(n)) {
                return Ok(0.0);
            }
            let keys = rows.block_keys(shape.map(|side| side / n), [n, n])?;
            let blocks = unique(&keys, UniqueOptions::default())?.values.size();
            Ok(entries as f64 / (blocks * n * n) as f64)
        };
        let (two, three) = (share(2)?, share(3)?);
        let n = if two > VERY_DENSE && three > VERY_DENSE {
            if share(6)? > DENSE { 6 } else { 3 }
        } else if share(4)? > DENSE {
            4
        } else if three > DENSE {
            3
        } else if two > DENSE {
            2
        } else {
            1
        };
        rows.to_blocks([n, n])
    }

    /// The elements of blocks by rows, with their positions among those of the blocks; they are remembered.
    pub(super) fn expanded_blocks(&self, c: &Compressed, semiring: Semiring, dtype: DType) -> Result<Crossed> {
        c.memo.remembered(
            c.indptr.device(),
            |p| &p.crossed,
            || {
                let Expanded { ends: indptr, columns: indices, positions } = self.expanded(c)?;
                let balance = balance(&indptr, positions.size(), semiring, dtype, || longest_row(&indptr))?;
                Ok(Crossed { indptr, indices, positions, balance })
            },
        )
    }

    fn expanded(&self, c: &Compressed) -> Result<Expanded> {
        let index = result_index([c.indptr.dtype()], [self.shape[1], c.data.size()]);
        expand_blocks(&c.indptr.to_dtype(index)?, &c.indices.to_dtype(index)?, size_of_blocks(c))
    }

    /// The elements of all blocks by rows.
    pub(super) fn blocks_by_rows(&self, c: &Compressed) -> Result<Sparse> {
        let Expanded { ends, columns, positions } = self.expanded(c)?;
        let data = engine::compressed::gather_or_zero(&[(&positions, &c.data.ravel()?)])?;
        let new = Compressed::new(0, ends, columns, data, c.canonical_order());
        Ok(Sparse::of_compressed(self.matrix_shape(), new))
    }

    /// The row and the column of each element of the blocks, in their order.
    pub(super) fn block_coordinates(&self, c: &Compressed) -> Result<[Array; 2]> {
        let size = size_of_blocks(c);
        let shape = [c.indices.size(), size[0], size[1]];
        let index = index_dtype(self.shape.iter().copied());
        let rows = engine::compressed::expand_pointers(&c.indptr, c.indices.size())?;
        let along = |block: &Array, axis: usize| -> Result<Array> {
            let first = apply("multiply", [(&block.to_dtype(index)?).into(), (size[axis] as i64).into()])?;
            let own = counted(block, size[axis], index)?.expand_dims(if axis == 0 { 1 } else { 0 })?;
            let sum = apply("add", [(&first.reshape([shape[0], 1, 1])?).into(), (&own).into()])?;
            sum.broadcast_to_shape(&shape)?.copy(Order::C)?.reshape([c.data.size()])
        };
        Ok([along(&rows, 0)?, along(&c.indices, 1)?])
    }

    /// The blocks in the order of a pattern of their numbers, each as `of` changes it.
    fn moved_blocks(&self, c: &Compressed, numbers: &Sparse, of: impl Fn(Array) -> Result<Array>) -> Result<Sparse> {
        let Storage::Compressed(pattern) = &numbers.storage else { return Ok(self.clone()) };
        let data = of(take(&c.data, &pattern.data, 0)?)?;
        let order: Arc<_> = pattern.order.clone();
        let blocks = Compressed::new(0, pattern.indptr.clone(), pattern.indices.clone(), data, order);
        let size = size_of_blocks(&blocks);
        Ok(Sparse::of_blocks([(pattern.indptr.size() - 1) * size[0], numbers.shape[1] * size[1]], blocks))
    }

    /// The pattern of the blocks as compressed rows, whose values are the numbers of the blocks.
    fn block_numbers(&self, c: &Compressed) -> Result<Sparse> {
        let size = size_of_blocks(c);
        let numbers = counted(&c.indices, c.indices.size(), c.indptr.dtype())?;
        let pattern = Compressed::new(0, c.indptr.clone(), c.indices.clone(), numbers, c.order.clone());
        Ok(Sparse::of_compressed([self.shape[0] / size[0].max(1), self.shape[1] / size[1].max(1)], pattern))
    }

    /// The transpose, of transposed blocks.
    pub(super) fn blocks_transposed(&self, c: &Compressed) -> Result<Sparse> {
        let columns = self.block_numbers(c)?.recompressed(1)?.transpose(None)?;
        self.moved_blocks(c, &columns, |blocks| blocks.transpose([0, 2, 1])?.copy(Order::C))
    }

    /// Block rows whose blocks are in order.
    pub(super) fn blocks_sorted(&self, c: &Compressed) -> Result<Sparse> {
        self.moved_blocks(c, &self.block_numbers(c)?.recompressed(0)?, Ok)
    }

    /// The blocks with an element where a mask, of the shape of the data, is true or not zero.
    pub(super) fn blocks_filtered(&self, c: &Compressed, mask: &Array) -> Result<Sparse> {
        let [height, width] = size_of_blocks(c);
        let any = reduced("any", &mask.reshape([c.indices.size(), height * width])?, &Reduce::axis(1))?;
        self.moved_blocks(c, &self.block_numbers(c)?.filtered(&any)?, Ok)
    }
}

/// The numbers of rows and columns of the blocks.
fn size_of_blocks(c: &Compressed) -> [usize; 2] {
    [c.data.shape()[1], c.data.shape()[2]]
}

/// The numbers of block rows and block columns.
fn block_counts(shape: [usize; 2], size: [usize; 2]) -> Result<[usize; 2]> {
    let divides = |axis: usize| size[axis] > 0 && shape[axis].is_multiple_of(size[axis]);
    if !divides(0) || !divides(1) {
        let (size, shape) = (shape_text(&size), shape_text(&shape));
        let message = format!("the block size {size} does not divide the shape {shape}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok([shape[0] / size[0], shape[1] / size[1]])
}
