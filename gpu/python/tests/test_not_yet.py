"""Names of CuPy's that are not there yet."""

import pathlib
import subprocess
import sys

import pytest

import cuprum as cp


def test_they_say_so():
    with pytest.raises(NotImplementedError, match="not in Cuprum yet"):
        cp.cuda.texture.TextureReference
    with pytest.raises(AttributeError):
        cp.no_such_name
    with pytest.raises(AttributeError):
        cp.linalg.no_such_name


def test_the_page_tells_of_them():
    script = pathlib.Path(__file__).parents[1] / "not_yet.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
