//! User callbacks of transforms: functions called for each element that a transform loads or stores.
//!
//! A callback belongs to the thread and to a scope; plans with callbacks are cached by the source of the functions.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;

use crate::array::Array;
use crate::cuda::Device;
use crate::driver::Hook;
use crate::driver::fft_callbacks::{HookText, number};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::whole;

/// The types of cuFFT's header, which is missing where no toolkit is installed.
const TYPES: &str = "#pragma once
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef cufftComplex (*cufftJITCallbackLoadC)(void *, unsigned long long, void *, void *);
typedef cufftDoubleComplex (*cufftJITCallbackLoadZ)(void *, unsigned long long, void *, void *);
typedef cufftReal (*cufftJITCallbackLoadR)(void *, unsigned long long, void *, void *);
typedef cufftDoubleReal (*cufftJITCallbackLoadD)(void *, unsigned long long, void *, void *);
typedef void (*cufftJITCallbackStoreC)(void *, unsigned long long, cufftComplex, void *, void *);
typedef void (*cufftJITCallbackStoreZ)(void *, unsigned long long, cufftDoubleComplex, void *, void *);
typedef void (*cufftJITCallbackStoreR)(void *, unsigned long long, cufftReal, void *, void *);
typedef void (*cufftJITCallbackStoreD)(void *, unsigned long long, cufftDoubleReal, void *, void *);
";

/// A callback in CUDA C++ for the elements that a transform loads or stores.
/// `__device__ cufftComplex f(void *in, unsigned long long at, void *data, void *shared)` returns the element to be
/// loaded at an offset, and
/// `__device__ void f(void *out, unsigned long long at, cufftComplex x, void *data, void *shared)` stores one. The
/// types are those of the transform: `cufftComplex` and `cufftReal` for complex64 and float32, otherwise
/// `cufftDoubleComplex` and `cufftDoubleReal`.
#[derive(Clone, Default)]
pub struct FftCallback {
    /// The source. It may include `cufft.h`, `cufftXt.h` and every header that the source of a
    /// [`RawModule`](crate::RawModule) may; the types of cuFFT are available without an include.
    pub text: String,
    /// The function name; by default the one that cuFFT expects: `cufftJITCallbackLoadComplex`, and for other callbacks
    /// and types with `Store`, `DoubleComplex`, `Real` or `DoubleReal`.
    pub name: Option<String>,
    /// The array whose address is passed as `data`, on the device of the transform; CuPy's `cb_load_data`.
    pub data: Option<Array>,
    /// Options of NVRTC.
    pub options: Vec<String>,
}

impl FftCallback {
    /// Creates a callback from a source and a function name.
    ///
    /// `text` is CUDA C++ that defines the function `name`, with the signature of cuFFT's callbacks for the type of the
    /// transform.
    ///
    /// cuFFT's signatures are `T load(void *in, unsigned long long at, void *data, void *shared)` and `void
    /// store(void *out, unsigned long long at, T value, void *data, void *shared)`; `T` is `cufftComplex` for
    /// complex64, `cufftReal` for float32, and the `Double` types for the others. See [`FftCallbacks`] for an
    /// example.
    pub fn new(text: impl Into<String>, name: impl Into<String>) -> FftCallback {
        FftCallback { text: text.into(), name: Some(name.into()), data: None, options: vec![] }
    }

    /// Sets the array whose address is passed as `data`.
    ///
    /// The callback keeps the array alive.
    #[must_use]
    pub fn data(self, data: &Array) -> FftCallback {
        FftCallback { data: Some(data.clone()), ..self }
    }
}

impl fmt::Debug for FftCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.data.as_ref().map(|a| (a.dtype(), a.shape().to_vec()));
        write!(f, "FftCallback({:?}, {} lines, data {data:?})", self.name, self.text.lines().count())
    }
}

/// Callbacks of all [transforms](crate::fft) of this thread within a scope; CuPy's `fft.config.set_cufft_callbacks`
/// with `cb_ver="jit"`.
///
/// On a GPU they are linked into cuFFT's kernels when a plan is created, which requires CUDA 12.6 Update 2 or later;
/// they need no separate pass. On the simulator the same source runs in a kernel of its own before or after the
/// transform. Plans are cached with their callbacks, identified by source, name, options and address of the data.
///
/// Offsets count elements from the first one that the library receives: that of the operand or the result if it is
/// transformed in place, or of a copy in C order with the axis last if one is needed. If several axes take several
/// calls of the library, the first call loads with the callback and the last one stores with it; an axis that is
/// repeated is rejected. The factor of a norm is applied after the callback. Cosine and sine transforms call no
/// callbacks.
/// callback. Cosine and sine transforms call none.
///
/// ```
/// use cuprum::fft::{FftCallback, FftCallbacks, fft};
/// use cuprum::{DType, Result, array, ones};
///
/// fn main() -> Result<()> {
///     let text = "__device__ cufftComplex weighted(void *in, unsigned long long at, void *data, void *) {
///         cufftComplex x = ((cufftComplex *)in)[at];
///         float w = ((const float *)data)[at % 4];
///         x.x *= w; x.y *= w;
///         return x;
///     }";
///     let window = array([0.0f32, 1.0, 1.0, 0.0])?;
///     let callbacks = FftCallbacks::new().load(FftCallback::new(text, "weighted").data(&window));
///     let scope = callbacks.scope()?;
///     let x = fft(ones(4, DType::C64)?, ())?;
///     drop(scope);
///     assert_eq!(x.real().to_vec::<f32>()?, [2.0, -1.0, 0.0, -1.0]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct FftCallbacks {
    /// The callback for each element that is loaded.
    pub load: Option<FftCallback>,
    /// The callback for each element that is stored.
    pub store: Option<FftCallback>,
}

/// An active callback.
#[derive(Clone, Debug)]
pub(super) struct InForce {
    number: u32,
    pub(super) data: Option<Array>,
}

impl InForce {
    fn new(callback: &FftCallback) -> Result<InForce> {
        let FftCallback { text, name, data, options } = callback;
        if text.trim().is_empty() {
            return Err(Error::new(ErrorKind::Value, "a callback has no text: it is a function in CUDA C++"));
        }
        let types = ["cufft.h", "cufftXt.h"].map(|name| (name.to_string(), TYPES.to_string()));
        let (head, _) = whole("cufft", "#include <cufftXt.h>\n", &types, options, None);
        let (body, options) = whole("callback", text, &types, options, None);
        let whole = format!("{head}\n#line 1 \"callback.cu\"\n{body}");
        let hook_text = HookText { own: text.clone(), whole, name: name.clone(), options };
        Ok(InForce { number: number(hook_text), data: data.clone() })
    }

    /// Returns the callback as an argument of plan creation on a device.
    pub(super) fn hook(&self, device: Device) -> Result<Hook> {
        if let Some(data) = self.data.as_ref().filter(|data| data.device() != device) {
            let message =
                format!("the data of a callback are on {:?}, and the transform is on {device:?}", data.device());
            return Err(Error::new(ErrorKind::Value, message));
        }
        Ok(Hook::Text { number: self.number, data: self.data.as_ref().map_or(0, Array::addr) })
    }
}

/// The load and the store callback of a scope.
pub(super) type Pair = [Option<InForce>; 2];

thread_local! {
    /// The scopes of this thread, innermost last; and whether there are any, which each transform checks.
    static SCOPES: RefCell<Vec<Pair>> = const { RefCell::new(vec![]) };
    static ANY: Cell<bool> = const { Cell::new(false) };
}

fn change<R>(by: impl FnOnce(&mut Vec<Pair>) -> R) -> R {
    SCOPES.with_borrow_mut(|scopes| {
        let result = by(scopes);
        ANY.set(!scopes.is_empty());
        result
    })
}

/// Returns the callbacks of the innermost scope.
pub(super) fn in_force() -> Option<Pair> {
    if ANY.get() { SCOPES.with_borrow(|scopes| scopes.last().cloned()) } else { None }
}

/// Returns whether any callbacks are active.
pub(super) fn are_in_force() -> bool {
    ANY.get()
}

impl FftCallbacks {
    /// Creates a value without callbacks.
    pub fn new() -> FftCallbacks {
        FftCallbacks::default()
    }

    /// Sets the callback for each element that is loaded.
    ///
    /// The callback returns the element at a position of the input, which it may read from elsewhere or
    /// compute.
    #[must_use]
    pub fn load(self, callback: FftCallback) -> FftCallbacks {
        FftCallbacks { load: Some(callback), ..self }
    }

    /// Sets the callback for each element that is stored.
    ///
    /// The callback gets an element of the result and its position, and writes it.
    #[must_use]
    pub fn store(self, callback: FftCallback) -> FftCallbacks {
        FftCallbacks { store: Some(callback), ..self }
    }

    /// Activates the callbacks for transforms of this thread until the returned scope is dropped. Those of a nested
    /// scope replace them.
    ///
    /// A transform inside the scope is compiled together with the callbacks once, and cached by the text. See
    /// [`FftCallbacks`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] without a callback, and for an empty source. Errors of the compiler are returned by the
    /// first transform, which determines the element types; they quote the lines of the source.
    pub fn scope(&self) -> Result<FftCallbackScope> {
        self.enter()?;
        Ok(FftCallbackScope(PhantomData))
    }

    /// Begins a [scope](FftCallbacks::scope) that [`FftCallbacks::leave`] ends, for bindings to languages without drop
    /// semantics.
    ///
    /// # Errors
    ///
    /// Same as [`FftCallbacks::scope`].
    pub fn enter(&self) -> Result<()> {
        let go = || {
            if self.load.is_none() && self.store.is_none() {
                let message =
                    "there is no callback: say what is called for each element that is read, or written, or both";
                return Err(Error::new(ErrorKind::Value, message));
            }
            let load = self.load.as_ref().map(InForce::new).transpose()?;
            let store = self.store.as_ref().map(InForce::new).transpose()?;
            change(|scopes| scopes.push([load, store]));
            Ok(())
        };
        go().map_err(|e: Error| e.with_op("FftCallbacks"))
    }

    /// Ends the innermost scope of this thread.
    pub fn leave() {
        change(Vec::pop);
    }
}

/// Guard of a scope of callbacks, which it ends when dropped.
///
/// It is not `Send`: the callbacks are those of the thread that activated them.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped"]
pub struct FftCallbackScope(PhantomData<*const ()>);

impl Drop for FftCallbackScope {
    fn drop(&mut self) {
        FftCallbacks::leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::compare::assert_same;
    use crate::fft::config::get_plan_cache;
    use crate::fft::{Fft2Options, FftOptions, FftnOptions, Norm, fft, fftn, ifft, irfft, irfft2, rfft, rfft2};
    use crate::{DType, arange};

    fn numbers(shape: &[isize], dtype: DType) -> Result<Array> {
        let n = shape.iter().product::<isize>() as i64;
        arange(0, n, 1)?.remainder(7)?.astype(dtype)?.reshape(shape)
    }

    /// Callbacks that load `2 * x` and store `x - 1`.
    fn callbacks(read: &str, written: &str) -> FftCallbacks {
        let real = |t: &str| t.ends_with("Real");
        let twice = if real(read) { "x * 2" } else { "{x.x * 2, x.y * 2}" };
        let load = format!(
            "{read} twice(void *in, unsigned long long at, void *, void *) {{
               {read} x = (({read} *)in)[at], y = {twice}; return y; }}"
        );
        let less = if real(written) { "x -= 1;" } else { "x.x -= 1;" };
        let store = format!(
            "void less(void *out, size_t at, {written} x, void *, void *) {{ {less} (({written} *)out)[at] = x; }}"
        );
        FftCallbacks::new().load(FftCallback::new(load, "twice")).store(FftCallback::new(store, "less"))
    }

    fn called(callbacks: &FftCallbacks, call: impl Fn() -> Result<Array>) -> Result<Array> {
        let _scope = callbacks.scope()?;
        call()
    }

    #[test]
    fn elements_are_read_and_written_by_them_in_any_kind_and_layout() -> Result<()> {
        let complex =
            [(DType::C64, "cufftComplex", "cufftReal"), (DType::C128, "cufftDoubleComplex", "cufftDoubleReal")];
        for (dtype, z, r) in complex {
            let a = numbers(&[6, 5, 4], dtype)?;
            let x = numbers(&[5, 8], dtype.real())?;
            let by = callbacks(z, z);
            let views = |a: &Array| -> Result<[Array; 4]> {
                Ok([a.clone(), a.t(), a.index(crate::s![.., ..;2])?, a.transpose([1, 0, 2])?])
            };
            for (view, twice) in views(&a)?.into_iter().zip(views(&a.multiply(2)?)?) {
                for axis in [0, 1, 2] {
                    let options = FftOptions::new().axis(axis);
                    let want = fft(&twice, options)?.subtract(1)?;
                    let got = called(&by, || fft(&view, options))?;
                    assert_same(&got, &want);
                }
                let want = fftn(&twice, ())?.subtract(1)?;
                assert_same(&called(&by, || fftn(&view, ()))?, &want);
            }
            let forward = callbacks(r, z);
            let want = rfft(x.multiply(2)?, ())?.subtract(1)?;
            assert_same(&called(&forward, || rfft(&x, ()))?, &want);
            let want = rfft2(x.multiply(2)?, ())?.subtract(1)?;
            assert_same(&called(&forward, || rfft2(&x, ()))?, &want);
            let backward = callbacks(z, r);
            let half = rfft(&x, ())?;
            let none = || FftOptions::new().norm(Norm::Forward);
            let want = irfft(half.multiply(2)?, none())?.subtract(1)?;
            assert_same(&called(&backward, || irfft(&half, none()))?, &want);
            let half = rfft2(&x, ())?;
            let none = || Fft2Options::new().norm(Norm::Forward);
            let want = irfft2(half.multiply(2)?, none())?.subtract(1)?;
            assert_same(&called(&backward, || irfft2(&half, none()))?, &want);
        }
        Ok(())
    }

    #[test]
    fn factors_are_multiplied_behind_the_callback() -> Result<()> {
        let a = numbers(&[8], DType::F64)?;
        let by = callbacks("cufftDoubleComplex", "cufftDoubleComplex");
        // The real transform is preceded by a copy.
        let want = fft(a.multiply(2)?, ())?.subtract(1)?.multiply(0.125)?;
        let got = called(&by, || fft(&a, FftOptions::new().norm(Norm::Forward)))?;
        assert_same(&got, &want);
        Ok(())
    }

    #[test]
    fn data_and_shared_memory_are_passed_and_plans_are_distinct() -> Result<()> {
        let cache = get_plan_cache()?;
        cache.clear();
        let text = "
#include <cufftXt.h>
__device__ void put(void *out, unsigned long long at, cufftComplex x, void *data, void *shared) {
  ((float *)shared)[threadIdx.x] = ((float *)data)[at];
  ((cuComplex *)out)[at] = cuCaddf(x, make_cuComplex(((float *)shared)[threadIdx.x], 0));
}
static_assert(sizeof(cufftJITCallbackStoreC) == 8, \"cuFFT's header has the types of functions\");";
        let data = numbers(&[8], DType::F32)?;
        let a = numbers(&[8], DType::C64)?;
        let want = fft(&a, ())?.add(&data)?;
        let by = FftCallbacks::new().store(FftCallback::new(text, "put").data(&data));
        assert_same(&called(&by, || fft(&a, ()))?, &want);
        assert_eq!((cache.get_curr_size(), cache.misses()), (2, 2), "with the callback and without");
        assert_same(&called(&by, || fft(&a, ()))?, &want);
        assert_eq!((cache.get_curr_size(), cache.hits()), (2, 1));
        assert!(cache.keys()[0].to_string().contains("with the store callback"));
        let other = data.copy(crate::Order::C)?;
        let by = FftCallbacks::new().store(FftCallback::new(text, "put").data(&other));
        called(&by, || fft(&a, ()))?;
        assert_eq!(cache.get_curr_size(), 3, "other data have a plan of their own");
        let there = Device::another_for_test().with(|| numbers(&[8], DType::F32))?;
        let by = FftCallbacks::new().store(FftCallback::new(text, "put").data(&there));
        assert_eq!(called(&by, || fft(&a, ())).unwrap_err().kind(), ErrorKind::Value);
        Ok(())
    }

    #[test]
    fn scopes_nest_and_end_and_faults_are_reported() -> Result<()> {
        let a = numbers(&[8], DType::C64)?;
        let plain = fft(&a, ())?;
        let one = |number: &str| {
            let text = format!(
                "cufftComplex cufftJITCallbackLoadComplex(void *, size_t, void *, void *) {{ return {{{number}, 0}}; }}"
            );
            FftCallbacks::new().load(FftCallback { text, ..FftCallback::default() })
        };
        let first = |x: Array| -> Result<f32> { Ok(x.real().to_vec::<f32>()?[0]) };
        {
            let (outer, inner) = (one("1"), one("3"));
            let _outer = outer.scope()?;
            assert_eq!(first(fft(&a, ())?)?, 8.0);
            {
                let _inner = inner.scope()?;
                assert_eq!(first(fft(&a, ())?)?, 24.0);
                assert_eq!(first(ifft(&a, ())?)?, 3.0);
            }
            assert_eq!(first(fft(&a, ())?)?, 8.0);
        }
        assert_same(&fft(&a, ())?, &plain);
        assert_eq!(FftCallbacks::new().enter().unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(FftCallbacks::new().load(FftCallback::new(" ", "f")).enter().unwrap_err().kind(), ErrorKind::Value);
        let broken = FftCallbacks::new().load(FftCallback::new("\n  nothing = 1;", "f"));
        let e = called(&broken, || fftn(&a, FftnOptions::new())).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Compile);
        let lines = e.message();
        assert!(lines.contains("callback.cu(2)") && lines.contains("    2 |   nothing = 1;"), "{lines}");
        assert!(!lines.contains("cuprum_fft_each"), "{lines}");
        for axes in [[0, 0], [-1, 0]] {
            let rejected = called(&one("1"), || fftn(&a, FftnOptions::new().axes(axes))).unwrap_err();
            assert_eq!(rejected.kind(), ErrorKind::Value, "an axis is named twice");
        }
        // A callback of another type is reported by the compiler.
        let wrong = called(&one("1"), || fft(numbers(&[8], DType::C128)?, ())).unwrap_err();
        assert_eq!(wrong.kind(), ErrorKind::Compile);
        // The scope ends after an error, too.
        assert_same(&fft(&a, ())?, &plain);
        Ok(())
    }
}
