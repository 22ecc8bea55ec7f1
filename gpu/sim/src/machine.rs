//! The machine: memory, modules, launches.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::Program;
use crate::exec::block::{Environment, next, run, shuffle};
use crate::memory::{Mark, Memory};
use crate::ptx::decode::{Names, function};
use crate::ptx::parser::parse;
use crate::{Fault, FaultKind, PtxError};

/// What a machine is like.
#[derive(Clone, Debug)]
pub struct Config {
    /// Bytes of device memory.
    pub memory_limit: u64,
    /// Threads that run blocks at the same time.
    pub threads: usize,
    /// Runs blocks and warps in an order drawn from this seed, on one thread, and switches warps often: what is right
    /// only by luck of scheduling comes out wrong.
    pub seed: Option<u64>,
    /// Warp instructions after which a block is stopped.
    pub max_instructions: u64,
}

impl Default for Config {
    /// 4 GiB, every core, no seed, 2^36 instructions a block.
    fn default() -> Config {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Config { memory_limit: 4 << 30, threads, seed: None, max_instructions: 1 << 36 }
    }
}

/// One simulated GPU.
#[derive(Debug)]
pub struct Machine {
    config: Config,
    memory: Memory,
}

/// A loaded PTX text. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Module {
    program: Arc<Program>,
    globals: Arc<HashMap<String, (u64, u64)>>,
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    program: Arc<Program>,
    entry: usize,
}

/// How a kernel is launched.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z: at most 1024 together.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The parameters as one buffer, each at its natural alignment.
    pub params: &'a [u8],
    /// Takes what the kernel prints.
    pub output: Option<&'a (dyn Fn(&str) + Sync)>,
}

impl Default for Launch<'_> {
    /// One thread, no parameters.
    fn default() -> Self {
        Launch { grid: [1; 3], block: [1; 3], shared_bytes: 0, params: &[], output: None }
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

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions, counted for each lane that ran them.
    pub instructions: u64,
    /// Instructions, counted for each warp.
    pub warp_instructions: u64,
}

/// The most shared memory of a block, as on current devices.
const MAX_SHARED: u64 = 227 << 10;

impl Machine {
    /// A machine with empty memory.
    pub fn new(config: Config) -> Machine {
        Machine { memory: Memory::new(config.memory_limit), config }
    }

    /// Allocates device memory, unwritten, at a multiple of 512 bytes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::OutOfMemory`] when the limit would be passed.
    pub fn alloc(&self, bytes: u64) -> Result<u64, Fault> {
        self.memory.alloc(bytes)
    }

    /// Frees an allocation.
    ///
    /// # Errors
    ///
    /// [`FaultKind::UseAfterFree`] when `addr` is not the start of a live allocation.
    pub fn free(&self, addr: u64) -> Result<(), Fault> {
        self.memory.free(addr)
    }

    /// Marks a range inside an allocation as newly allocated or as freed, for a pool that hands out parts of it.
    ///
    /// # Errors
    ///
    /// [`FaultKind::OutOfBounds`] when the range does not lie in one allocation.
    pub fn mark(&self, addr: u64, bytes: u64, state: Mark) -> Result<(), Fault> {
        self.memory.mark(addr, bytes, state)
    }

    /// Copies from the host to the device.
    ///
    /// # Errors
    ///
    /// [`FaultKind::OutOfBounds`] or [`FaultKind::UseAfterFree`] when the range is not usable.
    pub fn write(&self, addr: u64, data: &[u8]) -> Result<(), Fault> {
        self.memory.write(addr, data)
    }

    /// Copies from the device to the host; bytes that nobody wrote read as 0xcd.
    ///
    /// # Errors
    ///
    /// As [`Machine::write`].
    pub fn read(&self, addr: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.memory.read(addr, out)
    }

    /// Copies on the device, as if by way of another buffer; unwritten bytes stay unwritten.
    ///
    /// # Errors
    ///
    /// As [`Machine::write`].
    pub fn copy(&self, dst: u64, src: u64, bytes: u64) -> Result<(), Fault> {
        self.memory.copy(dst, src, bytes)
    }

    /// Fills device memory with a pattern.
    ///
    /// # Errors
    ///
    /// As [`Machine::write`].
    pub fn fill(&self, addr: u64, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        let data: Vec<u8> =
            pattern.iter().copied().cycle().take(if pattern.is_empty() { 0 } else { bytes as usize }).collect();
        self.memory.write(addr, &data)
    }

    /// Loads a PTX text; its variables get their places and first values in device memory.
    ///
    /// # Errors
    ///
    /// A [`PtxError`] that names the line, for text that is not PTX and for instructions that are not known.
    pub fn load(&self, ptx: &str) -> Result<Module, PtxError> {
        let text = parse(ptx)?;
        let mut globals = HashMap::new();
        for g in &text.globals {
            let addr = self.memory.alloc(g.bytes.max(1)).map_err(|f| PtxError::new(0, f.to_string()))?;
            globals.insert(g.name.clone(), (addr, g.bytes));
        }
        let functions: HashMap<_, _> = text.functions.iter().enumerate().map(|(i, f)| (f.name.clone(), i)).collect();
        let names = Names {
            globals: globals.iter().map(|(name, (addr, _))| (name.clone(), *addr)).collect(),
            functions,
            shared_bytes: text.shared_bytes,
        };
        for g in &text.globals {
            let mut bytes = g.init.clone().unwrap_or_else(|| vec![0; g.bytes as usize]);
            for (at, symbol, offset) in &g.addresses {
                let value = names
                    .globals
                    .get(symbol)
                    .copied()
                    .or_else(|| names.functions.get(symbol).map(|f| crate::exec::FUNCTION_WINDOW + *f as u64));
                let Some(value) = value else {
                    return Err(PtxError::new(0, format!("{symbol} is not declared")));
                };
                if let Some(slot) = bytes.get_mut(*at..*at + 8) {
                    slot.copy_from_slice(&value.wrapping_add(*offset).to_le_bytes());
                }
            }
            self.memory.write(names.globals[&g.name], &bytes).map_err(|f| PtxError::new(0, f.to_string()))?;
        }
        let functions = text.functions.iter().map(|f| function(f, &names)).collect::<Result<_, _>>()?;
        Ok(Module {
            program: Arc::new(Program { functions, shared_bytes: text.shared_bytes }),
            globals: Arc::new(globals),
        })
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] of any thread; [`FaultKind::BadLaunch`] when the launch itself cannot be.
    pub fn launch(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<Stats, Fault> {
        let shared_bytes = check(kernel, launch)?;
        let [gx, gy, gz] = launch.grid.map(u64::from);
        let blocks = gx * gy * gz;
        let environment = |index: u64, seed: u64| Environment {
            program: &kernel.program,
            entry: kernel.entry,
            live: self.memory.snapshot(),
            atomics: &self.memory.atomics,
            params: launch.params,
            grid: launch.grid,
            block_size: launch.block,
            block: [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32],
            dynamic_shared: launch.shared_bytes,
            shared_bytes,
            max_instructions: self.config.max_instructions,
            output: launch.output,
            seed,
        };
        if let Some(seed) = self.config.seed {
            let mut state = seed;
            let mut order: Vec<u64> = (0..blocks).collect();
            shuffle(&mut order, &mut state);
            let (mut total, mut shared) = (Stats::default(), Default::default());
            for index in order {
                total.add(run(&environment(index, next(&mut state) | 1), &mut shared)?);
            }
            return Ok(total);
        }
        let (ahead, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        let outcome = Mutex::new((Stats::default(), None::<(u64, Fault)>));
        let work = || {
            let (mut shared, mut mine) = (Default::default(), Stats::default());
            let mut env = environment(0, 0);
            loop {
                let index = ahead.fetch_add(1, Relaxed);
                if index >= blocks || failed.load(Relaxed) {
                    break;
                }
                env.block = [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32];
                match run(&env, &mut shared) {
                    Ok(stats) => mine.add(stats),
                    Err(fault) => {
                        failed.store(true, Relaxed);
                        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                        // Of several faults the one in the first block is reported, whichever thread was faster.
                        if outcome.1.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
                            outcome.1 = Some((index, fault));
                        }
                    }
                }
            }
            outcome.lock().unwrap_or_else(PoisonError::into_inner).0.add(mine);
        };
        let workers = (self.config.threads as u64).min(blocks.div_ceil(2));
        if workers <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 1..workers {
                    scope.spawn(work);
                }
                work();
            });
        }
        let (stats, fault) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        match fault {
            Some((_, fault)) => Err(fault),
            None => Ok(stats),
        }
    }
}

/// The bytes of shared memory that the launch needs, if it can be at all.
fn check(kernel: &Kernel, launch: &Launch<'_>) -> Result<usize, Fault> {
    let f = &kernel.program.functions[kernel.entry];
    let bad = |message: String| Err(Fault::new(FaultKind::BadLaunch, format!("{message} (kernel {})", f.name)));
    let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
    if launch.grid.contains(&0) || launch.grid[1] > 65535 || launch.grid[2] > 65535 || launch.grid[0] > i32::MAX as u32
    {
        return bad(format!("a grid of {:?} blocks is not possible", launch.grid));
    }
    if threads == 0 || threads > 1024 {
        return bad(format!("a block of {:?} threads is not possible", launch.block));
    }
    if let Some(max) = f.max_threads.filter(|&max| threads > max.into()) {
        return bad(format!("{threads} threads a block are more than the kernel's {max}"));
    }
    if launch.params.len() < kernel.param_bytes() {
        return bad(format!(
            "{} bytes of parameters are needed, {} are given",
            kernel.param_bytes(),
            launch.params.len()
        ));
    }
    let shared = kernel.program.shared_bytes.next_multiple_of(16) + u64::from(launch.shared_bytes);
    if shared > MAX_SHARED {
        return bad(format!("{shared} bytes of shared memory are more than {MAX_SHARED}"));
    }
    Ok(shared as usize)
}

impl Module {
    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        let entry = self.program.functions.iter().position(|f| f.entry && f.name == name)?;
        Some(Kernel { program: self.program.clone(), entry })
    }

    /// The names of all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.program.functions.iter().filter(|f| f.entry).map(|f| f.name.as_str())
    }

    /// The address and the size of a variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.globals.get(name).copied()
    }
}

impl Kernel {
    fn function(&self) -> &crate::exec::Function {
        &self.program.functions[self.entry]
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.function().name
    }

    /// Bytes of its parameters.
    pub fn param_bytes(&self) -> usize {
        self.function().params.last().map_or(0, |p| (p.offset + p.bytes) as usize)
    }

    /// Bytes of static shared memory.
    pub fn shared_bytes(&self) -> usize {
        self.program.shared_bytes as usize
    }

    /// Bytes of local memory of each thread.
    pub fn local_bytes(&self) -> usize {
        self.function().local_bytes as usize
    }

    /// The most threads that a block may have.
    pub fn max_threads(&self) -> u32 {
        self.function().max_threads.unwrap_or(1024)
    }
}

impl Stats {
    fn add(&mut self, other: Stats) {
        self.instructions += other.instructions;
        self.warp_instructions += other.warp_instructions;
    }
}
