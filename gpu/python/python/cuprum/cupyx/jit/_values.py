"""Values of a translation, and the conversions between them."""

import ast

import numpy as np

from ._types import C_NAMES, concrete, is_weak, literal, type_of_constant

__all__ = ['Conversions', 'RUNTIME', 'Value']

# Marks a value that is computed when the kernel runs, since None is a valid constant.
RUNTIME = object()


class Value:
    """A C++ expression and its type. A value that is known during translation has its Python object as `constant`;
    without a type it is only such an object. `items` are the items of a tuple."""

    def __init__(self, text, type, constant=RUNTIME, items=None):
        self.text, self.type, self.constant, self.items = text, type, constant, items

    @property
    def is_constant(self):
        return self.constant is not RUNTIME


def is_number(value):
    return isinstance(value.type, np.dtype) or is_weak(value.type)


class BuiltinName:
    """A name of `jit`. `value` is set if it is a number in a kernel."""

    value = None


class Conversions:
    """Conversions of values in a `Translation`."""

    def constant(self, value):
        """Returns the value of a host object."""
        if isinstance(value, BuiltinName) and value.value is not None:
            return value.value
        return Value('', type_of_constant(value, self.mode), value)

    def concrete(self, type):
        return concrete(type, self.mode)

    def text(self, value):
        """Returns the expression of a value in its own dtype."""
        if value.is_constant and is_number(value):
            return literal(value.constant, self.concrete(value.type), self.mode)
        return value.text

    def number(self, node, value):
        """Raises TypeError unless the value is a number."""
        if not is_number(value):
            what = f'{value.constant!r}' if value.is_constant else 'what is written here'
            self.fail(node, f'{what} is no number')
        return value

    def cast(self, node, value, to, explicit=False):
        """Returns the expression of a value in another type. Only an explicit conversion discards an imaginary part."""
        to = self.concrete(to)
        if not isinstance(to, np.dtype):
            self.fail(node, 'a number is expected')
        self.number(node, value)
        if value.is_constant and not isinstance(value.constant, np.generic) and not (isinstance(value.constant, complex) and to.kind not in 'cb'):
            if isinstance(value.constant, float) and to.kind in 'iu' and not np.isfinite(value.constant):
                self.fail(node, f'{value.constant} has no value in {to}')
            return literal(value.constant, to, self.mode)
        text, of = self.text(value), self.concrete(value.type)
        if of == to:
            return text
        if to.kind == 'b':
            return f'py_true({text})'
        if of.kind == 'c' and to.kind != 'c':
            if not explicit:
                self.fail(node, f'{of} is not converted to {to}: take the real part')
            self.program.discards_imaginary = True
            text, of = f'({text}).real()', np.dtype(f'f{of.itemsize // 2}')
        # Numbers with more digits than float32 are rounded to float16 in a single step.
        if to.name == 'float16' and (of.name == 'float64' or of.kind in 'iu' and of.itemsize >= 4):
            return f'py_half((double)({text}))'
        if to.kind == 'c' and of.kind != 'c':
            part = f'f{to.itemsize // 2}'
            return f'{C_NAMES[to.name]}({self.cast(node, Value(text, of), np.dtype(part))})'
        return f'({C_NAMES[to.name]})({text})'

    def truth(self, node):
        """Returns the expression of a condition, and its value if that is known during translation."""
        match node:
            case ast.BoolOp(op, values):
                decided, texts = isinstance(op, ast.Or), []
                for each in values:
                    text, known = self.truth(each)
                    # The following operands are not evaluated.
                    if known is decided:
                        return (f'({(" || " if decided else " && ").join([*texts, text])})', None) if texts else (text, known)
                    if known is None:
                        texts.append(text)
                if not texts:
                    return str(not decided).lower(), not decided
                return f'({(" || " if decided else " && ").join(texts)})', None
            case ast.UnaryOp(ast.Not(), operand):
                text, known = self.truth(operand)
                return (f'(!{text})', None) if known is None else (str(not known).lower(), not known)
        value = self.any(node)
        if value.is_constant:
            known = bool(value.constant)
            return str(known).lower(), known
        if value.items is not None:
            return str(bool(value.items)).lower(), bool(value.items)
        return self.cast(node, value, np.dtype(bool)), None
