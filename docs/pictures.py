"""Draws the pictures of the page on images, before and after filters: `python docs/pictures.py`, with the package on the path."""

import pathlib
import struct
import zlib

import numpy as np

import cuprum as cp
from cuprum.cupyx.scipy import ndimage

FOLDER = pathlib.Path(__file__).parent / "src" / "pictures"


def scene(size=160):
    """Returns discs of three brightnesses, one of which has a hole, on a sloping background, and the same with noise and wrong pixels."""
    y, x = np.mgrid[:size, :size]
    clean = 40.0 + 0.2 * x
    for row, column, radius, value in ((45, 45, 28, 190), (110, 60, 34, 150), (60, 118, 24, 220), (124, 126, 18, 170)):
        clean[(y - row) ** 2 + (x - column) ** 2 < radius**2] = value
    clean[(y - 110) ** 2 + (x - 60) ** 2 < 81] = 40.0
    rng = np.random.default_rng(2)
    noisy = clean + rng.normal(0, 14, clean.shape)
    wrong = rng.random(clean.shape)
    noisy[wrong < 0.04], noisy[wrong > 0.96] = 0, 255
    return np.clip(noisy, 0, 255).astype("float32")


def write(name, panels):
    """Writes images of one height side by side as a greyscale file."""
    rows = [np.pad(np.clip(panel, 0, 255).astype("uint8"), ((0, 0), (0, 6)), constant_values=255) for panel in panels]
    image = np.concatenate(rows, 1)[:, :-6]

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in image)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_bytes(b"\x89PNG\r\n\x1a\n" + body)


noisy = cp.asarray(scene())
median = ndimage.median_filter(noisy, 5)
write("denoising.png", [noisy.get(), ndimage.gaussian_filter(noisy, 1.5).get(), median.get()])

edges = cp.hypot(ndimage.sobel(median, 0), ndimage.sobel(median, 1))
write("edges.png", [median.get(), (edges * (255 / edges.max())).get()])

mask = noisy > 110
opened = ndimage.binary_opening(ndimage.median_filter(mask, 5), iterations=2)
filled = ndimage.binary_fill_holes(opened)
write("segmentation.png", [panel.get() * 255 for panel in (mask, opened, filled)])

background = ndimage.gaussian_filter(ndimage.grey_opening(median, 81), 12)
flat = median - background
write("background.png", [median.get(), background.get(), (flat * (255 / flat.max())).get()])
