//! Discrete Fourier transforms on the CPU, in float64, used by the simulated device in place of cuFFT.
//!
//! The implementation is rustfft's. Its generic code is instantiated here once and compiled with optimisation.

use std::cell::RefCell;

use rustfft::{FftDirection, FftPlanner};

/// A complex number of float64 parts.
pub type Complex = num_complex::Complex<f64>;

thread_local! {
    /// Caches the plans of each length.
    static PLANNER: RefCell<FftPlanner<f64>> = RefCell::new(FftPlanner::new());
}

/// Transforms consecutive rows of `n` numbers in place, without normalisation.
///
/// ```
/// use cuprum_fourier::{Complex, lines};
/// let mut line = [1.0, 2.0, 3.0].map(|x| Complex::new(x, 0.0));
/// lines(3, false, &mut line);
/// assert_eq!(line[0].re, 6.0);
/// ```
pub fn lines(n: usize, inverse: bool, all: &mut [Complex]) {
    if n > 1 {
        let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
        PLANNER.with_borrow_mut(|planner| planner.plan_fft(n, direction)).process(all);
    }
}

/// Transforms along one axis of an array in C order: rows of `n` numbers with a stride of `step`.
pub fn along(n: usize, step: usize, inverse: bool, all: &mut [Complex]) {
    if step == 1 {
        return lines(n, inverse, all);
    }
    let mut line = vec![Complex::default(); n];
    for block in all.chunks_exact_mut(n * step) {
        for at in 0..step {
            line.iter_mut().enumerate().for_each(|(k, x)| *x = block[at + k * step]);
            lines(n, inverse, &mut line);
            line.iter().enumerate().for_each(|(k, x)| block[at + k * step] = *x);
        }
    }
}
