//! Reductions: the map of an element, the combination of two partial results, and the final function.

use std::sync::OnceLock;

use crate::DType;

/// Type of a partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// A value of this dtype.
    Value(DType),
    /// A value of this dtype and its index.
    Indexed(DType),
    /// A value of this dtype and the number of elements that were combined.
    Counted(DType),
    /// The number of elements, their mean in this dtype and the sum of their squared deviations from it.
    Moments(DType),
}

/// Family of a reduction, which decides its dtypes; see [`ReductionId::resolve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// `sum`, `prod`: narrow integers become 64-bit.
    Accumulate,
    /// `mean`: integers become float64.
    Mean,
    /// `var`, `std`: as `mean`, but complex numbers have real results; `std` takes the root.
    Moments { root: bool },
    /// `max`, `min`: the dtype of the operand.
    Extreme,
    /// `argmax`, `argmin`: int64.
    Position,
    /// `any`, `all`: bool.
    Truth,
    /// `count_nonzero`: int64.
    Count,
    /// Sums and extremes of magnitudes: real, integers become float64.
    Norm,
}

/// Operation that combines two partial results; its neutral element belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The larger one.
    Larger,
    /// The smaller one.
    Smaller,
    /// Logical or.
    Or,
    /// Logical and.
    And,
}

impl Combination {
    /// Returns the ufunc that combines two elements in this way.
    pub fn ufunc(self) -> &'static str {
        match self {
            Combination::Sum => "add",
            Combination::Product => "multiply",
            Combination::Larger => "maximum",
            Combination::Smaller => "minimum",
            Combination::Or => "logical_or",
            Combination::And => "logical_and",
        }
    }
}

/// Record of a reduction: names and device expressions.
///
/// In `map` the element is `x`; in `finish` the partial result is `a` and the number of elements `n`.
#[derive(Debug)]
pub struct Reduction {
    /// NumPy's name.
    pub name: &'static str,
    /// Other names of the same function.
    pub aliases: &'static [&'static str],
    family: Family,
    /// Combination of partial results.
    pub combination: Combination,
    /// The map that is applied to an element first, as a device expression.
    pub map: &'static str,
    finish: &'static str,
    /// True if NaN elements are ignored.
    pub skips_nan: bool,
    /// The result of an empty reduction, as a device literal; without one, an empty reduction is an error.
    pub identity: Option<&'static str>,
    /// One sentence for the reference.
    pub doc: &'static str,
    /// An example for the reference: `call => element type results`, as in a program that imports the function and
    /// `array`.
    pub example: &'static str,
    /// Special values and neighbouring functions, for the reference; may be empty.
    pub notes: &'static str,
}

impl Reduction {
    /// Adds an example and notes to a record; see [`Reduction::example`] and [`Reduction::notes`].
    const fn explained(self, example: &'static str, notes: &'static str) -> Reduction {
        Reduction { example, notes, ..self }
    }
}

/// Loop of a reduction for one operand dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionLoop {
    /// The dtype that each element is cast to first.
    pub element: DType,
    /// The partial result.
    pub accumulator: Accumulator,
    /// The dtype of the result.
    pub out: DType,
    /// Device expression that computes the result from the last partial result.
    pub finish: &'static str,
}

/// Handle to a reduction's record: small and `Copy`, suitable as a part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReductionId(u16);

const fn reduction(name: &'static str, family: Family, combination: Combination, doc: &'static str) -> Reduction {
    Reduction {
        name,
        aliases: &[],
        family,
        combination,
        map: "x",
        finish: "a",
        skips_nan: false,
        identity: None,
        doc,
        example: "",
        notes: "",
    }
}

const SUM: Reduction = Reduction {
    identity: Some("0"),
    ..reduction(
        "sum",
        Family::Accumulate,
        Combination::Sum,
        "The sum of the elements; narrow integers give 64-bit ones, float16 and bfloat16 are gathered in \
         float32.",
    )
};
const PROD: Reduction = Reduction {
    identity: Some("1"),
    ..reduction(
        "prod",
        Family::Accumulate,
        Combination::Product,
        "The product of the elements; narrow integers give 64-bit ones.",
    )
};
const MEAN: Reduction = Reduction {
    identity: Some("0"),
    ..reduction(
        "mean",
        Family::Mean,
        Combination::Sum,
        "The arithmetic mean; of integers, float64; NaN of no elements.",
    )
};
const VAR: Reduction = Reduction {
    identity: Some("0"),
    finish: "a.squares / degrees",
    ..reduction(
        "var",
        Family::Moments { root: false },
        Combination::Sum,
        "The variance: the mean squared deviation from the mean; real, also of complex numbers. `ddof` is \
         taken from the number of elements first.",
    )
};
const STD: Reduction = Reduction {
    family: Family::Moments { root: true },
    finish: "sqrt(a.squares / degrees)",
    doc: "The standard deviation: the root of the variance.",
    name: "std",
    ..VAR
};
const MAX: Reduction =
    reduction("max", Family::Extreme, Combination::Larger, "The largest element; the first NaN if there is one.");
const MIN: Reduction =
    reduction("min", Family::Extreme, Combination::Smaller, "The smallest element; the first NaN if there is one.");
const ARGMAX: Reduction = reduction(
    "argmax",
    Family::Position,
    Combination::Larger,
    "The index of the first largest element; of the first NaN if there is one.",
);
const ARGMIN: Reduction = reduction(
    "argmin",
    Family::Position,
    Combination::Smaller,
    "The index of the first smallest element; of the first NaN if there is one.",
);

/// Returns the record of a reduction that ignores NaN, derived from another.
const fn skipping(name: &'static str, of: Reduction, doc: &'static str) -> Reduction {
    Reduction { name, aliases: &[], skips_nan: true, doc, example: "", notes: "", ..of }
}

const REDUCTIONS: &[Reduction] = &[
    SUM.explained(
        "sum(array([[1.0, 2.0], [3.0, 4.0]])?, 0)? => f64 [4.0, 6.0]",
        "Integers wrap in 64 bits. Floats are added in another order than NumPy's, so that the last bits may differ. \
         `nansum` ignores NaN.",
    ),
    PROD.explained(
        "prod(array([[1.0, 2.0], [3.0, 4.0]])?, 1)? => f64 [2.0, 12.0]",
        "Integers wrap in 64 bits. `nanprod` ignores NaN.",
    ),
    MEAN.explained(
        "mean(array([1.0, 2.0, 6.0])?, ())? => f64 [3.0]",
        "float16 and bfloat16 are gathered in float32 and rounded once. `nanmean` ignores NaN.",
    ),
    VAR.explained(
        "var(array([1.0, 3.0])?, ())? => f64 [1.0]",
        "The deviations are gathered around partial means (Chan, Golub and LeVeque), not as a difference of \
         two large sums. A divisor that is not positive results in NaN or an infinity. `nanvar` ignores NaN.",
    ),
    STD.explained(
        "std(array([1.0, 3.0])?, ())? => f64 [1.0]",
        "Same as `var`, with a square root at the end. `nanstd` ignores NaN.",
    ),
    Reduction { aliases: &["amax"], ..MAX }.explained(
        "max(array([[1.0, 7.0], [5.0, 3.0]])?, 1)? => f64 [7.0, 5.0]",
        "Complex numbers compare lexicographically. `nanmax` ignores NaN.",
    ),
    Reduction { aliases: &["amin"], ..MIN }.explained(
        "min(array([[1.0, 7.0], [5.0, 3.0]])?, 1)? => f64 [1.0, 3.0]",
        "Complex numbers compare lexicographically. `nanmin` ignores NaN.",
    ),
    ARGMAX.explained(
        "argmax(array([[1.0, 7.0], [5.0, 3.0]])?, 1)? => i64 [1, 0]",
        "Without an axis the index is that of the flattened array in C order.",
    ),
    ARGMIN.explained(
        "argmin(array([[1.0, 7.0], [5.0, 3.0]])?, 1)? => i64 [0, 1]",
        "Without an axis the index is that of the flattened array in C order.",
    ),
    Reduction {
        identity: Some("false"),
        ..reduction("any", Family::Truth, Combination::Or, "Tests for any non-zero element.")
    }
    .explained("any(array([0, 2])?, ())? => bool [true]", "NaN counts as true."),
    Reduction {
        identity: Some("true"),
        ..reduction("all", Family::Truth, Combination::And, "Tests for all elements being non-zero.")
    }
    .explained("all(array([0, 2])?, ())? => bool [false]", "NaN counts as true."),
    Reduction {
        identity: Some("0"),
        ..reduction("count_nonzero", Family::Count, Combination::Sum, "Number of non-zero elements.")
    }
    .explained("count_nonzero(array([0, 2, 3])?, ())? => i64 [2]", "NaN counts as non-zero."),
    skipping("nansum", SUM, "The sum of the elements that are not NaN.").explained(
        "nansum(array([1.0, f64::NAN, 2.0])?, ())? => f64 [3.0]",
        "Of NaN alone it is 0. Integers and booleans have no NaN: `sum` of them.",
    ),
    skipping("nanprod", PROD, "The product of the elements that are not NaN.").explained(
        "nanprod(array([3.0, f64::NAN, 2.0])?, ())? => f64 [6.0]",
        "Of NaN alone it is 1. Integers and booleans have no NaN: `prod` of them.",
    ),
    skipping("nanmean", MEAN, "The arithmetic mean of the elements that are not NaN.").explained(
        "nanmean(array([1.0, f64::NAN, 2.0])?, ())? => f64 [1.5]",
        "Of NaN alone it is NaN, without NumPy's warning.",
    ),
    skipping("nanvar", VAR, "The variance of the elements that are not NaN; NaN where too few are left.").explained(
        "nanvar(array([1.0, f64::NAN, 3.0])?, ())? => f64 [1.0]",
        "Without NumPy's warning where too few elements are left.",
    ),
    skipping("nanstd", STD, "The standard deviation of the elements that are not NaN; NaN where too few are left.")
        .explained(
            "nanstd(array([1.0, f64::NAN, 3.0])?, ())? => f64 [1.0]",
            "Without NumPy's warning where too few elements are left.",
        ),
    skipping("nanmax", MAX, "The largest element that is not NaN; NaN where all are.").explained(
        "nanmax(array([1.0, f64::NAN, 3.0])?, ())? => f64 [3.0]",
        "Without NumPy's warning where all elements are NaN.",
    ),
    skipping("nanmin", MIN, "The smallest element that is not NaN; NaN where all are.").explained(
        "nanmin(array([1.0, f64::NAN, 3.0])?, ())? => f64 [1.0]",
        "Without NumPy's warning where all elements are NaN.",
    ),
    skipping(
        "nanargmax",
        ARGMAX,
        "The index of the first largest element that is not NaN; a slice of NaN alone is an error. \
         Synchronises to check for one.",
    )
    .explained("nanargmax(array([1.0, f64::NAN, 3.0])?, ())? => i64 [2]", ""),
    skipping(
        "nanargmin",
        ARGMIN,
        "The index of the first smallest element that is not NaN; a slice of NaN alone is an error. \
         Synchronises to check for one.",
    )
    .explained("nanargmin(array([1.0, f64::NAN, 3.0])?, ())? => i64 [0]", ""),
];

/// Internal reductions, which have no NumPy name.
const INTERNAL: &[Reduction] = &[
    Reduction {
        map: "is_nan(x)",
        ..reduction("all_nan", Family::Truth, Combination::And, "Whether every element is NaN.")
    },
    Reduction {
        map: "magnitude_of(x)",
        ..reduction("norm_1", Family::Norm, Combination::Sum, "The sum of the magnitudes.")
    },
    Reduction {
        map: "square_of(x)",
        finish: "sqrt(a)",
        ..reduction("norm_2", Family::Norm, Combination::Sum, "The root of the sum of the squared magnitudes.")
    },
    Reduction {
        map: "magnitude_of(x)",
        ..reduction("norm_inf", Family::Norm, Combination::Larger, "The largest magnitude.")
    },
    Reduction {
        map: "square_of(x)",
        ..reduction("square_sum", Family::Norm, Combination::Sum, "The sum of the squared magnitudes.")
    },
];

impl ReductionId {
    /// Returns the reduction with this name or alias.
    pub fn named(name: &str) -> Option<ReductionId> {
        let mut records = REDUCTIONS.iter().chain(INTERNAL);
        let at = records.position(|r| r.name == name || r.aliases.contains(&name))?;
        Some(ReductionId(at as u16))
    }

    /// Iterates over the reductions that have a NumPy name.
    pub fn all() -> impl Iterator<Item = ReductionId> {
        (0..REDUCTIONS.len() as u16).map(ReductionId)
    }

    /// Returns the record.
    pub fn record(self) -> &'static Reduction {
        let at = self.0 as usize;
        REDUCTIONS.get(at).unwrap_or_else(|| &INTERNAL[at - REDUCTIONS.len()])
    }

    /// Returns true if the reduction ignores NaN elements of this dtype.
    pub fn skips(self, operand: DType) -> bool {
        self.record().skips_nan && (operand.is_float() || operand.is_complex())
    }

    /// Returns true if the result is an index.
    pub fn is_position(self) -> bool {
        self.record().family == Family::Position
    }

    /// Returns true if it has a `dtype` parameter.
    pub fn takes_dtype(self) -> bool {
        matches!(self.record().family, Family::Accumulate | Family::Mean | Family::Moments { .. })
    }

    /// Returns true if it has an `initial` parameter.
    pub fn takes_initial(self) -> bool {
        matches!(self.record().family, Family::Accumulate | Family::Extreme)
    }

    /// Returns true if the elements are added to 0, so that a sum of negative zeros, and an empty one, is 0.
    pub fn adds_to_zero(self) -> bool {
        self.takes_initial() && self.record().combination == Combination::Sum
    }

    /// Returns true if it is a product. As in NumPy a product of complex numbers starts with 1, which makes a part of
    /// an infinite number NaN.
    pub fn multiplies(self) -> bool {
        self.record().combination == Combination::Product
    }

    /// Returns true if it combines magnitudes.
    pub fn is_norm(self) -> bool {
        self.record().family == Family::Norm
    }

    /// Returns true if it combines booleans.
    pub fn is_truth(self) -> bool {
        self.record().family == Family::Truth
    }

    /// Returns true if it counts elements.
    pub fn is_count(self) -> bool {
        self.record().family == Family::Count
    }

    /// Returns true if it is a variance or a standard deviation.
    pub fn is_variance(self) -> bool {
        matches!(self.record().family, Family::Moments { .. })
    }

    /// Returns true if it is a standard deviation.
    pub fn is_deviation(self) -> bool {
        self.record().family == Family::Moments { root: true }
    }

    /// Returns true if it is a maximum or a minimum.
    pub fn is_extreme(self) -> bool {
        self.record().family == Family::Extreme
    }

    /// Returns true if it is a mean or is computed from one.
    pub fn is_mean(self) -> bool {
        matches!(self.record().family, Family::Mean | Family::Moments { .. })
    }

    /// Returns the loop for operands of dtype `operand`, or for the requested result dtype `result_dtype`, with or without a
    /// mask; `None` if NumPy has none.
    pub fn resolve(self, operand: DType, result_dtype: Option<DType>, masked: bool) -> Option<ReductionLoop> {
        let record = self.record();
        let wide = |d: DType| match d {
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        };
        // Accumulators have at least four bytes.
        let of_words = |d: DType| match d {
            DType::Bool | DType::U8 | DType::U16 => DType::U32,
            DType::I8 | DType::I16 => DType::I32,
            other => other,
        };
        let inexact = |d: DType| if d.is_float() || d.is_complex() { d } else { DType::F64 };
        let (element, out) = match record.family {
            Family::Accumulate => {
                let d = result_dtype.unwrap_or(match operand {
                    DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
                    DType::U8 | DType::U16 | DType::U32 => DType::U64,
                    other => other,
                });
                (d, d)
            }
            Family::Mean => {
                let d = result_dtype.unwrap_or(inexact(operand));
                (d, d)
            }
            Family::Moments { .. } => {
                let d = result_dtype.unwrap_or(inexact(operand));
                if !d.is_float() && !d.is_complex() {
                    return None;
                }
                (d, result_dtype.unwrap_or(d.real()))
            }
            Family::Norm => (inexact(operand), inexact(operand).real()),
            Family::Extreme => (operand, operand),
            Family::Position => (operand, DType::I64),
            Family::Truth if record.map == "x" => (DType::Bool, DType::Bool),
            Family::Truth => (operand, DType::Bool),
            Family::Count => (DType::Bool, DType::I64),
        };
        let some = masked || self.skips(operand);
        let accumulator = match record.family {
            // The order decides which of several complex NaNs is the result: the index is part of the accumulator.
            Family::Extreme if element.is_complex() => Accumulator::Indexed(element),
            Family::Position => Accumulator::Indexed(of_words(wide(element))),
            Family::Mean if some => Accumulator::Counted(wide(element)),
            Family::Moments { .. } => Accumulator::Moments(wide(element)),
            Family::Truth => Accumulator::Value(DType::Bool),
            Family::Count => Accumulator::Value(DType::I64),
            Family::Norm => Accumulator::Value(wide(element.real())),
            _ => Accumulator::Value(wide(element)),
        };
        let finish = match (record.family, accumulator) {
            (Family::Mean, _) if element.is_complex() => "mean_of(a, n)",
            (Family::Mean, _) if element == DType::Bool => "(decltype(a))((f64)a / (f64)n)",
            // Casts follow those of arrays: the mean of no elements is NaN.
            (Family::Mean, _) if element.is_integer() => {
                "((decltype(a))-1 > (decltype(a))0 ? (decltype(a))__double2ull_rz((f64)a / (f64)n) \
                 : (decltype(a))__double2ll_rz((f64)a / (f64)n))"
            }
            // A sum of negative zeros is 0.
            (Family::Mean, _) => "(a + (decltype(a))0) / (decltype(a))n",
            // If no element was better than the neutral value, all are equal to it, and the first one is the result.
            (Family::Position, _) => "a.index == NOWHERE ? 0 : a.index",
            (Family::Extreme, Accumulator::Indexed(_)) => "a.value",
            _ => record.finish,
        };
        Some(ReductionLoop { element, accumulator, out, finish })
    }

    /// Returns every reduction's names, for error messages.
    pub fn names() -> &'static str {
        static NAMES: OnceLock<String> = OnceLock::new();
        NAMES.get_or_init(|| REDUCTIONS.iter().map(|r| r.name).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::UfuncId;

    #[test]
    fn functions_and_their_reductions_name_each_other() {
        for op in UfuncId::all() {
            let Some(name) = op.record().folds.reduction else { continue };
            let reduction = ReductionId::named(name).expect(name);
            assert_eq!(reduction.record().combination.ufunc(), op.record().name);
        }
    }

    #[test]
    fn sums_of_narrow_integers_are_64_bit() {
        let sum = ReductionId::named("sum").unwrap();
        assert_eq!(sum.resolve(DType::I8, None, false).unwrap().out, DType::I64);
        assert_eq!(sum.resolve(DType::U16, None, false).unwrap().out, DType::U64);
        assert_eq!(sum.resolve(DType::F16, None, false).unwrap().accumulator, Accumulator::Value(DType::F32));
        assert_eq!(sum.resolve(DType::I32, Some(DType::I8), false).unwrap().out, DType::I8);
    }

    #[test]
    fn the_variance_of_complex_numbers_is_real() {
        let var = ReductionId::named("var").unwrap();
        assert_eq!(var.resolve(DType::C64, None, false).unwrap().out, DType::F32);
        assert_eq!(var.resolve(DType::F16, None, false).unwrap().accumulator, Accumulator::Moments(DType::F32));
        assert_eq!(var.resolve(DType::F64, Some(DType::I64), false), None);
    }

    #[test]
    fn what_is_passed_over_is_not_counted() {
        let resolve = |name: &str, d, masked| ReductionId::named(name).unwrap().resolve(d, None, masked).unwrap();
        assert_eq!(resolve("nanmean", DType::F32, false).accumulator, Accumulator::Counted(DType::F32));
        assert_eq!(resolve("nanmean", DType::I8, false).accumulator, Accumulator::Value(DType::F64));
        assert_eq!(resolve("mean", DType::I8, true).accumulator, Accumulator::Counted(DType::F64));
    }

    #[test]
    fn positions_are_int64_and_means_of_integers_float64() {
        assert_eq!(ReductionId::named("argmax").unwrap().resolve(DType::F16, None, false).unwrap().out, DType::I64);
        assert_eq!(ReductionId::named("mean").unwrap().resolve(DType::Bool, None, false).unwrap().out, DType::F64);
    }
}
