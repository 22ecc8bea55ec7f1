"""Generalised universal functions, which operate on core axes of their operands and are broadcast over the others."""

import numpy as np

import cuprum
from cuprum import _cuprum

__all__ = ['GeneralizedUFunc']


def _dtypes(letters):
    return tuple(np.dtype(letter) for letter in letters)


class GeneralizedUFunc:
    """A function on the core axes of its signature, such as ``'(m,n),(n)->(m)'``, which is broadcast over all
    others.

    A number in the signature is an axis of that size, and an axis with a ``?`` is optional. `func` is called with
    the core arrays at each position of the other axes; with `supports_batched` it is called once, with the whole
    batches. It returns an array for each result. Results are copied to `out`, even if `func` has an `out` itself
    (`supports_out`). `signatures` are the dtypes of its operands and results, ``'dd->d'``, or pairs of these and of
    a function for them; operands are cast to the first to which they can be cast.
    """

    def __init__(self, func, signature, supports_batched=False, supports_out=False, signatures=(), name='', doc=''):
        self._func, self.signature = func, signature
        self._supports_batched, self._supports_out = bool(supports_batched), bool(supports_out)
        self.__name__ = name or getattr(func, '__name__', type(func).__name__)
        self.__doc__ = doc or getattr(func, '__doc__', None)
        self._handle = self._of(func)
        self.nin, self.nout = self._handle.arity
        self.nargs = self.nin + self.nout
        self._loops = []
        for entry in signatures:
            text, own = (entry, func) if isinstance(entry, str) else entry
            takes, arrow, gives = text.partition('->')
            if not arrow or (len(takes), len(gives)) != (self.nin, self.nout):
                raise ValueError(f'{self.__name__}: {text!r} has not a dtype for each operand and each result of {signature}')
            self._loops.append((_dtypes(takes), _dtypes(gives), self._of(own, _dtypes(gives))))

    def _of(self, func, results=None):
        return _cuprum.GufuncHandle(func, self.signature, self._supports_batched, self.__name__, None if results is None else list(results))

    @property
    def types(self):
        """The dtypes of the operands and results of each loop, if any were given."""
        join = lambda dtypes: ''.join(dtype.char for dtype in dtypes)
        return [f'{join(takes)}->{join(gives)}' for takes, gives, _ in self._loops]

    def __repr__(self):
        return f"<GeneralizedUFunc '{self.__name__}' {self.signature}>"

    def _loop(self, operands, dtype, signature):
        if signature is not None:
            wanted = (
                signature
                if isinstance(signature, str)
                else ''.join(np.dtype(t).char for t in signature[: self.nin]) + '->' + ''.join(np.dtype(t).char for t in signature[self.nin :])
            )
            fits = lambda takes, gives: (takes, gives) == tuple(map(_dtypes, wanted.split('->')))
        elif dtype is not None:
            fits = lambda takes, gives: all(to == dtype for to in gives)
        else:
            fits = lambda takes, gives: all(np.can_cast(a.dtype, to) for a, to in zip(operands, takes))
        for takes, gives, handle in self._loops:
            if fits(takes, gives):
                return takes, handle
        requested = signature or dtype or ', '.join(str(a.dtype) for a in operands)
        raise TypeError(f'{self.__name__}: no loop fits {requested}: there are {", ".join(self.types) or "none"}')

    def __call__(self, *args, out=None, axes=None, axis=None, keepdims=False, casting='same_kind', dtype=None, signature=None, order='K'):
        """Calls the function with arrays or scalars; outputs may follow the operands, or be given by `out`."""
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(f'{self.__name__}: {self.nin} operands are taken, and {self.nout} results after them, not {len(args)} arguments')
        operands, outs = list(args[: self.nin]), list(args[self.nin :])
        if out is not None:
            if outs:
                raise TypeError(f"{self.__name__}: 'out' is given twice: by position and by name")
            outs = list(out) if isinstance(out, tuple) else [out]
            if len(outs) != self.nout:
                raise ValueError(f"{self.__name__}: 'out' has {len(outs)} entries: it has one for each of {self.nout} results")
        if outs:
            outs += [None] * (self.nout - len(outs))
        handle, dtype = self._handle, None if dtype is None else np.dtype(dtype)
        if self._loops or signature is not None:
            operands = [cuprum.asarray(a) for a in operands]
            takes, handle = self._loop(operands, dtype, signature)
            for k, (a, to) in enumerate(zip(operands, takes)):
                if not np.can_cast(a.dtype, to, casting):
                    raise TypeError(f'{self.__name__}: operand {k} of {a.dtype} cannot be cast to {to} under {casting!r}')
                operands[k] = a.astype(to, copy=False)
            dtype = None
        made = handle.call(operands, outs, axes, axis, bool(keepdims), dtype, casting, None if order == 'K' else order)
        return made[0] if self.nout == 1 else tuple(made)
