"""Writes golden data of Fourier transforms: fourier/exact.npz from mpmath, fourier/replies.npz from NumPy and SciPy.

    python golden_fourier.py FOLDER

The form is that of golden.py. `exact` holds transforms by their definitions at 40 digits, each number rounded once to the
dtype of the result; `replies` what NumPy and SciPy make of lengths, axes, norms, dtypes and layouts, and what they reject.
"""

import os
import sys

import mpmath
import numpy as np
import scipy.fft
import scipy.fftpack
import scipy.signal

from golden import Group, record, values
from golden_special import nearest, nearest_complex

# Powers of two, primes, both with small factors around them, squares of primes.
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 25, 30, 31, 32, 36, 49, 60, 64, 97, 100, 127, 128)
SHORT = (1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 30, 31, 45, 64)
NORMS = ("backward", "ortho", "forward")


# The definitions. A line is a list of numbers of mpmath.


def cos_pi(num, den):
    return mpmath.cospi(mpmath.mpf(num) / den)


def sin_pi(num, den):
    return mpmath.sinpi(mpmath.mpf(num) / den)


def total(terms):
    return mpmath.fsum(terms)


def dft(x, sign):
    n = len(x)
    turns = [mpmath.expjpi(mpmath.mpf(2 * sign * t) / n) for t in range(n)]
    return [total(x[m] * turns[k * m % n] for m in range(n)) for k in range(n)]


def of_half(x, n):
    """The real numbers whose transform begins so: the imaginary parts of the ends count for nothing."""
    half = (list(x) + [mpmath.mpf(0)] * n)[: n // 2 + 1]
    half[0] = mpmath.re(half[0])
    if n % 2 == 0:
        half[-1] = mpmath.re(half[-1])
    back = [mpmath.conj(z) for z in half[1 : (n + 1) // 2]]
    return [mpmath.re(z) for z in dft(half + back[::-1], 1)]


def cosines(x, kind):
    n = len(x)
    if kind == 1:
        return [x[0] + (-1) ** k * x[-1] + total(2 * x[m] * cos_pi(m * k, n - 1) for m in range(1, n - 1)) for k in range(n)]
    if kind == 2:
        return [total(2 * x[m] * cos_pi(k * (2 * m + 1), 2 * n) for m in range(n)) for k in range(n)]
    if kind == 3:
        return [x[0] + total(2 * x[m] * cos_pi((2 * k + 1) * m, 2 * n) for m in range(1, n)) for k in range(n)]
    return [total(2 * x[m] * cos_pi((2 * k + 1) * (2 * m + 1), 4 * n) for m in range(n)) for k in range(n)]


def sines(x, kind):
    n = len(x)
    if kind == 1:
        return [total(2 * x[m] * sin_pi((k + 1) * (m + 1), n + 1) for m in range(n)) for k in range(n)]
    if kind == 2:
        return [total(2 * x[m] * sin_pi((k + 1) * (2 * m + 1), 2 * n) for m in range(n)) for k in range(n)]
    if kind == 3:
        return [(-1) ** k * x[-1] + total(2 * x[m] * sin_pi((2 * k + 1) * (m + 1), 2 * n) for m in range(n - 1)) for k in range(n)]
    return [total(2 * x[m] * sin_pi((2 * k + 1) * (2 * m + 1), 4 * n) for m in range(n)) for k in range(n)]


def factor(norm, inverse, n):
    if norm == "ortho":
        return 1 / mpmath.sqrt(n)
    return mpmath.mpf(1) / n if (norm == "forward") != inverse else mpmath.mpf(1)


def along(x, axis, f):
    """An array of numbers of mpmath, each line of which becomes another one."""
    moved = np.moveaxis(x, axis, -1)
    lines = [f(list(line)) for line in moved.reshape(-1, moved.shape[-1])]
    out = np.empty((len(lines), len(lines[0])), object)
    out[:] = lines
    return np.moveaxis(out.reshape(*moved.shape[:-1], -1), -1, axis)


def numbers(a):
    out = np.empty(a.shape, object)
    for index in np.ndindex(a.shape):
        z = a[index]
        out[index] = mpmath.mpc(float(z.real), float(z.imag)) if a.dtype.kind == "c" else mpmath.mpf(float(z))
    return out


def rounded(x, c):
    out = np.empty(x.shape, c)
    for index in np.ndindex(x.shape):
        out[index] = nearest_complex(x[index], c) if c in "FD" else nearest(x[index], c)
    return out


def drawn(c, *shape):
    """Numbers of 20 bits, which float32 has, too."""
    rng = np.random.default_rng([16, *shape])
    part = lambda: rng.integers(-(2**19), 2**19, shape) / 2.0**18  # noqa: E731
    return (part() + 1j * part()).astype(c) if c in "FD" else part().astype(c)


COMPLEX_OF = {"f": "F", "d": "D", "F": "F", "D": "D"}
REAL_OF = {"f": "f", "d": "d", "F": "f", "D": "d"}


def exact(g, name, a, description, results, c, backwards=False):
    """`backwards`: the result is a reversed view."""
    out = rounded(results, c)
    out = np.ascontiguousarray(out[::-1])[::-1] if backwards else out
    record(g, name, [a], lambda _: out, made=True, described_as=description)


def named(norm):
    return f"norm={norm}"


def lines_of_complex(g):
    for k, n in enumerate(LENGTHS):
        for c in "DF":
            a = drawn(c, n)
            x = numbers(a)
            for name, inverse in (("fft.fft", False), ("scipy.fft.ifft", True)):
                norm = NORMS[(k + inverse) % 3]
                y = along(x, -1, lambda line: dft(line, 1 if inverse else -1)) * factor(norm, inverse, n)
                exact(g, name, a, named(norm), y, c)


def lines_of_half_spectra(g):
    for k, n in enumerate(LENGTHS):
        for c in "df":
            a, half = drawn(c, n), drawn(COMPLEX_OF[c], n // 2 + 1)
            x, h, norm = numbers(a), numbers(half), NORMS[k % 3]
            whole = along(x, -1, lambda line: dft(line, -1)[: len(line) // 2 + 1])
            exact(g, "fft.rfft", a, named(norm), whole * factor(norm, False, n), COMPLEX_OF[c])
            back = along(h, -1, lambda line: of_half(line, n))
            exact(g, "fft.irfft", half, f"n={n};{named(norm)}", back * factor(norm, True, n), c)
            # Of symmetric numbers the names of the directions are exchanged, and with them those of the factors.
            other = along(h, -1, lambda line: of_half([mpmath.conj(z) for z in line], n))
            exact(g, "scipy.fft.hfft", half, f"n={n};{named(norm)}", other * factor(norm, False, n), c)
            conjugated = along(x, -1, lambda line: dft(line, 1)[: len(line) // 2 + 1])
            exact(g, "scipy.fft.ihfft", a, named(norm), conjugated * factor(norm, True, n), COMPLEX_OF[c])


def lines_of_cosines(g):
    root = mpmath.sqrt(2)
    for k, n in enumerate(SHORT):
        for sine, kind in [(s, t) for s in (False, True) for t in (1, 2, 3, 4)]:
            if n < 2 and kind == 1 and not sine:
                continue
            norm = NORMS[(k + kind) % 3]
            for c in "df":
                a = drawn(c, n)
                x = list(numbers(a))
                end = n - 1 if sine else 0
                ends = [0, n - 1] if (kind, sine) == (1, False) else [end] if kind in (2, 3) else []
                if norm == "ortho" and kind in (1, 3):
                    for i in ends:
                        x[i] *= root
                y = sines(x, kind) if sine else cosines(x, kind)
                if norm == "ortho" and kind in (1, 2):
                    for i in ends:
                        y[i] /= root
                size = 2 * (n + 1 if sine else n - 1) if kind == 1 else 2 * n
                name = "scipy.fft." + ("dst" if sine else "dct")
                exact(g, name, a, f"type={kind};{named(norm)}", np.array(y, object) * factor(norm, False, size), c)


def planes(g):
    for c in "DF":
        for shape in ((4, 6), (5, 3), (3, 4, 5), (2, 7, 8)):
            a, r = drawn(c, *shape), drawn(REAL_OF[c], *shape)
            x = numbers(a)
            for axis in range(len(shape)):
                x = along(x, axis, lambda line: dft(line, -1))
            exact(g, "fft.fftn", a, named("ortho"), x * factor("ortho", False, a.size), c)
            y = along(numbers(r), -1, lambda line: dft(line, -1)[: len(line) // 2 + 1])
            y = along(y, 0, lambda line: dft(line, -1))
            exact(g, "scipy.fft.rfftn", r, "axes=(0,-1)", y, c)


def exacts():
    g = Group("exact")
    for make in (lines_of_complex, lines_of_half_spectra, lines_of_cosines, planes):
        make(g)
    yield g


# What is said of a transform, and who is asked.


def asked(g, space, name, a, made=True, **options):
    """A call of NumPy (`fft`) or SciPy (`scipy.fft`, `scipy.fftpack`, `scipy.signal`), with all arguments by name."""
    module = {"fft": np.fft, "scipy.fft": scipy.fft, "scipy.fftpack": scipy.fftpack, "scipy.signal": scipy.signal}[space]
    record(g, f"{space}.{name}", a if isinstance(a, list) else [a], getattr(module, name), made=made, **options)


ONE = ({}, {"n": 4}, {"n": 9, "axis": 0}, {"axis": 1, "norm": "ortho"}, {"norm": "forward"}, {"n": 1}, {"n": 0}, {"n": -2},
       {"axis": 3}, {"axis": -4})  # fmt: skip
SEVERAL = ({}, {"s": (3, 4)}, {"axes": (0, -1)}, {"s": (5, 2), "axes": (2, 0), "norm": "ortho"}, {"axes": (1,), "norm": "forward"},
           {"s": (-1, 6), "axes": (0, 1)}, {"axes": (0, 3)}, {"s": (3, 4), "axes": (0,)}, {"s": (2, 2, 2, 2)}, {"s": (0, 3)})  # fmt: skip


def replies():
    g = Group("replies")
    full = drawn("d", 3, 4, 5)
    ones = [full, np.asfortranarray(full), full.transpose(1, 0, 2), full[::-1, :, ::2]]
    complexes = [drawn("D", 3, 4, 5), np.asfortranarray(drawn("F", 3, 4, 5))]
    for space in ("fft", "scipy.fft"):
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
            for options in ONE:
                # Of these SciPy checks a length only where none is passed.
                if space == "fft" or options.get("n") != 0 or name not in ("irfft", "hfft"):
                    asked(g, space, name, full, **options)
            for a in ones[1:] + complexes + [full[0, 0], np.zeros((2, 0)), np.zeros((0, 3)), np.array(2.5)]:
                asked(g, space, name, a)
            for c in "?bHle":
                asked(g, space, name, values(c, 12).reshape(3, 4), norm="ortho")
        for name in ("fftn", "ifftn", "rfftn", "irfftn"):
            for options in SEVERAL:
                asked(g, space, name, full, **options)
            for a in ones[1:] + complexes:
                asked(g, space, name, a)
        for name in ("fft2", "ifft2", "rfft2", "irfft2"):
            for options in ({}, {"s": (3, 6)}, {"axes": (0, 1), "norm": "ortho"}, {"axes": (0, 5)}):
                asked(g, space, name, full, **options)
    for name in ("hfftn", "ihfftn", "hfft2", "ihfft2"):
        for options in SEVERAL[:4] if name.endswith("n") else ({}, {"s": (3, 6)}, {"axes": (0, 1), "norm": "ortho"}):
            asked(g, "scipy.fft", name, full, **options)
    for name in ("dct", "idct", "dst", "idst"):
        for options in ({}, {"type": 1}, {"type": 3, "norm": "ortho"}, {"type": 4, "n": 7}, {"type": 1, "norm": "ortho", "orthogonalize": False},
                     {"type": 3, "orthogonalize": True}, {"type": 2, "n": 3, "axis": 0}, {"type": 5}, {"axis": 3}, {"n": 0}):  # fmt: skip
            asked(g, "scipy.fft", name, full, **options)
        for a in (complexes[0], drawn("f", 5), values("l", 6), values("e", 6), np.asfortranarray(full)):
            asked(g, "scipy.fft", name, a)
    for name in ("dctn", "idctn", "dstn", "idstn"):
        for options in ({}, {"type": 4, "axes": (0, 2)}, {"s": (4, 6), "norm": "ortho"}, {"axes": (0, 0)}):
            asked(g, "scipy.fft", name, full, **options)
    for name in ("fft", "ifft", "rfft", "irfft"):
        for options in ({}, {"n": 4}, {"n": 9, "axis": 0}, {"n": 1}, {"n": 0}, {"axis": 3}):
            asked(g, "scipy.fftpack", name, full, **options)
        for a in (drawn("f", 7), drawn("f", 8), values("l", 6), complexes[0]):
            asked(g, "scipy.fftpack", name, a)
    for name in ("fftn", "ifftn", "fft2", "ifft2"):
        for options in ({}, {"axes": (0, 2)}, {"shape": (3, 4), "axes": (0, 2)}):
            asked(g, "scipy.fftpack", name, full, **options)
    yield g


def signals():
    g = Group("signals")
    pairs = [((7,), (3,)), ((3,), (8,)), ((1,), (5,)), ((3, 5), (2, 2)), ((2, 6), (4, 3)), ((4, 3), (5, 6)), ((), ()), ((3,), (2, 2)), ((3, 4, 5), (2, 3, 2))]
    for c, d in ("dd", "ff", "DD", "fd", "dF", "ll", "bb", "hd", "??", "B?", "ee"):
        for one, two in pairs:
            # SciPy has no sums of several axes of these.
            if len(one) > 1 and c in "?Be":
                continue
            a, b = values(c, int(np.prod(one))).reshape(one), values(d, int(np.prod(two)), 3).reshape(two)
            for mode in ("full", "valid") if c in "?Be" else ("full", "same", "valid"):
                if c in "dDl":
                    asked(g, "scipy.signal", "fftconvolve", [a, b], mode=mode)
                for method in ("direct", "fft", "auto") if c + d in ("dd", "ll", "DD") else ("direct", "auto"):
                    for name in ("convolve", "correlate"):
                        f = getattr(scipy.signal, name)
                        # SciPy's may be reversed; ours are in C order.
                        dense = lambda *x, f=f, **k: np.array(f(*x, **k), order="C")  # noqa: E731
                        record(g, "scipy.signal." + name, [a, b], dense, made=True, mode=mode, method=method)
    for n, m in ((5, 3), (3, 5), (4, 4), (6, 1), (1, 4), (8, 3)):
        for mode in ("full", "same", "valid"):
            asked(g, "scipy.signal", "correlation_lags", [], made=False, in1_len=n, in2_len=m, mode=mode)
    yield g


def hankels():
    """Logarithmic Hankel transforms: 40 digits, by their definition as a product of spectra."""
    g = Group("hankels")
    for n, dln, mu, offset, bias in (
        (16, 0.1, 2.0, 0.0, 0.0), (15, 0.3, 0.5, 0.25, 0.0), (8, 0.01, -0.5, 0.0, 0.0), (12, 0.2, 1.0, 0.1, 0.3), (9, 0.05, 3.0, -0.2, -0.7),
        (32, 0.002, 0.0, 0.0, 0.0), (1, 0.1, 2.0, 0.0, 0.0), (2, 1.0, 8.5, 0.5, 0.1),
    ):  # fmt: skip
        for name, inverse in (("fht", False), ("ifht", True)):
            a = drawn("d", n)
            exact(g, f"scipy.fft.{name}", a, f"dln={dln!r};mu={mu!r};offset={offset!r};bias={bias!r}",
                  np.array(hankel(list(numbers(a)), dln, mu, offset, bias, inverse), object), "d", True)  # fmt: skip
        for c in "fle":
            asked(g, "scipy.fft", "fht", values(c, 12).reshape(2, 6), dln=0.2, mu=1.0)
    yield g


def hankel(a, dln, mu, offset, bias, inverse):
    n = len(a)
    dln, mu, offset, bias = (mpmath.mpf(x) for x in (dln, mu, offset, bias))
    middle = mpmath.mpf(n - 1) / 2
    near = [mpmath.exp(-bias * (j - middle) * dln) for j in range(n)]
    far = [mpmath.exp(-bias * ((j - middle) * dln + offset)) for j in range(n)]
    before, behind = ([1 / x for x in far], [1 / x for x in near]) if inverse else (near, far)
    spectrum = dft([x * y for x, y in zip(a, before)], -1)
    up, down = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2

    def coefficient(k):
        y = mpmath.pi * k / (n * dln)
        z = mpmath.mpc(0, 1)
        ratio = mpmath.gamma(up + z * y) * mpmath.rgamma(down - z * y)
        return 2**bias * mpmath.exp(2 * z * y * (mpmath.log(2) - offset)) * ratio

    half = [coefficient(k) for k in range(n // 2 + 1)]
    if n % 2 == 0:
        half[-1] = mpmath.mpc(mpmath.re(half[-1]))
    product = [z / mpmath.conj(u) if inverse else z * u for z, u in zip(spectrum, half)]
    back = of_half(product, n)
    return [back[n - 1 - j] * behind[j] / n for j in range(n)]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="ignore")
    mpmath.mp.dps = 40
    for make in (exacts, replies, signals, hankels):
        for group in make():
            group.write(folder)
            print(f"fourier {group.name}: {len(group.cases)} cases, {len(group.data)} bytes of elements")


if __name__ == "__main__":
    main()
