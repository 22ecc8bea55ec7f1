//! Judgement of convex hulls.
//!
//! * All points are on the inner side of each facet or on its hyperplane.
//! * Facets are joined along all ridges, and a ray from the inside leaves through one of them: together they are the whole boundary once.
//! * The facets at a vertex are on hyperplanes with one common point; of equal points the first one is a vertex.
//! * Of a polygon, vertices and edges are in counterclockwise order; of a polyhedron, the numbers of facets and of vertices are those of Euler's formula.
//! * Normals have length 1, and equations, area and volume are those of the facets but for rounding errors.

use std::cmp::Ordering;

use cuprum::scipy::spatial::ConvexHull;
use cuprum::{Array, Error};

use super::exact::{Integer, Vector, determinant, difference, independent, multiple, sum, volume};
use super::{Points, are_joined, distinct, numbers};
use crate::subject::Result;

/// Rounding errors of an equation, relative to the largest coordinate, and of a measure, relative to that of the bounding box.
const ROUNDING: f64 = 1e-12;

/// Returns the error of points that have no hull.
pub(super) fn error(points: &Array) -> Option<Error> {
    ConvexHull::new(points).err()
}

/// Returns the normal of a facet, whose length is the area times a factorial.
fn normal(points: &Points, facet: &[usize]) -> Vector {
    let rows: Vec<Vector> = facet[1..].iter().map(|v| difference(&points.all[*v], &points.all[facet[0]])).collect();
    let minor = |k: usize| {
        let without = |row: &Vector| [&row[..k], &row[k + 1..]].concat();
        let minor = determinant(&rows.iter().map(without).collect::<Vec<_>>());
        if k.is_multiple_of(2) { minor } else { -minor }
    };
    (0..points.ndim).map(minor).collect()
}

/// Returns the number of facets that a ray from within the hull through the middle of a facet leaves through.
fn left_through(points: &Points, facets: &[Vec<usize>], through: &[usize]) -> usize {
    let d = points.ndim as u32;
    let inside = multiple(&sum(&points.of(&points.corners)), d);
    let middle = multiple(&sum(&points.of(through)), d + 1);
    let is_left = |facet: &&Vec<usize>| {
        let corners: Vec<Vector> = points.of(facet).into_iter().map(|p| multiple(p, d * (d + 1))).collect();
        let whole = volume(&[&[&inside], &corners.iter().collect::<Vec<_>>()[..]].concat()).sign();
        (0..corners.len()).all(|k| {
            let mut corners: Vec<&Vector> = [&inside].into_iter().chain(&corners).collect();
            corners[k + 1] = &middle;
            [whole, Ordering::Equal].contains(&volume(&corners).sign())
        })
    };
    facets.iter().filter(is_left).count()
}

pub(super) fn is_right(points: &Points, array: &Array) -> Result<bool> {
    let hull = ConvexHull::new(array)?;
    let d = points.ndim;
    let facets: Vec<Vec<usize>> = numbers(hull.simplices())?.chunks(d).map(<[_]>::to_vec).collect();
    let neighbors: Vec<Vec<Option<usize>>> =
        numbers(hull.neighbors())?.chunks(d).map(|all| all.iter().copied().map(Some).collect()).collect();
    let vertices = numbers(hull.vertices())?;
    Ok(is_hull(points, &facets, &neighbors, &vertices) && are_measures(points, &hull, &facets)?)
}

fn is_hull(points: &Points, facets: &[Vec<usize>], neighbors: &[Vec<Option<usize>>], vertices: &[usize]) -> bool {
    let d = points.ndim;
    if facets.is_empty() || vertices.iter().chain(facets.iter().flatten()).any(|v| *v >= points.all.len()) {
        return false;
    }
    let bounds = facets.iter().all(|facet| points.side(facet).is_some_and(|side| side != Ordering::Equal));
    let covers = are_joined(facets, neighbors) && left_through(points, facets, &facets[0]) == 1;
    let normals: Vec<Vector> = facets.iter().map(|facet| normal(points, facet)).collect();
    let is_vertex = |v: &usize| {
        let at = facets.iter().zip(&normals).filter(|(facet, _)| facet.contains(v)).map(|(_, n)| n.clone());
        let is_first = points.all.iter().position(|p| *p == points.all[*v]) == Some(*v);
        is_first && independent(&at.collect::<Vec<_>>()).len() == d
    };
    let used = distinct(facets.iter().flatten().copied());
    let after = |k: usize| vertices[k % vertices.len()];
    let turns = |k: usize| volume(&points.of(&[after(k), after(k + 1), after(k + 2)])).sign() == Ordering::Greater;
    let ordered = match d {
        2 => {
            let edges = facets.iter().enumerate().all(|(k, edge)| *edge == [after(k), after(k + 1)]);
            edges && vertices.len() == used.len() && (0..vertices.len()).all(turns)
        }
        3 => vertices == used && facets.len() == 2 * vertices.len() - 4,
        _ => vertices == used,
    };
    bounds && covers && ordered && vertices.iter().all(is_vertex)
}

fn are_measures(points: &Points, hull: &ConvexHull, facets: &[Vec<usize>]) -> Result<bool> {
    let d = points.ndim;
    let size = points.values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let equations = hull.equations().to_vec::<f64>()?;
    let mut right = equations.len() == facets.len() * (d + 1);
    for (facet, equation) in facets.iter().zip(equations.chunks(d + 1)) {
        let length = equation[..d].iter().map(|x| x * x).sum::<f64>();
        right &= (length - 1.0).abs() < ROUNDING;
        for (v, point) in points.values.chunks(d).enumerate() {
            let height = point.iter().zip(equation).map(|(x, n)| x * n).sum::<f64>() + equation[d];
            let bound = size * ROUNDING;
            right &= height <= bound && (!facet.contains(&v) || height >= -bound);
        }
    }
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let length = |facet: &Vec<usize>| normal(points, facet).iter().map(Integer::to_f64).fold(0.0, f64::hypot);
    let area = facets.iter().map(length).sum::<f64>() * points.unit.powi(d as i32 - 1) / factorial(d - 1);
    // Pyramids over all facets from one point of the hull.
    let pyramid = |facet: &Vec<usize>| {
        let corners = [&points.of(facet)[..], &[&points.all[points.corners[0]]]].concat();
        volume(&corners).to_f64().abs()
    };
    let volume = facets.iter().map(pyramid).sum::<f64>() * points.unit.powi(d as i32) / factorial(d);
    right &= (hull.area() - area).abs() <= ROUNDING * area.max(size.powi(d as i32 - 1));
    right &= (hull.volume() - volume).abs() <= ROUNDING * volume.max(size.powi(d as i32));
    Ok(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Tensor;

    #[test]
    fn wrong_hulls_are_found() {
        let coordinates = [0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0f64];
        let bytes = coordinates.iter().flat_map(|x| x.to_le_bytes()).collect();
        let Ok(points) = Points::new(&Tensor::packed(cuprum::DType::F64, &[7, 2], bytes)) else {
            panic!("the points have a hull")
        };
        let judged = |vertices: &[usize]| {
            let n = vertices.len();
            let facets: Vec<Vec<usize>> = (0..n).map(|k| vec![vertices[k], vertices[(k + 1) % n]]).collect();
            let neighbors: Vec<Vec<Option<usize>>> =
                (0..n).map(|k| vec![Some((k + 1) % n), Some((k + n - 1) % n)]).collect();
            is_hull(&points, &facets, &neighbors, vertices)
        };
        assert!(judged(&[0, 1, 2, 3]));
        // A corner is missing, within an edge, inside, the second of equal points, clockwise, or twice around.
        for wrong in
            [&[0, 1, 2][..], &[0, 4, 1, 2, 3], &[0, 1, 2, 5], &[6, 1, 2, 3], &[0, 3, 2, 1], &[0, 1, 2, 3, 0, 1, 2, 3]]
        {
            assert!(!judged(wrong), "{wrong:?}");
        }
        let facets: Vec<Vec<usize>> = (0..4).map(|k| vec![k, (k + 1) % 4]).collect();
        let neighbors: Vec<Vec<Option<usize>>> = (0..4).map(|k| vec![Some((k + 3) % 4), Some((k + 1) % 4)]).collect();
        assert!(!is_hull(&points, &facets, &neighbors, &[0, 1, 2, 3]));
    }
}
