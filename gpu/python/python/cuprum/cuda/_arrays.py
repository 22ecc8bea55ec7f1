"""Functions of the CUDA runtime for CUDA arrays, textures and surfaces, with handles and C structs, as
`cuprum.cuda.runtime` exports them.

The address of a struct is that of CUDA's own layout: `ptr` of a descriptor of `cuprum.cuda.texture` is one, and so
is ``ctypes.addressof`` of a struct that a program fills.
"""

import ctypes as _c
import weakref as _weakref

from cuprum import _cuprum

__all__ = [
    "ChannelFormatDesc",
    "Memcpy3DParms",
    "ResourceDesc",
    "TextureDesc",
    "createSurfaceObject",
    "createTextureObject",
    "destroySurfaceObject",
    "destroyTextureObject",
    "freeArray",
    "malloc3DArray",
    "mallocArray",
    "memcpy2DFromArray",
    "memcpy2DFromArrayAsync",
    "memcpy2DToArray",
    "memcpy2DToArrayAsync",
    "memcpy3D",
    "memcpy3DAsync",
]


def _struct(name, doc, **fields):
    return type(name, (_c.Structure,), {"__doc__": doc, "_fields_": list(fields.items())})


_Size = _c.c_size_t
ChannelFormatDesc = _struct("ChannelFormatDesc", "CUDA's `cudaChannelFormatDesc`.", x=_c.c_int, y=_c.c_int, z=_c.c_int, w=_c.c_int, f=_c.c_int)
_Pos = _struct("_Pos", "CUDA's `cudaPos`.", x=_Size, y=_Size, z=_Size)
_Extent = _struct("_Extent", "CUDA's `cudaExtent`.", width=_Size, height=_Size, depth=_Size)
_Pitched = _struct("_Pitched", "CUDA's `cudaPitchedPtr`.", ptr=_c.c_void_p, pitch=_Size, xsize=_Size, ysize=_Size)
Memcpy3DParms = _struct(
    "Memcpy3DParms",
    "CUDA's `cudaMemcpy3DParms`.",
    srcArray=_c.c_void_p,
    srcPos=_Pos,
    srcPtr=_Pitched,
    dstArray=_c.c_void_p,
    dstPos=_Pos,
    dstPtr=_Pitched,
    extent=_Extent,
    kind=_c.c_int,
)
_Linear = _struct("_Linear", "Plain memory.", devPtr=_c.c_void_p, desc=ChannelFormatDesc, sizeInBytes=_Size)
_Rows = _struct("_Rows", "Rows of memory.", devPtr=_c.c_void_p, desc=ChannelFormatDesc, width=_Size, height=_Size, pitchInBytes=_Size)


class _Of(_c.Union):
    _fields_ = [("array", _c.c_void_p), ("mipmap", _c.c_void_p), ("linear", _Linear), ("pitch2D", _Rows), ("reserved", _c.c_int * 32)]


ResourceDesc = _struct("ResourceDesc", "CUDA's `cudaResourceDesc`.", resType=_c.c_int, res=_Of, flags=_c.c_uint)
TextureDesc = _struct(
    "TextureDesc",
    "CUDA's `cudaTextureDesc`.",
    addressMode=_c.c_int * 3,
    filterMode=_c.c_int,
    readMode=_c.c_int,
    sRGB=_c.c_int,
    borderColor=_c.c_float * 4,
    normalizedCoords=_c.c_int,
    maxAnisotropy=_c.c_uint,
    mipmapFilterMode=_c.c_int,
    mipmapLevelBias=_c.c_float,
    minMipmapLevelClamp=_c.c_float,
    maxMipmapLevelClamp=_c.c_float,
    disableTrilinearOptimization=_c.c_int,
    seamlessCubemap=_c.c_int,
)

# Objects by the driver's handle: those created here are kept alive, those of `cuprum.cuda.texture` are referenced
# weakly.
_made, _textures, _surfaces = {}, {}, {}
_known = _weakref.WeakValueDictionary()


def _runtime():
    from cuprum.cuda import runtime

    return runtime


def _rejected(name):
    runtime = _runtime()
    return runtime.CUDARuntimeError(getattr(runtime, name))


def _array(handle):
    found = _known.get(handle)
    if found is None:
        raise _rejected("cudaErrorInvalidResourceHandle")
    return found


def _read(struct, address):
    if not address:
        raise _rejected("cudaErrorInvalidValue")
    return struct.from_address(address)


def _numbers(described):
    return ((described.x, described.y, described.z, described.w), described.f)


def malloc3DArray(descPtr, width, height, depth, flags=0):
    """Creates a CUDA array of up to three axes with the element format that `descPtr` points to, and returns its
    handle."""
    runtime = _runtime()
    try:
        made = _cuprum.CudaArrayHandle(_numbers(_read(ChannelFormatDesc, descPtr)), (width, height, depth), flags)
    except ValueError as error:
        raise runtime.CUDARuntimeError(runtime.cudaErrorInvalidValue, error) from error
    _made[made.ptr] = _known[made.ptr] = made
    return made.ptr


def mallocArray(descPtr, width, height, flags=0):
    """Creates a CUDA array of one or two axes and returns its handle."""
    return malloc3DArray(descPtr, width, height, 0, flags)


def freeArray(ptr):
    """Releases an array of `mallocArray` or `malloc3DArray`; textures and surfaces of it keep it alive."""
    if ptr and _made.pop(ptr, None) is None:
        raise _rejected("cudaErrorInvalidValue")
    _known.pop(ptr, None)


def _box(array, origin, extent, address, pitch, rows, to_array):
    try:
        array.copy_box(origin, extent, address, pitch, rows, to_array)
    except ValueError as error:
        runtime = _runtime()
        raise runtime.CUDARuntimeError(runtime.cudaErrorInvalidValue, error) from error


def _staged(array, origin, extent, address, pitch, rows, to_array, on_host):
    """Copies a box of an array from or to device or host memory, staging host copies on the device."""
    if 0 in extent:
        return
    if not on_host:
        _box(array, origin, extent, address, pitch, rows, to_array)
        return
    width, height, depth = extent
    between = _cuprum.pool_malloc(width * height * depth)

    def lines():
        return ((between + (z * height + y) * width, address + (z * rows + y) * pitch) for z in range(depth) for y in range(height))

    if to_array:
        for here, there in lines():
            here.copy_from_host(there, width)
    _box(array, origin, extent, between.ptr, width, height, to_array)
    if not to_array:
        for here, there in lines():
            here.copy_to_host(there, width)


def _is_host(kind, side):
    """Returns true if one side of a copy, its source or its target, is host memory."""
    runtime = _runtime()
    hosts = {runtime.memcpyHostToDevice: "source", runtime.memcpyDeviceToHost: "target"}
    if kind not in (*hosts, runtime.memcpyDeviceToDevice):
        raise _rejected("cudaErrorInvalidMemcpyDirection")
    return hosts.get(kind) == side


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    """Copies rows of `width` bytes with a pitch to an array, starting at a byte offset and a row."""
    _staged(_array(dst), (wOffset, hOffset, 0), (width, height, 1), src, spitch, height, True, _is_host(kind, "source"))


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Copies like `memcpy2DToArray`, on a stream."""
    with _runtime()._on(stream):
        memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    """Copies rows of an array to memory; the inverse of `memcpy2DToArray`."""
    _staged(_array(src), (wOffset, hOffset, 0), (width, height, 1), dst, dpitch, height, False, _is_host(kind, "target"))


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Copies like `memcpy2DFromArray`, on a stream; copies to the host synchronise."""
    with _runtime()._on(stream):
        memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind)


def memcpy3D(Memcpy3DParmsPtr):
    """Copies the box that the struct at an address describes, of an array or of pitched memory.

    With an array, the width and the positions along it are in elements, otherwise in bytes.
    """
    runtime = _runtime()
    p = _read(Memcpy3DParms, Memcpy3DParmsPtr)
    arrays = [_array(handle) if handle else None for handle in (p.srcArray, p.dstArray)]
    if any(bool(array) == bool(side.ptr) for array, side in zip(arrays, (p.srcPtr, p.dstPtr))):
        raise _rejected("cudaErrorInvalidValue")
    sizes = {array.itemsize for array in arrays if array}
    if len(sizes) == 2:
        raise _rejected("cudaErrorInvalidValue")
    size = sizes.pop() if sizes else 1
    extent = (p.extent.width * size, p.extent.height, p.extent.depth)

    def at(array, pos):
        return (pos.x * (array.itemsize if array else 1), pos.y, pos.z)

    def memory(side, pos):
        x, y, z = at(None, pos)
        return (side.ptr + (z * side.ysize + y) * side.pitch + x, side.pitch, side.ysize)

    source, target = arrays
    if source and target:
        width, height, depth = extent
        between = _cuprum.pool_malloc(width * height * depth)
        _box(source, at(source, p.srcPos), extent, between.ptr, width, height, False)
        _box(target, at(target, p.dstPos), extent, between.ptr, width, height, True)
    elif target:
        _staged(target, at(target, p.dstPos), extent, *memory(p.srcPtr, p.srcPos), True, _is_host(p.kind, "source"))
    elif source:
        _staged(source, at(source, p.srcPos), extent, *memory(p.dstPtr, p.dstPos), False, _is_host(p.kind, "target"))
    else:
        (to, dpitch, drows), (from_, spitch, srows) = memory(p.dstPtr, p.dstPos), memory(p.srcPtr, p.srcPos)
        width, height, depth = extent
        for z in range(depth):
            runtime.memcpy2D(to + z * drows * dpitch, dpitch, from_ + z * srows * spitch, spitch, width, height, p.kind)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """Copies like `memcpy3D`, on a stream; copies to the host synchronise."""
    with _runtime()._on(stream):
        memcpy3D(Memcpy3DParmsPtr)


def _resource(address):
    """Returns the resource that the struct at an address describes."""
    from cuprum import ndarray

    runtime = _runtime()
    description = _read(ResourceDesc, address)
    kind, of = description.resType, _cuprum.TextureResourceHandle
    if kind == runtime.cudaResourceTypeArray:
        return of.of_array(_array(description.res.array))
    if kind == runtime.cudaResourceTypeLinear:
        size = description.res.linear.sizeInBytes
        memory = ndarray((size,), "u1", memptr=runtime._at(description.res.linear.devPtr, size))
        return of.linear(memory, _numbers(description.res.linear.desc))
    if kind == runtime.cudaResourceTypePitch2D:
        rows = description.res.pitch2D
        size = rows.pitchInBytes * rows.height
        memory = ndarray((size,), "u1", memptr=runtime._at(rows.devPtr, size))
        return of.rows(memory, _numbers(rows.desc), rows.width, rows.height, rows.pitchInBytes)
    raise _rejected("cudaErrorInvalidValue")


def createTextureObject(ResDescPtr, TexDescPtr):
    """Creates a texture from two structs and returns the handle that a kernel takes as a ``cudaTextureObject_t``."""
    runtime = _runtime()
    how = _read(TextureDesc, TexDescPtr)
    if how.seamlessCubemap:
        raise NotImplementedError("runtime.createTextureObject: seamlessCubemap: the faces of a cube are filtered one by one")
    try:
        made = _cuprum.TextureHandle(
            _resource(ResDescPtr),
            list(how.addressMode),
            how.filterMode,
            how.readMode,
            bool(how.sRGB),
            list(how.borderColor),
            bool(how.normalizedCoords),
            how.maxAnisotropy,
            how.mipmapFilterMode,
            how.mipmapLevelBias,
            (how.minMipmapLevelClamp, how.maxMipmapLevelClamp),
        )
    except ValueError as error:
        raise runtime.CUDARuntimeError(runtime.cudaErrorInvalidValue, error) from error
    _textures[made.ptr] = made
    return made.ptr


def destroyTextureObject(texObject):
    """Releases a texture of `createTextureObject`."""
    if _textures.pop(texObject, None) is None:
        raise _rejected("cudaErrorInvalidValue")


def createSurfaceObject(ResDescPtr):
    """Creates a surface of an array from a struct and returns the handle that a kernel takes as a
    ``cudaSurfaceObject_t``."""
    runtime = _runtime()
    description = _read(ResourceDesc, ResDescPtr)
    if description.resType != runtime.cudaResourceTypeArray:
        raise _rejected("cudaErrorInvalidValue")
    try:
        made = _cuprum.SurfaceHandle(_array(description.res.array))
    except ValueError as error:
        raise runtime.CUDARuntimeError(runtime.cudaErrorInvalidValue, error) from error
    _surfaces[made.ptr] = made
    return made.ptr


def destroySurfaceObject(surfObject):
    """Releases a surface of `createSurfaceObject`."""
    if _surfaces.pop(surfObject, None) is None:
        raise _rejected("cudaErrorInvalidValue")
