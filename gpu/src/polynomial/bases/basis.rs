//! Bases of polynomials, each described by its recurrence.

use std::f64::consts::PI;

use crate::array::{Array, AsArray};
use crate::error::Result;

/// A basis of polynomials: the powers, or a family of orthogonal polynomials (NIST Digital Library of Mathematical
/// Functions, tables 18.3.1 and 18.9.1).
///
/// A series in a basis is an array of coefficients, that of the lowest degree first. NumPy's functions of series are in
/// the modules [`polynomial`](super::super::polynomial), [`chebyshev`](super::super::chebyshev),
/// [`legendre`](super::super::legendre), [`laguerre`](super::super::laguerre), [`hermite`](super::super::hermite) and
/// [`hermite_e`](super::super::hermite_e).
///
/// ```
/// use cuprum::{array, polynomial::Basis};
/// // 1 + 2 x + 3 T₂ = -2 + 2 x + 6 x².
/// let powers = Basis::Chebyshev.convert(array([1.0, 2.0, 3.0])?, Basis::Power)?;
/// assert_eq!(powers.to_vec::<f64>()?, [-2.0, 2.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The powers `xᵏ`; NumPy's `Polynomial`.
    Power,
    /// Chebyshev polynomials of the first kind `Tₖ`.
    Chebyshev,
    /// Legendre polynomials `Pₖ`.
    Legendre,
    /// Laguerre polynomials `Lₖ`.
    Laguerre,
    /// Physicists' Hermite polynomials `Hₖ`.
    Hermite,
    /// Probabilists' Hermite polynomials `Heₖ`.
    HermiteE,
}

/// Coefficients of `x B(k) = up B(k + 1) + at B(k) + down B(k - 1)`.
#[derive(Clone, Copy)]
pub(super) struct Recurrence {
    /// Coefficient of the next polynomial.
    pub(super) up: f64,
    /// Coefficient of the polynomial itself.
    pub(super) at: f64,
    /// Coefficient of the one before.
    pub(super) down: f64,
}

impl Basis {
    /// Returns the recurrence of a degree.
    pub(super) fn recurrence(self, k: usize) -> Recurrence {
        let n = k as f64;
        let (up, at, down) = match self {
            Basis::Power => (1.0, 0.0, 0.0),
            Basis::Chebyshev => (if k == 0 { 1.0 } else { 0.5 }, 0.0, 0.5),
            Basis::Legendre => ((n + 1.0) / (2.0 * n + 1.0), 0.0, n / (2.0 * n + 1.0)),
            Basis::Laguerre => (-(n + 1.0), 2.0 * n + 1.0, -n),
            Basis::Hermite => (0.5, 0.0, n),
            Basis::HermiteE => (1.0, 0.0, n),
        };
        Recurrence { up, at, down }
    }

    /// Returns the number of the basis in `include/series.cuh`.
    pub(super) fn number(self) -> u32 {
        self as u32
    }

    /// Returns the integral of the weight function, by which the polynomials are orthogonal; 0 for powers.
    pub(super) fn total_weight(self) -> f64 {
        match self {
            Basis::Power => 0.0,
            Basis::Chebyshev => PI,
            Basis::Legendre => 2.0,
            Basis::Laguerre => 1.0,
            Basis::Hermite => PI.sqrt(),
            Basis::HermiteE => (2.0 * PI).sqrt(),
        }
    }

    /// Returns the interval that NumPy's classes use as the domain of a series by default.
    ///
    /// ```
    /// use cuprum::polynomial::Basis;
    /// assert_eq!(Basis::Chebyshev.domain(), [-1.0, 1.0]);
    /// assert_eq!(Basis::Chebyshev.x(), [0.0, 1.0]);
    /// ```
    pub const fn domain(self) -> [f64; 2] {
        match self {
            Basis::Laguerre => [0.0, 1.0],
            _ => [-1.0, 1.0],
        }
    }

    /// Returns the coefficients of `x`.
    ///
    /// The lowest degree is first. See [`Basis::domain`] for an example.
    ///
    /// ```
    /// use cuprum::polynomial::Basis;
    /// assert_eq!(Basis::Chebyshev.x(), [0.0, 1.0]);
    /// ```
    pub const fn x(self) -> [f64; 2] {
        match self {
            Basis::Laguerre => [1.0, -1.0],
            Basis::Hermite => [0.0, 0.5],
            _ => [0.0, 1.0],
        }
    }

    /// Converts the coefficients of a series to those of the same polynomial in another basis. The result has as many
    /// coefficients, in their floating-point dtype. They are computed on the host in double precision.
    ///
    /// ```
    /// use cuprum::{array, polynomial::Basis};
    /// // T2(x) = 2 x² - 1
    /// let c = Basis::Chebyshev.convert(array([0.0, 0.0, 1.0])?, Basis::Power)?;
    /// assert_eq!(c.to_vec::<f64>()?, [-1.0, 0.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`as_series`](super::super::polyutils::as_series).
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the coefficients.
    pub fn convert(self, c: impl AsArray, to: Basis) -> Result<Array> {
        super::algebra::converted(self, c.as_array(), to).map_err(|e| e.with_op("convert"))
    }

    /// Substitutes a series `inner` in the basis `of` for the variable of a series `c` in this basis. The result is a
    /// series in the basis `of`, in the promoted floating-point dtype, computed on the host in double precision.
    ///
    /// ```
    /// use cuprum::{array, polynomial::Basis};
    /// // (1 + 2 x)² = 1 + 4 x + 4 x².
    /// let square = Basis::Power.compose(array([0.0, 0.0, 1.0])?, Basis::Power, array([1.0, 2.0])?)?;
    /// assert_eq!(square.to_vec::<f64>()?, [1.0, 4.0, 4.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`as_series`](super::super::polyutils::as_series).
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the coefficients.
    pub fn compose(self, c: impl AsArray, of: Basis, inner: impl AsArray) -> Result<Array> {
        super::algebra::composed(self, c.as_array(), of, inner.as_array()).map_err(|e| e.with_op("compose"))
    }
}
