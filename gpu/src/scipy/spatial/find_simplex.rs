//! Search of the simplex of a point: a walk through the triangulation that begins near the point.
//!
//! Lower bounds: the bytes of the points and of the results, and of a few simplices for each point from the cache, if the points are near
//! each other in their order.

use std::sync::LazyLock;

use super::delaunay::Delaunay;
use super::{Lazy, kernel, run};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::Result;

/// Maximum number of cells of a side of the grid.
const MOST_CELLS: usize = 2048;

/// Grid of cells, with a simplex near each of them.
#[derive(Debug)]
pub(super) struct Locator {
    starts: Array,
    /// The number of cells along each axis.
    cells: usize,
    /// The smallest coordinates, and then the cells per unit.
    frame: Vec<f64>,
    /// The same on the device.
    frame_array: Array,
}

impl Locator {
    pub(super) fn new(
        device: Device,
        points: &[f64],
        vertex_to_simplex: &[i32],
        [low, high]: &[Vec<f64>; 2],
    ) -> Result<Locator> {
        let ndim = low.len();
        let count = vertex_to_simplex.len();
        let cells = ((count as f64 / 2.0).powf(1.0 / ndim as f64) as usize).clamp(1, MOST_CELLS);
        let scale = |(low, high): (&f64, &f64)| {
            let scale = cells as f64 / (high - low);
            if scale.is_finite() { scale } else { 0.0 }
        };
        let mut frame = low.clone();
        frame.extend(low.iter().zip(high).map(scale));
        let mut starts = vec![-1; cells.pow(ndim as u32)];
        for (p, t) in points.chunks(ndim).zip(vertex_to_simplex).filter(|(_, t)| **t >= 0) {
            let along = |k: usize| (((p[k] - frame[k]) * frame[ndim + k]) as usize).min(cells - 1);
            starts[(0..ndim).rev().fold(0, |cell, k| cell * cells + along(k))] = *t;
        }
        // A cell without points takes the simplex of the cell before it.
        let mut near = starts.iter().copied().find(|t| *t >= 0).unwrap_or(0);
        for start in &mut starts {
            if *start < 0 {
                *start = near;
            }
            near = *start;
        }
        let frame_array = make::of(device, &frame, &[frame.len()])?;
        Ok(Locator { starts: make::of(device, &starts, &[starts.len()])?, cells, frame, frame_array })
    }
}

// A barycentric coordinate is the area of the triangle of the point and an edge: the walk leaves through the edge of the least one, until none
// is below its tolerance and its rounding error. A walk that is longer than the triangulation, for which rounding errors could be
// the reason, is replaced by a search of all triangles.
static WALK: Lazy = LazyLock::new(|| {
    let operation = "
    const double x = xi[2 * i], y = xi[2 * i + 1];
    found = -1;
    if (x - x == 0 && y - y == 0) {
      const double cx = fmin(fmax((x - low0) * scale0, 0.0), cells - 1.0), cy = fmin(fmax((y - low1) * scale1, 0.0), cells - 1.0);
      int t = starts[(long long)cy * cells + (long long)cx];
      for (long long step = 0; step < 2 * count; ++step) {
        const bool all = step >= count;
        if (all) t = (int)(step - count);
        double px[3], py[3];
        for (int k = 0; k < 3; ++k) {
          const long long v = simplices[3 * (long long)t + k];
          px[k] = points[2 * v];
          py[k] = points[2 * v + 1];
        }
        const double whole = (px[1] - px[0]) * (py[2] - py[0]) - (py[1] - py[0]) * (px[2] - px[0]);
        double least = 0;
        int out = -1;
        for (int k = 0; k < 3; ++k) {
          const int a = (k + 1) % 3, b = (k + 2) % 3;
          const double left = (px[a] - x) * (py[b] - y), right = (py[a] - y) * (px[b] - x), area = left - right;
          if (area < -(tol * fabs(whole) + 1e-15 * (fabs(left) + fabs(right))) && area < least) {
            least = area;
            out = k;
          }
        }
        if (out < 0) {
          found = t;
          break;
        }
        if (all) continue;
        t = neighbors[3 * (long long)t + out];
        if (t < 0) break;
      }
    }";
    let inputs = "raw float64 xi, raw float64 points, raw int32 simplices, raw int32 neighbors, raw int32 starts, int64 count, int64 cells, \
                  float64 low0, float64 low1, float64 scale0, float64 scale1, float64 tol";
    kernel("find_simplex", inputs, "int32 found", operation)
});

// The same walk in any number of dimensions, by the maps to barycentric coordinates. A simplex whose map is NaN ends it: all simplices are then
// searched for the point.
static WALK_MAPS: Lazy = LazyLock::new(|| {
    let operation = "
    found = -1;
    bool finite = true;
    long long cell = 0;
    for (int k = ndim - 1; k >= 0; --k) {
      const double x = xi[ndim * i + k];
      finite = finite && x - x == 0;
      cell = cell * cells + (long long)fmin(fmax((x - frame[k]) * frame[ndim + k], 0.0), cells - 1.0);
    }
    if (finite) {
      long long t = starts[cell];
      for (long long step = 0; step < 2 * count; ++step) {
        const bool all = step >= count;
        if (all) t = step - count;
        const long long map = t * (ndim + 1) * ndim, last = map + ndim * ndim;
        double rest = 1, least = -tol;
        int out = -1;
        bool flat = false;
        for (int k = 0; k <= ndim; ++k) {
          double c = rest;
          if (k < ndim) {
            c = 0;
            for (int j = 0; j < ndim; ++j) c += maps[map + k * ndim + j] * (xi[ndim * i + j] - maps[last + j]);
            rest -= c;
          }
          flat = flat || c != c;
          if (c < least) {
            least = c;
            out = k;
          }
        }
        if (flat) {
          if (!all) step = count - 1;
          continue;
        }
        if (out < 0) {
          found = (int)t;
          break;
        }
        if (all) continue;
        t = neighbors[(ndim + 1) * t + out];
        if (t < 0) break;
      }
    }";
    let inputs = "raw float64 xi, raw float64 maps, raw int32 neighbors, raw int32 starts, raw float64 frame, int64 count, int64 cells, int64 ndim, \
                  float64 tol";
    kernel("find_simplex_maps", inputs, "int32 found", operation)
});

/// Writes the simplex of each point, or -1.
pub(super) fn find_simplex(of: &Delaunay, locator: &Locator, xi: &Array, tol: f64, out: &Array) -> Result<()> {
    let Locator { starts, cells, frame, frame_array } = locator;
    let count = of.simplices().shape()[0] as i64;
    let &[low0, low1, scale0, scale1] = frame.as_slice() else {
        let maps = of.transform()?;
        let arguments = [
            xi.into(),
            (&maps).into(),
            of.neighbors().into(),
            starts.into(),
            frame_array.into(),
            count.into(),
            (*cells as i64).into(),
            (frame.len() as i64 / 2).into(),
            tol.into(),
        ];
        return run(&WALK_MAPS, &arguments, &[out], None);
    };
    let arguments = [
        xi.into(),
        of.points().into(),
        of.simplices().into(),
        of.neighbors().into(),
        starts.into(),
        count.into(),
        (*cells as i64).into(),
        low0.into(),
        low1.into(),
        scale0.into(),
        scale1.into(),
        tol.into(),
    ];
    run(&WALK, &arguments, &[out], None)
}
