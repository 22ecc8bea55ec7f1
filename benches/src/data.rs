//! Operands of the benchmarks: random numbers in [0.5, 8.5), as in the other libraries' scripts.

use cuprum::{Array, DType, Result, s};

/// Sizes of the operands.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Maximum number of elements of an operand, and the number of those of the square and the cube.
    pub elements: usize,
    /// Maximum number of bytes of an operand.
    pub bytes: usize,
    /// Shape of the operands with two axes.
    pub square: [usize; 2],
    /// Shape of the operands with three axes.
    pub cube: [usize; 3],
    /// Side of the matrices of products.
    pub matrix: usize,
    /// Maximum number of rows of operands with short rows.
    pub short_rows: usize,
    /// Length of the sequences that are correlated.
    pub sequence: usize,
}

impl Sizes {
    /// Sizes of the published figures: 2^28 elements or 1 GiB.
    pub const LARGE: Sizes = Sizes {
        elements: 1 << 28,
        bytes: 1 << 30,
        square: [1 << 14, 1 << 14],
        cube: [512, 1024, 512],
        matrix: 4096,
        short_rows: 1_000_000,
        sequence: 1_000_000,
    };
    /// Sizes that are small enough to run every row on the simulator.
    pub const SMALL: Sizes = Sizes {
        elements: 1 << 10,
        bytes: 1 << 12,
        square: [1 << 5, 1 << 5],
        cube: [8, 16, 8],
        matrix: 16,
        short_rows: 300,
        sequence: 100,
    };
}

/// Operands from which the rows are built.
#[derive(Debug)]
pub struct Data {
    /// Their sizes.
    pub sizes: Sizes,
    /// The first 1-D operand, of float32.
    pub a: Array,
    /// The second 1-D operand, of float32.
    pub b: Array,
}

impl Data {
    /// Generates the numbers on the host and copies them to the current device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn new(sizes: Sizes) -> Result<Data> {
        let make = |seed| Array::from_slice(&random(sizes.elements, seed), [sizes.elements]);
        Ok(Data { sizes, a: make(1)?, b: make(2)? })
    }

    /// Returns both operands cast to another dtype, with as many elements as the sizes allow.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn pair(&self, dtype: DType) -> Result<(Array, Array)> {
        Ok((self.one(&self.a, dtype)?, self.one(&self.b, dtype)?))
    }

    fn one(&self, base: &Array, dtype: DType) -> Result<Array> {
        let n = self.sizes.elements.min(self.sizes.bytes / dtype.size()) as i64;
        let part = base.index(s![0..n])?;
        if dtype == DType::F32 { Ok(part) } else { part.astype(dtype) }
    }

    /// Returns both operands reshaped to `shape`, which has the same number of elements.
    ///
    /// # Errors
    ///
    /// None with the sizes above.
    pub fn shaped(&self, shape: &[usize]) -> Result<(Array, Array)> {
        Ok((self.a.reshape(shape)?, self.b.reshape(shape)?))
    }
}

/// Generates random numbers by xorshift, so that no two cache lines hold the same values.
fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 * (8.0 / (1u64 << 24) as f32) + 0.5
    };
    (0..count).map(|_| next()).collect()
}
