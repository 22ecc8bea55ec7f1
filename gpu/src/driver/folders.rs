//! The user's own folder.

use std::path::PathBuf;

/// What is kept for the user across programs: compiled kernels, and the compiler that `cuprum setup` fetches.
///
/// `$XDG_CACHE_HOME/cuprum`, or what the platform has for caches: `~/.cache/cuprum` on Linux. `None` where not even a
/// home is known.
pub(crate) fn user() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| !p.as_os_str().is_empty());
    let platform = if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        variable("HOME").map(|home| home.join(".cache"))
    };
    variable("XDG_CACHE_HOME").or(platform).map(|root| root.join("cuprum"))
}
