"""Arrays of a device in autoray, which finds functions by the name of the package that an array's class is of."""

__all__ = ['REGISTRATIONS']


def _register_functions(module):
    import cuprum
    if cuprum.__name__ == 'cupy':
        module.register_backend(cuprum.ndarray, 'cupy')
    else:
        module.register_function('cuprum', 'to_numpy', cuprum.asnumpy)


REGISTRATIONS = {'autoray.autoray': _register_functions}
