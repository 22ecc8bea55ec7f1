//! Filters between sampling rates.
//!
//! A polyphase filter: each result is a sum over every `up`th weight only, so that no inserted zero is
//! multiplied and no dropped result is computed.
//!
//! Lower bound: the input is read and the results are written once; `len(h) / up` products for each result.

use cuprum_kernels::DType;
use cuprum_macros::signature;

use super::ndimage::BorderRule;
use crate::array::Array;
use crate::engine::{Resampling, fill, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axis, shape_text};
use crate::scalar::Scalar;

/// Options of [`upfirdn`]: the axis, the border, and the results that are computed.
///
/// ```
/// use cuprum::scipy::ndimage::BorderRule;
/// use cuprum::scipy::signal::{UpfirdnOptions, upfirdn};
/// let x = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let along_columns = UpfirdnOptions::new().axis(0).mode(BorderRule::Nearest, 0.0);
/// assert_eq!(upfirdn(&[1.0, 1.0], &x, 1, 1, &along_columns)?.shape(), [3, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpfirdnOptions {
    axis: isize,
    rule: BorderRule,
    cval: f64,
    shift: usize,
    out: Option<Array>,
}

crate::array::default_options!(UpfirdnOptions);

impl Default for UpfirdnOptions {
    fn default() -> Self {
        UpfirdnOptions { axis: -1, rule: BorderRule::Constant, cval: 0.0, shift: 0, out: None }
    }
}

impl UpfirdnOptions {
    /// The last axis, zeros beyond its ends, and all results.
    pub fn new() -> UpfirdnOptions {
        UpfirdnOptions::default()
    }

    /// Filters along this axis.
    ///
    /// By default the last one; negative ones count from the end.
    pub fn axis(mut self, axis: isize) -> UpfirdnOptions {
        self.axis = axis;
        self
    }

    /// Continues the input by a rule, with `cval` if that is [`BorderRule::Constant`].
    ///
    /// By default the input is continued by zeros; SciPy's parameters `mode` and `cval`.
    pub fn mode(mut self, rule: BorderRule, cval: f64) -> UpfirdnOptions {
        (self.rule, self.cval) = (rule, cval);
        self
    }

    /// Sets the position of the first result at the higher rate; by default 0.
    ///
    /// It removes the delay of a symmetric filter: half of its length less one, rounded down.
    ///
    /// ```
    /// use cuprum::scipy::signal::{UpfirdnOptions, upfirdn};
    /// let x = cuprum::array([1.0, 2.0, 3.0])?;
    /// let centred = upfirdn(&[0.0, 1.0, 0.0], &x, 1, 1, &UpfirdnOptions::new().shift(1))?;
    /// assert_eq!(centred.to_vec::<f64>()?[..3], [1.0, 2.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shift(mut self, shift: usize) -> UpfirdnOptions {
        self.shift = shift;
        self
    }

    /// Writes as many results as an array has along the axis.
    ///
    /// Its other axes are those of the input. SciPy has no such parameter: it returns all results.
    ///
    /// ```
    /// use cuprum::scipy::signal::{UpfirdnOptions, upfirdn};
    /// let (x, out) = (cuprum::array([1.0, 2.0, 3.0])?, cuprum::zeros(2, ())?);
    /// upfirdn(&[1.0], &x, 1, 1, &UpfirdnOptions::new().out(&out))?;
    /// assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(mut self, out: &Array) -> UpfirdnOptions {
        self.out = Some(out.clone());
        self
    }
}

/// Inserts `up` - 1 zeros after each element along an axis, filters by weights, and keeps every `down`th result;
/// SciPy's `scipy.signal.upfirdn`. A new result is as long as all positions that an element reaches, and has the dtype
/// of the input if that is floating-point or complex, otherwise float64; sums are computed in float64.
///
/// ```
/// use cuprum::scipy::signal::{UpfirdnOptions, upfirdn};
/// let x = cuprum::array([1.0, 2.0, 3.0])?;
/// let y = upfirdn(&[1.0, 1.0], &x, 2, 1, &UpfirdnOptions::new())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without weights, for `up` or `down` of 0, and an output whose other axes differ from those of
/// the input; [`ErrorKind::Axis`].
#[signature]
pub fn upfirdn(h: &[f64], x: &Array, up: usize, down: usize, options: &UpfirdnOptions) -> Result<Array> {
    let axis = normalize_axis(options.axis, x.ndim())?;
    if h.is_empty() || up == 0 || down == 0 {
        let message = format!("upfirdn: {} weights, up {up} and down {down}: each must be at least 1", h.len());
        return Err(Error::new(ErrorKind::Value, message));
    }
    let n = x.shape()[axis];
    let out = match &options.out {
        Some(out) => out.clone(),
        None => {
            let mut shape: Dims = x.shape().into();
            let reached = if n == 0 { 0 } else { (n - 1) * up + h.len() };
            shape[axis] = reached.saturating_sub(options.shift).div_ceil(down);
            let dtype = if x.dtype().is_float() || x.dtype().is_complex() { x.dtype() } else { DType::F64 };
            make::empty(x.device(), &shape, dtype)?
        }
    };
    let fits = out.ndim() == x.ndim() && (0..x.ndim()).all(|d| d == axis || out.shape()[d] == x.shape()[d]);
    if !fits || (x.dtype().is_complex() && !out.dtype().is_complex()) {
        let (one, two) = (shape_text(out.shape()), shape_text(x.shape()));
        let message = format!("upfirdn: output of shape {one} does not fit the input of shape {two}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let resampling = Resampling { weights: h, up, down, shift: options.shift, rule: options.rule, cval: options.cval };
    let run = |x: &Array, out: &Array| {
        if n == 0 { fill(out, Scalar::from(0)) } else { resampling.run(x, axis, out) }
    };
    if !out.dtype().is_complex() {
        run(x, &out)?;
        return Ok(out);
    }
    let x = if x.may_share_memory(&out) { &x.copy(Order::C)? } else { x };
    run(&x.real(), &out.real())?;
    if x.dtype().is_complex() {
        run(&x.imag()?, &out.imag()?)?;
    } else {
        fill(&out.imag()?, Scalar::from(0))?;
    }
    Ok(out)
}
