//! Memory-mapped file, whose pages are read when they are accessed.
//!
//! Readers copy what they need, since another program may change the file while it is mapped.

use std::fs::File;
use std::ptr;

use memmap2::{Mmap, MmapOptions};

/// A whole file, mapped for reading.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// The mapping; `None` for no bytes.
    memory: Option<Mmap>,
    /// Size of the file.
    bytes: usize,
}

impl Mapped {
    /// Maps the first `bytes` bytes of a file, which must have as many.
    pub(crate) fn of(file: &File, bytes: usize) -> std::io::Result<Mapped> {
        // SAFETY: no reference into the mapping is created: another program may change the file.
        let map = || unsafe { MmapOptions::new().len(bytes).map(file) };
        Ok(Mapped { memory: (bytes > 0).then(map).transpose()?, bytes })
    }

    /// Copies the bytes from `at` on. They are read once and no reference to them is kept, so that a program that
    /// writes the file meanwhile cannot change values that were checked.
    pub(crate) fn read(&self, at: usize, out: &mut [u8]) {
        assert!(at.checked_add(out.len()).is_some_and(|end| end <= self.bytes), "the bytes are those of the file");
        let Some(memory) = &self.memory else { return };
        // SAFETY: the bytes are within the mapping, which lives as long as `self`; `out` is the caller's alone.
        unsafe { ptr::copy_nonoverlapping(memory.as_ptr().add(at), out.as_mut_ptr(), out.len()) };
    }
}
