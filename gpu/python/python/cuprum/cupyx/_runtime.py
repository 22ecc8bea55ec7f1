"""Information about the runtime environment for bug reports."""

import platform

import numpy as np

import cuprum

__all__ = ['get_runtime_info']


class _RuntimeInfo:
    """The runtime environment of the package; printing it shows a table."""

    def __init__(self, full=True):
        self.rows = {
            'OS': platform.platform(),
            'Python Version': platform.python_version(),
            'Cuprum Version': getattr(cuprum, '__cuprum_version__', cuprum.__version__),
            'NumPy Version': np.__version__,
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

    def __str__(self):
        width = max(map(len, self.rows))
        return '\n'.join(f'{row:<{width}} : {value}' for row, value in self.rows.items())

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """Returns the runtime environment of the package: system, Python, NumPy, device, driver. `print` it for a bug
    report."""
    return _RuntimeInfo(full)
