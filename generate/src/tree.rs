//! YAML as a tree that knows its lines.
//!
//! Scalars stay text, so that `3.10` is not the number 3.1; only the plain words of null are told apart.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::problem::Problems;

/// A node and the line on which it begins, from 1.
#[derive(Clone, Debug)]
pub struct Node {
    /// The line on which the node begins.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of nodes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing, `~` or `null`.
    Null,
    /// Any other scalar, as written.
    Scalar(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// The key of a mapping's entry.
#[derive(Clone, Debug)]
pub struct Key {
    /// The line on which the key stands.
    pub line: usize,
    /// The key; `None` is null.
    pub text: Option<String>,
}

impl Node {
    /// The name of the kind, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Scalar(_) => "a scalar",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }

    /// The entries of a mapping; null counts as an empty one.
    pub fn entries(&self, file: &str, what: &str, problems: &mut Problems) -> &[(Key, Node)] {
        match &self.kind {
            Kind::Map(entries) => entries,
            Kind::Null => &[],
            _ => {
                problems.add(file, self.line, format!("{what} must be a mapping, not {}", self.kind_name()));
                &[]
            }
        }
    }

    /// The items of a list; null counts as an empty one.
    pub fn items(&self, file: &str, what: &str, problems: &mut Problems) -> &[Node] {
        match &self.kind {
            Kind::List(items) => items,
            Kind::Null => &[],
            _ => {
                problems.add(file, self.line, format!("{what} must be a list, not {}", self.kind_name()));
                &[]
            }
        }
    }

    /// The text of a scalar; null is `None` and no problem.
    pub fn value(&self, file: &str, what: &str, problems: &mut Problems) -> Option<String> {
        match &self.kind {
            Kind::Scalar(text) => Some(text.clone()),
            Kind::Null => None,
            _ => {
                problems.add(file, self.line, format!("{what} must be a scalar, not {}", self.kind_name()));
                None
            }
        }
    }

    /// The text of a scalar that must be there.
    pub fn text(&self, file: &str, what: &str, problems: &mut Problems) -> Option<String> {
        if let Kind::Null = self.kind {
            problems.add(file, self.line, format!("{what} must not be empty"));
        }
        self.value(file, what, problems)
    }
}

/// Parses the first document of `text`. A syntax error or a repeated key is a problem.
pub fn parse(file: &str, text: &str, problems: &mut Problems) -> Option<Node> {
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => events.push((event, span.start.line())),
            Err(error) => {
                problems.add(file, error.marker().line(), format!("not YAML: {}", error.info()));
                return None;
            }
        }
    }
    let mut reader = Reader { file, events: events.into_iter().peekable(), anchors: HashMap::new(), problems };
    while let Some((Event::StreamStart | Event::DocumentStart(_), _)) = reader.events.peek() {
        reader.events.next();
    }
    match reader.events.peek() {
        None | Some((Event::StreamEnd, _)) => Some(Node { line: 1, kind: Kind::Null }),
        Some(_) => Some(reader.node()),
    }
}

struct Reader<'a, I: Iterator<Item = (Event<'a>, usize)>> {
    file: &'a str,
    events: std::iter::Peekable<I>,
    anchors: HashMap<usize, Node>,
    problems: &'a mut Problems,
}

impl<'a, I: Iterator<Item = (Event<'a>, usize)>> Reader<'a, I> {
    fn node(&mut self) -> Node {
        let Some((event, line)) = self.events.next() else {
            return Node { line: 0, kind: Kind::Null };
        };
        let (anchor, kind) = match event {
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(&text, style)),
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                while !self.at_end(|event| matches!(event, Event::SequenceEnd)) {
                    items.push(self.node());
                }
                (anchor, Kind::List(items))
            }
            Event::MappingStart(anchor, _) => {
                let mut entries: Vec<(Key, Node)> = Vec::new();
                while !self.at_end(|event| matches!(event, Event::MappingEnd)) {
                    let key = self.key();
                    if let Some((first, _)) = entries.iter().find(|(known, _)| known.text == key.text) {
                        let name = show(&key.text);
                        let message = format!("the key {name} is already on line {}", first.line);
                        self.problems.add(self.file, key.line, message);
                    }
                    let value = self.node();
                    entries.push((key, value));
                }
                (anchor, Kind::Map(entries))
            }
            Event::Alias(id) => {
                let kind = self.anchors.get(&id).map_or(Kind::Null, |node| node.kind.clone());
                return Node { line, kind };
            }
            _ => (0, Kind::Null),
        };
        let node = Node { line, kind };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        node
    }

    fn key(&mut self) -> Key {
        let node = self.node();
        let text = match node.kind {
            Kind::Scalar(text) => Some(text),
            Kind::Null => None,
            _ => {
                self.problems.add(self.file, node.line, "a key must be a scalar");
                None
            }
        };
        Key { line: node.line, text }
    }

    fn at_end(&mut self, end: impl Fn(&Event<'a>) -> bool) -> bool {
        let ended = self.events.peek().is_none_or(|(event, _)| end(event));
        if ended {
            self.events.next();
        }
        ended
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Kind {
    match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null") => Kind::Null,
        _ => Kind::Scalar(text.to_owned()),
    }
}

/// A value of an axis as messages and tables show it.
pub fn show(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "null".to_owned())
}
