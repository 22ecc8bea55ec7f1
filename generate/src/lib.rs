//! Writes the CI jobs and the coverage page from `ci/schema.yaml` and `matrix.yaml`.
//!
//! The schema names the axes of the CI (operating system, CUDA, Rust, Python, NumPy, device, …), the values of each and
//! what they need; the matrix names the targets, one value for each axis. From both come a script and an image for
//! each target, the hosted workflow, the tags, the attributes and the coverage page. Whatever is wrong with the two
//! files is reported at once, with the lines.

pub mod coverage;
pub mod date;
pub mod files;
pub mod jobs;
pub mod operations;
pub mod page;
pub mod problem;
pub mod schema;
pub mod targets;
pub mod tree;
pub mod workflow;

use date::Date;
use problem::{Problem, Problems};
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
    /// Reads both files' texts.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, by file and line.
    pub fn parse(schema: &str, matrix: &str, today: Date) -> Result<Project, Vec<Problem>> {
        let mut problems = Problems::default();
        let schema_tree = tree::parse(schema::FILE, schema, &mut problems);
        let matrix_tree = tree::parse(targets::FILE, matrix, &mut problems);
        let (Some(schema_tree), Some(matrix_tree)) = (schema_tree, matrix_tree) else {
            return Err(problems.into_sorted());
        };
        let schema = schema::read(&schema_tree, &mut problems);
        let targets = targets::read(&matrix_tree, &schema, &mut problems);
        coverage::check(&schema, &targets, today, &mut problems);
        match problems.is_empty() {
            true => Ok(Project { schema, targets }),
            false => Err(problems.into_sorted()),
        }
    }
}

/// The second part of the coverage page: what the conformance suite compares.
///
/// # Errors
///
/// What the suite says of its part of the matrix.
pub fn operations(matrix: &str) -> Result<String, String> {
    let matrix = cuprum_conformance::Matrix::parse(matrix).map_err(|problems| problems.to_string())?;
    Ok(operations::tables(&matrix))
}

/// The list of the cases that must pass.
///
/// # Errors
///
/// What the suite says of its part of the matrix.
pub fn must_pass(matrix: &str) -> Result<String, String> {
    let matrix = cuprum_conformance::Matrix::parse(matrix).map_err(|problems| problems.to_string())?;
    let ids = cuprum_conformance::sample::ids(&matrix);
    Ok(cuprum_conformance::must_pass::write(ids.iter().map(String::as_str)))
}
