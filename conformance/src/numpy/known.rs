//! Cases in which NumPy has nothing to compare, each with the reason. Differences are in the ledger.

use cuprum_kernels::DType;

use super::Worker;
use crate::case::{Case, Operand};
use crate::matrix::{Op, OpKind};

/// Functions that a NumPy does not have.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    /// The name.
    pub op: &'static str,
    /// The versions, by prefix; all, if empty.
    pub version: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// The functions that a NumPy does not have.
pub const ABSENT: &[Absent] = &[
    Absent { op: "sparse.binary", version: "", reason: "functions that are no operators of SciPy's sparse arrays" },
    Absent { op: "sparse.reduce", version: "", reason: "any, which SciPy's sparse arrays have not" },
    Absent { op: "sparse.sort_indices", version: "", reason: "sorted duplicates, whose order is SciPy's own" },
    Absent {
        op: "sparse.broadcast_to",
        version: "",
        reason: "a function of the library's, within products of elements",
    },
    Absent { op: "exp10", version: "", reason: "a function of CuPy's" },
    Absent { op: "rsqrt", version: "", reason: "a function of CuPy's" },
    Absent { op: "objects", version: "", reason: "integers beyond 64 bits, as Python's objects" },
    Absent { op: "asfarray", version: "2.", reason: "gone in 2.0, https://github.com/numpy/numpy/pull/24321" },
    Absent { op: "row_stack", version: "2.5", reason: "gone in 2.5, https://github.com/numpy/numpy/pull/30463" },
    Absent { op: "bitwise_count", version: "1.", reason: "new in 2.0, https://github.com/numpy/numpy/pull/19355" },
];

/// Returns the reason why a function of this name is missing from a version.
pub fn absent(op: &str, version: &str) -> Option<&'static Absent> {
    ABSENT.iter().find(|a| a.op == op && version.starts_with(a.version))
}

/// Routines that the oracle implements as in 1.22.
const OLD: [&str; 18] = [
    "searchsorted",
    "extract",
    "count_nonzero",
    "argwhere",
    "compress",
    "digitize",
    "flatnonzero",
    "cumprod",
    "nancumsum",
    "nancumprod",
    "diff",
    "ediff1d",
    "sort",
    "argsort",
    "lexsort",
    "sort_complex",
    "partition",
    "argpartition",
];

/// Returns the reason why a case is not executed with this NumPy.
pub fn skipped(op: &Op, case: &Case, worker: &Worker) -> Option<&'static str> {
    let old = worker.version.starts_with("1.");
    let routine = op.kind == OpKind::Routine || op.name.ends_with("etitem.arrays");
    if old && routine && !OLD.contains(&op.name.as_str()) {
        return Some("a routine, whose changes since then the oracle does not know");
    }
    if old && op.kind == OpKind::Reduction && case.params.get("mean").is_some() {
        return Some("a mean that is given: new in 2.0, https://github.com/numpy/numpy/pull/24126");
    }
    if op.kind == OpKind::Sparse {
        if !worker.has_sparse {
            return Some("sparse arrays, which this SciPy has not");
        }
        // Parameters may name the dtype too.
        if case.id().contains("f16") {
            return Some("sparse arrays of float16 or bfloat16, which SciPy has not");
        }
    }
    if op.kind == OpKind::Spatial {
        return Some("a structure of points, which is judged by what defines it");
    }
    if matches!(case.family.as_str(), "ndimage" | "signal" | "spatial") {
        if !worker.has_scipy {
            return Some("a function of SciPy's");
        }
        if let Some(reason) = other_in_scipy(op, case) {
            return Some(reason);
        }
        if case.id().contains("f16") {
            return Some("images of float16 or bfloat16, which SciPy does not filter");
        }
        if op.name.contains("correlate") && case.dtypes().iter().any(|dtype| dtype.is_complex()) {
            return Some("complex weights, which are filtered as their parts in Python");
        }
        let wide = case.dtypes().iter().any(|dtype| matches!(dtype, DType::I64 | DType::U64));
        if wide && case.values.to_string() != "small" {
            return Some("integers beyond 53 bits, which SciPy converts to float64");
        }
    }
    if case.family == "special" {
        return Some("a function of SciPy's");
    }
    // Parameters may name the dtype too.
    if !case.id().contains("bf16") {
        return None;
    }
    if !worker.has_bfloat16 {
        return Some("bfloat16, which NumPy has not");
    }
    own_bfloat16(op, case).then_some("bfloat16, which ml_dtypes has in ways of its own there")
}

/// Returns the reason why SciPy's result of a spline, a statistic of labels or a linear filter is another one.
fn other_in_scipy(op: &Op, case: &Case) -> Option<&'static str> {
    let is = |end: &str| op.name.ends_with(end);
    let order = case.params.parsed::<i64>("order").ok().flatten().unwrap_or(3);
    if !(0..=5).contains(&order) || (is("spline_filter") && order < 2) {
        return Some("an order that no spline has, for which SciPy raises RuntimeError");
    }
    if case.params.get("mode") == Some("reflect") && order > 1 && (is("spline_filter") || is("zoom")) {
        return Some("splines of short lines, whose recurrence SciPy before 1.18 starts from a truncated sum");
    }
    if is("ndimage.median") {
        return Some("labels that do not occur, whose median is any number in SciPy");
    }
    if is("minimum_position") {
        return Some("the position of one of several minima, which is any of them in SciPy");
    }
    if is("distance.cdist") || is("distance.pdist") {
        if case.dtypes().contains(&DType::F32) {
            return Some("distances of float32, which SciPy computes in float64");
        }
        if case.params.get("p").is_some_and(|p| p.starts_with('-')) {
            return Some("an exponent below 0, which SciPy does not reject");
        }
    }
    if is("lfilter") || is("sosfilt") {
        if case.dtypes().contains(&DType::F32) {
            return Some("filters of float32, whose sums SciPy computes in float32");
        }
        if is("sosfilt") && case.params.get("axis").is_some() {
            return Some("results that SciPy stores with the filtered axis last");
        }
    }
    None
}

/// Elementwise functions for which ml_dtypes has no bfloat16, or other signs of zeros.
const OWN_BFLOAT16: [&str; 13] = [
    "i0",
    "sinc",
    "degrees",
    "radians",
    "rad2deg",
    "deg2rad",
    "nextafter",
    "spacing",
    "sign",
    "nan_to_num",
    "float_power",
    "ldexp",
    "where",
];

/// Returns true if ml_dtypes deviates: it rounds twice from numbers with more digits than float32, and at each step of
/// a sum, rejects a bfloat16 with a Python float, and sorts NaNs in any position.
fn own_bfloat16(op: &Op, case: &Case) -> bool {
    use OpKind::{Cast, Getitem, Manipulation, Operator, Setitem, Ufunc};
    let is_wide = |dtype: &DType| dtype.size() > 4 || matches!(dtype, DType::I32 | DType::U32);
    let wide = || case.dtypes().iter().any(is_wide);
    match op.kind {
        Ufunc | Operator => {
            let numbers = case.operands.iter().any(|operand| matches!(operand, Operand::Scalar(_)));
            numbers || OWN_BFLOAT16.contains(&op.name.as_str())
        }
        Cast | Setitem => wide(),
        Getitem | Manipulation => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::Matrix;
    use crate::numpy::compare::Aspect;
    use crate::numpy::proof::Proof;

    #[test]
    fn a_difference_is_explained_by_its_own_entry_only() {
        let matrix = Matrix::built_in().unwrap();
        let explained = |version, id: &str, aspect| {
            matrix.divergences.iter().find(|d| d.explains(version, id, aspect)).map(|d| d.id.as_str())
        };
        let crash = "options/less.call/i8-py(300)/(5,)/C/small/out=i8/negative;where=1";
        assert_eq!(explained("2.4.6", crash, Aspect::Outcome), Some("comparison-out-of-range-where-crashes"));
        assert_eq!(explained("1.22.4", crash, Aspect::Outcome), None);
        assert_eq!(explained("2.4.6", crash, Aspect::Dtype), None);
        assert_eq!(explained("2.4.6", &crash.replace("where=1", "order=F"), Aspect::Outcome), None);
    }

    #[test]
    fn entries_that_nothing_needs_or_that_are_old_are_found() {
        let matrix = Matrix::built_in().unwrap();
        let stale = |numpy: &str, day: &str| Proof { numpy: numpy.into(), ..Proof::default() }.stale(&matrix, day);
        let of_new = stale("2.4.6", "2026-01-01");
        assert!(of_new.iter().any(|s| s.contains("comparison-out-of-range-where-crashes")), "{of_new:?}");
        assert!(of_new.iter().any(|s| s.contains("rsqrt is declared absent")), "{of_new:?}");
        assert!(!of_new.iter().any(|s| s.contains("expired")), "{of_new:?}");
        assert!(stale("2.4.6", "2099-01-01").iter().any(|s| s.contains("expired")));
        let of_old = stale("1.22.4", "2026-01-01");
        assert!(of_old.iter().any(|s| s.contains("no case needs the change ExactComparison")), "{of_old:?}");
        let one_answer = Proof { evidence: [("why".to_string(), vec!["0".to_string()])].into(), ..Proof::default() };
        assert!(one_answer.stale(&matrix, "").iter().any(|s| s.contains("one answer only to: why")));
    }
}
