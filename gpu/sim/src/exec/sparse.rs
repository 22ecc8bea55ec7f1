//! The metadata of `mma.sp`: which elements of a factor's rows are there, of which half is left out.
//!
//! A row of the factor is cut into chunks, of which the same number of elements is kept: two of four of 16 and 8 bits, one of two of
//! 32 bits, two neighbouring pairs of four of 4 bits. The kept ones lie in the fragment as a factor of half the length does. Where in
//! its chunk each stood is told by bits of the metadata, four for a chunk, in the order of chunks. In every four lanes one, two or all
//! give them, as the sparsity selector says:
//!
//! * of 16 and 32 bits a lane has 16 bits of a row, and above them those of the row eight below; the next lane goes on in these rows;
//! * of 8 and 4 bits a lane has 32 bits of a row, the next one those of the row eight below, and two lanes on they go on.

use super::Src;
use crate::FaultKind;
use crate::memory::Denied;
use crate::ops::tensor::Element;

/// Where the kept elements of a factor stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sparse {
    pub(crate) metadata: Src,
    /// Which of the four lanes give it.
    pub(crate) selector: u8,
    /// The places in a chunk ascend.
    pub(crate) ordered: bool,
    pub(crate) element: Element,
    /// Elements that a row has with those that are left out.
    pub(crate) length: usize,
}

impl Sparse {
    /// Bits of a row's metadata.
    fn bits(&self) -> usize {
        4 * self.length / self.chunk()
    }

    /// Elements of a chunk, half of which are kept.
    fn chunk(&self) -> usize {
        match self.element {
            Element::Tf32 => 2,
            Element::S4 | Element::U4 => 8,
            _ => 4,
        }
    }

    /// Lanes of every four that give metadata.
    pub(crate) fn givers(&self) -> usize {
        16 * self.bits() / (8 * 32)
    }

    /// The lane that gives these four bits of a row, and where they begin.
    fn place(&self, row: usize, bit: usize) -> (usize, usize) {
        let (group, below) = (row % 8 * 4, row / 8);
        let first = group + usize::from(self.selector) * self.givers();
        match self.element {
            Element::F16 | Element::Bf16 | Element::Tf32 => (first + bit / 16, bit % 16 + 16 * below),
            _ => (first + bit / 32 * 2 + below, bit % 32),
        }
    }

    /// The lanes whose metadata a row hangs on.
    pub(crate) fn lanes(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.bits()).step_by(4).map(move |bit| self.place(row, bit).0)
    }

    /// Where in a row each of its kept elements stands.
    ///
    /// # Errors
    ///
    /// The lane that gives metadata which say nothing.
    pub(crate) fn columns(&self, row: usize, metadata: &[u64; 32]) -> Result<Vec<usize>, (usize, Denied)> {
        let mut columns = Vec::with_capacity(self.length / 2);
        for chunk in 0..self.length / self.chunk() {
            let (lane, shift) = self.place(row, 4 * chunk);
            let four = metadata[lane] >> shift & 15;
            let (low, high) = ((four & 3) as usize, (four >> 2) as usize);
            let fits = match self.element {
                // Each of the two is given as the pair of 16 bits that it is.
                Element::Tf32 => four == 0b0100 || four == 0b1110,
                _ if self.ordered => low < high,
                _ => low != high,
            };
            if !fits {
                let order = if self.ordered { " in ascending order" } else { "" };
                let message = format!(
                    "metadata of a sparse product (mma.sp) are {four:#06b} for chunk {chunk} of row {row}: they name different elements{order}"
                );
                return Err((lane, (FaultKind::BadOperand, message)));
            }
            let first = chunk * self.chunk();
            match self.element {
                Element::Tf32 => columns.push(first + low / 2),
                Element::S4 | Element::U4 => {
                    columns.extend([low, low, high, high].iter().zip([0, 1, 0, 1]).map(|(p, k)| first + 2 * p + k))
                }
                _ => columns.extend([first + low, first + high]),
            }
        }
        Ok(columns)
    }
}
