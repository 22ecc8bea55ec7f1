"""Tests of transform plans, convolutions, and host functions for both."""

import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import cuprum as cp
from test_linalg_fft import parameters

scipy = pytest.importorskip('scipy', reason='SciPy is not installed: nothing to compare with')
import scipy.fft  # noqa: E402, F401, F811
import scipy.signal  # noqa: E402, F401


# The types of cuFFT's transforms, and NumPy's functions of them without a factor, along the last axis of 6 points.
KINDS = {
    'CUFFT_C2C': ('F', np.fft.fft),
    'CUFFT_Z2Z': ('D', np.fft.fft),
    'CUFFT_R2C': ('f', np.fft.rfft),
    'CUFFT_D2Z': ('d', np.fft.rfft),
    'CUFFT_C2R': ('F', lambda a: np.fft.irfft(a, 6, norm='forward')),
    'CUFFT_Z2D': ('D', lambda a: np.fft.irfft(a, 6, norm='forward')),
}


@pytest.mark.parametrize('kind', KINDS)
def test_plans_by_cufft_parameters(kind):
    cufft = cp.cuda.cufft
    dtype, function = KINDS[kind]
    host = np.random.default_rng(3).random((2, 4 if 'R' == kind[-1] or kind == 'CUFFT_Z2D' else 6)).astype(dtype)
    a, want = cp.asarray(host), function(host)
    plan = cufft.Plan1d(6, getattr(cufft, kind), 2)
    out = plan.get_output_array(a)
    plan.check_output_array(a, out)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    assert (out.shape, out.dtype) == (want.shape, want.astype(out.dtype).dtype)
    np.testing.assert_allclose(out.get(), want, rtol=1e-4, atol=1e-4)
    made = cp.scipy.fft.get_fft_plan(
        cp.empty(a.shape, dtype), 6, axes=-1, value_type={'CUFFT_Z2Z': 'C2C', 'CUFFT_D2Z': 'R2C', 'CUFFT_Z2D': 'C2R'}.get(kind, kind[-3:])
    )
    other = made.get_output_array(a)
    made.fft(a, other, cufft.CUFFT_FORWARD)
    np.testing.assert_array_equal(other.get(), out.get())


def test_plans_by_cufft_layouts():
    cufft = cp.cuda.cufft
    host = np.random.default_rng(4).random((4, 6)) + 1j
    a = cp.asarray(host)
    # Along the columns, which are next to one another: six of stride six.
    plan = cufft.PlanNd((4,), (4,), 6, 1, (4,), 6, 1, cufft.CUFFT_Z2Z, 6, 'C', 0, None)
    out = plan.get_output_array(a)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.get(), np.fft.fft(host, axis=0))
    plan.fft(out, out, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(out.get(), 4 * host)
    assert cufft.get_current_plan() is None
    with plan as entered:
        assert cufft.get_current_plan() is entered is plan
        np.testing.assert_allclose(cp.fft.fft(a, axis=0).get(), np.fft.fft(host, axis=0))
        with pytest.raises(ValueError, match='the plan is not one of'):
            cp.fft.fft(a)
    assert cufft.get_current_plan() is None
    real = cufft.PlanNd((4, 6), None, 1, 24, None, 1, 16, cufft.CUFFT_D2Z, 1, 'C', 1, 4)
    half = real.get_output_array(a.real)
    real.fft(a.real.copy(), half, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(half.get(), np.fft.rfftn(host.real), atol=1e-12)
    for error, said, call in (
        (TypeError, 'the plan is for complex128', lambda: plan.fft(a.real, out, cufft.CUFFT_FORWARD)),
        (TypeError, 'not ndarray', lambda: plan.fft(host, out, cufft.CUFFT_FORWARD)),
        (ValueError, 'direction is 0', lambda: plan.fft(a, out, 0)),
        (ValueError, 'leave the', lambda: plan.fft(a[:2].copy(), out, cufft.CUFFT_FORWARD)),
        (ValueError, 'fft_type is 1', lambda: cufft.Plan1d(8, 1, 1)),
        (ValueError, 'must be positive', lambda: cufft.Plan1d(0, cufft.CUFFT_C2C, 1)),
        (ValueError, 'out has the shape', lambda: plan.check_output_array(a, out[:2])),
        (NotImplementedError, 'use_multi_gpus', lambda: cufft.Plan1d(8, cufft.CUFFT_C2C, 1, devices=[0, 1])),
    ):
        with pytest.raises(error, match=said):
            call()


@pytest.mark.parametrize('name', ['convolve', 'correlate', 'correlation_lags', 'choose_conv_method', 'fftconvolve', 'oaconvolve'])
def test_signatures_of_signals(name):
    plain = (int, float, str, bool, tuple)
    assert parameters(getattr(cp.scipy.signal, name), plain) == parameters(getattr(scipy.signal, name), plain)


@pytest.mark.parametrize(('value_type', 'dtype'), [('C2C', 'F'), ('R2C', 'f'), ('C2R', 'D')])
def test_plans_do_not_read_the_array(value_type, dtype):
    # The simulator rejects transforms of elements that were never written.
    plan = cp.scipy.fft.get_fft_plan(cp.empty((2, 8), dtype), axes=1, value_type=value_type)
    assert (plan.axes, plan.value_type, len(plan.keys)) == ((1,), value_type, 1)


def test_plans_are_values():
    a = cp.asarray(np.arange(24.0).reshape(4, 6) + 1j)
    want = cp.scipy.fft.fftn(a).get()
    plan = cp.scipy.fft.get_fft_plan(a)
    assert (plan.shape, plan.axes, plan.value_type) == ((4, 6), (0, 1), 'C2C')
    assert isinstance(plan.work_size, int)
    cache = cp.fft.config.get_plan_cache()
    cache.clear()
    np.testing.assert_array_equal(cp.scipy.fft.fftn(a, plan=plan).get(), want)
    with plan as entered:
        assert entered is plan
        np.testing.assert_array_equal(cp.scipy.fft.fftn(a).get(), want)
        np.testing.assert_allclose(cp.fft.ifftn(cp.fft.fftn(a)).get(), a.get())
    assert cache.get_curr_size() == 0
    with pytest.raises(ValueError, match='the plan is not one of'):
        cp.scipy.fft.fft(a, plan=plan)
    # The plan is destroyed by the call that failed.
    assert cp.scipy.fft.fft(a).shape == (4, 6)
    real = cp.scipy.fftpack.get_fft_plan(a.real.copy(), axes=-1, value_type='R2C')
    assert cp.scipy.fft.rfft(a.real.copy(), plan=real).shape == (4, 4)
    with pytest.raises(ValueError):
        cp.scipy.fft.get_fft_plan(a, value_type='R2R')
    rejected = []

    def elsewhere():
        try:
            with plan:
                pass
        except ValueError as error:
            rejected.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(rejected) == 1


def test_the_cache_of_plans(capsys):
    cache = cp.fft.config.get_plan_cache()
    cache.clear()
    cache.set_size(2)
    for n in (5, 6, 7):
        cp.fft.fft(cp.ones(n))
    assert (cache.get_size(), cache.get_curr_size(), len(cache)) == (2, 2, 2)
    cache.set_size(-1)
    cache.set_memsize(-1)
    assert (cache.get_size(), cache.get_memsize()) == (-1, -1)
    cp.fft.config.show_plan_cache_info()
    cache.show_info()
    assert capsys.readouterr().out.count('2 of at most any number') == 2
    caches = cp.fft._cache
    caches.set_plan_cache_size(16)
    caches.set_plan_cache_max_memsize(4096)
    assert (cache.get_size(), cache.get_memsize()) == (caches.get_plan_cache_size(), caches.get_plan_cache_max_memsize()) == (16, 4096)
    caches.set_plan_cache_max_memsize(-1)
    caches.clear_plan_cache()
    assert type(cache) is caches.PlanCache and len(caches.get_plan_cache()) == 0


def test_plans_of_the_cache_by_their_keys():
    cache = cp.fft.config.get_plan_cache()
    cache.clear()
    cp.fft.fft(cp.ones((3, 8), 'F'))
    cp.fft.rfft(cp.ones(5, 'd'))
    (last, _), (first, plan) = cache
    assert (last.value_type, last.shape, last.batch) == ('R2C', (5,), 1)
    assert (first.value_type, first.shape, first.batch, plan.shape) == ('C2C', (8,), 3, (8,))
    assert cache[first].shape == (8,)
    assert [key for key, _ in cache] == [first, last], 'it is the last one used'
    assert hash(first) == hash(plan.keys[0]) and first == plan.keys[0] != last
    assert 'Complex of [8]' in repr(first) and repr(first)[8:-1] in repr(cache)
    del cache[first]
    for absent in (lambda: cache[first], lambda: cache.__delitem__(first)):
        with pytest.raises(KeyError, match='there is no plan of Complex'):
            absent()
    assert (cache.get(first), cache.get(first, 7)) == (None, 7)
    cache[first] = plan
    assert cache.get(first).keys == [first] and len(cache) == 2
    with pytest.raises(ValueError, match='has no plan of'):
        cache[last] = plan
    with pytest.raises(TypeError):
        cache[8]


def test_callbacks():
    config = cp.fft.config
    load = '''
#include <cufftXt.h>
__device__ cufftDoubleComplex weighted(void *in, unsigned long long at, void *data, void *) {
  cufftDoubleComplex x = ((cufftDoubleComplex *)in)[at];
  const double w = ((const double *)data)[at % N];
  return make_cuDoubleComplex(x.x * w, x.y * w);
}'''
    store = (
        load.replace('weighted', 'unused')
        + '''
__device__ void half(void *out, unsigned long long at, cufftDoubleComplex x, void *, void *) {
  ((cufftDoubleComplex *)out)[at] = {x.x / 2, x.y / 2};
}'''
    )
    a = cp.asarray(np.arange(24.0).reshape(4, 6) + 1j)
    window = cp.hanning(6)
    want = np.fft.fft(a.get() * window.get())
    options = ('-DN=6',)
    callbacks = dict(cb_load=load, cb_load_name='weighted', cb_ver='jit', nvrtc_options=options)
    for data in ({'cb_load_data': window}, {'cb_load_aux_arr': window}, {'cb_load_data': window.data}):
        with config.set_cufft_callbacks(**callbacks, **data):
            np.testing.assert_allclose(cp.fft.fft(a).get(), want)
    with config.set_cufft_callbacks(**callbacks, cb_load_data=window, cb_store=store, cb_store_name='half'):
        np.testing.assert_allclose(cp.fft.fft(a).get(), want / 2)
        np.testing.assert_allclose(cp.scipy.fft.fft(a).get(), want / 2)
    np.testing.assert_allclose(cp.fft.fft(a).get(), np.fft.fft(a.get()))
    name = 'cufftJITCallbackLoadComplex'
    text = 'cufftComplex %s(void *, size_t, void *, void *) { return {1, 0}; }' % name
    ones = cp.fft.fftn(cp.ones((4, 8, 8), 'F'), axes=(1, 2))
    with config.set_cufft_callbacks(cb_load=text, cb_ver='jit'):
        np.testing.assert_array_equal(cp.fft.fftn(cp.zeros((4, 8, 8), 'F'), axes=(1, 2)).get(), ones.get())


def test_callbacks_that_are_rejected():
    callbacks = cp.fft.config.set_cufft_callbacks
    with pytest.raises(ValueError, match="cb_ver='jit'"):
        callbacks('__device__ cufftCallbackLoadC d_loadCallbackPtr = f;')
    for wrong in (
        dict(),
        dict(cb_load_name='f'),
        dict(cb_load='f', cb_ver='static'),
        dict(cb_load='f', cb_store_name='g'),
        dict(cb_load='f', cb_load_data=cp.ones(1), cb_load_aux_arr=cp.ones(1)),
    ):
        with pytest.raises(ValueError):
            callbacks(**{'cb_ver': 'jit', **wrong})
    for wrong in (dict(cb_load=b'code'), dict(cb_load='f', cb_load_data=1)):
        with pytest.raises(TypeError):
            callbacks(cb_ver='jit', **wrong)
    with callbacks(cb_store='\n\nvoid f(', cb_store_name='f', cb_ver='jit'):
        with pytest.raises(Exception, match=r'    3 \| void f\('):
            cp.fft.fft(cp.ones(4))
    assert cp.fft.fft(cp.ones(4)).get()[0] == 4


SHARED = '''
import numpy as np
import pytest
import cuprum as cp

config = cp.fft.config
a = np.exp(1j * np.arange(720.0))
want = np.fft.fft(a)
alone = cp.fft.fft(cp.asarray(a))
assert config.use_multi_gpus is False
config.use_multi_gpus = True
assert cp.fft.fft(cp.asarray(a)).tobytes() == alone.tobytes(), 'no device is named'
config.set_cufft_gpus([1, 0, 2])
assert config.use_multi_gpus is True
shared = cp.fft.fft(cp.asarray(a))
assert shared.tobytes() != alone.tobytes(), 'three devices round otherwise'
np.testing.assert_allclose(shared.get(), want, rtol=0, atol=1e-12)
assert shared.device.id == 0
np.testing.assert_allclose(cp.scipy.fft.ifft(shared).get(), a, rtol=0, atol=1e-14)
config.set_cufft_gpus(2)
np.testing.assert_allclose(cp.fft.fft(cp.asarray(a)).get(), want, rtol=0, atol=1e-12)
with pytest.raises(ValueError, match='no product of two factors'):
    cp.fft.fft(cp.ones(7, 'F'))
for wrong in (1, [0], [0, 0], [0, 3], [-1, 0], 4):
    with pytest.raises(ValueError):
        config.set_cufft_gpus(wrong)
with pytest.raises(TypeError):
    config.set_cufft_gpus(1.5)
config.use_multi_gpus = False
assert cp.fft.fft(cp.asarray(a)).tobytes() == alone.tobytes()
'''


def test_transforms_that_devices_share():
    # The number of simulated devices is read once: a separate process is needed.
    environment = dict(os.environ, CUPRUM_SIM_DEVICES='3', CUPRUM_DEVICE='sim')
    subprocess.run([sys.executable, '-c', SHARED], env=environment, check=True)


def test_convolutions():
    a, b = np.arange(12.0).reshape(3, 4), np.array([[1.0, -2.0], [0.5, 3.0]])
    for mode in ('full', 'same', 'valid'):
        for method in ('auto', 'direct', 'fft'):
            for name in ('convolve', 'correlate'):
                ours = getattr(cp.scipy.signal, name)(cp.asarray(a), cp.asarray(b), mode, method)
                np.testing.assert_allclose(ours.get(), getattr(scipy.signal, name)(a, b, mode, method), atol=1e-12)
    assert cp.scipy.signal.choose_conv_method(cp.ones(10), cp.ones(3)) == 'direct'
    method, times = cp.scipy.signal.choose_conv_method(cp.ones(10), cp.ones(3), measure=True)
    assert sorted(times) == ['direct', 'fft'] and method == min(times, key=times.get)
    np.testing.assert_array_equal(cp.scipy.signal.correlation_lags(4, 2).get(), scipy.signal.correlation_lags(4, 2))


def test_numbers_of_the_host():
    assert cp.scipy.fft.next_fast_len(7919) == scipy.fft.next_fast_len(7919)
    assert cp.scipy.fft.next_fast_len(7919, real=True) == scipy.fft.next_fast_len(7919, real=True)
    assert cp.scipy.fft.prev_fast_len(7919) == scipy.fft.prev_fast_len(7919)
    assert cp.scipy.fft.fhtoffset(0.1, 2.0, initial=0.5) == pytest.approx(scipy.fft.fhtoffset(0.1, 2.0, initial=0.5), rel=1e-14)
    a = np.array([1.0, 4.0, 2.0, 0.5])
    np.testing.assert_allclose(cp.scipy.fft.fht(cp.asarray(a), 0.1, 2.0, bias=0.2).get(), scipy.fft.fht(a, 0.1, 2.0, bias=0.2))


def test_paths_of_contractions():
    shapes = [(2, 30), (30, 40), (40, 2)]
    ours, theirs = ([xp.ones(shape) for shape in shapes] for xp in (cp, np))
    for optimize in ('greedy', 'optimal', True, False, ['einsum_path', (0, 1), (0, 1)]):
        path, text = cp.einsum_path('ij,jk,kl->il', *ours, optimize=optimize)
        assert path == np.einsum_path('ij,jk,kl->il', *theirs, optimize=optimize)[0]
        assert 'ij,jk,kl->il' in text
        assert cp.einsum('ij,jk,kl->il', *ours, optimize=path).shape == (2, 2)
    with pytest.raises(ValueError, match='no path called'):
        cp.einsum_path('ij->i', ours[0], optimize='best')


HOST = np.random.default_rng(4).normal(size=(3, 4))
BACKEND = (
    [
        (name, {})
        for name in 'fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfftn ihfftn hfft2 ihfft2 dct idct dst idst'.split()
    ]
    + [(name, {'s': (2, 3), 'axes': (0, 1), 'overwrite_x': True}) for name in ('fftn', 'rfftn', 'dctn', 'idctn', 'dstn', 'idstn')]
    + [('fft', {'n': 5, 'axis': 0, 'norm': 'ortho', 'workers': 2}), ('fht', {'dln': 0.1, 'mu': 0.5}), ('ifht', {'dln': 0.1, 'mu': 0.5})]
)


@pytest.mark.parametrize('name, options', BACKEND)
def test_the_module_is_a_backend_of_scipy(name, options):
    import cuprum.cupyx.scipy.fft as backend

    transform = getattr(scipy.fft, name)
    with scipy.fft.set_backend(backend, only=True):
        got = transform(cp.asarray(HOST), **options)
    assert isinstance(got, cp.ndarray)
    np.testing.assert_allclose(got.get(), transform(HOST, **options), rtol=1e-12, atol=1e-13)


def test_the_backend_leaves_arrays_of_others():
    assert cp.scipy.fft.__ua_domain__ == 'numpy.scipy.fft'
    with scipy.fft.set_backend(cp.scipy.fft):
        assert isinstance(scipy.fft.fft(HOST), np.ndarray)
        with scipy.fft.skip_backend(cp.scipy.fft), pytest.raises(TypeError):
            scipy.fft.fft(cp.asarray(HOST))


def test_planning_of_several_axes_can_be_read_and_set():
    with pytest.warns(DeprecationWarning):
        before = cp.fft.config.enable_nd_planning
    assert before is True
    for value in (False, True):
        with pytest.warns(DeprecationWarning):
            cp.fft.config.enable_nd_planning = value
        with pytest.warns(DeprecationWarning):
            assert cp.fft.config.enable_nd_planning is value


def outcome(call, a):
    """Returns the shape and dtype of a result and whether it is the operand, or the classes of an error; with the
    classes of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            result = call(a)
            outcome = result.shape, result.dtype, result is a
        except Exception as error:
            outcome = [kind.__name__ for kind in type(error).__mro__]
    return outcome, [warning.category for warning in caught]


@pytest.mark.parametrize('name', ['fft2', 'ifft2', 'fftn', 'ifftn', 'rfft2', 'rfftn', 'irfft2', 'irfftn'])
@pytest.mark.parametrize(
    'options',
    [
        {'axes': ()},
        {'s': (), 'axes': ()},
        {'s': (2, None)},
        {'s': (2, None), 'axes': (0, 1)},
        {'s': (None, 3), 'axes': (1, 0)},
        {'s': (2, None), 'axes': (1, 0)},
        {'s': (2, 2), 'axes': None},
        {'s': (-1, 2), 'axes': (0, 1)},
        {'s': [2, 2], 'axes': [0, 1]},
        {'s': (2.5, 2), 'axes': (0, 1)},
        {'s': 2},
        {'axes': 1},
        {'s': (2, 2, 2, 2), 'axes': None},
        {'s': (2, 2), 'axes': (0,)},
        {'s': 'ab'},
    ],
    ids=str,
)
def test_lengths_and_axes_of_numpys_transforms(name, options):
    ours, numpys = (lambda a: getattr(cp.fft, name)(a, **options)), (lambda a: getattr(np.fft, name)(a, **options))
    assert outcome(ours, cp.asarray(HOST)) == outcome(numpys, HOST)


@pytest.mark.parametrize('name', ['fft2', 'ifftn', 'fftn', 'rfftn', 'irfftn', 'hfftn', 'dctn', 'idctn', 'dstn', 'idstn'])
@pytest.mark.parametrize(
    'options',
    [
        {'axes': ()},
        {'s': (), 'axes': ()},
        {'s': (2.5, 3)},
        {'s': 3, 'axes': 0},
        {'s': 2.0},
        {'s': 'ab'},
        {'axes': (0.5,)},
        {'axes': 1.0},
        {'s': (2, 2), 'axes': (0,)},
        {'s': (2, None)},
        {'s': (2, -1)},
        {'s': (2, 0)},
        {'axes': (0, 0)},
    ],
    ids=str,
)
def test_lengths_and_axes_of_scipys_transforms(name, options):
    ours, scipys = (lambda a: getattr(cp.scipy.fft, name)(a, **options)), (lambda a: getattr(scipy.fft, name)(a, **options))
    assert outcome(ours, cp.asarray(HOST)) == outcome(scipys, HOST)


def test_more_lengths_than_axes():
    for name in ('fftn', 'rfftn', 'irfftn', 'dctn', 'idstn'):
        with pytest.raises(ValueError) as error:
            getattr(cp.scipy.fft, name)(cp.ones((3, 4)), s=(2, 2, 2, 2))
        assert not isinstance(error.value, IndexError)


def test_plans_under_the_old_names():
    a = cp.asarray(HOST + 0j)
    plan = cp.scipy.fftpack.get_fft_plan(a, None, -1, 'C2C')
    np.testing.assert_allclose(cp.scipy.fftpack.fft(a, None, -1, False, plan).get(), np.fft.fft(HOST), atol=1e-13)
    np.testing.assert_allclose(cp.scipy.fftpack.fftn(a, plan=None).get(), np.fft.fftn(HOST), atol=1e-13)
