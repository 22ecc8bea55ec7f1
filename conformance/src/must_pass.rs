//! The cases that must pass, in a text format for git: one line per operation, from which every id can be decoded.
//!
//! The default sample follows from the matrix and its seed, so that a change of either could remove a case unnoticed.
//! `tests/must-pass.txt` lists the cases, and is where every run takes its sample from: sampling anew costs half a
//! minute. `generate` samples anew, rewrites the list, and with `--check` fails where the list is another one; a run
//! samples an operation anew if its declaration is not the one that was sampled, and then fails where the list names
//! other cases. The list holds for every device: a known failure of a device is an entry under `failing` in
//! `matrix.yaml`.
//!
//! A line is `family/op count fingerprint | shapes | parameters | group | group | group`. The groups are the accepted
//! cases of more than one element, the other accepted ones, and the rejected ones; a group is `dtypes records dtypes
//! records …`. A record is a few letters: one for the shapes (their index in the line's list), one for each layout, one
//! for the values, and one for the parameters where the line has any (`-`: none). Other ids, those of divergences, are
//! on separate lines, after `=`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Write};
use std::sync::OnceLock;

use crate::case::Case;
use crate::sample::CaseSet;

/// Path of the list, from the root of the project.
pub const FILE: &str = "tests/must-pass.txt";

/// The list of this checkout.
pub const BUILT_IN: &str = include_str!("../../tests/must-pass.txt");

/// The first letters for indices in a line's lists; those from U+00C0 on follow.
const POSITIONS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Number of letters for indices.
const LETTERS: usize = 400;

fn letter_at(index: usize) -> Option<char> {
    let after = || char::from_u32(0xc0 + (index - POSITIONS.len()) as u32);
    POSITIONS.get(index).map(|b| char::from(*b)).or_else(after)
}

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
    (0..list.len()).find(|i| letter_at(*i) == Some(letter)).map(|i| list[i])
}

/// Ids of the cases of an operation: accepted with more than one element, accepted with one or none, rejected.
pub type Groups = [Vec<String>; 3];

/// An id, split into its parts.
struct Parts<'a> {
    dtypes: String,
    shapes: &'a str,
    layouts: String,
    values: char,
    params: Option<&'a str>,
}

/// Splits an id; `None` if it is of another form.
fn parts(id: &str) -> Option<Parts<'_>> {
    let fields: Vec<&str> = id.splitn(7, '/').collect();
    let [_, _, dtypes, shapes, layouts, values, params @ ..] = fields.as_slice() else { return None };
    // A weak scalar is written as its text; then the dtypes are written in full.
    let short: Option<String> = dtypes.split('-').map(|d| letter(&DTYPES, d)).collect();
    let dtypes = short.unwrap_or_else(|| format!("({dtypes}"));
    let layouts = layouts.split('-').map(|l| letter(&LAYOUTS, l)).collect::<Option<String>>()?;
    let spaced = id.contains([' ', '|', '\n']) || id.ends_with('/');
    let values = letter(&VALUES, values).filter(|_| !spaced)?;
    Some(Parts { dtypes, shapes, layouts, values, params: params.first().copied() })
}

/// Returns the line of an operation; `None` if an id or a list is of a form that a line cannot express.
fn line(op: &str, fingerprint: u32, groups: &Groups) -> Option<String> {
    let groups: Vec<Vec<Parts<'_>>> =
        groups.iter().map(|ids| ids.iter().map(|id| parts(id)).collect()).collect::<Option<_>>()?;
    let all = || groups.iter().flatten();
    let shapes: BTreeSet<&str> = all().map(|c| c.shapes).collect();
    let params: BTreeSet<&str> = all().filter_map(|c| c.params).collect();
    if shapes.len().max(params.len()) > LETTERS {
        return None;
    }
    let position = |list: &BTreeSet<&str>, item: &str| list.iter().position(|s| *s == item).and_then(letter_at);
    let join = |list: &BTreeSet<&str>| list.iter().copied().collect::<Vec<_>>().join(" ");
    let count = all().count();
    let mut out = format!("{op} {count} {fingerprint:08x} | {} | {}", join(&shapes), join(&params));
    for group in &groups {
        let mut by_dtypes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for case in group {
            let mut record = String::from(position(&shapes, case.shapes)?);
            record.push_str(&case.layouts);
            record.push(case.values);
            if !params.is_empty() {
                record.push(case.params.map_or(Some('-'), |p| position(&params, p))?);
            }
            by_dtypes.entry(&case.dtypes).or_default().insert(record);
        }
        out.push_str(" |");
        for (dtypes, records) in by_dtypes {
            let _ = write!(out, " {dtypes} {}", records.into_iter().collect::<String>());
        }
    }
    Some(out)
}

/// The sample of an operation, to be written.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// `family/name`.
    pub op: String,
    /// Identifies the declaration that was sampled.
    pub fingerprint: u32,
    /// The ids.
    pub groups: Groups,
}

impl Sampled {
    /// Returns the ids of an operation's sample.
    pub fn new(op: String, fingerprint: u32, set: &CaseSet) -> Sampled {
        let ids = |cases: &[Case]| cases.iter().map(Case::id).collect();
        Sampled { op, fingerprint, groups: [ids(&set.filled), ids(&set.slight), ids(&set.rejected)] }
    }
}

/// Writes the list of these samples and of other ids.
///
/// # Errors
/// A message, if a sample cannot be written as one line: an operation has too many shapes or parameters for that.
pub fn write(samples: &[Sampled], others: &[String]) -> Result<String, String> {
    let mut lines = BTreeMap::new();
    let mut total = others.len();
    for Sampled { op, fingerprint, groups } in samples.iter().filter(|s| s.groups.iter().any(|g| !g.is_empty())) {
        let line = line(op, *fingerprint, groups).ok_or_else(|| {
            format!("{op}: its sample is no line of {FILE}: more than {LETTERS} shapes or parameters, or other ids")
        })?;
        total += groups.iter().map(Vec::len).sum::<usize>();
        lines.insert(op, line);
    }
    let mut out = format!("# Generated by `cargo run -p cuprum-generate`. Do not edit.\n# total {total}\n");
    lines.values().for_each(|line| out.push_str(&format!("{line}\n")));
    let others: BTreeSet<&String> = others.iter().collect();
    others.iter().for_each(|id| out.push_str(&format!("= {id}\n")));
    Ok(out)
}

/// Decodes a line.
fn expand(line: &str) -> Option<Sampled> {
    let fields: Vec<&str> = line.split('|').collect();
    let [head, shapes, params, groups @ ..] = fields.as_slice() else { return None };
    let [head, shapes, params]: [Vec<&str>; 3] = [head, shapes, params].map(|text| text.split_whitespace().collect());
    let [op, count, fingerprint] = head.as_slice() else { return None };
    let groups: Option<Vec<Vec<String>>> = groups.iter().map(|group| ids_of(op, &shapes, &params, group)).collect();
    let groups: Groups = groups?.try_into().ok()?;
    let fingerprint = u32::from_str_radix(fingerprint, 16).ok()?;
    (count.parse() == Ok(groups.iter().map(Vec::len).sum::<usize>())).then(|| Sampled {
        op: (*op).to_string(),
        fingerprint,
        groups,
    })
}

/// Decodes the ids of a group.
fn ids_of(op: &str, shapes: &[&str], params: &[&str], group: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = group.split_whitespace().collect();
    let mut ids = vec![];
    for pair in words.chunks(2) {
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
            let shapes = at(shapes, letters.next()?)?;
            let layouts: Option<Vec<&str>> = letters.by_ref().take(operands).map(|c| name(&LAYOUTS, c)).collect();
            let values = name(&VALUES, letters.next()?)?;
            let mut id = format!("{op}/{dtypes}/{shapes}/{}/{values}", layouts?.join("-"));
            match if params.is_empty() { '-' } else { letters.next()? } {
                '-' => {}
                letter => id.push_str(&format!("/{}", at(params, letter)?)),
            }
            ids.push(id);
        }
    }
    Some(ids)
}

/// Returns the listed sample of an operation, `family/name`, if its declaration is still the one that was sampled.
pub fn listed(op: &str, fingerprint: u32) -> Option<Groups> {
    static LINES: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let lines = LINES.get_or_init(|| {
        let lines = BUILT_IN.lines().filter(|line| !line.starts_with(['#', '=']));
        lines.filter_map(|line| Some((line.split(' ').next()?, line))).collect()
    });
    let sampled = expand(lines.get(op)?)?;
    (sampled.fingerprint == fingerprint).then_some(sampled.groups)
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
            ids.extend(expand(line).ok_or_else(bad)?.groups.into_iter().flatten());
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
        write!(f, "{gone} cases of {FILE} have vanished, {new} are not in it; if that is intended, run `generate`")?;
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

    fn sampled(op: &str, groups: [&[&str]; 3]) -> Sampled {
        Sampled { op: op.into(), fingerprint: 0xabc, groups: groups.map(owned) }
    }

    fn list() -> String {
        let samples =
            [sampled("cast/astype", [&IDS[..2], &[], &[]]), sampled("math/add", [&IDS[4..], &IDS[3..4], &[]])];
        write(&samples, &owned(&IDS[2..3])).unwrap()
    }

    #[test]
    fn every_id_is_decoded() {
        let text = list();
        assert_eq!(read(&text).unwrap(), owned(&IDS), "{text}");
        let line = text.lines().find(|line| line.starts_with("math/add")).unwrap();
        let groups = expand(line).unwrap().groups;
        assert_eq!(groups.map(|group| group.len()), [3, 1, 0]);
        assert!(BUILT_IN.len() < 10 * read(BUILT_IN).unwrap().len(), "{} bytes", BUILT_IN.len());
    }

    #[test]
    fn one_operation_is_one_line() {
        let ids: [&[&str]; 3] = [&["math/add/f32-f16/()x(3,)/C-C/bits"], &[], &["math/add/f32-f32/()x(3,)/F-C/small"]];
        let text = write(&[sampled("math/add", ids)], &[]).unwrap();
        assert!(text.ends_with("# total 2\nmath/add 2 00000abc | ()x(3,) |  | fe aCCb | | ff aFCs\n"), "{text}");
    }

    #[test]
    fn an_operation_is_listed_for_the_declaration_that_was_sampled() {
        let matrix = Matrix::built_in().unwrap();
        let op = matrix.op("add").unwrap();
        let fingerprint = sample::fingerprint(&matrix, op, matrix.seed);
        assert!(listed("math/add", fingerprint).is_some_and(|groups| groups.iter().all(|group| !group.is_empty())));
        assert!(listed("math/add", fingerprint ^ 1).is_none());
        let other = crate::matrix::Op { scalars: vec![], ..op.clone() };
        assert_ne!(sample::fingerprint(&matrix, &other, matrix.seed), fingerprint);
        assert_ne!(sample::fingerprint(&matrix, op, matrix.seed + 1), fingerprint);
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
        let text = list();
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
