//! Reductions: the plan of a call, and its one or two launches.
//!
//! Lower bound of memory traffic: the operand (and the mask) read once, the results written once. A split reduction
//! also writes and reads at most one partial result for 256 elements of each of its threads. For a pending operand or
//! mask (fusion) the operands of its expression are read once instead, and the array itself is never stored.

mod plan;
mod prologue;
pub(super) mod shared_out;

pub(crate) use plan::Reducing;
pub(super) use plan::TILE;

use cuprum_kernels::params::{Parameters, Read, Sizes, Strides, Value, Width, Written};
use cuprum_kernels::registry::Accumulator;
use cuprum_kernels::source::{ReduceParams, ReductionClass, ReductionSource};

use self::plan::{Shape, THREADS, Walk};
use super::fusion::through;
use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, written};
use crate::cuda::{Buffer, Device};
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Dims;

thread_local! {
    /// The kernels that this thread has launched, by device and key: that of the elements, and that of the splits.
    static KERNELS: Kernels<ReductionSource, 2> = Kernels::default();
}

impl Reducing<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let (a, out) = (self.a, self.out);
        if out.size() == 0 {
            return Ok(());
        }
        let Some(l) = self.op.resolve(a.dtype(), self.result_dtype, self.mask.is_some()) else {
            return Err(Error::new(
                ErrorKind::Type,
                format!("elements of {} are not taken: cast them with astype", a.dtype()),
            ));
        };
        let ordered = matches!(l.accumulator, Accumulator::Indexed(_));
        if through(a, self.mask, |of| self.run_through(&l, of, ordered))?.is_some() {
            return Ok(());
        }
        let mut walk = Walk::new(self, [Some(DevicePtr::of(a)), self.mask.map(DevicePtr::of)], ordered);
        let class = walk.class(self.mask.is_some());
        let mut key = self.key(class);
        let words = walk.read_words(class, key.may_read_words(&l), DevicePtr::of(out));
        let per_load = walk.per_load(class, if words { 4 } else { lane_bytes(l.accumulator) });
        // The threads' strides beyond the end must stay within 32 bits too.
        let wide = walk.outputs.max(walk.n) > i32::MAX as usize;
        let width = Width { wide, ..Width::of(walk.kept.sizes.len().max(walk.reduced.sizes.len()), 0) };
        key = ReductionSource { per_load: per_load as u8, words, width, ..key };
        let device = one_device(a, self.mask.into_iter().chain([out]))?;
        let functions = kernels(&KERNELS, device, key, NAMES, || (key.name(), key.source(&l)))?;
        let shape = Shape::new(walk.outputs, walk.n, class, per_load, walk.item);
        let scratch = self.scratch(device, &walk, &shape, key.accumulator_bytes(l.accumulator))?;
        let of_mask = |strides| self.mask.is_some().then_some(Strides(strides));
        let params = ReduceParams {
            kept_axes: walk.kept.sizes.len() as u32,
            reduced_axes: walk.reduced.sizes.len() as u32,
            kept: Sizes(&walk.kept.sizes),
            reduced_sizes: Sizes(&walk.reduced.sizes),
            kept_in: Strides(&walk.kept.strides[0]),
            kept_out: Strides(&walk.kept.strides[2]),
            reduced_in: Strides(&walk.reduced.strides[1]),
            kept_mask: of_mask(&walk.kept.strides[1]),
            reduced_mask: of_mask(&walk.reduced.strides[0]),
            ..self.params(width, &walk, &shape, &scratch)
        };
        // SAFETY: the sizes and strides reach elements of the arrays only, and the scratch memory has a partial result
        // for each split and output.
        unsafe { queue(device, functions, &shape, params, |params| params) }
    }

    /// Returns the key of the kernel for an array whose elements are read one by one.
    fn key(&self, class: ReductionClass) -> ReductionSource {
        ReductionSource {
            op: self.op,
            operand: self.a.dtype(),
            result_dtype: self.result_dtype,
            class,
            per_load: 1,
            masked: self.mask.is_some(),
            words: false,
            width: Width::default(),
        }
    }

    /// Returns the axes that are not reduced.
    fn kept_axes(&self) -> Dims {
        (0..self.a.ndim()).filter(|axis| !self.axes.contains(axis)).collect()
    }

    /// Allocates the partial results, if there are several splits.
    fn scratch(&self, device: Device, walk: &Walk<'_>, shape: &Shape, bytes: usize) -> Result<Buffer> {
        device.alloc(if shape.splits > 1 { shape.splits * walk.outputs * bytes } else { 0 })
    }

    /// Returns the parameters of a kernel without the axes.
    fn params<'a>(
        &'a self,
        width: Width,
        walk: &Walk<'a>,
        shape: &Shape,
        scratch: &'a Buffer,
    ) -> ReduceParams<'a, DevicePtr<'a>> {
        // Zeros of any dtype are zero bytes.
        let initial = self.initial.or(self.op.adds_to_zero().then_some([0; 16]));
        ReduceParams {
            width,
            outputs: walk.outputs,
            reduced: walk.n,
            per_split: shape.per_split,
            out: written(self.out),
            input: Read(walk.pointer),
            mask: Read(walk.mask),
            scratch: Written(Some(DevicePtr::start(scratch))),
            initial: Value(initial.unwrap_or_default()),
            ddof: self.ddof,
            splits: shape.splits as u32,
            outputs_log2: shape.outputs_log2,
            has_initial: initial.is_some(),
            rows: shape.rows,
            kept_axes: 0,
            reduced_axes: 0,
            kept: Sizes::default(),
            reduced_sizes: Sizes::default(),
            kept_in: Strides::default(),
            kept_out: Strides::default(),
            reduced_in: Strides::default(),
            kept_mask: None,
            reduced_mask: None,
        }
    }
}

/// The functions of a source: that of the elements, and that of the splits.
const NAMES: [&str; 2] = ["reduce", "reduce_splits"];

/// Launches the kernel of the elements, and that of the splits if there are several.
///
/// # Safety
///
/// The kernels' parameters reach elements of arrays only, and there is memory for a partial result of each split and
/// output.
unsafe fn queue<'a, P: Parameters<DevicePtr<'a>>>(
    device: Device,
    [elements, splits]: [Function; 2],
    shape: &Shape,
    params: ReduceParams<'a, DevicePtr<'a>>,
    with: impl Fn(ReduceParams<'a, DevicePtr<'a>>) -> P,
) -> Result<()> {
    let launcher = Launcher::on(device);
    let outputs = params.outputs;
    let blocks = Blocks::of(shape.blocks, outputs, "results").by(shape.splits);
    // SAFETY: guaranteed by the caller.
    unsafe { launcher.launch(elements, blocks, THREADS, &with(params)) }?;
    if shape.splits > 1 {
        let side = outputs.next_power_of_two().min(32);
        let params = ReduceParams { outputs_log2: side.ilog2(), ..params };
        let blocks = Blocks::of(outputs.div_ceil(side), outputs, "results");
        // SAFETY: as above; this launch reads the scratch memory alone.
        unsafe { launcher.launch(splits, blocks, THREADS, &with(params)) }?;
    }
    Ok(())
}

/// Returns the bytes of registers in which a thread accumulates for one output.
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
    use cuprum_kernels::DType;
    use cuprum_kernels::registry::ReductionId;
    use cuprum_kernels::source::REDUCTION_VECTOR;

    use super::*;
    use crate::array::Array;
    use crate::driver::nvrtc::nvrtc;

    /// An array of values that the compiler cannot keep in registers would be stored in local memory, at a quarter of
    /// the speed.
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
                        result_dtype: None,
                        class,
                        per_load: 1,
                        masked,
                        words: false,
                        width: Width::default(),
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
            // Without the first element the rest is neither aligned nor a multiple of a word.
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
