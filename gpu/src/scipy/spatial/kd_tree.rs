//! Trees of points for searches of neighbours: `scipy.spatial.KDTree`.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, unrecorded};

use super::distance::distance_dtype;
use super::{all_true, of_dtype, wrong};
use crate::array::{Array, IntoArgument};
use crate::engine::make;
use crate::engine::point_tree::{Norm, PointTree, Queries};
use crate::error::{Error, ErrorKind, Result};
use crate::routines::creation::ascontiguousarray;
use crate::routines::{logic, math, statistics};

/// Tree of points for searches of nearest neighbours and of all points within a radius, as SciPy's `scipy.spatial.KDTree`.
///
/// The tree has boxes of points that follow each other on a Hilbert curve, and not the splits of a k-d tree; results are exact, and the same
/// in each call: of points at the same distance, the one of the smaller number is nearer. Points of float16, bfloat16 and float32 are
/// searched in float32, those of other dtypes in float64, SciPy's always in float64. Any number of dimensions is supported; with more than
/// some ten, most boxes are near most queries, and a search compares most points.
///
/// ```
/// use cuprum::{array, scipy::spatial::KdTree};
/// let tree = KdTree::new(&array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])?, None)?;
/// let found = tree.query(&array([[0.9, 0.1]])?, 2, ())?;
/// assert_eq!(found.indices.to_vec::<i64>()?, [1, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KdTree {
    points: Array,
    dtype: DType,
    pub(super) tree: Option<PointTree>,
    /// The lengths of the periods, one for each coordinate, and 0 for those without.
    periods: Option<Array>,
    bounds: Option<[Array; 2]>,
}

/// Options of [`KdTree::query`].
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct NearestOptions {
    /// The relative error of distances: a neighbour may be up to 1 + eps times as far as the nearest. By default 0.
    pub eps: f64,
    /// The exponent of the norm, 1 to infinity. By default 2.
    #[from]
    pub p: f64,
    /// The distance that neighbours are below. By default infinity.
    pub distance_upper_bound: f64,
}

impl Default for NearestOptions {
    fn default() -> Self {
        NearestOptions { eps: 0.0, p: 2.0, distance_upper_bound: f64::INFINITY }
    }
}

/// Nearest neighbours of queries.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The distances in ascending order; infinity where there are fewer neighbours.
    pub distances: Array,
    /// The numbers of the points, int64; the number of all points where there are fewer neighbours.
    pub indices: Array,
}

/// Returns the norm of an exponent.
pub(super) fn norm_of(p: f64) -> Result<Norm> {
    if p >= 1.0 { Ok(Norm(p)) } else { wrong(format!("p = {p}: only p-norms with 1 <= p <= infinity are permitted")) }
}

fn check_real(x: &Array, name: &str) -> Result<()> {
    if x.dtype().kind() == Kind::Complex {
        return Err(Error::new(ErrorKind::Type, format!("KDTree: {name} is complex: points are real")));
    }
    Ok(())
}

impl KdTree {
    /// Constructs the tree of points of the shape (n, m). `boxsize` has the length of the period of each of the m coordinates, or 0 for none; points are
    /// then at least 0 and less than it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of axes, for coordinates that are not finite or outside of a period, and for another number of periods;
    /// [`ErrorKind::Type`] for complex points.
    ///
    /// # Synchronization
    ///
    /// Synchronises to check that points are finite and within periods.
    pub fn new(data: &Array, boxsize: Option<&[f64]>) -> Result<KdTree> {
        check_real(data, "data")?;
        if data.ndim() != 2 {
            return wrong(format!(
                "KDTree: data of shape {:?}: it must be (n, m) for n points of m dimensions",
                data.shape()
            ));
        }
        let (device, [n, m]) = (data.device(), [data.shape()[0], data.shape()[1]]);
        let dtype = distance_dtype(data.dtype(), data.dtype());
        let points = of_dtype(data, dtype)?;
        let mut lengths = None;
        if let Some(boxsize) = boxsize {
            if boxsize.len() != m {
                return wrong(format!("KDTree: boxsize of {} elements: data has {m} dimensions", boxsize.len()));
            }
            let mut padded: Vec<f64> = boxsize.iter().map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 }).collect();
            let periods = make::of(device, &padded, &[m])?.astype(dtype)?;
            padded.resize(PointTree::padding(m), 0.0);
            lengths = Some((periods, make::of(device, &padded, &[padded.len()])?.astype(dtype)?));
        }
        let mut made =
            KdTree { points, dtype, tree: None, periods: lengths.as_ref().map(|l| l.0.clone()), bounds: None };
        if n == 0 || m == 0 {
            return Ok(made);
        }
        let (low, high) = (statistics::min(&made.points, 0)?, statistics::max(&made.points, 0)?);
        // The extremes are NaN if a coordinate is, and infinite if one is.
        let finite = logic::logical_and(logic::isfinite(&low)?, logic::isfinite(&high)?)?;
        if !all_true(&finite)? {
            return wrong("KDTree: data must be finite, check for nan or inf values");
        }
        if let Some((periods, _)) = &lengths {
            let free = logic::equal(periods, 0)?;
            if !all_true(&logic::logical_or(&free, &logic::less(&high, periods)?)?)? {
                return wrong("KDTree: some data are greater than the size of the periodic box");
            }
            if !all_true(&logic::logical_or(&free, &logic::greater_equal(&low, 0)?)?)? {
                return wrong("KDTree: negative data are outside of the periodic box");
            }
        }
        made.bounds = Some([low.clone(), high.clone()]);
        made.tree = Some(PointTree::new(&made.points, low, high, lengths.map(|l| l.1))?);
        Ok(made)
    }

    /// Returns the points in the dtype of distances.
    pub fn data(&self) -> &Array {
        &self.points
    }

    /// Returns the number of points.
    pub fn n(&self) -> usize {
        self.points.shape()[0]
    }

    /// Returns the number of dimensions.
    pub fn m(&self) -> usize {
        self.points.shape()[1]
    }

    /// Returns the smallest and the largest coordinates; zeros without points.
    ///
    /// # Errors
    ///
    /// Same as [`zeros`](crate::zeros()).
    pub fn bounds(&self) -> Result<[Array; 2]> {
        match &self.bounds {
            Some(bounds) => Ok(bounds.clone()),
            None => {
                let none = make::zeros(self.points.device(), &[self.m()], self.dtype)?;
                Ok([none.clone(), none])
            }
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.tree.as_ref().map_or(0, PointTree::nodes)
    }

    /// Returns the dtype of distances: float32 or float64.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns queries as rows in the tree's dtype, moved into the periods. Checking that they are finite synchronises.
    pub(super) fn rows(&self, x: &Array, function: &str) -> Result<Array> {
        check_real(x, "x")?;
        let m = self.m();
        if x.shape().last() != Some(&m) {
            let shape = x.shape();
            return wrong(format!("{function}: x must consist of vectors of length {m} but has shape {shape:?}"));
        }
        if !all_true(&logic::isfinite(x)?)? {
            return wrong(format!("{function}: x must be finite, check for nan or inf values"));
        }
        let count: usize = x.shape()[..x.ndim() - 1].iter().product();
        let rows = of_dtype(x, self.dtype)?.reshape([count, m])?;
        let Some(periods) = &self.periods else { return Ok(rows) };
        let turns = math::floor(math::true_divide(&rows, periods)?)?;
        let moved = math::subtract(&rows, math::multiply(&turns, periods)?)?;
        let free = logic::equal(periods, 0)?;
        crate::routines::searching::where_(&free, &rows, &moved)
    }

    /// Finds the `k` nearest points of each query. The last axis of `x` has the coordinates; the results have the shape of the others, and `k`.
    ///
    /// Distances have the dtype of the tree.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a last axis of another length, coordinates that are not finite, `k` of 0, an exponent below 1 and a negative `eps`;
    /// [`ErrorKind::Type`] for complex queries.
    ///
    /// # Synchronization
    ///
    /// Synchronises to check that queries are finite.
    #[unrecorded("takes a tree: compared with SciPy's in `gpu/python/tests/test_kdtree.py`")]
    pub fn query(&self, x: &Array, k: usize, options: impl IntoArgument<NearestOptions>) -> Result<Nearest> {
        let options = options.into();
        let norm = norm_of(options.p)?;
        let rows = self.rows(x, "query")?;
        if k == 0 {
            return wrong("query: k = 0: it must be at least 1");
        }
        if options.eps.is_nan() || options.eps < 0.0 {
            return wrong(format!("query: eps = {}: it must not be negative", options.eps));
        }
        let mut shape = x.shape()[..x.ndim() - 1].to_vec();
        shape.push(k);
        let Some(tree) = &self.tree else {
            let distances = make::full(x.device(), &shape, f64::INFINITY, self.dtype)?;
            return Ok(Nearest { distances, indices: make::full(x.device(), &shape, self.n() as i64, DType::I64)? });
        };
        let queries: Queries = tree.queries(&ascontiguousarray(&rows)?)?;
        let [distances, indices] = tree.nearest(&queries, k, norm, options.eps, options.distance_upper_bound)?;
        Ok(Nearest { distances: distances.reshape(shape.as_slice())?, indices: indices.reshape(shape.as_slice())? })
    }
}
