//! The ledger of differences from NumPy: intended ones, and differences of CuPy that do not apply here.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use super::Matrix;
use super::check::is_day;
use crate::numpy::compare::Aspect;
use crate::outcome::Kind;
use crate::text::Params;
use crate::text::matches;

/// Topics of CuPy's page on its differences from NumPy. Each has at least one entry.
pub const TOPICS: [&str; 12] = [
    "casts from float to integer",
    "dtype of random functions",
    "out-of-bounds indices",
    "duplicate indices",
    "reductions return arrays without axes",
    "promotion of arrays without axes",
    "no matrix type",
    "dtypes of numbers only",
    "operands of universal functions",
    "seeds that are arrays",
    "complex NaN in reductions",
    "contiguity of results",
];

/// Sections of other differences, which follow CuPy's topics on the page.
pub const SECTIONS: [&str; 7] = [
    "functions of elements",
    "sums, products and statistics",
    "sorting, sets and quantiles",
    "histograms",
    "special functions",
    "what is rejected",
    "faults of NumPy",
];

/// Literal elements of one dtype, as a row; for complex dtypes real and imaginary parts in turn. Or an error, or the
/// end of the process.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Literal {
    /// The dtype.
    #[serde(default)]
    pub dtype: String,
    /// The elements: numbers, `.nan`, `.inf`, `-.inf`.
    #[serde(default)]
    pub values: Vec<f64>,
    /// The strides, where they matter.
    #[serde(default)]
    pub strides: Option<Vec<i64>>,
    /// The kind of the error, where there is no result.
    #[serde(default)]
    pub error: Option<Kind>,
    /// True if the process dies.
    #[serde(default)]
    pub crashes: bool,
    /// The shape, if it is not 1-D.
    #[serde(default)]
    pub shape: Option<Vec<usize>>,
    /// True for a scalar, false for an array.
    #[serde(default)]
    pub scalar: bool,
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.crashes {
            return f.write_str("a crash");
        }
        if let Some(kind) = self.error {
            return write!(f, "{kind}");
        }
        let number = |x: &f64| match x {
            x if x.fract() == 0.0 && x.abs() < 1e15 && !x.is_sign_negative() => format!("{x}"),
            x => format!("{x:?}"),
        };
        let parts = if self.dtype.starts_with('c') { 2 } else { 1 };
        let element = |x: &[f64]| match x {
            [re, im] => format!("({}, {})", number(re), number(im)),
            _ => x.iter().map(number).collect(),
        };
        let all: Vec<String> = self.values.chunks(parts).map(element).collect();
        let list = all.join(", ");
        let scalar = self.scalar || self.shape.as_ref().is_some_and(|s| s.is_empty());
        if scalar {
            write!(f, "{list}")?
        } else {
            write!(f, "[{list}]")?
        }
        match &self.strides {
            Some(strides) => write!(f, " with strides {strides:?}"),
            None => Ok(()),
        }
    }
}

impl PartialEq for Literal {
    /// Compares by the bits, so that NaN equals NaN.
    fn eq(&self, other: &Literal) -> bool {
        let bits = |l: &Literal| l.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let form = |l: &Literal| (l.dtype.clone(), l.shape.clone(), l.strides.clone(), l.scalar, l.error, l.crashes);
        form(self) == form(other) && bits(self) == bits(other)
    }
}

/// The library's behaviour for a difference of CuPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The library differs from NumPy too: `ours` and `numpy` are both executed.
    Differs,
    /// The library behaves like NumPy: the example, or the case, is executed on both sides.
    Agrees,
    /// The feature does not exist here.
    Absent,
    /// A run-time error elsewhere does not compile here.
    Typed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Differs => "differs",
            Status::Agrees => "agrees",
            Status::Absent => "absent",
            Status::Typed => "typed",
        })
    }
}

/// A Python expression and its value in NumPy.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The expression; NumPy is `np`.
    pub ask: String,
    /// The text of its value; the class, if it raises an exception.
    pub gives: String,
}

/// An entry of the ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Divergence {
    /// The name.
    pub id: String,
    /// One of the [`TOPICS`] or [`SECTIONS`].
    pub topic: String,
    /// The library's behaviour.
    pub status: Status,
    /// A description of the difference.
    pub says: String,
    /// The operation of the example.
    #[serde(default)]
    pub op: Option<String>,
    /// The operands of the example.
    #[serde(default)]
    pub operands: Vec<Literal>,
    /// The parameters of the example.
    #[serde(default)]
    pub params: Params,
    /// NumPy's result; for a case the default is any result other than the oracle's.
    #[serde(default)]
    pub numpy: Option<Literal>,
    /// The device's result, where it differs from NumPy's; for a case the default is the oracle's result.
    #[serde(default)]
    pub ours: Option<Literal>,
    /// The NumPy version of the difference: `1.22`, `2`, `2.4`, `2.5`; all by default.
    #[serde(default)]
    pub version: Option<String>,
    /// True if the oracle returns NumPy's side when it follows that version; else it returns ours.
    #[serde(default)]
    pub followed: bool,
    /// The ids of the cases in which it is visible, with `*` as a wildcard.
    #[serde(default)]
    pub when: Vec<String>,
    /// The aspects in which the oracle differs from NumPy in those cases.
    #[serde(default)]
    pub aspects: Vec<Aspect>,
    /// A case as the example, in place of operation and operands.
    #[serde(default)]
    pub case: Option<String>,
    /// The strides that both sides return in that case.
    #[serde(default)]
    pub strides: Option<Vec<i64>>,
    /// Names without an operation.
    #[serde(default)]
    pub names: Vec<String>,
    /// Dtypes of NumPy that do not exist here.
    #[serde(default)]
    pub dtypes: Vec<String>,
    /// Where it is demonstrated, if not by the cases: the file with the documentation test that does not compile, or the
    /// file and the name of a Python test, `FILE::NAME`.
    #[serde(default)]
    pub shown_in: Option<String>,
    /// The Python expression that checks NumPy's side.
    #[serde(default)]
    pub python: Vec<Question>,
    /// The citation of the difference.
    pub cite: String,
    /// The version since which it is listed.
    pub since: String,
    /// The date on which it must be checked again: `2027-01-31`.
    #[serde(default)]
    pub expires: Option<String>,
}

impl Divergence {
    /// Returns true if it is executed on the device and on the oracle.
    pub fn is_run(&self) -> bool {
        matches!(self.status, Status::Differs | Status::Agrees) && self.shown_in.is_none()
    }

    /// Returns true if it applies to this NumPy version.
    pub fn is_of(&self, numpy: &str) -> bool {
        let begins = |version: &str| numpy.strip_prefix(version).is_some_and(|rest| rest.starts_with('.'));
        self.version.as_deref().is_none_or(begins)
    }

    /// Returns true if it explains a difference of the oracle from this NumPy in a case.
    pub fn explains(&self, numpy: &str, id: &str, aspect: Aspect) -> bool {
        self.is_of(numpy) && self.aspects.contains(&aspect) && self.when.iter().any(|pattern| matches(pattern, id))
    }

    /// Returns the problems of the entry without regard to others.
    pub(super) fn problems(&self, matrix: &Matrix) -> Vec<String> {
        let mut out = vec![];
        let mut must = |holds: bool, message: &str| {
            if !holds {
                out.push(message.to_string());
            }
        };
        let exists = |name: &&String| matrix.op(name).is_some();
        let of_cupy = TOPICS.contains(&self.topic.as_str());
        must(of_cupy || SECTIONS.contains(&self.topic.as_str()), "its topic is none of those that the ledger has");
        must(self.cite.starts_with("https://"), "a divergence cites where it is written down");
        let known = ["1.22", "2", "2.4", "2.5"];
        must(self.version.as_deref().is_none_or(|v| known.contains(&v)), "`version` is 1.22, 2, 2.4, 2.5, or left out");
        let lasting = of_cupy && self.aspects.is_empty();
        must(lasting || self.expires.as_deref().is_some_and(is_day), "it does not say when to check it again");
        must(self.aspects.is_empty() || !self.when.is_empty(), "it does not say which cases it explains");
        match self.status {
            Status::Differs | Status::Agrees if self.shown_in.is_some() => {
                must(self.op.is_none() && self.case.is_none(), "it has an example, or a test, and not both");
            }
            Status::Differs => {
                must(self.op.is_some() != self.case.is_some(), "it has an example, or a case, and not both");
                must(self.ours.is_some() || self.case.is_some(), "it does not say what we give");
                let both = self.numpy.is_some() && self.numpy == self.ours;
                must(!both, "the two sides agree: this is no divergence");
            }
            Status::Agrees => {
                let example = self.op.is_some() && self.numpy.is_some();
                must(example != self.case.is_some(), "it has an example, or a case, and not both");
                must(self.aspects.is_empty(), "where both sides agree there is nothing to explain");
                must(self.ours.is_none(), "where both sides agree there is one result");
            }
            Status::Absent => {
                must(!self.names.is_empty() || !self.dtypes.is_empty(), "it does not name what there is not");
                must(!self.names.iter().any(|n| exists(&n)), "an operation has one of its names");
                let dtype = |name: &String| name.parse::<cuprum_kernels::DType>().is_ok();
                must(!self.dtypes.iter().any(dtype), "one of its dtypes exists");
            }
            Status::Typed => must(self.shown_in.is_some(), "it does not say where it is shown not to compile"),
        }
        let held = self.is_run() && self.numpy.is_some() || self.case.is_some();
        must(held || !self.python.is_empty(), "nothing holds NumPy's side");
        if let Some(op) = &self.op {
            must(exists(&op), &format!("no operation is called `{op}`"));
        }
        for literal in self.operands.iter().chain(&self.numpy).chain(&self.ours) {
            must(
                literal.error.is_some() || literal.crashes || literal.dtype.parse::<cuprum_kernels::DType>().is_ok(),
                &format!("no dtype is called `{}`", literal.dtype),
            );
        }
        out
    }

    /// Returns true if the file that demonstrates it, below this folder, contains the test, or an example that does not
    /// compile.
    pub fn is_shown(&self, root: &Path) -> bool {
        let text = |file: &str| std::fs::read_to_string(root.join(file)).unwrap_or_default();
        self.shown_in.iter().all(|shown| match shown.split_once("::") {
            Some((file, name)) => text(file).contains(&format!("\ndef {name}(")),
            None => text(shown).contains("compile_fail"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::tests::said;

    #[test]
    fn every_topic_has_an_entry() {
        let matrix = Matrix::built_in().unwrap();
        for topic in TOPICS {
            assert!(matrix.divergences.iter().any(|d| d.topic == topic), "{topic}");
        }
        assert!(said("topic: duplicate indices", "topic: out-of-bounds indices").contains("no entry is of the topic"));
    }

    #[test]
    fn an_entry_that_cites_nothing_is_rejected() {
        let cite = "cite: https://docs.cupy.dev/en/stable/user_guide/difference.html#no-matrix";
        assert!(said(cite, "cite: \"\"").contains("cites where it is written down"));
    }

    #[test]
    fn an_entry_whose_sides_agree_is_rejected() {
        let (numpy, ours) = ("numpy: {dtype: i32, values: [-2147483648]}", "ours: {dtype: i32, values: [705032704]}");
        assert!(said(ours, &numpy.replace("numpy", "ours")).contains("the two sides agree"));
    }

    #[test]
    fn an_entry_that_a_test_demonstrates_has_no_example() {
        let shown = "shown_in: gpu/python/tests/test_random.py::test_differences";
        assert!(said(shown, &format!("op: add\n    {shown}")).contains("it has an example, or a test, and not both"));
    }

    #[test]
    fn what_is_said_to_be_absent_must_not_exist() {
        assert!(said("names: [matrix, ", "names: [add, matrix, ").contains("an operation has one of its names"));
        assert!(said("dtypes: [object, ", "dtypes: [float16, object, ").contains("one of its dtypes exists"));
    }

    #[test]
    fn what_the_cases_do_not_run_is_shown() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let matrix = Matrix::built_in().unwrap();
        let shown: Vec<_> = matrix.divergences.iter().filter(|d| d.shown_in.is_some()).collect();
        assert!(shown.iter().any(|d| d.status == Status::Typed) && shown.iter().any(|d| d.status != Status::Typed));
        for divergence in shown {
            assert!(divergence.is_shown(&root), "{}", divergence.id);
            for elsewhere in ["README.md", "gpu/python/tests/test_random.py::test_nothing"] {
                let elsewhere = Divergence { shown_in: Some(elsewhere.into()), ..divergence.clone() };
                assert!(!elsewhere.is_shown(&root));
            }
        }
    }
}
