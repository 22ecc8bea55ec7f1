//! Reductions: what each element becomes, how two partial results combine, what is made of the last one.

use std::sync::OnceLock;

use crate::DType;

/// What a partial result is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// A value of this dtype.
    Value(DType),
    /// A value of this dtype and the index at which it stands.
    Indexed(DType),
}

/// The family of a reduction decides its dtypes; see [`ReductionId::resolve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// `sum`, `prod`: narrow integers become 64-bit.
    Accumulate,
    /// `mean`: integers become float64.
    Mean,
    /// `max`, `min`: the dtype of the operand.
    Extreme,
    /// `argmax`, `argmin`: int64.
    Position,
    /// `any`, `all`: bool.
    Truth,
    /// `count_nonzero`: int64.
    Count,
}

/// A reduction: its names and its device expressions.
///
/// In `map` the element is `x` and its index among the reduced elements `i`; in `combine` the partial results are `a`
/// and `b`, `a` being of the earlier elements; in `finish` the result is `a` and the number of elements `n`.
#[derive(Debug)]
pub struct Reduction {
    /// NumPy's name.
    pub name: &'static str,
    /// Other names of the same function.
    pub aliases: &'static [&'static str],
    family: Family,
    combine: &'static str,
    wrapping_combine: &'static str,
    /// The value of an empty reduction, as a device literal; without one, an empty reduction is an error.
    pub identity: Option<&'static str>,
    /// One sentence for the reference.
    pub doc: &'static str,
}

/// One reduction at one dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionLoop {
    /// The dtype that each element is cast to first.
    pub element: DType,
    /// The partial result.
    pub accumulator: Accumulator,
    /// The dtype of the result.
    pub out: DType,
    /// Combines two partial results.
    pub combine: &'static str,
    /// Makes the result of the last partial result.
    pub finish: &'static str,
}

/// A handle to a reduction's record: small, `Copy`, good as a part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReductionId(u16);

const fn reduction(
    name: &'static str,
    family: Family,
    combine: &'static str,
    identity: Option<&'static str>,
    doc: &'static str,
) -> Reduction {
    Reduction { name, aliases: &[], family, combine, wrapping_combine: combine, identity, doc }
}

const REDUCTIONS: &[Reduction] = &[
    Reduction {
        wrapping_combine: "wrapping_add(a, b)",
        ..reduction("sum", Family::Accumulate, "a + b", Some("0"), "The sum of the elements.")
    },
    Reduction {
        wrapping_combine: "wrapping_mul(a, b)",
        ..reduction("prod", Family::Accumulate, "a * b", Some("1"), "The product of the elements.")
    },
    reduction("mean", Family::Mean, "a + b", Some("0"), "The arithmetic mean; NaN of no elements."),
    Reduction {
        aliases: &["amax"],
        ..reduction("max", Family::Extreme, "larger(a, b)", None, "The largest element; the first NaN if there is one.")
    },
    Reduction {
        aliases: &["amin"],
        ..reduction(
            "min",
            Family::Extreme,
            "smaller(a, b)",
            None,
            "The smallest element; the first NaN if there is one.",
        )
    },
    reduction(
        "argmax",
        Family::Position,
        "larger(a, b)",
        None,
        "The index of the first largest element; of the first NaN if there is one.",
    ),
    reduction(
        "argmin",
        Family::Position,
        "smaller(a, b)",
        None,
        "The index of the first smallest element; of the first NaN if there is one.",
    ),
    reduction("any", Family::Truth, "a || b", Some("false"), "Whether any element is non-zero."),
    reduction("all", Family::Truth, "a && b", Some("true"), "Whether every element is non-zero."),
    reduction("count_nonzero", Family::Count, "a + b", Some("0"), "How many elements are non-zero."),
];

impl ReductionId {
    /// The reduction with this name or alias.
    pub fn named(name: &str) -> Option<ReductionId> {
        let at = REDUCTIONS.iter().position(|r| r.name == name || r.aliases.contains(&name))?;
        Some(ReductionId(at as u16))
    }

    /// Every reduction.
    pub fn all() -> impl Iterator<Item = ReductionId> {
        (0..REDUCTIONS.len() as u16).map(ReductionId)
    }

    /// The record.
    pub fn record(self) -> &'static Reduction {
        &REDUCTIONS[self.0 as usize]
    }

    /// The loop for operands of dtype `operand`, or for a result of dtype `asked`; `None` where NumPy has none.
    pub fn resolve(self, operand: DType, asked: Option<DType>) -> Option<ReductionLoop> {
        let record = self.record();
        let wide = |d: DType| match d {
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        };
        let (element, out) = match record.family {
            Family::Accumulate => {
                let d = asked.unwrap_or(match operand {
                    DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
                    DType::U8 | DType::U16 | DType::U32 => DType::U64,
                    other => other,
                });
                (d, d)
            }
            Family::Mean => {
                let d = asked.unwrap_or(if operand.is_float() || operand.is_complex() { operand } else { DType::F64 });
                (d, d)
            }
            Family::Extreme => (operand, operand),
            Family::Position => (operand, DType::I64),
            Family::Truth => (DType::Bool, DType::Bool),
            Family::Count => (DType::Bool, DType::I64),
        };
        let accumulator = match record.family {
            // Order decides which of several complex NaNs is the result: carry the index along.
            Family::Extreme if element.is_complex() => Accumulator::Indexed(element),
            Family::Position => Accumulator::Indexed(wide(element)),
            Family::Count => Accumulator::Value(DType::I64),
            _ => Accumulator::Value(wide(element)),
        };
        let combine = match (record.family, element) {
            (Family::Accumulate, DType::Bool) if record.name == "sum" => "a || b",
            (Family::Accumulate, DType::Bool) => "a && b",
            (Family::Accumulate, d) if d.is_integer() => record.wrapping_combine,
            _ => record.combine,
        };
        let finish = match (record.family, accumulator) {
            (Family::Mean, _) if element.is_complex() => "mean_of(a, n)",
            (Family::Mean, _) if element.is_integer() || element == DType::Bool => "(decltype(a))((f64)a / (f64)n)",
            (Family::Mean, _) => "a / (decltype(a))n",
            // Where nothing was better than the neutral value, all are equal to it, and the first one counts.
            (Family::Position, _) => "a.index == 0x7fffffffffffffffll ? 0 : a.index",
            (Family::Extreme, Accumulator::Indexed(_)) => "a.value",
            _ => "a",
        };
        Some(ReductionLoop { element, accumulator, out, combine, finish })
    }

    /// Every reduction's names, for messages.
    pub fn names() -> &'static str {
        static NAMES: OnceLock<String> = OnceLock::new();
        NAMES.get_or_init(|| REDUCTIONS.iter().map(|r| r.name).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_narrow_integers_are_64_bit() {
        let sum = ReductionId::named("sum").unwrap();
        assert_eq!(sum.resolve(DType::I8, None).unwrap().out, DType::I64);
        assert_eq!(sum.resolve(DType::U16, None).unwrap().out, DType::U64);
        assert_eq!(sum.resolve(DType::F16, None).unwrap().accumulator, Accumulator::Value(DType::F32));
        assert_eq!(sum.resolve(DType::I32, Some(DType::I8)).unwrap().out, DType::I8);
    }

    #[test]
    fn positions_are_int64_and_means_of_integers_float64() {
        assert_eq!(ReductionId::named("argmax").unwrap().resolve(DType::F16, None).unwrap().out, DType::I64);
        assert_eq!(ReductionId::named("mean").unwrap().resolve(DType::Bool, None).unwrap().out, DType::F64);
    }
}
