//! Attributes and limits of a device, and access of devices to each other's memory.

use super::Device;
use super::ids::{hip_ordinal, simulated};
use crate::error::{Error, ErrorKind, Result};

impl Device {
    /// Returns an attribute of the device by CUDA's number of it (`CU_DEVICE_ATTRIBUTE_*`); CuPy's `Device.attributes`.
    /// The simulator has those that limit a launch.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device does not know it.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// // Threads of a warp.
    /// assert_eq!(Device::current()?.attribute(10)?, 32);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn attribute(&self, number: i32) -> Result<i32> {
        self.driver()?.attribute(number).map_err(|e| e.with_op("Device::attribute"))
    }

    /// Returns the PCI bus id of the device: `0000:18:00.0`; CuPy's `Device.pci_bus_id`. The simulator has none.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert!(Device::open("sim")?.pci_bus_id().is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] on the simulator.
    pub fn pci_bus_id(&self) -> Result<String> {
        self.driver()?.pci_bus_id().map_err(|e| e.with_op("Device::pci_bus_id"))
    }

    /// Returns the device with a PCI bus id: `0000:18:00.0`; CuPy's `Device.from_pci_bus_id`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] if there is none, and those of [`Device::open`].
    pub fn by_pci_bus_id(id: &str) -> Result<Device> {
        for n in 0..Device::count()? {
            let device = Device::open(&format!("cuda:{n}"))?;
            if device.pci_bus_id()?.eq_ignore_ascii_case(id) {
                return Ok(device);
            }
        }
        let what = format!("there is no CUDA device at {id:?} on the PCI bus");
        Err(Error::of_call(ErrorKind::Value, "Device::by_pci_bus_id", &what))
    }

    /// Returns the device's number among those of its kind: 1 for `cuda:1` and for `sim:1`.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert_eq!(Device::open("sim:1")?.number(), 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn number(&self) -> usize {
        let id = &self.info().id;
        self.ordinal().or_else(|| simulated(id)).or_else(|| hip_ordinal(id)).unwrap_or(0)
    }

    /// Returns true if kernels of this device can access the memory of another one directly; CuPy's
    /// `deviceCanAccessPeer`. Devices of the simulator cannot.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert!(!Device::open("sim")?.can_access_peer(Device::open("sim:1")?)?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn can_access_peer(&self, other: Device) -> Result<bool> {
        let found = self.driver().and_then(|driver| driver.reaches(other.driver()?));
        found.map_err(|e| e.with_op("Device::can_access_peer"))
    }

    /// Enables access of this device's kernels to the memory of another one, for raw kernels that are passed its
    /// addresses. Does nothing if access is enabled. The first copy of an array from there enables it automatically.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the devices do not support it, [`ErrorKind::NotImplemented`] on the simulator.
    pub fn enable_peer_access(&self, other: Device) -> Result<()> {
        let enabled = self.driver().and_then(|driver| driver.enable_peer(other.driver()?));
        enabled.map_err(|e| e.with_op("Device::enable_peer_access"))
    }

    /// Disables the access that [`Device::enable_peer_access`] enabled; CuPy's `runtime.deviceDisablePeerAccess`.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if access was not enabled, [`NotImplemented`](ErrorKind::NotImplemented) on the
    /// simulator.
    pub fn disable_peer_access(&self, other: Device) -> Result<()> {
        let disabled = self.driver().and_then(|driver| driver.disable_peer(other.driver()?));
        disabled.map_err(|e| e.with_op("Device::disable_peer_access"))
    }

    /// Returns a limit by CUDA's number (`CU_LIMIT_*`): 0 is the stack of a thread in bytes, 1 the buffer of
    /// device-side `printf`, 2 the heap of device-side allocations.
    ///
    /// It is CUDA's `cuCtxGetLimit`.
    ///
    /// CuPy's `runtime.deviceGetLimit`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] for a limit that the device does not know, [`ErrorKind::NotImplemented`] on the simulator.
    pub fn limit(&self, number: i32) -> Result<usize> {
        self.driver()?.limit(number).map_err(|e| e.with_op("Device::limit"))
    }

    /// Sets a limit of [`Device::limit`].
    ///
    /// CUDA's `cuCtxSetLimit`; CuPy's `runtime.deviceSetLimit`. It concerns kernels that are launched later.
    ///
    /// # Errors
    ///
    /// As [`Device::limit`], and for a value that the device rejects.
    pub fn set_limit(&self, number: i32, value: usize) -> Result<()> {
        self.driver()?.set_limit(number, value).map_err(|e| e.with_op("Device::set_limit"))
    }
}
