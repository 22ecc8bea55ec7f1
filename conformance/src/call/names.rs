//! Names of `matrix.yaml` and of the call table.

use cuprum::table::get;

use crate::matrix::Op;

/// Modules whose functions `matrix.yaml` names without the module.
const MODULES: [&str; 6] = ["numpy", "numpy.linalg", "cupyx", "cupyx.scipy.special", "scipy.special", "scipy.linalg"];

/// Returns the path in the table of the function of an operation.
///
/// # Errors
/// A message, if there is none.
pub fn path(op: &Op) -> Result<String, String> {
    path_of(op.function.as_deref().unwrap_or(&op.name))
}

/// Returns the path in the table of a name without its module.
///
/// # Errors
/// A message, if there is none.
pub fn path_of(name: &str) -> Result<String, String> {
    // `add.call` is the function itself, with options.
    let name = name.strip_suffix(".call").unwrap_or(name);
    let mut paths = [name.to_string()].into_iter().chain(MODULES.iter().map(|module| format!("{module}.{name}")));
    let found = paths.find(|path| get(path).is_some());
    found.ok_or_else(|| format!("no function of the library's table is called {name}"))
}
