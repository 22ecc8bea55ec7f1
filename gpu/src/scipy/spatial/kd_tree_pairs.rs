//! Points within a radius: pairs of a tree and of queries, or of two trees.

use cuprum_kernels::DType;
use cuprum_macros::{Options, unrecorded};

use super::kd_tree::{KdTree, norm_of};
use super::{of_dtype, wrong};
use crate::array::{Array, IntoArgument};
use crate::engine::make;
use crate::engine::point_tree::{Ball, Radii};
use crate::error::Result;
use crate::routines::creation::ascontiguousarray;
use crate::routines::{math, sorting};

/// Options of the searches of all points within a radius.
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct BallOptions {
    /// The exponent of the norm, 1 to infinity. By default 2.
    #[from]
    pub p: f64,
    /// Each pair of points of one tree once, the smaller number first, and no point with itself. By default false.
    pub above: bool,
    /// Neighbours of a query in ascending order, otherwise in that of the tree. By default true.
    pub sorted: bool,
}

impl Default for BallOptions {
    fn default() -> Self {
        BallOptions { p: 2.0, above: false, sorted: true }
    }
}

/// Neighbours of all queries, one query after another.
#[derive(Clone, Debug)]
pub struct Neighbors {
    /// The first neighbour of each query, and the number of all, int64.
    pub offsets: Array,
    /// The query of each neighbour, int64.
    pub queries: Array,
    /// The number of the point, int64.
    pub indices: Array,
    /// The distances in the order of the tree; `None` if neighbours are sorted.
    pub distances: Option<Array>,
}

impl KdTree {
    fn radii(&self, x: &Array, r: &Array) -> Result<Option<Array>> {
        let shape = &x.shape()[..x.ndim() - 1];
        if r.size() == 1 && r.ndim() == 0 {
            return Ok(None);
        }
        let each = of_dtype(r, DType::F64)?.broadcast_to(shape)?;
        Ok(Some(ascontiguousarray(&each)?.reshape([each.size()])?))
    }

    /// Counts the points within the radius of each query, which is one number or broadcast to the queries: int64 of the shape of `x` without its last
    /// axis.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a last axis of another length, coordinates that are not finite, an exponent below 1 and radii
    /// that are not broadcast; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex queries.
    ///
    /// # Synchronization
    ///
    /// Synchronises to check that queries are finite, and downloads a radius without axes.
    #[unrecorded("takes a tree: compared with SciPy's in `gpu/python/tests/test_kdtree.py`")]
    pub fn count_within(&self, x: &Array, r: &Array, options: impl IntoArgument<BallOptions>) -> Result<Array> {
        let options = options.into();
        let norm = norm_of(options.p)?;
        let rows = self.rows(x, "query_ball_point")?;
        let shape = &x.shape()[..x.ndim() - 1];
        let Some(tree) = &self.tree else { return make::zeros(x.device(), shape, DType::I64) };
        let each = self.radii(x, r)?;
        let radii = match &each {
            Some(each) => Radii::Each(each),
            None => Radii::One(r.astype(DType::F64)?.item::<f64>()?),
        };
        let ball = Ball { radii, norm, above: options.above };
        tree.count_within(&tree.queries(&rows)?, &ball)?.reshape(shape)
    }

    /// Finds the points within the radius of each query, which is one number or broadcast to the queries.
    ///
    /// ```
    /// use cuprum::{array, scipy::spatial::KdTree};
    /// let tree = KdTree::new(&array([[0.0], [1.0], [5.0]])?, None)?;
    /// let found = tree.within(&array([[0.5], [5.0]])?, &array(1.0)?, ())?;
    /// assert_eq!(found.offsets.to_vec::<i64>()?, [0, 2, 3]);
    /// assert_eq!(found.indices.to_vec::<i64>()?, [0, 1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Self::count_within`].
    ///
    /// # Synchronization
    ///
    /// Downloads the number of all neighbours, and a radius without axes.
    #[unrecorded("takes a tree: compared with SciPy's in `gpu/python/tests/test_kdtree.py`")]
    pub fn within(&self, x: &Array, r: &Array, options: impl IntoArgument<BallOptions>) -> Result<Neighbors> {
        let options = options.into();
        let norm = norm_of(options.p)?;
        let rows = self.rows(x, "query_ball_point")?;
        let (device, count) = (x.device(), rows.shape()[0]);
        let offsets = make::zeros(device, &[count + 1], DType::I64)?;
        let Some(tree) = &self.tree else {
            let none = || make::empty(device, &[0], DType::I64);
            let distances = if options.sorted { None } else { Some(make::empty(device, &[0], self.dtype())?) };
            return Ok(Neighbors { offsets, queries: none()?, indices: none()?, distances });
        };
        if (count as u128) * (self.n() as u128) >= 1 << 63 {
            return wrong(format!(
                "{count} queries of {} points have more pairs than 64 bits: search fewer at once",
                self.n()
            ));
        }
        let each = self.radii(x, r)?;
        let radii = match &each {
            Some(each) => Radii::Each(each),
            None => Radii::One(r.astype(DType::F64)?.item::<f64>()?),
        };
        let queries = tree.queries(&rows)?;
        let ball = Ball { radii, norm, above: options.above };
        let counts = tree.count_within(&queries, &ball)?;
        crate::engine::copy(&counts.cumsum(0)?, &offsets.index(crate::index::s![1..])?)?;
        let total = if count == 0 { 0 } else { offsets.index(crate::index::s![-1])?.item::<i64>()? as usize };
        let keys = make::empty(device, &[total], DType::I64)?;
        let distances = if options.sorted { None } else { Some(make::empty(device, &[total], self.dtype())?) };
        tree.within(&queries, &ball, &offsets, &keys, distances.as_ref())?;
        let keys = if options.sorted { sorting::sort(&keys, -1)? } else { keys };
        let n = self.n() as i64;
        let (queries, indices) = (math::floor_divide(&keys, n)?, math::remainder(&keys, n)?);
        Ok(Neighbors { offsets, queries, indices, distances })
    }
}
