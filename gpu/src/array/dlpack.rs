//! DLPack: arrays as other libraries take and give them, of versions 1.x and of those before it.
//!
//! The structs are DLPack's, <https://dmlc.github.io/dlpack/latest/c_api.html>. Memory of the simulator is no memory that
//! another library could look into: from it arrays go over as a copy on the host.

use std::ffi::c_void;
use std::mem;
use std::ptr::{self, NonNull};

use cuprum_kernels::{DType, Kind};

use super::{Array, RawParts};
use crate::cuda::{Device, is_managed};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, checked_bytes};

/// The version of DLPack that is written: major and minor.
pub const VERSION: (u32, u32) = (1, 1);

/// `kDLCPU`, `kDLCUDA`, `kDLCUDAHost` and `kDLCUDAManaged`.
pub const CPU: i32 = 1;
#[allow(missing_docs)]
pub const CUDA: i32 = 2;
#[allow(missing_docs)]
pub const CUDA_HOST: i32 = 3;
#[allow(missing_docs)]
pub const CUDA_MANAGED: i32 = 13;

/// The flags of a versioned tensor: it may only be read; it is a copy.
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DlDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DlDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// `DLTensor`.
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

/// `DLManagedTensor`, of the versions before 1.0.
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

/// A tensor of another library, which is let go when this is dropped.
#[derive(Debug)]
pub struct Tensor(Pointer);

#[derive(Debug)]
enum Pointer {
    Versioned(NonNull<ManagedTensorVersioned>),
    Unversioned(NonNull<ManagedTensor>),
}

// SAFETY: DLPack asks of a deleter that it can be called on any thread, and nobody else has the tensor.
unsafe impl Send for Tensor {}
// SAFETY: through a shared reference the tensor is only read.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// Takes a tensor over.
    ///
    /// # Safety
    ///
    /// The tensor is a live one that nobody else lets go, and what it says of its memory is true until it is let go. Its
    /// memory is used as [`Array::from_raw_parts`] says.
    pub unsafe fn from_versioned(tensor: NonNull<ManagedTensorVersioned>) -> Tensor {
        Tensor(Pointer::Versioned(tensor))
    }

    /// As [`Tensor::from_versioned`], of a version before 1.0.
    ///
    /// # Safety
    ///
    /// As [`Tensor::from_versioned`].
    pub unsafe fn from_unversioned(tensor: NonNull<ManagedTensor>) -> Tensor {
        Tensor(Pointer::Unversioned(tensor))
    }

    fn tensor(&self) -> &DlTensor {
        match self.0 {
            // SAFETY: the tensor is live for as long as this.
            Pointer::Versioned(t) => unsafe { &(*t.as_ptr()).dl_tensor },
            // SAFETY: as above.
            Pointer::Unversioned(t) => unsafe { &(*t.as_ptr()).dl_tensor },
        }
    }

    /// The device that the memory is of.
    pub fn device(&self) -> DlDevice {
        self.tensor().device
    }

    fn is_read_only(&self) -> bool {
        match self.0 {
            // SAFETY: the tensor is live for as long as this.
            Pointer::Versioned(t) => unsafe { (*t.as_ptr()).flags & READ_ONLY != 0 },
            Pointer::Unversioned(_) => false,
        }
    }

    /// Rejects a version whose structs are others.
    fn check_version(&self) -> Result<()> {
        let Pointer::Versioned(t) = self.0 else { return Ok(()) };
        // SAFETY: the tensor is live, and the version stands first in every one.
        let (major, minor) = unsafe { ((*t.as_ptr()).major, (*t.as_ptr()).minor) };
        if major == VERSION.0 {
            return Ok(());
        }
        Err(rejected(format!("the tensor is of DLPack {major}.{minor}; known are 1.x and those before it")))
    }

    /// Shape, and strides in bytes.
    fn layout(&self, itemsize: usize) -> Result<(Dims, Option<Vec<i64>>)> {
        let t = self.tensor();
        let numbers = |from: *mut i64| -> &[i64] {
            if t.ndim <= 0 || from.is_null() {
                return &[];
            }
            // SAFETY: DLPack has as many numbers there as there are axes.
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
        // What is not stepped along may have any stride.
        let dense = Layout::c_order(&shape, itemsize);
        let empty = shape.contains(&0);
        let kept = |axis: usize| if empty || shape[axis] == 1 { dense.strides[axis] } else { strides[axis] };
        Ok((shape.clone(), Some((0..shape.len()).map(kept).collect())))
    }

    /// The address of the first element.
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
                    // SAFETY: nobody else has the tensor, and it is not used any more.
                    unsafe { deleter(t.as_ptr()) }
                }
            }
            Pointer::Unversioned(t) => {
                // SAFETY: the tensor is live.
                if let Some(deleter) = unsafe { (*t.as_ptr()).deleter } {
                    // SAFETY: nobody else has the tensor, and it is not used any more.
                    unsafe { deleter(t.as_ptr()) }
                }
            }
        }
    }
}

fn rejected(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

/// The dtype in DLPack's words.
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

/// What an exported tensor keeps alive.
enum Kept {
    Device {
        array: Array,
        /// The stream that the other library uses the memory on.
        stream: Option<usize>,
    },
    Host(#[allow(dead_code, reason = "the tensor points there")] Vec<Line>),
}

/// Memory of the host as DLPack wants it aligned.
#[repr(C, align(256))]
#[derive(Clone, Copy)]
struct Line([u8; 256]);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Kept::Device { array, stream: Some(stream) } = self {
            let device = array.device();
            // Work that the other library has queued may still use the memory. Its stream may be gone, so that no event can
            // be recorded there; the default one is there for ever.
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

/// A tensor and what it points to. The tensor stands where it is while the box does.
struct Exported<T> {
    tensor: mem::MaybeUninit<T>,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    #[allow(dead_code, reason = "it keeps the memory")]
    kept: Kept,
}

/// Lets an exported tensor go.
///
/// # Safety
///
/// `context` is that of an [`Exported`], which nobody else lets go.
unsafe fn let_go<T>(context: *mut c_void) {
    // A panic must not get into the code of another language.
    let _ = std::panic::catch_unwind(|| {
        // SAFETY: the context came from a box of this type.
        drop(unsafe { Box::from_raw(context.cast::<Exported<T>>()) });
    });
}

unsafe extern "C" fn delete_versioned(tensor: *mut ManagedTensorVersioned) {
    // SAFETY: who calls the deleter has a live tensor of ours.
    unsafe { let_go::<ManagedTensorVersioned>((*tensor).manager_ctx) }
}

unsafe extern "C" fn delete_unversioned(tensor: *mut ManagedTensor) {
    // SAFETY: as above.
    unsafe { let_go::<ManagedTensor>((*tensor).manager_ctx) }
}

/// How an array is given to another library.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// Whether it is to be in memory of the host. From the simulator it always is. Managed memory of a GPU goes there without a
    /// copy, unless one is requested.
    pub host: bool,
    /// Whether it is to be a copy; `None` is for a copy only where there must be one.
    pub copy: Option<bool>,
    /// The driver's handle of the stream that the other library uses the memory on; later work there waits for what this
    /// library does with the array. `None` is for no waiting.
    pub stream: Option<usize>,
}

/// What goes over: the tensor but for its shape and strides, the layout, the flags, and what keeps the memory.
struct Parts {
    data: *mut c_void,
    device: DlDevice,
    layout: Layout,
    flags: u64,
    kept: Kept,
}

impl Array {
    /// The device as DLPack has it, where the memory is one that other libraries can look into; else that of the host, where
    /// a copy goes. Python's `__dlpack_device__`.
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

    /// The array for another library, as DLPack 1.x has it. Who takes it calls its deleter when it is done with it.
    ///
    /// # Safety
    ///
    /// The stream of the options is a live one of the array's device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where a copy must be made and none is allowed; errors of the device.
    ///
    /// # Synchronization
    ///
    /// The host waits for the current stream where the array goes to memory of the host.
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
        // SAFETY: the caller answers for the stream.
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

    /// As [`Array::to_dlpack`], for a library that knows the versions before 1.0 alone. They cannot say that an array may
    /// only be read.
    ///
    /// # Safety
    ///
    /// As [`Array::to_dlpack`].
    ///
    /// # Errors
    ///
    /// As [`Array::to_dlpack`], and [`ErrorKind::Value`] for an array that may only be read.
    pub unsafe fn to_dlpack_unversioned(&self, options: ExportOptions) -> Result<NonNull<ManagedTensor>> {
        // SAFETY: the caller answers for the stream.
        let parts = unsafe { self.export(options) }.and_then(|parts| {
            if parts.flags & READ_ONLY == 0 {
                return Ok(parts);
            }
            Err(rejected(
                "the array may only be read, which DLPack before 1.0 cannot say: give a copy, or ask for version 1.0"
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
    /// As [`Array::to_dlpack`].
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
            // SAFETY: the caller answers for the stream.
            unsafe { array.ready_for(stream) }?;
        }
        let flags = if copied { IS_COPIED } else { 0 } | if array.is_read_only() { READ_ONLY } else { 0 };
        let (data, layout) = (array.pointer(), array.layout().clone());
        let data = ptr::without_provenance_mut(data as usize);
        Ok(Parts { data, device: at_home, layout, flags, kept: Kept::Device { array, stream: options.stream } })
    }

    /// Managed memory as memory of the host, which reads it at the same address. The host waits for all work that uses it.
    fn export_managed(&self) -> Result<Parts> {
        self.device().synchronize()?;
        let flags = if self.is_read_only() { READ_ONLY } else { 0 };
        let data = ptr::without_provenance_mut(self.pointer() as usize);
        let (device, layout) = (DlDevice { device_type: CPU, device_id: 0 }, self.layout().clone());
        Ok(Parts { data, device, layout, flags, kept: Kept::Device { array: self.clone(), stream: None } })
    }

    fn export_to_host(&self) -> Result<Parts> {
        let mut lines = vec![Line([0; 256]); self.nbytes().div_ceil(256)];
        let data = lines.as_mut_ptr();
        // SAFETY: the lines hold at least so many bytes, all written, and nobody else uses them.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), self.nbytes()) };
        self.read_into(bytes)?;
        let layout = Layout::c_order(self.shape(), self.itemsize());
        let device = DlDevice { device_type: CPU, device_id: 0 };
        Ok(Parts { data: data.cast(), device, layout, flags: IS_COPIED, kept: Kept::Host(lines) })
    }

    /// An array of another library. Memory of a CUDA device is taken as it is, and so is whether it may only be read; memory
    /// of the host is copied to the current device. `copy` asks for a copy, or for none.
    ///
    /// Work on the array follows what is queued on the current stream: the other library is to let its work come first there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another version of DLPack, for memory of another kind of device and where a copy must be made
    /// and none is allowed; [`ErrorKind::Type`] for a dtype that there is not; errors of the device.
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
                // SAFETY: who made the tensor answers for what it says, and it is let go with the last use.
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
                // SAFETY: who made the tensor answers for what it says.
                unsafe { Array::from_host_parts(&parts) }
            }
            other => Err(rejected(format!(
                "the array is in memory of DLPack's device type {other}: known are the CPU (1), CUDA (2), pinned (3) and \
                 managed memory (13)"
            ))),
        }
    }

    /// A copy, in C order, of elements in memory of the host: `pointer` and strides are the host's.
    ///
    /// # Safety
    ///
    /// All elements lie in live memory of the host, which nobody writes meanwhile.
    ///
    /// # Errors
    ///
    /// As [`Array::from_raw_parts`].
    pub unsafe fn from_host_parts(parts: &RawParts) -> Result<Array> {
        let (layout, start, bytes) = parts.host_layout()?;
        if bytes == 0 {
            return Array::from_c_bytes(&[], &parts.shape, parts.dtype);
        }
        let start = ptr::with_exposed_provenance::<u8>(start as usize);
        // SAFETY: the caller answers for the memory, which the elements are in from the lowest to the highest.
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

/// Makes the tensor, which points into what it stands beside.
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
    // SAFETY: the box is live, and nobody else uses it.
    let place = unsafe { &raw mut (*exported).tensor }.cast::<T>();
    // SAFETY: the place is within the box, and of the tensor's size.
    unsafe { place.write(make(tensor, exported.cast())) };
    // SAFETY: a place within a box is not null.
    unsafe { NonNull::new_unchecked(place) }
}

#[cfg(test)]
mod tests;
