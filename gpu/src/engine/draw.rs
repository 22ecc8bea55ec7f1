//! Random numbers: a distribution, a place in the sequence of a generator, and where the results lie.
//!
//! A thread makes a block of 128 random bits and of it four elements of 32 bits or two of 64; where a distribution draws as often as
//! it must, one element of a block of its own. Floor: the results once, and parameters that are arrays; 2^28 of float32 are
//! 1.07 GB, 0.23 ms on an H200. What limits beside it are instructions, of which its 528 schedulers begin one for 32 elements a cycle:
//! 0.3 ms for 33 of them. Logic and integers, and float64, are half of that, wide products a quarter. A block of Philox is ten rounds of two wide
//! products and two exclusive ors, of which three fall away where the upper word of the numbers of blocks is known to be the same.
//! Counted in the machine code of the kernels of many elements (`docs/measurements/h200.md` has all): normal numbers of float32 are 26
//! instructions (one row of a table in shared memory, a cubic), exponential ones as many, bounded integers 17. By sines and roots (Box, Muller)
//! a normal number was 58. Normal numbers of float64 are still made so, by a table of logarithms and angles: 77, of which 23 of float64.
//!
//! Where elements are many, as many blocks of threads as there is room for go from tile to tile and make four blocks of the generator
//! at a time: the table is brought to shared memory once, numbers are counted once for sixteen elements. A distribution's short way
//! (`quick` of its record) leaves out what is rarely needed, and says of which elements it is not sure: those are made as the distribution is defined.

use cuprum_kernels::DType;
use cuprum_kernels::distributions::DistributionId;
use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Value, Width, Written};
use cuprum_kernels::source::{Bits, DRAW_MANY_THREADS, DRAW_RESIDENT, DRAW_THREADS, Draw, DrawParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, Place, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;
use crate::scalar::Scalar;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Draw> = Kernels::default();
}

/// From so many threads on blocks of threads go from tile to tile.
const MANY: usize = 1 << 18;

/// A parameter of a distribution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DrawNumber<'a> {
    /// The same for all elements.
    One(Scalar),
    /// One for each: of the shape of the results, of [`Drawing::number`].
    Each(&'a Array),
}

/// Elements that are ready to be drawn.
pub(crate) struct Drawing<'a> {
    /// As errors name it.
    pub(crate) function: &'static str,
    pub(crate) distribution: DistributionId,
    pub(crate) bits: Bits,
    pub(crate) state: [u32; 6],
    /// The first block, and how many words of it belong to calls before.
    pub(crate) first: u64,
    pub(crate) lane: u32,
    pub(crate) table: Option<&'a Array>,
    pub(crate) numbers: [DrawNumber<'a>; 3],
    /// Of any strides.
    pub(crate) out: &'a Array,
}

impl Drawing<'_> {
    fn key(distribution: DistributionId, bits: Bits, out: DType) -> Draw {
        Draw { distribution, bits, out, flat: true, many: false, checked: false, width: Width::default() }
    }

    /// Returns the words that an element takes of the sequence.
    pub(crate) fn words(distribution: DistributionId, out: DType) -> usize {
        Drawing::key(distribution, Bits::Philox, out).words()
    }

    /// Returns the dtype of parameters.
    pub(crate) fn number(distribution: DistributionId, out: DType) -> DType {
        Drawing::key(distribution, Bits::Philox, out).number()
    }

    /// Draws them.
    pub(crate) fn run(&self) -> Result<()> {
        self.run_by(MANY)
    }

    /// Returns the same, by the kernel for many elements from so many threads on.
    fn run_by(&self, many: usize) -> Result<()> {
        let out = self.out;
        if out.size() == 0 {
            return Ok(());
        }
        let key = Drawing::key(self.distribution, self.bits, out.dtype());
        let (words, number, device) = (key.words(), key.number(), out.device());
        let (per, skip) = (4 / words, self.lane as usize / words);
        let array = |k: usize| match self.numbers[k] {
            DrawNumber::Each(a) => Some(a),
            DrawNumber::One(_) => None,
        };
        let value = |k: usize| match self.numbers[k] {
            DrawNumber::One(x) => Value(x.encode(number)),
            DrawNumber::Each(_) => Value::default(),
        };
        let checked = (0..3).any(|k| array(k).is_some());
        let flat = !checked && out.is_c_contiguous();
        let mut params = DrawParams {
            width: Width::default(),
            elements: out.size(),
            out: written(out),
            first: self.first,
            skip: skip as u32,
            aligned: skip == 0 && Place::of(out).is_aligned((per * out.itemsize()) as u64),
            state: self.state,
            keys: (self.bits == Bits::Philox).then(|| round_keys([self.state[0], self.state[1]])),
            table: Read(self.table.map(Place::of)),
            a: value(0),
            b: value(1),
            c: value(2),
            axes: None,
            sizes: None,
            steps: None,
            places: None,
            pa: None,
            pb: None,
            pc: None,
            record: None,
            call: None,
            function: None,
        };
        let threads = (skip + out.size()).div_ceil(per);
        let blocks = Blocks::of(threads.div_ceil(DRAW_THREADS), out.size(), "elements");
        // As many blocks of threads as there is room for.
        let room = device.info().multiprocessors as usize * DRAW_RESIDENT;
        let few = Blocks::of(threads.div_ceil(key.tile()).min(room), out.size(), "elements");
        if flat && threads >= many {
            let key = Draw { many: true, ..key };
            let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
            // SAFETY: the results lie one after the other, as many as the kernel is told.
            return unsafe {
                Launcher::on(device).launch_sharing(function, few, DRAW_MANY_THREADS, key.shared(), &params)
            };
        }
        if flat {
            let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
            // SAFETY: the results lie one after the other, as many as the kernel is told.
            return unsafe { Launcher::on(device).launch(function, blocks, DRAW_THREADS, &params) };
        }
        let nothing = vec![0; out.ndim()];
        let strides = |k: usize| array(k).map_or(&nothing[..], Array::strides);
        // The number of an element counts in C order, however the results lie.
        let axes = Axes::collapse(out.shape(), [strides(0), strides(1), strides(2), out.strides()], true);
        let many = threads >= many && key.is_short();
        let key = Draw { flat, many, checked, width: Width::of(axes.sizes.len(), out.size()), ..key };
        let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
        let record = checked.then(|| device.checked_parameters(self.function, broken)).transpose()?;
        let places: [Steps<'_>; 3] = std::array::from_fn(|k| Steps(&axes.strides[k]));
        params.width = key.width;
        params.axes = Some(axes.sizes.len() as u32);
        params.sizes = Some(Sizes(&axes.sizes));
        params.steps = Some(Steps(&axes.strides[3]));
        params.places = Some(&places);
        [params.pa, params.pb, params.pc] = std::array::from_fn(|k| Some(Read(array(k).map(Place::of))));
        params.record = record.as_ref().map(|r| Written(Some(Place::start(&r.memory))));
        params.call = record.as_ref().map(|r| r.call);
        params.function = record.as_ref().map(|r| r.function);
        let (blocks, threads) = if many { (few, DRAW_MANY_THREADS) } else { (blocks, DRAW_THREADS) };
        // SAFETY: sizes and strides reach every element of the results once and elements of the parameters; the record is one.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, key.shared(), &params) }?;
        if checked { device.check_errors_now() } else { Ok(()) }
    }
}

/// Returns the keys of the rounds of Philox, each of the first half and of the second: steps of Weyl's sequences from
/// the generator's key.
fn round_keys(key: [u32; 2]) -> [u32; 20] {
    const STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    std::array::from_fn(|k| key[k % 2].wrapping_add(STEPS[k % 2].wrapping_mul(k as u32 / 2)))
}

/// What is said of a parameter that breaks a rule of its distribution.
fn broken(function: &str, rule: usize, value: f64) -> String {
    let distribution = DistributionId::named(function).map(DistributionId::distribution);
    match distribution.and_then(|l| l.parameters.get(rule)) {
        Some(p) => format!("`{}` is {value}: it must be {}", p.name, p.rule.text()),
        None => distribution.and_then(|l| l.joint).map_or(String::new(), |j| format!("of the parameters {}", j.says)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::engine::make;

    /// Elements hang on the seed and their number alone: not on the kernel, its blocks or where the results lie.
    #[test]
    fn many_elements_are_those_of_few() -> Result<()> {
        let device = crate::cuda::Device::current()?;
        let distributions: [(&str, DType, [Scalar; 2]); 23] = [
            ("bits", DType::U32, [Scalar::Int(0); 2]),
            ("integers", DType::I32, [Scalar::Int(-3), Scalar::Int(5_000_000)]),
            // Of half the words none is rejected, of a third every second one.
            ("integers", DType::I16, [Scalar::Int(-(1 << 15)), Scalar::Int((1 << 15) - 1)]),
            ("integers", DType::U32, [Scalar::Int(1), Scalar::Int(3_000_000_000)]),
            ("integers", DType::I32, [Scalar::Int(-(1 << 31)), Scalar::Int((1 << 31) - 1)]),
            ("integers", DType::I64, [Scalar::Int(-7), Scalar::Int(1_000_000_000_000)]),
            ("integers", DType::I64, [Scalar::Int(0), Scalar::Int(6_000_000_000_000_000_000)]),
            ("integers", DType::U64, [Scalar::Int(0), Scalar::Int(9)]),
            ("integers", DType::Bool, [Scalar::Int(0), Scalar::Int(1)]),
            ("bernoulli", DType::Bool, [Scalar::Float(0.3); 2]),
            ("bernoulli", DType::U8, [Scalar::Float(0.7); 2]),
            ("bernoulli", DType::I64, [Scalar::Float(0.7); 2]),
            ("places", DType::I64, [Scalar::Int(70_001); 2]),
            ("places", DType::I64, [Scalar::Int(1 << 33); 2]),
            ("standard_normal", DType::F32, [Scalar::Float(0.0); 2]),
            ("normal", DType::F64, [Scalar::Float(0.75), Scalar::Float(2.0)]),
            ("standard_exponential", DType::F16, [Scalar::Float(0.0); 2]),
            ("gamma", DType::F64, [Scalar::Float(1.5), Scalar::Float(2.0)]),
            ("standard_gamma", DType::F32, [Scalar::Float(0.5); 2]),
            ("beta", DType::F64, [Scalar::Float(2.0), Scalar::Float(3.0)]),
            ("poisson", DType::I64, [Scalar::Float(5.5); 2]),
            ("poisson", DType::F64, [Scalar::Float(70.0); 2]),
            ("binomial", DType::I32, [Scalar::Float(100.0), Scalar::Float(0.95)]),
        ];
        let distributions = distributions.into_iter().chain([
            ("binomial", DType::I64, [Scalar::Float(100.0), Scalar::Float(0.6)]),
            ("beta", DType::F64, [Scalar::Float(0.25), Scalar::Float(0.5)]),
            ("vonmises", DType::F64, [Scalar::Float(0.0), Scalar::Float(1.0)]),
        ]);
        for (name, dtype, params) in distributions {
            let distribution = DistributionId::named(name).ok_or_else(|| Error::new(crate::ErrorKind::Value, name))?;
            // Two tiles and a part of one. Places have four to a block whatever their dtype is.
            let words = Drawing::words(distribution, dtype);
            let size = if words == 2 { 9001 } else { 17_001 };
            // Where the lower word of the blocks' numbers ends in the first tile, and beyond it; then with words of a call before, of
            // distributions that do not have blocks of their own.
            let ends = u64::from(u32::MAX) - 7;
            let skipped = if name == "places" || words == 4 { 0 } else { 2 };
            for (lane, first) in [(0, 5), (0, ends), (skipped, ends), (0, (9 << 32) + 3)] {
                let draw = |many: usize, beside: usize| {
                    let all = make::empty(device, &[size + beside], dtype)?;
                    let out = all.index(crate::s![beside as i64..])?;
                    let numbers = [params[0], params[1], params[1]].map(DrawNumber::One);
                    let (bits, state, table) = (Bits::Philox, [1, 2, 3, 0, 0, 0], None);
                    Drawing { function: "draw", distribution, bits, state, first, lane, table, numbers, out: &out }
                        .run_by(many)?;
                    out.copy(crate::Order::C)?.to_bytes()
                };
                let few = draw(usize::MAX, 0)?;
                assert_eq!(draw(0, 0)?, few, "{name} {dtype} {params:?}");
                assert_eq!(draw(0, 1)?, few, "{name} {dtype} {params:?}");
            }
        }
        Ok::<(), Error>(())
    }

    /// Returns the same of parameters that are arrays, of few axes and of those that repeat; a parameter that breaks a
    /// rule is told of, and every other element is there.
    #[test]
    fn many_elements_of_arrays_are_those_of_few() -> Result<()> {
        let device = crate::cuda::Device::current()?;
        let rows = 1200;
        let columns = [0.25, 1.0, 1.5, 3.0, 12.0, 40.0, 100.0];
        let along = make::of(device, &columns, &[7])?.broadcast_to([rows, 7])?;
        let whole = (0..7 * rows).map(|i| 0.05 + 0.9 * (i % 97) as f64 / 97.0).collect::<Vec<_>>();
        let whole = make::of(device, &whole, &[rows, 7])?;
        let mut broken = vec![2.0; 7 * rows];
        broken[5000] = -1.0;
        let broken = make::of(device, &broken, &[rows, 7])?;
        let distributions = [
            ("standard_gamma", DType::F32),
            ("gamma", DType::F64),
            ("beta", DType::F64),
            ("poisson", DType::I64),
            ("binomial", DType::I32),
        ];
        for (name, dtype) in distributions {
            let distribution = DistributionId::named(name).ok_or_else(|| Error::new(crate::ErrorKind::Value, name))?;
            for (first, lies) in [(&along, 1), (&whole, 2), (&broken, 1)] {
                let draw = |many: usize| {
                    let all = make::zeros(device, &[lies * rows, 7], dtype)?;
                    let out = all.index(crate::s![..;lies as i64])?;
                    let numbers =
                        [DrawNumber::Each(first), DrawNumber::Each(&whole), DrawNumber::One(Scalar::Float(0.0))];
                    let (bits, state, table) = (Bits::Philox, [1, 2, 3, 0, 0, 0], None);
                    let ended = Drawing {
                        function: name,
                        distribution,
                        bits,
                        state,
                        first: 9,
                        lane: 0,
                        table,
                        numbers,
                        out: &out,
                    }
                    .run_by(many)
                    .and_then(|()| device.check_errors());
                    Ok::<_, Error>((ended.map_err(|e| e.to_string()), all.to_bytes()?))
                };
                let few = draw(usize::MAX)?;
                assert_eq!(few.0.is_err(), std::ptr::eq(first, &broken), "{name}: {:?}", few.0);
                assert_eq!(draw(0)?, few, "{name} {dtype}");
            }
        }
        Ok(())
    }
}
