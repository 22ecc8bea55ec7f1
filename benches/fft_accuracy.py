"""Measures the error of Fourier transforms by length, for a table of the documentation.

    python benches/fft_accuracy.py --library scipy
    PYTHONPATH=gpu/python/python python benches/fft_accuracy.py --library cuprum --column 'cuFFT, H200'

The error is the relative distance of the results from the reference in the Euclidean norm. The reference is SciPy's
transform in long doubles with a 64-bit significand, whose own error is about 1,000 times smaller than that of
float64. Each call measures one library, writes its column into docs/measurements/fft-accuracy.json, and regenerates
the page of all columns. The operands are the same for all libraries: uniform random numbers, rounded to the dtype.
"""

import argparse
import importlib
import json
import os

import numpy as np
import scipy
import scipy.fft

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'docs', 'measurements')
DATA, PAGE = (os.path.join(FOLDER, 'fft-accuracy.' + ending) for ending in ('json', 'md'))

POWERS = [1 << k for k in (4, 8, 12, 16, 20)]
COMPOSITE = [243, 1000, 59049, 100000, 1000000]
PRIMES = [251, 4093, 65537]
KINDS = {
    'fft': ('complex numbers', 'complex64', 'complex128'),
    'rfft': ('real numbers', 'float32', 'float64'),
    'irfft': ('half spectra', 'complex64', 'complex128'),
    'dct': ('cosines, type 2', 'float32', 'float64'),
}

HEAD = """# Accuracy of Fourier transforms

The Euclidean norm of the difference from the reference, divided by the norm of the reference, in epsilons of the dtype
(2^-23 of float32 and complex64, 2^-52 of float64 and complex128). Operands are uniform random numbers. The reference is SciPy's transform in
long doubles. The simulator computes in float64 and rounds the results: its columns of float32 and complex64 are the error of
that rounding, except for `dct`, which has passes in float32 around the transform. The table is written by
`benches/fft_accuracy.py`, a column at a time; that of a GPU is made there:

```text
PYTHONPATH=gpu/python/python python3 benches/fft_accuracy.py --library cuprum --column 'cuFFT, H200'
```
"""


def operand(kind, dtype, n):
    """Returns uniform random operands, in a batch of a few thousand elements."""
    rng = np.random.default_rng([n, len(kind)])
    count = n // 2 + 1 if kind == 'irfft' else n
    shape = (max(1, 4096 // n), count)
    x = rng.random(shape) - 0.5
    return (x + 1j * (rng.random(shape) - 0.5) if dtype.startswith('c') else x).astype(dtype)


def transform(library, kind, x, n):
    if kind == 'irfft':
        return library.irfft(x, n)
    return getattr(library, kind)(x)


def right(kind, x, n):
    return transform(scipy.fft, kind, x.astype(np.clongdouble if x.dtype.kind == 'c' else np.longdouble), n)


class Library:
    """Transforms of NumPy arrays by one library."""

    def __init__(self, name):
        if name == 'scipy':
            self.space, self.to, self.back = scipy.fft, np.asarray, np.asarray
            self.title = f'pocketfft, SciPy {scipy.__version__}'
            return
        module = importlib.import_module(name)
        space = 'cupyx.scipy.fft' if name == 'cupy' else f'{name}.scipy.fft'
        self.space = importlib.import_module(space)
        self.to, self.back, self.title = module.asarray, module.asnumpy, name

    def errors(self):
        """Returns the error for each kind, dtype and length, in machine epsilons."""
        found = {}
        for kind, (_, *dtypes) in KINDS.items():
            for dtype in dtypes:
                for n in POWERS + COMPOSITE + PRIMES:
                    x = operand(kind, dtype, n)
                    want = right(kind, x, n)
                    got = self.back(transform(self.space, kind, self.to(x), n))
                    rest = np.linalg.norm((got.astype(want.dtype) - want).ravel()) / np.linalg.norm(want.ravel())
                    found[f'{kind} {dtype} {n}'] = round(float(rest / np.finfo(dtype).eps), 3)
        return found


def page(columns):
    """Returns the page: one table for each kind, with a row for each length."""
    titles = list(columns)
    lines = [HEAD]
    for kind, (shown, *dtypes) in KINDS.items():
        lines += [f'## {kind}: {shown}', '']
        heads = [f'{title}, {dtype}' for dtype in dtypes for title in titles]
        lines += ['| length | ' + ' | '.join(heads) + ' |', '|--:|' + '--:|' * len(heads)]
        for n in POWERS + COMPOSITE + PRIMES:
            root = n.bit_length() - 1
            name = f'2^{root}' if n == 1 << root else f'{n:,}' + (' (prime)' if n in PRIMES else '')
            cells = [f'{columns[title][f"{kind} {dtype} {n}"]:.2f}' for dtype in dtypes for title in titles]
            lines.append(f'| {name} | ' + ' | '.join(cells) + ' |')
        lines.append('')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--library', default='cuprum', help='scipy, cuprum or cupy')
    parser.add_argument('--column', help='what the column is called')
    parser.add_argument('--page', action='store_true', help='measure nothing: write the page')
    arguments = parser.parse_args()
    columns = {}
    if os.path.exists(DATA):
        with open(DATA) as file:
            columns = json.load(file)
    if not arguments.page:
        library = Library(arguments.library)
        columns[arguments.column or library.title] = library.errors()
    with open(DATA, 'w') as file:
        json.dump(columns, file, indent=1)
        file.write('\n')
    with open(PAGE, 'w') as file:
        file.write(page(columns))
    print(page(columns))


if __name__ == '__main__':
    main()
