//! Kernels of spectra: segments for a batch of transforms, and the sum of overlapping segments.
//!
//! Lower bounds: the bytes of the segments and of the signal, once each. Lengths, steps and borders are arguments; the
//! source varies by dtype alone.

use std::sync::{LazyLock, Mutex};

use cuprum_kernels::DType;

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::launch::Argument;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{KernelArgument, RawKernel, RawModule, ReductionKernel, ReductionKernelOptions};
use crate::layout::Order;
use crate::scalar::Scalar;

use super::peak_kernels::{Lazy, kernel, run};

/// Elements of a segment whose warp has all of them: longer segments are divided among warps.
const CHUNK: usize = 1 << 14;

/// Threads of a block.
const THREADS: usize = 256;

// A warp has a segment, or a chunk of it. C is the number of components of an element, R their type. The mean is summed
// before the slope about it, so that a large mean does not cancel.
const SEGMENTS: &str = "
typedef long long i64;
template <class R> __device__ R over_warp(R v) {
  for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  return v;
}
// Component c of the element at position t of a line of n elements, which is continued at both ends by `pad` elements.
template <class R, int C> __device__ R at(const char *line, i64 x_step, i64 n, i64 pad, int border, i64 t, int c) {
  i64 from = t;
  if (t < 0 || t >= n) {
    if (border == 0 || t < -pad || t >= n + pad) return 0;
    from = t < 0 ? (border == 3 ? 0 : -t) : (border == 3 ? n - 1 : 2 * (n - 1) - t);
  }
  const R v = ((const R *)(line + from * x_step))[c];
  if (from == t || border != 2) return v;
  return 2 * ((const R *)(line + (t < 0 ? 0 : n - 1) * x_step))[c] - v;
}
template <class R, int C>
__global__ void __launch_bounds__(256) segments(const char *x, R *out, const R *window, const R *trend, i64 count, i64 chunks, i64 chunk,
                                                i64 of_line, i64 step, i64 length, i64 nfft, i64 n, i64 pad, i64 x_step, i64 line_step,
                                                int detrend, int border, int known) {
  const i64 warp = ((i64)blockIdx.x * 256 + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= count) return;
  const i64 segment = chunks == 1 ? warp : warp / chunks, begin = (warp - segment * chunks) * chunk;
  const i64 line = segment / of_line, first = (segment - line * of_line) * step - pad;
  const char *src = x + line * line_step;
  const bool inside = first >= 0 && first + length <= n;
  R mean[C] = {}, slope[C] = {};
  const R center = (R)(length - 1) / 2;
  if (known) {
    for (int c = 0; c < C; ++c) {
      mean[c] = trend[(segment * 2) * C + c];
      slope[c] = trend[(segment * 2 + 1) * C + c];
    }
  } else if (detrend) {
    for (int c = 0; c < C; ++c) {
      R sum = 0;
      for (i64 j = lane; j < length; j += 32)
        sum += inside ? ((const R *)(src + (first + j) * x_step))[c] : at<R, C>(src, x_step, n, pad, border, first + j, c);
      mean[c] = over_warp(sum) / (R)length;
      if (detrend == 2 && length > 1) {
        R moment = 0, squares = 0;
        for (i64 j = lane; j < length; j += 32) {
          const R d = (R)j - center;
          moment += d * (at<R, C>(src, x_step, n, pad, border, first + j, c) - mean[c]);
          squares += d * d;
        }
        slope[c] = over_warp(moment) / over_warp(squares);
      }
    }
  }
  const i64 end = begin + chunk < nfft ? begin + chunk : nfft;
  R *dst = out + segment * nfft * C;
  for (i64 j = begin + lane; j < end; j += 32) {
    const R w = j < length ? window[j] : (R)0, d = (R)j - center;
    for (int c = 0; c < C; ++c) {
      R v = 0;
      if (j < length) {
        v = inside ? ((const R *)(src + (first + j) * x_step))[c] : at<R, C>(src, x_step, n, pad, border, first + j, c);
        v = (v - mean[c] - slope[c] * d) * w;
      }
      dst[j * C + c] = v;
    }
  }
}
";

/// Segments of lines, and the transform of each segment's elements before the FFT.
pub(super) struct Cut {
    /// Number of segments of a line.
    pub(super) count: usize,
    pub(super) step: usize,
    pub(super) length: usize,
    pub(super) nfft: usize,
    /// Number of elements by which a line is continued at both ends.
    pub(super) pad: usize,
    /// 0 for zeros, 1 for even, 2 for odd, 3 for constant.
    pub(super) border: i32,
    /// 0 for no trend, 1 for the mean, 2 for a line.
    pub(super) detrend: i32,
}

static KERNELS: LazyLock<Mutex<Vec<(Device, DType, RawKernel)>>> = LazyLock::new(Mutex::default);

fn compiled(device: Device, dtype: DType) -> Result<RawKernel> {
    let mut all = KERNELS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((.., kernel)) = all.iter().find(|one| one.0 == device && one.1 == dtype) {
        return Ok(kernel.clone());
    }
    let name = match dtype {
        DType::F32 => "segments<float, 1>",
        DType::F64 => "segments<double, 1>",
        DType::C64 => "segments<float, 2>",
        _ => "segments<double, 2>",
    };
    let kernel = RawModule::instantiate(SEGMENTS, &[], &[name])?.kernel(name)?;
    all.push((device, dtype, kernel.clone()));
    Ok(kernel)
}

/// Returns the segments of lines, shape (lines, segments, nfft), without their trend and times a window in C order
/// whose dtype is that of the elements' components.
pub(super) fn segments(x: &Array, window: &Array, cut: &Cut) -> Result<Array> {
    let (device, dtype) = (x.device(), x.dtype());
    debug_assert!(window.is_c_contiguous());
    let [lines, n] = [x.shape()[0], x.shape()[1]];
    let out = make::empty(device, &[lines, cut.count, cut.nfft], dtype)?;
    if out.size() == 0 {
        return Ok(out);
    }
    let chunks = if cut.nfft > 2 * CHUNK { cut.nfft.div_ceil(CHUNK) } else { 1 };
    let chunk = if chunks == 1 { cut.nfft } else { CHUNK };
    let trend = if chunks > 1 && cut.detrend > 0 { Some(trends(x, cut)?) } else { None };
    let warps = lines * cut.count * chunks;
    let blocks = u32::try_from(warps.div_ceil(THREADS / 32)).ok().filter(|n| *n < 1 << 31);
    let Some(blocks) = blocks else {
        let message = format!("{warps} segments are more than a launch can have: transform fewer at once");
        return Err(Error::new(ErrorKind::Value, message));
    };
    let numbers = [warps, chunks, chunk, cut.count, cut.step, cut.length, cut.nfft, n, cut.pad];
    let mut arguments = vec![
        Argument::Array(x),
        Argument::Array(&out),
        Argument::Array(window),
        Argument::Array(trend.as_ref().unwrap_or(window)),
    ];
    arguments.extend(numbers.map(|n| Argument::I64(n as i64)));
    arguments.extend([x.strides()[1], x.strides()[0]].map(Argument::I64));
    arguments.extend([cut.detrend, cut.border, trend.is_some() as i32].map(Argument::I32));
    // SAFETY: a warp reads elements of its line, by the rule of the border, and the window within the segment's length; it writes
    // its chunk of a segment.
    unsafe { compiled(device, dtype)?.launch([blocks, 1, 1], [THREADS as u32, 1, 1], &arguments)? };
    Ok(out)
}

/// Returns means and slopes of long segments, shape (lines * segments, 2): the segments themselves are written for it.
fn trends(x: &Array, cut: &Cut) -> Result<Array> {
    use crate::routines::{manipulation::stack, math};
    let real = x.dtype().real();
    let whole = if cut.pad == 0 && cut.count > 0 && (cut.count - 1) * cut.step + cut.length <= x.shape()[1] {
        let [line, step] = [x.strides()[0], x.strides()[1]];
        x.as_strided([x.shape()[0], cut.count, cut.length], &[line, step * cut.step as i64, step])?
    } else {
        let ones = make::full(x.device(), &[cut.length], 1.0, real)?;
        segments(x, &ones, &Cut { detrend: 0, nfft: cut.length, ..*cut })?
    };
    let mean = whole.mean(-1)?;
    let slope = if cut.detrend == 2 {
        let length = cut.length as f64;
        let centre = (length - 1.0) / 2.0;
        let d = math::subtract(crate::routines::creation::arange(0.0, length, 1.0)?, centre)?.astype(real)?;
        let about = math::subtract(&whole, mean.expand_dims(-1)?)?;
        let squares = length * (length * length - 1.0) / 12.0;
        math::divide(math::multiply(&about, &d)?.sum(-1)?, squares)?.astype(x.dtype())?
    } else {
        make::zeros(x.device(), mean.shape(), x.dtype())?
    };
    stack([&mean.astype(x.dtype())?, &slope], -1)?.copy(Order::C)
}

static POWER: Lazy = LazyLock::new(|| {
    let operation = "const R a = x.real(), b = x.imag(); y = factor * (a * a + b * b)";
    kernel("signal_power", "C x, R factor", "R y", operation, "")
});
static CROSS_POWER: Lazy =
    LazyLock::new(|| kernel("signal_cross_power", "C x, C y, R factor", "C z", "z = conj(x) * y * factor", ""));

// The mean of the powers of all segments, without an array of them. The factor has the number of segments in it.
static MEAN_POWER: LazyLock<Result<ReductionKernel>> = LazyLock::new(|| {
    let options = ReductionKernelOptions { name: "signal_mean_power".into(), ..Default::default() };
    let map = "factor * (x.real() * x.real() + x.imag() * x.imag())";
    ReductionKernel::new("C x, R factor", "R y", map, "a + b", "y = a", "0", options)
});
static MEAN_CROSS_POWER: LazyLock<Result<ReductionKernel>> = LazyLock::new(|| {
    let options = ReductionKernelOptions { name: "signal_mean_cross_power".into(), ..Default::default() };
    ReductionKernel::new("C x, C y, R factor", "C z", "conj(x) * y * factor", "a + b", "z = a", "0", options)
});

/// Returns the powers of spectra of shape (..., segments, frequencies), or the cross powers of two, times a factor for
/// each frequency.
pub(super) fn powers(x: &Array, y: Option<&Array>, factor: &Array) -> Result<Array> {
    let found = match y {
        None => run(&POWER, &[x.into(), factor.into()], &[], None)?,
        Some(y) => run(&CROSS_POWER, &[x.into(), y.into(), factor.into()], &[], None)?,
    };
    found.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Value, "a kernel has one output"))
}

/// Returns the sums of the powers over all segments.
pub(super) fn summed_powers(x: &Array, y: Option<&Array>, factor: &Array) -> Result<Array> {
    let (lazy, arguments): (_, Vec<KernelArgument<'_>>) = match y {
        None => (&MEAN_POWER, vec![x.into(), factor.into()]),
        Some(y) => (&MEAN_CROSS_POWER, vec![x.into(), y.into(), factor.into()]),
    };
    let kernel = lazy.as_ref().map_err(Clone::clone)?;
    // SAFETY: the expressions use their elements alone.
    unsafe { kernel.call(&arguments, None, -2, false) }
}

// A result gathers the segments that have it, the first one first. Indices below 2^32 are divided as 32-bit ones.
static OVERLAP: Lazy = LazyLock::new(|| {
    let operation = "
    const unsigned long long at = i;
    unsigned long long line, t;
    if (narrow) {
      line = (unsigned)at / (unsigned)total;
      t = (unsigned)at - (unsigned)line * (unsigned)total;
    } else {
      line = at / total;
      t = at - line * total;
    }
    t += offset;
    long long last = narrow ? (long long)((unsigned)t / (unsigned)step) : (long long)(t / step);
    long long from = (long long)t - last * step;
    if (last >= count) {
      from += (last - count + 1) * step;
      last = count - 1;
    }
    // From the last segment, in which the result is nearest to the begin, to the first.
    T sum = 0;
    R norm = 0;
    const long long base = (long long)line * count;
    for (; last >= 0 && from < length; --last, from += step) {
      const R w = window[from];
      sum += x[(base + last) * nfft + from] * w;
      norm += w * w;
    }
    y = sum * (scale / (norm > (R)1e-10 ? norm : (R)1))";
    let inputs = "raw T x, raw R window, int64 total, int64 offset, int64 count, int64 step, int64 length, int64 nfft, R scale, bool narrow";
    kernel("signal_overlap_add", inputs, "T y", operation, "")
});

/// Returns the sums of overlapping segments times a window, divided by the sums of the squares of the window. `x` has
/// shape (lines, segments, nfft) and C order; `range` selects elements of the sums.
pub(super) fn overlapped(
    x: &Array,
    window: &Array,
    step: usize,
    range: std::ops::Range<usize>,
    scale: f64,
) -> Result<Array> {
    let (shape, total) = (x.shape(), range.len());
    let out = make::empty(x.device(), &[shape[0], total], x.dtype())?;
    if out.size() == 0 {
        return Ok(out);
    }
    let narrow = out.size().max(range.end) < 1 << 32;
    let real = x.dtype().real();
    let factor = KernelArgument::Strong(real, Scalar::from(scale));
    let numbers = [total, range.start, shape[1], step, window.size(), shape[2]].map(|n| KernelArgument::from(n as i64));
    let mut arguments: Vec<KernelArgument<'_>> = vec![x.into(), window.into()];
    arguments.extend(numbers);
    arguments.extend([factor, narrow.into()]);
    run(&OVERLAP, &arguments, &[&out], None)?;
    Ok(out)
}
