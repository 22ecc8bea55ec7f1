"""Devices: CuPy's `cupy.cuda.Device`."""

import threading as _threading

from cuprum import _cuprum
from cuprum.cuda._runtime_codes import _DEVICE_ATTRIBUTES

__all__ = ["Device", "get_cublas_handle", "get_cusolver_handle", "get_cusparse_handle", "get_device_id", "get_compute_capability"]

_entered = _threading.local()


class Device:
    """A device by its number; by default the current one. The simulator has the number 0.

    ``with Device(0):`` makes it current in a scope, `use` until another is made current.
    """

    __slots__ = ("id", "__weakref__")

    def __init__(self, device=None):
        if device is None:
            self.id = _cuprum.current_device()
        elif isinstance(device, Device):
            self.id = device.id
        else:
            self.id = int(device)

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """Returns the device with a PCI bus id: ``0000:18:00.0``."""
        from cuprum.cuda.runtime import deviceGetByPCIBusId

        return cls(deviceGetByPCIBusId(pci_bus_id))

    def use(self):
        """Makes the device current on this thread."""
        _use(self.id)

    def synchronize(self):
        """Waits until all work on the device is complete."""
        _cuprum.device_synchronize(self.id)

    def __enter__(self):
        if not hasattr(_entered, "before"):
            _entered.before = []
        before = _cuprum.current_device()
        _use(self.id)
        _entered.before.append(before)
        return self

    def __exit__(self, *exception):
        _cuprum.use_device(_entered.before.pop())

    @property
    def compute_capability(self):
        """The compute capability, as text: ``'90'``."""
        return _cuprum.device_info(self.id)["target"].rpartition("_")[2].rstrip("af")

    @property
    def mem_info(self):
        """The bytes of free memory and of all memory."""
        return _cuprum.memory_info(self.id)

    @property
    def attributes(self):
        """The attributes of the device by CUDA's names."""
        known = {}
        for name, number in _DEVICE_ATTRIBUTES.items():
            try:
                known[name] = _cuprum.device_attribute(self.id, number)
            except (NotImplementedError, _cuprum.CUDADriverError):
                continue
        return known

    @property
    def pci_bus_id(self):
        """The PCI bus id: ``0000:18:00.0``."""
        return _cuprum.pci_bus_id(self.id)

    @property
    def cublas_handle(self):
        """Raises: the handle of cuBLAS is not available."""
        return get_cublas_handle()

    @property
    def cusolver_handle(self):
        """Raises: the handle of cuSOLVER is not available."""
        return get_cusolver_handle()

    @property
    def cusolver_sp_handle(self):
        """Raises: there is no sparse handle of cuSOLVER."""
        return _no_handle("cuSOLVER's sparse handle")

    @property
    def cusparse_handle(self):
        """Raises: there is no handle of cuSPARSE."""
        return get_cusparse_handle()

    @property
    def cutensor_handle(self):
        """Raises: there is no handle of cuTENSOR."""
        return _no_handle("a handle of cuTENSOR")

    def __int__(self):
        return self.id

    __index__ = __int__

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def __hash__(self):
        return hash(self.id)

    def __eq__(self, other):
        return self.id == other.id if isinstance(other, Device) else NotImplemented

    def __lt__(self, other):
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __le__(self, other):
        return self.id <= other.id if isinstance(other, Device) else NotImplemented

    def __gt__(self, other):
        return self.id > other.id if isinstance(other, Device) else NotImplemented

    def __ge__(self, other):
        return self.id >= other.id if isinstance(other, Device) else NotImplemented


def _use(number):
    if not 0 <= number < _cuprum.device_count():
        from cuprum.cuda.runtime import CUDARuntimeError, cudaErrorInvalidDevice

        raise CUDARuntimeError(cudaErrorInvalidDevice)
    _cuprum.use_device(number)


def _no_handle(what):
    raise NotImplementedError(f"{what} is not available: the library keeps its own handles, one for each stream")


def get_device_id():
    """Returns the number of the current device."""
    return _cuprum.current_device()


def get_compute_capability():
    """Returns the compute capability of the current device, as text."""
    return Device().compute_capability


def get_cublas_handle():
    """Raises: the handle of cuBLAS is not available."""
    _no_handle("cuBLAS' handle")


def get_cusolver_handle():
    """Raises: the handle of cuSOLVER is not available."""
    _no_handle("cuSOLVER's handle")


def get_cusparse_handle():
    """Raises: there is no handle of cuSPARSE."""
    _no_handle("cuSPARSE's handle")
