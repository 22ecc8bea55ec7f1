"""The sieve of Eratosthenes."""

import cupy as cp


def primes(n):
    """Returns the primes below n."""
    is_prime = cp.ones(n, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    return cp.nonzero(is_prime)[0]


def main(n=1000):
    found = primes(n)
    gaps = cp.diff(found)
    return {'primes': found, 'counterparts': found[:-1][gaps == 2], 'gap': gaps.max()}


if __name__ == '__main__':
    found = main()
    print(found['primes'].size, 'primes, the largest', found['primes'][-1], 'and', len(found['counterparts']), 'counterparts')
