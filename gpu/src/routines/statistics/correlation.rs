//! Covariance, correlation coefficients, and correlation and convolution of sequences.
//!
//! A covariance is a matrix product of the centred variables with their conjugate transposes.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use super::{AverageOptions, average_returned};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{Correlation, make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Ellipsis, NewAxis, s};
use crate::layout::{Order, shape_text};
use crate::routines::linalg::matmul;
use crate::routines::logic;
use crate::routines::logic::{all, any, less};
use crate::routines::manipulation::real;
use crate::routines::math::{conjugate, maximum, minimum, multiply, rint, sqrt, subtract, sum, true_divide};

/// Options of [`cov`], with NumPy's defaults.
///
/// With the defaults rows are variables, columns observations, and the divisor is the number of observations less one.
///
/// ```
/// use cuprum::{CovOptions, array, cov};
/// let a = array([[0.0, 2.0], [0.0, 4.0]])?;
/// assert_eq!(cov(&a, ())?.to_vec::<f64>()?, [2.0, 4.0, 4.0, 8.0]);
/// assert_eq!(cov(&a, CovOptions { bias: true, ..Default::default() })?.to_vec::<f64>()?, [1.0, 2.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct CovOptions<'a> {
    /// Additional variables, in the same form as the first operand.
    #[from]
    pub y: Option<&'a Array>,
    /// If true, a variable is a column, not a row; NumPy's `rowvar=False`. By default variables are rows.
    #[keyword(not rowvar)]
    pub columns: bool,
    /// If true, the divisor is the number of observations, not one less. By default `false`.
    pub bias: bool,
    /// The number subtracted from that of observations, in place of the above.
    pub ddof: Option<i64>,
    /// The frequency weights: integers, the number of occurrences of each observation.
    pub fweights: Option<&'a Array>,
    /// The weights of the observations.
    pub aweights: Option<&'a Array>,
    /// The dtype of the result; by default at least float64.
    pub dtype: Option<DType>,
}

fn value_error<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Covariance matrix of variables; NumPy's `cov`. A variable is a row of `m`, which has at most two axes.
///
/// ```
/// use cuprum::CovOptions;
/// let m = cuprum::Array::from_slice(&[1.0, 2.0, 3.0, 6.0, 4.0, 2.0], [2, 3])?;
/// assert_eq!(cuprum::cov(&m, ())?.to_vec::<f64>()?, [1.0, -2.0, -2.0, 4.0]);
/// // Of data in rows of observations, the variables are the columns.
/// let columns = CovOptions::new().rowvar(false);
/// assert_eq!(cuprum::cov(m.t(), columns)?.to_vec::<f64>()?, [1.0, -2.0, -2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for more than two axes, for different numbers of observations and for weights of more than one
/// axis or below zero; [`ErrorKind::Type`] for frequencies that are not integers, and for an integer or boolean
/// `dtype`.
/// # Synchronization
///
/// With weights, synchronises to check them.
#[routine(python(keyword_only = 1))]
pub fn cov(m: &Array, options: CovOptions<'_>) -> Result<Array> {
    covariances(m, &options)
}

/// Returns the observations with a row for each variable.
fn observations(m: &Array, columns: bool, dtype: DType) -> Result<Array> {
    let whole = m.astype(dtype)?;
    match m.ndim() {
        0 => whole.reshape([1, 1]),
        1 => whole.expand_dims([0]),
        _ if columns => Ok(whole.t()),
        _ => Ok(whole),
    }
}

fn covariances(m: &Array, o: &CovOptions<'_>) -> Result<Array> {
    if let Some(a) = std::iter::once(m).chain(o.y).find(|a| a.ndim() > 2) {
        return value_error(format!("an operand of shape {} has more than two axes", shape_text(a.shape())));
    }
    let dtype = o.dtype.unwrap_or_else(|| {
        let dtype = promote_types(m.dtype(), DType::F64);
        o.y.map_or(dtype, |y| promote_types(dtype, y.dtype()))
    });
    let mut x = observations(m, o.columns, dtype)?;
    if x.shape()[0] == 0 {
        return make::empty(m.device(), &[0, 0], DType::F64);
    }
    if !(dtype.is_float() || dtype.is_complex()) {
        let message =
            format!("dtype is {dtype}: differences from a mean are floats, give float32, float64 or a complex dtype");
        return Err(Error::new(ErrorKind::Type, message));
    }
    if let Some(y) = o.y {
        // A single row is one variable whatever `columns` is.
        let columns = o.columns && !(y.ndim() == 2 && y.shape()[0] == 1);
        let y = observations(y, columns, dtype)?;
        if x.shape()[1] != y.shape()[1] {
            let shapes = format!("{} and {}", shape_text(x.shape()), shape_text(y.shape()));
            return value_error(format!("variables of shapes {shapes} differ in the number of observations"));
        }
        let rows = x.shape()[0];
        let both = make::empty(x.device(), &[rows + y.shape()[0], x.shape()[1]], dtype)?;
        both.index(s![..rows as i64])?.assign(&x)?;
        both.index(s![rows as i64..])?.assign(&y)?;
        x = both;
    }
    let n = x.shape()[1];
    let weights = weights(o, n)?;
    let (mean, scale) = average_returned(&x, AverageOptions { weights: weights.as_ref(), ..AverageOptions::from(1) })?;
    let ddof = o.ddof.unwrap_or(if o.bias { 0 } else { 1 }) as f64;
    let degrees = match &weights {
        None => n as f64 - ddof,
        Some(w) => {
            let total = real(&scale.index(s![0])?).astype(DType::F64)?.item::<f64>()?;
            match o.aweights {
                _ if ddof == 0.0 => total,
                None => total - ddof,
                Some(a) => total - ddof * sum(&multiply(w, a)?, ())?.astype(DType::F64)?.item::<f64>()? / total,
            }
        }
    };
    let x = subtract(&x, &mean.index(s![Ellipsis, NewAxis])?)?;
    let weighed = match &weights {
        Some(w) => multiply(&x, w)?,
        None => x.clone(),
    };
    let products = matmul(&x, &conjugate(weighed.t())?)?;
    // The weights have promoted a narrower dtype to float64.
    multiply(&products, 1.0 / degrees.max(0.0))?.squeeze(())
}

/// Returns the product of both weights, after checking them.
fn weights(o: &CovOptions<'_>, n: usize) -> Result<Option<Array>> {
    let checked = |w: &Array, name: &str| -> Result<Array> {
        let w = w.astype(DType::F64)?;
        if name == "fweights" && !all(&logic::equal(&w, &rint(&w)?)?, ())?.item::<bool>()? {
            return Err(Error::new(ErrorKind::Type, "fweights are no whole numbers"));
        }
        if w.ndim() > 1 {
            return value_error(format!("{name} has the shape {}, more than one axis", shape_text(w.shape())));
        }
        if w.shape() != [n] {
            return value_error(format!("{name} has the shape {}, there are {n} observations", shape_text(w.shape())));
        }
        if any(&less(&w, 0)?, ())?.item::<bool>()? {
            return value_error(format!("{name} has elements below zero"));
        }
        Ok(w)
    };
    let f = o.fweights.map(|w| checked(w, "fweights")).transpose()?;
    let a = o.aweights.map(|w| checked(w, "aweights")).transpose()?;
    match (f, a) {
        (Some(f), Some(a)) => multiply(&f, &a).map(Some),
        (f, a) => Ok(f.or(a)),
    }
}

/// Pearson correlation coefficients of variables; NumPy's `corrcoef`: covariances divided by the products of the
/// standard deviations. Components are clipped to `[-1, 1]`. Only the options `y`, `columns` and `dtype` are used;
/// `bias` and `ddof` have no effect, because they cancel.
///
/// The result has the shape `[n, n]` for `n` variables, none for one variable, and the dtype of [`cov`].
///
/// ```
/// use cuprum::{array, corrcoef};
/// let c = corrcoef(array([[1.0, 2.0], [4.0, 2.0]])?, ())?;
/// assert_eq!(c.shape(), [2, 2]);
/// assert!((c.index(cuprum::s![0, 1])?.item::<f64>()? + 1.0).abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`cov`].
#[routine(names = "x", keywords = "x y rowvar bias ddof dtype", python(keyword_only = 1, aliases = [("a", "x")], rounded = [("ddof", Rounding::Cut)]))]
pub fn corrcoef(m: &Array, options: CovOptions<'_>) -> Result<Array> {
    let go = || {
        let o = CovOptions { y: options.y, columns: options.columns, dtype: options.dtype, ..CovOptions::default() };
        let c = covariances(m, &o)?;
        if c.ndim() == 0 {
            return true_divide(&c, &c);
        }
        let n = c.shape()[0];
        let diagonal = c.as_strided([n], &[c.strides().iter().sum()])?;
        let deviations = sqrt(real(&diagonal))?;
        let c = true_divide(&c, &deviations.index(s![.., NewAxis])?)?;
        let c = true_divide(&c, &deviations)?;
        let clip = |part: &Array| part.assign(&maximum(&minimum(part, 1.0)?, -1.0)?);
        clip(&real(&c))?;
        if c.dtype().is_complex() {
            clip(&c.imag()?)?;
        }
        Ok(c)
    };
    go().map_err(|e: Error| e.with_op("corrcoef"))
}

/// Extent of a correlation or convolution.
///
/// The names in lower case are NumPy's strings for `mode`.
///
/// ```
/// use cuprum::{CorrelateMode, array, convolve};
/// let (a, v) = (array([1, 2, 3])?, array([1, 1])?);
/// assert_eq!(convolve(&a, &v, CorrelateMode::Full)?.to_vec::<i32>()?, [1, 3, 5, 3]);
/// assert_eq!(convolve(&a, &v, CorrelateMode::Same)?.to_vec::<i32>()?, [1, 3, 5]);
/// assert_eq!(convolve(&a, &v, CorrelateMode::Valid)?.to_vec::<i32>()?, [3, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum CorrelateMode {
    /// Where the sequences overlap completely.
    #[default]
    Valid,
    /// As many results as the longer sequence has elements.
    Same,
    /// At all overlaps.
    Full,
}

/// Options of [`correlate`].
///
/// A [`CorrelateMode`] converts to options that set it; by default `Valid`, as in NumPy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct CorrelateOptions {
    /// The extent of the results; by default where the sequences overlap completely.
    #[from]
    pub mode: CorrelateMode,
}

/// Options of [`convolve`].
///
/// A [`CorrelateMode`] converts to options that set it; by default `Full`, as in NumPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct ConvolveOptions {
    /// The extent of the results; by default all overlaps.
    #[from]
    pub mode: CorrelateMode,
}

impl Default for ConvolveOptions {
    fn default() -> ConvolveOptions {
        ConvolveOptions { mode: CorrelateMode::Full }
    }
}

/// Checks that both sequences have one axis and are not empty, and casts them to one dtype.
fn sequences(a: &Array, v: &Array) -> Result<(Array, Array)> {
    one_device(a, [v])?;
    for (which, array) in [("first", a), ("second", v)] {
        if array.ndim() != 1 {
            return value_error(format!(
                "the {which} operand has the shape {}, not one axis",
                shape_text(array.shape())
            ));
        }
        if array.size() == 0 {
            return value_error(format!("the {which} operand is empty"));
        }
    }
    let dtype = promote_types(a.dtype(), v.dtype());
    let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
    Ok((cast(a)?, cast(v)?))
}

/// Cross-correlation of two sequences, the second of which is conjugated; NumPy's `correlate`.
///
/// The result has one axis of `n - m + 1` (valid), `n` (same) or `n + m - 1` (full) elements for sequences of `n` and
/// `m <= n` elements, and the dtype to which both are promoted.
///
/// Products are summed in that dtype, of float16 in float32. Long sequences of float32 and complex64 are transformed in
/// float64; results whose rounding error may be more than one unit in the last place, infinities and NaN are sums of
/// products there, too.
///
/// ```
/// use cuprum::{Array, CorrelateMode};
/// let a = Array::from_slice(&[1.0, 2.0, 3.0], [3])?;
/// let v = Array::from_slice(&[0.0, 1.0, 0.5], [3])?;
/// assert_eq!(cuprum::correlate(&a, &v, CorrelateMode::Same)?.to_vec::<f64>()?, [2.0, 3.5, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an operand that is empty or does not have one axis.
#[routine]
pub fn correlate(a: &Array, v: &Array, options: CorrelateOptions) -> Result<Array> {
    let go = || {
        let (a, v) = sequences(a, v)?;
        correlation(&a, &v, options.mode, true)
    };
    go().map_err(|e: Error| e.with_op("correlate"))
}

/// Convolution of two sequences; NumPy's `convolve`, whose default is [`CorrelateMode::Full`].
///
/// ```
/// use cuprum::{CorrelateMode, array, convolve};
/// let (a, thirds) = (array([3.0, 6.0, 9.0, 6.0])?, array([1.0, 1.0, 1.0])? / 3.0);
/// assert_eq!(convolve(&a, &thirds, CorrelateMode::Valid)?.to_vec::<f64>()?, [6.0, 7.0]);
/// assert_eq!(convolve(&a, &thirds, ())?.shape(), [6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`correlate`]; a 0-d operand counts as one element.
#[routine]
pub fn convolve(a: &Array, v: &Array, options: ConvolveOptions) -> Result<Array> {
    let go = || {
        let line = |x: &Array| if x.ndim() == 0 { x.reshape([1]) } else { Ok(x.clone()) };
        let (a, v) = sequences(&line(a)?, &line(v)?)?;
        let (a, v) = if v.size() > a.size() { (v, a) } else { (a, v) };
        correlation(&a, &v.index(s![..;-1])?, options.mode, false)
    };
    go().map_err(|e: Error| e.with_op("convolve"))
}

fn correlation(a: &Array, v: &Array, mode: CorrelateMode, conjugates: bool) -> Result<Array> {
    let backwards = a.size() < v.size();
    let (long, short) = if backwards { (v, a) } else { (a, v) };
    let (n, k) = (long.size(), short.size());
    let (count, lead) = match mode {
        CorrelateMode::Valid => (n - k + 1, 0),
        CorrelateMode::Same => (n, k / 2),
        CorrelateMode::Full => (n + k - 1, k - 1),
    };
    let conjugates = conjugates && a.dtype().is_complex();
    // The conjugated second operand is the shorter or the longer sequence.
    let conjugated = conjugates.then(|| conjugate(if backwards { long } else { short })).transpose()?;
    let (long, short) = match &conjugated {
        Some(c) if backwards => (c, short),
        Some(c) => (long, c),
        None => (long, short),
    };
    let out = make::empty(a.device(), &[count], a.dtype())?;
    Correlation { long, short, lead, out: &out }.run()?;
    if backwards { out.index(s![..;-1])?.copy(Order::C) } else { Ok(out) }
}
