//! Matrix exponential by scaling and squaring with a Padé approximant (Higham, "The scaling and squaring method for the
//! matrix exponential revisited", 2005).
//!
//! The number of squarings follows from the largest norm of a batch, which is read back; all matrices of the batch are
//! then computed by the same products.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::linear::{factors, solve_with};
use super::matrices::{Matrices, in_c_order, map, pair, transposed};
use crate::array::Array;
use crate::driver::dense::Transpose;
use crate::error::Result;
use crate::layout::Order;
use crate::reduction::{Reduce, reduced, reduction};
use crate::routines::linalg::matmul;
use crate::scalar::Scalar;
use crate::ufunc::apply;

/// Coefficients of the Padé approximant of degree 13.
const COEFFICIENTS: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];

/// The largest 1-norm for which the approximant has the accuracy of float64.
const LARGEST: f64 = 5.371920351148152;

/// Matrix exponential of square matrices; SciPy's `linalg.expm`.
///
/// The result has the shape of `a` and its floating-point or complex dtype, or float64 for integers and
/// booleans.
///
/// Algorithm: scaling and squaring with the Padé approximant of degree 13 (N. J. Higham, "The scaling and
/// squaring method for the matrix exponential revisited", 2005). The largest norm of a batch determines the
/// number of squarings.
///
/// ```
/// use cuprum::{array, scipy::linalg::expm};
/// let out = expm(array([[0.0, 1.0], [0.0, 0.0]])?)?;
/// assert!(cuprum::allclose(&out, array([[1.0, 1.0], [0.0, 1.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for matrices that are not square.
///
/// # Synchronization
///
/// Synchronises with the device: the largest norm determines the number of squarings.
#[routine(
    namespace = "scipy.linalg", names = "A", python(aliases = [("a", "A")]),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn expm(a: &Array) -> Result<Array> {
    let half = matches!(a.dtype(), DType::F16 | DType::BF16);
    let a = if half { a.cast(DType::F32, Order::C)? } else { a.clone() };
    let of = Matrices::square(&a)?;
    let a = of.rows(&a)?;
    if of.is_empty() {
        return Ok(a);
    }
    if of.n == 1 {
        return map("exp", &a);
    }
    // The number of halvings of each matrix.
    let norms = reduced("max", &reduction("norm_1")?.call(&a, Reduce::axis(-2))?, &Reduce::axis(-1))?;
    // Infinity and NaN do not get smaller by halving.
    let sizes = apply("where", [(&map("isfinite", &norms)?).into(), (&norms).into(), Scalar::from(1).into()])?;
    let halvings = map("ceil", &map("log2", &pair("divide", &sizes, Scalar::Float(LARGEST))?)?)?;
    let halvings = pair("maximum", &halvings, Scalar::from(0))?.cast(DType::I32, Order::C)?;
    let most = reduced("max", &halvings, &Reduce::all())?.item::<i32>()?;
    let down = map("negative", &halvings)?.expand_dims([-2, -1])?;
    let parts = if of.dtype.is_complex() { a.view(of.real())? } else { a };
    let a = pair("ldexp", &parts, &down)?.view(of.dtype)?;

    let unit = of.identity(&a, of.n)?;
    let two = matmul(&a, &a)?;
    let four = matmul(&two, &two)?;
    let six = matmul(&four, &two)?;
    let sum = |terms: &[(&Array, usize)]| -> Result<Array> {
        let term = |&(x, k): &(&Array, usize)| pair("multiply", x, Scalar::Float(COEFFICIENTS[k]));
        let mut all = term(&terms[0])?;
        for next in &terms[1..] {
            all = pair("add", &all, &term(next)?)?;
        }
        Ok(all)
    };
    let odd = matmul(&six, sum(&[(&six, 13), (&four, 11), (&two, 9)])?)?;
    let odd = pair("add", &odd, &sum(&[(&six, 7), (&four, 5), (&two, 3), (&unit, 1)])?)?;
    let odd = matmul(&a, &odd)?;
    let even = matmul(&six, sum(&[(&six, 12), (&four, 10), (&two, 8)])?)?;
    let even = pair("add", &even, &sum(&[(&six, 6), (&four, 4), (&two, 2), (&unit, 0)])?)?;
    // Solves for the quotient of their sum and their difference.
    let below = factors(transposed(&pair("subtract", &even, &odd)?)?, &of)?;
    let x = transposed(&pair("add", &even, &odd)?)?;
    solve_with(&below, &of, &x, of.n, Transpose::None)?;
    let mut x = transposed(&x)?;
    for done in 0..most {
        let more = pair("greater", &halvings.expand_dims([-2, -1])?, Scalar::from(i64::from(done)))?;
        let square = matmul(&x, &x)?;
        x = apply("where", [(&more).into(), (&square).into(), (&x).into()])?;
    }
    in_c_order(x)
}
