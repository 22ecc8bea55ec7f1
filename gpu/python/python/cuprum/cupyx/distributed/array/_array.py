"""The class of arrays over devices, and the functions that create them."""

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle, grid_2d

from . import _calls
from ._methods import Methods


class DistributedArray(Methods):
    """Array that is distributed over several devices of this process.

    A device holds chunks, which are slices of the array. Chunks may overlap; `mode` says what their common elements are. Functions of
    the package, NumPy's, operators and kernels compute each chunk on its device. `distributed_array` creates one.

    Differences from CuPy: it is no subclass of `ndarray`; operands may be broadcast and need not have the same `index_map`; scans,
    sorting, indexing also by arrays, `einsum`, Fourier transforms, `mean`, `var`, `any`, `argmax` and others are available, too.
    """

    __slots__ = ('_handle', '__weakref__')
    __array_priority__ = 100

    def __init__(self, *args, **kwargs):
        raise TypeError('DistributedArray: the class cannot be called: distributed_array(array, index_map) creates an array')

    @staticmethod
    def _of(handle):
        array = object.__new__(DistributedArray)
        array._handle = handle
        return array

    @property
    def shape(self):
        """The shape of the whole array."""
        return tuple(self._handle.shape)

    @property
    def dtype(self):
        """The dtype."""
        return self._handle.dtype

    @property
    def mode(self):
        """What common elements of several chunks are: `'replica'` for copies, or the operation that combines them: `'sum'`, `'prod'`,
        `'max'`, `'min'`."""
        return self._handle.mode

    @property
    def devices(self):
        """The numbers of the devices that hold chunks."""
        return list(self.index_map)

    @property
    def index_map(self):
        """The indices of the chunks that each device holds, as tuples of slices."""
        table = {}
        for device, index, _ in self._handle.chunks():
            table.setdefault(device, []).append(index)
        return table

    def all_chunks(self):
        """Returns the chunks that each device holds."""
        table = {}
        for device, _, chunk in self._handle.chunks():
            table.setdefault(device, []).append(chunk)
        return table

    def change_mode(self, mode):
        """Returns the array in another mode. From `'replica'`, the first chunk that holds an element keeps it, and others hold the
        identity of the operation."""
        return self._of(self._handle.change_mode(_mode_name(mode)))

    def reshard(self, index_map):
        """Returns the array distributed by another index map."""
        return self._of(self._handle.reshard(_entries(index_map, 'reshard')))

    def get(self, stream=None, order='C', out=None, blocking=True):
        """Copies the elements to a NumPy array.

        Differences from CuPy: the copy is ordered after the work of the current streams, and `blocking=False` waits, too.
        """
        if out is None:
            out = np.empty(self.shape, self.dtype, order='F' if order == 'F' else 'C')
        elif out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f'get: out has the shape {out.shape} and the dtype {out.dtype}: {self.shape} and {self.dtype} are needed')
        for index, part in self._handle.parts():
            with cuprum.cuda.Device(part.device.id):
                out[index] = part.get(stream)
        return out

    def to_device(self, device):
        """Copies all elements to one device, as an array of it."""
        return self._handle.to_array(getattr(device, 'id', device))

    def with_whole_axis(self, axis):
        """Returns the array distributed along other axes, so that chunks hold whole rows along an axis."""
        return self._of(self._handle.with_whole_axis(axis))

    def halo(self, widths, mode='clip', constant_values=0):
        """Returns the chunks of each device with `widths` more elements on both sides of each axis, which come from the neighbouring
        chunks.

        `mode` says what is beyond the edges of the array: nothing (`'clip'`), or as in `numpy.pad` (`'constant'`, `'edge'`, `'reflect'`,
        `'symmetric'`, `'wrap'`). The chunks are copies. CuPy has no such method.
        """
        table = {}
        for device, _, chunk, _ in self._handle.halo(_widths(widths, self.ndim), mode, constant_values):
            table.setdefault(device, []).append(chunk)
        return table

    def map_overlap(self, function, widths, mode='edge', constant_values=0):
        """Computes a function of each chunk with its halo on its device, as a new array with the same index map.

        The function returns an array of the shape that it gets, of which the halo is cut off, or of the chunk's shape. See `halo`.
        CuPy has no such method.
        """
        chunks = []
        for device, index, chunk, interior in self._handle.halo(_widths(widths, self.ndim), mode, constant_values):
            with cuprum.cuda.Device(device):
                result = function(chunk)
            own = tuple(len(range(s.start, s.stop, s.step)) for s in index)
            if result.shape == chunk.shape and result.shape != own:
                result = result[interior]
            chunks.append((index, result))
        return self._of(DistributedHandle.from_chunks(self.shape, chunks, 'replica'))

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        return _calls.call_ufunc(function, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        module = function.__module__.removeprefix('numpy')
        prefix = f'{module[1:]}.' if module in ('.fft', '.linalg') else ''
        return _calls.call_function(prefix + function.__name__, args, kwargs)

    def __cupy_override_elementwise_kernel__(self, kernel, *args, **kwargs):
        return _calls.elementwise(kernel, args, {k: v for k, v in kwargs.items() if v is not None}, kernel.name)

    def __cupy_override_reduction_kernel__(self, kernel, *args, **kwargs):
        return _calls.reduction_kernel(kernel, args, kwargs)

    def __array__(self, dtype=None, copy=None):
        raise TypeError('Implicit conversion to a NumPy array is not allowed: use get() to copy the elements to the host')

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())


_calls.DistributedArray = DistributedArray


def _mode_name(mode):
    return mode if isinstance(mode, str) else str(getattr(mode, 'name', mode))


def _entries(index_map, name):
    """Returns the pairs of a device and an index that an index map lists."""
    if not hasattr(index_map, 'items'):
        raise TypeError(f'{name}: index_map is a {type(index_map).__name__}: it must be a dict from devices to the indices of chunks')
    entries = []
    count = cuprum.cuda.runtime.getDeviceCount()
    for device, indices in index_map.items():
        number = int(getattr(device, 'id', device))
        if not 0 <= number < count:
            raise ValueError(f'{name}: index_map has the device {number}: the devices are 0 to {count - 1}')
        for index in indices if isinstance(indices, list) else [indices]:
            entries.append((number, index))
    return entries


def _widths(widths, ndim):
    return [int(widths)] * ndim if isinstance(widths, (int, np.integer)) else [int(width) for width in widths]


def distributed_array(array, index_map, mode='replica', comms=None):
    """Distributes an array over devices.

    `array` may be of the host (a NumPy array, nested lists), of a device, or a `DistributedArray`. `index_map` is a dict from the numbers of
    devices to the index of the chunk that each holds: a slice, a tuple of slices and integers, or a list of such. The chunks cover
    the array, and may overlap. `mode` says what their common elements are, see `DistributedArray.mode`.

    Differences from CuPy: an index map that leaves out elements is an error; `comms` has no effect, since devices copy directly.
    """
    entries = _entries(index_map, 'distributed_array')
    mode = _mode_name(mode)
    if isinstance(array, DistributedArray):
        return array.reshard(index_map).change_mode(mode)
    if isinstance(array, cuprum.ndarray):
        return DistributedArray._of(DistributedHandle.distribute(array, entries, mode))
    array = np.asarray(array)
    chunks = []
    for device, index in entries:
        index = index if isinstance(index, tuple) else (index,)
        # An integer selects a chunk of one element along its axis.
        axes = (slice(i, i + 1 or None) if isinstance(i, (int, np.integer)) else i for i in index)
        with cuprum.cuda.Device(device):
            chunks.append((index, cuprum.asarray(array[tuple(axes)])))
    return DistributedArray._of(DistributedHandle.from_chunks(array.shape, chunks, 'replica').change_mode(mode))


def make_2d_index_map(i_partitions, j_partitions, devices):
    """Returns the index map of a grid of blocks.

    `i_partitions` and `j_partitions` are the bounds of the blocks along the two axes, and `devices[i][j]` is the set of devices that hold
    block `(i, j)`.
    """
    sets = [[sorted(holders) if hasattr(holders, '__iter__') else [holders] for holders in row] for row in devices]
    table = {}
    for device, index in grid_2d(list(i_partitions), list(j_partitions), sets):
        table.setdefault(device, []).append(index)
    return table


def matmul(a, b, out=None, **kwargs):
    """Returns the matrix product of two arrays over devices.

    Where the operands' blocks meet on devices that have both, nothing is copied and the result's mode is `'sum'`.

    Differences from CuPy: any index maps are possible; rows and columns are copied where blocks do not meet. Keywords other than `out` are
    not available.
    """
    return _calls.product(a, b, out, kwargs)
