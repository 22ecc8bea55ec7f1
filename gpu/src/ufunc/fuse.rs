//! Fusion scopes, in which elementwise calls share kernels.
//!
//! Fusing is lazy evaluation of elementwise calls: in a scope they return pending arrays, and one kernel computes what
//! is visible.

use std::marker::PhantomData;

use cuprum_macros::{Options, unrecorded};

use crate::array::IntoArgument;
use crate::cuda::deferred_stats;
use crate::engine::fusion::Scope;

/// Options of [`fuse_with`].
///
/// By default calls are made one by one until the fused kernel has been compiled in the background.
///
/// ```
/// use cuprum::{FuseOptions, array, fuse_with};
/// let a = array([1.0, 2.0])?;
/// let y = fuse_with(FuseOptions::new().wait(true), || cuprum::add(cuprum::multiply(&a, 2.0)?, 1.0))?;
/// assert_eq!(y.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct FuseOptions {
    /// If true, a kernel is compiled when it is first needed, instead of in the background while its calls run one by
    /// one. By default `false`.
    pub wait: bool,
}

/// Calls `f` in a fusion scope, in which elementwise calls are pending until their elements are needed, and then share
/// a kernel; CuPy's `fuse`.
///
/// In the scope, ufuncs, operators, comparisons, [`where_`](crate::where_()), [`clip`](crate::clip()) and casts return
/// pending arrays. Their dtype, shape and order, and the errors of the calls, are those of any other call. Operations
/// that need elements have them computed: a matrix product, a read of a view, [`Array::to_vec`](crate::Array::to_vec).
/// A reduction computes them as it reads; one with keepdims is pending as well, and chains along rows, such as a
/// softmax, are one kernel. Writing to an array first computes pending arrays that read it. At the end of the scope,
/// all pending arrays that are still referenced are computed; others are never computed, nor do they take memory.
///
/// The results are bitwise the same: every step rounds to its dtype as the single call does.
///
/// A new chain of calls is compiled in the background, and its calls run one by one until the kernel is ready.
/// `CUPRUM_FUSE=always` makes the whole program one scope without an end.
///
/// ```
/// use cuprum::{DType, array, exp, fuse, log1p};
/// let x = array([-1.0f32, 0.0, 2.0])?;
/// let softplus = fuse(|| log1p(exp(x.negative()?)?)?.add(x.maximum(0.0)?))?;
/// assert_eq!(softplus.dtype(), DType::F32);
/// assert_eq!(softplus.to_vec::<f32>()?, log1p(exp(x.negative()?)?)?.add(x.maximum(0.0)?)?.to_vec::<f32>()?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// None of its own: an error of a pending computation, for example of lack of memory, is returned where its result is
/// needed.
#[unrecorded("takes a function")]
pub fn fuse<R>(f: impl FnOnce() -> R) -> R {
    fuse_with((), f)
}

/// Calls `f` in a fusion scope with options; see [`fuse`].
///
/// ```
/// use cuprum::{FuseOptions, array, fuse_with};
/// let a = array([1.0, 2.0])?;
/// let b = fuse_with(FuseOptions::new().wait(true), || &a * 2.0 + 1.0);
/// assert_eq!(b.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("takes a function")]
pub fn fuse_with<R>(options: impl IntoArgument<FuseOptions>, f: impl FnOnce() -> R) -> R {
    let scope = Scope::begin(options.into().wait);
    let result = f();
    // The result of `f` is referenced.
    drop(scope);
    result
}

/// A scope of [`fuse`] without a closure, from its creation until it is dropped, for example for bindings to other
/// languages. The scopes of a thread must end in the reverse order of their creation.
///
/// ```
/// use cuprum::{FuseScope, array};
/// let a = array([1.0, 2.0])?;
/// let scope = FuseScope::begin(());
/// let b = &a * 2.0 + 1.0;
/// drop(scope);
/// assert_eq!(b.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a scope ends as it is dropped"]
pub struct FuseScope {
    _scope: Scope,
    /// Not `Send`: scopes belong to their thread.
    _thread: PhantomData<*const ()>,
}

impl FuseScope {
    /// Begins a scope.
    ///
    /// ```
    /// use cuprum::{FuseScope, array};
    /// let a = array([1.0, 2.0])?;
    /// let scope = FuseScope::begin(());
    /// let y = &(&a * 2.0) + 1.0;
    /// drop(scope);
    /// assert_eq!(y.to_vec::<f64>()?, [3.0, 5.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn begin(options: impl IntoArgument<FuseOptions>) -> FuseScope {
        FuseScope { _scope: Scope::begin(options.into().wait), _thread: PhantomData }
    }
}

/// Statistics of pending arrays, of all threads.
///
/// They show how much memory a scope holds: results that are computed later keep their operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FuseStats {
    /// The number of pending arrays.
    pub pending: usize,
    /// The size of their elements in bytes, which is not allocated yet.
    pub pending_bytes: usize,
    /// The size in bytes of the arrays from which they will be computed, which are kept until then.
    pub held_bytes: usize,
}

/// Returns statistics of pending arrays.
///
/// ```
/// use cuprum::{fuse, fuse_stats, zeros};
/// let a = zeros(1000, ())?;
/// let during = fuse(|| {
///     let _b = &a + 1.0;
///     fuse_stats()
/// });
/// assert!(during.pending > 0 && during.pending_bytes >= 8000 && during.held_bytes >= 8000);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("returns counters of the fusing scope")]
pub fn fuse_stats() -> FuseStats {
    let of = deferred_stats();
    FuseStats { pending: of.waiting, pending_bytes: of.waiting_bytes, held_bytes: of.held_bytes }
}
