"""Named results of functions."""

from typing import NamedTuple

import cuprum


class EigResult(NamedTuple):
    """The result of `eig`."""

    eigenvalues: 'cuprum.ndarray'
    eigenvectors: 'cuprum.ndarray'


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: 'cuprum.ndarray'
    eigenvectors: 'cuprum.ndarray'


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: 'cuprum.ndarray'
    R: 'cuprum.ndarray'


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: 'cuprum.ndarray'
    logabsdet: 'cuprum.ndarray'


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: 'cuprum.ndarray'
    S: 'cuprum.ndarray'
    Vh: 'cuprum.ndarray'


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: 'cuprum.ndarray'
    indices: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'
