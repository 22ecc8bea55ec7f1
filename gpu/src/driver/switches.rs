//! Switches: environment variables that are `1` or `0`.

use crate::error::{Error, ErrorKind, Result};

/// Returns true if an environment variable is `1`, and false if it is `0`, empty or not set.
///
/// # Errors
///
/// [`ErrorKind::Value`] for another value.
pub(crate) fn switch(name: &str) -> Result<bool> {
    parse(name, std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).as_deref())
}

fn parse(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Error::new(ErrorKind::Value, format!("{name} is {other:?}: it is 1, 0, or not set"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_one_or_zero() {
        assert!([None, Some(""), Some("0")].iter().all(|value| parse("X", *value) == Ok(false)));
        assert_eq!(parse("X", Some("1")), Ok(true));
        let e = parse("CUPRUM_X", Some("yes")).unwrap_err();
        assert_eq!((e.kind(), e.message()), (ErrorKind::Value, "CUPRUM_X is \"yes\": it is 1, 0, or not set"));
    }
}
