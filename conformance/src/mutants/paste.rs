//! Verification of a printed test: that of a fault in a kernel, shrunk, compiled and run as printed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::run::{Options, cargo, with};
use super::{Group, Mutant};
use crate::judge::Smallest;
use crate::report::Report;

/// The mutant, and the case that detects it.
const FAULT: &str = "strided-as-contiguous";
const CASE: &str = "math/negative/f16/(1025,)/strided/uniform";

/// Maximum number of elements of the smallest case.
const MOST: usize = 2;

/// Shrinks the case that the fault breaks, and pastes the printed test into the copy: it must fail with the fault and
/// pass without.
///
/// # Errors
/// The condition that does not hold.
pub(super) fn pasted(groups: &[Group], options: &Options, program: &Path) -> Result<Smallest, String> {
    let all = || groups.iter().flat_map(|g| &g.mutants);
    let mutant = all().find(|m| m.id == FAULT).ok_or_else(|| format!("no mutant is called {FAULT}"))?;
    let (tree, report) = (options.folder.join("tree"), options.folder.join("pasted.json"));
    let mut command = Command::new(program);
    command.args(["run", "--device", "sim", "--filter", CASE, "--json"]).arg(&report);
    with(&mut command, Some(mutant)).output().map_err(|e| e.to_string())?;
    let text = fs::read_to_string(&report).map_err(|e| format!("{}: {e}", report.display()))?;
    let report: Report = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let failure =
        report.cases.into_iter().find_map(|case| case.failure).ok_or(format!("{CASE} passes with {FAULT}"))?;
    let smallest = *failure.smallest.ok_or("the failure was not shrunk")?;
    let elements = smallest.id.rsplit('[').next().map_or(0, |row| row.split(',').count());
    if !smallest.id.contains('[') || elements > MOST {
        return Err(format!("{CASE} is not shrunk to {MOST} elements, but to {}", smallest.id));
    }
    let test = smallest.failure.test.as_ref().ok_or("the smallest case has no test")?;
    let path = tree.join("gpu/tests/pasted.rs");
    fs::write(&path, format!("//! Pasted.\n\n{test}\n")).map_err(|e| format!("{}: {e}", path.display()))?;
    let passes = |mutant: Option<&Mutant>| -> Result<bool, String> {
        let mut command = cargo(options);
        command.args(["test", "--quiet", "--package", "cuprum", "--test", "pasted"]).env("CUPRUM_DEVICE", "sim");
        let output = with(&mut command, mutant).output().map_err(|e| format!("cargo: {e}"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        match (said.contains("1 passed"), said.contains("1 failed")) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            _ => Err(format!("the printed test cannot be run:\n{said}")),
        }
    };
    match (passes(None)?, passes(Some(mutant))?) {
        (true, false) => Ok(smallest),
        (without, _) => {
            Err(format!("the printed test passes {} the fault", if without { "with" } else { "not without" }))
        }
    }
}
