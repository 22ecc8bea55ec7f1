//! The arrays of a case in addition to its operands: `out` and `where`, as its parameters describe them.
//!
//! `out=f64`, `out=f32/strided`, `out=i32/C/more` (with an additional leading axis), `out=f64/C/(7,)` (this shape,
//! whether it matches or not); `out=self` is the first operand itself, `out=shifted` a view of the first operand's
//! buffer, shifted by one element, and `out=turned` the first operand with its axes reversed, (words: allow)
//! `out=second` is the second operand itself, and `out=mask` the mask. `where=1` is a mask of the operands' common shape, `where=(3,)` one
//! of this shape, `where=i8` an array that is not boolean.

use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand, Setting, ValueSet};
use crate::matrix::Op;
use crate::operand::{Input, Placed, beside, elements, lay_out, shifted, transposed};
use crate::random::Rng;
use crate::text::Shape;

/// The name in case ids of the first operand with its axes reversed.
pub(crate) const TRANSPOSED: &str = "turned"; // words: allow

/// The destination of the result.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A new array.
    New,
    /// An operand itself, or the mask: the input at this index.
    Own(usize),
    /// Another view of the first operand's buffer.
    Shifted(&'a Placed),
    /// A separate array.
    Given(&'a Placed),
}

/// The inputs of a case by their roles.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The operands.
    pub operands: &'a [Input],
    /// The destination of the result.
    pub out: Target<'a>,
    /// The mask.
    pub mask: Option<&'a Placed>,
}

/// Returns the index among the inputs of the array that `out` names.
pub fn own(op: &Op, out: &str) -> Option<usize> {
    match out {
        "self" => Some(0),
        "second" => Some(1),
        "mask" => Some(op.operands),
        _ => None,
    }
}

/// Splits the inputs of a case by their roles.
pub fn parts<'a>(op: &Op, case: &Case, inputs: &'a [Input]) -> Parts<'a> {
    let (operands, extra) = inputs.split_at(op.operands.min(inputs.len()));
    let mut extra = extra.iter().filter_map(|input| match input {
        Input::Array(placed) => Some(placed.as_ref()),
        Input::Scalar(_) => None,
    });
    let out = match case.params.get("out") {
        None => Target::New,
        Some("shifted" | TRANSPOSED) => extra.next().map_or(Target::New, Target::Shifted),
        Some(text) => match own(op, text) {
            Some(index) => Target::Own(index),
            None => extra.next().map_or(Target::New, Target::Given),
        },
    };
    Parts { operands, out, mask: extra.next() }
}

/// Appends the arrays that the parameters of a case request to its operands.
///
/// # Errors
/// A message, if a parameter does not parse.
pub fn append(case: &Case, inputs: &mut Vec<Input>, rng: &mut Rng) -> Result<(), String> {
    let setting = Setting::named(&case.params);
    if setting.is_one_buffer()
        && let [Input::Array(first), Input::Array(second), ..] = &mut inputs[..]
    {
        let by = if setting == Setting::Apart { first.base.size() } else { 1 };
        (**first, **second) = beside(first, second, by);
    }
    let mask = case.params.get("where").map(|text| described(text, &together(case, None), DType::Bool)).transpose()?;
    match case.params.get("out") {
        None | Some("self" | "second" | "mask") => {}
        Some("shifted") => {
            if let Some(Input::Array(first)) = inputs.first_mut() {
                let (operand, out) = shifted(first, rng);
                **first = operand;
                inputs.push(Input::Array(Box::new(out)));
            }
        }
        Some(TRANSPOSED) => {
            if let Some(Input::Array(first)) = inputs.first() {
                inputs.push(Input::Array(Box::new(transposed(first))));
            }
        }
        Some(text) => {
            let fits = result_shape(case, mask.as_ref().map(|(_, _, shape)| shape))?;
            let (dtype, layout, shape) = described(text, &fits, DType::Bool)?;
            inputs.push(array(dtype, layout, &shape, rng));
        }
    }
    if let Some((dtype, layout, shape)) = mask {
        inputs.push(array(dtype, layout, &shape, rng));
    }
    Ok(())
}

fn array(dtype: DType, layout: Layout, shape: &Shape, rng: &mut Rng) -> Input {
    let layout = if layout.applies(shape) { layout } else { Layout::C };
    Input::Array(Box::new(lay_out(dtype, shape, layout, &elements(dtype, shape, ValueSet::Small, rng), rng)))
}

/// Parses `f32/strided/more`; defaults are `dtype`, C order and the shape `fits`.
fn described(text: &str, fits: &Shape, dtype: DType) -> Result<(DType, Layout, Shape), String> {
    let (mut dtype, mut layout, mut shape) = (dtype, Layout::C, fits.clone());
    for part in text.split('/') {
        match part {
            "1" => {}
            "more" => shape.0.insert(0, 2),
            _ if part.starts_with('(') => shape = part.parse()?,
            // `F` and `C` are memory orders here, though in NumPy they are complex dtypes too.
            _ => match (part.parse(), part.parse()) {
                (Ok(l), _) => layout = l,
                (_, Ok(d)) => dtype = d,
                _ => return Err(format!("`{part}` of `{text}` is no dtype, layout or shape")),
            },
        }
    }
    Ok((dtype, layout, shape))
}

fn shapes(case: &Case) -> Vec<&Shape> {
    let mut out = vec![];
    for operand in &case.operands {
        if let Operand::Array { shape, .. } = operand {
            out.push(shape);
        }
    }
    out
}

/// Returns the broadcast shape of the operands and a mask; any shape if they do not broadcast.
fn together(case: &Case, mask: Option<&Shape>) -> Shape {
    let all: Vec<&Shape> = shapes(case).into_iter().chain(mask).collect();
    let mut out = vec![1; all.iter().map(|s| s.ndim()).max().unwrap_or(0)];
    for shape in all {
        for (slot, n) in out.iter_mut().rev().zip(shape.0.iter().rev()) {
            if *n != 1 {
                *slot = *n;
            }
        }
    }
    Shape(out)
}

/// Returns the shape of the result, by the kind of operation.
fn result_shape(case: &Case, mask: Option<&Shape>) -> Result<Shape, String> {
    let shapes = shapes(case);
    // Functions that are no methods reduce all axes by default.
    let reduces = matches!(case.family.as_str(), "reduction" | "statistics");
    if let [a, b] = shapes[..]
        && let Some(shape) = product_shape(case, a, b)?
    {
        return Ok(shape);
    }
    let method = case.op.split_once('.').map_or(if reduces { "reduce" } else { "" }, |(_, method)| method);
    Ok(match method {
        "outer" => Shape(shapes.iter().flat_map(|s| s.0.iter().copied()).collect()),
        "reduce" => {
            let ndim = shapes[0].ndim() as i64;
            let axes = match case.params.get("axis") {
                Some("None") => (0..ndim).collect(),
                None if reduces => (0..ndim).collect(),
                _ => case.params.integers("axis")?.unwrap_or(vec![0]),
            };
            let is_reduced = |axis: usize| axes.iter().any(|a| a.rem_euclid(ndim.max(1)) == axis as i64);
            let keepdims = case.params.get("keepdims") == Some("1");
            let size = |(axis, n): (usize, &usize)| match is_reduced(axis) {
                true if keepdims => Some(1),
                true => None,
                false => Some(*n),
            };
            Shape(shapes[0].0.iter().enumerate().filter_map(size).collect())
        }
        "reduceat" => {
            let ndim = shapes[0].ndim() as i64;
            let axis = case.params.integers("axis")?.map_or(0, |axes| axes[0]);
            let count = case.params.integers("indices")?.unwrap_or_default().len();
            let of_axis = |k: usize| ndim > 0 && k as i64 == axis.rem_euclid(ndim);
            Shape(shapes[0].0.iter().enumerate().map(|(k, n)| if of_axis(k) { count } else { *n }).collect())
        }
        _ => together(case, mask),
    })
}

/// Returns the shape of a product of vectors or matrices in the last axes, or of vectors along `axis`; `None` for other
/// operations.
fn product_shape(case: &Case, a: &Shape, b: &Shape) -> Result<Option<Shape>, String> {
    let name = case.op.split_once('.').map_or("", |(name, _)| name);
    let [ones, twos] = match name {
        "matmul" => [a.ndim().min(2), b.ndim().min(2)],
        "vecdot" => [1, 1],
        "matvec" => [2, 1],
        "vecmat" => [1, 2],
        "outer" => return Ok(Some(Shape([a, b].map(|s| s.0.iter().product()).to_vec()))),
        _ => return Ok(None),
    };
    if a.ndim() < ones || b.ndim() < twos {
        return Ok(Some(a.clone()));
    }
    let axis = case.params.integers("axis")?.map_or(-1, |axes| axes[0]);
    let front = |s: &Shape, count: usize| {
        let mut all = s.0.clone();
        match name {
            "vecdot" => drop(all.remove(axis.rem_euclid(s.ndim() as i64) as usize)),
            _ => all.truncate(s.ndim() - count),
        }
        all
    };
    let (left, right) = (front(a, ones), front(b, twos));
    let ndim = left.len().max(right.len());
    let at = |s: &[usize], k: usize| (k + s.len()).checked_sub(ndim).map_or(1, |k| s[k]);
    let mut shape: Vec<usize> =
        (0..ndim).map(|k| if at(&left, k) == 1 { at(&right, k) } else { at(&left, k) }).collect();
    shape.extend((ones == 2).then(|| a.0[a.ndim() - 2]));
    shape.extend((twos == 2).then(|| b.0[b.ndim() - 1]));
    if case.params.get("keepdims") == Some("1") {
        shape.insert(axis.rem_euclid(ndim as i64 + 1) as usize, 1);
    }
    Ok(Some(Shape(shape)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::operand::inputs;

    fn placed(id: &str) -> Vec<Placed> {
        let case = Case::parse(id, &Matrix::built_in().unwrap()).unwrap();
        let placed = |input| if let Input::Array(placed) = input { Some(*placed) } else { None };
        inputs(&case, 1).unwrap().into_iter().filter_map(placed).collect()
    }

    #[test]
    fn what_is_written_to_has_the_shape_of_the_result() {
        let shapes = |id: &str| placed(id).into_iter().map(|p| p.logical.shape).collect::<Vec<_>>();
        let id = "options/add.call/f32-f32/(3,1)x(4,)/C-C/small/out=f32/strided/more;where=1";
        assert_eq!(shapes(id)[2..], [vec![2, 3, 4], vec![3, 4]]);
        let id = "methods/subtract.reduce/f32/(2,3,4)/C/small/out=f64;axis=-1;keepdims=1;where=(4,)";
        assert_eq!(shapes(id)[1..], [vec![2, 3, 1], vec![4]]);
        assert_eq!(shapes("methods/subtract.outer/u8-u8/(2,)x(3,4)/C-C/small/out=u8")[2], [2, 3, 4]);
        assert_eq!(shapes("options/add.call/f32-f32/(2,)x(3,)/C-C/small/out=f32/C/(7,)")[2], [7]);
    }

    #[test]
    fn a_shifted_result_begins_one_element_later_in_the_same_buffer() {
        let [a, _, out] = &placed("options/add.call/i16-i16/(2,3)x(3,)/F-C/small/out=shifted")[..] else { panic!() };
        assert_eq!((a.offset + 2, &a.base), (out.offset, &out.base));
        assert_eq!((&a.logical.strides, &a.logical.shape), (&out.logical.strides, &out.logical.shape));
    }
}
