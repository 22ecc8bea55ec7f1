//! A worker process, from the parent's side.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::child::{Message, heard};
use crate::report::{About, CaseResult};

/// Time limit of a worker's start: drivers start slowly when many start at once.
const START: Duration = Duration::from_secs(180);
/// Number of bytes at the end of its standard error that are kept.
const KEPT: usize = 2_000;

/// The result of a case that was passed to a worker.
pub(super) enum Answer {
    /// A result.
    Result(Box<CaseResult>),
    /// The process died: how, and the end of its output.
    Died(String),
    /// The time limit was exceeded.
    Hung,
}

/// A worker process, which is killed when this handle is dropped.
pub(super) struct Process {
    child: Child,
    ids: Option<ChildStdin>,
    messages: Receiver<Message>,
    words: Option<JoinHandle<String>>,
    /// Its description of the device.
    pub(super) about: About,
}

/// Returns the end of the input.
fn tail(from: impl Read) -> String {
    let mut last = VecDeque::new();
    for byte in BufReader::new(from).bytes().map_while(Result::ok) {
        last.push_back(byte);
        if last.len() > KEPT {
            last.pop_front();
        }
    }
    String::from_utf8_lossy(last.make_contiguous()).trim().to_string()
}

impl Process {
    /// Starts a worker and waits until it is ready.
    pub(super) fn start(mut command: Command) -> Result<Process, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("a worker cannot be started: {e}"))?;
        let (sender, messages) = channel();
        if let Some(stdout) = child.stdout.take() {
            // A line need not be valid text: kernels may print anything.
            let lines = BufReader::new(stdout).split(b'\n').map_while(Result::ok);
            std::thread::spawn(move || {
                let text = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
                for message in text.filter_map(|line| heard(&line)) {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            });
        }
        let words = child.stderr.take().map(|stderr| std::thread::spawn(move || tail(stderr)));
        let ids = child.stdin.take();
        let mut process = Process { child, ids, messages, words, about: About::default() };
        match process.messages.recv_timeout(START) {
            Ok(Message::Ready(about)) => process.about = about,
            Ok(Message::Unable(reason)) => return Err(reason),
            Err(RecvTimeoutError::Timeout) => return Err(format!("a worker was not ready after {START:?}")),
            _ => return Err(format!("a worker died at its start: {}", process.end())),
        }
        Ok(process)
    }

    /// Sends it a case, and waits for the result.
    pub(super) fn run(&mut self, id: &str, limit: Duration) -> Answer {
        let sent = self.ids.as_mut().is_some_and(|ids| writeln!(ids, "{id}").and_then(|()| ids.flush()).is_ok());
        if !sent {
            return Answer::Died(self.end());
        }
        match self.messages.recv_timeout(limit) {
            Ok(Message::Result(result)) if result.id == id => Answer::Result(result),
            Err(RecvTimeoutError::Timeout) => Answer::Hung,
            _ => Answer::Died(self.end()),
        }
    }

    /// Ends it, and returns how it ended and the end of its output.
    fn end(&mut self) -> String {
        // Its standard output is closed, or it violates the protocol: it is treated as dead.
        drop(self.ids.take());
        std::thread::sleep(Duration::from_millis(20));
        let _ = self.child.kill();
        let status = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        let words = self.words.take().and_then(|words| words.join().ok()).unwrap_or_default();
        if words.is_empty() { status } else { format!("{status}; its last words: {words}") }
    }

    /// Lets it finish, and returns its final description of the device.
    pub(super) fn finish(mut self) -> About {
        drop(self.ids.take());
        match self.messages.recv_timeout(Duration::from_secs(30)) {
            Ok(Message::Done(about)) => about,
            _ => self.about.clone(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
