"""The price of a European call option by the Monte Carlo method: the mean payoff of random paths, and its standard
error."""

import math

import cupy as cp
import numpy as np


def price(normal, s0, strike, rate, sigma, t):
    """Returns the final prices, the discounted mean payoff and its standard error from standard normal samples."""
    drift = (rate - 0.5 * sigma**2) * t
    end = s0 * cp.exp(drift + sigma * math.sqrt(t) * normal)
    payoff = cp.maximum(end - strike, 0) * math.exp(-rate * t)
    return end, payoff.mean(), payoff.std(ddof=1) / math.sqrt(payoff.size)


def closed_form(s0, strike, rate, sigma, t):
    """Returns the Black–Scholes price."""
    d1 = (math.log(s0 / strike) + (rate + sigma**2 / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    cdf = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    return s0 * cdf(d1) - strike * math.exp(-rate * t) * cdf(d2)


PICTURE = dict(paths=100_000)


def main(paths=20000, seed=7):
    market = dict(s0=100.0, strike=105.0, rate=0.02, sigma=0.2, t=1.5)
    normal = cp.asarray(np.random.default_rng(seed).standard_normal(paths))
    end, mean, error = price(normal, **market)
    exact = closed_form(**market)
    assert abs(float(mean) - exact) < 4 * float(error)
    return {'end': end, 'price': mean, 'error': error, 'exact': exact}


def draw(figure, found):
    """Draws the distribution of the final prices; the option pays above the strike."""
    axes = figure.subplots()
    counts, edges = cp.histogram(found['end'], bins=100, range=(30.0, 230.0))
    counts, left = cp.asnumpy(counts), cp.asnumpy(edges)[:-1]
    axes.bar(left, counts, width=2, align='edge', color=['tab:green' if price >= 105 else 'silver' for price in left])
    axes.axvline(105, color='black', linestyle='--', label='strike')
    axes.set(xlabel='price at expiry', ylabel='paths', title='option: {:.3f}, exact {:.3f}'.format(float(found['price']), found['exact']))
    axes.legend()


if __name__ == '__main__':
    found = main()
    print('simulated {:.4f} +/- {:.4f}, exact {:.4f}'.format(float(found['price']), float(found['error']), found['exact']))
