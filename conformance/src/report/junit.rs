//! The report as JUnit XML, one suite for each family.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{About, CaseResult, Report, detail, escape};

/// Writes the data of the run as the properties of each suite: programs that read the format show no others.
fn properties(out: &mut String, about: &About) {
    let seed = about.seed.to_string();
    let known: [(&str, &str); 8] = [
        ("commit", &about.commit),
        ("device", &about.device),
        ("name", &about.name),
        ("driver", &about.driver),
        ("nvrtc", &about.nvrtc),
        ("seed", &seed),
        ("date", &about.date),
        ("command", &about.command),
    ];
    out.push_str("    <properties>\n");
    for (name, value) in known {
        let _ = writeln!(out, r#"      <property name="{name}" value="{}"/>"#, escape(value));
    }
    out.push_str("    </properties>\n");
}

fn element(out: &mut String, about: &About, case: &CaseResult) {
    let (family, op, id) = (escape(&case.family), escape(&case.op), escape(&case.id));
    let seconds = case.micros as f64 / 1e6;
    let _ = write!(out, r#"    <testcase classname="{family}.{op}" name="{id}" time="{seconds:.6}""#);
    if let Some(failure) = &case.failure {
        let (message, kind) = (escape(&failure.message), format!("{:?}", failure.reason));
        let detail = escape(&detail(&about.device, about.seed, &case.id, failure));
        let _ = writeln!(out, r#"><failure type="{kind}" message="{message}">{detail}</failure></testcase>"#);
    } else if let Some(reason) = &case.known {
        let _ = writeln!(out, r#"><skipped>known to fail: {}</skipped></testcase>"#, escape(reason));
    } else {
        out.push_str("/>\n");
    }
}

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
        r#"<testsuites name="conformance" tests="{total}" failures="{failed}" errors="0" time="{:.3}">"#,
        about.seconds
    );
    let (device, begun) = (escape(&about.device), about.date.replace(' ', "T"));
    for (family, cases) in suites {
        let failed = cases.iter().filter(|c| c.failure.is_some()).count();
        let known = cases.iter().filter(|c| c.known.is_some() && c.failure.is_none()).count();
        let seconds = cases.iter().map(|c| c.micros).sum::<u64>() as f64 / 1e6;
        let (n, family) = (cases.len(), escape(family));
        let _ = writeln!(
            out,
            r#"  <testsuite name="{family}" tests="{n}" failures="{failed}" errors="0" skipped="{known}" time="{seconds:.3}" timestamp="{begun}" hostname="{device}">"#
        );
        properties(&mut out, about);
        cases.iter().for_each(|case| element(&mut out, about, case));
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
        assert!(
            xml.contains(r#"<failure type="Value""#) && xml.contains(r#"<property name="seed" value="7"/>"#),
            "{xml}"
        );
        assert!(!xml.contains('\u{1}'));
        assert_eq!(xml.matches("<testcase").count(), 3);
    }

    #[test]
    fn a_known_failure_is_skipped() {
        let mut report = super::super::tests::sample();
        (report.cases[1].failure, report.cases[1].known) = (None, Some("a driver's".into()));
        let xml = report.junit();
        assert!(xml.contains(r#"failures="0" errors="0" skipped="1""#), "{xml}");
        assert!(xml.contains(r#"<skipped>known to fail: a driver's</skipped></testcase>"#), "{xml}");
    }

    /// Every element that is opened is closed, in order, and attributes are escaped.
    #[test]
    fn the_document_is_well_formed() {
        let xml = super::super::tests::sample().junit();
        let mut open = vec![];
        for tag in xml.split('<').skip(2) {
            let (tag, _) = tag.split_once('>').expect("every tag is closed");
            let name = tag.split([' ', '/']).find(|n| !n.is_empty()).expect("every tag has a name");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{xml}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}
