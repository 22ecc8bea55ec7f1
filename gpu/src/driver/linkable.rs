//! Linkable objects: pieces of device code that are compiled separately, identified by their leading bytes.
//!
//! Kinds are recognised by the bytes that files of them begin with.

use std::collections::BTreeSet;
use std::fmt;

use crate::error::{Error, ErrorKind};

/// Kind of a piece of device code.
///
/// The kinds are those of nvJitLink's input types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodeKind {
    /// PTX: the assembly text of a virtual architecture.
    Ptx,
    /// CUBIN: code of one architecture.
    Cubin,
    /// LTO-IR, the result of `-dlto`: the compiler's intermediate form, which the linker optimises once more.
    Ltoir,
    /// Fat binary: code of several architectures.
    Fatbin,
    /// A host object with device code in it.
    Object,
    /// An archive of such objects.
    Library,
}

impl CodeKind {
    /// Returns the kind of code that begins with these bytes; `None` if it is none of them.
    pub(crate) fn of(code: &[u8]) -> Option<CodeKind> {
        const FOR_DEVICES: u8 = 190;
        match code {
            [0xed, b'C', b'N', 0x7f, ..] => Some(CodeKind::Ltoir),
            [0x50, 0xed, 0x55, 0xba, ..] => Some(CodeKind::Fatbin),
            [0x7f, b'E', b'L', b'F', rest @ ..] if rest.get(14) == Some(&FOR_DEVICES) => Some(CodeKind::Cubin),
            [0x7f, b'E', b'L', b'F', ..] => Some(CodeKind::Object),
            _ if code.starts_with(b"!<arch>\n") => Some(CodeKind::Library),
            _ => {
                let text = std::str::from_utf8(code).ok()?;
                text.lines().any(|line| line.trim_start().starts_with(".version")).then_some(CodeKind::Ptx)
            }
        }
    }

    /// Returns true if a device runs such code only after it is linked.
    pub(crate) fn needs_linker(self, code: &[u8]) -> bool {
        // The ELF type of an object that is to be linked.
        const RELOCATABLE: u8 = 1;
        match self {
            CodeKind::Ptx | CodeKind::Fatbin => false,
            CodeKind::Cubin => code.get(16) == Some(&RELOCATABLE),
            CodeKind::Ltoir | CodeKind::Object | CodeKind::Library => true,
        }
    }
}

impl fmt::Display for CodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CodeKind::Ptx => "PTX",
            CodeKind::Cubin => "a CUBIN",
            CodeKind::Ltoir => "LTO-IR",
            CodeKind::Fatbin => "a fatbin",
            CodeKind::Object => "a host's object",
            CodeKind::Library => "a library of objects",
        })
    }
}

/// A piece that is to be linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// Kind of code.
    pub(crate) kind: CodeKind,
    /// Its bytes.
    pub(crate) code: &'a [u8],
}

impl Piece<'_> {
    /// Returns the global symbols that it defines, as far as its format shows them: for PTX and CUBIN.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's linker alone needs it"))]
    pub(crate) fn defines(&self) -> BTreeSet<String> {
        match self.kind {
            CodeKind::Ptx => std::str::from_utf8(self.code).map(visible_symbols).unwrap_or_default(),
            CodeKind::Cubin => symbols(self.code).unwrap_or_default(),
            _ => BTreeSet::new(),
        }
    }
}

/// Returns the error for a symbol that two pieces define.
#[cfg_attr(not(any(feature = "cuda", feature = "sim")), allow(dead_code, reason = "there is no linker"))]
pub(crate) fn repeated(symbol: &str, [a, b]: [usize; 2]) -> Error {
    let message = format!("the pieces {a} and {b} both define {symbol}: leave one out, or declare it static");
    Error::new(ErrorKind::Compile, message)
}

/// Returns the visible symbols of PTX: `.visible .func (.param .b32 r) f(` and `.visible .global .align 4 .b8
/// table[12]`.
fn visible_symbols(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let declared = |line: &str| -> Option<String> {
        let mut rest = line.trim_start().strip_prefix(".visible")?.trim_start();
        loop {
            rest = match rest.strip_prefix('(') {
                // The result of a function.
                Some(returned) => returned.split_once(')')?.1.trim_start(),
                None if rest.starts_with(|c: char| c == '.' || c.is_ascii_digit()) => {
                    rest[rest.find([' ', '\t', '('])?..].trim_start()
                }
                None => break,
            };
        }
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        (!name.is_empty()).then(|| name.into())
    };
    text.lines().filter_map(declared).collect()
}

/// Returns the global symbols that an ELF object defines; `None` if it is damaged.
fn symbols(elf: &[u8]) -> Option<BTreeSet<String>> {
    const SYMBOLS: u64 = 2;
    const GLOBAL: u8 = 1;
    let number = |at: usize, offset: usize, bytes: usize| {
        let at = at.checked_add(offset)?;
        let all = elf.get(at..at.checked_add(bytes)?)?;
        Some(all.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b)))
    };
    let (table, size, count) = (number(0, 40, 8)? as usize, number(0, 58, 2)? as usize, number(0, 60, 2)? as usize);
    // The offset and the size of a section, and the size of an entry.
    let section = |k: usize| table.checked_add(k.checked_mul(size)?);
    let extent = |at: usize| Some((number(at, 24, 8)? as usize, number(at, 32, 8)? as usize));
    let mut found = BTreeSet::new();
    for k in 0..count {
        let at = section(k)?;
        if number(at, 4, 4)? != SYMBOLS {
            continue;
        }
        let ((first, bytes), (names, _)) = (extent(at)?, extent(section(number(at, 40, 4)? as usize)?)?);
        for at in (first..first.checked_add(bytes)?).step_by(24) {
            let (info, defined_in) = (number(at, 4, 1)? as u8, number(at, 6, 2)?);
            if info >> 4 == GLOBAL && defined_in != 0 {
                let name = elf.get(names.checked_add(number(at, 0, 4)? as usize)?..)?;
                let name = &name[..name.iter().position(|&b| b == 0)?];
                found.insert(String::from_utf8_lossy(name).into_owned());
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::nvrtc::{FOR_LINKER, nvrtc};

    #[test]
    fn the_first_bytes_tell_what_code_is() {
        let kind = |target: &str, options: &[&str]| {
            let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
            let text = "extern \"C\" __global__ void f(int *p) { *p = 1; }";
            let code = nvrtc().unwrap().compile(text, "f", target, &options, &[]).unwrap().code;
            let kind = CodeKind::of(&code).unwrap();
            (kind, kind.needs_linker(&code))
        };
        assert_eq!(kind("compute_80", &[]), (CodeKind::Ptx, false));
        assert_eq!(kind("sm_90", &[]), (CodeKind::Cubin, false));
        assert_eq!(kind("sm_90", &["-rdc=true"]), (CodeKind::Cubin, true));
        assert_eq!(kind("sm_90", &["-rdc=true", FOR_LINKER]), (CodeKind::Ltoir, true));
        let text = "__device__ int table[2]; static __device__ int own; extern __device__ int other; \
                    extern \"C\" __device__ float f(float x) { return x + own + other; } extern \"C\" __global__ void k() {}";
        for target in ["compute_80", "sm_90"] {
            let code = nvrtc().unwrap().compile(text, "f", target, &["-rdc=true".into()], &[]).unwrap().code;
            let defines = Piece { kind: CodeKind::of(&code).unwrap(), code: &code }.defines();
            assert_eq!(defines.iter().map(String::as_str).collect::<Vec<_>>(), ["f", "k", "table"], "{target}");
            for end in (0..code.len()).step_by(97) {
                Piece { kind: CodeKind::Cubin, code: &code[..end] }.defines();
                let mut broken = code.clone();
                broken[end..].iter_mut().take(8).for_each(|byte| *byte = 0xff);
                Piece { kind: CodeKind::Cubin, code: &broken }.defines();
            }
        }
        assert_eq!(CodeKind::of(b"!<arch>\n/"), Some(CodeKind::Library));
        assert_eq!(CodeKind::of(&[0x50, 0xed, 0x55, 0xba, 1]), Some(CodeKind::Fatbin));
        assert_eq!(CodeKind::of(b"int main() {}"), None);
        assert_eq!(CodeKind::of(&[0xff; 30]), None);
    }
}
