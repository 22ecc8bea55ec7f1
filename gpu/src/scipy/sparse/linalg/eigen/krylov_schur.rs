//! The restarted Krylov iteration of an operator; of a Hermitian one it is the thick-restart Lanczos method with full
//! orthogonalisation.
//!
//! Sources: G. W. Stewart, "A Krylov-Schur Algorithm for Large Eigenproblems", 2001; K. Wu, H. Simon, "Thick-Restart
//! Lanczos Method for Large Symmetric Eigenvalue Problems", 2000.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::super::{Arnoldi, LinearOperator};
use super::Which;
use super::small::{adjoint, columns, device_array, eigenpairs, host, rounding, wide};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::linalg::{QrOptions, eig, qr};
use crate::routines::linalg::{matmul, vdot};
use crate::ufunc::apply;

/// Eigenvalues on the host, their vectors as rows, and which of them have converged.
pub(super) struct Found {
    pub(super) values: Vec<Complex64>,
    pub(super) vectors: Array,
    pub(super) converged: Vec<bool>,
}

impl Found {
    pub(super) fn all_converged(&self) -> bool {
        self.converged.iter().all(|&ok| ok)
    }
}

/// Search for the `count` most wanted eigenvalues.
#[derive(Clone, Copy)]
pub(super) struct Search {
    pub(super) count: usize,
    pub(super) which: Which,
    /// Bound of an error relative to its eigenvalue; 0 for the unit of rounding.
    pub(super) tol: f64,
    /// The most restarts.
    pub(super) maxiter: usize,
}

/// Restarted Krylov iteration.
pub(super) struct Krylov<'a> {
    operator: &'a dyn LinearOperator,
    pub(super) n: usize,
    pub(super) dtype: DType,
    is_hermitian: bool,
    /// The most vectors of the space.
    steps: usize,
    process: Arnoldi,
    /// Ritz values of the last space, the most wanted ones first, and bounds of their errors.
    pub(super) ritz: Vec<Complex64>,
    pub(super) errors: Vec<f64>,
}

impl<'a> Krylov<'a> {
    /// Creates the iteration of a square operator; `locked` is the largest number of vectors that a search stays
    /// orthogonal to.
    pub(super) fn new(
        operator: &'a dyn LinearOperator,
        dtype: DType,
        is_hermitian: bool,
        steps: usize,
        locked: usize,
    ) -> Result<Krylov<'a>> {
        let n = operator.shape()[0];
        let process = Arnoldi::new(dtype, n, steps, locked)?;
        Ok(Krylov { operator, n, dtype, is_hermitian, steps, process, ritz: vec![], errors: vec![] })
    }

    /// Returns the most wanted eigenvalues from a first vector. `locked` has orthonormal rows that the search stays
    /// orthogonal to.
    pub(super) fn run(&mut self, start: &Array, search: Search, locked: Option<&Array>) -> Result<Found> {
        let (m, fixed) = (self.steps, locked.map_or(0, |locked| locked.shape()[0]));
        let mut start = start.clone();
        if let Some(locked) = locked {
            self.process.basis().index(s![..fixed as i64])?.assign(locked)?;
            let conjugate = adjoint(&locked.t())?;
            for _ in 0..2 {
                let projected = matmul(matmul(&conjugate, &start)?, locked)?;
                start = apply("subtract", [(&start).into(), (&projected).into()])?;
            }
        }
        let basis = self.process.basis().index(s![fixed as i64..])?;
        let norm = apply("sqrt", [(&vdot(&start, &start)?.real()).into()])?;
        basis.index(s![0])?.assign(&apply("true_divide", [(&start).into(), (&norm).into()])?)?;
        let eps = rounding(self.dtype);
        let (small, tol) = (eps.powf(2.0 / 3.0), if search.tol == 0.0 { eps } else { search.tol });
        // Columns of the projected operator: those that a restart computes, before those of the process.
        let mut restarted: Vec<Vec<Complex64>> = vec![];
        for iteration in 1.. {
            let kept = restarted.len();
            self.process.extend(self.operator, kept, m, fixed)?;
            let mut h = self.process.host_columns(m)?;
            h[..kept].clone_from_slice(&restarted);
            let (size, used) = self.used(&h, kept)?;
            let (theta, y) = self.decompose(&h, used)?;
            let order = search.which.rank(&theta);
            let row: Vec<Complex64> = h[..used].iter().map(|column| column[used]).collect();
            let row = device_array(y.device(), &row, &[used], wide(self.dtype))?;
            // The space is invariant where it is smaller.
            let last = if used == m { host(&matmul(&row, &y)?)? } else { vec![Complex64::ZERO; used] };
            self.ritz = order.iter().map(|&k| theta[k]).collect();
            self.errors = order.iter().map(|&k| last[k].norm()).collect();
            let wanted = &order[..search.count.min(used)];
            let is_small = |k: usize| last[k].norm() <= tol * theta[k].norm().max(small * size);
            let converged: Vec<bool> = wanted.iter().map(|&k| is_small(k)).collect();
            let count = converged.iter().filter(|&&ok| ok).count();
            if count == wanted.len() || iteration >= search.maxiter || used < m {
                let vectors = self.combined(&columns(&y, wanted)?, &basis)?;
                return Ok(Found { values: wanted.iter().map(|&k| theta[k]).collect(), vectors, converged });
            }
            // Half of the others are kept, too: on clustered spectra that takes fewer products than a third or two
            // thirds.
            let keep = (search.count + count + (m - search.count) / 2).min(m - 1);
            let chosen = &order[..keep];
            let q = columns(&y, chosen)?;
            restarted = vec![vec![Complex64::ZERO; m + 1]; keep];
            let q = if self.is_hermitian {
                for (j, &k) in chosen.iter().enumerate() {
                    (restarted[j][j], restarted[j][keep]) = (theta[k], last[k]);
                }
                q
            } else {
                let (q, _) = qr(&q, QrOptions::default())?;
                let q = q.expect("the mode has orthonormal columns");
                let projected = matmul(matmul(adjoint(&q)?, &self.square(&h, m, y.device())?)?, &q)?;
                let (projected, last) = (host(&projected)?, host(&matmul(&row, &q)?)?);
                for j in 0..keep {
                    (0..keep).for_each(|i| restarted[j][i] = projected[i * keep + j]);
                    restarted[j][keep] = last[j];
                }
                q
            };
            let vectors = self.combined(&q, &basis)?;
            let after = basis.index(s![m as i64])?.copy(Order::C)?;
            basis.index(s![..keep as i64])?.assign(&vectors)?;
            basis.index(s![keep as i64])?.assign(&after)?;
        }
        unreachable!("the iteration ends after the last restart")
    }

    /// The combinations of the first vectors of the basis by the columns of a matrix, as rows.
    fn combined(&self, coefficients: &Array, basis: &Array) -> Result<Array> {
        let count = coefficients.shape()[0] as i64;
        matmul(coefficients.t().cast(self.dtype, Order::C)?, &basis.index(s![..count])?)
    }

    /// The leading part of the projected operator on the device.
    fn square(&self, h: &[Vec<Complex64>], used: usize, device: crate::cuda::Device) -> Result<Array> {
        let elements: Vec<Complex64> = (0..used * used).map(|k| h[k % used][k / used]).collect();
        device_array(device, &elements, &[used, used], wide(self.dtype))
    }

    /// The eigenvalues of the leading part of the projected operator, and its eigenvectors as columns.
    fn decompose(&self, h: &[Vec<Complex64>], used: usize) -> Result<(Vec<Complex64>, Array)> {
        let projected = self.square(h, used, self.process.basis().device())?;
        if self.is_hermitian {
            let (values, vectors) = eigenpairs(&super::small::hermitian_part(&projected)?)?;
            return Ok((values.into_iter().map(Complex64::from).collect(), vectors));
        }
        let (values, vectors) = eig(&projected)?;
        Ok((host(&values)?, vectors))
    }

    /// Returns the norm of the projected operator and the number of its columns before an invariant subspace is
    /// complete; the first `kept` columns are those of a restart.
    fn used(&self, h: &[Vec<Complex64>], kept: usize) -> Result<(f64, usize)> {
        let size = h.iter().flatten().map(Complex64::norm_sqr).sum::<f64>().sqrt();
        if !size.is_finite() {
            let message = "the products of the operator are not finite: its elements must be finite";
            return Err(Error::new(ErrorKind::Value, message));
        }
        let bound = 10.0 * rounding(self.dtype) * size;
        let is_last = |&j: &usize| {
            let row = h[..=j].iter().map(|column| column[j + 1].norm_sqr()).sum::<f64>().sqrt();
            h[j][j + 1].norm() <= bound && row <= bound
        };
        let last = (kept.saturating_sub(1)..h.len()).find(is_last);
        Ok((size, last.map_or(h.len(), |j| j + 1)))
    }
}
