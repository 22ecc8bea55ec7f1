"""Tests of CuPy's names that are not implemented yet."""

import pathlib
import subprocess
import sys

import pytest

import cuprum as cp
from cuprum import _not_yet


def test_they_say_so():
    for module, shown in ((cp, "cupy"), (cp.linalg, "cupy.linalg"), (cp.scipy.special, "cupyx.scipy.special")):
        for name in _not_yet.known_names()[shown]:
            if not hasattr(module, name):
                with pytest.raises(NotImplementedError, match="not in Cuprum yet"):
                    getattr(module, name)
    with pytest.raises(AttributeError):
        cp.no_such_name
    with pytest.raises(AttributeError):
        cp.linalg.no_such_name


def test_the_page_tells_of_them():
    script = pathlib.Path(__file__).parents[1] / "not_yet.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
