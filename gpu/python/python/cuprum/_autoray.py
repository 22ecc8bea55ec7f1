"""Support of device arrays in autoray, which looks functions up by the package name of an array's class."""

__all__ = ['REGISTRATIONS']


def _register_functions(module):
    import cuprum

    if cuprum.__name__ == 'cupy':
        module.register_backend(cuprum.ndarray, 'cupy')
    else:
        module.register_function('cuprum', 'to_numpy', cuprum.asnumpy)


REGISTRATIONS = {'autoray.autoray': _register_functions}
