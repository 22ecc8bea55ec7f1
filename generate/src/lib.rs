//! Generates the CI jobs and the coverage page from `ci/schema.yaml` and `matrix.yaml` with the files that it includes.
//!
//! The schema defines the axes of the CI (operating system, CUDA, Rust, Python, NumPy, device, …), their values and the
//! requirements of each; the matrix defines the targets, with one value for each axis. The generated files are a script
//! and an image for each target, the hosted workflow, the tags, the attributes and the coverage page. All syntax errors
//! of the two files are reported together, with their lines; if there are none, all semantic errors are.

pub mod api;
pub mod cookbook;
pub mod coverage;
pub mod date;
pub mod differences;
pub mod files;
pub mod jobs;
pub mod names;
pub mod operations;
pub mod page;
pub mod results;
pub mod schema;
pub mod scripts;
pub mod targets;
pub mod troubles;
pub mod workflow;

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use cuprum_conformance::matrix::Source;
use cuprum_conformance::matrix::read::{self, Problem};
use cuprum_conformance::sample::{self, CaseSet};
use cuprum_conformance::{Matrix, must_pass};
use date::Date;
use schema::Schema;
use targets::Target;

/// The schema and the targets, checked against each other.
#[derive(Debug)]
pub struct Project {
    /// The axes.
    pub schema: Schema,
    /// The targets, in the order of the file.
    pub targets: Vec<Target>,
}

impl Project {
    /// Parses the texts of both files.
    ///
    /// # Errors
    ///
    /// Returns all problems, each with file, line and message.
    pub fn parse(schema: &str, matrix: &Source, today: Date) -> Result<Project, Vec<String>> {
        let (mut of_schema, mut of_matrix) = (vec![], vec![]);
        let schema = schema::read(&read::split(schema, &mut of_schema), &mut of_schema);
        let written = targets::read(&read::split(matrix.text(), &mut of_matrix), &mut of_matrix);
        // Entries that failed to parse would be reported as missing wherever they are referenced.
        let mut targets = vec![];
        if of_schema.is_empty() && of_matrix.is_empty() {
            schema::check(&schema, &mut of_schema);
            targets = targets::resolve(&written, &schema, &mut of_matrix);
            coverage::check(&schema, &targets, today, &mut of_schema);
        }
        let problems = [messages(schema::FILE, of_schema), matrix.messages(of_matrix)].concat();
        if problems.is_empty() { Ok(Project { schema, targets }) } else { Err(problems) }
    }
}

/// Formats the problems of a file by line, without duplicates.
fn messages(file: &str, mut problems: Vec<Problem>) -> Vec<String> {
    problems.sort();
    problems.dedup();
    problems.iter().map(|problem| format!("{file}:{}: {}", problem.line, problem.message)).collect()
}

/// Returns the matrix of the conformance suite and the sample of each operation, sampled anew.
///
/// # Errors
///
/// Returns the suite's problems with its part of the matrix.
pub fn sampled(matrix: &Source) -> io::Result<(Matrix, Vec<CaseSet>)> {
    let matrix = Matrix::parse(matrix).map_err(|problems| io::Error::other(problems.to_string()))?;
    let sets = sample::sampled_anew(&matrix);
    Ok((matrix, sets))
}

/// Returns the pages and lists that do not depend on the targets, by their paths from the root.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if the sample of an operation is not expressible in the list.
pub fn given(root: &Path, matrix: &Matrix, sets: &[CaseSet]) -> io::Result<BTreeMap<String, String>> {
    let names = names::page(&fs::read_to_string(root.join(names::FILE))?).map_err(io::Error::other)?;
    let mut pages = results::pages(root)?;
    pages.extend(cookbook::pages(root)?);
    pages.extend([
        (api::FILE.to_owned(), api::list(root)?),
        (must_pass::FILE.to_owned(), sample::must_pass(matrix, sets).map_err(io::Error::other)?),
        ("docs/src/differences.md".to_owned(), differences::page(matrix)),
        ("docs/src/names.md".to_owned(), names),
        ("docs/src/operations.md".to_owned(), operations::reference()),
        ("docs/src/troubleshooting.md".to_owned(), troubles::page()),
    ]);
    Ok(pages)
}
