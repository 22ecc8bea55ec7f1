//! The operands: fresh random numbers in [0.5, 8.5), as the peers have.

use cuprum::{Array, DType, Result, s};

/// How large the operands are.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// No operand has more elements than this; the square and the cube have as many.
    pub elements: usize,
    /// No operand has more bytes than this.
    pub bytes: usize,
    /// The shape of the operands of two axes.
    pub square: [usize; 2],
    /// The shape of those of three.
    pub cube: [usize; 3],
    /// The side of the matrices that are multiplied.
    pub matrix: usize,
    /// No operand of short rows has more of them.
    pub short_rows: usize,
    /// The length of the sequences that are correlated.
    pub sequence: usize,
}

impl Sizes {
    /// Those of the published figures: 2^28 elements or 1 GiB.
    pub const LARGE: Sizes = Sizes {
        elements: 1 << 28,
        bytes: 1 << 30,
        square: [1 << 14, 1 << 14],
        cube: [512, 1024, 512],
        matrix: 4096,
        short_rows: 1_000_000,
        sequence: 1_000_000,
    };
    /// Small enough for the simulator, to see that every row runs.
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

/// The operands that the rows are made of.
#[derive(Debug)]
pub struct Data {
    /// How large they are.
    pub sizes: Sizes,
    /// One axis of float32.
    pub a: Array,
    /// Another.
    pub b: Array,
}

impl Data {
    /// Makes the numbers on the host and brings them to the current device.
    ///
    /// # Errors
    ///
    /// Those of the device.
    pub fn new(sizes: Sizes) -> Result<Data> {
        let make = |seed| Array::from_slice(&random(sizes.elements, seed), [sizes.elements]);
        Ok(Data { sizes, a: make(1)?, b: make(2)? })
    }

    /// Both operands in another dtype, as many elements as the sizes allow.
    ///
    /// # Errors
    ///
    /// Those of the device.
    pub fn pair(&self, dtype: DType) -> Result<(Array, Array)> {
        Ok((self.one(&self.a, dtype)?, self.one(&self.b, dtype)?))
    }

    fn one(&self, base: &Array, dtype: DType) -> Result<Array> {
        let n = self.sizes.elements.min(self.sizes.bytes / dtype.size()) as i64;
        let part = base.index(s![0..n])?;
        if dtype == DType::F32 { Ok(part) } else { part.astype(dtype) }
    }

    /// Both operands with the axes of `shape`, which has as many elements.
    ///
    /// # Errors
    ///
    /// None that can occur with the sizes above.
    pub fn shaped(&self, shape: &[usize]) -> Result<(Array, Array)> {
        Ok((self.a.reshape(shape)?, self.b.reshape(shape)?))
    }
}

/// Random numbers by xorshift: quick, and no two rows of memory are alike.
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
