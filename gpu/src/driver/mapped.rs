//! Memory-mapped file, whose pages are read when they are accessed.
//!
//! Readers copy what they need, since another program may change the file while it is mapped.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;

/// A whole file, mapped for reading.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// Address of the first byte.
    memory: usize,
    /// Size of the file.
    bytes: usize,
}

impl Mapped {
    /// Maps the first `bytes` bytes of a file, which must have as many.
    pub(crate) fn of(file: &File, bytes: usize) -> std::io::Result<Mapped> {
        if bytes == 0 {
            return Ok(Mapped { memory: 0, bytes: 0 });
        }
        // SAFETY: a new mapping at an address that the system chooses; no existing memory is affected.
        let memory =
            unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
        match memory {
            libc::MAP_FAILED => Err(std::io::Error::last_os_error()),
            memory => Ok(Mapped { memory: memory as usize, bytes }),
        }
    }

    /// Copies the bytes from `at` on. They are read once and no reference to them is kept, so that a program that
    /// writes the file meanwhile cannot change values that were checked.
    pub(crate) fn read(&self, at: usize, out: &mut [u8]) {
        assert!(at.checked_add(out.len()).is_some_and(|end| end <= self.bytes), "the bytes are those of the file");
        // SAFETY: the bytes are within the mapping, which lives as long as `self`; `out` is the caller's alone.
        unsafe { ptr::copy_nonoverlapping((self.memory + at) as *const u8, out.as_mut_ptr(), out.len()) };
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the mapping was created with this size, and no reference into it exists.
            unsafe { libc::munmap(self.memory as *mut libc::c_void, self.bytes) };
        }
    }
}
