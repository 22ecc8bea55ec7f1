"""Decorators that repeat tests of random behaviour."""

import functools

__all__ = ['repeat', 'repeat_with_success_at_least', 'retry']


def repeat_with_success_at_least(times, min_success):
    """Runs a test up to `times` times; it passes if `min_success` runs succeed."""
    if not 0 <= min_success <= times:
        raise ValueError(f'min_success is from 0 to times ({times}), not {min_success}')

    def decorator(test):
        @functools.wraps(test)
        def run(*args, **kw):
            passed, last = 0, None
            for at in range(times):
                try:
                    test(*args, **kw)
                    passed += 1
                except AssertionError as error:
                    last = error
                if passed >= min_success:
                    return
                if at + 1 - passed > times - min_success:
                    break
            if last is not None:
                raise AssertionError(f'{passed} of {times} runs passed, {min_success} are needed; the last failure is: {last}') from last

        return run

    return decorator


def repeat(times, intensive_times=None):
    """Runs a test `times` times, each of which must pass. `intensive_times` is ignored."""
    return repeat_with_success_at_least(times, times)


def retry(times):
    """Runs a test up to `times` times, until it passes once."""
    return repeat_with_success_at_least(times, 1)
