//! The heap of `malloc` and `free` in kernels: one allocation of global memory, parts of which are allocated.

use std::collections::BTreeMap;

/// Size of the heap in bytes: CUDA's default.
pub(super) const HEAP: u64 = 8 << 20;
const ALIGNMENT: u64 = 16;

/// The allocated parts. There is at least one unit between them, so that an access past an end is in no part.
#[derive(Debug)]
pub(super) struct Heap {
    pub(super) base: u64,
    /// Allocated parts: address to size.
    used: BTreeMap<u64, u64>,
}

impl Heap {
    pub(super) fn new(base: u64) -> Heap {
        Heap { base, used: BTreeMap::new() }
    }

    /// Allocates the first gap that is large enough; `None` if there is none.
    pub(super) fn take(&mut self, bytes: u64) -> Option<u64> {
        let need = bytes.max(1).checked_next_multiple_of(ALIGNMENT)?.checked_add(ALIGNMENT)?;
        let mut at = self.base;
        for (start, size) in &self.used {
            if start - at >= need {
                break;
            }
            at = (start + size).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        }
        if self.base + HEAP - at.min(self.base + HEAP) < need {
            return None;
        }
        self.used.insert(at, bytes.max(1));
        Some(at)
    }

    /// Frees a part; returns its size, or `None` if no part starts there.
    pub(super) fn give_back(&mut self, addr: u64) -> Option<u64> {
        self.used.remove(&addr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_touch_and_gaps_are_used_again() {
        let mut heap = Heap::new(1 << 32);
        let [a, b, c] = [1, 100, 16].map(|n| heap.take(n).unwrap());
        assert!(a + 1 < b && b + 100 < c && [a, b, c].iter().all(|p| p % ALIGNMENT == 0));
        assert_eq!(heap.give_back(b), Some(100));
        assert_eq!(heap.give_back(b), None);
        assert_eq!(heap.take(90), Some(b));
        assert!(heap.take(HEAP).is_none());
        assert!(heap.take(u64::MAX).is_none());
    }
}
