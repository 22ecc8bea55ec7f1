//! Searches in sorted values.
//!
//! Bytes moved: needles once, eight for each result, and what the searches read of the values. 2^24 needles of float32 in
//! 2^20 values: 67 + 134 MB from memory, 0.05 ms. What limits is the L2, where the values are: of the 20 steps of a
//! search 13 are done in shared memory, and the 7 others meet about four sectors of 32 bytes, 2.1 GB in all, some 0.4 ms.
//! The samples cost each block as many sectors as it has samples, 0.14 GB together.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width};
use cuprum_kernels::source::{Search, SearchParams};

use super::kernels::{Kernels, kernels};
use super::launch::{Blocks, Launcher, Place, read, written};
use crate::array::Array;
use crate::error::Result;
use crate::layout::Axes;

/// Threads of a block: as in `include/search.cuh`.
pub(super) const THREADS: usize = 512;
/// The most blocks: four to each of the multiprocessors of a large device.
const BLOCKS: usize = 528;
/// So many values fit in shared memory as fast as one can look for one of them.
const FEW_VALUES: usize = THREADS;
/// From so many needles on, samples in shared memory pay.
const MANY_NEEDLES: usize = 1 << 18;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Search> = Kernels::default();
}

/// Writes for each of `needles` its place among `values`, an array of one axis, to `out`, int64 in C order. `sorter`, int64
/// one after the other, has the indices of the values in sorted order, all of them in bounds.
pub(crate) fn search(
    values: &Array,
    needles: &Array,
    common: DType,
    right: bool,
    sorter: Option<&Array>,
    out: &Array,
) -> Result<()> {
    let staged = values.size() <= FEW_VALUES || needles.size() >= MANY_NEEDLES;
    search_by(values, needles, common, right, sorter, out, staged)
}

fn search_by(
    values: &Array,
    needles: &Array,
    common: DType,
    right: bool,
    sorter: Option<&Array>,
    out: &Array,
    staged: bool,
) -> Result<()> {
    let n = needles.size();
    if n == 0 {
        return Ok(());
    }
    let axes = Axes::collapse(needles.shape(), [needles.strides()], true);
    let width = Width::of(axes.sizes.len(), n);
    let key = Search {
        value: values.dtype(),
        needle: needles.dtype(),
        common,
        right,
        sorter: sorter.is_some(),
        staged,
        width,
    };
    let device = needles.device();
    let [function] = kernels(&KERNELS, device, key, ["search"], || (key.name(), key.source()))?;
    let told = SearchParams {
        width,
        needles: n,
        values: values.size(),
        input: read(needles),
        from: read(values),
        sorter: Read(sorter.map(Place::of)),
        out: written(out),
        step: values.strides()[0],
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        strides: Strides(&axes.strides[0]),
    };
    let blocks = Blocks::of(n.div_ceil(THREADS).min(BLOCKS), n, "needles");
    // SAFETY: sizes and strides reach elements of the arrays only, and the kernel takes from the sorter what is an index.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &told) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zeros;

    #[test]
    fn samples_lead_to_the_same_places() {
        // Runs of equal values, over more values than there are samples, and needles between and beyond them.
        for size in [0, 1, 5, 4096, 8192, 20_001] {
            let values: Vec<f64> = (0..size).map(|i| f64::from(i / 3)).collect();
            let needles: Vec<f64> = (-2..size / 3 + 3).flat_map(|i| [f64::from(i), f64::from(i) + 0.5]).collect();
            let needles = [needles, vec![f64::NAN, f64::NEG_INFINITY]].concat();
            let (v, x) = (Array::from_vec(values.clone()).unwrap(), Array::from_vec(needles.clone()).unwrap());
            for right in [false, true] {
                let want: Vec<i64> = needles
                    .iter()
                    .map(|x| values.partition_point(|v| x.is_nan() || v < x || right && v == x) as i64)
                    .collect();
                for staged in [false, true] {
                    let out = zeros(needles.len(), DType::I64).unwrap();
                    search_by(&v, &x, DType::F64, right, None, &out, staged).unwrap();
                    assert!(out.to_vec::<i64>().unwrap() == want, "{size} {right} {staged}");
                }
            }
        }
    }
}
