"""Decorators that run a test with NumPy and with Cuprum, and compare the results."""

import numpy as np

from . import _array
from ._dtypes import SIGNED, UNSIGNED, FLOATS, _skipped, without
from ._modules import cuprum, scipy_of, sparse_of

__all__ = [
    'numpy_cupy_allclose',
    'numpy_cupy_array_almost_equal',
    'numpy_cupy_array_almost_equal_nulp',
    'numpy_cupy_array_equal',
    'numpy_cupy_array_less',
    'numpy_cupy_array_list_equal',
    'numpy_cupy_array_max_ulp',
    'numpy_cupy_equal',
    'numpy_cupy_raises',
]


def _call(impl, args, kw, xp, names):
    """Calls a test with `xp` and the related modules, and returns its result and its exception."""
    name, sp_name, scipy_name = names
    given = {**kw, name: xp}
    if sp_name:
        given[sp_name] = sparse_of(xp)
    if scipy_name:
        given[scipy_name] = scipy_of(xp)
    try:
        return impl(*args, **given), None
    except _skipped() as skip:
        return None, skip
    except Exception as error:
        return None, error


def _call_both(impl, args, kw, names):
    """Calls a test with Cuprum and with NumPy. If one of them skips, the other must skip for the same reason."""
    ours, our_error = _call(impl, args, kw, cuprum, names)
    theirs, their_error = _call(impl, args, kw, np, names)
    skips = [isinstance(error, _skipped()) for error in (our_error, their_error)]
    if all(skips):
        if our_error.args != their_error.args:
            raise AssertionError(f'the test is skipped for different reasons: {our_error.args} by us, {their_error.args} by NumPy')
        raise our_error
    if any(skips):
        raise AssertionError(f'the test is skipped by one side alone.\nours: {our_error!r}\nNumPy: {their_error!r}') from (
            their_error if skips[0] else our_error
        )
    return ours, our_error, theirs, their_error


def _accepted(accept_error):
    """Returns the exceptions that `accept_error` specifies."""
    if isinstance(accept_error, bool):
        return (Exception,) if accept_error else ()
    return accept_error if isinstance(accept_error, tuple) else (accept_error,)


def _judge_errors(ours, theirs, accept_error):
    """Raises an AssertionError unless both sides raised the same kind of exception, and it is accepted."""
    if theirs is None:
        raise AssertionError(f'Only cupy raises error\n\n{_described(ours)}') from ours
    if ours is None:
        raise AssertionError(f'Only numpy raises error\n\n{_described(theirs)}') from theirs
    both = f'cupy\n{_described(ours)}\n\nnumpy\n{_described(theirs)}'
    # Cuprum's exception may be a subclass of NumPy's, but not a base class.
    if not isinstance(ours, type(theirs)):
        raise AssertionError(f'Different types of errors occurred\n\n{both}') from ours
    axis = ('axis', 'ndim')
    if isinstance(theirs, np.exceptions.AxisError) and any(getattr(ours, of, None) != getattr(theirs, of) for of in axis):
        raise AssertionError(f'Different axes are rejected\n\n{both}') from ours
    accepted = _accepted(accept_error)
    if not (isinstance(ours, accepted) and isinstance(theirs, accepted)):
        raise AssertionError(f'Both cupy and numpy raise exceptions\n\n{both}') from ours


def _described(error):
    import traceback

    return ''.join(traceback.format_exception(type(error), error, error.__traceback__))


def _signed_and_unsigned(kw):
    """Returns true if a test is called with an unsigned dtype and with one that has negative numbers."""
    values = [v for v in kw.values() if isinstance(v, type)]
    return any(v in UNSIGNED for v in values) and any(v in SIGNED + FLOATS for v in values)


def _not_negative(impl, args, kw, names):
    """Returns the indices where the result is not negative, computed with a signed dtype in place of the unsigned
    ones.

    The conversion of a negative number to an unsigned dtype is undefined in C, and differs between CPU and GPU.
    """
    wide = {key: np.intp if isinstance(v, type) and v in UNSIGNED else v for key, v in kw.items()}
    result, error = _call(impl, args, wide, cuprum, names)
    if error is not None:
        raise error
    return np.nonzero(_array.on_host(result) >= 0)


def _comparable(ours, theirs):
    """Returns the pair of arrays as which two results are compared."""
    if hasattr(ours, 'toarray') and hasattr(theirs, 'toarray'):
        return ours.toarray(), theirs.toarray()
    if isinstance(ours, cuprum.ndarray) and isinstance(theirs, (np.ndarray, np.generic)):
        return ours, theirs
    poly1d = getattr(cuprum, 'poly1d', None)
    if poly1d is not None and isinstance(ours, poly1d) and isinstance(theirs, np.poly1d):
        if ours.variable != theirs.variable:
            raise AssertionError(f'the variables differ: {ours.variable} and {theirs.variable}')
        return ours.coeffs, theirs.coeffs
    if isinstance(ours, (np.ndarray, np.generic)) and isinstance(theirs, (np.ndarray, np.generic)):
        return ours, theirs
    if np.isscalar(ours) and np.isscalar(theirs):
        return np.array(ours), np.array(theirs)
    raise AssertionError(f'numpy and cupy returns different type of return value:\ncupy: {type(ours)}\nnumpy: {type(theirs)}')


def _make(check, name, type_check, contiguous_check, accept_error, sp_name=None, scipy_name=None, check_format=True):
    names = (name, sp_name, scipy_name)

    def decorator(impl):
        @without(impl, *(n for n in names if n))
        def test_func(*args, **kw):
            ours, our_error, theirs, their_error = _call_both(impl, args, kw, names)
            if our_error is not None or their_error is not None:
                _judge_errors(our_error, their_error, accept_error)
                return
            if not isinstance(ours, (tuple, list)):
                ours = (ours,)
            if not isinstance(theirs, (tuple, list)):
                theirs = (theirs,)
            if len(ours) != len(theirs):
                raise AssertionError(f'different numbers of results: {len(ours)} and {len(theirs)}')
            for one, other in zip(ours, theirs):
                if check_format and hasattr(one, 'toarray') and getattr(one, 'format', None) != getattr(other, 'format', None):
                    raise AssertionError(f'the sparse formats differ: {one.format} and {other.format}')
            pairs = [_comparable(one, other) for one, other in zip(ours, theirs)]
            for one, other in pairs:
                if one.shape != other.shape:
                    raise AssertionError(f'Shapes are not equal: {one.shape} by cupy, {other.shape} by numpy')
                if type_check and one.dtype != other.dtype:
                    raise AssertionError(f'ndarrays of different dtypes are returned.\ncupy: {one.dtype}\nnumpy: {other.dtype}')
                if contiguous_check and isinstance(other, np.ndarray):
                    for flag in ('c_contiguous', 'f_contiguous'):
                        if getattr(other.flags, flag) and not getattr(one.flags, flag):
                            raise AssertionError(f'The state of {flag} flag is false. cupy: {one.flags!r}, numpy: {other.flags!r}')
            for one, other in pairs:
                if _signed_and_unsigned(kw) and one.dtype in [np.dtype(u) for u in UNSIGNED]:
                    at = _not_negative(impl, args, kw, names)
                    one, other = _array.on_host(one)[at], np.asarray(other)[at]
                check(one, other)

        return test_func

    return decorator


def _tolerance(tolerance, dtype):
    """Returns the tolerance for a dtype, from a number or from a dict by dtype."""
    if not isinstance(tolerance, dict):
        return tolerance
    for key in (np.dtype(dtype).type, np.dtype(dtype), np.dtype(dtype).name, 'default'):
        if key in tolerance:
            return tolerance[key]
    raise TypeError(f"the tolerances have neither {np.dtype(dtype).name} nor 'default'")


def _check_tolerances(type_check, *tolerances):
    for tolerance in tolerances:
        if not isinstance(tolerance, dict):
            continue
        if not type_check:
            raise TypeError('tolerances by dtype need type_check=True')
        for key in tolerance:
            if key != 'default' and not (isinstance(key, (type, np.dtype)) and np.dtype(key).kind in 'biufc'):
                raise TypeError(f"a tolerance's key is a dtype or 'default', not {key!r}")


def numpy_cupy_allclose(
    rtol=1e-7,
    atol=0,
    err_msg='',
    verbose=True,
    name='xp',
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    contiguous_check=True,
    *,
    _check_sparse_format=True,
):
    """Runs a test with both modules, and compares with `assert_allclose`.

    `rtol` and `atol` may be dicts by dtype, with the key 'default' for the others. Cuprum's array must be
    contiguous if NumPy's is, unless `contiguous_check` is False. `name` is the keyword by which the module is
    passed; `sp_name` and `scipy_name` are those for the module of sparse matrices and for SciPy's namespace.
    `accept_error` specifies the exceptions that both sides may raise: none with False, all with True, or a class or
    a tuple of classes.
    """
    _check_tolerances(type_check, rtol, atol)

    def check(ours, theirs):
        _array.assert_allclose(ours, theirs, _tolerance(rtol, ours.dtype), _tolerance(atol, ours.dtype), err_msg=err_msg, verbose=verbose)

    return _make(check, name, type_check, contiguous_check, accept_error, sp_name, scipy_name, _check_sparse_format)


def numpy_cupy_array_almost_equal(decimal=6, err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Runs a test with both modules, and compares with `assert_array_almost_equal`."""

    def check(ours, theirs):
        _array.assert_array_almost_equal(ours, theirs, decimal, err_msg, verbose)

    return _make(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_array_almost_equal_nulp(nulp=1, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Runs a test with both modules, and compares with `assert_array_almost_equal_nulp`."""

    def check(ours, theirs):
        _array.assert_array_almost_equal_nulp(ours, theirs, nulp)

    return _make(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_array_max_ulp(maxulp=1, dtype=None, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Runs a test with both modules, and compares with `assert_array_max_ulp`."""

    def check(ours, theirs):
        _array.assert_array_max_ulp(ours, theirs, maxulp, dtype)

    return _make(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_array_equal(err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None, strides_check=False):
    """Runs a test with both modules, and compares with `assert_array_equal`."""

    def check(ours, theirs):
        _array.assert_array_equal(ours, theirs, err_msg, verbose, strides_check=strides_check)

    return _make(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_array_list_equal(err_msg='', verbose=True, name='xp', sp_name=None, scipy_name=None):
    """Runs a test with both modules, and compares two lists of arrays with `assert_array_list_equal`."""
    names = (name, sp_name, scipy_name)

    def decorator(impl):
        @without(impl, *(n for n in names if n))
        def test_func(*args, **kw):
            ours, our_error, theirs, their_error = _call_both(impl, args, kw, names)
            if our_error is not None or their_error is not None:
                _judge_errors(our_error, their_error, False)
            _array.assert_array_list_equal(ours, theirs, err_msg, verbose)

        return test_func

    return decorator


def numpy_cupy_array_less(err_msg='', verbose=True, name='xp', type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """Runs a test with both modules; Cuprum's result must be less than NumPy's."""

    def check(ours, theirs):
        _array.assert_array_less(ours, theirs, err_msg, verbose)

    return _make(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_equal(name='xp', sp_name=None, scipy_name=None):
    """Runs a test with both modules; the two results, which need not be arrays, must be equal."""
    names = (name, sp_name, scipy_name)

    def decorator(impl):
        @without(impl, *(n for n in names if n))
        def test_func(*args, **kw):
            ours, our_error, theirs, their_error = _call_both(impl, args, kw, names)
            if our_error is not None or their_error is not None:
                _judge_errors(our_error, their_error, False)
            if not np.all(_array.on_host(ours) == theirs):
                raise AssertionError(f'Results are not equal:\ncupy: {ours!r}\nnumpy: {theirs!r}')

        return test_func

    return decorator


def numpy_cupy_raises(name='xp', sp_name=None, scipy_name=None, accept_error=Exception):
    """Runs a test with both modules; both must raise the same kind of exception."""
    names = (name, sp_name, scipy_name)

    def decorator(impl):
        @without(impl, *(n for n in names if n))
        def test_func(*args, **kw):
            _, our_error, _, their_error = _call_both(impl, args, kw, names)
            if our_error is None and their_error is None:
                raise AssertionError('Both cupy and numpy are expected to raise errors, but not')
            _judge_errors(our_error, their_error, accept_error)

        return test_func

    return decorator
