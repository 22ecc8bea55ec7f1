//! Source of the kernel of weighted sums over windows as products of matrices.

use super::body;
use super::window::{WindowOp, functions, unit};
use super::window_tile::WindowTileParams;
use crate::DType;
use crate::params::Width;

/// Axes of the windows of the kernel `window_product`, numbered as `product_order` of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductOrder {
    /// The second to last axis.
    Down = 0,
    /// The last axis.
    Across = 1,
    /// Both together.
    Together = 2,
}

/// Key of the kernel `window_product`, with the parameters [`WindowTileParams`]. The device must have products of float64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowProduct {
    /// The dtype of the input and of the results.
    pub dtype: DType,
    /// The axes of the windows.
    pub order: ProductOrder,
    /// The sums are truncated to integers, and have the order of terms of `window_ordered`.
    pub truncated: bool,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowProduct {
    /// Returns the rows and the columns of results of a block.
    pub fn tile(&self) -> [usize; 2] {
        if self.order == ProductOrder::Across { [32, 128] } else { [64, 64] }
    }

    /// Returns the elements from a row of a tile to the next, of windows of these sizes: lanes have four adjacent elements of eight rows, or
    /// eight of four rows, in different banks. A row begins up to 3 elements before its first.
    pub fn pitch(&self, sizes: [usize; 2]) -> usize {
        let [_, width] = self.tile();
        let (columns, rest) = match self.order {
            ProductOrder::Down => (width, 8),
            ProductOrder::Across => (width + around(sizes[1]) + 3, 4),
            ProductOrder::Together => (width + sizes[1] + 2, 8),
        };
        (columns - rest).next_multiple_of(32) + rest
    }

    /// Returns the bytes of shared memory of a block, for windows of these sizes.
    pub fn shared(&self, sizes: [usize; 2]) -> usize {
        let [height, _] = self.tile();
        let (k, columns) = match self.order {
            ProductOrder::Down => (sizes[0], 1),
            ProductOrder::Across => (sizes[1], 1),
            ProductOrder::Together => (sizes[0], sizes[1]),
        };
        let rows = height + if self.order == ProductOrder::Across { 0 } else { around(k) };
        8 * (around(k) + 16) * columns + rows * self.pitch(sizes) * self.dtype.size()
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let truncated = if self.truncated { "/truncated" } else { "" };
        format!("window_product/{}/{:?}{truncated}", self.dtype, self.order)
    }

    /// Returns the source of the kernel `window_product`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        let finite = match self.dtype {
            DType::F32 | DType::F64 => "e - e == 0",
            DType::F16 | DType::BF16 => "value_of(e) - value_of(e) == 0",
            _ => "true",
        };
        unit(WindowOp::Weighted, self.dtype, self.dtype, "window_product")
            .indexed(width)
            .number("ROOM", width.axes())
            .number("REACH", 8)
            .switch("WEIGHTED", true)
            .switch("MEAN", false)
            .switch("TRUNCATED", self.truncated)
            .choice("ORDER", self.order as u8)
            .params(&WindowTileParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(WindowOp::Weighted, self.dtype, self.dtype))
            .with(&format!("DEVICE bool is_finite(element e) {{ return {finite}; }}\n"))
            .with(body!("window_slide"))
            .with(body!("window_product"))
            .finish()
    }
}

/// Returns the elements of a slice beyond its results, of windows of `k` elements: those of whole products.
fn around(k: usize) -> usize {
    (k + 14) / 8 * 8 - 8
}
