//! Batch compilation: several sources of the library in one program, which share the compiler's start-up time, half of
//! the time of a small compile.
//!
//! A source consists of headers, which may be repeated in a program, followed by its own part. That part is put into a
//! namespace of its own, and its kernels are renamed. The PTX is split again: each source gets the entries of its
//! kernels, under their own names, and everything that these refer to.

use rustc_hash::{FxHashMap, FxHashSet};

/// Text before the name of a kernel.
const KERNEL: &str = "extern \"C\" __global__ void ";
/// Prefix of every header's include guard; see `header!` of the kernels crate.
const HEADER: &str = "HEADER_";

/// Returns the start of a source's own part; `None` if headers follow it, so that it cannot be joined.
fn own_part(text: &str) -> Option<usize> {
    let at = text.find("\nnamespace ")? + 1;
    (!text[at..].contains(HEADER)).then_some(at)
}

/// Returns the name of a kernel of the source with this number in a batch.
fn named(name: &str, number: usize) -> String {
    format!("{name}__{number}")
}

/// Returns the names of the kernels in a part, each with its position.
fn kernels(part: &str) -> Vec<(usize, &str)> {
    let mut found = vec![];
    for (at, _) in part.match_indices(KERNEL) {
        let mut start = at + KERNEL.len();
        let rest = &part[start..];
        if rest.starts_with("__launch_bounds__(") {
            start += rest.find(") ").map_or(0, |end| end + 2);
        }
        let name = part[start..].split('(').next().unwrap_or_default();
        found.push((start, name));
    }
    found
}

/// Returns the program of several sources; `None` if one of them cannot be combined with others.
pub(crate) fn joined(texts: &[&str]) -> Option<String> {
    let mut program = String::new();
    for (number, text) in texts.iter().enumerate() {
        let (headers, part) = text.split_at(own_part(text)?);
        program.push_str(headers);
        program.push_str(&format!("namespace batch{number} {{\n"));
        let mut done = 0;
        for (at, name) in kernels(part) {
            program.push_str(&part[done..at]);
            program.push_str(&named(name, number));
            done = at + name.len();
        }
        program.push_str(&part[done..]);
        program.push_str("}\n");
    }
    Some(program)
}

/// Returns the PTX of each source from that of their program; `None` if it does not have the expected form.
pub(crate) fn split(ptx: &str, texts: &[&str]) -> Option<Vec<String>> {
    let ptx = ptx.trim_end_matches('\0');
    let head = ptx.find(".address_size")?;
    let head = head + ptx[head..].find('\n')? + 1;
    let items: Vec<&str> = items(&ptx[head..])?;
    let mut defined: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        // A declaration before the definition is found with it.
        defined.insert(name(item)?, i);
    }
    let refers: Vec<Vec<usize>> =
        items.iter().map(|item| words(item).filter_map(|word| defined.get(word).copied()).collect()).collect();
    let mut parts = vec![];
    for (number, text) in texts.iter().enumerate() {
        let part = &text[own_part(text)?..];
        let entries: Vec<(&str, String)> =
            kernels(part).into_iter().map(|(_, name)| (name, named(name, number))).collect();
        let mut needed = FxHashSet::default();
        let mut open: Vec<usize> =
            entries.iter().map(|(_, name)| defined.get(name.as_str()).copied()).collect::<Option<_>>()?;
        while let Some(i) = open.pop() {
            if needed.insert(i) {
                open.extend(&refers[i]);
            }
        }
        let mut out = ptx[..head].to_owned();
        for (i, item) in items.iter().enumerate() {
            // Items that declare something that is needed.
            if needed.contains(&i) || name(item).and_then(|n| defined.get(n)).is_some_and(|d| needed.contains(d)) {
                match entries.iter().find(|(_, named)| name(item) == Some(named)) {
                    // The name may occur in a comment before.
                    Some((own, named)) => {
                        let (before, after) = item.split_once(&format!(".entry {named}("))?;
                        out.push_str(&format!("{before}.entry {own}({after}"));
                    }
                    None => out.push_str(item),
                }
            }
        }
        parts.push(out);
    }
    Some(parts)
}

/// Splits a module into its functions, kernels and variables, each with what precedes it.
fn items(ptx: &str) -> Option<Vec<&str>> {
    let (mut items, mut start, mut depth, mut at) = (vec![], 0, 0usize, 0);
    let bytes = ptx.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => at += ptx[at..].find('\n')?,
            b'/' if bytes.get(at + 1) == Some(&b'*') => at += ptx[at..].find("*/")? + 1,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                // The braces of a variable are those of its values.
                if depth == 0 && is_code(&ptx[start..at]) {
                    items.push(&ptx[start..=at]);
                    start = at + 1;
                }
            }
            b';' if depth == 0 => {
                items.push(&ptx[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    (depth == 0 && words(&ptx[start..]).next().is_none()).then_some(items)
}

/// Returns true if an item is a function or a kernel.
fn is_code(item: &str) -> bool {
    words(item).take_while(|w| *w != "{").any(|word| word == ".func" || word == ".entry")
}

/// Returns the name that an item defines or declares.
fn name(item: &str) -> Option<&str> {
    let mut words = words(item).skip_while(|word| word.starts_with('.') && *word != ".func" && *word != ".entry");
    if is_code(item) {
        words.next();
        // The result of a function precedes its name.
        let mut words = words.peekable();
        if words.peek() == Some(&"(") {
            words.by_ref().find(|word| *word == ")")?;
        }
        return words.next();
    }
    // `.global .align 4 .b8 name[8] = {…};`: the last word before the end of the declaration.
    let mut last = None;
    for word in words {
        match word {
            "[" | "=" | ";" => return last,
            word => last = Some(word),
        }
    }
    last
}

/// Iterates over the tokens of PTX without comments: names, numbers, directives, and single punctuation characters.
fn words(ptx: &str) -> impl Iterator<Item = &str> {
    let part = |b: u8| b.is_ascii_alphanumeric() || b"_$.%".contains(&b);
    let bytes = ptx.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let first = *bytes.get(at)?;
            if first.is_ascii_whitespace() {
                at += 1;
            } else if bytes[at..].starts_with(b"//") {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
            } else if bytes[at..].starts_with(b"/*") {
                at += ptx[at..].find("*/").map_or(bytes.len() - at, |end| end + 2);
            } else {
                let start = at;
                at += 1;
                while part(first) && bytes.get(at).is_some_and(|b| part(*b)) {
                    at += 1;
                }
                return Some(&ptx[start..at]);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kernels: &str) -> String {
        format!("#ifndef HEADER_t\n#define HEADER_t\ntypedef float f32;\n#endif\nnamespace unit {{\n{kernels}}}\n")
    }

    #[test]
    fn texts_with_the_same_names_stand_in_one_program() {
        let one = text("typedef f32 t;\nextern \"C\" __global__ void __launch_bounds__(8) k(t *p) { *p = 1; }\n");
        let two = text("typedef int t;\nextern \"C\" __global__ void k(t *p) { *p = 1; }\n");
        let program = joined(&[&one, &two]).unwrap();
        assert!(
            program.contains("__launch_bounds__(8) k__0(t *p)") && program.contains("void k__1(t *p)"),
            "{program}"
        );
        assert!(program.contains("namespace batch1 {\nnamespace unit {"), "{program}");
        for alone in ["extern \"C\" __global__ void k() {}\n", "\nnamespace a {}\n#ifndef HEADER_late\n#endif\n"] {
            assert_eq!(joined(&[&one, alone]), None, "{alone}");
        }
    }

    const PTX: &str = "//\n// made\n.version 9.0\n.target sm_80\n.address_size 64\n\n\
        .extern .func  (.param .b32 result) vprintf\n(\n\t.param .b64 a\n)\n;\n\
        .func  (.param .b64 result) helper(\n\t.param .b64 x\n)\n{\n\tst.param.b64 [result], table;\n}\n\
        // k__7 is not k__0's\n\
        .global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n\
        .const .f64 tau = 0d401921FB54442D18;\n\
        .shared .align 4 .b8 s0[4];\n\
        // .globl k__0\n\
        .visible .entry k__0(\n\t.param .u64 k__0_param_0\n)\n.maxntid 8, 1, 1\n{\n\t{ call (r), helper, (x); }\n\tst.shared [s0], 1;\n}\n\
        .visible .entry k__1()\n{\n\tld.const.f64 %f1, [tau];\n\tret;\n}\n\0";

    #[test]
    fn each_text_gets_its_kernels_and_all_that_they_refer_to() {
        let one = text("extern \"C\" __global__ void k(int *p) {}\n");
        let parts = split(PTX, &[&one, &one]).unwrap();
        for part in &parts {
            assert!(part.starts_with("//\n// made\n.version 9.0") && !part.contains("vprintf"), "{part}");
            assert_eq!(part.matches(".entry k(").count(), 1, "{part}");
            assert_eq!(part.matches(".entry").count(), 1, "{part}");
        }
        let has = |part: &str, names: [&str; 4]| names.map(|name| part.contains(name));
        let names = [".func  (.param .b64 result) helper", "table[8]", ".f64 tau", "s0[4]"];
        assert_eq!(has(&parts[0], names), [true, true, false, true], "{}", parts[0]);
        assert_eq!(has(&parts[1], names), [false, false, true, false], "{}", parts[1]);
        for damaged in [&PTX[..PTX.len() - 4], ".address_size 64\n}\n", ".version 9.0\n"] {
            assert_eq!(split(damaged, &[&one]), None, "{damaged}");
        }
        let two = text("extern \"C\" __global__ void other(int *p) {}\n");
        assert_eq!(split(PTX, &[&one, &two]), None, "a kernel that is not there");
    }
}
