//! Details of NumPy's signatures that the table does not have: positional-only and keyword-only parameters, variadic
//! ones, and those that only Python has. Parameters that are not listed may be passed by position or by name. Ufuncs
//! need no entry: their operands are positional, their options are keywords.

/// Number of leading positional-only parameters.
pub(crate) const POSITIONAL_ONLY: &[(&str, usize)] = &[
    ("numpy.astype", 2),
    ("numpy.bincount", 1),
    ("numpy.concat", 1),
    ("numpy.concatenate", 1),
    ("numpy.cumulative_prod", 1),
    ("numpy.cumulative_sum", 1),
    ("numpy.linalg.cholesky", 1),
    ("numpy.linalg.svdvals", 1),
    ("numpy.matmul", 2),
    ("numpy.matrix_transpose", 1),
    ("numpy.matvec", 2),
    ("numpy.min_scalar_type", 1),
    ("numpy.packbits", 1),
    ("numpy.promote_types", 2),
    ("numpy.putmask", 1),
    ("numpy.shares_memory", 2),
    ("numpy.unpackbits", 1),
    ("numpy.unstack", 1),
    ("numpy.vecdot", 2),
    ("numpy.vecmat", 2),
];

/// Number of trailing keyword-only parameters of the table.
pub(crate) const KEYWORD_ONLY: &[(&str, usize)] = &[
    ("numpy.astype", 1),
    ("numpy.average", 1),
    ("numpy.clip", 4),
    ("numpy.concat", 2),
    ("numpy.concatenate", 2),
    ("numpy.corrcoef", 1),
    ("numpy.cov", 1),
    ("numpy.cumulative_prod", 4),
    ("numpy.cumulative_sum", 4),
    ("numpy.fromstring", 1),
    ("numpy.gradient", 2),
    ("numpy.hstack", 2),
    ("numpy.linalg.cholesky", 1),
    ("numpy.linalg.matrix_rank", 1),
    ("numpy.linalg.multi_dot", 0),
    ("numpy.linalg.pinv", 1),
    ("numpy.matmul", 4),
    ("numpy.matvec", 4),
    ("numpy.meshgrid", 3),
    ("numpy.nanpercentile", 1),
    ("numpy.nanquantile", 1),
    ("numpy.pad", 4),
    ("numpy.percentile", 1),
    ("numpy.quantile", 1),
    ("numpy.row_stack", 2),
    ("numpy.stack", 2),
    ("numpy.unique", 1),
    ("numpy.unstack", 1),
    ("numpy.unwrap", 1),
    ("numpy.vecdot", 6),
    ("numpy.vecmat", 4),
    ("numpy.vstack", 2),
    ("scipy.fft.dctn", 1),
    ("scipy.fft.fftfreq", 0),
    ("scipy.fft.rfftfreq", 0),
    ("scipy.special.sph_harm_y", 0),
];

/// The parameter that is written to the first operand, or inserted among its elements.
pub(crate) const WRITTEN: &[(&str, &str)] = &[
    ("numpy.fill_diagonal", "val"),
    ("numpy.insert", "values"),
    ("numpy.place", "vals"),
    ("numpy.put", "v"),
    ("numpy.put_along_axis", "values"),
    ("numpy.putmask", "values"),
];

/// Functions that change their first operand, which has to be a device array.
pub(crate) const CHANGED: &[&str] =
    &["numpy.copyto", "numpy.fill_diagonal", "numpy.place", "numpy.put", "numpy.put_along_axis", "numpy.putmask"];

/// Functions of a list of arrays in which Python scalars take the dtype of the arrays.
pub(crate) const WEAK_NUMBERS: &[&str] = &["numpy.choose", "numpy.concat", "numpy.concatenate"];

/// Functions of two arrays that are concatenated: Python scalars take the dtype of the other array.
pub(crate) const CONCATENATED: &[&str] = &["numpy.union1d"];

/// Integer parameters of any size: one of too many bits has the effect of the largest or the smallest integer.
pub(crate) const SATURATING: &[(&str, &str)] = &[("numpy.eye", "k")];

/// Parameters that are cast to indices: an empty list is an array of integers.
pub(crate) const INDEX_LISTS: &[(&str, &str)] = &[("put", "ind"), ("repeat", "repeats"), ("take", "indices")];

/// Variadic parameters, which take all positional arguments from their own on.
pub(crate) const VARARGS: &[(&str, &str)] = &[
    ("numpy.broadcast_arrays", "arrays"),
    ("numpy.common_type", "arrays"),
    ("numpy.gradient", "spacing"),
    ("numpy.ix_", "args"),
    ("numpy.meshgrid", "xi"),
    ("numpy.result_type", "arrays_and_dtypes"),
    ("scipy.linalg.block_diag", "arrs"),
];

/// Two parameters that NumPy requires together or not at all.
pub(crate) const TOGETHER: &[(&str, [&str; 2])] = &[("numpy.clip", ["a_min", "a_max"])];

/// CuPy's names of parameters that have another name in NumPy. Both are accepted.
pub(crate) const OTHER_NAMES: &[(&str, &[(&str, &str)])] = &[
    ("numpy.concat", &[("tup", "arrays")]),
    ("numpy.concatenate", &[("tup", "arrays")]),
    ("numpy.ediff1d", &[("arr", "ary")]),
    ("numpy.extract", &[("a", "arr")]),
    ("numpy.flip", &[("a", "m")]),
    ("numpy.fliplr", &[("a", "m")]),
    ("numpy.flipud", &[("a", "m")]),
    ("numpy.histogram", &[("x", "a")]),
    ("numpy.intersect1d", &[("arr1", "ar1"), ("arr2", "ar2")]),
    ("numpy.linalg.matrix_power", &[("M", "a")]),
    ("numpy.linalg.matrix_rank", &[("M", "A")]),
    ("numpy.put", &[("indices", "ind"), ("values", "v")]),
    ("numpy.rot90", &[("a", "m")]),
    ("numpy.stack", &[("tup", "arrays")]),
    ("numpy.take_along_axis", &[("a", "arr")]),
    ("numpy.union1d", &[("arr1", "ar1"), ("arr2", "ar2")]),
    ("numpy.unravel_index", &[("dims", "shape")]),
    ("scipy.linalg.expm", &[("a", "A")]),
];

/// The rounding of integer parameters for which NumPy accepts floats, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Towards zero, as Python's `int`.
    Cut,
    /// Towards positive infinity.
    Ceil,
}

/// Integer parameters for which floats are accepted.
pub(crate) const FLOATS_AS_INTEGERS: &[(&str, &[(&str, Rounding)])] = &[
    ("numpy.array_split", &[("indices_or_sections", Rounding::Cut)]),
    ("numpy.dsplit", &[("indices_or_sections", Rounding::Cut)]),
    ("numpy.gradient", &[("edge_order", Rounding::Cut)]),
    ("numpy.hsplit", &[("indices_or_sections", Rounding::Cut)]),
    ("numpy.polyder", &[("m", Rounding::Cut)]),
    ("numpy.polyint", &[("m", Rounding::Cut)]),
    ("numpy.rot90", &[("k", Rounding::Cut)]),
    ("numpy.split", &[("indices_or_sections", Rounding::Cut)]),
    ("numpy.tri", &[("N", Rounding::Ceil), ("M", Rounding::Ceil), ("k", Rounding::Cut)]),
    ("numpy.tril", &[("k", Rounding::Cut)]),
    ("numpy.tril_indices", &[("n", Rounding::Ceil), ("k", Rounding::Cut), ("m", Rounding::Ceil)]),
    ("numpy.tril_indices_from", &[("k", Rounding::Cut)]),
    ("numpy.triu", &[("k", Rounding::Ceil)]),
    ("numpy.triu_indices", &[("n", Rounding::Ceil), ("k", Rounding::Ceil), ("m", Rounding::Ceil)]),
    ("numpy.triu_indices_from", &[("k", Rounding::Ceil)]),
    ("numpy.vsplit", &[("indices_or_sections", Rounding::Cut)]),
];

/// Functions whose third positional parameter is NumPy's `out` or CuPy's `dtype`, which is followed by `out`.
pub(crate) const DTYPE_BEFORE_OUT: [&str; 4] = ["numpy.argmax", "numpy.argmin", "numpy.nanargmax", "numpy.nanargmin"];

/// NumPy functions that take `axis` as any sequence of integers. Other reductions take an integer or a tuple.
pub(crate) const SEQUENCES_OF_AXES: &[&str] = &[
    "average",
    "expand_dims",
    "flip",
    "gradient",
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
    "roll",
    "sliding_window_view",
    "trim_zeros",
];

/// Functions whose `axis` is one integer, though the table has several axes for it.
pub(crate) const ONE_AXIS: &[&str] = &["argmax", "argmin", "nanargmax", "nanargmin"];

/// The effect of a parameter that only Python has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Another name of this parameter.
    Alias(&'static str),
    /// The array to which the result is copied.
    Out,
    /// The dtype to which the result is cast.
    Cast,
    /// The device on which the call is made.
    Device,
    /// Sorts in descending order.
    Descending,
    /// The plan of the call's transforms.
    Plan,
    /// Accepted without effect, because the behaviour is the default.
    Granted,
    /// The name of one of several algorithms with the same result; without effect.
    Named(&'static [&'static str]),
    /// Not supported: values other than `None` or `False` are rejected.
    Rejected,
}

/// The parameters that only Python has, which follow those of the table.
pub(crate) const EXTRAS: &[(&str, &[(&str, Extra)])] = &[
    ("numpy.argmax", &[("dtype", Extra::Cast)]),
    ("numpy.argmin", &[("dtype", Extra::Cast)]),
    ("numpy.argpartition", &[("order", Extra::Rejected)]),
    ("numpy.argsort", &[("order", Extra::Rejected), ("stable", Extra::Granted), ("descending", Extra::Descending)]),
    ("numpy.broadcast_arrays", &[("subok", Extra::Rejected)]),
    ("numpy.broadcast_to", &[("subok", Extra::Rejected)]),
    ("numpy.clip", &[("min", Extra::Alias("a_min")), ("max", Extra::Alias("a_max"))]),
    ("numpy.copy", &[("subok", Extra::Rejected)]),
    ("numpy.dot", &[("out", Extra::Out)]),
    ("numpy.empty", &[("device", Extra::Device)]),
    ("numpy.eye", &[("device", Extra::Device)]),
    ("numpy.fft.fftfreq", &[("device", Extra::Device), ("dtype", Extra::Cast)]),
    ("numpy.fft.rfftfreq", &[("device", Extra::Device), ("dtype", Extra::Cast)]),
    ("numpy.identity", &[("device", Extra::Device)]),
    ("numpy.isin", &[("kind", Extra::Named(&["sort", "table"]))]),
    ("numpy.lib.stride_tricks.as_strided", &[("subok", Extra::Rejected), ("writeable", Extra::Granted)]),
    ("numpy.lib.stride_tricks.sliding_window_view", &[("subok", Extra::Rejected), ("writeable", Extra::Rejected)]),
    ("numpy.linalg.multi_dot", &[("out", Extra::Out)]),
    ("numpy.linspace", &[("device", Extra::Device)]),
    ("numpy.nanargmax", &[("dtype", Extra::Cast)]),
    ("numpy.nanargmin", &[("dtype", Extra::Cast)]),
    ("numpy.nanstd", &[("correction", Extra::Alias("ddof"))]),
    ("numpy.nanvar", &[("correction", Extra::Alias("ddof"))]),
    ("numpy.ones", &[("device", Extra::Device)]),
    ("numpy.partition", &[("order", Extra::Rejected)]),
    ("numpy.shares_memory", &[("max_work", Extra::Granted)]),
    ("numpy.sort", &[("order", Extra::Rejected), ("stable", Extra::Granted), ("descending", Extra::Descending)]),
    ("numpy.std", &[("correction", Extra::Alias("ddof"))]),
    ("numpy.unique", &[("sorted", Extra::Granted)]),
    ("numpy.var", &[("correction", Extra::Alias("ddof"))]),
    ("numpy.zeros", &[("device", Extra::Device)]),
    ("scipy.special.sph_harm", &[("out", Extra::Out)]),
    ("scipy.special.sph_harm_y", &[("diff_n", Extra::Rejected)]),
    ("scipy.fft.fftfreq", &[("xp", Extra::Granted), ("device", Extra::Device)]),
    ("scipy.fft.rfftfreq", &[("xp", Extra::Granted), ("device", Extra::Device)]),
];

/// Additional parameters of ufuncs: subclasses are not kept, and a signature is handled before.
pub(crate) const OF_UFUNCS: &[(&str, Extra)] = &[("subok", Extra::Granted), ("signature", Extra::Rejected)];

/// Additional parameters of SciPy's transforms, which follow `workers`.
pub(crate) const OF_TRANSFORMS: &[(&str, Extra)] = &[("plan", Extra::Plan)];
