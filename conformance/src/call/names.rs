//! Names of `matrix.yaml` and of the call table.

use cuprum::table::get;

/// Modules whose functions `matrix.yaml` names without the module.
const MODULES: [&str; 6] = ["numpy", "numpy.linalg", "cupyx", "cupyx.scipy.special", "scipy.special", "scipy.linalg"];

/// Operations that are other functions with additional parameters.
const VARIANTS: [(&str, &str); 34] = [
    ("any.into", "any"),
    ("norm.spectral", "norm"),
    ("norm.orders", "norm"),
    ("einsum.pairs", "einsum"),
    ("matmul.keywords", "matmul"),
    ("matmul.gufunc", "matmul"),
    ("matmul.tiles", "matmul"),
    ("matmul.digits", "matmul"),
    ("matvec.gufunc", "matvec"),
    ("matvec.keywords", "matvec"),
    ("outer.out", "outer"),
    ("vecdot.gufunc", "vecdot"),
    ("vecdot.keywords", "vecdot"),
    ("vecmat.keywords", "vecmat"),
    ("round.decimals", "round"),
    ("round.out", "round"),
    ("clip.between", "clip"),
    ("bincount.weights", "bincount"),
    ("histogram.rules", "histogram"),
    ("histogram.weights", "histogram"),
    ("histogram.weights_between", "histogram"),
    ("weighted_quantile", "quantile"),
    ("weighted_nanquantile", "nanquantile"),
    ("compress.into", "compress"),
    ("concatenate.many", "concatenate"),
    ("linspace.arrays", "linspace"),
    ("linspace.complex", "linspace"),
    ("pad.lines", "pad"),
    ("pad.means", "pad"),
    ("pad.medians", "pad"),
    ("repeat.counts", "repeat"),
    ("mask", "ndarray.mask"),
    ("amin", "min"),
    ("amax", "max"),
];

/// Returns the path in the table of the function of an operation.
///
/// # Errors
/// A message, if there is none.
pub fn path(op: &str) -> Result<String, String> {
    // `add.call` is the function itself, with options.
    let op = op.strip_suffix(".call").unwrap_or(op);
    let name = VARIANTS.iter().find(|(variant, _)| *variant == op).map_or(op, |(_, name)| name);
    let mut paths = [name.to_string()].into_iter().chain(MODULES.iter().map(|module| format!("{module}.{name}")));
    let found = paths.find(|path| get(path).is_some());
    found.ok_or_else(|| format!("no function of the library's table is called {name}"))
}

/// Names of parameters in `matrix.yaml`, by operation, and NumPy's keywords.
const KEYWORDS: [(&str, &str, &str); 12] = [
    ("reshape", "to", "shape"),
    ("broadcast_to", "to", "shape"),
    ("astype", "to", "dtype"),
    ("swapaxes", "a", "axis1"),
    ("swapaxes", "b", "axis2"),
    ("moveaxis", "a", "source"),
    ("moveaxis", "b", "destination"),
    ("full", "value", "fill_value"),
    ("unique", "index", "return_index"),
    ("unique", "inverse", "return_inverse"),
    ("unique", "counts", "return_counts"),
    ("intersect1d", "indices", "return_indices"),
];

/// Returns NumPy's keyword of a parameter.
pub(super) fn keyword<'a>(op: &str, name: &'a str) -> &'a str {
    KEYWORDS.iter().find(|(of, ours, _)| *of == op && *ours == name).map_or(name, |(_, _, keyword)| keyword)
}
