//! Eigenvalues at the ends of a spectrum by subspace iteration with Chebyshev filters, for matrices on which a Krylov
//! iteration converges slowly.
//!
//! Source: Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, "Self-consistent-field calculations using
//! Chebyshev-filtered subspace iteration", Journal of Computational Physics 219, 2006.

use std::cmp::Ordering;

use num_complex::Complex64;

use super::super::super::{CastTo, Sparse};
use super::super::ChebyshevFilter;
use super::Which;
use super::krylov_schur::{Found, Krylov, Search};
use super::small::{
    adjoint, column_norms, columns, eigenpairs, gram, hermitian_part, orthonormalizer, real, rounding, rows,
};
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;
use crate::linalg::{QrOptions, qr};
use crate::random::default_rng;
use crate::routines::linalg::matmul;
use crate::routines::manipulation::concatenate;
use crate::ufunc::apply;

/// Vectors in addition to the wanted ones, which widen the gap that convergence depends on.
const GUARDS: usize = 10;
/// Part of the spectrum's width by which an interval is longer where an end of the spectrum is not wanted.
const MARGIN: f64 = 0.005;
/// Largest degree of a polynomial.
const MOST_DEGREE: f64 = 800.0;
/// Filters that may pass in which the residuals do not halve.
const PATIENCE: usize = 6;

/// A Hermitian operator whose products filters repeat: a sparse matrix, or its product with its conjugate transpose, as
/// for [`ChebyshevFilter::new`].
#[derive(Clone, Copy)]
pub(super) struct Filterable<'a> {
    pub(super) matrix: &'a Sparse,
    pub(super) outer: Option<bool>,
}

/// The number of vectors of a subspace for `k` wanted ones.
fn width(k: usize) -> usize {
    (2 * k).max(k + GUARDS)
}

/// Returns true if the matrix is much larger than the subspace, and a Krylov space of `steps` vectors is not smaller.
pub(super) fn is_possible(n: usize, k: usize, steps: usize) -> bool {
    width(k) <= steps && 4 * width(k) <= n
}

/// Returns the wanted eigenvalues from a filtered subspace at each end of the spectrum that has wanted ones; `None`
/// where filters do not converge. `start` has approximate vectors as rows; `products` bounds the products with the
/// matrix.
pub(super) fn filtered(
    krylov: &Krylov<'_>,
    start: &Array,
    of: Filterable<'_>,
    search: Search,
    products: usize,
) -> Result<Option<Found>> {
    let mut parts = vec![];
    for (is_upper, count) in ends(search, krylov) {
        let mut subspace = Subspace::new(krylov, of, count, is_upper)?;
        let Some(part) = subspace.run(start, krylov, search.tol, products)? else { return Ok(None) };
        parts.push(part);
    }
    let values: Vec<Complex64> = parts.iter().flat_map(|part| part.values.iter().copied()).collect();
    let converged: Vec<bool> = parts.iter().flat_map(|part| part.converged.iter().copied()).collect();
    let vectors = concatenate(parts.iter().map(|part| &part.vectors).collect::<Vec<_>>(), 0)?;
    let chosen = &search.which.rank(&values)[..search.count];
    Ok(Some(Found {
        values: chosen.iter().map(|&k| values[k]).collect(),
        vectors: rows(&vectors, chosen)?,
        converged: chosen.iter().map(|&k| converged[k]).collect(),
    }))
}

/// The ends of the spectrum at which the wanted eigenvalues are, true for the upper one, each with the number of those
/// that are computed there.
fn ends(search: Search, krylov: &Krylov<'_>) -> Vec<(bool, usize)> {
    let k = search.count;
    match search.which {
        Which::BE => [(true, k - k / 2), (false, k / 2)].into_iter().filter(|end| end.1 > 0).collect(),
        Which::LA => vec![(true, k)],
        Which::SA => vec![(false, k)],
        _ => {
            let least = krylov.ritz[k - 1].norm();
            let [low, high] = spectrum(krylov);
            if low > -least {
                vec![(true, k)]
            } else if high < least {
                vec![(false, k)]
            } else {
                vec![(true, k), (false, k)]
            }
        }
    }
}

/// Bounds of the spectrum by the Ritz values and their errors.
fn spectrum(krylov: &Krylov<'_>) -> [f64; 2] {
    let each = || krylov.ritz.iter().zip(&krylov.errors);
    let low = each().map(|(ritz, error)| ritz.re - error).fold(f64::INFINITY, f64::min);
    [low, each().map(|(ritz, error)| ritz.re + error).fold(f64::NEG_INFINITY, f64::max)]
}

/// Ritz values in ascending order, their vectors as columns, and the norms of the residuals.
struct RitzPairs {
    values: Vec<f64>,
    vectors: Array,
    residuals: Vec<f64>,
}

/// A subspace of vectors that is filtered for one end of the spectrum.
///
/// Filtered for both ends at a time, it would contain mixtures, whose Ritz values lead to no interval.
struct Subspace {
    filter: ChebyshevFilter,
    /// Number of wanted vectors.
    k: usize,
    /// Number of all vectors.
    width: usize,
    /// True for the upper end of the spectrum.
    is_upper: bool,
    /// The interval of the unwanted eigenvalues.
    interval: [f64; 2],
    eps: f64,
}

impl Subspace {
    fn new(krylov: &Krylov<'_>, of: Filterable<'_>, k: usize, is_upper: bool) -> Result<Subspace> {
        Ok(Subspace {
            filter: ChebyshevFilter::new(of.matrix, of.outer, width(k))?,
            k,
            width: width(k),
            is_upper,
            interval: [f64::INFINITY, f64::NEG_INFINITY],
            eps: rounding(krylov.dtype),
        })
    }

    /// Widens the interval of the unwanted eigenvalues up to the least wanted Ritz value. No Ritz value is beyond the
    /// eigenvalue that it approximates, so that the interval never contains a wanted one.
    fn tighten(&mut self, ritz: &[f64], [low, high]: [f64; 2]) {
        let ([a, b], margin) = (self.interval, MARGIN * (high - low));
        // The unwanted end is known less well than the wanted one, and what is outside of the interval grows.
        self.interval =
            if self.is_upper { [low - margin, ritz[0].max(b)] } else { [ritz[ritz.len() - 1].min(a), high + margin] };
    }

    /// The degree with which the wanted end of the spectrum grows as much as an orthonormal basis of the filtered
    /// vectors allows; `None` for an empty interval.
    fn degree(&self, [low, high]: [f64; 2]) -> Option<usize> {
        let [a, b] = self.interval;
        let (middle, half) = (f64::midpoint(a, b), (b - a) / 2.0);
        if half.partial_cmp(&(self.eps * low.abs().max(high.abs()))) != Some(Ordering::Greater) {
            return None;
        }
        let end = (if self.is_upper { high - middle } else { middle - low }) / half;
        let degree = (0.2 / self.eps.sqrt()).ln() / end.max(1.0 + 1e-12).acosh();
        Some(degree.clamp(8.0, MOST_DEGREE) as usize)
    }

    /// Returns an orthonormal basis of the columns.
    fn orthonormal(&self, y: &Array) -> Result<Array> {
        let norms = make::of(y.device(), &column_norms(y)?, &[self.width])?.cast(real(y.dtype()), Order::C)?;
        let y = apply("true_divide", [y.into(), (&norms).into()])?;
        let z = orthonormalizer(&y, &y)?;
        if z.shape()[1] == self.width {
            return matmul(&y, z.cast(y.dtype(), Order::C)?);
        }
        Ok(qr(&y, QrOptions::default())?.0.expect("the mode has orthonormal columns"))
    }

    /// Returns the Ritz pairs of an almost orthonormal basis; `None` where the basis is not.
    fn rotate(&self, y: &Array) -> Result<Option<RitzPairs>> {
        let image = self.filter.product(y)?;
        let z = orthonormalizer(y, y)?;
        if z.shape()[1] < self.width {
            return Ok(None);
        }
        let projected = matmul(matmul(adjoint(&z)?, gram(y, &image)?)?, &z)?;
        let (ritz, turn) = eigenpairs(&hermitian_part(&projected)?)?;
        let turn = matmul(&z, &turn)?.cast(y.dtype(), Order::C)?;
        let x = matmul(y, &turn)?;
        let values = make::of(y.device(), &ritz, &[ritz.len()])?.cast(real(y.dtype()), Order::C)?;
        let scaled = apply("multiply", [(&x).into(), (&values).into()])?;
        let residual = apply("subtract", [(&matmul(&image, &turn)?).into(), (&scaled).into()])?;
        Ok(Some(RitzPairs { values: ritz, vectors: x, residuals: column_norms(&residual)? }))
    }

    /// Returns the wanted eigenvalues, or `None` where filters do not converge. `start` has approximate vectors as rows;
    /// `products` bounds the products with the matrix.
    fn run(&mut self, start: &Array, krylov: &Krylov<'_>, tol: f64, products: usize) -> Result<Option<Found>> {
        let mut ritz: Vec<f64> = krylov.ritz.iter().map(|z| z.re).collect();
        ritz.sort_by(f64::total_cmp);
        let mut ritz =
            if self.is_upper { ritz.split_off(ritz.len() - self.width) } else { ritz[..self.width].to_vec() };
        let mut bounds = spectrum(krylov);
        let tol = if tol == 0.0 { self.eps } else { tol };
        let mut x = default_rng(0)?.uniform(-1.0, 1.0, [krylov.n, self.width])?.to_dtype(krylov.dtype)?;
        let known = start.shape()[0].min(self.width) as i64;
        let scaled = apply("multiply", [(&start.index(s![..known])?.t()).into(), (krylov.n as f64).sqrt().into()])?;
        x.index(s![.., ..known])?.assign(&scaled)?;
        let wanted = if self.is_upper { self.width - self.k..self.width } else { 0..self.k };
        let (mut best, mut waited, mut left) = (f64::INFINITY, 0, products);
        loop {
            self.tighten(&ritz, bounds);
            let Some(degree) = self.degree(bounds) else { return Ok(None) };
            self.filter.input().assign(&x)?;
            left = left.saturating_sub(self.filter.run(degree, self.interval)?);
            let basis = self.orthonormal(self.filter.output())?;
            let Some(RitzPairs { values, vectors, residuals }) = self.rotate(&basis)? else { return Ok(None) };
            (ritz, x) = (values, vectors);
            let size = bounds[0].abs().max(bounds[1].abs());
            let ratio = |k: usize| residuals[k] / (tol * ritz[k].abs()).max(16.0 * self.eps * size);
            let converged: Vec<bool> = wanted.clone().map(|k| ratio(k) <= 1.0).collect();
            if converged.iter().all(|&ok| ok) {
                let positions: Vec<usize> = wanted.collect();
                return Ok(Some(Found {
                    values: positions.iter().map(|&k| ritz[k].into()).collect(),
                    vectors: columns(&x, &positions)?.t().copy(Order::C)?,
                    converged,
                }));
            }
            let worst = wanted.clone().map(ratio).fold(0.0, f64::max);
            waited = if worst < best / 2.0 { 0 } else { waited + 1 };
            best = best.min(worst);
            if waited > PATIENCE || !worst.is_finite() || left == 0 {
                return Ok(None);
            }
            let last = self.width - 1;
            bounds = [bounds[0].min(ritz[0] - residuals[0]), bounds[1].max(ritz[last] + residuals[last])];
        }
    }
}
