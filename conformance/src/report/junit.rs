//! The report as JUnit XML, one suite a family.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{CaseResult, Report, escape};

pub(super) fn document(report: &Report) -> String {
    let mut suites: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for case in &report.cases {
        suites.entry(&case.family).or_default().push(case);
    }
    let about = &report.about;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (total, failed) = (report.cases.len(), report.failed().count());
    let _ = writeln!(
        out,
        r#"<testsuites name="conformance" tests="{total}" failures="{failed}" time="{:.3}">"#,
        about.seconds
    );
    for (family, cases) in suites {
        let failed = cases.iter().filter(|c| c.failure.is_some()).count();
        let seconds = cases.iter().map(|c| c.micros).sum::<u64>() as f64 / 1e6;
        let (n, device) = (cases.len(), escape(&about.device));
        let _ = writeln!(
            out,
            r#"  <testsuite name="{family}" tests="{n}" failures="{failed}" time="{seconds:.3}" hostname="{device}">"#
        );
        for case in cases {
            let (id, seconds) = (escape(&case.id), case.micros as f64 / 1e6);
            let _ = write!(
                out,
                r#"    <testcase classname="{family}.{}" name="{id}" time="{seconds:.6}""#,
                escape(&case.op)
            );
            match &case.failure {
                None => out.push_str("/>\n"),
                Some(failure) => {
                    let detail = super::detail(&about.device, about.seed, &case.id, failure);
                    let (message, detail) = (escape(&failure.message), escape(&detail));
                    let _ = writeln!(out, r#"><failure message="{message}">{detail}</failure></testcase>"#);
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_and_failures_stand_in_the_document() {
        let xml = super::super::tests::sample().junit();
        assert!(xml.contains(r#"tests="3" failures="1""#), "{xml}");
        assert!(xml.contains("is &lt;1&gt;, the oracle's &quot;2&quot;"), "{xml}");
        assert!(!xml.contains('\u{1}'));
        assert_eq!(xml.matches("<testcase").count(), 3);
    }
}
