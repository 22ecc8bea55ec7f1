//! Source of the kernels of Krylov methods.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Written, parameters};

/// Threads of a block: as in `include/krylov.cuh`.
pub const KRYLOV_THREADS: usize = 256;

/// Vectors of a kernel, at most.
pub const KRYLOV_VECTORS: usize = 6;

parameters! {
    /// Parameters of the kernels of an iteration.
    KrylovParams<P> {
        /// Number of elements of a vector.
        length: usize,
        /// The vectors, in the order that the kernel names.
        vectors: [Written<P>; KRYLOV_VECTORS] as "value *",
        /// The real scalars of the iteration: [`KrylovReal`].
        reals: Written<P> as "f64 *",
        /// The scalars of the dtype of the vectors, in double precision.
        scalars: Written<P> as "wide *",
        /// The sums of each block.
        partials: Written<P> as "wide *",
        /// The number of blocks that have ended.
        ticket: Written<P> as "u32 *",
        /// True while the iterations go on.
        going: Written<P> as "bool *",
        /// What is subtracted from the diagonal.
        shift: f64,
        /// True if there is a preconditioner.
        preconditioned: bool,
    }
}

/// Scalars of an iteration that the host reads or writes: positions in `KrylovParams::reals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KrylovReal {
    /// Number of iterations.
    Count,
    /// Largest number of iterations.
    Most,
    /// The square of the norm at which the iterations end; for MINRES the factor by which the norm shall fall.
    Bound,
    /// The kind of a breakdown, or 0.
    Broken,
    /// 1 if the iterations have stopped for the host to look, and are to be continued.
    Paused,
}

/// Number of the real scalars.
pub const KRYLOV_REALS: usize = 24;

/// Krylov method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KrylovMethod {
    /// Conjugate gradients.
    Cg,
    /// Biconjugate gradients.
    Bicg,
    /// Conjugate gradients squared.
    Cgs,
    /// Stabilised biconjugate gradients.
    Bicgstab,
    /// Minimal residuals.
    Minres,
}

/// Kernel of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in include/krylov.cuh")]
pub enum KrylovStep {
    Rho,
    Alpha,
    Beta,
    Update,
    Direction,
    Half,
    Omega,
    Begin,
    Unit,
    Lanczos,
    Rotate,
}

impl KrylovMethod {
    /// The method's name in SciPy.
    pub fn name(self) -> &'static str {
        match self {
            KrylovMethod::Cg => "cg",
            KrylovMethod::Bicg => "bicg",
            KrylovMethod::Cgs => "cgs",
            KrylovMethod::Bicgstab => "bicgstab",
            KrylovMethod::Minres => "minres",
        }
    }

    /// The kernels of the method.
    pub fn steps(self) -> &'static [KrylovStep] {
        use KrylovStep::{Alpha, Begin, Beta, Direction, Half, Lanczos, Omega, Rho, Rotate, Unit, Update};
        match self {
            KrylovMethod::Cg | KrylovMethod::Bicg => &[Rho, Alpha, Update, Beta, Direction],
            KrylovMethod::Cgs => &[Rho, Alpha, Half, Update, Direction],
            KrylovMethod::Bicgstab => &[Rho, Alpha, Half, Omega, Update, Direction],
            KrylovMethod::Minres => &[Begin, Unit, Lanczos, Update, Rotate, Direction],
        }
    }

    /// Returns the source of the kernels for vectors of a dtype: float32, float64, complex64 or complex128.
    pub fn source(self, dtype: DType) -> String {
        let complex = dtype.is_complex();
        let real = if matches!(dtype, DType::F32 | DType::C64) { "f32" } else { "f64" };
        let methods = ["CG", "BICG", "CGS", "BICGSTAB", "MINRES"];
        let mut unit = Unit::new(headers([dtype], false), "krylov")
            .typed("value", dtype.device_name())
            .typed("real", real)
            .typed("wide", if complex { "c128" } else { "f64" })
            .switch("COMPLEX", complex);
        for (k, name) in methods.into_iter().enumerate() {
            unit = unit.choice(name, k);
        }
        unit.choice("METHOD", self as usize).params(&KrylovParams::<()>::default()).with(body!("krylov")).finish()
    }
}

impl KrylovStep {
    /// The name of the kernel.
    pub fn kernel(self) -> &'static str {
        match self {
            KrylovStep::Rho => "krylov_rho",
            KrylovStep::Alpha => "krylov_alpha",
            KrylovStep::Beta => "krylov_beta",
            KrylovStep::Update => "krylov_update",
            KrylovStep::Direction => "krylov_direction",
            KrylovStep::Half => "krylov_half",
            KrylovStep::Omega => "krylov_omega",
            KrylovStep::Begin => "krylov_begin",
            KrylovStep::Unit => "krylov_unit",
            KrylovStep::Lanczos => "krylov_lanczos",
            KrylovStep::Rotate => "krylov_rotate",
        }
    }
}
