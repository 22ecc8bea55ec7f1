//! Splitting, flipping and rotating: views of the array.

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{axis_index, c_order};
use crate::core::value::Value;
use crate::table::{Argument, Arguments, Fault, counterparts};

/// A number of parts, or their start indices.
enum Sections {
    Count(isize),
    At(Vec<isize>),
}

fn sections(t: &Arguments) -> std::result::Result<Sections, Fault> {
    match t.get("indices_or_sections")? {
        Argument::Scalar(Value::Int(n)) => Ok(Sections::Count(n as isize)),
        Argument::Integers(at) => Ok(Sections::At(at)),
        other => Err(Fault::Misuse(format!("{other:?} says not where to cut"))),
    }
}

/// Returns the part of an axis between two bounds, as in a Python slice.
pub(crate) fn part(a: &NdArray, axis: usize, from: Option<isize>, to: Option<isize>) -> Result<NdArray> {
    let mut index = vec![Index::Slice(None, None, None); axis];
    index.push(Index::Slice(from, to, None));
    a.index(&index)
}

fn length(a: &NdArray, axis: isize) -> Result<(usize, isize)> {
    match axis_index(axis, a.ndim()) {
        Ok(axis) => Ok((axis, a.shape()[axis] as isize)),
        Err(_) => fail(ErrorKind::Index, "tuple index out of range"),
    }
}

fn array_split(a: &NdArray, sections: &Sections, axis: isize) -> Result<Vec<NdArray>> {
    let (axis, n) = length(a, axis)?;
    let mut bounds = vec![0];
    match sections {
        Sections::Count(count) if *count <= 0 => {
            return fail(ErrorKind::Value, "number sections must be larger than 0");
        }
        Sections::Count(count) => {
            for k in 0..*count {
                bounds.push(bounds[k as usize] + n / count + isize::from(k < n % count));
            }
        }
        Sections::At(at) => bounds.extend(at.iter().copied().chain([n])),
    }
    bounds.windows(2).map(|b| part(a, axis, Some(b[0]), Some(b[1]))).collect()
}

fn split(a: &NdArray, sections: &Sections, axis: isize) -> Result<Vec<NdArray>> {
    if let Sections::Count(count) = *sections {
        let (_, n) = length(a, axis)?;
        if count == 0 {
            return fail(ErrorKind::ZeroDivision, "integer modulo by zero");
        }
        if n % count != 0 {
            return fail(ErrorKind::Value, "array split does not result in an equal division");
        }
    }
    array_split(a, sections, axis)
}

fn split_of(a: &NdArray, sections: &Sections, needed: usize, axis: isize) -> Result<Vec<NdArray>> {
    if a.ndim() < needed {
        return fail(ErrorKind::Value, format!("only arrays of {needed} or more dimensions are split so"));
    }
    split(a, sections, axis)
}

fn unstack(x: &NdArray, axis: isize) -> Result<Vec<NdArray>> {
    if x.ndim() == 0 {
        return fail(ErrorKind::Value, "Input array must be at least 1-d.");
    }
    let axis = axis_index(axis, x.ndim())?;
    let at = |k: usize| {
        let mut index = vec![Index::Slice(None, None, None); axis];
        index.push(Index::At(k as isize));
        x.index(&index)
    };
    (0..x.shape()[axis]).map(at).collect()
}

/// Reverses axes of the array.
fn backwards(m: &NdArray, axes: &[usize]) -> Result<NdArray> {
    let step = |x: usize| Index::Slice(None, None, axes.contains(&x).then_some(-1));
    m.index(&(0..m.ndim()).map(step).collect::<Vec<_>>())
}

fn flipped(m: &NdArray, needed: usize) -> Result<NdArray> {
    if m.ndim() < needed {
        return fail(ErrorKind::Value, format!("Input must be >= {needed}-d."));
    }
    backwards(m, &[needed - 1])
}

fn rot90(m: &NdArray, k: isize, axes: &[isize]) -> Result<NdArray> {
    let ndim = m.ndim() as isize;
    let &[first, second] = axes else { return fail(ErrorKind::Value, "len(axes) must be 2.") };
    if first == second || (first - second).abs() == ndim {
        return fail(ErrorKind::Value, "Axes must be different.");
    }
    let (Ok(one), Ok(other)) = (axis_index(first, m.ndim()), axis_index(second, m.ndim())) else {
        return fail(ErrorKind::Value, "the axes are out of range");
    };
    let mut rotated = m.clone();
    for _ in 0..k.rem_euclid(4) {
        // A rotation by 90 degrees: the second axis reversed, and the two axes exchanged.
        rotated = backwards(&rotated, &[other])?.swapaxes(one as isize, other as isize)?;
    }
    Ok(rotated)
}

fn rollaxis(a: &NdArray, axis: isize, start: isize) -> Result<NdArray> {
    let n = a.ndim() as isize;
    let axis = axis_index(axis, a.ndim())?;
    let start = if start < 0 { start + n } else { start };
    if !(0..=n).contains(&start) {
        return fail(ErrorKind::Axis, "'start' is out of range");
    }
    let mut axes = c_order(a.ndim());
    axes.remove(axis);
    let start = start as usize;
    axes.insert(if axis < start { start - 1 } else { start }, axis);
    a.transpose(Some(&axes.iter().map(|&x| x as isize).collect::<Vec<_>>()))
}

counterparts! {
    "numpy.split" = |t| split(t.get("ary")?, &sections(t)?, t.or("axis", 0)?);
    "numpy.array_split" = |t| array_split(t.get("ary")?, &sections(t)?, t.or("axis", 0)?);
    "numpy.hsplit" = |t| {
        let a: &NdArray = t.get("ary")?;
        split_of(a, &sections(t)?, 1, if a.ndim() > 1 { 1 } else { 0 })
    };
    "numpy.vsplit" = |t| split_of(t.get("ary")?, &sections(t)?, 2, 0);
    "numpy.dsplit" = |t| split_of(t.get("ary")?, &sections(t)?, 3, 2);
    "numpy.unstack" = |t| unstack(t.get("x")?, t.or("axis", 0)?);
    "numpy.fliplr" = |t| flipped(t.get("m")?, 2);
    "numpy.flipud" = |t| flipped(t.get("m")?, 1);
    "numpy.rot90" = |t| rot90(t.get("m")?, t.or("k", 1)?, &t.or("axes", vec![0isize, 1])?);
    "numpy.rollaxis" = |t| rollaxis(t.get("a")?, t.get("axis")?, t.or("start", 0)?);
    "numpy.permute_dims" = |t| t.get::<&NdArray>("a")?.transpose(t.get::<Option<Vec<isize>>>("axes")?.as_deref());
    "numpy.matrix_transpose" = |t| {
        let x: &NdArray = t.get("x")?;
        if x.ndim() < 2 {
            return Err(crate::core::error::OracleError::new(ErrorKind::Value, "at least 2 dimensions are needed").into());
        }
        x.swapaxes(-1, -2)
    };
}
