//! Graphs with edges of length zero, negative lengths, duplicates and no edges.

use super::*;
use crate::array;

/// Parallel edges, of which the lengths are not added, in CSR format.
fn graph(edges: &[(usize, usize, f64)], n: usize) -> Result<Sparse> {
    let mut pointers = vec![0_i64; n + 1];
    edges.iter().for_each(|edge| pointers[edge.0 + 1] += 1);
    (0..n).for_each(|row| pointers[row + 1] += pointers[row]);
    let mut sorted = edges.to_vec();
    sorted.sort_by_key(|edge| edge.0);
    let lengths: Vec<f64> = sorted.iter().map(|edge| edge.2).collect();
    let columns: Vec<i64> = sorted.iter().map(|edge| edge.1 as i64).collect();
    let of = |values: &[i64]| Array::from_slice(values, [values.len()]);
    Sparse::csr(&Array::from_slice(&lengths, [lengths.len()])?, &of(&columns)?, &of(&pointers)?, [n, n])
}

#[test]
fn predecessors_lead_in_no_circle() -> Result<()> {
    // A cycle of edges of length 0, and one whose lengths cancel.
    let zeros = graph(&[(0, 1, 1.0), (1, 2, 0.0), (2, 1, 0.0), (2, 3, 0.0), (3, 3, 0.0), (3, 2, 0.0)], 4)?;
    let cancelling = graph(&[(0, 2, 3.0), (2, 1, -2.0), (1, 2, 2.0), (1, 3, 1.0)], 4)?;
    for (graph, lengths, before) in
        [(zeros, [0.0, 1.0, 1.0, 1.0], [-9999, 0, 1, 2]), (cancelling, [0.0, 1.0, 3.0, 2.0], [-9999, 2, 0, 1])]
    {
        let options = ShortestPathOptions { indices: Some(&[0]), return_predecessors: true, ..Default::default() };
        let found = shortest_path(&graph, options)?;
        assert_eq!(found.lengths.to_vec::<f64>()?, lengths);
        assert_eq!(found.predecessors.expect("they were requested").to_vec::<i32>()?, before);
    }
    Ok(())
}

#[test]
fn paths_of_parallel_edges_and_of_edges_that_are_none() -> Result<()> {
    let graph = graph(&[(0, 1, 5.0), (0, 1, 2.0), (1, 2, f64::NAN), (0, 2, f64::INFINITY)], 3)?;
    let none = f64::INFINITY;
    assert_eq!(bellman_ford(&graph, ())?.lengths.to_vec::<f64>()?[..3], [0.0, 2.0, none]);
    let undirected = ShortestPathOptions { directed: false, ..Default::default() };
    assert_eq!(dijkstra(&graph, undirected)?.lengths.to_vec::<f64>()?[3..6], [2.0, 0.0, none]);
    let unweighted = ShortestPathOptions { unweighted: true, ..Default::default() };
    assert_eq!(floyd_warshall(&graph, unweighted)?.lengths.to_vec::<f64>()?[..3], [0.0, 1.0, 1.0]);
    Ok(())
}

#[test]
fn wrong_arguments_of_paths() -> Result<()> {
    let negative = graph(&[(0, 1, -1.0), (1, 0, 0.5)], 2)?;
    let message = |result: Result<ShortestPaths>| result.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message(johnson(&negative, ())).contains("negative cycle"));
    assert!(message(dijkstra(&negative, ())).contains("negative length"));
    let options = ShortestPathOptions { indices: Some(&[2]), ..Default::default() };
    assert!(message(shortest_path(&negative, options)).contains("out of range"));
    let options = ShortestPathOptions { limit: -1.0, ..Default::default() };
    assert!(message(shortest_path(&negative, options)).contains("limit"));
    let wide = Sparse::zeros(&[2, 3], DType::F64, Format::Csr, negative.device())?;
    assert!(message(shortest_path(&wide, ())).contains("square"));
    let complex = negative.astype(DType::C128)?;
    assert_eq!(shortest_path(&complex, ()).err().map(|e| e.kind()), Some(ErrorKind::Type));
    let without = ShortestPathOptions { indices: Some(&[]), ..Default::default() };
    assert_eq!(bellman_ford(&negative, without)?.lengths.shape(), [0, 2]);
    assert!(dijkstra_min_only(&negative, without).is_err());
    Ok(())
}

#[test]
fn graphs_without_vertices_and_without_edges() -> Result<()> {
    for n in [0, 1, 3] {
        let empty = Sparse::zeros(&[n, n], DType::I32, Format::Csr, crate::cuda::Device::current()?)?;
        let found = shortest_path(&empty, ShortestPathOptions { return_predecessors: true, ..Default::default() })?;
        assert_eq!(found.lengths.shape(), [n, n]);
        assert!(found.predecessors.expect("they were requested").to_vec::<i32>()?.iter().all(|&v| v == -9999));
        assert_eq!(minimum_spanning_tree(&empty)?.nnz()?, 0);
        assert_eq!(strongly_connected_components(&empty)?.0, n);
        assert_eq!(reverse_cuthill_mckee(&empty, false)?.size(), n);
        assert_eq!(structural_rank(&empty)?, 0);
        assert_eq!(laplacian(&empty, ())?.matrix.nnz()?, n);
        assert_eq!(csgraph_to_dense(&empty, 7.0)?.to_vec::<f64>()?, vec![7.0; n * n]);
        let before = make::full(empty.device(), &[n, n], -9999, DType::I32)?;
        assert_eq!(construct_dist_matrix(&empty, &before, true, 5.0)?.shape(), [n, n]);
        assert_eq!(breadth_first_order(&empty, 0, true).is_ok(), n > 0);
    }
    Ok(())
}

#[test]
fn trees_of_undirected_graphs_have_the_shorter_edges() -> Result<()> {
    let graph = Sparse::from_dense(&array([[0.0, 4.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0]])?, Format::Csr)?;
    let tree = breadth_first_tree(&graph, 0, false)?.to_dense(())?;
    assert_eq!(tree.to_vec::<f64>()?, [0.0, 3.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let found = depth_first_order(&graph, 2, true)?;
    assert_eq!(found.order.to_vec::<i32>()?, [2, 1, 0]);
    // Both directions of an edge are stored: the shorter one counts.
    assert_eq!(minimum_spanning_tree(&graph)?.data().to_vec::<f64>()?, [3.0, 2.0]);
    Ok(())
}

#[test]
fn predecessors_in_a_circle_are_an_error() -> Result<()> {
    let graph = graph(&[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)], 3)?;
    let cycle = array([[-9999, 2, 1], [-9999, -9999, 1], [-9999, 2, -9999]])?;
    let error = construct_dist_matrix(&graph, &cycle, true, 0.0).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("cycle")));
    let outside = array([-9999, 3, 0])?;
    assert_eq!(reconstruct_path(&graph, &outside, true).err().map(|e| e.kind()), Some(ErrorKind::Index));
    Ok(())
}
