//! Labels by a flood fill, and statistics and distances by loops over all elements.

use cuprum_kernels::DType;

use super::{exact, real};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::value::Value;
use crate::numpy::searching::multi_indices;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, Fault, counterparts};

/// Labels the components of nearest neighbours.
fn label(a: &NdArray) -> Result<(NdArray, NdArray)> {
    let shape = real(a)?.shape();
    let positions = multi_indices(shape);
    let flat = |position: &[usize]| position.iter().zip(shape).fold(0, |sum, (i, n)| sum * n + i);
    let image: Vec<bool> = a.values().iter().map(|v| v.float() != 0.0).collect();
    let mut labels = vec![0i128; image.len()];
    let mut count = 0;
    for first in 0..image.len() {
        if !image[first] || labels[first] != 0 {
            continue;
        }
        count += 1;
        labels[first] = count;
        let mut open = vec![first];
        while let Some(i) = open.pop() {
            for d in 0..shape.len() {
                for step in [usize::MAX, 1] {
                    let mut position = positions[i].clone();
                    position[d] = position[d].wrapping_add(step);
                    if position[d] < shape[d] && image[flat(&position)] && labels[flat(&position)] == 0 {
                        labels[flat(&position)] = count;
                        open.push(flat(&position));
                    }
                }
            }
        }
    }
    let labels = NdArray::from_values(DType::I32, shape, labels.into_iter().map(Value::Int))?;
    Ok((labels, NdArray::from_values(DType::I64, &[], [Value::Int(count)])?))
}

/// Elements and their positions in C order, for each label of a list.
struct Groups {
    groups: Vec<Vec<(f64, usize)>>,
    input: DType,
    shape: Vec<usize>,
    list: Vec<usize>,
}

impl Groups {
    fn new(t: &Arguments) -> std::result::Result<Groups, Fault> {
        let [input, labels, index]: [&NdArray; 3] = [t.get("input")?, t.get("labels")?, t.get("index")?];
        for a in [input, labels, index] {
            real(a)?;
        }
        let shape = broadcast_shapes(&[input.shape(), labels.shape()])?;
        let of = |a: &NdArray, position: &[usize]| {
            let skip = shape.len() - a.ndim();
            let own: Vec<usize> =
                position[skip..].iter().zip(a.shape()).map(|(i, n)| if *n == 1 { 0 } else { *i }).collect();
            a.get(&own).float()
        };
        let positions = multi_indices(&shape);
        let group = |wanted: &Value| {
            let found = positions.iter().enumerate().filter(|(_, position)| of(labels, position) == wanted.float());
            found.map(|(i, position)| (of(input, position), i)).collect()
        };
        let groups = index.values().iter().map(group).collect();
        Ok(Groups { groups, input: input.dtype(), shape, list: index.shape().to_vec() })
    }

    /// Returns a number and its bound for each group, in float64.
    fn floats(&self, of: impl Fn(&[f64]) -> (f64, f64)) -> Result<Bounded> {
        let all: Vec<(f64, f64)> = self.groups.iter().map(|g| of(&g.iter().map(|e| e.0).collect::<Vec<_>>())).collect();
        let result = NdArray::from_values(DType::F64, &self.list, all.iter().map(|x| Value::Float(x.0)))?;
        Ok(Bounded { result, bounds: all.iter().map(|x| x.1).collect() })
    }
}

fn size_of(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum::<f64>()
}

/// The bound of the difference of two sums of n numbers in float64.
fn of_sum(x: &[f64]) -> f64 {
    x.len() as f64 * f64::EPSILON * size_of(x)
}

fn variance(x: &[f64]) -> (f64, f64) {
    if x.is_empty() {
        return (f64::NAN, 0.0);
    }
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares: Vec<f64> = x.iter().map(|v| (v - mean) * (v - mean)).collect();
    let error = of_sum(x) / n + f64::EPSILON * mean.abs();
    let largest = x.iter().fold(0.0f64, |m, v| m.max((v - mean).abs()));
    (squares.iter().sum::<f64>() / n, of_sum(&squares) / n + 2.0 * error * largest + error * error)
}

/// Centres of mass: a row of coordinates for each label.
fn centres(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let all = Groups::new(t)?;
    let positions = multi_indices(&all.shape);
    let (mut values, mut bounds) = (vec![], vec![]);
    for group in &all.groups {
        let masses: Vec<f64> = group.iter().map(|e| e.0).collect();
        let mass: f64 = masses.iter().sum();
        for d in 0..all.shape.len() {
            let products: Vec<f64> = group.iter().map(|e| e.0 * positions[e.1][d] as f64).collect();
            let value = products.iter().sum::<f64>() / mass;
            values.push(Value::Float(value));
            let error = (of_sum(&products) + of_sum(&masses) * value.abs()) / mass.abs();
            bounds.push(if value.is_finite() { error + 2.0 * f64::EPSILON * value.abs() } else { 0.0 });
        }
    }
    let shape: Vec<usize> = all.list.iter().copied().chain([all.shape.len()]).collect();
    Ok(Bounded { result: NdArray::from_values(DType::F64, &shape, values)?, bounds })
}

/// Boxes of the labels: first coordinates, and one more than the last.
fn boxes(t: &Arguments) -> std::result::Result<NdArray, Fault> {
    let (a, count): (&NdArray, i64) = (t.get("input")?, t.or("max_label", 0)?);
    if !a.dtype().is_integer() && a.dtype() != DType::Bool {
        fail(ErrorKind::Type, "labels are integers")?;
    }
    let (positions, values) = (multi_indices(a.shape()), a.values());
    let mut numbers = vec![];
    for label in 1..=i128::from(count) {
        let own: Vec<&Vec<usize>> =
            positions.iter().zip(&values).filter(|(_, v)| v.int() == label).map(|(p, _)| p).collect();
        for d in 0..a.ndim() {
            let along = own.iter().map(|position| position[d] as i128);
            numbers.push(along.clone().min().unwrap_or(0));
            numbers.push(along.max().map_or(0, |last| last + 1));
        }
    }
    let shape = [count.max(0) as usize, a.ndim(), 2];
    Ok(NdArray::from_values(DType::I64, &shape, numbers.into_iter().map(Value::Int))?)
}

/// Distances from the nearest element that is 0, by a comparison with all of them.
fn distances(a: &NdArray, metric: &str, sampling: f64, without: f64, dtype: DType) -> Result<NdArray> {
    let (positions, values) = (multi_indices(a.shape()), a.values());
    let is_zero = |v: &Value| v.complex() == num_complex::Complex64::default();
    let zeros: Vec<&Vec<usize>> = positions.iter().zip(&values).filter(|(_, v)| is_zero(v)).map(|(p, _)| p).collect();
    let apart = |one: &[usize], two: &[usize]| {
        let along = one.iter().zip(two).map(|(x, y)| x.abs_diff(*y) as f64 * sampling);
        match metric {
            "taxicab" => along.sum(),
            "chessboard" => along.fold(0.0, f64::max),
            _ => along.map(|d| d * d).sum::<f64>(),
        }
    };
    let root = |d: f64| if metric == "euclidean" { d.sqrt() } else { d };
    let nearest = |position: &Vec<usize>| {
        let least = zeros.iter().map(|zero| apart(position, zero)).fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            return root(least);
        }
        // The element before the first one along the first axis.
        match without {
            w if w.is_nan() => {
                let moved: Vec<usize> =
                    position.iter().enumerate().map(|(d, i)| if d == 0 { i + 1 } else { *i }).collect();
                root(apart(&moved, &vec![0; moved.len()]))
            }
            w => w,
        }
    };
    let values: Vec<f64> = positions.iter().map(nearest).collect();
    let number = |v: &f64| if dtype.is_float() { Value::Float(*v) } else { Value::Int(*v as i128) };
    NdArray::from_values(dtype, a.shape(), values.iter().map(number))
}

counterparts! {
    "scipy.ndimage.label" = |t| label(t.get("input")?)?;
    "scipy.ndimage.find_objects" = |t| boxes(t)?;
    "scipy.ndimage.sum_labels" = |t| Groups::new(t)?.floats(|x| (x.iter().fold(0.0, |sum, v| sum + v), of_sum(x)))?;
    "scipy.ndimage.variance" = |t| Groups::new(t)?.floats(variance)?;
    "scipy.ndimage.center_of_mass" = |t| centres(t)?;
    "scipy.ndimage.median" = |t| {
        let all = Groups::new(t)?;
        let medians = all.floats(|x| {
            let mut x = x.to_vec();
            x.sort_by(f64::total_cmp);
            let n = x.len();
            (if n == 0 { f64::NAN } else { (x[(n - 1) / 2] + x[n / 2]) / 2.0 }, 0.0)
        })?;
        medians.result.astype(if all.input.is_float() { all.input } else { DType::F64 }, Order::C)
    };
    "scipy.ndimage.maximum" = |t| {
        let all = Groups::new(t)?;
        let most = |g: &Vec<(f64, usize)>| g.iter().map(|e| e.0).reduce(f64::max).unwrap_or(0.0);
        let values = all.groups.iter().map(|g| match all.input {
            d if d.is_float() => Value::Float(most(g)),
            DType::Bool => Value::Bool(most(g) != 0.0),
            _ => Value::Int(most(g) as i128),
        });
        exact(&NdArray::from_values(all.input, &all.list, values)?)
    };
    "scipy.ndimage.minimum_position" = |t| {
        let all = Groups::new(t)?;
        let first = |g: &Vec<(f64, usize)>| {
            g.iter().fold(None, |best: Option<(f64, usize)>, e| match best {
                Some(b) if b.0 <= e.0 => Some(b),
                _ => Some(*e),
            })
        };
        let at = all.groups.iter().map(|g| Value::Int(first(g).map_or(0, |e| e.1 as i128)));
        NdArray::from_values(DType::I64, &all.list, at)?
    };
    "scipy.ndimage.distance_transform_edt" = |t| {
        let sampling: f64 = t.get("sampling")?;
        let result = distances(t.get("input")?, "euclidean", sampling, f64::NAN, DType::F64)?;
        let bounds = result.values().iter().map(|v| 4.0 * f64::EPSILON * v.float()).collect();
        Bounded { result, bounds }
    };
    "scipy.ndimage.distance_transform_cdt" = |t| {
        let metric: &str = t.get("metric")?;
        if metric == "euclidean" {
            fail(ErrorKind::Value, "the metric is taxicab or chessboard")?;
        }
        distances(t.get("input")?, metric, 1.0, -1.0, DType::I32)?
    };
    "scipy.ndimage.distance_transform_bf" = |t| {
        let metric: &str = t.get("metric")?;
        let is_float = metric == "euclidean";
        let dtype = if is_float { DType::F64 } else { DType::U32 };
        let without = if is_float { f64::MAX.sqrt() } else { f64::from(u32::MAX) };
        distances(t.get("input")?, metric, 1.0, without, dtype)?
    };
}
