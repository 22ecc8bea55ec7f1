"""Translation of Python functions to CUDA C++."""

import ast
import inspect
import re

import numpy as np

from . import _names
from ._device_code import COMPLEX_CODE, DEVICE_CODE
from ._functions import Functions
from ._names import Builtin, Dim3
from ._operators import Operators
from ._source import definition
from ._types import C_NAMES, Array, Dim3Type, GridGroup, Group, Results, Shared, c_name, joined, promoted, same_type
from ._values import Conversions, Value, is_number

__all__ = ['elementwise', 'translated']

# The maximum number of passes over a function until the types of its variables are stable. Each pass widens at least
# one of them.
_MOST_PASSES = 40
_CXX = set(
    '''alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
    constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float for
    friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    complex float16 bfloat16 half CArray Indexer thrust min max abs real imag conj norm arg polar exp log sqrt pow sin cos tan
    threadIdx blockIdx blockDim gridDim warpSize dim3 cooperative_groups PY NULL NAN INFINITY'''.split()
)
_BLOCK, _GRID = 'block', 'grid'
# Methods of cooperative groups and their result types.
_GROUP_METHODS = {
    _BLOCK: {
        'sync': None,
        'thread_rank': 'uint32',
        'num_threads': 'uint32',
        'size': 'uint32',
        'group_index': Dim3Type,
        'thread_index': Dim3Type,
        'group_dim': Dim3Type,
        'dim_threads': Dim3Type,
    },
    _GRID: {
        'sync': None,
        'is_valid': 'bool',
        'thread_rank': 'uint64',
        'block_rank': 'uint64',
        'num_threads': 'uint64',
        'size': 'uint64',
        'num_blocks': 'uint64',
        'dim_blocks': Dim3Type,
        'block_index': Dim3Type,
        'group_dim': Dim3Type,
    },
}


def _identifier(name):
    """Returns a C++ identifier for a user's name: keywords, reserved names and letters outside ASCII are replaced."""
    plain = re.sub(r'[^0-9A-Za-z_]', lambda c: f'_u{ord(c[0]):x}_', name)
    return f'v{plain}_' if plain in _CXX or plain != name or plain.startswith(('_', 'py_')) else plain


class Translation(Conversions, Operators, Functions):
    """The translation of one function for given argument types.

    The types of variables are determined by passes over the function: a variable has the type to which all assigned
    values can be converted.
    """

    def __init__(self, func, types, mode, program, kind, name):
        self.func, self.mode, self.program, self.kind, self.name = func, mode, program, kind, name
        self.tree, self.file = definition(func)
        arguments = self.tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.fail(self.tree, 'a kernel has positional parameters without defaults')
        self.parameters = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        if len(self.parameters) != len(types):
            raise TypeError(f'{func.__name__}() takes {len(self.parameters)} positional arguments but {len(types)} were given')
        outer = inspect.getclosurevars(func)
        self.outer = {**outer.builtins, **outer.globals, **outer.nonlocals}
        self.given = dict(zip(self.parameters, types))
        # For each variable and each result, the common type of all values assigned so far.
        self.types = {name: t for name, t in self.given.items() if isinstance(t, np.dtype)}
        self.results, self.ends, self.code = None, False, None

    def fail(self, node, why, error=TypeError):
        raise error(f'{self.func.__name__}, {self.file}:{getattr(node, "lineno", self.tree.lineno)}: {why}')

    def line(self, text):
        self.lines.append('  ' * self.depth + text)

    def c(self, type):
        return c_name(type, self.mode)

    def temporary(self, value):
        """Stores a value in a temporary variable."""
        if value.is_constant or value.items is not None or isinstance(value.type, (Array, Group)):
            return value
        self.counter += 1
        self.line(f'const {self.c(value.type)} _t{self.counter} = {value.text};')
        return Value(f'_t{self.counter}', value.type)

    def constant_of(self, node):
        """Returns the value of an expression that must be a constant during translation."""
        value = self.any(node)
        if not value.is_constant:
            self.fail(node, f'{ast.unparse(node)} has to be a constant')
        return value.constant

    # Statements. Each method returns true if the function always returns within the statement.

    def body(self, statements):
        for node in statements:
            if self.statement(node):
                return True
        return False

    def block(self, statements):
        """Translates the body of a branch or of a loop, which is executed conditionally."""
        self.depth, self.conditional = self.depth + 1, self.conditional + 1
        ends = self.body(statements)
        self.depth, self.conditional = self.depth - 1, self.conditional - 1
        return ends

    def statement(self, node):
        match node:
            case ast.Pass() | ast.Expr(ast.Constant(str())) | ast.Nonlocal() | ast.Global():
                pass
            case ast.Expr(value):
                value = self.any(value)
                if not value.is_constant and value.items is None:
                    self.line(f'{value.text};')
            case ast.Assign([target], value):
                self.assign(target, self.any(value))
            case ast.Assign(targets, value):
                value = self.temporary(self.any(value))
                for target in targets:
                    self.assign(target, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.assign(target, self.any(value))
            case ast.AugAssign(target, op, value):
                self.augmented(node, target, op, value)
            case ast.If(test, then, other):
                return self.branch(test, then, other)
            case ast.While(test, body, []):
                text, known = self.truth(test)
                if known is not False:
                    self.line(f'while ({text}) {{')
                    self.block(body)
                    self.line('}')
                return known is True and not any(isinstance(n, ast.Break) for b in body for n in ast.walk(b))
            case ast.For(ast.Name(), ast.Call(), _, []):
                self.loop_over_range(node)
            case ast.Break():
                self.line('break;')
            case ast.Continue():
                self.line('continue;')
            case ast.Return(value):
                self.result(node, value)
                return True
            case ast.Assert(test, _):
                text, known = self.truth(test)
                if known is False:
                    self.fail(node, f'{ast.unparse(test)} is false', AssertionError)
                if known is None:
                    # The macro takes its argument as one in parentheses alone.
                    self.line(f'assert(({text}));')
            case _:
                self.fail(node, f'{type(node).__name__} is not in the subset of Python that kernels have')
        return False

    def branch(self, test, then, other):
        text, known = self.truth(test)
        if known is not None:
            # Only the selected branch is translated.
            return self.body(then if known else other)
        self.line(f'if ({text}) {{')
        ends = self.block(then)
        if other:
            self.line('} else {')
            ends = self.block(other) and ends
        self.line('}')
        return ends and bool(other)

    def result(self, node, value):
        if self.kind == 'kernel':
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                self.fail(node, 'a kernel returns nothing: it writes to its arrays')
            self.line('return;')
            return
        returned = None if value is None else self.any(value)
        if returned is None or returned.constant is None:
            if self.kind == 'elementwise' or self.results:
                self.fail(node, 'a value is returned elsewhere, and none here')
            self.results = []
            self.line('return;')
            return
        if isinstance(returned.type, Results):
            returned = Value('', None, items=self.items_of(node, returned))
        values = returned.items if returned.items is not None else [returned]
        known = self.results or [None] * len(values)
        if len(known) != len(values) or self.results == []:
            self.fail(node, f'{len(values)} results are returned here, and {len(self.results)} elsewhere')
        kinds = []
        for known, each in zip(known, values):
            self.number(node, each)
            kinds.append(joined(known, each.type, self.mode))
        if self.results is None or not all(map(same_type, kinds, self.results)):
            self.results, self.changed = kinds, True
        texts = ', '.join(self.cast(node, each, kind) for each, kind in zip(values, kinds))
        self.line(f'return {{{texts}}};' if self.returns_struct else f'return {texts};')

    @property
    def returns_struct(self):
        return self.kind == 'elementwise' or len(self.results or ()) > 1

    def assign(self, target, value):
        if isinstance(value.type, Results):
            value = Value('', None, items=self.items_of(target, value))
        match target:
            case ast.Name(name):
                self.assign_name(target, name, value)
            case ast.Subscript():
                lvalue = self.lvalue(target)
                self.line(f'{lvalue.text} = {self.cast(target, value, lvalue.type)};')
            case ast.Tuple(parts) | ast.List(parts):
                items = self.items_of(target, value)
                if len(items) != len(parts):
                    self.fail(target, f'{len(items)} values are assigned to {len(parts)} names')
                for part, item in zip(parts, [self.temporary(item) for item in items]):
                    self.assign(part, item)
            case _:
                self.fail(target, 'a name or an element of an array is assigned to')

    def items_of(self, node, value):
        if value.items is not None:
            return value.items
        if isinstance(value.constant, (tuple, list)):
            return [self.constant(c) for c in value.constant]
        if isinstance(value.type, Results):
            # The function is called once.
            self.counter += 1
            name = f'_r{self.counter}'
            self.line(f'const auto {name} = {value.text};')
            return [Value(f'{name}.v{k}', type) for k, type in enumerate(value.type.types)]
        self.fail(node, 'a tuple is expected')

    def lvalue(self, target):
        """Returns the element that is the target of an assignment. Its index is computed once."""
        return self.element(target, self.any(target.value), target.slice)

    def assign_name(self, node, name, value):
        variable = is_number(value) or isinstance(value.type, (Shared, Dim3Type))
        if isinstance(value.constant, tuple) and all(is_number(self.constant(c)) for c in value.constant):
            value = Value('', None, items=[self.constant(c) for c in value.constant])
        if value.items is not None:
            # The items of a tuple are separate variables. All are computed before the first is assigned.
            items = [self.temporary(item) for item in value.items]
            value = Value('', None, items=[self.part_of_tuple(node, name, k, item) for k, item in enumerate(items)])
        if not variable:
            self.bind(node, name, value)
            return
        if name in self.bound or isinstance(self.given.get(name), Array):
            self.fail(node, f'{name} is no number elsewhere')
        self.line(f'{_identifier(name)} = {self.stored(node, name, value)};')

    def stored(self, node, name, value):
        """Returns the expression of a value assigned to a variable, whose type is widened to represent it."""
        kind = joined(self.types.get(name), value.type, self.mode)
        if kind is None:
            self.fail(node, f'{name} is of another kind elsewhere')
        if name not in self.types or not same_type(kind, self.types[name]):
            self.types[name], self.changed = kind, True
        return self.cast(node, value, kind) if is_number(value) else value.text

    def part_of_tuple(self, node, name, k, item):
        if not is_number(item) or item.items is not None:
            return item
        part = f'{name}.{k}'
        self.line(f'{_identifier(part)} = {self.stored(node, part, item)};')
        return Value(_identifier(part), self.types[part])

    def bind(self, node, name, value):
        """Binds a name to a value that is known during translation: a host object, an array, a group, a tuple."""
        known = self.bound.get(name)
        same = known is not None and (known.constant is value.constant and value.is_constant or known.text == value.text != '')
        of_tuple = known is not None and known.items is not None and value.items is not None and len(known.items) == len(value.items)
        if self.conditional and not same and not of_tuple:
            self.fail(
                node,
                f'{name} becomes {value.constant!r} in a branch or a loop that only the kernel decides on'
                if value.is_constant
                else f'{name} is assigned in a branch or a loop what has to be known at translation',
            )
        if name in self.types or name in self.given:
            self.fail(node, f'{name} is a number elsewhere')
        self.bound[name] = value

    def augmented(self, node, target, op, value):
        if isinstance(target, ast.Name):
            self.assign_name(target, target.id, self.binary(node, op, self.any(target), self.any(value)))
            return
        if not isinstance(target, ast.Subscript):
            self.fail(target, 'a name or an element of an array is assigned to')
        lvalue = self.lvalue(target)
        self.counter += 1
        name = f'_r{self.counter}'
        self.line(f'{self.c(lvalue.type)} &{name} = {lvalue.text};')
        result = self.binary(node, op, Value(name, lvalue.type), self.any(value))
        self.line(f'{name} = {self.cast(target, result, lvalue.type)};')

    def loop_over_range(self, node):
        name, call = node.target.id, node.iter
        found = self.any(call.func)
        if found.constant is not range and found.constant is not _names.range:
            self.fail(node, 'a loop runs over range(…)')
        keywords = {k.arg: self.constant_of(k.value) for k in call.keywords}
        unroll = keywords.pop('unroll', None)
        if keywords or not 1 <= len(call.args) <= 3:
            self.fail(node, 'range takes one to three integers, and `unroll`')
        if unroll is not None and not isinstance(unroll, (bool, int, np.integer)):
            self.fail(node, f'unroll is True, False, None or a number, not {unroll!r}')
        parts = [self.number(a, self.any(a)) for a in call.args]
        start, stop, step = {1: [Value('', int, 0), *parts, Value('', int, 1)], 2: [*parts, Value('', int, 1)], 3: parts}[len(parts)]
        for part in parts:
            if self.concrete(part.type).kind not in 'iu' or part.is_constant and not isinstance(part.constant, (int, np.integer)):
                self.fail(node, 'range is of integers')
        kind, counter = self.counter_type(start, stop, step)
        self.counter += 1
        k, c = self.counter, C_NAMES[counter.name]
        first, end, by = (self.cast(node, p, counter) for p in (start, stop, step))
        if unroll is True:
            self.line('#pragma unroll')
        elif unroll is not None:
            self.line(f'#pragma unroll {max(1, int(unroll))}')
        back = f'_by{k} < 0 ? _at{k} > _end{k} : ' if not step.is_constant and counter.kind == 'i' else ''
        sign = '>' if step.is_constant and step.constant < 0 else '<'
        self.line(f'for ({c} _at{k} = {first}, _end{k} = {end}, _by{k} = {by}; {back}_at{k} {sign} _end{k}; _at{k} += _by{k}) {{')
        self.depth += 1
        self.line(f'{_identifier(name)} = {self.stored(node, name, Value(f"_at{k}", kind))};')
        self.depth -= 1
        self.block(node.body)
        self.line('}')

    def counter_type(self, start, stop, step):
        """Returns the type of a loop variable, and that of its counter. Mixed signedness is counted in 64 bits."""
        if self.mode == 'numpy':
            return int, np.dtype('int64')
        parts = [p for p in (start, stop, step) if not (p.is_constant and p.type is int and p.constant >= 0)] or [stop]
        dtypes = [self.concrete(p.type) for p in parts]
        counter = dtypes[0]
        for other in dtypes[1:]:
            counter = promoted(counter, other, self.mode) if counter.kind == other.kind else np.dtype('int64')
        counter = promoted(counter, np.dtype('int32'), self.mode) if counter.itemsize < 4 else counter
        return (int if all(p.type is int for p in parts) else counter), counter

    # Expressions.

    def any(self, node):
        match node:
            case ast.Constant(value):
                return self.constant(value)
            case ast.Name(name):
                return self.named(node, name)
            case ast.Attribute(owner, name):
                return self.attribute(node, self.any(owner), name)
            case ast.BinOp(left, op, right):
                return self.binary(node, op, self.any(left), self.any(right))
            case ast.UnaryOp(ast.Not()):
                text, known = self.truth(node)
                return Value(text, np.dtype(bool)) if known is None else self.constant(known)
            case ast.UnaryOp(op, operand):
                return self.unary(node, op, self.any(operand))
            case ast.BoolOp(op, values):
                return self.logical(node, op, values)
            case ast.Compare(left, ops, others):
                return self.compare(node, left, ops, others)
            case ast.IfExp(test, then, other):
                return self.choice(node, test, then, other)
            case ast.Tuple(parts):
                values = [self.any(part) for part in parts]
                if all(v.is_constant for v in values):
                    return self.constant(tuple(v.constant for v in values))
                return Value('', None, items=values)
            case ast.Subscript(owner, index):
                return self.subscript(node, self.any(owner), index)
            case ast.Call():
                return self.call(node)
        self.fail(node, f'{type(node).__name__} is not in the subset of Python that kernels have')

    def named(self, node, name):
        if name in self.bound:
            return self.bound[name]
        if name in self.types:
            return Value(_identifier(name), self.types[name])
        if name in self.given:
            return Value(_identifier(name), self.given[name])
        if name in self.outer:
            return self.constant(self.outer[name])
        self.fail(node, f'{name} has no value here', NameError)

    def subscript(self, node, owner, index):
        if owner.items is not None or isinstance(owner.constant, (tuple, list, dict, str)):
            at = self.any(index)
            if at.is_constant:
                items = owner.items if owner.items is not None else owner.constant
                if owner.items is not None and not isinstance(at.constant, (int, np.integer)):
                    self.fail(node, 'the index of a tuple is an integer')
                try:
                    found = items[at.constant]
                except (IndexError, KeyError, TypeError) as e:
                    self.fail(node, f'{ast.unparse(node)}: {e}')
                return found if isinstance(found, Value) else self.constant(found)
            if owner.text:
                return Value(f'(long long){owner.text}[{self.cast(node, at, np.dtype("int64"))}]', np.dtype('int64'))
            self.fail(node, 'the index of a tuple has to be a constant')
        if isinstance(owner.type, Results):
            at, types = self.any(index).constant, owner.type.types
            if not isinstance(at, int) or not -len(types) <= at < len(types):
                self.fail(node, f'the index of a tuple of {len(types)} values is a constant from {-len(types)} to {len(types) - 1}')
            return Value(f'{owner.text}.v{at % len(types)}', types[at])
        return self.element(node, owner, index)

    def element(self, node, owner, index):
        """Returns an element of an array, by an index for each axis."""
        if not isinstance(owner.type, (Array, Shared)):
            self.fail(node, f'{ast.unparse(node)} is no element of an array')
        at = self.any(index)
        indices = [at] if at.items is None and not isinstance(at.constant, tuple) else self.items_of(index, at)
        if len(indices) != owner.type.ndim:
            self.fail(node, f'an array of {owner.type.ndim} axes has {owner.type.ndim} indices, and {len(indices)} are given')
        texts = []
        for each in indices:
            if not is_number(each) or self.concrete(each.type).kind not in 'iub':
                self.fail(node, 'an index is an integer')
            texts.append(self.text(each))
        if not texts:
            return Value(f'(*{owner.text}.data())', owner.type.dtype)
        text = f'{owner.text}[{texts[0]}]' if len(texts) == 1 else f'{owner.text}.at({", ".join(texts)})'
        return Value(text, owner.type.dtype)

    def group(self, node, group):
        value = self.any(group)
        if not isinstance(value.type, Group):
            self.fail(node, 'a cooperative group is expected')
        return value.text

    def attribute_of_threads(self, node, owner, name):
        """Returns an attribute of a thread index or of a cooperative group."""
        if isinstance(owner.constant, Dim3) and name in ('x', 'y', 'z'):
            return Value(f'{owner.constant.name}.{name}', np.dtype('uint32'))
        if isinstance(owner.type, Dim3Type) and name in ('x', 'y', 'z'):
            return Value(f'{owner.text}.{name}', np.dtype('uint32'))
        if isinstance(owner.type, Group):
            methods = _GROUP_METHODS[_GRID if isinstance(owner.type, GridGroup) else _BLOCK]
            if name not in methods:
                self.fail(node, f'the group has no {name}: it has {", ".join(methods)}')
            return self.constant(_group_method(f'{owner.text}.{name}()', methods[name]))
        return None

    # The whole function.

    def translate(self):
        """Translates the function repeatedly until the types of its variables are stable."""
        for _ in range(_MOST_PASSES):
            self.lines, self.depth, self.counter, self.conditional = [], 1, 0, 0
            self.bound, self.calls, self.changed = {}, [], False
            self.ends = self.body(self.tree.body)
            if not self.changed:
                break
        else:
            self.fail(self.tree, 'the types of the variables do not settle')
        if self.kind == 'elementwise' and not self.ends or self.kind == 'device' and self.results and not self.ends:
            self.fail(self.tree, 'it does not return on every path')
        self.code = self.definition()

    def definition(self):
        heads, first = [], []
        for name in self.parameters:
            given, own = self.given[name], _identifier(name)
            if isinstance(given, Array):
                heads.append(f'{given.c()} {own}')
                continue
            if not isinstance(given, np.dtype):
                heads.append(f'{self.c(given)} {own}')
                continue
            # A parameter becomes a variable if it is assigned a value that its type cannot represent.
            widened = not same_type(self.types[name], given)
            heads.append(f'{C_NAMES[given.name]} {"_a_" if widened else ""}{own}')
            if widened:
                first.append(f'  {self.c(self.types[name])} {own} = {self.cast(self.tree, Value(f"_a_{own}", given), self.types[name])};')
        declared = [f'  {self.c(t)} {_identifier(n)};' for n, t in self.types.items() if n not in self.given]
        if self.kind == 'kernel':
            head = f'extern "C" __global__ void {self.name}'
        elif self.returns_struct:
            fields = ' '.join(f'{self.c(t)} v{k};' for k, t in enumerate(self.results))
            head = f'struct {self.name}_results {{ {fields} }};\n__device__ {self.name}_results {self.name}'
        else:
            head = f'__device__ {self.c(self.results[0]) if self.results else "void"} {self.name}'
        return '\n'.join([f'{head}({", ".join(heads)}) {{', *first, *declared, *self.lines, '}', ''])


def _group_method(text, returned):
    """Returns a method of a group as a function without arguments."""

    def build(t, node):
        if returned is None:
            return Value(text, None)
        return Value(text, returned() if returned is Dim3Type else np.dtype(returned))

    return Builtin(text, build)


def _key(type):
    return getattr(type, 'key', None) or (type.name if isinstance(type, np.dtype) else type.__class__.__name__ + str(getattr(type, 'dtype', type)))


class Program:
    """A kernel and the device functions that it calls."""

    def __init__(self, mode):
        self.mode, self.functions, self.called = mode, {}, {}
        self.groups = self.copies = self.atomic_float16 = self.discards_imaginary = False

    def device(self, caller, node, of, args):
        """Returns the call of a device function, which is translated for the types of its arguments."""
        func, mode = getattr(of, '_func', of), getattr(of, '_mode', caller.mode)
        types = []
        for a in args:
            if a.items is not None or a.type is None or isinstance(a.type, Results):
                caller.fail(node, f'{func.__name__} takes arrays and numbers')
            types.append(caller.concrete(a.type))
        key = (id(func), *map(_key, types))
        inner = self.functions.get(key)
        if inner is None:
            name = f'{_identifier(func.__name__).replace("lambda", "of")}_{len(self.functions)}'
            inner = self.functions[key] = Translation(func, types, mode, self, 'device', name)
            inner.translate()
        elif inner.code is None:
            raise ValueError(f'{func.__name__}, {inner.file}: it calls itself, and a translated function cannot')
        caller.calls.append(inner)
        values = ', '.join(caller.text(a) for a in args)
        results = inner.results or [None]
        return Value(f'{inner.name}({values})', results[0] if len(results) == 1 else Results(results))

    def text(self, main):
        """Returns the complete source: only functions that are called, each before its callers."""
        ordered = []

        def visit(function):
            for inner in function.calls:
                visit(inner)
            if function not in ordered:
                ordered.append(function)

        visit(main)
        head = '#include <cooperative_groups.h>\n' if self.groups else ''
        head += '#include <cooperative_groups/memcpy_async.h>\n' if self.copies else ''
        head += '#include <cupy/atomics.cuh>\n' if self.atomic_float16 else ''
        body = '\n'.join(f.code for f in ordered)
        return head + DEVICE_CODE + (COMPLEX_CODE if 'complex<' in body else '') + body


def _translated(func, types, mode, kind, name):
    program = Program(mode)
    main = Translation(func, types, mode, program, kind, name)
    try:
        main.translate()
    except RecursionError:
        raise ValueError(f'{func.__name__}, {main.file}: its device functions call others without end') from None
    return main, program


def translated(func, types, mode):
    """Returns the source of a kernel for these argument types, its name, and whether it needs a cooperative launch."""
    name = _identifier(func.__name__)
    main, program = _translated(func, types, mode, 'kernel', name)
    return program.text(main), name, program.groups


def elementwise(func, types):
    """Translates a scalar function for arguments of these dtypes.

    Returns the source of a function that returns a struct of its results, `v0`, `v1` and so on; its name; the
    dtypes of the results, to which all returned values can be converted; and whether it discards imaginary parts.
    """
    func = getattr(func, '_func', func)
    if other := [t for t in types if t.name not in C_NAMES]:
        raise TypeError(f'numbers of {other[0]} are not supported in a translated function')
    name = 'of_' + re.sub(r'[^0-9A-Za-z_]', '', getattr(func, '__name__', 'function'))
    main, program = _translated(func, types, 'numpy', 'elementwise', name)
    return program.text(main), name, [main.concrete(t) for t in main.results], program.discards_imaginary
