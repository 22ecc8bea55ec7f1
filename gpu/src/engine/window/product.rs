//! Weighted sums over windows as products of matrices, on devices whose tensor cores compute products of float64 faster than their other
//! units.

use cuprum_kernels::source::{ProductOrder, TileOrder, WindowOp, WindowProduct, WindowTile};

use super::tile::SHARED;
use crate::cuda::Device;

/// Architectures with such tensor cores, and that of the simulator.
const TARGETS: [&str; 3] = ["sm_80", "sm_90", "compute_80"];

/// Least size of windows along one axis: the sums of shorter ones take less time than their elements.
const LEAST: usize = 13;

/// Least height and least number of elements of windows over two axes.
const LEAST_OF_TWO: [usize; 2] = [7, 49];

/// Returns the kernel of products for windows of a tile, if it is faster.
pub(super) fn product(
    key: WindowTile,
    sizes: [usize; 2],
    n: [usize; 2],
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
    let product = WindowProduct { dtype: key.dtype, order, deep: key.deep };
    let [height, width] = product.tile();
    let pays = match order {
        ProductOrder::Together => k >= LEAST_OF_TWO[0] && k * sizes[1] >= LEAST_OF_TWO[1],
        _ => k >= LEAST,
    };
    let fits = key.op == WindowOp::Weighted
        && TARGETS.contains(&info.target.as_str())
        && pays
        && 2 * n[0] > height
        && 2 * n[1] > width
        && n[0].div_ceil(height) * n[1].div_ceil(width) * planes >= info.multiprocessors as usize
        && product.shared(sizes) <= SHARED.min(info.shared_bytes as usize);
    fits.then_some(product)
}
