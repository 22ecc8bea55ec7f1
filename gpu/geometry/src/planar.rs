//! Delaunay triangulation of the plane by divide and conquer.
//!
//! The points on both sides of a cut are triangulated and joined (L. J. Guibas and J. Stolfi, "Primitives for the Manipulation of General
//! Subdivisions and the Computation of Voronoi Diagrams", 1985), with cuts that alternate between the axes (R. A. Dwyer, "A Faster
//! Divide-and-Conquer Algorithm for Constructing Delaunay Triangulations", 1987), so that few triangles are at a cut. Triangles are joined rather than edges
//! (J. R. Shewchuk, "Triangle: Engineering a 2D Quality Mesh Generator and Delaunay Triangulator", 1996).
//!
//! Half-edge `4 t + k` is edge k of triangle t, in counterclockwise direction. A ghost is the triangle of an edge of the hull and a point at
//! infinity: n points have `2 n - 2` triangles together with the ghosts. The points from `start` to `end` have the triangles from `2 start`
//! to `2 end - 2`, and the two after them are those that a merge adds, so that the two sides share no memory.

use std::cmp::Ordering;

use crate::order::{along, cut};
use crate::predicates::{Plane, Point};
use crate::threads::join;

/// Levels of cuts along the first axis alone, for which points are sorted: threads have their parts without a selection.
const STRIPS: u32 = 4;

/// The point at infinity.
const GHOST: u32 = u32::MAX;

/// Half-edge: the point that it begins at, and the half-edge of the triangle on the other side.
pub(crate) type Edge = [u32; 2];

fn next(e: u32) -> u32 {
    if e & 3 == 2 { e - 2 } else { e + 1 }
}

pub(crate) fn previous(e: u32) -> u32 {
    if e & 3 == 0 { e + 2 } else { e - 1 }
}

/// The first and the last points along each axis.
type Extremes = [[u32; 2]; 2];

/// Triangulation of consecutive points.
struct Part<'a> {
    plane: &'a Plane<'a>,
    points: &'a mut [Point],
    edges: &'a mut [Edge],
    /// For each extreme, the half-edge that ends there, of the ghost of the edge of the hull that begins there.
    ghosts: &'a mut [u32],
    /// The first point.
    start: u32,
}

impl Part<'_> {
    fn edge(&mut self, e: u32) -> &mut Edge {
        &mut self.edges[(e - 8 * self.start) as usize]
    }

    fn origin(&self, e: u32) -> u32 {
        self.edges[(e - 8 * self.start) as usize][0]
    }

    fn opposite(&self, e: u32) -> u32 {
        self.edges[(e - 8 * self.start) as usize][1]
    }

    fn set_origin(&mut self, e: u32, point: u32) {
        self.edge(e)[0] = point;
    }

    /// Joins two triangles at their half-edges of one edge.
    fn bond(&mut self, a: u32, b: u32) {
        self.edge(a)[1] = b;
        self.edge(b)[1] = a;
    }

    fn ghost(&mut self, point: u32) -> &mut u32 {
        &mut self.ghosts[(point - self.start) as usize]
    }

    fn set(&mut self, t: u32, origins: [u32; 3]) {
        for (k, origin) in (0..).zip(origins) {
            self.set_origin(4 * t + k, origin);
        }
    }

    fn point(&self, i: u32) -> &Point {
        &self.points[(i - self.start) as usize]
    }

    fn side(&self, a: u32, b: u32, c: u32) -> Ordering {
        self.plane.side(self.point(a), self.point(b), self.point(c))
    }

    fn is_left(&self, a: u32, b: u32, c: u32) -> bool {
        self.side(a, b, c) == Ordering::Greater
    }

    fn is_inside(&self, triangle: [u32; 3], point: u32) -> bool {
        let [a, b, c] = triangle;
        self.plane.in_circle([self.point(a), self.point(b), self.point(c)], self.point(point)) == Ordering::Greater
    }

    /// Returns true if a point is before another one along an axis.
    fn is_before(&self, axis: usize, a: u32, b: u32) -> bool {
        along(axis, self.point(a), self.point(b)) == Ordering::Less
    }

    /// Returns the first points of two pairs of extremes and the last ones.
    fn widest(&self, axis: usize, a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
        let first = if self.is_before(axis, b[0], a[0]) { b[0] } else { a[0] };
        [first, if self.is_before(axis, a[1], b[1]) { b[1] } else { a[1] }]
    }

    /// Triangulates the points from `start` to `end`, which are sorted at the first levels and cut at the others.
    fn solve(&mut self, start: u32, end: u32, level: u32, threads: usize) -> Extremes {
        if end - start < 4 {
            self.begin(start, end);
            return [0, 1].map(|axis| (start + 1..end).fold([start; 2], |all, i| self.widest(axis, all, [i; 2])));
        }
        let middle = start + (end - start) / 2;
        let axis = if level < STRIPS { 0 } else { (level - STRIPS + 1) as usize % 2 };
        if level >= STRIPS {
            let own = self.start;
            cut(&mut self.points[(start - own) as usize..(end - own) as usize], axis);
        }
        let [low, high] = if threads < 2 {
            [self.solve(start, middle, level + 1, 1), self.solve(middle, end, level + 1, 1)]
        } else {
            let count = (middle - start) as usize;
            let (points, other_points) = self.points.split_at_mut(count);
            let (edges, other_edges) = self.edges.split_at_mut(8 * count);
            let (ghosts, other_ghosts) = self.ghosts.split_at_mut(count);
            let plane = self.plane;
            let mut first = Part { plane, points, edges, ghosts, start };
            let mut second =
                Part { plane, points: other_points, edges: other_edges, ghosts: other_ghosts, start: middle };
            join(
                threads,
                || first.solve(start, middle, level + 1, threads.div_ceil(2)),
                || second.solve(middle, end, level + 1, threads / 2),
            )
        };
        self.merge(low[axis][1], high[axis][0], 2 * middle - 2);
        [0, 1].map(|axis| self.widest(axis, low[axis], high[axis]))
    }

    /// Begins with two or three points.
    fn begin(&mut self, start: u32, end: u32) {
        let [a, b] = [start, start + 1];
        let t = 2 * start;
        if end - start == 2 {
            return self.chain(t, &[a, b]);
        }
        let c = start + 2;
        let corners = match self.side(a, b, c) {
            Ordering::Greater => [a, b, c],
            Ordering::Less => [a, c, b],
            Ordering::Equal => {
                let mut all = [a, b, c];
                all.sort_unstable_by(|a, b| along(0, self.point(*a), self.point(*b)));
                return self.chain(t, &all);
            }
        };
        self.set(t, corners);
        for k in 0..3u32 {
            let [from, to] = [corners[k as usize], corners[(k as usize + 1) % 3]];
            let ghost = 4 * (t + 1 + k);
            self.set(t + 1 + k, [to, from, GHOST]);
            self.bond(4 * t + k, ghost);
            self.bond(ghost + 1, 4 * (t + 1 + (k + 2) % 3) + 2);
            *self.ghost(from) = ghost;
        }
    }

    /// Joins points on a line, in their order on it.
    fn chain(&mut self, t: u32, points: &[u32]) {
        let count = 2 * (points.len() as u32 - 1);
        // The edges forth, and then those back.
        let at = |k: u32| points[(k % count).min(count - k % count) as usize];
        for k in 0..count {
            let ghost = 4 * (t + k);
            self.set(t + k, [at(k + 1), at(k), GHOST]);
            self.bond(ghost, 4 * (t + count - 1 - k));
            self.bond(ghost + 1, 4 * (t + (k + count - 1) % count) + 2);
            *self.ghost(at(k)) = ghost;
        }
    }

    /// Returns the ghost of the edge of the hull after that of a ghost.
    fn after(&self, ghost: u32) -> u32 {
        previous(self.opposite(previous(ghost)))
    }

    /// Returns the ghost of the edge of the hull before that of a ghost.
    fn before(&self, ghost: u32) -> u32 {
        next(self.opposite(next(ghost)))
    }

    /// Joins the triangulations of two parts of which one is left of the other after a rotation, from their points that are
    /// next to the cut on. Adds the triangles `new` and `new + 1`.
    fn merge(&mut self, mut left: u32, mut right: u32, new: u32) {
        // The ghosts of the edges of both hulls at the gap: the left one's begins at its point, the right one's ends there.
        let mut left_ghost = *self.ghost(left);
        let first = *self.ghost(right);
        let mut right_ghost = self.before(first);
        // Down to the edge that the hull has below.
        loop {
            let ghost = self.before(left_ghost);
            let below = self.origin(next(ghost));
            if self.side(left, right, below) == Ordering::Less {
                (left, left_ghost) = (below, ghost);
                continue;
            }
            let ghost = self.after(right_ghost);
            let below = self.origin(ghost);
            if self.side(left, right, below) != Ordering::Less {
                break;
            }
            (right, right_ghost) = (below, ghost);
        }
        let mut base = 4 * new;
        self.set(new, [right, left, GHOST]);
        self.bond(base + 1, self.opposite(next(left_ghost)));
        self.bond(base + 2, self.opposite(previous(right_ghost)));
        *self.ghost(left) = base;
        // Up: each triangle at the edge from left to right has the next point of one of the hulls, and replaces a ghost of it.
        loop {
            let mut above_left = self.origin(left_ghost);
            let mut above_right = self.origin(next(right_ghost));
            let is_left = self.is_left(left, right, above_left);
            let is_right = self.is_left(left, right, above_right);
            if is_left {
                above_left = self.clear_left(left, right, left_ghost, above_left);
            }
            if is_right {
                above_right = self.clear_right(left, right, right_ghost, above_right);
            }
            if is_right && (!is_left || self.is_inside([left, right, above_left], above_right)) {
                let ghost = right_ghost;
                right_ghost = self.before(ghost);
                self.set_origin(previous(ghost), left);
                self.bond(previous(ghost), base);
                (right, base) = (above_right, next(ghost));
            } else if is_left {
                let ghost = left_ghost;
                left_ghost = self.after(ghost);
                self.set_origin(previous(ghost), right);
                self.bond(next(ghost), base);
                (left, base) = (above_left, previous(ghost));
            } else {
                break;
            }
        }
        let top = 4 * (new + 1);
        self.set(new + 1, [left, right, GHOST]);
        self.bond(top, base);
        self.bond(top + 1, previous(right_ghost));
        self.bond(top + 2, next(left_ghost));
        *self.ghost(right) = top;
    }

    /// Removes the edges from the left point whose circles have the right point, and returns the point of the first one that is kept.
    fn clear_left(&mut self, left: u32, right: u32, ghost: u32, mut above: u32) -> u32 {
        loop {
            let inner = self.opposite(ghost);
            let apex = self.origin(previous(inner));
            if apex == GHOST || !self.is_inside([left, right, above], apex) {
                return above;
            }
            // The triangle and the ghost of the edge become the ghosts of its two other edges.
            let (exposed, after) = (self.opposite(previous(inner)), self.opposite(previous(ghost)));
            self.set_origin(inner, GHOST);
            self.set_origin(ghost, apex);
            self.bond(ghost, exposed);
            self.bond(inner, after);
            self.bond(previous(inner), previous(ghost));
            above = apex;
        }
    }

    /// Removes the edges from the right point whose circles have the left point, and returns the point of the first one that is kept.
    fn clear_right(&mut self, left: u32, right: u32, ghost: u32, mut above: u32) -> u32 {
        loop {
            let inner = self.opposite(ghost);
            let apex = self.origin(previous(inner));
            if apex == GHOST || !self.is_inside([left, right, above], apex) {
                return above;
            }
            let (exposed, before) = (self.opposite(next(inner)), self.opposite(next(ghost)));
            self.set_origin(next(inner), GHOST);
            self.set_origin(next(ghost), apex);
            self.bond(ghost, exposed);
            self.bond(inner, before);
            self.bond(next(inner), next(ghost));
            above = apex;
        }
    }
}

/// Triangulates at least two different points, which are sorted, and orders them so that near ones are near each other. Returns the
/// half-edges of the triangles and of the ghosts, and a half-edge of a ghost that is opposite to the point at infinity.
pub(crate) fn solve(plane: &Plane<'_>, points: &mut [Point], threads: usize) -> (Vec<Edge>, u32) {
    let n = points.len();
    let (mut edges, mut ghosts) = (vec![[0; 2]; 8 * n], vec![0; n]);
    let mut whole = Part { plane, points, edges: &mut edges, ghosts: &mut ghosts, start: 0 };
    let [[first, _], _] = whole.solve(0, n as u32, 0, threads);
    edges.truncate(8 * (n - 1));
    (edges, ghosts[first as usize])
}
