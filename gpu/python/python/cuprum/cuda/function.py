"""Compiled modules and kernels: CuPy's `cupy.cuda.function`."""

from cuprum._cuprum import KernelHandle as Function
from cuprum._cuprum import ModuleHandle as Module

__all__ = ["Function", "Module"]
