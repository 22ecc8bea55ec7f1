//! Selection of peaks by their distance, from the highest to the lowest.
//!
//! SciPy visits the peaks from the highest to the lowest and removes lower ones that are too near. On the
//! device each peak is compared with the peaks within the distance, in rounds: a peak without a higher one
//! nearby stays, and removes its neighbours. A few rounds decide all peaks, except for long chains, which
//! the host decides.

use std::sync::LazyLock;

use cuprum_kernels::DType;

use super::peak_kernels::{Lazy, kernel, run};
use super::peaks::PeakOrder;
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::routines::searching::count_nonzero;
use crate::ufunc::apply;

// A peak is kept (1) if all nearer peaks that are not removed are lower, and removed (2) if a nearer one is kept; it is undecided (0) before.
static ROUND: Lazy = LazyLock::new(|| {
    kernel(
        "signal_peak_round",
        "raw int64 peaks, raw float64 heights, raw int8 before, int64 m, int64 distance",
        "int8 after",
        "
    after = before[i];
    if (after == 0) {
      const long long peak = peaks[i];
      const double height = heights[i];
      bool lower = false;
      for (int step = -1; step <= 1; step += 2) {
        for (long long k = (long long)i + step; k >= 0 && k < m && step * (peaks[k] - peak) < distance; k += step) {
          const int state = before[k];
          if (state == 1) after = 2;
          else if (state == 0 && heights[k] >= height) lower = true;
        }
      }
      if (after == 0 && !lower) after = 1;
    }",
        "",
    )
});

/// Nearer peaks on average, above which the host decides: it takes a step for each kept peak.
const MANY: usize = 64;

/// Rounds between two reads of the number of undecided peaks, and reads.
const ROUNDS: usize = 4;
const READS: usize = 12;

/// Returns which peaks are kept, or `None` if rounds do not end: equal peaks, and long chains of ever higher ones.
fn on_device(peaks: &Array, heights: &Array, distance: i64) -> Result<Option<Array>> {
    let m = peaks.size();
    let mut state = make::zeros(peaks.device(), &[m], DType::I8)?;
    let mut undecided = m as i64;
    for _ in 0..READS {
        for _ in 0..ROUNDS {
            let inputs = [peaks.into(), heights.into(), (&state).into(), (m as i64).into(), distance.into()];
            state = run(&ROUND, &inputs, &[], Some(m))?.remove(0);
        }
        let before = undecided;
        undecided = count_nonzero(apply("equal", [(&state).into(), 0i64.into()])?, ())?.item::<i64>()?;
        if undecided == 0 {
            return Ok(Some(apply("equal", [(&state).into(), 1i64.into()])?));
        }
        if undecided == before {
            break;
        }
    }
    Ok(None)
}

/// Returns the positions of numbers in ascending order, NaN last; equal ones keep their order.
fn ascending(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (numbers[*a], numbers[*b]);
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    });
    order
}

/// Returns which peaks are kept, from the highest on.
fn on_host(peaks: &Array, heights: &Array, distance: i64, order: Option<PeakOrder>) -> Result<Array> {
    let (positions, heights) = (peaks.to_vec::<i64>()?, heights.to_vec::<f64>()?);
    let order = order.unwrap_or(ascending)(&heights);
    let mut keep = vec![true; positions.len()];
    for &k in order.iter().rev() {
        if !keep[k] {
            continue;
        }
        let near = |j: &usize| (positions[*j] - positions[k]).abs() < distance;
        (0..k).rev().take_while(near).for_each(|j| keep[j] = false);
        (k + 1..positions.len()).take_while(near).for_each(|j| keep[j] = false);
    }
    make::of(peaks.device(), &keep, &[keep.len()])
}

/// Returns which peaks of a signal of n elements remain if each one, from the highest to the lowest, removes those
/// nearer than a distance; `None` for all. It synchronises.
pub(super) fn apart(
    peaks: &Array,
    heights: &Array,
    distance: f64,
    n: usize,
    order: Option<PeakOrder>,
) -> Result<Option<Array>> {
    let distance = distance.min(n as f64).ceil() as i64;
    if distance <= 1 || peaks.size() <= 1 {
        return Ok(None);
    }
    let few = peaks.size() as u128 * distance as u128 <= (MANY * n) as u128;
    match if few { on_device(peaks, heights, distance)? } else { None } {
        Some(keep) => Ok(Some(keep)),
        None => on_host(peaks, heights, distance, order).map(Some),
    }
}
