//! Matrices that their size alone determines; SciPy's special matrices.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use super::matrices::{map, pair};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::{arange, copy, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::routines::creation::{EyeOptions, diag, tri};
use crate::scalar::Scalar;
use crate::scan::part;

/// `0, …, n - 1`, with a first number of another choice.
fn counted(n: usize, first: i64, dtype: DType) -> Result<Array> {
    let out = make::empty(Device::current()?, &[n], dtype)?;
    if n > 0 {
        arange(&out, first.into(), (first + 1).into())?;
    }
    Ok(out)
}

/// The matrix of Hadamard, of ones and their negatives with orthogonal rows; SciPy's `linalg.hadamard`. The dtype is int64
/// unless said.
///
/// ```
/// use cuprum::scipy::linalg::hadamard;
/// assert_eq!(hadamard(2, None)?.to_vec::<i64>()?, [1, 1, 1, -1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size that is no power of two, [`ErrorKind::Type`] for booleans.
#[routine(namespace = "scipy.linalg")]
pub fn hadamard(n: isize, dtype: Option<DType>) -> Result<Array> {
    let dtype = dtype.unwrap_or(DType::I64);
    if n < 1 || !n.unsigned_abs().is_power_of_two() {
        return Err(Error::new(ErrorKind::Value, format!("there is no such matrix of size {n}: give a power of two")));
    }
    if dtype == DType::Bool && n > 1 {
        return Err(Error::new(ErrorKind::Type, "booleans have no negatives: give another dtype than bool"));
    }
    // Of the places of row and column, whether an odd number of binary digits is 1 in both.
    let at = counted(n as usize, 0, DType::I64)?;
    let both = map("bitwise_count", &pair("bitwise_and", &at.expand_dims(1)?, &at)?)?;
    let odd = pair("bitwise_and", &both, Scalar::from(1))?.cast(DType::I64, Order::C)?;
    pair("subtract", Scalar::from(1), &pair("multiply", &odd, Scalar::from(2))?)?.cast(dtype, Order::C)
}

/// Which rows [`helmert`] gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct HelmertOptions {
    /// All, with the constant one in front.
    #[from]
    pub full: bool,
}

/// The matrix of Helmert, with orthonormal rows that sum to zero; SciPy's `linalg.helmert`.
///
/// ```
/// use cuprum::scipy::linalg::helmert;
/// assert_eq!(helmert(5, true)?.shape(), [5, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for size 0.
#[routine(namespace = "scipy.linalg")]
pub fn helmert(n: usize, options: HelmertOptions) -> Result<Array> {
    if n == 0 {
        return Err(Error::new(ErrorKind::Index, "a matrix of size 0 has no first row: give a size of at least 1"));
    }
    let at = counted(n, 0, DType::F64)?;
    let ones = tri(n, EyeOptions::new().k(-1))?;
    let rows = pair("subtract", &ones, &diag(&at, 0)?)?;
    part(&rows, 0, ..1)?.fill(1)?;
    let squares = pair("multiply", &at, &counted(n, 1, DType::F64)?)?;
    part(&squares, 0, ..1)?.fill(n as f64)?;
    let all = pair("divide", &rows, &map("sqrt", &squares)?.expand_dims(1)?)?;
    if options.full { Ok(all) } else { part(&all, 0, 1..)?.copy(Order::C) }
}

/// The matrix of Hilbert, whose elements are one over one more than the sum of their places; SciPy's `linalg.hilbert`.
///
/// ```
/// use cuprum::scipy::linalg::hilbert;
/// assert_eq!(hilbert(2)?.to_vec::<f64>()?, [1.0, 0.5, 0.5, 1.0 / 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`].
#[routine(namespace = "scipy.linalg")]
pub fn hilbert(n: usize) -> Result<Array> {
    let at = counted(n, 1, DType::F64)?;
    map("reciprocal", &pair("add", &at.expand_dims(1)?, &counted(n, 0, DType::F64)?)?)
}

/// Binomial coefficients; rows of `n` choose `k`, while they fit.
fn binomial(n: usize, k: usize) -> Option<u128> {
    (0..k.min(n.checked_sub(k)?) as u128).try_fold(1u128, |all, i| Some(all.checked_mul(n as u128 - i)? / (i + 1)))
}

/// How the elements of [`invhilbert`] are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct InvhilbertOptions {
    /// As integers.
    #[from]
    pub exact: bool,
}

/// The inverse of the matrix of Hilbert; SciPy's `linalg.invhilbert`. Its elements are integers, here in float64, with
/// `exact` in int64. The host computes them.
///
/// ```
/// use cuprum::scipy::linalg::invhilbert;
/// assert_eq!(invhilbert(2, true)?.to_vec::<i64>()?, [4, -6, -6, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size whose elements are larger than 64 bits, with `exact`, and than 128 bits.
#[routine(namespace = "scipy.linalg")]
pub fn invhilbert(n: usize, options: InvhilbertOptions) -> Result<Array> {
    let limit = if options.exact { 14 } else { 25 };
    if n > limit {
        let message = format!("the elements of size {n} are no integers of the dtype: sizes to {limit} are");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let element = |i: usize, j: usize| {
        let s = i + j;
        let parts = [binomial(n + i, n - j - 1), binomial(n + j, n - i - 1), binomial(s, i), binomial(s, i)];
        let size = parts.into_iter().try_fold(s as u128 + 1, |all, part| all.checked_mul(part?));
        let size = size.expect("sizes to the limit fit") as i128;
        if s.is_multiple_of(2) { size } else { -size }
    };
    let all = (0..n * n).map(|at| element(at / n, at % n));
    if options.exact {
        return Array::from_slice(&all.map(|x| x as i64).collect::<Vec<_>>(), [n, n]);
    }
    Array::from_slice(&all.map(|x| x as f64).collect::<Vec<_>>(), [n, n])
}

/// Which matrix [`pascal`] gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum PascalKind {
    /// The product of the lower and the upper one.
    #[default]
    Symmetric,
    /// Rows of the triangle.
    Lower,
    /// Columns of the triangle.
    Upper,
}

/// Which matrix of binomial coefficients, and in which dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PascalOptions {
    /// Which matrix.
    #[from]
    pub kind: PascalKind,
    /// As integers of 64 bits.
    pub exact: bool,
}

impl Default for PascalOptions {
    fn default() -> Self {
        PascalOptions { kind: PascalKind::Symmetric, exact: true }
    }
}

/// The matrix of binomial coefficients; SciPy's `linalg.pascal`: in uint64, or with `exact` false in float64. The host
/// computes them.
///
/// ```
/// use cuprum::scipy::linalg::pascal;
/// assert_eq!(pascal(3, ())?.to_vec::<u64>()?, [1, 1, 1, 1, 2, 3, 1, 3, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] with `exact` for sizes from 35 on, whose integers are larger than 64 bits.
#[routine(namespace = "scipy.linalg")]
pub fn pascal(n: usize, options: PascalOptions) -> Result<Array> {
    if options.exact && n > 34 {
        let message = format!("the elements of size {n} are no integers of 64 bits: with exact=false they are float64");
        return Err(Error::new(ErrorKind::Value, message));
    }
    /// Each element is the sum of two before it; where there are none it is 1, or 0 beyond the triangle.
    fn table<T: Copy + std::ops::Add<Output = T>>(n: usize, symmetric: bool, [zero, one]: [T; 2]) -> Vec<T> {
        let mut all = vec![zero; n * n];
        for at in 0..n * n {
            let (i, j) = (at / n, at % n);
            all[at] = match (i, j) {
                (_, 0) => one,
                (0, _) => {
                    if symmetric {
                        one
                    } else {
                        zero
                    }
                }
                _ if symmetric => all[at - n] + all[at - 1],
                _ => all[at - n] + all[at - n - 1],
            };
        }
        all
    }
    let symmetric = options.kind == PascalKind::Symmetric;
    let out = match options.exact {
        true => Array::from_slice(&table(n, symmetric, [0u64, 1]), [n, n]),
        false => Array::from_slice(&table(n, symmetric, [0.0, 1.0]), [n, n]),
    }?;
    Ok(if options.kind == PascalKind::Upper { out.t() } else { out })
}

/// By what a matrix of Fourier is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum DftScale {
    /// By the root of its size.
    #[default]
    Sqrtn,
    /// By its size.
    N,
}

/// The matrix of Fourier, whose product with numbers is their discrete Fourier transform; SciPy's `linalg.dft`. Angles are
/// taken of whole numbers, so that no power of a rounded root is in it.
///
/// ```
/// use cuprum::scipy::linalg::dft;
/// assert_eq!(dft(1, None)?.shape(), [1, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`].
#[routine(namespace = "scipy.linalg")]
pub fn dft(n: usize, scale: Option<DftScale>) -> Result<Array> {
    let out = make::empty(Device::current()?, &[n, n], DType::C128)?;
    if n == 0 {
        return Ok(out);
    }
    let at = counted(n, 0, DType::I64)?;
    let turns = pair("remainder", &pair("multiply", &at.expand_dims(1)?, &at)?, Scalar::from(n as i64))?;
    let angles = pair("multiply", &turns, Scalar::Float(-2.0 * std::f64::consts::PI / n as f64))?;
    let by = match scale {
        None => 1.0,
        Some(DftScale::Sqrtn) => (n as f64).sqrt(),
        Some(DftScale::N) => n as f64,
    };
    for (name, place) in [("cos", out.real()), ("sin", out.imag()?)] {
        copy(&pair("divide", &map(name, &angles)?, Scalar::Float(by))?, &place)?;
    }
    Ok(out)
}
