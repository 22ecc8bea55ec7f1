//! Expansion of the headers of a user's source: each replaces the `#include` directive.
//!
//! So a source is self-contained: the cache key covers everything that it consists of, and it can be compiled ahead of
//! time. `#line` directives keep the compiler's messages at the lines of the user's files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cuprum_kernels::source::{USER_DOT, USER_HEADERS, USER_MATH};

use super::looped::{declares, names};
use crate::driver::nvrtc;
use crate::error::{Error, ErrorKind};

/// Search paths of headers, in this order.
pub(super) struct IncludePaths<'a> {
    /// Headers that the user passes: a name and a source.
    pub(super) given: &'a [(String, String)],
    /// The library's headers.
    pub(super) built_in: &'static [(&'static str, &'static str)],
    /// The folder of the source, if it is a file, and those of `-I`.
    pub(super) folders: Vec<PathBuf>,
    /// The include folders of a CUDA toolkit, which the compiler searches itself: our own headers replace only those
    /// that the toolkit lacks.
    pub(super) toolkit: Vec<PathBuf>,
}

/// Returns a source with its headers expanded, and its compile options. `given` are headers of the user's, a name and a
/// source, and `beside` is the folder of the source, if it is a file.
pub(crate) fn whole(
    name: &str,
    text: &str,
    given: &[(String, String)],
    options: &[String],
    beside: Option<PathBuf>,
) -> (String, Vec<String>) {
    let looked: Vec<PathBuf> = beside.into_iter().chain(folders(options)).collect();
    let mut paths = IncludePaths { given, built_in: USER_HEADERS, folders: looked, toolkit: vec![] };
    let mut whole = paths.expand(name, text);
    let mut options = options.to_vec();
    if is_incomplete(&whole) {
        // The headers of a toolkit depend on each other: none of ours is mixed with them.
        paths.toolkit = toolkit();
        if !paths.toolkit.is_empty() {
            whole = paths.expand(name, text);
            options.extend(paths.toolkit.iter().map(|folder| format!("-I{}", folder.display())));
        }
    }
    let mut first = String::new();
    if CONSTANTS.iter().any(|constant| names(&whole, &[constant]) && !declares(&whole, constant)) {
        first.push_str(USER_MATH);
    }
    if names(&whole, &["__dp4a", "__dp2a_lo", "__dp2a_hi"]) {
        first.push_str(USER_DOT);
    }
    if !first.is_empty() {
        whole = format!("{first}#line 1 \"{name}.cu\"\n{whole}");
    }
    (whole, options)
}

/// Returns a source for nvcc, with the user's headers expanded. nvcc has the headers of its toolkit, and those of the
/// library are for NVRTC, which takes functions without an execution space for functions of the device.
pub(super) fn whole_for_nvcc(
    text: &str,
    given: &[(String, String)],
    options: &[String],
    beside: Option<PathBuf>,
) -> String {
    let folders = beside.into_iter().chain(folders(options)).collect();
    IncludePaths { given, built_in: &[], folders, toolkit: vec![] }.expand("raw", text)
}

/// Constants of `math.h` that a source has without including it.
const CONSTANTS: [&str; 6] = ["M_PI", "M_E", "M_PI_2", "M_SQRT2", "INFINITY", "NAN"];

/// Adds advice about a header that is not found to a compile error.
pub(crate) fn with_header_advice(e: Error) -> Error {
    let opens = ["cannot open source file \"", "could not open source file \""];
    let missing = opens.iter().find_map(|said| e.message().split_once(said)?.1.split('"').next());
    let (ErrorKind::Compile, Some(name)) = (e.kind(), missing) else { return e };
    let instead = match name {
        name if name.starts_with("curand") => "the functions of `random::DEVICE_FUNCTIONS` or arrays of random numbers",
        name if name.starts_with("cub/") => "the library's reductions, scans and sorts, or `cooperative_groups.h`",
        name if name.starts_with("thrust/") => "the library's functions of arrays, or `thrust/complex.h`",
        name if name.starts_with("cuda/std/") => {
            "the header of that name without `cuda/std/`, as `type_traits` or `limits`"
        }
        name if name.starts_with("cuda/") => "CUDA's built-in functions, or `cuda_awbarrier_primitives.h`",
        _ => "one of those that are built in",
    };
    let known: Vec<&str> = USER_HEADERS.iter().map(|(name, _)| *name).collect();
    let advice = format!(
        "The header {name} is not built in: use {instead}, install the headers of a CUDA toolkit and name it with CUDA_HOME, or \
         name their folder with the option -I. Built in are {}.",
        known.join(", ")
    );
    let message = match e.message().split_once("\nThe source:\n") {
        Some((log, source)) => format!("{log}\n{advice}\nThe source:\n{source}"),
        None => format!("{}\n{advice}", e.message()),
    };
    Error::new(ErrorKind::Compile, message)
}

/// Returns the include folders of a CUDA toolkit: next to NVRTC, or where an environment variable says.
pub(super) fn toolkit() -> Vec<PathBuf> {
    let beside = nvrtc::file().ok().and_then(|file| Some(file.parent()?.parent()?.join("include")));
    let named =
        ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(|v| Some(PathBuf::from(std::env::var_os(v)?).join("include")));
    let usual = PathBuf::from("/usr/local/cuda/include");
    let found = beside.into_iter().chain(named).chain([usual]).find(|folder| folder.join("cuda_fp16.h").is_file());
    found.map_or(vec![], |folder| {
        let beside = folder.join("cccl");
        [folder].into_iter().chain(beside.is_dir().then_some(beside)).collect()
    })
}

/// Returns true if an expanded source still includes other headers.
pub(super) fn is_incomplete(text: &str) -> bool {
    text.lines().any(|line| included(line).is_some())
}

/// Returns the folders of NVRTC's options `-I` and `--include-path`.
pub(super) fn folders(options: &[String]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let of = ["-I", "--include-path=", "-include-path="].iter().find_map(|o| option.strip_prefix(o));
        match of {
            Some("") => found.extend(options.next().map(PathBuf::from)),
            Some(folder) => found.push(folder.into()),
            None => {}
        }
    }
    found
}

/// A file that is being expanded.
struct File<'a> {
    name: String,
    folder: Option<PathBuf>,
    text: std::borrow::Cow<'a, str>,
}

impl IncludePaths<'_> {
    /// Returns the source with its headers. The compiler reports headers that are not found.
    pub(super) fn expand(&self, name: &str, text: &str) -> String {
        if !text.contains("#") || !text.contains("include") {
            return text.to_string();
        }
        let mut out = String::new();
        let file = File { name: format!("{name}.cu"), folder: None, text: text.into() };
        self.put(&file, &mut vec![], &mut out);
        out
    }

    fn put(&self, file: &File<'_>, open: &mut Vec<String>, out: &mut String) {
        let mut in_comment = false;
        for (at, line) in file.text.lines().enumerate() {
            let included = if in_comment { None } else { included(line) };
            in_comment = ends_in_comment(line, in_comment);
            let found = included.and_then(|(name, quoted)| self.find(name, quoted, file.folder.as_deref()));
            let Some(found) = found else {
                if line.trim() != "#pragma once" {
                    out.push_str(line);
                }
                out.push('\n');
                continue;
            };
            // A header that includes itself is already included.
            if open.contains(&found.name) {
                out.push('\n');
                continue;
            }
            let once = found.text.lines().any(|l| l.trim() == "#pragma once");
            if once {
                let guard: String =
                    found.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                let _ = writeln!(out, "#ifndef CUPRUM_ONCE_{guard}\n#define CUPRUM_ONCE_{guard}");
            }
            let _ = writeln!(out, "#line 1 {:?}", found.name);
            open.push(found.name.clone());
            self.put(&found, open, out);
            open.pop();
            if once {
                out.push_str("#endif\n");
            }
            let _ = writeln!(out, "#line {} {:?}", at + 2, file.name);
        }
    }

    fn find(&self, name: &str, quoted: bool, beside: Option<&Path>) -> Option<File<'static>> {
        let at = |folder: &Path| {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).ok()?;
            let folder = path.parent().map(Path::to_path_buf);
            Some(File { name: path.display().to_string(), folder, text: text.into() })
        };
        let own = || beside.filter(|_| quoted).and_then(at);
        let given = || {
            let (name, text) = self.given.iter().find(|(n, _)| n == name)?;
            Some(File { name: name.clone(), folder: None, text: text.clone().into() })
        };
        let ours = || {
            if self.toolkit.iter().any(|folder| folder.join(name).is_file()) {
                return None;
            }
            let (name, text) = self.built_in.iter().find(|(n, _)| *n == name)?;
            Some(File { name: (*name).into(), folder: None, text: (*text).into() })
        };
        own().or_else(given).or_else(|| self.folders.iter().find_map(|f| at(f))).or_else(ours)
    }
}

/// Returns the name that a line includes, and true if it is in quotes.
fn included(line: &str) -> Option<(&str, bool)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    match rest.split_at_checked(1)? {
        ("\"", rest) => Some((rest.split_once('"')?.0, true)),
        ("<", rest) => Some((rest.split_once('>')?.0, false)),
        _ => None,
    }
}

/// Returns true if a comment that began with `/*` continues after the line.
fn ends_in_comment(line: &str, mut inside: bool) -> bool {
    let mut rest = line;
    loop {
        let (next, skip) = match inside {
            true => (rest.find("*/"), 2),
            false => match (rest.find("/*"), rest.find("//")) {
                (Some(a), Some(b)) if b < a => return false,
                (a, _) => (a, 2),
            },
        };
        let Some(at) = next else { return inside };
        inside = !inside;
        rest = &rest[at + skip..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stand_where_they_are_included() {
        let given = [
            ("a.h".into(), "#pragma once\n#include \"b.h\"\nint a;".into()),
            ("b.h".into(), "#include <a.h>\nint b;".into()),
        ];
        let paths = IncludePaths { given: &given, built_in: USER_HEADERS, folders: vec![], toolkit: vec![] };
        let text = paths.expand("raw", "#include \"a.h\"\n/*\n#include <a.h>\n*/\n#include <absent.h>\nint c;");
        let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();
        assert_eq!(
            lines,
            [
                "#ifndef CUPRUM_ONCE_a_h",
                "#define CUPRUM_ONCE_a_h",
                "#line 1 \"a.h\"",
                "#line 1 \"b.h\"",
                "int b;",
                "#line 3 \"a.h\"",
                "int a;",
                "#endif",
                "#line 2 \"raw.cu\"",
                "/*",
                "#include <a.h>",
                "*/",
                "#include <absent.h>",
                "int c;"
            ]
        );
        assert_eq!(paths.expand("raw", "int c;"), "int c;");
    }

    #[test]
    fn headers_of_a_toolkit_are_left_to_the_compiler() {
        let folder = std::env::temp_dir().join(format!("cuprum-toolkit-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mma.h"), "").unwrap();
        let text = "#include <mma.h>\n#include <cuprum/half.cuh>\n#include <cuda/barrier>\n";
        let mut paths = IncludePaths { given: &[], built_in: USER_HEADERS, folders: vec![], toolkit: vec![] };
        let alone = paths.expand("raw", text);
        assert!(alone.contains("namespace wmma") && is_incomplete(&alone));
        paths.toolkit.push(folder.clone());
        let whole = paths.expand("raw", text);
        fs::remove_dir_all(&folder).unwrap();
        assert!(whole.contains("#include <mma.h>\n") && whole.contains("class float16"));
        assert!(!is_incomplete("int i; // #include"));
    }

    #[test]
    fn constants_of_mathematics_are_there_unless_a_source_declares_them() {
        let whole = |text: &str| whole("raw", text, &[], &[], None).0;
        assert!(whole("x = M_PI * 2;").contains("#define M_PI") && whole("return NAN;").contains("#define NAN"));
        for own in ["#define M_PI 3.14\nx = M_PI;", "const double M_PI = 3.14; x = M_PI;", "x = MY_M_PI + M_PI3;"] {
            assert_eq!(whole(own), own);
        }
    }

    #[test]
    fn the_error_of_a_missing_header_says_what_to_do() {
        let log = "raw.cu(1): catastrophic error: cannot open source file \"curand_kernel.h\"\nThe source:\n1 | x";
        let e = with_header_advice(Error::new(ErrorKind::Compile, log));
        for part in [
            "curand_kernel.h is not built in",
            "random::DEVICE_FUNCTIONS",
            "CUDA_HOME",
            "type_traits",
            "\nThe source:\n1 | x",
        ] {
            assert!(e.message().contains(part), "{e}");
        }
        let other = Error::new(ErrorKind::Compile, "another");
        assert_eq!(with_header_advice(other).message(), "another");
    }

    #[test]
    fn options_name_folders() {
        let options = ["-Ia", "-I", "b", "--include-path=c", "-DX"].map(String::from);
        assert_eq!(folders(&options), ["a", "b", "c"].map(PathBuf::from));
    }
}
