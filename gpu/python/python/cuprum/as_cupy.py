"""Runs a program that says `import cupy` with this package in CuPy's place.

    python -m cuprum.as_cupy script.py [arguments]
    python -m cuprum.as_cupy -m module [arguments]
    python -m cuprum.as_cupy -c code [arguments]

The program sees its own arguments in `sys.argv`, and is `__main__`.
"""

import os
import runpy
import sys
import types

from ._cupy_import import install_as_cupy

USAGE = 'usage: python -m cuprum.as_cupy (script.py | -m module | -c code) [arguments]'


def main(arguments):
    """Runs the program of the command line. Its exceptions and its exit status are passed on."""
    if not arguments or arguments[0] in ('-h', '--help'):
        print(__doc__.strip() if arguments else USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    kind = arguments[0]
    if kind in ('-m', '-c') and len(arguments) < 2:
        print(USAGE, file=sys.stderr)
        return 2
    install_as_cupy()
    if kind == '-m':
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
    elif kind == '-c':
        sys.argv = ['-c', *arguments[2:]]
        sys.path[0] = ''
        _run(arguments[1], '<string>')
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(kind))
        if os.path.isdir(kind):
            sys.path[0] = kind
            runpy.run_path(kind, run_name='__main__')
        else:
            try:
                with open(kind, 'rb') as script:
                    text = script.read()
            except OSError as error:
                print(f'cuprum.as_cupy: {kind}: {error.strerror}', file=sys.stderr)
                return 2
            _run(text, kind)
    return 0


def _run(text, name):
    """Runs a source as the module `__main__`, which it remains: code that continues to run may use its names."""
    module = types.ModuleType('__main__')
    module.__file__ = name
    module.__builtins__ = __builtins__
    sys.modules['__main__'] = module
    exec(compile(text, name, 'exec', dont_inherit=True), module.__dict__)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
