//! Shards: parts of the cases that take the same time, by the measured times of each operation.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::case::Case;
use crate::random::hash;
use crate::report::Report;

/// The output of `conformance costs` for a run in which kernels were compiled as well.
const MEASURED: &str = include_str!("../costs.txt");

/// Milliseconds of a case of each operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    of: BTreeMap<String, f64>,
    /// The assumed cost of an operation that was not measured.
    mean: f64,
}

impl Costs {
    /// Returns the measured costs.
    ///
    /// # Panics
    /// If the file of this crate is damaged.
    pub fn measured() -> Costs {
        Costs::read(MEASURED).unwrap_or_else(|e| panic!("conformance/costs.txt: {e}"))
    }

    /// Parses lines such as `add 12.5`; those that begin with `#` are comments.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn read(text: &str) -> Result<Costs, String> {
        let line = |line: &str| {
            let (op, ms) = line.rsplit_once(' ').ok_or_else(|| format!("`{line}` is no operation with its time"))?;
            let ms: f64 = ms.parse().map_err(|_| format!("`{line}` ends with no time"))?;
            if ms > 0.0 { Ok((op.to_string(), ms)) } else { Err(format!("`{line}`: nothing takes no time")) }
        };
        let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        let of: BTreeMap<String, f64> = lines.map(line).collect::<Result<_, String>>()?;
        let mean = if of.is_empty() { 1.0 } else { of.values().sum::<f64>() / of.len() as f64 };
        Ok(Costs { of, mean })
    }

    /// Returns the cost of an operation that was not measured.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Formats the file of the costs measured by these runs.
    pub fn write(reports: &[Report]) -> String {
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for case in reports.iter().flat_map(|r| &r.cases) {
            let (micros, n) = sums.entry(&case.op).or_default();
            (*micros, *n) = (*micros + case.micros, *n + 1);
        }
        let mut text = String::from("# Milliseconds a case: `conformance costs REPORT...` writes this file.\n");
        for (op, (micros, n)) in sums {
            // Two digits are enough to balance shards; a hundredth of a millisecond is noise.
            let _ = writeln!(text, "{op} {:.2}", (micros as f64 / n as f64 / 1e3).max(0.01));
        }
        text
    }

    /// Returns the milliseconds of a case.
    pub fn case(&self, case: &Case) -> f64 {
        self.of.get(&case.op).copied().unwrap_or(self.mean)
    }

    /// Returns the seconds of the cases, in sequence.
    pub fn seconds(&self, cases: &[Case]) -> f64 {
        cases.iter().map(|case| self.case(case)).sum::<f64>() / 1e3
    }
}

/// A part of the cases: `2/8` is the second of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(s: &str) -> Result<Shard, String> {
        let parts = s.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err(format!("`{s}` is no shard: `2/8` is the second of eight")),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Shard {
    /// Returns the cases of this part: neighbours, which share kernels, as many as take its share of the time.
    pub fn cases(self, cases: Vec<Case>, costs: &Costs) -> Vec<Case> {
        let total = costs.seconds(&cases) * 1e3;
        let mut before = 0.0;
        let here = |case: &Case| {
            let cost = costs.case(case);
            let middle = before + cost / 2.0;
            before += cost;
            // The middle is below the total except for rounding.
            let part = ((middle / total * self.of as f64) as u64).min(self.of - 1);
            part == self.index - 1
        };
        cases.into_iter().filter(here).collect()
    }

    /// Returns true if this part contains an id, for items that take no time.
    pub fn has_id(self, id: &str) -> bool {
        hash(id) % self.of == self.index - 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::matrix::Matrix;
    use crate::sample;

    fn sampled() -> (Matrix, Vec<Case>) {
        let matrix = Matrix::built_in().unwrap();
        let cases = sample::cases(&matrix, false, matrix.seed);
        (matrix, cases)
    }

    fn parts(of: u64) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |index| Shard { index, of })
    }

    #[test]
    fn parts_are_disjoint_complete_and_equally_long() {
        let (_, cases) = sampled();
        let costs = Costs::measured();
        let (whole, longest) = (costs.seconds(&cases), cases.iter().map(|c| costs.case(c)).fold(0.0, f64::max) / 1e3);
        for of in [1, 3, 24] {
            let mut together = vec![];
            for shard in parts(of) {
                let part = shard.cases(cases.clone(), &costs);
                let seconds = costs.seconds(&part);
                assert!((seconds - whole / of as f64).abs() <= longest, "{shard}: {seconds} s of {whole} s");
                together.extend(part);
            }
            assert_eq!(together, cases, "{of} parts");
        }
        for wrong in ["0/3", "4/3", "1", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    /// Operations without a measurement have a time, too.
    #[test]
    fn what_was_not_measured_takes_the_mean() {
        let (_, cases) = sampled();
        let costs = Costs::read("# for people\nadd 3\nsin 1\n").unwrap();
        let of = |op: &str| costs.case(cases.iter().find(|c| c.op == op).unwrap());
        assert_eq!((of("add"), of("sin"), of("cumsum")), (3.0, 1.0, 2.0));
        for wrong in ["add", "add much", "add 0"] {
            assert!(Costs::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_added_operation_moves_only_what_is_next_to_a_border() {
        let (mut matrix, cases) = sampled();
        let costs = Costs::measured();
        let added = crate::matrix::Op { name: "an added one".into(), ..matrix.op("add").unwrap().clone() };
        matrix.ops.push(added);
        let grown = sample::cases(&matrix, false, matrix.seed);
        let new = costs.seconds(&grown) - costs.seconds(&cases);
        for shard in parts(5) {
            let ids = |cases: &[Case]| cases.iter().map(Case::id).collect::<HashSet<_>>();
            let before = shard.cases(cases.clone(), &costs);
            let after = ids(&shard.cases(grown.clone(), &costs));
            let moved: Vec<Case> = before.into_iter().filter(|c| !after.contains(&c.id())).collect();
            assert!(costs.seconds(&moved) <= 2.0 * new + 1.0, "{shard}: {} s moved for {new} s", costs.seconds(&moved));
        }
    }

    #[test]
    fn costs_are_read_as_they_are_written() {
        let text = Costs::write(&[crate::report::tests::sample()]);
        let costs = Costs::read(&text).unwrap();
        assert_eq!(costs.of, BTreeMap::from([("add".to_string(), 1.5), ("exp".to_string(), 1.5)]), "{text}");
    }
}
