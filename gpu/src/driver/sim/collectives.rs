//! Collective operations of simulated devices: the side of a rank. A call waits for the work of its stream, and has
//! completed when it returns, or when the group of calls ends to which it belongs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{self, Read};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cuprum_kernels::DType;

use super::hub;
use super::wire::{Action, Hello, Reply, Request, parse_reply, place_of, write_hello, write_request};
use crate::driver::collectives::{Call, CallKind, Collectives, GroupId, Membership, has_ended};
use crate::driver::{Driver, StreamHandle, is_interrupted};
use crate::error::{Error, ErrorKind, Result};

/// The version of NCCL whose functions are there.
pub(super) const VERSION: i32 = 22304;

/// Time that a rank waits before it asks whether the user has requested an interrupt.
const TICK: Duration = Duration::from_millis(50);

/// Remaining work of a call when its group of calls ends.
type Rest = Box<dyn FnOnce() -> Result<()>>;

thread_local! {
    /// Number of groups of calls that this thread has begun and not ended, and the work that remains at the end of the
    /// outermost one.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Rest>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn begin_group() {
    DEPTH.set(DEPTH.get() + 1);
}

/// Ends a group of calls: waits for all of them, and returns the first error.
pub(super) fn end_group() -> Result<()> {
    match DEPTH.get() {
        0 => return Err(Error::new(ErrorKind::Value, "no group of calls has begun on this thread")),
        depth => DEPTH.set(depth - 1),
    }
    if DEPTH.get() > 0 {
        return Ok(());
    }
    let mut first = Ok(());
    for finish in WAITING.take() {
        first = first.and(finish());
    }
    first
}

/// Finishes a call at the end of the group of calls, if there is one.
fn finish(call: impl FnOnce() -> Result<()> + 'static) -> Result<()> {
    if DEPTH.get() == 0 {
        return call();
    }
    WAITING.with_borrow_mut(|waiting| waiting.push(Box::new(call)));
    Ok(())
}

fn failed(e: &io::Error) -> Error {
    Error::new(ErrorKind::Driver, format!("the process that created the group's id has ended, or its connection: {e}"))
}

/// Joins a group.
pub(super) fn join(id: &GroupId, size: usize, rank: usize) -> Result<Membership> {
    let (port, token) = place_of(id).ok_or_else(|| {
        Error::new(ErrorKind::Value, "the id is none of a group of simulated devices: it is NCCL's, or no id at all")
    })?;
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(|e| failed(&e))?;
    let hello = Hello { token, size: size as u32, rank: rank as u32 };
    socket.set_nodelay(true).and_then(|()| socket.set_read_timeout(Some(TICK))).map_err(|e| failed(&e))?;
    write_hello(&mut socket, &hello).map_err(|e| failed(&e))?;
    let shut = socket.try_clone().map_err(|e| failed(&e))?;
    let link = Link { socket, next: 1, arrived: vec![], replies: HashMap::new(), ended: Arc::default() };
    let ended = Arc::clone(&link.ended);
    let member = Arc::new(SimMember { link: Mutex::new(link), ended, shut, size, rank });
    let joined = Arc::clone(&member);
    finish(move || joined.link().wait(0).map(|_| ()))?;
    Ok(Membership { of: Arc::new(member), rank, size })
}

/// A rank of a group.
#[derive(Debug)]
struct SimMember {
    /// Connection to the group's meeting point.
    link: Mutex<Link>,
    /// True once the membership has ended.
    ended: Arc<AtomicBool>,
    /// The same connection, to be closed while another thread waits.
    shut: TcpStream,
    /// Number of ranks.
    size: usize,
    /// Number of this rank.
    rank: usize,
}

/// The connection of a rank.
#[derive(Debug)]
struct Link {
    /// The loopback connection.
    socket: TcpStream,
    /// Number of the next request.
    next: u64,
    /// The bytes of a reply that has not arrived completely, and the replies that are not taken yet.
    arrived: Vec<u8>,
    /// Replies that came while another one was awaited.
    replies: HashMap<u64, std::result::Result<Vec<u8>, String>>,
    /// True if the membership has ended.
    ended: Arc<AtomicBool>,
}

impl Link {
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Sends a request, and returns its id.
    fn ask(&mut self, action: Action, count: usize, dtype: DType, data: Vec<u8>) -> Result<u64> {
        if self.has_ended() {
            return Err(has_ended());
        }
        let id = self.next;
        self.next += 1;
        write_request(&mut self.socket, &Request { id, action, count, dtype, data }).map_err(|e| failed(&e))?;
        Ok(id)
    }

    /// Waits for the reply to a request.
    fn wait(&mut self, id: u64) -> Result<Vec<u8>> {
        let mut part = vec![0; 1 << 16];
        loop {
            if let Some(result) = self.replies.remove(&id) {
                return result.map_err(|message| Error::new(ErrorKind::Driver, message));
            }
            match self.socket.read(&mut part) {
                Ok(0) => {
                    return Err(if self.has_ended() {
                        has_ended()
                    } else {
                        failed(&io::ErrorKind::UnexpectedEof.into())
                    });
                }
                Ok(n) => self.arrived.extend(&part[..n]),
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if is_interrupted() {
                        return Err(Error::new(ErrorKind::Interrupted, "interrupted while it waited for other ranks"));
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(&e)),
            }
            while let Some((Reply { id, result }, length)) = parse_reply(&self.arrived) {
                self.arrived.drain(..length);
                self.replies.insert(id, result);
            }
        }
    }
}

impl SimMember {
    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes of all ranks, each of which passes as many.
    fn exchange(&self, own: &[u8]) -> Result<Vec<u8>> {
        let mut link = self.link();
        let id = link.ask(Action::Call(CallKind::AllGather), own.len(), DType::U8, own.to_vec())?;
        link.wait(id)
    }
}

impl Collectives for Arc<SimMember> {
    unsafe fn call(&self, driver: &'static dyn Driver, call: &Call, stream: StreamHandle) -> Result<()> {
        let [sent, received] = call.elements(self.rank, self.size).map(|n| n * call.dtype.size());
        let mut data = vec![0; sent];
        // SAFETY: the caller guarantees the memory of the elements that are sent.
        unsafe { driver.download(&mut data, call.send, stream) }?;
        let id = self.link().ask(Action::Call(call.kind), call.count, call.dtype, data)?;
        let (member, recv) = (Arc::clone(self), call.recv);
        finish(move || {
            let data = member.link().wait(id)?;
            // What is no result for this rank is empty.
            if data.is_empty() || received == 0 {
                return Ok(());
            }
            // SAFETY: the caller guarantees the memory of the elements that are received until the call has completed.
            unsafe { driver.upload(recv, &data, stream) }
        })
    }

    fn split(&self, _: &'static dyn Driver, color: Option<u32>, key: i32) -> Result<Option<Membership>> {
        let mut own = color.map_or(-1, i64::from).to_le_bytes().to_vec();
        own.extend(i64::from(key).to_le_bytes());
        let all = self.exchange(&own)?;
        let number = |k: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&all[8 * k..][..8]);
            i64::from_le_bytes(bytes)
        };
        let mut members: Vec<(i64, usize)> = (0..self.size)
            .filter(|&rank| color.is_some_and(|color| number(2 * rank) == i64::from(color)))
            .map(|rank| (number(2 * rank + 1), rank))
            .collect();
        members.sort_unstable();
        let first = members.first().map(|&(_, rank)| rank);
        let own = if first == Some(self.rank) { hub::begin()? } else { [0; 128] };
        let ids = self.exchange(&own)?;
        let Some(first) = first else { return Ok(None) };
        let mut id = [0; 128];
        id.copy_from_slice(&ids[128 * first..][..128]);
        let rank = members.iter().position(|&(_, rank)| rank == self.rank).unwrap_or(0);
        join(&id, members.len(), rank).map(Some)
    }

    fn check(&self) -> Result<()> {
        let mut link = self.link();
        let id = link.ask(Action::Check, 0, DType::U8, vec![])?;
        link.wait(id).map(|_| ())
    }

    fn abort(&self) -> Result<()> {
        // The thread that waits for a reply has the lock of the link. A connection that is closed already is no error.
        self.ended.store(true, Ordering::Relaxed);
        let _ = self.shut.shutdown(Shutdown::Both);
        Ok(())
    }

    fn leave(&self) -> Result<()> {
        let mut link = self.link();
        if link.has_ended() {
            return Ok(());
        }
        let id = link.ask(Action::Leave, 0, DType::U8, vec![])?;
        self.ended.store(true, Ordering::Relaxed);
        link.wait(id).map(|_| ())
    }
}

impl Drop for SimMember {
    fn drop(&mut self) {
        let link = self.link.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !link.has_ended() {
            // The answer is of no use, and nothing can be returned.
            let _ = link.ask(Action::Leave, 0, DType::U8, vec![]);
        }
    }
}
