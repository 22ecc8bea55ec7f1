//! Scopes in which elementwise calls share kernels.

use std::marker::PhantomData;

use cuprum_macros::Options;

use crate::array::IntoArgument;
use crate::cuda::deferred_stats;
use crate::engine::fused::Scope;

/// What [`fuse_with`] can be told.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct FuseOptions {
    /// A kernel is compiled as it is first needed, and not in the background while its calls are made one by one.
    pub wait: bool,
}

/// Calls `f`, in which elementwise calls wait until somebody needs their elements, and then share a kernel; CuPy's `fuse`.
///
/// Inside, ufuncs, operators, comparisons, [`where_`](crate::where_()), [`clip`](crate::clip()) and casts give arrays whose
/// elements are yet to be computed. Their dtype, shape and order, and the errors of the calls, are those of any other call.
/// What needs elements has them computed: a matrix product, a view's reader, [`Array::to_vec`](crate::Array::to_vec). A reduction
/// computes them as it reads; one whose axes stay waits as well, and chains along rows, as a softmax, are one kernel.
/// Writing to an array first computes what still reads it. As the scope ends, all is computed that can still be seen;
/// what nobody needs is never computed, nor does it take memory.
///
/// The results are the same to the bit: every step rounds to its dtype as the call alone does.
///
/// A chain of calls that is new is compiled in the background, and its calls are made one by one until the kernel is there.
/// `CUPRUM_FUSE=always` makes a whole program such a scope, without an end.
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
/// None of its own: what fails as it is computed, for want of memory for example, fails where it is needed.
pub fn fuse<R>(f: impl FnOnce() -> R) -> R {
    fuse_with((), f)
}

/// As [`fuse`], and told more.
///
/// ```
/// use cuprum::{FuseOptions, array, fuse_with};
/// let a = array([1.0, 2.0])?;
/// let b = fuse_with(FuseOptions::new().wait(true), || &a * 2.0 + 1.0);
/// assert_eq!(b.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn fuse_with<R>(options: impl IntoArgument<FuseOptions>, f: impl FnOnce() -> R) -> R {
    let scope = Scope::begin(options.into().wait);
    let result = f();
    // What `f` gives is seen.
    drop(scope);
    result
}

/// A scope of [`fuse`] from its beginning until it is dropped, for whom a closure does not do: another language's scopes. Those
/// of a thread end in the reverse order of their beginnings.
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
    /// Scopes are the thread's own.
    _thread: PhantomData<*const ()>,
}

impl FuseScope {
    /// Begins a scope.
    pub fn begin(options: impl IntoArgument<FuseOptions>) -> FuseScope {
        FuseScope { _scope: Scope::begin(options.into().wait), _thread: PhantomData }
    }
}

/// What waits to be computed, of all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FuseStats {
    /// Arrays whose elements are yet to be computed.
    pub pending: usize,
    /// The bytes of their elements, which take no memory yet.
    pub pending_bytes: usize,
    /// The bytes of the arrays that they are to be computed from, which stay until then.
    pub held_bytes: usize,
}

/// What the arrays hold that wait to be computed.
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
pub fn fuse_stats() -> FuseStats {
    let of = deferred_stats();
    FuseStats { pending: of.waiting, pending_bytes: of.waiting_bytes, held_bytes: of.held_bytes }
}
