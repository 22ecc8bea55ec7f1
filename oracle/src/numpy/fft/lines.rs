//! Arrays of complex numbers that are processed in 1-D slices.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::value::Value;
use crate::numpy::linalg::{Residual, norm, of_dtype, residual};

/// An array of complex numbers in C order.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) shape: Vec<usize>,
    pub(super) all: Vec<Complex64>,
}

impl Numbers {
    pub(super) fn of(a: &NdArray) -> Numbers {
        Numbers { shape: a.shape().to_vec(), all: a.values().into_iter().map(Value::complex).collect() }
    }

    /// Replaces each slice along an axis, truncated or zero-padded to a length, by the `results` numbers that `of`
    /// returns.
    pub(super) fn along(
        &self,
        axis: usize,
        length: usize,
        results: usize,
        of: impl Fn(&[Complex64]) -> Vec<Complex64>,
    ) -> Numbers {
        let n = self.shape[axis];
        let outer: usize = self.shape[..axis].iter().product();
        let inner: usize = self.shape[axis + 1..].iter().product();
        let mut shape = self.shape.clone();
        shape[axis] = results;
        let mut all = vec![Complex64::default(); outer * results * inner];
        for i in 0..outer {
            for j in 0..inner {
                let at = |k: usize| if k < n { self.all[(i * n + k) * inner + j] } else { Complex64::default() };
                let line: Vec<Complex64> = (0..length).map(at).collect();
                for (k, x) in of(&line).into_iter().enumerate() {
                    all[(i * results + k) * inner + j] = x;
                }
            }
        }
        Numbers { shape, all }
    }

    pub(super) fn map(&self, of: impl Fn(Complex64) -> Complex64) -> Numbers {
        Numbers { shape: self.shape.clone(), all: self.all.iter().map(|z| of(*z)).collect() }
    }

    /// Converts to an array whose axes are in a memory order, from the slowest to the fastest.
    pub(super) fn array(&self, dtype: DType, order: &[usize]) -> NdArray {
        let values: Vec<Value> = self.all.iter().map(|z| of_dtype(*z, dtype)).collect();
        NdArray::from_order(dtype, &self.shape, order, &values)
    }

    /// Returns the numbers of each transform along these axes.
    fn blocks(&self, axes: &[usize]) -> Vec<Vec<Complex64>> {
        let mut blocks = std::collections::BTreeMap::<Vec<usize>, Vec<Complex64>>::new();
        for (number, z) in self.all.iter().enumerate() {
            let (mut rest, mut multi_index) = (number, vec![]);
            for (axis, &n) in self.shape.iter().enumerate().rev() {
                if !axes.contains(&axis) {
                    multi_index.push(rest % n);
                }
                rest /= n;
            }
            blocks.entry(multi_index).or_default().push(*z);
        }
        blocks.into_values().collect()
    }
}

/// Returns the distance from 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F32 | DType::C64 => f32::EPSILON.into(),
        _ => f64::EPSILON,
    }
}

/// Computes the relative distance, in the Euclidean norm of each transform, of results from those of the definition: at
/// most 3 epsilons for each doubling of the number of elements.
///
/// An algorithm of `log2 n` steps errs by at most some units of each step, and on average by the root of that (W.
/// Gentleman, G. Sande, "Fast Fourier transforms: for fun and profit", 1966); a prime length needs three transforms of
/// twice its size.
pub(super) fn distances(want: &NdArray, got: &NdArray, axes: &[usize], elements: usize) -> Vec<Residual> {
    let levels = elements.max(1).ilog2() as usize + 2;
    let pairs = Numbers::of(want).blocks(axes).into_iter().zip(Numbers::of(got).blocks(axes));
    let dtype = got.dtype();
    pairs
        .map(|(want, got)| {
            let rest: Vec<Complex64> = want.iter().zip(&got).map(|(a, b)| a - b).collect();
            residual("relative distance", norm(&rest), 0.1 * norm(&want), levels, epsilon(dtype))
        })
        .collect()
}
