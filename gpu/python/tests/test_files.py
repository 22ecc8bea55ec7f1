"""Tests of files of arrays against NumPy: paths, which the library reads and writes, and open files."""

import io
import pathlib

import cuprum as cp
import numpy as np
import pytest

ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.arange(6).reshape(2, 3).T,
    np.array(2.5),
    np.zeros((0, 3), 'f4'),
    np.array([True, False]),
    np.array([1 + 2j]),
    np.arange(4, dtype='u1'),
    np.array([0.1], 'f2'),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
]


def equal(found, wanted):
    assert isinstance(found, cp.ndarray) and found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize('host', ARRAYS, ids=lambda host: f'{host.dtype}{host.shape}')
def test_npy(tmp_path, host):
    a = cp.asarray(host)
    for path in (tmp_path / 'a', str(tmp_path / 'b.npy')):
        cp.save(path, a)
        path = str(path).removesuffix('.npy') + '.npy'
        equal(cp.load(path), host)
        np.save(tmp_path / 'n.npy', host)
        assert pathlib.Path(path).read_bytes() == (tmp_path / 'n.npy').read_bytes()
    cp.save(file := io.BytesIO(), a)
    file.seek(0)
    equal(cp.load(file), host)


def test_npy_of_other_elements(tmp_path):
    np.save(tmp_path / 'big.npy', np.arange(3, dtype='>f8'))
    equal(cp.load(tmp_path / 'big.npy'), np.arange(3.0))
    np.save(tmp_path / 'object.npy', np.array([None, 'a'], dtype=object))
    with pytest.raises(ValueError, match='allow_pickle'):
        cp.load(tmp_path / 'object.npy')
    cp.save(tmp_path / 'list.npy', [1, 2])
    equal(cp.load(tmp_path / 'list.npy'), np.array([1, 2]))
    (tmp_path / 'short.npy').write_bytes((tmp_path / 'list.npy').read_bytes()[:-1])
    with pytest.raises(ValueError):
        cp.load(tmp_path / 'short.npy')


@pytest.mark.parametrize('name', ['savez', 'savez_compressed'])
def test_npz(tmp_path, name):
    a = cp.arange(4.0)
    getattr(cp, name)(tmp_path / 'a', a, a[1:], mask=a > 1)
    with np.load(tmp_path / 'a.npz') as archive, cp.load(tmp_path / 'a.npz') as own:
        assert own.files == archive.files == ['arr_0', 'arr_1', 'mask']
        for key in archive.files:
            equal(own[key], archive[key])
    with pytest.raises(ValueError):
        getattr(cp, name)(tmp_path / 'b', a, arr_0=a)


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'fmt': '%.3f', 'delimiter': ','},
        {'header': 'one\ntwo', 'footer': 'end'},
        {'comments': '; ', 'header': 'x'},
        {'newline': '\r\n'},
        {'fmt': ['%d', '%.1f', '%e']},
    ],
)
def test_savetxt(tmp_path, options):
    host = np.arange(6.0).reshape(2, 3) / 7
    cp.savetxt(tmp_path / 'a.txt', cp.asarray(host), **options)
    np.savetxt(tmp_path / 'n.txt', host, **options)
    assert (tmp_path / 'a.txt').read_bytes() == (tmp_path / 'n.txt').read_bytes()


TEXT = '# head\n1 2 3\n4 5 6  # end\n\n7 8 9\n'


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'dtype': int},
        {'skiprows': 2},
        {'usecols': 1},
        {'usecols': (0, -1), 'unpack': True},
        {'max_rows': 1},
        {'ndmin': 2, 'max_rows': 1, 'usecols': [0]},
        {'converters': {0: lambda s: float(s) * 2}},
        {'dtype': 'f4', 'encoding': 'utf-8'},
    ],
)
def test_loadtxt(tmp_path, options):
    path = tmp_path / 'a.txt'
    path.write_text(TEXT)
    wanted = np.loadtxt(path, **options)
    equal(cp.loadtxt(path, **options), wanted)
    equal(cp.loadtxt(io.StringIO(TEXT), **options), wanted)


@pytest.mark.parametrize('options', [{}, {'dtype': int}, {'skip_header': 1}, {'usecols': (0, 2)}, {'max_rows': 2}, {'filling_values': -1}, {'skip_footer': 1}])
def test_genfromtxt(tmp_path, options):
    path, text = tmp_path / 'a.csv', '# head\n1,,3\n4,5,6\n7,8,x\n'
    path.write_text(text)
    wanted = np.genfromtxt(path, delimiter=',', **options)
    equal(cp.genfromtxt(path, delimiter=',', **options), wanted)
    equal(cp.genfromtxt(io.StringIO(text), delimiter=',', **options), wanted)


def test_raw_files(tmp_path):
    host = np.arange(12.0).reshape(3, 4)
    a = cp.asarray(host)
    for path in (tmp_path / 'raw', str(tmp_path / 'raw')):
        a.T.tofile(path)
        equal(cp.fromfile(path), host.T.ravel())
        equal(cp.fromfile(path, 'f4', 3, offset=8), np.fromfile(path, 'f4', 3, offset=8))
    for options in (dict(sep=','), dict(sep=' ', format='%.2f')):
        a.tofile(tmp_path / 'own', **options)
        host.tofile(tmp_path / 'numpy', **options)
        assert (tmp_path / 'own').read_text() == (tmp_path / 'numpy').read_text()
        equal(cp.fromfile(tmp_path / 'own', sep=options['sep']), np.fromfile(tmp_path / 'numpy', sep=options['sep']))
    with open(tmp_path / 'open', 'wb') as file:
        a.tofile(file)
    with open(tmp_path / 'open', 'rb') as file:
        equal(cp.fromfile(file), host.ravel())
    equal(cp.fromstring('1, 2, 3', dtype=int, sep=','), np.array([1, 2, 3]))


def test_missing_files_are_named(tmp_path):
    for function in (cp.load, cp.loadtxt, cp.genfromtxt, cp.fromfile):
        with pytest.raises(FileNotFoundError):
            function(tmp_path / 'none')
    a = cp.arange(3)
    for write in (lambda p: cp.save(p, a), lambda p: cp.savez(p, a), lambda p: cp.savetxt(p, a), a.tofile):
        with pytest.raises(FileNotFoundError):
            write(tmp_path / 'none' / 'a.npy')
