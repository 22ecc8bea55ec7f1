//! Fourier transforms by the device's library.

use super::one_device;
use crate::array::Array;
use crate::cuda::Access;
use crate::driver::{LibraryPlan, Transform, TransformKind, Transforming};
use crate::error::Result;

/// Queues a transform of elements at byte offsets from the first ones of the arrays.
///
/// # Safety
///
/// The plan is of the transform and of this thread, and both sides of the transform are within the arrays.
pub(crate) unsafe fn transform(
    transform: Transform,
    plan: LibraryPlan,
    inverse: bool,
    (input, output): (&Array, &Array),
    (from, to): (i64, i64),
) -> Result<()> {
    let device = one_device(input, [output])?;
    let (queue, driver) = (device.queue(), device.driver()?);
    // A transform to real numbers overwrites its input.
    let reading = if transform.turning == TransformKind::Backward { Access::Write } else { Access::Read };
    input.buffer().touch(&queue, reading)?;
    output.buffer().touch(&queue, Access::Write)?;
    let work = if plan.work > 0 { Some(device.alloc(plan.work)?) } else { None };
    if let Some(work) = &work {
        work.touch(&queue, Access::Write)?;
    }
    let call = Transforming {
        transform,
        plan,
        inverse,
        input: input.addr().wrapping_add_signed(from),
        output: output.addr().wrapping_add_signed(to),
        work: work.as_ref().map_or(0, |work| work.addr()),
    };
    // SAFETY: the caller guarantees plan and arrays; the work area has the plan's size; the buffers record the stream.
    unsafe { driver.transform(&call, queue.handle()) }
}
