//! Weighted sums over windows as products of matrices, on devices whose tensor cores compute products of float64 faster than their other
//! units.

use cuprum_kernels::DType;
use cuprum_kernels::source::{ProductOrder, TileOrder, WindowOp, WindowProduct, WindowTile};

use super::ordered::depends_on_order;
use super::range;
use super::tile::SHARED;
use crate::cuda::Device;

/// Architectures with such tensor cores, and that of the simulator.
const TARGETS: [&str; 3] = ["sm_80", "sm_90", "compute_80"];

/// Least size of windows along one axis: the sums of shorter ones take less time than their elements.
const LEAST: usize = 13;

/// Least size of those whose sums are truncated, and are added in order otherwise.
const LEAST_TRUNCATED: usize = 5;

/// Least size of windows along one axis whose elements take longer to load: of rows that do not begin at multiples of 16 bytes, and along rows
/// of fewer than [`LONG`] elements, many of whose tiles are at a border.
const LEAST_LOADED_APART: usize = 48;
const LONG: usize = 1024;

/// Least height and least number of elements of windows over two axes.
const LEAST_OF_TWO: [usize; 2] = [7, 49];

/// Greatest difference between truncated sums by products and in order with which few are computed again.
const MOST_SLACK: f64 = 1e-3;

/// Returns a bound of the difference between sums of products and of SciPy's terms, for elements of an integer dtype: each sum is rounded once
/// for each term, and twice in SciPy's, and a pair of terms has the weight of one of them, from which the other differs by an epsilon.
pub(super) fn slack(dtype: DType, weights: &[f64]) -> f64 {
    let (low, high) = range(dtype).unwrap_or_default();
    let (most, terms) = (high.max(-low), weights.len() as f64);
    let total: f64 = weights.iter().map(|w| w.abs()).sum();
    2.0 * (terms + 2.0) * f64::EPSILON * (total + 1.0) * most
}

/// Returns the kernel of products for windows of a tile, if it is faster, for results of `n` rows and columns from rows `step` bytes apart.
pub(super) fn product(
    key: WindowTile,
    weights: &[f64],
    sizes: [usize; 2],
    (n, step): ([usize; 2], i64),
    planes: usize,
    device: Device,
) -> Option<WindowProduct> {
    let info = device.info();
    let (order, k) = match (key.order, sizes) {
        (TileOrder::Together, [k, _]) => (ProductOrder::Together, k),
        (_, [k, 0]) => (ProductOrder::Down, k),
        (_, [0, k]) => (ProductOrder::Across, k),
        _ => return None,
    };
    let truncated = depends_on_order(key.dtype, weights);
    let product = WindowProduct { dtype: key.dtype, order, truncated, deep: key.deep };
    let [height, width] = product.tile();
    let pays = match order {
        ProductOrder::Together => k >= LEAST_OF_TWO[0] && k * sizes[1] >= LEAST_OF_TWO[1],
        _ if truncated => k >= LEAST_TRUNCATED,
        _ if step % 16 != 0 || (order == ProductOrder::Across && n[1] < LONG) => k >= LEAST_LOADED_APART,
        _ => k >= LEAST,
    };
    let fits = key.op == WindowOp::Weighted
        && (!truncated || slack(key.dtype, weights) < MOST_SLACK)
        && TARGETS.contains(&info.target.as_str())
        && pays
        && 2 * n[0] > height
        && 2 * n[1] > width
        && n[0].div_ceil(height) * n[1].div_ceil(width) * planes >= info.multiprocessors as usize
        && product.shared(sizes) <= SHARED.min(info.shared_bytes as usize);
    fits.then_some(product)
}
