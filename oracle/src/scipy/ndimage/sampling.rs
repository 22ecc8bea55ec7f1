//! Splines and their values at coordinates: the B-splines of an axis are evaluated one by one, and the coefficients solve a dense system.

use cuprum_kernels::DType;

use super::{continued, exact};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::value::{Value, int_range, ulp};
use crate::numpy::searching::multi_indices;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, Fault, counterparts};

/// Elements by which SciPy continues samples whose spline has no boundary condition in closed form.
const PAD: usize = 12;

/// The centred B-spline of an order at x, by the recurrence over its definition as differences of powers.
fn basis(order: i64, x: f64) -> f64 {
    // The interval that contains a knot is the one after it.
    let half = (order + 1) as f64 / 2.0;
    if order == 0 {
        return f64::from(u8::from((-0.5..0.5).contains(&x)));
    }
    ((half + x) * basis(order - 1, x + 0.5) + (half - x) * basis(order - 1, x - 0.5)) / order as f64
}

/// Solves a dense system with the columns of `rhs`, by elimination with the largest pivot.
fn solve(mut matrix: Vec<Vec<f64>>, mut rhs: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs())).unwrap_or(k);
        matrix.swap(k, pivot);
        rhs.swap(k, pivot);
        for r in 0..n {
            if r != k && matrix[r][k] != 0.0 {
                let factor = matrix[r][k] / matrix[k][k];
                for c in k..n {
                    matrix[r][c] -= factor * matrix[k][c];
                }
                for c in 0..rhs[r].len() {
                    rhs[r][c] -= factor * rhs[k][c];
                }
            }
        }
    }
    for k in 0..n {
        let pivot = matrix[k][k];
        rhs[k].iter_mut().for_each(|x| *x /= pivot);
    }
    rhs
}

/// Numbers of an array in C order.
#[derive(Clone)]
struct Numbers {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Numbers {
    fn at(&self, index: &[usize]) -> f64 {
        self.values[index.iter().zip(&self.shape).fold(0, |sum, (i, n)| sum * n + i)]
    }

    /// Replaces each line along an axis.
    fn lines(&self, axis: usize, length: usize, run: impl Fn(Vec<Vec<f64>>) -> Vec<Vec<f64>>) -> Numbers {
        let mut others = self.shape.clone();
        others[axis] = 1;
        let positions = multi_indices(&others);
        // Rows are positions along the axis, columns are lines.
        let rows = (0..self.shape[axis]).map(|i| {
            let at = |position: &Vec<usize>| {
                let mut position = position.clone();
                position[axis] = i;
                self.at(&position)
            };
            positions.iter().map(at).collect()
        });
        let result = run(rows.collect());
        let mut shape = self.shape.clone();
        shape[axis] = length;
        let column = |index: &Vec<usize>| {
            let mut position = index.clone();
            position[axis] = 0;
            position.iter().zip(&others).fold(0, |sum, (i, n)| sum * n + i)
        };
        let values = multi_indices(&shape).iter().map(|index| result[index[axis]][column(index)]).collect();
        Numbers { shape, values }
    }
}

/// The rule by which samples, or coefficients, continue beyond the ends.
fn rule_of(mode: &str, samples: bool) -> &'static str {
    match mode {
        "reflect" => "reflect",
        "nearest" if samples => "reflect",
        "nearest" => "nearest",
        "grid-wrap" => "wrap",
        "grid-constant" if !samples => "constant",
        _ => "mirror",
    }
}

/// Returns the coefficients of the spline along an axis.
fn coefficients(a: &Numbers, axis: usize, order: i64, mode: &str) -> Numbers {
    let n = a.shape[axis];
    if order < 2 || n < 2 {
        return a.clone();
    }
    let mut matrix = vec![vec![0.0; n]; n];
    for (i, row) in matrix.iter_mut().enumerate() {
        for k in -3..=3i64 {
            if let Some(j) = continued(i as i64 + k, n as i64, rule_of(mode, true)) {
                row[j] += basis(order, k as f64);
            }
        }
    }
    a.lines(axis, n, |rows| solve(matrix.clone(), rows))
}

/// Maps a coordinate into an axis; `None` where the result is the constant.
fn settled(c: f64, n: usize, mode: &str) -> Option<f64> {
    let last = n as f64 - 1.0;
    if (0.0..=last).contains(&c) {
        return Some(c);
    }
    let folded = |c: f64, low: f64, period: f64| {
        let r = (c - low).rem_euclid(period);
        low + if r <= period / 2.0 { r } else { period - r }
    };
    match mode {
        "constant" => None,
        "nearest" => Some(c.clamp(-(PAD as f64), last + PAD as f64)),
        "grid-constant" => Some(c),
        _ if n == 1 => Some(0.0),
        "mirror" => Some(folded(c, 0.0, 2.0 * last)),
        "reflect" => Some(folded(c, -0.5, 2.0 * last + 2.0)),
        "wrap" => Some(c.rem_euclid(last)),
        _ => Some((c + 0.5).rem_euclid(last + 1.0) - 0.5),
    }
}

struct Spline<'a> {
    order: i64,
    mode: &'a str,
    cval: f64,
    prefilter: bool,
}

impl<'a> Spline<'a> {
    fn new(t: &'a Arguments) -> std::result::Result<Spline<'a>, Fault> {
        let order = t.or("order", 3)?;
        if !(0..=5).contains(&order) {
            fail(ErrorKind::Value, "the order is from 0 to 5")?;
        }
        Ok(Spline {
            order,
            mode: t.or("mode", "constant")?,
            cval: t.or("cval", 0.0)?,
            prefilter: t.or("prefilter", true)?,
        })
    }

    /// Returns the values at coordinates along `axes`; others are those of the result.
    fn sampled(
        &self,
        a: &NdArray,
        axes: &[usize],
        shape: &[usize],
        coordinates: &dyn Fn(&[usize]) -> Vec<f64>,
    ) -> Result<Bounded> {
        if a.dtype().is_complex() {
            let parts = |re: bool| {
                let part = |v: &Value| Value::Float(if re { v.complex().re } else { v.complex().im });
                let part = NdArray::from_values(DType::F64, a.shape(), a.values().iter().map(part))?;
                Spline { cval: if re { self.cval } else { 0.0 }, ..*self }.sampled(&part, axes, shape, coordinates)
            };
            let (re, im) = (parts(true)?, parts(false)?);
            let values = re.result.values().into_iter().zip(im.result.values());
            let values = values.map(|(re, im)| Value::Complex(num_complex::Complex64::new(re.float(), im.float())));
            let result = NdArray::from_values(DType::C128, shape, values)?.astype(a.dtype(), Order::C);
            let own = a.dtype().real();
            let size = |v: &Value| v.complex().re.abs().max(v.complex().im.abs());
            let bounds = re.bounds.iter().zip(&im.bounds).zip(result.values());
            return Ok(Bounded { bounds: bounds.map(|((x, y), v)| x.max(*y) + ulp(size(&v), own)).collect(), result });
        }
        let samples = Numbers { shape: a.shape().to_vec(), values: a.values().iter().map(|v| v.float()).collect() };
        if axes.iter().any(|d| a.shape()[*d] == 0) {
            return converted(&vec![self.cval; shape.iter().product()], 0.0, a.dtype(), shape);
        }
        let padded = self.prefilter && self.order > 1 && matches!(self.mode, "nearest" | "grid-constant");
        let pad = if padded { PAD } else { 0 };
        let mut all = samples;
        if padded {
            let border = if self.mode == "nearest" { "nearest" } else { "constant" };
            for &axis in axes {
                let n = all.shape[axis];
                let row = |rows: &Vec<Vec<f64>>, i: usize| match continued(i as i64 - PAD as i64, n as i64, border) {
                    Some(k) => rows[k].clone(),
                    None => vec![self.cval; rows[0].len()],
                };
                all = all.lines(axis, n + 2 * PAD, |rows| (0..n + 2 * PAD).map(|i| row(&rows, i)).collect());
            }
        }
        if self.prefilter {
            for &axis in axes {
                all = coefficients(&all, axis, self.order, self.mode);
            }
        }
        let rule = rule_of(self.mode, false);
        let value = |index: &Vec<usize>| {
            let mut c = coordinates(index);
            for (c, &axis) in c.iter_mut().zip(axes) {
                match settled(*c, a.shape()[axis], self.mode) {
                    Some(inside) => *c = inside + pad as f64,
                    None => return self.cval,
                }
            }
            // The first tap of each axis.
            let odd = self.order % 2 == 1;
            let first: Vec<i64> =
                c.iter().map(|c| (if odd { *c } else { c + 0.5 }).floor() as i64 - self.order / 2).collect();
            let taps = vec![self.order as usize + 1; axes.len()];
            let mut sum = 0.0;
            for tap in multi_indices(&taps) {
                let (mut weight, mut position, mut outside) = (1.0, index.clone(), false);
                position.truncate(all.shape.len());
                position.resize(all.shape.len(), 0);
                for (k, &axis) in axes.iter().enumerate() {
                    let at = first[k] + tap[k] as i64;
                    // A coordinate between two elements belongs to the later one for order 0.
                    weight *= if self.order == 0 { 1.0 } else { basis(self.order, c[k] - at as f64) };
                    match continued(at, all.shape[axis] as i64, rule) {
                        Some(i) => position[axis] = i,
                        None => outside = true,
                    }
                }
                sum += weight * if outside { self.cval } else { all.at(&position) };
            }
            sum
        };
        let values: Vec<f64> = multi_indices(shape).iter().map(value).collect();
        // The inverse of the matrix of an axis is at most 7.5 in the largest row sum; each of the few operations on an axis rounds,
        // and coordinates are rounded to their size.
        let largest = all.values.iter().chain([&self.cval]).fold(0.0f64, |m, x| m.max(x.abs()));
        let longest = a.shape().iter().max().map_or(1, |n| *n) as f64;
        converted(&values, f64::EPSILON * (64.0 + 8.0 * longest) * largest * axes.len() as f64, a.dtype(), shape)
    }
}

/// Rounds values to the dtype of a result: integers to the nearest, and ties away from 0.
fn converted(values: &[f64], error: f64, dtype: DType, shape: &[usize]) -> Result<Bounded> {
    let round = |v: f64| -> Value {
        if dtype.is_float() {
            return Value::Float(v);
        }
        if dtype == DType::Bool {
            return Value::Bool((v as i64) & 255 != 0);
        }
        let (low, high) = int_range(dtype);
        if low == 0 {
            return Value::Int(if v > 0.0 { ((v + 0.5) as i128).min(high) } else { 0 });
        }
        Value::Int((if v > 0.0 { v + 0.5 } else { v - 0.5 }) as i128)
    };
    let of = |by: f64| {
        NdArray::from_values(
            if dtype.is_float() { DType::F64 } else { dtype },
            shape,
            values.iter().map(|v| round(v + by)),
        )
    };
    let result = of(0.0)?.astype(dtype, Order::C);
    let ends = [of(-error)?.values(), of(error)?.values()];
    let bound = |(k, v): (usize, &f64)| {
        if dtype.is_float() {
            return error + if dtype == DType::F64 { 0.0 } else { ulp(v.abs() + error, dtype) };
        }
        let own = result.values()[k].float();
        ends.iter().map(|end| (end[k].float() - own).abs()).fold(0.0, f64::max)
    };
    let bounds = values.iter().enumerate().map(bound).collect();
    Ok(Bounded { result, bounds })
}

/// Coefficients along axes, in float64 or complex128.
fn filtered(t: &Arguments, axes: &[usize], lowest: i64) -> std::result::Result<Bounded, Fault> {
    let a: &NdArray = t.get("input")?;
    let (order, mode) = (t.or("order", 3)?, t.or("mode", "mirror")?);
    if !(lowest..=5).contains(&order) {
        fail(ErrorKind::Value, "the order is up to 5")?;
    }
    let part = |of: &dyn Fn(&Value) -> f64| {
        let mut all = Numbers { shape: a.shape().to_vec(), values: a.values().iter().map(of).collect() };
        for &axis in axes {
            all = coefficients(&all, axis, order, mode);
        }
        all.values
    };
    let re = part(&|v| v.complex().re);
    let im = if a.dtype().is_complex() { part(&|v| v.complex().im) } else { vec![0.0; re.len()] };
    let largest = re.iter().chain(&im).fold(0.0f64, |m, x| m.max(x.abs()));
    let dtype = if a.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let values = re.iter().zip(&im).map(|(re, im)| match dtype {
        DType::C128 => Value::Complex(num_complex::Complex64::new(*re, *im)),
        _ => Value::Float(*re),
    });
    let result = NdArray::from_values(dtype, a.shape(), values)?;
    if order < 2 {
        return Ok(exact(&result));
    }
    let bound = f64::EPSILON * 64.0 * largest * axes.len().max(1) as f64;
    Ok(Bounded { bounds: vec![bound; result.size()], result })
}

fn all_axes(a: &NdArray) -> Result<Vec<usize>> {
    if a.ndim() == 0 {
        return fail(ErrorKind::Value, "the input has no axis");
    }
    Ok((0..a.ndim()).collect())
}

/// Rotates the plane of the first two axes.
fn rotated(t: &Arguments) -> std::result::Result<Bounded, Fault> {
    let (a, angle): (&NdArray, f64) = (t.get("input")?, t.get("angle")?);
    let spline = Spline::new(t)?;
    if a.ndim() < 2 {
        fail(ErrorKind::Axis, "a plane has two axes")?;
    }
    let (s, c) = angle.to_radians().sin_cos();
    let (h, w) = (a.shape()[0] as f64, a.shape()[1] as f64);
    let extent = |p: f64, q: f64| {
        let ends = [0.0, p, q, p + q];
        ends.iter().fold(f64::MIN, |m, x| m.max(*x)) - ends.iter().fold(f64::MAX, |m, x| m.min(*x))
    };
    let plane = [(extent(c * h, s * w) + 0.5) as usize, (extent(-s * h, c * w) + 0.5) as usize];
    let mut shape = a.shape().to_vec();
    shape[..2].copy_from_slice(&plane);
    let centre = [(plane[0] as f64 - 1.0) / 2.0, (plane[1] as f64 - 1.0) / 2.0];
    Ok(spline.sampled(a, &[0, 1], &shape, &|index| {
        let (y, x) = (index[0] as f64 - centre[0], index[1] as f64 - centre[1]);
        vec![c * y + s * x + (h - 1.0) / 2.0, -s * y + c * x + (w - 1.0) / 2.0]
    })?)
}

counterparts! {
    "scipy.ndimage.map_coordinates" = |t| {
        let (a, at): (&NdArray, &NdArray) = (t.get("input")?, t.get("coordinates")?);
        let axes = all_axes(a)?;
        if at.ndim() < 2 || at.shape()[0] != axes.len() {
            fail(ErrorKind::Value, "the coordinates have another first axis")?;
        }
        if at.dtype().is_complex() {
            fail(ErrorKind::Type, "coordinates are real")?;
        }
        let coordinates = |index: &[usize]| {
            let of = |axis: &usize| {
                let position: Vec<usize> = std::iter::once(*axis).chain(index.iter().copied()).collect();
                at.get(&position).float()
            };
            axes.iter().map(of).collect()
        };
        Spline::new(t)?.sampled(a, &axes, &at.shape()[1..], &coordinates)?
    };
    "scipy.ndimage.affine_transform" = |t| {
        let (a, matrix): (&NdArray, &NdArray) = (t.get("input")?, t.get("matrix")?);
        let (axes, offset): (_, f64) = (all_axes(a)?, t.or("offset", 0.0)?);
        let n = axes.len();
        if matrix.shape() != [n, n] && matrix.shape() != [n] {
            fail(ErrorKind::Value, "the matrix does not fit")?;
        }
        let coordinates = |index: &[usize]| {
            let of = |r: &usize| match matrix.ndim() {
                1 => index[*r] as f64 * matrix.get(&[*r]).float() + offset,
                _ => (0..n).fold(offset, |sum, c| sum + index[c] as f64 * matrix.get(&[*r, c]).float()),
            };
            axes.iter().map(of).collect()
        };
        Spline::new(t)?.sampled(a, &axes, a.shape(), &coordinates)?
    };
    "scipy.ndimage.zoom" = |t| {
        let (a, factor): (&NdArray, f64) = (t.get("input")?, t.get("zoom")?);
        let (axes, spline) = (all_axes(a)?, Spline::new(t)?);
        let shape: Vec<usize> = a.shape().iter().map(|n| (*n as f64 * factor).round_ties_even() as usize).collect();
        let scale = |d: &usize| match shape[*d] {
            1 => 1.0,
            m => (a.shape()[*d] as f64 - 1.0) / (m as f64 - 1.0),
        };
        let scales: Vec<f64> = axes.iter().map(scale).collect();
        spline.sampled(a, &axes, &shape, &|index| index.iter().zip(&scales).map(|(i, s)| *i as f64 * s).collect())?
    };
    "scipy.ndimage.shift" = |t| {
        let (a, shift): (&NdArray, f64) = (t.get("input")?, t.get("shift")?);
        let axes = all_axes(a)?;
        Spline::new(t)?.sampled(a, &axes, a.shape(), &|index| index.iter().map(|i| *i as f64 - shift).collect())?
    };
    "scipy.ndimage.rotate" = |t| rotated(t)?;
    "scipy.ndimage.spline_filter" = |t| {
        let a: &NdArray = t.get("input")?;
        filtered(t, &(0..a.ndim()).collect::<Vec<_>>(), 2)?
    };
    "scipy.ndimage.spline_filter1d" = |t| {
        let a: &NdArray = t.get("input")?;
        filtered(t, &[axis_index(t.or("axis", -1)?, a.ndim())?], 0)?
    };
}
