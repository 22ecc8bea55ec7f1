//! Delaunay triangulation: `scipy.spatial.Delaunay`.

use std::sync::OnceLock;

use cuprum_kernels::{DType, Kind};
use cuprum_macros::unrecorded;

use super::find_simplex::{Locator, find_simplex};
use super::triangulation::{Triangulation, triangulate};
use super::{of_dtype, wrong};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::routines::creation::ascontiguousarray;

/// Delaunay triangulation of points of the plane, as SciPy's `scipy.spatial.Delaunay`.
///
/// The triangulation is computed on the host with exact predicates, and its arrays are then copied to the device of the points:
/// creating it synchronises. Points on one circle are triangulated in one of the possible ways, which depends on their order
/// alone. SciPy merges triangles that are flat by its bounds of rounding errors; these are kept here. Two dimensions are supported,
/// and neither `furthest_site` nor `incremental`.
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
    host: Vec<[f64; 2]>,
    triangulation: Triangulation,
    simplices: Array,
    neighbors: Array,
    bounds: [[f64; 2]; 2],
    locator: OnceLock<Locator>,
}

/// Uploads rows of integers.
fn rows<const N: usize>(device: Device, rows: &[[i32; N]]) -> Result<Array> {
    make::of(device, rows.as_flattened(), &[rows.len(), N])
}

impl Delaunay {
    /// Computes the triangulation of points of the shape (n, 2).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of axes, no points, coordinates that are not finite and 2^30 points or more; [`ErrorKind::Type`] for
    /// complex points; [`ErrorKind::NotImplemented`] for other dimensions than 2; [`ErrorKind::LinAlg`] for points that are all on
    /// a line.
    ///
    /// # Synchronization
    ///
    /// Downloads the points.
    pub fn new(points: &Array) -> Result<Delaunay> {
        if points.dtype().kind() == Kind::Complex {
            return Err(Error::new(ErrorKind::Type, "Delaunay: points are real, not complex"));
        }
        if points.ndim() != 2 {
            return wrong(format!(
                "Delaunay: points of shape {:?}: they must have 2 dimensions (n, 2)",
                points.shape()
            ));
        }
        let n = points.shape()[0];
        if n == 0 {
            return wrong("Delaunay: no points given");
        }
        if points.shape()[1] != 2 {
            let dimensions = points.shape()[1];
            let message =
                format!("Delaunay: points of {dimensions} dimensions: those of the plane alone are triangulated");
            return Err(Error::new(ErrorKind::NotImplemented, message));
        }
        if n >= 1 << 30 {
            return wrong(format!("Delaunay: {n} points: triangles are numbered with 32 bits"));
        }
        let points = ascontiguousarray(&of_dtype(points, DType::F64)?)?;
        let flat = points.to_vec::<f64>()?;
        if flat.iter().any(|x| !x.is_finite()) {
            return wrong("Delaunay: points cannot contain NaN or infinities");
        }
        let host: Vec<[f64; 2]> = flat.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        let bound = |start: f64, pick: fn(f64, f64) -> f64| {
            host.iter().fold([start; 2], |all, p| [pick(all[0], p[0]), pick(all[1], p[1])])
        };
        let bounds = [bound(f64::INFINITY, f64::min), bound(f64::NEG_INFINITY, f64::max)];
        let Some(triangulation) = triangulate(&host) else {
            let message = format!("Delaunay: {n} points on a line have no triangle: pass three that are not");
            return Err(Error::new(ErrorKind::LinAlg, message));
        };
        let device = points.device();
        let simplices = rows(device, &triangulation.simplices)?;
        let neighbors = rows(device, &triangulation.neighbors)?;
        Ok(Delaunay { points, host, triangulation, simplices, neighbors, bounds, locator: OnceLock::new() })
    }

    /// Returns the points, float64 of the shape (n, 2).
    pub fn points(&self) -> &Array {
        &self.points
    }

    /// Returns the vertices of each triangle in counterclockwise order, int32 of the shape (triangles, 3).
    pub fn simplices(&self) -> &Array {
        &self.simplices
    }

    /// Returns the triangle opposite to each vertex of each triangle, or -1 at the hull; int32 of the shape (triangles, 3).
    pub fn neighbors(&self) -> &Array {
        &self.neighbors
    }

    /// Returns the points that are no vertices: those with the coordinates of another one. A row has the number of the point, of a triangle at it, and of
    /// the vertex there.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn coplanar(&self) -> Result<Array> {
        rows(self.points.device(), &self.triangulation.coplanar)
    }

    /// Returns the edges of the convex hull, int32 of the shape (edges, 2), in counterclockwise direction but no order.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn convex_hull(&self) -> Result<Array> {
        let Triangulation { simplices, neighbors, .. } = &self.triangulation;
        let edges: Vec<[i32; 2]> = simplices
            .iter()
            .zip(neighbors)
            .flat_map(|(v, n)| (0..3).filter(|k| n[*k] < 0).map(|k| [v[(k + 1) % 3], v[(k + 2) % 3]]))
            .collect();
        rows(self.points.device(), &edges)
    }

    /// Returns a triangle of each point, int32; -1 for points that are no vertices.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn vertex_to_simplex(&self) -> Result<Array> {
        let all = &self.triangulation.vertex_to_simplex;
        make::of(self.points.device(), all, &[all.len()])
    }

    /// Returns the neighbours of the vertices as pointers, int32 of n + 1 elements, and indices: those of vertex i are
    /// `indices[pointers[i]..pointers[i + 1]]`, in ascending order.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn vertex_neighbor_vertices(&self) -> Result<(Array, Array)> {
        let mut pairs: Vec<[i32; 2]> = Vec::with_capacity(6 * self.triangulation.simplices.len());
        for v in &self.triangulation.simplices {
            for k in 0..3 {
                let (a, b) = (v[k], v[(k + 1) % 3]);
                pairs.extend([[a, b], [b, a]]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut pointers = vec![0i32; self.host.len() + 1];
        pairs.iter().for_each(|[a, _]| pointers[*a as usize + 1] += 1);
        for i in 1..pointers.len() {
            pointers[i] += pointers[i - 1];
        }
        let indices: Vec<i32> = pairs.into_iter().map(|[_, b]| b).collect();
        let device = self.points.device();
        Ok((make::of(device, &pointers, &[pointers.len()])?, make::of(device, &indices, &[indices.len()])?))
    }

    /// Returns the affine maps to barycentric coordinates, float64 of the shape (triangles, 3, 2): for a triangle, the inverse of
    /// the matrix T of two rows, and below it the last vertex r. The first two coordinates of a point x are T⁻¹ (x - r). The maps of triangles without an
    /// area in float64 are NaN.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_slice`].
    pub fn transform(&self) -> Result<Array> {
        let mut all = Vec::with_capacity(6 * self.triangulation.simplices.len());
        for v in &self.triangulation.simplices {
            let [a, b, r] = v.map(|i| self.host[i as usize]);
            let [t00, t10] = [a[0] - r[0], a[1] - r[1]];
            let [t01, t11] = [b[0] - r[0], b[1] - r[1]];
            let area = t00 * t11 - t01 * t10;
            if area == 0.0 {
                all.extend([f64::NAN; 6]);
            } else {
                all.extend([t11 / area, -t01 / area, -t10 / area, t00 / area, r[0], r[1]]);
            }
        }
        make::of(self.points.device(), &all, &[self.triangulation.simplices.len(), 3, 2])
    }

    /// Returns the smallest and the largest coordinates.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        self.bounds
    }

    /// Finds the triangle of each point of `xi`, whose last axis has the coordinates: int32 of the shape of the others, -1 for points outside
    /// of the hull.
    ///
    /// A point on an edge is in one of both triangles. `tol` is the tolerance of barycentric coordinates, by default 100 times the
    /// distance from 1 to the next float64. The search walks through the triangles on the device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array without axes or with a last one of another length than 2; [`ErrorKind::Type`] for complex points.
    #[unrecorded("takes a triangulation: compared with SciPy's in `gpu/python/tests/test_delaunay.py`")]
    pub fn find_simplex(&self, xi: &Array, tol: Option<f64>) -> Result<Array> {
        if xi.dtype().kind() == Kind::Complex {
            return Err(Error::new(ErrorKind::Type, "find_simplex: points are real, not complex"));
        }
        if xi.shape().last() != Some(&2) {
            let shape = xi.shape();
            return wrong(format!("find_simplex: points of shape {shape:?}: the last axis must have 2 coordinates"));
        }
        let xi = ascontiguousarray(&of_dtype(xi, DType::F64)?)?;
        let out = make::empty(xi.device(), &xi.shape()[..xi.ndim() - 1], DType::I32)?;
        if out.size() == 0 {
            return Ok(out);
        }
        let locator = match self.locator.get() {
            Some(locator) => locator,
            None => {
                let new = Locator::new(self.points.device(), &self.host, &self.triangulation, self.bounds)?;
                self.locator.get_or_init(|| new)
            }
        };
        find_simplex(self, locator, &xi, tol.unwrap_or(100.0 * f64::EPSILON), &out)?;
        Ok(out)
    }
}
