"""Writes valid inputs of every fuzz target, from which the fuzzer starts.

python3 gpu/fuzz/seeds.py FOLDER     writes FOLDER/TARGET/NAME, with the standard library alone
"""

import glob
import hashlib
import io
import os
import struct
import sys
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def npy(descr, shape, data, fortran=False, version=1):
    """Returns a file of NumPy's format."""
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    prefix = 10 if version == 1 else 12
    header += " " * (-(prefix + len(header) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data


def npz(arrays, method):
    """Returns an archive of arrays."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)
    return file.getvalue()


def entry(key, names, code):
    """Returns an entry of the disk cache: see `gpu/src/driver/cache.rs`."""
    payload = struct.pack("<I", len(names)) + b"".join(struct.pack("<I", len(n)) + n for n in names) + code
    return b"cuprum02" + hashlib.sha256(key + payload).digest() + payload


def archive(entries):
    """Returns an archive of kernels: see `gpu/src/driver/archive.rs`."""
    at = 16 + 48 * len(entries)
    table, codes = b"", b""
    for key, code in entries:
        table += key + struct.pack("<QQ", at + len(codes), len(code))
        codes += code
    return b"cuprumA1" + struct.pack("<Q", len(entries)) + table + codes


def read(pattern, limit=6000):
    """Returns the contents of the files of the checkout that match a pattern, up to a size."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
        with open(path, "rb") as file:
            data = file.read()
        if len(data) <= limit:
            found.append(data)
    return found


def seeds():
    """Returns the inputs of every target."""
    numbers = struct.pack("<6d", 0, 1, -2.5, 1e300, 5, 6)
    files = [
        npy("'<f8'", "(2, 3)", numbers),
        npy("'<f8'", "(3, 2)", numbers, fortran=True, version=2),
        npy("'>i4'", "(12,)", numbers),
        npy("'|b1'", "()", b"\1", version=3),
        npy("'<c16'", "(3,)", numbers),
    ]
    key = b"\7" * 32
    cached = entry(key, [b"_Z1fIfEvPT_"], b".version 8.0\n")
    table = b"# x, y\n1,2,3\n4.5,-6e3,nan\n\"7\",8,9\n"
    request = struct.pack("<QBBBIQQ", 9, 0, 0, 3, 1, 2, 4) + b"data"
    return {
        "npy": files,
        "npz": [npz({"a": files[0], "b": files[2]}, method) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)],
        "loadtxt": [b"\x0b" + b"1 2 3\n4 5 6 # note\n\n7 8 9\n", b"\x3b" + table],
        "genfromtxt": [b"\x1b" + table, b"\x2b" + b"1 2 3 \n4 5 6 \n"],
        "fromfile": [b"\x1b1 , 2.5 ,3, nan,-1e5", b"\x03" + numbers],
        "savetxt": [b"\x0b%10.3e", b"\x03%d:%+-8d", b"\x0b%s %g", b"\x0d%i%%"],
        "dlpack": [bytes([2, 2, 3, 3, 1, 1, 2, 64, 1, 0, 1, 3, 0, 1]), bytes([1, 9, 1, 0, 0, 32, 1, 0, 1, 0, 0, 1])],
        "formats": [b"\0float32", b"\0<f8", b"\0complex128", b"\1ij,jk->ik", b"\1...i,...i", b"\1ii"],
        "ptx": read("gpu/sim/tests/ptx/*.ptx", 1 << 20),
        "printf": [b"\1\0\0\0" + b"\0" * 28 + b"value %d %5.2f %llx\n", b"\0" * 32 + b"%s %c %p %%", b"\0" * 32 + b"%*d"],
        "kernel_archive": [archive([(key, cached)]), archive([])],
        "cache_entry": [cached],
        "kernel_list": [b"kernel k 1 1 9\n--fmad=false\nf<int>\nline\nkern\nkernel l 0 0 0\n\n"],
        "messages": [request, struct.pack("<QBQ", 4, 0, 2) + b"no"],
        "matrix": [read("matrix.yaml", 1 << 20)[0], *read("matrix/*.yaml")],
    }


def main():
    """Writes them."""
    for target, inputs in seeds().items():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        for number, data in enumerate(inputs):
            with open(os.path.join(folder, "seed-%d" % number), "wb") as file:
                file.write(data)


main()
