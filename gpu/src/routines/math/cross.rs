//! Cross products of vectors, in one launch.
//!
//! Lower bound: both operands once and the result once.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{broadcast_shapes, normalize_axis, shape_text};

/// Options of [`cross`]: the axes of the vectors.
///
/// The axes are the last by default; NumPy's keywords have the same names.
///
/// ```
/// use cuprum::{CrossOptions, array, cross};
/// // Vectors in columns.
/// let (a, b) = (array([[1], [0], [0]])?, array([[0], [1], [0]])?);
/// assert_eq!(cross(&a, &b, CrossOptions::new().axis(0))?.to_vec::<i32>()?, [0, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct CrossOptions {
    /// The axis of the first operand. By default the last one.
    pub axisa: isize,
    /// The axis of the second operand. By default the last one.
    pub axisb: isize,
    /// The axis of the result; it has none if both vectors have two components. By default the last one.
    pub axisc: isize,
    /// The axis of all three, in place of the others.
    #[from]
    pub axis: Option<isize>,
}

impl Default for CrossOptions {
    fn default() -> Self {
        CrossOptions { axisa: -1, axisb: -1, axisc: -1, axis: None }
    }
}

/// Cross product of vectors of three components; NumPy's `cross`. A vector of two components has a third component of
/// 0, which NumPy deprecates; for two such vectors the result is the third component of the product.
///
/// The result has the dtype to which both are promoted, and the shape to which the other axes are broadcast with an
/// axis of three components, or none for two vectors of two components.
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
/// [`ErrorKind::Type`] for booleans.
#[routine]
pub fn cross(a: &Array, b: &Array, options: CrossOptions) -> Result<Array> {
    let device = one_device(a, [b])?;
    let (axisa, axisb, axisc) = match options.axis {
        Some(axis) => (axis, axis, axis),
        None => (options.axisa, options.axisb, options.axisc),
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
    if dtype == DType::Bool {
        return Err(Error::new(ErrorKind::Type, "booleans have no differences: cast them to integers first"));
    }
    let before = |x: &Array| x.shape()[..x.ndim() - 1].to_vec();
    let stack = broadcast_shapes(&[&before(&a), &before(&b)])?;
    let mut shape = stack.clone();
    let flat = length(&a) == 2 && length(&b) == 2;
    if !flat {
        shape.push(3);
    }
    let axisc = if flat { 0 } else { normalize_axis(axisc, shape.len())? };
    let out = make::empty(device, &shape, dtype)?;
    let broadcast = |x: &Array| {
        let shape: Vec<usize> = stack.iter().copied().chain([length(x)]).collect();
        x.broadcast_to_shape(&shape)
    };
    engine::cross_product(&stack, &broadcast(&a)?, &broadcast(&b)?, &out)?;
    if flat { Ok(out) } else { out.moveaxis(-1, axisc as isize) }
}
