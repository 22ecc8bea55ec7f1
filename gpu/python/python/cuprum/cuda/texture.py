"""Textures and surfaces: CuPy's `cupy.cuda.texture`."""

__all__ = ["CUDAarray", "ChannelFormatDescriptor", "ResourceDescriptor", "SurfaceObject", "TextureDescriptor",
           "TextureObject"]


class _Absent:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__}: textures and surfaces are not there yet")


class ChannelFormatDescriptor(_Absent):
    """What an element of a texture is; not there yet."""


class CUDAarray(_Absent):
    """Memory of a texture; not there yet."""


class ResourceDescriptor(_Absent):
    """What a texture reads; not there yet."""


class TextureDescriptor(_Absent):
    """How a texture reads; not there yet."""


class TextureObject(_Absent):
    """A texture; not there yet."""


class SurfaceObject(_Absent):
    """A surface; not there yet."""
