"""Commands of the package.

python -m cuprum doctor [--json]    what is wrong with this installation, and the command that repairs it
python -m cuprum info               what the package runs on: devices, driver, compiler, libraries, caches, environment

The exit status of `doctor` is 1 if programs fail or a GPU is not used.
"""

import importlib.metadata
import os
import sys

import numpy

from cuprum import _cuprum


def _doctor(json):
    """Checks the installation; returns the exit status."""
    folder = os.path.dirname(os.path.abspath(__file__))
    text, is_healthy = _cuprum.diagnose(sys.executable, folder, _version(folder), numpy.__version__, json)
    print(text, end='')
    return 0 if is_healthy else 1


def _version(folder):
    """Returns the version of the installed package that has this folder; None for a checkout."""
    try:
        package = importlib.metadata.distribution('cuprum-gpu')
    except importlib.metadata.PackageNotFoundError:
        return None
    is_own = os.path.realpath(str(package.locate_file('cuprum'))) == os.path.realpath(folder)
    return package.version if is_own else None


def main(arguments):
    """Runs the command, and returns its exit status."""
    if arguments in (['doctor'], ['doctor', '--json']):
        return _doctor(len(arguments) > 1)
    if arguments == ['info']:
        print(_cuprum.show_config(), end='')
        return 0
    is_help = arguments in (['help'], ['-h'], ['--help'])
    print(__doc__.strip(), file=sys.stdout if is_help else sys.stderr)
    return 0 if is_help else 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
