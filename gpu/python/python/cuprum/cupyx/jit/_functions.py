"""Functions that translated functions call, other than those of `jit`."""

import ast
import math
import operator
import types

import numpy as np

from ._names import Builtin
from ._operators import BINARY, COMPARISONS, UNARY
from ._types import C_NAMES, Array, is_weak
from ._values import RUNTIME, Value

__all__ = ['Functions']

# Floating-point functions: their names in C, by their names in NumPy and `math`.
_MATH = {
    name: name
    for name in '''sin cos tan sinh cosh tanh exp expm1 exp2 log log2 log10 log1p sqrt cbrt floor ceil trunc rint
    hypot fmod copysign erf erfc lgamma fabs nextafter'''.split()
}
_MATH |= {f'arc{name}': f'a{name}' for name in 'sin cos tan sinh cosh tanh'.split()}
_MATH |= {f'a{name}': f'a{name}' for name in 'sin cos tan sinh cosh tanh'.split()}
_MATH |= {'arctan2': 'atan2', 'atan2': 'atan2', 'gamma': 'tgamma'}
# NumPy's function whose loops determine the dtypes, if its name differs.
_NUMPY = {f'a{name}': f'arc{name}' for name in 'sin cos tan sinh cosh tanh tan2'.split()}
_COMPLEX = set('''sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh exp log log10 sqrt'''.split())
# Functions that are equivalent to operators.
_OPERATORS = {function.__name__: op for op, (_, _, function) in [*BINARY.items(), *UNARY.items(), *COMPARISONS.items()] if function}
_OPERATORS |= {'true_divide': ast.Div, 'divide': ast.Div, 'remainder': ast.Mod, 'mod': ast.Mod, 'pow': ast.Pow, 'power': ast.Pow}
_OPERATORS |= {f.__name__: op for op, (_, f, _) in [*BINARY.items(), *UNARY.items(), *COMPARISONS.items()] if getattr(operator, f.__name__, None) is f}
_SPELLED = {'and_': ast.BitAnd, 'or_': ast.BitOr, 'not_': ast.Not, 'invert': ast.Invert}
# Libraries whose functions may be called during translation although they are written in Python.
_LIBRARIES = ('cuprum', 'numpy', 'math', 'cmath', 'builtins', 'operator')


def _is_of_library(function):
    module = (getattr(function, '__module__', None) or '').split('.')[0]
    return module in _LIBRARIES or not isinstance(function, types.FunctionType)


class Functions:
    """Calls of functions in a `Translation`."""

    def call(self, node):
        function = self.any(node.func)
        of = function.constant
        if of is RUNTIME:
            self.fail(node, f'{ast.unparse(node.func)} is no function')
        keywords = {k.arg: k.value for k in node.keywords}
        if None in keywords or any(isinstance(a, ast.Starred) for a in node.args):
            self.fail(node, '* and ** are not supported in a call')
        if isinstance(of, Builtin):
            return of.translate(self, node, node.args, keywords)
        args = [self.any(a) for a in node.args]
        named = {name: self.any(a) for name, a in keywords.items()}
        if hasattr(of, '_translated_as_device') and not named:
            return self.program.device(self, node, of, args)
        if all(a.is_constant for a in [*args, *named.values()]) and of not in (min, max, abs, len):
            return self.called_on_host(node, of, args, named)
        if named:
            self.fail(node, f'{ast.unparse(node.func)} takes its arguments by position in a kernel')
        found = self.known_function(node, of, args)
        if found is not None:
            return found
        if not _is_of_library(of):
            return self.program.device(self, node, of, args)
        self.fail(node, f'{ast.unparse(node.func)} is not supported in a kernel')

    def called_on_host(self, node, of, args, named):
        """Calls a function of constants during translation: once per call site, so that its result keeps its
        identity."""
        key = (id(node), id(of), *(repr(a.constant) for a in [*args, *named.values()]))
        if key not in self.program.called:
            made = of(*(a.constant for a in args), **{name: a.constant for name, a in named.items()})
            self.program.called[key] = (of, made)
        return self.constant(self.program.called[key][1])

    def known_function(self, node, of, args):
        name = getattr(of, '__name__', '')
        count = len(args)
        if of is len and count == 1:
            return self.length(node, args[0])
        if of in (int, float, bool, complex) and count == 1:
            return self.of_python_type(node, of, args[0])
        if isinstance(of, type) and issubclass(of, np.generic) and count == 1:
            to = np.dtype(of)
            if to.name not in C_NAMES:
                self.fail(node, f'numbers of {to} are not supported in a kernel')
            return Value(self.cast(node, args[0], to, explicit=True), to)
        if of in (min, max) and count > 1:
            return self.smallest(node, of, args)
        if of is round and count == 1:
            return self.to_integer(node, 'rint', args[0])
        if of in (math.floor, math.ceil, math.trunc) and self.mode == 'numpy':
            return self.to_integer(node, name, args[0])
        op = _SPELLED.get(name) if name in _SPELLED else _OPERATORS.get(name)
        if op in BINARY and count == 2:
            if of is math.pow:
                args = [Value(self.cast(node, a, float), float if self.mode == 'numpy' else self.concrete(float)) for a in args]
            return self.binary(node, op(), *args)
        if op in UNARY and count == 1:
            return self.unary(node, op(), args[0])
        if op in COMPARISONS and count == 2:
            return Value(self.comparison(node, op(), *args), np.dtype(bool))
        if of is abs or name in ('absolute', 'abs', 'fabs') and count == 1:
            return self.absolute(node, args[0])
        if name in ('minimum', 'maximum', 'fmin', 'fmax') and count == 2:
            return self.extreme(node, name, *args)
        if name == 'where' and count == 3:
            kind = self.common(node, *args[1:])
            test, *parts = [self.cast(node, args[0], np.dtype(bool)), *(self.cast(node, a, kind) for a in args[1:])]
            return Value(f'({test} ? {parts[0]} : {parts[1]})', kind)
        if name in ('logical_and', 'logical_or', 'logical_xor') and count == 2:
            a, b = (self.cast(node, v, np.dtype(bool)) for v in args)
            sign = {'logical_and': '&&', 'logical_or': '||', 'logical_xor': '!='}[name]
            return Value(f'({a} {sign} {b})', np.dtype(bool))
        if name in ('isnan', 'isinf', 'isfinite') and count == 1:
            return self.classified(node, name, args[0])
        if name in ('real', 'imag', 'conj', 'conjugate') and count == 1:
            return self.part(node, args[0], name)
        if name in ('sign', 'square') and count == 1 and self.number(node, args[0]).type != np.dtype(bool):
            kind = self.concrete(args[0].type)
            if name == 'square':
                return self.binary(node, ast.Mult(), args[0], args[0])
            if kind.kind != 'c':
                inner = f'(float)({self.text(args[0])})' if kind.name == 'float16' else self.text(args[0])
                return Value(f'({C_NAMES[kind.name]})py_sign({inner})', args[0].type)
        if name in _MATH and callable(of):
            return self.mathematical(node, of, name, args)
        return None

    def length(self, node, of):
        if of.items is not None:
            return self.constant(len(of.items))
        if isinstance(of.type, Array) and of.type.ndim:
            return Value(f'(long long){of.text}.shape()[0]', np.dtype('int64'))
        if of.is_constant:
            return self.constant(len(of.constant))
        self.fail(node, 'len is of an array with axes, or of a tuple')

    def of_python_type(self, node, of, value):
        wide = self.mode == 'numpy'
        if value.is_constant:
            return self.constant(of(value.constant))
        if self.concrete(self.number(node, value).type).kind == 'c' and of in (int, float):
            self.fail(node, f'{of.__name__} is not of complex numbers: take the real part')
        kind = np.dtype(bool) if of is bool else of if wide else self.concrete(of)
        return Value(self.cast(node, value, kind), kind)

    def to_integer(self, node, name, value):
        dtype = self.concrete(self.number(node, value).type)
        if dtype.kind == 'c':
            self.fail(node, f'{name} is not of complex numbers')
        kind = int if self.mode == 'numpy' else np.dtype('int32')
        if dtype.kind in 'biu':
            return Value(self.cast(node, value, kind), kind)
        wide = 'double' if dtype.itemsize == 8 else 'float'
        return Value(f'({C_NAMES[self.concrete(kind).name]}){name}(({wide})({self.text(value)}))', kind)

    def smallest(self, node, of, args):
        if all(a.is_constant for a in args):
            return self.constant(of(*(a.constant for a in args)))
        kind = self.common(node, *args)
        c, whole = self.c(kind), self.cast(node, args[0], kind)
        for other in args[1:]:
            whole = f'{of.__name__}<{c}>({whole}, {self.cast(node, other, kind)})'
        return Value(whole, kind)

    def absolute(self, node, value):
        if value.is_constant:
            return self.constant(abs(value.constant))
        dtype = self.concrete(self.number(node, value).type)
        text = self.text(value)
        if dtype.kind == 'c':
            real = float if value.type is complex else np.dtype(f'f{dtype.itemsize // 2}')
            return Value(f'abs({text})', real)
        if dtype.kind in 'bu':
            return Value(text, value.type)
        if dtype.kind == 'i':
            return Value(f'py_absolute<{C_NAMES[dtype.name]}>({text})', value.type)
        return Value(f'({C_NAMES[dtype.name]})fabs({f"(float)({text})" if dtype.name == "float16" else text})', value.type)

    def extreme(self, node, name, left, right):
        kind = self.common(node, left, right)
        dtype = self.concrete(kind)
        if dtype.kind == 'c':
            self.fail(node, f'{name} is not of complex numbers in a kernel')
        a, b = self.cast(node, left, kind), self.cast(node, right, kind)
        if dtype.name == 'float16':
            return Value(f'(float16)py_{name}((float)({a}), (float)({b}))', kind)
        return Value(f'py_{name}<{C_NAMES[dtype.name]}>({a}, {b})', kind)

    def classified(self, node, name, value):
        dtype = self.concrete(self.number(node, value).type)
        text = self.text(value)
        if dtype.kind in 'biu':
            return Value(str(name == 'isfinite').lower(), np.dtype(bool))
        if dtype.kind == 'c':
            sign = '&&' if name == 'isfinite' else '||'
            return Value(f'({name}(({text}).real()) {sign} {name}(({text}).imag()))', np.dtype(bool))
        return Value(f'(bool){name}({f"(float)({text})" if dtype.name == "float16" else text})', np.dtype(bool))

    def part(self, node, value, name):
        """Returns the real or the imaginary part, or the complex conjugate."""
        if value.is_constant:
            return self.constant(getattr(np, name)(value.constant))
        dtype = self.concrete(self.number(node, value).type)
        if dtype.kind != 'c':
            return self.constant(dtype.type(0)) if name == 'imag' else value
        if name in ('conj', 'conjugate'):
            return Value(f'conj({self.text(value)})', value.type)
        real = float if value.type is complex else np.dtype(f'f{dtype.itemsize // 2}')
        return Value(f'({self.text(value)}).{name}()', real)

    def mathematical(self, node, of, name, args):
        """Returns the call of a floating-point function in the dtype of NumPy's loop."""
        function = getattr(np, _NUMPY.get(name, name), None)
        kind = self.number(node, args[0]).type
        for other in args[1:]:
            kind = self.common(node, Value('', kind), other)
        dtype = self.concrete(kind)
        of_math = getattr(math, name, None) is of
        if isinstance(function, np.ufunc) and self.mode == 'numpy' and not (of_math and dtype.kind in 'biu'):
            if function.nin != len(args):
                self.fail(node, f'{name} takes {function.nin} arguments')
            (dtype, *_), kind = self.loop(node, name, function, *args)
            if self.concrete(kind).kind in 'biu':
                # Rounding functions leave integers unchanged.
                return Value(self.cast(node, args[0], kind), kind)
        elif dtype.kind in 'biu':
            kind = dtype = np.dtype('float32' if self.mode == 'cuda' and dtype.itemsize <= 4 else 'float64')
            kind = float if self.mode == 'numpy' else dtype
        if dtype.kind == 'c' and _NUMPY.get(name, name) not in _COMPLEX:
            self.fail(node, f'{name} is not of complex numbers')
        all_of = [self.cast(node, v, dtype) for v in args]
        if dtype.name == 'float16':
            all_of = [f'(float)({a})' for a in all_of]
        return Value(f'({C_NAMES[dtype.name]}){_MATH[name]}({", ".join(all_of)})', kind)

    def attribute(self, node, owner, name):
        if owner.items is not None or owner.is_constant and owner.type is None:
            return self.attribute_of_host(node, owner, name)
        if isinstance(owner.type, Array):
            return self.attribute_of_array(node, owner, name)
        if found := self.attribute_of_threads(node, owner, name):
            return found
        if isinstance(owner.type, np.dtype) or is_weak(owner.type):
            if name in ('real', 'imag'):
                return self.part(node, owner, name)
            if name == 'dtype':
                return self.constant(self.concrete(owner.type))
            if owner.is_constant and hasattr(owner.constant, name):
                return self.constant(getattr(owner.constant, name))
        self.fail(node, f'{ast.unparse(node)} is not supported in a kernel')

    def attribute_of_host(self, node, owner, name):
        if found := self.attribute_of_threads(node, owner, name):
            return found
        if owner.is_constant and hasattr(owner.constant, name):
            return self.constant(getattr(owner.constant, name))
        self.fail(node, f'{ast.unparse(node)} is not known in a kernel')

    def attribute_of_array(self, node, owner, name):
        if name == 'ndim':
            return self.constant(owner.type.ndim)
        if name == 'size':
            return Value(f'{owner.text}.size()', np.dtype('int64'))
        if name == 'dtype':
            return self.constant(owner.type.dtype)
        if name in ('shape', 'strides'):
            parts = [Value(f'(long long){owner.text}.{name}()[{k}]', np.dtype('int64')) for k in range(owner.type.ndim)]
            return Value(f'{owner.text}.{name}()', None, items=parts)
        self.fail(node, f'an array has no {name} in a kernel')
