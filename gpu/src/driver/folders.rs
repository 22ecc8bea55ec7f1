//! Cache folder of the user.
//!
//! It follows the XDG base directory specification, and on Windows it is in the folder of local application data.

use std::path::PathBuf;

use super::host::{Host, Machine};

/// Returns the folder of files that are kept across programs: compiled kernels, and the compiler that `cuprum setup`
/// fetches.
///
/// `$XDG_CACHE_HOME/cuprum`, or `~/.cache/cuprum`; on Windows `%LOCALAPPDATA%\cuprum` unless the first is set. `None` if
/// there is no home directory.
pub(crate) fn user() -> Option<PathBuf> {
    user_on(&Machine)
}

/// Returns that folder of a machine.
pub(crate) fn user_on(host: &dyn Host) -> Option<PathBuf> {
    let variable = |name: &str| host.variable(name).map(PathBuf::from);
    let home = || match cfg!(windows) {
        true => variable("LOCALAPPDATA"),
        false => variable("HOME").map(|home| home.join(".cache")),
    };
    let root = variable("XDG_CACHE_HOME").or_else(home);
    root.map(|root| root.join("cuprum"))
}
