//! Comparison of fused and eager execution: a program on the device alone, once call by call, once in a fusing scope.
//!
//! Nothing is read before the end, so that as many arrays as possible are pending. Every result must then be the same
//! to the bit, with the same dtype, shape and strides, and every error must be raised at the same step with the same
//! message.

use std::collections::BTreeMap;

use cuprum::{Array, FuseOptions, fuse_with};

use super::state::{Rejection, carried_out, fetched, guarded, of_device};
use super::{Fault, Program, Ref};
use crate::judge::{Failure, Reason};
use crate::outcome::Tensor;

/// The results of a program.
#[derive(Default)]
struct Replay {
    arrays: BTreeMap<Ref, Array>,
    /// The errors by step.
    rejections: BTreeMap<usize, Rejection>,
}

impl Replay {
    fn of(program: &Program) -> Replay {
        let mut replay = Replay::default();
        for step in &program.steps {
            let operands: Option<Vec<Array>> = step.operands.iter().map(|r| replay.arrays.get(r).cloned()).collect();
            let Some(operands) = operands else { continue };
            match guarded(|| carried_out(&step.action, &operands).map_err(of_device)) {
                Ok(results) => {
                    for (result, array) in results.into_iter().enumerate() {
                        replay.arrays.insert(Ref { step: step.id, result }, array);
                    }
                }
                Err(rejection) => drop(replay.rejections.insert(step.id, rejection)),
            }
        }
        replay
    }

    /// Fetches the elements, the last arrays first, so that their dependencies are still pending.
    fn fetched(&self) -> Result<BTreeMap<Ref, Tensor>, Fault> {
        let one = |(r, a): (&Ref, &Array)| match fetched(a) {
            Ok(tensor) => Ok((*r, tensor)),
            Err(failure) => Err(Fault { step: Some(r.step), failure }),
        };
        self.arrays.iter().rev().map(one).collect()
    }
}

/// Executes a program in both ways. In half of the programs the end of the scope computes the pending arrays; in the
/// others each array is computed as it is read.
///
/// # Errors
/// The difference.
pub fn compare(program: &Program) -> Result<(), Fault> {
    let plain = Replay::of(program);
    let wanted = plain.fetched()?;
    let fusing = FuseOptions { wait: true };
    let (fused, got) = if program.seed.is_multiple_of(2) {
        let fused = fuse_with(fusing, || Replay::of(program));
        let got = fused.fetched()?;
        (fused, got)
    } else {
        fuse_with(fusing, || {
            let fused = Replay::of(program);
            fused.fetched().map(|got| (fused, got))
        })?
    };
    let fault = |step, reason, message: &str| {
        let message = format!("in a fusing scope {message}");
        Err(Fault { step: Some(step), failure: Failure::new(reason, message) })
    };
    for step in &program.steps {
        let (plain, fused) = (plain.rejections.get(&step.id), fused.rejections.get(&step.id));
        if plain != fused {
            return fault(step.id, Reason::Rejection, &format!("{fused:?} is rejected, call by call {plain:?}"));
        }
    }
    for (r, want) in &wanted {
        let Some(got) = got.get(r) else { return fault(r.step, Reason::Rejection, "there is no result") };
        let same = (&want.dtype, &want.shape, &want.strides) == (&got.dtype, &got.shape, &got.strides);
        if !same {
            return fault(r.step, Reason::Layout, "dtype, shape or strides are others");
        }
        if let Some(at) = want.bytes.iter().zip(&got.bytes).position(|(a, b)| a != b) {
            return fault(r.step, Reason::Value, &format!("byte {at} of result {} differs", r.result));
        }
    }
    Ok(())
}
