//! The section `targets` of `matrix.yaml`: the tested combinations of the axes' values.

use std::collections::BTreeMap;
use std::fmt;

use cuprum_conformance::matrix::read::{Problem, Section};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::schema::{self, EVENTS, Record, Schema, Value, show};

/// A target: a job of the CI.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The name, which is also the stem of its files.
    pub name: String,
    /// A description of one sentence.
    pub doc: String,
    /// The tags, among them exactly one of [`EVENTS`].
    pub tags: Vec<String>,
    /// True if its script is handwritten, so that no file is generated for it.
    pub external: bool,
    /// The value for each axis.
    pub axes: BTreeMap<String, Value>,
    /// The line on which it begins.
    pub line: usize,
}

impl Target {
    /// Returns the value on an axis.
    pub fn value(&self, axis: &str) -> &Value {
        self.axes.get(axis).unwrap_or(&None)
    }

    /// Returns the record of the value on an axis.
    pub fn record<'a>(&self, schema: &'a Schema, axis: &str) -> Option<&'a Record> {
        schema.axis(axis)?.record(self.value(axis))
    }

    /// Returns the number of shards of the conformance run.
    pub fn shards(&self) -> u32 {
        self.value("shards").as_ref().and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    /// Returns the tag of the event that runs it.
    pub fn event(&self) -> &str {
        self.tags.iter().find(|tag| EVENTS.contains(&tag.as_str())).map_or("manual", String::as_str)
    }
}

/// A target as written, without the inherited values.
#[derive(Debug, Default)]
pub struct Written {
    line: usize,
    name: Value,
    doc: Value,
    tags: Option<Vec<String>>,
    external: bool,
    inherits: Option<String>,
    axes: BTreeMap<String, Value>,
}

// Implemented by hand because serde's `flatten` would convert the axes' values to numbers, and 3.10 to 3.1.
impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a target")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
                let (mut target, mut seen) = (Written::default(), vec![]);
                while let Some(key) = map.next_key::<String>()? {
                    if seen.contains(&key) {
                        return Err(A::Error::custom(format!("the key {key} occurs twice")));
                    }
                    match key.as_str() {
                        "target" => target.name = map.next_value()?,
                        "doc" => target.doc = map.next_value()?,
                        "tags" => target.tags = Some(map.next_value()?),
                        "extern" => target.external = map.next_value()?,
                        "inherits" => target.inherits = Some(map.next_value()?),
                        axis => {
                            target.axes.insert(axis.to_owned(), map.next_value()?);
                        }
                    }
                    seen.push(key);
                }
                Ok(target)
            }
        }

        deserializer.deserialize_map(Keys)
    }
}

/// Parses the targets; the rest of the matrix belongs to the conformance suite. Problems are reported in `problems`.
pub fn read(sections: &[Section], problems: &mut Vec<Problem>) -> Vec<Written> {
    let Some(section) = sections.iter().find(|section| section.key == "targets") else {
        problems.push(Problem { line: 1, message: "the section targets is missing".to_owned() });
        return vec![];
    };
    section.items(problems).into_iter().map(|(line, target)| Written { line, ..target }).collect()
}

/// Returns the targets with their inherited values, checked against the schema.
pub fn resolve(written: &[Written], schema: &Schema, problems: &mut Vec<Problem>) -> Vec<Target> {
    let mut by_name: BTreeMap<&str, &Written> = BTreeMap::new();
    for target in written {
        let mut say = |message| problems.push(Problem { line: target.line, message });
        let Some(name) = &target.name else {
            say("a target without a name: the key target is missing".to_owned());
            continue;
        };
        if !is_stem(name) {
            say(format!("{name} cannot name files: use a-z, 0-9, - and . only"));
        }
        if let Some(first) = by_name.insert(name, target) {
            say(format!("the target {name} is already on line {}", first.line));
        }
        for tag in target.tags.iter().flatten().filter(|tag| !schema.tags.contains_key(*tag)) {
            say(format!("{name}: the tag {tag} is not in {}", schema::FILE));
        }
        for (key, value) in &target.axes {
            let Some(axis) = schema.axis(key) else {
                say(format!("{name}: unknown key {key} in a target: no axis of {}", schema::FILE));
                continue;
            };
            if axis.record(value).is_none() {
                let known: Vec<_> = axis.values.into_iter().map(|(value, _)| show(value)).collect();
                say(format!("{name}: {key} has no value {}; known: {}", show(value), known.join(", ")));
            }
        }
    }
    let targets: Vec<Target> = written.iter().filter_map(|target| inherit(target, &by_name, problems)).collect();
    for target in &targets {
        check(target, schema, problems);
    }
    targets
}

/// Returns the target with its inherited values, of which the nearest take precedence. `extern` is not inherited.
fn inherit(written: &Written, by_name: &BTreeMap<&str, &Written>, problems: &mut Vec<Problem>) -> Option<Target> {
    let mut say = |line, message| problems.push(Problem { line, message });
    let name = written.name.clone()?;
    let mut target = Target { name: name.clone(), line: written.line, external: written.external, ..Target::default() };
    let (mut doc, mut tags) = (None, None);
    let mut visited = vec![name.as_str()];
    let mut step = Some(written);
    while let Some(current) = step {
        doc = doc.or_else(|| current.doc.clone());
        tags = tags.or_else(|| current.tags.clone());
        for (axis, value) in &current.axes {
            target.axes.entry(axis.clone()).or_insert_with(|| value.clone());
        }
        step = None;
        let Some(parent) = &current.inherits else { continue };
        match by_name.get(parent.as_str()) {
            None => say(current.line, format!("inherits {parent}, which is no target")),
            Some(_) if visited.contains(&parent.as_str()) => {
                say(current.line, format!("{parent} inherits itself: {} -> {parent}", visited.join(" -> ")));
                return None;
            }
            Some(next) => {
                visited.push(parent);
                step = Some(next);
            }
        }
    }
    match doc {
        Some(doc) => target.doc = doc,
        None => say(written.line, format!("{name} lacks doc")),
    }
    match tags {
        Some(tags) => target.tags = tags,
        None => {
            say(written.line, format!("{name} lacks tags"));
            target.tags = vec!["manual".to_owned()];
        }
    }
    Some(target)
}

/// Checks that every axis has a value and that the values are compatible.
fn check(target: &Target, schema: &Schema, problems: &mut Vec<Problem>) {
    let (name, line) = (&target.name, target.line);
    let mut say = |message| problems.push(Problem { line, message });
    let events = target.tags.iter().filter(|tag| EVENTS.contains(&tag.as_str())).count();
    if events != 1 {
        say(format!("{name} must have exactly one of the tags {}", EVENTS.join(", ")));
    }
    for axis in &schema.axes {
        let Some(value) = target.axes.get(&axis.name) else {
            say(format!("{name} lacks {}", axis.name));
            continue;
        };
        let Some(record) = axis.record(value) else { continue };
        for (other, allowed) in &record.requires {
            let Some(found) = target.axes.get(other).filter(|found| !allowed.contains(found)) else { continue };
            let allowed: Vec<_> = allowed.iter().map(show).collect();
            let (axis, value, allowed, found) = (&axis.name, show(value), allowed.join(" or "), show(found));
            say(format!("{name}: {axis} {value} goes with {other} {allowed} only, not {found}"));
        }
    }
}

fn is_stem(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
}
