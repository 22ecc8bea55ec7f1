"""`cuprum.scipy.fft` as a backend of `scipy.fft`: the protocol of `uarray`."""

import inspect

from cuprum import _cuprum

__all__ = ['complete']


def complete(fft):
    """Adds the protocol to the module: the domain for which it is a backend, and the function that `scipy.fft`
    calls."""

    def __ua_function__(method, args, kwargs):
        """Calls the function of the module with the name of SciPy's `method`. Returns `NotImplemented` if there is
        none, and for arrays of other libraries, which another backend may transform."""
        function = vars(fft).get(method.__name__)
        operand = args[0] if args else next(iter(kwargs.values()), None)
        if function is None or not isinstance(operand, _cuprum.ndarray):
            return NotImplemented
        known = inspect.signature(function).parameters
        # SciPy passes host threads and plans on even if the caller did not pass them.
        kept = {name: value for name, value in kwargs.items() if name in known or value is not None}
        return function(*args, **kept)

    __ua_function__.__module__ = 'cuprum.scipy.fft'
    fft.__ua_domain__ = 'numpy.scipy.fft'
    fft.__ua_function__ = __ua_function__
