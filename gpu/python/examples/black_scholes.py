"""The Black–Scholes formula for many options at once, calls and puts."""

import cupy as cp
import numpy as np


def cumulative(x):
    """Computes the normal distribution function by a polynomial with seven correct digits."""
    xp = cp.get_array_module(x)
    k = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = xp.exp(-0.5 * x * x) * (1 / np.sqrt(2 * np.pi)) * poly
    return xp.where(x > 0, 1.0 - tail, tail)


def black_scholes(s, k, t, rate, volatility):
    xp = cp.get_array_module(s, k, t)
    root = xp.sqrt(t)
    d1 = (xp.log(s / k) + (rate + 0.5 * volatility**2) * t) / (volatility * root)
    d2 = d1 - volatility * root
    discounted = k * xp.exp(-rate * t)
    call = s * cumulative(d1) - discounted * cumulative(d2)
    put = discounted * cumulative(-d2) - s * cumulative(-d1)
    return call, put


def main(n=1000):
    rng = np.random.RandomState(11)
    s, k, t = (cp.array(rng.uniform(low, high, n)) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    call, put = black_scholes(s, k, t, 0.02, 0.3)
    # Put-call parity.
    cp.testing.assert_allclose(call - put, s - k * cp.exp(-0.02 * t), rtol=1e-9, atol=1e-9)
    return {'call': call, 'put': put}


def draw(figure, found):
    """Draws the price of a call with strike 100 against the price of the stock, for several times to expiry."""
    axes = figure.subplots()
    spot = cp.linspace(50, 150, 201)
    for years in (0.05, 0.5, 1, 2, 4):
        call, _ = black_scholes(spot, cp.full_like(spot, 100), cp.full_like(spot, years), 0.02, 0.3)
        axes.plot(cp.asnumpy(spot), cp.asnumpy(call), label=f'{years:g} years')
    axes.set(xlabel='price of the stock', ylabel='price of the call')
    axes.legend()


if __name__ == '__main__':
    call, put = main().values()
    print('mean call', call.mean(), 'mean put', put.mean())
