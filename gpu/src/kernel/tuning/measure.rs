//! Search for a block size: the call is made with each size on copies of the arrays that it could write, and the device
//! times are compared.
//!
//! Each size is launched repeatedly for a limited time; another size than the usual one must be faster by a margin.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use cuprum_kernels::DType;

use super::Tuning;
use crate::array::Array;
use crate::cuda::{Device, Event};
use crate::driver::cache::{self, Key};
use crate::engine::{launch, make};
use crate::error::Result;
use crate::kernel::looped::Key as Types;
use crate::kernel::parameters::Value;
use crate::layout::Layout;

/// Maximum number of measurements of one size.
const MOST: usize = 50;
/// Fraction of the usual size's time that another size must stay below.
const BETTER: f64 = 0.98;

/// Names in a source that do something else than write its elements, or that depend on the block.
const TELLING: [&str; 18] = [
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "asm",
    "printf",
    "malloc",
    "free",
    "clock",
    "clock64",
    "cooperative_groups",
    "include",
    "volatile",
    "__shared__",
    "__trap",
    "__brkpt",
    "assert",
];
/// Prefixes of such names.
const BEGINNINGS: [&str; 10] =
    ["atomic", "__sync", "__shfl", "__any", "__all", "__ballot", "__activemask", "__match", "__reduce", "__thread"];

/// Returns true if one of the sources could distinguish the blocks of a launch, or does more than write its elements.
pub(in crate::kernel) fn distinguishes_blocks(texts: &[&str]) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let telling = |name: &str| TELLING.contains(&name) || BEGINNINGS.iter().any(|of| name.starts_with(of));
    texts.iter().any(|text| text.split(|c| !word(c)).any(telling))
}

/// A call whose block size is searched.
pub(in crate::kernel) struct Call<'a> {
    pub(in crate::kernel) device: Device,
    /// All sources that the kernel consists of, and its compile options.
    pub(in crate::kernel) texts: &'a [&'a str],
    pub(in crate::kernel) types: &'a Types,
    /// The sizes of the axes that the kernel walks.
    pub(in crate::kernel) looped: &'a [usize],
    pub(in crate::kernel) usual: usize,
}

impl Call<'_> {
    /// Returns the size for the call: a known one, or the result of a search.
    ///
    /// `sizes` are the sizes that may be tried; `values` are the arguments of the kernel, of which `writes` says which
    /// it could write; `launch` launches it.
    pub(in crate::kernel) fn block(
        &self,
        tuning: &Tuning,
        sizes: impl FnOnce() -> Result<Vec<usize>>,
        values: &[Value],
        writes: impl Fn(usize) -> bool,
        mut launch: impl FnMut(&[Value], usize) -> Result<()>,
    ) -> Result<usize> {
        if distinguishes_blocks(self.texts) {
            return Ok(self.usual);
        }
        let key = self.key(values);
        // A file may be from another version of the source: an invalid size is not launched.
        if let Some(found) = tuning.get(&key) {
            return Ok(if sizes()?.contains(&found) { found } else { self.usual });
        }
        if self.device.current_stream().is_capturing() {
            return Ok(self.usual);
        }
        let mut sizes = sizes()?;
        sizes.retain(|&size| size != self.usual);
        sizes.insert(0, self.usual);
        sizes.truncate(tuning.options().max_trials.max(1));
        let mut apart = Vec::with_capacity(values.len());
        for (k, value) in values.iter().enumerate() {
            apart.push(match value {
                Value::Array(a) if writes(k) => Value::Array(counterpart(a)?),
                other => other.clone(),
            });
        }
        let best = fastest(self.device, tuning, &sizes, |size| launch(&apart, size))?;
        tuning.set(key, best);
        Ok(best)
    }

    /// Returns the key of a result.
    fn key(&self, values: &[Value]) -> Key {
        let mut shape = format!("{:?} {:?}", self.types, self.looped);
        for value in values {
            if let Value::Array(a) = value {
                let _ = write!(shape, " {:?} {:?}", a.shape(), a.strides());
            }
        }
        let (usual, name) = (self.usual.to_string(), &self.device.info().name);
        let mut parts = vec![env!("CARGO_PKG_VERSION"), name, &shape, &usual];
        parts.extend(self.texts);
        cache::key(&parts)
    }
}

/// Returns the fastest of several sizes, of which the first is the usual one: another one must be faster by more than
/// the noise.
pub(in crate::kernel) fn fastest(
    device: Device,
    tuning: &Tuning,
    sizes: &[usize],
    mut launch: impl FnMut(usize) -> Result<()>,
) -> Result<usize> {
    let (begun, usual) = (Instant::now(), sizes[0]);
    let mut best = (f64::INFINITY, usual);
    for (k, &size) in sizes.iter().enumerate() {
        if k > 0 && begun.elapsed() > tuning.options().timeout {
            break;
        }
        let time = time(device, tuning.options().max_time_per_trial, || launch(size))?;
        let least = if k > 0 && best.1 == usual { BETTER } else { 1.0 };
        if time < best.0 * least {
            best = (time, size);
        }
    }
    Ok(best.1)
}

/// Returns the minimum time of several calls, in milliseconds, after a warm-up call.
fn time(device: Device, most: Duration, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let (start, end) = (Event::new(device)?, Event::new(device)?);
    call()?;
    let begun = Instant::now();
    let mut least = f64::INFINITY;
    for _ in 0..MOST {
        start.record()?;
        call()?;
        end.record()?;
        end.synchronize()?;
        least = least.min(f64::from(end.elapsed_ms_since(&start)?));
        if begun.elapsed() > most {
            break;
        }
    }
    Ok(least)
}

/// Returns an array with the same elements and strides in memory of its own.
pub(in crate::kernel) fn counterpart(a: &Array) -> Result<Array> {
    let (low, high) = a.layout().extent(a.itemsize());
    let (bytes, offset) = ((high - low) as usize, low as usize);
    let of_bytes = Layout { offset, ..Layout::c_order(&[bytes], 1) };
    let own = make::empty(a.device(), &[bytes], DType::U8)?;
    launch::copy_bytes(&Array::of_buffer(a.shared_buffer().clone(), of_bytes, DType::U8), &own)?;
    let layout = Layout { offset: a.layout().offset - offset, ..a.layout().clone() };
    Ok(Array::of_buffer(own.shared_buffer().clone(), layout, a.dtype()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_tell_blocks_apart_are_known_by_their_names() {
        for telling in
            ["y = threadIdx.x", "atomicAdd(&y, x)", "y = __shfl_sync(~0u, x, 0)", "asm(\"\")", "#include <a>"]
        {
            assert!(distinguishes_blocks(&["y = x", telling]), "{telling}");
        }
        assert!(!distinguishes_blocks(&["y = x * x + my_threadIdx + anatomic", "T x"]));
    }

    #[test]
    fn a_counterpart_has_the_same_elements_and_strides_and_memory_of_its_own() -> Result<()> {
        let a = crate::flip(crate::arange(0, 24, 1)?.reshape([4, 6])?.t(), 0)?;
        let b = counterpart(&a)?;
        assert_eq!((b.to_vec::<i64>()?, b.strides()), (a.to_vec::<i64>()?, a.strides()));
        assert!(!b.may_share_memory(&a));
        Ok(())
    }
}
