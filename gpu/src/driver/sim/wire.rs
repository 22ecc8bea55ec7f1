//! Messages between the ranks of a group of simulated devices and its meeting point: frames of little-endian numbers
//! and bytes.
//!
//! A frame begins with its length. Both sides are of one version, which the first message checks.

use std::fmt;
use std::io::{self, Read, Write};

use cuprum_kernels::DType;

use crate::driver::ReduceOp;
use crate::driver::collectives::{CallKind, GroupId, call_text};

/// The first bytes of an id, which distinguish it from NCCL's.
const MAGIC: &[u8; 16] = b"cuprum simulator";

/// Returns the id of the group that meets at a port.
pub(super) fn id_of(port: u16, token: [u64; 2]) -> GroupId {
    let mut id = [0; 128];
    id[..16].copy_from_slice(MAGIC);
    id[16..18].copy_from_slice(&port.to_le_bytes());
    id[18..26].copy_from_slice(&token[0].to_le_bytes());
    id[26..34].copy_from_slice(&token[1].to_le_bytes());
    id
}

/// Returns the port and the token of an id of this module.
pub(super) fn place_of(id: &GroupId) -> Option<(u16, [u64; 2])> {
    let number = |at: usize| id[at..at + 8].try_into().ok().map(u64::from_le_bytes);
    let port = u16::from_le_bytes([id[16], id[17]]);
    (id.starts_with(MAGIC)).then_some(())?;
    Some((port, [number(18)?, number(26)?]))
}

/// First message of a rank.
#[derive(Debug)]
pub(super) struct Hello {
    /// Secret of the group's id.
    pub(super) token: [u64; 2],
    /// Number of ranks that the sender expects.
    pub(super) size: u32,
    /// Number of the sender.
    pub(super) rank: u32,
}

/// Request of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Call(CallKind),
    /// True if the group has failed.
    Check,
    Leave,
}

/// Request of a rank, which is answered under its id.
#[derive(Debug)]
pub(super) struct Request {
    /// Number of the request, which the reply repeats.
    pub(super) id: u64,
    /// The operation.
    pub(super) action: Action,
    /// Number of elements.
    pub(super) count: usize,
    /// Dtype of the elements.
    pub(super) dtype: DType,
    /// Bytes that the rank contributes.
    pub(super) data: Vec<u8>,
}

/// Answer to a request: the bytes for the rank, or the message of an error. That of joining has the id 0.
#[derive(Debug)]
pub(super) struct Reply {
    /// Number of the request.
    pub(super) id: u64,
    /// Bytes for the rank, or the message of an error.
    pub(super) result: Result<Vec<u8>, String>,
}

impl Request {
    /// Returns true if another rank's request is part of the same collective operation.
    pub(super) fn fits(&self, other: &Request) -> bool {
        (self.action, self.count, self.dtype) == (other.action, other.count, other.dtype)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            Action::Call(kind) => f.write_str(&call_text(kind, self.count, self.dtype)),
            Action::Check | Action::Leave => write!(f, "{:?}", self.action),
        }
    }
}

const OPS: [ReduceOp; 5] = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::Avg];

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no message of a group")
}

/// Returns the action of its number, operation and rank.
fn action_of(kind: u8, op: u8, who: u32) -> io::Result<Action> {
    let (op, who) = (OPS.get(op as usize).copied().ok_or_else(invalid), who as usize);
    Ok(match kind {
        0 => Action::Call(CallKind::AllReduce(op?)),
        1 => Action::Call(CallKind::Reduce(op?, who)),
        2 => Action::Call(CallKind::Broadcast(who)),
        3 => Action::Call(CallKind::AllGather),
        4 => Action::Call(CallKind::ReduceScatter(op?)),
        5 => Action::Call(CallKind::Send(who)),
        6 => Action::Call(CallKind::Recv(who)),
        7 => Action::Check,
        8 => Action::Leave,
        _ => return Err(invalid()),
    })
}

/// Returns the number of an action, its operation and its rank.
fn numbers_of(action: Action) -> (u8, ReduceOp, usize) {
    match action {
        Action::Call(CallKind::AllReduce(op)) => (0, op, 0),
        Action::Call(CallKind::Reduce(op, root)) => (1, op, root),
        Action::Call(CallKind::Broadcast(root)) => (2, ReduceOp::Sum, root),
        Action::Call(CallKind::AllGather) => (3, ReduceOp::Sum, 0),
        Action::Call(CallKind::ReduceScatter(op)) => (4, op, 0),
        Action::Call(CallKind::Send(peer)) => (5, ReduceOp::Sum, peer),
        Action::Call(CallKind::Recv(peer)) => (6, ReduceOp::Sum, peer),
        Action::Check => (7, ReduceOp::Sum, 0),
        Action::Leave => (8, ReduceOp::Sum, 0),
    }
}

fn number<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let n = u64::from_le_bytes(number(from)?);
    let mut data = vec![];
    // The length is not trusted: memory grows with what arrives.
    from.take(n).read_to_end(&mut data)?;
    if data.len() as u64 == n { Ok(data) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Writes the first message.
pub(super) fn write_hello(to: &mut impl Write, hello: &Hello) -> io::Result<()> {
    let mut frame = vec![];
    frame.extend(hello.token.iter().flat_map(|part| part.to_le_bytes()));
    frame.extend(hello.size.to_le_bytes());
    frame.extend(hello.rank.to_le_bytes());
    to.write_all(&frame)
}

/// Reads the first message, and rejects one of another version.
pub(super) fn read_hello(from: &mut impl Read) -> io::Result<Hello> {
    let token = [u64::from_le_bytes(number(from)?), u64::from_le_bytes(number(from)?)];
    let hello = Hello { token, size: u32::from_le_bytes(number(from)?), rank: u32::from_le_bytes(number(from)?) };
    if hello.rank < hello.size { Ok(hello) } else { Err(invalid()) }
}

/// Writes a request as one frame.
pub(super) fn write_request(to: &mut impl Write, request: &Request) -> io::Result<()> {
    let (kind, op, who) = numbers_of(request.action);
    let mut frame = request.id.to_le_bytes().to_vec();
    frame.extend([kind, op as u8, request.dtype as u8]);
    frame.extend((who as u32).to_le_bytes());
    frame.extend((request.count as u64).to_le_bytes());
    frame.extend((request.data.len() as u64).to_le_bytes());
    to.write_all(&frame)?;
    to.write_all(&request.data)
}

/// Reads a request.
pub(super) fn read_request(from: &mut impl Read) -> io::Result<Request> {
    let id = u64::from_le_bytes(number(from)?);
    let [kind, op, dtype] = number(from)?;
    let action = action_of(kind, op, u32::from_le_bytes(number(from)?))?;
    let count = u64::from_le_bytes(number(from)?) as usize;
    let dtype = DType::ALL.into_iter().find(|d| *d as u8 == dtype).ok_or_else(invalid)?;
    Ok(Request { id, action, count, dtype, data: bytes(from)? })
}

/// Writes a reply as one frame.
pub(super) fn write_reply(to: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let (ok, data) = match &reply.result {
        Ok(data) => (1, data.as_slice()),
        Err(message) => (0, message.as_bytes()),
    };
    let mut frame = reply.id.to_le_bytes().to_vec();
    frame.push(ok);
    frame.extend((data.len() as u64).to_le_bytes());
    to.write_all(&frame)?;
    to.write_all(data)
}

/// Returns the first reply of what has arrived, and its length; `None` until all of it is there.
pub(super) fn parse_reply(arrived: &[u8]) -> Option<(Reply, usize)> {
    let mut from = arrived;
    let id = u64::from_le_bytes(number(&mut from).ok()?);
    let [ok] = number(&mut from).ok()?;
    let data = bytes(&mut from).ok()?;
    let result = if ok == 1 { Ok(data) } else { Err(String::from_utf8_lossy(&data).into_owned()) };
    Some((Reply { id, result }, arrived.len() - from.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_replies_are_read_as_they_were_written() {
        for kind in [CallKind::Reduce(ReduceOp::Min, 3), CallKind::AllGather, CallKind::Recv(7)] {
            let request = Request { id: 9, action: Action::Call(kind), count: 2, dtype: DType::BF16, data: vec![1, 2] };
            let mut frame = vec![];
            write_request(&mut frame, &request).unwrap();
            let read = read_request(&mut frame.as_slice()).unwrap();
            assert!(read.fits(&request) && read.id == 9 && read.data == [1, 2]);
            assert!(read_request(&mut &frame[..frame.len() - 1]).is_err());
        }
        let mut frame = vec![];
        write_reply(&mut frame, &Reply { id: 4, result: Err("no".into()) }).unwrap();
        assert!(parse_reply(&frame[..frame.len() - 1]).is_none());
        let (reply, length) = parse_reply(&frame).unwrap();
        assert_eq!((reply.id, reply.result, length), (4, Err("no".into()), frame.len()));
        assert_eq!(place_of(&id_of(77, [1, 2])), Some((77, [1, 2])));
        assert_eq!(place_of(&[0; 128]), None);
    }
}
