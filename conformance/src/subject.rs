//! The device under test: calls the library by the names that `matrix.yaml` uses.

use cuprum::cuda::Device;

use crate::case::Case;
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Kind, Outcome};
use crate::report::About;
use crate::run::Side;

/// A device, and the library on it.
#[derive(Clone, Debug)]
pub struct Subject {
    device: Device,
}

impl Subject {
    /// Opens a device: `cuda:0`, `sim`; without a name, the one that the library would take.
    ///
    /// # Errors
    /// The library's message, where there is no such device.
    pub fn open(id: Option<&str>) -> Result<Subject, String> {
        let device = id.map_or_else(Device::current, Device::open).map_err(|e| e.to_string())?;
        Ok(Subject { device })
    }

    /// What is to be said of the device in a report.
    pub fn about(&self) -> About {
        let (info, cache) = (self.device.info(), self.device.cache_stats());
        About {
            device: info.id.clone(),
            name: info.name.clone(),
            driver: info.driver.clone(),
            nvrtc: Device::nvrtc_version().unwrap_or_else(|_| "none".into()),
            compiled: cache.compiles,
            cached: cache.disk_hits,
            ..About::default()
        }
    }
}

impl Side for Subject {
    fn run(&self, op: &Op, _: &Case, _: &[Input]) -> Outcome {
        self.device.with(|| Outcome::Refused(Kind::Broken, format!("{} is not connected", op.name)))
    }
}
