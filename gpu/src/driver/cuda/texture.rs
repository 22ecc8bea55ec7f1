//! Arrays, textures and surfaces of a CUDA device.
//!
//! Descriptors of the library are converted to the driver's field by field.

use std::ptr;

use cudarc::driver::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1 as Of,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 as OfArray,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 as OfLevels,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 as OfLinear,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 as OfRows, CUDA_TEXTURE_DESC, CUaddress_mode, CUarray,
    CUarray_format, CUfilter_mode, CUmemorytype, CUmipmappedArray, CUresourcetype, CUstream,
};

use super::Cuda;
use crate::driver::StreamHandle;
use crate::driver::texture::{
    AddressMode, ArrayCopy, ArrayForm, ChannelKind, FilterMode, Sampling, Texels, TextureMemory, Textures,
};
use crate::driver::texture_api::functions;
use crate::error::Result;

/// `CU_TRSF_*`.
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED_COORDINATES: u32 = 2;
const SRGB: u32 = 0x10;

fn format(texels: Texels) -> CUarray_format {
    use ChannelKind::*;
    match (texels.kind, texels.bits) {
        (Unsigned, 8) => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
        (Unsigned, 16) => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT16,
        (Unsigned, _) => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
        (Signed, 8) => CUarray_format::CU_AD_FORMAT_SIGNED_INT8,
        (Signed, 16) => CUarray_format::CU_AD_FORMAT_SIGNED_INT16,
        (Signed, _) => CUarray_format::CU_AD_FORMAT_SIGNED_INT32,
        (Float, 16) => CUarray_format::CU_AD_FORMAT_HALF,
        (Float, _) => CUarray_format::CU_AD_FORMAT_FLOAT,
    }
}

fn address(mode: AddressMode) -> CUaddress_mode {
    match mode {
        AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Clamp => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
    }
}

/// Returns the driver's descriptor of the memory.
fn resource(memory: &TextureMemory) -> CUDA_RESOURCE_DESC {
    let (res_type, res) = match *memory {
        TextureMemory::Array(array) => {
            (CUresourcetype::CU_RESOURCE_TYPE_ARRAY, Of { array: OfArray { hArray: array as CUarray } })
        }
        TextureMemory::Levels(array) => {
            let mipmap = OfLevels { hMipmappedArray: array as CUmipmappedArray };
            (CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, Of { mipmap })
        }
        TextureMemory::Linear { addr, texels, bytes } => {
            let linear =
                OfLinear { devPtr: addr, format: format(texels), numChannels: texels.channels, sizeInBytes: bytes };
            (CUresourcetype::CU_RESOURCE_TYPE_LINEAR, Of { linear })
        }
        TextureMemory::Pitch2D { addr, texels, width, height, pitch } => {
            let (format, channels) = (format(texels), texels.channels);
            let rows = OfRows { devPtr: addr, format, numChannels: channels, width, height, pitchInBytes: pitch };
            (CUresourcetype::CU_RESOURCE_TYPE_PITCH2D, Of { pitch2D: rows })
        }
    };
    CUDA_RESOURCE_DESC { resType: res_type, res, flags: 0 }
}

/// Returns the driver's descriptor of the array form.
fn described(form: &ArrayForm) -> CUDA_ARRAY3D_DESCRIPTOR {
    let [width, height, depth] = form.size;
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format(form.texels),
        NumChannels: form.texels.channels,
        Flags: form.flags,
    }
}

fn filter(mode: FilterMode) -> CUfilter_mode {
    match mode {
        FilterMode::Point => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        FilterMode::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
    }
}

impl Textures for Cuda {
    fn array_create(&self, form: &ArrayForm) -> Result<usize> {
        let _bound = self.bind()?;
        let mut array = ptr::null_mut();
        // SAFETY: the variable and the descriptor are live.
        unsafe { functions()?.create_array(&mut array, &described(form)) }?;
        Ok(array as usize)
    }

    unsafe fn array_destroy(&self, array: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the array.
        unsafe { functions()?.destroy_array(array as CUarray) }
    }

    unsafe fn array_copy(&self, copy: &ArrayCopy, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        let [x, y, z] = copy.origin;
        let [bytes, rows, slices] = copy.extent;
        // Each side uses only its own fields: the array the origin, the memory the pitch.
        let (array, device) = (CUmemorytype::CU_MEMORYTYPE_ARRAY, CUmemorytype::CU_MEMORYTYPE_DEVICE);
        let (src, dst) = if copy.to_array { (device, array) } else { (array, device) };
        let handle = copy.array as CUarray;
        let of = |yes: bool, value: usize| if yes { value } else { 0 };
        let copy_params = CUDA_MEMCPY3D {
            srcXInBytes: of(!copy.to_array, x),
            srcY: of(!copy.to_array, y),
            srcZ: of(!copy.to_array, z),
            srcLOD: 0,
            srcMemoryType: src,
            srcHost: ptr::null(),
            srcDevice: if copy.to_array { copy.addr } else { 0 },
            srcArray: if copy.to_array { ptr::null_mut() } else { handle },
            reserved0: ptr::null_mut(),
            srcPitch: of(copy.to_array, copy.pitch),
            srcHeight: of(copy.to_array, copy.rows),
            dstXInBytes: of(copy.to_array, x),
            dstY: of(copy.to_array, y),
            dstZ: of(copy.to_array, z),
            dstLOD: 0,
            dstMemoryType: dst,
            dstHost: ptr::null_mut(),
            dstDevice: if copy.to_array { 0 } else { copy.addr },
            dstArray: if copy.to_array { handle } else { ptr::null_mut() },
            reserved1: ptr::null_mut(),
            dstPitch: of(!copy.to_array, copy.pitch),
            dstHeight: of(!copy.to_array, copy.rows),
            WidthInBytes: bytes,
            Height: rows,
            Depth: slices,
        };
        // SAFETY: the caller guarantees array, memory and stream; the driver reads the descriptor before it returns.
        unsafe { functions()?.copy(&copy_params, stream as CUstream) }
    }

    fn levels_create(&self, form: &ArrayForm, count: usize) -> Result<usize> {
        let _bound = self.bind()?;
        let mut array = ptr::null_mut();
        // SAFETY: the variable and the descriptor are live.
        unsafe { functions()?.create_levels(&mut array, &described(form), count as u32) }?;
        Ok(array as usize)
    }

    unsafe fn levels_destroy(&self, levels: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the array.
        unsafe { functions()?.destroy_levels(levels as CUmipmappedArray) }
    }

    unsafe fn level(&self, levels: usize, level: usize) -> Result<usize> {
        let _bound = self.bind()?;
        let mut array = ptr::null_mut();
        // SAFETY: the variable is live; the caller guarantees the array.
        unsafe { functions()?.level(&mut array, levels as CUmipmappedArray, level as u32) }?;
        Ok(array as usize)
    }

    unsafe fn texture_create(&self, memory: &TextureMemory, options: &Sampling) -> Result<u64> {
        let _bound = self.bind()?;
        let flag = |yes: bool, flag: u32| if yes { flag } else { 0 };
        let flags = flag(options.read_integers, READ_AS_INTEGER)
            | flag(options.normalized, NORMALIZED_COORDINATES)
            | flag(options.srgb, SRGB);
        let texture_params = CUDA_TEXTURE_DESC {
            addressMode: options.address.map(address),
            filterMode: filter(options.filter),
            flags,
            maxAnisotropy: options.max_anisotropy,
            mipmapFilterMode: filter(options.level_filter),
            mipmapLevelBias: options.level_bias,
            minMipmapLevelClamp: options.level_clamp[0],
            maxMipmapLevelClamp: options.level_clamp[1],
            borderColor: options.border,
            reserved: [0; 12],
        };
        let mut texture = 0;
        // SAFETY: the variable and the descriptors are live; the caller guarantees the memory.
        unsafe { functions()?.create_texture(&mut texture, &resource(memory), &texture_params, ptr::null()) }?;
        Ok(texture)
    }

    unsafe fn texture_destroy(&self, texture: u64) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the texture.
        unsafe { functions()?.destroy_texture(texture) }
    }

    unsafe fn surface_create(&self, array: usize) -> Result<u64> {
        let _bound = self.bind()?;
        let mut surface = 0;
        // SAFETY: the variable and the descriptor are live; the caller guarantees the array.
        unsafe { functions()?.create_surface(&mut surface, &resource(&TextureMemory::Array(array))) }?;
        Ok(surface)
    }

    unsafe fn surface_destroy(&self, surface: u64) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the surface.
        unsafe { functions()?.destroy_surface(surface) }
    }
}
