//! Attribution of a fault to an argument of the kernel.

use super::block::Grid;
use crate::FaultKind;

/// Maximum distance of an address from an argument's memory.
const NEAR: u64 = 1 << 32;

/// Describes the argument whose memory is nearest to the address in the message; empty if there is none.
pub(super) fn nearest(grid: &Grid<'_>, kind: FaultKind, message: &str) -> String {
    use FaultKind::*;
    if !matches!(kind, OutOfBounds | UseAfterFree | Misaligned | Unwritten | GlobalRace) {
        return String::new();
    }
    match global_address(message) {
        Some(address) => describe(grid, address).unwrap_or_default(),
        None => String::new(),
    }
}

/// Returns the address of the first access in a message, if it is in global memory.
fn global_address(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once(" bytes at 0x")?;
    let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
    let elsewhere = [" of shared memory", " of local memory", " of the parameters"];
    if elsewhere.iter().any(|space| rest[digits..].starts_with(space)) {
        return None;
    }
    u64::from_str_radix(&rest[..digits], 16).ok()
}

fn describe(grid: &Grid<'_>, address: u64) -> Option<String> {
    let kernel = &grid.program.functions[grid.entry];
    // Pointers among the arguments: distance, argument, start and end of its memory.
    let mut best: Option<(u64, usize, u64, u64)> = None;
    for (i, parameter) in kernel.params.iter().enumerate() {
        let bytes = grid.params.get(parameter.offset as usize..(parameter.offset + parameter.bytes) as usize)?;
        for word in bytes.chunks_exact(8) {
            let start = u64::from_le_bytes(word.try_into().ok()?);
            let after = grid.live.partition_point(|a| a.base <= start);
            let Some(a) = after.checked_sub(1).map(|at| &grid.live[at]).filter(|a| start < a.base + a.bytes) else {
                continue;
            };
            let end = a.base + a.end_of(start - a.base);
            let away = if address < start { start - address } else { address.saturating_add(1).saturating_sub(end) };
            if away < NEAR && best.is_none_or(|(least, ..)| away < least) {
                best = Some((away, i, start, end));
            }
        }
    }
    let (_, i, start, end) = best?;
    let name = match grid.program.sources.argument(&kernel.name, i) {
        Some(name) => format!("argument `{name}`"),
        None => format!("argument {i}"),
    };
    let length = end - start;
    Some(if address < start {
        format!("; that is {} bytes before the memory of {name}", start - address)
    } else if address < end {
        format!("; that is {} bytes into the memory of {name}", address - start)
    } else {
        format!("; that is {} bytes beyond the end of the memory of {name}, which has {length} bytes", address - end)
    })
}
