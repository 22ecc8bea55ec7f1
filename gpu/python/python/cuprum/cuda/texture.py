"""Textures and surfaces: CuPy's `cupy.cuda.texture`.

A kernel of one's own takes a `TextureObject` and a `SurfaceObject` as they are: a `cudaTextureObject_t` and a
`cudaSurfaceObject_t`. They keep the memory that they are of. The numbers of modes and kinds are `cuprum.cuda.runtime`'s.
"""

import ctypes as _ctypes

import numpy as _numpy

from cuprum._cuprum import CudaArrayHandle as _CudaArrayHandle
from cuprum._cuprum import MipmappedArrayHandle as _MipmappedArrayHandle
from cuprum._cuprum import SurfaceHandle as _SurfaceHandle
from cuprum._cuprum import TextureHandle as _TextureHandle
from cuprum._cuprum import TextureResourceHandle as _TextureResourceHandle
from cuprum.cuda import _arrays
from cuprum.cuda import runtime as _runtime

__all__ = ["CUDAarray", "ChannelFormatDescriptor", "MipmappedArray", "ResourceDescriptor", "SurfaceObject",
           "TextureDescriptor", "TextureObject"]


class ChannelFormatDescriptor:
    """What an element of a texture is: the bits of each of up to four numbers, and what they are.

    `f` is ``cudaChannelFormatKindSigned``, ``...Unsigned`` or ``...Float``.
    """

    def __init__(self, x, y, z, w, f):
        self._format = ((x, y, z, w), f)
        self._struct = _arrays.ChannelFormatDesc(x, y, z, w, f)

    @property
    def ptr(self):
        """The address of CUDA's struct of it."""
        return _ctypes.addressof(self._struct)

    def get_channel_format(self):
        """What was given, as a dictionary."""
        (x, y, z, w), f = self._format
        return {"x": x, "y": y, "z": z, "w": w, "f": f}

    @property
    def _channels(self):
        return sum(bits > 0 for bits in self._format[0])


class CUDAarray:
    """Memory of textures and surfaces with up to three axes, which the device lays out as it likes.

    With ``flags=cudaArraySurfaceLoadStore`` surfaces may be of it, with ``cudaArrayLayered`` the depth counts layers, and with
    ``cudaArrayCubemap`` the faces of a cube: +x, -x, +y, -y, +z, -z.
    """

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if not isinstance(desc, ChannelFormatDescriptor):
            raise ValueError(f"CUDAarray: the format of the channels is a ChannelFormatDescriptor, not {type(desc)}")
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self._handle = _CudaArrayHandle(desc._format, (width, height, depth), flags)
        _arrays._known[self.ptr] = self._handle

    @classmethod
    def _of(cls, handle, desc, flags):
        made = cls.__new__(cls)
        made.desc, made.flags, made._handle = desc, flags, handle
        made.width, made.height, made.depth = handle.size
        _arrays._known[made.ptr] = handle
        return made

    @property
    def ptr(self):
        """The driver's handle."""
        return self._handle.ptr

    @property
    def ndim(self):
        """How many axes there are."""
        return 1 + (self.height > 0) + (self.depth > 0)

    @property
    def _shape(self):
        return tuple(n for n in (self.depth, self.height) if n) + (self.width * self.desc._channels,)

    def copy_from(self, in_arr, stream=None):
        """Copies the elements of an array of NumPy's or of the device's here, on a stream.

        The array has the axes from the last to the first, the last one times the number of channels: the shape
        ``(depth, height, width * channels)``.
        """
        from cuprum import asarray
        self._handle.copy_from(asarray(in_arr), stream)

    def copy_to(self, out_arr, stream=None):
        """Copies the elements to an array, as `copy_from` copies them here; where it is NumPy's it waits."""
        if not isinstance(out_arr, _numpy.ndarray):
            self._handle.copy_to(out_arr, stream)
            return
        from cuprum import empty
        made = empty(out_arr.shape, out_arr.dtype)
        self._handle.copy_to(made, stream)
        made.get(stream=stream, out=out_arr)


class MipmappedArray:
    """A picture in several sizes, each of half the size of the one before, for one texture. CuPy has none.

    A kernel says which of them it reads: ``tex2DLod``, ``tex2DGrad``. Each level is a `CUDAarray`.
    """

    def __init__(self, desc, width, height=0, depth=0, levels=1, flags=0):
        if not isinstance(desc, ChannelFormatDescriptor):
            raise ValueError(f"MipmappedArray: the format of the channels is a ChannelFormatDescriptor, not {type(desc)}")
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self.levels = levels
        self._handle = _MipmappedArrayHandle(desc._format, (width, height, depth), levels, flags)

    @property
    def ptr(self):
        """The driver's handle."""
        return self._handle.ptr

    def level(self, number):
        """One of the levels, from 0 on."""
        return CUDAarray._of(self._handle.level(number), self.desc, self.flags)


class ResourceDescriptor:
    """What a texture or a surface is of: a `CUDAarray`, a `MipmappedArray`, an array in one axis, or rows of an array.

    `restype` is ``cudaResourceTypeArray``, ``...MipmappedArray``, ``...Linear`` or ``...Pitch2D``.
    """

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0, height=0, pitchInBytes=0):
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        kinds = {"resType": restype}
        if restype == _runtime.cudaResourceTypeArray:
            if not isinstance(cuArr, CUDAarray):
                raise ValueError("ResourceDescriptor: a resource of cudaResourceTypeArray is of a CUDAarray: give cuArr")
            kinds["array"] = {"array": cuArr.ptr}
            self._handle = _TextureResourceHandle.of_array(cuArr._handle)
        elif restype == _runtime.cudaResourceTypeLinear:
            _given(arr, chDesc)
            if not 0 < sizeInBytes <= arr.nbytes:
                raise ValueError(f"ResourceDescriptor: {sizeInBytes} bytes of an array of {arr.nbytes}: give sizeInBytes")
            kinds["linear"] = {"devPtr": arr.data.ptr, "desc": chDesc.get_channel_format(), "sizeInBytes": sizeInBytes}
            part = arr.reshape(-1).view("u1")[:sizeInBytes] if arr.flags.c_contiguous else arr
            self._handle = _TextureResourceHandle.linear(part, chDesc._format)
        elif restype == _runtime.cudaResourceTypePitch2D:
            _given(arr, chDesc)
            kinds["pitch2D"] = {"devPtr": arr.data.ptr, "desc": chDesc.get_channel_format(), "width": width,
                                "height": height, "pitchInBytes": pitchInBytes}
            self._handle = _TextureResourceHandle.rows(arr, chDesc._format, width, height, pitchInBytes)
        elif restype == _runtime.cudaResourceTypeMipmappedArray:
            if not isinstance(cuArr, MipmappedArray):
                raise ValueError("ResourceDescriptor: a resource of cudaResourceTypeMipmappedArray is of a MipmappedArray: "
                                 "give cuArr")
            kinds["mipmap"] = {"mipmap": cuArr.ptr}
            self._handle = _TextureResourceHandle.of_levels(cuArr._handle)
        else:
            raise ValueError(f"ResourceDescriptor: {restype} is no kind of resource")
        self._described = kinds
        self._struct = _struct_of(kinds)

    @property
    def ptr(self):
        """The address of CUDA's struct of it."""
        return _ctypes.addressof(self._struct)

    def get_resource_desc(self):
        """What was given, as a dictionary."""
        return self._described


def _struct_of(kinds):
    made = _arrays.ResourceDesc(resType=kinds["resType"])
    for name, of in kinds.items():
        if name in ("array", "mipmap"):
            setattr(made.res, name, of[name])
        elif name != "resType":
            part = getattr(made.res, name)
            for field, value in of.items():
                setattr(part, field, _arrays.ChannelFormatDesc(**value) if field == "desc" else value)
    return made


def _given(arr, chDesc):
    from cuprum import ndarray
    if not isinstance(arr, ndarray) or not isinstance(chDesc, ChannelFormatDescriptor):
        raise ValueError("ResourceDescriptor: memory of an array and what its elements are is needed: give arr and chDesc")


class TextureDescriptor:
    """How a texture is read: what becomes of coordinates outside, filtering, what integers are read as.

    What follows `maxAnisotropy` is for a `MipmappedArray`, and CuPy has it not: which levels are weighed, what is added to the
    level that is requested, and the least and the greatest that is read; by default all are.
    """

    def __init__(self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None, normalizedCoords=None,
                 maxAnisotropy=None, *, mipmapFilterMode=0, mipmapLevelBias=0.0, minMipmapLevelClamp=0.0,
                 maxMipmapLevelClamp=None):
        modes = tuple(addressModes or ())
        colours = tuple(borderColors or ())
        if len(modes) > 3 or len(colours) > 4:
            raise ValueError("TextureDescriptor: there are up to 3 addressModes and up to 4 borderColors")
        self._modes = modes + (0,) * (3 - len(modes))
        self._colours = colours + (0.0,) * (4 - len(colours))
        self._numbers = (filterMode, readMode, int(sRGB or 0), int(normalizedCoords or 0), int(maxAnisotropy or 0))
        most = 1000.0 if maxMipmapLevelClamp is None else maxMipmapLevelClamp
        self._levels = (mipmapFilterMode, mipmapLevelBias, (minMipmapLevelClamp, most))
        self._struct = _arrays.TextureDesc(self._modes, filterMode, readMode, self._numbers[2], self._colours,
                                           *self._numbers[3:], mipmapFilterMode, mipmapLevelBias, minMipmapLevelClamp,
                                           most)

    @property
    def ptr(self):
        """The address of CUDA's struct of it."""
        return _ctypes.addressof(self._struct)

    def get_texture_desc(self):
        """What was given, as a dictionary."""
        filterMode, readMode, sRGB, normalizedCoords, maxAnisotropy = self._numbers
        return {"addressMode": self._modes, "filterMode": filterMode, "readMode": readMode, "sRGB": sRGB,
                "borderColor": self._colours, "normalizedCoords": normalizedCoords, "maxAnisotropy": maxAnisotropy}


class TextureObject(_TextureHandle):
    """A texture, which a kernel of one's own takes as a ``cudaTextureObject_t``."""

    def __new__(cls, ResDesc, TexDesc):
        if not isinstance(ResDesc, ResourceDescriptor) or not isinstance(TexDesc, TextureDescriptor):
            raise ValueError("TextureObject: a ResourceDescriptor and a TextureDescriptor are needed")
        filterMode, readMode, sRGB, normalizedCoords, maxAnisotropy = TexDesc._numbers
        made = super().__new__(cls, ResDesc._handle, TexDesc._modes, filterMode, readMode, bool(sRGB), TexDesc._colours,
                               bool(normalizedCoords), maxAnisotropy, *TexDesc._levels)
        made.ResDesc, made.TexDesc = ResDesc, TexDesc
        return made


class SurfaceObject(_SurfaceHandle):
    """A surface, which a kernel of one's own takes as a ``cudaSurfaceObject_t``."""

    def __new__(cls, ResDesc):
        if not isinstance(ResDesc, ResourceDescriptor) or not isinstance(ResDesc.cuArr, CUDAarray):
            raise ValueError("SurfaceObject: a ResourceDescriptor of a CUDAarray is needed")
        made = super().__new__(cls, ResDesc.cuArr._handle)
        made.ResDesc = ResDesc
        return made


def __getattr__(name):
    if name == "TextureReference":
        from cuprum._not_yet import NotYet
        raise NotYet("cuprum.cuda.texture.TextureReference: CUDA has had none since version 12; a TextureObject is passed to a kernel")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
