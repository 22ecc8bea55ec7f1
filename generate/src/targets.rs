//! The section `targets` of `matrix.yaml`: which combinations of the axes' values are tested.

use std::collections::BTreeMap;

use crate::problem::Problems;
use crate::schema::{self, EVENTS, Record, Schema, Value};
use crate::tree::{Kind, Node, show};

/// The file, relative to the root of the project.
pub const FILE: &str = "matrix.yaml";

/// One target: a job of the CI.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Its name, and the stem of its files.
    pub name: String,
    /// One sentence.
    pub doc: String,
    /// Its tags, one of [`EVENTS`] among them.
    pub tags: Vec<String>,
    /// Whether its script is written by hand: then no file is generated for it.
    pub external: bool,
    /// A value for each axis.
    pub axes: BTreeMap<String, Value>,
    /// The line on which it begins.
    pub line: usize,
}

impl Target {
    /// The value on an axis.
    pub fn value(&self, axis: &str) -> &Value {
        self.axes.get(axis).unwrap_or(&None)
    }

    /// The record of the value on an axis.
    pub fn record<'a>(&self, schema: &'a Schema, axis: &str) -> Option<&'a Record> {
        schema.axis(axis)?.record(self.value(axis))
    }

    /// How many parts the conformance run is split into.
    pub fn shards(&self) -> u32 {
        self.value("shards").as_ref().and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    /// The tag that says when it runs.
    pub fn event(&self) -> &str {
        self.tags.iter().find(|tag| EVENTS.contains(&tag.as_str())).map_or("manual", String::as_str)
    }
}

/// A target as written: what it does not say it may inherit.
#[derive(Default)]
struct Raw {
    line: usize,
    name: Option<String>,
    doc: Option<String>,
    tags: Option<Vec<String>>,
    external: bool,
    inherits: Option<(String, usize)>,
    axes: BTreeMap<String, (Value, usize)>,
}

/// Reads the targets; the rest of the matrix belongs to the conformance suite. What is wrong goes to `problems`.
pub fn read(root: &Node, schema: &Schema, problems: &mut Problems) -> Vec<Target> {
    let section = match &root.kind {
        Kind::Map(entries) => entries.iter().find(|(key, _)| key.text.as_deref() == Some("targets")),
        _ => None,
    };
    let Some((_, list)) = section else {
        problems.add(FILE, 0, "the section targets is missing");
        return Vec::new();
    };
    let raws: Vec<Raw> = list.items(FILE, "targets", problems).iter().map(|node| raw(node, schema, problems)).collect();
    let mut by_name: BTreeMap<&str, &Raw> = BTreeMap::new();
    for raw in &raws {
        let Some(name) = &raw.name else { continue };
        if let Some(first) = by_name.insert(name, raw) {
            problems.add(FILE, raw.line, format!("the target {name} is already on line {}", first.line));
        }
    }
    let targets: Vec<Target> = raws.iter().filter_map(|raw| resolve(raw, &by_name, problems)).collect();
    for target in &targets {
        check(target, schema, problems);
    }
    targets
}

fn raw(node: &Node, schema: &Schema, problems: &mut Problems) -> Raw {
    let mut raw = Raw { line: node.line, ..Raw::default() };
    for (key, node) in node.entries(FILE, "a target", problems) {
        match key.text.as_deref().unwrap_or("null") {
            "target" => raw.name = node.text(FILE, "target", problems),
            "doc" => raw.doc = node.text(FILE, "doc", problems),
            "tags" => {
                let items = node.items(FILE, "tags", problems);
                let tags: Vec<_> = items.iter().filter_map(|item| item.text(FILE, "a tag", problems)).collect();
                for tag in tags.iter().filter(|tag| !schema.tags.contains_key(*tag)) {
                    problems.add(FILE, node.line, format!("the tag {tag} is not in {}", schema::FILE));
                }
                raw.tags = Some(tags);
            }
            "extern" => match node.text(FILE, "extern", problems).as_deref() {
                Some("true") => raw.external = true,
                Some("false") | None => {}
                Some(other) => problems.add(FILE, node.line, format!("extern must be true or false, not {other}")),
            },
            "inherits" => raw.inherits = node.text(FILE, "inherits", problems).map(|name| (name, node.line)),
            name => match schema.axis(name) {
                Some(axis) => {
                    let value = node.value(FILE, name, problems);
                    if axis.record(&value).is_none() {
                        let known: Vec<_> = axis.values.iter().map(|(value, _)| show(value)).collect();
                        let message = format!("{name} has no value {}; known: {}", show(&value), known.join(", "));
                        problems.add(FILE, node.line, message);
                    }
                    raw.axes.insert(name.to_owned(), (value, node.line));
                }
                None => {
                    problems.add(FILE, key.line, format!("unknown key {name} in a target: no axis of {}", schema::FILE))
                }
            },
        }
    }
    match &raw.name {
        None => problems.add(FILE, raw.line, "a target without a name: the key target is missing"),
        Some(name) if !is_stem(name) => {
            problems.add(FILE, raw.line, format!("{name} cannot name files: use a-z, 0-9, - and . only"));
        }
        Some(_) => {}
    }
    raw
}

/// The target with all that it inherits, the nearest first. `extern` is not inherited.
fn resolve(raw: &Raw, by_name: &BTreeMap<&str, &Raw>, problems: &mut Problems) -> Option<Target> {
    let name = raw.name.clone()?;
    let mut target = Target { name: name.clone(), line: raw.line, external: raw.external, ..Target::default() };
    let (mut doc, mut tags) = (None, None);
    let mut visited = vec![name.as_str()];
    let mut step = Some(raw);
    while let Some(current) = step {
        doc = doc.or_else(|| current.doc.clone());
        tags = tags.or_else(|| current.tags.clone());
        for (axis, (value, _)) in &current.axes {
            target.axes.entry(axis.clone()).or_insert_with(|| value.clone());
        }
        step = None;
        let Some((parent, line)) = &current.inherits else { continue };
        match by_name.get(parent.as_str()) {
            None => problems.add(FILE, *line, format!("inherits {parent}, which is no target")),
            Some(_) if visited.contains(&parent.as_str()) => {
                problems.add(FILE, *line, format!("{parent} inherits itself: {} -> {parent}", visited.join(" -> ")));
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
        None => problems.add(FILE, raw.line, format!("{name} lacks doc")),
    }
    match tags {
        Some(tags) => target.tags = tags,
        None => {
            problems.add(FILE, raw.line, format!("{name} lacks tags"));
            target.tags = vec!["manual".to_owned()];
        }
    }
    Some(target)
}

/// Every axis has a value, and the values go together.
fn check(target: &Target, schema: &Schema, problems: &mut Problems) {
    let (name, line) = (&target.name, target.line);
    let events = target.tags.iter().filter(|tag| EVENTS.contains(&tag.as_str())).count();
    if events != 1 {
        problems.add(FILE, line, format!("{name} must have exactly one of the tags {}", EVENTS.join(", ")));
    }
    for axis in &schema.axes {
        let Some(value) = target.axes.get(&axis.name) else {
            problems.add(FILE, line, format!("{name} lacks {}", axis.name));
            continue;
        };
        let Some(record) = axis.record(value) else { continue };
        for (other, allowed) in &record.requires {
            let Some(found) = target.axes.get(other).filter(|found| !allowed.contains(found)) else { continue };
            let allowed: Vec<_> = allowed.iter().map(show).collect();
            let message = format!(
                "{name}: {} {} goes with {other} {} only, not {}",
                axis.name,
                show(value),
                allowed.join(" or "),
                show(found)
            );
            problems.add(FILE, line, message);
        }
    }
}

fn is_stem(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
}
