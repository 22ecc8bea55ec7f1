//! Source of the kernels of connected components.

use super::compressed::index_type;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernels of connected components of a graph.
    UnionFindParams<P> {
        /// Number of vertices.
        vertices: usize,
        /// Number of edges.
        edges: usize,
        /// The first edge of `join_edges`.
        first_edge: usize,
        /// The offsets of the edges of each vertex, and the end of the last; 0 if edges are in any order.
        ends: Read<P> as "const index *",
        /// The first vertex of each edge, if edges are in any order.
        rows: Read<P> as "const index *",
        /// The second one.
        columns: Read<P> as "const index *",
        /// The parent of each vertex.
        parents: Written<P> as "u32 *",
        /// The root of the largest component.
        largest: Written<P> as "u32 *",
        /// A bit for each vertex, set for those of the largest component; 0 before it is known.
        bits: Written<P> as "u32 *",
        /// The root of each vertex, of int32, or of int64 for 2^31 vertices and more.
        roots: Written<P>,
        /// True for the vertices that are roots.
        first: Written<P> as "bool *",
    }
}

/// The kernels of [`union_find_source`].
pub const UNION_FIND_KERNELS: [&str; 7] =
    ["begin_roots", "join_roots", "find_largest", "join_rows", "join_edges", "cut_paths", "flatten_roots"];

/// Returns the source of the kernels of connected components, for indices of 32 or 64 bits.
pub fn union_find_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "union_find")
        .typed("index", index_type(wide))
        .params(&UnionFindParams::<()>::default())
        .with(body!("compressed_rows"))
        .with(body!("union_find"))
        .finish()
}
