//! The simulated device: PTX on the CPU.
//!
//! Work of the default stream has completed when the call returns, preceded by all other queued work. That is what CUDA
//! guarantees for its default stream, whatever the others do. Work of other streams is queued and deferred: it runs
//! when something waits for it, or when much is queued. Among the orders that CUDA allows, a seed selects one, so that
//! missing synchronisation is likely to show.

mod captures;
mod collectives;
mod combine;
mod deferred;
mod dense;
mod hub;
mod linked;
mod product;
mod queues;
mod runtime;
mod texture;
mod transform;
mod wire;

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

use cuprum_sim::{Config, FaultKind, Kernel, Launch, Machine, Module};

use self::deferred::{DeferredWork, Work, handle};
use self::linked::linked;
use self::product::product;
use self::queues::DEFAULT;
use self::runtime::{RuntimeState, reject_in_host_call};
use super::collectives::{GroupId, Membership};
use super::{
    Dense, DeviceInfo, Driver, Function, FunctionAttribute, Gemm, LibraryPlan, Mark, Piece, StreamHandle, Transform,
    Transforming,
};
use crate::error::{Error, ErrorKind, Result, no_kernel};

/// Default limit of the shared memory of a block.
const SHARED: i32 = 48 << 10;

/// Limit of the shared memory of a block that opts in.
const OPTIN: i32 = 163 << 10;

/// Limits of a launch, by CUDA's numbers: threads of a block, its dimensions, those of a grid, shared memory, threads
/// of a warp, the compute capability, the alignments of texture memory and of its rows, and that the threads of a
/// multiprocessor are those of one block.
const ATTRIBUTES: [(i32, i32); 17] = [
    (1, 1024),
    (2, 1024),
    (3, 1024),
    (4, 64),
    (5, i32::MAX),
    (6, 65535),
    (7, 65535),
    (8, SHARED),
    (10, 32),
    (14, 512),
    (39, 1024),
    (51, 32),
    (75, 8),
    (76, 0),
    (81, OPTIN),
    (95, 1),
    (97, OPTIN),
];

/// A simulated device.
#[derive(Debug)]
pub(crate) struct Sim {
    /// Properties: those of an ordinary GPU.
    info: DeviceInfo,
    /// Memory, and the interpreter of PTX.
    machine: Machine,
    /// Loaded modules by handle; `None` after an unload.
    modules: RwLock<Vec<Option<Module>>>,
    /// Kernels of the modules.
    kernels: RwLock<Kernels>,
    /// Streams, their queued work, and captures.
    late: Mutex<DeferredWork>,
    /// True if nothing is queued and no fault is pending: the default stream need not check the queues.
    quiet: AtomicBool,
    /// State of runtime features: pools and graphs.
    shown: Mutex<RuntimeState>,
    /// CUDA arrays.
    arrays: texture::Arrays,
}

/// Kernels by handle, and the handles by module and name.
#[derive(Debug, Default)]
struct Kernels {
    /// Kernels by handle.
    all: Vec<Option<Kernel>>,
    /// Handles by module and name.
    known: HashMap<(usize, String), Function>,
}

fn fault(fault: cuprum_sim::Fault) -> Error {
    let kind = match fault.kind() {
        FaultKind::OutOfMemory => ErrorKind::OutOfMemory,
        FaultKind::BadLaunch => ErrorKind::Driver,
        FaultKind::Interrupted => ErrorKind::Interrupted,
        _ => ErrorKind::Fault,
    };
    let cure = match fault.kind() {
        FaultKind::Watchdog => ": it may be a loop without end; CUPRUM_SIM_INSTRUCTIONS sets another limit",
        _ => "",
    };
    Error::new(kind, format!("{fault}{cure}"))
}

fn invalid(what: &str) -> Error {
    Error::new(
        ErrorKind::Driver,
        format!("the handle of {what} is invalid: it is another device's, or what it stood for is gone"),
    )
}

impl Sim {
    /// Returns a simulated device. `CUPRUM_SIM_SEED` selects the order of blocks, warps and streams;
    /// `CUPRUM_SIM_RACES=1` enables the detection of races on global memory; `CUPRUM_SIM_INSTRUCTIONS` limits the
    /// instructions of a block.
    pub(crate) fn open(number: usize) -> Result<Sim> {
        let seed = match std::env::var("CUPRUM_SIM_SEED") {
            Ok(text) => Some(text.parse().map_err(|_| {
                Error::new(ErrorKind::Value, format!("CUPRUM_SIM_SEED must be an unsigned integer, not {text:?}"))
            })?),
            Err(_) => None,
        };
        let races = match std::env::var("CUPRUM_SIM_RACES").as_deref() {
            Ok("1") => true,
            Ok("0") | Err(_) => false,
            Ok(text) => {
                return Err(Error::new(ErrorKind::Value, format!("CUPRUM_SIM_RACES must be 0 or 1, not {text:?}")));
            }
        };
        let max_instructions = match std::env::var("CUPRUM_SIM_INSTRUCTIONS") {
            Ok(text) => text.parse().ok().filter(|&most| most > 0).ok_or_else(|| {
                Error::new(
                    ErrorKind::Value,
                    format!("CUPRUM_SIM_INSTRUCTIONS must be a positive integer, not {text:?}"),
                )
            })?,
            Err(_) => Config::default().max_instructions,
        };
        let config = Config { seed, races, max_instructions, ..Config::default() };
        let mut sim = Sim::with_order(config, seed.unwrap_or(0));
        if number > 0 {
            sim.info.id = format!("sim:{number}");
        }
        Ok(sim)
    }

    /// Returns a simulated device with a seed for the order of its streams.
    fn with_order(config: Config, order: u64) -> Sim {
        let info = DeviceInfo {
            name: "Cuprum simulator".into(),
            id: "sim".into(),
            target: "compute_80".into(),
            multiprocessors: config.threads as u32,
            memory_bytes: config.memory_limit,
            l2_bytes: 0,
            shared_bytes: OPTIN as u64,
            driver: env!("CARGO_PKG_VERSION").into(),
        };
        Sim {
            info,
            machine: Machine::new(config),
            modules: RwLock::default(),
            kernels: RwLock::default(),
            late: Mutex::new(DeferredWork::new(order)),
            quiet: AtomicBool::new(true),
            shown: Mutex::default(),
            arrays: texture::Arrays::default(),
        }
    }

    /// Calls `f` with the queues, to read or change them.
    fn late<R>(&self, f: impl FnOnce(&mut DeferredWork) -> Result<R>) -> Result<R> {
        reject_in_host_call()?;
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let result = f(&mut late);
        self.quiet.store(late.is_quiet(), Ordering::Release);
        result
    }

    /// Runs all queued work, for which work of the default stream waits.
    fn settle(&self) -> Result<()> {
        if self.quiet.load(Ordering::Acquire) {
            return Ok(());
        }
        self.late(|late| {
            late.run_all(self);
            late.report()
        })
    }

    /// Queues work on a stream other than the default one.
    fn queue(&self, stream: StreamHandle, work: Work) -> Result<()> {
        self.late(|late| {
            late.report()?;
            late.push(self, stream, work)
        })
    }

    fn kernel(&self, function: Function) -> Result<Kernel> {
        let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
        kernels.all.get(function.0).cloned().flatten().ok_or_else(|| invalid("a kernel"))
    }

    fn launch_now(
        &self,
        kernel: &Kernel,
        [grid, block]: [[u32; 3]; 2],
        shared_bytes: u32,
        params: &[u8],
    ) -> Result<()> {
        let print = |text: &str| print!("{text}");
        let launch =
            Launch { grid, block, shared_bytes, params, output: Some(&print), interrupt: Some(&super::is_interrupted) };
        self.machine.launch(kernel, &launch).map(|_| ()).map_err(fault)
    }

    fn mark_now(&self, addr: u64, bytes: usize, mark: Mark) -> Result<()> {
        let mark = match mark {
            Mark::Fresh => cuprum_sim::Mark::Fresh,
            Mark::Freed => cuprum_sim::Mark::Freed,
        };
        self.machine.mark(addr, bytes as u64, mark).map_err(fault)
    }
}

impl Driver for Sim {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        self.machine.alloc(bytes as u64).map_err(fault)
    }

    fn free_bytes(&self) -> Result<u64> {
        Ok(self.machine.free_bytes())
    }

    unsafe fn free(&self, addr: u64) -> Result<()> {
        if !self.quiet.load(Ordering::Acquire) {
            // As on a GPU, memory is freed after all work has completed.
            self.late(|late| {
                late.run_all(self);
                Ok(())
            })?;
        }
        self.machine.free(addr).map_err(fault)
    }

    fn mark(&self, addr: u64, bytes: usize, mark: Mark, stream: StreamHandle) -> Result<()> {
        if self.quiet.load(Ordering::Acquire) {
            return self.mark_now(addr, bytes, mark);
        }
        self.late(
            |late| if late.mark(self, addr, bytes, mark, stream) { Ok(()) } else { self.mark_now(addr, bytes, mark) },
        )
    }

    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            return self.machine.write(dst, src).map_err(fault);
        }
        self.queue(stream, Work::Upload { dst, data: src.into() })
    }

    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()> {
        // SAFETY: the stream is the caller's, and one that is not live is rejected.
        if stream == DEFAULT { self.settle() } else { unsafe { Driver::stream_synchronize(self, stream) } }?;
        self.machine.peek(src, dst).map_err(fault)
    }

    fn check_defined(&self, addr: u64, bytes: usize) -> Result<()> {
        self.machine.check_defined(addr, bytes as u64).map_err(fault)
    }

    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            return self.machine.copy(dst, src, bytes as u64).map_err(fault);
        }
        self.queue(stream, Work::Copy { dst, src, bytes })
    }

    fn runs_rarely(&self) -> bool {
        true
    }

    /// Links pieces. The options are those of a compiler's back end, which the simulator does not have, and are
    /// ignored.
    fn link(&self, pieces: &[Piece<'_>], _: &str, _: &[String]) -> Result<Vec<u8>> {
        linked(pieces)
    }

    fn linker(&self) -> Result<Option<String>> {
        Ok(None)
    }

    fn load(&self, image: &[u8]) -> Result<usize> {
        let end = image.iter().position(|&b| b == 0).unwrap_or(image.len());
        let text = std::str::from_utf8(&image[..end])
            .map_err(|_| Error::new(ErrorKind::Compile, "the simulator runs PTX; this image is none"))?;
        let module = self.machine.load(text).map_err(|e| Error::new(ErrorKind::Compile, e.to_string()))?;
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        modules.push(Some(module));
        Ok(modules.len() - 1)
    }

    fn function(&self, module: usize, name: &str) -> Result<Function> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let kernel = modules.get(module).and_then(Option::as_ref).ok_or_else(|| invalid("a module"))?.kernel(name);
        let kernel = kernel.ok_or_else(|| {
            let known = modules.get(module).and_then(Option::as_ref).map(|m| m.kernels().collect::<Vec<_>>());
            no_kernel(name, &known.unwrap_or_default())
        })?;
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        let next = Function(kernels.all.len());
        let function = *kernels.known.entry((module, name.into())).or_insert(next);
        if function == next {
            kernels.all.push(Some(kernel));
        }
        Ok(function)
    }

    fn global(&self, module: usize, name: &str) -> Result<(u64, usize)> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let found = modules.get(module).and_then(Option::as_ref).ok_or_else(|| invalid("a module"))?.global(name);
        let found = found.map(|(addr, bytes)| (addr, bytes as usize));
        found.ok_or_else(|| Error::new(ErrorKind::Driver, format!("the module has no variable called {name}")))
    }

    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32> {
        let kernel = self.kernel(function)?;
        match attribute {
            FunctionAttribute::MaxThreadsPerBlock => Ok(kernel.max_threads() as i32),
            FunctionAttribute::SharedSizeBytes => Ok(kernel.shared_bytes() as i32),
            FunctionAttribute::LocalSizeBytes => Ok(kernel.local_bytes() as i32),
            FunctionAttribute::PtxVersion | FunctionAttribute::BinaryVersion => Ok(80),
            FunctionAttribute::MaxDynamicSharedSizeBytes => Ok(kernel.dynamic_bytes() as i32),
            // The simulator has no L1 cache: all of its memory has the same speed.
            FunctionAttribute::PreferredSharedMemoryCarveout => Ok(-1),
            FunctionAttribute::ConstSizeBytes => Ok(kernel.constant_bytes() as i32),
            _ => Err(super::unknown(&format!("{attribute:?} of a kernel"))),
        }
    }

    fn set_function_attribute(&self, function: Function, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernels.all.get_mut(function.0).and_then(Option::as_mut).ok_or_else(|| invalid("a kernel"))?;
        match attribute {
            FunctionAttribute::MaxDynamicSharedSizeBytes => {
                kernel.allow_dynamic_bytes(value.max(0) as u64).map_err(fault)
            }
            // The simulator has no L1 cache to divide: any preference is accepted.
            FunctionAttribute::PreferredSharedMemoryCarveout => Ok(()),
            _ => Err(super::unknown(&format!("{attribute:?} of a kernel"))),
        }
    }

    fn parameters(&self, function: Function) -> Result<Option<Vec<(usize, usize)>>> {
        Ok(Some(self.kernel(function)?.parameters().collect()))
    }

    fn max_active_blocks(&self, function: Function, threads: u32, shared: u32) -> Result<u32> {
        let kernel = self.kernel(function)?;
        if threads == 0 || threads > kernel.max_threads() {
            return Err(Error::new(ErrorKind::Driver, format!("no block of this kernel has {threads} threads")));
        }
        let shared = kernel.shared_bytes() as u64 + u64::from(shared);
        let of_memory = (OPTIN as u64).checked_div(shared).unwrap_or(u64::MAX).min(u64::from(u32::MAX)) as u32;
        Ok((1024 / threads.next_multiple_of(32)).min(of_memory))
    }

    unsafe fn launch_together(
        &self,
        function: Function,
        [grid, block]: [[u32; 3]; 2],
        shared_bytes: u32,
        stream: StreamHandle,
        params: &[u8],
        _: &[(usize, usize)],
    ) -> Result<()> {
        let kernel = self.kernel(function)?;
        let blocks: u64 = grid.iter().map(|&n| u64::from(n)).product();
        let most = self.max_active_blocks(function, block.iter().product(), shared_bytes)?;
        let most = u64::from(most) * u64::from(self.info.multiprocessors);
        if blocks > most {
            let message = format!("{blocks} blocks are to run at the same time, and the device runs {most}");
            return Err(Error::new(ErrorKind::Driver, message));
        }
        // Work of other streams may be deferred; a cooperative launch runs now, after it.
        let print = |text: &str| print!("{text}");
        let launch =
            Launch { grid, block, shared_bytes, params, output: Some(&print), interrupt: Some(&super::is_interrupted) };
        self.machine.check(&kernel, &launch).map_err(fault)?;
        // SAFETY: the caller guarantees the stream.
        unsafe { Driver::stream_synchronize(self, stream) }?;
        self.machine.launch_together(&kernel, &launch).map(|_| ()).map_err(fault)
    }

    unsafe fn unload(&self, module: usize) -> Result<()> {
        self.settle()?;
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        let found = modules.get_mut(module).and_then(Option::take);
        drop(found.ok_or_else(|| invalid("a module"))?);
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        let Kernels { all, known } = &mut *kernels;
        known.retain(|(of, _), function| {
            let stays = *of != module;
            if !stays {
                all[function.0] = None;
            }
            stays
        });
        Ok(())
    }

    fn attribute(&self, number: i32) -> Result<i32> {
        ATTRIBUTES
            .iter()
            .find(|(known, _)| *known == number)
            .map(|&(_, value)| value)
            .or((number == 16).then_some(self.info.multiprocessors as i32))
            .ok_or_else(|| super::unknown(&format!("the attribute {number}")))
    }

    unsafe fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        stream: StreamHandle,
        params: &[u8],
    ) -> Result<()> {
        let kernel = self.kernel(function)?;
        if stream == DEFAULT {
            self.settle()?;
            return self.launch_now(&kernel, [grid, block], shared, params);
        }
        // A launch that no GPU accepts is rejected by the call, as by a GPU's driver.
        let launch = Launch { grid, block, shared_bytes: shared, params, ..Launch::default() };
        self.machine.check(&kernel, &launch).map_err(fault)?;
        self.queue(stream, Work::Launch { kernel, size: [grid, block], shared, params: params.into() })
    }

    fn synchronize(&self) -> Result<()> {
        self.settle()
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        let stream = handle();
        self.late(|late| {
            late.queues.open(stream);
            Ok(stream)
        })
    }

    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        self.late(|late| {
            late.check(stream)?;
            // A GPU completes the work of a destroyed stream; running it now is indistinguishable.
            late.run_stream(self, stream);
            if stream != DEFAULT {
                late.queues.close(stream);
            }
            Ok(())
        })
    }

    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            return self.settle();
        }
        self.late(|late| {
            late.check(stream)?;
            late.check_not_captured(stream, "be waited for")?;
            late.run_stream(self, stream);
            late.report()
        })
    }

    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
        }
        self.late(|late| {
            late.check(stream)?;
            let recorded = late.event(event)?;
            if late.captures.wait(stream, event)? {
                return Ok(());
            }
            if let Some(recorded) = recorded {
                late.queues.wait(stream, recorded.point);
            }
            late.report()
        })
    }

    fn event_create(&self) -> Result<usize> {
        let event = handle();
        self.late(|late| {
            late.events.insert(event, None);
            Ok(event)
        })
    }

    unsafe fn event_destroy(&self, event: usize) -> Result<()> {
        self.late(|late| {
            late.captures.forget_event(event);
            late.events.remove(&event).map(|_| ()).ok_or_else(|| invalid("an event"))
        })
    }

    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
        }
        self.late(|late| {
            late.report()?;
            late.record(self, event, stream)
        })
    }

    unsafe fn event_synchronize(&self, event: usize) -> Result<()> {
        self.late(|late| {
            late.captures.check_event(event)?;
            if let Some(recorded) = late.event(event)? {
                late.run_to(self, recorded.point);
            }
            late.report()
        })
    }

    unsafe fn event_query(&self, event: usize) -> Result<bool> {
        self.late(|late| {
            late.captures.check_event(event)?;
            let Some(recorded) = late.event(event)? else { return Ok(true) };
            // Work advances between two queries: a loop that polls ends.
            for _ in 0..=late.queues.draw(4) {
                if !late.queues.reached(recorded.point) {
                    late.step(self);
                }
            }
            late.report()?;
            Ok(late.queues.reached(recorded.point))
        })
    }

    unsafe fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        self.late(|late| {
            let time = |event: usize| -> Result<Instant> {
                let never = || Error::new(ErrorKind::Driver, "an event was never recorded");
                let recorded = late.event(event)?.ok_or_else(never)?;
                recorded.reached.ok_or_else(|| {
                    Error::new(ErrorKind::Driver, "an event has not been reached: wait for it before its time is read")
                })
            };
            // The end event may have been reached first.
            let (start, end) = (time(start)?, time(end)?);
            let forward = end.saturating_duration_since(start).as_secs_f32();
            Ok((forward - start.saturating_duration_since(end).as_secs_f32()) * 1e3)
        })
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            return product(&self.machine, gemm);
        }
        self.queue(stream, Work::Product(*gemm))
    }

    /// Returns a small number, since code that is not interpreted is much faster.
    fn byte_products(&self) -> Option<usize> {
        Some(1 << 19)
    }

    fn dense_workspace(&self, _: &Dense, _: StreamHandle) -> Result<usize> {
        Ok(0)
    }

    unsafe fn dense(&self, dense: &Dense, _: (u64, usize), stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            return dense::run(&self.machine, dense);
        }
        self.queue(stream, Work::Dense(*dense))
    }

    fn group_id(&self, _: Option<Ipv4Addr>) -> Result<GroupId> {
        hub::begin()
    }

    fn join(&self, id: &GroupId, size: usize, rank: usize) -> Result<Membership> {
        reject_in_host_call()?;
        collectives::join(id, size, rank)
    }

    fn begin_group(&self) -> Result<()> {
        collectives::begin_group();
        Ok(())
    }

    fn end_group(&self) -> Result<()> {
        reject_in_host_call()?;
        collectives::end_group()
    }

    fn collectives_version(&self) -> Result<i32> {
        Ok(collectives::VERSION)
    }

    fn transforms_call_texts(&self) -> bool {
        false
    }

    fn transform_plan(&self, _: &Transform) -> Result<LibraryPlan> {
        Ok(LibraryPlan { handle: 0, work: 0 })
    }

    unsafe fn transform_forget(&self, _: LibraryPlan) -> Result<()> {
        Ok(())
    }

    unsafe fn transform(&self, call: &Transforming, stream: StreamHandle) -> Result<()> {
        if stream == DEFAULT {
            self.settle()?;
            return transform::run(&self.machine, call);
        }
        self.queue(stream, Work::Transform(*call))
    }
}

/// Reads messages between ranks.
#[cfg(fuzzing)]
pub(super) fn examine_messages(bytes: &[u8]) {
    let _ = wire::read_hello(&mut &*bytes);
    if let Ok(request) = wire::read_request(&mut &*bytes) {
        let mut frame = vec![];
        wire::write_request(&mut frame, &request).expect("a vector takes any bytes");
        let again = wire::read_request(&mut frame.as_slice()).expect("a request is read as it was written");
        assert!(again.fits(&request) && again.data == request.data);
    }
    if let Some((_, length)) = wire::parse_reply(bytes) {
        assert!(length <= bytes.len());
    }
}

#[cfg(test)]
mod tests;
