//! Collective operations of CUDA devices by NCCL, which is loaded at run time.
//!
//! Its functions are looked up when a group is first formed; a version that lacks one gives an error that names the
//! function.

mod failures;
mod member;
mod supervisor;
mod watch;

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::net::Ipv4Addr;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use cuprum_kernels::DType;

use super::collectives::{Call, CallKind, Collectives, GroupId, Membership, ReduceOp};
use super::library::{Loaded, Needs};
use super::symbols::symbols;
use super::{Driver, StreamHandle, search_paths};
use crate::error::{Error, ErrorKind, Result};

pub(super) use failures::check as check_failures;
pub(super) use member::Marker;
use member::Member;

/// `ncclComm_t`.
type Comm = *mut c_void;

/// `ncclUniqueId`, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct UniqueId(GroupId);

symbols! {
    /// The functions of NCCL.
    Api, error
    fn version(version: *mut c_int) = "ncclGetVersion";
    fn unique_id(id: *mut UniqueId) = "ncclGetUniqueId";
    fn init_rank(comm: *mut Comm, size: c_int, id: UniqueId, rank: c_int) = "ncclCommInitRank";
    fn destroy(comm: Comm) = "ncclCommDestroy";
    fn abort(comm: Comm) = "ncclCommAbort";
    fn async_error(comm: Comm, code: *mut c_int) = "ncclCommGetAsyncError";
    fn count(comm: Comm, size: *mut c_int) = "ncclCommCount";
    fn user_rank(comm: Comm, rank: *mut c_int) = "ncclCommUserRank";
    fn split(comm: Comm, color: c_int, key: c_int, new: *mut Comm, config: *mut c_void) = "ncclCommSplit";
    fn all_reduce(send: *const c_void, recv: *mut c_void, count: usize, dtype: c_int, op: c_int, comm: Comm, stream: *mut c_void) = "ncclAllReduce";
    fn reduce(send: *const c_void, recv: *mut c_void, count: usize, dtype: c_int, op: c_int, root: c_int, comm: Comm, stream: *mut c_void) = "ncclReduce";
    fn broadcast(send: *const c_void, recv: *mut c_void, count: usize, dtype: c_int, root: c_int, comm: Comm, stream: *mut c_void) = "ncclBroadcast";
    fn all_gather(send: *const c_void, recv: *mut c_void, count: usize, dtype: c_int, comm: Comm, stream: *mut c_void) = "ncclAllGather";
    fn reduce_scatter(send: *const c_void, recv: *mut c_void, count: usize, dtype: c_int, op: c_int, comm: Comm, stream: *mut c_void) = "ncclReduceScatter";
    fn send(send: *const c_void, count: usize, dtype: c_int, peer: c_int, comm: Comm, stream: *mut c_void) = "ncclSend";
    fn recv(recv: *mut c_void, count: usize, dtype: c_int, peer: c_int, comm: Comm, stream: *mut c_void) = "ncclRecv";
    fn group_start() = "ncclGroupStart";
    fn group_end() = "ncclGroupEnd";
}

pub(super) const NCCL: Loaded =
    Loaded { name: "NCCL", spec: &search_paths::NCCL, since: "NCCL 2.18", parts: &[], needs: Needs::All };

/// `NCCL_SPLIT_NOCOLOR`.
const NO_COLOR: c_int = -1;

/// `ncclInProgress`: an operation that has neither completed nor failed.
const IN_PROGRESS: c_int = 7;

impl Api {
    /// Returns NCCL, which is loaded once. A failed load is retried at the next call.
    fn loaded() -> Result<&'static Api> {
        static API: OnceLock<Api> = OnceLock::new();
        match API.get() {
            Some(api) => Ok(api),
            None => {
                let api = NCCL.functions(|library, absent| Api::resolve(library, absent), Api::version_text)?;
                Ok(API.get_or_init(|| api))
            }
        }
    }

    fn version_text(&self) -> String {
        match self.version_number() {
            Ok(n) => format!("{}.{}.{}", n / 10000, n / 100 % 100, n % 100),
            Err(_) => "of no version".into(),
        }
    }

    fn version_number(&self) -> Result<i32> {
        let mut version = 0;
        // SAFETY: the version is a live variable.
        unsafe { self.version(&mut version) }?;
        Ok(version)
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "a CUDA call failed (NCCL_DEBUG=WARN prints which)",
            2 => "a call of the system failed (NCCL_DEBUG=WARN prints which)",
            3 => "internal error",
            4 => "invalid argument",
            5 => "invalid use",
            6 => "another rank has failed or ended",
            7 => "the operation is in progress",
            _ => "unknown",
        };
        Error::new(ErrorKind::Driver, format!("{call} failed: code {code}, {meaning}")).with_status(code)
    }
}

/// Returns NCCL's version, as its number: 22304 for 2.23.4.
pub(super) fn version() -> Result<i32> {
    Api::loaded()?.version_number()
}

/// Returns the id of a new group. If all ranks reach an address of this machine, they wait for each other there before
/// NCCL forms the group.
pub(super) fn unique_id(host: Option<Ipv4Addr>) -> Result<GroupId> {
    let mut id = UniqueId([0; 128]);
    // SAFETY: the id is a live variable.
    unsafe { Api::loaded()?.unique_id(&mut id) }?;
    supervisor::start(host.unwrap_or(Ipv4Addr::LOCALHOST), host.is_some())?.store(&mut id.0);
    Ok(id.0)
}

/// Joins a group with the device whose context is current.
pub(super) fn join(
    id: &GroupId,
    size: usize,
    rank: usize,
    context: usize,
    marker: Option<Marker>,
) -> Result<Membership> {
    let api = Api::loaded()?;
    let (address, id) = supervisor::Address::split(id);
    let member = Arc::new(Member::new(api, Slot::default(), context, marker));
    if let Some(address) = address {
        watch::begin(&address, size, rank, &member)?;
    }
    // SAFETY: the slot lives as long as the member, beyond the group of calls in which NCCL may write it at the end.
    member.form(|slot| unsafe { api.init_rank(slot, size as c_int, UniqueId(id), rank as c_int) })?;
    if DEPTH.get() > 0 {
        GROUPED.with_borrow_mut(|grouped| grouped.push((Arc::clone(&member), None)));
    } else {
        member.set_formed();
    }
    Ok(Membership { of: Arc::new(NcclRank(member)), rank, size })
}

thread_local! {
    /// Number of groups of calls that this thread has begun and not ended, and the members that have made calls in the
    /// outermost one, with the streams.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static GROUPED: RefCell<Vec<(Arc<Member>, Option<StreamHandle>)>> = const { RefCell::new(Vec::new()) };
}

/// Begins a group of calls of this thread.
pub(super) fn begin_group() -> Result<()> {
    // SAFETY: the function has no preconditions.
    unsafe { Api::loaded()?.group_start() }?;
    DEPTH.set(DEPTH.get() + 1);
    Ok(())
}

/// Ends the group of calls, and queues them.
pub(super) fn end_group() -> Result<()> {
    DEPTH.set(DEPTH.get().saturating_sub(1));
    // SAFETY: the function has no preconditions.
    let ended = Api::loaded().and_then(|api| unsafe { api.group_end() });
    if DEPTH.get() > 0 {
        return ended;
    }
    let mut grouped = GROUPED.take();
    // The last call of each member marks the completion of all of its calls.
    grouped.reverse();
    let mut seen: Vec<*const Member> = Vec::new();
    let mut first = ended;
    for (member, stream) in grouped {
        if seen.contains(&Arc::as_ptr(&member)) {
            continue;
        }
        seen.push(Arc::as_ptr(&member));
        first = member.end_calls(stream, first);
    }
    first
}

/// Place of a communicator, which NCCL writes.
type Slot = Box<AtomicPtr<c_void>>;

/// A rank, which leaves the group when it is dropped.
#[derive(Debug)]
struct NcclRank(Arc<Member>);

/// Returns the number of a dtype in `ncclDataType_t`.
fn dtype_number(dtype: DType) -> Result<c_int> {
    Ok(match dtype {
        DType::I8 => 0,
        DType::U8 => 1,
        DType::I32 => 2,
        DType::U32 => 3,
        DType::I64 => 4,
        DType::U64 => 5,
        DType::F16 => 6,
        DType::F32 => 7,
        DType::F64 => 8,
        DType::BF16 => 9,
        other => return Err(Error::new(ErrorKind::Type, format!("NCCL has no elements of {other}"))),
    })
}

/// Returns the number of an operation in `ncclRedOp_t`.
fn op_number(op: ReduceOp) -> c_int {
    match op {
        ReduceOp::Sum => 0,
        ReduceOp::Prod => 1,
        ReduceOp::Max => 2,
        ReduceOp::Min => 3,
        ReduceOp::Avg => 4,
    }
}

impl Collectives for NcclRank {
    unsafe fn call(&self, _: &'static dyn Driver, call: &Call, queue: StreamHandle) -> Result<()> {
        let (send, recv) = (call.send as *const c_void, call.recv as *mut c_void);
        let (n, dtype, stream, api) = (call.count, dtype_number(call.dtype)?, queue as *mut c_void, self.0.api);
        // SAFETY: the communicator is live, and the caller guarantees the memory and the stream.
        let made = |comm| unsafe {
            match call.kind {
                CallKind::AllReduce(op) => api.all_reduce(send, recv, n, dtype, op_number(op), comm, stream),
                CallKind::Reduce(op, root) => {
                    api.reduce(send, recv, n, dtype, op_number(op), root as c_int, comm, stream)
                }
                CallKind::Broadcast(root) => api.broadcast(send, recv, n, dtype, root as c_int, comm, stream),
                CallKind::AllGather => api.all_gather(send, recv, n, dtype, comm, stream),
                CallKind::ReduceScatter(op) => api.reduce_scatter(send, recv, n, dtype, op_number(op), comm, stream),
                CallKind::Send(peer) => api.send(send, n, dtype, peer as c_int, comm, stream),
                CallKind::Recv(peer) => api.recv(recv, n, dtype, peer as c_int, comm, stream),
            }
        };
        if DEPTH.get() > 0 {
            self.0.begin_call(call, made)?;
            GROUPED.with_borrow_mut(|grouped| grouped.push((Arc::clone(&self.0), Some(queue))));
            return Ok(());
        }
        let made = self.0.begin_call(call, made);
        self.0.end_calls(Some(queue), made)
    }

    fn split(&self, _: &'static dyn Driver, color: Option<u32>, key: i32) -> Result<Option<Membership>> {
        let (api, new) = (self.0.api, Slot::default());
        let color = color.map_or(NO_COLOR, |color| color as c_int);
        // SAFETY: the communicator is live, the slot is a live variable, and there is no configuration.
        self.0.with_live(|comm| unsafe { api.split(comm, color, key, new.as_ptr(), ptr::null_mut()) })?;
        let split = new.load(Ordering::Relaxed);
        if split.is_null() {
            return Ok(None);
        }
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the new communicator is live, and the numbers are live variables.
        unsafe {
            api.user_rank(split, &mut rank)?;
            api.count(split, &mut size)?;
        }
        let member = Member::child(&self.0, new);
        Ok(Some(Membership { of: Arc::new(NcclRank(member)), rank: rank as usize, size: size as usize }))
    }

    fn check(&self) -> Result<()> {
        let mut code = 0;
        // SAFETY: the communicator is live, and the code is a live variable.
        self.0.with_live(|comm| unsafe { self.0.api.async_error(comm, &mut code) })?;
        if matches!(code, 0 | IN_PROGRESS) { Ok(()) } else { Err(self.0.api.error("an earlier call of NCCL", code)) }
    }

    fn abort(&self) -> Result<()> {
        self.0.abort()
    }

    fn leave(&self) -> Result<()> {
        self.0.leave()
    }
}

impl Drop for NcclRank {
    fn drop(&mut self) {
        // An error cannot be returned here; the driver frees what is left when the process ends.
        let _ = self.0.leave();
    }
}
