//! CUDA runtime features of the simulated device. A graph is a list of the recorded work, to be queued again.
//!
//! A launch of a graph queues its work in the recorded order; host functions run on the thread that reaches them.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write;
use std::mem::discriminant;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};

use super::deferred::{DeferredWork, Host, Work, handle};
use super::queues::DEFAULT;
use super::{Sim, fault, invalid};
use crate::driver::runtime_api::{Conditional, HostCall, PoolAttribute, RuntimeApi};
use crate::driver::{Driver, StreamHandle, unknown};
use crate::error::{Error, ErrorKind, Result};

/// CUDA's flag of an event that is shared with other processes.
const INTERPROCESS: u32 = 4;

thread_local! {
    /// True while a queued host function runs: it must not call the device.
    static IN_HOST_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Driver pools, graphs, and executable graphs.
#[derive(Debug)]
pub(super) struct RuntimeState {
    /// Driver pools by handle.
    pools: HashMap<usize, Pool>,
    /// The default pool, and the one in use.
    usual: usize,
    /// Handle of the current pool.
    current: usize,
    /// Recorded work of graphs.
    graphs: HashMap<usize, Arc<Vec<Work>>>,
    /// Recorded work of executable graphs, which an update replaces.
    instances: HashMap<usize, Arc<Vec<Work>>>,
}

impl Default for RuntimeState {
    fn default() -> RuntimeState {
        let usual = handle();
        let pools = HashMap::from([(usual, Pool::default())]);
        RuntimeState { pools, usual, current: usual, graphs: HashMap::new(), instances: HashMap::new() }
    }
}

/// A pool that caches nothing: freed memory is released immediately.
#[derive(Debug, Default)]
struct Pool {
    /// Sizes of the allocations by address.
    live: HashMap<u64, usize>,
    /// Bytes in use.
    used: usize,
    /// Peak of `used`.
    most: usize,
    /// Release threshold, which has no effect here.
    threshold: u64,
}

/// Calls a host function.
pub(super) fn call(host: HostCall) {
    /// Restores the flag that a function runs, also after a panic.
    struct RestoreFlag(bool);
    impl Drop for RestoreFlag {
        fn drop(&mut self) {
            IN_HOST_CALL.set(self.0);
        }
    }
    let _called = RestoreFlag(IN_HOST_CALL.replace(true));
    host();
}

/// Rejects operations that a host function must not do, which CUDA rejects as well.
pub(super) fn reject_in_host_call() -> Result<()> {
    if !IN_HOST_CALL.get() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Driver,
        "a function that a stream calls must not use the device: hand its result to a thread of your own",
    ))
}

/// Returns the error for a call that a capture cannot record.
pub(super) fn not_captured(what: &str) -> Error {
    Error::new(ErrorKind::Driver, format!("a stream that is captured cannot {what}")).with_status(900)
}

impl Work {
    /// Returns a copy of the work, for a graph.
    pub(super) fn again(&self) -> Result<Work> {
        Ok(match self {
            Work::Launch { kernel, size, shared, params } => {
                Work::Launch { kernel: kernel.clone(), size: *size, shared: *shared, params: params.clone() }
            }
            Work::Upload { dst, data } => Work::Upload { dst: *dst, data: data.clone() },
            Work::Copy { dst, src, bytes } => Work::Copy { dst: *dst, src: *src, bytes: *bytes },
            Work::Product(gemm) => Work::Product(*gemm),
            Work::Dense(task) => Work::Dense(*task),
            Work::Transform(call) => Work::Transform(*call),
            Work::Mark { addr, bytes, mark } => Work::Mark { addr: *addr, bytes: *bytes, mark: *mark },
            Work::Condition { flag, repeats, body } => {
                Work::Condition { flag: *flag, repeats: *repeats, body: body.clone() }
            }
            Work::Record(_) | Work::Host(_) => return Err(not_captured("call the host or set an event")),
        })
    }

    /// Returns its label in a drawing of the graph; `None` for work that a GPU does not have.
    fn label(&self) -> Option<String> {
        Some(match self {
            Work::Launch { kernel, .. } => kernel.name().into(),
            Work::Upload { data, .. } => format!("copy {} bytes to the device", data.len()),
            Work::Copy { bytes, .. } => format!("copy {bytes} bytes"),
            Work::Product(gemm) => format!("product of {} x {} and {} x {}", gemm.m, gemm.k, gemm.k, gemm.n),
            Work::Dense(task) => format!("{:?} of {} x {}", task.task, task.m, task.n),
            Work::Transform(_) => "transform".into(),
            Work::Record(_) => "event".into(),
            Work::Host(_) => "host".into(),
            Work::Condition { repeats: true, .. } => "while".into(),
            Work::Condition { .. } => "if".into(),
            Work::Mark { .. } => return None,
        })
    }
}

/// Rejects what CUDA does not allow in the body of a conditional node: it may contain kernels, copies on the device and
/// other conditional nodes. A library call adds nodes of other kinds, such as allocations of a workspace.
fn check_bodies(works: &[Work], in_body: bool) -> Result<()> {
    works.iter().try_for_each(|work| match work {
        Work::Condition { body, .. } => check_bodies(body.get().map_or(&[][..], Vec::as_slice), true),
        Work::Launch { .. } | Work::Copy { .. } | Work::Mark { .. } => Ok(()),
        _ if !in_body => Ok(()),
        _ => {
            let what = work.label().unwrap_or_default();
            let message = format!(
                "the body of a conditional node contains a node that CUDA does not allow there ({what}): kernels, copies on the device and conditions only"
            );
            Err(Error::new(ErrorKind::Driver, message).with_status(1))
        }
    })
}

fn labels(works: &[Work]) -> Vec<String> {
    works.iter().filter_map(Work::label).collect()
}

impl Sim {
    fn with_runtime<R>(&self, f: impl FnOnce(&mut RuntimeState) -> Result<R>) -> Result<R> {
        f(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn pool<R>(&self, pool: usize, f: impl FnOnce(&mut Pool) -> Result<R>) -> Result<R> {
        self.with_runtime(|shown| f(shown.pools.get_mut(&pool).ok_or_else(|| invalid("a pool"))?))
    }

    fn graph(&self, graph: usize) -> Result<Arc<Vec<Work>>> {
        self.with_runtime(|shown| shown.graphs.get(&graph).cloned().ok_or_else(|| invalid("a graph")))
    }

    fn instance(&self, instance: usize) -> Result<Arc<Vec<Work>>> {
        self.with_runtime(|shown| shown.instances.get(&instance).cloned().ok_or_else(|| invalid("a graph")))
    }
}

impl RuntimeApi for Sim {
    unsafe fn stream_query(&self, stream: StreamHandle) -> Result<bool> {
        self.late(|late| {
            late.check(stream)?;
            // Work advances between two queries.
            for _ in 0..=late.queues.draw(4) {
                if !late.queues.is_done(stream) {
                    late.step(self);
                }
            }
            late.report()?;
            Ok(late.queues.is_done(stream))
        })
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        Ok((0, 0))
    }

    unsafe fn host_call(&self, stream: StreamHandle, host: HostCall) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            call(host);
            return Ok(());
        }
        self.queue(stream, Work::Host(Host::new(host)))
    }

    fn event_create_with(&self, flags: u32) -> Result<usize> {
        if flags & INTERPROCESS != 0 {
            return Err(unknown("events of several processes"));
        }
        self.event_create()
    }

    fn usual_pool(&self) -> Result<usize> {
        self.with_runtime(|shown| Ok(shown.usual))
    }

    fn current_pool(&self) -> Result<usize> {
        self.with_runtime(|shown| Ok(shown.current))
    }

    unsafe fn set_current_pool(&self, pool: usize) -> Result<()> {
        self.pool(pool, |_| Ok(()))?;
        self.with_runtime(|shown| {
            shown.current = pool;
            Ok(())
        })
    }

    fn create_pool(&self) -> Result<usize> {
        self.with_runtime(|shown| {
            let pool = handle();
            shown.pools.insert(pool, Pool::default());
            Ok(pool)
        })
    }

    unsafe fn destroy_pool(&self, pool: usize) -> Result<()> {
        self.with_runtime(|shown| {
            shown.pools.remove(&pool).ok_or_else(|| invalid("a pool"))?;
            if shown.current == pool {
                shown.current = shown.usual;
            }
            Ok(())
        })
    }

    unsafe fn trim_pool(&self, pool: usize, _: usize) -> Result<()> {
        self.pool(pool, |_| Ok(()))
    }

    unsafe fn pool_attribute(&self, pool: usize, attribute: PoolAttribute) -> Result<u64> {
        self.pool(pool, |pool| {
            Ok(match attribute {
                PoolAttribute::ReleaseThreshold => pool.threshold,
                PoolAttribute::Reserved | PoolAttribute::Used => pool.used as u64,
                PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh => pool.most as u64,
            })
        })
    }

    unsafe fn set_pool_attribute(&self, pool: usize, attribute: PoolAttribute, value: u64) -> Result<()> {
        self.pool(pool, |pool| match attribute {
            PoolAttribute::ReleaseThreshold => {
                pool.threshold = value;
                Ok(())
            }
            PoolAttribute::ReservedHigh | PoolAttribute::UsedHigh if value == 0 => {
                pool.most = pool.used;
                Ok(())
            }
            _ => Err(Error::new(ErrorKind::Driver, format!("{attribute:?} of a pool cannot be set to {value}"))),
        })
    }

    unsafe fn alloc_from_pool(&self, pool: usize, bytes: usize, _: StreamHandle) -> Result<u64> {
        self.pool(pool, |pool| {
            let addr = self.machine.alloc(bytes as u64).map_err(fault)?;
            pool.live.insert(addr, bytes);
            pool.used += bytes;
            pool.most = pool.most.max(pool.used);
            Ok(addr)
        })
    }

    unsafe fn free_to_pool(&self, pool: usize, addr: u64, stream: StreamHandle) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { Driver::stream_synchronize(self, stream) }?;
        self.pool(pool, |pool| {
            pool.used -= pool.live.remove(&addr).ok_or_else(|| invalid("memory of the pool"))?;
            self.machine.free(addr).map_err(fault)
        })
    }

    fn alloc_managed(&self, bytes: usize) -> Result<u64> {
        self.alloc(bytes)
    }

    unsafe fn advise(&self, _: u64, _: usize, advice: i32, _: i32) -> Result<()> {
        if (1..=6).contains(&advice) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Driver, format!("there is no advice of the number {advice}")))
    }

    unsafe fn prefetch(&self, _: u64, _: usize, _: i32, stream: StreamHandle) -> Result<()> {
        self.late(|late| late.check(stream))
    }

    unsafe fn upload_kept(&self, dst: u64, src: usize, bytes: usize, stream: StreamHandle) -> Result<()> {
        let src = std::ptr::with_exposed_provenance::<u8>(src);
        // SAFETY: the caller guarantees `bytes` bytes of host memory.
        let src = unsafe { std::slice::from_raw_parts(src, bytes) };
        // SAFETY: the caller guarantees the device's memory and the stream.
        unsafe { self.upload(dst, src, stream) }
    }

    fn limit(&self, number: i32) -> Result<usize> {
        Err(unknown(&format!("the limit {number}")))
    }

    fn set_limit(&self, number: i32, _: usize) -> Result<()> {
        Err(unknown(&format!("the limit {number}")))
    }

    unsafe fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        self.late(|late| {
            late.check(stream)?;
            late.captures.begin(stream)
        })
    }

    unsafe fn end_capture(&self, stream: StreamHandle) -> Result<usize> {
        let works = self.late(|late| late.captures.end(stream))?;
        self.with_runtime(|shown| {
            let graph = handle();
            shown.graphs.insert(graph, Arc::new(works));
            Ok(graph)
        })
    }

    fn is_capturing(&self) -> bool {
        !self.quiet.load(Ordering::Acquire) && self.late(|late| Ok(!late.captures.is_empty())).unwrap_or(false)
    }

    unsafe fn begin_conditional(&self, stream: StreamHandle, flag: u64, repeats: bool) -> Result<Conditional> {
        self.late(|late| {
            // The node is recorded at its position from the beginning: memory from outside that the body frees is freed
            // after the node.
            let body = Arc::new(OnceLock::new());
            if late.captures.keep(stream, Work::Condition { flag, repeats, body: body.clone() })?.is_some() {
                return Err(Error::new(ErrorKind::Driver, "the stream is not captured"));
            }
            let inside = handle();
            late.queues.open(inside);
            late.captures.begin_body(inside, body)?;
            Ok(Conditional { stream: inside, handle: 0, flag, repeats })
        })
    }

    unsafe fn end_conditional(&self, node: &Conditional) -> Result<()> {
        self.late(|late| {
            late.queues.close(node.stream);
            late.captures.end_body(node.stream)
        })
    }

    unsafe fn clone_graph(&self, graph: usize) -> Result<usize> {
        let works = self.graph(graph)?;
        self.with_runtime(|shown| {
            let clone = handle();
            shown.graphs.insert(clone, works);
            Ok(clone)
        })
    }

    unsafe fn destroy_graph(&self, graph: usize) -> Result<()> {
        self.with_runtime(|shown| shown.graphs.remove(&graph).map(|_| ()).ok_or_else(|| invalid("a graph")))
    }

    unsafe fn graph_nodes(&self, graph: usize) -> Result<usize> {
        Ok(labels(&self.graph(graph)?).len())
    }

    unsafe fn graph_dot(&self, graph: usize, _: u32) -> Result<String> {
        let mut text = String::from("digraph dot {\n");
        for (k, label) in labels(&self.graph(graph)?).iter().enumerate() {
            let _ = writeln!(text, "  node_{k} [label=\"{label}\"];");
            if k > 0 {
                let _ = writeln!(text, "  node_{} -> node_{k};", k - 1);
            }
        }
        Ok(text + "}\n")
    }

    unsafe fn instantiate(&self, graph: usize) -> Result<usize> {
        let works = self.graph(graph)?;
        check_bodies(&works, false)?;
        self.with_runtime(|shown| {
            let instance = handle();
            shown.instances.insert(instance, works);
            Ok(instance)
        })
    }

    unsafe fn destroy_instance(&self, instance: usize) -> Result<()> {
        self.with_runtime(|shown| shown.instances.remove(&instance).map(|_| ()).ok_or_else(|| invalid("a graph")))
    }

    unsafe fn update_instance(&self, instance: usize, graph: usize) -> Result<()> {
        let (old, new) = (self.instance(instance)?, self.graph(graph)?);
        let form =
            |works: &[Work]| -> Vec<_> { works.iter().filter(|w| w.label().is_some()).map(discriminant).collect() };
        if form(&old) != form(&new) {
            let (a, b) = (labels(&old).len(), labels(&new).len());
            let what =
                format!("the graphs are not of one form: one has {a} nodes, the other {b}, or others in their place");
            return Err(Error::new(ErrorKind::Value, what));
        }
        self.with_runtime(|shown| {
            shown.instances.insert(instance, new);
            Ok(())
        })
    }

    unsafe fn upload_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        self.instance(instance)?;
        self.late(|late| late.check(stream))
    }

    unsafe fn launch_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        let works = self.instance(instance)?;
        if stream == DEFAULT {
            self.settle()?;
            return self.late(|late| works.iter().try_for_each(|work| late.perform(self, work.again()?, None)));
        }
        self.late(|late: &mut DeferredWork| {
            late.report()?;
            works.iter().try_for_each(|work| late.push(self, stream, work.again()?))
        })
    }
}
