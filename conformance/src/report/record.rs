//! The record of a run: provenance, time, and the results of the cases of each family. The pages of results are
//! generated from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{About, Report};

/// Results of the cases of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Cases whose results agree.
    pub equal: usize,
    /// Cases in which both sides raised an error, as expected.
    pub rejected: usize,
    /// Known failures.
    pub known: usize,
    /// Cases that failed.
    pub failed: usize,
}

impl Counts {
    /// Returns the number of all cases.
    pub fn cases(self) -> usize {
        self.equal + self.rejected + self.known + self.failed
    }

    /// Formats the columns of a table.
    fn columns(self) -> String {
        [self.cases(), self.equal, self.rejected, self.known, self.failed].map(grouped).join(" | ")
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.equal += other.equal;
        self.rejected += other.rejected;
        self.known += other.known;
        self.failed += other.failed;
    }
}

/// A run, or all parts of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The provenance; for several parts the sums of times and kernels, and the other fields of the first.
    pub about: About,
    /// The parts, each with its seconds.
    pub parts: Vec<(String, f64)>,
    /// The results of the cases.
    pub families: BTreeMap<String, Counts>,
}

impl Record {
    /// Builds the record of the parts of one run.
    ///
    /// # Errors
    /// If they are not of one run: of two commits, devices or seeds, or with a case in two of them.
    pub fn of(reports: &[Report]) -> Result<Record, String> {
        let first = reports.first().ok_or("there is no report")?;
        let mut record = Record { about: About { part: String::new(), ..first.about.clone() }, ..Record::default() };
        let (about, mut seen) = (&mut record.about, BTreeSet::new());
        (about.seconds, about.compile_seconds, about.compiled, about.cached) = (0.0, 0.0, 0, 0);
        for report in reports {
            let part = &report.about;
            let alike = |a: &About| (a.commit.clone(), a.device.clone(), a.name.clone(), a.seed, a.full);
            if alike(part) != alike(about) {
                return Err(format!("{} and {} are not parts of one run", part.command, first.about.command));
            }
            about.seconds += part.seconds;
            about.compile_seconds += part.compile_seconds;
            about.compiled += part.compiled;
            about.cached += part.cached;
            record.parts.push((part.part.clone(), part.seconds));
            for case in &report.cases {
                if !seen.insert(&case.id) {
                    return Err(format!("{} is in two of the reports", case.id));
                }
                let counts = record.families.entry(case.family.clone()).or_default();
                *(if case.failure.is_some() {
                    &mut counts.failed
                } else if case.known.is_some() {
                    &mut counts.known
                } else if case.rejected {
                    &mut counts.rejected
                } else {
                    &mut counts.equal
                }) += 1;
            }
        }
        Ok(record)
    }

    /// Formats the record as JSON.
    ///
    /// # Panics
    /// Never: numbers and strings have a JSON form.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts have a JSON form") + "\n"
    }

    /// Returns the counts of all cases.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.families.values().for_each(|counts| total += *counts);
        total
    }

    /// Describes the run as text.
    fn name(&self) -> String {
        let day = self.about.date.split(' ').next().unwrap_or_default();
        let which = if self.about.full { "full run" } else { "default sample" };
        match self.parts.as_slice() {
            [(part, _)] if part.is_empty() => format!("{which}, {day}"),
            [(part, _)] => format!("{which}, {part}, {day}"),
            parts => format!("{which}, {} parts, {day}", parts.len()),
        }
    }
}

/// Formats a number with commas: `12,345`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats the tables of a page: one row for each run, then the results of each family in the last of the longest runs.
pub fn tables(records: &[Record]) -> String {
    let mut page = String::from(
        "| run | commit | cases | equal | rejected by both | known to fail | failed | time | longest part | kernels compiled |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for record in records {
        let (about, total) = (&record.about, record.total());
        let longest = record.parts.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        let counts = total.columns();
        let compiled = grouped(about.compiled as usize);
        let _ = writeln!(
            page,
            "| {} | {} | {counts} | {:.0} s | {longest:.0} s | {compiled} |",
            record.name(),
            about.commit,
            about.seconds
        );
    }
    let Some(widest) = records.iter().max_by_key(|r| r.total().cases()) else { return page };
    let _ = write!(
        page,
        "\n{}: {}, driver {}, NVRTC {}, seed {}, {}.\n\n",
        widest.name(),
        widest.about.name,
        widest.about.driver,
        widest.about.nvrtc,
        widest.about.seed,
        widest.about.parallelism()
    );
    page += "| family | cases | equal | rejected by both | known to fail | failed |\n|---|--:|--:|--:|--:|--:|\n";
    let rows = widest.families.iter().map(|(family, counts)| (family.as_str(), *counts));
    for (family, counts) in rows.chain([("together", widest.total())]) {
        let counts = counts.columns();
        let _ = writeln!(page, "| {family} | {counts} |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn parts_are_added_up_and_read_again() {
        let (mut one, mut two) = (sample(), sample());
        two.cases = one.cases.split_off(1);
        for (report, part) in [(&mut one, "shard 1/2"), (&mut two, "shard 2/2")] {
            report.about = About { part: part.into(), seconds: 1500.0, compiled: 700, ..report.about.clone() };
        }
        let record = Record::of(&[one.clone(), two]).unwrap();
        assert_eq!(record.total(), Counts { equal: 2, failed: 1, ..Counts::default() });
        assert_eq!(serde_json::from_str::<Record>(&record.json()).unwrap(), record);
        let page = tables(&[record]);
        assert!(page.contains("| default sample, 2 parts, "), "{page}");
        assert!(page.contains(" | 3 | 2 | 0 | 0 | 1 | 3000 s | 1500 s | 1,400 |\n"), "{page}");
        assert!(
            page.contains("| math | 2 | 1 | 0 | 0 | 1 |\n") && page.ends_with("| together | 3 | 2 | 0 | 0 | 1 |\n"),
            "{page}"
        );
        assert!(Record::of(&[one.clone(), one.clone()]).unwrap_err().contains("in two"));
        let mut other = sample();
        (other.cases, other.about.seed) = (vec![], 8);
        assert!(Record::of(&[one, other]).unwrap_err().contains("not parts of one run"));
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
