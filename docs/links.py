#!/usr/bin/env python3
"""Checks the links of a built site: `python3 docs/links.py site`. Every link, picture and script of the guide's pages, and every anchor,
must exist; the pages of the crates are checked by rustdoc itself, and serve as targets alone. Fails with the list of dead links."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The targets and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(path.read_text(errors='replace'))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ('href', 'src') and value is not None:
                self.targets.append(value)
            elif name in ('id', 'name'):
                self.anchors.add(value)


def dead_links(site):
    """Returns the dead links of a site, as `page: target`."""
    site = site.resolve()
    pages = {}

    def page(path):
        if path not in pages:
            pages[path] = Page(path)
        return pages[path]

    dead = []
    for path in sorted(site.rglob('*.html')):
        # The page for addresses that do not exist is shown under any of them, so that its links are those of the server's root.
        if path.relative_to(site).parts[0] in ('rust', '404.html'):
            continue
        for target in page(path).targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            to = to / 'index.html' if to.is_dir() else to
            anchor = urllib.parse.unquote(parts.fragment)
            if not to.exists() or not to.is_relative_to(site) or (anchor and to.suffix == '.html' and anchor not in page(to).anchors):
                dead.append(f'{path.relative_to(site)}: {target}')
    return dead


if __name__ == '__main__':
    found = dead_links(pathlib.Path(sys.argv[1]))
    print(*found, sep='\n')
    sys.exit(f'{len(found)} dead links' if found else 0)
