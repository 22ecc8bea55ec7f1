//! Products of vectors and matrices by `matmul`: `vdot`, `inner`, `outer`, `tensordot`, `kron`.

use crate::Operand;
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::numpy::linalg::matmul::{matmul, matmul_bound};
use crate::table::{Argument, Arguments, CallResult, counterparts};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

/// A matrix product, and the shape of the result.
struct Product {
    left: NdArray,
    right: NdArray,
    shape: Option<Vec<isize>>,
}

impl Product {
    fn result(&self) -> Result<NdArray> {
        let product = matmul(&self.left, &self.right)?;
        match &self.shape {
            Some(shape) => product.reshape(shape, Order::C),
            None => Ok(product),
        }
    }

    fn bounds(&self) -> Result<Option<Vec<f64>>> {
        matmul_bound(&self.left, &self.right).map(Some)
    }
}

fn multiplied(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    ufunc("multiply", &[Operand::Array(a), Operand::Array(b)], &UfuncOptions::default())
}

pub(super) fn conjugated(a: &NdArray) -> Result<NdArray> {
    if a.dtype().is_complex() {
        ufunc("conjugate", &[Operand::Array(a)], &UfuncOptions::default())
    } else {
        Ok(a.clone())
    }
}

fn signed(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|n| *n as isize).collect()
}

fn size(shape: &[usize]) -> isize {
    shape.iter().product::<usize>() as isize
}

fn line(a: &NdArray, shape: [isize; 2]) -> Result<NdArray> {
    a.reshape(&shape, Order::C)
}

fn vdot(a: &NdArray, b: &NdArray) -> Result<Product> {
    if a.size() != b.size() {
        return fail(ErrorKind::Value, "vdot: the operands have other sizes");
    }
    let n = a.size() as isize;
    Ok(Product { left: line(&conjugated(a)?, [1, n])?, right: line(b, [n, 1])?, shape: Some(vec![]) })
}

/// Contracts axes of `a` with axes of `b`.
fn contracted(a: &NdArray, first: &[usize], b: &NdArray, second: &[usize]) -> Result<Product> {
    if first.len() != second.len() || first.iter().zip(second).any(|(i, j)| a.shape()[*i] != b.shape()[*j]) {
        return fail(ErrorKind::Value, "shape-mismatch for sum");
    }
    let stay = |x: &NdArray, gone: &[usize]| -> Vec<usize> { (0..x.ndim()).filter(|k| !gone.contains(k)).collect() };
    let (left, right) = (stay(a, first), stay(b, second));
    let sizes = |x: &NdArray, axes: &[usize]| -> Vec<usize> { axes.iter().map(|k| x.shape()[*k]).collect() };
    let order = |axes: Vec<usize>| axes.into_iter().map(|k| k as isize).collect::<Vec<_>>();
    let k = size(&sizes(a, first));
    let rows = a.transpose(Some(&order([&left[..], first].concat())))?;
    let columns = b.transpose(Some(&order([second, &right[..]].concat())))?;
    Ok(Product {
        left: line(&rows, [size(&sizes(a, &left)), k])?,
        right: line(&columns, [k, size(&sizes(b, &right))])?,
        shape: Some(signed(&[sizes(a, &left), sizes(b, &right)].concat())),
    })
}

/// Computes NumPy's `inner`; for a 0-d operand the product with each element.
fn inner(a: &NdArray, b: &NdArray) -> Result<Product> {
    if a.ndim() == 0 || b.ndim() == 0 {
        // The product of scalars as a sum of one product.
        let (number, others) = if a.ndim() == 0 { (a, b) } else { (b, a) };
        let column = line(others, [others.size() as isize, 1])?;
        return Ok(Product { left: column, right: line(number, [1, 1])?, shape: Some(signed(others.shape())) });
    }
    contracted(a, &[a.ndim() - 1], b, &[b.ndim() - 1])
}

/// The product with a scalar has the layout of NumPy's `multiply`.
fn inner_result(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    if a.ndim() == 0 || b.ndim() == 0 { multiplied(a, b) } else { inner(a, b)?.result() }
}

/// Reads the axes that `tensordot` sums over: a number of axes, or the axes of each operand.
fn axes_of(t: &Arguments, a: &NdArray, b: &NdArray) -> CallResult<[Vec<usize>; 2]> {
    let list = |argument: &Argument| -> Option<Vec<isize>> {
        match argument {
            Argument::Integers(all) => Some(all.clone()),
            Argument::Scalar(v) => Some(vec![v.int() as isize]),
            Argument::List(all) => all
                .iter()
                .map(|one| if let Argument::Scalar(v) = one { Some(v.int() as isize) } else { None })
                .collect(),
            _ => None,
        }
    };
    let [first, second] = match t.get::<Option<Argument>>("axes")? {
        Some(Argument::List(sides)) if sides.len() == 2 => [list(&sides[0]), list(&sides[1])],
        other => {
            let count = other.and_then(|one| list(&one)).map_or(2, |all| all[0]);
            let (n, have) = (count as usize, a.ndim().min(b.ndim()));
            if n > have {
                return Ok(fail(ErrorKind::Value, "shape-mismatch for sum")?);
            }
            [Some((a.ndim() as isize - count..a.ndim() as isize).collect()), Some((0..count).collect())]
        }
    };
    let normal = |axes: Option<Vec<isize>>, x: &NdArray| -> Result<Vec<usize>> {
        let one = |axis: isize| {
            let at = if axis < 0 { axis + x.ndim() as isize } else { axis };
            if at < 0 || at >= x.ndim() as isize {
                fail(ErrorKind::Axis, "axis out of bounds")
            } else {
                Ok(at as usize)
            }
        };
        axes.unwrap_or_default().into_iter().map(one).collect()
    };
    Ok([normal(first, a)?, normal(second, b)?])
}

fn tensordot(t: &Arguments) -> CallResult<Product> {
    let (a, b): (&NdArray, &NdArray) = (t.get("a")?, t.get("b")?);
    let [first, second] = axes_of(t, a, b)?;
    Ok(contracted(a, &first, b, &second)?)
}

/// Computes NumPy's `outer`.
fn outer(a: &NdArray, b: &NdArray, out: Option<NdArray>) -> Result<NdArray> {
    let (column, row) = (line(a, [a.size() as isize, 1])?, line(b, [1, b.size() as isize])?);
    ufunc(
        "multiply",
        &[Operand::Array(&column), Operand::Array(&row)],
        &UfuncOptions { out, ..UfuncOptions::default() },
    )
}

/// Bounds the error as a sum of one product, by which complex products may be off; in `out` it is rounded once more.
fn outer_bound(a: &NdArray, b: &NdArray, out: Option<NdArray>) -> Result<Option<Vec<f64>>> {
    let bounds = matmul_bound(&line(a, [a.size() as isize, 1])?, &line(b, [1, b.size() as isize])?)?;
    let Some(out) = out else { return Ok(Some(bounds)) };
    let result = outer(a, b, Some(out))?;
    let once_more = |v: &crate::Value| match result.dtype() {
        d if d.is_complex() || d.is_float() => crate::core::value::ulp(v.complex().norm(), d),
        _ => 0.0,
    };
    Ok(Some(result.values().iter().zip(bounds.iter().cycle()).map(|(v, b)| b + once_more(v)).collect()))
}

/// Computes NumPy's `kron`: the axes of both operands interleaved.
fn kron(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    let ndim = a.ndim().max(b.ndim());
    let padded = |x: &NdArray| [vec![1; ndim - x.ndim()], x.shape().to_vec()].concat();
    let (m, n) = (padded(a), padded(b));
    let one: Vec<isize> = m.iter().flat_map(|m| [*m as isize, 1]).collect();
    let two: Vec<isize> = n.iter().flat_map(|n| [1, *n as isize]).collect();
    let product = multiplied(&a.reshape(&one, Order::C)?, &b.reshape(&two, Order::C)?)?;
    product.reshape(&m.iter().zip(&n).map(|(m, n)| (m * n) as isize).collect::<Vec<_>>(), Order::C)
}

/// Bounds the error of complex products: four units in the last place of the larger part.
fn kron_bound(a: &NdArray, b: &NdArray) -> Result<Option<Vec<f64>>> {
    let result = kron(a, b)?;
    if !result.dtype().is_complex() {
        return Ok(None);
    }
    let size = |v: &crate::Value| v.complex().norm();
    let units = result.values().iter().map(|v| 4.0 * crate::core::value::ulp(size(v), result.dtype())).collect();
    Ok(Some(units))
}

counterparts! {
    "numpy.vdot" = |t| vdot(t.get("a")?, t.get("b")?)?.result(), bounds |t| vdot(t.get("a")?, t.get("b")?)?.bounds()?;
    "numpy.inner" = |t| inner_result(t.get("a")?, t.get("b")?), bounds |t| inner(t.get("a")?, t.get("b")?)?.bounds()?;
    "numpy.outer" = |t| outer(t.get("a")?, t.get("b")?, t.get("out")?), bounds |t| outer_bound(t.get("a")?, t.get("b")?, t.get("out")?)?;
    "numpy.tensordot" = |t| tensordot(t)?.result(), bounds |t| tensordot(t)?.bounds()?;
    "numpy.kron" = |t| kron(t.get("a")?, t.get("b")?), bounds |t| kron_bound(t.get("a")?, t.get("b")?)?;
}
