"""Writes gpu/tests/io.json: files that NumPy wrote, and what NumPy's readers and writers of text make.

Run with Python and NumPy 2.4: python ci/golden_io.py
Bytes are hexadecimal; an array is its dtype, its shape and the bytes of its elements in C order. What NumPy rejects is null.
"""

import io
import json
import os
import pathlib
import sys
import tempfile
import warnings

import numpy as np
from numpy.lib import format as npy

if not np.__version__.startswith("2.4."):
    raise SystemExit(f"needs NumPy 2.4, not {np.__version__}")
warnings.simplefilter("ignore")

cases = []
DTYPES = "? b B h H i I l L e f d F D".split()


def described(a):
    if a is None:
        return None
    a = np.asarray(a)
    # The elements in the order of bytes that arrays have.
    a = a.astype(a.dtype.newbyteorder("="), order="C")
    return {"dtype": a.dtype.name, "shape": a.shape, "bytes": a.tobytes().hex()}


def file(kind, data, a, **more):
    cases.append({"kind": kind, "file": data.hex(), "array": described(a), **more})


def saved(a, version=None):
    out = io.BytesIO()
    npy.write_array(out, a, version=version, allow_pickle=False)
    return out.getvalue()


def numbers(dtype, shape):
    n = int(np.prod(shape))
    if dtype == "?":
        return (np.arange(n) % 3 == 0).reshape(shape)
    a = (np.arange(n) * 37 % 101).astype(dtype)
    if dtype in "bhilefdFD":
        a = a - np.asarray(50, dtype)
    if dtype in "efdFD":
        a = a / np.asarray(8, dtype)
    if dtype in "FD":
        a = a + np.asarray(1j, dtype) * a[::-1]
    return a.astype(dtype).reshape(shape)


# The same bytes that we write: C, Fortran, both, neither, without axes, without elements.
for d in DTYPES:
    file("npy", saved(numbers(d, (2, 3))), numbers(d, (2, 3)), same=True)
    file("npy", saved(np.asfortranarray(numbers(d, (3, 2)))), numbers(d, (3, 2)), order="F", same=True)
    swapped = numbers(d, (2, 2)).astype(np.dtype(d).newbyteorder(">"))
    file("npy", saved(swapped), swapped)
for shape in [(), (0,), (1,), (0, 3), (3, 0), (5, 1), (1, 5), (2, 3, 4), (1,) * 20, (12345,)[:0] + (100,)]:
    file("npy", saved(numbers("h", shape)), numbers("h", shape), same=True)
file("npy", saved(np.asfortranarray(numbers("d", (2, 3, 4)))), numbers("d", (2, 3, 4)), order="F", same=True)
file("npy", saved(np.asfortranarray(numbers("d", (2, 3, 4)).astype(">f8"))), numbers("d", (2, 3, 4)))
for version in [(1, 0), (2, 0), (3, 0)]:
    file("npy", saved(numbers("f", (4,)), version), numbers("f", (4,)))
file("npy", saved(numbers("i", (3,))) + b"what is behind", numbers("i", (3,)))
bf16 = np.array([1.0, -2.5, 0.15625], "f4")
words = (bf16.view("u4") >> 16).astype("u2")
cases.append({"kind": "npy", "file": saved(words.view("V2")).hex(), "array": {"dtype": "bfloat16", "shape": [3], "bytes": words.tobytes().hex()}})


def header(text, data=b"\0" * 64, version=b"\1\0"):
    text = text.encode("latin1")
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text + data


def loaded(data):
    try:
        a = np.load(io.BytesIO(data))
    except Exception:
        return None
    return a if isinstance(a, np.ndarray) and a.dtype.char in DTYPES else None


GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
for text in [
    GOOD,
    GOOD.replace("'", '"'),
    "  " + GOOD,
    GOOD + "\n\n",
    GOOD.replace("(2,)", "(2, 2)"),
    GOOD.replace("(2,)", "(2,2,)"),
    GOOD.replace("(2,)", "( 2 , )"),
    GOOD.replace("'<f8'", "'f8'"),
    GOOD.replace("'<f8'", "'=f8'"),
    GOOD.replace("'<f8'", "'|b1'"),
    GOOD.replace("'<f8'", "'?'"),
    GOOD.replace(", }", "}"),
    GOOD.replace("(2,)", "()"),
    GOOD.replace("(2,)", "2"),
    GOOD.replace("(2,)", "(2)"),
    GOOD.replace("(2,)", "[2]"),
    GOOD.replace("(2,)", "(-2,)"),
    GOOD.replace("(2,)", "(2.0,)"),
    GOOD.replace("(2,)", "(99,)"),
    GOOD.replace("(2,)", "(9999999999999,)"),
    GOOD.replace("(2,)", "(99999999999999999999999999,)"),
    GOOD.replace("(2,)", "(4294967296, 4294967296, 4)"),
    GOOD.replace("False", "0"),
    GOOD.replace("False", "None"),
    GOOD.replace("'<f8'", "'O'"),
    GOOD.replace("'<f8'", "'|O'"),
    GOOD.replace("'<f8'", "'<U3'"),
    GOOD.replace("'<f8'", "'|S3'"),
    GOOD.replace("'<f8'", "'<M8[s]'"),
    GOOD.replace("'<f8'", "'<f16'"),
    GOOD.replace("'<f8'", "'<x8'"),
    GOOD.replace("'<f8'", "'<f8"),
    GOOD.replace("'<f8'", "[('a', '<f8')]"),
    GOOD.replace("'descr'", "'dtype'"),
    GOOD.replace("'shape': (2,), ", ""),
    "",
    "{}",
    "[]",
    "{'descr': '<f8'",
    GOOD + "x",
    GOOD[1:],
    "{,}",
    GOOD.replace("'shape': (2,)", "'shape': (2,), 'more': 1"),
    GOOD.replace("'<f8'", "8"),
    GOOD.replace("(2,)", "(2 3)"),
    GOOD.replace("(2,)", "(2,,)"),
    "{'descr': '<f8'; 'shape': (2,)}",
]:
    data = header(text)
    file("header", data, loaded(data))
for data in [
    b"",
    b"\x93NUM",
    b"\x93NUMPY",
    b"\x93NUMPY\1",
    b"\x93NUMPY\1\0",
    b"\x93NUMPY\1\0\1",
    b"\x93NUMPY\4\0\0\0",
    b"\x93NUMPY\2\0\xff\xff\xff\xff",
    header(GOOD)[:30],
    header(GOOD, b"\0" * 15),
    b"\x80\4K\1.",
    b"text",
    header(GOOD, version=b"\2\0"),
    header(GOOD, version=b"\3\0"),
    header(GOOD, version=b"\1\1"),
]:
    file("header", data, loaded(data))

# Archives.
for save in [np.savez, np.savez_compressed]:
    out = io.BytesIO()
    arrays = {"x": numbers("d", (2, 3)), "y": np.asfortranarray(numbers("H", (3, 2))), "empty": np.zeros((0, 2), "F"), "one": np.array(True)}
    save(out, numbers("b", (300,)), **arrays)
    arrays = {**arrays, "arr_0": numbers("b", (300,))}
    # As np.load names them, in the order of the archive.
    names = list(np.load(io.BytesIO(out.getvalue())).files)
    cases.append({"kind": "npz", "file": out.getvalue().hex(), "arrays": {name: described(arrays[name]) for name in names}})


def read(function, data, **options):
    try:
        a = getattr(np, function)(io.StringIO(data, newline=None), **{**options, **({"dtype": np.dtype(options["dtype"])} if options.get("dtype") else {})})
        a = described(a) if a.dtype.kind in "?biufc" else None
    except Exception:
        a = None
    cases.append({"kind": function, "text": data, "options": options, "array": a})


COMMA = {"delimiter": ","}
for data, options in [
    ("1 2\n3 4\n", {}),
    ("1\t2  3", {}),
    ("1\x0c2", {}),
    ("inf nan -Infinity +1e5 .5 5. 1e400 -0", {}),
    ("1.5", {"dtype": "int64"}),
    ("1 2 3", {"dtype": "int8"}),
    ("300", {"dtype": "int8"}),
    ("-1", {"dtype": "uint8"}),
    ("2 0 1", {"dtype": "bool"}),
    ("True", {"dtype": "bool"}),
    ("1_000", {}),
    ("0x10", {}),
    ("--1", {}),
    ("+5", {"dtype": "int32"}),
    ("1e3", {"dtype": "int64"}),
    ("18446744073709551615", {"dtype": "uint64"}),
    ("99999999999999999999", {"dtype": "int64"}),
    ("-9223372036854775808", {"dtype": "int64"}),
    ("1e5 0.1", {"dtype": "float16"}),
    ("0.1 16777217", {"dtype": "float32"}),
    ("(1+2j) 3-4j 5 2j (1) 1e3+4e-2j", {"dtype": "complex128"}),
    ("1+2i", {"dtype": "complex128"}),
    ("( 1+2j )", {"dtype": "complex128", **COMMA}),
    ("1 + 2j", {"dtype": "complex128", **COMMA}),
    ("nan+infj", {"dtype": "complex64"}),
    ("(1", {"dtype": "complex64"}),
    ("1+2j3", {"dtype": "complex64"}),
    ("", {}),
    ("", {"usecols": [0, 1]}),
    ("", {"ndmin": 2}),
    ("", {"ndmin": 1}),
    ("1", {}),
    ("1", {"ndmin": 1}),
    ("1", {"ndmin": 2}),
    ("1 2", {"ndmin": 2}),
    ("1\n2", {"ndmin": 2}),
    ("1\n2", {"ndmin": 1}),
    ("1\n2", {}),
    ("1", {"ndmin": 3}),
    ("1 2\n3 4", {"unpack": True}),
    ("1 2 3", {"unpack": True}),
    ("1,2,", COMMA),
    ("1,,2", COMMA),
    (" 1 , 2 ", COMMA),
    ("1 2\n3", {}),
    ("1 2\n3 x", {}),
    ("1,2\n\n3,4", COMMA),
    ("1,2\n  \n3,4", COMMA),
    ("1,2\n # c\n3,4", COMMA),
    ("1,2\n# c\n3,4#x", COMMA),
    ("1 2 3", {"usecols": [-1, 0]}),
    ("1 2 3", {"usecols": [5]}),
    ("1 2 3", {"usecols": [1]}),
    ("1 2 3", {"usecols": [0, 0]}),
    ("1 2\n3 4 5", {"usecols": [0, 1]}),
    ("1 2\n3", {"usecols": [0, 1]}),
    ('"1",2\n3,"4"', {"quotechar": '"', **COMMA}),
    ('"1,2",3', {"quotechar": '"', **COMMA}),
    ('"1" "2"\n3 4', {"quotechar": '"'}),
    ('"1\n",2', {"quotechar": '"', **COMMA}),
    ('"1#5",2', {"quotechar": '"', **COMMA}),
    ('1"2",3', {"quotechar": '"', **COMMA}),
    ('""1,2', {"quotechar": '"', **COMMA}),
    ('"1', {"quotechar": '"'}),
    ('"1"# c\n2', {"quotechar": '"'}),
    ('""\n1', {"quotechar": '"'}),
    ("1 // c\n2", {"comments": ["//"]}),
    ("1 % c ! d\n2", {"comments": ["%", "!"]}),
    ("1 # c", {"comments": None}),
    ("1#2", {"delimiter": "#"}),
    ("# a\n1\n# b\n2\n3", {"skiprows": 1, "max_rows": 2}),
    ("1 2\n3 4", {"skiprows": 5}),
    ("1 2\n3 4", {"max_rows": 0}),
    ("1 2\n3 4\n5 6", {"max_rows": 2, "skiprows": 1}),
    ("1 2\r\n3 4\r\n", {}),
    ("1 2\r3 4\n5 6", {}),
    ("1;2;3", {"delimiter": ";"}),
    ("1\t\t2", {"delimiter": "\t"}),
    ("1 2 \n 3 4", {}),
    ("1  2", {"delimiter": " "}),
    ("a b", {}),
    ("1,2\n3;4", COMMA),
]:
    read("loadtxt", data, **options)
for data, options in [
    ("1,-999,x", {"missing_values": "-999", "filling_values": 0, **COMMA}),
    ("1,-999,x", {"missing_values": "-999", "filling_values": 0, "loose": False, **COMMA}),
    ("1,,3\n4,5,6", COMMA),
    ("1,,3\n4,5,6", {"dtype": "int64", **COMMA}),
    ("1,,3", {"dtype": "bool", **COMMA}),
    ("True,false,1,0, TRUE", {"dtype": "bool", **COMMA}),
    ("1,,3", {"dtype": "complex128", **COMMA}),
    ("1,,3", {"dtype": None, **COMMA}),
    ("1,2.5,3", {"dtype": None, **COMMA}),
    ("1,2\n3.5,4.5", {"dtype": None, **COMMA}),
    ("1,2\n3,4.5", {"dtype": None, **COMMA}),
    ("True,False", {"dtype": None, **COMMA}),
    ("1+2j,3j", {"dtype": None, **COMMA}),
    ("a,b", {"dtype": None, **COMMA}),
    ("99999999999999999999", {"dtype": None}),
    ("1,N/A", {"dtype": None, "missing_values": "N/A", "filling_values": 5, **COMMA}),
    ("1,,N/A", {"missing_values": "N/A", "filling_values": 8, "loose": False, **COMMA}),
    ("-1,NA,3", {"missing_values": "NA", "filling_values": 9, **COMMA}),
    ("1,x,3", COMMA),
    ("1,x,3", {"loose": False, **COMMA}),
    ("1,,3", {"loose": False, **COMMA}),
    ("1,2\n3", COMMA),
    ("1,2\n3", {"invalid_raise": False, **COMMA}),
    ("1,2\n3\n4,5,6", COMMA),
    ("1,2\n3\n4,5,6\n7,8", {"invalid_raise": False, **COMMA}),
    ("h\n1 2\n3 4\nf", {"skip_header": 1, "skip_footer": 1}),
    ("1 2\n3 4", {"max_rows": 1}),
    ("1 2\n3 4", {"max_rows": 1, "skip_footer": 1}),
    ("  1 2 # c\n\n# z\n3 4", {}),
    ("1,2\n3,4\n5", {"skip_footer": 1, **COMMA}),
    ("1 2\n3 4", {"skip_footer": 5}),
    ("5\n1,2\n3,4", {"skip_footer": 1, "skip_header": 1, **COMMA}),
    ("1,2\n3\n4,5\n6,7", {"skip_footer": 2, **COMMA}),
    ("1,2\n3,4\n5\n6\n", {"skip_footer": 3, **COMMA}),
    ("123456\n789012", {"delimiter": 2}),
    ("123456789", {"delimiter": [1, 3, 2]}),
    ("12 45 ", {"delimiter": 3}),
    ("1;;2", {"delimiter": ";;"}),
    ("1 2 3", {"usecols": [0, -1]}),
    ("1 2 3", {"usecols": [0, 7]}),
    ("1 2\n3 4", {"unpack": True}),
    ("1", {}),
    ("1", {"ndmin": 2}),
    ("", {}),
    ("1 2", {"ndmin": 2}),
    ("1\n2", {}),
    ("1 2", {"ndmin": 1}),
    ("1\n2", {"ndmin": 2}),
    ("1_000,2", COMMA),
    ("1_,2", COMMA),
    ("1.5,2", {"dtype": "int64", **COMMA}),
    ("1.5,2", {"dtype": "int64", "loose": False, **COMMA}),
    ("300,2", {"dtype": "int8", **COMMA}),
    ("x,2", {"dtype": "uint8", **COMMA}),
    ("1e400,1e39", {"dtype": "float32", **COMMA}),
    (" 1 , 2 ", COMMA),
    ("1,2", {"dtype": "float16", **COMMA}),
    ("inf,nan,-Infinity", COMMA),
    ("1+2j, (3+4j),1 + 2j", {"dtype": "complex128", **COMMA}),
    ("0x10", {}),
    ("1,2\n3", {"usecols": [0, 1], **COMMA}),
    ("1,2\n3,4,5", {"usecols": [0, 1], **COMMA}),
    ("1 2 \n3 4", {"delimiter": " "}),
    ("1  2", {"delimiter": " "}),
    ("1,2 # c\n3,4", {"comments": "# "}),
    ("1 # 2", {"comments": None}),
    ("a, b ,c\n1, 2 ,3", {"skip_header": 1, "autostrip": True, **COMMA}),
    ("true ,false", {"dtype": "bool", "autostrip": True, **COMMA}),
    ("true ,false", {"dtype": "bool", **COMMA}),
]:
    read("genfromtxt", data, **options)


def written(x, **options):
    out = io.StringIO(newline="")
    try:
        np.savetxt(out, x, **options)
        text = out.getvalue()
    except Exception:
        text = None
    cases.append({"kind": "savetxt", "array": described(x), "options": options, "text": text})


values = np.array([[1.5, -2.25, 0.0], [1e10, -1e-10, 123456.789]])
special = np.array([[np.nan, np.inf, -np.inf], [-0.0, 5e-324, 1e308]])
integers = np.array([[1, -20, 300], [-7, 0, 255]])
z = np.array([[1 + 2j, -0.5 - 3j]])
for fmt in [
    "%.18e",
    "%d",
    "%i",
    "%5d",
    "%-5d|",
    "%05d",
    "%+d",
    "% d",
    "%.3d",
    "%f",
    "%.0f",
    "%#.0f",
    "%10.3f",
    "%-10.2f|",
    "%010.2f",
    "%+.2e",
    "%E",
    "%g",
    "%G",
    "%.3g",
    "%#.3g",
    "%.0g",
    "%s",
    "%10s",
    "%-8s|",
    "%.3s",
    "%5.1f%%",
    "%x",
    "%X",
    "%#x",
    "%o",
    "%#o",
    "%08x",
    "%#08x",
    "%q",
    "abc",
    "%",
    "%ld",
    "%5",
    "%5.2",
]:
    for x in [values, special, integers, np.array([True, False])]:
        written(x, fmt=fmt)
    written(np.array([0.1, 1 / 3], "float32"), fmt=fmt)
    written(z, fmt=fmt)
for x, options in [
    (np.arange(3), {}),
    (np.eye(2), {"fmt": "%d", "delimiter": ",", "header": "a\nb", "footer": "c"}),
    (z, {"fmt": "%.1f %.1f, %.1f %.1f"}),
    (np.eye(2), {"fmt": ["%d", "%.1f"], "delimiter": ";", "newline": "|"}),
    (np.eye(2), {"fmt": "%d %d %d"}),
    (np.zeros((2, 2, 2)), {}),
    (np.eye(2), {"fmt": ["%d"]}),
    (np.array(5.0), {}),
    (np.zeros((0, 3)), {}),
    (np.zeros((2, 0)), {}),
    (np.array([[1, 2]]), {"fmt": "%d-%5.2f", "delimiter": "XX", "comments": "//", "header": "h"}),
    (np.asfortranarray(values), {"fmt": "%g"}),
    (values[:, ::-1], {"fmt": "%g", "delimiter": "\t"}),
]:
    written(x, **options)


def binary(data, **options):
    with tempfile.NamedTemporaryFile(delete=False) as f:
        f.write(data)
    try:
        a = described(np.fromfile(f.name, **{**options, **({"dtype": np.dtype(options["dtype"])} if "dtype" in options else {})}))
    except Exception:
        a = None
    os.unlink(f.name)
    cases.append({"kind": "fromfile", "file": data.hex(), "options": options, "array": a})


for data, options in [
    (b"1 2  3", {"sep": " "}),
    (b"1,2, 3 ,4", {"sep": ","}),
    (b"1, 2,x", {"sep": ","}),
    (b"1 2 3", {"sep": " ", "count": 2}),
    (b"1 2", {"sep": " ", "count": 5}),
    (b"", {"sep": " "}),
    (b"1,2,", {"sep": ","}),
    (b"1 2 3", {"sep": ","}),
    (b"1.5 2", {"sep": " ", "dtype": "int64"}),
    (b"1 ; 2;3", {"sep": " ; "}),
    (b"300 2", {"sep": " ", "dtype": "int8"}),
    (b"1 0 3", {"sep": " ", "dtype": "bool"}),
    (b"1+2j 3", {"sep": " ", "dtype": "complex128"}),
    (b"abc", {"sep": " "}),
    (b" 1\n2\t3 ", {"sep": " "}),
    (b"1 2", {"sep": " ", "offset": 1}),
    (b"1 2 3", {"sep": " ", "count": 0}),
    (b"1,,2", {"sep": ","}),
    (b"nan inf -1e-3", {"sep": " ", "dtype": "float32"}),
    (b"12345678901", {"dtype": "uint8", "offset": 3, "count": 2}),
    (b"12345", {"dtype": "uint16"}),
    (b"12345678", {"dtype": "uint16", "count": 3}),
    (b"1234", {"dtype": "uint16", "count": 5}),
    (b"1234", {"dtype": "uint16", "offset": 9}),
    (b"1234", {"dtype": "uint16", "count": 0}),
    (b"1234", {"dtype": "uint8", "offset": 4}),
    (b"", {}),
    (b"12345678" * 3, {}),
]:
    binary(data, **options)
for a, options in [
    (values, {"sep": ","}),
    (special, {"sep": " "}),
    (np.array([1, 2]), {"sep": " ", "format": "%5d|"}),
    (np.array([1.5, 2]), {"sep": " ", "format": "%.3e"}),
    (np.array([True]), {"sep": " "}),
    (np.array([1 + 2j, 2, -1j]), {"sep": " "}),
    (np.array([0.1, 2], "f4"), {"sep": ","}),
    (np.array([0.1, 2], "e"), {"sep": ",", "format": "%s"}),
    (np.asfortranarray(values), {}),
    (values[:, ::2], {}),
    (np.zeros(0), {"sep": ","}),
    (np.array(7, "b"), {}),
]:
    with tempfile.NamedTemporaryFile(delete=False) as f:
        pass
    a.tofile(f.name, **options)
    cases.append({"kind": "tofile", "array": described(a), "options": options, "file": pathlib.Path(f.name).read_bytes().hex()})
    os.unlink(f.name)

own = pathlib.Path(__file__).parent.parent / "gpu/tests/io.json"
out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else own
with out.open("w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(len(cases), "cases", out.stat().st_size, "bytes")
