//! Special matrices determined by their size: Hadamard, Helmert, Hilbert, Pascal and DFT matrices of SciPy's `linalg`.
//!
//! They serve as test cases: Hilbert matrices are badly conditioned, Hadamard and DFT matrices orthogonal but for a
//! factor.

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

/// Returns `n` consecutive integers, from `first` on.
fn counted(n: usize, first: i64, dtype: DType) -> Result<Array> {
    let out = make::empty(Device::current()?, &[n], dtype)?;
    if n > 0 {
        arange(&out, first.into(), (first + 1).into())?;
    }
    Ok(out)
}

/// Hadamard matrix: ones and negative ones with orthogonal rows; SciPy's `linalg.hadamard`. The dtype is int64 by
/// default.
///
/// ```
/// use cuprum::scipy::linalg::hadamard;
/// assert_eq!(hadamard(2, None)?.to_vec::<i64>()?, [1, 1, 1, -1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size that is not a power of two, [`ErrorKind::Type`] for booleans.
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
pub fn hadamard(n: isize, dtype: Option<DType>) -> Result<Array> {
    let dtype = dtype.unwrap_or(DType::I64);
    if n < 1 || !n.unsigned_abs().is_power_of_two() {
        return Err(Error::new(ErrorKind::Value, format!("there is no such matrix of size {n}: give a power of two")));
    }
    if dtype == DType::Bool && n > 1 {
        return Err(Error::new(ErrorKind::Type, "booleans have no negatives: give another dtype than bool"));
    }
    // The parity of the number of bits that are set in both the row and the column index.
    let at = counted(n as usize, 0, DType::I64)?;
    let both = map("bitwise_count", &pair("bitwise_and", &at.expand_dims(1)?, &at)?)?;
    let odd = pair("bitwise_and", &both, Scalar::from(1))?.cast(DType::I64, Order::C)?;
    pair("subtract", Scalar::from(1), &pair("multiply", &odd, Scalar::from(2))?)?.cast(dtype, Order::C)
}

/// Options of [`helmert`].
///
/// A boolean converts to options that set `full`, by default false.
///
/// ```
/// use cuprum::scipy::linalg::helmert;
/// assert_eq!(helmert(3, ())?.shape(), [2, 3]);
/// assert_eq!(helmert(3, true)?.shape(), [3, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct HelmertOptions {
    /// If true, all rows are returned, with the constant one first. By default `false`.
    #[from]
    pub full: bool,
}

/// Helmert matrix, with orthonormal rows that sum to zero; SciPy's `linalg.helmert`.
///
/// The result has the shape `[n - 1, n]`, or `[n, n]` with `full`, and dtype float64.
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
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
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

/// Hilbert matrix, with elements `1 / (i + j + 1)`; SciPy's `linalg.hilbert`.
///
/// The result has the shape `[n, n]` and dtype float64.
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
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
pub fn hilbert(n: usize) -> Result<Array> {
    let at = counted(n, 1, DType::F64)?;
    map("reciprocal", &pair("add", &at.expand_dims(1)?, &counted(n, 0, DType::F64)?)?)
}

/// Returns the binomial coefficient `n` over `k`, or `None` where a product overflows or `k` exceeds `n`.
fn binomial(n: usize, k: usize) -> Option<u128> {
    (0..k.min(n.checked_sub(k)?) as u128).try_fold(1u128, |all, i| Some(all.checked_mul(n as u128 - i)? / (i + 1)))
}

/// Options of [`invhilbert`].
///
/// A boolean converts to options that set `exact`, by default false.
///
/// ```
/// use cuprum::scipy::linalg::invhilbert;
/// assert_eq!(invhilbert(2, true)?.to_vec::<i64>()?, [4, -6, -6, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct InvhilbertOptions {
    /// If true, the elements are int64, otherwise float64. By default `false`.
    #[from]
    pub exact: bool,
}

/// Inverse of the Hilbert matrix; SciPy's `linalg.invhilbert`. Its elements are integers, returned in float64, or in
/// int64 with `exact`. They are computed on the host.
///
/// The result has the shape `[n, n]`. `n` is at most 25, or 14 with `exact`, where SciPy falls back to Python integers.
///
/// ```
/// use cuprum::scipy::linalg::invhilbert;
/// assert_eq!(invhilbert(2, true)?.to_vec::<i64>()?, [4, -6, -6, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size whose elements exceed 64 bits with `exact`, or 128 bits without.
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
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

/// Kind of Pascal matrix.
///
/// SciPy's parameter `kind` spells them in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum PascalKind {
    /// The symmetric matrix: the product of the lower and the upper triangular one.
    #[default]
    Symmetric,
    /// The lower triangular matrix.
    Lower,
    /// The upper triangular matrix.
    Upper,
}

/// Options of [`pascal`].
///
/// By default the matrix is symmetric and exact.
///
/// ```
/// use cuprum::scipy::linalg::{PascalKind, PascalOptions, pascal};
/// assert_eq!(pascal(3, PascalKind::Lower)?.to_vec::<u64>()?, [1, 0, 0, 1, 1, 0, 1, 2, 1]);
/// assert_eq!(pascal(2, PascalOptions::new().exact(false))?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PascalOptions {
    /// The kind of matrix. By default [`PascalKind::Symmetric`].
    #[from]
    pub kind: PascalKind,
    /// If true, the elements are uint64, otherwise float64. By default `true`.
    pub exact: bool,
}

impl Default for PascalOptions {
    fn default() -> Self {
        PascalOptions { kind: PascalKind::Symmetric, exact: true }
    }
}

/// Pascal matrix of binomial coefficients; SciPy's `linalg.pascal`: in uint64, or in float64 if `exact` is false. It is
/// computed on the host.
///
/// The result has the shape `[n, n]`.
///
/// ```
/// use cuprum::scipy::linalg::pascal;
/// assert_eq!(pascal(3, ())?.to_vec::<u64>()?, [1, 1, 1, 1, 2, 3, 1, 3, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] with `exact` for sizes of 35 and more, whose elements exceed 64 bits.
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
pub fn pascal(n: usize, options: PascalOptions) -> Result<Array> {
    if options.exact && n > 34 {
        let message = format!("the elements of size {n} are no integers of 64 bits: with exact=false they are float64");
        return Err(Error::new(ErrorKind::Value, message));
    }
    /// Fills the table by Pascal's rule: each element is the sum of two earlier ones; the border is 1, or 0 outside the
    /// triangle.
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

/// Scale of a DFT matrix.
///
/// SciPy's parameter `scale` is `None`, `"sqrtn"` or `"n"`.
///
/// ```
/// use cuprum::scipy::linalg::{DftScale, dft};
/// let mean = cuprum::real(&dft(2, DftScale::N)?);
/// assert!(cuprum::allclose(&mean, &cuprum::array([[0.5, 0.5], [0.5, -0.5]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum DftScale {
    /// Division by the square root of the size.
    #[default]
    Sqrtn,
    /// Division by the size.
    N,
}

/// Discrete Fourier transform matrix; SciPy's `linalg.dft`. Angles are computed from integer exponents, so that no
/// power of a rounded root of unity is involved.
///
/// The result has the shape `[n, n]` and dtype complex128.
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
#[routine(namespace = "scipy.linalg", no_programs = "takes host scalars only, which its conformance cases pass")]
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
    for (name, component) in [("cos", out.real()), ("sin", out.imag()?)] {
        copy(&pair("divide", &map(name, &angles)?, Scalar::Float(by))?, &component)?;
    }
    Ok(out)
}
