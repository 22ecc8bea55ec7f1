//! Judgement of Delaunay triangulations.
//!
//! * No simplex is flat, and triangles are in counterclockwise order.
//! * Simplices are joined along all faces but those of the hull, and the middle of a simplex is in no other one: together they cover the hull once.
//! * No vertex of a neighbour is within the sphere of a simplex, which makes all spheres empty (B. Delaunay, 1934).
//! * A point is a vertex, or has the coordinates of the one that it is listed with.
//! * Vertices and middles of simplices are found there.

use std::cmp::Ordering;

use cuprum::scipy::spatial::Delaunay;
use cuprum::{Array, Error};

use super::exact::{Integer, Vector, determinant, difference, multiple, sum, volume};
use super::{Points, are_joined, distinct, numbers};
use crate::subject::Result;

/// Tolerance of barycentric coordinates.
const TOLERANCE: f64 = 1e-9;

/// Returns the error of points that have no triangulation.
pub(super) fn error(points: &Array) -> Option<Error> {
    Delaunay::new(points).err()
}

/// Returns true if a point is strictly within the sphere of a simplex: below the hyperplane of its corners, if all are raised to a paraboloid.
fn is_within(corners: &[&Vector], point: &Vector) -> bool {
    let raised = |p: &&Vector| {
        let mut row = difference(p, point);
        row.push(row.iter().map(|x| x * x).collect::<Vec<Integer>>().iter().sum());
        row
    };
    // The orientation of the corners from the point on, and that of the raised ones.
    let plane = volume(corners).sign();
    let raised = determinant(&corners.iter().map(raised).collect::<Vec<_>>()).sign();
    let sign = if corners.len() % 2 == 1 { plane } else { plane.reverse() };
    raised != Ordering::Equal && raised == sign
}

/// Returns the barycentric coordinates of a point.
fn coordinates(corners: &[&Vector], point: &Vector) -> Vec<f64> {
    let whole = volume(corners).to_f64();
    let part = |k: usize| {
        let mut corners = corners.to_vec();
        corners[k] = point;
        volume(&corners).to_f64() / whole
    };
    (0..corners.len()).map(part).collect()
}

pub(super) fn is_right(points: &Points, array: &Array) -> Result<bool> {
    let found = Delaunay::new(array)?;
    let d = points.ndim;
    let corners = d + 1;
    let simplices: Vec<Vec<usize>> = numbers(found.simplices())?.chunks(corners).map(<[_]>::to_vec).collect();
    let neighbors: Vec<Option<usize>> =
        found.neighbors().to_vec::<i32>()?.into_iter().map(|t| usize::try_from(t).ok()).collect();
    let neighbors: Vec<Vec<Option<usize>>> = neighbors.chunks(corners).map(<[_]>::to_vec).collect();
    let facets = numbers(&found.convex_hull()?)?;
    let facets = distinct(facets.chunks(d).map(|facet| distinct(facet.iter().copied())));
    let right = border(points, &simplices, &neighbors).is_some_and(|border| border == facets);
    Ok(right && are_points(points, &found, &simplices)? && are_found(points, &found, &simplices)?)
}

/// Returns the faces of the hull; `None` if simplices are no Delaunay triangulation.
fn border(points: &Points, simplices: &[Vec<usize>], neighbors: &[Vec<Option<usize>>]) -> Option<Vec<Vec<usize>>> {
    let (d, n) = (points.ndim, points.all.len());
    if simplices.is_empty() || simplices.iter().flatten().any(|v| *v >= n) || !are_joined(simplices, neighbors) {
        return None;
    }
    let mut right = true;
    let mut border: Vec<Vec<usize>> = vec![];
    for (vertices, others) in simplices.iter().zip(neighbors) {
        let own = points.of(vertices);
        let side = volume(&own).sign();
        right &= side == Ordering::Greater || d > 2 && side == Ordering::Less;
        for (k, other) in others.iter().enumerate() {
            match other {
                Some(other) => {
                    let apex = simplices[*other].iter().find(|v| !vertices.contains(v));
                    right &= apex.is_some_and(|v| !is_within(&own, &points.all[*v]));
                }
                None => {
                    let facet = [&vertices[..k], &vertices[k + 1..]].concat();
                    right &= points.side(&facet).is_some();
                    border.push(distinct(facet));
                }
            }
        }
    }
    let whole: Vec<Vector> = points.all.iter().map(|p| multiple(p, d as u32 + 1)).collect();
    let middle = sum(&points.of(&simplices[0]));
    let has_middle = |vertices: &&Vec<usize>| {
        let own: Vec<&Vector> = vertices.iter().map(|v| &whole[*v]).collect();
        right && coordinates(&own, &middle).into_iter().all(|c| c >= 0.0)
    };
    (simplices.iter().filter(has_middle).count() == 1).then(|| distinct(border))
}

/// Checks the lists of the points that are vertices, of their neighbours and of the others.
fn are_points(points: &Points, found: &Delaunay, simplices: &[Vec<usize>]) -> Result<bool> {
    let n = points.all.len();
    let at = found.vertex_to_simplex()?.to_vec::<i32>()?;
    let mut is_vertex = vec![false; n];
    simplices.iter().flatten().for_each(|v| is_vertex[*v] = true);
    let is_at = |v: usize| usize::try_from(at[v]).map_or(!is_vertex[v], |t| simplices[t].contains(&v));
    let coplanar = numbers(&found.coplanar()?)?;
    let is_listed = |row: &[usize]| {
        let &[p, t, v] = row else { return false };
        !is_vertex[p] && points.all[p] == points.all[v] && simplices[t].contains(&v)
    };
    let others: Vec<usize> = (0..n).filter(|v| !is_vertex[*v]).collect();
    let (pointers, indices) = found.vertex_neighbor_vertices()?;
    let (pointers, indices) = (numbers(&pointers)?, numbers(&indices)?);
    let joined = |v: usize| {
        let at = simplices.iter().filter(|t| t.contains(&v));
        distinct(at.flatten().copied().filter(|w| *w != v)) == indices[pointers[v]..pointers[v + 1]]
    };
    Ok((0..n).all(is_at)
        && coplanar.chunks(3).all(is_listed)
        && distinct(coplanar.chunks(3).map(|row| row[0])) == others
        && (0..n).all(joined))
}

/// Searches the vertices, the middles of the simplices, and points outside.
fn are_found(points: &Points, found: &Delaunay, simplices: &[Vec<usize>]) -> Result<bool> {
    let (d, n) = (points.ndim, points.all.len());
    let middle = |t: &Vec<usize>| {
        (0..d).map(|k| t.iter().map(|v| points.values[v * d + k] / (d + 1) as f64).sum::<f64>()).collect::<Vec<_>>()
    };
    let middles: Vec<f64> = simplices.iter().flat_map(middle).collect();
    let queries = [&points.values[..], &middles].concat();
    let queries = Array::from_slice(&queries, [n + simplices.len(), d])?;
    let at = found.find_simplex(&queries, None)?.to_vec::<i32>()?;
    let whole: Vec<Vector> = points.all.iter().map(|p| multiple(p, d as u32 + 1)).collect();
    let is_in = |t: i32, point: &Vector| {
        let Some(vertices) = usize::try_from(t).ok().and_then(|t| simplices.get(t)) else { return false };
        let own: Vec<&Vector> = vertices.iter().map(|v| &whole[*v]).collect();
        coordinates(&own, point).into_iter().all(|c| c >= -TOLERANCE)
    };
    let vertices = at[..n].iter().zip(&whole).all(|(t, p)| is_in(*t, p));
    let middles = at[n..].iter().zip(simplices).all(|(t, of)| is_in(*t, &sum(&points.of(of))));
    let size = points.values.iter().fold(1.0f64, |most, x| most.max(x.abs()));
    let far: Vec<f64> = (0..2 * d).map(|k| if k < d { 3.0 * size } else { f64::NAN }).collect();
    let outside = found.find_simplex(&Array::from_slice(&far, [2, d])?, None)?.to_vec::<i32>()?;
    Ok(vertices && middles && outside == [-1, -1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Tensor;

    #[test]
    fn wrong_triangulations_are_found() {
        let coordinates = [0.0, 0.0, 4.0, 0.0, 4.0, 3.0, 0.0, 2.0f64];
        let bytes = coordinates.iter().flat_map(|x| x.to_le_bytes()).collect();
        let Ok(points) = Points::new(&Tensor::packed(cuprum::DType::F64, &[4, 2], bytes)) else {
            panic!("the points have a triangulation")
        };
        let judged = |simplices: [[usize; 3]; 2], neighbors: [[Option<usize>; 3]; 2]| {
            border(&points, &simplices.map(Vec::from), &neighbors.map(Vec::from))
        };
        let hull = vec![vec![0, 1], vec![0, 3], vec![1, 2], vec![2, 3]];
        let joined = [[None, Some(1), None], [Some(0), None, None]];
        assert_eq!(judged([[0, 1, 3], [1, 2, 3]], [[Some(1), None, None], [None, Some(0), None]]), Some(hull));
        // The other diagonal, of whose circles points are inside; clockwise; neighbours at another face.
        assert_eq!(judged([[0, 1, 2], [0, 2, 3]], [[None, Some(1), None], [None, None, Some(0)]]), None);
        assert_eq!(judged([[0, 3, 1], [1, 2, 3]], [[Some(1), None, None], [None, Some(0), None]]), None);
        assert_eq!(judged([[0, 1, 3], [1, 2, 3]], joined), None);
        let one = border(&points, &[vec![0, 1, 3]], &[vec![None; 3]]);
        assert_eq!(one, None);
    }
}
