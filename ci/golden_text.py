"""Writes gpu/tests/data/text.json: arrays, and what NumPy's str and repr make of them.

Run with Python and NumPy 2.4: python ci/golden_text.py
An array is its dtype, its shape, the bytes of its elements in C order (hexadecimal) and its two texts.
"""

import json
import pathlib

import numpy as np

if not np.__version__.startswith("2.4."):
    raise SystemExit(f"needs NumPy 2.4, not {np.__version__}")

nan, inf = np.nan, np.inf
rng = np.random.default_rng(20240)
cases = []


def case(a):
    a = np.asarray(a, order="C")
    cases.append({"dtype": a.dtype.name, "shape": a.shape, "bytes": a.tobytes().hex(), "str": str(a), "repr": repr(a)})


INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]

# Empty and 0-d arrays of every dtype, small ones.
for d in ["bool"] + INTS + FLOATS + COMPLEX:
    case(np.zeros(0, d))
    case(np.array(1, d))
    case(np.arange(6).astype(d).reshape(2, 3))
for shape in [(0, 3), (3, 0), (2, 0, 4), (1, 1, 0)]:
    case(np.zeros(shape, "float32"))
    case(np.zeros(shape, "int64"))

# Integers: the widest decides, signs count.
for d in INTS:
    info = np.iinfo(d)
    case(np.array([info.min, 0, info.max], d))
    case(np.array([info.min, info.max], d)[0])
case(np.array([-1, 10, 100]))
case(np.array([[-100], [7]]))
case(np.array([True, False]))
case(np.array([[True], [True]]))
case(np.array(False))

# Floats: points in line, precision, switch to exponents.
FLOAT_LISTS = [
    [1.0, 2.5, 3.25],
    [0.1, 0.2, 0.3],
    [1 / 3, 2 / 3, 1e-3],
    [1.0, 1000.0],
    [1.0, 1001.0],
    [0.001, 1.0],
    [0.0009, 1.0],
    [1e-4],
    [9e-5],
    [1e-5, 0.0],
    [99999.0],
    [1e6],
    [999999.0],
    [1e7, 1e6],
    [99999999.0, 99999998.0],
    [1e8],
    [123456789.0],
    [0.0, -0.0],
    [-0.0],
    [-1.5, 2.0],
    [-1.0, 10.0, -100.0],
    [nan],
    [inf],
    [-inf],
    [nan, 1.0],
    [inf, -1.0],
    [-inf, 1.0],
    [nan, inf, -inf],
    [nan, 1.5, -inf, 1000.25],
    [inf, 1e10],
    [nan, 1e-10, -1.0],
    [1e300, 1.0],
    [65504.0, 6.1e-5],
    [6e-8],
    [2048.0, 2049.0],
    [3.14159265358979],
    [2.71828182845905e-7, 1.0],
    [1e16],
    [1.1e16, 1.0],
    [123456.789, 0.5],
    [0.123456789, 0.987654321],
    [0.000123456789],
    [5e-324],
    [1.7976931348623157e308],
    [1e22, 1e23],
    [-63562.0625],
    [2222404.25],
    [1.5, nan, 2.25, inf],
    [100.0, 0.1],
    [12345678.9],
    [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625],
    [1.000000005, 1.000000015],
    [2.5e-9, 1.0, 3e5],
    [999.9999, 1.0],
    [1000.0, 999.0],
    [1e100, 1e5],
    [1e-100, 1e-5],
]
with np.errstate(over="ignore"):
    for values in FLOAT_LISTS:
        for d in FLOATS:
            case(np.array(values).astype(d))
            if len(values) == 1:
                case(np.array(values[0]).astype(d))
for d in FLOATS:
    for x in [1e15, 1e16, 9999999999999998.0, 0.0001, 0.00009999, 1.5, -2.0, 1e-7, 123456.7, 16777216.0, 0.1, 65504.0]:
        with np.errstate(over="ignore"):
            case(np.array(x).astype(d))
    case(rng.standard_normal((3, 4)).astype(d))
    case(rng.standard_normal((2, 2, 3)).astype(d))
    case((rng.standard_normal(30) * 10).astype(d))
    case((10.0 ** rng.integers(-4, 4, 25)).astype(d))
    case(rng.integers(0, 9, (3, 30)).astype(d))

# Every kind of bit pattern.
for d, bits in [("float16", "uint16"), ("float32", "uint32"), ("float64", "uint64")]:
    for _ in range(6):
        case(rng.integers(0, np.iinfo(bits).max, 5, dtype=bits, endpoint=True).view(d))
    for _ in range(12):
        case(rng.integers(0, np.iinfo(bits).max, (), dtype=bits, endpoint=True).astype(bits).view(d)[()] + np.zeros((), d))

# Complex numbers.
Z = [
    [1 + 2j],
    [1j, -1j],
    [0j, complex(-0.0, -0.0)],
    [1.5 - 2.25j, 100 + 0.5j],
    [complex(nan, 1), 1 + 1j],
    [complex(1, nan)],
    [complex(inf, -inf), 0j],
    [complex(-inf, nan)],
    [1e10 + 1j, 1 + 1e-10j],
    [0.1 + 0.2j, 3 - 4j],
    [complex(0, inf)],
    [complex(1e-9, 1000), 2 + 3j],
    [complex(nan, nan)],
    [complex(-1.5, 0)],
    [1e16 + 1e-5j],
]
with np.errstate(over="ignore", invalid="ignore"):
    for values in Z:
        for d in COMPLEX:
            case(np.array(values).astype(d))
            case(np.array(values[0]).astype(d))
    for d in COMPLEX:
        case((rng.standard_normal((4, 5)) + 1j * rng.standard_normal((4, 5))).astype(d))

# Long rows, deep nests.
case(np.arange(100))
case(np.arange(100, dtype="int8"))
case(np.arange(40).reshape(2, 20) * 12345)
case(np.arange(24).reshape(2, 3, 4))
case(np.arange(16).reshape(2, 2, 2, 2))
case(np.arange(64, dtype="float32").reshape((2,) * 6))
case(np.zeros((1,) * 12))
case(np.ones((3, 1, 2), "bool"))
case(np.arange(30) % 3 == 0)
case(np.arange(60).astype("float32").reshape(2, 30) / 7)
for n in range(20, 29):
    case(np.arange(n, dtype="uint8"))
for n in range(14, 22):
    case(np.arange(n) + 0.5)
    case((np.arange(n) + 0.5).astype("float32"))

# What is left out.
case(np.arange(1000, dtype="int16"))
case(np.arange(1001, dtype="int16"))
case(np.arange(1200, dtype="int16").reshape(30, 40))
case(np.arange(1200, dtype="int16").reshape(6, 200))
case(np.arange(1200, dtype="int16").reshape(200, 6))
case((np.arange(1024) % 7).astype("int8").reshape((4,) * 5))
case((np.arange(1024) % 2 == 0).reshape((2,) * 10))
case((np.arange(1536) % 100).astype("uint8").reshape(8, 12, 16))
case((np.arange(1002) - 500.5).astype("float16"))
case((np.arange(1100) % 2 == 0).reshape(11, 100))
big = np.zeros(1500, "float16")
big[700] = 1000
case(big)
big[2] = 0.001
case(big.reshape(15, 100))

out = pathlib.Path(__file__).parent.parent / "gpu/tests/data/text.json"
with out.open("w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(len(cases), "cases")
