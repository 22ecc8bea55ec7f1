"""Information about the runtime environment for bug reports."""

import importlib
import platform

import numpy as np

import cuprum
from cuprum import _cuprum, _environment

__all__ = ['get_runtime_info']


def _version(name):
    try:
        return importlib.import_module(name).__version__
    except ImportError:
        return None


def _device(number):
    """Returns the rows of a GPU."""
    device, properties = cuprum.cuda.Device(number), cuprum.cuda.runtime.getDeviceProperties(number)
    name = properties['name']
    return {
        f'Device {number} Name': name.decode() if isinstance(name, bytes) else name,
        f'Device {number} Compute Capability': device.compute_capability,
        f'Device {number} PCI Bus ID': device.pci_bus_id,
    }


class _RuntimeInfo:
    """The runtime environment of the package; printing it shows a table with CuPy's names of the rows."""

    def __init__(self, full=True):
        ours = getattr(cuprum, '__cuprum_version__', None)
        self.rows = {'OS': platform.platform(), 'Python Version': platform.python_version()}
        if ours is not None:
            self.rows['CuPy Version'] = f'{cuprum.__version__}, as Cuprum'
        self.rows |= {
            'Cuprum Version': ours or cuprum.__version__,
            'NumPy Version': np.__version__,
            'SciPy Version': _version('scipy'),
            'CUDA Root': _environment.get_cuda_path(),
            'nvcc PATH': _environment.get_nvcc_path(),
        }
        asked = {
            'Device': lambda: str(cuprum.cuda.Device()),
            'CUDA Driver Version': lambda: cuprum.cuda.runtime.driverGetVersion(),
            'CUDA Runtime Version': lambda: cuprum.cuda.runtime.runtimeGetVersion(),
            'NVRTC Version': lambda: cuprum.cuda.nvrtc.getVersion(),
        }
        for row, ask in asked.items() if full else ():
            try:
                self.rows[row] = str(ask())
            except (AttributeError, NotImplementedError, RuntimeError) as error:
                self.rows[row] = f'unknown ({error})'
        for name, path in _cuprum.library_files() if full else ():
            self.rows[f'{name} Library'] = path
        for number in range(_cuprum.gpu_count()) if full and cuprum.cuda.is_available() else ():
            self.rows |= _device(number)
        self.rows |= _environment.describe()

    def __str__(self):
        width = max(map(len, self.rows))
        return '\n'.join(f'{row:<{width}} : {value}' for row, value in self.rows.items())

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """Returns the runtime environment of the package: system, Python, NumPy, toolkit, devices, libraries, CuPy's
    environment variables. `print` it for a bug report. Without `full`, neither devices nor libraries."""
    return _RuntimeInfo(full)
