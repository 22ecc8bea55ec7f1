//! Writing to diagonals; NumPy's `fill_diagonal`.
//!
//! A diagonal is a view whose stride is the sum of the strides: filling it costs as many writes as it has elements.

use cuprum_macros::{Options, routine};

use super::flat::write_over_and_over;
use crate::array::{Array, Operand};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::{Layout, shape_text};

/// Options of [`fill_diagonal`].
///
/// A boolean converts to options that set `wrap`.
///
/// ```
/// use cuprum::{DType, fill_diagonal, zeros};
/// let a = zeros([4, 1], DType::I32)?;
/// fill_diagonal(&a, 1, true)?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 0, 1, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct FillDiagonalOptions {
    /// If true, the diagonal of a tall matrix starts again one row below its end. By default `false`.
    #[from]
    pub wrap: bool,
}

/// Writes values to the main diagonal, in place: a scalar, or the elements of an array repeated cyclically; NumPy's
/// `fill_diagonal`. With more than two axes, all of one length, the diagonal has equal indices along all axes.
///
/// Nothing is returned: `a` is changed, through a view of any layout as well. In a matrix that is not square the
/// diagonal has as many elements as the shorter axis. Values are cast to the dtype of `a`.
///
/// ```
/// let a = cuprum::zeros([3, 3], cuprum::DType::I32)?;
/// cuprum::fill_diagonal(&a, 7, ())?;
/// assert_eq!(a.to_vec::<i32>()?, [7, 0, 0, 0, 7, 0, 0, 0, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of fewer than two axes or of more than two of different lengths, and those of
/// [`Array::fill`].
#[routine(python(written = "val", changes_first))]
pub fn fill_diagonal(a: &Array, val: Operand<'_>, options: FillDiagonalOptions) -> Result<()> {
    let (shape, n) = (a.shape(), a.ndim());
    if n < 2 || n > 2 && shape.iter().any(|&m| m != shape[0]) {
        let message =
            format!("an array of shape {} has no diagonal: it has two axes, or more of one length", shape_text(shape));
        return Err(Error::new(ErrorKind::Value, message));
    }
    engine::one_device(a, if let Operand::Array(b) = val { Some(b) } else { None })?;
    a.check_writable()?;
    let step: i64 = a.strides().iter().sum();
    let view = |shape: &[usize], strides: &[i64], rows_down: usize| {
        let offset = (a.layout().offset as i64 + rows_down as i64 * a.strides()[0]) as usize;
        a.with_layout(Layout { shape: shape.into(), strides: strides.into(), offset })
    };
    let length = shape.iter().copied().min().unwrap_or(0);
    if !options.wrap || n > 2 || shape[0] <= shape[1] || length == 0 {
        return write_over_and_over(&view(&[length], &[step], 0), val);
    }
    // A diagonal, a skipped row, a diagonal: whole periods, and the beginning of another.
    let (rows, columns) = (shape[0], shape[1]);
    let period = columns + 1;
    let (whole, rest) = (rows / period, (rows % period).min(columns));
    let parts = [
        view(&[whole, columns], &[period as i64 * a.strides()[0], step], 0),
        view(&[rest], &[step], if rest > 0 { whole * period } else { 0 }),
    ];
    match val {
        Operand::Array(values) if values.size() > 1 => {
            let line = engine::make::empty(a.device(), &[whole * columns + rest], a.dtype())?;
            write_over_and_over(&line, val)?;
            let cut = |from: usize, to: usize| {
                line.index([Index::Slice(Slice { start: Some(from as i64), stop: Some(to as i64), step: None })])
            };
            parts[0].assign(cut(0, whole * columns)?.reshape([whole, columns])?)?;
            parts[1].assign(cut(whole * columns, whole * columns + rest)?)
        }
        val => parts.iter().try_for_each(|part| write_over_and_over(part, val)),
    }
}
