//! Consistency of the schema with the scripts under `ci/`.

use crate::schema::{self, Schema, show};

/// The script with a function for each stage.
pub const STAGES: &str = "ci/run.sh";
/// The script that installs NumPy, with the versions that it supports.
pub const NUMPY: &str = "ci/python.sh";

/// Describes every difference between the schema and the scripts. `stages` and `numpy` are the texts of the scripts.
pub fn check(schema: &Schema, stages: &str, numpy: &str) -> Vec<String> {
    let there: Vec<String> = stages.lines().filter_map(stage).collect();
    let records = schema.axis("test").into_iter().flat_map(|axis| &axis.values);
    let named: Vec<&String> = records.flat_map(|(_, record)| &record.stages).collect();
    let mut problems = vec![];
    for stage in named.iter().filter(|stage| !there.contains(stage)) {
        problems.push(format!("{}: no stage of {STAGES} is called {stage}", schema::FILE));
    }
    for stage in there.iter().filter(|stage| !named.contains(stage)) {
        problems.push(format!("{STAGES}: no value of the axis test has the stage {stage}: no job runs it"));
    }
    for stage in there.iter().filter(|stage| !stages.contains(&format!("\n  {stage} "))) {
        problems.push(format!("{STAGES}: the usage does not describe {stage}"));
    }
    let known: Vec<String> = numpy.lines().filter_map(|line| line.strip_prefix("NUMPYS=")).flat_map(words).collect();
    let values = schema.axis("numpy").into_iter().flat_map(|axis| &axis.values);
    let wanted: Vec<(String, Option<&String>)> =
        values.filter(|(value, _)| value.is_some()).map(|(value, r)| (show(value), exported(r))).collect();
    for (version, exported) in &wanted {
        if !known.contains(version) {
            problems.push(format!("{}: {NUMPY} does not install NumPy {version}", schema::FILE));
        }
        if *exported != Some(version) {
            problems.push(format!("{}: numpy {version} does not export CUPRUM_NUMPY as that", schema::FILE));
        }
    }
    for version in known.iter().filter(|known| !wanted.iter().any(|(version, _)| version == *known)) {
        problems.push(format!("{NUMPY}: NumPy {version} is no value of the axis numpy: no job installs it"));
    }
    problems
}

/// Returns the stage of a line such as `stage_generate_check() {`.
fn stage(line: &str) -> Option<String> {
    Some(line.strip_prefix("stage_")?.strip_suffix("() {")?.replace('_', "-"))
}

/// Returns the words of `(a b)`.
fn words(list: &str) -> Vec<String> {
    list.trim_matches(['(', ')']).split_whitespace().map(str::to_owned).collect()
}

fn exported(record: &schema::Record) -> Option<&String> {
    record.env.into_iter().find(|(name, _)| name == "CUPRUM_NUMPY").and_then(|(_, value)| value.as_ref())
}
