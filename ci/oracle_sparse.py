"""What SciPy makes of the cases of sparse arrays (`conformance/src/sparse`).

The operands come as the arrays of a format. A sparse result goes back as its data, its format and shape, and its index arrays.
Where the library's function is another one than SciPy's (see `docs/src/differences.md`), the operands are converted first.
"""

import numpy as np

try:
    import scipy.sparse as sp
    from scipy.sparse import linalg
    from scipy.sparse.csgraph import connected_components
except ImportError:
    sp = None

FORMATS = ("coo", "csr", "csc", "dia", "bsr")


def follows():
    """Whether this SciPy's sparse arrays are those that the oracle follows: from 1.16 on."""
    return sp is not None and tuple(map(int, __import__("scipy").__version__.split(".")[:2])) >= (1, 16)


def array(described):
    dtype, shape, digits = described
    return np.frombuffer(bytearray.fromhex(digits), dtype).reshape(shape)


def operand(parts):
    """A sparse array of its parts."""
    data, shape = array(parts["data"]), tuple(parts["shape"])
    indices = [array(one) for one in parts["indices"]]
    if parts["format"] == "coo":
        return sp.coo_array((data, tuple(indices)), shape=shape)
    if parts["format"] == "dia":
        return sp.dia_array((data, indices[0]), shape=shape)
    result = {"csr": sp.csr_array, "csc": sp.csc_array}[parts["format"]]((data, *indices), shape=shape)
    result.check_format(full_check=True)
    return result


def described(a, wide):
    """The arrays of a result; `wide` where an operand has indices of int64."""
    header = np.array([FORMATS.index(a.format), *a.shape], np.int64)
    indices = {"coo": lambda: list(a.coords), "dia": lambda: [a.offsets]}.get(a.format, lambda: [a.indices, a.indptr])()
    if a.ndim > 2 or a.nnz == 0 and a.format != "dia":
        # SciPy computes indices of more than two axes in int64, and makes an array without entries anew.
        index = np.int64 if wide or max(a.shape) >= 2**31 else np.int32
        indices = [one.astype(index) for one in indices]
    data = a.data
    if a.format == "dia":
        # What is outside of the matrix has no meaning.
        column = np.arange(data.shape[1])
        row = column - a.offsets[:, None]
        data = np.where((row >= 0) & (row < a.shape[0]) & (column < a.shape[1]), data, np.zeros(1, data.dtype))
    return [data, header, *indices]


def compressed(a):
    """Diagonals as compressed rows."""
    return a.tocsr() if a.format == "dia" else a


def numbers(text):
    """`(1,2)` as a list."""
    return [int(part) for part in text.strip("()").split(",") if part.strip()]


def chosen(text, size):
    """An index along an axis: a slice, a list or a mask."""
    if text is None:
        return slice(None)
    if text == "mask":
        return np.arange(size) % 3 != 1
    if ":" in text:
        return slice(*(int(part) if part else None for part in text.split(":")))
    return numbers(text)


def binary(case, a, b):
    name = case.texts["ufunc"]
    if name == "subtract" and a.dtype == b.dtype == bool:
        raise TypeError("NumPy subtracts no booleans")
    a, b = compressed(a), compressed(b)
    # The format of both decides, not that of the first.
    if {a.format, b.format} != {"csc"}:
        a = a.tocsr()
    operators = {
        "add": lambda: a + b,
        "subtract": lambda: a - b,
        "multiply": lambda: a.multiply(b),
        "maximum": lambda: a.maximum(b),
        "minimum": lambda: a.minimum(b),
        "equal": lambda: a == b,
        "not_equal": lambda: a != b,
        "less": lambda: a < b,
        "less_equal": lambda: a <= b,
        "greater": lambda: a > b,
        "greater_equal": lambda: a >= b,
    }
    if name not in operators or a.shape != b.shape and name in ("equal", "not_equal"):
        return None
    result = operators[name]()
    result.sort_indices()
    return result


def reduce(case, a):
    name, axis = case.texts["name"], case.param("axis")
    options = {"dtype": case.param("dtype")} if "dtype" in case.texts else {}
    if name == "any":
        return None
    if name.startswith("arg"):
        # Of equal elements SciPy's first one is the first that is stored, whatever its position.
        a = a.tocsr()
        a.sum_duplicates()
        a.eliminate_zeros()
    elif a.format in ("dia", "coo") and name != "sum":
        a = a.tocsr()
    result = getattr(a, name)(axis=axis, **options)
    if sp.issparse(result):
        result = result.toarray()
    result = np.asarray(result)
    return result.astype(np.int64) if name in ("argmax", "argmin", "count_nonzero") else result


def getitem(case, a):
    rows, columns = (chosen(case.texts.get(name), size) for name, size in zip(("rows", "columns"), a.shape))
    coo, a = a.format == "coo", a.tocsr() if a.format in ("coo", "dia") else a
    result = a[rows, :][:, columns]
    # Rows of compressed columns, and the reverse, that are selected by a list are sorted.
    if isinstance(columns if a.format == "csr" else rows, (list, np.ndarray)):
        result.sort_indices()
    if isinstance(rows, slice) and isinstance(columns, slice) and ((columns if a.format == "csr" else rows).step or 1) < 0:
        result.sort_indices()
    return result.tocoo() if coo else result


def assigned(case, a, values):
    result = compressed(a).copy()
    result.sum_duplicates()
    coo = result.format == "coo"
    result = result.tocsr() if coo else result
    for row, column, value in zip(numbers(case.texts["rows"]), numbers(case.texts["columns"]), values):
        result[row, column] = value
    result.sort_indices()
    return result.tocoo() if coo else result


def setdiag(case, a, values):
    result = a.tocsr() if a.format == "dia" else a.copy()
    result.sum_duplicates()
    if result.format == "coo":
        result = result.tocsr()
    result.setdiag(values.astype(a.dtype), k=case.param("k", 0))
    result.sort_indices()
    return result.asformat(a.format)


def stacked(case, a, b):
    axis = case.param("axis", 0)
    join, to = sp.vstack if axis == 0 else sp.hstack, case.texts["to"]
    if a.format == b.format == to and to in ("csr", "csc"):
        return join([a, b, a], format=to)
    return join([x.tocoo() for x in (a, b, a)], format="coo").asformat(to)


def matmul(a, b):
    a, b = compressed(a), compressed(b)
    if {a.format, b.format} != {"csc"}:
        a = a.tocsr()
    result = a @ b
    result.sort_indices()
    return result


def tri(function):
    return lambda case, a: function(a.tocoo(), k=case.param("k", 0), format="coo")


def changed(a, method):
    result = a.copy()
    if hasattr(result, method):
        getattr(result, method)()
    return result


def has_duplicates(a):
    """Whether entries share a position: their order in a sorted row is SciPy's own."""
    if a.format not in ("csr", "csc"):
        return False
    coo = a.tocoo()
    return len(set(zip(coo.row.tolist(), coo.col.tolist()))) < coo.nnz


def scaled(case, a):
    factor = case.param("by")
    return a * factor if case.texts["ufunc"] == "multiply" else a / factor


def reshaped(case, a):
    to = numbers(case.texts["to"])
    return a if tuple(to) == a.shape else a.tocoo().reshape(to, order=case.texts.get("order", "C"))


def diagonals(case, *of):
    return sp.diags_array(list(of), offsets=numbers(case.texts["offsets"]), shape=numbers(case.texts["shape"]),
                          dtype=np.result_type(*of))  # fmt: skip


def transposed(case, a):
    return a.transpose(numbers(case.texts["axes"]) if "axes" in case.texts else None)


def solve(case, a, b):
    """SciPy's solvers, judged as the library's are: see `conformance/src/sparse/solvers.rs`."""
    method = case.texts["method"]
    if method in ("cholesky", "ic0", "ilu0") or "system" in case.texts:
        return None
    dtype = np.result_type(a.dtype, np.float32)
    of = a.toarray().astype(np.result_type(dtype, np.float64))
    m = (of + of.conj().T) / 2 if method in ("cg", "minres") else np.tril(of) if method == "spsolve_triangular" else of.copy()
    sign = np.where(np.arange(len(m)) % 2 & (method == "minres"), -1, 1)
    np.fill_diagonal(m, sign * (1 + (abs(of) + abs(of).T).sum(axis=1)))
    m, b = sp.csr_array(m.astype(dtype)), b.astype(np.result_type(dtype, b.dtype))
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    if method == "splu":
        x, info = linalg.splu(m.tocsc()).solve(b), 0
    elif method in ("spsolve", "spsolve_triangular"):
        x, info = getattr(linalg, method)(m, b), 0
    else:
        x, info = getattr(linalg, method)(m, b, rtol=rtol * (0.01 if method == "minres" else 0.5))
    rtol = 0 if method in ("splu", "spsolve", "spsolve_triangular") else rtol
    rounding = np.linalg.norm(abs(m) @ abs(x) + abs(b)) * 4 * len(b) * np.finfo(x.dtype).eps
    small = np.linalg.norm(b - m.toarray().astype(of.dtype) @ x) <= rtol * np.linalg.norm(b) + rounding
    return np.array([info, small], np.int64)


def components(case, a):
    """SciPy takes no complex weights."""
    if a.dtype.kind == "c":
        return None
    count, labels = connected_components(a.tocsr(), connection="weak")
    return [np.array(count, np.int64), labels.astype(np.int32)]


def kronsum(a, b):
    result = sp.kronsum(a.tocoo(), b.tocoo(), format="csr")
    result.sort_indices()
    return result


OPERATIONS = {
    "from_dense": lambda case, a: {"coo": sp.coo_array, "csr": sp.csr_array, "csc": sp.csc_array, "dia": sp.dia_array}[case.texts["to"]](a),
    "asformat": lambda case, a: a.asformat(case.texts["to"]),
    "to_blocks": lambda case, a: a.tobsr(blocksize=tuple(numbers(case.texts["size"]))),
    "toarray": lambda case, a: a.toarray(order=case.texts.get("order", "C")),
    "sum_duplicates": lambda case, a: changed(a, "sum_duplicates"),
    "sort_indices": lambda case, a: None if has_duplicates(a) else changed(a, "sort_indices"),
    "eliminate_zeros": lambda case, a: changed(a, "eliminate_zeros"),
    "nnz": lambda case, a: np.array(a.nnz, np.int64),
    # SciPy adds duplicates first, as for every function of the values.
    "astype": lambda case, a: a._with_data(a.data.astype(case.param("to"))),
    "transpose": transposed,
    "reshape": reshaped,
    "broadcast_to": lambda case, a: None,
    "diagonal": lambda case, a: a.diagonal(case.param("k", 0)),
    "setdiag": setdiag,
    "tril": tri(sp.tril) if sp else None,
    "triu": tri(sp.triu) if sp else None,
    "nonzero": lambda case, a: list(a.tocsr().nonzero()),
    "binary": binary,
    "negative": lambda case, a: a._with_data(-a.data),
    "scaled": scaled,
    "power": lambda case, a: changed(a, "sum_duplicates").power(case.param("by")),
    "mean": lambda case, a: np.asarray(a.mean(axis=case.param("axis"))),
    "components": components,
    "solve": solve,
    "kronsum": lambda case, a, b: kronsum(a, b),
    "gather_dense": lambda case, a, b: np.broadcast_to(b, a.shape)[tuple(a.tocoo().coords)],
    "reduce": reduce,
    "getitem": getitem,
    "points": lambda case, a: np.asarray(a.tocsr()[numbers(case.texts["rows"]), numbers(case.texts["columns"])]),
    "set_points": assigned,
    "dot": lambda case, a, b: a @ b,
    "rdot": lambda case, a, b: b @ a,
    "matmul": lambda case, a, b: matmul(a, b),
    "kron": lambda case, a, b: sp.kron(a, b.tocoo(), format="coo").astype(np.promote_types(a.dtype, b.dtype)),
    "stack": stacked,
    "blocks": lambda case, a, b: sp.block_array([[a.tocoo(), None], [None, b.tocoo()]], format="coo"),
    "eye": lambda case, a: sp.dia_array(sp.eye(*a.shape, k=case.param("k", 0), dtype=a.dtype)).asformat(case.texts["to"]),
    "diagonals": diagonals,
}


def sparse(case, absent):
    """SciPy's result of a case; `absent` is raised where SciPy has none."""
    operands = [operand(parts) if parts else case.operands[k] for k, parts in enumerate(case.sparse)]
    if "block" in case.texts:
        operands[0] = operands[0].tobsr(blocksize=tuple(numbers(case.texts["block"])))
    result = OPERATIONS[case.op.split(".")[1]](case, *operands)
    if result is None:
        raise absent(case.op)
    if sp.issparse(result):
        return described(result, any(parts and parts["indices"][0][0] == "int64" for parts in case.sparse))
    return result
