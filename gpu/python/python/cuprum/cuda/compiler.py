"""What a text that does not compile raises: CuPy's `cupy.cuda.compiler`."""

from cuprum._cuprum import CompileException

__all__ = ["CompileException"]
