//! Delaunay triangulation: `scipy.spatial.Delaunay`.

use std::sync::OnceLock;

use cuprum_geometry::{Triangulation, bounds, triangulate, triangulate_lifted};
use cuprum_kernels::{DType, Kind};
use cuprum_macros::unrecorded;

use super::convex_hull::checked_points;
use super::find_simplex::{Locator, find_simplex};
use super::{of_dtype, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::routines::creation::ascontiguousarray;

/// Delaunay triangulation of points of two to twelve dimensions, as SciPy's `scipy.spatial.Delaunay`.
///
/// The triangulation is computed on the host with exact predicates, and its arrays are then copied to the device of the points:
/// creating it synchronises. Points on one circle or sphere are triangulated in one of the possible ways: in the plane it depends on the coordinates
/// alone, otherwise on the order of the points, too. SciPy merges simplices that are flat by its bounds of rounding errors; these are kept here. `furthest_site` and
/// `incremental` are not supported.
///
/// ```
/// use cuprum::{array, scipy::spatial::Delaunay};
/// let corners = array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.25]])?;
/// let triangles = Delaunay::new(&corners)?;
/// assert_eq!(triangles.simplices().shape(), [2, 3]);
/// let found = triangles.find_simplex(&array([[0.1, 0.1], [3.0, 0.0]])?, None)?.to_vec::<i32>()?;
/// assert!(found[0] >= 0 && found[1] == -1);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Delaunay {
    /// The points in float64 and C order.
    points: Array,
    host: Vec<f64>,
    ndim: usize,
    triangulation: Triangulation,
    vertex_to_simplex: OnceLock<Vec<i32>>,
    simplices: Array,
    neighbors: Array,
    bounds: [Vec<f64>; 2],
    transform: OnceLock<Array>,
    locator: OnceLock<Locator>,
}

impl Delaunay {
    /// Computes the triangulation of points of the shape (n, ndim).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of axes, points of fewer than two coordinates, no points, coordinates that are not finite and 2^29 points or
    /// more; [`ErrorKind::Type`] for complex points; [`ErrorKind::NotImplemented`] for more than 12 coordinates; [`ErrorKind::LinAlg`] for points
    /// that are all on one hyperplane.
    ///
    /// # Synchronization
    ///
    /// Downloads the points.
    pub fn new(points: &Array) -> Result<Delaunay> {
        let points = checked_points(points, "Delaunay")?;
        let [n, ndim] = [points.shape()[0], points.shape()[1]];
        let host = points.to_vec::<f64>()?;
        let bounds = bounds(&host, ndim);
        let found = if ndim == 2 { triangulate(host.as_chunks().0) } else { triangulate_lifted(&host, ndim) };
        let Some(triangulation) = found else {
            let message = format!(
                "Delaunay: {n} points on one hyperplane of {ndim} dimensions have no simplex: pass {} that are not",
                ndim + 1
            );
            return Err(Error::new(ErrorKind::LinAlg, message));
        };
        let device = points.device();
        let shape = [triangulation.simplices.len() / (ndim + 1), ndim + 1];
        let simplices = make::of(device, &triangulation.simplices, &shape)?;
        let neighbors = make::of(device, &triangulation.neighbors, &shape)?;
        Ok(Delaunay {
            points,
            host,
            ndim,
            triangulation,
            vertex_to_simplex: OnceLock::new(),
            simplices,
            neighbors,
            bounds,
            transform: OnceLock::new(),
            locator: OnceLock::new(),
        })
    }

    /// Returns the number of coordinates of a point.
    pub(super) fn ndim(&self) -> usize {
        self.ndim
    }

    /// Returns the points on the host, in C order.
    pub(super) fn host(&self) -> &[f64] {
        &self.host
    }

    /// Returns the points, float64 of the shape (n, ndim).
    pub fn points(&self) -> &Array {
        &self.points
    }

    /// Returns the vertices of each simplex, int32 of the shape (simplices, ndim + 1); those of a triangle are in counterclockwise order.
    pub fn simplices(&self) -> &Array {
        &self.simplices
    }

    /// Returns the simplex opposite to each vertex of each simplex, or -1 at the hull; int32 of the shape (simplices, ndim + 1).
    pub fn neighbors(&self) -> &Array {
        &self.neighbors
    }

    /// Returns the points that are no vertices: those with the coordinates of another one. A row has the number of the point, of a simplex at it, and of
    /// the vertex there.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn coplanar(&self) -> Result<Array> {
        let simplices = self.simplex_of_vertices();
        let row = |&[point, vertex]: &[i32; 2]| [point, simplices[vertex as usize], vertex];
        let coplanar: Vec<[i32; 3]> = self.triangulation.duplicates.iter().map(row).collect();
        make::of(self.points.device(), coplanar.as_flattened(), &[coplanar.len(), 3])
    }

    /// Returns the facets of the convex hull, int32 of the shape (facets, ndim), in no order; edges of a polygon are in counterclockwise direction.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn convex_hull(&self) -> Result<Array> {
        let corners = self.ndim + 1;
        let Triangulation { simplices, neighbors, .. } = &self.triangulation;
        let mut facets: Vec<i32> = Vec::new();
        for (v, n) in simplices.chunks(corners).zip(neighbors.chunks(corners)) {
            for k in (0..corners).filter(|k| n[*k] < 0) {
                facets.extend((1..corners).map(|j| v[(k + j) % corners]));
            }
        }
        make::of(self.points.device(), &facets, &[facets.len() / self.ndim, self.ndim])
    }

    fn simplex_of_vertices(&self) -> &[i32] {
        self.vertex_to_simplex.get_or_init(|| self.triangulation.vertex_to_simplex(self.points.shape()[0], self.ndim))
    }

    /// Returns a simplex of each point, int32; -1 for points that are no vertices.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn vertex_to_simplex(&self) -> Result<Array> {
        let all = self.simplex_of_vertices();
        make::of(self.points.device(), all, &[all.len()])
    }

    /// Returns the neighbours of the vertices as pointers, int32 of n + 1 elements, and indices: those of vertex i are
    /// `indices[pointers[i]..pointers[i + 1]]`, in ascending order.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn vertex_neighbor_vertices(&self) -> Result<(Array, Array)> {
        let mut pairs: Vec<[i32; 2]> = Vec::with_capacity(self.ndim * self.triangulation.simplices.len());
        for v in self.triangulation.simplices.chunks(self.ndim + 1) {
            for (k, a) in v.iter().enumerate() {
                pairs.extend(v[..k].iter().flat_map(|b| [[*a, *b], [*b, *a]]));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut pointers = vec![0i32; self.points.shape()[0] + 1];
        pairs.iter().for_each(|[a, _]| pointers[*a as usize + 1] += 1);
        for i in 1..pointers.len() {
            pointers[i] += pointers[i - 1];
        }
        let indices: Vec<i32> = pairs.into_iter().map(|[_, b]| b).collect();
        let device = self.points.device();
        Ok((make::of(device, &pointers, &[pointers.len()])?, make::of(device, &indices, &[indices.len()])?))
    }

    /// Returns the affine maps to barycentric coordinates, float64 of the shape (simplices, ndim + 1, ndim): for a simplex, the inverse of
    /// the matrix T of `ndim` rows, and below it the last vertex r. The first coordinates of a point x are T⁻¹ (x - r). The maps of triangles without an
    /// area in float64, and of simplices whose matrix has a reciprocal condition number below 1000 epsilon, are NaN.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn transform(&self) -> Result<Array> {
        if let Some(known) = self.transform.get() {
            return Ok(known.clone());
        }
        let corners = self.ndim + 1;
        let mut all = Vec::with_capacity(self.ndim * self.triangulation.simplices.len());
        for v in self.triangulation.simplices.chunks(corners) {
            let point = |k: usize| &self.host[v[k] as usize * self.ndim..][..self.ndim];
            let last = point(self.ndim);
            let difference = |row: usize, column: usize| point(column)[row] - last[row];
            let inverse = if self.ndim == 2 { inverse_of_two(difference) } else { inverse(self.ndim, difference) };
            match inverse {
                Some(inverse) => {
                    all.extend(inverse);
                    all.extend_from_slice(last);
                }
                None => all.extend(std::iter::repeat_n(f64::NAN, corners * self.ndim)),
            }
        }
        let shape = [self.triangulation.simplices.len() / corners, corners, self.ndim];
        let new = make::of(self.points.device(), &all, &shape)?;
        Ok(self.transform.get_or_init(|| new).clone())
    }

    /// Returns the smallest and the largest coordinates.
    pub fn bounds(&self) -> &[Vec<f64>; 2] {
        &self.bounds
    }

    /// Finds the simplex of each point of `xi`, whose last axis has the coordinates: int32 of the shape of the others, -1 for points outside
    /// of the hull.
    ///
    /// A point on a face is in one of the simplices there. `tol` is the tolerance of barycentric coordinates, by default 100 times the
    /// distance from 1 to the next float64. The search walks through the simplices on the device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array without axes or with a last one of another length than `ndim`; [`ErrorKind::Type`] for complex points.
    #[unrecorded("takes a triangulation: compared with SciPy's in `gpu/python/tests/test_delaunay.py`")]
    pub fn find_simplex(&self, xi: &Array, tol: Option<f64>) -> Result<Array> {
        if xi.dtype().kind() == Kind::Complex {
            return Err(Error::new(ErrorKind::Type, "find_simplex: points are real, not complex"));
        }
        if xi.shape().last() != Some(&self.ndim) {
            let (shape, ndim) = (xi.shape(), self.ndim);
            return wrong(format!(
                "find_simplex: points of shape {shape:?}: the last axis must have {ndim} coordinates"
            ));
        }
        let xi = ascontiguousarray(&of_dtype(xi, DType::F64)?)?;
        let out = make::empty(xi.device(), &xi.shape()[..xi.ndim() - 1], DType::I32)?;
        if out.size() == 0 {
            return Ok(out);
        }
        let locator = match self.locator.get() {
            Some(locator) => locator,
            None => {
                let new = Locator::new(self.points.device(), &self.host, self.simplex_of_vertices(), &self.bounds)?;
                self.locator.get_or_init(|| new)
            }
        };
        find_simplex(self, locator, &xi, tol.unwrap_or(100.0 * f64::EPSILON), &out)?;
        Ok(out)
    }
}

/// Returns the inverse of a matrix of two rows, in C order.
fn inverse_of_two(entry: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let [t00, t01, t10, t11] = [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
    let area = t00 * t11 - t01 * t10;
    (area != 0.0).then(|| vec![t11 / area, -t01 / area, -t10 / area, t00 / area])
}

/// Returns the inverse of a matrix, in C order, by elimination with partial pivoting; `None` if it is singular in float64, as SciPy bounds it.
fn inverse(order: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let mut rows: Vec<Vec<f64>> =
        (0..order).map(|i| (0..order).map(|j| entry(i, j)).chain((0..order).map(|j| unit(i, j))).collect()).collect();
    for k in 0..order {
        let pivot = (k..order).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()))?;
        rows.swap(k, pivot);
        let chosen = rows[k].clone();
        if chosen[k] == 0.0 {
            return None;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k] / chosen[k];
            if i == k {
                row.iter_mut().for_each(|x| *x /= chosen[k]);
            } else {
                row.iter_mut().zip(&chosen).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    // The norm of a matrix is the largest sum of the magnitudes of a column.
    let norm = |at: &dyn Fn(usize, usize) -> f64| {
        let column = |j: usize| (0..order).map(|i| at(i, j).abs()).sum::<f64>();
        (0..order).map(column).fold(0.0, f64::max)
    };
    let condition = norm(&entry) * norm(&|i, j| rows[i][order + j]);
    let found = || rows.iter().flat_map(|row| row[order..].iter().copied()).collect();
    (condition * 1000.0 * f64::EPSILON <= 1.0).then(found)
}
