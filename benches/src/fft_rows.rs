//! Benchmarks of Fourier transforms: long 1-D, N-d, batched and half-spectrum transforms, and options of their layouts.

use cuprum::fft::{self, FftOptions, Norm};
use cuprum::scipy::fft as scipy;
use cuprum::{Array, DType, Result};

use crate::data::{Data, Sizes};
use crate::device_rows::{Prepared, Row, row};

/// Builds a row of a transform of an array of a shape, whose sides are scaled with the sizes of the operands.
fn transform(
    name: &'static str,
    shape: &'static [usize],
    dtype: DType,
    call: impl Fn(&Array) -> Result<Array> + Copy + 'static,
) -> Row {
    row(name, move |data: &Data| {
        let side = |n: usize| (n * data.sizes.matrix / Sizes::LARGE.matrix).clamp(2, n);
        let shape: Vec<usize> = shape.iter().map(|n| side(*n)).collect();
        let a = cuprum::resize(&data.a, shape)?.astype(dtype)?;
        Ok(Prepared { bytes: None, call: Box::new(move || call(&a)) })
    })
}

/// Returns the rows in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    use DType::{C64, F32};
    vec![
        transform("fft c64 2^26", &[1 << 26], C64, |a| fft::fft(a, ())),
        transform("ifft c64 2^26", &[1 << 26], C64, |a| fft::ifft(a, ())),
        transform("fft c64 2^26, orthogonal", &[1 << 26], C64, |a| fft::fft(a, FftOptions::new().norm(Norm::Ortho))),
        transform("fft2 c64 4096", &[4096, 4096], C64, |a| fft::fft2(a, ())),
        transform("fftn c64 512", &[512, 512, 512], C64, |a| fft::fftn(a, ())),
        transform("fft c64, 2^16 of 2^10", &[1 << 16, 1 << 10], C64, |a| fft::fft(a, ())),
        transform("fft c64 along axis 0", &[1 << 10, 1 << 16], C64, |a| fft::fft(a, FftOptions::new().axis(0))),
        transform("fft c64, 10^3 of 65537", &[1000, 65537], C64, |a| fft::fft(a, ())),
        transform("rfft f32 2^27", &[1 << 27], F32, |a| fft::rfft(a, ())),
        transform("irfft f32 2^27", &[(1 << 26) + 1], C64, |a| fft::irfft(a, ())),
        transform("rfft2 f32 8192", &[8192, 8192], F32, |a| fft::rfft2(a, ())),
        transform("dct f32, 2^16 of 2^10", &[1 << 16, 1 << 10], F32, |a| scipy::dct(a, 2, ())),
    ]
}
