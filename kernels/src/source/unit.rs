//! Builder of a kernel source: headers that any number of engines share, then the part of one engine in a namespace.

use std::fmt::{Display, Write};

use super::{Width, declaration};
use crate::params::Parameters;

/// The part of a source that belongs to one engine: a namespace in which the types and constants of the key precede the
/// engine's own headers. Preprocessor definitions are undefined at its end.
pub(super) struct Unit {
    text: String,
    switches: Vec<&'static str>,
}

impl Unit {
    /// Begins a namespace after the shared headers.
    pub(super) fn new(headers: String, namespace: &str) -> Unit {
        let mut text = headers;
        let _ = writeln!(text, "namespace {namespace} {{");
        Unit { text, switches: Vec::new() }
    }

    /// Adds a typedef.
    pub(super) fn typed(mut self, name: &str, of: &str) -> Unit {
        let _ = writeln!(self.text, "typedef {of} {name};");
        self
    }

    /// Adds the type of an index.
    pub(super) fn indexed(self, width: Width) -> Unit {
        self.typed("uindex", width.index())
    }

    /// Adds an integer constant.
    pub(super) fn number(mut self, name: &str, value: usize) -> Unit {
        let _ = writeln!(self.text, "constexpr int {name} = {value};");
        self
    }

    /// Adds a preprocessor definition that is 0 or 1.
    pub(super) fn switch(self, name: &'static str, on: bool) -> Unit {
        self.choice(name, u8::from(on))
    }

    /// Adds a preprocessor definition.
    pub(super) fn choice(mut self, name: &'static str, value: impl Display) -> Unit {
        let _ = writeln!(self.text, "#define {name} {value}");
        self.switches.push(name);
        self
    }

    /// Adds the parameter struct of the kernel.
    pub(super) fn params(self, parameters: &impl Parameters<()>) -> Unit {
        self.params_as("params", parameters)
    }

    /// Adds the parameter struct of another kernel of the source.
    pub(super) fn params_as(self, name: &str, parameters: &impl Parameters<()>) -> Unit {
        self.with(&declaration(name, parameters))
    }

    /// Appends device code.
    pub(super) fn with(mut self, text: &str) -> Unit {
        self.text.push_str(text);
        self
    }

    /// Returns the complete source.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        for name in self.switches {
            let _ = writeln!(self.text, "#undef {name}");
        }
        self.text
    }
}
