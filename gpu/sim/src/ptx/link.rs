//! Linker: combines several PTX sources to one, like the linker of device code.
//!
//! Exported symbols of a source (`.visible`, `.weak`, `.common`) are visible to the others; its local symbols are
//! renamed where another source has the same name. Of several weak definitions the first is used. Files of `.loc` are
//! renumbered.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::decode_control::system_call;

/// An error of linking. Sources are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// A source refers to a symbol that none defines.
    Undefined {
        /// The function or variable.
        symbol: String,
        /// The source that refers to it.
        by: usize,
    },
    /// Two sources define the same symbol.
    Repeated {
        /// The function or variable.
        symbol: String,
        /// The sources.
        by: [usize; 2],
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Undefined { symbol, by } => write!(f, "text {by} names {symbol}, which no text defines"),
            LinkError::Repeated { symbol, by: [a, b] } => write!(f, "the texts {a} and {b} define {symbol}"),
        }
    }
}

impl std::error::Error for LinkError {}

/// Links several sources to one, which [`Machine::load`](crate::Machine::load) accepts.
///
/// ```
/// let head = ".version 9.0\n.target sm_80\n.address_size 64\n";
/// let [user, owner] = [".extern .func f;\n.visible .entry k() { call f; ret; }", ".visible .func f { ret; }"]
///     .map(|text| format!("{head}{text}"));
/// let linked = cuprum_sim::link(&[&user, &owner])?;
/// assert_eq!(linked.matches(".version").count(), 1);
/// # Ok::<(), cuprum_sim::LinkError>(())
/// ```
///
/// # Errors
///
/// [`LinkError`] names the symbol that no source defines, or that two define.
pub fn link(texts: &[&str]) -> Result<String, LinkError> {
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_end_matches('\0')).collect();
    let texts: Vec<Vec<Item<'_>>> = texts.into_iter().map(items).collect();
    let defined = definitions(&texts)?;
    let mut taken: HashSet<&str> = defined.keys().copied().collect();
    let (mut whole, mut files) = (String::new(), 0);
    for (by, text) in texts.iter().enumerate() {
        let own = text.iter().filter(|item| item.linkage == Linkage::Own && !item.name.is_empty());
        let own: HashSet<&str> = own.map(|item| item.name).collect();
        let names: HashMap<&str, String> =
            own.iter().filter(|name| taken.contains(*name)).map(|name| (*name, format!("{name}$text{by}"))).collect();
        taken.extend(own);
        let mut most = 0;
        for (at, item) in text.iter().enumerate() {
            let elsewhere = item.defines && defined.get(item.name).is_some_and(|(position, _)| *position != (by, at));
            let skipped = match item.linkage {
                Linkage::Head => by > 0,
                Linkage::Own => false,
                Linkage::Weak | Linkage::Visible => elsewhere,
                Linkage::Extern => {
                    let known = defined.contains_key(item.name) || system_call(item.name).is_some();
                    if !known && text.iter().any(|other| other.linkage != Linkage::Extern && other.mentions(item.name))
                    {
                        return Err(LinkError::Undefined { symbol: item.name.into(), by });
                    }
                    // A variable without an initial value would be a separate one.
                    item.is_variable
                }
            };
            if !skipped {
                most = most.max(item.write(&names, files, &mut whole));
            }
        }
        whole.push('\n');
        files += most;
    }
    Ok(whole)
}

/// The definition of a shared symbol: the source and the item in it, and whether another may define it, too.
type Definitions<'a> = HashMap<&'a str, ((usize, usize), bool)>;

fn definitions<'a>(texts: &[Vec<Item<'a>>]) -> Result<Definitions<'a>, LinkError> {
    let mut defined: Definitions<'a> = HashMap::new();
    for (by, text) in texts.iter().enumerate() {
        for (at, item) in text.iter().enumerate().filter(|(_, item)| item.defines) {
            let weak = match item.linkage {
                Linkage::Visible => false,
                Linkage::Weak => true,
                _ => continue,
            };
            match defined.get(item.name) {
                Some(((first, _), false)) if !weak => {
                    return Err(LinkError::Repeated { symbol: item.name.into(), by: [*first, by] });
                }
                Some((_, known_weak)) if weak || !known_weak => {}
                _ => drop(defined.insert(item.name, ((by, at), weak))),
            }
        }
    }
    Ok(defined)
}

/// The visibility of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linkage {
    /// Unnamed items that occur once: the version, the target.
    Head,
    /// Only its source; or it is no declaration.
    Own,
    Visible,
    /// All, and others may define it, too.
    Weak,
    Extern,
}

/// A declaration, a definition, or another item of a source.
#[derive(Clone, Debug)]
struct Item<'a> {
    text: &'a str,
    name: &'a str,
    linkage: Linkage,
    defines: bool,
    /// In global or constant memory.
    is_variable: bool,
}

impl<'a> Item<'a> {
    fn new(text: &'a str) -> Item<'a> {
        let mut item = Item { text, name: "", linkage: Linkage::Own, defines: false, is_variable: false };
        if text.starts_with('/') {
            return item;
        }
        let mut rest = text;
        while let Some((word, behind)) = next_word(rest) {
            match word {
                ".version" | ".target" | ".address_size" => {
                    item.linkage = Linkage::Head;
                    return item;
                }
                ".visible" => item.linkage = Linkage::Visible,
                ".weak" | ".common" => item.linkage = Linkage::Weak,
                ".extern" => item.linkage = Linkage::Extern,
                ".entry" | ".func" => {
                    // The return parameter precedes the name.
                    let named = match behind.trim_start().strip_prefix('(') {
                        Some(returns) => returns.split_once(')').map_or("", |(_, named)| named),
                        None => behind,
                    };
                    item.name = next_word(named).map_or("", |(name, _)| name);
                    item.defines = text.ends_with('}');
                    return item;
                }
                ".global" | ".const" => item.is_variable = true,
                ".file" | ".section" | ".pragma" => return item,
                _ if word.starts_with('.') || word.starts_with(|c: char| c.is_ascii_digit()) => {}
                _ => {
                    item.name = word;
                    item.defines = item.linkage != Linkage::Extern;
                    // Dynamic shared memory is shared by all sources.
                    if !item.is_variable && item.linkage == Linkage::Extern {
                        item.linkage = Linkage::Own;
                        item.name = "";
                    }
                    return item;
                }
            }
            rest = behind;
        }
        item
    }

    fn mentions(&self, name: &str) -> bool {
        let mut rest = self.text;
        while let Some((word, behind)) = next_word(rest) {
            if word == name {
                return true;
            }
            rest = behind;
        }
        false
    }

    /// Writes the item with other names, and with file numbers offset by `files`. Returns the largest file number of
    /// its own.
    fn write(&self, names: &HashMap<&str, String>, files: u32, to: &mut String) -> u32 {
        let (mut rest, mut most, mut before) = (self.text, 0, ["", ""]);
        // Comments with source lines keep their words.
        let is_note = self.text.starts_with("//");
        while let Some((word, behind)) = next_word(rest) {
            to.push_str(&rest[..rest.len() - behind.len() - word.len()]);
            let counts = matches!(before[1], ".file" | ".loc" | "inlined_at")
                || before[0] == ".cuprum" && matches!(before[1], "file" | "line");
            let replacement: Cow<'_, str> = match (counts.then(|| word.parse::<u32>()), names.get(word)) {
                (Some(Ok(file)), _) => {
                    most = most.max(file);
                    (file + files).to_string().into()
                }
                (_, Some(name)) if !is_note => name.as_str().into(),
                _ => word.into(),
            };
            to.push_str(&replacement);
            before = [before[1], word];
            rest = behind;
        }
        to.push_str(rest);
        to.push('\n');
        most
    }
}

/// Returns a name, a directive or a number, and the text after it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let start = text.find(is_word)?;
    let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
    Some((&text[start..start + length], &text[start + length..]))
}

/// Returns the items of a source. Comments and line directives are items, too.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut found = vec![];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let of_line = [".version", ".target", ".address_size", ".file", "//"].iter().any(|head| rest.starts_with(head));
        let length = match rest.strip_prefix("/*") {
            Some(comment) => comment.find("*/").map_or(rest.len(), |end| end + 4),
            None if of_line => rest.find('\n').unwrap_or(rest.len()),
            None => declared(rest),
        };
        found.push(Item::new(rest[..length].trim_end()));
        rest = rest[length..].trim_start();
    }
    found
}

/// Returns the length of a declaration or a definition: up to a semicolon, or to the end of a block that is no initial
/// value.
fn declared(text: &str) -> usize {
    let (mut depth, mut is_value, mut last) = (0u32, false, ' ');
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '/' if last == '/' => drop(characters.find(|(_, c)| *c == '\n')),
            '*' if last == '/' => {
                let end = text[at..].find("*/").map_or(text.len(), |end| at + end + 2);
                while characters.offset() < end && characters.next().is_some() {}
            }
            '"' => drop(characters.find(|(_, c)| matches!(c, '"' | '\n'))),
            '=' if depth == 0 => is_value = true,
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_value {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
        last = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 9.0\n.target sm_80\n.address_size 64\n";

    fn linked(texts: &[&str]) -> Result<String, LinkError> {
        let texts: Vec<String> = texts.iter().map(|text| format!("// made by hand\n{HEAD}{text}\n\0")).collect();
        link(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn items_end_where_their_blocks_do() {
        let text = ".extern .func (.param .b32 r) f\n(\n.param .b32 x\n)\n;\n.global .align 4 .b8 t[2] = {1, {2}}; // {\n\
                    .visible .func g() { /* } */ { .pragma \"}\"; ret; } }\n.section .debug_str { a: .b8 1 }\n.file 1 \"a{b\"";
        let found: Vec<(&str, Linkage, bool)> = items(text).iter().map(|i| (i.name, i.linkage, i.defines)).collect();
        use Linkage::{Extern, Own, Visible};
        let none = ("", Own, false);
        assert_eq!(found, [("f", Extern, false), ("t", Own, true), none, ("g", Visible, true), none, none]);
    }

    #[test]
    fn names_of_one_text_alone_are_kept_apart() {
        let user = "// .globl k, t\n/* f */ .global .u32 t = 1;\n.extern .func f;\n.visible .entry k() { call f; ld.global.u32 %r1, [t+4]; }";
        let owner =
            "// .globl f\n.global .u32 t = 2;\n.visible .func f { ld.global.u32 %r1, [t]; mov.u64 %t, tt; ret; }";
        let whole = linked(&[user, owner]).unwrap();
        assert!(whole.contains(".u32 t = 1;") && whole.contains("[t+4]"), "{whole}");
        assert!(whole.contains(".u32 t$text1 = 2;") && whole.contains("[t$text1]; mov.u64 %t, tt;"), "{whole}");
        assert_eq!(whole.matches(".version").count(), 1);
    }

    #[test]
    fn what_is_shown_is_found_and_defined_once() {
        let [user, owner] =
            [".extern .global .b8 t[8];\n.visible .entry k() { mov.u64 %rd1, t; }", ".visible .global .u64 t;"];
        assert_eq!(linked(&[user, owner]).unwrap().matches(".global").count(), 1);
        assert_eq!(linked(&[user]), Err(LinkError::Undefined { symbol: "t".into(), by: 0 }));
        assert_eq!(linked(&[owner, user, owner]), Err(LinkError::Repeated { symbol: "t".into(), by: [0, 2] }));
        // An uncalled function need not be defined, and the simulator's own functions are.
        linked(&[".extern .func f;\n.extern .func vprintf;\n.visible .entry k() { call vprintf; }"]).unwrap();
        // Of weak definitions the first is used, before another one that is not weak.
        let weak = |n: u32| format!(".weak .func f {{ mov.u32 %r, {n}; }}");
        let whole = linked(&[&weak(7), &weak(8)]).unwrap();
        assert!(whole.contains(", 7;") && !whole.contains(", 8;"), "{whole}");
        let whole = linked(&[&weak(7), ".visible .func f { mov.u32 %r, 9; }", &weak(8)]).unwrap();
        assert!(whole.contains(", 9;") && !whole.contains(", 7;") && !whole.contains(", 8;"), "{whole}");
    }

    #[test]
    fn files_are_counted_on() {
        let text = ".visible .entry NAME() { .loc 2 5 28\n.loc 1 3 25, function_name $L, inlined_at 2 5 1\nret; }\n.file 2 \"a.cu\"\n\
                    //.cuprum line 2 5 f(1)";
        let [one, other] = ["k", "l"].map(|name| text.replace("NAME", name));
        let whole = linked(&[&one, &other]).unwrap();
        for part in
            [".loc 4 5 28", ".loc 3 3 25, function_name $L, inlined_at 4 5 1", ".file 4 \"a.cu\"", "line 4 5 f(1)"]
        {
            assert!(whole.contains(part), "{part} in {whole}");
        }
    }
}
