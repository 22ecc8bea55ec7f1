//! Connected components of a graph by union-find.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{UnionFindParams, union_find_source};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;

/// Threads of a block: as in `include/union_find.cuh`.
const THREADS: usize = 256;

thread_local! {
    static KERNELS: Kernels<bool, 3> = Kernels::default();
}

/// Returns the first vertex of the component of each of `vertices`, of int64, and which vertices are the first of theirs. Edges are pairs of
/// int32 or int64, in any order and direction; there are fewer than 2^32 vertices.
pub(crate) fn components(rows: &Array, columns: &Array, vertices: usize) -> Result<[Array; 2]> {
    let device = one_device(rows, [columns])?;
    let parents = make::empty(device, &[vertices], DType::U32)?;
    let (roots, first) =
        (make::empty(device, &[vertices], DType::I64)?, make::empty(device, &[vertices], DType::Bool)?);
    if vertices == 0 {
        return Ok([roots, first]);
    }
    let wide = rows.dtype() == DType::I64;
    let source = || (format!("connected components/{}", rows.dtype()), union_find_source(wide));
    let names = ["begin_roots", "join_edges", "flatten_roots"];
    let [begin, join, flatten] = kernels(&KERNELS, device, wide, names, source)?;
    let edges = rows.size();
    let params = UnionFindParams {
        width: Width::default(),
        vertices,
        edges,
        rows: read(rows),
        columns: read(columns),
        parents: written(&parents),
        roots: written(&roots),
        first: written(&first),
    };
    let grid = |n: usize, what| Blocks::of(n.div_ceil(THREADS), n, what);
    // SAFETY: edges are checked against the number of vertices, and a parent is a vertex.
    unsafe {
        Launcher::on(device).launch(begin, grid(vertices, "vertices"), THREADS, &params)?;
        if edges > 0 {
            Launcher::on(device).launch(join, grid(edges, "edges"), THREADS, &params)?;
        }
        Launcher::on(device).launch(flatten, grid(vertices, "vertices"), THREADS, &params)?;
    }
    Ok([roots, first])
}
