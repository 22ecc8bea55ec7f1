"""autoray finds functions by the module of an array's class."""

import autoray
import cupy as cp
import numpy as np
from autoray import do

host = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
x = cp.asarray(host)


def same(result, expected):
    assert isinstance(result, cp.ndarray), type(result)
    np.testing.assert_allclose(result.get(), expected, atol=1e-12)


for name, args in (
    ('sum', ()),
    ('exp', ()),
    ('transpose', ((1, 0),)),
    ('reshape', ((9,),)),
    ('linalg.inv', ()),
    ('linalg.norm', ()),
    ('linalg.det', ()),
    ('tril', ()),
    ('diag', ()),
    ('max', ()),
    ('abs', ()),
):
    same(do(name, x, *args), do(name, host, *args))
q, r = do('linalg.qr', x)
same(q @ r, host)
u, s, vh = do('linalg.svd', x)
same((u * s) @ vh, host)
same(do('einsum', 'ij,jk->ik', x, x), host @ host)
same(do('tensordot', x, x, axes=1), host @ host)
same(do('stack', [x, x]), np.stack([host, host]))
same(do('concatenate', [x, x], axis=1), np.concatenate([host, host], axis=1))
same(do('zeros_like', x), np.zeros_like(host))
same(do('ones', (2, 2), like=x), np.ones((2, 2)))
same(do('array', [1.0, 2.0], like=x), [1.0, 2.0])
np.testing.assert_allclose(autoray.to_numpy(x), host)
assert autoray.get_dtype_name(x) == 'float64' and autoray.shape(x) == (3, 3)
same(autoray.astype(x, 'complex64'), host)


@autoray.autojit
def mean_of_squares(a):
    return do('sum', a * a) / autoray.size(a)


same(mean_of_squares(x), (host * host).mean())
