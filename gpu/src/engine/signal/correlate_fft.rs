//! Correlations by Fourier transforms in float64.
//!
//! Sums of products take one multiply-add for each result and element of the shorter sequence, transforms of 4,096 elements some
//! 100 operations of float64 for each result, whatever the length of the shorter sequence. Each result is either within one
//! unit in the last place, by a bound of its rounding error, or a sum of products: see `include/correlate_fft.cuh`. Where a
//! transform has too many results below the bound, the kernel of tiles computes them; it tests each tile.

use cuprum_kernels::DType;
use cuprum_kernels::source::{
    CORRELATE_FFT_BYTES, CORRELATE_FFT_LENGTH, CORRELATE_FFT_THREADS, CorrelateFftParams, correlate_fft_source,
    correlate_tile,
};

use super::correlate::{Correlation, Left};
use crate::engine::fft::passes::correlation_roots;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::engine::make;
use crate::error::Result;

/// Smallest number of products from which transforms are faster, and smallest length of the shorter sequence: float32.
const PRODUCTS: usize = 3 << 28;
const LENGTH: usize = 512;
/// The same for complex64.
const COMPLEX_PRODUCTS: usize = 1 << 27;
const COMPLEX_LENGTH: usize = 256;
/// Results of a transform are whole tiles of this number of results.
const TILE: usize = correlate_tile(8);

thread_local! {
    /// The kernels that this thread has launched, by device and dtype.
    static KERNELS: Kernels<DType, 2> = Kernels::default();
}

/// Returns the number of results of a transform for a shorter sequence of `k` elements, 0 if it is too long.
pub(super) fn side(k: usize) -> usize {
    (CORRELATE_FFT_LENGTH + 1).saturating_sub(k) / TILE * TILE
}

impl Correlation<'_> {
    /// Returns true if transforms are expected to be faster than sums of products.
    pub(super) fn is_transformed(&self) -> bool {
        let (products, length) = match self.out.dtype() {
            DType::F32 => (PRODUCTS, LENGTH),
            DType::C64 => (COMPLEX_PRODUCTS, COMPLEX_LENGTH),
            _ => return false,
        };
        let (device, k) = (self.out.device(), self.short.size());
        // The roots of unity are uploaded, which a captured graph would repeat from memory that changes.
        k >= length
            && side(k) > 0
            && self.out.size().saturating_mul(k) >= products
            && device.info().shared_bytes as usize >= CORRELATE_FFT_BYTES + 4096
            && !device.queue().is_captured()
    }

    /// Runs it by transforms.
    pub(super) fn run_transformed(&self) -> Result<()> {
        let (device, dtype) = (self.out.device(), self.out.dtype());
        let source = || (format!("correlate_fft/{dtype}"), correlate_fft_source(dtype));
        let names = ["correlate_spectrum", "correlate_fft"];
        let [spectrum_of, transform] = kernels(&KERNELS, device, dtype, names, source)?;
        let (count, side) = (self.out.size(), side(self.short.size()));
        let each = if dtype == DType::F32 { 2 * side } else { side };
        let blocks = count.div_ceil(each);
        let roots = correlation_roots(device)?;
        let spectrum = make::empty(device, &[CORRELATE_FFT_LENGTH + 1], DType::C128)?;
        let left = make::empty(device, &[blocks], DType::U32)?;
        let params = CorrelateFftParams {
            width: Default::default(),
            count,
            n: self.long.size(),
            k: self.short.size(),
            lead: self.lead,
            a: read(self.long),
            v: read(self.short),
            out: written(self.out),
            a_step: self.long.strides()[0],
            v_step: self.short.strides()[0],
            roots: read(&roots),
            spectrum: written(&spectrum),
            left: written(&left),
            side: side as u32,
        };
        let launch = |function, blocks| {
            let blocks = Blocks::of(blocks, count, "results");
            // SAFETY: the sizes and steps reach elements of the sequences only; the table has a root for each element of a
            // thread, and `left` an element for each block. The result is a new array: its address is a multiple of 256.
            unsafe {
                Launcher::on(device).launch_sharing(
                    function,
                    blocks,
                    CORRELATE_FFT_THREADS,
                    CORRELATE_FFT_BYTES,
                    &params,
                )
            }
        };
        launch(spectrum_of, 1)?;
        launch(transform, blocks)?;
        self.run_tiles(Some(Left { flags: &left, each }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;
    use crate::index::s;
    use num_complex::Complex32;

    /// Lengths of the sequences, the offset and the number of results.
    const SHAPES: [(usize, usize, usize, usize); 4] =
        [(9000, 130, 129, 9129), (3000, 1000, 0, 2001), (4200, 2049, 1024, 4200), (300, 299, 298, 598)];

    /// Returns the results by transforms, and by sums of products in order.
    fn both(long: &Array, short: &Array, lead: usize, count: usize) -> Result<[Array; 2]> {
        let [fast, slow] = [crate::empty([count], long.dtype())?, crate::empty([count], long.dtype())?];
        Correlation { long, short, lead, out: &fast }.run_transformed()?;
        Correlation { long, short, lead, out: &slow }.run_tiles(None)?;
        Ok([fast, slow])
    }

    /// Returns complex numbers with components below `modulus`, less `less`.
    fn integers(n: usize, by: usize, modulus: usize, less: i32) -> Vec<Complex32> {
        let of = |i: usize, by: usize| ((i + 1) * (i + 1) * by % modulus) as i32 - less;
        (0..n).map(|i| Complex32::new(of(i, by) as f32, of(i, by + 2) as f32)).collect()
    }

    /// Returns an array of the numbers, or of their real parts.
    fn array(values: &[Complex32], dtype: DType) -> Result<Array> {
        if dtype == DType::F32 {
            return Array::from_vec(values.iter().map(|z| z.re).collect());
        }
        Array::from_vec(values.to_vec())
    }

    /// Sums that are exact in float32 are so by transforms, with any number of zeros among them.
    #[test]
    fn sums_of_integers_are_exact() -> Result<()> {
        for dtype in [DType::F32, DType::C64] {
            for (n, k, lead, count) in SHAPES {
                for less in [0, 7] {
                    let long = array(&integers(n, 7, 31, less), dtype)?;
                    let short = array(&integers(k, 3, 17, less), dtype)?;
                    let [fast, slow] = both(&long, &short, lead, count)?;
                    assert!(crate::array_equal(&fast, &slow, ())?, "{dtype} {n} {k} {lead} {less}");
                }
            }
        }
        Ok(())
    }

    /// A result is within 3/4 of a unit in the last place: 2^-25 before it is rounded. The sum in float64 is within a quarter
    /// of one unless the products cancel to less than 2^-18 of the sum of their moduli: 1,000 times 2^-53 of that.
    #[test]
    fn results_are_within_one_unit() -> Result<()> {
        let (n, k) = (9000, 1000);
        // Thirds have all digits.
        let thirds = |values: Vec<Complex32>| values.into_iter().map(|z| z / 3.0).collect::<Vec<_>>();
        let long = array(&thirds(integers(n, 7, 10_007, 5000)), DType::F32)?;
        let short = array(&thirds(integers(k, 3, 9973, 4000)), DType::F32)?;
        let [fast, _] = both(&long, &short, k - 1, n + k - 1)?;
        let (long, short) = (long.astype(DType::F64)?, short.astype(DType::F64)?);
        let exact = crate::empty([n + k - 1], DType::F64)?;
        Correlation { long: &long, short: &short, lead: k - 1, out: &exact }.run_tiles(None)?;
        for (i, (x, y)) in fast.to_vec::<f32>()?.into_iter().zip(exact.to_vec::<f64>()?).enumerate() {
            assert!((f64::from(x) - y).abs() <= y.abs() * f64::from(f32::EPSILON), "{i}: {x} {y}");
        }
        Ok(())
    }

    /// NaN and infinities reach the results that they are part of, and zeros stay zeros of the sign that sums have.
    #[test]
    fn special_values_reach_their_results_only() -> Result<()> {
        for dtype in [DType::F32, DType::C64] {
            let (n, k) = (12_000, 257);
            for special in [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE / 8.0, -0.0] {
                let mut long = integers(n, 7, 31, 7);
                long[5000] = Complex32::new(special, 0.0);
                long[8000..].fill(Complex32::new(-0.0, -0.0));
                let (long, short) = (array(&long, dtype)?, array(&integers(k, 3, 17, 7), dtype)?);
                let [fast, slow] = both(&long, &short, k - 1, n + k - 1)?;
                let [fast, slow] = [fast, slow].map(|x| x.view(DType::F32).and_then(|x| x.to_vec::<f32>()));
                for (i, (x, y)) in fast?.into_iter().zip(slow?).enumerate() {
                    // The products with the largest and with a subnormal number round differently in another order.
                    let near = (x - y).abs() <= if special == f32::MAX { 1e-6 * y.abs() } else { 1e-30 };
                    let is_rounded = [f32::MAX, f32::MIN_POSITIVE / 8.0].contains(&special);
                    let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                    assert!(same || is_rounded && near, "{dtype} {special} {i}: {x} {y}");
                }
            }
        }
        Ok(())
    }

    /// Strides of any sign and zero are those of the sequences.
    #[test]
    fn strides_are_followed() -> Result<()> {
        for dtype in [DType::F32, DType::C64] {
            let (long, short) = (array(&integers(16_000, 7, 31, 7), dtype)?, array(&integers(600, 3, 17, 7), dtype)?);
            let (long, short) = (long.index(s![..;-2])?, short.index(s![1..;2])?);
            let [fast, slow] = both(&long, &short, 0, 8000 - 299)?;
            assert!(crate::array_equal(&fast, &slow, ())?, "{dtype}");
        }
        Ok(())
    }
}
