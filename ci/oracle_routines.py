"""How the routines of the cases are called in NumPy: those whose parameters are not NumPy's own keywords.

ROUTINES is the table: the name of an operation, and a function of the case that gives NumPy's result or results.
"""

import ast
import importlib
import inspect

import numpy as np

try:
    import scipy.linalg
except ImportError:
    scipy = None

DTYPES = {
    "bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64",
    "c128": "complex128",
}  # fmt: skip


class Absent(Exception):
    """This NumPy has no such function."""


def function(name):
    """NumPy's function of this name; `linalg.norm` is one of a module."""
    found = np
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise Absent(name)
    return found


def scalar(text):
    """A Python scalar as it is written."""
    if text in ("True", "False"):
        return text == "True"
    if text.endswith("j"):
        return complex(0.0, float(text[:-1]))
    try:
        return int(text)
    except ValueError:
        return float(text)


def parameter(text):
    """A parameter: a dtype, a Python literal, a number, or a word."""
    if text in DTYPES:
        return np.dtype(DTYPES[text])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    try:
        return float(text)
    except ValueError:
        return text


def one_or_tuple(text):
    """What a tuple of one axis means."""
    value = parameter(text)
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def on(case, name):
    """Whether a switch is given."""
    return case.texts.get(name) == "1"


def keywords(case, *names):
    """The parameters of these names, as keywords."""
    return {name: parameter(case.texts[name]) for name in names if name in case.texts}


def axis_of(case, default=-1):
    """The axis, or the tuple of axes."""
    return one_or_tuple(case.texts["axis"]) if "axis" in case.texts else default


class Making:
    """An array of an index, made for the axes that it stands for: as in conformance/src/text.rs."""

    def __init__(self, of, dtype="i64", numbers=()):
        self.of, self.dtype, self.numbers = of, dtype, numbers

    def __getattr__(self, dtype):
        return Making(self.of, dtype)

    def __call__(self, *numbers):
        return Making(self.of, self.dtype, numbers)

    def made(self, shape, axis):
        if self.of == "mask":
            shape = shape[axis : axis + self.numbers[0]]
            k = np.arange(int(np.prod(shape)))
            return np.array((k * k + 3 * k) % 5 < 2).reshape(shape)
        n = shape[axis] if axis < len(shape) else 0
        k = np.arange(int(np.prod(self.numbers)))
        numbers = 3 * k * k + 7 * k + 2
        dtype = np.dtype(DTYPES[self.dtype])
        if n == 0:
            numbers = 0 * k
        elif dtype.kind == "u":
            numbers = numbers % n
        else:
            numbers = numbers % (2 * n) - n
        if self.of == "far":
            numbers[1:2] = n + 3
        return numbers.reshape(self.numbers).astype(dtype)


def axes_of(part):
    """How many axes a part of an index stands for."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.numbers[0] if isinstance(part, Making) and part.of == "mask" else 1


def made(case, name, shape, axis=0):
    """The array that a parameter asks for."""
    text = case.texts[name]
    if text == "mask":
        return Making("mask", "bool", (len(shape),)).made(shape, 0)
    return eval(text, {of: Making(of) for of in ("at", "far", "mask")}).made(shape, axis)  # noqa: S307


def along(case):
    """An array, indices for one of its axes, and the axis."""
    a, axis = case.operands[0], case.param("axis", -1)
    shape = (a.size,) if axis is None else a.shape
    return a, made(case, "indices", shape, 0 if axis is None else axis % max(a.ndim, 1)), axis


def take_along_axis(case):
    a, indices, axis = along(case)
    return np.take_along_axis(a, indices, axis)


def put_along_axis(case):
    a, indices, axis = along(case)
    np.put_along_axis(a, indices, case.operands[1], axis)
    return np.copy(a, order="K")


def copyto(case):
    a, told = case.operands[0], keywords(case, "casting")
    if "where" in case.texts:
        told["where"] = case.inputs[len(case.operands)]
    np.copyto(*case.operands, **told)
    return np.copy(a, order="K")


def put(case):
    a = case.operands[0]
    np.put(a, made(case, "ind", (a.size,)), case.operands[1], **keywords(case, "mode"))
    return np.copy(a, order="K")


def putmask(case):
    a = case.operands[0]
    np.putmask(a, made(case, "mask", a.shape), case.operands[1])
    return np.copy(a, order="K")


def scan(case):
    options = keywords(case, "axis", "dtype")
    if "include_initial" in case.texts:
        options["include_initial"] = on(case, "include_initial")
    if case.out_is is not None:
        options["out"] = case.inputs[1]
    return function(case.op)(case.operands[0], **options)


def itself_or_scalar(case, name):
    """A parameter that is the operand itself, or a scalar; absent where it is not given."""
    text = case.texts.get(name)
    return {} if text is None else {name: case.operands[0] if text == "self" else scalar(text)}


def diff(case):
    a = case.operands[0]
    told = {**keywords(case, "n", "axis"), **itself_or_scalar(case, "prepend"), **itself_or_scalar(case, "append")}
    return np.diff(a, **told)


def ediff1d(case):
    return np.ediff1d(case.operands[0], **itself_or_scalar(case, "to_end"), **itself_or_scalar(case, "to_begin"))


def places(text, length):
    """Where elements stand along an axis: at equal distances, or at distances that grow."""
    i = np.arange(length)
    return 3.0 * i if text == "even" else (i * (i + 3) // 2).astype(DTYPES[text])


def length(a, axis):
    return a.shape[axis % max(a.ndim, 1)] if a.ndim and axis < a.ndim else 1


def trapezoid(case):
    a, axis = case.operands[0], axis_of(case)
    told = {"axis": axis, **({"dx": scalar(case.texts["dx"])} if "dx" in case.texts else {})}
    if "x" in case.texts:
        told["x"] = a if case.texts["x"] == "self" else places(case.texts["x"], length(a, axis))
    return getattr(np, "trapezoid", getattr(np, "trapz", None))(a, **told)


def gradient(case):
    a = case.operands[0]
    axes = case.param("axis", tuple(range(a.ndim)))
    along = axes if isinstance(axes, tuple) else (axes,)
    spacing = []
    for k, text in enumerate(case.texts["spacing"].split(",") if "spacing" in case.texts else []):
        if text == "even" or text in DTYPES:
            spacing.append(places(text, length(a, along[k] if k < len(along) else 0)))
        else:
            spacing.append(scalar(text))
    told = keywords(case, "edge_order")
    if "axis" in case.texts:
        told["axis"] = axes
    return np.gradient(a, *spacing, **told)


def sort(case):
    # A kind that there is not is refused; which of equal elements is first is left open but by a stable sort.
    np.sort(case.operands[0], axis_of(case), **keywords(case, "kind"))
    return np.sort(case.operands[0], axis_of(case), kind="stable")


def sort_in_place(case):
    a = case.operands[0]
    a.sort(axis_of(case), kind="stable")
    return np.copy(a, order="K")


def sort_complex(case):
    a = case.operands[0]
    return np.sort(a.astype(np.sort_complex(a).dtype), kind="stable")


def argsort(case):
    return np.argsort(case.operands[0], axis_of(case), kind="stable")


def partitioned(case, parted, whole):
    """The elements in order, if those at the positions asked for are in their places; the others' order is left open."""
    kth, axis = case.param("kth"), axis_of(case)
    at = 0 if axis is None else axis
    for k in kth if isinstance(kth, tuple) else (kth,):
        if parted.size and not np.array_equal(parted.take(k, at), whole.take(k, at), equal_nan=parted.dtype.kind in "fc"):
            raise AssertionError(f"position {k} is not in its place")
    return whole


def partition(case):
    a, axis = case.operands[0], axis_of(case)
    return partitioned(case, np.partition(a, case.param("kth"), axis), np.sort(a, axis, kind="stable"))


def partition_in_place(case):
    a, axis = case.operands[0], axis_of(case)
    whole = np.copy(np.sort(a, axis, kind="stable"), order="K")
    a.partition(case.param("kth"), axis)
    return partitioned(case, a, whole)


def argpartition(case):
    a, axis = case.operands[0], axis_of(case)
    found, order = np.argpartition(a, case.param("kth"), axis), np.argsort(a, axis, kind="stable")
    flat, at = (a.ravel(), 0) if axis is None or a.ndim == 0 else (a, axis)
    partitioned(case, np.take_along_axis(flat, np.atleast_1d(found), at), np.take_along_axis(flat, np.atleast_1d(order), at))
    return order


def unique(case):
    told = {f"return_{name}": True for name in ("index", "inverse", "counts") if on(case, name)}
    if case.texts.get("equal_nan") == "0":
        told["equal_nan"] = False
    told.update(keywords(case, "axis"))
    if "equal_nan" in told and "return_inverse" in told and "return_index" not in told:
        # Which NaN is which is left open but by a stable sort, which NumPy makes where the indices are asked for.
        found, _, *rest = np.unique(case.operands[0], return_index=True, **told)
        return [found, *rest]
    return np.unique(case.operands[0], **told)


def of_sets(name):
    def call(case):
        told = {key: True for key in ("assume_unique", "invert") if on(case, key)}
        if on(case, "indices"):
            told["return_indices"] = True
        return function(name)(*case.operands, **told)

    return call


def in1d(case):
    return np.isin(case.operands[0].ravel(), case.operands[1], invert=on(case, "invert"))


def quantile(name):
    def call(case):
        a = case.operands[0]
        told = {**keywords(case, "method"), "axis": axis_of(case, None), "keepdims": on(case, "keepdims")}
        if "q" in case.texts:
            q = case.param("q")
            if isinstance(q, tuple) or "of" in case.texts:
                q = np.array(q, DTYPES[case.texts["of"]] if "of" in case.texts else "float64")
            told["q"] = q
        if len(case.operands) > 1:
            if np.__version__ < "2":
                raise Absent(case.op)
            told["weights"] = case.operands[1]
        result = function(name)(a, **told)
        if "into" in case.texts:
            return function(name)(a, **told, out=np.zeros(np.shape(result), DTYPES[case.texts["into"]]))
        return result

    return call


def mask(case):
    return case.operands[0][case.operands[1]]


def rising(a):
    return a[np.argsort(a, kind="stable")] if a.ndim == 1 else a


def interp(case):
    x, xp, fp = case.operands
    period = case.param("period", 0)
    if period and xp.ndim == 1:
        fp = np.mod(rising(xp).astype("float64"), abs(period)) + 0.0
    return np.interp(x, rising(xp), fp, **keywords(case, "left", "right", "period"))


def searchsorted(case):
    a, needles = case.operands
    told = {"side": "right" if on(case, "right") else "left"}
    if a.ndim == 1 and "sorter" in case.texts:
        told["sorter"] = np.argsort(a, kind="stable").astype(DTYPES[case.texts["sorter"]])
        return np.searchsorted(a, needles, **told)
    return np.searchsorted(rising(a), needles, **told)


def digitize(case):
    a, bins = case.operands
    if "unsorted" not in case.texts:
        bins = rising(bins)[::-1] if "descending" in case.texts and bins.ndim == 1 else rising(bins)
    return np.digitize(a, bins, right=on(case, "right"))


def weights(case):
    return {"weights": case.operands[1]} if ".weights" in case.op else {}


def bincount(case):
    return np.bincount(case.operands[0], **weights(case), minlength=case.param("minlength", 0))


def bins_of(case):
    if "edges" in case.texts:
        edges = case.param("edges")
        edges = edges if isinstance(edges, tuple) else (edges,)
        return np.array(edges, DTYPES[case.texts.get("of", "i64")])
    return case.param("bins", 10)


def histogram(case):
    told = {"bins": bins_of(case), **keywords(case, "range"), **weights(case)}
    if "bin_edges" in case.op:
        return np.histogram_bin_edges(case.operands[0], **told)
    return np.histogram(case.operands[0], **told, density=on(case, "density"))


def histogram_of_points(case):
    told = {"density": on(case, "density")}
    if case.op == "histogram2d":
        axes, call = 2, np.histogram2d
    else:
        axes, call = case.operands[0].shape[1] if case.operands[0].ndim > 1 else 1, np.histogramdd
    bins = bins_of(case)
    told["bins"] = [bins] * axes if isinstance(bins, np.ndarray) else bins
    if "range" in case.texts:
        told["range"] = [case.param("range")] * axes
    values, *edges = call(*case.operands, **told)
    return [values, *(edges[0] if case.op == "histogramdd" else edges)]


def at(case):
    a, times = case.operands[0], case.param("times", 1)
    dtype = DTYPES[case.texts.get("itype", "i64")]
    indices = [np.array(case.param(name) * times, dtype) for name in ("indices", "second") if name in case.texts]
    function(case.op.removesuffix(".at")).at(a, indices[0] if len(indices) == 1 else tuple(indices), *case.operands[1:])
    return np.copy(a, order="K")


def scattered(name):
    """What CuPy calls `scatter_…`: `at` of a function."""

    def call(case):
        a = case.operands[0]
        getattr(np, name).at(a, np.array(case.param("slices"), np.int64), case.operands[1])
        return np.copy(a, order="K")

    return call


def compress(case):
    """Into an array of another dtype, too."""
    plain = np.compress(*case.operands, **keywords(case, "axis"))
    if "into" not in case.texts:
        return plain
    return np.compress(*case.operands, **keywords(case, "axis"), out=np.zeros(plain.shape, DTYPES[case.texts["into"]]))


def infinite(name):
    """Into an array of another dtype, too."""

    def call(case):
        out = {"out": np.zeros(case.operands[0].shape, DTYPES[case.texts["into"]])} if "into" in case.texts else {}
        return function(name)(case.operands[0], **out)

    return call


def statistics_of(case):
    """The axis and whether it stays, of a function that takes both."""
    return {"axis": axis_of(case, None), **({"keepdims": True} if on(case, "keepdims") else {})}


def average(case):
    a, weights = case.operands
    if on(case, "one"):
        return np.average(a, **statistics_of(case))
    return np.average(a, weights=weights, returned=True, **statistics_of(case))


def covariance(case):
    told = keywords(case, "ddof", "dtype")
    told.update({name: on(case, name) for name in ("rowvar", "bias") if name in case.texts})
    operands = case.operands[:1] if on(case, "one") else case.operands
    return function(case.op)(*operands, **told)


def closeness(case):
    told = {**keywords(case, "rtol", "atol"), **({"equal_nan": True} if on(case, "equal_nan") else {})}
    return function(case.op)(*case.operands, **told)


def norm(case):
    told = {"ord": np.inf if case.texts["ord"] == "inf" else case.param("ord")} if "ord" in case.texts else {}
    return np.linalg.norm(case.operands[0], **told, **statistics_of(case))


def modes(case):
    """A mode, or one for each axis."""
    text = case.texts.get("mode", "raise")
    return tuple(text.split(",")) if "," in text else text


def ravel_multi_index(case):
    return np.ravel_multi_index(tuple(case.operands), mode=modes(case), **keywords(case, "dims", "order"))


def select(case):
    half = len(case.operands) // 2
    told = {"default": scalar(case.texts["default"])} if "default" in case.texts else {}
    return np.select(case.operands[:half], case.operands[half:], **told)


def changed(name):
    """A function that changes its first operand."""

    def run(case):
        function(name)(*case.operands, **keywords(case, "wrap"))
        return np.copy(case.operands[0], order="K")

    return run


TYPED = {"linspace", "logspace", "geomspace", "eye", "identity", "tri", "indices"}


def created(case, dtype, order):
    """What is made of parameters alone; the dtype and the order are told to the functions that ask for them."""
    name = case.op if case.op.startswith("polynomial.") else case.op.split(".")[0]
    if name in ("mgrid", "ogrid"):
        return eval(f"np.{name}{case.texts['key']}", {"np": np})  # noqa: S307
    told = {key: parameter(text) if key not in ("start", "stop") else scalar(text) for key, text in case.texts.items()}
    if name in TYPED:
        told["dtype"] = dtype
    if name == "eye":
        told["order"] = order
    return function(name)(**told)


def of_arrays(name):
    """A function of a list of arrays."""

    def call(case):
        told = keywords(case, "axis", "dtype", "casting")
        if "into" in case.texts:
            plain = function(name)(case.operands, **{key: value for key, value in told.items() if key == "axis"})
            told["out"] = np.zeros(plain.shape, DTYPES[case.texts["into"]])
        return function(name)(list(case.operands), **told)

    return call


def padded(case):
    return np.pad(case.operands[0], **{name: parameter(text) for name, text in case.texts.items()})


def decimals(case):
    told = keywords(case, "decimals")
    if case.out_is is not None:
        told["out"] = case.inputs[0] if case.out_is == "self" else case.inputs[1]
    return np.round(case.operands[0], **told)


def clip(case):
    bounds = case.operands[1:] or [scalar(case.texts[name]) if name in case.texts else None for name in ("a_min", "a_max")]
    told = keywords(case, "dtype")
    rest = len(case.operands)
    if case.out_is is not None:
        told["out"] = case.inputs[0] if case.out_is == "self" else case.inputs[rest]
    if "where" in case.texts:
        told["where"] = case.inputs[rest + 1]
    return np.clip(case.operands[0], *bounds, **told)


def product(name):
    """A product with its keywords, whose new results lie in C order."""

    def call(case):
        told = {"order": "C", **keywords(case, "dtype", "casting", "order", "axis")}
        if on(case, "keepdims"):
            told["keepdims"] = True
        if "axes" in case.texts:
            told["axes"] = list(parameter(case.texts["axes"]))
        if case.out_is is not None:
            places = {"self": 0, "second": 1}
            told["out"] = case.inputs[places.get(case.out_is, len(case.operands))]
        return function(name)(*case.operands, **told)

    return call


def einsum(case):
    return np.einsum(case.texts["subscripts"], *case.operands, **keywords(case, "optimize"))


def cho_solve(case):
    told = {name: argument(case, of) for name, of in case.call["arguments"]}
    lower = told.pop("lower", False)
    return scipy.linalg.cho_solve((told.pop("c"), lower), **told)


ROUTINES = {
    # Arrays put together and taken apart.
    **{
        name: of_arrays(name)
        for name in ("concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "block")
    },
    "row_stack": of_arrays("vstack"),
    "concatenate.many": of_arrays("concatenate"),
    **dict.fromkeys(("pad.lines", "pad.means", "pad.medians"), padded),
    "repeat.counts": lambda case: np.repeat(*case.operands, **keywords(case, "axis")),
    "insert": lambda case: np.insert(case.operands[0], case.param("obj"), case.operands[1], **keywords(case, "axis")),
    # Bounds that are arrays.
    "clip": clip,
    "polynomial.polyutils.as_series": lambda case: np.polynomial.polyutils.as_series(
        case.operands, trim=case.texts.get("trim") != "0"
    ),
    **dict.fromkeys(("round.decimals", "round.out"), decimals),
    "clip.between": clip,
    "matmul.tiles": lambda case: np.matmul(*case.operands),
    **{name + ".keywords": product(name) for name in ("matmul", "matvec", "vecdot", "vecmat")},
    **dict.fromkeys(("einsum", "einsum.pairs"), einsum),
    "cho_solve": cho_solve,
    "outer.out": lambda case: np.outer(*case.operands, out=case.inputs[2]),
    "round_": lambda case: np.round(case.operands[0], **keywords(case, "decimals")),
    # Sums and products on the way, and differences.
    **dict.fromkeys(
        ("cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"), scan
    ),
    "diff": diff,
    **dict.fromkeys(("compress", "compress.into"), compress),
    "isposinf": infinite("isposinf"),
    "isneginf": infinite("isneginf"),
    # Of which NumPy gives the elements in any order.
    "unique_values": lambda case: np.sort(np.unique_values(case.operands[0])),
    "ediff1d": ediff1d,
    "ravel_multi_index": ravel_multi_index,
    "choose": lambda case: np.choose(case.operands[0], case.operands[1:], **keywords(case, "mode")),
    "select": select,
    "place": changed("place"),
    "fill_diagonal": changed("fill_diagonal"),
    "linspace.arrays": lambda case: np.linspace(
        *case.operands, **keywords(case, "num", "endpoint", "axis", "dtype", "retstep")
    ),
    "trapezoid": trapezoid,
    "gradient": gradient,
    # Elements changed in place.
    **dict.fromkeys(
        ("add.at", "subtract.at", "maximum.at", "bitwise_xor.at", "less.at", "negative.at", "divmod.at"), at
    ),
    "scatter_add": scattered("add"),
    "scatter_max": scattered("maximum"),
    "scatter_min": scattered("minimum"),
    "copyto": copyto,
    "put": put,
    "putmask": putmask,
    "put_along_axis": put_along_axis,
    "take_along_axis": take_along_axis,
    # Statistics.
    "average": average,
    "cov": covariance,
    "corrcoef": covariance,
    **dict.fromkeys(("isclose", "allclose", "array_equal"), closeness),
    "norm": norm,
    # Sorting and sets.
    "sort": sort,
    "ndarray.sort": sort_in_place,
    "msort": lambda case: np.sort(case.operands[0], 0, kind="stable"),
    "sort_complex": sort_complex,
    "argsort": argsort,
    "partition": partition,
    "ndarray.partition": partition_in_place,
    "argpartition": argpartition,
    "lexsort": lambda case: np.lexsort(tuple(case.operands), axis_of(case)),
    "unique": unique,
    **{name: of_sets(name) for name in ("union1d", "intersect1d", "setxor1d", "setdiff1d", "isin")},
    "in1d": in1d,
    # Quantiles.
    **{name: quantile(name) for name in ("median", "nanmedian", "quantile", "percentile", "nanquantile", "nanpercentile")},
    "weighted_quantile": quantile("quantile"),
    "weighted_nanquantile": quantile("nanquantile"),
    # Searching and histograms.
    "mask": mask,
    "interp": interp,
    "searchsorted": searchsorted,
    "digitize": digitize,
    "bincount": bincount,
    "bincount.weights": bincount,
    **dict.fromkeys(
        ("histogram", "histogram.rules", "histogram.weights", "histogram.weights_between", "histogram_bin_edges"), histogram
    ),
    "histogramdd": histogram_of_points,
    "histogram2d": histogram_of_points,
}


def argument(case, told):
    """An argument of a call by name."""
    ((kind, value),) = told.items()
    if kind == "array":
        dtype, shape, digits = value
        return np.frombuffer(bytearray.fromhex(digits), dtype).reshape(shape)
    if kind == "full":
        return np.array(scalar(value[0]), value[1])
    return {
        "none": lambda: None,
        "scalar": lambda: scalar(value),
        "dtype": lambda: np.dtype(value),
        "text": lambda: value,
        "integers": lambda: tuple(value),
        "operand": lambda: case.inputs[value],
        "list": lambda: [argument(case, one) for one in value],
    }[kind]()


def called(case):
    """The function of the call's path, with arguments by their names; by their places where Python knows no names."""
    module, _, name = case.call["path"].rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise Absent(case.op) from None
    told = {name: argument(case, of) for name, of in case.call["arguments"]}
    places = []
    try:
        known = list(inspect.signature(found).parameters.values())
        names = [p.name for p in known if p.kind is p.POSITIONAL_ONLY]
        # What dispatches hides that its first parameter has no name, or has a name of its own for it.
        first = next(iter(told), None)
        if first not in names and (known and first == known[0].name or first not in [p.name for p in known]):
            names.insert(0, first)
        for p in known:
            if p.kind is p.VAR_POSITIONAL and p.name in told:
                places += told.pop(p.name)
    except ValueError:
        names = [name for name in told if name not in ("out", "dtype", "axis", "where")]
    for name in names:
        if name in told:
            places.append(told.pop(name))
    result = found(*places, **told)
    if case.call["into"] is not None:
        result = found(*places, **told, out=np.zeros(result.shape, case.call["into"]))
    return result


def routine(case):
    """What NumPy makes of a routine: by its line in the table, or else by the call that the harness makes."""
    if case.op in ROUTINES:
        return ROUTINES[case.op](case)
    result = called(case)
    # What gives nothing has changed its first operand.
    return case.operands[0].copy(order="K") if result is None else result
