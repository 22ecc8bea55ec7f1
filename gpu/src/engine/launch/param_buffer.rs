//! Kernel parameter buffer, which is built on the stack.
//!
//! The buffer owns what the launch needs until it is queued: copies of booleans, addresses, and the record of each
//! array's use. It allocates nothing for the parameters of most calls.

use cuprum_kernels::params::Fields;

use super::{DevicePtr, of_another};
use crate::array::Array;
use crate::cuda::{Access, Queue};
use crate::error::Result;

/// Bytes that suffice for the parameters of most calls.
const ON_STACK: usize = 512;

/// Bytes of a parameter struct at the offsets of its C layout; every buffer among them records the stream.
pub(super) struct ParamBuffer<'q> {
    /// The stream of the launch, with which the pointers' buffers are synchronised.
    queue: &'q Queue,
    /// The parameters in the layout of the kernel's struct, as long as they fit.
    stack: [u8; ON_STACK],
    /// Bytes written so far.
    len: usize,
    /// Largest alignment of a parameter so far.
    align: usize,
    /// All of the bytes, if they do not fit on the stack.
    heap: Vec<u8>,
    /// First error of a parameter, which the launch returns.
    rejected: Result<()>,
    /// Copies of operands, which are kept alive until the launch is queued.
    copies: Vec<Array>,
}

impl<'q> ParamBuffer<'q> {
    #[inline]
    pub(super) fn on(queue: &'q Queue) -> ParamBuffer<'q> {
        ParamBuffer {
            queue,
            stack: [0; ON_STACK],
            len: 0,
            align: 1,
            heap: Vec::new(),
            rejected: Ok(()),
            copies: Vec::new(),
        }
    }

    #[inline]
    fn push<const N: usize>(&mut self, value: [u8; N]) {
        match self.stack.get_mut(self.len..self.len + N) {
            Some(slot) if self.heap.is_empty() => slot.copy_from_slice(&value),
            _ => self.spill(&value),
        }
        self.len += N;
    }

    /// Appends bytes.
    pub(super) fn all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push([byte]));
    }

    /// Continues at an offset after the bytes written so far.
    pub(super) fn at(&mut self, offset: usize) {
        self.len = self.len.max(offset);
    }

    #[cold]
    fn spill(&mut self, value: &[u8]) {
        if self.heap.is_empty() {
            self.heap.extend_from_slice(&self.stack[..self.len.min(ON_STACK)]);
        }
        self.heap.resize(self.len, 0);
        self.heap.extend_from_slice(value);
    }

    #[inline]
    fn push_pointer(&mut self, pointer: Option<DevicePtr<'_>>, access: Access) {
        let Some(DevicePtr { buffer, addr, .. }) = pointer else { return self.push(0u64.to_le_bytes()) };
        if self.rejected.is_ok() && buffer.bytes() > 0 {
            self.rejected = if buffer.device() == self.queue.device() {
                buffer.touch(self.queue, access)
            } else {
                Err(of_another(buffer.device(), self.queue.device()))
            };
        }
        self.push(addr.to_le_bytes());
    }

    /// Returns the address of booleans that a kernel reads: that of a copy whose bytes are 0 and 1.
    #[cold]
    fn booleans(&mut self, a: &Array, addr: u64) {
        match super::canonical(a) {
            Ok(copy) => {
                let moved = addr.wrapping_sub(a.addr());
                let pointer =
                    DevicePtr { buffer: copy.buffer(), addr: copy.addr().wrapping_add(moved), booleans: None };
                self.push_pointer(Some(pointer), Access::Read);
                self.copies.push(copy);
            }
            Err(e) => {
                self.rejected = Err(e);
                self.push(0u64.to_le_bytes());
            }
        }
    }

    /// Returns the bytes up to the last field.
    pub(super) fn bytes(&mut self) -> Result<&[u8]> {
        std::mem::replace(&mut self.rejected, Ok(()))?;
        Ok(if self.heap.is_empty() { &self.stack[..self.len] } else { &self.heap })
    }

    /// Returns the bytes of the whole struct, including the padding at its end.
    #[inline]
    pub(super) fn whole(&mut self) -> Result<&[u8]> {
        self.begin("", "", &[], self.align);
        if self.heap.is_empty() && self.len > ON_STACK {
            self.spill(&[]);
        }
        if !self.heap.is_empty() {
            self.heap.resize(self.len, 0);
        }
        self.bytes()
    }
}

impl<'a> Fields<DevicePtr<'a>> for ParamBuffer<'_> {
    #[inline]
    fn begin(&mut self, _: &str, _: &str, _: &[usize], align: usize) {
        self.len = self.len.next_multiple_of(align);
        self.align = self.align.max(align);
    }

    #[inline]
    fn word(&mut self, value: u32) {
        self.push(value.to_le_bytes());
    }

    #[inline]
    fn long(&mut self, value: u64) {
        self.push(value.to_le_bytes());
    }

    #[inline]
    fn read(&mut self, pointer: Option<DevicePtr<'a>>) {
        match pointer {
            Some(DevicePtr { booleans: Some(a), addr, .. }) if self.rejected.is_ok() => self.booleans(a, addr),
            pointer => self.push_pointer(pointer, Access::Read),
        }
    }

    #[inline]
    fn write(&mut self, pointer: Option<DevicePtr<'a>>) {
        self.push_pointer(pointer, Access::Write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::Device;

    #[test]
    fn fields_stand_where_c_puts_them_on_the_stack_and_beyond() {
        let queue = Device::open("sim").unwrap().queue();
        for count in [1, 40, 127, 128, 129, 1000] {
            let mut params = ParamBuffer::on(&queue);
            let mut expected = vec![];
            for k in 0..count {
                params.begin("", "", &[], 4);
                params.word(k);
                expected.extend(k.to_le_bytes());
            }
            params.begin("", "", &[], 8);
            params.long(7);
            params.begin("", "", &[], 4);
            params.word(9);
            expected.resize(expected.len().next_multiple_of(8), 0);
            expected.extend(7u64.to_le_bytes());
            expected.extend(9u32.to_le_bytes());
            assert_eq!(params.bytes().unwrap(), expected, "{count}");
            expected.extend([0; 4]);
            assert_eq!(params.whole().unwrap(), expected, "{count}");
        }
    }
}
