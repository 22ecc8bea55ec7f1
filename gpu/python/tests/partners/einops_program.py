"""einops under CuPy's name, and its functions for the array API standard natively."""

import cupy as cp
import einops
import einops.array_api
import numpy as np

host = np.arange(2 * 6 * 4, dtype='f').reshape(2, 6, 4)
x = cp.asarray(host)


def same(result, expected):
    assert isinstance(result, cp.ndarray), type(result)
    np.testing.assert_allclose(result.get(), expected, rtol=1e-6)


for functions in (einops, einops.array_api):
    for pattern, sizes in (('b (h w) c -> b c h w', {'w': 2}), ('b l c -> (b l) c', {}), ('b l c -> l b c', {})):
        same(functions.rearrange(x, pattern, **sizes), einops.rearrange(host, pattern, **sizes))
    for pattern, operation in (('b l c -> b c', 'mean'), ('b l c -> c', 'max'), ('b (h w) c -> b h c', 'sum')):
        sizes = {'w': 3} if 'w' in pattern else {}
        same(functions.reduce(x, pattern, operation, **sizes), einops.reduce(host, pattern, operation, **sizes))
    same(functions.repeat(x, 'b l c -> b l c k', k=3), einops.repeat(host, 'b l c -> b l c k', k=3))
    packed, shapes = functions.pack([x, x[:, :, 0]], 'b *')
    same(packed, einops.pack([host, host[:, :, 0]], 'b *')[0])
    same(functions.unpack(packed, shapes, 'b *')[0], host)
same(einops.einsum(x, x, 'b l c, b m c -> b l m'), np.einsum('blc,bmc->blm', host, host))
assert einops.parse_shape(x, 'b l c') == {'b': 2, 'l': 6, 'c': 4}
