//! The cases that must pass, in a text format for git: one line per operation, from which every id can be decoded.
//!
//! The default sample follows from the matrix and its seed, so that a change of either could remove a case unnoticed.
//! `tests/must-pass.txt` lists the cases. A run with other cases fails and names them; `generate` rewrites the list,
//! and the change can be reviewed. It holds for every device: a known failure of a device is an entry under `failing`
//! in `matrix.yaml`.
//!
//! A line is `family/op count | shapes | parameters | dtypes records dtypes records …`. A record is a few letters: one
//! for the shapes (their index in the line's list), one for each layout, one for the values, and one for the parameters
//! where the line has any (`-`: none). An id of another form is on a separate line, after `=`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

/// Path of the list, from the root of the project.
pub const FILE: &str = "tests/must-pass.txt";

/// The list of this checkout.
pub const BUILT_IN: &str = include_str!("../../tests/must-pass.txt");

/// Letters for indices in a line's lists.
const POSITIONS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// NumPy's letters for dtypes; `E`, which it does not use, is bfloat16.
const DTYPES: [(&str, char); 15] = [
    ("bool", '?'),
    ("i8", 'b'),
    ("u8", 'B'),
    ("i16", 'h'),
    ("u16", 'H'),
    ("i32", 'i'),
    ("u32", 'I'),
    ("i64", 'l'),
    ("u64", 'L'),
    ("f16", 'e'),
    ("bf16", 'E'),
    ("f32", 'f'),
    ("f64", 'd'),
    ("c64", 'F'),
    ("c128", 'D'),
];

const LAYOUTS: [(&str, char); 10] = [
    ("C", 'C'),
    ("F", 'F'),
    ("transposed", 'T'),
    ("strided", 'S'),
    ("negative", 'N'),
    ("broadcast", 'B'),
    ("offset", 'O'),
    ("padded", 'P'),
    ("uneven", 'U'),
    ("sparse", 'G'),
];

const VALUES: [(&str, char); 13] = [
    ("small", 's'),
    ("natural", 'n'),
    ("positive", 'p'),
    ("limits", 'l'),
    ("special", 'x'),
    ("uniform", 'u'),
    ("bits", 'b'),
    ("mixed", 'm'),
    ("zeros", 'z'),
    ("lowest", 'w'),
    ("apart", 'a'),
    ("infinite", 'i'),
    ("beyond", 'y'),
];

fn letter(table: &[(&str, char)], name: &str) -> Option<char> {
    table.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
}

fn name<'a>(table: &[(&'a str, char)], letter: char) -> Option<&'a str> {
    table.iter().find(|(_, c)| *c == letter).map(|(n, _)| *n)
}

fn at<'a>(list: &[&'a str], letter: char) -> Option<&'a str> {
    POSITIONS.iter().position(|p| char::from(*p) == letter).and_then(|i| list.get(i).copied())
}

/// An id, split into its parts.
struct Parts<'a> {
    op: &'a str,
    dtypes: String,
    shapes: &'a str,
    layouts: String,
    values: char,
    params: Option<&'a str>,
}

/// Splits an id; `None` if it is of another form.
fn parts(id: &str) -> Option<Parts<'_>> {
    let fields: Vec<&str> = id.splitn(7, '/').collect();
    let [family, op, dtypes, shapes, layouts, values, params @ ..] = fields.as_slice() else { return None };
    let op = &id[..family.len() + 1 + op.len()];
    // A weak scalar is written as its text; then the dtypes are written in full.
    let short: Option<String> = dtypes.split('-').map(|d| letter(&DTYPES, d)).collect();
    let dtypes = short.unwrap_or_else(|| format!("({dtypes}"));
    let layouts = layouts.split('-').map(|l| letter(&LAYOUTS, l)).collect::<Option<String>>()?;
    let spaced = id.contains([' ', '|', '\n']) || id.ends_with('/');
    let values = letter(&VALUES, values).filter(|_| !spaced)?;
    Some(Parts { op, dtypes, shapes, layouts, values, params: params.first().copied() })
}

fn line(op: &str, cases: &[Parts<'_>]) -> Option<String> {
    let shapes: BTreeSet<&str> = cases.iter().map(|c| c.shapes).collect();
    let params: BTreeSet<&str> = cases.iter().filter_map(|c| c.params).collect();
    if shapes.len().max(params.len()) > POSITIONS.len() {
        return None;
    }
    let position = |list: &BTreeSet<&str>, item: &str| list.iter().position(|s| *s == item).map(|i| POSITIONS[i]);
    let mut groups: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for case in cases {
        let mut record = String::from(char::from(position(&shapes, case.shapes)?));
        record.push_str(&case.layouts);
        record.push(case.values);
        if !params.is_empty() {
            record.push(case.params.map_or(Some(b'-'), |p| position(&params, p))?.into());
        }
        groups.entry(&case.dtypes).or_default().insert(record);
    }
    let join = |list: BTreeSet<&str>| list.into_iter().collect::<Vec<_>>().join(" ");
    let mut out = format!("{op} {} | {} | {} |", cases.len(), join(shapes), join(params));
    for (dtypes, records) in groups {
        let _ = write!(out, " {dtypes} {}", records.into_iter().collect::<String>());
    }
    Some(out)
}

/// Writes the list of these ids.
pub fn write<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    let ids: BTreeSet<&str> = ids.into_iter().collect();
    let mut ops: BTreeMap<&str, Vec<Parts<'_>>> = BTreeMap::new();
    let mut others = vec![];
    for &id in &ids {
        match parts(id) {
            Some(case) => ops.entry(case.op).or_default().push(case),
            None => others.push(id),
        }
    }
    let mut out = format!("# Generated by `cargo run -p cuprum-generate`. Do not edit.\n# total {}\n", ids.len());
    for (op, cases) in ops {
        match line(op, &cases) {
            Some(line) => out.push_str(&format!("{line}\n")),
            None => others.extend(ids.iter().filter(|id| id.starts_with(op) && id[op.len()..].starts_with('/'))),
        }
    }
    others.sort_unstable();
    others.iter().for_each(|id| out.push_str(&format!("= {id}\n")));
    out
}

/// Decodes the ids of one line.
fn expand(line: &str) -> Option<Vec<String>> {
    let mut fields = line.splitn(4, '|');
    let mut field = || Some(fields.next()?.split_whitespace().collect::<Vec<_>>());
    let (head, shapes, params, groups) = (field()?, field()?, field()?, field()?);
    let [op, count] = head.as_slice() else { return None };
    let mut ids = vec![];
    for pair in groups.chunks(2) {
        let [dtypes, records] = pair else { return None };
        let (dtypes, operands) = match dtypes.strip_prefix('(') {
            Some(whole) => (whole.to_string(), whole.split('-').filter(|d| letter(&DTYPES, d).is_some()).count()),
            None => {
                let names: Option<Vec<&str>> = dtypes.chars().map(|c| name(&DTYPES, c)).collect();
                (names?.join("-"), dtypes.len())
            }
        };
        let mut letters = records.chars().peekable();
        while letters.peek().is_some() {
            let shapes = at(&shapes, letters.next()?)?;
            let layouts: Option<Vec<&str>> = letters.by_ref().take(operands).map(|c| name(&LAYOUTS, c)).collect();
            let values = name(&VALUES, letters.next()?)?;
            let mut id = format!("{op}/{dtypes}/{shapes}/{}/{values}", layouts?.join("-"));
            match if params.is_empty() { '-' } else { letters.next()? } {
                '-' => {}
                letter => id.push_str(&format!("/{}", at(&params, letter)?)),
            }
            ids.push(id);
        }
    }
    (count.parse() == Ok(ids.len())).then_some(ids)
}

/// Reads the ids of a list, in order.
///
/// # Errors
/// A message with the line that is invalid, or whose number of cases is not the one that it states.
pub fn read(text: &str) -> Result<Vec<String>, String> {
    let (mut ids, mut total) = (BTreeSet::new(), None);
    for (i, line) in text.lines().enumerate() {
        let bad = || {
            format!("{FILE}, line {}: `{}` is no line of the list", i + 1, line.chars().take(60).collect::<String>())
        };
        if let Some(n) = line.strip_prefix("# total ") {
            total = Some(n.parse::<usize>().map_err(|_| bad())?);
        } else if let Some(id) = line.strip_prefix("= ") {
            ids.insert(id.to_string());
        } else if !line.starts_with('#') && !line.is_empty() {
            ids.extend(expand(line).ok_or_else(bad)?);
        }
    }
    match total {
        Some(n) if n == ids.len() => Ok(ids.into_iter().collect()),
        _ => Err(format!("{FILE} names {total:?} cases in all and has {}", ids.len())),
    }
}

/// The differences between the list and the actual cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Cases in the list only.
    pub vanished: Vec<String>,
    /// Cases that are not in the list.
    pub new: Vec<String>,
}

/// Compares the actual cases with the list.
pub fn difference(list: &[String], ids: &[String]) -> Difference {
    let (listed, present): (BTreeSet<&String>, BTreeSet<&String>) = (list.iter().collect(), ids.iter().collect());
    Difference {
        vanished: listed.difference(&present).map(|id| (*id).clone()).collect(),
        new: present.difference(&listed).map(|id| (*id).clone()).collect(),
    }
}

impl Difference {
    /// Returns true if both are the same.
    pub fn is_empty(&self) -> bool {
        self.vanished.is_empty() && self.new.is_empty()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        let (gone, new) = (self.vanished.len(), self.new.len());
        write!(f, "{gone} cases of {FILE} have vanished, {new} are not in it; if that is meant, run `generate`")?;
        for (mark, ids) in [("vanished", &self.vanished), ("new", &self.new)] {
            ids.iter().take(SHOWN).try_for_each(|id| write!(f, "\n  {mark} {id}"))?;
            if ids.len() > SHOWN {
                write!(f, "\n  ... and {} more {mark}", ids.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Layout, ValueSet};
    use crate::matrix::Matrix;
    use crate::sample;

    const IDS: [&str; 7] = [
        "cast/astype/f32/(5,)/C/limits/to=i8",
        "cast/astype/f32/(5,)/strided/limits",
        "divergence/float-to-integer-out-of-range",
        "math/add/bf16-py(-1)/(3,)/negative/small",
        "math/add/f32-f16/(2,3)x(3,)/F-transposed/special",
        "math/add/f32-f16/()x(3,)/C-C/bits",
        "math/add/f32-f16/()x(3,)/C-C/natural",
    ];

    fn owned(ids: &[&str]) -> Vec<String> {
        let mut ids: Vec<String> = ids.iter().map(|s| (*s).to_string()).collect();
        ids.sort();
        ids
    }

    #[test]
    fn every_id_is_told_again() {
        let text = write(IDS);
        assert_eq!(read(&text).unwrap(), owned(&IDS), "{text}");
        let matrix = Matrix::built_in().unwrap();
        let ids = sample::ids(&matrix);
        let text = write(ids.iter().map(String::as_str));
        assert!(text.len() < 10 * ids.len(), "{} bytes", text.len());
        assert_eq!(read(&text).unwrap(), {
            let mut sorted = ids;
            sorted.sort();
            sorted
        });
    }

    #[test]
    fn one_operation_is_one_line() {
        let text = write(["math/add/f32-f16/()x(3,)/C-C/bits", "math/add/f32-f32/()x(3,)/F-C/small"]);
        assert!(text.ends_with("# total 2\nmath/add 2 | ()x(3,) |  | fe aCCb ff aFCs\n"), "{text}");
    }

    #[test]
    fn what_vanished_and_what_is_new_is_named() {
        let (list, mut now) = (owned(&IDS), owned(&IDS));
        assert!(difference(&list, &now).is_empty());
        let gone = now.remove(3);
        now.push("math/add/f32-f16/()x(3,)/C-C/small".into());
        let found = difference(&list, &now);
        assert_eq!((found.vanished.as_slice(), found.new.len()), ([gone.clone()].as_slice(), 1));
        assert!(found.to_string().contains(&format!("vanished {gone}")), "{found}");
    }

    #[test]
    fn a_list_that_lost_a_line_or_a_letter_is_none() {
        let text = write(IDS);
        for lost in text.lines().skip(1) {
            let without: String = text.lines().filter(|l| *l != lost).map(|l| format!("{l}\n")).collect();
            assert!(read(&without).is_err(), "{lost}");
        }
        assert!(read(&text.replacen("aCCb", "aCC", 1)).unwrap_err().contains("line"), "{text}");
        assert!(read("<<<<<<< HEAD\n# total 0\n").is_err());
    }

    #[test]
    fn everything_that_an_id_may_say_has_a_letter_of_its_own() {
        let letters = |table: &[(&str, char)]| table.iter().map(|(_, c)| *c).collect::<BTreeSet<_>>().len();
        assert_eq!((letters(&DTYPES), letters(&LAYOUTS), letters(&VALUES)), (15, 10, 13));
        assert!(cuprum_kernels::DType::ALL.iter().all(|d| letter(&DTYPES, d.device_name()).is_some()));
        assert!(Layout::ALL.iter().all(|l| letter(&LAYOUTS, &l.to_string()).is_some()));
        assert!(ValueSet::ALL.iter().all(|v| letter(&VALUES, &v.to_string()).is_some()));
    }
}
