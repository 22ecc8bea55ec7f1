//! Sources of the kernels of a tree of boxes over points.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Points of a leaf.
pub const POINT_LEAF: usize = 8;

/// Maximum number of levels: `walk` of `include/point_tree.cuh` has four bits of a 64-bit word for each.
pub const POINT_LEVELS: usize = 16;

/// Numbers of coordinates up to this one are in registers.
pub const POINT_DIMS: usize = 3;

/// Maximum number of coordinates that the curve has: `CURVE_DIMS` of `include/point_build.cuh`.
pub const POINT_CURVE_DIMS: usize = 8;

parameters! {
    /// Parameters of the kernel `point_keys`.
    PointKeysParams<P> {
        /// Number of points.
        count: usize,
        /// Number of coordinates from one point to the next.
        dims: usize,
        /// Number of coordinates of the curve.
        curve_dims: u32,
        /// Bits of a coordinate.
        bits: u32,
        /// The points in C order.
        points: Read<P> as "const real *",
        /// The smallest coordinates.
        low: Read<P> as "const real *",
        /// The largest coordinates.
        high: Read<P> as "const real *",
        /// The positions on the curve.
        keys: Written<P> as "i64 *",
    }
}

parameters! {
    /// Parameters of the kernel `point_arrange`.
    PointArrangeParams<P> {
        /// Number of points.
        count: usize,
        /// Number of coordinates.
        dims: usize,
        /// Number of coordinates of a result.
        padded: usize,
        /// The points.
        points: Read<P> as "const char *",
        /// Strides of points and coordinates, in bytes.
        steps: [i64; 2],
        /// The number of the point of each result, if they are in another order.
        sequence: Read<P> as "const i64 *",
        /// The results in C order.
        out: Written<P> as "real *",
    }
}

parameters! {
    /// Parameters of the kernel `point_boxes`.
    PointBoxesParams<P> {
        /// Number of boxes.
        nodes: usize,
        /// Number of coordinates.
        dims: usize,
        /// Number of points or boxes of the level below.
        parts: usize,
        /// True for boxes of points.
        leaves: bool,
        /// The points, or the boxes of the level below.
        source: Read<P> as "const real *",
        /// The boxes: the smallest coordinates of each, then the largest ones.
        boxes: Written<P> as "real *",
    }
}

parameters! {
    /// Parameters of the kernels `point_nearest` and `point_ball`.
    PointSearchParams<P> {
        /// Number of points of the tree.
        count: usize,
        /// Number of coordinates of a point.
        dims: usize,
        /// Number of levels.
        levels: u32,
        /// The powers of differences that are summed.
        order: u32,
        /// The exponent, if it is another one.
        exponent: f64,
        /// Factor of the limit of boxes.
        shrink: f64,
        /// The first node of each level.
        begins: [usize; POINT_LEVELS],
        /// The number of nodes of each level.
        nodes: [usize; POINT_LEVELS],
        /// The points in the order of the curve.
        points: Read<P> as "const real *",
        /// Their numbers.
        ids: Read<P> as "const i64 *",
        /// Their positions on the curve.
        keys: Read<P> as "const i64 *",
        /// The boxes of all nodes.
        boxes: Read<P> as "const real *",
        /// The lengths of the periods, or 0.
        period: Read<P> as "const real *",
        /// True if there are periods.
        periodic: bool,
        /// True for the points whose numbers are above that of the query.
        above: bool,
        /// Number of queries.
        rows: usize,
        /// The queries in C order.
        queries: Read<P> as "const real *",
        /// Their positions on the curve.
        query_keys: Read<P> as "const i64 *",
        /// The order of the queries, if it is another one.
        sequence: Read<P> as "const i64 *",
        /// Number of neighbours of a query.
        near: usize,
        /// The power of the distance that neighbours are below.
        bound: f64,
        /// The distances.
        distances: Written<P> as "real *",
        /// The numbers of the neighbours.
        ids_out: Written<P> as "i64 *",
        /// The radius of all queries.
        radius: f64,
        /// The radius of each query.
        radii: Read<P> as "const f64 *",
        /// The number of points within the radius of each query.
        counts: Written<P> as "i64 *",
        /// The first result of each query.
        offsets: Read<P> as "const i64 *",
        /// The number of a query times the number of points, plus the number of a point within its radius.
        keys_out: Written<P> as "i64 *",
    }
}

/// Search of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointSearch {
    /// The nearest points: up to this number of them in registers, or any number for 0.
    Nearest(usize),
    /// The points within a radius.
    Ball,
}

/// Key of a kernel that searches a tree, with the parameters [`PointSearchParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointTreeSearch {
    /// The dtype of points: float32 or float64.
    pub dtype: DType,
    /// Number of coordinates in registers, or 0 for any number.
    pub dims: usize,
    /// The search.
    pub search: PointSearch,
}

impl PointTreeSearch {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("{}/{}/{}/{:?}", self.function(), self.dtype, self.dims, self.search)
    }

    /// Returns the name of the function.
    pub fn function(&self) -> &'static str {
        if self.search == PointSearch::Ball { "point_ball" } else { "point_nearest" }
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        let near = if let PointSearch::Nearest(near) = self.search { near } else { 0 };
        Unit::new(headers([self.dtype], false), "point_tree")
            .typed("real", self.dtype.device_name())
            .number("LEAF", POINT_LEAF)
            .choice("DIMS", self.dims)
            .choice("NEAR", near)
            .params(&PointSearchParams::<()>::default())
            .with(body!("point_tree"))
            .with(if self.search == PointSearch::Ball { body!("point_ball") } else { body!("point_nearest") })
            .finish()
    }
}

/// Names of the kernels of [`point_build_source`].
pub const POINT_BUILD_KERNELS: [&str; 3] = ["point_keys", "point_arrange", "point_boxes"];

/// Returns the source of the kernels that construct a tree of points of float32 or float64.
pub fn point_build_source(dtype: DType) -> String {
    Unit::new(headers([dtype], false), "point_build")
        .typed("real", dtype.device_name())
        .number("LEAF", POINT_LEAF)
        .params_as("keys_params", &PointKeysParams::<()>::default())
        .params_as("arrange_params", &PointArrangeParams::<()>::default())
        .params_as("boxes_params", &PointBoxesParams::<()>::default())
        .with(body!("point_build"))
        .finish()
}
