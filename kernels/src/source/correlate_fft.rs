//! Source of the kernels for the correlation of two sequences by Fourier transforms.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernels `correlate_spectrum` and `correlate_fft`: sizes in elements, strides in bytes.
    CorrelateFftParams<P> {
        /// Number of results.
        count: usize,
        /// Length of the longer sequence.
        n: usize,
        /// Length of the shorter sequence.
        k: usize,
        /// Offset of the longer sequence from the first result.
        lead: usize,
        /// The longer sequence.
        a: Read<P> as "const char *",
        /// The shorter sequence, conjugated.
        v: Read<P> as "const char *",
        /// The results.
        out: Written<P> as "element *",
        /// Stride of the longer sequence.
        a_step: i64,
        /// Stride of the shorter sequence.
        v_step: i64,
        /// The roots of unity between the stages: see [`correlate_fft_roots`].
        roots: Read<P> as "const c128 *",
        /// The spectrum of the shorter sequence, and the square of its norm.
        spectrum: Written<P> as "c128 *",
        /// uint32: a flag for each block, 1 if its results are left to the kernel `correlate`.
        left: Written<P> as "u32 *",
        /// Number of results of a transform.
        side: u32,
    }
}

/// Threads of a block of the kernels: `THREADS` of `include/correlate_fft.cuh`.
pub const CORRELATE_FFT_THREADS: usize = 256;

/// Elements of a thread, which is the radix of a stage: `RADIX` of `include/correlate_fft.cuh`.
const RADIX: usize = 16;

/// Elements of a transform.
pub const CORRELATE_FFT_LENGTH: usize = CORRELATE_FFT_THREADS * RADIX;

/// Bytes of dynamic shared memory of a block.
pub const CORRELATE_FFT_BYTES: usize = (CORRELATE_FFT_LENGTH + CORRELATE_FFT_LENGTH / RADIX) * 16;

/// Returns the roots of unity that the kernels read, in their order: `(k, n)` is exp(-2 pi i k / n). The row of each element of a
/// thread has a root for each thread, or in the second stage for each of 16 adjacent threads.
pub fn correlate_fft_roots() -> impl Iterator<Item = (usize, usize)> {
    let stage = |n: usize| (0..n).map(move |at| (at / (n / RADIX) * (at % (n / RADIX)), n));
    stage(CORRELATE_FFT_LENGTH).chain(stage(CORRELATE_FFT_THREADS))
}

/// Returns the source of the kernels `correlate_spectrum` and `correlate_fft` for float32 or complex64.
pub fn correlate_fft_source(dtype: DType) -> String {
    let functions = if dtype == DType::F32 {
        "DEVICE c128 widened(element e) { return {e, 0}; }\n\
         DEVICE element result_of(c128 a) { return (f32)a.re; }\n"
    } else {
        "DEVICE c128 widened(element e) { return widen(e); }\n\
         DEVICE element result_of(c128 a) { return narrow(a); }\n"
    };
    Unit::new(headers([DType::C128], false), "correlate_fft")
        .typed("element", dtype.device_name())
        .number("REAL", usize::from(dtype == DType::F32))
        .params(&CorrelateFftParams::<()>::default())
        .with(functions)
        .with(body!("correlate_fft"))
        .finish()
}
