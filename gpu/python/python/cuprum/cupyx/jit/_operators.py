"""Operators of translated functions: the dtypes are those of NumPy's functions in mode 'numpy', and C's in mode
'cuda'."""

import ast
import operator

import numpy as np

from ._types import C_NAMES, WEAK, is_weak, joined, promoted
from ._values import Value

__all__ = ['BINARY', 'COMPARISONS', 'Operators', 'UNARY']

# The operator, its host implementation, and the NumPy function with its loops.
BINARY = {
    ast.Add: ('+', operator.add, np.add),
    ast.Sub: ('-', operator.sub, np.subtract),
    ast.Mult: ('*', operator.mul, np.multiply),
    ast.Div: ('/', operator.truediv, np.true_divide),
    ast.FloorDiv: ('//', operator.floordiv, np.floor_divide),
    ast.Mod: ('%', operator.mod, np.remainder),
    ast.Pow: ('**', operator.pow, np.power),
    ast.LShift: ('<<', operator.lshift, np.left_shift),
    ast.RShift: ('>>', operator.rshift, np.right_shift),
    ast.BitAnd: ('&', operator.and_, np.bitwise_and),
    ast.BitOr: ('|', operator.or_, np.bitwise_or),
    ast.BitXor: ('^', operator.xor, np.bitwise_xor),
}
UNARY = {
    ast.USub: ('-', operator.neg, np.negative),
    ast.UAdd: ('+', operator.pos, np.positive),
    ast.Invert: ('~', operator.invert, np.invert),
    ast.Not: ('not', operator.not_, np.logical_not),
}
COMPARISONS = {
    ast.Eq: ('==', operator.eq, np.equal),
    ast.NotEq: ('!=', operator.ne, np.not_equal),
    ast.Lt: ('<', operator.lt, np.less),
    ast.LtE: ('<=', operator.le, np.less_equal),
    ast.Gt: ('>', operator.gt, np.greater),
    ast.GtE: ('>=', operator.ge, np.greater_equal),
    ast.Is: ('is', operator.is_, None),
    ast.IsNot: ('is not', operator.is_not, None),
    ast.In: ('in', lambda a, b: a in b, None),
    ast.NotIn: ('not in', lambda a, b: a not in b, None),
}
_HELPERS = {'//': 'py_floor_divide', '%': 'py_remainder', '<<': 'py_left_shift', '>>': 'py_right_shift'}
_WRAPPING = {'+': 'py_add', '-': 'py_subtract', '*': 'py_multiply'}


class Operators:
    """Translation of operators in a `Translation`."""

    def loop(self, node, sign, function, *operands):
        """Returns the dtypes of NumPy's loop for operands of these types: of each operand, and of the result."""
        types = [o.type for o in operands]
        all_weak = all(is_weak(t) for t in types)
        asked = [self.concrete(t) if all_weak else t for t in types]
        try:
            *taken, result = function.resolve_dtypes((*asked, None))
        except TypeError:
            names = ' and '.join(str(t) if isinstance(t, np.dtype) else f'a Python {t.__name__}' for t in types)
            self.fail(node, f'{sign} is not supported for {names}')
        if all_weak and result.kind in 'ifc':
            result = next(weak for weak in WEAK if np.dtype(weak).kind == result.kind)
        return taken, result

    def meet(self, node, left, right):
        """Returns the common type of two values."""
        self.number(node, left)
        self.number(node, right)
        if self.mode == 'numpy':
            return joined(left.type, right.type, self.mode)
        # A Python number takes the type of the other operand if that is of its kind or a higher one.
        rank = {'b': 0, 'i': 1, 'u': 1, 'f': 2, 'c': 3}
        for weak, strong in ((left, right), (right, left)):
            if is_weak(weak.type) and not is_weak(strong.type) and rank[np.dtype(weak.type).kind] <= rank[strong.type.kind]:
                keeps = strong.type.itemsize >= 4 or strong.type.kind in 'fb'
                return strong.type if keeps else np.dtype('int32')
        if is_weak(left.type) and is_weak(right.type):
            return joined(left.type, right.type, self.mode)
        return promoted(self.concrete(left.type), self.concrete(right.type), self.mode)

    def binary(self, node, op, left, right):
        sign, of_host, function = BINARY[type(op)] if type(op) in BINARY else self.fail(node, f'{type(op).__name__} is not supported')
        if left.is_constant and right.is_constant:
            return self.constant(of_host(left.constant, right.constant))
        self.number(node, left)
        self.number(node, right)
        if self.mode == 'numpy':
            (a_type, b_type), result = self.loop(node, sign, function, left, right)
        else:
            kind = self.meet(node, left, right)
            dtype = self.concrete(kind)
            if sign == '/' and dtype.kind in 'biu':
                dtype = kind = np.dtype('float32' if dtype.itemsize <= 4 else 'float64')
            elif dtype.kind == 'b' and sign not in '&|^':
                dtype = kind = np.dtype('int32')
            allowed = {'f': '+ - * / // % **', 'c': '+ - * / **'}.get(dtype.kind)
            if allowed is not None and sign not in allowed.split():
                self.fail(node, f'{sign} is not supported for {dtype}')
            a_type = b_type = dtype
            result = kind
        a, b = self.cast(node, left, a_type), self.cast(node, right, b_type)
        return Value(self.operation(sign, a, b, a_type, self.concrete(result)), result)

    def operation(self, sign, a, b, dtype, result):
        """Returns the expression of an operator of two operands of one dtype."""
        c, kind = C_NAMES[result.name], dtype.kind
        if kind == 'b':
            return f'(bool)({a} {({"+": "||", "*": "&&"} if self.mode == "numpy" else {}).get(sign, sign)} {b})'
        if kind in 'iu':
            integer = C_NAMES[dtype.name]
            if sign == '**':
                return f'py_power<{integer}>({a}, {b})'
            if sign in _HELPERS and not (self.mode == 'cuda' and sign in ('<<', '>>')):
                return f'{_HELPERS[sign]}<{integer}>({a}, {b})'
            if sign in _WRAPPING and self.mode == 'numpy':
                return f'{_WRAPPING[sign]}<{integer}>({a}, {b})'
            return f'({c})({a} {sign} {b})'
        if dtype.name == 'float16':
            a, b = f'(float)({a})', f'(float)({b})'
        if sign == '**':
            return f'({c})pow({a}, {b})'
        if sign in _HELPERS:
            return f'({c}){_HELPERS[sign]}({a}, {b})'
        return f'({c})({a} {sign} {b})'

    def unary(self, node, op, value):
        sign, of_host, function = UNARY[type(op)]
        if value.is_constant:
            return self.constant(of_host(value.constant))
        self.number(node, value)
        if sign == 'not':
            return Value(f'(!{self.cast(node, value, np.dtype(bool))})', np.dtype(bool))
        if self.mode == 'numpy':
            (dtype,), result = self.loop(node, sign, function, value)
        else:
            dtype = self.concrete(value.type)
            if dtype.kind in 'fc' and sign == '~':
                self.fail(node, f'~ is not supported for {dtype}')
            # C promotes a bool before negation; ~ negates it logically.
            result = value.type if dtype.kind != 'b' or sign == '~' else np.dtype('int32')
            dtype = self.concrete(result)
        text, c = self.cast(node, value, dtype), C_NAMES[dtype.name]
        if dtype.kind == 'b':
            return Value(f'(!{text})', result)
        if sign == '-' and dtype.kind in 'iu' and self.mode == 'numpy':
            return Value(f'py_negative<{c}>({text})', result)
        if dtype.name == 'float16':
            text = f'(float)({text})'
        return Value(f'({c})({sign}{text})', result)

    def compare(self, node, first, ops, others):
        left, values = self.any(first), [self.any(other) for other in others]
        if left.is_constant and all(v.is_constant for v in values):
            result = True
            for op, right in zip(ops, values):
                result = COMPARISONS[type(op)][1](left.constant, right.constant)
                if not result:
                    break
                left = right
            return self.constant(result)
        tests, before = [], ''
        for k, (op, right) in enumerate(zip(ops, values)):
            # An operand that is compared twice is computed once.
            if k < len(values) - 1 and not right.is_constant and not right.text.isidentifier():
                self.counter += 1
                before += f'const {self.c(right.type)} _m{self.counter} = {right.text}; '
                right = Value(f'_m{self.counter}', right.type)
            tests.append(self.comparison(node, op, left, right))
            left = right
        text = ' && '.join(tests)
        return Value(f'[&] {{ {before}return {text}; }}()' if before else f'({text})', np.dtype(bool))

    def comparison(self, node, op, left, right):
        sign, _, function = COMPARISONS[type(op)]
        if sign in ('in', 'not in') and (right.items is not None or isinstance(right.constant, (tuple, list, range, set))):
            items = right.items if right.items is not None else [self.constant(c) for c in right.constant]
            text = ' || '.join(self.comparison(node, ast.Eq(), left, item) for item in items) or 'false'
            return f'({text})' if sign == 'in' else f'(!({text}))'
        if function is None or (sign in ('==', '!=') and any(v.is_constant and v.type is None for v in (left, right))):
            # A number that is computed by the kernel is not a host object.
            if sign in ('is', '==') and any(v.is_constant and v.type is None for v in (left, right)):
                return 'false'
            if sign in ('is not', '!=') and any(v.is_constant and v.type is None for v in (left, right)):
                return 'true'
            self.fail(node, f'`{sign}` is not supported for numbers of a kernel')
        self.number(node, left)
        self.number(node, right)
        if self.mode == 'numpy':
            (a_type, b_type), _ = self.loop(node, sign, function, left, right)
            a_type, b_type = self.widened(left, a_type), self.widened(right, b_type)
        else:
            a_type = b_type = self.concrete(self.meet(node, left, right))
        a, b = self.cast(node, left, a_type), self.cast(node, right, b_type)
        if a_type.kind in 'iu' and b_type.kind in 'iu' and a_type.kind != b_type.kind and self.mode == 'numpy':
            return f'(py_order({a}, {b}) {sign} 0)' if a_type.kind == 'i' else f'(0 {sign} py_order({b}, {a}))'
        if a_type.kind == 'c' and sign not in ('==', '!='):
            name = 'py_less_equal' if '=' in sign else 'py_less'
            return f'{name}({a}, {b})' if '<' in sign else f'{name}({b}, {a})'
        if a_type.name == 'float16':
            a, b = f'(float)({a})', f'(float)({b})'
        return f'({a} {sign} {b})'

    def widened(self, value, dtype):
        """Returns the dtype in which a Python integer is compared if the other operand's dtype cannot represent it."""
        if value.is_constant and isinstance(value.constant, int) and dtype.kind in 'iu':
            limits = np.iinfo(dtype)
            if not limits.min <= value.constant <= limits.max:
                return np.dtype('int64' if value.constant < 1 << 63 else 'uint64')
        return dtype

    def choice(self, node, test, then, other):
        """Returns `then if test else other`; only the selected one if the condition is known."""
        text, known = self.truth(test)
        if known is not None:
            return self.any(then if known else other)
        then, other = self.any(then), self.any(other)
        kind = self.common(node, then, other)
        return Value(f'({text} ? {self.cast(node, then, kind)} : {self.cast(node, other, kind)})', kind)

    def common(self, node, *values):
        """Returns the common type of several values."""
        kind = self.number(node, values[0]).type
        for value in values[1:]:
            self.number(node, value)
            kind = self.meet(node, Value('', kind), value) if self.mode == 'cuda' else joined(kind, value.type, self.mode)
        return kind

    def logical(self, node, op, operands):
        """Returns `x and y` or `x or y`: one of the operands in mode 'numpy', as in Python, and a bool in mode
        'cuda'."""
        is_or = isinstance(op, ast.Or)
        values = []
        for operand in operands:
            value = self.any(operand)
            if value.is_constant and operand is not operands[-1]:
                if bool(value.constant) is is_or:
                    values.append(value)
                    break
                continue
            values.append(value)
        if len(values) == 1:
            return values[0]
        if self.mode == 'cuda' or all(v.type == np.dtype(bool) for v in values):
            sign = ' || ' if is_or else ' && '
            return Value(f'({sign.join(self.cast(node, v, np.dtype(bool)) for v in values)})', np.dtype(bool))
        kind = self.common(node, *values)
        text = self.cast(node, values[-1], kind)
        for value in reversed(values[:-1]):
            self.counter += 1
            name = f'_m{self.counter}'
            kept = self.cast(node, Value(name, value.type), kind)
            pair = (kept, text) if is_or else (text, kept)
            text = f'[&] {{ const {self.c(value.type)} {name} = {self.text(value)}; return py_true({name}) ? {pair[0]} : {pair[1]}; }}()'
        return Value(text, kind)
