"""Syntax trees of functions, from the files that define them."""

import ast
import functools
import inspect
import linecache
import textwrap

__all__ = ['definition']


@functools.lru_cache(64)
def _functions(lines, first=1):
    """Returns every function and lambda in the lines of a source file; `first` is the number of the first line."""
    tree = ast.increment_lineno(ast.parse(textwrap.dedent(''.join(lines)) if first > 1 else ''.join(lines)), first - 1)
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]


def _positions(code):
    """Returns the range of lines and columns of a function's bytecode; None if the interpreter does not provide it."""
    if not hasattr(code, 'co_positions'):
        return None
    whole = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    if not whole:
        return None
    return min((p[0], p[2]) for p in whole), max((p[1], p[3]) for p in whole)


def _first_line(node):
    decorators = getattr(node, 'decorator_list', [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def definition(func):
    """Returns the syntax tree of a function, as `ast.FunctionDef`, and its file.

    Raises ValueError if the source is not available, or if two lambdas cannot be distinguished.
    """
    name, code = getattr(func, '__name__', type(func).__name__), getattr(func, '__code__', None)
    if code is None:
        raise ValueError(f'{name} is no Python function: its source cannot be translated')
    file = inspect.getsourcefile(func) or code.co_filename
    lines = tuple(linecache.getlines(file, func.__globals__))
    if not lines:
        raise ValueError(f'the source of {name} is not available: a function that is translated is defined in a file')
    try:
        try:
            functions = _functions(lines)
        except SyntaxError:
            # The file may be a document that contains the function.
            own, first = inspect.getsourcelines(func)
            functions = _functions(tuple(own), first)
    except (OSError, SyntaxError) as e:
        raise ValueError(f'the source of {name}, {file}, cannot be parsed: {e}') from e
    is_lambda = code.co_name == '<lambda>'
    found = [
        node
        for node in functions
        if isinstance(node, ast.Lambda) == is_lambda and _first_line(node) == code.co_firstlineno and (is_lambda or node.name == code.co_name)
    ]
    if len(found) > 1 and (positions := _positions(code)):
        start, end = positions
        # The innermost one that contains the bytecode. Columns are counted in bytes in both.
        inside = [n for n in found if (n.body.lineno, n.body.col_offset) <= start and end <= (n.body.end_lineno, n.body.end_col_offset)] if is_lambda else found
        inside.sort(key=lambda n: (n.lineno, n.col_offset), reverse=True)
        found = inside[:1]
    if len(found) > 1:
        raise ValueError(
            f'{file}:{code.co_firstlineno}: {len(found)} lambdas begin on one line, and this version of Python does '
            'not determine which one it is: write each on a line of its own'
        )
    if not found:
        raise ValueError(f'the source of {name} is not found in {file}: it has changed since it was read')
    node = found[0]
    if isinstance(node, ast.Lambda):
        back = ast.copy_location(ast.Return(node.body), node.body)
        node = ast.copy_location(ast.FunctionDef('lambda', node.args, [back], []), node)
    if isinstance(node, ast.AsyncFunctionDef):
        raise ValueError(f'{name} is a coroutine: it cannot be translated')
    return node, file
