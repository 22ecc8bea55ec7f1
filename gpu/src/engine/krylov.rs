//! Iterations of Krylov methods: their kernels, and the scalars that stay on the device.
//!
//! Lower bound of the traffic of an iteration: the products with the matrix and the preconditioner, and each vector of
//! an update read and written once.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Width, Written};
use cuprum_kernels::source::{
    KRYLOV_REALS, KRYLOV_SCALARS, KRYLOV_THREADS, KRYLOV_VECTORS, KrylovMethod, KrylovParams, KrylovReal, KrylovStep,
    LeastSquaresReal,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, written};
use super::{concatenate, make};
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;
use crate::index::s;

/// Blocks of a kernel, at most: all are resident on a large device.
const MOST_BLOCKS: usize = 1024;

/// Kernels of a method, at most.
const MOST_STEPS: usize = 6;

thread_local! {
    static KERNELS: Kernels<(KrylovMethod, DType), MOST_STEPS> = Kernels::default();
}

/// State of a method on a device.
#[derive(Debug)]
pub(crate) struct Krylov {
    /// The method, which selects the kernels and their order.
    method: KrylovMethod,
    /// Dtype of the vectors.
    dtype: DType,
    /// Number of elements of a vector.
    length: usize,
    /// The kernels of an iteration, one for each step of the method.
    functions: [Function; MOST_STEPS],
    /// Real numbers of the iteration, indexed by [`KrylovReal`]; float64.
    reals: Array,
    /// Inner products and quotients of the iteration, in double precision of the vectors' kind.
    scalars: Array,
    /// Partial sums of two inner products: one for each of [`MOST_BLOCKS`] blocks.
    partials: Array,
    /// Counter of the blocks that have stored their partial sums: the last one adds them in order.
    ticket: Array,
    /// Multiple of the identity that is subtracted from the matrix; 0 for most methods.
    shift: f64,
    /// True if a preconditioner is applied, for which some kernels have another step.
    preconditioned: bool,
    /// One boolean, true while the iterations go on.
    pub(crate) going: Array,
}

impl Krylov {
    /// Creates the state of a method for vectors of `length` elements, of at most `most` iterations.
    pub(crate) fn new(
        device: Device,
        (method, dtype): (KrylovMethod, DType),
        length: usize,
        most: usize,
        shift: f64,
        preconditioned: bool,
    ) -> Result<Krylov> {
        let steps = method.steps();
        let names = std::array::from_fn(|k| steps[k.min(steps.len() - 1)].kernel());
        let source = || (format!("krylov/{}/{dtype}", method.name()), method.source(dtype));
        let functions = kernels(&KERNELS, device, (method, dtype), names, source)?;
        let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
        let krylov = Krylov {
            method,
            dtype,
            length,
            functions,
            reals: make::zeros(device, &[KRYLOV_REALS], DType::F64)?,
            scalars: make::zeros(device, &[KRYLOV_SCALARS], wide)?,
            partials: make::empty(device, &[2 * MOST_BLOCKS], wide)?,
            ticket: make::zeros(device, &[1], DType::U32)?,
            shift,
            preconditioned,
            going: make::full(device, &[], false, DType::Bool)?,
        };
        krylov.set(KrylovReal::Most, most as f64)?;
        Ok(krylov)
    }

    /// The number of elements of a vector.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns a new vector of zeros.
    pub(crate) fn vector(&self) -> Result<Array> {
        make::zeros(self.going.device(), &[self.length], self.dtype)
    }

    /// Writes a scalar of the iteration.
    pub(crate) fn set(&self, which: KrylovReal, value: f64) -> Result<()> {
        self.reals.index(s![which as i64])?.assign(value)
    }

    /// Writes scalars of a least-squares solver; the others become zero.
    pub(crate) fn begin_least_squares(&self, values: &[(LeastSquaresReal, f64)]) -> Result<()> {
        let mut reals = [0.0; KRYLOV_REALS];
        for &(which, value) in values {
            reals[which as usize] = value;
        }
        self.reals.assign(&make::of(self.going.device(), &reals, &[KRYLOV_REALS])?)
    }

    /// Returns all scalars: waits for the device.
    pub(crate) fn all_reals(&self) -> Result<Vec<f64>> {
        self.reals.to_vec::<f64>()
    }

    /// Returns true if the iterations have stopped for the host to look, and lets them go on: waits for the device.
    pub(crate) fn resumes(&self) -> Result<bool> {
        let paused = self.reals.index(s![KrylovReal::Paused as i64])?.item::<f64>()? != 0.0;
        if paused {
            self.going.assign(true)?;
        }
        Ok(paused)
    }

    /// Returns the scalars that the host reads, in their order, and a norm: waits for the device.
    pub(crate) fn read(&self, norm: &Array) -> Result<([f64; 4], f64)> {
        let all = make::empty(norm.device(), &[5], DType::F64)?;
        concatenate(&[&self.reals.index(s![..4])?, &norm.reshape([1])?], 0, &all)?;
        let all = all.to_vec::<f64>()?;
        Ok(([all[0], all[1], all[2], all[3]], all[4]))
    }

    /// Queues a kernel of the method. The vectors are those that it names, of one length and of the state's dtype,
    /// without gaps.
    pub(crate) fn step(&self, step: KrylovStep, vectors: &[&Array]) -> Result<()> {
        self.step_with(step, vectors, None)
    }

    /// The same with a last vector of the real dtype.
    pub(crate) fn step_with(&self, step: KrylovStep, vectors: &[&Array], last: Option<&Array>) -> Result<()> {
        let length = vectors[0].size();
        let device = one_device(&self.going, vectors.iter().copied().chain(last))?;
        let position = self.method.steps().iter().position(|&s| s == step).unwrap_or_default();
        debug_assert_eq!(self.method.steps()[position], step, "{}", self.method.name());
        debug_assert!(vectors.iter().all(|v| v.size() == length && v.dtype() == self.dtype && v.is_c_contiguous()));
        let mut pointers = [Written(None); KRYLOV_VECTORS];
        debug_assert!(last.is_none_or(|v| v.size() == length && v.dtype() == self.dtype.real()));
        for (pointer, vector) in pointers.iter_mut().zip(vectors.iter().copied().chain(last)) {
            *pointer = Written(Some(DevicePtr::of(vector)));
        }
        let params = KrylovParams {
            width: Width::default(),
            length,
            vectors: pointers,
            reals: written(&self.reals),
            scalars: written(&self.scalars),
            partials: written(&self.partials),
            ticket: written(&self.ticket),
            going: written(&self.going),
            shift: self.shift,
            preconditioned: self.preconditioned,
        };
        // Four elements for each thread, until the device is full.
        let blocks = length.div_ceil(4 * KRYLOV_THREADS).clamp(1, MOST_BLOCKS);
        let grid = Blocks::of(blocks, length, "elements");
        // SAFETY: elements of the vectors below their length are accessed, a sum for each of at most `MOST_BLOCKS` blocks, and scalars.
        unsafe { Launcher::on(device).launch(self.functions[position], grid, KRYLOV_THREADS, &params) }
    }
}
