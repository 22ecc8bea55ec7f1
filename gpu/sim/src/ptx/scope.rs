//! Names in a function body: registers, variables and labels, each visible in its block.

use std::collections::HashMap;

use super::{OWN_SHARED, Operand, Space, Variable};
use crate::memory::Layout;

#[derive(Debug, Default)]
struct Block {
    names: HashMap<String, Operand>,
    /// `%r<10>`: a prefix, the first slot and the count.
    ranges: Vec<(String, u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Scopes {
    blocks: Vec<Block>,
    pub(super) registers: u32,
    /// The widths of the registers in bits.
    pub(super) widths: Vec<u8>,
    pub(super) variables: Vec<Variable>,
    pub(super) param_bytes: u64,
    pub(super) local_bytes: u64,
    /// Shared memory of a kernel; that of a device function is in the module's.
    pub(super) shared: Layout,
    pub(super) kernel: bool,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.blocks.push(Block::default());
    }

    /// Leaves a block; returns false if none is open.
    pub(super) fn close(&mut self) -> bool {
        self.blocks.pop().is_some()
    }

    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn name(&mut self, name: &str, operand: Operand) {
        if let Some(block) = self.blocks.last_mut() {
            block.names.insert(name.into(), operand);
        }
    }

    pub(super) fn register(&mut self, name: &str, width: u8) -> Option<()> {
        let slot = self.take(1, width)?;
        self.name(name, Operand::Reg(slot));
        Some(())
    }

    pub(super) fn register_range(&mut self, prefix: &str, count: u32, width: u8) -> Option<()> {
        let first = self.take(count, width)?;
        if let Some(block) = self.blocks.last_mut() {
            block.ranges.push((prefix.into(), first, count));
        }
        Some(())
    }

    /// Allocates registers. A bound keeps a malicious source from exhausting memory.
    fn take(&mut self, count: u32, width: u8) -> Option<u32> {
        let first = self.registers;
        self.registers = first.checked_add(count).filter(|&n| n <= 1 << 17)?;
        self.widths.resize(self.registers as usize, width);
        Some(first)
    }

    pub(super) fn param(&mut self, name: &str, align: u64, bytes: u64) -> Option<u64> {
        let offset = self.param_bytes.next_multiple_of(align);
        self.param_bytes = offset.checked_add(bytes).filter(|&n| n <= 1 << 20)?;
        self.name(name, Operand::Var(Space::Param, offset));
        self.variables.push(Variable { offset, bytes });
        Some(offset)
    }

    pub(super) fn local(&mut self, name: &str, align: u64, bytes: u64) -> Option<u64> {
        let offset = self.local_bytes.next_multiple_of(align);
        self.local_bytes = offset.checked_add(bytes).filter(|&n| n <= 1 << 20)?;
        self.name(name, Operand::Var(Space::Local, offset));
        Some(offset)
    }

    /// Adds a shared variable of the kernel's own, after those of the module.
    pub(super) fn shared(&mut self, name: &str, align: u64, bytes: u64) -> Option<u64> {
        let offset = self.shared.place(align, bytes);
        if self.shared.bytes > 1 << 20 {
            return None;
        }
        self.name(name, Operand::Var(Space::Shared, OWN_SHARED | offset));
        Some(offset)
    }

    pub(super) fn find(&self, name: &str) -> Option<Operand> {
        for block in self.blocks.iter().rev() {
            if let Some(operand) = block.names.get(name) {
                return Some(operand.clone());
            }
            for (prefix, first, count) in &block.ranges {
                if let Some(index) = name.strip_prefix(prefix.as_str()).and_then(|n| n.parse::<u32>().ok())
                    && index < *count
                {
                    return Some(Operand::Reg(first + index));
                }
            }
        }
        None
    }
}
