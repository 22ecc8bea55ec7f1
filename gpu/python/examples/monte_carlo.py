"""The price of a European call option by the Monte Carlo method: the mean payoff of random paths, and its standard
error."""

import math

import cupy as cp
import numpy as np


def price(normal, s0, strike, rate, sigma, t):
    """Returns the discounted mean payoff and its standard error from standard normal samples."""
    drift = (rate - 0.5 * sigma**2) * t
    end = s0 * cp.exp(drift + sigma * math.sqrt(t) * normal)
    payoff = cp.maximum(end - strike, 0) * math.exp(-rate * t)
    return payoff.mean(), payoff.std(ddof=1) / math.sqrt(payoff.size)


def closed_form(s0, strike, rate, sigma, t):
    """Returns the Black–Scholes price."""
    d1 = (math.log(s0 / strike) + (rate + sigma**2 / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    cdf = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    return s0 * cdf(d1) - strike * math.exp(-rate * t) * cdf(d2)


def main(paths=20000, seed=7):
    how = dict(s0=100.0, strike=105.0, rate=0.02, sigma=0.2, t=1.5)
    normal = cp.asarray(np.random.default_rng(seed).standard_normal(paths))
    mean, error = price(normal, **how)
    exact = closed_form(**how)
    assert abs(float(mean) - exact) < 4 * float(error)
    return {'price': mean, 'error': error, 'exact': exact}


if __name__ == '__main__':
    found = main()
    print('simulated {:.4f} +/- {:.4f}, exact {:.4f}'.format(float(found['price']), float(found['error']), found['exact']))
