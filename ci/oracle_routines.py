"""How the routines of the cases are called in NumPy: those whose parameters are not NumPy's own keywords.

ROUTINES is the table: the name of an operation, and a function of the case that gives NumPy's result or results.
"""

import ast
import importlib
import inspect

import numpy as np

try:
    import scipy.linalg
    import scipy.special
except ImportError:
    scipy = None

DTYPES = {
    "bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128",
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
    """An array of an index, made for the axes that it indexes: as in conformance/src/text.rs."""

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
    """How many axes a part of an index covers."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.numbers[0] if isinstance(part, Making) and part.of == "mask" else 1


def sort(case):
    # A kind that there is not is rejected; which of equal elements is first is left open but by a stable sort.
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
    """The elements in order, if those at the requested positions are sorted; the others' order is left open."""
    kth, axis = case.param("kth"), axis_of(case)
    at = 0 if axis is None else axis
    for k in kth if isinstance(kth, tuple) else (kth,):
        if parted.size and not np.array_equal(parted.take(k, at), whole.take(k, at), equal_nan=parted.dtype.kind in "fc"):
            raise AssertionError(f"position {k} is not sorted")
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
    if case.texts.get("equal_nan") == "0" and on(case, "inverse") and not on(case, "index"):
        # Which NaN is which is left open but by a stable sort, which NumPy makes where the indices are requested.
        keywords_ = {f"return_{name}": True for name in ("inverse", "counts") if on(case, name)}
        found, _, *rest = np.unique(case.operands[0], return_index=True, equal_nan=False, **keywords_, **keywords(case, "axis"))
        return [found, *rest]
    return called(case)


def in1d(case):
    return np.isin(case.operands[0].ravel(), case.operands[1], invert=on(case, "invert"))


def bins_of(case):
    if "edges" in case.texts:
        edges = case.param("edges")
        edges = edges if isinstance(edges, tuple) else (edges,)
        return np.array(edges, DTYPES[case.texts.get("of", "i64")])
    return case.param("bins", 10)


def histogram_of_points(case):
    keywords_ = {"density": on(case, "density")}
    if case.op == "histogram2d":
        axes, call = 2, np.histogram2d
    else:
        axes, call = case.operands[0].shape[1] if case.operands[0].ndim > 1 else 1, np.histogramdd
    bins = bins_of(case)
    keywords_["bins"] = [bins] * axes if isinstance(bins, np.ndarray) else bins
    if "range" in case.texts:
        keywords_["range"] = [case.param("range")] * axes
    values, *edges = call(*case.operands, **keywords_)
    return [values, *(edges[0] if case.op == "histogramdd" else edges)]


def scattered(name):
    """What CuPy calls `scatter_…`: `at` of a function."""

    def call(case):
        a = case.operands[0]
        getattr(np, name).at(a, np.array(case.param("slices"), np.int64), case.operands[1])
        return np.copy(a, order="K")

    return call


TYPED = {"linspace", "logspace", "geomspace", "eye", "identity", "tri", "indices"}


def created(case, dtype, order):
    """Returns what is created from parameters alone; the dtype and the order are passed to the functions that take them."""
    name = case.op if case.op.startswith("polynomial.") else case.op.split(".")[0]
    if name in ("mgrid", "ogrid"):
        return eval(f"np.{name}{case.texts['key']}", {"np": np})  # noqa: S307
    keywords_ = {key: parameter(text) if key not in ("start", "stop") else scalar(text) for key, text in case.texts.items()}
    if name in TYPED:
        keywords_["dtype"] = dtype
    if name == "eye":
        keywords_["order"] = order
    return function(name)(**keywords_)


def clip(case):
    bounds = case.operands[1:] or [scalar(case.texts[name]) if name in case.texts else None for name in ("a_min", "a_max")]
    keywords_ = keywords(case, "dtype")
    rest = len(case.operands)
    if case.out_is is not None:
        keywords_["out"] = case.inputs[0] if case.out_is == "self" else case.inputs[rest]
    if "where" in case.texts:
        keywords_["where"] = case.inputs[rest + 1]
    return np.clip(case.operands[0], *bounds, **keywords_)


def product(name):
    """A product with its keywords, whose new results are in C order."""

    def call(case):
        keywords_ = {"order": "C", **keywords(case, "dtype", "casting", "order", "axis")}
        if on(case, "keepdims"):
            keywords_["keepdims"] = True
        if "axes" in case.texts:
            keywords_["axes"] = list(parameter(case.texts["axes"]))
        if case.out_is is not None:
            operand_of = {"self": 0, "second": 1}
            keywords_["out"] = case.inputs[operand_of.get(case.out_is, len(case.operands))]
        return function(name)(*case.operands, **keywords_)

    return call


def arguments(case):
    """The arguments of a call by name."""
    return {name: argument(case, of) for name, of in case.call["arguments"]}


def put_along_axis(case):
    keywords_ = {"axis": -1, **arguments(case)}
    np.put_along_axis(**keywords_)
    return np.copy(keywords_["arr"], order="K")


def cho_solve(case):
    keywords_ = arguments(case)
    lower = keywords_.pop("lower", False)
    return scipy.linalg.cho_solve((keywords_.pop("c"), lower), **keywords_)


def harmonic(n, m, theta, phi):
    """SciPy's spherical harmonic, which takes its operands by position; it has had it since 1.15."""
    if not hasattr(getattr(scipy, "special", None), "sph_harm_y"):
        raise Absent("scipy.special.sph_harm_y")
    return scipy.special.sph_harm_y(n, m, theta, phi)


def labelled(case):
    """Statistics of a list of labels, which SciPy gives as an array or a list."""
    return np.asarray(called(case))


def centres(case):
    """Centres of mass: SciPy has the axes of a list of labels in reverse order."""
    result = np.asarray(called(case))
    return np.swapaxes(result, 0, 1) if case.operands[2].ndim == 2 else result


def boxes(case):
    """The boxes of labels as first coordinates, and one more than the last."""
    axes = case.operands[0].ndim
    found = called(case) + [None] * 3
    return np.array([[(s.start, s.stop) for s in box] if box else [(0, 0)] * axes for box in found[:3]], dtype=np.int64)


def positions(case):
    """The positions of minima in C order; SciPy's of a label that does not occur is the first one."""
    shape = np.broadcast_shapes(case.operands[0].shape, case.operands[1].shape)
    index = case.operands[2]
    found = np.array(called(case)).reshape(-1, len(shape)).T
    return np.ravel_multi_index(tuple(found), shape).astype(np.int64).reshape(index.shape)


ROUTINES = {
    "scipy.ndimage.label": lambda case: (lambda labels, count: (labels, np.int64(count)))(*called(case)),
    "scipy.ndimage.find_objects": boxes,
    "scipy.ndimage.minimum_position": positions,
    **{"scipy.ndimage." + name: labelled for name in ("sum_labels", "variance", "median", "maximum")},
    "scipy.ndimage.center_of_mass": centres,
    "scipy.signal.find_peaks": lambda case: called(case)[0].astype(np.int64),
    # Another name, or none, for what NumPy has.
    "mask": lambda case: case.operands[0][case.operands[1]],
    "msort": lambda case: np.sort(case.operands[0], 0, kind="stable"),
    "in1d": in1d,
    "scipy.special.sph_harm_y": lambda case: harmonic(*case.operands),
    # SciPy has it no more.
    "scipy.special.sph_harm": lambda case: harmonic(*(case.operands[k] for k in (1, 0, 3, 2))),
    # SciPy has them under the names of the functions of the beta distribution.
    "scipy.special.btdtr": lambda case: scipy.special.betainc(*case.operands),
    "scipy.special.btdtri": lambda case: scipy.special.betaincinv(*case.operands),
    "round_": lambda case: np.round(case.operands[0], **keywords(case, "decimals")),
    "scatter_add": scattered("add"),
    "scatter_max": scattered("maximum"),
    "scatter_min": scattered("minimum"),
    # Parameters that NumPy wants in another form, or always.
    "clip": clip,
    "put_along_axis": put_along_axis,
    "cho_solve": cho_solve,
    **{name + ".keywords": product(name) for name in ("matmul", "matvec", "vecdot", "vecmat")},
    "histogramdd": histogram_of_points,
    "histogram2d": histogram_of_points,
    # Of which NumPy gives elements in any order.
    "sort": sort,
    "ndarray.sort": sort_in_place,
    "sort_complex": sort_complex,
    "argsort": argsort,
    "partition": partition,
    "ndarray.partition": partition_in_place,
    "argpartition": argpartition,
    "unique": unique,
    "unique_values": lambda case: np.sort(np.unique_values(case.operands[0])),
}


def argument(case, encoded):
    """An argument of a call by name."""
    ((kind, value),) = encoded.items()
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


def found_by(path):
    """What a path names: of a module, or of a member of one."""
    parts = path.split(".")
    for n in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
            for part in parts[n:]:
                found = getattr(found, part)
            return found
        except (ImportError, AttributeError):
            pass
    raise Absent(path)


def called(case):
    """The function of the call's path, with arguments by their names; by position where Python knows no names."""
    path, positional = case.call["path"], []
    if path == "numpy.trapezoid" and not hasattr(np, "trapezoid"):
        path = "numpy.trapz"
    try:
        found = found_by(path)
    except Absent:
        raise Absent(case.op) from None
    keywords_ = arguments(case)
    for name in ("axis", "indices"):
        # One axis is a number, and positions along several axes are a tuple.
        if isinstance(keywords_.get(name), (tuple, list)):
            keywords_[name] = keywords_[name][0] if name == "axis" and len(keywords_[name]) == 1 else tuple(keywords_[name])
    # Arguments before the first operand, or after the others without a name.
    if path == "numpy.einsum":
        positional += [keywords_.pop("subscripts"), *keywords_.pop("operands")]
    if path == "numpy.gradient":
        positional += [keywords_.pop("f"), *keywords_.pop("spacing", ())]
    try:
        known = list(inspect.signature(found).parameters.values())
        names = [p.name for p in known if p.kind is p.POSITIONAL_ONLY]
        # What dispatches hides that its first parameter has no name, or has a name of its own for it.
        first = next(iter(keywords_), None)
        if not positional and first not in names and (known and first == known[0].name or first not in [p.name for p in known]):
            names.insert(0, first)
        for p in known:
            if p.kind is p.VAR_POSITIONAL and p.name in keywords_:
                positional += keywords_.pop(p.name)
    except ValueError:
        names = [name for name in keywords_ if name not in ("out", "dtype", "axis", "where")]
    for name in names:
        if name in keywords_:
            positional.append(keywords_.pop(name))
    result = found(*positional, **keywords_)
    if case.call["into"] is not None:
        result = found(*positional, **keywords_, out=np.zeros(np.shape(result), case.call["into"]))
    return result


def routine(case):
    """What NumPy makes of a routine: by its line in the table, or else by the call that the harness makes."""
    if case.op in ROUTINES:
        return ROUTINES[case.op](case)
    result = called(case)
    if case.family == "ndimage" and result.dtype == bool:
        # SciPy stores the low byte of a sum.
        result = result.view("u1") != 0
    # What gives nothing has changed its first operand.
    return case.operands[0].copy(order="K") if result is None else result
