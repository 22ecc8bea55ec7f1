//! Preparation of the input of Fourier transforms, and post-processing of their output.
//!
//! One pass copies to another dtype, order or length, with a factor, conjugated. Cosine and sine transforms are one
//! transform between two such passes. Memory traffic: the operand once and the results once; if a result is computed
//! from two elements, both are also elements of adjacent results, and come from the caches. A thread has four results,
//! a block apart, so that adjacent threads read and write together.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Sizes, Strides as Steps, Width};
use cuprum_kernels::source::{SPECTRAL_TILE, Spectral, SpectralForm, SpectralParams};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;
use crate::layout::{Axes, Dims, Strides};

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Spectral> = Kernels::default();
}

/// Pass that is ready to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spectrum<'a> {
    /// The computation: a copy, or the pass of a cosine or sine transform.
    pub(crate) form: SpectralForm,
    /// The elements that are read, in any layout.
    pub(crate) input: &'a Array,
    /// The elements that are written, in any layout.
    pub(crate) out: &'a Array,
    /// The transformed axis; a copy has none.
    pub(crate) axis: Option<usize>,
    /// Length of the transform.
    pub(crate) n: usize,
    /// Factor of all results.
    pub(crate) scale: f64,
    /// True if complex elements are conjugated.
    pub(crate) conjugate: bool,
    /// True if the operand is read in reverse along the axis.
    pub(crate) backwards: bool,
    /// True if every second element is negated.
    pub(crate) alternate: bool,
    /// True if the results are written in reverse along the axis.
    pub(crate) reversed: bool,
    /// Weights of the first and the last element along the axis.
    pub(crate) weights: [f64; 2],
    /// Factors of the first and the last result.
    pub(crate) factors: [f64; 2],
}

impl<'a> Spectrum<'a> {
    /// Creates a copy to an array of as many axes: missing elements are 0, and elements for which the results have no
    /// room are dropped.
    pub(crate) fn copy(input: &'a Array, out: &'a Array, scale: f64) -> Spectrum<'a> {
        Spectrum {
            form: SpectralForm::Copy,
            input,
            out,
            axis: None,
            n: 1,
            scale,
            conjugate: false,
            backwards: false,
            alternate: false,
            reversed: false,
            weights: [1.0; 2],
            factors: [1.0; 2],
        }
    }

    pub(crate) fn run(&self) -> Result<()> {
        let (input, out) = (self.input, self.out);
        if out.size() == 0 {
            return Ok(());
        }
        let mut in_strides: Strides = input.strides().into();
        let mut given: Strides = input.shape().iter().map(|&n| n as i64).collect();
        if let Some(axis) = self.axis {
            in_strides[axis] = 0;
            given[axis] = i64::MAX;
        }
        let whole = (0..out.ndim()).all(|k| out.shape()[k] as i64 <= given[k]);
        let (sizes, in_steps, out_steps, limits, axis): (Dims, Strides, Strides, Strides, u32);
        if self.axis.is_none() && whole {
            let axes = Axes::collapse(out.shape(), [&in_strides, out.strides()], false);
            let [from, to] = axes.strides;
            (sizes, in_steps, out_steps, axis) = (axes.sizes, from, to, u32::MAX);
            limits = sizes.iter().map(|_| i64::MAX).collect();
        } else {
            let mut order: Dims = (0..out.ndim()).collect();
            order.sort_by_key(|&x| (std::cmp::Reverse(out.strides()[x].unsigned_abs()), x));
            order.retain(|x| out.shape()[*x] != 1 || given[*x] < 1 || self.axis == Some(*x));
            sizes = order.iter().map(|&x| out.shape()[x]).collect();
            in_steps = order.iter().map(|&x| in_strides[x]).collect();
            out_steps = order.iter().map(|&x| out.strides()[x]).collect();
            limits = order.iter().map(|&x| given[x]).collect();
            axis = self.axis.and_then(|a| order.iter().position(|&x| x == a)).map_or(u32::MAX, |at| at as u32);
        }
        let width = Width::of(sizes.len(), out.size());
        let wide = [input.dtype(), out.dtype()]
            .iter()
            .any(|d| matches!(d, DType::F64 | DType::C128) || !(d.is_float() || d.is_complex()));
        let key = Spectral { form: self.form, input: input.dtype(), out: out.dtype(), wide, width };
        let device = crate::engine::one_device(out, [input])?;
        let [function] = kernels(&KERNELS, device, key, ["spectral"], || (key.name(), key.source()))?;
        let params = SpectralParams {
            width,
            elements: out.size(),
            input: read(input),
            out: written(out),
            n: self.n as i64,
            given: self.axis.map_or(1, |axis| input.shape()[axis] as i64),
            step: self.axis.map_or(0, |axis| input.strides()[axis]),
            last: self.axis.map_or(0, |axis| out.shape()[axis] as i64 - 1),
            scale: self.scale,
            first_in: self.weights[0],
            last_in: self.weights[1],
            first_out: self.factors[0],
            last_out: self.factors[1],
            conjugate: self.conjugate,
            backwards: self.backwards,
            alternate: self.alternate,
            reversed: self.reversed,
            axis,
            axes: sizes.len() as u32,
            sizes: Sizes(&sizes),
            limits: Steps(&limits),
            in_steps: Steps(&in_steps),
            out_steps: Steps(&out_steps),
        };
        let blocks = Blocks::of(out.size().div_ceil(SPECTRAL_TILE), out.size(), "elements");
        // SAFETY: sizes and strides reach every result once; no coordinate beyond the operand's limits is read, and
        // none beyond its length along the transformed axis.
        unsafe { Launcher::on(device).launch(function, blocks, 256, &params) }
    }
}
