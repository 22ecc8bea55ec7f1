//! Source of the kernel that transforms a power of two of elements in one pass over the memory.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `fft_pass`: strides in bytes.
    FftPassParams<P> {
        /// Number of transforms next to one another.
        columns: usize,
        /// The input.
        input: Read<P> as "const char *",
        /// The results.
        out: Written<P> as "char *",
        /// The roots of unity exp(-2 pi i k / n) of the whole transform, if a second pass follows.
        roots: Read<P> as "const value *",
        /// The roots of unity of the stages of this pass: see [`FftPass::stages`].
        stages: Read<P> as "const value *",
        /// Factor of the results.
        scale: f64,
        /// Stride of the input along a transform.
        in_step: i64,
        /// Stride of the input from one transform to the next adjacent one.
        in_column: i64,
        /// Stride of the input from one group of transforms to the next.
        in_number: i64,
        /// Stride of the input along the outer axis.
        in_outer: i64,
        /// Stride of the results along a transform.
        out_step: i64,
        /// Stride of the results from one transform to the next adjacent one.
        out_column: i64,
        /// Stride of the results from one group of transforms to the next.
        out_number: i64,
        /// Stride of the results along the outer axis.
        out_outer: i64,
        /// Number of tiles of the columns.
        tiles: u32,
        /// Number of groups of transforms that make one whole transform.
        numbers: u32,
        /// True for the inverse transform.
        inverse: bool,
        /// True if a second pass follows: results are multiplied by the roots between the passes.
        is_first: bool,
    }
}

/// Threads of a block of the kernel `fft_pass`.
pub const FFT_PASS_THREADS: usize = 256;

/// Elements of a thread, which is the largest radix.
const EACH: usize = 8;

/// Key of the kernel `fft_pass`, with the parameters [`FftPassParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FftPass {
    /// True for complex128, false for complex64.
    pub wide: bool,
    /// Number of elements of a transform, a power of two from 2 to [`FftPass::LONGEST`].
    pub length: usize,
    /// True if the elements of a transform are adjacent in memory, false if those of adjacent transforms are.
    pub rows: bool,
}

impl FftPass {
    /// The largest length of a pass: the elements of a block.
    pub const LONGEST: usize = FFT_PASS_THREADS * EACH;

    /// Returns the number of transforms of a block.
    pub fn transforms(&self) -> usize {
        Self::LONGEST / self.length
    }

    /// Returns the roots of unity that the stages read, in their order: `(k, n)` is exp(-2 pi i k / n). The stage after
    /// `done` elements of a transform are combined has a row for each element of a butterfly.
    pub fn stages(length: usize) -> impl Iterator<Item = (usize, usize)> {
        let before = std::iter::successors(Some(EACH), |done| Some(done * EACH)).take_while(move |&done| done < length);
        before.flat_map(move |done| {
            let n = length.min(done * EACH);
            (0..EACH * done).map(move |at| ((at / done * (at % done)) % n, n))
        })
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let (dtype, _, _) = self.types();
        format!("fft_pass/{dtype}/{}{}", self.length, if self.rows { "/rows" } else { "" })
    }

    fn types(&self) -> (DType, DType, &'static str) {
        if self.wide { (DType::C128, DType::F64, "double2") } else { (DType::C64, DType::F32, "float2") }
    }

    /// Returns the source of the kernel `fft_pass`.
    pub fn source(&self) -> String {
        let (complex, real, pair) = self.types();
        Unit::new(headers([complex], false), "fft_pass")
            .typed("part", real.device_name())
            .typed("value", complex.device_name())
            .typed("pair", pair)
            .number("L", self.length)
            .number("EACH", EACH)
            .number("ROWS", usize::from(self.rows))
            .params(&FftPassParams::<()>::default())
            .with(body!("fft_pass"))
            .finish()
    }
}
