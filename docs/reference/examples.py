"""Examples of the Python reference: one line for each function, run with this package and, where NumPy or SciPy has the function, with theirs.

A file `examples/MODULE.txt`, of NumPy's or SciPy's module where there is one, has lines `NAME: STATEMENTS`, of which the last one is an expression whose value is shown. A line `= NAME = VALUE`
defines an operand, which each example that uses it shows first. `! NAME: …` is compared with nothing, since NumPy has no counterpart or other
random numbers. `NAME: -` says that there is no example. A universal function of one operand without a line is called with `x`.
"""

import ast
import importlib
import pathlib
import re
import warnings

import numpy as np

FOLDER = pathlib.Path(__file__).parent / 'examples'

# The aliases under which examples use a module, and the import lines of the page.
ALIASES = {
    'cuprum.cupyx': ('cupyx',),
    'cuprum.cupyx.linalg': ('linalg',),
    'cuprum.cupyx.signal': ('signal',),
    'scipy.special': ('special',),
    'scipy.ndimage': ('ndimage',),
    'scipy.fft': ('fft',),
    'scipy.fftpack': ('fftpack',),
    'scipy.linalg': ('linalg',),
    'scipy.stats': ('stats',),
    'scipy.signal': ('signal',),
    'scipy.signal.windows': ('windows',),
    'scipy.sparse': ('sparse',),
    'scipy.sparse.linalg': ('sparse', 'linalg'),
    'scipy.sparse.csgraph': ('sparse', 'csgraph'),
    'scipy.spatial': ('spatial',),
    'scipy.spatial.distance': ('distance',),
    'scipy.spatial.transform': ('transform',),
    'scipy.interpolate': ('interpolate',),
}
# The bases of `numpy.polynomial`, whose functions have one list.
BASES = {'chebyshev': 'cheb', 'hermite': 'herm', 'hermite_e': 'herme', 'laguerre': 'lag', 'legendre': 'leg', 'polynomial': 'poly', 'polyutils': ''}


def own(module):
    """Returns the module of this package for one of NumPy's or SciPy's."""
    return f'cuprum.cupyx.{module}' if module.startswith('scipy') else re.sub('^numpy', 'cuprum', module)


class Example:
    """An example: its statements, the operands that it uses, and whether its value is compared."""

    def __init__(self, statements, operands, imports, compared):
        self.statements, self.imports, self.compared = statements, imports, compared
        self.operands = []
        self.add_operands('\n'.join(statements), operands)

    def add_operands(self, code, operands):
        """Adds the definitions of the operands that a piece of code uses, before those that use them."""
        nodes = list(ast.walk(ast.parse(code)))
        assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for name in sorted({node.id for node in nodes if isinstance(node, ast.Name)} - assigned):
            if name in operands and operands[name] not in self.operands:
                self.add_operands(operands[name], operands)
                self.operands.append(operands[name])

    def value(self, ours):
        """Runs the example with this package (`ours`) or with NumPy and SciPy, and returns the value of its last expression."""
        scope = {'np': np, 'cp': importlib.import_module('cuprum') if ours else np}
        for module, alias in self.imports:
            scope[alias] = importlib.import_module(own(module) if ours else module)
        *first, last = [*self.operands, *self.statements]
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            exec('\n'.join(first), scope)
            return eval(last, scope)

    def shown(self):
        """Returns the example as an interactive session with its result."""
        lines = ['import cuprum as cp'] + (['import numpy as np'] if any('np.' in s.replace('cp.', '') for s in self.statements) else [])
        for module, alias in self.imports:
            head, _, tail = own(module).rpartition('.')
            lines.append(f'from {head} import {tail}' + (f' as {alias}' if alias != tail else ''))
        value = self.value(ours=True)
        return '\n'.join([f'>>> {line}' for line in [*lines, *self.operands, *self.statements]] + ([] if value is None else [repr(value)]))


def differs(a, b):
    """Returns true if two values are not the same up to rounding."""
    if isinstance(a, (tuple, list)):
        return not isinstance(b, (tuple, list)) or len(a) != len(b) or any(map(differs, a, b))
    if isinstance(a, dict):
        return a.keys() != b.keys() or any(differs(a[key], b[key]) for key in a)
    if hasattr(a, 'get') and hasattr(a, 'dtype') or isinstance(a, (float, complex, np.generic)) or isinstance(b, np.ndarray):
        a, b = np.asarray(a.get() if hasattr(a, 'get') else a), np.asarray(b)
        if a.dtype.kind not in 'biufc':
            return bool((a != b).any())
        return a.shape != b.shape or not np.allclose(a.astype(complex), b.astype(complex), rtol=1e-6, atol=1e-9, equal_nan=True)
    return a != b


def read(module):
    """Returns the examples of a module of NumPy's or SciPy's by name; those of the polynomial bases have one file."""
    base = module.removeprefix('numpy.polynomial.') if module.startswith('numpy.polynomial.') else None
    path = FOLDER / ('numpy.polynomial.txt' if base else f'{module}.txt')
    if not path.exists():
        return {}
    text = path.read_text()
    if base:
        prefix = BASES[base]
        text = (
            re.sub(r'^P(?=[a-z2])|(?<=M\.)P|(?<=2)P', prefix, text, flags=re.MULTILINE)
            if prefix
            else re.sub(r'^P[a-z2].*\n|^.*2P.*\n', '', text, flags=re.MULTILINE)
        )
        imports = [(module, 'M')]
    else:
        imports = [(module if alias == module.rpartition('.')[2] else 'scipy.sparse', alias) for alias in ALIASES.get(module, ())]
    found, operands = {}, {}
    for line in filter(None, text.splitlines()):
        if line.startswith('= '):
            operands[line.split()[1]] = line[2:]
            continue
        compared = not line.startswith('! ')
        name, _, code = line.removeprefix('! ').partition(': ')
        found[name] = None if code == '-' else (code.split('; '), imports, compared)
    examples = {name: entry and Example(entry[0], operands, entry[1], entry[2]) for name, entry in found.items()}
    examples[''] = operands, imports
    return examples


def of(name, value, examples):
    """Returns the example of a function, or None."""
    if name in examples:
        return examples[name]
    operands, imports = examples.get('', ({}, []))
    if getattr(value, 'nin', 0) == 1 and getattr(value, 'nout', 0) == 1 and 'x' in operands:
        alias = imports[-1][1] if imports else 'cp'
        return Example([f'{alias}.{name}(x)'], operands, imports, compared=True)
    return None
