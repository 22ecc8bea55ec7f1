"""Writes tests/tests/manipulation/golden.json: arrays put together, inserted into and deleted from, as NumPy does it.

Run with Python and NumPy 2.4: python ci/golden_manipulation.py
It holds what the cases of matrix.yaml cannot say: nested blocks, slices and masks of indices, layouts of many arrays. An
array is its dtype, its shape, how it is seen (`T`, `-1`: backwards along the last axis) and counts from a first number on.
A result is its dtype, its shape, its strides where an axis has several elements, and its elements.
"""

import json
import pathlib

import numpy as np

if not np.__version__.startswith("2.4."):
    raise SystemExit(f"needs NumPy 2.4, not {np.__version__}")

rng = np.random.default_rng(13)
DTYPES = ["int8", "int64", "float32", "float64", "uint16"]


def described(shape, dtype=None, seen=None, first=None):
    """How an array is written down."""
    return {
        "dtype": dtype or str(rng.choice(DTYPES)),
        "shape": list(shape),
        "seen": str(rng.choice(["", "T", "-1"])) if seen is None else seen,
        "first": int(rng.integers(0, 50)) if first is None else first,
    }


def made(a):
    shape = a["shape"][::-1] if a["seen"] == "T" else a["shape"]
    array = np.arange(a["first"], a["first"] + int(np.prod(shape))).astype(a["dtype"]).reshape(shape)
    if a["seen"] == "T":
        return array.T
    return array[..., ::-1] if a["seen"] == "-1" and array.ndim else array


def nested(blocks):
    return made(blocks) if isinstance(blocks, dict) else [nested(b) for b in blocks]


def result(a):
    strides = [int(s) if n > 1 else 0 for n, s in zip(a.shape, a.strides)] if a.size else []
    return {"dtype": str(a.dtype), "shape": list(a.shape), "strides": strides, "elements": a.astype("float64").ravel().tolist()}


cases = []


def case(call, want, **options):
    cases.append({"call": call, **options, "want": result(want)})


for i in range(60):
    ndim = int(rng.integers(1, 5))
    shape = [int(n) for n in rng.integers(1, 4, ndim)]
    axis = int(rng.integers(0, ndim))
    arrays = []
    for _ in range(1 + i % 8):
        own = list(shape)
        own[axis] = int(rng.integers(0, 4))
        arrays.append(described(own))
    case("concatenate", np.concatenate([made(a) for a in arrays], axis), arrays=arrays, axis=axis)

for _ in range(20):
    rows, columns = rng.integers(1, 4, 2), rng.integers(1, 4, 3)
    blocks = [[described((int(r), int(c))) for c in columns] for r in rows]
    case("block", np.block(nested(blocks)), blocks=blocks)
cube = [[[described((2,)), described((3,))]], [[described((1,)), described((4,))]]]
case("block", np.block(nested(cube)), blocks=cube)

for _ in range(60):
    shape = [int(n) for n in rng.integers(1, 7, int(rng.integers(1, 4)))]
    axis = int(rng.integers(0, len(shape)))
    n = shape[axis]
    a = described(shape)
    bounds = [None if rng.random() < 0.3 else int(rng.integers(-n - 1, n + 2)) for _ in range(2)]
    step = int(rng.choice([1, 2, 3, -1, -2]))
    slice_ = slice(*bounds, step)
    case("delete slice", np.delete(made(a), slice_, axis), array=a, axis=axis, slice=[*bounds, step])
    count = len(range(*slice_.indices(n)))
    inserted = list(shape)
    inserted[axis] = count
    values = described(inserted, seen="")
    case("insert slice", np.insert(made(a), slice_, made(values), axis), array=a, axis=axis, slice=[*bounds, step], values=values)
    mask = [bool(b) for b in rng.random(n) < 0.5]
    case("delete mask", np.delete(made(a), np.array(mask), axis), array=a, axis=axis, mask=mask)

lines = ",\n".join(json.dumps(c) for c in cases)
target = pathlib.Path(__file__).parent.parent / "tests/tests/manipulation/golden.json"
target.parent.mkdir(exist_ok=True)
target.write_text(f"[\n{lines}\n]\n")
