//! Connected components of a graph by union-find.
//!
//! Lower bound of the traffic: the vertices of all edges, and a sector of 32 bytes for the parent of each vertex of a
//! graph without locality that is larger than the cache. The bits of the largest component take vertices / 8 bytes, and
//! are read once for each edge.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{UNION_FIND_KERNELS, UnionFindParams, union_find_source};

use super::compressed::ENTRY_TILE;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;

/// Threads of a block: as in `include/union_find.cuh`.
const THREADS: usize = 256;

/// Edges in any order, of which the first part is joined before the others: one of this number.
const SAMPLED_PART: usize = 4;

/// Vertices from which the largest component is found before all edges are joined.
const MANY_VERTICES: usize = 1 << 15;

thread_local! {
    static KERNELS: Kernels<bool, 7> = Kernels::default();
}

/// Edges of a graph, of int32 or int64.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edges<'a> {
    /// The offsets of the edges of each vertex, and their other vertices.
    Rows(&'a Array, &'a Array),
    /// The vertices of each edge, in any order and direction.
    Pairs(&'a Array, &'a Array),
}

/// Returns the first vertex of the component of each of `vertices`, of int32, or of int64 for 2^31 and more, and which
/// vertices are the first of theirs. There are fewer than 2^32 vertices.
pub(crate) fn components(edges: Edges<'_>, vertices: usize) -> Result<[Array; 2]> {
    let (Edges::Rows(from, columns) | Edges::Pairs(from, columns)) = edges;
    let device = one_device(from, [columns])?;
    let parents = make::empty(device, &[vertices], DType::U32)?;
    let dtype = if vertices >> 31 == 0 { DType::I32 } else { DType::I64 };
    let (roots, first) = (make::empty(device, &[vertices], dtype)?, make::empty(device, &[vertices], DType::Bool)?);
    if vertices == 0 {
        return Ok([roots, first]);
    }
    let wide = columns.dtype() == DType::I64;
    let source = || (format!("connected components/{}", columns.dtype()), union_find_source(wide));
    let [begin, join_roots, find_largest, join_rows, join_edges, cut, flatten] =
        kernels(&KERNELS, device, wide, UNION_FIND_KERNELS, source)?;
    let count = columns.size();
    let (largest, bits) =
        (make::empty(device, &[1], DType::U32)?, make::empty(device, &[vertices.div_ceil(32)], DType::U32)?);
    let (ends, rows) = match edges {
        Edges::Rows(ends, _) => (Read(Some(DevicePtr::of(ends))), Read(None)),
        Edges::Pairs(rows, _) => (Read(None), read(rows)),
    };
    let params = UnionFindParams {
        width: Width::default(),
        vertices,
        edges: count,
        first_edge: 0,
        ends,
        rows,
        columns: read(columns),
        parents: written(&parents),
        largest: written(&largest),
        bits: Written(None),
        roots: written(&roots),
        first: written(&first),
    };
    let of_vertices = || Blocks::of(vertices.div_ceil(THREADS), vertices, "vertices");
    let of_edges = |n: usize, each: usize| Blocks::of(n.div_ceil(each), n, "edges");
    let launch = |function, grid, params: &UnionFindParams<_>| {
        // SAFETY: pointers are checked against the number of edges, edges against that of vertices, and a parent is a vertex.
        unsafe { Launcher::on(device).launch(function, grid, THREADS, params) }
    };
    // Of few vertices the parents stay in the cache, too.
    let is_marked = vertices >= MANY_VERTICES;
    let rest = UnionFindParams { bits: if is_marked { written(&bits) } else { Written(None) }, ..params };
    let cut_all = || {
        if is_marked {
            launch(find_largest, Blocks::of(1, 1, "vertices"), &rest)?;
        }
        launch(cut, of_vertices(), &rest)
    };
    launch(begin, of_vertices(), &params)?;
    let mut last = &params;
    if count > 0 {
        match edges {
            Edges::Rows(..) => {
                launch(join_roots, of_vertices(), &params)?;
                cut_all()?;
                last = &rest;
                launch(join_rows, of_edges(count, ENTRY_TILE), last)?;
            }
            Edges::Pairs(..) => {
                let sampled = count.div_ceil(SAMPLED_PART);
                launch(join_edges, of_edges(sampled, THREADS), &UnionFindParams { edges: sampled, ..params })?;
                if sampled < count {
                    cut_all()?;
                    last = &rest;
                    let others = UnionFindParams { first_edge: sampled, ..rest };
                    launch(join_edges, of_edges(count - sampled, THREADS), &others)?;
                }
            }
        }
    }
    launch(flatten, of_vertices(), last)?;
    Ok([roots, first])
}
