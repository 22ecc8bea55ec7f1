//! Callbacks that a Fourier transform calls for each element: sources of users, and the factor of a norm.
//!
//! A user's function is called by a wrapper, whose name and parameters are always the same. So the compiler reports a
//! function with other parameters, and the library need not know the name of the user's. CUDA's library takes both as
//! code for the linker; elsewhere a kernel calls them.

#![cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's library alone uses some of it"))]

use std::ffi::CStr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::nvrtc::{self, FOR_LINKER};
use super::transform::{Hook, Transform, TransformKind};
use crate::error::{Error, ErrorKind, Result};

/// Advice for errors of a library that does not create a plan with a callback.
pub(crate) const ADVICE: &str = "helper functions of a load and a store callback are to be `static`, or to have other names, and \
                                 NVRTC, nvJitLink and cuFFT are to be of one CUDA";

/// Callback source of the user, ready to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookText {
    /// The source as the user wrote it.
    pub(crate) own: String,
    /// The source with its headers expanded.
    pub(crate) whole: String,
    /// The name of the function; if none is given, the one that CUDA's library uses by default.
    pub(crate) name: Option<String>,
    /// NVRTC options.
    pub(crate) options: Vec<String>,
}

/// All callback sources. Their numbers are valid until the process ends: plans refer to them.
static TEXTS: Mutex<Vec<Arc<HookText>>> = Mutex::new(vec![]);

/// Returns the number of a source, which is registered if it is new.
pub(crate) fn number(text: HookText) -> u32 {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = texts.iter().position(|known| **known == text).unwrap_or_else(|| {
        texts.push(Arc::new(text));
        texts.len() - 1
    });
    at as u32
}

/// Side of a transform on which a callback is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Called for each element that is read.
    Load,
    /// Called for each element that is written.
    Store,
}

impl Side {
    /// Returns the name of the wrapper function.
    pub(crate) fn symbol(self) -> &'static CStr {
        match self {
            Side::Load => c"cuprum_fft_load",
            Side::Store => c"cuprum_fft_store",
        }
    }

    fn is_real(self, turning: TransformKind) -> bool {
        matches!((self, turning), (Side::Load, TransformKind::Forward) | (Side::Store, TransformKind::Backward))
    }

    /// Returns the value of `cufftXtCallbackType`.
    pub(crate) fn kind(self, of: &Transform) -> u8 {
        4 * u8::from(self == Side::Store) + 2 * u8::from(self.is_real(of.turning)) + u8::from(of.wide)
    }

    /// Returns the element type, as `cufftXt.h` names it.
    pub(crate) fn element(self, of: &Transform) -> &'static str {
        match (self.is_real(of.turning), of.wide) {
            (false, false) => "cufftComplex",
            (false, true) => "cufftDoubleComplex",
            (true, false) => "cufftReal",
            (true, true) => "cufftDoubleReal",
        }
    }

    /// Returns the default name of a function in CUDA's library.
    fn usual(self, of: &Transform) -> String {
        let side = if self == Side::Load { "Load" } else { "Store" };
        let of = self.element(of).trim_start_matches("cufft");
        format!("cufftJITCallback{side}{of}")
    }

    /// Returns the source of the wrapper, which calls another function.
    fn calling(self, of: &Transform, name: &str) -> String {
        let (symbol, element) = (self.symbol().to_string_lossy(), self.element(of));
        match self {
            Side::Load => format!(
                "__device__ {element} {symbol}(void *in, unsigned long long at, void *data, void *shared) {{ return {name}(in, \
                 at, data, shared); }}\n"
            ),
            Side::Store => format!(
                "__device__ void {symbol}(void *out, unsigned long long at, {element} x, void *data, void *shared) {{ \
                 {name}(out, at, x, data, shared); }}\n"
            ),
        }
    }
}

/// A source with the function of a side, and its compile options.
#[derive(Clone, Debug)]
pub(crate) struct Hooked {
    /// The source.
    pub(crate) text: String,
    /// Compile options.
    pub(crate) options: Vec<String>,
    /// The user's part of it.
    own: Option<Arc<HookText>>,
}

impl Hooked {
    pub(crate) fn new(of: &Transform, hook: Hook, side: Side) -> Hooked {
        let (element, symbol) = (side.element(of), side.symbol().to_string_lossy());
        match hook {
            Hook::Text { number, .. } => {
                let own = TEXTS.lock().unwrap_or_else(PoisonError::into_inner)[number as usize].clone();
                let usual = side.usual(of);
                let call = side.calling(of, own.name.as_ref().unwrap_or(&usual));
                Hooked {
                    text: format!("{}\n#line 1 \"call of the callback\"\n{call}", own.whole),
                    options: own.options.clone(),
                    own: Some(own),
                }
            }
            Hook::Factor { conjugate, .. } => {
                let part = if of.wide { "double" } else { "float" };
                let number = match (side.is_real(of.turning), of.wide) {
                    (false, false) => "float2",
                    (false, true) => "double2",
                    (true, _) => part,
                };
                let times = match (side.is_real(of.turning), conjugate) {
                    (true, _) => "x *= by;",
                    (false, false) => "x.x *= by; x.y *= by;",
                    (false, true) => "x.x *= by; x.y *= by; x.y = -x.y;",
                };
                let text = format!(
                    "typedef {number} {element};
__device__ void {symbol}(void *out, unsigned long long at, {element} x, void *data, void *) {{
  const {part} by = ({part})__longlong_as_double((long long)data);
  {times}
  (({element} *)out)[at] = x;
}}
"
                );
                Hooked { text, options: vec![], own: None }
            }
        }
    }

    /// Returns a compile error with the line numbers of the user's source.
    pub(crate) fn describe(&self, e: Error) -> Error {
        match &self.own {
            Some(own) => nvrtc::with_lines(e, &own.own),
            None => e,
        }
    }
}

/// Cache key: source, options and target.
type Key = (String, Vec<String>, String);

/// Returns the code of a callback for the linker, compiled once for each target.
pub(crate) fn code(of: &Transform, hook: Hook, side: Side, target: &str) -> Result<Arc<[u8]>> {
    static CODES: LazyLock<Mutex<FxHashMap<Key, Arc<[u8]>>>> = LazyLock::new(Mutex::default);
    let hooked = Hooked::new(of, hook, side);
    let mut options: Vec<String> =
        ["--std=c++17", "-default-device", "--fmad=false", "-rdc=true", FOR_LINKER].map(String::from).into();
    options.extend(hooked.options.iter().cloned());
    // The linker takes code for an architecture as for its PTX.
    let target = target.replace("sm_", "compute_");
    let key = (hooked.text.clone(), options, target);
    if let Some(code) = CODES.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(code.clone());
    }
    let (text, options, target) = &key;
    let image = nvrtc::nvrtc()?.compile(text, "callback", target, options, &[]).map_err(|e| hooked.describe(e))?;
    if image.code.is_empty() {
        return Err(Error::new(ErrorKind::Compile, "the compiler gives no code of a callback for the linker"));
    }
    let code: Arc<[u8]> = image.code.into();
    CODES.lock().unwrap_or_else(PoisonError::into_inner).insert(key, code.clone());
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::BatchLayout;

    fn transform(turning: TransformKind, wide: bool) -> Transform {
        let (input, output) = (BatchLayout::default(), BatchLayout::default());
        Transform { turning, wide, rank: 1, n: [8, 1, 1], input, output, batch: 1, load: None, store: None }
    }

    #[test]
    fn kinds_are_those_of_the_library() {
        use TransformKind::{Backward, Complex, Forward};
        let kinds = |turning, side: Side| [false, true].map(|wide| side.kind(&transform(turning, wide)));
        assert_eq!([kinds(Complex, Side::Load), kinds(Forward, Side::Load)], [[0, 1], [2, 3]]);
        assert_eq!([kinds(Complex, Side::Store), kinds(Backward, Side::Store)], [[4, 5], [6, 7]]);
        assert_eq!([kinds(Backward, Side::Load), kinds(Forward, Side::Store)], [[0, 1], [4, 5]]);
        assert_eq!(Side::Load.usual(&transform(Forward, true)), "cufftJITCallbackLoadDoubleReal");
    }

    #[test]
    fn factors_of_all_kinds_compile_for_the_linker() {
        for turning in [TransformKind::Complex, TransformKind::Forward, TransformKind::Backward] {
            for wide in [false, true] {
                for conjugate in [false, true] {
                    let hook = Hook::Factor { bits: 0.5f64.to_bits(), conjugate };
                    assert!(code(&transform(turning, wide), hook, Side::Store, "sm_90").unwrap().len() > 64);
                }
            }
        }
    }

    #[test]
    fn a_text_compiles_for_the_linker_once_and_tells_its_own_lines() {
        let types = "typedef float2 cufftComplex;\n";
        let text = |own: &str, name: &str| HookText {
            own: own.into(),
            whole: format!("{types}#line 1 \"callback.cu\"\n{own}"),
            name: Some(name.into()),
            options: vec![],
        };
        let own = "cufftComplex f(void *in, size_t at, void *, void *) {\n  return ((cufftComplex *)in)[at];\n}";
        let of = transform(TransformKind::Complex, false);
        let hook = |text| Hook::Text { number: number(text), data: 0 };
        assert_eq!(number(text(own, "f")), number(text(own, "f")));
        assert_ne!(number(text(own, "f")), number(text(own, "g")));
        let made = || code(&of, hook(text(own, "f")), Side::Load, "sm_90").unwrap();
        assert!(Arc::ptr_eq(&made(), &made()));
        let rejected = code(&of, hook(text(own, "g")), Side::Load, "sm_90").unwrap_err();
        assert_eq!(rejected.kind(), ErrorKind::Compile);
        let message = rejected.message();
        assert!(message.contains("\"g\" is undefined") && message.contains("    1 | cufftComplex f("), "{message}");
        assert!(message.contains("call of the callback(1)") && message.ends_with("    3 | }\n"), "{message}");
    }
}
