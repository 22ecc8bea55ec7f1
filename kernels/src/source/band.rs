//! Source of the kernels that reduce a symmetric matrix to tridiagonal form by way of a band.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Diagonals of the band on each side of the main one, as in `include/band_reduce.cuh`.
pub const BAND: usize = 32;
/// Threads of a block of the kernel `band_panel`.
pub const BAND_PANEL_THREADS: usize = 128;
/// Rows of a panel that a block has.
pub const BAND_PANEL_ROWS: usize = 2 * BAND_PANEL_THREADS;
/// Rows whose products a block of the kernel `band_products` adds.
pub const BAND_PRODUCT_ROWS: usize = 128;
/// Rows of a block of the kernel `band_vectors`, as in `include/band_reduce.cuh`.
pub const BAND_VECTOR_ROWS: usize = 64;
/// Threads of a block of the kernel `band_chase`, as in `include/band_chase.cuh`.
pub const BAND_CHASE_THREADS: usize = 64;

parameters! {
    /// Parameters of the kernels `band_mirror`, `band_panel`, `band_products`, `band_vectors` and `band_chase`.
    BandParams<P> {
        /// Rows of the matrix, a multiple of the band.
        n: u32,
        /// Rows of the matrix that is read.
        rows: u32,
        /// 1 if its upper triangle is read, 0 for the lower one.
        upper: u32,
        /// First row of the panel, which is also the first column after it.
        first: u32,
        /// Blocks of the largest panel.
        parts: u32,
        /// The matrix that is read, in row-major order.
        source: Read<P> as "const f64 *",
        /// The matrix, with both triangles.
        a: Written<P> as "f64 *",
        /// Columns V, -Z and V again, of `n` rows.
        vectors: Written<P> as "f64 *",
        /// Columns of A V.
        images: Written<P> as "f64 *",
        /// Parts of V^T A V.
        products: Written<P> as "f64 *",
        /// T, in row-major order.
        triangle: Written<P> as "f64 *",
        /// Numbers of each column of the panels, unknown at first: products of each block, and a row.
        exchange: Written<P> as "f64 *",
        /// Reflectors of each window, unknown at first.
        reflectors: Written<P> as "f64 *",
        /// Columns that leave each window, unknown at first.
        columns: Written<P> as "f64 *",
        /// The elements below these columns, unknown at first.
        corners: Written<P> as "f64 *",
        /// The diagonal of the tridiagonal matrix.
        diagonal: Written<P> as "f64 *",
        /// The elements next to it.
        beside: Written<P> as "f64 *",
    }
}

/// Returns the source of the kernels.
pub fn band_source() -> String {
    Unit::new(headers([DType::F64], false), "band")
        .typed("word", "u64")
        .switch("COMPLEX", false)
        .number("PANEL_THREADS", BAND_PANEL_THREADS)
        .number("PANEL_ROWS", BAND_PANEL_ROWS)
        .number("PRODUCT_ROWS", BAND_PRODUCT_ROWS)
        .params(&BandParams::<()>::default())
        .with(body!("published"))
        .with(body!("reflection"))
        .with(body!("band_reduce"))
        .with(body!("band_chase"))
        .finish()
}
