//! `conformance programs`: random programs on threads of this process, or in separate processes.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use super::{cores, print};
use crate::matrix::Matrix;
use crate::program;
use crate::program::catalog::Catalog;
use crate::program::run::Totals;
use crate::run::quiet_panics;
use crate::subject::Subject;

#[derive(Debug, Args)]
pub(super) struct ProgramsArgs {
    /// `cuda:0`, `sim`; by default `CUPRUM_DEVICE`, or the first CUDA device, or the simulator.
    #[arg(long)]
    device: Option<String>,
    /// The seed of the first program.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of programs, with consecutive seeds.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// Threads, all on one device; by default one for each core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Single-threaded processes instead of threads: a fault of the device ends only one of them. Each has to load its
    /// own kernels, so a run in which most must be compiled is slower than on threads.
    #[arg(long, value_name = "N", conflicts_with_all = ["jobs", "only"])]
    workers: Option<usize>,
    /// Reports the counts to the parent process.
    #[arg(long, hide = true)]
    totals: bool,
    /// Only the program of this seed, which is printed.
    #[arg(long, value_name = "SEED")]
    only: Option<u64>,
    /// Compares the results of each program in a fusing scope with those call by call, to the bit.
    #[arg(long)]
    fuse: bool,
}

impl ProgramsArgs {
    pub(super) fn run(&self, matrix: &Matrix, file: Option<&Path>) -> Result<bool, String> {
        let start = Instant::now();
        let totals = match self.workers {
            Some(workers) => self.in_processes(workers, file)?,
            None => self.in_threads(matrix)?,
        };
        if self.totals {
            print(&program::processes::line(&totals).map_err(|e| e.to_string())?);
        } else {
            print(&format!("{totals}{:.1} s\n", start.elapsed().as_secs_f64()));
        }
        Ok(totals.failed == 0)
    }

    fn in_threads(&self, matrix: &Matrix) -> Result<Totals, String> {
        let subject = Subject::open(self.device.as_deref())?;
        quiet_panics();
        if let Some(seed) = self.only {
            print(&format!("{}", program::run::one(&Catalog::new(matrix), &subject, seed).program));
        }
        let seeds = self.only.map_or(self.seed..self.seed + self.count, |seed| seed..seed + 1);
        let print_line = |report: &program::run::Report| print(&format!("{report}\n"));
        let programs = if self.fuse { program::run::fused_programs } else { program::run::programs };
        let summary = programs(matrix, &subject, seeds, self.jobs.unwrap_or_else(cores), &print_line);
        let about = subject.about();
        Ok(Totals { compiled: about.compiled, cached: about.cached, ..summary.totals() })
    }

    fn in_processes(&self, workers: usize, file: Option<&Path>) -> Result<Totals, String> {
        let command = this_program()?;
        let command = |part: &Range<u64>| {
            let mut command = command(file, self.device.as_deref(), "programs");
            command.args(["--totals", "--jobs", "1"]);
            command.args(["--seed", &part.start.to_string(), "--count", &(part.end - part.start).to_string()]);
            command.args(self.fuse.then_some("--fuse"));
            command
        };
        program::processes::programs(self.seed..self.seed + self.count, workers, &command, &|line| {
            print(&format!("{line}\n"));
        })
    }
}

/// Returns a function that builds commands for this program, with the matrix and the device if passed, and a
/// subcommand.
pub(super) fn this_program() -> Result<impl Fn(Option<&Path>, Option<&str>, &str) -> Command, String> {
    let program = std::env::current_exe().map_err(|e| format!("where this program is: {e}"))?;
    Ok(move |matrix: Option<&Path>, device: Option<&str>, word: &str| {
        let mut command = Command::new(&program);
        command.arg(word);
        for (name, value) in [("--device", device.map(AsRef::<OsStr>::as_ref)), ("--matrix", matrix.map(AsRef::as_ref))]
        {
            if let Some(value) = value {
                command.arg(name).arg(value);
            }
        }
        command
    })
}
