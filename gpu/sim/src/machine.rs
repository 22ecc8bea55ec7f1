//! The simulated GPU: memory, loaded modules and launches.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle, Thread};

use crate::exec::{Arena, Callee, Code, FUNCTION_WINDOW, Function, Program};
use crate::job::{INTERVAL, Interrupt, Job};
use crate::memory::{Mark, Memory};
use crate::ptx::{self, decode};
use crate::texture::{Image, Sampling};
use crate::workers::Workers;
use crate::{Fault, FaultKind, PtxError};

/// Maximum number of threads of a block.
const MAX_THREADS: u64 = 1024;
/// Maximum shared memory of a block on every GPU, without an opt-in of the program.
const MAX_SHARED: u64 = 48 << 10;
/// Maximum shared memory of compute_80, with an opt-in of the kernel.
const MOST_SHARED: u64 = 163 << 10;

/// Initial contents of the grid barrier of a cooperative launch: its size, and the number of arrivals.
const WORKSPACE: [u8; 8] = [8, 0, 0, 0, 0, 0, 0, 0];

/// Options of a [`Machine`].
#[derive(Clone, Debug)]
pub struct Config {
    /// Bytes of device memory; 4 GiB by default.
    pub memory_limit: u64,
    /// Number of threads that run blocks; the processor's cores by default.
    pub threads: usize,
    /// Runs blocks and warps in a random order from this seed, on one thread.
    pub seed: Option<u64>,
    /// Number of warp instructions after which a block is stopped as hanging.
    pub max_instructions: u64,
    /// Checks for races between threads on global memory. The check takes time and memory: some 350 MB at most, for the
    /// eight million locations that a launch may then access.
    pub races: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            memory_limit: 4 << 30,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            seed: None,
            max_instructions: 2_000_000_000,
            races: false,
        }
    }
}

/// One simulated GPU.
#[derive(Debug)]
pub struct Machine {
    config: Config,
    memory: Arc<Memory>,
    workers: Workers,
}

/// A loaded PTX module.
#[derive(Clone, Debug)]
pub struct Module(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    program: Program,
    globals: HashMap<String, (u64, u64)>,
    constant_bytes: u64,
    kernels: HashMap<String, usize>,
    memory: Arc<Memory>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        for (addr, _) in self.globals.values() {
            // The module allocated them; no other code frees them, or they are freed already.
            let _ = self.memory.free(*addr);
        }
    }
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    pub(crate) index: usize,
    pub(crate) param_bytes: usize,
    /// The dynamic shared memory that it was granted, if it opted in.
    dynamic_bytes: Option<u64>,
}

/// Options of a launch.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The parameters as one packed buffer, each at its natural alignment.
    pub params: &'a [u8],
    /// Receives the kernel's output; `None` drops it.
    pub output: Option<&'a (dyn Fn(&str) + Sync)>,
    /// Returns true if the kernel is to be interrupted. The launching thread polls every 20 ms.
    pub interrupt: Option<&'a dyn Fn() -> bool>,
}

impl Default for Launch<'_> {
    fn default() -> Self {
        Launch { grid: [1; 3], block: [1; 3], shared_bytes: 0, params: &[], output: None, interrupt: None }
    }
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("grid", &self.grid)
            .field("block", &self.block)
            .field("shared_bytes", &self.shared_bytes)
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

/// Statistics of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of instructions, each counted for every lane that ran it.
    pub instructions: u64,
    /// Number of instructions, each counted once for the lanes of a warp that ran it together.
    pub warp_instructions: u64,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new(Config::default())
    }
}

impl Machine {
    /// Creates a machine with empty memory.
    pub fn new(config: Config) -> Machine {
        let memory = Arc::new(Memory::new(config.memory_limit));
        let threads = if config.seed.is_some() { 1 } else { config.threads };
        Machine { config, memory, workers: Workers::new(threads.saturating_sub(1)) }
    }

    /// Returns the options of the machine.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Allocates device memory; its address is a multiple of 512 and never 0. The memory is uninitialised.
    ///
    /// # Errors
    /// [`FaultKind::OutOfMemory`] if the machine's memory is exhausted.
    pub fn alloc(&self, bytes: u64) -> Result<u64, Fault> {
        self.memory.alloc(bytes, false)
    }

    /// Returns the number of bytes that can still be allocated.
    pub fn free_bytes(&self) -> u64 {
        self.memory.free_bytes()
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// [`FaultKind::UseAfterFree`] for one that was freed before, [`FaultKind::OutOfBounds`] if there is no such
    /// allocation.
    pub fn free(&self, addr: u64) -> Result<(), Fault> {
        self.memory.free(addr)
    }

    /// Marks a range inside an allocation as newly allocated, or as free.
    ///
    /// # Errors
    /// [`FaultKind::OutOfBounds`] or [`FaultKind::UseAfterFree`] where the range is in no live allocation.
    pub fn mark(&self, addr: u64, bytes: u64, state: Mark) -> Result<(), Fault> {
        self.memory.mark(addr, bytes, state)
    }

    /// Copies from the host to the device.
    ///
    /// # Errors
    /// As for an access by a kernel.
    pub fn write(&self, addr: u64, data: &[u8]) -> Result<(), Fault> {
        self.memory.write(addr, data)
    }

    /// Copies from the device to the host.
    ///
    /// # Errors
    /// As for an access by a kernel; [`FaultKind::Unwritten`] where a bit of it is undefined.
    pub fn read(&self, addr: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.peek(addr, out)?;
        self.check_defined(addr, out.len() as u64)
    }

    /// Copies from the device to the host like [`Machine::read`], including undefined bits.
    ///
    /// # Errors
    /// As for an access by a kernel.
    pub fn peek(&self, addr: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.memory.read(addr, out)
    }

    /// Checks that all bits of a range are defined.
    ///
    /// # Errors
    /// As for an access by a kernel; [`FaultKind::Unwritten`] where a bit is undefined.
    pub fn check_defined(&self, addr: u64, bytes: u64) -> Result<(), Fault> {
        self.memory.check_defined(addr, bytes)
    }

    /// Copies within the device, including the marks of uninitialised bytes.
    ///
    /// # Errors
    /// As for an access by a kernel, except for uninitialised bytes.
    pub fn copy(&self, dst: u64, src: u64, bytes: u64) -> Result<(), Fault> {
        self.memory.copy(dst, src, bytes)
    }

    /// Creates a handle by which kernels read an image as a texture; `smaller` are its other mipmap levels, each of
    /// half the size of the previous one.
    pub fn texture(&self, image: Image, smaller: &[Image], sampling: Sampling) -> u64 {
        self.memory.images.add(image, smaller, Some(sampling))
    }

    /// Creates a handle by which kernels read and write an image as a surface.
    pub fn surface(&self, image: Image) -> u64 {
        self.memory.images.add(image, &[], None)
    }

    /// Destroys a texture or a surface; returns whether the handle existed.
    pub fn forget_image(&self, handle: u64) -> bool {
        self.memory.images.remove(handle)
    }

    /// Fills a range with a pattern of 1, 2, 4, 8 or 16 bytes.
    ///
    /// # Errors
    /// As for an access by a kernel; [`FaultKind::BadLaunch`] for a pattern of another length.
    pub fn fill(&self, addr: u64, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        self.memory.fill(addr, pattern, bytes)
    }

    /// Loads PTX source and allocates its variables. They are freed with the module's last clone.
    ///
    /// # Errors
    /// Source that is no valid PTX, an instruction that the simulator does not support, or a kernel with more than 48
    /// KiB of static shared memory; the message names it.
    pub fn load(&self, text: &str) -> Result<Module, PtxError> {
        let text = ptx::parser::parse(text)?;
        let mut loaded = Loaded {
            program: Program {
                functions: Vec::new(),
                grain: 0,
                prints: false,
                constants: text.globals.iter().filter(|g| g.constant).map(|g| g.name.clone()).collect(),
                sources: text.sources.clone(),
            },
            globals: HashMap::new(),
            constant_bytes: text.globals.iter().filter(|g| g.constant).map(|g| g.bytes).sum(),
            kernels: HashMap::new(),
            memory: self.memory.clone(),
        };
        let failed = |f: Fault| PtxError::new(0, f.to_string());
        for global in &text.globals {
            let addr = self.memory.alloc(global.bytes, global.constant).map_err(failed)?;
            loaded.globals.insert(global.name.clone(), (addr, global.bytes));
        }
        let functions: HashMap<String, usize> =
            text.functions.iter().enumerate().map(|(i, f)| (f.name.clone(), i)).collect();
        for global in &text.globals {
            let (addr, bytes) = loaded.globals[&global.name];
            let mut init = global.init.clone().unwrap_or_default();
            init.resize(bytes as usize, 0);
            for (at, symbol, offset) in &global.addresses {
                let target = match (loaded.globals.get(symbol), functions.get(symbol)) {
                    (Some((addr, _)), _) => *addr,
                    (_, Some(f)) => FUNCTION_WINDOW + *f as u64,
                    _ => return Err(PtxError::new(0, format!("{symbol} is not declared"))),
                };
                let value = target.wrapping_add(*offset).to_le_bytes();
                if let Some(word) = init.get_mut(*at..at + 8) {
                    word.copy_from_slice(&value);
                }
            }
            self.memory.write(addr, &init).map_err(failed)?;
        }
        let names = decode::Names {
            globals: loaded.globals.iter().map(|(n, (addr, _))| (n.clone(), *addr)).collect(),
            functions,
            shared: text.shared.clone(),
        };
        for f in &text.functions {
            loaded.program.functions.push(decode::function(f, &names)?);
        }
        if loaded.program.functions.iter().any(|f| calls(f, &Callee::Malloc)) {
            self.memory.open_heap().map_err(failed)?;
        }
        loaded.program.prints = loaded.program.functions.iter().any(|f| calls(f, &Callee::Printf));
        loaded.program.grain = decode::grain(&loaded.program.functions);
        for (i, f) in text.functions.iter().enumerate().filter(|(_, f)| f.entry) {
            let shared = loaded.program.functions[i].shared_bytes;
            if shared > MAX_SHARED {
                let message = format!(
                    "the kernel {} has {shared} bytes of static shared memory, and a GPU gives at most {MAX_SHARED}",
                    f.name
                );
                return Err(PtxError::new(f.statements.first().map_or(1, |s| s.line), message));
            }
            loaded.kernels.insert(f.name.clone(), i);
        }
        Ok(Module(Arc::new(loaded)))
    }

    /// Validates a launch without running it.
    ///
    /// # Errors
    /// [`FaultKind::BadLaunch`] for one that no GPU would accept.
    pub fn check(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<(), Fault> {
        self.shared_bytes(kernel, launch).map(|_| ())
    }

    /// Validates a launch; returns the bytes of shared memory of each of its blocks.
    fn shared_bytes(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<u64, Fault> {
        let function = &kernel.module.0.program.functions[kernel.index];
        let bad = |message: String| Err(Fault::new(FaultKind::BadLaunch, format!("{}: {message}", function.name)));
        let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        let most = function.max_threads.map_or(MAX_THREADS, |n| u64::from(n).min(MAX_THREADS));
        let [x, y, z] = launch.block;
        if threads == 0 || threads > most || x > 1024 || y > 1024 || z > 64 {
            return bad(format!("blocks of {x} x {y} x {z} threads, of at most {most}"));
        }
        let [gx, gy, gz] = launch.grid;
        if gx == 0 || gy == 0 || gz == 0 || gx > 0x7fff_ffff || gy > 0xffff || gz > 0xffff {
            return bad(format!("a grid of {gx} x {gy} x {gz} blocks"));
        }
        if launch.params.len() < kernel.param_bytes {
            return bad(format!("{} bytes of parameters, of {}", launch.params.len(), kernel.param_bytes));
        }
        let dynamic = u64::from(launch.shared_bytes);
        let shared_bytes =
            if dynamic == 0 { function.shared_bytes } else { function.shared_bytes.next_multiple_of(16) + dynamic };
        if dynamic > kernel.dynamic_bytes() as u64 {
            let most = kernel.dynamic_bytes() as u64 + function.shared_bytes;
            return bad(format!("{shared_bytes} bytes of shared memory, static and dynamic, of at most {most}"));
        }
        if !Arc::ptr_eq(&self.memory, &kernel.module.0.memory) {
            return bad("the kernel was loaded on another machine".into());
        }
        Ok(shared_bytes)
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// [`FaultKind::BadLaunch`] for a launch that no GPU would accept; else the fault that stopped the kernel.
    pub fn launch(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<Stats, Fault> {
        let shared_bytes = self.shared_bytes(kernel, launch)?;
        let job = Job::new(&self.config, self.memory.clone(), kernel, launch, shared_bytes);
        let interrupt = launch.interrupt.map(Interrupt::new);
        self.workers.run(job, launch.output, interrupt.as_ref())
    }

    /// Runs a cooperative kernel: all blocks run concurrently, each on a separate thread.
    ///
    /// # Errors
    /// As [`Machine::launch`].
    pub fn launch_together(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<Stats, Fault> {
        let shared_bytes = self.shared_bytes(kernel, launch)?;
        let workspace = self.memory.alloc(WORKSPACE.len() as u64, false)?;
        self.memory.write(workspace, &WORKSPACE)?;
        let mut job = Job::new(&self.config, self.memory.clone(), kernel, launch, shared_bytes);
        job.workspace = workspace;
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        std::thread::scope(|scope| {
            // The interrupt callback stays with this thread.
            let (job, output, here) = (&job, launch.output, thread::current());
            let run = |here: Thread| {
                scope.spawn(move || {
                    job.work_one(&mut Arena::default(), output);
                    here.unpark();
                })
            };
            let running: Vec<_> = (0..blocks).map(|_| run(here.clone())).collect();
            let Some(interrupt) = launch.interrupt.map(Interrupt::new) else { return };
            while !running.iter().all(ScopedJoinHandle::is_finished) {
                thread::park_timeout(INTERVAL);
                if interrupt.asked() {
                    job.interrupt();
                }
            }
        });
        self.memory.free(workspace)?;
        job.outcome()
    }
}

fn calls(f: &Function, callee: &Callee) -> bool {
    f.code.iter().any(|i| matches!(&i.code, Code::Call(call) if call.callee == *callee))
}

impl Module {
    /// Returns the kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        let index = *self.0.kernels.get(name)?;
        let params = &self.0.program.functions[index].params;
        let param_bytes = params.last().map_or(0, |p| (p.offset + p.bytes) as usize);
        Some(Kernel { module: self.clone(), index, param_bytes, dynamic_bytes: None })
    }

    /// Returns the names of the kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0.kernels.keys().map(String::as_str)
    }

    /// Returns the address and size of a module-level variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.0.globals.get(name).copied()
    }
}

impl Kernel {
    pub(crate) fn program(&self) -> &Program {
        &self.module.0.program
    }

    /// Returns the kernel's name in the PTX source.
    pub fn name(&self) -> &str {
        &self.module.0.program.functions[self.index].name
    }

    /// Returns the size of the packed parameter buffer in bytes.
    pub fn param_bytes(&self) -> usize {
        self.param_bytes
    }

    /// Returns the bytes of static shared memory.
    pub fn shared_bytes(&self) -> usize {
        self.module.0.program.functions[self.index].shared_bytes as usize
    }

    /// Returns the offset and the size of each parameter.
    pub fn parameters(&self) -> impl Iterator<Item = (usize, usize)> {
        let params = &self.module.0.program.functions[self.index].params;
        params.iter().map(|p| (p.offset as usize, p.bytes as usize))
    }

    /// Returns the bytes of dynamic shared memory that a block may have.
    pub fn dynamic_bytes(&self) -> usize {
        let usual = MAX_SHARED.saturating_sub(self.shared_bytes().next_multiple_of(16) as u64);
        self.dynamic_bytes.unwrap_or(usual) as usize
    }

    /// Allows a block this many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// [`FaultKind::BadLaunch`] for more than a GPU has.
    pub fn allow_dynamic_bytes(&mut self, bytes: u64) -> Result<(), Fault> {
        let all = self.shared_bytes() as u64 + bytes;
        if all > MOST_SHARED {
            let message =
                format!("{}: {all} bytes of shared memory are requested, of at most {MOST_SHARED}", self.name());
            return Err(Fault::new(FaultKind::BadLaunch, message));
        }
        self.dynamic_bytes = Some(bytes);
        Ok(())
    }

    /// Returns the bytes of constants that the module declares.
    pub fn constant_bytes(&self) -> u64 {
        self.module.0.constant_bytes
    }

    /// Returns the bytes of local memory of a thread, without that of called functions.
    pub fn local_bytes(&self) -> usize {
        self.module.0.program.functions[self.index].local_bytes as usize
    }

    /// Returns the maximum number of threads of a block.
    pub fn max_threads(&self) -> u32 {
        self.module.0.program.functions[self.index].max_threads.unwrap_or(1024).min(1024)
    }
}
