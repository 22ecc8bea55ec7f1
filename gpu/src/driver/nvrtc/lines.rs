//! Source annotations for the simulator's messages: the text of the lines, and the names of the kernels' parameters.
//!
//! PTX of a compile with `-lineinfo` has the numbers of files and lines. Their text is appended in comments, so that
//! the caches keep it with the code.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use super::Image;

/// The option that makes NVRTC write source locations.
pub(crate) const OPTION: &str = "-lineinfo";

/// Appends to the PTX of a source the text of the lines that it refers to, and the parameter names of its kernels.
pub(crate) fn annotate(image: &mut Image, name: &str, text: &str, expressions: &[String]) {
    let end = image.code.iter().position(|&b| b == 0).unwrap_or(image.code.len());
    let Ok(ptx) = std::str::from_utf8(&image.code[..end]) else { return };
    let mut notes = String::from("\n");
    // The name that the compile gives to the source.
    let own = format!("{name}.cu");
    let lines = lines_of(&own, text);
    let names: BTreeSet<&str> = lines.keys().map(|(file, _)| *file).collect();
    let mut files: HashMap<u32, &str> = HashMap::new();
    for (number, path) in ptx.lines().filter_map(file) {
        // NVRTC puts the working directory before a name.
        let known = names.iter().filter(|n| path == **n || path.ends_with(&format!("/{n}"))).max_by_key(|n| n.len());
        if let Some(known) = known {
            files.insert(number, known);
            let _ = writeln!(notes, "//.cuprum file {number} {known}");
        }
    }
    let positions: BTreeSet<(u32, u32)> = ptx.lines().flat_map(positions).collect();
    for (number, line) in positions {
        if let Some(said) = files.get(&number).and_then(|file| lines.get(&(*file, line))) {
            let _ = writeln!(notes, "//.cuprum line {number} {line} {}", said.trim());
        }
    }
    for kernel in ptx.lines().filter_map(entry) {
        let expression = image.names.iter().position(|n| n == kernel).and_then(|at| expressions.get(at));
        let called = expression.map_or(kernel, |e| e.split('<').next().unwrap_or(e));
        let called = called.rsplit("::").next().unwrap_or(called).trim();
        if let Some(arguments) = arguments(text, called) {
            let _ = writeln!(notes, "//.cuprum arguments {kernel} {}", arguments.join(" "));
        }
    }
    image.code.splice(end..end, notes.into_bytes());
}

/// Returns the lines of a source, called `own`, by file and number, which `#line` directives may change.
fn lines_of<'a>(own: &'a str, text: &'a str) -> HashMap<(&'a str, u32), &'a str> {
    let (mut file, mut number) = (own, 1);
    let mut lines: HashMap<(&'a str, u32), &'a str> = HashMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#line ") {
            let (at, path) = rest.split_once(' ').unwrap_or((rest, ""));
            number = at.trim().parse().unwrap_or(number);
            let path = path.trim().trim_matches('"');
            if !path.is_empty() {
                file = path;
            }
            continue;
        }
        lines.entry((file, number)).or_insert(line);
        number += 1;
    }
    lines
}

/// Parses `.file 1 "raw.cu"`.
fn file(line: &str) -> Option<(u32, &str)> {
    let (number, path) = line.trim_start().strip_prefix(".file")?.trim_start().split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, path.trim().trim_matches('"')))
}

/// Returns the file and line of a `.loc`, and those that it is inlined at.
fn positions(line: &str) -> Vec<(u32, u32)> {
    let Some(rest) = line.trim_start().strip_prefix(".loc") else { return vec![] };
    let position = |words: &str| -> Option<(u32, u32)> {
        let mut numbers = words.split_whitespace().map_while(|w| w.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    rest.split("inlined_at").filter_map(position).collect()
}

/// Returns the name of the kernel that begins in a line of PTX.
fn entry(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(".entry ")?;
    rest.split(['(', ' ']).next().filter(|n| !n.is_empty())
}

/// Returns the names of the parameters of a kernel, from its declaration.
fn arguments<'a>(text: &'a str, kernel: &str) -> Option<Vec<&'a str>> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared = text.match_indices(kernel).find_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + kernel.len()..]);
        let list = after.trim_start().strip_prefix('(')?;
        let since = before.rfind([';', '}', '{']).map_or(before, |from| &before[from..]);
        (!before.ends_with(part) && since.contains("__global__")).then_some(list)
    })?;
    let (mut names, mut depth, mut start) = (vec![], 0, 0);
    for (at, c) in declared.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | ',' if depth == 0 => {
                let one = &declared[start..at];
                let one = one.split(['=', '[']).next().unwrap_or(one).trim_end();
                let name = one.rfind(|c| !part(c)).map_or(one, |from| &one[from + 1..]);
                if !name.is_empty() && name != "void" {
                    names.push(name);
                }
                start = at + 1;
                if c == ')' {
                    return Some(names);
                }
            }
            ')' | '>' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_where_a_kernel_is_declared() {
        let text = "__device__ int f(int q);\ntemplate <class T, int N>\n__global__ void __launch_bounds__(64) k (const T *__restrict__ x,
            T &y, Pair<int, 3> p, int n = 4, float *const z, int w[4])\n{ k<T, N>(1); }\nextern \"C\" __global__ void none(void) {}";
        assert_eq!(arguments(text, "k").unwrap(), ["x", "y", "p", "n", "z", "w"]);
        assert_eq!(arguments(text, "none").unwrap(), [""; 0]);
        assert_eq!(arguments(text, "f"), None);
    }

    #[test]
    fn notes_say_what_the_lines_do() {
        let ptx = ".visible .entry k(\n.loc\t1 3 5\n.loc\t2 1 3, function_name $L, inlined_at 1 4 1\n.file\t1 \"/home/raw.cu\"\n.file 2 \"/home/a.h\"\n";
        let mut image = Image { code: [ptx.as_bytes(), &[0]].concat(), names: vec!["k".into()], log: String::new() };
        let text =
            "#line 1 \"a.h\"\nint deep;\n#line 2 \"raw.cu\"\n__global__ void k(int *x, int n) {\n  x[n] = 1;\n}\n";
        annotate(&mut image, "raw", text, &["k".into()]);
        let code = String::from_utf8(image.code).unwrap();
        for line in
            ["file 1 raw.cu", "file 2 a.h", "line 1 3 x[n] = 1;", "line 1 4 }", "line 2 1 int deep;", "arguments k x n"]
        {
            assert!(code.contains(&format!("//.cuprum {line}\n")), "{line}: {code}");
        }
        assert!(code.ends_with('\0'));
    }
}
