"""Segmentation of an image: a median filter removes noise, and the objects above a threshold are labelled and measured."""

import cupy as cp
import numpy as np
from cupyx.scipy import ndimage

DISCS = ((0.28, 0.28, 0.17, 0.9), (0.7, 0.37, 0.2, 0.7), (0.37, 0.75, 0.14, 1.0), (0.78, 0.8, 0.1, 0.8), (0.12, 0.6, 0.05, 0.9))


def scene(n, seed=2):
    """Returns discs on a sloping background, with noise, on the host."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:n, :n] / n
    image = 0.1 + 0.2 * x
    for row, column, radius, brightness in DISCS:
        image[(y - row) ** 2 + (x - column) ** 2 < radius**2] = brightness
    return (image + rng.normal(0, 0.12, image.shape)).astype('float32')


def main(n=64):
    image = cp.asarray(scene(n))
    smooth = ndimage.median_filter(image, 5)
    mask = ndimage.binary_opening(smooth > 0.5, iterations=2)
    labels, count = ndimage.label(mask)
    assert count == len(DISCS)
    numbers = cp.arange(1, count + 1)
    areas = ndimage.sum_labels(mask.astype('float64'), labels, numbers)
    return {'image': image, 'smooth': smooth, 'labels': labels, 'areas': areas, 'brightness': ndimage.mean(image.astype('float64'), labels, numbers)}


PICTURE = dict(n=192)


def draw(figure, found):
    """Draws the image, the filtered image, and the objects in colours."""
    for axes, name, colours in zip(figure.subplots(1, 3), ('image', 'smooth', 'labels'), ('gray', 'gray', 'nipy_spectral')):
        axes.imshow(cp.asnumpy(found[name]), cmap=colours)
        axes.set_title(name)
        axes.set_axis_off()


if __name__ == '__main__':
    found = main()
    for area, brightness in zip(found['areas'].tolist(), found['brightness'].tolist()):
        print(f'area {area:5.0f}, brightness {brightness:.3f}')
