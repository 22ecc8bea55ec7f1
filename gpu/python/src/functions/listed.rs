//! What NumPy's signatures say that the table does not: parameters that are given by their places alone or by their names
//! alone, those that take all places from theirs on, and those that only Python has. Of what does not stand here all may be
//! given both ways. Ufuncs need no line: their operands have places, their options names.

/// So many parameters at the front are given by their places.
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

/// So many parameters at the end of the table's are given by their names.
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

/// What is written to the first operand, or beside its elements.
pub(crate) const WRITTEN: &[(&str, &str)] = &[
    ("numpy.fill_diagonal", "val"),
    ("numpy.insert", "values"),
    ("numpy.place", "vals"),
    ("numpy.put", "v"),
    ("numpy.put_along_axis", "values"),
    ("numpy.putmask", "values"),
];

/// The functions that change their first operand, which has to be an array of the device.
pub(crate) const CHANGED: &[&str] =
    &["numpy.copyto", "numpy.fill_diagonal", "numpy.place", "numpy.put", "numpy.put_along_axis", "numpy.putmask"];

/// The functions of a list of arrays in which Python scalars take the dtype of the arrays.
pub(crate) const WEAK_NUMBERS: &[&str] = &["numpy.choose", "numpy.concat", "numpy.concatenate"];

/// The functions of two arrays that are concatenated: Python scalars take the dtype of the other array.
pub(crate) const CONCATENATED: &[&str] = &["numpy.union1d"];

/// The parameters that are integers of any size. Those of too many bits have the effect of the largest or the smallest integer.
pub(crate) const SATURATING: &[(&str, &str)] = &[("numpy.eye", "k")];

/// The parameters that are cast to indices: a list without elements is one of integers.
pub(crate) const INDEX_LISTS: &[(&str, &str)] = &[("put", "ind"), ("repeat", "repeats"), ("take", "indices")];

/// The parameter that takes all that stands in places from its own on.
pub(crate) const STARRED: &[(&str, &str)] = &[
    ("numpy.broadcast_arrays", "arrays"),
    ("numpy.common_type", "arrays"),
    ("numpy.gradient", "spacing"),
    ("numpy.ix_", "args"),
    ("numpy.meshgrid", "xi"),
    ("numpy.result_type", "arrays_and_dtypes"),
    ("scipy.linalg.block_diag", "arrs"),
];

/// Two parameters of which NumPy wants both or neither.
pub(crate) const TOGETHER: &[(&str, [&str; 2])] = &[("numpy.clip", ["a_min", "a_max"])];

/// CuPy's names of parameters that have another name in NumPy. Both are taken.
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

/// Parameters that are integers, and that NumPy takes as floats, too: how they are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Towards zero, as Python's `int`.
    Cut,
    /// To the next integer above.
    Ceil,
}

/// Those parameters.
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

/// The functions whose third parameter by position is NumPy's `out` or CuPy's `dtype`, which `out` follows.
pub(crate) const DTYPE_BEFORE_OUT: [&str; 4] = ["numpy.argmax", "numpy.argmin", "numpy.nanargmax", "numpy.nanargmin"];

/// The functions of NumPy's that take `axis` as any sequence of integers. The others that reduce take an integer or a tuple.
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

/// The functions whose `axis` is one integer, though the table has several axes for it.
pub(crate) const ONE_AXIS: &[&str] = &["argmax", "argmin", "nanargmax", "nanargmin"];

/// What a parameter does that only Python has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// It is another name of this one.
    Alias(&'static str),
    /// The result is copied there.
    Out,
    /// The dtype that the result is cast to.
    Cast,
    /// The device on which the call is made.
    Device,
    /// Whether the largest elements come first.
    Descending,
    /// A plan by which the call's transforms run.
    Plan,
    /// It asks for what is done anyway.
    Granted,
    /// It names one of several ways to what is done anyway.
    Named(&'static [&'static str]),
    /// What is not `None` or `False` is rejected: nothing here does it.
    Rejected,
}

/// The parameters that only Python has, behind those of the table.
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

/// What ufuncs have: of subclasses there is nothing to keep, and a signature is checked before.
pub(crate) const OF_UFUNCS: &[(&str, Extra)] = &[("subok", Extra::Granted), ("signature", Extra::Rejected)];

/// What SciPy's transforms have, behind `workers`.
pub(crate) const OF_TRANSFORMS: &[(&str, Extra)] = &[("plan", Extra::Plan)];
