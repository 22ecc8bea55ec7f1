//! Seeded faults in device code and in the plans of the engines: the suite must detect every one.
//!
//! The files in `mutants/` list them. A copy of the workspace gets all faults of the plans, each guarded by a call of
//! [`hook.rs`](self), and the hook that puts a fault into the source of kernels as they are compiled; it is built once,
//! and runs once for each mutant, with that one active. The library itself contains no support for this.

mod hunt;
mod paste;
mod report;
mod run;
mod tree;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub use hunt::{Hunt, hunt};
pub use report::{page, summary};
pub use run::{Options, Results, run};

/// The lists of this checkout.
const EMBEDDED: &[(&str, &str)] = embedded! {
    "mutants/elementwise.yaml"
    "mutants/fft.yaml"
    "mutants/functions.yaml"
    "mutants/fusion.yaml"
    "mutants/histogram.yaml"
    "mutants/indexing.yaml"
    "mutants/linalg.yaml"
    "mutants/manipulation.yaml"
    "mutants/products.yaml"
    "mutants/random.yaml"
    "mutants/reductions.yaml"
    "mutants/scan.yaml"
    "mutants/searching.yaml"
    "mutants/signal.yaml"
    "mutants/sort.yaml"
    "mutants/sparse.yaml"
    "mutants/tuning.yaml"
};

/// Mutants of one engine, and the cases that should detect them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The engine that contains the faults.
    pub engine: String,
    /// Filters of the cases of the default run that are executed, the cheapest case first.
    #[serde(default)]
    pub cases: Vec<String>,
    /// A test program of `tests/tests` that is run instead of cases.
    #[serde(default)]
    pub test: Option<String>,
    /// The faults.
    pub mutants: Vec<Mutant>,
}

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// The name.
    pub id: String,
    /// A description of the fault, in a sentence.
    pub fault: String,
    /// The Rust file that contains the fault; none, where it is in the source of kernels or in the options of their
    /// compiler.
    #[serde(default)]
    pub file: Option<String>,
    /// The text to find: in a file, an expression that occurs once; in kernels, every occurrence.
    pub find: String,
    /// The replacement.
    pub put: String,
    /// The cases, if they are not those of the group.
    #[serde(default)]
    pub cases: Vec<String>,
    /// The reason why no case can detect it.
    #[serde(default)]
    pub survives: Option<String>,
}

/// The result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A case failed.
    Killed,
    /// Every case passed.
    Survived,
    /// Every case passed, as the list states.
    Excepted,
    /// No case reached the fault, or nothing contains the text that it replaces.
    Unreached,
    /// The fault does not compile.
    Invalid,
    /// The list states that it survives, but a case failed.
    Stale,
}

impl Fate {
    /// Returns true if the result is as expected.
    pub fn is_good(self) -> bool {
        matches!(self, Fate::Killed | Fate::Excepted)
    }
}

/// A mutant and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The mutant's name.
    pub id: String,
    /// The engine that contains it.
    pub engine: String,
    /// A description of the fault.
    pub fault: String,
    /// The result.
    pub fate: Fate,
    /// The case that detected it and how, or the reason why none can.
    pub reason: String,
    /// Number of executed cases.
    pub cases: usize,
    /// Wall-clock time.
    pub seconds: f64,
}

/// Returns the mutants of this checkout.
///
/// # Errors
/// A message, if a list is malformed or a name is not unique.
pub fn built_in() -> Result<Vec<Group>, String> {
    read(EMBEDDED)
}

/// Reads lists of mutants, each with its path.
fn read(lists: &[(&str, &str)]) -> Result<Vec<Group>, String> {
    let (mut all, mut seen) = (vec![], HashSet::new());
    for (path, text) in lists {
        let groups: Vec<Group> = serde_yaml::from_str(text).map_err(|e| format!("{path}: {e}"))?;
        for mutant in groups.iter().flat_map(|g| &g.mutants) {
            if !seen.insert(mutant.id.clone()) {
                return Err(format!("{path}: the mutant {} occurs twice", mutant.id));
            }
            if mutant.find == mutant.put || mutant.find.is_empty() {
                return Err(format!("{path}: the mutant {} changes nothing", mutant.id));
            }
        }
        all.extend(groups);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::sample;

    #[test]
    fn the_mutants_are_well_formed_and_their_cases_are_there() {
        let (groups, matrix) = (built_in().unwrap(), Matrix::built_in().unwrap());
        assert!(groups.iter().map(|g| g.mutants.len()).sum::<usize>() >= 40);
        let cases = sample::cases(&matrix, false, matrix.seed);
        let ids: Vec<String> = cases.iter().map(|c| c.id()).collect();
        for group in &groups {
            assert!(group.test.is_some() == group.cases.is_empty(), "{}: cases, or a test", group.engine);
            for filter in group.cases.iter().chain(group.mutants.iter().flat_map(|m| &m.cases)) {
                assert!(ids.iter().any(|id| crate::text::matches(filter, id)), "{}: no case is {filter}", group.engine);
            }
        }
    }

    #[test]
    fn names_are_unique_and_faults_change_something() {
        let group = |mutants: &str| format!("- {{engine: e, cases: [a], mutants: [{mutants}]}}");
        let a = "{id: a, fault: f, find: x, put: y}";
        let read_one = |text: String| read(&[("one.yaml", &text)]);
        assert!(read_one(group(a)).is_ok());
        assert!(read_one(group(&format!("{a}, {a}"))).unwrap_err().contains("twice"));
        assert!(read(&[("one.yaml", &group(a)), ("two.yaml", &group(a))]).unwrap_err().starts_with("two.yaml: "));
        assert!(read_one(group("{id: a, fault: f, find: x, put: x}")).unwrap_err().contains("nothing"));
    }

    #[test]
    fn every_list_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mutants");
        let lists = std::fs::read_dir(folder)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "yaml"));
        assert_eq!(lists.count(), EMBEDDED.len());
    }
}
