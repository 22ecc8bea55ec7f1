"""Vectorisation of functions of scalars: `vectorize`."""

import inspect
import warnings

import numpy as np

import cuprum
from cuprum import _cuprum
from cuprum._decorators import set_module

__all__ = ['vectorize']

_MISSING = object()
_NUMBERS = (int, float, complex, np.generic)


@set_module('cuprum')
class vectorize:
    """A function of scalars as a function of arrays, which are broadcast together.

    A function whose source can be translated, as by `cupyx.jit`, is a kernel: it is called for each element, on the
    device, and its result has the dtype to which all that it returns is promoted. Any other function is called
    once, with whole arrays, in a scope of `fuse`; it has to work element by element, which is checked with the last
    elements alone at the first call.

    `otypes` are the dtypes of the results, `excluded` the positions and the names of arguments that are passed
    unchanged. With a `signature`, ``'(m,n),(n)->(m)'``, the function is called with the core axes that it names,
    for each index of all others. `cache` has no effect: no element is computed twice. Without a function it is a
    decorator.
    """

    def __init__(self, pyfunc=_MISSING, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.otypes = None
        if isinstance(otypes, str):
            self.otypes = ''.join(np.dtype(letter).char for letter in otypes)
        elif otypes is not None:
            if not np.iterable(otypes):
                raise ValueError('vectorize: otypes are a text of letters or a list of dtypes')
            self.otypes = ''.join(np.dtype(dtype).char for dtype in otypes)
        self.excluded = set() if excluded is None else set(excluded)
        if not all(isinstance(a, (str, int)) for a in self.excluded):
            raise TypeError('vectorize: excluded are positions and names of arguments')
        self.cache, self.signature = cache, signature
        self._doc, self._ways = doc, {}
        self.pyfunc = None
        if pyfunc is not _MISSING:
            self._take(pyfunc)

    def _take(self, pyfunc):
        if not callable(pyfunc):
            raise TypeError(f'vectorize: {pyfunc!r} is no function')
        self.pyfunc = pyfunc
        self.__name__ = getattr(pyfunc, '__name__', type(pyfunc).__name__)
        self.__doc__ = self._doc or pyfunc.__doc__
        self.__wrapped__ = pyfunc

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:
            self._take(*args, **kwargs)
            return self
        args, kwargs = self._in_order(args, kwargs)
        if self.signature is not None:
            return self._over_axes(*self._bound(args, kwargs))
        if not args and not kwargs:
            return self.pyfunc()
        results = self._results(args, kwargs)
        if self.otypes is not None:
            if len(self.otypes) != len(results):
                raise ValueError(f'{self.__name__}: {len(self.otypes)} otypes are given for {len(results)} results')
            results = [a.astype(t, copy=False) for a, t in zip(results, self.otypes)]
        return results[0] if len(results) == 1 else tuple(results)

    def _in_order(self, args, kwargs):
        """Returns the arguments by position, if possible."""
        if kwargs and not self.excluded:
            try:
                bound = inspect.signature(self.pyfunc).bind(*args, **kwargs)
            except ValueError:
                return args, kwargs
            return bound.args, bound.kwargs
        return args, kwargs

    def _bound(self, args, kwargs):
        """Returns a function of the arguments that are vectorised, and these arguments."""
        given = {k: a for k, a in enumerate(args) if k not in self.excluded}
        given |= {name: a for name, a in kwargs.items() if name not in self.excluded}

        def inner(*operands):
            now = dict(zip(given, operands))
            positional = [now.get(k, a) for k, a in enumerate(args)]
            return self.pyfunc(*positional, **{name: now.get(name, a) for name, a in kwargs.items()})

        return inner, list(given.values())

    def _over_axes(self, inner, operands):
        handle = _cuprum.GufuncHandle(inner, self.signature, False, self.__name__, self.otypes and [*map(np.dtype, self.otypes)])
        nin, _ = handle.arity
        if len(operands) != nin:
            raise TypeError(f'{self.__name__}: {nin} arguments are vectorised by {self.signature}, not {len(operands)}')
        made = handle.call(operands, [], None, None, False, None, 'unsafe', None)
        return made[0] if len(made) == 1 else tuple(made)

    def _results(self, args, kwargs):
        why = key = None
        # A scalar is the same for all elements, whether it is vectorised or not.
        if not kwargs and all(k not in self.excluded or isinstance(a, _NUMBERS) for k, a in enumerate(args)):
            operands = [a if isinstance(a, cuprum.ndarray) else cuprum.asarray(a) for a in args]
            key = tuple(np.dtype(a.dtype).name for a in operands)
            if key not in self._ways:
                self._ways[key] = self._kernel([np.dtype(a.dtype) for a in operands])
            way = self._ways[key]
            if not isinstance(way, Exception):
                return list(way(*operands))
            why = way
        inner, operands = self._bound(args, kwargs)
        if not operands:
            return [cuprum.asarray(inner())]
        return self._whole(inner, operands, why, key)

    def _kernel(self, dtypes):
        """Returns the kernel of the translated function, or the reason why there is none."""
        from cuprum.cupyx.jit._translate import elementwise

        try:
            preamble, name, results, discards = elementwise(self.pyfunc, dtypes)
        except (NameError, TypeError, ValueError) as e:
            return e
        takes = ', '.join(f'{dtype.name} in{k}' for k, dtype in enumerate(dtypes))
        gives = ', '.join(f'{dtype.name} out{k}' for k, dtype in enumerate(results))
        given = ', '.join(f'in{k}' for k in range(len(dtypes)))
        body = f'const auto all = {name}({given}); ' + ' '.join(f'out{k} = all.v{k};' for k in range(len(results)))
        kernel = cuprum.ElementwiseKernel(takes, gives, body, f'vectorized_{name}', preamble=preamble, return_tuple=True)
        if not discards:
            return kernel

        def warned(*operands):
            warnings.warn('Casting complex values to real discards the imaginary part', np.exceptions.ComplexWarning, stacklevel=4)
            return kernel(*operands)

        return warned

    def _whole(self, inner, operands, why, key):
        """Returns the results of one call with whole arrays."""
        whole = cuprum.broadcast_arrays(*map(cuprum.asarray, operands))
        results = self._of_arrays(inner, whole, why)
        tried = (key, 'tried')
        if key is None or tried not in self._ways:
            self._try(inner, whole, results)
            self._ways[tried] = True
        return results

    def _of_arrays(self, inner, whole, why=None):
        try:
            with cuprum.fuse():
                made = inner(*whole)
                made = made if isinstance(made, tuple) else (made,)
                results = [cuprum.asarray(a) for a in made]
        except Exception as e:
            # The function was called with whole arrays because it is not translated. If it branches, or if both fail by
            # a type, the translation has the reason.
            if why is not None and ('truth value' in str(e) or isinstance(why, TypeError) and isinstance(e, (TypeError, ValueError))):  # words: allow
                raise why from e
            raise e from why
        for a in results:
            if a.ndim and a.shape != whole[0].shape:
                raise ValueError(f'vectorize: {self.__name__} is not element by element: of arrays of shape {whole[0].shape} it makes one of shape {a.shape}')
        return [a if a.shape == whole[0].shape else cuprum.broadcast_to(a, whole[0].shape).copy() for a in results]

    def _try(self, inner, whole, results):
        """Rejects a function that returns something else for the last elements alone."""
        if whole[0].size < 2:
            return
        alone = self._of_arrays(inner, [a[(-1,) * a.ndim].reshape(1) for a in whole])
        for one, all in zip(alone, results):
            last = all[(-1,) * all.ndim].reshape(1)
            if one.dtype != last.dtype or one.get().tobytes() != last.get().tobytes():
                raise ValueError(f'vectorize: {self.__name__} is not element by element: of the last elements alone it makes {one[0]}, and {last[0]} among all')

    def __repr__(self):
        return f'<vectorize {getattr(self, "__name__", "decorator")}>'
