//! Work fused into library calls as callbacks: user callbacks, and the factor of a norm where requested.

use std::sync::OnceLock;

use super::callbacks::{InForce, Pair, in_force};
use crate::array::Array;
use crate::driver::Hook;
use crate::engine::{Hooks, plans_are_held};
use crate::error::{Error, ErrorKind, Result};

/// The callbacks fused into the library calls of one transform.
#[derive(Clone, Debug)]
pub(super) struct Riding {
    users: Option<Pair>,
    factor: bool,
}

/// Work that remains after a transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Left {
    pub(super) scale: f64,
    pub(super) conjugate: bool,
}

impl Left {
    const NOTHING: Left = Left { scale: 1.0, conjugate: false };
}

impl Riding {
    /// Returns the callbacks of this thread's transforms.
    pub(super) fn new() -> Result<Riding> {
        let users = in_force();
        // A plan held by the caller has no factor.
        let factor = users.is_none() && factor_rides()? && !plans_are_held();
        Ok(Riding { users, factor })
    }

    /// Returns true if the library's calls have callbacks: a user's, or one that applies the factor.
    pub(super) fn has_callbacks(&self) -> bool {
        self.users.is_some() || self.factor
    }

    /// Returns the factor that a pass before the transform applies, and marks it as applied. With user callbacks it is
    /// applied later.
    pub(super) fn before(&self, scale: &mut f64) -> f64 {
        if self.users.is_some() { 1.0 } else { std::mem::replace(scale, 1.0) }
    }

    /// Returns the callbacks of one library call along axes of these lengths, which may be the first and the last call,
    /// and the work that remains afterwards.
    pub(super) fn hooks(
        &self,
        out: &Array,
        mut lengths: impl Iterator<Item = usize>,
        [first, last]: [bool; 2],
        left: Left,
    ) -> Result<(Hooks, Left)> {
        let mut hooks = Hooks::default();
        if let Some([load, store]) = &self.users {
            let of = |one: &Option<InForce>, applies: bool| {
                one.as_ref().filter(|_| applies).map(|one| one.hook(out.device())).transpose()
            };
            (hooks.load, hooks.store) = (of(load, first)?, of(store, last)?);
            hooks.data = [load, store].into_iter().flatten().filter_map(|one| one.data.clone()).collect();
        } else if self.factor && last && left != Left::NOTHING && lengths.all(is_short) {
            let Left { scale, conjugate } = left;
            hooks.store = Some(Hook::Factor { bits: scale.to_bits(), conjugate });
            return Ok((hooks, Left::NOTHING));
        }
        Ok((hooks, left))
    }
}

/// Returns whether applying the factor in the library's call saves time. Longer transforms take several kernels, which
/// callbacks slow down by more than a pass takes, and lengths with a large prime factor support no callbacks.
fn is_short(n: usize) -> bool {
    const LINE: usize = 4096;
    const PRIME: usize = 127;
    let mut rest = n.max(1);
    for p in 2..=PRIME {
        while rest.is_multiple_of(p) {
            rest /= p;
        }
    }
    n <= LINE && rest == 1
}

/// Returns whether `CUPRUM_FFT_CALLBACKS` requests that factors be applied by callbacks.
fn factor_rides() -> Result<bool> {
    static RIDES: OnceLock<Result<bool>> = OnceLock::new();
    #[cfg(test)]
    if let Some(said) = tests::SAID.get() {
        return Ok(said);
    }
    let read = || match std::env::var("CUPRUM_FFT_CALLBACKS").unwrap_or_default().as_str() {
        "" | "0" => Ok(false),
        "1" => Ok(true),
        other => {
            Err(Error::new(ErrorKind::Value, format!("CUPRUM_FFT_CALLBACKS is `{other}`: it is `1`, `0`, or not set")))
        }
    };
    RIDES.get_or_init(read).clone()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::fft::compare::assert_same;
    use crate::fft::config::get_plan_cache;
    use crate::fft::{FftOptions, FftnOptions, Norm, get_fft_plan, hfft, ifft, ifftn, ihfft, irfft, rfft};
    use crate::{DType, arange};

    thread_local! {
        /// Overrides the environment variable.
        pub(super) static SAID: Cell<Option<bool>> = const { Cell::new(None) };
    }

    /// Returns whether a call applies the factor in the library's call, which the plan's key shows; checks that the
    /// result is bitwise that of a separate pass.
    fn both(call: impl Fn() -> Result<Array>) -> Result<bool> {
        let cache = get_plan_cache()?;
        SAID.set(Some(false));
        let apart = call()?;
        cache.clear();
        SAID.set(Some(true));
        let along = call()?;
        SAID.set(None);
        assert_same(&along, &apart);
        Ok(cache.keys().iter().any(|key| key.to_string().contains("multiplied by")))
    }

    #[test]
    fn a_factor_in_a_library_call_has_the_bits_of_a_pass_behind_it() -> Result<()> {
        for dtype in [DType::C64, DType::C128] {
            let real = arange(0, 210, 1)?.remainder(11)?.astype(dtype.real())?.reshape([6, 7, 5])?;
            let z = ifft(real.add(0.3)?.astype(dtype)?, ())?;
            for a in [z.clone(), z.t()] {
                for norm in [Norm::Backward, Norm::Ortho] {
                    assert!(both(|| ifft(&a, FftOptions::new().norm(norm)))?);
                    assert!(both(|| ifftn(&a, FftnOptions::new().norm(norm)))?);
                    assert!(both(|| ifftn(&a, FftnOptions::new().norm(norm).axes([0, 2])))?);
                }
            }
            assert!(both(|| rfft(&real, FftOptions::new().norm(Norm::Ortho)))?);
            assert!(both(|| ihfft(&real, ()))?, "it conjugates, too");
            for n in [8192, 131] {
                assert!(!both(|| ifft(&z, FftOptions::new().n(n)))?, "a pass is better");
            }
            assert!(!both(|| irfft(&z, ()))?, "the copy that saves the operand has the factor");
            assert!(!both(|| hfft(&z, ()))?);
            assert!(!both(|| rfft(&real, ()))?, "there is none");
        }
        Ok(())
    }

    #[test]
    fn a_plan_that_is_held_has_no_factor() -> Result<()> {
        let a = arange(0, 8, 1)?.astype(DType::C64)?;
        SAID.set(Some(true));
        let plan = get_fft_plan(&a, ())?;
        assert!(!plan.keys()[0].to_string().contains("multiplied"));
        let scope = plan.scope()?;
        let inside = ifft(&a, ())?;
        drop(scope);
        assert_same(&ifft(&a, ())?, &inside);
        SAID.set(None);
        Ok(())
    }
}
