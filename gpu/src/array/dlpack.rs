//! DLPack exchange of arrays with other libraries, for versions 1.x and earlier.
//!
//! The structs are those of DLPack, <https://dmlc.github.io/dlpack/latest/c_api.html>. Memory of the simulator is not
//! accessible to other libraries: arrays there are exported as host copies.
//!
//! DLPack is the in-memory format by which array libraries share memory without a copy: a capsule with the address, the
//! shape, the strides, the dtype and a function that releases it.

use std::ffi::c_void;
use std::mem;
use std::ptr::{self, NonNull};

use cuprum_kernels::{DType, Kind};

use super::{Array, RawParts};
use crate::cuda::{Device, is_managed};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, checked_bytes};

/// The DLPack version that is exported: major and minor.
pub const VERSION: (u32, u32) = (1, 1);

/// `kDLCPU`, `kDLCUDA`, `kDLCUDAHost` and `kDLCUDAManaged`.
pub const CPU: i32 = 1;
#[allow(missing_docs)]
pub const CUDA: i32 = 2;
#[allow(missing_docs)]
pub const CUDA_HOST: i32 = 3;
#[allow(missing_docs)]
pub const CUDA_MANAGED: i32 = 13;

/// Flags of a versioned tensor: read-only, and copied.
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// `DLDevice`.
///
/// Its layout is that of the C header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DlDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// `DLDataType`.
///
/// Its layout is that of the C header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DlDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// `DLTensor`.
///
/// Its layout is that of the C header.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)]
pub struct DlTensor {
    pub data: *mut c_void,
    pub device: DlDevice,
    pub ndim: i32,
    pub dtype: DlDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// `DLManagedTensor`, of versions before 1.0.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)]
pub struct ManagedTensor {
    pub dl_tensor: DlTensor,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)]
pub struct ManagedTensorVersioned {
    pub major: u32,
    pub minor: u32,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DlTensor,
}

/// A tensor of another library, which is released on drop.
///
/// It is `Send`: the exporter's function that releases it must be callable from any thread.
#[derive(Debug)]
pub struct Tensor(Pointer);

#[derive(Debug)]
enum Pointer {
    Versioned(NonNull<ManagedTensorVersioned>),
    Unversioned(NonNull<ManagedTensor>),
}

// SAFETY: DLPack requires that a deleter can be called on any thread, and this value owns the tensor.
unsafe impl Send for Tensor {}
// SAFETY: through a shared reference the tensor is only read.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// Takes ownership of a tensor.
    ///
    /// # Safety
    ///
    /// The tensor is live and owned by no one else, and its description of the memory is valid until it is released.
    /// Its memory is used as [`Array::from_raw_parts`] documents.
    pub unsafe fn from_versioned(tensor: NonNull<ManagedTensorVersioned>) -> Tensor {
        Tensor(Pointer::Versioned(tensor))
    }

    /// Takes ownership of a tensor of a version before 1.0; see [`Tensor::from_versioned`].
    ///
    /// # Safety
    ///
    /// Same as [`Tensor::from_versioned`].
    pub unsafe fn from_unversioned(tensor: NonNull<ManagedTensor>) -> Tensor {
        Tensor(Pointer::Unversioned(tensor))
    }

    fn tensor(&self) -> &DlTensor {
        match self.0 {
            // SAFETY: the tensor is live as long as this value.
            Pointer::Versioned(t) => unsafe { &(*t.as_ptr()).dl_tensor },
            // SAFETY: as above.
            Pointer::Unversioned(t) => unsafe { &(*t.as_ptr()).dl_tensor },
        }
    }

    /// Returns the device of the memory.
    ///
    /// ```
    /// use cuprum::{array, dlpack};
    /// let a = array([1, 2])?;
    /// // SAFETY: no stream is named, and the tensor takes ownership at once.
    /// let tensor = unsafe { dlpack::Tensor::from_versioned(a.to_dlpack(dlpack::ExportOptions::default())?) };
    /// assert_eq!(tensor.device().device_type, a.dlpack_device().device_type);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn device(&self) -> DlDevice {
        self.tensor().device
    }

    fn is_read_only(&self) -> bool {
        match self.0 {
            // SAFETY: the tensor is live as long as this value.
            Pointer::Versioned(t) => unsafe { (*t.as_ptr()).flags & READ_ONLY != 0 },
            Pointer::Unversioned(_) => false,
        }
    }

    /// Rejects versions with other struct layouts.
    fn check_version(&self) -> Result<()> {
        let Pointer::Versioned(t) = self.0 else { return Ok(()) };
        // SAFETY: the tensor is live, and the version is the first field in every version.
        let (major, minor) = unsafe { ((*t.as_ptr()).major, (*t.as_ptr()).minor) };
        if major == VERSION.0 {
            return Ok(());
        }
        Err(rejected(format!("the tensor is of DLPack {major}.{minor}; known are 1.x and those before it")))
    }

    /// Returns the shape, and the strides in bytes.
    fn layout(&self, itemsize: usize) -> Result<(Dims, Option<Vec<i64>>)> {
        let t = self.tensor();
        let numbers = |from: *mut i64| -> &[i64] {
            if t.ndim <= 0 || from.is_null() {
                return &[];
            }
            // SAFETY: DLPack guarantees one number for each axis there.
            unsafe { std::slice::from_raw_parts(from, t.ndim as usize) }
        };
        let shape = numbers(t.shape);
        if shape.len() != t.ndim.max(0) as usize || shape.iter().any(|&n| n < 0) {
            return Err(rejected(format!("the tensor's shape {shape:?} does not fit its {} axes", t.ndim)));
        }
        let shape: Dims = shape.iter().map(|&n| n as usize).collect();
        if t.strides.is_null() {
            return Ok((shape, None));
        }
        let bytes: Option<Vec<i64>> = numbers(t.strides).iter().map(|s| s.checked_mul(itemsize as i64)).collect();
        let strides = bytes.ok_or_else(|| rejected("the tensor's strides are too long".into()))?;
        // Axes of length 1 may have any stride.
        let dense = Layout::c_order(&shape, itemsize);
        let empty = shape.contains(&0);
        let kept = |axis: usize| if empty || shape[axis] == 1 { dense.strides[axis] } else { strides[axis] };
        Ok((shape.clone(), Some((0..shape.len()).map(kept).collect())))
    }

    /// Returns the address of the first element.
    fn pointer(&self) -> u64 {
        let t = self.tensor();
        (t.data as u64).wrapping_add(t.byte_offset)
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        match self.0 {
            Pointer::Versioned(t) => {
                // SAFETY: the tensor is live.
                if let Some(deleter) = unsafe { (*t.as_ptr()).deleter } {
                    // SAFETY: this value owns the tensor, and it is not used any more.
                    unsafe { deleter(t.as_ptr()) }
                }
            }
            Pointer::Unversioned(t) => {
                // SAFETY: the tensor is live.
                if let Some(deleter) = unsafe { (*t.as_ptr()).deleter } {
                    // SAFETY: this value owns the tensor, and it is not used any more.
                    unsafe { deleter(t.as_ptr()) }
                }
            }
        }
    }
}

fn rejected(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

/// Converts a dtype to DLPack's.
pub(crate) fn dl_dtype(dtype: DType) -> DlDataType {
    let code = match (dtype, dtype.kind()) {
        (DType::BF16, _) => 4,
        (_, Kind::Signed) => 0,
        (_, Kind::Unsigned) => 1,
        (_, Kind::Float) => 2,
        (_, Kind::Complex) => 5,
        (_, Kind::Bool) => 6,
    };
    DlDataType { code, bits: 8 * dtype.size() as u8, lanes: 1 }
}

fn dtype_of(dl: DlDataType) -> Result<DType> {
    DType::ALL.into_iter().find(|&d| dl_dtype(d) == dl).ok_or_else(|| {
        let DlDataType { code, bits, lanes } = dl;
        let message = format!(
            "no dtype holds DLPack's code {code} of {bits} bits in {lanes} lanes: known are bool, integers of 8 to 64 bits, \
             float16, bfloat16, float32, float64, complex64 and complex128"
        );
        Error::new(ErrorKind::Type, message)
    })
}

/// The memory that an exported tensor keeps alive.
enum ExportedOwner {
    Device {
        array: Array,
        /// The stream on which the other library uses the memory.
        stream: Option<usize>,
    },
    Host(#[allow(dead_code, reason = "the tensor points there")] Vec<Line>),
}

/// Host memory with the alignment that DLPack requires.
#[repr(C, align(256))]
#[derive(Clone, Copy)]
struct Line([u8; 256]);

impl Drop for ExportedOwner {
    fn drop(&mut self) {
        if let ExportedOwner::Device { array, stream: Some(stream) } = self {
            let device = array.device();
            // Work enqueued by the other library may still use the memory. Its stream may have been destroyed, so that
            // no event can be recorded there; the default stream always exists.
            let done = match *stream {
                0 | 1 => {
                    array.buffer.used_on_default();
                    Ok(())
                }
                _ => device.driver_for_drop().and_then(|driver| driver.synchronize()),
            };
            if let Err(e) = done {
                device.lose(&e);
            }
        }
    }
}

/// A tensor and the data it points to, at a stable address in a box.
struct Exported<T> {
    /// The structure that the other library gets.
    tensor: mem::MaybeUninit<T>,
    /// Sizes to which the structure points.
    shape: Box<[i64]>,
    /// Strides in elements, to which the structure points.
    strides: Box<[i64]>,
    /// Owner of the memory.
    #[allow(dead_code, reason = "it keeps the memory")]
    kept: ExportedOwner,
}

/// Releases an exported tensor.
///
/// # Safety
///
/// `context` is that of an [`Exported`], which no one else releases.
unsafe fn let_go<T>(context: *mut c_void) {
    // A panic must not unwind into code of another language.
    let _ = std::panic::catch_unwind(|| {
        // SAFETY: the context came from a box of this type.
        drop(unsafe { Box::from_raw(context.cast::<Exported<T>>()) });
    });
}

unsafe extern "C" fn delete_versioned(tensor: *mut ManagedTensorVersioned) {
    // SAFETY: the caller of the deleter has a live tensor exported by this library.
    unsafe { let_go::<ManagedTensorVersioned>((*tensor).manager_ctx) }
}

unsafe extern "C" fn delete_unversioned(tensor: *mut ManagedTensor) {
    // SAFETY: as above.
    unsafe { let_go::<ManagedTensor>((*tensor).manager_ctx) }
}

/// Options of an export.
///
/// The names are those of the array API's `__dlpack__`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// If true, the export is in host memory. From the simulator it always is. Managed memory of a GPU is exported
    /// without a copy, unless one is requested. By default `false`.
    pub host: bool,
    /// True for a copy, false to forbid one, `None` to copy only where needed.
    pub copy: Option<bool>,
    /// The driver's handle of the stream on which the other library uses the memory; later work on it is ordered after
    /// this library's work on the array. `None` for no synchronisation.
    pub stream: Option<usize>,
}

/// The parts of an export: data, device, layout, flags, and the owner of the memory.
struct Parts {
    /// Address of the memory.
    data: *mut c_void,
    /// Device of the memory.
    device: DlDevice,
    /// Shape and strides.
    layout: Layout,
    /// DLPack's flags.
    flags: u64,
    /// Owner of the memory.
    kept: ExportedOwner,
}

impl Array {
    /// Returns DLPack's device of the array if other libraries can access its memory, otherwise that of the host, to
    /// which the array would be copied. Python's `__dlpack_device__`.
    ///
    /// ```
    /// use cuprum::{array, dlpack};
    /// let device = array([1, 2])?.dlpack_device();
    /// assert!(device.device_type == dlpack::CPU || device.device_type == dlpack::CUDA);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dlpack_device(&self) -> DlDevice {
        match self.device().ordinal() {
            Some(n) => DlDevice { device_type: CUDA, device_id: n as i32 },
            None => DlDevice { device_type: CPU, device_id: 0 },
        }
    }

    /// Exports the array in the format of DLPack 1.x. The receiver calls its deleter when it is done with it.
    ///
    /// # Safety
    ///
    /// The stream of the options is a live stream of the array's device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where a copy is needed and forbidden; errors of the device.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current stream if the array is exported to host memory.
    ///
    /// ```
    /// use cuprum::{Array, array, dlpack};
    /// let a = array([[1.5f32, 2.5], [3.5, 4.5]])?;
    /// // SAFETY: no stream is named, and the tensor is taken over at once.
    /// let tensor = unsafe { dlpack::Tensor::from_versioned(a.to_dlpack(dlpack::ExportOptions::default())?) };
    /// assert_eq!(Array::from_dlpack(tensor, None)?.to_vec::<f32>()?, [1.5, 2.5, 3.5, 4.5]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub unsafe fn to_dlpack(&self, options: ExportOptions) -> Result<NonNull<ManagedTensorVersioned>> {
        // SAFETY: the caller guarantees the stream.
        let parts = unsafe { self.export(options) }.map_err(|e| e.with_op("to_dlpack"))?;
        let flags = parts.flags;
        Ok(finish(parts, self.dtype(), |dl_tensor, manager_ctx| ManagedTensorVersioned {
            major: VERSION.0,
            minor: VERSION.1,
            manager_ctx,
            deleter: Some(delete_versioned),
            flags,
            dl_tensor,
        }))
    }

    /// Exports the array in the format of versions before 1.0; see [`Array::to_dlpack`]. These cannot express that an
    /// array is read-only.
    ///
    /// ```
    /// use cuprum::{Array, array, dlpack};
    /// let a = array([1, 2, 3])?;
    /// // SAFETY: no stream is named, and the tensor takes ownership at once.
    /// let tensor = unsafe { dlpack::Tensor::from_unversioned(a.to_dlpack_unversioned(dlpack::ExportOptions::default())?) };
    /// assert_eq!(Array::from_dlpack(tensor, None)?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// Same as [`Array::to_dlpack`].
    ///
    /// # Errors
    ///
    /// Same as [`Array::to_dlpack`], and [`ErrorKind::Value`] for an array that is read-only.
    pub unsafe fn to_dlpack_unversioned(&self, options: ExportOptions) -> Result<NonNull<ManagedTensor>> {
        // SAFETY: the caller guarantees the stream.
        let parts = unsafe { self.export(options) }.and_then(|parts| {
            if parts.flags & READ_ONLY == 0 {
                return Ok(parts);
            }
            Err(rejected(
                "the array may only be read, which DLPack before 1.0 cannot say: give a copy, or request version 1.0"
                    .into(),
            ))
        });
        let parts = parts.map_err(|e| e.with_op("to_dlpack"))?;
        Ok(finish(parts, self.dtype(), |dl_tensor, manager_ctx| ManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: Some(delete_unversioned),
        }))
    }

    /// # Safety
    ///
    /// Same as [`Array::to_dlpack`].
    unsafe fn export(&self, options: ExportOptions) -> Result<Parts> {
        let at_home = self.dlpack_device();
        if options.host || at_home.device_type == CPU {
            let device = self.device();
            let shared = at_home.device_type == CUDA && is_managed(self.pointer());
            return match options.copy {
                None | Some(false) if shared => self.export_managed(),
                Some(false) => {
                    Err(rejected(format!("the array is in memory of {device:?}; only a copy of it can be on the host")))
                }
                _ => self.export_to_host(),
            };
        }
        let copied = options.copy == Some(true);
        let array = if copied { self.copy(Order::K)? } else { self.clone() };
        if let Some(stream) = options.stream {
            // SAFETY: the caller guarantees the stream.
            unsafe { array.ready_for(stream) }?;
        }
        let flags = if copied { IS_COPIED } else { 0 } | if array.is_read_only() { READ_ONLY } else { 0 };
        let (data, layout) = (array.pointer(), array.layout().clone());
        let data = ptr::without_provenance_mut(data as usize);
        Ok(Parts {
            data,
            device: at_home,
            layout,
            flags,
            kept: ExportedOwner::Device { array, stream: options.stream },
        })
    }

    /// Exports managed memory as host memory, which has the same address. Synchronises with all work that uses it.
    fn export_managed(&self) -> Result<Parts> {
        self.device().synchronize()?;
        let flags = if self.is_read_only() { READ_ONLY } else { 0 };
        let data = ptr::without_provenance_mut(self.pointer() as usize);
        let (device, layout) = (DlDevice { device_type: CPU, device_id: 0 }, self.layout().clone());
        Ok(Parts { data, device, layout, flags, kept: ExportedOwner::Device { array: self.clone(), stream: None } })
    }

    fn export_to_host(&self) -> Result<Parts> {
        let mut lines = vec![Line([0; 256]); self.nbytes().div_ceil(256)];
        let data = lines.as_mut_ptr();
        // SAFETY: the lines hold at least that many bytes, all initialised, and are not shared.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), self.nbytes()) };
        self.read_into(bytes)?;
        let layout = Layout::c_order(self.shape(), self.itemsize());
        let device = DlDevice { device_type: CPU, device_id: 0 };
        Ok(Parts { data: data.cast(), device, layout, flags: IS_COPIED, kept: ExportedOwner::Host(lines) })
    }

    /// Imports an array of another library. Memory of a CUDA device is used without a copy, and keeps its read-only
    /// flag; host memory is copied to the current device. `copy` requests a copy, or forbids one.
    ///
    /// Work on the array is ordered after the work enqueued on the current stream: the other library must have ordered
    /// its work before that.
    ///
    /// The result has the shape, the strides and the dtype of the tensor.
    ///
    /// NumPy's `from_dlpack`; see [`Array::to_dlpack`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another version of DLPack, for memory of another kind of device and where a copy is
    /// needed and forbidden; [`ErrorKind::Type`] for an unsupported dtype; errors of the device.
    pub fn from_dlpack(tensor: Tensor, copy: Option<bool>) -> Result<Array> {
        Array::import(tensor, copy).map_err(|e| e.with_op("from_dlpack"))
    }

    fn import(tensor: Tensor, copy: Option<bool>) -> Result<Array> {
        tensor.check_version()?;
        let dtype = dtype_of(tensor.tensor().dtype)?;
        let (shape, strides) = tensor.layout(dtype.size())?;
        checked_bytes(&shape, dtype.size())?;
        let DlDevice { device_type, device_id } = tensor.device();
        match device_type {
            CUDA | CUDA_MANAGED => {
                let parts = RawParts {
                    device: Device::open(&format!("cuda:{device_id}"))?,
                    pointer: tensor.pointer(),
                    dtype,
                    shape: shape.to_vec(),
                    strides,
                    read_only: tensor.is_read_only(),
                };
                // SAFETY: the creator of the tensor guarantees its description, and it is released after the last use.
                let array = unsafe { Array::of_other(parts, Box::new(tensor)) }?;
                if copy == Some(true) { array.copy(Order::K) } else { Ok(array) }
            }
            CPU | CUDA_HOST => {
                if copy == Some(false) {
                    return Err(rejected(
                        "the array is in memory of the host; only a copy of it can be on a device".into(),
                    ));
                }
                let parts = RawParts {
                    device: Device::current()?,
                    pointer: tensor.pointer(),
                    dtype,
                    shape: shape.to_vec(),
                    strides,
                    read_only: true,
                };
                // SAFETY: the creator of the tensor guarantees its description.
                unsafe { Array::from_host_parts(&parts) }
            }
            other => Err(rejected(format!(
                "the array is in memory of DLPack's device type {other}: known are the CPU (1), CUDA (2), pinned (3) and \
                 managed memory (13)"
            ))),
        }
    }

    /// Copies elements of host memory, in C order: `pointer` and strides are those of the host.
    ///
    /// The result is a new array of the current device.
    ///
    /// ```
    /// use cuprum::{Array, DType, RawParts, cuda::Device};
    /// let host = [1.0, 2.0, 3.0, 4.0];
    /// let parts = RawParts::new(Device::current()?, host.as_ptr() as u64, DType::F64, [2, 2]);
    /// // SAFETY: the elements are those of the host array, which lives until the call returns.
    /// let a = unsafe { Array::from_host_parts(&parts) }?;
    /// assert_eq!(a.to_vec::<f64>()?, host);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// All elements are in live host memory, which is not written concurrently.
    ///
    /// # Errors
    ///
    /// Same as [`Array::from_raw_parts`].
    pub unsafe fn from_host_parts(parts: &RawParts) -> Result<Array> {
        let (layout, start, bytes) = parts.host_layout()?;
        if bytes == 0 {
            return Array::from_c_bytes(&[], &parts.shape, parts.dtype);
        }
        let start = ptr::with_exposed_provenance::<u8>(start as usize);
        // SAFETY: the caller guarantees the memory, which spans the elements from the lowest to the highest.
        let all = unsafe { std::slice::from_raw_parts(start, bytes) };
        parts.device.with(|| {
            if layout.is_c_contiguous(parts.dtype.size()) {
                return Array::from_c_bytes(all, &parts.shape, parts.dtype);
            }
            let mut dense = crate::element::zeroed(layout.size() * parts.dtype.size())?;
            layout.gather(all, parts.dtype.size(), &mut dense);
            Array::from_c_bytes(&dense, &parts.shape, parts.dtype)
        })
    }
}

/// Builds the tensor, which points into the box that holds it.
fn finish<T>(parts: Parts, dtype: DType, make: impl FnOnce(DlTensor, *mut c_void) -> T) -> NonNull<T> {
    let Parts { data, device, layout, kept, .. } = parts;
    let itemsize = dtype.size() as i64;
    let mut exported = Box::new(Exported {
        tensor: mem::MaybeUninit::<T>::uninit(),
        shape: layout.shape.iter().map(|&n| n as i64).collect(),
        strides: layout.strides.iter().map(|s| s / itemsize).collect(),
        kept,
    });
    let tensor = DlTensor {
        data,
        device,
        ndim: exported.shape.len() as i32,
        dtype: dl_dtype(dtype),
        shape: exported.shape.as_mut_ptr(),
        strides: exported.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let exported = Box::into_raw(exported);
    // SAFETY: the box is live, and not shared.
    let exported_tensor = unsafe { &raw mut (*exported).tensor }.cast::<T>();
    // SAFETY: the pointer is within the box, to memory of the tensor's size.
    unsafe { exported_tensor.write(make(tensor, exported.cast())) };
    // SAFETY: a pointer into a box is not null.
    unsafe { NonNull::new_unchecked(exported_tensor) }
}

#[cfg(test)]
mod tests;
