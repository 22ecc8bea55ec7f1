"""Textures and surfaces: CuPy's `cupy.cuda.texture`.

A raw kernel takes a `TextureObject` and a `SurfaceObject` as a `cudaTextureObject_t` and a `cudaSurfaceObject_t`.
They keep their memory alive. The constants of modes and kinds are in `cuprum.cuda.runtime`.
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

__all__ = ["CUDAarray", "ChannelFormatDescriptor", "MipmappedArray", "ResourceDescriptor", "SurfaceObject", "TextureDescriptor", "TextureObject"]


class ChannelFormatDescriptor:
    """The format of an element of a texture: the bits of each of up to four channels, and their kind.

    `f` is ``cudaChannelFormatKindSigned``, ``...Unsigned`` or ``...Float``.
    """

    def __init__(self, x, y, z, w, f):
        self._format = ((x, y, z, w), f)
        self._struct = _arrays.ChannelFormatDesc(x, y, z, w, f)

    @property
    def ptr(self):
        """The address of the corresponding CUDA struct."""
        return _ctypes.addressof(self._struct)

    def get_channel_format(self):
        """Returns the arguments as a dictionary."""
        (x, y, z, w), f = self._format
        return {"x": x, "y": y, "z": z, "w": w, "f": f}

    @property
    def _channels(self):
        return sum(bits > 0 for bits in self._format[0])


class CUDAarray:
    """Memory of textures and surfaces with up to three axes, in a layout chosen by the device.

    With ``flags=cudaArraySurfaceLoadStore`` it can be bound to surfaces, with ``cudaArrayLayered`` the depth is the
    number of layers, and with ``cudaArrayCubemap`` the faces of a cube: +x, -x, +y, -y, +z, -z.
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
        """The number of axes."""
        return 1 + (self.height > 0) + (self.depth > 0)

    @property
    def _shape(self):
        return tuple(n for n in (self.depth, self.height) if n) + (self.width * self.desc._channels,)

    def copy_from(self, in_arr, stream=None):
        """Copies the elements of a NumPy or device array to this array, on a stream.

        The array has the axes in reverse order, with the last one multiplied by the number of channels: the shape
        ``(depth, height, width * channels)``.
        """
        from cuprum import asarray

        self._handle.copy_from(asarray(in_arr), stream)

    def copy_to(self, out_arr, stream=None):
        """Copies the elements to an array, the inverse of `copy_from`; a copy to a NumPy array synchronises."""
        if not isinstance(out_arr, _numpy.ndarray):
            self._handle.copy_to(out_arr, stream)
            return
        from cuprum import empty

        made = empty(out_arr.shape, out_arr.dtype)
        self._handle.copy_to(made, stream)
        made.get(stream=stream, out=out_arr)


class MipmappedArray:
    """A mipmapped array for a texture: each level has half of the size of the previous one. CuPy does not have it.

    A kernel selects the level that it reads: ``tex2DLod``, ``tex2DGrad``. Each level is a `CUDAarray`.
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
        """Returns a level, from 0 on."""
        return CUDAarray._of(self._handle.level(number), self.desc, self.flags)


class ResourceDescriptor:
    """The resource of a texture or a surface: a `CUDAarray`, a `MipmappedArray`, a 1-D array, or rows of an array.

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
            kinds["pitch2D"] = {"devPtr": arr.data.ptr, "desc": chDesc.get_channel_format(), "width": width, "height": height, "pitchInBytes": pitchInBytes}
            self._handle = _TextureResourceHandle.rows(arr, chDesc._format, width, height, pitchInBytes)
        elif restype == _runtime.cudaResourceTypeMipmappedArray:
            if not isinstance(cuArr, MipmappedArray):
                raise ValueError("ResourceDescriptor: a resource of cudaResourceTypeMipmappedArray is of a MipmappedArray: give cuArr")
            kinds["mipmap"] = {"mipmap": cuArr.ptr}
            self._handle = _TextureResourceHandle.of_levels(cuArr._handle)
        else:
            raise ValueError(f"ResourceDescriptor: {restype} is no kind of resource")
        self._described = kinds
        self._struct = _struct_of(kinds)

    @property
    def ptr(self):
        """The address of the corresponding CUDA struct."""
        return _ctypes.addressof(self._struct)

    def get_resource_desc(self):
        """Returns the arguments as a dictionary."""
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
    """The sampling parameters of a texture: addressing outside the bounds, filtering, conversion of integers.

    The parameters after `maxAnisotropy` are for a `MipmappedArray` and do not exist in CuPy: the filtering between
    levels, the offset added to the requested level, and the minimum and the maximum level; by default all levels
    are used.
    """

    def __init__(
        self,
        addressModes=None,
        filterMode=0,
        readMode=0,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
        *,
        mipmapFilterMode=0,
        mipmapLevelBias=0.0,
        minMipmapLevelClamp=0.0,
        maxMipmapLevelClamp=None,
    ):
        modes = tuple(addressModes or ())
        colours = tuple(borderColors or ())
        if len(modes) > 3 or len(colours) > 4:
            raise ValueError("TextureDescriptor: there are up to 3 addressModes and up to 4 borderColors")
        self._modes = modes + (0,) * (3 - len(modes))
        self._colours = colours + (0.0,) * (4 - len(colours))
        self._numbers = (filterMode, readMode, int(sRGB or 0), int(normalizedCoords or 0), int(maxAnisotropy or 0))
        most = 1000.0 if maxMipmapLevelClamp is None else maxMipmapLevelClamp
        self._levels = (mipmapFilterMode, mipmapLevelBias, (minMipmapLevelClamp, most))
        self._struct = _arrays.TextureDesc(
            self._modes, filterMode, readMode, self._numbers[2], self._colours, *self._numbers[3:], mipmapFilterMode, mipmapLevelBias, minMipmapLevelClamp, most
        )

    @property
    def ptr(self):
        """The address of the corresponding CUDA struct."""
        return _ctypes.addressof(self._struct)

    def get_texture_desc(self):
        """Returns the arguments as a dictionary."""
        filterMode, readMode, sRGB, normalizedCoords, maxAnisotropy = self._numbers
        return {
            "addressMode": self._modes,
            "filterMode": filterMode,
            "readMode": readMode,
            "sRGB": sRGB,
            "borderColor": self._colours,
            "normalizedCoords": normalizedCoords,
            "maxAnisotropy": maxAnisotropy,
        }


class TextureObject(_TextureHandle):
    """A texture, which a raw kernel takes as a ``cudaTextureObject_t``."""

    def __new__(cls, ResDesc, TexDesc):
        if not isinstance(ResDesc, ResourceDescriptor) or not isinstance(TexDesc, TextureDescriptor):
            raise ValueError("TextureObject: a ResourceDescriptor and a TextureDescriptor are needed")
        filterMode, readMode, sRGB, normalizedCoords, maxAnisotropy = TexDesc._numbers
        made = super().__new__(
            cls, ResDesc._handle, TexDesc._modes, filterMode, readMode, bool(sRGB), TexDesc._colours, bool(normalizedCoords), maxAnisotropy, *TexDesc._levels
        )
        made.ResDesc, made.TexDesc = ResDesc, TexDesc
        return made


class SurfaceObject(_SurfaceHandle):
    """A surface, which a raw kernel takes as a ``cudaSurfaceObject_t``."""

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
