"""Gravitational n-body simulation by the leapfrog scheme, which conserves the energy."""

import cupy as cp
import numpy as np

SOFTENING = 0.1


def acceleration(pos, mass):
    apart = pos[None, :, :] - pos[:, None, :]
    inverse = ((apart**2).sum(axis=-1) + SOFTENING**2) ** -1.5
    return (apart * (inverse * mass[None, :])[:, :, None]).sum(axis=1)


def energy(pos, vel, mass):
    apart = pos[None, :, :] - pos[:, None, :]
    distance = cp.sqrt((apart**2).sum(axis=-1) + SOFTENING**2)
    pairs = cp.triu(mass[:, None] * mass[None, :] / distance, k=1)
    return 0.5 * (mass * (vel**2).sum(axis=1)).sum() - pairs.sum()


def main(n=24, steps=20, dt=0.01):
    rng = np.random.RandomState(17)
    mass = cp.full(n, 1.0 / n)
    pos, vel = cp.array(rng.randn(n, 3)), cp.array(0.3 * rng.randn(n, 3))
    before = energy(pos, vel, mass)
    acc = acceleration(pos, mass)
    for _ in range(steps):
        vel += acc * (dt / 2)
        pos += vel * dt
        acc = acceleration(pos, mass)
        vel += acc * (dt / 2)
    after = energy(pos, vel, mass)
    assert abs(float(after - before)) < 1e-3 * abs(float(before))
    return {'pos': pos, 'vel': vel, 'energy': after}


if __name__ == '__main__':
    print('energy after the flight:', main()['energy'])
