//! Chebyshev filters: polynomials of a Hermitian matrix that are small on an interval and grow quickly outside of it.
//!
//! A step of the recurrence is one product with the matrix and one update of a block of vectors; steps are captured as
//! a graph once and repeated without the host. Lower bound of the traffic of a step: the matrix, and the block four
//! times.
//!
//! Source: Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, "Self-consistent-field calculations using
//! Chebyshev-filtered subspace iteration", Journal of Computational Physics 219, 2006.

use std::sync::LazyLock;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::{CastTo, Format, Sparse};
use crate::array::Array;
use crate::cuda::graph::{self, Graph};
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{ElementwiseKernel, ElementwiseKernelOptions};
use crate::ufunc::apply;

/// Pairs of steps of a graph.
const PAIRS: usize = 4;

/// The next term of the recurrence, in place of the one before the last. The first step has no term before it.
static STEP: LazyLock<Result<ElementwiseKernel>> = LazyLock::new(|| {
    let inputs = "T product, T current, raw float64 factors";
    let operation = "T next = T(factors[0]) * product - T(factors[1]) * current;
        previous = factors[2] == 0 ? next : next - previous;";
    let options = ElementwiseKernelOptions { name: "chebyshev_step".into(), ..Default::default() };
    ElementwiseKernel::new(inputs, "T previous", operation, options)
});

/// Chebyshev filter of a Hermitian matrix: replaces each column of a block of vectors by its product with a polynomial
/// of the matrix.
///
/// The polynomial is the Chebyshev polynomial of the first kind on an interval: eigenvectors whose eigenvalues are in
/// the interval keep their size or shrink, others grow, the faster the farther from it.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse, linalg::ChebyshevFilter}};
/// let a = Sparse::from_dense(&array([[0.5, 0.0], [0.0, 2.0]])?, Format::Csr)?;
/// let mut filter = ChebyshevFilter::new(&a, None, 1)?;
/// filter.input().assign(&array([[1.0], [1.0]])?)?;
/// // The polynomial of degree 9 at 0.5 and at 2, which is outside of the interval.
/// let degree = filter.run(5, [-1.0, 1.0])?;
/// assert_eq!((degree, filter.output().to_vec::<f64>()?), (9, vec![-1.0, 70226.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ChebyshevFilter {
    /// The factors of the operator, the one that is applied first at the beginning.
    factors: Vec<Sparse>,
    /// The block and its filtered one; the steps write them in turn.
    blocks: [Array; 2],
    /// Factors of the product, of the last block, and of the one before it; on the device.
    numbers: Array,
    /// Graph of the steps, after the first of them.
    captured: Option<Graph>,
}

impl ChebyshevFilter {
    /// Creates a filter of a Hermitian matrix for blocks of `columns` vectors. With `outer` the operator is the product
    /// of the matrix and its conjugate transpose: the matrix is the first factor for true, the second one for false.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a dtype that is not float32, float64, complex64 or complex128.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn new(a: &Sparse, outer: Option<bool>, columns: usize) -> Result<ChebyshevFilter> {
        let (dtype, device) = (a.dtype(), a.data().device());
        if !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            let message = format!("a matrix of {dtype}: it is of float32, float64, complex64 or complex128");
            return Err(Error::new(ErrorKind::Type, message).with_op("sparse.linalg.ChebyshevFilter"));
        }
        let a = a.to_format(Format::Csr)?;
        let factors = match outer {
            None => vec![a],
            Some(outer) => {
                let adjoint = a.transpose(None)?.to_format(Format::Csr)?;
                let adjoint = if dtype.is_complex() {
                    adjoint.with_data(&apply("conjugate", [(&adjoint.data()).into()])?)?
                } else {
                    adjoint
                };
                if outer { vec![adjoint, a] } else { vec![a, adjoint] }
            }
        };
        let length = factors[0].matrix_shape()[1];
        let block = || make::zeros(device, &[length, columns], dtype);
        let blocks = [block()?, block()?];
        Ok(ChebyshevFilter { factors, blocks, numbers: make::zeros(device, &[3], DType::F64)?, captured: None })
    }

    /// The block that the filter is applied to, whose columns are vectors; the caller writes it before each call, and a
    /// call changes it.
    pub fn input(&self) -> &Array {
        &self.blocks[0]
    }

    /// The filtered block of the last call.
    pub fn output(&self) -> &Array {
        &self.blocks[1]
    }

    /// Returns the product of the operator and a block of vectors.
    ///
    /// ```
    /// use cuprum::{array, scipy::sparse::{Format, Sparse, linalg::ChebyshevFilter}};
    /// let a = Sparse::from_dense(&array([[0.0, 2.0], [0.0, 0.0]])?, Format::Csr)?;
    /// let filter = ChebyshevFilter::new(&a, Some(false), 1)?;
    /// assert_eq!(filter.product(&array([[1.0], [1.0]])?)?.to_vec::<f64>()?, [0.0, 4.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the product.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn product(&self, block: &Array) -> Result<Array> {
        let (dtype, mut product) = (self.numbers_of(), block.clone());
        for factor in &self.factors {
            product = factor.matmul_dense(&product)?.to_dtype(dtype)?;
        }
        Ok(product)
    }

    fn numbers_of(&self) -> DType {
        self.blocks[0].dtype()
    }

    /// Writes a term of the recurrence over the one before the last.
    fn step(&self, current: &Array, previous: &Array) -> Result<()> {
        let product = self.product(current)?;
        let step = STEP.as_ref().map_err(Clone::clone)?;
        let inputs = [(&product).into(), current.into(), (&self.numbers).into()];
        // SAFETY: the operation reads three elements of the factors, of which there are three.
        unsafe { step.call(&inputs, &[previous], None, None) }.map(drop)
    }

    /// Applies the polynomial of at least this degree to the input, for an interval of eigenvalues; returns the degree,
    /// which is 1 above a multiple of 8.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an interval that is empty or not finite.
    ///
    /// # Synchronization
    ///
    /// The first call synchronises, as the first product with a matrix does; later ones queue kernels.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn run(&mut self, degree: usize, [low, high]: [f64; 2]) -> Result<usize> {
        let (half, middle) = ((high - low) / 2.0, low + (high - low) / 2.0);
        if !(half > 0.0 && half.is_finite() && middle.is_finite()) {
            let message = format!("the interval from {low} to {high} is empty or not finite");
            return Err(Error::new(ErrorKind::Value, message).with_op("sparse.linalg.ChebyshevFilter.run"));
        }
        let set = |factors: [f64; 3]| self.numbers.assign(&make::of(self.numbers.device(), &factors, &[3])?);
        let [first, second] = &self.blocks;
        set([1.0 / half, middle / half, 0.0])?;
        self.step(first, second)?;
        set([2.0 / half, 2.0 * middle / half, 1.0])?;
        if self.captured.is_none() {
            let pair = |_| self.step(second, first).and_then(|()| self.step(first, second));
            self.captured = Some(graph::capture(|| (0..PAIRS).try_for_each(pair))?.0);
        }
        let launches = degree.saturating_sub(1).div_ceil(2 * PAIRS);
        if let Some(steps) = &self.captured {
            (0..launches).try_for_each(|_| steps.launch())?;
        }
        Ok(1 + 2 * PAIRS * launches)
    }
}
