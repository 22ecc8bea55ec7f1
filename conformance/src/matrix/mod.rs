//! `matrix.yaml`: the declaration of what is tested.

mod check;
pub mod ledger;
pub mod read;
pub mod source;

use std::collections::BTreeMap;
use std::fmt;

use cuprum::Engine;
use cuprum_kernels::DType;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::case::{Layout, ValueSet};
use crate::judge::Reason;
use crate::outcome::Kind;
use crate::text::{Params, Shape};
pub use ledger::{Divergence, Literal};
use read::{Entry, Problem, Section};
pub use source::Source;

/// Everything that `matrix.yaml` declares.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The seed of the default run.
    pub seed: u64,
    /// The maximum number of cases of an operation in the full run.
    pub full_limit: usize,
    /// Named sets of dtypes.
    pub dtypes: BTreeMap<String, Vec<DType>>,
    /// Named lists of operand shapes.
    pub shapes: BTreeMap<String, Shapes>,
    /// Named tolerances.
    pub tolerances: BTreeMap<String, Tolerance>,
    /// The operations.
    pub ops: Vec<Op>,
    /// Cases per family in the default run.
    pub expected: BTreeMap<String, usize>,
    /// Differences of CuPy from NumPy, and the library's behaviour for each.
    pub divergences: Vec<Divergence>,
    /// Claimed dtypes in layouts that the default run never has: their number by family, and the reason.
    pub holes: Vec<Hole>,
    /// Cases that are known to fail on a device.
    pub failing: Vec<Failing>,
    /// The CI targets, unparsed: their schema belongs to another crate.
    pub targets: Vec<Entry>,
}

/// Shapes of the operands of one case: `(2,3)x(3,)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeTuple(pub Vec<Shape>);

impl<'de> Deserialize<'de> for ShapeTuple {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.split('x').map(|s| s.parse().map_err(D::Error::custom)).collect::<Result<_, _>>().map(ShapeTuple)
    }
}

/// A list of shapes: those of every run, and those that the full run adds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shapes {
    /// Used in every run.
    pub default: Vec<ShapeTuple>,
    /// Used in every run, with more than 4,096 elements; with the `large` dtypes of an operation, if it names any.
    #[serde(default)]
    pub large: Vec<ShapeTuple>,
    /// Added in the full run.
    #[serde(default)]
    pub full: Vec<ShapeTuple>,
}

/// The permitted difference of an operation's result from the oracle's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The name by which operations refer to it.
    pub name: String,
    /// The reason for its size.
    pub reason: String,
    /// The model of the bound.
    #[serde(default)]
    pub model: Model,
    /// Units in the last place, by dtype; 0 by default.
    #[serde(default)]
    pub ulp: BTreeMap<String, u64>,
    /// True if float32 is computed in float64: then its units count from the result alone, and float64's are added to
    /// them.
    #[serde(default)]
    pub in_float64: bool,
    /// The largest errors that the vendor of the device's library publishes for the function, by dtype.
    #[serde(default)]
    pub published: BTreeMap<String, f64>,
    /// The source of the published errors.
    #[serde(default)]
    pub cite: Option<String>,
    /// The rule for complex numbers.
    #[serde(default)]
    pub complex: ComplexRule,
    /// Accepts any complex number that is not finite where the correct one is not.
    #[serde(default)]
    pub any_infinity: bool,
    /// True if the result drops vanishing coefficients, which rounding decides.
    #[serde(default)]
    pub trims: bool,
}

impl Tolerance {
    /// The maximum tolerance, in units, for a function without a published error: relative to its value or its
    /// condition, whichever is larger.
    pub const MOST: u64 = 10;

    /// Returns the budgets that are wider than the published errors, or than [`Tolerance::MOST`].
    pub fn too_wide(&self) -> Vec<String> {
        let limit = |name: &str| self.published.get(name).copied().unwrap_or(Self::MOST as f64);
        let wide = self.ulp.iter().filter(|(name, units)| **units as f64 > limit(name));
        wide.map(|(name, units)| format!("{units} units of {name} are allowed, {} are published", limit(name)))
            .collect()
    }

    /// Returns the budget of a result: by its dtype, or by the operands' where these are complex and it is not.
    pub fn ulp(&self, result: DType, operands: &[DType]) -> u64 {
        self.ulp.get(self.budget_of(result, operands).device_name()).copied().unwrap_or(0)
    }

    /// Returns the dtype whose budget applies to a result.
    pub fn budget_of(&self, result: DType, operands: &[DType]) -> DType {
        operands.iter().copied().find(|d| d.is_complex() && result.is_float()).unwrap_or(result)
    }
}

/// The model of an error bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Units in the last place, from the table.
    #[default]
    Ulp,
    /// Computed by the oracle from the operands: the number of terms and the sum of their magnitudes.
    Derived,
    /// The derived bound, for integers as well: they are truncated from floats, and a float next to an integer may become either of two.
    Truncated,
    /// Units in the last place of the result, or of the larger terms of which it is the sum, as the oracle computes
    /// them.
    Scaled,
}

/// The rule for complex numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComplexRule {
    /// Each part by its own unit in the last place.
    #[default]
    Component,
    /// Each part by the unit in the last place of the modulus: a part that cancels has none of its own.
    Modulus,
}

/// The kind of a computation, which determines the form of its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpKind {
    /// Elementwise, with broadcasting and promotion.
    Ufunc,
    /// Elementwise, by a Rust operator.
    Operator,
    /// A method of a ufunc, as `add.reduce`; `add.call` is the function itself, with parameters for `out`, `where` and
    /// `casting`.
    Method,
    /// A reduction over axes.
    Reduction,
    /// The matrix product.
    Matmul,
    /// A function of arrays and parameters with one result or several.
    Routine,
    /// A new array: the operand only provides dtype, shape and order.
    Creation,
    /// A view or a copy of one operand.
    Manipulation,
    /// Basic indexing, by the parameter `key`.
    Getitem,
    /// Assignment of the second operand to a part of the first, by the parameter `key`.
    Setitem,
    /// A cast to the dtype `to`.
    Cast,
    /// Text representation.
    Text,
    /// An operation of sparse arrays, which are built from the operands.
    Sparse,
    /// A structure of points, which is judged by what defines it.
    Spatial,
}

/// An operation with its test parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Op {
    /// NumPy's name.
    pub name: String,
    /// The function that it calls, where that has another name.
    #[serde(default)]
    pub function: Option<String>,
    /// NumPy's keywords of parameters that have other names in case ids.
    #[serde(default)]
    pub keywords: BTreeMap<String, String>,
    /// The first part of the ids of its cases.
    pub family: String,
    /// The kind of the computation.
    pub kind: OpKind,
    /// Number of operands.
    #[serde(default = "one")]
    pub operands: usize,
    /// The set of dtypes that it takes (for all operands); any other is rejected with a `TypeError`.
    pub dtypes: String,
    /// True if it takes other dtypes as well, which have no cases: they are cast to those of the set, or run on the same kernels.
    #[serde(default)]
    pub open: bool,
    /// Additional dtype tuples of the operands: `f32-i8`. By default a seeded sample of all tuples.
    #[serde(default)]
    pub tuples: Option<Vec<String>>,
    /// The list of shapes.
    pub shapes: String,
    /// The engine that computes it, unless its kind determines it.
    #[serde(default)]
    pub engine: Option<String>,
    /// The set of dtypes for the large shapes; by default all.
    #[serde(default)]
    pub large: Option<String>,
    /// Layouts; by default all that apply.
    #[serde(default)]
    pub layouts: Option<Vec<Layout>>,
    /// Value sets; by default all that apply.
    #[serde(default)]
    pub values: Option<Vec<ValueSet>>,
    /// Parameters.
    #[serde(default)]
    pub params: Vec<Params>,
    /// Parameters that are rejected for every shape, by the kind of the error.
    #[serde(default)]
    pub errors: BTreeMap<Kind, Vec<Params>>,
    /// Weak scalars as the last operand: `2.5`, `1j`.
    #[serde(default)]
    pub scalars: Vec<String>,
    /// The tolerance.
    #[serde(default = "exact")]
    pub tolerance: String,
    /// Result dtypes whose device code uses an approximate instruction, so that GPU and simulator may differ.
    #[serde(default)]
    pub approximate: Vec<String>,
    /// True if the same operands give the same bits in every run and every order of blocks.
    #[serde(default = "yes")]
    pub deterministic: bool,
}

impl Op {
    /// Returns the engine that computes it; `None` for operations on views.
    pub fn engine(&self) -> Option<Engine> {
        if let Some(name) = &self.engine {
            return name.parse().ok();
        }
        match (self.kind, self.name.rsplit_once('.').map(|(_, method)| method)) {
            (OpKind::Method, Some("reduce")) => Some(Engine::Reduction),
            (OpKind::Method, Some("accumulate")) => Some(Engine::Scan),
            (OpKind::Method, Some("reduceat")) => Some(Engine::Fold),
            (OpKind::Routine, Some("at")) => Some(Engine::At),
            (OpKind::Ufunc | OpKind::Operator | OpKind::Method | OpKind::Cast, _) => Some(Engine::Elementwise),
            (OpKind::Creation | OpKind::Setitem, _) => Some(Engine::Elementwise),
            (OpKind::Reduction, _) => Some(Engine::Reduction),
            (OpKind::Matmul, _) => Some(Engine::Matmul),
            (OpKind::Sparse, _) => Some(Engine::Compressed),
            (OpKind::Routine | OpKind::Getitem | OpKind::Manipulation | OpKind::Text | OpKind::Spatial, _) => None,
        }
    }

    /// Returns true if its result is a change of its first operand.
    pub fn changes_its_operand(&self) -> bool {
        self.kind == OpKind::Setitem
            || self.name.ends_with(".at")
            || matches!(
                self.name.as_str(),
                "ndarray.sort" | "ndarray.partition" | "ndarray.fill" | "copyto" | "place" | "fill_diagonal"
            )
    }
}

fn yes() -> bool {
    true
}

fn one() -> usize {
    1
}

fn exact() -> String {
    "exact".into()
}

/// A case that is known to fail on a device. The run fails if it passes, or fails in another way.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// The case.
    pub id: String,
    /// The device: `sim`, `cuda`.
    pub device: String,
    /// The respect in which it fails.
    pub fails: Reason,
    /// The date: `2026-01-31`.
    pub since: String,
    /// The reason.
    pub reason: String,
}

/// Squares of operation, claimed dtype and layout of a family that the default run leaves out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hole {
    /// The family.
    pub family: String,
    /// The exact number: any other is a failure.
    pub count: usize,
    /// The date: `2026-01-31`.
    pub since: String,
    /// The reason.
    pub reason: String,
}

/// The messages of all problems of a matrix, each with its file and line.
#[derive(Clone, Debug)]
pub struct Problems(pub Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the matrix has {} error(s):", self.0.len())?;
        self.0.iter().try_for_each(|p| writeln!(f, "  {p}"))
    }
}

impl std::error::Error for Problems {}

impl Matrix {
    /// Returns the matrix of this checkout.
    ///
    /// # Errors
    /// As [`Matrix::parse`].
    pub fn built_in() -> Result<Matrix, Problems> {
        Matrix::parse(&Source::built_in().map_err(|message| Problems(vec![message]))?)
    }

    /// Parses and checks a matrix.
    ///
    /// # Errors
    /// All problems of the text at once: YAML that does not parse, unknown keys, undeclared names, values out of range.
    pub fn parse(source: &Source) -> Result<Matrix, Problems> {
        let mut problems = vec![];
        let sections = read::split(source.text(), &mut problems);
        let mut matrix = Matrix::default();
        let mut lines = check::Lines::default();
        for section in &sections {
            matrix.read(section, &mut lines, &mut problems);
        }
        check::required(&sections, &mut problems);
        check::names(&matrix, &lines, &mut problems);
        if problems.is_empty() { Ok(matrix) } else { Err(Problems(source.messages(problems))) }
    }

    fn read(&mut self, section: &Section, lines: &mut check::Lines, problems: &mut Vec<Problem>) {
        match section.key.as_str() {
            "seed" => self.seed = section.value(problems).unwrap_or_default(),
            "full_limit" => self.full_limit = section.value(problems).unwrap_or_default(),
            "dtypes" => {
                for (line, name, chosen) in section.pairs::<Vec<String>>(problems) {
                    self.dtypes.insert(name, check::dtypes(line, &chosen, problems));
                }
            }
            "shapes" => self.shapes = section.pairs(problems).into_iter().map(|(_, k, v)| (k, v)).collect(),
            "expected" => {
                for (line, family, count) in section.pairs(problems) {
                    lines.expected.insert(family.clone(), line);
                    self.expected.insert(family, count);
                }
            }
            "tolerances" => {
                for (line, tolerance) in section.items::<Tolerance>(problems) {
                    lines.once("tolerance", &tolerance.name, line, problems);
                    self.tolerances.insert(tolerance.name.clone(), tolerance);
                }
            }
            "ops" => {
                for (line, op) in section.items::<Op>(problems) {
                    lines.once("op", &op.name, line, problems);
                    self.ops.push(op);
                }
            }
            "divergences" => {
                for (line, divergence) in section.items::<Divergence>(problems) {
                    lines.once("divergence", &divergence.id, line, problems);
                    self.divergences.push(divergence);
                }
            }
            "holes" => {
                for (line, hole) in section.items::<Hole>(problems) {
                    lines.once("holes of the family", &hole.family, line, problems);
                    self.holes.push(hole);
                }
            }
            "failing" => {
                for (line, failing) in section.items::<Failing>(problems) {
                    lines.once("failing case", &format!("{} on {}", failing.id, failing.device), line, problems);
                    self.failing.push(failing);
                }
            }
            "targets" => self.targets = section.entries.clone(),
            other => problems.push(Problem { line: section.line, message: format!("nothing knows the key `{other}`") }),
        }
    }

    /// Returns the operation of this name.
    pub fn op(&self, name: &str) -> Option<&Op> {
        self.ops.iter().find(|op| op.name == name)
    }

    /// Returns the tolerance of an operation.
    pub fn tolerance(&self, op: &Op) -> &Tolerance {
        self.tolerances.get(&op.tolerance).expect("the names are checked when the matrix is read")
    }

    /// Returns true if an operation is tried with large operands of this dtype.
    pub fn large(&self, op: &Op, dtype: DType) -> bool {
        op.large.as_ref().is_none_or(|name| self.dtypes.get(name).is_some_and(|set| set.contains(&dtype)))
    }

    /// Returns true if an operation claims to take operands of this dtype.
    pub fn claims(&self, op: &Op, dtype: DType) -> bool {
        self.dtypes.get(&op.dtypes).is_some_and(|set| set.contains(&dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of parsing the matrix with a text replaced.
    pub(super) fn said(from: &str, to: &str) -> String {
        let source = Source::built_in().unwrap();
        assert!(source.text().contains(from), "{from}");
        let changed = source.text().replacen(from, to, 1);
        Matrix::parse(&changed.as_str().into()).map_or_else(|e| e.to_string(), |_| String::new())
    }

    #[test]
    fn no_budget_is_above_the_published_one() {
        let published = "ulp: {f16: 1, f32: 4, f64: 2, c128: 6}\n    published: {f32: 4, f64: 2}";
        assert!(
            said(published, &published.replacen("f64: 2", "f64: 3", 1))
                .contains("3 units of f64 are allowed, 2 are published")
        );
        let unpublished = "ulp: {c128: 1}\n    reason: The root of the sum of the squares";
        let wide = said(unpublished, &unpublished.replacen("c128: 1", "c128: 11", 1));
        assert!(wide.contains("11 units of c128 are allowed, 10 are published"), "{wide}");
    }

    #[test]
    fn published_tolerances_are_cited() {
        let cite = "    cite: https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#mathematical-functions-appendix\n";
        assert!(said(cite, "").contains("what is published is cited"));
    }
}
