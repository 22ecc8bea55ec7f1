//! The devices that share transforms of one axis; CuPy's `set_cufft_gpus`.
//!
//! The setting is of the whole program: `fft` and `ifft` along one axis are shared by these devices as by
//! [`fft_over`](super::fft_over).

use cuprum_macros::unrecorded;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use super::multi_gpu::check;
use crate::cuda::Device;
use crate::error::{Error, Result};

static DEVICES: RwLock<Vec<Device>> = RwLock::new(vec![]);
/// True if any devices are set; each transform checks it.
static ANY: AtomicBool = AtomicBool::new(false);

/// Sets the devices that share complex transforms of one axis, from here on and in all threads: `fft` and `ifft` of
/// NumPy and SciPy, and `fftn` and `ifftn` of one axis, which then work as [`fft_over`](crate::fft::fft_over). An empty
/// list turns this off. CuPy's `fft.config.set_cufft_gpus` and `use_multi_gpus`.
///
/// Other transforms run on the device of their array.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::fft::{config, fft};
/// use cuprum::{DType, ones};
/// config::set_devices(&[Device::open("sim:0")?, Device::open("sim:1")?])?;
/// let x = fft(ones(16, DType::C64)?, ())?;
/// assert_eq!(config::devices().len(), 2);
/// config::set_devices(&[])?;
/// assert_eq!(x.real().to_vec::<f32>()?[..2], [16.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a repeated device.
#[unrecorded("takes devices")]
pub fn set_devices(devices: &[Device]) -> Result<()> {
    if !devices.is_empty() {
        check(devices).map_err(|e: Error| e.with_op("set_devices"))?;
    }
    let mut shared = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    *shared = devices.to_vec();
    ANY.store(!devices.is_empty(), Ordering::Release);
    Ok(())
}

/// Returns the devices that share transforms of one axis, as set by [`set_devices`].
///
/// CuPy's `fft.config.set_cufft_gpus` sets them. The list is empty by default: transforms run on the device
/// of their array.
#[unrecorded("returns devices")]
pub fn devices() -> Vec<Device> {
    if !ANY.load(Ordering::Acquire) {
        return vec![];
    }
    DEVICES.read().unwrap_or_else(PoisonError::into_inner).clone()
}
