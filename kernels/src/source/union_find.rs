//! Source of the kernels of connected components.

use super::compressed::index_type;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernels `begin_roots`, `join_edges` and `flatten_roots`.
    UnionFindParams<P> {
        /// Number of vertices.
        vertices: usize,
        /// Number of edges.
        edges: usize,
        /// The first vertex of each edge.
        rows: Read<P> as "const index *",
        /// The second one.
        columns: Read<P> as "const index *",
        /// The parent of each vertex.
        parents: Written<P> as "u32 *",
        /// The root of each vertex.
        roots: Written<P> as "i64 *",
        /// True for the vertices that are roots.
        first: Written<P> as "bool *",
    }
}

/// Returns the source of the kernels `begin_roots`, `join_edges` and `flatten_roots`.
pub fn union_find_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "union_find")
        .typed("index", index_type(wide))
        .params(&UnionFindParams::<()>::default())
        .with(body!("union_roots"))
        .with(body!("union_find"))
        .finish()
}
