//! Delaunay triangulation of points of three and more dimensions on the host: the lower hull of the points on a paraboloid.

use std::collections::HashMap;

use crate::hull::{INFINITY, Space, lifted_hull};
use crate::triangulation::Triangulation;

/// Returns the Delaunay triangulation of finite points of `ndim` coordinates; `None` if all of them are on one hyperplane.
pub fn triangulate_lifted(points: &[f64], ndim: usize) -> Option<Triangulation> {
    let space = Space::new(points.to_vec(), ndim, true);
    let hull = lifted_hull(&space)?;
    let corners = ndim + 1;
    let facets = || hull.vertices.chunks(corners).zip(hull.neighbors.chunks(corners));
    let mut count = 0;
    let number = |vertices: &[u32]| {
        if vertices.contains(&INFINITY) {
            return -1;
        }
        count += 1;
        count - 1
    };
    let numbers: Vec<i32> = hull.vertices.chunks(corners).map(number).collect();
    let n = points.len() / ndim;
    let mut found = Triangulation::default();
    for ((vertices, neighbors), _) in facets().zip(&numbers).filter(|(_, number)| **number >= 0) {
        found.simplices.extend(vertices.iter().map(|v| *v as i32));
        found.neighbors.extend(neighbors.iter().map(|f| numbers[*f as usize]));
    }
    // A point of a paraboloid is a vertex of its hull, unless another one has its coordinates.
    let key = |i: usize| space.key(i as u32);
    let simplices = found.vertex_to_simplex(n, ndim);
    let (vertices, others): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| simplices[*i] >= 0);
    if !others.is_empty() {
        let at: HashMap<Vec<u64>, usize> = vertices.into_iter().map(|v| (key(v), v)).collect();
        let same = others.iter().filter_map(|i| Some((*i, *at.get(&key(*i))?)));
        found.duplicates = same.map(|(i, v)| [i as i32, v as i32]).collect();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::convex_hull;

    fn factorial(n: usize) -> f64 {
        (1..=n).map(|k| k as f64).product()
    }

    /// Returns the determinant of a matrix by elimination.
    fn determinant(mut rows: Vec<Vec<f64>>) -> f64 {
        let mut found = 1.0;
        for k in 0..rows.len() {
            let best = (k..rows.len()).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap();
            if best != k {
                rows.swap(best, k);
                found = -found;
            }
            found *= rows[k][k];
            if found == 0.0 {
                return 0.0;
            }
            for i in k + 1..rows.len() {
                let factor = rows[i][k] / rows[k][k];
                for j in k..rows.len() {
                    rows[i][j] -= factor * rows[k][j];
                }
            }
        }
        found
    }

    fn differences(points: &[f64], ndim: usize, corners: &[i32]) -> Vec<Vec<f64>> {
        let point = |i: i32| &points[i as usize * ndim..][..ndim];
        let base = point(corners[0]);
        corners[1..].iter().map(|v| point(*v).iter().zip(base).map(|(x, b)| x - b).collect()).collect()
    }

    /// Checks that simplices are joined, have no point within their spheres, and have the volume of the hull; returns their number.
    fn check(points: &[f64], ndim: usize) -> usize {
        let found = triangulate_lifted(points, ndim).unwrap();
        let corners = ndim + 1;
        let (n, count) = (points.len() / ndim, found.simplices.len() / corners);
        let mut volume = 0.0;
        for t in 0..count {
            let (v, neighbors) =
                (&found.simplices[t * corners..][..corners], &found.neighbors[t * corners..][..corners]);
            let rows = differences(points, ndim, v);
            volume += determinant(rows.clone()).abs() / factorial(ndim);
            for (k, &other) in neighbors.iter().enumerate().filter(|(_, other)| **other >= 0) {
                let (w, back) = (
                    &found.simplices[other as usize * corners..][..corners],
                    &found.neighbors[other as usize * corners..][..corners],
                );
                let opposite = back.iter().position(|f| *f == t as i32).unwrap();
                assert!(v.iter().enumerate().all(|(i, x)| i == k || w.contains(x)));
                // The side of the sphere on which the opposite point is, of the lifted points, compared with that of a corner.
                let lifted = |mut rows: Vec<Vec<f64>>| {
                    rows.iter_mut().for_each(|row| row.push(row.iter().map(|x| x * x).sum()));
                    determinant(rows)
                };
                let mut all = v.to_vec();
                all.push(w[opposite]);
                let inside = lifted(differences(points, ndim, &all)) * determinant(rows.clone());
                assert!(inside >= -1e-9, "point {} is in the sphere of {v:?}: {inside}", w[opposite]);
            }
        }
        let used: std::collections::HashSet<i32> =
            found.simplices.iter().chain(found.duplicates.iter().map(|c| &c[0])).copied().collect();
        assert_eq!(used.len(), n);
        let space = Space::new(points.to_vec(), ndim, false);
        let hull = convex_hull(&space, &(0..n as u32).collect::<Vec<_>>()).unwrap();
        let centre = points[..ndim].to_vec();
        let pyramid = |facet: &[u32]| {
            let rows =
                facet.iter().map(|v| (0..ndim).map(|k| points[*v as usize * ndim + k] - centre[k]).collect()).collect();
            determinant(rows).abs() / factorial(ndim)
        };
        let expected: f64 = hull.vertices.chunks(ndim).map(pyramid).sum();
        assert!((volume - expected).abs() < 1e-9 * expected, "{volume} {expected}");
        count
    }

    fn random(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn random_points_are_triangulated() {
        for (ndim, count) in [(2, 200), (3, 5), (3, 150), (4, 60), (5, 30)] {
            check(&random(ndim as u64, ndim * count), ndim);
        }
    }

    #[test]
    fn grids_spheres_and_duplicates_are_triangulated() {
        // In a cube all corners are on one sphere. Tenths are no multiples of one power of two that fits 60 bits with 1e-30.
        for (unit, shift) in [(1.0, 0.0), (0.1, 0.3), (0.7, 1e-30)] {
            let mut grid: Vec<f64> =
                (0..64).flat_map(|i| [i % 4, i / 4 % 4, i / 16]).map(|x| unit * f64::from(x) + shift).collect();
            if unit == 1.0 {
                check(&grid, 3);
            }
            grid.extend_from_within(30..60);
            assert!(check(&grid, 3) >= 27 * 5);
        }
        let sphere: Vec<f64> = (0..60)
            .flat_map(|i| {
                let (z, angle) = (f64::from(i) / 30.0 - 59.0 / 60.0, 2.4 * f64::from(i));
                let radius = (1.0 - z * z).sqrt();
                [radius * angle.cos(), radius * angle.sin(), z]
            })
            .collect();
        check(&sphere, 3);
        assert!(triangulate_lifted(&[0.0; 30], 3).is_none());
        let plane: Vec<f64> = random(3, 20).chunks(2).flat_map(|p| [p[0], p[1], 0.5]).collect();
        assert!(triangulate_lifted(&plane, 3).is_none());
    }

    #[test]
    fn points_within_faces_are_no_vertices_of_a_hull() {
        for ndim in 2..5usize {
            for unit in [1.0, 0.1] {
                let count = 3usize.pow(ndim as u32);
                let coordinate = |i: usize, k: usize| unit * (i / 3usize.pow(k as u32) % 3) as f64;
                let points: Vec<f64> = (0..count).flat_map(|i| (0..ndim).map(move |k| coordinate(i, k))).collect();
                let space = Space::new(points.clone(), ndim, false);
                let hull = convex_hull(&space, &(0..count as u32).collect::<Vec<_>>()).unwrap();
                let mut vertices = hull.vertices.clone();
                vertices.sort_unstable();
                vertices.dedup();
                // Of three points in a row with distances of rounded tenths, the middle one is at 0.1 and the last one at 0.2, exactly twice.
                assert_eq!(vertices.len(), 1 << ndim, "{ndim} {unit}");
                // Of equal points the first one is a vertex.
                let twice = Space::new([&points[..], &points[..]].concat(), ndim, false);
                let hull = convex_hull(&twice, &(0..2 * count as u32).collect::<Vec<_>>()).unwrap();
                assert!(hull.vertices.iter().all(|v| (*v as usize) < count));
            }
        }
    }
}
