//! Random number generation: a distribution, a position in the sequence of a generator, and the layout of the results.
//!
//! A thread computes a block of 128 random bits, and from it eight booleans, four elements of 32 bits or two of 64; for
//! a distribution by rejection, one element from a block of its own. Lower bound of memory traffic: the results once, and parameters
//! that are arrays. The other bound is instructions: a block of Philox is ten rounds of two wide products and two
//! exclusive ors, of which three are saved if the high word of the block numbers is known to be constant. The numbers
//! of instructions of the kernels for many elements are in `docs/measurements/h200/random.md`. Normal and exponential numbers
//! of float32 use a table of cubics in shared memory; normal numbers of float64 use the Box-Muller transform with a
//! table of logarithms and angles.
//!
//! For many elements, as many thread blocks as are resident go from tile to tile and compute four generator blocks at a
//! time: the table is loaded to shared memory once, and indices are computed once for sixteen elements. A
//! distribution's fast path (`quick` of its record) omits what is rarely needed, and reports which elements it is not
//! sure of: those are computed by the definition of the distribution.

use cuprum_kernels::DType;
use cuprum_kernels::distributions::DistributionId;
use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Value, Width, Written};
use cuprum_kernels::source::{Bits, DRAW_MANY_THREADS, DRAW_RESIDENT, DRAW_THREADS, Draw, DrawParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;
use crate::scalar::Scalar;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Draw> = Kernels::default();
}

/// Number of threads from which thread blocks go from tile to tile.
const MANY: usize = 1 << 18;

/// Parameter of a distribution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DrawNumber<'a> {
    /// The same value for all elements.
    One(Scalar),
    /// A value for each element: an array of the shape of the results, and of the dtype [`RandomFill::number`].
    Each(&'a Array),
}

/// Random numbers that are ready to be generated.
pub(crate) struct RandomFill<'a> {
    /// The function's name in error messages.
    pub(crate) function: &'static str,
    /// The distribution, which selects the kernel.
    pub(crate) distribution: DistributionId,
    /// The generator.
    pub(crate) bits: Bits,
    /// State of the generator at the first block: the key, or the recurrence's words.
    pub(crate) state: [u32; 6],
    /// The first generator block, and the number of its words that belong to earlier calls.
    pub(crate) first: u64,
    /// See `first`.
    pub(crate) lane: u32,
    /// Table of the distribution, such as cumulative probabilities.
    pub(crate) table: Option<&'a Array>,
    /// Parameters of the distribution: scalars, or arrays that broadcast to the results.
    pub(crate) numbers: [DrawNumber<'a>; 3],
    /// The results, with any strides.
    pub(crate) out: &'a Array,
}

impl RandomFill<'_> {
    fn key(distribution: DistributionId, bits: Bits, out: DType) -> Draw {
        Draw { distribution, bits, out, flat: true, many: false, checked: false, width: Width::default() }
    }

    /// Returns the number of elements that are computed from a generator block.
    pub(crate) fn per_block(distribution: DistributionId, out: DType) -> usize {
        RandomFill::key(distribution, Bits::Philox, out).per_block()
    }

    /// Returns the dtype of the parameters.
    pub(crate) fn number(distribution: DistributionId, out: DType) -> DType {
        RandomFill::key(distribution, Bits::Philox, out).number()
    }

    /// Generates the numbers.
    pub(crate) fn run(&self) -> Result<()> {
        self.run_by(MANY)
    }

    /// Generates the numbers, with the kernel for many elements from `many` threads on.
    fn run_by(&self, many: usize) -> Result<()> {
        let out = self.out;
        if out.size() == 0 {
            return Ok(());
        }
        let key = RandomFill::key(self.distribution, self.bits, out.dtype());
        let (per, number, device) = (key.per_block(), key.number(), out.device());
        let skip = self.lane as usize * per / 4;
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
            aligned: skip == 0 && DevicePtr::of(out).is_aligned((per * out.itemsize()) as u64),
            state: self.state,
            keys: (self.bits == Bits::Philox).then(|| round_keys([self.state[0], self.state[1]])),
            table: Read(self.table.map(DevicePtr::of)),
            a: value(0),
            b: value(1),
            c: value(2),
            axes: None,
            sizes: None,
            steps: None,
            parameter_strides: None,
            pa: None,
            pb: None,
            pc: None,
            record: None,
            call: None,
            function: None,
        };
        let threads = (skip + out.size()).div_ceil(per);
        let blocks = Blocks::of(threads.div_ceil(DRAW_THREADS), out.size(), "elements");
        // As many thread blocks as are resident.
        let room = device.info().multiprocessors as usize * DRAW_RESIDENT;
        let few = Blocks::of(threads.div_ceil(key.tile()).min(room), out.size(), "elements");
        if flat && threads >= many {
            let key = Draw { many: true, ..key };
            let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
            // SAFETY: the results are contiguous, and their number is passed to the kernel.
            return unsafe {
                Launcher::on(device).launch_sharing(function, few, DRAW_MANY_THREADS, key.shared(), &params)
            };
        }
        if flat {
            let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
            // SAFETY: the results are contiguous, and their number is passed to the kernel.
            return unsafe { Launcher::on(device).launch(function, blocks, DRAW_THREADS, &params) };
        }
        let nothing = vec![0; out.ndim()];
        let strides = |k: usize| array(k).map_or(&nothing[..], Array::strides);
        // The index of an element is in C order, whatever the layout of the results.
        let axes = Axes::collapse(out.shape(), [strides(0), strides(1), strides(2), out.strides()], true);
        let many = threads >= many && key.is_short();
        let key = Draw { flat, many, checked, width: Width::of(axes.sizes.len(), out.size()), ..key };
        let [function] = kernels(&KERNELS, device, key, ["draw"], || (key.name(), key.source()))?;
        let record = checked.then(|| device.checked_parameters(self.function, broken)).transpose()?;
        let parameter_strides: [Steps<'_>; 3] = std::array::from_fn(|k| Steps(&axes.strides[k]));
        params.width = key.width;
        params.axes = Some(axes.sizes.len() as u32);
        params.sizes = Some(Sizes(&axes.sizes));
        params.steps = Some(Steps(&axes.strides[3]));
        params.parameter_strides = Some(&parameter_strides);
        [params.pa, params.pb, params.pc] = std::array::from_fn(|k| Some(Read(array(k).map(DevicePtr::of))));
        params.record = record.as_ref().map(|r| Written(Some(DevicePtr::start(&r.memory))));
        params.call = record.as_ref().map(|r| r.call);
        params.function = record.as_ref().map(|r| r.function);
        let (blocks, threads) = if many { (few, DRAW_MANY_THREADS) } else { (blocks, DRAW_THREADS) };
        // SAFETY: sizes and strides reach every element of the results once and elements of the parameters; the record
        // is the device's.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, threads, key.shared(), &params) }?;
        if checked { device.check_errors_now() } else { Ok(()) }
    }
}

/// Returns the round keys of Philox, for the first half and for the second: steps of Weyl sequences from the
/// generator's key.
fn round_keys(key: [u32; 2]) -> [u32; 20] {
    const STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    std::array::from_fn(|k| key[k % 2].wrapping_add(STEPS[k % 2].wrapping_mul(k as u32 / 2)))
}

/// Returns the error message for a parameter that violates a rule of its distribution.
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

    /// Elements depend on the seed and their index alone: not on the kernel, its blocks or the layout of the results.
    #[test]
    fn many_elements_are_those_of_few() -> Result<()> {
        let device = crate::cuda::Device::current()?;
        let distributions: [(&str, DType, [Scalar; 2]); 23] = [
            ("bits", DType::U32, [Scalar::Int(0); 2]),
            ("integers", DType::I32, [Scalar::Int(-3), Scalar::Int(5_000_000)]),
            // With a range of 2^16 no word is rejected, with 3e9 values about every third.
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
            ("positions", DType::I64, [Scalar::Int(70_001); 2]),
            ("positions", DType::I64, [Scalar::Int(1 << 33); 2]),
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
        for (i, (name, dtype, params)) in distributions.enumerate() {
            let distribution = DistributionId::named(name).ok_or_else(|| Error::new(crate::ErrorKind::Value, name))?;
            // Two tiles and a part of one. Permutations have four positions per block whatever their dtype is.
            let per = RandomFill::per_block(distribution, dtype);
            let size = match per {
                2 => 9001,
                8 => 34_001,
                _ => 17_001,
            };
            // The low word of the block numbers overflows in the first tile, and beyond it; then with words of an
            // earlier call, for distributions that do not have blocks of their own.
            let ends = u64::from(u32::MAX) - 7;
            let skipped = if name == "positions" || per == 1 { 0 } else { 2 };
            // What counts blocks is the same for all: two of the starts for each distribution, in turn.
            let starts = [(0, 5), (0, ends), (skipped, ends), (0, (9 << 32) + 3)];
            for (lane, first) in [starts[i % 4], starts[(i + 2) % 4]] {
                let draw = |many: usize, beside: usize| {
                    let all = make::empty(device, &[size + beside], dtype)?;
                    let out = all.index(crate::s![beside as i64..])?;
                    let numbers = [params[0], params[1], params[1]].map(DrawNumber::One);
                    let (bits, state, table) = (Bits::Philox, [1, 2, 3, 0, 0, 0], None);
                    RandomFill { function: "draw", distribution, bits, state, first, lane, table, numbers, out: &out }
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

    /// Compares the kernels for parameters that are arrays, of few axes and broadcast ones; a parameter that violates a
    /// rule is reported, and every other element is generated.
    #[test]
    fn many_elements_of_arrays_are_those_of_few() -> Result<()> {
        let device = crate::cuda::Device::current()?;
        let rows = 1200;
        let columns = [0.25, 1.0, 1.5, 3.0, 12.0, 40.0, 70_000.0];
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
            for (first, rows_apart) in [(&along, 1), (&whole, 2), (&broken, 1)] {
                let draw = |many: usize| {
                    let all = make::zeros(device, &[rows_apart * rows, 7], dtype)?;
                    let out = all.index(crate::s![..;rows_apart as i64])?;
                    let numbers =
                        [DrawNumber::Each(first), DrawNumber::Each(&whole), DrawNumber::One(Scalar::Float(0.0))];
                    let (bits, state, table) = (Bits::Philox, [1, 2, 3, 0, 0, 0], None);
                    let ended = RandomFill {
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
