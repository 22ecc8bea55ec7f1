"""Heat diffusion on a plate with a cold edge, iterated to a steady state."""

import cupy as cp


def step(u, rate):
    new = u.copy()
    new[1:-1, 1:-1] += rate * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return new


PICTURE = dict(n=96, steps=800)


def main(n=24, steps=60):
    u = cp.zeros((n, n), dtype=cp.float32)
    u[n // 4 : n // 2, n // 4 : n // 2] = 100
    start = float(u.sum())
    for _ in range(steps):
        u = step(u, 0.2)
    assert 0 < float(u.sum()) < start
    return {'u': u, 'hottest': cp.unravel_index(cp.argmax(u), u.shape)}


def draw(figure, found):
    """Draws the temperatures as colours."""
    axes = figure.subplots()
    figure.colorbar(axes.imshow(cp.asnumpy(found['u']), cmap='inferno'), ax=axes, label='temperature')


if __name__ == '__main__':
    found = main()
    print('hottest at', tuple(int(i) for i in found['hottest']), 'with', found['u'].max())
