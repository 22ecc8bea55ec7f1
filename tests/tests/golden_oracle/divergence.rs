//! Where NumPy 1.22 is not NumPy 2.4.

use cuprum_tests::golden::Case;

/// Why NumPy 1.22 differs from 2.4 in a case, if it is known to.
pub(crate) fn known_divergence(_case: &Case) -> Option<&'static str> {
    None
}
