//! Local memory of a warp: a stack of words for each lane, with the words of all lanes interleaved.

use super::Denied;
use crate::FaultKind;
use crate::ops::Lanes;

/// Maximum size of local memory of a thread in bytes.
pub(crate) const MAX_LOCAL: u64 = 128 << 10;

#[derive(Clone, Debug)]
struct Word {
    data: Lanes,
    /// The bits that are uninitialised, or that were undefined when they were written.
    undefined: Lanes,
}

#[derive(Debug, Default)]
pub(crate) struct Local {
    words: Vec<Word>,
    top: u64,
}

impl Local {
    /// Allocates a frame above `base`; returns false if the memory is exhausted.
    #[must_use]
    pub(crate) fn push(&mut self, base: u64, bytes: u64, lanes: u32) -> bool {
        let Some(top) = base.checked_add(bytes).filter(|top| *top <= MAX_LOCAL) else { return false };
        let need = top.div_ceil(8) as usize;
        if self.words.len() < need {
            self.words.resize(need, Word { data: [0; 32], undefined: [u64::MAX; 32] });
        }
        for word in &mut self.words[(base / 8) as usize..need] {
            for l in 0..32 {
                if lanes >> l & 1 == 1 {
                    word.undefined[l] = u64::MAX;
                }
            }
        }
        self.top = self.top.max(top);
        true
    }

    pub(crate) fn clear(&mut self) {
        self.top = 0;
    }

    fn check(&self, addr: u64, bytes: u32) -> Result<(), Denied> {
        if addr < self.top && u64::from(bytes) <= self.top - addr {
            return Ok(());
        }
        let message = format!("{bytes} bytes at {addr:#x} of local memory, which has {} bytes", self.top);
        Err((FaultKind::OutOfBounds, message))
    }

    /// Returns the value of some bytes, and which of its bits are undefined.
    pub(crate) fn load(&self, lane: usize, addr: u64, bytes: u32) -> Result<(u64, u64), Denied> {
        self.check(addr, bytes)?;
        let word = &self.words[(addr / 8) as usize];
        let part = |x: u64| x >> (8 * (addr % 8)) & u64::MAX >> (64 - 8 * bytes);
        Ok((part(word.data[lane]), part(word.undefined[lane])))
    }

    pub(crate) fn store(
        &mut self,
        lane: usize,
        addr: u64,
        bytes: u32,
        (value, undefined): (u64, u64),
    ) -> Result<(), Denied> {
        self.check(addr, bytes)?;
        let word = &mut self.words[(addr / 8) as usize];
        let shift = 8 * (addr % 8);
        let mask = u64::MAX >> (64 - 8 * bytes) << shift;
        word.data[lane] = word.data[lane] & !mask | value << shift & mask;
        word.undefined[lane] = word.undefined[lane] & !mask | undefined << shift & mask;
        Ok(())
    }
}
