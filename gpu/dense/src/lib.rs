//! Dense linear algebra on the CPU with LAPACK's conventions: contiguous column-major matrices, one-based pivots, and
//! an integer status. It is the solver of the simulated device.
//!
//! The implementation is faer's, in float64 and complex128 only. Its generic code is instantiated here once and
//! compiled with optimisation.

mod eigen;
mod householder;
mod linear;
mod svd;

/// A complex number of float64 parts.
pub type Complex = num_complex::Complex<f64>;

/// The transposition of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transpose {
    /// Not transposed.
    None,
    /// Transposed.
    Transposed,
    /// Transposed and conjugated.
    Adjoint,
}

/// The singular vectors to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// None.
    None,
    /// As many as there are singular values.
    Thin,
    /// A complete orthonormal basis.
    Full,
}

/// The two element types and the operations on matrices of them. `info` is LAPACK's: 0 on success, otherwise the
/// one-based index of the failure.
pub trait Element: Copy + std::fmt::Debug {
    /// Computes the Cholesky factor of an `n` by `n` matrix in the triangle that is read. The other triangle is
    /// unchanged.
    fn potrf(upper: bool, n: usize, a: &mut [Self]) -> i32;
    /// Computes the LU factors of an `m` by `n` matrix with row exchanges.
    fn getrf(m: usize, n: usize, a: &mut [Self], pivots: &mut [i64]) -> i32;
    /// Solves for `k` columns with the factors of [`Element::getrf`].
    fn getrs(transpose: Transpose, n: usize, k: usize, a: &[Self], pivots: &[i64], b: &mut [Self]);
    /// Solves for `k` columns with a triangular matrix.
    fn trsm(upper: bool, transpose: Transpose, unit: bool, n: usize, k: usize, a: &[Self], b: &mut [Self]);
    /// Computes the QR factors of an `m` by `n` matrix as reflectors and a triangle; `tau` has as many elements as the
    /// shorter side.
    fn geqrf(m: usize, n: usize, a: &mut [Self], tau: &mut [Self]);
    /// Computes the first `n` columns of the product of `k` reflectors of `m` elements, which it overwrites.
    fn orgqr(m: usize, n: usize, k: usize, a: &mut [Self], tau: &[Self]);
    /// Computes the singular values, in descending order, and vectors of an `m` by `n` matrix: `u` by columns, `vt` by
    /// rows.
    fn gesvd(m: usize, n: usize, vectors: Vectors, a: &[Self], s: &mut [f64], u: &mut [Self], vt: &mut [Self]) -> i32;
    /// Computes the eigenvalues, in ascending order, and vectors of a Hermitian matrix in place; only one triangle is
    /// read.
    fn syevd(upper: bool, vectors: bool, n: usize, a: &mut [Self], w: &mut [f64]) -> i32;
    /// Computes the eigenvalues and the eigenvectors of length one. For a pair of complex values, the real columns are
    /// the real and imaginary parts of the first vector.
    fn geev(vectors: bool, n: usize, a: &[Self], w: &mut [Complex], v: &mut [Self]) -> i32;
}

macro_rules! element {
    ($($of:ty: $geev:path),+) => {$(
        impl Element for $of {
            fn potrf(upper: bool, n: usize, a: &mut [Self]) -> i32 {
                linear::potrf(upper, n, a)
            }
            fn getrf(m: usize, n: usize, a: &mut [Self], pivots: &mut [i64]) -> i32 {
                linear::getrf(m, n, a, pivots)
            }
            fn getrs(transpose: Transpose, n: usize, k: usize, a: &[Self], pivots: &[i64], b: &mut [Self]) {
                linear::getrs(transpose, [n, k], a, pivots, b);
            }
            fn trsm(upper: bool, transpose: Transpose, unit: bool, n: usize, k: usize, a: &[Self], b: &mut [Self]) {
                linear::trsm(upper, transpose, unit, [n, k], a, b);
            }
            fn geqrf(m: usize, n: usize, a: &mut [Self], tau: &mut [Self]) {
                householder::geqrf(m, n, a, tau);
            }
            fn orgqr(m: usize, n: usize, k: usize, a: &mut [Self], tau: &[Self]) {
                householder::orgqr(m, n, k, a, tau);
            }
            fn gesvd(
                m: usize, n: usize, vectors: Vectors, a: &[Self], s: &mut [f64], u: &mut [Self], vt: &mut [Self],
            ) -> i32 {
                svd::gesvd([m, n], vectors, a, s, u, vt)
            }
            fn syevd(upper: bool, vectors: bool, n: usize, a: &mut [Self], w: &mut [f64]) -> i32 {
                eigen::syevd(upper, vectors, n, a, w)
            }
            fn geev(vectors: bool, n: usize, a: &[Self], w: &mut [Complex], v: &mut [Self]) -> i32 {
                $geev(vectors, n, a, w, v)
            }
        }
    )+};
}
element!(f64: eigen::real, Complex: eigen::complex);

/// Operations that the algorithms require of an element.
trait Number:
    faer::traits::ComplexField<Real = f64>
    + faer::traits::Conjugate<Canonical = Self>
    + Copy
    + PartialEq
    + std::ops::Mul<Output = Self>
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::Mul<f64, Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    fn conjugate(self) -> Self;
    fn real_part(self) -> f64;
    fn magnitude(self) -> f64;
    /// Returns the quantity that LAPACK compares in a pivot search: for a complex number, the sum of the magnitudes of
    /// its parts.
    fn weight(self) -> f64;
    fn over(self, other: Self) -> Self;
    fn of(x: f64) -> Self;
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    fn conjugate(self) -> f64 {
        self
    }
    fn real_part(self) -> f64 {
        self
    }
    fn magnitude(self) -> f64 {
        self.abs()
    }
    fn weight(self) -> f64 {
        self.abs()
    }
    fn over(self, other: f64) -> f64 {
        self / other
    }
    fn of(x: f64) -> f64 {
        x
    }
}

impl Number for Complex {
    const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    const ONE: Complex = Complex { re: 1.0, im: 0.0 };
    fn conjugate(self) -> Complex {
        self.conj()
    }
    fn real_part(self) -> f64 {
        self.re
    }
    fn magnitude(self) -> f64 {
        self.norm()
    }
    fn weight(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
    fn over(self, other: Complex) -> Complex {
        self / other
    }
    fn of(x: f64) -> Complex {
        Complex { re: x, im: 0.0 }
    }
}

/// Returns true if all elements are finite: other matrices have no decomposition, and an iteration on them might not
/// terminate.
fn all_finite<T: Number>(a: &[T]) -> bool {
    a.iter().all(|x| x.magnitude().is_finite() || (x.real_part().is_finite() && x.magnitude() == f64::INFINITY))
}
