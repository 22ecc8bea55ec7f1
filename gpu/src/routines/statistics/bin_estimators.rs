//! Rules for the number of histogram bins.
//!
//! Each rule computes a bin width or a number of bins from a few statistics of the elements, which are reductions on
//! the device and read back.
//!
//! For `n` elements of standard deviation `s`, skewness `g` and interquartile range `r`:
//!
//! | rule | width of a bin, or number of bins |
//! |---|---|
//! | `Sqrt` | √n bins |
//! | `Sturges` | log2(n) + 1 bins |
//! | `Rice` | 2 ∛n bins |
//! | `Scott` | width (24 √π / n)^(1/3) s |
//! | `Doane` | 1 + log2(n) + log2(1 + abs(g) / √(6 (n - 2) / ((n + 1) (n + 3)))) bins |
//! | `Fd` | width 2 r / ∛n |
//! | `Stone` | the number of bins with the least estimated loss |

use cuprum_kernels::DType;
use cuprum_macros::Choice;

use super::bin_candidates::uniform_counts;
use super::bin_edges::{Outer, edge_dtype, extremes, rounded};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::routines::{logic, math, statistics};

/// A rule for the number of bins of a histogram; NumPy's names for `bins`.
///
/// The names in lower case are NumPy's strings for `bins`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Choice)]
pub enum Estimator {
    /// The smaller bin width of Sturges' rule and of the Freedman-Diaconis rule, the latter at least half of the square
    /// root rule's.
    Auto,
    /// The Freedman-Diaconis rule: twice the interquartile range, divided by the cube root of the number of elements.
    Fd,
    /// Doane's rule: Sturges' rule with a correction for skewness.
    Doane,
    /// Scott's rule: by the standard deviation and the cube root of the number of elements.
    Scott,
    /// Stone's rule: the number with the smallest estimated integrated squared error (C. J. Stone, 1984).
    Stone,
    /// The Rice rule: twice the cube root of the number of elements.
    Rice,
    /// Sturges' rule: the binary logarithm of the number of elements, plus one.
    Sturges,
    /// The square root of the number of elements.
    Sqrt,
}

impl Estimator {
    /// Returns the number of bins between the outer edges.
    pub(super) fn bins(self, a: &Array, outer: Outer, range: Option<(f64, f64)>) -> Result<usize> {
        let x = match range {
            None => a.in_one_axis()?,
            Some((first, last)) => {
                let a = a.in_one_axis()?;
                a.mask(&logic::logical_and(&logic::greater_equal(&a, first)?, &logic::less_equal(&a, last)?)?)?
            }
        };
        if x.size() == 0 {
            return Ok(1);
        }
        let dtype = edge_dtype(a.dtype());
        let integers = !a.dtype().is_float();
        let ptp = extremes(&x)?.length(dtype);
        let sample = Sample { ptp, n: x.size(), x, dtype, outer, range };
        let (mut width, own) = sample.width(self)?;
        if width == 0.0 {
            return Ok(1);
        }
        if integers && width < 1.0 {
            width = 1.0;
        }
        let bins = outer.length(dtype) / width;
        // Between two elements, a width in their dtype is divided in that dtype.
        let bins = if own && matches!(outer, Outer::Floats(..)) { rounded(bins, dtype) } else { bins }.ceil();
        if !(1.0..=1e15).contains(&bins) {
            return Err(Error::new(ErrorKind::Value, format!("the rule yields {bins} bins")));
        }
        Ok(bins as usize)
    }
}

/// The elements that a rule evaluates.
struct Sample {
    x: Array,
    n: usize,
    /// The dtype in which NumPy computes.
    dtype: DType,
    /// The difference of maximum and minimum.
    ptp: f64,
    outer: Outer,
    range: Option<(f64, f64)>,
}

impl Sample {
    /// Returns the width of a bin, and whether NumPy computes it in the dtype of the elements, not in `float64`.
    fn width(&self, rule: Estimator) -> Result<(f64, bool)> {
        let (n, ptp) = (self.n as f64, self.ptp);
        let own = |x: f64| rounded(x, self.dtype);
        let width = match rule {
            Estimator::Sqrt => ptp / n.sqrt(),
            Estimator::Sturges => ptp / (n.log2() + 1.0),
            Estimator::Rice => own(ptp / own(2.0 * n.powf(1.0 / 3.0))),
            Estimator::Scott => {
                let factor = (24.0 * std::f64::consts::PI.sqrt() / n).powf(1.0 / 3.0);
                own(own(factor) * own(self.deviation()?.0))
            }
            Estimator::Doane => self.doane()?,
            Estimator::Fd => self.freedman_diaconis()?,
            Estimator::Auto => {
                let wide = self.freedman_diaconis()?.max(self.width(Estimator::Sqrt)?.0 / 2.0);
                wide.min(self.width(Estimator::Sturges)?.0)
            }
            Estimator::Stone => self.stone()?,
        };
        Ok((width, matches!(rule, Estimator::Rice | Estimator::Scott | Estimator::Stone)))
    }

    /// Returns the standard deviation and the skewness.
    fn deviation(&self) -> Result<(f64, f64)> {
        let x = self.x.cast(DType::F64, Order::C)?;
        let mean = statistics::mean(&x, Reduce::all())?;
        let distance = math::subtract(&x, &mean)?;
        let square = math::multiply(&distance, &distance)?;
        let deviation = statistics::mean(&square, Reduce::all())?.item::<f64>()?.sqrt();
        if deviation == 0.0 {
            return Ok((0.0, 0.0));
        }
        let scaled = math::true_divide(&distance, deviation)?;
        let cube = math::multiply(&math::multiply(&scaled, &scaled)?, &scaled)?;
        Ok((deviation, statistics::mean(&cube, Reduce::all())?.item()?))
    }

    fn doane(&self) -> Result<f64> {
        let n = self.n as f64;
        if self.n <= 2 {
            return Ok(0.0);
        }
        let (deviation, skewness) = self.deviation()?;
        if deviation <= 0.0 {
            return Ok(0.0);
        }
        let of_skewness = (6.0 * (n - 2.0) / ((n + 1.0) * (n + 3.0))).sqrt();
        Ok(self.ptp / (1.0 + n.log2() + (1.0 + skewness.abs() / of_skewness).log2()))
    }

    fn freedman_diaconis(&self) -> Result<f64> {
        // As everywhere in histograms, booleans are 0 and 1.
        let dtype = match self.x.dtype() {
            DType::Bool => DType::U8,
            d if d.is_float() => self.dtype,
            d => d,
        };
        let x = self.x.cast(dtype, Order::C)?;
        // Several quantiles are float64 for elements of any dtype, and so is the width.
        let ends = statistics::percentile(&x, [75.0, 25.0], ())?.to_vec::<f64>()?;
        Ok(2.0 * (ends[0] - ends[1]) * (self.n as f64).powf(-1.0 / 3.0))
    }

    fn stone(&self) -> Result<f64> {
        if self.n <= 1 || self.ptp == 0.0 {
            return Ok(0.0);
        }
        let n = self.n as f64;
        let most = 100.max(n.sqrt() as usize);
        let outer = Outer::of(&self.x, self.range.map(|_| self.outer.ends()))?;
        let mut losses = vec![f64::INFINITY; most];
        uniform_counts(&self.x, outer, most, |bins, counts| {
            let squares: f64 = counts.iter().map(|&c| (c as f64 / n).powi(2)).sum();
            losses[bins - 1] = (2.0 - (n + 1.0) * squares) / rounded(self.ptp / bins as f64, self.dtype);
        })?;
        // The first minimum.
        let best = (1..most).fold(0, |best, k| if losses[k] < losses[best] { k } else { best });
        Ok(rounded(self.ptp / (best + 1) as f64, self.dtype))
    }
}
