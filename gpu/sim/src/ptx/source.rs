//! Source information of compiled PTX: the source line of each instruction, the text of the lines, and the names of
//! arguments.
//!
//! PTX has the locations (`.loc`, `.file`). The compiler's caller may add the text of the source, in comments at the
//! end of the PTX:
//!
//! ```text
//! //.cuprum file 1 raw.cu
//! //.cuprum line 1 4   x[i] = y[i + 1];
//! //.cuprum arguments kernel x y n
//! ```

use std::collections::HashMap;
use std::fmt::Write as _;

/// A line of a file, by the file's number.
type Line = (u32, u32);

/// The source location of instructions from a line of PTX on.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The line of the PTX source.
    pub(crate) from: u32,
    /// The line, and the lines of the calls at which it is inlined, the innermost first. Empty if nothing is known.
    pub(crate) lines: Vec<Line>,
}

/// The source information of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// In the order of the PTX source.
    pub(crate) locations: Vec<Location>,
    pub(crate) files: HashMap<u32, String>,
    texts: HashMap<Line, String>,
    arguments: HashMap<String, Vec<String>>,
}

const MARK: &str = "//.cuprum ";

impl Sources {
    /// Reads the comments at the end of a PTX source.
    pub(crate) fn annotate(&mut self, text: &str) {
        let Some(start) = text.find(MARK) else { return };
        for line in text[start..].lines().filter_map(|line| line.strip_prefix(MARK)) {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let mut words = rest.splitn(3, ' ');
            let mut number = || words.next().and_then(|w| w.parse().ok());
            match kind {
                "file" => {
                    if let (Some(file), Some(name)) = (number(), rest.split_once(' ')) {
                        self.files.insert(file, name.1.into());
                    }
                }
                "line" => {
                    if let (Some(file), Some(line)) = (number(), number()) {
                        self.texts.insert((file, line), words.next().unwrap_or_default().trim().into());
                    }
                }
                "arguments" => {
                    let mut names = rest.split(' ').map(String::from);
                    if let Some(kernel) = names.next() {
                        self.arguments.insert(kernel, names.collect());
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the name of a kernel's argument.
    pub(crate) fn argument(&self, kernel: &str, at: usize) -> Option<&str> {
        self.arguments.get(kernel)?.get(at).map(String::as_str)
    }

    /// Returns the source lines of a line of PTX, formatted for messages; `None` if they are not known.
    pub(crate) fn location(&self, ptx_line: u32) -> Option<String> {
        let after = self.locations.partition_point(|location| location.from <= ptx_line);
        let location = self.locations.get(after.checked_sub(1)?)?;
        let mut text = String::new();
        for (i, &(file, line)) in location.lines.iter().enumerate() {
            if i > 0 {
                text.push_str(", inlined at ");
            }
            let name = self.files.get(&file).map_or("the source", String::as_str);
            let _ = write!(text, "{name}:{line}");
            if let Some(source) = self.texts.get(&(file, line)) {
                let _ = write!(text, " `{source}`");
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// Adds to each line of PTX in a message its source line.
    pub(crate) fn explain(&self, message: String) -> String {
        const WORDS: &str = "PTX line ";
        if self.locations.is_empty() || !message.contains(WORDS) {
            return message;
        }
        let mut out = String::new();
        let mut rest = message.as_str();
        while let Some(at) = rest.find(WORDS) {
            let behind = &rest[at + WORDS.len()..];
            let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
            out.push_str(&rest[..at]);
            if let Some(location) = behind[..digits].parse().ok().and_then(|line| self.location(line)) {
                let _ = write!(out, "{location}, ");
            }
            out.push_str(WORDS);
            out.push_str(&behind[..digits]);
            rest = &behind[digits..];
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_reported_with_their_text() {
        let mut sources = Sources {
            locations: vec![
                Location { from: 10, lines: vec![(1, 3)] },
                Location { from: 20, lines: vec![(2, 7), (1, 4)] },
                Location { from: 30, lines: vec![] },
            ],
            ..Sources::default()
        };
        sources.annotate(
            "ret;\n//.cuprum file 1 raw.cu\n//.cuprum file 2 own header.h\n//.cuprum line 1 3   int i = 0;\n\
             //.cuprum line 2 7 return a  + b;\n//.cuprum arguments k x n\n",
        );
        assert_eq!(sources.location(9), None);
        assert_eq!(sources.location(19).unwrap(), "raw.cu:3 `int i = 0;`");
        assert_eq!(sources.location(20).unwrap(), "own header.h:7 `return a  + b;`, inlined at raw.cu:4");
        assert_eq!(sources.location(31), None);
        assert_eq!(
            sources.explain("at PTX line 12, PTX line 40".into()),
            "at raw.cu:3 `int i = 0;`, PTX line 12, PTX line 40"
        );
        assert_eq!((sources.argument("k", 1), sources.argument("k", 2)), (Some("n"), None));
    }
}
