//! Eigenvalues and eigenvectors: `eig`, `eigh`, `eigvals` and `eigvalsh`.
//!
//! Eigenvalues without eigenvectors take a fraction of the time: use `eigvalsh` and `eigvals` where they suffice.

use cuprum_kernels::DType;
use cuprum_kernels::source::{GENERAL_SIDE, SMALL_SIDES};
use cuprum_macros::{Choice, Options, routine};

use super::matrices::{Matrices, in_c_order, pair, set_nan, transposed, unless};
use super::scaling::{scaled, without_odd};
use super::svd_through_eigh::has_fast_float64;
use crate::array::Array;
use crate::cuda::{Device, Rejection};
use crate::driver::Task;
use crate::engine::{
    check_lapack_info, complex_eigenvectors, decompose_small_general, decompose_small_hermitian,
    has_symmetric_eigenvalues, symmetric_eigenvalues,
};
use crate::error::Result;
use crate::layout::Order;
use crate::reduction::{Reduce, reduced};
use crate::scalar::Scalar;

/// The triangle of a Hermitian matrix that is read.
///
/// NumPy spells them `"L"` and `"U"`; the lower one is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum Triangle {
    /// The lower triangle.
    #[default]
    #[name("L")]
    L,
    /// The upper triangle.
    #[name("U")]
    U,
}

/// Options of [`eigh`] and [`eigvalsh`].
///
/// By default the lower triangle is read.
///
/// ```
/// use cuprum::{array, linalg::{EighOptions, Triangle, eigvalsh}};
/// // The element below the diagonal is not read.
/// let a = array([[1.0, 0.0], [9.0, 2.0]])?;
/// let values = eigvalsh(&a, EighOptions { uplo: Triangle::U })?;
/// assert!(cuprum::allclose(&values, &array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
#[allow(non_snake_case, reason = "NumPy's name")]
pub struct EighOptions {
    /// The triangle that is read. By default [`Triangle::L`].
    #[from]
    #[keyword(UPLO)]
    pub uplo: Triangle,
}

/// Computes eigenvalues in ascending order, and eigenvectors, of Hermitian matrices; `function` is named in errors.
pub(super) fn hermitian(
    function: &'static str,
    a: &Array,
    triangle: Triangle,
    vectors: bool,
) -> Result<(Array, Option<Array>)> {
    let of = Matrices::square(a)?;
    if of.is_empty() {
        let v = if vectors { Some(of.rows(a)?) } else { None };
        return Ok((of.empty(a, &[of.n], of.real())?, v));
    }
    if let Some(found) = small(function, a, &of, triangle, vectors)? {
        return Ok(found);
    }
    let w = of.empty(a, &[of.n], of.real())?;
    let v = of.columns(a)?;
    // The other triangle must be ignored: its elements would change the power of two that is the scale.
    let v = one_triangle(v, triangle)?;
    let (v, scale) = scaled(&v, &of)?;
    let odd = scale.odd()?;
    if !vectors && has_own_eigenvalues(a.device(), &of) {
        // The rows are the columns of the matrix.
        let square = v.cast(DType::F64, Order::C)?.reshape([of.n, of.n])?;
        if let Some(found) = symmetric_eigenvalues(&square, triangle == Triangle::L)? {
            let w = scale.undo(&found.reshape(w.shape())?.cast(of.real(), Order::C)?)?;
            set_nan(&w, &odd.expand_dims(-1)?)?;
            return Ok((w, None));
        }
    }
    let task = Task::Syevd { upper: triangle == Triangle::U, vectors };
    let info = Matrices::run(task, of.sides(), &[Some(&v), Some(&w)])?;
    check_lapack_info(function, Rejection::NotConverged, &unless(&info, &odd)?)?;
    let w = scale.undo(&w)?;
    set_nan(&w, &odd.expand_dims(-1)?)?;
    if !vectors {
        return Ok((w, None));
    }
    let v = transposed(&v)?;
    set_nan(&v, &odd.expand_dims([-2, -1])?)?;
    Ok((w, Some(v)))
}

/// Returns whether the eigenvalues without eigenvectors of matrices of these sizes are computed by the library's own
/// kernels: one real matrix that is too large for a block.
pub(super) fn has_own_eigenvalues(device: Device, of: &Matrices) -> bool {
    let is_real = matches!(of.dtype, DType::F32 | DType::F64);
    is_real
        && of.batch() == 1
        && of.n > SMALL_SIDES[1]
        && has_fast_float64(device)
        && has_symmetric_eigenvalues(device, of.n)
}

/// Computes the results of [`hermitian`] of matrices that fit into a block of the device; otherwise returns `None`.
pub(super) fn small(
    function: &'static str,
    a: &Array,
    of: &Matrices,
    triangle: Triangle,
    vectors: bool,
) -> Result<Option<(Array, Option<Array>)>> {
    if of.n > SMALL_SIDES[1] {
        return Ok(None);
    }
    let a = if a.dtype() == of.dtype { in_c_order(a.clone())? } else { of.rows(a)? };
    let Some(found) = decompose_small_hermitian(&a, triangle == Triangle::U, vectors)? else { return Ok(None) };
    check_lapack_info(function, Rejection::NotConverged, &found.info)?;
    Ok(Some((found.values, found.vectors)))
}

/// Eigenvalue decomposition of Hermitian matrices: eigenvalues in ascending order, and orthonormal
/// eigenvectors in columns; NumPy's `linalg.eigh`.
///
/// For matrices of shape `(..., n, n)` the eigenvalues have the shape `(..., n)` and are real; the
/// eigenvectors have the shape of `a`. One triangle is read.
///
/// Algorithm: matrices of at most 64 rows are reduced to tridiagonal form and diagonalised by implicit QL
/// iterations (A. Dubrulle, R. S. Martin and J. H. Wilkinson, "The implicit QL algorithm", 1968), larger ones by
/// cuSOLVER, whose eigenvectors are not orthogonal for some matrices with many equal eigenvalues. Signs and phases of the eigenvectors are the
/// library's choice.
///
/// ```
/// use cuprum::{array, linalg};
/// let (w, _) = linalg::eigh(array([[2.0, 1.0], [1.0, 2.0]])?, ())?;
/// assert!((w.to_vec::<f64>()?[1] - 3.0).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for matrices that are not square;
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for float16 and bfloat16. If the triangle that is read contains NaN or
/// infinity, all results of that matrix are NaN.
#[routine(namespace = "numpy.linalg", python(result_class = "EighResult"))]
pub fn eigh(a: &Array, options: EighOptions) -> Result<(Array, Array)> {
    let (w, v) = hermitian("eigh", a, options.uplo, true)?;
    Ok((w, v.expect("the vectors were requested")))
}

/// Eigenvalues of Hermitian matrices, in ascending order; NumPy's `linalg.eigvalsh`.
///
/// Matrices of shape `(..., n, n)` have eigenvalues of shape `(..., n)`, in the real dtype of the matrices.
///
/// Algorithm: matrices of at most 64 rows as by [`eigh`]. One real matrix of up to some 14,000 rows is reduced to tridiagonal
/// form by Householder reflectors, for more than some 1,500 rows by way of a band, and its eigenvalues are isolated by
/// multisection, on GPUs with fast float64; others are decomposed by cuSOLVER.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::eigvalsh(array([[2.0, 0.0], [0.0, -2.0]])?, ())?.to_vec::<f64>()?, [-2.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`eigh`].
#[routine(namespace = "numpy.linalg", no_programs = "has no error bound for nearly singular matrices")]
pub fn eigvalsh(a: &Array, options: EighOptions) -> Result<Array> {
    Ok(hermitian("eigvalsh", a, options.uplo, false)?.0)
}

/// Returns the selected triangle of column-major matrices, with zeros elsewhere.
fn one_triangle(v: Array, triangle: Triangle) -> Result<Array> {
    // The axes are those of the transposed matrices.
    in_c_order(match triangle {
        Triangle::L => crate::routines::creation::triu(&v, 0)?,
        Triangle::U => crate::routines::creation::tril(&v, 0)?,
    })
}

/// Computes complex eigenvalues, and matrices with eigenvectors in columns. Those of a conjugate pair of a real matrix are
/// in real form: the real parts, then the imaginary parts.
fn general(function: &'static str, a: &Array, vectors: bool) -> Result<(Array, Option<Array>)> {
    let of = Matrices::square(a)?;
    let complex = if of.real() == DType::F32 { DType::C64 } else { DType::C128 };
    if of.is_empty() {
        let v = if vectors { Some(of.rows(a)?) } else { None };
        return Ok((of.empty(a, &[of.n], complex)?, v));
    }
    if of.n <= GENERAL_SIDE {
        let rows = if a.dtype() == of.dtype { in_c_order(a.clone())? } else { of.rows(a)? };
        if let Some(found) = decompose_small_general(&rows, vectors)? {
            check_lapack_info(function, Rejection::NotFinite, &found.not_finite)?;
            check_lapack_info(function, Rejection::NotConverged, &found.info)?;
            return Ok((found.values, found.vectors));
        }
    }
    let w = of.empty(a, &[of.n], complex)?;
    let v = of.empty(a, &[of.n, of.n], of.dtype)?;
    let (x, scale) = scaled(&of.columns(a)?, &of)?;
    scale.finite(function, Rejection::NotFinite)?;
    // The library fails immediately on rejected matrices; the error is to be reported at the next synchronisation
    // instead.
    let x = without_odd(&x)?;
    let wanted = vectors.then_some(&v);
    let info = Matrices::run(Task::Geev { vectors }, of.sides(), &[Some(&x), Some(&w), wanted])?;
    check_lapack_info(function, Rejection::NotConverged, &info)?;
    let v = if vectors { Some(transposed(&v)?) } else { None };
    Ok((scale.undo(&w)?, v))
}

/// Returns whether all imaginary parts are zero.
fn all_real(w: &Array) -> Result<bool> {
    let beside = pair("not_equal", &w.imag()?, Scalar::from(0))?;
    Ok(!reduced("any", &beside, &Reduce::all())?.item::<bool>()?)
}

fn real_part(a: &Array) -> Result<Array> {
    a.real().copy(crate::layout::Order::C)
}

/// Eigenvalues of square matrices, in no particular order; NumPy's `linalg.eigvals`.
///
/// For matrices of shape `(..., n, n)` the result has the shape `(..., n)`. It is real for real matrices
/// whose eigenvalues all are, otherwise complex. Algorithm: matrices of
/// at most 64 rows are scaled and permuted ("balanced"), reduced to Hessenberg form by reflectors and to Schur form by QR
/// iterations (G. H. Golub and C. F. Van Loan, "Matrix Computations", chapter 7), in one launch for a batch; larger ones are
/// decomposed by cuSOLVER's `geev`, one after the other.
///
/// ```
/// use cuprum::{array, linalg};
/// let w = linalg::eigvals(array([[0.0, -1.0], [1.0, 0.0]])?)?;
/// assert_eq!(w.dtype(), cuprum::DType::C128);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for matrices that are not square, and for NaN and infinity in them;
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for float16 and bfloat16;
/// [`ErrorKind::Library`](crate::ErrorKind::Library) for more than 64 rows where cuSOLVER is older than CUDA 12.6.
///
/// # Synchronization
///
/// Synchronises with the device if the matrices are real: the dtype of the result depends on the values.
#[routine(namespace = "numpy.linalg")]
pub fn eigvals(a: &Array) -> Result<Array> {
    let (w, _) = general("eigvals", a, false)?;
    if !a.dtype().is_complex() && all_real(&w)? { real_part(&w) } else { Ok(w) }
}

/// Eigenvalue decomposition of square matrices: eigenvalues in no particular order, and eigenvectors of
/// length one in columns; NumPy's `linalg.eig`.
///
/// For matrices of shape `(..., n, n)` the eigenvalues have the shape `(..., n)`, and the eigenvectors that
/// of `a`. Both are real for real matrices whose eigenvalues all are, otherwise complex. Of matrices of at most
/// 64 rows the largest component of a complex eigenvector is real. Algorithm: matrices of
/// at most 64 rows are scaled and permuted ("balanced"), reduced to Hessenberg form by reflectors and to Schur form by QR
/// iterations (G. H. Golub and C. F. Van Loan, "Matrix Computations", chapter 7), in one launch for a batch; larger ones are
/// decomposed by cuSOLVER's `geev`, one after the other.
///
/// ```
/// use cuprum::{array, linalg};
/// let (w, _) = linalg::eig(array([[2.0, 1.0], [0.0, 3.0]])?)?;
/// assert!((cuprum::sum(&w, ())?.item::<f64>()? - 5.0).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`eigvals`].
///
/// # Synchronization
///
/// Same as [`eigvals`].
#[routine(namespace = "numpy.linalg", python(result_class = "EigResult"))]
pub fn eig(a: &Array) -> Result<(Array, Array)> {
    let (w, v) = general("eig", a, true)?;
    let v = v.expect("the vectors were requested");
    if a.dtype().is_complex() {
        return Ok((w, v));
    }
    if all_real(&w)? {
        return Ok((real_part(&w)?, v));
    }
    let v = complex_eigenvectors(&w, &v)?;
    Ok((w, v))
}
