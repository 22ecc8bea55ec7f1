#!/usr/bin/env python3
"""Builds the site into `site/`: the guide, the Python reference, benchmarks, and the Rust reference; checks its links.

    python3 docs/site.py              # everything
    python3 docs/site.py --no-rust    # without the Rust reference, which takes a minute

It takes mdbook (`cargo install mdbook`) and the built Python package on the path, with SciPy for the examples' counterparts
(`ci/run.sh sim site` prepares both).
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import benchmarks
import links
from reference import ledger, pages

DOCS = pathlib.Path(__file__).parent
ROOT = DOCS.parent
BOOK, RUST, SITE = ROOT / 'target' / 'site-book', ROOT / 'target' / 'site-rust', ROOT / 'site'
RUST_PAGE = '''# Rust reference

The documentation of the crates, as rustdoc writes it: [`cuprum`](rust/cuprum/index.html), the library; [`cuprum_kernels`](rust/cuprum_kernels/index.html), its
kernels and the registry of functions; [`cuprum_sim`](rust/cuprum_sim/index.html), the simulator. A function has the name of NumPy's, and the chapter
[For NumPy users](numpy-users.md) has those that differ.
'''
INCLUDE = re.compile(r'\{\{#include ([^}]+)\}\}')
OUTSIDE = re.compile(r'(!?)\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)')


def with_files(path, text):
    """Returns a page whose links to files outside of the guide lead to copies in the site."""

    def link(match):
        to = (DOCS / 'src' / path.relative_to(BOOK / 'src').parent / match[3]).resolve()
        if to.is_relative_to(DOCS / 'src') or not to.is_file():
            return match[0] if to.exists() and to.is_relative_to(DOCS / 'src') else match[2]
        # mdBook takes `.md` anywhere in a link for a page of the book.
        copy = BOOK / 'src' / 'files' / to.relative_to(ROOT).with_name(to.name.replace('.md', '') + '.txt')
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(to, copy)
        return f'{match[1]}[{match[2]}]({os.path.relpath(copy, path.parent)})'

    def included(match):
        # A page of the repository's root, whose links lead into the guide.
        return (DOCS / 'src' / path.relative_to(BOOK / 'src').parent / match[1]).resolve().read_text().replace('](docs/src/', '](')

    return OUTSIDE.sub(link, INCLUDE.sub(included, text))


def write_book():
    """Writes the sources of the book: the guide's pages and the generated ones. Returns the reference."""
    shutil.rmtree(BOOK, ignore_errors=True)
    shutil.copytree(DOCS / 'src', BOOK / 'src')
    for path in BOOK.rglob('*.md'):
        path.write_text(with_files(path, path.read_text()))
    reference = pages.Reference(ledger.differences(), RUST).build()
    folder = BOOK / 'src' / 'reference'
    folder.mkdir()
    for name, text in reference.pages.items():
        (folder / name).write_text(text)
    text, charts = benchmarks.page()
    (BOOK / 'src' / 'benchmarks.md').write_text(text)
    (BOOK / 'src' / 'charts').mkdir()
    for name, chart in charts.items():
        (BOOK / 'src' / 'charts' / name).write_text(chart)
    index = BOOK / 'src' / 'index.md'
    index.write_text(
        index.read_text().replace(
            '| write a kernel', '| look a function up | [Python reference](reference/index.html), [benchmarks](benchmarks.md) |\n| write a kernel'
        )
    )
    summary = (BOOK / 'src' / 'SUMMARY.md').read_text()
    summary = summary.replace('- [Results](', '- [Benchmarks](benchmarks.md)\n- [Results](')
    if RUST.exists():
        summary += '\n# Rust reference\n\n- [The crates](rust.md)\n'
        (BOOK / 'src' / 'rust.md').write_text(RUST_PAGE)
    listed = '\n'.join(f'  - [{title}](reference/{file})' for file, title, _, _ in reference.index)
    (BOOK / 'src' / 'SUMMARY.md').write_text(f'{summary}\n# Python reference\n\n- [Python reference](reference/README.md)\n{listed}\n')
    shutil.copyfile(DOCS / 'book.toml', BOOK / 'book.toml')
    shutil.copyfile(DOCS / 'site.css', BOOK / 'site.css')
    return reference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--no-rust', action='store_true', help='leave out the Rust reference')
    parser.add_argument('--mdbook', default='mdbook', help='the program mdbook')
    arguments = parser.parse_args()
    if arguments.no_rust:
        shutil.rmtree(RUST, ignore_errors=True)
    else:
        rustdoc = dict(os.environ, CUPRUM_DOC_DIR=str(RUST), RUSTDOC=str(ROOT / 'ci' / 'rustdoc.sh'))
        subprocess.run(['cargo', 'test', '--quiet', '--workspace', '--doc'], check=True, cwd=ROOT, env=rustdoc)
    reference = write_book()
    print(f'examples: {len(reference.wrong)} fail or differ from their counterpart', *reference.wrong, sep='\n  ')
    print(f'without an example: {len(pages.without_example())}; without a description: {len(reference.without_description)}')
    shutil.rmtree(SITE, ignore_errors=True)
    subprocess.run([arguments.mdbook, 'build', str(BOOK), '--dest-dir', str(SITE)], check=True)
    if RUST.exists():
        shutil.copytree(RUST, SITE / 'rust')
    dead = links.dead_links(SITE)
    print(f'{len(dead)} dead links', *dead, sep='\n  ')
    return 1 if dead or reference.wrong or reference.without_description else 0


if __name__ == '__main__':
    sys.exit(main())
