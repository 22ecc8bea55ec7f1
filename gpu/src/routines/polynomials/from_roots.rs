//! Polynomials from their roots.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::sorting::sort;
use crate::routines::statistics::convolve;
use crate::routines::{logic, math};

/// Coefficients of the monic polynomial with given roots, the highest power first; NumPy's `poly`. Integers, float16
/// and bfloat16 result in float64. If complex roots come in conjugate pairs, the coefficients are real.
///
/// The result has one axis of `n + 1` coefficients for `n` roots; of a square matrix it is the characteristic
/// polynomial.
///
/// ```
/// use cuprum::{array, poly};
/// assert_eq!(poly(array([1.0, -2.0])?)?.to_vec::<f64>()?, [1.0, 1.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for roots of several axes; a matrix is not accepted: pass its eigenvalues.
///
/// # Synchronization
///
/// For complex roots, synchronises to check whether they come in conjugate pairs.
#[routine]
pub fn poly(seq_of_zeros: &Array) -> Result<Array> {
    let roots = seq_of_zeros;
    let roots = if roots.ndim() == 0 { roots.reshape([1])? } else { roots.clone() };
    if roots.ndim() > 1 {
        let shape = shape_text(roots.shape());
        let message = format!("roots of shape {shape} have more than one axis: of a matrix give the eigenvalues");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let n = roots.size();
    if n == 0 {
        return make::full(roots.device(), &[], 1, DType::F64);
    }
    let dtype = match roots.dtype() {
        DType::F32 | DType::C64 | DType::BF16 => promote_types(roots.dtype(), DType::F32),
        dtype => promote_types(dtype, DType::F64),
    };
    let factors = make::full(roots.device(), &[n, 2], 1, dtype)?;
    factors.index(s![.., 1])?.assign(&math::negative(&roots.cast(dtype, Order::C)?)?)?;
    // Starting from 1: the sum of a single product has no negative zero.
    let mut a = factors.index(s![0, ..1])?;
    for k in 0..n as i64 {
        a = convolve(&a, &factors.index(s![k])?, ())?;
    }
    if dtype.is_complex() {
        let roots = roots.cast(DType::C128, Order::C)?;
        let conjugated = sort(&math::conjugate(&roots)?, ())?;
        if logic::array_equal(&sort(&roots, ())?, &conjugated, ())? {
            return a.real().copy(Order::C);
        }
    }
    Ok(a)
}
