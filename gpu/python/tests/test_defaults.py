"""Tests that every default of a signature can be passed by name, with the same result as without it."""

import importlib
import inspect

import pytest

import cuprum as cp
from cuprum import _cuprum

# Arrays without elements launch no kernels; the second and the third form are for functions of numbers.
FORMS = {
    'vectors': lambda count: [cp.empty(0)] * count,
    'matrices': lambda count: [cp.empty((0, 0))] * count,
    'lists': lambda count: [[cp.empty(0)]] * count,
    'integers': lambda count: [0] * count,
}


def outcome(f, args, **given):
    """Returns whether a call succeeds, or its error."""
    try:
        f(*args, **given)
    except Exception as error:
        return f'{type(error).__name__}: {error}'
    return 'a result'


def defaults(f):
    """Returns the number of required parameters, and the defaults of the other named ones."""
    parameters = inspect.signature(f).parameters.values()
    required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    # NumPy rejects None for the signature of a ufunc, which represents a missing one.
    given = {p.name: p.default for p in parameters if p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY}
    # Both bounds of `clip` are given or none.
    return len(required), {name: value for name, value in given.items() if name not in ('signature', 'a_min', 'a_max')}


@pytest.mark.parametrize('namespace', sorted(_cuprum.routine_modules))
def test_defaults_by_name(namespace):
    wrong, succeeded = [], set()
    module = importlib.import_module(namespace)
    for name in [name for name in vars(_cuprum.routine_modules[namespace]) if not name.startswith('__')]:
        f = getattr(module, name)
        if not callable(f):
            continue
        count, given = defaults(f)
        for form, made in FORMS.items():
            if isinstance(f, cp.ufunc) and form != 'vectors':
                continue
            without = outcome(f, made(count))
            if without == 'a result':
                succeeded.add(name)
            for parameter, value in given.items():
                found = outcome(f, made(count), **{parameter: value})
                if found != without:
                    wrong.append(f'{name}, {form}: {parameter}={value!r}: {found}, without it: {without}')
    assert not wrong, '\n'.join(wrong)
    assert succeeded
