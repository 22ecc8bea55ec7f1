//! Operands: their elements, memory and views.

use cuprum_kernels::DType;
use half::{bf16, f16};

use crate::case::{Case, Layout, Operand, Scalar, ValueSet, Values};
use crate::extra;
use crate::outcome::{Number, Tensor};
use crate::random::Rng;
use crate::text::{Shape, rows};

/// One step from the buffer to the operand. Every step is a view, so that no element moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Permutation of the axes.
    Transpose(Vec<usize>),
    /// Start, stop and step of every axis, as in a slice expression.
    Slice(Vec<(Option<i64>, Option<i64>, i64)>),
    /// Broadcast to this shape.
    Broadcast(Vec<usize>),
    /// The same elements with this shape.
    Reshape(Vec<usize>),
}

/// An array operand: a C-contiguous buffer, and the views that lead to the operand.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The buffer.
    pub base: Tensor,
    /// The views.
    pub steps: Vec<Step>,
    /// The byte offset of element 0 in the buffer.
    pub offset: usize,
    /// The operand itself: its elements, its shape, its strides within the buffer.
    pub logical: Tensor,
}

/// An operand of either side.
#[derive(Clone, Debug)]
pub enum Input {
    /// An array.
    Array(Box<Placed>),
    /// A weak scalar.
    Scalar(Scalar),
}

impl Input {
    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        match self {
            Input::Array(placed) => placed.logical.size(),
            Input::Scalar(_) => 1,
        }
    }
}

impl Layout {
    /// Returns true if the layout differs from others for this shape.
    pub fn applies(self, shape: &Shape) -> bool {
        match self {
            Layout::C | Layout::Offset => true,
            Layout::F => shape.ndim() >= 2,
            Layout::Transposed => shape.ndim() >= 3,
            Layout::Strided
            | Layout::Negative
            | Layout::Broadcast
            | Layout::Padded
            | Layout::Uneven
            | Layout::Sparse => shape.ndim() >= 1,
        }
    }

    /// Returns the shape of the buffer, and the views that lead from it to an array of this shape.
    pub fn plan(self, shape: &[usize]) -> (Vec<usize>, Vec<Step>) {
        let n = shape.len();
        let all = |step| vec![(None, None, step); n];
        match self {
            Layout::C => (shape.to_vec(), vec![]),
            Layout::F => (shape.iter().rev().copied().collect(), vec![Step::Transpose((0..n).rev().collect())]),
            Layout::Transposed => {
                let mut axes: Vec<usize> = (0..n).collect();
                axes.swap(n.saturating_sub(2), n.saturating_sub(1));
                (axes.iter().map(|a| shape[*a]).collect(), vec![Step::Transpose(axes)])
            }
            Layout::Strided => {
                // With many axes the outer ones have one gap each: twice the elements along each would be a large
                // buffer.
                let outer = |axis| n > 4 && axis + 2 < n;
                let step = |axis| if axis + 1 == n { 3 } else { 2 };
                let long = |(axis, len): (usize, &usize)| if outer(axis) { len + 1 } else { len * step(axis) };
                // The last axis begins at its second element, so that the first of the buffer is a gap too.
                let slice = |axis: usize| match outer(axis) {
                    true => (None, Some(shape[axis] as i64), 1),
                    false => (Some(i64::from(axis + 1 == n)), None, step(axis) as i64),
                };
                (shape.iter().enumerate().map(long).collect(), vec![Step::Slice((0..n).map(slice).collect())])
            }
            Layout::Padded | Layout::Uneven | Layout::Sparse => {
                let (mut base, mut slices) = (shape.to_vec(), all(1));
                if let (Some(last), Some(slice)) = (base.last_mut(), slices.last_mut()) {
                    let len = *last;
                    (*last, *slice) = match self {
                        Layout::Padded => ((len + 1).next_multiple_of(16), (None, Some(len as i64), 1)),
                        Layout::Uneven => (len + 1, (None, Some(len as i64), 1)),
                        _ => (2 * len, (None, None, 2)),
                    };
                }
                (base, vec![Step::Slice(slices)])
            }
            Layout::Negative => (shape.to_vec(), vec![Step::Slice(all(-1))]),
            Layout::Broadcast => {
                let mut base = shape.to_vec();
                let axis = shape.iter().position(|len| *len > 1).unwrap_or(0);
                if let Some(len) = base.get_mut(axis) {
                    *len = 1;
                }
                (base, vec![Step::Broadcast(shape.to_vec())])
            }
            Layout::Offset => {
                let size: usize = shape.iter().product();
                (vec![size + 1], vec![Step::Slice(vec![(Some(1), None, 1)]), Step::Reshape(shape.to_vec())])
            }
        }
    }
}

/// Shape, strides and offset within a buffer, in elements.
struct View {
    shape: Vec<usize>,
    strides: Vec<i64>,
    offset: i64,
}

fn packed_strides(shape: &[usize]) -> Vec<i64> {
    Tensor::packed(DType::U8, shape, vec![]).strides
}

impl View {
    fn step(self, step: &Step) -> View {
        let View { shape, strides, mut offset } = self;
        match step {
            Step::Transpose(axes) => View {
                shape: axes.iter().map(|a| shape[*a]).collect(),
                strides: axes.iter().map(|a| strides[*a]).collect(),
                offset,
            },
            Step::Slice(slices) => {
                let (mut new_shape, mut new_strides) = (vec![], vec![]);
                for ((len, stride), (start, stop, step)) in shape.iter().zip(&strides).zip(slices) {
                    let start = if *step < 0 { *len as i64 - 1 } else { start.unwrap_or(0) };
                    let end = stop.map_or(*len as i64, |stop| stop.min(*len as i64));
                    let room = if *step < 0 { start + 1 } else { end - start };
                    if *len > 0 {
                        offset += start * stride;
                    }
                    new_shape.push((room.max(0) as usize).div_ceil(step.unsigned_abs() as usize));
                    new_strides.push(stride * step);
                }
                View { shape: new_shape, strides: new_strides, offset }
            }
            Step::Broadcast(to) => {
                let broadcast = shape.iter().zip(to).zip(strides);
                let strides = broadcast.map(|((len, to), s)| if len == to { s } else { 0 }).collect();
                View { shape: to.clone(), strides, offset }
            }
            Step::Reshape(to) => View { shape: to.clone(), strides: packed_strides(to), offset },
        }
    }

    /// Returns the index in the buffer of each element, in C order.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![self.offset];
        for (len, stride) in self.shape.iter().zip(&self.strides) {
            positions = positions.iter().flat_map(|p| (0..*len as i64).map(move |i| p + i * stride)).collect();
        }
        positions.into_iter().map(|p| p as usize).collect()
    }
}

/// Returns the strides of an array of this shape in this layout, in elements.
pub(crate) fn strides(layout: Layout, shape: &[usize]) -> Vec<i64> {
    let (base, steps) = layout.plan(shape);
    let whole = View { strides: packed_strides(&base), shape: base, offset: 0 };
    steps.iter().fold(whole, View::step).strides
}

/// Lays out `elements` (in C order) in memory; where elements share memory, the last one is kept.
pub fn lay_out(dtype: DType, shape: &Shape, layout: Layout, elements: &[u8], rng: &mut Rng) -> Placed {
    among(dtype, shape, layout, elements, ValueSet::Uniform, rng)
}

/// Number of other elements that are sampled for gaps, repeated cyclically: a prime, so that no row of gaps is like the
/// next.
const GAPS_DRAWN: usize = 251;

/// Lays out `elements` in memory among others of a value set.
fn among(dtype: DType, shape: &Shape, layout: Layout, elements: &[u8], others: ValueSet, rng: &mut Rng) -> Placed {
    let (base_shape, steps) = layout.plan(&shape.0);
    let size = dtype.size();
    let base_size: usize = base_shape.iter().product();
    let strides = packed_strides(&base_shape);
    let start = View { shape: base_shape.clone(), strides, offset: 0 };
    let view = steps.iter().fold(start, View::step);
    let positions = view.positions();
    // Gaps hold other values, so that a kernel that reads its operand as contiguous is detected.
    let gaps: Vec<u8> = (0..base_size.min(GAPS_DRAWN)).flat_map(|_| element(dtype, others, rng)).collect();
    let mut bytes: Vec<u8> = gaps.iter().copied().cycle().take(base_size * size).collect();
    for (p, e) in positions.iter().zip(elements.chunks_exact(size)) {
        bytes[p * size..(p + 1) * size].copy_from_slice(e);
    }
    let logical = positions.iter().flat_map(|p| bytes[p * size..(p + 1) * size].iter().copied()).collect();
    let strides = view.strides.iter().map(|s| s * size as i64).collect();
    Placed {
        base: Tensor::packed(dtype, &base_shape, bytes),
        steps,
        offset: view.offset as usize * size,
        logical: Tensor { strides, ..Tensor::packed(dtype, &view.shape, logical) },
    }
}

/// Builds the operands of a case. The same seed and case give the same operands.
///
/// # Errors
/// A message, if a scalar does not parse, or the number of written elements differs from that of the shape.
pub fn inputs(case: &Case, seed: u64) -> Result<Vec<Input>, String> {
    let mut rng = Rng::new(seed, &case.id());
    let mut rows = match &case.values {
        Values::Set(_) => vec![],
        Values::Literal(text) => rows(text)?,
    }
    .into_iter();
    let mut input = |operand: &Operand| match operand {
        Operand::Scalar(text) => text.parse().map(Input::Scalar),
        Operand::Array { dtype, shape, layout } => {
            let set = if let Values::Set(set) = case.values { set } else { ValueSet::Small };
            let Some(row) = rows.next() else {
                let elements = elements(*dtype, shape, set, &mut rng);
                return Ok(Input::Array(Box::new(lay_out(*dtype, shape, *layout, &elements, &mut rng))));
            };
            if row.len() != shape.size() {
                return Err(format!("{} elements were given for the shape {shape}", row.len()));
            }
            let elements: Vec<u8> = row.into_iter().flat_map(|x| x.encode(*dtype)).collect();
            Ok(Input::Array(Box::new(among(*dtype, shape, *layout, &elements, ValueSet::Small, &mut rng))))
        }
    };
    let mut inputs = case.operands.iter().map(&mut input).collect::<Result<_, _>>()?;
    extra::append(case, &mut inputs, &mut rng)?;
    Ok(inputs)
}

/// Samples the elements of an array of this shape, in C order.
pub(crate) fn elements(dtype: DType, shape: &Shape, set: ValueSet, rng: &mut Rng) -> Vec<u8> {
    (0..shape.size()).flat_map(|_| element(dtype, set, rng)).collect()
}

/// Returns the same operand in a buffer with one more element at the end, and the view of that buffer shifted by one
/// element.
pub(crate) fn shifted(placed: &Placed, rng: &mut Rng) -> (Placed, Placed) {
    let one = element(placed.base.dtype, ValueSet::Small, rng);
    views(placed, [placed.base.bytes.as_slice(), &one].concat(), 1)
}

/// Returns two operands of the same shape and layout in one buffer, the second shifted by `by` elements.
pub(crate) fn beside(first: &Placed, second: &Placed, by: usize) -> (Placed, Placed) {
    let own = &second.base.bytes;
    let last = &own[own.len() - by * second.base.dtype.size()..];
    views(first, [first.base.bytes.as_slice(), last].concat(), by)
}

/// Returns two views of a longer buffer with the layout of the operand, from the beginning and shifted by `by`
/// elements.
fn views(placed: &Placed, bytes: Vec<u8>, by: usize) -> (Placed, Placed) {
    let (dtype, n) = (placed.base.dtype, placed.base.size());
    let base = Tensor::packed(dtype, &[n + by], bytes);
    let at = |start: usize| {
        let slice = Step::Slice(vec![(Some(start as i64), Some((start + n) as i64), 1)]);
        let steps = [slice, Step::Reshape(placed.base.shape.clone())].into_iter().chain(placed.steps.iter().cloned());
        let steps: Vec<Step> = steps.collect();
        let whole = View { shape: vec![n + by], strides: vec![1], offset: 0 };
        let size = dtype.size();
        let positions = steps.iter().fold(whole, View::step).positions();
        let bytes = positions.iter().flat_map(|p| base.bytes[p * size..(p + 1) * size].iter().copied()).collect();
        let offset = placed.offset + start * size;
        Placed { base: base.clone(), steps, offset, logical: Tensor { bytes, ..placed.logical.clone() } }
    };
    (at(0), at(by))
}

/// Returns the view of the operand's own buffer with its axes reversed.
pub(crate) fn transposed(placed: &Placed) -> Placed {
    let axes = (0..placed.logical.shape.len()).rev();
    let mut transposed = placed.clone();
    transposed.steps.push(Step::Transpose(axes.collect()));
    let base = &transposed.base;
    let whole = View { shape: base.shape.clone(), strides: packed_strides(&base.shape), offset: 0 };
    let (size, view) = (base.dtype.size(), transposed.steps.iter().fold(whole, View::step));
    let bytes = view.positions().iter().flat_map(|p| base.bytes[p * size..(p + 1) * size].iter().copied()).collect();
    let strides = view.strides.iter().map(|s| s * size as i64).collect();
    transposed.logical = Tensor { strides, ..Tensor::packed(base.dtype, &view.shape, bytes) };
    transposed
}

impl ValueSet {
    /// Returns true if the set differs from others for this dtype.
    pub fn applies(self, dtype: DType) -> bool {
        match self {
            ValueSet::Small | ValueSet::Lowest => true,
            ValueSet::Natural | ValueSet::Positive | ValueSet::Limits | ValueSet::Uniform | ValueSet::Mixed => {
                dtype != DType::Bool
            }
            ValueSet::Beyond => dtype != DType::Bool && dtype.size() > 1,
            ValueSet::Special | ValueSet::Bits | ValueSet::Zeros | ValueSet::Apart | ValueSet::Infinite => {
                dtype.is_float() || dtype.is_complex()
            }
        }
    }
}

/// Samples one element.
fn element(dtype: DType, set: ValueSet, rng: &mut Rng) -> Vec<u8> {
    if dtype.is_complex() {
        return [element(dtype.real(), set, rng), element(dtype.real(), set, rng)].concat();
    }
    if dtype.is_float() {
        return float(dtype, set, rng);
    }
    let bits = dtype.size() as u32 * 8;
    let signed = dtype.kind() == cuprum_kernels::Kind::Signed;
    let (low, high) = if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let value = match set {
        _ if dtype == DType::Bool => rng.below(2) as i128,
        ValueSet::Small if signed => rng.below(14) as i128 - 4,
        ValueSet::Small | ValueSet::Natural => rng.below(10) as i128,
        ValueSet::Positive => rng.below(40) as i128,
        ValueSet::Limits | ValueSet::Special => {
            rng.pick(&[low, low + 1, high, high - 1, high / 2, high / 2 + 1, 0, 1, 2, if signed { -1 } else { 3 }])
        }
        ValueSet::Uniform | ValueSet::Bits => i128::from(rng.bits() as i64),
        ValueSet::Zeros => 0,
        ValueSet::Lowest => low,
        ValueSet::Apart | ValueSet::Infinite => return element(dtype, ValueSet::Small, rng),
        ValueSet::Beyond => {
            let step = 1i128 << rng.pick(&GAPS.map(|gap| gap.min(bits - u32::from(signed) - 1)));
            let value = step + rng.below(4) as i128 - 1;
            if signed && rng.below(4) == 0 { -value } else { value }
        }
        ValueSet::Mixed => match rng.below(4) {
            0 => return element(dtype, ValueSet::Limits, rng),
            1 => return element(dtype, ValueSet::Uniform, rng),
            _ => (tie(rng) << rng.below(54)) + rng.below(3) as i128 - 1,
        },
    };
    Number::Int(value).encode(dtype)
}

/// Powers of two from which on float16, float32 and float64 have gaps between integers, and at which the signed
/// integers of 32 and 64 bits end.
const GAPS: [u32; 5] = [11, 24, 31, 53, 63];

/// Returns an odd number of nine or of twelve bits, of either sign: a tie between two neighbours of a 16-bit float.
fn tie(rng: &mut Rng) -> i128 {
    let bits = rng.pick(&[9, 12]);
    let odd = (rng.bits() >> (64 - bits)) as i128 | 1 | 1 << (bits - 1);
    if rng.below(2) == 0 { odd } else { -odd }
}

/// Returns the bits of the largest, the smallest normal and the smallest subnormal number, of one and of infinity.
fn landmarks(dtype: DType) -> [u64; 5] {
    match dtype {
        DType::F16 => [f16::MAX.to_bits(), f16::MIN_POSITIVE.to_bits(), 1, f16::ONE.to_bits(), 0x7c00].map(u64::from),
        DType::BF16 => {
            [bf16::MAX.to_bits(), bf16::MIN_POSITIVE.to_bits(), 1, bf16::ONE.to_bits(), 0x7f80].map(u64::from)
        }
        DType::F32 => [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), 1.0, f32::INFINITY].map(|x| x.to_bits().into()),
        _ => [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 1.0, f64::INFINITY].map(f64::to_bits),
    }
}

fn float(dtype: DType, set: ValueSet, rng: &mut Rng) -> Vec<u8> {
    let size = dtype.size();
    let sign = (rng.bits() & 1) << (size * 8 - 1);
    let [max, normal, subnormal, one, infinity] = landmarks(dtype);
    let raw = |bits: u64| bits.to_le_bytes()[..size].to_vec();
    let value = |x: f64| Number::Float(x).encode(dtype);
    match set {
        ValueSet::Small => value(rng.below(17) as f64 / 2.0 - 4.0),
        ValueSet::Natural => value(rng.below(10) as f64),
        ValueSet::Positive => value(rng.unit() * rng.pick(&[1.0, 1.0, 16.0, 100.0])),
        ValueSet::Uniform => value((rng.unit() - 0.5) * rng.pick(&[2.0, 16.0, 200.0])),
        // Consecutive exponents, so that a long enough operand has all of them.
        ValueSet::Bits => {
            let shift = infinity.trailing_zeros();
            let exponent = rng.walk((infinity >> shift) + 1) << shift;
            raw(rng.bits() & !infinity | exponent)
        }
        ValueSet::Zeros => value(-0.0),
        ValueSet::Lowest => raw(1 << (size * 8 - 1) | infinity),
        // Up to a little less than the largest number, so that two of them can be added; rarely of moderate size.
        ValueSet::Apart => {
            let most = Number::decode(dtype, &raw(max)).parts().0.log2() as i32;
            let exponent = rng.pick(&[most - 4, most - 5, 4 - most, 8 - most, 0, 1, -66, 66, most / 2, -most / 2]);
            let odd = 1.0 + rng.below(8) as f64 / 8.0;
            value(odd * 2f64.powi(exponent.clamp(1 - most, most - 4)) * if sign == 0 { 1.0 } else { -1.0 })
        }
        ValueSet::Infinite if rng.below(6) == 0 => raw(sign | infinity),
        ValueSet::Infinite => value(rng.below(17) as f64 / 2.0 - 4.0),
        ValueSet::Beyond => {
            let integer = 2f64.powi(rng.pick(&GAPS) as i32) + rng.below(4) as f64 - 1.0;
            value(if rng.below(4) == 0 { -integer } else { integer })
        }
        ValueSet::Mixed => match rng.below(4) {
            0 => float(dtype, ValueSet::Special, rng),
            1 => float(dtype, ValueSet::Bits, rng),
            // Next to a tie, by less than the precision of float32.
            2 => value(tie(rng) as f64 * 2f64.powi(rng.below(24) as i32 - 20) * (1.0 + rng.pick(&[0.0, 1e-9, -1e-9]))),
            _ => {
                let exponent = if rng.below(2) == 0 { rng.below(66) } else { 62 + rng.below(3) };
                value(rng.pick(&[0.0, 1.0, 1.5, -1.5, 0.75, -0.5]) * 2f64.powi(exponent as i32))
            }
        },
        ValueSet::Limits => raw(sign | rng.pick(&[max, max - 1, normal, normal - 1, normal + 1, subnormal, one, 0])),
        ValueSet::Special => {
            let landmark =
                rng.pick(&[max, normal, normal - 1, subnormal, one, one - 1, one + 1, infinity, infinity, 0, 0]);
            match rng.below(4) {
                0 => value(rng.pick(&[f64::NAN, 0.5, 2.0, -2.0, 3.0, 0.1, 1e-3, 100.0])),
                1 => value(2f64.powi(rng.below(28) as i32 - 14) * if sign == 0 { 1.0 } else { -1.0 }),
                _ => raw(sign | landmark),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_leads_to_the_elements_it_was_given() {
        for shape in [vec![], vec![5], vec![2, 3], vec![2, 3, 4], vec![0, 3], vec![1, 1], vec![2, 1, 3, 2]] {
            let shape = Shape(shape);
            let elements: Vec<u8> = (0..shape.size() as u8).map(|i| i + 1).collect();
            for layout in Layout::ALL.iter().filter(|l| l.applies(&shape)) {
                let placed = lay_out(DType::U8, &shape, *layout, &elements, &mut Rng::new(1, "place"));
                assert_eq!(placed.logical.shape, shape.0, "{layout} {shape}");
                if *layout != Layout::Broadcast {
                    assert_eq!(placed.logical.bytes, elements, "{layout} {shape}");
                }
                let base: usize = placed.base.shape.iter().product();
                assert_eq!(placed.base.bytes.len(), base);
            }
        }
    }

    #[test]
    fn strides_are_those_of_the_layout() {
        let strides = |layout: Layout| {
            let shape = Shape(vec![2, 3, 4]);
            lay_out(DType::F16, &shape, layout, &[0; 48], &mut Rng::new(1, "strides")).logical.strides
        };
        assert_eq!(strides(Layout::C), [24, 8, 2]);
        assert_eq!(strides(Layout::F), [2, 4, 12]);
        assert_eq!(strides(Layout::Transposed), [24, 2, 6]);
        assert_eq!(strides(Layout::Strided), [288, 48, 6]);
        assert_eq!(strides(Layout::Negative), [-24, -8, -2]);
        assert_eq!(strides(Layout::Broadcast), [0, 8, 2]);
        assert_eq!(strides(Layout::Offset), [24, 8, 2]);
    }

    #[test]
    fn value_sets_hold_what_they_say() {
        let draw = |dtype, set| -> Vec<Number> {
            let mut rng = Rng::new(5, "values");
            (0..2000).map(|_| Number::decode(dtype, &element(dtype, set, &mut rng))).collect()
        };
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            let special: Vec<f64> = draw(dtype, ValueSet::Special).iter().map(|n| n.parts().0).collect();
            assert!(special.iter().any(|x| x.is_nan()), "{dtype}");
            for (want, sign) in [(f64::INFINITY, 1.0), (f64::INFINITY, -1.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0)] {
                assert!(special.iter().any(|x| x.to_bits() == (want * sign).to_bits()), "{dtype} {}", want * sign);
            }
            let smallest = Number::decode(dtype, &landmarks(dtype)[2].to_le_bytes()[..dtype.size()]);
            assert!(draw(dtype, ValueSet::Special).contains(&smallest), "{dtype} subnormal");
        }
        let exponents: std::collections::BTreeSet<u64> = {
            let mut rng = Rng::new(5, "exponents");
            let bits = |b: Vec<u8>| u32::from_le_bytes(b.try_into().unwrap());
            (0..256).map(|_| u64::from(bits(element(DType::F32, ValueSet::Bits, &mut rng)) >> 23 & 0xff)).collect()
        };
        assert_eq!(exponents.len(), 256, "every exponent of float32");
        let limits = draw(DType::I64, ValueSet::Limits);
        assert!(limits.contains(&Number::Int(i64::MIN.into())) && limits.contains(&Number::Int(i64::MAX.into())));
        assert!(draw(DType::I8, ValueSet::Natural).iter().all(|n| matches!(n, Number::Int(0..=9))));
    }
}
