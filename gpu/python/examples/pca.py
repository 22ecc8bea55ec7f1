"""Principal components of images of digits, one by one, by power iteration."""

import cupy as cp
import numpy as np

# Rows of 5 pixels for the digits 0 to 9.
FONT = '''0E11131519110E 040C040404040E 0E11010204081F 1F02040201110E 02060A121F0202
1F101E0101110E 0608101E11110E 1F010204080808 0E11110E11110E 0E11110F01020C'''


def digits(n, seed=23):
    """Returns images of 9 x 9 pixels as rows, blurred and with noise, and the digit of each, on the host."""
    rng = np.random.default_rng(seed)
    rows = np.array([list(bytes.fromhex(digit)) for digit in FONT.split()])
    shapes = np.pad((rows[:, :, None] >> np.arange(4, -1, -1)) & 1, ((0, 0), (1, 1), (2, 2))).astype(float)
    blurred = 0.5 * shapes + 0.25 * (np.roll(shapes, 1, 2) + np.roll(shapes, -1, 2))
    which = rng.integers(10, size=n)
    return (blurred[which] * rng.uniform(0.6, 1.2, (n, 1, 1)) + rng.normal(0, 0.08, (n, 9, 9))).reshape(n, 81), which


def components(X, k, steps=300):
    """Returns the k directions of largest variance, and the variances."""
    X = X - X.mean(axis=0)
    covariance = cp.dot(X.T, X) / (len(X) - 1)
    directions, variances = [], []
    for _ in range(k):
        v = cp.ones(X.shape[1]) / cp.sqrt(X.shape[1])
        for _ in range(steps):
            w = covariance @ v
            v = w / cp.linalg.norm(w)
        size = v @ covariance @ v
        # The sign is arbitrary: the largest entry is made positive.
        v = v * cp.sign(v[cp.argmax(cp.abs(v))])
        directions.append(v)
        variances.append(size)
        covariance = covariance - size * v[:, None] * v[None, :]
    return cp.stack(directions), cp.stack(variances)


def main(n=200):
    images, which = digits(n)
    X = cp.asarray(images)
    directions, variances = components(X, 2)
    return {'directions': directions, 'variances': variances, 'points': (X - X.mean(axis=0)) @ directions.T, 'digits': which}


PICTURE = dict(n=1500)


def draw(figure, found):
    """Draws each image at its two first components, in the colour of its digit."""
    axes = figure.subplots()
    x, y = cp.asnumpy(found['points']).T
    for digit in range(10):
        own = found['digits'] == digit
        axes.scatter(x[own], y[own], s=6, label=str(digit))
    axes.set(xlabel='first component', ylabel='second component')
    axes.legend(markerscale=2, ncols=2, fontsize='small')


if __name__ == '__main__':
    found = main()
    print('variances:', found['variances'])
    print(found['directions'])
