//! Convolution by Fourier transforms, of whole operands and by overlap-add, of `scipy.signal`.
//!
//! An FFT convolution transforms both operands, padded to a length with small prime factors, and transforms their
//! product back. [`oaconvolve`] splits the longer operand into blocks, so that the transforms are at most a few times
//! as long as the shorter operand. Real operands use transforms of half spectra.

pub mod design;
mod dpss;
mod extrema;
pub mod named;
mod peak_distance;
mod peak_kernels;
mod peak_search;
mod peaks;
mod radar;
mod resample_poly;
mod savgol;
mod segment_kernels;
mod spectra;
mod spectral_densities;
mod window_kernel;
pub mod windows;

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::fft::{FftnOptions, fftn, ifftn, irfftn, next_fast_len, rfftn};
use crate::array::{Array, Axes};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axis, shape_text};
use crate::routines::statistics::CorrelateMode;
use crate::scan::part;
use crate::ufunc::{UfuncOptions, apply, ufunc};

pub use super::convolution::{
    ConvolveMethod, ConvolveOptions, LagsOptions, choose_conv_method, convolve, correlate, correlation_lags,
};
pub use super::linear_filters::{FilterCoefficient, LinearFilterOptions, lfilter, sosfilt};
pub use super::resampling::{UpfirdnOptions, upfirdn};
pub use super::zero_phase_filters::{FilterPadding, ZeroPhaseOptions, filtfilt, sosfiltfilt};
pub use extrema::{ExtremaEnds, Relation, argrelextrema, argrelmax, argrelmin};
pub use peak_search::{PeakWidths, Prominences, peak_prominences, peak_widths};
pub use peaks::{PeakBound, PeakInterval, PeakOptions, PeakOrder, Peaks, find_peaks};
pub use radar::{
    PulseOptions, ca_cfar, cfar_alpha, channelize_poly, convolve1d3o, freq_shift, pulse_compression, pulse_doppler,
};
pub use resample_poly::{ResamplePadding, ResamplePolyOptions, resample_poly};
pub use savgol::{SavgolMode, SavgolOptions, savgol_filter};
pub use spectra::{SegmentBorder, SegmentOptions, SegmentTrend, overlap_add, segment_spectra, spectral_power};
pub use spectral_densities::{Spectra, SpectrumOptions, istft, spectrogram, stft, welch};

/// Options of [`fftconvolve`] and [`oaconvolve`].
///
/// ```
/// use cuprum::{array, scipy::signal::{FftconvolveOptions, fftconvolve}};
/// let (a, v) = (array([[1.0, 2.0], [3.0, 4.0]])?, array([[1.0, 1.0], [1.0, 1.0]])?);
/// // Each row by itself.
/// assert_eq!(fftconvolve(&a, &v, FftconvolveOptions::new().axes(1))?.shape(), [2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Options)]
pub struct FftconvolveOptions {
    /// The extent of the result; by default the full convolution.
    #[from]
    pub mode: CorrelateMode,
    /// The axes of the convolution; by default all. The operands are broadcast along the others.
    pub axes: Axes,
}

impl Default for FftconvolveOptions {
    fn default() -> Self {
        FftconvolveOptions { mode: CorrelateMode::Full, axes: Axes::default() }
    }
}

/// The operands of a convolution, in order, and the axes along which there is a sum.
pub(super) struct Task {
    /// The first operand, cast and broadcast.
    pub(super) first: Array,
    /// The second operand, cast and broadcast.
    pub(super) second: Array,
    /// Convolved axes.
    axes: Dims,
    /// Part of the convolution that is returned.
    mode: CorrelateMode,
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

impl Task {
    fn of(first: &Array, second: &Array, options: &FftconvolveOptions) -> Result<Task> {
        let (one, two) = (first.shape(), second.shape());
        let axes: Dims = match options.axes.as_slice() {
            None => (0..one.len()).collect(),
            Some([]) => return wrong("no axis is named: name one, or say nothing for all".into()),
            Some(named) => {
                let outside = |axis: isize| {
                    normalize_axis(axis, one.len()).map_err(|e| Error::new(ErrorKind::Value, e.message().to_string()))
                };
                let mut axes: Dims = named.iter().map(|axis| outside(*axis)).collect::<Result<_>>()?;
                axes.sort_unstable();
                if axes.windows(2).any(|pair| pair[0] == pair[1]) {
                    return wrong("an axis is named twice: each is convolved along once".into());
                }
                axes
            }
        };
        let axes: Dims = axes.into_iter().filter(|&k| one[k] != 1 && two[k] != 1).collect();
        let together = (0..one.len()).all(|k| axes.contains(&k) || one[k] == two[k] || one[k] == 1 || two[k] == 1);
        if !together {
            let (one, two) = (shape_text(one), shape_text(two));
            return wrong(format!(
                "operands of shapes {one} and {two} do not broadcast along the axes that are not convolved"
            ));
        }
        Task::along(axes, first, second, options.mode)
    }

    /// Builds the task of operands that are convolved along axes and broadcast along the others.
    pub(super) fn along(axes: Dims, first: &Array, second: &Array, mode: CorrelateMode) -> Result<Task> {
        let covers = |long: &[usize], short: &[usize]| axes.iter().all(|&k| long[k] >= short[k]);
        let (mut first, mut second) = (first.clone(), second.clone());
        if mode == CorrelateMode::Valid && !covers(first.shape(), second.shape()) {
            if !covers(second.shape(), first.shape()) {
                let (one, two) = (shape_text(first.shape()), shape_text(second.shape()));
                return wrong(format!(
                    "of operands of shapes {one} and {two} neither covers the other, as the mode valid needs"
                ));
            }
            std::mem::swap(&mut first, &mut second);
        }
        // An axis of length 1 has nothing to sum.
        let axes = axes.into_iter().filter(|&k| first.shape()[k] != 1 && second.shape()[k] != 1).collect();
        Ok(Task { first, second, axes, mode })
    }

    /// Returns the length of the full result along an axis.
    pub(super) fn full(&self, axis: usize) -> usize {
        let (one, two) = (self.first.shape()[axis], self.second.shape()[axis]);
        if self.axes.contains(&axis) { one + two - 1 } else { one.max(two) }
    }

    /// Returns the length along an axis of the result of the mode, which is the centre of the full result.
    pub(super) fn size(&self, axis: usize) -> usize {
        let (one, two) = (self.first.shape()[axis], self.second.shape()[axis]);
        match self.mode {
            CorrelateMode::Same => one,
            CorrelateMode::Valid if self.axes.contains(&axis) => one - two + 1,
            CorrelateMode::Full | CorrelateMode::Valid => self.full(axis),
        }
    }

    /// Returns the part that the mode selects of a result that covers the full one.
    fn selected(&self, result: Array) -> Result<Array> {
        let mut result = result;
        for axis in 0..self.first.ndim() {
            let size = self.size(axis);
            let start = (self.full(axis) - size) as i64 / 2;
            if result.shape()[axis] != size {
                result = part(&result, axis, start..start + size as i64)?;
            }
        }
        if result.is_c_contiguous() { Ok(result) } else { result.copy(Order::C) }
    }

    fn is_complex(&self) -> bool {
        self.first.dtype().is_complex() || self.second.dtype().is_complex()
    }

    /// Returns the next length with small prime factors.
    fn fast(&self, length: usize) -> Result<usize> {
        next_fast_len(length as isize, !self.is_complex()).map(|n| n as usize)
    }

    /// Returns the inverse transform, with these lengths, of the product of the transforms along axes.
    fn multiplied(&self, first: &Array, second: &Array, axes: &[usize], lengths: &[usize]) -> Result<Array> {
        let list = |all: &[usize]| all.iter().map(|n| *n as isize).collect::<Vec<_>>();
        let options = FftnOptions::new().s(list(lengths)).axes(list(axes));
        let (one, two) = match self.is_complex() {
            true => (fftn(first, &options)?, fftn(second, &options)?),
            false => (rfftn(first, &options)?, rfftn(second, &options)?),
        };
        let product = apply("multiply", [(&one).into(), (&two).into()])?;
        if self.is_complex() { ifftn(&product, &options) } else { irfftn(&product, &options) }
    }
}

/// Result of the checks that [`fftconvolve`] and [`oaconvolve`] share.
enum Begun {
    /// The final result: there was nothing to transform.
    Done(Array),
    Task(Box<Task>),
}

fn begun(in1: &Array, in2: &Array, options: &FftconvolveOptions) -> Result<Begun> {
    engine::one_device(in1, [in2])?;
    if in1.ndim() != in2.ndim() {
        let (one, two) = (shape_text(in1.shape()), shape_text(in2.shape()));
        return wrong(format!("operands of shapes {one} and {two} have other numbers of axes"));
    }
    if in1.ndim() == 0 {
        return apply("multiply", [in1.into(), in2.into()]).map(Begun::Done);
    }
    if in1.size() == 0 || in2.size() == 0 {
        return make::empty(in1.device(), &[0], DType::F64).map(Begun::Done);
    }
    let task = Task::of(in1, in2, options)?;
    if !task.axes.is_empty() {
        return Ok(Begun::Task(Box::new(task)));
    }
    transformed(&task).map(Begun::Done)
}

/// Convolves by transforms of the whole operands.
pub(super) fn transformed(task: &Task) -> Result<Array> {
    if task.axes.is_empty() {
        return task.selected(apply("multiply", [(&task.first).into(), (&task.second).into()])?);
    }
    let lengths: Dims = task.axes.iter().map(|&axis| task.fast(task.full(axis))).collect::<Result<_>>()?;
    let mut full = task.multiplied(&task.first, &task.second, &task.axes, &lengths)?;
    // Padding beyond the full result is cropped.
    for &axis in &task.axes {
        full = part(&full, axis, ..task.full(axis) as i64)?;
    }
    task.selected(full)
}

/// Convolves two arrays by Fourier transforms; SciPy's `fftconvolve`. Integers give float64.
///
/// ```
/// use cuprum::{allclose, array, scipy::signal::fftconvolve};
/// let full = fftconvolve(array([1.0, 2.0, 3.0])?, array([1.0, 10.0])?, ())?;
/// assert!(allclose(&full, array([1.0, 12.0, 23.0, 30.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if the numbers of axes differ, if axes are out of bounds or repeated, if the other axes do not
/// broadcast, and in the mode valid if neither operand is at least as large as the other along every axis.
#[routine(namespace = "scipy.signal")]
pub fn fftconvolve(in1: &Array, in2: &Array, options: FftconvolveOptions) -> Result<Array> {
    match begun(in1, in2, &options)? {
        Begun::Done(result) => Ok(result),
        Begun::Task(task) => transformed(&task),
    }
}

/// Partition of an axis: blocks of `step` elements, transformed with `length`.
struct Cut {
    /// The axis.
    axis: usize,
    /// Results of a block.
    step: usize,
    /// Length of the transform of a block.
    length: usize,
    /// Number of blocks.
    blocks: usize,
}

/// Length of a transform as a multiple of the shorter operand's: shorter blocks overlap more, longer ones take more FFT
/// stages.
const TIMES: usize = 8;

/// Convolves a long array with a short one by the overlap-add method, all blocks in one batch of transforms; SciPy's
/// `oaconvolve`. The result is that of [`fftconvolve`].
///
/// The result has the shape and the dtype of [`fftconvolve`]'s. Each block overlaps the next by the length
/// of the short operand less one, so that the transforms take O(n log k) operations for lengths n and k
/// instead of O(n log n).
///
/// ```
/// use cuprum::{allclose, arange, array, scipy::signal::{fftconvolve, oaconvolve}};
/// let (long, short) = (arange(0.0, 1000.0, 1.0)?, array([1.0, 2.0, 1.0])?);
/// assert!(allclose(oaconvolve(&long, &short, ())?, fftconvolve(&long, &short, ())?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`fftconvolve`].
#[routine(namespace = "scipy.signal")]
pub fn oaconvolve(in1: &Array, in2: &Array, options: FftconvolveOptions) -> Result<Array> {
    let task = match begun(in1, in2, &options)? {
        Begun::Done(result) => return Ok(result),
        Begun::Task(task) => task,
    };
    let mut cuts = vec![];
    for &axis in &task.axes {
        let (one, two) = (task.first.shape()[axis], task.second.shape()[axis]);
        let (long, short) = (one.max(two), one.min(two));
        let length = task.fast((TIMES * short).min(one + two - 1))?;
        let step = length - short + 1;
        cuts.push(Cut { axis, step, length, blocks: long.div_ceil(step) });
    }
    let (mut first, mut second) = (task.first.clone(), task.second.clone());
    // From the last axis on, since each partitioned axis becomes two.
    for cut in cuts.iter().rev() {
        let firsts = task.first.shape()[cut.axis] >= task.second.shape()[cut.axis];
        let (long, short) = if firsts { (&mut first, &mut second) } else { (&mut second, &mut first) };
        *long = in_blocks(long, cut)?;
        *short = short.expand_dims(cut.axis as isize)?;
    }
    let lengths_axes: Dims = cuts.iter().enumerate().map(|(k, cut)| cut.axis + k + 1).collect();
    let lengths: Dims = cuts.iter().map(|cut| cut.length).collect();
    let mut result = task.multiplied(&first, &second, &lengths_axes, &lengths)?;
    for cut in &cuts {
        result = added(&result, cut)?;
    }
    for cut in &cuts {
        result = part(&result, cut.axis, ..task.full(cut.axis) as i64)?;
    }
    task.selected(result)
}

/// Splits an axis into blocks of `step` elements, padding the last with zeros.
fn in_blocks(x: &Array, cut: &Cut) -> Result<Array> {
    let &Cut { axis, step, blocks, .. } = cut;
    let mut shape: Dims = x.shape().into();
    let padded = if shape[axis] == blocks * step {
        x.clone()
    } else {
        shape[axis] = blocks * step;
        let padded = make::zeros(x.device(), &shape, x.dtype())?;
        part(&padded, axis, ..x.shape()[axis] as i64)?.assign(x)?;
        padded
    };
    shape[axis] = blocks;
    shape.insert(axis + 1, step);
    padded.reshape(shape.as_slice())
}

/// Merges the axis of the blocks with the next: the part of a block beyond its step is added to the following blocks.
fn added(x: &Array, cut: &Cut) -> Result<Array> {
    let &Cut { axis, step, length, blocks } = cut;
    let along = axis + 1;
    if blocks == 1 {
        return x.squeeze(axis as isize);
    }
    // Number of steps that a block extends over.
    let over = length.div_ceil(step);
    let mut shape: Dims = x.shape().into();
    shape[axis] = blocks + over - 1;
    shape[axis + 1] = step;
    let sum = make::zeros(x.device(), &shape, x.dtype())?;
    for k in 0..over {
        let (from, to) = (k * step, ((k + 1) * step).min(length));
        let piece = part(x, along, from as i64..to as i64)?;
        let into = part(&sum, axis, k as i64..(k + blocks) as i64)?;
        let into = part(&into, along, ..(to - from) as i64)?;
        if k == 0 {
            into.assign(&piece)?;
        } else {
            ufunc("add")?.called(&[(&into).into(), (&piece).into()], &UfuncOptions::new().out(&into))?;
        }
    }
    shape[axis] *= step;
    shape.remove(axis + 1);
    sum.reshape(shape.as_slice())
}
