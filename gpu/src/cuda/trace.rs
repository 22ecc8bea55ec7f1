//! Tracing of the library's activity: kernels, compiles, waits and user ranges.
//!
//! `CUPRUM_LOG=launch` writes a line to the standard error for each, and `CUPRUM_LOG=source` the source of a kernel that
//! does not compile. [`record`] collects them, with the times on the
//! device, and writes them as a trace that Perfetto and Chrome open. If neither is requested, a launch only tests one
//! number.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::queue::Queue;
use super::{Device, Event};
use crate::driver::Function;
use crate::error::{Error, ErrorKind, Result};

/// State of tracing: not initialised, or the bits that are on.
const UNKNOWN: u8 = 4;
const LOG: u8 = 1;
const RECORD: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
static RECORDED: Mutex<Vec<Pending>> = Mutex::new(Vec::new());

/// Kind of an event of a [`Trace`].
///
/// It is the category of an event in the exported trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceKind {
    /// Launch of a kernel: the duration of the call.
    Launch,
    /// Execution of a kernel on the device.
    Kernel,
    /// Compilation of a kernel.
    Compile,
    /// Wait of the host for the device.
    Wait,
    /// A [`time_range`].
    Range,
}

/// Event with its duration.
///
/// Times are in microseconds from the start of the recording.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceEvent {
    /// The kind of event.
    pub kind: TraceKind,
    /// The kernel's name, or the range's.
    pub name: String,
    /// Details, such as the size of the grid.
    pub detail: String,
    /// The thread of the host, or the stream of the device.
    pub track: u64,
    /// Start in microseconds since the record began.
    pub start_us: f64,
    /// Duration in microseconds.
    pub duration_us: f64,
}

/// Events that [`record`] has collected.
///
/// [`Trace::to_chrome`] returns the text that Perfetto and Chrome open.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    events: Vec<TraceEvent>,
}

/// Launch event, and the device events between which its kernel runs.
struct Pending {
    /// The event, whose times on the device are not known yet.
    event: TraceEvent,
    /// Number of the stream, and the events before and after the kernel.
    on_device: Option<(u64, Event, Event)>,
}

fn begun() -> Instant {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    *BEGUN.get_or_init(Instant::now)
}

fn thread() -> u64 {
    static NEXT: Mutex<u64> = Mutex::new(0);
    thread_local! {
        static OWN: u64 = {
            let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
            *next += 1;
            *next
        };
    }
    OWN.with(|own| *own)
}

/// Returns the names of functions, by device and handle.
fn names() -> &'static Mutex<FxHashMap<(usize, usize), String>> {
    static NAMES: OnceLock<Mutex<FxHashMap<(usize, usize), String>>> = OnceLock::new();
    NAMES.get_or_init(Mutex::default)
}

/// Registers the name of a function.
pub(crate) fn named(device: Device, function: Function, name: &str) {
    names().lock().unwrap_or_else(PoisonError::into_inner).insert((device.address(), function.0), name.to_string());
}

/// Returns the bits of the tracing that is on.
#[inline]
pub(crate) fn active_bits() -> u8 {
    match STATE.load(Relaxed) {
        UNKNOWN => look(),
        state => state,
    }
}

/// Returns true if `CUPRUM_LOG` contains a word.
fn logs(requested: &str) -> bool {
    std::env::var("CUPRUM_LOG").is_ok_and(|v| v.split(',').any(|word| word.trim() == requested))
}

/// Writes a compile error, which contains the numbered source, to the standard error, if `CUPRUM_LOG=source`.
pub(crate) fn compile_error(e: &Error) {
    if e.kind() == ErrorKind::Compile && logs("source") {
        eprintln!("cuprum: {}", e.message());
    }
}

#[cold]
fn look() -> u8 {
    let log = logs("launch");
    let state = if log { LOG } else { 0 };
    // A thread that has begun to record meanwhile has initialised the state already.
    let _ = STATE.compare_exchange(UNKNOWN, state, Relaxed, Relaxed);
    STATE.load(Relaxed)
}

/// Event in progress, which is reported when it ends.
#[derive(Debug)]
pub(crate) struct Span {
    /// Kind of the event.
    kind: TraceKind,
    /// Name of the event.
    name: String,
    /// Shape and parameters, or the reason to wait.
    detail: String,
    /// Time at which it began, on the host.
    start: Instant,
}

/// Begins an event, if tracing is on.
#[inline]
pub(crate) fn span(kind: TraceKind, name: &str) -> Option<Span> {
    if active_bits() == 0 { None } else { Some(Span::new(kind, name.into(), String::new())) }
}

impl Span {
    #[cold]
    fn new(kind: TraceKind, name: String, detail: String) -> Span {
        begun();
        Span { kind, name, detail, start: Instant::now() }
    }

    fn event(&self) -> TraceEvent {
        TraceEvent {
            kind: self.kind,
            name: self.name.clone(),
            detail: self.detail.clone(),
            track: thread(),
            start_us: self.start.saturating_duration_since(begun()).as_secs_f64() * 1e6,
            duration_us: self.start.elapsed().as_secs_f64() * 1e6,
        }
    }

    fn report(&self, on_device: Option<(u64, Event, Event)>) {
        let event = self.event();
        if active_bits() & LOG != 0 {
            let kind = format!("{:?}", event.kind).to_lowercase();
            eprintln!("cuprum: {kind} {}{} {:.1} us", event.name, event.detail, event.duration_us);
        }
        if active_bits() & RECORD != 0 {
            RECORDED.lock().unwrap_or_else(PoisonError::into_inner).push(Pending { event, on_device });
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if self.kind != TraceKind::Launch {
            self.report(None);
        }
    }
}

/// Launches, and reports the launch.
#[cold]
pub(crate) fn launch(
    queue: &Queue,
    function: Function,
    [grid, block]: [[u32; 3]; 2],
    shared: u32,
    launch: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let device = queue.device();
    let known = names().lock().unwrap_or_else(PoisonError::into_inner).get(&(device.address(), function.0)).cloned();
    let mut detail = format!("<<<({}, {}, {}), ({}, {}, {})", grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    if shared > 0 {
        let _ = write!(detail, ", {shared} bytes");
    }
    let _ = write!(detail, ">>> stream {:#x}", queue.handle());
    // A captured launch has no times of its own.
    let record = active_bits() & RECORD != 0 && !queue.is_captured();
    let events = if record { Some((Event::new(device)?, Event::new(device)?)) } else { None };
    if let Some((before, _)) = &events {
        before.record()?;
    }
    let span = Span::new(TraceKind::Launch, known.unwrap_or_else(|| "kernel".into()), detail);
    launch()?;
    let on_device = match events {
        Some((before, after)) => {
            after.record()?;
            Some((queue.handle() as u64, before, after))
        }
        None => None,
    };
    span.report(on_device);
    Ok(())
}

/// Calls a function, and records the library's activity meanwhile, in all threads: launches with the times of their
/// kernels on the device, compiles, waits and [`time_range`]s.
///
/// ```
/// use cuprum::{arange, cuda};
/// let (sum, trace) = cuda::record(|| {
///     let _range = cuda::time_range("both");
///     cuprum::sum(&arange(0, 10, 1)?, ())?.item::<i64>()
/// })?;
/// assert_eq!(sum?, 45);
/// assert!(trace.events().iter().any(|e| e.name == "both"));
/// assert!(trace.to_chrome().starts_with("{\"traceEvents\":["));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if a record is in progress; [`ErrorKind::Driver`] for errors of the device.
///
/// # Synchronization
///
/// Synchronises with the device at the beginning and at the end.
pub fn record<R>(f: impl FnOnce() -> R) -> Result<(R, Trace)> {
    /// Ends the record, also when the function panics.
    struct Ending;
    impl Drop for Ending {
        fn drop(&mut self) {
            STATE.fetch_and(!RECORD, Relaxed);
        }
    }
    active_bits();
    let device = Device::current()?;
    device.synchronize()?;
    // The zero of the device's clock.
    let zero = Event::new(device)?;
    zero.record()?;
    zero.synchronize()?;
    if STATE.fetch_or(RECORD, Relaxed) & RECORD != 0 {
        return Err(Error::new(ErrorKind::Value, "a record is being made already: it ends first").with_op("record"));
    }
    let (ending, start) = (Ending, begun().elapsed().as_secs_f64() * 1e6);
    let result = f();
    drop(ending);
    device.synchronize()?;
    let all = std::mem::take(&mut *RECORDED.lock().unwrap_or_else(PoisonError::into_inner));
    let mut events = Vec::with_capacity(2 * all.len());
    for Pending { mut event, on_device } in all {
        event.start_us -= start;
        if let Some((stream, before, after)) = on_device.filter(|(_, before, _)| before.device() == device) {
            let since = |end: &Event, start: &Event| end.elapsed_ms_since(start).map(|ms| f64::from(ms) * 1e3);
            events.push(TraceEvent {
                kind: TraceKind::Kernel,
                track: stream,
                start_us: since(&before, &zero)?,
                duration_us: since(&after, &before)?,
                ..event.clone()
            });
        }
        events.push(event);
    }
    Ok((result, Trace { events }))
}

/// Begins a named range in the log and in the record, which ends when the value is dropped. CuPy's `time_range`.
///
/// ```
/// let _range = cuprum::cuda::time_range("step");
/// ```
#[must_use = "the range ends when the value is dropped"]
pub fn time_range(name: &str) -> TimeRange {
    TimeRange { _span: span(TraceKind::Range, name) }
}

/// Named range: see [`time_range`].
#[derive(Debug)]
pub struct TimeRange {
    _span: Option<Span>,
}

impl Trace {
    /// Returns the events, in the order in which they ended.
    ///
    /// ```
    /// let (_, trace) = cuprum::cuda::record(|| cuprum::zeros(3, ()).map(drop))?;
    /// assert!(trace.events().windows(2).all(|pair| pair[0].start_us >= 0.0 && pair[1].start_us >= 0.0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    /// Returns the trace as JSON of Chrome's trace events, which Perfetto opens: threads of the host are one process,
    /// streams another.
    pub fn to_chrome(&self) -> String {
        let mut out = String::from("{\"traceEvents\":[");
        for (name, pid) in [("host", 1), ("device", 2)] {
            let _ = write!(
                out,
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":\"{name}\"}}}},"
            );
        }
        for e in &self.events {
            let pid = if e.kind == TraceKind::Kernel { 2 } else { 1 };
            let _ = write!(
                out,
                "{{\"ph\":\"X\",\"cat\":\"{:?}\",\"name\":{},\"pid\":{pid},\"tid\":{},\"ts\":{:.3},\"dur\":{:.3},\
                 \"args\":{{\"detail\":{}}}}},",
                e.kind,
                quoted(&e.name),
                e.track,
                e.start_us,
                e.duration_us,
                quoted(&e.detail)
            );
        }
        out.pop();
        out + "],\"displayTimeUnit\":\"ns\"}"
    }

    /// Writes [`Trace::to_chrome`] to a file.
    ///
    /// The file is opened at `ui.perfetto.dev` or `chrome://tracing`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.to_chrome())
            .map_err(|e| Error::new(ErrorKind::Io, format!("{}: {e}", path.display())).with_op("Trace::save"))
    }
}

/// Returns a JSON string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}
