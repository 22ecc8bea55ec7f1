//! QR decomposition.
//!
//! Householder reflections are computed by the library in place; forming `q` from them costs as many operations again,
//! which [`QrMode::R`] saves.

use cuprum_macros::{Choice, Options, routine};

use super::matrices::{Matrices, transposed};
use crate::array::{Array, Index};
use crate::driver::Task;
use crate::engine::launch::Sides;
use crate::engine::{copy, make};
use crate::error::Result;
use crate::index::Slice;

/// Results of [`qr`].
///
/// NumPy spells them in lower case.
///
/// ```
/// use cuprum::{linalg::{QrMode, qr}, ones};
/// let a = ones([4, 2], ())?;
/// let (q, r) = qr(&a, QrMode::Complete)?;
/// assert_eq!((q.unwrap().shape(), r.shape()), (&[4, 4][..], &[4, 2][..]));
/// assert!(qr(&a, QrMode::R)?.0.is_none());
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum QrMode {
    /// `q` and `r` with as many columns and rows as the shorter side.
    #[default]
    Reduced,
    /// A square `q`, and all rows of `r`.
    Complete,
    /// Only `r`.
    R,
    /// The Householder reflectors, transposed, and their scales, in LAPACK's form.
    Raw,
}

/// Options of [`qr`].
///
/// A [`QrMode`] converts to options that set it; by default [`QrMode::Reduced`].
///
/// ```
/// use cuprum::{linalg::{QrMode, qr}, ones};
/// let (q, r) = qr(ones([3, 2], ())?, QrMode::Complete)?;
/// assert_eq!((q.expect("it is requested").shape(), r.shape()), (&[3, 3][..], &[3, 2][..]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct QrOptions {
    /// The results that are returned. By default [`QrMode::Reduced`].
    #[from]
    pub mode: QrMode,
}

/// Returns the first elements along one of the last two axes.
pub(super) fn leading(a: &Array, axis: isize, count: usize) -> Result<Array> {
    let mut parts = vec![Index::Ellipsis, Index::Slice(Slice { stop: Some(count as i64), ..Slice::default() })];
    if axis == -2 {
        parts.push(Index::Slice(Slice::default()));
    }
    a.part_at(&parts)
}

/// Overwrites column-major matrices by their Householder reflectors and `r`; returns the scales.
pub(super) fn reflect(a: &Array, of: &Matrices) -> Result<Array> {
    let tau = of.empty(a, &[of.short()], of.dtype)?;
    if !of.is_empty() {
        Matrices::run(Task::Geqrf, of.sides(), &[Some(a), Some(&tau)])?;
    }
    Ok(tau)
}

/// Returns the first `columns` columns of the product of the reflectors; both are column-major.
pub(super) fn orthonormal(reflectors: Array, tau: &Array, of: &Matrices, columns: usize) -> Result<Array> {
    let (m, short) = (of.m, of.short());
    let q = if columns == of.n {
        reflectors
    } else {
        let wide = make::zeros(tau.device(), &of.with(&[columns, m]), of.dtype)?;
        copy(&leading(&reflectors, -2, short)?, &leading(&wide, -2, short)?)?;
        wide
    };
    let sides = Sides { m, n: columns, k: short, batch: of.batch() };
    Matrices::run(Task::Orgqr, sides, &[Some(&q), Some(tau)])?;
    Ok(q)
}

/// QR decomposition: matrices as products of orthonormal columns and an upper triangular matrix; NumPy's
/// `linalg.qr`.
///
/// For matrices of shape `(..., m, n)` with a shorter side `k`, `q` has the shape `(..., m, k)` and `r` the
/// shape `(..., k, n)`, or `(..., m, m)` and `(..., m, n)` in mode `complete`. In mode `r` the first result
/// is absent; in mode `raw` the results are the Householder reflectors, transposed, and their scales.
///
/// Algorithm: LAPACK's `geqrf`, and `orgqr` or `ungqr` for `q`.
///
/// ```
/// use cuprum::{array, linalg};
/// let a = array([[3.0, 1.0], [4.0, 2.0]])?;
/// let (q, r) = linalg::qr(&a, ())?;
/// let product = cuprum::matmul(q.expect("the mode is not r"), &r)?;
/// assert!(cuprum::allclose(&product, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for fewer than two axes, [`ErrorKind::Type`](crate::ErrorKind::Type)
/// for float16 and bfloat16.
#[routine(namespace = "numpy.linalg", python(result_class = "QRResult"))]
pub fn qr(a: &Array, options: QrOptions) -> Result<(Option<Array>, Array)> {
    let of = Matrices::of(a)?;
    let (m, short) = (of.m, of.short());
    let reflectors = of.columns(a)?;
    let tau = reflect(&reflectors, &of)?;
    if options.mode == QrMode::Raw {
        return Ok((Some(reflectors), tau));
    }
    let rows = if options.mode == QrMode::Complete { m } else { short };
    let r = crate::routines::creation::triu(transposed(&leading(&reflectors, -1, rows)?)?, 0)?;
    if options.mode == QrMode::R {
        return Ok((None, r));
    }
    let columns = rows;
    if of.is_empty() {
        return Ok((
            Some(if short == 0 && columns == m { of.identity(a, m)? } else { of.empty(a, &[m, columns], of.dtype)? }),
            r,
        ));
    }
    Ok((Some(transposed(&orthonormal(reflectors, &tau, &of, columns)?)?), r))
}
