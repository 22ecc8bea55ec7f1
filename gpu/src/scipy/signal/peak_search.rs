//! Prominences and widths of peaks.
//!
//! Searches to both sides of a peak skip blocks of elements by a tree of maxima and minima over 16 elements, and 16
//! blocks, each: a search takes O(log n) steps. Lower bound: the bytes of the signal for its maxima, and a search for
//! each peak.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::peak_kernels::{EXTREMES, PROMINENCES, RIGHT_EDGES, RISES, WIDTHS, run};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::indexing::take;
use crate::routines::logic;
use crate::routines::manipulation::append;
use crate::routines::math;
use crate::routines::searching::{flatnonzero, searchsorted};
use crate::ufunc::apply;

/// Windows of at most this many elements are searched without a tree.
const SHORT: usize = 64;

/// Elements of a block, at each level of the tree.
const BLOCK: usize = 16;

pub(super) fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Prominences of peaks, and the positions of the minima from which they are measured.
#[derive(Clone, Debug)]
pub struct Prominences {
    /// The height of each peak above the higher one of its minima.
    pub prominences: Array,
    /// The positions of the minima to the left.
    pub left_bases: Array,
    /// The positions of the minima to the right.
    pub right_bases: Array,
}

/// Widths of peaks.
#[derive(Clone, Debug)]
pub struct PeakWidths {
    /// The distance between the two ends.
    pub widths: Array,
    /// The height at which a width is measured.
    pub width_heights: Array,
    /// The ends to the left, between elements.
    pub left_ips: Array,
    /// The ends to the right.
    pub right_ips: Array,
}

/// A signal in float64, and the tree of its extremes, which is built when it is first needed.
pub(super) struct Signal {
    /// The signal, of one axis.
    pub(super) x: Array,
    /// Number of elements.
    pub(super) n: usize,
    /// Levels of maxima, levels of minima, and their number: each element is the extreme of 16 of the level
    /// below.
    tree: Option<(Array, Array, usize)>,
}

impl Signal {
    pub(super) fn new(function: &str, x: &Array) -> Result<Signal> {
        if x.ndim() != 1 {
            return wrong(format!("{function}: `x` must be a 1-D array, not {}-D", x.ndim()));
        }
        let x = if x.dtype() == DType::F64 { x.clone() } else { x.astype(DType::F64)? };
        let x = if x.is_c_contiguous() { x } else { x.copy(Order::C)? };
        Ok(Signal { n: x.size(), x, tree: None })
    }

    /// Returns the levels of maxima, those of minima, and the number of levels; without levels if they are not needed.
    fn tree(&mut self, needed: bool) -> Result<(Array, Array, usize)> {
        let mut sizes = vec![];
        let mut size = self.n;
        while needed && size > BLOCK {
            size = size.div_ceil(BLOCK);
            sizes.push(size);
        }
        if sizes.is_empty() {
            return Ok((self.x.clone(), self.x.clone(), 0));
        }
        if let Some(tree) = &self.tree {
            return Ok(tree.clone());
        }
        let all = [sizes.iter().sum()];
        let device = self.x.device();
        let (tops, lows) = (make::empty(device, &all, DType::F64)?, make::empty(device, &all, DType::F64)?);
        let (mut source, mut begin) = ((self.x.clone(), self.x.clone(), self.n), 0i64);
        for size in &sizes {
            let end = begin + *size as i64;
            let level = (tops.index(s![begin..end])?, lows.index(s![begin..end])?);
            run(
                &EXTREMES,
                &[(&source.0).into(), (&source.1).into(), (source.2 as i64).into()],
                &[&level.0, &level.1],
                None,
            )?;
            (source, begin) = ((level.0, level.1, *size), end);
        }
        Ok(self.tree.insert((tops, lows, sizes.len())).clone())
    }

    pub(super) fn prominences(&mut self, peaks: &Array, wlen: Option<usize>) -> Result<Prominences> {
        let half = wlen.map_or(self.n, |wlen| (wlen / 2).min(self.n));
        let device = peaks.device();
        if peaks.size() == 0 {
            let none = make::empty(device, &[0], DType::I64)?;
            return Ok(Prominences {
                prominences: make::empty(device, &[0], DType::F64)?,
                left_bases: none.clone(),
                right_bases: none,
            });
        }
        let (tops, lows, levels) = self.tree(2 * half > SHORT)?;
        let inputs = [
            peaks.into(),
            (&self.x).into(),
            (&tops).into(),
            (&lows).into(),
            (self.n as i64).into(),
            (levels as i64).into(),
            (half as i64).into(),
        ];
        let [prominences, left_bases, right_bases] = three(run(&PROMINENCES, &inputs, &[], None)?)?;
        Ok(Prominences { prominences, left_bases, right_bases })
    }

    pub(super) fn widths(
        &mut self,
        peaks: &Array,
        part: f64,
        data: &Prominences,
        wlen: Option<usize>,
    ) -> Result<PeakWidths> {
        if part < 0.0 || part.is_nan() {
            return wrong(format!("`rel_height` must be greater or equal to 0.0, not {part}"));
        }
        if peaks.size() == 0 {
            let none = make::empty(peaks.device(), &[0], DType::F64)?;
            return Ok(PeakWidths {
                widths: none.clone(),
                width_heights: none.clone(),
                left_ips: none.clone(),
                right_ips: none,
            });
        }
        let (_, lows, levels) = self.tree(wlen.is_none_or(|wlen| wlen > SHORT))?;
        let inputs = [
            peaks.into(),
            (&data.prominences).into(),
            (&data.left_bases).into(),
            (&data.right_bases).into(),
            (&self.x).into(),
            (&lows).into(),
            (self.n as i64).into(),
            (levels as i64).into(),
            part.into(),
        ];
        let mut found = run(&WIDTHS, &inputs, &[], None)?;
        let right_ips = found.remove(3);
        let [widths, width_heights, left_ips] = three(found)?;
        Ok(PeakWidths { widths, width_heights, left_ips, right_ips })
    }

    /// Returns the middles, the left and the right edges of local maxima.
    pub(super) fn maxima(&self) -> Result<[Array; 3]> {
        let device = self.x.device();
        if self.n < 3 {
            let none = make::empty(device, &[0], DType::I64)?;
            return Ok([none.clone(), none.clone(), none]);
        }
        let n = self.n as i64;
        let x = &self.x;
        let kinds = run(&RISES, &[x.into(), n.into()], &[], Some(self.n))?.remove(0);
        let mut left = flatnonzero(&kinds)?;
        if left.size() == 0 {
            return Ok([left.clone(), left.clone(), left]);
        }
        let [mut right, mut middle] = two(run(&RIGHT_EDGES, &[(&left).into(), x.into(), n.into()], &[], None)?)?;
        if any(&apply("less", [(&right).into(), 0i64.into()])?)? {
            // Edges of long plateaus: the last elements of all runs of equal ones.
            let ends = flatnonzero(apply("not_equal", [(&x.index(s![1..])?).into(), (&x.index(s![..-1])?).into()])?)?;
            let all = append(&ends, n - 1, ())?;
            right = take(&all, searchsorted(&ends, &left, ())?, ())?;
            let next = math::minimum(math::add(&right, 1i64)?, n - 1)?;
            let inside = apply("less", [(&right).into(), (n - 1).into()])?;
            let falls = apply("less", [(&take(x, &next, ())?).into(), (&take(x, &left, ())?).into()])?;
            let kept = flatnonzero(apply("bitwise_and", [(&inside).into(), (&falls).into()])?)?;
            (left, right) = (take(&left, &kept, ())?, take(&right, &kept, ())?);
            middle = math::floor_divide(math::add(&left, &right)?, 2i64)?;
        }
        Ok([middle, left, right])
    }
}

fn two(found: Vec<Array>) -> Result<[Array; 2]> {
    found.try_into().map_err(|_| Error::new(ErrorKind::Value, "a kernel has two results".to_string()))
}

fn three(found: Vec<Array>) -> Result<[Array; 3]> {
    found.try_into().map_err(|_| Error::new(ErrorKind::Value, "a kernel has three results".to_string()))
}

/// Tests for a true element, which synchronises.
fn any(a: &Array) -> Result<bool> {
    logic::any(a, ())?.item::<bool>()
}

pub(super) fn has_zero(a: &Array) -> Result<bool> {
    any(&apply("equal", [a.into(), 0.0.into()])?)
}

/// Returns positions of peaks as int64, and checks them.
fn positions(function: &str, signal: &Signal, peaks: &Array) -> Result<Array> {
    if peaks.ndim() != 1 {
        return wrong(format!("{function}: `peaks` must be a 1-D array, not {}-D", peaks.ndim()));
    }
    if peaks.size() > 0 && !peaks.dtype().is_integer() {
        let message = format!("{function}: `peaks` are positions, integers, and not {}", peaks.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let peaks = peaks.astype(DType::I64)?;
    let outside = apply(
        "bitwise_or",
        [
            (&apply("less", [(&peaks).into(), 0i64.into()])?).into(),
            (&apply("greater_equal", [(&peaks).into(), (signal.n as i64).into()])?).into(),
        ],
    )?;
    let wrongs = flatnonzero(&outside)?;
    if wrongs.size() > 0 {
        let first = take(&peaks, wrongs.index(s![..1])?, ())?.to_vec::<i64>()?[0];
        return wrong(format!(
            "{function}: peak {first} is not a valid index for `x`, which has {} elements",
            signal.n
        ));
    }
    Ok(peaks)
}

/// Prominence of each peak: its height above the higher one of the minima between it and higher elements; SciPy's
/// `scipy.signal.peak_prominences`.
///
/// The results are float64 and int64, with an element for each peak. With `wlen`, only a window of that many elements
/// around a peak is searched.
///
/// ```
/// use cuprum::scipy::signal::peak_prominences;
/// let (x, peaks) = (cuprum::array([0.0, 3.0, 1.0, 2.0, 0.5])?, cuprum::array([1i64, 3])?);
/// assert_eq!(peak_prominences(&x, &peaks, None)?.prominences.to_vec::<f64>()?, [2.5, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for arrays of other ranks, and for positions outside the signal; [`ErrorKind::Type`] for
/// positions that are not integers.
///
/// # Synchronization
///
/// Synchronises to check the positions.
#[unrecorded("returns a struct: compared with SciPy's in `gpu/python/tests/test_signal_peaks.py`")]
pub fn peak_prominences(x: &Array, peaks: &Array, wlen: Option<usize>) -> Result<Prominences> {
    let mut signal = Signal::new("peak_prominences", x)?;
    let peaks = positions("peak_prominences", &signal, peaks)?;
    signal.prominences(&peaks, wlen)
}

/// Width of each peak at a part of its prominence below its height, between positions that are interpolated linearly;
/// SciPy's `scipy.signal.peak_widths`.
///
/// The results are float64, with an element for each peak. Prominences are computed if none are passed.
///
/// ```
/// use cuprum::scipy::signal::peak_widths;
/// let (x, peaks) = (cuprum::array([0.0, 1.0, 2.0, 1.0, 0.0])?, cuprum::array([2i64])?);
/// assert_eq!(peak_widths(&x, &peaks, 0.5, None, None)?.widths.to_vec::<f64>()?, [2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`peak_prominences`]; [`ErrorKind::Value`] for a part below 0, and prominences that do not fit the
/// peaks.
///
/// # Synchronization
///
/// Synchronises to check the positions.
#[unrecorded("returns a struct: compared with SciPy's in `gpu/python/tests/test_signal_peaks.py`")]
pub fn peak_widths(
    x: &Array,
    peaks: &Array,
    rel_height: f64,
    data: Option<&Prominences>,
    wlen: Option<usize>,
) -> Result<PeakWidths> {
    let mut signal = Signal::new("peak_widths", x)?;
    let peaks = positions("peak_widths", &signal, peaks)?;
    let Some(data) = data else {
        let data = signal.prominences(&peaks, wlen)?;
        return signal.widths(&peaks, rel_height, &data, wlen);
    };
    let arrays = [&data.prominences, &data.left_bases, &data.right_bases];
    if arrays.iter().any(|a| a.shape() != peaks.shape()) {
        return wrong(format!(
            "peak_widths: arrays of the prominences must have the shape of the peaks, {}",
            shape_text(peaks.shape())
        ));
    }
    let data = Prominences {
        prominences: data.prominences.astype(DType::F64)?,
        left_bases: data.left_bases.astype(DType::I64)?,
        right_bases: data.right_bases.astype(DType::I64)?,
    };
    let (left, right, n) = (&data.left_bases, &data.right_bases, signal.n as i64);
    let faults = [
        apply("less", [left.into(), 0i64.into()])?,
        apply("greater", [left.into(), (&peaks).into()])?,
        apply("greater", [(&peaks).into(), right.into()])?,
        apply("greater_equal", [right.into(), n.into()])?,
    ];
    let [a, b, c, d] = &faults;
    let all = apply(
        "bitwise_or",
        [(&apply("bitwise_or", [a.into(), b.into()])?).into(), (&apply("bitwise_or", [c.into(), d.into()])?).into()],
    )?;
    let wrongs = flatnonzero(&all)?;
    if wrongs.size() > 0 {
        let first = take(&peaks, wrongs.index(s![..1])?, ())?.to_vec::<i64>()?[0];
        return wrong(format!("peak_widths: prominence data is invalid for peak {first}"));
    }
    signal.widths(&peaks, rel_height, &data, None)
}
