//! The eigenvalues that are wanted.

use num_complex::Complex64;

/// Eigenvalues that are wanted: SciPy's `which`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// Those of the largest magnitude.
    #[default]
    LM,
    /// Those of the smallest magnitude.
    SM,
    /// The largest ones of a Hermitian matrix.
    LA,
    /// The smallest ones of a Hermitian matrix.
    SA,
    /// Those at both ends of the spectrum of a Hermitian matrix; one more at the upper end for an odd number.
    BE,
    /// Those of the largest real part.
    LR,
    /// Those of the smallest real part.
    SR,
    /// Those of the largest magnitude of the imaginary part.
    LI,
    /// Those of the smallest magnitude of the imaginary part.
    SI,
}

impl Which {
    /// The values for a Hermitian matrix.
    pub(super) const HERMITIAN: [Which; 5] = [Which::LM, Which::SM, Which::LA, Which::SA, Which::BE];
    /// The values for another matrix.
    pub(super) const GENERAL: [Which; 6] = [Which::LM, Which::SM, Which::LR, Which::SR, Which::LI, Which::SI];

    /// The positions of values, the most wanted ones first; equal ones keep their order.
    pub(super) fn rank(self, values: &[Complex64]) -> Vec<usize> {
        let key = |z: Complex64| match self {
            Which::LM => -z.norm(),
            Which::SM => z.norm(),
            Which::LA | Which::LR => -z.re,
            Which::SA | Which::SR | Which::BE => z.re,
            Which::LI => -z.im.abs(),
            Which::SI => z.im.abs(),
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&i, &j| key(values[i]).total_cmp(&key(values[j])));
        if self != Which::BE {
            return order;
        }
        // From both ends in turn, the upper one first.
        let n = order.len();
        (0..n).map(|k| if k % 2 == 0 { order[n - 1 - k / 2] } else { order[k / 2] }).collect()
    }
}
