//! The Arnoldi process of an operator, whose steps are repeated on the device.
//!
//! Each step is a product and an orthogonalisation against the rows of the basis; steps are captured as a graph once
//! and repeated without the host.
//!
//! Each vector is orthogonalised twice against all before it, which makes the basis orthonormal to the
//! rounding of the dtype (L. Giraud, J. Langou, M. Rozložník, J. van den Eshof, Numerische Mathematik 101,
//! 2005).

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::super::CastTo;
use super::LinearOperator;
use super::krylov::iterations_at_once;
use crate::array::Array;
use crate::cuda::{Device, graph};
use crate::dtype::promote_types;
use crate::engine::arnoldi::{Arnoldi as State, Steps};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;

/// Steps that are queued between two reads of their number, at most, where they are not captured.
const MOST_UNREAD: usize = 16;

/// The Arnoldi process (of a Hermitian operator: the Lanczos process with full orthogonalisation), which builds an
/// orthonormal basis of the space of a vector and its products with an operator, and the projection of the operator on
/// it.
///
/// Vector j + 1 is the product of the operator with vector j, orthogonalised against all vectors before it twice. Row j
/// of [`columns`](Arnoldi::columns) has the coefficients, the product's projections on vectors 0 to j + 1. Rows of the
/// basis may be replaced between two calls of [`extend`](Arnoldi::extend), as a restart does. W. E. Arnoldi, 1951.
///
/// ```
/// use cuprum::scipy::sparse::linalg::Arnoldi;
/// use cuprum::{array, s};
/// let a = array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])?;
/// let mut process = Arnoldi::new(a.dtype(), 3, 2, 0)?;
/// process.basis().index(s![0])?.assign(&array([1.0, 0.0, 0.0])?)?;
/// assert_eq!(process.extend(&a, 0, 2, 0)?, 2);
/// // The diagonal and the subdiagonal of the projection.
/// assert_eq!(process.columns().to_vec::<f64>()?, [2.0, 1.0, 0.0, 1.0, 3.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Arnoldi {
    /// Basis and coefficients on the device.
    state: State,
    /// Graph of the steps, after the first call.
    captured: Option<graph::Graph>,
}

impl Arnoldi {
    /// Creates a process of at most `steps` steps for vectors of `length` elements of float32, float64, complex64 or
    /// complex128. `locked` rows precede the basis at most, to which its vectors stay orthogonal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for another dtype.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn new(dtype: DType, length: usize, steps: usize, locked: usize) -> Result<Arnoldi> {
        if !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            let message = format!("vectors of {dtype}: they are of float32, float64, complex64 or complex128");
            return Err(Error::new(ErrorKind::Type, message).with_op("sparse.linalg.Arnoldi"));
        }
        Ok(Arnoldi { state: State::new(Device::current()?, dtype, length, steps, locked)?, captured: None })
    }

    /// The basis, a vector in each row: first the locked rows, as many as the last call named, then the vectors of the
    /// process.
    ///
    /// Rows that no step has written are zero.
    ///
    /// ```
    /// use cuprum::scipy::sparse::linalg::Arnoldi;
    /// let process = Arnoldi::new(cuprum::DType::F64, 3, 2, 0)?;
    /// assert_eq!((process.basis().ndim(), process.basis().shape()[1]), (2, 3));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn basis(&self) -> &Array {
        &self.state.basis
    }

    /// The coefficients of each step, in a row, of float64 or complex128.
    pub fn columns(&self) -> &Array {
        &self.state.columns
    }

    /// Does the steps from `first` up to `limit`, and returns the number of the step before which the process has
    /// ended: less than `limit` where a vector is zero, whose space is complete. `locked` is the number of rows before
    /// the basis.
    ///
    /// The first call captures the steps of an operator that is [capturable](LinearOperator::is_capturable); later ones
    /// repeat them on the device and take the same operator.
    ///
    /// # Errors
    ///
    /// Those of the operator.
    ///
    /// # Synchronization
    ///
    /// Synchronises once.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn extend(&mut self, a: &dyn LinearOperator, first: usize, limit: usize, locked: usize) -> Result<usize> {
        let steps = Steps { first, limit, locked, residual: (1.0, 0.0) };
        self.run(&|v| a.matvec(v), a.is_capturable(), steps)
    }

    /// Does the steps from 0 up to `limit`, and ends before where the residual of GMRES is small enough. `residual` has its
    /// norm at the beginning, where the first vector is the residual of norm 1, and the norm at which the process ends.
    /// Otherwise as [`extend`](Arnoldi::extend).
    ///
    /// # Errors
    ///
    /// Those of the operator.
    ///
    /// # Synchronization
    ///
    /// Synchronises once.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn minimize(&mut self, a: &dyn LinearOperator, limit: usize, residual: (f64, f64)) -> Result<usize> {
        self.run(&|v| a.matvec(v), a.is_capturable(), Steps { first: 0, limit, locked: 0, residual })
    }

    /// Does the steps with an operator that `product` applies.
    pub(super) fn run(
        &mut self,
        product: &dyn Fn(&Array) -> Result<Array>,
        is_capturable: bool,
        steps: Steps,
    ) -> Result<usize> {
        let state = &self.state;
        let step = || state.step(&product(&state.vector)?.to_dtype(state.vector.dtype())?);
        state.begin(steps)?;
        if !is_capturable {
            let (mut done, mut unread) = (steps.first, 1);
            while done < steps.limit && state.going.item::<bool>()? {
                let ahead = unread.min(steps.limit - done);
                (0..ahead).try_for_each(|_| step())?;
                done += ahead;
                unread = (2 * unread).min(MOST_UNREAD);
            }
            return state.done();
        }
        if self.captured.is_none() {
            // The first step compiles what it needs and remembers what the matrix needs for products.
            step()?;
            let each = iterations_at_once(state.vector.size());
            let body = || (0..each).try_for_each(|_| step());
            self.captured = Some(graph::capture(|| graph::repeat_while(&state.going, body))?.0);
        }
        if let Some(steps) = &self.captured {
            steps.launch()?;
        }
        state.done()
    }

    /// Begins at a step of an operator whose products the caller computes: of [`vector`](Arnoldi::vector), for
    /// [`push`](Arnoldi::push).
    ///
    /// # Errors
    ///
    /// Those of the device.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn begin(&self, first: usize, limit: usize, locked: usize) -> Result<()> {
        self.state.begin(Steps { first, limit, locked, residual: (1.0, 0.0) })
    }

    /// The last vector of the basis.
    pub fn vector(&self) -> &Array {
        &self.state.vector
    }

    /// Queues a step with the product of the operator and the last vector.
    ///
    /// ```
    /// use cuprum::{array, s, scipy::sparse::linalg::Arnoldi};
    /// let a = array([[2.0, 1.0], [1.0, 3.0]])?;
    /// let process = Arnoldi::new(a.dtype(), 2, 2, 0)?;
    /// process.basis().index(s![0])?.assign(&array([1.0, 0.0])?)?;
    /// process.begin(0, 2, 0)?;
    /// process.push(&a.matmul(process.vector())?)?;
    /// assert_eq!(process.columns().index(s![0, ..2])?.to_vec::<f64>()?, [2.0, 1.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another shape than that of the vector, [`ErrorKind::Type`] for another dtype.
    #[unrecorded("a part of solvers: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
    pub fn push(&self, product: &Array) -> Result<()> {
        let vector = &self.state.vector;
        if product.shape() != vector.shape() || product.dtype() != vector.dtype() {
            let kind = if product.shape() == vector.shape() { ErrorKind::Type } else { ErrorKind::Value };
            let message = "a product that has not the shape and the dtype of the vector";
            return Err(Error::new(kind, message).with_op("sparse.linalg.Arnoldi"));
        }
        self.state.step(&product.copy(crate::layout::Order::C)?)
    }

    /// The coefficients of the first `count` steps on the host, by columns.
    pub(super) fn host_columns(&self, count: usize) -> Result<Vec<Vec<Complex64>>> {
        let columns = self.state.columns.index(s![..count as i64])?;
        let width = columns.shape()[1];
        let all: Vec<Complex64> = if columns.dtype() == DType::C128 {
            columns.to_vec()?
        } else {
            columns.to_vec::<f64>()?.into_iter().map(Complex64::from).collect()
        };
        Ok((0..count).map(|j| all[j * width..(j + 1) * width].to_vec()).collect())
    }
}

/// The product of an operator and a preconditioner, which is applied first.
#[derive(Debug)]
pub struct Preconditioned<'a> {
    /// The operator.
    pub a: &'a dyn LinearOperator,
    /// The preconditioner.
    pub m: &'a dyn LinearOperator,
}

impl LinearOperator for Preconditioned<'_> {
    fn shape(&self) -> [usize; 2] {
        [self.a.shape()[0], self.m.shape()[1]]
    }

    fn dtype(&self) -> DType {
        promote_types(self.a.dtype(), self.m.dtype())
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        self.a.matvec(&self.m.matvec(v)?)
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        self.m.rmatvec(&self.a.rmatvec(v)?)
    }

    fn is_capturable(&self) -> bool {
        self.a.is_capturable() && self.m.is_capturable()
    }
}

/// The product of the conjugate transpose of an operator with the operator, or of the operator with its conjugate
/// transpose.
#[derive(Debug)]
pub struct Gram<'a> {
    /// The operator.
    pub a: &'a dyn LinearOperator,
    /// True for the product of the operator with its conjugate transpose.
    pub outer: bool,
}

impl LinearOperator for Gram<'_> {
    fn shape(&self) -> [usize; 2] {
        [self.a.shape()[usize::from(!self.outer)]; 2]
    }

    fn dtype(&self) -> DType {
        self.a.dtype()
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        if self.outer { self.a.matvec(&self.a.rmatvec(v)?) } else { self.a.rmatvec(&self.a.matvec(v)?) }
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        self.matvec(v)
    }

    fn is_capturable(&self) -> bool {
        self.a.is_capturable()
    }
}
