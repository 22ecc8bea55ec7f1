//! Marks of undefined bits in values that lanes and threads exchange.

use super::block::Context;
use super::collective::shuffle_source;
use super::defined::{Origin, Row, Source, depends_on};
use super::run::row;
use super::warp::{Lane, Warp, first, lanes_of};
use super::{BarrierKind, Collective, Function, ReduxKind, VoteKind};
use crate::ops::Lanes;

impl Warp {
    /// Marks the results of a collective of a set of lanes.
    pub(super) fn exchange_marks(
        &mut self,
        cx: &Context<'_>,
        registers: &[Lanes],
        function: &Function,
        frame: usize,
        what: &Collective,
        team: u32,
    ) -> Lane<()> {
        match what {
            Collective::Sync | Collective::Matrix(_) => {}
            Collective::Shuffle { kind, d, p, sources: [a, b, c] } => {
                for (s, what) in [(b, "the lane that a shuffle reads"), (c, "the lanes that a shuffle may read")] {
                    if let Some(l) = lanes_of(team).find(|&l| self.mark_of(frame, *s, l).0 != 0) {
                        return Err((l, depends_on(cx, what, &self.mark_of(frame, *s, l).1)));
                    }
                }
                let [b, c] = [b, c].map(|s| row(registers, function, *s));
                let mut moved = Row::default();
                for l in lanes_of(team) {
                    let from = shuffle_source(*kind, l, b[l] as u32, c[l] as u32).0;
                    (moved.bits[l], moved.origin[l]) = if team >> from & 1 == 1 {
                        self.mark_of(frame, *a, from)
                    } else {
                        (u64::MAX, self.origin(Source::AbsentLane(from as u32), l))
                    };
                }
                if let Some(d) = d {
                    self.set_marks(frame, *d as usize, team, |l| (moved.bits[l], moved.origin[l]));
                }
                p.iter().for_each(|p| self.define(frame, *p, team));
            }
            Collective::Vote { kind, d, a } => {
                let truth = row(registers, function, *a);
                let marked = |l: &usize| self.mark_of(frame, *a, *l).0 & 1 != 0;
                let unknown = lanes_of(team).filter(marked).fold(0u32, |m, l| m | 1 << l);
                let known = |wanted: u64| lanes_of(team & !unknown).any(|l| truth[l] & 1 == wanted);
                let bits = match kind {
                    VoteKind::Ballot => unknown.into(),
                    // A lane with a defined false, or true, decides.
                    VoteKind::All if known(0) => 0,
                    VoteKind::Any if known(1) => 0,
                    VoteKind::Uniform if known(0) && known(1) => 0,
                    _ => {
                        if unknown == 0 {
                            0
                        } else {
                            u64::MAX
                        }
                    }
                };
                let origin = self.mark_of(frame, *a, first(unknown)).1;
                d.iter().for_each(|d| self.set_marks(frame, *d as usize, team, |_| (bits, origin)));
            }
            Collective::MatchAny { d, a } => self.exchange_any(frame, [*d, None], *a, team),
            Collective::MatchAll { d, p, a } => self.exchange_any(frame, [*d, *p], *a, team),
            Collective::Redux { kind, d, a, .. } => {
                let values = row(registers, function, *a);
                let union = lanes_of(team).fold(0, |m, l| m | self.mark_of(frame, *a, l).0);
                // A defined 0 makes the result of `and` defined, a defined 1 that of `or`.
                let decided = |invert: u64| {
                    lanes_of(team).fold(0, |m, l| m | (values[l] ^ invert) & !self.mark_of(frame, *a, l).0)
                };
                let bits = match kind {
                    ReduxKind::Xor => union,
                    ReduxKind::And => union & !decided(u64::MAX),
                    ReduxKind::Or => union & !decided(0),
                    _ => {
                        if union == 0 {
                            0
                        } else {
                            u64::MAX
                        }
                    }
                };
                let origin = self.any_origin(frame, *a, team);
                d.iter().for_each(|d| self.set_marks(frame, *d as usize, team, |_| (bits, origin)));
            }
        }
        Ok(())
    }

    fn any_origin(&self, frame: usize, a: u32, team: u32) -> Origin {
        let marks = |l: usize| self.mark_of(frame, a, l);
        lanes_of(team).map(marks).find(|m| m.0 != 0).map_or(Origin::default(), |m| m.1)
    }

    /// Marks results that depend on every lane's value.
    fn exchange_any(&mut self, frame: usize, targets: [Option<u32>; 2], a: u32, team: u32) {
        let undefined = lanes_of(team).any(|l| self.mark_of(frame, a, l).0 != 0);
        let mark = (if undefined { u64::MAX } else { 0 }, self.any_origin(frame, a, team));
        for d in targets.into_iter().flatten() {
            self.set_marks(frame, d as usize, team, |_| mark);
        }
    }
}

/// The result of the threads at a reducing barrier, as far as it is defined.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Votes {
    pub(super) yes: u64,
    pub(super) no: u64,
    /// The origin of an undefined predicate.
    pub(super) unknown: Option<Origin>,
}

impl Votes {
    pub(super) fn value(&self, kind: BarrierKind) -> u64 {
        match kind {
            BarrierKind::Popc => self.yes,
            BarrierKind::And => u64::from(self.no == 0),
            _ => u64::from(self.yes != 0),
        }
    }

    pub(super) fn marks(&self, kind: BarrierKind) -> (u64, Origin) {
        match (kind, self.unknown) {
            (BarrierKind::And, _) if self.no != 0 => (0, Origin::default()),
            (BarrierKind::Or, _) if self.yes != 0 => (0, Origin::default()),
            (_, Some(origin)) => (u64::MAX, origin),
            (_, None) => (0, Origin::default()),
        }
    }
}
