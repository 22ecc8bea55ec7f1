//! Arrays computed from their indices.
//!
//! An element is a function of a linear form of its coordinates: the distance from a diagonal, the position along an
//! axis, or the flat index. So one kernel serves all of them, in any memory order. Memory traffic: the results once,
//! and those elements of an operand that are used. The arithmetic takes less time than that: a division by
//! multiplication for each axis but the first.
//!
//! Lower bound: the result written once.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Value, Width};
pub(crate) use cuprum_kernels::source::Form;
use cuprum_kernels::source::{Generate, GenerateParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;
use crate::scalar::Scalar;

/// Threads of a block: as in `include/generate.cuh`.
const THREADS: usize = 256;
/// Elements of a block: as in the header.
pub(super) const TILE: usize = THREADS * 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Generate> = Kernels::default();
}

/// Array that is ready to be computed: `form` of the sum of `first` and of each coordinate times its weight.
pub(crate) struct Generating<'a> {
    /// The function of the linear form.
    pub(crate) form: Form,
    /// Value of the linear form at the first element.
    pub(crate) first: i64,
    /// The coefficient of the linear form for each axis of the result.
    pub(crate) weights: &'a [i64],
    /// An array, and its byte strides along the axes of the result. The kernel reads it only where the form selects it.
    pub(crate) input: Option<(&'a Array, &'a [i64])>,
    /// Integer parameters of the form.
    pub(crate) integers: [i64; 4],
    /// Floating-point parameters of the form.
    pub(crate) numbers: [Scalar; 3],
    /// True if the results are rounded down before they are cast.
    pub(crate) floor: bool,
    /// The results, with any strides.
    pub(crate) out: &'a Array,
}

impl<'a> Generating<'a> {
    /// Creates a form without parameters.
    pub(crate) fn new(form: Form, first: i64, weights: &'a [i64], out: &'a Array) -> Generating<'a> {
        Generating {
            form,
            first,
            weights,
            input: None,
            integers: [0; 4],
            numbers: [Scalar::Float(0.0); 3],
            floor: false,
            out,
        }
    }

    /// Computes the array. The caller guarantees that the elements of the operand which the form selects exist.
    pub(crate) fn run(&self) -> Result<()> {
        let out = self.out;
        if out.size() == 0 {
            return Ok(());
        }
        let nothing = vec![0; out.ndim()];
        let input_steps = self.input.map_or(&nothing[..], |(_, strides)| strides);
        let axes = Axes::collapse(out.shape(), [self.weights, input_steps, out.strides()], false);
        let value = if self.numbers.iter().any(|x| matches!(x, Scalar::Complex(_))) { DType::C128 } else { DType::F64 };
        let width = Width::of(axes.sizes.len(), out.size());
        let input = self.input.map(|(a, _)| a.dtype());
        let key = Generate { form: self.form, out: out.dtype(), input, value, floor: self.floor, width };
        let device = out.device();
        let [function] = kernels(&KERNELS, device, key, ["generate"], || (key.name(), key.source()))?;
        let [a, b, c] = self.numbers.map(|x| Value(x.encode(value)));
        let params = GenerateParams {
            width,
            elements: out.size(),
            out: written(out),
            input: Read(self.input.map(|(a, _)| DevicePtr::of(a))),
            first: self.first,
            integers: self.integers,
            a,
            b,
            c,
            axes: axes.sizes.len() as u32,
            sizes: Sizes(&axes.sizes),
            steps: Steps(&axes.strides[2]),
            input_steps: Steps(&axes.strides[1]),
            weights: Steps(&axes.strides[0]),
        };
        let blocks = Blocks::of(out.size().div_ceil(TILE), out.size(), "elements");
        // SAFETY: sizes and strides reach every element of the result once, and the operand is read where the form
        // selects one of its elements.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{TriangleOptions, tril_indices, triu_indices};

    /// Positions that are computed from their numbers are those that a walk along the rows visits.
    #[test]
    fn triangles_are_counted_row_by_row() {
        for n in 0..8usize {
            for m in 0..8usize {
                for k in -10..10isize {
                    let params = TriangleOptions::new().k(k).m(m);
                    for lower in [true, false] {
                        let indices = if lower { tril_indices(n, params) } else { triu_indices(n, params) }.unwrap();
                        let all = (0..n as i64).flat_map(|i| (0..m as i64).map(move |j| (i, j)));
                        let within = |(i, j): &(i64, i64)| if lower { j - i <= k as i64 } else { j - i >= k as i64 };
                        let (rows, columns): (Vec<i64>, Vec<i64>) = all.filter(within).unzip();
                        let found = (indices[0].to_vec::<i64>().unwrap(), indices[1].to_vec::<i64>().unwrap());
                        assert_eq!(found, (rows, columns), "{n} {m} {k} {lower}");
                    }
                }
            }
        }
    }
}
