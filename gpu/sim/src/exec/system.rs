//! What a kernel asks of the system: `printf`, `assert`, the device heap.

use super::SystemCall;
use super::block::Environment;
use super::warp::{Lane, Warp, lanes_of};
use crate::memory::find;
use crate::{Fault, FaultKind};

/// No text that a kernel prints or names is longer.
const MAX_TEXT: u64 = 1 << 16;

impl Warp {
    pub(super) fn system(
        &mut self,
        env: &Environment<'_>,
        which: SystemCall,
        frame: usize,
        mask: u32,
        args: &[u64],
        results: &[u64],
    ) -> Lane<()> {
        let stride = env.program.functions[self.frames[frame].function].param_bytes as usize;
        for l in lanes_of(mask) {
            let arg = |w: &Warp, i: usize| -> u64 {
                let start = l * stride + args.get(i).map_or(0, |a| *a as usize);
                let bytes = w.frames[frame].params.get(start..start + 8).unwrap_or(&[0; 8]);
                bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
            };
            let result = match which {
                SystemCall::AssertFail => {
                    let text = |i| c_string(env, arg(self, i)).unwrap_or_else(|_| "?".into());
                    let message =
                        format!("assertion `{}` failed at {}:{} in {}", text(0), text(1), arg(self, 2) as u32, text(3));
                    return Err((l, Fault::new(FaultKind::Assert, message)));
                }
                SystemCall::Printf => {
                    let format = c_string(env, arg(self, 0)).map_err(|f| (l, f))?;
                    let at = arg(self, 1).wrapping_sub(super::LOCAL_WINDOW) as usize;
                    let values = self.local[l].data.get(at..).unwrap_or(&[]).to_vec();
                    let text = formatted(env, &format, &values).map_err(|f| (l, f))?;
                    env.print(&text);
                    format.len() as u64
                }
                // The device heap is not offered; a failed malloc gives the null pointer.
                SystemCall::Malloc | SystemCall::Free => 0,
            };
            if let Some(to) = results.first() {
                let start = l * stride + *to as usize;
                let room = stride.saturating_sub(*to as usize).min(8);
                if let Some(slot) = self.frames[frame].params.get_mut(start..start + room) {
                    slot.copy_from_slice(&result.to_le_bytes()[..room]);
                }
            }
        }
        Ok(())
    }
}

fn c_string(env: &Environment<'_>, addr: u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    for at in addr..addr.saturating_add(MAX_TEXT) {
        match find(&env.live, at)?.load(at, 1)? {
            0 => break,
            b => bytes.push(b as u8),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `printf` of C, as far as device code has it: the arguments are 4 or 8 bytes each, naturally aligned.
fn formatted(env: &Environment<'_>, format: &str, values: &[u8]) -> Result<String, Fault> {
    let mut out = String::new();
    let mut at = 0;
    let mut take = |bytes: usize| -> u64 {
        at = usize::next_multiple_of(at, bytes);
        let raw = values.get(at..at + bytes).unwrap_or(&[]);
        at += bytes;
        raw.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
    };
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let (mut flags, mut long) = (String::new(), false);
        let conversion = loop {
            match rest.next() {
                Some(c @ ('-' | '+' | ' ' | '#' | '.' | '0'..='9')) => flags.push(c),
                Some('l' | 'z' | 'j' | 't') => long = true,
                Some('h') => {}
                other => break other,
            }
        };
        let precision = flags.split_once('.').map(|(_, p)| p.parse().unwrap_or(0usize));
        let width: usize =
            flags.split('.').next().unwrap_or("").trim_start_matches(['-', '+', ' ', '#', '0']).parse().unwrap_or(0);
        let text = match conversion {
            Some('d' | 'i') if long => (take(8) as i64).to_string(),
            Some('d' | 'i') => (take(4) as i32).to_string(),
            Some('u') => take(if long { 8 } else { 4 }).to_string(),
            Some('x') => format!("{:x}", take(if long { 8 } else { 4 })),
            Some('X') => format!("{:X}", take(if long { 8 } else { 4 })),
            Some('p') => format!("{:#x}", take(8)),
            Some('c') => char::from(take(4) as u8).to_string(),
            Some('f' | 'F') => format!("{:.*}", precision.unwrap_or(6), f64::from_bits(take(8))),
            Some('e' | 'E' | 'g' | 'G') => format!("{:?}", f64::from_bits(take(8))),
            Some('s') => c_string(env, take(8))?,
            Some('%') => "%".into(),
            other => format!("%{flags}{}", other.map(String::from).unwrap_or_default()),
        };
        let width = width.min(1 << 10);
        let pad = if flags.starts_with('0') && !flags.contains('-') { '0' } else { ' ' };
        let missing = width.saturating_sub(text.chars().count());
        let padding: String = std::iter::repeat_n(pad, missing).collect();
        if flags.contains('-') {
            out += &text
        } else {
            out += &padding
        }
        out += if flags.contains('-') { &padding } else { &text };
    }
    Ok(out)
}
