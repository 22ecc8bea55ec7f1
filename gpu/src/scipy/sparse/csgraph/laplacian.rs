//! Laplacian matrices of graphs.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::entries::counted;
use super::super::{CastTo, Format, Sparse};
use super::{EdgeList, pair, vertices};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::error::{Error, Result};
use crate::routines::indexing::take;
use crate::routines::manipulation::concatenate;
use crate::routines::searching::flatnonzero;
use crate::ufunc::apply;

/// Options of [`laplacian`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::csgraph::LaplacianOptions;
/// assert!(!LaplacianOptions { symmetrized: true, ..Default::default() }.normed);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LaplacianOptions {
    /// True to divide rows and columns by the square roots of the degrees.
    pub normed: bool,
    /// True for degrees that are sums of rows, instead of columns.
    pub use_out_degree: bool,
    /// The dtype of the result: by default that of the graph, float64 for booleans and, if `normed`, for integers.
    pub dtype: Option<DType>,
    /// True to add the conjugate transpose to the matrix first.
    pub symmetrized: bool,
}

crate::array::default_options!(LaplacianOptions);

/// Laplacian matrix of a graph.
#[derive(Clone, Debug)]
pub struct Laplacian {
    /// The matrix, in COO format: its diagonal is stored, also where it is zero.
    pub matrix: Sparse,
    /// The degrees of the vertices in the dtype of the matrix, or the scaling of a normed Laplacian: their square roots, and 1 for zero.
    pub diagonal: Array,
}

/// Returns the Laplacian matrix of a graph: the degrees of the vertices on the diagonal, minus the edges; SciPy's
/// `laplacian` with `return_diag`.
///
/// The degree of a vertex is the sum of the edges that lead to it, without those from it to itself.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0.0, 1.0], [1.0, 0.0]])?, Format::Csr)?;
/// let found = csgraph::laplacian(&graph, ())?;
/// assert_eq!(found.matrix.to_dense(())?.to_vec::<f64>()?, [1.0, -1.0, -1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a matrix that is not square.
///
/// # Synchronization
///
/// Synchronises to count the edges between different vertices.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn laplacian(graph: &Sparse, options: LaplacianOptions) -> Result<Laplacian> {
    matrix(graph, options).map_err(|e: Error| e.with_op("csgraph.laplacian"))
}

fn matrix(graph: &Sparse, options: LaplacianOptions) -> Result<Laplacian> {
    let (n, own) = (vertices(graph)?, graph.dtype());
    let is_inexact = own.is_float() || own.is_complex();
    let as_it_is = if options.normed { is_inexact } else { own != DType::Bool };
    let usual = if as_it_is { own } else { DType::F64 };
    let dtype = options.dtype.unwrap_or(usual);
    // A narrower dtype is that of the results: degrees are sums of the edges as they are.
    let mut graph = graph.to_format(Format::Csr)?.astype(promote_types(usual, dtype))?;
    if options.symmetrized {
        let adjoint = graph.transpose(None)?.to_format(Format::Csr)?;
        let adjoint = adjoint.with_data(&apply("conjugate", [(&adjoint.data()).into()])?)?;
        graph = graph.binary("add", &adjoint)?;
    }
    let axis = usize::from(options.use_out_degree);
    let degrees = pair("subtract", &graph.reduce("sum", Some(axis), None)?, &graph.diagonal(0)?)?;
    let edges = EdgeList::of(&graph, graph.dtype())?;
    let off = edges.at(&flatnonzero(&pair("not_equal", &edges.rows, &edges.columns)?)?)?;
    let mut values = apply("negative", [(&off.lengths).into()])?;
    let (diagonal, scale) = if options.normed {
        let isolated = apply("equal", [(&degrees).into(), 0.into()])?;
        let root = apply("sqrt", [(&degrees).into()])?;
        let scale = apply("where", [(&isolated).into(), 1.into(), (&root).into()])?;
        for ends in [&off.rows, &off.columns] {
            values = pair("true_divide", &values, &take(&scale, ends, ())?)?;
        }
        (apply("logical_not", [(&isolated).into()])?.to_dtype(dtype)?, scale)
    } else {
        (degrees.to_dtype(dtype)?, degrees)
    };
    let every = counted(&off.rows, n, DType::I64)?;
    let coords = [concatenate([&off.rows, &every], ())?, concatenate([&off.columns, &every], ())?];
    let data = concatenate([&values.to_dtype(dtype)?, &diagonal], ())?;
    let matrix = Sparse::coo(&data, &[&coords[0], &coords[1]], &[n, n])?.with_index_dtype(graph.index_dtype())?;
    Ok(Laplacian { matrix, diagonal: scale.to_dtype(dtype)? })
}
