//! The edges of uniform bins, in NumPy's steps.

use cuprum_kernels::DType;
use cuprum_kernels::source::Place;
use half::f16;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::{self, Uniform, make};
use crate::error::{Error, ErrorKind, Result};
use crate::reduction::Reduce;
use crate::routines::statistics;
use crate::scalar::Scalar;

/// Edges that are off by less than so many bins rise.
const MOST_OFF: f64 = 0.25;
/// Half a unit less than a place below 1 is rounded itself, and so is how far from the middle of a bin it may be.
const SLACK: f64 = 1e-6;

/// Where the first bin begins and the last one ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outer {
    /// At numbers that were given, or that do not come of elements.
    Given(f64, f64),
    /// At the least and the greatest element, which are integers.
    Integers(i128, i128),
    /// At the least and the greatest element, or half a unit beyond, in their own dtype.
    Floats(f64, f64),
}

/// The dtype in which floats are worked with, and of the edges; bfloat16 has no arithmetic in NumPy and is worked with in
/// float32.
pub(super) fn edge_dtype(a: DType) -> DType {
    match a {
        DType::F16 | DType::F32 | DType::F64 => a,
        DType::BF16 => DType::F32,
        _ => DType::F64,
    }
}

/// Rounds to a float dtype. A result of one operation in float64 may be rounded again: it has more than twice the digits.
pub(super) fn rounded(x: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// The largest part of a number by which rounding to a float dtype changes it.
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

/// `number` + 1 evenly spaced numbers from the first to the last, every step of which `round` rounds. (A loop for each way to round: of
/// many bins the host's time is what counts.)
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

/// The least and the greatest element. The host waits for them.
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

impl Outer {
    /// NumPy's outer edges of an array, or of a range. The host waits for the extremes where they are needed.
    pub(super) fn of(a: &Array, range: Option<(f64, f64)>) -> Result<Outer> {
        let not_finite = |what: &str, first: f64, last: f64| {
            Error::new(ErrorKind::Value, format!("the {what} range of [{first}, {last}] is not finite"))
        };
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
        let dtype = edge_dtype(a.dtype());
        Ok(match extremes(a)? {
            Outer::Floats(first, last) if !(first.is_finite() && last.is_finite()) => {
                return Err(not_finite("autodetected", first, last));
            }
            Outer::Floats(first, last) if first == last => {
                Outer::Floats(rounded(first - 0.5, dtype), rounded(last + 0.5, dtype))
            }
            // Half of a unit beyond an integer is a float64.
            Outer::Integers(first, last) if first == last => Outer::Given(first as f64 - 0.5, last as f64 + 0.5),
            ends => ends,
        })
    }

    /// Both ends as float64.
    pub(super) fn ends(self) -> (f64, f64) {
        match self {
            Outer::Given(first, last) | Outer::Floats(first, last) => (first, last),
            Outer::Integers(first, last) => (first as f64, last as f64),
        }
    }

    /// From end to end, as NumPy subtracts.
    pub(super) fn length(self, dtype: DType) -> f64 {
        match self {
            Outer::Given(first, last) => last - first,
            Outer::Floats(first, last) => rounded(last - first, dtype),
            Outer::Integers(first, last) => (last - first) as f64,
        }
    }

    /// `number` + 1 evenly spaced edges, computed in the dtype of the ends and rounded to `dtype`.
    pub(super) fn edges(self, number: usize, dtype: DType) -> Vec<f64> {
        let ends = self.ends();
        let edges = match self.own(dtype) {
            DType::F64 => spaced(number, ends, |x| x),
            DType::F32 => spaced(number, ends, single),
            other => spaced(number, ends, |x| rounded(x, other)),
        };
        edges.into_iter().map(|x| rounded(x, dtype)).collect()
    }

    /// The dtype in which edges of `dtype` are computed: that of ends which are elements.
    fn own(self, dtype: DType) -> DType {
        if let Outer::Floats(..) = self { dtype } else { DType::F64 }
    }

    /// So many edges and how to find the bin of an element, where the ends tell that the edges rise: no edge is checked here.
    pub(super) fn even(self, number: usize, dtype: DType, device: Device) -> Result<Option<(Array, Uniform)>> {
        let uniform = self.by_quotients(number, dtype);
        let (scale, off) = (Self::scale(&uniform, number, dtype), self.most_off(number, dtype));
        if off >= MOST_OFF {
            return Ok(None);
        }
        let (first, last) = self.ends();
        let edges = engine::edges(device, number, [first, last], self.own(dtype), dtype)?;
        let clear = uniform.place != Place::Exact || uniform.is_exact();
        let sure = if clear { 0.5 - off - SLACK } else { -1.0 };
        Ok(Some((edges, Uniform { scale, sure, ..uniform })))
    }

    /// How far from its number the product with the scale is at the most at any of the edges, in bins; infinite where steps may be so
    /// small that a unit in their last place is not known, and where the dtype does not hold the ends or their distance.
    ///
    /// Steps are rounded by a part `u` each, and ends by `u` times the larger one. Between ends that are elements the edge of number i is off
    /// by 2 u of the distance from the first (the quotient and the product: the distance of the ends is rounded once and then that of
    /// both) and by u of the larger end, and the product by three more u. Other ends are themselves rounded to the dtype: by one u of the
    /// larger end more the first edge is off, and the scale by two. If that is less than a quarter of a bin, neighbours are rounded to different
    /// edges, and the place that NumPy computes, which is rounded three times more, is off by less than a bin.
    fn most_off(self, number: usize, dtype: DType) -> f64 {
        let least = match dtype {
            DType::F16 => f16::MIN_POSITIVE.to_f64(),
            DType::F32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        let ((first, last), length, number) = (self.ends(), self.length(dtype), number as f64);
        let ends = first.abs().max(last.abs()) / length;
        let steps = if let Outer::Floats(..) = self { 5.0 + ends } else { 5.0 + 4.0 * ends };
        // What errors of errors come to is less than the hundredth part.
        let off = 1.01 * unit(dtype) * number * steps;
        let held = [first, last, length].into_iter().all(|x| rounded(x, dtype).is_finite());
        if held && length / number >= least { off } else { f64::INFINITY }
    }

    /// How NumPy finds the bin of an element whose dtype's edges are these, of `dtype`.
    pub(super) fn uniform(self, edges: &[f64], dtype: DType) -> Uniform {
        let uniform = self.by_quotients(edges.len() - 1, dtype);
        let (scale, sure) = self.clear(&uniform, edges, dtype).unwrap_or((0.0, -1.0));
        Uniform { scale, sure, ..uniform }
    }

    /// The scale by which most elements' bins are told, and how far from the middle of a bin they may be for that.
    ///
    /// NumPy computes the place of an element, looks at the two edges there, and goes on by one bin at the most. All steps of that place
    /// rise with the element, so that it is off by less than a bin between two edges if it is at both: then the bin that counts
    /// is the one between whose edges the element lies. A product rises as well. So what it gives for an element between two
    /// edges lies between what it gives for these, and away from all of those tells the bin for certain.
    fn clear(self, by: &Uniform, edges: &[f64], dtype: DType) -> Option<(f64, f64)> {
        if by.place == Place::Exact && !by.is_exact() {
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

    /// Bins by the distance of the first edge and the last, in the dtype in which elements are compared with edges of `dtype`.
    fn scale(by: &Uniform, number: usize, dtype: DType) -> f64 {
        let own = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        rounded(number as f64 / rounded(by.last - by.first, own), own)
    }

    fn by_quotients(self, number: usize, dtype: DType) -> Uniform {
        let (first, last) = self.ends();
        let place = match self {
            Outer::Integers(..) => Place::Exact,
            Outer::Floats(..) => Place::Own,
            Outer::Given(..) => Place::Wide,
        };
        let number = number as f64;
        Uniform {
            place,
            first: rounded(first, dtype),
            last: rounded(last, dtype),
            length: self.length(dtype),
            number: if place == Place::Own { rounded(number, dtype) } else { number },
            origin: if let Outer::Integers(first, _) = self { first as u64 } else { 0 },
            scale: 0.0,
            sure: -1.0,
        }
    }
}

impl Uniform {
    /// Whether float64 holds all integers between the ends. Others are rounded before they are compared.
    fn is_exact(&self) -> bool {
        self.first.abs().max(self.last.abs()) <= 2f64.powi(53)
    }

    /// How far from its number the product with the scale is at any of the edges; none where the place that NumPy computes is off by a
    /// bin or more. `round` rounds to the dtype of the edges, `own` to that of the product.
    fn off(&self, edges: &[f64], scale: f64, round: impl Fn(f64) -> f64, own: impl Fn(f64) -> f64) -> Option<f64> {
        let (mut off, mut near) = (0f64, true);
        for (i, &edge) in edges.iter().enumerate() {
            let i = i as f64;
            let theirs = match self.place {
                Place::Exact => (edge - self.first) / self.length * self.number,
                Place::Wide => round(edge - self.first) / self.length * self.number,
                Place::Own => round(round(round(edge - self.first) / self.length) * self.number),
            };
            let beside = (own(own(edge - self.first) * scale) - i).abs();
            // Neither is true of NaN.
            near &= theirs >= i - 1.0 && theirs < i + 1.0 && beside >= 0.0;
            off = off.max(beside);
        }
        near.then_some(off)
    }
}

/// An array of these numbers, which the dtype holds.
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

    /// Where the ends tell how far edges are off, none is farther, they rise, and the device's are the same; near zero, far from it, of
    /// few units, of subnormal distances, and where integers are rounded.
    #[test]
    fn ends_tell_of_all_edges() -> Result<()> {
        let (device, mut told) = (Device::current()?, 0);
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
                        told += 1;
                    }
                }
            }
        }
        assert!(told > 200, "{told} of all");
        Ok(())
    }
}
