"""Tests of random numbers: the bits of the Rust generators, NumPy's signatures, and distributions."""

import copy
import inspect
import pathlib
import pickle
import re
import threading

import numpy as np
import pytest

import cuprum as cp
from cuprum import random

KINDS = (random.Philox4x3210, random.MRG32k3a, random.XORWOW)
TESTS = pathlib.Path(__file__).resolve().parents[3] / 'tests' / 'tests' / 'random'


def host(a):
    """Returns the elements as Python numbers, in C order."""
    return a.get().tolist()


def test_the_bits_are_those_of_rust():
    """Repeats the calls whose digest is in the Rust test `a_list_of_calls_has_the_bits_that_it_had`."""
    parts = []
    for kind in KINDS:
        rng = random.Generator(kind(9))
        parts += [rng.random(37), rng.poisson(cp.array([[0.5], [50.0]]), (2, 37)), rng.permutation(30)]
        if kind is not random.Philox4x3210:
            continue
        for dtype in ('float16', 'bfloat16', 'float32', 'float64'):
            parts += [rng.random(37, dtype), rng.normal(1.0, 2.0, 37, dtype), rng.standard_exponential(37, dtype)]
        parts += [rng.integers(0, 2, 37, dtype) for dtype in ('bool', 'int8', 'uint16', 'int32', 'uint64')]
        parts += [rng.integers(-5, 1 << 40, 37), rng._bits.draw('bernoulli', (0.3,), 37, None)]
        parts += [
            getattr(rng, distribution)(size=37) for distribution in ('laplace', 'logistic', 'gumbel', 'standard_cauchy', 'rayleigh', 'lognormal', 'poisson')
        ]
        parts += [getattr(rng, distribution)(1.7, size=37) for distribution in ('weibull', 'pareto', 'power', 'standard_gamma', 'chisquare', 'standard_t')]
        parts += [getattr(rng, distribution)(1.7, 0.6, 37) for distribution in ('beta', 'f', 'wald', 'vonmises', 'noncentral_chisquare')]
        parts += [rng.geometric(0.4, 37), rng.logseries(0.4, 37), rng.binomial(cp.array([[5], [5000]]), 0.4, (2, 37))]
        parts += [rng.zipf(2.5, 37), rng.hypergeometric(50, 60, 40, 37)]
    digest = 0xCBF29CE484222325
    for byte in b''.join(part.get().tobytes() for part in parts):
        digest = (digest ^ byte) * 0x100000001B3 & (1 << 64) - 1
    known = re.search(r'assert_eq!\(digest, (0x[0-9a-f_]+)', (TESTS / 'calls.rs').read_text()).group(1)
    assert digest == int(known.replace('_', ''), 16)


# NumPy's `Generator`, and additional parameters.
@pytest.mark.parametrize('name', [n for n in dir(np.random.Generator) if not n.startswith('_')])
def test_the_generator_has_numpys_signatures(name):
    ours = getattr(random.Generator, name)
    if not callable(ours):
        return
    theirs = inspect.signature(getattr(np.random.Generator, name)).parameters
    ours = inspect.signature(ours).parameters
    same = [p for p in ours if p in theirs]
    assert same == list(theirs), (list(ours), list(theirs))
    # The `self` of a built-in method is positional-only.
    for p in [p for p in theirs if p != 'self']:
        assert ours[p].kind == theirs[p].kind
        if p != 'dtype':
            assert ours[p].default == theirs[p].default, p
    assert set(ours) - set(theirs) <= {'dtype'}


@pytest.mark.parametrize('name', [n for n in dir(np.random.RandomState) if not n.startswith('_')])
def test_the_older_generator_has_numpys_signatures(name):
    ours = list(inspect.signature(getattr(random.RandomState, name)).parameters)
    try:
        theirs = list(inspect.signature(getattr(np.random.RandomState, name)).parameters)
    except ValueError:
        return
    if name in ('rand', 'randn'):
        assert ours == ['self', 'size', 'dtype']
    else:
        # The legacy form of a state belongs to another generator.
        assert [p for p in ours if p in theirs] == [p for p in theirs if p != 'legacy']


def test_the_module_has_cupys_names():
    from cuprum import _not_yet

    for name in _not_yet.known_names()['cupy.random']:
        assert callable(getattr(random, name)), name
        if not isinstance(getattr(random, name), type):
            assert 'self' not in inspect.signature(getattr(random, name)).parameters
            assert getattr(random, name).__doc__
    assert pickle.loads(pickle.dumps(random.normal))(size=3).shape == (3,)
    assert set(random.__all__) >= _not_yet.known_names()['cupy.random']


def test_seeds():
    first = host(random.default_rng(5).random(4))
    for seed in (np.int64(5), [5], (5,), np.array([5]), cp.array([5]), random.SeedSequence(5), random.Philox4x3210(5)):
        assert host(random.default_rng(seed).random(4)) == first
    assert host(random.default_rng([5, 6]).random(4)) != first
    assert host(random.default_rng(1 << 100).random(4)) != host(random.default_rng(1 << 101).random(4))
    assert host(random.default_rng().random(4)) != host(random.default_rng().random(4))
    rng = random.default_rng(1)
    assert random.default_rng(rng) is rng
    for wrong in (-1, [-1]):
        with pytest.raises(ValueError):
            random.default_rng(wrong)
    for wrong in (1.5, 'seed!', object()):
        with pytest.raises((TypeError, ValueError)):
            random.default_rng(wrong)
    with pytest.raises(TypeError):
        random.Generator(5)
    with pytest.raises(NotImplementedError):
        random.BitGenerator(5)
    assert random.SeedSequence is np.random.SeedSequence
    with pytest.raises(NotImplementedError, match='pool'):
        random.Philox4x3210(random.SeedSequence(1, pool_size=8))


def test_differences():
    """The entries of the ledger of differences on random functions."""
    assert random.rand(2, dtype=np.float32).dtype == np.float32
    assert random.default_rng(0).random(2, dtype=np.float32).dtype == np.float32
    seeds = [[1, 2], [1, 3], [2, 2], [1, 2, 3]]
    assert len({host(random.RandomState(np.array(seed)).rand(4))[0] for seed in seeds}) == len(seeds)


@pytest.mark.parametrize('kind', KINDS)
def test_bit_generators(kind):
    bits = kind(3)
    words = host(bits.random_raw(10))
    assert host(kind(3).advance(4).random_raw(6)) == words[4:]
    # A generator shares the state of its bits.
    rng, state = random.Generator(bits), bits.state
    first = host(rng.random(5))
    assert bits.state != state
    bits.state = state
    assert host(rng.random(5)) == first
    assert state['bit_generator'] == kind.__name__
    assert host(bits.jumped().random_raw(10)) != host(kind(3).random_raw(10))
    assert host(bits.jumped(2).random_raw(3)) == host(bits.jumped().jumped().random_raw(3))
    children = rng.spawn(2) + bits.spawn(1)
    assert len({tuple(host(c.bit_generator.random_raw(4) if i < 2 else c.random_raw(4))) for i, c in enumerate(children)}) == 3
    assert bits.seed_seq.n_children_spawned == 3
    assert bits.random_raw(3, output=False) is None
    for wrong, error in ((7, TypeError), ({'bit_generator': 'PCG64'}, ValueError)):
        with pytest.raises(error):
            bits.state = wrong


def test_copies_and_pickles():
    for make in (*KINDS, random.RandomState, random.default_rng):
        one = make(8)
        draw = (lambda x: x.random_raw(3)) if isinstance(one, random.BitGenerator) else (lambda x: x.standard_normal(3))
        draw(one)
        others = pickle.loads(pickle.dumps(one)), copy.deepcopy(one)
        expected = host(draw(one))
        for other in others:
            assert type(other) is type(one) and host(draw(other)) == expected
    # A child of a copy is a child of the original.
    assert host(copy.deepcopy(random.default_rng(8)).spawn(1)[0].random(3)) == host(random.default_rng(8).spawn(1)[0].random(3))
    assert str(random.default_rng(1)) == 'Generator(Philox4x3210)'


def test_the_state_of_the_module():
    before = random.get_random_state()
    try:
        random.seed(4)
        first = host(random.rand(3))
        random.seed(4)
        assert host(random.random_sample(3)) == first
        random.set_random_state(random.RandomState(4))
        assert host(random.ranf(3)) == first
        random.get_random_state().seed(4)
        state = random.get_random_state().get_state()
        assert host(random.sample((3,))) == first
        random.get_random_state().set_state(state)
        assert host(random.random(3)) == first
        assert host(random.RandomState(4, method=161).rand(3)) == first
        assert str(random.RandomState(4, method=101)) == 'RandomState(XORWOW)'
        for wrong in (5, None, np.random.RandomState(1)):
            with pytest.raises(TypeError):
                random.set_random_state(wrong)
        with pytest.raises(ValueError):
            random.RandomState(1, method=3)
    finally:
        random.set_random_state(before)


def test_threads_share_the_state():
    random.seed(6)
    found, errors = [], []

    def draw():
        try:
            for _ in range(20):
                found.extend(host(random.random_sample(2)))
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    random.seed(6)
    assert not errors and sorted(found) == sorted(host(random.random_sample(160)))


def test_sizes_and_dtypes():
    rng = random.default_rng(1)
    for size, shape in ((None, ()), ((), ()), (3, (3,)), ([2, 3], (2, 3)), (np.int64(2), (2,)), ((0, 4), (0, 4))):
        for a in (rng.random(size), rng.normal(1, 2, size), rng.poisson(3, size), rng.integers(4, size=size)):
            assert isinstance(a, cp.ndarray) and a.shape == shape
    assert rng.normal(cp.zeros((2, 1)), [1.0, 2.0, 3.0]).shape == (2, 3)
    assert rng.random(2).dtype == rng.normal(size=2).dtype == 'float64'
    assert rng.integers(5, size=2).dtype == rng.poisson(size=2).dtype == random.randint(5, size=2).dtype == 'int64'
    for dtype in ('float16', 'float32', np.float64, 'd'):
        assert rng.normal(size=2, dtype=dtype).dtype == rng.random(2, dtype).dtype == np.dtype(dtype)
    for dtype in '?bBhHiIlL':
        drawn = rng.integers(2, size=50, dtype=dtype)
        assert drawn.dtype == dtype and set(host(drawn)) == {0, 1}
    out = cp.empty((2, 3), 'float32')
    assert rng.random(dtype='float32', out=out) is out and float(out.max()) < 1
    assert rng.standard_gamma(2.0, dtype='float32', out=out) is out
    assert random.rand().shape == () and random.rand(2, 3).shape == random.randn(2, 3, dtype='f').shape == (2, 3)
    assert set(host(random.random_integers(2, size=60))) == {1, 2}
    assert random.RandomState(1).tomaxint(3).dtype == 'int64'
    assert type(random.bytes(5)) is bytes and len(rng.bytes(0)) == 0
    assert set(host(rng.integers(1, 3, 60, endpoint=True))) == {1, 2, 3}


def test_orders_and_choices():
    rng = random.default_rng(2)
    a = cp.arange(12).reshape(3, 4)
    assert sorted(host(rng.permutation(5))) == [0, 1, 2, 3, 4]
    assert sorted(host(rng.permutation(a))) == host(a)
    assert sorted(host(rng.permutation(a, axis=1).T)) == host(a.T)
    assert np.array_equal(np.sort(rng.permuted(a, axis=1).get(), 1), a.get())
    out = cp.empty_like(a)
    assert rng.permuted(a, out=out) is out and sorted(host(out.ravel())) == list(range(12))
    b = a.copy()
    assert rng.shuffle(b, axis=1) is None and sorted(host(b.T)) == host(a.T)
    assert random.shuffle(b) is None and random.permutation(b).shape == (3, 4)
    assert rng.choice(5, 3, replace=False).shape == (3,) and rng.choice(5).shape == ()
    assert set(host(rng.choice([7, 8, 9], 40, p=[0.5, 0.5, 0.0]))) == {7, 8}
    assert rng.choice(a, 2, axis=1).shape == (3, 2) and random.choice(np.array([3]), (2, 2)).get().tolist() == [[3, 3], [3, 3]]
    for wrong in (
        lambda: rng.choice(0, 1),
        lambda: rng.choice(-1),
        lambda: rng.choice(3, 4, replace=False),
        lambda: rng.choice(3, p=[0.5, 0.5]),
        lambda: rng.choice(2, p=[0.5, 0.6]),
        lambda: rng.choice(2, p=[1.5, -0.5]),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        rng.shuffle([1, 2, 3])


# Calls that NumPy and the library reject.
WRONG = {
    'negative scale': lambda rng: rng.normal(0, -1, 3),
    'size below 0': lambda rng: rng.random(-1),
    'size of text': lambda rng: rng.random('a'),
    'size of a float': lambda rng: rng.random(2.5),
    'floats of ints': lambda rng: rng.random(3, dtype='int32'),
    'ints of floats': lambda rng: rng.integers(3, dtype='float32'),
    'no range': lambda rng: rng.integers(3, 3),
    'beyond the dtype': lambda rng: rng.integers(0, 300, dtype='uint8'),
    'below the dtype': lambda rng: rng.integers(-1, 3, dtype='uint8'),
    'p beyond 1': lambda rng: rng.binomial(5, 1.5, 3),
    'n below 0': lambda rng: rng.binomial(-5, 0.5, 3),
    'lam below 0': lambda rng: rng.poisson(-1.0),
    'triangle': lambda rng: rng.triangular(0, 5, 3),
    'pvals': lambda rng: rng.multinomial(3, [0.9, 0.9, 0.9]),
    'alpha': lambda rng: rng.dirichlet([1.0, -1.0]),
    'size and parameters': lambda rng: rng.normal([0.0, 1.0], 1.0, size=(3,)),
    'shapes': lambda rng: rng.normal([0.0, 1.0], [1.0, 2.0, 3.0]),
    'too few': lambda rng: rng.beta(1.0),
    'too many': lambda rng: rng.beta(1.0, 1.0, 1, float, 5, 6),
    'unknown': lambda rng: rng.beta(1.0, 1.0, shape=3),
    'mean': lambda rng: rng.multivariate_normal([[0.0]], [[1.0]]),
    'cov': lambda rng: rng.multivariate_normal([0.0], [1.0]),
    'sizes of cov': lambda rng: rng.multivariate_normal([0.0], [[1.0, 0.0], [0.0, 1.0]]),
    'method': lambda rng: rng.multivariate_normal([0.0], [[1.0]], method='qr'),
    'check': lambda rng: rng.multivariate_normal([0.0], [[1.0]], check_valid='perhaps'),
    'raise': lambda rng: rng.multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], check_valid='raise'),
    'cholesky': lambda rng: rng.multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], method='cholesky'),
}


@pytest.mark.parametrize('call', WRONG.values(), ids=WRONG)
def test_what_numpy_rejects(call):
    with pytest.raises(Exception) as theirs:
        call(np.random.default_rng(1))
    with pytest.raises(next(c for c in theirs.type.__mro__ if c.__module__ in ('builtins', 'numpy.linalg'))):
        drawn = call(random.default_rng(1))
        drawn.get()


# A call, its mean and its standard deviation.
MOMENTS = {
    'random': ((), 0.5, 12**-0.5),
    'uniform': ((2, 4), 3, 3**-0.5),
    'normal': ((1, 2), 1, 2),
    'standard_normal': ((), 0, 1),
    'exponential': ((3,), 3, 3),
    'standard_exponential': ((), 1, 1),
    'laplace': ((1, 2), 1, 8**0.5),
    'logistic': ((1, 2), 1, 2 * np.pi / 3**0.5),
    'gumbel': ((1, 2), 1 + 2 * np.euler_gamma, 2 * np.pi / 6**0.5),
    'rayleigh': ((2,), (2 * np.pi) ** 0.5, (8 - 2 * np.pi) ** 0.5),
    'standard_gamma': ((4,), 4, 2),
    'gamma': ((4, 3), 12, 6),
    'beta': ((1, 1), 0.5, 12**-0.5),
    'chisquare': ((8,), 8, 4),
    'standard_t': ((6,), 0, 1.5**0.5),
    'power': ((1,), 0.5, 12**-0.5),
    'triangular': ((-1, 0, 1), 0, 6**-0.5),
    'wald': ((2, 8), 2, 1),
    'poisson': ((9,), 9, 3),
    'binomial': ((100, 0.5), 50, 5),
    'geometric': ((0.5,), 2, 2**0.5),
    'negative_binomial': ((3, 0.5), 3, 6**0.5),
    'hypergeometric': ((10, 10, 5), 2.5, (5 / 4 * 15 / 19) ** 0.5),
    'weibull': ((1,), 1, 1),
    'noncentral_chisquare': ((3, 1), 4, 10**0.5),
    'vonmises': ((0, 0), 0, np.pi / 3**0.5),
    'lognormal': ((0, 0.5), np.exp(0.125), (np.exp(0.25) * (np.exp(0.25) - 1)) ** 0.5),
}


@pytest.mark.parametrize('distribution', MOMENTS)
def test_distributions_have_their_means(distribution):
    parameters, mean, deviation = MOMENTS[distribution]
    n = 4000
    drawn = getattr(random.default_rng(11), distribution)(*parameters, size=n).get().astype(float)
    assert abs(drawn.mean() - mean) < 5 * deviation / n**0.5
    older = getattr(random.RandomState(11), distribution)(*parameters, size=n).get()
    assert np.array_equal(older, drawn.astype(older.dtype))


def test_vectors():
    mean, cov = [1.0, -1.0], [[2.0, 0.6], [0.6, 1.0]]
    for method in ('svd', 'eigh', 'cholesky'):
        drawn = random.default_rng(3).multivariate_normal(mean, cov, 4000, method=method).get()
        assert drawn.shape == (4000, 2)
        assert np.abs(drawn.mean(0) - mean).max() < 5 * (2 / 4000) ** 0.5
        assert np.abs(np.cov(drawn.T) - cov).max() < 5 * (8 / 4000) ** 0.5
    assert random.multivariate_normal(cp.array(mean), cp.array(cov), (2, 3), dtype='float32').dtype == 'float32'
    with pytest.warns(RuntimeWarning, match='covariance is not symmetric'):
        random.default_rng(1).multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]])
    counts = random.default_rng(1).multinomial(20, [0.5, 0.25, 0.25], 6)
    assert host(counts.sum(1)) == [20] * 6
    assert np.allclose(random.dirichlet([1.0, 2.0, 3.0], (2, 2)).sum(-1).get(), 1)
    sample = random.default_rng(1).multivariate_hypergeometric([5, 6, 7], 9, 4)
    assert host(sample.sum(1)) == [9] * 4 and (sample.get() <= [5, 6, 7]).all()


def test_parameters_in_arrays_are_checked():
    with pytest.raises(ValueError, match='position 1'):
        random.poisson(cp.array([1.0, -1.0])).get()


def test_functions_that_fix_seeds():
    from cuprum import testing

    before = random.get_random_state()

    testing.random.do_setup()
    try:
        first = host(random.rand(3))
    finally:
        testing.random.do_teardown()
    testing.random.do_setup()
    try:
        assert host(random.rand(3)) == first
    finally:
        testing.random.do_teardown()
    assert random.get_random_state() is before


INTEGERS = 'bhilqBHILQ'
REJECTION = [
    ('beta', (2.0, 3.0)),
    ('chisquare', (5.0,)),
    ('f', (5.0, 7.0)),
    ('gamma', (9.0, 2.0)),
    ('standard_gamma', (9.0,)),
    ('standard_t', (5.0,)),
    ('vonmises', (0.0, 1.0)),
    ('wald', (3.0, 2.0)),
    ('noncentral_chisquare', (5.0, 2.0)),
    ('noncentral_f', (5.0, 7.0, 2.0)),
]


@pytest.mark.parametrize('name, parameters', REJECTION)
def test_continuous_distributions_in_integer_dtypes(name, parameters):
    numbers = getattr(random.RandomState(1), name)(*parameters, size=40).get()
    for dtype in 'bQ' if name != 'gamma' else INTEGERS:
        got = getattr(random.RandomState(1), name)(*parameters, size=40, dtype=dtype)
        assert got.dtype == dtype
        # Casts of negative numbers to unsigned dtypes are undefined.
        want = np.trunc(numbers)
        kept = want >= 0 if np.dtype(dtype).kind == 'u' else np.full(40, True)
        np.testing.assert_array_equal(got.get()[kept], want[kept].astype(dtype))
    assert getattr(random.RandomState(1), name)(*parameters, size=3, dtype=bool).dtype == bool


def test_distributions_of_one_formula_keep_to_floats():
    rng = random.RandomState(1)
    for name in ('random_sample', 'standard_normal', 'standard_exponential'):
        with pytest.raises(TypeError):
            getattr(rng, name)(3, dtype=int)
    with pytest.raises(TypeError):
        rng.uniform(0, 1, 3, dtype='i4')
    with pytest.raises(TypeError):
        random.default_rng(1).integers(0, 5, dtype=float)


COUNTS = [
    ('poisson', (1.0,)),
    ('binomial', (3, 0.3)),
    ('geometric', (0.5,)),
    ('hypergeometric', (5, 6, 4)),
    ('logseries', (0.5,)),
    ('zipf', (2.5,)),
    ('negative_binomial', (3, 0.5)),
]


@pytest.mark.parametrize('name, parameters', COUNTS)
def test_counts_in_other_dtypes(name, parameters):
    counts = getattr(random.RandomState(2), name)(*parameters, size=20).get()
    for dtype in (bool, 'f4', 'd', 'e', 'F'):
        got = getattr(random.RandomState(2), name)(*parameters, size=20, dtype=dtype)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.get(), counts.astype(dtype))


def test_the_bit_generator_can_be_set():
    rng = random.default_rng(0)
    rng.random(3)
    bits = rng.bit_generator = random.XORWOW(7)
    assert rng.bit_generator is bits
    assert host(rng.random(5)) == host(random.Generator(random.XORWOW(7)).random(5))
    with pytest.raises(TypeError):
        rng.bit_generator = 7


@pytest.mark.parametrize('make', [random.RandomState, random.default_rng])
def test_dirichlet_of_one_number(make):
    shares = make(3).dirichlet(4.0, size=(5, 3))
    assert shares.shape == (5, 3)
    np.testing.assert_allclose(shares.sum(axis=-1).get(), 1)
    assert host(shares) == host(make(3).dirichlet([4.0, 4.0, 4.0], size=5))
    assert make(0).dirichlet(cp.array(2), size=4).shape == (4,)
    assert make(0).dirichlet([2.0, 3.0], size=4, dtype=int).dtype == int
    with pytest.raises(ValueError, match='size'):
        make(0).dirichlet(4.0)


@pytest.mark.parametrize('draw', [random.RandomState(1).randint, random.default_rng(1).integers])
def test_bounds_that_are_floats(draw):
    assert host(draw(-0.5, 1.5, 4)) == [0] * 4
    assert set(host(draw(-2.5, 4.5, 200))) == set(range(-2, 4))
    assert set(host(draw(2.9, size=50))) == {0, 1}
    assert set(host(draw(cp.array([0.9, 1.9]), np.array([1.1, 2.1])))) == {0, 1}
    assert host(draw(0, np.array(1.5), 2)) == [0, 0]
    for wrong, error in ((np.nan, ValueError), (np.inf, OverflowError), (1j, TypeError)):
        with pytest.raises(error):
            draw(0, wrong)
    for wrong in (cp.array([np.nan]), cp.array([1e30]), np.array([2**65], dtype=object)):
        with pytest.raises(ValueError):
            draw(0, wrong)


@pytest.mark.parametrize('draw', [random.RandomState(1).randint, random.default_rng(1).integers])
def test_bounds_of_all_integers(draw):
    whole = draw(0, 2**64, 200, dtype='u8')
    assert whole.dtype == np.uint64 and int(whole.max()) > 2**63
    assert int(draw(0, [2**64, 2**64], (100, 2), dtype='u8').max()) > 2**63
    assert int(draw(2**64 - 1, 2**64, dtype='u8')) == 2**64 - 1
    assert int(draw(-(2**63), 2**63, 100, dtype='i8').min()) < -(2**62)
    assert set(host(draw(0, np.array([2, 2]), (30, 2), dtype='u8').ravel())) == {0, 1}
    assert set(host(draw(cp.array([1, 1], 'u8'), 3, (30, 2)).ravel())) == {1, 2}
    for low, high, dtype in (
        (0, 2**64 + 1, 'u8'),
        (-1, 5, 'u8'),
        (0, 2**70, int),
        (np.array([-1, 3]), 5, 'u8'),
        (0, cp.array([0], 'u8'), 'u8'),
        (0, np.array([300]), 'u1'),
        (0, 3, bool),
    ):
        with pytest.raises(ValueError):
            draw(low, high, dtype=dtype).get()


def test_errors_of_the_older_generator():
    older, rng = random.RandomState(1), random.default_rng(1)
    for nsample in (0, [0, 1]):
        with pytest.raises(ValueError, match='nsample'):
            older.hypergeometric(7, 3, nsample, 2)
    assert host(rng.hypergeometric(7, 3, 0, 4)) == [0] * 4
    with pytest.raises(ValueError, match='axes'):
        older.choice([[5, 6], [7, 8]], 2)
    assert rng.choice([[5, 6], [7, 8]], 2).shape == (2, 2)
    assert older.choice(np.int64(3), 2).shape == older.choice([5, 6], 2).shape == (2,)
    nothing = cp.array(1.0)
    for call, error in (
        (older.shuffle, TypeError),
        (rng.shuffle, TypeError),
        (older.permutation, IndexError),
        (rng.permutation, np.exceptions.AxisError),
        (rng.permuted, TypeError),
    ):
        with pytest.raises(error):
            call(nothing)


def test_the_environment_seeds_the_first_state(monkeypatch):
    before = random.get_random_state()
    try:
        monkeypatch.setenv('CUPY_SEED', '6')
        random.reset_states()
        assert host(random.rand(2)) == host(random.RandomState(6).rand(2))
        random.seed(7)
        assert host(random.rand(2)) == host(random.RandomState(7).rand(2))
        monkeypatch.setenv('CUPY_SEED', 'six')
        random.reset_states()
        with pytest.raises(ValueError):
            random.rand(2)
    finally:
        random.set_random_state(before)
