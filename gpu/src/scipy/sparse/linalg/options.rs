//! Options of factorisations.

use cuprum_direct::{LuOptions, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Order of the columns of a factorisation; SciPy's `permc_spec`.
///
/// An order that reduces fill-in makes factors smaller and their computation faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnOrder {
    /// Minimum degree of A + A<sup>T</sup> for a pattern that is nearly symmetric with a full diagonal, otherwise
    /// [`ColumnOrder::Colamd`].
    #[default]
    Automatic,
    /// The order of the matrix.
    Natural,
    /// Approximate minimum degree of A + A<sup>T</sup>.
    MmdAtPlusA,
    /// Approximate minimum degree of the columns: that of [`ColumnOrder::Colamd`].
    MmdAtA,
    /// Approximate minimum degree of the columns.
    Colamd,
}

impl ColumnOrder {
    /// Returns the order of a name: `NATURAL`, `MMD_AT_PLUS_A`, `MMD_ATA` or `COLAMD`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::linalg::ColumnOrder;
    /// assert_eq!(ColumnOrder::named("COLAMD")?, ColumnOrder::Colamd);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another name.
    pub fn named(name: &str) -> Result<ColumnOrder> {
        Ok(match name {
            "NATURAL" => ColumnOrder::Natural,
            "MMD_AT_PLUS_A" => ColumnOrder::MmdAtPlusA,
            "MMD_ATA" => ColumnOrder::MmdAtA,
            "COLAMD" => ColumnOrder::Colamd,
            _ => {
                let message = format!("permc_spec is NATURAL, MMD_ATA, MMD_AT_PLUS_A or COLAMD, not {name:?}");
                return Err(Error::new(ErrorKind::Value, message));
            }
        })
    }

    pub(super) fn ordering(self) -> Ordering {
        match self {
            ColumnOrder::Automatic => Ordering::Automatic,
            ColumnOrder::Natural => Ordering::Natural,
            ColumnOrder::MmdAtPlusA => Ordering::Symmetric,
            ColumnOrder::MmdAtA | ColumnOrder::Colamd => Ordering::Columns,
        }
    }
}

/// Options of [`splu`](super::splu) and of [`spsolve`](super::spsolve).
///
/// The names are SciPy's.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse};
/// use cuprum::scipy::sparse::linalg::{ColumnOrder, FactorOptions, spsolve};
/// let a = Sparse::from_dense(&array([[2.0, 1.0], [1.0, 3.0]])?, Format::Csc)?;
/// let options = FactorOptions { permc_spec: ColumnOrder::Natural, ..FactorOptions::default() };
/// assert!(cuprum::allclose(&spsolve(&a, &array([3.0, 4.0])?, options)?, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorOptions {
    /// The order of the columns. By default [`ColumnOrder::Automatic`].
    pub permc_spec: ColumnOrder,
    /// The element on the diagonal is the pivot if its magnitude is at least this times the largest of its column: by
    /// default 0.1 in the order of a symmetric pattern, and 1 in the other orders.
    pub diag_pivot_thresh: Option<f64>,
    /// True if results repeat to the bit, which is the default and holds for everything but NVIDIA's cuDSS with `false`:
    /// that solves for all right-hand sides in one call then, and takes less time for each.
    pub deterministic: bool,
}

impl Default for FactorOptions {
    fn default() -> Self {
        FactorOptions { permc_spec: ColumnOrder::default(), diag_pivot_thresh: None, deterministic: true }
    }
}

/// Options of [`spilu`](super::spilu).
///
/// The names are SciPy's.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{IncompleteOptions, Trans, spilu};
/// let a = Sparse::from_dense(&array([[2.0, 1e-9], [0.0, 4.0]])?, Format::Csc)?;
/// let lu = spilu(&a, IncompleteOptions { drop_tol: 1e-6, ..Default::default() })?;
/// assert!(cuprum::allclose(&lu.solve(&array([2.0, 4.0])?, Trans::None)?, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncompleteOptions {
    /// Entries whose magnitude is less than this times the largest of their column of a factor are dropped: 1e-4 by
    /// default.
    pub drop_tol: f64,
    /// Upper bound of the number of entries of the factors, as a multiple of that of the matrix: 10 by default.
    pub fill_factor: f64,
    /// The order of the columns.
    pub permc_spec: ColumnOrder,
    /// As in [`FactorOptions`].
    pub diag_pivot_thresh: Option<f64>,
}

crate::array::default_options!(FactorOptions, IncompleteOptions);

impl Default for IncompleteOptions {
    fn default() -> Self {
        IncompleteOptions {
            drop_tol: 1e-4,
            fill_factor: 10.0,
            permc_spec: ColumnOrder::default(),
            diag_pivot_thresh: None,
        }
    }
}

/// Operation on the matrix of a system of equations.
///
/// SciPy's `trans` is `"N"`, `"T"` or `"H"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trans {
    /// The matrix itself.
    #[default]
    None,
    /// Its transpose.
    Transposed,
    /// Its conjugate transpose.
    Adjoint,
}

impl Trans {
    /// Returns the operation of a letter: `N`, `T` or `H`.
    ///
    /// ```
    /// use cuprum::scipy::sparse::linalg::Trans;
    /// assert_eq!(Trans::named("H")?, Trans::Adjoint);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another one.
    pub fn named(letter: &str) -> Result<Trans> {
        match letter {
            "N" => Ok(Trans::None),
            "T" => Ok(Trans::Transposed),
            "H" => Ok(Trans::Adjoint),
            _ => Err(Error::new(ErrorKind::Value, format!("trans must be N, T, or H, not {letter:?}"))),
        }
    }
}

impl FactorOptions {
    pub(super) fn lu_options(self) -> LuOptions {
        LuOptions {
            ordering: self.permc_spec.ordering(),
            diagonal_threshold: self.diag_pivot_thresh,
            ..LuOptions::default()
        }
    }
}
