//! Transform plans as values; CuPy's `get_fft_plan`.
//!
//! A program that transforms arrays of one form repeatedly need not depend on the size of the cache.

use std::fmt;
use std::marker::PhantomData;
use std::thread::ThreadId;

use cuprum_macros::{Choice, Options, unrecorded};

use super::calls::{CallOptions, to_complex, to_half, to_real};
use super::lengths::{Last, Lengths};
use super::transforms::{Like, Norm, spectrum_dtype};
use crate::array::{Array, AsArray, Axes, IntoArgument};
use crate::engine::{HeldPlans, enter_plans, leave_plans, plans_of};
use crate::error::{Error, ErrorKind, Result};

/// Types of the input and output of a plan.
///
/// CuPy spells them `"C2C"`, `"R2C"` and `"C2R"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum ValueType {
    /// Complex to complex, in either direction.
    #[default]
    #[name("C2C")]
    Complex,
    /// Real to the first half of the spectrum.
    #[name("R2C")]
    RealToComplex,
    /// The first half of a spectrum to real.
    #[name("C2R")]
    ComplexToReal,
}

/// Options of [`get_fft_plan`].
///
/// A [`ValueType`] converts to options that set it alone; by default all axes of a complex array are transformed.
///
/// ```
/// use cuprum::{DType, fft::{FftPlanOptions, ValueType, get_fft_plan}, ones};
/// let options = FftPlanOptions::new().axes(-1).value_type(ValueType::RealToComplex);
/// let plan = get_fft_plan(ones([3, 8], DType::F64)?, options)?;
/// assert_eq!((plan.shape(), plan.value_type()), (&[8][..], ValueType::RealToComplex));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct FftPlanOptions {
    /// The number of elements along each axis.
    pub shape: Axes,
    /// The axes; by default all, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// The types of input and output. By default [`ValueType::Complex`].
    #[from]
    pub value_type: ValueType,
}

/// The plans of the transform of one array, created by [`get_fft_plan`]. They live as long as the value and its clones,
/// independently of the plan cache, and belong to the thread that created them.
#[derive(Clone)]
pub struct FftPlan {
    /// The library's plans.
    pub(super) held: HeldPlans,
    /// Elements along each transformed axis.
    pub(super) shape: Vec<usize>,
    /// Transformed axes.
    pub(super) axes: Vec<usize>,
    /// Types of input and output.
    pub(super) value_type: ValueType,
    /// Thread that owns the plans.
    pub(super) thread: ThreadId,
}

/// Creates the plan for transforms of arrays of the same shape, layout and dtype as this one; CuPy's
/// `cupyx.scipy.fft.get_fft_plan`. The elements of the array are not used: it may be uninitialised.
///
/// ```
/// use cuprum::scipy::fft::{fft, get_fft_plan, FftPlanOptions};
/// use cuprum::{DType, ones};
/// let a = ones([8, 16], DType::C64)?;
/// let plan = get_fft_plan(&a, FftPlanOptions::new().axes(-1))?;
/// let scope = plan.scope()?;
/// fft(&a, ())?;
/// // Of another length it is no plan.
/// assert!(fft(&a, 8).unwrap_err().message().contains("the plan is not one of"));
/// drop(scope);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of the transform of the array.
#[unrecorded("returns a host struct")]
pub fn get_fft_plan(a: impl AsArray, options: impl IntoArgument<FftPlanOptions>) -> Result<FftPlan> {
    fn build(a: &Array, options: &FftPlanOptions) -> Result<FftPlan> {
        let last = if options.value_type == ValueType::ComplexToReal { Last::OfHalf } else { Last::Whole };
        let of = Lengths::several(a, &options.shape, &options.axes, last)?;
        let call_options = |inverse: bool| CallOptions { inverse, norm: Norm::Backward, like: Like::C, out: None };
        let real = spectrum_dtype(a.dtype()).real();
        let held = plans_of(|| match options.value_type {
            ValueType::Complex => to_complex(a, &of, call_options(false)),
            ValueType::RealToComplex => to_half(a, &of, false, call_options(false)),
            ValueType::ComplexToReal => to_real(a, &of, false, real, call_options(true)),
        })?;
        let (shape, axes) = (of.n.to_vec(), of.axes.to_vec());
        Ok(FftPlan { held, shape, axes, value_type: options.value_type, thread: std::thread::current().id() })
    }
    build(a.as_array(), &options.into()).map_err(|e| e.with_op("get_fft_plan"))
}

impl FftPlan {
    /// Returns the number of elements along each transformed axis.
    ///
    /// ```
    /// use cuprum::{DType, fft::get_fft_plan, ones};
    /// let plan = get_fft_plan(ones([3, 8], DType::C64)?, ())?;
    /// assert_eq!((plan.shape(), plan.axes()), (&[3, 8][..], &[0, 1][..]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the axes.
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }

    /// Returns the types of input and output.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns the size in bytes of the largest work area that one of the transforms allocates from the memory pool.
    ///
    /// CuPy's `work_area` of a plan has this size.
    ///
    /// ```
    /// use cuprum::{DType, fft::get_fft_plan, ones};
    /// let plan = get_fft_plan(ones([3, 8], DType::C64)?, ())?;
    /// println!("{} bytes", plan.work_size());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn work_size(&self) -> usize {
        self.held.iter().map(|(_, plan)| plan.planned.work).max().unwrap_or(0)
    }

    /// Makes transforms of this thread use this plan until the returned scope is dropped; a transform that does not
    /// match the plan is an error.
    ///
    /// See [`get_fft_plan`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] on another thread than the plan's own.
    pub fn scope(&self) -> Result<FftPlanScope<'_>> {
        self.enter()?;
        Ok(FftPlanScope { plan: PhantomData, thread: PhantomData })
    }

    /// Begins a [scope](FftPlan::scope) that [`FftPlan::leave`] ends, for bindings to languages without drop semantics.
    ///
    /// Python's `with plan:` is this and [`FftPlan::leave`].
    ///
    /// # Errors
    ///
    /// Same as [`FftPlan::scope`].
    pub fn enter(&self) -> Result<()> {
        self.check_thread()?;
        enter_plans(&self.held);
        Ok(())
    }

    pub(super) fn check_thread(&self) -> Result<()> {
        if std::thread::current().id() == self.thread {
            return Ok(());
        }
        let message = "a plan is used by another thread than that which made it: make one on each thread";
        Err(Error::new(ErrorKind::Value, message))
    }

    /// Ends the innermost scope of this thread.
    pub fn leave(&self) {
        leave_plans();
    }
}

impl fmt::Debug for FftPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FftPlan { shape, axes, value_type, .. } = self;
        write!(f, "FftPlan({value_type:?} of {shape:?} along {axes:?}, {} bytes of work)", self.work_size())
    }
}

/// Guard of the scope of a plan, which it ends when dropped.
///
/// It borrows the plan, and is not `Send`.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped"]
pub struct FftPlanScope<'a> {
    plan: PhantomData<&'a FftPlan>,
    /// Not `Send`: the scope must end on the thread on which it began.
    thread: PhantomData<*const ()>,
}

impl Drop for FftPlanScope<'_> {
    fn drop(&mut self) {
        leave_plans();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, arange, fft, ones};

    #[test]
    fn a_plan_outlives_the_cache_and_rejects_others() -> Result<()> {
        let a = arange(0, 24, 1)?.astype(DType::C64)?.reshape([2, 3, 4])?;
        let want = fft::fftn(&a, ())?;
        let plan = get_fft_plan(&a, ())?;
        assert_eq!((plan.shape(), plan.axes()), (&[2, 3, 4][..], &[0, 1, 2][..]));
        let cache = fft::config::get_plan_cache()?;
        cache.clear();
        let scope = plan.scope()?;
        assert_eq!(fft::fftn(&a, ())?.to_bytes()?, want.to_bytes()?);
        assert_eq!((cache.hits(), cache.misses()), (0, 0), "the plan is at hand");
        let rejected = fft::fft(ones(7, DType::C64)?, ()).unwrap_err();
        assert_eq!(rejected.kind(), ErrorKind::Value);
        drop(scope);
        fft::fft(ones(7, DType::C64)?, ())?;
        assert_eq!(cache.misses(), 1);
        let other = plan.clone();
        let elsewhere = std::thread::spawn(move || other.enter().unwrap_err().kind()).join();
        assert_eq!(elsewhere.ok(), Some(ErrorKind::Value));
        Ok(())
    }
}
