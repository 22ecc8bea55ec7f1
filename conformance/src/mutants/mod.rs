//! Seeded faults in device code and in the plans of the engines: the suite must find every one.
//!
//! `mutants.yaml` lists them. A copy of the workspace gets all faults of the plans, each behind a question to
//! [`hook.rs`](self), and the hook that puts a fault into the text of kernels as they are compiled; it is built once, and
//! runs once for each mutant, with that one at work. The library itself knows nothing of this.

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

/// The mutants of this checkout.
pub const BUILT_IN: &str = include_str!("../../../mutants.yaml");

/// Mutants of one engine, and the cases that are to find them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What the faults are in.
    pub engine: String,
    /// Filters of the cases of the default run that are carried out, the cheapest case first.
    #[serde(default)]
    pub cases: Vec<String>,
    /// In place of cases the program of `tests/tests` that is run.
    #[serde(default)]
    pub test: Option<String>,
    /// The faults.
    pub mutants: Vec<Mutant>,
}

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Its name.
    pub id: String,
    /// What is wrong with it, in a sentence.
    pub fault: String,
    /// The file of Rust that the fault is in; none, where it is in the text of kernels or in the options of their
    /// compiler.
    #[serde(default)]
    pub file: Option<String>,
    /// The text to find: in a file, an expression that stands there once; in kernels, wherever it stands.
    pub find: String,
    /// What is put in its place.
    pub put: String,
    /// The cases, where they are not those of the group.
    #[serde(default)]
    pub cases: Vec<String>,
    /// Why no case can find it.
    #[serde(default)]
    pub survives: Option<String>,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A case failed.
    Killed,
    /// Every case passed.
    Survived,
    /// Every case passed, as the list says.
    Excepted,
    /// No case came to where the fault is, or nothing has the text that it replaces.
    Unreached,
    /// The fault does not compile.
    Invalid,
    /// The list says that it survives, and a case failed.
    Stale,
}

impl Fate {
    /// Whether all is well.
    pub fn is_good(self) -> bool {
        matches!(self, Fate::Killed | Fate::Excepted)
    }
}

/// A mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The mutant's name.
    pub id: String,
    /// What it is in.
    pub engine: String,
    /// What is wrong with it.
    pub fault: String,
    /// What became of it.
    pub fate: Fate,
    /// The case that found it and how, or why none can.
    pub reason: String,
    /// The cases that were carried out.
    pub cases: usize,
    /// Wall-clock time.
    pub seconds: f64,
}

/// Reads a list of mutants.
///
/// # Errors
/// A message, where it is not well formed or a name stands twice.
pub fn read(text: &str) -> Result<Vec<Group>, String> {
    let groups: Vec<Group> = serde_yaml::from_str(text).map_err(|e| format!("mutants.yaml: {e}"))?;
    let mut seen = HashSet::new();
    for mutant in groups.iter().flat_map(|g| &g.mutants) {
        if !seen.insert(&mutant.id) {
            return Err(format!("mutants.yaml: the mutant {} stands twice", mutant.id));
        }
        if mutant.find == mutant.put || mutant.find.is_empty() {
            return Err(format!("mutants.yaml: the mutant {} changes nothing", mutant.id));
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::sample;

    #[test]
    fn the_mutants_are_well_formed_and_their_cases_are_there() {
        let (groups, matrix) = (read(BUILT_IN).unwrap(), Matrix::built_in().unwrap());
        assert!(groups.iter().map(|g| g.mutants.len()).sum::<usize>() >= 40);
        let cases = sample::cases(&matrix, false, matrix.seed);
        let ids: Vec<String> = cases.iter().map(|c| c.id()).collect();
        for group in &groups {
            assert!(group.test.is_some() == group.cases.is_empty(), "{}: cases, or a test", group.engine);
            for filter in group.cases.iter().chain(group.mutants.iter().flat_map(|m| &m.cases)) {
                assert!(ids.iter().any(|id| sample::matches(filter, id)), "{}: no case is {filter}", group.engine);
            }
        }
    }

    #[test]
    fn names_stand_once_and_faults_change_something() {
        let group = |mutants: &str| format!("- {{engine: e, cases: [a], mutants: [{mutants}]}}");
        let a = "{id: a, fault: f, find: x, put: y}";
        assert!(read(&group(a)).is_ok());
        assert!(read(&group(&format!("{a}, {a}"))).unwrap_err().contains("twice"));
        assert!(read(&group("{id: a, fault: f, find: x, put: x}")).unwrap_err().contains("nothing"));
    }
}
