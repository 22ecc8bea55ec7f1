//! Streams, and the current stream of a thread.
//!
//! ```
//! use cuprum::cuda::{Device, Stream};
//! let stream = Stream::new(Device::current()?)?;
//! let a = stream.with(|| cuprum::ones(3, ()))?;
//! // Another stream reads what this one wrote: the dependency is added.
//! assert_eq!(cuprum::sum(&a, ())?.item::<f64>()?, 3.0);
//! # Ok::<(), cuprum::Error>(())
//! ```

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use super::graph::{self, Capture, Graph};
use super::queue::{Queue, StreamId};
use super::{Device, Event};
use super::{status, waiting};
use crate::error::{Error, ErrorKind, Result};

/// CUDA's handles of two streams: the default one of a device, and the per-thread default one.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

thread_local! {
    /// The current stream of this thread, by the device's index; if there is none, it is the device's default one.
    static CURRENT: RefCell<Vec<Option<Stream>>> = const { RefCell::new(Vec::new()) };
    /// The captures of this thread, and their number.
    static CAPTURES: RefCell<Vec<Capture>> = const { RefCell::new(Vec::new()) };
    static CAPTURING: Cell<usize> = const { Cell::new(0) };
    /// The default streams of this thread, by the device's index.
    static USUAL: RefCell<Vec<Option<Stream>>> = const { RefCell::new(Vec::new()) };
}

/// Returns the queue for the work of a stream: that of a graph while this thread captures the stream.
fn work_queue_of(queue: Queue) -> Queue {
    if CAPTURING.get() == 0 {
        return queue;
    }
    let found = CAPTURES.try_with(|all| all.borrow().iter().find_map(|capture| capture.queue_of(&queue)));
    found.ok().flatten().unwrap_or(queue)
}

/// Calls `f` with the capture of this thread that a stream is part of.
fn with_capture<R>(stream: &Stream, f: impl FnOnce(&mut Capture) -> R) -> Option<R> {
    if CAPTURING.get() == 0 {
        return None;
    }
    let queue = stream.queue();
    CAPTURES.with_borrow_mut(|all| all.iter_mut().find(|capture| capture.queue_of(&queue).is_some()).map(f))
}

/// Begins a capture of this thread.
pub(super) fn begin_capture(stream: &Stream) -> Result<()> {
    let capture = graph::begin(stream)?;
    CAPTURES.with_borrow_mut(|all| all.push(capture));
    CAPTURING.set(CAPTURING.get() + 1);
    Ok(())
}

/// Ends a capture that began on a stream, and returns its graph.
pub(super) fn end_capture(stream: &Stream) -> Result<Graph> {
    let none = || {
        let what = "this thread does not capture the stream: begin_capture begins";
        Error::new(ErrorKind::Value, what).with_status(status::ILLEGAL_STATE)
    };
    let began = with_capture(stream, |capture| {
        let began = capture.began_on(stream);
        if !began {
            capture.invalidate();
        }
        began.then(|| capture.deferred())
    });
    let deferred = began.ok_or_else(none)?.ok_or_else(|| {
        let what = "the capture began on another stream, which this one has joined by an event: end it there";
        Error::new(ErrorKind::Value, what).with_status(status::CAPTURE_UNMATCHED)
    })?;
    if !std::thread::panicking() {
        stream.with(|| deferred.settle());
    }
    let capture = CAPTURES.with_borrow_mut(|all| {
        let at = all.iter().position(|capture| capture.began_on(stream))?;
        Some(all.remove(at))
    });
    CAPTURING.set(CAPTURING.get().saturating_sub(1));
    let ended = capture.ok_or_else(none)?.end();
    // The thread may have made another stream current since.
    let device = stream.device();
    let is_current = CURRENT.with_borrow(|all| all.get(device.index()).is_some_and(|now| now.as_ref() == Some(stream)));
    if is_current {
        set_current(device, ended.before);
    }
    ended.graph
}

/// Returns true if `CUPRUM_PER_THREAD_DEFAULT_STREAM` gives each thread a default stream of its own.
pub(super) fn each_thread_has_one() -> bool {
    static EACH: OnceLock<bool> = OnceLock::new();
    *EACH.get_or_init(|| std::env::var("CUPRUM_PER_THREAD_DEFAULT_STREAM").is_ok_and(|value| value == "1"))
}

/// Returns the current stream of this thread for a device, unless it is the default one.
pub(super) fn current(device: Device) -> Option<Queue> {
    // While a thread ends it has no current stream.
    let found = CURRENT.try_with(|streams| Some(streams.borrow().get(device.index())?.as_ref()?.queue()));
    let found = match found {
        Ok(None) if each_thread_has_one() => Stream::of_thread(device).ok().map(|stream| stream.queue()),
        found => found.ok().flatten(),
    };
    found.map(work_queue_of)
}

/// Returns the current stream of this thread for a device as a handle, if it is not the default one.
pub(super) fn current_handle(device: Device) -> Option<Stream> {
    let found = CURRENT.try_with(|streams| streams.borrow().get(device.index())?.clone()).ok().flatten();
    found.or_else(|| if each_thread_has_one() { Stream::of_thread(device).ok() } else { None })
}

/// Makes a stream current for its device, and returns the previous one.
pub(super) fn set_current(device: Device, stream: Option<Stream>) -> Option<Stream> {
    CURRENT.with_borrow_mut(|streams| {
        if streams.len() <= device.index() {
            streams.resize(device.index() + 1, None);
        }
        std::mem::replace(&mut streams[device.index()], stream)
    })
}

/// Stream: a queue of work on a device; CuPy's `Stream`. Work on one stream runs in order.
///
/// Each thread has a current stream for each device: the default one, except within [`Stream::with`]. Calls of the
/// library queue their work there.
///
/// Arrays may be used on any stream of their device. A reader on one stream waits for the last writer on another; a
/// writer waits for all earlier readers and writers. Readers do not wait for each other. It is the device that waits,
/// for all work that was queued on the other stream until then. Memory is reused when the work on all streams has
/// completed. No event is needed for that; events are for work that the library does not see, and for times.
///
/// Two threads that use one array concurrently, one of them writing, must synchronise: otherwise the reader may see
/// elements from before and after the write, though never those of another array.
///
/// A handle: clones are the same stream. It ends when the last one is dropped, which synchronises with its work.
///
/// ```
/// use cuprum::{DType, cuda::{Device, Stream}, full};
/// let device = Device::current()?;
/// let stream = Stream::new(device)?;
/// let x = full([1000], 2.0, DType::F32)?;
/// let y = stream.with(|| &x * 3.0);
/// // On the default stream again: this waits for the product.
/// assert_eq!((&y + &x).to_vec::<f32>()?, [8.0; 1000]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream(Arc<Inner>);

/// A stream with the work queue that belongs to it.
#[derive(Debug)]
struct Inner {
    /// Device, number and handle.
    queue: Queue,
    /// Treatment at the end of the stream.
    kind: Kind,
    /// True if it does not synchronise with the default stream.
    non_blocking: bool,
    /// CUDA's priority.
    priority: i32,
}

/// Treatment of a stream when its last handle is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The stream is destroyed.
    Ours,
    /// The stream is destroyed elsewhere.
    Theirs,
    /// The stream is the body of a conditional node of a graph, which the capture ends.
    Body,
}

impl Stream {
    /// Creates a stream of the device.
    ///
    /// It is a blocking stream of CUDA, which synchronises with the legacy default stream, of priority 0;
    /// CuPy's `Stream()`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// let y = stream.with(|| cuprum::ones(3, ()))?;
    /// stream.synchronize()?;
    /// assert!(stream.is_done()? && y.size() == 3);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    pub fn new(device: Device) -> Result<Stream> {
        Stream::with_options(device, false, 0).map_err(|e| e.with_op("Stream::new"))
    }

    /// Creates a stream that does not synchronise with the default one, or that has a priority: the lower the number,
    /// the sooner its work runs. The simulator ignores the priority.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::with_options(Device::current()?, true, -1)?;
    /// assert_eq!(stream.with(|| cuprum::ones(3, cuprum::DType::F32))?.to_vec::<f32>()?, [1.0; 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn with_options(device: Device, non_blocking: bool, priority: i32) -> Result<Stream> {
        let queue = device.begin_stream(non_blocking, priority).map_err(|e| e.with_op("Stream::with_options"))?;
        Ok(Stream(Arc::new(Inner { queue, kind: Kind::Ours, non_blocking, priority })))
    }

    /// Wraps a stream of the library, which ends with its last handle.
    pub(super) fn of(queue: Queue) -> Stream {
        Stream::of_kind(queue, Kind::Ours)
    }

    /// Returns the stream of the body of a conditional node, while it is captured.
    pub(super) fn of_body(queue: Queue) -> Stream {
        Stream::of_kind(queue, Kind::Body)
    }

    fn of_kind(queue: Queue, kind: Kind) -> Stream {
        Stream(Arc::new(Inner { queue, kind, non_blocking: false, priority: 0 }))
    }

    /// Returns the per-thread default stream of a device: it synchronises with the default stream of all threads, but
    /// not with those of other threads. CuPy's `Stream.ptds`. With `CUPRUM_PER_THREAD_DEFAULT_STREAM=1` it is current
    /// if no other is.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let device = Device::current()?;
    /// let ours = Stream::of_thread(device)?;
    /// assert_eq!(ours, Stream::of_thread(device)?);
    /// let theirs = std::thread::spawn(move || Stream::of_thread(device)).join().unwrap()?;
    /// assert_ne!(ours, theirs);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn of_thread(device: Device) -> Result<Stream> {
        let known = USUAL.try_with(|all| all.borrow().get(device.index()).cloned().flatten()).ok().flatten();
        if let Some(stream) = known {
            return Ok(stream);
        }
        let stream = Stream::with_options(device, false, 0).map_err(|e| e.with_op("Stream::of_thread"))?;
        // While a thread ends the stream is not kept.
        let _ = USUAL.try_with(|all| {
            let mut all = all.borrow_mut();
            let len = all.len().max(device.index() + 1);
            all.resize(len, None);
            all[device.index()] = Some(stream.clone());
        });
        Ok(stream)
    }

    /// Returns true if this stream does not synchronise with the default one, for a stream that was created here.
    pub fn is_non_blocking(&self) -> bool {
        self.0.non_blocking
    }

    /// Returns the priority of a stream that was created here: the lower, the sooner its work runs.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// assert!(stream.priority() == 0 && !stream.is_non_blocking());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn priority(&self) -> i32 {
        self.0.priority
    }

    /// Returns the lowest priority that streams of a device have, and the highest, which is the smaller number.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let (least, greatest) = Stream::priorities(Device::current()?)?;
    /// assert!(greatest <= least);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn priorities(device: Device) -> Result<(i32, i32)> {
        device.driver()?.priorities().map_err(|e| e.with_op("Stream::priorities"))
    }

    /// Begins to capture the work that this thread queues on the stream, instead of running it, until
    /// [`Stream::end_capture`]. The stream is current during the capture, and no other thread may use it.
    /// [`graph::capture`] does so for a scope, on a stream of its own.
    ///
    /// CUDA invalidates the capture of a stream that synchronises with the default stream as soon as the default stream
    /// is used: if other threads use it, capture a non-blocking stream ([`Stream::with_options`]).
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for the default stream, and if the thread captures already;
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// let x = cuprum::arange(0, 3, 1)?;
    /// stream.begin_capture()?;
    /// assert!(stream.is_capturing());
    /// let y = cuprum::add(&x, 1)?;
    /// let graph = stream.end_capture()?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<i64>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn begin_capture(&self) -> Result<()> {
        begin_capture(self).map_err(|e| e.with_op("Stream::begin_capture"))
    }

    /// Ends the capture and returns the graph of the work since [`Stream::begin_capture`].
    ///
    /// CuPy's `Stream.end_capture`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let (stream, x) = (Stream::new(Device::current()?)?, cuprum::array([1.0, 2.0])?);
    /// stream.begin_capture()?;
    /// let y = stream.with(|| cuprum::add(&x, 1.0))?;
    /// let graph = stream.end_capture()?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) if this thread does not capture the stream;
    /// [`Driver`](crate::ErrorKind::Driver) if the driver has invalidated the capture because of another call.
    pub fn end_capture(&self) -> Result<Graph> {
        end_capture(self).map_err(|e| e.with_op("Stream::end_capture"))
    }

    /// Returns true if this thread captures the stream.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream, graph::capture};
    /// let (_graph, captured) = capture(|| Ok(Device::current()?.current_stream().is_capturing()))?;
    /// assert!(captured && !Stream::new(Device::current()?)?.is_capturing());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn is_capturing(&self) -> bool {
        self.work_queue().capture
    }

    /// Returns true if this thread captures the stream, with the errors of CUDA's `cudaStreamIsCapturing`.
    ///
    /// CuPy's `runtime.streamIsCapturing`.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the capture has become invalid, and for the default stream while this
    /// thread captures a stream that synchronises with the default stream.
    pub fn capture_status(&self) -> Result<bool> {
        let go = || match with_capture(self, |capture| capture.is_valid()) {
            Some(true) => Ok(true),
            Some(false) => Err(graph::invalidated()),
            None => self.check_implicit().map(|()| self.is_capturing()),
        };
        go().map_err(|e: Error| e.with_op("Stream::capture_status"))
    }

    /// Rejects the default stream while this thread captures a stream that synchronises with the default stream.
    fn check_implicit(&self) -> Result<()> {
        if CAPTURING.get() == 0 || self.handle() != 0 {
            return Ok(());
        }
        let blocking = CAPTURES.with_borrow(|all| all.iter().any(|capture| capture.blocks(self.device())));
        if !blocking {
            return Ok(());
        }
        let what =
            "the default stream waits for a stream that is captured: use another stream, or capture a non-blocking one";
        Err(Error::new(ErrorKind::Driver, what).with_status(status::CAPTURE_IMPLICIT))
    }

    /// Queues a host function, which is called after the work that is queued so far, and before later work, on a thread
    /// of the driver's; the host does not wait. CuPy's `launch_host_func`.
    ///
    /// `f` must not use the device: it can pass its result to a thread that does. If it panics, the next call that uses
    /// the device returns an error that says so.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it, as it does while the stream is captured.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// let (sender, receiver) = channel();
    /// stream.launch_host_func(move || sender.send("done").unwrap())?;
    /// stream.synchronize()?;
    /// assert_eq!(receiver.recv(), Ok("done"));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn launch_host_func(&self, f: impl FnOnce() + Send + 'static) -> Result<()> {
        let device = self.device();
        let call = move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(f)) {
                let said = panic.downcast_ref::<&str>().map(ToString::to_string);
                let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                device.lose_of_host(&said);
            }
        };
        let go = || {
            if self.is_capturing() {
                let what = "a function of the host cannot be captured: call it after the launch of the graph";
                return Err(Error::new(ErrorKind::Driver, what));
            }
            // SAFETY: the stream is live.
            unsafe { device.driver()?.host_call(self.queue().handle, Box::new(call)) }
        };
        go().map_err(|e: Error| e.with_op("Stream::launch_host_func"))
    }

    /// Wraps a foreign stream, from the driver's handle of it: a `CUstream` or a `cudaStream_t` as a number. Null and 1
    /// are the default stream. CuPy's `ExternalStream`.
    ///
    /// Dropping the last handle synchronises with the device, since the stream may be destroyed by then. It is never
    /// destroyed here.
    ///
    /// # Safety
    ///
    /// The handle is that of a stream of this device (for the simulator, of one that this library created), and the
    /// stream is not destroyed while this handle or a clone of it exists. It is not a handle that refers to a different
    /// stream on each thread.
    ///
    /// # Errors
    ///
    /// [`NotImplemented`](crate::ErrorKind::NotImplemented) for 2, CUDA's per-thread default stream;
    /// [`Stream::of_thread`] is the library's.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// // SAFETY: `stream` lives longer.
    /// let same = unsafe { Stream::from_handle(stream.device(), stream.handle()) }?;
    /// assert_eq!(same.with(|| cuprum::arange(0, 3, 1))?.to_vec::<i64>()?, [0, 1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub unsafe fn from_handle(device: Device, handle: usize) -> Result<Stream> {
        match handle {
            0 | LEGACY => Ok(device.default_stream()),
            PER_THREAD => Err(Error::new(
                ErrorKind::NotImplemented,
                "CUDA's default stream of each thread (handle 2) means another stream on each thread, and work is ordered \
                 between threads: make a stream with Stream::new, or take Stream::of_thread",
            )
            .with_op("Stream::from_handle")),
            _ => Ok(Stream::of_kind(device.adopt_stream(handle), Kind::Theirs)),
        }
    }

    /// Returns the driver's handle of the stream, a `CUstream` as a number; 0 for the default stream. CuPy's
    /// `Stream.ptr`.
    ///
    /// Another library may queue work on it; what it does to arrays of this library must be ordered by the user.
    pub fn handle(&self) -> usize {
        self.queue().handle
    }

    /// Makes the stream current on this thread, and its device; returns the stream that was current before on that
    /// device. CuPy's `Stream.use`. [`Stream::with`] does so for a scope.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let device = Device::current()?;
    /// let stream = Stream::new(device)?;
    /// let before = stream.make_current();
    /// assert_eq!(device.current_stream(), stream);
    /// before.make_current();
    /// assert_eq!(device.current_stream(), device.default_stream());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn make_current(&self) -> Stream {
        let device = self.device();
        let is_default = *self == device.default_stream();
        let before = set_current(device, (!is_default).then(|| self.clone()));
        device.make_current();
        before.unwrap_or_else(|| device.default_stream())
    }

    /// Returns true if all work that was queued on the stream has completed; CuPy's `Stream.done`.
    ///
    /// It does not wait.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let stream = Stream::new(Device::current()?)?;
    /// stream.synchronize()?;
    /// assert!(stream.is_done()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed.
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the stream is live.
        unsafe { self.device().driver()?.stream_query(self.queue().handle) }.map_err(|e| e.with_op("Stream::is_done"))
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> Device {
        self.queue().device
    }

    /// Calls `f` with this stream current on the thread for its device, and the device current.
    ///
    /// On return the stream that was current before is current again, also if `f` panics.
    ///
    /// CuPy's `with stream:`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let device = Device::current()?;
    /// let stream = Stream::new(device)?;
    /// let inside = stream.with(|| device.current_stream());
    /// assert_eq!(inside.handle(), stream.handle());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        /// Restores the previous stream, also when `f` panics.
        struct Restore(Device, Option<Stream>);
        impl Drop for Restore {
            fn drop(&mut self) {
                set_current(self.0, self.1.take());
            }
        }
        let device = self.device();
        let _restore = Restore(device, set_current(device, Some(self.clone())));
        device.with(f)
    }

    /// Waits until the stream's work has completed.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed;
    /// [`Index`](crate::ErrorKind::Index) for an index of an earlier call of this thread that is out of bounds.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the stream.
    pub fn synchronize(&self) -> Result<()> {
        let _span = super::trace::span(super::TraceKind::Wait, "Stream::synchronize");
        self.check_implicit()
            .and_then(|()| self.check_wait())
            .and_then(|()| waiting::announce(self.device()))
            // SAFETY: the stream is live.
            .and_then(|()| unsafe { self.device().driver()?.stream_synchronize(self.queue().handle) })
            .and_then(|()| self.device().leaving().look())
            .and_then(|()| self.device().check_errors())
            .map_err(|e| e.with_op("Stream::synchronize"))
    }

    /// Rejects a wait for a captured stream, and invalidates its capture, as the driver does.
    pub(super) fn check_wait(&self) -> Result<()> {
        let captured = with_capture(self, |capture| capture.invalidate()).is_some();
        if captured { Err(waiting::captured()) } else { Ok(()) }
    }

    /// Makes later work on this stream wait for the event; the host does not wait. The event may be of another device.
    ///
    /// If the event was recorded on a stream that this thread captures, this stream becomes part of the capture: its
    /// later work belongs to the graph. It must join again by an event on this stream that the first stream waits for.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Event, Stream};
    /// let device = Device::current()?;
    /// let (first, second) = (Stream::new(device)?, Stream::new(device)?);
    /// let (fork, join) = (Event::new(device)?, Event::new(device)?);
    /// let x = cuprum::arange(0, 3, 1)?;
    /// first.begin_capture()?;
    /// fork.record_on(&first)?;
    /// second.wait_event(&fork)?;
    /// let y = second.with(|| cuprum::multiply(&x, 10))?;
    /// join.record_on(&second)?;
    /// first.wait_event(&join)?;
    /// let z = first.with(|| cuprum::add(&x, &y))?;
    /// let graph = first.end_capture()?;
    /// graph.launch()?;
    /// assert_eq!(z.to_vec::<i64>()?, [0, 11, 22]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    ///
    /// # Synchronization
    ///
    /// None between CUDA devices. If one of two devices is the simulator, the host waits for the event.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let go = || {
            let (ours, theirs) = (self.device(), event.device());
            let driver = ours.driver()?;
            let capture = event.capture();
            if capture != 0 || self.is_capturing() {
                return self.wait_in_capture(event, capture);
            }
            if ours != theirs && !driver.takes_events_of(theirs.driver()?) {
                return event.synchronize();
            }
            // SAFETY: the stream is live, and so is the event, which the device accepts.
            unsafe { driver.stream_wait(self.queue().handle, event.handle()) }
        };
        go().map_err(|e| e.with_op("Stream::wait_event"))
    }

    /// Waits for an event that was recorded in the capture of this number (0 for none), or on a captured stream.
    fn wait_in_capture(&self, event: &Event, of: StreamId) -> Result<()> {
        let rejected = |status, what: &str| Err(Error::new(ErrorKind::Driver, what).with_status(status));
        if self.handle() == 0 {
            return rejected(status::CAPTURE_IMPLICIT, "the default stream cannot become part of a capture");
        }
        let own = with_capture(self, |capture| capture.id());
        match own {
            _ if of == 0 => {
                with_capture(self, |capture| capture.invalidate());
                let what = "a captured stream waits for an event of work outside of the capture: a graph cannot do that; its \
                            launch waits for what has used its arrays";
                return rejected(status::CAPTURE_ISOLATION, what);
            }
            Some(own) if own != of => {
                return rejected(status::CAPTURE_MERGE, "the event was recorded in another capture than the stream's");
            }
            _ => {}
        }
        let found = CAPTURES.with_borrow_mut(|all| {
            let capture = all.iter_mut().find(|capture| capture.id() == of && capture.is_on(self.device()))?;
            let driver = self.device().driver();
            // SAFETY: the stream is live, and so is the event, which is of its device.
            let waits = driver.and_then(|driver| unsafe { driver.stream_wait(self.queue().handle, event.handle()) });
            Some(waits.map(|()| capture.join(self)))
        });
        found.unwrap_or_else(|| {
            let what = "the event was recorded in a capture that has ended or is another thread's: record it anew";
            rejected(status::CAPTURED_EVENT, what)
        })
    }

    /// Returns the queue of the stream itself.
    pub(super) fn queue(&self) -> Queue {
        self.0.queue
    }

    /// Returns the queue for work on the stream: that of a graph while this thread captures it.
    pub(super) fn work_queue(&self) -> Queue {
        work_queue_of(self.queue())
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.queue().id == other.queue().id
    }
}

impl Eq for Stream {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.kind != Kind::Body {
            self.queue.device.end_stream(&self.queue, self.kind == Kind::Ours);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current_id(device: Device) -> u64 {
        device.queue().id
    }

    #[test]
    fn a_stream_is_current_in_its_scope_and_on_its_device_only() {
        let (device, other) = (Device::open("sim").unwrap(), Device::another_for_test());
        let (usual, stream, theirs) = (current_id(device), Stream::new(device).unwrap(), Stream::new(other).unwrap());
        assert_eq!(device.current_stream(), device.default_stream());
        stream.with(|| {
            assert_eq!(current_id(device), stream.queue().id);
            device.with(|| assert_eq!(current_id(device), stream.queue().id, "the same device lost its stream"));
            assert_eq!(other.current_stream(), other.default_stream(), "another device took the stream");
            theirs.with(|| {
                assert_eq!(Device::current().unwrap(), other);
                assert_eq!(other.current_stream(), theirs);
                // Work on an array of the first device still uses its stream.
                assert_eq!(device.current_stream(), stream);
                device.with(|| assert_eq!(device.current_stream(), stream, "the device lost its stream on the way"));
            });
            assert_eq!(other.current_stream(), other.default_stream());
            assert_eq!(device.current_stream(), stream);
        });
        assert_eq!(current_id(device), usual);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stream.with(|| panic!("on purpose")))).unwrap_err();
        assert_eq!(current_id(device), usual, "a panic left the stream current");
    }

    #[test]
    fn a_stream_lives_while_it_is_current() {
        let device = Device::another_for_test();
        let stream = Stream::new(device).unwrap();
        let id = stream.queue().id;
        let mut held = Some(stream.clone());
        stream.with(|| {
            held = None;
            assert!(device.order().is_live(id));
        });
        drop(stream);
        assert!(!device.order().is_live(id));
        assert_ne!(Stream::new(device).unwrap().queue().id, id, "the number of a stream was given again");
    }

    #[test]
    fn a_stream_of_somebody_else_may_end_before_its_handle_here() {
        let device = Device::another_for_test();
        let theirs = Stream::new(device).unwrap();
        // SAFETY: nothing is called while the destroyed stream is current.
        let ours = unsafe { Stream::from_handle(device, theirs.handle()) }.unwrap();
        let memory = ours.with(|| device.alloc(512)).unwrap();
        drop(theirs);
        drop(ours);
        drop(memory);
        device.synchronize().unwrap();
        device.alloc(512).unwrap();
        // SAFETY: the default stream is never destroyed.
        assert_eq!(unsafe { Stream::from_handle(device, 1) }.unwrap(), device.default_stream());
        // SAFETY: it is rejected.
        let e = unsafe { Stream::from_handle(device, 2) }.unwrap_err();
        assert!(e.kind() == crate::ErrorKind::NotImplemented && e.message().contains("handle 2"), "{e}");
    }

    #[test]
    fn events_are_recorded_on_streams_of_their_device() {
        let (device, other) = (Device::open("sim").unwrap(), Device::another_for_test());
        let (stream, event) = (Stream::new(device).unwrap(), Event::new(other).unwrap());
        let e = event.record_on(&stream).unwrap_err();
        assert_eq!(e.kind(), crate::ErrorKind::Value);
        assert!(e.message().starts_with("Event::record_on: the event is of sim, the stream of sim"), "{e}");
        // On the current stream of its own device, whatever else is current.
        stream.with(|| event.record()).unwrap();
        stream.wait_event(&event).unwrap();
        assert!(event.is_done().unwrap());
        let ours = Event::new(device).unwrap();
        ours.record_on(&stream).unwrap();
        assert_eq!(ours.elapsed_ms_since(&event).unwrap_err().kind(), crate::ErrorKind::Value);
    }
}
