//! Execution of thousands of programs, on threads that share one device.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cuprum::cuda::Stream;
use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::fused;
use super::generate::{self, GeneratedProgram};
use super::shrink::shrink;
use super::state::Counts;
use super::{Fault, Program};
use crate::matrix::Matrix;
use crate::subject::Subject;

/// One in this many programs runs on a separate stream.
const ON_A_STREAM: u64 = 8;

/// A failing program, reduced.
#[derive(Clone, Debug)]
pub struct Report {
    /// The smallest program found with this failure.
    pub program: Program,
    /// The failure.
    pub fault: Fault,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = self.fault.step.map_or("at the end".into(), |id| format!("at v{id}"));
        writeln!(
            f,
            "program {} {step}: {:?}: {}",
            self.program.seed, self.fault.failure.reason, self.fault.failure.message
        )?;
        write!(f, "{}", self.program)?;
        writeln!(f, "    conformance programs --only {}", self.program.seed)
    }
}

/// The results of many programs.
#[derive(Debug, Default)]
pub struct Summary {
    /// Counts of results and memories that were compared.
    pub counts: Counts,
    /// The failures, by their seeds.
    pub reports: Vec<Report>,
    /// The functions that were called.
    pub called: BTreeSet<String>,
}

impl Summary {
    /// Returns the counts alone.
    pub fn totals(&self) -> Totals {
        Totals { counts: self.counts, called: self.called.clone(), failed: self.reports.len(), ..Totals::default() }
    }
}

/// Counts of many programs, which can be added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Counts of results and memories that were compared.
    pub counts: Counts,
    /// The functions that were called.
    pub called: BTreeSet<String>,
    /// Number of programs that fail.
    pub failed: usize,
    /// Number of kernels that were compiled.
    pub compiled: u64,
    /// Number of kernels that were read from the cache.
    pub cached: u64,
}

impl Totals {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: Totals) {
        let Totals { counts, called, failed, compiled, cached } = other;
        self.counts.add(&counts);
        self.called.extend(called);
        self.failed += failed;
        self.compiled += compiled;
        self.cached += cached;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = &self.counts;
        writeln!(f, "{} programs of {} steps, {} functions", c.programs, c.steps, self.called.len())?;
        writeln!(f, "{} results compared, {} elements of them", c.compared, c.elements)?;
        writeln!(f, "{} memories compared as a whole, after writes and at the end", c.memories)?;
        writeln!(f, "{} rejections, {} results without elements, {} steps not there", c.rejected, c.empty, c.missing)?;
        writeln!(f, "{} elements not compared, and {} results none of whose elements was", c.skipped, c.unlooked)?;
        writeln!(f, "{} kernels compiled, {} from the cache", self.compiled, self.cached)?;
        writeln!(f, "{} programs failed", self.failed)
    }
}

/// Executes the program of a seed.
pub fn one(catalog: &Catalog<'_>, subject: &Subject, seed: u64) -> GeneratedProgram {
    on(subject, seed, || generate::program(catalog, seed))
}

/// Executes work on the device, in one of several programs on a separate stream.
fn on<R>(subject: &Subject, seed: u64, work: impl FnOnce() -> R) -> R {
    let device = subject.device();
    device.with(|| match Stream::new(device) {
        Ok(stream) if seed % ON_A_STREAM == 3 => stream.with(work),
        _ => work(),
    })
}

/// Executes the programs of these seeds on `jobs` threads; `done` is called with each failure, reduced.
pub fn programs(
    matrix: &Matrix,
    subject: &Subject,
    seeds: Range<u64>,
    jobs: usize,
    done: &(dyn Fn(&Report) + Sync),
) -> Summary {
    let judged = |catalog: &Catalog<'_>, seed| {
        let GeneratedProgram { program, counts, fault, called } = one(catalog, subject, seed);
        let report = fault.map(|fault| {
            let (program, fault) = on(subject, seed, || shrink(catalog, &program, &fault));
            Report { program, fault }
        });
        (counts, called, report)
    };
    all(matrix, seeds, jobs, done, &judged)
}

/// Executes the programs of these seeds on the device, call by call and in a fusing scope; `done` is called with each
/// program whose results differ in a bit.
pub fn fused_programs(
    matrix: &Matrix,
    subject: &Subject,
    seeds: Range<u64>,
    jobs: usize,
    done: &(dyn Fn(&Report) + Sync),
) -> Summary {
    let judged = |catalog: &Catalog<'_>, seed| {
        let GeneratedProgram { program, counts, called, .. } = one(catalog, subject, seed);
        let fault = on(subject, seed, || fused::compare(&program)).err();
        (counts, called, fault.map(|fault| Report { program, fault }))
    };
    all(matrix, seeds, jobs, done, &judged)
}

/// The result of a program: its counts, the functions it called, and its failure.
type Judged = (Counts, Vec<String>, Option<Report>);

fn all(
    matrix: &Matrix,
    seeds: Range<u64>,
    jobs: usize,
    done: &(dyn Fn(&Report) + Sync),
    judged: &(dyn Fn(&Catalog<'_>, u64) -> Judged + Sync),
) -> Summary {
    let catalog = Catalog::new(matrix);
    let next = AtomicU64::new(seeds.start);
    let summary = Mutex::new(Summary::default());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            let (counts, called, report) = judged(&catalog, seed);
            report.iter().for_each(done);
            let mut summary = summary.lock().expect("no thread panics while it holds the lock");
            summary.counts.add(&counts);
            summary.called.extend(called);
            summary.reports.extend(report);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(work);
        }
    });
    let mut summary = summary.into_inner().expect("no thread panics while it holds the lock");
    summary.reports.sort_by_key(|report| report.program.seed);
    summary
}
