//! Convex hull: `scipy.spatial.ConvexHull`.

use std::collections::HashMap;
use std::sync::LazyLock;

use cuprum_geometry::{Hull, Plane, Space, convex_hull};
use cuprum_kernels::{DType, Kind};

use super::{Lazy, all_true, kernel, of_dtype, run, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::routines::creation::ascontiguousarray;
use crate::routines::indexing::take;
use crate::routines::{linalg, logic, searching};

/// Number of points from which on those inside are dropped on the device.
const MANY: usize = 1 << 12;
/// Most dimensions for which points are dropped: the directions are all signs of coordinates.
const MOST_DROPPED: usize = 4;
/// Most dimensions: the minors of a facet are `2^ndim` numbers.
const MOST_DIMENSIONS: usize = 12;

/// Convex hull of points of any number of dimensions up to 12, as SciPy's `scipy.spatial.ConvexHull`.
///
/// Most points inside are dropped on the device; the hull of the others is computed on the host with exact predicates, and its arrays are then copied to the device
/// of the points: creating it synchronises. Points within faces are no vertices, and of equal points the first one is. Faces with more points than
/// a simplex are divided in one of the possible ways. SciPy merges facets that are nearly on one hyperplane and then divides them; here none is merged.
/// `incremental` and options of Qhull are not supported.
///
/// ```
/// use cuprum::{array, scipy::spatial::ConvexHull};
/// let corners = array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]])?;
/// let hull = ConvexHull::new(&corners)?;
/// assert_eq!(hull.vertices().to_vec::<i32>()?, [0, 1, 2, 3]);
/// assert_eq!(hull.simplices().shape(), [4, 3]);
/// assert!((hull.volume() - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ConvexHull {
    /// The points in float64 and C order.
    points: Array,
    vertices: Array,
    simplices: Array,
    neighbors: Array,
    equations: Array,
    area: f64,
    volume: f64,
}

// Points that are below all facets of the hull of a few of them, by more than the rounding errors.
static INSIDE: Lazy = LazyLock::new(|| {
    let operation = "
    inside = true;
    for (long long f = 0; f < facets && inside; ++f) {
      double height = 0;
      for (int k = 0; k < ndim; ++k) height += normals[ndim * f + k] * (points[ndim * i + k] * scale - bases[ndim * f + k]);
      inside = height < -slacks[f];
    }";
    let inputs = "raw float64 points, raw float64 normals, raw float64 bases, raw float64 slacks, int64 facets, int64 ndim, float64 scale";
    kernel("convex_hull_inside", inputs, "bool inside", operation)
});

/// Returns the numbers of the points that may be vertices of the hull; `None` if all of them may be.
fn candidates(points: &Array) -> Result<Option<Array>> {
    let [n, ndim] = [points.shape()[0], points.shape()[1]];
    if n < MANY || ndim > MOST_DROPPED {
        return Ok(None);
    }
    let device = points.device();
    // The axes, and the diagonals whose first sign is positive.
    let diagonals = 1usize << (ndim - 1);
    let direction = |column: usize, k: usize| match column.checked_sub(ndim) {
        None => f64::from(u8::from(column == k)),
        Some(diagonal) => 1.0 - 2.0 * (diagonal << 1 >> k & 1) as f64,
    };
    let columns = ndim + diagonals;
    let flat: Vec<f64> = (0..ndim).flat_map(|k| (0..columns).map(move |column| direction(column, k))).collect();
    let along = linalg::matmul(points, &make::of(device, &flat, &[ndim, columns])?)?;
    let mut extremes = searching::argmin(&along, 0)?.to_vec::<i64>()?;
    extremes.extend(searching::argmax(&along, 0)?.to_vec::<i64>()?);
    extremes.sort_unstable();
    extremes.dedup();
    let rows = take(points, &make::of(device, &extremes, &[extremes.len()])?, 0)?.to_vec::<f64>()?;
    let space = Space::new(rows, ndim, false);
    let scale = f64::powi(2.0, space.scale);
    let members: Vec<u32> = (0..extremes.len() as u32).collect();
    let Some(hull) = convex_hull(&space, &members).filter(|_| scale.is_normal()) else { return Ok(None) };
    let planes: Vec<Plane> = hull.vertices.chunks(ndim).map(|v| space.plane(v)).collect();
    let widths = space.widths();
    let flat = |part: &dyn Fn(&Plane) -> Vec<f64>| {
        let all: Vec<f64> = planes.iter().flat_map(part).collect();
        make::of(device, &all, &[all.len()])
    };
    let normals = flat(&|plane| plane.normal.clone())?;
    let bases = flat(&|plane| space.point(plane.base).to_vec())?;
    let slacks = flat(&|plane| vec![space.slack(plane, &widths)])?;
    let inside = make::empty(device, &[n], DType::Bool)?;
    let sizes = [(planes.len() as i64).into(), (ndim as i64).into(), scale.into()];
    let [first, second, third] = sizes;
    let arguments = [points.into(), (&normals).into(), (&bases).into(), (&slacks).into(), first, second, third];
    run(&INSIDE, &arguments, &[&inside], None)?;
    Ok(Some(searching::flatnonzero(&logic::logical_not(&inside)?)?))
}

/// Orders the edges of a polygon counterclockwise from its leftmost vertex on, and returns its vertices.
fn in_order(hull: &mut Hull, space: &Space) -> Vec<u32> {
    let count = hull.vertices.len() / 2;
    // A point above an edge is left of it, so that the hull is right of it.
    let next: HashMap<u32, u32> = hull.vertices.chunks(2).map(|edge| (edge[1], edge[0])).collect();
    let by_position = |a: &u32, b: &u32| {
        let [a, b] = [a, b].map(|v| space.point(*v));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    };
    let mut vertices: Vec<u32> = next.keys().copied().min_by(by_position).into_iter().collect();
    while vertices.len() < count {
        vertices.push(next[&vertices[vertices.len() - 1]]);
    }
    hull.vertices = (0..count).flat_map(|k| [vertices[k], vertices[(k + 1) % count]]).collect();
    // Neighbour j of an edge is the one opposite to its vertex j, at its other end.
    hull.neighbors = (0..count).flat_map(|k| [(k + 1) % count, (k + count - 1) % count]).map(|k| k as u32).collect();
    vertices
}

/// Equations and measures of a hull, in the coordinates of the points.
struct Measures {
    equations: Vec<f64>,
    area: f64,
    volume: f64,
}

fn measure(hull: &Hull, space: &Space, rows: &[f64], ndim: usize) -> Measures {
    let point = |v: u32| &rows[v as usize * ndim..][..ndim];
    // Minors of scaled coordinates; a face has the measure of its normal divided by the factorial of its dimension.
    let unit = f64::powi(2.0, -space.scale);
    let faces = unit.powi(ndim as i32 - 1) / (1..ndim).map(|k| k as f64).product::<f64>();
    let centre: Vec<f64> = {
        let corners = &hull.vertices[..ndim];
        let apex = hull.vertices.iter().rev().take(ndim);
        let sum = |k: usize| corners.iter().chain(apex.clone()).map(|v| point(*v)[k] / (2 * ndim) as f64).sum();
        (0..ndim).map(sum).collect()
    };
    let mut found = Measures { equations: Vec::new(), area: 0.0, volume: 0.0 };
    for vertices in hull.vertices.chunks(ndim) {
        let mut vertices = vertices.to_vec();
        if ndim == 2 {
            // The outside of counterclockwise edges is right of them, and that of a hyperplane is left.
            vertices.reverse();
        }
        let plane = space.plane(&vertices);
        let most = plane.normal.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let length = most * plane.normal.iter().map(|x| (x / most) * (x / most)).sum::<f64>().sqrt();
        let normal = || plane.normal.iter().map(|x| x / length);
        let base = point(plane.base);
        found.equations.extend(normal());
        found.equations.push(-normal().zip(base).map(|(n, x)| n * x).sum::<f64>());
        let area = length * faces;
        let height: f64 = normal().zip(base.iter().zip(&centre)).map(|(n, (x, c))| n * (x - c)).sum();
        found.area += area;
        found.volume += area * height / ndim as f64;
    }
    found
}

impl ConvexHull {
    /// Computes the hull of points of the shape (n, ndim).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another number of axes, points of fewer than two coordinates, coordinates that are not finite, and 2^29 points or more;
    /// [`ErrorKind::Type`] for complex points; [`ErrorKind::NotImplemented`] for more than 12 coordinates; [`ErrorKind::LinAlg`] for points that are all on
    /// one hyperplane.
    ///
    /// # Synchronization
    ///
    /// Downloads the points that may be vertices.
    pub fn new(points: &Array) -> Result<ConvexHull> {
        let points = checked_points(points, "ConvexHull")?;
        let [n, ndim] = [points.shape()[0], points.shape()[1]];
        let device = points.device();
        let candidates = candidates(&points)?;
        let (rows, numbers) = match &candidates {
            Some(numbers) => (take(&points, numbers, 0)?.to_vec::<f64>()?, Some(numbers.to_vec::<i64>()?)),
            None => (points.to_vec::<f64>()?, None),
        };
        let space = Space::new(rows.clone(), ndim, false);
        let members: Vec<u32> = (0..(rows.len() / ndim) as u32).collect();
        let Some(mut hull) = convex_hull(&space, &members) else {
            let message = format!("ConvexHull: {n} points on one hyperplane of {ndim} dimensions have no volume");
            return Err(Error::new(ErrorKind::LinAlg, message));
        };
        let vertices = if ndim == 2 {
            in_order(&mut hull, &space)
        } else {
            let mut all = hull.vertices.clone();
            all.sort_unstable();
            all.dedup();
            all
        };
        let Measures { equations, area, volume } = measure(&hull, &space, &rows, ndim);
        let number = |v: &u32| numbers.as_ref().map_or(*v as i32, |numbers| numbers[*v as usize] as i32);
        let vertices: Vec<i32> = vertices.iter().map(number).collect();
        let simplices: Vec<i32> = hull.vertices.iter().map(number).collect();
        let neighbors: Vec<i32> = hull.neighbors.iter().map(|f| *f as i32).collect();
        let facets = simplices.len() / ndim;
        Ok(ConvexHull {
            vertices: make::of(device, &vertices, &[vertices.len()])?,
            simplices: make::of(device, &simplices, &[facets, ndim])?,
            neighbors: make::of(device, &neighbors, &[facets, ndim])?,
            equations: make::of(device, &equations, &[facets, ndim + 1])?,
            points,
            area,
            volume,
        })
    }

    /// Returns the points, float64 of the shape (n, ndim).
    pub fn points(&self) -> &Array {
        &self.points
    }

    /// Returns the numbers of the vertices, int32: of a polygon in counterclockwise order, otherwise in ascending order.
    pub fn vertices(&self) -> &Array {
        &self.vertices
    }

    /// Returns the vertices of each facet, int32 of the shape (facets, ndim). Edges of a polygon are in counterclockwise order.
    pub fn simplices(&self) -> &Array {
        &self.simplices
    }

    /// Returns the facet opposite to each vertex of each facet, int32 of the shape (facets, ndim).
    pub fn neighbors(&self) -> &Array {
        &self.neighbors
    }

    /// Returns the unit normal to the outside and the offset of each facet, float64 of the shape (facets, ndim + 1): points x of the hull have
    /// normal · x + offset ≤ 0, but for rounding.
    pub fn equations(&self) -> &Array {
        &self.equations
    }

    /// Returns the measure of the boundary: the perimeter of a polygon, the surface area of a polyhedron.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Returns the measure of the inside: the area of a polygon, the volume of a polyhedron.
    pub fn volume(&self) -> f64 {
        self.volume
    }
}

/// Returns points in float64 and C order, whose shape and values are checked.
pub(super) fn checked_points(points: &Array, function: &str) -> Result<Array> {
    if points.dtype().kind() == Kind::Complex {
        return Err(Error::new(ErrorKind::Type, format!("{function}: points are real, not complex")));
    }
    let shape = points.shape();
    let &[n, ndim] = shape else {
        return wrong(format!("{function}: points of shape {shape:?}: they must have 2 dimensions (n, ndim)"));
    };
    if n == 0 {
        return wrong(format!("{function}: no points given"));
    }
    if ndim < 2 {
        return wrong(format!("{function}: points of {ndim} dimensions: they must have at least 2"));
    }
    if ndim > MOST_DIMENSIONS {
        let message = format!("{function}: points of {ndim} dimensions: at most {MOST_DIMENSIONS} are supported");
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    if n >= 1 << 29 {
        return wrong(format!("{function}: {n} points: simplices are numbered with 32 bits"));
    }
    let points = ascontiguousarray(&of_dtype(points, DType::F64)?)?;
    if !all_true(&logic::isfinite(&points)?)? {
        return wrong(format!("{function}: points cannot contain NaN or infinities"));
    }
    Ok(points)
}
