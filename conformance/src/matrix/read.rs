//! Parses YAML entry by entry, so that one pass reports every error, each with its line.
//!
//! The file has a fixed outer form: top-level keys in the first column, their entries (`- item` or `key: value`)
//! indented by two. Each entry is parsed on its own.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A problem in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// One entry of a section: its text, without the section's indentation.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The YAML of the entry.
    pub text: String,
}

/// A top-level key and its entries.
#[derive(Clone, Debug)]
pub struct Section {
    /// The key.
    pub key: String,
    /// The line of the key, from 1.
    pub line: usize,
    /// The value on the key's own line.
    pub inline: String,
    /// The entries indented under it.
    pub entries: Vec<Entry>,
}

/// Splits a file into its sections.
pub fn split(text: &str, problems: &mut Vec<Problem>) -> Vec<Section> {
    let mut sections: Vec<Section> = vec![];
    for (i, full) in text.lines().enumerate() {
        let line = i + 1;
        let bare = full.trim_end();
        let indent = bare.len() - bare.trim_start().len();
        let mut problem = |message: &str| problems.push(Problem { line, message: message.into() });
        if bare.is_empty() || (indent == 0 && bare.starts_with('#')) {
            if let Some(entry) = sections.last_mut().and_then(|s| s.entries.last_mut()) {
                entry.text.push('\n');
            }
        } else if indent == 0 {
            match bare.split_once(':') {
                Some((key, rest)) => {
                    let inline = rest.split(" #").next().unwrap_or_default().trim();
                    let inline = if inline == "[]" || inline == "{}" { "" } else { inline };
                    sections.push(Section { key: key.into(), line, inline: inline.into(), entries: vec![] });
                }
                None => problem("a top-level key was expected: `key:`"),
            }
        } else {
            match sections.last_mut() {
                None => problem("this line is under no top-level key"),
                Some(_) if indent < 2 => problem("entries are indented by two spaces"),
                Some(section) if indent == 2 && !bare[2..].starts_with('#') => {
                    section.entries.push(Entry { line, text: format!("{}\n", &bare[2..]) });
                }
                Some(section) => match section.entries.last_mut() {
                    Some(entry) => {
                        entry.text.push_str(&bare[2..]);
                        entry.text.push('\n');
                    }
                    None if bare.trim_start().starts_with('#') => {}
                    None => problem("the first entry of a section is indented by two spaces"),
                },
            }
        }
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    for section in &sections {
        if let Some(first) = seen.insert(section.key.clone(), section.line) {
            let message = format!("the key `{}` is already on line {first}", section.key);
            problems.push(Problem { line: section.line, message });
        }
    }
    sections
}

impl Entry {
    fn parse<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Option<T> {
        match serde_yaml::from_str(&self.text) {
            Ok(value) => Some(value),
            Err(error) => {
                let line = self.line + error.location().map_or(0, |at| at.line().saturating_sub(1));
                let text = error.to_string();
                let message = text.split(" at line ").next().unwrap_or(&text);
                // The entry is the only item of its list, so the index is redundant.
                let message = message.trim_start_matches(".[0]: ").trim_start_matches(".[0].");
                problems.push(Problem { line, message: message.into() });
                None
            }
        }
    }

    /// Parses the entry as one item of a list: `- …`.
    pub fn item<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Option<T> {
        self.parse::<Vec<T>>(problems)?.pop()
    }

    /// Parses the entry as one key of a map: `key: …`.
    pub fn pair<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Option<(String, T)> {
        self.parse::<HashMap<String, T>>(problems)?.into_iter().next()
    }
}

impl Section {
    /// Parses the value on the key's own line.
    pub fn value<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Option<T> {
        if !self.entries.is_empty() || self.inline.is_empty() {
            let message = format!("`{}` takes one value on its own line", self.key);
            problems.push(Problem { line: self.line, message });
            return None;
        }
        Entry { line: self.line, text: self.inline.clone() }.parse(problems)
    }

    /// Parses every entry as an item of a list, with its line.
    pub fn items<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Vec<(usize, T)> {
        self.no_inline(problems);
        self.entries.iter().filter_map(|e| Some((e.line, e.item(problems)?))).collect()
    }

    /// Parses every entry as a key of a map, with its line; a duplicate key is a problem.
    pub fn pairs<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Vec<(usize, String, T)> {
        self.no_inline(problems);
        let mut pairs: Vec<(usize, String, T)> = vec![];
        for entry in &self.entries {
            if let Some((key, value)) = entry.pair(problems) {
                if pairs.iter().any(|(_, k, _)| *k == key) {
                    problems.push(Problem { line: entry.line, message: format!("`{key}` occurs twice") });
                }
                pairs.push((entry.line, key, value));
            }
        }
        pairs
    }

    fn no_inline(&self, problems: &mut Vec<Problem>) {
        if !self.inline.is_empty() {
            let message = format!("the entries of `{}` are indented under it, one to a line", self.key);
            problems.push(Problem { line: self.line, message });
        }
    }
}

/// A map in the order of the file; a duplicate key is an error.
#[derive(Clone, Debug)]
pub struct Pairs<K, V>(pub Vec<(K, V)>);

impl<K, V> Default for Pairs<K, V> {
    fn default() -> Self {
        Pairs(vec![])
    }
}

impl<'a, K, V> IntoIterator for &'a Pairs<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'de, K: Deserialize<'de> + PartialEq + fmt::Debug, V: Deserialize<'de>> Deserialize<'de> for Pairs<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de> + PartialEq + fmt::Debug, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = Pairs<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Vec<(K, V)> = vec![];
                while let Some((key, value)) = map.next_entry()? {
                    if pairs.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format!("the key {key:?} occurs twice")));
                    }
                    pairs.push((key, value));
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_lines_and_comments_do_no_harm() {
        let text = "# head\nseed: 3 # three\n\nops:\n  # first\n  - {a: 1}\n  - a: 2\n    # inner\n    b: 3\n";
        let mut problems = vec![];
        let sections = split(text, &mut problems);
        assert_eq!(problems, []);
        assert_eq!(sections[0].value::<u64>(&mut problems), Some(3));
        let ops: Vec<(usize, HashMap<String, u32>)> = sections[1].items(&mut problems);
        assert_eq!(problems, []);
        assert_eq!((ops[0].0, ops[1].0, ops[1].1["b"]), (6, 7, 3));
    }

    #[test]
    fn pairs_keep_their_order_and_their_text() {
        let read = |text| serde_yaml::from_str::<Pairs<Option<String>, String>>(text);
        let some = |key: &str, value: &str| (Some(key.to_owned()), value.to_owned());
        let pairs = read("{b: 3.10, null: x, a: 1}").unwrap().0;
        assert_eq!(pairs, [some("b", "3.10"), (None, "x".to_owned()), some("a", "1")]);
        assert!(read("{a: 1, b: 2, a: 3}").unwrap_err().to_string().contains("occurs twice"));
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Item {
        #[serde(rename = "a")]
        _a: u32,
    }

    #[test]
    fn every_error_is_reported_with_its_line() {
        let text = " stray\nops:\n  - {a: x}\n  - a: 1\n    a: 2\n  - [1\n  - a: 1\n    b: 2\nops:\nnonsense\n";
        let mut problems = vec![];
        for section in split(text, &mut problems) {
            section.items::<Item>(&mut problems);
        }
        problems.sort();
        let lines: Vec<usize> = problems.iter().map(|p| p.line).collect();
        assert_eq!(lines, [1, 3, 4, 6, 8, 9, 10], "{problems:#?}");
    }
}
