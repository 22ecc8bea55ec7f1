"""Communicators of NCCL: CuPy's `cupy.cuda.nccl`.

On GPUs the functions are those of `libnccl.so.2`, loaded at the first use (`pip install nvidia-nccl-cu13`). On the simulator ranks are
threads or processes that exchange their elements over a loopback connection.
"""

from .. import _cuprum
from .._not_yet import lacking as _lacking

__all__ = ['NcclCommunicator', 'NcclError', 'available', 'get_build_version', 'get_unique_id', 'get_version', 'groupEnd', 'groupStart']

# Programs check it before they use the library.
available = True

NCCL_UNIQUE_ID_BYTES = 128

NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)

NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32 = 3
NCCL_INT64 = 4
NCCL_UINT64 = 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9

__getattr__ = _lacking(__name__)


class NcclError(RuntimeError):
    """Failure of a collective operation; `status` is NCCL's code if it has one."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


def _call(function, *args):
    """Calls a function, and raises its failures as `NcclError`."""
    try:
        return function(*args)
    except (ImportError, ValueError, TypeError):
        raise
    except RuntimeError as e:
        raise NcclError(str(e), getattr(e, 'status', None)) from None


def get_version():
    """Returns the version of NCCL as its number: 22304 for 2.23.4."""
    return _call(_cuprum.nccl_version)


def get_build_version():
    """Returns the version of NCCL whose functions the package uses, which is the one that is loaded."""
    return get_version()


def get_unique_id():
    """Returns the id of a new group, as a tuple of 128 numbers that all ranks pass to `NcclCommunicator`."""
    return tuple(_call(_cuprum.nccl_unique_id))


def groupStart():
    """Begins a group of calls, which are queued together by `groupEnd`: of several ranks in one thread, or to send and to receive."""
    _call(_cuprum.nccl_group_start)


def groupEnd():
    """Ends the group of calls that `groupStart` began."""
    _call(_cuprum.nccl_group_end)


class NcclCommunicator:
    """Membership of the current device in a group of `ndev` ranks, of the id of `get_unique_id`, as the rank `rank`.

    Buffers are addresses (`array.data.ptr`), counts are NCCL's, and a stream is its handle (`stream.ptr`).
    """

    def __init__(self, ndev, commId, rank):
        # The bytes of an id are signed in CuPy.
        self._core = _call(_cuprum.Communicator, ndev, bytes(number % 256 for number in commId), rank)

    @classmethod
    def _of(cls, core):
        made = cls.__new__(cls)
        made._core = core
        return made

    @staticmethod
    def initAll(devices):
        """Returns the communicators of a group of devices of this process: of the numbers in a list, or of the first `devices`."""
        numbers = range(devices) if isinstance(devices, int) else devices
        return [NcclCommunicator._of(core) for core in _call(_cuprum.Communicator.init_all, list(numbers))]

    def destroy(self):
        """Ends the membership after the calls of this rank."""
        _call(self._core.destroy)

    def abort(self):
        """Ends the membership at once: its pending calls fail."""
        _call(self._core.abort)

    def device_id(self):
        """Returns the number of the device."""
        return self._core.device

    def rank_id(self):
        """Returns the number of this rank."""
        return self._core.rank

    def size(self):
        """Returns the number of ranks."""
        return self._core.size

    def check_async_error(self):
        """Raises the error of a call that has failed since it was queued."""
        _call(self._core.check)

    def commSplit(self, color, key, config=None):
        """Divides the group: the ranks of a colour form a group in the order of their keys. Returns None for the colour -1."""
        core = _call(self._core.split, None if color < 0 else color, key)
        return None if core is None else NcclCommunicator._of(core)

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        """Combines the elements of all ranks for all ranks."""
        _call(self._core.raw, 'allReduce', sendbuf, recvbuf, count, datatype, op, 0, stream)

    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        """Combines the elements of all ranks for the rank `root`."""
        _call(self._core.raw, 'reduce', sendbuf, recvbuf, count, datatype, op, root, stream)

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        """Copies the elements of the rank `root` to all ranks."""
        _call(self._core.raw, 'broadcast', sendbuff, recvbuff, count, datatype, 0, root, stream)

    def bcast(self, buff, count, datatype, root, stream):
        """Copies the elements of the rank `root` to all ranks, in place."""
        self.broadcast(buff, buff, count, datatype, root, stream)

    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):
        """Combines the elements of all ranks, of which each rank gets a part of `recvcount` elements."""
        _call(self._core.raw, 'reduceScatter', sendbuf, recvbuf, recvcount, datatype, op, 0, stream)

    def allGather(self, sendbuf, recvbuf, count, datatype, stream):
        """Copies the elements of all ranks to all ranks, in the order of the ranks."""
        _call(self._core.raw, 'allGather', sendbuf, recvbuf, count, datatype, 0, 0, stream)

    def send(self, sendbuf, count, datatype, peer, stream):
        """Sends elements to the rank `peer`."""
        _call(self._core.raw, 'send', sendbuf, 0, count, datatype, 0, peer, stream)

    def recv(self, recvbuf, count, datatype, peer, stream):
        """Receives elements from the rank `peer`."""
        _call(self._core.raw, 'recv', 0, recvbuf, count, datatype, 0, peer, stream)
