//! Mock device for tests: it runs nothing, and checks for each piece of work the work that must precede it.
//!
//! Each stream has a vector clock of all streams: the amount of their work that precedes its next piece. Events carry
//! clocks from stream to stream and to the host. Two pieces of work on the same memory, of which one writes, must be
//! ordered. That is stricter than a run: a missing dependency is found whatever order the work would run in.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use super::{Access, Buffer, Device, Queue};
use crate::driver::{
    Dense, DeviceInfo, Driver, Function, Gemm, LibraryPlan, Mark, Piece, StreamHandle, Transform, Transforming,
};
use crate::error::{Error, ErrorKind, Result};

type Clock = BTreeMap<StreamHandle, u64>;

/// A use of memory: the piece of work, its stream, and the buffer.
#[derive(Debug)]
struct Use {
    /// Address of the memory.
    addr: u64,
    /// The stream of the work.
    stream: StreamHandle,
    /// Number of the work on its stream.
    tick: u64,
    /// True if the work writes.
    write: bool,
    /// Buffer to which the memory belonged.
    owner: u64,
}

/// Clocks and uses of a mock device.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Number of handles that were returned.
    handles: usize,
    /// Clock of each stream.
    streams: HashMap<StreamHandle, Clock>,
    /// Clock of each event at its record.
    events: HashMap<usize, Clock>,
    /// Work that the host has waited for.
    host: Clock,
    /// Uses that later ones must be ordered after.
    uses: Vec<Use>,
    /// The next address, the live allocations, and the total memory.
    next: u64,
    /// Sizes of the live allocations.
    allocated: HashMap<u64, usize>,
    /// Bytes of the device's memory; `None` for no limit.
    pub(super) memory: Option<usize>,
    /// The device does nothing: no event is reached until it is waited for.
    pub(super) stopped: bool,
    /// Events cannot be recorded.
    pub(super) failing: bool,
    /// The calls, except for allocations and launches.
    pub(super) calls: Vec<String>,
    /// Pairs of unordered pieces of work on the same memory: of the same buffer, and of two.
    pub(super) races: [usize; 2],
}

/// A device that runs nothing.
#[derive(Clone, Debug)]
pub(super) struct Mock {
    /// Properties that it reports.
    info: DeviceInfo,
    /// Its state, which tests inspect.
    state: Arc<Mutex<State>>,
}

fn join(clock: &mut Clock, other: &Clock) {
    for (&stream, &tick) in other {
        let known = clock.entry(stream).or_default();
        *known = (*known).max(tick);
    }
}

/// Returns a mock device, and its state.
pub(super) fn device() -> (Device, Mock) {
    let info = DeviceInfo {
        name: "mock".into(),
        id: "mock".into(),
        target: "none".into(),
        multiprocessors: 1,
        memory_bytes: 0,
        l2_bytes: 0,
        shared_bytes: 0,
        driver: "0".into(),
    };
    let state = State { streams: HashMap::from([(0, Clock::new())]), handles: 1, ..State::default() };
    let mock = Mock { info, state: Arc::new(Mutex::new(state)) };
    (Device::leak(Box::new(mock.clone()), None, None), mock)
}

/// Queues a piece of work that uses the buffers.
pub(super) fn work(queue: &Queue, uses: &[(&Buffer, u64, Access)]) {
    for (buffer, _, access) in uses {
        buffer.touch(queue, *access).unwrap();
    }
    let word = |n: u64| n.to_le_bytes();
    let params: Vec<u8> = uses
        .iter()
        .flat_map(|(buffer, owner, access)| {
            [word(buffer.addr()), word((*access == Access::Write) as u64), word(*owner)].concat()
        })
        .collect();
    // SAFETY: the mock reads its parameters and no memory.
    unsafe { queue.launch(Function(0), [1; 3], [1; 3], 0, &params) }.unwrap();
}

impl Mock {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the calls since the last time.
    pub(super) fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state().calls)
    }
}

impl State {
    fn handle(&mut self) -> usize {
        self.handles += 1;
        self.handles
    }

    fn note(&mut self, call: String) {
        self.calls.push(call);
    }

    fn clock(&mut self, stream: StreamHandle) -> &mut Clock {
        self.streams.get_mut(&stream).expect("a live stream is used")
    }
}

fn driver_error(message: &str) -> Error {
    Error::new(ErrorKind::Driver, message)
}

/// The mock has no CUDA runtime features.
mod shown {
    use super::Mock;
    use crate::driver::StreamHandle;
    use crate::driver::runtime_api::{HostCall, PoolAttribute, RuntimeApi};
    use crate::error::{Error, ErrorKind, Result};

    fn none<T>() -> Result<T> {
        Err(Error::new(ErrorKind::Driver, "the mock has nothing of this"))
    }

    impl crate::driver::texture::Textures for Mock {}

    impl RuntimeApi for Mock {
        unsafe fn stream_query(&self, _: StreamHandle) -> Result<bool> {
            none()
        }
        fn priorities(&self) -> Result<(i32, i32)> {
            none()
        }
        unsafe fn host_call(&self, _: StreamHandle, _: HostCall) -> Result<()> {
            none()
        }
        fn event_create_with(&self, _: u32) -> Result<usize> {
            none()
        }
        fn usual_pool(&self) -> Result<usize> {
            none()
        }
        fn current_pool(&self) -> Result<usize> {
            none()
        }
        unsafe fn set_current_pool(&self, _: usize) -> Result<()> {
            none()
        }
        fn create_pool(&self) -> Result<usize> {
            none()
        }
        unsafe fn destroy_pool(&self, _: usize) -> Result<()> {
            none()
        }
        unsafe fn trim_pool(&self, _: usize, _: usize) -> Result<()> {
            none()
        }
        unsafe fn pool_attribute(&self, _: usize, _: PoolAttribute) -> Result<u64> {
            none()
        }
        unsafe fn set_pool_attribute(&self, _: usize, _: PoolAttribute, _: u64) -> Result<()> {
            none()
        }
        unsafe fn alloc_from_pool(&self, _: usize, _: usize, _: StreamHandle) -> Result<u64> {
            none()
        }
        unsafe fn free_to_pool(&self, _: usize, _: u64, _: StreamHandle) -> Result<()> {
            none()
        }
        fn alloc_managed(&self, _: usize) -> Result<u64> {
            none()
        }
        unsafe fn advise(&self, _: u64, _: usize, _: i32, _: i32) -> Result<()> {
            none()
        }
        unsafe fn prefetch(&self, _: u64, _: usize, _: i32, _: StreamHandle) -> Result<()> {
            none()
        }
        unsafe fn upload_kept(&self, _: u64, _: usize, _: usize, _: StreamHandle) -> Result<()> {
            none()
        }
        fn limit(&self, _: i32) -> Result<usize> {
            none()
        }
        fn set_limit(&self, _: i32, _: usize) -> Result<()> {
            none()
        }
        unsafe fn begin_capture(&self, _: StreamHandle) -> Result<()> {
            none()
        }
        unsafe fn end_capture(&self, _: StreamHandle) -> Result<usize> {
            none()
        }
        fn is_capturing(&self) -> bool {
            false
        }
        unsafe fn clone_graph(&self, _: usize) -> Result<usize> {
            none()
        }
        unsafe fn destroy_graph(&self, _: usize) -> Result<()> {
            none()
        }
        unsafe fn graph_nodes(&self, _: usize) -> Result<usize> {
            none()
        }
        unsafe fn graph_dot(&self, _: usize, _: u32) -> Result<String> {
            none()
        }
        unsafe fn instantiate(&self, _: usize) -> Result<usize> {
            none()
        }
        unsafe fn destroy_instance(&self, _: usize) -> Result<()> {
            none()
        }
        unsafe fn update_instance(&self, _: usize, _: usize) -> Result<()> {
            none()
        }
        unsafe fn upload_graph(&self, _: usize, _: StreamHandle) -> Result<()> {
            none()
        }
        unsafe fn launch_graph(&self, _: usize, _: StreamHandle) -> Result<()> {
            none()
        }
    }
}

impl Driver for Mock {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        let mut state = self.state();
        if state.memory.is_some_and(|memory| state.allocated.values().sum::<usize>() + bytes > memory) {
            return Err(Error::new(ErrorKind::OutOfMemory, "the mock is full"));
        }
        let addr = (1 << 40) + state.next;
        state.next += bytes as u64;
        state.allocated.insert(addr, bytes);
        Ok(addr)
    }

    fn free_bytes(&self) -> Result<u64> {
        let state = self.state();
        Ok(state.memory.map_or(u64::MAX, |memory| (memory - state.allocated.values().sum::<usize>()) as u64))
    }

    unsafe fn free(&self, addr: u64) -> Result<()> {
        self.state().allocated.remove(&addr).expect("live memory is freed");
        Ok(())
    }

    fn mark(&self, _: u64, _: usize, _: Mark, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, _: u64, _: &[u8], _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock moves no data"))
    }

    unsafe fn download(&self, _: &mut [u8], _: u64, _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock moves no data"))
    }

    unsafe fn copy(&self, _: u64, _: u64, _: usize, _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock moves no data"))
    }

    fn link(&self, _: &[Piece<'_>], _: &str, _: &[String]) -> Result<Vec<u8>> {
        Err(driver_error("the mock runs no code"))
    }

    fn linker(&self) -> Result<Option<String>> {
        Err(driver_error("the mock runs no code"))
    }

    fn load(&self, _: &[u8]) -> Result<usize> {
        Err(driver_error("the mock runs no code"))
    }

    fn function(&self, _: usize, _: &str) -> Result<Function> {
        Err(driver_error("the mock runs no code"))
    }

    unsafe fn launch(
        &self,
        _: Function,
        _: [u32; 3],
        _: [u32; 3],
        _: u32,
        stream: StreamHandle,
        params: &[u8],
    ) -> Result<()> {
        let mut state = self.state();
        let host = state.host.clone();
        let clock = state.clock(stream);
        join(clock, &host);
        let tick = clock.entry(stream).or_default();
        *tick += 1;
        let (tick, clock) = (*tick, clock.clone());
        let words: Vec<u64> = params.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
        for each in words.chunks_exact(3) {
            let new = Use { addr: each[0], stream, tick, write: each[1] == 1, owner: each[2] };
            let known = |old: &Use| clock.get(&old.stream).is_some_and(|&tick| tick >= old.tick);
            let unknown = |old: &&Use| old.addr == new.addr && (old.write || new.write) && !known(old);
            let races: Vec<usize> =
                state.uses.iter().filter(unknown).map(|old| (old.owner != new.owner) as usize).collect();
            races.into_iter().for_each(|kind| state.races[kind] += 1);
            if new.write {
                state.uses.retain(|old| old.addr != new.addr || !known(old));
            }
            state.uses.push(new);
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        let mut state = self.state();
        state.note("synchronize".into());
        let state = &mut *state;
        state.streams.values().for_each(|clock| join(&mut state.host, clock));
        Ok(())
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        let mut state = self.state();
        // Like CUDA, it reuses the handle of a destroyed stream.
        let handle = (1..).find(|handle| !state.streams.contains_key(handle)).unwrap();
        state.streams.insert(handle, Clock::new());
        Ok(handle)
    }

    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        let mut state = self.state();
        let gone = state.streams.remove(&stream).expect("a live stream is destroyed");
        // The next stream of this handle continues the count of this one, and knows no more than the host.
        let tick = gone.get(&stream).copied().unwrap_or(0);
        assert!(
            state.host.get(&stream).copied().unwrap_or(0) >= tick,
            "a stream was destroyed before its work was done"
        );
        Ok(())
    }

    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        let mut state = self.state();
        let clock = state.clock(stream).clone();
        join(&mut state.host, &clock);
        Ok(())
    }

    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        let mut state = self.state();
        state.note(format!("{stream} waits"));
        let clock = state.events[&event].clone();
        join(state.clock(stream), &clock);
        Ok(())
    }

    fn event_create(&self) -> Result<usize> {
        let mut state = self.state();
        let event = state.handle();
        state.note("create".into());
        state.events.insert(event, Clock::new());
        Ok(event)
    }

    unsafe fn event_destroy(&self, event: usize) -> Result<()> {
        self.state().events.remove(&event).expect("a live event is destroyed");
        Ok(())
    }

    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        let mut state = self.state();
        if state.failing {
            return Err(driver_error("the mock fails"));
        }
        state.note(format!("record on {stream}"));
        let clock = state.clock(stream).clone();
        state.events.insert(event, clock);
        Ok(())
    }

    unsafe fn event_query(&self, event: usize) -> Result<bool> {
        let mut state = self.state();
        if state.stopped {
            return Ok(false);
        }
        let clock = state.events[&event].clone();
        join(&mut state.host, &clock);
        Ok(true)
    }

    unsafe fn event_synchronize(&self, event: usize) -> Result<()> {
        let mut state = self.state();
        state.note("the host waits".into());
        let clock = state.events[&event].clone();
        join(&mut state.host, &clock);
        Ok(())
    }

    unsafe fn event_elapsed_ms(&self, _: usize, _: usize) -> Result<f32> {
        Err(driver_error("the mock has no clock"))
    }

    unsafe fn gemm(&self, _: &Gemm, _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock runs no code"))
    }

    fn dense_workspace(&self, _: &Dense, _: StreamHandle) -> Result<usize> {
        Ok(0)
    }

    unsafe fn dense(&self, _: &Dense, _: (u64, usize), _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock runs no code"))
    }

    fn transforms_call_texts(&self) -> bool {
        false
    }

    fn transform_plan(&self, _: &Transform) -> Result<LibraryPlan> {
        Err(driver_error("the mock runs no code"))
    }

    unsafe fn transform_forget(&self, _: LibraryPlan) -> Result<()> {
        Ok(())
    }

    unsafe fn transform(&self, _: &Transforming, _: StreamHandle) -> Result<()> {
        Err(driver_error("the mock runs no code"))
    }
}
