"""Writes gpu/tests/data/format.json: texts that NumPy's functions of formatting give, with all of their options.

Run with Python and NumPy 2.4: python ci/golden_format.py
An array is its dtype, its shape and the bytes of its elements in C order (hexadecimal); options have NumPy's names.
"""

import json
import pathlib
import sys
import warnings

import numpy as np

if not np.__version__.startswith("2.4."):
    raise SystemExit(f"needs NumPy 2.4, not {np.__version__}")
warnings.simplefilter("ignore")

rng = np.random.default_rng(1324)
nan, inf = np.nan, np.inf
cases = []


def described(a):
    a = np.asarray(a, order="C")
    return {"dtype": a.dtype.name, "shape": a.shape, "bytes": a.tobytes().hex()}


def text(function, a, **options):
    cases.append({"function": function, **described(a), "options": options, "text": getattr(np, function)(np.asarray(a), **options)})


def under(a, **options):
    """str and repr with options of printing in force."""
    with np.printoptions(**options):
        cases.append({"function": "under", **described(a), "options": options, "text": str(a), "repr": repr(a)})


def scalar(function, x, **options):
    x = np.asarray(x)
    try:
        found = getattr(np, function)(x[()], **options)
    except (TypeError, ValueError):
        found = None
    cases.append({"function": function, **described(x), "options": options, "text": found})


FLOATS = ["float16", "float32", "float64"]
VALUES = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 2.675, 0.001, 0.005, 0.006, 0.0095, 0.9995, 9.995, 99.5, 123.456, 1999.999, 65504.0, 1e-7, 6e-8, nan, inf, -inf]
WIDE = [1e16, 123456789.125, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 1e-300, 4.35, 8.5e-15]
STYLES = [
    {},
    {"precision": 0},
    {"precision": 1},
    {"precision": 2},
    {"precision": 5},
    {"precision": 20},
    {"trim": "."},
    {"trim": "0"},
    {"trim": "-"},
    {"sign": True},
    {"pad_left": 6},
    {"min_digits": 4},
    {"precision": 2, "trim": "-"},
    {"precision": 2, "trim": "0"},
    {"precision": 0, "trim": "0"},
    {"precision": 0, "trim": "-"},
    {"precision": 3, "unique": False},
    {"precision": 3, "unique": False, "trim": "."},
    {"precision": 0, "unique": False},
    {"precision": 25, "unique": False},
    {"precision": 25, "unique": False, "trim": "0"},
    {"unique": False},
    {"precision": 5, "min_digits": 3},
    {"precision": 3, "min_digits": 3},
    {"precision": 2, "min_digits": 5},
    {"min_digits": 20},
    {"precision": 0, "min_digits": 2},
    {"sign": True, "pad_left": 5, "precision": 1},
]
POSITIONAL = STYLES + [
    {"pad_right": 4},
    {"pad_right": 0},
    {"pad_right": 4, "trim": "-"},
    {"pad_right": 0, "trim": "-"},
    {"pad_left": 4, "pad_right": 3, "precision": 2, "trim": "."},
    {"fractional": False, "precision": 1},
    {"fractional": False, "precision": 3},
    {"fractional": False, "precision": 0},
    {"fractional": False, "precision": 4, "unique": False},
    {"fractional": False, "precision": 4, "unique": False, "trim": "-"},
    {"fractional": False, "min_digits": 6},
    {"fractional": False, "precision": 2, "trim": "0"},
    {"fractional": False, "precision": 12, "min_digits": 8, "trim": "k"},
]
SCIENTIFIC = STYLES + [{"exp_digits": 1}, {"exp_digits": 3}, {"exp_digits": 5}, {"exp_digits": 8}, {"exp_digits": 0}]
with np.errstate(over="ignore"):
    for d in FLOATS:
        values = VALUES + (WIDE if d == "float64" else [3.4e38, 1e-45, 16777216.0] if d == "float32" else [])
        for styles, function in [(POSITIONAL, "format_float_positional"), (SCIENTIFIC, "format_float_scientific")]:
            for style in styles:
                # Not each with each: a fifth of the numbers, others for each style.
                for x in rng.permutation(values)[: len(values) // 5]:
                    scalar(function, np.asarray(x).astype(d), **style)
            for _ in range(25):
                bits = rng.integers(0, np.iinfo(d.replace("float", "uint")).max, (), dtype=d.replace("float", "uint"), endpoint=True)
                scalar(function, np.asarray(bits).view(d), **styles[rng.integers(len(styles))])

ARRAYS = [
    np.array([1.0, 2.5, -3.25]),
    np.array([[0.1, 1 / 3], [1e-9, 2 / 3]]),
    np.array([1e10, 1.5]),
    np.array([nan, inf, -inf, 1.5]),
    np.array([nan, 2.0]),
    np.array([inf]),
    np.array([nan, nan]),
    np.array([0.0]),
    np.array([1e-5, 1.0]),
    np.array([1e-5, 1e-7]),
    np.array([1e300, 1e-300]),
    np.arange(12).reshape(3, 4),
    np.array([-5, 100]),
    np.array([5, 100]),
    np.array([-5, -7]),
    np.array([True, False]),
    np.array(True),
    np.array([1 + 2j, -0.5 + 1e-3j]),
    np.array([complex(nan, -inf), 1e5j]),
    np.array(1.23456789012),
    np.array(7),
    np.array(-1.5 + 2j),
    np.array([1.5, 1 / 3], "float32"),
    np.array([1000.5, 1 / 3], "float16"),
    np.arange(30) / 7,
    np.arange(30),
    np.zeros((0, 3)),
    np.zeros(0),
    np.arange(24).reshape(2, 3, 4) / 4,
    np.array([[1.123456789, 12.1]]),
    np.array([1e-3, 1e3]),
    np.array([1e15, 1.0]),
    np.array([0.99999, 0.9]),
]
OPTIONS = [
    {"precision": 0},
    {"precision": 2},
    {"precision": 12},
    {"suppress": True},
    {"precision": 3, "suppress": True},
    {"linewidth": 20},
    {"linewidth": 1},
    {"nanstr": "not a number"},
    {"infstr": "Infinity"},
    {"nanstr": "-", "infstr": "oo"},
    {"sign": "+"},
    {"sign": " "},
    {"floatmode": "fixed"},
    {"floatmode": "fixed", "precision": 3},
    {"floatmode": "unique"},
    {"floatmode": "unique", "precision": 1},
    {"floatmode": "maxprec_equal"},
    {"floatmode": "maxprec_equal", "precision": 4},
    {"floatmode": "maxprec", "precision": 1},
    {"floatmode": "fixed", "sign": "+", "suppress": True},
    {"floatmode": "fixed", "sign": " ", "precision": 0},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 2, "linewidth": 30},
    {"threshold": 0},
    {"threshold": 5, "edgeitems": 0},
]
for options in OPTIONS:
    for i in rng.permutation(len(ARRAYS))[:14]:
        under(ARRAYS[i], **options)
for a in ARRAYS:
    under(a, floatmode="fixed", sign=" ")
    text("array2string", a, separator=", ")
    text("array2string", a, precision=3, floatmode="fixed", separator=",")
    text("array2string", a, separator="; ", prefix="name = ", suffix=";", max_line_width=24)
    text("array2string", a, separator="", suppress_small=True, sign="+")
    text("array2string", a, threshold=4, edgeitems=2, separator="\t")
    text("array_repr", a, precision=2, suppress_small=True)
    text("array_repr", a, max_line_width=18)
    text("array_str", a, precision=1)
    text("array_str", a, max_line_width=10)
text("array2string", np.arange(3000.0).reshape(30, 100), threshold=5000, max_line_width=120)
text("array2string", np.arange(3000.0).reshape(30, 100), edgeitems=1)
text("array2string", rng.standard_normal((3, 40)), edgeitems=12, threshold=50)

own = pathlib.Path(__file__).parent.parent / "gpu/tests/data/format.json"
out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else own
with out.open("w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(len(cases), "cases", out.stat().st_size)
