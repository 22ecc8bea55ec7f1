//! How far a result may be off, found from the case: from the matrix for maps, from the operands for what adds up.

use cuprum_kernels::DType;

use crate::case::Case;
use crate::judge::Allowance;
use crate::matrix::{Matrix, Model, Op, OpKind};
use crate::operand::Input;
use crate::outcome::{Number, Outcome, Tensor};
use crate::ulp;

/// The allowance for a case whose reference result is `want`.
pub fn allowance(matrix: &Matrix, op: &Op, case: &Case, inputs: &[Input], want: &Outcome) -> Allowance {
    let tolerance = matrix.tolerance(op);
    let Outcome::Array(want) = want else { return Allowance::default() };
    let operand = |k: usize| match inputs.get(k) {
        Some(Input::Array(placed)) => Some(&placed.logical),
        _ => None,
    };
    let inexact = want.dtype.is_float() || want.dtype.is_complex();
    let bounds = match (op.kind, tolerance.model) {
        (OpKind::Creation, _) if op.name == "empty" => Some(vec![f64::INFINITY; want.size()]),
        (_, Model::Ulp) => None,
        _ if !inexact => None,
        (_, Model::Dot) => operand(0).zip(operand(1)).map(|(a, b)| dot(a, b, want)),
        (_, model) => operand(0).map(|a| reduced(model, a, case, want)),
    };
    let ulp = tolerance.ulp(want.dtype);
    Allowance { ulp, complex: tolerance.complex, bounds }
}

/// The dtype in which sums and products of this dtype are kept.
fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other.real(),
    }
}

/// The magnitude of an element, as the result's dtype holds it.
fn magnitude(x: Number, dtype: DType) -> f64 {
    let (re, im) = Number::decode(dtype, &x.encode(dtype)).parts();
    if re.is_nan() || im.is_nan() { f64::NAN } else { re.hypot(im) }
}

/// The position in the result of each element of the operand, and how many elements meet in each.
fn groups(shape: &[usize], axes: &[usize], results: usize) -> (Vec<usize>, usize) {
    let mut to = vec![0];
    for (axis, n) in shape.iter().enumerate() {
        let keep = !axes.contains(&axis);
        to = to.iter().flat_map(|t| (0..*n).map(move |i| if keep { t * n + i } else { *t })).collect();
    }
    let each = to.len().checked_div(results).unwrap_or(0);
    (to, each)
}

fn reduced(model: Model, a: &Tensor, case: &Case, want: &Tensor) -> Vec<f64> {
    let ndim = a.shape.len() as i64;
    let axes: Vec<usize> = match case.params.integers("axis") {
        Ok(Some(axes)) => axes.iter().map(|x| (if *x < 0 { x + ndim } else { *x }) as usize).collect(),
        _ => (0..a.shape.len()).collect(),
    };
    let (to, n) = groups(&a.shape, &axes, want.size());
    let acc = accumulator(want.dtype);
    let u = ulp::roundoff(acc);
    let complex = if want.dtype.is_complex() { 3.0 } else { 1.0 };
    let rounding = |i: usize| {
        let (re, im) = want.get(i).parts();
        ulp::unit(want.dtype, re.hypot(im).min(ulp::max(want.dtype)))
    };
    let mut totals = vec![Total::default(); want.size()];
    for (k, i) in to.iter().enumerate() {
        totals[*i].add(magnitude(a.get(k), want.dtype));
    }
    let bound = |(i, total): (usize, &Total)| {
        let (least, most) = ulp::exponents(acc);
        match model {
            // What overflows in one order and not in another has no defined result.
            Model::Product if total.nan => 0.0,
            Model::Product if want.dtype.is_complex() && total.infinite => f64::INFINITY,
            Model::Product if total.up >= most - 1.0 || total.down <= least + 1.0 => f64::INFINITY,
            Model::Product => n as f64 * u * complex * modulus(want.get(i)) + rounding(i),
            _ if total.sum > ulp::max(acc) => f64::INFINITY,
            Model::Mean if n > 0 => total.sum * u * (n as f64 + 1.0) / n as f64 + rounding(i),
            _ => total.sum * u * n as f64 + rounding(i),
        }
    };
    totals.iter().enumerate().map(bound).collect()
}

fn modulus(x: Number) -> f64 {
    let (re, im) = x.parts();
    let m = re.hypot(im);
    if m.is_finite() { m } else { 0.0 }
}

/// What the bound of one result needs to know of the elements that meet in it.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    /// The sum of the finite magnitudes.
    sum: f64,
    /// The sum of the exponents above 0, and of those below.
    up: f64,
    down: f64,
    nan: bool,
    infinite: bool,
}

impl Total {
    fn add(&mut self, magnitude: f64) {
        self.nan |= magnitude.is_nan();
        self.infinite |= magnitude.is_infinite();
        if magnitude.is_finite() {
            self.sum += magnitude;
            if magnitude > 0.0 {
                self.up += magnitude.log2().max(0.0);
                self.down += magnitude.log2().min(0.0);
            }
        }
    }
}

/// The bounds of a matrix product: (m, k) by (k, n).
fn dot(a: &Tensor, b: &Tensor, want: &Tensor) -> Vec<f64> {
    let ([m, k], [_, n]) = (a.shape.as_slice(), b.shape.as_slice()) else { return vec![] };
    let acc = accumulator(want.dtype);
    let terms = *k as f64 * if want.dtype.is_complex() { 4.0 } else { 1.0 } + 1.0;
    let bound = |i: usize| {
        let (row, column) = (i / n, i % n);
        let term = |j: usize| magnitude(a.get(row * k + j), want.dtype) * magnitude(b.get(j * n + column), want.dtype);
        let total: f64 = (0..*k).map(term).filter(|x| x.is_finite()).sum();
        if total > ulp::max(acc) {
            f64::INFINITY
        } else {
            total * terms * ulp::roundoff(acc) + ulp::unit(want.dtype, total)
        }
    };
    (0..m * n).map(bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Layout;
    use crate::operand::place;
    use crate::random::Rng;
    use crate::text::Shape;

    fn row(dtype: DType, values: &[f64]) -> Tensor {
        Tensor::packed(dtype, &[values.len()], values.iter().flat_map(|x| Number::Float(*x).encode(dtype)).collect())
    }

    fn allowed(id: &str, a: Tensor, want: Tensor) -> Option<Vec<f64>> {
        let matrix = Matrix::built_in().unwrap();
        let case = Case::parse(id, &matrix).unwrap();
        let placed = place(a.dtype, &Shape(a.shape), Layout::C, &a.bytes, &mut Rng::new(0, ""));
        let op = matrix.op(&case.op).unwrap();
        allowance(&matrix, op, &case, &[Input::Array(Box::new(placed))], &Outcome::Array(want)).bounds
    }

    #[test]
    fn elements_are_grouped_as_the_axes_say() {
        assert_eq!(groups(&[2, 3], &[0], 3), (vec![0, 1, 2, 0, 1, 2], 2));
        assert_eq!(groups(&[2, 3], &[1], 2), (vec![0, 0, 0, 1, 1, 1], 3));
        assert_eq!(groups(&[2, 3], &[0, 1], 1), (vec![0; 6], 6));
        assert_eq!(groups(&[0, 3], &[0], 3), (vec![], 0));
    }

    #[test]
    fn sums_are_bounded_by_their_magnitudes() {
        let want = Tensor::packed(DType::F32, &[], Number::Float(0.0).encode(DType::F32));
        let bounds = allowed("reduction/sum/f32/(3,)/C/small", row(DType::F32, &[1e6, -1e6, 1.0]), want).unwrap();
        let u = 2f64.powi(-24);
        assert!(bounds[0] > 2e6 * u && bounds[0] < 8e6 * u, "{bounds:?}");
    }

    #[test]
    fn what_may_overflow_in_some_order_is_not_defined() {
        let max = f64::from(f32::MAX);
        let want = || Tensor::packed(DType::F32, &[], Number::Float(max).encode(DType::F32));
        let sum = allowed("reduction/sum/f32/(3,)/C/small", row(DType::F32, &[max, max, -max]), want());
        assert_eq!(sum, Some(vec![f64::INFINITY]));
        let prod = allowed("reduction/prod/f32/(3,)/C/small", row(DType::F32, &[1e30, 1e30, 1e-30]), want());
        assert_eq!(prod, Some(vec![f64::INFINITY]));
    }
}
