"""Sorting of a table: by one column, by two, the first few rows, and groups."""

import cupy as cp
import numpy as np


def main(n=500):
    rng = np.random.default_rng(2)
    city = cp.asarray(rng.integers(0, 7, n))
    amount = cp.asarray(rng.integers(0, 1000, n).astype(np.float32))

    by_amount = cp.argsort(amount)
    by_city = cp.lexsort(cp.stack([amount, city.astype(cp.float32)]))
    assert bool((cp.diff(city[by_city]) >= 0).all())

    least = cp.sort(cp.partition(amount, 10)[:10])
    assert bool((least == cp.sort(amount)[:10]).all())

    names, first, counts = cp.unique(city[by_city], return_index=True, return_counts=True)
    sums = cp.bincount(city, weights=amount)
    ranks = cp.searchsorted(cp.sort(amount), amount)
    table = amount.copy()
    table.sort()
    return {'sorted': amount[by_amount], 'least': least, 'names': names, 'first': first, 'counts': counts, 'sums': sums, 'ranks': ranks, 'table': table}


if __name__ == '__main__':
    found = main()
    for name, count, total in zip(*(found[key].tolist() for key in ('names', 'counts', 'sums'))):
        print(f'city {name}: {count:3d} sales, {total:8.0f}')
