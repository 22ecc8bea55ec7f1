"""The potential of two charges in a grounded box: Poisson's equation as a sparse system, solved by conjugate gradients."""

import cupy as cp
from cupyx.scipy import sparse
from cupyx.scipy.sparse import linalg


def laplacian(n):
    """Returns the negated Laplace operator on a grid of n x n points in the unit square."""
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return (sparse.kronsum(line, line) * float((n + 1) ** 2)).tocsr()


def main(n=20):
    A = laplacian(n)
    charge = cp.zeros((n, n))
    charge[n // 3, n // 4], charge[2 * n // 3, 3 * n // 4] = n * n, -n * n
    potential, info = linalg.cg(A, charge.ravel(), rtol=1e-12)
    assert info == 0
    residual = cp.linalg.norm(A @ potential - charge.ravel())
    assert float(residual) < 1e-8 * n * n
    return {'potential': potential.reshape(n, n), 'entries': A.nnz}


PICTURE = dict(n=80)


def draw(figure, found):
    """Draws the potential by lines of equal height."""
    axes = figure.subplots()
    potential = cp.asnumpy(found['potential'])
    image = axes.contourf(potential, levels=31, cmap='RdBu_r', vmin=-0.4, vmax=0.4)
    axes.contour(potential, levels=31, colors='black', linewidths=0.3)
    figure.colorbar(image, ax=axes, label='potential')
    axes.set_aspect('equal')
    axes.set_axis_off()


if __name__ == '__main__':
    found = main()
    print(found['entries'], 'entries; highest potential', found['potential'].max())
