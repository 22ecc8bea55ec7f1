"""TensorLy with its CuPy backend."""

import cupy as cp
import numpy as np
import tensorly as tl
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker

tl.set_backend('cupy')
rng = np.random.default_rng(0)
factors = [rng.uniform(size=(n, 2)) for n in (4, 5, 3)]
host = np.einsum('ir,jr,kr->ijk', *factors)
x = tl.tensor(host)
assert isinstance(x, cp.ndarray)


def close(result, rtol):
    assert isinstance(result, cp.ndarray), type(result)
    assert np.linalg.norm(result.get() - host) <= rtol * np.linalg.norm(host)


np.testing.assert_allclose(tl.unfold(x, 1).get(), np.moveaxis(host, 1, 0).reshape(5, -1))
close(tl.fold(tl.unfold(x, 1), 1, x.shape), 0)
np.testing.assert_allclose(float(tl.norm(x)), np.linalg.norm(host))
np.testing.assert_allclose(tl.tenalg.mode_dot(x, tl.tensor(factors[0].T), 0).get(), np.einsum('ijk,ir->rjk', host, factors[0]))
np.testing.assert_allclose(tl.tenalg.khatri_rao([tl.tensor(f) for f in factors[:2]]).get(), np.einsum('ir,jr->ijr', *factors[:2]).reshape(20, 2))
close(tl.cp_to_tensor(parafac(x, rank=2, n_iter_max=50, init='svd', random_state=0)), 1e-2)
close(tl.cp_to_tensor(non_negative_parafac(x, rank=2, n_iter_max=50, init='svd', random_state=0)), 0.1)
close(tl.tucker_to_tensor(tucker(x, rank=[2, 2, 2])), 1e-6)
close(tl.tt_to_tensor(tensor_train(x, rank=[1, 2, 2, 1])), 1e-6)
