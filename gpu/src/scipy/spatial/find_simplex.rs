//! Search of the triangle of a point: a walk through the triangulation that begins near the point.
//!
//! Lower bounds: the bytes of the points and of the results, and of a few triangles for each point from the cache, if the points are near
//! each other in their order.

use std::sync::LazyLock;

use super::delaunay::Delaunay;
use super::triangulation::Triangulation;
use super::{Lazy, kernel, run};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::make;
use crate::error::Result;

/// Maximum number of cells of a side of the grid.
const MOST_CELLS: usize = 2048;

/// Grid of cells, with a triangle near each of them.
#[derive(Debug)]
pub(super) struct Locator {
    starts: Array,
    cells: usize,
    low: [f64; 2],
    scale: [f64; 2],
}

impl Locator {
    pub(super) fn new(
        device: Device,
        points: &[[f64; 2]],
        triangulation: &Triangulation,
        [low, high]: [[f64; 2]; 2],
    ) -> Result<Locator> {
        let cells = ((points.len() as f64 / 2.0).sqrt() as usize).clamp(1, MOST_CELLS);
        let scale = [0, 1].map(|k| {
            let scale = cells as f64 / (high[k] - low[k]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        let mut starts = vec![-1; cells * cells];
        for (p, t) in points.iter().zip(&triangulation.vertex_to_simplex).filter(|(_, t)| **t >= 0) {
            let [x, y] = [0, 1].map(|k| (((p[k] - low[k]) * scale[k]) as usize).min(cells - 1));
            starts[y * cells + x] = *t;
        }
        // A cell without points takes the triangle of the cell before it.
        let mut near = starts.iter().copied().find(|t| *t >= 0).unwrap_or(0);
        for start in &mut starts {
            if *start < 0 {
                *start = near;
            }
            near = *start;
        }
        Ok(Locator { starts: make::of(device, &starts, &[starts.len()])?, cells, low, scale })
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

/// Writes the triangle of each point, or -1.
pub(super) fn find_simplex(of: &Delaunay, locator: &Locator, xi: &Array, tol: f64, out: &Array) -> Result<()> {
    let Locator { starts, cells, low, scale } = locator;
    let count = of.simplices().shape()[0] as i64;
    let arguments = [
        xi.into(),
        of.points().into(),
        of.simplices().into(),
        of.neighbors().into(),
        starts.into(),
        count.into(),
        (*cells as i64).into(),
        low[0].into(),
        low[1].into(),
        scale[0].into(),
        scale[1].into(),
        tol.into(),
    ];
    run(&WALK, &arguments, &[out], None)
}
