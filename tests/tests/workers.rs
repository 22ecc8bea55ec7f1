//! Tests of worker processes with seeded faults: each fault fails its own case only.
//!
//! The workers are instances of this program, started with `worker` as the first argument: their device is the oracle
//! with a fault selected by the id of the case.

use std::path::PathBuf;
use std::process::{Command, abort, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cuprum_conformance::judge::Reason;
use cuprum_conformance::matrix::Op;
use cuprum_conformance::operand::Input;
use cuprum_conformance::outcome::{Kind, Outcome};
use cuprum_conformance::reference::Reference;
use cuprum_conformance::report::{About, CaseResult};
use cuprum_conformance::run::{Run, quiet_panics};
use cuprum_conformance::side::Side;
use cuprum_conformance::workers::{Pool, Work, serve};
use cuprum_conformance::{Case, Matrix, rerun};
use libtest_mimic::{Arguments, Failed, Trial};

/// A case for each fault, identified by its shape.
const GOOD: &str = "math/negative/i32/(3,)/C/small";
const ABORTS: &str = "math/negative/i32/(11,)/C/small";
const OVERFLOWS: &str = "math/negative/i32/(12,)/C/small";
const KILLED: &str = "math/negative/i32/(13,)/C/small";
const HANGS: &str = "math/negative/i32/(14,)/C/small";
const POISONS: &str = "math/negative/i32/(15,)/C/small";
const BREAKS: &str = "math/negative/i32/(16,)/C/small";
const ABORTS_ONCE: &str = "math/negative/i32/(17,)/C/small";
const WAVERS: &str = "math/negative/i32/(18,)/C/small";
const LEAVES_POISON: &str = "math/negative/i32/(19,)/C/small";
const PANICS: &str = "math/negative/i32/(20,)/C/small";
const PRINTS: &str = "math/negative/i32/(21,)/C/small";

/// The oracle as a device, with seeded faults.
struct Faulty {
    /// The folder in which it records actions that are taken once.
    notes: PathBuf,
    poisoned: AtomicBool,
}

impl Faulty {
    /// Returns true for the first call with `what` in any process.
    fn first(&self, what: &str) -> bool {
        std::fs::OpenOptions::new().write(true).create_new(true).open(self.notes.join(what)).is_ok()
    }
}

fn deep(n: u64) -> u64 {
    std::hint::black_box([n; 64])[0] + if n == u64::MAX { 0 } else { deep(n + 1) }
}

impl Side for Faulty {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        let broken = || Outcome::Rejected(Kind::Broken, "an illegal address was accessed".into());
        if self.poisoned.load(Ordering::Relaxed) {
            return broken();
        }
        match case.id().as_str() {
            ABORTS => abort(),
            OVERFLOWS => return Outcome::Text(deep(0).to_string()),
            KILLED => {
                let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
                std::thread::sleep(Duration::from_secs(60));
            }
            HANGS => std::thread::sleep(Duration::from_secs(600)),
            POISONS => {
                self.poisoned.store(true, Ordering::Relaxed);
                return broken();
            }
            LEAVES_POISON if self.first("poison") => self.poisoned.store(true, Ordering::Relaxed),
            BREAKS => return broken(),
            PANICS => panic!("planted"),
            ABORTS_ONCE if self.first("abort") => abort(),
            WAVERS if self.first("waver") => return Outcome::Text("something else".into()),
            PRINTS => println!("@worker nonsense\nnot a message"),
            _ => {}
        }
        Reference.run(op, case, inputs)
    }
}

fn worker(notes: &str) {
    let matrix = Matrix::built_in().expect("the matrix is well-formed");
    let device = Faulty { notes: notes.into(), poisoned: AtomicBool::new(false) };
    quiet_panics();
    let run = Run { matrix: &matrix, seed: 1, device: &device, oracle: &Reference };
    let about = || About { device: "faulty".into(), compiled: 1, ..About::default() };
    if serve(&run, &about, std::io::stdin().lock(), std::io::stdout()).is_err() {
        exit(1);
    }
}

/// Runs the cases with one or several workers.
fn work(name: &str, workers: usize, ids: &[&str]) -> Result<Work, Failed> {
    let notes = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("workers-{name}"));
    let _ = std::fs::remove_dir_all(&notes);
    std::fs::create_dir_all(&notes)?;
    let program = std::env::current_exe()?;
    let command = || {
        let mut command = Command::new(&program);
        command.arg("worker").arg(&notes);
        command
    };
    let pool = Pool { command: &command, workers, limit: Duration::from_secs(2) };
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_string()).collect();
    let mut work = pool.run(&ids, &|_| {})?;
    let given: Vec<&str> = work.results.iter().map(|r| r.id.as_str()).collect();
    if given != ids {
        return Err(format!("{given:?} where {ids:?} were expected").into());
    }
    let again = pool.run(&rerun::chosen(&work.results, 1), &|_| {})?;
    rerun::judge(&mut work.results, again.results);
    Ok(work)
}

fn failed(results: &[CaseResult]) -> Vec<(&str, Reason)> {
    results.iter().filter_map(|r| Some((r.id.as_str(), r.failure.as_ref()?.reason))).collect()
}

/// Checks that exactly one case is blamed, and its message.
fn one(name: &str, id: &'static str, reason: Reason, says: &str) -> Trial {
    let (name, says) = (name.to_string(), says.to_string());
    Trial::test(format!("one case is blamed: {name}"), move || {
        let work = work(&name, 1, &[GOOD, PRINTS, id, GOOD, PRINTS])?;
        if failed(&work.results) != [(id, reason)] {
            return Err(format!("{:?}", work.results).into());
        }
        let message = &work.results[2].failure.as_ref().ok_or("it failed")?.message;
        if message.contains(&says) { Ok(()) } else { Err(message.into()) }
    })
}

fn the_poisoner_is_named() -> Result<(), Failed> {
    let work = work("leaves", 1, &[GOOD, LEAVES_POISON, GOOD, PRINTS])?;
    // The later case failed first; since it passes alone, it is not to blame, and its message names the other.
    let message = work.results[2].failure.as_ref().map(|f| f.message.as_str()).unwrap_or_default();
    if failed(&work.results) == [(GOOD, Reason::Flaky)] && message.contains(LEAVES_POISON) {
        return Ok(());
    }
    Err(format!("{:?}", work.results).into())
}

fn many_workers_and_many_faults() -> Result<(), Failed> {
    let mut ids = vec![];
    let faults = [ABORTS, KILLED, POISONS, BREAKS, OVERFLOWS];
    for fault in faults {
        ids.extend([GOOD, PRINTS, fault, GOOD]);
    }
    let start = Instant::now();
    let work = work("many", 3, &ids)?;
    let mut blamed: Vec<&str> = failed(&work.results).into_iter().map(|(id, _)| id).collect();
    let mut planted = faults.to_vec();
    blamed.sort_unstable();
    planted.sort_unstable();
    if blamed == planted && start.elapsed() < Duration::from_secs(60) && work.starts > 3 {
        return Ok(());
    }
    Err(format!("{blamed:?}, {} starts, {:?}", work.starts, start.elapsed()).into())
}

fn a_worker_that_cannot_start_ends_the_run() -> Result<(), Failed> {
    let command = || Command::new("false");
    let pool = Pool { command: &command, workers: 2, limit: Duration::from_secs(2) };
    match pool.run(&[GOOD.to_string()], &|_| {}) {
        Err(message) if message.contains("died at its start") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn sound_workers_are_kept() -> Result<(), Failed> {
    let work = work("sound", 1, &[GOOD, BREAKS, PANICS, GOOD, PRINTS])?;
    let whole = work.starts == 1 && work.about.device == "faulty" && work.about.compiled == 1;
    if whole && failed(&work.results) == [(BREAKS, Reason::Broken), (PANICS, Reason::Broken)] {
        return Ok(());
    }
    Err(format!("{work:?}").into())
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("worker") {
        return worker(&arguments.next().unwrap_or_default());
    }
    let trials = vec![
        one("abort", ABORTS, Reason::Crash, "SIGABRT"),
        one("stack overflow", OVERFLOWS, Reason::Crash, "overflowed its stack"),
        one("killed", KILLED, Reason::Crash, "SIGKILL"),
        one("hang", HANGS, Reason::Hang, "not done after 2 s, among others and alone"),
        one("sticky fault", POISONS, Reason::Broken, "illegal address"),
        one("breakdown", BREAKS, Reason::Broken, "illegal address"),
        one("abort that comes once", ABORTS_ONCE, Reason::Flaky, "not so alone in a new process"),
        one("other result when run again", WAVERS, Reason::Flaky, "run again, passed"),
        Trial::test("what left the device poisoned is named", the_poisoner_is_named),
        Trial::test("many workers and many faults", many_workers_and_many_faults),
        Trial::test("a worker that cannot start ends the run", a_worker_that_cannot_start_ends_the_run),
        Trial::test("sound workers are kept", sound_workers_are_kept),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
