//! Delaunay triangulation of the plane: its points in order, its triangles, and their numbers.

use std::thread;

use crate::floats::scale_to_one;
use crate::order::{Item, cut_halves, remove_duplicates, sort};
use crate::planar::{Edge, GHOST, solve};
use crate::predicates::Plane;
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

/// Returns the triangles that are no ghosts, with the numbers that points had before they were ordered; `None` if there are none.
fn finish(edges: &[Edge], numbers: &[u32], threads: usize) -> Option<Triangulation> {
    let (triangles, _) = edges.as_chunks::<4>();
    let is_real = |t: &[Edge; 4]| t[..3].iter().all(|[origin, _]| *origin != GHOST);
    let length = triangles.len().div_ceil(threads);
    // The number of each triangle among those of its chunk, or -1 for a ghost; those of each chunk; and those before it.
    let mut ranks = vec![0; triangles.len()];
    let mut counts = vec![0; threads];
    let rank = |ranks: &mut [i32], triangles: &[[Edge; 4]], count: &mut i32| {
        for (rank, t) in ranks.iter_mut().zip(triangles) {
            *rank = if is_real(t) { *count } else { -1 };
            *count += i32::from(*rank >= 0);
        }
    };
    thread::scope(|scope| {
        for ((ranks, triangles), count) in ranks.chunks_mut(length).zip(triangles.chunks(length)).zip(&mut counts) {
            if threads < 2 {
                rank(ranks, triangles, count);
            } else {
                scope.spawn(move || rank(ranks, triangles, count));
            }
        }
    });
    let (mut total, mut firsts) = (0, Vec::new());
    for count in &counts {
        firsts.push(total);
        total += count;
    }
    if total == 0 {
        return None;
    }
    let mut simplices = vec![0; 3 * total as usize];
    let mut neighbors = vec![0; 3 * total as usize];
    let write = |triangles: &[[Edge; 4]], simplices: &mut [i32], neighbors: &mut [i32]| {
        let rows = simplices.as_chunks_mut::<3>().0.iter_mut().zip(neighbors.as_chunks_mut::<3>().0);
        for (t, (vertices, others)) in triangles.iter().filter(|t| is_real(t)).zip(rows) {
            *vertices = [0, 1, 2].map(|k| numbers[t[k][0] as usize] as i32);
            // The edge opposite to vertex k begins at the vertex after it.
            *others = [1, 2, 0].map(|k| {
                let other = (t[k][1] / 4) as usize;
                if ranks[other] < 0 { -1 } else { firsts[other / length] + ranks[other] }
            });
        }
    };
    thread::scope(|scope| {
        let (mut simplices, mut neighbors, write) = (&mut simplices[..], &mut neighbors[..], &write);
        for (count, triangles) in counts.iter().zip(triangles.chunks(length)) {
            let (vertices, rest) = simplices.split_at_mut(3 * *count as usize);
            let (others, rest_of_neighbors) = neighbors.split_at_mut(3 * *count as usize);
            (simplices, neighbors) = (rest, rest_of_neighbors);
            if threads < 2 {
                write(triangles, vertices, others);
            } else {
                scope.spawn(move || write(triangles, vertices, others));
            }
        }
    });
    Some(Triangulation { simplices, neighbors, duplicates: Vec::new() })
}

fn triangulate_with(points: &[[f64; 2]], threads: usize) -> Option<Triangulation> {
    let mut scaled = points.to_vec();
    scale_to_one(scaled.as_flattened_mut());
    // Adding zero removes the sign of zeros.
    let mut items: Vec<Item> = (0..).zip(scaled).map(|(number, at)| Item { at: at.map(|x| x + 0.0), number }).collect();
    sort(&mut items, threads);
    let duplicates = remove_duplicates(&mut items);
    if items.len() < 3 {
        return None;
    }
    // Sorted items are cut in the middle.
    cut_halves(&mut items, 0, threads);
    let plane = Plane::new(items.iter().map(|item| item.at).collect());
    let edges = solve(&plane, threads);
    let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
    Some(Triangulation { duplicates, ..finish(&edges, &numbers, threads)? })
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
        let plane = Plane::new(points.to_vec());
        let mut used = vec![false; points.len()];
        let (simplices, _) = found.simplices.as_chunks::<3>();
        let (neighbors, _) = found.neighbors.as_chunks::<3>();
        for (t, (v, n)) in simplices.iter().zip(neighbors).enumerate() {
            let corners = v.map(|i| i as u32);
            assert_eq!(plane.side(corners[0], corners[1], corners[2]), Ordering::Greater);
            for (k, &other) in n.iter().enumerate() {
                used[v[k] as usize] = true;
                let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                if other < 0 {
                    assert!((0..points.len() as u32).all(|p| plane.side(a, b, p) != Ordering::Less));
                    continue;
                }
                let back = neighbors[other as usize].iter().position(|x| *x == t as i32).unwrap();
                let others = simplices[other as usize].map(|i| i as u32);
                assert_eq!([others[(back + 2) % 3], others[(back + 1) % 3]], [a, b]);
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
        // Of 48 points of integers that are on one circle.
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
