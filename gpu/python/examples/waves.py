"""Waves behind a wall with two slits: one step is captured in a graph, which is launched again and again."""

import cupy as cp


class Waves:
    """The heights of a membrane now and one step before, and the wall."""

    def __init__(self, n):
        self.now, self.before = cp.zeros((n, n), dtype='float32'), cp.zeros((n, n), dtype='float32')
        self.time = cp.zeros((), dtype='float32')
        self.open = cp.ones((n, n), dtype='float32')
        self.open[:, n // 3] = 0
        for slit in (2 * n // 5, 3 * n // 5):
            self.open[slit - 1 : slit + 2, n // 3] = 1

    def step(self):
        u = self.now
        after = 2 * u - self.before
        after[1:-1, 1:-1] += 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        self.time += 1
        after *= self.open
        # The left edge moves up and down.
        after[:, 0] = cp.sin(0.5 * self.time)
        self.before[...] = u
        self.now[...] = after


def main(n=48, steps=40):
    stream = cp.cuda.Stream(non_blocking=True)
    waves, plain = Waves(n), Waves(n)
    with stream:
        waves.step()
        stream.begin_capture()
        waves.step()
        graph = stream.end_capture()
        for _ in range(steps - 1):
            graph.launch()
    stream.synchronize()
    for _ in range(min(steps, 40)):
        plain.step()
    if steps <= 40:
        cp.testing.assert_array_equal(waves.now, plain.now)
    return {'now': waves.now, 'open': waves.open}


PICTURE = dict(n=160, steps=330)


def draw(figure, found):
    """Draws the heights, and the wall in black."""
    axes = figure.subplots()
    axes.imshow(cp.asnumpy(cp.where(found['open'] == 0, cp.nan, found['now'])), cmap='RdBu', vmin=-1, vmax=1)
    axes.set_facecolor('black')
    axes.set_xticks([])
    axes.set_yticks([])


if __name__ == '__main__':
    print('heights along the last column:', main()['now'][::8, -8])
