//! LU factors as separate matrices, and packed Cholesky factors: SciPy's `linalg.lu` and `linalg.cho_factor`.
//!
//! The factors are cut from the packed form of the library by the kernels of [`tril`](crate::tril()) and
//! [`triu`](crate::triu()).

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::linear::{Factors, solve_with, whole_factors};
use super::matrices::{Matrices, in_c_order, pair, transposed};
use super::orthogonal::leading;
use crate::array::Array;
use crate::cuda::Rejection;
use crate::driver::Task;
use crate::driver::dense::Transpose;
use crate::engine::launch::{Sides, pivot_dtype};
use crate::engine::{arange, check_lapack_info, copy, make};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::creation::{tril, triu};
use crate::scan::part;

/// Options of [`lu`].
///
/// Both are false by default.
///
/// ```
/// use cuprum::{array, linalg::{LuOptions, lu}};
/// let (p, l, u) = lu(array([[0.0, 2.0], [1.0, 1.0]])?, LuOptions::new().p_indices(true))?;
/// assert_eq!(p.expect("it is requested").to_vec::<i32>()?, [1, 0]);
/// assert_eq!((l.to_vec::<f64>()?, u.to_vec::<f64>()?), (vec![1.0, 0.0, 0.0, 1.0], vec![1.0, 1.0, 0.0, 2.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct LuOptions {
    /// If true, the permutation is applied to the lower factor and not returned. By default `false`.
    pub permute_l: bool,
    /// If true, the permutation is returned as row indices, not as a matrix. By default `false`.
    pub p_indices: bool,
}

/// LU decomposition: matrices as products of a permutation, a unit lower triangular and an upper triangular matrix;
/// SciPy's `linalg.lu`. With `p_indices` the first result is, for each row of the matrix, the index of its row in the
/// lower factor; with `permute_l` it is absent, and the lower factor has its rows permuted.
///
/// For matrices of shape `(..., m, n)` with a shorter side `k`, the factors have the shapes `(..., m, k)` and
/// `(..., k, n)`; the permutation is a matrix of shape `(..., m, m)` and the real dtype, or int32 indices.
///
/// ```
/// use cuprum::{array, scipy::linalg::{LuOptions, lu}};
/// let (p, l, u) = lu(array([[1.0, 2.0], [4.0, 4.0]])?, LuOptions::new().p_indices(true))?;
/// assert_eq!(p.expect("it was requested").to_vec::<i32>()?, [1, 0]);
/// assert_eq!((l.to_vec::<f64>()?, u.to_vec::<f64>()?), (vec![1.0, 0.0, 0.25, 1.0], vec![4.0, 4.0, 0.0, 1.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for fewer than two axes, [`ErrorKind::Type`](crate::ErrorKind::Type)
/// for float16 and bfloat16.
#[routine(namespace = "scipy.linalg")]
pub fn lu(a: &Array, options: LuOptions) -> Result<(Option<Array>, Array, Array)> {
    let of = Matrices::of(a)?;
    let (m, n, short) = (of.m, of.n, of.short());
    if of.is_empty() {
        let (l, u) = (of.empty(a, &[m, short], of.dtype)?, of.empty(a, &[short, n], of.dtype)?);
        let none = match options.p_indices {
            true => of.empty(a, &[0], DType::I32)?,
            false => of.empty(a, &[0, 0], of.real())?,
        };
        return Ok(((!options.permute_l).then_some(none), l, u));
    }
    let Factors { lu, pivots, .. } = whole_factors(a, &of)?;
    // The axes are those of the transposed factors.
    let ones = of_ones(&of, a, m, short)?;
    let l = pair("add", &tril(transposed(&leading(&lu, -2, short)?)?, -1)?, &ones)?;
    let u = in_c_order(triu(transposed(&leading(&lu, -1, short)?)?, 0)?)?;
    let positions = row_positions(&of, a, &pivots)?;
    if options.permute_l {
        let rows = positions.expand_dims(-1)?.broadcast_to_shape(&of.with(&[m, short]))?;
        return Ok((None, crate::routines::indexing::take_along_axis(&l, &rows, -2)?, u));
    }
    if options.p_indices {
        return Ok((Some(positions.cast(DType::I32, Order::C)?), l, u));
    }
    let columns = make::empty(a.device(), &[m], DType::I64)?;
    arange(&columns, 0.into(), 1.into())?;
    let p = pair("equal", &positions.expand_dims(-1)?, &columns)?.cast(of.real(), Order::C)?;
    Ok((Some(p), l, u))
}

/// Returns matrices with ones on the diagonal.
fn of_ones(of: &Matrices, a: &Array, m: usize, n: usize) -> Result<Array> {
    let square = of.identity(a, m)?;
    leading(&square, -1, n)
}

/// Returns the position of each row of the matrices in the factors. The pivots are applied by solving with identity
/// matrices for both triangles: row numbers as the right side come out permuted, and exact.
fn row_positions(of: &Matrices, a: &Array, pivots: &Array) -> Result<Array> {
    let m = of.m;
    let all = make::empty(a.device(), &of.with(&[m]), pivots.dtype())?;
    let own = make::empty(a.device(), &[m], pivots.dtype())?;
    arange(&own, 1.into(), 2.into())?;
    copy(&own.broadcast_to_shape(&of.with(&[m]))?, &all)?;
    copy(pivots, &part(&all, of.stack.len(), ..of.short() as i64)?)?;
    let pivots = all.cast(pivot_dtype(a.device(), of.batch(), m, m)?, Order::C)?;
    // Every row number is exact in float64.
    let square = Matrices { n: m, dtype: DType::F64, ..of.clone() };
    let rows = make::empty(a.device(), &[m], DType::F64)?;
    arange(&rows, 0.into(), 1.into())?;
    let positions = rows.broadcast_to_shape(&of.with(&[1, m]))?.copy(Order::C)?;
    let info = make::zeros(a.device(), &[of.batch()], DType::I32)?;
    let units = Factors { lu: square.identity(a, m)?, pivots, info };
    solve_with(&units, &square, &positions, 1, Transpose::Transposed)?;
    positions.squeeze(-2)?.cast(DType::I64, Order::C)
}

/// Options of [`cho_factor`].
///
/// A boolean converts to options that set `lower`, by default false.
///
/// ```
/// use cuprum::{array, scipy::linalg::{ChoFactorOptions, cho_factor}};
/// let (factor, lower) = cho_factor(&array([[4.0, 0.0], [0.0, 9.0]])?, ChoFactorOptions::new().lower(true))?;
/// assert!(lower && cuprum::allclose(&factor, &array([[2.0, 0.0], [0.0, 3.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct ChoFactorOptions {
    /// If true, the lower triangle is read and returned, otherwise the upper one. By default `false`.
    #[from]
    pub lower: bool,
}

/// Cholesky factors in the form that [`cho_solve`](super::cho_solve) takes; SciPy's `linalg.cho_factor`. The other
/// triangle holds the elements of `a`. A matrix that is not positive definite is reported by the next call that
/// synchronises.
///
/// The factor has the shape of `a`, and the second result is `lower`, as SciPy returns it.
///
/// ```
/// use cuprum::{array, scipy::linalg::{cho_factor, cho_solve}};
/// let a = array([[4.0, 2.0], [2.0, 5.0]])?;
/// let (c, lower) = cho_factor(&a, true)?;
/// let x = cho_solve(c, array([6.0, 7.0])?, lower)?;
/// assert!(cuprum::allclose(&x, array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for matrices that are not square, and, at the next synchronisation,
/// for those that are not positive definite; [`ErrorKind::Type`](crate::ErrorKind::Type) for float16 and bfloat16.
#[routine(namespace = "scipy.linalg")]
pub fn cho_factor(a: &Array, options: ChoFactorOptions) -> Result<(Array, bool)> {
    let of = Matrices::square(a)?;
    // Row-major matrices are the column-major transposes: the upper triangle of one is the lower triangle of the other.
    let factor = of.rows(a)?;
    if !of.is_empty() {
        let sides = Sides { k: 0, ..of.sides() };
        let info = Matrices::run(Task::Potrf { upper: options.lower }, sides, &[Some(&factor)])?;
        check_lapack_info("cho_factor", Rejection::Indefinite, &info)?;
    }
    Ok((factor, options.lower))
}
