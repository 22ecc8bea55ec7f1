//! Plan caches, and the devices that share transforms.
//!
//! A cache belongs to a thread and a device, since a plan must not run on two streams at once. It drops the least
//! recently used plan where a limit is exceeded.

use cuprum_macros::unrecorded;

use std::fmt;

use crate::array::IntoOptional;
use crate::cuda::Device;
use crate::engine::Plans;
use crate::error::Result;

pub use super::keys::PlanKey;
pub use super::sharing::{devices, set_devices};

/// Cache of this thread's transform plans for a device, with least-recently-used eviction and by default 16 plans. An
/// evicted plan is created again when it is needed; results are the same.
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
    /// Device of the plans.
    pub(super) device: Device,
}

/// Returns this thread's plan cache of the current device; CuPy's `fft.config.get_plan_cache`.
///
/// ```
/// use cuprum::fft::{config::get_plan_cache, fft};
/// let cache = get_plan_cache()?;
/// cache.clear();
/// fft(cuprum::array([1.0, 2.0, 3.0, 4.0])?, ())?;
/// assert_eq!((cache.get_curr_size(), cache.misses()), (1, 1));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// If there is no device.
#[unrecorded("returns a host struct")]
pub fn get_plan_cache() -> Result<PlanCache> {
    Ok(PlanCache { device: Device::current()? })
}

/// Returns a description of this thread's plan cache of the current device; CuPy's `fft.config.show_plan_cache_info`
/// prints it.
///
/// ```
/// let text = cuprum::fft::config::show_plan_cache_info()?;
/// assert!(!text.is_empty());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// If there is no device.
#[unrecorded("returns text")]
pub fn show_plan_cache_info() -> Result<String> {
    Ok(get_plan_cache()?.to_string())
}

impl PlanCache {
    /// Returns the maximum number of plans; `None` for no limit.
    pub fn get_size(&self) -> Option<usize> {
        Plans::of(self.device, |plans| plans.size)
    }

    /// Sets the maximum number of plans: none with 0, no limit with `None`.
    ///
    /// Plans beyond the limit are dropped at once, least recently used first.
    ///
    /// CuPy's `PlanCache.set_size`, whose -1 is `None` here; the default is 16 plans, as in CuPy.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// plans.clear();
    /// plans.set_size(1);
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// fft::fft(arange(0, 4, 1)?, ())?;
    /// assert_eq!((plans.get_size(), plans.get_curr_size()), (Some(1), 1));
    /// plans.set_size(16);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_size(&self, size: impl IntoOptional<usize>) {
        let size = size.into_optional();
        Plans::of(self.device, |plans| {
            plans.size = size;
            plans.shorten();
        });
    }

    /// Returns the number of cached plans.
    pub fn get_curr_size(&self) -> usize {
        Plans::of(self.device, |plans| plans.len())
    }

    /// Returns the maximum total size in bytes of the plans' work areas; `None` for no limit. The areas themselves are
    /// allocated from the pool for each transform.
    ///
    /// Without a limit, the number of plans alone is limited.
    pub fn get_memsize(&self) -> Option<usize> {
        Plans::of(self.device, |plans| plans.bytes)
    }

    /// Sets the maximum total size in bytes of the work areas.
    ///
    /// Plans are dropped at once, least recently used first, until the rest is within the limit.
    ///
    /// CuPy's `PlanCache.set_memsize`, whose -1 is `None` here.
    ///
    /// ```
    /// let plans = cuprum::fft::config::get_plan_cache()?;
    /// plans.set_memsize(1 << 30);
    /// assert_eq!(plans.get_memsize(), Some(1 << 30));
    /// plans.set_memsize(None);
    /// assert_eq!(plans.get_memsize(), None);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_memsize(&self, bytes: impl IntoOptional<usize>) {
        let bytes = bytes.into_optional();
        Plans::of(self.device, |plans| {
            plans.bytes = bytes;
            plans.shorten();
        });
    }

    /// Returns the total size in bytes of the plans' work areas.
    pub fn get_curr_memsize(&self) -> usize {
        Plans::of(self.device, |plans| plans.used())
    }

    /// Returns the number of cache hits since the last [`PlanCache::clear`].
    pub fn hits(&self) -> usize {
        Plans::of(self.device, |plans| plans.hits)
    }

    /// Returns the number of cache misses since the last [`PlanCache::clear`].
    pub fn misses(&self) -> usize {
        Plans::of(self.device, |plans| plans.misses)
    }

    /// Removes all plans.
    ///
    /// The counters of hits and misses return to 0.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// plans.clear();
    /// assert_eq!((plans.get_curr_size(), plans.hits(), plans.misses()), (0, 0, 0));
    /// assert_eq!(plans.get_curr_memsize(), 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
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
