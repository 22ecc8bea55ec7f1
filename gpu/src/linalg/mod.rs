//! Linear algebra; NumPy's `linalg`.
//!
//! Decompositions are computed by the device's library: cuSOLVER and cuBLAS on a GPU, faer on the simulator. A batch of
//! matrices is one call wherever the library has a batched routine. No function synchronises to learn whether a matrix
//! is singular or not positive definite: the result is then undefined, and the next call that synchronises returns the
//! error, which names the function and the index of the matrix in the batch.
//!
//! Every function takes matrices in the last two axes, with any number of batch axes before them, and matrices of
//! float32, float64, complex64 and complex128; integers and booleans are converted to float64, and float16 is rejected,
//! as in NumPy.
//!
//! | group | functions |
//! |---|---|
//! | systems | [`solve`], [`solve_triangular`], [`lstsq`], [`inv`], [`pinv`], [`tensorsolve`], [`tensorinv`] |
//! | factorisations | [`cholesky`], [`qr`], [`svd`], [`lu`], [`lu_factor`], [`cho_factor`] |
//! | with their factors | [`lu_solve`], [`cho_solve`] |
//! | eigenvalues | [`eig`], [`eigh`], [`eigvals`], [`eigvalsh`], [`svdvals`] |
//! | numbers of a matrix | [`det`], [`slogdet`], [`norm`], [`cond`], [`matrix_rank`] |
//! | powers and products | [`matrix_power`], [`multi_dot`], [`expm`], [`khatri_rao`] |
//! | special matrices | [`toeplitz`], [`hankel`], [`circulant`], [`block_diag`], [`companion`], [`hilbert`], [`pascal`], [`hadamard`], [`dft`] and others |
//!
//! Products such as [`matmul`](crate::matmul()), [`dot`](crate::dot()) and [`einsum`](crate::einsum()) are functions of
//! the crate.
//!
//! ```
//! use cuprum::{array, linalg};
//! let a = array([[2.0, 0.0], [0.0, 4.0]])?;
//! assert_eq!(linalg::solve(&a, array([2.0, 2.0])?)?.to_vec::<f64>()?, [1.0, 0.5]);
//! assert_eq!(linalg::det(&a)?.item::<f64>()?, 8.0);
//! # Ok::<(), cuprum::Error>(())
//! ```

mod bandwidth;
mod deflation;
#[allow(non_snake_case, reason = "a keyword of NumPy's is UPLO")]
mod eigen;
mod exponential;
mod factored;
mod least_squares;
pub(crate) mod least_squares_drivers;
mod linear;
mod matrices;
mod norms;
mod orthogonal;
mod polynomials;
mod powers;
mod scaling;
mod singular;
mod special_matrices;
mod svd_through_eigh;
mod toeplitz;
mod triangular;

pub use bandwidth::bandwidth;
pub use eigen::{EighOptions, Triangle, eig, eigh, eigvals, eigvalsh};
pub use exponential::expm;
pub use factored::{ChoFactorOptions, LuOptions, cho_factor, lu};
pub use least_squares::{Lstsq, LstsqOptions, lstsq};
pub use linear::{CholeskyOptions, cholesky, det, inv, slogdet, solve};
pub use norms::{NormOptions, NormOrder, norm};
pub use orthogonal::{QrMode, QrOptions, qr};
pub use polynomials::{Covariance, Polyfit, PolyfitOptions, polyfit, roots};
pub use powers::{CondOptions, TensorsolveOptions, cond, matrix_power, multi_dot, tensorinv, tensorsolve};
pub use singular::{PinvOptions, RankOptions, Svd, SvdOptions, matrix_rank, pinv, svd, svdvals};
pub use special_matrices::{
    DftScale, HelmertOptions, InvhilbertOptions, PascalKind, PascalOptions, dft, hadamard, helmert, hilbert,
    invhilbert, pascal,
};
pub use toeplitz::{
    ConvolutionPart, RowOptions, block_diag, circulant, companion, convolution_matrix, fiedler, fiedler_companion,
    hankel, khatri_rao, leslie, toeplitz,
};
pub use triangular::{
    ChoSolveOptions, LuSolveOptions, TriangularOptions, cho_solve, lu_factor, lu_solve, solve_triangular,
};
