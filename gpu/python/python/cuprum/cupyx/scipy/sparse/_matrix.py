"""Methods that matrices have and arrays lack: `*` and `**` of matrices, and older methods."""

from ._utils import check_shape, is_integer, is_scalar, repeated_product


class spmatrix:
    """Base class of sparse matrices, whose `*` is the product of matrices: `isinstance(A, spmatrix)`.

    Indexing and reductions of a matrix along one axis have two axes.
    """

    def __class_getitem__(cls, item, /):
        """Returns the class, subscripted for annotations."""
        from types import GenericAlias

        return GenericAlias(cls, item)

    def __new__(cls, *args, **kwargs):
        if cls is spmatrix:
            raise ValueError('spmatrix cannot be instantiated: use a class of a format, such as csr_matrix')
        return super().__new__(cls)

    def __mul__(self, other):
        return self._matmul(other)

    def __rmul__(self, other):
        return self._rmatmul(other)

    def __pow__(self, other):
        rows, columns = self.shape
        if rows != columns:
            raise TypeError(f'power: a matrix of shape {self.shape} is not square')
        if not is_scalar(other) or not is_integer(other):
            raise ValueError(f'power: the exponent of a matrix must be an integer, not {other!r}: for elements use A.power')
        exponent = int(other)
        if exponent < 0:
            raise ValueError(f'power: the exponent {exponent} of a matrix is negative')
        if exponent == 0:
            from ._construct import eye_array

            return eye_array(rows, dtype=self.dtype)
        return repeated_product(self, exponent)

    @property
    def A(self):
        """Dense array: `toarray()`."""
        return self.toarray()

    @property
    def H(self):
        """Conjugate transpose: `getH()`."""
        return self.getH()

    def getH(self):
        """Returns the conjugate transpose."""
        return self.conjugate().transpose()

    def get_shape(self):
        """Returns the lengths of the axes."""
        return tuple(self._sparse.shape)

    def set_shape(self, shape):
        """Gives the matrix another shape in place, in the same format: `reshape`."""
        lengths = check_shape((shape,), self.get_shape())
        self._sparse = self.reshape(lengths).asformat(self._format)._sparse

    shape = property(get_shape, set_shape, doc='Lengths of the axes.')

    def getformat(self):
        """Returns the name of the format."""
        return self._format

    def getmaxprint(self):
        """Returns the number of elements from which on `str` shows the first and the last ones only."""
        return self.maxprint

    def getnnz(self, axis=None):
        """Counts the stored elements, all of them or those of each row or column along `axis`."""
        return self._getnnz(axis)

    def asfptype(self):
        """Returns the matrix with floating-point elements; itself if it has them."""
        return self._asfptype()

    def getcol(self, j):
        """Returns a column as a matrix of one column. Raises IndexError for an index out of range."""
        return self._column(j)

    def getrow(self, i):
        """Returns a row as a matrix of one row. Raises IndexError for an index out of range."""
        return self._row(i)
