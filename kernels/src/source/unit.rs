//! The frame of a text: headers that any number of engines share, then what belongs to one engine, in a namespace.

use std::fmt::{Display, Write};

use super::{Width, declaration};
use crate::params::Parameters;

/// The part of a text that belongs to one engine: a namespace in which the key's types and numbers stand before the
/// engine's own headers. What the preprocessor has to know is forgotten at its end.
pub(super) struct Unit {
    text: String,
    switches: Vec<&'static str>,
}

impl Unit {
    /// Begins behind the shared headers.
    pub(super) fn new(headers: String, namespace: &str) -> Unit {
        let mut text = headers;
        let _ = writeln!(text, "namespace {namespace} {{");
        Unit { text, switches: Vec::new() }
    }

    /// Returns a name for a type.
    pub(super) fn typed(mut self, name: &str, of: &str) -> Unit {
        let _ = writeln!(self.text, "typedef {of} {name};");
        self
    }

    /// Returns the types of an index.
    pub(super) fn indexed(self, width: Width) -> Unit {
        self.typed("uindex", width.index())
    }

    /// Returns a number that is known as the text is compiled.
    pub(super) fn number(mut self, name: &str, value: usize) -> Unit {
        let _ = writeln!(self.text, "constexpr int {name} = {value};");
        self
    }

    /// Returns a choice that is made as the text is compiled: 0 or 1, which the preprocessor knows.
    pub(super) fn switch(self, name: &'static str, on: bool) -> Unit {
        self.choice(name, u8::from(on))
    }

    /// Returns the same among several.
    pub(super) fn choice(mut self, name: &'static str, value: impl Display) -> Unit {
        let _ = writeln!(self.text, "#define {name} {value}");
        self.switches.push(name);
        self
    }

    /// Returns the struct that the kernel is told.
    pub(super) fn params(self, parameters: &impl Parameters<()>) -> Unit {
        self.params_as("params", parameters)
    }

    /// Returns the struct that another kernel of the text is told.
    pub(super) fn params_as(self, name: &str, parameters: &impl Parameters<()>) -> Unit {
        self.with(&declaration(name, parameters))
    }

    /// More text.
    pub(super) fn with(mut self, text: &str) -> Unit {
        self.text.push_str(text);
        self
    }

    /// Returns the whole text.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        for name in self.switches {
            let _ = writeln!(self.text, "#undef {name}");
        }
        self.text
    }
}
