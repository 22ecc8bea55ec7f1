"""Tests of the list of kernels that wheels have compiled."""

import importlib.util
import pathlib

import pytest

import cuprum as cp

PATH = pathlib.Path(__file__).parents[1] / 'common_kernels.py'
SPEC = importlib.util.spec_from_file_location('common_kernels', PATH)
COMMON = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(COMMON)


@pytest.mark.parametrize('family, dtypes', COMMON.FAMILIES, ids=lambda x: getattr(x, '__name__', ''))
def test_calls_run(family, dtypes):
    """Calls of every family run; of those of one dtype each fifth, since the kernels of the others are compiled anew."""
    dtype = 'float32' if 'float32' in dtypes else dtypes[0]
    calls = list(family(dtype))
    assert len(calls) > 5
    for call in calls[::5]:
        call()
    cp.cuda.Device().synchronize()
