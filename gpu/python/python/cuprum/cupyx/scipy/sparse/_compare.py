"""Comparisons of sparse arrays, and their maxima and minima with other operands."""

import math
import operator
import warnings

import numpy

import cuprum

from ._arithmetic import is_sparse
from ._utils import SparseEfficiencyWarning, dense_operand, is_scalar

_NAMES = {operator.eq: 'equal', operator.ne: 'not_equal', operator.lt: 'less', operator.le: 'less_equal', operator.gt: 'greater', operator.ge: 'greater_equal'}
_SIGNS = {operator.eq: '==', operator.ne: '!=', operator.lt: '<', operator.le: '<=', operator.gt: '>', operator.ge: '>='}


class Comparisons:
    """Comparisons of all formats."""

    def _comparison(self, other, compare):
        if is_scalar(other):
            return self._compare_scalar(other, compare)
        if is_sparse(other):
            return self._compare_sparse(other, compare)
        dense = dense_operand(other)
        return dense if dense is NotImplemented else compare(self.toarray(), dense)

    def _compare_scalar(self, other, compare):
        of_zeros = bool(compare(0, other))
        if _is_nan(other):
            return self._filled(of_zeros)
        if not of_zeros:
            return self._of_stored(compare, other)
        _warn(f'{_SIGNS[compare]} {other} is true of every element that is not stored')
        return self._dense_in_compressed(compare(self.toarray(), other))

    def _compare_sparse(self, other, compare):
        if self.shape != other.shape:
            if compare in (operator.eq, operator.ne):
                return compare is operator.ne
            raise ValueError(f'inconsistent shapes {self.shape} and {other.shape}')
        if not compare(0, 0):
            return self._binary(other, _NAMES[compare])
        _warn(f'{_SIGNS[compare]} is true of every element that neither array stores')
        return self._dense_in_compressed(compare(self.toarray(), other.toarray()), other)

    def _filled(self, value):
        """Returns an array of this format whose elements are all equal to a boolean."""
        if not value:
            return type(self)(self.shape, dtype=bool)
        return type(self)(cuprum.ones(self.shape, dtype=bool))

    def _of_stored(self, function, other):
        """Applies a function that is zero of zero and a number to the stored elements; zeros are dropped."""
        if self.ndim > 2:
            return self.reshape(1, -1)._of_stored(function, other).tocoo(copy=False).reshape(self.shape)
        own = self._compressed()
        data = function(own._summed_data(), other)
        return own._new(own._sparse.with_data(data).eliminate_zeros(), own._one_axis)

    def _dense_in_compressed(self, dense, *others):
        if self.ndim > 2:
            return self._class('coo')(dense)
        made = self._class('csc' if self._format == 'csc' else 'csr')(dense)
        wide = any(x._compressed().indices.dtype == numpy.int64 for x in (self, *others))
        return made._new(made._sparse.with_index_dtype(numpy.int64), made._one_axis) if wide else made

    def __eq__(self, other):
        return self._comparison(other, operator.eq)

    def __ne__(self, other):
        return self._comparison(other, operator.ne)

    def __lt__(self, other):
        return self._comparison(other, operator.lt)

    def __le__(self, other):
        return self._comparison(other, operator.le)

    def __gt__(self, other):
        return self._comparison(other, operator.gt)

    def __ge__(self, other):
        return self._comparison(other, operator.ge)

    def maximum(self, other):
        """Returns the larger elements of this array and of another operand.

        The result is dense where `other` is; for a positive number every element is stored, which a warning reports.
        """
        return self._extreme(other, cuprum.maximum)

    def minimum(self, other):
        """Returns the smaller elements of this array and of another operand.

        The result is dense where `other` is; for a negative number every element is stored, which a warning reports.
        """
        return self._extreme(other, cuprum.minimum)

    def _extreme(self, other, function):
        name = function.__name__
        if is_scalar(other):
            if not bool(function(0, other)):
                return self._of_stored(function, other)
            _warn(f'{name} with {other} makes every element nonzero')
            return type(self)(function(self.toarray(), other))
        if is_sparse(other):
            if self.shape != other.shape:
                raise ValueError(f'inconsistent shapes {self.shape} and {other.shape}')
            return self._binary(other, name)
        dense = dense_operand(other)
        if dense is NotImplemented:
            raise NotImplementedError(f'{name}: an operand of {type(other).__name__} is not supported: give a number or an array')
        return function(self.toarray(), dense)


def _is_nan(x):
    try:
        return math.isnan(x)
    except TypeError:
        return bool(cuprum.isnan(x))


def _warn(what):
    warnings.warn(f'{what}: the result stores about as much as a dense array', SparseEfficiencyWarning, stacklevel=5)
