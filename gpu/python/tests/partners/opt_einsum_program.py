"""opt_einsum contracts arrays by the functions of their own module."""

import cupy as cp
import numpy as np
import opt_einsum

rng = np.random.default_rng(0)
hosts = [rng.normal(size=shape) for shape in ((3, 4), (4, 5, 2), (5, 6), (2, 6))]
arrays = [cp.asarray(h) for h in hosts]


def same(result, expected):
    assert isinstance(result, cp.ndarray), type(result)
    np.testing.assert_allclose(result.get(), expected, rtol=1e-10)


equation = 'ab,bcd,ce,de->a'
expected = np.einsum(equation, *hosts)
for optimize in ('auto', 'greedy', 'optimal', 'dp'):
    same(opt_einsum.contract(equation, *arrays, optimize=optimize), expected)
expression = opt_einsum.contract_expression(equation, *(h.shape for h in hosts))
same(expression(*arrays), expected)
constant = opt_einsum.contract_expression(equation, arrays[0], *(h.shape for h in hosts[1:]), constants=[0])
same(constant(*arrays[1:]), expected)
with opt_einsum.shared_intermediates():
    same(opt_einsum.contract('ab,bcd->acd', *arrays[:2]), np.einsum('ab,bcd->acd', *hosts[:2]))
same(opt_einsum.contract('ii->i', arrays[0][:, :3]), np.diag(hosts[0][:, :3]))
same(opt_einsum.contract('ab,ac->bc', arrays[0], arrays[0]), hosts[0].T @ hosts[0])
