//! `ci/schema.yaml`: the axes of the CI targets, their values, and the requirements and settings of each value.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use cuprum_conformance::matrix::read::{Pairs, Problem, Section};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::date::Date;

/// The file, relative to the root of the project.
pub const FILE: &str = "ci/schema.yaml";

/// The axes that the generator can convert to a job, in the order of the tables, and the fields that each of their
/// non-null values must have. An axis `env:NAME` may be added freely: its value is exported under that name.
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

/// The tags of the event that runs a target; each target has exactly one of them.
pub const EVENTS: [&str; 3] = ["push", "nightly", "manual"];

/// A value of an axis; `None` is YAML's null: absent or not set.
pub type Value = Option<String>;

/// The schema.
#[derive(Debug, Default)]
pub struct Schema {
    /// The tags and their descriptions.
    pub tags: BTreeMap<String, String>,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// The values that need not be covered by a target.
    pub allowed: Vec<Allowed>,
}

/// An axis.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Axis {
    /// Its name, a key of every target.
    #[serde(skip)]
    pub name: String,
    /// A description of one sentence for the table.
    pub doc: Value,
    /// The values and their records.
    pub values: Pairs<Value, Record>,
    /// The line of the name.
    #[serde(skip)]
    pub line: usize,
}

/// The requirements and settings of a value of an axis.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// The compatible values of other axes.
    pub requires: Pairs<String, Vec<Value>>,
    /// The variables exported in the job's script.
    pub env: Pairs<String, Value>,
    /// The container image: for `os`, `cuda` (with `{os}` for the system) and `rust`.
    pub image: Value,
    /// The runner's labels, for `device`.
    #[serde(deserialize_with = "texts")]
    pub runner: Vec<String>,
    /// The stages of `ci/run.sh`, for `test`.
    #[serde(deserialize_with = "texts")]
    pub stages: Vec<String>,
    /// The time limit, for `test`.
    pub minutes: Option<NonZeroU32>,
    /// The packages of Debian that its stages need, for `test`: a job runs as a user who cannot install them.
    #[serde(deserialize_with = "texts")]
    pub packages: Vec<String>,
}

/// An exception from the rule that each value of each axis is covered by a target.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// The axis.
    pub axis: String,
    /// The value; it may be null, but must be given.
    #[serde(deserialize_with = "Value::deserialize")]
    pub value: Value,
    /// The reason.
    #[serde(deserialize_with = "text")]
    pub reason: String,
    /// The last day on which it holds.
    pub until: Date,
    /// The line of the entry.
    #[serde(skip)]
    pub line: usize,
}

impl Schema {
    /// Returns the axis of this name.
    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }
}

impl Record {
    /// Returns the fields that only some axes have, and whether each is given.
    fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("image", self.image.is_some()),
            ("runner", !self.runner.is_empty()),
            ("stages", !self.stages.is_empty()),
            ("minutes", self.minutes.is_some()),
        ]
    }
}

impl Axis {
    /// Returns the record of a value.
    pub fn record(&self, value: &Value) -> Option<&Record> {
        self.values.0.iter().find(|(known, _)| known == value).map(|(_, record)| record)
    }
}

/// Formats a value of an axis for messages and tables.
pub fn show(value: &Value) -> String {
    value.clone().unwrap_or_else(|| "null".to_owned())
}

/// Deserialises a required string.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = Value::deserialize(deserializer)?.filter(|text| !text.is_empty());
    text.ok_or_else(|| D::Error::custom("this must not be empty"))
}

/// Deserialises a required list of strings.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts: Option<_> = Vec::<Value>::deserialize(deserializer)?.into_iter().collect();
    texts.ok_or_else(|| D::Error::custom("an item must not be empty"))
}

/// Parses the schema; invalid entries are reported in `problems` and omitted from the result.
pub fn read(sections: &[Section], problems: &mut Vec<Problem>) -> Schema {
    let mut schema = Schema::default();
    for section in sections {
        match section.key.as_str() {
            "tags" => {
                for (line, name, doc) in section.pairs::<Value>(problems) {
                    if doc.is_none() {
                        problems.push(Problem { line, message: format!("the tag {name} has no meaning") });
                    }
                    schema.tags.insert(name, doc.unwrap_or_default());
                }
            }
            "axes" => {
                let axes = section.pairs::<Axis>(problems).into_iter();
                schema.axes = axes.map(|(line, name, axis)| Axis { name, line, ..axis }).collect();
            }
            "allow_uncovered" => {
                let allowed = section.items::<Allowed>(problems).into_iter();
                schema.allowed = allowed.map(|(line, entry)| Allowed { line, ..entry }).collect();
            }
            key => {
                let message = format!("unknown key {key} in the schema; known: tags, axes, allow_uncovered");
                problems.push(Problem { line: section.line, message });
            }
        }
    }
    schema
}

/// Checks the constraints that the types do not express.
pub fn check(schema: &Schema, problems: &mut Vec<Problem>) {
    let mut say = |line, message| problems.push(Problem { line, message });
    for (name, _) in AXES.iter().filter(|(name, _)| schema.axis(name).is_none()) {
        say(1, format!("the axis {name} is missing"));
    }
    for event in EVENTS.iter().filter(|event| !schema.tags.contains_key(**event)) {
        say(1, format!("the tag {event} is missing"));
    }
    for entry in &schema.allowed {
        if schema.axis(&entry.axis).and_then(|axis| axis.record(&entry.value)).is_none() {
            let (axis, value) = (&entry.axis, show(&entry.value));
            say(entry.line, format!("allow_uncovered names {axis} {value}, which does not exist"));
        }
    }
    for axis in &schema.axes {
        let (name, mut say) = (&axis.name, |message| say(axis.line, message));
        let fields = match AXES.iter().find(|(known, _)| known == name) {
            Some((_, fields)) => *fields,
            None if name.strip_prefix("env:").is_some_and(is_variable) => &[],
            None => {
                let known: Vec<_> = AXES.iter().map(|(name, _)| *name).chain(["env:NAME"]).collect();
                say(format!("unknown key {name} in axes; known: {}", known.join(", ")));
                continue;
            }
        };
        if axis.values.0.is_empty() {
            say(format!("axis {name} has no values"));
        }
        if axis.doc.as_deref().is_none_or(str::is_empty) {
            say(format!("axis {name} has no doc"));
        }
        for (value, record) in &axis.values {
            let what = format!("{name} {}", show(value));
            for (field, given) in record.given() {
                match fields.contains(&field) {
                    true if !given && value.is_some() => say(format!("{what} lacks {field}")),
                    false if given => say(format!("{what} has {field}, which no value of this axis has")),
                    _ => {}
                }
            }
            for (variable, _) in record.env.into_iter().filter(|(variable, _)| !is_variable(variable)) {
                say(format!("{what}: {variable} is not the name of a variable"));
            }
            for (other, values) in &record.requires {
                let Some(other_axis) = schema.axis(other) else {
                    say(format!("{what} requires the axis {other}, which does not exist"));
                    continue;
                };
                for needed in values.iter().filter(|needed| other_axis.record(needed).is_none()) {
                    say(format!("{what} requires {other} {}, which does not exist", show(needed)));
                }
            }
            if name == "shards" && value.as_ref().is_none_or(|text| text.parse::<NonZeroU32>().is_err()) {
                say(format!("shards must be whole numbers above 0, not {}", show(value)));
            }
        }
    }
}

fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
