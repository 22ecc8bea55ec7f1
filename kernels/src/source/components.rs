//! Source of the kernels of connected components of images.

use super::{Unit, body, headers};
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Base-2 logarithms of the elements and of the chunks of a tile: `TILE` and `TILE_CHUNKS` of `include/components.cuh`.
pub const COMPONENT_TILE_LOG2: [u32; 2] = [12, 9];

parameters! {
    /// Parameters of the kernels of connected components of an image. Lines, chunks and positions are those of `include/components.cuh`.
    ComponentParams<'a, P> {
        /// Number of chunks.
        chunks: usize,
        /// The image, or 0 if all elements are true.
        image: Read<P> as "const char *",
        /// The bits that make an element true.
        image_mask: u64,
        /// The seeds, or 0.
        seeds: Read<P> as "const char *",
        /// The bits that make an element a seed.
        seed_mask: u64,
        /// The bits of each chunk.
        words: Written<P> as "u32 *",
        /// The parent of each run.
        parents: Written<P> as "position *",
        /// The elements of each chunk that are roots in their tile.
        tops: Written<P> as "u32 *",
        /// The roots of each chunk, or those of components with a seed.
        roots: Written<P> as "u32 *",
        /// The number of roots of each chunk, later also of all chunks before it; or 0.
        counts: Written<P> as "position *",
        /// The results, in C order.
        out: Written<P> as "char *",
        /// For each earlier line with neighbours the distance in chunks, 1 if it differs along other axes than the last three, the bits of
        /// the previous, the same and the next element, and the distance along each axis but the last.
        neighbours: Read<P> as "const i64 *",
        /// Number of these lines.
        neighbour_count: usize,
        /// Number of chunks of a line.
        line_chunks: i64,
        /// Axes along which the first and the last elements touch a true border.
        touching: u64,
        /// Sizes of the axes.
        lengths: Strides<'a>,
        /// Distances in chunks.
        chunk_steps: Strides<'a>,
        /// Number of tiles along each axis.
        tiles: Strides<'a>,
        /// Strides of the image in bytes.
        image_steps: Strides<'a>,
        /// Strides of the seeds in bytes.
        seed_steps: Strides<'a>,
        /// Sizes of the axes, the last in chunks.
        grid: Sizes<'a>,
        /// Base-2 logarithms of the size of a tile along the last axis, in chunks, and along the two before.
        tile_log2: [u32; 3],
        /// Number of axes.
        axes: u32,
        /// Base-2 logarithm of the number of elements of a chunk.
        bits_log2: u32,
        /// True if the structure has neighbours along the last axis.
        horizontal: bool,
        /// Bytes of an element of the image.
        image_bytes: u32,
        /// Bytes of a seed.
        seed_bytes: u32,
        /// Bytes of a result.
        out_bytes: u32,
        /// True if the elements are bytes, adjacent along the last axis, of lines whose distances are multiples of 4 bytes, in chunks of 32.
        packed: bool,
        /// Invert the seeds and the marked results.
        invert: bool,
    }
}

/// Returns the source of the kernels `component_tiles`, `component_borders`, `component_roots`, `component_seeds` and `component_write`.
pub fn components_source(width: Width) -> String {
    Unit::new(headers([], false), "components")
        .typed("position", width.index())
        .number("ROOM", width.axes())
        .params(&ComponentParams::<()> { width, ..Default::default() })
        .with(body!("union_roots"))
        .with(body!("components"))
        .finish()
}
