//! Block sizes of raw kernels, found by launching them with several.
//!
//! Every block size runs with the same arguments, of which arrays are copies, and the fastest is kept for the device,
//! the kernel, the dtypes, shapes and strides.

use std::fmt::Write as _;

use super::{FunctionAttribute, RawKernel};
use crate::array::Array;
use crate::driver::cache::{self, Key};
use crate::engine::launch::Argument;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::Tuning;
use crate::kernel::tuning::measure::{counterpart, fastest};

impl RawKernel {
    /// Returns the number of threads of a block, among those passed, with which the kernel is fastest. In a scope of
    /// [`Tuning`] `launch` is called with each, and with the arguments that it is to launch the kernel with: the arrays
    /// among them are copies, so that the user's arrays are not modified. Outside of a scope, and while a graph is
    /// captured, the first number is returned.
    ///
    /// The result is reused for this device and this kernel, for arrays of these dtypes, shapes and strides and for the
    /// same numbers of threads, and is stored in the file of the `Tuning`. It does not depend on other arguments.
    /// Numbers of threads that the kernel's blocks cannot have are skipped, and the first is returned unless another is
    /// faster by 2 %.
    ///
    /// ```
    /// use cuprum::{Argument, RawModule, Tuning, array};
    /// let text = r#"extern "C" __global__ void twice(float *x, int n) {
    ///     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
    /// }"#;
    /// let (twice, x) = (RawModule::compile(text, &[])?.kernel("twice")?, array([1f32, 2.0, 3.0])?);
    /// let arguments = [Argument::Array(&x), Argument::I32(3)];
    /// let grid = |block: u32| [3u32.div_ceil(block), 1, 1];
    /// let tuning = Tuning::new(());
    /// // SAFETY: the arguments are those of the kernel, and it stays inside the array.
    /// let block = tuning.with(|| {
    ///     twice.tune(&[128, 64, 256], &arguments, |block, arguments| unsafe {
    ///         twice.launch(grid(block), [block, 1, 1], arguments)
    ///     })
    /// })?;
    /// // SAFETY: as above.
    /// unsafe { twice.launch(grid(block), [block, 1, 1], &arguments)? };
    /// assert_eq!((x.to_vec::<f32>()?, tuning.len()), (vec![2.0, 4.0, 6.0], 1));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// A copy includes the elements of an array and the bytes between them. Memory that a struct of bytes points to,
    /// variables of the module, textures and surfaces are not copied: a kernel that writes to those writes in each
    /// trial.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) if no number of threads is passed that a block of the kernel can have;
    /// [`OutOfMemory`](ErrorKind::OutOfMemory) for the copies; those of `launch`.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device during a search. If a result is known, it does not.
    pub fn tune(
        &self,
        threads: &[u32],
        arguments: &[Argument<'_>],
        mut launch: impl FnMut(u32, &[Argument<'_>]) -> Result<()>,
    ) -> Result<u32> {
        self.found(threads, arguments, &mut launch).map_err(|e| e.with_op("RawKernel::tune"))
    }

    fn found(
        &self,
        threads: &[u32],
        arguments: &[Argument<'_>],
        launch: &mut dyn FnMut(u32, &[Argument<'_>]) -> Result<()>,
    ) -> Result<u32> {
        let most = self.attribute(FunctionAttribute::MaxThreadsPerBlock)?.unsigned_abs();
        let mut sizes: Vec<usize> = threads.iter().filter(|n| (1..=most).contains(*n)).map(|&n| n as usize).collect();
        let Some(&usual) = sizes.first() else {
            let message = format!(
                "a block of the kernel {} has 1 to {most} threads, and {threads:?} are given: give some that it can have",
                self.name
            );
            return Err(Error::new(ErrorKind::Value, message));
        };
        let Some(tuning) = Tuning::current() else { return Ok(usual as u32) };
        let key = self.key(threads, arguments);
        if let Some(found) = tuning.get(&key) {
            // A file may be from another version of the kernel.
            return Ok(if sizes.contains(&found) { found } else { usual } as u32);
        }
        if self.device.current_stream().is_capturing() {
            return Ok(usual as u32);
        }
        sizes.truncate(tuning.options().max_trials.max(1));
        let mut counterparts: Vec<(&Array, Array)> = vec![];
        for a in arguments.iter().filter_map(array) {
            if !counterparts.iter().any(|(known, _)| is_same(known, a)) {
                counterparts.push((a, counterpart(a)?));
            }
        }
        let of =
            |a: &Array| counterparts.iter().find(|(known, _)| is_same(known, a)).map(|(_, counterpart)| counterpart);
        let apart: Vec<Argument<'_>> = (arguments.iter())
            .map(|argument| match argument {
                Argument::Array(a) => of(a).map_or(*argument, Argument::Array),
                Argument::View(a) => of(a).map_or(*argument, Argument::View),
                other => *other,
            })
            .collect();
        let best = fastest(self.device, &tuning, &sizes, |size| launch(size as u32, &apart))?;
        tuning.set(key, best);
        Ok(best as u32)
    }

    /// Returns the key of a result.
    fn key(&self, threads: &[u32], arguments: &[Argument<'_>]) -> Key {
        let mut params = format!("{} {threads:?}", arguments.len());
        for a in arguments.iter().filter_map(array) {
            let _ = write!(params, " {} {:?} {:?}", a.dtype(), a.shape(), a.strides());
        }
        let device = &self.device.info().name;
        let parts = ["raw", env!("CARGO_PKG_VERSION"), device, &self.name, &params].map(str::as_bytes);
        cache::key(&[&parts[..], &[&self.identity]].concat())
    }
}

fn array<'a>(argument: &Argument<'a>) -> Option<&'a Array> {
    match argument {
        Argument::Array(a) | Argument::View(a) => Some(a),
        _ => None,
    }
}

/// Returns true if two arrays are the same: a kernel that is passed both sees what it writes to one in the other.
fn is_same(a: &Array, b: &Array) -> bool {
    std::sync::Arc::ptr_eq(a.shared_buffer(), b.shared_buffer()) && a.layout() == b.layout() && a.dtype() == b.dtype()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{RawModule, TuningOptions};
    use crate::{arange, array};

    const TEXT: &str = r#"extern "C" __global__ void bump(int *x, const int *y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += y[i] + 1;
    }"#;

    fn quick() -> TuningOptions {
        TuningOptions { max_time_per_trial: std::time::Duration::ZERO, ..TuningOptions::default() }
    }

    #[test]
    fn what_is_tried_leaves_the_arrays_as_they_are_and_is_found_once() -> Result<()> {
        let bump = RawModule::compile(TEXT, &[])?.kernel("bump")?;
        let (x, y) = (arange(0, 100, 1)?.astype(crate::DType::I32)?, arange(0, 100, 1)?.astype(crate::DType::I32)?);
        let mut tried = vec![];
        let mut tune = |x: &Array, threads: &[u32]| {
            let arguments = [Argument::Array(x), Argument::Array(&y), Argument::I32(x.size() as i32)];
            bump.tune(threads, &arguments, |block, arguments| {
                tried.push(block);
                // SAFETY: the arguments are those of the kernel, which stays inside the arrays.
                unsafe { bump.launch([100u32.div_ceil(block), 1, 1], [block, 1, 1], arguments) }
            })
        };
        // Outside of a scope nothing is tried.
        assert_eq!(tune(&x, &[96, 32])?, 96);
        let tuning = Tuning::with_key("bumps", quick());
        let best = tuning.with(|| tune(&x, &[2048, 0, 96, 32, 64]))?;
        assert!([96, 32, 64].contains(&best) && tuning.is_dirty(), "{best}");
        assert_eq!(tuning.with(|| tune(&x, &[2048, 0, 96, 32, 64]))?, best);
        assert_eq!(tuning.len(), 1);
        // The arguments decide: the shape, and the numbers of threads.
        tuning.with(|| tune(&x.index(crate::s![..;2])?, &[96, 32]))?;
        assert_eq!(tuning.len(), 2);
        assert_eq!(x.to_vec::<i32>()?, (0..100).collect::<Vec<i32>>());
        let file = std::env::temp_dir().join(format!("cuprum-tuned-{}", std::process::id()));
        tuning.save(&file)?;
        let again = Tuning::with_key("bumps", quick());
        again.load(&file)?;
        std::fs::remove_file(file).unwrap();
        assert_eq!(again.with(|| tune(&x, &[2048, 0, 96, 32, 64]))?, best);
        assert!(!again.is_dirty());
        let sizes: std::collections::BTreeSet<u32> = tried.iter().copied().collect();
        assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [32, 64, 96]);
        Ok(())
    }

    #[test]
    fn arrays_that_are_one_are_one_copy() -> Result<()> {
        let bump = RawModule::compile(TEXT, &[])?.kernel("bump")?;
        let x = array([1, 2, 3])?.astype(crate::DType::I32)?;
        let arguments = [Argument::Array(&x), Argument::Array(&x), Argument::I32(3)];
        let mut apart = vec![];
        Tuning::new(quick()).with(|| {
            bump.tune(&[32], &arguments, |_, given| {
                apart.push(given.iter().filter_map(super::array).map(Array::addr).collect::<Vec<_>>());
                Ok(())
            })
        })?;
        assert!(apart.iter().all(|at| at[0] == at[1] && at[0] != x.addr()), "{apart:?}");
        Ok(())
    }

    #[test]
    fn impossible_block_sizes_and_launch_errors_are_reported() -> Result<()> {
        let bump = RawModule::compile(TEXT, &[])?.kernel("bump")?;
        let e = bump.tune(&[0, 5000], &[], |_, _| Ok(())).unwrap_err();
        assert!(e.kind() == ErrorKind::Value && e.message().contains("1 to 1024"), "{e}");
        assert_eq!(bump.tune(&[], &[], |_, _| Ok(())).unwrap_err().kind(), ErrorKind::Value);
        let rejected = || Error::new(ErrorKind::Type, "no");
        let tuning = Tuning::new(quick());
        assert_eq!(tuning.with(|| bump.tune(&[32], &[], |_, _| Err(rejected()))).unwrap_err().kind(), ErrorKind::Type);
        assert!(tuning.is_empty());
        Ok(())
    }
}
