"""Writes gpu/tests/data/layout.json: views, and how NumPy lays out what it makes of them.

Run with Python and NumPy 2.4: python ci/golden_layout.py
A case is the shape, the strides in bytes of one to three int8 views of that shape, and the strides of: their sum under
order 'K'; and of the first one's copies in the orders 'K' and 'A'. Axes of length 1 have the stride 0 throughout.
"""

import json
import pathlib

import numpy as np

if not np.__version__.startswith("2.4."):
    raise SystemExit(f"needs NumPy 2.4, not {np.__version__}")

rng = np.random.default_rng(48)


def view(shape):
    """A view of this shape: permuted, strided, reversed, broadcast."""
    ndim = len(shape)
    axes = rng.permutation(ndim)
    kept = [shape[a] if rng.random() > 0.2 else 1 for a in axes]
    steps = [int(rng.integers(1, 3)) for _ in axes]
    base = np.zeros([n * s for n, s in zip(kept, steps)], "int8")
    base = base[tuple(slice(None, None, s if rng.random() > 0.25 else -s) for s in steps)]
    return np.broadcast_to(base.transpose(np.argsort(axes)), shape)


def strides(a):
    return [int(s) if n > 1 else 0 for n, s in zip(a.shape, a.strides)]


lines = []
for i in range(600):
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4], int(rng.integers(1, 6))))
    views = [view(shape) for _ in range(1 + i % 3)]
    if len(views) == 1:
        result = np.positive(views[0])
    elif len(views) == 2:
        result = np.add(*views)
    else:
        result = np.where(views[0].view("bool"), views[1], views[2])
    lines.append(
        json.dumps(
            {
                "shape": shape,
                "views": [strides(v) for v in views],
                "result": strides(result),
                "K": strides(views[0].copy("K")),
                "A": strides(views[0].copy("A")),
            },
            separators=(",", ":"),
        )
    )

out = pathlib.Path(__file__).parent.parent / "gpu/tests/data/layout.json"
out.write_text("[\n" + ",\n".join(lines) + "\n]\n")
print(len(lines), "cases")
