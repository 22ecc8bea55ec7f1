//! Delaunay triangulation of the plane: its points in order, its triangles, and their numbers.

use std::thread;

use crate::order::{remove_duplicates, sort};
use crate::planar::{Edge, previous, solve};
use crate::predicates::{Plane, Point};
use crate::threads::CORES;

/// Number of points that are worth a thread.
const POINTS_OF_THREAD: usize = 1 << 12;

/// Simplices, and how they are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangulation {
    /// The vertices of each simplex; triangles of the plane turn left.
    pub simplices: Vec<i32>,
    /// The simplex opposite to each vertex, or -1.
    pub neighbors: Vec<i32>,
    /// The points that are no vertices, in ascending order, each with the vertex that has its coordinates.
    pub duplicates: Vec<[i32; 2]>,
}

impl Triangulation {
    /// Returns a simplex of each of `count` points of `ndim` dimensions, or -1 for those that are no vertices.
    pub fn vertex_to_simplex(&self, count: usize, ndim: usize) -> Vec<i32> {
        let mut found = vec![-1; count];
        for (number, vertices) in (0..).zip(self.simplices.chunks_exact(ndim + 1)) {
            vertices.iter().for_each(|v| found[*v as usize] = number);
        }
        found
    }
}

/// Returns the triangles that are no ghosts; `None` if there are none.
///
/// The last triangles have the numbers of the ghosts before them, and the others are numbered as they are stored.
fn finish(edges: &[Edge], first_ghost: u32, points: &[Point], threads: usize) -> Option<Triangulation> {
    let (triangles, _) = edges.as_chunks::<4>();
    let mut ghosts = vec![first_ghost];
    while let Some(&last) = ghosts.last() {
        let after = previous(edges[previous(last) as usize][1]);
        if after == first_ghost {
            break;
        }
        ghosts.push(after);
    }
    let mut is_ghost = vec![false; triangles.len()];
    ghosts.iter().for_each(|e| is_ghost[(e / 4) as usize] = true);
    let count = triangles.len() - ghosts.len();
    if count == 0 {
        return None;
    }
    let holes: Vec<usize> = (0..count).filter(|t| is_ghost[*t]).collect();
    let last: Vec<usize> = (count..triangles.len()).filter(|t| !is_ghost[*t]).collect();
    let mut numbers = vec![0; ghosts.len()];
    last.iter().zip(&holes).for_each(|(t, hole)| numbers[t - count] = *hole as i32);
    let number = |e: u32| {
        let t = (e / 4) as usize;
        if is_ghost[t] {
            -1
        } else if t < count {
            t as i32
        } else {
            numbers[t - count]
        }
    };
    let mut found =
        Triangulation { simplices: vec![0; 3 * count], neighbors: vec![0; 3 * count], duplicates: Vec::new() };
    let rows = (found.simplices.as_chunks_mut::<3>().0, found.neighbors.as_chunks_mut::<3>().0);
    let write = |start: usize, simplices: &mut [[i32; 3]], neighbors: &mut [[i32; 3]]| {
        let mut hole = holes.partition_point(|t| *t < start);
        for (t, (vertices, others)) in (start..).zip(simplices.iter_mut().zip(neighbors)) {
            let is_hole = holes.get(hole) == Some(&t);
            let triangle = triangles[if is_hole { last[hole] } else { t }];
            hole += usize::from(is_hole);
            *vertices = [0, 1, 2].map(|k| points[triangle[k][0] as usize].number as i32);
            // The edge opposite to vertex k begins at the vertex after it.
            *others = [1, 2, 0].map(|k| number(triangle[k][1]));
        }
    };
    let length = count.div_ceil(threads);
    thread::scope(|scope| {
        let write = &write;
        for (k, (simplices, neighbors)) in rows.0.chunks_mut(length).zip(rows.1.chunks_mut(length)).enumerate() {
            if threads < 2 {
                write(0, simplices, neighbors);
            } else {
                scope.spawn(move || write(k * length, simplices, neighbors));
            }
        }
    });
    Some(found)
}

fn triangulate_with(points: &[[f64; 2]], threads: usize) -> Option<Triangulation> {
    let plane = Plane::new(points);
    let mut points = sort((0..points.len() as u32).map(|i| plane.point(i)).collect(), threads);
    let duplicates = remove_duplicates(&mut points);
    if points.len() < 3 {
        return None;
    }
    let (edges, ghost) = solve(&plane, &mut points, threads);
    Some(Triangulation { duplicates, ..finish(&edges, ghost, &points, threads)? })
}

/// Returns the Delaunay triangulation of at most 2^29 finite points of the plane; `None` if all of them are on a line.
///
/// It depends on the coordinates alone: not on the order of the points, but for the numbers of vertices, and not on the number of threads. Of equal points the
/// first one is a vertex.
pub fn triangulate(points: &[[f64; 2]]) -> Option<Triangulation> {
    triangulate_with(points, (points.len() / POINTS_OF_THREAD).clamp(1, *CORES))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    /// Checks that triangles turn left, have empty circles, are joined, and have all points; that threads and the order of the points change
    /// nothing.
    fn check(points: &[[f64; 2]]) -> Triangulation {
        let found = triangulate_with(points, 1).unwrap();
        let plane = Plane::new(points);
        let all: Vec<Point> = (0..points.len() as u32).map(|i| plane.point(i)).collect();
        let mut used = vec![false; points.len()];
        let (simplices, _) = found.simplices.as_chunks::<3>();
        let (neighbors, _) = found.neighbors.as_chunks::<3>();
        for (t, (v, n)) in simplices.iter().zip(neighbors).enumerate() {
            let corners = v.map(|i| &all[i as usize]);
            assert_eq!(plane.side(corners[0], corners[1], corners[2]), Ordering::Greater);
            for (k, &other) in n.iter().enumerate() {
                used[v[k] as usize] = true;
                let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                if other < 0 {
                    assert!(all.iter().all(|p| plane.side(a, b, p) != Ordering::Less));
                    continue;
                }
                let back = neighbors[other as usize].iter().position(|x| *x == t as i32).unwrap();
                let others = simplices[other as usize].map(|i| &all[i as usize]);
                assert_eq!([others[(back + 2) % 3].number, others[(back + 1) % 3].number], [a.number, b.number]);
                assert_ne!(plane.in_circle(corners, others[back]), Ordering::Greater);
            }
        }
        found.duplicates.iter().for_each(|[p, v]| {
            assert!(points[*p as usize] == points[*v as usize] && !used[*p as usize] && used[*v as usize]);
            used[*p as usize] = true;
        });
        assert!(used.iter().all(|u| *u));
        // Euler: twice the vertices, minus the edges of the hull, minus two.
        let border = found.neighbors.iter().filter(|n| **n < 0).count();
        assert_eq!(simplices.len() + border + 2, 2 * (points.len() - found.duplicates.len()));
        for threads in [2, 7] {
            assert_eq!(triangulate_with(points, threads).unwrap(), found);
        }
        let reversed: Vec<[f64; 2]> = points.iter().rev().copied().collect();
        let other = triangulate_with(&reversed, 3).unwrap();
        let at = |points: &[[f64; 2]], all: &[i32]| all.iter().map(|v| points[*v as usize]).collect::<Vec<_>>();
        assert_eq!(at(&reversed, &other.simplices), at(points, &found.simplices));
        assert_eq!(other.neighbors, found.neighbors);
        found
    }

    fn random(seed: u64, count: usize) -> Vec<[f64; 2]> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| [next(), next()]).collect()
    }

    #[test]
    fn grids_circles_lines_and_duplicates_are_triangulated() {
        let grid: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i % 10), f64::from(i / 10)]).collect();
        check(&grid);
        check(&grid.iter().map(|p| [0.1 * p[0] - 0.3, 0.7 * p[1]]).collect::<Vec<_>>());
        check(&grid.iter().map(|p| [p[0], if p[1] == 0.0 { 1e-30 } else { p[1] / 3.0 }]).collect::<Vec<_>>());
        check(&grid.iter().map(|p| [p[0] - p[1], p[0] + p[1]]).collect::<Vec<_>>());
        let circle: Vec<[f64; 2]> = (0..64).map(|i| (f64::from(i) * 0.1).sin_cos().into()).collect();
        check(&circle);
        // Points of integers on one circle, 48 of them.
        let exact: Vec<[f64; 2]> = (-1105..=1105)
            .flat_map(|x: i32| [-1, 1].map(|s| [f64::from(x), f64::from(s) * f64::from(1105 * 1105 - x * x).sqrt()]))
            .filter(|p| p[1].fract() == 0.0)
            .collect();
        let found = check(&exact);
        assert_eq!((exact.len() - found.duplicates.len(), found.duplicates.len()), (108, 2));
        let mut line: Vec<[f64; 2]> = (0..50).map(|i| [f64::from(i), 3.0 * f64::from(i)]).collect();
        for points in
            [line.clone(), line.iter().map(|p| [0.0, p[1]]).collect(), line.iter().map(|p| [p[0], 1.0]).collect()]
        {
            assert!(triangulate(&points).is_none());
        }
        line.push([3.0, 0.0]);
        check(&line);
        line.extend_from_within(10..30);
        check(&line);
        check(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        check(&[[0.0, -0.0], [1.0, 0.0], [0.0, 1.0], [-0.0, 0.0]]);
        assert!(triangulate(&[]).is_none() && triangulate(&[[1.0, 1.0]; 5]).is_none());
    }

    #[test]
    fn random_points_are_triangulated() {
        for n in (3..20).chain([100, 700]) {
            let points = random(n as u64, n);
            check(&points);
            check(&points.iter().map(|p| [p[0] * 1e-20, p[1]]).collect::<Vec<_>>());
            // Points of a small grid, many of which are equal or on a line.
            let few: Vec<[f64; 2]> = points.iter().map(|p| p.map(|x| (x * 4.0).floor())).collect();
            if triangulate(&few).is_some() {
                check(&few);
            }
        }
    }

    #[test]
    fn near_points_are_triangulated() {
        let grid = |i: usize| [(i % 20) as f64, (i / 20) as f64];
        for unit in [1e-16, 1e-14, 1e-100, 1e-300] {
            let noise = random(5, 400);
            // A grid with noise in the last bits, and clusters far from each other.
            let noisy = |(i, e): (usize, &[f64; 2])| [0, 1].map(|k| 1.0 + 0.1 * grid(i)[k] + unit * e[k]);
            check(&noise.iter().enumerate().map(noisy).collect::<Vec<_>>());
            let cluster = |(i, e): (usize, &[f64; 2])| [0, 1].map(|k| if i % 3 == k { 1.0 } else { unit * e[k] });
            check(&noise.iter().enumerate().map(cluster).collect::<Vec<_>>());
        }
    }
}
