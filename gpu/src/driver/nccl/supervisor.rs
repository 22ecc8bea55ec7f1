//! Supervisor of a group of ranks: a thread of the process that created the group's id, to which every rank keeps a
//! connection.
//!
//! NCCL's kernels wait for other ranks without a limit, and do not notice that a process has ended. A rank reports to
//! the supervisor how many calls it has made and how many have completed. The connection of a process that ends is
//! closed by the system. A rank that ends, that does not come, or whose call differs from those of the others fails the
//! group: every rank gets a message that names it, and aborts its communicator.

use std::io::{self, ErrorKind as IoKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::driver::collectives::{GroupId, patience, ranks};
use crate::error::{Error, ErrorKind, Result};

/// Interval at which connections are read.
const TICK: Duration = Duration::from_millis(20);
/// Time in which calls complete that a rank has taken part in before it ended.
const LOST: Duration = Duration::from_secs(1);
/// The same for a rank that has left the group in order.
const LEFT: Duration = Duration::from_secs(5);
/// Time after which calls that differ, and do not complete, are taken for a mistake.
const DIFFERENT: Duration = Duration::from_secs(1);
/// Time for the first message of a connection.
const GREETING: Duration = Duration::from_secs(5);
/// Longest message.
const LONGEST: usize = 1 << 16;

/// Mark of an address in an id.
const MARK: &[u8; 8] = b"cuprum 1";
/// Position of the address in an id: NCCL's own part is shorter.
pub(super) const AT: usize = 80;

/// Address of a supervisor, which is stored in the group's id after NCCL's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The address at which it listens.
    pub(super) ip: Ipv4Addr,
    /// The port.
    pub(super) port: u16,
    /// True if ranks wait for each other before they form the group, for which all must reach the address.
    pub(super) gathers: bool,
    /// Secret of the group.
    token: [u8; 16],
    /// Hash of the identity of the machine, which distinguishes loopback addresses.
    machine: [u8; 8],
}

impl Address {
    /// Stores the address in an id, unless NCCL uses all of it.
    pub(super) fn store(&self, id: &mut GroupId) {
        let tail = &mut id[AT..];
        if tail.iter().any(|&byte| byte != 0) {
            return;
        }
        tail[..8].copy_from_slice(MARK);
        tail[8..12].copy_from_slice(&self.ip.octets());
        tail[12..14].copy_from_slice(&self.port.to_le_bytes());
        tail[14] = u8::from(self.gathers);
        tail[16..32].copy_from_slice(&self.token);
        tail[32..40].copy_from_slice(&self.machine);
    }

    /// Returns the address in an id, if there is one that this machine can reach, and the id as NCCL created it.
    pub(super) fn split(id: &GroupId) -> (Option<Address>, GroupId) {
        let tail = &id[AT..];
        if !tail.starts_with(MARK) {
            return (None, *id);
        }
        let part = |from: usize, out: &mut [u8]| out.copy_from_slice(&tail[from..from + out.len()]);
        let (mut ip, mut port, mut token, mut machine) = ([0; 4], [0; 2], [0; 16], [0; 8]);
        part(8, &mut ip);
        part(12, &mut port);
        part(16, &mut token);
        part(32, &mut machine);
        let address = Address { ip: ip.into(), port: u16::from_le_bytes(port), gathers: tail[14] == 1, token, machine };
        let mut own = *id;
        own[AT..].fill(0);
        let reachable = !address.ip.is_loopback() || address.machine == this_machine();
        (reachable.then_some(address), own)
    }
}

/// Returns a hash of the identity of this machine since it was started.
fn this_machine() -> [u8; 8] {
    let text = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    // FNV-1a.
    text.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)).to_le_bytes()
}

/// Starts the supervisor of a new group, which listens at an address of this machine.
pub(super) fn start(ip: Ipv4Addr, gathers: bool) -> Result<Address> {
    let patience = patience()?;
    let failed =
        |e: io::Error| Error::new(ErrorKind::Driver, format!("no connection can be opened at {ip} for a group: {e}"));
    let listener = TcpListener::bind((ip, 0)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let mut token = [0; 16];
    std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut token)).map_err(failed)?;
    let address = Address { ip, port, gathers, token, machine: this_machine() };
    let supervisor =
        Supervisor { listener, address, patience, began: Instant::now(), greeting: vec![], group: Group::default() };
    thread::Builder::new().name("cuprum group".into()).spawn(move || supervisor.run()).map_err(failed)?;
    Ok(address)
}

/// Connection whose messages begin with their length.
#[derive(Debug)]
pub(super) struct Messages {
    socket: TcpStream,
    /// Bytes of a message that has not arrived completely.
    arrived: Vec<u8>,
}

impl Messages {
    pub(super) fn new(socket: TcpStream) -> Messages {
        Messages { socket, arrived: vec![] }
    }

    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        write_message(&self.socket, message)
    }

    /// Returns another handle of the connection.
    pub(super) fn handle(&self) -> io::Result<TcpStream> {
        self.socket.try_clone()
    }

    /// Returns the next message; `None` if none has arrived within the socket's time-out. A closed connection is an
    /// error.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut part = [0; 4096];
        loop {
            if let Some(length) = self.arrived.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes) as usize) {
                if length > LONGEST {
                    return Err(IoKind::InvalidData.into());
                }
                if self.arrived.len() >= 4 + length {
                    let message = self.arrived[4..4 + length].to_vec();
                    self.arrived.drain(..4 + length);
                    return Ok(Some(message));
                }
            }
            match self.socket.read(&mut part) {
                Ok(0) => return Err(IoKind::UnexpectedEof.into()),
                Ok(n) => self.arrived.extend(&part[..n]),
                Err(e) if matches!(e.kind(), IoKind::WouldBlock | IoKind::TimedOut) => return Ok(None),
                Err(e) if e.kind() == IoKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

fn write_message(mut socket: &TcpStream, message: &[u8]) -> io::Result<()> {
    let mut framed = (message.len() as u32).to_le_bytes().to_vec();
    framed.extend(message);
    // One call, so that messages of two threads do not mix.
    socket.write_all(&framed)
}

/// Notifies the supervisor that a rank leaves the group.
pub(super) fn leave(connection: &TcpStream) -> io::Result<()> {
    write_message(connection, LEAVE)
}

/// First message of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) rank: u32,
    pub(super) size: u32,
    pub(super) process: u32,
}

impl Hello {
    pub(super) fn bytes(&self, address: &Address) -> Vec<u8> {
        let numbers = [self.rank, self.size, self.process];
        address.token.iter().copied().chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
    }

    /// Reads a message that has the group's token.
    fn read(message: &[u8], address: &Address) -> Option<Hello> {
        let rest = message.strip_prefix(&address.token)?;
        let number = |k: usize| Some(u32::from_le_bytes(*rest.get(4 * k..)?.first_chunk()?));
        Some(Hello { rank: number(0)?, size: number(1)?, process: number(2)? })
    }
}

/// State of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// True once NCCL has formed the group.
    pub(super) formed: bool,
    /// True if the last call is one that all ranks make.
    pub(super) collective: bool,
    /// Number of calls.
    pub(super) calls: u64,
    /// Number of those that have completed.
    pub(super) done: u64,
    /// Description of the last call.
    pub(super) last: String,
}

impl Report {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![b'R', u8::from(self.formed), u8::from(self.collective)];
        out.extend(self.calls.to_le_bytes());
        out.extend(self.done.to_le_bytes());
        out.extend(self.last.as_bytes());
        out
    }

    fn read(message: &[u8]) -> Option<Report> {
        let number = |at: usize| Some(u64::from_le_bytes(*message.get(at..)?.first_chunk()?));
        let &[b'R', formed, collective, ..] = message else { return None };
        let last = String::from_utf8_lossy(message.get(19..)?).into_owned();
        Some(Report { formed: formed == 1, collective: collective == 1, calls: number(3)?, done: number(11)?, last })
    }

    fn is_pending(&self) -> bool {
        self.calls > self.done
    }
}

/// Message of a rank that leaves the group.
pub(super) const LEAVE: &[u8] = b"L";
/// First byte of the message that all ranks have joined, which the ranks of the supervisor's process follow.
pub(super) const JOINED: u8 = b'J';
/// First byte of the message that the group has failed, which the reason follows.
pub(super) const FAILED: u8 = b'F';

struct Supervisor {
    listener: TcpListener,
    address: Address,
    patience: Duration,
    began: Instant,
    /// Connections that have not said which rank they are.
    greeting: Vec<(Messages, Instant)>,
    group: Group<Messages>,
}

/// The ranks, with connections of some type.
#[derive(Debug)]
pub(super) struct Group<C> {
    members: Vec<Option<Member<C>>>,
    first: Option<Instant>,
    joined: bool,
    failed: Option<Instant>,
}

impl<C> Default for Group<C> {
    fn default() -> Self {
        Group { members: vec![], first: None, joined: false, failed: None }
    }
}

#[derive(Debug)]
struct Member<C> {
    connection: C,
    process: u32,
    report: Report,
    /// Time of the last call that completed, or of the first that has not.
    moved: Instant,
    left: bool,
    lost: Option<Instant>,
}

impl Supervisor {
    fn run(mut self) {
        loop {
            match self.listener.accept() {
                Ok((socket, _)) => {
                    if socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true)).is_ok() {
                        self.greeting.push((Messages::new(socket), Instant::now()));
                    }
                    continue;
                }
                Err(e) if e.kind() == IoKind::WouldBlock => thread::sleep(TICK),
                Err(_) => return,
            }
            self.greet();
            self.read();
            let now = Instant::now();
            if self.group.failed.is_none()
                && let Some(message) = self.group.fault(now, self.patience)
            {
                self.group.failed = Some(now);
                self.group.notify(FAILED, message.as_bytes());
            }
            if self.group.is_over() || (self.group.members.is_empty() && self.began.elapsed() > self.patience) {
                return;
            }
        }
    }

    fn greet(&mut self) {
        for (mut messages, since) in std::mem::take(&mut self.greeting) {
            match messages.next() {
                Ok(None) if since.elapsed() < GREETING => self.greeting.push((messages, since)),
                Ok(Some(message)) => {
                    if let Some(hello) = Hello::read(&message, &self.address) {
                        self.group.join(&hello, messages, Instant::now());
                    }
                }
                _ => {}
            }
        }
        self.group.announce();
    }

    fn read(&mut self) {
        for member in self.group.members.iter_mut().flatten() {
            while !member.left && member.lost.is_none() {
                match member.connection.next() {
                    Ok(None) => break,
                    Ok(Some(message)) => member.take(&message, Instant::now()),
                    Err(_) => member.lost = Some(Instant::now()),
                }
            }
        }
    }
}

/// A way to send messages to a rank.
pub(super) trait Connection {
    fn notify(&mut self, message: &[u8]) -> io::Result<()>;
}

impl Connection for Messages {
    fn notify(&mut self, message: &[u8]) -> io::Result<()> {
        self.send(message)
    }
}

impl<C> Member<C> {
    fn take(&mut self, message: &[u8], now: Instant) {
        if message == LEAVE {
            self.left = true;
        } else if let Some(report) = Report::read(message) {
            if report.done != self.report.done || !self.report.is_pending() {
                self.moved = now;
            }
            self.report = report;
        }
    }
}

impl<C: Connection> Group<C> {
    /// Sends a message to all ranks that are there.
    fn notify(&mut self, kind: u8, text: &[u8]) {
        let message = [&[kind], text].concat();
        for member in self.members.iter_mut().flatten().filter(|member| !member.left) {
            if member.connection.notify(&message).is_err() {
                member.lost.get_or_insert_with(Instant::now);
            }
        }
    }

    fn join(&mut self, hello: &Hello, mut connection: C, now: Instant) {
        let (rank, size) = (hello.rank as usize, hello.size as usize);
        if self.members.is_empty() {
            self.members = std::iter::repeat_with(|| None).take(size).collect();
            self.first = Some(now);
        }
        let others = self.members.len();
        let reason = if others != size {
            format!("rank {rank} joins a group of {size} ranks, others one of {others}")
        } else if self.members.get(rank).is_none_or(Option::is_some) {
            format!("rank {rank} has joined twice")
        } else {
            let (report, process) = (Report::default(), hello.process);
            self.members[rank] = Some(Member { connection, process, report, moved: now, left: false, lost: None });
            return;
        };
        // A connection that is closed already needs no answer.
        let _ = connection.notify(&[&[FAILED], reason.as_bytes()].concat());
    }

    /// Lets the ranks form the group when all have joined.
    fn announce(&mut self) {
        if self.joined || self.members.is_empty() || self.members.iter().any(Option::is_none) {
            return;
        }
        self.joined = true;
        let own: Vec<usize> = (0..self.members.len())
            .filter(|&rank| self.members[rank].as_ref().is_some_and(|member| member.process == std::process::id()))
            .collect();
        let text = if own.is_empty() { String::new() } else { ranks(&own) };
        self.notify(JOINED, text.as_bytes());
    }
}

impl<C> Group<C> {
    fn is_over(&self) -> bool {
        let over =
            |member: &Option<Member<C>>| member.as_ref().is_none_or(|member| member.left || member.lost.is_some());
        !self.members.is_empty()
            && self.members.iter().all(over)
            && (self.failed.is_some() || self.members.iter().all(Option::is_some))
    }

    /// Lists the ranks for which a condition holds.
    fn which(&self, holds: impl Fn(&Member<C>) -> bool) -> Vec<usize> {
        (0..self.members.len()).filter(|&rank| self.members[rank].as_ref().is_some_and(&holds)).collect()
    }

    /// Returns why the group has failed, if it has.
    fn fault(&self, now: Instant, patience: Duration) -> Option<String> {
        let waited = format!("within {} s (CUPRUM_COLLECTIVES_TIMEOUT)", patience.as_secs_f64());
        let idle = |member: &Member<C>| now.duration_since(member.moved);
        let forming = !self.which(|member| !member.report.formed && member.lost.is_none() && !member.left).is_empty();
        let before = if forming { " before the group was formed" } else { "" };
        let lost = self.which(|member| member.lost.is_some_and(|at| forming || now.duration_since(at) > LOST));
        if !lost.is_empty() {
            let have = if lost.len() == 1 { "has" } else { "have" };
            return Some(format!("{} {have} ended or aborted{before}", ranks(&lost)));
        }
        if forming && self.first.is_some_and(|first| now.duration_since(first) > patience) {
            let missing: Vec<usize> = (0..self.members.len()).filter(|&rank| self.members[rank].is_none()).collect();
            let size = self.members.len();
            return Some(match missing.as_slice() {
                [] => format!("the {size} ranks have not formed the group {waited}"),
                missing => format!("{} of a group of {size} did not join {waited}", ranks(missing)),
            });
        }
        let waits = |member: &Member<C>| member.report.is_pending() && !member.left && member.lost.is_none();
        let waiting = self.which(waits);
        let member = |rank: usize| self.members[rank].as_ref();
        let left = self.which(|member| member.left);
        let stuck = |time: Duration| waiting.iter().copied().filter_map(member).find(|member| idle(member) > time);
        if let (false, Some(waiter)) = (left.is_empty(), stuck(LEFT)) {
            let have = if left.len() == 1 { "has" } else { "have" };
            return Some(format!("{} {have} left the group before {} of others", ranks(&left), waiter.report.last));
        }
        let reports: Vec<&Report> = self.members.iter().flatten().map(|member| &member.report).collect();
        if waiting.len() == self.members.len()
            && waiting.iter().copied().filter_map(member).all(|member| idle(member) > DIFFERENT)
            && reports.iter().all(|report| report.collective && report.calls == reports[0].calls)
            && let Some(other) = reports.iter().position(|report| report.last != reports[0].last)
        {
            return Some(format!(
                "the calls of the ranks do not fit together: rank 0 has called {}, rank {other} {}",
                reports[0].last, reports[other].last
            ));
        }
        let waiter = stuck(patience)?;
        let behind = self.which(|member| member.report.calls < waiter.report.calls);
        let what = &waiter.report.last;
        Some(match behind.as_slice() {
            [] => format!("{what} of {} has not completed {waited}", ranks(&waiting)),
            behind => format!("{} did not call {what} {waited}", ranks(behind)),
        })
    }
}

#[cfg(test)]
mod tests;
