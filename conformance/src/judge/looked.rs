//! Counts of elements that were compared.

use serde::{Deserialize, Serialize};

/// The elements of a result, and those that were not compared, or not in every respect, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Looked {
    /// All elements.
    pub values: u64,
    /// Not compared: undefined.
    #[serde(skip_serializing_if = "none")]
    pub open: u64,
    /// Not compared: an intermediate rounding may change all of them.
    #[serde(skip_serializing_if = "none")]
    pub unbounded: u64,
    /// Compared only in that neither side is finite.
    #[serde(skip_serializing_if = "none")]
    pub infinite: u64,
    /// Compared except for the sign of a zero.
    #[serde(skip_serializing_if = "none")]
    pub signs: u64,
}

fn none(n: &u64) -> bool {
    *n == 0
}

impl Looked {
    /// Adds the counts of another.
    pub fn add(&mut self, other: &Looked) {
        self.values += other.values;
        self.open += other.open;
        self.unbounded += other.unbounded;
        self.infinite += other.infinite;
        self.signs += other.signs;
    }

    /// Returns true if there was nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.values == 0
    }

    /// Describes what was not compared, by reason, with its fraction of all elements.
    pub fn words(&self) -> String {
        let share = |n: u64| 100.0 * n as f64 / self.values.max(1) as f64;
        let reasons = [
            ("that nothing fixes", self.open),
            ("that a rounding on the way may change", self.unbounded),
            ("only in that they are not finite", self.infinite),
            ("but for the sign of a zero", self.signs),
        ];
        let mut out = format!("{} values; not compared:", self.values);
        for (reason, n) in reasons {
            out += &format!("\n  {n:>9} ({:.3} %) {reason}", share(n));
        }
        out
    }
}
