#!/usr/bin/env python3
"""Writes the stubs of the package, `python/cuprum/**/*.pyi`, from the package itself: names, parameters and defaults are what
modules, classes and functions say of themselves, and `stub_types.py` knows the types. `--check` compares with those that are
there, and writes nothing."""

import ast
import importlib
import inspect
import pathlib
import re
import sys
import textwrap
import types

import numpy as np

import cuprum
import stub_types as known

HERE = pathlib.Path(__file__).parent / 'python' / 'cuprum'

# Each name that a stub may use, and what brings it.
IMPORTS = {
    'builtins.': 'import builtins', 'collections.': 'import collections.abc', 'unittest.': 'import unittest.case', 'contextlib.': 'import contextlib', 'numpy.': 'import numpy', 'cuda.': 'from cuprum import cuda',
    **{name: f'from collections.abc import {name}' for name in ('Callable', 'Iterator', 'Sequence')},
    **{name: f'from typing import {name}' for name in ('Any', 'ClassVar', 'Generic', 'Literal', 'overload')},
    **{name: f'from typing_extensions import {name}' for name in ('ParamSpec', 'Self', 'TypeVar')},
    **{name: f'from numpy.typing import {name}' for name in ('DTypeLike',)},
    **{name: f'from cuprum import {name}' for name in ('flatiter', 'ndarray', 'ufunc')},
    **{name: f'from cuprum import {name}  # pyright: ignore[reportPrivateUsage]' for name in ('_UfuncOfOne', '_UfuncOfTwo')},
    **{name: f'from cuprum._linalg_names import {name}' for name in ('EigResult', 'EighResult', 'QRResult', 'SVDResult', 'SlogdetResult')},
}
# What every object has.
OF_OBJECT = set(dir(object))
COMPARISONS = ('__eq__', '__ne__', '__lt__', '__le__', '__gt__', '__ge__')


def annotated(function, name, gives, kinds=known.PARAMETERS, bound=None):
    """One `def` of a function, or of a method whose first parameter is `bound`; without a signature it takes anything."""
    kinds = {**kinds, **known.OF_FUNCTIONS.get(name, {})}
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return f'def {name}({bound + ", " if bound else ""}*args: Any, **kwargs: Any) -> {gives}: ...'
    parts, seen_keyword = [], False
    if bound:
        if parameters and parameters[0].name in ('self', 'cls'):
            own = parameters.pop(0)
            parts = [bound, '/'] if own.kind is own.POSITIONAL_ONLY and not any(p.kind is p.POSITIONAL_ONLY for p in parameters) else [bound]
        else:
            parts = [bound]
    last_positional = max((at for at, p in enumerate(parameters) if p.kind is p.POSITIONAL_ONLY), default=-1)
    for at, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not seen_keyword:
            if not any(q.kind is q.VAR_POSITIONAL for q in parameters):
                parts.append('*')
            seen_keyword = True
        star = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        kind = 'Any' if star else kinds.get(p.name, 'Any')
        default = '' if p.default is p.empty else ' = ...'
        parts.append(f'{star}{p.name}: {kind}{default}')
        if at == last_positional:
            parts.append('/')
    return f'def {name}({", ".join(parts)}) -> {gives}: ...'


def ndarray_stub():
    """The class of arrays."""
    lines = ['class ndarray(Generic[_Shape_co, _DType_co]):', '    def __init__(self, *args: Any, **kwargs: Any) -> None: ...']
    for name in sorted(dir(cuprum.ndarray)):
        member = inspect.getattr_static(cuprum.ndarray, name)
        if name in OF_OBJECT.difference(COMPARISONS) or name == '__class_getitem__':
            continue
        if name in ('__eq__', '__ne__'):
            lines.append(f'    def {name}(self, other: object, /) -> ndarray: ...  # type: ignore[override]')
        elif callable(member) or isinstance(member, (classmethod, staticmethod)):
            ignored = '  # type: ignore[misc]' if name == '__ipow__' else ''
            gives = known.OF_ARRAYS.get(name, 'ndarray')
            function = getattr(cuprum.ndarray, name)
            if name.startswith('__') and name not in ('__array_ufunc__', '__pow__', '__rpow__') and not _has_signature(function):
                lines.append(f'    def {name}(self, value: Any, /) -> {gives}: ...{ignored}')
            else:
                lines.append('    ' + annotated(function, name, gives, bound='self') + ignored)
        elif not name.startswith('_'):
            kind = known.ATTRIBUTES.get(name, 'Any')
            lines += ['    @property', f'    def {name}(self) -> {kind}: ...']
            if name in ('shape', 'real', 'imag', 'flat', 'strides'):
                lines += [f'    @{name}.setter', f'    def {name}(self, value: Any) -> None: ...']
    return lines


def _has_signature(function):
    try:
        return inspect.signature(function) is not None
    except (TypeError, ValueError):
        return False


def _bases(cls, homes):
    """The classes that a class is made of and that its stub names, and those whose members it has to say itself: no stub shows them."""
    named, merged = [], [cls]
    for base in cls.__mro__[1:]:
        if base is object or any(issubclass(other, base) for other in named):
            continue
        if base.__module__.startswith('cuprum') and base not in homes:
            merged.append(base)
        else:
            named.append(base)
    return named, merged


def _path(base):
    """The name of a class that stands in `builtins`, in the package or elsewhere."""
    if base.__module__ == 'builtins' or base.__module__.startswith('cuprum'):
        return base.__name__
    return f'{base.__module__}.{base.__name__}' + ('[Any, Any]' if base.__module__ == 'collections.abc' else '')


def class_stub(cls, name, kinds, homes):
    """The text of a class: its members, and what its methods set."""
    bases, merged = _bases(cls, homes)
    members = {}
    for part in reversed(merged):
        members.update(vars(part))
    default = 'ndarray' if name in known.DRAW else 'Any'

    def gives(member, otherwise=default):
        return known.MEMBERS.get(f'{name}.{member}', known.MEMBERS.get(member, otherwise))

    lines, said = [], set()
    for member, value in sorted(members.items()):
        if (member.startswith('_') and not member.endswith('__')) or member in (
                '__module__', '__doc__', '__dict__', '__weakref__', '__slots__', '__new__', '__hash__', '__qualname__',
                '__init_subclass__', '__class_getitem__', '__annotations__', '__firstlineno__', '__static_attributes__', '__getattr__', '__reduce__'):
            continue
        said.add(member)
        if isinstance(value, property) or type(value).__name__ in ('getset_descriptor', 'member_descriptor'):
            lines += ['@property', f'def {member}(self) -> {gives(member, "Any")}: ...']
            if getattr(value, 'fset', None) is not None or type(value).__name__ == 'member_descriptor':
                lines += [f'@{member}.setter', f'def {member}(self, value: Any) -> None: ...']
        elif isinstance(value, (classmethod, staticmethod)):
            way = type(value).__name__
            lines += [f'@{way}', annotated(value.__func__, member, gives(member), kinds, 'cls' if way == 'classmethod' else None)]
        elif isinstance(value, types.FunctionType) or type(value).__name__ in ('method_descriptor', 'wrapper_descriptor'):
            if member in COMPARISONS:
                lines.append(f'def {member}(self, other: {"object" if member in ("__eq__", "__ne__") else "Any"}, /) -> {gives(member)}: ...')
            else:
                lines.append(annotated(value, member, gives(member), kinds, 'self'))
        elif not member.startswith('__'):
            kind = name if isinstance(value, cls) else known.MEMBERS.get(f'{name}.{member}') or _constant(value)
            lines.append(f'{member}: {kind}')
    if '__init__' not in members and '__init__' in vars(cls) or '__init__' not in members and not any('__init__' in vars(b) for b in bases):
        lines.insert(0, annotated(cls, '__init__', 'None', kinds, 'self'))
    said |= {n for base in bases for n in dir(base)}
    for attribute in sorted(_set_by(merged) - said):
        lines.append(f'{attribute}: {known.MEMBERS.get(f"{name}.{attribute}", "Any")}')
    body = textwrap.indent('\n'.join(lines), '    ') if lines else '    ...'
    return f'class {name}({", ".join(map(_path, bases))}):\n{body}' if bases else f'class {name}:\n{body}'


def _set_by(classes):
    """The attributes that methods of Python set: `self.name = …`."""
    found = set()
    for cls in classes:
        accessors = [f for value in vars(cls).values() if isinstance(value, property) for f in (value.fget, value.fset)]
        functions = [f for f in (*vars(cls).values(), *accessors) if inspect.isfunction(f)]
        try:
            # Of each function: a class does not know its file where it is shown by another module.
            tree = ast.parse(''.join(textwrap.dedent(inspect.getsource(f)) for f in functions))
        except (OSError, TypeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) \
                    and node.value.id == 'self' and not node.attr.startswith('_'):
                found.add(node.attr)
    return found


def _constant(value):
    """The type of a constant."""
    for kind in (bool, int, float, str):
        if type(value) is kind:
            return f'builtins.{kind.__name__}' if kind is bool else kind.__name__
    return 'None' if value is None else 'Any'


def names_of(module):
    """The names that a module shows."""
    return sorted(name for name in vars(module) if not name.startswith('_') or name in (
        '__version__', '__array_api_version__', '__array_namespace_info__'))


def result(module, name, value):
    """What a function gives: an array, where nothing else is known of what the call table has."""
    if module.__name__ == 'cuprum.testing' and name.startswith(known.DECORATORS):
        return 'Callable[[Callable[..., Any]], Callable[..., Any]]' if name != 'fix_random' else 'Any'
    if inspect.isgeneratorfunction(inspect.unwrap(value)) and not inspect.isgeneratorfunction(value):
        return 'contextlib.AbstractContextManager[Any]'
    of_table = name in cuprum._cuprum.tables.get(module.__name__, ()) or isinstance(value, types.BuiltinFunctionType)
    otherwise = 'ndarray' if of_table or module.__name__ in ('cuprum.random', 'cuprum.linalg') else 'Any'
    return known.RETURNS.get(name, otherwise)


class Stub:
    """The stub of a module. `homes` knows where each class is written out."""

    def __init__(self, module, homes):
        self.module, self.name, self.homes = module, module.__name__, homes
        self.kinds = {**known.PARAMETERS, **(known.OF_LAWS if self.name == 'cuprum.random' else {})}

    def text(self):
        """The text: what stands in it is imported as far as it is used."""
        lines = []
        if self.name == 'cuprum':
            lines += [known.UFUNC, *ndarray_stub(), '']
        for name in names_of(self.module):
            if self.name != 'cuprum' or name not in ('ndarray', 'ufunc'):
                lines += self.lines(name, getattr(self.module, name))
        text = '\n'.join(lines) + '\n'
        if re.search(r'(?<![\w.])_F(?!\w)', text) and self.name != 'cuprum':
            text = "_F = TypeVar('_F', bound=Callable[..., Any])\n" + text
        return '# Generated by gpu/python/stubs.py. Do not edit.\n\n' + self.imports(text) + '\n' + text

    def imports(self, text):
        own = set(re.findall(r'^(?:class|def) (\w+)|^from .* import .* as (\w+)$', text, re.MULTILINE))
        own = {name for pair in own for name in pair if name} | set(re.findall(r'^(\w+):', text, re.MULTILINE))
        text = re.sub(r'^from .*', '', text, flags=re.MULTILINE)
        needed = set()
        for name, line in IMPORTS.items():
            if name.rstrip('.') not in own and re.search(rf'(?<![\w.]){re.escape(name)}' + ('' if name.endswith('.') else r'(?![\w])'), text):
                needed.add(line)
        # Classes that types of results name, and that stand elsewhere.
        for cls, home in self.homes.items():
            if home != self.name and cls.__name__ not in own and re.search(rf'(?:-> |\[|\(|, |: ){cls.__name__}(?![\w.])', text) \
                    and f'{cls.__name__}' not in IMPORTS:
                needed.add(f'from {home} import {cls.__name__}')
        return ''.join(line + '\n' for line in sorted(needed, key=lambda line: (line.startswith('from'), line)))

    def lines(self, name, value):
        path = f'{self.name}.{name}'
        if path in known.WRITTEN:
            return [known.WRITTEN[path]]
        if isinstance(value, types.ModuleType):
            return [f'from {self.name} import {name} as {name}'] if value.__name__ == path and _is_public(path) else []
        if isinstance(value, cuprum.ufunc):
            return [f'{name}: {("_UfuncOfOne", "_UfuncOfTwo")[value.nout - 1]}']
        if vars(np).get(name) is value and not isinstance(value, (int, float, str, type(None))):
            return [f'from numpy import {name} as {name}']
        if isinstance(value, type):
            return self.of_class(name, value)
        if callable(value) and hasattr(value, '__name__'):
            home = getattr(value, '__module__', None)
            if isinstance(value, types.FunctionType) and home != self.name and _is_public(home) and hasattr(sys.modules.get(home), name):
                return [f'from {home} import {name} as {name}']
            if isinstance(value, types.FunctionType) and not home.startswith('cuprum'):
                return []
            return [annotated(value, name, result(self.module, name, value), self.kinds)]
        return [f'{name}: {_constant(value)}']

    def of_class(self, name, value):
        module = value.__module__
        if module == 'builtins':
            return [f'{name} = builtins.{value.__name__}']
        for home, said in ((np, 'numpy'), (np.random, 'numpy.random'), (np.exceptions, 'numpy.exceptions')):
            if getattr(home, name, None) is value:
                return [f'from {said} import {name} as {name}']
            if getattr(home, value.__name__, None) is value:
                return [f'{name} = {said}.{value.__name__}']
        if value not in self.homes:
            return [f'{name}: Any']
        if self.homes[value] != self.name:
            return [f'from {self.homes[value]} import {name} as {name}'] if name == value.__name__ else [f'{name}: Any']
        if name != value.__name__:
            return [f'{name} = {value.__name__}']
        return [class_stub(value, name, self.kinds, self.homes)]


def _is_public(path):
    """Whether programs import a module of this name."""
    return path is not None and path.startswith('cuprum') and not any(part.startswith('_') for part in path.split('.')) \
        and path not in ('cuprum.as_cupy', 'cuprum.typing')


def modules():
    """The modules that programs import: those of files, and those that the call table fills."""
    for path in sorted(HERE.rglob('*.py')):
        parts = path.relative_to(HERE.parent).with_suffix('').parts
        name = '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)
        if _is_public(name):
            importlib.import_module(name)
    # `cuprum.fft._cache` is one that programs ask for by its name.
    return {name: module for name, module in sorted(sys.modules.items())
            if _is_public(name) or name == 'cuprum.fft._cache'}


def homes(found):
    """Where each class is written out: in its own module, or in the first one that shows it."""
    known_homes = {}
    for name, module in sorted(found.items(), key=lambda pair: (pair[0].count('.'), pair[0])):
        for shown in names_of(module):
            value = getattr(module, shown)
            if isinstance(value, type) and value.__module__.startswith('cuprum') and shown == value.__name__:
                own = value.__module__
                known_homes.setdefault(value, own if own in found and getattr(found[own], shown, None) is value else name)
    return known_homes


def stubs():
    """Every stub: where it stands, and its text."""
    found = modules()
    where = homes(found)
    texts = {}
    for name, module in found.items():
        path = HERE.joinpath(*name.split('.')[1:])
        is_package = any(other.startswith(name + '.') for other in found) or (path / '__init__.py').exists()
        texts[path / '__init__.pyi' if is_package else path.with_suffix('.pyi')] = Stub(module, where).text()
    return texts


def main(arguments):
    texts, wrong = stubs(), []
    for path, text in texts.items():
        if '--check' not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(path)
    for path in set(HERE.rglob('*.pyi')) - set(texts):
        if '--check' not in arguments:
            path.unlink()
        else:
            wrong.append(path)
    for path in wrong:
        print(f'{path} is not what the package says: run gpu/python/stubs.py', file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
