//! Where NumPy is known to differ from the oracle, or has nothing to compare: each with the reason, and none without need.

use super::compare::Aspect;
use crate::case::Case;
use crate::matrix::{Op, OpKind};
use crate::sample::matches;

/// A difference that is meant.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name.
    pub id: &'static str,
    /// Which versions, by how they begin; all, where empty.
    pub version: &'static str,
    /// The ids of the cases, with `*` for what does not matter.
    pub cases: &'static [&'static str],
    /// The respects in which the sides differ.
    pub aspects: &'static [Aspect],
    /// Why the oracle is right none the less.
    pub reason: &'static str,
}

/// The differences that are meant.
pub const KNOWN: &[Known] = &[
    Known {
        id: "comparison-out-of-range-where-crashes",
        version: "2",
        cases: &["options/less.call/*py(*where=1"],
        aspects: &[Aspect::Outcome],
        reason: "A comparison with an integer that the dtype cannot hold takes a shortcut that forgets the mask: NumPy reads \
             memory that is not its own.",
    },
    Known {
        id: "at-writes-where-nothing-may-be-written",
        version: "2.",
        cases: &["at/*/broadcast*"],
        aspects: &[Aspect::Outcome],
        reason: "One index into a line takes a shortcut that does not ask whether the array may be written to, and where \
                 there are too many indices they are refused first.",
    },
    Known {
        id: "maximum-of-a-signalling-nan",
        version: "2.",
        cases: &["statistics/nanmax/*/bits/*out=*"],
        aspects: &[Aspect::Values],
        reason: "fmax passes over a quiet NaN only, by the C library and the processor; NumPy's own cast of float16 leaves a \
                 signalling one what it is. There is but one NaN here.",
    },
    Known {
        id: "complex-nan-by-the-order-in-memory",
        version: "",
        cases: &["reduction/max/c*", "reduction/min/c*"],
        aspects: &[Aspect::Values],
        reason: "Of several NaNs NumPy takes the first that it meets, and along several axes it goes as they lie in memory. \
                 The ledger has the first by its index.",
    },
    Known {
        id: "complex-numbers-in-bins",
        version: "2.",
        cases: &["histograms/histogram*/c*"],
        aspects: &[Aspect::Outcome],
        reason: "NumPy puts complex numbers into bins in their lexicographic order, and may then write beside the bins. They \
                 are refused here, as documented.",
    },
    Known {
        id: "masks-that-are-none",
        version: "2.",
        cases: &["searching/mask/*"],
        aspects: &[Aspect::Outcome],
        reason: "mask is the half of NumPy's a[m] that takes booleans: another dtype is refused as one that a function does not \
                 have. In NumPy integers are positions, and the rest an IndexError.",
    },
    Known {
        id: "order-of-views-without-elements",
        version: "2.",
        cases: &["statistics/trace/*offset="],
        aspects: &[Aspect::Strides],
        reason: "New arrays without elements have strides of zero in NumPy, and so no order; a diagonal that ends before it \
                 begins has those of its matrix, in whose order its sums lie. Here no array without elements has an order.",
    },
    Known {
        id: "differences-of-sets-that-are-none",
        version: "2.",
        cases: &["sets/setdiff1d/*assume_unique=1"],
        aspects: &[Aspect::Shape, Aspect::Values],
        reason: "The elements are not unique, against what is promised: between neighbours of equal elements NumPy then takes \
                 one of its own for one of the other set's.",
    },
    Known {
        id: "out-of-a-scan-with-more-axes",
        version: "2.",
        cases: &["scans/cumsum/*/more"],
        aspects: &[Aspect::Outcome],
        reason: "NumPy takes an out with more axes, or longer along an axis of length 1, and leaves the rest of it unwritten; \
                 here it has the shape of the operand, as documented.",
    },
    Known {
        id: "scans-of-no-axes-into-an-array-crash",
        version: "2.",
        cases: &["scans/cumsum/*/()/*out=f32/F"],
        aspects: &[Aspect::Outcome],
        reason: "Into an out without axes NumPy's accumulate reads an axis that is not there.",
    },
    Known {
        id: "quantiles-into-a-narrower-array",
        version: "2.",
        cases: &["quantiles/quantile/*into=f32"],
        aspects: &[Aspect::Values],
        reason: "NumPy rounds the upper neighbour and its part of the distance to the dtype of out before it subtracts them; here \
                 the quantile is rounded.",
    },
    Known {
        id: "medians-of-doubled-elements",
        version: "2.",
        cases: &["quantiles/nanmedian/*/special/*", "quantiles/nanmedian/*/special"],
        aspects: &[Aspect::Values],
        reason: "In lines of an array of several axes that are shorter than 600, NumPy halves the sum of the element in the \
                 middle with itself, which may overflow: the run shows that it does not do so elsewhere.",
    },
    Known {
        id: "membership-of-integers-by-their-number",
        version: "2.",
        cases: &["sets/i*/u64-i*", "sets/i*/i64-u64*", "sets/setdiff1d/u64-i*", "sets/setdiff1d/i64-u64*"],
        aspects: &[Aspect::Outcome, Aspect::Shape, Aspect::Values],
        reason: "uint64 and signed integers are compared exactly in isin here; NumPy does that with few elements, and with \
                 more has them in float64. Where that makes two of one operand equal, intersect1d counts the wrong way.",
    },
    Known {
        id: "positions-into-uint64",
        version: "1.",
        cases: &["reduction/arg*;out=u64"],
        aspects: &[Aspect::Outcome],
        reason: "It took an out of uint64, which is not cast to it safely.",
    },
    Known {
        id: "accumulate-into-what-may-not-be-written",
        version: "1.",
        cases: &["methods/*.accumulate/*/broadcast/*out=shifted"],
        aspects: &[Aspect::Outcome],
        reason: "It wrote into an out that may not be written to, where that overlaps the operand.",
    },
    Known {
        id: "remainder-of-the-smallest-integer-crashes",
        version: "1.",
        cases: &["math/remainder/i*/limits", "rational/fmod/i*/limits", "rational/divmod/i*/limits"],
        aspects: &[Aspect::Outcome],
        reason: "The smallest integer by -1 traps in the processor: https://github.com/numpy/numpy/issues/21506.",
    },
    Known {
        id: "inverse-hyperbolic-cosine-of-zero-and-nan",
        version: "1.",
        cases: &["trigonometric/arccosh/c*/special"],
        aspects: &[Aspect::Values],
        reason: "The C library that NumPy 1.22 was built for follows C99, where the imaginary part was NaN too; defect report \
             471 of C11 made it half of pi.",
    },
];

impl Known {
    fn covers(&self, version: &str, id: &str, aspect: Aspect) -> bool {
        version.starts_with(self.version)
            && self.aspects.contains(&aspect)
            && self.cases.iter().any(|pattern| matches(pattern, id))
    }
}

/// The entry that explains a difference.
pub fn explain<'a>(known: &'a [Known], version: &str, id: &str, aspect: Aspect) -> Option<&'a Known> {
    known.iter().find(|k| k.covers(version, id, aspect))
}

/// Functions that a NumPy does not have.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    /// The name.
    pub op: &'static str,
    /// Which versions, by how they begin; all, where empty.
    pub version: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// The functions that a NumPy does not have.
pub const ABSENT: &[Absent] = &[
    Absent { op: "exp10", version: "", reason: "a function of CuPy's" },
    Absent { op: "rsqrt", version: "", reason: "a function of CuPy's" },
    Absent { op: "bitwise_count", version: "1.", reason: "new in 2.0, https://github.com/numpy/numpy/pull/19355" },
];

/// Why a function of this name is missing from a version.
pub fn absent(op: &str, version: &str) -> Option<&'static Absent> {
    ABSENT.iter().find(|a| a.op == op && version.starts_with(a.version))
}

/// Why a case is not for this NumPy at all.
pub fn skipped(op: &Op, case: &Case, version: &str) -> Option<&'static str> {
    if op.kind == OpKind::Routine && version.starts_with("1.") {
        return Some("a routine, whose changes since then the oracle does not know");
    }
    if version.starts_with("1.") && op.kind == OpKind::Reduction && case.params.get("mean").is_some() {
        return Some("a mean that is given: new in 2.0, https://github.com/numpy/numpy/pull/24126");
    }
    if case.family == "special" {
        return Some("a function of SciPy's");
    }
    // Parameters may name the dtype too.
    case.id().contains("bf16").then_some("bfloat16, which NumPy has not")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::proof::Proof;

    #[test]
    fn a_difference_is_explained_by_its_own_entry_only() {
        let explained = |version, id, aspect| explain(KNOWN, version, id, aspect).map(|k| k.id);
        let crash = "options/less.call/i8-py(300)/(5,)/C/small/out=i8/negative;where=1";
        assert_eq!(explained("2.4.6", crash, Aspect::Outcome), Some("comparison-out-of-range-where-crashes"));
        assert_eq!(explained("1.22.4", crash, Aspect::Outcome), None);
        assert_eq!(explained("2.4.6", crash, Aspect::Dtype), None);
        assert_eq!(explained("2.4.6", &crash.replace("where=1", "order=F"), Aspect::Outcome), None);
    }

    #[test]
    fn entries_that_nothing_needs_are_found() {
        let stale = |numpy: &str| Proof { numpy: numpy.into(), ..Proof::default() }.stale();
        let of_new = stale("2.4.6");
        assert!(of_new.iter().any(|s| s.contains("comparison-out-of-range-where-crashes")), "{of_new:?}");
        assert!(of_new.iter().any(|s| s.contains("rsqrt is declared absent")) && of_new.len() == 15, "{of_new:?}");
        let of_old = stale("1.22.4");
        assert!(of_old.iter().any(|s| s.contains("no case needs the change ExactComparison")), "{of_old:?}");
        let one_answer = Proof { evidence: [("why".to_string(), vec!["0".to_string()])].into(), ..Proof::default() };
        assert!(one_answer.stale().iter().any(|s| s.contains("one answer only to: why")));
    }
}
