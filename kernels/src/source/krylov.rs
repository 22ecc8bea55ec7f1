//! Source of the kernels of Krylov methods.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Written, parameters};

/// Threads of a block of the kernels of an iteration.
pub const KRYLOV_THREADS: usize = 256;

/// Vectors of a kernel, at most.
pub const KRYLOV_VECTORS: usize = 8;

/// Begins a unit with the types of `krylov_arithmetic.cuh` for vectors of a dtype, and blocks of this number of threads.
fn arithmetic(dtype: DType, name: &'static str, threads: usize) -> Unit {
    let complex = dtype.is_complex();
    let real = if matches!(dtype, DType::F32 | DType::C64) { "f32" } else { "f64" };
    Unit::new(headers([dtype], false), name)
        .typed("value", dtype.device_name())
        .typed("real", real)
        .typed("wide", if complex { "c128" } else { "f64" })
        .number("THREADS", threads)
        .switch("COMPLEX", complex)
}

parameters! {
    /// Parameters of the kernels of a step of the Arnoldi process.
    ArnoldiParams<P> {
        /// Number of elements of a vector.
        length: usize,
        /// Number of elements of a column of coefficients.
        column_length: usize,
        /// The vectors that are multiplied out, then the basis: rows.
        basis: Written<P> as "value *",
        /// The product of the operator with the last vector of the basis.
        product: Written<P> as "value *",
        /// A copy of the last vector of the basis.
        vector: Written<P> as "value *",
        /// The columns of coefficients.
        columns: Written<P> as "wide *",
        /// The coefficients of the first orthogonalisation, for each row.
        first: Written<P> as "wide *",
        /// Those of the second one.
        second: Written<P> as "wide *",
        /// The vector whose products with all columns are zero.
        left: Written<P> as "wide *",
        /// The scalars of the process: [`ArnoldiReal`].
        reals: Written<P> as "f64 *",
        /// The sums of each block, for each row.
        partials: Written<P> as "wide *",
        /// The number of blocks that have ended.
        ticket: Written<P> as "u32 *",
        /// True while the process goes on.
        going: Written<P> as "bool *",
    }
}

/// Scalars of an Arnoldi process: positions in `ArnoldiParams::reals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArnoldiReal {
    /// The number of the step, from 0 on.
    Step,
    /// The number of steps at which the process ends.
    Limit,
    /// The number of the rows before the basis, to which it stays orthogonal.
    Locked,
    /// The norm of the residual at the beginning.
    Beta,
    /// The norm of the residual at which the process ends.
    Bound,
    /// The square of the norm of the left vector.
    Squares,
    /// The norm of the last vector before it was divided by it.
    Norm,
}

/// Number of the scalars of an Arnoldi process.
pub const ARNOLDI_REALS: usize = 8;

/// Elements of a vector that a block has at a time, of which two threads compute each: few, so that a vector of some ten
/// thousands has a block for each multiprocessor of a large device.
pub const ARNOLDI_SLAB: usize = 256;

/// Threads of a block of the kernels of a step of the Arnoldi process.
pub const ARNOLDI_THREADS: usize = 2 * ARNOLDI_SLAB;

/// The kernels of a step of the Arnoldi process, in their order.
pub const ARNOLDI_KERNELS: [&str; 4] = ["arnoldi_first", "arnoldi_second", "arnoldi_column", "arnoldi_unit"];

/// Returns the source of the kernels of the Arnoldi process for vectors of a dtype: float32, float64, complex64 or complex128.
pub fn arnoldi_source(dtype: DType) -> String {
    arithmetic(dtype, "arnoldi", ARNOLDI_THREADS)
        .number("SLAB", ARNOLDI_SLAB)
        .params(&ArnoldiParams::<()>::default())
        .with(body!("krylov_arithmetic"))
        .with(body!("arnoldi"))
        .finish()
}

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

/// Scalars of a least-squares solver that the host reads or writes: positions in `KrylovParams::reals`, in the order of
/// `include/krylov_least_squares.cuh`. The first ones are those of [`KrylovReal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in include/krylov_least_squares.cuh")]
pub enum LeastSquaresReal {
    Most = 1,
    ATolerance = 5,
    BTolerance = 6,
    Limit = 7,
    SizeB = 8,
    Stop = 9,
    R1Norm = 10,
    R2Norm = 11,
    ANorm = 12,
    ACondition = 13,
    ArNorm = 14,
    XNorm = 15,
    Alpha = 16,
    Beta = 17,
    RhoBar = 18,
    PhiBar = 19,
    Cosine = 24,
    Rho = 26,
    ZetaBar = 31,
    AlphaBar = 32,
    CBar = 33,
    BetaDd = 36,
    RhoD = 38,
    Squares = 42,
    RhoBarLeast = 44,
}

/// Number of the real scalars.
pub const KRYLOV_REALS: usize = 50;

/// Number of the scalars of the dtype of the vectors.
pub const KRYLOV_SCALARS: usize = 8;

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
    /// Quasi-minimal residuals.
    Qmr,
    /// Quasi-minimal residuals without transposes.
    Tfqmr,
    /// Least squares by LSQR.
    Lsqr,
    /// Least squares by LSMR.
    Lsmr,
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
    Left,
    Right,
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
            KrylovMethod::Qmr => "qmr",
            KrylovMethod::Tfqmr => "tfqmr",
            KrylovMethod::Lsqr => "lsqr",
            KrylovMethod::Lsmr => "lsmr",
        }
    }

    /// The kernels of the method.
    pub fn steps(self) -> &'static [KrylovStep] {
        use KrylovStep::{Alpha, Begin, Beta, Direction, Half, Lanczos, Left, Omega, Rho, Right, Rotate, Unit, Update};
        match self {
            KrylovMethod::Cg | KrylovMethod::Bicg => &[Rho, Alpha, Update, Beta, Direction],
            KrylovMethod::Cgs => &[Rho, Alpha, Half, Update, Direction],
            KrylovMethod::Bicgstab => &[Rho, Alpha, Half, Omega, Update, Direction],
            KrylovMethod::Minres => &[Begin, Unit, Lanczos, Update, Rotate, Direction],
            KrylovMethod::Qmr => &[Begin, Unit, Direction, Alpha, Lanczos, Update],
            KrylovMethod::Tfqmr => &[Begin, Alpha, Rotate, Half, Update],
            KrylovMethod::Lsqr | KrylovMethod::Lsmr => &[Left, Unit, Right, Direction],
        }
    }

    /// Returns the source of the kernels for vectors of a dtype: float32, float64, complex64 or complex128.
    pub fn source(self, dtype: DType) -> String {
        let methods = ["CG", "BICG", "CGS", "BICGSTAB", "MINRES", "QMR", "TFQMR", "LSQR", "LSMR"];
        let mut unit = arithmetic(dtype, "krylov", KRYLOV_THREADS);
        for (k, name) in methods.into_iter().enumerate() {
            unit = unit.choice(name, k);
        }
        unit.choice("METHOD", self as usize)
            .params(&KrylovParams::<()>::default())
            .with(body!("krylov_arithmetic"))
            .with(body!("krylov_sweep"))
            .with(match self {
                KrylovMethod::Qmr => body!("krylov_qmr"),
                KrylovMethod::Tfqmr => body!("krylov_tfqmr"),
                KrylovMethod::Lsqr | KrylovMethod::Lsmr => body!("krylov_least_squares"),
                _ => body!("krylov"),
            })
            .finish()
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
            KrylovStep::Left => "krylov_left",
            KrylovStep::Right => "krylov_right",
        }
    }
}
