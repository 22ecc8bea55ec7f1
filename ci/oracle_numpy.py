"""Answers what NumPy makes of a case: the other end of `conformance oracle`.

The first line written is JSON about this NumPy. Then, for each request (a line of JSON, followed by the bytes of the
buffers that it lists), one line of JSON comes back, followed by the bytes of the arrays that it lists:

    {"arrays": [[dtype, shape, strides, bytes], ...], "scalar": whether it is none},
    {"text": ...}, {"error": [class, message]} or {"absent": name}

A new function needs no line here where its parameters are NumPy's own and come as keywords; any other has its call in the
table of oracle_routines.py.
"""

import json
import operator
import sys
import warnings

import numpy as np

try:
    import scipy.special
except ImportError:
    scipy = None
try:
    # Gives NumPy a dtype of the name bfloat16.
    import ml_dtypes
except ImportError:
    ml_dtypes = None
import oracle_sparse
from oracle_routines import Absent, Making, axes_of, called, created, function, one_or_tuple, parameter, routine, scalar

warnings.simplefilter("ignore")
np.seterr(all="ignore")

CLASSES = {"ValueError", "TypeError", "IndexError", "AxisError", "OverflowError", "ZeroDivisionError", "LinAlgError"}

# What NumPy is asked in several ways that should not matter, where the oracle leaves an element open: name: the answers.
EVIDENCE = {
    "float32 5e9 as uint32, by the array's length": lambda: [int(np.full(n, 5e9, "f4").astype("u4")[0]) for n in (1, 2, 4, 16, 64)],
    "float64 nan as uint32, by the array's length": lambda: [int(np.full(n, np.nan).astype("u4")[0]) for n in (1, 2, 4, 16, 64)],
    "maximum of 0.0 and -0.0, by the order of the two and the dtype": lambda: [
        str(f(np.array([a], d), np.array([b], d))[0]) for f in (np.maximum, np.fmax) for d in "efd" for a, b in ((0.0, -0.0), (-0.0, 0.0))
    ],
    "nanmedian of the largest float32 alone, by the number of axes": lambda: [
        float(np.ravel(np.nanmedian(np.full(shape, np.finfo("f4").max), axis=0))[0]) for shape in (1, (1, 1))
    ],
    "-inf+1j to the power of -1, and of its neighbour": lambda: [
        str(bool(np.isnan(z))) for z in np.array([complex(-np.inf, 1)]) ** np.array([-1, -1 - 2**-52])
    ],
}

if np.__version__ >= "2":
    # What was one way before.
    EVIDENCE["a signed integer among uint64 that are its neighbours, by the number of elements"] = lambda: [
        bool(np.isin([2**63 - 1], np.array([0] * n + [2**63], "u8"))[0]) for n in (1, 4, 16, 64)
    ]


class Case:
    """A request, with its operands as arrays over writable buffers."""

    def __init__(self, request, stream):
        self.op, self.kind, self.family = request["op"], request["kind"], request["family"]
        self.texts = request["params"]
        self.layouts = request["layouts"]
        self.out_is = request["out"]
        self.call = request["call"]
        self.sparse = request["sparse"]
        self.inputs, self.buffers = [], []
        for item in request["inputs"]:
            if "scalar" in item:
                self.inputs.append(scalar(item["scalar"]))
                self.buffers.append(None)
                continue
            data = bytearray(stream.read(item["bytes"]))
            if item["shared"]:
                data = self.buffers[0][0]
            dtype = np.dtype(item["dtype"])
            shape, strides = item["shape"], item["strides"]
            if 0 in shape:
                # Nothing is addressed, so that the strides need fit no buffer.
                array = np.lib.stride_tricks.as_strided(np.empty(0, dtype), shape, strides)
            else:
                array = np.ndarray(shape, dtype, buffer=data, offset=item["offset"], strides=strides)
            # What broadcasting broadcast is not written to.
            if 0 not in shape and any(n > 1 and step == 0 for n, step in zip(shape, strides)):
                array.flags.writeable = False
            self.inputs.append(array)
            self.buffers.append((data, dtype, item["base"]))
        count = request["operands"]
        self.operands = self.inputs[:count]

    def param(self, name, default=None):
        return parameter(self.texts[name]) if name in self.texts else default

    def whole(self, k):
        """The whole buffer of an input."""
        data, dtype, shape = self.buffers[k]
        return np.frombuffer(bytes(data), dtype).reshape(shape)

    def run(self):
        return getattr(self, "kind_" + self.kind)()

    def kind_ufunc(self):
        return function(self.op)(*self.operands)

    def kind_operator(self):
        name = {"divide": "truediv", "left_shift": "lshift", "right_shift": "rshift", "subtract": "sub",
                "multiply": "mul", "remainder": "mod", "bitwise_and": "and_", "bitwise_or": "or_",
                "bitwise_xor": "xor"}  # fmt: skip
        plain = self.op[len("operator_") :]
        return getattr(operator, name.get(plain, plain))(*self.operands)

    def kind_method(self):
        name, _, method = self.op.partition(".")
        call = function(name) if method == "call" else getattr(function(name), method)
        options = {}
        for key in ("dtype", "casting", "order", "initial"):
            if key in self.texts:
                options[key] = self.param(key)
        if method in ("reduce", "accumulate", "reduceat") and "axis" in self.texts:
            options["axis"] = one_or_tuple(self.texts["axis"])
        if "keepdims" in self.texts:
            options["keepdims"] = True
        operands, rest, target, mask = list(self.operands), len(self.operands), None, None
        if self.out_is == "self":
            target = 0
        elif self.out_is == "second":
            target = 1
        elif self.out_is == "mask":
            target = rest
        elif self.out_is is not None:
            target, rest = rest, rest + 1
        if target is not None:
            options["out"] = self.inputs[target]
        if "where" in self.texts:
            mask = self.inputs[rest]
            options["where"] = mask
        if method == "reduceat":
            operands.append(np.array(self.param("indices"), dtype=np.intp))
        result = call(*operands, **options)
        if target is not None:
            return self.whole(target)
        if mask is not None and method in ("call", "outer"):
            # What is not computed is what lay in memory.
            computed = np.asarray(result)
            computed[np.broadcast_to(~mask, computed.shape)] = 0
            return computed if isinstance(result, np.ndarray) else computed[()]
        return result

    def kind_reduction(self):
        options = {}
        for key in ("dtype", "initial", "ddof"):
            if key in self.texts:
                options[key] = self.param(key)
        if "axis" in self.texts:
            options["axis"] = one_or_tuple(self.texts["axis"])
        if "keepdims" in self.texts:
            options["keepdims"] = True
        a, rest = self.operands[0], 1
        if "mean" in self.texts:
            options["mean"] = np.array(self.param("mean"), a.dtype if a.dtype.kind in "fc" else None)
        if self.out_is is not None:
            options["out"] = self.inputs[rest]
            rest += 1
        if "where" in self.texts:
            options["where"] = self.inputs[rest]
        result = function(self.op.removesuffix(".into"))(a, **options)
        return self.whole(1) if self.out_is is not None else result

    def kind_matmul(self):
        return np.matmul(*self.operands)

    def kind_creation(self):
        first = self.operands[0]
        order = "F" if self.layouts[0] == "F" else "C"
        if self.op == "arange":
            return np.arange(self.param("start"), self.param("stop"), self.param("step"), dtype=first.dtype)
        if self.op == "full":
            return np.full(first.shape, self.param("value"), dtype=first.dtype, order=order)
        if self.op in ("zeros", "ones", "empty"):
            return function(self.op)(first.shape, dtype=first.dtype, order=order)
        # Of modules of their own.
        if self.call and self.call["path"].count(".") > 1 and not hasattr(np, self.op):
            return called(self)
        return created(self, first.dtype, order)

    def kind_manipulation(self):
        a, op = self.operands[0], self.op
        order = {"order": self.texts["order"]} if "order" in self.texts else {}
        if op == "copy":
            return np.copy(a, **order)
        if op == "reshape":
            return np.reshape(a, self.param("to"), **order)
        if op == "broadcast_to":
            return np.broadcast_to(a, self.param("to"))
        if op == "transpose":
            return np.transpose(a, self.param("axes"))
        if op in ("swapaxes", "moveaxis"):
            return function(op)(a, self.param("a"), self.param("b"))
        if op in ("expand_dims", "squeeze"):
            # The library takes lists of axes: tuples here. (Along the *number* 0, an array without axes is let through.)
            axes = self.param("axis", ())
            axes = axes if isinstance(axes, tuple) else (axes,)
            return function(op)(a, **({"axis": axes} if "axis" in self.texts else {}))
        return self.kind_routine()

    def index(self, name="key"):
        inner = self.texts[name][1:-1]
        makers = {of: Making(of) for of in ("at", "far", "mask")}
        parts = eval(f"np.s_[{inner}]" if inner else "()", {"np": np, **makers})  # noqa: S307
        parts = parts if isinstance(parts, tuple) else (parts,)
        shape = self.operands[0].shape
        left = len(shape) - sum(axes_of(part) for part in parts)
        made, axis = [], 0
        for part in parts:
            made.append(part.made(shape, axis) if isinstance(part, Making) else part)
            axis += left if part is Ellipsis else axes_of(part)
        return tuple(made)

    def kind_getitem(self):
        return self.operands[0][self.index()]

    def kind_setitem(self):
        target, value = self.operands
        if "from" in self.texts:
            value = target[self.index("from")]
        target[self.index()] = value
        return target

    def kind_cast(self):
        order = {"order": self.texts["order"]} if "order" in self.texts else {}
        return self.operands[0].astype(self.param("to"), **order)

    def kind_text(self):
        if self.op == "array2string":
            return np.array2string(self.operands[0], **{name: parameter(text) for name, text in self.texts.items()})
        return {"str": str, "repr": repr}[self.op](self.operands[0])

    def kind_sparse(self):
        return oracle_sparse.sparse(self, Absent)

    def kind_routine(self):
        return routine(self)


def answer(case):
    """The reply to a case, and the arrays that go with it."""
    try:
        result = case.run()
    except Absent as error:
        return {"absent": str(error)}, []
    except Exception as error:
        names = [c.__name__ for c in type(error).__mro__]
        known = next((n for n in names if n in CLASSES), names[0])
        return {"error": [known, str(error)[:300]]}, []
    if isinstance(result, str):
        return {"text": result}, []
    arrays = [np.asarray(a) for a in (result if isinstance(result, (tuple, list)) else (result,))]
    if any(a.dtype == object for a in arrays):
        return {"absent": "objects"}, []
    described = [[a.dtype.name, a.shape, a.strides, a.size * a.itemsize] for a in arrays]
    scalar = not isinstance(result[0] if isinstance(result, (tuple, list)) else result, np.ndarray)
    return {"arrays": described, "scalar": scalar}, [a.tobytes() for a in arrays]


def ask(expression):
    """The text of an expression's value, or the class of its exception."""
    try:
        return str(eval(expression, {"np": np, "scipy": scipy}))  # noqa: S307
    except Exception as error:
        return type(error).__name__


def features():
    """The instruction sets that this NumPy uses."""
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as found
    except ImportError:
        from numpy.core._multiarray_umath import __cpu_features__ as found
    return [name for name, has in found.items() if has]


def main():
    requests, replies = sys.stdin.buffer, sys.stdout.buffer

    def say(message, payload=()):
        replies.write(json.dumps(message).encode() + b"\n")
        for part in payload:
            replies.write(part)
        replies.flush()

    say({"numpy": np.__version__, "features": features(), "scipy": scipy is not None, "sparse": oracle_sparse.follows(), "bfloat16": ml_dtypes is not None})
    for line in requests:
        request = json.loads(line)
        if "evidence" in request:
            say({name: sorted({str(a) for a in answers()}) for name, answers in EVIDENCE.items()})
        elif "ask" in request:
            say(ask(request["ask"]))
        else:
            say(*answer(Case(request, requests)))


if __name__ == "__main__":
    main()
