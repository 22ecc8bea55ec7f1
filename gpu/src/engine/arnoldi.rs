//! The Arnoldi process: an orthonormal basis of a Krylov space, whose steps queue kernels only.
//!
//! Lower bound of the traffic of step j for vectors of n elements: the product with the operator, and the j + 1 vectors
//! of the basis three times, of which the second time is from the cache.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Width, Written};
use cuprum_kernels::source::{
    ARNOLDI_KERNELS, ARNOLDI_REALS, ARNOLDI_SLAB, ARNOLDI_THREADS, ArnoldiParams, ArnoldiReal, arnoldi_source,
};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, DevicePtr, Launcher, one_device, written};
use super::make;
use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Function;
use crate::error::Result;
use crate::index::s;

/// Blocks of a kernel, at most: all are resident on a large device.
const MOST_BLOCKS: usize = 1024;

thread_local! {
    static KERNELS: Kernels<DType, 4> = Kernels::default();
}

/// Range of steps of a process, and the residual at their beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// The number of the first step: as many vectors precede the last one.
    pub(crate) first: usize,
    /// The number of the step before which it ends.
    pub(crate) limit: usize,
    /// The number of rows before the basis, to which the vectors stay orthogonal.
    pub(crate) locked: usize,
    /// The norm of the residual at the beginning and the norm at which the process ends; `(1, 0)` for none.
    pub(crate) residual: (f64, f64),
}

/// State of an Arnoldi process on a device.
#[derive(Debug)]
pub(crate) struct Arnoldi {
    /// Dtype of the vectors: float32, float64, complex64 or complex128.
    dtype: DType,
    /// Number of elements of a vector.
    length: usize,
    /// The kernels of a step, in the order of their launches.
    functions: [Function; 4],
    /// The basis, a vector in each row.
    pub(crate) basis: Array,
    /// The last vector of the basis, which the operator is applied to.
    pub(crate) vector: Array,
    /// The columns of coefficients, each in a row, in double precision.
    pub(crate) columns: Array,
    /// Scratch of a step, a number for each row of the basis: the projections of both orthogonalisations, and
    /// the left vector of which the norm of the residual is computed.
    coefficients: [Array; 3],
    /// The numbers that kernels exchange between steps, indexed by [`ArnoldiReal`]; float64.
    reals: Array,
    /// Partial sums of the inner products: one for each row of the basis and block.
    partials: Array,
    /// Counter of the blocks that have stored their partial sums: the last one adds them in order.
    ticket: Array,
    /// One boolean, true while the process goes on.
    pub(crate) going: Array,
}

impl Arnoldi {
    /// Creates the state of a process of at most `steps` steps for vectors of `length` elements; `locked` rows precede
    /// the basis at most.
    pub(crate) fn new(device: Device, dtype: DType, length: usize, steps: usize, locked: usize) -> Result<Arnoldi> {
        let source = || (format!("arnoldi/{dtype}"), arnoldi_source(dtype));
        let functions = kernels(&KERNELS, device, dtype, ARNOLDI_KERNELS, source)?;
        let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
        let rows = locked + steps + 1;
        let coefficients = || make::zeros(device, &[rows], wide);
        Ok(Arnoldi {
            dtype,
            length,
            functions,
            basis: make::zeros(device, &[rows, length], dtype)?,
            vector: make::zeros(device, &[length], dtype)?,
            columns: make::zeros(device, &[steps, steps + 1], wide)?,
            coefficients: [coefficients()?, coefficients()?, coefficients()?],
            reals: make::zeros(device, &[ARNOLDI_REALS], DType::F64)?,
            partials: make::empty(device, &[rows * blocks(length)], wide)?,
            ticket: make::zeros(device, &[1], DType::U32)?,
            going: make::full(device, &[], false, DType::Bool)?,
        })
    }

    /// Begins at a step: the row of its vector, and those before it, are set.
    pub(crate) fn begin(&self, steps: Steps) -> Result<()> {
        let Steps { first, limit, locked, residual: (beta, bound) } = steps;
        debug_assert!(locked + limit < self.basis.shape()[0] && limit <= self.columns.shape()[0]);
        let mut reals = [0.0; ARNOLDI_REALS];
        let values = [
            (ArnoldiReal::Step, first as f64),
            (ArnoldiReal::Limit, limit as f64),
            (ArnoldiReal::Locked, locked as f64),
            (ArnoldiReal::Beta, beta),
            (ArnoldiReal::Bound, bound),
            (ArnoldiReal::Squares, 1.0),
        ];
        for (which, value) in values {
            reals[which as usize] = value;
        }
        self.reals.assign(&make::of(self.going.device(), &reals, &[ARNOLDI_REALS])?)?;
        self.coefficients[2].index(s![0])?.assign(1)?;
        self.vector.assign(&self.basis.index(s![(locked + first) as i64])?)?;
        self.going.assign(first < limit)
    }

    /// Queues a step, of the product of the operator with [`Arnoldi::vector`].
    pub(crate) fn step(&self, product: &Array) -> Result<()> {
        let device = one_device(&self.going, [product])?;
        debug_assert!(product.size() == self.length && product.dtype() == self.dtype && product.is_c_contiguous());
        let [first, second, left] = &self.coefficients;
        let params = ArnoldiParams {
            width: Width::default(),
            length: self.length,
            column_length: self.columns.shape()[1],
            basis: written(&self.basis),
            product: Written(Some(DevicePtr::of(product))),
            vector: written(&self.vector),
            columns: written(&self.columns),
            first: written(first),
            second: written(second),
            left: written(left),
            reals: written(&self.reals),
            partials: written(&self.partials),
            ticket: written(&self.ticket),
            going: written(&self.going),
        };
        for function in self.functions {
            let grid = Blocks::of(blocks(self.length), self.length, "elements");
            // SAFETY: elements of the vectors below their length are accessed, and rows and columns up to the limit that `begin` checks; there is a sum for each row and block.
            unsafe { Launcher::on(device).launch(function, grid, ARNOLDI_THREADS, &params) }?;
        }
        Ok(())
    }

    /// Returns the number of steps that are done: waits for the device.
    pub(crate) fn done(&self) -> Result<usize> {
        Ok(self.reals.index(s![ArnoldiReal::Step as i64])?.item::<f64>()? as usize)
    }
}

/// The number of blocks: each has a slab of the vectors.
fn blocks(length: usize) -> usize {
    length.div_ceil(ARNOLDI_SLAB).clamp(1, MOST_BLOCKS)
}
