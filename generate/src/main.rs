//! `generate` writes the files generated from the schema and the matrix; `generate --check` reports files that are out
//! of date.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Parser;
use cuprum_conformance::matrix::source::{ROOT, Source};
use cuprum_generate::date::Date;
use cuprum_generate::{Project, files, operations, schema, scripts};

/// Writes the CI jobs, the workflow and the coverage page from ci/schema.yaml and matrix.yaml.
#[derive(Parser)]
#[command(name = "generate")]
struct Arguments {
    /// Write nothing; print what differs and fail if anything does.
    #[arg(long)]
    check: bool,
    /// The root of the project.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.."))]
    root: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(clean) => ExitCode::from(u8::from(!clean)),
        Err(error) => {
            eprintln!("generate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<bool> {
    let root = &arguments.root;
    let schema = read(root, schema::FILE)?;
    let matrix = Source::read(&root.join(ROOT)).map_err(io::Error::other)?;
    let project = match Project::parse(&schema, &matrix, Date::today()) {
        Ok(project) => project,
        Err(problems) => {
            eprintln!("{}\n{} errors", problems.join("\n"), problems.len());
            return Ok(false);
        }
    };
    let problems = scripts::check(&project.schema, &read(root, scripts::STAGES)?, &read(root, scripts::NUMPY)?);
    if !problems.is_empty() {
        eprintln!("{}\n{} errors", problems.join("\n"), problems.len());
        return Ok(false);
    }
    let (matrix, sets) = cuprum_generate::sampled(&matrix)?;
    let given = cuprum_generate::given(root, &matrix, &sets)?;
    let files = files::contents(&project, &operations::tables(&matrix, &sets), given);
    if !arguments.check {
        for line in files::write(root, &project, &files)? {
            println!("{line}");
        }
        return Ok(true);
    }
    let differences = files::differences(root, &project, &files)?;
    for difference in &differences {
        print!("{difference}");
    }
    match differences.len() {
        0 => println!("{} generated files are current", files.len()),
        count => eprintln!("{count} differences: run `cargo run -p cuprum-generate`"),
    }
    Ok(differences.is_empty())
}

fn read(root: &Path, path: &str) -> io::Result<String> {
    fs::read_to_string(root.join(path)).map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))
}
