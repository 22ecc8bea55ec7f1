//! Fourier transforms, which the device's library does.

use super::one_device;
use crate::array::Array;
use crate::cuda::Access;
use crate::driver::{Planned, Transform, Transforming, Turning};
use crate::error::Result;

/// Queues a transform of elements that begin so many bytes behind the first ones of the arrays.
///
/// # Safety
///
/// The plan is of the transform and of this thread, and what the transform says of the two sides lies within the arrays.
pub(crate) unsafe fn transform(
    transform: Transform,
    plan: Planned,
    inverse: bool,
    (input, output): (&Array, &Array),
    (from, to): (i64, i64),
) -> Result<()> {
    let device = one_device(input, [output])?;
    let (queue, driver) = (device.queue(), device.driver()?);
    // A transform back to real numbers overwrites what it reads.
    let reading = if transform.turning == Turning::Backward { Access::Write } else { Access::Read };
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
    // SAFETY: the caller answers for plan and arrays; the work area is as large as the plan says; the buffers know the stream.
    unsafe { driver.transform(&call, queue.handle()) }
}
