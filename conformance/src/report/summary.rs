//! The summary at the end of a run.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{CaseResult, Report};

/// Number of failures that are printed in full; the rest is counted.
const SHOWN: usize = 10;

pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    let about = &report.about;
    let failed = report.failed().count();
    for case in report.failed().take(SHOWN) {
        let Some(failure) = &case.failure else { continue };
        let detail = super::detail(&about.device, about.seed, &case.id, failure);
        let _ = writeln!(out, "FAILED {}\n  {}\n", case.id, detail.trim_end().replace('\n', "\n  "));
    }
    if failed > SHOWN {
        let _ = writeln!(out, "... and {} more: they are in the report.\n", failed - SHOWN);
    }
    let mut families: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for case in &report.cases {
        let [passed, rejected, failed] = families.entry(&case.family).or_default();
        *(if case.failure.is_some() {
            failed
        } else if case.rejected {
            rejected
        } else {
            passed
        }) += 1;
    }
    let _ = writeln!(out, "{:<14} {:>8} {:>8} {:>8}", "family", "equal", "rejected", "failed");
    for (family, [passed, rejected, failed]) in &families {
        let _ = writeln!(out, "{family:<14} {passed:>8} {rejected:>8} {failed:>8}");
    }
    let _ = writeln!(out, "\n{}", report.looked().words());
    let _ = writeln!(out, "\nslowest:");
    for case in report.slowest(3) {
        let _ = writeln!(out, "  {:>8.1} ms  {}", case.micros as f64 / 1e3, case.id);
    }
    let _ = writeln!(
        out,
        "\ndevice {} ({}), driver {}, NVRTC {}, commit {}, seed {}, {}",
        about.device, about.name, about.driver, about.nvrtc, about.commit, about.seed, about.date
    );
    let _ = writeln!(
        out,
        "{} cases in {:.1} s on {}, {} kernels compiled, {} from the disk",
        report.cases.len(),
        about.seconds,
        about.parallelism(),
        about.compiled,
        about.cached
    );
    let sum = |micros: fn(&CaseResult) -> u64| report.cases.iter().map(micros).sum::<u64>() as f64 / 1e6;
    let (all, oracle) = (sum(|c| c.micros), sum(|c| c.oracle_micros));
    let device = (all - oracle - about.compile_seconds).max(0.0);
    let _ = writeln!(
        out,
        "of {all:.0} s of its threads: oracle {oracle:.0} s, compiling {:.0} s, device and judge {device:.0} s",
        about.compile_seconds
    );
    let verdict = if failed == 0 { "passed" } else { "FAILED" };
    let known = report.known();
    if known > 0 {
        let _ = writeln!(out, "{known} fail as they are known to: `failing` in matrix.yaml");
    }
    let _ = write!(out, "{verdict}: {} passed, {failed} failed", report.cases.len() - failed - known);
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_failure_is_printed_with_its_command_and_counted() {
        let text = super::super::tests::sample().summary();
        let id = "math/add/f32-f32/(5,)x(5,)/C-C/small";
        assert!(text.contains(&format!("FAILED {id}\n  element [0]")), "{text}");
        assert!(text.contains(&format!("conformance run --device sim --seed 7 --filter '{id}'")), "{text}");
        assert!(text.contains("shrunk in 7 tries to math/add/f32-f32/()x()/C-C/[1.0]x[0.0]"), "{text}");
        assert!(
            text.contains("30 values; not compared:") && text.contains("        3 (10.000 %) but for the sign"),
            "{text}"
        );
        assert!(text.contains("  fn t() {}") && !text.contains("fn larger"), "{text}");
        assert!(text.ends_with("FAILED: 2 passed, 1 failed"), "{text}");
    }
}
