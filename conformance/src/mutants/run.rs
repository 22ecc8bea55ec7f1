//! Builds the copy once and runs it for each mutant.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::paste::pasted;
use super::{Fate, Group, Hunt, Mutant, Outcome, tree};
use crate::judge::{Failure, Reason, Smallest};
use crate::random::Rng;
use crate::report::CaseResult;

/// Time limit of a hunt: a fault may cause an endless kernel. If the hunt without a fault takes a quarter of the limit
/// or more, as on a busy machine, the limit is four times its duration.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time limit of a hunt without a fault.
const MOST_PATIENCE: Duration = Duration::from_secs(1200);

/// Options of a run of mutants.
#[derive(Clone, Debug)]
pub struct Options {
    /// The checkout.
    pub checkout: PathBuf,
    /// The folder of the copy and its build.
    pub folder: PathBuf,
    /// Only mutants whose names contain one of these; all, if empty.
    pub only: Vec<String>,
    /// Number of mutants that are drawn at random, and the seed; all, if `None`.
    pub draw: Option<(usize, u64)>,
    /// True if only the gate's cases are run.
    pub gate: bool,
    /// Number of concurrent mutants.
    pub jobs: usize,
    /// The program with the faults, if it was built before; parts that need the checkout are then left out.
    pub program: Option<PathBuf>,
}

/// The results of the mutants; and, if all were run, the case to which one of them was shrunk, whose printed test was
/// compiled and fails only with the fault.
pub type Results = (Vec<Outcome>, Option<Smallest>);

/// Runs the mutants; `done` is called after each.
///
/// # Errors
/// A message, if the copy cannot be created or built, a case fails in it while no mutant is active, or a printed test
/// does not behave as required.
pub fn run(groups: &[Group], options: &Options, done: &(dyn Fn(&Outcome) + Sync)) -> Result<Results, String> {
    let program = options.program.clone().map_or_else(|| build(groups, options), Ok)?;
    let wanted = |m: &Mutant| options.only.is_empty() || options.only.iter().any(|part| m.id.contains(part.as_str()));
    let mut chosen: Vec<(&Group, &Mutant)> = groups
        .iter()
        .flat_map(|group| group.mutants.iter().map(move |m| (group, m)))
        .filter(|(_, m)| wanted(m))
        .collect();
    if let Some((count, seed)) = options.draw {
        Rng::new(seed, "mutants").shuffle(&mut chosen);
        chosen.truncate(count);
    }
    let mut work = vec![];
    let mut sound: Vec<Hunters<'_>> = vec![];
    for (group, mutant) in chosen {
        let cases = if mutant.cases.is_empty() { &group.cases } else { &mutant.cases };
        let hunters = group.test.as_deref().map_or(Hunters::Cases(cases), Hunters::Test);
        if !sound.contains(&hunters) {
            sound.push(hunters);
        }
        let hunter = sound.iter().position(|known| *known == hunters).unwrap_or_default();
        work.push((group.engine.as_str(), mutant, hunter));
    }
    let patience: Vec<Result<Duration, String>> = parallel(options.jobs, &sound, |hunters| {
        let start = Instant::now();
        match child(&program, None, *hunters, options.gate, MOST_PATIENCE)? {
            Child { hunt: Some(Hunt { failed: None, .. }), .. } => Ok(PATIENCE.max(start.elapsed() * 4)),
            Child { hunt: Some(Hunt { failed: Some(failed), .. }), .. } => {
                Err(format!("{} fails without any fault: {:?}", failed.id, failed.failure))
            }
            Child { said, ran_on, .. } => {
                let reason = if ran_on { "takes too long" } else { "breaks down" };
                Err(format!("{hunters:?} {reason} without any fault: {said}"))
            }
        }
    });
    let patience: Vec<Duration> = patience.into_iter().collect::<Result<_, _>>()?;
    let outcome = |(engine, mutant, hunters): &(&str, &Mutant, usize)| {
        let start = Instant::now();
        let child = child(&program, Some(mutant), sound[*hunters], options.gate, patience[*hunters])?;
        let (fate, reason) = judged(mutant, &child);
        let outcome = Outcome {
            id: mutant.id.clone(),
            engine: (*engine).into(),
            fault: mutant.fault.clone(),
            fate,
            reason,
            cases: child.hunt.map_or(0, |h| h.cases),
            seconds: start.elapsed().as_secs_f64(),
        };
        done(&outcome);
        Ok(outcome)
    };
    let outcomes = parallel(options.jobs, &work, outcome).into_iter().collect::<Result<_, String>>()?;
    let whole = options.only.is_empty() && options.draw.is_none() && options.program.is_none();
    let smallest = if whole { Some(pasted(groups, options, &program)?) } else { None };
    Ok((outcomes, smallest))
}

/// Creates the copy and builds the program in it, and the test programs that groups name.
fn build(groups: &[Group], options: &Options) -> Result<PathBuf, String> {
    let all: Vec<&Mutant> = groups.iter().flat_map(|g| &g.mutants).collect();
    tree::make(&options.checkout, &options.folder.join("tree"), &all)?;
    let built = |arguments: &[&str]| {
        let out =
            cargo(options).args(arguments).stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
        if out.status.success() { Ok(out.stdout) } else { Err("the copy with the faults does not build".to_string()) }
    };
    built(&["build", "--quiet", "--package", "cuprum-conformance", "--bin", "conformance"])?;
    let program = options.folder.join("target/debug/conformance");
    let tests: BTreeSet<&str> = groups.iter().filter_map(|g| g.test.as_deref()).collect();
    for test in tests {
        let report = built(&[
            "test",
            "--no-run",
            "--quiet",
            "--package",
            "cuprum-tests",
            "--test",
            test,
            "--message-format=json",
        ])?;
        let executable = executable_of(&String::from_utf8_lossy(&report), test)
            .ok_or_else(|| format!("there is no test program {test}"))?;
        fs::copy(&executable, beside(&program, test)).map_err(|e| format!("{}: {e}", executable.display()))?;
    }
    Ok(program)
}

/// Returns the executable of a test from cargo's output; programs that tests start are listed as well.
fn executable_of(report: &str, test: &str) -> Option<PathBuf> {
    report.lines().find_map(|line| {
        let artifact: serde_json::Value = serde_json::from_str(line).ok()?;
        if artifact["target"]["name"] != test || artifact["target"]["kind"] != serde_json::json!(["test"]) {
            return None;
        }
        artifact["executable"].as_str().map(PathBuf::from)
    })
}

/// Returns the path of a test program.
fn beside(program: &Path, test: &str) -> PathBuf {
    program.with_file_name(format!("test-{test}"))
}

/// Returns a cargo command in the copy.
pub(super) fn cargo(options: &Options) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .current_dir(options.folder.join("tree"))
        .env("CARGO_TARGET_DIR", options.folder.join("target"))
        .env("RUSTFLAGS", "--cap-lints allow");
    cargo
}

/// Returns the command with a mutant active, or with none.
pub(super) fn with<'a>(command: &'a mut Command, mutant: Option<&Mutant>) -> &'a mut Command {
    for name in ["CUPRUM_MUTANT", "CUPRUM_MUTANT_FIND", "CUPRUM_MUTANT_PUT"] {
        command.env_remove(name);
    }
    match mutant {
        Some(m) if m.file.is_some() => command.env("CUPRUM_MUTANT", &m.id),
        Some(m) => command.env("CUPRUM_MUTANT_FIND", &m.find).env("CUPRUM_MUTANT_PUT", &m.put),
        None => command,
    }
}

/// The tests that should detect a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hunters<'a> {
    /// Cases, by their filters.
    Cases(&'a [String]),
    /// A test program.
    Test(&'a str),
}

/// Parses the output of a test program: the number of tests, and the first that failed.
fn tested(out: &str) -> Option<Hunt> {
    let mut hunt = Hunt::default();
    for line in out.lines().filter_map(|line| line.strip_prefix("test ")) {
        let Some((id, verdict)) = line.split_once(" ... ") else { continue };
        hunt.cases += 1;
        if verdict == "FAILED" && hunt.failed.is_none() {
            let report = out.lines().find(|line| line.contains("does not compile")).unwrap_or("the test fails");
            let failure = Some(Failure::new(Reason::Value, report.into()));
            hunt.failed = Some(CaseResult { id: id.into(), failure, ..CaseResult::default() });
        }
    }
    (hunt.cases > 0).then_some(hunt)
}

/// The output of a run of the copy.
struct Child {
    hunt: Option<Hunt>,
    applied: bool,
    /// The end of its output, if it did not finish.
    said: String,
    ran_on: bool,
}

fn child(
    program: &Path,
    mutant: Option<&Mutant>,
    hunters: Hunters<'_>,
    gate: bool,
    patience: Duration,
) -> Result<Child, String> {
    let mut command = match hunters {
        Hunters::Cases(cases) => {
            let mut command = Command::new(program);
            command.args(["hunt", "--device", "sim"]).args(gate.then_some("--gate"));
            command.args(cases.iter().flat_map(|filter| ["--filter", filter]));
            command
        }
        Hunters::Test(test) => {
            let mut command = Command::new(beside(program, test));
            command.env("CUPRUM_DEVICE", "sim");
            command
        }
    };
    let mut child = with(&mut command, mutant)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    // Both pipes are read while the program runs: a full one would block it.
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let (out, err) = thread::scope(|scope| {
        let reader = |pipe: Option<&mut dyn Read>| -> String {
            let mut text = vec![];
            if let Some(pipe) = pipe {
                let _ = pipe.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        };
        let out = scope.spawn(move || reader(out.as_mut().map(|p| p as &mut dyn Read)));
        let err = scope.spawn(move || reader(err.as_mut().map(|p| p as &mut dyn Read)));
        let start = Instant::now();
        while matches!(child.try_wait(), Ok(None)) {
            if start.elapsed() > patience {
                let _ = child.kill();
            }
            thread::sleep(Duration::from_millis(5));
        }
        (out.join().unwrap_or_default(), err.join().unwrap_or_default())
    });
    let code = child.wait().ok().and_then(|s| s.code());
    let applied = err.contains("the mutant is at work");
    let hunt = match hunters {
        Hunters::Cases(_) => serde_json::from_str(&out).ok(),
        Hunters::Test(_) => tested(&out),
    };
    let said: String = err.lines().rev().take(3).collect::<Vec<_>>().join("; ");
    Ok(Child { hunt, applied, said, ran_on: code.is_none() })
}

fn judged(mutant: &Mutant, child: &Child) -> (Fate, String) {
    let found = match &child.hunt {
        None if child.ran_on && child.applied => {
            Some("a kernel runs on, or the program is ended by a signal".to_string())
        }
        None => Some(format!("the program breaks down: {}", child.said)),
        Some(Hunt { failed: Some(failed), .. }) => {
            let message = failed.failure.as_ref().map_or("", |f| f.message.as_str());
            if message.contains("does not compile") {
                return (Fate::Invalid, first_line(message).into());
            }
            Some(format!("{}: {}", failed.id, first_line(message)))
        }
        Some(_) => None,
    };
    match (found, &mutant.survives) {
        _ if !child.applied => (Fate::Unreached, "no case came to the fault".into()),
        (Some(reason), None) => (Fate::Killed, reason),
        (Some(reason), Some(_)) => (Fate::Stale, reason),
        (None, Some(reason)) => (Fate::Excepted, reason.clone()),
        (None, None) => (Fate::Survived, "every case passes".into()),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns the results of all items, in their order, computed on `jobs` threads.
fn parallel<T: Sync, R: Send>(jobs: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(vec![]));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some((i, item)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    items.get(i).map(|item| (i, item))
                } {
                    let result = work(item);
                    results.lock().expect("no thread panics while it holds the lock").push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics while it holds the lock");
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, r)| r).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fate(failure: Option<&str>, applied: bool, survives: Option<&str>) -> Fate {
        let failure = failure.map(|text| Failure::new(Reason::Value, text.into()));
        let failed = failure.map(|f| CaseResult { failure: Some(f), ..CaseResult::default() });
        let child = Child { hunt: Some(Hunt { cases: 3, failed }), applied, said: String::new(), ran_on: false };
        let text = String::from;
        let (id, fault, find, put) = (text("m"), text("f"), text("x"), text("y"));
        let survives = survives.map(text);
        judged(&Mutant { id, fault, file: None, find, put, cases: vec![], survives }, &child).0
    }

    #[test]
    fn a_mutant_dies_by_a_case_and_not_by_a_compiler() {
        assert_eq!(fate(Some("element"), true, None), Fate::Killed);
        assert_eq!(fate(Some("kernel f does not compile"), true, None), Fate::Invalid);
        assert_eq!(fate(None, true, None), Fate::Survived);
    }

    #[test]
    fn the_program_of_a_test_is_not_that_of_another_target() {
        let report = |kind: &str, name: &str| {
            format!(r#"{{"target":{{"kind":["{kind}"],"name":"{name}"}},"executable":"/t/{kind}-{name}"}}"#)
        };
        let all = [report("test", "long"), report("bin", "sweep"), report("bin", "long"), "not JSON".into()].join("\n");
        assert_eq!(executable_of(&all, "long"), Some("/t/test-long".into()));
        assert_eq!(executable_of(&all, "sweep"), None);
    }

    #[test]
    fn what_a_test_program_prints_is_a_hunt() {
        let out = "running 2 tests\ntest a::b ... ok\ntest c ... FAILED\n\ntest result: FAILED. 1 passed";
        let hunt = tested(out).unwrap();
        assert_eq!((hunt.cases, hunt.failed.unwrap().id.as_str()), (2, "c"));
        assert_eq!(tested("test a ... ok").unwrap().failed, None);
        assert_eq!(tested("killed"), None);
    }

    #[test]
    fn exceptions_must_be_true_and_faults_be_reached() {
        assert_eq!(fate(None, true, Some("why")), Fate::Excepted);
        assert_eq!(fate(Some("element"), true, Some("why")), Fate::Stale);
        assert_eq!(fate(None, false, None), Fate::Unreached);
        assert_eq!(fate(Some("element"), false, None), Fate::Unreached);
    }
}
