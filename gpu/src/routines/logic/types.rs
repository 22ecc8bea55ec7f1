//! Type tests of arrays and their elements.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, Operand};
use crate::engine::make;
use crate::error::Result;
use crate::routines::logic;

/// Tests elementwise for a zero imaginary part, which real numbers have; NumPy's `isreal`.
///
/// The result is boolean and has the shape of `a`.
///
/// ```
/// use cuprum::{array, isreal};
/// use num_complex::Complex64;
/// let a = array([Complex64::new(1.0, 0.0), Complex64::new(0.0, 2.0)])?;
/// assert_eq!(isreal(&a)?.to_vec::<bool>()?, [true, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
#[routine(names = "x")]
pub fn isreal(a: &Array) -> Result<Array> {
    if !isrealobj(a) {
        return a.imag().and_then(|imag| logic::equal(&imag, 0)).map_err(|e| e.with_op("isreal"));
    }
    // As in NumPy, the result for a Fortran-contiguous array is Fortran-contiguous.
    let mut shape = a.shape().to_vec();
    if isfortran(a) {
        shape.reverse();
    }
    let ones = make::full(a.device(), &shape, true, DType::Bool).map_err(|e| e.with_op("isreal"))?;
    Ok(if isfortran(a) { ones.t() } else { ones })
}

/// Tests elementwise for a nonzero imaginary part; NumPy's `iscomplex`.
///
/// The result is boolean and has the shape of `a`: all false for an array of a real dtype.
///
/// ```
/// assert_eq!(cuprum::iscomplex(&cuprum::array([1.0, 2.0])?)?.to_vec::<bool>()?, [false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
#[routine(names = "x")]
pub fn iscomplex(a: &Array) -> Result<Array> {
    if iscomplexobj(a) {
        return a.imag().and_then(|imag| logic::not_equal(&imag, 0)).map_err(|e| e.with_op("iscomplex"));
    }
    make::zeros(a.device(), a.shape(), DType::Bool).map_err(|e| e.with_op("iscomplex"))
}

/// Returns whether the dtype is complex, whatever the elements are; NumPy's `iscomplexobj`.
///
/// ```
/// assert!(!cuprum::iscomplexobj(&cuprum::array([1.0])?));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(names = "x")]
pub fn iscomplexobj(a: &Array) -> bool {
    a.dtype().is_complex()
}

/// Returns whether the dtype is not complex; NumPy's `isrealobj`.
///
/// Elements are not read: an array of a complex dtype whose imaginary parts are all 0 is no real object. [`isreal`]
/// tests those.
///
/// ```
/// use cuprum::{DType, isrealobj, zeros};
/// assert!(isrealobj(zeros(2, DType::F32)?) && !isrealobj(zeros(2, DType::C64)?));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(names = "x")]
pub fn isrealobj(a: &Array) -> bool {
    !iscomplexobj(a)
}

/// Returns whether the array is Fortran-contiguous but not C-contiguous; NumPy's `isfortran`.
///
/// ```
/// let a = cuprum::ones([2, 3], cuprum::DType::F32)?;
/// assert!(!cuprum::isfortran(&a) && cuprum::isfortran(&a.t()));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine]
pub fn isfortran(a: &Array) -> bool {
    a.is_f_contiguous() && !a.is_c_contiguous()
}

/// Returns whether the operand is a scalar; a 0-d array is not. NumPy's `isscalar`.
///
/// 0-d arrays are no scalars, as in NumPy.
///
/// ```
/// assert!(cuprum::isscalar(2.5));
/// assert!(!cuprum::isscalar(&cuprum::zeros((), cuprum::DType::F32)?));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(
    names = "element",
    no_cases = "depends on the Rust type of its argument",
    no_programs = "depends on the Rust type of its argument"
)]
pub fn isscalar(x: Operand<'_>) -> bool {
    matches!(x, Operand::Scalar(_))
}
