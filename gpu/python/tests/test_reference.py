"""Tests of what the Python reference of the site is made of. The examples themselves run where the site is built (`ci/run.sh sim site`)."""

import importlib
import pathlib
import sys

DOCS = pathlib.Path(__file__).parents[3] / 'docs'
sys.path.insert(0, str(DOCS))

from reference import examples, ledger, pages, rust  # noqa: E402

# Chapters that list CUDA's own functions, and what a program needs no example of.
WITHOUT = set((DOCS / 'reference' / 'without_example.txt').read_text().split())


def test_every_function_has_an_example_or_is_listed():
    lacking = set(pages.without_example())
    assert not lacking - WITHOUT, f'add a line to docs/reference/examples for {sorted(lacking - WITHOUT)}'
    assert not WITHOUT - lacking, f'{sorted(WITHOUT - lacking)} have an example or are gone: remove them from without_example.txt'


def test_every_example_is_of_a_public_name():
    for path, theirs, _ in pages.MODULES:
        if (theirs or "").startswith("numpy.polynomial"):
            continue
        names = set(pages.public_names(importlib.import_module(path)))
        assert not set(examples.read(theirs or path)) - names - {''}, theirs


def test_the_docstring_of_every_function_is_a_sentence():
    for path, _, _ in pages.MODULES:
        module = importlib.import_module(path)
        for name in pages.public_names(module):
            text = pages.description(getattr(module, name)).strip()
            assert text and text.split('\n\n')[0].rstrip().endswith(('.', ':')), f'{path}.{name}: {text!r}'


def test_results_and_errors_come_from_the_doc_comments():
    found = rust.documentation()
    assert len(found) > 300
    assert 'float64 for integers' in found['numpy', 'percentile'].body
    assert 'ValueError' in found['numpy', 'flip'].sections['Errors']
    assert any('NumPy' in says for says in ledger.differences()['numpy', 'norm'])
