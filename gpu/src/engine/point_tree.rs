//! Tree of boxes over points along a Hilbert curve, and searches in it.
//!
//! The tree is complete and has no pointers: points are sorted along the curve, a leaf has [`POINT_LEAF`] of them, and each level has the boxes of
//! four nodes of the level below. Queries are sorted along the same curve, so that the threads of a warp read the same nodes. Numbers of
//! points and coordinates, exponents and periods are data of a launch; the source varies with the dtype, and with what is held in registers.
//!
//! Lower bounds: of the construction, a sort of 64-bit keys and the bytes of points and boxes; of a search, the sort of the queries, their bytes and those of the
//! results. The nodes that a query reads are in the caches, since adjacent queries read the same ones.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Width, Written};
use cuprum_kernels::source::{
    POINT_BUILD_KERNELS, POINT_CURVE_DIMS, POINT_DIMS, POINT_LEAF, POINT_LEVELS, PointArrangeParams, PointBoxesParams,
    PointKeysParams, PointSearch, PointSearchParams, PointTreeSearch, point_build_source,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, read, written};
use super::{make, sort};
use crate::array::Array;
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};

/// Threads of a block that constructs a tree, and of one that searches it: as in the kernels.
const BUILD_THREADS: usize = 256;
const SEARCH_THREADS: usize = 128;

/// Fewer queries are not sorted: they take less time than the sort.
const SORTED_QUERIES: usize = 1 << 12;

/// Numbers of neighbours that registers hold.
const IN_REGISTERS: [usize; 3] = [1, 8, 32];

thread_local! {
    static BUILD: Kernels<DType, 3> = Kernels::default();
    static SEARCH: Kernels<PointTreeSearch> = Kernels::default();
}

/// Distance of two points: the p-th root of the sum of the p-th powers of the differences of coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Norm(pub(crate) f64);

impl Norm {
    /// Returns the number of the norm in `include/point_tree.cuh`.
    fn order(self) -> u32 {
        match self.0 {
            2.0 => 0,
            1.0 => 1,
            f64::INFINITY => 2,
            _ => 3,
        }
    }

    /// Returns the power of a distance that sums are compared with.
    fn power(self, distance: f64) -> f64 {
        if self.0 == f64::INFINITY { distance } else { distance.powf(self.0) }
    }

    /// Returns the factor of a limit by which no box is left out because of the rounding errors of powers.
    fn slack(self, dtype: DType) -> f64 {
        match (self.order(), dtype) {
            (3, DType::F32) => 1.0 + 1e-5,
            (3, _) => 1.0 + 1e-13,
            _ => 1.0,
        }
    }
}

/// Points in the order of a curve, with the boxes of all nodes.
#[derive(Clone, Debug)]
pub(crate) struct PointTree {
    dims: usize,
    padded: usize,
    points: Array,
    ids: Array,
    keys: Array,
    boxes: Array,
    low: Array,
    high: Array,
    /// The lengths of the periods of the padded coordinates.
    period: Option<Array>,
    begins: [usize; POINT_LEVELS],
    nodes: [usize; POINT_LEVELS],
    levels: usize,
}

/// Queries of a search, in C order and padded, and the order in which they are searched.
#[derive(Debug)]
pub(crate) struct Queries {
    points: Array,
    keys: Array,
    sequence: Option<Array>,
}

fn builders(points: &Array) -> Result<[Function; 3]> {
    let dtype = points.dtype();
    let source = || (format!("point tree/{dtype}"), point_build_source(dtype));
    kernels(&BUILD, points.device(), dtype, POINT_BUILD_KERNELS, source)
}

/// Returns points in another order or their own, padded with zeros to a number of coordinates.
fn arranged(points: &Array, sequence: Option<&Array>, padded: usize) -> Result<Array> {
    let count = points.shape()[0];
    let out = make::empty(points.device(), &[count, padded], points.dtype())?;
    if out.size() == 0 {
        return Ok(out);
    }
    let [_, arrange, _] = builders(points)?;
    let params = PointArrangeParams {
        width: Width::default(),
        count,
        dims: points.shape()[1],
        padded,
        points: read(points),
        steps: [points.strides()[0], points.strides()[1]],
        sequence: Read(sequence.map(DevicePtr::of)),
        out: written(&out),
    };
    let blocks = Blocks::of(count.div_ceil(BUILD_THREADS), count, "points");
    // SAFETY: a thread reads a point of the array, whose number is one of a sort of all of them, and writes its own result.
    unsafe { Launcher::on(points.device()).launch(arrange, blocks, BUILD_THREADS, &params) }?;
    Ok(out)
}

/// Returns the positions of points of `padded` coordinates on the curve of a box.
fn curve_keys(points: &Array, dims: usize, low: &Array, high: &Array) -> Result<Array> {
    let [count, padded] = [points.shape()[0], points.shape()[1]];
    let keys = make::empty(points.device(), &[count], DType::I64)?;
    if count == 0 {
        return Ok(keys);
    }
    let curve_dims = dims.clamp(1, POINT_CURVE_DIMS);
    let [function, ..] = builders(points)?;
    let params = PointKeysParams {
        width: Width::default(),
        count,
        dims: padded,
        curve_dims: curve_dims.min(dims) as u32,
        bits: (62 / curve_dims).min(30) as u32,
        points: read(points),
        low: read(low),
        high: read(high),
        keys: written(&keys),
    };
    let blocks = Blocks::of(count.div_ceil(BUILD_THREADS), count, "points");
    // SAFETY: a thread reads a point of the array and `curve_dims` ends of the box, and writes its own key.
    unsafe { Launcher::on(points.device()).launch(function, blocks, BUILD_THREADS, &params) }?;
    Ok(keys)
}

impl PointTree {
    /// Constructs the tree of points of float32 or float64 and the shape (count, dims), neither of which is 0. `low` and `high` are the least and
    /// the largest coordinates in the same dtype; `period` has the lengths of periods, or zeros, for [`Self::padding`] coordinates.
    pub(crate) fn new(points: &Array, low: Array, high: Array, period: Option<Array>) -> Result<PointTree> {
        let device = one_device(points, [&low, &high].into_iter().chain(&period))?;
        let [count, dims] = [points.shape()[0], points.shape()[1]];
        let padded = PointTree::padding(dims);
        let in_order = arranged(points, None, padded)?;
        let unsorted = curve_keys(&in_order, dims, &low, &high)?;
        let [keys, ids] = [0, 1].map(|_| make::empty(device, &[count], DType::I64));
        let (keys, ids) = (keys?, ids?);
        sort::sort_rows(&unsorted, count, Some(&keys), Some(&ids))?;
        let sorted = arranged(&in_order, Some(&ids), padded)?;
        let (mut begins, mut nodes, mut levels, mut total) = ([0; POINT_LEVELS], [0; POINT_LEVELS], 0, 0);
        let mut parts = count.div_ceil(POINT_LEAF);
        loop {
            if levels == POINT_LEVELS {
                return Err(Error::new(
                    ErrorKind::Value,
                    format!("{count} points are more than a tree has leaves for"),
                ));
            }
            (begins[levels], nodes[levels]) = (total, parts);
            total += parts;
            levels += 1;
            if parts == 1 {
                break;
            }
            parts = parts.div_ceil(4);
        }
        let boxes = make::empty(device, &[total, 2 * padded], points.dtype())?;
        let [.., function] = builders(points)?;
        for level in 0..levels {
            let bytes = |node: usize| (node * 2 * padded * points.itemsize()) as i64;
            let at = |node: usize| Some(DevicePtr::of(&boxes).moved(bytes(node)));
            let (source, parts) = match level {
                0 => (read(&sorted), count),
                _ => (Read(at(begins[level - 1])), nodes[level - 1]),
            };
            let params = PointBoxesParams {
                width: Width::default(),
                nodes: nodes[level],
                dims: padded,
                parts,
                leaves: level == 0,
                source,
                boxes: Written(at(begins[level])),
            };
            let work = nodes[level] * padded;
            let blocks = Blocks::of(work.div_ceil(BUILD_THREADS), work, "coordinates of boxes");
            // SAFETY: a thread reads the parts of its node, of which there are `parts`, and writes its own two elements.
            unsafe { Launcher::on(device).launch(function, blocks, BUILD_THREADS, &params) }?;
        }
        Ok(PointTree { dims, padded, points: sorted, ids, keys, boxes, low, high, period, begins, nodes, levels })
    }

    /// Returns the number of coordinates of padded points.
    pub(crate) fn padding(dims: usize) -> usize {
        dims.max(POINT_DIMS)
    }

    /// Returns the number of points.
    pub(crate) fn count(&self) -> usize {
        self.points.shape()[0]
    }

    /// Returns the number of nodes of all levels.
    pub(crate) fn nodes(&self) -> usize {
        self.boxes.shape()[0]
    }

    /// Prepares queries in the dtype of the tree and of the shape (rows, dims).
    pub(crate) fn queries(&self, points: &Array) -> Result<Queries> {
        one_device(points, [&self.points])?;
        let points = arranged(points, None, self.padded)?;
        let keys = curve_keys(&points, self.dims, &self.low, &self.high)?;
        let rows = points.shape()[0];
        let sequence = if rows < SORTED_QUERIES {
            None
        } else {
            let order = make::empty(points.device(), &[rows], DType::I64)?;
            sort::sort_rows(&keys, rows, None, Some(&order))?;
            Some(order)
        };
        Ok(Queries { points, keys, sequence })
    }

    fn params<'a>(&'a self, queries: &'a Queries, norm: Norm) -> PointSearchParams<DevicePtr<'a>> {
        PointSearchParams {
            width: Width::default(),
            count: self.count(),
            dims: self.padded,
            levels: self.levels as u32,
            order: norm.order(),
            exponent: norm.0,
            shrink: norm.slack(self.points.dtype()),
            begins: self.begins,
            nodes: self.nodes,
            points: read(&self.points),
            ids: read(&self.ids),
            keys: read(&self.keys),
            boxes: read(&self.boxes),
            period: Read(self.period.as_ref().map(DevicePtr::of)),
            periodic: self.period.is_some(),
            rows: queries.points.shape()[0],
            queries: read(&queries.points),
            query_keys: read(&queries.keys),
            sequence: Read(queries.sequence.as_ref().map(DevicePtr::of)),
            above: false,
            near: 0,
            bound: 0.0,
            distances: Written(None),
            ids_out: Written(None),
            radius: 0.0,
            radii: Read(None),
            counts: Written(None),
            offsets: Read(None),
            keys_out: Written(None),
        }
    }

    fn launch(&self, search: PointSearch, params: &PointSearchParams<DevicePtr<'_>>) -> Result<()> {
        let dims = if self.padded == POINT_DIMS { POINT_DIMS } else { 0 };
        let (device, key) = (self.points.device(), PointTreeSearch { dtype: self.points.dtype(), dims, search });
        let [function] = kernels(&SEARCH, device, key, [key.function()], || (key.name(), key.source()))?;
        let blocks = Blocks::of(params.rows.div_ceil(SEARCH_THREADS), params.rows, "queries");
        // SAFETY: nodes and points are those of the tree, whose levels the parameters describe; a thread has a query of the array, and writes
        // its own results, of which the callers' arrays have as many as it counts.
        unsafe { Launcher::on(device).launch(function, blocks, SEARCH_THREADS, params) }
    }

    /// Returns the distances and numbers of the `near` nearest points of each query that are nearer than `bound`, in ascending order: infinity and
    /// the number of points where there are fewer. Points farther than 1 / (1 + eps) of the last one may be left out.
    pub(crate) fn nearest(
        &self,
        queries: &Queries,
        near: usize,
        norm: Norm,
        eps: f64,
        bound: f64,
    ) -> Result<[Array; 2]> {
        let (device, rows) = (self.points.device(), queries.points.shape()[0]);
        let distances = make::empty(device, &[rows, near], self.points.dtype())?;
        let ids = make::empty(device, &[rows, near], DType::I64)?;
        if distances.size() > 0 {
            let held = IN_REGISTERS.into_iter().find(|n| *n >= near).unwrap_or(0);
            let params = PointSearchParams {
                shrink: norm.slack(self.points.dtype()) / norm.power(1.0 + eps),
                near,
                bound: norm.power(bound),
                distances: written(&distances),
                ids_out: written(&ids),
                ..self.params(queries, norm)
            };
            self.launch(PointSearch::Nearest(held), &params)?;
        }
        Ok([distances, ids])
    }

    /// Returns the number of points within the radius of each query, int64.
    pub(crate) fn count_within(&self, queries: &Queries, ball: &Ball<'_>) -> Result<Array> {
        let counts = make::empty(self.points.device(), &[queries.points.shape()[0]], DType::I64)?;
        if counts.size() > 0 {
            let params = PointSearchParams {
                above: ball.above,
                radius: ball.radii.one(),
                radii: ball.radii.each(),
                counts: written(&counts),
                ..self.params(queries, ball.norm)
            };
            self.launch(PointSearch::Ball, &params)?;
        }
        Ok(counts)
    }

    /// Writes, for each point within the radius of a query, the number of the query times that of all points plus its own, from the query's offset
    /// on; and the distance, if there is an array for it.
    pub(crate) fn within(
        &self,
        queries: &Queries,
        ball: &Ball<'_>,
        offsets: &Array,
        keys: &Array,
        distances: Option<&Array>,
    ) -> Result<()> {
        if keys.size() == 0 {
            return Ok(());
        }
        let params = PointSearchParams {
            above: ball.above,
            radius: ball.radii.one(),
            radii: ball.radii.each(),
            offsets: read(offsets),
            keys_out: written(keys),
            distances: Written(distances.map(DevicePtr::of)),
            ..self.params(queries, ball.norm)
        };
        self.launch(PointSearch::Ball, &params)
    }
}

/// Search of the points within a radius.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<'a> {
    pub(crate) radii: Radii<'a>,
    pub(crate) norm: Norm,
    /// True for the points alone whose numbers are above that of the query.
    pub(crate) above: bool,
}

/// Radius of all queries, or one of each in float64 and C order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Radii<'a> {
    One(f64),
    Each(&'a Array),
}

impl<'a> Radii<'a> {
    fn one(&self) -> f64 {
        if let Radii::One(radius) = self { *radius } else { 0.0 }
    }

    fn each(&self) -> Read<DevicePtr<'a>> {
        Read(if let Radii::Each(radii) = self { Some(DevicePtr::of(radii)) } else { None })
    }
}
