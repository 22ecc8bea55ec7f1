//! Translation of kernel sources to HIP, for AMD GPUs. Compiled, never run.
//!
//! The sources are CUDA C++ whose functions without an execution space are functions of the device. A header
//! ([`HEADER`]) declares what CUDA's compiler has built in, with warps of 32 lanes on the wavefronts of 64. Inline PTX
//! is replaced by calls of that header's functions: each instruction has one.

use std::fmt::Write;

/// The header that precedes every translated source.
pub const HEADER: &str = include_str!("../include/hip.cuh");

/// Inline PTX of the sources, with the functions of [`HEADER`] that replace it. Each takes the operands in order.
/// Blanks are not significant. The PTX of headers for users' sources, such as products on tensor cores, has none.
const INSTRUCTIONS: &[(&str, &str)] = &[
    // It hides a value from the optimiser.
    ("", "hip_opaque"),
    ("add.rn.f16x2 %0, %1, %2;", "hip_add_pairs"),
    ("cp.async.ca.shared.global [%0], [%1], %2;", "hip_copy_to_shared"),
    ("cp.async.wait_all;", "hip_wait_for_copies"),
    ("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;", "hip_no_policy"),
    ("cvt.f32.f16 %0, %1;", "hip_widen_half"),
    ("cvt.rn.bf16.f32 %0, %1;", "hip_round_to_bfloat16"),
    ("cvt.rn.f16.f32 %0, %1;", "hip_round_to_half"),
    ("cvt.rn.f16.f64 %0, %1;", "hip_round_to_half"),
    ("cvt.rn.f16x2.f32 %0, %1, %2;", "hip_round_to_pair"),
    ("dp4a.s32.s32 %0, %1, %2, %3;", "hip_dot4"),
    ("dp4a.u32.u32 %0, %1, %2, %3;", "hip_dot4"),
    ("ex2.approx.ftz.f32 %0, %1;", "hip_power_of_two"),
    ("ld.relaxed.gpu.global.u32 %0, [%1];", "hip_load_relaxed"),
    ("ld.relaxed.gpu.global.u64 %0, [%1];", "hip_load_relaxed"),
    ("lop3.b32 %0, %0, %1, %2, 0x80;", "hip_and"),
    ("mad.lo.u32 %0, %1, %2, %3;", "hip_multiply_add"),
    ("max.NaN.f16x2 %0, %1, %2;", "hip_maximum_of_pairs"),
    ("max.NaN.f32 %0, %1, %2;", "hip_maximum"),
    ("min.NaN.f16x2 %0, %1, %2;", "hip_minimum_of_pairs"),
    ("min.NaN.f32 %0, %1, %2;", "hip_minimum"),
    (
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 \
         {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};",
        "hip_multiply_matrices",
    ),
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};", "hip_multiply_matrices"),
    ("mov.b32 %0, {%1, %2};", "hip_pair"),
    ("{ .reg .b16 high; mov.b32 {%0, high}, %1; }", "hip_low_half"),
    ("{ .reg .b16 low; mov.b32 {low, %0}, %1; }", "hip_high_half"),
    ("mul.rn.f16x2 %0, %1, %2;", "hip_multiply_pairs"),
    ("prefetch.global.L2 [%0];", "hip_prefetch"),
    ("rcp.approx.ftz.f32 %0, %1;", "hip_reciprocal"),
    ("rsqrt.approx.ftz.f32 %0, %1;", "hip_reciprocal_root"),
    ("st.global.L2::cache_hint.u32 [%0], %1, %2;", "hip_store_with_policy"),
    ("st.relaxed.gpu.global.u32 [%0], %1;", "hip_store_relaxed"),
    ("st.relaxed.gpu.global.u64 [%0], %1;", "hip_store_relaxed"),
    ("sub.rn.f16x2 %0, %1, %2;", "hip_subtract_pairs"),
    // Of `sort_rank.cuh`, whose macro passes the test of a bit: the lanes whose bit is that of the own lane.
    (
        "{ .reg .pred mine; .reg .b32 b; and.b32 b, %1, %2; TEST vote.sync.ballot.b32 %0, mine, -1; \
         @!mine mad.lo.u32 %0, %0, %3, %3; }",
        "hip_lanes_of_bit",
    ),
];

/// Translates a source.
///
/// # Errors
///
/// The text of inline PTX that no function of the header replaces.
pub fn translate(source: &str) -> Result<String, String> {
    let mut out = String::from(HEADER);
    let mut rest = source;
    while let Some(at) = statement(rest) {
        out.push_str(&rest[..at]);
        let (call, length) = replaced(&rest[at..])?;
        out.push_str(&call);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// Replaces the global qualifier by that of a namespace, for sources that are put into one: `::abs(x)` is
/// `cuprum::abs(x)` there. A qualifier follows a blank, a bracket or an operator; literals are not changed.
pub fn qualify(source: &str, namespace: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let (mut before, mut quote) = (' ', None);
    for (at, c) in source.char_indices() {
        let is_global = !before.is_ascii_alphanumeric() && !matches!(before, '_' | '>' | ':');
        let is_name = |c: char| c.is_ascii_alphabetic() || c == '_';
        if quote.is_none() && is_global && source[at..].strip_prefix("::").is_some_and(|name| name.starts_with(is_name))
        {
            out.push_str(namespace);
        }
        out.push(c);
        match quote {
            _ if before == '\\' => {}
            None if c == '"' || c == '\'' && !before.is_ascii_alphanumeric() => quote = Some(c),
            Some(open) if c == open || c == '\n' => quote = None,
            _ => {}
        }
        // A backslash that is escaped escapes nothing.
        before = if before == '\\' && c == '\\' { ' ' } else { c };
    }
    out
}

/// Returns the position of the next keyword `asm`.
fn statement(text: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("asm").map(|(at, _)| at).find(|&at| {
        let (before, after) = (&text[..at], &text[at + 3..]);
        !before.ends_with(is_part) && after.trim_start().starts_with(['(', 'v']) && !after.starts_with(is_part)
    })
}

/// Returns the call that replaces the statement at the start of a text, and the length of that.
fn replaced(text: &str) -> Result<(String, usize), String> {
    let damaged = || format!("inline PTX has no end: {}", text.lines().next().unwrap_or_default());
    let open = text.find('(').ok_or_else(damaged)?;
    let parts = parts(&text[open + 1..]).ok_or_else(damaged)?;
    let template = template(parts.sections.first().ok_or_else(damaged)?);
    let blanks = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
    let known = INSTRUCTIONS.iter().find(|(ptx, _)| blanks(ptx) == blanks(&template));
    let (_, function) = known.ok_or_else(|| format!("no function of HIP replaces the PTX `{}`", blanks(&template)))?;
    let operands: Vec<&str> = parts.sections[1..].iter().take(2).flat_map(|section| operands(section)).collect();
    let mut call = String::new();
    let _ = write!(call, "{function}({})", operands.join(", "));
    Ok((call, open + 1 + parts.length))
}

/// The parts of an inline assembly statement.
struct Parts<'a> {
    /// Template, outputs, inputs and clobbers.
    sections: Vec<&'a str>,
    /// Length of the text, with the closing parenthesis.
    length: usize,
}

/// Splits the text after an opening parenthesis at the colons of its level, up to the closing one.
fn parts(text: &str) -> Option<Parts<'_>> {
    let (mut sections, mut start, mut depth, mut quoted, mut escaped) = (vec![], 0, 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                sections.push(&text[start..at]);
                return Some(Parts { sections, length: at + 1 });
            }
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 => {
                sections.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Returns the text of a template: its string literals, and the names of macros between them.
fn template(section: &str) -> String {
    let mut out = String::new();
    for (i, part) in section.split('"').enumerate() {
        match i % 2 {
            0 => out.push_str(&part.replace('\\', " ")),
            _ => out.push_str(&part.replace("\\n", " ").replace("\\t", " ")),
        }
    }
    out
}

/// Returns the expressions of operands: `"=r"(a), "l"(b)`.
fn operands(section: &str) -> Vec<&str> {
    let (mut found, mut rest) = (vec![], section);
    while let Some(open) = rest.find('(') {
        let Some(inner) = parts_of_level(&rest[open + 1..]) else { break };
        found.push(rest[open + 1..open + 1 + inner].trim());
        rest = &rest[open + inner + 2..];
    }
    found
}

/// Returns the length of the text up to the closing parenthesis of its level.
fn parts_of_level(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(source: &str) -> Result<String, String> {
        translate(source).map(|text| text[HEADER.len()..].to_owned())
    }

    #[test]
    fn inline_ptx_becomes_calls_with_its_operands_in_order() {
        let source =
            "u32 r; asm(\"dp4a.u32.u32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(f(a, b)), \"r\"(c), \"r\"(sum)); g();";
        assert_eq!(body(source).unwrap(), "u32 r; hip_dot4(r, f(a, b), c, sum); g();");
        let source = "asm volatile(\"prefetch.global.L2 [%0];\" ::\"l\"((item *)p.out + key[k]));";
        assert_eq!(body(source).unwrap(), "hip_prefetch((item *)p.out + key[k]);");
        let source = "asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); asm volatile(\"\" : \"+r\"(x));";
        assert_eq!(body(source).unwrap(), "hip_wait_for_copies(); hip_opaque(x);");
        assert_eq!(body("int plasma(int x); // asm").unwrap(), "int plasma(int x); // asm");
    }

    #[test]
    fn global_names_are_those_of_the_namespace() {
        let source =
            "using ::complex; y = f(::abs(x)) + a::b + c<d>::e; // don't\ng(\" ::h\\\\\", '\"', ::i, \"\\\"::j\");";
        let expected =
            "using n::complex; y = f(n::abs(x)) + a::b + c<d>::e; // don't\ng(\" ::h\\\\\", '\"', n::i, \"\\\"::j\");";
        assert_eq!(qualify(source, "n"), expected);
    }

    #[test]
    fn a_macro_between_the_lines_of_a_template_is_part_of_it() {
        let source = include_str!("../include/sort_rank.cuh");
        let text = body(source).unwrap();
        assert!(text.contains("hip_lanes_of_bit(same, digit, bit, ones)"), "{text}");
        assert!(!text.contains("vote.sync") && text.contains("hip_and(alike, one, same)"));
    }

    #[test]
    fn ptx_without_a_replacement_is_an_error_that_shows_it() {
        let e = body("asm(\"mma.sync %0, %1;\" : \"=r\"(r) : \"r\"(a));").unwrap_err();
        assert_eq!(e, "no function of HIP replaces the PTX `mma.sync %0, %1;`");
        assert!(body("asm(\"cut").unwrap_err().contains("has no end"));
    }

    #[test]
    fn inline_ptx_of_every_header_of_the_kernels_is_replaced() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let mut replaced = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Users' sources are not translated.
            if path.file_name().unwrap().to_string_lossy().starts_with("user_") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let text = body(&source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert!(statement(&text).is_none(), "{}", path.display());
            replaced += usize::from(text != source);
        }
        assert!(replaced > 5, "{replaced} headers with inline PTX were found");
    }

    #[test]
    fn every_function_that_replaces_ptx_is_in_the_header() {
        for (ptx, function) in INSTRUCTIONS {
            assert!(HEADER.contains(&format!(" {function}(")), "{ptx}: {function}");
        }
    }
}
