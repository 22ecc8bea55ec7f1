"""The exception for source code that does not compile: CuPy's `cupy.cuda.compiler`."""

from cuprum._cuprum import CompileException

__all__ = ["CompileException"]
