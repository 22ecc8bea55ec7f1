//! The distributions of random numbers: one record for each, from which the kernel, the validation of its parameters
//! and the Python functions follow.

/// Constraint on a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Any number.
    Any,
    /// 0 or more.
    NotNegative,
    /// More than 0.
    Positive,
    /// From 0 to 1, both included.
    Share,
    /// More than 0 and at most 1.
    PositiveShare,
    /// At least 0 and less than 1.
    BelowOne,
    /// More than 1.
    AboveOne,
    /// From 0 to the largest mean whose counts fit in 64 bits.
    Mean,
    /// From 0 to a billion.
    Billion,
}

impl Rule {
    /// Returns true if a number satisfies the rule.
    pub fn holds(self, x: f64) -> bool {
        match self {
            Rule::Any => true,
            Rule::NotNegative => x >= 0.0,
            Rule::Positive => x > 0.0,
            Rule::Share => (0.0..=1.0).contains(&x),
            Rule::PositiveShare => x > 0.0 && x <= 1.0,
            Rule::BelowOne => (0.0..1.0).contains(&x),
            Rule::AboveOne => x > 1.0,
            Rule::Mean => (0.0..=9.223372006484771e18).contains(&x),
            Rule::Billion => (0.0..=1e9).contains(&x),
        }
    }

    /// Returns the rule as a condition in device code.
    fn condition(self, x: &str) -> String {
        match self {
            Rule::Any => "true".into(),
            Rule::NotNegative => format!("{x} >= 0"),
            Rule::Positive => format!("{x} > 0"),
            Rule::Share => format!("{x} >= 0 && {x} <= 1"),
            Rule::PositiveShare => format!("{x} > 0 && {x} <= 1"),
            Rule::BelowOne => format!("{x} >= 0 && {x} < 1"),
            Rule::AboveOne => format!("{x} > 1"),
            Rule::Mean => format!("{x} >= 0 && {x} <= 9.223372006484771e18"),
            Rule::Billion => format!("{x} >= 0 && {x} <= 1e9"),
        }
    }

    /// Returns the rule in words, to follow "it must be".
    pub fn text(self) -> &'static str {
        match self {
            Rule::Any => "a number",
            Rule::NotNegative => "0 or more",
            Rule::Positive => "more than 0",
            Rule::Share => "from 0 to 1",
            Rule::PositiveShare => "more than 0 and at most 1",
            Rule::BelowOne => "from 0 on and less than 1",
            Rule::AboveOne => "more than 1",
            Rule::Mean => "from 0 to 9.2e18",
            Rule::Billion => "from 0 to 1e9",
        }
    }
}

/// Conversion of a block of generator words that is done before the distribution's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// None: each element has a block of its own, and as many more as it needs.
    Own,
    /// Words: of 32 bits for dtypes of up to 4 bytes, of 64 bits for others.
    Words,
    /// Words of 64 bits.
    Wide,
    /// Numbers of 16 bits, two from each word.
    Short,
    /// Normal numbers: of float64 for float64, of float32 for narrower dtypes.
    Normal,
    /// Normal numbers of float64.
    WideNormal,
    /// Exponential numbers: of float64 for float64, of float32 for narrower dtypes.
    Exponential,
    /// Positions in a permutation of all integers below the first parameter: four per thread, from one pair of blocks.
    Positions,
}

/// Kind of a distribution's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Floats: float64 unless another dtype is requested.
    Floats,
    /// Counts: int64 unless another dtype is requested.
    Counts,
    /// Integers of any dtype, with bounds of their own type.
    Integers,
    /// Booleans.
    Truths,
}

/// A parameter of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct DistributionParameter {
    /// NumPy's name.
    pub name: &'static str,
    /// NumPy's default.
    pub default: Option<f64>,
    /// The constraint on its value.
    pub rule: Rule,
}

/// Joint constraint on several parameters.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The condition, in device code of `a`, `b` and `c`.
    pub condition: &'static str,
    /// The same condition in Rust.
    pub holds: fn([f64; 3]) -> bool,
    /// The error text if the condition does not hold.
    pub says: &'static str,
}

/// Record of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Distribution {
    /// NumPy's name of the function.
    pub name: &'static str,
    /// The parameters, three at most: `a`, `b` and `c` in device code.
    pub parameters: &'static [DistributionParameter],
    /// Conversion of the generator's words.
    pub raw: Raw,
    /// Kind of the results.
    pub gives: Gives,
    /// Device code over `x`, the converted words, the parameters, and `d`, which generates more words.
    pub code: &'static str,
    /// Joint constraint on the parameters.
    pub joint: Option<Joint>,
    /// The device type that generates most elements of a large call: same results as `code`, in fewer instructions.
    pub quick: &'static str,
}

const fn of(name: &'static str, rule: Rule) -> DistributionParameter {
    DistributionParameter { name, default: None, rule }
}

const fn or(name: &'static str, default: f64, rule: Rule) -> DistributionParameter {
    DistributionParameter { name, default: Some(default), rule }
}

const fn distribution(
    name: &'static str,
    parameters: &'static [DistributionParameter],
    raw: Raw,
    gives: Gives,
    code: &'static str,
) -> Distribution {
    let quick = if matches!(raw, Raw::Own) { "quick_own" } else { "quick_distribution" };
    Distribution { name, parameters, raw, gives, code, joint: None, quick }
}

use Gives::{Counts, Floats, Integers, Truths};
use Rule::{AboveOne, Any, BelowOne, Billion, Mean, NotNegative, Positive, PositiveShare, Share};

/// Every distribution.
pub static DISTRIBUTIONS: &[Distribution] = &[
    distribution("bits", &[], Raw::Words, Integers, "(number)x"),
    distribution("keys", &[], Raw::Own, Integers, "(number)distinct_key(p, e)"),
    Distribution {
        quick: "quick_positions",
        ..distribution("positions", &[of("many", Any)], Raw::Positions, Integers, "(number)x")
    },
    distribution("random", &[], Raw::Words, Floats, "unit<element>(x)"),
    distribution("random_full", &[], Raw::Words, Floats, "full_unit<element>(x, d)"),
    Distribution {
        joint: Some(Joint {
            condition: "b - a >= 0 && b - a <= 1.7976931348623157e308",
            holds: |[low, high, _]| (0.0..=f64::MAX).contains(&(high - low)),
            says: "`high - low` must be 0 or more, and finite",
        }),
        ..distribution(
            "uniform",
            &[or("low", 0.0, Any), or("high", 1.0, Any)],
            Raw::Words,
            Floats,
            "a + (b - a) * unit<compute>(x)",
        )
    },
    Distribution {
        joint: Some(Joint {
            condition: "a <= b && (number)(element)a == a && (number)(element)b == b",
            holds: |[low, last, _]| low <= last,
            says: "`low` must be less than `high`, and both must be within the dtype",
        }),
        quick: "quick_integers",
        ..distribution("integers", &[of("low", Any), of("last", Any)], Raw::Words, Integers, "between(x, a, b, d)")
    },
    Distribution {
        quick: "quick_truths",
        ..distribution("bernoulli", &[or("p", 0.5, Share)], Raw::Short, Truths, "happens(x, a, d)")
    },
    distribution("standard_normal", &[], Raw::Normal, Floats, "x"),
    distribution("normal", &[or("loc", 0.0, Any), or("scale", 1.0, NotNegative)], Raw::Normal, Floats, "a + b * x"),
    distribution("standard_exponential", &[], Raw::Exponential, Floats, "x"),
    distribution("exponential", &[or("scale", 1.0, NotNegative)], Raw::Exponential, Floats, "a * x"),
    distribution(
        "lognormal",
        &[or("mean", 0.0, Any), or("sigma", 1.0, NotNegative)],
        Raw::WideNormal,
        Floats,
        "exp(a + b * x)",
    ),
    distribution(
        "laplace",
        &[or("loc", 0.0, Any), or("scale", 1.0, NotNegative)],
        Raw::Wide,
        Floats,
        "laplace(open_unit(x), a, b)",
    ),
    distribution(
        "logistic",
        &[or("loc", 0.0, Any), or("scale", 1.0, NotNegative)],
        Raw::Wide,
        Floats,
        "a + b * log(open_unit(x) / (1 - open_unit(x)))",
    ),
    distribution(
        "gumbel",
        &[or("loc", 0.0, Any), or("scale", 1.0, NotNegative)],
        Raw::Wide,
        Floats,
        "a - b * log(-log(open_unit(x)))",
    ),
    distribution("standard_cauchy", &[], Raw::Wide, Floats, "cauchy(open_unit(x))"),
    distribution("rayleigh", &[or("scale", 1.0, NotNegative)], Raw::Wide, Floats, "a * sqrt(-2 * log(open_unit(x)))"),
    distribution("weibull", &[of("a", NotNegative)], Raw::Wide, Floats, "weibull(open_unit(x), a)"),
    distribution("pareto", &[of("a", Positive)], Raw::Wide, Floats, "expm1(-log(open_unit(x)) / a)"),
    distribution("power", &[of("a", Positive)], Raw::Wide, Floats, "exp(log(open_unit(x)) / a)"),
    Distribution {
        joint: Some(Joint {
            condition: "a <= b && b <= c && a < c",
            holds: |[left, mode, right]| left <= mode && mode <= right && left < right,
            says: "`left <= mode <= right` and `left < right` must hold",
        }),
        ..distribution(
            "triangular",
            &[of("left", Any), of("mode", Any), of("right", Any)],
            Raw::Wide,
            Floats,
            "triangular(open_unit(x), a, b, c)",
        )
    },
    distribution("geometric", &[of("p", PositiveShare)], Raw::Wide, Counts, "geometric(open_unit(x), a)"),
    Distribution {
        quick: "quick_gamma<false>",
        ..distribution("standard_gamma", &[of("shape", NotNegative)], Raw::Own, Floats, "standard_gamma(d, a)")
    },
    Distribution {
        quick: "quick_gamma<true>",
        ..distribution(
            "gamma",
            &[of("shape", NotNegative), or("scale", 1.0, NotNegative)],
            Raw::Own,
            Floats,
            "b * standard_gamma(d, a)",
        )
    },
    Distribution {
        quick: "quick_beta",
        ..distribution("beta", &[of("a", Positive), of("b", Positive)], Raw::Own, Floats, "beta(d, a, b)")
    },
    distribution("chisquare", &[of("df", Positive)], Raw::Own, Floats, "chisquare(d, a)"),
    distribution("f", &[of("dfnum", Positive), of("dfden", Positive)], Raw::Own, Floats, "f_ratio(d, a, b)"),
    distribution("standard_t", &[of("df", Positive)], Raw::Own, Floats, "standard_t(d, a)"),
    distribution("wald", &[of("mean", Positive), of("scale", Positive)], Raw::Own, Floats, "wald(d, a, b)"),
    distribution("vonmises", &[of("mu", Any), of("kappa", NotNegative)], Raw::Own, Floats, "vonmises(d, a, b)"),
    distribution(
        "noncentral_chisquare",
        &[of("df", Positive), of("nonc", NotNegative)],
        Raw::Own,
        Floats,
        "noncentral_chisquare(d, a, b)",
    ),
    distribution(
        "noncentral_f",
        &[of("dfnum", Positive), of("dfden", Positive), of("nonc", NotNegative)],
        Raw::Own,
        Floats,
        "noncentral_f(d, a, b, c)",
    ),
    Distribution {
        quick: "quick_poisson",
        ..distribution("poisson", &[or("lam", 1.0, Mean)], Raw::Own, Counts, "poisson(d, a)")
    },
    Distribution {
        quick: "quick_binomial",
        ..distribution("binomial", &[of("n", Mean), of("p", Share)], Raw::Own, Counts, "binomial(d, a, b)")
    },
    distribution(
        "negative_binomial",
        &[of("n", Positive), of("p", PositiveShare)],
        Raw::Own,
        Counts,
        "negative_binomial(d, a, b)",
    ),
    Distribution {
        joint: Some(Joint {
            condition: "c <= a + b",
            holds: |[good, bad, sample]| sample <= good + bad,
            says: "`nsample` must be at most `ngood + nbad`",
        }),
        ..distribution(
            "hypergeometric",
            &[of("ngood", Billion), of("nbad", Billion), of("nsample", Billion)],
            Raw::Own,
            Counts,
            "hypergeometric(d, a, b, c)",
        )
    },
    distribution("logseries", &[of("p", BelowOne)], Raw::Own, Counts, "logseries(d, a)"),
    distribution("zipf", &[of("a", AboveOne)], Raw::Own, Counts, "zipf(d, a)"),
];

/// Index of a distribution in [`DISTRIBUTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DistributionId(u8);

impl DistributionId {
    /// Returns the distribution of this name.
    pub fn named(name: &str) -> Option<DistributionId> {
        DISTRIBUTIONS.iter().position(|l| l.name == name).map(|at| DistributionId(at as u8))
    }

    /// Returns its record.
    pub fn distribution(self) -> &'static Distribution {
        &DISTRIBUTIONS[usize::from(self.0)]
    }
}

impl Distribution {
    /// Returns the index of the first rule that the parameters violate: those of `parameters`, then the joint one.
    pub fn broken(&self, values: [f64; 3]) -> Option<usize> {
        let own = self.parameters.iter().zip(values).position(|(p, x)| !p.rule.holds(x));
        own.or_else(|| self.joint.filter(|j| !(j.holds)(values)).map(|_| self.parameters.len()))
    }

    /// Returns device code for the index of the violated rule, or -1.
    pub(crate) fn check(&self) -> String {
        let mut text = String::from("-1");
        if let Some(joint) = self.joint {
            text = format!("!({}) ? {} : {text}", joint.condition, self.parameters.len());
        }
        for (k, parameter) in self.parameters.iter().enumerate().rev() {
            if parameter.rule != Rule::Any {
                text = format!("!({}) ? {k} : {text}", parameter.rule.condition(["a", "b", "c"][k]));
            }
        }
        text
    }
}
