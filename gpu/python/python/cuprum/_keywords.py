"""Keywords that the array API standard adds to NumPy's functions: `device`, `copy`, `stable`, `descending`, `correction`.

A function that does not take such a keyword by itself gets a face that does: its own parameters, from its signature, and the
keyword behind them. Where the keyword is not given, the face calls the function and does nothing else.
"""

import cuprum

__all__ = ['add_keywords']


def _on_device(function, device, *arguments, **named):
    with device if isinstance(device, cuprum.cuda.Device) else cuprum.cuda.Device(device):
        return function(*arguments, **named)


def _asarray_on_device(function, device, a, *arguments, **named):
    made = function(a, *arguments, **named)
    return made if made.device == device else made.to_device(device)


def _reshape(function, copy, a, *arguments, **named):
    result = function(a, *arguments, **named)
    shares = cuprum.may_share_memory(result, a)
    if copy and shares:
        return result.copy()
    if not copy and not shares and result.size:
        raise ValueError('reshape: copy=False, and there is no view of this shape')
    return result


def _astype(function, copy, x, dtype, *arguments, **named):
    if not isinstance(x, cuprum.ndarray):
        raise TypeError(f'astype: an array is expected, not {type(x).__name__}')
    return function(x, dtype, *arguments, **named) if copy or x.dtype != cuprum.dtype(dtype) else x


def _sort(function, descending, a, axis=-1, *arguments, **named):
    result = function(a, axis, *arguments, **named)
    if not descending:
        return result
    return cuprum.flip(result, -1 if axis is None else axis)


def _argsort(function, descending, a, axis=-1, *arguments, **named):
    if not descending:
        return function(a, axis, *arguments, **named)
    if axis is None:
        a, axis = a.ravel(), -1
    # From the other end, so that equal elements keep their order.
    backwards = function(cuprum.flip(a, axis), axis, *arguments, **named)
    return cuprum.flip(a.shape[axis] - 1 - backwards, axis)


def _stable(function, stable, *arguments, **named):
    # Every sort is stable.
    return function(*arguments, **named)


def _spread(function, correction, a, axis, dtype, out, ddof, *arguments, **named):
    if ddof:
        raise ValueError('std, var: correction and ddof are two names of one thing; give one of them')
    return function(a, axis, dtype, out, correction, *arguments, **named)


# Of each function the keywords that are added, what they are unless given, and what is called where one is given: the first,
# of several. (Every sort is stable, so that a descending one need not know.)
DEVICE = [('device', None, _on_device)]
ADDED = {
    **dict.fromkeys(
        ('arange', 'empty', 'empty_like', 'eye', 'full', 'full_like', 'linspace', 'ones', 'ones_like', 'zeros', 'zeros_like'),
        DEVICE),
    'asarray': [('device', None, _asarray_on_device)],
    'reshape': [('copy', None, _reshape)],
    'astype': [('device', None, _asarray_on_device), ('copy', True, _astype)],
    'sort': [('descending', False, _sort), ('stable', None, _stable)],
    'argsort': [('descending', False, _argsort), ('stable', None, _stable)],
    'std': [('correction', None, _spread)],
    'var': [('correction', None, _spread)],
}


def _face(name, function, added):
    """The function with more keywords, written as a person would write it: a call of it costs one call more."""
    inner = function.__text_signature__[1:-1]
    places, star, names = inner.partition('*, ')
    called = [part.partition('=')[0] for part in _parts(places) if part != '/']
    called += [f'{part}={part}' for part in (part.partition('=')[0] for part in _parts(names))]
    call = ', '.join(called)
    keywords = ', '.join(f'{keyword}={default!r}' for keyword, default, _ in added)
    lines = [f'def {name}({inner}, {"" if star else "*, "}{keywords}):']
    for keyword, default, _ in added:
        lines += [f'    if {keyword} is not {default!r}:', f'        return _{keyword}(_function, {keyword}, {call})']
    lines.append(f'    return _function({call})')
    namespace = {'_function': function, **{f'_{keyword}': way for keyword, _, way in added}}
    exec('\n'.join(lines), namespace)
    face = namespace[name]
    face.__doc__, face.__module__ = function.__doc__, 'cuprum'
    return face


def _clip_by_other_names(function):
    """NumPy 2 calls the bounds `min` and `max` too."""
    def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **how):
        if min is not None or max is not None:
            if a_min is not None or a_max is not None:
                raise ValueError('clip: the bounds are given as a_min and a_max, or as min and max')
            a_min, a_max = min, max
        return function(a, a_min, a_max, out, **how)
    clip.__doc__, clip.__module__, clip.__qualname__ = function.__doc__, 'cuprum', 'clip'
    return clip


def _parts(text):
    # No default has a comma in it.
    return [part for part in text.strip(', ').split(', ') if part]


def add_keywords(namespace):
    """Gives the functions of the main namespace the keywords that they lack."""
    for name, added in ADDED.items():
        function = namespace.get(name)
        signature = getattr(function, '__text_signature__', None)
        if signature is None:
            continue
        have = {part.partition('=')[0] for part in _parts(signature[1:-1])}
        lacking = [one for one in added if one[0] not in have]
        if lacking:
            namespace[name] = _face(name, function, lacking)
    if 'max=' not in (getattr(namespace.get('clip'), '__text_signature__', None) or 'max=').replace('a_max=', ''):
        namespace['clip'] = _clip_by_other_names(namespace['clip'])
