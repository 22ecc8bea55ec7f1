//! Rational filters and cascades of sections of order 2 along an axis.
//!
//! A filter with feedback is a linear recurrence, whose state is scanned over chunks of the axis; see
//! [`Filter`]. Filters without feedback are windows along the axis. Complex
//! coefficients have complex states; real ones filter the real and the imaginary parts of a complex input.

use cuprum_kernels::DType;
use cuprum_macros::signature;
use num_complex::Complex64;

use super::ndimage::{AxisOp, AxisWindow, BorderRule, filter_axes};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::{Filter, copy, make, recurrence};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axis, shape_text};
use crate::routines::linalg;
use crate::routines::math;
use crate::scan::part;

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// A filter along an axis, whose state before the first element is 0 unless it is passed.
///
/// ```
/// use cuprum::scipy::signal::{LinearFilterOptions, lfilter};
/// let x = cuprum::array([1.0, 1.0, 1.0])?;
/// let options = LinearFilterOptions::new().zi(&cuprum::array([4.0])?);
/// // y[n] = x[n] + y[n - 1] / 2
/// let (y, state) = lfilter(&[1.0], &[1.0, -0.5], &x, 0, &options)?;
/// assert_eq!(y.to_vec::<f64>()?, [5.0, 3.5, 2.75]);
/// assert_eq!(state.unwrap().to_vec::<f64>()?, [1.375]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinearFilterOptions {
    zi: Option<Array>,
    dtype: Option<DType>,
    out: Option<Array>,
}

crate::array::default_options!(LinearFilterOptions);

impl LinearFilterOptions {
    /// The state 0, and a new result.
    pub fn new() -> LinearFilterOptions {
        LinearFilterOptions::default()
    }

    /// Starts from a state, whose shape is that of the input with the length of the filtered axis replaced by the order
    /// of the filter; for cascades an axis of sections is in front, and the length is 2. The axes may be broadcast.
    ///
    /// SciPy's parameter `zi`. With it the functions return the state after the last element too, which
    /// continues the filter at the next block of a signal.
    ///
    /// ```
    /// use cuprum::scipy::signal::{LinearFilterOptions, lfilter};
    /// let (first, second) = (cuprum::array([1.0, 0.0])?, cuprum::array([0.0, 0.0])?);
    /// let start = LinearFilterOptions::new().zi(&cuprum::array([0.0])?);
    /// let (_, state) = lfilter(&[1.0], &[1.0, -0.5], &first, 0, &start)?;
    /// let next = LinearFilterOptions::new().zi(&state.unwrap());
    /// let (y, _) = lfilter(&[1.0], &[1.0, -0.5], &second, 0, &next)?;
    /// assert_eq!(y.to_vec::<f64>()?, [0.25, 0.125]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn zi(mut self, zi: &Array) -> LinearFilterOptions {
        self.zi = Some(zi.clone());
        self
    }

    /// Sets the dtype of the result.
    ///
    /// By default it is that of the input and the coefficients, float64 for integers.
    pub fn dtype(mut self, dtype: DType) -> LinearFilterOptions {
        self.dtype = Some(dtype);
        self
    }

    /// Writes the result to an array, which may be the input.
    ///
    /// It has the shape of the input.
    pub fn out(mut self, out: &Array) -> LinearFilterOptions {
        self.out = Some(out.clone());
        self
    }

    fn output(&self, function: &str, x: &Array, complex: bool) -> Result<Array> {
        let dtype = match x.dtype() {
            DType::F32 if complex => DType::C64,
            kept if kept.is_complex() || (kept.is_float() && !complex) => kept,
            _ if complex => DType::C128,
            _ => DType::F64,
        };
        let out = match &self.out {
            None => make::empty(x.device(), x.shape(), self.dtype.unwrap_or(dtype))?,
            Some(out) => out.clone(),
        };
        if out.shape() != x.shape() || ((complex || x.dtype().is_complex()) && !out.dtype().is_complex()) {
            let (one, two) = (shape_text(out.shape()), shape_text(x.shape()));
            return wrong(format!(
                "{function}: an output of shape {one} and dtype {} does not fit an input of shape {two} and dtype {}{}",
                out.dtype(),
                x.dtype(),
                if complex { " with complex coefficients" } else { "" }
            ));
        }
        Ok(out)
    }
}

/// Coefficient of a filter: a float64 or complex128 number.
pub trait FilterCoefficient: Copy + private::Sealed {
    /// True if the numbers are complex, and thereby the results.
    const IS_COMPLEX: bool;

    /// Returns the number as a complex one.
    fn to_complex(self) -> Complex64;
}

impl FilterCoefficient for f64 {
    const IS_COMPLEX: bool = false;

    fn to_complex(self) -> Complex64 {
        self.into()
    }
}

impl FilterCoefficient for Complex64 {
    const IS_COMPLEX: bool = true;

    fn to_complex(self) -> Complex64 {
        self
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for num_complex::Complex64 {}
}

/// The real or the imaginary part of an array.
type Part = fn(&Array) -> Result<Array>;

/// Returns a copy with an axis at the end, in float64 or complex128.
fn states_last(zi: &Array, axis: usize, dtype: DType) -> Result<Array> {
    zi.moveaxis(axis as isize, -1)?.astype(dtype)?.copy(Order::C)
}

fn imaginary(a: &Array) -> Result<Array> {
    if a.dtype().is_complex() { a.imag() } else { make::zeros(a.device(), a.shape(), DType::F64) }
}

/// Calls a filter: `run(input, states before, states after, output)`. If its coefficients are real it is called with
/// states in float64, for each part of a complex array, otherwise once, with states in complex128.
fn by_parts(
    complex: bool,
    x: &Array,
    out: &Array,
    zi: Option<&Array>,
    axis: usize,
    mut run: impl FnMut(&Array, Option<&Array>, Option<&Array>, &Array) -> Result<()>,
) -> Result<Option<Array>> {
    if x.size() == 0 {
        // No element changes the states.
        return zi.map(|zi| zi.astype(out.dtype())?.copy(Order::C)).transpose();
    }
    let last = |zi: &Array, dtype: DType| {
        let mut shape: Dims = zi.shape().into();
        let n = shape.remove(axis);
        shape.push(n);
        make::empty(x.device(), &shape, dtype)
    };
    if complex || !out.dtype().is_complex() {
        let dtype = if complex { DType::C128 } else { DType::F64 };
        let before = zi.map(|zi| states_last(zi, axis, dtype)).transpose()?;
        let after = zi.map(|zi| last(zi, dtype)).transpose()?;
        run(x, before.as_ref(), after.as_ref(), out)?;
        return after.map(|a| a.moveaxis(-1, axis as isize)?.astype(out.dtype())).transpose();
    }
    let x = if x.may_share_memory(out) { &x.copy(Order::C)? } else { x };
    let after = zi.map(|zi| last(zi, DType::C128)).transpose()?;
    let parts: [(Part, Array); 2] = [(|a| Ok(a.real()), out.real()), (imaginary, out.imag()?)];
    for (part_of, out) in parts {
        let before = zi.map(|zi| states_last(&part_of(zi)?, axis, DType::F64)).transpose()?;
        let after = after.as_ref().map(part_of).transpose()?;
        run(&part_of(x)?, before.as_ref(), after.as_ref(), &out)?;
    }
    after.map(|a| a.moveaxis(-1, axis as isize)?.astype(out.dtype())).transpose()
}

/// Filters along an axis by the difference equation `a[0] y[i] = sum(b[k] x[i - k]) - sum(a[k] y[i - k], k >= 1)`;
/// SciPy's `scipy.signal.lfilter`. Returns the result and, if a state was passed, the state after the last element.
///
/// The result has the dtype of the input if that is floating-point or complex, otherwise float64, and the corresponding
/// complex dtype for complex coefficients, unless the options name one; sums are computed in float64. A recurrence of
/// at most 17 coefficients, or 9 complex ones, is computed as a scan of states: a result differs from that of the
/// sequential sums by their rounding. One of more coefficients is computed one element after another, the lines in
/// parallel.
///
/// ```
/// use cuprum::scipy::signal::{LinearFilterOptions, lfilter};
/// let x = cuprum::ones([5], ())?;
/// let (y, _) = lfilter(&[1.0], &[1.0, -0.5], &x, -1, &LinearFilterOptions::new())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.5, 1.75, 1.875, 1.9375]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients that are empty or begin with `a[0] = 0`, and a state or an output of another
/// shape; [`ErrorKind::NotImplemented`] for more than 2,049 coefficients a, or 1,025 complex ones; [`ErrorKind::Axis`].
#[signature]
pub fn lfilter<T: FilterCoefficient>(
    b: &[T],
    a: &[T],
    x: &Array,
    axis: isize,
    options: &LinearFilterOptions,
) -> Result<(Array, Option<Array>)> {
    let axis = normalize_axis(axis, x.ndim())?;
    let out = options.output("lfilter", x, T::IS_COMPLEX)?;
    let [b, a]: [Vec<Complex64>; 2] = [b, a].map(|list| list.iter().map(|c| c.to_complex()).collect());
    let zero = Complex64::default();
    if b.is_empty() || a.first().is_none_or(|first| *first == zero) {
        return wrong("lfilter: b and a must have coefficients, and a[0] must not be 0".into());
    }
    let complex = b.iter().chain(&a).any(|c| c.im != 0.0);
    let (most, longest) = (Filter::most(complex), Filter::longest(complex));
    if a.len() - 1 > longest {
        let message = format!("lfilter: {} coefficients a are more than {}: use sosfilt", a.len(), longest + 1);
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    let order = a.len().max(b.len()) - 1;
    // A quotient of real numbers is rounded once.
    let quotient = |c: &Complex64| if a[0].im == 0.0 { c.unscale(a[0].re) } else { c / a[0] };
    let scaled = |list: &[Complex64], n: usize| -> Vec<Complex64> {
        list.iter().map(quotient).chain(std::iter::repeat(zero)).take(n.max(list.len())).collect()
    };
    let mut shape: Dims = x.shape().into();
    shape[axis] = order;
    let zi = options.zi.as_ref().map(|zi| states_of("lfilter", zi, &shape)).transpose()?;
    let after = by_parts(complex, x, &out, zi.as_ref(), axis, |x, before, after, out| {
        if order == 0 {
            return scale(x, quotient(&b[0]), complex, out);
        }
        if a.len() > 1 && b.len() - 1 <= most.max(a.len() - 1) {
            let filter = Filter::Rational { above: scaled(&b, order + 1), below: scaled(&a, order + 1) };
            return recurrence(x, axis, &filter, before, after, out);
        }
        long(&scaled(&b, 1), &scaled(&a, 1), (x, axis), before, after, out)
    })?;
    Ok((out, after))
}

fn scale(x: &Array, factor: Complex64, complex: bool, out: &Array) -> Result<()> {
    // In the precision of the result.
    let x = x.astype(out.dtype())?;
    copy(&if complex { math::multiply(&x, factor)? } else { math::multiply(&x, factor.re)? }, out)
}

/// Returns an array of real numbers, or of complex ones if one has an imaginary part.
fn numbers(device: Device, list: &[Complex64], complex: bool, shape: &[usize]) -> Result<Array> {
    if complex {
        return make::of(device, list, shape);
    }
    make::of(device, &list.iter().map(|c| c.re).collect::<Vec<_>>(), shape)
}

/// Checks the shape of states, and broadcasts them to it.
fn states_of(function: &str, zi: &Array, shape: &[usize]) -> Result<Array> {
    let fits = zi.ndim() == shape.len() && zi.shape().iter().zip(shape).all(|(n, m)| n == m || *n == 1);
    if !fits {
        let (one, two) = (shape_text(zi.shape()), shape_text(shape));
        return wrong(format!("{function}: the shape of the initial state is {one}, and {two} is needed"));
    }
    zi.broadcast_to_shape(shape)
}

/// Filters by more coefficients of the input than a recurrence has states: the weighted sums first, to whose first
/// results the state is added, then the recurrence of the results.
fn long(
    b: &[Complex64],
    a: &[Complex64],
    (x, axis): (&Array, usize),
    before: Option<&Array>,
    after: Option<&Array>,
    out: &Array,
) -> Result<()> {
    let (n, order) = (x.shape()[axis], a.len().max(b.len()) - 1);
    let complex = b.iter().chain(a).any(|c| c.im != 0.0);
    let weighted = |part_of: fn(&Complex64) -> f64| {
        let sums = make::empty(x.device(), x.shape(), if x.dtype().is_complex() { DType::C128 } else { DType::F64 })?;
        let window = AxisWindow {
            axis,
            op: AxisOp::Weights(b.iter().rev().map(part_of).collect()),
            origin: (b.len() - 1) as isize - (b.len() / 2) as isize,
            mode: BorderRule::Constant,
            cval: Complex64::default(),
        };
        filter_axes(x, &[window], &sums)?;
        Ok(sums)
    };
    let mut sums = weighted(|c| c.re)?;
    if complex {
        sums = math::add(&sums, math::multiply(weighted(|c| c.im)?, Complex64::i())?)?;
    }
    let dtype = sums.dtype();
    let begun = order.min(n) as i64;
    let first = before.map(|zi| zi.moveaxis(-1, axis as isize)).transpose()?;
    if let Some(zi) = &first {
        let to = part(&sums, axis, ..begun)?;
        copy(&math::add(&to, part(zi, axis, ..begun)?)?, &to)?;
    }
    let mut results = sums;
    if a.len() > 1 {
        let mut above = vec![Complex64::default(); a.len()];
        above[0].re = 1.0;
        let filter = Filter::Rational { above, below: a.into() };
        let target = if after.is_some() { make::empty(x.device(), x.shape(), dtype)? } else { out.clone() };
        recurrence(&results, axis, &filter, None, None, &target)?;
        results = target;
    }
    if let (Some(after), Some(zi)) = (after, &first) {
        // State k is the part of result n + k that the elements up to n lead to.
        let tail = |array: &Array| part(array, axis, n as i64 - begun..)?.moveaxis(axis as isize, -1)?.astype(dtype);
        let hankel = |c: &[Complex64]| {
            let entry = |i: usize| c.get(begun as usize - i / order + i % order).copied().unwrap_or_default();
            let all: Vec<Complex64> = (0..begun as usize * order).map(entry).collect();
            numbers(x.device(), &all, complex, &[begun as usize, order])
        };
        let mut sum = linalg::matmul(tail(x)?, hankel(b)?)?;
        if a.len() > 1 {
            sum = math::subtract(sum, linalg::matmul(tail(&results)?, hankel(a)?)?)?;
        }
        copy(&sum, after)?;
        if n < order {
            let to = part(after, after.ndim() - 1, ..(order - n) as i64)?;
            copy(&math::add(&to, part(zi, axis, n as i64..)?.moveaxis(axis as isize, -1)?)?, &to)?;
        }
    }
    if results.addr() != out.addr() {
        copy(&results, out)?;
    }
    Ok(())
}

/// Filters along an axis by a cascade of sections of order 2, each with three coefficients of the input and three of
/// the result; SciPy's `scipy.signal.sosfilt`. Returns the result and, if a state was passed, the state after the last
/// element.
///
/// Up to eight sections, or four with complex coefficients, are computed in one pass. Dtypes and rounding are those of
/// [`lfilter`].
///
/// ```
/// use cuprum::scipy::signal::{LinearFilterOptions, sosfilt};
/// let x = cuprum::ones([3], ())?;
/// let (y, _) = sosfilt(&[[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], &x, -1, &LinearFilterOptions::new())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.5, 1.75]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without a section, for a section whose fourth coefficient is not 1, and a state or an output of
/// another shape; [`ErrorKind::Axis`].
#[signature]
pub fn sosfilt<T: FilterCoefficient>(
    sos: &[[T; 6]],
    x: &Array,
    axis: isize,
    options: &LinearFilterOptions,
) -> Result<(Array, Option<Array>)> {
    let axis = normalize_axis(axis, x.ndim())?;
    let out = options.output("sosfilt", x, T::IS_COMPLEX)?;
    let sos: Vec<[Complex64; 6]> = sos.iter().map(|section| section.map(T::to_complex)).collect();
    if sos.is_empty() || sos.iter().any(|section| section[3] != Complex64::from(1.0)) {
        return wrong("sosfilt: sos must have sections, and sos[:, 3] must be ones".into());
    }
    let mut shape: Dims = x.shape().into();
    shape[axis] = 2;
    shape.insert(0, sos.len());
    let zi = options.zi.as_ref().map(|zi| states_of("sosfilt", zi, &shape)).transpose()?;
    // The states of a line along the last two axes: sections, and two for each.
    let zi = zi.map(|zi| zi.moveaxis(0, -1)).transpose()?;
    let sections: Vec<[Complex64; 5]> = sos.iter().map(|s| [s[0], s[1], s[2], s[4], s[5]]).collect();
    let complex = sections.iter().flatten().any(|c| c.im != 0.0);
    let most = Filter::most(complex) / 2;
    let after = by_parts(complex, x, &out, zi.as_ref(), axis, |x, before, after, out| {
        for (k, some) in sections.chunks(most).enumerate() {
            let range = (k * most) as i64..(k * most + some.len()) as i64;
            // The last two axes are sections and states after `states_last`.
            let states = |a: &Array| -> Result<Array> {
                let some = part(a, a.ndim() - 2, range.clone())?.copy(Order::C)?;
                let mut shape: Dims = some.shape()[..some.ndim() - 2].into();
                shape.push(2 * (range.end - range.start) as usize);
                some.reshape(shape.as_slice())
            };
            let first = before.map(states).transpose()?;
            let last = after.map(states).transpose()?;
            let filter = Filter::Cascade(some.to_vec());
            recurrence(if k == 0 { x } else { out }, axis, &filter, first.as_ref(), last.as_ref(), out)?;
            if let (Some(last), Some(after)) = (&last, after) {
                let to = part(after, after.ndim() - 2, range.clone())?;
                copy(&last.reshape(to.shape())?, &to)?;
            }
        }
        Ok(())
    })?;
    Ok((out, after.map(|a| a.moveaxis(-1, 0)).transpose()?))
}
