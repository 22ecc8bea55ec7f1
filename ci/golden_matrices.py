"""Golden data of SciPy's special matrices: what has one value. A part of golden_special.py."""

import numpy as np
from scipy import linalg

from golden import Group, record, values


def matrices():
    g = Group("matrices")
    for c in "?bHlefdFD":
        a, b = values(c, 5), values(c, 3, 2)
        stack = values(c, 6, 1).reshape(2, 3)
        for x, y in ((a, b), (b, a), (stack, a)):
            record(g, "toeplitz", [x, y], linalg.toeplitz)
        record(g, "hankel", [a, b], linalg.hankel)
        record(g, "circulant", [a], linalg.circulant)
        record(g, "circulant", [stack], linalg.circulant)
        record(g, "leslie", [a, a[1:]], linalg.leslie)
        record(g, "block_diag", [a, stack, b.reshape(3, 1)], linalg.block_diag)
        record(g, "khatri_rao", [stack, values(c, 12).reshape(4, 3)], linalg.khatri_rao)
        for mode in ("full", "same", "valid"):
            for n in (2, 7):
                record(g, "convolution_matrix", [a], lambda x, n=n, mode=mode: linalg.convolution_matrix(x, n, mode), described_as=f"n={n};mode={mode}")
        if c not in "?FD":
            record(g, "fiedler", [a], linalg.fiedler)
        if c in "fd":
            record(g, "companion", [np.abs(a) + 1], linalg.companion)
            record(g, "fiedler_companion", [np.abs(a) + 1], linalg.fiedler_companion)
    for n in (1, 2, 8):
        record(g, "hadamard", [], lambda n=n: linalg.hadamard(n), described_as=f"n={n}")
    for n in (1, 4, 9):
        record(g, "helmert", [], lambda n=n: linalg.helmert(n, True), described_as=f"n={n};full=1")
        record(g, "hilbert", [], lambda n=n: linalg.hilbert(n), described_as=f"n={n}")
        record(g, "invhilbert", [], lambda n=n: linalg.invhilbert(n, True), described_as=f"n={n};exact=1")
        record(g, "invhilbert", [], lambda n=n: linalg.invhilbert(n), made=True, described_as=f"n={n}")
        record(g, "dft", [], lambda n=n: linalg.dft(n, "sqrtn"), made=True, described_as=f"n={n};scale=sqrtn")
        for kind in ("symmetric", "lower", "upper"):
            record(g, "pascal", [], lambda n=n, kind=kind: linalg.pascal(n, kind), described_as=f"n={n};kind={kind}")
    for c in "fdFD":
        x = values(c, 9).reshape(3, 3) / 8
        record(g, "expm", [x.astype(c)], linalg.expm, made=True)
    yield g
