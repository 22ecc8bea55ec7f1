"""Powers of matrices."""

import cuprum
from cuprum._cuprum.routines.linalg import matrix_power as _matrix_power
from cuprum._decorators import renamed, set_module

__all__ = ['matrix_power']

# Exponents beyond the library's integers are split into steps of this power.
_STEP = 2**62


@renamed(M='a')
@set_module('cuprum.linalg')
def matrix_power(a, n):
    """Raises a square matrix to the power `n`: an integer of any size."""
    try:
        return _matrix_power(a, n)
    except OverflowError:
        n = int(n)
    if n < 0:
        a, n = cuprum.linalg.inv(a), -n
    steps, rest = divmod(n, _STEP)
    return cuprum.matmul(matrix_power(_matrix_power(a, _STEP), steps), _matrix_power(a, rest))
