//! Delaunay triangulation of the plane on the host.
//!
//! Points are inserted one by one (A. Bowyer and D. F. Watson, 1981): the triangles whose circles have the point are replaced by those of the
//! point and their outline. Ghost triangles, of an edge of the hull and a point at infinity, make insertion outside of the hull the same. Points are
//! ordered in random rounds that double, and along a Hilbert curve within each (N. Amenta, S. Choi and G. Rote, "Incremental Constructions con
//! BRIO", 2003), so that a point is near the one before it. With exact predicates every choice is that of exact arithmetic.

use std::cmp::Ordering;

use crate::predicates::Plane;

/// Bits of a coordinate along the Hilbert curve.
const CURVE_BITS: u32 = 13;

/// Simplices, and how they are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangulation {
    /// The vertices of each simplex; triangles of the plane turn left.
    pub simplices: Vec<i32>,
    /// The simplex opposite to each vertex, or -1.
    pub neighbors: Vec<i32>,
    /// For each point that is no vertex: its number, that of a simplex, and that of the nearest vertex, which has its coordinates.
    pub coplanar: Vec<[i32; 3]>,
    /// A simplex of each vertex, or -1.
    pub vertex_to_simplex: Vec<i32>,
}

/// Returns the position of a cell of the plane along a Hilbert curve.
fn along_curve(mut x: u32, mut y: u32) -> u32 {
    let (mut position, mut side) = (0, 1 << (CURVE_BITS - 1));
    while side > 0 {
        let (right, up) = (u32::from(x & side != 0), u32::from(y & side != 0));
        position += side * side * ((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                let last = (1 << CURVE_BITS) - 1;
                (x, y) = (last - x, last - y);
            }
            (x, y) = (y, x);
        }
        side >>= 1;
    }
    position
}

/// Returns the order of insertion.
fn order_of(points: &[[f64; 2]]) -> Vec<u32> {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in points {
        low = [low[0].min(p[0]), low[1].min(p[1])];
        high = [high[0].max(p[0]), high[1].max(p[1])];
    }
    let cells = f64::from((1u32 << CURVE_BITS) - 1);
    let scale = [0, 1].map(|k| if high[k] > low[k] { cells / (high[k] - low[k]) } else { 0.0 });
    let key = |(i, p): (usize, &[f64; 2])| {
        let [x, y] = [0, 1].map(|k| ((p[k] - low[k]) * scale[k]) as u32);
        // Half of the points are in the last round, a quarter in the one before it, and so on.
        let mut hash = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let round = 31 - (hash ^ (hash >> 27)).trailing_zeros().min(31);
        u64::from(round) << 58 | u64::from(along_curve(x, y)) << 32 | i as u64
    };
    let mut keys: Vec<u64> = points.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

struct Builder {
    plane: Plane,
    /// The number of the point at infinity.
    ghost: u32,
    vertices: Vec<[u32; 3]>,
    /// The triangle opposite to each vertex.
    adjacent: Vec<[u32; 3]>,
    /// The insertion that has last replaced or kept each triangle, twice its number, plus one if it was replaced.
    marks: Vec<u32>,
    insertion: u32,
    /// The new triangle that begins at a vertex of the outline.
    begins: Vec<u32>,
    last: u32,
    cavity: Vec<u32>,
    /// Edges of the outline, and the triangles outside of them.
    outline: Vec<([u32; 2], u32)>,
    duplicates: Vec<[u32; 2]>,
}

impl Builder {
    fn ghost_corner(&self, t: u32) -> Option<usize> {
        self.vertices[t as usize].iter().position(|v| *v == self.ghost)
    }

    /// Returns true if a triangle is replaced when a point is inserted.
    fn conflicts(&self, t: u32, p: u32) -> bool {
        let v = self.vertices[t as usize];
        let Some(corner) = self.ghost_corner(t) else {
            return self.plane.in_circle(v, p) == Ordering::Greater;
        };
        let [a, b] = [v[(corner + 1) % 3], v[(corner + 2) % 3]];
        match self.plane.side(a, b, p) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => {
                let [a, b, p] = [a, b, p].map(|i| self.plane.points[i as usize]);
                let k = usize::from(a[0] == b[0]);
                (a[k] < p[k]) == (p[k] < b[k]) && p != a && p != b
            }
        }
    }

    /// Returns the triangle that has a point, or a ghost outside of whose edge it is.
    fn locate(&self, p: u32) -> u32 {
        let mut t = self.last;
        if let Some(corner) = self.ghost_corner(t) {
            t = self.adjacent[t as usize][corner];
        }
        let mut from = u32::MAX;
        'walk: loop {
            let (v, adjacent) = (self.vertices[t as usize], self.adjacent[t as usize]);
            for (k, &next) in adjacent.iter().enumerate() {
                if next != from && self.plane.side(v[(k + 1) % 3], v[(k + 2) % 3], p) == Ordering::Less {
                    (from, t) = (t, next);
                    if self.ghost_corner(t).is_some() {
                        return t;
                    }
                    continue 'walk;
                }
            }
            return t;
        }
    }

    fn new_triangle(&mut self, vertices: [u32; 3]) -> u32 {
        self.vertices.push(vertices);
        self.adjacent.push([0; 3]);
        self.marks.push(0);
        self.vertices.len() as u32 - 1
    }

    /// Begins with the triangle of three points that turn left, and its ghosts.
    fn begin(&mut self, corners: [u32; 3]) {
        self.new_triangle(corners);
        for k in 0..3 {
            self.new_triangle([corners[(k + 2) % 3], corners[(k + 1) % 3], self.ghost]);
        }
        self.adjacent[0] = [1, 2, 3];
        for k in 0..3u32 {
            // The ghost of edge k has the ends of the edges k + 1 and k + 2 opposite to them.
            self.adjacent[k as usize + 1] = [1 + (k + 2) % 3, 1 + (k + 1) % 3, 0];
        }
    }

    fn insert(&mut self, p: u32) {
        let first = self.locate(p);
        let at = self.plane.points[p as usize];
        let same = |v: &&u32| **v != self.ghost && self.plane.points[**v as usize] == at;
        if let Some(vertex) = self.vertices[first as usize].iter().find(same) {
            self.duplicates.push([p, *vertex]);
            return;
        }
        self.insertion += 1;
        let (kept, replaced) = (2 * self.insertion, 2 * self.insertion + 1);
        self.cavity.clear();
        self.outline.clear();
        self.cavity.push(first);
        self.marks[first as usize] = replaced;
        let mut next = 0;
        while let Some(&t) = self.cavity.get(next) {
            next += 1;
            for k in 0..3 {
                let other = self.adjacent[t as usize][k];
                let mark = self.marks[other as usize];
                if mark == replaced {
                    continue;
                }
                if mark != kept && self.conflicts(other, p) {
                    self.marks[other as usize] = replaced;
                    self.cavity.push(other);
                } else {
                    self.marks[other as usize] = kept;
                    let v = self.vertices[t as usize];
                    self.outline.push(([v[(k + 1) % 3], v[(k + 2) % 3]], other));
                }
            }
        }
        // Triangles of the cavity are used again, of which there are two less than edges of the outline.
        let outline = std::mem::take(&mut self.outline);
        for (i, &([a, b], other)) in outline.iter().enumerate() {
            let t = match self.cavity.get(i) {
                Some(&t) => t,
                None => self.new_triangle([0; 3]),
            };
            self.vertices[t as usize] = [a, b, p];
            self.adjacent[t as usize][2] = other;
            let corner = self.vertices[other as usize].iter().position(|v| *v != a && *v != b);
            self.adjacent[other as usize][corner.unwrap_or_default()] = t;
            self.begins[a as usize] = t;
            if a != self.ghost && b != self.ghost {
                self.last = t;
            }
        }
        for &([a, b], _) in &outline {
            let (t, after) = (self.begins[a as usize], self.begins[b as usize]);
            self.adjacent[t as usize][0] = after;
            self.adjacent[after as usize][1] = t;
        }
        self.outline = outline;
    }

    /// Returns the triangulation with the numbers that points had before they were ordered.
    fn finish(self, order: &[u32]) -> Triangulation {
        let real = |v: &[u32; 3]| !v.contains(&self.ghost);
        let mut numbers = vec![-1; self.vertices.len()];
        let mut found = Triangulation { vertex_to_simplex: vec![-1; self.ghost as usize], ..Default::default() };
        for (number, (t, _)) in (0..).zip(self.vertices.iter().enumerate().filter(|(_, v)| real(v))) {
            numbers[t] = number;
        }
        for (t, v) in self.vertices.iter().enumerate().filter(|(_, v)| real(v)) {
            let v = v.map(|i| order[i as usize] as i32);
            found.simplices.extend(v);
            found.neighbors.extend(self.adjacent[t].map(|n| numbers[n as usize]));
            v.iter().for_each(|i| found.vertex_to_simplex[*i as usize] = numbers[t]);
        }
        let entry = |&[p, v]: &[u32; 2]| {
            let [p, v] = [p, v].map(|i| order[i as usize] as usize);
            [p as i32, found.vertex_to_simplex[v], v as i32]
        };
        found.coplanar = self.duplicates.iter().map(entry).collect();
        found.coplanar.sort_unstable();
        found
    }
}

/// Returns the triangulation of finite points; `None` if all of them are on a line.
pub fn triangulate(points: &[[f64; 2]]) -> Option<Triangulation> {
    // Points are numbered in the order of insertion, so that those of a triangle are near each other in memory.
    let order = order_of(points);
    let plane = Plane::new(order.iter().map(|i| points[*i as usize]).collect());
    let n = plane.points.len() as u32;
    let first = plane.points.first()?;
    let second = (1..n).find(|i| plane.points[*i as usize] != *first)?;
    let third = (1..n).find(|i| plane.side(0, second, *i) != Ordering::Equal)?;
    let clockwise = plane.side(0, second, third) == Ordering::Less;
    let corners = if clockwise { [second, 0, third] } else { [0, second, third] };
    let mut builder = Builder {
        plane,
        ghost: n,
        vertices: Vec::with_capacity(2 * n as usize + 8),
        adjacent: Vec::with_capacity(2 * n as usize + 8),
        marks: Vec::with_capacity(2 * n as usize + 8),
        insertion: 0,
        begins: vec![0; n as usize + 1],
        last: 0,
        cavity: Vec::new(),
        outline: Vec::new(),
        duplicates: Vec::new(),
    };
    builder.begin(corners);
    (0..n).filter(|i| !corners.contains(i)).for_each(|i| builder.insert(i));
    Some(builder.finish(&order))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that triangles turn left, have empty circles, are joined, and have all points.
    fn check(points: &[[f64; 2]]) {
        let found = triangulate(points).unwrap();
        let plane = Plane::new(points.to_vec());
        let mut used = vec![false; points.len()];
        let (simplices, _) = found.simplices.as_chunks::<3>();
        let (neighbors, _) = found.neighbors.as_chunks::<3>();
        for (t, (v, n)) in simplices.iter().zip(neighbors).enumerate() {
            let corners = v.map(|i| i as u32);
            assert_eq!(plane.side(corners[0], corners[1], corners[2]), Ordering::Greater);
            for (k, &other) in n.iter().enumerate() {
                used[v[k] as usize] = true;
                if other < 0 {
                    let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                    assert!((0..points.len() as u32).all(|p| plane.side(a, b, p) != Ordering::Less));
                    continue;
                }
                let back = neighbors[other as usize].iter().position(|x| *x == t as i32).unwrap();
                let apex = simplices[other as usize][back];
                assert_ne!(plane.in_circle(corners, apex as u32), Ordering::Greater);
            }
        }
        found.coplanar.iter().for_each(|[p, ..]| used[*p as usize] = true);
        assert!(used.iter().all(|u| *u));
        // Euler: twice the vertices, minus the edges of the hull, minus two.
        let border = found.neighbors.iter().filter(|n| **n < 0).count();
        assert_eq!(simplices.len() + border + 2, 2 * (points.len() - found.coplanar.len()));
    }

    #[test]
    fn grids_circles_lines_and_duplicates_are_triangulated() {
        let grid: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i % 10), f64::from(i / 10)]).collect();
        check(&grid);
        check(&grid.iter().map(|p| [0.1 * p[0] - 0.3, 0.7 * p[1]]).collect::<Vec<_>>());
        check(&grid.iter().map(|p| [p[0], if p[1] == 0.0 { 1e-30 } else { p[1] / 3.0 }]).collect::<Vec<_>>());
        let circle: Vec<[f64; 2]> = (0..64).map(|i| (f64::from(i) * 0.1).sin_cos().into()).collect();
        check(&circle);
        let mut line: Vec<[f64; 2]> = (0..50).map(|i| [f64::from(i), 3.0 * f64::from(i)]).collect();
        assert!(triangulate(&line).is_none());
        line.push([3.0, 0.0]);
        check(&line);
        line.extend_from_within(10..30);
        check(&line);
        check(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        assert!(triangulate(&[]).is_none() && triangulate(&[[1.0, 1.0]; 5]).is_none());
    }

    #[test]
    fn random_points_are_triangulated() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for n in [4, 10, 100, 700] {
            check(&(0..n).map(|_| [next(), next()]).collect::<Vec<_>>());
            check(&(0..n).map(|_| [next() * 1e-20, next()]).collect::<Vec<_>>());
        }
    }
}
