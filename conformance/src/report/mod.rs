//! The results of a run, and its reports.

pub mod compare;
pub mod digest;
pub mod errors;
pub mod html;
mod junit;
pub mod record;
mod summary;

use std::fmt::Write;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::judge::{Failure, Histogram, Looked, Smallest, Worst};

/// The result of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The id of the case.
    pub id: String,
    /// Its family.
    pub family: String,
    /// Its operation.
    pub op: String,
    /// The dtypes of the operands, `-` between them.
    pub dtypes: String,
    /// The layouts of the operands, `-` between them.
    pub layouts: String,
    /// The dtype of the result; empty where there is none.
    pub result: String,
    /// True if both sides raised an error, as expected.
    pub rejected: bool,
    /// The largest error in units in the last place; `None` where no unit applies.
    pub error: Option<f64>,
    /// The largest error as a fraction of the tolerance.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub share: f64,
    /// Counts of elements by error.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub histogram: Histogram,
    /// The element with the largest error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Worst>,
    /// Counts of elements that were compared, and that were not.
    #[serde(default, skip_serializing_if = "Looked::is_empty")]
    pub looked: Looked,
    /// The failure, if there is one.
    pub failure: Option<Failure>,
    /// The reason of a known failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Time taken by both sides, in microseconds.
    pub micros: u64,
    /// The part of it that the oracle took.
    #[serde(default)]
    pub oracle_micros: u64,
    /// 64 bits of the device's result, in hexadecimal.
    pub digest: String,
    /// True if the device code uses an approximate instruction.
    pub approximate: bool,
}

fn is_nothing(share: &f64) -> bool {
    *share == 0.0
}

/// The provenance of the results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The id of the device: `cuda:0`.
    pub device: String,
    /// The name of the device, from its driver.
    pub name: String,
    /// The driver's version.
    pub driver: String,
    /// The version of the kernel compiler.
    pub nvrtc: String,
    /// The commit of the checkout, if the program ran in one.
    pub commit: String,
    /// The day and time at which the run began, UTC.
    pub date: String,
    /// The seed.
    pub seed: u64,
    /// True for the full run.
    pub full: bool,
    /// The filters and the shard; empty for all.
    pub part: String,
    /// The command line.
    #[serde(default)]
    pub command: String,
    /// Number of worker processes; 0 if the cases ran in the program itself.
    #[serde(default)]
    pub workers: usize,
    /// Number of threads.
    pub jobs: usize,
    /// Wall-clock time.
    pub seconds: f64,
    /// Number of kernels compiled in this run.
    pub compiled: u64,
    /// Number of kernels from the disk cache.
    pub cached: u64,
    /// Seconds in the kernel compiler, over all threads.
    #[serde(default)]
    pub compile_seconds: f64,
}

impl About {
    /// Describes the number of threads and processes.
    pub fn parallelism(&self) -> String {
        match self.workers {
            0 => format!("{} thread(s)", self.jobs),
            n => format!("{n} worker process(es)"),
        }
    }
}

/// A run and its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The provenance of the results.
    pub about: About,
    /// One result for each case.
    pub cases: Vec<CaseResult>,
}

impl Report {
    /// Returns the cases that failed.
    pub fn failed(&self) -> impl Iterator<Item = &CaseResult> {
        self.cases.iter().filter(|c| c.failure.is_some())
    }

    /// Returns the slowest cases, slowest first.
    fn slowest(&self, n: usize) -> Vec<&CaseResult> {
        let mut cases: Vec<&CaseResult> = self.cases.iter().collect();
        cases.sort_by_key(|c| std::cmp::Reverse(c.micros));
        cases.truncate(n);
        cases
    }

    /// Returns the number of known failures.
    pub fn known(&self) -> usize {
        self.cases.iter().filter(|c| c.known.is_some() && c.failure.is_none()).count()
    }

    /// Returns the counts of compared elements of all cases.
    pub fn looked(&self) -> Looked {
        let mut all = Looked::default();
        self.cases.iter().for_each(|case| all.add(&case.looked));
        all
    }

    /// Formats the report as JUnit XML, which CI systems read.
    pub fn junit(&self) -> String {
        junit::document(self)
    }

    /// Formats a summary of a few lines.
    pub fn summary(&self) -> String {
        summary::text(self)
    }
}

/// Formats a failure in full: that of the smallest case found, or this one; as a test, in NumPy, and as a command.
pub fn detail(device: &str, seed: u64, id: &str, failure: &Failure) -> String {
    let mut out = format!("{}\nalone: {}\n", failure.message, command(device, seed, id));
    let mut shown = failure;
    if let Some(smallest) = &failure.smallest {
        let Smallest { id, failure, tries } = smallest.as_ref();
        let again = command(device, seed, id);
        let _ = write!(out, "shrunk in {tries} tries to {id}\n{}\nalone: {again}\n", failure.message);
        shown = failure;
    }
    if let Some(test) = &shown.test {
        let _ = write!(out, "as a test:\n{test}\n");
    }
    if let Some(numpy) = &shown.numpy {
        let _ = write!(out, "in NumPy:\n{numpy}\n");
    }
    out
}

/// Returns the command that runs one case alone.
pub fn command(device: &str, seed: u64, id: &str) -> String {
    format!("conformance run --device {device} --seed {seed} --filter '{id}'")
}

/// Returns the command line of this program, quoted for a shell.
pub fn command_line() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%".contains(c);
    let quoted =
        |a: String| if !a.is_empty() && a.chars().all(plain) { a } else { format!("'{}'", a.replace('\'', "'\\''")) };
    let arguments = std::env::args_os().skip(1).map(|a| quoted(a.to_string_lossy().into_owned()));
    std::iter::once("conformance".to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Returns the output of `git describe` in the checkout in which the program runs.
pub fn commit() -> String {
    let output = Command::new("git").args(["describe", "--always", "--dirty"]).output();
    let text = output.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or_else(|| "unknown".into(), |t| t.trim().into())
}

/// Returns the current time, UTC: `2026-01-31 08:15:00`.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    date(seconds)
}

/// Converts a number of seconds since 1970 to a date, by the era method: 400 years have 146,097 days.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (month, day) = ((shifted + 2) % 12 + 1, of_year - (153 * shifted + 2) / 5 + 1);
    let year = era * 400 + year + u64::from(month <= 2);
    let (h, m, s) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}")
}

/// Escapes a text for HTML and XML; characters that XML cannot hold are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c < ' ' && !"\n\t".contains(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::judge::Reason;

    /// Returns a report of two cases that passed and one that failed.
    pub(crate) fn sample() -> Report {
        let case = |id: &str, failure: Option<Failure>| {
            let parts: Vec<&str> = id.split('/').collect();
            CaseResult {
                id: id.into(),
                family: parts[0].into(),
                op: parts[1].into(),
                dtypes: parts[2].into(),
                layouts: parts[4].into(),
                result: "f32".into(),
                rejected: false,
                error: Some(1.5),
                share: 0.5,
                histogram: Histogram([9, 0, 0, 1, 0, 0]),
                worst: None,
                looked: Looked { values: 10, signs: 1, ..Looked::default() },
                failure,
                known: None,
                micros: 1_500,
                oracle_micros: 500,
                digest: "00ff".into(),
                approximate: parts[1] == "exp",
            }
        };
        let message = |text: &str| format!("element [0] is <1>, the oracle's \"{text}\"\u{1}");
        let smallest = Smallest {
            id: "math/add/f32-f32/()x()/C-C/[1.0]x[0.0]".into(),
            failure: Failure { test: Some("#[test]\nfn t() {}".into()), ..Failure::new(Reason::Value, message("1")) },
            tries: 7,
        };
        let failure = Failure {
            test: Some("#[test]\nfn larger() {}".into()),
            numpy: Some("import numpy as np".into()),
            smallest: Some(Box::new(smallest)),
            ..Failure::new(Reason::Value, message("2"))
        };
        Report {
            about: About { device: "sim".into(), seed: 7, ..About::default() },
            cases: vec![
                case("math/add/f32-f16/(2,3)x(3,)/F-strided/special", None),
                case("math/add/f32-f32/(5,)x(5,)/C-C/small", Some(failure)),
                case("elementary/exp/f32/(5,)/C/small", None),
            ],
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date(1_767_225_599), "2025-12-31 23:59:59");
    }

    #[test]
    fn json_reads_what_it_writes() {
        let report = sample();
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }
}
