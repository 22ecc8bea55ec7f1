//! The program `conformance`: what it takes, and what each of its commands does.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::case::Case;
use crate::divergence;
use crate::matrix::{BUILT_IN, Divergence, Matrix};
use crate::mutants;
use crate::reference::Reference;
use crate::report::{About, CaseResult, Report, commit, digest, errors, now};
use crate::run::{Run, quiet_panics};
use crate::sample::{self, Shard};
use crate::subject::Subject;

/// Holds a device against the oracle, case by case.
#[derive(Debug, Parser)]
#[command(name = "conformance", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The declarations to use in place of those that are built in.
    #[arg(long, global = true, value_name = "FILE")]
    matrix: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints the ids of the cases.
    List {
        #[command(flatten)]
        choice: Choice,
        /// As a JSON array.
        #[arg(long)]
        json: bool,
        /// Only the number of cases by family.
        #[arg(long)]
        count: bool,
    },
    /// Runs the cases on a device.
    Run(RunArgs),
    /// Runs the cases, the cheapest first, up to the first that fails; prints what came of it as JSON.
    #[command(hide = true)]
    Hunt(RunArgs),
    /// Runs the suite against seeded faults; fails where one is not found. Needs the checkout and cargo.
    Mutants(MutantArgs),
    /// Makes the HTML page of results that `run --json` wrote.
    Report {
        /// The results.
        json: PathBuf,
        /// The page; by default beside the results.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// What the runs used of the matrix's budgets; fails where half of a budget would have done.
    Budgets {
        /// Reports that `run --json` wrote.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
    /// Compares two files that `run --digest` wrote: do the devices agree to the bit?
    Digests {
        /// One run.
        a: PathBuf,
        /// The other.
        b: PathBuf,
    },
}

/// Which cases.
#[derive(Debug, Args)]
struct Choice {
    /// The bounded product in place of the pairwise sample.
    #[arg(long)]
    full: bool,
    /// An id, or parts of ids with `*` between them; may be given more than once.
    #[arg(long, value_name = "ID")]
    filter: Vec<String>,
    /// A part of the cases, by the hash of their ids: `2/8`.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The seed of the sample and of the operands.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    choice: Choice,
    /// `cuda:0`, `sim`; by default `CUPRUM_DEVICE`, or the first CUDA device, or the simulator.
    #[arg(long)]
    device: Option<String>,
    /// Threads; by default one a core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Writes the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Writes the results as an HTML page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes 64 bits of every result.
    #[arg(long, value_name = "FILE")]
    digest: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct MutantArgs {
    /// Only mutants with this in their names.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// Where the copy with the faults is made and built.
    #[arg(long, value_name = "FOLDER", default_value = "target/mutants")]
    folder: PathBuf,
    /// Mutants at a time; by default one a core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Writes the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes the results as tables in Markdown.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// Threads, if not said otherwise.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the program. The exit code is 1 where a case failed, 2 where nothing could be run.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::from(2)
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Prints to the standard output; a reader that has gone away is no error.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

impl Cli {
    fn run(&self) -> Result<bool, String> {
        let text = self.matrix.as_deref().map_or_else(|| Ok(BUILT_IN.to_string()), read)?;
        let matrix = Matrix::parse(&text).map_err(|e| e.to_string())?;
        match &self.command {
            Command::List { choice, json, count } => {
                let cases = choice.cases(&matrix)?;
                if *count {
                    let counts = sample::count(&cases);
                    counts.iter().for_each(|(family, n)| print(&format!("{family}: {n}\n")));
                    print(&format!("total: {}\n", cases.len()));
                } else if *json {
                    let ids: Vec<String> = cases.iter().map(Case::id).collect();
                    print(&serde_json::to_string_pretty(&ids).map_err(|e| e.to_string())?);
                } else {
                    cases.iter().for_each(|case| print(&format!("{case}\n")));
                    choice.divergences(&matrix).iter().for_each(|d| print(&format!("{}\n", divergence::id(d))));
                }
                Ok(true)
            }
            Command::Run(args) => args.run(&matrix),
            Command::Hunt(args) => {
                let subject = Subject::open(args.device.as_deref())?;
                quiet_panics();
                let run = Run { matrix: &matrix, seed: matrix.seed, device: &subject, oracle: &Reference };
                let hunt = mutants::hunt(&run, args.choice.cases(&matrix)?);
                print(&serde_json::to_string(&hunt).map_err(|e| e.to_string())?);
                Ok(true)
            }
            Command::Mutants(args) => args.run(),
            Command::Report { json, html } => {
                let report: Report =
                    serde_json::from_str(&read(json)?).map_err(|e| format!("{}: {e}", json.display()))?;
                let html = html.clone().unwrap_or_else(|| json.with_extension("html"));
                write(&html, &report.html())?;
                print(&format!("{}\n", html.display()));
                Ok(true)
            }
            Command::Budgets { reports } => {
                let reports: Vec<Report> = reports
                    .iter()
                    .map(|path| serde_json::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display())))
                    .collect::<Result<_, _>>()?;
                let budgets = errors::budgets(&matrix, &reports);
                print(&errors::table(&budgets));
                Ok(!budgets.iter().any(errors::Budget::is_wide))
            }
            Command::Digests { a, b } => {
                let comparison = digest::compare(&read(a)?, &read(b)?)?;
                print(&format!("{comparison}\n"));
                Ok(comparison.exact_different.is_empty() && comparison.unmatched == 0)
            }
        }
    }
}

impl Choice {
    fn cases(&self, matrix: &Matrix) -> Result<Vec<Case>, String> {
        let cases = sample::cases(matrix, self.full, self.seed.unwrap_or(matrix.seed));
        if !self.full && self.seed.is_none_or(|seed| seed == matrix.seed) {
            let miscount = sample::miscount(matrix, &cases);
            if !miscount.is_empty() {
                return Err(format!("the number of cases is not the one expected:\n  {}", miscount.join("\n  ")));
            }
        }
        let others: Vec<String> = self.filter.iter().filter(|f| !f.starts_with(divergence::FAMILY)).cloned().collect();
        if others.is_empty() && !self.filter.is_empty() {
            return Ok(vec![]);
        }
        let cases = sample::filter(matrix, cases, &others)?;
        Ok(cases.into_iter().filter(|case| self.shard.is_none_or(|s| s.has(case))).collect())
    }

    /// The divergences that are asserted beside the cases.
    fn divergences<'a>(&self, matrix: &'a Matrix) -> Vec<&'a Divergence> {
        let picked = |d: &&Divergence| {
            let id = divergence::id(d);
            let filtered = self.filter.is_empty() || self.filter.iter().any(|f| sample::matches(f, &id));
            filtered && self.shard.is_none_or(|s| s.has_id(&id))
        };
        matrix.divergences.iter().filter(picked).collect()
    }

    fn part(&self) -> String {
        let shard = self.shard.map(|s| format!("shard {s}"));
        self.filter.iter().cloned().chain(shard).collect::<Vec<_>>().join(", ")
    }
}

impl MutantArgs {
    fn run(&self) -> Result<bool, String> {
        let start = Instant::now();
        let groups = mutants::read(mutants::BUILT_IN)?;
        let checkout = std::env::current_dir().map_err(|e| e.to_string())?;
        let options = mutants::Options {
            folder: checkout.join(&self.folder),
            checkout,
            only: self.only.clone(),
            jobs: self.jobs.unwrap_or_else(cores),
        };
        let (outcomes, smallest) = mutants::run(&groups, &options, &|outcome| {
            eprintln!("{:>9} {:6.1} s  {}", format!("{:?}", outcome.fate), outcome.seconds, outcome.id);
        })?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(path) = &self.json {
            write(path, &serde_json::to_string_pretty(&outcomes).map_err(|e| e.to_string())?)?;
        }
        if let Some(path) = &self.table {
            write(path, &mutants::page(&outcomes, &now(), &commit(), seconds))?;
        }
        if let Some(smallest) = smallest {
            print(&format!("a printed test fails with its fault and passes without: {}\n", smallest.id));
        }
        print(&format!("{}\n", mutants::summary(&outcomes, seconds)));
        Ok(outcomes.iter().all(|o| o.fate.is_good()))
    }
}

impl RunArgs {
    fn run(&self, matrix: &Matrix) -> Result<bool, String> {
        let cases = self.choice.cases(matrix)?;
        let divergences = self.choice.divergences(matrix);
        if cases.is_empty() && divergences.is_empty() {
            return Err("there is no case to run".into());
        }
        let seed = self.choice.seed.unwrap_or(matrix.seed);
        let subject = Subject::open(self.device.as_deref())?;
        let jobs = self.jobs.unwrap_or_else(cores);
        let date = now();
        quiet_panics();
        let start = Instant::now();
        let progress = Progress::new(cases.len());
        let run = Run { matrix, seed, device: &subject, oracle: &Reference };
        let mut results = run.cases(&cases, jobs, &|result| progress.step(result));
        progress.end();
        if results.len() != cases.len() {
            return Err(format!("{} of {} cases were run", results.len(), cases.len()));
        }
        run.shrink_first(&cases, &mut results);
        results.extend(divergences.into_iter().map(|d| run.divergence(d)));
        let about = About {
            commit: commit(),
            date,
            seed,
            full: self.choice.full,
            part: self.choice.part(),
            jobs,
            seconds: start.elapsed().as_secs_f64(),
            ..subject.about()
        };
        let report = Report { about, cases: results };
        self.write(&report)?;
        print(&format!("{}\n", report.summary()));
        Ok(report.failed().next().is_none())
    }

    fn write(&self, report: &Report) -> Result<(), String> {
        if let Some(path) = &self.json {
            write(path, &serde_json::to_string(report).map_err(|e| e.to_string())?)?;
        }
        if let Some(path) = &self.junit {
            write(path, &report.junit())?;
        }
        if let Some(path) = &self.html {
            write(path, &report.html())?;
        }
        if let Some(path) = &self.digest {
            write(path, &digest::write(report))?;
        }
        Ok(())
    }
}

/// A bar on a terminal, a line every tenth elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    done: AtomicUsize,
    failed: AtomicUsize,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{bar:40} {pos}/{len} cases, {msg} failed, {elapsed} of {duration}");
            ProgressBar::new(total as u64).with_message("0").with_style(style.expect("the template is constant"))
        });
        Progress { bar, total, done: AtomicUsize::new(0), failed: AtomicUsize::new(0) }
    }

    fn step(&self, result: &CaseResult) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let failing = usize::from(result.failure.is_some());
        let failed = self.failed.fetch_add(failing, Ordering::Relaxed) + failing;
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                if failing > 0 {
                    bar.set_message(failed.to_string());
                }
            }
            None if self.total >= 100 && done.is_multiple_of(self.total.div_ceil(10)) => {
                eprintln!("{done}/{} cases, {failed} failed", self.total);
            }
            None => {}
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
        let cli = Cli::parse_from(["conformance", "run", "--filter", "add", "--shard", "2/8", "--device", "sim"]);
        let Command::Run(args) = cli.command else { panic!("run was given") };
        assert_eq!(args.choice.part(), "add, shard 2/8");
    }
}
