"""Tests of the Python examples in the book: each page is run from its first to its last block in a separate process."""

import pathlib
import re
import subprocess
import sys

import pytest

BOOK = pathlib.Path(__file__).resolve().parents[3] / 'docs' / 'src' / 'python'
BLOCK = re.compile(r'^```python\n(.*?)^```', re.MULTILINE | re.DOTALL)
# Pages of both languages have examples of both.
BOTH = [BOOK.parent / name for name in ('index.md', 'images.md', 'signals.md', 'interpolation.md', 'spatial.md')]
PAGES = sorted(page for page in [*BOOK.glob('*.md'), *BOTH] if BLOCK.search(page.read_text()))


def program(page):
    """Returns the blocks of a page as one program, with the line numbers of the page."""
    text, lines = page.read_text(), []
    for block in BLOCK.finditer(text):
        first = text.count('\n', 0, block.start(1))
        lines += [''] * (first - len(lines)) + block.group(1).splitlines()
    return '\n'.join(lines) + '\n'


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_page(page):
    # Compiled under the page's name, so that a traceback names it.
    run = 'import sys; exec(compile(sys.stdin.read(), sys.argv[1], "exec"))'
    done = subprocess.run([sys.executable, '-c', run, str(page)], input=program(page), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_there_are_pages():
    assert len(PAGES) >= 5
