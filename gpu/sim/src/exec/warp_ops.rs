//! Instructions in which the lanes of a warp exchange values.

use super::warp::{Group, Warp, lanes_of};
use super::{AtomicOp, Code, Function, ShuffleMode, VoteMode};
use crate::ops::{Lanes, Type};

impl Warp {
    /// Whether every lane that the instruction names has come. If not, the group stalls until the others join it.
    pub(super) fn converged(&mut self, function: &Function, code: &Code, group: &Group, mask: u32) -> bool {
        let named = match code {
            Code::Shuffle { mask: m, .. }
            | Code::Vote { mask: m, .. }
            | Code::Match { mask: m, .. }
            | Code::Redux { mask: m, .. }
            | Code::WarpSync(m) => {
                let lane = mask.trailing_zeros() as usize;
                self.source(function, group.frame, *m)[lane] as u32 & self.lanes
            }
            _ => return true,
        };
        let missing = named & !mask;
        // Lanes that have exited are in no group and do not count.
        if self.groups.iter().any(|g| g.mask & missing != 0) {
            self.groups.push(Group { stalled: true, ..*group });
            return false;
        }
        true
    }

    pub(super) fn across(&mut self, function: &Function, code: &Code, frame: usize, mask: u32) {
        match code {
            Code::ActiveMask(d) => self.set(frame, *d, mask, |_| mask.into()),
            Code::WarpSync(_) => self.step += 1,
            Code::Shuffle { mode, d, p, a, b, c, .. } => {
                let [a, b, c] = [a, b, c].map(|s| *self.source(function, frame, *s));
                let (mut out, mut inside) = ([0u64; 32], [0u64; 32]);
                for l in lanes_of(mask) {
                    let (from, valid) = shuffle_source(*mode, l as u32, b[l] as u32, c[l] as u32);
                    out[l] = a[from as usize];
                    inside[l] = valid.into();
                }
                self.set(frame, *d, mask, |l| out[l]);
                if let Some(p) = p {
                    self.set(frame, *p, mask, |l| inside[l]);
                }
                self.step += 1;
            }
            Code::Vote { mode, d, p, .. } => {
                let p = *self.source(function, frame, *p);
                let ballot = lanes_of(mask).filter(|&l| p[l] & 1 == 1).fold(0u32, |m, l| m | 1 << l);
                let value = match mode {
                    VoteMode::All => u64::from(ballot == mask),
                    VoteMode::Any => u64::from(ballot != 0),
                    VoteMode::Uni => u64::from(ballot == mask || ballot == 0),
                    VoteMode::Ballot => ballot.into(),
                };
                self.set(frame, *d, mask, |_| value);
                self.step += 1;
            }
            Code::Match { all, d, p, a, .. } => {
                let a = *self.source(function, frame, *a);
                let same = |l: usize| lanes_of(mask).filter(|&k| a[k] == a[l]).fold(0u32, |m, k| m | 1 << k);
                let first = mask.trailing_zeros() as usize;
                let agree = same(first) == mask;
                if *all {
                    self.set(frame, *d, mask, |_| if agree { mask.into() } else { 0 });
                    if let Some(p) = p {
                        self.set(frame, *p, mask, |_| agree.into());
                    }
                } else {
                    self.set(frame, *d, mask, |l| same(l).into());
                }
                self.step += 1;
            }
            Code::Redux { op, ty, d, a, .. } => {
                let a = *self.source(function, frame, *a);
                let value = reduce(*op, *ty, &a, mask);
                self.set(frame, *d, mask, |_| value);
                self.step += 1;
            }
            _ => {}
        }
    }
}

/// The lane that a shuffle reads, and whether it lies in range.
fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let b = b & 0x1f;
    let (clamp, segment) = (c & 0x1f, c >> 8 & 0x1f);
    let max_lane = (lane & segment) | (clamp & !segment);
    let min_lane = lane & segment;
    let (from, valid) = match mode {
        ShuffleMode::Up => {
            let j = lane as i32 - b as i32;
            (j.max(0) as u32, j >= max_lane as i32)
        }
        ShuffleMode::Down => (lane + b, lane + b <= max_lane),
        ShuffleMode::Bfly => (lane ^ b, lane ^ b <= max_lane),
        ShuffleMode::Idx => {
            let j = min_lane | (b & !segment);
            (j, j <= max_lane)
        }
    };
    if valid { (from & 0x1f, true) } else { (lane, false) }
}

fn reduce(op: AtomicOp, ty: Type, a: &Lanes, mask: u32) -> u64 {
    let signed = ty == Type::S32;
    let mut values = lanes_of(mask).map(|l| a[l] as u32);
    let first = values.next().unwrap_or(0);
    let value = values.fold(first, |x, y| match op {
        AtomicOp::Min if signed => (x as i32).min(y as i32) as u32,
        AtomicOp::Max if signed => (x as i32).max(y as i32) as u32,
        AtomicOp::Min => x.min(y),
        AtomicOp::Max => x.max(y),
        AtomicOp::And => x & y,
        AtomicOp::Or => x | y,
        AtomicOp::Xor => x ^ y,
        _ => x.wrapping_add(y),
    });
    value.into()
}
