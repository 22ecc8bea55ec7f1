//! Edges of uniform bins, computed in NumPy's steps.
//!
//! Edges are float64 unless the elements are float32 or complex; the steps are those of NumPy's `linspace`, since a
//! count at an edge depends on its last bit.

use cuprum_kernels::DType;
use cuprum_kernels::source::BinArithmetic;
use half::f16;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::{self, Uniform, make};
use crate::error::{Error, ErrorKind, Result};
use crate::reduction::Reduce;
use crate::routines::statistics;
use crate::scalar::Scalar;

/// The bound of the error of edges, in bins, below which they are increasing.
const MOST_OFF: f64 = 0.25;
/// Slack for the rounding of 0.5 minus the error, and of an element's distance from the centre of a bin.
const SLACK: f64 = 1e-6;

/// The outer edges: the lower edge of the first bin and the upper edge of the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outer {
    /// Numbers that were passed, or that do not depend on elements.
    Given(f64, f64),
    /// The minimum and the maximum of integer elements.
    Integers(i128, i128),
    /// The minimum and the maximum of the elements, or half a unit beyond, in their own dtype.
    Floats(f64, f64),
}

/// Returns the dtype in which floats are computed, and that of the edges; for bfloat16, which NumPy lacks, float32.
pub(super) fn edge_dtype(a: DType) -> DType {
    match a {
        DType::F16 | DType::F32 | DType::F64 => a,
        DType::BF16 => DType::F32,
        _ => DType::F64,
    }
}

/// Rounds to a float dtype. Double rounding of one float64 operation is exact: float64 has more than twice the digits.
pub(super) fn rounded(x: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// Returns the unit roundoff of a float dtype.
pub(super) fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::F32 => 2f64.powi(-24),
        _ => 2f64.powi(-53),
    }
}

fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Returns `number` + 1 evenly spaced numbers from the first to the last, with every step rounded by `round`. (The
/// parameter is generic so that each rounding has its own loop: for many bins the host's time dominates.)
fn spaced(number: usize, (first, last): (f64, f64), round: impl Fn(f64) -> f64) -> Vec<f64> {
    let length = round(last - first);
    let step = round(length / number as f64);
    let edge = |i: usize| {
        let i = round(i as f64);
        let along = if step == 0.0 { round(round(i / round(number as f64)) * length) } else { round(i * step) };
        round(along + first)
    };
    (0..number).map(edge).chain([last]).collect()
}

/// Returns the minimum and the maximum. Synchronises to read them.
pub(super) fn extremes(a: &Array) -> Result<Outer> {
    if a.dtype().is_float() {
        let [first, last] = engine::float_ends(a)?;
        return Ok(Outer::Floats(first, last));
    }
    if a.dtype() != DType::U64 {
        let [first, last] = engine::integer_ends(a)?;
        return Ok(Outer::Integers(first.into(), last.into()));
    }
    let (least, most) = (statistics::min(a, Reduce::all())?, statistics::max(a, Reduce::all())?);
    Ok(Outer::Integers(least.item::<u64>()?.into(), most.item::<u64>()?.into()))
}

fn not_finite(what: &str, first: f64, last: f64) -> Error {
    Error::new(ErrorKind::Value, format!("the {what} range of [{first}, {last}] is not finite"))
}

impl Outer {
    /// Returns NumPy's outer edges of an array, or of a range. Synchronises to read the extremes if they are needed.
    pub(super) fn of(a: &Array, range: Option<(f64, f64)>) -> Result<Outer> {
        if let Some((first, last)) = range {
            if first > last {
                return Err(Error::new(ErrorKind::Value, format!("the range ({first}, {last}) ends before it begins")));
            }
            if !(first.is_finite() && last.is_finite()) {
                return Err(not_finite("supplied", first, last));
            }
            return Ok(if first == last { Outer::Given(first - 0.5, last + 0.5) } else { Outer::Given(first, last) });
        }
        if a.size() == 0 {
            return Ok(Outer::Given(0.0, 1.0));
        }
        extremes(a)?.not_alike(edge_dtype(a.dtype()))
    }

    /// Returns the outer edges for the minimum and the maximum of elements with edges of `dtype`.
    pub(super) fn not_alike(self, dtype: DType) -> Result<Outer> {
        Ok(match self {
            Outer::Floats(first, last) if !(first.is_finite() && last.is_finite()) => {
                return Err(not_finite("autodetected", first, last));
            }
            Outer::Floats(first, last) if first == last => {
                Outer::Floats(rounded(first - 0.5, dtype), rounded(last + 0.5, dtype))
            }
            // An integer plus one half is exact in float64.
            Outer::Integers(first, last) if first == last => Outer::Given(first as f64 - 0.5, last as f64 + 0.5),
            ends => ends,
        })
    }

    /// Returns both ends as float64.
    pub(super) fn ends(self) -> (f64, f64) {
        match self {
            Outer::Given(first, last) | Outer::Floats(first, last) => (first, last),
            Outer::Integers(first, last) => (first as f64, last as f64),
        }
    }

    /// Returns the distance of the ends, as NumPy subtracts.
    pub(super) fn length(self, dtype: DType) -> f64 {
        match self {
            Outer::Given(first, last) => last - first,
            Outer::Floats(first, last) => rounded(last - first, dtype),
            Outer::Integers(first, last) => (last - first) as f64,
        }
    }

    /// Returns `number` + 1 evenly spaced edges, computed in the dtype of the ends and rounded to `dtype`.
    pub(super) fn edges(self, number: usize, dtype: DType) -> Vec<f64> {
        let ends = self.ends();
        let edges = match self.own(dtype) {
            DType::F64 => spaced(number, ends, |x| x),
            DType::F32 => spaced(number, ends, single),
            other => spaced(number, ends, |x| rounded(x, other)),
        };
        edges.into_iter().map(|x| rounded(x, dtype)).collect()
    }

    /// Returns the dtype in which edges of `dtype` are computed: that of the ends if they are elements.
    fn own(self, dtype: DType) -> DType {
        if let Outer::Floats(..) = self { dtype } else { DType::F64 }
    }

    /// Returns the edges, and parameters for finding an element's bin, if the error bound shows that the edges are
    /// increasing: no edge is checked here.
    pub(super) fn even(self, number: usize, dtype: DType, device: Device) -> Result<Option<(Array, Uniform)>> {
        let Some(uniform) = self.even_bins(number, dtype) else { return Ok(None) };
        let (first, last) = self.ends();
        let edges = engine::edges(device, number, [first, last], self.own(dtype), dtype)?;
        Ok(Some((edges, uniform)))
    }

    /// Returns the parameters of [`Self::even`].
    pub(super) fn even_bins(self, number: usize, dtype: DType) -> Option<Uniform> {
        let uniform = self.by_quotients(number, dtype);
        let (scale, off) = (Self::scale(&uniform, number, dtype), self.most_off(number, dtype));
        if off >= MOST_OFF {
            return None;
        }
        let clear = uniform.arithmetic != BinArithmetic::Exact || uniform.is_exact();
        let sure = if clear { 0.5 - off - SLACK } else { -1.0 };
        Some(Uniform { scale, sure, ..uniform })
    }

    /// Returns a bound, in bins, of the difference between an edge's number and its product with the scale; infinite
    /// where steps may be subnormal, and where the dtype cannot represent the ends or their distance.
    ///
    /// Each step has a relative rounding error `u`, and ends an error of `u` times the larger one. If the ends are
    /// elements, edge i has an error of 2 u of the distance from the first (from quotient and product: the distance of
    /// the ends is rounded once for both) and of u of the larger end, and the product adds three more u. Other ends are
    /// themselves rounded to the dtype: the first edge has another error of u of the larger end, and the scale of two.
    /// If the sum is less than a quarter of a bin, neighbours are rounded to different edges, and the position that
    /// NumPy computes, which is rounded three times more, is off by less than a bin.
    fn most_off(self, number: usize, dtype: DType) -> f64 {
        let least = match dtype {
            DType::F16 => f16::MIN_POSITIVE.to_f64(),
            DType::F32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        let ((first, last), length, number) = (self.ends(), self.length(dtype), number as f64);
        let ends = first.abs().max(last.abs()) / length;
        let steps = if let Outer::Floats(..) = self { 5.0 + ends } else { 5.0 + 4.0 * ends };
        // Second-order errors are less than a hundredth.
        let off = 1.01 * unit(dtype) * number * steps;
        let held = [first, last, length].into_iter().all(|x| rounded(x, dtype).is_finite());
        if held && length / number >= least { off } else { f64::INFINITY }
    }

    /// Returns the parameters by which NumPy finds the bin of an element, for edges of `dtype`.
    pub(super) fn uniform(self, edges: &[f64], dtype: DType) -> Uniform {
        let uniform = self.by_quotients(edges.len() - 1, dtype);
        let (scale, sure) = self.clear(&uniform, edges, dtype).unwrap_or((0.0, -1.0));
        Uniform { scale, sure, ..uniform }
    }

    /// Returns the scale that determines the bins of most elements, and the maximum distance from the centre of a bin
    /// for which it does.
    ///
    /// NumPy computes the position of an element, compares with the two edges there, and moves by at most one bin. All
    /// steps of the computation are monotonic in the element, so that the error between two edges is below one bin if
    /// it is at both: then the resulting bin is the one that encloses the element. The product with the scale is
    /// monotonic as well. Its value for an element between two edges is therefore between the values for these, and
    /// identifies the bin where it is away from all of those.
    fn clear(self, by: &Uniform, edges: &[f64], dtype: DType) -> Option<(f64, f64)> {
        if by.arithmetic == BinArithmetic::Exact && !by.is_exact() {
            return None;
        }
        let scale = Self::scale(by, edges.len() - 1, dtype);
        let off = match dtype {
            DType::F64 => by.off(edges, scale, |x| x, |x| x),
            DType::F32 => by.off(edges, scale, single, single),
            other => by.off(edges, scale, |x| rounded(x, other), single),
        }?;
        let sure = 0.5 - off - SLACK;
        (sure > 0.0).then_some((scale, sure))
    }

    /// Returns the bins per distance of the first and the last edge, in the dtype in which elements are compared with
    /// edges of `dtype`.
    fn scale(by: &Uniform, number: usize, dtype: DType) -> f64 {
        let own = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        rounded(number as f64 / rounded(by.last - by.first, own), own)
    }

    fn by_quotients(self, number: usize, dtype: DType) -> Uniform {
        let (first, last) = self.ends();
        let arithmetic = match self {
            Outer::Integers(..) => BinArithmetic::Exact,
            Outer::Floats(..) => BinArithmetic::Own,
            Outer::Given(..) => BinArithmetic::Wide,
        };
        let number = number as f64;
        Uniform {
            arithmetic,
            first: rounded(first, dtype),
            last: rounded(last, dtype),
            length: self.length(dtype),
            number: if arithmetic == BinArithmetic::Own { rounded(number, dtype) } else { number },
            origin: if let Outer::Integers(first, _) = self { first as u64 } else { 0 },
            scale: 0.0,
            sure: -1.0,
        }
    }
}

impl Uniform {
    /// Returns whether float64 represents all integers between the ends. Others are rounded before they are compared.
    fn is_exact(&self) -> bool {
        self.first.abs().max(self.last.abs()) <= 2f64.powi(53)
    }

    /// Returns the maximum difference between an edge's number and its product with the scale; `None` where the
    /// position that NumPy computes is off by a bin or more. `round` rounds to the dtype of the edges, `own` to that of
    /// the product.
    fn off(&self, edges: &[f64], scale: f64, round: impl Fn(f64) -> f64, own: impl Fn(f64) -> f64) -> Option<f64> {
        let (mut off, mut near) = (0f64, true);
        for (i, &edge) in edges.iter().enumerate() {
            let i = i as f64;
            let theirs = match self.arithmetic {
                BinArithmetic::Exact => (edge - self.first) / self.length * self.number,
                BinArithmetic::Wide => round(edge - self.first) / self.length * self.number,
                BinArithmetic::Own => round(round(round(edge - self.first) / self.length) * self.number),
            };
            let beside = (own(own(edge - self.first) * scale) - i).abs();
            // Both comparisons are false for NaN.
            near &= theirs >= i - 1.0 && theirs < i + 1.0 && beside >= 0.0;
            off = off.max(beside);
        }
        near.then_some(off)
    }
}

/// Uploads numbers that are representable in the dtype.
pub(super) fn upload(edges: &[f64], dtype: DType, device: Device) -> Result<Array> {
    let shape = [edges.len()];
    match dtype {
        DType::F64 => make::of(device, edges, &shape),
        DType::F32 => make::of(device, &edges.iter().map(|&x| x as f32).collect::<Vec<_>>(), &shape),
        _ => {
            let bytes = edges.iter().flat_map(|&x| Scalar::Float(x).encode(dtype).into_iter().take(dtype.size()));
            make::of_bytes(device, &bytes.collect::<Vec<_>>(), dtype)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Order;

    #[test]
    fn edges_are_those_of_linspace() {
        // Computed by numpy.linspace in the dtype of its ends.
        let edges = Outer::Floats(f64::from(0.1f32), f64::from(0.9f32)).edges(3, DType::F32);
        assert_eq!(edges, [0.1f32, 0.366_666_64, 0.633_333_3, 0.9].map(f64::from));
        assert_eq!(Outer::Integers(-3, 4).edges(2, DType::F64), [-3.0, 0.5, 4.0]);
        assert_eq!(Outer::Given(0.0, 1.0).edges(4, DType::F16), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    /// Checks that the error bound holds for all edges, that they are increasing, and that the device computes the
    /// same: near zero, far from it, for few units, subnormal distances, and rounded integers.
    #[test]
    fn ends_tell_of_all_edges() -> Result<()> {
        let (device, mut compared) = (Device::current()?, 0);
        let ends = [
            (0.0, 1.0),
            (0.1, 0.9),
            (-7.3, 1e3),
            (1e6, 1e6 + 3.0),
            (-1e-3, 1e-3),
            (0.0, 1e-40),
            (-3e38, 3e38),
            (1e-310, 3e-309),
        ];
        for dtype in [DType::F16, DType::F32, DType::F64] {
            for number in [1, 3, 10, 47, 256, 1000, 4093, 100_000] {
                for (first, last) in ends {
                    let floats = Outer::Floats(rounded(first, dtype), rounded(last, dtype));
                    let integers = Outer::Integers(first.max(-1e18) as i128, 1 + last.min(1e18) as i128);
                    for outer in [Outer::Given(first, last), floats, integers] {
                        let Some((edges, uniform)) = outer.even(number, dtype, device)? else { continue };
                        let want = outer.edges(number, dtype);
                        let found = edges.cast(DType::F64, Order::C)?.to_vec::<f64>()?;
                        assert!(found == want, "{outer:?} {number} {dtype}");
                        assert!(want.windows(2).all(|w| w[0] < w[1]), "{outer:?} {number} {dtype}");
                        let exact = outer.uniform(&want, dtype);
                        let clear = uniform.sure > 0.2 && uniform.sure <= exact.sure && exact.scale == uniform.scale;
                        assert!(clear || uniform.sure.max(exact.sure) < 0.0, "{outer:?} {number} {dtype}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 200, "{compared} of all");
        Ok(())
    }
}
