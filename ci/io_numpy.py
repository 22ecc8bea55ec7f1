"""Reads with NumPy what the test `files_for_numpy_are_written` wrote: io_numpy.py FOLDER."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
seen = 0


def expect(found, dtype, name):
    global seen
    want = (np.arange(12) % 5).reshape(3, 4).astype("f4" if dtype == "bfloat16" else dtype)
    if found.dtype.kind == "V":
        # bfloat16 is the upper half of a float32.
        found = (found.view("u2").astype("u4") << 16).view("f4")
    if not (found.dtype == want.dtype and np.array_equal(found, want)):
        sys.exit(f"{name}: {found!r} is not {want!r}")
    seen += 1


for path in sorted(folder.iterdir()):
    dtype, _, kind = path.stem.partition("-")
    if path.suffix == ".npy":
        a = np.load(path)
        expect(a, dtype, path)
        if a.flags.f_contiguous != (kind == "F"):
            sys.exit(f"{path}: the order of the axes is not {kind}")
    elif path.suffix == ".npz":
        archive = np.load(path)
        if archive.files != ["a", "t"]:
            sys.exit(f"{path}: {archive.files}")
        expect(archive["a"], dtype, path)
        expect(archive["t"].T, dtype, path)
    else:
        a = np.loadtxt(path, dtype=complex)
        expect((a if dtype.startswith("complex") else a.real).astype(dtype), dtype, path)
if seen < 15 * 6 + 14:
    sys.exit(f"only {seen} arrays were written")
print(f"NumPy {np.__version__} reads all {seen} arrays")
