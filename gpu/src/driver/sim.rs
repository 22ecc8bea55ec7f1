//! The simulated device: PTX on the CPU.

use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use cuprum_kernels::DType;
use cuprum_sim::{Config, FaultKind, Kernel, Launch, Machine, Module};
use half::{bf16, f16};

use super::{DeviceInfo, Driver, Function, Gemm, Mark, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

#[derive(Debug)]
pub(crate) struct Sim {
    info: DeviceInfo,
    machine: Machine,
    /// Modules, kernels and events by handle. Streams are all the same: every call is done when it returns.
    modules: RwLock<Vec<Module>>,
    kernels: RwLock<Vec<Kernel>>,
    events: RwLock<Vec<Option<Instant>>>,
}

fn fault(fault: cuprum_sim::Fault) -> Error {
    let kind = match fault.kind() {
        FaultKind::OutOfMemory => ErrorKind::OutOfMemory,
        FaultKind::BadLaunch => ErrorKind::Driver,
        _ => ErrorKind::Fault,
    };
    Error::new(kind, fault.to_string())
}

impl Sim {
    /// A simulated device. `CUPRUM_SIM_SEED` runs blocks and warps in the order of that seed; `CUPRUM_SIM_RACES=1` looks
    /// for races on global memory.
    pub(crate) fn open() -> Result<Sim> {
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
        let config = Config { seed, races, ..Config::default() };
        let info = DeviceInfo {
            name: "Cuprum simulator".into(),
            id: "sim".into(),
            target: "compute_80".into(),
            multiprocessors: config.threads as u32,
            memory_bytes: config.memory_limit,
            l2_bytes: 0,
            driver: env!("CARGO_PKG_VERSION").into(),
        };
        Ok(Sim {
            info,
            machine: Machine::new(config),
            modules: RwLock::default(),
            kernels: RwLock::default(),
            events: RwLock::default(),
        })
    }

    /// A matrix with its columns `ld` elements apart. What lies between them is not read: nobody need have written it.
    fn read_matrix<T: Copy>(
        &self,
        (addr, ld): (u64, usize),
        (rows, columns): (usize, usize),
        size: usize,
        of: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        // The last column ends with its last element: what follows need not be this matrix's memory.
        let len = if rows == 0 || columns == 0 { 0 } else { ld * (columns - 1) + rows };
        let mut bytes = vec![0; len * size];
        for column in 0..if len == 0 { 0 } else { columns } {
            let start = column * ld * size;
            let part = &mut bytes[start..start + rows * size];
            self.machine.read(addr + start as u64, part).map_err(fault)?;
        }
        Ok(bytes.chunks_exact(size).map(of).collect())
    }
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::Driver, format!("the handle of {what} is invalid"))
}

impl Driver for Sim {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        self.machine.alloc(bytes as u64).map_err(fault)
    }

    unsafe fn free(&self, addr: u64) -> Result<()> {
        self.machine.free(addr).map_err(fault)
    }

    fn mark(&self, addr: u64, bytes: usize, mark: Mark) -> Result<()> {
        let mark = match mark {
            Mark::Fresh => cuprum_sim::Mark::Fresh,
            Mark::Freed => cuprum_sim::Mark::Freed,
        };
        self.machine.mark(addr, bytes as u64, mark).map_err(fault)
    }

    unsafe fn upload(&self, dst: u64, src: &[u8], _: StreamHandle) -> Result<()> {
        self.machine.write(dst, src).map_err(fault)
    }

    unsafe fn download(&self, dst: &mut [u8], src: u64, _: StreamHandle) -> Result<()> {
        self.machine.read(src, dst).map_err(fault)
    }

    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, _: StreamHandle) -> Result<()> {
        self.machine.copy(dst, src, bytes as u64).map_err(fault)
    }

    fn load(&self, image: &[u8]) -> Result<usize> {
        let end = image.iter().position(|&b| b == 0).unwrap_or(image.len());
        let text = std::str::from_utf8(&image[..end])
            .map_err(|_| Error::new(ErrorKind::Compile, "the simulator runs PTX; this image is none"))?;
        let module = self.machine.load(text).map_err(|e| Error::new(ErrorKind::Compile, e.to_string()))?;
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        modules.push(module);
        Ok(modules.len() - 1)
    }

    fn function(&self, module: usize, name: &str) -> Result<Function> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let kernel = modules.get(module).ok_or_else(|| invalid("a module"))?.kernel(name);
        let kernel =
            kernel.ok_or_else(|| Error::new(ErrorKind::Driver, format!("the module has no kernel called {name}")))?;
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        kernels.push(kernel);
        Ok(Function(kernels.len() - 1))
    }

    unsafe fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        _: StreamHandle,
        params: &[u8],
    ) -> Result<()> {
        let kernel = self.kernels.read().unwrap_or_else(PoisonError::into_inner).get(function.0).cloned();
        let kernel = kernel.ok_or_else(|| invalid("a kernel"))?;
        let print = |text: &str| print!("{text}");
        let launch = Launch { grid, block, shared_bytes: shared, params, output: Some(&print) };
        self.machine.launch(&kernel, &launch).map_err(fault)?;
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        Ok(1)
    }

    fn stream_destroy(&self, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    fn stream_synchronize(&self, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    fn stream_wait(&self, _: StreamHandle, _: usize) -> Result<()> {
        Ok(())
    }

    fn event_create(&self) -> Result<usize> {
        let mut events = self.events.write().unwrap_or_else(PoisonError::into_inner);
        events.push(None);
        Ok(events.len() - 1)
    }

    fn event_destroy(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn event_record(&self, event: usize, _: StreamHandle) -> Result<()> {
        let mut events = self.events.write().unwrap_or_else(PoisonError::into_inner);
        *events.get_mut(event).ok_or_else(|| invalid("an event"))? = Some(Instant::now());
        Ok(())
    }

    fn event_synchronize(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        let events = self.events.read().unwrap_or_else(PoisonError::into_inner);
        match (events.get(start), events.get(end)) {
            (Some(Some(start)), Some(Some(end))) => Ok(end.duration_since(*start).as_secs_f32() * 1e3),
            _ => Err(Error::new(ErrorKind::Driver, "an event was never recorded")),
        }
    }

    unsafe fn gemm(&self, g: &Gemm, _: StreamHandle) -> Result<()> {
        /// Multiplies in the given type, after widening from the one in memory.
        macro_rules! product {
            ($gemm:path, $zero:expr, $one:expr, $size:literal, $load:expr, $store:expr $(, $flags:expr)?) => {{
                let stored = |t: bool, (rows, columns): (usize, usize), ld: usize| -> ((usize, usize), isize, isize) {
                    let form = if t { (columns, rows) } else { (rows, columns) };
                    (form, if t { ld as isize } else { 1 }, if t { 1 } else { ld as isize })
                };
                let (a_form, a_row, a_column) = stored(g.transpose[0], (g.m, g.k), g.a.1);
                let (b_form, b_row, b_column) = stored(g.transpose[1], (g.k, g.n), g.b.1);
                let a = self.read_matrix(g.a, a_form, $size, $load)?;
                let b = self.read_matrix(g.b, b_form, $size, $load)?;
                let mut c = vec![$zero; g.m * g.n];
                // SAFETY: the vectors hold all elements that these sizes and strides reach.
                unsafe {
                    $gemm(
                        $($flags, $flags,)? g.m, g.k, g.n, $one, a.as_ptr(), a_row, a_column, b.as_ptr(), b_row, b_column,
                        $zero, c.as_mut_ptr(), 1, g.m as isize,
                    );
                }
                for (j, column) in c.chunks_exact(g.m).enumerate() {
                    let bytes: Vec<u8> = column.iter().flat_map($store).collect();
                    self.machine.write(g.c.0 + (j * g.c.1 * $size) as u64, &bytes).map_err(fault)?;
                }
            }};
        }
        let f32_at = |b: &[u8], i: usize| f32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let f64_at = |b: &[u8], i: usize| {
            f64::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7]])
        };
        let half_bits = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
        if g.m == 0 || g.n == 0 {
            return Ok(());
        }
        use matrixmultiply::{CGemmOption::Standard, cgemm, dgemm, sgemm, zgemm};
        match g.dtype {
            DType::F16 => {
                product!(sgemm, 0.0, 1.0, 2, |b| f16::from_bits(half_bits(b)).to_f32(), |x| f16::from_f32(*x)
                    .to_le_bytes())
            }
            DType::BF16 => {
                product!(sgemm, 0.0, 1.0, 2, |b| bf16::from_bits(half_bits(b)).to_f32(), |x| bf16::from_f32(*x)
                    .to_le_bytes())
            }
            DType::F32 => product!(sgemm, 0.0, 1.0, 4, |b| f32_at(b, 0), |x| x.to_le_bytes()),
            DType::F64 => product!(dgemm, 0.0, 1.0, 8, |b| f64_at(b, 0), |x| x.to_le_bytes()),
            DType::C64 => product!(
                cgemm,
                [0.0, 0.0],
                [1.0, 0.0],
                8,
                |b| [f32_at(b, 0), f32_at(b, 4)],
                |x: &[f32; 2]| [x[0].to_le_bytes(), x[1].to_le_bytes()].concat(),
                Standard
            ),
            DType::C128 => product!(
                zgemm,
                [0.0, 0.0],
                [1.0, 0.0],
                16,
                |b| [f64_at(b, 0), f64_at(b, 8)],
                |x: &[f64; 2]| [x[0].to_le_bytes(), x[1].to_le_bytes()].concat(),
                Standard
            ),
            other => return Err(Error::new(ErrorKind::Type, format!("there is no matrix product of {other}"))),
        }
        Ok(())
    }
}
