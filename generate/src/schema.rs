//! `ci/schema.yaml`: the axes of the CI targets, their values, and what each value needs and brings.

use std::collections::BTreeMap;

use crate::date::Date;
use crate::problem::Problems;
use crate::tree::{Key, Node, show};

/// The file, relative to the root of the project.
pub const FILE: &str = "ci/schema.yaml";

/// The axes that the generator knows how to turn into a job, in the order of the tables, and the fields that each
/// non-null value of theirs must have. An axis `env:NAME` may be added freely: its value is exported under that name.
const AXES: &[(&str, &[&str])] = &[
    ("system", &[]),
    ("os", &["image"]),
    ("cuda", &["image"]),
    ("nvrtc", &[]),
    ("rust", &["image"]),
    ("python", &[]),
    ("numpy", &[]),
    ("device", &["runner"]),
    ("test", &["stages", "minutes"]),
    ("shards", &[]),
];

/// The tags that say when a target runs; each target has one of them.
pub const EVENTS: [&str; 3] = ["push", "nightly", "manual"];

/// A value of an axis; `None` is YAML's null: not there, or not set.
pub type Value = Option<String>;

/// The schema.
#[derive(Debug, Default)]
pub struct Schema {
    /// The tags and what each means.
    pub tags: BTreeMap<String, String>,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// The values that no target need have.
    pub allowed: Vec<Allowed>,
}

/// One axis.
#[derive(Debug)]
pub struct Axis {
    /// Its name, a key of every target.
    pub name: String,
    /// One sentence for the table.
    pub doc: String,
    /// The values and their records, in the order of the file.
    pub values: Vec<(Value, Record)>,
    /// The line of the name.
    pub line: usize,
}

/// What a value of an axis needs and brings.
#[derive(Debug, Default)]
pub struct Record {
    /// For other axes, the values that this one goes with.
    pub requires: Vec<(String, Vec<Value>)>,
    /// Exported in the job's script.
    pub env: Vec<(String, String)>,
    /// The container image: of `os`, `cuda` (with `{os}` for the system) and `rust`.
    pub image: String,
    /// The runner's labels, of `device`.
    pub runner: Vec<String>,
    /// The stages of `ci/run.sh`, of `test`.
    pub stages: Vec<String>,
    /// The time limit, of `test`.
    pub minutes: u32,
    /// The line of the value.
    pub line: usize,
}

/// An exception from the rule that each value of each axis is in some target.
#[derive(Debug)]
pub struct Allowed {
    /// The axis.
    pub axis: String,
    /// The value.
    pub value: Value,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Date,
    /// The line of the entry.
    pub line: usize,
}

impl Schema {
    /// The axis of this name.
    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }
}

impl Axis {
    /// The record of a value.
    pub fn record(&self, value: &Value) -> Option<&Record> {
        self.values.iter().find(|(known, _)| known == value).map(|(_, record)| record)
    }
}

/// Reads the schema; what is wrong goes to `problems` and is left out of the result.
pub fn read(root: &Node, problems: &mut Problems) -> Schema {
    let mut schema = Schema::default();
    let mut allowed = None;
    for (key, node) in root.entries(FILE, "the schema", problems) {
        match key.text.as_deref() {
            Some("tags") => schema.tags = tags(node, problems),
            Some("axes") => schema.axes = axes(node, problems),
            Some("allow_uncovered") => allowed = Some(node),
            _ => unknown(key, "the schema", &["tags", "axes", "allow_uncovered"], problems),
        }
    }
    if let Some(node) = allowed {
        schema.allowed = node
            .items(FILE, "allow_uncovered", problems)
            .iter()
            .filter_map(|item| exception(item, &schema, problems))
            .collect();
    }
    check(&schema, problems);
    schema
}

fn tags(node: &Node, problems: &mut Problems) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (key, node) in node.entries(FILE, "tags", problems) {
        if let (Some(name), Some(doc)) = (&key.text, node.text(FILE, "the meaning of a tag", problems)) {
            found.insert(name.clone(), doc);
        }
    }
    found
}

fn axes(node: &Node, problems: &mut Problems) -> Vec<Axis> {
    let mut found = Vec::new();
    for (key, node) in node.entries(FILE, "axes", problems) {
        let name = show(&key.text);
        let fields = match AXES.iter().find(|(known, _)| *known == name) {
            Some((_, fields)) => *fields,
            None if name.strip_prefix("env:").is_some_and(is_variable) => &[],
            None => {
                let known: Vec<_> = AXES.iter().map(|(name, _)| *name).chain(["env:NAME"]).collect();
                unknown(key, "axes", &known, problems);
                continue;
            }
        };
        found.push(axis(name, key.line, fields, node, problems));
    }
    found
}

fn axis(name: String, line: usize, fields: &[&str], node: &Node, problems: &mut Problems) -> Axis {
    let mut axis = Axis { name, doc: String::new(), values: Vec::new(), line };
    for (key, node) in node.entries(FILE, &format!("axis {}", axis.name), problems) {
        match key.text.as_deref() {
            Some("doc") => axis.doc = node.text(FILE, "doc", problems).unwrap_or_default(),
            Some("values") => {
                for (value, node) in node.entries(FILE, "values", problems) {
                    let record = record(&axis.name, value, fields, node, problems);
                    axis.values.push((value.text.clone(), record));
                }
            }
            _ => unknown(key, &format!("axis {}", axis.name), &["doc", "values"], problems),
        }
    }
    if axis.values.is_empty() {
        problems.add(FILE, line, format!("axis {} has no values", axis.name));
    }
    if axis.doc.is_empty() {
        problems.add(FILE, line, format!("axis {} has no doc", axis.name));
    }
    axis
}

fn record(axis: &str, value: &Key, fields: &[&str], node: &Node, problems: &mut Problems) -> Record {
    let what = format!("{axis} {}", show(&value.text));
    let mut record = Record { line: value.line, ..Record::default() };
    let mut seen = Vec::new();
    for (key, node) in node.entries(FILE, &what, problems) {
        let name = key.text.as_deref().unwrap_or("null");
        seen.push(name);
        match name {
            "requires" => {
                for (other, node) in node.entries(FILE, "requires", problems) {
                    let items = node.items(FILE, "the values required", problems);
                    let values = items.iter().map(|item| item.value(FILE, "a value", problems)).collect();
                    record.requires.push((show(&other.text), values));
                }
            }
            "env" => {
                for (variable, node) in node.entries(FILE, "env", problems) {
                    let name = show(&variable.text);
                    if !is_variable(&name) {
                        problems.add(FILE, variable.line, format!("{name} is not the name of a variable"));
                    }
                    record.env.push((name, node.value(FILE, "a variable", problems).unwrap_or_default()));
                }
            }
            "image" if fields.contains(&name) => {
                record.image = node.text(FILE, "image", problems).unwrap_or_default();
            }
            "runner" if fields.contains(&name) => record.runner = texts(node, "runner", problems),
            "stages" if fields.contains(&name) => record.stages = texts(node, "stages", problems),
            "minutes" if fields.contains(&name) => {
                let text = node.text(FILE, "minutes", problems).unwrap_or_default();
                match text.parse() {
                    Ok(minutes) if minutes > 0 => record.minutes = minutes,
                    _ => problems.add(FILE, node.line, format!("minutes must be a whole number above 0, not {text}")),
                }
            }
            _ => {
                let known: Vec<_> = ["requires", "env"].iter().chain(fields).copied().collect();
                unknown(key, &what, &known, problems);
            }
        }
    }
    for field in fields.iter().filter(|field| value.text.is_some() && !seen.contains(field)) {
        problems.add(FILE, value.line, format!("{what} lacks {field}"));
    }
    record
}

fn texts(node: &Node, what: &str, problems: &mut Problems) -> Vec<String> {
    node.items(FILE, what, problems).iter().filter_map(|item| item.text(FILE, what, problems)).collect()
}

fn exception(node: &Node, schema: &Schema, problems: &mut Problems) -> Option<Allowed> {
    const KEYS: [&str; 4] = ["axis", "value", "reason", "until"];
    let mut found: BTreeMap<&str, Value> = BTreeMap::new();
    for (key, node) in node.entries(FILE, "an entry of allow_uncovered", problems) {
        match KEYS.iter().find(|known| key.text.as_deref() == Some(known)) {
            Some(known) => {
                found.insert(known, node.value(FILE, known, problems));
            }
            None => unknown(key, "an entry of allow_uncovered", &KEYS, problems),
        }
    }
    let mut complete = true;
    for key in KEYS {
        // The value may be null, but it must be said; the rest must have text.
        if !found.contains_key(key) || (key != "value" && found[key].as_deref().is_none_or(str::is_empty)) {
            problems.add(FILE, node.line, format!("an entry of allow_uncovered lacks {key}"));
            complete = false;
        }
    }
    if !complete {
        return None;
    }
    let text = |key| found[key].clone().unwrap_or_default();
    let (axis, value) = (text("axis"), found["value"].clone());
    if schema.axis(&axis).and_then(|axis| axis.record(&value)).is_none() {
        problems.add(FILE, node.line, format!("allow_uncovered names {axis} {}, which does not exist", show(&value)));
        return None;
    }
    let Some(until) = Date::parse(&text("until")) else {
        problems.add(FILE, node.line, format!("until must be a day such as 2027-01-31, not {}", text("until")));
        return None;
    };
    Some(Allowed { axis, value, reason: text("reason"), until, line: node.line })
}

/// What can be seen only once everything is read.
fn check(schema: &Schema, problems: &mut Problems) {
    for (name, _) in AXES.iter().filter(|(name, _)| schema.axis(name).is_none()) {
        problems.add(FILE, 0, format!("the axis {name} is missing"));
    }
    for event in EVENTS.iter().filter(|event| !schema.tags.contains_key(**event)) {
        problems.add(FILE, 0, format!("the tag {event} is missing"));
    }
    for axis in &schema.axes {
        for (value, record) in &axis.values {
            let what = format!("{} {} requires", axis.name, show(value));
            for (other, values) in &record.requires {
                let Some(other_axis) = schema.axis(other) else {
                    problems.add(FILE, record.line, format!("{what} the axis {other}, which does not exist"));
                    continue;
                };
                for needed in values.iter().filter(|needed| other_axis.record(needed).is_none()) {
                    problems.add(FILE, record.line, format!("{what} {other} {}, which does not exist", show(needed)));
                }
            }
        }
    }
    if let Some(shards) = schema.axis("shards") {
        for (value, record) in &shards.values {
            if value.as_ref().and_then(|text| text.parse::<u32>().ok()).is_none_or(|count| count == 0) {
                problems.add(FILE, record.line, format!("shards must be whole numbers above 0, not {}", show(value)));
            }
        }
    }
}

fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A key that has no meaning is an error: it is a slip of the pen, or knowledge gone stale.
fn unknown(key: &Key, place: &str, known: &[&str], problems: &mut Problems) {
    let message = format!("unknown key {} in {place}; known: {}", show(&key.text), known.join(", "));
    problems.add(FILE, key.line, message);
}
