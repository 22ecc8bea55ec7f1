//! Connection of a rank to the supervisor of its group: a thread reports the rank's calls, and fails its membership when
//! the group has failed.

use std::net::TcpStream;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::member::Member;
use super::supervisor::{Address, FAILED, Hello, JOINED, LEAVE, Messages, Report};
use crate::driver::collectives::patience;
use crate::driver::is_interrupted;
use crate::error::{Error, ErrorKind, Result};

/// Interval of the reports.
const TICK: Duration = Duration::from_millis(50);
/// Time in which calls complete that the supervisor's process has taken part in before it ended.
const LOST: Duration = Duration::from_secs(1);

/// Connects to the supervisor, waits until all ranks have joined if it gathers them, and starts the thread.
pub(super) fn begin(address: &Address, size: usize, rank: usize, member: &Arc<Member>) -> Result<()> {
    let Some(mut messages) = connect(address, size, rank)? else { return Ok(()) };
    let mut own = String::new();
    if address.gathers {
        own = gather(&mut messages)?;
    }
    if let Ok(handle) = messages.handle() {
        member.set_connection(handle);
    }
    let watch = Watch { messages, member: Arc::downgrade(member), own, sent: Report::default() };
    let failed = |e| Error::new(ErrorKind::Driver, format!("no thread can be started for the group: {e}"));
    thread::Builder::new().name("cuprum rank".into()).spawn(move || watch.run()).map_err(failed)?;
    Ok(())
}

/// Connects to a supervisor. One that is elsewhere and out of reach does not supervise this rank.
fn connect(address: &Address, size: usize, rank: usize) -> Result<Option<Messages>> {
    let hello = Hello { rank: rank as u32, size: size as u32, process: std::process::id() };
    let connected = TcpStream::connect_timeout(&(address.ip, address.port).into(), Duration::from_secs(5))
        .and_then(|socket| {
            socket.set_nodelay(true)?;
            socket.set_read_timeout(Some(TICK))?;
            Ok(Messages::new(socket))
        })
        .and_then(|mut messages| messages.send(&hello.bytes(address)).map(|()| messages));
    match connected {
        Ok(messages) => Ok(Some(messages)),
        Err(_) if !address.gathers => Ok(None),
        Err(e) => Err(Error::new(
            ErrorKind::Driver,
            format!("the process that created the group's id has ended, or cannot be reached at {}: {e}", address.ip),
        )),
    }
}

/// Waits until all ranks have joined, and returns which are of the supervisor's process.
fn gather(messages: &mut Messages) -> Result<String> {
    let limit = Instant::now() + patience()? + Duration::from_secs(5);
    let failed = |message: String| Err(Error::new(ErrorKind::Driver, message));
    loop {
        match messages.next() {
            Ok(Some(message)) => match message.split_first() {
                Some((&JOINED, own)) => return Ok(String::from_utf8_lossy(own).into_owned()),
                Some((_, reason)) => return failed(String::from_utf8_lossy(reason).into_owned()),
                None => {}
            },
            Ok(None) if is_interrupted() => {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted while it waited for other ranks"));
            }
            Ok(None) if Instant::now() < limit => {}
            Ok(None) => return failed("the process that created the group's id does not answer".into()),
            Err(e) => {
                return failed(format!("the process that created the group's id has ended, or its connection: {e}"));
            }
        }
    }
}

struct Watch {
    messages: Messages,
    member: Weak<Member>,
    /// Names of the ranks of the supervisor's process.
    own: String,
    /// The last report.
    sent: Report,
}

impl Watch {
    fn run(mut self) {
        let mut closed = None;
        loop {
            let member = self.member.upgrade();
            if member.as_ref().is_some_and(|member| member.was_aborted()) {
                return;
            }
            let Some(member) = member.filter(|member| !member.has_ended()) else {
                // The supervisor may have ended.
                let _ = self.messages.send(LEAVE);
                return;
            };
            let report = member.report();
            if closed.is_none() && report != self.sent {
                if self.messages.send(&report.bytes()).is_err() {
                    closed.get_or_insert_with(Instant::now);
                }
                self.sent = report;
            }
            if let Some(at) = closed {
                if Instant::elapsed(&at) > LOST {
                    let who = if self.own.is_empty() { String::new() } else { format!("{}, ", self.own) };
                    member.fail(&format!("{who}the process that created the group's id has ended"));
                    return;
                }
                thread::sleep(TICK);
                continue;
            }
            drop(member);
            match self.messages.next() {
                Ok(None) => {}
                Ok(Some(message)) => match message.split_first() {
                    Some((&JOINED, own)) => self.own = String::from_utf8_lossy(own).into_owned(),
                    Some((&FAILED, reason)) => {
                        if let Some(member) = self.member.upgrade() {
                            member.fail(&String::from_utf8_lossy(reason));
                        }
                        return;
                    }
                    _ => {}
                },
                Err(_) => closed = Some(Instant::now()),
            }
        }
    }
}
