//! Domains of polynomials, and linear maps between them.
//!
//! A fit over a domain is computed on the window, usually from -1 to 1, to which the domain is mapped.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::polyutils::series;
use crate::array::{Array, Operand};
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::layout::shape_text;
use crate::routines::{math, statistics};
use crate::scan::part;

/// Returns the smallest interval that contains the elements, or the smallest rectangle for complex ones; NumPy's
/// `getdomain`.
///
/// The result has two elements, of the dtype of `x`, or complex ones with the corners of the rectangle.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::getdomain};
/// assert_eq!(getdomain(array([3.0, -1.0, 2.0])?)?.to_vec::<f64>()?, [-1.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series).
#[routine(namespace = "numpy.polynomial.polyutils")]
pub fn getdomain(x: &Array) -> Result<Array> {
    let x = series(&[x], false)?.remove(0);
    // Python's complex numbers have double precision.
    let dtype = if x.dtype().is_complex() { DType::C128 } else { x.dtype() };
    let out = make::empty(x.device(), &[2], dtype)?;
    let ends = |out: &Array, x: &Array| -> Result<()> {
        part(out, 0, ..1)?.assign(&statistics::min(x, ())?)?;
        part(out, 0, 1..)?.assign(&statistics::max(x, ())?)
    };
    if dtype.is_complex() {
        ends(&out.real(), &x.real())?;
        ends(&out.imag()?, &x.imag()?)?;
    } else {
        ends(&out, &x)?;
    }
    Ok(out)
}

/// Returns the two ends of an interval; further elements are ignored.
fn ends(of: &Array) -> Result<[Array; 2]> {
    if of.ndim() != 1 || of.size() < 2 {
        let shape = shape_text(of.shape());
        return Err(Error::new(
            ErrorKind::Index,
            format!("an array of shape {shape} has not the two ends of an interval"),
        ));
    }
    Ok([of.index([Index::At(0)])?, of.index([Index::At(1)])?])
}

/// Returns the parameters of the linear map between intervals, `off + scl x`, as two 0-d arrays; NumPy's `mapparms`.
///
/// Each interval is an array of two elements.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::mapparms};
/// let (off, scl) = mapparms(array([-1.0, 1.0])?, array([1.0, 5.0])?)?;
/// assert_eq!((off.item::<f64>()?, scl.item::<f64>()?), (3.0, 2.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for an interval without two ends, [`ErrorKind::Type`] for booleans.
#[routine(namespace = "numpy.polynomial.polyutils")]
pub fn mapparms(old: &Array, new: &Array) -> Result<(Array, Array)> {
    one_device(old, [new])?;
    let ([o0, o1], [n0, n1]) = (ends(old)?, ends(new)?);
    let (old_length, new_length) = (math::subtract(&o1, &o0)?, math::subtract(&n1, &n0)?);
    let crossed = math::subtract(&math::multiply(&o1, &n0)?, &math::multiply(&o0, &n1)?)?;
    Ok((math::true_divide(&crossed, &old_length)?, math::true_divide(&new_length, &old_length)?))
}

/// Maps points from one interval to another; NumPy's `mapdomain`.
///
/// The result has the shape of `x`, and the dtype to which it and the parameters of the map are promoted.
///
/// ```
/// use cuprum::{array, polynomial::polyutils::mapdomain};
/// let x = mapdomain(array([-1.0, 0.0, 1.0])?, array([-1.0, 1.0])?, array([0.0, 4.0])?)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`mapparms`].
#[routine(namespace = "numpy.polynomial.polyutils")]
pub fn mapdomain(x: Operand<'_>, old: &Array, new: &Array) -> Result<Array> {
    let (off, scl) = mapparms(old, new)?;
    math::add(&off, &math::multiply(&scl, x)?)
}
