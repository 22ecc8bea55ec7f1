//! Local maxima of signals that fulfil conditions.
//!
//! The maxima are found by one pass and compacted; each condition then computes its property for the peaks
//! that are left, and compacts them again, in SciPy's order of conditions. Definitions of prominence and
//! width are those of SciPy.
//!
//! Lower bound: the signal is read once for its maxima; properties take a search for each peak.

use super::peak_distance::apart;
use super::peak_search::{Prominences, Signal, has_zero, wrong};
use crate::array::Array;
use crate::error::Result;
use crate::routines::indexing::take;
use crate::routines::math;
use crate::routines::searching::flatnonzero;
use crate::ufunc::apply;
use cuprum_macros::signature;

/// Bound of a property: one for all peaks, or an element for each of the signal.
#[derive(Clone, Debug)]
pub enum PeakBound {
    /// A number.
    Number(f64),
    /// An array with an element for each of the signal.
    Elements(Array),
}

/// Condition of [`find_peaks`]: the least and the greatest value of a property.
pub type PeakInterval = [Option<PeakBound>; 2];

/// Function that returns the positions of numbers in ascending order. The last one in this order is kept where peaks
/// are equal.
pub type PeakOrder = fn(&[f64]) -> Vec<usize>;

/// Options of [`find_peaks`]: the conditions that a peak fulfils. Properties without a condition are not computed.
///
/// ```
/// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
/// let x = cuprum::array([0.0, 1.0, 0.0, 3.0, 0.0, 2.0, 0.0])?;
/// let high = PeakOptions::new().height([Some(PeakBound::Number(1.5)), None]);
/// let peaks = find_peaks(&x, &high)?;
/// assert_eq!(peaks.positions.to_vec::<i64>()?, [3, 5]);
/// assert_eq!(peaks.property("peak_heights").unwrap().to_vec::<f64>()?, [3.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PeakOptions {
    height: Option<PeakInterval>,
    threshold: Option<PeakInterval>,
    distance: Option<f64>,
    order: Option<PeakOrder>,
    prominence: Option<PeakInterval>,
    width: Option<PeakInterval>,
    wlen: Option<usize>,
    rel_height: f64,
    plateau_size: Option<PeakInterval>,
}

crate::array::default_options!(PeakOptions);

impl Default for PeakOptions {
    fn default() -> Self {
        PeakOptions {
            height: None,
            threshold: None,
            distance: None,
            order: None,
            prominence: None,
            width: None,
            wlen: None,
            rel_height: 0.5,
            plateau_size: None,
        }
    }
}

impl PeakOptions {
    /// All local maxima.
    pub fn new() -> PeakOptions {
        PeakOptions::default()
    }

    /// Bounds the height.
    ///
    /// SciPy's `height`; the heights are the property `peak_heights`. See [`PeakOptions`] for an example.
    pub fn height(mut self, interval: PeakInterval) -> PeakOptions {
        self.height = Some(interval);
        self
    }

    /// Bounds the difference from the elements next to the peak.
    ///
    /// SciPy's `threshold`; the differences are the properties `left_thresholds` and `right_thresholds`.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 1.0, 0.0, 5.0, 0.0])?;
    /// let sharp = PeakOptions::new().threshold([Some(PeakBound::Number(2.0)), None]);
    /// assert_eq!(find_peaks(&x, &sharp)?.positions.to_vec::<i64>()?, [3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn threshold(mut self, interval: PeakInterval) -> PeakOptions {
        self.threshold = Some(interval);
        self
    }

    /// Removes peaks, from the highest on, that are nearer to a higher one.
    ///
    /// SciPy's `distance`, in elements.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 1.0, 0.0, 3.0, 0.0, 2.0, 0.0])?;
    /// assert_eq!(find_peaks(&x, &PeakOptions::new().distance(3.0))?.positions.to_vec::<i64>()?, [3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn distance(mut self, distance: f64) -> PeakOptions {
        self.distance = Some(distance);
        self
    }

    /// Sets the function by which heights are sorted where the host decides which peaks the distance removes; by
    /// default a stable sort.
    pub fn order(mut self, order: PeakOrder) -> PeakOptions {
        self.order = Some(order);
        self
    }

    /// Bounds the prominence.
    ///
    /// SciPy's `prominence`: the height above the higher one of the two lowest elements between the peak and a
    /// higher element, or the end, on each side. The properties are `prominences`, `left_bases` and
    /// `right_bases`.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 3.0, 2.0, 2.5, 0.0])?;
    /// let prominent = PeakOptions::new().prominence([Some(PeakBound::Number(1.0)), None]);
    /// let peaks = find_peaks(&x, &prominent)?;
    /// assert_eq!(peaks.positions.to_vec::<i64>()?, [1]);
    /// assert_eq!(peaks.property("prominences").unwrap().to_vec::<f64>()?, [3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn prominence(mut self, interval: PeakInterval) -> PeakOptions {
        self.prominence = Some(interval);
        self
    }

    /// Bounds the width.
    ///
    /// SciPy's `width`, in elements, at [`PeakOptions::rel_height`] of the prominence below the height. The
    /// properties are `widths`, `width_heights`, `left_ips` and `right_ips`, and those of the prominence.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 1.0, 2.0, 1.0, 0.0])?;
    /// let wide = PeakOptions::new().width([Some(PeakBound::Number(1.0)), None]);
    /// assert_eq!(find_peaks(&x, &wide)?.property("widths").unwrap().to_vec::<f64>()?, [2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn width(mut self, interval: PeakInterval) -> PeakOptions {
        self.width = Some(interval);
        self
    }

    /// Sets the number of elements around a peak in which its prominence is measured; by default all.
    ///
    /// SciPy's `wlen`, rounded up to an odd number.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 2.0, 3.0, 2.0, 0.0])?;
    /// let near = PeakOptions::new().wlen(3).prominence([Some(PeakBound::Number(0.5)), None]);
    /// assert_eq!(find_peaks(&x, &near)?.property("prominences").unwrap().to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn wlen(mut self, wlen: usize) -> PeakOptions {
        self.wlen = Some(wlen);
        self
    }

    /// Sets the part of the prominence below the height at which the width is measured; by default 0.5.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0.0, 1.0, 2.0, 1.0, 0.0])?;
    /// let at_base = PeakOptions::new().rel_height(1.0).width([Some(PeakBound::Number(1.0)), None]);
    /// assert_eq!(find_peaks(&x, &at_base)?.property("widths").unwrap().to_vec::<f64>()?, [4.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn rel_height(mut self, part: f64) -> PeakOptions {
        self.rel_height = part;
        self
    }

    /// Bounds the number of equal elements.
    ///
    /// SciPy's `plateau_size`; the properties are `plateau_sizes`, `left_edges` and `right_edges`.
    ///
    /// ```
    /// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
    /// let x = cuprum::array([0, 1, 0, 2, 2, 2, 0])?;
    /// let flat = PeakOptions::new().plateau_size([Some(PeakBound::Number(2.0)), None]);
    /// assert_eq!(find_peaks(&x, &flat)?.positions.to_vec::<i64>()?, [4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn plateau_size(mut self, interval: PeakInterval) -> PeakOptions {
        self.plateau_size = Some(interval);
        self
    }
}

/// Peaks of a signal.
#[derive(Clone, Debug)]
pub struct Peaks {
    /// Their positions, of int64.
    pub positions: Array,
    /// Their properties by SciPy's names, in its order.
    pub properties: Vec<(&'static str, Array)>,
    /// True if a peak whose prominence was computed has one of 0.
    pub some_flat: bool,
    /// True if a peak whose width was computed has one of 0.
    pub some_narrow: bool,
}

impl Peaks {
    /// Returns a property by its name.
    ///
    /// SciPy's dictionary of properties has the same names; `None` is returned for a property that no condition
    /// needed. See [`PeakOptions`] for an example.
    pub fn property(&self, name: &str) -> Option<&Array> {
        self.properties.iter().find(|(own, _)| *own == name).map(|(_, values)| values)
    }

    /// Keeps the peaks for which conditions hold.
    fn select(&mut self, conditions: impl IntoIterator<Item = Array>) -> Result<()> {
        let mut keep: Option<Array> = None;
        for condition in conditions {
            keep = Some(match keep {
                None => condition,
                Some(before) => apply("bitwise_and", [(&before).into(), (&condition).into()])?,
            });
        }
        let Some(keep) = keep else { return Ok(()) };
        let kept = flatnonzero(&keep)?;
        self.positions = take(&self.positions, &kept, ())?;
        for (_, values) in &mut self.properties {
            *values = take(&*values, &kept, ())?;
        }
        Ok(())
    }

    /// Returns the conditions of an interval for a property, whose upper bound may be one of another property.
    fn within(&self, x: &Array, interval: &PeakInterval, lower: &Array, upper: &Array) -> Result<Vec<Array>> {
        let mut conditions = vec![];
        for (side, (bound, name)) in interval.iter().zip(["greater_equal", "less_equal"]).enumerate() {
            let values = if side == 0 { lower } else { upper };
            match bound {
                None => {}
                Some(PeakBound::Number(n)) => conditions.push(apply(name, [values.into(), (*n).into()])?),
                Some(PeakBound::Elements(all)) if all.size() != x.size() => {
                    let which = if side == 0 { "lower" } else { "upper" };
                    return wrong(format!(
                        "find_peaks: the {which} interval border has {} elements, and the signal has {}",
                        all.size(),
                        x.size()
                    ));
                }
                Some(PeakBound::Elements(all)) => {
                    let own = take(all, &self.positions, ())?;
                    conditions.push(apply(name, [values.into(), (&own).into()])?);
                }
            }
        }
        Ok(conditions)
    }
}

/// Local maxima of a signal that fulfil conditions, and their properties; SciPy's `scipy.signal.find_peaks`.
///
/// The positions are int64; of equal elements the middle is one. Properties that have no condition are not computed.
///
/// ```
/// use cuprum::scipy::signal::{PeakBound, PeakOptions, find_peaks};
/// let x = cuprum::array([0.0, 2.0, 1.0, 1.5, 0.0, 5.0, 0.0])?;
/// let options = PeakOptions::new().prominence([Some(PeakBound::Number(1.0)), None]);
/// let found = find_peaks(&x, &options)?;
/// assert_eq!(found.positions.to_vec::<i64>()?, [1, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a signal that is not 1-D, a distance below 1, and borders of
/// another length.
///
/// # Synchronization
///
/// Synchronises: the number of peaks is that of the elements of the result. Which peaks the distance removes is decided
/// on the device, or on the host where peaks nearer than it are equally high, many, or in long chains.
#[signature]
pub fn find_peaks(x: &Array, options: &PeakOptions) -> Result<Peaks> {
    let mut signal = Signal::new("find_peaks", x)?;
    if let Some(distance) = options.distance
        && (distance < 1.0 || distance.is_nan())
    {
        return wrong(format!("find_peaks: `distance` must be greater or equal to 1, not {distance}"));
    }
    let x = signal.x.clone();
    let [middle, left, right] = signal.maxima()?;
    let mut found = Peaks { positions: middle, properties: vec![], some_flat: false, some_narrow: false };
    if let Some(interval) = &options.plateau_size {
        let sizes = math::add(math::subtract(&right, &left)?, 1i64)?;
        found.properties = vec![("plateau_sizes", sizes.clone()), ("left_edges", left), ("right_edges", right)];
        let conditions = found.within(&x, interval, &sizes, &sizes)?;
        found.select(conditions)?;
    }
    if let Some(interval) = &options.height {
        let heights = take(&x, &found.positions, ())?;
        found.properties.push(("peak_heights", heights.clone()));
        let conditions = found.within(&x, interval, &heights, &heights)?;
        found.select(conditions)?;
    }
    if let Some(interval) = &options.threshold {
        let own = take(&x, &found.positions, ())?;
        let beside = |step: i64| math::subtract(&own, take(&x, math::add(&found.positions, step)?, ())?);
        let (left, right) = (beside(-1)?, beside(1)?);
        let (low, high) = (math::minimum(&left, &right)?, math::maximum(&left, &right)?);
        found.properties.extend([("left_thresholds", left), ("right_thresholds", right)]);
        let conditions = found.within(&x, interval, &low, &high)?;
        found.select(conditions)?;
    }
    if let Some(distance) = options.distance {
        let heights = take(&x, &found.positions, ())?;
        let keep = apart(&found.positions, &heights, distance, signal.n, options.order)?;
        found.select(keep)?;
    }
    let mut data = None;
    if options.prominence.is_some() || options.width.is_some() {
        let own = signal.prominences(&found.positions, options.wlen)?;
        found.some_flat = has_zero(&own.prominences)?;
        found.properties.extend([
            ("prominences", own.prominences.clone()),
            ("left_bases", own.left_bases.clone()),
            ("right_bases", own.right_bases.clone()),
        ]);
        data = Some(own);
    }
    if let (Some(interval), Some(own)) = (&options.prominence, &data) {
        let conditions = found.within(&x, interval, &own.prominences, &own.prominences)?;
        found.select(conditions)?;
        let of = |name: &str| found.property(name).cloned();
        if let (Some(prominences), Some(left_bases), Some(right_bases)) =
            (of("prominences"), of("left_bases"), of("right_bases"))
        {
            data = Some(Prominences { prominences, left_bases, right_bases });
        }
    }
    if let (Some(interval), Some(own)) = (&options.width, &data) {
        let widths = signal.widths(&found.positions, options.rel_height, own, options.wlen)?;
        found.some_narrow = has_zero(&widths.widths)?;
        found.properties.extend([
            ("widths", widths.widths.clone()),
            ("width_heights", widths.width_heights),
            ("left_ips", widths.left_ips),
            ("right_ips", widths.right_ips),
        ]);
        let conditions = found.within(&x, interval, &widths.widths, &widths.widths)?;
        found.select(conditions)?;
    }
    Ok(found)
}
