//! Stream captures of the simulated device.
//!
//! The work of a capture is recorded in the order of the calls, which is one of the orders that its streams and events
//! allow. The dependencies of each stream are tracked, to detect if all streams have joined again when the capture
//! ends.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::deferred::Work;
use super::queues::DEFAULT;
use super::runtime::not_captured;
use crate::driver::StreamHandle;
use crate::error::{Error, ErrorKind, Result};

/// Vector clock: the number of items of each stream that precede an event.
type Clock = HashMap<StreamHandle, usize>;

/// A capture in progress.
#[derive(Debug, Default)]
struct Capture {
    /// The recorded work, in the order of the calls.
    work: Vec<Work>,
    /// The work that precedes the next item of each stream of the capture.
    clocks: HashMap<StreamHandle, Clock>,
}

/// The captures of a device, by their origin stream.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// Captures by their origin stream.
    all: HashMap<StreamHandle, Capture>,
    /// The capture of each stream that has joined one by an event.
    joined: HashMap<StreamHandle, StreamHandle>,
    /// Events that were recorded in a capture: its origin stream, and the work before the event.
    events: HashMap<usize, (StreamHandle, Clock)>,
    /// The captured bodies of conditional nodes, by the stream of each.
    bodies: HashMap<StreamHandle, Arc<OnceLock<Vec<Work>>>>,
}

fn rejected<T>(status: i32, what: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Driver, what).with_status(status))
}

impl Captures {
    /// Returns true if no stream is captured.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the origin stream of the capture that a stream is part of.
    fn origin(&self, stream: StreamHandle) -> Option<StreamHandle> {
        if self.all.contains_key(&stream) { Some(stream) } else { self.joined.get(&stream).copied() }
    }

    /// Returns true if the stream takes part in a capture.
    pub(super) fn has(&self, stream: StreamHandle) -> bool {
        self.origin(stream).is_some()
    }

    /// Begins a capture with a stream as its origin.
    pub(super) fn begin(&mut self, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            return rejected(900, "the default stream cannot be captured: use another one");
        }
        if self.has(stream) {
            return rejected(401, "the stream is captured already");
        }
        self.all.insert(stream, Capture { clocks: HashMap::from([(stream, Clock::new())]), ..Capture::default() });
        Ok(())
    }

    /// Ends a capture and returns its work.
    pub(super) fn end(&mut self, stream: StreamHandle) -> Result<Vec<Work>> {
        if self.joined.contains_key(&stream) {
            return rejected(903, "the capture did not begin on the stream");
        }
        let Some(capture) = self.all.remove(&stream) else { return rejected(401, "the stream is not captured") };
        self.joined.retain(|_, origin| *origin != stream);
        let own = &capture.clocks[&stream];
        let is_joined = |other: &StreamHandle| {
            let done = capture.clocks[other].get(other).copied().unwrap_or(0);
            own.get(other).copied().unwrap_or(0) >= done
        };
        if capture.clocks.keys().all(is_joined) {
            return Ok(capture.work);
        }
        rejected(
            904,
            "the capture has a stream that has not joined the first one again: have that wait for an event of it",
        )
    }

    /// Records work of a captured stream; returns it if the stream is not captured.
    pub(super) fn keep(&mut self, stream: StreamHandle, work: Work) -> Result<Option<Work>> {
        let Some(origin) = self.origin(stream) else { return Ok(Some(work)) };
        if matches!(work, Work::Host(_)) {
            return Err(not_captured("call the host"));
        }
        let capture = self.all.get_mut(&origin).expect("streams join captures that go on");
        let is_mark = matches!(work, Work::Mark { .. });
        capture.work.push(work);
        if is_mark {
            // A GPU does not know state marks: they do not make a stream join.
            return Ok(None);
        }
        *capture.clocks.entry(stream).or_default().entry(stream).or_insert(0) += 1;
        Ok(None)
    }

    /// Records an event on a stream, if it is captured.
    pub(super) fn record(&mut self, event: usize, stream: StreamHandle) -> bool {
        self.events.remove(&event);
        let Some(origin) = self.origin(stream) else { return false };
        let clock = self.all[&origin].clocks.get(&stream).cloned().unwrap_or_default();
        self.events.insert(event, (origin, clock));
        true
    }

    /// Makes later work of a stream depend on an event; returns false if neither is captured.
    pub(super) fn wait(&mut self, stream: StreamHandle, event: usize) -> Result<bool> {
        let own = self.origin(stream);
        let Some((origin, clock)) = self.events.get(&event) else {
            return match own {
                Some(_) => rejected(905, "a captured stream waits for an event of work outside of the capture"),
                None => Ok(false),
            };
        };
        if own.is_some_and(|own| own != *origin) {
            return rejected(902, "the event was recorded in another capture than the stream's");
        }
        if stream == DEFAULT {
            return rejected(906, "the default stream cannot become part of a capture");
        }
        let Some(capture) = self.all.get_mut(origin) else {
            return rejected(907, "the event was recorded in a capture that has ended");
        };
        let known = capture.clocks.entry(stream).or_default();
        for (&other, &count) in clock {
            let seen = known.entry(other).or_insert(0);
            *seen = count.max(*seen);
        }
        if stream != *origin {
            self.joined.insert(stream, *origin);
        }
        Ok(true)
    }

    /// Rejects an event that was last recorded in a capture.
    pub(super) fn check_event(&self, event: usize) -> Result<()> {
        match self.events.contains_key(&event) {
            true => rejected(907, "the event was recorded in a capture"),
            false => Ok(()),
        }
    }

    /// Removes an event that was destroyed.
    pub(super) fn forget_event(&mut self, event: usize) {
        self.events.remove(&event);
    }

    /// Begins the body of a conditional node, on a stream of its own.
    pub(super) fn begin_body(&mut self, stream: StreamHandle, body: Arc<OnceLock<Vec<Work>>>) -> Result<()> {
        self.begin(stream)?;
        self.bodies.insert(stream, body);
        Ok(())
    }

    /// Ends the body of a conditional node.
    pub(super) fn end_body(&mut self, stream: StreamHandle) -> Result<()> {
        let ended = || Error::new(ErrorKind::Driver, "the body of the condition has ended");
        let body = self.bodies.remove(&stream).ok_or_else(ended)?;
        body.set(self.end(stream)?).map_err(|_| ended())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Work {
        Work::Record(0)
    }

    #[test]
    fn streams_join_and_must_join_again() {
        let mut captures = Captures::default();
        captures.begin(5).unwrap();
        assert!(captures.keep(5, mark()).unwrap().is_none());
        assert!(captures.record(100, 5));
        assert!(captures.wait(6, 100).unwrap() && captures.has(6));
        captures.keep(6, mark()).unwrap();
        assert_eq!(captures.end(6).unwrap_err().status(), Some(903));
        assert_eq!(captures.end(5).unwrap_err().status(), Some(904));
        assert!(!captures.has(6) && captures.is_empty());
        // An event of a finished capture.
        assert_eq!(captures.wait(7, 100).unwrap_err().status(), Some(907));

        captures.begin(5).unwrap();
        captures.record(100, 5);
        captures.wait(6, 100).unwrap();
        captures.keep(6, mark()).unwrap();
        captures.record(101, 6);
        captures.wait(5, 101).unwrap();
        assert_eq!(captures.end(5).unwrap().len(), 1);
    }

    #[test]
    fn captures_do_not_mix() {
        let mut captures = Captures::default();
        captures.begin(5).unwrap();
        captures.begin(6).unwrap();
        assert_eq!(captures.begin(6).unwrap_err().status(), Some(401));
        assert_eq!(captures.begin(DEFAULT).unwrap_err().status(), Some(900));
        captures.record(100, 5);
        assert_eq!(captures.wait(6, 100).unwrap_err().status(), Some(902));
        assert_eq!(captures.wait(DEFAULT, 100).unwrap_err().status(), Some(906));
        assert_eq!(captures.wait(6, 300).unwrap_err().status(), Some(905));
        assert!(!captures.wait(7, 300).unwrap());
        assert_eq!(captures.check_event(100).unwrap_err().status(), Some(907));
    }
}
