//! Graphs: work that is captured instead of run, and then launched any number of times, each time by one call.
//!
//! While a stream is captured its work has a `Queue` with a number of its own, so that every use of memory takes the
//! slow path of `Buffer::touch`: existing memory is kept alive by the graph from then on. New arrays get memory of the
//! graph's own. In the order of streams a graph is a single use: a launch waits for all work that has used its memory
//! since the last launch, and later uses of that memory wait for the last launch.

mod conditional;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::device_errors::Record;
use super::queue::{Queue, StreamId};
use super::stream_dependencies::Signal;
use super::{Buffer, Device, PinnedMemory, Stream, status, stream};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

pub use conditional::{repeat_while, when};

/// The graphs of a device that are captured or live, by the number of the stream of their capture.
#[derive(Debug, Default)]
pub(super) struct Captures(Mutex<FxHashMap<StreamId, CaptureState>>);

/// A graph that is captured or live.
#[derive(Debug)]
struct CaptureState {
    /// Memory of the graph, which ends with it.
    memory: Weak<GraphMemory>,
    /// True until the capture has ended.
    capturing: bool,
}

impl Captures {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<StreamId, CaptureState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, id: StreamId) -> Option<Arc<GraphMemory>> {
        self.lock().get(&id).and_then(|known| known.memory.upgrade())
    }

    /// Returns true if the memory of this stream belongs to a live graph whose capture has ended.
    ///
    /// The pool calls it under its lock: no handle of the graph is created, which could become the last one to be
    /// dropped.
    pub(super) fn is_of_graph(&self, id: StreamId) -> bool {
        self.lock().get(&id).is_some_and(|known| !known.capturing)
    }
}

/// Value that is kept alive by a graph.
type Owner = Box<dyn Send + Sync>;

/// The memory of a graph, and its uses.
pub(super) struct GraphMemory {
    /// Device of the graph.
    device: Device,
    /// Number of the graph among the streams: the order of streams counts a launch as work of this stream.
    id: StreamId,
    /// Arena from which the arrays of the capture are allocated.
    arena: u32,
    /// Uses of the memory.
    state: Mutex<State>,
}

/// Uses of the memory of a graph.
#[derive(Default)]
struct State {
    /// True until the capture has ended.
    capturing: bool,
    /// True if several streams are captured: freed memory is not reused.
    forked: bool,
    /// The stream of the last launch, and those that have used memory of the graph since and are ordered after it.
    last: Option<StreamId>,
    /// See `last`.
    users: SmallVec<[StreamId; 4]>,
    /// Graphs that share memory with this one.
    neighbours: Vec<Weak<GraphMemory>>,
    /// Values that live as long as the graph: owners of memory, streams, staged uploads.
    kept: Vec<Owner>,
    /// Arrays of the capture whose elements are deferred.
    deferred: Vec<Weak<Buffer>>,
    /// The error records of its kernels.
    records: Vec<Record>,
}

impl fmt::Debug for GraphMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphMemory").field("id", &self.id).finish_non_exhaustive()
    }
}

impl GraphMemory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if freed memory of the capture may still be in use on another of its streams.
    pub(super) fn is_forked(&self) -> bool {
        let state = self.state();
        state.capturing && state.forked
    }

    /// Keeps a value alive as long as the graph.
    pub(super) fn keep(&self, owner: Owner) {
        self.state().kept.push(owner);
    }

    /// Orders a use of the graph's memory, which was allocated on the stream of this number.
    pub(super) fn used_by(&self, queue: &Queue, home: StreamId) -> Result<()> {
        let mut state = self.state();
        if state.capturing && home == self.id {
            let what =
                "the array is made by a capture that has not ended: it has no elements before its graph is launched";
            return Err(Error::new(ErrorKind::Value, what));
        }
        if state.users.contains(&queue.id) {
            return Ok(());
        }
        if let Some(last) = state.last.filter(|&last| last != queue.id) {
            queue.wait_for(last)?;
        }
        state.users.push(queue.id);
        Ok(())
    }

    /// Makes the first launch wait for these streams.
    pub(super) fn follows(&self, streams: impl Iterator<Item = StreamId>) {
        self.state().users.extend(streams);
    }

    /// Records that two graphs share memory: a launch of one waits for the other.
    pub(super) fn meet(a: &Arc<GraphMemory>, b: &Arc<GraphMemory>) {
        a.state().neighbours.push(Arc::downgrade(b));
        b.state().neighbours.push(Arc::downgrade(a));
    }

    /// Makes the stream wait for all uses of the graph's memory.
    fn before_launch(&self, queue: &Queue) -> Result<()> {
        let (users, neighbours) = {
            let mut state = self.state();
            let users = std::mem::replace(&mut state.users, SmallVec::from_slice(&[queue.id]));
            let last = state.last.replace(queue.id);
            state.neighbours.retain(|graph| graph.strong_count() > 0);
            (users.into_iter().chain(last).collect::<SmallVec<[StreamId; 6]>>(), state.neighbours.clone())
        };
        let others = neighbours.iter().filter_map(Weak::upgrade).filter_map(|graph| {
            let mut state = graph.state();
            state.users.push(queue.id);
            state.last
        });
        let mut waits: SmallVec<[StreamId; 6]> = users.into_iter().chain(others).filter(|&id| id != queue.id).collect();
        waits.sort_unstable();
        waits.dedup();
        waits.into_iter().try_for_each(|id| queue.wait_for(id))
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        self.device.captures().lock().remove(&self.id);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let last = state.last.map_or(Ok(None), |last| Signal::behind(self.device, last));
        let done = last.and_then(|signal| signal.map_or(Ok(()), |signal| signal.wait()));
        match done {
            Ok(()) => self.device.memory_pool().end_arena(self.arena),
            Err(e) => {
                // The end of the work is unknown: its memory is never reused.
                std::mem::forget(std::mem::take(&mut state.kept));
                self.device.lose(&e);
            }
        }
    }
}

/// A capture in progress.
#[derive(Debug)]
pub(super) struct Capture {
    /// The captured streams, with the queues of their work: the one that the capture began on, then those that have
    /// joined it by an event.
    streams: SmallVec<[(Stream, Queue); 1]>,
    /// The stream that was current before.
    before: Option<Stream>,
    /// Memory of the graph that results.
    memory: Arc<GraphMemory>,
    /// False once a call has failed that invalidates the capture.
    valid: bool,
}

/// Result of a capture.
pub(super) struct Ended {
    /// The graph, or the error of the capture.
    pub(super) graph: Result<Graph>,
    /// The stream that was current before.
    pub(super) before: Option<Stream>,
}

/// Arena that a graph uses for one of its streams, as long as the graph lives.
struct GraphArena(Device, u32);

impl GraphArena {
    fn new(device: Device) -> GraphArena {
        let arena = device.memory_pool().begin_arena();
        device.memory_pool().keep_arena(arena);
        GraphArena(device, arena)
    }
}

impl Drop for GraphArena {
    fn drop(&mut self) {
        self.0.memory_pool().end_arena(self.1);
    }
}

/// Arrays of a capture whose elements are deferred.
pub(super) struct DeferredArrays(Arc<GraphMemory>);

impl DeferredArrays {
    /// Queues their work. The last ones come first: arrays that only they read share their kernels.
    pub(super) fn settle(&self) {
        while let Some(buffer) = { self.0.state().deferred.pop() } {
            buffer.upgrade().iter().for_each(|buffer| buffer.settle());
        }
    }
}

/// Returns the error of a capture that an earlier call has invalidated.
pub(super) fn invalidated() -> Error {
    let what = "the capture is invalid since a call that a captured stream cannot do: begin anew";
    Error::new(ErrorKind::Driver, what).with_status(status::CAPTURE_INVALIDATED)
}

/// Begins to capture a stream, which becomes current.
pub(super) fn begin(stream: &Stream) -> Result<Capture> {
    let device = stream.device();
    if device.queue().capture {
        let what = "a capture goes on already on this thread: end it first";
        return Err(Error::new(ErrorKind::Value, what).with_status(status::ILLEGAL_STATE));
    }
    let handle = stream.handle();
    if handle == 0 {
        let what = "the default stream cannot be captured: make another one current, or use graph::capture";
        return Err(Error::new(ErrorKind::Value, what).with_status(status::CAPTURE_UNSUPPORTED));
    }
    // Objects that are created once for each thread are created outside of the capture.
    device.prepare_record()?;
    let queue = device.capture_queue(handle);
    let state = Mutex::new(State { capturing: true, ..State::default() });
    let memory = Arc::new(GraphMemory { device, id: queue.id, arena: queue.arena, state });
    let known = CaptureState { memory: Arc::downgrade(&memory), capturing: true };
    device.captures().lock().insert(queue.id, known);
    device.memory_pool().keep_arena(queue.arena);
    // SAFETY: the stream is live.
    unsafe { device.driver()?.begin_capture(handle) }?;
    let before = stream::set_current(device, Some(stream.clone()));
    Ok(Capture { streams: SmallVec::from_iter([(stream.clone(), queue)]), before, memory, valid: true })
}

impl Capture {
    /// Returns the number of the capture, which is that of its queues.
    pub(super) fn id(&self) -> StreamId {
        self.memory.id
    }

    pub(super) fn is_on(&self, device: Device) -> bool {
        self.memory.device == device
    }

    /// Returns the queue for the work of a stream that is part of the capture.
    pub(super) fn queue_of(&self, queue: &Queue) -> Option<Queue> {
        let is = |(stream, _): &&(Stream, Queue)| stream.device() == queue.device && stream.handle() == queue.handle;
        self.streams.iter().find(is).map(|(_, captured)| *captured)
    }

    /// Returns true if the capture began on this stream.
    pub(super) fn began_on(&self, stream: &Stream) -> bool {
        self.is_on(stream.device()) && self.streams[0].0.handle() == stream.handle()
    }

    /// Returns true if the default stream of a device synchronises with a stream of the capture.
    pub(super) fn blocks(&self, device: Device) -> bool {
        self.is_on(device) && self.streams.iter().any(|(stream, _)| !stream.is_non_blocking())
    }

    pub(super) fn is_valid(&self) -> bool {
        self.valid
    }

    /// Marks the capture as invalid: its end will be an error.
    pub(super) fn invalidate(&mut self) {
        self.valid = false;
    }

    pub(super) fn deferred(&self) -> DeferredArrays {
        DeferredArrays(self.memory.clone())
    }

    /// Makes a stream part of the capture. Its work may run concurrently with that of the others: memory that is freed
    /// from now on is not reused in the capture, and the stream has memory of its own.
    pub(super) fn join(&mut self, stream: &Stream) {
        if self.queue_of(&stream.queue()).is_some() {
            return;
        }
        let arena = GraphArena::new(self.memory.device);
        let queue = Queue { handle: stream.handle(), arena: arena.1, ..self.streams[0].1 };
        self.memory.state().forked = true;
        self.memory.keep(Box::new(arena));
        self.streams.push((stream.clone(), queue));
    }

    /// Ends the capture.
    pub(super) fn end(mut self) -> Ended {
        let before = self.before.take();
        Ended { graph: self.graph(), before }
    }

    /// Ends the captures of the driver and returns the graph.
    fn graph(self) -> Result<Graph> {
        let Capture { streams, memory, valid, .. } = self;
        let (device, id, stream) = (memory.device, memory.id, &streams[0].0);
        let driver = device.driver_for_drop()?;
        // SAFETY: the stream is live, and captured.
        let handle = unsafe { driver.end_capture(stream.handle()) }?;
        if !valid {
            // SAFETY: no one else has the graph.
            unsafe { driver.destroy_graph(handle) }?;
            return Err(invalidated());
        }
        if let Some(known) = device.captures().lock().get_mut(&id) {
            known.capturing = false;
        }
        {
            let mut state = memory.state();
            state.capturing = false;
            state.records = device.take_records(id);
            // The graph also uses the memory that libraries keep for the streams.
            streams.into_iter().for_each(|(stream, _)| state.kept.push(Box::new(stream)));
        }
        // SAFETY: the graph was created just now.
        match unsafe { driver.instantiate(handle) } {
            Ok(instance) => Ok(Graph { device, handle, instance, memory: vec![memory] }),
            Err(e) => {
                // A second failure cannot be reported.
                // SAFETY: no one else has the graph.
                let _ = unsafe { driver.destroy_graph(handle) };
                Err(e)
            }
        }
    }
}

/// Graph of captured work, which one call launches any number of times; CuPy's `Graph`.
///
/// It contains the calls between the beginning and the end of a capture: [`capture`], or [`Stream::begin_capture`].
/// None of them is run then; each launch runs all of them, with the contents of the arrays at that time. The arrays
/// that it reads and writes live as long as the graph, and the arrays that the calls have created have their elements
/// after a launch.
///
/// Calls that synchronise with the device cannot be captured, nor those whose shapes depend on values (`nonzero`,
/// `unique`, a mask as an index): they return an error. Uploads keep the values that they had. An index out of bounds
/// is reported after the launch, as usual.
///
/// A launch is ordered like any other work: it waits for uses of the graph's memory on other streams, and later uses
/// wait for the launch.
///
/// ```
/// use cuprum::{DType, cuda::graph, full};
/// let x = full([1000], 1.0, DType::F32)?;
/// let (steps, y) = graph::capture(|| {
///     let y = cuprum::multiply(&x, 2.0)?;
///     cuprum::add(&y, 1.0)
/// })?;
/// steps.launch()?;
/// assert_eq!(y.to_vec::<f32>()?, [3.0; 1000]);
/// x.fill(5.0)?;
/// steps.launch()?;
/// assert_eq!(y.to_vec::<f32>()?, [11.0; 1000]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub struct Graph {
    /// Device of the graph.
    device: Device,
    /// The driver's handle of the graph.
    handle: usize,
    /// The driver's handle of the executable graph.
    instance: usize,
    /// The memory of its own capture, and of the graph that it was updated with.
    memory: Vec<Arc<GraphMemory>>,
}

/// Captures the work that `f` queues on this thread's device as a graph, and also returns the result of `f`.
///
/// No work runs during the capture, so that a read of an array's elements, or any other synchronisation, is an error.
/// Host scalars and shapes are constants of the graph; arrays that it reads may change their elements between launches.
/// See [`Graph`] for an example.
///
/// ```
/// use cuprum::cuda::graph::capture;
/// let x = cuprum::array([1.0, 2.0])?;
/// let (graph, y) = capture(|| cuprum::add(&x, 1.0))?;
/// graph.launch()?;
/// assert_eq!(y.to_vec::<f64>()?, [2.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of `f`, and of the device.
///
/// # Panics
///
/// If `f` panics; the capture ends then.
pub fn capture<R>(f: impl FnOnce() -> Result<R>) -> Result<(Graph, R)> {
    /// Ends the capture, also when `f` panics.
    struct Captured(Option<Stream>);
    impl Drop for Captured {
        fn drop(&mut self) {
            // The graph of a failed capture is dropped.
            let _ = self.0.take().map(|stream| stream::end_capture(&stream));
        }
    }
    let name = |e: Error| e.with_op("graph::capture");
    let device = Device::current()?;
    // Work of the default stream can continue during the capture of a non-blocking stream.
    let stream = Stream::with_options(device, true, 0).map_err(name)?;
    stream::begin_capture(&stream).map_err(name)?;
    let mut captured = Captured(Some(stream.clone()));
    let made = device.with(f)?;
    captured.0 = None;
    let graph = stream::end_capture(&stream).map_err(name)?;
    Ok((graph, made))
}

/// Returns the memory of the graph that a stream is captured into.
fn captured(queue: &Queue) -> Result<Arc<GraphMemory>> {
    let ended = || Error::new(ErrorKind::Value, "the capture of the stream has ended");
    queue.device.captures().find(queue.id).ok_or_else(ended)
}

/// Keeps a value alive as long as the graph, for its work.
pub(crate) fn keep_captured(queue: &Queue, owner: Owner) -> Result<()> {
    captured(queue)?.keep(owner);
    Ok(())
}

/// Computes the elements of a deferred buffer in the graph, at the end of the capture at the latest.
pub(crate) fn settle_at_end(queue: &Queue, buffer: &Arc<Buffer>) -> Result<()> {
    captured(queue)?.state().deferred.push(Arc::downgrade(buffer));
    Ok(())
}

/// Queues the copy of bytes that `fill` writes, which the graph keeps: each launch copies them again.
pub(crate) fn upload_captured(
    queue: &Queue,
    addr: u64,
    bytes: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let memory = captured(queue)?;
    let mut kept = PinnedMemory::new(queue.device, bytes)?;
    fill(kept.as_mut())?;
    // SAFETY: the caller's memory is live, and the bytes live as long as the graph.
    unsafe { queue.device.driver()?.upload_kept(addr, kept.pointer(), bytes, queue.handle) }?;
    memory.keep(Box::new(kept));
    Ok(())
}

impl Graph {
    /// Launches the graph on the current stream.
    ///
    /// It costs one call of the driver for any number of kernels. See [`Graph`] for an example.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the device rejects it.
    pub fn launch(&self) -> Result<()> {
        self.launch_in(&self.device.queue()).map_err(|e| e.with_op("Graph::launch"))
    }

    /// Launches the graph on a stream.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream, graph::capture};
    /// let x = cuprum::array([1.0, 2.0])?;
    /// let (graph, y) = capture(|| cuprum::add(&x, 1.0))?;
    /// let stream = Stream::new(Device::current()?)?;
    /// graph.launch_on(&stream)?;
    /// // The read waits for the stream.
    /// assert_eq!(y.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::launch`]; [`Value`](ErrorKind::Value) for a stream of another device.
    pub fn launch_on(&self, stream: &Stream) -> Result<()> {
        let go = || {
            self.check(stream)?;
            self.launch_in(&stream.work_queue())
        };
        go().map_err(|e: Error| e.with_op("Graph::launch_on"))
    }

    fn launch_in(&self, queue: &Queue) -> Result<()> {
        let driver = self.device.driver()?;
        if queue.capture {
            // It becomes a part of another graph.
            let outer = captured(queue)?;
            for memory in &self.memory {
                GraphMemory::meet(memory, &outer);
                outer.keep(Box::new(memory.clone()));
            }
        } else {
            self.memory.iter().try_for_each(|memory| memory.before_launch(queue))?;
        }
        // SAFETY: the executable graph and the stream are live; the memory is kept alive, and ordered.
        unsafe { driver.launch_graph(self.instance, queue.handle) }?;
        for memory in &self.memory {
            let records = memory.state().records.clone();
            self.device.give_records(&records, queue.id);
        }
        Ok(())
    }

    /// Uploads the graph to the device, so that the first launch takes no longer than the others.
    ///
    /// CUDA's `cuGraphUpload`; CuPy's `Graph.upload`. It is queued on the stream, and changes no result.
    ///
    /// # Errors
    ///
    /// As [`Graph::launch_on`].
    pub fn upload(&self, stream: &Stream) -> Result<()> {
        let go = || {
            self.check(stream)?;
            // SAFETY: the executable graph and the stream are live.
            unsafe { self.device.driver()?.upload_graph(self.instance, stream.handle()) }
        };
        go().map_err(|e: Error| e.with_op("Graph::upload"))
    }

    /// Replaces the work by that of another graph of the same topology: the same calls, with other arrays or scalars.
    /// That is faster than a new graph.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) if the other graph has another topology or device; this one is then unchanged.
    ///
    /// ```
    /// use cuprum::cuda::graph::capture;
    /// let (x, out) = (cuprum::arange(0, 3, 1)?, cuprum::arange(0, 3, 1)?);
    /// let (mut graph, ()) = capture(|| out.assign(&cuprum::add(&x, 1)?))?;
    /// let (other, ()) = capture(|| out.assign(&cuprum::add(&x, 7)?))?;
    /// graph.update(&other)?;
    /// graph.launch()?;
    /// assert_eq!(out.to_vec::<i64>()?, [7, 8, 9]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn update(&mut self, other: &Graph) -> Result<()> {
        let mut go = || {
            if other.device != self.device {
                return Err(self.another(other.device, "the other graph"));
            }
            let driver = self.device.driver()?;
            // SAFETY: the other graph is live.
            let clone = unsafe { driver.clone_graph(other.handle) }?;
            // SAFETY: both are live.
            let updated = unsafe { driver.update_instance(self.instance, clone) };
            let old = if updated.is_ok() { std::mem::replace(&mut self.handle, clone) } else { clone };
            // SAFETY: no one else has the graph.
            unsafe { driver.destroy_graph(old) }?;
            updated?;
            self.memory = other.memory.clone();
            Ok(())
        };
        go().map_err(|e: Error| e.with_op("Graph::update"))
    }

    /// Creates another graph with the same work, which can be updated independently. The two share their memory.
    ///
    /// CUDA's `cuGraphClone` and a new executable graph.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the device rejects it.
    pub fn try_clone(&self) -> Result<Graph> {
        let go = || {
            let driver = self.device.driver()?;
            // SAFETY: the graph is live.
            let handle = unsafe { driver.clone_graph(self.handle) }?;
            // SAFETY: the clone was created just now.
            let instance = unsafe { driver.instantiate(handle) }?;
            Ok(Graph { device: self.device, handle, instance, memory: self.memory.clone() })
        };
        go().map_err(|e: Error| e.with_op("Graph::try_clone"))
    }

    /// Returns the number of nodes: kernels, copies, library calls.
    ///
    /// ```
    /// let x = cuprum::array([1.0, 2.0])?;
    /// let (graph, _y) = cuprum::cuda::graph::capture(|| cuprum::add(&x, 1.0))?;
    /// assert!(graph.nodes()? >= 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) if the device rejects it.
    pub fn nodes(&self) -> Result<usize> {
        // SAFETY: the graph is live.
        unsafe { self.device.driver()?.graph_nodes(self.handle) }.map_err(|e| e.with_op("Graph::nodes"))
    }

    /// Returns the graph in Graphviz's DOT language, with the details of CUDA's flags (`CU_GRAPH_DEBUG_DOT_FLAGS_*`);
    /// CuPy's `debug_dot_str`.
    ///
    /// The text describes kernels with their names, copies with their sizes, and the edges between them.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) and [`Io`](ErrorKind::Io): the driver writes a file.
    pub fn to_dot(&self, flags: u32) -> Result<String> {
        // SAFETY: the graph is live.
        unsafe { self.device.driver()?.graph_dot(self.handle, flags) }.map_err(|e| e.with_op("Graph::to_dot"))
    }

    /// Returns the device of the graph.
    ///
    /// ```
    /// use cuprum::cuda::{Device, graph::capture};
    /// let x = cuprum::array([1.0])?;
    /// let (graph, _) = capture(|| cuprum::add(&x, 1.0))?;
    /// assert_eq!(graph.device(), Device::current()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the driver's handles of the graph and of the executable graph, a `CUgraph` and a `CUgraphExec` as
    /// numbers.
    ///
    /// They serve calls of the driver on the graph; it is destroyed with the last handle of it here.
    pub fn handles(&self) -> (usize, usize) {
        (self.handle, self.instance)
    }

    fn check(&self, stream: &Stream) -> Result<()> {
        if stream.device() == self.device { Ok(()) } else { Err(self.another(stream.device(), "the stream")) }
    }

    fn another(&self, other: Device, what: &str) -> Error {
        let (ours, theirs) = (&self.device.info().id, &other.info().id);
        Error::new(ErrorKind::Value, format!("the graph is of {ours}, {what} of {theirs}: capture one on that device"))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("device", &self.device).field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: both are owned by this value; queued work still completes.
        let instance = unsafe { driver.destroy_instance(self.instance) };
        // SAFETY: as above.
        let graph = unsafe { driver.destroy_graph(self.handle) };
        if let Err(e) = instance.and(graph) {
            self.device.lose(&e);
        }
    }
}

#[cfg(test)]
mod tests;
