#!/usr/bin/env python3
"""Generates the imports by which the modules of the package take the routines of the call table from the extension.

A module that has routines contains a block between two comments:

    # Routines of the call table, written by gpu/python/routines.py.
    from cuprum._cuprum.routines.linalg import cholesky, cond, …
    # End of the routines.

The block names the routines of the module's own name space that the file does not define or import elsewhere, so that
each name has one definition. `--check` compares with the existing files, and writes nothing."""

import ast
import importlib.machinery
import importlib.util
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).parent / 'python' / 'cuprum'

BEGIN = '# Routines of the call table, written by gpu/python/routines.py.\n'
END = '# End of the routines.\n'


def extension():
    """Loads the extension by its file: the package may lack the imports that are to be written."""
    path = str(HERE / '_cuprum.abi3.so')
    loader = importlib.machinery.ExtensionFileLoader('cuprum._cuprum', path)
    spec = importlib.util.spec_from_file_location('cuprum._cuprum', path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def file_of(module):
    """Returns the file of a module of the package."""
    path = HERE.joinpath(*module.split('.')[1:])
    return path / '__init__.py' if path.is_dir() else path.with_suffix('.py')


def bound(source):
    """Returns the names that a source binds at its top level."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition('.')[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


def written(module, names):
    """Returns the text of the file of a module with the block of its routines."""
    source = file_of(module).read_text()
    try:
        before, rest = source.split(BEGIN)
        _, after = rest.split(END)
    except ValueError:
        raise SystemExit(f'{file_of(module)} has no block of routines: write both comments where it belongs') from None
    names = sorted(set(names) - bound(before + after))
    line = f'from cuprum._cuprum.routines{module.removeprefix("cuprum")} import '
    block = line + ', '.join(names) + '\n'
    if len(block) > 160:
        block = line + '(\n' + textwrap.fill(', '.join(names), 156, initial_indent='    ', subsequent_indent='    ') + ',\n)\n'
    return before + BEGIN + block + END + after


def main(arguments):
    wrong = []
    for module, routines in extension().routine_modules.items():
        path, names = file_of(module), [name for name in vars(routines) if not name.startswith('__')]
        text = written(module, names)
        if path.read_text() != text:
            wrong.append(path)
            if '--check' not in arguments:
                path.write_text(text)
    if '--check' not in arguments:
        return 0
    for path in wrong:
        print(f'{path} does not import the routines of the call table: run gpu/python/routines.py', file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
