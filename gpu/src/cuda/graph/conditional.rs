//! Conditional nodes of graphs: work that runs if a flag on the device is set, or as long as it is.
//!
//! The flag is a handle that a kernel sets before the node is reached; a loop runs without the host until a kernel of
//! its body clears the flag.

use std::sync::Arc;

use super::{Array, DeferredArrays, GraphArena, GraphMemory, captured};
use crate::cuda::queue::Queue;
use crate::cuda::{Access, Device, Stream, stream};
use crate::driver::runtime_api::Conditional;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use cuprum_kernels::DType;

/// Captures the work of `body` into a conditional node of the graph, which runs only if `condition`, one boolean on the
/// device, is true when the launch reaches it.
///
/// Arrays that `body` creates have their elements only after launches that ran it.
///
/// On a GPU it needs a driver of CUDA 12.3 or newer. The body may contain what CUDA allows in such a node: kernels,
/// copies on the device and conditions. Library calls, such as a matrix product of floats, and copies from the host are
/// errors at the end of the capture.
///
/// ```
/// use cuprum::{DType, array, cuda::graph, full};
/// let (x, limit) = (full(4, 1.0, DType::F64)?, array(10.0)?);
/// let (steps, ()) = graph::capture(|| {
///     let small = cuprum::less(&cuprum::sum(&x, ())?, &limit)?;
///     graph::when(&small, || x.assign(&cuprum::multiply(&x, 2)?))
/// })?;
/// (0..5).try_for_each(|_| steps.launch())?;
/// assert_eq!(x.to_vec::<f64>()?, [4.0; 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](ErrorKind::Value) if this thread captures nothing on the device of the condition, and for more than one
/// value; [`Type`](ErrorKind::Type) for another dtype than `bool`; those of `body`; [`Driver`](ErrorKind::Driver) if
/// the driver has no such nodes, and from the capture for a body with other nodes than those above.
pub fn when(condition: &Array, body: impl FnOnce() -> Result<()>) -> Result<()> {
    conditional("graph::when", condition, false, body)
}

/// Captures a loop: as [`when`], with the body repeated as long as the condition is true. `body` must assign to it.
///
/// ```
/// use cuprum::{DType, array, cuda::graph, full};
/// // Halves until it is below 1, and counts.
/// let (x, count, going) = (array(100.0)?, array(0i64)?, full((), true, DType::Bool)?);
/// let (halve, ()) = graph::capture(|| {
///     going.assign(&cuprum::greater_equal(&x, 1.0)?)?;
///     graph::repeat_while(&going, || {
///         x.assign(&cuprum::divide(&x, 2.0)?)?;
///         count.assign(&cuprum::add(&count, 1)?)?;
///         going.assign(&cuprum::greater_equal(&x, 1.0)?)
///     })
/// })?;
/// halve.launch()?;
/// assert_eq!((x.item::<f64>()?, count.item::<i64>()?), (0.78125, 7));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`when`].
pub fn repeat_while(condition: &Array, body: impl FnOnce() -> Result<()>) -> Result<()> {
    conditional("graph::repeat_while", condition, true, body)
}

/// Capture of a body. It ends when this is dropped, also after a panic.
struct Body {
    /// Device of the graph.
    device: Device,
    /// The node whose body is captured.
    node: Conditional,
    /// Memory of the graph.
    memory: Arc<GraphMemory>,
    /// The stream that was current before the body.
    before: Option<Option<Stream>>,
    /// True once the capture of the body has ended.
    ended: bool,
}

impl Body {
    /// Begins to capture a body.
    fn begin(condition: &Array, repeats: bool) -> Result<Body> {
        let device = condition.device();
        let queue = device.queue();
        if !queue.capture {
            let what = "nothing is captured on this thread: conditions are parts of graphs: call it in graph::capture";
            return Err(Error::new(ErrorKind::Value, what));
        }
        if condition.dtype() != DType::Bool {
            let what = format!("the condition is of {}: it is a boolean: compare first", condition.dtype());
            return Err(Error::new(ErrorKind::Type, what));
        }
        if condition.size() != 1 {
            let shape = shape_text(condition.shape());
            let what = format!("the condition has the shape {shape}: it is one boolean: all or any");
            return Err(Error::new(ErrorKind::Value, what));
        }
        let memory = captured(&queue)?;
        // Deferred work must be queued before the condition, or in its body.
        DeferredArrays(memory.clone()).settle();
        condition.buffer().touch(&queue, Access::Read)?;
        // SAFETY: the flag lives as long as the graph, which holds its buffer, and the stream is captured.
        let node = unsafe { device.driver()?.begin_conditional(queue.handle, condition.pointer(), repeats) }?;
        let mut inside = Body { device, node, memory, before: None, ended: false };
        // Memory that was freed before the body is not reused in it: the body may run several times.
        let memory = GraphArena::new(device);
        let within = Stream::of_body(Queue { handle: node.stream, arena: memory.1, ..queue });
        inside.memory.keep(Box::new(memory));
        inside.before = Some(stream::set_current(device, Some(within)));
        Ok(inside)
    }

    fn end(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        if let Some(before) = self.before.take() {
            stream::set_current(self.device, before);
        }
        // SAFETY: the body was begun and has not been ended.
        unsafe { self.device.driver_for_drop()?.end_conditional(&self.node) }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // The first failure is returned.
        let _ = self.end();
    }
}

/// Captures a body into a conditional node. The errors of the body keep the names of its calls.
fn conditional(name: &'static str, condition: &Array, repeats: bool, body: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut inside = Body::begin(condition, repeats).map_err(|e| e.with_op(name))?;
    condition.device().with(body)?;
    DeferredArrays(inside.memory.clone()).settle();
    inside.end().map_err(|e| e.with_op(name))
}
