"""The Mandelbrot set: the number of steps in which each point of the plane escapes."""

import cupy as cp


def escape(width, height, max_iter):
    x = cp.linspace(-2, 0.6, width)
    y = cp.linspace(-1.2, 1.2, height)
    c = x[None, :] + 1j * y[:, None]
    z = cp.zeros_like(c)
    count = cp.zeros(c.shape, dtype=cp.int32)
    for _ in range(max_iter):
        inside = z.real**2 + z.imag**2 <= 4
        z = cp.where(inside, z * z + c, z)
        count += inside
    return count


PICTURE = dict(width=480, height=360, max_iter=60)


def main(width=60, height=24, max_iter=24):
    return {'count': escape(width, height, max_iter)}


def draw(figure, found):
    """Draws the steps of each point as colours."""
    axes = figure.subplots()
    axes.imshow(cp.asnumpy(found['count']) ** 0.5, cmap='magma', extent=(-2, 0.6, -1.2, 1.2), interpolation='bilinear')
    axes.set(xlabel='real part', ylabel='imaginary part')


if __name__ == '__main__':
    count = main()['count']
    for row in cp.asnumpy(count * 9 // count.max()):
        print(''.join(' .:-=+*#%@'[level] for level in row))
