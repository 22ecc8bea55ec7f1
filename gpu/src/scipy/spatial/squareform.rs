//! Condensed and square forms of distances.

use std::sync::LazyLock;

use cuprum_macros::{Choice, Options, routine};

use super::{Lazy, all_true, kernel, run, wrong};
use crate::array::Array;
use crate::engine::{self, make};
use crate::error::Result;
use crate::routines::logic;

/// Required form of the result of [`squareform`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum SquareformForce {
    /// The form that the operand does not have.
    #[default]
    No,
    /// A matrix.
    Tomatrix,
    /// A vector.
    Tovector,
}

/// Options of [`squareform`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct SquareformOptions {
    /// The required form. By default the one that the operand does not have.
    #[from]
    pub force: SquareformForce,
    /// Check that a matrix is symmetric and its diagonal zero. By default true.
    pub checks: bool,
}

impl Default for SquareformOptions {
    fn default() -> Self {
        SquareformOptions { force: SquareformForce::No, checks: true }
    }
}

static SQUARE: Lazy = LazyLock::new(|| {
    let operation = "
    const long long r = i / n, c = i - r * n, low = r < c ? r : c, high = r < c ? c : r;
    y = r == c ? T(0) : v[n * low - low * (low + 1) / 2 + (high - low - 1)]";
    kernel("squareform_matrix", "raw T v, int64 n", "T y", operation)
});
// The row of an element of the condensed form is the last one that begins at or before it: a binary search.
static CONDENSED: Lazy = LazyLock::new(|| {
    let operation = "
    long long low = 0, high = n - 1;
    while (high - low > 1) {
      const long long middle = (low + high) / 2;
      if (n * middle - middle * (middle + 1) / 2 <= (long long)i) low = middle;
      else high = middle;
    }
    v = x[low * n + (long long)i - (n * low - low * (low + 1) / 2) + low + 1]";
    kernel("squareform_vector", "raw T x, int64 n", "T v", operation)
});

/// Converts the condensed form of distances to a matrix, or the reverse; SciPy's `scipy.spatial.distance.squareform`.
///
/// A vector of n (n - 1) / 2 elements has a matrix of the shape (n, n), and a matrix such a vector. The dtype is that of `x`.
///
/// ```
/// use cuprum::{array, scipy::spatial::distance::squareform};
/// let square = squareform(array([1, 2, 3])?, ())?;
/// assert_eq!(square.to_vec::<i32>()?, [0, 1, 2, 1, 0, 3, 2, 3, 0]);
/// assert_eq!(squareform(&square, ())?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for an operand of another number of axes, for a vector of another length, for a matrix that is not square, not
/// symmetric or has a diagonal other than zero, and for a form that `force` excludes.
///
/// # Synchronization
///
/// Synchronises to check a matrix, unless `checks` is false.
#[routine(
    namespace = "scipy.spatial.distance",
    names = "X",
    no_cases = "moves elements alone, compared with SciPy's in `gpu/python/tests/test_spatial.py`",
    no_programs = "takes distances"
)]
pub fn squareform(x: &Array, options: SquareformOptions) -> Result<Array> {
    match x.ndim() {
        1 => {
            if options.force == SquareformForce::Tovector {
                return wrong("force='tovector' takes a distance matrix, not a vector");
            }
            let n = if x.size() == 0 { 1 } else { (2.0 * x.size() as f64).sqrt().ceil() as usize };
            if n * (n - 1) / 2 != x.size() {
                let size = x.size();
                return wrong(format!(
                    "a vector of {size} elements: their number must be n (n - 1) / 2 for an integer n"
                ));
            }
            let out = make::empty(x.device(), &[n, n], x.dtype())?;
            if x.size() == 0 {
                engine::fill(&out, 0.into())?;
                return Ok(out);
            }
            run(&SQUARE, &[x.into(), (n as i64).into()], &[&out], None)?;
            Ok(out)
        }
        2 => {
            let n = x.shape()[0];
            if options.force == SquareformForce::Tomatrix {
                return wrong("force='tomatrix' takes a vector of distances, not a matrix");
            }
            if x.shape()[1] != n {
                return wrong(format!("a matrix of shape {:?}: it must be square", x.shape()));
            }
            if options.checks && n > 0 {
                if !all_true(&logic::equal(x, x.t())?)? {
                    return wrong("the distance matrix X must be symmetric");
                }
                if !all_true(&logic::equal(x.diagonal(())?, 0)?)? {
                    return wrong("the diagonal of the distance matrix X must be zero");
                }
            }
            let out = make::empty(x.device(), &[n * n.saturating_sub(1) / 2], x.dtype())?;
            if out.size() > 0 {
                run(&CONDENSED, &[x.into(), (n as i64).into()], &[&out], None)?;
            }
            Ok(out)
        }
        n => wrong(format!("an array of {n} axes: distances have one or two")),
    }
}
