//! Vectors at right angles to two others.

use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Ellipsis, Index};
use crate::layout::{broadcast_shapes, normalize_axis, shape_text};
use crate::routines::math;
use crate::ufunc::{UfuncOptions, ufunc};

/// Along which axes the vectors of [`cross`] lie.
#[derive(Clone, Copy, Debug, Options)]
pub struct CrossOptions {
    /// Of the first operand.
    pub axisa: isize,
    /// Of the second operand.
    pub axisb: isize,
    /// Of the result; there is none for vectors of two parts each.
    pub axisc: isize,
    /// Of all three, instead of theirs.
    #[from]
    pub axis: Option<isize>,
}

impl Default for CrossOptions {
    fn default() -> Self {
        CrossOptions { axisa: -1, axisb: -1, axisc: -1, axis: None }
    }
}

/// The cross products of vectors of three parts; NumPy's `cross`. A vector of two parts counts as one whose third part is
/// 0, which NumPy deprecates; of two such the third part of the product is the result.
///
/// ```
/// let (x, y) = (cuprum::array([1, 0, 0])?, cuprum::array([0, 1, 0])?);
/// assert_eq!(cuprum::cross(&x, &y, ())?.to_vec::<i32>()?, [0, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for operands without axes and for vectors of other lengths, [`ErrorKind::Axis`],
/// [`ErrorKind::Type`] for truth values.
#[routine]
pub fn cross(a: &Array, b: &Array, how: CrossOptions) -> Result<Array> {
    let device = one_device(a, [b])?;
    let (axisa, axisb, axisc) = match how.axis {
        Some(axis) => (axis, axis, axis),
        None => (how.axisa, how.axisb, how.axisc),
    };
    if a.ndim() < 1 || b.ndim() < 1 {
        let (one, other) = (shape_text(a.shape()), shape_text(b.shape()));
        return Err(Error::new(ErrorKind::Value, format!("operands of shapes {one} and {other}: both need an axis")));
    }
    let last = |x: &Array, axis| x.moveaxis(normalize_axis(axis, x.ndim())? as isize, -1);
    let (a, b) = (last(a, axisa)?, last(b, axisb)?);
    let length = |x: &Array| x.shape()[x.ndim() - 1];
    if ![a.clone(), b.clone()].iter().all(|x| matches!(length(x), 2 | 3)) {
        let message =
            format!("vectors of {} and {} parts have no cross product: they have 3 (or 2)", length(&a), length(&b));
        return Err(Error::new(ErrorKind::Value, message));
    }
    let dtype = promote_types(a.dtype(), b.dtype());
    let parts = |x: &Array| -> Result<Vec<Array>> {
        let x = if x.dtype() == dtype { x.clone() } else { x.astype(dtype)? };
        (0..length(&x) as i64).map(|i| x.index([Index::from(Ellipsis), Index::At(i)])).collect()
    };
    let (u, v) = (parts(&a)?, parts(&b)?);
    let mut shape = broadcast_shapes(&[u[0].shape(), v[0].shape()])?;
    let product = |x: &Array, y: &Array, out: &Array| -> Result<()> {
        ufunc("multiply")?.called(&[x.into(), y.into()], &into(out)).map(drop)
    };
    let less = |out: &Array, x: &Array, y: &Array| -> Result<()> {
        let taken = math::multiply(x, y)?;
        ufunc("subtract")?.called(&[out.into(), (&taken).into()], &into(out)).map(drop)
    };
    if u.len() == 2 && v.len() == 2 {
        let out = make::empty(device, &shape, dtype)?;
        product(&u[0], &v[1], &out)?;
        less(&out, &u[1], &v[0])?;
        return Ok(out);
    }
    shape.push(3);
    let axisc = normalize_axis(axisc, shape.len())?;
    let out = make::empty(device, &shape, dtype)?;
    for k in 0..3 {
        let out = out.index([Index::from(Ellipsis), Index::At(k as i64)])?;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        // A part that is not there is 0, and so is its product.
        match (u.get(i).zip(v.get(j)), u.get(j).zip(v.get(i))) {
            (Some((x, y)), Some((z, w))) => {
                product(x, y, &out)?;
                less(&out, z, w)?;
            }
            (Some((x, y)), None) => product(x, y, &out)?,
            (None, Some((x, y))) => {
                product(x, y, &out)?;
                ufunc("negative")?.called(&[(&out).into()], &into(&out)).map(drop)?;
            }
            (None, None) => out.fill(0)?,
        }
    }
    out.moveaxis(-1, axisc as isize)
}

fn into(out: &Array) -> UfuncOptions<'_> {
    UfuncOptions { out: Some(out), ..UfuncOptions::default() }
}
