//! Functions of graphs, `_cuprum.csgraph`, which `cuprum.cupyx.scipy.sparse.csgraph` wraps.

use cuprum::scipy::sparse::csgraph::{
    self, DenseGraphOptions, LaplacianOptions, PermType, SearchOrder, ShortestPathOptions,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::{OrRaise, type_error};
use crate::sparse::{PySparse, array, dense, sparse};

type Arrays<'py, const N: usize> = [Option<Bound<'py, NdArray>>; N];

/// Returns the lengths of shortest paths, and the predecessors if they are requested. The method is SciPy's.
#[pyfunction]
#[pyo3(signature = (graph, method, directed, unweighted, indices, return_predecessors, limit))]
#[expect(clippy::too_many_arguments, reason = "one call from Python")]
fn shortest_path<'py>(
    py: Python<'py>,
    graph: &PySparse,
    method: &str,
    directed: bool,
    unweighted: bool,
    indices: Option<Vec<usize>>,
    return_predecessors: bool,
    limit: f64,
) -> PyResult<Arrays<'py, 2>> {
    let indices = indices.as_deref();
    let options = ShortestPathOptions { directed, unweighted, indices, return_predecessors, limit };
    let search = match method {
        "D" => csgraph::dijkstra,
        "FW" => csgraph::floyd_warshall,
        _ => csgraph::shortest_path,
    };
    let found = py.detach(|| search(graph.core(), options)).or_raise()?;
    let predecessors = found.predecessors.map(|before| wrap(py, before)).transpose()?;
    Ok([Some(wrap(py, found.lengths)?), predecessors])
}

/// Returns the lengths of the paths from the nearest first vertex, the predecessors and the first vertices.
#[pyfunction]
fn nearest_paths<'py>(
    py: Python<'py>,
    graph: &PySparse,
    directed: bool,
    unweighted: bool,
    indices: Option<Vec<usize>>,
    limit: f64,
) -> PyResult<[Bound<'py, NdArray>; 3]> {
    let indices = indices.as_deref();
    let options = ShortestPathOptions { directed, unweighted, indices, return_predecessors: true, limit };
    let found = py.detach(|| csgraph::dijkstra_min_only(graph.core(), options)).or_raise()?;
    Ok([wrap(py, found.lengths)?, wrap(py, found.predecessors)?, wrap(py, found.sources)?])
}

/// Returns the order and the predecessors of a search: `breadth` or `depth`.
#[pyfunction]
fn search<'py>(
    py: Python<'py>,
    graph: &PySparse,
    by: &str,
    i_start: usize,
    directed: bool,
) -> PyResult<[Bound<'py, NdArray>; 2]> {
    let search = if by == "breadth" { csgraph::breadth_first_order } else { csgraph::depth_first_order };
    let SearchOrder { order, predecessors } = py.detach(|| search(graph.core(), i_start, directed)).or_raise()?;
    Ok([wrap(py, order)?, wrap(py, predecessors)?])
}

/// Returns the tree of a search: `breadth` or `depth`.
#[pyfunction]
fn search_tree(py: Python<'_>, graph: &PySparse, by: &str, i_start: usize, directed: bool) -> PyResult<PySparse> {
    let tree = if by == "breadth" { csgraph::breadth_first_tree } else { csgraph::depth_first_tree };
    sparse(py, || tree(graph.core(), i_start, directed))
}

#[pyfunction]
fn minimum_spanning_tree(py: Python<'_>, graph: &PySparse) -> PyResult<PySparse> {
    sparse(py, || csgraph::minimum_spanning_tree(graph.core()))
}

#[pyfunction]
fn strongly_connected_components<'py>(py: Python<'py>, graph: &PySparse) -> PyResult<(usize, Bound<'py, NdArray>)> {
    let (count, labels) = py.detach(|| csgraph::strongly_connected_components(graph.core())).or_raise()?;
    Ok((count, wrap(py, labels)?))
}

#[pyfunction]
fn reverse_cuthill_mckee<'py>(
    py: Python<'py>,
    graph: &PySparse,
    symmetric_mode: bool,
) -> PyResult<Bound<'py, NdArray>> {
    dense(py, || csgraph::reverse_cuthill_mckee(graph.core(), symmetric_mode))
}

/// Returns the row of each column, or the column of each row, of a maximum matching.
#[pyfunction]
fn maximum_bipartite_matching<'py>(
    py: Python<'py>,
    graph: &PySparse,
    perm_type: &str,
) -> PyResult<Bound<'py, NdArray>> {
    let perm_type = match perm_type {
        "row" => PermType::Row,
        "column" => PermType::Column,
        other => {
            return type_error(format!(
                "maximum_bipartite_matching: perm_type must be 'row' or 'column', not {other:?}"
            ));
        }
    };
    dense(py, || csgraph::maximum_bipartite_matching(graph.core(), perm_type))
}

#[pyfunction]
fn structural_rank(py: Python<'_>, graph: &PySparse) -> PyResult<usize> {
    py.detach(|| csgraph::structural_rank(graph.core())).or_raise()
}

/// Returns the Laplacian matrix and its diagonal.
#[pyfunction]
fn laplacian<'py>(
    py: Python<'py>,
    graph: &PySparse,
    normed: bool,
    use_out_degree: bool,
    dtype: Option<&Bound<'_, PyAny>>,
    symmetrized: bool,
) -> PyResult<(PySparse, Bound<'py, NdArray>)> {
    let options = LaplacianOptions { normed, use_out_degree, dtype: dtypes::optional(dtype)?, symmetrized };
    let found = py.detach(|| csgraph::laplacian(graph.core(), options)).or_raise()?;
    Ok((found.matrix.into(), wrap(py, found.diagonal)?))
}

#[pyfunction]
fn csgraph_from_dense(
    py: Python<'_>,
    graph: &Bound<'_, PyAny>,
    null_value: Option<f64>,
    nan_null: bool,
    infinity_null: bool,
) -> PyResult<PySparse> {
    let graph = array(graph)?;
    sparse(py, || csgraph::csgraph_from_dense(graph, DenseGraphOptions { null_value, nan_null, infinity_null }))
}

#[pyfunction]
fn csgraph_from_masked(py: Python<'_>, graph: &Bound<'_, PyAny>, mask: &Bound<'_, PyAny>) -> PyResult<PySparse> {
    let (graph, mask) = (array(graph)?, array(mask)?);
    sparse(py, || csgraph::csgraph_from_masked(graph, mask))
}

/// Returns the mask of a dense graph: true where there is no edge.
#[pyfunction]
fn csgraph_masked_from_dense<'py>(
    py: Python<'py>,
    graph: &Bound<'_, PyAny>,
    null_value: Option<f64>,
    nan_null: bool,
    infinity_null: bool,
) -> PyResult<Bound<'py, NdArray>> {
    let graph = array(graph)?;
    let options = DenseGraphOptions { null_value, nan_null, infinity_null };
    dense(py, || csgraph::csgraph_masked_from_dense(graph, options))
}

#[pyfunction]
fn csgraph_to_dense<'py>(py: Python<'py>, graph: &PySparse, null_value: f64) -> PyResult<Bound<'py, NdArray>> {
    dense(py, || csgraph::csgraph_to_dense(graph.core(), null_value))
}

#[pyfunction]
fn construct_dist_matrix<'py>(
    py: Python<'py>,
    graph: &PySparse,
    predecessors: &Bound<'_, PyAny>,
    directed: bool,
    null_value: f64,
) -> PyResult<Bound<'py, NdArray>> {
    let predecessors = array(predecessors)?;
    dense(py, || csgraph::construct_dist_matrix(graph.core(), predecessors, directed, null_value))
}

#[pyfunction]
fn reconstruct_path(
    py: Python<'_>,
    graph: &PySparse,
    predecessors: &Bound<'_, PyAny>,
    directed: bool,
) -> PyResult<PySparse> {
    let predecessors = array(predecessors)?;
    sparse(py, || csgraph::reconstruct_path(graph.core(), predecessors, directed))
}

/// Adds the submodule to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let graphs = PyModule::new(module.py(), "csgraph")?;
    graphs.add_function(wrap_pyfunction!(shortest_path, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(nearest_paths, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(search, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(search_tree, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(minimum_spanning_tree, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(strongly_connected_components, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(reverse_cuthill_mckee, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(maximum_bipartite_matching, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(structural_rank, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(laplacian, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(csgraph_from_dense, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(csgraph_from_masked, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(csgraph_masked_from_dense, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(csgraph_to_dense, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(construct_dist_matrix, &graphs)?)?;
    graphs.add_function(wrap_pyfunction!(reconstruct_path, &graphs)?)?;
    module.add_submodule(&graphs)
}
