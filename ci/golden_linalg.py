"""Golden data of linear algebra: what has one value, whatever the algorithm. A part of golden.py.

Matrices are well conditioned: what of a result is fixed is then fixed to a few units, by the bounds that the oracle has.
"""

import numpy as np

from golden import TWO, Group, values
from golden_creation import record

INEXACT = "fdFD"


def square(c, n, shift=0, stack=()):
    """Values of a dtype, with a diagonal that outweighs the rest."""
    count = int(np.prod(stack, dtype=int)) * n * n
    a = values(c, count, shift).reshape(*stack, n, n)
    return (a + (4 * n * 7 * np.eye(n)).astype(a.dtype)).astype(a.dtype)


def products():
    g = Group("products")
    for c in "?bHlefdFD":
        a, b, v = values(c, 12).reshape(3, 4), values(c, 12, 2).reshape(4, 3), values(c, 4, 1)
        stack = values(c, 24, 3).reshape(2, 3, 4)
        record(g, "vdot", [a, b], made=True)
        record(g, "inner", [a, v], made=True)
        record(g, "inner", [a, b.T], made=True)
        record(g, "outer", [v, a[0]], made=True)
        if c not in "efd":
            record(g, "kron", [a[:2], b[:2]], made=True)
        record(g, "vecdot", [stack, v], made=True)
        record(g, "matvec", [stack, v], made=True)
        record(g, "vecmat", [v, b], made=True)
        for told, axes in (("axes=1", 1), ("axes=((0,1),(1,0))", ((0, 1), (1, 0))), ("axes=((-1),(0))", ((-1,), (0,)))):
            record(g, "tensordot", [a, b], lambda x, y, axes=axes: np.tensordot(x, y, axes), made=True, told_as=told)
        for text in ("ij,jk->ik", "ij,jk", "ij,ji->", "ij,jk->k", "ij,kl->il", "i...,...j->ij...", "ij,jk->ki"):
            if text in ("i...,...j->ij...",):
                x, y = a[:3, :3], b[:3, :3]
            else:
                x, y = a, b
            record(g, "einsum.pairs", [x, y], lambda x, y, t=text: np.array(np.einsum(t, x, y), order="C"), made=True, told_as=f"subscripts={text}")
        if c in "lfD":
            # Stacks whose axes lie in another order: so do those of the products.
            turned = values(c, 48, 4).reshape(2, 3, 2, 4).transpose(1, 0, 2, 3)
            for x, y in (
                (turned, turned.swapaxes(-1, -2)), (turned, b), (a, turned.swapaxes(-1, -2)), (turned, v), (v, turned.swapaxes(-1, -2)),
                (np.asfortranarray(turned), b), (turned[::-1, :, ::-1], b), (turned[:1], turned.swapaxes(-1, -2)),
                (turned, turned.swapaxes(-1, -2).astype("D")), (turned, np.array(turned.swapaxes(-1, -2), order="C")),
            ):
                record(g, "matmul.keywords", [x, y], np.matmul, made=True)
            record(g, "vecdot.keywords", [turned, v], np.vecdot, made=True)
            record(g, "matvec.keywords", [turned, v], np.matvec, made=True)
            record(g, "vecmat.keywords", [v, turned.swapaxes(-1, -2)], np.vecmat, made=True)
        for n in (0, 1, 3):
            record(g, "matrix_power", [square(c, 3) if c in INEXACT else values(c, 9).reshape(3, 3)], lambda x, n=n: np.linalg.matrix_power(x, n), made=True, told_as=f"n={n}")
    yield g


def numbers():
    g = Group("linalg")
    for c in INEXACT:
        for a in (square(c, 3), square(c, 5, 2), square(c, 3, 1, (2,)), square(c, 1), square(c, 0)):
            record(g, "det", [a], np.linalg.det, made=True)
            record(g, "slogdet", [a], lambda x: tuple(np.linalg.slogdet(x)), made=True)
            record(g, "eigvalsh", [a], np.linalg.eigvalsh, made=True)
            record(g, "svdvals", [a], np.linalg.svdvals, made=True)
            record(g, "matrix_rank", [a], np.linalg.matrix_rank)
            if a.size:
                record(g, "cond", [a], np.linalg.cond, made=True)
        wide = values(c, 15).reshape(3, 5)
        record(g, "svdvals", [wide], np.linalg.svdvals, made=True)
        record(g, "svdvals", [wide.T], np.linalg.svdvals, made=True)
        for told, axis, order in (
            ("axis=0;ord=0", 0, 0), ("axis=-1;ord=-inf", -1, -np.inf), ("axis=0;ord=3", 0, 3), ("axis=(0,1);ord=1", (0, 1), 1),
            ("axis=(1,0);ord=-1", (1, 0), -1), ("axis=(0,1);ord=2", (0, 1), 2), ("axis=(0,1);ord=nuc", (0, 1), "nuc"),
            ("axis=(0,1);ord=-2", (0, 1), -2), ("axis=(0,1);ord=inf", (0, 1), np.inf),
        ):  # fmt: skip
            spectral = order in (2, -2, "nuc") and isinstance(axis, tuple)
            record(g, "norm.spectral" if spectral else "norm.orders", [wide], lambda x, o=order, k=axis: np.linalg.norm(x, o, k), made=True, told_as=told)
    yield g


def groups():
    if TWO:
        for make in (products, numbers):
            yield from make()
