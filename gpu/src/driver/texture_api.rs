//! Function table of the CUDA driver for arrays, textures and surfaces.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUarray,
    CUmipmappedArray, CUstream, CUsurfObject, CUtexObject,
};

use super::api;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

symbols! {
    /// The driver's functions.
    TextureApi, error
    fn create_array(array: *mut CUarray, form: *const CUDA_ARRAY3D_DESCRIPTOR) = "cuArray3DCreate_v2";
    fn destroy_array(array: CUarray) = "cuArrayDestroy";
    fn copy(copy: *const CUDA_MEMCPY3D, stream: CUstream) = "cuMemcpy3DAsync_v2";
    fn create_levels(
        array: *mut CUmipmappedArray,
        form: *const CUDA_ARRAY3D_DESCRIPTOR,
        levels: c_uint
    ) = "cuMipmappedArrayCreate";
    fn destroy_levels(array: CUmipmappedArray) = "cuMipmappedArrayDestroy";
    fn level(level: *mut CUarray, array: CUmipmappedArray, number: c_uint) = "cuMipmappedArrayGetLevel";
    fn create_texture(
        texture: *mut CUtexObject,
        resource: *const CUDA_RESOURCE_DESC,
        sampling: *const CUDA_TEXTURE_DESC,
        view: *const CUDA_RESOURCE_VIEW_DESC
    ) = "cuTexObjectCreate";
    fn destroy_texture(texture: CUtexObject) = "cuTexObjectDestroy";
    fn create_surface(surface: *mut CUsurfObject, resource: *const CUDA_RESOURCE_DESC) = "cuSurfObjectCreate";
    fn destroy_surface(surface: CUsurfObject) = "cuSurfObjectDestroy";
}

impl TextureApi {
    /// Looks the functions up in the driver.
    pub(super) fn of(library: &libloading::Library, absent: impl Fn(&str) -> Error) -> TextureApi {
        TextureApi::resolve(library, absent)
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        match api::driver() {
            Ok(started) => started.api.error(call, code),
            Err(_) => Error::new(ErrorKind::Driver, format!("{call} failed: code {code}")),
        }
    }
}

/// Returns the functions of the driver.
pub(super) fn functions() -> Result<&'static TextureApi> {
    Ok(&api::driver()?.textures)
}
