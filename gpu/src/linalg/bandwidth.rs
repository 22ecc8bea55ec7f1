//! Bandwidths of matrices.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::reduction::Reduce;
use crate::routines::creation::arange;
use crate::routines::manipulation::stack;
use crate::routines::searching::where_;
use crate::routines::{logic, math, statistics};

/// Lower and upper bandwidth of a matrix: the numbers of diagonals below and above the main one up to the last that has a nonzero element;
/// SciPy's `scipy.linalg.bandwidth`.
///
/// All dtypes are accepted. NaN is not zero.
///
/// ```
/// let a = cuprum::array([[1, 2, 0], [0, 3, 4], [5, 0, 6]])?;
/// assert_eq!(cuprum::scipy::linalg::bandwidth(&a)?, (2, 1));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of another number of axes than 2.
///
/// # Synchronization
///
/// Downloads both numbers.
#[routine(
    namespace = "scipy.linalg",
    no_cases = "returns host scalars, compared with SciPy's in `gpu/python/tests/test_stats.py`",
    no_programs = "returns host scalars"
)]
pub fn bandwidth(a: &Array) -> Result<(isize, isize)> {
    if a.ndim() != 2 {
        let message = format!("an array of shape {:?}: a bandwidth is that of a matrix", a.shape());
        return Err(Error::new(ErrorKind::Value, message));
    }
    if a.size() == 0 {
        return Ok((0, 0));
    }
    let [rows, columns] = [a.shape()[0], a.shape()[1]];
    let positions = |n: usize, shape: [usize; 2]| arange(0i64, n as i64, 1i64)?.astype(DType::I64)?.reshape(shape);
    let below = math::subtract(&positions(rows, [rows, 1])?, &positions(columns, [1, columns])?)?;
    let below = where_(&logic::not_equal(a, 0)?, &below, 0)?;
    let ends = [statistics::max(&below, Reduce::default())?, statistics::min(&below, Reduce::default())?];
    let ends = stack(&ends, 0)?.to_vec::<i64>()?;
    Ok((ends[0].max(0) as isize, (-ends[1]).max(0) as isize))
}
