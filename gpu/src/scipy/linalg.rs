//! Linear algebra functions of `scipy.linalg`. Those that NumPy has as well are in [`cuprum::linalg`](crate::linalg).

pub use crate::linalg::least_squares_drivers::{LapackDriver, ScipyLstsq, ScipyLstsqOptions, lstsq};
pub use crate::linalg::{
    ChoFactorOptions, ChoSolveOptions, ConvolutionPart, DftScale, HelmertOptions, InvhilbertOptions, LuOptions,
    LuSolveOptions, PascalKind, PascalOptions, RowOptions, TriangularOptions, bandwidth, block_diag, cho_factor,
    cho_solve, circulant, companion, convolution_matrix, dft, expm, fiedler, fiedler_companion, hadamard, hankel,
    helmert, hilbert, invhilbert, khatri_rao, leslie, lu, lu_factor, lu_solve, pascal, solve_triangular, toeplitz,
};
pub use crate::routines::creation::{tri, tril, triu};
pub use crate::routines::linalg::kron;
