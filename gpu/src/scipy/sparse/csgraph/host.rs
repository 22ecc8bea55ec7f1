//! Copies of the structure and the values of a graph on the host.

use cuprum_kernels::DType;

use super::super::{CastTo, Format, Sparse};
use crate::array::Array;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Order;

/// Rows of a sparse matrix on the host.
pub(super) struct Rows<T> {
    /// Offsets of the entries of each row, and their number.
    pub(super) offsets: Vec<usize>,
    /// The column of each entry.
    pub(super) columns: Vec<usize>,
    /// The value of each entry.
    pub(super) values: Vec<T>,
}

impl<T: Element> Rows<T> {
    /// Copies the rows of a matrix, with values of `dtype`, that of `T`. Synchronises.
    pub(super) fn of(graph: &Sparse, dtype: DType) -> Result<Rows<T>> {
        let graph = graph.to_format(Format::Csr)?;
        let indices = |a: Array| -> Result<Vec<usize>> {
            Ok(a.to_dtype(DType::I64)?.to_vec::<i64>()?.into_iter().map(|i| i as usize).collect())
        };
        Ok(Rows {
            offsets: indices(graph.indptr()?)?,
            columns: indices(graph.indices()?)?,
            values: graph.data().cast(dtype, Order::C)?.to_vec::<T>()?,
        })
    }

    /// The columns and values of a row, in their order.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &T)> {
        let entries = self.offsets[row]..self.offsets[row + 1];
        self.columns[entries.clone()].iter().copied().zip(&self.values[entries])
    }
}
