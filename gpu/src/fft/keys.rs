//! Keys of cached plans.
//!
//! A key has everything that a plan depends on: lengths, strides, batch, types, and callbacks.

use std::fmt;
use std::sync::Arc;

use cuprum_kernels::DType;

use super::config::PlanCache;
use super::planned::{FftPlan, ValueType};
use crate::driver::{Transform, TransformKind};
use crate::engine::{Plan, Plans, describe_transform};
use crate::error::{Error, ErrorKind, Result};

/// Key of a plan in a [`PlanCache`]: the transform with its lengths, the layouts of both sides, and the batch size.
/// CuPy's key is a tuple of the arguments of the plan.
///
/// ```
/// use cuprum::{DType, fft, ones};
/// let plans = fft::config::get_plan_cache()?;
/// plans.clear();
/// fft::fft(ones([3, 8], DType::C64)?, ())?;
/// let key = plans.keys().remove(0);
/// assert_eq!((key.shape(), key.batch(), key.dtype()), (vec![8], 3, DType::C64));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PlanKey(Transform);

impl PlanKey {
    /// Returns the number of elements along each transformed axis.
    pub fn shape(&self) -> Vec<usize> {
        self.0.n[..self.0.rank].iter().map(|&n| n as usize).collect()
    }

    /// Returns the number of transforms in a batch.
    pub fn batch(&self) -> usize {
        self.0.batch as usize
    }

    /// Returns the dtype of the complex side: complex64 or complex128.
    pub fn dtype(&self) -> DType {
        if self.0.wide { DType::C128 } else { DType::C64 }
    }

    /// Returns the types of input and output.
    pub fn value_type(&self) -> ValueType {
        match self.0.turning {
            TransformKind::Complex => ValueType::Complex,
            TransformKind::Forward => ValueType::RealToComplex,
            TransformKind::Backward => ValueType::ComplexToReal,
        }
    }
}

impl fmt::Display for PlanKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe_transform(&self.0))
    }
}

impl fmt::Debug for PlanKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanKey({self})")
    }
}

/// Access to individual plans, as in CuPy's class. No call synchronises with the device.
impl PlanCache {
    /// Returns the keys of the cached plans, most recently used first.
    ///
    /// A transform of several axes in an order that the library does not take has several plans, and so several keys.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// plans.clear();
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// fft::fft(arange(0, 4, 1)?, ())?;
    /// let lengths: Vec<_> = plans.keys().iter().map(|key| key.shape()).collect();
    /// assert_eq!(lengths, [vec![4], vec![8]]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn keys(&self) -> Vec<PlanKey> {
        self.plans().into_iter().map(|(key, _)| key).collect()
    }

    /// Returns the cached plans, most recently used first, without marking them as used; CuPy's `__iter__`.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// plans.clear();
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// let (key, plan) = plans.plans().remove(0);
    /// assert_eq!((key.shape(), plan.shape()), (vec![8], &[8][..]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn plans(&self) -> Vec<(PlanKey, FftPlan)> {
        let all = Plans::of(self.device, |plans| plans.all());
        all.into_iter().map(|(of, plan)| (PlanKey(of), of_one(of, plan))).collect()
    }

    /// Returns the plan of a key, if it is cached, and marks it as the most recently used. This counts as a hit or a
    /// miss; CuPy's `get` and `__getitem__`. Its [axes](FftPlan::axes) number the transformed axes alone.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// plans.clear();
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// let key = plans.keys().remove(0);
    /// assert_eq!(plans.get(&key).map(|plan| plan.shape().to_vec()), Some(vec![8]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn get(&self, key: &PlanKey) -> Option<FftPlan> {
        Plans::of(self.device, |plans| plans.find(&key.0)).map(|plan| of_one(key.0, plan))
    }

    /// Caches the plan of a key from those of `plan`, as the most recently used one, and evicts plans beyond the
    /// limits. CuPy's `__setitem__`, which accepts any plan for any key.
    ///
    /// ```
    /// use cuprum::fft::{self, get_fft_plan};
    /// use cuprum::{DType, ones};
    /// let plans = fft::config::get_plan_cache()?;
    /// let plan = get_fft_plan(ones(8, DType::C64)?, ())?;
    /// let key = plan.keys().remove(0);
    /// plans.clear();
    /// plans.set(&key, &plan)?;
    /// fft::fft(ones(8, DType::C64)?, ())?;
    /// assert_eq!((plans.hits(), plans.misses()), (1, 0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where `plan` has no plan of the key, or one of another device or thread.
    pub fn set(&self, key: &PlanKey, plan: &FftPlan) -> Result<()> {
        plan.check_thread()?;
        let found = plan.held.iter().find(|(of, one)| *of == key.0 && one.device == self.device);
        let Some((of, one)) = found else {
            let message = format!("{plan:?} has no plan of {key} on {:?}: it has {:?}", self.device, plan.keys());
            return Err(Error::new(ErrorKind::Value, message));
        };
        Plans::of(self.device, |plans| plans.keep(*of, one.clone()));
        Ok(())
    }

    /// Removes the plan of a key, and returns whether there was one. CuPy's `__delitem__`.
    ///
    /// ```
    /// use cuprum::{arange, fft};
    /// let plans = fft::config::get_plan_cache()?;
    /// plans.clear();
    /// fft::fft(arange(0, 8, 1)?, ())?;
    /// let key = plans.keys().remove(0);
    /// assert!(plans.remove(&key) && !plans.remove(&key));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn remove(&self, key: &PlanKey) -> bool {
        Plans::of(self.device, |plans| plans.remove(&key.0))
    }
}

impl FftPlan {
    /// Returns the [`PlanCache`] keys of this value's plans: one for each library call of its transform.
    ///
    /// ```
    /// use cuprum::{DType, fft::{FftPlanOptions, get_fft_plan}, ones};
    /// let plan = get_fft_plan(ones([3, 8], DType::C64)?, FftPlanOptions::new().axes(-1))?;
    /// assert_eq!(plan.keys()[0].shape(), [8]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn keys(&self) -> Vec<PlanKey> {
        self.held.iter().map(|(of, _)| PlanKey(*of)).collect()
    }
}

/// Wraps a cached plan.
fn of_one(of: Transform, plan: Arc<Plan>) -> FftPlan {
    let key = PlanKey(of);
    FftPlan {
        shape: key.shape(),
        axes: (0..of.rank).collect(),
        value_type: key.value_type(),
        held: Arc::new(vec![(of, plan)]),
        thread: std::thread::current().id(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::config::get_plan_cache;
    use crate::fft::{fft, get_fft_plan, rfft};
    use crate::ones;

    #[test]
    fn plans_are_read_put_and_taken_by_their_keys() -> Result<()> {
        let cache = get_plan_cache()?;
        cache.clear();
        fft(ones([2, 6], DType::C128)?, ())?;
        rfft(ones(5, DType::F32)?, ())?;
        let all = cache.plans();
        let [(last, _), (first, plan)] = &all[..] else { panic!("two transforms have two plans: {all:?}") };
        assert_eq!((last.value_type(), last.dtype(), last.shape()), (ValueType::RealToComplex, DType::C64, vec![5]));
        assert_eq!((first.value_type(), first.batch(), plan.shape()), (ValueType::Complex, 2, &[6][..]));
        assert!(cache.get(first).is_some());
        assert_eq!(cache.keys(), [first.clone(), last.clone()], "it is the last one used");
        assert_eq!((cache.hits(), cache.misses()), (1, 2));
        assert!(cache.remove(first) && !cache.remove(first));
        assert!(cache.get(first).is_none());
        assert_eq!((cache.hits(), cache.misses()), (1, 3));
        cache.set(first, plan)?;
        fft(ones([2, 6], DType::C128)?, ())?;
        assert_eq!((cache.hits(), cache.misses()), (2, 3), "the plan that was put in serves");
        cache.set(first, plan)?;
        assert_eq!(cache.get_curr_size(), 2, "a key identifies one plan");
        Ok(())
    }

    #[test]
    fn a_plan_of_another_key_or_thread_is_rejected() -> Result<()> {
        let cache = get_plan_cache()?;
        let (plan, other) = (get_fft_plan(ones(7, DType::C64)?, ())?, get_fft_plan(ones(9, DType::C64)?, ())?);
        let key = plan.keys().remove(0);
        let rejected = cache.set(&key, &other).unwrap_err();
        assert_eq!(rejected.kind(), ErrorKind::Value);
        assert!(rejected.message().contains("has no plan of Complex of [7]"), "{rejected}");
        let elsewhere = std::thread::spawn(move || cache.set(&key, &plan).unwrap_err().kind()).join();
        assert_eq!(elsewhere.ok(), Some(ErrorKind::Value));
        cache.set_size(0);
        cache.set(&other.keys()[0], &other)?;
        assert_eq!(cache.get_curr_size(), 0, "there is no room");
        cache.set_size(16);
        Ok(())
    }
}
