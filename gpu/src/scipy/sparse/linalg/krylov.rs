//! Krylov methods, whose iterations are repeated on the device.
//!
//! An iteration is a graph whose condition, the norm of the residual, is computed on the device: the host launches once
//! and reads the result, instead of a number in each iteration.
//!
//! Sources: M. R. Hestenes, E. Stiefel, 1952 (conjugate gradients); R. Fletcher, 1976 (biconjugate
//! gradients); P. Sonneveld, 1989 (squared); H. A. van der Vorst, 1992 (stabilised); C. C. Paige, M. A.
//! Saunders, 1975 (minimal residual); R. W. Freund, 1993 (quasi-minimal residual without transposes).
//!
//! Invariant: after the iteration that has met the tolerance, kernels of later iterations of the same graph
//! launch change nothing.

use cuprum_kernels::DType;
use cuprum_kernels::source::{KrylovMethod, KrylovReal, KrylovStep as Step};

use super::super::CastTo;
use super::{LinearOperator, Solution, SolverOptions};
use crate::array::Array;
use crate::cuda::graph::{self, Graph};
use crate::dtype::promote_types;
use crate::engine::krylov::Krylov;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::linalg::vdot;
use crate::ufunc::{UfuncOptions, apply, ufunc};

/// Iterations that are queued between two reads of their flag, at most, where they are not captured.
const MOST_UNREAD: usize = 16;

/// The norm of a vector, of float64, on the device.
pub(super) fn norm(v: &Array) -> Result<Array> {
    apply("sqrt", [(&vdot(v, v)?.real().cast(DType::F64, Order::C)?).into()])
}

/// A system of equations and the state of a method.
struct Iteration<'a> {
    /// The method.
    method: KrylovMethod,
    /// The operator.
    a: &'a dyn LinearOperator,
    /// The preconditioner.
    m: Option<&'a dyn LinearOperator>,
    /// Kernels and scalars of the iteration.
    krylov: Krylov,
    /// Dtype of the vectors.
    dtype: DType,
    /// The current solution.
    x: Array,
    /// Its residual, by the recurrence.
    r: Array,
    /// Other vectors of the method.
    vectors: Vec<Array>,
}

impl Iteration<'_> {
    fn product(&self, v: &Array) -> Result<Array> {
        self.a.matvec(v)?.to_dtype(self.dtype)
    }

    fn preconditioned(&self, v: &Array) -> Result<Array> {
        self.m.map_or_else(|| Ok(v.clone()), |m| m.matvec(v)?.to_dtype(self.dtype))
    }

    fn adjoint_preconditioned(&self, v: &Array) -> Result<Array> {
        self.m.map_or_else(|| Ok(v.clone()), |m| m.rmatvec(v)?.to_dtype(self.dtype))
    }

    fn step(&self, step: Step, vectors: &[&Array]) -> Result<()> {
        self.krylov.step(step, vectors)
    }

    /// Begins anew from the residual `r`.
    fn begin(&self) -> Result<()> {
        let (r, v) = (&self.r, &self.vectors);
        match self.method {
            KrylovMethod::Cg => {
                let z = self.preconditioned(r)?;
                v[0].assign(&z)?;
                self.step(Step::Rho, &[r, &z])
            }
            KrylovMethod::Bicg => {
                let z = self.preconditioned(r)?;
                v[0].assign(r)?;
                v[1].assign(&z)?;
                v[2].assign(&self.adjoint_preconditioned(r)?)?;
                self.step(Step::Rho, &[r, &z])
            }
            KrylovMethod::Cgs | KrylovMethod::Bicgstab => {
                v.iter().try_for_each(|v| v.assign(r))?;
                self.step(Step::Rho, &[r, r])
            }
            KrylovMethod::Minres => {
                let y = self.preconditioned(r)?;
                self.step(Step::Begin, &[r, &y, &v[0], &v[1], &v[2], &v[4]])
            }
            KrylovMethod::Qmr => self.step(Step::Begin, &[r, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]]),
            KrylovMethod::Tfqmr => self.step(Step::Begin, &[r, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]]),
            KrylovMethod::Lsqr | KrylovMethod::Lsmr => Ok(()),
        }
    }

    /// Queues an iteration.
    fn iterate(&self) -> Result<()> {
        let (x, r, v) = (&self.x, &self.r, &self.vectors);
        match self.method {
            KrylovMethod::Cg => {
                let p = &v[0];
                let q = self.product(p)?;
                self.step(Step::Alpha, &[p, &q])?;
                self.step(Step::Update, &[x, r, p, &q])?;
                let z = self.preconditioned(r)?;
                if self.m.is_some() {
                    self.step(Step::Beta, &[r, &z])?;
                }
                self.step(Step::Direction, &[p, &z])
            }
            KrylovMethod::Bicg => {
                let (shadow, p, shadow_p) = (&v[0], &v[1], &v[2]);
                let q = self.product(p)?;
                let shadow_q = self.a.rmatvec(shadow_p)?.to_dtype(self.dtype)?;
                self.step(Step::Alpha, &[shadow_p, &q])?;
                self.step(Step::Update, &[x, r, shadow, p, &q, &shadow_q])?;
                let (z, shadow_z) = (self.preconditioned(r)?, self.adjoint_preconditioned(shadow)?);
                if self.m.is_some() {
                    self.step(Step::Beta, &[shadow, &z])?;
                }
                self.step(Step::Direction, &[p, &z, shadow_p, &shadow_z])
            }
            KrylovMethod::Cgs => {
                let (shadow, p, u, q) = (&v[0], &v[1], &v[2], &v[3]);
                let along = self.product(&self.preconditioned(p)?)?;
                self.step(Step::Alpha, &[shadow, &along])?;
                self.step(Step::Half, &[u, q, &along])?;
                let both = self.preconditioned(u)?;
                let w = self.product(&both)?;
                self.step(Step::Update, &[x, r, shadow, &both, &w])?;
                self.step(Step::Direction, &[p, r, u, q])
            }
            KrylovMethod::Bicgstab => {
                let (shadow, p) = (&v[0], &v[1]);
                let direction = self.preconditioned(p)?;
                let along = self.product(&direction)?;
                self.step(Step::Alpha, &[shadow, &along])?;
                self.step(Step::Half, &[r, &along])?;
                let second = self.preconditioned(r)?;
                let t = self.product(&second)?;
                self.step(Step::Omega, &[r, &t])?;
                self.step(Step::Update, &[x, r, shadow, &direction, &second, &t])?;
                self.step(Step::Direction, &[p, r, &along])
            }
            KrylovMethod::Minres => {
                let (before, w, w_before, unit, y) = (&v[0], &v[1], &v[2], &v[3], &v[4]);
                self.step(Step::Unit, &[unit, if self.m.is_some() { y } else { r }])?;
                self.step(Step::Lanczos, &[unit, &self.product(unit)?, before])?;
                self.step(Step::Update, &[before, r])?;
                if self.m.is_some() {
                    self.step(Step::Rotate, &[r, &self.preconditioned(r)?, y])?;
                }
                self.step(Step::Direction, &[x, unit, w, w_before])
            }
            KrylovMethod::Qmr => {
                let (own, other, p, q, d, s) = (&v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
                self.step(Step::Unit, &[own, other])?;
                self.step(Step::Direction, &[p, q, own, other])?;
                let z = self.preconditioned(p)?;
                let product = self.product(&z)?;
                self.step(Step::Alpha, &[q, &product])?;
                let adjoint = self.adjoint_preconditioned(&self.a.rmatvec(q)?.to_dtype(self.dtype)?)?;
                self.step(Step::Lanczos, &[own, &product, other, &adjoint])?;
                self.step(Step::Update, &[x, r, d, s, &z, &product])
            }
            KrylovMethod::Tfqmr => {
                let (shadow, y, w, along, other, d, s) = (&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]);
                let z = self.preconditioned(y)?;
                let product = self.product(&z)?;
                self.step(Step::Alpha, &[shadow, along, other, &product])?;
                self.step(Step::Rotate, &[shadow, w, d, s, &z, &product])?;
                self.step(Step::Half, &[x, r, d, s, y, along])?;
                let z = self.preconditioned(y)?;
                let product = self.product(&z)?;
                self.step(Step::Rotate, &[shadow, w, d, s, &z, &product])?;
                self.step(Step::Update, &[x, r, d, s, y, w, other, &product])
            }
            KrylovMethod::Lsqr | KrylovMethod::Lsmr => Ok(()),
        }
    }
}

/// The number of iterations of vectors of a length between two tests of the condition of a graph: a test takes as long
/// as a small kernel. After the last iteration the kernels of the others do nothing, and their products with the matrix
/// have no effect.
pub(super) fn iterations_at_once(length: usize) -> usize {
    if length <= 1 << 17 { 4 } else { 1 }
}

/// Repeats iterations until none goes on: on the device if they can be captured, as `captured` keeps them, and else
/// queued ahead.
pub(super) fn repeat(
    krylov: &Krylov,
    is_capturable: bool,
    iteration: &dyn Fn() -> Result<()>,
    captured: &mut Option<Graph>,
) -> Result<()> {
    // The first iteration compiles what it needs and remembers what the matrix needs for products.
    iteration()?;
    if is_capturable && captured.is_none() {
        let each = iterations_at_once(krylov.length());
        let body = || (0..each).try_for_each(|_| iteration());
        *captured = Some(graph::capture(|| graph::repeat_while(&krylov.going, body))?.0);
    }
    loop {
        if let Some(iterations) = &captured {
            iterations.launch()?;
        } else {
            let mut unread = 1;
            while krylov.going.item::<bool>()? {
                (0..unread).try_for_each(|_| iteration())?;
                unread = (2 * unread).min(MOST_UNREAD);
            }
        }
        if !krylov.resumes()? {
            return Ok(());
        }
    }
}

/// The number of vectors of a method besides the solution and the residual.
fn vectors(method: KrylovMethod) -> usize {
    match method {
        KrylovMethod::Cg => 1,
        KrylovMethod::Bicgstab => 2,
        KrylovMethod::Bicg => 3,
        KrylovMethod::Cgs => 4,
        KrylovMethod::Minres => 5,
        KrylovMethod::Qmr => 6,
        KrylovMethod::Tfqmr => 7,
        KrylovMethod::Lsqr | KrylovMethod::Lsmr => 0,
    }
}

/// Writes the residual of `x` to `out`.
fn residual(a: &dyn LinearOperator, b: &Array, x: &Array, shift: f64, out: &Array) -> Result<()> {
    let mut product = a.matvec(x)?.to_dtype(out.dtype())?;
    if shift != 0.0 {
        let shifted = apply("multiply", [x.into(), shift.into()])?;
        product = apply("subtract", [(&product).into(), (&shifted).into()])?;
    }
    ufunc("subtract")?.called(&[b.into(), (&product).into()], &UfuncOptions::new().out(out)).map(drop)
}

/// Rejects a system whose shapes do not fit.
pub(super) fn check_system(
    a: &dyn LinearOperator,
    b: &Array,
    x0: Option<&Array>,
    m: Option<&dyn LinearOperator>,
) -> Result<()> {
    let [rows, columns] = a.shape();
    let fits = |v: &Array| v.shape() == [rows];
    if rows != columns || !fits(b) || !x0.is_none_or(fits) || m.is_some_and(|m| m.shape() != a.shape()) {
        let (b, x0) = (shape_text(b.shape()), x0.map_or("none".into(), |x| shape_text(x.shape())));
        let message = format!(
            "a matrix of shape ({rows},{columns}), b of shape {b} and x0 of shape {x0} do not fit: the matrix and the preconditioner are square, the vectors have its length"
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// The dtype in which a system is solved.
pub(super) fn solver_dtype(a: &dyn LinearOperator, b: &Array) -> DType {
    match promote_types(a.dtype(), b.dtype()) {
        d @ (DType::F32 | DType::F64 | DType::C64 | DType::C128) => d,
        DType::F16 | DType::BF16 => DType::F32,
        _ => DType::F64,
    }
}

/// Solves `a x = b` by a method.
pub(super) fn solve(
    method: KrylovMethod,
    a: &dyn LinearOperator,
    b: &Array,
    options: &SolverOptions<'_>,
) -> Result<Solution> {
    check_system(a, b, options.x0, options.m)?;
    b.device().with(|| iterate(method, a, b, options))
}

fn iterate(method: KrylovMethod, a: &dyn LinearOperator, b: &Array, options: &SolverOptions<'_>) -> Result<Solution> {
    let (device, rows) = (b.device(), b.size());
    let dtype = solver_dtype(a, b);
    let b = b.to_dtype(dtype)?;
    let x = match options.x0 {
        Some(x0) => x0.cast(dtype, Order::C)?,
        None => make::zeros(device, &[rows], dtype)?,
    };
    let shift = if method == KrylovMethod::Minres { options.shift } else { 0.0 };
    let per_row = if method == KrylovMethod::Minres { 5 } else { 10 };
    let most = options.maxiter.unwrap_or(per_row * rows);
    // The next rho of these methods does not depend on the preconditioner.
    let preconditioned = options.m.is_some() && !matches!(method, KrylovMethod::Cgs | KrylovMethod::Bicgstab);
    let krylov = Krylov::new(device, (method, dtype), rows, most, shift, preconditioned)?;
    let size_b = krylov.read(&norm(&b)?)?.1;
    if size_b == 0.0 {
        return Ok(Solution { x: make::zeros(device, &[rows], dtype)?, info: 0 });
    }
    let bound = options.atol.max(options.rtol * size_b);
    let r = krylov.vector()?;
    let vectors = (0..vectors(method)).map(|_| krylov.vector()).collect::<Result<Vec<_>>>()?;
    let state = Iteration { method, a, m: options.m, krylov, dtype, x, r, vectors };
    let capturable = a.is_capturable() && options.m.is_none_or(|m| m.is_capturable());
    let mut captured = None;
    let (mut best, mut stalled, mut starts) = (f64::INFINITY, 0, 0);
    loop {
        residual(a, &b, &state.x, shift, &state.r)?;
        let ([done, _, _, broken], size) = state.krylov.read(&norm(&state.r)?)?;
        if size <= bound {
            return Ok(Solution { x: state.x, info: 0 });
        }
        if method == KrylovMethod::Minres && broken == 1.0 {
            return Err(Error::new(ErrorKind::Value, "indefinite preconditioner: it must be positive definite"));
        }
        stalled = if size < best / 2.0 { 0 } else { stalled + 1 };
        best = best.min(size);
        let ended = !size.is_finite() || done as usize >= most;
        if ended || stalled > 3 {
            let info = if !ended && broken < 0.0 { broken as i64 } else { most.max(1) as i64 };
            return Ok(Solution { x: state.x, info });
        }
        // A preconditioner defines the norm that MINRES knows: once that was not enough, it shall fall further.
        let factor = bound / size * if starts > 0 && preconditioned { 0.1 } else { 1.0 };
        starts += 1;
        state.krylov.set(KrylovReal::Bound, if method == KrylovMethod::Minres { factor } else { bound * bound })?;
        state.krylov.going.assign(true)?;
        state.begin()?;
        repeat(&state.krylov, capturable, &|| state.iterate(), &mut captured)?;
    }
}
