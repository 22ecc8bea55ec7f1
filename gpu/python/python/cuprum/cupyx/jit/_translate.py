"""A function of Python as CUDA C++."""

import ast
import inspect
import math
import textwrap

import numpy as np


from . import _names
from ._names import ATOMICS, SHUFFLES, Builtin, Dim3
from ._types import C_NAMES, Array, GridGroup, Group, Shared, ThreadBlockGroup, dtype_of_number, promoted

__all__ = ['elementwise', 'translated']

_OPERATORS = {
    ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^', ast.LShift: '<<', ast.RShift: '>>',
}
_COMPARISONS = {ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>='}
# Functions of floating-point numbers, by the names that NumPy and `math` have.
_MATH = {name: name for name in '''sin cos tan sinh cosh tanh exp expm1 exp2 log log2 log10 log1p sqrt cbrt floor ceil trunc rint
    asin acos atan asinh acosh atanh hypot atan2 pow fmod copysign erf erfc lgamma fabs'''.split()}
_MATH |= {'arcsin': 'asin', 'arccos': 'acos', 'arctan': 'atan', 'arcsinh': 'asinh', 'arccosh': 'acosh', 'arctanh': 'atanh',
          'arctan2': 'atan2', 'power': 'pow', 'absolute': 'fabs'}
_HELPERS = '''#include <cuprum/kernel.cuh>
template <class T> __device__ T floor_divide(T a, T b) { T q = a / b; return q * b != a && (a < 0) != (b < 0) ? q - 1 : q; }
template <> __device__ float floor_divide(float a, float b) { return floorf(a / b); }
template <> __device__ double floor_divide(double a, double b) { return floor(a / b); }
template <class T> __device__ T modulo(T a, T b) { T r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
template <> __device__ float modulo(float a, float b) { float r = fmodf(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
template <> __device__ double modulo(double a, double b) { double r = fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
'''


class Value:
    """A piece of C++, its type, and the number that it is if that is known."""

    def __init__(self, text, type, constant=None):
        self.text, self.type, self.constant = text, type, constant


def _definition(func):
    """The tree of a function, its first line and its file."""
    try:
        lines, first = inspect.getsourcelines(func)
    except OSError as e:
        raise ValueError(f'jit.rawkernel: the source of {func.__name__} is not found: a kernel stands in a file') from e
    try:
        tree = ast.parse(textwrap.dedent(''.join(lines)))
    except SyntaxError as e:
        raise ValueError(f'jit.rawkernel: the text of {func.__name__} cannot be read apart from what stands around it') from e
    found = tree.body[0]
    if func.__name__ == '<lambda>':
        all = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        if len(all) != 1:
            raise ValueError('jit.rawkernel: a lambda among others on its line is not told from them')
        back = ast.copy_location(ast.Return(all[0].body), all[0].body)
        found = ast.copy_location(ast.FunctionDef('lambda', all[0].args, [back], [], None), all[0])
    if not isinstance(found, ast.FunctionDef):
        raise ValueError(f'jit.rawkernel: {func.__name__} is no function of a source file')
    return found, first, inspect.getsourcefile(func)


def _always_returns(body):
    match body[-1]:
        case ast.Return():
            return True
        case ast.If(_, then, other):
            return bool(other) and _always_returns(then) and _always_returns(other)
    return False


class Translation:
    """One function for the types of its arguments."""

    def __init__(self, func, types, mode, device, program, several=False):
        self.func, self.mode, self.device, self.program = func, mode, device, program
        # Of a function with several results: those of each return, and the types that they are to have.
        self.several, self.returned, self.results = several, [], None
        self.tree, self.first, self.file = _definition(func)
        arguments = self.tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.refuse(self.tree, 'a kernel has arguments by position, without defaults')
        names = [a.arg for a in arguments.args]
        if len(names) != len(types):
            raise TypeError(f'{func.__name__}() takes {len(names)} positional arguments but {len(types)} were given')
        outer = inspect.getclosurevars(func)
        self.outer = {**outer.builtins, **outer.globals, **outer.nonlocals}
        self.parameters, self.known = names, dict(zip(names, types))
        self.local, self.result, self.lines, self.depth, self.made = {}, None, [], 1, 0

    def refuse(self, node, why):
        line = getattr(node, 'lineno', 1) + self.first - 1
        raise TypeError(f'{self.func.__name__}, {self.file}:{line}: {why}')

    def line(self, text):
        self.lines.append('  ' * self.depth + text)

    # Statements.

    def body(self, statements):
        self.depth += 1
        for node in statements:
            self.statement(node)
        self.depth -= 1

    def statement(self, node):
        match node:
            case ast.Pass():
                pass
            case ast.Expr(ast.Constant(str())):
                pass
            case ast.Expr(value):
                self.line(f'{self.value(value, nothing=True).text};')
            case ast.Assign([target], value):
                self.assign(target, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.assign(target, value)
            case ast.AugAssign(target, op, value):
                load = ast.copy_location(ast.parse(ast.unparse(target), mode='eval').body, target)
                self.put(target, self.binary(node, op, self.value(load), self.value(value)))
            case ast.If(test, then, other):
                self.line(f'if ({self.truth(test)}) {{')
                self.body(then)
                if other:
                    self.line('} else {')
                    self.body(other)
                self.line('}')
            case ast.While(test, body, []):
                self.line(f'while ({self.truth(test)}) {{')
                self.body(body)
                self.line('}')
            case ast.For(ast.Name(name), ast.Call(function, args, keywords), body, []):
                self.loop(node, name, function, args, keywords, body)
            case ast.Break():
                self.line('break;')
            case ast.Continue():
                self.line('continue;')
            case ast.Return(None):
                self.line('return;')
            case ast.Return(value) if self.several:
                values = [self.value(each) for each in (value.elts if isinstance(value, ast.Tuple) else [value])]
                if self.returned and len(self.returned[0]) != len(values):
                    self.refuse(node, 'as many results as before are returned')
                self.returned.append(values)
                to = self.results or [each.type for each in values]
                self.line(f'return {{{", ".join(self.cast(node, each, t) for each, t in zip(values, to))}}};')
            case ast.Return(value) if self.device:
                value = self.value(value)
                if self.result is None:
                    self.result = value.type
                self.line(f'return {self.cast(node, value, self.result)};')
            case ast.Return(value):
                if not (isinstance(value, ast.Constant) and value.value is None):
                    self.refuse(node, 'a kernel gives nothing: it writes to its arrays')
                self.line('return;')
            case _:
                self.refuse(node, f'{type(node).__name__} is not in the subset of Python that kernels have')

    def assign(self, target, value):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            if len(target.elts) != len(value.elts):
                self.refuse(target, 'as many names as values are assigned')
            values = []
            for each in map(self.value, value.elts):
                self.made += 1
                self.line(f'const {C_NAMES[each.type.name]} _t{self.made} = {each.text};')
                values.append(Value(f'_t{self.made}', each.type))
            for to, each in zip(target.elts, values):
                self.put(to, each)
            return
        self.put(target, self.value(value))

    def put(self, target, value):
        match target:
            case ast.Name(name):
                known = self.known.get(name)
                if isinstance(value.type, (Shared, Group, Array)):
                    if known is not None:
                        self.refuse(target, f'{name} is something else already')
                    self.known[name] = value.type
                    self.local[name] = value
                    return
                if known is None:
                    self.known[name] = known = value.type
                    self.local[name] = None
                self.line(f'{name} = {self.cast(target, value, known)};')
            case ast.Subscript():
                place = self.value(target)
                self.line(f'{place.text} = {self.cast(target, value, place.type)};')
            case _:
                self.refuse(target, 'a name or an element of an array is assigned to')

    def loop(self, node, name, function, args, keywords, body):
        found = self.value(function, nothing=True)
        if found.constant is not range and found.constant is not _names.range:
            self.refuse(node, 'a loop runs over range(…)')
        unroll = {k.arg: ast.literal_eval(k.value) for k in keywords}.get('unroll')
        parts = [self.value(a) for a in args]
        start, stop, step = {1: [None, *parts, None], 2: [*parts, None], 3: parts}[len(parts)]
        given = [p for p in (start, stop, step) if p is not None]
        kind = given[0].type
        for other in given[1:]:
            kind = promoted(kind, other.type, self.mode)
        if self.known.setdefault(name, kind) != kind or kind.kind not in 'iu':
            self.refuse(node, f'{name} counts integers of the type that it has already')
        self.local.setdefault(name, None)
        self.made += 1
        c, k = C_NAMES[kind.name], self.made
        by = step.text if step else '1'
        first = start.text if start else '0'
        if unroll is True:
            self.line('#pragma unroll')
        elif unroll:
            self.line(f'#pragma unroll {int(unroll)}')
        back = f'_by{k} < 0 ? _at{k} > _end{k} : ' if step and step.constant is None else ''
        sign = '>' if step and step.constant is not None and step.constant < 0 else '<'
        self.line(f'for ({c} _at{k} = {first}, _end{k} = {stop.text}, _by{k} = {by}; {back}_at{k} {sign} _end{k}; _at{k} += _by{k}) {{')
        self.line(f'  {name} = _at{k};')
        self.body(body)
        self.line('}')

    # Expressions.

    def cast(self, node, value, to):
        if not isinstance(to, np.dtype) or not isinstance(value.type, np.dtype):
            self.refuse(node, 'a number is wanted')
        if value.type.kind == 'c' != to.kind:
            self.refuse(node, f'{value.type} is not converted to {to}: take its real part')
        return value.text if value.type == to else f'({C_NAMES[to.name]})({value.text})'

    def truth(self, node):
        return self.cast(node, self.value(node), np.dtype(bool))

    def constant(self, value):
        dtype = dtype_of_number(value, self.mode)
        if dtype is None or dtype.name not in C_NAMES:
            return Value(repr(value), None, value)
        c = C_NAMES[dtype.name]
        if dtype.kind == 'c':
            part = C_NAMES['float32' if dtype.itemsize == 8 else 'float64']
            return Value(f'{c}(({part}){value.real!r}, ({part}){value.imag!r})', dtype, value)
        if dtype.kind == 'f':
            number = float(value)
            if math.isfinite(number):
                return Value(f'({c})({number!r})', dtype, value)
            bits = {math.inf: '0x7f800000u', -math.inf: '0xff800000u'}.get(number, '0x7fc00000u')
            return Value(f'({c})__uint_as_float({bits})', dtype, value)
        text = str(int(value)).lower() if dtype.kind != 'b' else str(bool(value)).lower()
        wide = {'int64': 'll', 'uint64': 'ull', 'uint32': 'u'}.get(dtype.name, '')
        return Value(f'({c})({text}{wide})' if dtype.kind != 'b' else text, dtype, value)

    def value(self, node, nothing=False):
        found = self.any(node)
        if found.type is None and not nothing:
            self.refuse(node, f'{ast.unparse(node)} is no number')
        return found

    def any(self, node):
        match node:
            case ast.Constant(value):
                return self.constant(value)
            case ast.Name(name):
                if name in self.known:
                    return self.local.get(name) or Value(name, self.known[name])
                if name in self.outer:
                    return self.constant(self.outer[name])
                self.refuse(node, f'{name} has no value here')
            case ast.Attribute(owner, name):
                return self.attribute(node, self.any(owner), name)
            case ast.BinOp(left, op, right):
                return self.binary(node, op, self.value(left), self.value(right))
            case ast.UnaryOp(op, operand):
                return self.unary(node, op, self.value(operand))
            case ast.BoolOp(op, values):
                sign = ' && ' if isinstance(op, ast.And) else ' || '
                return Value(f'({sign.join(self.truth(v) for v in values)})', np.dtype(bool))
            case ast.Compare(left, ops, others):
                return self.compare(node, left, ops, others)
            case ast.IfExp(test, then, other):
                then, other = self.value(then), self.value(other)
                kind = self.meet(node, then, other)
                return Value(f'({self.truth(test)} ? {self.cast(node, then, kind)} : {self.cast(node, other, kind)})', kind)
            case ast.Subscript(owner, index):
                return self.element(node, self.any(owner), index)
            case ast.Call(function, args, keywords):
                return self.call(node, self.any(function), args, {k.arg: k.value for k in keywords})
        self.refuse(node, f'{type(node).__name__} is not in the subset of Python that kernels have')

    def meet(self, node, left, right):
        if not isinstance(left.type, np.dtype) or not isinstance(right.type, np.dtype):
            self.refuse(node, 'numbers are computed with')
        # A number of Python's takes the type of what it meets, where that is of its kind or of a higher one.
        order = 'biufc'.replace('u', '')
        rank = lambda t: order.index('i' if t.kind == 'u' else t.kind)
        for weak, other in ((left, right), (right, left)):
            python = weak.constant is not None and not isinstance(weak.constant, np.generic) and other.constant is None
            if python and rank(weak.type) <= rank(other.type):
                return other.type if other.type.itemsize >= 4 or self.mode == 'numpy' or other.type.kind in 'fb' else np.dtype('int32')
        return promoted(left.type, right.type, self.mode)

    def binary(self, node, op, left, right):
        kind = self.meet(node, left, right)
        if isinstance(op, ast.Div) and kind.kind in 'biu':
            kind = np.dtype('float32' if self.mode == 'cuda' and kind.itemsize <= 4 else 'float64')
        if isinstance(op, ast.Pow) and kind.kind in 'biu':
            wide = self.cast(node, left, np.dtype('float64')), self.cast(node, right, np.dtype('float64'))
            return Value(f'({C_NAMES[kind.name]})pow({wide[0]}, {wide[1]})', kind)
        a, b = self.cast(node, left, kind), self.cast(node, right, kind)
        c = C_NAMES[kind.name]
        if isinstance(op, ast.Div):
            return Value(f'({c})({a} / {b})', kind)
        if isinstance(op, ast.FloorDiv):
            return Value(f'floor_divide<{c}>({a}, {b})', kind)
        if isinstance(op, ast.Mod):
            return Value(f'modulo<{c}>({a}, {b})', kind)
        if isinstance(op, ast.Pow):
            return Value(f'({c})pow({a}, {b})', kind)
        if type(op) not in _OPERATORS or kind.kind in 'fc' and _OPERATORS[type(op)] not in '+-*':
            self.refuse(node, f'{type(op).__name__} is not there for {kind}')
        return Value(f'({c})({a} {_OPERATORS[type(op)]} {b})', kind)

    def unary(self, node, op, value):
        if not isinstance(value.type, np.dtype):
            self.refuse(node, 'numbers are computed with')
        if isinstance(op, ast.Not):
            return Value(f'(!{self.cast(node, value, np.dtype(bool))})', np.dtype(bool))
        if isinstance(value.constant, (int, float)) and isinstance(op, ast.USub):
            return self.constant(-value.constant)
        sign = {ast.USub: '-', ast.UAdd: '+', ast.Invert: '~'}[type(op)]
        return Value(f'({C_NAMES[value.type.name]})({sign}{value.text})', value.type)

    def compare(self, node, left, ops, others):
        tests, left = [], self.value(left)
        for op, right in zip(ops, others):
            right = self.value(right)
            if type(op) not in _COMPARISONS:
                self.refuse(node, f'{type(op).__name__} is not in the subset of Python that kernels have')
            kind = self.meet(node, left, right)
            tests.append(f'({self.cast(node, left, kind)} {_COMPARISONS[type(op)]} {self.cast(node, right, kind)})')
            left = right
        return Value(' && '.join(tests) if len(tests) == 1 else f'({" && ".join(tests)})', np.dtype(bool))

    def attribute(self, node, owner, name):
        if isinstance(owner.constant, Dim3) and name in 'xyz':
            return Value(f'(int){owner.constant.name}.{name}' if self.mode == 'cuda' else f'(long long){owner.constant.name}.{name}',
                         np.dtype('int32' if self.mode == 'cuda' else 'int64'))
        if isinstance(owner.type, Array):
            if name == 'ndim':
                return self.constant(owner.type.ndim)
            if name == 'size':
                return Value(f'{owner.text}.size()', np.dtype('int64'))
            if name in ('shape', 'strides'):
                return Value(f'{owner.text}.{name}()', None, ('sizes', owner.type.ndim))
            if name == 'dtype':
                return Value('', None, owner.type.dtype)
        if isinstance(owner.type, np.dtype) and owner.type.kind == 'c' and name in ('real', 'imag'):
            return Value(f'{owner.text}.{name}()', np.dtype(f'f{owner.type.itemsize // 2}'))
        if isinstance(owner.type, Group):
            return Value(f'{owner.text}.{name}', None, ('method', owner.text, name))
        if owner.type is None and hasattr(owner.constant, name):
            return self.constant(getattr(owner.constant, name))
        self.refuse(node, f'{ast.unparse(node)} has no meaning in a kernel')

    def element(self, node, owner, index):
        indices = index.elts if isinstance(index, ast.Tuple) else [index]
        if isinstance(owner.constant, tuple) and owner.constant[:1] == ('sizes',):
            return Value(f'(long long){owner.text}[{self.value(index).text}]', np.dtype('int64'))
        if not isinstance(owner.type, (Array, Shared)):
            self.refuse(node, f'{ast.unparse(node)} is no element of an array')
        if len(indices) != owner.type.ndim:
            self.refuse(node, f'an array of {owner.type.ndim} axes has {owner.type.ndim} indices, and {len(indices)} are given')
        texts = []
        for each in map(self.value, indices):
            if not isinstance(each.type, np.dtype) or each.type.kind not in 'iub':
                self.refuse(node, 'an index is an integer')
            texts.append(each.text)
        text = f'{owner.text}[{texts[0]}]' if len(texts) == 1 else f'{owner.text}.at({", ".join(texts)})'
        return Value(text, owner.type.dtype)

    # Calls.

    def call(self, node, function, args, keywords):
        of = function.constant
        if isinstance(of, Builtin):
            return self.builtin(node, of.name, args, keywords)
        if isinstance(of, tuple) and of[0] == 'method':
            return Value(f'{function.text}()', None if of[2] == 'sync' else np.dtype('int64'))
        if keywords:
            self.refuse(node, 'the arguments of this function stand by position')
        if hasattr(of, '_translated_as_device'):
            return self.program.device(of, [self.value(a) for a in args])
        if of is len and len(args) == 1 and isinstance((a := self.any(args[0])).type, Array):
            return Value(f'(long long){a.text}.shape()[0]', np.dtype('int64'))
        values = [self.value(a) for a in args]
        if of in (int, float, bool) and len(values) == 1:
            wide = self.mode == 'numpy'
            to = {int: 'int64' if wide else 'int32', float: 'float64' if wide else 'float32', bool: 'bool'}[of]
            return Value(self.cast(node, values[0], np.dtype(to)), np.dtype(to))
        if isinstance(of, type) and issubclass(of, np.generic) and len(values) == 1:
            to = np.dtype(of)
            return Value(self.cast(node, values[0], to), to)
        if of in (min, max) and len(values) > 1:
            whole = values[0]
            for other in values[1:]:
                kind = self.meet(node, whole, other)
                whole = Value(f'{of.__name__}<{C_NAMES[kind.name]}>({self.cast(node, whole, kind)}, {self.cast(node, other, kind)})', kind)
            return whole
        name = getattr(of, '__name__', '')
        if of is abs or name in ('absolute', 'fabs', 'abs'):
            kind = values[0].type
            return Value(f'({C_NAMES[kind.name]})abs({values[0].text})', kind) if kind.kind != 'c' else Value(
                f'abs({values[0].text})', np.dtype(f'f{kind.itemsize // 2}'))
        if name in ('minimum', 'maximum', 'fmin', 'fmax') and len(values) == 2:
            kind = self.meet(node, *values)
            short = 'min' if 'min' in name else 'max'
            return Value(f'{short}<{C_NAMES[kind.name]}>({self.cast(node, values[0], kind)}, {self.cast(node, values[1], kind)})', kind)
        if name == 'where' and len(values) == 3:
            kind = self.meet(node, values[1], values[2])
            test = self.cast(node, values[0], np.dtype(bool))
            return Value(f'({test} ? {self.cast(node, values[1], kind)} : {self.cast(node, values[2], kind)})', kind)
        if name in _MATH and (callable(of)):
            kind = values[0].type
            for other in values[1:]:
                kind = self.meet(node, Value('', kind), other)
            if kind.kind in 'biu':
                kind = np.dtype('float32' if self.mode == 'cuda' and kind.itemsize <= 4 else 'float64')
            all_of = ', '.join(self.cast(node, v, kind) for v in values)
            return Value(f'({C_NAMES[kind.name]}){_MATH[name]}({all_of})', kind)
        if name in ('isnan', 'isinf', 'isfinite'):
            return Value(f'(bool){name}({values[0].text})', np.dtype(bool))
        self.refuse(node, f'{ast.unparse(node.func)} is not there in a kernel')

    def builtin(self, node, name, args, keywords):
        integer = np.dtype('int32' if self.mode == 'cuda' else 'int64')
        numbers = {'unroll', 'alignment', 'width', 'mask', 'size', 'dtype', 'aligned_size'}
        if unknown := set(keywords) - numbers:
            self.refuse(node, f'jit.{name} has no argument {unknown.pop()}')
        if name == 'syncthreads':
            return Value('__syncthreads()', None)
        if name == 'syncwarp':
            mask = args[0] if args else keywords.get('mask')
            return Value(f'__syncwarp({self.value(mask).text if mask is not None else "~0u"})', None)
        if name == 'laneid':
            return Value('(int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32)', np.dtype('int32'))
        if name in ('grid', 'gridsize'):
            count = self.value(args[0]).constant
            if count not in (1, 2, 3):
                self.refuse(node, f'jit.{name} is of 1, 2 or 3 axes')
            one = (lambda d: f'(threadIdx.{d} + blockIdx.{d} * blockDim.{d})') if name == 'grid' else (
                lambda d: f'(blockDim.{d} * gridDim.{d})')
            values = [Value(f'({C_NAMES[integer.name]}){one(d)}', integer) for d in 'xyz'[:count]]
            if count == 1:
                return values[0]
            self.refuse(node, f'jit.{name}({count}) is assigned to {count} names')
        if name == 'shared_memory':
            dtype = np.dtype(self.any(args[0] if args else keywords['dtype']).constant)
            size = self.any(args[1] if len(args) > 1 else keywords['size']).constant
            self.made += 1
            if size is None:
                self.line(f'extern __shared__ __align__(16) char _room[]; {C_NAMES[dtype.name]} *_s{self.made} = ({C_NAMES[dtype.name]} *)_room;')
            else:
                self.line(f'__shared__ {C_NAMES[dtype.name]} _s{self.made}[{int(size)}];')
            return Value(f'_s{self.made}', Shared(dtype))
        if name in SHUFFLES:
            mask, value, lane, *width = [self.value(a) for a in args]
            if 'width' in keywords:
                width = [self.value(keywords['width'])]
            wide = width[0].text if width else '32'
            return Value(f'{SHUFFLES[name]}((unsigned){mask.text}, {value.text}, {lane.text}, {wide})', value.type)
        if name in ATOMICS:
            c, dtypes = ATOMICS[name]
            array = self.any(args[0])
            place = self.element(node, array, args[1])
            if place.type.name not in dtypes:
                self.refuse(node, f'jit.{name} is of {", ".join(dtypes)}, and not of {place.type}')
            of = 'unsigned long long' if place.type == np.int64 and name == 'atomic_add' else C_NAMES[place.type.name]
            values = ', '.join(f'({of})({self.cast(node, self.value(a), place.type)})' for a in args[2:])
            return Value(f'({C_NAMES[place.type.name]}){c}(({of} *)&{place.text}, {values})', place.type)
        if name in ('this_grid', 'this_thread_block'):
            self.program.groups = True
            return Value(f'cooperative_groups::{name}()', GridGroup() if name == 'this_grid' else ThreadBlockGroup())
        if name == 'cg_sync':
            return Value(f'{self.any(args[0]).text}.sync()', None)
        if name == 'memcpy_async':
            return self.copy_async(node, args, keywords)
        if name in ('wait', 'wait_prior'):
            self.program.copies = True
            newest = self.value(args[1]).constant if len(args) > 1 else 0
            if not isinstance(newest, int) or newest < 0:
                self.refuse(node, f'jit.cg.{name} leaves a number of copies that is known')
            return Value(f'cooperative_groups::wait_prior<{newest}>({self.any(args[0]).text})', None)
        if name == 'range':
            self.refuse(node, 'range stands behind `in` of a loop')
        self.refuse(node, f'jit.{name} is no function')

    def copy_async(self, node, args, keywords):
        group, to, to_index, given, given_index, size, *_ = args
        self.program.copies = True
        to, given = (self.element(node, self.any(a), i).text for a, i in ((to, to_index), (given, given_index)))
        bytes = self.cast(node, self.value(size), np.dtype('uint64'))
        if 'aligned_size' in keywords:
            aligned = self.value(keywords['aligned_size']).constant
            if aligned is not None:
                bytes = f'cooperative_groups::aligned_size_t<{int(aligned)}>({bytes})'
        return Value(f'cooperative_groups::memcpy_async({self.any(group).text}, (void *)&{to}, (const void *)&{given}, {bytes})', None)

    # The whole.

    def text(self, name):
        self.assign = self.assign_pairs
        for node in self.tree.body:
            self.statement(node)
        declared = [f'  {C_NAMES[self.known[n].name]} {n};' for n, v in self.local.items() if v is None and n not in self.parameters]
        types = (t.c() if isinstance(t, Array) else C_NAMES[t.name] for t in (self.known[n] for n in self.parameters))
        heads = ', '.join(f'{c} {n}' for c, n in zip(types, self.parameters))
        if self.several:
            head = f'__device__ {name}_results {name}({heads})'
        elif self.device:
            head = f'__device__ {C_NAMES[self.result.name] if self.result is not None else "void"} {name}({heads})'
        else:
            head = f'extern "C" __global__ void {name}({heads})'
        return '\n'.join([head + ' {', *declared, *self.lines, '}', ''])

    def assign_pairs(self, target, value):
        """As `assign`; `x, y = jit.grid(2)` is a pair."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
            of = self.any(value.func).constant
            if isinstance(of, Builtin) and of.name in ('grid', 'gridsize'):
                count = self.value(value.args[0]).constant
                if count != len(target.elts):
                    self.refuse(target, f'jit.{of.name}({count}) gives {count} values')
                integer = np.dtype('int32' if self.mode == 'cuda' else 'int64')
                for d, to in zip('xyz', target.elts):
                    one = f'threadIdx.{d} + blockIdx.{d} * blockDim.{d}' if of.name == 'grid' else f'blockDim.{d} * gridDim.{d}'
                    self.put(to, Value(f'({C_NAMES[integer.name]})({one})', integer))
                return
        Translation.assign(self, target, value)


class Program:
    """A kernel and the functions that it calls."""

    def __init__(self, mode):
        self.mode, self.made, self.texts, self.groups, self.copies = mode, {}, [], False, False

    def device(self, kernel, values):
        types = [v.type for v in values]
        key = (id(kernel), tuple(getattr(t, 'key', None) or t.name for t in types))
        if key not in self.made:
            inner = Translation(kernel._func, types, kernel._mode, True, self)
            name = f'{kernel._func.__name__}_{len(self.made)}'
            self.made[key] = (name, inner)
            self.texts.append(inner.text(name))
        name, inner = self.made[key]
        return Value(f'{name}({", ".join(v.text for v in values)})', inner.result)


def translated(func, types, mode):
    """The text of a kernel for arguments of these types."""
    program = Program(mode)
    text = Translation(func, types, mode, False, program).text(func.__name__)
    groups = '#include <cooperative_groups.h>\n' if program.groups else ''
    if program.copies:
        groups += '#include <cooperative_groups/memcpy_async.h>\n'
    return groups + _HELPERS + '\n'.join(program.texts) + text, program.groups


def elementwise(func, types):
    """The text of a function that gives a struct of its results, `v0`, `v1` and so on, for arguments of these types; its name; and
    the dtypes of the results: those in which all that it returns meets.
    """
    func = getattr(func, '_func', func)
    if other := [t for t in types if t.name not in C_NAMES]:
        raise TypeError(f'numbers of {other[0]} are none of a kernel in Python')

    def translation():
        return Translation(func, types, 'numpy', True, Program('numpy'), several=True)

    first = translation()
    name = ('of_' + first.tree.name).replace('<', '').replace('>', '')
    first.text(name)
    if not _always_returns(first.tree.body):
        first.refuse(first.tree, 'it does not return on every path')
    results = []
    for values in zip(*first.returned):
        whole = values[0]
        for other in values[1:]:
            weak = whole.constant if other.constant is not None else None
            whole = Value('', first.meet(first.tree, whole, other), weak)
        results.append(whole.type)
    if not all(isinstance(t, np.dtype) for t in results):
        first.refuse(first.tree, 'it gives what is no number')
    second = translation()
    second.results = results
    text = second.text(name)
    fields = ' '.join(f'{C_NAMES[t.name]} v{k};' for k, t in enumerate(results))
    return _HELPERS + '\n'.join(second.program.texts) + f'struct {name}_results {{ {fields} }};\n' + text, name, results
