//! Window functions: `bartlett`, `blackman`, `hamming`, `hanning` and `kaiser`.
//!
//! Each window is symmetric, of `points` elements in float64, computed by one kernel from the index of the element; one
//! point is 1. [`scipy::signal::windows`](crate::scipy::signal::windows) has more windows, periodic ones among them.
//!
//! | window | element k of n, with x = k / (n - 1) |
//! |---|---|
//! | `bartlett` | 1 - abs(2 x - 1) |
//! | `blackman` | 0.42 - 0.5 cos(2 π x) + 0.08 cos(4 π x) |
//! | `hamming` | 0.54 - 0.46 cos(2 π x) |
//! | `hanning` | 0.5 - 0.5 cos(2 π x) |
//! | `kaiser` | I0(β √(1 - (2 x - 1)²)) / I0(β) |

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::{self, Form, Generating};
use crate::error::Result;

/// Defines window functions.
macro_rules! windows {
    ($($(#[$doc:meta])* $name:ident = $form:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// The result is float64, and empty for a length of 0 or less.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`](crate::ErrorKind::Value) for more elements than can be addressed,
        /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
        #[routine(names = "M", python(rounded = [("M", Rounding::Exact)]))]
        pub fn $name(points: isize) -> Result<Array> {
            window(Form::$form, points, 0.0)
        }
    )+};
}
windows! {
    /// Bartlett window, a triangle that is 0 at its ends; NumPy's `bartlett`.
    bartlett = Bartlett;
    /// Blackman window, a constant and two cosines, close to 0 at its ends; NumPy's `blackman`.
    blackman = Blackman;
    /// Hamming window, a raised cosine that is 0.08 at its ends; NumPy's `hamming`.
    hamming = Hamming;
    /// Hann window, a raised cosine that is 0 at its ends; NumPy's `hanning`.
    ///
    /// ```
    /// assert_eq!(cuprum::hanning(3)?.to_vec::<f64>()?, [0.0, 1.0, 0.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    hanning = Hanning;
}

/// Kaiser window of shape parameter `beta`; NumPy's `kaiser`.
///
/// The result is float64, and empty for a length of 0 or less. `beta` of 0 is a rectangle; 5 is close to the Hamming
/// window, 8.6 to the Blackman window. The modified Bessel function is [`i0`](crate::i0())'s.
///
/// ```
/// assert_eq!(cuprum::kaiser(3, 0.0)?.to_vec::<f64>()?, [1.0, 1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`hanning`].
#[routine(names = "M beta", python(rounded = [("M", Rounding::Exact)]))]
pub fn kaiser(points: isize, beta: f64) -> Result<Array> {
    window(Form::Kaiser, points, beta)
}

fn window(form: Form, points: isize, beta: f64) -> Result<Array> {
    let (device, n) = (Device::current()?, points.max(0) as usize);
    if n == 1 {
        return engine::make::full(device, &[1], 1.0, DType::F64);
    }
    let out = engine::make::empty(device, &[n], DType::F64)?;
    let numbers = [n as f64 - 1.0, beta, 0.0].map(Into::into);
    Generating { numbers, ..Generating::new(form, 0, &[1], &out) }.run()?;
    Ok(out)
}
