//! Reduction of a symmetric matrix to tridiagonal form by way of a band: blocks of reflectors, whose products with the rest of the
//! matrix the device's library computes, then reflections that move along the band.
//!
//! Lower bounds for n rows: of the band, an exchange through the L2 cache for each column, and three passes over the rest of the
//! matrix for each panel; of the tridiagonal form, two exchanges for each column.

use std::cell::Cell;

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{
    BAND, BAND_CHASE_THREADS, BAND_PANEL_ROWS, BAND_PANEL_THREADS, BAND_PRODUCT_ROWS, BAND_VECTOR_ROWS, BandParams,
    band_source,
};

use super::tridiagonal::{Tridiagonal, shared_bytes};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, Matrix, Stack, gemm, read, written};
use crate::engine::make;
use crate::error::Result;

/// Rows of the smallest matrix: smaller ones fit into registers.
const LEAST_ROWS: usize = 1025;
/// Blocks of a multiprocessor that run at the same time: registers suffice for more.
const RESIDENT: usize = 4;
/// Threads of a block of the kernel that copies a triangle.
const MIRROR_THREADS: usize = 256;

const NAMES: [&str; 5] = ["band_mirror", "band_panel", "band_products", "band_vectors", "band_chase"];

thread_local! {
    static KERNELS: Kernels<(), 5> = Kernels::default();
    /// The rows of the smallest matrix, which tests lower.
    pub(super) static LEAST: Cell<usize> = const { Cell::new(LEAST_ROWS) };
}

/// Returns whether matrices of `n` rows are reduced by way of a band.
pub(super) fn takes(device: Device, n: usize) -> bool {
    let info = device.info();
    let windows = n.div_ceil(BAND);
    n > BAND
        && n >= LEAST.get()
        && windows < info.multiprocessors as usize * RESIDENT
        && shared_bytes(n) <= info.shared_bytes as usize
}

/// Reduces a symmetric matrix in C order, of which one triangle is read.
pub(super) fn reduced(source: &Array, upper: bool) -> Result<Tridiagonal> {
    let (device, rows) = (source.device(), source.shape()[0]);
    let (n, windows) = (rows.next_multiple_of(BAND), rows.div_ceil(BAND));
    let functions = kernels(&KERNELS, device, (), NAMES, || ("band".to_owned(), band_source()))?;
    let [mirror, panel, products, vectors, chase] = functions;
    let array = |shape: &[usize]| make::empty(device, shape, DType::F64);
    // Unknown numbers have all bits set.
    let unknown = |shape: &[usize]| make::full(device, shape, u64::MAX, DType::U64);
    // Blocks of the largest panel, and messages of all windows: window t has those of n - 1 - BAND t sweeps.
    let parts = n.saturating_sub(BAND).div_ceil(BAND_PANEL_ROWS);
    let messages = windows * n - BAND / 2 * windows * (windows - 1);
    let a = array(&[n, n])?;
    let (pairs, images) = (array(&[3 * BAND, n])?, array(&[BAND, n])?);
    let (sums, triangle) = (array(&[n.div_ceil(BAND_PRODUCT_ROWS), BAND, BAND])?, array(&[BAND, BAND])?);
    let exchange = unknown(&[n, parts + 1, BAND])?;
    let (reflectors, columns, corners) =
        (unknown(&[messages, BAND])?, unknown(&[messages, BAND])?, unknown(&[messages])?);
    let (diagonal, beside) = (array(&[n])?, array(&[n])?);
    let params = |first: usize| BandParams {
        width: Width::default(),
        n: n as u32,
        rows: rows as u32,
        upper: upper.into(),
        first: first as u32,
        parts: parts as u32,
        source: read(source),
        a: written(&a),
        vectors: written(&pairs),
        images: written(&images),
        products: written(&sums),
        triangle: written(&triangle),
        exchange: written(&exchange),
        reflectors: written(&reflectors),
        columns: written(&columns),
        corners: written(&corners),
        diagonal: written(&diagonal),
        beside: written(&beside),
    };
    let launcher = Launcher::on(device);
    let matrix = |array, transposed| Matrix { array, transposed, step: n };
    let item = size_of::<f64>();
    let tiles = Blocks::of(windows * windows, n * n, "elements of a matrix");
    // SAFETY: the arrays have the sizes of the matrix.
    unsafe { launcher.launch(mirror, tiles, MIRROR_THREADS, &params(BAND)) }?;
    for first in (BAND..n).step_by(BAND) {
        let (rest, params) = (n - first, params(first));
        let blocks = |each: usize| Blocks::of(rest.div_ceil(each), rest, "rows of a matrix");
        let at = |row: usize, column: usize| ((column * n + row) * item) as i64;
        let stack = |offsets, adds| Stack { count: 1, strides: [0; 3], offsets, adds };
        // SAFETY: the panel, its reflectors and the rest of the matrix are within their arrays; a product has its own result, or adds
        // to it.
        unsafe {
            launcher.launch_resident(panel, blocks(BAND_PANEL_ROWS), BAND_PANEL_THREADS, &params)?;
            let product = stack([at(first, first), at(first, 0), at(first, 0)], false);
            gemm([rest, BAND, rest], [matrix(&a, false), matrix(&pairs, false), matrix(&images, false)], product)?;
            launcher.launch(products, blocks(BAND_PRODUCT_ROWS), 256, &params)?;
            launcher.launch(vectors, blocks(BAND_VECTOR_ROWS), 256, &params)?;
            let difference = stack([at(first, 0), at(first, BAND), at(first, first)], true);
            gemm([rest, rest, 2 * BAND], [matrix(&pairs, false), matrix(&pairs, true), matrix(&a, false)], difference)?;
        }
    }
    let blocks = Blocks::of(windows + 1, n, "columns");
    // SAFETY: the arrays have room for the messages of all windows.
    unsafe { launcher.launch_resident(chase, blocks, BAND_CHASE_THREADS, &params(BAND)) }?;
    Ok(Tridiagonal { diagonal, beside })
}
