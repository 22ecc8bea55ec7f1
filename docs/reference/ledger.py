"""Differences from NumPy by function, of the ledger `matrix/differences.yaml`."""

import pathlib
import re

LEDGER = pathlib.Path(__file__).parents[2] / 'matrix' / 'differences.yaml'


def differences():
    """Returns the sentences of the entries in which the library differs, by module and name of the function that an entry cites or names."""
    found = {}
    for entry in LEDGER.read_text().split('\n  - id: ')[1:]:
        field = lambda name: re.search(rf'^    {name}: (.*(?:\n      .*)*)', entry, re.MULTILINE)
        status, operation, says = map(field, ('status', 'op', 'says'))
        if status[1].strip() != 'differs' or not says:
            continue
        keys = {(module, name) for module, name in re.findall(r'generated/((?:numpy|scipy)(?:\.[a-z]+)*)\.(\w+)\.html', entry)}
        if operation:
            keys |= {('numpy', operation[1].strip()), ('scipy.special', operation[1].strip())}
        sentence = ' '.join(says[1].removeprefix('>-').split()).strip('"\'')
        for key in keys:
            found.setdefault(key, []).append(re.sub(r'(`[^`]*`)|<', lambda m: m[1] or '&lt;', sentence))
    return found
