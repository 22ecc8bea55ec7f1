//! Convex hulls and triangulations, which are judged by what defines them.
//!
//! The operand is a matrix of points. Points of one face or on one sphere have several hulls and triangulations; a case has one result: 1 if
//! the library's one is right, which is decided in exact arithmetic. Points that have none are right if the error is that of the documentation.

mod delaunay;
mod exact;
mod hull;

use std::cmp::Ordering;

use cuprum::{Array, ErrorKind};
use exact::{Vector, independent, integers};

use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Number, Outcome, Tensor};
use crate::subject::{Result, tensor, upload, view};

/// Points as integers.
struct Points {
    all: Vec<Vector>,
    values: Vec<f64>,
    /// The power of two by which an integer is multiplied.
    unit: f64,
    ndim: usize,
    /// Points that are not on one hyperplane.
    corners: Vec<usize>,
}

impl Points {
    /// Returns the points of an operand, or the kind of the error that it causes.
    fn new(points: &Tensor) -> std::result::Result<Points, ErrorKind> {
        if points.dtype.is_complex() {
            return Err(ErrorKind::Type);
        }
        let &[n, ndim] = points.shape.as_slice() else { return Err(ErrorKind::Value) };
        let value = |i: usize| match points.get(i) {
            Number::Int(x) => x as f64,
            Number::Float(x) => x,
            Number::Complex(..) => f64::NAN,
        };
        let values: Vec<f64> = (0..points.size()).map(value).collect();
        if n == 0 || ndim < 2 || values.iter().any(|x| !x.is_finite()) {
            return Err(ErrorKind::Value);
        }
        let (integers, exponent) = integers(&values);
        let all: Vec<Vector> = integers.chunks(ndim).map(<[_]>::to_vec).collect();
        let differences: Vec<Vector> = all.iter().map(|p| exact::difference(p, &all[0])).collect();
        let corners: Vec<usize> = [0].into_iter().chain(independent(&differences)).collect();
        if corners.len() <= ndim {
            return Err(ErrorKind::LinAlg);
        }
        Ok(Points { all, values, unit: f64::powi(2.0, exponent), ndim, corners })
    }

    fn of(&self, vertices: &[usize]) -> Vec<&Vector> {
        vertices.iter().map(|v| &self.all[*v]).collect()
    }

    /// Compares the sides of the hyperplane of a facet on which points are: `None` if points are on both.
    fn side(&self, facet: &[usize]) -> Option<Ordering> {
        let mut found = Ordering::Equal;
        for p in &self.all {
            let side = exact::volume(&[&self.of(facet)[..], &[p]].concat()).sign();
            if side != Ordering::Equal && found != Ordering::Equal && side != found {
                return None;
            }
            found = if found == Ordering::Equal { side } else { found };
        }
        Some(found)
    }
}

/// Returns the numbers of an array of vertices or simplices, which are not negative.
fn numbers(array: &Array) -> Result<Vec<usize>> {
    let number = |i: i32| usize::try_from(i).map_err(|_| format!("{i} is no number of a point"));
    Ok(array.to_vec::<i32>()?.into_iter().map(number).collect::<std::result::Result<_, _>>()?)
}

/// Returns true if neighbours have all vertices but those opposite to their common face, and are neighbours of each other.
fn are_joined(simplices: &[Vec<usize>], neighbors: &[Vec<Option<usize>>]) -> bool {
    let is_joined = |t: usize, k: usize, other: usize| {
        let (Some(vertices), Some(back)) = (simplices.get(other), neighbors.get(other)) else { return false };
        let own = &simplices[t];
        let common = own.iter().enumerate().all(|(j, v)| (j == k) != vertices.contains(v));
        let opposite = vertices.iter().position(|v| !own.contains(v));
        common && opposite.is_some_and(|j| back[j] == Some(t))
    };
    simplices.len() == neighbors.len()
        && neighbors
            .iter()
            .enumerate()
            .all(|(t, of)| of.iter().enumerate().all(|(k, other)| other.is_none_or(|other| is_joined(t, k, other))))
}

/// Returns sorted elements without repetitions.
fn distinct<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Checks a structure of the operand.
pub(crate) fn check(op: &Op, inputs: &[Input]) -> Result<Outcome> {
    let Some(Input::Array(placed)) = inputs.first() else { return Err("an array was expected".to_string().into()) };
    let array = view(upload(&placed.base)?, placed)?;
    let is_hull = op.name.ends_with("ConvexHull");
    let is_right = match Points::new(&placed.logical) {
        Ok(points) if is_hull => hull::is_right(&points, &array)?,
        Ok(points) => delaunay::is_right(&points, &array)?,
        Err(expected) => {
            let error = if is_hull { hull::error(&array) } else { delaunay::error(&array) };
            error.is_some_and(|error| error.kind() == expected)
        }
    };
    tensor(&Array::from_slice(&[i64::from(is_right)], ())?).map(Outcome::Array)
}

/// Returns the expected outcome of a case.
pub(crate) fn expected() -> Outcome {
    Outcome::Array(Tensor::packed(cuprum::DType::I64, &[], 1i64.to_le_bytes().to_vec()))
}
