//! The NumPy version whose behaviour is followed: 2.4, or 1.22 where that is requested.

use std::cell::Cell;

/// A version of NumPy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumpyVersion {
    /// The oldest that is followed: value-based promotion.
    V1_22,
    /// The current one.
    #[default]
    V2_4,
}

/// A change of NumPy's behaviour between 1.22 and 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Scalars and arrays without axes are not promoted by their value.
    Promotion,
    /// Signed and unsigned integers compare exactly, not as `float64`.
    ExactComparison,
    /// Only `bool` is accepted as the dtype of a comparison; NumPy 1.22 accepts any, without effect.
    ComparisonDtype,
    /// `floor`, `ceil`, `trunc` and `fix` keep the dtype of integers and booleans; in NumPy 1.22 they return floats.
    IntegerRounding,
    /// The sign of a complex number is its direction; in NumPy 1.22 it is the sign of its real part, or of its
    /// imaginary one.
    ComplexSign,
    /// The smallest integer divided by -1 is itself; in NumPy 1.22 it is 0.
    DivisionOverflow,
    /// Zero to a complex power with a positive real part is 0; in NumPy 1.22 it is NaN where there is an imaginary
    /// part.
    PowerOfZero,
    /// A sum with an initial value of -0 is -0 where all elements are; in NumPy 1.22 it is 0 along some axes.
    SumOfZeros,
    /// `sinc` of a `float16` zero is 1; in NumPy 1.22 it is NaN.
    HalfSinc,
    /// A range of more than two booleans is a `TypeError`; in NumPy 1.22 it is a `ValueError`.
    BooleanRange,
    /// `repr` includes the shape of an array that is not printed in full.
    ShapeInRepr,
    /// The narrow floats are written with an exponent as soon as their digits end.
    ShortFloats,
}

impl Change {
    /// All changes.
    pub const ALL: [Change; 12] = [
        Change::Promotion,
        Change::ExactComparison,
        Change::ComparisonDtype,
        Change::IntegerRounding,
        Change::ComplexSign,
        Change::DivisionOverflow,
        Change::PowerOfZero,
        Change::SumOfZeros,
        Change::HalfSinc,
        Change::BooleanRange,
        Change::ShapeInRepr,
        Change::ShortFloats,
    ];

    /// Returns the version that introduced it.
    pub fn since(self) -> &'static str {
        match self {
            Change::DivisionOverflow | Change::PowerOfZero | Change::SumOfZeros => "1.23",
            Change::ComparisonDtype | Change::BooleanRange => "1.24",
            Change::ExactComparison => "1.25",
            Change::Promotion | Change::ComplexSign => "2.0",
            Change::IntegerRounding => "2.1",
            Change::ShapeInRepr => "2.2",
            Change::HalfSinc | Change::ShortFloats => "2.3",
        }
    }

    /// Returns the citation.
    pub fn cite(self) -> &'static str {
        match self {
            Change::Promotion => "https://numpy.org/neps/nep-0050-scalar-promotion.html",
            Change::ExactComparison => "https://github.com/numpy/numpy/pull/23713",
            Change::ComparisonDtype => "https://github.com/numpy/numpy/pull/22541",
            Change::IntegerRounding => "https://github.com/numpy/numpy/pull/26766",
            Change::ComplexSign => "https://github.com/numpy/numpy/pull/25441",
            Change::DivisionOverflow => "https://github.com/numpy/numpy/pull/21507",
            Change::PowerOfZero => "https://github.com/numpy/numpy/pull/18535",
            Change::SumOfZeros => "https://github.com/numpy/numpy/pull/21218",
            Change::HalfSinc => "https://github.com/numpy/numpy/pull/27784",
            Change::BooleanRange => "https://github.com/cupy/cupy/pull/7394",
            Change::ShapeInRepr => "https://github.com/numpy/numpy/pull/27482",
            Change::ShortFloats => "https://github.com/numpy/numpy/pull/28703",
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

thread_local! {
    /// The changes that do not apply, and those that were queried.
    static OLD: Cell<u32> = const { Cell::new(0) };
    static CONSULTED: Cell<u32> = const { Cell::new(0) };
}

/// Returns true if a change applies.
pub(crate) fn has(change: Change) -> bool {
    CONSULTED.set(CONSULTED.get() | change.bit());
    OLD.get() & change.bit() == 0
}

/// Restores the previous state, even if a call panics.
struct Restore(u32);

impl Drop for Restore {
    fn drop(&mut self) {
        OLD.set(self.0);
    }
}

/// Calls `f`, during which the oracle on this thread behaves as this version of NumPy.
pub fn with_version<T>(version: NumpyVersion, f: impl FnOnce() -> T) -> T {
    with_changes(version, &[], f)
}

/// Calls `f` like [`with_version`], with some changes already applied, to test their effect.
pub fn with_changes<T>(version: NumpyVersion, made: &[Change], f: impl FnOnce() -> T) -> T {
    let made = made.iter().fold(0, |bits, change| bits | change.bit());
    let old = match version {
        NumpyVersion::V1_22 => Change::ALL.into_iter().fold(0, |bits, change| bits | change.bit()) & !made,
        NumpyVersion::V2_4 => 0,
    };
    let _restore = Restore(OLD.replace(old));
    f()
}

/// Calls `f`, and returns the changes that may have affected its result.
pub fn trace_changes<T>(f: impl FnOnce() -> T) -> (T, Vec<Change>) {
    let before = CONSULTED.replace(0);
    let out = f();
    let consulted = CONSULTED.replace(before | CONSULTED.get());
    (out, Change::ALL.into_iter().filter(|change| consulted & change.bit() != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_has_its_own_citation_and_a_version_between_the_two() {
        let mut cites: Vec<&str> = Change::ALL.iter().map(|c| c.cite()).collect();
        cites.sort_unstable();
        cites.dedup();
        assert_eq!(cites.len(), Change::ALL.len());
        assert!(cites.iter().all(|cite| cite.starts_with("https://")));
        assert!(Change::ALL.iter().all(|c| ("1.23".."2.5").contains(&c.since())));
    }

    #[test]
    fn a_version_holds_inside_its_call_only() {
        assert!(has(Change::Promotion));
        with_version(NumpyVersion::V1_22, || {
            assert!(!has(Change::Promotion) && !has(Change::ComplexSign));
            with_version(NumpyVersion::V2_4, || assert!(has(Change::Promotion)));
            with_changes(NumpyVersion::V1_22, &[Change::Promotion], || {
                assert!(has(Change::Promotion) && !has(Change::ComplexSign));
            });
            assert!(!has(Change::Promotion));
        });
        assert!(has(Change::Promotion));
    }

    #[test]
    fn what_was_asked_about_is_known() {
        let (truth, changes) = trace_changes(|| has(Change::HalfSinc));
        assert_eq!((truth, changes), (true, vec![Change::HalfSinc]));
        assert_eq!(trace_changes(|| ()).1, []);
    }
}
