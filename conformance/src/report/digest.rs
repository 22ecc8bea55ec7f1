//! Digests of 64 bits of each result, by which two devices are compared to the bit.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Report;

/// Formats one line a case: the digest, `~` where the device code uses an approximate instruction, the id.
pub fn write(report: &Report) -> String {
    let mut out = String::new();
    let about = &report.about;
    let _ = writeln!(out, "# {} seed {} {} {}", about.device, about.seed, about.commit, about.date);
    for case in &report.cases {
        let _ = writeln!(out, "{} {} {}", case.digest, if case.approximate { '~' } else { '=' }, case.id);
    }
    out
}

/// The comparison of the digests of two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of cases that are in one of the two only.
    pub unmatched: usize,
    /// Cases without an approximate instruction that agree.
    pub exact_equal: usize,
    /// Cases without an approximate instruction that differ.
    pub exact_different: Vec<String>,
    /// Cases with an approximate instruction that agree.
    pub approximate_equal: usize,
    /// Cases with an approximate instruction that differ.
    pub approximate_different: Vec<String>,
}

fn read(text: &str) -> Result<BTreeMap<&str, (&str, bool)>, String> {
    let mut digests = BTreeMap::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#') && !l.is_empty()) {
        let mut parts = line.splitn(3, ' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(digest), Some(mark @ ("~" | "=")), Some(id)) => digests.insert(id, (digest, mark == "~")),
            _ => return Err(format!("line {} is no digest: `{line}`", i + 1)),
        };
    }
    Ok(digests)
}

/// Compares two files of digests.
///
/// # Errors
/// A message with the line, if one of them is invalid.
pub fn compare(a: &str, b: &str) -> Result<Comparison, String> {
    let (a, b) = (read(a)?, read(b)?);
    let mut comparison =
        Comparison { unmatched: b.keys().filter(|id| !a.contains_key(*id)).count(), ..Default::default() };
    for (id, (digest, approximate)) in &a {
        let Some((other, also)) = b.get(id) else {
            comparison.unmatched += 1;
            continue;
        };
        match (digest == other, *approximate || *also) {
            (true, false) => comparison.exact_equal += 1,
            (true, true) => comparison.approximate_equal += 1,
            (false, false) => comparison.exact_different.push((*id).into()),
            (false, true) => comparison.approximate_different.push((*id).into()),
        }
    }
    Ok(comparison)
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for id in &self.exact_different {
            writeln!(f, "DIFFERENT {id}")?;
        }
        let row = |equal: usize, different: &[String]| format!("{equal} equal, {} different", different.len());
        writeln!(f, "without approximate instructions: {}", row(self.exact_equal, &self.exact_different))?;
        writeln!(f, "with approximate instructions: {}", row(self.approximate_equal, &self.approximate_different))?;
        write!(f, "in one of the two runs only: {}", self.unmatched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_agrees_with_itself() {
        let text = write(&super::super::tests::sample());
        let same = compare(&text, &text).unwrap();
        assert_eq!((same.exact_equal, same.approximate_equal, same.unmatched), (2, 1, 0));
        assert!(same.exact_different.is_empty() && same.approximate_different.is_empty());
    }

    #[test]
    fn differences_are_distinguished_and_missing_cases_counted() {
        let a = "# a\n01 = x/a\n02 = x/b\n03 ~ x/c\n04 = x/d\n";
        let b = "# b\n01 = x/a\n0f = x/b\n0f ~ x/c\n05 = x/e\n";
        let c = compare(a, b).unwrap();
        assert_eq!((c.exact_equal, c.unmatched), (1, 2));
        assert_eq!((c.exact_different, c.approximate_different), (vec!["x/b".into()], vec!["x/c".into()]));
        assert!(compare("nonsense\n", "").unwrap_err().contains("line 1"));
    }
}
