//! The metadata of `mma.sp`: which elements of a sparse factor's rows are kept.
//!
//! A row of the factor is divided into chunks, of each of which the same number of elements is kept: two of four for 16
//! and 8 bits, one of two for 32 bits, two adjacent pairs of four for 4 bits. The kept elements are laid out in the
//! fragment like a factor of half the length. Their positions in the chunk are encoded by bits of the metadata, four
//! for a chunk, in the order of chunks. Of every four lanes one, two or all hold them, by the sparsity selector:
//!
//! * for 16 and 32 bits a lane has 16 bits of a row, and above them those of the row eight below; the next lane
//!   continues these rows;
//! * for 8 and 4 bits a lane has 32 bits of a row, the next one those of the row eight below, and two lanes further
//!   they continue.

use super::Src;
use crate::FaultKind;
use crate::memory::Denied;
use crate::ops::tensor::Element;

/// The positions of the kept elements of a factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sparse {
    pub(crate) metadata: Src,
    /// Selects which of the four lanes hold the metadata.
    pub(crate) selector: u8,
    /// True if the positions in a chunk ascend.
    pub(crate) ordered: bool,
    pub(crate) element: Element,
    /// The length of a row including the elements that are left out.
    pub(crate) length: usize,
}

impl Sparse {
    /// Returns the number of metadata bits of a row.
    fn bits(&self) -> usize {
        4 * self.length / self.chunk()
    }

    /// Returns the number of elements of a chunk, half of which are kept.
    fn chunk(&self) -> usize {
        match self.element {
            Element::Tf32 => 2,
            Element::S4 | Element::U4 => 8,
            _ => 4,
        }
    }

    /// Returns the number of lanes of every four that hold metadata.
    pub(crate) fn givers(&self) -> usize {
        16 * self.bits() / (8 * 32)
    }

    /// Returns the lane that holds these four bits of a row, and their offset.
    fn position(&self, row: usize, bit: usize) -> (usize, usize) {
        let (group, below) = (row % 8 * 4, row / 8);
        let first = group + usize::from(self.selector) * self.givers();
        match self.element {
            Element::F16 | Element::Bf16 | Element::Tf32 => (first + bit / 16, bit % 16 + 16 * below),
            _ => (first + bit / 32 * 2 + below, bit % 32),
        }
    }

    /// Returns the lanes whose metadata a row depends on.
    pub(crate) fn lanes(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.bits()).step_by(4).map(move |bit| self.position(row, bit).0)
    }

    /// Returns the columns of the kept elements of a row.
    ///
    /// # Errors
    ///
    /// The lane that holds invalid metadata.
    pub(crate) fn columns(&self, row: usize, metadata: &[u64; 32]) -> Result<Vec<usize>, (usize, Denied)> {
        let mut columns = Vec::with_capacity(self.length / 2);
        for chunk in 0..self.length / self.chunk() {
            let (lane, shift) = self.position(row, 4 * chunk);
            let four = metadata[lane] >> shift & 15;
            let (low, high) = ((four & 3) as usize, (four >> 2) as usize);
            let fits = match self.element {
                // Each of the two is encoded as the pair of 16-bit elements.
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
