//! The plans that a thread keeps, and the devices that share transforms.

use std::fmt;

use crate::array::IntoOptional;
use crate::cuda::Device;
use crate::engine::Plans;
use crate::error::Result;

pub use super::keys::PlanKey;
pub use super::sharing::{devices, set_devices};

/// The plans of transforms that this thread keeps for a device: the last used ones, 16 unless said. Those that go are made anew
/// when they are requested; results are the same.
///
/// ```
/// use cuprum::{arange, fft};
/// let plans = fft::config::get_plan_cache()?;
/// plans.clear();
/// fft::fft(arange(0, 8, 1)?, ())?;
/// fft::fft(arange(0, 8, 1)?, ())?;
/// assert_eq!((plans.get_curr_size(), plans.hits(), plans.misses()), (1, 1, 1));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PlanCache {
    pub(super) device: Device,
}

/// The plans that this thread keeps for the current device; CuPy's `fft.config.get_plan_cache`.
///
/// # Errors
///
/// Where there is no device.
pub fn get_plan_cache() -> Result<PlanCache> {
    Ok(PlanCache { device: Device::current()? })
}

/// The plans that this thread keeps for the current device, as a text; CuPy's `fft.config.show_plan_cache_info` prints it.
///
/// # Errors
///
/// Where there is no device.
pub fn show_plan_cache_info() -> Result<String> {
    Ok(get_plan_cache()?.to_string())
}

impl PlanCache {
    /// The most plans that are kept; `None` for any number.
    pub fn get_size(&self) -> Option<usize> {
        Plans::of(self.device, |plans| plans.size)
    }

    /// Says how many plans are kept at most: none with 0, any number with `None`.
    pub fn set_size(&self, size: impl IntoOptional<usize>) {
        let size = size.into_optional();
        Plans::of(self.device, |plans| {
            plans.size = size;
            plans.shorten();
        });
    }

    /// How many plans are kept.
    pub fn get_curr_size(&self) -> usize {
        Plans::of(self.device, |plans| plans.len())
    }

    /// The most bytes that the work areas of the plans may ask for together; `None` for any number. The areas themselves are
    /// taken from the pool for each transform.
    pub fn get_memsize(&self) -> Option<usize> {
        Plans::of(self.device, |plans| plans.bytes)
    }

    /// Says how many bytes the work areas may ask for together.
    pub fn set_memsize(&self, bytes: impl IntoOptional<usize>) {
        let bytes = bytes.into_optional();
        Plans::of(self.device, |plans| {
            plans.bytes = bytes;
            plans.shorten();
        });
    }

    /// How many bytes the work areas of the plans ask for together.
    pub fn get_curr_memsize(&self) -> usize {
        Plans::of(self.device, |plans| plans.used())
    }

    /// How many transforms found their plan since the last [`PlanCache::clear`].
    pub fn hits(&self) -> usize {
        Plans::of(self.device, |plans| plans.hits)
    }

    /// How many had to make one.
    pub fn misses(&self) -> usize {
        Plans::of(self.device, |plans| plans.misses)
    }

    /// Lets go of all plans.
    pub fn clear(&self) {
        Plans::of(self.device, Plans::clear);
    }
}

impl fmt::Display for PlanCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = |n: Option<usize>| n.map_or("any number".to_string(), |n| n.to_string());
        writeln!(f, "plans of transforms on {:?}:", self.device)?;
        writeln!(f, "  plans: {} of at most {}", self.get_curr_size(), most(self.get_size()))?;
        writeln!(f, "  bytes of work areas: {} of at most {}", self.get_curr_memsize(), most(self.get_memsize()))?;
        writeln!(f, "  hits: {}, misses: {}", self.hits(), self.misses())?;
        Plans::of(self.device, |plans| plans.lines()).iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

impl fmt::Debug for PlanCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
