//! Radar signals and filter banks: `cupyx.signal`, which SciPy does not have.

use std::sync::LazyLock;

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{signature, unrecorded};

use super::peak_kernels::{Lazy, kernel, run};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::{self, FftOptions};
use crate::index::s;
use crate::kernel::KernelArgument;
use crate::linalg;
use crate::routines::creation::ascontiguousarray;
use crate::routines::{logic, manipulation, math};
use crate::scalar::Scalar;

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns the floating or complex dtype of a computation: float32 for the short ones.
fn computed(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        DType::C64 | DType::C128 => dtype,
        _ => DType::F64,
    }
}

/// Factor of the noise level for a probability of false alarms and a number of reference cells: `n (pfa^(-1/n) - 1)`.
///
/// ```
/// let alpha = cuprum::scipy::signal::cfar_alpha(0.25, 2.0);
/// assert_eq!(alpha, 2.0);
/// ```
#[unrecorded("takes and returns host scalars: compared with its formula in `gpu/python/tests/test_cupyx_signal.py`")]
pub fn cfar_alpha(pfa: f64, n: f64) -> f64 {
    n * (pfa.powf(-1.0 / n) - 1.0)
}

/// Cell-averaging detector with a constant rate of false alarms: the thresholds, and which elements are above theirs.
///
/// `array` has one axis or two, each with a number of guard cells and of reference cells on both sides of the cell under test. A threshold is
/// the mean of the reference cells times [`cfar_alpha`]; cells whose reference cells are not all in the array have 0. Thresholds are float32 for float16,
/// bfloat16 and float32 elements, otherwise float64; sums are those of float64 prefix sums.
///
/// ```
/// use cuprum::{array, scipy::signal::ca_cfar};
/// let echo = array([1.0, 1.0, 1.0, 9.0, 1.0, 1.0, 1.0])?;
/// let (threshold, found) = ca_cfar(&echo, &[1], &[2], 0.1)?;
/// assert_eq!(found.to_vec::<bool>()?[3], true);
/// assert_eq!(threshold.to_vec::<f64>()?[0], 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex elements, other numbers of axes, and another number of cells than axes; [`ErrorKind::Value`] for an axis that has not
/// more cells than guard and reference cells, and without reference cells.
#[unrecorded("has results of cells: compared with direct sums in `gpu/python/tests/test_cupyx_signal.py`")]
pub fn ca_cfar(array: &Array, guard_cells: &[usize], reference_cells: &[usize], pfa: f64) -> Result<(Array, Array)> {
    let axes = array.ndim();
    if axes == 0 || axes > 2 || guard_cells.len() != axes || reference_cells.len() != axes {
        let (guards, references) = (guard_cells.len(), reference_cells.len());
        let message = format!(
            "ca_cfar: an array of {axes} axes, {guards} numbers of guard cells and {references} of reference cells: there are one axis or two, \
             and a number of cells for each"
        );
        return Err(Error::new(ErrorKind::Type, message));
    }
    if array.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "ca_cfar: elements are complex: pass their magnitudes"));
    }
    let reach: Vec<usize> = guard_cells.iter().zip(reference_cells).map(|(g, r)| g + r).collect();
    for (k, reach) in reach.iter().enumerate() {
        if array.shape()[k] <= 2 * reach {
            let n = array.shape()[k];
            return wrong(format!(
                "ca_cfar: axis {k} has {n} cells: it needs more than {} for these parameters",
                2 * reach
            ));
        }
    }
    let cells = |half: &[usize]| half.iter().map(|h| 2 * h + 1).product::<usize>();
    let count = (cells(&reach) - cells(guard_cells)) as f64;
    if count == 0.0 {
        return wrong("ca_cfar: there are no reference cells: one of their numbers must be 1 at least".into());
    }
    // Prefix sums along each axis, from zeros on.
    let mut sums = array.astype(DType::F64)?;
    for k in 0..axes {
        let mut shape = sums.shape().to_vec();
        shape[k] = 1;
        let zeros = make::zeros(array.device(), &shape, DType::F64)?;
        sums = manipulation::concatenate([&zeros, &sums.cumsum(k as isize)?], k as isize)?;
    }
    // Sums of boxes of some cells on both sides of all cells that have their reference cells.
    let boxes = |half: &[usize]| -> Result<Array> {
        let mut all = sums.clone();
        for k in 0..axes {
            let moved = all.moveaxis([k as isize], [0])?;
            let (from, n) = ((reach[k] - half[k]) as i64, array.shape()[k] - 2 * reach[k]);
            let width = 2 * half[k] as i64 + 1;
            let part = |at: i64| moved.index(s![at..at + n as i64]);
            all = math::subtract(part(from + width)?, part(from)?)?.moveaxis([0], [k as isize])?;
        }
        Ok(all)
    };
    let around = math::subtract(boxes(&reach)?, boxes(guard_cells)?)?;
    let levels = math::multiply(&around, cfar_alpha(pfa, count) / count)?;
    let threshold = make::zeros(array.device(), array.shape(), computed(array.dtype()))?;
    let mut inner = threshold.clone();
    for (k, reach) in reach.iter().enumerate() {
        let moved = inner.moveaxis([k as isize], [0])?;
        let end = array.shape()[k] - reach;
        inner = moved.index(s![*reach as i64..end as i64])?.moveaxis([0], [k as isize])?;
    }
    engine::copy(&levels, &inner)?;
    let found = logic::greater(array, &threshold)?;
    Ok((threshold, found))
}

/// Signal times `exp(-2 pi i k freq / fs)`, with k the position of the element in C order: a shift of its frequencies by `-freq`.
///
/// The result is complex128, and complex64 for float16, bfloat16, float32 and complex64; phases are computed in float64. CuPy's is complex128, and of
/// real signals alone.
///
/// ```
/// use cuprum::scipy::signal::freq_shift;
/// let shifted = freq_shift(&cuprum::ones([4], ())?, 1.0, 2.0)?;
/// assert!(cuprum::allclose(shifted, cuprum::array([1.0, -1.0, 1.0, -1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`ElementwiseKernel::call`](crate::ElementwiseKernel::call).
#[unrecorded("compared with its formula in `gpu/python/tests/test_cupyx_signal.py`")]
pub fn freq_shift(x: &Array, freq: f64, fs: f64) -> Result<Array> {
    static SHIFT: Lazy = LazyLock::new(|| {
        let operation = "
    double sine, cosine;
    sincospi(turns * (double)i, &sine, &cosine);
    y = C(x) * C((T)cosine, (T)sine)";
        kernel("signal_freq_shift", "C x, T unused, float64 turns", "C y", operation, "")
    });
    let to = if computed(x.dtype()).real() == DType::F32 { DType::C64 } else { DType::C128 };
    let unused = KernelArgument::Strong(to.real(), Scalar::from(0.0));
    let all = run(&SHIFT, &[(&x.astype(to)?).into(), unused, (-2.0 * freq / fs).into()], &[], None)?;
    all.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Value, "a kernel has one output"))
}

/// Third-order convolution of a signal: the sums over a, b and c of `h[a, b, c] x[n - a] x[n - b] x[n - c]`, where the signal has all of its
/// elements.
///
/// `in1` has one axis and `in2` three; the result has the dtype of both and `len(in1) - max(shape of in2) + 1` elements. An axis of `in2` that is shorter
/// than the longest one begins with the same first element of the signal.
///
/// ```
/// use cuprum::{array, scipy::signal::convolve1d3o};
/// let x = array([1.0, 2.0, 3.0])?;
/// let h = cuprum::ones([2, 2, 2], ())?;
/// assert_eq!(convolve1d3o(&x, &h)?.to_vec::<f64>()?, [27.0, 125.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for other numbers of axes, and for a filter that is longer than the signal or empty.
#[unrecorded("compared with direct sums in `gpu/python/tests/test_cupyx_signal.py`")]
pub fn convolve1d3o(in1: &Array, in2: &Array) -> Result<Array> {
    if in1.ndim() != 1 || in2.ndim() != 3 {
        let (x, h) = (in1.shape(), in2.shape());
        return wrong(format!(
            "convolve1d3o: operands of the shapes {x:?} and {h:?}: they must have one axis and three"
        ));
    }
    let most = in2.shape().iter().copied().max().unwrap_or(0);
    if most > in1.size() || in2.size() == 0 {
        let n = in1.size();
        return wrong(format!(
            "convolve1d3o: a filter of shape {:?} and a signal of {n} elements: it must not be longer",
            in2.shape()
        ));
    }
    // The innermost sum is a convolution of its own, whose axis the others do not have: the filter is contracted one axis at a time.
    let dtype = promote_types(in1.dtype(), in2.dtype());
    let x = ascontiguousarray(&in1.astype(dtype)?)?;
    let count = in1.size() - most + 1;
    let step = x.itemsize() as i64;
    // Row k of windows of an axis of n elements has x[i + n - 1 - k] for each result i.
    let windows =
        |n: usize| x.index(s![..(count + n - 1) as i64])?.as_strided([n, count], &[step, step])?.index(s![..;-1]);
    let [w, h, d] = [0, 1, 2].map(|k| in2.shape()[k]);
    let filter = in2.astype(dtype)?;
    let inner = filter.reshape([w * h, d])?.matmul(windows(d)?)?.reshape([w, h, count])?;
    let middle = math::sum(math::multiply(inner, windows(h)?.expand_dims(0)?)?, 1)?;
    let result = math::sum(math::multiply(middle, windows(w)?)?, 0)?;
    if result.dtype() == dtype { Ok(result) } else { result.astype(dtype) }
}

/// Polyphase channelizer: the spectra of blocks of `n_chans` elements, after a filter whose taps are divided among the channels.
///
/// `x` and `h` have one axis; the remainder of the elements and of the taps that fill no block have no part. The result has the shape (`n_chans`, blocks), and is
/// complex64 for float16, bfloat16, float32 and complex64 operands, otherwise complex128. Any number of taps is supported; CuPy has at most 32 in a channel.
///
/// ```
/// use cuprum::{arange, ones, scipy::signal::channelize_poly};
/// let channels = channelize_poly(&arange(0.0, 12.0, 1.0)?, &ones([4], ())?, 2)?;
/// assert_eq!(channels.shape(), [2, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for other numbers of axes, no channels, and fewer taps than channels.
#[unrecorded("compared with its definition in `gpu/python/tests/test_cupyx_signal.py`")]
pub fn channelize_poly(x: &Array, h: &Array, n_chans: usize) -> Result<Array> {
    if x.ndim() != 1 || h.ndim() != 1 || n_chans == 0 || h.size() < n_chans {
        let (of_x, of_h) = (x.shape(), h.shape());
        return wrong(format!(
            "channelize_poly: a signal of shape {of_x:?}, taps of shape {of_h:?} and {n_chans} channels: both have one axis, and each channel a tap"
        ));
    }
    let dtype = computed(promote_types(computed(x.dtype()), computed(h.dtype())));
    let (taps, blocks) = (h.size() / n_chans, x.size() / n_chans);
    let part = |a: &Array, rows: usize| -> Result<Array> {
        a.index(s![..(rows * n_chans) as i64])?.astype(dtype)?.reshape([rows, n_chans])
    };
    // Block i has its elements in reverse order; before the first one there are zeros.
    let signal = part(x, blocks)?.index(s![.., ..;-1])?;
    let filter = part(h, taps)?;
    let filter = if filter.dtype().kind() == Kind::Complex { math::conj(&filter)? } else { filter };
    let sum = make::zeros(x.device(), &[blocks, n_chans], dtype)?;
    for t in 0..taps.min(blocks) {
        let (to, from) = (sum.index(s![t as i64..])?, signal.index(s![..(blocks - t) as i64])?);
        let tap = filter.index(s![t as i64])?;
        let from = if dtype.is_complex() { math::conj(&from)? } else { from };
        engine::copy(&math::add(&to, math::multiply(&from, &tap)?)?, &to)?;
    }
    let spectra = fft::fft(&sum, FftOptions { axis: 1, ..Default::default() })?;
    Ok(math::conj(&spectra)?.t())
}

/// Options of [`pulse_compression`] and [`pulse_doppler`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PulseOptions<'a> {
    /// Divide the template by its norm.
    pub normalize: bool,
    /// Weights of the template's elements, or of the pulses.
    pub window: Option<&'a Array>,
    /// The length of the transforms. By default the number of elements of a pulse, or of pulses.
    pub nfft: Option<usize>,
}

crate::array::default_options!(PulseOptions<'a>);

fn pulses(x: &Array, function: &str) -> Result<[usize; 2]> {
    match x.shape() {
        [pulses, samples] => Ok([*pulses, *samples]),
        shape => wrong(format!("{function}: x of shape {shape:?}: it must have two axes, pulses and samples")),
    }
}

fn check_window(window: &Array, n: usize, function: &str) -> Result<()> {
    if window.shape() == [n] {
        return Ok(());
    }
    let shape = window.shape();
    wrong(format!("{function}: a window of shape {shape:?}: it must have the length {n}, as the data"))
}

/// Matched filter of received pulses with the transmitted one: a circular correlation of each row of `x` with the template.
///
/// `x` has the shape (pulses, samples), `template` one axis; the result has the shape (pulses, nfft) and is complex.
///
/// ```
/// use cuprum::{array, scipy::signal::pulse_compression};
/// let x = array([[0.0, 1.0, 2.0, 0.0]])?;
/// let found = pulse_compression(&x, &array([1.0, 2.0])?, ())?;
/// assert!(cuprum::allclose(found, array([[2.0, 5.0, 2.0, 0.0]])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for other numbers of axes, and for a window of another length.
#[unrecorded("takes a struct of options: compared with its definition in `gpu/python/tests/test_cupyx_signal.py`")]
#[signature]
pub fn pulse_compression(x: &Array, template: &Array, options: &PulseOptions<'_>) -> Result<Array> {
    let [_, samples] = pulses(x, "pulse_compression")?;
    if template.ndim() != 1 {
        let shape = template.shape();
        return wrong(format!("pulse_compression: a template of shape {shape:?}: it must have one axis"));
    }
    let mut template = template.clone();
    if let Some(window) = options.window {
        check_window(window, template.size(), "pulse_compression")?;
        template = math::multiply(&template, window)?;
    }
    if options.normalize {
        template = math::true_divide(&template, linalg::norm(&template, ())?)?;
    }
    let length = || FftOptions { n: Some(options.nfft.unwrap_or(samples) as isize), ..Default::default() };
    let reference = math::conj(fft::fft(&template, length())?)?;
    fft::ifft(math::multiply(fft::fft(x, length())?, &reference)?, length())
}

/// Matrix of ranges and Doppler shifts: the Fourier transforms of `x` along its pulses, after a window.
///
/// `x` has the shape (pulses, samples); the result has the shape (nfft, samples) and is complex.
///
/// ```
/// use cuprum::scipy::signal::pulse_doppler;
/// let found = pulse_doppler(&cuprum::ones([4, 2], ())?, ())?;
/// assert!(cuprum::allclose(found.index(cuprum::s![0])?, cuprum::array([4.0, 4.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for another number of axes, and for a window of another length.
#[unrecorded("takes a struct of options: compared with its definition in `gpu/python/tests/test_cupyx_signal.py`")]
#[signature]
pub fn pulse_doppler(x: &Array, options: &PulseOptions<'_>) -> Result<Array> {
    let [count, _] = pulses(x, "pulse_doppler")?;
    let length = FftOptions { n: Some(options.nfft.unwrap_or(count) as isize), axis: 0, ..Default::default() };
    match options.window {
        None => fft::fft(x, length),
        Some(window) => {
            check_window(window, count, "pulse_doppler")?;
            fft::fft(math::multiply(x, window.expand_dims(1)?)?, length)
        }
    }
}
