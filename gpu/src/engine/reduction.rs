//! Reductions: the plan of a call, and its one or two launches.
//!
//! Floor of every one of them: the operand (and the mask) read once, the results written once. What a split reduction
//! writes and reads again is at most one partial result for 256 elements of each of its threads.

mod plan;

use cuprum_kernels::DType;
use cuprum_kernels::registry::{Accumulator, ReductionId};
use cuprum_kernels::source::{DEEP_AXES, ReductionClass, ReductionSource, SHALLOW_AXES};

use self::plan::{Shape, THREADS, Walk};
use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// The kernels that this thread has launched, by device and key: the one of the elements, the one of the splits.
    static KERNELS: Kernels<ReductionSource, 2> = Kernels::default();
}

/// A reduction that is ready to run.
pub(crate) struct Reducing<'a> {
    pub(crate) op: ReductionId,
    pub(crate) a: &'a Array,
    /// The dtype of the result that was asked for.
    pub(crate) asked: Option<DType>,
    /// The axes to reduce, in their order.
    pub(crate) axes: &'a [usize],
    /// Which elements take part: booleans of the shape of `a`.
    pub(crate) mask: Option<&'a Array>,
    /// What comes before the first element, as an element of the result; without it a sum begins with 0.
    pub(crate) initial: Option<[u8; 16]>,
    /// What is taken from the number of elements before it divides the squares.
    pub(crate) ddof: f64,
    /// Of the loop's dtype; its axes are the others of `a` in their order.
    pub(crate) out: &'a Array,
}

impl Reducing<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let (a, out) = (self.a, self.out);
        if out.size() == 0 {
            return Ok(());
        }
        let Some(l) = self.op.resolve(a.dtype(), self.asked, self.mask.is_some()) else {
            return Err(Error::new(ErrorKind::Type, format!("there is no loop for {}", a.dtype())));
        };
        let mut walk = Walk::new(self, matches!(l.accumulator, Accumulator::Indexed(_)));
        let class = walk.class(self.mask.is_some());
        let mut key = ReductionSource {
            op: self.op,
            operand: a.dtype(),
            asked: self.asked,
            class,
            per_load: 1,
            masked: self.mask.is_some(),
            words: false,
            wide: false,
            deep: false,
        };
        let words = walk.read_words(class, key.may_read_words(&l), out.addr());
        let per_load = match class {
            ReductionClass::Rows => walk.per_load_of_rows(),
            ReductionClass::Columns => walk.per_load_of_columns(if words { 4 } else { lane_bytes(l.accumulator) }),
            ReductionClass::Staged => walk.whole_load(),
        };
        let deep = walk.kept.sizes.len().max(walk.reduced.sizes.len()) > SHALLOW_AXES;
        // The threads' strides beyond the end stay within 32 bits too.
        let wide = walk.outputs.max(walk.n) > i32::MAX as usize;
        key = ReductionSource { per_load: per_load as u8, words, wide, deep, ..key };
        let device = a.device();
        let names = ["reduce", "reduce_splits"];
        let [elements, splits] = kernels(&KERNELS, device, key, names, || (key.name(), key.source(&l)))?;
        let shape = Shape::new(walk.outputs, walk.n, class, per_load, walk.item);
        let scratch = if shape.splits > 1 {
            device.alloc(shape.splits * walk.outputs * key.accumulator_bytes(l.accumulator))?
        } else {
            device.alloc(0)?
        };
        // Zeros of any dtype are zero bytes.
        let initial = self.initial.or(self.op.adds_to_zero().then_some([0; 16]));
        let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
        let params = |outputs_log2: u32| {
            let mut p = Params::default();
            for word in [walk.outputs as u64, walk.n as u64, shape.per_split as u64, out.addr(), walk.addr] {
                p.u64(word);
            }
            p.u64(walk.mask_addr);
            p.u64(scratch.addr());
            p.bytes(&initial.unwrap_or_default());
            p.u64(self.ddof.to_bits());
            let axes = [walk.kept.sizes.len(), walk.reduced.sizes.len()];
            for word in [shape.splits, outputs_log2 as usize, axes[0], axes[1], initial.is_some().into(), shape.rows] {
                p.u32(word as u32);
            }
            p.dividers(&walk.kept.sizes, capacity, wide);
            p.dividers(&walk.reduced.sizes, capacity, wide);
            p.strides(&walk.kept.strides[0], capacity);
            p.strides(&walk.kept.strides[2], capacity);
            p.strides(&walk.reduced.strides[1], capacity);
            if self.mask.is_some() {
                p.strides(&walk.kept.strides[1], capacity);
                p.strides(&walk.reduced.strides[0], capacity);
            }
            p
        };
        let launch = |function: Function, blocks: usize, splits: usize, outputs_log2: u32| {
            let grid = u32::try_from(blocks).ok().filter(|&g| g <= i32::MAX as u32).ok_or_else(|| {
                Error::new(ErrorKind::Value, format!("{} results are more than one launch can reach", walk.outputs))
            })?;
            // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays and of the scratch
            // memory, which the stream's order keeps until the second launch is done, and the sizes and strides reach
            // their elements only.
            unsafe {
                device.queue().launch(
                    function,
                    [grid, splits as u32, 1],
                    [THREADS as u32, 1, 1],
                    params(outputs_log2).as_bytes(),
                )
            }
        };
        launch(elements, shape.blocks, shape.splits, shape.outputs_log2)?;
        if shape.splits > 1 {
            let side = walk.outputs.next_power_of_two().min(32);
            launch(splits, walk.outputs.div_ceil(side), 1, side.ilog2())?;
        }
        Ok(())
    }
}

/// Bytes of registers in which a thread gathers for one output.
fn lane_bytes(accumulator: Accumulator) -> usize {
    match accumulator {
        Accumulator::Value(d) => d.size(),
        Accumulator::Indexed(d) => d.size() + 4,
        Accumulator::Counted(d) => d.size() + 8,
        Accumulator::Moments(d) => d.size() + d.real().size(),
    }
}

#[cfg(test)]
mod tests {
    use cuprum_kernels::source::REDUCTION_VECTOR;

    use super::*;
    use crate::driver::nvrtc::nvrtc;

    /// An array of values that the compiler cannot keep in registers goes through memory at a quarter of the speed.
    #[test]
    fn rows_hold_their_batches_in_registers() {
        use DType::*;
        let options = ["--std=c++17", "-default-device", "--fmad=false"].map(String::from);
        let mut compiled = 0;
        for name in ["sum", "mean", "var", "any", "count_nonzero", "argmax", "max"] {
            for operand in [Bool, I8, I32, F16, F32, F64, C64] {
                for masked in [false, true] {
                    let op = ReductionId::named(name).unwrap();
                    let class = ReductionClass::Rows;
                    let mut key = ReductionSource {
                        op,
                        operand,
                        asked: None,
                        class,
                        per_load: 1,
                        masked,
                        words: false,
                        wide: false,
                        deep: false,
                    };
                    let Some(l) = key.resolve().filter(|_| !masked || operand == F32) else { continue };
                    key.words = key.may_read_words(&l);
                    let item = if key.words { 4 } else { operand.size() };
                    key.per_load = (REDUCTION_VECTOR / item) as u8;
                    let image = nvrtc().unwrap().compile(&key.source(&l), &key.name(), "compute_80", &options, &[]);
                    let ptx = String::from_utf8(image.unwrap().code).unwrap();
                    assert!(ptx.contains(".entry reduce(") && !ptx.contains(".local"), "{} {masked}", key.name());
                    compiled += 1;
                }
            }
        }
        assert_eq!(compiled, 56);
    }

    #[test]
    fn words_of_four_elements_give_what_single_elements_give() {
        let bytes: Vec<i8> = (0..4 * 777).map(|i: i32| ((i * i % 251 - 125) * (i % 2)) as i8).collect();
        let check = |a: &Array, values: &[i64]| {
            // Without the first element the rest is neither aligned nor a number of whole words.
            for skip in [0i64, 1, 4] {
                let part = a.part(crate::s![skip..]);
                let values = &values[skip as usize..];
                let total: i64 = values.iter().sum();
                let count = values.iter().filter(|&&v| v != 0).count() as i64;
                let item = |r: Result<Array>| r.unwrap().astype(DType::F64).unwrap().item::<f64>().unwrap();
                assert_eq!(item(crate::sum(&part, ())), total as f64, "{} {skip}", a.dtype());
                assert_eq!(item(crate::mean(&part, ())), total as f64 / values.len() as f64, "{} {skip}", a.dtype());
                assert_eq!(item(crate::count_nonzero(&part, ())), count as f64, "{} {skip}", a.dtype());
            }
        };
        let a = crate::array(bytes.as_slice()).unwrap();
        check(&a, &bytes.iter().map(|&b| b as i64).collect::<Vec<_>>());
        check(&a.astype(DType::U8).unwrap(), &bytes.iter().map(|&b| b as u8 as i64).collect::<Vec<_>>());
        check(&a.astype(DType::Bool).unwrap(), &bytes.iter().map(|&b| (b != 0) as i64).collect::<Vec<_>>());
    }
}
