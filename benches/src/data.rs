//! The operands: random numbers in [0.5, 8.5), as in the peers' benchmarks.

use cuprum::{Array, DType, Result, s};

/// The sizes of the operands.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The maximum number of elements of an operand; the square and the cube have as many.
    pub elements: usize,
    /// The maximum number of bytes of an operand.
    pub bytes: usize,
    /// The shape of the 2-D operands.
    pub square: [usize; 2],
    /// The shape of the 3-D operands.
    pub cube: [usize; 3],
    /// The side of the matrices of products.
    pub matrix: usize,
    /// The maximum number of rows of operands with short rows.
    pub short_rows: usize,
    /// The length of the sequences of correlations.
    pub sequence: usize,
}

impl Sizes {
    /// The sizes of the published figures: 2^28 elements or 1 GiB.
    pub const LARGE: Sizes = Sizes {
        elements: 1 << 28,
        bytes: 1 << 30,
        square: [1 << 14, 1 << 14],
        cube: [512, 1024, 512],
        matrix: 4096,
        short_rows: 1_000_000,
        sequence: 1_000_000,
    };
    /// Sizes small enough for the simulator, to check that every row runs.
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

/// The operands of the rows.
#[derive(Debug)]
pub struct Data {
    /// The sizes.
    pub sizes: Sizes,
    /// A 1-D float32 array.
    pub a: Array,
    /// Another one.
    pub b: Array,
}

impl Data {
    /// Generates the numbers on the host and copies them to the current device.
    ///
    /// # Errors
    ///
    /// Returns errors of the device.
    pub fn new(sizes: Sizes) -> Result<Data> {
        let make = |seed| Array::from_slice(&random(sizes.elements, seed), [sizes.elements]);
        Ok(Data { sizes, a: make(1)?, b: make(2)? })
    }

    /// Returns both operands in another dtype, with as many elements as the sizes allow.
    ///
    /// # Errors
    ///
    /// Returns errors of the device.
    pub fn pair(&self, dtype: DType) -> Result<(Array, Array)> {
        Ok((self.one(&self.a, dtype)?, self.one(&self.b, dtype)?))
    }

    fn one(&self, base: &Array, dtype: DType) -> Result<Array> {
        let n = self.sizes.elements.min(self.sizes.bytes / dtype.size()) as i64;
        let part = base.index(s![0..n])?;
        if dtype == DType::F32 { Ok(part) } else { part.astype(dtype) }
    }

    /// Returns both operands in the shape `shape`, which has as many elements.
    ///
    /// # Errors
    ///
    /// Returns no error with the sizes above.
    pub fn shaped(&self, shape: &[usize]) -> Result<(Array, Array)> {
        Ok((self.a.reshape(shape)?, self.b.reshape(shape)?))
    }
}

/// Generates random numbers by xorshift, which is fast and does not repeat.
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
