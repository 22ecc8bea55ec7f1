//! The command line of `conformance`: arguments and commands.

mod programs;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::case::Case;
use crate::changed;
use crate::coverage;
use crate::divergence;
use crate::failing;
use crate::large;
use crate::matrix::{Divergence, Matrix, Source};
use crate::must_pass;
use crate::mutants;
use crate::numpy::proof::{Proof, prove};
use crate::numpy::replies::{Replies, chosen};
use crate::reference::Reference;
use crate::report::html::{Mutant, Page};
use crate::report::record::Record;
use crate::report::{About, CaseResult, Report, command_line, commit, compare, digest, errors, now};
use crate::rerun;
use crate::run::{Run, quiet_panics};
use crate::sample;
use crate::shard::{Costs, Shard};
use crate::subject::Subject;
use crate::workers::{self, Pool};

/// Compares a device with the oracle, case by case.
#[derive(Debug, Parser)]
#[command(name = "conformance", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Declarations that replace the built-in ones.
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
        /// Prints the whole default sample, sampled anew, in the format of `tests/must-pass.txt`.
        #[arg(long)]
        must_pass: bool,
    },
    /// Runs the cases on a device.
    Run(RunArgs),
    /// Compares the oracle with NumPy, aspect by aspect.
    Oracle(OracleArgs),
    /// Runs the cases, the cheapest first, up to the first that fails; prints the result as JSON.
    #[command(hide = true)]
    Hunt(RunArgs),
    /// Runs the suite against seeded faults; fails where one is not detected. Needs the checkout and cargo.
    Mutants(MutantArgs),
    /// Writes one HTML page from the results of `run --json`, on one device or on several.
    Report {
        /// The results.
        #[arg(required = true)]
        json: Vec<PathBuf>,
        /// The page; by default next to the first results.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// The results of the mutants, as `mutants --json` writes them.
        #[arg(long, value_name = "FILE")]
        mutants: Option<PathBuf>,
    },
    /// Reports how much of the matrix's budgets the runs used; fails where half of a budget would have been enough.
    Budgets {
        /// Reports that `run --json` wrote.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
    /// Writes the time of a case of each operation, as in `conformance/costs.txt`, by which shards are equally long.
    Costs {
        /// Reports that `run --json` wrote.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
    /// Writes the counts and times of a run in a small file, from which `generate` makes the tables of results.
    Record {
        /// The output file.
        record: PathBuf,
        /// Results of `run --json`; several are parts of one run.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
    /// Checks arrays of more than 2^31 elements against closed forms; fails where the memory of the device is too small
    /// for one of them.
    Large {
        /// `cuda:0`, `sim`; by default `CUPRUM_DEVICE`, or the first CUDA device, or the simulator.
        #[arg(long)]
        device: Option<String>,
        /// Elements of each array.
        #[arg(long, value_name = "N", default_value_t = large::ELEMENTS)]
        elements: usize,
        /// More than 2^32 elements, where all indices are 64-bit.
        #[arg(long, conflicts_with = "elements")]
        wide: bool,
        /// Only checks whose names contain one of these.
        #[arg(long, value_name = "PART")]
        only: Vec<String>,
    },
    /// Runs random programs, step by step on a device and on the oracle; fails where the sides differ in one.
    Programs(programs::ProgramsArgs),
    /// Writes the changes between two runs as Markdown; fails where a case broke or is missing.
    Compare {
        /// The results of the first run, from `run --json`.
        before: PathBuf,
        /// The results of the second run.
        after: PathBuf,
    },
    /// Executes the cases whose ids it reads: `run --workers` starts these.
    #[command(hide = true)]
    Worker {
        /// The device.
        #[arg(long)]
        device: Option<String>,
        /// The seed of the operands.
        #[arg(long)]
        seed: u64,
    },
    /// Compares two files of `run --digest`: do the devices agree to the bit?
    Digests {
        /// One run.
        a: PathBuf,
        /// The other.
        b: PathBuf,
    },
}

/// Selection of cases.
#[derive(Args, Clone, Debug)]
struct Choice {
    /// The bounded product instead of the pairwise sample.
    #[arg(long)]
    full: bool,
    /// A few cases of each family instead of the whole pairwise sample.
    #[arg(long, conflicts_with_all = ["full", "shard"])]
    quick: bool,
    /// Only the cases of the sample that the gate runs.
    #[arg(long, conflicts_with_all = ["full", "seed"])]
    gate: bool,
    /// Only cases that the files changed since a commit can affect, the nearest first, as many as take forty seconds on each
    /// core; by default since the last commit. Needs the checkout.
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD",
          conflicts_with_all = ["full", "quick", "gate", "shard", "seed", "filter"])]
    changed: Option<String>,
    /// An id, or parts of ids with `*` between them; may be repeated.
    #[arg(long, value_name = "ID")]
    filter: Vec<String>,
    /// A shard of the cases; all shards take the same time by measurement: `2/8`.
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
    /// Threads; by default one for each core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Processes instead of threads: a fault of the device, a crash or a hang affects its case alone.
    #[arg(long, value_name = "N", conflicts_with = "jobs")]
    workers: Option<usize>,
    /// Time limit of a case in a worker process, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, requires = "workers")]
    limit: f64,
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
    /// Executes each case in a fusing scope, too, and with a pending mask: the results must be the same to the bit.
    #[arg(long, conflicts_with = "workers")]
    fuse: bool,
}

#[derive(Debug, Args)]
struct MutantArgs {
    /// Only mutants whose names contain this; may be repeated.
    #[arg(long, value_name = "PART")]
    only: Vec<String>,
    /// Only this number of mutants, drawn at random.
    #[arg(long, value_name = "N")]
    draw: Option<usize>,
    /// The seed of the draw.
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "draw")]
    seed: u64,
    /// Only the cases of the sample that the gate runs.
    #[arg(long)]
    gate: bool,
    /// The folder in which the copy with the faults is created and built.
    #[arg(long, value_name = "FOLDER", default_value = "target/mutants")]
    folder: PathBuf,
    /// This program, built with the faults as in `--folder` after a run, for a machine without the checkout.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Number of concurrent mutants; by default one for each core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Writes the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes the results as tables in Markdown.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// Returns the default number of threads.
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

fn report(path: &Path) -> Result<Report, String> {
    serde_json::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// Prints to the standard output; a closed pipe is no error.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

impl Cli {
    fn run(&self) -> Result<bool, String> {
        let source = self.matrix.as_deref().map_or_else(Source::built_in, Source::read)?;
        let matrix = Matrix::parse(&source).map_err(|e| e.to_string())?;
        match &self.command {
            Command::List { choice, json, count, must_pass } => {
                let cases = choice.cases(&matrix)?;
                if *count {
                    let counts = sample::count(&cases);
                    counts.iter().for_each(|(family, n)| print(&format!("{family}: {n}\n")));
                    print(&format!("total: {}\n", cases.len()));
                    let seconds = Costs::measured().seconds(&cases);
                    print(&format!("one after the other: some {seconds:.0} s, by conformance/costs.txt\n"));
                    let sets = sample::case_sets(&matrix, choice.full, choice.seed.unwrap_or(matrix.seed));
                    print(&coverage::table(&matrix, &sets));
                } else if *must_pass {
                    print(&sample::must_pass(&matrix, &sample::sampled_anew(&matrix))?);
                } else if *json {
                    let ids: Vec<String> = cases.iter().map(Case::id).collect();
                    print(&serde_json::to_string_pretty(&ids).map_err(|e| e.to_string())?);
                } else {
                    cases.iter().for_each(|case| print(&format!("{case}\n")));
                    choice.divergences(&matrix).iter().for_each(|d| print(&format!("{}\n", divergence::id(d))));
                }
                Ok(true)
            }
            Command::Oracle(args) => args.run(&matrix),
            Command::Run(args) => {
                if args.choice.is_whole() && self.matrix.is_none() {
                    let listed = must_pass::read(must_pass::BUILT_IN)?;
                    let difference = must_pass::difference(&listed, &sample::ids(&matrix));
                    if !difference.is_empty() {
                        return Err(difference.to_string());
                    }
                }
                args.run(&matrix, self.matrix.as_deref())
            }
            Command::Worker { device, seed } => {
                worker(&matrix, device.as_deref(), *seed).map_err(|e| e.to_string())?;
                Ok(true)
            }
            Command::Hunt(args) => {
                let subject = Subject::open(args.device.as_deref())?;
                quiet_panics();
                let run = Run { matrix: &matrix, seed: matrix.seed, device: &subject, oracle: &Reference };
                let hunt = mutants::hunt(&run, args.choice.cases(&matrix)?);
                print(&serde_json::to_string(&hunt).map_err(|e| e.to_string())?);
                Ok(true)
            }
            Command::Mutants(args) => args.run(),
            Command::Report { json, html, mutants } => {
                let runs: Vec<Report> = json.iter().map(|path| report(path)).collect::<Result<_, _>>()?;
                let mutants: Vec<Mutant> = match mutants {
                    Some(path) => serde_json::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))?,
                    None => vec![],
                };
                let html = html.clone().unwrap_or_else(|| json[0].with_extension("html"));
                write(&html, &Page { runs: &runs, matrix: &matrix, mutants: &mutants }.html())?;
                print(&format!("{}\n", html.display()));
                Ok(true)
            }
            Command::Budgets { reports } => {
                let reports: Vec<Report> = reports.iter().map(|path| report(path)).collect::<Result<_, _>>()?;
                let budgets = errors::budgets(&matrix, &reports);
                print(&errors::table(&budgets));
                Ok(!budgets.iter().any(errors::Budget::is_wide))
            }
            Command::Programs(args) => args.run(&matrix, self.matrix.as_deref()),
            Command::Costs { reports } => {
                let reports: Vec<Report> = reports.iter().map(|path| report(path)).collect::<Result<_, _>>()?;
                print(&Costs::write(&reports));
                Ok(true)
            }
            Command::Record { record, reports } => {
                let reports: Vec<Report> = reports.iter().map(|path| report(path)).collect::<Result<_, _>>()?;
                write(record, &Record::of(&reports)?.json())?;
                Ok(true)
            }
            Command::Large { device, elements, wide, only } => {
                large(device.as_deref(), if *wide { large::WIDE } else { *elements }, only)
            }
            Command::Compare { before, after } => {
                let (before, after) = (report(before)?, report(after)?);
                print(&compare::markdown(&before, &after));
                Ok(compare::changes(&before, &after).is_good())
            }
            Command::Digests { a, b } => {
                let comparison = digest::compare(&read(a)?, &read(b)?)?;
                print(&format!("{comparison}\n"));
                Ok(comparison.exact_different.is_empty() && comparison.unmatched == 0)
            }
        }
    }
}

fn large(device: Option<&str>, elements: usize, only: &[String]) -> Result<bool, String> {
    let subject = Subject::open(device)?;
    let line = |d: &large::Done| {
        let fate = match &d.fate {
            large::Fate::Passed => "ok".into(),
            large::Fate::NoRoom(message) => format!("NO ROOM: {message}"),
            large::Fate::Failed(message) => format!("FAILED: {message}"),
        };
        print(&format!("{:<28} {:>8.2} s  {fate}\n", d.name, d.time.as_secs_f64()));
    };
    let done = large::run(subject.device(), elements, only, line).map_err(|e| e.to_string())?;
    let count = |f: fn(&large::Fate) -> bool| done.iter().filter(|d| f(&d.fate)).count();
    let passed = count(|f| matches!(f, large::Fate::Passed));
    let failed = count(|f| matches!(f, large::Fate::Failed(_)));
    let without = done.len() - passed - failed;
    print(&format!("{elements} elements: {passed} passed, {failed} failed, {without} without room\n"));
    if without > 0 {
        print("Arrays that did not fit were not checked: take a device with more memory, or fewer --elements.\n");
    }
    Ok(large::is_good(&done))
}

impl Choice {
    fn cases(&self, matrix: &Matrix) -> Result<Vec<Case>, String> {
        if let Some(base) = &self.changed {
            let root = std::env::current_dir().map_err(|e| e.to_string())?;
            return changed::cases(matrix, &root, base, cores());
        }
        let others: Vec<String> = self.filter.iter().filter(|f| !f.starts_with(divergence::FAMILY)).cloned().collect();
        if others.is_empty() && !self.filter.is_empty() {
            return Ok(vec![]);
        }
        let cases = sample::cases_for(matrix, &others, self.full, self.seed.unwrap_or(matrix.seed));
        if others.is_empty() && !self.full && self.seed.is_none_or(|seed| seed == matrix.seed) {
            let miscount = sample::miscount(matrix, &cases);
            if !miscount.is_empty() {
                return Err(format!("the number of cases is not the one expected:\n  {}", miscount.join("\n  ")));
            }
        }
        let mut cases = sample::filter(matrix, cases, &others)?;
        if self.gate {
            let nightly = sample::nightly(matrix);
            cases.retain(|case| !nightly.contains(&case.id()));
        }
        if self.quick {
            return Ok(sample::quick(cases, sample::QUICK, &Costs::measured(), self.seed.unwrap_or(matrix.seed)));
        }
        Ok(match self.shard {
            Some(shard) => shard.cases(cases, &Costs::measured()),
            None => cases,
        })
    }

    /// Returns true if this is the whole default sample.
    fn is_whole(&self) -> bool {
        let all = self.filter.is_empty() && self.changed.is_none() && self.seed.is_none();
        all && !self.full && !self.quick && !self.gate
    }

    /// Returns the divergences that are asserted in addition to the cases.
    fn divergences<'a>(&self, matrix: &'a Matrix) -> Vec<&'a Divergence> {
        let picked = |d: &&Divergence| {
            let id = divergence::id(d);
            let filtered = self.filter.is_empty() || self.filter.iter().any(|f| crate::text::matches(f, &id));
            let whole = !self.quick && !self.gate && self.changed.is_none();
            d.is_run() && filtered && whole && self.shard.is_none_or(|s| s.has_id(&id))
        };
        matrix.divergences.iter().filter(picked).collect()
    }

    fn part(&self) -> String {
        let shard = self.shard.map(|s| format!("shard {s}"));
        let quick = self.quick.then(|| "the quick sample".to_string());
        let gate = self.gate.then(|| "the gate's cases".to_string());
        let changed = self.changed.as_ref().map(|base| format!("what changed since {base}"));
        self.filter.iter().cloned().chain(shard).chain(quick).chain(gate).chain(changed).collect::<Vec<_>>().join(", ")
    }
}

/// Serves the parent that started this process.
fn worker(matrix: &Matrix, device: Option<&str>, seed: u64) -> std::io::Result<()> {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout());
    match Subject::open(device) {
        Ok(subject) => {
            quiet_panics();
            let run = Run { matrix, seed, device: &subject, oracle: &Reference };
            workers::serve(&run, &|| subject.about(), input, output)
        }
        Err(message) => workers::unable(&message, output),
    }
}

impl MutantArgs {
    fn run(&self) -> Result<bool, String> {
        let start = Instant::now();
        let groups = mutants::built_in()?;
        let checkout = std::env::current_dir().map_err(|e| e.to_string())?;
        let options = mutants::Options {
            folder: checkout.join(&self.folder),
            checkout,
            only: self.only.clone(),
            draw: self.draw.map(|count| (count, self.seed)),
            gate: self.gate,
            jobs: self.jobs.unwrap_or_else(cores),
            program: self.program.clone(),
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
    fn run(&self, matrix: &Matrix, file: Option<&Path>) -> Result<bool, String> {
        let cases = self.choice.cases(matrix)?;
        let divergences = self.choice.divergences(matrix);
        let total = cases.len() + divergences.len();
        if total == 0 {
            return Err("there is no case to run".into());
        }
        let seed = self.choice.seed.unwrap_or(matrix.seed);
        let (date, start) = (now(), Instant::now());
        let progress = Progress::new(total);
        let step = |result: &CaseResult| progress.step(result);
        let (mut results, ran_on) = match self.workers {
            Some(workers) => {
                let ids: Vec<String> =
                    cases.iter().map(Case::id).chain(divergences.into_iter().map(divergence::id)).collect();
                self.in_processes(&ids, workers, seed, file, &step)?
            }
            None => self.in_threads(matrix, &cases, &divergences, seed, &step)?,
        };
        progress.end();
        if results.len() != total {
            return Err(format!("{} of {total} cases were run", results.len()));
        }
        failing::apply(matrix, &ran_on.device, &mut results);
        let about = About {
            commit: commit(),
            date,
            seed,
            full: self.choice.full,
            part: self.choice.part(),
            command: command_line(),
            seconds: start.elapsed().as_secs_f64(),
            ..ran_on
        };
        let report = Report { about, cases: results };
        self.write(&report, matrix)?;
        print(&format!("{}\n", report.summary()));
        Ok(report.failed().next().is_none())
    }

    fn in_threads(
        &self,
        matrix: &Matrix,
        cases: &[Case],
        divergences: &[&Divergence],
        seed: u64,
        step: &(dyn Fn(&CaseResult) + Sync),
    ) -> Result<(Vec<CaseResult>, About), String> {
        let subject = Subject::open(self.device.as_deref())?.fusing(self.fuse);
        quiet_panics();
        let jobs = self.jobs.unwrap_or_else(cores);
        let run = Run { matrix, seed, device: &subject, oracle: &Reference };
        let mut results = run.cases(cases, jobs, step);
        run.shrink_first(cases, &mut results);
        let again = rerun::chosen(&results, seed);
        let again: Vec<Case> = again.iter().filter_map(|id| Case::parse(id, matrix).ok()).collect();
        rerun::judge(&mut results, run.cases(&again, jobs, &|_| {}));
        results.extend(divergences.iter().map(|d| run.divergence(d)).inspect(|result| step(result)));
        Ok((results, About { jobs, ..subject.about() }))
    }

    fn in_processes(
        &self,
        ids: &[String],
        workers: usize,
        seed: u64,
        file: Option<&Path>,
        step: &(dyn Fn(&CaseResult) + Sync),
    ) -> Result<(Vec<CaseResult>, About), String> {
        let command = programs::this_program()?;
        let command = || {
            let mut command = command(file, self.device.as_deref(), "worker");
            command.args(["--seed", &seed.to_string()]);
            command
        };
        let limit = Duration::try_from_secs_f64(self.limit).map_err(|e| format!("the limit: {e}"))?;
        let pool = Pool { command: &command, workers, limit };
        let mut work = pool.run(ids, step)?;
        let again = pool.run(&rerun::chosen(&work.results, seed), &|_| {})?;
        rerun::judge(&mut work.results, again.results);
        Ok((work.results, About { workers, ..work.about }))
    }

    fn write(&self, report: &Report, matrix: &Matrix) -> Result<(), String> {
        if let Some(path) = &self.json {
            write(path, &serde_json::to_string(report).map_err(|e| e.to_string())?)?;
        }
        if let Some(path) = &self.junit {
            write(path, &report.junit())?;
        }
        if let Some(path) = &self.html {
            write(path, &Page { runs: std::slice::from_ref(report), matrix, mutants: &[] }.html())?;
        }
        if let Some(path) = &self.digest {
            write(path, &digest::write(report))?;
        }
        Ok(())
    }
}

/// Options of the comparison with NumPy.
#[derive(Args, Debug)]
struct OracleArgs {
    #[command(flatten)]
    choice: Choice,
    /// Interpreters with NumPy: one for each version to compare with.
    #[arg(long, required = true, value_name = "FILE")]
    python: Vec<PathBuf>,
    /// The script that they run.
    #[arg(long, value_name = "FILE", default_value = "ci/oracle_numpy.py")]
    script: PathBuf,
    /// Number of samples of the cases, with consecutive seeds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    samples: u64,
    /// Threads; by default one for each core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Writes the comparisons and differences.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compares nothing: writes the first NumPy's replies to some cases of each function, for the tests.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl OracleArgs {
    fn run(&self, matrix: &Matrix) -> Result<bool, String> {
        let seed = self.choice.seed.unwrap_or(matrix.seed);
        let mut cases = vec![];
        for seed in seed..seed + self.samples.max(1) {
            let choice = Choice { seed: Some(seed), ..self.choice.clone() };
            cases.extend(choice.cases(matrix)?.into_iter().map(|case| (case, seed)));
        }
        if let Some(path) = &self.record {
            let cases = chosen(matrix, cases);
            let replies = Replies::ask(matrix, &cases, &self.python[0], &self.script)?;
            std::fs::write(path, replies.packed()?).map_err(|e| format!("{}: {e}", path.display()))?;
            print(&format!("{} replies of NumPy {}\n", replies.len(), replies.numpy));
            return Ok(!replies.is_empty());
        }
        let jobs = self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        quiet_panics();
        let mut proofs: Vec<Proof> = vec![];
        for python in &self.python {
            let start = Instant::now();
            let proof = prove(matrix, &cases, python, &self.script, jobs)?;
            print(&format!("{}{:.0} s\n", proof.summary(), start.elapsed().as_secs_f64()));
            proofs.push(proof);
        }
        let total: usize = proofs.iter().map(Proof::comparisons).sum();
        print(&format!("{total} comparisons: a case, or an array of its result, with one NumPy in one aspect\n"));
        if let Some(path) = &self.json {
            write(path, &serde_json::to_string_pretty(&proofs).map_err(|e| e.to_string())?)?;
        }
        // A part of the cases does not show everything.
        let whole = self.choice.filter.is_empty() && self.choice.shard.is_none();
        let today = &now()[..10];
        let stale: Vec<String> = proofs.iter().filter(|_| whole).flat_map(|p| p.stale(matrix, today)).collect();
        stale.iter().for_each(|line| print(&format!("{line}\n")));
        Ok(stale.is_empty() && proofs.iter().all(|p| p.differences.is_empty()))
    }
}

/// Progress display: a bar on a terminal, a line for every tenth elsewhere.
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
