//! Sparse arrays; SciPy's `scipy.sparse`.
//!
//! A [`Sparse`] array stores some elements, its *entries*; all others are zero. Its [`Format`] is a property at run
//! time, as the dtype is: coordinates ([`Format::Coo`], any number of axes), compressed rows or columns
//! ([`Format::Csr`], [`Format::Csc`]), compressed rows of dense blocks ([`Format::Bsr`]) and diagonals
//! ([`Format::Dia`]). A `Sparse` is immutable and shares its arrays
//! with its copies; every operation returns a new one. Values have any dtype. Indices are int32, and int64 where the
//! shape or the number of entries needs it or an operand has it.
//!
//! | SciPy | here |
//! |---|---|
//! | `coo_array((v, (i, j)))`, `csr_array((v, j, p))` | [`Sparse::coo`], [`Sparse::csr`], [`Sparse::csc`], [`Sparse::bsr`], [`Sparse::dia`] |
//! | `diags_array`, `kron`, `vstack`, `block_array` | [`Sparse::diagonals`], [`Sparse::kron`], [`Sparse::stack`], [`Sparse::blocks`] |
//! | `a.tocsr()`, `a.tobsr()`, `a.toarray()` | [`Sparse::to_format`], [`Sparse::to_blocks`], [`Sparse::to_dense`] |
//! | `a @ b` | [`Sparse::matmul`], [`Sparse::matmul_dense`] |
//! | `a + b`, `a.multiply(b)` | [`Sparse::binary`] |
//! | `a.sum(axis)`, `a.max(axis)` | [`Sparse::reduce`], [`Sparse::reduce_sparse`] |
//! | `a.T`, `a.diagonal()`, `a.nonzero()` | [`Sparse::transpose`], [`Sparse::diagonal`], [`Sparse::nonzero`] |
//! | `scipy.sparse.linalg`, `csgraph` | [`linalg`], [`csgraph`] |
//!
//! ```
//! use cuprum::array;
//! use cuprum::scipy::sparse::{Format, Sparse};
//!
//! // The Laplacian of a path of three vertices, from its edges.
//! let (row, column) = (array([0, 1, 1, 2])?, array([1, 0, 2, 1])?);
//! let adjacency = Sparse::coo(&array([1.0, 1.0, 1.0, 1.0])?, &[&row, &column], &[3, 3])?.to_format(Format::Csr)?;
//! let degrees = adjacency.reduce("sum", Some(1), None)?;
//! let laplacian = Sparse::diagonals(&[(&degrees, 0)], [3, 3])?.binary("subtract", &adjacency)?;
//! assert_eq!(laplacian.to_dense(())?.to_vec::<f64>()?, [1.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 1.0]);
//! assert_eq!(laplacian.nnz()?, 7);
//! # Ok::<(), cuprum::Error>(())
//! ```
//!
//! Duplicate entries are allowed where SciPy allows them and count as their sum. Operations that need distinct, sorted
//! entries sort and add them first, in the order in which they are stored, so that results repeat to the bit.

mod attributes;
mod bsr;
mod construct;
mod convert;
pub mod csgraph;
mod elementwise;
mod entries;
mod format;
mod from_arrays;
mod index;
mod indices;
pub mod linalg;
mod operators;
mod product;
mod reduce;
mod select;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::array::Array;
use crate::engine::sparse_product::Balance;

pub use format::Format;
pub use select::Select;

use from_arrays::two_axes;
pub(crate) use indices::index_dtype;
use indices::{CastTo, number, of_one_dtype, result_index};

/// Sparse array: a handle to the arrays of its entries, a shape and a [`Format`].
///
/// Cloning it copies the handle. See [`sparse`](self) for an example.
#[derive(Clone, Debug)]
pub struct Sparse {
    shape: Vec<usize>,
    storage: Storage,
}

#[derive(Clone, Debug)]
enum Storage {
    /// Coordinates along each axis.
    Coo {
        coords: Vec<Array>,
        data: Array,
        canonical: bool,
    },
    Compressed(Compressed),
    /// Compressed rows of blocks: `data[k]` is the block of `indices[k]`.
    Blocks(Compressed),
    /// `data[k, column]` is the element of the diagonal of `offsets[k]` in a column.
    Dia {
        offsets: Array,
        data: Array,
    },
}

/// Entries by their coordinate along the major axis.
#[derive(Clone, Debug)]
struct Compressed {
    /// The axis that `indptr` compresses.
    major: usize,
    indptr: Array,
    indices: Array,
    data: Array,
    /// The order of the entries, where it is known: shared by all arrays that have the pattern.
    order: Arc<OnceLock<EntryOrder>>,
    memo: Memo,
}

impl Compressed {
    fn new(
        major: usize,
        indptr: Array,
        indices: Array,
        data: Array,
        order: impl Into<Arc<OnceLock<EntryOrder>>>,
    ) -> Compressed {
        Compressed { major, indptr, indices, data, order: order.into(), memo: Memo::default() }
    }

    /// The order of other entries that are sorted and distinct if these are: it is unknown if these are not, or not
    /// known to be.
    fn canonical_order(&self) -> Arc<OnceLock<EntryOrder>> {
        if self.order.get() == Some(&EntryOrder::Canonical) { self.order.clone() } else { Arc::default() }
    }
}

/// Tables of a pattern that products compute once: they are stored next to its arrays, and shared by all
/// arrays that have the pattern.
#[derive(Clone, Debug, Default)]
struct Memo(Arc<Pattern>);

#[derive(Debug, Default)]
struct Pattern {
    /// Distribution of the rows among the blocks of a product: [`crate::engine::sparse_product::balance`].
    balance: OnceLock<Balance>,
    /// The largest number of entries of a row.
    longest: OnceLock<i64>,
    /// The pattern compressed along the other axis.
    crossed: OnceLock<Crossed>,
    /// True after a reduction along the axis that is compressed: the second one computes `crossed`.
    is_reduced: AtomicBool,
}

/// A pattern compressed along the other axis: pointers, indices, and the position of each value among those of the
/// pattern.
#[derive(Clone, Debug)]
struct Crossed {
    indptr: Array,
    indices: Array,
    positions: Array,
    balance: Balance,
}

/// The order of the entries within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EntryOrder {
    Unsorted,
    /// By coordinate, with duplicates.
    Sorted,
    /// By coordinate, without duplicates.
    Canonical,
}
