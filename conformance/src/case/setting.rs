//! Execution settings of a case, which do not affect its result.

use crate::matrix::{Op, OpKind};
use crate::text::Params;

/// The execution setting of a call, among the parameters of a case: `on=stream`, `on=threads`, `memory=overlapping`,
/// `memory=apart`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// One thread, the current stream, a buffer for each operand.
    Plain,
    /// A separate stream, with operands that another stream wrote; the result is read on that other stream.
    Stream,
    /// Two concurrent threads, on the same arrays.
    Threads,
    /// The second operand is a view of the first one's buffer, shifted by one element.
    Overlapping,
    /// Both operands are in one buffer, one after the other.
    Apart,
}

impl Setting {
    /// The names of the parameters.
    pub const NAMES: [&str; 2] = ["on", "memory"];

    fn parameter(self) -> Option<(&'static str, &'static str)> {
        match self {
            Setting::Plain => None,
            Setting::Stream => Some(("on", "stream")),
            Setting::Threads => Some(("on", "threads")),
            Setting::Overlapping => Some(("memory", "overlapping")),
            Setting::Apart => Some(("memory", "apart")),
        }
    }

    /// Returns the setting that parameters name.
    pub fn named(params: &Params) -> Setting {
        let all = [Setting::Stream, Setting::Threads, Setting::Overlapping, Setting::Apart];
        let named = |s: &Setting| s.parameter().is_some_and(|(name, text)| params.get(name) == Some(text));
        all.into_iter().find(named).unwrap_or(Setting::Plain)
    }

    /// Returns true if both operands are in one buffer.
    pub fn is_one_buffer(self) -> bool {
        matches!(self, Setting::Overlapping | Setting::Apart)
    }

    /// Returns the parameters with those of the setting.
    #[must_use]
    pub fn beside(self, params: &Params) -> Params {
        self.parameter().map_or_else(|| params.clone(), |(name, text)| params.and(name, text))
    }

    /// Returns the settings with which an operation can be executed.
    pub fn of(op: &Op) -> Vec<Setting> {
        let computes = matches!(
            op.kind,
            OpKind::Ufunc | OpKind::Method | OpKind::Reduction | OpKind::Matmul | OpKind::Routine | OpKind::Cast
        );
        let mut all = vec![Setting::Plain];
        if computes {
            all.push(Setting::Stream);
        }
        if computes && !op.changes_its_operand() {
            all.push(Setting::Threads);
            if op.operands > 1 {
                all.extend([Setting::Overlapping, Setting::Apart]);
            }
        }
        all
    }
}
