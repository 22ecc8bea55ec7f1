//! The user's own folder.

use std::path::PathBuf;

/// What is kept for the user across programs: compiled kernels, and the compiler that `cuprum setup` fetches.
///
/// `$XDG_CACHE_HOME/cuprum`, or `~/.cache/cuprum`. `None` where not even a home is known.
pub(crate) fn user() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| !p.as_os_str().is_empty());
    let root = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    root.map(|root| root.join("cuprum"))
}
