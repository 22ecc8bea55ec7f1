"""Decorators of public functions."""

import functools

__all__ = ['renamed', 'set_module']


def set_module(name):
    """Returns a decorator that sets the public module of a function or of a class, which re-exports it from a private
    one."""

    def decorated(function):
        function.__module__ = name
        return function

    return decorated


def renamed(**names):
    """Returns a decorator that adds other names of parameters, which are CuPy's: `renamed(other='own')`."""

    def decorated(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            for other, own in names.items():
                if other in kwargs:
                    if own in kwargs:
                        raise TypeError(f'{function.__name__}: {other} is another name of {own}: give one of them')
                    kwargs[own] = kwargs.pop(other)
            return function(*args, **kwargs)

        return call

    return decorated
