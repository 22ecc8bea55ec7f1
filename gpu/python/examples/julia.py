"""A kernel written in Python: the Julia set of z * z + c, one thread for each pixel."""

import cupy as cp
from cupyx import jit


@jit.rawkernel()
def escape(steps, width, height, x, y, rounds):
    i = jit.grid(1)
    if i < width * height:
        re = (i % width) * (3.0 / width) - 1.5
        im = (i // width) * (2.0 / height) - 1.0
        count = 0
        while count < rounds and re * re + im * im <= 4.0:
            re, im = re * re - im * im + x, 2.0 * re * im + y
            count += 1
        steps[i] = count


def main(width=60, height=24, rounds=60):
    steps = cp.zeros((height, width), dtype='int32')
    blocks = (width * height + 127) // 128
    escape[blocks, 128](steps.ravel(), width, height, -0.8, 0.156, rounds)
    # The set is symmetric to the origin.
    assert 0 < int(steps.min()) and int(steps.max()) == rounds
    return {'steps': steps}


PICTURE = dict(width=480, height=320, rounds=200)


def draw(figure, found):
    """Draws the steps in which the points escape."""
    axes = figure.subplots()
    axes.imshow(cp.asnumpy(cp.log(found['steps'])), cmap='twilight_shifted', extent=(-1.5, 1.5, -1, 1), interpolation='bilinear')
    axes.set(xlabel='real part', ylabel='imaginary part')


if __name__ == '__main__':
    for row in cp.asnumpy(main()['steps']):
        print(''.join(' .:-=+*#%@'[min(int(count) // 6, 9)] for count in row))
