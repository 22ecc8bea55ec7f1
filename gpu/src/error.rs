//! Helpers for error messages.
//!
//! A misspelt name is answered with the names nearest to it by edit distance.

pub use cuprum_kernels::{Error, ErrorKind, Result};

/// Suggests similar candidates for a misspelt name, as the end of a message: `; near it: add, arctan`, or an empty
/// string.
pub(crate) fn near_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let wanted: Vec<u8> = name.bytes().map(|b| b.to_ascii_lowercase()).collect();
    // A module before the name does not count towards its length.
    let within = (name.rsplit('.').next().map_or(0, str::len) / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let begins = wanted.len() >= 3 && candidate.as_bytes().starts_with(&wanted);
        let distance = edit_distance(&wanted, candidate.as_bytes(), if begins { usize::MAX } else { within });
        if let Some(distance) = distance.filter(|_| !near.iter().any(|(_, known)| *known == candidate)) {
            near.push((distance, candidate));
        }
    }
    near.sort();
    let names: Vec<&str> = near.into_iter().take(4).map(|(_, name)| name).collect();
    if names.is_empty() { String::new() } else { format!("; near it: {}", names.join(", ")) }
}

/// Returns the edit distance of two strings, ignoring case; `None` if it is more than `within`, which most candidates
/// show after a few rows.
fn edit_distance(a: &[u8], b: &[u8], within: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > within {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        let mut least = row[0];
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(*x != y.to_ascii_lowercase());
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
            least = least.min(row[j + 1]);
        }
        if least > within {
            return None;
        }
    }
    Some(row[b.len()]).filter(|distance| *distance <= within)
}

/// Returns the error for an unknown kernel of a module; `known` are its kernels, if the driver lists them.
#[cfg(any(feature = "cuda", feature = "sim"))]
pub(crate) fn no_kernel(name: &str, known: &[&str]) -> Error {
    let known = if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) };
    Error::new(
        ErrorKind::Driver,
        format!(
            "the module has no kernel called {name}{known}. A kernel has its own name where it is declared extern \"C\"; \
             one of C++ is named by its expression, which `RawModule::instantiate` takes"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_misspelt_or_abbreviated_are_near() {
        let names = ["add", "arctan", "subtract", "multiply", "sum", "sqrt"];
        assert_eq!(near_names("ad", names), "; near it: add");
        assert_eq!(near_names("mul", names), "; near it: multiply");
        assert_eq!(near_names("Summ", names), "; near it: sum");
        assert_eq!(near_names("nothing", names), "");
        assert_eq!((edit_distance(b"kitten", b"sitting", 3), edit_distance(b"", b"ABC", 9)), (Some(3), Some(3)));
        assert_eq!(edit_distance(b"kitten", b"sitting", 2), None);
    }

    #[test]
    fn a_dtype_is_read_from_text() {
        fn parsed(text: &str) -> Result<cuprum_kernels::DType> {
            let dtype = text.parse()?;
            Ok(dtype)
        }
        assert_eq!(parsed("f4").unwrap(), cuprum_kernels::DType::F32);
        let e = parsed("float99").unwrap_err();
        assert_eq!((e.kind(), e.message().contains("float99")), (ErrorKind::Type, true));
    }
}
