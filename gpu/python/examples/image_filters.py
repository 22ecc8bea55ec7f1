"""Image filters by shifted views of a padded image: blur, edges, median."""

import cupy as cp


def scene(n):
    """Returns an image of a disc before a ramp, with noise."""
    y, x = cp.mgrid[:n, :n].astype(cp.float32)
    disc = ((x - n / 2) ** 2 + (y - n / 2) ** 2 < (n / 4) ** 2).astype(cp.float32)
    grains = ((7 * x + 13 * y) % 31 == 0).astype(cp.float32)
    return disc + x / n + grains


def neighbours(image):
    """Returns the nine shifted views of an image padded by one."""
    padded = cp.pad(image, 1, mode='edge')
    h, w = image.shape
    return [padded[i : i + h, j : j + w] for i in range(3) for j in range(3)]


def blur(image):
    return sum(neighbours(image)) / 9


def sobel(image):
    a, b, c, d, _, f, g, h, i = neighbours(image)
    return cp.hypot(c + 2 * f + i - a - 2 * d - g, g + 2 * h + i - a - 2 * b - c)


def median(image):
    return cp.median(cp.stack(neighbours(image)), axis=0)


def main(n=32):
    image = scene(n)
    return {'blur': blur(image), 'edges': sobel(image), 'median': median(image)}


if __name__ == '__main__':
    for name, image in main().items():
        print(f'{name:7s} mean {float(image.mean()):.4f} max {float(image.max()):.4f}')
